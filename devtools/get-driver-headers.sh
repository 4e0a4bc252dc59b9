#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: get-driver-headers.sh <build folder> [DPDK version]
#
# Puts DPDK's driver headers into <build folder>/dpdk-sdk/include and prints
# where they come from. Debian's libdpdk-dev exports what they declare but does
# not carry them, so they are taken from the source package of the very version
# that is installed. For check-driver-headers.sh, and for builds with a release that
# buildtools/dpdk/driver does not declare.
#
# Works as an ordinary user: apt gets a configuration, lists and cache of its
# own under the build folder; nothing outside of that folder is written. A
# second run finds the stamp and does nothing. The headers are never committed.

set -euo pipefail

wanted='dev_driver.h bus_driver.h bus_vdev_driver.h bus_pci_driver.h ethdev_driver.h'

die() {
	echo "get-driver-headers: $*" >&2
	exit 1
}

[ $# -ge 1 ] || die 'usage: get-driver-headers.sh <build folder> [DPDK version]'
mkdir -p "$1"
sdk=$(cd "$1" && pwd)/dpdk-sdk
upstream=${2:-$(pkg-config --modversion libdpdk)}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	die 'this is no Debian system: no source package to take the headers from'
fi
# shellcheck disable=SC2016 # the fields are dpkg's
installed=$(dpkg-query -W -f '${source:Package} ${source:Version}' libdpdk-dev 2>/dev/null) ||
	die 'package libdpdk-dev is not installed'
read -r package version <<<"$installed"
case $version in
"$upstream"[-+~]* | *:"$upstream"[-+~]*) ;;
*) die "pkg-config finds DPDK $upstream, but package libdpdk-dev is $version" ;;
esac

stamp=$sdk/stamp
origin="source package $package $version"
mkdir -p "$sdk"
if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$origin" ]; then
	echo "$origin"
	exit 0
fi

work=$sdk/work
rm -rf "$work" "$stamp"
mkdir -p "$work/include"
trap 'rm -rf "$work"' EXIT
"$(dirname "$0")/get-dpdk-source.sh" "$work" '*/lib/*.h' '*/drivers/bus/*.h' >/dev/null

# The wanted headers, and what they include that is not installed either.
includes=$(pkg-config --cflags-only-I libdpdk)
installed_header() {
	local d
	for d in $includes; do
		[ ! -e "${d#-I}/$1" ] || return 0
	done
	[ -e "/usr/include/$1" ]
}
queue=$wanted
while [ -n "$queue" ]; do
	more=
	for h in $queue; do
		[ ! -e "$work/include/$h" ] || continue
		from=$(find "$work/tree/lib" "$work/tree/drivers/bus" -name "$h" | head -n 1)
		[ -n "$from" ] || die "$h is not in $origin"
		cp "$from" "$work/include/"
		while read -r i; do
			if [ -n "$(find "$work/tree" -name "$i" -print -quit)" ] && ! installed_header "$i"; then
				more="$more $i"
			fi
		done < <(sed -n 's/^[ \t]*#[ \t]*include[ \t]*[<"]\([^>"]*\)[>"].*/\1/p' "$from")
	done
	queue=$more
done

rm -rf "$sdk/include"
mv "$work/include" "$sdk/include"
echo "$origin" >"$stamp"
echo "$origin"
