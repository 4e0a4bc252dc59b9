# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Completion of dpdk-test-comch in bash. What stands behind "--" is taken from --help of the
# program. Of EAL's options before it there are those that are needed most.

# _dpdk_test_comch_help <program> <option>: of the caller's, sets "options" to all options, and
# "value" to what this one takes: nothing, the word of the help, or the names of a list.
_dpdk_test_comch_help() {
	local line section='' long=''
	local -A lists=([--test]=' all' [--columns]=' default')
	while IFS= read -r line; do
		if [[ $line == [A-Z]*: ]]; then
			section=$line
		elif [[ $section == Options: && $line =~ ^\ +(-[a-zA-Z],)?\ +(--[a-z-]+)(\ ([^ ]+))?\ \  ]]; then
			options+=("${BASH_REMATCH[2]}")
			if [[ $2 == "${BASH_REMATCH[1]%,}" || $2 == "${BASH_REMATCH[2]}" ]]; then
				long=${BASH_REMATCH[2]}
				value=${BASH_REMATCH[4]}
			fi
		elif [[ $section == Tests: && $line =~ ^\ +([a-z-]+) ]]; then
			lists[--test]+=" ${BASH_REMATCH[1]}"
		elif [[ $section == Columns: ]]; then
			lists[--columns]+=$line
		fi
	done < <("${1/#\~/$HOME}" --help 2>/dev/null)
	[ -z "$long" ] || value=${lists[$long]:-$value}
}

_dpdk_test_comch() {
	local cur=$2 prev=$3 behind=no begin='' value='' options=() i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" != -- ] || behind=yes
	done
	# "--test=a" is three words
	[ "$prev" != = ] || prev=${COMP_WORDS[COMP_CWORD - 2]}
	if [ $behind = yes ]; then
		_dpdk_test_comch_help "$1" "$prev"
	elif [ "$prev" = --vdev ]; then
		compopt -o nospace
		value='comch_shm0,|comch_bluefield0,|net_comch0,'
	elif [[ $prev == -[adlm] || $prev == --@(file-prefix|lcores|log-level) ]]; then
		value=any
	else
		options=(-a -d -l -m --file-prefix --in-memory --lcores --log-level --no-huge --no-pci
			--no-telemetry --vdev --)
		[ "$COMP_CWORD" != 1 ] || options+=(--help --version)
	fi
	case $value in
	'') value=${options[*]} ;;
	*'|'*) value=${value//|/ } ;;
	FILE | PROGRAM)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	' '*)
		# a list: the name behind the last comma
		compopt -o nospace
		begin=${cur%"${cur##*,}"}
		;;
	*) return ;;
	esac
	mapfile -t COMPREPLY < <(compgen -P "$begin" -W "$value" -- "${cur#"$begin"}")
}

complete -F _dpdk_test_comch dpdk-test-comch
