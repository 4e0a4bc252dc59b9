/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Offload processors, and the files of their programs: what is no program, an error of its
 * own and a log that says what to do; and a program of another machine, by a runner.
 */

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_bluefield_model.h"
#include "test_shm_dpa.h"

#define CALL_MS 10000
/* Bytes of notes that are looked at. */
#define MAX_NOTES 4096
#define MAX_PHDRS 64
#define MANY_EUS 64
#define NOTE "dpdk-comch"
#define RUNNER "/usr/bin/qemu-riscv64-static"
#define RUNNER_PACKAGE "qemu-user-static"

static struct rte_comch_dpa *dpa;
static struct test_dpa_left left;
static char file[64];      /* a file of the test's own */
static uint8_t *bytes;     /* a good program */
static size_t nb_bytes;

/* All of a file. */
static int
read_all(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;

	if (f == NULL || fstat(fileno(f), &st) != 0)
		return -1;
	bytes = malloc(st.st_size);
	nb_bytes = st.st_size;
	if (bytes == NULL || fread(bytes, 1, nb_bytes, f) != nb_bytes)
		return -1;
	return fclose(f);
}

static int
setup(void)
{
	TEST_CALL(test_dpa_setup());
	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_CALL(test_dpa_end(dpa));
	TEST_EXPECT(read_all(test_dpa_program("")), 0);
	snprintf(file, sizeof(file), "/tmp/comch-dpa-file-%d", (int)getpid());
	TEST_EXPECT(test_log_begin(), 0);
	test_dpa_left_get(&left);
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	unlink(file);
	free(bytes);
	bytes = NULL;
	test_log_end();
	test_dpa_teardown();
}

static int
file_write(const void *data, size_t len, mode_t mode)
{
	int fd;

	unlink(file);
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	TEST_TRUE(fd >= 0);
	TEST_EXPECT(write(fd, data, len), len);
	TEST_EXPECT(fchmod(fd, mode), 0);
	close(fd);
	return TEST_SUCCESS;
}

/* A program that is refused, and words that say why and what to do: of this one. */
static int
refused(const char *path, int error, const char *words, const char *remedy)
{
	struct rte_comch_dpa_conf conf = { .program = path };

	TEST_EXPECT(test_dpa_start(&conf, &dpa), error);
	TEST_ASSERT(test_log_has(words), "no word of: %s", words);
	TEST_ASSERT(test_log_has(remedy), "no word of: %s", remedy);
	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	return test_dpa_left_check(&left);
}

/* The same, of a good program that is changed. */
static int
changed(size_t off, const void *to, size_t len, int error, const char *words)
{
	uint8_t old[64];

	memcpy(old, bytes + off, len);
	memcpy(bytes + off, to, len);
	TEST_CALL(file_write(bytes, nb_bytes, 0700));
	memcpy(bytes + off, old, len);
	return refused(file, error, words, "build it");
}

static int
test_no_program(void)
{
	TEST_CALL(refused("/tmp/comch-dpa/there-is-none", -ENOENT, "No such file", "give the path"));
	TEST_CALL(refused("/tmp", -EACCES, "/tmp is no file", "give the path of a program"));
	TEST_CALL(refused("/dev/null", -EACCES, "/dev/null is no file",
			"give the path of a program"));
	TEST_EXPECT(mkfifo(file, 0700), 0);
	TEST_CALL(refused(file, -EACCES, "is no file", file));
	TEST_CALL(file_write(bytes, nb_bytes, 0600));
	TEST_CALL(refused(file, -EACCES, "is not executable", "chmod +x"));
	TEST_CALL(file_write("#!/bin/sh\n", 10, 0700));
	TEST_CALL(refused(file, -ENOEXEC, "no executable of a 64-bit machine", "comch-dpa-cc"));
	TEST_CALL(file_write("", 0, 0700));
	TEST_CALL(refused(file, -ENOEXEC, "no executable of a 64-bit machine", "comch-dpa-cc"));
	TEST_CALL(file_write(bytes, sizeof(Elf64_Ehdr) - 1, 0700));
	TEST_CALL(refused(file, -ENOEXEC, "no executable of a 64-bit machine", "comch-dpa-cc"));
	TEST_CALL(refused("/bin/true", -ENOEXEC, "/bin/true is linked dynamically",
		"comch-dpa-cc"));
	return test_log_passed();
}

