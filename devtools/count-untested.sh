#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: count-untested.sh [--gate] <folder>
#
# Says how many lines of lib and drivers no test runs, by room: builds the tree for
# coverage in <folder> and runs the tests of the suite "quick" there, which takes ten
# minutes on two cores, or with --gate those of "gate" without guests, half an hour more.
# Needs gcovr. A process that is killed tells nothing of what it ran, so a few lines come
# and go. Each file is in <folder>/untested.csv.

set -euo pipefail

suite=quick
[ "${1:-}" != --gate ] || { suite=gate; shift; }
if [ $# != 1 ] || [[ $1 == -* ]]; then
	echo 'usage: count-untested.sh [--gate] <folder>' >&2
	exit 2
fi
command -v gcovr >/dev/null || {
	echo 'count-untested: no gcovr here: apt-get install gcovr' >&2
	exit 1
}
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ -e "$dir/build.ninja" ] || meson setup "$dir" "$top" -Db_coverage=true \
	-Dbuildtype=debugoptimized -Dcheck_includes=false
ninja -C "$dir"
find "$dir" -name '*.gcda' -delete
"$top/devtools/test/run-suites.py" "$dir" "$dir/logs" --suite $suite --no-suite checks \
	--no-suite builds --no-suite guests || echo 'some tests have failed: what they would have run may be missing'

cd "$dir"
# threads count at one time, and a counter may end below zero
gcovr --gcov-ignore-parse-errors -r "$top" --object-directory . --filter "$top/lib/" --filter "$top/drivers/" \
	--csv untested.csv .
awk -F, 'NR > 1 {
	n = split($1, part, "/")
	room = part[1] "/" part[2] (part[1] == "drivers" && n > 3 ? "/" part[3] : "")
	lines[room] += $2; ran[room] += $3
	lines["all"] += $2; ran["all"] += $3
}
END {
	for (room in lines)
		printf "%-28s %7d of %7d lines not run\n", room, lines[room] - ran[room], lines[room]
}' untested.csv | sort
