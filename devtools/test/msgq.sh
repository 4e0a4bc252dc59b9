# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by step.sh: runs of message queues with the program of an offload processor,
# by the example and by the benchmark. No suite of the autotests is in here.
#
# Uses $work and $lcores, eal_args() and autotest_once() of builds.sh, and two_processes()
# of programs.sh.

# msgq_run <build> <options of the example>...: one process, the execution units are on
# the last of the CPUs.
msgq_run() {
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 100 "$work/$1/examples/dpdk-comch-msgq" \
		$(eal_args msgq "${lcores%%,*}") --no-telemetry \
		--vdev comch_shm0,role=dpu,functions=pf0 -- "${@:2}"
}

example_msgq() { # <build>
	local cpu=${lcores##*,} out
	msgq_run "$1" --count 2000 --cpus "$cpu" || return 1
	out=$(msgq_run "$1" --count 500 --event --eus 4 --cpus "$cpu,$cpu,$cpu,$cpu") || return 1
	echo "$out"
	# Three parts with each of them.
	[ "$(grep -c '^Execution unit [0-3]: 500 ' <<<"$out")" = 12 ]
}

# The program of another machine, built as the guide says.
example_msgq_runner() { # <build>
	local program=$work/$build/msgq-riscv64
	CC=riscv64-linux-gnu-gcc "$top/drivers/comch/shm/dpa/prog/comch-dpa-cc" -o "$program" \
		"$top/examples/msgq/dpa/msgq_dpa.c" || return 1
	msgq_run "$1" --count 200 --event --program "$program" \
		--runner /usr/bin/qemu-riscv64-static
}

# Each mistake is named with its key and the remedy.
example_msgq_errors() { # <build>
	local out rc args want bad=0
	while IFS='|' read -r args want; do
		rc=0
		# shellcheck disable=SC2086 # words on purpose
		out=$(msgq_run "$1" $args 2>&1) || rc=$?
		if [ "$rc" != 1 ] || ! grep -qF -e "msgq: $want" <<<"$out"; then
			echo "$args: exit status $rc, and not: $want"
			echo "$out"
			bad=1
		fi
	done <<-EOF
		-P $work/$build/missing|-P $work/$build/missing: there is no such program: build it
		-P /etc/passwd|-P /etc/passwd: no program of this offload processor: build it
		-R $work/$build/missing|-R $work/$build/missing: there is no such runner: install it
		-u 0|-u 0: not a number from 1 to 64
		-u 2 -C 0|-C: the list has 1, and -u is 2: give each execution unit one
		-C 0,|-C 0,: no list of cpus: give one for each
		-C 1000000|-C: a cpu is none that this process may use: see taskset -cp \$\$
		-c many|-c many: not a number from 1 to
		-p comch_shm9|-p comch_shm9: no such device; there are:
		more|more: not an option; see --help
	EOF
	out=$(CC=no-such-cc "$top/drivers/comch/shm/dpa/prog/comch-dpa-cc" -o "$work/$build/none" none.c 2>&1) &&
		bad=1
	grep -qF 'comch-dpa-cc: there is no compiler no-such-cc: install it' <<<"$out" || {
		echo "$out"
		bad=1
	}
	return $bad
}

# Its program is killed: the example says so, frees everything and ends.
example_msgq_killed() { # <build>
	local out pid child i rc=0
	out=$(mktemp)
	msgq_run "$1" --count 1000000000 --event >"$out" 2>&1 &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		! grep -q ' runs on 1 execution unit' "$out" || break
		sleep 0.1
	done
	# The last one below the shell and timeout.
	child=$pid
	for ((i = 0; i < 8; i++)); do
		child=$(cat "/proc/$child/task"/*/children 2>/dev/null || true)
		child=${child%% *}
		[ -n "$child" ] || break
		[ "$(cat "/proc/$child/comm")" != comch-dpa ] || kill -KILL "$child"
	done
	wait "$pid" || rc=$?
	cat "$out"
	echo "exit status $rc"
	[ "$rc" != 1 ] || grep -q '^msgq: .*: the program has ended: .*signal 9' "$out" || rc=2
	[ "$(grep -c '^msgq: ' "$out")" = 1 ] || rc=2
	rm -f "$out"
	[ "$rc" = 1 ]
}

# msgq_benchmark <build> <options of the client>...
msgq_benchmark() {
	two_processes "$work/$1/app/dpdk-test-comch" --server --once -- --client "${@:2}"
}

# The device says what its offload processors can do.
msgq_caps() { # <build>
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 60 "$work/$1/app/dpdk-test-comch" $(eal_args msgq "${lcores%%,*}") \
		--no-telemetry --vdev comch_shm0,role=dpu,functions=pf0 -- --caps 2>&1 |
		grep -A 40 '^ *capabilities .* dpa$' | grep '^ *dpa max_imm_len  *32 B$'
}

# Every byte, in both directions and of copies, in both modes.
msgq_short() { # <build>
	local mode cpu=${lcores%%,*}
	msgq_caps "$1" || return 1
	for mode in --poll --event; do
		msgq_benchmark "$1" --test msgq-rate --dir both --eus 2 --validate $mode \
			--count 200000 --rounds 2 || return 1
		msgq_benchmark "$1" --test msgq-rate --dir to --size 1,32,31,ADD --burst 1 \
			--validate $mode --count 20000 --rounds 1 || return 1
		msgq_benchmark "$1" --test msgq-lat --validate $mode --count 2000 --rounds 1 ||
			return 1
		msgq_benchmark "$1" --test msgq-dma --size 1,1000003,1000002,ADD --validate $mode \
			--count 200 --rounds 1 || return 1
	done
	# Units that poll on one CPU answer when it is their turn, which takes its time.
	msgq_benchmark "$1" --test msgq-lat --eus 4 --eu-cpus "$cpu,$cpu,$cpu,$cpu" \
		--warmup 1 --duration 0.5 --rounds 1
}

# The program of another machine, by a runner, and a runner that is not there.
msgq_runner() { # <build>
	local program=$work/$build/test-comch-riscv64 out runner=/usr/bin/qemu-riscv64-static
	CC=riscv64-linux-gnu-gcc "$top/drivers/comch/shm/dpa/prog/comch-dpa-cc" -o "$program" \
		"$top/app/test-comch/dpa/msgq_dpa.c" || return 1
	msgq_benchmark "$1" --test msgq-rate,msgq-lat --program "$program" --runner "$runner" \
		--event --validate --count 2000 --rounds 1 || return 1
	out=$(msgq_benchmark "$1" --test msgq-lat --runner "$work/$build/missing" --count 20 \
		--rounds 1 2>&1) && return 1
	grep -qF "cannot execute it, with runner $work/$build/missing: No such file" <<<"$out" &&
		grep -q "FAILED: runner: .* cannot be started: No such file" <<<"$out"
}

# What both ends check is found: copies of the program with one mistake each.
msgq_mistakes() { # <build>
	local dir source=$top/app/test-comch/dpa/msgq_dpa.c name change args want out rc bad=0
	local other='messages of execution unit 0 were not what it sent, the first is number'
	dir=$(mktemp -d)
	cp -r "$top/app/test-comch/dpa" "$top/app/test-comch/pattern.h" "$dir"
	while IFS='|' read -r name change args want; do
		sed "$change" "$source" >"$dir/dpa/msgq_dpa.c"
		! cmp -s "$source" "$dir/dpa/msgq_dpa.c" || {
			echo "$name: there is nothing to change in $source"
			bad=1
			continue
		}
		"$top/drivers/comch/shm/dpa/prog/comch-dpa-cc" -o "$dir/$name" "$dir/dpa/msgq_dpa.c" ||
			return 1
		rc=0
		# shellcheck disable=SC2086 # words on purpose
		out=$(msgq_benchmark "$1" --program "$dir/$name" --validate --count 2000 \
			--rounds 1 $args 2>&1) || rc=$?
		if [ "$rc" = 0 ] || ! grep -qE "^msgq-.*: FAILED: .*$want" <<<"$out"; then
			echo "$name: exit status $rc, and not: $want"
			echo "$out"
			bad=1
		fi
	done <<-EOF
		order|s/sent + nb);/sent + (nb ^ 1));/|--test msgq-rate --dir from|$other
		length|s/w->size, flags)/w->size - 1, flags)/|--test msgq-rate --dir from|$other
		answer|s/consumer_id, imm,/consumer_id, w->msg,/|--test msgq-lat|$other
		copy|s/copy_len, &seq/copy_len - 1, \&seq/|--test msgq-dma --size 4096|$other 0$
		count|s/received, nb)/received, nb + 1)/|--test msgq-rate|: [0-9]+ messages were sent
		nobody|s/consumer_id, imm,/consumer_id + 1, imm,/|--test msgq-lat|: .*No such file
	EOF
	rm -rf "$dir"
	return $bad
}

# msgq_loopback <build> <options>...: in one process, and with more time.
msgq_loopback() {
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 900 "$work/$1/app/dpdk-test-comch" $(eal_args msgq "$lcores") \
		--no-telemetry --vdev comch_shm0,role=dpu,functions=pf0 \
		--vdev comch_shm1,role=host,function=pf0 -- --loopback "${@:2}"
}

# Copies up to the longest, and every byte of 100 000 000 messages each way.
msgq_long() { # <build>
	msgq_loopback "$1" --test msgq-dma --size 1,67108864,4,MUL --validate --count 64 \
		--rounds 1 &&
		msgq_loopback "$1" --test msgq-rate --dir both --validate --count 100000000 \
			--rounds 1
}

# Whoever parks is woken a million times at random moments, in one process and with a program
# of its own: no wake-up is lost. A case takes three minutes at most, and says how far it came.
msgq_wakes() { # <build>
	local -x COMCH_TEST_MSGQ_WAKES=1000000
	autotest_once "$1" shm_msgq_wake_autotest comch_msgq_autotest:test_park
}
