/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Only in a program with ThreadSanitizer, which keeps its books by address. Two
 * sides of one process map the same memory at two addresses, so it would see
 * neither the races nor the orders between them. The linker sends mmap64() and
 * munmap() here (--wrap in meson.build; meson makes mmap() that of 64 bits): a
 * file of memory that the process has mapped already is given out once more at
 * the same address.
 *
 * The program loses one thing: what is mapped to read can be written. The tests
 * of that run in all other builds.
 *
 * ThreadSanitizer starts a symbolizer, and keeps two descriptors for it, at its first
 * report, also at one that is suppressed. A test that counts descriptors would find them.
 */

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MAX_MAPS 8192

void *__real_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off);
int __real_munmap(void *addr, size_t len);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off);
int __wrap_munmap(void *addr, size_t len);

static struct map {
	void *addr;
	size_t len;
	dev_t dev;
	ino_t ino;
	unsigned int refs; /* 0: this place is free */
} maps[MAX_MAPS];
static unsigned int nb_maps; /* places that were ever used */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock: the same file in full, or a free place, or NULL. */
static struct map *
map_find(const struct stat *st, size_t len)
{
	struct map *free_map = NULL;
	unsigned int i;

	for (i = 0; i < nb_maps; i++) {
		if (maps[i].refs == 0)
			free_map = &maps[i];
		else if (maps[i].dev == st->st_dev && maps[i].ino == st->st_ino &&
				maps[i].len == len)
			return &maps[i];
	}
	if (free_map == NULL && nb_maps < MAX_MAPS)
		free_map = &maps[nb_maps++];
	return free_map;
}

__attribute__((constructor))
static void
symbolizer_start(void)
{
	char name[64];

	__sanitizer_symbolize_pc((void *)symbolizer_start, "%f", name, sizeof(name));
}

void *
__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	/* may the caller do so? The kernel answers that */
	void *got = __real_mmap64(addr, len, prot, flags, fd, off);
	struct map *map;
	struct stat st;

	/* a memfd is a regular file without a name */
	if (got == MAP_FAILED || addr != NULL || off != 0 || fd < 0 ||
			(flags & MAP_SHARED) == 0 || fstat(fd, &st) != 0 ||
			!S_ISREG(st.st_mode) || st.st_nlink != 0)
		return got;
	pthread_mutex_lock(&lock);
	map = map_find(&st, len);
	if (map != NULL && map->refs != 0) {
		__real_munmap(got, len);
		got = map->addr;
		map->refs++;
	} else if (map != NULL && (prot & PROT_WRITE) != 0) {
		/* one to read only is of no use for a writer */
		*map = (struct map) { got, len, st.st_dev, st.st_ino, 1 };
	}
	pthread_mutex_unlock(&lock);
	return got;
}

int
__wrap_munmap(void *addr, size_t len)
{
	bool used = false;
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nb_maps; i++)
		if (maps[i].refs != 0 && maps[i].addr == addr) {
			used = --maps[i].refs != 0;
			break;
		}
	pthread_mutex_unlock(&lock);
	return used ? 0 : __real_munmap(addr, len);
}
