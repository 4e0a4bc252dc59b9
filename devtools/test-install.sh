#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-install.sh <work folder> [compiler, gcc if not given]
#
# Installs the tree into a prefix that the dynamic linker does not search, and
# uses it as strangers do: the foreign projects of devtools/install-test in CMake
# and meson, the examples with their Makefiles, the drivers as plugins of stock
# DPDK tools. Every program has to open comch_shm0, without LD_LIBRARY_PATH. Then
# the installation is moved and uninstalled.
#
# Works in <work folder> only, but for plugins: EAL refuses them below folders
# that all may write to, then a copy lives in the home as long as the test. Of root,
# an installation also brings the cache of the dynamic linker up to date. The
# last line is "N passed, N failed"; each case's output is in <work folder>/logs.
# What needs no installation is in devtools/test.sh.

set -euo pipefail

usage() {
	echo "usage: $0 <work folder, made if it is not there> [compiler]" >&2
	exit 2
}

if [ $# = 0 ] || [ $# -gt 2 ] || [[ $1 == -* ]]; then
	usage
fi
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
compiler=${2:-gcc}
logs=$work/logs
build=$work/build
prefix=$work/prefix
at=$prefix # where the installation is now
projects=$work/projects
passed=0
failed=0
case_nr=0
plugins_copy=

# shellcheck disable=SC2317 # called by trap
clean_up() {
	[ -z "$plugins_copy" ] || rm -rf "$plugins_copy"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What a user may have set must not help.
unset LD_LIBRARY_PATH LD_RUN_PATH CFLAGS LDFLAGS DESTDIR MAKEFLAGS CMAKE_PREFIX_PATH
dpdk_pkg_config_path=${PKG_CONFIG_PATH:-}
export CC=$compiler

# --------------------------------------------------------------------------
# Cases

# check <name> <command>...: a case, which passes if the command does; "ok" tells.
# The command runs in a shell of its own that ends at the first error, which it
# would not after "if" or before "||".
check() {
	local name=$1 start=$SECONDS rc
	shift
	case_nr=$((case_nr + 1))
	log=$logs/$(printf '%02d' "$case_nr")-${name//[^A-Za-z0-9.+-]/_}.log
	printf '%-62s ' "$name"
	set +e
	(
		set -e
		"$@"
	) >"$log" 2>&1 </dev/null
	rc=$?
	set -e
	if [ "$rc" = 0 ]; then
		passed=$((passed + 1))
		ok=yes
		printf '%4d s  ok\n' $((SECONDS - start))
	else
		failed=$((failed + 1))
		ok=no
		printf '%4d s  FAILED, log: %s\n' $((SECONDS - start)) "$log"
		tail -n 25 "$log" | cut -c 1-500 | sed 's/^/    | /'
	fi
}

skip() { # <name> <reason>
	printf '%-62s    -    skipped: %s\n' "$1" "$2"
}

# --------------------------------------------------------------------------
# Programs

# The program starts with a comch_shm0 of its own.
open_shm() { # <program> [argument]...
	local run rc=0
	run=$(mktemp -d)
	timeout -k 5 60 "$1" --no-huge -m 64 --no-pci --no-telemetry \
		"--file-prefix=comch-install-$$" -l "$lcore" \
		--vdev "comch_shm0,role=dpu,path=$run,functions=pf0" "${@:2}" || rc=$?
	rm -rf "$run"
	return $rc
}

# A program that is linked as it should be does not show what it was meant to.
linked() { # <program> <shared|static>
	local needed
	needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(librte_.*\)\]/\1/p')
	echo "$1 needs:" "$needed"
	case $2 in
	shared) grep -q '^librte_comch_shm' <<<"$needed" && grep -q '^librte_eal' <<<"$needed" ;;
	static) [ -z "$needed" ] ;;
	esac
}

# --------------------------------------------------------------------------
# Foreign projects: <project> <variant> names a build folder.

copy_projects() {
	rm -rf "$projects"
	cp -r "$top/devtools/install-test" "$projects"
}

cmake_project() { # <project> <variant>
	cmake -S "$projects/$1" -B "$projects/$1/$2" "-DCMAKE_PREFIX_PATH=$at"
}

meson_project() { # <project> <variant>
	meson setup "$projects/$1/$2" "$projects/$1"
}

