/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The input is what a client does with the registers and the memory of a function
 * of the software BlueField: commands, doorbells, time, faults, resets. No
 * vfio-user: the model's transport is replaced by this file.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../bluefield-model/server.h"
#include "fuzz_model.h"

#define MAX_STEPS 256u

static struct fuzz_model fm;
static uint8_t mem[FUZZ_MEM_SIZE];
static uint8_t rights[FUZZ_MEM_PAGES];
static bool master;
static bool connected; /* requests are posted */

/* ------------------------------------------- what server.c and dma.c would do */

static int
dma(uint64_t addr, uint8_t *out, const uint8_t *in, size_t len)
{
	uint8_t right = out != NULL ? PROT_READ : PROT_WRITE;
	size_t n, off;

	if (!master)
		return -EFAULT;
	for (; len > 0; len -= n, addr += n) {
		off = addr - FUZZ_MEM_ADDR;
		if (addr < FUZZ_MEM_ADDR || off >= FUZZ_MEM_SIZE ||
				(rights[off / BFM_PAGE_SIZE] & right) == 0)
			return -EFAULT;
		n = BFM_PAGE_SIZE - off % BFM_PAGE_SIZE;
		if (n > len)
			n = len;
		if (out != NULL) {
			memcpy(out, mem + off, n);
			out += n;
		} else {
			memcpy(mem + off, in, n);
			in += n;
		}
	}
	return 0;
}

int
bfm_dma_read(struct bfm_function *f, uint64_t addr, void *buf, size_t len)
{
	return f->gone ? -EFAULT : dma(addr, buf, NULL, len);
}

int
bfm_dma_write(struct bfm_function *f, uint64_t addr, const void *buf, size_t len)
{
	return f->gone ? -EFAULT : dma(addr, NULL, buf, len);
}

int
bfm_dma_write_last(struct bfm_function *f, uint64_t addr, const void *buf, size_t len)
{
	return bfm_dma_write(f, addr, buf, len);
}

bool
bfm_dma_enabled(const struct bfm_function *f)
{
	return master && !f->gone;
}

bool
bfm_dma_now(const struct bfm_function *f, uint64_t addr)
{
	(void)f;
	(void)addr;
	return true;
}

bool
bfm_dma_by_message(const struct bfm_function *f)
{
	(void)f;
	return false;
}

void
bfm_irq(struct bfm_function *f, uint32_t vector)
{
	if (vector >= f->conf.vectors)
		fuzz_model_fail(&fm, "an interrupt that the function does not have");
}

void
bfm_irqs_dump(const struct bfm_function *f, FILE *out)
{
	(void)f;
	(void)out;
}

int
bfm_dma_init(void)
{
	return 0;
}

/* What the control socket would print; there is none. */
struct bfm_dma *
bfm_server_regions(const struct bfm_function *f)
{
	(void)f;
	return NULL;
}

uint32_t
bfm_dma_count(const struct bfm_dma *regions)
{
	(void)regions;
	return 0;
}

int
bfm_server_open(struct bfm_function *f)
{
	(void)f;
	return 0;
}

void
bfm_server_close(struct bfm_function *f)
{
	(void)f;
}

int
bfm_server_fd(struct bfm_function *f)
{
	(void)f;
	return -1;
}

void
bfm_server_run(struct bfm_function *f)
{
	(void)f;
}

int
bfm_server_tick(struct bfm_function *f)
{
	(void)f;
	return -1;
}

bool
bfm_server_connected(const struct bfm_function *f)
{
	return !f->gone;
}

void
bfm_server_hang_up(struct bfm_function *f)
{
	(void)f;
}

/* ------------------------------------------------------------------ steps */

static void
write_bar(struct fuzz_model *m, uint64_t off, const void *bytes, size_t len)
{
	bfm_bar_write(m->f, off, bytes, len);
}

static void
access_bar(struct fuzz_in *in, bool write)
{
	uint64_t off = fuzz_model_reg(&fm, in);
	size_t len = 1 + fuzz_u8(in) % 8, n;
	uint8_t buf[8] = { 0 };
	const uint8_t *bytes;

	if (off + len > BFM_BAR0_SIZE)
		return;
	if (!write) {
		bfm_bar_read(fm.f, off, buf, len);
		return;
	}
	n = fuzz_bytes(in, &bytes, len);
	memcpy(buf, bytes, n);
	bfm_bar_write(fm.f, off, buf, len);
}

