# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by test.sh: a plan of steps, and what runs it. What a step does is not
# in here.
#
#   plan <tier> <seconds> <name> [after <name>]... [counted] -- <command>...
#
# <tier> is the smallest that the step belongs to: quick, gate or all. <seconds>
# is what it takes on two quiet cores, for the time that is left. A step "after"
# another needs it: it is run with it, and not at all if the other has failed, which
# is the failure that counts. A
# "counted" step is as many as its last line "N passed, N failed" says, any other
# is one. A step that cannot be done here says why, and ends with status 77.
#
# Uses $logs.

passed=0
failed=0
steps_done=no

step_names=()
declare -A step_tier step_seconds step_needs step_kind step_command step_state
declare -A tier_level=([quick]=1 [gate]=2 [all]=3)

# A mistake in the plan or in the arguments.
plan_die() {
	echo "test: $*" >&2
	exit 2
}

plan() {
	local tier=$1 seconds=$2 name=$3
	shift 3
	[ -n "${tier_level[$tier]-}" ] || plan_die "step '$name': there is no tier '$tier'"
	[ -z "${step_tier[$name]-}" ] || plan_die "step '$name' is there twice"
	step_names+=("$name")
	step_tier[$name]=$tier
	step_seconds[$name]=$seconds
	step_needs[$name]=
	step_kind[$name]=one
	while [ "$1" != -- ]; do
		case $1 in
		after)
			[ -n "${step_tier[$2]-}" ] || plan_die "step '$name' is before '$2'"
			[ "${tier_level[${step_tier[$2]}]}" -le "${tier_level[$tier]}" ] ||
				plan_die "step '$name' is in a tier without '$2'"
			step_needs[$name]+=$2$'\n'
			shift 2
			;;
		counted)
			step_kind[$name]=counted
			shift
			;;
		*) plan_die "step '$name': '$1'?" ;;
		esac
	done
	shift
	step_command[$name]=$(printf '%q ' "$@")
}

# choose_tier <tier>: all of its steps.
choose_tier() {
	local name
	for name in "${step_names[@]}"; do
		if [ "${tier_level[${step_tier[$name]}]}" -le "${tier_level[$1]}" ]; then
			step_state[$name]=chosen
		fi
	done
}

choose_with_needs() { # <name>
	local need
	step_state[$1]=chosen
	while IFS= read -r need; do
		[ -z "$need" ] || choose_with_needs "$need"
	done <<<"${step_needs[$1]}"
}

# choose_only <pattern>...: those of any tier that fit, and what they need. A
# pattern is a name, or the shell's pattern of any part of names.
choose_only() {
	local name pattern found
	for pattern in "$@"; do
		[ -n "$pattern" ] || plan_die 'an empty pattern fits everything: leave --only out'
		if [ -n "${step_tier[$pattern]-}" ]; then
			choose_with_needs "$pattern"
			continue
		fi
		found=no
		for name in "${step_names[@]}"; do
			# shellcheck disable=SC2053 # a pattern on purpose
			if [[ $name == *$pattern* ]]; then
				choose_with_needs "$name"
				found=yes
			fi
		done
		[ $found = yes ] || plan_die "no step is called '$pattern'; test.sh --list shows them"
	done
}

# What was chosen as a table, and its time.
list_steps() {
	local name need sum=0
	printf '%-6s %6s  %s\n' tier time step
	for name in "${step_names[@]}"; do
		[ -n "${step_state[$name]-}" ] || continue
		sum=$((sum + step_seconds[$name]))
		printf '%-6s %4d s  %s' "${step_tier[$name]}" "${step_seconds[$name]}" "$name"
		while IFS= read -r need; do
			[ -z "$need" ] || printf ' [after: %s]' "$need"
		done <<<"${step_needs[$name]}"
		echo
	done
	echo "$(duration $sum) on two quiet cores"
}

# Seconds in words.
duration() {
	if [ "$1" -lt 60 ]; then
		echo "$1 s"
	else
		echo "$((($1 + 59) / 60)) min"
	fi
}

# --------------------------------------------------------------------------

end_step() { # <state> <words>
	step_state[$name]=$1
	printf '%4d s  %s\n' $((SECONDS - step_start)) "$2"
}

fail_step() { # <how many> <words>
	failed=$((failed + $1))
	end_step failed "FAILED${2:+ ($2)}, log: $log"
	# the cases by name, which may be far from the end
	grep -aE '^ \+ TestCase .* failed|^TestCase .* failed: ' "$log" | head -n 20 |
		sed 's/^/    ! /' || true
	tail -n 25 "$log" | sed 's/^/    | /'
}

# What a step has left out, and why, and what passed at a second look, is in its log.
show_skipped() {
	sed -nE 's/^[ +]*(TestCase[^:]*: *)?(.*skipped: .*|once failed: .*)$/    \2/p' "$log" |
		awk 'NR <= 20; END { if (NR > 20) print "    and " NR - 20 " more, in its log" }'
}