/* Where the note of the runtime is. */
static size_t
note_off(void)
{
	size_t i;

	for (i = 0; i + sizeof(NOTE) < nb_bytes; i++)
		if (memcmp(bytes + i, NOTE "\0", sizeof(NOTE)) == 0)
			return i;
	return 0;
}

static int
test_changed(void)
{
	const uint32_t version = 77, first = 1, big = UINT32_MAX, part = 4, empty = 0;
	const uint16_t none = 0, many = UINT16_MAX, machine = EM_S390, size = 3;
	const uint64_t far = UINT64_MAX;
	const uint8_t odd = 0x7e, other = 1, big_endian = ELFDATA2MSB;
	size_t note = note_off(), at;

	TEST_TRUE(note > 12);
	/* a static executable, but not one of ours */
	TEST_CALL(changed(note, "somebody", 8, -ENOEXEC, "has no runtime of offload programs"));
	/* sizes of notes that go beyond the file and the range of numbers */
	TEST_CALL(changed(note - 12, &big, 4, -ENOEXEC, "has no runtime"));
	TEST_CALL(changed(note - 8, &big, 4, -ENOEXEC, "has no runtime"));
	/* a part of the name, and no version */
	TEST_CALL(changed(note - 12, &part, 4, -ENOEXEC, "has no runtime"));
	TEST_CALL(changed(note - 8, &empty, 4, -ENOEXEC, "has no runtime"));
	at = note + RTE_ALIGN_CEIL(sizeof(NOTE), 4);
	TEST_CALL(changed(at, &version, 4, -EPROTO, "has version 77 of the runtime"));
	/* whose messages had other numbers */
	TEST_CALL(changed(at, &first, 4, -EPROTO, "has version 1 of the runtime"));
	TEST_CALL(changed(EI_MAG0, &odd, 1, -ENOEXEC, "no executable of a 64-bit machine"));
	TEST_CALL(changed(EI_CLASS, &other, 1, -ENOEXEC, "no executable of a 64-bit machine"));
	TEST_CALL(changed(EI_DATA, &big_endian, 1, -ENOEXEC, "no executable of a 64-bit machine"));
	TEST_CALL(changed(offsetof(Elf64_Ehdr, e_machine), &machine, 2, -ENOEXEC,
		"is for another machine"));
	TEST_CALL(changed(offsetof(Elf64_Ehdr, e_type), &none, 2, -ENOEXEC, "is no executable"));
	TEST_CALL(changed(offsetof(Elf64_Ehdr, e_phnum), &many, 2, -ENOEXEC, "damaged"));
	TEST_CALL(changed(offsetof(Elf64_Ehdr, e_phnum), &none, 2, -ENOEXEC, "no runtime"));
	TEST_CALL(changed(offsetof(Elf64_Ehdr, e_phentsize), &size, 2, -ENOEXEC, "damaged"));
	TEST_CALL(changed(offsetof(Elf64_Ehdr, e_phoff), &far, 8, -ENOEXEC, "damaged"));
	return test_log_passed();
}

/* Its notes are changed: all of them, as there may be several. */
static int
notes_changed(size_t off, const void *to, size_t len)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)(const void *)bytes;
	Elf64_Phdr *phdr = (Elf64_Phdr *)(void *)(bytes + ehdr->e_phoff), old[MAX_PHDRS];
	uint32_t i;

	TEST_TRUE(ehdr->e_phnum <= MAX_PHDRS);
	memcpy(old, phdr, ehdr->e_phnum * sizeof(old[0]));
	for (i = 0; i < ehdr->e_phnum; i++)
		if (old[i].p_type == PT_NOTE)
			memcpy((uint8_t *)&phdr[i] + off, to, len);
	TEST_CALL(file_write(bytes, nb_bytes, 0700));
	memcpy(phdr, old, ehdr->e_phnum * sizeof(old[0]));
	return refused(file, -ENOEXEC, "has no runtime", "build it");
}

