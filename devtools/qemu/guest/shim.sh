#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# In the guest of test-shim.sh: two functions, alone, both at once, and what
# happens when a server ends or hangs.

a=0000:01:00.0
b=0000:02:00.0
devices=/sys/bus/pci/devices
bad=0

check() { # <name> <command>...
	name=$1
	shift
	if "$@"; then
		echo "ok $name"
	else
		echo "FAILED $name"
		bad=1
	fi
}

for d in $a $b; do
	id=$(cd "$devices/$d" && cat vendor device class subsystem_vendor subsystem_device | tr '\n' ' ')
	check "$d identity: $id" [ "$id" = '0x1234 0x11e9 0xff0000 0x1234 0x0051 ' ]
	check "$d reset methods" grep -qw flr "$devices/$d/reset_method"
	echo vfio-pci >"$devices/$d/driver_override"
	echo "$d" >/sys/bus/pci/drivers_probe
	check "$d alone" shim "$d" all
done

shim $b all &
check "$a with $b" shim $a all
wait $!
check "$b with $a" [ $? = 0 ]

# Opening and closing reset too.
before=$(shim $a resets)
check 'reset by sysfs' sh -c "echo 1 >$devices/$a/reset"
after=$(shim $a resets)
check "resets: $before, then $after" [ "$after" = $((before + 3)) ]

check 'faults of the IOMMU are told to the guest' sh -c 'dmesg | grep -q "DMAR:.*fault addr"'
check "$b loses its server" shim $b die
check "$a goes on" shim $a all
check "$a has a server that hangs" shim $a hang
exit $bad
