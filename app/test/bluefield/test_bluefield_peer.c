/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A peer of the bluefield driver that is played by the test, on layers obj, cm and wq:
 * it is below the layer that is tested, and knows only what goes over the wire.
 */

#include "test_bluefield_obj.h"
#include "test_bluefield_peer.h"

static void
peer_fatal(void *arg __rte_unused, enum bf_fatal fatal __rte_unused, int reason __rte_unused)
{
}

/*
 * Its queue pair
 */

static int
peer_qp_create(struct peer *p)
{
	const struct bf_cq_attr cq = { .nb_cqes = 512, .uar = &p->uar };
	const struct bf_qp_attr qp = {
		.pd = &p->pd, .uar = &p->uar, .cq_send = &p->hw_cq, .cq_recv = &p->hw_cq,
		.nb_sq_blocks = 256, .nb_rq_wqes = PEER_ENTRIES, .rq_wqe_size = BF_WQE_SEG,
		.user_index = UINT32_MAX,
	};
	struct bf_mkey_attr key = {
		.pd = &p->pd, .len = (PEER_ENTRIES + 1) * PEER_BUF, .local_write = true,
	};

	TEST_EXPECT(bf_mem_alloc(p->objs, key.len, &p->mem), 0);
	key.mem = p->mem;
	key.addr = p->mem->addr;
	TEST_EXPECT(bf_mkey_create(p->objs, &key, &p->mkey), 0);
	TEST_EXPECT(bf_cq_create(p->objs, &cq, &p->hw_cq), 0);
	TEST_EXPECT(bf_qp_create(p->objs, &qp, &p->qp), 0);
	p->has_qp = true;
	TEST_EXPECT(bf_compq_init(&p->cq, &p->hw_cq, &p->uar), 0);
	TEST_EXPECT(bf_sendq_init(&p->sq, &p->qp, &p->uar), 0);
	TEST_EXPECT(bf_recvq_init(&p->rq, &p->qp), 0);
	TEST_EXPECT(bf_qp_to_init(&p->qp), 0);
	p->own = (struct bf_cm_qp){
		.qpn = p->qp.obj.id, .psn = 0x123456, .rnr_retry = 7, .retry_count = 7,
		.ack_timeout = 14, .mtu = p->mtu != 0 ? p->mtu : 3,
	};
	memset(&p->hdr, 0, sizeof(p->hdr));
	memset(&p->last, 0, sizeof(p->last));
	memset(p->nb_types, 0, sizeof(p->nb_types));
	p->nb_rx = p->nb_errors = 0;
	p->ctl_sent = 0;
	return TEST_SUCCESS;
}

static void
peer_qp_destroy(struct peer *p)
{
	if (p->has_qp) {
		bf_qp_to_error(&p->qp);
		bf_qp_destroy(&p->qp);
		bf_cq_destroy(&p->hw_cq);
		bf_sendq_fini(&p->sq);
		bf_mkey_destroy(&p->mkey);
		bf_mem_free(p->mem);
	}
	p->has_qp = false;
}

static void
peer_post(struct peer *p, uint32_t slot)
{
	const struct bf_sge sge = {
		(uintptr_t)p->mem->addr + slot * PEER_BUF, PEER_BUF, p->mkey.key,
	};

	bf_recvq_post(&p->rq, &sge, 1);
}

static int
peer_qp_up(struct peer *p)
{
	struct bf_qp_path path = { .min_rnr_nak = 12 };
	uint32_t i;

	for (i = 0; i < PEER_ENTRIES && !p->no_posts; i++)
		peer_post(p, i);
	bf_recvq_ring(&p->rq);
	bf_cm_path(p->id, &p->own, &path);
	if (!p->listens)
		path.mtu = ((const struct bf_wire_rep *)(const void *)p->priv)->mtu;
	TEST_EXPECT(bf_qp_to_rtr(&p->qp, &path), 0);
	TEST_EXPECT(bf_qp_to_rts(&p->qp, &path), 0);
	return TEST_SUCCESS;
}

/*
 * The handshake
 */

static void
peer_event(void *arg, struct bf_cm_id *id __rte_unused, const struct bf_cm_event *ev)
{
	struct peer *p = arg;

	p->seen[ev->type]++;
	p->status[ev->type] = ev->status;
	memset(p->priv, 0, sizeof(p->priv));
	if (ev->priv != NULL)
		memcpy(p->priv, ev->priv, RTE_MIN(ev->len, sizeof(p->priv)));
	if (ev->type == BF_CM_REP && !p->keep) {
		if (peer_qp_up(p) != TEST_SUCCESS || (!p->no_rtu && bf_cm_rtu(p->id) != 0))
			test_fail("the peer cannot be ready");
	} else if (ev->type == BF_CM_DREQ) {
		bf_qp_to_error(&p->qp);
		bf_cm_disconnect(p->id, 0);
	}
}

