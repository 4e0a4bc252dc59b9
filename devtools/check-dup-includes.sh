#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# No C file includes a header twice. Headers for different #if branches are
# written once, outside of them or in a header of their own.

set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh

bad=0
tree_files '*.c' '*.h'
for f in "${files[@]}"; do
	dup=$(sed -n 's/^[ \t]*#[ \t]*include[ \t]*[<"]\([^>"]*\)[>"].*/\1/p' "$f" | sort | uniq -d)
	if [ -n "$dup" ]; then
		echo "$f: included twice: ${dup//$'\n'/ }"
		bad=1
	fi
done

exit $bad
