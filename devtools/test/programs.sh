# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by step.sh: runs of the tree's own programs, most of them as two processes.
#
# Uses $top, $work, the name of a $build in it, $lcores and eal_args() of builds.sh, and pairs.sh.

# The default must be where pkg-config and the loader look, not lib64.
library_folder() {
	local dir
	[ -e /etc/debian_version ] || {
		echo 'this is no Debian: only its folders are known here'
		return 77
	}
	dir=$(meson configure "$work/$build" | awk '$1 == "libdir" { print $2 }')
	echo "libdir $dir"
	[ "$dir" = "lib/$(gcc -print-multiarch)" ]
}

# server_device_lost <program>: its model dies, and a server that nobody uses says so, and
# ends with an error.
server_device_lost() {
	local run server i rc=0
	# shellcheck disable=SC2034 # of pairs.sh
	local card_vdev host_vdev pair_model
	run=$(mktemp -d)
	pair_begin "$run" "${1%/*/*}"
	: >"$run/server"
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 60 "$1" $(eal_args card "${lcores%%,*}") --no-telemetry \
		--vdev "$card_vdev" -- --server --event >"$run/server" 2>&1 &
	server=$!
	for ((i = 0; i < 200; i++)); do
		! grep -q '^serving' "$run/server" || break
		sleep 0.1
	done
	kill -KILL "$pair_model"
	wait "$server" || rc=$?
	cat "$run/server"
	echo "exit status $rc"
	[ "$rc" != 1 ] || grep -q '^the server on comch_bluefield0 has ended: ' "$run/server" ||
		rc=2
	rm -rf "$run"
	[ "$rc" = 1 ]
}

# A secondary process has no device: it is refused before anything is looked at or made.
secondary_refused() { # <build>
	local program=$work/$1/app/dpdk-test-comch run vdev out rc bad=0
	ldd "$program" | grep -q librte_eal || {
		echo 'this build has EAL inside of its programs: nothing can be loaded before it'
		return 77
	}
	run=$(mktemp -d)
	# shellcheck disable=SC2046 # words on purpose
	"${CC:-cc}" -D_GNU_SOURCE $(pkg-config --cflags libdpdk) -shared -fPIC \
		-o "$run/secondary.so" "$top/devtools/test/secondary.c"
	mkdir "$run/path"
	for vdev in "comch_shm0,role=dpu,functions=pf0,path=$run/path" \
		"comch_bluefield0,role=dpu,functions=pf0,socket=$run/path/none.sock"; do
		rc=0
		# shellcheck disable=SC2046 # words on purpose
		out=$(LD_PRELOAD=$run/secondary.so timeout -k 5 60 "$program" \
			$(eal_args second "${lcores%%,*}") --no-telemetry --vdev "$vdev" \
			-- --server 2>&1) || rc=$?
		if [ "$rc" = 0 ] || [ "$rc" -ge 124 ] || [ -n "$(ls -A "$run/path")" ] ||
			! grep -q "${vdev%%,*}: secondary processes have no" <<<"$out"; then
			echo "$vdev: exit status $rc, and in the folder: $(ls -A "$run/path")"
			echo "$out"
			bad=1
		fi
	done
	rm -rf "$run"
	return $bad
}

