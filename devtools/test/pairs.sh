# shellcheck shell=bash disable=SC2034,SC2154 # variables of test.sh, and for its steps
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by step.sh: the devices of a card and of its host, for steps that run two
# processes. They are of the shm driver, or of a software BlueField.

# on_bluefield <command>...: its devices are functions of a software BlueField.
on_bluefield() {
	local -x COMCH_TEST_DEVS=bluefield
	"$@"
}

# pair_begin <folder> <build>: sets $card_vdev and $host_vdev, for one process each, and
# $pair_model. The folder is there, and stays.
pair_begin() {
	local card_mac=02:c0:3c:00:00:01 host_mac=02:c0:3c:00:00:02 i
	pair_model=
	if [ "${COMCH_TEST_DEVS:-shm}" = shm ]; then
		card_vdev=comch_shm0,role=dpu,path=$1
		host_vdev=comch_shm0,role=host,path=$1
		return
	fi
	"$2/app/comch-bluefield-model" --dir "$1/model" --log "$1/model.log" \
		--function "ecpf0vf0,mac=$card_mac" --function "pf0,mac=$host_mac" \
		--allow ecpf0vf0/pf0 >"$1/model.out" &
	pair_model=$!
	for ((i = 0; i < 100; i++)); do
		! grep -q '^ready:' "$1/model.out" || break
		sleep 0.1
	done
	card_vdev=comch_bluefield0,socket=$1/model/ecpf0vf0.sock,role=dpu,functions=pf0@$host_mac
	host_vdev=comch_bluefield0,socket=$1/model/pf0.sock,role=host,function=pf0,peer=$card_mac
	grep -q '^ready:' "$1/model.out"
}

# pair_end <folder> [<warning that may be>]: fails if the model did not end well, or has warned of
# a client.
pair_end() {
	local rc=0
	[ -n "$pair_model" ] || return 0
	kill "$pair_model" 2>/dev/null || true
	wait "$pair_model" || rc=$?
	! grep -E '^ *[0-9.]+ (warn|error) ' "$1/model.log" | grep -vFe "${2:-no such warning}" ||
		rc=1
	return $rc
}
