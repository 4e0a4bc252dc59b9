#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: compare-peers.sh [--json FILE] [--rst FILE] [--rounds N] [--cpus A,B]
#                         [--only TEXT]... [--wait SECONDS] [--no-huge]
#
# Compares the shared-memory fast path with the memif PMD, UCX over shared memory
# and libfabric's shm provider: on this machine, on the same two CPUs, in one run,
# ours between theirs. Prints a table of ratios; --json keeps every figure, --only
# takes those rows whose name has the text, or one of the texts, --rst writes the
# ratios as a table for the guide, --wait lets each run wait for other processes to
# be quiet, --no-huge leaves out the rows with hugepages, which is half the time.
#
# Installs packages if some are missing, builds into build-compare/, reserves
# hugepages if it may, and gives them back. Takes half an hour, in which
# nothing else should run here. Ends with 0 if everything was measured; where no
# hugepages can be had, that is said, and it is everything without them.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
here=$top/devtools/compare-peers
build=$top/build-compare
# The largest case is two processes with EAL's memory and the buffers of 1 MiB.
huge_megabytes=768
huge_before=
runner=

usage() {
	sed -n '/^# usage: /,/^#$/s/^# //p' "$0" >&2
	exit 2
}

rounds=5
cpus=
json=
rst=
only=()
wait=0
huge=yes
while [ $# -gt 0 ]; do
	if [ "$1" = --no-huge ]; then
		huge=
		shift
		continue
	fi
	[ $# -ge 2 ] || usage
	case $1 in
	--json) json=$(realpath -m "$2") ;;
	--rounds) rounds=$2 ;;
	--cpus) cpus=$2 ;;
	--rst) rst=$(realpath -m "$2") ;;
	--only) only+=(--only "$2") ;;
	--wait) wait=$2 ;;
	*) usage ;;
	esac
	shift 2
done
[[ $rounds =~ ^[1-9][0-9]?$ ]] || usage
[[ $wait =~ ^[0-9]+$ ]] || usage
[[ -z $cpus || $cpus =~ ^[0-9]+,[0-9]+$ ]] || usage

as_root=
[ "$(id -u)" = 0 ] || as_root='sudo -n'

# shellcheck disable=SC2317 # called by trap
clean_up() {
	trap - EXIT INT TERM
	if [ -n "$runner" ] && kill -0 "$runner" 2>/dev/null; then
		# It ends what it has started.
		kill "$runner" 2>/dev/null || true
		wait "$runner" 2>/dev/null || true
	fi
	[ -z "$huge_before" ] || set_hugepages "$huge_before" ||
		echo "compare-peers: $huge_file could not be set back to $huge_before" >&2
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --------------------------------------------------------------------------
# Ours, and the small programs beside it

build_all() {
	local -a flags dpdk_cflags dpdk_libs shared
	meson introspect --projectinfo "$build" >/dev/null 2>&1 || rm -rf "$build/meson-private"
	if [ ! -e "$build/build.ninja" ]; then
		meson setup "$build" "$top" --buildtype=release \
			-Dtests=false -Dexamples=false -Dcheck_includes=false
	fi
	# the drivers that this DPDK has, shared for testpmd; those file names have the version
	mapfile -t shared < <(cd "$build" && find lib drivers -name '*.so' -printf '%h/%l\n')
	ninja -C "$build" app/dpdk-test-comch app/dpdk-test-comch-dpa "${shared[@]}" \
		"${shared[@]/%.so.*/.a}"
	mkdir -p "$build/compare-peers"
	read -ra dpdk_cflags <<<"$(pkg-config --cflags libdpdk)"
	read -ra dpdk_libs <<<"$(pkg-config --libs libdpdk)"
	# The same instructions for all, DPDK's: what writes and reads is in each of them.
	flags=(-O3 -Wall -Wextra "${dpdk_cflags[@]}" -I"$top/app/test-comch")
	"${CC:-gcc}" "${flags[@]}" "$here/probe.c" -o "$build/compare-peers/probe" -pthread
	"${CC:-gcc}" "${flags[@]}" "$here/peer-fabric.c" -o "$build/compare-peers/peer-fabric" \
		-lfabric
	"${CC:-gcc}" "${flags[@]}" "$here/peer-ucx.c" -o "$build/compare-peers/peer-ucx" -lucp -lucs
	# not with every DPDK; rows without it are reported
	[ ! -e "$build/drivers/librte_net_comch.a" ] || flags+=(-DHAVE_NET_COMCH
		-DALLOW_EXPERIMENTAL_API "-I$top/drivers/net/comch" '-Wl,--whole-archive'
		"$build"/lib/librte_comch.a "$build"/drivers/librte_{comch_shm,net_comch}.a
		'-Wl,--no-whole-archive' -lrte_bus_vdev)
	"${CC:-gcc}" "${flags[@]}" "$here/peer-ethdev.c" \
		-o "$build/compare-peers/peer-ethdev" "${dpdk_libs[@]}"
}

# --------------------------------------------------------------------------
# CPUs and hugepages

# Two CPUs that this process may use, not two threads of one core.
choose_cpus() {
	local first='' cpu siblings
	while read -r cpu; do
		if [ -z "$first" ]; then
			first=$cpu
			siblings=,$(cpu_list "$(cat "/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list" \
				2>/dev/null || echo "$cpu")" | paste -sd,),
		elif [[ $siblings != *,$cpu,* ]]; then
			echo "$first,$cpu"
			return 0
		fi
	done < <(cpu_list "$(taskset -cp $$ | sed 's/.*: //')")
	echo 'compare-peers: this needs two CPUs that are not threads of one core' >&2
	return 1
}

cpu_list() { # <list as 0,2-5>: one line for each
	tr ',' '\n' <<<"$1" | awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }'
}

