#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-bare.sh <folder> <bookworm|trixie> [command]...
#
# Tries the README on a bare Debian 12 or 13: installs one into <folder>/root by
# debootstrap, with nothing beyond what it cannot do without, clones the last
# commit of this tree there, and runs the commands in the clone, by default those
# of the README with "test.sh --quick" for the second, the first once more without
# network, and testpmd on net_comch. Needs root. What was in <folder>/root before is
# removed; nothing stays mounted and no process is left.
#
#   devtools/test-bare.sh /var/tmp/bare bookworm 'bash .ci/run'

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)

die() {
	echo "test-bare: $*" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || die "only root can install a Debian and change into it"
if [ $# -lt 2 ] || [[ $1 == -* ]]; then
	echo 'usage: test-bare.sh <folder, made if it is not there> <bookworm|trixie> [command]...' >&2
	exit 2
fi
mkdir -p "$1"
root=$(cd "$1" && pwd)/root
suite=$2
shift 2
[ $# -gt 0 ] || set -- ./devtools/demo.sh \
	'rm -r build-demo; unshare --net ./devtools/demo.sh' './devtools/test.sh --quick' \
	'./devtools/test.sh --only "testpmd on net_comch"'
command -v debootstrap >/dev/null || die 'no debootstrap here: apt-get install debootstrap'

# The sources of this machine have the other release too.
# shellcheck source=/dev/null
here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016 # the fields are apt's
entries=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
	awk -v h="$here" -v s="$suite" '$2 == h || $2 ~ "^" h "-" { sub(h, s, $2); print }')
mirror=$(awk -v s="$suite" '$2 == s { print $1; exit }' <<<"$entries")
[ -n "$mirror" ] || die "this machine's package sources have no $here"

# Mounts are in name spaces of a run: another one would not see them.
exec 9>"$root.lock"
flock -n 9 || die "another run works in $root"
rm -rf "$root"
echo "== Debian $suite, minimal"
# It may leave /proc mounted.
unshare --mount --propagation private \
	debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
	tail -n 20 "$root.log" >&2
	die "debootstrap has failed; all it said is in $root.log"
}
awk '{ print "deb " $0 }' <<<"$entries" >"$root/etc/apt/sources.list"
# How this machine reaches the sources, where that is not the default.
for f in /etc/resolv.conf /etc/hosts /etc/apt/apt.conf.d/*proxy*; do
	[ ! -e "$f" ] || cp -L "$f" "$root$f"
done
# The README clones it from somewhere.
git clone -q --bare "$top" "$root/dpdk-comch.git"

# <root> <command>...: its mounts and processes end with it.
# shellcheck disable=SC2016 # expanded by the inner shells
inside='
	set -euo pipefail
	root=$1
	shift
	mount -t proc proc "$root/proc"
	mount --rbind /sys "$root/sys"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs -o size=64m shm "$root/dev/shm"
	exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" bash -c "
			set -euo pipefail
			apt-get -q update
			apt-get -q install -y git
			cd /root
			git clone -q /dpdk-comch.git dpdk-comch
			cd dpdk-comch
			for command in \"\$@\"; do
				echo \"== \$command\"
				bash -c \"\$command\"
			done" bash "$@"
'
unshare --mount --pid --fork --kill-child --propagation private \
	bash -c "$inside" bash "$root" "$@" </dev/null &
inner=$!
# Its name spaces end with it.
trap 'kill -KILL "$inner" 2>/dev/null || true; wait "$inner" 2>/dev/null || true; exit 143' INT TERM HUP
wait "$inner"
