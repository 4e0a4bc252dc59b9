# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-roce-witness.sh: two functions, each with its netdev in a
# network namespace of its own, and programs that send from one to the other.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
dmesg -c >/tmp/dmesg.all

ip() {
	/usr/local/ip "$@"
}
in_ns() { # <slot> <command>...
	local ns=ns$1
	shift
	/usr/local/ip netns exec "$ns" "$@"
}

check 'roce-witness: mlx5_core loads' modprobe mlx5_core
for i in 1 2; do
	check "roce-witness: netdev of function $i" within 20 has $i net || exit 1
done
check 'roce-witness: mlx5_ib loads' modprobe mlx5_ib
modprobe ib_uverbs
modprobe rdma_ucm
for i in 1 2; do
	check "roce-witness: RDMA device of function $i" within 20 has $i infiniband
	ip netns add ns$i
	ip link set "$(name_of $i net)" netns ns$i name eth$i
	in_ns $i /usr/local/ip addr add 10.0.0.$i/24 dev eth$i
	check "roce-witness: netdev of function $i comes up" \
		in_ns $i /usr/local/ip link set eth$i up
done
first=$(name_of 1 infiniband)
second=$(name_of 2 infiniband)
for i in 1 2; do
	dev=$(name_of $i infiniband)
	check "roce-witness: $dev: port is active" within 10 \
		grep -q ACTIVE "/sys/class/infiniband/$dev/ports/1/state"
	check "roce-witness: $dev: GID of its IPv4 address" within 10 \
		grep -q 'ffff:0a00:000' "/sys/class/infiniband/$dev/ports/1/gids/1"
	check "roce-witness: $dev: GID is of RoCE v2" \
		grep -q 'RoCE v2' "/sys/class/infiniband/$dev/ports/1/gid_attrs/types/1"
	check "roce-witness: eth$i has carrier" within 10 sh -c \
		"/usr/local/ip netns exec ns$i /usr/local/ip link show eth$i | grep -q LOWER_UP"
done
no_trouble 'roce-witness: bringing up'

# Frames of the netdevs: ARP and neighbour discovery, small and of several pieces.
for size in 56 1472; do
	check "roce-witness: ping with $size bytes" in_ns 1 ping -c 1 -s $size 10.0.0.2
done
# The other one has its link-local address some time after its carrier, and a second later for
# good.
# shellcheck disable=SC2317 # called by within
ping6_other() {
	in_ns 1 ping -6 -c 2 -I eth1 \
		"$(in_ns 2 /usr/local/ip -6 addr show eth2 | sed -n 's|.*inet6 \(fe80[^/]*\)/.*|\1|p')%eth1"
}
check 'roce-witness: ping over IPv6' within 10 ping6_other
# TCP in large segments, which the device cuts, and whose checksums it makes and checks.
dd if=/dev/urandom of=/tmp/sent bs=64k count=4 2>/dev/null
in_ns 2 httpd -f -p 5000 -h /tmp &
server=$!
check 'roce-witness: a file over TCP' within 20 in_ns 1 sh -c \
	'{ printf "GET /sent HTTP/1.0\r\n\r\n"; sleep 3; } | nc -w 20 10.0.0.2 5000 >/tmp/came'
kill $server
wait $server
tail -c 262144 /tmp/came >/tmp/bytes
check 'roce-witness: bytes of TCP' cmp /tmp/sent /tmp/bytes
no_trouble 'roce-witness: frames'
host control dump pf0vf0 >/tmp/dump
check 'roce-witness: large segments were cut' grep -qE 'SQ .* cut=[1-9]' /tmp/dump

