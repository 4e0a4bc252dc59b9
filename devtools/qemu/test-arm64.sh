#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-arm64.sh <folder> <cross build folder> [command]...
#
# Runs commands in a guest with Debian's kernel for arm64, in software, in the build folder of
# a cross build; get-cross-root.sh has how to make one. Without a command: a loopback of
# dpdk-test-comch. The guest has the programs and shared libraries of the build, DPDK, busybox,
# two processors that run at once, and no device.
#
#   COMCH_GUEST_LIMIT   seconds after which it is stopped (600)
#   COMCH_GUEST_CPU     QEMU's processor (max)
#
# A guest shows that the code runs on the architecture. QEMU keeps most orders of memory
# accesses of this machine, so that it shows few of the races that a weak machine has: those are
# for the models of app/test/order. The last line is "N passed, N failed", of commands.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ] || [[ $1 == -* ]]; then
	echo 'usage: test-arm64.sh <folder> <cross build folder> [command]...' >&2
	exit 2
fi
mkdir -p "$1"
work=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2
[ $# != 0 ] || set -- "app/dpdk-test-comch --no-huge -m 64 --no-pci -l 0,1 \
--vdev comch_shm0,role=dpu,functions=pf0 --vdev comch_shm1,role=host,function=pf0 \
-- --loopback --test ctrl-lat,fp-bw --size 64 -D 1 --validate"
for tool in qemu-system-aarch64 cpio; do
	command -v $tool >/dev/null || {
		echo "test-arm64: no $tool; see devtools/setup.sh test" >&2
		exit 1
	}
done
"$here/../get-cross-root.sh" "$work" busybox-static linux-image-arm64 >/dev/null
kernel=$(echo "$work"/arm64/boot/vmlinuz-*)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
libs=usr/lib/aarch64-linux-gnu
mkdir -p "$root"/{bin,dev,etc,proc,root,run,sbin,sys,tmp,tree,"$libs/dpdk"} "$root/usr/bin"
cp "$work/arm64/bin/busybox" "$root/bin/busybox"
mkdir "$root/lib"
cp -a "$work/arm64/lib/." "$root/lib/"
rm -rf "$root"/lib/{modules,systemd,udev}
cp -a "$work/arm64/$libs"/*.so* "$root/$libs/"
# of DPDK's plugins what each program needs
for f in "$work/arm64/$libs"/dpdk/pmds-*; do
	mkdir -p "$root/$libs/dpdk/${f##*/}"
	cp -a "$f"/librte_{bus_pci,bus_vdev,mempool_ring}.so.* "$root/$libs/dpdk/${f##*/}/"
done
(cd "$build" && find app examples -maxdepth 2 -type f -perm -u+x && find lib drivers -name '*.so*') |
	tar -C "$build" -cf - -T - | tar -C "$root/tree" -xf -
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
: >"$root/etc/modules"
install -m 755 "$here/guest/init" "$root/init"
# shellcheck disable=SC2016 # expanded in the guest
{
	echo 'cd /tree; passed=0; failed=0; ulimit -n 20000'
	for command in "$@"; do
		printf 'echo "== %s"\n' "${command//\"/\\\"}"
		echo 'read -r t0 _ </proc/uptime; rc=0'
		printf '( %s ) || rc=$?\n' "$command"
		echo 'read -r t1 _ </proc/uptime; echo "== status $rc, ${t0%.*} to ${t1%.*} s"'
		echo '[ $rc = 0 ] && passed=$((passed + 1)) || failed=$((failed + 1))'
	done
	echo 'echo "$passed passed, $failed failed"; [ $failed = 0 ]'
} >"$root/test"
(cd "$root" && find . -print0 | cpio --null --create --format=newc --quiet --owner=0:0) \
	>"$scratch/initramfs"

# shellcheck disable=SC2054 # the commas are QEMU's
qemu=(qemu-system-aarch64 -nodefaults -no-user-config -display none -no-reboot
	-machine virt -accel tcg,thread=multi -cpu "${COMCH_GUEST_CPU:-max}" -smp 2 -m 3072M
	-serial stdio -kernel "$kernel" -initrd "$scratch/initramfs"
	-append 'console=ttyAMA0 quiet loglevel=4 panic=-1 mitigations=off kpti=off')
timeout -k 5 "${COMCH_GUEST_LIMIT:-600}" "${qemu[@]}" </dev/null 2>&1 | sed -u 's/\r//g' |
	tee "$scratch/console" || true
# Only the guest's own end counts: commands have summaries, too.
if [[ $(tail -n 20 "$scratch/console") == *'comch-guest: exit status '* ]]; then
	grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/console" | tail -n 1
else
	echo 'test-arm64: the guest gave no result'
	echo '0 passed, 1 failed'
fi
grep -q 'comch-guest: exit status 0 ' "$scratch/console"
