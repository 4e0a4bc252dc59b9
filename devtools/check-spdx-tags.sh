#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Every file starts with the project's licence tag and a copyright line. Files
# that cannot hold a comment are listed here, with nothing else.

set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh

exempt='^(VERSION|ABI_VERSION|LICENSES/.*|app/fuzz/corpus/.*|.*\.(svg|png|json))$'
bad=0

tree_files '*'
for f in "${files[@]}"; do
	[ -s "$f" ] || continue # nothing to own
	[[ ! $f =~ $exempt ]] || continue
	head=$(head -n 8 "$f")
	licence='BSD-3-Clause'
	# Test equipment that is loaded into QEMU has QEMU's licence.
	[[ $f != devtools/qemu/* ]] || licence='(BSD-3-Clause|GPL-2\.0-or-later)'
	if ! grep -Eq "SPDX-License-Identifier: $licence" <<<"$head"; then
		echo "$f: no SPDX-License-Identifier: BSD-3-Clause in its first lines"
		bad=1
	elif ! grep -q 'Copyright(c) [0-9]\{4\}' <<<"$head"; then
		echo "$f: no copyright line in its first lines"
		bad=1
	fi
done

exit $bad
