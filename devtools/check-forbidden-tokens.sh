#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Words that may not stand in the tree, by folder, each with its reason. C code
# is looked at without its comments. A line that must be an exception says
# "check-ok: <why>" in a comment.
#
# The patterns are written so that they do not match this file.

set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=tree-files.sh
. devtools/tree-files.sh

bad=0
tree_files '*'

# C sources without comments: each line after its file and its number.
strip_comments() {
	awk '
		FNR == 1 { inside = 0 }
		/check-ok: / { next }
		{
			out = ""
			while (length($0)) {
				if (inside) {
					i = index($0, "*/")
					if (!i) { $0 = ""; break }
					$0 = substr($0, i + 2); inside = 0
				}
				i = index($0, "/*")
				if (!i) { out = out $0; break }
				out = out substr($0, 1, i - 1)
				$0 = substr($0, i + 2); inside = 1
			}
			if (out != "")
				print FILENAME ":" FNR ":" out
		}' "$@"
}

report() { # <reason>; grep's lines on stdin
	local line
	while IFS= read -r line; do
		echo "$line"
		echo "	$1"
		bad=1
	done
}

sources=()
for f in "${files[@]}"; do
	[[ $f != *.[ch] ]] || sources+=("$f")
done
stripped=$(strip_comments "${sources[@]}")

# code <folders as extended regex> <pattern> <reason>. What is before the code on a
# line ends in a colon, so that no pattern begins in it.
code() {
	report "$3" < <(grep -E "^($1)" <<<"$stripped" | grep -E "$2" || true)
}

# text <pattern> <reason>: every file that is text.
text() {
	report "$2" < <(grep -nHIE "$1" "${files[@]}" | grep -v 'check-ok: ' || true)
}

parts='lib/|drivers/'
code "$parts" '(^|[^a-z_])(v?printf|puts|putchar|perror) *\(' 'libraries log with rte_log, they do not print'
code "$parts" '(^|[^a-z_])(v?fprintf|fputs|fputc) *\([^,]*std(out|err)|std(out|err) *\)' 'libraries log with rte_log, they do not print'
code "$parts" '(^|[^a-z_])(rte_panic|rte_exit|exit|_exit|abort) *\(' 'a library never ends its program'
code "$parts" '(^|[^a-zA-Z_])assert *\(' 'input is checked and refused, not asserted'
code "$parts" '(^|[^a-z_])pthread_[a-z_]+ *\(' 'threads and locks come from EAL'
code "$parts" '__attribute__' 'use the __rte_* macros'
code "$parts" '__typeof__' 'use typeof'
code "$parts" '#[[:space:]]*pragma' 'no compiler pragmas'
code "$parts" 'RTE_LOG_REGISTER *\(' 'use RTE_LOG_REGISTER_DEFAULT or _SUFFIX'
code "$parts" '%[0-9.]*l?l[dux]\>' 'use PRIu64 and its family'
code "$parts|app/|examples/" '__sync_[a-z_]+ *\(' 'use __atomic_* with an explicit order'
code "$parts|app/|examples/" 'rte_smp_[a-z]*mb *\(' 'use rte_atomic_thread_fence with an explicit order'
code "$parts|app/|examples/" 'rte_atomic(16|32|64)_' 'use __atomic_* with an explicit order'
code "$parts|app/|examples/" 'RTE_VERSION|RTE_VER_[A-Z]+' \
	'what differs between releases of DPDK is in buildtools/dpdk/dpdk_release.h'
code 'app/|examples/|lib/doca' '#include *[<"](dev_driver|bus_[a-z]*_?driver|rte_comch_pmd|comch_private)\.h' \
	'applications use public headers only'
code 'drivers/comch/bluefield/obj/' 'BF_REG_|iova|virt2phy|hw->|->hw\>' \
	'above the seam of objects there are no registers and no addresses of the device'
code 'lib/' '#include *[<"].*(shm|bluefield)' 'the library names no driver'

text '\<(TO[D]O|FIX[M]E|XX[X])\>' 'finish it, or write it down where users see it'
text '(/wor[k]/|/hom[e]/|/roo[t]/|bash_job[s]|/tmp/re[f]/)' 'no paths of one machine'
text '((deb|security|snapshot)\.debia[n]\.org|pyp[i]\.org|pythonhoste[d]\.org|npmj[s]\.)' \
	'no package registries: take what the machine is set up with'

exit $bad
