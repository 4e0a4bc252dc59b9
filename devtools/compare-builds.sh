#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: compare-builds.sh <old build folder> <new build folder> [rounds, 5 if none]
#
# Says whether a change has made the control path slower: runs the benchmark of
# two builds in turns, old and new, then new and old, on the two CPUs that this
# process may use. Prints the median rate of each and the ratio new / old for
# control messages, connects, one connect after the other, and tasks of the fast
# path. The exit status is 1 if a ratio is below 0.9.
# Only the ratio means anything: machines differ, and this one from hour to hour.
# For the fast path count-instructions.py is the better tool, it is exact.

set -euo pipefail

least=0.9
# name and options of each run of the benchmark
runs=(
	'- --test ctrl-rate,connect-rate'
	'lone- --test connect-rate --clients 1'
	'tasks- --test fp-rate --tasks'
)
seconds=1
run_dir=
server=

# shellcheck disable=SC2317 # called by trap
clean_up() {
	trap - EXIT INT TERM
	[ -z "$server" ] || ! kill "$server" 2>/dev/null || wait "$server" 2>/dev/null || true
	[ -z "$run_dir" ] || rm -rf "$run_dir"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
fi
old=$1/app/dpdk-test-comch
new=$2/app/dpdk-test-comch
rounds=${3:-5}
for program in "$old" "$new"; do
	if [ ! -x "$program" ]; then
		echo "compare-builds: no $program: build it first" >&2
		exit 1
	fi
done
if ! [ "$rounds" -gt 0 ] 2>/dev/null; then
	echo "compare-builds: '$rounds' is no number of rounds" >&2
	exit 2
fi
mapfile -t cores < <(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
if [ ${#cores[@]} -lt 2 ]; then
	echo 'compare-builds: both sides poll, that takes two CPUs' >&2
	exit 1
fi
run_dir=$(mktemp -d)

eal_args() { # <role> <lcore>
	echo --no-huge -m 64 --no-pci --no-telemetry --log-level=error \
		"--file-prefix=comch-compare-$1-$$" -l "$2" --vdev "comch_shm0,role=$1,path=$run_dir"
}

# Appends "<version> <test> <rate>" for each test to the file of results.
measure() { # <version> <program> <prefix of names, or -> <option>...
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 60 "$2" $(eal_args dpu "${cores[0]}") -- --server --once >"$run_dir/card.log" 2>&1 &
	server=$!
	# shellcheck disable=SC2046
	if ! timeout -k 5 60 "$2" $(eal_args host "${cores[1]}") -- --client "${@:4}" \
		--duration $seconds --rounds 3 --json "$run_dir/result.json" >"$run_dir/host.log" 2>&1; then
		echo "compare-builds: $2 failed:" >&2
		tail -n 5 "$run_dir/host.log" >&2
		exit 1
	fi
	wait "$server" || true
	server=
	/usr/bin/python3 - "$1" "$run_dir/result.json" "${3#-}" >>"$run_dir/results" <<-'PYTHON'
		import json
		import sys

		with open(sys.argv[2], encoding="utf-8") as f:
		    for row in json.load(f)["results"]:
		        name = sys.argv[3] + row["test"] + (f"-{row['size_bytes']}" if row["size_bytes"] else "")
		        print(sys.argv[1], name, row["rate_per_s"])
	PYTHON
}

for ((i = 1; i <= rounds; i++)); do
	echo "round $i of $rounds" >&2
	for options in "${runs[@]}"; do
		read -ra options <<<"$options"
		# who comes next is not as fast as who comes first
		[ $((i % 2)) = 0 ] || measure old "$old" "${options[@]}"
		measure new "$new" "${options[@]}"
		[ $((i % 2)) = 1 ] || measure old "$old" "${options[@]}"
	done
done

/usr/bin/python3 - "$run_dir/results" $least <<'PYTHON'
import statistics
import sys

rates = {}
with open(sys.argv[1], encoding="utf-8") as f:
    for line in f:
        version, test, rate = line.split()
        rates.setdefault(test, {}).setdefault(version, []).append(float(rate))
slow = False
print(f"{'test':<20} {'old/s':>12} {'new/s':>12} {'new / old':>10}")
for test, both in rates.items():
    old, new = (statistics.median(both[v]) for v in ("old", "new"))
    slow |= new < old * float(sys.argv[2])
    print(f"{test:<20} {old:12.0f} {new:12.0f} {new / old:10.2f}")
sys.exit(1 if slow else 0)
PYTHON
