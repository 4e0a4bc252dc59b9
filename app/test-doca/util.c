/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What is printed, time, and processes: for the cases of all suites.
 */

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test_doca.h"

FILE *
test_file(void)
{
	FILE *file = tmpfile();

	if (file == NULL) {
		perror("tmpfile");
		exit(EXIT_FAILURE);
	}
	return file;
}

void
test_read(FILE *file, char text[TEST_TEXT_SIZE])
{
	size_t length;

	fflush(NULL);
	rewind(file);
	length = fread(text, 1, TEST_TEXT_SIZE - 1, file);
	text[length] = '\0';
	fseek(file, 0, SEEK_END);
}

unsigned int
test_count(const char *text, const char *what)
{
	unsigned int n = 0;

	for (text = strstr(text, what); text != NULL; text = strstr(text + 1, what))
		n++;
	return n;
}

void
test_capture(FILE *out, FILE *err)
{
	fflush(NULL);
	if (dup2(fileno(out), STDOUT_FILENO) < 0 || dup2(fileno(err), STDERR_FILENO) < 0)
		exit(EXIT_FAILURE);
}

int
test_process(void (*fn)(void), char out[TEST_TEXT_SIZE], char err[TEST_TEXT_SIZE])
{
	FILE *files[2] = {test_file(), test_file()};
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		test_capture(files[0], files[1]);
		fn();
		exit(99); /* it has returned */
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		status = -1;
	else
		status = WEXITSTATUS(status);
	test_read(files[0], out);
	test_read(files[1], err);
	fclose(files[0]);
	fclose(files[1]);
	return status;
}

uint64_t
test_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void
test_sleep_ms(unsigned int ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&time, NULL);
}

bool
test_readable(int fd, int ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, ms) == 1 && (poll_fd.revents & POLLIN) != 0;
}

int
test_other_start(struct test_other *other, int (*fn)(struct test_other *other, void *arg),
		void *arg)
{
	int fds[2];

	TEST_TRUE(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	fflush(NULL);
	other->pid = fork();
	TEST_TRUE(other->pid >= 0);
	if (other->pid == 0) {
		close(fds[0]);
		other->fd = fds[1];
		alarm(2 * TEST_WAIT_MS / 1000);
		exit(fn(other, arg) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	close(fds[1]);
	other->fd = fds[0];
	return 0;
}

/* A side that has ended makes the other fail here. */
int
test_other_sync(struct test_other *other)
{
	char byte = 0;

	TEST_TRUE(send(other->fd, &byte, 1, MSG_NOSIGNAL) == 1);
	TEST_TRUE(test_readable(other->fd, TEST_WAIT_MS));
	TEST_TRUE(read(other->fd, &byte, 1) == 1);
	return 0;
}

int
test_other_end(struct test_other *other)
{
	int status = 0;

	TEST_TRUE(waitpid(other->pid, &status, 0) == other->pid);
	close(other->fd);
	TEST_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
	return 0;
}

void
test_other_kill(struct test_other *other)
{
	kill(other->pid, SIGKILL);
	waitpid(other->pid, NULL, 0);
	close(other->fd);
}

static FILE *heard;

int
test_listen(void)
{
	struct doca_log_backend *backend;

	heard = test_file();
	TEST_OK(doca_log_backend_create_with_file_sdk(heard, &backend));
	return 0;
}

const char *
test_heard(void)
{
	static char text[TEST_TEXT_SIZE];

	test_read(heard, text);
	return text;
}

bool
test_limit(int resource, rlim_t soft)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0)
		return false;
	limit.rlim_cur = soft == RLIM_INFINITY ? limit.rlim_max : soft;
	return setrlimit(resource, &limit) == 0;
}
