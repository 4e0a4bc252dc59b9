/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * usage: shim-server <socket>
 *
 * A vfio-user server on libvfio-user with the device of shim-regs.h, for
 * test-shim.sh. Ends with its client, or after two minutes.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <libvfio-user.h>
#include <pci_caps/msix.h>
#include <pci_caps/px.h>

#include "shim-regs.h"

#define LIFE_MS 120000
#define MAX_SGS 600
#define MSG_ID 77
#define MSG_F_ERROR 0x20u

struct dma_message {
	uint16_t id;
	uint16_t cmd;
	uint32_t size;
	uint32_t flags;
	uint32_t error;
	uint64_t addr;
	uint64_t count;
};
#define HEADER_SIZE 16

static vfu_ctx_t *ctx;
static uint64_t regs[REG_END / 8];
static uint8_t data[1 << 20];
static int64_t later; /* when to do DO_LATER, or 0 */

#define REG(r) regs[(r) / 8]

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
log_cb(vfu_ctx_t *c, int level, const char *msg)
{
	(void)c;
	if (level <= LOG_ERR)
		fprintf(stderr, "%s\n", msg);
}

static void
fill(void)
{
	uint64_t i;

	for (i = 0; i < REG(REG_LEN); i++)
		data[i] = SHIM_PATTERN(i, REG(REG_SEED));
}

static void
sum(void)
{
	uint64_t i, s = 0;

	for (i = 0; i < REG(REG_LEN); i++)
		s = s * 31 + data[i];
	REG(REG_SUM) = s;
}

static int
dma(int prot)
{
	static struct iovec iov[MAX_SGS];
	dma_sg_t *sg = calloc(MAX_SGS, dma_sg_size());
	size_t done = 0;
	int n, i;

	if (sg == NULL)
		return ENOMEM;
	n = vfu_addr_to_sgl(ctx, (void *)(uintptr_t)REG(REG_ADDR), REG(REG_LEN), sg, MAX_SGS, prot);
	if (n <= 0 || vfu_sgl_get(ctx, sg, iov, n, 0) != 0) {
		free(sg);
		return EFAULT;
	}
	for (i = 0; i < n; i++) {
		if (prot == PROT_WRITE)
			memcpy(iov[i].iov_base, data + done, iov[i].iov_len);
		else
			memcpy(data + done, iov[i].iov_base, iov[i].iov_len);
		done += iov[i].iov_len;
	}
	vfu_sgl_put(ctx, sg, iov, n);
	free(sg);
	return 0;
}

/* The library offers messages only for memory without descriptor. */
static int
message(int prot)
{
	uint64_t len = REG(REG_LEN);
	struct dma_message m = {
		.id = MSG_ID,
		.cmd = prot == PROT_WRITE ? 12 : 11,
		.size = sizeof(m) + (prot == PROT_WRITE ? len : 0),
		.addr = REG(REG_ADDR),
		.count = len,
	};
	int sock = vfu_get_poll_fd(ctx);

	if (send(sock, &m, sizeof(m), 0) != sizeof(m) ||
			(prot == PROT_WRITE && send(sock, data, len, 0) != (ssize_t)len))
		return EIO;
	if (recv(sock, &m, HEADER_SIZE, MSG_WAITALL) != HEADER_SIZE)
		return EIO;
	if (m.id != MSG_ID)
		return EPROTO; /* something of the guest has crossed it */
	if (m.flags & MSG_F_ERROR)
		return m.error;
	if (recv(sock, &m.addr, sizeof(m) - HEADER_SIZE, MSG_WAITALL) != sizeof(m) - HEADER_SIZE)
		return EIO;
	if (prot != PROT_WRITE && recv(sock, data, len, MSG_WAITALL) != (ssize_t)len)
		return EIO;
	return m.count == len ? 0 : EPROTO;
}

static void
act(uint64_t what)
{
	uint32_t i;

	if (REG(REG_LEN) > sizeof(data)) {
		REG(REG_STATUS) = E2BIG;
		return;
	}
	switch (what) {
	case DO_READ:
		REG(REG_STATUS) = dma(PROT_READ);
		sum();
		break;
	case DO_WRITE:
		fill();
		REG(REG_STATUS) = dma(PROT_WRITE);
		break;
	case DO_MSG_READ:
		REG(REG_STATUS) = message(PROT_READ);
		sum();
		break;
	case DO_MSG_WRITE:
		fill();
		REG(REG_STATUS) = message(PROT_WRITE);
		break;
	case DO_LATER:
		later = now_ms() + 200;
		break;
	case DO_IRQ:
		REG(REG_STATUS) = vfu_irq_trigger(ctx, REG(REG_SEED)) == 0 ? 0 : errno;
		break;
	case DO_IRQ_ALL:
		for (i = 0; i < SHIM_VECTORS; i++)
			vfu_irq_trigger(ctx, i);
		break;
	case DO_EXIT:
		exit(0);
	case DO_HANG:
		sleep(30);
		break;
	}
}

