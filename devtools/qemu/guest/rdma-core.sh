# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-rdma-core.sh: rdma-core's VFIO provider on functions: a
# PF, a VF of the host, a VF of the card's own PF, and that PF.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
dev=0000:01:00.0
vf=0000:02:00.0
card_vf=0000:03:00.0
card=0000:04:00.0

modprobe vfio_iommu_type1 && modprobe vfio-pci || exit 1
check 'rdma-core: bound to vfio-pci' bind $dev vfio-pci || exit 1

# The program waits with its device open, and everything in it destroyed.
mkfifo /tmp/go
exec 8<>/tmp/go
host mark
timeout 60 /bin/rdma_core_vfio $dev 10 pause </tmp/go >/tmp/out 2>&1 &
pid=$!
within 45 sh -c "grep -q '^pause' /tmp/out || ! kill -0 $pid"
if grep -q '^pause' /tmp/out; then
	# what the library itself keeps: an EQ and its UAR page
	host control objects pf0 >/tmp/count
	host control dump pf0 >/tmp/dump
	for what in PD TD MKEY UMEM; do
		check "rdma-core: no $what left" sh -c "! grep -E '^$what ' /tmp/dump"
	done
	note "rdma-core: $(head -n 1 /tmp/count) objects while it is open"
else
	fail "rdma-core: runs: $(tail -n 1 /tmp/out)"
fi
echo >&8
wait $pid
status=$?
results /tmp/out
grep -vE '^(ok|FAILED|pause)' /tmp/out | while read -r line; do
	note "rdma-core says: $line"
done
check 'rdma-core: ends well' [ $status = 0 ]
# the kernel resets the function when the last descriptor is closed
check 'rdma-core: no object left' [ "$(host control objects pf0)" = 0 ]
check 'rdma-core: no page left' [ "$(host control pages pf0)" = 'given 0' ]

# A second time, from a fresh start.
timeout 60 /bin/rdma_core_vfio $dev 1 >/tmp/out 2>&1
check 'rdma-core: a second time' \
	sh -c "grep -q 'ok.*ibv_close_device' /tmp/out && ! grep FAILED /tmp/out"
# VFs of both sides at once, each in a program of its own.
check 'rdma-core: VFs bound to vfio-pci' bind $vf vfio-pci
check 'rdma-core: VFs bound to vfio-pci' bind $card_vf vfio-pci
timeout 60 /bin/rdma_core_vfio $vf 5 >/tmp/vf 2>&1 &
pid=$!
timeout 60 /bin/rdma_core_vfio $card_vf 5 >/tmp/card_vf 2>&1
wait $pid
for f in vf card_vf; do
	check "rdma-core: $f" sh -c "grep -q 'ok.*ibv_close_device' /tmp/$f && ! grep FAILED /tmp/$f"
done
for f in pf0vf0 ecpf0vf0; do
	check "rdma-core: $f: no object and no page left" state_has $f 'given=0 objects=0 '
	note "rdma-core: $f: $(host control owner $f | tr '\n' ' ')"
done

# It knows no functions of cards: ENABLE_HCA has to say that it is for one, and that
# is never said. So it is refused, as firmware would have to.
check "rdma-core: card's own PF bound to vfio-pci" bind $card vfio-pci
host mark
timeout 60 /bin/rdma_core_vfio $card 1 >/tmp/out 2>&1
check "rdma-core: card's own PF: does not open" grep -q '^FAILED.*ibv_open_device' /tmp/out
check "rdma-core: card's own PF: because of what it does not say" \
	test -n "$(host log 'ENABLE_HCA .*embedded_cpu_function is 0')"

check 'rdma-core: kernel has nothing to say' \
	sh -c "! dmesg | grep -E 'DMAR:.*[Ff]ault|BUG|WARNING|Oops'"
exit 0
