/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What is printed, and processes: for the cases of all suites.
 */

#include <sys/wait.h>
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
