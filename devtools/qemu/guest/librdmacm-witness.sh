# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-librdmacm-witness.sh: the kernel has a function of the host and
# one of the card, and rdma_peer talks with the driver's programs outside, which have the
# other end of each.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
dmesg -c >/tmp/dmesg.all
read -r host_vf card_vf our_card our_host <<ADDRESSES
$(cat /etc/addresses)
ADDRESSES

gid_of() { # <MAC>: fe80:: with its EUI-64, as all of it
	local IFS=:
	# shellcheck disable=SC2086 # words on purpose
	set -- $1
	printf 'fe80:0000:0000:0000:%02x%s:%sff:fe%s:%s%s' $((0x$1 ^ 2)) "$2" "$3" "$4" "$5" "$6"
}
# shellcheck disable=SC2317 # called by within
has_gid() { # <RDMA device> <MAC>
	grep -qx "$(gid_of "$2")" "/sys/class/infiniband/$1/ports/1/gids/"*
}
mtu() { # <bytes>
	ip link set "$host_if" mtu "$1"
	ip link set "$card_if" mtu "$1"
	sleep 1
}

modprobe mlx5_core
modprobe mlx5_ib
modprobe ib_uverbs
modprobe rdma_ucm
for i in 1 2; do
	check "librdmacm-witness: netdev of function $i" within 20 has $i net || exit 0
	check "librdmacm-witness: RDMA device of function $i" within 20 has $i infiniband || exit 0
done
host_if=$(name_of 1 net)
card_if=$(name_of 2 net)
echo 0 >/proc/sys/net/ipv6/conf/all/accept_dad
for interface in "$host_if" "$card_if"; do
	echo 0 >"/proc/sys/net/ipv6/conf/$interface/accept_dad"
	echo 0 >"/proc/sys/net/ipv6/conf/$interface/addr_gen_mode"
	ip link set "$interface" up
done
check 'librdmacm-witness: GID of the function of the host' within 20 has_gid "$(name_of 1 infiniband)" "$host_vf"
check 'librdmacm-witness: GID of the function of the card' within 20 has_gid "$(name_of 2 infiniband)" "$card_vf"
/usr/local/ip -6 neigh replace "$(gid_of "$our_card")" lladdr "$our_card" dev "$host_if" nud permanent
/usr/local/ip -6 neigh replace "$(gid_of "$our_host")" lladdr "$our_host" dev "$card_if" nud permanent
note "kernel $(uname -r), librdmacm of Debian's rdma-core"

# who they talk with, and as whom they listen
card_at=$(gid_of "$our_card")
listen_at=$(gid_of "$card_vf")
client_outside=client

# client <name> <words> <arguments of rdma_peer>...: the kernel connects; the server
# outside runs already
client() {
	local name="$1" words="$2" said
	shift 2
	said=$(timeout 60 rdma_peer "$@" connect "$host_if" "$card_at" 2>&1)
	if echo "$said" | grep -qE "$words"; then
		pass "librdmacm-witness: $name: $(echo "$said" | tr '\n' ';')"
	else
		fail "librdmacm-witness: $name: no '$words': $(echo "$said" | tr '\n' ';')"
	fi
}
# program_said <name> <words>: the program outside has ended, and said so
program_said() {
	local said
	said=$(host program-end)
	echo "$said" >>/tmp/programs
	if echo "$said" | grep -qE "$2"; then
		pass "librdmacm-witness: $1: $(echo "$said" | grep -oE "$2" | tail -n 1)"
	else
		fail "librdmacm-witness: $1: no '$2': $(echo "$said" | tail -n 5 | tr '\n' ';')"
	fi
}
# server <name> <words of rdma_peer> <words of the client outside> <arguments>...: the kernel listens
server() {
	local name="$1" words="$2" theirs="$3"
	shift 3
	timeout 60 rdma_peer "$@" listen "$card_if" "$listen_at" >/tmp/peer 2>&1 &
	within 20 grep -q listens /tmp/peer
	host program $client_outside
	program_said "$name, the client" "$theirs"
	wait $!
	check "librdmacm-witness: $name: $(tr '\n' ';' </tmp/peer)" grep -qE "$words" /tmp/peer
}

