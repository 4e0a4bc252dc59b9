#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Builds and tests everything, with no argument and with no card. --help has the
# options, the plan below says what is done. Works in build-test/ only; each
# step's output is in build-test/logs/. The last line is "N passed, N failed":
# every autotest counts as one, and so does every other step.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
work=$top/build-test
logs=$work/logs
jobs=$(nproc)

# shellcheck source-path=SCRIPTDIR source=test/steps.sh
. "$top/devtools/test/steps.sh"
# shellcheck source-path=SCRIPTDIR source=test/builds.sh
. "$top/devtools/test/builds.sh"

usage() {
	cat <<-EOF_USAGE
		usage: test.sh [--quick | --all | --only PATTERN...] [--fresh] [--list]
		  (no option)     the gate: what CI runs, 30 minutes on two quiet cores at most
		  --quick         for people between two edits, 6 minutes; keeps its builds
		  --all           the gate, and what takes long: two hours
		  --only PATTERN  the steps whose names have this, which may have '*', and what
		                  they need; may be repeated; keeps its builds
		  --fresh         with --quick or --only: builds from nothing
		  --list          only lists the steps, with their tier and time; without
		                  another option all there are
		Builds are in build-test/, the output of each step in build-test/logs/, of --only
		in build-test/logs-only/.
	EOF_USAGE
}

# --------------------------------------------------------------------------
# The plan, cheapest first. Times are of two quiet cores.

devtools=$top/devtools

plan quick 15 'fetch what builds share' -- fetch_shared
plan gate 6 'check driver headers of DPDK' -- "$devtools/check-driver-headers.sh" "$work/driver-headers"

# What a build runs is in devtools/test/meson.build. Each tier adds its own.
plan quick 43 'build gcc' -- build gcc gcc -Dbluefield_model=enabled
plan quick 110 'tests gcc' after 'build gcc' counted -- tests gcc --suite quick
plan quick 85 'build gcc-sanitize' -- build gcc-sanitize gcc "${sanitize[@]}"
plan quick 95 'tests gcc-sanitize' after 'build gcc-sanitize' counted -- \
	tests gcc-sanitize --suite quick --no-suite checks

plan gate 420 'tests gcc, gate' after 'build gcc' counted -- \
	tests gcc --suite gate --no-suite quick --no-suite guests
plan gate 305 'tests gcc-sanitize, gate' after 'build gcc-sanitize' counted -- \
	tests gcc-sanitize --suite gate --no-suite quick --no-suite checks
# Clients of others, and ours on kernel VFIO, in a guest each.
plan gate 335 'guests' after 'build gcc' counted -- \
	env -u COMCH_QEMU "$devtools/test/run-suites.py" "$work/gcc" "$logs/gcc" --suite guests
# ... and once more with a QEMU that has vfio-user-pci, where there is one.
[ -z "${COMCH_QEMU:-}" ] || plan gate 335 'guests, vfio-user-pci' \
	after 'build gcc' after 'guests' counted -- tests gcc --suite guests
plan all 35 'tests gcc-sanitize, all' after 'build gcc-sanitize' counted -- \
	tests gcc-sanitize --suite all --no-suite gate --no-suite checks
plan all 1100 'tests gcc, all' after 'build gcc' counted -- tests gcc --suite all --no-suite gate

# How it is compiled and linked. What differs is the compiler's and the linker's alone, so
# one of these builds runs its suites in the gate.
plan gate 38 'build gcc-debug' -- \
	build gcc-debug gcc -Dbuildtype=debug -Dcomch_debug=true -Dprefer_static=true
plan gate 40 'tests gcc-debug' after 'build gcc-debug' counted -- tests gcc-debug --suite fast
plan all 120 'tests gcc-debug, slow' after 'build gcc-debug' counted -- tests gcc-debug --suite slow
plan gate 38 'build clang' -- build clang clang
plan all 175 'tests clang' after 'build clang' counted -- tests clang --suite fast --suite slow
plan gate 38 'build gcc-shared' -- build gcc-shared gcc -Ddefault_library=shared
plan all 55 'tests gcc-shared' after 'build gcc-shared' counted -- tests gcc-shared --suite fast
plan all 38 'build gcc-static' -- build gcc-static gcc -Dprefer_static=true
plan all 55 'tests gcc-static' after 'build gcc-static' counted -- tests gcc-static --suite fast
plan all 38 'build clang-shared' -- build clang-shared clang -Ddefault_library=shared
plan all 55 'tests clang-shared' after 'build clang-shared' counted -- \
	tests clang-shared --suite fast
