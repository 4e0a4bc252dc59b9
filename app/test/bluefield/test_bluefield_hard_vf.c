/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * VFs of both sides, as they are deployed: who they are, which role they have, and
 * who gives the pages that firmware takes for them. They need a software BlueField.
 */

#include "test_bluefield_model.h"
#include "test_comch_util.h"

/* A VF of the card's own PF has the ids of a VF, and no bit that says whose it is. */
static int
test_card_vf(void)
{
	TEST_CALL(test_model_start(&model, "pf0vf3 ecpf0vf3 ecpf1vf31,device=bf3"));
	TEST_EXPECT(test_model_ctl(&model, "list"), 0);
	TEST_TRUE(strstr(model.answer, "\necpf0vf3 15b3:101e vhca=273 ") != NULL);
	TEST_TRUE(strstr(model.answer, "\necpf1vf31 15b3:101e vhca=333 ") != NULL);
	TEST_TRUE(test_model_dev_add(&model, "pf0vf3", "") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "ecpf0vf3", "") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "ecpf1vf31", "") >= 0);
	return test_log_passed();
}

/* A number of the accounts of whom a function has its pages from. -1: none. */
static long
owner_state(const char *function, const char *key)
{
	char word[32];
	const char *p;

	snprintf(word, sizeof(word), " %s=", key);
	if (test_model_ctl(&model, "owner %s", function) != 0)
		return -1;
	p = strstr(model.answer, word);
	return p == NULL ? -1 : strtol(p + strlen(word), NULL, 0);
}

/* All pages that were given for the functions of an owner have come back. */
static int
expect_even(const char *function)
{
	TEST_WAIT(owner_state(function, "now") == 0, TEST_MS);
	TEST_EXPECT(owner_state(function, "given"),
		owner_state(function, "taken") + owner_state(function, "void"));
	return TEST_SUCCESS;
}

/* Pages that the driver has given, as it says in its dump. -1: it does not. */
static long
dev_pages(int16_t dev_id)
{
	char text[4096] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");
	long pages = -1;
	const char *p;

	if (f == NULL)
		return -1;
	if (rte_comch_dev_dump(dev_id, f) != 0)
		text[0] = '\0';
	fclose(f);
	p = strstr(text, " pages ");
	if (p == NULL || sscanf(p, " pages %ld, peak", &pages) != 1)
		return -1;
	return pages;
}

static int
expect_role(const char *function, const char *args, enum rte_comch_role role)
{
	struct rte_comch_dev_info info;
	int id = test_model_dev_add(&model, function, args);

	TEST_TRUE(id >= 0);
	TEST_EXPECT(rte_comch_dev_info_get(id, &info), 0);
	TEST_ASSERT(info.role == role, "%s with '%s' has role %d", function, args, info.role);
	TEST_EXPECT(test_model_dev_remove(&model, model.devs[model.nb_devs - 1]), 0);
	return TEST_SUCCESS;
}

/* The role is what the administrator says; without a word, only an ECPF is the card's. */
static int
test_silicon_2_1_role(void)
{
	TEST_CALL(test_model_start(&model, "pf0 pf0vf0 ecpf0 ecpf0vf0"));
	TEST_CALL(expect_role("ecpf0vf0", "role=dpu", RTE_COMCH_ROLE_DPU));
	TEST_CALL(expect_role("pf0vf0", "role=host", RTE_COMCH_ROLE_HOST));
	TEST_CALL(expect_role("pf0", "role=dpu", RTE_COMCH_ROLE_DPU));
	TEST_TRUE(!test_log_has("role=host, and this is the card's own function"));
	TEST_CALL(expect_role("ecpf0", "role=host", RTE_COMCH_ROLE_HOST));
	TEST_TRUE(test_log_has("role=host, and this is the card's own function (ECPF)"));
	TEST_CALL(expect_role("ecpf0", "", RTE_COMCH_ROLE_DPU));
	TEST_TRUE(!test_log_has("its role is host"));
	TEST_CALL(expect_role("ecpf0vf0", "", RTE_COMCH_ROLE_HOST));
	TEST_TRUE(test_log_has("its role is host, as nothing else was said"));
	TEST_TRUE(test_log_has("role=dpu"));
	return test_log_passed();
}

