#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: get-qemu-source.sh <build folder>
#
# Puts the tarballs of Debian's QEMU source package into <build folder>/qemu-source
# and prints that folder. The version is that of the installed qemu-system-x86,
# because its ABI is what the shim is compiled for; where it is not installed, the
# one that apt would install. The file "version" there names package and version.
#
# The package also carries libvfio-user (subprojects/libvfio-user), which Debian
# has no package of.
#
# Works as an ordinary user: apt gets a configuration, lists and cache of its
# own under the build folder; nothing outside of that folder is written. A
# second run finds the stamp and does nothing. The sources are never committed.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=../private-apt.sh
. "$(dirname "$0")/../private-apt.sh"

binary=qemu-system-x86

die() {
	echo "get-qemu-source: $*" >&2
	exit 1
}

[ $# -eq 1 ] || die 'usage: get-qemu-source.sh <build folder>'
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	die 'this is no Debian system: no source package to take'
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)/qemu-source
mkdir -p "$out"
# Two runs in one build folder: the second waits, and finds the work done.
exec 9>"$out/lock"
flock 9

work=$out/work

# source_of_candidate [apt-cache options]: "<source package> <its version>"
source_of_candidate() {
	LC_ALL=C apt-cache "$@" --no-all-versions show $binary 2>/dev/null | awk '
		$1 == "Package:" && n++ { exit }
		$1 == "Version:" { version = $2; sub(/\+b[0-9]+$/, "", version) }
		$1 == "Source:" {
			name = $2
			if (NF > 2) { own = $3; gsub(/[()]/, "", own) }
		}
		END {
			if (version != "")
				print (name ? name : "'$binary'"), (own ? own : version)
		}'
}

# shellcheck disable=SC2016 # the fields are dpkg's
origin=$(dpkg-query -W -f '${db:Status-Status} ${source:Package} ${source:Version}' \
	$binary 2>/dev/null | sed -n 's/^installed //p') || true
[ -n "$origin" ] || origin=$(source_of_candidate) || true
if [ -z "$origin" ] && [ ! -e "$out/version" ]; then
	# No package lists on this machine, as in container images: private ones.
	rm -rf "$work"
	mkdir -p "$work"
	apt_init "$work/apt" deb
	apt_run update >"$work/log" 2>&1 || true # a foreign source may fail
	origin=$(source_of_candidate "${private_apt[@]}") || true
	[ -n "$origin" ] || {
		cat "$work/log" >&2
		die "apt knows no package $binary"
	}
elif [ -z "$origin" ]; then
	origin=$(cat "$out/version")
fi
read -r package version <<<"$origin"

if [ -e "$out/version" ] && [ "$(cat "$out/version")" = "$origin" ]; then
	echo "$out"
	exit 0
fi

rm -rf "$work" "$out"/*.tar.* "$out"/*.dsc "$out/version"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
apt_source "$work" "$package=$version" ||
	die "apt has no source package $package $version: install the current $binary" \
		"(apt-get update; apt-get install $binary) and try again"

for kind in orig debian; do
	[ -n "$(find "$work/source" -name "*.$kind.tar.*" ! -name '*.asc')" ] ||
		die "no $kind tarball in source package $package $version"
done
mv "$work"/source/* "$out/"
echo "$origin" >"$out/version"
echo "$out"
