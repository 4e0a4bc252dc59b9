#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: run-guest.sh <build folder> <initramfs> [options] [<socket>...]
#
#   -c <n>       virtual CPUs (default 1)
#   -m <MiB>     memory (default 1024)
#   -t <s>       time limit (default 120)
#   -l <file>    the guest's console goes there, line by line, and is shown only
#                if the test fails
#   -a <words>   more for the kernel's command line, as in "hugepages=64"
#   -q <option>  one more argument for QEMU; may be repeated
#   -M <socket>  QEMU's monitor (human) listens there
#
# Runs the test script of an initramfs made by make-initramfs.sh in a guest, with
# one PCI Express function behind a root port of its own for each socket of a
# vfio-user server, in that order (buses 01, 02, ...; ids fn0, fn1, ...). The
# servers must be listening, or do so within ten seconds.
#
# The machine is emulated in software only (TCG): KVM would need the rights to
# it, and inside of virtual machines it may hang. It has an IOMMU with interrupt
# remapping and 48 bits, which tells the function what is mapped. Its memory is a
# shared memfd, which the servers get descriptors of. With one CPU, fences of the
# guest order nothing for a server that polls its memory: registers do, -c 2 too.
#
# Functions are put into it by the preloaded shim. COMCH_QEMU in the environment
# names a QEMU of 10.1 or newer instead, which has vfio-user-pci and needs none. That
# device aborts QEMU when it is unplugged: the guest is told so on the kernel's
# command line, comch.unplug=no.
#
# Exit status: that of the guest's test script, 124 when time was up, 125 when
# there was no result.

set -euo pipefail

die() {
	echo "run-guest: $*" >&2
	exit 125
}

usage='usage: run-guest.sh <build folder> <initramfs> [-c cpus] [-m MiB] [-t s] [-l log] [-a append] [-q arg] [-M monitor] [socket]...'
[ $# -ge 2 ] || die "$usage"
build=$1
initramfs=$2
shift 2
cpus=1
memory=1024
limit=120
log=
append=
monitor=none
more=()
while getopts c:m:t:l:a:q:M: option; do
	case $option in
	c) cpus=$OPTARG ;;
	m) memory=$OPTARG ;;
	t) limit=$OPTARG ;;
	l) log=$OPTARG ;;
	a) append=$OPTARG ;;
	q) more+=("$OPTARG") ;;
	M) monitor=unix:$OPTARG,server=on,wait=off ;;
	*) die "$usage" ;;
	esac
done
shift $((OPTIND - 1))

stock=${COMCH_QEMU:-}
qemu=$(command -v "${stock:-qemu-system-x86_64}") ||
	die "no ${stock:-qemu-system-x86_64}: apt-get install qemu-system-x86${stock:+, or another COMCH_QEMU}"
[ -z "$stock" ] || [[ $("$qemu" -device help 2>&1) == *'"vfio-user-pci"'* ]] ||
	die "COMCH_QEMU=$stock has no device vfio-user-pci: name a QEMU 10.1 or newer, or unset COMCH_QEMU"
[ -r "$initramfs" ] || die "no initramfs $initramfs: make it with make-initramfs.sh"
[ -r "$build/guest-kernel/vmlinuz" ] || die "no kernel in $build: run get-kernel.sh"
[ -n "$stock" ] || [ -r "$build/qemu/shim.so" ] || [ $# -eq 0 ] || die "no shim in $build: run build-shim.sh"

devices=()
n=0
for socket in "$@"; do
	for ((i = 0; i < 100; i++)); do
		[ ! -S "$socket" ] || break
		sleep 0.1
	done
	[ -S "$socket" ] || die "no vfio-user server listens at $socket"
	if [ -n "$stock" ]; then
		device='{"driver":"vfio-user-pci","id":"fn'$n'","bus":"port'$n'","socket":'
		device+='{"type":"unix","path":"'$socket'"}}'
	else
		device="vfio-user-function,id=fn$n,bus=port$n,socket=${socket//,/,,}"
	fi
	devices+=(-device "pcie-root-port,id=port$n,chassis=$((n + 1))" -device "$device")
	n=$((n + 1))
done
preload=()
if [ -n "$stock" ]; then
	append+=' comch.unplug=no'
else
	# not for timeout; it hides itself from what QEMU starts
	preload=(env "LD_PRELOAD=$build/qemu/shim.so")
fi

# shellcheck disable=SC2054 # the commas are QEMU's
command=("$qemu" -nodefaults -no-user-config -display none -no-reboot
	-machine "q35,memory-backend=ram" -accel tcg -cpu max -smp "$cpus" -m "${memory}M"
	-object "memory-backend-memfd,id=ram,size=${memory}M,share=on"
	-device intel-iommu,intremap=on,caching-mode=on,aw-bits=48
	"${devices[@]}" "${more[@]}"
	-monitor "$monitor" -serial stdio
	-kernel "$build/guest-kernel/vmlinuz" -initrd "$initramfs"
	-append "console=ttyS0 quiet loglevel=4 panic=-1 intel_iommu=on tsc=reliable no_timer_check nokaslr random.trust_cpu=on mitigations=off $append")

# Ends what was started, however this script ends.
scratch=$(mktemp -d)
pid=
# shellcheck disable=SC2317 # called by trap
clean_up() {
	trap - EXIT
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Each line is passed on at once: a test may wait for one.
console=${log:-$scratch/console}
mkfifo "$scratch/pipe"
: >"$console"
if [ -n "$log" ]; then
	sed -u 's/\r//g' <"$scratch/pipe" >"$console" &
else
	sed -u 's/\r//g' <"$scratch/pipe" | tee "$console" &
fi
filter=$!
timeout -k 5 "$limit" "${preload[@]}" "${command[@]}" \
	</dev/null >"$scratch/pipe" 2>&1 &
pid=$!
status=0
wait $pid || status=$?
pid=
wait $filter || true

result=$(sed -n 's/.*comch-guest: exit status \([0-9]*\).*/\1/p' "$console" | tail -n 1)
if [ -z "$result" ]; then
	result=125
	[ $status -ne 124 ] || result=124
	echo "run-guest: no result of the guest: $([ $result = 124 ] &&
		echo "stopped after $limit s" || echo "QEMU ended with status $status")" >&2
fi
if [ "$result" -ne 0 ] && [ -n "$log" ]; then
	cat "$log"
fi
exit "$result"
