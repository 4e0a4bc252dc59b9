# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by the scripts that run inside a guest, with busybox's sh. Results and
# questions go to the script outside, over the second serial port: the console
# is the kernel's, whose lines would get in between.

# Line by line, nothing echoed and nothing translated.
stty -F /dev/ttyS1 raw -echo
exec 9<>/dev/ttyS1

# host <request>...: what the script outside answers, without the last line, that
# is a lone dot. The requests are in test-common.sh.
host() {
	local line
	echo "$*" >&9
	# shellcheck disable=SC3045 # busybox has it
	while read -r -t 60 line <&9; do
		[ "$line" != . ] || return 0
		printf '%s\n' "$line"
	done
	echo 'the script outside does not answer'
	return 1
}

pass() { # <name>
	host "ok $*"
}

fail() { # <name>: <reason>
	host "FAILED $*"
}

note() {
	host "note $*"
}

# check <name> <command>...: passes if the command does; what it prints is the reason.
check() {
	local name="$1" text
	shift
	if text=$("$@" 2>&1); then
		pass "$name"
	else
		fail "$name: $* $(echo "$text" | tail -n 3 | tr '\n' ' ')"
		return 1
	fi
}

# state_has <function> <regular expression>: of the model's line on it
state_has() {
	local state
	state=$(host control state "$1")
	echo "$state" | grep -E "$2" || {
		echo "$state"
		return 1
	}
}

# Results that a program printed.
results() { # <file>
	local line
	while read -r line; do
		case $line in
		'ok '* | 'FAILED '*) host "$line" ;;
		esac
	done <"$1"
}

# within <seconds> <command>...: waits until it succeeds.
within() {
	local end
	end=$(($(cut -d. -f1 /proc/uptime) + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(cut -d. -f1 /proc/uptime)" -lt $end ] || return 1
		sleep 0.2
	done
}

# What a function has of a class, as net or infiniband; and its name.
# shellcheck disable=SC2317 # called by within
has() { # <slot> <class>
	ls -d "/sys/bus/pci/devices/0000:0$1:00.0/$2/"*
}
name_of() { # <slot> <class>
	basename "/sys/bus/pci/devices/0000:0$1:00.0/$2/"*
}

# no_trouble <name>: the kernel's lines since the last time are in /tmp/dmesg, and none of
# them is of trouble. There is no list of lines that are allowed all the same.
no_trouble() {
	local bad
	dmesg -c >/tmp/dmesg
	cat /tmp/dmesg >>/tmp/dmesg.all
	bad=$(grep -iE 'fail|error|timeout|timed out|leak|warn|bug|oops|unable|fault|refresh' \
		/tmp/dmesg | head -n 3 | tr '\n' ';')
	check "$1: kernel reports no trouble $bad" [ -z "$bad" ]
}

driver_of() { # <PCI address>
	basename "$(readlink "/sys/bus/pci/devices/$1/driver")" 2>/dev/null
}

unbind() { # <PCI address>
	[ ! -e "/sys/bus/pci/devices/$1/driver" ] || echo "$1" >"/sys/bus/pci/devices/$1/driver/unbind"
}

# As dpdk-devbind.py does it, which needs Python, and that is not in the guest.
bind() { # <PCI address> <driver>
	unbind "$1"
	echo "$2" >"/sys/bus/pci/devices/$1/driver_override"
	echo "$1" >/sys/bus/pci/drivers_probe
	[ "$(driver_of "$1")" = "$2" ] || {
		echo "$1 is bound to '$(driver_of "$1")'"
		return 1
	}
}
