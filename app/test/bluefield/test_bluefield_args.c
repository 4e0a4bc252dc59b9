/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Device arguments of the bluefield driver, each with its mistakes, sockets that
 * are none, and what a device shows of itself: info, telemetry, dump, and what it
 * refuses.
 */

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"

static int16_t dev_id;
static char dir[PATH_MAX];
static char name[RTE_DEV_NAME_MAX_LEN];

static int
case_setup(void)
{
	TEST_EXPECT(test_rendezvous_create(dir, sizeof(dir)), 0);
	return test_log_begin();
}

static void
case_teardown(void)
{
	test_model_teardown();
	test_rendezvous_remove(dir);
}

static int
setup_model(void)
{
	TEST_CALL(case_setup());
	/* of different ports: pf0 has pages of its own client */
	return test_model_start(&model, "pf0 ecpf1");
}

/* Plug a device with just these arguments. */
static int
plug(const char *args)
{
	static unsigned int count;

	snprintf(name, sizeof(name), "comch_bluefield_args%u", count++);
	return rte_vdev_init(name, args);
}

/* It is refused so, at once; the log names the device and has these words. */
static int
expect_refused(const char *args, int error, const char *words, const char *remedy)
{
	unsigned int fds = test_fds_most();
	uint64_t start;
	int ret;

	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	start = test_now_ns();
	ret = plug(args);
	TEST_ASSERT(ret == error, "'%s': %d (%s), not %d", args, ret,
		ret < 0 ? strerror(-ret) : "", error);
	TEST_ASSERT(test_now_ns() - start < 1000000000, "'%s' took too long", args);
	TEST_ASSERT(test_log_has(name), "'%s': '%s' is not in the log", args, name);
	TEST_ASSERT(test_log_has(words), "'%s': '%s' is not in the log", args, words);
	TEST_ASSERT(test_log_has(remedy), "'%s': '%s' is not in the log", args, remedy);
	TEST_EXPECT(rte_comch_dev_get_id_by_name(name), -ENODEV);
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	return TEST_SUCCESS;
}

static const struct {
	const char *key;
	const char *low;   /* too low by one, NULL: nothing is */
	const char *high;  /* too high by one */
	const char *first;
	const char *last;
} numbers[] = {
	{ "socket_timeout", "9", "3600001", "10", "3600000" },
	{ "cmd_timeout", "9", "3600001", "10", "3600000" },
	{ "fw_timeout", "9", "3600001", "10", "3600000" },
	{ "health", "9", "60001", "10", "60000" },
	{ "max_pages", "0", "16777217", "1", "16777216" },
};

static int
test_numbers(void)
{
	static const char * const bad[] = {
		"", "abc", "-1", "+10", "0x10", "1e3", "10ms", "10 ", " 10", "10.5", "4294967296",
		"4294967306", "18446744073709551626", "99999999999999999999999999", "%s%n", "ten",
	};
	char args[256], words[64];
	unsigned int i, j;

	for (i = 0; i < RTE_DIM(numbers); i++) {
		snprintf(words, sizeof(words), "key '%s'", numbers[i].key);
		for (j = 0; j < RTE_DIM(bad); j++) {
			snprintf(args, sizeof(args), "socket=/nowhere,%s=%s", numbers[i].key,
				bad[j]);
			TEST_CALL(expect_refused(args, -EINVAL, words, "it is a number from"));
		}
		snprintf(args, sizeof(args), "socket=/nowhere,%s", numbers[i].key);
		TEST_CALL(expect_refused(args, -EINVAL, words, "it is a number from"));
		snprintf(args, sizeof(args), "socket=/nowhere,%s=%s", numbers[i].key,
			numbers[i].low);
		TEST_CALL(expect_refused(args, -EINVAL, words, numbers[i].first));
		snprintf(args, sizeof(args), "socket=/nowhere,%s=%s", numbers[i].key,
			numbers[i].high);
		TEST_CALL(expect_refused(args, -EINVAL, words, numbers[i].last));
	}
	return test_log_passed();
}

/* The first and the last that are good go on to the socket. */
static int
test_number_bounds(void)
{
	char args[256];
	unsigned int i;

	for (i = 0; i < RTE_DIM(numbers); i++) {
		snprintf(args, sizeof(args), "%s=%s,socket=/nowhere", numbers[i].key,
			numbers[i].first);
		TEST_CALL(expect_refused(args, -ENOENT, "/nowhere", "start the server"));
		snprintf(args, sizeof(args), "%s=%s,socket=/nowhere", numbers[i].key,
			numbers[i].last);
		TEST_CALL(expect_refused(args, -ENOENT, "/nowhere", "start the server"));
	}
	return test_log_passed();
}

