#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-driver-headers.sh <build folder, made if it is not there>
#
# Compares what buildtools/dpdk/driver declares with DPDK's own driver headers, member
# by member: those that are installed, or of the source package of the installed release.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

[ $# = 1 ] || { echo 'usage: check-driver-headers.sh <build folder>' >&2; exit 2; }
mkdir -p "$1"
build=$(cd "$1" && pwd)
release=$(pkg-config --modversion libdpdk)

read -ra flags < <(pkg-config --cflags libdpdk)
origin='installed with DPDK'
own=()
if ! gcc "${flags[@]}" -E -include bus_pci_driver.h -x c /dev/null >/dev/null 2>&1; then
	origin=$("$here/get-driver-headers.sh" "$build" "$release") || {
		echo "DPDK $release came without its driver headers, and its source is not to be had"
		exit 77
	}
	own=(-isystem "$build/dpdk-sdk/include")
fi

layout() { # <flags>...
	gcc -Wall -Wextra -Werror -D_GNU_SOURCE -DALLOW_INTERNAL_API "$@" "${flags[@]}" \
		-o "$build/driver-headers" "$here/driver-headers.c" && "$build/driver-headers"
}

layout "${own[@]}" >"$build/driver-headers.dpdk"
layout -DDPDK_ANY_RELEASE -I "$here/../buildtools/dpdk/driver" >"$build/driver-headers.tree"
if ! diff -U 0 "$build"/driver-headers.{dpdk,tree}; then
	echo "buildtools/dpdk/driver differs (+) from the driver headers of DPDK $release (-), $origin"
	exit 1
fi
echo "$(wc -l <"$build/driver-headers.tree") members and values agree with DPDK $release, $origin"
layout -I "$here/../buildtools/dpdk/driver" >/dev/null 2>&1 ||
	echo "buildtools/dpdk/driver/dev_driver.h does not have this release yet: add it"