/* Notes that are none, or where nothing can be read. */
static int
test_no_notes(void)
{
	const uint32_t none = PT_NULL, type = 1;
	const uint64_t far = UINT64_MAX;

	TEST_CALL(notes_changed(offsetof(Elf64_Phdr, p_type), &none, sizeof(none)));
	TEST_CALL(notes_changed(offsetof(Elf64_Phdr, p_offset), &far, sizeof(far)));
	TEST_CALL(changed(note_off() - 4, &type, 4, -ENOEXEC, "has no runtime"));
	return test_log_passed();
}

/* Notes of more bytes than are looked at: the one of the runtime is found among those. */
static int
test_many_notes(void)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)(const void *)bytes;
	Elf64_Phdr *phdr = (Elf64_Phdr *)(void *)(bytes + ehdr->e_phoff);
	struct rte_comch_dpa_conf conf = { .program = file };
	uint32_t i;

	for (i = 0; i < ehdr->e_phnum && phdr[i].p_type != PT_NOTE; i++)
		;
	TEST_TRUE(i < ehdr->e_phnum && nb_bytes > phdr[i].p_offset + 2 * MAX_NOTES);
	phdr[i].p_filesz = nb_bytes;
	TEST_CALL(file_write(bytes, nb_bytes, 0700));
	TEST_EXPECT(test_dpa_start(&conf, &dpa), 0);
	TEST_CALL(test_dpa_end(dpa));
	TEST_CALL(test_dpa_left_check(&left));
	return test_log_passed();
}

/* What the kernel refuses, and a program that ends before it answers. */
static int
test_no_start(void)
{
	struct rte_comch_dpa_conf conf = { .program = file };
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)(void *)bytes;
	uint64_t entry = ehdr->e_entry;
	size_t len;

	/* it has all its headers, and nothing to run */
	ehdr->e_entry = 0;
	TEST_CALL(file_write(bytes, nb_bytes, 0700));
	ehdr->e_entry = entry;
	TEST_CALL(refused(file, -EIO, "signal 11", "ended it"));
	/* cut at any length: an error, whichever it is */
	for (len = 1; len < nb_bytes; len += nb_bytes / 50) {
		TEST_CALL(file_write(bytes, len, 0700));
		if (test_dpa_start(&conf, &dpa) == 0)
			TEST_CALL(test_dpa_end(dpa));
		TEST_CALL(test_dpa_left_check(&left));
	}
	return test_log_passed();
}

/* A CPU that is not there: which units want which, and what to look at. */
static int
test_cpu_refused(void)
{
	int32_t cpus[] = { 1023, -1, 1 << 20 }, many[MANY_EUS];
	struct rte_comch_dpa_conf conf = {
		.program = test_dpa_program(""), .nb_eus = 2, .eu_cpus = cpus,
	};
	unsigned int i;

	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EINVAL);
	TEST_TRUE(test_log_has("(unit:CPU 0:1023): give those of taskset"));
	conf.nb_eus = RTE_DIM(cpus);
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EINVAL);
	TEST_TRUE(test_log_has("(unit:CPU 0:1023 2:1048576): give"));
	/* more than a line of the log has room for */
	for (i = 0; i < MANY_EUS; i++)
		many[i] = INT32_MAX;
	conf.eu_cpus = many;
	conf.nb_eus = MANY_EUS;
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EINVAL);
	TEST_TRUE(test_log_has("(unit:CPU 0:2147483647 1:2147483647"));
	TEST_CALL(test_dpa_left_check(&left));
	return test_log_passed();
}