# Builds a program in a folder that is set up, and runs it.
foreign() { # <build folder> <shared|static>
	local program=foreign
	[ "$2" = shared ] || program=foreign-static
	if [ -e "$1/build.ninja" ]; then
		ninja -v -C "$1" $program
	else
		cmake --build "$1" --target $program --verbose
	fi
	linked "$1/$program" "$2"
	open_shm "$1/$program"
}

new_project() { # <cmake|meson> <project> <variant> <shared|static>...
	local how
	"$1_project" "$2" "$3"
	for how in "${@:4}"; do
		foreign "$projects/$2/$3" "$how"
	done
}

# An example as a user builds it: a copy of its installed folder beside that of what all
# share, its Makefile.
make_example() { # <example> <variant> <shared|static> [argument of make]...
	local dir=$projects/example-$1/$2 program out rc=0
	mkdir -p "$projects/example-$1"
	cp -r "$prefix/share/dpdk-comch/examples/$1" "$dir"
	cp -r "$prefix/share/dpdk-comch/examples/common" "$projects/example-$1"
	make -C "$dir" "$3" "${@:4}"
	program=$dir/build/$1
	linked "$program" "$3"
	if [ "$1" = ctrl_path ]; then
		out=$(open_shm "$program" -- -w 1) || rc=$?
		echo "$out"
		echo "exit status $rc"
		# Nobody comes: that is an error of the program's own.
		grep -q 'on comch_shm0 waits for a client' <<<"$out" && [ $rc = 1 ]
	else
		open_shm "$program" -- --help
	fi
}

# --------------------------------------------------------------------------
# Programs of the vendor's names: one variable turns them on, for a side of the card.

doca_folder() { # <host|dpu>
	[ "$1" = host ] && echo "$prefix/lib/dpdk-comch/doca/pkgconfig" ||
		echo "$prefix/lib/dpdk-comch/doca/pkgconfig-dpu"
}

doca_not_found() {
	local module
	for module in doca doca-common doca-comch doca-comm-channel doca-argp; do
		! PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --exists $module || return 1
	done
	[ -z "$(find "$prefix/lib" -maxdepth 1 -name 'libdoca*')" ]
	[ -z "$(find "$prefix/include/dpdk-comch" -maxdepth 1 -name 'doca*.h')" ]
}

# Runs by its run path, and is of the side that was asked for.
doca_run() { # <program> <host|dpu>
	local out want='Would connect by device'
	[ "$2" = host ] || want='Would serve representor b1:00.0 of device'
	out=$(timeout -k 5 60 "$1" -p 04:00.0 2>&1)
	echo "$out"
	grep -qF "$want 04:00.0" <<<"$out"
	ldd "$1" | grep -F "$prefix/lib/dpdk-comch/doca/libdoca_common.so"
}

doca_make() { # <host|dpu>
	local dir=$projects/doca-make-$1
	local -x PKG_CONFIG_PATH
	PKG_CONFIG_PATH=$(doca_folder "$1")
	cp -r "$prefix/share/dpdk-comch/examples/doca/argp_log" "$dir"
	make -C "$dir" "CC=$compiler"
	doca_run "$dir/build/argp_log" "$1"
}

# One program for each side: a server, and a client that sends it a message. Both run
# without anything that is set but a rendezvous of their own.
comch_pair() { # <program of the host> <program of the card>
	local out rc=0 side
	run=$(mktemp -d)
	trap 'kill "$server" 2>/dev/null || true; rm -rf "$run"' EXIT
	for side in "$1" "$2"; do
		ldd "$side" | grep -F "$prefix/lib/dpdk-comch/doca/" | grep -F libdoca_common.so
	done
	DOCA_COMPAT_PATH=$run timeout -k 5 60 "$2" 03:00.0 b1:00.0 >"$run/server" 2>&1 &
	server=$!
	DOCA_COMPAT_PATH=$run timeout -k 5 60 "$1" 03:00.0 || rc=$?
	wait "$server" || rc=$?
	cat "$run/server"
	grep -q 'received: hello from the host' "$run/server" && [ $rc = 0 ]
}

comch_project() { # <recipe> <host|dpu>: prints its folder, a copy
	local dir=$projects/comch-$1-$2
	cp -r "$projects/doca-comch" "$dir"
	cp "$dir/comch.c" "$dir/comch.cpp"
	echo "$dir"
}

