#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Prints the folders that the dynamic linker searches, one on each line, also
# those that are not there yet. Needs no rights and changes nothing. Fails where
# there is no ldconfig.

PATH=$PATH:/sbin:/usr/sbin
command -v ldconfig >/dev/null || exit 1
for dir in /lib /usr/lib /lib64 /usr/lib64; do
	echo "$dir"
done
# A folder that does not exist is in a message only.
LC_ALL=C ldconfig -v -N -X 2>&1 |
	sed -n -e 's|^\(/[^:]*\): (from.*|\1|p' -e "s|.*: Can't stat \(/.*\): .*|\1|p"