# two_processes <program> <options of the card's side> -- <of the host's side>:
# both have to end well, on a card of their own. With maps=threads each has three lcores
# on its CPU. With card_build=FOLDER the card's side is of another build.
two_processes() {
	local program=$1 folder=${1%/*/*} run server rc=0 card=()
	# shellcheck disable=SC2034 # of pairs.sh
	local card_vdev host_vdev pair_model
	local card_lcores=${lcores%%,*} host_lcores=${lcores##*,}
	if [ "${maps:-}" = threads ]; then
		card_lcores="(0-2)@$card_lcores"
		host_lcores="(0-2)@$host_lcores"
	fi
	shift
	while [ "$1" != -- ]; do
		card+=("$1")
		shift
	done
	shift
	run=$(mktemp -d)
	pair_begin "$run" "$folder"
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 100 "${card_build:-$folder}${program#"$folder"}" \
		$(eal_args card "$card_lcores") --no-telemetry --vdev "$card_vdev" -- "${card[@]}" &
	server=$!
	# shellcheck disable=SC2046
	timeout -k 5 100 "$program" $(eal_args host "$host_lcores") --no-telemetry \
		--vdev "$host_vdev" -- "$@" || rc=1
	wait "$server" || rc=1
	pair_end "$run" || rc=1
	rm -rf "$run"
	return $rc
}

benchmark() {
	two_processes "$work/$build/app/dpdk-test-comch" --server --once -- \
		--client --validate --duration 0.5 --rounds 3 --json "$work/$build/benchmark.json" &&
		/usr/bin/python3 -m json.tool "$work/$build/benchmark.json" >/dev/null || return 1
	# All bytes are written and read, also those behind the last word.
	local way
	for way in --burst=1 --mbuf --tasks; do
		two_processes "$work/$build/app/dpdk-test-comch" --server --once -- --client \
			--write-read "$way" --test fp-rate,fp-bw,imm-rate --size 61,61,1,ADD \
			--duration 0.2 --rounds 1 --json "$work/$build/benchmark.json" &&
			[ "$(grep -c '"write_read": true' "$work/$build/benchmark.json")" = 3 ] || return 1
	done
}

# Each mistake in an INI file has to be named with its place, and nothing may
# run. No device is needed for that: the file comes first.
config_errors() {
	local dir out rc name text want bad=0
	dir=$(mktemp -d)
	while IFS='|' read -r name text want; do
		printf '%b\n' "$text" >"$dir/$name.ini"
		rc=0
		# shellcheck disable=SC2046 # words on purpose
		out=$(timeout -k 5 60 "$work/$build/app/dpdk-test-comch" \
			$(eal_args ini "${lcores%%,*}") --no-telemetry -- \
			--config "$dir/$name.ini" 2>&1) || rc=$?
		if [ "$rc" != 1 ] || ! grep -qF "$name.ini: $want" <<<"$out" ||
			! grep -qF 'nothing is run' <<<"$out"; then
			echo "$name: exit status $rc, and not: $want"
			echo "$out"
			bad=1
		fi
	done <<-'EOF'
		key|[case1]\ntest=ctrl-lat\nsiez=64|[case1] siez: there is no such key
		value|[GLOBAL]\nrounds=0\n[case1]|[GLOBAL] rounds: '0' is not valid
		sweep|[case1]\nsize=64,32,2,MUL|[case1] size: '64,32,2,MUL' is not valid
		test|[case1]\ntest=nothing|[case1] test: 'nothing' is not valid: the tests are
		flag|[case1]\nvalidate=maybe|[case1] validate: 'maybe' is not valid
		together|[case1]\ncount=3|[case1] count: 3 is fewer than
		packets|[GLOBAL]\nmbuf=1\n[case1]\ntasks=1|[case1] mbuf: packets go in bursts
		modes|[case1]\npoll=1\nevent=1|[case1] event: poll is there too
		no-time|[case1]\nduration=0|[case1] duration: '0' is not valid: give seconds above 0
		no-use|[case1]\ntest=ctrl-lat\nburst=4|[case1] burst: it changes nothing in ctrl-lat
		section|[case1]\n[cases]|[cases]: there is no such section
		key-twice|[case1]\nsize=64\nsize=65|[case1] size: it is there twice
		section-twice|[case1]\n[case2]\n[case1]|[case1]: it is there twice
		whole-run|[case1]\ncsv=x.csv|[case1] csv: all cases have the same
		command-line|[GLOBAL]\nserver=1\n[case1]|[GLOBAL] server: this is not for a file
		skip|[case1]\nskip=often|[case1] skip: 'often' is not valid
		no-value|[case1]\nsize=|line 2: a line is key=value
		no-key|[case1]\nvalidate|line 2: 'validate' is neither
		no-section|size=64|line 1: size: there is no section yet
		no-bracket|[case1|line 1: '[case1': a section is a name in brackets
		no-case|[GLOBAL]\nrounds=3|there is no case
		all-skipped|[case1]\nskip=1|all cases are skipped
		zero-byte|[case1]\nsize=6\0x|line 2: it is longer than
	EOF
	rc=0
	# shellcheck disable=SC2046
	out=$(timeout -k 5 60 "$work/$build/app/dpdk-test-comch" $(eal_args ini "${lcores%%,*}") \
		--no-telemetry -- --config "$dir/missing.ini" 2>&1) || rc=$?
	if [ "$rc" != 1 ] || ! grep -qF 'missing.ini: cannot be read' <<<"$out"; then
		echo "missing file: exit status $rc: $out"
		bad=1
	fi
	rm -rf "$dir"
	return $bad
}

# Options that mean nothing are refused with the reason, before anything runs.
test_comch_options() {
	local program=$work/$build/app/dpdk-test-comch out rc args want bad=0
	while IFS='|' read -r args want; do
		rc=0
		# shellcheck disable=SC2046,SC2086 # words on purpose
		out=$(timeout -k 5 60 "$program" $(eal_args options "${lcores%%,*}") \
			--no-telemetry -- $args 2>&1) || rc=$?
		if [ "$rc" != "${want%% *}" ] || ! grep -qF -e "${want#* }" <<<"$out"; then
			echo "$args: exit status $rc, and not: $want"
			echo "$out"
			bad=1
		fi
	done <<-EOF
		--mbuf --tasks|1 mbuf: packets go in bursts, no task carries one
		-D 0|1 duration: '0' is not valid: give seconds above 0
		-c 0|1 count: '0' is not valid: give a number from 1 to
		--event --poll|1 poll: event is there too, and one is the opposite of the other
		--poll --event|1 event: poll is there too
		--test msgq-lat --dir from|1 dir: it changes nothing in msgq-lat, but in msgq-rate;
		--test fp-lat,ctrl-rate --burst 8|1 burst: it changes nothing in fp-lat and the others
		--test fp-rate --dir to|1 dir: it changes nothing in fp-rate
		--test fp-lat,fp-rate --burst 8 --list-dev|0 no devices
		--test msgq-rate --mbuf|1 mbuf: it changes nothing in msgq-rate, but in fp-rate, fp-bw;
		--test msgq-lat --tasks|1 tasks: it changes nothing in msgq-lat
		--test msgq-dma --touch|1 touch: it changes nothing in msgq-dma, but in fp-bw;
		--test msgq-rate --write-read|1 write-read: it changes nothing in msgq-rate
		--test msgq-rate --random|1 random: it changes nothing in msgq-rate
		--test msgq-dma --stride 64|1 stride: it changes nothing in msgq-dma
		--test msgq-rate --producers 2|1 producers: it changes nothing in msgq-rate
		--test msgq-lat --consumers 2|1 consumers: it changes nothing in msgq-lat
		--test msgq-rate --connections 2|1 connections: it changes nothing in msgq-rate
		--burst 8 --dir from --list-dev|0 no devices
		--columns size,sie|1 columns: 'sie' is not valid: there are: size,in-flight,
		--version|0 dpdk-test-comch $(cut -d . -f 1 "$top/VERSION").
		--help|0 Usage: $program [EAL options] -- [options]
	EOF
	# At once, where EAL could not start, and with nothing of its own before it.
	"$program" --version | grep '^dpdk-test-comch [0-9.]*, DPDK ' || bad=1
	for args in --help -h '-- --help'; do
		# shellcheck disable=SC2086 # words on purpose
		out=$("$program" $args 2>&1) || bad=1
		if [[ $out != "Usage: $program [EAL options] -- [options]"$'\n'* ]] || [[ $out == *EAL:* ]]; then
			echo "$args: $out"
			bad=1
		fi
	done
	"$program" --help -- | grep '^EAL common options' || bad=1
	[[ $("$work/$build/examples/dpdk-comch-ctrl-path" --help 2>&1) == 'Usage: '* ]] || bad=1
	return $bad
}

# What the last word of a command line is completed to. A space behind it asks for the next word.
test_comch_completion() {
	local line want bad=0
	local COMP_WORDS COMP_CWORD COMPREPLY
	# shellcheck source-path=SCRIPTDIR source=../../app/test-comch/completion.bash
	. "$top/app/test-comch/completion.bash"
	compopt() { :; } # only while readline completes
	cd "$top/app/test-comch" || return
	while IFS='|' read -r line want; do
		read -ra COMP_WORDS <<<"program ${line//=/ = }"
		[[ $line != *' ' ]] || COMP_WORDS+=('')
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_dpdk_test_comch "$work/$build/app/dpdk-test-comch" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
		if [ "${COMPREPLY[*]}" != "$want" ]; then
			echo "'$line' is completed to: ${COMPREPLY[*]}, and not to: $want"
			bad=1
		fi
	done <<-'EOF'
		--no-h|--no-huge
		--v|--vdev --version
		-l 0 --v|--vdev
		--vdev comch_s|comch_shm0,
		--vdev comch_shm0,role=|
		--file-prefix |
		-l 0 -- --wi|--window --wide
		-l 0 -- --once --idle|--idle-clients
		-l 0 -- --no-|
		-l 0 -- --test c|ctrl-lat ctrl-rate connect-rate
		-l 0 -- -t a|all
		-l 0 -- -t fp-lat,fp-b|fp-lat,fp-bw
		-l 0 -- --test=msgq-d|msgq-dma
		-l 0 -- --columns size,p99|size,p99 size,p99.9
		-l 0 -- --dir |to from both
		-l 0 -- --config test-c|test-comch.ini
		-l 0 -- --count |
	EOF
	# all that the program has
	COMP_WORDS=(program -- '')
	COMP_CWORD=2
	_dpdk_test_comch "$work/$build/app/dpdk-test-comch" '' --
	want=$(grep -c '^	{ "[a-z-]*", ' options.c)
	[ "${#COMPREPLY[@]}" = "$want" ] || {
		echo "${#COMPREPLY[@]} options are completed of $want"
		bad=1
	}
	return $bad
}

# Waits until a file has a line.
line_of() { # <pattern> <file>
	local i
	for ((i = 0; i < 600; i++)); do
		! grep -qE -e "$1" "$2" || return 0
		sleep 0.1
	done
	echo "no line with: $1"
	return 1
}

# stopped <signal|key> <options of the client>...: its tests are ended when they run, as
# Ctrl-C does it, at the prompt of a terminal by the key.
stopped() {
	local how=$1 program=$work/$build/app/dpdk-test-comch run server client rc=0
	local -a host
	shift
	run=$(mktemp -d)
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 100 "$program" $(eal_args card "${lcores%%,*}") --no-telemetry \
		--vdev "comch_shm0,role=dpu,path=$run" -- --server --once &
	server=$!
	# shellcheck disable=SC2207
	host=(timeout --foreground -k 5 100 "$program" $(eal_args host "${lcores##*,}") --no-telemetry
		--vdev "comch_shm0,role=host,path=$run" -- --client --duration 500 --rounds 1
		--interval 0.2 "$@")
	mkfifo "$run/in"
	[ "$how" = signal ] || host=(script -qefc "${host[*]}" /dev/null)
	"${host[@]}" <"$run/in" >"$run/out" 2>&1 &
	client=$!
	exec 8>"$run/in"
	[[ " $* " != *" --interactive "* ]] || printf 'start\r' >&8
	line_of '% done' "$run/out" || rc=1
	if [ "$how" = key ]; then printf '\003' >&8; else kill -INT "$client"; fi
	line_of '^Summary: ' "$run/out" || rc=1
	[[ " $* " != *" --interactive "* ]] || printf 'show config\rsho bad\rset burts 3\rquit\r' >&8
	wait "$client" || rc=1
	exec 8>&-
	wait "$server" || rc=1
	cat "$run/out"
	grep -qE '^Summary: 1 result, 0 failed' "$run/out" || rc=1
	rm -rf "$run"
	return $rc
}

# What was measured until Ctrl-C is shown; at the prompt it ends the tests alone.
test_comch_stopped() {
	local out=$work/$build/stopped test rc=0
	for test in ctrl-lat ctrl-rate connect-rate fp-lat fp-rate msgq-lat msgq-rate; do
		stopped signal --test "$test" --csv "$out.csv" >"$out" || rc=1
		grep "^$test: stopped in round 1" "$out" && grep "^$test,stopped," "$out.csv" || rc=1
		[ $rc = 0 ] || break
	done
	for test in signal key; do
		[ $rc = 0 ] || break
		stopped "$test" --test ctrl-rate --size 64 --interactive >"$out" || rc=1
		# above the prompt of a terminal
		grep -E $'(^|\e\\[K)ctrl-rate: stopped in round 1' "$out" &&
			grep 'Configuration:' "$out" || rc=1
		grep "^'sho' is not possible there, but: show reset set " "$out" || rc=1
		grep "^'burts' is not possible there, but: .* burst " "$out" || rc=1
	done
	[ $rc = 0 ] || cat "$out"
	return $rc
}

# Where others have the CPUs too, so that the two ends of a limit need not run at the same
# time, there is no ratio, and the reason stands in each file.
test_comch_disturbed() {
	local out hogs=() i rc=0
	for i in 1 2; do
		taskset -c "${lcores%%,*}" timeout 60 sh -c 'while :; do :; done' &
		hogs+=($!)
		taskset -c "${lcores##*,}" timeout 60 sh -c 'while :; do :; done' &
		hogs+=($!)
	done
	out=$(two_processes "$work/$build/app/dpdk-test-comch" --server --once -- --client \
		--test ctrl-rate,fp-rate --size 64 --duration 0.3 --rounds 3 \
		--csv "$work/$build/disturbed.csv" --json "$work/$build/disturbed.json") || rc=1
	kill "${hogs[@]}"
	wait "${hogs[@]}" || true
	echo "$out"
	cat "$work/$build/disturbed.csv"
	[ "$(grep -c '^limit of .*-rate, 64 B: none, and no ratio: others were busy' <<<"$out")" = 2 ] &&
		[ "$(grep -c '"ratio": null' "$work/$build/disturbed.json")" = 2 ] &&
		[ "$(grep -c '"limit_missing": "others were busy' "$work/$build/disturbed.json")" = 2 ] &&
		[ "$(grep -c ',"others were busy on cpu [0-9]* or [0-9]*"$' "$work/$build/disturbed.csv")" = 2 ] ||
		rc=1
	return $rc
}

config_and_pictures() {
	local what
	rm -rf "$work/$build/pictures"
	mkdir -p "$work/$build/pictures"
	two_processes "$work/$build/app/dpdk-test-comch" --server --once -- --client \
		--config "$top/app/test-comch/test-comch.ini" --duration 0.2 \
		--csv "$work/$build/pictures/results.csv" --json "$work/$build/pictures/results.json" &&
		/usr/bin/python3 "$top/usertools/comch-plot.py" \
			--output "$work/$build/pictures/test" "$work/$build/pictures/results.json" || return 1
	for what in latency rate bandwidth ratio histogram cdf; do
		[ -s "$work/$build/pictures/test-$what.png" ] || return 1
	done
	# All cases but the one that is skipped.
	[ "$(grep -o '"case": "case[0-9]*"' "$work/$build/pictures/results.json" | sort -u | wc -l)" = 8 ]
}

example() { # <name> <build> <as two_processes>...
	two_processes "$work/$2/examples/dpdk-comch-${1//_/-}" "${@:3}"
}

example_threads() { # <as example>...
	local maps=threads
	example "$@"
}

# A program of the vendor's names, which needs no device: what it prints, and how it ends.
example_doca_argp_log() { # <build>
	local program=$work/$1/examples/dpdk-comch-doca-argp-log out rc args want
	local bad=0 file
	[ -x "$program" ] || {
		echo 'lib/doca_compat is not built here'
		return 77
	}
	file=$(mktemp)
	echo '{"doca_program_flags": {"text": "from a file", "num-msgs": 1}}' >"$file"
	while IFS='|' read -r args want; do
		rc=0
		# shellcheck disable=SC2086 # words on purpose
		out=$(timeout -k 5 60 "$program" $args 2>&1) || rc=$?
		if ! grep -qF -e "${want#* }" <<<"$out" || [ "$rc" != "${want%% *}" ]; then
			echo "$args: exit status $rc, and not: $want"
			echo "$out"
			bad=1
		fi
	done <<-EOF
		|0 Would connect by device 03:00.0
		-h|0 -p, --pci-addr
		-v|0 Library:
		-p 0000:03:00.1 -t hello -n 2|0 Would send "hello"
		-j $file|0 Would send "from a file"
		-j $file -t here|0 Would send "here"
		-l 60|0 Would have sent 1 messages
		-x|1 there is no flag '-x'
		-r b1:00.0|1 there is no flag '-r'
		-n 0|1 has to be above 0
		-n many|1 'many' is not an integer
		-p 00000:000:000.0|1 longer than 12 characters
	EOF
	rm -f "$file"
	return $bad
}
