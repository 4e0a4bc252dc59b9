/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * One vfio-user server per function: its socket, its client, regions and reset. Only
 * this file, link.c, feed.c and irq.c call libvfio-user. What the registers mean is not
 * known here.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syslog.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "link.h"

#define DMA_CHUNK 32768u

/*
 * The page of BAR 0 that a client may map: timers and health counter, all
 * read-only, no side effects. Everything else has some, or belongs to MSI-X.
 */
#define MIRROR_OFF 0x1000u
static const uint16_t mirror_regs[] = { 0x00, 0x04, 0x10, 0x40, 0x44 };

int
bfm_server_fd(struct bfm_function *f)
{
	return f->server->epfd;
}

/* --------------------------------------------------------------- regions */

static void
msix_reset(struct bfm_server *s)
{
	uint32_t i;

	memset(s->msix_table, 0, sizeof(s->msix_table));
	for (i = 0; i < BFM_NB_VECTORS; i++)
		s->msix_table[16 * i + 12] = 1; /* masked */
}

/* Up to 8 bytes, not across the end of the table. The PBA reads zero. */
static void
msix_access(struct bfm_server *s, uint32_t off, uint8_t *buf, size_t len, bool write)
{
	uint32_t in_table = off - BFM_MSIX_TABLE_OFF;
	size_t n;

	if (!write)
		memset(buf, 0, len);
	if (in_table >= sizeof(s->msix_table))
		return;
	n = sizeof(s->msix_table) - in_table < len ? sizeof(s->msix_table) - in_table : len;
	if (write)
		memcpy(&s->msix_table[in_table], buf, n);
	else
		memcpy(buf, &s->msix_table[in_table], n);
}

static void
bar_access(struct bfm_function *f, uint64_t off, uint8_t *buf, size_t len, bool write)
{
	struct bfm_server *s = f->server;

	if (off + len > BFM_MSIX_TABLE_OFF && off < BFM_MSIX_PBA_OFF + BFM_PAGE_SIZE &&
			off >= BFM_MSIX_TABLE_OFF) {
		if (f->gone && !write)
			memset(buf, 0xff, len);
		else if (!f->gone)
			msix_access(s, off, buf, len, write);
	} else if (write) {
		bfm_bar_write(f, off, buf, len);
	} else {
		bfm_bar_read(f, off, buf, len);
	}
}

static ssize_t
bar_cb(vfu_ctx_t *ctx, char *buf, size_t count, loff_t offset, bool is_write)
{
	struct bfm_function *f = vfu_get_private(ctx);
	struct bfm_server *s = f->server;
	uint8_t *data = (uint8_t *)buf;
	uint64_t off = offset;
	size_t left, n;

	if (!bfm_pci_has_memory(s->cfg)) {
		bfm_log(f, BFM_WARN, "BAR 0 %s at 0x%llx with memory access off; set bit 1 of the "
				"command register first, and leave D3",
				is_write ? "write" : "read", (unsigned long long)off);
		if (!is_write)
			memset(data, 0xff, count);
		return count;
	}
	s->in_bar = true;
	for (left = count; left > 0; left -= n, off += n, data += n) {
		/* one register, as a bus would, when there is more than one */
		n = count <= 8 && (off & 7) + count <= 8 ? count : 4 - (off & 3);
		if (n > left)
			n = left;
		bar_access(f, off, data, n, is_write);
	}
	s->in_bar = false;
	return count;
}

static ssize_t
config_cb(vfu_ctx_t *ctx, char *buf, size_t count, loff_t offset, bool is_write)
{
	struct bfm_function *f = vfu_get_private(ctx);
	struct bfm_server *s = f->server;
	bool master = bfm_pci_is_master(s->cfg);

	if (offset < 0 || offset + count > BFM_PAGE_SIZE) {
		errno = EINVAL;
		return -1;
	}
	if (f->gone) {
		if (!is_write)
			memset(buf, 0xff, count);
		return count;
	}
	if (!is_write) {
		memcpy(buf, s->cfg + offset, count);
		return count;
	}
	if (bfm_pci_write(&f->conf, &f->model->card, s->cfg, offset, buf, count)) {
		bfm_log(f, BFM_INFO, "function level reset");
		bfm_pci_config(&f->conf, s->cfg);
		msix_reset(s);
		bfm_function_reset(f);
	} else if (master != bfm_pci_is_master(s->cfg)) {
		bfm_log(f, BFM_DEBUG, "bus mastering %s", master ? "off" : "on");
	}
	return count;
}

