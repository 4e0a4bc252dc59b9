# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-dpdk.sh: DPDK programs own functions through vfio-pci.
# The functions: pf0, one with an unknown device id, a card's own in NIC mode,
# another's own in DPU mode, a VF of the host, and one of the card's own PF.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
dev=0000:01:00.0
unknown=0000:02:00.0
nic_mode=0000:03:00.0
card=0000:04:00.0
vf=0000:05:00.0
card_vf=0000:06:00.0
pf_cycles=20
vf_cycles=100
sockets=/var/run/dpdk

# What all of them get; each has a name of its own.
eal() { # <name>
	echo "--file-prefix=$1 -m 32 --lcores 0"
}

# refused <what> <device> <regular expression>...: no device comes of it, and the
# reason is given in these words.
refused() {
	local what="$1" device=$2 status=0 word missing=
	shift 2
	# shellcheck disable=SC2046 # words on purpose
	timeout 60 /bin/probe_cycles $(eal refused) --no-telemetry -a "$device,class=comch" \
		>/tmp/refused 2>&1 || status=$?
	for word in "$@"; do
		grep -qE "$word" /tmp/refused || missing="$missing '$word'"
	done
	if [ $status != 1 ]; then
		fail "dpdk: $what: exit status $status $(tail -n 2 /tmp/refused | tr '\n' ' ')"
	elif [ -n "$missing" ]; then
		fail "dpdk: $what: not said:$missing; but: $(grep COMCH /tmp/refused | head -n 3 | tr '\n' ' ')"
	else
		pass "dpdk: $what: the reason is given"
		note "$(grep COMCH_BLUEFIELD /tmp/refused | head -n 1)"
	fi
}

telemetry() { # <name> <command>
	/bin/telemetry "$sockets/$1/dpdk_telemetry.v2" "$2"
}

# shellcheck disable=SC2317 # called by check
info_has() { # <text>
	grep -qF "$1" /tmp/info
}

# device_is <number> <PCI address> <role>: what telemetry of the application says
device_is() {
	local field
	telemetry app "/comch/info,$1" >/tmp/info
	for field in '"driver":"comch_bluefield"' "\"role\":\"$3\"" "\"pci_addr\":\"$2\"" \
		'"status":"up"'; do
		check "dpdk: telemetry: device $1: $field" info_has "$field"
	done
	note "$(cut -c1-200 /tmp/info)"
}

# start <name> <program> <arguments>...: in the background, with its stdin open
start() {
	local name=$1
	shift
	rm -f "/tmp/$name.in"
	mkfifo "/tmp/$name.in"
	exec 8<>"/tmp/$name.in"
	timeout 200 "$@" <"/tmp/$name.in" >"/tmp/$name.out" 2>&1 &
	pid=$!
}

# is_up <name> <devices>: it has come up, or has ended before; then its last words
# are shown
is_up() {
	within 60 sh -c "! kill -0 $pid || /bin/telemetry $sockets/$1/dpdk_telemetry.v2 /comch/list"
	check "dpdk: $1: has its devices" is_listed "$1" "$2" && return
	tail -n 5 "/tmp/$1.out" | while read -r line; do
		note "$line"
	done
	return 1
}

# stop <name> <word>: ends it by a word to its stdin
stop() {
	local status=0
	echo "$2" >&8
	wait $pid || status=$?
	exec 8>&-
	check "dpdk: $1: ends well" [ $status = 0 ]
}

# shellcheck disable=SC2317 # called by check
is_listed() { # <name> <devices>
	telemetry "$1" /comch/list | grep -qF "\"/comch/list\":[$2]"
}

