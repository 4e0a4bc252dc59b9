/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The input is what a client of the software BlueField sends over vfio-user:
 * messages with and without descriptors, right, wrong and cut short, commands in
 * memory that it shares, replies to DMA by message, connections that end anywhere.
 * libvfio-user and the model's transport are the real ones; both ends of the
 * socket are in this one thread, so neither may ever wait for the other.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/vfio.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../bluefield-model/server.h"
#include "fuzz_model.h"

#define MAX_STEPS 128u
#define NB_FUNCTIONS 2u
#define OTHER_SIZE (4 * BFM_PAGE_SIZE) /* memory that the client may cut off */
#define MAX_FDS 8u
#define MAX_OPEN 256
#define MAX_BODY 2048u
#define HDR_SIZE sizeof(struct bfm_msg_hdr)

/* Commands of the protocol that the model itself does not look at. */
#define MSG_DMA_READ 11
#define MSG_DMA_WRITE 12
#define MSG_RESET 13

/* Of DMA by message: most clients here have no reply in mind. */
#define WAIT_MS 5
#define GOOD_WAIT_MS 1000

int bfm_fuzz_wait_ms;

static const char good_caps[] =
	"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576}}";

static struct fuzz_model fm;
static struct bfm_function *functions[NB_FUNCTIONS];
static char dir[PATH_MAX];

/* Descriptors that a message can come with. */
enum fd_kind {
	FD_MEM = 0, /* fm.mem */
	FD_OTHER,
	FD_EVENT,
	FD_FULL,    /* an eventfd to which a write blocks */
	FD_SEALED,
	FD_PIPE,
	FD_SOCKET,
	FD_EPOLL,
	FD_READ_ONLY,
	FD_NB,
};
static int fds[FD_NB];

static struct {
	int sock;
	uint16_t id;
	bool deaf;       /* does not read */
	bool hasty;      /* sends the next message before the model has seen this one */
	uint8_t answer;  /* how DMA by message is replied to */
	bool refused;    /* the newest reply was an error */
} client;

static bool serving; /* the model is on the stack */

ssize_t __real_sendmsg(int sock, const struct msghdr *mh, int flags);
ssize_t __wrap_sendmsg(int sock, const struct msghdr *mh, int flags);

/* -------------------------------------------------------------- the client */

static void
fds_of_cmsg(struct msghdr *mh)
{
	struct cmsghdr *cmsg;
	size_t i, nb;
	int fd;

	for (cmsg = CMSG_FIRSTHDR(mh); cmsg != NULL; cmsg = CMSG_NXTHDR(mh, cmsg)) {
		if (cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		nb = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nb; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			close(fd);
		}
	}
}

/* Read all that there is. Returns whether the connection has ended. */
static bool
client_read(void)
{
	static uint8_t buf[2 * BFM_MSG_MAX];
	char ctrl[CMSG_SPACE(16 * sizeof(int))];
	struct iovec iov = { buf, sizeof(buf) };
	struct bfm_msg_hdr hdr;
	struct msghdr mh;
	ssize_t n;

	for (;;) {
		mh = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctrl,
				.msg_controllen = sizeof(ctrl) };
		n = recvmsg(client.sock, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n <= 0)
			return n == 0 || (errno != EAGAIN && errno != EINTR);
		fds_of_cmsg(&mh);
		if ((size_t)n >= sizeof(hdr)) {
			memcpy(&hdr, buf, sizeof(hdr));
			client.refused = (hdr.flags & BFM_MSG_ERROR) != 0;
		}
	}
}

static void
client_close(void)
{
	if (client.sock >= 0)
		close(client.sock);
	client.sock = -1;
}

/* Let the model do all that it can do now. */
static void
turn(void)
{
	struct pollfd pfd = { .fd = bfm_server_fd(fm.f), .events = POLLIN };
	int i;

	serving = true;
	for (i = 0; i < 16; i++) {
		(void)bfm_function_tick(fm.f);
		if (poll(&pfd, 1, 0) != 1)
			break;
		bfm_server_run(fm.f);
	}
	serving = false;
	if (client.sock >= 0 && !client.deaf && client_read())
		client_close();
}

static void
wait_ms(uint64_t ms)
{
	fuzz_model_time(&fm, fm.model.now_ms + ms);
	turn();
}