/* An ECPF is taken, with a word on what that does to the host, and what to take instead. */
static int
test_silicon_2_2_ecpf_warns(void)
{
	TEST_CALL(test_model_start(&model, "ecpf0 ecpf0vf0"));
	TEST_TRUE(test_model_dev_add(&model, "ecpf0vf0", "role=dpu") >= 0);
	TEST_TRUE(!test_log_has("ECPF"));
	TEST_TRUE(test_model_dev_add(&model, "ecpf0", "") >= 0);
	TEST_TRUE(test_log_has("ECPF"));
	TEST_TRUE(test_log_has("all functions of the host"));
	TEST_TRUE(test_log_has("PF_NUM_OF_VF_VALID=1"));
	return test_log_passed();
}

/* A VF gives firmware nothing: the owner of its PF does. */
static int
test_silicon_5_1_pages_of_owner(void)
{
	TEST_CALL(test_model_start(&model, "pf0vf0,boot_pages=5,init_pages=7"
		" ecpf1vf2,boot_pages=2,init_pages=3"));
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "role=host") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "ecpf1vf2", "role=dpu") >= 0);
	TEST_EXPECT(dev_pages(model.devs[0]), 0);
	TEST_EXPECT(dev_pages(model.devs[1]), 0);
	/* and one for objects */
	TEST_EXPECT(owner_state("pf0vf0", "now"), 5 + 7 + 1);
	TEST_EXPECT(owner_state("ecpf1vf2", "now"), 2 + 3 + 1);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "given"), 5 + 7 + 1);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[0]), 0);
	TEST_EXPECT(owner_state("pf0vf0", "now"), 5 + 7 + 1);
	TEST_EXPECT(owner_state("pf0vf0", "given"), 2 * (5 + 7 + 1));
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_even("pf0vf0"));
	TEST_CALL(expect_even("ecpf1vf2"));
	return test_log_passed();
}

/* In DPU mode all functions of the host live from the card's memory. */
static int
test_silicon_5_1_dpu_mode(void)
{
	TEST_CALL(test_model_start(&model, "pf0,boot_pages=5,init_pages=7 pf0vf0 ecpf0"));
	TEST_TRUE(test_model_dev_add(&model, "pf0", "") >= 0);
	TEST_EXPECT(dev_pages(model.devs[0]), 0);
	TEST_EXPECT(owner_state("ecpf0", "now"), 5 + 7 + 1);
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "") >= 0);
	TEST_TRUE(owner_state("ecpf0", "now") > 5 + 7 + 1);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_even("ecpf0"));
	return test_log_passed();
}

static int
test_silicon_5_1_owner_slow(void)
{
	uint64_t start;

	TEST_CALL(test_model_start(&model, "pf0,owner_slow=150 pf0vf0"));
	start = test_now_ns();
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "cmd_timeout=2000") >= 0);
	/* boot, initialisation, objects */
	TEST_TRUE(test_now_ns() - start >= 3 * 150 * 1000000ull);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_even("pf0"));
	return test_log_passed();
}

static int
expect_log_shortage(const char *function, const char *args, int error, const char *command)
{
	int ret = test_model_dev_add(&model, function, args);

	TEST_ASSERT(ret == error, "%s is %d, not %d", function, ret, error);
	TEST_ASSERT(test_log_has(command), "'%s' is not in the log", command);
	TEST_TRUE(test_log_has("from the owner of its PF"));
	TEST_TRUE(test_log_has("dmesg"));
	TEST_CALL(expect_even(function));
	return TEST_SUCCESS;
}

/* Nobody says why firmware does not answer: the driver names who to look at. */
static int
test_silicon_5_1_owner_dead(void)
{
	TEST_CALL(test_model_start(&model, "ecpf0 pf0vf0 ecpf0vf0"));
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 owner dead"), 0);
	TEST_CALL(expect_log_shortage("ecpf0vf0", "role=dpu,cmd_timeout=200", -ETIMEDOUT,
		"ENABLE_HCA (op_mod 0x0): no answer"));
	TEST_CALL(expect_log_shortage("pf0vf0", "cmd_timeout=200", -ETIMEDOUT,
		"ENABLE_HCA (op_mod 0x0): no answer"));
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 owner alive"), 0);
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "ecpf0vf0", "role=dpu") >= 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_even("ecpf0"));
	return test_log_passed();
}

