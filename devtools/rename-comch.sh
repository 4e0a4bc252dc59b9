#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Renames public names of comch in an application's sources, in place, by the tables of
# the release notes. What a person has to change is listed with its remedy.
#
# usage: rename-comch.sh FILE|FOLDER...
#
# Exit status: 0 if nothing is left to change, 1 if something is listed.

set -euo pipefail

notes=$(dirname "$0")/../doc/guides/rel_notes/release_26_11.rst
if [ $# -eq 0 ] || [ ! -r "$notes" ]; then
	sed -n 's/^# usage/usage/p' "$0" >&2
	exit 2
fi

# A line for each old name: name, structure or "-", whether it is renamed, new name or remedy.
table=$(awk -F'", "' '
	/csv-table:: / { renamed = / Renamed$/ }
	/^   "``/ {
		new = $2
		gsub(/``|"$/, "", new)
		what = "-"
		if (match($1, / of ``struct [a-z_]+/))
			what = substr($1, RSTART + 13, RLENGTH - 13)
		sub(/ of .*/, "", $1)
		gsub(/[^a-zA-Z_ ]/, "", $1)
		nb = split($1, old, " ")
		if (renamed)
			sub(/\(\)$/, "", new)
		for (i = 1; i <= nb; i++)
			print old[i] "\t" what "\t" renamed "\t" new
	}' "$notes")

mapfile -t files < <(find "$@" -type f -regex '.*\.\(c\|h\|cc\|hh\|cpp\|hpp\|cxx\)')
[ ${#files[@]} -gt 0 ] || exit 0

left=0 script=
while IFS=$'\t' read -r old what renamed new; do
	if [ "$renamed" = 1 ]; then
		script+="s/\\b$old\\b/$new/g;"
		continue
	fi
	while IFS=: read -r file line _; do
		if [ "$what" = - ]; then
			echo "$file:$line: $old: $new"
		elif grep -qw "$what" "$file"; then
			echo "$file:$line: $old, if of struct $what: $new"
		else
			continue
		fi
		left=1
	done < <(grep -Hnw "$old" "${files[@]}" || true)
done <<< "$table"
sed -i "$script" "${files[@]}"
exit $left
