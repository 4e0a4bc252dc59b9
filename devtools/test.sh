#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Builds and tests everything, with no argument and with no card. --help has the
# options, the table below says what is done. What a build runs is in
# devtools/test/meson.build. Works in build-test/ only, the output is in build-test/logs/.
# The last line is "N passed, N failed": every case of an autotest counts as one, and so
# does every other test and every build.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
work=$top/build-test
logs=$work/logs
# shellcheck source-path=SCRIPTDIR source=test/builds.sh
. "$top/devtools/test/builds.sh"

usage() {
	cat <<-EOF_USAGE
		usage: test.sh [--quick | --all | --only PATTERN...] [--fresh] [--list]
		  (no option)     the gate: what CI runs, 35 minutes on two quiet cores at most
		  --quick         for people between two edits, 10 minutes; keeps its builds
		  --all           the gate, and what takes long: two hours
		  --only PATTERN  the builds of that name with all of their tests, or the tests of
		                  that name in the build gcc; may have '*', may be repeated, keeps
		                  its builds
		  --fresh         with --quick or --only: builds from nothing
		  --list          only lists the builds with what they run, and the tests of gcc
		Builds are in build-test/, the output of each test in build-test/logs/, of --only
		in build-test/logs-only/.
	EOF_USAGE
}

# The smallest tier, the build, and what it runs. What differs in the compiler and the
# linker alone runs its suites in --all.
table='
quick gcc               --suite quick
quick gcc-sanitize      --suite quick --no-suite checks
gate  gcc               --suite gate --no-suite quick
gate  gcc-sanitize      --suite gate --no-suite quick --no-suite checks
gate  clang-shared
all   gcc               --suite all --no-suite gate
all   gcc-sanitize      --suite all --no-suite gate --no-suite checks
all   gcc-debug         --suite fast --suite slow
all   clang-shared      --suite fast --suite slow
all   gcc-shared        --suite fast
all   gcc-static        --suite fast
all   clang-sanitize    --suite fast --suite slow
all   clang-tsan        --suite fast --suite slow --suite doca --suite races
'

options_of() { # <build>
	options=(-Dwerror=true)
	case $1 in
	gcc) options+=(-Dbluefield_model=enabled) ;;
	gcc-debug) options+=(-Dbuildtype=debug -Dcomch_debug=true -Dprefer_static=true) ;;
	clang-shared) options+=(-Ddefault_library=shared -Doptimization=1) ;;
	*-shared) options+=(-Ddefault_library=shared) ;;
	*-static) options+=(-Dprefer_static=true) ;;
	# with all checks that there are; optimized less, as these builds take longest
	*-sanitize) options+=('-Db_sanitize=address,undefined' -Db_lundef=false
		-Dcomch_debug=true -Dbuildtype=debugoptimized -Doptimization=1) ;;
	*-tsan) options+=("${tsan[@]}") ;;
	esac
}

build() { # <name>
	local dir=$work/$1 compiler=${1%%-*} cxx=g++ options stamp
	options_of "$1"
	# A kept folder would go on with the former defaults of the project.
	stamp="${options[*]} $(cat "$top/meson.build" "$top/meson_options.txt" | sha1sum)"
	[ "$compiler" != clang ] || cxx=clang++
	if [ "$reuse" = no ] || [ "$(cat "$dir.options" 2>/dev/null)" != "$stamp" ] ||
		[ ! -e "$dir/build.ninja" ]; then
		rm -rf "$dir" "$dir.options"
		mkdir -p "$dir"
		# fetched once for all builds; what could not be had is not there
		[ ! -d "$work/libvfio-user" ] || cp -r "$work/libvfio-user" "$dir/"
		CC=$compiler CXX=$cxx meson setup "$dir" "$top" "${options[@]}" || return 1
		echo "$stamp" >"$dir.options"
	fi
	ninja -C "$dir"
}

die() {
	echo "test: $*" >&2
	exit 2
}

