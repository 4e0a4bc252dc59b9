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
# shellcheck source-path=SCRIPTDIR source=test/pairs.sh
. "$top/devtools/test/pairs.sh"
# shellcheck source-path=SCRIPTDIR source=test/programs.sh
. "$top/devtools/test/programs.sh"
# shellcheck source-path=SCRIPTDIR source=test/msgq.sh
. "$top/devtools/test/msgq.sh"
# shellcheck source-path=SCRIPTDIR source=test/doca.sh
. "$top/devtools/test/doca.sh"

usage() {
	cat <<-EOF_USAGE
		usage: test.sh [--quick | --all | --only PATTERN...] [--fresh] [--list]
		  (no option)     the gate: what CI runs, 35 minutes on two quiet cores at most
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
plan quick 3 'check: SPDX tags' -- "$devtools/check-spdx-tags.sh"
plan quick 1 'check: MAINTAINERS' -- "$devtools/check-maintainers.sh"
plan quick 2 'check: forbidden tokens' -- "$devtools/check-forbidden-tokens.sh"
plan quick 1 'check: duplicate includes' -- "$devtools/check-dup-includes.sh"
plan quick 2 'check: includes of DPDK' -- "$devtools/check-includes.py"
plan quick 1 'check: file length (warns only)' -- "$devtools/check-file-length.sh"
plan quick 1 'check: long functions and lines' -- "$devtools/check-functions.py"
plan quick 1 'long functions and lines are found' -- "$devtools/check-functions.py" --prove
plan quick 1 'check: ratios of the guide' -- "$devtools/check-compare.py"
plan quick 15 'check: format (warns only)' -- "$devtools/check-format.sh"
plan quick 1 'check: tests of the evidence for BlueField' -- "$devtools/check-evidence.py"
plan quick 1 'check: last commit message' -- "$devtools/check-git-log.sh"
plan quick 2 'check: what runs these steps' -- "$devtools/check-test-steps.sh"
plan gate 6 'check: driver headers of DPDK' -- "$devtools/check-driver-headers.sh" "$work/driver-headers"
plan quick 8 'check: shell scripts' -- "$devtools/check-shell.sh"
plan quick 5 "check: headers of the vendor's names" -- "$devtools/check-doca-headers.sh"
plan quick 1 "check: pages of the vendor's names" -- "$devtools/check-doca-calls.py"
plan quick 1 "mistakes in pages of the vendor's names are found" -- \
	"$devtools/check-doca-calls.py" --prove

plan quick 43 'build gcc' -- build gcc gcc -Dbluefield_model=enabled
plan quick 20 'autotests gcc' after 'build gcc' counted -- autotests gcc fast
plan quick 30 "autotests of the vendor's names" after 'build gcc' counted -- autotests_doca gcc
plan quick 2 'check: calls between files go one way' after 'build gcc' -- \
	"$devtools/check-arrows.py" "$work/gcc"
plan quick 1 'calls that run back are found' -- "$devtools/check-arrows.py" --prove
plan quick 1 "symbols of the vendor's names" after 'build gcc' -- \
	"$devtools/check-doca-symbols.sh" --prove "$work/gcc"
plan quick 1 'example doca/argp_log' after 'build gcc' -- example_doca_argp_log gcc
plan quick 2 'example doca: message queue' after 'build gcc' -- doca_msgq gcc
plan quick 2 'example doca: control path' after 'build gcc' -- doca_ctrl_path gcc
plan quick 1 'example ctrl_path' after 'build gcc' -- example ctrl_path gcc \
	-t 'from the card' -- -t 'from the host'
plan quick 10 'benchmark, two processes' after 'build gcc' -- benchmark
plan quick 85 'build gcc-sanitize' -- build gcc-sanitize gcc "${sanitize[@]}"
plan quick 21 'autotests gcc-sanitize' after 'build gcc-sanitize' counted -- \
	with_sanitizers autotests gcc-sanitize fast
plan quick 40 "autotests of the vendor's names, sanitizers" after 'build gcc-sanitize' counted -- \
	with_sanitizers autotests_doca gcc-sanitize

plan gate 5 'autotests gcc, no software BlueField' after 'build gcc' counted -- \
	autotests_no_model gcc
# The functional suites on each kind of device: shm's are those of 'autotests gcc' and of
# the slow ones.
plan gate 155 'autotests gcc, bluefield' after 'build gcc' counted -- \
	autotests_bluefield gcc fast
plan all 340 'slow autotests gcc, bluefield' after 'build gcc' counted -- \
	autotests_bluefield gcc slow
plan all 240 'autotests gcc, mock driver' after 'build gcc' counted -- autotests_mock gcc
plan all 90 'autotests gcc, mock driver inside' after 'build gcc' counted -- \
	with_mock inside autotests gcc fast
plan all 270 'slow autotests gcc' after 'build gcc' counted -- autotests gcc slow
plan gate 275 'slow autotests gcc-sanitize' after 'build gcc-sanitize' counted -- \
	with_sanitizers autotests gcc-sanitize slow

# How it is compiled and linked. Slow suites are left to --all where the compiler
# may make a difference, and out where only the linker does.
plan_build() { # <tier> <name> <compiler> <meson options>...
	plan "$1" 38 "build $2" -- build "${@:2}"
	plan "$1" 20 "autotests $2" after "build $2" counted -- autotests "$2" fast
}
plan_build gate clang clang
plan_build gate gcc-shared gcc -Ddefault_library=shared
# One build for what debug builds check and for programs without shared libraries.
plan_build gate gcc-debug gcc -Dbuildtype=debug -Dcomch_debug=true -Dprefer_static=true
plan_build all gcc-static gcc -Dprefer_static=true
plan_build all clang-shared clang -Ddefault_library=shared
for name in clang gcc-debug; do
	plan all 120 "slow autotests $name" after "build $name" counted -- autotests $name slow
done
plan all 70 'build clang-sanitize' -- build clang-sanitize clang "${sanitize[@]}"
for how in fast slow; do
	plan all 77 "autotests clang-sanitize, $how" after 'build clang-sanitize' counted -- \
		with_sanitizers autotests clang-sanitize $how
done
plan all 45 'build clang-tsan' -- build clang-tsan clang "${tsan[@]}"
plan all 150 'autotests clang-tsan' after 'build clang-tsan' counted -- \
	with_tsan autotests_tsan clang-tsan
plan all 150 "autotests of the vendor's names, clang-tsan" after 'build clang-tsan' counted -- \
	with_tsan autotests_doca clang-tsan
plan all 100 'races on purpose are found' counted -- races_found

# Both directions, both layers, with threads and without.
plan_examples() { # <build> <wrapper>...
	local name=$1
	shift
	plan gate 1 "example fast_path, $name" after "build $name" -- "$@" \
		example fast_path "$name" -t 'from the card' -- -k -t 'from the host'
	plan gate 1 "example fast_path, event mode, $name" after "build $name" -- "$@" \
		example fast_path "$name" -e -- -e
	plan gate 1 "example secure_channel, $name" after "build $name" -- "$@" \
		example secure_channel "$name" -s 64 -n 200000 -- -s 65535 -n 2000
	plan gate 1 "example secure_channel, threads, $name" after "build $name" -- "$@" \
		example_threads secure_channel "$name" -s 64 -n 50000 -- -s 4096 -n 5000
	plan gate 3 "example msgq, $name" after "build $name" -- "$@" example_msgq "$name"
	plan gate 1 "example msgq, killed program, $name" after "build $name" -- "$@" \
		example_msgq_killed "$name"
	plan gate 2 "example doca: data path, $name" after "build $name" -- "$@" \
		doca_data_path "$name"
	plan gate 2 "example doca: endpoints, $name" after "build $name" -- "$@" \
		doca_cc "$name"
	plan gate 5 "example doca: bulk, $name" after "build $name" -- "$@" doca_bulk "$name"
	plan gate 3 "example doca: epoll, $name" after "build $name" -- "$@" doca_epoll "$name" 20000
	plan gate 10 "example doca: 256 clients, $name" after "build $name" -- "$@" \
		doca_threads "$name" 256
}
plan_examples gcc
plan gate 3 'example msgq, mistakes, gcc' after 'build gcc' -- example_msgq_errors gcc
plan gate 10 'message queues, every byte, gcc' after 'build gcc' -- msgq_short gcc
plan gate 10 'message queues, by a runner, gcc' after 'build gcc' -- msgq_runner gcc
plan gate 10 'message queues, wrong messages are found' after 'build gcc' -- msgq_mistakes gcc
plan all 60 'message queues, every byte of 100 000 000 each way' after 'build gcc' -- \
	msgq_long gcc
plan all 420 'a million wake-ups at message queues' after 'build gcc' counted -- msgq_wakes gcc
plan_examples gcc-sanitize with_sanitizers
plan gate 4 'example doca: control path, gcc-sanitize' after 'build gcc-sanitize' -- \
	with_sanitizers doca_ctrl_path gcc-sanitize

# The same programs, between two functions of a software BlueField.
plan gate 2 'example ctrl_path, bluefield' after 'build gcc' -- on_bluefield \
	example ctrl_path gcc -t 'from the card' -- -t 'from the host'
plan gate 2 'example fast_path, bluefield' after 'build gcc' -- on_bluefield \
	example fast_path gcc -t 'from the card' -- -k -t 'from the host'
plan gate 2 'example fast_path, event mode, bluefield' after 'build gcc' -- on_bluefield \
	example fast_path gcc -e -- -e
plan gate 2 'example secure_channel, bluefield' after 'build gcc' -- on_bluefield \
	example secure_channel gcc -s 64 -n 20000 -- -s 65535 -n 200
plan gate 5 'server of a lost device, bluefield' after 'build gcc' -- on_bluefield \
	server_device_lost "$work/gcc/app/dpdk-test-comch"
plan gate 3 'example doca: control path, bluefield' after 'build gcc' -- on_bluefield \
	doca_ctrl_path gcc
plan gate 3 'example doca: data path, bluefield' after 'build gcc' -- on_bluefield \
	doca_data_path gcc
plan gate 5 'example doca: epoll, bluefield' after 'build gcc' -- on_bluefield \
	doca_epoll gcc 2000
plan gate 2 'example doca: endpoints, bluefield' after 'build gcc' -- on_bluefield doca_cc gcc
plan gate 2 'example doca: bulk, bluefield' after 'build gcc' -- on_bluefield doca_bulk_sized gcc
plan gate 3 'example doca: 16 clients, bluefield' after 'build gcc' -- on_bluefield \
	doca_threads gcc 16

# What people try first, and what they are told.
plan all 22 "first hour with the vendor's names, gcc" after 'build gcc' counted -- \
	"$devtools/check-doca-first-hour.py" "$work/gcc"
plan gate 25 "first hour with the vendor's names, gcc-sanitize" after 'build gcc-sanitize' \
	counted -- with_sanitizers "$devtools/check-doca-first-hour.py" "$work/gcc-sanitize"

plan gate 1 'library folder of an install' after 'build gcc' -- library_folder
plan gate 5 'mistakes in INI files' after 'build gcc' -- config_errors
plan gate 5 'benchmark, options that are refused' after 'build gcc' -- test_comch_options
plan gate 20 'benchmark, Ctrl-C' after 'build gcc' -- test_comch_stopped
plan gate 5 'benchmark, a limit that is disturbed' after 'build gcc' -- test_comch_disturbed
plan gate 30 'INI file, two processes, and pictures' after 'build gcc' -- config_and_pictures
plan gate 17 'instructions per message' after 'build gcc' -- \
	"$devtools/count-instructions.sh" "$work/gcc"
plan gate 40 'barriers of queues that are left out are found' after 'build gcc' -- \
	"$devtools/check-barriers.sh"
plan gate 19 'compile for releases of DPDK' -- "$devtools/check-releases.sh" "$work"
plan all 9 'differences of releases are found' -- "$devtools/check-releases.sh" --prove "$work"
plan gate 65 'compile for aarch64' -- "$devtools/check-cross.sh" "$work"

plan gate 71 'installation' counted -- installation

plan gate 25 'card report' after 'build gcc' counted -- \
	"$devtools/test-card-report.sh" "$work" "$work/gcc"

# Clients of others, and ours on kernel VFIO, in a guest each.
for guest in rdma-core mlx5-core rc-pingpong dpdk messages iova; do
	plan gate 67 "guest: $guest" after 'build gcc' counted -- \
		env -u COMCH_QEMU "$devtools/qemu/test-$guest.sh" "$work/guest" "$work/gcc"
	# ... and once more with a QEMU that has vfio-user-pci, where there is one.
	[ -z "${COMCH_QEMU:-}" ] || plan gate 67 "guest: $guest, vfio-user-pci" \
		after 'build gcc' after "guest: $guest" counted -- \
		"$devtools/qemu/test-$guest.sh" "$work/guest" "$work/gcc"
done

plan gate 75 'fuzz targets, 40 s' counted -- "$devtools/fuzz.sh" 40 'fuzz_[!cm]*'
plan gate 65 'fuzz targets of completions and MADs, 60 s each' counted -- \
	"$devtools/fuzz.sh" 120 fuzz_cqe fuzz_mad
plan gate 55 'fuzz targets of the model, 30 s each' counted -- "$devtools/fuzz.sh" 60 'fuzz_model_*'
plan all 305 'fuzz targets, 5 min' counted -- "$devtools/fuzz.sh" 300

plan gate 20 'build without network' -- without_network
plan gate 6 'documentation, warnings are errors' -- build_docs

plan all 60 'orders of slots, those that take long' after 'build gcc' counted -- \
	autotest_rounds gcc 2 shm_slot_order_autotest:test_long
plan all 140 'lost wake-ups, 3 000 000 rounds' after 'build gcc' counted -- \
	autotest_rounds gcc 3000000 comch_event_autotest:test_no_wakeup_lost
plan all 26 'every byte of 100 000 000 messages' after 'build gcc' counted -- \
	autotest_rounds gcc 100000000 comch_fp_process_autotest:test_many_to_many

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
# The lcores that this process may use, at most four.
lcores=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 4 | paste -sd,)

run_steps

echo
if [ ${#only[@]} = 0 ]; then
	print_left_out gate all
fi
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s, logs in $logs"
[ $steps_done = yes ] || plan_die 'the plan was not done to its end: see the error above'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