/* He dies while firmware waits for him, and comes back in time. */
static int
test_silicon_5_1_owner_back(void)
{
	TEST_CALL(test_model_start(&model, "pf0 pf0vf0"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 owner slow=60000"), 0);
	TEST_CALL(expect_log_shortage("pf0vf0", "cmd_timeout=100", -ETIMEDOUT, "ENABLE_HCA"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 owner slow=0"), 0);
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "cmd_timeout=100") >= 0);
	/* for the next life */
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 owner dead"), 0);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[0]), -ETIMEDOUT);
	TEST_EXPECT(test_dev_status(model.devs[0]), -ETIMEDOUT);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 clear"), 0);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[0]), 0);
	TEST_EXPECT(test_dev_status(model.devs[0]), 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_even("pf0"));
	return test_log_passed();
}

static int
test_silicon_5_1_owner_short(void)
{
	TEST_CALL(test_model_start(&model, "pf0,owner_short=7 pf0vf0,boot_pages=5,init_pages=7"));
	TEST_CALL(expect_log_shortage("pf0vf0", "", -EIO, "INIT_HCA (op_mod 0x0): limit exceeded"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 owner short=12"), 0);
	TEST_CALL(expect_log_shortage("pf0vf0", "", -EIO, "CREATE_EQ (op_mod 0x0): limit exceeded"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 owner short=0"), 0);
	TEST_CALL(expect_log_shortage("pf0vf0", "", -EIO, "ENABLE_HCA (op_mod 0x0): limit exceeded"));
	TEST_EXPECT(owner_state("pf0", "refused"), 7 + 1 + 2 * 5);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 owner short=13"), 0);
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "") >= 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_even("pf0"));
	return test_log_passed();
}

/* A device fails, says why, and comes back when somebody on the card is there again. */
static int
expect_lost(int16_t dev_id)
{
	TEST_WAIT(test_dev_status(dev_id) != 0, TEST_MS);
	TEST_EXPECT(test_dev_status(dev_id), -EIO);
	TEST_TRUE(test_log_has("the function has failed: interface disabled"));
	TEST_TRUE(test_log_has("or the owner of its PF (in DPU mode the card's kernel) has ended"));
	/* not yet */
	TEST_EXPECT(rte_comch_dev_reset(dev_id), -EAGAIN);
	TEST_TRUE(test_log_has("is not enabled after 100 ms"));
	return TEST_SUCCESS;
}

/* Functions of the host wait for the card's side; those of the card do not. */
static int
test_silicon_5_2_host_enabled(void)
{
	TEST_CALL(test_model_start(&model, "ecpf0,host=down pf0 pf0vf0 ecpf0vf0 pf1vf0"));
	TEST_EXPECT(test_model_dev_add(&model, "pf0", "fw_timeout=100"), -EAGAIN);
	TEST_EXPECT(test_model_dev_add(&model, "pf0vf0", "fw_timeout=100"), -EAGAIN);
	TEST_TRUE(test_log_has("the owner of its PF, and in DPU mode the card's side, has not enabled it"));
	TEST_TRUE(test_model_dev_add(&model, "ecpf0vf0", "role=dpu,health=20") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "pf1vf0", "") >= 0);
	/* this driver on the ECPF does not enable the host: who gives it away knows that */
	TEST_TRUE(test_model_dev_add(&model, "ecpf0", "") >= 0);
	TEST_EXPECT(test_model_dev_add(&model, "pf0vf0", "fw_timeout=100"), -EAGAIN);
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 host up"), 0);
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "fw_timeout=100,health=20") >= 0);
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 host down"), 0);
	TEST_CALL(expect_lost(model.devs[3]));
	TEST_EXPECT(test_dev_status(model.devs[0]), 0);
	TEST_EXPECT(test_dev_status(model.devs[1]), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 host up"), 0);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[3]), 0);
	TEST_EXPECT(test_dev_status(model.devs[3]), 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_even("ecpf0"));
	return test_log_passed();
}

/* Its end takes the memory of all functions that lived from it. */
static int
test_silicon_5_2_owner_killed(void)
{
	long given;

	TEST_CALL(test_model_start(&model, "ecpf0 pf0vf0 ecpf0vf0 pf1vf0"));
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "fw_timeout=100,health=20") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "ecpf0vf0", "role=dpu,fw_timeout=100,health=20") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "pf1vf0", "health=20") >= 0);
	given = owner_state("ecpf0", "now");
	TEST_TRUE(given > 0);
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 owner killed"), 0);
	TEST_EXPECT(owner_state("ecpf0", "now"), 0);
	TEST_EXPECT(owner_state("ecpf0", "void"), given);
	TEST_CALL(expect_lost(model.devs[0]));
	TEST_CALL(expect_lost(model.devs[1]));
	TEST_EXPECT(test_dev_status(model.devs[2]), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 owner alive"), 0);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[0]), 0);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[1]), 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_even("ecpf0"));
	TEST_EXPECT(owner_state("ecpf0", "taken"), given);
	return test_log_passed();
}

