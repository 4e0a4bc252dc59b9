# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by test-*.sh. One guest per test: the test's own script runs inside (in
# guest/), and asks this one over a serial port for what can only be done or seen
# outside. Its requests, one line each, whose answer ends in a lone dot:
#
#   ok <name>                 a check has passed
#   FAILED <name>: <reason>   a check has failed
#   note <text>               to be shown
#   control <line>            the model's control socket
#   monitor <line>            QEMU's monitor
#   mark                      what the model logs from now on is new
#   log <regular expression>  new lines of the model's log that match
#   anything else             for the function "outside" of the test's own script
#
# test_begin <name> <arguments of the test>: takes "<folder> [<meson build folder>]"
# from the command line and builds what is needed into the folder. Without a build
# folder one is made there. Afterwards:
#
#   $work     the folder
#   $tree     the meson build folder
#   $run      a folder that goes away at the end
#   $logs     where console.log, model.log and results.log are kept
#
# MODEL_LOG_LEVEL=debug has the model tell of every command and event. COMCH_QEMU is
# that of run-guest.sh; the logs of such runs are in a folder of their own.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
passed=0
failed=0
model_pid=
guest_pid=
run=

die() {
	echo "$test_name: $*" >&2
	exit 1
}

# Ends what was started, and nothing else.
# shellcheck disable=SC2317 # called by trap
clean_up() {
	local pid
	trap - EXIT INT TERM
	for pid in "$guest_pid" "$model_pid"; do
		[ -n "$pid" ] || continue
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "$run" ] || rm -rf "$run"
}

test_begin() { # <name> <folder> [<meson build folder>]
	test_name=$1
	shift
	[ $# = 1 ] || [ $# = 2 ] || die "usage: $test_name.sh <folder> [<meson build folder>]"
	mkdir -p "$1"
	work=$(cd "$1" && pwd)
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	run=$(mktemp -d)
	# Most guests have one processor: two tests run beside each other. The first makes what
	# they share.
	for ((slot = 0; ; slot = 1 - slot)); do
		exec 8>"$work/slot$slot"
		! flock -w 0.2 8 || break
	done
	exec 9>"$work/lock"
	flock 9
	logs=$work/guest-logs/$test_name${COMCH_QEMU:+-vfio-user-pci}
	rm -rf "$logs"
	mkdir -p "$logs"

	if [ $# = 2 ]; then
		tree=$(cd "$2" && pwd)
	else
		tree=$work/tree
		if [ ! -e "$tree/build.ninja" ]; then
			meson setup "$tree" "$top" -Dwerror=true -Dbluefield_model=enabled -Dtests=false \
				-Dexamples=false -Dcheck_includes=false >"$logs/build.log" 2>&1 ||
				die "meson setup failed, see $logs/build.log"
		fi
		ninja -C "$tree" >>"$logs/build.log" 2>&1 || die "build failed, see $logs/build.log"
	fi
	[ -x "$tree/app/comch-bluefield-model" ] ||
		die "no app/comch-bluefield-model in $tree: configure it with -Dbluefield_model=enabled"
	"$here/get-kernel.sh" "$work" || die "no kernel for the guest"
	[ -n "${COMCH_QEMU:-}" ] || "$here/build-shim.sh" "$work" >/dev/null ||
		die "the shim cannot be built"
	exec 9>&-
	mkdir -p "$work/guest"
}

# compile <program> <compiler arguments>...: guest/<program>.c, if it or a library
# among the arguments has changed
compile() {
	local out=$work/guest/$1 source=$here/guest/$1.c changed=no arg
	shift
	for arg in "$source" "$@"; do
		[ ! -f "$arg" ] || [ "$out" -nt "$arg" ] || changed=yes
	done
	if [ $changed = yes ] || [ "$(cat "$out.command" 2>/dev/null)" != "$*" ]; then
		${CC:-gcc} -std=gnu11 -O2 -g -Wall -Wextra -Werror -o "$out" "$source" "$@" ||
			die "$source does not compile"
	fi
	echo "$*" >"$out.command"
}

# mlx5_ib_files: sets $mlx5_ib, arguments of make-initramfs.sh for programs on libmlx5
mlx5_ib_files() {
	local provider
	provider=$(echo "$(pkg-config --variable=libdir libibverbs)"/libibverbs/libmlx5-rdmav*.so)
	[ -r "$provider" ] || die "no $provider: apt-get install ibverbs-providers"
	# shellcheck disable=SC2034 # for the test
	mlx5_ib=(-m mlx5_core -m mlx5_ib -m ib_uverbs -f "$provider" -f /etc/libibverbs.d/mlx5.driver)
}

result() { # ok <name> | FAILED <name>: <reason>
	case $1 in
	'ok '*) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	echo "$1" | tee -a "$logs/results.log"
}

model_start() { # <arguments of the model>...
	local i
	# The model ends with this script, however that ends.
	: >"$run/model.out"
	mkfifo "$run/alive"
	exec 7<>"$run/alive"
	"$tree/app/comch-bluefield-model" --dir "$run/model" --log "$logs/model.log" --until-eof \
		--log-level "${MODEL_LOG_LEVEL:-info}" "$@" <"$run/alive" >"$run/model.out" 2>&1 7>&- 8>&- &
	model_pid=$!
	for ((i = 0; i < 100; i++)); do
		! grep -q '^ready' "$run/model.out" || return 0
		kill -0 "$model_pid" 2>/dev/null || break
		sleep 0.1
	done
	cat "$run/model.out" "$logs/model.log" 2>/dev/null || true
	die 'the model does not start'
}

control() { # <line>
	"$here/ask.py" control "$run/model/control" "$1"
}

# new_log <regular expression>: lines of the model's log since the mark
new_log() {
	tail -n "+$((log_mark + 1))" "$logs/model.log" | grep -E "$1" || true
}

# What a test's own script does for its guest, where it has another function of that name.
# shellcheck disable=SC2317 # called by serve
outside() { # <request>
	echo "unknown request: $1"
}

answer() { # <text>
	[ -z "$1" ] || printf '%s\n' "$1" >&5
	echo . >&5
}

serve() { # <line of the guest>
	local text=
	case $1 in
	'ok '* | 'FAILED '*) result "$1" ;;
	'note '*) echo "   ${1#note }" | tee -a "$logs/results.log" ;;
	'control '*) text=$(control "${1#control }") || true ;;
	'monitor '*) text=$("$here/ask.py" monitor "$run/monitor" "${1#monitor }") || true ;;
	mark) log_mark=$(wc -l <"$logs/model.log") ;;
	'log '*) text=$(new_log "${1#log }") ;;
	*) text=$(outside "$1") || true ;;
	esac
	answer "$text"
}