static void
peer_request(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev)
{
	struct peer *p = arg;

	p->seen[BF_CM_REQ]++;
	memcpy(&p->req, ev->priv, RTE_MIN(ev->len, sizeof(p->req)));
	if (p->rej_reason != 0) {
		bf_cm_reject(id, p->rej_reason, p->rej, p->rej_len);
		bf_cm_release(id);
		return;
	}
	peer_forget(p);
	p->id = id;
	if (peer_qp_create(p) != TEST_SUCCESS || peer_qp_up(p) != TEST_SUCCESS ||
			bf_cm_accept(id, &p->own, &p->rep, sizeof(p->rep), peer_event, p) != 0)
		test_fail("the peer cannot answer");
}

void
peer_forget(struct peer *p)
{
	bf_cm_release(p->id);
	p->id = NULL;
	peer_qp_destroy(p);
	memset(p->seen, 0, sizeof(p->seen));
}

void
peer_req(struct bf_wire_req *req, const char *name)
{
	memset(req, 0, sizeof(*req));
	req->magic = BF_WIRE_MAGIC;
	req->version_min = BF_WIRE_VERSION_MIN;
	req->version_max = BF_WIRE_VERSION_MAX;
	req->max_msg_size = PEER_MSG_SIZE;
	req->queue_size = PEER_QUEUE;
	req->name_hash = bf_wire_name_hash(name);
	memcpy(req->prefix, name, RTE_MIN(strlen(name), sizeof(req->prefix)));
}

int
peer_connect(struct peer *p, const uint8_t *mac, const void *req, size_t len)
{
	struct bf_cm_addr to;

	peer_forget(p);
	TEST_CALL(peer_qp_create(p));
	bf_cm_addr_of_mac(mac, &to);
	TEST_EXPECT(bf_cm_connect(p->cm, &to, &p->own, req, len, TEST_MS, peer_event, p, &p->id),
			0);
	return TEST_SUCCESS;
}

/*
 * Messages
 */

static void
peer_received(struct peer *p, const struct bf_cqe *cqe)
{
	uint16_t index = bf_cqe_wqe_counter(cqe);
	uint32_t slot = index % PEER_ENTRIES, len = bf_cqe_byte_cnt(cqe);
	const uint8_t *from = (const uint8_t *)p->mem->addr + slot * PEER_BUF;
	struct peer_msg *msg = &p->last;

	bf_recvq_done(&p->rq, index);
	if (len >= sizeof(msg->hdr)) {
		memset(msg, 0, sizeof(*msg));
		memcpy(&msg->hdr, from, sizeof(msg->hdr));
		memcpy(msg->data, from + sizeof(msg->hdr),
			RTE_MIN(len - sizeof(msg->hdr), sizeof(msg->data)));
		/* taken at once, as a header of ours says from now on */
		p->hdr.credits += msg->hdr.type == BF_WIRE_DATA;
		p->hdr.ctl_credits += msg->hdr.type >= BF_WIRE_CONSUMER_NEW;
		p->hdr.credits_seen += msg->hdr.type == BF_WIRE_CREDIT;
		if (msg->hdr.type < BF_WIRE_TYPES) {
			p->nb_types[msg->hdr.type]++;
			p->last_of[msg->hdr.type] = *msg;
		}
		if (p->nb_rx < PEER_MSGS)
			p->rx[p->nb_rx] = *msg;
	}
	p->nb_rx++;
	peer_post(p, slot);
	bf_recvq_ring(&p->rq);
}

void
peer_poll(struct peer *p)
{
	const struct bf_cqe *cqe;

	bf_cm_poll(p->cm);
	if (!p->has_qp)
		return;
	while ((cqe = bf_compq_next(&p->cq)) != NULL) {
		switch (bf_cqe_opcode(cqe)) {
		case BF_CQE_RESP_SEND:
			peer_received(p, cqe);
			break;
		case BF_CQE_REQ:
			bf_sendq_done(&p->sq, bf_cqe_wqe_counter(cqe));
			break;
		default:
			p->nb_errors++;
			break;
		}
		bf_compq_commit(&p->cq);
	}
}

