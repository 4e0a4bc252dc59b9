# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by test.sh and step.sh: builds of the tree and their tests, and builds that other
# scripts make: installed, with DPDK's source, on a bare system, documentation.
#
# Uses $top, $work, $logs, $jobs, and $reuse: whether a build folder of an
# earlier run is taken where it has the same options.

# The lcores that this process may use, at most four.
lcores=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 4 | paste -sd,)

# No hugepages, no PCI, a prefix of its own: runs anywhere, beside anything.
eal_args() { # <prefix> <lcores>
	echo --no-huge -m 256 --no-pci "--file-prefix=comch-test-$1-$$" --lcores "$2"
}

# Spares each build the fetching. A build that needs what could not be had fails by
# itself.
fetch_shared() {
	"$top/devtools/get-libvfio-user.sh" "$work" || true
}

# What was fetched once for all builds; what could not be had is not there.
seed_build() { # <name>
	mkdir -p "$work/$1"
	[ ! -d "$work/libvfio-user" ] || cp -r "$work/libvfio-user" "$work/$1/"
}

build() { # <name> <compiler> <meson options>...
	local name=$1 compiler=$2 cxx=g++ options
	# A kept folder would go on with the former defaults of the project.
	options="${*:2} $(cat "$top/meson.build" "$top/meson_options.txt" | sha1sum)"
	shift 2
	[ "$compiler" != clang ] || cxx=clang++
	if [ "$reuse" = no ] || [ "$(cat "$work/$name.options" 2>/dev/null)" != "$options" ] ||
		[ ! -e "$work/$name/build.ninja" ]; then
		rm -rf "${work:?}/$name" "$work/$name.options"
		seed_build "$name"
		CC=$compiler CXX=$cxx meson setup "$work/$name" "$top" -Dwerror=true "$@" || return 1
		echo "$options" >"$work/$name.options"
	fi
	ninja -j "$jobs" -C "$work/$name"
}

# shellcheck disable=SC2034 # for the plan
sanitize=('-Db_sanitize=address,undefined' -Db_lundef=false -Dbuildtype=debugoptimized)

# shellcheck disable=SC2034 # for the plan
tsan=(-Db_sanitize=thread -Db_lundef=false -Dbuildtype=debugoptimized
	"-Dc_args=['-include', '$top/devtools/tsan.h']"
	-Dbluefield_model=disabled -Dcheck_includes=false -Dexamples=false)

# with_tsan <command>...: a program with a finding ends with an exit status of its own.
with_tsan() {
	local entries
	entries=$(grep -cE '^[a-z_]+:' "$top/devtools/tsan.supp") || true
	if [ "$entries" -gt 10 ]; then
		echo "devtools/tsan.supp has $entries entries, at most 10 are allowed"
		return 1
	fi
	# A test that forks goes on with threads in the child. A process of these is one
	# case: the second that each waits for late findings when it ends is most of its time.
	local -x TSAN_OPTIONS=suppressions=$top/devtools/tsan.supp:die_after_fork=0:history_size=4
	TSAN_OPTIONS+=:atexit_sleep_ms=100
	"$@"
}

# tests <build> <arguments of meson test>...: the tests of a build, see meson.build here.
tests() {
	"$top/devtools/test/run-suites.py" "$work/$1" "$logs/$1" "${@:2}"
}

# The suites of the BlueField driver where its software is not built: all cases that need
# it are skipped. Those that need it nowhere, and take long, are left out.
autotests_no_model() { # <build>
	local listed
	# shellcheck disable=SC2046 # words on purpose
	listed=$("$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") --no-telemetry -- --list |
		grep -oE '^bluefield_[a-z0-9_]*autotest' | grep -vE '_(args|evil.*|regress)_autotest')
	# shellcheck disable=SC2086 # words on purpose
	COMCH_BLUEFIELD_MODEL=/nowhere autotest_once "$1" ${listed//$'\n'/ }
}

