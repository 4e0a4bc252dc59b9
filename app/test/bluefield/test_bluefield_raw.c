/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The client of test_bluefield_raw.h: its messages, and what the model has of it.
 * No test is in here.
 */

#include <linux/vfio.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_byteorder.h>

#include "test_bluefield_raw.h"
#include "test_comch_util.h"

struct test_model raw_model;
int raw_sock;
int raw_file_a;
int raw_file_b;

static uint16_t next_id;

void
raw_msg_make(struct raw_msg *m, uint16_t cmd, const void *body, uint32_t len, int fd)
{
	struct vfio_user_hdr hdr = { .id = ++next_id, .cmd = cmd, .size = sizeof(hdr) + len };

	m->id = hdr.id;
	m->len = hdr.size;
	memcpy(m->buf, &hdr, sizeof(hdr));
	if (len > 0)
		memcpy(m->buf + sizeof(hdr), body, len);
	m->nb_fds = fd >= 0;
	m->fds[0] = fd;
}

void
raw_msg_read(struct raw_msg *m)
{
	struct vfio_user_region_access access = { 0, VFIO_USER_REGION_CONFIG, 2 };

	raw_msg_make(m, VFIO_USER_CMD_REGION_READ, &access, sizeof(access), -1);
}

void
raw_msg_write(struct raw_msg *m, uint32_t region, uint64_t off, const void *data, uint32_t len)
{
	struct {
		struct vfio_user_region_access head;
		uint8_t data[8];
	} access = { .head = { off, region, len } };

	memcpy(access.data, data, len);
	raw_msg_make(m, VFIO_USER_CMD_REGION_WRITE, &access, sizeof(access.head) + len, -1);
}

void
raw_msg_map(struct raw_msg *m, uint64_t addr, uint64_t size, int fd)
{
	struct vfio_user_dma_map map = { sizeof(map),
		VFIO_USER_DMA_READABLE | VFIO_USER_DMA_WRITABLE, 0, addr, size };

	raw_msg_make(m, VFIO_USER_CMD_DMA_MAP, &map, sizeof(map), fd);
}

void
raw_msg_unmap(struct raw_msg *m, uint32_t flags, uint64_t addr, uint64_t size)
{
	struct vfio_user_dma_unmap unmap = { sizeof(unmap), flags, addr, size };

	raw_msg_make(m, VFIO_USER_CMD_DMA_UNMAP, &unmap, sizeof(unmap), -1);
}

void
raw_msg_irqs(struct raw_msg *m, uint32_t start, uint32_t count, uint32_t data, int fd)
{
	struct vfio_irq_set set = { sizeof(set), data | VFIO_IRQ_SET_ACTION_TRIGGER,
		VFIO_PCI_MSIX_IRQ_INDEX, start, count };

	raw_msg_make(m, VFIO_USER_CMD_SET_IRQS, &set, sizeof(set), fd);
}

int
raw_put(const void *data, size_t len, const int *fds, uint32_t nb_fds)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(RAW_FDS_MAX * sizeof(int))];
	} ctrl;
	struct iovec iov = { (void *)(uintptr_t)data, len };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nb_fds > 0) {
		mh.msg_control = ctrl.buf;
		mh.msg_controllen = CMSG_SPACE(nb_fds * sizeof(int));
		ctrl.hdr.cmsg_level = SOL_SOCKET;
		ctrl.hdr.cmsg_type = SCM_RIGHTS;
		ctrl.hdr.cmsg_len = CMSG_LEN(nb_fds * sizeof(int));
		memcpy(CMSG_DATA(&ctrl.hdr), fds, nb_fds * sizeof(int));
	}
	TEST_EXPECT(sendmsg(raw_sock, &mh, MSG_NOSIGNAL | MSG_DONTWAIT), len);
	return TEST_SUCCESS;
}

int
raw_put_msg(const struct raw_msg *m)
{
	return raw_put(m->buf, m->len, m->fds, m->nb_fds);
}

static int
take(void *buf, size_t len)
{
	struct pollfd pfd = { .fd = raw_sock, .events = POLLIN };
	size_t at;
	ssize_t n;

	for (at = 0; at < len; at += (size_t)n) {
		TEST_EXPECT(poll(&pfd, 1, TEST_MS), 1);
		n = recv(raw_sock, (uint8_t *)buf + at, len - at, 0);
		TEST_TRUE(n > 0);
	}
	return TEST_SUCCESS;
}

int
raw_take_msg(struct raw_got *got)
{
	TEST_CALL(take(&got->hdr, sizeof(got->hdr)));
	TEST_TRUE(got->hdr.size >= sizeof(got->hdr));
	got->len = got->hdr.size - sizeof(got->hdr);
	TEST_TRUE(got->len <= sizeof(got->body));
	return take(got->body, got->len);
}