static void
client_open(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	client_close();
	turn();
	memcpy(addr.sun_path, fm.f->conf.socket, sizeof(addr.sun_path));
	client.sock = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (client.sock < 0)
		abort();
	if (connect(client.sock, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		client_close();
	client.id = 0;
	client.deaf = false;
	client.hasty = false;
	client.answer = 0;
	turn();
}

static void
client_stream(const void *data, size_t len, const int *with, uint32_t nb)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(MAX_FDS * sizeof(int))];
	} ctrl;
	struct iovec iov = { (void *)(uintptr_t)data, len };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (client.sock < 0)
		return;
	if (nb > 0) {
		mh.msg_control = ctrl.buf;
		mh.msg_controllen = CMSG_SPACE(nb * sizeof(int));
		ctrl.hdr.cmsg_level = SOL_SOCKET;
		ctrl.hdr.cmsg_type = SCM_RIGHTS;
		ctrl.hdr.cmsg_len = CMSG_LEN(nb * sizeof(int));
		memcpy(CMSG_DATA(&ctrl.hdr), with, nb * sizeof(int));
	}
	/* a full socket loses it: the model does not read on because we do not */
	if (__real_sendmsg(client.sock, &mh, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EPIPE)
		client_close();
}

/* A message whose header is right but for what the arguments say. */
static void
client_message(uint16_t cmd, uint32_t flags, uint32_t size, const void *body, size_t len,
		const int *with, uint32_t nb)
{
	uint8_t buf[HDR_SIZE + MAX_BODY];
	struct bfm_msg_hdr hdr = { .id = ++client.id, .cmd = cmd, .size = size, .flags = flags };

	memcpy(buf, &hdr, sizeof(hdr));
	if (len > 0)
		memcpy(buf + sizeof(hdr), body, len);
	client_stream(buf, sizeof(hdr) + len, with, nb);
}

static void
client_ask(uint16_t cmd, const void *body, size_t len, enum fd_kind kind, uint32_t nb)
{
	int with[MAX_FDS];
	uint32_t i;

	for (i = 0; i < nb; i++)
		with[i] = fds[kind];
	client_message(cmd, 0, HDR_SIZE + len, body, len, with, nb);
	if (!client.hasty)
		turn();
}

static void
client_greet(const char *caps)
{
	uint8_t body[256] = { 0, 0, 1, 0 }; /* version 0.1 */
	size_t len = strlen(caps) + 1;

	memcpy(body + 4, caps, len);
	client_ask(BFM_MSG_VERSION, body, 4 + len, FD_MEM, 0);
}

static void
client_map(uint64_t addr, uint64_t size, uint64_t offset, uint32_t flags, enum fd_kind kind,
		uint32_t nb)
{
	struct {
		uint32_t argsz, flags;
		uint64_t offset, addr, size;
	} map = { sizeof(map), flags, offset, addr, size };

	client_ask(BFM_MSG_DMA_MAP, &map, sizeof(map), kind, nb);
}

static void
client_region(bool write, uint32_t region, uint64_t off, const void *data, uint32_t len)
{
	struct {
		uint64_t offset;
		uint32_t region, count;
		uint8_t data[MAX_BODY - 16];
	} access = { off, region, len, { 0 } };

	if (write && len > sizeof(access.data))
		len = access.count = sizeof(access.data);
	if (write)
		memcpy(access.data, data, len);
	client_ask(write ? BFM_MSG_REGION_WRITE : BFM_MSG_REGION_READ, &access,
			16 + (write ? len : 0), FD_MEM, 0);
}

static void
write_bar(struct fuzz_model *m, uint64_t off, const void *bytes, size_t len)
{
	(void)m;
	client_region(true, VFIO_PCI_BAR0_REGION_INDEX, off, bytes, len);
}

/* Memory space and bus mastering on. */
static void
client_enable(uint8_t command)
{
	client_region(true, VFIO_PCI_CONFIG_REGION_INDEX, 4, &command, 1);
}

static void
client_irqs(uint32_t start, uint32_t count, uint32_t flags, enum fd_kind kind, uint32_t nb)
{
	uint32_t set[5] = { 20, flags, VFIO_PCI_MSIX_IRQ_INDEX, start, count };

	client_ask(BFM_MSG_SET_IRQS, set, sizeof(set), kind, nb);
}

