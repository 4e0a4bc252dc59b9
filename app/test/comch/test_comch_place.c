/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Cards that tests make for themselves: a folder where devices of shm meet, or a
 * process of the model, whose switch lets the card and each function of the host
 * talk to each other, and nobody else.
 */

#include <string.h>
#include <unistd.h>

#include "test_comch_place.h"
#include "test_comch_util.h"

#define CARD_FUNCTION "ecpf0vf0"
/* Ten times faster than usual: the times of commands are no matter of these tests. */
#define MODEL_OPTIONS "--latency=0.1 --log-level=info"

/* Cards of BlueField that are open. */
static struct test_place *cards[8];

static const char * const functions[TEST_PLACE_FUNCTIONS] = {
	"pf0", "pf0vf0", "pf0vf1", "pf0vf2", "pf0vf3",
};

bool
test_place_is_bluefield(void)
{
	const char *devs = getenv("COMCH_TEST_DEVS");

	if (devs == NULL || strcmp(devs, "shm") == 0)
		return false;
	if (strcmp(devs, "bluefield") != 0)
		test_fail("COMCH_TEST_DEVS is '%s', not shm or bluefield", devs);
	return true;
}

const char *
test_place_function(unsigned int nr)
{
	return functions[test_place_is_bluefield() ? nr % RTE_DIM(functions) : 0];
}

unsigned int
test_place_nb_functions(unsigned int nb_processes)
{
	return test_place_is_bluefield() ? RTE_MIN(nb_processes, TEST_PLACE_FUNCTIONS) : 1;
}

/* MAC addresses are of the place in the list; the card's function is behind all others. */
static void
mac_of(const char *function, char *mac, size_t size)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(functions) && strcmp(functions[i], function) != 0; i++)
		;
	snprintf(mac, size, "02:c0:3c:00:00:%02x", i + 1);
}

static int
bluefield_open(struct test_place *place)
{
	char words[1024], mac[32];
	unsigned int i;
	int len;

	mac_of(CARD_FUNCTION, mac, sizeof(mac));
	len = snprintf(words, sizeof(words), MODEL_OPTIONS " " CARD_FUNCTION ",flr_ms=1,mac=%s",
			mac);
	for (i = 0; i < RTE_DIM(functions); i++) {
		mac_of(functions[i], mac, sizeof(mac));
		len += snprintf(words + len, sizeof(words) - (size_t)len, " %s,flr_ms=1,mac=%s",
				functions[i], mac);
	}
	TEST_CALL(test_model_start(&place->model, words));
	place->is_open = true;
	for (i = 0; i < RTE_DIM(cards) && cards[i] != NULL; i++)
		;
	if (i < RTE_DIM(cards))
		cards[i] = place;
	for (i = 0; i < RTE_DIM(functions); i++)
		TEST_CALL(test_model_allow(&place->model, functions[i], CARD_FUNCTION));
	return TEST_SUCCESS;
}

int
test_place_open(struct test_place *place)
{
	if (!test_place_is_bluefield())
		return test_place_open_shm(place);
	memset(place, 0, sizeof(*place));
	place->bluefield = true;
	return bluefield_open(place);
}

int
test_place_open_shm(struct test_place *place)
{
	memset(place, 0, sizeof(*place));
	if (test_rendezvous_create(place->path, sizeof(place->path)) != 0)
		return TEST_FAILED;
	place->is_open = true;
	return TEST_SUCCESS;
}

void
test_place_close(struct test_place *place)
{
	unsigned int i;

	if (!place->is_open)
		return;
	place->is_open = false;
	for (i = 0; i < RTE_DIM(cards); i++)
		if (cards[i] == place)
			cards[i] = NULL;
	if (!place->bluefield)
		test_rendezvous_remove(place->path);
	else if (test_model_stop(&place->model) != TEST_SUCCESS)
		test_fail("the model did not end well");
}

void
test_places_rest(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	unsigned int i, idle;

	for (i = 0; i < RTE_DIM(cards); i++) {
		idle = 0;
		/* twice: it may find a doorbell together with the first question */
		while (cards[i] != NULL && idle < 2 && test_now_ns() < end) {
			if (test_model_state(&cards[i]->model, CARD_FUNCTION, "running") <= 0) {
				idle++;
			} else {
				idle = 0;
				usleep(1000);
			}
		}
	}
}

const char *
test_place_dir(const struct test_place *place)
{
	return place->bluefield ? place->model.dir : place->path;
}

