#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Builds and tests everything, with no argument and with no card: compilers,
# ways to link, sanitizers, autotests, checks of the sources, examples against
# the installed libraries, the driver as a plugin of stock DPDK tools, docs,
# and a compilation for the Arm cores of a card.
#
# Works in build-test/ only; each step's output is in build-test/logs/. Prints
# what is skipped and why. The last line is "N passed, N failed": every autotest
# counts as one, and so does every other step.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
work=$top/build-test
logs=$work/logs
jobs=$(nproc)
passed=0
failed=0
step_nr=0
helper_pids=()

# shellcheck disable=SC2317 # called by trap
clean_up() {
	local pid
	trap - EXIT INT TERM
	for pid in "${helper_pids[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --------------------------------------------------------------------------
# Steps

start_step() { # <name>
	step_nr=$((step_nr + 1))
	log=$logs/$(printf '%02d' "$step_nr")-${1//[^A-Za-z0-9.+-]/_}.log
	printf '%-58s ' "$1"
	step_start=$SECONDS
}

end_step() { # <result>
	printf '%4d s  %s\n' $((SECONDS - step_start)) "$1"
}

fail_step() {
	failed=$((failed + ${1:-1}))
	end_step "FAILED${2:+ ($2)}, log: ${log#"$top"/}"
	tail -n 25 "$log" | sed 's/^/    | /'
}

# step <name> <command>...: passes if the command does.
step() {
	local name=$1
	shift
	start_step "$name"
	if "$@" >"$log" 2>&1 </dev/null; then
		passed=$((passed + 1))
		end_step ok
	else
		fail_step
		return 1
	fi
}

# step_counted <name> <command>...: the command's last "N passed, N failed" counts.
step_counted() {
	local name=$1 rc=0 counts p f
	shift
	start_step "$name"
	"$@" >"$log" 2>&1 </dev/null || rc=$?
	counts=$(grep -Eo '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 || true)
	p=${counts%% passed*}
	f=${counts##*, }
	f=${f%% failed*}
	if [ -z "$counts" ]; then
		fail_step 1 "no result, exit status $rc"
		return 1
	fi
	passed=$((passed + p))
	# Dying after the last test is a failure of its own.
	if [ "$rc" != 0 ] && [ "$f" = 0 ]; then
		fail_step 1 "$counts, but exit status $rc"
		return 1
	elif [ "$f" != 0 ]; then
		fail_step "$f" "$counts"
		return 1
	fi
	end_step "$counts"
}

skip() { # <name> <reason>
	printf '%-58s    -    skipped: %s\n' "$1" "$2"
}

# --------------------------------------------------------------------------
# Command lines of the programs under test

# No hugepages, no PCI, a prefix of its own: runs anywhere, beside anything.
eal_args() { # <prefix> <lcores>
	echo --no-huge -m 256 --no-pci "--file-prefix=comch-test-$1-$$" --lcores "$2"
}

# Suites that start processes, kill them and wait for time limits. How programs
# are linked is nothing to them.
slow_suites='bluefield_evil bluefield_evil_fw bluefield_evil_info bluefield_fail bluefield_obj bluefield_obj_fail'
slow_suites+=' bluefield_regress comch_event comch_fp_process comch_process'
slow_suites+=' shm_peer_fast_life shm_peer_fast_mem'

# The suites but these, as arguments.
quick_suites() { # <build>
	local slow=$slow_suites
	# shellcheck disable=SC2046 # words on purpose
	"$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") --no-telemetry -- --list 2>/dev/null |
		grep -oE '^[a-z_]+_autotest' | grep -vxE "(${slow// /|})_autotest"
}

run_autotests() { # <build> [<suite>...]
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 10 600 "$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") -- "${@:2}"
}

# --------------------------------------------------------------------------
# Builds: <name> <compiler> <meson options>...

# What is fetched once for all builds; what could not be had is not there.
seed_build() { # <name>
	local what
	mkdir -p "$work/$1"
	for what in dpdk-sdk libvfio-user; do
		[ ! -d "$work/$what" ] || cp -r "$work/$what" "$work/$1/"
	done
}

build() {
	local name=$1 compiler=$2 cxx
	shift 2
	case $compiler in
	clang) cxx=clang++ ;;
	*) cxx=g++ ;;
	esac
	rm -rf "${work:?}/$name"
	seed_build "$name"
	CC=$compiler CXX=$cxx meson setup "$work/$name" "$top" "$@" &&
		ninja -j "$jobs" -C "$work/$name"
}

