#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-librdmacm-witness.sh <folder> [<meson build folder>]
#
# The bluefield driver against librdmacm on the kernel's drivers. Of one card a guest's
# kernel has a virtual function of the host and one of the card; programs of the tree have
# the other end of each, outside of the guest. Each side connects, is connected to,
# refuses, and ends; over addresses made of MACs, and over IPv4. See test-common.sh for the arguments.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-librdmacm-witness "$@"

host_vf=02:00:00:00:00:10
host_vf_ours=02:00:00:00:00:11
card_vf_ours=02:00:00:00:0c:00
card_vf=02:00:00:00:0c:01

[ -x "$tree/examples/dpdk-comch-ctrl-path" ] || die "no examples in $tree"
# shellcheck disable=SC2046 # words on purpose
compile rdma_peer -I"$top/drivers/comch/bluefield/chan" $(pkg-config --cflags libdpdk) \
	-lrdmacm -libverbs
tools=()
for tool in ip tc; do
	path=$(PATH=$PATH:/usr/sbin:/sbin command -v $tool) || die "no $tool: apt-get install iproute2"
	tools+=(-f "$path:/usr/local/$tool")
done
mlx5_ib_files
echo "$host_vf $card_vf $card_vf_ours $host_vf_ours" >"$run/addresses"
"$here/make-initramfs.sh" "$work" "$run/initramfs" "${mlx5_ib[@]}" \
	-m rdma_ucm -m dummy -m sch_ingress -m cls_flower -m act_mirred \
	-f "$work/guest/rdma_peer:/bin/rdma_peer" "${tools[@]}" \
	-f "$run/addresses:/etc/addresses" \
	-f "$here/guest/lib.sh:/lib/guest.sh" "$here/guest/librdmacm-witness.sh"

# program server|client|server-ip4|client-ip4|echo: of the tree, with the end that the guest
# does not have; program-end: what it has said, when it has ended
outside() { # <request>
	local card=comch_bluefield0,socket=$run/model/ecpf0vf0.sock,role=dpu,functions=pf0vf0@$host_vf
	local client=comch_bluefield0,socket=$run/model/pf0vf1.sock,role=host,function=pf0vf1,peer=$card_vf
	local program=$tree/examples/dpdk-comch- command i
	case $1 in
	*-ip4)
		card+=@192.0.2.1,ip=192.0.2.2
		client+=@198.51.100.2,ip=198.51.100.1
		;;
	esac
	case $1 in
	'program server' | 'program server-ip4')
		command=("${program}ctrl-path" --no-huge -m 64 --no-pci -l 0 --file-prefix=witness-$$
			--vdev "$card,fdb=tc" -- -e -t 'from the card')
		;;
	'program client' | 'program client-ip4')
		command=("${program}ctrl-path" --no-huge -m 64 --no-pci -l 0 --file-prefix=witness-$$
			--vdev "$client" -- -e -w 5 -t 'from the host')
		;;
	'program echo')
		command=(env "DOCA_COMPAT_EAL_ARGS=--vdev $card" DOCA_COMPAT_HOST_BUS=0000:03
			"${program}doca-epoll-server" -p 03:00.0 -r 03:00.2)
		;;
	program-end)
		for ((i = 0; i < 600; i++)); do
			[ ! -e "$run/program.status" ] || break
			sleep 0.1
		done
		grep -v '^EAL\|^TELEMETRY' "$run/program"
		return
		;;
	*)
		echo "unknown request: $1"
		return
		;;
	esac
	rm -f "$run/program.status" "$run/program"
	{
		timeout -k 5 60 "${command[@]}" >"$run/program" 2>&1 </dev/null || true
		touch "$run/program.status"
	} >/dev/null 5>&- 6>&- 7>&- 8>&- &
	for ((i = 0; i < 200; i++)); do
		! grep -qE 'waits for|connects to' "$run/program" 2>/dev/null || break
		sleep 0.1
	done
}

# way <function> <MAC> <address> <function> <MAC> <address>: a rule of the switch over IPv4
way() {
	echo "dev $1 ingress prio 2 protocol ip flower skip_sw src_mac $2 dst_mac $5 src_ip $3 dst_ip $6" \
		"ip_proto udp dst_port 4791 action mirred egress redirect dev $4"
}

model_start --function "pf0vf0,netdev=1,mac=$host_vf" --function "ecpf0vf0,mac=$card_vf_ours" \
	--function "pf0vf1,mac=$host_vf_ours" --function "ecpf0vf1,netdev=1,mac=$card_vf" \
	--allow pf0vf0/ecpf0vf0 --allow pf0vf1/ecpf0vf1 \
	--rule "$(way pf0vf0 $host_vf 192.0.2.1 ecpf0vf0 $card_vf_ours 192.0.2.2)" \
	--rule "$(way ecpf0vf0 $card_vf_ours 192.0.2.2 pf0vf0 $host_vf 192.0.2.1)" \
	--rule "$(way pf0vf1 $host_vf_ours 198.51.100.1 ecpf0vf1 $card_vf 198.51.100.2)" \
	--rule "$(way ecpf0vf1 $card_vf 198.51.100.2 pf0vf1 $host_vf_ours 198.51.100.1)" \
	--capture "$logs/all.pcapng"
guest_run "$run/initramfs" -m 512 -t 300 pf0vf0.sock ecpf0vf1.sock

compare_messages "$logs/all.pcapng"
test_end ''