/* The next message is the reply to this one, with this error. */
int
raw_take_reply(const struct raw_msg *m, uint32_t error, struct raw_got *got)
{
	struct raw_got own;

	if (got == NULL)
		got = &own;
	TEST_CALL(raw_take_msg(got));
	TEST_EXPECT(VFIO_USER_TYPE(got->hdr.flags), VFIO_USER_TYPE_REPLY);
	TEST_EXPECT(got->hdr.id, m->id);
	TEST_EXPECT((got->hdr.flags & VFIO_USER_F_ERROR) != 0 ? got->hdr.error : 0, error);
	return TEST_SUCCESS;
}

int
raw_call(const struct raw_msg *m, uint32_t error)
{
	TEST_CALL(raw_put_msg(m));
	return raw_take_reply(m, error, NULL);
}

int
raw_model_stop(void)
{
	int status;

	TEST_EXPECT(kill(raw_model.pid, SIGSTOP), 0);
	TEST_EXPECT(waitpid(raw_model.pid, &status, WUNTRACED), raw_model.pid);
	TEST_TRUE(WIFSTOPPED(status));
	return TEST_SUCCESS;
}

int
raw_model_go_on(void)
{
	TEST_EXPECT(kill(raw_model.pid, SIGCONT), 0);
	return TEST_SUCCESS;
}

/* How many bytes of a file the model has mapped. */
long
raw_mapped(const char *name)
{
	unsigned long begin, end;
	char path[64], line[512];
	long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)raw_model.pid);
	f = fopen(path, "r");
	if (f == NULL)
		return -1;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strstr(line, name) != NULL && sscanf(line, "%lx-%lx", &begin, &end) == 2)
			bytes += (long)(end - begin);
	}
	fclose(f);
	return bytes;
}

unsigned int
raw_model_fds(void)
{
	char path[64];

	/* after a turn of its loop: what it has answered it has also tidied up */
	if (test_model_ctl(&raw_model, "list") != 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)raw_model.pid);
	return test_count_entries(path);
}

int
raw_greet(void)
{
	static const char caps[] = "\0\0\1\0{\"capabilities\":{\"max_msg_fds\":8}}";
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct raw_msg m;
	int n;

	raw_sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	TEST_TRUE(raw_sock >= 0);
	n = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/pf0.sock", raw_model.dir);
	TEST_TRUE(n > 0 && (size_t)n < sizeof(addr.sun_path));
	TEST_EXPECT(connect(raw_sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	raw_msg_make(&m, VFIO_USER_CMD_VERSION, caps, sizeof(caps), -1);
	return raw_call(&m, 0);
}

static int
file_make(const char *name, off_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	return fd >= 0 && ftruncate(fd, size) == 0 ? fd : -1;
}

int
raw_setup(void)
{
	raw_sock = -1;
	raw_file_a = file_make("msg_file_a", RAW_PAGE);
	raw_file_b = file_make("msg_file_b", 2 * RAW_PAGE);
	TEST_TRUE(raw_file_a >= 0 && raw_file_b >= 0);
	TEST_CALL(test_model_start(&raw_model, "pf0,flr_ms=1"));
	return raw_greet();
}

void
raw_teardown(void)
{
	if (raw_sock >= 0)
		close(raw_sock);
	close(raw_file_a);
	close(raw_file_b);
	if (raw_model.pid > 0)
		kill(raw_model.pid, SIGCONT);
	if (test_model_stop(&raw_model) != TEST_SUCCESS)
		test_fail("the model did not end well");
}

int
raw_write_reg(uint32_t off, uint32_t value)
{
	struct raw_msg m;

	value = rte_cpu_to_be_32(value);
	raw_msg_write(&m, VFIO_USER_REGION_BAR0, off, &value, sizeof(value));
	return raw_call(&m, 0);
}

static bool
firmware_is_there(void)
{
	struct vfio_user_region_access access = { 0x1fc, VFIO_USER_REGION_BAR0, 4 };
	struct raw_got got;
	struct raw_msg m;

	raw_msg_make(&m, VFIO_USER_CMD_REGION_READ, &access, sizeof(access), -1);
	return raw_put_msg(&m) == TEST_SUCCESS && raw_take_reply(&m, 0, &got) == TEST_SUCCESS &&
			got.len == sizeof(access) + 4 && (got.body[sizeof(access)] & 0x80) == 0;
}

int
raw_queue_setup(int file)
{
	uint16_t enable = 6; /* memory and bus mastering */
	struct raw_msg m;

	raw_msg_map(&m, RAW_ADDR_A, RAW_PAGE, file);
	TEST_CALL(raw_call(&m, 0));
	raw_msg_write(&m, VFIO_USER_REGION_CONFIG, 4, &enable, sizeof(enable));
	TEST_CALL(raw_call(&m, 0));
	TEST_WAIT(firmware_is_there(), TEST_MS);
	TEST_CALL(raw_write_reg(0x10, RAW_ADDR_A >> 32));
	return raw_write_reg(0x14, RAW_ADDR_A & UINT32_MAX);
}