# Each recipe prints the programs it has built, for a side.
comch_meson() { # <folder> <host|dpu>
	local out
	out=$(meson setup "$1/build" "$1")
	echo "$out" >&2
	grep -q "side: $2" <<<"$out"
	grep -q "libdir: $prefix/lib/dpdk-comch/doca" <<<"$out"
	ninja -v -C "$1/build" >&2
	echo "$1/build/comch" "$1/build/comch-cpp"
}

comch_cmake() { # <folder> <host|dpu>
	local out
	out=$(cmake -S "$1" -B "$1/build")
	echo "$out" >&2
	grep -q "libdir: $prefix/lib/dpdk-comch/doca" <<<"$out"
	cmake --build "$1/build" --verbose >&2
	echo "$1/build/comch" "$1/build/comch-cpp"
}

comch_umbrella() { # <folder> <host|dpu>
	make -C "$1" -f Makefile.umbrella "CC=$compiler" >&2
	echo "$1/comch"
}

# Programs of 1.5 to 2.2: the folder of the variable is another one.
comch_2_2() { # <folder> <host|dpu>
	local -x PKG_CONFIG_PATH=${PKG_CONFIG_PATH/%pkgconfig*/pkgconfig-2.2}
	[ "$2" = host ] || PKG_CONFIG_PATH+=-dpu
	make -C "$1" -f Makefile.umbrella endpoint_1_5 endpoint_2_2 "CC=$compiler" >&2
	echo "$1/endpoint_1_5" "$1/endpoint_2_2"
}

# Nothing is changed but the prefix.
comch_prefix() { # <folder> <host|dpu>
	local dir=$prefix/lib/dpdk-comch/doca/prefix
	[ "$2" = host ] || dir+=-dpu
	unset PKG_CONFIG_PATH
	sed -i "s|^DOCA_DIR = .*|DOCA_DIR = $dir|" "$1/Makefile.prefix"
	make -C "$1" -f Makefile.prefix "CC=$compiler" >&2
	echo "$1/comch"
}

comch_autoconf() { # <folder> <host|dpu>
	local dir=$prefix/lib/dpdk-comch/doca/prefix lib
	[ "$2" = host ] || dir+=-dpu
	lib=$dir/lib/$(uname -m)-linux-gnu
	unset PKG_CONFIG_PATH
	export CPPFLAGS="-I$dir/include" LDFLAGS="-L$lib -Wl,-rpath,$lib"
	(cd "$1" && autoconf && ./configure) >&2
	make -C "$1" >&2
	echo "$1/endpoint"
}

comch_recipe() { # <recipe>
	local side dir i
	local -a host dpu
	for side in host dpu; do
		dir=$(comch_project "$1" $side)
		PKG_CONFIG_PATH=$(doca_folder $side) "comch_$1" "$dir" $side >"$dir/programs"
	done
	read -ra host <"$projects/comch-$1-host/programs"
	read -ra dpu <"$projects/comch-$1-dpu/programs"
	for i in "${!host[@]}"; do
		(comch_pair "${host[$i]}" "${dpu[$i]}")
	done
}

# The program that CMake has installed.
cmake_installed() {
	cmake --install "$projects/foreign-cmake/plain" --prefix "$work/foreign-prefix" \
		--component Unspecified
	open_shm "$work/foreign-prefix/bin/foreign"
}

# Both would bring DPDK twice, and the program would end at its start.
both_targets() {
	local project=$projects/foreign-cmake-both out
	mkdir -p "$project"
	cat >"$project/CMakeLists.txt" <<-'EOF_PROJECT'
		cmake_minimum_required(VERSION 3.18)
		project(foreign C)
		find_package(dpdk-comch CONFIG REQUIRED)
		add_executable(foreign ../main.c)
		target_link_libraries(foreign PRIVATE dpdk-comch::comch dpdk-comch::comch_static)
	EOF_PROJECT
	out=$(cmake_project foreign-cmake-both build 2>&1) && return 1
	echo "$out"
	grep -q 'DPDK_COMCH_LINKAGE' <<<"$out"
}