# Does the compiler's ThreadSanitizer, with what we tell it, find anything at all? Puts
# each race of devtools/tsan-races into a copy of the tree, and wants it found: by the
# fifth look, as it sees two accesses only if no other order lies between them.
races_found() {
	local name=tsan-races race suites look found=0 missed=0
	local dir=$work/$name tree=$work/$name-tree
	rm -rf "$dir" "$tree"
	mkdir -p "$tree"
	# shellcheck source-path=SCRIPTDIR source=../tree-files.sh
	(cd "$top" && . devtools/tree-files.sh && tree_files '*' &&
		cp --parents -P -t "$tree" "${files[@]}")
	seed_build $name
	CC=clang CXX=clang++ meson setup "$dir" "$tree" -Dwerror=true "${tsan[@]}"
	for race in "$top"/devtools/tsan-races/*.patch; do
		patch -d "$tree" -p1 <"$race"
		ninja -j "$jobs" -C "$dir" app/comch-autotest
		suites=$(sed -n 's/^Test: //p' "$race")
		# shellcheck disable=SC2086 # words on purpose
		for ((look = 1; look <= 5; look++)); do
			with_tsan autotest_once $name $suites >"$dir/out" 2>&1 || true
			! grep -q 'WARNING: ThreadSanitizer: data race' "$dir/out" || break
		done
		if [ $look -le 5 ]; then
			found=$((found + 1))
			grep 'SUMMARY: ThreadSanitizer' "$dir/out" | sort | uniq -c
		else
			missed=$((missed + 1))
			cat "$dir/out"
			echo "not found: $(sed -n 's/^Race: //p' "$race")"
		fi
		patch -d "$tree" -p1 -R <"$race"
	done
	echo "$found passed, $missed failed"
	[ $missed = 0 ]
}

autotest_once() { # <build> <suite>...
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 10 900 "$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") -- \
		"${@:2}"
}

# --------------------------------------------------------------------------

installation() {
	seed_build install-test
	"$top/devtools/test-install.sh" "$work/install-test"
}

# The installed release: the test of other releases is tested with it.
release_from_source() {
	local d=$work
	# EAL loads drivers from there.
	while [ "$d" != / ]; do
		[ -z "$(find "$d" -maxdepth 0 -perm -o+w)" ] || {
			echo "all may write to $d, and EAL takes no drivers below it"
			return 77
		}
		d=$(dirname "$d")
	done
	"$top/devtools/get-dpdk-source.sh" "$work/dpdk-source"
	"$top/devtools/test-release.sh" "$work/dpdk-source/tree" "$work/release"
}

# A user's build fetches nothing that it cannot do without, and no warning ends it. DPDK's
# driver headers are declared in the tree, and a release whose are not is refused.
without_network() {
	local dir=$work/offline offline=(unshare --net)
	[ "$(id -u)" = 0 ] || offline+=(--map-root-user)
	"${offline[@]}" true || {
		echo 'no network namespace can be made here'
		return 77
	}
	rm -rf "$dir"
	mkdir -p "$dir"
	"${offline[@]}" meson setup "$dir/build" "$top" | tee "$dir/log"
	grep -q 'app/bluefield-model *: libvfio-user not to be had' "$dir/log"
	! grep -o -m 1 -e '.* -Werror\>.*' "$dir/build/build.ninja" || return 1
	if grep -q 'driver headers *: installed with DPDK' "$dir/log"; then
		echo 'DPDK has its driver headers here: what is declared in the tree is not used'
		return 77
	fi

	sed -e 's/^Version:.*/Version: 99.11.0/' -e "s|^Cflags:|& -I$dir|" \
		"$(pkg-config --variable=pcfiledir libdpdk)/libdpdk.pc" >"$dir/libdpdk.pc"
	printf '%s\n' '#include_next <rte_build_config.h>' '#undef RTE_VER_YEAR' \
		'#define RTE_VER_YEAR 99' >"$dir/rte_build_config.h"
	! PKG_CONFIG_PATH=$dir meson setup "$dir/unknown" "$top" >"$dir/log" || return 1
	grep 'DPDK 99.11.0 came without its driver headers' "$dir/log"
	grep 'Either build DPDK with -Denable_driver_sdk=true' "$dir/log"
}

build_docs() {
	# Sphinx of the distribution, not of another python3 before it in PATH.
	local PATH=/usr/bin:$PATH
	rm -rf "$work/docs"
	mkdir -p "$work/docs"
	cp -rs /usr/bin "$work/docs/bin"
	rm "$work/docs/bin/doxygen"
	! PATH=$work/docs/bin meson setup "$work/docs/none" "$top" -Ddocs=true \
		-Dbluefield_model=disabled >"$work/docs/log" || return 1
	grep 'ERROR: .*docs=true needs doxygen' "$work/docs/log"
	meson setup "$work/docs" "$top" -Ddocs=true -Dwerror=true -Dcheck_includes=false \
		-Dbluefield_model=disabled && ninja -C "$work/docs" doc
}

bare_debian() { # <suite>
	if [ "$(id -u)" != 0 ]; then
		echo 'only root can install a Debian and change into it'
		return 77
	fi
	"$top/devtools/test-bare.sh" "$work/bare-$1" "$1"
}
