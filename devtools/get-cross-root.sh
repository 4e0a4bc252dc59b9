#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: get-cross-root.sh <folder> [package]...
#
# Unpacks Debian's packages for arm64, the cores of a card, into <folder>/arm64: DPDK, what else
# the tree is built with, and those that are named, each with what it depends on. Their scripts
# do not run, and nothing is installed on this machine. Writes <folder>/root.ini, the first of
# the two cross files:
#
#   devtools/get-cross-root.sh build-cross
#   meson setup --cross-file build-cross/root.ini --cross-file buildtools/cross/aarch64.ini \
#       -Dbluefield_model=disabled build-cross/tree
#   ninja -C build-cross/tree
#   qemu-aarch64-static -L build-cross/arm64 build-cross/tree/app/dpdk-test-comch --version

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=private-apt.sh
. "$top/devtools/private-apt.sh"

if [ $# = 0 ] || [[ $1 == -* ]]; then
	echo 'usage: get-cross-root.sh <folder, made if it is not there> [package]...' >&2
	exit 2
fi
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift
root=$work/arm64

# Have dpkg of the root believe that it has installed a package.
unpack() { # <file>
	local name
	{
		dpkg-deb -f "$1" | sed '1a Status: install ok installed'
		echo
	} >>"$root/var/lib/dpkg/status"
	name=$(dpkg-deb -f "$1" Package)
	[ "$(dpkg-deb -f "$1" Multi-Arch)" != same ] || name+=:arm64
	dpkg-deb -X "$1" "$root" | sed 's#^\.##; s#/$##; s#^$#/.#' >"$root/var/lib/dpkg/info/$name.list"
}

packages=(libdpdk-dev libjson-c-dev "$@")
stamp="2 $(dpkg-query -W -f '${Version}' libdpdk-dev) ${packages[*]}"
if [ "$(cat "$work/stamp" 2>/dev/null)" != "$stamp" ]; then
	rm -rf "$root" "$work/apt" "$work/stamp"
	mkdir -p "$root"
	apt_init "$work/apt" deb
	: >"$work/apt/status"
	foreign=(-o APT::Architecture=arm64 -o 'APT::Architectures={"arm64";}'
		-o "Dir::State::status=$work/apt/status" -o Debug::NoLocking=1)
	{
		apt_run "${foreign[@]}" update || true # a foreign source may fail
		apt_run "${foreign[@]}" install -y --no-install-recommends --download-only "${packages[@]}"
	} >"$work/apt.log" 2>&1 || {
		tail -n 20 "$work/apt.log" >&2
		exit 1
	}
	mkdir -p "$root"/var/lib/dpkg/{info,triggers,updates}
	for deb in "$work"/apt/cache/archives/*.deb; do
		unpack "$deb"
	done
	# As an installation has it; packages of Debian 12 have files in both folders.
	for dir in bin lib sbin; do
		[ -e "$root/$dir" ] || ln -s "usr/$dir" "$root/$dir"
	done
	# Some libraries are texts for the linker, which name others by their place.
	{ grep -rlI --include='*.so' 'GROUP' "$root" || true; } |
		xargs -r -d '\n' sed -i -E "s#(^|[ (])(/(usr/)?lib/)#\\1$root\\2#g"
	rm -rf "$work/apt"
	echo "$stamp" >"$work/stamp"
fi
cat >"$work/root.ini" <<EOF
# made by get-cross-root.sh
[constants]
root = '$root'
EOF
echo "packages for arm64 are in $root"
