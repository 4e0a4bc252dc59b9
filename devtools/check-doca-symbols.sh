#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-doca-symbols.sh <build folder>
#
# Every function that an installed header of lib/doca_compat declares is exported by one
# of its libraries, and every one that is exported is declared: in an installed header,
# or, if its version is DOCA_COMPAT_INTERNAL, in one of the private headers that the
# libraries share. The compiler says what is declared.

set -euo pipefail

if [ $# != 1 ] || [[ $1 == -* ]]; then
	echo 'usage: check-doca-symbols.sh <build folder>' >&2
	exit 2
fi
top=$(cd "$(dirname "$0")/.." && pwd)
libs=()
for f in "$1"/buildtools/doca/libdoca_*.so; do
	[ ! -e "$f" ] || libs+=("$f")
done
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
# in one folder, as they are installed
folder=$run/include
mkdir "$folder"
ln -s "$top"/lib/doca_compat/*/doca_*.h "$folder"

[ ${#libs[@]} -gt 0 ] || {
	echo "there are no libraries of lib/doca_compat in $1: the option doca_compat leaves them out"
	exit 77
}

read -ra dpdk_flags < <(pkg-config --cflags libdpdk)

# declared <header>...: the functions without "static" in files of the folder.
declared() {
	local f
	: >"$run/declared.c"
	for f in "$@"; do
		echo "#include <$f>" >>"$run/declared.c"
	done
	# ccache keeps no such file
	CCACHE_DISABLE=1 gcc -DDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ALLOW_DEPRECATED_API \
		-DALLOW_EXPERIMENTAL_API -I "$folder" -I "$top/lib/comch" "${dpdk_flags[@]}" \
		-aux-info "$run/info" -fsyntax-only "$run/declared.c"
	sed -n "s|^/\* $folder/[^ ]* \*/ extern [^(]*[ *]\([a-z0-9_]*\) (.*|\1|p" "$run/info" |
		sort -u
}

# exported <pattern of versions>
exported() {
	nm -D --defined-only "${libs[@]}" | sed -n "s/^[0-9a-f]* [TWi] \([a-z0-9_]*\)@@*\($1\)$/\1/p" | sort
}

# private headers that are of more than one library
shared=(doca_ctx_private.h doca_dev_private.h doca_mem_private.h doca_private.h)
public=()
for f in "$folder"/doca_*.h; do
	[[ $f == *private.h ]] || public+=("${f##*/}")
done
declared "${public[@]}" >"$run/public"
declared "${shared[@]}" | comm -23 - "$run/public" >"$run/internal"
exported DOCA_COMPAT >"$run/exported"
exported DOCA_COMPAT_INTERNAL >"$run/exported-internal"

bad=0
[ -s "$run/public" ] || { echo 'no functions are declared'; bad=1; }
diff --label declared --label exported -U 0 "$run/public" "$run/exported" || bad=1
diff --label 'declared, internal' --label 'exported, internal' -U 0 \
	"$run/internal" "$run/exported-internal" || bad=1
[ -z "$(uniq -d "$run/exported")" ] || { echo "twice: $(uniq -d "$run/exported")"; bad=1; }
echo "$(wc -l <"$run/public") functions are declared and exported"
exit $bad
