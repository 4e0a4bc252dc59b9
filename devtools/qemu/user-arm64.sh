#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: user-arm64.sh <folder of get-cross-root.sh> <command> [argument]...
#
# Runs a command of this machine, in which programs for arm64 run, too: those that it starts,
# and those that these start. QEMU translates them for this machine's kernel, so that a program
# for arm64 has sockets, descriptors and shared memory in common with one for x86-64:
#
#   devtools/qemu/user-arm64.sh build-arm64 devtools/test-versions.py build build-arm64/tree
#
# The kernel starts QEMU in a user namespace of the command, where the user is root and no
# other user is there. Filters of system calls cannot be had: no process that takes what other
# users send, and no offload processor in software. test-arm64.sh has a guest for those.
#
# Status 77 if the kernel cannot do it, which wants Linux 6.7.

set -euo pipefail

if [ $# -lt 2 ] || [[ $1 == -* ]]; then
	sed -n '/^# usage: /s/^# //p' "$0" >&2
	exit 2
fi
work=$(cd "$1" && pwd)
shift

qemu=$(command -v qemu-aarch64-static qemu-aarch64 | head -n 1 || true)
[ -n "$qemu" ] || {
	echo 'user-arm64: no qemu-aarch64-static; see devtools/setup.sh test' >&2
	exit 1
}
export QEMU_LD_PREFIX=$work/arm64
# P: with the name it was started by; O, F: QEMU is open before, the file while it starts
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
# shellcheck disable=SC2016 # expanded in the namespace
exec unshare --user --map-root-user --mount bash -c '
	mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null &&
		printf "%s" "$1" >/proc/sys/fs/binfmt_misc/register || {
		echo "skipped: this kernel has no formats of programs for a user namespace (Linux 6.7)"
		exit 77
	}
	shift
	exec "$@"' bash ":comch-arm64:M::$magic:$mask:$qemu:POF" "$@"
