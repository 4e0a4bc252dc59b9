/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Representors as programs look them up: names, PCI addresses and identifiers that are
 * unique, and the same on both sides; and the device argument of the addresses.
 */

#include <ctype.h>
#include <limits.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define MAX_REPS 256
#define ALL_FUNCTIONS "pf0:pf1:pf0vf[0-119]:pf1vf[0-119]:pf0sf[0-13]"
#define SOME_SFS "pf0sf[0-9]:pf0sf[250-259]:pf0sf[990-999]:pf1sf[0-9]:pf1sf[990-999]:pf1vf119"

static char path[PATH_MAX];
static int card = -1, host = -1;

static int
suite_setup(void)
{
	test_log_quiet();
	if (test_rendezvous_create(path, sizeof(path)) != 0)
		return TEST_FAILED;
	card = test_vdev_add("role=dpu,functions=pf0,path=%s", path);
	if (card < 0)
		return test_skip("no shm device can be plugged: %s", strerror(-card));
	return test_vdev_remove((int16_t)card) == 0 ? TEST_SUCCESS : TEST_FAILED;
}

static void
suite_teardown(void)
{
	test_rendezvous_remove(path);
}

static int
case_setup(void)
{
	card = host = -1;
	return TEST_SUCCESS;
}

static void
case_teardown(void)
{
	test_cleanup();
	if (host >= 0 && test_vdev_remove((int16_t)host) != 0)
		test_fail("the host device cannot be removed");
	if (card >= 0 && test_vdev_remove((int16_t)card) != 0)
		test_fail("the card device cannot be removed");
}

/* What its name says is what the fields say. */
static int
rep_is_its_name(const struct rte_comch_rep_info *rep)
{
	unsigned int pf, nr = 0;
	char kind = 'p';

	TEST_TRUE(sscanf(rep->name, "pf%u%cf%u", &pf, &kind, &nr) >= 1);
	TEST_EXPECT(rep->pf, (int)pf);
	TEST_EXPECT(rep->number, (int)nr);
	TEST_EXPECT(rep->type, kind == 'v' ? RTE_COMCH_FUNC_VF :
		kind == 's' ? RTE_COMCH_FUNC_SF : RTE_COMCH_FUNC_PF);
	return TEST_SUCCESS;
}

static int
rep_is_found(const struct rte_comch_rep_info *rep)
{
	char upper[RTE_COMCH_PCI_ADDR_SIZE];
	unsigned int i;

	TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, rep->name), rep->rep_id);
	TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, rep->vuid), rep->rep_id);
	TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, rep->pci_addr), rep->rep_id);
	TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, strchr(rep->pci_addr, ':') + 1),
			rep->rep_id);
	for (i = 0; i < sizeof(upper); i++)
		upper[i] = (char)toupper((unsigned char)rep->pci_addr[i]);
	TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, upper), rep->rep_id);
	return TEST_SUCCESS;
}

static int
all_unique(const char *functions, int nb)
{
	static struct rte_comch_rep_info reps[MAX_REPS];
	int i, j;

	TEST_CALL(test_need_fds(64 + nb));
	card = test_vdev_add("role=dpu,functions=%s,path=%s", functions, path);
	TEST_TRUE(card >= 0);
	TEST_EXPECT(rte_comch_rep_list((int16_t)card, reps, MAX_REPS), nb);
	for (i = 0; i < nb; i++) {
		TEST_TRUE(reps[i].vuid[0] != '\0' && reps[i].pci_addr[0] != '\0');
		for (j = 0; j < i; j++)
			TEST_ASSERT(strcmp(reps[i].pci_addr, reps[j].pci_addr) != 0 &&
					strcmp(reps[i].vuid, reps[j].vuid) != 0,
					"%s and %s are both %s, %s", reps[i].name, reps[j].name,
					reps[i].pci_addr, reps[i].vuid);
		TEST_CALL(rep_is_its_name(&reps[i]));
		if (i % 8 == 0)
			TEST_CALL(rep_is_found(&reps[i]));
	}
	return TEST_SUCCESS;
}

