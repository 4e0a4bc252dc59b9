#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Shows the main job of the project on any machine, with no card: a process that
# plays the card and one that plays the host exchange messages over the shm
# driver, and the benchmark's table is printed. Installs packages if some are
# missing, builds into build/, runs as root or as an ordinary user, without
# hugepages. What each part said is in build/demo-logs/, and a part that fails
# says so. Tests nothing: that is test.sh.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
logs=$build/demo-logs
run_dir=
server=
part=

# shellcheck disable=SC2317 # called by trap
clean_up() {
	trap - EXIT INT TERM
	if [ -n "$server" ] && kill -0 "$server" 2>/dev/null; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	[ -z "$run_dir" ] || rm -rf "$run_dir"
}

# shellcheck disable=SC2317 # called by trap
end() {
	local rc=$? log
	clean_up
	if [ $rc != 0 ] && [ $rc -lt 128 ] && [ -n "$part" ]; then
		{
			echo
			echo "demo: failed: $part (exit status $rc)"
			for log in "$logs/$part"*.log; do
				[ -e "$log" ] || continue
				echo "demo: the end of $log:"
				tail -n 20 "$log" | sed 's/^/  | /'
			done
		} >&2
	fi
	exit $rc
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --------------------------------------------------------------------------
# The two command lines. <role> is dpu or host; what follows is dpdk-test-comch's.
eal_args() { # <role> <lcores> <devargs>
	echo --no-huge -m 64 --no-pci --no-telemetry --log-level=error \
		"--file-prefix=comch-demo-$1-$$" -l "$2" \
		--vdev "comch_shm0,role=$1,path=$run_dir,$3"
}
run_server() { # the card's side
	# shellcheck disable=SC2046 # words on purpose
	exec "$build/app/dpdk-test-comch" $(eal_args dpu "$server_core" functions=pf0) -- --server
}
run_client() { # the host's side
	# shellcheck disable=SC2046 # words on purpose
	timeout 120 "$build/app/dpdk-test-comch" $(eal_args host "$client_core" function=pf0) -- --client
}
# --------------------------------------------------------------------------

# begin <part>: until the next one, this is what fails. Its logs are <part>*.log.
begin() {
	part=$1
	echo "== $2"
	mkdir -p "$logs"
	rm -f "$logs/$part"*.log
}

begin packages packages
"$top/devtools/setup.sh" run 2>&1 | tee "$logs/packages.log"

begin configure configuration
if ! meson introspect --projectinfo "$build" >/dev/null 2>&1; then
	# of a set-up that was broken off, or of another meson
	find "$build" -mindepth 1 -maxdepth 1 ! -name demo-logs -exec rm -rf {} +
	meson setup "$build" "$top" >"$logs/configure.log" 2>&1
fi

begin build 'build (a minute or two on two cores)'
# Every 25th line: it goes on.
ninja -C "$build" app/dpdk-test-comch 2>&1 | tee "$logs/build.log" |
	sed -unE '/^\[[0-9]*(25|50|75|00)\/|^ninja: no work/p'

# One core each if there are two; EAL wants ids that this process may use.
mapfile -t cores < <(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
server_core=${cores[0]}
client_core=${cores[1]:-${cores[0]}}

run_dir=$(mktemp -d)
begin run "card's side (lcore $server_core) and host's side (lcore $client_core)"
run_server >"$logs/run-card.log" 2>&1 &
server=$!
run_client 2>&1 | tee "$logs/run-host.log"
part=
echo '== done'