count_result() { # <exit status>
	local rc=$1 counts p f
	counts=$(grep -Eo '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 || true)
	p=${counts%% passed*}
	f=${counts##*, }
	f=${f%% failed*}
	if [ -z "$counts" ]; then
		fail_step 1 "no result, exit status $rc"
		return
	fi
	p=$((10#$p))
	f=$((10#$f))
	passed=$((passed + p))
	if [ $f != 0 ]; then
		fail_step $f "$counts"
	elif [ $p = 0 ]; then
		fail_step 1 "nothing was tested: $counts"
	elif [ "$rc" != 0 ]; then
		# Dying after the last test is a failure of its own.
		fail_step 1 "$counts, but exit status $rc"
	else
		end_step passed "$counts"
	fi
}

# Ends a process that this script has started, and then all that it has started: a
# shell must not go on when a child ends.
kill_tree() { # <pid>
	local child children
	children=$(cat "/proc/$1/task"/*/children 2>/dev/null || true)
	kill "$1" 2>/dev/null || true
	for child in $children; do
		kill_tree "$child"
	done
}

break_off() { # <exit status>
	trap - HUP INT TERM
	echo "broken off; logs are in $logs"
	if [ -n "$step_pid" ]; then
		kill_tree "$step_pid"
		wait "$step_pid" 2>/dev/null || true
	fi
	exit "$1"
}

run_step() {
	local rc=0 need step_start=$SECONDS log
	log=$logs/$(printf '%02d' "$nr")-${name//[^A-Za-z0-9.+-]/_}.log
	printf '[%*d/%d, %7s left] %-46s ' ${#total} "$nr" "$total" "$(duration $((left * pace / 100)))" \
		"$name"
	while IFS= read -r need; do
		if [ -n "$need" ] && [ "${step_state[$need]}" != passed ]; then
			# Nobody knows whether it is good: no pass, and no failure of its own.
			end_step 'not run' "NOT RUN: needs '$need'"
			return
		fi
	done <<<"${step_needs[$name]}"
	# In the background, where it ends at the first error: after "if" or before "||"
	# it would not. As a job of its own it gets no Ctrl-C of the terminal: break_off()
	# ends it. What it may leave behind does not hold the lock.
	set -m
	(eval "${step_command[$name]}") >"$log" 2>&1 </dev/null 9>&- &
	step_pid=$!
	set +m
	wait "$step_pid" || rc=$?
	step_pid=
	if [ $rc = 77 ] && [ -s "$log" ] && ! grep -qE '^[0-9]+ passed' "$log"; then
		end_step skipped "skipped: $(tail -n 1 "$log")"
		return
	elif [ "${step_kind[$name]}" = counted ]; then
		count_result $rc
	elif [ $rc = 0 ]; then
		passed=$((passed + 1))
		end_step passed ok
	else
		fail_step 1 "exit status $rc"
	fi
	show_skipped
}

# Runs what was chosen, in the order of the plan.
run_steps() {
	local name nr=0 total=0 left=0 planned=0 begin=$SECONDS pace=100 step_pid=
	trap 'break_off 129' HUP
	trap 'break_off 130' INT
	trap 'break_off 143' TERM
	for name in "${step_names[@]}"; do
		if [ "${step_state[$name]-}" = chosen ]; then
			total=$((total + 1))
			left=$((left + step_seconds[$name]))
		fi
	done
	for name in "${step_names[@]}"; do
		[ "${step_state[$name]-}" = chosen ] || continue
		nr=$((nr + 1))
		run_step
		left=$((left - step_seconds[$name]))
		planned=$((planned + step_seconds[$name]))
		# In percent of the plan, once that says something; no less than half, as
		# a build that was kept says nothing of those to come.
		if [ $planned -ge 30 ]; then
			pace=$(((SECONDS - begin) * 100 / planned))
			[ $pace -ge 50 ] || pace=50
		fi
	done
	# An error of the shell's arithmetic ends functions without an exit status.
	# shellcheck disable=SC2034 # for test.sh
	steps_done=yes
}

# The steps of these tiers that were not chosen, by name.
print_left_out() { # <tier>...
	local tier name names nr seconds
	for tier in "$@"; do
		nr=0
		seconds=0
		names=
		for name in "${step_names[@]}"; do
			[ -z "${step_state[$name]-}" ] || continue
			[ "${step_tier[$name]}" = "$tier" ] || continue
			nr=$((nr + 1))
			seconds=$((seconds + step_seconds[$name]))
			names+="; $name"
		done
		[ $nr = 0 ] || echo "left to the tier '$tier': $nr steps, about $(duration $seconds): ${names#; }" |
			fold -s -w 100 | sed '2,$s/^/    /'
	done
}