# Versions that it is, and is not.
versions() {
	local project=$projects/foreign-cmake-version have version wanted
	have=$(cat "$top/VERSION")
	mkdir -p "$project"
	cat >"$project/CMakeLists.txt" <<-'EOF_PROJECT'
		cmake_minimum_required(VERSION 3.19)
		project(foreign C)
		find_package(dpdk-comch ${WANTED} CONFIG)
		file(WRITE ${CMAKE_BINARY_DIR}/found "${dpdk-comch_FOUND}")
	EOF_PROJECT
	while read -r version wanted; do
		cmake -S "$project" -B "$project/build" "-DCMAKE_PREFIX_PATH=$at" "-DWANTED=$version"
		echo "$version: $(cat "$project/build/found")"
		[ "$(cat "$project/build/found")" = "$wanted" ]
	done <<-EOF_VERSIONS
		$have 1
		22.11 1
		99 0
		22...99 1
		22...<$have 0
		22...$have 1
	EOF_VERSIONS
}

no_dpdk() {
	local out
	out=$(PKG_CONFIG_LIBDIR=/nonexistent PKG_CONFIG_PATH='' \
		cmake_project foreign-cmake no-dpdk 2>&1) && return 1
	echo "$out"
	grep -q 'pkg-config finds no libdpdk' <<<"$out"
}

moved() {
	local flags
	mv "$prefix" "$work/moved"
	trap 'mv "$work/moved" "$prefix"' EXIT
	at=$work/moved
	cmake_project foreign-cmake moved
	foreign "$projects/foreign-cmake/moved" shared
	# DPDK's own file may not bear this: its folders are not always below a prefix.
	flags=$(PKG_CONFIG_PATH=$at/lib/pkgconfig pkg-config --define-prefix --libs librte_comch-libs)
	echo "$flags"
	! grep -F "$prefix/" <<<"$flags" || return 1
	grep -F -e "-L$at/lib -lrte_comch" <<<"$flags"
	grep -F -e ",-L$at/lib," <<<"$flags"
}

# --------------------------------------------------------------------------
# Installation

build_tree() {
	rm -rf "$build" "$prefix"
	meson setup "$build" "$top" --prefix "$prefix" --libdir lib -Dwerror=true \
		-Dtests=false -Dcheck_includes=false -Dbluefield_model=disabled
	ninja -C "$build"
}

# To a pipe; the log is a file.
install_tree() {
	ninja -C "$build" install | cat
}

hints() { # <log of the setup> <log of the installation>
	local wanted
	for wanted in "export PKG_CONFIG_PATH=$prefix/lib/pkgconfig" \
		"export LD_LIBRARY_PATH=$prefix/lib"; do
		grep -F "$wanted" "$1"
		grep -F "$wanted" "$2"
	done
}

hints_not_in_file() {
	ninja -C "$build" install >"$work/install.out"
	cat "$work/install.out"
	grep -q 'Running custom install script' "$work/install.out"
	! grep -vE '^(ninja: |\[|Installing |Running |$)' "$work/install.out" || return 1
}

nothing_left() { # <folder>
	local left
	left=$(find "$1" ! -type d 2>/dev/null || true)
	echo "left:" "$left"
	[ -z "$left" ]
}

uninstall() {
	ninja -C "$build" uninstall
	nothing_left "$prefix"
}

# The same build folder with other options: only the programs are linked anew.
shared_programs() {
	meson configure "$build" -Ddefault_library=shared
	ninja -C "$build" install
	linked "$prefix/bin/dpdk-test-comch" shared
	open_shm "$prefix/bin/dpdk-test-comch" -- --help
}

staged() {
	rm -rf "$work/stage"
	DESTDIR=$work/stage ninja -C "$build" install
	[ -e "$work/stage$prefix/lib/librte_comch.so" ]
	ninja -C "$build" uninstall
	nothing_left "$work/stage"
}

# --------------------------------------------------------------------------
# Plugins

# EAL takes no plugin below a folder that all may write to.
secure_path() {
	local d=$1
	while :; do
		[ -z "$(find "$d" -maxdepth 0 -perm -o+w)" ] || return 1
		[ "$d" != / ] || return 0
		d=$(dirname "$d")
	done
}

