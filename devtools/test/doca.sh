# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by step.sh: examples of the vendor's names, as the two processes that they are
# for. They get no arguments but those of the vendor's samples.
#
# Uses $work, and pairs.sh.

# wait_for_words <file> <words> <process>: until the process has said them, or ended.
wait_for_words() {
	local i
	for ((i = 0; i < 600; i++)); do
		! grep -qF -e "$2" "$1" || return 0
		kill -0 "$3" 2>/dev/null || break
		sleep 0.1
	done
	grep -qF -e "$2" "$1"
}

# said <who> <file> <exit status> <words>...: ended well, with these words, and without a
# warning or an error of the program or of the library.
said() {
	local words bad=0
	[ "$3" = 0 ] || bad=1
	for words in 'Finished successfully' "${@:4}"; do
		grep -qF -e "$words" "$2" || {
			echo "$1 has not said: $words"
			bad=1
		}
	done
	! grep -E '\]\[(CRT|ERR|WRN)\]' "$2" || bad=1
	[ $bad = 0 ] || {
		echo "$1: exit status $3"
		cat "$2"
	}
	return $bad
}

# doca_pair <build> <server> <client> <words of the server> <words of the client> \
#     [<option of the server>... [-- <option of the client>...]]
# The server first. Both meet on a card of their own, and leave nothing in their folders.
doca_pair() {
	local build=$work/$1 run pid left bad=0 server=0 client=0
	local programs=$build/examples/dpdk-comch-doca-
	local names=("$2" "$3") words=("$4" "$5") options=() card=() host=()
	# shellcheck disable=SC2034 # of pairs.sh
	local card_vdev host_vdev pair_model
	local -x DOCA_COMPAT_PATH XDG_RUNTIME_DIR
	[ -x "$programs$2" ] || {
		echo 'lib/doca_compat is not built here'
		return 77
	}
	shift 5
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	run=$(mktemp -d)
	DOCA_COMPAT_PATH=$run/meet
	XDG_RUNTIME_DIR=$run/runtime
	mkdir -m 700 "$DOCA_COMPAT_PATH" "$XDG_RUNTIME_DIR"
	if [ "${COMCH_TEST_DEVS:-shm}" != shm ]; then
		pair_begin "$run" "$build" || bad=1
		card=("DOCA_COMPAT_EAL_ARGS=--vdev $card_vdev")
		# the host's function is where its client looks for it: at 03:00.0
		host=("DOCA_COMPAT_EAL_ARGS=--vdev $host_vdev" DOCA_COMPAT_HOST_BUS=0000:03)
	fi
	: >"$run/server"
	timeout -k 5 150 env "${card[@]}" "$programs${names[0]}" "${options[@]}" \
		>"$run/server" 2>&1 &
	pid=$!
	wait_for_words "$run/server" 'waits for clients' "$pid" || bad=1
	timeout -k 5 150 env "${host[@]}" "$programs${names[1]}" "$@" >"$run/client" 2>&1 ||
		client=$?
	wait "$pid" || server=$?
	# such a program ends without closing its device, whose thread may have asked for something
	[ ${#card[@]} = 0 ] ||
		pair_end "$run" 'vfio-user: failed to reply: Connection reset by peer' || bad=1
	said "${names[0]}" "$run/server" $server "${words[0]}" || bad=1
	said "${names[1]}" "$run/client" $client "${words[1]}" || bad=1
	left=$(find "$DOCA_COMPAT_PATH" "$XDG_RUNTIME_DIR" -mindepth 1)
	[ -z "$left" ] || {
		echo "left behind: $left"
		bad=1
	}
	rm -rf "$run"
	return $bad
}

doca_ctrl_path() { # <build>
	doca_pair "$1" ctrl-path-server ctrl-path-client 'Received "from the host"' \
		'Received "from the card"' -p 03:00.0 -r b1:00.0 -t 'from the card' -- \
		-p 03:00.0 -t 'from the host' &&
		doca_pair "$1" ctrl-path-server ctrl-path-client \
			'Received "a message of the client"' 'Received "a message of the server"'
}

doca_data_path() { # <build>
	doca_pair "$1" data-path-server data-path-client \
		'Received by the data path "from the host"' \
		'Received by the data path "from the card"' \
		-p 03:00.0 -r b1:00.0 -t 'from the card' -- -p 03:00.0 -t 'from the host'
}

doca_cc() { # <build>
	doca_pair "$1" cc-server cc-client 'Received "from the host"' \
		'1 message sent, 1 received' -p 03:00.0 -r b1:00.0 -t 'from the card' -- \
		-p 03:00.0 -t 'from the host'
}

# The sizes of both sides differ.
doca_bulk() { # <build>
	doca_pair "$1" bulk-dpu bulk 'Received 20000 messages of 64 bytes' \
		'Received 2000 messages of 65535 bytes' -s 65535 -n 2000 -- -s 64 -n 20000 &&
		doca_pair "$1" bulk-dpu bulk 'Received 1000 messages of 4096 bytes' \
			'Received 1 messages of 1 bytes' -s 1 -n 1
}

# Where consumers say how large their buffers are, each process says it by the environment:
# the same for both sides here.
doca_bulk_sized() { # <build>
	local -x DOCA_COMPAT_RECV_SIZE=4096
	doca_pair "$1" bulk-dpu bulk 'Received 1000 messages of 4096 bytes' \
		'Received 1000 messages of 4096 bytes'
}

# Its consumer has no buffers, which devices that ask for sizes want to know.
doca_epoll() { # <build> <messages>
	local -x DOCA_COMPAT_RECV_SIZE=0
	doca_pair "$1" epoll-server epoll-client "$2 messages answered" \
		"$2 messages sent and answered" -- -n "$2"
}

doca_threads() { # <build> <clients>
	doca_pair "$1" threads-server threads-client "$2 clients, $((16 * $2)) messages" \
		"$2 clients, $((16 * $2)) messages sent and answered" -n "$2" -- -n "$2"
}

# The host and the program of its offload processor, which are one file.
doca_msgq_run() { # <build> <pings> [<option>...]
	local program=$work/$1/examples/dpdk-comch-doca-msgq-ping-pong out rc=0
	[ -x "$program" ] || {
		echo 'lib/doca_compat is not built here'
		return 77
	}
	out=$(mktemp)
	timeout -k 5 100 "$program" -n "${@:2}" >"$out" 2>&1 || rc=$?
	said "${program##*/}" "$out" "$rc" "$2 pings sent, $2 pongs received" || rc=1
	rm -f "$out"
	return "$rc"
}

# Immediate data alone, and behind copies.
doca_msgq() { # <build>
	doca_msgq_run "$1" 20000 && doca_msgq_run "$1" 5000 -s 5000
}
