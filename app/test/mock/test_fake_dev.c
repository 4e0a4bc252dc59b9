/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* before any header: some bring the macros that look at it */
#define ALLOW_INTERNAL_API 1

#include <rte_comch_pmd.h> /* check-ok: a driver is played here */

#include "test_comch_util.h"
#include "test_fake_dev.h"

const uint16_t test_fake_reps[3] = { 7, 3, 4000 };
struct test_fake test_fake_dpu;
struct test_fake test_fake_host;

static int
fake_info_get(struct rte_comch_dev *dev, struct rte_comch_dev_info *info)
{
	*info = ((struct test_fake *)dev->priv)->info;
	return 0;
}

static int
fake_rep_list(struct rte_comch_dev *dev, struct rte_comch_rep_info *reps, uint16_t nb)
{
	const struct test_fake *fake = dev->priv;
	int i;

	for (i = 0; i < RTE_MIN((int)nb, fake->nb_reps); i++) {
		memset(&reps[i], 0, sizeof(reps[i]));
		reps[i].rep_id = test_fake_reps[i];
		snprintf(reps[i].name, sizeof(reps[i].name), "pf0vf%u", test_fake_reps[i]);
	}
	return fake->nb_reps;
}

static int
fake_pgroup_create(struct rte_comch_dev *dev, struct rte_comch_pe *pe,
		struct rte_comch_pgroup **pg)
{
	*pg = calloc(1, sizeof(**pg));
	if (*pg == NULL)
		return -ENOMEM;
	(*pg)->dev = dev;
	(*pg)->pe = pe;
	(*pg)->deadline = UINT64_MAX;
	return 0;
}

static int
fake_pgroup_destroy(struct rte_comch_pgroup *pg, struct rte_comch_pmd_ending *ending __rte_unused)
{
	free(pg);
	return 0;
}

static int
fake_pgroup_poll(struct rte_comch_pgroup *pg, uint64_t now __rte_unused)
{
	struct test_fake *fake = pg->dev->priv;
	struct rte_comch_conn *conn = fake->conn;

	if (conn == NULL || fake->end == 0)
		return 0;
	fake->conn = NULL;
	rte_comch_pmd_conn_down(conn, fake->end);
	return 1;
}

static bool
fake_pgroup_arm(struct rte_comch_pgroup *pg __rte_unused)
{
	return false;
}

static void
fake_pgroup_disarm(struct rte_comch_pgroup *pg __rte_unused)
{
}

static int
fake_listen(struct rte_comch_ctrl *server __rte_unused)
{
	return 0;
}

static int
fake_unlisten(struct rte_comch_ctrl *server, struct rte_comch_pmd_ending *ending __rte_unused)
{
	((struct test_fake *)server->dev->priv)->nb_unlisten++;
	return 0;
}

static int
fake_connect(struct rte_comch_ctrl *client)
{
	((struct test_fake *)client->dev->priv)->client = client;
	return 0;
}

static int
fake_connect_cancel(struct rte_comch_ctrl *client, int reason __rte_unused,
		struct rte_comch_pmd_ending *ending __rte_unused)
{
	((struct test_fake *)client->dev->priv)->nb_cancel++;
	return 0;
}

static int
fake_conn_close(struct rte_comch_conn *conn, int reason __rte_unused,
		struct rte_comch_pmd_ending *ending __rte_unused)
{
	((struct test_fake *)conn->ctrl->dev->priv)->conn = NULL;
	return 0;
}

/* It looks at what it would have to make, and cannot make it. */
static int
fake_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp __rte_unused)
{
	((struct test_fake *)queue->dev->priv)->size = queue->size;
	return -EIO;
}

static int
fake_reset(struct rte_comch_dev *dev)
{
	struct test_fake *fake = dev->priv;

	fake->nb_resets++;
	if (fake->reset_down != 0)
		rte_comch_pmd_dev_down(dev, fake->reset_down);
	return fake->reset_ret;
}

static const struct rte_comch_dev_ops fake_ops = {
	.info_get = fake_info_get,
	.rep_list = fake_rep_list,
	.reset = fake_reset,
	.pgroup_create = fake_pgroup_create,
	.pgroup_destroy = fake_pgroup_destroy,
	.pgroup_poll = fake_pgroup_poll,
	.pgroup_arm = fake_pgroup_arm,
	.pgroup_disarm = fake_pgroup_disarm,
	.listen = fake_listen,
	.unlisten = fake_unlisten,
	.connect = fake_connect,
	.connect_cancel = fake_connect_cancel,
	.conn_close = fake_conn_close,
	.queue_setup = fake_queue_setup,
};

static int
fake_create(struct test_fake *fake, uint64_t capa)
{
	bool is_dpu = fake == &test_fake_dpu;
	struct rte_comch_dev *dev = rte_comch_pmd_allocate(is_dpu ? "fake_dpu" : "fake_host", -1);

	TEST_TRUE(dev != NULL);
	memset(fake, 0, sizeof(*fake));
	fake->dev = dev;
	fake->nb_reps = RTE_DIM(test_fake_reps);
	fake->info = (struct rte_comch_dev_info){
		.capa = capa,
		.nb_reps = is_dpu ? RTE_DIM(test_fake_reps) : 0,
		.max_name_len = 64,
		.max_msg_size = 4080,
		.max_recv_queue_size = 16,
		.max_ctrl_tasks = 16,
		.max_clients = 4,
		.max_consumers = 9,
		.max_producers = 9,
		.max_posts = TEST_FAKE_POSTS,
		.max_sends = TEST_FAKE_SENDS,
		.max_imm_len = 32,
		.max_buf_size = 1 << 20,
		.dflt_msg_size = 4080,
		.dflt_recv_queue_size = 4,
	};
	dev->priv = fake;
	dev->ops = &fake_ops;
	dev->driver_name = "fake";
	dev->data->role = is_dpu ? RTE_COMCH_ROLE_DPU : RTE_COMCH_ROLE_HOST;
	TEST_EXPECT(rte_comch_pmd_ready(dev), 0);
	return TEST_SUCCESS;
}

static void
fake_remove(struct test_fake *fake)
{
	if (fake->dev == NULL)
		return;
	if (rte_comch_pmd_hide(fake->dev) != 0)
		test_fail("device %s is still in use", fake->dev->data->name);
	rte_comch_pmd_release(fake->dev);
	fake->dev = NULL;
}

int
test_fake_again(struct test_fake *fake, uint64_t capa)
{
	fake_remove(fake);
	return fake_create(fake, capa);
}

int
test_fake_setup(void)
{
	const uint64_t both = RTE_COMCH_CAPA_CONSUMER | RTE_COMCH_CAPA_PRODUCER |
		RTE_COMCH_CAPA_EVENT;

	TEST_CALL(fake_create(&test_fake_dpu, RTE_COMCH_CAPA_SERVER | both));
	TEST_CALL(fake_create(&test_fake_host, RTE_COMCH_CAPA_CLIENT | both));
	test_pair.dpu = test_fake_dpu.dev->data->dev_id;
	test_pair.rep = test_fake_reps[0];
	test_pair.host = test_fake_host.dev->data->dev_id;
	return test_quiet();
}

void
test_fake_teardown(void)
{
	test_cleanup();
	fake_remove(&test_fake_dpu);
	fake_remove(&test_fake_host);
	test_log_restore();
}