plugin_test() { # <what -d gets>...
	local args=() plugin listed='"/comch/list": *\[.*[0-9]' i rc=0
	for plugin in "$@"; do
		args+=(-d "$plugin")
	done
	# The trap uses them when this function has ended.
	plugin_prefix=comch-install-plugin-$$
	plugin_run=$(mktemp -d)
	plugin_pid=
	trap '[ -z "$plugin_pid" ] || kill "$plugin_pid" 2>/dev/null || true; rm -rf "$plugin_run"' EXIT
	trap '' PIPE # testpmd may end before it is told to
	mkfifo "$plugin_run/stdin"
	# testpmd ends at the end of its input: held open until we are done.
	timeout -k 5 60 dpdk-testpmd --no-huge -m 256 --no-pci "--file-prefix=$plugin_prefix" \
		--lcores "(0-1)@$lcore" "${args[@]}" --vdev net_null0 \
		--vdev "comch_shm0,role=dpu,path=$plugin_run,functions=pf0" \
		-- --interactive --total-num-mbufs=2048 <"$plugin_run/stdin" >"$plugin_run/log" 2>&1 &
	plugin_pid=$!
	exec 8>"$plugin_run/stdin"
	answer=
	for i in $(seq 50); do
		answer=$(echo /comch/list | timeout 5 dpdk-telemetry.py -f "$plugin_prefix" 2>&1 |
			tr -d '\n' || true)
		! grep -q "$listed" <<<"$answer" || break
		kill -0 "$plugin_pid" 2>/dev/null || break
		sleep 0.2
	done
	echo quit >&8 || true
	exec 8>&-
	wait "$plugin_pid" || rc=$?
	plugin_pid=
	cat "$plugin_run/log"
	echo "testpmd: exit status $rc"
	echo "attempts: $i; telemetry: $answer"
	grep -q "$listed" <<<"$answer" && [ $rc = 0 ]
}

pmdinfo() { # <driver> <pattern that its information has>...
	local out pattern
	# By this interpreter: another python3 before it in PATH lacks pyelftools.
	out=$(timeout 60 /usr/bin/python3 "$(command -v dpdk-pmdinfo.py)" "$1" | tr -d '\n')
	echo "$out"
	for pattern in "${@:2}"; do
		grep -q "$pattern" <<<"$out" || {
			echo "not there: $pattern"
			return 1
		}
	done
}

plugin_cases() {
	local plugins=$prefix/lib
	if ! secure_path "$plugins"; then
		# Somebody's checkout below /tmp: try a private folder in the home.
		if plugins_copy=$(mktemp -d "${HOME:-/nonexistent}/.comch-test.XXXXXX" 2>/dev/null); then
			plugins=$plugins_copy
			mkdir "$plugins/lib"
			plugins+=/lib
			cp -a "$prefix"/lib/librte_comch*.so* "$plugins"
		fi
	fi
	if ! command -v dpdk-testpmd >/dev/null || ! command -v dpdk-telemetry.py >/dev/null; then
		skip 'plugins of dpdk-testpmd' 'no dpdk-testpmd or dpdk-telemetry.py here'
	elif secure_path "$plugins"; then
		check 'plugins of dpdk-testpmd' plugin_test \
			"$plugins/librte_comch_bluefield.so" "$plugins/librte_comch_shm.so"
	else
		skip 'plugins of dpdk-testpmd' \
			"EAL takes no plugins below world-writable folders ($plugins)"
	fi
	if ! command -v dpdk-pmdinfo.py >/dev/null; then
		skip 'dpdk-pmdinfo.py' 'it is not here'
		return
	fi
	check 'dpdk-pmdinfo.py, shm' pmdinfo "$plugins/librte_comch_shm.so" \
		'"name": *"comch_shm"'
	check 'dpdk-pmdinfo.py, bluefield' pmdinfo "$plugins/librte_comch_bluefield.so" \
		'"name": *"comch_bluefield"' '"vendor": *"15b3", *"device": *"a2d6"' \
		'"vendor": *"15b3", *"device": *"a2dc"' '"vendor": *"15b3", *"device": *"101e"' \
		'vfio-pci'
}

# --------------------------------------------------------------------------

# with_flags <flags of the linker> <command>...
with_flags() {
	export LDFLAGS=$1
	"${@:2}"
}

# Another linker, with the build systems that sort flags and with the one that
# does not.
other_linker() { # <compiler> <linker>
	export CC=$1
	with_flags "-fuse-ld=$2" new_project cmake foreign-cmake "$2" shared static
	make_example ctrl_path "$2" shared "CC=$1" "LDFLAGS=-fuse-ld=$2"
}