# ---- without what is needed
refused 'no VFIO in the kernel' $dev 'vfio-pci'
modprobe vfio_iommu_type1 && modprobe vfio-pci || exit 1
refused 'bound to no driver' $dev 'vfio-pci' 'dpdk-devbind.py|driverctl'
# first those that the kernel's driver is not to have
check 'dpdk: function with unknown id bound to vfio-pci' bind $unknown vfio-pci
check 'dpdk: functions of cards bound to vfio-pci' bind $nic_mode vfio-pci
check 'dpdk: functions of cards bound to vfio-pci' bind $card vfio-pci
check 'dpdk: VFs bound to vfio-pci' bind $vf vfio-pci
check 'dpdk: VFs bound to vfio-pci' bind $card_vf vfio-pci
modprobe mlx5_core
check 'dpdk: kernel driver takes the function' within 10 [ "$(driver_of $dev)" = mlx5_core ]
refused 'bound to mlx5_core' $dev 'mlx5_core' 'vfio-pci'

# ---- one program, seen from outside by its telemetry
check 'dpdk: bound to vfio-pci' bind $dev vfio-pci || exit 1
rmmod mlx5_core
# shellcheck disable=SC2046 # words on purpose
start app /bin/dpdk-test-comch $(eal app) -a "$dev,class=comch" -a "$card,class=comch" \
	-a "$vf,class=comch,role=host" -a "$card_vf,class=comch,role=dpu" -- \
	--interactive --client
if is_up app 0,1,2,3; then
	device_is 0 $dev host
	device_is 1 $card dpu
	device_is 2 $vf host
	device_is 3 $card_vf dpu
	for f in pf0 ecpf1 pf0vf0 ecpf0vf0; do
		check "dpdk: model: $f initialised" state_has $f hca=initialised
	done
	refused 'a second process on the function' $dev 'process'
	check 'dpdk: the first process does not mind' is_listed app 0,1,2,3
fi
stop app quit
for f in pf0 ecpf1 pf0vf0 ecpf0vf0; do
	check "dpdk: $f: disabled, no object and no page left" state_has $f \
		'hca=disabled .*given=0 objects=0 '
done

# ---- a report: the driver's part of it, as there is no Python in here
for f in pf0=$dev pf0vf0=$vf; do
	# shellcheck disable=SC2046
	timeout 60 /bin/dpdk-test-comch $(eal report) --no-telemetry \
		-a "${f#*=},class=comch,role=host,report=/tmp/report" -- --list-dev >/tmp/report.out 2>&1
	check "dpdk: report of ${f%=*}: as it should be" grep -x 'result: ok' /tmp/report
	# one that is not EAL's, so that the kernel has connected more than one
	check "dpdk: report of ${f%=*}: an interrupt of vector 1" \
		grep 'interrupt: vector 1, ' /tmp/report
	check "dpdk: report of ${f%=*}: nothing left" state_has "${f%=*}" \
		'hca=disabled .*given=0 objects=0 '
	note "$(grep -E '^surprise|  vectors:|  interrupt:|reset and bring-up' /tmp/report | tr '\n' ';')"
done

refused 'unknown device id' $unknown '1234'
refused 'card in NIC mode' $nic_mode 'DPU mode'

# ---- beside DPDK's own driver for these ids, which knows no such class
# shellcheck disable=SC2046
timeout 60 /bin/probe_cycles $(eal beside) --no-telemetry -d /lib/mlx5/librte_common_mlx5.so \
	-d /lib/mlx5/librte_net_mlx5.so -a "$dev,class=comch" >/tmp/beside 2>&1
check "dpdk: beside DPDK's mlx5 driver" grep -q '^ok dpdk: comch devices: 1' /tmp/beside
# shellcheck disable=SC2046
timeout 60 /bin/probe_cycles $(eal beside) --no-telemetry -a $dev >/tmp/beside 2>&1
check 'dpdk: function without class=comch is left alone' \
	grep -q '^FAILED dpdk: comch devices: 0' /tmp/beside

# ---- again and again: a PF, and VFs of both sides at once, each in a program of its own
cycle() { # <name> <times> <devargs>
	local status=0
	# shellcheck disable=SC2046
	timeout 200 /bin/probe_cycles $(eal "$1") --no-telemetry -a 0000:00:1f.7 -- -n "$2" "$3" \
		>"/tmp/$1" 2>&1 || status=$?
	echo $status >"/tmp/$1.status"
}

