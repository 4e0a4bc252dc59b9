#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Runs shellcheck on every shell script of the tree.

set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh

tree_files '*'
scripts=()
for f in "${files[@]}"; do
	# Some binary may be in the tree: no NUL bytes into a variable.
	if [[ $f == *.@(sh|bash) || $(head -n 1 "$f" | tr -d '\0') =~ ^#!.*(/sh|bash)$ ]]; then
		scripts+=("$f")
	fi
done
shellcheck -x -P SCRIPTDIR "${scripts[@]}"
