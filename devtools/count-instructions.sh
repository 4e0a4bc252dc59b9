#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: count-instructions.sh [--libmlx5 <rdma-core's sources>] [build folder, build/ if none]
#
# Prints how many instructions of a core a message of the fast path takes: to
# post a buffer, to send, to receive, and to learn that a send is done. In bursts
# of 1 and of 32 messages, of 64 bytes in buffers and of 32 bytes of immediate
# data, and with one connection or 64 of them: there the numbers must be the
# same, or the exit status is 1. And of packets of 64 bytes: to send one, with its
# way back to its pool, and to receive one, with the next one from the pool.
#
# Both ends are in one process, which callgrind (Debian: valgrind) runs twice for
# each column, with different numbers of messages: what happens once is in both,
# and gone from the difference. So the numbers are exact, and the same each time.
# The calls themselves are in, the function around each of them is not.
#
# If the library was built by the compiler that devtools/baseline/instructions.txt
# names, with the same options, no number may be above the one in there: else the
# exit status is 1 as well. With another compiler the table is all there is.
#
# A second table has the tasks of the library, and the same by the vendor's names, of
# lib/doca_compat: 64 bytes into and out of memory of the program, one task at a time and
# 32 of them that are submitted again in their callbacks; and a control message from its
# allocation to its free. If the layer takes more than 1.3 times as many, and more than 110
# on top of the library's, the exit status is 1.
#
# A third table has the bluefield driver's own functions, as the library calls them, on
# queues in plain memory and without a card: a burst of the library's structures into
# requests, with all checks, credits, books and statistics, and back out of completions.
# With 64 bytes of data and bursts of 32 a send may take 50, a post 25 and a receive 55,
# else the exit status is 1. What a card has to carry is printed below: doorbells, and
# bytes of requests and completions.
#
# With --libmlx5 a fourth table has libmlx5's own functions on such queues, with the same
# messages, and how much of that the driver's functions take. The sources are those of
# rdma-core 56, unpacked ("apt-get source rdma-core"); cmake and ninja build them beside,
# with -O3 and without valgrind's requests. Nothing is downloaded.

set -euo pipefail

libmlx5=
if [ "${1:-}" = --libmlx5 ]; then
	libmlx5=${2:?a folder of the sources of rdma-core}
	libmlx5=$(cd "$libmlx5" && pwd)
	shift 2
fi
top=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$top/build}
baseline=$top/devtools/baseline/instructions.txt
program=$build/app/comch-autotest
layer=$build/app/doca-compat-autotest
few=4096 # multiples of 64 connections * bursts of 32
many=12288
# name in COMCH_TEST_COUNT: connections, how many of them carry messages
columns=('1 1' '64 1' '64 64')
run_dir=

