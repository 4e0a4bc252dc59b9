#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-format.sh [--enforce] [file...]
#
# Compares C files with what .clang-format would make of them. Reports, and
# fails only with --enforce: tables and macros are at times better by hand.

set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh

enforce=no
if [ "${1:-}" = --enforce ]; then
	enforce=yes
	shift
fi
tool=$(command -v clang-format-14 || command -v clang-format) || {
	echo 'no clang-format here; see devtools/setup.sh test' >&2
	exit 1
}

if [ $# -gt 0 ]; then
	files=("$@")
else
	tree_files '*.c' '*.h'
fi

differing=0
for f in "${files[@]}"; do
	n=$("$tool" "$f" | diff "$f" - | grep -c '^<' || true)
	if [ "$n" != 0 ]; then
		echo "$f: $n lines differ"
		differing=$((differing + 1))
	fi
done
echo "$differing of ${#files[@]} files differ from .clang-format"
[ $enforce = no ] || [ $differing = 0 ]
