# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by test.sh: builds of the tree, the autotests of a build, and builds that
# other scripts make: installed, with DPDK's source, on a bare system.
#
# Uses $top, $work, $jobs, $lcores, pairs.sh, and $reuse: whether a build folder of an
# earlier run is taken where it has the same options.

# No hugepages, no PCI, a prefix of its own: runs anywhere, beside anything.
eal_args() { # <prefix> <lcores>
	echo --no-huge -m 256 --no-pci "--file-prefix=comch-test-$1-$$" --lcores "$2"
}

# Spares each build the fetching. A build that needs what could not be had fails by
# itself.
fetch_shared() {
	"$top/devtools/get-libvfio-user.sh" "$work" || true
}

# What was fetched once for all builds; what could not be had is not there.
seed_build() { # <name>
	mkdir -p "$work/$1"
	[ ! -d "$work/libvfio-user" ] || cp -r "$work/libvfio-user" "$work/$1/"
}

build() { # <name> <compiler> <meson options>...
	local name=$1 compiler=$2 cxx=g++ options
	# A kept folder would go on with the former defaults of the project.
	options="${*:2} $(cat "$top/meson.build" "$top/meson_options.txt" | sha1sum)"
	shift 2
	[ "$compiler" != clang ] || cxx=clang++
	if [ "$reuse" = no ] || [ "$(cat "$work/$name.options" 2>/dev/null)" != "$options" ] ||
		[ ! -e "$work/$name/build.ninja" ]; then
		rm -rf "${work:?}/$name" "$work/$name.options"
		seed_build "$name"
		CC=$compiler CXX=$cxx meson setup "$work/$name" "$top" -Dwerror=true "$@" || return 1
		echo "$options" >"$work/$name.options"
	fi
	ninja -j "$jobs" -C "$work/$name"
}

# shellcheck disable=SC2034 # for the plan
sanitize=('-Db_sanitize=address,undefined' -Db_lundef=false -Dbuildtype=debugoptimized)

# with_sanitizers <command>...: they end a program at the first finding.
with_sanitizers() {
	local -x ASAN_OPTIONS=detect_stack_use_after_return=1
	local -x UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
	local -x LSAN_OPTIONS=suppressions=$top/devtools/lsan.supp:print_suppressions=0
	"$@"
}

# shellcheck disable=SC2034 # for the plan
tsan=(-Db_sanitize=thread -Db_lundef=false -Dbuildtype=debugoptimized
	"-Dc_args=['-include', '$top/devtools/tsan.h']"
	-Dbluefield_model=disabled -Dcheck_includes=false -Dexamples=false)

# with_tsan <command>...: a program with a finding ends with an exit status of its own.
with_tsan() {
	local entries
	entries=$(grep -cE '^[a-z_]+:' "$top/devtools/tsan.supp") || true
	if [ "$entries" -gt 10 ]; then
		echo "devtools/tsan.supp has $entries entries, at most 10 are allowed"
		return 1
	fi
	# A test that forks goes on with threads in the child. A process of these is one
	# case: the second that each waits for late findings when it ends is most of its time.
	local -x TSAN_OPTIONS=suppressions=$top/devtools/tsan.supp:die_after_fork=0:history_size=4
	TSAN_OPTIONS+=:atexit_sleep_ms=100
	"$@"
}

# Suites that start processes, kill them and wait for time limits. They test the same
# whatever the linker does.
slow_suites='bluefield_bringup bluefield_chan bluefield_data_event bluefield_data_fail
bluefield_dev bluefield_ends bluefield_evil bluefield_evil_fw bluefield_evil_info
bluefield_fail bluefield_faults bluefield_faults_ends bluefield_faults_net bluefield_faults_peer
bluefield_group bluefield_gsi bluefield_hard_caps bluefield_hard_cmd
bluefield_hard_health bluefield_hard_irq bluefield_hard_msg bluefield_hard_share
bluefield_hard_vf bluefield_life bluefield_obj bluefield_obj_eal bluefield_obj_fail
bluefield_obj_mem bluefield_peer_fast bluefield_regress bluefield_report
bluefield_stranger comch_ending_lost comch_event comch_fp_process comch_fp_rest
comch_fp_stop comch_msgq comch_msgq_api comch_process comch_submit shm_dpa_bad
shm_dpa_evil shm_msgq_dma shm_msgq_flow shm_msgq_order shm_msgq_wake shm_peer_fast
shm_peer_fast_life shm_peer_fast_mem shm_peer_fast_stage shm_peer_host shm_peer_life
shm_peer_rest shm_peer_slow shm_peer_small shm_rest_order shm_slot_order'