static int
test_all_unique(void)
{
	return all_unique(ALL_FUNCTIONS, MAX_REPS);
}

static int
test_subfunctions_unique(void)
{
	return all_unique(SOME_SFS, 51);
}

static int
test_not_found(void)
{
	static const char * const names[] = {
		"pf1", "pf", "0", "00:00.0", "0000:3b:00.1", "3b:00", "3b:00.0 ", "0:3b:00.0",
		"comch-shm", "comch_shm100",
	};
	unsigned int i;

	card = test_vdev_add("role=dpu,functions=pf0:pf0vf0,path=%s", path);
	TEST_TRUE(card >= 0);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(-1, "pf0"), -EINVAL);
	TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, ""), -EINVAL);
	for (i = 0; i < RTE_DIM(names); i++)
		TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, names[i]), -ENODEV);
	TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)card, "3b:00.0"), 0);
	return TEST_SUCCESS;
}

/* A program that knows only what its own device says finds the other side. */
static int
both_sides(const char *function, const char *args, const char *pci_addr)
{
	struct rte_comch_dev_info info, card_info;
	struct test_ep *server, *client;
	const char *keys[3];
	unsigned int i;
	int id;

	TEST_CALL(test_need_fds(64 + MAX_REPS));
	card = test_vdev_add("role=dpu,functions=" ALL_FUNCTIONS ",path=%s%s", path, args);
	host = test_vdev_add("role=host,function=%s,path=%s%s", function, path, args);
	TEST_TRUE(card >= 0 && host >= 0);
	TEST_EXPECT(rte_comch_dev_info_get((int16_t)host, &info), 0);
	TEST_EXPECT(rte_comch_dev_info_get((int16_t)card, &card_info), 0);
	TEST_TRUE(strcmp(info.pci_addr, pci_addr) == 0);
	TEST_TRUE(card_info.vuid[0] == '\0');
	TEST_EXPECT(rte_comch_dev_get_id_by_name(info.vuid), host);
	test_pair.dpu = (int16_t)card;
	test_pair.host = (int16_t)host;
	keys[0] = info.function;
	keys[1] = info.pci_addr;
	keys[2] = info.vuid;
	for (i = 0; i < RTE_DIM(keys); i++) {
		id = rte_comch_rep_get_id_by_name((int16_t)card, keys[i]);
		TEST_ASSERT(id >= 0, "no representor is %s", keys[i]);
		test_pair.rep = (uint16_t)id;
		TEST_CALL(test_connected(&server, &client));
		test_cleanup();
	}
	return TEST_SUCCESS;
}

static int
test_same_pf(void)
{
	return both_sides("pf1", "", "0000:3b:00.1");
}

static int
test_same_vf(void)
{
	return both_sides("pf0vf3", "", "0000:3b:00.5");
}

static int
test_same_sf(void)
{
	return both_sides("pf0sf12", "", "0000:3c:01.4");
}

static int
test_same_bus(void)
{
	return both_sides("pf0vf3", ",pci_bus=00A1:f7", "00a1:f7:00.5");
}

static int
test_refused_bus(void)
{
	static const char * const refused[] = {
		"", ":", "3b", "0000", "0000:", "0000:3", "000:3b", "0000:f8", "0000:ff", "0000:3bb",
		"00000:3b", "0000:3b:00.0", "0000 3b", "0000:3g", "000x:3b", "0x00:3b", "-000:3b",
		"0000:-1", "0000:+1", " 000:3b", "0000: 1", "00003b:", "%n%n:%n",
	};
	unsigned int i;
	int ret;

	for (i = 0; i < 2 * RTE_DIM(refused); i++) {
		ret = test_vdev_add("role=%s,path=%s,pci_bus=%s", i % 2 == 0 ? "dpu" : "host", path,
				refused[i / 2]);
		if (ret >= 0)
			test_vdev_remove((int16_t)ret);
		TEST_ASSERT(ret == -EINVAL, "pci_bus=%s: %d", refused[i / 2], ret);
	}
	TEST_EXPECT(test_vdev_add("role=dpu,path=%s,pci_bus=0000:3b,pci_bus=0000:3b", path),
			-EINVAL);
	return TEST_SUCCESS;
}

