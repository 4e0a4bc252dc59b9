#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: build-shim.sh <build folder>
#
# Compiles shim.c, memmap.c and link.c for the installed qemu-system-x86 into
# <build folder>/qemu/shim.so and prints that name. Takes the headers with
# get-headers.sh, which see. $CC is the compiler, gcc where it is not set. With
# nothing changed it does nothing.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

die() {
	echo "build-shim: $*" >&2
	exit 1
}

[ $# -eq 1 ] || die 'usage: build-shim.sh <build folder>'
mkdir -p "$1/qemu"
build=$(cd "$1" && pwd)
[ -e /usr/include/glib-2.0/glib.h ] || die 'glib.h is missing: apt-get install libglib2.0-dev'
"$here/get-headers.sh" "$build" >/dev/null

read -r cflags <"$build/qemu-sdk/cflags"
version=$(sed 's/.* //' "$build/qemu-sdk/stamp")
out=$build/qemu/shim.so
exec 9>"$build/qemu/lock"
flock 9

# The protocol's structures are the driver's.
wire=$here/../../drivers/comch/bluefield/vfu
glib=
for d in /usr/include/glib-2.0 /usr/lib/*/glib-2.0/include; do
	glib="$glib -isystem $d"
done
# QEMU's headers do not compile with our warnings: as system headers they need not.
# shellcheck disable=SC2206 # lists of options
command=(${CC:-gcc} -std=gnu11 -O2 -g -fPIC -shared -fvisibility=hidden -fno-strict-aliasing
	-fwrapv -pthread -Wall -Wextra -Werror -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
	-D_LARGEFILE_SOURCE "-I$wire" "-DSHIM_QEMU_VERSION=\"$version\""
	${cflags//-I/-isystem } $glib)
sources=("$here/shim.c" "$here/memmap.c" "$here/link.c")
headers=("$here/memmap.h" "$here/link.h" "$wire/vfio_user.h")
if [ -e "$out" ] && [ -z "$(find "${sources[@]}" "${headers[@]}" -newer "$out")" ] &&
	[ "$(cat "$out.command" 2>/dev/null)" = "${command[*]}" ]; then
	echo "$out"
	exit 0
fi
"${command[@]}" -o "$out.new" "${sources[@]}"
mv "$out.new" "$out"
echo "${command[*]}" >"$out.command"
echo "$out"
