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
# QEMU before 8 forgets MAP_POPULATE, so that memory of EAL has holes, which no peer takes as a
# region: then Debian 13's is unpacked into the folder. Status 77 if the kernel cannot do it,
# which wants Linux 6.7.

set -euo pipefail

if [ $# -lt 2 ] || [[ $1 == -* ]]; then
	sed -n '/^# usage: /s/^# //p' "$0" >&2
	exit 2
fi
work=$(cd "$1" && pwd)
shift

qemu=$(command -v qemu-aarch64-static qemu-aarch64 | head -n 1 || true)
version=$("${qemu:-false}" --version | sed -n '1s/.* version \([0-9]*\).*/\1/p' || true)
if [ "${version:-0}" -lt 8 ]; then
	qemu=$work/qemu/usr/bin/qemu-aarch64
	# shellcheck source-path=SCRIPTDIR source=../private-apt.sh
	. "$(dirname "$0")/../private-apt.sh"
	[ -x "$qemu" ] || {
		rm -rf "$work/qemu-apt" "$work/qemu"
		apt_init "$work/qemu-apt" deb trixie
		apt_run update || true # a foreign source may fail
		(cd "$work/qemu-apt/cache" && apt_run download qemu-user)
		dpkg-deb --fsys-tarfile "$work"/qemu-apt/cache/qemu-user_*.deb |
			tar -C "$work/qemu-apt" -xf - ./usr/bin/qemu-aarch64
		mkdir "$work/qemu"
		mv "$work/qemu-apt/usr" "$work/qemu"
		rm -r "$work/qemu-apt"
	} >"$work/qemu.log" 2>&1 || {
		tail -n 20 "$work/qemu.log" >&2
		exit 1
	}
fi

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
