/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a hostile vfio-user server says of itself and of its device: version,
 * interrupts, regions, and the files in which they are.
 */

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test_bluefield_hostile.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

/*
 * Version
 */

static const char *version_text;
static struct vfio_user_version version_number;

static void
fix_version(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg, uint64_t len)
{
	memcpy(msg->body, &version_number, sizeof(version_number));
	memcpy(msg->body + sizeof(version_number), version_text, len);
	msg->len = (uint32_t)(sizeof(version_number) + len);
}

static int
test_version(void)
{
	static const struct vfio_user_version others[] = {
		{ 1, 0 }, { 0, 2 }, { 0, UINT16_MAX }, { UINT16_MAX, UINT16_MAX }, { 1, 1 },
	};
	struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_VERSION, .fix = fix_version,
	};
	unsigned int i;

	version_text = "{}";
	rule.arg = 3;
	for (i = 0; i < RTE_DIM(others); i++) {
		version_number = others[i];
		TEST_CALL(hostile_expect_error(&rule, "this driver speaks 0.1"));
	}
	/* an older one is as good */
	version_number = (struct vfio_user_version){ 0, 0 };
	TEST_CALL(hostile_expect_device(&rule));
	return test_log_passed();
}

static int
test_version_text(void)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{ "", true },
		{ "{", true },
		{ "null", true },
		{ "{\"capabilities\":", true },
		{ "\"max_msg_fds\"", false },
		{ "\"max_msg_fds", true },
		{ "{\"capabilities\":{\"max_msg_fds\":", false },
		{ "{\"capabilities\":{\"max_msg_fds\":}}", false },
		{ "{\"capabilities\":{\"max_msg_fds\"=8}}", false },
		{ "{\"capabilities\":{\"max_msg_fds\":0}}", false },
		{ "{\"capabilities\":{\"max_msg_fds\":-1}}", false },
		{ "{\"capabilities\":{\"max_msg_fds\":\"8\"}}", false },
		{ "{\"capabilities\":{\"max_msg_fds\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
			false },
		{ "{\"capabilities\":{\"max_msg_fds\":99999999999999999999999999999999}}", true },
		{ "{\"capabilities\":{\"max_msg_fds\" :\n\t 8 }}", true },
		{ "{\"capabilities\":{\"max_data_xfer_size\":0}}", false },
		{ "{\"capabilities\":{\"max_data_xfer_size\":7}}", false },
		{ "{\"capabilities\":{\"max_data_xfer_size\":8}}", true },
		{ "{\"capabilities\":{\"max_data_xfer_size\":nan}}", false },
		{ "\xff\xfe\x01%s%s%s%n%n\"\\\\\"\x7f", true },
	};
	struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_VERSION, .fix = fix_version,
	};
	unsigned int i, nul;

	version_number = (struct vfio_user_version){ VFIO_USER_MAJOR, VFIO_USER_MINOR };
	for (i = 0; i < RTE_DIM(rows); i++) {
		version_text = rows[i].text;
		/* with and without the byte that ends it */
		for (nul = 0; nul < 2; nul++) {
			rule.arg = strlen(rows[i].text) + nul;
			if (rows[i].good)
				TEST_CALL(hostile_expect_device(&rule));
			else
				TEST_CALL(hostile_expect_error(&rule, "take another server"));
		}
	}
	return test_log_passed();
}

/* A text as long as a message may be, without an end. */
static int
test_version_long(void)
{
	static char text[4096];
	struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_VERSION, .fix = fix_version,
	};

	memset(text, '"', sizeof(text));
	version_text = text;
	version_number = (struct vfio_user_version){ VFIO_USER_MAJOR, VFIO_USER_MINOR };
	for (rule.arg = 1000; rule.arg < 1019; rule.arg++)
		TEST_CALL(hostile_expect_device(&rule));
	for (rule.arg = 1024; rule.arg <= sizeof(text); rule.arg += 1024)
		TEST_CALL(hostile_expect_error(&rule, "wrong length"));
	return test_log_passed();
}

/*
 * Device, interrupts and regions
 */

static struct vfio_user_device_info device_info;
static struct vfio_user_irq_info irq_info;