static int
test_runner(void)
{
	struct rte_comch_dpa_conf conf = {
		.program = test_dpa_program(""), .runner = RUNNER "-none", .nb_eus = 2,
		.flags = RTE_COMCH_DPA_F_UNCONFINED,
	};

	TEST_EXPECT(test_dpa_start(&conf, &dpa), -ENOENT);
	TEST_TRUE(test_log_has("cannot execute it, with runner " RUNNER "-none: No such file"));
	conf.runner = "/bin/true";
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EIO);
	TEST_TRUE(test_log_has("it ended itself, with status 0"));
	/* whoever runs it need not be allowed to execute it */
	TEST_CALL(file_write(bytes, nb_bytes, 0600));
	conf.program = file;
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EIO);
	conf.program = test_dpa_program("");
	TEST_CALL(test_dpa_left_check(&left));
	/* none, and without a filter */
	conf.runner = NULL;
	TEST_EXPECT(test_dpa_start(&conf, &dpa), 0);
	TEST_EXPECT(test_dpa_deed_call(dpa, DEED_OPEN, 0, CALL_MS), 0);
	TEST_CALL(test_dpa_end(dpa));
	TEST_CALL(test_dpa_left_check(&left));
	return test_log_passed();
}

/* What a program does by the runner, in each of its ways to run. */
static int
riscv64_work(void)
{
	const struct rte_comch_dpa_thread_conf conf = { .func = "deed_thread", .arg = DEED_LOG };
	uint64_t args[] = { 40, 2, 0 }, addr, ret, word = 0x0123456789abcdef;
	struct rte_comch_dpa_window *window;
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_eu_info eu;
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem;
	uint32_t handle;

	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "add", args, 2, CALL_MS, &ret), 0);
	TEST_EXPECT(ret, 42);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 8, &addr), 0);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr, &word, 8), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "peek", &addr, 1, CALL_MS, &ret), 0);
	TEST_EXPECT(ret, word);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr), 0);
	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &thread), 0);
	TEST_EXPECT(rte_comch_dpa_thread_run(thread), 0);
	TEST_WAIT(rte_comch_dpa_eu_info_get(dpa, 0, &eu) == 0 && eu.runs == 1, CALL_MS);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 4096, RTE_COMCH_MEM_F_DPA, &mem), 0);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_ALL, &window), 0);
	TEST_EXPECT(rte_comch_dpa_window_handle_get(window, &handle), 0);
	args[0] = handle;
	args[1] = (uintptr_t)info.addr;
	args[2] = word;
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "window_poke", args, 3, CALL_MS, &ret), 0);
	TEST_EXPECT(ret, 1);
	TEST_EXPECT(*(uint64_t *)info.addr, word);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	return rte_comch_mem_free(mem);
}

static int
test_riscv64(void)
{
	struct rte_comch_dpa_conf conf = { .runner = RUNNER, .nb_eus = 2 };
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_status status;
	char program[4096];

	snprintf(program, sizeof(program), "%s", test_dpa_program("-riscv64"));
	conf.program = program;
	if (access(program, X_OK) != 0)
		return test_skip("no riscv64 program: install gcc-riscv64-linux-gnu, set up anew");
	if (access(RUNNER, X_OK) != 0)
		return test_skip("no " RUNNER ": install " RUNNER_PACKAGE);
	test_time_limit(60);
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EPERM);
	conf.flags = RTE_COMCH_DPA_F_UNCONFINED;
	TEST_EXPECT(test_dpa_start(&conf, &dpa), 0);
	TEST_CALL(riscv64_work());
	/* its runtime tells of a fault as on a machine of its own */
	TEST_EXPECT(test_dpa_deed_thread(dpa, 1, DEED_NULL, 0, &thread), 0);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_FAULT);
	TEST_EXPECT(status.eu, 1);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
	TEST_CALL(test_dpa_end(dpa));
	/* not without the runner */
	conf.runner = NULL;
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -ENOEXEC);
	TEST_TRUE(test_log_has("is for riscv64"));
	TEST_CALL(test_dpa_left_check(&left));
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "comch: files of programs of offload processors",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_no_program),
		TEST_CASE_ST(setup, teardown, test_changed),
		TEST_CASE_ST(setup, teardown, test_no_notes),
		TEST_CASE_ST(setup, teardown, test_many_notes),
		TEST_CASE_ST(setup, teardown, test_no_start),
		TEST_CASE_ST(setup, teardown, test_cpu_refused),
		TEST_CASE_ST(setup, teardown, test_runner),
		TEST_CASE_ST(setup, teardown, test_riscv64),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(shm_dpa_file_autotest, unit_test_suite_runner, &suite)