static ssize_t
bar_cb(vfu_ctx_t *c, char *buf, size_t count, loff_t offset, bool is_write)
{
	(void)c;
	if ((uint64_t)offset + count > sizeof(regs)) {
		if (is_write) {
			REG(REG_SIZE) = count;
		} else {
			memset(buf, 0, count);
			buf[0] = count;
		}
		return count;
	}
	if (!is_write) {
		REG(REG_MAGIC) = SHIM_MAGIC;
		REG(REG_COMMAND) = vfu_pci_get_config_space(ctx)->hdr.cmd.raw;
		memcpy(buf, (char *)regs + offset, count);
		return count;
	}
	memcpy((char *)regs + offset, buf, count);
	if (offset == REG_DO)
		act(REG(REG_DO));
	return count;
}

static void
map_cb(vfu_ctx_t *c, vfu_dma_info_t *info)
{
	(void)c;
	(void)info;
	REG(REG_REGIONS)++;
}

static void
unmap_cb(vfu_ctx_t *c, vfu_dma_info_t *info)
{
	(void)c;
	(void)info;
	REG(REG_REGIONS)--;
}

static int
reset_cb(vfu_ctx_t *c, vfu_reset_type_t type)
{
	(void)c;
	if (type != VFU_RESET_LOST_CONN)
		REG(REG_RESETS)++;
	REG(REG_SCRATCH) = 0;
	return 0;
}

static int
create(const char *path)
{
	struct pxcap px = { .hdr.id = PCI_CAP_ID_EXP, .pxcaps.ver = 2, .pxdcap.flrc = 1,
		.pxdcap.rer = 1, .pxdcap2.ctds = 1 };
	struct msixcap msix = { .hdr.id = PCI_CAP_ID_MSIX, .mxc.ts = SHIM_VECTORS - 1,
		.mtab.to = 0x2000 >> 3, .mpba.pbao = 0x3000 >> 3 };

	ctx = vfu_create_ctx(VFU_TRANS_SOCK, path, LIBVFIO_USER_FLAG_ATTACH_NB, NULL,
			VFU_DEV_TYPE_PCI);
	if (ctx == NULL || vfu_setup_log(ctx, log_cb, LOG_ERR) != 0 ||
			vfu_pci_init(ctx, VFU_PCI_TYPE_EXPRESS, PCI_HEADER_TYPE_NORMAL, 0) != 0)
		return -1;
	/* Of QEMU's own test devices. */
	vfu_pci_set_id(ctx, 0x1234, 0x11e9, 0x1234, 0x0051);
	vfu_pci_set_class(ctx, 0xff, 0, 0);
	if (vfu_setup_region(ctx, VFU_PCI_DEV_BAR0_REGION_IDX, SHIM_BAR_SIZE, bar_cb,
			    VFU_REGION_FLAG_RW | VFU_REGION_FLAG_MEM, NULL, 0, -1, 0) != 0 ||
			vfu_setup_region(ctx, VFU_PCI_DEV_CFG_REGION_IDX, 4096, NULL,
					VFU_REGION_FLAG_RW, NULL, 0, -1, 0) != 0 ||
			vfu_setup_device_reset_cb(ctx, reset_cb) != 0 ||
			vfu_setup_device_dma(ctx, map_cb, unmap_cb) != 0 ||
			vfu_setup_device_nr_irqs(ctx, VFU_DEV_MSIX_IRQ, SHIM_VECTORS) != 0 ||
			vfu_pci_add_capability(ctx, 0x60, 0, &px) < 0 ||
			vfu_pci_add_capability(ctx, 0x9c, 0, &msix) < 0 ||
			vfu_realize_ctx(ctx) != 0)
		return -1;
	/* 64 bits, prefetchable. */
	vfu_pci_get_config_space(ctx)->hdr.bars[0].raw = 0xc;
	return 0;
}

int
main(int argc, char **argv)
{
	struct rlimit files;
	struct pollfd p = { .events = POLLIN };
	int64_t end = now_ms() + LIFE_MS;
	bool attached = false;

	if (argc != 2) {
		fputs("usage: shim-server <socket>\n", stderr);
		return 2;
	}
	/* One for each page that is mapped. */
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (create(argv[1]) != 0) {
		perror(argv[1]);
		return 1;
	}
	while (now_ms() < end) {
		p.fd = vfu_get_poll_fd(ctx);
		if (poll(&p, 1, later != 0 ? 10 : 1000) < 0 && errno != EINTR)
			return 1;
		if (later != 0 && now_ms() >= later) {
			later = 0;
			fill();
			REG(REG_STATUS) = message(PROT_WRITE);
			vfu_irq_trigger(ctx, 5);
		}
		if (p.revents == 0)
			continue;
		if (!attached) {
			attached = vfu_attach_ctx(ctx) == 0;
			if (!attached && errno != EAGAIN)
				return 1;
		} else if (vfu_run_ctx(ctx) < 0 && errno == ENOTCONN) {
			return 0;
		}
	}
	return 1;
}
