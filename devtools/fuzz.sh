#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Builds the fuzz targets with clang, AddressSanitizer and UBSan, and runs each
# of them for its share of the time of a CPU, as many at once as there are CPUs:
#
#   devtools/fuzz.sh [seconds of a CPU in all, 60] [name of targets, may be a pattern]...
#   devtools/fuzz.sh --minimise [name of targets, may be a pattern]...
#
# The second way runs nothing new: it puts those inputs into app/fuzz/corpus that reach all
# that was reached so far, as few as it finds. Inputs with a name stay as they are.
#
# Before that each runs the inputs of app/fuzz/corpus once, among them all that
# have failed in the past. Targets of the software BlueField are left out, with the
# reason, where it cannot be built.
#
# Works in build-fuzz/ only: what a target has found interesting stays there in
# corpus/ and is where the next run begins, inputs that fail are in failed/. seconds.txt
# has the seconds of a CPU that each target took in each run, of which the sums are printed.
# The last line is "N passed, N failed", one for each target.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
work=$top/build-fuzz
seconds=${1:-60}
all=(fuzz_cqe fuzz_devargs fuzz_fast fuzz_mad fuzz_model_cmd fuzz_model_vfu fuzz_ring
	fuzz_socket fuzz_telemetry)
minimise=false
passed=0
failed=0

usage() {
	echo "usage: $0 [seconds, at least one for each target] [target or pattern]..." >&2
	echo "       $0 --minimise [target or pattern]..." >&2
	echo "targets: ${all[*]}" >&2
	exit 1
}

if [ "$seconds" = --minimise ]; then
	minimise=true
	seconds=${#all[@]}
fi
[[ $seconds =~ ^[0-9]+$ ]] || usage
shift || true
targets=()
for target in "${all[@]}"; do
	for pattern in "${@:-*}"; do
		# shellcheck disable=SC2053 # it is a pattern
		if [[ $target == $pattern ]]; then
			targets+=("$target")
			break
		fi
	done
done
[ ${#targets[@]} -gt 0 ] || usage

cc=$(command -v clang || command -v clang-14 || true)
if [ -z "$cc" ]; then
	echo "no clang: the fuzz targets are not built and not run"
	exit 77
fi

mkdir -p "$work/corpus" "$work/failed"
# All of the tree tells the fuzzer where an input went; the targets have its main().
if [ ! -f "$work/build/build.ninja" ]; then
	CC=$cc meson setup "$work/build" "$top" -Dfuzz=true -Dwerror=true -Dtests=false -Dexamples=false \
		-Dcheck_includes=false -Dbuildtype=debugoptimized -Doptimization=1 -Db_lundef=false \
		-Db_sanitize=address,undefined -Dc_args=-fsanitize=fuzzer-no-link \
		>"$work/setup.log" || { tail -n 20 "$work/setup.log"; exit 1; }
fi
# Brings the list of targets up to date.
ninja -C "$work/build" build.ninja >"$work/build.log" || { tail -n 40 "$work/build.log"; exit 1; }

# What this build does not have, and why: meson has said it in its summary.
here=()
for target in "${targets[@]}"; do
	if ninja -C "$work/build" -t query "app/$target" >/dev/null 2>&1; then
		here+=("$target")
	else
		printf '%-16s left out: %s\n' "$target" "$(sed -n "s|^ *app/fuzz/$target *: ||p" \
			"$work/build/meson-logs/meson-log.txt" | tail -n 1)"
	fi
done
[ ${#here[@]} -gt 0 ] || exit 77
share=$((seconds / ${#here[@]}))
((share > 0)) || usage
ninja -C "$work/build" "${here[@]/#/app/}" >"$work/build.log" ||
	{ tail -n 40 "$work/build.log"; exit 1; }

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:handle_abort=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export LSAN_OPTIONS=suppressions=$top/devtools/lsan.supp:print_suppressions=0

# Input by input: the name of the one that fails is in the log.
replay() { # <target>
	timeout -k 10 120 "$work/build/app/$1" -timeout=20 "$top/app/fuzz/corpus/$1/"*
}

fuzz() { # <target>
	local options=() dict=$top/app/fuzz/${1%_*}.dict
	mkdir -p "$work/corpus/$1"
	[ ! -f "$dict" ] || options+=("-dict=$dict")
	# an input that brings a function up and does something to it is long
	[[ $1 != fuzz_model_* ]] || options+=(-len_control=10)
	# on a busy machine it takes minutes to read all that was found before
	timeout -k 10 $((share + 300)) "$work/build/app/$1" -max_total_time="$share" -timeout=20 \
		-rss_limit_mb=2048 -artifact_prefix="$work/failed/$1-" -print_final_stats=1 \
		"${options[@]}" "$work/corpus/$1" "$top/app/fuzz/corpus/$1"
}

running=0
wait_for_one() {
	if wait -n; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
	running=$((running - 1))
}

# The same, and note what it took of the processors.
fuzz_timed() { # <target> <log>
	local TIMEFORMAT='%U %S' used rc=0
	used=$({ time fuzz "$1" >>"$2" 2>&1; } 2>&1) || rc=$?
	printf '%s %s\n' "$1" "$(awk '{ print $1 + $2 }' <<<"$used")" >>"$work/seconds.txt"
	return $rc
}

# What a name of 40 digits is: the sum of an input that the fuzzer has written.
sums() { # <folder> [more for find]...
	find "$1" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' "${@:2}"
}

# Edges alone: how often each was taken would make ten times as many inputs.
minimise() { # <target>
	local tree=$top/app/fuzz/corpus/$1 new=$work/minimal/$1
	rm -rf "$new"
	mkdir -p "$work/corpus/$1"
	cp -r "$tree" "$new"
	sums "$new" -delete
	"$work/build/app/$1" -merge=1 -use_counters=0 "$new" "$tree" "$work/corpus/$1" \
		>"$work/$1.log" 2>&1 || { tail -n 10 "$work/$1.log"; return 1; }
	sums "$tree" -delete
	cp "$new"/* "$tree"
	printf '%-16s %s inputs, %s bytes\n' "$1" "$(find "$tree" -type f | wc -l)" \
		"$(cat "$tree"/* | wc -c)"
}

# As many at a time as there are CPUs. What each says stays together.
run_target() { # <target>
	local log=$work/$1.log runs found
	if replay "$1" >"$log" 2>&1 && fuzz_timed "$1" "$log"; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
		printf '%-16s passed: %s inputs in %d s\n' "$1" "$runs" "$share"
		return
	fi
	found='ERROR|SUMMARY|runtime error|Test unit'
	# A target that dies in its own set-up says why in its last words.
	grep -qE "$found" "$log" || found=.
	printf '%-16s FAILED, log: %s\n%s\n' "$1" "${log#"$top"/}" \
		"$(grep -E "$found|^Running:" "$log" | tail -n 10)"
	return 1
}

if $minimise; then
	mkdir -p "$work/minimal"
	for target in "${here[@]}"; do
		minimise "$target"
	done
	exit
fi

cpus=$(nproc)
for target in "${here[@]}"; do
	if ((running >= cpus)); then
		wait_for_one
	fi
	run_target "$target" &
	running=$((running + 1))
done
while ((running > 0)); do
	wait_for_one
done

[ ! -f "$work/seconds.txt" ] || awk '{ sum[$1] += $2 }
	END { for (t in sum) printf "%-16s %.0f s of a CPU so far, %.2f h\n", t, sum[t], sum[t] / 3600 }' \
	"$work/seconds.txt" | sort
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
