#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: setup.sh [run|test|compare]
#
# Installs the Debian packages that are missing: "run" (default) to build and to
# run the demo, "test" for everything that devtools/test.sh does, "compare" for
# compare-peers.sh. With nothing missing it does nothing and needs no rights;
# otherwise it uses root's, or asks sudo. Calls that run at once wait for each other.
# Installs packages only.

set -euo pipefail

# package: why
run_packages='
ca-certificates	to fetch packages over https
gcc	the C compiler
libc6-dev	headers of the C library
meson	configures the build
ninja-build	runs it
pkgconf	finds DPDK
dpkg-dev	tells meson in which folder Debian has its libraries
libdpdk-dev	DPDK: libraries, drivers, headers
xz-utils	unpacks the source package that has the driver headers
libjson-c-dev	used by lib/doca_compat, and by libvfio-user for the software BlueField
'
test_packages='
g++	headers are checked as C++ too
make	the examples build with their own Makefiles
cmake	builds the foreign projects of test-install.sh
autoconf	the same: one of them has a configure script
lld	the second linker that these are built with
clang	second compiler, and its sanitizers
libclang-rt-dev	run time of clang sanitizers
shellcheck	checks the scripts
git	lists the files to check
man-db	checks the manual pages
abigail-tools	compares the interface with that of the last release
dpdk	dpdk-pmdinfo.py
dpdk-dev	dpdk-testpmd and dpdk-telemetry.py, for the plugin test
python3-pyelftools	used by dpdk-pmdinfo.py
debootstrap	installs the bare system of test-bare.sh
qemu-system-x86	runs the guests of devtools/qemu
libglib2.0-dev	headers for the device that is loaded into QEMU
patch	patches headers of QEMU as Debian does
busybox-static	shell of the guests
cpio	packs the file system of the guests
kmod	finds the modules of the guests
libibverbs-dev	the rdma-core test in the guest
ibverbs-providers	the same: its provider is what is tested
librdmacm-dev	connections between two functions in a guest
ibverbs-utils	ping-pong between two functions in a guest
iproute2	network namespaces in a guest
rdmacm-utils	connections by rdma_cm in a guest
perftest	bandwidth and latency between two functions in a guest
libsystemd-dev	a static link of DPDK names it (through libpcap and D-Bus)
doxygen	API reference
python3-sphinx	guides
python3-sphinx-rtd-theme	look of the guides
libcap2-bin	gives a program capabilities, whose environment is not read
valgrind	memory checks, and count-instructions.py
python3-matplotlib	comch-plot.py
python3-prometheus-client	parses what the telemetry exporter exports
gcc-aarch64-linux-gnu	compiles for the Arm cores of a card, and programs for offload processors
libc6-dev-arm64-cross	headers for that
qemu-system-arm	runs the guest that is arm64
gcc-riscv64-linux-gnu	compiles programs for offload processors that are riscv64
libc6-dev-riscv64-cross	headers for that
qemu-user-static	runs such a program on this machine
'

compare_packages='
dpdk-dev	the memif PMD, and testpmd
ucx-utils	ucx_perftest
libucx-dev	for the benchmark of written buffers over UCX
libfabric-dev	for the benchmark of the shm provider
python3	runs the comparison
util-linux	pins processes to CPUs
'

group=${1:-run}
case $group in
run) packages=$run_packages ;;
test) packages=$run_packages$test_packages ;;
compare) packages=$run_packages$compare_packages ;;
*)
	echo 'usage: setup.sh [run|test|compare]' >&2
	exit 2
	;;
esac

# A later DPDK that the user has built himself is as good as the package.
own_dpdk=no
if pkg-config --atleast-version=22.11 libdpdk 2>/dev/null && ! dpkg-query -W libdpdk-dev >/dev/null 2>&1; then
	own_dpdk=yes
fi

missing_packages() {
	local name why
	while IFS=$'\t' read -r name why; do
		[ -n "$name" ] || continue
		[ "$name" != libdpdk-dev ] || [ $own_dpdk = no ] || continue
		# shellcheck disable=SC2016 # the field is dpkg's
		case " $(dpkg-query -W -f '${db:Status-Status} ' "$name" 2>/dev/null || true)" in
		*' installed '*) ;;
		*) printf '%s\t%s\n' "$name" "$why" ;;
		esac
	done <<<"$packages"
}

if ! command -v dpkg-query >/dev/null; then
	echo "setup: this is no Debian system. Install what these are called there:" >&2
	echo "$packages" >&2
	exit 1
fi

missing=$(missing_packages)
if [ -z "$missing" ]; then
	echo "setup: all packages for '$group' are installed"
	exit 0
fi
echo "setup: installing what is missing for '$group':"
awk -F '\t' '{ printf "  %-26s %s\n", $1, $2 }' <<<"$missing"

as_root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || {
		echo "setup: not root, and there is no sudo; as root: $0 $group" >&2
		exit 1
	}
	as_root=sudo
fi

mapfile -t names < <(cut -f 1 <<<"$missing")
# Only processes with the right to install meet at this lock.
# shellcheck disable=SC2016 # expanded by the inner shell
$as_root env DEBIAN_FRONTEND=noninteractive bash -c '
	set -euo pipefail
	exec 9>/run/lock/dpdk-comch-setup
	flock 9
	apt-get -q -o Acquire::Retries=3 update ||
		echo "setup: some package lists could not be fetched; trying with what there is"
	apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 \
		install --no-install-recommends "$@"
' setup "${names[@]}"

missing=$(missing_packages)
if [ -n "$missing" ]; then
	printf 'setup: still missing:\n%s\n' "$missing" >&2
	exit 1
fi
