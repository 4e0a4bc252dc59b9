# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by scripts that take a file out of a Debian package which is not to be
# installed. apt gets sources, lists and a cache of its own in one folder, so
# that an ordinary user can run it and nothing outside of the folder is written.
# The sources are those the machine has.

# apt_init <folder> <deb|deb-src> [release]: makes the private apt, of packages for any
# architecture or of their sources. Sets the array "private_apt", its options. With a
# release, Debian's name of it, the sources are those of that one.
apt_init() {
	local parts main f here
	# shellcheck source=/dev/null
	here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	eval "$(apt-config shell parts Dir::Etc::sourceparts/d main Dir::Etc::sourcelist/f)"
	mkdir -p "$1"/{lists/partial,cache/archives/partial,sources}
	for f in "$main" "$parts"/*.list "$parts"/*.sources; do
		[ ! -r "$f" ] || sed -E "/^deb-src/d; s/^deb[[:space:]]/$2 /
			/^deb/s/arch[+-]?=[^] ]*//; s/^(deb|deb-src) +\[ *\]/\1/
			s/^Types:.*/Types: $2/I; /^Architectures:/Id; s/\b$here\b/${3:-$here}/g" "$f" \
			>"$1/sources/${f##*/}"
	done
	private_apt=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$1/sources"
		-o "Dir::State::lists=$1/lists" -o "Dir::Cache=$1/cache")
}

# apt_run <apt-get arguments>
# As root, apt would fetch as the user _apt, who may not enter a build folder.
apt_run() {
	apt-get -q "${private_apt[@]}" -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# apt_source <folder> <package>=<version>: takes the files of a source package there.
# Prints nothing but what went wrong.
apt_source() {
	apt_init "$1/apt" deb-src
	{
		apt_run update || true # a foreign source may fail
		mkdir -p "$1/source"
		(cd "$1/source" && apt_run source --download-only "$2")
	} >"$1/log" 2>&1 || {
		cat "$1/log" >&2
		return 1
	}
}
