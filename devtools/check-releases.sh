#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-releases.sh [--prove] <build folder, made if it is not there>
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
#
# --prove undoes, in a copy of the tree, one difference after the other and expects
# that the check fails with the words that go with it.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=compile-tree.sh
. "$top/devtools/compile-tree.sh"

releases='23.11 24.11 25.11 26.07'
jobs=$(nproc)

usage() {
	echo 'usage: check-releases.sh [--prove] <build folder, made if it is not there>' >&2
	exit 2
}

prove=no
if [ "${1:-}" = --prove ]; then
	prove=yes
	shift
fi
if [ $# != 1 ] || [[ $1 == -* ]]; then
	usage
fi
mkdir -p "$1"
build=$(cd "$1" && pwd)

# release_flags <release> <folder of the tree>: sets the array "flags".
release_flags() {
	local r f overlay=() tree_flags
	for r in $releases; do
		overlay=(-isystem "$top/devtools/dpdk-releases/$r" "${overlay[@]}")
		[ "$r" != "$1" ] || break
	done
	tree_flags "$2" "$build"
	flags=("${tree_flags[@]}" -O0 -fsyntax-only "${overlay[@]}")
	# DPDK's own folders last, and not before the overlay as -I would be
	for f in $(pkg-config --cflags libdpdk); do
		case $f in
		-I*) flags+=(-isystem "${f#-I}") ;;
		-march=* | -m*) flags+=("$f") ;;
		esac
	done
}

# compile_all <release> <folder of the tree> <file>...: 0 if all files compile.
compile_all() {
	local release=$1 flags
	release_flags "$release" "$2"
	cd "$2"
	# shellcheck disable=SC2016 # expanded by the inner shell
	printf '%s\n' "${@:3}" | COMPILE_FLAGS="${flags[*]@Q}" xargs -P "$jobs" -n 8 bash -c '
		. "$0"
		eval "flags=($COMPILE_FLAGS)"
		bad=0
		for file; do
			tree_file_flags "$file"
			gcc "${flags[@]}" "${file_flags[@]}" "$file" || { echo "$file"; bad=1; }
		done
		exit $bad
	' "$top/devtools/compile-tree.sh"
}

check() {
	local release log files only bad=0
	log=$(mktemp)
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
			return 1
		}
		if (compile_all "$release" "$top" "${files[@]}") >"$log" 2>&1; then
			echo "DPDK $release: ${#files[@]} files compiled$only"
		else
			cat "$log"
			echo "DPDK $release: does not compile, of ${#files[@]} files:" \
				"$(grep -xE '[^ ]+\.c' "$log" | sort | paste -sd' ')"
			bad=1
		fi
	done
	rm -f "$log"
	return $bad
}

# --------------------------------------------------------------------------
# --prove: file, sed expression that undoes a difference, the release that fails, the
# file that fails there, and words of the message. "includes": it is check-includes.py that fails, as the
# headers here go on bringing what those of later releases do not.

differences() {
	cat <<'END'
buildtools/dpdk/dpdk_release.h	s/NUM(23, 3,/NUM(99, 3,/	23.11	lib/comch/rte_comch_telemetry.c	rte_tel_data_add_dict_u64
buildtools/dpdk/dpdk_release.h	s/NUM(24, 11,/NUM(99, 11,/	24.11	drivers/comch/shm/comch_shm.c	rte_kvargs_process
buildtools/dpdk/dpdk_release.h	s/NUM(24, 11,/NUM(99, 11,/	26.07	drivers/comch/bluefield/bluefield_args.c	rte_kvargs_process
drivers/comch/shm/comch_shm.c	s/dpdk_kvargs_process_opt/rte_kvargs_process/	24.11	drivers/comch/shm/comch_shm.c	rte_kvargs_process
app/test/comch/test_comch_dev_down.c	s/^#define ALLOW_INTERNAL_API.*//;s/^.include <rte_comch_pmd/#define ALLOW_INTERNAL_API 1\n&/	24.11	app/test/comch/test_comch_dev_down.c	not public
drivers/comch/bluefield/fw/bluefield_eq.c	/rte_bitops/d	includes	drivers/comch/bluefield/fw/bluefield_eq.c	RTE_BIT64 is of rte_bitops.h
drivers/comch/bluefield/obj/bluefield_qp.c	/rte_bitops/d	includes	drivers/comch/bluefield/obj/bluefield_qp.c	rte_is_power_of_2 is of rte_bitops.h
buildtools/dpdk/dpdk_release.h	s/NUM(23, 11,/NUM(99, 11,/	24.11	drivers/comch/bluefield/hw/bluefield_thread.c	rte_ctrl_thread_create
buildtools/dpdk/dpdk_release.h	s/NUM(25, 7,/NUM(99, 7,/	25.11	drivers/comch/bluefield/bluefield_probe.c	RTE_PMD_EXPORT_NAME
buildtools/dpdk/dpdk_release.h	s/NUM(26, 7,/NUM(99, 7,/	26.07	drivers/comch/bluefield/bluefield_probe.c	has no member named .next
drivers/comch/bluefield/bluefield_probe.c	s/pci->device\.driver/\&pci->driver->driver/	26.07	drivers/comch/bluefield/bluefield_probe.c	has no member named .driver
drivers/comch/bluefield/bluefield_probe.c	s/if (bf_dev_exists(pci->name))/if (rte_dev_is_probed(\&pci->device))/	26.07	drivers/comch/bluefield/bluefield_probe.c	rte_dev_is_probed
END
}

examine() { # <release> <folder of the tree> <file>
	if [ "$1" = includes ]; then
		"$2/devtools/check-includes.py" 2>&1
	else
		compile_all "$@"
	fi
}

prove() {
	local copy log file expression release source words bad=0
	copy=$(mktemp -d)
	log=$copy.log
	# shellcheck disable=SC2064 # the folder of now
	trap "rm -rf '$copy' '$log'" EXIT
	mkdir -p "$copy/tree"
	(cd "$top" && tar -cf - lib drivers app examples buildtools/dpdk devtools) | tar -xf - -C "$copy/tree"
	while IFS=$'\t' read -r file expression release source words; do
		(examine "$release" "$copy/tree" "$source") >"$log" 2>&1 || {
			cat "$log"
			echo "$release: $source is not good as it is"
			bad=1
			continue
		}
		sed -i "$expression" "$copy/tree/$file"
		if cmp -s "$copy/tree/$file" "$top/$file"; then
			echo "$release: '$expression' changes nothing in $file"
			bad=1
		elif (examine "$release" "$copy/tree" "$source") >"$log" 2>&1; then
			echo "$release: $source is good with '$expression' in $file"
			bad=1
		elif ! grep -q "$words" "$log"; then
			cat "$log"
			echo "$release: '$expression' in $file fails, but without '$words'"
			bad=1
		else
			echo "$release: '$expression' in $file is found: $(grep -m 1 "$words" "$log")"
		fi
		cp "$top/$file" "$copy/tree/$file"
	done < <(differences)
	return $bad
}

if [ $prove = yes ]; then
	prove
else
	check
fi