/* All that a client does before it brings the function up. */
static void
client_setup(bool shared)
{
	client_map(FUZZ_MEM_ADDR, FUZZ_MEM_SIZE, 0, 3, FD_MEM, shared);
	client_enable(6);
	client_irqs(0, 1, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, FD_EVENT, 1);
}

/* ----------------------------------------------------------- DMA by message */

#define ANSWER_SIZE (HDR_SIZE + 16 + 4096)

/* What an honest client says: the length of the answer, which is in hdr and buf. */
static size_t
client_answer_honest(const struct bfm_msg_hdr *ask, const uint8_t *body, size_t len,
		struct bfm_msg_hdr *hdr, uint8_t buf[ANSWER_SIZE])
{
	uint64_t addr = 0, count = 0;

	if (len >= 16) {
		memcpy(&addr, body, sizeof(addr));
		memcpy(&count, body + 8, sizeof(count));
	}
	if (count > 4096)
		count = 4096;
	*hdr = *ask;
	hdr->flags = BFM_MSG_REPLY;
	memset(buf, 0, ANSWER_SIZE);
	memcpy(buf + HDR_SIZE, &addr, sizeof(addr));
	memcpy(buf + HDR_SIZE + 8, &count, sizeof(count));
	if (addr >= FUZZ_MEM_ADDR && addr - FUZZ_MEM_ADDR + count <= FUZZ_MEM_SIZE) {
		if (ask->cmd == MSG_DMA_READ)
			memcpy(buf + HDR_SIZE + 16, fm.mem + (addr - FUZZ_MEM_ADDR), count);
		else if (len >= 16 + count)
			memcpy(fm.mem + (addr - FUZZ_MEM_ADDR), body + 16, count);
	} else {
		hdr->flags |= BFM_MSG_ERROR;
		hdr->error = EFAULT;
	}
	hdr->size = HDR_SIZE + 16 + (ask->cmd == MSG_DMA_READ ? count : 0);
	return hdr->size;
}

/* The model waits for this, and for nothing else. */
static void
client_answer(const struct bfm_msg_hdr *ask, const uint8_t *body, size_t len)
{
	uint8_t buf[ANSWER_SIZE];
	struct bfm_msg_hdr hdr;

	(void)client_read();
	len = client_answer_honest(ask, body, len, &hdr, buf);
	switch (client.answer & 0xf) {
	case 1: /* not at all */
		return;
	case 2:
		hdr.id++;
		break;
	case 3:
		hdr.flags = BFM_MSG_COMMAND;
		break;
	case 4:
		hdr.size = UINT32_MAX;
		break;
	case 5:
		hdr.size = len = HDR_SIZE;
		break;
	case 6:
		len -= 8;
		break;
	case 7:
		hdr.flags |= BFM_MSG_ERROR;
		hdr.error = client.answer >> 4;
		break;
	case 8:
		hdr.cmd ^= 7;
		break;
	case 9:
		buf[HDR_SIZE] ^= 8;
		break;
	case 10:
		buf[HDR_SIZE + 8] ^= 8;
		break;
	case 11:
		client_close();
		return;
	case 12: /* more than was asked for */
		hdr.size += 64;
		len += 64;
		len = len < sizeof(buf) ? len : sizeof(buf);
		break;
	default:
		break;
	}
	memcpy(buf, &hdr, sizeof(hdr));
	client_stream(buf, len, NULL, 0);
}

ssize_t
__wrap_sendmsg(int sock, const struct msghdr *mh, int flags)
{
	static uint8_t copy[HDR_SIZE + 16 + BFM_MSG_MAX];
	struct bfm_msg_hdr hdr;
	size_t len = 0, n, i;
	ssize_t ret;

	ret = __real_sendmsg(sock, mh, flags);
	if (ret < (ssize_t)sizeof(hdr) || !serving || client.sock < 0)
		return ret;
	for (i = 0; i < (size_t)mh->msg_iovlen; i++) {
		n = mh->msg_iov[i].iov_len;
		if (n > sizeof(copy) - len)
			n = sizeof(copy) - len;
		if (n > 0)
			memcpy(copy + len, mh->msg_iov[i].iov_base, n);
		len += n;
	}
	memcpy(&hdr, copy, sizeof(hdr));
	if (BFM_MSG_TYPE(hdr.flags) == BFM_MSG_COMMAND &&
			(hdr.cmd == MSG_DMA_READ || hdr.cmd == MSG_DMA_WRITE))
		client_answer(&hdr, copy + sizeof(hdr), len - sizeof(hdr));
	return ret;
}

