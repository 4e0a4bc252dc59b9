#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-abi.sh <build folder> <work folder>
#
# Does check-abi.py find what it is there for? Changes a copy of the tree on purpose, and wants
# each change found, by its name; and what breaks nobody, passed. The last line is
# "N passed, N failed".

set -euo pipefail

if [ $# != 2 ] || [[ $1 == -* ]]; then
	echo 'usage: test-abi.sh <build folder> <work folder>' >&2
	exit 2
fi
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2/less/lib"
work=$(cd "$2" && pwd)
cd "$top"
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh
tree_copy "$work/tree"
cd "$work/tree"
passed=0
failed=0
notes=$(sed -E 's|^([0-9]+)\.([0-9]+)\..*|doc/guides/rel_notes/release_\1_\2.rst|' VERSION)

# expect <what> <0|1> <words of the check> <build> [<file> <script of sed>]...
expect() {
	local what=$1 want=$2 words=$3 of=$4 out rc=0 changed=() file
	shift 4
	while [ $# -gt 0 ]; do
		sed -i -E "$2" "$1"
		! cmp -s "$1" "$top/$1" || rc=3 # the script has found nothing to change
		changed+=("$1")
		shift 2
	done
	[ $rc != 0 ] || out=$(devtools/check-abi.py "$of" 2>&1) || rc=$?
	if [ $rc = "$want" ] && grep -qF -e "$words" <<<"$out"; then
		echo "$what: passed"
		passed=$((passed + 1))
	else
		echo "$what: FAILED, exit status $rc and not $want with: $words"
		echo "${out:-}"
		failed=$((failed + 1))
	fi
	for file in "${changed[@]}"; do
		cp "$top/$file" "$file"
	done
}

rc=0
out=$(devtools/check-abi.py "$build") || rc=$?
if [ $rc != 0 ]; then
	echo "$out"
	exit $rc # 77: it cannot be done here
fi

member=(lib/comch/rte_comch_core.h 's/^struct rte_comch_post \{$/&\n\tuint64_t extra;/')
expect 'a member more' 1 "'struct rte_comch_post' changed" "$build" "${member[@]}"
expect 'members of inline functions' 1 "'struct rte_comch_fp_object' changed" "$build" \
	lib/comch/rte_comch_core.h 's/^struct rte_comch_fp_object \{$/&\n\tvoid *extra;/'
expect 'type of a parameter' 1 "'const char* (int)* rte_comch_reason_str' was changed" "$build" \
	lib/comch/rte_comch_ctx.h 's/(rte_comch_reason_str\()int /\1long /'
expect 'a constant' 1 "'enum RTE_COMCH_CAPA_EVENT' changed" "$build" \
	lib/comch/rte_comch_dev.h 's/(define RTE_COMCH_CAPA_EVENT ).*/\1RTE_BIT64(60)/'
expect 'a value of the vendor' 1 "'enum doca_error' changed" "$build" \
	lib/doca_compat/common/doca_error.h 's/(DOCA_ERROR_UNKNOWN = )1,/\1101,/'

# the library without one of its symbols
grep -v rte_comch_pe_fd "$top/lib/comch/version.map" >"$work/less/version.map"
gcc -shared -o "$work/less/lib/librte_comch.so" -Wl,--version-script="$work/less/version.map" \
	"$build"/lib/librte_comch.a.p/*.o
ln -s "$build/drivers" "$build/buildtools" "$work/less/"
expect 'a symbol less' 1 'librte_comch exports no EXPERIMENTAL rte_comch_pe_fd any more' \
	"$work/less"

raised=(ABI_VERSION 's/.*/9.9/')
expect 'a change that nobody is told' 1 'does not name rte_comch_task_info' "$build" "${member[@]}" \
	"${raised[@]}"
expect 'a change that is told' 0 'as ' "$build" "${member[@]}" "${raised[@]}" \
	"$notes" '/^API Changes$/{n;s/$/\n\nrte_comch_post rte_comch_task_info\n/}'

field=(drivers/comch/shm/shm_wire.h 's/^\tuint32_t (want_doorbell|msgs);/\tuint32_t x\1;/')
version='s/(define SHM_WIRE_VERSION ).*/\199/'
expect 'a format without a version' 1 'the format of shm has changed, and SHM_WIRE_VERSION' \
	"$build" "${field[@]}"
expect 'a version that nobody is told' 1 'do not have SHM_WIRE_VERSION 99' "$build" "${field[@]}" \
	drivers/comch/shm/shm_wire.h "$version"
expect 'a version that is told' 0 'as ' "$build" "${field[@]}" \
	drivers/comch/shm/shm_wire.h "$version" \
	"$notes" 's/(SHM_WIRE_VERSION[^,]*, ").*"/\199"/'
expect 'a comment' 0 'as ' "$build" drivers/comch/shm/shm_wire.h 's|^/\* CONSUMER_GONE: |&x |'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