/* The client changes its memory, or takes it away. */
static void
change_memory(struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in);
	const uint8_t *bytes;
	uint32_t off;
	size_t n;

	switch (what & 3) {
	case 0:
		rights[fuzz_u8(in) % FUZZ_MEM_PAGES] = what >> 2 & (PROT_READ | PROT_WRITE);
		break;
	case 1:
		master = (what & 4) == 0;
		break;
	default:
		off = fuzz_u32(in) % FUZZ_MEM_SIZE;
		n = fuzz_bytes(in, &bytes, what >> 2);
		memcpy(mem + off, bytes, n < FUZZ_MEM_SIZE - off ? n : FUZZ_MEM_SIZE - off);
		break;
	}
}

static void
step(struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in);

	switch (what % 16) {
	case 0:
		access_bar(in, false);
		break;
	case 1:
		access_bar(in, true);
		break;
	case 2:
		if (connected)
			fuzz_model_post(&fm, in);
		else
			fuzz_model_entry(&fm, in);
		break;
	case 3:
		fuzz_model_write32(&fm, 0x18, fuzz_u32(in));
		break;
	case 4:
		fuzz_model_ring(&fm, in);
		break;
	case 5:
		fuzz_model_wait(&fm, (what & 0x80) != 0 ? 10 * fuzz_u8(in) : fuzz_u8(in));
		break;
	case 6:
		fuzz_model_fault(&fm, in);
		break;
	case 7:
		change_memory(in);
		break;
	case 8:
		fuzz_model_dump(&fm);
		break;
	case 9:
		if ((what & 0x10) != 0)
			bfm_function_reset(fm.f);
		else
			fuzz_model_write32(&fm, 0x14, (uint32_t)(what >> 5) << 8);
		break;
	case 10:
		fuzz_model_up(&fm, fuzz_u8(in) % (FUZZ_UP_OBJECTS + 1));
		break;
	default:
		fuzz_model_command(&fm, in);
		break;
	}
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fm.mem = mem;
	fm.write = write_bar;
	fuzz_model_init(&fm);
	return 0;
}

static void
begin(uint8_t how)
{
	static const char *const functions[] = {
		"pf0,boot_pages=2,init_pages=2,flr_ms=0,netdev=1",
		"ecpf0,boot_pages=2,init_pages=2,flr_ms=5,device=bf3",
		"pf1vf126,boot_pages=2,init_pages=2,flr_ms=0,vectors=1,vhca_ports=2,roce=ask",
		"pf0,boot_pages=2,init_pages=2,port=ib,flr_ms=0",
	};
	struct bfm_conf conf;
	char err[256];

	if (bfm_conf_parse(functions[how & 3], &conf, err, sizeof(err)) != 0 ||
			bfm_function_create(&fm.model, &conf, &fm.f) != 0)
		abort();
	/* every field of every command is printed */
	(void)bfm_log_open(NULL, (how & 0x4) != 0 ? BFM_DEBUG : BFM_WARN);
	master = true;
	memset(rights, PROT_READ | PROT_WRITE, sizeof(rights));
	fuzz_model_clear(&fm);
	fuzz_model_wait(&fm, 1000);
	fm.model.latency = (how & 0x20) != 0 ? BFM_LATENCY_ONE : 0;
	if ((how & 0x18) != 0)
		fuzz_model_up(&fm, (how & 0x10) != 0 ? FUZZ_UP_OBJECTS : FUZZ_UP_INIT);
	connected = (how & 0x50) == 0x50;
	if (connected)
		fuzz_model_connect(&fm, (how & 0x80) != 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	unsigned int nb;

	fuzz_model_time(&fm, 1000);
	begin(fuzz_u8(&in));
	for (nb = 0; nb < MAX_STEPS && in.left != 0; nb++)
		step(&in);

	bfm_function_reset(fm.f);
	fuzz_model_check(&fm);
	master = true;
	memset(rights, PROT_READ | PROT_WRITE, sizeof(rights));
	fuzz_model_heal(&fm);
	fuzz_model_serve(&fm);
	bfm_function_reset(fm.f);
	fuzz_model_check(&fm);
	bfm_function_destroy(fm.f);
	return 0;
}
