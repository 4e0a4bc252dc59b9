#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: test-mlx5-core.sh <folder> [<meson build folder>]
#
# The model against the kernel's own drivers, in a guest, on functions of all kinds:
# mlx5_core probes, is unbound and bound, sees function level resets without it and
# under it, and is unloaded; mlx5_ib makes RDMA devices. Ends with a list of what the
# kernel asked for and the model does not have. See test-common.sh for the arguments.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=test-common.sh
. "$(dirname "$0")/test-common.sh"
test_begin test-mlx5-core "$@"

"$here/make-initramfs.sh" "$work" "$run/initramfs" -m mlx5_core -m mlx5_ib \
	-f "$here/guest/lib.sh:/lib/guest.sh" "$here/guest/mlx5-core.sh"

functions=('pf0,vhca_ports=2' 'pf0vf0,vhca_ports=1' 'pf1,port=ib' ecpf0vf0)
if grep -qx CONFIG_MLX5_ESWITCH=y "$work/guest-kernel/config"; then
	# first, as it gives pages for those of the host
	functions=('ecpf0,pages=client' "${functions[@]}" 'ecpf1,mode=nic')
else
	echo '   skipped: functions of cards: this kernel is built without CONFIG_MLX5_ESWITCH'
fi
model_start "${functions[@]/#/--function=}"
sockets=("${functions[@]%%,*}")
guest_run "$run/initramfs" -m 512 -t 300 "${sockets[@]/%/.sock}"

# Commands that the model does not know or does not do; the kernel lives without.
echo 'What the kernel asks for and the model does not have:'
{ grep -hE 'refused, status|no register' "$logs/model.log" || echo ' 0 - -: nothing'; } |
	sed -E 's/^ *[0-9.]+ +[^ ]+ +[^ ]+: (slot [0-9]+: )?/   /' | sort -u | tee -a "$logs/results.log"

# What it did wrong in the model's eyes is the model's mistake.
test_end 'refused, status'
