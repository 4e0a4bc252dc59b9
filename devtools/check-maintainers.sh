#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Every file of the tree belongs to an area of MAINTAINERS, and every pattern
# there still matches something.

set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh

bad=0
tree_files '*'
mapfile -t patterns < <(sed -n 's/^F: *//p' MAINTAINERS)
declare -A used

for f in "${files[@]}"; do
	found=
	for p in "${patterns[@]}"; do
		glob=$p
		[[ $p != */ ]] || glob="$p*"
		# shellcheck disable=SC2053 # a pattern on purpose
		if [[ $f == $glob ]]; then
			used[$p]=1
			found=1
		fi
	done
	if [ -z "$found" ]; then
		echo "$f: in no area of MAINTAINERS"
		bad=1
	fi
done

for p in "${patterns[@]}"; do
	if [ -z "${used[$p]:-}" ]; then
		echo "MAINTAINERS: F: $p matches nothing"
		bad=1
	fi
done

exit $bad