# cycled <name> <times> <function>: what came of it
cycled() {
	local name=$1 times=$2 f=$3
	check "dpdk: $name: $times cycles" [ "$(cat "/tmp/$name.status")" = 0 ]
	results "/tmp/$name"
	check "dpdk: $name: a second probe is refused" grep -q 'this process has it already' \
		"/tmp/$name"
	check "dpdk: model: $f: $times times initialised" [ \
		"$(host log " $f: HCA initialised" | wc -l)" = "$times" ]
	check "dpdk: model: $f: $times times disabled in good order" [ \
		"$(host log " $f: HCA disabled" | wc -l)" = "$times" ]
	check "dpdk: model: $f: no page left after the cycles" [ \
		"$(host control pages "$f")" = 'given 0' ]
}

# account <function>: pages that were given and taken back so far, by the function
# itself or by the owner of its PF
account() {
	host control dump "$1" | grep -E '^supply |^pages .*total_given' | tail -n 1 |
		sed -E 's/.*given=([0-9]+) .*taken=([0-9]+) .*/\1 \2/'
}

# shellcheck disable=SC2317 # called by check
account_even() { # <function> <account before>: all that was given since has come back
	local given taken
	# shellcheck disable=SC2046,SC2086 # two words each
	set -- $2 $(account "$1")
	given=$(($3 - $1))
	taken=$(($4 - $2))
	echo "$given pages given, $taken taken back"
	[ "$given" -gt 0 ] && [ "$given" = "$taken" ]
}

host mark
before=$(account pf0)
cycle pf $pf_cycles "$dev,class=comch"
cycled pf $pf_cycles pf0
check 'dpdk: pf: firmware has pages of it' grep -qE '^ok .* [1-9][0-9]* pages$' /tmp/pf
check 'dpdk: model: pf0: account of pages is even' account_even pf0 "$before"
before_vf=$(account pf0vf0)
before_card_vf=$(account ecpf0vf0)
cycle vf $vf_cycles "$vf,class=comch,role=host" &
cycle card_vf $vf_cycles "$card_vf,class=comch,role=dpu"
wait $!
cycled vf $vf_cycles pf0vf0
cycled card_vf $vf_cycles ecpf0vf0
check "dpdk: model: pf0vf0: account of its PF's owner is even" account_even pf0vf0 "$before_vf"
check "dpdk: model: ecpf0vf0: account of its PF's owner is even" account_even ecpf0vf0 \
	"$before_card_vf"
check 'dpdk: model: never reset with pages' [ -z "$(host log 'reset with [0-9]+ pages')" ]

# ---- hostile firmware below VFs of both sides: a reason each time, and nothing is left
hostile() { # <function> <device> <fault> <regular expression>
	check "dpdk: hostile firmware: $1: $3" host control fault "$1" "$3"
	refused "hostile firmware: $3" "$2" "$4"
	host control fault "$1" clear
	check "dpdk: hostile firmware: $1: no object and no page left" state_has "$1" \
		'hca=disabled .*given=0 objects=0 '
}
hostile pf0vf0 $vf 'cmd opcode=ENABLE_HCA count=2 delivery=2' 'bad token'
hostile ecpf0vf0 $card_vf,role=dpu 'cmd opcode=INIT_HCA count=1 status=1 syndrome=0xbeef' \
	'internal error .*beef'
hostile pf0vf0 $vf 'cmd opcode=CREATE_EQ count=1 status=15' 'no resources'
hostile ecpf0vf0 $card_vf,role=dpu,cmd_timeout=500 'cmd opcode=ALLOC_UAR count=1 no-answer' \
	'no answer in 500 ms'
hostile pf0vf0 $vf,fw_timeout=500 'init-busy forever' 'not enabled after 500 ms'
# random bytes where firmware names its board are no reason
host control fault ecpf0vf0 'cmd opcode=QUERY_ADAPTER garbage'
# shellcheck disable=SC2046
check 'dpdk: hostile firmware: random bytes for a name: the device comes up' timeout 60 \
	/bin/probe_cycles $(eal hostile) --no-telemetry -a "$card_vf,class=comch,role=dpu"
