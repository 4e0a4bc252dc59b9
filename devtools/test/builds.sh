# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by test.sh and step.sh: what all builds have, and tests that make builds: installed,
# with DPDK's source, on a bare system, documentation. They work below the build folder.
#
# Uses $top, $work, and the name of a $build in it.

# The lcores that this process may use, at most four.
lcores=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 4 | paste -sd,)

# No hugepages, no PCI, a prefix of its own: runs anywhere, beside anything.
eal_args() { # <prefix> <lcores>
	echo --no-huge -m 256 --no-pci "--file-prefix=comch-test-$1-$$" --lcores "$2"
}

# shellcheck disable=SC2034 # for test.sh
tsan=(-Db_sanitize=thread -Db_lundef=false -Dbuildtype=debugoptimized
	"-Dc_args=['-include', '$top/devtools/tsan.h']"
	-Dbluefield_model=disabled -Dcheck_includes=false -Dexamples=false)

# The suites of the BlueField driver where its software is not built: all cases that need
# it are skipped. Those that need it nowhere, and take long, are left out.
autotests_no_model() { # <build>
	local listed
	# shellcheck disable=SC2046 # words on purpose
	listed=$("$work/$1/app/comch-autotest" $(eal_args "$1" "$lcores") --no-telemetry -- --list |
		grep -oE '^bluefield_[a-z0-9_]*autotest' | grep -vE '_(args|hostile.*|regress)_autotest')
	# shellcheck disable=SC2086 # words on purpose
	COMCH_BLUEFIELD_MODEL=/nowhere autotest_once "$1" ${listed//$'\n'/ }
}

copy_tree() { # <folder, made anew>
	# shellcheck source-path=SCRIPTDIR source=../tree-files.sh
	(cd "$top" && . devtools/tree-files.sh && tree_copy "$1")
}

# Does the compiler's ThreadSanitizer, with what we tell it, find anything at all? Puts
# each race of devtools/tsan-races into a copy of the tree, and wants it found: by the
# fifth look, as it sees two accesses only if no other order lies between them.
races_found() {
	local race suites look entries found=0 missed=0
	local dir=$work/$build/races/build tree=$work/$build/races/tree
	entries=$(grep -cE '^[a-z_]+:' "$top/devtools/tsan.supp") || true
	[ "$entries" -le 10 ] || {
		echo "devtools/tsan.supp has $entries entries, at most 10 are allowed"
		return 1
	}
	rm -rf "$dir"
	copy_tree "$tree"
	CC=clang CXX=clang++ meson setup "$dir" "$tree" -Dwerror=true "${tsan[@]}"
	for race in "$top"/devtools/tsan-races/*.patch; do
		patch -d "$tree" -p1 <"$race"
		ninja -C "$dir" app/comch-autotest
		suites=$(sed -n 's/^Test: //p' "$race")
		# shellcheck disable=SC2086 # words on purpose
		for ((look = 1; look <= 5; look++)); do
			autotest_once "$build/races/build" $suites >"$dir/out" 2>&1 || true
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
	timeout -k 10 900 "$work/$1/app/comch-autotest" $(eal_args "${1//\//-}" "$lcores") -- \
		"${@:2}"
}

# Programs of this build beside those of a tree whose protocol has another version: they refuse
# each other. With another layout and no version they do neither that nor work, which is found.
two_versions() {
	local tree=$work/$build/versions/tree dir=$work/$build/versions/build
	local wire=$tree/drivers/comch/shm/shm_wire.h programs=(app/dpdk-test-comch
		examples/dpdk-comch-pairs)
	rm -rf "$dir"
	copy_tree "$tree"
	"$top/devtools/test-versions.py" "$work/$build" "$work/$build"
	sed -i -E 's/(define SHM_WIRE_VERSION ).*/\1999/' "$wire"
	sed -i '/bluefield/d' "$tree/drivers/meson.build" # half of the time
	meson setup "$dir" "$tree" -Dbuildtype=debug -Dbluefield_model=disabled \
		-Ddoca_compat=disabled -Dtests=false -Dcheck_includes=false
	ninja -C "$dir" "${programs[@]}"
	"$top/devtools/test-versions.py" "$work/$build" "$dir" | tee "$dir/log"
	[ "$(grep -cE ': refused, versions (999|[0-9]+ and 999)' "$dir/log")" = 4 ] || return 1

	cp "$top/drivers/comch/shm/shm_wire.h" "$wire"
	sed -i '/^struct shm_wire_rec {$/,/^}/ { s/ len;/ other;/; s/ reserved;/ len;/; s/other/reserved/ }' \
		"$wire"
	! cmp "$wire" "$top/drivers/comch/shm/shm_wire.h" || return 1
	ninja -C "$dir" "${programs[@]}"
	! "$top/devtools/test-versions.py" "$work/$build" "$dir" >"$dir/log" || return 1
	grep -c 'FAIL: neither messages nor a refusal' "$dir/log"
}

# --------------------------------------------------------------------------

# The installed release: the test of other releases is tested with it.
release_from_source() {
	local d=$work/$build
	# EAL loads drivers from there.
	while [ "$d" != / ]; do
		[ -z "$(find "$d" -maxdepth 0 -perm -o+w)" ] || {
			echo "all may write to $d, and EAL takes no drivers below it"
			return 77
		}
		d=$(dirname "$d")
	done
	"$top/devtools/get-dpdk-source.sh" "$work/$build/dpdk-source"
	"$top/devtools/test-release.sh" "$work/$build/dpdk-source/tree" "$work/$build/release"
}

# A user's build fetches nothing that it cannot do without, and no warning ends it. DPDK's
# driver headers are declared in the tree, and a release whose are not is refused.
without_network() {
	local dir=$work/$build/offline offline=(unshare --net)
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
	local PATH=/usr/bin:$PATH dir=$work/$build/docs
	rm -rf "$dir"
	mkdir -p "$dir"
	cp -rs /usr/bin "$dir/bin"
	rm "$dir/bin/doxygen"
	! PATH=$dir/bin meson setup "$dir/none" "$top" -Ddocs=true \
		-Dbluefield_model=disabled >"$dir/log" || return 1
	grep 'ERROR: .*docs=true needs doxygen' "$dir/log"
	meson setup "$dir" "$top" -Ddocs=true -Dwerror=true -Dcheck_includes=false \
		-Dbluefield_model=disabled && ninja -C "$dir" doc
}

arm64_build() { # <folder>
	"$top/devtools/get-cross-root.sh" "$1" bash busybox-static linux-image-arm64
	[ -e "$1/tree/build.ninja" ] || meson setup --cross-file "$1/root.ini" \
		--cross-file "$top/buildtools/cross/aarch64.ini" -Dwerror=true \
		-Dbluefield_model=enabled "$1/tree" "$top"
	ninja -C "$1/tree"
}

arm64_guest() {
	local dir=$work/$build/arm64 suite step commands=()
	arm64_build "$dir"
	# whose limits of time an emulated processor keeps
	for suite in bluefield_wq comch_fp comch_fp_mbuf comch_fp_meta comch_mem_pool comch_msgq \
			comch_pair comch_task_batch shm_dpa shm_msgq shm_peer_ring; do
		commands+=("app/comch-autotest --no-huge -m 512 --no-pci -- ${suite}_autotest")
	done
	for step in 'example ctrl_path tree -t card -- -t host' 'example_msgq tree' \
			'example_msgq_killed tree'; do
		commands+=("/devtools/test/step.sh /tree $step")
	done
	COMCH_GUEST_LIMIT=3000 "$top/devtools/qemu/test-arm64.sh" "$dir" "$dir/tree" "${commands[@]}"
}

arm64_pages() {
	local dir=$work/$build/arm64 suite commands=()
	arm64_build "$dir"
	for suite in bluefield_bringup bluefield_wq shm_dpa; do
		commands+=("app/comch-autotest --no-huge -m 512 --no-pci -- ${suite}_autotest")
	done
	COMCH_GUEST_LIMIT=3000 COMCH_GUEST_PAGES=16k "$top/devtools/qemu/test-arm64.sh" \
		"$dir" "$dir/tree" "${commands[@]}"
}

# Examples, and programs of the vendor's interface, by QEMU's user mode.
arm64_user() {
	local dir=$work/$build/arm64
	arm64_build "$dir"
	"$top/devtools/qemu/user-arm64.sh" "$dir" "$top/devtools/test/step.sh" "$dir/tree" \
		arm64_programs
}

arm64_programs() {
	local on
	example_doca_argp_log "$build"
	example_threads secure_channel "$build" -s 64 -n 5000 -- -s 4096 -n 500
	for on in '' on_bluefield; do
		$on example ctrl_path "$build" -t card -- -t host
		$on example fast_path "$build" -t card -- -k -t host
		$on example fast_path "$build" -e -- -e
		$on example secure_channel "$build" -s 64 -n 2000 -- -s 65535 -n 20
		$on doca_ctrl_path "$build"
		$on doca_data_path "$build"
		$on doca_cc "$build"
		$on doca_epoll "$build" 200
		$on doca_threads "$build" 4
		$on doca_bulk_sized "$build"
	done
}

# The formats between processes are the same on both: shm's, and what goes by BlueField.
arm64_card() {
	local dir=$work/$build/arm64 user host card_build
	arm64_build "$dir"
	user=("$top/devtools/qemu/user-arm64.sh" "$dir")
	"${user[@]}" "$top/devtools/test-versions.py" "$work/$build" "$dir/tree"
	card_build=$dir/tree
	for host in "$work/$build" "$dir/tree"; do
		card_build=$card_build "${user[@]}" "$top/devtools/test/step.sh" "$host" on_bluefield \
			two_processes "$host/app/dpdk-test-comch" --server --once -- \
			--client --validate --duration 0.2 --rounds 1
		card_build=$work/$build
	done
}

bare_debian() { # <suite> [command]...
	if [ "$(id -u)" != 0 ]; then
		echo 'only root can install a Debian and change into it'
		return 77
	fi
	"$top/devtools/test-bare.sh" "$work/$build/bare-$1" "$@"
}
