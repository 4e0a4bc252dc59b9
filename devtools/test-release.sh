#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-release.sh <DPDK source folder> [work folder]
#
# Tests the tree with a release of DPDK of which you have the source: builds the
# parts of DPDK that the tree uses, installs them in a prefix below the work
# folder (default: build-release/<version> at the top of the tree), builds the
# tree with shared and with static libraries of DPDK, and runs the autotests: all
# of them with the shared ones, one suite with the static ones.
#
# Writes nothing outside of the work folder. A second run builds only what has
# changed. The last lines are the version of DPDK, and "N passed, N failed".

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)

die() {
	echo "test-release: $*" >&2
	exit 1
}

if [ $# -lt 1 ] || [ $# -gt 2 ] || [[ $1 == -* ]]; then
	echo 'usage: test-release.sh <DPDK source folder> [work folder]' >&2
	exit 2
fi
[ -d "$1" ] || die "there is no folder $1"
dpdk=$(cd "$1" && pwd)
if [ ! -f "$dpdk/VERSION" ] || [ ! -f "$dpdk/meson.build" ] || [ ! -d "$dpdk/lib/eal" ]; then
	die "$dpdk is not DPDK's source: no VERSION, meson.build or lib/eal there"
fi
version=$(head -n 1 "$dpdk/VERSION")
year=${version%%.*}
if [[ ! $year =~ ^[0-9]+$ ]] || [ "$year" -lt 22 ]; then
	die "$dpdk is DPDK $version, and the tree needs 22.11 or later"
fi
for tool in meson ninja pkg-config gcc; do
	command -v $tool >/dev/null || die "there is no $tool; see devtools/setup.sh test"
done
python3 -c 'import elftools' 2>/dev/null ||
	die "$(command -v python3 || echo python3), the first of PATH, has no module elftools, which DPDK's build needs: run devtools/setup.sh test, and put /usr/bin first in PATH"

mkdir -p "${2:-$top/build-release/$version}"
work=$(cd "${2:-$top/build-release/$version}" && pwd)
prefix=$work/prefix
logs=$work/logs
mkdir -p "$logs"

# EAL loads its drivers from the prefix, and takes none that all may replace.
d=$work
while [ "$d" != / ]; do
	[ -z "$(find "$d" -maxdepth 0 -perm -o+w)" ] ||
		die "all may write to $d, and EAL takes no drivers below it: give another work folder"
	d=$(dirname "$d")
done

# step <name> <command>...: its output goes to a log, of which a failure shows the end.
log=
step() {
	local name=$1 start=$SECONDS rc=0
	shift
	log=$logs/${name//[^a-zA-Z0-9]/-}.log
	printf '%-46s' "$name"
	"$@" >"$log" 2>&1 </dev/null || rc=$?
	if [ $rc = 0 ]; then
		printf ' ok      %4d s\n' $((SECONDS - start))
	else
		printf ' FAILED  %4d s\n' $((SECONDS - start))
		tail -n 20 "$log"
		echo "see $log"
	fi
	return $rc
}

# --------------------------------------------------------------------------
# DPDK

# Is there such an option in this release?
has_option() {
	grep -qs "^option('$1'" "$dpdk/meson_options.txt" "$dpdk/meson.options"
}

# Of the libraries, those that the tree links; others only where the release has
# no option for that. Where it has to be told what to leave out: lib/meson.build
# has a list of what can be.
dpdk_options() {
	local optional
	echo "-Dprefix=$prefix"
	echo -Dlibdir=lib
	echo -Dbuildtype=release
	! has_option enable_driver_sdk || echo -Denable_driver_sdk=true
	! has_option tests || echo -Dtests=false
	! has_option examples || echo -Dexamples=
	! has_option enable_docs || echo -Denable_docs=false
	! has_option disable_apps || echo '-Ddisable_apps=*'
	! has_option enable_drivers || echo -Denable_drivers=bus/pci,bus/vdev,mempool/ring
	if has_option enable_libs; then
		echo -Denable_libs=cfgfile
	elif has_option disable_libs; then
		optional=$(sed -n "/^optional_libs/,/^]/s/^ *'\([a-z_0-9]*\)'.*/\1/p" \
			"$dpdk/lib/meson.build" | grep -vx cfgfile | paste -sd,)
		echo "-Ddisable_libs=$optional"
	fi
}

setup_dpdk() {
	local options
	mapfile -t options < <(dpdk_options)
	# another source, or another way to build it
	if [ "$(cat "$work/dpdk.stamp" 2>/dev/null)" != "$version $dpdk ${options[*]}" ]; then
		rm -rf "$work/dpdk" "$work/dpdk.stamp" "$prefix"
		meson setup "$work/dpdk" "$dpdk" "${options[@]}" || return 1
		echo "$version $dpdk ${options[*]}" >"$work/dpdk.stamp"
	fi
}

build_dpdk() {
	ninja -C "$work/dpdk" && meson install -C "$work/dpdk" --no-rebuild
}

# --------------------------------------------------------------------------
# The tree

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# Another DPDK, found first, would be tested in its place.
found_dpdk() {
	local found
	found=$(pkg-config --variable=prefix libdpdk)
	echo "pkg-config finds DPDK $(pkg-config --modversion libdpdk) in $found"
	[ "$found" = "$prefix" ]
}

driver_headers() {
	"$top/devtools/check-driver-headers.sh" "$work/driver-headers"
}

build_tree() { # <name> [<meson option>...]
	local name=$1
	shift
	if [ ! -f "$work/$name/build.ninja" ]; then
		rm -rf "${work:?}/$name"
		meson setup "$work/$name" "$top" -Dwerror=true "$@" || return 1
	else
		meson setup --reconfigure "$work/$name" "$top" "$@" || return 1
	fi
	ninja -C "$work/$name"
}

passed=0
failed=0

autotests() { # <name> [<suite>...]
	local name=$1 counts rc=0
	shift
	step "autotests, $name" timeout -k 10 1200 "$work/$name/app/comch-autotest" --no-huge -m 256 \
		--no-pci "--file-prefix=comch-release-$$" --lcores "$lcores" -- "$@" || rc=1
	counts=$(grep -Eo '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 || true)
	if [ -z "$counts" ]; then
		failed=$((failed + 1))
		return
	fi
	echo "  $counts"
	passed=$((passed + ${counts%% passed*}))
	counts=${counts##*, }
	counts=${counts%% failed*}
	# it can also die after the last test
	[ $rc = 0 ] || [ "$counts" != 0 ] || counts=1
	failed=$((failed + counts))
}

# The lcores that this process may use, at most four.
lcores=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 4 | paste -sd,)

echo "DPDK $version of $dpdk, in $work"
if step "set up DPDK $version" setup_dpdk &&
	step "build and install DPDK $version" build_dpdk &&
	step 'pkg-config finds it' found_dpdk &&
	step 'compare the declared driver headers' driver_headers &&
	step 'build the tree, shared DPDK' build_tree shared &&
	step 'build the tree, static DPDK' build_tree static -Dprefer_static=true; then
	autotests shared
	autotests static comch_autotest
else
	failed=1
fi

echo "DPDK $version"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
