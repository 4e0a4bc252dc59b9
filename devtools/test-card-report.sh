#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-card-report.sh <folder> <build> [--renew]
#
# Runs usertools/comch-card-report.py with the programs of <build> on software
# BlueFields, one that works and several that fail on their way, and looks whether the
# report names what happened. The sample in the guide must have the steps and the names
# of fields of a new one; --renew writes it.

set -euo pipefail

if [ $# -lt 2 ]; then
	echo 'usage: test-card-report.sh <folder for files> <build> [--renew]' >&2
	exit 2
fi
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
# the name of a socket has 107 bytes at most
work=$(cd "$1" && pwd)/card-report
build=$(cd "$2" && pwd)
sample=$top/doc/guides/tools/comch-card-report.txt
script=$top/usertools/comch-card-report.py
control=$work/m/control
passed=0
failed=0

if [ ! -x "$build/app/comch-bluefield-model" ]; then
	echo "there is no model in $build"
	exit 77
fi
rm -rf "$work"
mkdir -p "$work"

# The model ends when its standard input does: whatever becomes of this script.
mkfifo "$work/hold"
"$build/app/comch-bluefield-model" --dir "$work/m" --function pf0 --function pf1 \
	--function pf0vf0 --function pf0vf1,roce=off --function pf0vf2,link=down \
	--log "$work/model.log" --until-eof <"$work/hold" >"$work/ready" &
model=$!
exec 3>"$work/hold"
for _ in {1..100}; do
	grep -q ready "$work/ready" && break
	sleep 0.1
done
grep -q ready "$work/ready"

ask() {
	python3 "$top/devtools/qemu/ask.py" control "$control" "$1" >/dev/null
}

result() { # <what> <reason, empty: it is good>
	if [ -z "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1: $2"
		tail -n 25 "$work/$1.txt" 2>/dev/null | cut -c1-200 || true
	fi
}

# report <name> <function> <exit status> <expression in the report>... -- <option>...
report() {
	local name=$1 function=$2 wanted=$3 status=0 reason='' word words=()
	shift 3
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	"$script" --vdev "socket=$work/m/$function.sock" --program "$build/app/dpdk-test-comch" \
		-o "$work/$name.txt" "$@" >"$work/$name.out" 2>&1 || status=$?
	[ "$status" = "$wanted" ] || reason="exit status $status, not $wanted"
	for word in "${words[@]}"; do
		grep -qE -- "$word" "$work/$name.txt" || reason+=" not said: '$word'"
	done
	result "$name" "$reason"
}

# Steps, and names before colons, without numbers; not what differs with the machine.
shape() {
	sed -n '/^dpdk-comch card report/,/^\[messages\]/p' "$1" |
		sed -nE 's/^(step|  capabilities): .*/&/p; t; s/^( *[^:]*): .*/\1/p; s/^\[.*\]$/&/p' |
		sed -E '/^function|^firmware by/d; s/0x[0-9a-f]+|[0-9]+/N/g' | LC_ALL=C sort -u
}

report whole pf0 0 '^verdict: as it should be$' '^result: ok$' '^kernel: Linux' \
	'^locked memory limit: ' '^step: teardown' -- --devargs role=host
report vf pf0vf0 0 '^verdict: as it should be$' -- --devargs role=dpu
result model "$(grep -m 1 -E ' (warn|error) ' "$work/model.log")"
shape "$work/whole.txt" >"$work/shape"
if [ "${3-}" = --renew ]; then
	# no machine of ours
	{
		echo '# SPDX-License-Identifier: BSD-3-Clause'
		echo '# Copyright(c) 2026 The dpdk-comch authors'
		sed -E 's/^kernel: .*/kernel: Linux 6.1.0-37-amd64 x86_64/; s/^user: .*/user: not root/
			s/^(locked memory limit): .*/\1: unlimited, unlimited/' "$work/whole.txt"
	} >"$sample"
fi
shape "$sample" >"$work/shape.sample"
result sample "$(diff "$work/shape.sample" "$work/shape" | tr '\n' ' ')"

# Whatever bring-up reads is decoded.
missing=
while read -r field; do
	grep -q "^  $field: " "$work/whole.txt" || missing+=" $field"
done < <(grep -rohE --include='*.c' 'BF_(CMD_HCA|ROCE)_CAP_[A-Z0-9_]+' "$top"/drivers/comch/bluefield |
	sed -E 's/BF_(CMD_HCA|ROCE)_CAP_//; s/.*/\L&/' | sort -u)
result fields "$missing"

name=$(hostname)
result private "$([ ${#name} -gt 3 ] && grep -F "$name" "$work/whole.txt" | head -n 1
	grep -E '([0-9a-f]{2}:){5}[0-9a-f]{2}' "$work/whole.txt" | head -n 1)"

# A file that cannot be written is refused before the function is touched.
status=0
clients=$(grep -c 'client connected' "$work/model.log")
"$script" --vdev "socket=$work/m/pf0.sock" --program "$build/app/dpdk-test-comch" \
	-o "$work/none/report.txt" >"$work/unwritable.txt" 2>&1 || status=$?
result unwritable "$([ $status = 2 ] || echo "exit status $status"
	grep -q 'none/report.txt: No such file or directory; name another file with -o' \
		"$work/unwritable.txt" || echo 'no reason'
	[ "$(grep -c 'client connected' "$work/model.log")" = "$clients" ] ||
		echo 'the function was touched')"