linker_case() { # <compiler> <linker>
	local name="$1 with the linker $2, CMake and make"
	if ! command -v "$1" >/dev/null; then
		skip "$name" "no $1 here"
	elif ! echo 'int main(void) { return 0; }' |
		"$1" "-fuse-ld=$2" -x c -o "$work/linker-works" - 2>/dev/null; then
		skip "$name" "$1 finds no linker $2"
	else
		check "$name" other_linker "$1" "$2"
	fi
}

for tool in autoconf cmake make meson ninja pkg-config readelf "$compiler"; do
	command -v "$tool" >/dev/null || {
		echo "test-install: no $tool; see devtools/setup.sh test" >&2
		exit 2
	}
done
exec 9>"$work/lock"
flock -n 9 || {
	echo "test-install: another run works in $work" >&2
	exit 2
}
rm -rf "$logs" "$work/moved" "$work/stage" "$work/foreign-prefix"
mkdir -p "$logs"
copy_projects
# The first CPU that this process may use.
lcore=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

check "build: $compiler" build_tree
if [ $ok = yes ]; then
	build_log=$log
	check 'install' install_tree
	install_log=$log
	check 'hints are seen: summary, and output of ninja to a pipe' hints \
		"$build_log" "$install_log"
	check 'hints do not spoil a file' hints_not_in_file

	# CMake looks for pkg-config files below its prefix path too; make and meson
	# need the variable.
	check 'CMake, pkg_check_modules, shared' \
		new_project cmake foreign-cmake-pkgconfig plain shared
	check 'CMake, pkg_check_modules, static' \
		foreign "$projects/foreign-cmake-pkgconfig/plain" static
	check 'CMake, find_package, shared' new_project cmake foreign-cmake plain shared
	check 'CMake, find_package, static' foreign "$projects/foreign-cmake/plain" static
	check 'CMake, installed program' cmake_installed
	check 'CMake, find_package says that DPDK is missing' no_dpdk
	check 'CMake, find_package refuses both targets' both_targets
	check 'CMake, find_package and versions' versions

	export PKG_CONFIG_PATH=$prefix/lib/pkgconfig${dpdk_pkg_config_path:+:$dpdk_pkg_config_path}
	check 'meson, shared' new_project meson foreign-meson plain shared
	check 'meson, static' foreign "$projects/foreign-meson/plain" static
	for example in "$prefix"/share/dpdk-comch/examples/*/; do
		example=$(basename "$example")
		# doca: see below
		[[ $example != doca && $example != common ]] || continue
		for how in shared static; do
			check "make, example $example, $how" \
				make_example "$example" $how $how "CC=$compiler"
		done
	done

	if [ -d "$prefix/lib/dpdk-comch/doca" ]; then
		check "vendor's names, nobody finds them unless asked" doca_not_found
		for how in host dpu; do
			check "vendor's names, make, $how" doca_make $how
		done
		for how in meson cmake umbrella 2_2 prefix autoconf; do
			check "vendor's names, comch, $how, both sides" comch_recipe $how
		done
		check "vendor's names, comch-dpacc" "$prefix/bin/comch-dpacc" \
			--app-name=test_prog -o "$projects/libtest_prog.a" \
			"$top/app/test-doca/dpa/test_dpa_prog.c" -Wall -Wextra -Werror
	else
		skip "vendor's names" 'lib/doca_compat is not built'
	fi

	as_needed=-Wl,--as-needed
	check 'CMake, find_package, shared, --as-needed' with_flags $as_needed \
		new_project cmake foreign-cmake as-needed shared
	check 'meson, shared, --as-needed' with_flags $as_needed \
		new_project meson foreign-meson as-needed shared
	check 'make, example ctrl_path, shared, --as-needed' with_flags $as_needed \
		make_example ctrl_path as-needed shared "CC=$compiler"

	linker_case gcc gold
	linker_case clang lld

	plugin_cases
	check 'installation moved, CMake package and pkg-config' moved
	check 'uninstall leaves no file' uninstall
	check 'programs with shared libraries' shared_programs
	check 'install and uninstall below DESTDIR' staged
fi

echo
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s, logs in $logs"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