/* ------------------------------------------------------------------- steps */

static uint64_t
odd_size(struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in);

	if (what < 0x80)
		return (uint64_t)(what % 80) * BFM_PAGE_SIZE;
	switch (what & 0xf) {
	case 0:
		return UINT64_MAX;
	case 1:
		return 1;
	case 2:
		return UINT64_C(1) << fuzz_u8(in) % 64;
	case 3:
		return FUZZ_MEM_SIZE + 1;
	case 4:
		return OTHER_SIZE;
	default:
		return fuzz_u32(in);
	}
}

/* Any message: command, flags, length and descriptors are the input's. */
static void
any_message(struct fuzz_in *in, uint8_t how)
{
	uint16_t cmd = fuzz_u8(in);
	uint32_t flags = (how & 1) != 0 ? fuzz_u8(in) : 0;
	uint8_t nb = (how & 2) != 0 ? fuzz_u8(in) % (MAX_FDS + 1) : 0, i;
	int with[MAX_FDS];
	const uint8_t *body;
	uint32_t size;
	size_t n;

	for (i = 0; i < nb; i++)
		with[i] = fds[fuzz_u8(in) % FD_NB];
	n = fuzz_bytes(in, &body, fuzz_u8(in));
	size = HDR_SIZE + n;
	if ((how & 4) != 0)
		size = (how & 8) != 0 ? fuzz_u32(in) : size + (int8_t)fuzz_u8(in);
	client_message(cmd % 24, flags, size, body, n, with, nb);
	if (!client.hasty)
		turn();
}

/* Bytes that are cut anywhere. */
static void
any_bytes(struct fuzz_in *in, bool with)
{
	const uint8_t *bytes;
	size_t n = fuzz_bytes(in, &bytes, fuzz_u8(in));

	if (n > 0)
		client_stream(bytes, n, &fds[FD_EVENT], with);
	turn();
}

static void
any_map(struct fuzz_in *in, uint8_t how)
{
	uint64_t addr = fuzz_model_addr(in), size = odd_size(in), offset, unmap[3];
	uint32_t flags;

	if ((how & 1) != 0) {
		offset = (how & 2) != 0 ? fuzz_model_addr(in) - FUZZ_MEM_ADDR : 0;
		flags = (how & 4) != 0 ? fuzz_u8(in) : 3;
		client_map(addr, size, offset, flags, (enum fd_kind)(fuzz_u8(in) % FD_NB),
				(how & 8) == 0);
		return;
	}
	unmap[0] = sizeof(unmap) | (uint64_t)((how & 2) != 0 ? fuzz_u8(in) : 0) << 32;
	unmap[1] = addr;
	unmap[2] = size;
	client_ask(BFM_MSG_DMA_UNMAP, unmap, sizeof(unmap), FD_MEM, 0);
}

static void
any_region(struct fuzz_in *in, uint8_t how)
{
	uint32_t region = VFIO_PCI_BAR0_REGION_INDEX;
	const uint8_t *bytes;
	uint64_t off;
	uint32_t len;

	if ((how & 2) != 0) {
		region = VFIO_PCI_CONFIG_REGION_INDEX;
		off = (how & 4) != 0 ? fuzz_u32(in) : fuzz_u8(in);
	} else {
		if ((how & 4) != 0)
			region = fuzz_u8(in);
		off = fuzz_model_reg(&fm, in);
	}
	len = (how & 8) != 0 ? fuzz_u32(in) : fuzz_u8(in) % 16;
	if ((how & 1) != 0)
		len = fuzz_bytes(in, &bytes, len < 256 ? len : 256);
	client_region((how & 1) != 0, region, off, (how & 1) != 0 ? bytes : NULL, len);
}

static void
any_irqs(struct fuzz_in *in, uint8_t how)
{
	uint32_t start = (how & 1) != 0 ? fuzz_u32(in) : fuzz_u8(in) % 72;
	uint32_t count = (how & 2) != 0 ? fuzz_u32(in) : fuzz_u8(in) % (MAX_FDS + 1);
	uint32_t flags = (how & 4) != 0 ? fuzz_u8(in) :
			VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	uint32_t nb = (how & 8) != 0 ? fuzz_u8(in) % (MAX_FDS + 1) :
			count < MAX_FDS ? count : MAX_FDS;

	client_irqs(start, count, flags, (how & 4) != 0 ? (enum fd_kind)(fuzz_u8(in) % FD_NB) :
			FD_EVENT, nb);
}