# shellcheck disable=SC2317 # called by trap
clean_up() {
	trap - EXIT INT TERM
	[ -z "$run_dir" ] || rm -rf "$run_dir"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if ! command -v valgrind >/dev/null; then
	echo 'count-instructions: no valgrind here; it is in the package valgrind' >&2
	exit 1
fi
if [ $# -eq 0 ]; then
	meson introspect --projectinfo "$build" >/dev/null 2>&1 || meson setup "$build" "$top"
	ninja -C "$build" app/comch-autotest | tail -n 1
	[ ! -x "$layer" ] || ninja -C "$build" app/doca-compat-autotest | tail -n 1
fi
if [ ! -x "$program" ]; then
	echo "count-instructions: $program is not built (meson option tests)" >&2
	exit 1
fi

if [ -n "$libmlx5" ] && [ ! -f "$libmlx5/providers/mlx5/qp.c" ]; then
	echo "count-instructions: $libmlx5 has no providers/mlx5: these are not the sources of rdma-core" >&2
	exit 1
fi

run_dir=$(mktemp -d)
# EAL wants the id of a core that this process may use.
core=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')

# Runs the program under callgrind; its profile is <run_dir>/<name>.
profile() { # <name> <connections> <used> <messages>
	local log=$run_dir/$1.log
	# No symbol is looked up for the first time while we count.
	if ! COMCH_TEST_COUNT="$2 $3 $4" LD_BIND_NOW=1 timeout -k 5 100 \
		valgrind --tool=callgrind --callgrind-out-file="$run_dir/$1" --compress-strings=no \
		"$program" --no-huge -m 192 --no-pci --no-telemetry --log-level=pmd.comch.shm:info \
		"--file-prefix=comch-count-$$" -l "$core" -- comch_fp_count >"$log" 2>&1 ||
		! grep -q '^1 passed, 0 failed' "$log"; then
		echo "count-instructions: the run \"$2 $3 $4\" failed:" >&2
		grep -v -e 'unhandled amd64-linux' -e '^--' "$log" | tail -n 20 >&2
		exit 1
	fi
}

# The cost of each function count_*, with all that it calls.
costs() { # <profile>
	awk '
		/^cfn=/ { name = substr($0, 5) }
		/^calls=/ {
			split($1, calls, "=")
			getline
			if (name ~ /^count_(nothing|post|send|receive|sent)_(buf|imm|mbuf)_(1|32)$/) {
				cost[name] += $2
				count[name] += calls[2]
			}
		}
		END { for (name in cost) print name, count[name], cost[name] }' "$1"
}

# The same of a program that is given the number of messages: <name> <variable=messages>
# <program and its arguments>
profile_tasks() {
	local log=$run_dir/$1.log
	if ! env "$2" LD_BIND_NOW=1 timeout -k 5 100 \
		valgrind --tool=callgrind --callgrind-out-file="$run_dir/$1" --compress-strings=no \
		"${@:3}" >"$log" 2>&1; then
		echo "count-instructions: the run \"$2\" failed:" >&2
		grep -v -e 'unhandled amd64-linux' -e '^--' "$log" | tail -n 20 >&2
		exit 1
	fi
}

# What tasks cost, by both names, in one table.
tasks() {
	local messages
	for messages in $few $many; do
		profile_tasks "native.$messages" "COMCH_TEST_TASK_COUNT=$messages" "$program" --no-huge \
			-m 64 --no-pci --no-telemetry --log-level=pmd.comch.shm:info \
			"--file-prefix=comch-count-$$" -l "$core" -- comch_task_count
		profile_tasks "layer.$messages" "DOCA_TEST_COUNT=$messages" "$layer"
		awk -v messages="$messages" '
			/^cfn=/ { name = substr($0, 5) }
			/^calls=/ {
				getline
				if (name ~ /^count_(native|layer)_/)
					cost[name] += $2
			}
			END { for (name in cost) print messages, name, cost[name] }' \
			"$run_dir/native.$messages" "$run_dir/layer.$messages"
	done >"$run_dir/tasks"
	awk -v few=$few -v many=$many -v limit=1.3 -v most=110 '
		function per_message(kind, op,    f) {
			f = "count_" kind "_" op
			if (!((many, f) in cost))
				missing = 1
			return (cost[many, f] - cost[few, f]) / (many - few)
		}
		function row(label, ops,    n, i, op, native, layer, above) {
			n = split(ops, op, " ")
			for (i = 1; i <= n; i++) {
				native += per_message("native", op[i])
				layer += per_message("layer", op[i])
			}
			if (missing || native == 0) {
				print "count-instructions: not all calls of tasks were counted"
				exit 1
			}
			above = layer / native > limit && layer - native > most
			printf "%-36s %14.2f %14.2f %14.3f%s\n", label, native, layer, layer / native,
				above ? "   above " limit " and " most " more" : ""
			bad += above
		}
		{ cost[$1, $2] = $3 }
		END {
			printf "%-36s %14s %14s %14s\n", "instructions per message", "library", "layer",
				"ratio"
			row("64 B, one task:  received, posted", "post_1")
			row("                 sent, sent again", "send_1")
			row("64 B, 32 tasks:  received, posted", "post_32")
			row("                 sent, sent again", "send_32")
			row("64 B of control, one by one", "ctrl_send_1 ctrl_receive_1 ctrl_sent_1")
			row("64 B of control, 32 at a time", "ctrl_send_32 ctrl_receive_32 ctrl_sent_32")
			exit missing || bad != 0
		}' "$run_dir/tasks"
}

# The bluefield driver; the table goes to <run_dir>/queues, too.
queues() {
	local messages
	for messages in $few $many; do
		profile_tasks "queues.$messages" "COMCH_TEST_FAST_COUNT=$messages" "$program" --no-huge \
			-m 64 --no-pci --no-telemetry "--file-prefix=comch-count-$$" -l "$core" -- \
			bluefield_fast_count
		awk -v messages="$messages" '
			/^cfn=/ { name = substr($0, 5) }
			/^calls=/ {
				getline
				if (name ~ /^count_drv_/)
					cost[name] += $2
			}
			END { for (name in cost) print messages, name, cost[name] }' \
			"$run_dir/queues.$messages"
	done >"$run_dir/queue-costs"
	awk -v few=$few -v many=$many '
		function per_message(f) {
			if (!((many, f) in cost)) {
				print "count-instructions: " f " was not counted"
				failed = 1
				return 0
			}
			return (cost[many, f] - cost[few, f]) / (many - few)
		}
		function row(op, kind, text, burst, limit,    x, above) {
			x = per_message("count_drv_" op "_" kind "_" burst)
			x -= per_message("count_drv_nothing_" kind "_" burst)
			above = limit != 0 && x > limit
			printf "%-51s %14.2f%s\n", sprintf("driver, %s, burst %d: %s", text, burst, op), x,
				above ? "   above " limit : ""
			bad += above
		}
		function group(kind, text, burst, limits,    limit) {
			split(limits, limit, " ")
			row("post", kind, text, burst, limit[1])
			row("send", kind, text, burst, limit[2])
			row("receive", kind, text, burst, limit[3])
			row("sent", kind, text, burst, limit[4])
		}
		{ cost[$1, $2] = $3 }
		END {
			print "instructions per message, BlueField"
			group("buf", "64 B of data", 1, "0 0 0 0")
			group("buf", "64 B of data", 32, "25 50 55 0")
			group("imm", "32 B immediate", 1, "0 0 0 0")
			group("imm", "32 B immediate", 32, "0 0 0 0")
			group("both", "both", 1, "0 0 0 0")
			group("both", "both", 32, "0 0 0 0")
			exit failed || bad != 0
		}' "$run_dir/queue-costs" | tee "$run_dir/queues"
	sed -n 's/^per message, /on the bus: /p' "$run_dir/queues.$many.log"
}

# Builds libmlx5 of these sources and what calls it.
build_libmlx5() {
	local rdma=$run_dir/rdma log=$run_dir/rdma.log libs
	if ! {
		cmake -S "$libmlx5" -B "$rdma" -GNinja -DCMAKE_BUILD_TYPE=Release -DENABLE_STATIC=1 \
			-DENABLE_VALGRIND=0 -DNO_PYVERBS=1 -DNO_MAN_PAGES=1 &&
			ninja -C "$rdma" libmlx5.a libibverbs.a util/librdma_util.a ccan/libccan.a &&
			read -ra libs < <(pkg-config --libs libnl-3.0 libnl-route-3.0) &&
			"${CC:-cc}" -O3 -DNDEBUG -std=gnu11 -D_STATIC_LIBRARY_BUILD_=1 -I "$rdma/include" \
				-I "$libmlx5/providers/mlx5" -o "$run_dir/count-libmlx5" \
				"$top/devtools/count-libmlx5.c" "$rdma/lib/statics/libmlx5.a" \
				"$rdma/lib/statics/libibverbs.a" "$rdma/util/librdma_util.a" \
				"$rdma/ccan/libccan.a" "${libs[@]}" -lpthread
	} >"$log" 2>&1; then
		echo "count-instructions: libmlx5 of $libmlx5 cannot be built:" >&2
		tail -n 20 "$log" >&2
		exit 1
	fi
}

# libmlx5's functions, beside what queues() has found for the driver's.
mlx5_functions() {
	local messages
	build_libmlx5
	for messages in $few $many; do
		profile_tasks "mlx5.$messages" "LC_ALL=C" "$run_dir/count-libmlx5" "$messages"
		awk -v messages="$messages" '
			/^cfn=/ { name = substr($0, 5) }
			/^calls=/ {
				getline
				if (name ~ /^count_mlx5_/)
					cost[name] += $2
			}
			END { for (name in cost) print messages, name, cost[name] }' \
			"$run_dir/mlx5.$messages"
	done >"$run_dir/mlx5-costs"
	awk -v few=$few -v many=$many '
		function per_message(op, kind, burst,    f) {
			f = "count_mlx5_" op "_" kind "_" burst
			if (!((many, f) in cost)) {
				print "count-instructions: " f " was not counted"
				failed = 1
			}
			return (cost[many, f] - cost[few, f]) / (many - few)
		}
		function row(text, op, kind, burst, ours,    x) {
			x = per_message(op, kind, burst)
			printf "%-58s %7.2f", sprintf("libmlx5, burst %d: %s", burst, text), x
			if ((burst, ours) in driver && x != 0)
				printf "   the driver %.2f, %.2f of it", driver[burst, ours],
					driver[burst, ours] / x
			print ""
		}
		NR == FNR {
			if (sub(/^driver, 64 B of data, burst /, "")) {
				sub(/:/, "")
				driver[$1, $2] = $3
			}
			next
		}
		{ cost[$1, $2] = $3 }
		END {
			print "instructions per message, libmlx5, 64 B of data"
			for (i = 1; i <= 2; i++) {
				burst = i == 1 ? 1 : 32
				row("ibv_post_srq_recv()", "post", "last", burst, "post")
				row("ibv_post_recv()", "own", "last", burst, "")
				row("ibv_post_send()", "send", "last", burst, "send")
				row("ibv_poll_cq() of messages", "receive", "last", burst, "receive")
				row("ibv_poll_cq() of sends, one for a burst", "sent", "last", burst, "")
				row("ibv_poll_cq() of sends, each", "sent", "each", burst, "sent")
			}
			exit failed
		}' "$run_dir/queues" "$run_dir/mlx5-costs"
	echo 'on the bus, libmlx5: 32 B request, 32 B post, 64 B for each completion; a doorbell for each call'
}

nr=0
for column in "${columns[@]}"; do
	nr=$((nr + 1))
	read -r connections used <<<"$column"
	for messages in $few $many; do
		profile "$nr.$messages" "$connections" "$used" "$messages"
		costs "$run_dir/$nr.$messages" | sed "s/^/$nr $messages /" >>"$run_dir/costs"
	done
done

# Not every valgrind knows that system call.
if grep -qs 'no membarrier()' "$run_dir"/*.log; then
	echo 'no membarrier() under valgrind here: each burst has a fence that it has not elsewhere'
fi

awk -v few=$few -v many=$many '
	function per_message(column, op, kind, burst,    f, n) {
		f = op "_" kind "_" burst
		n = many - few
		if (calls[column, many, f] - calls[column, few, f] != n / burst) {
			print "count-instructions: not all calls of " f " were counted"
			failed = 1
			exit 1
		}
		return (cost[column, many, f] - cost[column, few, f]) / n
	}
	function row(label, op, kind, burst,    column, x, first, differs) {
		printf "%-36s", label
		for (column = 1; column <= 3; column++) {
			x = per_message(column, op, kind, burst)
			x -= per_message(column, "nothing", kind, burst)
			if (column == 1)
				first = x
			if (x > first * 1.01 || x < first * 0.99)
				differs = 1
			printf " %14.2f", x
		}
		print differs ? "   differs" : ""
		bad += differs
	}
	function group(label, kind, burst) {
		label = sprintf("%s, burst %d:", label, burst)
		row(sprintf("%-27s%s", label, "post"), "post", kind, burst)
		row(sprintf("%-27s%s", "", "send"), "send", kind, burst)
		row(sprintf("%-27s%s", "", "receive"), "receive", kind, burst)
		row(sprintf("%-27s%s", "", "sent"), "sent", kind, burst)
	}
	function packets(label, kind, burst) {
		label = sprintf("%s, burst %d:", label, burst)
		row(sprintf("%-27s%s", label, "send"), "send", kind, burst)
		row(sprintf("%-27s%s", "", "receive"), "receive", kind, burst)
	}
	{
		sub(/^count_/, "", $3)
		calls[$1, $2, $3] = $4
		cost[$1, $2, $3] = $5
	}
	END {
		if (failed)
			exit 1
		printf "%-36s %14s %14s %14s\n", "instructions per message", "1 connection", \
			"1 used of 64", "64 in turn"
		group("64 B in buffers", "buf", 1)
		group("64 B in buffers", "buf", 32)
		group("32 B immediate", "imm", 1)
		group("32 B immediate", "imm", 32)
		packets("64 B in mbufs", "mbuf", 1)
		packets("64 B in mbufs", "mbuf", 32)
		if (bad) {
			print bad " of these depend on the number of connections by more than 1 %"
			exit 1
		}
	}' "$run_dir/costs" | tee "$run_dir/table"

if [ -x "$layer" ]; then
	tasks
else
	echo 'lib/doca_compat is not built: its cost was not counted'
fi

# a shared driver shows nothing of its queues
if grep -q ' count_drv_post_buf_1$' < <(nm "$program"); then
	queues
else
	echo 'the driver is a shared library: its queues were not counted'
	: >"$run_dir/queues"
fi
if [ -n "$libmlx5" ]; then
	mlx5_functions
else
	echo 'no --libmlx5 <sources of rdma-core>: libmlx5 was not counted'
fi

# What the baseline depends on, as its first line has it.
built_by=$(meson introspect --buildoptions "$build" | /usr/bin/python3 -c '
import json
import sys

options = {o["name"]: o["value"] for o in json.load(sys.stdin)}
names = ("buildtype", "default_library", "b_sanitize", "b_lto", "comch_debug")
print(" ".join(f"{name}={options.get(name)}" for name in names))
')
built_by="$(readelf -p .comment "$program" | sed -n 's/.*\(GCC: .*\|clang version .*\)/\1/p' |
	head -n 1), $(uname -m), $built_by"
if [ "$built_by" != "$(grep -v '^#' "$baseline" | head -n 1)" ]; then
	echo "no baseline for this build ($built_by): not compared"
	exit 0
fi
awk '
	/, burst [0-9]+:/ { group = $0; sub(/:.*/, "", group) }
	NF < 4 { next }
	{ value = $(NF - 2); op = $(NF - 3) }
	op !~ /^(post|send|receive|sent)$/ { next }
	NR == FNR { base[group, op] = value; next }
	{
		seen++
		if (value > base[group, op]) {
			printf "%s, %s: %.2f instructions, the baseline has %.2f\n", group, op, value,
				base[group, op]
			bad++
		}
	}
	END {
		if (seen != 20)
			print "count-instructions: " seen " numbers where 20 were expected"
		if (!bad && seen == 20)
			print "none is above the baseline"
		exit bad || seen != 20
	}' "$baseline" "$run_dir/table"
awk '
	!/^driver, / { next }
	{ name = substr($0, 1, 51); value = substr($0, 52) + 0 }
	NR == FNR { base[name] = value; next }
	value > base[name] {
		printf "%s: %.2f instructions, the baseline has %.2f\n", name, value, base[name]
		bad++
	}
	END { exit bad != 0 }' "$baseline" "$run_dir/queues"
