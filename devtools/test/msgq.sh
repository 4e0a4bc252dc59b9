# shellcheck shell=bash disable=SC2154 # variables of test.sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sourced by test.sh: runs of message queues with the program of an offload processor.
# No suite of the autotests is in here.
#
# Uses $work and $lcores, eal_args() of builds.sh, and two_processes() of programs.sh.

# msgq_benchmark <build> <options of the client>...
msgq_benchmark() {
	two_processes "$work/$1/app/dpdk-test-comch" --server --once -- --client "${@:2}"
}

# Every byte, in both directions and of copies, in both modes.
msgq_short() { # <build>
	local mode
	for mode in --poll --event; do
		msgq_benchmark "$1" --test msgq-rate --dir both --eus 2 --validate $mode \
			--count 200000 --rounds 2 || return 1
		msgq_benchmark "$1" --test msgq-rate --dir to --size 1,32,31,ADD --burst 1 \
			--validate $mode --count 20000 --rounds 1 || return 1
		msgq_benchmark "$1" --test msgq-lat --validate $mode --count 2000 --rounds 1 ||
			return 1
		msgq_benchmark "$1" --test msgq-dma --size 1,1000003,1000002,ADD --validate $mode \
			--count 200 --rounds 1 || return 1
	done
}

# msgq_loopback <build> <options>...: in one process, and with more time.
msgq_loopback() {
	# shellcheck disable=SC2046 # words on purpose
	timeout -k 5 900 "$work/$1/app/dpdk-test-comch" $(eal_args msgq "$lcores") \
		--no-telemetry --vdev comch_shm0,role=dpu,functions=pf0 \
		--vdev comch_shm1,role=host,function=pf0 -- --loopback "${@:2}"
}

# Copies up to the longest, and every byte of 100 000 000 messages each way.
msgq_long() { # <build>
	msgq_loopback "$1" --test msgq-dma --size 1,67108864,4,MUL --validate --count 64 \
		--rounds 1 &&
		msgq_loopback "$1" --test msgq-rate --dir both --validate --count 100000000 \
			--rounds 1
}