void
bfm_mirror_dead(struct bfm_server *s)
{
	memset(s->mirror, 0xff, BFM_PAGE_SIZE);
}

void
bfm_mirror_update(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	uint32_t i, value;

	if (f->gone || !bfm_pci_has_memory(s->cfg)) {
		bfm_mirror_dead(s);
		return;
	}
	for (i = 0; i < sizeof(mirror_regs) / sizeof(mirror_regs[0]); i++) {
		bfm_bar_read(f, MIRROR_OFF + mirror_regs[i], &value, sizeof(value));
		/* pairs with the client's load: it never sees half a register */
		__atomic_store_n((uint32_t *)(uintptr_t)(s->mirror + mirror_regs[i]), value,
				__ATOMIC_RELAXED);
	}
}

static int
mirror_create(struct bfm_server *s)
{
	uint8_t *bar;

	s->mirror_fd = memfd_create("bluefield-model", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->mirror_fd < 0)
		return -errno;
	if (ftruncate(s->mirror_fd, MIRROR_OFF + BFM_PAGE_SIZE) < 0)
		return -errno;
	/* from the begin: where pages are larger, it would be in the middle of one */
	bar = mmap(NULL, MIRROR_OFF + BFM_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			s->mirror_fd, 0);
	if (bar == MAP_FAILED)
		return -errno;
	s->mirror = bar + MIRROR_OFF;
	/* a client that has it must not be able to cut it off */
	if (fcntl(s->mirror_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return -errno;
	return 0;
}

/* ---------------------------------------------------- DMA, reset, the log */

static void
dma_register_cb(vfu_ctx_t *ctx, vfu_dma_info_t *info)
{
	struct bfm_function *f = vfu_get_private(ctx);
	struct bfm_server *s = f->server;
	uint64_t addr = (uintptr_t)info->iova.iov_base, len = info->iova.iov_len;
	int ret;

	/* The library maps too little when the file offset is not on a page boundary. */
	if (info->vaddr != NULL && (uint8_t *)info->vaddr + len >
			(uint8_t *)info->mapping.iov_base + info->mapping.iov_len) {
		bfm_log(f, BFM_WARN, "DMA map of 0x%llx: the offset into the file is not on a page "
				"boundary of that file", (unsigned long long)addr);
		s->want_hang_up = true;
		return;
	}
	ret = bfm_dma_add(s->dma, addr, len, info->vaddr, info->prot);
	if (ret != 0)
		bfm_log(f, BFM_ERR, "DMA map of 0x%llx: %s", (unsigned long long)addr,
				strerror(-ret));
	else
		bfm_log(f, BFM_DEBUG, "DMA map of 0x%llx, 0x%llx bytes, %s",
				(unsigned long long)addr, (unsigned long long)len,
				info->vaddr != NULL ? "shared" : "by message");
}

static void
dma_unregister_cb(vfu_ctx_t *ctx, vfu_dma_info_t *info)
{
	struct bfm_function *f = vfu_get_private(ctx);
	uint64_t addr = (uintptr_t)info->iova.iov_base, len = info->iova.iov_len;

	bfm_dma_remove(f->server->dma, addr, len);
	bfm_log(f, BFM_DEBUG, "DMA unmap of 0x%llx, 0x%llx bytes", (unsigned long long)addr,
			(unsigned long long)len);
}

static int
reset_cb(vfu_ctx_t *ctx, vfu_reset_type_t type)
{
	struct bfm_function *f = vfu_get_private(ctx);
	struct bfm_server *s = f->server;

	if (s->closing)
		return 0;
	if (type == VFU_RESET_LOST_CONN) {
		bfm_irqs_clear(s, 0, BFM_NB_VECTORS);
		s->irqs_first = s->irqs_top = 0;
		bfm_pci_config(&f->conf, s->cfg);
		msix_reset(s);
	} else {
		/*
		 * As the kernel's VFIO does it: configuration space, eventfds and
		 * mappings are what they were, the function is as new.
		 */
		bfm_log(f, BFM_INFO, "reset by the client");
	}
	/* A command that is under way must not lose its function from below it. */
	if (s->in_bar)
		s->want_reset = true;
	else
		bfm_function_reset(f);
	return 0;
}

static void
log_cb(vfu_ctx_t *ctx, int level, const char *text)
{
	const struct bfm_function *f = vfu_get_private(ctx);

	/* errors of the library are mistakes of the client */
	bfm_log(f, level <= LOG_WARNING ? BFM_WARN : BFM_DEBUG, "vfio-user: %s", text);
}

static int
dma_message(struct bfm_function *f, bool write, uint64_t addr, void *buf, size_t len)
{
	struct bfm_server *s = f->server;
	dma_sg_t *sg = calloc(1, dma_sg_size());
	uint64_t start = bfm_now_ms();
	uint64_t first;
	int ret;

	if (sg == NULL)
		return -ENOMEM;
	ret = vfu_addr_to_sgl(s->ctx, (vfu_dma_addr_t)(uintptr_t)addr, len, sg, 1,
			write ? PROT_WRITE : PROT_READ);
	/*
	 * The library's request names the start of the region, not the address: its
	 * offset is left out. The start is the first member; put the address there.
	 */
	if (ret == 1) {
		memcpy(&first, sg, sizeof(first));
		if (first == bfm_dma_base(s->dma, addr))
			memcpy(sg, &addr, sizeof(addr));
		else
			ret = -1;
	}
	if (ret == 1) {
		bfm_feed_replies_begin(s);
		ret = write ? vfu_sgl_write(s->ctx, sg, 1, buf) : vfu_sgl_read(s->ctx, sg, 1, buf);
		bfm_feed_replies_end(s);
	} else {
		errno = EFAULT;
	}
	if (ret != 0) {
		ret = -errno;
		bfm_log(f, BFM_WARN, "DMA %s of 0x%llx (%zu bytes) by message: %s",
				write ? "write" : "read", (unsigned long long)addr, len,
				strerror(errno));
		/* the reply may still come, and would be taken for that of another */
		if (ret == -EAGAIN || ret == -EPROTO || ret == -ENOTCONN)
			s->want_hang_up = true;
	}
	free(sg);
	s->dma_wait_ms -= (int)(bfm_now_ms() - start);
	return ret;
}

static int
server_dma(struct bfm_function *f, bool write, uint64_t addr, void *buf, size_t len)
{
	struct bfm_server *s = f->server;
	uint8_t *data = buf;
	size_t n;
	int ret;

	if (!s->in_message) {
		bfm_log(f, BFM_WARN, "DMA %s of 0x%llx (%zu bytes) by message, at a time of the "
				"device's own choice: not possible; map the memory with a "
				"descriptor", write ? "write" : "read",
				(unsigned long long)addr, len);
		return -EFAULT;
	}
	for (; len > 0; len -= n, addr += n, data += n) {
		n = len < DMA_CHUNK ? len : DMA_CHUNK;
		if (n > s->xfer)
			n = s->xfer;
		if (s->want_hang_up || s->link != BFM_LINK_UP)
			return -EFAULT;
		if (s->dma_wait_ms <= 0) {
			bfm_log(f, BFM_WARN, "the client is too slow with its DMA replies: more "
					"than %d ms for one message", BFM_DMA_WAIT_MS);
			s->want_hang_up = true;
			return -EFAULT;
		}
		ret = dma_message(f, write, addr, data, n);
		if (ret != 0)
			return ret;
	}
	return 0;
}

/* ---------------------------------------------------------- open and close */

void
bfm_link_watch(struct bfm_server *s, int fd, int op)
{
	/* Edges only: half a message is no reason to turn the loop. */
	struct epoll_event ev = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
		.data.fd = fd,
	};

	if (fd == s->listen_fd)
		ev.events = EPOLLIN | EPOLLET;
	epoll_ctl(s->epfd, op, fd, &ev);
}

/* A socket file of a dead model is removed, one of a living model is not. */
static int
socket_clear(const struct bfm_function *f)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;
	int sock, ret;

	if (lstat(f->conf.socket, &st) < 0) {
		ret = errno;
		if (ret == ENOENT)
			return 0;
		bfm_log(f, BFM_ERR, "%s: %s; --dir is a folder that this user may write to",
				f->conf.socket, strerror(ret));
		return -ret;
	}
	if (!S_ISSOCK(st.st_mode)) {
		bfm_log(f, BFM_ERR, "%s is there and is no socket; remove it or give another with "
				"socket=", f->conf.socket);
		return -EEXIST;
	}
	memcpy(addr.sun_path, f->conf.socket, sizeof(addr.sun_path));
	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return -errno;
	ret = connect(sock, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? errno : 0;
	close(sock);
	if (ret != ECONNREFUSED) {
		bfm_log(f, BFM_ERR, "%s is in use by another model; end that one or give another "
				"folder with --dir", f->conf.socket);
		return -EADDRINUSE;
	}
	return unlink(f->conf.socket) < 0 ? -errno : 0;
}

static int
context_create(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	struct iovec mappable = { .iov_base = (void *)(uintptr_t)MIRROR_OFF,
			.iov_len = BFM_PAGE_SIZE };
	size_t bar0 = f->conf.kind == BFM_VF ? BFM_VF_BAR0_SIZE : BFM_BAR0_SIZE;
	/* clients go by message where pages are larger */
	bool maps = sysconf(_SC_PAGESIZE) == BFM_PAGE_SIZE;

	s->ctx = vfu_create_ctx(VFU_TRANS_SOCK, f->conf.socket, LIBVFIO_USER_FLAG_ATTACH_NB, f,
			VFU_DEV_TYPE_PCI);
	if (s->ctx == NULL)
		return -errno;
	s->listening = true;
	/*
	 * Configuration space is ours: the library's own has no 64-bit BARs, and reads
	 * whole registers where the client wrote bytes. Its error and request
	 * interrupts share a slot with vector 0: not offered.
	 */
	if (vfu_setup_log(s->ctx, log_cb, bfm_log_on(BFM_DEBUG) ? LOG_INFO : LOG_WARNING) < 0 ||
			vfu_pci_init(s->ctx, VFU_PCI_TYPE_EXPRESS, PCI_HEADER_TYPE_NORMAL, 0) < 0 ||
			vfu_setup_region(s->ctx, VFU_PCI_DEV_CFG_REGION_IDX, BFM_PAGE_SIZE,
				config_cb, VFU_REGION_FLAG_RW | VFU_REGION_FLAG_ALWAYS_CB,
				NULL, 0, -1, 0) < 0 ||
			vfu_setup_region(s->ctx, VFU_PCI_DEV_BAR0_REGION_IDX, bar0, bar_cb,
				VFU_REGION_FLAG_RW | VFU_REGION_FLAG_MEM,
				maps ? &mappable : NULL, maps, maps ? s->mirror_fd : -1, 0) < 0 ||
			vfu_setup_device_nr_irqs(s->ctx, VFU_DEV_ERR_IRQ, 0) < 0 ||
			vfu_setup_device_nr_irqs(s->ctx, VFU_DEV_REQ_IRQ, 0) < 0 ||
			vfu_setup_device_nr_irqs(s->ctx, VFU_DEV_MSIX_IRQ, f->conf.vectors) < 0 ||
			vfu_setup_device_reset_cb(s->ctx, reset_cb) < 0 ||
			vfu_setup_device_dma(s->ctx, dma_register_cb, dma_unregister_cb) < 0 ||
			vfu_realize_ctx(s->ctx) < 0)
		return -errno;
	s->cfg = (uint8_t *)vfu_pci_get_config_space(s->ctx);
	bfm_pci_config(&f->conf, s->cfg);
	s->listen_fd = vfu_get_poll_fd(s->ctx);
	return 0;
}

int
bfm_server_open(struct bfm_function *f)
{
	struct bfm_server *s;
	uint32_t i;
	int ret;

	ret = socket_clear(f);
	if (ret != 0)
		return ret;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	f->server = s;
	s->epfd = s->listen_fd = s->sock = s->mirror_fd = -1;
	for (i = 0; i < BFM_NB_VECTORS; i++)
		s->irq_fds[i] = -1;
	msix_reset(s);
	s->dma = bfm_dma_create(server_dma);
	s->epfd = epoll_create1(EPOLL_CLOEXEC);
	ret = s->dma == NULL || s->epfd < 0 ? -ENOMEM : mirror_create(s);
	if (ret == 0) {
		bfm_mirror_dead(s);
		ret = context_create(f);
	}
	if (ret != 0) {
		bfm_log(f, BFM_ERR, "cannot listen on %s: %s; check the folder and its rights",
				f->conf.socket, strerror(-ret));
		bfm_server_close(f);
		return ret;
	}
	bfm_link_watch(s, s->listen_fd, EPOLL_CTL_ADD);
	return 0;
}

void
bfm_server_close(struct bfm_function *f)
{
	struct bfm_server *s = f->server;

	if (s == NULL)
		return;
	s->closing = true;
	if (s->link == BFM_LINK_GREETING)
		close(s->sock);
	if (s->listening)
		unlink(f->conf.socket);
	vfu_destroy_ctx(s->ctx);
	bfm_feed_clear(s);
	bfm_irqs_clear(s, 0, BFM_NB_VECTORS);
	bfm_dma_destroy(s->dma);
	if (s->mirror != NULL)
		munmap(s->mirror - MIRROR_OFF, MIRROR_OFF + BFM_PAGE_SIZE);
	if (s->mirror_fd >= 0)
		close(s->mirror_fd);
	if (s->epfd >= 0)
		close(s->epfd);
	free(s);
	f->server = NULL;
}
