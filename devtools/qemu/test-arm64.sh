#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-arm64.sh <folder> <cross build folder | folder of packages> [command]...
#
# Runs commands in a guest with Debian's kernel for arm64, in software, in the build folder of
# a cross build; get-cross-root.sh has how to make one. Without a command: a loopback of
# dpdk-test-comch. The guest has the programs and shared libraries of the build, comch-demo, the
# steps of "meson test" as /devtools/test/step.sh /tree, DPDK, busybox, bash, two processors that
# run at once, and no device.
#
# With a folder of Debian packages for arm64, the guest has all of Debian that they need, and
# they are in /tree; without a command, they are installed, tried and purged.
#
#   COMCH_GUEST_LIMIT   seconds after which it is stopped (600)
#   COMCH_GUEST_CPU     QEMU's processor (max)
#   COMCH_GUEST_PAGES   16k: the kernel of Debian 13 with pages of 16 KiB
#
# A guest shows that the code runs on the architecture. QEMU keeps most orders of memory
# accesses of this machine, so that it shows few of the races that a weak machine has: those are
# for the models of app/test/order. The last line is "N passed, N failed", of commands.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ] || [[ $1 == -* ]]; then
	echo 'usage: test-arm64.sh <folder> <cross build folder | folder of packages> [command]...' >&2
	exit 2
