/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A card with functions of a host, as tests need it for themselves, of the driver that
 * COMCH_TEST_DEVS names: "shm", which is the default, or "bluefield", which is a software
 * BlueField behind vfio-user sockets. No test is in here.
 */

#ifndef TEST_COMCH_PLACE_H
#define TEST_COMCH_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "test_bluefield_model.h"

/** Functions of the host that each card has; the first is of representor 0. */
#define TEST_PLACE_FUNCTIONS 5

/** Where devices of one card meet. */
struct test_place {
	bool is_open;
	bool bluefield;
	char path[PATH_MAX];      /**< Of shm: the folder. */
	struct test_model model;  /**< Of BlueField: the card. */
};

/** Are devices that tests make for themselves functions of a software BlueField? */
bool test_place_is_bluefield(void);
/**
 * A function of the host for one of the processes that live at a time, from 0 to
 * TEST_PLACE_FUNCTIONS - 1: one of shm serves all, one of BlueField serves one.
 */
const char *test_place_function(unsigned int nr);
/** So many functions test_place_function() has for so many processes. */
unsigned int test_place_nb_functions(unsigned int nb_processes);

/** @return TEST_SUCCESS, TEST_SKIPPED without a model, or TEST_FAILED. */
int test_place_open(struct test_place *place);
/** The same of shm, whatever the variable says: for tests that put themselves above it. */
int test_place_open_shm(struct test_place *place);
/** All devices were unplugged, and processes ended. One that is not open is nothing. */
void test_place_close(struct test_place *place);
/** Wait until the queue pairs of all cards that are open have nothing to do. */
void test_places_rest(void);
/** The folder where its devices meet. */
const char *test_place_dir(const struct test_place *place);
/** Plug the card's device. @return its id or a negative errno. */
int test_place_card(struct test_place *place);
/** Plug the host's device on a function. @return its id or a negative errno. */
int test_place_host(struct test_place *place, const char *function);
/**
 * Set test_pair to two devices of one place.
 * @return TEST_SUCCESS, or TEST_FAILED if they are no pair.
 */
int test_place_pair(int card, int host);
/**
 * Run a case between a card of this process and hosts of others: test_pair has the card
 * meanwhile.
 * @param end
 *   Ends all that the case has made, before the card goes.
 */
int test_place_run_card(int (*fn)(struct test_place *place), void (*end)(void));
/** For a card of this process, and for a host of it whose card is a child. */
struct test_sides {
	struct test_place here;
	struct test_place there;
	int card;
	int host;
};

/** Open both, and set test_pair to the two devices. */
int test_sides_open(struct test_sides *sides);
void test_sides_close(struct test_sides *sides);
/**
 * Name and arguments of a device for another process, as --vdev has them. A function of a
 * BlueField serves one process: this waits until the one before has let go of it.
 * @param function
 *   Of the host; NULL for the card.
 * @return TEST_SUCCESS or TEST_FAILED.
 */
int test_place_vdev(struct test_place *place, const char *function, char *vdev, size_t size);

#endif /* TEST_COMCH_PLACE_H */
