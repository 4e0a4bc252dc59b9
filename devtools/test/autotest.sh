#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: autotest.sh <comch-autotest> <suite>[:case]
#
# Runs one suite as "meson test" does: with EAL arguments that fit anywhere, within a
# limit of time, and with status 77 where all of its cases are skipped.
#
# Many suites wait, and time what they wait for. Where a machine stops for a second, a
# case fails that is right. So a suite with a failed case runs three times more: if all
# three pass, it passes, and says "once failed". A process that died fails at once.
#
# COMCH_TEST_MAY_SKIP: the only cases that may be skipped, where it is set.
# COMCH_TEST_LITTLE: as an ordinary user with 256 descriptors, 64 KiB of lockable memory and
# 64 MiB of /dev/shm. A case that needs more says so, and is skipped.

set -uo pipefail

program=$1
suite=$2
# the lcores that this process may use, at most four
lcores=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 4 | paste -sd,)
out=$(mktemp)
trap 'rm -f "$out"' EXIT

with=()
if [ -n "${COMCH_TEST_LITTLE:-}" ]; then
	ordinary=(setpriv --reuid=21234 --regid=21234 --clear-groups --inh-caps=-all --bounding-set=-all)
	if ! "${ordinary[@]}" test -x "$program" || ! unshare --mount true; then
		echo 'skipped: no root, no mount namespace, or a folder that is closed to other users'
		exit 77
	fi
	XDG_RUNTIME_DIR=$(mktemp -d)
	export XDG_RUNTIME_DIR
	trap 'rm -rf "$out" "$XDG_RUNTIME_DIR"' EXIT
	chown 21234:21234 "$XDG_RUNTIME_DIR"
	# shellcheck disable=SC2016 # expanded in there
	with=(unshare --mount sh -c 'mount -t tmpfs -o size=64m,mode=1777 comch /dev/shm && exec "$@"' sh
		prlimit --nofile=256 --memlock=65536 "${ordinary[@]}")
fi

# Suites that wait run beside each other, two of them: more would poll on the same lcores.
for ((slot = 0; ; slot = 1 - slot)); do
	exec 8>"$program.slot$slot"
	! flock -w 0.2 8 || break
done

once() {
	timeout -k 10 900 "${with[@]}" "$program" --no-huge -m 256 --no-pci "--file-prefix=comch-test-$$" \
		--lcores "$lcores" -- "$suite" 2>&1 8>&- | tee "$out"
}

rc=0
once || rc=$?
counts=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$out" | tail -n 1)
failed=$(sed -nE 's/^ \+ TestCase \[ *[0-9]+\] : ([a-zA-Z0-9_]+) failed .*/\1/p' "$out")
skipped=$(sed -nE 's/^ \+ TestCase \[ *[0-9]+\] : ([a-zA-Z0-9_]+) skipped: .*/\1/p' "$out")
if [ -n "${COMCH_TEST_MAY_SKIP:-}" ] && [ -n "$skipped" ] &&
	grep -vxFf <(tr ' ' '\n' <<<"$COMCH_TEST_MAY_SKIP") <<<"$skipped"; then
	echo 'what was skipped can run here'
	exit 1
fi
case $counts in
'0 passed, 0 failed'*) [ $rc != 0 ] || exit 77 ;;
esac
# without a last line, or with a failure outside of the cases, there is no again
if [ $rc = 0 ] || [ -z "$failed" ] ||
	[[ $counts != *" passed, $(wc -l <<<"$failed") failed"* ]]; then
	exit $rc
fi
for i in 1 2 3; do
	echo "$suite, again, $i of 3"
	once || exit
done
echo "once failed: ${failed//$'\n'/ } of $suite, then passed 3 times"
grep -aE '^[0-9]+ passed, [0-9]+ failed' "$out" | tail -n 1
