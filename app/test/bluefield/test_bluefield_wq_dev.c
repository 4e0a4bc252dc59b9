/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The device of test_bluefield_wq_dev.h. Offsets and values in here are those of the
 * device's manual, and not taken from the driver.
 */

#include "test_bluefield_wq_dev.h"

#define GUARD_BYTE 0x5a
#define FIRST_BYTE 0xa5 /* of rings, before anything is written */

static uint32_t
be16_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t
be32_at(const uint8_t *p)
{
	return be16_at(p) << 16 | be16_at(p + 2);
}

static uint64_t
be64_at(const uint8_t *p)
{
	return (uint64_t)be32_at(p) << 32 | be32_at(p + 4);
}

static int
mistake(struct wq_dev *dev, const char *what)
{
	if (dev->mistake == NULL) {
		dev->mistake = what;
		printf("the device: %s\n", what);
	}
	return TEST_FAILED;
}

static void
doorbell(const struct bf_obj *uar, uint32_t off, rte_be64_t val)
{
	struct wq_dev *dev = container_of(uar->dev, struct wq_dev, obj);

	dev->nb_doorbells++;
	dev->doorbell_off = off;
	dev->doorbell = be64_at((const uint8_t *)&val);
}

static const struct bf_obj_ops ops = { .doorbell = doorbell };

static void *
ring_init(struct wq_ring *r, size_t len)
{
	memset(r->mem, GUARD_BYTE, sizeof(r->mem));
	r->at = r->mem + WQ_GUARD;
	r->len = len;
	memset(r->at, FIRST_BYTE, len);
	memset(r->dbr, 0, sizeof(r->dbr));
	return r->at;
}

void
wq_dev_init(struct wq_dev *dev, uint32_t sq_blocks, uint32_t rq_wqes, uint32_t rq_wqe_size,
	uint32_t cqes)
{
	uint32_t i;

	memset(dev, 0, sizeof(*dev));
	dev->obj = (struct bf_obj_dev){ .ops = &ops, .name = "test" };
	dev->uar.obj = (struct bf_obj){ .dev = &dev->obj, .id = 3 };
	dev->qp.obj = (struct bf_obj){ .dev = &dev->obj, .id = WQ_QPN };
	/* the two queues of a queue pair share a record */
	dev->qp.dbr = dev->sq.dbr;
	dev->qp.sq = ring_init(&dev->sq, sq_blocks * 64);
	dev->qp.nb_sq_blocks = sq_blocks;
	dev->qp.rq = ring_init(&dev->rq, rq_wqes * rq_wqe_size);
	dev->qp.nb_rq_wqes = rq_wqes;
	dev->qp.rq_wqe_size = rq_wqe_size;
	dev->cq.obj = (struct bf_obj){ .dev = &dev->obj, .id = WQ_CQN };
	dev->cq.ring = ring_init(&dev->cqes, cqes * 64);
	dev->cq.dbr = dev->cqes.dbr;
	dev->cq.nb_cqes = cqes;
	for (i = 0; i < cqes; i++)
		dev->cqes.at[i * 64 + 63] = 0xf1;
}

void
wq_dev_init_srq(struct wq_dev *dev, uint32_t wqes, uint32_t wqe_size)
{
	uint32_t i, next;

	dev->srq.obj = (struct bf_obj){ .dev = &dev->obj, .id = 7 };
	dev->srq.ring = ring_init(&dev->list, wqes * wqe_size);
	dev->srq.dbr = dev->list.dbr;
	dev->srq.nb_wqes = wqes;
	dev->srq.wqe_size = wqe_size;
	for (i = 0; i < wqes; i++) {
		next = (i + 1) % wqes;
		dev->list.at[i * wqe_size + 2] = next >> 8;
		dev->list.at[i * wqe_size + 3] = next;
	}
}

static uint16_t
waiting(const rte_be32_t *record, uint16_t ci)
{
	return (uint16_t)(be32_at((const uint8_t *)record) - ci);
}

uint32_t
wq_dev_sends(struct wq_dev *dev)
{
	return waiting(&dev->sq.dbr[1], dev->sq_ci);
}

uint32_t
wq_dev_recvs(struct wq_dev *dev)
{
	return waiting(&dev->sq.dbr[0], dev->rq_ci);
}

uint32_t
wq_dev_shared(struct wq_dev *dev)
{
	return waiting(&dev->list.dbr[0], dev->srq_ci);
}

/* A segment of memory; false: it ends the list. */
static bool
data_seg(const uint8_t *seg, struct wq_req *req)
{
	struct bf_sge *sge = &req->sges[req->nb_sges];

	sge->len = be32_at(seg);
	sge->lkey = be32_at(seg + 4);
	sge->addr = be64_at(seg + 8);
	if (sge->len == 0 && sge->lkey == 0x100)
		return false;
	req->nb_sges++;
	return true;
}

/* seg is a copy in one piece of all the request's segments. */
static int
parse_send(struct wq_dev *dev, bool datagrams, const uint8_t *seg, uint32_t nb,
	struct wq_req *req)
{
	uint32_t i = 1;

