/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The devices that the tests run on: those of the command line, or emulated
 * ones that are plugged here. Contexts are in test_comch_util.c.
 */

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_log.h>

#include "test_comch_place.h"
#include "test_comch_util.h"
#include "test_mock.h"

#define TEST_MAX_PAIRS 16

struct test_pair test_pair;

/* what test_devices_create() made */
static int16_t own_devs[8];
static unsigned int nb_own_devs;
static struct test_place own_place;

static const char * const log_names[] = {
	"bus.vdev", "lib.comch", "lib.eal", "pmd.comch.bluefield", "pmd.comch.shm",
};
static int log_levels[RTE_DIM(log_names)];
static bool log_is_quiet;

void
test_log_quiet(void)
{
	unsigned int i;
	int type;

	if (log_is_quiet)
		return;
	for (i = 0; i < RTE_DIM(log_names); i++) {
		type = rte_log_register(log_names[i]); /* finds the one there is */
		log_levels[i] = type >= 0 ? rte_log_get_level((uint32_t)type) : -1;
		if (log_levels[i] >= 0)
			rte_log_set_level((uint32_t)type, RTE_LOG_EMERG);
	}
	log_is_quiet = true;
}

void
test_log_restore(void)
{
	unsigned int i;
	int type;

	if (!log_is_quiet)
		return;
	for (i = 0; i < RTE_DIM(log_names); i++) {
		type = rte_log_register(log_names[i]);
		if (type >= 0 && log_levels[i] >= 0)
			rte_log_set_level((uint32_t)type, (uint32_t)log_levels[i]);
	}
	log_is_quiet = false;
}

int
test_quiet(void)
{
	test_log_quiet();
	return TEST_SUCCESS;
}

int
test_setup_quiet(void)
{
	TEST_CALL(test_pair_first());
	return test_quiet();
}

int
test_need_event(void)
{
	struct rte_comch_dev_info dpu, host;

	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &dpu), 0);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &host), 0);
	if ((dpu.capa & host.capa & RTE_COMCH_CAPA_EVENT) == 0)
		return test_skip("the devices have no event mode");
	return TEST_SUCCESS;
}

int
test_setup_event(void)
{
	TEST_CALL(test_pair_first());
	TEST_CALL(test_need_event());
	return test_quiet();
}

int
test_rendezvous_create(char *path, size_t size)
{
	static unsigned int count;
	int len;

	len = snprintf(path, size, "%s/comch_test_%u", rte_eal_get_runtime_dir(), count++);
	if (len < 0 || (size_t)len >= size)
		return -ENAMETOOLONG;
	/* the folder may be there from a run that was killed */
	if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST)
		return -errno;
	test_folder_empty(path);
	return 0;
}

void
test_folder_empty(const char *path)
{
	char file[PATH_MAX + NAME_MAX + 2];
	DIR *d = opendir(path);
	struct dirent *entry;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		unlink(file);
	}
	if (d != NULL)
		closedir(d);
}

void
test_rendezvous_remove(const char *path)
{
	if (rmdir(path) != 0)
		test_fail("%s cannot be removed: %s", path, strerror(errno));
}

int
test_vdev_add(const char *format, ...)
{
	/* brokers for all peers, and not for those of other users alone */
	const char *broker = getenv("COMCH_TEST_BROKER");
	char args[PATH_MAX + 256];
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(args, sizeof(args), format, ap);
	va_end(ap);
	if (broker != NULL && strncmp(args, "role=dpu", strlen("role=dpu")) == 0 &&
			strstr(args, "broker=") == NULL)
		snprintf(args + len, sizeof(args) - len, ",broker=%s", broker);
	return test_dev_plug("comch_shm", args);
}

int
test_dev_plug(const char *driver, const char *args)
{
	static unsigned int count = 100;
	char name[RTE_DEV_NAME_MAX_LEN];
	int ret;

	snprintf(name, sizeof(name), "%s%u", driver, count++);
	ret = rte_vdev_init(name, args);
	if (ret != 0)
		return ret;
	ret = rte_comch_dev_get_id_by_name(name);
	if (ret >= 0 && test_mock_install_by_env(ret) != 0)
		test_fail("%s: no mock driver on it", name);
	return ret;
}

int
test_vdev_remove(int16_t dev_id)
{
	struct rte_comch_dev_info info;
	int ret = rte_comch_dev_info_get(dev_id, &info);

	if (ret != 0)
		return ret;
	test_mock_remove(dev_id);
	ret = rte_vdev_uninit(info.name);
	if (ret != 0 && test_mock_install_by_env(dev_id) != 0)
		test_fail("%s: no mock driver on it any more", info.name);
	return ret;
}