build_and_test() { # <name> <compiler> <meson options>...
	local name=$1 suites
	step "build $name: $2 ${*:3}" build "$@" || return 0
	if [ -x "$work/$name/app/comch-autotest" ]; then
		if [ "${quick:-}" = 1 ]; then
			mapfile -t suites < <(quick_suites "$name")
			skip "slow suites $name" "run with gcc and gcc-sanitize: $slow_suites"
		else
			suites=()
		fi
		step_counted "autotests $name" run_autotests "$name" "${suites[@]}" || true
	else
		skip "autotests $name" 'app/test is not in the tree'
	fi
}

# --------------------------------------------------------------------------
# Steps that are more than one command

install_tree() {
	rm -rf "$work/installed"
	build install gcc --prefix "$work/installed" --libdir lib \
		-Dcheck_includes=false -Dtests=false &&
		ninja -C "$work/install" install
}

# An example as a user builds it: a copy of its installed folder, its Makefile,
# the installed pkg-config file.
make_example() { # <name> <shared|static>
	local dir=$work/examples/$1-$2
	rm -rf "$dir"
	mkdir -p "$work/examples"
	cp -r "$work/installed/share/dpdk-comch/examples/$1" "$dir"
	PKG_CONFIG_PATH=$work/installed/lib/pkgconfig make -C "$dir" "$2"
	[ -n "$(find "$dir/build" -type f -perm -u+x -print -quit)" ]
}

# EAL takes no plugin below a folder that all may write to.
secure_path() {
	local d=$1
	while :; do
		[ -z "$(find "$d" -maxdepth 0 -perm -o+w)" ] || return 1
		[ "$d" != / ] || return 0
		d=$(dirname "$d")
	done
}

plugin_test() { # <folder of the libraries>
	local prefix=comch-test-plugin-$$ run pid answer i
	run=$(mktemp -d)
	mkfifo "$run/stdin"
	# testpmd ends at the end of its input: held open until we are done.
	# shellcheck disable=SC2046 # words on purpose
	LD_LIBRARY_PATH=$1 dpdk-testpmd $(eal_args plugin "$lcores") \
		-d "$1/librte_comch_bluefield.so" -d "$1/librte_comch_shm.so" --vdev net_null0 \
		--vdev "comch_shm0,role=dpu,path=$run,functions=pf0" \
		-- --interactive --total-num-mbufs=2048 <"$run/stdin" >"$run/log" 2>&1 &
	pid=$!
	helper_pids+=("$pid")
	exec 8>"$run/stdin"
	answer=
	for i in $(seq 50); do
		answer=$(echo /comch/list | timeout 5 dpdk-telemetry.py -f "$prefix" 2>&1 || true)
		! grep -q '"/comch/list": *\[.*[0-9]' <<<"$(tr -d '\n' <<<"$answer")" || break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.2
	done
	echo quit >&8 || true
	exec 8>&-
	wait "$pid" || echo "testpmd: exit status $?"
	cat "$run/log"
	echo "attempts: $i; telemetry: $answer"
	rm -rf "$run"
	grep -q '"/comch/list": *\[.*[0-9]' <<<"$(tr -d '\n' <<<"$answer")"
}

pmdinfo() { # <driver> <pattern that its information has>...
	local out pattern
	# By this interpreter: another python3 before it in PATH lacks pyelftools.
	out=$(/usr/bin/python3 "$(command -v dpdk-pmdinfo.py)" "$1")
	echo "$out"
	shift
	for pattern in "$@"; do
		grep -q "$pattern" <<<"$(tr -d '\n' <<<"$out")" || {
			echo "not there: $pattern"
			return 1
		}
	done
}

