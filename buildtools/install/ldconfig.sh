#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Run by "ninja install": makes the libraries known to the dynamic linker, or
# says what the user has to do. Never fails the installation.

libdir=$MESON_INSTALL_DESTDIR_PREFIX/$1

[ -z "${DESTDIR:-}" ] || exit 0
if [ "$(id -u)" = 0 ] && ldconfig 2>/dev/null && ldconfig -p | grep -q "$libdir/librte_comch\.so"; then
	exit 0
fi
cat <<EOF
The dynamic linker does not search $libdir.
To build and run applications:
  export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
EOF
