# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by the checks that compile the C files of the tree without meson and
# without linking: for another architecture, or with the headers of another release
# of DPDK. Which files that are, and the flags that are the same for all of them.
# DPDK's driver headers are those of the tree.

# tree_flags <top> <build folder>: sets the array "tree_flags". DPDK's own folders
# and the -march are left to the caller; the build folder has libvfio-user.
# shellcheck disable=SC2034 # used by those who source this
tree_flags() {
	local d
	# a program that meson builds, of which any bytes will do
	echo 0 >"$2/shm_broker_image.h"
	tree_flags=(
		-std=gnu11 -O1 -Wall -Wextra -Wno-missing-field-initializers -Werror
		-D_GNU_SOURCE -DALLOW_EXPERIMENTAL_API
		-include rte_config.h
		-isystem "$2/libvfio-user/source/include" -isystem /usr/include/json-c
		# what meson.build files define
		-DRTE_LOG_DEFAULT_LOGTYPE=check -DTEST_COMCH_VERSION='"check"'
		-DTEST_COMCH_PROGRAMS='"check"'
		-DMODEL_VERSION='"check"' -DBF_VERSION='"check"'
		-DTEST_DOCA_INTERFACE='"check"'
		-I "$2" -I "$1/buildtools/dpdk" -I "$1/buildtools/dpdk/driver" -DDPDK_ANY_RELEASE
	)
	# the last two are the runtime of programs for offload processors, and its headers
	for d in "$1"/lib/*/ "$1"/lib/doca_compat/{common,argp,comch,cc,comm_channel,dpa}/ \
		"$1"/drivers/*/*/ "$1"/drivers/comch/*/*/ "$1"/app/test/ "$1"/app/test/*/ \
		"$1"/lib/doca_compat/dpa/dev/ "$1"/drivers/comch/shm/dpa/prog/; do
		tree_flags+=(-I "$d")
	done
}

# tree_sources: the C files below the working folder, one a line. Fuzz targets need
# clang.
tree_sources() {
	find lib drivers app examples -name '*.c' ! -path '*/fuzz/*' ! -path '*/build/*' | sort
}

# tree_file_flags <file>: sets the array "file_flags", for this file beyond the former.
# shellcheck disable=SC2034
tree_file_flags() {
	file_flags=(-I "${1%/*}")
	case $1 in
	lib/* | drivers/*) file_flags+=(-DALLOW_INTERNAL_API) ;;
	examples/doca/*) file_flags+=(-DDOCA_ALLOW_EXPERIMENTAL_API) ;;
	esac
}

# tree_compile <compiler> <file>...: with the array "flags", below the working folder, on all
# CPUs. 0 if all files compile; names those that do not.
tree_compile() {
	# shellcheck disable=SC2016,SC2154 # expanded by the inner shell, and of the caller
	printf '%s\n' "${@:2}" | COMPILE_FLAGS="${flags[*]@Q}" xargs -P "$(nproc)" -n 8 bash -c '
		. "$0"
		compiler=$1
		eval "flags=($COMPILE_FLAGS)"
		bad=0
		for file in "${@:2}"; do
			tree_file_flags "$file"
			"$compiler" "${flags[@]}" "${file_flags[@]}" -c "$file" -o /dev/null ||
				{ echo "$file"; bad=1; }
		done
		exit $bad
	' "${BASH_SOURCE[0]}" "$1"
}
