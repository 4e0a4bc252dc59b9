#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Run by "ninja install": makes the libraries known to the dynamic linker, or
# says what the user has to do. Never fails the installation.

libdir=$MESON_INSTALL_DESTDIR_PREFIX/$1
PATH=$PATH:/sbin:/usr/sbin

# An absolute library folder is not below the prefix.
case $1 in
/*) libdir=$1 ;;
esac

known() {
	ldconfig -p 2>/dev/null | grep -qF "$libdir/librte_comch.so"
}

[ -z "${DESTDIR:-}" ] || exit 0
[ "$(id -u)" != 0 ] || ldconfig 2>/dev/null
! known || exit 0
[ -z "${MESON_INSTALL_QUIET:-}" ] || exit 0

hint() {
	cat <<HINT

The dynamic linker does not search $libdir.
To build applications:
  export PKG_CONFIG_PATH=$libdir/pkgconfig
To run those that have no run path to it:
  export LD_LIBRARY_PATH=$libdir

HINT
}

# meson keeps the output of a script that succeeds to itself. The hint goes to
# where meson's own output goes, but not into a file: the two would overwrite
# each other. The empty lines keep it apart from what meson has not written yet.
theirs=/proc/$PPID/fd/1
if [ -t 1 ]; then
	hint
	exit 0
fi
case $(readlink "$theirs") in
# a named pipe may have lost its reader, and opening it would wait for another
pipe:* | /dev/pts/* | /dev/tty*)
	# In a shell of its own: this pipe may have lost its reader too.
	(hint >>"$theirs") 2>/dev/null
	;;
esac
exit 0
