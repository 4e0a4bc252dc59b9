/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Whether a file is a program for the offload processor: said before it is run, as what
 * runs without being one ends in ways that nobody understands. It is run from the
 * descriptor that was looked at.
 */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_common.h>

#include "comch_shm.h"
#include "shm_dpa.h"

/* Segments and bytes of notes that are looked at. */
#define ELF_MAX_PHDRS 64
#define ELF_MAX_NOTES 4096

#if defined(__x86_64__)
#define ELF_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define ELF_MACHINE EM_AARCH64
#elif defined(__riscv)
#define ELF_MACHINE EM_RISCV
#else
#define ELF_MACHINE EM_NONE
#endif

static const char *
machine_name(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86-64";
	case EM_AARCH64:
		return "aarch64";
	case EM_RISCV:
		return "riscv64";
	default:
		return "another machine";
	}
}

/* Find the note of the runtime; the version of it, or 0. */
static uint32_t
notes_version(const uint8_t *notes, size_t len)
{
	const Elf64_Nhdr *note;
	size_t name_len, desc_len;
	uint32_t version;

	while (len >= sizeof(*note)) {
		note = (const Elf64_Nhdr *)(const void *)notes;
		name_len = RTE_ALIGN_CEIL((size_t)note->n_namesz, 4u);
		desc_len = RTE_ALIGN_CEIL((size_t)note->n_descsz, 4u);
		if (name_len + desc_len > len - sizeof(*note))
			break;
		if (note->n_type == SHM_DPA_NOTE_TYPE && note->n_descsz == sizeof(version) &&
				note->n_namesz == sizeof(SHM_DPA_NOTE_NAME) &&
				memcmp(note + 1, SHM_DPA_NOTE_NAME, note->n_namesz) == 0) {
			memcpy(&version, notes + sizeof(*note) + name_len, sizeof(version));
			return version;
		}
		notes += sizeof(*note) + name_len + desc_len;
		len -= sizeof(*note) + name_len + desc_len;
	}
	return 0;
}

static uint32_t
note_version(int fd, const Elf64_Phdr *phdr)
{
	uint64_t notes[ELF_MAX_NOTES / sizeof(uint64_t)];
	ssize_t n;

	n = pread(fd, notes, RTE_MIN(phdr->p_filesz, sizeof(notes)), phdr->p_offset);
	return n > 0 ? notes_version((const uint8_t *)notes, n) : 0;
}

/* Segments: no interpreter, and the runtime's note. */
static int
phdrs_check(const char *name, const char *path, int fd, const Elf64_Ehdr *ehdr)
{
	Elf64_Phdr phdrs[ELF_MAX_PHDRS];
	uint32_t version = 0, i;
	size_t len = ehdr->e_phnum * sizeof(phdrs[0]);

	if (ehdr->e_phentsize != sizeof(phdrs[0]) || ehdr->e_phnum > ELF_MAX_PHDRS ||
			pread(fd, phdrs, len, ehdr->e_phoff) != (ssize_t)len) {
		SHM_LOG(ERR, "%s: %s is a damaged executable", name, path);
		return -ENOEXEC;
	}
	for (i = 0; i < ehdr->e_phnum; i++) {
		if (phdrs[i].p_type == PT_INTERP) {
			SHM_LOG(ERR, "%s: %s is linked dynamically: build it with comch-dpa-cc",
				name, path);
			return -ENOEXEC;
		}
		if (phdrs[i].p_type == PT_NOTE && version == 0)
			version = note_version(fd, &phdrs[i]);
	}
	if (version == 0) {
		SHM_LOG(ERR, "%s: %s has no runtime of offload programs: build it with comch-dpa-cc",
			name, path);
		return -ENOEXEC;
	}
	if (version != SHM_DPA_VERSION) {
		SHM_LOG(ERR, "%s: %s has version %u of the runtime, not %u: build it with the comch-dpa-cc of this release",
			name, path, version, SHM_DPA_VERSION);
		return -EPROTO;
	}
	return 0;
}

static int
elf_check(const char *name, const char *path, int fd, bool any_machine)
{
	Elf64_Ehdr ehdr;

	if (pread(fd, &ehdr, sizeof(ehdr), 0) != (ssize_t)sizeof(ehdr) ||
			memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 ||
			ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
			ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
			(ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)) {
		SHM_LOG(ERR, "%s: %s is no executable of a 64-bit machine: build it with comch-dpa-cc",
			name, path);
		return -ENOEXEC;
	}
	if (!any_machine && ehdr.e_machine != ELF_MACHINE) {
		SHM_LOG(ERR, "%s: %s is for %s, this is %s: build it for this machine, or give a runner",
			name, path, machine_name(ehdr.e_machine),
			machine_name(ELF_MACHINE));
		return -ENOEXEC;
	}
	return phdrs_check(name, path, fd, &ehdr);
}

int
shm_dpa_elf_open(const char *name, const char *path, bool any_machine)
{
	struct stat st;
	int fd, ret;

	/* without O_NONBLOCK a FIFO would hold us */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		ret = -errno;
		SHM_LOG(ERR, "%s: cannot open the program %s: %s", name, path, strerror(-ret));
		return ret;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		SHM_LOG(ERR, "%s: %s is no file: give the path of a program that comch-dpa-cc has built",
			name, path);
		ret = -EACCES;
	} else if (!any_machine && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0) {
		SHM_LOG(ERR, "%s: %s is not executable: chmod +x %s", name, path, path);
		ret = -EACCES;
	} else {
		ret = elf_check(name, path, fd, any_machine);
	}
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}
