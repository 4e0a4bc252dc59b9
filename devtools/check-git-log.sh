#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-git-log.sh [range]
#
# Commit messages in DPDK's form: "area: imperative, lower case", at most 60
# characters after the area, a body wrapped at 75. Without a range, the last
# commit.

set -euo pipefail
cd "$(dirname "$0")/.."

if ! git rev-parse -q --verify HEAD >/dev/null; then
	echo 'no commit yet'
	exit 0
fi
bad=0

complain() {
	echo "$1: $2"
	echo "	$3"
	bad=1
}

while IFS= read -r id; do
	short=${id:0:12}
	title=$(git log -1 --format=%s "$id")
	if [[ ! $title =~ ^[a-z0-9_./-]+(,\ [a-z0-9_./-]+)*:\ (.+)$ ]]; then
		complain "$short" 'title is not "area: what it does"' "$title"
	else
		text=${BASH_REMATCH[2]}
		[ ${#text} -le 60 ] || complain "$short" "title has ${#text} characters after its area" "$title"
		[[ $text != *. ]] || complain "$short" 'title ends with a full stop' "$title"
		# A capital may begin a name (BlueField, EAL), not a plain word.
		[[ ! $text =~ ^(Add|Fix|Remove|Update|Use|Make|Move|Improve|Change|Support|Document|Test)[a-z]*\  ]] ||
			complain "$short" 'title starts with a capital' "$title"
		[[ ! $text =~ ^(added|adds|adding|fixed|fixes|fixing|removed|removes|updated|updates)\  ]] ||
			complain "$short" 'title is not in the imperative' "$title"
	fi
	[ -z "$(git log -1 --format=%B "$id" | sed -n 2p)" ] ||
		complain "$short" 'no blank line after the title' "$title"
	# Quoted output, tags and addresses may be long.
	long=$(git log -1 --format=%b "$id" | grep -vE '^[ 	>]|^[A-Z][A-Za-z-]+: |://' | awk 'length > 75' | head -n 1 || true)
	[ -z "$long" ] || complain "$short" 'body is not wrapped at 75' "$long"
done < <(if [ $# -gt 0 ]; then git rev-list --no-merges "$@"; else git rev-list --no-merges -n 1 HEAD; fi)

exit $bad
