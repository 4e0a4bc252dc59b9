#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Prints how large each room is: lines that are neither blank nor comment, and for
# all of devtools every line. Then the exports and the words of the guides.

set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh

# Comments of C end where a string does not hide them; a line of another language
# is a comment if it starts with '#'.
net_lines() {
	awk '
	FNR == 1 { c = FILENAME ~ /\.[ch]$/; inside = 0 }
	!c { n += !/^[ \t]*(#|$)/; next }
	{
		code = ""
		rest = $0
		while (rest != "") {
			if (inside) {
				if (!match(rest, /\*\//))
					break
				inside = 0
			} else if (match(rest, /"([^"\\]|\\.)*"|\x27([^\x27\\]|\\.)*\x27|\/\/|\/\*/)) {
				what = substr(rest, RSTART, 2)
				code = code substr(rest, 1, RSTART - 1)
				if (what == "//")
					break
				if (what == "/*")
					inside = 1
				else
					code = code "x"
			} else {
				code = code rest
				break
			}
			rest = substr(rest, RSTART + RLENGTH)
		}
		n += code ~ /[^ \t]/
	}
	END { print n + 0 }' "$@"
}

row() { # <name> <pattern>...
	local name=$1
	tree_files "${@:2}"
	printf '%-28s %7d\n' "$name" "$(net_lines "${files[@]}")"
}

row lib/comch 'lib/comch/*.[ch]'
row drivers/comch/shm 'drivers/comch/shm/*.[ch]'
row drivers/comch/bluefield 'drivers/comch/bluefield/*.[ch]'
row drivers/net/comch 'drivers/net/comch/*.[ch]'
row lib/doca_compat 'lib/doca_compat/*.[ch]'
row app/test-comch 'app/test-comch/*.[ch]'
row app/bluefield-model 'app/bluefield-model/*.[ch]'
row 'tests and fuzz' 'app/test/*.[ch]' 'app/test-doca*/*.[ch]' 'app/fuzz/*.[ch]'
row examples 'examples/*.[ch]'
row 'usertools, buildtools' 'usertools/*' 'buildtools/*'
row 'all of C' '*.[ch]'
tree_files 'devtools/*'
printf '%-28s %7d\n' 'devtools, every line' "$(cat "${files[@]}" | wc -l)"
printf '%-28s %7d\n' 'exports of lib/comch' \
	"$(grep -cE '^[[:space:]]+rte_[a-z_0-9]+;' lib/comch/version.map)"
tree_files 'doc/guides/*.rst'
printf '%-28s %7d\n' 'words of the guides' "$(cat "${files[@]}" | wc -w)"
