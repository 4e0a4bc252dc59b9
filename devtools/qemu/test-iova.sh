#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-iova.sh <folder> [<meson build folder>]
#
# Packets received over comch leave by QEMU's e1000 on vfio-pci, which reads them by
# their IOVAs through the IOMMU; a second e1000 on the same wire compares each byte.
# See test-common.sh for the arguments; the build has to be one with static
# libraries.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-iova "$@"

# shellcheck disable=SC2046 # lists of options
compile forward -D_GNU_SOURCE -DALLOW_EXPERIMENTAL_API "-I$top/lib/comch" \
	$(pkg-config --cflags libdpdk) -Wl,--export-dynamic -Wl,--whole-archive \
	"$tree/lib/librte_comch.a" "$tree"/drivers/librte_comch_*.a -Wl,--no-whole-archive \
	$(pkg-config --libs libdpdk) -Wl,--push-state,--no-as-needed -lrte_bus_pci -lrte_bus_vdev \
	-lrte_net_e1000 -lrte_mempool_ring -Wl,--pop-state
"$here/make-initramfs.sh" "$work" "$run/initramfs" -l vfio_iommu_type1 -l vfio_pci \
	-f "$work/guest/forward:/bin/forward" -f "$here/guest/lib.sh:/lib/guest.sh" \
	"$here/guest/iova.sh"

model_start --function pf0
guest_run "$run/initramfs" -m 1024 -t 300 -a hugepages=128 \
	-q -netdev -q hubport,id=wire0,hubid=0 -q -netdev -q hubport,id=wire1,hubid=0 \
	-q -device -q e1000,netdev=wire0,addr=10 -q -device -q e1000,netdev=wire1,addr=11
test_end ''