# run <name> <command>...: in a group of processes that ends with this script.
run() {
	local rc=0 begin=$SECONDS log counts
	log=$logs/${1//[^A-Za-z0-9.+-]/_}.log
	printf '%-60s ' "$1"
	set -m
	"${@:2}" >"$log" 2>&1 </dev/null 9>&- &
	set +m
	wait $! || rc=$?
	counts=$(tail -n 1 "$log" | grep -xE '[0-9]+ passed, [0-9]+ failed') ||
		counts="$((!rc)) passed, $((!!rc)) failed"
	[ $rc = 0 ] || [[ $counts != *" 0 failed" ]] || counts="${counts% 0 failed} 1 failed"
	printf '%4d s  %s\n' $((SECONDS - begin)) "$counts"
	passed=$((passed + ${counts%% *}))
	counts=${counts#*, }
	failed=$((failed + ${counts%% *}))
	[ "$rc $counts" = '0 0 failed' ] || tail -n 60 "$log" | sed 's/^/    | /'
	# what was left out, and why, and what passed at a second look
	[ "$counts" != '0 failed' ] ||
		sed -nE 's/^([^:]*: |    .*)(skipped|once failed): /    &/p' "$log" | head -n 40
	return $rc
}

declare -A built
run_row() { # <build> <argument of meson test>...
	if [ -z "${built[$1]-}" ]; then
		built[$1]=failed
		! run "build $1" build "$1" || built[$1]=good
	fi
	if [ "${built[$1]}" = failed ]; then
		echo "not run, as the build has failed: $*"
	elif [ $# -gt 1 ]; then
		run "$*" "$top/devtools/test/run-suites.py" "$work/$1" "$logs/$1" "${@:2}" || true
	fi
}

tier=
only=()
fresh=no
list=no
while [ $# -gt 0 ]; do
	case $1 in
	--quick | --all)
		[ -z "$tier" ] || die '--quick and --all are two tiers: give one'
		tier=${1#--}
		;;
	--only)
		[ -n "${2:-}" ] || die '--only needs a pattern; --list shows what there is'
		only+=("$2")
		shift
		;;
	--fresh) fresh=yes ;;
	--list) list=yes ;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		usage >&2
		die "'$1'?"
		;;
	esac
	shift
done
[ ${#only[@]} = 0 ] || [ -z "$tier" ] || die '--only takes all tiers: leave --quick and --all out'
if [ $list = yes ]; then
	echo "tier  build             arguments of meson test$table"
	[ -e "$work/gcc/build.ninja" ] || echo "build 'gcc' first to have its tests here as well"
	[ ! -e "$work/gcc/build.ninja" ] || meson test -C "$work/gcc" --no-rebuild --list
	exit 0
fi
# A fresh folder proves more, and an old one is faster.
reuse=no
[ $fresh = yes ] || [[ $tier != quick && ${#only[@]} = 0 ]] || reuse=yes
[ ${#only[@]} = 0 ] || logs=$work/logs-only

"$top/devtools/setup.sh" test
if ! mkdir -p "$work" || [ ! -w "$work" ]; then
	die "cannot write to $work: remove it, or take a clone of your own"
fi
# Two runs in one tree would take each other's folders away.
exec 9>"$work/lock"
flock -n 9 || die "another test.sh runs in $work"
rm -rf "$logs"
mkdir -p "$logs"
trap 'trap - HUP INT TERM; kill -- "-$!" 2>/dev/null || true; wait
	echo "broken off; logs are in $logs"; exit 143' HUP INT TERM
passed=0
failed=0
# Spares each build the fetching. One that needs what could not be had fails by itself.
"$top/devtools/get-libvfio-user.sh" "$work" >"$logs/fetch.log" 2>&1 || true

of_gcc=()
for pattern in "${only[@]}"; do
	found=no
	while read -r _ name args; do
		# shellcheck disable=SC2053,SC2086 # a pattern and words on purpose
		if [ -n "$name" ] && [[ $name == $pattern ]]; then
			found=yes
			run_row "$name" $args
		fi
	done <<<"$table"
	[ $found = yes ] || of_gcc+=("$pattern")
done
[ ${#of_gcc[@]} = 0 ] || run_row gcc "${of_gcc[@]}"
left=
qemu=${COMCH_QEMU:-}
if [ ${#only[@]} = 0 ]; then
	unset COMCH_QEMU
	while read -r row name args; do
		case ${tier:-gate}-$row in
		*-) continue ;;
		quick-gate | quick-all | gate-all)
			left+="$name ${args:-build} ($row); "
			continue
			;;
		esac
		# shellcheck disable=SC2086 # words on purpose
		run_row "$name" $args
	done <<<"$table"
	# The guests once more with a QEMU that has vfio-user-pci, where there is one.
	[ "$tier" = quick ] || [ -z "$qemu" ] || COMCH_QEMU=$qemu run_row gcc --suite guests
fi

[ -z "$left" ] || fold -s -w 100 <<<"left to other tiers: $left"
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s, logs in $logs"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