int
peer_send_raw(struct peer *p, const void *bytes, uint32_t len, uint8_t opcode)
{
	uint8_t *to = (uint8_t *)p->mem->addr + PEER_ENTRIES * PEER_BUF;
	struct bf_send_wr wr = {
		.nb_sges = 1, .opcode = opcode, .signalled = true, .solicited = true,
	};

	/* one at a time in the buffer: the one before is sent when it has completed */
	PEER_WAIT(p, p->sq.ci == p->sq.pi || p->nb_errors != 0, TEST_MS);
	TEST_TRUE(len <= PEER_BUF);
	memcpy(to, bytes, len);
	wr.sges[0] = (struct bf_sge){ (uintptr_t)to, len, p->mkey.key };
	TEST_TRUE(bf_sendq_send(&p->sq, &wr) >= 0);
	bf_sendq_ring(&p->sq);
	return TEST_SUCCESS;
}

int
peer_send(struct peer *p, uint8_t type, const void *data, uint32_t len)
{
	uint8_t bytes[sizeof(struct bf_wire_hdr) + PEER_MSG_SIZE];

	TEST_TRUE(len <= PEER_MSG_SIZE);
	p->hdr.type = type;
	p->hdr.len = len;
	memcpy(bytes, &p->hdr, sizeof(p->hdr));
	if (len != 0)
		memcpy(bytes + sizeof(p->hdr), data, len);
	TEST_CALL(peer_send_raw(p, bytes, sizeof(p->hdr) + len, BF_WQE_SEND));
	p->hdr.seq++;
	return TEST_SUCCESS;
}

int
peer_ctl(struct peer *p, uint8_t type, const void *data)
{
	PEER_WAIT(p, (uint8_t)(p->ctl_sent - p->last.hdr.ctl_credits) < BF_WIRE_CTL_ENTRIES ||
			p->nb_errors != 0, TEST_MS);
	p->ctl_sent++;
	return peer_send(p, type, data, bf_wire_ctl_len(type));
}

unsigned int
peer_count(const struct peer *p, uint8_t type)
{
	return p->nb_types[type];
}

/*
 * Its function
 */

int
peer_model_start(const char *card_mac, const char *host_mac, const char *hostile_mac)
{
	char functions[256];

	snprintf(functions, sizeof(functions), "--latency=0.1 ecpf0vf0,flr_ms=1,mac=%s "
		"pf0vf0,flr_ms=1,mac=%s pf0vf1,flr_ms=1,mac=%s", card_mac, host_mac, hostile_mac);
	TEST_CALL(test_model_start(&model, functions));
	TEST_CALL(test_model_allow(&model, "ecpf0vf0", "pf0vf0"));
	return test_model_allow(&model, "ecpf0vf0", "pf0vf1");
}

int
peer_open(struct peer *p, const char *function, bool listens)
{
	struct bf_roce_addr addr;
	struct bf_func_conf conf;
	struct bf_cm_conf cm;

	memset(p, 0, sizeof(*p));
	p->listens = listens;
	bf_func_conf_init(&conf);
	conf.cmd_timeout_ms = 2000;
	conf.fw_timeout_ms = 5000;
	conf.fatal_cb = peer_fatal;
	TEST_CALL(obj_func_open(function, &conf, &p->func, &p->objs));
	TEST_EXPECT(bf_pd_create(p->objs, &p->pd), 0);
	TEST_EXPECT(bf_uar_create(p->objs, &p->uar), 0);
	TEST_CALL(obj_addr_use(p->objs, &addr, &p->addr_index));
	memcpy(p->addr.mac, addr.mac, sizeof(addr.mac));
	memcpy(p->addr.gid, addr.gid, sizeof(addr.gid));
	bf_cm_conf_init(&cm);
	cm.name = "peer";
	cm.own = p->addr;
	cm.addr_index = p->addr_index;
	cm.req_cb = listens ? peer_request : NULL;
	cm.arg = p;
	TEST_EXPECT(bf_cm_create(p->objs, &p->pd, &p->uar, &cm, &p->cm), 0);
	return TEST_SUCCESS;
}

static void
peer_end(struct peer *p)
{
	bf_cm_destroy(p->cm);
	bf_uar_destroy(&p->uar);
	bf_pd_destroy(&p->pd);
	bf_fw_close(p->objs);
	bf_func_destroy(p->func);
	memset(p, 0, sizeof(*p));
}

void
peer_close(struct peer *p)
{
	if (p->func == NULL)
		return;
	if (p->id != NULL && p->has_qp) {
		bf_qp_to_error(&p->qp);
		bf_cm_disconnect(p->id, 0);
	}
	peer_forget(p);
	peer_end(p);
}

void
peer_die(struct peer *p)
{
	/* the queue pair first, so that nothing answers; what the manager still says is lost */
	bf_qp_to_reset(&p->qp);
	peer_forget(p);
	peer_end(p);
}