# The default must be where pkg-config and the loader look, not lib64.
library_folder() {
	local dir
	[ -e /etc/debian_version ] || return 0
	dir=$(meson configure "$work/gcc" | awk '$1 == "libdir" { print $2 }')
	echo "libdir $dir"
	[ "$dir" = "lib/$(gcc -print-multiarch)" ]
}

# two_processes <program> <options of the card's side> -- <of the host's side>:
# both have to end well, in a rendezvous of their own. With maps=threads each has
# three lcores on its CPU.
two_processes() {
	local program=$1 run server rc=0 card=()
	local card_lcores=${lcores%%,*} host_lcores=${lcores##*,}
	if [ "${maps:-}" = threads ]; then
		card_lcores="(0-2)@$card_lcores"
		host_lcores="(0-2)@$host_lcores"
	fi
	shift
	while [ "$1" != -- ]; do
		card+=("$1")
		shift
	done
	shift
	run=$(mktemp -d)
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 100 "$program" $(eal_args card "$card_lcores") --no-telemetry \
		--vdev "comch_shm0,role=dpu,path=$run" -- "${card[@]}" &
	server=$!
	# shellcheck disable=SC2046
	timeout -k 5 100 "$program" $(eal_args host "$host_lcores") --no-telemetry \
		--vdev "comch_shm0,role=host,path=$run" -- "$@" || rc=1
	wait "$server" || rc=1
	rm -rf "$run"
	return $rc
}

benchmark() {
	two_processes "$work/gcc/app/dpdk-test-comch" --server --once -- \
		--client --validate --duration 0.5 --rounds 3 --json "$work/logs/benchmark.json" &&
		/usr/bin/python3 -m json.tool "$work/logs/benchmark.json" >/dev/null
}

# Each mistake in an INI file has to be named with its place, and nothing may
# run. No device is needed for that: the file comes first.
config_errors() {
	local dir out rc name text want bad=0
	dir=$(mktemp -d)
	while IFS='|' read -r name text want; do
		printf '%b\n' "$text" >"$dir/$name.ini"
		rc=0
		# shellcheck disable=SC2046 # words on purpose
		out=$(timeout -k 5 60 "$work/gcc/app/dpdk-test-comch" \
			$(eal_args ini "${lcores%%,*}") --no-telemetry -- \
			--config "$dir/$name.ini" 2>&1) || rc=$?
		if [ "$rc" != 1 ] || ! grep -qF "$name.ini: $want" <<<"$out" ||
			! grep -qF 'nothing is run' <<<"$out"; then
			echo "$name: exit status $rc, and not: $want"
			echo "$out"
			bad=1
		fi
	done <<-'EOF'
		key|[case1]\ntest=ctrl-lat\nsiez=64|[case1] siez: there is no such key
		value|[GLOBAL]\nrounds=0\n[case1]|[GLOBAL] rounds: '0' is not valid
		sweep|[case1]\nsize=64,32,2,MUL|[case1] size: '64,32,2,MUL' is not valid
		test|[case1]\ntest=nothing|[case1] test: 'nothing' is not valid: the tests are
		flag|[case1]\nvalidate=maybe|[case1] validate: 'maybe' is not valid
		together|[case1]\ncount=3|[case1] count: 3 is fewer than
		section|[case1]\n[cases]|[cases]: there is no such section
		key-twice|[case1]\nsize=64\nsize=65|[case1] size: it is there twice
		section-twice|[case1]\n[case2]\n[case1]|[case1]: it is there twice
		whole-run|[case1]\ncsv=x.csv|[case1] csv: all cases have the same
		command-line|[GLOBAL]\nserver=1\n[case1]|[GLOBAL] server: this is not for a file
		skip|[case1]\nskip=often|[case1] skip: 'often' is not valid
		no-value|[case1]\nsize=|line 2: a line is key=value
		no-key|[case1]\nvalidate|line 2: 'validate' is neither
		no-section|size=64|line 1: size: there is no section yet
		no-bracket|[case1|line 1: '[case1': a section is a name in brackets
		no-case|[GLOBAL]\nrounds=3|there is no case
		all-skipped|[case1]\nskip=1|all cases are skipped
		zero-byte|[case1]\nsize=6\0x|line 2: it is longer than
	EOF
	rc=0
	# shellcheck disable=SC2046
	out=$(timeout -k 5 60 "$work/gcc/app/dpdk-test-comch" $(eal_args ini "${lcores%%,*}") \
		--no-telemetry -- --config "$dir/missing.ini" 2>&1) || rc=$?
	if [ "$rc" != 1 ] || ! grep -qF 'missing.ini: cannot be read' <<<"$out"; then
		echo "missing file: exit status $rc: $out"
		bad=1
	fi
	rm -rf "$dir"
	return $bad
}

config_and_pictures() {
	local what
	rm -rf "$work/pictures"
	mkdir -p "$work/pictures"
	two_processes "$work/gcc/app/dpdk-test-comch" --server --once -- --client \
		--config "$top/app/test-comch/test-comch.ini" --duration 0.2 \
		--csv "$work/pictures/results.csv" --json "$work/pictures/results.json" &&
		/usr/bin/python3 "$top/usertools/comch-plot.py" \
			--output "$work/pictures/test" "$work/pictures/results.json" || return 1
	for what in latency rate bandwidth ratio histogram cdf; do
		[ -s "$work/pictures/test-$what.png" ] || return 1
	done
	# All cases but the one that is skipped.
	[ "$(grep -o '"case": "case[0-9]*"' "$work/pictures/results.json" | sort -u | wc -l)" = 8 ]
}

build_docs() {
	# Sphinx of the distribution, not of another python3 before it in PATH.
	local PATH=/usr/bin:$PATH
	rm -rf "$work/docs"
	seed_build docs
	meson setup "$work/docs" "$top" -Ddocs=true -Dcheck_includes=false -Dbluefield_model=disabled && ninja -C "$work/docs" doc
}

# Both directions, both layers, with threads and without.
fast_examples() { # <build>
	local examples=$work/$1/examples
	step "example fast_path, two processes, $1" two_processes \
		"$examples/dpdk-comch-fast-path" -t 'from the card' -- -k -t 'from the host' || true
	step "example fast_path, event mode, $1" two_processes \
		"$examples/dpdk-comch-fast-path" -e -- -e || true
	step "example secure_channel, two processes, $1" two_processes \
		"$examples/dpdk-comch-secure-channel" -s 64 -n 200000 -- -s 65535 -n 2000 || true
	maps=threads step "example secure_channel, a thread per direction, $1" two_processes \
		"$examples/dpdk-comch-secure-channel" -s 64 -n 50000 -- -s 4096 -n 5000 || true
}

# --------------------------------------------------------------------------

"$top/devtools/setup.sh" test
mkdir -p "$work"
# Two runs in one tree would take each other's folders away.
exec 9>"$work/lock"
flock -n 9 || {
	echo "test: another test.sh runs in $work" >&2
	exit 1
}
rm -rf "$logs"
mkdir -p "$logs"
# The lcores that this process may use, at most four.
lcores=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 4 | paste -sd,)

step 'check: SPDX tags' "$top/devtools/check-spdx-tags.sh" || true
step 'check: MAINTAINERS' "$top/devtools/check-maintainers.sh" || true
step 'check: forbidden tokens' "$top/devtools/check-forbidden-tokens.sh" || true
step 'check: duplicate includes' "$top/devtools/check-dup-includes.sh" || true
step 'check: file length (warns only)' "$top/devtools/check-file-length.sh" || true
step 'check: format' "$top/devtools/check-format.sh" || true
step 'check: last commit message' "$top/devtools/check-git-log.sh" || true
step 'check: shell scripts' "$top/devtools/check-shell.sh" || true

# Only to spare each build the fetching; a build that needs them and cannot have
# them fails by itself.
"$top/devtools/get-driver-headers.sh" "$work" >"$logs/driver-headers.log" 2>&1 || true
"$top/devtools/get-libvfio-user.sh" "$work" >"$logs/libvfio-user.log" 2>&1 || true

sanitize='-Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized'
build_and_test gcc gcc -Dbluefield_model=enabled
quick=1 build_and_test clang clang
quick=1 build_and_test gcc-shared gcc -Ddefault_library=shared
quick=1 build_and_test clang-shared clang -Ddefault_library=shared
quick=1 build_and_test gcc-debug gcc -Dbuildtype=debug -Dcomch_debug=true
quick=1 build_and_test gcc-static gcc -Dprefer_static=true

# Sanitizers end the program at the first finding.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export LSAN_OPTIONS=suppressions=$top/devtools/lsan.supp:print_suppressions=0
# shellcheck disable=SC2086 # words on purpose
build_and_test gcc-sanitize gcc $sanitize
# shellcheck disable=SC2086
quick=1 build_and_test clang-sanitize clang $sanitize
fast_examples gcc-sanitize
unset UBSAN_OPTIONS LSAN_OPTIONS
fast_examples gcc

# Clients of others, and ours on kernel VFIO, in a guest each.
for guest in rdma-core mlx5-core dpdk; do
	step_counted "guest: $guest" "$top/devtools/qemu/test-$guest.sh" \
		"$work/guest" "$work/gcc" || true
done

step 'library folder of an install' library_folder || true
step 'benchmark, two processes' benchmark || true
step 'mistakes in INI files' config_errors || true
step 'INI file, two processes, and pictures' config_and_pictures || true
step 'example ctrl_path, two processes' two_processes \
	"$work/gcc/examples/dpdk-comch-ctrl-path" -t 'from the card' -- -t 'from the host' || true
step 'instructions per message' "$top/devtools/count-instructions.sh" "$work/gcc" || true
step_counted 'fuzz targets, 40 s' "$top/devtools/fuzz.sh" 40 'fuzz_[!m]*' || true
step_counted 'fuzz targets of the model, 60 s' "$top/devtools/fuzz.sh" 60 'fuzz_model_*' || true

if step 'install' install_tree; then
	for example in "$work"/installed/share/dpdk-comch/examples/*/; do
		[ -d "$example" ] || continue
		example=$(basename "$example")
		for how in shared static; do
			step "example $example, own Makefile, $how" make_example "$example" $how || true
		done
	done
	plugins=$work/installed/lib
	copy=
	if ! secure_path "$plugins"; then
		# Somebody's checkout below /tmp: try a private folder in the home.
		if copy=$(mktemp -d "${HOME:-/nonexistent}/.comch-test.XXXXXX" 2>/dev/null); then
			cp -a "$plugins"/librte_comch*.so* "$copy"
			plugins=$copy
		fi
	fi
	if secure_path "$plugins"; then
		step 'plugin of dpdk-testpmd, with telemetry' plugin_test "$plugins" || true
	else
		skip 'plugin of dpdk-testpmd' "EAL takes no plugins below world-writable folders ($plugins)"
	fi
	step 'dpdk-pmdinfo.py, shm' pmdinfo "$plugins/librte_comch_shm.so" \
		'"name": *"comch_shm"' || true
	step 'dpdk-pmdinfo.py, bluefield' pmdinfo "$plugins/librte_comch_bluefield.so" \
		'"name": *"comch_bluefield"' '"vendor": *"15b3", *"device": *"a2d6"' \
		'"vendor": *"15b3", *"device": *"a2dc"' '"vendor": *"15b3", *"device": *"101e"' \
		'vfio-pci' || true
	[ -z "$copy" ] || rm -rf "$copy"
fi

if [ -e "$top/doc/guides/meson.build" ] || [ -e "$top/doc/api/meson.build" ]; then
	step 'documentation, warnings are errors' build_docs || true
else
	skip 'documentation' 'doc/guides and doc/api are not in the tree'
fi

step 'compile for aarch64' "$top/devtools/check-cross.sh" "$work" || true

echo
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s, logs in ${logs#"$top"/}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