# Two parts at one time, for suites that wait more than they compute. A second look at a
# suite is when both have ended.
autotests_in_two() { # <build> <suite>...
	local out i j pids=() lists=('' '') rc=0
	out=$(mktemp -d)
	for ((i = 2; i <= $#; i++)); do
		lists[i % 2]+=" ${!i}"
	done
	for j in 0 1; do
		# shellcheck disable=SC2086 # words on purpose
		part=-$j autotest_once "$1" ${lists[j]} >"$out/$j" 2>&1 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || rc=1
	done
	cat "$out"/[01] >"$out/all"
	# one that has not come to its last line has failed
	tail -qn 1 "$out"/[01] | awk '/^[0-9]+ passed, [0-9]+ failed/ {
			passed += $1; failed += $3; skipped += $5; parts++ }
		END { print passed + 0 " passed, " failed + 2 - parts " failed, " skipped + 0 \
			" skipped" }' >>"$out/all"
	cat "$out/all"
	if [ "$rc" != 0 ] && autotests_again "$1" "$out/all"; then
		rc=0
	fi
	rm -rf "$out"
	return $rc
}

# autotests <build> fast|slow: both together are all suites.
autotests() {
	local program=$work/$1/app/comch-autotest listed name suites=()
	# shellcheck disable=SC2046 # words on purpose
	listed=$("$program" $(eal_args "$1" "$lcores") --no-telemetry -- --list |
		grep -oE '^[a-z0-9_]+_autotest')
	for name in $slow_suites; do
		grep -qx "${name}_autotest" <<<"$listed" || {
			echo "slow suite $name is not in $program"
			return 1
		}
	done
	for name in $listed; do
		case " ${slow_suites//$'\n'/ } " in
		*" ${name%_autotest} "*) [ "$2" = fast ] || suites+=("$name") ;;
		*) [ "$2" = slow ] || suites+=("$name") ;;
		esac
	done
	if [ "$2" = slow ]; then
		autotests_in_two "$1" "${suites[@]}"
	else
		run_autotests "$1" "${suites[@]}"
	fi
}

# The suites of the BlueField driver where its software is not built: all cases that need
# it are skipped. Those that need it nowhere, and take long, are left out.
autotests_no_model() { # <build>
	local listed
	# shellcheck disable=SC2046 # words on purpose
	listed=$("$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") --no-telemetry -- --list |
		grep -oE '^bluefield_[a-z0-9_]*autotest' | grep -vE '_(args|evil.*|regress)_autotest')
	# shellcheck disable=SC2086 # words on purpose
	COMCH_BLUEFIELD_MODEL=/nowhere autotest_once "$1" ${listed//$'\n'/ }
}

# with_mock thread|inside <command>...: the driver of the tests tells of ends later.
with_mock() {
	local -x COMCH_TEST_MOCK=$1
	"${@:2}"
}

# Suites about devices of shm, or about the mock driver above a pair of shm: they do the
# same whatever devices the others run on. comch_msgq has programs beside devices of shm.
own_pair_suites='comch_devargs comch_reps comch_ending comch_ending_lost comch_hold_mock comch_msgq'

# Cases that a BlueField device cannot run: doc/guides/contributing/testing.rst says why.
bluefield_cannot='test_giant_message test_lost_on_the_way test_middle
test_more_than_there_is test_no_room test_post_reasons
test_stop_while_copied test_stop_while_copier_hangs test_threads_turn'

# Those that take longest there, which are left to --all.
bluefield_slow='comch_event comch_fp_many comch_fp_process comch_fp_rest comch_fp_stop
comch_fp_task comch_hold comch_ids comch_mem_many comch_process'

# functional_suites <build>: suites of the library that run on the devices of any driver.
functional_suites() {
	# shellcheck disable=SC2046 # words on purpose
	"$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") --no-telemetry -- --list |
		grep -oE '^comch_[a-z0-9_]*autotest' |
		grep -vxE "(${own_pair_suites// /|})_autotest"
}