# fake <address> <vendor> <device> [driver]: a function in EAL's eyes
fake() {
	local path=$work/sys/$1 i
	mkdir -p "$path"
	echo "$2" >"$path/vendor"
	echo "$3" >"$path/device"
	for i in subsystem_vendor subsystem_device; do echo 0x0000 >"$path/$i"; done
	echo 0x020000 >"$path/class"
	for i in {1..6}; do echo '0x0 0x0 0x0'; done >"$path/resource"
	[ -z "${4-}" ] || ln -s "drivers/$4" "$path/driver"
}

# on_bus <name> <address> <expression in the report>: nothing is asked about these by EAL
on_bus() {
	local status=0
	SYSFS_PCI_DEVICES=$work/sys "$script" "$2" --program "$build/app/dpdk-test-comch" \
		-o "$work/$1.txt" >"$work/$1.out" 2>&1 || status=$?
	result "$1" "$([ $status = 1 ] || echo "exit status $status"
		grep -qE -- "$3" "$work/$1.txt" || echo "not said: '$3'"
		[ "$(grep -cE '^COMCH_BLUEFIELD: ' "$work/$1.txt")" = 1 ] || echo 'said twice')"
}

fake 0000:01:00.0 0x8086 0x1521 igb
fake 0000:02:00.0 0x8086 0x1521
fake 0000:03:00.0 0x15b3 0x1017
fake 0000:04:00.0 0x15b3 0x101e
fake 0000:05:00.0 0x15b3 0xa2d6 mlx5_core
on_bus vendor 0000:01:00.0 '^surprise: .* 8086:1521 is none that this driver knows'
on_bus unbound-vendor 0000:02:00.0 '^surprise: .* 8086:1521 is none that this driver knows'
on_bus unbound-part 0000:03:00.0 '^surprise: .* 15b3:1017 is none that this driver knows'
on_bus unbound 0000:04:00.0 '^surprise: .*is bound to no kernel driver'
on_bus kernel 0000:05:00.0 "^surprise: .*is bound to kernel driver mlx5_core"
on_bus absent 0000:06:00.0 '^surprise: .*there is no such function'

# What is wrong on the card's side, with the command that mends it.
report roce pf0vf1 1 '^surprise: .*RoCE is off .*devlink port function set .* roce enable' -- \
	--devargs role=host
report down pf0vf2 1 '^surprise: .*vport is down: on the card ip link set' -- --devargs role=host

report pages pf0 1 '^surprise: in step .pages of initialisation.*max_pages' \
	'^verdict: stopped' -- --devargs max_pages=20

ask 'fault pf0 cmd opcode=INIT_HCA status=1 syndrome=0xabc12'
report status pf0 1 '^surprise: INIT_HCA.*syndrome 0x000abc12' -- --timeout 60
ask 'fault pf0 clear'

# later <seconds> <line>...: of the control socket, while a report is written
later() {
	sleep "$1"
	shift
	for line in "$@"; do
		ask "$line"
	done
}

# The bound of all: a function that never answers does not keep who asks.
ask 'fault pf0 cmd opcode=INIT_HCA delay=20000'
report limit pf0 1 "^surprise: the program did not end in 2 s; the last step was '.+'" \
	-- --timeout 2
ask 'fault pf0 clear'

ask 'fault pf1 cmd opcode=INIT_HCA delay=4000'
later 1.5 'fault pf1 bus dead' &
report gone pf1 1 '^surprise: INIT_HCA: .*No such device' 'register 0x0000: ffffffff' -- --timeout 60
wait $!
ask 'fault pf1 bus alive'
ask 'fault pf1 clear'

# Last: only a reset of firmware heals it, and it is one for all functions.
ask 'fault pf1 cmd opcode=INIT_HCA delay=4000'
later 1.5 'fault pf1 health synd=1' &
report fatal pf1 1 '^surprise: INIT_HCA: .*firmware health: firmware assertion' \
	'syndrome 0x1, extended' -- --timeout 60
wait $!

exec 3>&-
wait $model || result model "it ended with status $?"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