# MTU of the kernel's interfaces and of our functions, and what they agree on
while read -r bytes ours code; do
	mtu "$bytes"
	host control fault ecpf0vf0 mtu "$ours"
	host control fault pf0vf1 mtu "$ours"
	host program server
	client "MTU $bytes and $ours" "MTU code $code" -s 3000
	program_said "MTU $bytes and $ours, the server" 'Received 3000 bytes'
	server "MTU $bytes and $ours, the kernel listens" "MTU code $code" \
		'Received 15 bytes: from the kernel' -w
done <<MTUS
1500 1522 3
2200 4214 4
4300 4214 5
4300 1522 3
MTUS

host program server
client 'wrong magic' 'errno -71,' -m 0x12345678
client 'unknown version' 'errno -93, versions 3 to 3' -v 9
client 'unknown name' 'errno -2,' -n nobody
client 'message size that cannot be' 'errno -71,' -M 100000
client 'after all these' 'received .* from the card'
program_said 'the server after refusals' 'Received 15 bytes: from the kernel'

host program echo
client '2000 messages and their echo' '2000 messages sent, 2000 received' -n epoll_server -c 2000 -s 64 -M 64 -e
program_said 'the server of echoes' '2000 messages answered'

server 'the kernel ends it' 'disconnected, status 0' 'Received 15 bytes: from the kernel'
server 'refused with EACCES' 'refused with -13' 'the user is not let in' -r -13
server 'refused without a word' 'refused with 0' 'the server has refused' -r 0
server 'no answer' 'held' 'does not answer in time' -h 12000

# The kernel's tc takes the commands that the card's side has printed, but for skip_sw,
# which needs hardware: the devices are no representors here.
for module in dummy sch_ingress cls_flower act_mirred; do
	modprobe $module
done
/usr/local/ip link add rep0 type dummy
/usr/local/ip link add rep1 type dummy
sed -n 's/<representor of [0-9a-f:]*>/rep1/g; s/ pf0vf0/ rep0/g; s/ skip_sw//; s|^tc |/usr/local/tc |p' \
	/tmp/programs | grep -v ' del ' | head -n 4 | sort -s -k 2,2r >/tmp/rules
check "librdmacm-witness: tc takes $(wc -l </tmp/rules) commands of the driver" sh -e /tmp/rules
for rep in rep0 rep1; do
	check "librdmacm-witness: rule of $rep" sh -c \
		"/usr/local/tc filter show dev $rep ingress | tr '\n' ' ' | grep 'dst_port 4791.*mirred'"
done

# The same over IPv4: each interface has an address of its own network, and knows who has
# the other one there.
ip4_is() { # <interface> <address> <other> <MAC of that>
	/usr/local/ip addr add "$2/24" dev "$1"
	/usr/local/ip neigh replace "$3" lladdr "$4" dev "$1" nud permanent
}
# shellcheck disable=SC2317 # called by within
has_ip4_gid() { # <RDMA device> <end of the GID>
	grep -qx "0000:0000:0000:0000:0000:ffff:$2" "/sys/class/infiniband/$1/ports/1/gids/"*
}
card_at=192.0.2.2
listen_at=198.51.100.2
client_outside=client-ip4
ip4_is "$host_if" 192.0.2.1 $card_at "$our_card"
ip4_is "$card_if" $listen_at 198.51.100.1 "$our_host"
check 'librdmacm-witness: IPv4 GID of the function of the host' within 20 has_ip4_gid "$(name_of 1 infiniband)" c000:0201
check 'librdmacm-witness: IPv4 GID of the function of the card' within 20 has_ip4_gid "$(name_of 2 infiniband)" c633:6402
host program server-ip4
client 'IPv4' 'received .* from the card' -s 3000
program_said 'IPv4, the server' 'Received 3000 bytes'
server 'IPv4, the kernel listens' 'disconnected, status 0' 'Received 15 bytes: from the kernel'

no_trouble librdmacm-witness
for m in rdma_ucm mlx5_ib mlx5_core; do
	check "librdmacm-witness: $m unloads" within 10 rmmod $m
done
cat /tmp/dmesg.all
exit 0