static void
fix_device(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg, uint64_t arg __rte_unused)
{
	memcpy(msg->body, &device_info, sizeof(device_info));
}

static void
fix_irq(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg, uint64_t arg __rte_unused)
{
	memcpy(msg->body, &irq_info, sizeof(irq_info));
}

static int
test_device_info(void)
{
	static const struct vfio_user_device_info bad[] = {
		{ 16, 0, 9, 5 },
		{ 16, VFIO_USER_DEVICE_PCI, 9, 5 },
		{ 16, VFIO_USER_DEVICE_RESET, 9, 5 },
		{ 16, VFIO_USER_DEVICE_PCI | VFIO_USER_DEVICE_RESET, 0, 5 },
		{ 16, VFIO_USER_DEVICE_PCI | VFIO_USER_DEVICE_RESET, 7, 5 },
		{ 16, VFIO_USER_DEVICE_PCI | VFIO_USER_DEVICE_RESET, 9, 0 },
		{ 16, VFIO_USER_DEVICE_PCI | VFIO_USER_DEVICE_RESET, 9, 2 },
	};
	static const struct vfio_user_irq_info bad_irqs[] = {
		{ 16, VFIO_USER_IRQ_INFO_EVENTFD, VFIO_USER_IRQ_MSIX, 0 },
		{ 16, VFIO_USER_IRQ_INFO_EVENTFD, VFIO_USER_IRQ_MSIX, 2049 },
		{ 16, VFIO_USER_IRQ_INFO_EVENTFD, VFIO_USER_IRQ_MSIX, UINT32_MAX },
		{ 16, VFIO_USER_IRQ_INFO_EVENTFD, VFIO_USER_IRQ_MSI, 4 },
		{ 16, 0, VFIO_USER_IRQ_MSIX, 4 },
	};
	struct hostile_rule rule = { .how = HOSTILE_FIX };
	unsigned int i;

	rule.cmd = VFIO_USER_CMD_DEVICE_GET_INFO;
	rule.fix = fix_device;
	for (i = 0; i < RTE_DIM(bad); i++) {
		device_info = bad[i];
		TEST_CALL(hostile_expect_error(&rule, "give the socket of a BlueField function"));
	}
	/* more than PCI has, and nonsense in argsz, are nobody's business */
	device_info = (struct vfio_user_device_info){ UINT32_MAX, UINT32_MAX, UINT32_MAX,
		UINT32_MAX };
	TEST_CALL(hostile_expect_device(&rule));
	rule.cmd = VFIO_USER_CMD_GET_IRQ_INFO;
	rule.fix = fix_irq;
	for (i = 0; i < RTE_DIM(bad_irqs); i++) {
		irq_info = bad_irqs[i];
		TEST_CALL(hostile_expect_error(&rule, "give the socket of a BlueField function"));
	}
	return test_log_passed();
}

static uint32_t ids;

static void
fix_ids(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg, uint64_t arg __rte_unused)
{
	memcpy(msg->body + sizeof(struct vfio_user_region_access), &ids, sizeof(ids));
}

static int
test_pci_ids(void)
{
	static const struct {
		uint32_t ids;
		const char *words;
	} rows[] = {
		{ UINT32_MAX, "all ones" },
		{ 0, "0000:0000" },
		{ 0xa2dc8086, "8086:a2dc" },
		{ 0xa2d215b3, "15b3:a2d2" },
		{ 0x101d15b3, "15b3:101d" },
	};
	struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_REGION_READ, .fix = fix_ids, .count = 1,
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		ids = rows[i].ids;
		TEST_CALL(hostile_expect_error(&rule, rows[i].words));
	}
	return test_log_passed();
}

/* An answer to a read or a write that is for another place. */
static struct vfio_user_region_access other_place;

static void
fix_access(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg, uint64_t arg)
{
	struct vfio_user_region_access access;

	memcpy(&access, msg->body, sizeof(access));
	if (arg == 0)
		access.offset ^= 4;
	else if (arg == 1)
		access.region ^= 7;
	else
		access.count = arg == 2 ? 0 : UINT32_MAX;
	memcpy(msg->body, &access, sizeof(access));
	other_place = access;
}

