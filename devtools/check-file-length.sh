#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Names files that have grown past what one reader keeps in mind. Only warns: a
# long list of one kind of thing is fine.

set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh

limit=800
tree_files '*.c' '*.h' '*.py' '*.sh'
for f in "${files[@]}"; do
	n=$(wc -l <"$f")
	[ "$n" -le $limit ] || echo "warning: $f: $n lines, does it still hold one thing?"
done
