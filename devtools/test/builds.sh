# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by test.sh: builds of the tree, the autotests of a build, and builds that
# other scripts make: installed, with DPDK's source, on a bare system.
#
# Uses $top, $work, $jobs, $lcores, and $reuse: whether a build folder of an
# earlier run is taken where it has the same options.

# No hugepages, no PCI, a prefix of its own: runs anywhere, beside anything.
eal_args() { # <prefix> <lcores>
	echo --no-huge -m 256 --no-pci "--file-prefix=comch-test-$1-$$" --lcores "$2"
}

# Spares each build the fetching. A build that needs what could not be had fails by
# itself.
fetch_shared() {
	"$top/devtools/get-driver-headers.sh" "$work" || true
	"$top/devtools/get-libvfio-user.sh" "$work" || true
}

# What was fetched once for all builds; what could not be had is not there.
seed_build() { # <name>
	local what
	mkdir -p "$work/$1"
	for what in dpdk-sdk libvfio-user; do
		[ ! -d "$work/$what" ] || cp -r "$work/$what" "$work/$1/"
	done
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
		CC=$compiler CXX=$cxx meson setup "$work/$name" "$top" "$@" || return 1
		echo "$options" >"$work/$name.options"
	fi
	ninja -j "$jobs" -C "$work/$name"
}

# shellcheck disable=SC2034 # for the plan
sanitize=('-Db_sanitize=address,undefined' -Db_lundef=false -Dbuildtype=debugoptimized)

# with_sanitizers <command>...: they end a program at the first finding.
with_sanitizers() {
	local -x UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
	local -x LSAN_OPTIONS=suppressions=$top/devtools/lsan.supp:print_suppressions=0
	"$@"
}

# Suites that start processes, kill them and wait for time limits. They test the same
# whatever the linker does.
slow_suites='bluefield_bringup bluefield_evil bluefield_evil_fw bluefield_evil_info
bluefield_fail bluefield_obj bluefield_obj_fail bluefield_regress
comch_event comch_fp_process comch_fp_stop comch_process
shm_peer_fast shm_peer_fast_life shm_peer_fast_mem shm_peer_host shm_peer_life'

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
	run_autotests "$1" "${suites[@]}"
}

run_autotests() { # <build> <suite>...
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 10 900 "$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") -- "${@:2}"
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

bare_debian() {
	if [ "$(id -u)" != 0 ]; then
		echo 'only root can install a Debian and change into it'
		return 77
	fi
	"$top/devtools/test-bare.sh" "$work/bare"
}
