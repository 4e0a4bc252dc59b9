#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Builds the fuzz targets with clang, AddressSanitizer and UBSan, and runs each
# of them for its share of the time: devtools/fuzz.sh [seconds in all, 60]
#
# Works in build-fuzz/ only: what a target has found interesting stays there in
# corpus/ and is where the next run begins, inputs that fail are in failed/.
# The last line is "N passed, N failed", one for each target.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
work=$top/build-fuzz
seconds=${1:-60}
targets=(fuzz_devargs fuzz_fast fuzz_ring fuzz_socket fuzz_telemetry)
share=$((seconds / ${#targets[@]}))
passed=0
failed=0

if ! [[ $seconds =~ ^[0-9]+$ ]] || ((share == 0)); then
	echo "usage: $0 [seconds, at least ${#targets[@]}]" >&2
	exit 1
fi
cc=$(command -v clang || command -v clang-14 || true)
if [ -z "$cc" ]; then
	echo "no clang: the fuzz targets are not built and not run"
	echo "0 passed, 0 failed"
	exit 0
fi

mkdir -p "$work/corpus" "$work/failed"
# All of the tree tells the fuzzer where an input went; the targets have its main().
if [ ! -f "$work/build/build.ninja" ]; then
	CC=$cc meson setup "$work/build" "$top" -Dfuzz=true -Dtests=false -Dexamples=false \
		-Dcheck_includes=false -Dbuildtype=debugoptimized -Db_lundef=false \
		-Db_sanitize=address,undefined -Dc_args=-fsanitize=fuzzer-no-link \
		>"$work/setup.log" || { tail -n 20 "$work/setup.log"; exit 1; }
fi
ninja -C "$work/build" "${targets[@]/#/app/}" >"$work/build.log" ||
	{ tail -n 40 "$work/build.log"; exit 1; }

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:handle_abort=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export LSAN_OPTIONS=suppressions=$top/devtools/lsan.supp:print_suppressions=0

for target in "${targets[@]}"; do
	log=$work/$target.log
	mkdir -p "$work/corpus/$target"
	if timeout -k 10 $((share + 60)) "$work/build/app/$target" -max_total_time="$share" \
			-timeout=20 -rss_limit_mb=2048 -artifact_prefix="$work/failed/$target-" \
			-print_final_stats=1 "$work/corpus/$target" \
			"$top/app/fuzz/corpus/$target" >"$log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		printf '%-16s passed: %s inputs in %d s\n' "$target" "$runs" "$share"
		passed=$((passed + 1))
	else
		printf '%-16s FAILED, log: %s\n' "$target" "${log#"$top"/}"
		grep -E 'ERROR|SUMMARY|runtime error|Test unit' "$log" | tail -n 10 || true
		failed=$((failed + 1))
	fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
