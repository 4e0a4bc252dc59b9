#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: get-dpdk-source.sh <folder> [pattern of files]...
#
# Unpacks DPDK's source into <folder>/tree, all of it or the files that fit, from
# Debian's source package of the very version that is installed, and prints where
# it comes from. Debian's own changes are not applied.
#
# Works as an ordinary user: apt gets a configuration, lists and cache of its own
# in the folder; nothing outside of it is written.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=private-apt.sh
. "$(dirname "$0")/private-apt.sh"

die() {
	echo "get-dpdk-source: $*" >&2
	exit 1
}

if [ $# = 0 ] || [[ $1 == -* ]]; then
	die 'usage: get-dpdk-source.sh <folder, made if it is not there> [pattern of files]...'
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	die 'this is no Debian system: no source package to take it from'
fi
# shellcheck disable=SC2016 # the fields are dpkg's
installed=$(dpkg-query -W -f '${source:Package} ${source:Version}' libdpdk-dev 2>/dev/null) ||
	die 'package libdpdk-dev is not installed'
read -r package version <<<"$installed"
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
rm -rf "$folder"/{apt,source,tree}
mkdir -p "$folder/tree"
apt_source "$folder" "$package=$version" || die "apt has no source package $package $version"
tarball=$(find "$folder/source" -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)
[ -n "$tarball" ] || die "no upstream tarball in source package $package $version"
tar -xf "$tarball" -C "$folder/tree" --strip-components=1 --wildcards "$@"
rm -rf "$folder"/{apt,source}
echo "source package $package $version"
