#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-cm-witness.sh <folder> [<meson build folder>]
#
# The kernel's connection manager, ib_cm below rdma_cm, sends each of its messages from one
# function with an InfiniBand port to another, and from a third to nobody. The model captures them: as
# guest-logs/test-cm-witness/cm.pcapng. They have to be those that the autotests know, see
# cm-vectors.py, which also writes them. See test-common.sh for the arguments.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-cm-witness "$@"

compile cm_linux -lrdmacm -libverbs
mlx5_ib_files
"$here/make-initramfs.sh" "$work" "$run/initramfs" "${mlx5_ib[@]}" \
	-m rdma_ucm -f "$work/guest/cm_linux:/bin/cm_linux" \
	-f "$here/guest/lib.sh:/lib/guest.sh" "$here/guest/cm-witness.sh"

model_start --function=pf0,port=ib --function=pf1,port=ib --function=pf0vf0,port=ib \
	--capture="$logs/cm.pcapng"
guest_run "$run/initramfs" -m 512 -t 300 pf0.sock pf1.sock pf0vf0.sock

compare_messages "$logs/cm.pcapng"
test_end 'refused, status'