static int
test_other_place(void)
{
	struct hostile_rule rule = { .how = HOSTILE_FIX, .fix = fix_access, .count = 1 };

	for (rule.arg = 0; rule.arg < 4; rule.arg++) {
		rule.cmd = VFIO_USER_CMD_REGION_READ;
		TEST_CALL(hostile_expect_error(&rule, "reads another place"));
		rule.cmd = VFIO_USER_CMD_REGION_WRITE;
		TEST_CALL(hostile_expect_error(&rule, "writes another place"));
	}
	return test_log_passed();
}

#define RW (VFIO_USER_REGION_F_READ | VFIO_USER_REGION_F_WRITE)

static struct {
	struct vfio_user_region_info info;
	struct vfio_user_cap_sparse cap;
	struct vfio_user_area areas[64];
} region;
static uint32_t region_len;
static int region_fd;
static uint32_t region_nb_fds;

static void
fix_region(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg, uint64_t arg)
{
	uint32_t i;

	region.info.index = arg == 0 ? VFIO_USER_REGION_CONFIG : VFIO_USER_REGION_BAR0;
	memcpy(msg->body, &region, sizeof(region));
	msg->len = region_len;
	for (i = 0; i < region_nb_fds; i++)
		msg->fds[msg->nb_fds++] = fcntl(region_fd, F_DUPFD_CLOEXEC, 0);
}

static void
region_default(void)
{
	memset(&region, 0, sizeof(region));
	region.info.argsz = sizeof(region);
	region.info.flags = RW | VFIO_USER_REGION_F_MMAP | VFIO_USER_REGION_F_CAPS;
	region.info.cap_offset = sizeof(region.info);
	region.info.size = HOSTILE_BAR;
	region.cap.head.id = VFIO_USER_CAP_SPARSE_MMAP;
	region.cap.head.version = 1;
	region.cap.nr_areas = 1;
	region.areas[0].offset = 0x2000;
	region.areas[0].size = 0x1000;
	region_len = sizeof(region.info) + sizeof(region.cap) + sizeof(region.areas[0]);
	region_nb_fds = 0;
}

static void
region_with_file(void)
{
	region_default();
	region_nb_fds = 1;
}

/* Of BAR 0, which is the second that is asked. */
static const struct hostile_rule bar_rule = {
	.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_GET_REGION_INFO, .fix = fix_region, .skip = 1,
	.count = 1, .arg = 1,
};

static int
test_region_info(void)
{
	static const uint64_t sizes[] = { 0, 1, 0xffff, (1ull << 30) + 1, 1ull << 32,
		(1ull << 32) + HOSTILE_BAR, 1ull << 63, UINT64_MAX };
	static const uint64_t config_sizes[] = { 0, 1, 63 };
	struct hostile_rule config_rule = bar_rule;
	unsigned int i;

	config_rule.skip = 0;
	config_rule.arg = 0;
	for (i = 0; i < RTE_DIM(sizes); i++) {
		region_default();
		region.info.size = sizes[i];
		TEST_CALL(hostile_expect_error(&bar_rule, "are needed"));
	}
	/* its last doorbell page would not be whole */
	region_default();
	region.info.size = HOSTILE_BAR + 1;
	TEST_CALL(hostile_expect_error(&bar_rule, "is not that of a BlueField function"));
	for (i = 0; i < RTE_DIM(config_sizes); i++) {
		region_default();
		region.info.size = config_sizes[i];
		TEST_CALL(hostile_expect_error(&config_rule, "BlueField function"));
	}
	for (i = 0; i < 2; i++) {
		region_default();
		region.info.flags = i == 0 ? VFIO_USER_REGION_F_READ : VFIO_USER_REGION_F_WRITE;
		TEST_CALL(hostile_expect_error(&bar_rule, "BlueField function"));
		TEST_CALL(hostile_expect_error(&config_rule, "BlueField function"));
	}
	/* argsz, offset and capabilities are as they like without descriptors */
	region_default();
	region.info.argsz = UINT32_MAX;
	region.info.cap_offset = UINT32_MAX;
	region.info.offset = UINT64_MAX;
	TEST_CALL(hostile_expect_device(&bar_rule));
	region_default();
	region.info.argsz = 0;
	TEST_CALL(hostile_expect_device(&bar_rule));
	return test_log_passed();
}