static void
any_connection(struct fuzz_in *in, uint8_t how)
{
	char caps[128];
	const uint8_t *bytes;
	int second;
	size_t n;

	switch (how & 7) {
	case 0:
		client_close();
		turn();
		break;
	case 1: /* half */
		if (client.sock >= 0)
			shutdown(client.sock, (how & 8) != 0 ? SHUT_WR : SHUT_RD);
		turn();
		break;
	case 2: /* says nothing */
		client_open();
		break;
	case 3: /* capabilities of the input */
		client_open();
		n = fuzz_bytes(in, &bytes, fuzz_u8(in) % sizeof(caps));
		memcpy(caps, bytes, n);
		caps[n] = '\0';
		client_greet(caps);
		break;
	case 4: /* one more, while this one is there */
		second = client.sock;
		client.sock = -1;
		client_open();
		client_close();
		turn();
		client.sock = second;
		turn();
		break;
	case 5: /* left before it was served */
		second = client.sock;
		client.sock = -1;
		client_open();
		client_close();
		client.sock = second;
		client_close();
		turn();
		break;
	default:
		client_open();
		client_greet(good_caps);
		break;
	}
}

/* Touching it is a SIGBUS then. */
static void
cut_memory(bool cut)
{
	if (ftruncate(fds[FD_OTHER], cut ? 0 : OTHER_SIZE) != 0)
		abort();
}

static void
change_memory(struct fuzz_in *in)
{
	uint32_t off = fuzz_u32(in) % FUZZ_MEM_SIZE;
	const uint8_t *bytes;
	size_t n = fuzz_bytes(in, &bytes, fuzz_u8(in));

	memcpy(fm.mem + off, bytes, n < FUZZ_MEM_SIZE - off ? n : FUZZ_MEM_SIZE - off);
}

static void
step(struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in), how = what >> 4;

	switch (what % 16) {
	case 0:
		any_bytes(in, (how & 1) != 0);
		break;
	case 1:
	case 2:
		any_message(in, how);
		break;
	case 3:
	case 4:
		any_map(in, how);
		break;
	case 5:
	case 6:
		any_region(in, how);
		break;
	case 7:
		any_irqs(in, how);
		break;
	case 8:
		any_connection(in, how);
		break;
	case 9:
		if ((how & 1) != 0)
			client_ask(MSG_RESET, NULL, 0, FD_MEM, 0);
		else
			client_setup((how & 2) == 0);
		break;
	case 10:
		fuzz_model_up(&fm, fuzz_u8(in) % (FUZZ_UP_OBJECTS + 1));
		break;
	case 11:
		wait_ms((how & 1) != 0 ? 20 * fuzz_u8(in) : fuzz_u8(in));
		break;
	case 12:
		if ((how & 3) == 0)
			fuzz_model_fault(&fm, in);
		else if ((how & 3) == 1)
			cut_memory((how & 4) == 0);
		else
			change_memory(in);
		turn();
		break;
	case 13:
		if ((how & 8) != 0)
			client.answer = fuzz_u8(in);
		else
			client.deaf = (how & 1) != 0;
		client.hasty = (how & 2) != 0;
		if (!client.hasty)
			turn();
		break;
	case 14:
		if ((how & 1) != 0)
			fuzz_model_ring(&fm, in);
		else
			fuzz_model_entry(&fm, in);
		break;
	default:
		fuzz_model_command(&fm, in);
		break;
	}
}

/* ------------------------------------------------------------- one input */

static void
dir_remove(void)
{
	uint32_t i;

	for (i = 0; i < NB_FUNCTIONS; i++)
		unlink(functions[i]->conf.socket);
	rmdir(dir);
}