/* Device arguments but for the side; function NULL: of the card. */
static void
place_args(const struct test_place *place, const char *function, char *args, size_t size)
{
	unsigned int i;
	char mac[32];
	int len;

	if (!place->bluefield && function == NULL) {
		snprintf(args, size, "role=dpu,functions=%s,path=%s", TEST_FUNCTIONS, place->path);
	} else if (!place->bluefield) {
		snprintf(args, size, "role=host,function=%s,path=%s", function, place->path);
	} else if (function != NULL) {
		mac_of(CARD_FUNCTION, mac, sizeof(mac));
		snprintf(args, size, "socket=%s/%s.sock,role=host,function=%s,peer=%s",
				place->model.dir, function, function, mac);
	} else {
		len = snprintf(args, size, "socket=%s/%s.sock,role=dpu,functions=",
				place->model.dir, CARD_FUNCTION);
		for (i = 0; i < RTE_DIM(functions); i++) {
			mac_of(functions[i], mac, sizeof(mac));
			len += snprintf(args + len, size - (size_t)len, "%s%s@%s",
					i == 0 ? "" : "/", functions[i], mac);
		}
	}
}

static int
place_plug(struct test_place *place, const char *function)
{
	char args[PATH_MAX + 512];

	place_args(place, function, args, sizeof(args));
	return test_dev_plug(place->bluefield ? "comch_bluefield" : "comch_shm", args);
}

int
test_place_card(struct test_place *place)
{
	return place_plug(place, NULL);
}

int
test_place_host(struct test_place *place, const char *function)
{
	return place_plug(place, function);
}

int
test_place_run_card(int (*fn)(struct test_place *place), void (*end)(void))
{
	struct test_pair saved = test_pair;
	static struct test_place place;
	int card, ret;

	TEST_CALL(test_place_open(&place));
	card = test_place_card(&place);
	TEST_TRUE(card >= 0);
	memset(&test_pair, 0, sizeof(test_pair));
	test_pair.dpu = (int16_t)card;
	ret = fn(&place);
	end();
	test_pair = saved;
	TEST_EXPECT(test_vdev_remove((int16_t)card), 0);
	test_place_close(&place);
	return ret;
}

int
test_place_pair(int card, int host)
{
	struct rte_comch_dev_info info;
	int rep;

	TEST_TRUE(card >= 0 && host >= 0);
	TEST_EXPECT(rte_comch_dev_info_get((int16_t)host, &info), 0);
	rep = rte_comch_rep_get_id_by_name((int16_t)card, info.function);
	TEST_ASSERT(rep >= 0, "the card has no representor of '%s'", info.function);
	test_pair.dpu = (int16_t)card;
	test_pair.rep = (uint16_t)rep;
	test_pair.host = (int16_t)host;
	snprintf(test_pair.function, sizeof(test_pair.function), "%s", info.function);
	return TEST_SUCCESS;
}

int
test_sides_open(struct test_sides *sides)
{
	sides->card = sides->host = -1;
	TEST_CALL(test_place_open(&sides->here));
	TEST_CALL(test_place_open(&sides->there));
	sides->card = test_place_card(&sides->here);
	sides->host = test_place_host(&sides->there, test_place_function(0));
	TEST_TRUE(sides->card >= 0 && sides->host >= 0);
	test_pair.dpu = (int16_t)sides->card;
	test_pair.rep = 0;
	test_pair.host = (int16_t)sides->host;
	return TEST_SUCCESS;
}

void
test_sides_close(struct test_sides *sides)
{
	if (sides->card >= 0 && test_vdev_remove((int16_t)sides->card) != 0)
		printf("The card cannot be removed\n");
	if (sides->host >= 0 && test_vdev_remove((int16_t)sides->host) != 0)
		printf("The host device cannot be removed\n");
	test_place_close(&sides->here);
	/* cards that were killed there have left their sockets */
	if (!sides->there.bluefield)
		test_folder_empty(sides->there.path);
	test_place_close(&sides->there);
}

int
test_place_vdev(struct test_place *place, const char *function, char *vdev, size_t size)
{
	const char *name = function != NULL ? function : CARD_FUNCTION;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	char args[PATH_MAX + 512];
	int len;

	while (place->bluefield && test_model_state(&place->model, name, "connected") != 0) {
		TEST_ASSERT(test_now_ns() < end, "another process keeps %s", name);
		test_progress();
	}
	place_args(place, function, args, sizeof(args));
	len = snprintf(vdev, size, "%s0,%s", place->bluefield ? "comch_bluefield" : "comch_shm",
			args);
	TEST_TRUE(len > 0 && (size_t)len < size);
	return TEST_SUCCESS;
}
