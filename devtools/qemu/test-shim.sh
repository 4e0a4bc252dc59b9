#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-shim.sh <build folder>
#
# The test equipment tested: the shim with a server that is made for that
# (shim-server.c), in a guest. Run it after a change of the shim and when Debian
# has a new QEMU; if it passes and a test with the model fails, it is not the shim.
# Builds what it needs in the build folder. About 20 seconds, five of which the
# guest waits for a server that hangs.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

die() {
	echo "test-shim: $*" >&2
	exit 1
}

[ $# -eq 1 ] || die 'usage: test-shim.sh <build folder>'
mkdir -p "$1/qemu"
build=$(cd "$1" && pwd)
run=$(mktemp -d)
pids=()
# shellcheck disable=SC2317 # called by trap
clean_up() {
	trap - EXIT
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
	rm -rf "$run"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$here/build-shim.sh" "$build" >/dev/null
"$here/../get-libvfio-user.sh" "$build" >/dev/null
library=$build/libvfio-user/source
cflags=(-std=gnu11 -O2 -g -D_GNU_SOURCE)
server=$build/qemu/shim-server
if [ ! "$server" -nt "$here/shim-server.c" ] || [ ! "$server" -nt "$here/shim-regs.h" ] ||
	[ ! "$server" -nt "$library" ]; then
	objects=()
	read -ra json <<<"$(pkg-config --cflags --libs json-c)"
	# The library is compiled as it is, without our warnings.
	for name in dma irq libvfio-user migration pci pci_caps tran tran_sock; do
		gcc "${cflags[@]}" -w -I"$library/include" "${json[@]}" -c \
			-o "$run/$name.o" "$library/lib/$name.c"
		objects+=("$run/$name.o")
	done
	gcc "${cflags[@]}" -Wall -Wextra -Werror -isystem "$library/include" -o "$server" \
		"$here/shim-server.c" "${objects[@]}" "${json[@]}"
fi
gcc "${cflags[@]}" -Wall -Wextra -Werror -o "$run/shim" "$here/guest/shim.c"
"$here/make-initramfs.sh" "$build" "$run/initramfs" -l vfio_iommu_type1 -l vfio_pci \
	-f "$run/shim:/bin/shim" "$here/guest/shim.sh"

# A QEMU that is asked for and has no device is named before anything is started.
refused=$(COMCH_QEMU=true "$here/run-guest.sh" "$build" "$run/initramfs" 2>&1) &&
	die 'a COMCH_QEMU without vfio-user-pci is started'
[[ $refused == *'COMCH_QEMU=true has no device vfio-user-pci'* ]] ||
	die "a COMCH_QEMU without vfio-user-pci: $refused"

for name in a b; do
	"$server" "$run/$name" &
	pids+=($!)
done
status=0
"$here/run-guest.sh" "$build" "$run/initramfs" -q -global -q vfio-user-function.timeout-ms=5000 \
	"$run/a" "$run/b" || status=$?
[ $status = 0 ] || die "failed, status $status"
echo 'test-shim: passed'
