# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-cm-witness.sh: the kernel's connection manager on three
# functions with InfiniBand ports; what the third one says is for nobody.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
dmesg -c >/tmp/dmesg.all

for module in mlx5_core mlx5_ib ib_uverbs rdma_ucm; do
	check "cm-witness: $module loads" modprobe $module
done
for slot in 1 2 3; do
	check "cm-witness: RDMA device $slot" within 20 has $slot infiniband
	check "cm-witness: port of device $slot is active" within 10 \
		grep -q ACTIVE "/sys/class/infiniband/$(name_of $slot infiniband)/ports/1/state"
done
note "kernel $(uname -r)"

cm_linux "$(name_of 3 infiniband)" >/tmp/nobody 2>&1 &
cm_linux "$(name_of 1 infiniband)" "$(name_of 2 infiniband)" >/tmp/results 2>&1
status=$?
wait $! || status=$?
cat /tmp/nobody >>/tmp/results
results /tmp/results
check "cm-witness: all cases were run $(grep -v '^ok' /tmp/results | head -n 3 | tr '\n' ' ')" \
	[ $status = 0 ]

for module in rdma_ucm mlx5_ib mlx5_core; do
	check "cm-witness: $module unloads" rmmod $module
done
no_trouble cm-witness
cat /tmp/dmesg.all
exit 0
