# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by scripts that take a file out of a Debian package which is not to be
# installed. apt gets sources, lists and a cache of its own in one folder, so
# that an ordinary user can run it and nothing outside of the folder is written.
# The sources are derived from those the machine has.

# apt_entries: one line "[<options>] <URI> <suite> <components>" for each binary
# entry of the machine, in either of apt's formats.
apt_entries() {
	local parts main f
	eval "$(apt-config shell parts Dir::Etc::sourceparts/d main Dir::Etc::sourcelist/f)"
	{
		cat "$main" "$parts"/*.list 2>/dev/null || true
	} | awk '
		$1 == "deb" {
			sub(/^[ \t]*deb[ \t]+/, "")
			options = ""
			if (match($0, /^\[[^]]*\][ \t]+/)) {
				options = substr($0, 2, index($0, "]") - 2)
				$0 = substr($0, RLENGTH + 1)
			}
			uri = $1; suite = $2; $1 = $2 = ""
			gsub(/(^|[ \t])arch[+-]?=[^ \t]+/, "", options)
			print "[" options "] " uri " " suite " " $0
		}'
	for f in "$parts"/*.sources; do
		# A blank line between files: the last entry of one and the first
		# of the next stay two.
		if [ -r "$f" ]; then
			cat "$f"
			echo
		fi
	done | awk '
		function flush_entry(   i, j, n, m, us, ss, options) {
			n = split(f["uris"], us, " ")
			m = split(f["suites"], ss, " ")
			options = ""
			# A key written into the entry has no one-line form: left to
			# the keys that apt trusts anyway.
			if (f["signed-by"] ~ /^\//)
				options = "signed-by=" f["signed-by"]
			if (f["trusted"] != "")
				options = options " trusted=" f["trusted"]
			if ((" " f["types"] " ") ~ / deb / && f["enabled"] !~ /^(no|false|0)$/)
				for (i = 1; i <= n; i++)
					for (j = 1; j <= m; j++)
						print "[" options "] " us[i] " " ss[j] " " f["components"]
			delete f
			key = ""
		}
		/^[ \t]*$/ { flush_entry(); next }
		/^#/ { next }
		/^[ \t]/ { f[key] = f[key] " " $0; next }
		{
			key = tolower(substr($0, 1, index($0, ":") - 1))
			value = substr($0, index($0, ":") + 1)
			sub(/^[ \t]+/, "", value)
			sub(/[ \t]+$/, "", value)
			f[key] = value
		}
		END { flush_entry() }'
}

# apt_carriers <package>: "<URI> <suite>" of the entries that carry the installed
# version of a package. Nothing where the machine's package lists have been
# deleted, as in container images.
apt_carriers() {
	local version
	version=$(dpkg-query -W -f '${Version}' "$1")
	LC_ALL=C apt-cache policy "$1" 2>/dev/null | awk -v v="$version" '
		$1 == "***" || ($2 ~ /^-?[0-9]+$/ && NF == 2) {
			take = ($1 == "***" ? $2 : $1) == v
			next
		}
		take && $2 ~ /:/ { sub(/\/[^\/]*$/, "", $3); print $2, $3 }'
}

# apt_entries_of <package>: the entries that carry its installed version, or all
# where that cannot be told (no lists, mirror lists).
apt_entries_of() {
	local all here entries
	all=$(apt_entries)
	here=$(apt_carriers "$1")
	entries=$(awk -v here="$here" '
		BEGIN {
			n = split(here, lines, "\n")
			for (i = 1; i <= n; i++)
				ok[lines[i]] = 1
		}
		{
			e = $0
			sub(/^\[[^]]*\] */, "", e)
			split(e, w, " ")
			sub(/\/$/, "", w[1])
			if ((w[1] " " w[2]) in ok || (w[1] "/ " w[2]) in ok)
				print
		}' <<<"$all")
	printf '%s\n' "${entries:-$all}"
}

# apt_init <folder> <deb|deb-src>: makes the private apt from entries on stdin.
apt_init() {
	private_apt=$1
	mkdir -p "$private_apt"/{lists/partial,cache/archives/partial}
	sed -e '/^$/d' -e 's/^\[ *\] *//' -e "s/^/$2 /" | sort -u >"$private_apt/sources.list"
	[ -s "$private_apt/sources.list" ]
}

# apt_run <apt-get arguments>
# As root, apt would fetch as the user _apt, who may not enter a build folder.
apt_run() {
	apt-get -q \
		-o Dir::Etc::sourcelist="$private_apt/sources.list" \
		-o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$private_apt/lists" \
		-o Dir::Cache="$private_apt/cache" \
		-o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none \
		-o Acquire::Retries=3 \
		"$@"
}