int
test_devices_create(void)
{
	static const char * const hosts[] = { "pf0vf3", "pf0vf0" };
	unsigned int i;
	int ret;

	if (rte_comch_dev_count_avail() != 0)
		return 0;
	/* A place of its own: several runs of one user do not meet. */
	if (test_place_open(&own_place) != TEST_SUCCESS)
		return -ENODEV;
	ret = test_place_card(&own_place);
	for (i = 0; ret >= 0; i++) {
		own_devs[nb_own_devs++] = (int16_t)ret;
		if (i == RTE_DIM(hosts))
			return 0;
		ret = test_place_host(&own_place, hosts[i]);
	}
	return ret;
}

void
test_devices_remove(void)
{
	int ret;

	while (nb_own_devs > 0) {
		ret = test_vdev_remove(own_devs[--nb_own_devs]);
		if (ret != 0)
			printf("A device cannot be removed: %s\n", strerror(-ret));
	}
	test_place_close(&own_place);
}

/* Two devices can have one function and still not meet: ask by connecting. */
static bool
pair_works(const struct test_pair *pair)
{
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *server = test_ep_new();
	struct test_ep *client = test_ep_new();
	bool works = false;
	uint64_t end;

	test_pair = *pair;
	test_server_conf(server, "test_pair", &server_conf);
	test_client_conf(client, "test_pair", &client_conf);
	client_conf.connect_timeout_ms = 1000;
	if (test_server_start(server, &server_conf, pe) == 0 &&
			test_client_start(client, &client_conf, pe) == -EINPROGRESS) {
		end = test_now_ns() + 2000000000;
		while (test_state(client) == RTE_COMCH_STATE_STARTING && test_now_ns() < end)
			test_progress();
		works = test_state(client) == RTE_COMCH_STATE_RUNNING;
	}
	test_cleanup();
	return works;
}

unsigned int
test_pairs_get(struct test_pair *pairs, unsigned int max)
{
	struct rte_comch_dev_info dpu, host;
	struct rte_comch_rep_info reps[64];
	struct test_pair pair;
	unsigned int nb = 0;
	int i, nb_reps;

	RTE_COMCH_FOREACH_DEV(pair.host) {
		if (rte_comch_dev_info_get(pair.host, &host) != 0 ||
				host.role != RTE_COMCH_ROLE_HOST)
			continue;
		RTE_COMCH_FOREACH_DEV(pair.dpu) {
			if (rte_comch_dev_info_get(pair.dpu, &dpu) != 0 ||
					dpu.role != RTE_COMCH_ROLE_DPU)
				continue;
			nb_reps = rte_comch_rep_list(pair.dpu, reps, RTE_DIM(reps));
			for (i = 0; i < nb_reps && i < (int)RTE_DIM(reps); i++) {
				if (strcmp(reps[i].name, host.function) != 0 || nb == max)
					continue;
				pair.rep = reps[i].rep_id;
				snprintf(pair.function, sizeof(pair.function), "%s",
						reps[i].name);
				if (pair_works(&pair))
					pairs[nb++] = pair;
			}
		}
	}
	return nb;
}

static int
no_pair(void)
{
	return test_skip("no device of the role dpu and no host device of one of its "
			"functions are both in this process");
}

int
test_pairs_run(struct unit_test_suite *suite)
{
	struct test_pair pairs[TEST_MAX_PAIRS];
	struct rte_comch_dev_info dpu, host;
	unsigned int i, nb;
	int ret, result = TEST_SKIPPED;

	nb = test_pairs_get(pairs, RTE_DIM(pairs));
	if (nb == 0)
		return no_pair();
	for (i = 0; i < nb; i++) {
		test_pair = pairs[i];
		if (rte_comch_dev_info_get(test_pair.dpu, &dpu) != 0 ||
				rte_comch_dev_info_get(test_pair.host, &host) != 0)
			return TEST_FAILED;
		printf(" + Devices : %s (%s) and %s, function %s\n", dpu.name, dpu.driver,
				host.name, test_pair.function);
		ret = unit_test_suite_runner(suite);
		if (ret == TEST_FAILED || result == TEST_SKIPPED)
			result = ret;
	}
	return result;
}

int
test_pair_first(void)
{
	struct test_pair pair;

	if (test_pairs_get(&pair, 1) == 0)
		return no_pair();
	test_pair = pair;
	return TEST_SUCCESS;
}

int
test_pair_other(struct test_pair *other)
{
	struct test_pair pairs[TEST_MAX_PAIRS], self = test_pair;
	unsigned int i, nb;

	nb = test_pairs_get(pairs, RTE_DIM(pairs));
	test_pair = self;
	for (i = 0; i < nb; i++) {
		if (pairs[i].dpu == self.dpu && pairs[i].rep != self.rep) {
			*other = pairs[i];
			return TEST_SUCCESS;
		}
	}
	return test_skip("the card device has no second function with a host device here");
}
