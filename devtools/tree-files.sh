# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by the checks: which files belong to the tree.

# tree_files [pattern]...: sets the array "files" to those that git tracks or
# would track, and that exist. In a copy without git it is all that no build made.
# Ends the script where nothing is found, as a check of no files would pass.
# shellcheck disable=SC2034 # used by those who source this
tree_files() {
	local list f all
	if git rev-parse --git-dir >/dev/null 2>&1; then
		all=$(git ls-files -co --exclude-standard)
		list=$(git ls-files -co --exclude-standard -- "$@")
	else
		all=$(find . -path './build*' -prune -o -path '*/build/*' -prune -o -type f -print)
		all+=$'\n'$(find ./buildtools -type f)
		all=${all//.\//}
		list=$all
		[ $# = 0 ] || list=$(match_any "$@" <<<"$all")
	fi
	[ -n "$all" ] || {
		echo 'there are no files here' >&2
		exit 1
	}
	files=()
	while IFS= read -r f; do
		[ ! -f "$f" ] || files+=("$f")
	done <<<"$list"
}

# tree_copy <folder>: copies the tree there, into a folder that is made anew.
tree_copy() {
	rm -rf "$1"
	mkdir -p "$1"
	tree_files '*'
	cp --parents -P -t "$1" "${files[@]}"
}

# Those lines of the input that one of the patterns fits, as git takes patterns.
match_any() {
	local line pattern
	while IFS= read -r line; do
		for pattern in "$@"; do
			# shellcheck disable=SC2053 # a pattern on purpose
			if [[ $line == $pattern || $line == */$pattern || $line == $pattern/* ]]; then
				printf '%s\n' "$line"
				break
			fi
		done
	done
}
