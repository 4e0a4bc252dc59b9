#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: demo.sh
#
# Shows the main job of the project on any machine, with no card: a process that
# plays the card and one that plays the host exchange messages over the shm
# driver, and the benchmark's table is printed. Installs packages if some are
# missing, builds into build-demo/, runs as root or as an ordinary user, without
# hugepages. What each part said is in build-demo/logs/, and a part that fails
# says so. Tests nothing: that is test.sh.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build-demo
logs=$build/logs
part=

if [ $# != 0 ]; then
	echo "usage: $0 (no arguments: it installs, builds and runs; what it runs is usertools/comch-demo)" >&2
	exit 2
fi

# What the log of a failure says, and not what went well before.
log_end() { # <log>
	if grep -q '^FAILED: ' "$1"; then
		sed -n '/^FAILED: /,$p' "$1" | head -n 30
	else
		tail -n 20 "$1"
	fi | cut -c 1-400 | sed 's/^/  | /'
}

# shellcheck disable=SC2317 # called by trap
end() {
	local rc=$? log
	if [ $rc != 0 ] && [ -n "$part" ]; then
		{
			echo
			echo "demo: failed: $part (exit status $rc)"
			for log in "$logs/$part"*.log; do
				[ -e "$log" ] || continue
				echo "demo: the end of $log:"
				log_end "$log"
			done
		} >&2
	fi
	exit $rc
}
trap end EXIT

# shellcheck disable=SC2317 # called by trap
interrupted() { # <exit status>
	echo "demo: interrupted; logs are in $logs" >&2
	part=
	exit "$1"
}
trap 'interrupted 130' INT
trap 'interrupted 143' TERM

# begin <part>: until the next one, this is what fails. Its logs are <part>*.log.
begin() {
	part=$1
	echo "== $2"
	rm -f "$logs/$part"*.log
}

if ! mkdir -p "$logs" || [ ! -w "$build" ] || [ ! -w "$logs" ]; then
	echo "demo: cannot write to $logs: remove $build, or take a clone of your own" >&2
	exit 1
fi

begin packages packages
"$top/devtools/setup.sh" run 2>&1 | tee "$logs/packages.log"

begin configure configuration
if ! meson introspect --projectinfo "$build" >/dev/null 2>&1; then
	# of a set-up that was broken off, or of another meson
	find "$build" -mindepth 1 -maxdepth 1 ! -name logs -exec rm -rf {} +
	# without what it does not run and what takes a download
	meson setup "$build" "$top" -Dbluefield_model=disabled >"$logs/configure.log" 2>&1
fi

begin build 'build (a minute or two on two cores)'
# Every 25th line: it goes on.
ninja -C "$build" app/dpdk-test-comch app/dpdk-test-comch-dpa 2>&1 | tee "$logs/build.log" |
	sed -unE '/^\[[0-9]*(25|50|75|00)\/|^ninja: no work/p'

exec "$top/usertools/comch-demo" "$build/app/dpdk-test-comch"
