/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * usage: shim <PCI address> all|resets|die|hang
 *
 * In a guest, on a device of shim-server.c that vfio-pci has: what the shim must
 * carry to the server and back. Names what fails; exit status 1 if anything did.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../shim-regs.h"

#define MIB (1ul << 20)
#define PAGE 4096ul
#define NB_PAGES 1500
#define LOW 0x4000000000ull
#define HIGH 0x600000000000ull /* needs 48 bits */
#define SPARSE 0x10000000ull

static const char *name;
static int container;
static int device;
static uint64_t config; /* offset of configuration space */
static volatile uint8_t *bar;
static uint8_t *mem; /* 2 MiB of single pages */
static int passed, failed;

#define CHECK(what) check((what), #what, __LINE__)

static void
check(bool ok, const char *what, int line)
{
	passed += ok;
	failed += !ok;
	if (!ok)
		printf("%s: FAILED line %d: %s\n", name, line, what);
	if (failed > 20)
		exit(1);
}

static uint64_t
get(uint32_t reg)
{
	return *(volatile uint64_t *)(bar + reg);
}

static void
put(uint32_t reg, uint64_t value)
{
	*(volatile uint64_t *)(bar + reg) = value;
}

static double
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static int
map(void *p, uint64_t iova, uint64_t len, uint32_t flags)
{
	struct vfio_iommu_type1_dma_map m = {
		.argsz = sizeof(m),
		.flags = flags,
		.vaddr = (uintptr_t)p,
		.iova = iova,
		.size = len,
	};

	return ioctl(container, VFIO_IOMMU_MAP_DMA, &m);
}

static int
unmap(uint64_t iova, uint64_t len)
{
	struct vfio_iommu_type1_dma_unmap u = { .argsz = sizeof(u), .iova = iova, .size = len };

	return ioctl(container, VFIO_IOMMU_UNMAP_DMA, &u);
}

static void *
pages(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, len, MADV_NOHUGEPAGE);
	memset(p, 0, len);
	return p;
}

static uint64_t
act(uint64_t what, uint64_t addr, uint64_t len, uint64_t seed)
{
	put(REG_ADDR, addr);
	put(REG_LEN, len);
	put(REG_SEED, seed);
	put(REG_DO, what);
	return get(REG_STATUS);
}

static bool
is_pattern(const uint8_t *p, size_t len, uint64_t seed)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] != SHIM_PATTERN(i, seed))
			return false;
	}
	return true;
}

static uint64_t
sum(const uint8_t *p, size_t len)
{
	uint64_t s = 0;

	while (len-- > 0)
		s = s * 31 + *p++;
	return s;
}

static uint16_t
set_command(uint16_t set, uint16_t clear)
{
	uint16_t v = 0;

	if (pread(device, &v, 2, config + PCI_COMMAND) != 2)
		return 0;
	v = (v | set) & ~clear;
	return pwrite(device, &v, 2, config + PCI_COMMAND) == 2 ? v : 0;
}

static bool
attach(void)
{
	struct vfio_region_info info = { .argsz = sizeof(info) };
	char path[256], link[256];
	ssize_t n;
	int group;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/iommu_group", name);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return false;
	link[n] = '\0';
	snprintf(path, sizeof(path), "/dev/vfio/%s", strrchr(link, '/') + 1);
	container = open("/dev/vfio/vfio", O_RDWR);
	group = open(path, O_RDWR);
	if (container < 0 || group < 0 || ioctl(group, VFIO_GROUP_SET_CONTAINER, &container) != 0 ||
			ioctl(container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) != 0)
		return false;
	device = ioctl(group, VFIO_GROUP_GET_DEVICE_FD, name);
	if (device < 0)
		return false;
	info.index = VFIO_PCI_CONFIG_REGION_INDEX;
	if (ioctl(device, VFIO_DEVICE_GET_REGION_INFO, &info) != 0)
		return false;
	config = info.offset;
	info.index = VFIO_PCI_BAR0_REGION_INDEX;
	if (ioctl(device, VFIO_DEVICE_GET_REGION_INFO, &info) != 0 || info.size != SHIM_BAR_SIZE)
		return false;
	bar = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, device, info.offset);
	return bar != MAP_FAILED && set_command(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 0) != 0;
}

