/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Processes of the model, and what the tests ask of them. The model is the
 * program of the same build, or what COMCH_BLUEFIELD_MODEL names.
 */

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_log.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define MODEL_PROGRAM "comch-bluefield-model"
#define MODEL_START_MS 60000
#define MODEL_STOP_MS 10000

static int
model_program(char *path, size_t size)
{
	const char *env = getenv("COMCH_BLUEFIELD_MODEL");
	char self[PATH_MAX], *slash;
	ssize_t n;

	if (env != NULL) {
		snprintf(path, size, "%s", env);
	} else {
		n = readlink("/proc/self/exe", self, sizeof(self) - 1);
		self[n > 0 ? n : 0] = '\0';
		slash = strrchr(self, '/');
		if (slash != NULL)
			*slash = '\0';
		n = snprintf(path, size, "%s/%s", self, MODEL_PROGRAM);
		if (n < 0 || (size_t)n >= size)
			return -1;
	}
	return access(path, X_OK);
}

/* In the child: nothing but exec. */
static void
model_exec(const struct test_model *m, const char *program, char *functions, int in, int out)
{
	const char *args[TEST_MODEL_ARGS];
	char *word, *next;
	int n = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	args[n++] = program;
	args[n++] = "--dir";
	args[n++] = m->dir;
	args[n++] = "--log";
	args[n++] = m->log;
	args[n++] = "--log-level";
	args[n++] = "debug";
	args[n++] = "--until-eof";
	for (word = strtok_r(functions, " ", &next); word != NULL && n + 3 < TEST_MODEL_ARGS;
			word = strtok_r(NULL, " ", &next)) {
		if (word[0] != '-')
			args[n++] = "--function";
		args[n++] = word;
	}
	args[n] = NULL;
	/* execv() changes nothing; its type is older than const */
	execv(program, (char * const *)(uintptr_t)args);
	_exit(127);
}