static int
test_keys(void)
{
	static const char * const keys[] = { "socket_timeout=100", "cmd_timeout=100",
		"fw_timeout=100", "health=100", "max_pages=100", "role=host", "socket=/nowhere" };
	static const char * const unknown[] = { "class=comch", "class", "sock=/nowhere", "=", "=1",
		"Role=host", "role =host", "x", "socket_timeout_ms=100" };
	char args[256], words[64];
	unsigned int i;

	for (i = 0; i < RTE_DIM(keys); i++) {
		snprintf(args, sizeof(args), "socket=/nowhere,%s,%s", keys[i], keys[i]);
		snprintf(words, sizeof(words), "key '%.*s'", (int)strcspn(keys[i], "="), keys[i]);
		TEST_CALL(expect_refused(args, -EINVAL, words, "is there twice"));
	}
	for (i = 0; i < RTE_DIM(unknown); i++) {
		snprintf(args, sizeof(args), "socket=/nowhere,%s", unknown[i]);
		/* EAL itself may refuse what is no list of keys: then it has its own words */
		TEST_CALL(expect_refused(args, -EINVAL, "its keys are", "socket=<path>"));
	}
	/* more than EAL takes */
	strcpy(args, "socket=/nowhere");
	for (i = 0; i < 33; i++)
		strcat(args, ",x=1");
	TEST_CALL(expect_refused(args, -EINVAL, "cannot parse", "its keys are"));
	TEST_CALL(expect_refused("socket=/nowhere,peers=02:00:00:00:00:02", -EINVAL,
		"'peers' is no key", "peer=<MAC>"));
	TEST_CALL(expect_refused("role=", -EINVAL, "key 'role'", "it is dpu or host"));
	TEST_CALL(expect_refused("role", -EINVAL, "key 'role'", "it is dpu or host"));
	TEST_CALL(expect_refused("role=DPU", -EINVAL, "key 'role'", "it is dpu or host"));
	TEST_CALL(expect_refused("role=host,socket", -EINVAL, "key 'socket'",
		"it is the path of a socket"));
	TEST_CALL(expect_refused("socket=", -EINVAL, "key 'socket'", "it is the path of a socket"));
	return test_log_passed();
}

/* Without a socket, and the two ways to give a function. */
static int
test_no_socket(void)
{
	TEST_CALL(expect_refused("", -EINVAL, "key 'socket' is missing", "comch-bluefield-model"));
	TEST_CALL(expect_refused("role=host", -EINVAL, "key 'socket' is missing", "class=comch"));
	TEST_EXPECT(plug(NULL), -EINVAL);
	TEST_TRUE(test_log_has("key 'socket' is missing"));
	return test_log_passed();
}

static int
expect_bad_path(const char *path, int error, const char *remedy)
{
	char args[PATH_MAX + 64];

	snprintf(args, sizeof(args), "socket=%s", path);
	return expect_refused(args, error, path[0] != '\0' ? path : "socket", remedy);
}

