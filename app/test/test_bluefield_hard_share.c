/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients of the software BlueField that harm others, or those that come after them:
 * one leaves something behind. No driver takes part.
 */

#include <sys/mman.h>
#include <unistd.h>

#include <rte_byteorder.h>

#include "test_bluefield_raw.h"
#include "test_comch_util.h"

static int
write_reg(uint32_t off, uint32_t value)
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

/* A command queue in this page; -1: in memory without a descriptor. */
static int
queue_setup(int file)
{
	uint16_t enable = 6; /* memory and bus mastering */
	struct raw_msg m;

	raw_msg_map(&m, RAW_ADDR_A, RAW_PAGE, file);
	TEST_CALL(raw_call(&m, 0));
	raw_msg_write(&m, VFIO_USER_REGION_CONFIG, 4, &enable, sizeof(enable));
	TEST_CALL(raw_call(&m, 0));
	TEST_WAIT(firmware_is_there(), TEST_MS);
	TEST_CALL(write_reg(0x10, RAW_ADDR_A >> 32));
	return write_reg(0x14, RAW_ADDR_A & UINT32_MAX);
}

/* Memory without descriptors that went with all others is not there for ever. */
static int
test_unmap_all_by_message(void)
{
	struct raw_msg m;
	uint8_t *mem;

	raw_msg_map(&m, RAW_ADDR_B, RAW_PAGE, -1);
	TEST_CALL(raw_call(&m, 0));
	raw_msg_unmap(&m, VFIO_USER_UNMAP_ALL, 0, 0);
	TEST_CALL(raw_call(&m, 0));
	TEST_CALL(queue_setup(raw_file_a));
	mem = mmap(NULL, RAW_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, raw_file_a, 0);
	TEST_TRUE(mem != MAP_FAILED);
	mem[0] = 7;     /* the entry: INIT_HCA, which takes a second and more here */
	mem[7] = 16;    /* length of the input */
	mem[16] = 0x01;
	mem[17] = 0x02;
	mem[59] = 16;   /* length of the output */
	mem[60] = 0x11; /* token */
	mem[63] = 1;    /* owner: hardware */
	munmap(mem, RAW_PAGE);
	TEST_CALL(write_reg(0x18, 1));
	/* commands take time, unless memory without descriptors is there */
	TEST_EXPECT(test_model_ctl(&raw_model, "dump pf0"), 0);
	TEST_TRUE(strstr(raw_model.answer, " busy=1 ") != NULL);
	return TEST_SUCCESS;
}

static int
case_setup(void)
{
	raw_sock = -1;
	raw_file_a = memfd_create("msg_file_a", MFD_CLOEXEC);
	raw_file_b = memfd_create("msg_file_b", MFD_CLOEXEC);
	TEST_TRUE(raw_file_a >= 0 && raw_file_b >= 0);
	TEST_EXPECT(ftruncate(raw_file_a, RAW_PAGE), 0);
	TEST_CALL(test_model_start(&raw_model, "pf0,flr_ms=1 --latency=100"));
	return raw_greet();
}

static struct unit_test_suite hard_share_suite = {
	.suite_name = "clients of the software BlueField that harm others",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, raw_teardown, test_unmap_all_by_message),
		TEST_CASES_END()
	}
};

static int
test_bluefield_hard_share(void)
{
	return unit_test_suite_runner(&hard_share_suite);
}

REGISTER_FAST_TEST(bluefield_hard_share_autotest, NOHUGE_OK, ASAN_OK, test_bluefield_hard_share);
