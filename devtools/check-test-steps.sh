#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Tests what runs the steps of test.sh, devtools/test/steps.sh, with steps that
# fail in each way that a step can, and a run that is ended in the middle. Nothing of
# the tree is built or tested here. Takes a few seconds.

# shellcheck disable=SC2317 # functions are called by the plan
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
bad=0

# steps <plan>...: runs it as test.sh does, in a shell of its own; its output is in
# $run/out, its exit status in $rc.
steps() {
	rc=0
	cat >"$run/plan.sh" <<-EOF_PLAN
		set -euo pipefail
		logs=$run/logs
		mkdir -p "\$logs"
		exec 9>"$run/lock"
		flock -n 9 || { echo 'the lock is held'; exit 3; }
		. "$here/test/steps.sh"
		in_the_middle() { false; true; }
		unset_variable() { echo "\$nobody_has_set_this"; }
		by_signal() { kill -KILL "\$BASHPID"; }
		counted() { echo "\$1 passed, \$2 failed"; return "\${3:-0}"; }
		lists_skipped() { seq -f ' + TestCase [%.0f] : x skipped: y' 9999; counted 3 0; }
		not_here() { echo 'there is no such thing here'; return 77; }
		$1
		choose_tier gate
		run_steps
		print_left_out all
		[ \$steps_done = yes ]
		echo "\$passed passed, \$failed failed"
	EOF_PLAN
	bash "$run/plan.sh" >"$run/out" 2>&1 || rc=$?
}

# expect <what> <sum> <words that the output has>...
expect() {
	local words
	if [ "$rc" != 0 ] || [ "$(tail -n 1 "$run/out")" != "$2" ]; then
		echo "$1: exit status $rc, and not: $2"
		cat "$run/out"
		bad=1
	fi
	for words in "${@:3}"; do
		grep -qF -- "$words" "$run/out" || {
			echo "$1: not said: $words"
			cat "$run/out"
			bad=1
		}
	done
}

one() { # <command>: a step, and one after it that must be run all the same
	steps "plan quick 1 first -- $1
plan quick 1 second -- true"
}

one true
expect 'both pass' '2 passed, 0 failed' '[1/2,' '[2/2,'
one false
expect 'a step fails' '1 passed, 1 failed' 'FAILED (exit status 1)'
one in_the_middle
expect 'it fails in the middle of a function' '1 passed, 1 failed'
one unset_variable
expect 'it uses a variable that is not set' '1 passed, 1 failed' 'nobody_has_set_this'
one by_signal
expect 'it dies by a signal' '1 passed, 1 failed' 'exit status 137'
one no-such-command
expect 'there is no such command' '1 passed, 1 failed' 'exit status 127'
one not_here
expect 'it cannot be done here' '1 passed, 0 failed' 'skipped: there is no such thing here'
one 'exit 77'
expect 'it is skipped without a reason' '1 passed, 1 failed'

count() { # <command>
	steps "plan quick 1 first counted -- $1
plan quick 1 second -- true"
}

count 'counted 3 0'
expect 'three pass' '4 passed, 0 failed' '3 passed, 0 failed'
count 'counted 3 2'
expect 'two fail' '4 passed, 2 failed' 'FAILED (3 passed, 2 failed)'
count 'counted 08 0'
expect 'a number with a zero before it' '9 passed, 0 failed'
count 'counted 3 0 1'
expect 'it dies after the last test' '4 passed, 1 failed' 'but exit status 1'
count 'counted 3 2 77'
expect 'failures are not skipped' '4 passed, 2 failed'
count 'counted 0 0'
expect 'nothing is tested' '1 passed, 1 failed' 'nothing was tested'
count lists_skipped
expect 'many cases are skipped' '4 passed, 0 failed' 'and 9979 more, in its log'
count true
expect 'there is no count' '1 passed, 1 failed' 'no result'

steps 'plan quick 1 build -- false
plan quick 1 use after build -- true
plan gate 1 other -- true
plan all 60 long -- true'
expect 'what it needs has failed' '1 passed, 1 failed' "NOT RUN: needs 'build'" \
	"left to the tier 'all': 1 steps, about 1 min: long"
steps 'plan quick 1 x -- true
plan quick 1 x -- true'
[ "$rc" = 2 ] || { echo "the same name twice: exit status $rc"; bad=1; }
steps 'plan quick 1 x after y -- true'
[ "$rc" = 2 ] || { echo "a need that is not there: exit status $rc"; bad=1; }

# wait_for yes|no: that the step's program runs, or does not, for twenty seconds at most.
wait_for() {
	local _ runs
	for _ in $(seq 400); do
		runs=no
		# A pattern that does not fit itself.
		! grep -qxsz -e "59[.]$$" /proc/[0-9]*/cmdline || runs=yes
		[ $runs != "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

# Ended in the middle: at once, with what the step has started, and without the lock.
steps true
for signal in INT TERM HUP; do
	sed -i '/^plan /d; s/^choose_tier gate$/plan quick 1 long -- sleeper\n&/' "$run/plan.sh"
	sed -i "s/^choose_tier gate\$/sleeper() { timeout -k 5 60 sleep 59.$$; }\n&/" "$run/plan.sh"
	# What is ignored when a shell starts, it cannot trap: SIGINT in the background,
	# SIGHUP under nohup.
	env --default-signal="$signal" bash "$run/plan.sh" >"$run/out" 2>&1 &
	pid=$!
	wait_for yes || { echo "$signal: the step does not run"; bad=1; }
	kill -s "$signal" "$pid"
	rc=0
	wait "$pid" || rc=$?
	[ "$rc" -gt 128 ] || { echo "$signal: exit status $rc"; cat "$run/out"; bad=1; }
	wait_for no || { echo "$signal: the step runs on"; bad=1; }
	flock -n "$run/lock" true || { echo "$signal: the lock is held"; bad=1; }
done
exit $bad