static void
test_registers(void)
{
	volatile uint8_t *page = bar + REG_SIZE_PAGE;
	double t;
	int i;

	CHECK(get(REG_MAGIC) == SHIM_MAGIC);
	put(REG_SCRATCH, 0x0123456789abcdef);
	CHECK(get(REG_SCRATCH) == 0x0123456789abcdef);
	bar[3] = 0xaa;
	CHECK(get(REG_SCRATCH) == 0x01234567aaabcdef);
	CHECK(*(volatile uint16_t *)(bar + 2) == 0xaaab);
	CHECK(*(volatile uint32_t *)(bar + 4) == 0x01234567);
	page[0] = 1;
	CHECK(get(REG_SIZE) == 1);
	*(volatile uint16_t *)page = 1;
	CHECK(get(REG_SIZE) == 2);
	*(volatile uint32_t *)page = 1;
	CHECK(get(REG_SIZE) == 4);
	*(volatile uint64_t *)page = 1;
	CHECK(get(REG_SIZE) == 8);
	CHECK(page[0] == 1);
	CHECK(*(volatile uint16_t *)page == 2);
	CHECK(*(volatile uint32_t *)page == 4);
	CHECK(*(volatile uint64_t *)page == 8);
	CHECK(bar[SHIM_BAR_SIZE - 1] == 1);

	t = now_us();
	for (i = 0; i < 1000; i++)
		get(REG_MAGIC);
	printf("%s: register read %.0f us", name, (now_us() - t) / 1000);
	t = now_us();
	for (i = 0; i < 1000; i++)
		put(REG_SCRATCH, i);
	printf(", write %.0f us\n", (now_us() - t) / 1000);
}

static void
test_dma(void)
{
	uint64_t before = get(REG_REGIONS);
	int i;

	CHECK(map(mem, LOW, MIB, VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE) == 0);
	CHECK(get(REG_REGIONS) > before);
	CHECK(act(DO_WRITE, LOW + 16, 20000, 1) == 0);
	CHECK(is_pattern(mem + 16, 20000, 1) && mem[15] == 0 && mem[20016] == 0);
	for (i = 0; i < 20000; i++)
		mem[100 + i] = i * i;
	CHECK(act(DO_READ, LOW + 100, 20000, 0) == 0);
	CHECK(get(REG_SUM) == sum(mem + 100, 20000));
	CHECK(act(DO_READ, LOW + MIB - 8, 16, 0) == EFAULT);
	CHECK(act(DO_WRITE, LOW - 8, 16, 0) == EFAULT);

	/* Only for reading. */
	CHECK(map(mem + MIB, HIGH, MIB, VFIO_DMA_MAP_FLAG_READ) == 0);
	CHECK(act(DO_READ, HIGH, 5000, 0) == 0);
	CHECK(act(DO_WRITE, HIGH, 8, 0) == EFAULT);

	/* By message, while the guest waits for its write. */
	CHECK(act(DO_MSG_WRITE, LOW + 4112, 9000, 3) == 0);
	CHECK(is_pattern(mem + 4112, 9000, 3));
	CHECK(act(DO_MSG_READ, LOW + 4112, 9000, 0) == 0);
	CHECK(get(REG_SUM) == sum(mem + 4112, 9000));
	CHECK(act(DO_MSG_READ, SPARSE, 8, 0) == EFAULT);
	CHECK(act(DO_MSG_WRITE, HIGH, 8, 0) == EFAULT);

	CHECK(unmap(HIGH, MIB) == 0);
	CHECK(act(DO_READ, HIGH, 8, 0) == EFAULT);
	CHECK(unmap(LOW, MIB) == 0);
	CHECK(act(DO_READ, LOW, 8, 0) == EFAULT);
	CHECK(act(DO_WRITE, LOW, 8, 0) == EFAULT);
	CHECK(act(DO_MSG_READ, LOW, 8, 0) == EFAULT);
	CHECK(get(REG_REGIONS) == before);
	CHECK(map(mem, LOW, MIB, VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE) == 0);
	CHECK(act(DO_WRITE, LOW, MIB, 9) == 0);
	CHECK(is_pattern(mem, MIB, 9));
}

/* One mapping each: neighbours are not, and all go at once. */
static void
test_many_pages(void)
{
	uint64_t before = get(REG_REGIONS);
	uint8_t *p = pages(NB_PAGES * PAGE);
	bool ok = true;
	double t;
	int i;

	t = now_us();
	for (i = 0; i < NB_PAGES; i++)
		ok &= map(p + i * PAGE, SPARSE + i * 3 * PAGE, PAGE,
				    VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE) == 0;
	CHECK(ok);
	printf("%s: %d pages mapped, %.0f us each", name, NB_PAGES, (now_us() - t) / NB_PAGES);
	CHECK(get(REG_REGIONS) == before + NB_PAGES);
	for (i = 0; i < NB_PAGES; i += 37) {
		CHECK(act(DO_WRITE, SPARSE + i * 3 * PAGE + 5, 4000, i) == 0);
		CHECK(is_pattern(p + i * PAGE + 5, 4000, i));
	}
	t = now_us();
	CHECK(unmap(SPARSE, NB_PAGES * 3 * PAGE) == 0);
	printf(", unmapped %.0f us\n", (now_us() - t) / NB_PAGES);
	CHECK(get(REG_REGIONS) == before);
	munmap(p, NB_PAGES * PAGE);
}

