/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What is returned when the C library has no memory left. The process gets no more of it,
 * and what its heap has is taken. With a sanitizer nothing is tested, as its allocator ends
 * the process.
 */

#include <doca_comm_channel.h>

#include "test_ep.h"

/* Pieces that were taken from the heap, one in the other. */
struct piece {
	struct piece *next;
};

static struct piece *taken;

static int
memory_take(void)
{
	struct piece *piece;
	size_t size;

	TEST_TRUE(test_limit(RLIMIT_AS, 1));
	for (size = 1 << 20; size >= sizeof(*piece); size /= 2) {
		while ((piece = malloc(size)) != NULL) {
			piece->next = taken;
			taken = piece;
		}
	}
	return 0;
}

static int
memory_give(void)
{
	struct piece *piece;

	TEST_TRUE(test_limit(RLIMIT_AS, RLIM_INFINITY));
	while (taken != NULL) {
		piece = taken;
		taken = piece->next;
		free(piece);
	}
	return 0;
}

static int
test_errors_memory_comch(void)
{
	struct doca_comch_server *server = NULL;
	struct doca_comch_client *client = NULL;
	struct doca_comm_channel_ep_t *ep = NULL;
	struct doca_pe *pe = NULL;
	struct doca_dev_rep *rep;
	struct doca_dev *dev;

	TEST_SKIP_IF(TEST_SANITIZED, "the allocator of a sanitizer ends the process");
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_rep_open(dev, TEST_REP, &rep));
	TEST_CALL(memory_take());
	TEST_RESULT(doca_comch_server_create(dev, rep, "any", &server), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_comch_client_create(dev, "any", &client), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_pe_create(&pe), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_comm_channel_ep_create(&ep), DOCA_ERROR_NO_MEMORY);
	TEST_CALL(memory_give());
	TEST_TRUE(server == NULL && client == NULL && pe == NULL && ep == NULL);
	TEST_OK(doca_dev_rep_close(rep));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_errors_memory_comm_channel(void)
{
	struct doca_comm_channel_ep_t *ep = NULL;
	struct test_ep service, client, late;

	TEST_SKIP_IF(TEST_SANITIZED, "the allocator of a sanitizer ends the process");
	TEST_CALL(ep_pair(&service, &client));
	TEST_CALL(ep_make_service(&late));
	TEST_CALL(memory_take());
	TEST_RESULT(doca_comm_channel_ep_create(&ep), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_comm_channel_ep_listen(late.ep, "late"), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_comm_channel_ep_connect(late.ep, EP_NAME, &late.peer),
			DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_comm_channel_ep_update_service_state_info(service.ep),
			DOCA_ERROR_NO_MEMORY);
	TEST_CALL(memory_give());
	TEST_TRUE(ep == NULL);
	TEST_OK(doca_comm_channel_ep_listen(late.ep, "late"));
	TEST_CALL(ep_end(&late));
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

static int
test_errors_memory_argp(void)
{
	struct doca_argp_param *param = NULL;
	struct test_config config = {0};
	char prog[] = "prog", flag[] = "-n", value[] = "5";
	char *arguments[] = {prog, flag, value, NULL};

	TEST_SKIP_IF(TEST_SANITIZED, "the allocator of a sanitizer ends the process");
	TEST_OK(doca_argp_init("prog", &config));
	TEST_OK(test_register("n", NULL, DOCA_ARGP_TYPE_INT, test_on_int));
	TEST_CALL(memory_take());
	TEST_RESULT(doca_argp_param_create(&param), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_argp_start(3, arguments), DOCA_ERROR_NO_MEMORY);
	TEST_CALL(memory_give());
	TEST_TRUE(param == NULL && config.number == 0);
	TEST_OK(doca_argp_destroy());
	return 0;
}

const struct test_case test_errors_memory[] = {
	TEST_CASE(test_errors_memory_comch),
	TEST_CASE(test_errors_memory_comm_channel),
	TEST_CASE(test_errors_memory_argp),
	TEST_CASES_END()
};