static void
fds_open(void)
{
	uint64_t full = UINT64_MAX - 1;
	int pipes[2], pair[2];
	void *mem;

	fds[FD_MEM] = memfd_create("fuzz", MFD_CLOEXEC);
	fds[FD_OTHER] = memfd_create("fuzz_other", MFD_CLOEXEC);
	fds[FD_SEALED] = memfd_create("fuzz_sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	fds[FD_EVENT] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fds[FD_FULL] = eventfd(0, EFD_CLOEXEC);
	fds[FD_EPOLL] = epoll_create1(EPOLL_CLOEXEC);
	fds[FD_READ_ONLY] = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (pipe2(pipes, O_CLOEXEC) != 0 ||
			socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
			ftruncate(fds[FD_MEM], FUZZ_MEM_SIZE) != 0 ||
			ftruncate(fds[FD_OTHER], OTHER_SIZE) != 0 ||
			ftruncate(fds[FD_SEALED], OTHER_SIZE) != 0 ||
			fcntl(fds[FD_SEALED], F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK) != 0 ||
			write(fds[FD_FULL], &full, sizeof(full)) != sizeof(full))
		abort();
	fds[FD_PIPE] = pipes[1];
	fds[FD_SOCKET] = pair[0];
	mem = mmap(NULL, FUZZ_MEM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[FD_MEM], 0);
	if (mem == MAP_FAILED)
		abort();
	fm.mem = mem;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const names[NB_FUNCTIONS] = {
		"pf0,boot_pages=2,init_pages=2,flr_ms=0",
		"pf1vf3,boot_pages=2,init_pages=2,flr_ms=0,vectors=3",
	};
	const char *tmp = getenv("TMPDIR");
	struct bfm_conf conf;
	char err[256];
	uint32_t i;

	(void)argc;
	(void)argv;
	signal(SIGPIPE, SIG_IGN);
	fm.write = write_bar;
	fuzz_model_time(&fm, 1000);
	client.sock = -1;
	fuzz_model_init(&fm);
	fds_open();
	snprintf(dir, sizeof(dir), "%s/comch_fuzz_XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL || bfm_dma_init() != 0)
		abort();
	for (i = 0; i < NB_FUNCTIONS; i++) {
		if (bfm_conf_parse(names[i], &conf, err, sizeof(err)) != 0)
			abort();
		snprintf(conf.socket, sizeof(conf.socket), "%.80s/%u", dir, i);
		if (bfm_function_create(&fm.model, &conf, &functions[i]) != 0 ||
				bfm_server_open(functions[i]) != 0) {
			fprintf(stderr, "cannot listen in %s\n", dir);
			abort();
		}
	}
	atexit(dir_remove);
	return 0;
}

/* New ones get the lowest number that is free: what is left open is soon among these. */
static int
open_fds(void)
{
	int fd, nb = 0;

	for (fd = 0; fd < MAX_OPEN; fd++)
		nb += fcntl(fd, F_GETFD) >= 0;
	return nb;
}

/* Whatever a client did, when it is gone nothing is left of it. */
static void
leave(void)
{
	client_close();
	turn();
	wait_ms(10000); /* nobody waits longer for anybody's first message */
	if (bfm_server_connected(fm.f))
		fuzz_model_fail(&fm, "the client is gone, its connection is not");
	if (bfm_dma_count(bfm_server_regions(fm.f)) != 0)
		fuzz_model_fail(&fm, "the client is gone, its memory is not");
	fuzz_model_check(&fm);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	uint8_t how = fuzz_u8(&in);
	int nb_fds = open_fds();
	unsigned int nb;

	fm.f = functions[how & 1];
	fm.model.latency = (how & 0x40) != 0 ? BFM_LATENCY_ONE : 0;
	fuzz_model_clear(&fm);
	bfm_fuzz_wait_ms = WAIT_MS;
	client_open();
	if ((how & 2) == 0)
		client_greet(good_caps);
	if ((how & 4) != 0)
		client_setup((how & 8) != 0);
	if ((how & 0x10) != 0)
		fuzz_model_up(&fm, FUZZ_UP_OBJECTS);
	for (nb = 0; nb < MAX_STEPS && in.left != 0; nb++)
		step(&in);
	leave();
	cut_memory(false);
	fuzz_model_heal(&fm);

	bfm_fuzz_wait_ms = GOOD_WAIT_MS;
	client_open();
	client_greet(good_caps);
	/* with descriptors, or with its memory to be reached by messages */
	client_setup((how & 0x20) == 0);
	fuzz_model_serve(&fm);
	leave();
	if (open_fds() != nb_fds)
		fuzz_model_fail(&fm, "a descriptor is left open");
	return 0;
}