fi
mkdir -p "$1"
work=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2
packages=(bash busybox-static linux-image-arm64)
debian=
if compgen -G "$build/*.deb" >/dev/null; then
	debian=yes
	work+=/debian
	packages+=('?essential' python3 systemd)
	[ $# != 0 ] || set -- '/bin/packages.sh /tree'
fi
[ $# != 0 ] || set -- "app/dpdk-test-comch --no-huge -m 64 --no-pci -l 0,1 \
--vdev comch_shm0,role=dpu,functions=pf0 --vdev comch_shm1,role=host,function=pf0 \
-- --loopback --test ctrl-lat,fp-bw --size 64 -D 1 --validate"
for tool in qemu-system-aarch64 cpio; do
	command -v $tool >/dev/null || {
		echo "test-arm64: no $tool; see devtools/setup.sh test" >&2
		exit 1
	}
done
"$here/../get-cross-root.sh" "$work" "${packages[@]}" >/dev/null
kernel=$(echo "$work"/arm64/boot/vmlinuz-*)

# Debian 12 has no kernel with other pages.
get_kernel() { # <folder> <flavour>
	local foreign image
	[ ! -e "$1/boot" ] || return 0
	apt_init "$1/apt" deb trixie
	foreign=(-o APT::Architecture=arm64 -o 'APT::Architectures={"arm64";}'
		-o Dir::State::status=/dev/null -o Debug::NoLocking=1)
	apt_run "${foreign[@]}" update || true # a foreign source may fail
	image=$(apt-cache "${private_apt[@]}" "${foreign[@]}" depends "linux-image-$2" |
		sed -n 's/.*Depends: \(linux-image-\)/\1/p')
	(cd "$1/apt/cache" && apt_run "${foreign[@]}" download "$image") &&
		dpkg-deb --fsys-tarfile "$1"/apt/cache/linux-image-*.deb | tar -C "$1/apt" -xf - ./boot &&
		mv "$1/apt/boot" "$1" && rm -r "$1/apt"
}
if [ -n "${COMCH_GUEST_PAGES:-}" ]; then
	# shellcheck source-path=SCRIPTDIR source=../private-apt.sh
	. "$here/../private-apt.sh"
	kernel=$work/kernel-$COMCH_GUEST_PAGES
	get_kernel "$kernel" "arm64-$COMCH_GUEST_PAGES" >"$work/kernel.log" 2>&1 || {
		tail -n 20 "$work/kernel.log" >&2
		exit 1
	}
	kernel=$(echo "$kernel"/boot/vmlinuz-*)
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
libs=usr/lib/aarch64-linux-gnu
if [ -n "$debian" ]; then
	mkdir "$root"
	# without what no package here runs or looks at: the kernel takes seconds for each 10 MB
	(cd "$work/arm64" && find . \( -path './boot/*' -o -path '*/lib/modules' -o -name '*.a' \
		-o -path './usr/include/*' -o -path './usr/share/doc/*' -o -path './usr/share/locale/*' \
		-o -path './usr/share/man/*' -o -path './usr/share/perl' -o -path './usr/lib/*/perl' \
		-o -path './usr/lib/linux-image-*' -o -path '*/gconv' -o -path '*/hwdb.d' \) -prune -o -print0) |
		tar -C "$work/arm64" --null --no-recursion -T - -cf - | tar -C "$root" -xf -
	mkdir -p "$root"/{proc,sys,tmp,tree}
	cp "$build"/*.deb "$root/tree/"
	cp "$root"/usr/share/base-passwd/group.master "$root/etc/group"
	install -m 755 "$here/guest/packages.sh" "$root/bin/"
else
	mkdir -p "$root"/{bin,dev,devtools,etc,lib,proc,root,run,sbin,sys,tmp,tree}
	mkdir -p "$root/usr/bin" "$root/$libs/dpdk"
	cp "$work"/arm64/bin/{bash,busybox} "$here/../../usertools/comch-demo" "$root/bin/"
	cp -r "$here/../test" "$root/devtools/"
	ln -s /bin/busybox "$root/usr/bin/env"
	cp -a "$work/arm64/lib/." "$root/lib/"
	rm -rf "$root"/lib/{modules,systemd,udev}
	cp -a "$work/arm64/$libs"/*.so* "$root/$libs/"
	# of DPDK's plugins what each program needs
	for f in "$work/arm64/$libs"/dpdk/pmds-*; do
		mkdir -p "$root/$libs/dpdk/${f##*/}"
		cp -a "$f"/librte_{bus_pci,bus_vdev,mempool_ring}.so.* "$root/$libs/dpdk/${f##*/}/"
	done
	(cd "$build" && find app examples -maxdepth 2 -type f -perm -u+x &&
		find lib drivers buildtools/doca -name '*.so*') |
		tar -C "$build" -cf - -T - | tar -C "$root/tree" -xf -
fi
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
: >"$root/etc/modules"
install -m 755 "$here/guest/init" "$root/init"
# shellcheck disable=SC2016 # expanded in the guest
{
	echo 'cd /tree; passed=0; failed=0; ulimit -n 20000; export COMCH_TEST_SLOW=4'
	for command in "$@"; do
		printf 'echo "== %s"\n' "${command//\"/\\\"}"
		echo 'read -r t0 _ </proc/uptime; rc=0'
		printf '( %s ) || rc=$?\n' "$command"
		echo 'read -r t1 _ </proc/uptime; echo "== status $rc, ${t0%.*} to ${t1%.*} s"'
		echo '[ $rc = 0 ] && passed=$((passed + 1)) || failed=$((failed + 1))'
	done
	echo 'echo "$passed passed, $failed failed"; [ $failed = 0 ]'
} >"$root/test"
(cd "$root" && find . -print0 | cpio --null --create --format=newc --quiet --owner=0:0) \
	>"$scratch/initramfs"

# shellcheck disable=SC2054 # the commas are QEMU's
qemu=(qemu-system-aarch64 -nodefaults -no-user-config -display none -no-reboot
	-machine virt -accel tcg,thread=multi -cpu "${COMCH_GUEST_CPU:-max}" -smp 2 -m 3072M
	-serial stdio -kernel "$kernel" -initrd "$scratch/initramfs"
	-append 'console=ttyAMA0 quiet loglevel=4 panic=-1 mitigations=off kpti=off')
timeout -k 5 "${COMCH_GUEST_LIMIT:-600}" "${qemu[@]}" </dev/null 2>&1 | sed -u 's/\r//g' |
	tee "$scratch/console" || true
# Only the guest's own end counts: commands have summaries, too.
if [[ $(tail -n 20 "$scratch/console") == *'comch-guest: exit status '* ]]; then
	grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/console" | tail -n 1
else
	echo 'test-arm64: the guest gave no result'
	echo '0 passed, 1 failed'
fi
grep -q 'comch-guest: exit status 0 ' "$scratch/console"
