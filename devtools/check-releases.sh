#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-releases.sh <build folder, made if it is not there>
#
# Compiles the C files of the libraries, drivers, applications and examples for
# later releases of DPDK than the one that is installed. Their headers are not
# here: the installed ones are overlaid with those in dpdk-releases/<release>,
# which declare what is known to differ and is used in the tree. So this finds
# what used to work with a release and does not any more, not what nobody has seen
# yet: devtools/test-release.sh does, with DPDK's source. Compiles only: nothing is
# linked or run. The installed release itself is left to the build.
#
# A folder has what is new in its release; a release has the folders of those
# before it too. So all files are compiled for the last one, and for those before it
# only the files that ask for the release: all that do include dpdk_release.h.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=compile-tree.sh
. "$top/devtools/compile-tree.sh"

releases='23.11 24.11 25.11 26.07'

if [ $# != 1 ] || [[ $1 == -* ]]; then
	echo 'usage: check-releases.sh <build folder, made if it is not there>' >&2
	exit 2
fi
mkdir -p "$1"
build=$(cd "$1" && pwd)

# release_flags <release>: sets the array "flags".
release_flags() {
	local r f overlay=() tree_flags
	for r in $releases; do
		overlay=(-isystem "$top/devtools/dpdk-releases/$r" "${overlay[@]}")
		[ "$r" != "$1" ] || break
	done
	tree_flags "$top" "$build"
	flags=("${tree_flags[@]}" -O0 -fsyntax-only "${overlay[@]}")
	# DPDK's own folders last, and not before the overlay as -I would be
	for f in $(pkg-config --cflags libdpdk); do
		case $f in
		-I*) flags+=(-isystem "${f#-I}") ;;
		-march=* | -m*) flags+=("$f") ;;
		esac
	done
}

# compile_all <release> <file>...: 0 if all files compile.
compile_all() {
	local flags
	release_flags "$1"
	tree_compile gcc "${@:2}"
}

bad=0
log=$build/check-releases.log
cd "$top"
for release in $releases; do
	only=
	mapfile -t files < <(tree_sources | grep -v '^app/bluefield-model/')
	if [ "$release" != "${releases##* }" ]; then
		mapfile -t files < <(grep -l '^#include "dpdk_release\.h"' "${files[@]}")
		only=', those that ask for the release'
	fi
	[ ${#files[@]} -gt 0 ] || {
		echo "DPDK $release: no files to compile"
		exit 1
	}
	if compile_all "$release" "${files[@]}" >"$log" 2>&1; then
		echo "DPDK $release: ${#files[@]} files compiled$only"
	else
		cat "$log"
		echo "DPDK $release: does not compile, of ${#files[@]} files:" \
			"$(grep -xE '[^ ]+\.c' "$log" | sort | paste -sd' ')"
		bad=1
	fi
done
exit $bad
