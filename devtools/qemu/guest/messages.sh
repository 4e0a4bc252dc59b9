# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-messages.sh: pf0vf0 is the first device, ecpf0vf0 the second,
# and the switch lets them talk.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
host_vf=0000:01:00.0
card_vf=0000:02:00.0
host_mac=02:00:00:00:00:10
card_mac=02:00:00:00:0c:00

modprobe vfio_iommu_type1
modprobe vfio_pci
for dev in $host_vf $card_vf; do
	check "messages: $dev is bound to vfio-pci" bind "$dev" vfio-pci
done

# shellcheck disable=SC2317 # called by within
serves() {
	grep -q '^serving ' /tmp/server
}
# Interrupts of vectors that a process has now, on both CPUs. They are gone with it.
irqs() {
	awk '/vfio-msix/ { n += $2 + $3 } END { print n + 0 }' /proc/interrupts
}

# Without --legacy-mem EAL may give pages of its start back, and the kernel takes away all
# that was mapped with them: see the guide of the driver.
#
# run <arguments of the client>...: a server on the card's function, for one client.
# -V has both sides check every byte. The most interrupts that were seen are in $woken.
run() {
	local server client text n
	woken=0
	timeout 120 dpdk-test-comch --file-prefix=server -m 64 --legacy-mem --lcores 0 --no-telemetry \
		-a "$card_vf,class=comch,role=dpu,functions=pf0vf0@$host_mac" -- \
		--server --once "$@" >/tmp/server 2>&1 &
	server=$!
	within 60 serves
	timeout 120 dpdk-test-comch --file-prefix=client -m 64 --legacy-mem --lcores 1 --no-telemetry \
		-a "$host_vf,class=comch,role=host,function=pf0vf0,peer=$card_mac" -- \
		--client -V --warmup 0 --rounds 1 --timeout 20000 "$@" >/tmp/client 2>&1 &
	client=$!
	while kill -0 $client 2>/dev/null; do
		n=$(irqs)
		[ "$n" -le "$woken" ] || woken=$n
		sleep 0.3
	done
	wait $client
	client=$?
	wait $server
	server=$?
	text=$(grep '^Summary: ' /tmp/client)
	if [ $server = 0 ] && [ $client = 0 ] && echo "$text" | grep -q ', 0 failed,'; then
		pass "messages: $*: $text"
	else
		fail "messages: $*: server $server, client $client:" \
			"$(cat /tmp/server /tmp/client | grep -v '^EAL' | tail -n 8 | tr '\n' ' ')"
	fi
}

run -t ctrl-rate -s 64 -c 10000
run -t ctrl-rate -s 4000 -c 2000
run -t fp-rate -s 64 -c 10000
run -t imm-rate -s 32 -c 10000
polled=$woken
run -t fp-rate -s 64 -c 10000 --event
run -t ctrl-rate -s 64 -c 10000 --event
run -t ctrl-lat -s 64 -c 1000 --event
check "messages: MSI-X wakes who sleeps: $woken, and $polled where both poll" \
	[ "$woken" -gt $((polled + 1000)) ]

for f in pf0vf0 ecpf0vf0; do
	note "$(host control switch dump | grep "^vport $f ")"
	check "messages: $f: disabled, no object left" state_has $f 'hca=disabled .* objects=0 '
done
check 'messages: no DMA fault' sh -c "! dmesg | grep -E 'DMAR:.*[Ff]ault'"
exit 0
