#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: step.sh <build folder> <function of these scripts> <argument>...
#
# Runs a test of a build that is more than one program, as "meson test" does. Its status is
# 77 where it cannot be done, and the last line says why.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(dirname "$1")
# shellcheck disable=SC2034 # for the functions
build=$(basename "$1")
shift

# shellcheck source-path=SCRIPTDIR source=builds.sh
. "$top/devtools/test/builds.sh"
# shellcheck source-path=SCRIPTDIR source=pairs.sh
. "$top/devtools/test/pairs.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$top/devtools/test/programs.sh"
# shellcheck source-path=SCRIPTDIR source=msgq.sh
. "$top/devtools/test/msgq.sh"
# shellcheck source-path=SCRIPTDIR source=doca.sh
. "$top/devtools/test/doca.sh"

"$@"