/* Its first line says that all sockets are there. */
static int
model_wait_ready(int out)
{
	struct pollfd pfd = { .fd = out, .events = POLLIN };
	char line[256];
	size_t len = 0;
	uint64_t end = test_now_ns() + MODEL_START_MS * 1000000ull;
	ssize_t n;

	while (test_now_ns() < end && len < sizeof(line) - 1) {
		if (poll(&pfd, 1, 100) <= 0)
			continue;
		n = read(out, line + len, sizeof(line) - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
		line[len] = '\0';
		if (strchr(line, '\n') != NULL)
			return strncmp(line, "ready:", 6) == 0 ? 0 : -1;
	}
	return -1;
}

static int
model_connect(const struct test_model *m)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), n;

	if (fd < 0)
		return -1;
	n = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/control", m->dir);
	if (n < 0 || (size_t)n >= sizeof(addr.sun_path) ||
			connect(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
model_forget(struct test_model *m)
{
	if (m->in >= 0)
		close(m->in);
	if (m->ctl >= 0)
		close(m->ctl);
	m->in = m->ctl = -1;
	m->pid = 0;
	test_folder_empty(m->dir);
	rmdir(m->dir);
}

int
test_model_start(struct test_model *m, const char *functions)
{
	int in[2], out[2];
	char program[PATH_MAX], *words;
	int ret;

	memset(m, 0, sizeof(*m));
	m->in = m->ctl = -1;
	if (model_program(program, sizeof(program)) != 0)
		return test_skip("%s is not built beside this program, and COMCH_BLUEFIELD_MODEL names none",
			MODEL_PROGRAM);
	TEST_EXPECT(test_rendezvous_create(m->dir, sizeof(m->dir)), 0);
	snprintf(m->log, sizeof(m->log), "%s/model.log", m->dir);
	words = strdup(functions);
	TEST_TRUE(words != NULL);
	TEST_EXPECT(pipe2(in, O_CLOEXEC), 0);
	TEST_EXPECT(pipe2(out, O_CLOEXEC), 0);
	fflush(stdout);
	m->pid = fork();
	if (m->pid == 0)
		model_exec(m, program, words, in[0], out[1]);
	free(words);
	close(in[0]);
	close(out[1]);
	m->in = in[1];
	ret = model_wait_ready(out[0]);
	close(out[0]);
	if (ret == 0)
		m->ctl = model_connect(m);
	if (m->ctl < 0) {
		test_model_kill(m);
		TEST_ASSERT(false, "the model did not start with '%s'", functions);
	}
	return TEST_SUCCESS;
}

int
test_model_stop(struct test_model *m)
{
	uint64_t end = test_now_ns() + MODEL_STOP_MS * 1000000ull;
	int status = -1;
	pid_t pid = 0;

	if (m->pid == 0)
		return TEST_SUCCESS;
	close(m->in);
	m->in = -1;
	while (pid == 0 && test_now_ns() < end) {
		pid = waitpid(m->pid, &status, WNOHANG);
		if (pid == 0)
			usleep(1000);
	}
	if (pid == 0) {
		test_model_kill(m);
		TEST_ASSERT(false, "the model did not end within %d ms", MODEL_STOP_MS);
	}
	model_forget(m);
	TEST_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		"the model ended with status 0x%x", (unsigned int)status);
	return TEST_SUCCESS;
}

void
test_model_kill(struct test_model *m)
{
	if (m->pid > 0) {
		kill(m->pid, SIGKILL);
		waitpid(m->pid, NULL, 0);
	}
	model_forget(m);
}

/* An answer ends in a line "ok" or "error: ...". */
static int
answer_end(const char *answer, size_t len)
{
	const char *line;

	if (len == 0 || answer[len - 1] != '\n')
		return 1;
	for (line = answer + len - 1; line > answer && line[-1] != '\n'; line--)
		;
	if (strcmp(line, "ok\n") == 0)
		return 0;
	return strncmp(line, "error: ", 7) == 0 ? -1 : 1;
}

int
test_model_ctl(struct test_model *m, const char *format, ...)
{
	struct pollfd pfd = { .fd = m->ctl, .events = POLLIN };
	uint64_t end = test_now_ns() + TEST_MS * 1000000ull;
	size_t len = 0;
	char line[512];
	va_list ap;
	int n, ret = 1;

	va_start(ap, format);
	n = vsnprintf(line, sizeof(line) - 1, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line) - 1)
		return -1;
	line[n++] = '\n';
	m->answer[0] = '\0';
	if (send(m->ctl, line, (size_t)n, MSG_NOSIGNAL) != n)
		return -1;
	while (ret > 0 && test_now_ns() < end && len < sizeof(m->answer) - 1) {
		if (poll(&pfd, 1, 100) <= 0)
			continue;
		n = (int)read(m->ctl, m->answer + len, sizeof(m->answer) - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
		m->answer[len] = '\0';
		ret = answer_end(m->answer, len);
	}
	return ret == 0 ? 0 : -1;
}

/* The value behind a key, in the line that begins here. */
static const char *
value_of(const char *line, const char *key)
{
	size_t len = strlen(key);
	const char *end = strchr(line, '\n'), *p;

	for (p = line; (p = strstr(p, key)) != NULL && (end == NULL || p < end); p += len)
		if (p[len] == '=' && (p == line || p[-1] == ' '))
			return p + len + 1;
	return NULL;
}

long
test_model_state(struct test_model *m, const char *function, const char *key)
{
	const char *value;

	if (test_model_ctl(m, "state %s", function) != 0)
		return -1;
	value = value_of(m->answer, key);
	return value == NULL ? -1 : strtol(value, NULL, 0);
}

static const char *
vport_value(struct test_model *m, const char *vport, const char *key)
{
	char head[64];
	const char *line;

	snprintf(head, sizeof(head), "vport %s ", vport);
	if (test_model_ctl(m, "switch dump") != 0)
		return NULL;
	line = strstr(m->answer, head);
	return line == NULL ? NULL : value_of(line, key);
}

long
test_model_vport(struct test_model *m, const char *vport, const char *key)
{
	const char *value = vport_value(m, vport, key);

	return value == NULL ? -1 : strtol(value, NULL, 0);
}

/* Words of one station of a rule: its MAC address, and its GID. */
static int
station_words(struct test_model *m, const char *vport, const char *side, char *words, size_t size)
{
	const char *value = vport_value(m, vport, "mac");
	uint64_t mac;
	uint8_t b[6];
	int i;

	if (value == NULL)
		return -1;
	mac = strtoull(value, NULL, 16);
	for (i = 0; i < 6; i++)
		b[i] = mac >> (40 - 8 * i) & 0xff;
	snprintf(words, size, "%s_mac %02x:%02x:%02x:%02x:%02x:%02x "
		"%s_ip fe80::%02x%02x:%02xff:fe%02x:%02x%02x", side, b[0], b[1], b[2], b[3], b[4],
		b[5], side, b[0] ^ 2, b[1], b[2], b[3], b[4], b[5]);
	return 0;
}

int
test_model_rule(struct test_model *m, const char *action, const char *from, const char *to)
{
	char source[128], target[128];

	if (station_words(m, from, "src", source, sizeof(source)) != 0 ||
			station_words(m, to, "dst", target, sizeof(target)) != 0)
		return -1;
	return test_model_ctl(m, "rule %s dev %s ingress prio 1 protocol ipv6 flower skip_sw %s %s "
		"ip_proto udp dst_port 4791 action mirred egress redirect dev %s", action, from,
		source, target, to);
}

int
test_model_allow(struct test_model *m, const char *a, const char *b)
{
	TEST_EXPECT(test_model_rule(m, "add", a, b), 0);
	TEST_EXPECT(test_model_rule(m, "add", b, a), 0);
	return TEST_SUCCESS;
}

bool
test_model_logged(const struct test_model *m, const char *words)
{
	char line[1024];
	bool found = false;
	FILE *f = fopen(m->log, "r");

	if (f == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = strstr(line, words) != NULL;
	fclose(f);
	return found;
}

int
test_model_dev_add(struct test_model *m, const char *function, const char *args)
{
	char *devargs;
	int ret;

	TEST_TRUE(m->nb_devs < TEST_MODEL_DEVS);
	TEST_TRUE(asprintf(&devargs, "socket=%s/%s.sock%s%s", m->dir, function,
		args[0] != '\0' ? "," : "", args) > 0);
	ret = test_dev_plug("comch_bluefield", devargs);
	free(devargs);
	if (ret >= 0)
		m->devs[m->nb_devs++] = (int16_t)ret;
	return ret;
}

int
test_model_dev_remove(struct test_model *m, int16_t dev_id)
{
	unsigned int i;

	for (i = 0; i < m->nb_devs && m->devs[i] != dev_id; i++)
		;
	TEST_TRUE(i < m->nb_devs);
	m->devs[i] = m->devs[--m->nb_devs];
	return test_vdev_remove(dev_id);
}

int
test_model_devs_remove(struct test_model *m)
{
	while (m->nb_devs > 0)
		TEST_EXPECT(test_model_dev_remove(m, m->devs[m->nb_devs - 1]), 0);
	return TEST_SUCCESS;
}

void
test_model_teardown(void)
{
	if (test_model_devs_remove(&model) != TEST_SUCCESS)
		test_fail("a device cannot be removed");
	test_log_end();
	if (test_model_stop(&model) != TEST_SUCCESS)
		test_fail("the model did not end well");
}

int
test_dev_status(int16_t dev_id)
{
	struct rte_comch_dev_info info;
	int ret = rte_comch_dev_info_get(dev_id, &info);

	return ret != 0 ? ret : info.status;
}

unsigned int
test_fds_most(void)
{
	unsigned int i, most = 0;

	for (i = 0; i < 5; i++) {
		most = RTE_MAX(most, test_count_fds());
		usleep(1000);
	}
	return most;
}

struct test_model model;
static FILE *log_file;
static char *log_text;
static size_t log_size;
static bool log_passed;

int
test_log_begin(void)
{
	log_passed = false;
	log_file = open_memstream(&log_text, &log_size);
	if (log_file == NULL)
		return -ENOMEM;
	rte_openlog_stream(log_file);
	return 0;
}

bool
test_log_has(const char *words)
{
	if (log_file == NULL)
		return false;
	fflush(log_file);
	return strstr(log_text, words) != NULL;
}

unsigned int
test_log_count(const char *words)
{
	unsigned int nb = 0;
	const char *p;

	if (log_file == NULL)
		return 0;
	fflush(log_file);
	for (p = log_text; (p = strstr(p, words)) != NULL; p += strlen(words))
		nb++;
	return nb;
}

int
test_log_passed(void)
{
	log_passed = true;
	return TEST_SUCCESS;
}

void
test_log_drop(void)
{
	test_log_passed();
	test_log_end();
}

void
test_log_end(void)
{
	if (log_file == NULL)
		return;
	rte_openlog_stream(NULL);
	fclose(log_file);
	log_file = NULL;
	if (!log_passed && log_text[0] != '\0')
		printf("-- logged:\n%s--\n", log_text);
	free(log_text);
	log_text = NULL;
}