/* Lists that lead out of the message, or to themselves. */
static int
test_region_caps(void)
{
	static const uint32_t out_of_message[] = { 1, 31, 4096, 0x7fffffff, 0xfffffff8,
		UINT32_MAX };
	static const uint32_t counts[] = { 2, 64, 0x10000000, 0x10000001, 0x7fffffff, UINT32_MAX };
	unsigned int i;

	region_fd = hostile_vfu_file(HOSTILE_BAR, F_SEAL_SHRINK);
	TEST_TRUE(region_fd >= 0);
	hostile_count();
	for (i = 0; i < RTE_DIM(out_of_message); i++) {
		region_with_file();
		region.info.cap_offset = out_of_message[i];
		TEST_CALL(hostile_expect_error(&bar_rule, NULL));
		region_with_file();
		region.cap.head.id = 77;
		region.cap.head.next = out_of_message[i];
		TEST_CALL(hostile_expect_error(&bar_rule, NULL));
	}
	for (i = 0; i < RTE_DIM(counts); i++) {
		region_with_file();
		region.cap.nr_areas = counts[i];
		TEST_CALL(hostile_expect_error(&bar_rule, NULL));
	}
	/* a head, or a list's, that begins in the message and ends behind it */
	for (i = 1; i <= sizeof(region.cap.head); i++) {
		region_with_file();
		if (i % 2 != 0)
			region_len = 4096; /* of the largest that there is */
		region.info.cap_offset = region_len - i;
		region.areas[0].size = VFIO_USER_CAP_SPARSE_MMAP;
		TEST_CALL(hostile_expect_error(&bar_rule, NULL));
	}
	/* unknown ones to the end, and a ring of them */
	for (i = 0; i < 2; i++) {
		region_with_file();
		region.cap.head.id = 77;
		region.cap.head.next = i * sizeof(region.info);
		TEST_CALL(hostile_expect_device(&bar_rule));
	}
	/* no area, and more than can be kept */
	region_with_file();
	region.cap.nr_areas = 0;
	TEST_CALL(hostile_expect_device(&bar_rule));
	region_default();
	region_nb_fds = 8;
	region.cap.nr_areas = RTE_DIM(region.areas);
	for (i = 0; i < RTE_DIM(region.areas); i++) {
		region.areas[i].offset = 0x2000;
		region.areas[i].size = 0x1000;
	}
	region_len = sizeof(region);
	TEST_CALL(hostile_expect_device(&bar_rule));
	close(region_fd);
	return test_log_passed();
}

/* Areas that are no part of the region, and files that do not hold what they say. */
static int
test_areas(void)
{
	static const struct vfio_user_area areas[] = {
		{ 0x2000, 0 }, { 0x2000, 1 }, { 0x2001, 0x1000 }, { 0x2000, 0xfff },
		{ HOSTILE_BAR, 0x1000 }, { HOSTILE_BAR - 0x1000, 0x2000 },
		{ 0, HOSTILE_BAR + 0x1000 }, { UINT64_MAX - 0xfff, 0x1000 },
		{ UINT64_MAX - 0xfff, 0x2000 }, { 0x2000, UINT64_MAX - 0x1fff },
		{ 0x2000, UINT64_MAX - 0xfff }, { 1ull << 32, 0x1000 },
		{ 0x2000, (1ull << 32) + 0x1000 },
	};
	static const uint64_t offsets[] = { 1, 0x800, 0x1000, 1ull << 62, INT64_MAX - 0xfff,
		1ull << 63, UINT64_MAX - 0x1fff, UINT64_MAX - 0xfff, UINT64_MAX };
	unsigned int i;

	region_fd = hostile_vfu_file(HOSTILE_BAR, F_SEAL_SHRINK);
	TEST_TRUE(region_fd >= 0);
	hostile_count();
	for (i = 0; i < RTE_DIM(areas); i++) {
		region_with_file();
		region.areas[0] = areas[i];
		TEST_CALL(hostile_expect_device(&bar_rule));
	}
	for (i = 0; i < RTE_DIM(offsets); i++) {
		region_with_file();
		region.info.offset = offsets[i];
		region.areas[0].offset = HOSTILE_BAR - 0x1000;
		TEST_CALL(hostile_expect_device(&bar_rule));
	}
	/* all of it without a list, in a file that is large enough: zeros, so it ends soon */
	region_with_file();
	region.info.flags &= ~VFIO_USER_REGION_F_CAPS;
	TEST_CALL(hostile_expect_error(&bar_rule, NULL));
	close(region_fd);
	return test_log_passed();
}

