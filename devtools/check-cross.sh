#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-cross.sh <build folder>
#
# Compiles every C file of the libraries, drivers, applications and examples for
# aarch64, the cores of a card. Compiles only: nothing is linked or run. DPDK's
# headers for that architecture come from its package, unpacked in the build
# folder and not installed. Then compares the formats between processes with this machine's.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=private-apt.sh
. "$top/devtools/private-apt.sh"
# shellcheck source-path=SCRIPTDIR source=compile-tree.sh
. "$top/devtools/compile-tree.sh"

arch=arm64
triplet=aarch64-linux-gnu
compiler=$triplet-gcc

[ $# = 1 ] || { echo 'usage: check-cross.sh <build folder>' >&2; exit 2; }
mkdir -p "$1"
build=$(cd "$1" && pwd)
root=$build/root-$arch

command -v $compiler >/dev/null || { echo "no $compiler; see devtools/setup.sh test" >&2; exit 1; }
version=$(dpkg-query -W -f '${Version}' libdpdk-dev)

if [ "$(cat "$root/stamp" 2>/dev/null)" != "$version" ]; then
	rm -rf "$root"
	mkdir -p "$root/download"
	apt_init "$root/apt" deb
	foreign=(-o "APT::Architecture=$arch" -o "APT::Architectures={\"$arch\";}"
		-o Dir::State::status=/dev/null)
	apt_run "${foreign[@]}" update || true
	(cd "$root/download" && apt_run "${foreign[@]}" download "libdpdk-dev:$arch=$version")
	dpkg-deb -x "$root"/download/libdpdk-dev_*.deb "$root"
	rm -rf "$root/apt" "$root/download"
	# Headers only: 200 MB of archives are of no use here.
	rm -rf "${root:?}"/usr/{lib,share}
	echo "$version" >"$root/stamp"
fi
"$top/devtools/get-libvfio-user.sh" "$build" >/dev/null

tree_flags "$top" "$build"
flags=(
	"${tree_flags[@]}" -march=armv8-a+crc
	-isystem "$root/usr/include/dpdk" -isystem "$root/usr/include/$triplet/dpdk"
)

cd "$top"
mapfile -t files < <(tree_sources)
tree_compile $compiler "${files[@]}" || {
	echo "these do not compile for $triplet"
	exit 1
}
echo "${#files[@]} files compiled for $triplet"
devtools/check-layouts.py $compiler "${flags[@]}"