huge_file=/proc/sys/vm/nr_hugepages

meminfo() { # <name>
	awk -v name="$1:" '$1 == name { print $2 }' /proc/meminfo
}

set_hugepages() { # <number of pages>
	# shellcheck disable=SC2086 # words on purpose
	$as_root sh -c "echo $1 >$huge_file" 2>/dev/null
}

# Sets huge_missing to the reason if there are none.
reserve_hugepages() {
	local size need free
	huge_missing=
	if [ -z "$huge" ]; then
		huge_missing='left out (--no-huge)'
		return 0
	fi
	size=$(meminfo Hugepagesize)
	if [ -z "$size" ] || [ ! -e "$huge_file" ]; then
		huge_missing='this kernel has none'
		return 0
	fi
	need=$((huge_megabytes * 1024 / size))
	free=$(meminfo HugePages_Free)
	[ "$free" -lt "$need" ] || return 0
	if [ "$need" -lt 2 ]; then
		huge_missing="those of this machine are of $size KiB"
		return 0
	fi
	huge_before=$(cat "$huge_file")
	if ! set_hugepages $((huge_before + need - free)); then
		huge_missing="not permitted; as root: echo $((huge_before + need - free)) >$huge_file"
		huge_before=
		return 0
	fi
	free=$(meminfo HugePages_Free)
	if [ "$free" -lt "$need" ]; then
		set_hugepages "$huge_before" || true
		huge_before=
		huge_missing="the kernel has no memory in one piece for $need pages, only for $free"
	fi
}

# --------------------------------------------------------------------------

echo '== packages'
"$top/devtools/setup.sh" compare
mkdir -p "$build"
# Two runs at one time would measure each other.
exec 9>"$build/lock"
flock -n 9 || {
	echo "compare-peers: another one runs in $build" >&2
	exit 1
}

echo '== build'
build_all >"$build/compare-peers.log" 2>&1 || {
	tail -n 25 "$build/compare-peers.log" >&2
	echo "compare-peers: the build failed, log: ${build#"$top"/}/compare-peers.log" >&2
	exit 1
}

[ -n "$cpus" ] || cpus=$(choose_cpus)
reserve_hugepages
[ -z "$huge_missing" ] || echo "== no hugepages: $huge_missing"

echo "== measuring on CPUs $cpus"
# In the background, as a trap waits for what is in the foreground. Not told of
# the lock, which ends with this script, and so does the runner.
setpriv --pdeathsig TERM python3 "$here/run.py" --build "$build" --cpus "$cpus" --rounds "$rounds" \
	--huge "no$([ -n "$huge_missing" ] || echo ,yes)" --huge-missing "$huge_missing" \
	${only[@]+"${only[@]}"} --wait "$wait" ${rst:+--rst "$rst"} ${json:+--json "$json"} 9>&- &
runner=$!
rc=0
wait "$runner" || rc=$?
runner=
exit $rc
