#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-messages.sh <folder> [<meson build folder>]
#
# Messages between two virtual functions in a guest, one of the host and one of the card,
# each owned through the kernel's vfio-pci by a dpdk-test-comch of its own: polled, and
# asleep until MSI-X wakes them. See test-common.sh for the arguments.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-messages "$@"

"$here/make-initramfs.sh" "$work" "$run/initramfs" -m vfio_iommu_type1 -m vfio_pci \
	-f "$tree/app/dpdk-test-comch:/bin/dpdk-test-comch" \
	-f "$here/guest/lib.sh:/lib/guest.sh" "$here/guest/messages.sh"

model_start --function pf0vf0,mac=02:00:00:00:00:10 --function ecpf0vf0,mac=02:00:00:00:0c:00 \
	--allow pf0vf0/ecpf0vf0
# two processes that poll are slow on one CPU
guest_run "$run/initramfs" -c 2 -m 1024 -t 300 -a hugepages=96 pf0vf0.sock ecpf0vf0.sock

test_end ''
