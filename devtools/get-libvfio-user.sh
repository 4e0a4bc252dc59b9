#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: get-libvfio-user.sh <build folder>
#
# Puts the sources of libvfio-user into <build folder>/libvfio-user and prints
# where they come from. Debian has no package of the library, but its QEMU source
# package carries it.
#
# Works as an ordinary user; nothing outside of the build folder is written. A
# second run finds the stamp and does nothing, and the folder may be copied to
# another build. The sources are never committed.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

die() {
	echo "get-libvfio-user: $*" >&2
	exit 1
}

[ $# -eq 1 ] || die 'usage: get-libvfio-user.sh <build folder>'
mkdir -p "$1"
build=$(cd "$1" && pwd)
out=$build/libvfio-user
stamp=$out/stamp
mkdir -p "$out"
# Two runs in one build folder: the second waits, and finds the work done.
exec 9>"$out/lock"
flock 9
if [ -e "$stamp" ]; then
	cat "$stamp"
	exit 0
fi

# Quiet unless it fails: the last line of the output is the folder.
log=$("$here/qemu/get-qemu-source.sh" "$build" 9>&-) || die "no QEMU source package"
qemu=$(tail -n 1 <<<"$log")
tarball=$(find "$qemu" -name 'qemu_*.orig.tar.*' ! -name '*.asc' | head -n 1)
[ -n "$tarball" ] || die "no upstream tarball in $qemu"
read -r package version <"$qemu/version"

work=$out/work
rm -rf "$work" "$out/source"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
tar -xf "$tarball" -C "$work" --strip-components=3 --wildcards \
	'*/subprojects/libvfio-user/lib/*' \
	'*/subprojects/libvfio-user/include/*' \
	'*/subprojects/libvfio-user/LICENSE' ||
	die "$(basename "$tarball") has no subprojects/libvfio-user"

# The one change: a client behind an emulated IOMMU maps its memory page by page,
# and the library's table ends at 16 mappings.
limit='#define MAX_DMA_REGIONS 16'
grep -qx "$limit" "$work/lib/private.h" || die "lib/private.h does not say \"$limit\""
sed -i "s/^$limit\$/#define MAX_DMA_REGIONS 65536/" "$work/lib/private.h"

mv "$work" "$out/source"
echo "libvfio-user of source package $package $version" >"$stamp"
cat "$stamp"