# guest_run <initramfs> <options of run-guest.sh> <function>...: functions by the
# names that the model has for them
guest_run() {
	local initramfs=$1 options=() line='' part status=0 start=$SECONDS
	shift
	while [[ ${1:-} == -* ]]; do
		options+=("$1" "$2")
		shift 2
	done
	log_mark=0
	mkfifo "$run/host.in" "$run/host.out"
	exec 5<>"$run/host.in" 6<>"$run/host.out"
	"$here/run-guest.sh" "$work" "$initramfs" -l "$logs/console.log" "${options[@]}" \
		-M "$run/monitor" \
		-q -chardev -q "pipe,id=host,path=$run/host" -q -device -q isa-serial,chardev=host,index=1 \
		"${@/#/$run/model/}" >"$run/guest.out" 2>&1 5>&- 6>&- 7>&- 8>&- &
	guest_pid=$!
	# A line may come in parts.
	while :; do
		if IFS= read -r -t 1 -u 6 part; then
			serve "$line$part"
			line=
		else
			line=$line$part
			kill -0 "$guest_pid" 2>/dev/null || break
		fi
	done
	wait "$guest_pid" || status=$?
	guest_pid=
	exec 5>&- 6>&-
	# the guest's shell goes on after a mistake in its script
	if grep -E '^(/test|/lib/guest.sh): line [0-9]+: ' "$logs/console.log"; then
		result "FAILED $test_name: guest: its script has mistakes"
	fi
	if [ "$status" = 0 ]; then
		result "ok $test_name: guest ($((SECONDS - start)) s)"
	else
		tail -n 60 "$run/guest.out"
		result "FAILED $test_name: guest: status $status of its script, see $logs/console.log"
	fi
}

# Also that the model has lived through it, and has nothing to complain of but what is
# said here.
# compare_messages <capture>: what the kernel's connection manager says is what the autotests have
compare_messages() {
	local name=${test_name#test-} version text
	version=$(cat "$work/guest-kernel/version")
	if text=$("$here/cm-vectors.py" compare "$1" "${version%-*}" 2>&1); then
		result "ok $name: messages of the kernel: $text"
	else
		result "FAILED $name: messages of the kernel: $(tr '\n' ';' <<<"$text")"
	fi
}

test_end() { # [<regular expression>]
	local status=0 name=${test_name#test-} text
	text=$(grep -E ' (warn|error) ' "$logs/model.log" | grep -vE "${1:-^$}") || true
	if [ -z "$text" ]; then
		result "ok $name: model has nothing to complain of"
	else
		result "FAILED $name: model complains: $(head -n 5 <<<"$text" | tr '\n' ';')"
	fi
	if ! kill -0 "$model_pid" 2>/dev/null; then
		result "FAILED $test_name: model: it has ended by itself"
	else
		control quit >/dev/null || true
		wait "$model_pid" || status=$?
		if [ $status = 0 ]; then
			result "ok $test_name: model ends"
		else
			result "FAILED $test_name: model ends: status $status"
		fi
	fi
	model_pid=
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}
