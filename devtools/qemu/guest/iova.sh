# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Inside the guest of test-iova.sh: packets that are received over comch leave by a
# port whose DMA goes through the IOMMU.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lib/guest.sh
first=0000:00:10.0
second=0000:00:11.0

# forward <name> <arguments>...: with both ends of a comch connection
forward() {
	local name=$1
	shift
	timeout 100 /bin/forward "--file-prefix=$name" -m 64 --lcores 0 --no-telemetry \
		--vdev "comch_shm0,role=dpu,functions=pf0" \
		--vdev "comch_shm1,role=host,function=pf0" "$@" >"/tmp/$name" 2>&1
}

# said <name>: what the last run said, if it is not what it should have
said() {
	tail -n 8 "/tmp/$1" | while read -r line; do
		note "$line"
	done
}

check 'iova: ports bound to vfio-pci' bind $first vfio-pci || exit 1
check 'iova: ports bound to vfio-pci' bind $second vfio-pci || exit 1

# ---- ports that are there before the pool
forward early -a $first -a $second --iova-mode=va
check 'iova: ports before the pool' [ $? = 0 ] || said early
results /tmp/early

# ---- and behind it
forward late -a 0000:00:1f.7 --iova-mode=va -- $first $second
check 'iova: ports plugged when the pool is there' [ $? = 0 ] || said late
results /tmp/late

# ---- physical addresses: refused only where somebody would use them
forward none -a 0000:00:1f.7 --iova-mode=pa -- -p
check 'iova: physical, no device: a pool' grep -q '^pool: Success' /tmp/none || said none
forward physical -a $first --iova-mode=pa -- -p
check 'iova: physical, a device: no pool' grep -q '^pool: Operation not supported' \
	/tmp/physical || said physical
check 'iova: physical, a device: the reason and the remedy are given' \
	grep -q 'peer could take.*--iova-mode=va' /tmp/physical || said physical

check 'iova: no DMA fault' sh -c "! dmesg | grep -E 'DMAR:.*[Ff]ault'"
check 'iova: kernel is well' \
	sh -c "! dmesg | grep -E 'BUG|WARNING|Oops|segfault|general protection'"
exit 0