#define NB_CYCLES 100

/* One of the ways in which a life ends: most in order, a few not. */
static int
cycle_end(unsigned int nr, bool client)
{
	static const char * const functions[] = { "pf0vf0", "ecpf0vf0" };
	const char *function = functions[nr / 10 % 2];

	if (nr % 10 == 3) {
		TEST_EXPECT(test_model_ctl(&model, "reset %s", function), 0);
	} else if (nr % 10 == 7) {
		/* the connection is lost, as when the process is killed */
		TEST_EXPECT(test_model_ctl(&model, "unplug %s", function), 0);
		TEST_CALL(test_model_devs_remove(&model));
		TEST_EXPECT(test_model_ctl(&model, "plug %s", function), 0);
	} else if (nr % 10 == 9 && client) {
		TEST_EXPECT(test_model_ctl(&model, "unplug ecpf0"), 0);
		TEST_CALL(test_model_devs_remove(&model));
		TEST_EXPECT(test_model_ctl(&model, "plug ecpf0"), 0);
	} else if (nr % 10 == 9) {
		TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 owner killed"), 0);
		TEST_CALL(test_model_devs_remove(&model));
		TEST_EXPECT(test_model_ctl(&model, "fault ecpf0 owner alive"), 0);
	}
	return test_model_devs_remove(&model);
}

/* A host VF and a card VF, a hundred lives of both: no page is lost, none given twice. */
static int
test_silicon_5_1_cycles(void)
{
	unsigned int i;

	TEST_CALL(test_model_start(&model, "ecpf0 pf0vf0,boot_pages=2,init_pages=3,flr_ms=0"
		" ecpf0vf0,boot_pages=1,init_pages=2,flr_ms=0 --latency=0.1"));
	for (i = 0; i < NB_CYCLES; i++) {
		TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "role=host") >= 0);
		TEST_TRUE(test_model_dev_add(&model, "ecpf0vf0", "role=dpu") >= 0);
		TEST_EXPECT(owner_state("ecpf0", "now"), 2 + 3 + 1 + 1 + 2 + 1);
		TEST_CALL(cycle_end(i, false));
		TEST_CALL(expect_even("ecpf0"));
	}
	TEST_EXPECT(owner_state("ecpf0", "given"), NB_CYCLES * (2 + 3 + 1 + 1 + 2 + 1));
	return test_log_passed();
}

/* This driver on the PF gives for its VF: within its limit, in accounts of their own. */
static int
test_silicon_5_1_pf_gives(void)
{
	TEST_CALL(test_model_start(&model, "pf0,pages=client,boot_pages=2,init_pages=3"
		" pf0vf0,boot_pages=5,init_pages=700"));
	/* nobody is there who could */
	TEST_CALL(expect_log_shortage("pf0vf0", "cmd_timeout=200", -ETIMEDOUT, "ENABLE_HCA"));
	TEST_TRUE(test_model_dev_add(&model, "pf0", "max_pages=1000") >= 0);
	TEST_EXPECT(dev_pages(model.devs[0]), 2 + 3);
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "") >= 0);
	TEST_EXPECT(dev_pages(model.devs[1]), 0);
	TEST_EXPECT(dev_pages(model.devs[0]), 2 + 3 + 5 + 700 + 1);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 2 + 3);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "given"), 5 + 700 + 1);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[1]), 0);
	TEST_WAIT(dev_pages(model.devs[0]) == 2 + 3 + 5 + 700 + 1, TEST_MS);
	TEST_EXPECT(test_model_dev_remove(&model, model.devs[model.nb_devs - 1]), 0);
	TEST_WAIT(dev_pages(model.devs[0]) == 2 + 3, TEST_MS);
	TEST_CALL(expect_even("pf0vf0"));
	TEST_EXPECT(test_dev_status(model.devs[0]), 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 0);
	TEST_TRUE(!test_model_logged(&model, "pages in firmware's hands"));
	return test_log_passed();
}