# shellcheck disable=SC2317 # called by within
listens() { # <TCP port>
	in_ns 1 cat /proc/net/tcp /proc/net/tcp6 |
		grep -qE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$1") [0-9A-F:]+ 0A"
}
# ended <words> <what was said of success>: server and client of files, both with status 0
ended() {
	local name="$1" good="$2"
	if [ "$server" = 0 ] && [ "$client" = 0 ] && grep -qE "$good" /tmp/client &&
		! grep -q 'invalid data' /tmp/server /tmp/client; then
		pass "roce-witness: $name: $(grep -E "$good" /tmp/client | tail -n 1 | tr -s ' ' |
			cut -c1-60)"
	else
		fail "roce-witness: $name: server $server, client $client:" \
			"$(cat /tmp/server /tmp/client | tail -n 8 | tr '\n' ' ')"
	fi
}
# tcp <what is said of success> <program> <arguments>...: its server on the first device,
# its client on the second, which find each other by TCP.
port=18600
tcp() {
	local good="$1"
	shift
	port=$((port + 1))
	in_ns 1 timeout 60 "$@" -p $port -d "$first" >/tmp/server 2>&1 &
	server=$!
	within 20 listens $port
	in_ns 2 timeout 60 "$@" -p $port -d "$second" 10.0.0.1 >/tmp/client 2>&1
	client=$?
	wait $server
	server=$?
	ended "$*" "$good"
}
# cm <what is said of success> <options of the server> <of the client> <program> <arguments>...:
# the same by rdma_cm. A client that comes before its server is refused, and comes again.
cm() {
	local good="$1" listen="$2" connect="$3"
	shift 3
	# shellcheck disable=SC2086 # words on purpose
	in_ns 1 timeout 60 "$@" $listen >/tmp/server 2>&1 &
	server=$!
	client=1
	# shellcheck disable=SC2086
	within 30 in_ns 2 sh -c "timeout 30 $* $connect >/tmp/client 2>&1" && client=0
	[ $client = 0 ] || kill $server
	wait $server
	server=$?
	ended "$*" "$good"
}

tcp ' bytes in ' ibv_rc_pingpong -c -e -n 200 -g 1
tcp ' bytes in ' ibv_rc_pingpong -c -e -n 20 -g 1 -s 300000 -m 1024
tcp ' bytes in ' ibv_rc_pingpong -c -e -n 200 -g 0
tcp ' bytes in ' ibv_ud_pingpong -c -e -n 200 -g 1 -s 1024
tcp ' bytes in ' ibv_ud_pingpong -c -e -n 200 -g 0 -s 1024
cm 'ping data: rdma-ping-9' '-s -a 10.0.0.1 -C 10' '-c -a 10.0.0.1 -C 10' rping -v -V
cm 'ping data: rdma-ping-9' '-s -a 10.0.0.1 -C 10 -S 3000' '-c -a 10.0.0.1 -C 10 -S 3000' rping -v -V
cm 'return status 0' '-b 10.0.0.1' '-s 10.0.0.1' ucmatose
cm 'return status 0' '-b 10.0.0.1' '-s 10.0.0.1' udaddy
tcp '^ *4096 ' ib_send_bw -F -e -x 1 -n 200 -s 4096
# With events it may take one of its receive queue for that of what it has sent.
tcp '^ *2 ' ib_send_lat -F -x 1 -n 50
tcp '^ *1024 ' ib_send_lat -F -x 1 -n 50 -s 1024 -c UD
no_trouble 'roce-witness: RoCE'

for i in 1 2; do
	note "eth$i: $(in_ns $i /usr/local/ip -s link show eth$i | tr -s ' \n' ' ')"
done
check 'roce-witness: netdev goes down and comes back' in_ns 1 sh -c \
	'/usr/local/ip link set eth1 down && /usr/local/ip link set eth1 up'
check 'roce-witness: ping after that' within 10 in_ns 1 ping -c 1 -W 2 10.0.0.2
host control dump >/tmp/dump
ip netns del ns1
ip netns del ns2
for m in rdma_ucm mlx5_ib mlx5_core; do
	check "roce-witness: $m unloads" within 10 rmmod $m
done
no_trouble 'roce-witness: unloading'
for f in pf0 pf0vf0; do
	check "roce-witness: $f: no object is left" state_has $f 'hca=disabled .*objects=0 '
done
cat /tmp/dmesg.all /tmp/dump
exit 0
