# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-mlx5-core.sh: the kernel's own drivers on functions: a
# PF, which most of it is about, a VF, a PF whose port is InfiniBand, a VF of a card's
# own PF, and the own PFs of two cards.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
# slot_of <function>: they are in slots from 1 on, in the order of the list.
slot_of() {
	host control list | grep -n "^$1 " | cut -d : -f 1
}
dev=0000:0$(slot_of pf0):00.0
driver=/sys/bus/pci/drivers/mlx5_core
functions=$(host control list | cut -d ' ' -f 1)

# clean <what> <function>...: after the driver has left nothing of it is in the device.
clean() {
	local what="$1" f
	shift
	for f in "$@"; do
		check "mlx5_core: $what: $f: disabled, no object and no page left" state_has "$f" \
			'hca=disabled .*given=0 objects=0 '
	done
}

# shellcheck disable=SC2317 # called by within
is_bound() {
	[ "$(driver_of "$dev")" = mlx5_core ]
}

# up <what> <function>...: bound, and the device has been initialised.
up() {
	local what="$1" f
	shift
	check "mlx5_core: $what: bound" within 10 is_bound || return 1
	for f in "$@"; do
		check "mlx5_core: $what: $f initialised" state_has "$f" hca=initialised
	done
}

flr() { # <what>
	local before
	before=$(host control state pf0 | grep -o 'resets=[0-9]*')
	check "mlx5_core: $1: FLR" sh -c "echo 1 >/sys/bus/pci/devices/$dev/reset"
	check "mlx5_core: $1: FLR reaches the device" [ "$before" != \
		"$(host control state pf0 | grep -o 'resets=[0-9]*')" ]
}

# gives <what> <accounts>: the driver on the card's function, for those of the host.
gives() {
	echo "$functions" | grep -qx ecpf0 || return 0
	check "mlx5_core: pages for the host: $1" sh -c \
		"echo '$(host control owner pf0)' | grep -qE '$2'"
}

dmesg -c >/tmp/dmesg.all
echo flr >"/sys/bus/pci/devices/$dev/reset_method"
flr 'without driver'

host mark
check 'mlx5_core: module loads' modprobe mlx5_core
# shellcheck disable=SC2086 # words on purpose
up 'first probe' $functions
no_trouble 'mlx5_core: first probe'
gives 'given by the card' ' now=[1-9]'
version=$(sed -n "s/.*mlx5_core $dev: firmware version: *//p" /tmp/dmesg)
check "mlx5_core: firmware version in its log: $version" [ -n "$version" ]

echo "$dev" >$driver/unbind
check 'mlx5_core: unbind: gone' sh -c "! test -e /sys/bus/pci/devices/$dev/driver"
no_trouble 'mlx5_core: unbind'
clean unbind pf0

flr 'unbound'
echo "$dev" >$driver/bind
up 'bind after FLR' pf0
no_trouble 'mlx5_core: bind after FLR'

# A reset under the driver. It has no reset_prepare(), so that nobody tells it;
# it finds out when registers read as all ones, stops using the device, waits for
# it to come back, and brings it up anew.
host control fault pf0 bus dead
flr 'bound'
check 'mlx5_core: FLR while bound: notices' within 10 sh -c \
	"dmesg | grep -qE '$dev.*(Fatal error|handling bad device|PCI)'"
host control fault pf0 bus alive
check 'mlx5_core: FLR while bound: recovers' within 25 \
	sh -c "dmesg | grep -q 'health recovery succeeded'"
up 'FLR while bound' pf0
dmesg -c | tee -a /tmp/dmesg.all | grep -E "mlx5_core $dev" | sed 's/.*mlx5_core [^ ]* //' |
	while read -r line; do
		note "recovery: $line"
	done

check 'mlx5_core: module unloads while bound' rmmod mlx5_core
no_trouble 'mlx5_core: unload'
# shellcheck disable=SC2086
clean 'unload' $functions

# The kernel of a card that does not manage the embedded switch enables the host's PF
# as well as itself, which is one command more.
if echo "$functions" | grep -qx ecpf1; then
	host control dump ecpf1 >/tmp/dump
	check "mlx5_core: first probe: ecpf1 enables the host's PF" \
		grep -q 'name=ENABLE_HCA status=0x00 .*count=2' /tmp/dump
fi

# A second time, and what is above it: RDMA devices.
check 'mlx5_core: module loads again' modprobe mlx5_core
# shellcheck disable=SC2086
up 'second load' $functions
check 'mlx5_ib: module loads' modprobe mlx5_ib
# shellcheck disable=SC2317 # called by within
has_rdma() {
	ls -d "/sys/bus/pci/devices/$1/infiniband/"*
}
for d in /sys/bus/pci/drivers/mlx5_core/0000:*; do
	d=${d##*/}
	check "mlx5_ib: RDMA device of $d" within 10 has_rdma "$d"
done
check 'mlx5_ib: InfiniBand port is active' within 10 grep -q ACTIVE \
	"/sys/bus/pci/devices/0000:0$(slot_of pf1):00.0/infiniband/"*/ports/1/state
no_trouble 'mlx5_core: mlx5_ib'
check 'mlx5_ib: module unloads' rmmod mlx5_ib
check 'mlx5_core: module unloads again' rmmod mlx5_core
no_trouble 'mlx5_core: second unload'
gives 'all taken back' ' now=0 .* void=0 refused=0 '
# shellcheck disable=SC2086
clean 'second unload' $functions

# What the drivers would do if the device said that it can.
grep -oE 'Missing .*|.* (is )?not supported.*' /tmp/dmesg.all | sort -u | while read -r line; do
	note "kernel, of capabilities: $line"
done
cat /tmp/dmesg.all
exit 0
