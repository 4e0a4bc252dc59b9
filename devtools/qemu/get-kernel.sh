#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: get-kernel.sh <build folder>
#
# Puts Debian's current kernel for test guests into <build folder>/guest-kernel
# and prints where it comes from:
#
#   version    what uname -r says there
#   vmlinuz    as packaged
#   config     what it was built with
#   modules/   the tree of its modules, below kernel/, and their tables
#              (modules.dep and others), which the package leaves to its
#              installation
#
# It is the generic flavour; the cloud flavour, a third of the size, has no switch
# code in mlx5_core, so that it does not know functions of a card. The package is unpacked, never installed. Works as an ordinary
# user, and outside of the build folder nothing is written. Where a kernel is
# there already nothing is done; delete the folder to get a newer one.

set -euo pipefail
PATH+=:/usr/sbin:/sbin

# shellcheck source-path=SCRIPTDIR source=../private-apt.sh
. "$(dirname "$0")/../private-apt.sh"

# Modules, or code of the same name that is built in.
needed='vfio vfio_iommu_type1 vfio_pci mlx5_core mlx5_ib ib_core ib_uverbs rdma_ucm'
needed_config='CONFIG_INTEL_IOMMU=y CONFIG_IRQ_REMAP=y CONFIG_HUGETLBFS=y CONFIG_DEVTMPFS=y
	CONFIG_MLX5_ESWITCH=y'

die() {
	echo "get-kernel: $*" >&2
	exit 1
}

[ $# -eq 1 ] || die 'usage: get-kernel.sh <build folder>'
command -v apt-get >/dev/null || die 'this is no Debian system: no kernel package to take'
command -v depmod >/dev/null || die 'depmod is missing: apt-get install kmod'
[ "$(dpkg --print-architecture)" = amd64 ] ||
	die 'guests run programs of this machine on an emulated PC: it must be amd64'
mkdir -p "$1"
out=$(cd "$1" && pwd)/guest-kernel
mkdir -p "$out"
exec 9>"$out/lock"
flock 9
if [ -e "$out/stamp" ]; then
	cat "$out/stamp"
	exit 0
fi

work=$out/work
rm -rf "$work" "$out"/{version,vmlinuz,config,modules}
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
apt_init "$work/apt" deb
apt_run update >"$work/log" 2>&1 || true # a foreign source may fail

# has <tree> <kernel version>: true if that kernel has all that is needed.
has() {
	local m c
	for m in $needed; do
		grep -q "/${m//_/[-_]}\.ko$" "$1/lib/modules/$2/modules.builtin" ||
			[ -n "$(find "$1/lib/modules/$2" -name "${m//_/[-_]}.ko" -print -quit)" ] ||
			return 1
	done
	for c in $needed_config; do
		grep -qx "$c" "$1/boot/config-$2" || return 1
	done
}

for flavour in amd64 cloud-amd64; do
	package=$(LC_ALL=C apt-cache "${private_apt[@]}" depends "linux-image-$flavour" 2>>"$work/log" |
		awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ { print $2; exit }') || true
	[ -n "$package" ] || continue
	rm -rf "$work"/{deb,tree}
	mkdir -p "$work"/{deb,tree}
	(cd "$work/deb" && apt_run download "$package") >>"$work/log" 2>&1 || continue
	deb=$(find "$work/deb" -name '*.deb')
	dpkg -x "$deb" "$work/tree"
	version=${package#linux-image-}
	if has "$work/tree" "$version"; then
		depmod -b "$work/tree" "$version" || die "no table of the modules of $package"
		mv "$work/tree/boot/vmlinuz-$version" "$out/vmlinuz"
		mv "$work/tree/boot/config-$version" "$out/config"
		mv "$work/tree/lib/modules/$version" "$out/modules"
		echo "$version" >"$out/version"
		echo "package $package $(dpkg-deb -f "$deb" Version)" >"$out/stamp"
		cat "$out/stamp"
		exit 0
	fi
done
cat "$work/log" >&2
die "no kernel package of this suite has all of $needed and $needed_config"
