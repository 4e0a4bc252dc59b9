#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Shows the main job of the project on any machine, with no card: a process that
# plays the card and one that plays the host exchange messages over the shm
# driver, and the benchmark's table is printed. Installs packages if some are
# missing, builds into build/, runs as root or as an ordinary user, without
# hugepages. Tests nothing: that is test.sh.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
run_dir=
server=

# shellcheck disable=SC2317 # called by trap
clean_up() {
	trap - EXIT INT TERM
	if [ -n "$server" ] && kill -0 "$server" 2>/dev/null; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	[ -z "$run_dir" ] || rm -rf "$run_dir"
}
trap clean_up EXIT
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

echo '== packages'
"$top/devtools/setup.sh" run

echo '== build'
if ! meson introspect --projectinfo "$build" >/dev/null 2>&1; then
	meson setup --wipe "$build" "$top" >/dev/null 2>&1 || {
		rm -rf "$build"
		meson setup "$build" "$top"
	}
fi
ninja -C "$build" app/dpdk-test-comch | tail -n 1

# One core each if there are two; EAL wants ids that this process may use.
mapfile -t cores < <(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
server_core=${cores[0]}
client_core=${cores[1]:-${cores[0]}}

run_dir=$(mktemp -d)
echo "== card's side (lcore $server_core) and host's side (lcore $client_core)"
run_server >"$run_dir/server.log" 2>&1 &
server=$!
if ! run_client; then
	echo "demo: the client failed. The server's log:" >&2
	cat "$run_dir/server.log" >&2
	exit 1
fi
echo '== done'