/* Two cards of one host, told apart by their domains. */
static int
test_two_cards(void)
{
	char second[PATH_MAX];
	int other, ret;

	TEST_EXPECT(test_rendezvous_create(second, sizeof(second)), 0);
	host = test_vdev_add("role=host,function=pf0,path=%s,pci_bus=0001:5e", path);
	TEST_TRUE(host >= 0);
	other = test_vdev_add("role=host,function=pf0,path=%s,pci_bus=0002:5e", second);
	TEST_TRUE(other >= 0);
	ret = rte_comch_dev_get_id_by_name("0002:5e:00.0");
	TEST_EXPECT(rte_comch_dev_get_id_by_name(test_dev_info((int16_t)other).vuid), other);
	TEST_EXPECT(test_vdev_remove((int16_t)other), 0);
	test_rendezvous_remove(second);
	TEST_EXPECT(ret, other);
	TEST_EXPECT(rte_comch_dev_get_id_by_name("0001:5e:00.0"), host);
	TEST_EXPECT(rte_comch_dev_get_id_by_name("5e:00.0"), -ENODEV); /* of domain 0 */
	return TEST_SUCCESS;
}

/* How often the log says that a second device has the address of the first. */
static int
second_card(const char *functions, const char *folder, const char *bus, unsigned int lines)
{
	int second;

	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	second = test_vdev_add("role=dpu,functions=%s,path=%s,pci_bus=%s", functions, folder, bus);
	test_log_quiet();
	TEST_TRUE(second >= 0);
	TEST_EXPECT(test_log_count("which is another card"), lines);
	TEST_EXPECT(test_log_count("give both sides of this card another pci_bus="), lines);
	test_log_passed();
	test_log_end();
	if (lines == 0 && strcmp(folder, path) != 0)
		TEST_EXPECT(rte_comch_dev_get_id_by_name(test_dev_info((int16_t)second).pci_addr),
				second);
	TEST_EXPECT(rte_comch_dev_get_id_by_name(test_dev_info((int16_t)card).pci_addr), card);
	TEST_EXPECT(test_vdev_remove((int16_t)second), 0);
	return TEST_SUCCESS;
}

/* Two cards in one process: each is found by its address, or the log says that it is not. */
static int
test_card_addresses(void)
{
	char folder[PATH_MAX];

	TEST_EXPECT(test_rendezvous_create(folder, sizeof(folder)), 0);
	card = test_vdev_add("role=dpu,functions=pf0,path=%s,pci_bus=00b1:3b", path);
	TEST_TRUE(card >= 0);
	TEST_CALL(second_card("pf0", folder, "00b1:3b", 1));
	TEST_CALL(second_card("pf0", folder, "00b1:5b", 0));
	TEST_CALL(second_card("pf0", folder, "00b2:3b", 0));
	/* of the same card */
	TEST_CALL(second_card("pf1", path, "00b1:3b", 0));
	test_rendezvous_remove(folder);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: representors that programs look up",
	.setup = suite_setup,
	.teardown = suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_all_unique),
		TEST_CASE_ST(case_setup, case_teardown, test_subfunctions_unique),
		TEST_CASE_ST(case_setup, case_teardown, test_not_found),
		TEST_CASE_ST(case_setup, case_teardown, test_same_pf),
		TEST_CASE_ST(case_setup, case_teardown, test_same_vf),
		TEST_CASE_ST(case_setup, case_teardown, test_same_sf),
		TEST_CASE_ST(case_setup, case_teardown, test_same_bus),
		TEST_CASE_ST(case_setup, case_teardown, test_card_addresses),
		TEST_CASE_ST(case_setup, case_teardown, test_refused_bus),
		TEST_CASE_ST(case_setup, case_teardown, test_two_cards),
		TEST_CASES_END()
	},
};

static int
reps_run(struct unit_test_suite *reps)
{
	struct test_pair saved = test_pair;
	int ret = unit_test_suite_runner(reps);

	test_pair = saved;
	return ret;
}

REGISTER_FAST_TEST(comch_reps_autotest, reps_run, &suite)
