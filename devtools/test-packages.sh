#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-packages.sh [folder]
#
# Builds the Debian packages in <folder> (build-packages), looks at them with lintian, installs
# them, runs their tests in debian/tests, purges them, and looks what has been left. For root of
# a system that is thrown away, as in "devtools/test-bare.sh DIR trixie devtools/test-packages.sh":
# it installs and removes packages. The last line is "N passed, N failed".

set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

top=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
	echo 'usage: test-packages.sh [folder, made if it is not there]' >&2
	exit 2
fi
[ "$(id -u)" = 0 ] || {
	echo 'test-packages: only root can install packages' >&2
	exit 1
}
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. "$top/devtools/tree-files.sh"
mkdir -p "${1:-$top/build-packages}/packages"
work=$(cd "${1:-$top/build-packages}/packages" && pwd)
logs=$work/logs
passed=0
failed=0
rm -rf "${work:?}"/*
mkdir -p "$logs"

# step <name> <command>...: its output goes to a log, of which a failure shows the end.
step() {
	local name=$1 rc=0 start=$SECONDS
	shift
	(
		set -e
		"$@"
	) >"$logs/$name.log" 2>&1 </dev/null || rc=$?
	if [ $rc = 0 ]; then
		passed=$((passed + 1))
		printf '%-40s %4d s  ok\n' "$name" $((SECONDS - start))
	else
		failed=$((failed + 1))
		printf '%-40s %4d s  FAILED\n' "$name" $((SECONDS - start))
		tail -n 30 "$logs/$name.log" | cut -c 1-300 | sed 's/^/  | /'
	fi
}

packages() {
	# shellcheck disable=SC2016 # the fields are dpkg's
	dpkg-query -W -f '${Package}\n' | sort
}

install_tools() {
	apt-get -q update
	apt-get -q install -y --no-install-recommends build-essential dpkg-dev lintian man-db
	apt-get -q build-dep -y --no-install-recommends "$work/dpdk-comch"
}

# Only what was there at first stays.
remove() {
	mapfile -t names < <(packages | comm -13 "$work/packages" -)
	apt-get -q purge -y "${names[@]}"
}

# What packages could leave: files, users, and folders of the run time. The caches of apt and
# dpkg are not among them, nor EAL's folder of processes that have run, nor the system user.
state() { # <file>
	{
		find /etc /opt /srv /usr /var/lib /run -xdev \
			! -path '/var/lib/apt/*' ! -path '/var/lib/dpkg/*' ! -path '/run/lock*' ! -path /run/dpdk ! -path '/run/dpdk/*' \
			! -path '*/__pycache__*' ! -path '*/ld.so.cache' ! -path "$work*" -print
		cut -d : -f 1 /etc/passwd /etc/group | grep -vx comch | sed 's/^/user or group /'
	} | sort >"$1"
}

build() {
	cd "$work/dpdk-comch"
	DEB_BUILD_OPTIONS=parallel=$(nproc) dpkg-buildpackage -us -uc -b
}

# Tags that stay have their reasons in the files *.lintian-overrides, but for one that not all
# releases know: the service is an example, which nothing needs.
look() {
	local tag=package-supports-alternative-init-but-no-init.d-script suppress=()
	! lintian-explain-tags "$tag" >/dev/null 2>&1 || suppress=(--suppress-tags "$tag")
	lintian --allow-root "${suppress[@]}" --pedantic --display-info --fail-on error,warning,info,pedantic \
		"$work"/*.changes
}

# With what they depend on, and what their tests do.
install() {
	mapfile -t names < <(sed -n 's/^Depends: //p' "$top/debian/tests/control" | tr -d ' ' | tr , '\n')
	apt-get -q install -y --no-install-recommends "$work"/*.deb "${names[@]}"
}

# With what a process has left where both sides meet.
# shellcheck disable=SC2317 # called by step
purge() {
	mkdir -p /run/dpdk-comch
	: >/run/dpdk-comch/comch.lock
	remove
}

# shellcheck disable=SC2317 # called by step
nothing_left() {
	state "$work/after"
	! comm -13 "$work/before" "$work/after" | grep .
}

cd "$top"
tree_copy "$work/dpdk-comch"
# what a Debian that has booted has too
step 'systemd' apt-get -q install -y --no-install-recommends systemd
packages >"$work/packages"
step 'packages-to-build' install_tools
step 'dpkg-buildpackage' build
step 'lintian' look
step 'remove-what-builds' remove
state "$work/before"
step 'install' install
for test in "$top"/debian/tests/*; do
	[ ! -x "$test" ] || step "test-$(basename "$test")" "$test"
done
step 'purge' purge
step 'nothing-left' nothing_left
echo "$passed passed, $failed failed"
[ $failed = 0 ]
