#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-dpdk.sh <folder> [<meson build folder>]
#
# Our driver on the model through the kernel's VFIO, in a guest: telemetry of an
# application, VFs of both sides at once a hundred times probed and removed, firmware
# that stops, unplugged while in use, and what users are told who have not set it up. See test-common.sh for the
# arguments; the build has to be one with static libraries.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-dpdk "$@"

# As the applications of the tree are linked: our archives whole, DPDK's shared.
# shellcheck disable=SC2046 # lists of options
compile probe_cycles -D_GNU_SOURCE -DALLOW_EXPERIMENTAL_API "-I$top/lib/comch" \
	$(pkg-config --cflags libdpdk) -Wl,--export-dynamic -Wl,--whole-archive \
	"$tree/lib/librte_comch.a" "$tree"/drivers/librte_comch_*.a -Wl,--no-whole-archive \
	$(pkg-config --libs libdpdk) -Wl,--push-state,--no-as-needed -lrte_bus_pci -lrte_bus_vdev \
	-Wl,--pop-state
compile telemetry
libdir=$(pkg-config --variable=libdir libdpdk)
"$here/make-initramfs.sh" "$work" "$run/initramfs" \
	-m vfio_iommu_type1 -m vfio_pci -m mlx5_core \
	-f "$libdir/librte_common_mlx5.so:/lib/mlx5/librte_common_mlx5.so" \
	-f "$libdir/librte_net_mlx5.so:/lib/mlx5/librte_net_mlx5.so" \
	-f "$work/guest/probe_cycles:/bin/probe_cycles" -f "$work/guest/telemetry:/bin/telemetry" \
	-f "$tree/app/dpdk-test-comch:/bin/dpdk-test-comch" \
	-f "$here/guest/lib.sh:/lib/guest.sh" "$here/guest/dpdk.sh"

model_start --function pf0 --function pf1,id=0x1234 --function ecpf0,mode=nic \
	--function ecpf1 --function pf0vf0 --function ecpf0vf0
guest_run "$run/initramfs" -m 1024 -t 400 -a hugepages=96 \
	pf0.sock pf1.sock ecpf0.sock ecpf1.sock pf0vf0.sock ecpf0vf0.sock

# That firmware stops is what the guest asks for, once.
test_end 'a fault that was asked for'
