#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# The headers of lib/doca_compat are compiled by programs that nobody here wrote: each
# alone, each before all others, and all of them forwards and backwards, as
# C and as C++ of several standards, with all warnings as errors, with experimental
# functions allowed and not, without DPDK. And so are programs that use every macro and
# type. Compiles only, with gcc, and with clang if it is here.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
# in one folder, as they are installed
headers=$run/include
mkdir "$headers"
ln -s "$top"/lib/doca_compat/*/doca_*.h "$headers"
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
# What programs of Comch write: a whole one.
sed '1i #define _POSIX_C_SOURCE 200809L' "$top/devtools/install-test/doca-comch/comch.c" \
	>"$run/comch.src"
# What programs of processors lean on.
printf '#include <doca_dpa.h>\nextern bool said;\nextern void say(va_list args);\n' >"$run/dpa.src"
# The address of each function can be taken, and callbacks may be declared noexcept.
cat >"$run/address.cpp" <<'EOF_ADDRESS'
#include <algorithm>
#include <memory>
#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_types.h>

template <typename T, doca_error_t (*destroy)(T *)> struct deleter {
	void operator()(T *object) const { destroy(object); }
};
template <typename T, doca_task *(*as_task)(T *)> static void submit(T *task)
{
	doca_task_submit(as_task(task));
}
template <typename F> static bool there(F f) { return f != nullptr; }

static doca_error_t on_flag(void *, void *) noexcept { return DOCA_SUCCESS; }
static void on_sent(doca_comch_task_send *, doca_data, doca_data) noexcept {}
static void on_received(doca_comch_event_msg_recv *, uint8_t *, uint32_t,
		doca_comch_connection *) noexcept {}
static void on_state(const doca_data data, doca_ctx *ctx, doca_ctx_states,
		doca_ctx_states) noexcept
{
	if (data.ptr == ctx)
		doca_ctx_stop(ctx);
}

int main()
{
	std::unique_ptr<doca_comch_server, deleter<doca_comch_server, doca_comch_server_destroy>>
			server;
	doca_comch_client *client = nullptr;
	doca_comch_task_send *tasks[2] = {nullptr, nullptr};
	doca_task *plain[2];
	doca_argp_param_cb_t set = on_flag;
	doca_data data{client};

	std::transform(tasks, tasks + 2, plain, doca_comch_task_send_as_task);
	submit<doca_comch_task_send, doca_comch_task_send_as_task>(tasks[0]);
	submit<doca_comch_producer_task_send, doca_comch_producer_task_send_as_task>(nullptr);
	submit<doca_comch_consumer_task_post_recv, doca_comch_consumer_task_post_recv_as_task>(
			nullptr);
	doca_comch_client_task_send_set_conf(client, on_sent, on_sent, 1);
	doca_comch_client_event_msg_recv_register(client, on_received);
	doca_ctx_set_state_changed_cb(doca_comch_client_as_ctx(client), on_state);
#if __cplusplus >= 202002L
	doca_ctx_set_user_data(doca_comch_client_as_ctx(client), doca_data{.ptr = client});
	data = {.u64 = 5};
#endif
#ifdef __cpp_aggregate_paren_init
	data = doca_data(client);
#endif
	(void)data;
	return there(set) && there(doca_argp_param_create) && there(doca_error_get_descr) &&
			there(doca_version) && there(doca_log_backend_create_standard) &&
			there(doca_comch_client_create) && there(doca_buf_get_data) &&
			there(server.get()) ? 0 : 1;
}
EOF_ADDRESS

for one in "${public[@]}"; do
	echo "#include <$one>" >"$run/alone-${one%.h}.src"
	# each pair in both orders, in as many files as there are headers
	printf '#include <%s>\n' "$one" "${public[@]}" >"$run/first-${one%.h}.src"
done
printf '#include <%s>\n' "${public[@]}" >"$run/all-forward.src"
tac "$run/all-forward.src" >"$run/all-backward.src"
# C wants something declared, and some headers have only macros.
for f in "$run"/alone-*.src; do
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
				list "$language" "$name" "$standard" "$flag" comch.src
				list "$language" "$name" "$standard" "$flag" dpa.src
				# DOCA_LOG_REGISTER() with a semicolon has one too many
				list "$language" "$name" "$standard" "$flag -Wno-pedantic" 'use-*.src'
			done
			list "$language" "$name" "$standard" \
				'-DDOCA_LOGGING_ALLOW_TRACE -DDOCA_LOGGING_ALLOW_DLOG -DDOCA_COMPAT_ARCH_DPU' \
				'use-none.src'
			list "$language" "$name" "$standard" -DDOCA_COMPAT_CC_2_5 'all-*.src'
			list "$language" "$name" "$standard" -DDOCA_COMPAT_2_2 'al*.src'
		done
	done
	list c gcc c99 -DNOTHING 'first-*.src'
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

# A program of 2.5 that does not say so is told, and does not run with a wrong callback.
cat >"$run/year.src" <<'EOF_YEAR'
#include <doca_cc.h>
static void on_receive(struct doca_cc_event_msg_recv *event, uint8_t *bytes, size_t len,
		struct doca_cc_connection *connection)
{
	(void)event, (void)bytes, (void)len, (void)connection;
}
doca_error_t set_up(struct doca_cc_client *client);
doca_error_t set_up(struct doca_cc_client *client)
{
	return doca_cc_client_event_msg_recv_register(client, on_receive);
}
EOF_YEAR
"${compile[@]}" -DDOCA_COMPAT_CC_2_5 "$run/year.src" || { echo '2.5, and refused'; exit 1; }
if "${compile[@]}" "$run/year.src" 2>/dev/null; then
	echo 'a callback of 2.5 is not seen'
	exit 1
fi

# shellcheck disable=SC2016 # expanded by the inner shell
xargs -0 -P "$jobs" -n 1 bash -c '
	read -ra words <<<"$1"
	"${words[0]}" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$0" "${words[@]:1}" || {
		echo "does not compile: $1"
		exit 1
	}' "$headers" <"$run/list"
echo "${#public[@]} headers, $count compilations"
