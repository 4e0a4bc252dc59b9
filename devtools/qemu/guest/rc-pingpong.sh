# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-rc-pingpong.sh: two functions with InfiniBand ports, and
# programs that send messages from one to the other and back.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
dmesg -c >/tmp/dmesg.all

check 'rc-pingpong: mlx5_core loads' modprobe mlx5_core
check 'rc-pingpong: mlx5_ib loads' modprobe mlx5_ib
modprobe ib_uverbs
check 'rc-pingpong: RDMA device of pf0' within 20 has 1 infiniband
check 'rc-pingpong: RDMA device of pf1' within 20 has 2 infiniband
first=$(name_of 1 infiniband)
second=$(name_of 2 infiniband)
for dev in "$first" "$second"; do
	check "rc-pingpong: $dev: port is active" within 10 \
		grep -q ACTIVE "/sys/class/infiniband/$dev/ports/1/state"
	ibv_devinfo -d "$dev" >"/tmp/info.$dev" 2>&1
	check "rc-pingpong: $dev: link layer" grep -q 'link_layer:.*InfiniBand' "/tmp/info.$dev"
	note "$dev: $(grep -E 'state:|port_lid:|active_mtu:' "/tmp/info.$dev" | tr -s '\t\n ' ' ')"
done
lid_of() { # <RDMA device>
	cat "/sys/class/infiniband/$1/ports/1/lid"
}
check 'rc-pingpong: LIDs are distinct' [ "$(lid_of "$first")" != "$(lid_of "$second")" ]

# shellcheck disable=SC2317 # called by within
listens() { # <TCP port>
	grep -qE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$1") [0-9A-F:]+ 0A" /proc/net/tcp /proc/net/tcp6
}

# run <program> <arguments>...: its server on one device, its client on the other. Both
# have to end well, and the client to say how many bytes went. With -c the server looks
# at a byte of each page that came, and goes on after it has told what is wrong.
port=18600
run() {
	local server client text
	port=$((port + 1))
	timeout 60 "$@" -c -p $port -d "$first" >/tmp/server 2>&1 &
	server=$!
	within 20 listens $port
	timeout 60 "$@" -c -p $port -d "$second" 127.0.0.1 >/tmp/client 2>&1
	client=$?
	wait $server
	server=$?
	text=$(grep ' bytes in ' /tmp/client)
	if [ $server = 0 ] && [ $client = 0 ] && [ -n "$text" ] &&
		! grep -q 'invalid data' /tmp/server /tmp/client; then
		pass "rc-pingpong: $*: $text"
	else
		fail "rc-pingpong: $*: server $server, client $client:" \
			"$(cat /tmp/server /tmp/client | tail -n 6 | tr '\n' ' ')"
	fi
}
received_of() { # <function>
	host control switch dump | sed -n "s/^vport $1 .* received=\([0-9]*\) .*/\1/p"
}

run ibv_rc_pingpong
run ibv_rc_pingpong -e
run ibv_srq_pingpong
run ibv_srq_pingpong -e
# inline data; messages of many packets on many pages; addresses beside LIDs
run ibv_rc_pingpong -s 24
run ibv_rc_pingpong -s 300000 -n 50 -m 4096 -r 20
run ibv_rc_pingpong -g 0 -N
run ibv_ud_pingpong
run ibv_ud_pingpong -e -g 0

# Two pairs at once: while queue pairs of the one are slow the other makes its objects.
host control fault pf0 cmd opcode=CREATE_QP count=16 delay=100
for i in 1 2; do
	timeout 60 ibv_srq_pingpong -p $((port + i)) -d "$first" >/tmp/server$i 2>&1 &
done
for i in 1 2; do
	within 20 listens $((port + i))
	timeout 60 ibv_srq_pingpong -p $((port + i)) -d "$second" 127.0.0.1 >/tmp/client$i 2>&1 &
done
port=$((port + 2))
wait
check 'rc-pingpong: two pairs at once' sh -c \
	'grep -q " bytes in " /tmp/client1 && grep -q " bytes in " /tmp/client2'
host control dump >/tmp/dump
check 'rc-pingpong: commands have overtaken others' grep -q 'overtaken=[1-9]' /tmp/dump

# Lost packets are sent again, fewer of them than a request has retries.
host control fault pf0 net drop=3
host control fault pf1 net drop=3
run ibv_rc_pingpong -n 200
for dev in "$first" "$second"; do
	counters=/sys/class/infiniband/$dev/ports/1/hw_counters
	check "rc-pingpong: $dev: the kernel counts what is sent again" sh -c \
		"[ \"\$(cat $counters/local_ack_timeout_err)\" -gt 0 ] || grep . $counters/*"
done
# Without an end it is an error, in the words of the program, and not a wait.
host control fault pf1 net drop=all
port=$((port + 1))
timeout 20 ibv_rc_pingpong -p $port -d "$first" >/tmp/server 2>&1 &
server=$!
within 20 listens $port
timeout 20 ibv_rc_pingpong -p $port -d "$second" 127.0.0.1 >/tmp/client 2>&1
check 'rc-pingpong: nobody answers: error' \
	grep 'transport retry counter exceeded (12)' /tmp/client
kill $server
wait $server
host control fault pf1 clear
run ibv_rc_pingpong -n 200

for f in pf0 pf1; do
	check "rc-pingpong: $f: its vport received packets" [ "$(received_of $f)" -gt 20000 ]
	note "$(host control switch dump | grep "^vport $f ")"
done

# Nothing of the programs stays, and the kernel saw no trouble.
check 'rc-pingpong: mlx5_ib unloads' rmmod mlx5_ib
check 'rc-pingpong: mlx5_core unloads' rmmod mlx5_core
no_trouble rc-pingpong
for f in pf0 pf1; do
	check "rc-pingpong: $f: disabled, no object and no page left" state_has $f \
		'hca=disabled .*given=0 objects=0 '
done
cat /tmp/dmesg.all
exit 0
