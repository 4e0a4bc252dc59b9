#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-rc-pingpong.sh <folder> [<meson build folder>]
#
# The model's data path against programs of others, in a guest: ibv_rc_pingpong and
# ibv_srq_pingpong, with and without events, and ibv_ud_pingpong, all of Debian's
# ibverbs-utils, between two functions whose ports are InfiniBand, over libmlx5, mlx5_ib
# and mlx5_core. See test-common.sh for the arguments.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-rc-pingpong "$@"

programs=()
for program in ibv_devinfo ibv_rc_pingpong ibv_srq_pingpong ibv_ud_pingpong; do
	path=$(command -v $program) || die "no $program: apt-get install ibverbs-utils"
	programs+=(-f "$path:/bin/$program")
done
mlx5_ib_files
"$here/make-initramfs.sh" "$work" "$run/initramfs" "${mlx5_ib[@]}" \
	"${programs[@]}" \
	-f "$here/guest/lib.sh:/lib/guest.sh" "$here/guest/rc-pingpong.sh"

model_start --function=pf0,port=ib --function=pf1,port=ib
guest_run "$run/initramfs" -m 512 -t 300 pf0.sock pf1.sock

test_end 'refused, status'
