#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-roce-witness.sh <folder> [<meson build folder>]
#
# RoCE v2 of the model against programs of others, in a guest: two functions whose
# netdevs mlx5_core makes are in two network namespaces, whose frames go through the
# model's switch. Over mlx5_ib run ibv_rc_pingpong and ibv_ud_pingpong (ibverbs-utils),
# rping, ucmatose and udaddy (rdmacm-utils), ib_send_bw and ib_send_lat (perftest).
# See test-common.sh for the arguments.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-roce-witness "$@"

programs=()
for program in ibv_devinfo:ibverbs-utils ibv_rc_pingpong:ibverbs-utils \
	ibv_ud_pingpong:ibverbs-utils rping:rdmacm-utils ucmatose:rdmacm-utils \
	udaddy:rdmacm-utils ib_send_bw:perftest ib_send_lat:perftest; do
	path=$(command -v "${program%:*}") || die "no ${program%:*}: apt-get install ${program#*:}"
	programs+=(-f "$path:/bin/${program%:*}")
done
# busybox has an ip without namespaces
path=$(PATH=$PATH:/usr/sbin:/sbin command -v ip) || die 'no ip: apt-get install iproute2'
mlx5_ib_files
"$here/make-initramfs.sh" "$work" "$run/initramfs" "${mlx5_ib[@]}" \
	-m rdma_ucm "${programs[@]}" -f "$path:/usr/local/ip" \
	-f "$here/guest/lib.sh:/lib/guest.sh" "$here/guest/roce-witness.sh"

model_start --function=pf0,netdev=1 --function=pf0vf0,netdev=1 \
	--rule="dev pf0 ingress prio 1 protocol all flower skip_sw action mirred egress redirect dev pf0vf0" \
	--rule="dev pf0vf0 ingress prio 1 protocol all flower skip_sw action mirred egress redirect dev pf0"
guest_run "$run/initramfs" -m 512 -t 600 pf0.sock pf0vf0.sock

# Commands that the kernel makes of what the device says that it has are all done.
echo 'What the kernel asks for and the model does not have:'
{ grep -hE 'refused, status|no register' "$logs/model.log" || echo ' 0 - -: nothing'; } |
	sed -E 's/^ *[0-9.]+ +[^ ]+ +[^ ]+: (slot [0-9]+: )?/   /' | sort -u | tee -a "$logs/results.log"

test_end '^$'
