#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: make-initramfs.sh <build folder> <initramfs> [options] <test script>
#
#   -l <module>            the guest loads this module, and what it depends on,
#                          before the test; in the order given
#   -m <module>            carried along: the test loads it with modprobe
#   -f <file>[:<in guest>] a file or folder, links followed; in the guest it has
#                          the same name or the one after the colon
#
# Makes the root file system of a test guest with the kernel of get-kernel.sh.
# Each executable or library that -f brings comes with the shared libraries it is
# linked with; what it opens at run time (drivers, providers) must be named.
#
# In the guest, /init mounts what is usual and runs the test script as root with
# busybox's sh. /proc, /sys, /dev, /dev/shm, /tmp, /run and, if pages have been
# reserved, /dev/hugepages are there; the loopback interface is up. When the
# script ends, one line "comch-guest: exit status <n>" tells run-guest.sh, and
# the guest is switched off.
#
# Needs busybox-static, cpio and kmod. Its output is not compressed: reading it costs a
# guest without hardware support less than unpacking.

set -euo pipefail
PATH+=:/usr/sbin:/sbin

here=$(cd "$(dirname "$0")" && pwd)

die() {
	echo "make-initramfs: $*" >&2
	exit 1
}

usage='usage: make-initramfs.sh <build folder> <initramfs> [-l module] [-m module] [-f file[:dst]] <test script>'
[ $# -ge 3 ] || die "$usage"
"$here/get-kernel.sh" "$1" >/dev/null
kernel=$(cd "$1" && pwd)/guest-kernel
out=$2
shift 2
load=()
carry=()
entries=()
while getopts l:m:f: option; do
	case $option in
	l) load+=("$OPTARG") ;;
	m) carry+=("$OPTARG") ;;
	f) entries+=("$OPTARG") ;;
	*) die "$usage" ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || die "$usage"
script=$1
[ -r "$script" ] || die "no test script $script"

busybox=
for f in /bin/busybox /usr/bin/busybox; do
	if [ -x $f ] && ! ldd $f >/dev/null 2>&1; then
		busybox=$f
	fi
done
[ -n "$busybox" ] || die 'busybox is missing: apt-get install busybox-static'
for tool in cpio kmod; do
	command -v $tool >/dev/null || die "$tool is missing: apt-get install $tool"
done

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,dev,etc,lib,proc,root,run,sys,tmp,usr/bin,usr/sbin,sbin}
cp "$busybox" "$root/bin/busybox"
ln -s bin/busybox "$root/linuxrc"

# ---- modules: only what is named and what that needs
version=$(cat "$kernel/version")
moddir=lib/modules/$version
mkdir -p "$root/$moddir" "$root/all/lib/modules"
ln -s "$kernel/modules" "$root/all/$moddir"
for m in "${load[@]}" "${carry[@]}"; do
	needed=$(modprobe -d "$root/all" -S "$version" --show-depends "$m") ||
		die "kernel $version has no module $m"
	awk '$1 == "insmod" && !seen[$2]++ { print $2 }' <<<"$needed" | xargs -r cp -t "$root/$moddir"
done
rm -r "$root/all"
cp "$kernel"/modules/modules.{order,builtin,builtin.modinfo} "$root/$moddir"
depmod -b "$root" "$version"
: >"$root/$moddir/modules.alias" # no module is loaded that nobody asked for

# ---- files, and the libraries they are linked with
# Two names of one file stay that: a loader that finds a library twice must see
# that it is the same.
declare -A placed
# place <file> <name in the guest>
place() {
	local real lib
	[ ! -e "$root$2" ] || return 0
	real=$(realpath "$1")
	mkdir -p "$root$(dirname "$2")"
	if [ -n "${placed[$real]:-}" ]; then
		ln -s "${placed[$real]}" "$root$2"
		return 0
	fi
	cp "$real" "$root$2"
	placed[$real]=$2
	[ "$(head -c 4 "$real" | tr -d '\0')" = $'\x7fELF' ] || return 0
	while read -r lib; do
		place "$lib" "$lib"
	done < <(ldd "$real" 2>/dev/null | grep -oE '(^|[[:space:]])/[^ ]+' | tr -d '[:blank:]')
}

for e in "${entries[@]}"; do
	from=${e%%:*}
	to=${e#*:}
	[[ $e == *:* ]] || to=$(realpath -s "$from")
	[ -e "$from" ] || die "no $from to put into the guest"
	if [ -d "$from" ]; then
		mkdir -p "$root$to"
		while read -r f; do
			place "$from/$f" "$to/$f"
		done < <(cd "$from" && find -L . -type f -printf '%P\n')
	else
		place "$from" "$to"
	fi
done

# What the C library opens when a thread is cancelled.
for f in /lib/*/libc.so.6; do
	[ ! -e "$root$f" ] || [ ! -e "${f%/*}/libgcc_s.so.1" ] || place "${f%/*}/libgcc_s.so.1" "${f%/*}/libgcc_s.so.1"
done

install -m 755 "$script" "$root/test"
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
echo "${load[*]}" >"$root/etc/modules"
install -m 755 "$here/guest/init" "$root/init"

mkdir -p "$(dirname "$out")"
(cd "$root" && find . -print0 | LC_ALL=C sort -z | cpio --null --create --format=newc --quiet \
	--owner=0:0) >"$out.new"
mv "$out.new" "$out"