static int
bind_socket(const char *path, int type, bool listens)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	TEST_TRUE(fd >= 0 && strlen(path) < sizeof(addr.sun_path));
	memcpy(addr.sun_path, path, strlen(path));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 ||
			(listens && listen(fd, 1) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int
test_sockets(void)
{
	char path[PATH_MAX + 16], longest[128];
	int fd;

	snprintf(path, sizeof(path), "%s/gone", dir);
	TEST_CALL(expect_bad_path(path, -ENOENT, "start the server"));
	snprintf(path, sizeof(path), "%s/no/such/folder", dir);
	TEST_CALL(expect_bad_path(path, -ENOENT, "start the server"));
	TEST_CALL(expect_bad_path(dir, -ECONNREFUSED, "nobody listens"));
	/* a file */
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	TEST_TRUE(fd >= 0);
	close(fd);
	TEST_CALL(expect_bad_path(path, -ECONNREFUSED, "nobody listens"));
	unlink(path);
	TEST_EXPECT(mkfifo(path, 0600), 0);
	TEST_CALL(expect_bad_path(path, -ECONNREFUSED, "nobody listens"));
	unlink(path);
	TEST_EXPECT(symlink(path, path), 0);
	TEST_CALL(expect_bad_path(path, -ELOOP, path));
	unlink(path);
	/* a socket that nobody listens to, and one of another kind */
	snprintf(path, sizeof(path), "%s/socket", dir);
	fd = bind_socket(path, SOCK_STREAM, false);
	TEST_TRUE(fd >= 0);
	TEST_CALL(expect_bad_path(path, -ECONNREFUSED, "nobody listens"));
	close(fd);
	TEST_CALL(expect_bad_path(path, -ECONNREFUSED, "nobody listens"));
	unlink(path);
	fd = bind_socket(path, SOCK_DGRAM, false);
	TEST_TRUE(fd >= 0);
	TEST_CALL(expect_bad_path(path, -EPROTOTYPE, "cannot connect"));
	close(fd);
	unlink(path);
	/* as long as an address may be, and one more */
	memset(longest, 'x', sizeof(longest));
	longest[0] = '/';
	longest[107] = '\0';
	TEST_CALL(expect_bad_path(longest, -ENOENT, "start the server"));
	longest[107] = 'x';
	longest[108] = '\0';
	TEST_CALL(expect_bad_path(longest, -EINVAL, "of 1 to 107 bytes"));
	return test_log_passed();
}

/* One that accepts, and is no server: it hangs, or says something else. */
static int
test_other_servers(void)
{
	char path[PATH_MAX + 16], args[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/socket", dir);
	fd = bind_socket(path, SOCK_STREAM, true);
	TEST_TRUE(fd >= 0);
	snprintf(args, sizeof(args), "socket=%s,socket_timeout=50", path);
	/* so many wait to be accepted, and one more may not */
	TEST_CALL(expect_refused(args, -EBUSY, path, "another process has the function"));
	TEST_CALL(expect_refused(args, -EBUSY, path, "another process has the function"));
	TEST_CALL(expect_refused(args, -EBUSY, path, "another one waits"));
	close(fd);
	unlink(path);
	return test_log_passed();
}

/*
 * What a device shows
 */

static int
dump(char *text, size_t size)
{
	FILE *f = fmemopen(text, size, "w");

	TEST_TRUE(f != NULL);
	TEST_EXPECT(rte_comch_dev_dump(dev_id, f), 0);
	fclose(f);
	return TEST_SUCCESS;
}

static int
test_dump(void)
{
	static char text[16384];
	char pages[64];

	dev_id = (int16_t)test_model_dev_add(&model, "pf0", "health=30");
	TEST_TRUE(dev_id >= 0);
	TEST_CALL(dump(text, sizeof(text)));
	snprintf(pages, sizeof(pages), "pages %ld,", test_model_state(&model, "pf0", "given"));
	TEST_ASSERT(strstr(text, pages) != NULL, "no '%s' in\n%s", pages, text);
	TEST_TRUE(strstr(text, "commands ") != NULL && strstr(text, "commands 0,") == NULL);
	TEST_TRUE(strstr(text, "port up") != NULL);
	TEST_TRUE(strstr(text, "objects:") != NULL);
	TEST_TRUE(strstr(text, "failed:") == NULL);
	/* and why it is down, when it is */
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 health synd=8"), 0);
	TEST_WAIT(test_dev_status(dev_id) != 0, TEST_MS);
	TEST_CALL(dump(text, sizeof(text)));
	TEST_TRUE(strstr(text, "failed: firmware failed") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	TEST_CALL(dump(text, sizeof(text)));
	TEST_TRUE(strstr(text, "failed:") == NULL);
	return test_log_passed();
}

static int
telemetry_ask(int sock, const char *what, char *reply, size_t size)
{
	struct pollfd pfd = { .fd = sock, .events = POLLIN };
	char request[64];
	ssize_t n;

	snprintf(request, sizeof(request), "/comch/%s,%d", what, dev_id);
	TEST_TRUE(send(sock, request, strlen(request), 0) == (ssize_t)strlen(request));
	TEST_EXPECT(poll(&pfd, 1, TEST_MS), 1);
	n = read(sock, reply, size - 1);
	TEST_TRUE(n > 0);
	reply[n] = '\0';
	return TEST_SUCCESS;
}

static int
telemetry_connect(int *sock)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct pollfd pfd = { .events = POLLIN };
	char hello[1024];

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/dpdk_telemetry.v2",
		rte_eal_get_runtime_dir());
	*sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	TEST_TRUE(*sock >= 0);
	if (connect(*sock, (struct sockaddr *)&addr, sizeof(addr)) != 0) {
		close(*sock);
		test_log_passed();
		return test_skip("EAL runs without telemetry");
	}
	pfd.fd = *sock;
	TEST_EXPECT(poll(&pfd, 1, TEST_MS), 1);
	TEST_TRUE(read(*sock, hello, sizeof(hello)) > 0);
	return TEST_SUCCESS;
}

static int
test_telemetry(void)
{
	static char reply[16384];
	int sock;

	TEST_CALL(telemetry_connect(&sock));
	dev_id = (int16_t)test_model_dev_add(&model, "ecpf1", "health=30");
	TEST_TRUE(dev_id >= 0);
	TEST_CALL(telemetry_ask(sock, "info", reply, sizeof(reply)));
	TEST_TRUE(strstr(reply, "\"driver\":\"comch_bluefield\"") != NULL);
	TEST_TRUE(strstr(reply, "\"role\":\"dpu\"") != NULL);
	TEST_TRUE(strstr(reply, "\"status\":\"up\"") != NULL);
	TEST_TRUE(strstr(reply, "\"max_clients\":0") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "unplug ecpf1"), 0);
	TEST_WAIT(test_dev_status(dev_id) != 0, TEST_MS);
	TEST_CALL(telemetry_ask(sock, "info", reply, sizeof(reply)));
	TEST_TRUE(strstr(reply, "\"status\":\"up\"") == NULL);
	TEST_TRUE(strstr(reply, strerror(ENODEV)) != NULL);
	/* others answer, too */
	TEST_CALL(telemetry_ask(sock, "stats", reply, sizeof(reply)));
	TEST_CALL(telemetry_ask(sock, "connections", reply, sizeof(reply)));
	TEST_CALL(telemetry_ask(sock, "queues", reply, sizeof(reply)));
	close(sock);
	return test_log_passed();
}

