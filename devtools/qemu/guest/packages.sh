#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: packages.sh <folder>
#
# In a guest of test-arm64.sh: installs the Debian packages of the folder by dpkg, whose scripts
# run, has comch-demo measure with what they brought, purges them, and looks what is left. The
# demo has 120 seconds: its client measures a part, as an emulated processor is slow.

set -eu
# dpkg's own tools, not those of busybox in /bin
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive

# But for the state of dpkg itself, and caches; a system user stays, as Debian wants.
state() {
	find /etc /opt /srv /usr /var/lib /run -xdev ! -path '/var/lib/dpkg/*' ! -path '/run/dpdk*' \
		! -path '*/__pycache__*' ! -path '*/ld.so.cache' | sort
	cut -d : -f 1 /etc/passwd /etc/group | grep -vx comch
}

mkdir -p /srv /opt /var/log
# what a Debian has that has ever made a user
touch /etc/.pwd.lock /etc/gshadow /etc/shadow /etc/group- /etc/gshadow- /etc/passwd- /etc/shadow-
state >/tmp/before
[ "$(wc -l </tmp/before)" -gt 100 ]
dpkg -i "$1"/*.deb
names=$(for f in "$1"/*.deb; do dpkg-deb -f "$f" Package; done)
echo "$(echo "$names" | wc -l) packages installed"
cat >/tmp/program <<'EOF'
#!/bin/sh
case $* in *--client) set -- "$@" --test ctrl-lat,fp-bw --size 64 --duration 0.1 --rounds 1 ;; esac
exec dpdk-test-comch "$@"
EOF
chmod +x /tmp/program
comch-demo /tmp/program >/tmp/demo || { cat /tmp/demo; exit 1; }
cat /tmp/demo
grep -E '^Summary: [1-9][0-9]* results, 0 failed' /tmp/demo
mkdir -p /run/dpdk-comch
: >/run/dpdk-comch/comch.lock
# shellcheck disable=SC2086 # words on purpose
dpkg --purge $names
state >/tmp/after
diff /tmp/before /tmp/after
[ ! -e /run/dpdk-comch ]
echo "$(wc -l </tmp/after) files and users, as before"
