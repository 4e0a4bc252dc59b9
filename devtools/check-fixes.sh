#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-fixes.sh [--only PATTERN] [--applies] [work folder, build-test/ if none]
#
# Proves that the tests of mended defects would find them again. Each patch of
# devtools/undo-fixes/ puts one defect back into a copy of the tree; the tests that
# it names have to pass without it, and each of them has to fail with it.
#
#   --only PATTERN  the patches whose names have this, which may have '*'
#   --applies       only looks whether each patch still fits the tree: seconds
#   work folder     where it copies the tree and builds; within the tree build-* only
#
# The head of a patch says what it is about:
#   Defect: what a user would see
#   Test: <suite>:<case>, one or more such lines
#   Build: sanitize, if the failure shows with ASan and UBSan only
#
# Ends with "N passed, N failed". After a change of the code, a patch that does not
# fit any more has to be made anew: put the defect back by hand, git diff.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
pattern=
applies=no
work=
while [ $# -gt 0 ]; do
	case $1 in
	--only)
		[ $# -ge 2 ] || { echo 'check-fixes: --only wants a pattern' >&2; exit 2; }
		pattern=$2
		shift
		;;
	--applies) applies=yes ;;
	-*)
		sed -n 's/^# usage: /usage: /p' "$0" >&2
		exit 2
		;;
	*) work=$1 ;;
	esac
	shift
done
work=$(realpath -m "${work:-$top/build-test}")
case $work in
"$top"/build | "$top"/build[-/]*) ;;
"$top" | "$top"/*)
	echo "check-fixes: $work is part of the tree; name build-* or one outside" >&2
	exit 2
	;;
esac
mkdir -p "$work"
work=$(cd "$work" && pwd)/fixes
jobs=$(nproc)
core=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 2 | paste -sd,)
passed=0
failed=0

shopt -s nullglob
patches=()
for patch in "$top"/devtools/undo-fixes/*.patch; do
	# shellcheck disable=SC2053 # a pattern on purpose
	if [ -z "$pattern" ] || [[ ${patch##*/} == *$pattern* ]]; then
		patches+=("$patch")
	fi
done
if [ ${#patches[@]} = 0 ]; then
	echo "check-fixes: no patch in devtools/undo-fixes/ has the name '$pattern'" >&2
	exit 1
fi

head_of() { # <patch> <field>: its values, one in a line
	sed -n "/^\\(---\\|diff\\) /q; s/^$2: *//p" "$1"
}

build_of() { # <patch>
	[ "$(head_of "$1" Build)" = sanitize ] && echo sanitize || echo plain
}

verdict() { # <passed|failed> <text>
	echo "$1: $2"
	if [ "$1" = passed ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}

# A copy: the tree itself stays as it is, whatever ends this script. What has not
# changed keeps its time, so that builds are kept.
copy_tree() {
	local file
	# shellcheck source=devtools/tree-files.sh
	. "$top/devtools/tree-files.sh"
	cd "$top"
	tree_files '*'
	mkdir -p "$work/tree"
	cd "$work/tree"
	for file in "${files[@]}"; do
		cmp -s "$top/$file" "$file" && continue
		mkdir -p "$(dirname "$file")"
		cp -p "$top/$file" "$file"
		touch "$file"
	done
	printf '%s\n' "${files[@]}" | sort >"$work/files"
	find . -type f -printf '%P\n' | sort | comm -13 "$work/files" - |
		while IFS= read -r file; do
			rm -f "$file"
		done
}

build() { # <plain|sanitize>
	local options=()
	if [ "$1" = sanitize ]; then
		options=('-Db_sanitize=address,undefined' -Db_lundef=false -Dbuildtype=debugoptimized)
	fi
	if [ ! -e "$work/$1/build.ninja" ]; then
		[ ! -d "$work/../libvfio-user" ] ||
			{ mkdir -p "$work/$1" && cp -r "$work/../libvfio-user" "$work/$1/"; }
		meson setup "$work/$1" "$work/tree" -Dwerror=true -Dbluefield_model=enabled "${options[@]}" \
			>"$work/$1.setup.log" 2>&1 || {
			tail -n 20 "$work/$1.setup.log" >&2
			return 1
		}
	fi
	ninja -j "$jobs" -C "$work/$1" app/comch-autotest app/comch-bluefield-model \
		test-dpa-programs >"$work/$1.build.log" 2>&1 || {
		sed -n '/^FAILED: /,$p' "$work/$1.build.log" | head -n 20 >&2
		return 1
	}
}

# The output of the last one is in <work>/test.log.
run_test() { # <plain|sanitize> <test>...
	local build=$1
	shift
	UBSAN_OPTIONS=halt_on_error=1 LSAN_OPTIONS=suppressions=$top/devtools/lsan.supp \
		timeout -k 5 120 "$work/$build/app/comch-autotest" --no-huge -m 256 --no-pci \
		"--file-prefix=comch-fixes-$$" --lcores "$core" -- "$@" >"$work/test.log" 2>&1
}

# Its output is good if all tests were found, and all passed.
tests_pass() { # <plain|sanitize> <test>...
	run_test "$@" && grep -qE '^[1-9][0-9]* passed, 0 failed' "$work/test.log"
}

copy_tree
if [ $applies = yes ]; then
	for patch in "${patches[@]}"; do
		name=${patch##*/}
		if [ -z "$(head_of "$patch" Defect)" ] || [ -z "$(head_of "$patch" Test)" ]; then
			verdict failed "$name has no line 'Defect:' or 'Test:' before the diff"
		elif patch -p1 -s -f --dry-run -i "$patch" >"$work/patch.log" 2>&1; then
			verdict passed "$name fits"
		else
			verdict failed "$name does not fit the tree any more"
			sed 's/^/  | /' "$work/patch.log"
		fi
	done
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
	exit
fi

mapfile -t builds < <(for patch in "${patches[@]}"; do build_of "$patch"; done | sort -u)
for name in "${builds[@]}"; do
	echo "building $name"
	build "$name"
	tests=()
	for patch in "${patches[@]}"; do
		[ "$(build_of "$patch")" != "$name" ] || mapfile -t -O ${#tests[@]} tests < <(head_of "$patch" Test)
	done
	mapfile -t tests < <(printf '%s\n' "${tests[@]}" | sort -u)
	if tests_pass "$name" "${tests[@]}"; then
		verdict passed "${#tests[@]} tests, $name, with all fixes"
	else
		verdict failed "${#tests[@]} tests, $name, with all fixes"
		tail -n 15 "$work/test.log" | sed 's/^/  | /'
	fi
done

for patch in "${patches[@]}"; do
	name=${patch##*/}
	name=${name%.patch}
	build=$(build_of "$patch")
	if ! patch -p1 -s -f -i "$patch" --no-backup-if-mismatch >"$work/patch.log" 2>&1; then
		verdict failed "$name does not fit the tree any more"
		sed 's/^/  | /' "$work/patch.log"
		copy_tree
		continue
	fi
	if ! build "$build"; then
		verdict failed "$name does not build"
	else
		mapfile -t tests < <(head_of "$patch" Test)
		for test in "${tests[@]}"; do
			if tests_pass "$build" "$test"; then
				verdict failed "$name: $test does not find it"
			else
				verdict passed "$name: $test finds it"
			fi
		done
	fi
	# not by patch -R: where lines are alike it may take back others than it has put
	copy_tree
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
