#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# The headers of lib/doca_compat are compiled by programs that nobody here wrote: each
# alone, each before each other one, and all of them forwards and backwards, as C and as
# C++ of several standards, with all warnings as errors, with experimental functions
# allowed and not, without DPDK. And so is a program that uses every macro. Compiles only,
# with gcc, and with clang if it is here.

set -euo pipefail

headers=$(cd "$(dirname "$0")/../lib/doca_compat" && pwd)
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
jobs=$(nproc)

public=()
for f in "$headers"/doca_*.h; do
	[[ $f == *private.h ]] || public+=("${f##*/}")
done
[ ${#public[@]} -gt 0 ] || { echo "no headers in $headers"; exit 1; }

# What a program may do with macros, in C and in C++.
cat >"$run/use.inc" <<'EOF_USE'
#include <doca_argp.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_types.h>

#if !DOCA_VERSION_LTE_CURRENT(2, 7, 0) || DOCA_VERSION_LTE_CURRENT(99, 0, 0)
#error "versions do not compare"
#endif
#if !DOCA_VERSION_EQ_CURRENT(3, 3, 0) || DOCA_VERSION_EXACT != DOCA_CURRENT_VERSION_NUM
#error "versions do not compare"
#endif
#if defined(DOCA_ARCH_DPU) == defined(DOCA_ARCH_HOST)
#error "one side, and only one"
#endif

DOCA_LOG_REGISTER(A::B) SEMICOLON

static DOCA_USED doca_error_t
on_flag(void *value, void *config)
{
	doca_error_t result = DOCA_SUCCESS;

	(void)config;
	DOCA_LOG_CRIT("critical");
	DOCA_LOG_ERR("error %s", doca_error_get_name(result));
	DOCA_LOG_WARN("warning %d", *(int *)value);
	DOCA_LOG_INFO("info");
	DOCA_LOG_DBG("debug");
	DOCA_LOG_TRC("trace %d", 1);
	DOCA_DLOG_ERR("error %d", 1);
	if (doca_unlikely(DOCA_IS_ERROR(result)))
		DOCA_LOG_RATE_LIMIT_ERR("again %d", 1);
	else
		DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_INFO, "again");
	if (doca_likely(result == DOCA_SUCCESS))
		DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_AGAIN);
	else
		result = DOCA_ERROR_IN_USE;
	return result;
}

int
main(int argc, char **argv)
{
	union doca_data data = {&argc};
	struct doca_argp_param *param = NULL;
	doca_event_handle_t handle = doca_event_invalid_handle;
	enum doca_log_level level = DOCA_LOG_LEVEL_WARNING;

	if (doca_argp_param_create(&param) == DOCA_SUCCESS) {
		doca_argp_param_set_callback(param, on_flag);
		doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);
	}
	/* programs lean on what the headers bring along */
	assert(strlen(doca_version()) > 0 && doca_version_runtime() != NULL);
	fprintf(stderr, "%d %p\n", handle + (int)level, data.ptr);
	return doca_argp_start(argc, argv) == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
EOF_USE
printf '#define SEMICOLON ;\n#include "use.inc"\n' >"$run/use-semicolon.src"
printf '#define SEMICOLON\n#include "use.inc"\n' >"$run/use-none.src"
{
	printf '#define SEMICOLON ;\n#ifdef __cplusplus\nextern "C" {\n#endif\n#include "use.inc"\n'
	printf '#ifdef __cplusplus\n}\n#endif\n'
} >"$run/use-extern.src"
# The address of each function can be taken, and callbacks may be declared noexcept.
cat >"$run/address.cpp" <<'EOF_ADDRESS'
#include <doca_argp.h>
#include <doca_types.h>
template <typename F> static bool there(F f) { return f != nullptr; }
static doca_error_t callback(void *, void *) noexcept { return DOCA_SUCCESS; }
int main()
{
	doca_argp_param_cb_t set = callback;
	doca_data data{};
	(void)data;
	return there(set) && there(doca_argp_param_create) && there(doca_error_get_descr) &&
			there(doca_version) && there(doca_log_backend_create_standard) ? 0 : 1;
}
EOF_ADDRESS

for one in "${public[@]}"; do
	echo "#include <$one>" >"$run/alone-${one%.h}.src"
	for other in "${public[@]}"; do
		[ "$one" = "$other" ] ||
			printf '#include <%s>\n#include <%s>\n' "$one" "$other" \
				>"$run/pair-${one%.h}-${other%.h}.src"
	done
done
printf '#include <%s>\n' "${public[@]}" >"$run/all-forward.src"
tac "$run/all-forward.src" >"$run/all-backward.src"
# C wants something declared, and some headers have only macros.
for f in "$run"/alone-*.src "$run"/pair-*.src; do
	echo 'extern int something;' >>"$f"
done

# A line of compiler, flags and file for each file that fits.
list() { # <language> <compiler> <standard> <flag> <pattern>
	local f
	for f in "$run"/$5; do
		printf '%s\0' "$2 -x $1 -std=$3 $4 $f"
	done
}

{
	for compiler in 'c gcc c99 c17' 'c++ g++ c++11 c++20' 'c clang c11' 'c++ clang++ c++17'; do
		read -r language name standards <<<"$compiler"
		command -v "$name" >/dev/null || continue
		for standard in $standards; do
			for flag in -DDOCA_ALLOW_EXPERIMENTAL_API -DNOTHING; do
				list "$language" "$name" "$standard" "$flag" 'alone-*.src'
				list "$language" "$name" "$standard" "$flag" 'all-*.src'
				# DOCA_LOG_REGISTER() with a semicolon has one too many
				list "$language" "$name" "$standard" "$flag -Wno-pedantic" 'use-*.src'
			done
			list "$language" "$name" "$standard" \
				'-DDOCA_LOGGING_ALLOW_TRACE -DDOCA_LOGGING_ALLOW_DLOG -DDOCA_COMPAT_ARCH_DPU' \
				'use-none.src'
		done
	done
	list c gcc c99 -DNOTHING 'pair-*.src'
	list c++ g++ c++11 -DNOTHING address.cpp
	list c++ g++ c++20 -DNOTHING address.cpp
} >"$run/list"
count=$(tr -cd '\0' <"$run/list" | wc -c)

# An experimental function is warned about unless it is allowed, an old name too.
cat >"$run/marked.src" <<'EOF_MARKED'
#include <doca_error.h>
DOCA_EXPERIMENTAL void experimental(void);
void call(void) { experimental(); }
const char *old(void) { return doca_get_error_string(DOCA_SUCCESS); }
EOF_MARKED
compile=(gcc -x c -fsyntax-only -Wall -Wextra -Werror -I "$headers")
allow=(-DDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ALLOW_DEPRECATED_API)
"${compile[@]}" "${allow[@]}" "$run/marked.src" || { echo 'allowed, and refused'; exit 1; }
for one in 0 1; do
	if "${compile[@]}" "${allow[$one]}" "$run/marked.src" 2>/dev/null; then
		echo "with ${allow[$one]} alone, the other mark is not seen"
		exit 1
	fi
done

# shellcheck disable=SC2016 # expanded by the inner shell
xargs -0 -P "$jobs" -n 1 bash -c '
	read -ra words <<<"$1"
	"${words[0]}" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$0" "${words[@]:1}" || {
		echo "does not compile: $1"
		exit 1
	}' "$headers" <"$run/list"
echo "${#public[@]} headers, $count compilations"