	if (datagrams) {
		if (nb < 4)
			return mistake(dev, "a datagram without address");
		memcpy(req->av, seg + 16, 48);
		req->has_av = true;
		i = 4;
	}
	while (i < nb) {
		if ((seg[i * 16] & 0x80) == 0) {
			data_seg(seg + i * 16, req);
			i++;
			continue;
		}
		req->has_inl = true;
		req->inl_len = be32_at(seg + i * 16) & 0x3ff;
		if (i + (4 + req->inl_len + 15) / 16 > nb)
			return mistake(dev, "inline data goes beyond its request");
		memcpy(req->inl, seg + i * 16 + 4, req->inl_len);
		i += (4 + req->inl_len + 15) / 16;
	}
	return TEST_SUCCESS;
}

int
wq_dev_send(struct wq_dev *dev, bool datagrams, struct wq_req *req)
{
	uint32_t nb_blocks = dev->qp.nb_sq_blocks, i, segs, at;
	uint8_t wqe[1024];

	memset(req, 0, sizeof(*req));
	at = dev->sq_ci % nb_blocks * 64;
	segs = dev->sq.at[at + 7] & 0x3f;
	if (segs == 0)
		return mistake(dev, "a request of no segments");
	if ((segs + 3) / 4 > wq_dev_sends(dev))
		return mistake(dev, "the record does not count all of a request");
	for (i = 0; i < segs; i++)
		memcpy(wqe + i * 16, dev->sq.at + (at + i * 16) % (nb_blocks * 64), 16);
	req->opcode = wqe[3];
	req->index = be16_at(wqe + 1);
	req->flags = wqe[11];
	req->imm = be32_at(wqe + 12);
	if (req->index != dev->sq_ci)
		return mistake(dev, "a request has the wrong index");
	if (be32_at(wqe + 4) >> 8 != WQ_QPN)
		return mistake(dev, "a request is of another queue pair");
	if (wqe[0] != 0 || wqe[8] != 0 || wqe[9] != 0 || wqe[10] != 0)
		return mistake(dev, "a control segment has reserved bits");
	dev->sq_ci += (segs + 3) / 4;
	return parse_send(dev, datagrams, wqe, segs, req);
}

/* Segments of a receive entry, of which the first are not looked at. */
static void
parse_recv(const uint8_t *wqe, uint32_t size, struct wq_req *req)
{
	uint32_t i;

	memset(req, 0, sizeof(*req));
	for (i = 0; i < size; i += 16)
		if (!data_seg(wqe + i, req))
			break;
}

int
wq_dev_recv(struct wq_dev *dev, struct wq_req *req)
{
	uint32_t size = dev->qp.rq_wqe_size;

	if (wq_dev_recvs(dev) == 0)
		return mistake(dev, "no receive entry");
	parse_recv(dev->rq.at + dev->rq_ci % dev->qp.nb_rq_wqes * size, size, req);
	req->index = dev->rq_ci++;
	return TEST_SUCCESS;
}

int
wq_dev_take(struct wq_dev *dev, struct wq_req *req)
{
	uint32_t size = dev->srq.wqe_size;
	uint8_t *wqe = dev->list.at + (size_t)dev->srq_at * size;

	if (wq_dev_shared(dev) == 0)
		return mistake(dev, "no shared entry");
	parse_recv(wqe + 16, size - 16, req);
	req->index = dev->srq_at;
	dev->srq_at = be16_at(wqe + 2);
	if (dev->srq_at >= dev->srq.nb_wqes)
		return mistake(dev, "the list leaves the ring");
	dev->srq_ci++;
	return TEST_SUCCESS;
}

uint8_t *
wq_dev_cqe(struct wq_dev *dev)
{
	uint8_t *cqe = dev->cqes.at + dev->cq_pi % dev->cq.nb_cqes * 64;
	uint32_t used = (dev->cq_pi - be32_at((const uint8_t *)dev->cqes.dbr)) & 0xffffff;

	if (used >= dev->cq.nb_cqes)
		mistake(dev, "the completion queue overruns");
	memset(cqe, 0, 63);
	return cqe;
}

void
wq_dev_finish(struct wq_dev *dev, uint8_t *cqe, uint8_t opcode, uint16_t index, uint32_t bytes)
{
	cqe[44] = bytes >> 24;
	cqe[45] = bytes >> 16;
	cqe[46] = bytes >> 8;
	cqe[47] = bytes;
	cqe[60] = index >> 8;
	cqe[61] = index;
	cqe[63] = opcode << 4 | (dev->cq_pi / dev->cq.nb_cqes & 1);
	dev->cq_pi++;
}

void
wq_dev_complete(struct wq_dev *dev, uint8_t opcode, uint16_t index, uint32_t bytes)
{
	wq_dev_finish(dev, wq_dev_cqe(dev), opcode, index, bytes);
}

static bool
guard_whole(const struct wq_ring *r)
{
	const uint8_t *end = r->mem + sizeof(r->mem), *p;

	if (r->at == NULL)
		return true;
	for (p = r->mem; p < r->at; p++)
		if (*p != GUARD_BYTE)
			return false;
	for (p = r->at + r->len; p < end; p++)
		if (*p != GUARD_BYTE)
			return false;
	return true;
}

int
wq_dev_passed(const struct wq_dev *dev)
{
	TEST_ASSERT(dev->mistake == NULL, "%s", dev->mistake);
	TEST_TRUE(guard_whole(&dev->sq) && guard_whole(&dev->rq));
	TEST_TRUE(guard_whole(&dev->list) && guard_whole(&dev->cqes));
	return TEST_SUCCESS;
}