/* One look at the counter, when the file has no pages any more: SIGBUS if mapped. */
static int
expect_not_mapped(int fd)
{
	int ret;

	region_fd = fd;
	region_default();
	region_nb_fds = 1;
	region.areas[0].offset = 0x1000;
	region.info.offset = 0;
	hostile_count();
	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, &bar_rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
	TEST_TRUE(ret >= 0);
	/* what cannot be cut off is not mapped either, if this works */
	if (ftruncate(fd, 0) != 0)
		errno = 0;
	usleep(80000);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	TEST_CALL(hostile_round_end());
	return TEST_SUCCESS;
}

static int
test_files(void)
{
	char path[PATH_MAX];
	int fd, fds[2];

	/* it could be cut off */
	fd = hostile_vfu_file(HOSTILE_BAR, 0);
	TEST_CALL(expect_not_mapped(fd));
	close(fd);
	fd = hostile_vfu_file(HOSTILE_BAR, F_SEAL_GROW | F_SEAL_SEAL);
	TEST_CALL(expect_not_mapped(fd));
	close(fd);
	/* it is shorter than the area */
	fd = hostile_vfu_file(0, F_SEAL_SHRINK);
	TEST_CALL(expect_not_mapped(fd));
	close(fd);
	fd = hostile_vfu_file(0x1001, F_SEAL_SHRINK);
	TEST_CALL(expect_not_mapped(fd));
	close(fd);
	/* we may not write to it */
	fd = hostile_vfu_file(HOSTILE_BAR, F_SEAL_SHRINK | F_SEAL_WRITE);
	TEST_CALL(expect_not_mapped(fd));
	close(fd);
	/* it is no memory at all */
	TEST_EXPECT(pipe2(fds, O_CLOEXEC), 0);
	TEST_CALL(expect_not_mapped(fds[0]));
	close(fds[0]);
	close(fds[1]);
	fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	TEST_CALL(expect_not_mapped(fd));
	close(fd);
	fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	TEST_CALL(expect_not_mapped(fd));
	close(fd);
	/* an ordinary file has no seals */
	TEST_EXPECT(test_rendezvous_create(path, sizeof(path)), 0);
	fd = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0) {
		TEST_EXPECT(ftruncate(fd, HOSTILE_BAR), 0);
		TEST_CALL(expect_not_mapped(fd));
		close(fd);
	}
	test_rendezvous_remove(path);
	return test_log_passed();
}

/* Huge pages are mapped as a whole, and are not unmapped in parts. */
static int
test_huge_file(void)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);

	if (fd < 0 || ftruncate(fd, 2 << 20) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
		if (fd >= 0)
			close(fd);
		test_log_passed();
		return test_skip("no files of huge pages here: %s", strerror(errno));
	}
	TEST_CALL(expect_not_mapped(fd));
	close(fd);
	return test_log_passed();
}

/* One that is as it should be is mapped, and read: by message the counter would go on. */
static int
test_good_file(void)
{
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_server.shared_page = true;
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
	TEST_TRUE(ret >= 0);
	usleep(200000);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	pthread_mutex_lock(&hostile_server.lock);
	hostile_server.page_stands = true;
	pthread_mutex_unlock(&hostile_server.lock);
	TEST_WAIT(test_log_has("counter stands"), TEST_MS);
	/* firmware that still answers has not failed */
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "hostile vfio-user devices",
	.unit_test_cases = {
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_version),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_version_text),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_version_long),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_device_info),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_pci_ids),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_other_place),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_region_info),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_region_caps),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_areas),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_files),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_huge_file),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_good_file),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hostile_info_autotest, unit_test_suite_runner, &suite);
