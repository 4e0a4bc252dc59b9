#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-rdma-core.sh <folder> [<meson build folder>]
#
# The model against rdma-core's mlx5 provider over VFIO, in a guest: it opens a
# function, of the host or of the card, makes and destroys PD, MKEY, UMEM, UAR, EQ,
# CQ, QP, and closes it. See test-common.sh for the arguments.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-rdma-core "$@"

compile rdma_core_vfio -lmlx5 -libverbs -pthread
"$here/make-initramfs.sh" "$work" "$run/initramfs" \
	-m vfio_iommu_type1 -m vfio_pci \
	-f "$work/guest/rdma_core_vfio:/bin/rdma_core_vfio" \
	-f "$here/guest/lib.sh:/lib/guest.sh" "$here/guest/rdma-core.sh"

model_start --function pf0,vhca_ports=2 --function pf0vf0 --function ecpf0vf0 --function ecpf0
guest_run "$run/initramfs" -m 512 -t 200 pf0.sock pf0vf0.sock ecpf0vf0.sock ecpf0.sock

# It asks for nothing that is not there, and makes no mistake that the model sees,
# but for the one that the guest looks at.
test_end ' ecpf0: .* ENABLE_HCA '