static uint64_t
take(int fd)
{
	uint64_t n;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static bool
comes(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 3000) == 1;
}

static void
test_interrupts(void)
{
	struct vfio_irq_info info = { .argsz = sizeof(info), .index = VFIO_PCI_MSIX_IRQ_INDEX };
	union {
		struct vfio_irq_set set;
		char room[sizeof(struct vfio_irq_set) + SHIM_VECTORS * sizeof(int)];
	} u;
	int fds[SHIM_VECTORS];
	double t, total = 0;
	bool others;
	int i, k;

	CHECK(ioctl(device, VFIO_DEVICE_GET_IRQ_INFO, &info) == 0 && info.count == SHIM_VECTORS);
	for (i = 0; i < SHIM_VECTORS; i++)
		fds[i] = eventfd(0, EFD_NONBLOCK);
	memset(&u, 0, sizeof(u));
	u.set.argsz = sizeof(u);
	u.set.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	u.set.index = VFIO_PCI_MSIX_IRQ_INDEX;
	u.set.count = SHIM_VECTORS;
	memcpy(u.set.data, fds, sizeof(fds));
	CHECK(ioctl(device, VFIO_DEVICE_SET_IRQS, &u.set) == 0);

	for (i = 0; i < SHIM_VECTORS; i++) {
		t = now_us();
		put(REG_SEED, i);
		put(REG_DO, DO_IRQ);
		CHECK(comes(fds[i]));
		total += now_us() - t;
		CHECK(take(fds[i]) == 1);
		others = false;
		for (k = 0; k < SHIM_VECTORS; k++)
			others |= take(fds[k]) != 0;
		CHECK(!others);
	}
	printf("%s: interrupt %.0f us\n", name, total / SHIM_VECTORS);
	put(REG_DO, DO_IRQ_ALL);
	for (i = 0; i < SHIM_VECTORS; i++)
		CHECK(comes(fds[i]) && take(fds[i]) == 1);

	/* By message and of its own accord; no register is touched meanwhile. */
	memset(mem, 0, PAGE);
	put(REG_ADDR, LOW + 80);
	put(REG_LEN, 3000);
	put(REG_SEED, 77);
	t = now_us();
	put(REG_DO, DO_LATER);
	CHECK(comes(fds[5]));
	CHECK(now_us() - t > 150e3);
	CHECK(get(REG_STATUS) == 0 && is_pattern(mem + 80, 3000, 77));
	for (i = 0; i < SHIM_VECTORS; i++)
		close(fds[i]);
}

static void
test_reset(void)
{
	uint64_t resets;

	CHECK((get(REG_COMMAND) & PCI_COMMAND_MASTER) != 0);
	set_command(0, PCI_COMMAND_MASTER);
	CHECK((get(REG_COMMAND) & PCI_COMMAND_MASTER) == 0);
	CHECK(act(DO_MSG_READ, LOW, 8, 0) == EFAULT);
	set_command(PCI_COMMAND_MASTER, 0);
	CHECK(act(DO_MSG_READ, LOW, 8, 0) == 0);

	resets = get(REG_RESETS);
	put(REG_SCRATCH, 5);
	CHECK(ioctl(device, VFIO_DEVICE_RESET) == 0);
	CHECK(set_command(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 0) != 0);
	CHECK(get(REG_RESETS) == resets + 1);
	CHECK(get(REG_SCRATCH) == 0);
	/* What is mapped stays. */
	CHECK(act(DO_WRITE, LOW, 100, 1) == 0);
	CHECK(is_pattern(mem, 100, 1));
}

int
main(int argc, char **argv)
{
	double t;

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	name = argv[1];
	if (!attach()) {
		printf("%s: FAILED: no VFIO: %s\n", name, strerror(errno));
		return 1;
	}
	mem = pages(2 * MIB);
	if (strcmp(argv[2], "resets") == 0) {
		printf("%lu\n", (unsigned long)get(REG_RESETS));
		return 0;
	}
	if (strcmp(argv[2], "all") == 0) {
		test_registers();
		test_dma();
		test_many_pages();
		test_interrupts();
		test_reset();
	} else {
		t = now_us();
		put(REG_DO, strcmp(argv[2], "die") == 0 ? DO_EXIT : DO_HANG);
		/* Its end is noticed with the next access at the latest. */
		CHECK(get(REG_MAGIC) == UINT64_MAX);
		CHECK(now_us() - t < 15e6);
		CHECK(bar[SHIM_BAR_SIZE - 1] == 0xff);
		CHECK(map(mem, LOW, PAGE, VFIO_DMA_MAP_FLAG_READ) == 0);
		CHECK(unmap(LOW, PAGE) == 0);
	}
	/* What is left mapped goes with the process. */
	printf("%s: %s: %d checks passed, %d failed\n", name, argv[2], passed, failed);
	return failed != 0;
}
