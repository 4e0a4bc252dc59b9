# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by test.sh: examples of the vendor's names, as the two processes that they are
# for. They get no arguments but those of the vendor's samples.
#
# Uses $work.

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
# The server first. Both meet in a folder of their own, and leave nothing in it.
doca_pair() {
	local programs=$work/$1/examples/dpdk-comch-doca- run pid left bad=0 server=0 client=0
	local names=("$2" "$3") words=("$4" "$5") options=()
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
	: >"$run/server"
	timeout -k 5 150 "$programs${names[0]}" "${options[@]}" >"$run/server" 2>&1 &
	pid=$!
	wait_for_words "$run/server" 'waits for clients' "$pid" || bad=1
	timeout -k 5 150 "$programs${names[1]}" "$@" >"$run/client" 2>&1 || client=$?
	wait "$pid" || server=$?
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

doca_epoll() { # <build>
	doca_pair "$1" epoll-server epoll-client '20000 messages answered' \
		'20000 messages sent and answered' -- -n 20000
}

doca_threads() { # <build> <clients>
	doca_pair "$1" threads-server threads-client "$2 clients, $((16 * $2)) messages" \
		"$2 clients, $((16 * $2)) messages sent and answered" -n "$2" -- -n "$2"
}