plan all 70 'build clang-sanitize' -- build clang-sanitize clang "${sanitize[@]}"
plan all 200 'tests clang-sanitize' after 'build clang-sanitize' counted -- \
	tests clang-sanitize --suite fast --suite slow
plan all 45 'build clang-tsan' -- build clang-tsan clang "${tsan[@]}"
plan all 300 'tests clang-tsan' after 'build clang-tsan' counted -- \
	with_tsan tests clang-tsan --suite fast --suite slow --suite doca
plan all 100 'races on purpose are found' counted -- races_found

plan gate 19 'compile for releases of DPDK' -- "$devtools/check-releases.sh" "$work"
plan all 9 'differences of releases are found' -- "$devtools/check-releases.sh" --prove "$work"
plan gate 65 'compile for aarch64' -- "$devtools/check-cross.sh" "$work"
plan gate 71 'installation' counted -- installation

plan gate 55 'fuzz targets, 20 s' counted -- "$devtools/fuzz.sh" 20 'fuzz_[!cm]*'
plan gate 25 'fuzz targets of completions and MADs, 20 s each' counted -- \
	"$devtools/fuzz.sh" 40 fuzz_cqe fuzz_mad
plan gate 35 'fuzz targets of the model, 10 s each' counted -- "$devtools/fuzz.sh" 20 'fuzz_model_*'
plan all 305 'fuzz targets, 5 min' counted -- "$devtools/fuzz.sh" 300

plan gate 20 'build without network' -- without_network
plan gate 6 'documentation, warnings are errors' -- build_docs

plan all 357 "DPDK's source, and the tree with it" counted -- release_from_source
plan all 600 'bare Debian 12: demo.sh, test.sh --quick' -- bare_debian bookworm
plan all 600 'bare Debian 13: demo.sh, test.sh --quick' -- bare_debian trixie

# --------------------------------------------------------------------------

tier=
only=()
reuse=no
fresh=no
action=run
while [ $# -gt 0 ]; do
	case $1 in
	--quick | --all)
		[ -z "$tier" ] || plan_die '--quick and --all are two tiers: give one'
		tier=${1#--}
		;;
	--only)
		[ $# -gt 1 ] || plan_die '--only needs a pattern; --list shows the steps'
		only+=("$2")
		shift
		;;
	--only=*) only+=("${1#--only=}") ;;
	--fresh) fresh=yes ;;
	--list) action=list ;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		echo "test: '$1'?" >&2
		usage >&2
		exit 2
		;;
	esac
	shift
done
if [ ${#only[@]} -gt 0 ]; then
	[ -z "$tier" ] || plan_die '--only takes steps of all tiers: leave --quick and --all out'
	choose_only 'fetch what builds share' "${only[@]}"
	logs=$work/logs-only
elif [ $action = list ]; then
	choose_tier "${tier:-all}"
else
	choose_tier "${tier:=gate}"
fi
if [ $action = list ]; then
	list_steps
	exit 0
fi
# A fresh folder proves more, and an old one is faster.
if [ $fresh = no ] && { [ "$tier" = quick ] || [ ${#only[@]} -gt 0 ]; }; then
	reuse=yes
fi

"$devtools/setup.sh" test
if ! mkdir -p "$work" || [ ! -w "$work" ]; then
	plan_die "cannot write to $work: remove it, or take a clone of your own"
fi
# Two runs in one tree would take each other's folders away.
exec 9>"$work/lock"
flock -n 9 || {
	echo "test: another test.sh runs in $work" >&2
	exit 1
}
rm -rf "$logs"
mkdir -p "$logs"
run_steps

echo
if [ ${#only[@]} = 0 ]; then
	print_left_out gate all
fi
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s, logs in $logs"
[ $steps_done = yes ] || plan_die 'the plan was not done to its end: see the error above'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
