#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: get-headers.sh <build folder>
#
# Puts what a device for the installed qemu-system-x86 is compiled with into
# <build folder>/qemu-sdk and prints which source it comes from:
#
#   include/   QEMU's headers, of the source package with Debian's patches
#   gen/       the generated headers: QAPI types, config-host.h
#   cflags     the compiler options to use them (-I only)
#
# Structures differ within one release series, so the version is that of the
# package; the shim compares sizes once more when QEMU loads it. The package
# libglib2.0-dev is needed to use the headers, nothing else. A second run finds
# the stamp and does nothing.

set -euo pipefail

die() {
	echo "get-headers: $*" >&2
	exit 1
}

[ $# -eq 1 ] || die 'usage: get-headers.sh <build folder>'
source=$("$(dirname "$0")/get-qemu-source.sh" "$1")
sdk=$(cd "$1" && pwd)/qemu-sdk
origin="source package $(cat "$source/version")"

mkdir -p "$sdk"
exec 9>"$sdk/lock"
flock 9
if [ -e "$sdk/stamp" ] && [ "$(cat "$sdk/stamp")" = "$origin" ]; then
	echo "$origin"
	exit 0
fi

for tool in patch python3 tar xz; do
	command -v $tool >/dev/null || die "$tool is missing: apt-get install $tool"
done

work=$sdk/work
rm -rf "$work" "$sdk"/{stamp,include,gen,cflags}
mkdir -p "$work/tree" "$work/gen/qapi"
trap 'rm -rf "$work"' EXIT

# The patches touch much else. Unpacking all of it would take longer than the
# rest, so only what is wanted of each is unpacked and patched.
parts='include|qapi|scripts'
upstream=$(find "$source" -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)
debian=$(find "$source" -name '*.debian.tar.*' | head -n 1)
if [ -z "$upstream" ] || [ -z "$debian" ]; then
	die "no tarballs in $source: delete it and try again"
fi
tar -xf "$upstream" -C "$work/tree" --strip-components=1 --wildcards \
	'*/include/*' '*/qapi/*' '*/scripts/*' '*/VERSION'
tar -xf "$debian" -C "$work" debian/patches

while read -r name _; do
	[[ $name && $name != '#'* ]] || continue
	awk -v wanted="^[ab]/($parts)/" '
		/^diff --git / { header = $0; keep = 0; next }
		/^--- / { minus = $0; getline plus
			split(minus, m, /[ \t]+/); split(plus, p, /[ \t]+/)
			keep = m[2] ~ wanted || p[2] ~ wanted
			if (keep) { print minus; print plus }
			next }
		keep && /^[-+ @\\]/ { print }
		keep && /^$/ { print }' "$work/debian/patches/$name" >"$work/part.patch"
	[ -s "$work/part.patch" ] || continue
	patch -d "$work/tree" -p1 --quiet --batch <"$work/part.patch" >"$work/log" 2>&1 || {
		cat "$work/log" >&2
		die "Debian's patch $name does not apply to the headers"
	}
done <"$work/debian/patches/series"

(cd "$work/tree" && python3 -B scripts/qapi-gen.py -o "$work/gen/qapi" -b qapi/qapi-schema.json)
find "$work/gen/qapi" -type f ! -name '*.h' -delete

# What QEMU's configure would find on this system, as far as headers ask for it.
# CONFIG_INT128 decides the layout of MemoryRegion.
for word in CONFIG_LINUX CONFIG_POSIX CONFIG_INT128 CONFIG_ATOMIC64 CONFIG_BYTESWAP_H \
	CONFIG_IOVEC CONFIG_SYSMACROS HAVE_SYSTEM_FUNCTION; do
	echo "#define $word 1"
done >"$work/gen/config-host.h"
: >"$work/gen/config-poison.h"

mv "$work/tree/include" "$work/gen" "$sdk/"
echo "-I$sdk/gen -I$sdk/include" >"$sdk/cflags"
echo "$origin" >"$sdk/stamp"
echo "$origin"