/* There is no connection layer: all of it is refused, with the reason. */
static int
test_contexts(void)
{
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	struct rte_comch_ctx *ctx = NULL;
	struct test_ep *ep = test_ep_new();

	test_server_conf(ep, "test", &server_conf);
	test_client_conf(ep, "test", &client_conf);
	dev_id = (int16_t)test_model_dev_add(&model, "ecpf1", "");
	TEST_TRUE(dev_id >= 0);
	TEST_EXPECT(rte_comch_server_create(dev_id, 0, &server_conf, &ctx), -ENOTSUP);
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	dev_id = (int16_t)test_model_dev_add(&model, "pf0", "");
	TEST_TRUE(dev_id >= 0);
	TEST_EXPECT(rte_comch_client_create(dev_id, &client_conf, &ctx), -ENOTSUP);
	TEST_TRUE(ctx == NULL);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	test_cleanup();
	return test_log_passed();
}

static int
test_reset(void)
{
	struct rte_comch_dev_info info;
	long resets;

	dev_id = (int16_t)test_model_dev_add(&model, "pf0", "health=30");
	TEST_TRUE(dev_id >= 0);
	resets = test_model_state(&model, "pf0", "resets");
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	TEST_TRUE(test_model_state(&model, "pf0", "resets") > resets);
	TEST_EXPECT(rte_comch_dev_info_get(dev_id, &info), 0);
	TEST_EXPECT(info.status, 0);
	TEST_TRUE(info.fw_version[0] != '\0');
	TEST_EXPECT(rte_comch_dev_reset(-1), -EINVAL);
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "arguments of BlueField devices, and what they show",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_numbers),
		TEST_CASE_ST(case_setup, case_teardown, test_number_bounds),
		TEST_CASE_ST(case_setup, case_teardown, test_keys),
		TEST_CASE_ST(case_setup, case_teardown, test_no_socket),
		TEST_CASE_ST(case_setup, case_teardown, test_sockets),
		TEST_CASE_ST(case_setup, case_teardown, test_other_servers),
		TEST_CASE_ST(setup_model, case_teardown, test_dump),
		TEST_CASE_ST(setup_model, case_teardown, test_telemetry),
		TEST_CASE_ST(setup_model, case_teardown, test_contexts),
		TEST_CASE_ST(setup_model, case_teardown, test_reset),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_args_autotest, unit_test_suite_runner, &suite);
