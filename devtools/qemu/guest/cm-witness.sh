# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-cm-witness.sh: the kernel's connection manager on two
# functions with InfiniBand ports.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
dmesg -c >/tmp/dmesg.all

# shellcheck disable=SC2317 # called by within
has_rdma() { # <slot>
	ls -d "/sys/bus/pci/devices/0000:0$1:00.0/infiniband/"*
}
rdma_of() { # <slot>
	basename "/sys/bus/pci/devices/0000:0$1:00.0/infiniband/"*
}

for module in mlx5_core mlx5_ib ib_uverbs rdma_ucm; do
	check "cm-witness: $module loads" modprobe $module
done
for slot in 1 2; do
	check "cm-witness: RDMA device $slot" within 20 has_rdma $slot
	check "cm-witness: port of device $slot is active" within 10 \
		grep -q ACTIVE "/sys/class/infiniband/$(rdma_of $slot)/ports/1/state"
done
note "kernel $(uname -r)"

cm_linux "$(rdma_of 1)" "$(rdma_of 2)" >/tmp/results 2>&1
status=$?
results /tmp/results
check "cm-witness: all cases were run $(grep -v '^ok' /tmp/results | head -n 3 | tr '\n' ' ')" \
	[ $status = 0 ]

for module in rdma_ucm mlx5_ib mlx5_core; do
	check "cm-witness: $module unloads" rmmod $module
done
dmesg -c >/tmp/dmesg
bad=$(grep -iE 'fail|error|timeout|timed out|leak|warn|bug|oops|unable|fault' /tmp/dmesg |
	head -n 3 | tr '\n' ';')
check "cm-witness: kernel reports no trouble $bad" [ -z "$bad" ]
cat /tmp/dmesg.all /tmp/dmesg
exit 0