/* It says so when it cannot give, which is no failure of its own. */
static int
test_silicon_5_1_pf_cannot_give(void)
{
	TEST_CALL(test_model_start(&model, "pf0,pages=client,boot_pages=2,init_pages=3"
		" pf0vf0,boot_pages=5,init_pages=7"));
	TEST_TRUE(test_model_dev_add(&model, "pf0", "max_pages=10") >= 0);
	TEST_CALL(expect_log_shortage("pf0vf0", "", -EIO, "INIT_HCA (op_mod 0x0): limit exceeded"));
	TEST_TRUE(test_log_has("raise the limit (max_pages)"));
	TEST_EXPECT(test_dev_status(model.devs[0]), 0);
	TEST_WAIT(dev_pages(model.devs[0]) == 2 + 3, TEST_MS);
	TEST_EXPECT(owner_state("pf0", "refused"), 7);
	return test_log_passed();
}

/* Functions 1 of the host and of the card are two, and so are their accounts. */
static int
test_silicon_5_1_ecpf_gives(void)
{
	TEST_CALL(test_model_start(&model, "ecpf0,pages=client,boot_pages=2,init_pages=3"
		" pf0 pf0vf0,boot_pages=5,init_pages=7 ecpf0vf0,boot_pages=1,init_pages=2"));
	TEST_TRUE(test_model_dev_add(&model, "ecpf0", "fw_timeout=2000") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "health=20") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "ecpf0vf0", "role=dpu,health=20") >= 0);
	TEST_EXPECT(dev_pages(model.devs[0]), 2 + 3 + 5 + 7 + 1 + 1 + 2 + 1);
	TEST_EXPECT(test_model_dev_remove(&model, model.devs[model.nb_devs - 1]), 0);
	TEST_WAIT(dev_pages(model.devs[0]) == 2 + 3 + 5 + 7 + 1, TEST_MS);
	TEST_TRUE(test_model_dev_add(&model, "ecpf0vf0", "role=dpu,health=20") >= 0);
	TEST_TRUE(test_model_dev_add(&model, "pf0", "health=20") >= 0);
	/* it gives functions up with it, takes all pages back, and needs no reset for that */
	TEST_EXPECT(test_model_dev_remove(&model, model.devs[0]), 0);
	TEST_CALL(expect_even("ecpf0"));
	TEST_EXPECT(owner_state("ecpf0", "void"), 0);
	TEST_EXPECT(test_model_state(&model, "ecpf0", "given"), 0);
	TEST_TRUE(!test_log_has("the function is reset"));
	TEST_WAIT(test_dev_status(model.devs[0]) == -EIO &&
		test_dev_status(model.devs[1]) == -EIO &&
		test_dev_status(model.devs[2]) == -EIO, TEST_MS);
	TEST_TRUE(test_model_dev_add(&model, "ecpf0", "") >= 0);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[0]), 0);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[1]), 0);
	TEST_EXPECT(rte_comch_dev_reset(model.devs[2]), 0);
	return test_log_passed();
}

/* Lives and deaths of all three, in turns: the accounts stay even. */
static int
test_silicon_5_1_client_cycles(void)
{
	unsigned int i;

	TEST_CALL(test_model_start(&model, "ecpf0,pages=client,boot_pages=2,init_pages=3,flr_ms=0"
		" pf0vf0,boot_pages=2,init_pages=3,flr_ms=0"
		" ecpf0vf0,boot_pages=1,init_pages=2,flr_ms=0 --latency=0.1"));
	for (i = 0; i < NB_CYCLES; i++) {
		TEST_TRUE(test_model_dev_add(&model, "ecpf0", "") >= 0);
		TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "role=host") >= 0);
		TEST_TRUE(test_model_dev_add(&model, "ecpf0vf0", "role=dpu") >= 0);
		TEST_EXPECT(dev_pages(model.devs[0]), 2 + 3 + 2 + 3 + 1 + 1 + 2 + 1);
		TEST_CALL(cycle_end(i, true));
		TEST_CALL(expect_even("ecpf0"));
		TEST_EXPECT(test_model_state(&model, "ecpf0", "given"), 0);
	}
	return test_log_passed();
}

static struct unit_test_suite hard_vf_suite = {
	.suite_name = "VFs of the host and of the card",
	.unit_test_cases = {
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_card_vf),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_2_1_role),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_2_2_ecpf_warns),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_pages_of_owner),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_dpu_mode),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_owner_slow),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_owner_dead),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_owner_back),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_owner_short),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_cycles),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_2_host_enabled),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_2_owner_killed),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_pf_gives),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_pf_cannot_give),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_ecpf_gives),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_silicon_5_1_client_cycles),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hard_vf_autotest, unit_test_suite_runner, &hard_vf_suite);