# autotests_mock <build>: the functional suites, slow ones as well, above the mock driver.
autotests_mock() {
	local listed
	listed=$(functional_suites "$1")
	# shellcheck disable=SC2086 # words on purpose
	with_mock thread run_autotests "$1" ${listed//$'\n'/ }
}

# autotests_bluefield <build> fast|slow: the functional suites on a software BlueField, a
# process and a card for each; both together are all of them. It says what it leaves out,
# and fails if a case is skipped that such a device can run.
autotests_bluefield() {
	local out=$work/$1/autotests-bluefield-$2.out slow=${bluefield_slow//$'\n'/ } listed name counts left nb_passed=0 nb_failed=0
	local rc=0
	if [ "$2" = slow ]; then
		listed=$(functional_suites "$1" | grep -xE "(${slow// /|})_autotest")
	else
		listed=$(functional_suites "$1" | grep -vxE "(${slow// /|})_autotest")
	fi
	: >"$out"
	for name in $listed; do
		on_bluefield run_autotests "$1" "$name" 2>&1 | tee "$out.one" || rc=1
		cat "$out.one" >>"$out"
		counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$out.one" | tail -n 1) || true
		read -r nb_passed nb_failed < <(awk -v passed="$nb_passed" -v failed="$nb_failed" \
			'{ print passed + $1, failed + ($3 == "" ? 1 : $3) }' <<<"$counts")
	done
	left=$(sed -nE 's/^ \+ TestCase .* : (\w+) skipped: .*/\1/p' "$out" | sort -u)
	if [ -n "$left" ] && grep -vxFf <(tr ' ' '\n' <<<"$bluefield_cannot") <<<"$left"; then
		echo 'what was skipped is not what a BlueField device cannot run'
		rc=1
	fi
	if [ "$(grep -c '^once failed: ' "$out")" -gt 4 ]; then
		echo 'too many cases needed a second look'
		nb_failed=$((nb_failed + 1))
		rc=1
	fi
	echo "$nb_passed passed, $nb_failed failed"
	return $rc
}

# Suites that are not for ThreadSanitizer. It sees one process, and so not what the
# other one of comch_process, comch_fp_process and comch_msgq has acquired and released
# between two accesses of this one. shm_peer_fast counts mappings, which app/test/test_tsan.c
# makes fewer. The others are of another driver.
not_tsan_suites='comch_msgq comch_process comch_fp_process shm_peer_fast bluefield_.*'

autotests_tsan() { # <build>
	local listed
	# shellcheck disable=SC2046 # words on purpose
	listed=$("$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") --no-telemetry -- --list |
		grep -oE '^[a-z0-9_]+_autotest' | grep -vxE "(${not_tsan_suites// /|})_autotest")
	# shellcheck disable=SC2086 # words on purpose
	run_autotests "$1" ${listed//$'\n'/ }
}

# Does the compiler's ThreadSanitizer, with what we tell it, find anything at all? Puts
# each race of devtools/tsan-races into a copy of the tree, and wants it found: by the
# fifth look, as it sees two accesses only if no other order lies between them.
races_found() {
	local name=tsan-races race suites look found=0 missed=0
	local dir=$work/$name tree=$work/$name-tree
	rm -rf "$dir" "$tree"
	mkdir -p "$tree"
	# shellcheck source-path=SCRIPTDIR source=../tree-files.sh
	(cd "$top" && . devtools/tree-files.sh && tree_files '*' &&
		cp --parents -P -t "$tree" "${files[@]}")
	seed_build $name
	CC=clang CXX=clang++ meson setup "$dir" "$tree" -Dwerror=true "${tsan[@]}"
	for race in "$top"/devtools/tsan-races/*.patch; do
		patch -d "$tree" -p1 <"$race"
		ninja -j "$jobs" -C "$dir" app/comch-autotest
		suites=$(sed -n 's/^Test: //p' "$race")
		# shellcheck disable=SC2086 # words on purpose
		for ((look = 1; look <= 5; look++)); do
			with_tsan autotest_once $name $suites >"$dir/out" 2>&1 || true
			! grep -q 'WARNING: ThreadSanitizer: data race' "$dir/out" || break
		done
		if [ $look -le 5 ]; then
			found=$((found + 1))
			grep 'SUMMARY: ThreadSanitizer' "$dir/out" | sort | uniq -c
		else
			missed=$((missed + 1))
			cat "$dir/out"
			echo "not found: $(sed -n 's/^Race: //p' "$race")"
		fi
		patch -d "$tree" -p1 -R <"$race"
	done
	echo "$found passed, $missed failed"
	[ $missed = 0 ]
}

# run_autotests <build> <suite>...: a suite with a failed case runs again, alone.
run_autotests() {
	local out rc=0
	out=$(mktemp)
	autotest_once "$@" 2>&1 | tee "$out" || rc=${PIPESTATUS[0]}
	if [ "$rc" != 0 ] && autotests_again "$1" "$out"; then
		rc=0
	fi
	rm -f "$out"
	return "$rc"
}

autotest_once() { # <build> <suite>...
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 10 900 "$work/$1/app/comch-autotest" $(eal_args "$1${part:-}" "$lcores") -- \
		"${@:2}"
}

# Many suites wait, and time what they wait for. Where a machine stops for a second, a
# case fails that is right. So each suite with a failed case runs three times more,
# alone: if all three pass, the step passes, and says which case had failed. More than
# four such suites, a process that died, a case that fails again: all of that fails.
autotests_again() { # <build> <output>
	local counts nb_passed nb_failed failed_cases suites suite i
	counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$2" | tail -n 1)
	nb_passed=${counts%% passed*}
	nb_failed=${counts##*passed, }
	nb_failed=${nb_failed%% failed*}
	failed_cases=$(awk '/^[a-z0-9_]+_autotest$/ { suite = $1 }
		/TestCase \[ *[0-9]+\] : [a-zA-Z0-9_]+ failed/ {
			sub(/.*TestCase \[ *[0-9]+\] : /, ""); print suite, $1 }' "$2")
	mapfile -t suites < <(cut -d ' ' -f 1 <<<"$failed_cases" | sort -u)
	# without a last line, or with a failure outside of the cases, there is no again
	if [ -z "$counts" ] || [ "$(wc -l <<<"$failed_cases")" != "$nb_failed" ] ||
		[ ${#suites[@]} -gt 4 ]; then
		return 1
	fi
	for suite in "${suites[@]}"; do
		for ((i = 1; i <= 3; i++)); do
			echo "$suite, again and alone, $i of 3"
			autotest_once "$1" "$suite" 2>&1 || {
				echo "$counts"
				return 1
			}
		done
	done
	while read -r suite i; do
		echo "once failed: $i of $suite, then passed 3 times alone"
	done <<<"$failed_cases"
	echo "$((nb_passed + nb_failed)) passed, 0 failed${counts#* failed}"
}

# Those of lib/doca_compat, in parts at one time: most of them wait for EAL to start.
autotests_doca() { # <build>
	local program=$work/$1/app/doca-compat-autotest parts=4 i pids=() logs passed failed
	[ -x "$program" ] || {
		echo 'lib/doca_compat is not built here'
		return 77
	}
	logs=$(mktemp -d)
	for ((i = 1; i <= parts; i++)); do
		DOCA_TEST_SHARD=$i/$parts timeout -k 10 900 "$program" >"$logs/$i" 2>&1 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || true # its last line says how it went
	done
	cat "$logs"/*
	# one that has not come to its last line has failed
	read -r passed failed < <(tail -qn 1 "$logs"/* | awk -v parts=$parts '
		/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3; parts-- }
		END { print passed + 0, failed + parts }')
	rm -rf "$logs"
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

# autotest_rounds <build> <rounds> <suite>...: those that take their number of
# rounds from the environment.
autotest_rounds() {
	COMCH_TEST_ROUNDS=$2 run_autotests "$1" "${@:3}"
}

# --------------------------------------------------------------------------

installation() {
	seed_build install-test
	"$top/devtools/test-install.sh" "$work/install-test"
}

# The installed release: the test of other releases is tested with it.
release_from_source() {
	local d=$work
	# EAL loads drivers from there.
	while [ "$d" != / ]; do
		[ -z "$(find "$d" -maxdepth 0 -perm -o+w)" ] || {
			echo "all may write to $d, and EAL takes no drivers below it"
			return 77
		}
		d=$(dirname "$d")
	done
	"$top/devtools/get-dpdk-source.sh" "$work/dpdk-source"
	"$top/devtools/test-release.sh" "$work/dpdk-source/tree" "$work/release"
}

# A user's build fetches nothing that it cannot do without, and no warning ends it. DPDK's
# driver headers are declared in the tree, and a release whose are not is refused.
without_network() {
	local dir=$work/offline offline=(unshare --net)
	[ "$(id -u)" = 0 ] || offline+=(--map-root-user)
	"${offline[@]}" true || {
		echo 'no network namespace can be made here'
		return 77
	}
	rm -rf "$dir"
	mkdir -p "$dir"
	"${offline[@]}" meson setup "$dir/build" "$top" | tee "$dir/log"
	grep -q 'app/bluefield-model *: libvfio-user not to be had' "$dir/log"
	! grep -o -m 1 -e '.* -Werror\>.*' "$dir/build/build.ninja" || return 1
	if grep -q 'driver headers *: installed with DPDK' "$dir/log"; then
		echo 'DPDK has its driver headers here: what is declared in the tree is not used'
		return 77
	fi

	sed -e 's/^Version:.*/Version: 99.11.0/' -e "s|^Cflags:|& -I$dir|" \
		"$(pkg-config --variable=pcfiledir libdpdk)/libdpdk.pc" >"$dir/libdpdk.pc"
	printf '%s\n' '#include_next <rte_build_config.h>' '#undef RTE_VER_YEAR' \
		'#define RTE_VER_YEAR 99' >"$dir/rte_build_config.h"
	! PKG_CONFIG_PATH=$dir meson setup "$dir/unknown" "$top" >"$dir/log" || return 1
	grep 'DPDK 99.11.0 came without its driver headers' "$dir/log"
	grep 'Either build DPDK with -Denable_driver_sdk=true' "$dir/log"
}

bare_debian() { # <suite>
	if [ "$(id -u)" != 0 ]; then
		echo 'only root can install a Debian and change into it'
		return 77
	fi
	"$top/devtools/test-bare.sh" "$work/bare-$1" "$1"
}
