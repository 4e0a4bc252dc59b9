#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-barriers.sh
#
# Leaves out one barrier, one ownership check or one store of the bluefield driver's
# queues at a time, and wants app/test/order/test_bluefield_wq_order.c to fail each time, which
# replays stores in every order that the barriers allow. Then it changes one access to
# inline entries of the shm driver at a time, and wants the same of
# app/test/order/test_shm_entry_order.c. Unchanged both have to pass. The drivers' own files stay as they are: copies of the
# headers are changed and compiled.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
driver=
work=

# shellcheck disable=SC2317 # called by trap
clean_up() {
	trap - EXIT INT TERM
	[ -z "$work" ] || rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

work=$(mktemp -d)
read -ra flags < <(pkg-config --cflags libdpdk)
read -ra libs < <(pkg-config --libs libdpdk)
flags+=(-std=gnu11 -O2 -w -D_GNU_SOURCE -DALLOW_EXPERIMENTAL_API -I "$top/app/test"
	-I "$top/app/test/bluefield" -I "$top/lib/comch"
	-I "$top/drivers/comch/bluefield/hw" -I "$top/drivers/comch/bluefield/obj")
cc=${CC:-cc}

compile() { # <what cc takes>...
	"$cc" "${flags[@]}" -I "$work/src" -I "$driver" "$@" >"$work/log" 2>&1 || {
		echo 'check-barriers: it does not compile:' >&2
		tail -n 20 "$work/log" >&2
		exit 1
	}
}

# Compiles the test with the headers in <work>/src, and runs it: 0 passed, 1 failed.
run() {
	local ret=0
	case $driver in
	*/bluefield/wq)
		compile -o "$work/order" -DTEST_WQ_ORDER_MAIN \
			"$top/app/test/order/test_bluefield_wq_order.c" "$work/dev.o" \
			"$work/src/bluefield_wq.c" "${libs[@]}"
		set -- --no-huge --no-pci --no-shconf --no-telemetry -m 32 \
			--log-level=lib.eal:error
		;;
	*/shm)
		compile -o "$work/order" -DTEST_SHM_ENTRY_ORDER_MAIN \
			"$top/app/test/order/test_shm_entry_order.c" "$work/model.o"
		set --
		;;
	esac
	timeout -k 5 100 "$work/order" "$@" >"$work/log" 2>&1 || ret=$?
	[ $ret -le 1 ] || {
		echo "check-barriers: it ended with status $ret:" >&2
		tail -n 20 "$work/log" >&2
		exit 1
	}
	return $ret
}

fresh() {
	rm -rf "$work/src"
	mkdir "$work/src"
	case $driver in
	*/bluefield/wq) cp "$driver"/*.[ch] "$work/src" ;;
	*/shm) cp "$driver/shm_entry.h" "$work/src" ;;
	esac
}

passes() {
	fresh
	if ! run; then
		echo 'check-barriers: the test fails without any change:' >&2
		tail -n 20 "$work/log" >&2
		exit 1
	fi
}

# Changes a function by a command of sed, which must change something.
changed() { # <file> <function> <what> <command>
	fresh
	sed -i "/^$2(/,/^}/ { $4
}" "$work/src/$1"
	if cmp -s "$driver/$1" "$work/src/$1"; then
		echo "check-barriers: $1 has no $3 in $2()" >&2
		exit 1
	fi
	if run; then
		printf '%-24s %-44s not found\n' "$2" "$3"
		bad=1
	else
		printf '%-24s %-44s found: %s\n' "$2" "$3" \
			"$(sed -n 's/.* failed: //p; s/^the device: //p' "$work/log" | head -n 1)"
	fi
}

# Deletes what a function has of a text: the line, and with "N;" the next one.
left_out() { # <file> <function> <text> [N;]
	changed "$1" "$2" "$3" "/$3/ { ${4:-} d }"
}

bad=0
driver=$top/drivers/comch/bluefield/wq
compile -c -o "$work/dev.o" "$top/app/test/bluefield/test_bluefield_wq_dev.c"
passes
h=bluefield_wq.h
left_out $h bf_sendq_ring BF_WQ_BEFORE_RECORD
left_out $h bf_sendq_ring BF_WQ_RECORD
left_out $h bf_sendq_ring BF_WQ_BEFORE_DOORBELL
left_out $h bf_sendq_ring BF_WQ_DOORBELL
left_out $h bf_recvq_ring BF_WQ_BEFORE_RECORD
left_out $h bf_recvq_ring BF_WQ_RECORD
left_out $h bf_sharedq_ring BF_WQ_BEFORE_RECORD
left_out $h bf_sharedq_ring BF_WQ_RECORD
left_out $h bf_sharedq_free BF_WQ_STORE16
left_out $h bf_compq_peek 'if ((op_own & BF_CQE_OWNER)' 'N;'
left_out $h bf_compq_next BF_WQ_AFTER_OWNER
left_out $h bf_compq_commit BF_WQ_BEFORE_COMMIT
left_out $h bf_compq_commit BF_WQ_RECORD
left_out $h bf_compq_arm_word bf_compq_commit
left_out $h bf_compq_arm_word BF_WQ_RECORD
left_out $h bf_compq_arm_word BF_WQ_BEFORE_DOORBELL
left_out $h bf_compq_arm_word BF_WQ_DOORBELL
h=bluefield_wq_fast.h
left_out $h bf_comp_row_next 'if ((BF_WQ_LOAD_OWNER' 'N;'
left_out $h bf_comp_row_next BF_WQ_AFTER_OWNER
left_out $h bf_free_row_take BF_WQ_STORE16

driver=$top/drivers/comch/shm
compile -c -o "$work/model.o" "$top/app/test/order/test_order.c"
passes
h=shm_entry.h
changed $h shm_entry_publish 'release of the word' s/_RELEASE/_RELAXED/
changed $h shm_entry_put 'copy before the word' '/SHM_ENTRY_COPY/ { N; s/^\(.*\)\n\(.*\)$/\2\n\1/ }'
left_out $h shm_entry_put SHM_ENTRY_COPY
changed $h shm_entry_get 'acquire of the word' s/_ACQUIRE/_RELAXED/
changed $h shm_entry_tail_get 'acquire of the tail' s/_ACQUIRE/_RELAXED/
changed $h shm_entry_tail_set 'release of the tail' s/_RELEASE/_RELAXED/
left_out $h shm_entry_armed_get SHM_ENTRY_LIGHT_FENCE
left_out $h shm_entry_armed_set SHM_ENTRY_STORE
changed $h shm_entry_is position 's/ | UINT32_MAX//; s/ | pos//'
changed $h shm_entry_is SHM_ENTRY_FULL 's/SHM_ENTRY_FULL | //g'
exit $bad