host control fault ecpf0vf0 clear

# ---- firmware stops below VFs of both sides; a PF, which is reset first, resets it
# shellcheck disable=SC2317 # called by within
status_is() { # <name> <device> <status>
	telemetry "$1" "/comch/info,$2" | grep -qF "\"status\":\"$3\""
}
# shellcheck disable=SC2046
start failure /bin/probe_cycles $(eal failure) -a "$dev,class=comch,role=host" \
	-a "$vf,class=comch,role=host" -a "$card_vf,class=comch,role=dpu" -- -w
if is_up failure 0,1,2; then
	host control fault pf0vf0 health synd=1
	for i in 0 1 2; do
		check "dpdk: fatal error of firmware: device $i says so" within 20 \
			status_is failure $i 'Input/output error'
	done
	echo reset >&8
	for i in 0 1 2; do
		check "dpdk: fatal error of firmware: reset of device $i" within 40 \
			grep -q "^ok dpdk: reset of device $i" /tmp/failure.out
		check "dpdk: fatal error of firmware: device $i is up again" within 20 \
			status_is failure $i up
	done
fi
results /tmp/failure.out
stop failure quit
for f in pf0 pf0vf0 ecpf0vf0; do
	check "dpdk: after the failure: $f: no object and no page left" state_has $f \
		'hca=disabled .*given=0 objects=0 '
done

# ---- reset by the application, and unplugging while it runs
# shellcheck disable=SC2317 # called by within
resets_are() { # <number>
	[ "$(grep -c '^ok dpdk: reset' /tmp/unplug.out)" = "$1" ]
}
# shellcheck disable=SC2046
start unplug /bin/probe_cycles $(eal unplug) -a "$dev,class=comch" -- -w
if is_up unplug 0; then
	echo reset >&8
	check 'dpdk: reset' within 20 grep -q '^ok dpdk: reset' /tmp/unplug.out
	telemetry unplug /comch/info,0 >/tmp/info
	check 'dpdk: up after the reset' info_has '"status":"up"'
	# The semaphore of firmware resets is in configuration space, as VFIO passes it on.
	host control fault pf0 health synd=1
	check 'dpdk: firmware fails' within 20 grep -q 'firmware failed' /tmp/unplug.out
	echo reset >&8
	check 'dpdk: reset of firmware' within 20 resets_are 2
	host control dump pf0 >/tmp/dump
	check 'dpdk: firmware was reset, once more, and its semaphore is free' \
		grep -q ' fw_resets=2 reset_sem=0x0' /tmp/dump
	telemetry unplug /comch/info,0 >/tmp/info
	check 'dpdk: up after the reset of firmware' info_has '"status":"up"'
	if grep -qw comch.unplug=no /proc/cmdline; then
		note 'nothing is unplugged: vfio-user-pci would abort QEMU'
	else
		host monitor device_del fn0
		check 'dpdk: unplugged while in use: the application lets go' within 30 \
			grep -q '^ok dpdk: removed' /tmp/unplug.out
		check 'dpdk: unplugged: telemetry has no device' sh -c \
			"$(command -v telemetry) $sockets/unplug/dpdk_telemetry.v2 /comch/list |
				grep -qF ':[]'"
		check 'dpdk: unplugged: gone from the bus' within 20 \
			sh -c "! test -e /sys/bus/pci/devices/$dev"
	fi
fi
results /tmp/unplug.out
stop unplug quit
grep COMCH /tmp/unplug.out | while read -r line; do
	note "$line"
done

check 'dpdk: no DMA fault' sh -c "! dmesg | grep -E 'DMAR:.*[Ff]ault'"
check 'dpdk: kernel is well' \
	sh -c "! dmesg | grep -E 'BUG|WARNING|Oops|segfault|general protection'"
exit 0
