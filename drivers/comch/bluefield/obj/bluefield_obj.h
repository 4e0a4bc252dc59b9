/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer obj: objects of a device. Create and destroy with plain structures; the
 * memory of queues, their doorbell records and doorbell pages are set up here.
 * Nothing is sent or received here. The files of this layer use the seam below them
 * (bluefield_seam.h) and the layouts of commands, and nothing else of the driver.
 *
 * Each object embeds struct bf_obj, which the caller does not touch. After a
 * reset of the device all older objects are void: destroying them frees memory,
 * anything else, and naming them in new ones, is -ESTALE. If an object cannot be
 * destroyed because the device has failed, the back end keeps its memory until that
 * cannot be used any more.
 *
 * Errors: a negative errno, with the reason logged: -EINVAL an argument, or
 * the device calls it a bad parameter; -ENOSPC it has no more; -ENOMEM;
 * -EBUSY the object is in use; -EIO; what the back end says of a device that has
 * failed. Output is written on success only.
 *
 * Threads: any, not the interrupt thread; operations of one device may wait for
 * each other. All objects are destroyed before the device is, and by the caller
 * that made them.
 */

#ifndef BLUEFIELD_OBJ_H
#define BLUEFIELD_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_io.h>

#include "bluefield_seam.h"

struct bf_ceq;

struct bf_pd {
	struct bf_obj obj;      /* id: protection domain number */
};

struct bf_uar {
	struct bf_obj obj;      /* id: index of the page */
	volatile void *page;    /* NULL: the CPU has no pointer to it */
};

struct bf_cq_attr {
	uint32_t nb_cqes;       /* power of two */
	const struct bf_uar *uar; /* for arming */
	bool ignore_overrun;
	const struct bf_ceq *ceq; /* that its events go to (bluefield_ceq.h); NULL: the device's */
};

struct bf_cq {
	struct bf_obj obj;      /* id: completion queue number */
	void *ring;             /* nb_cqes of 64 bytes, marked as not written */
	rte_be32_t *dbr;        /* [0] consumer index, [1] arm */
	uint32_t nb_cqes;
};

/* A key for [addr, addr + len), which work requests name as the CPU does, or by alias. */
struct bf_mkey_attr {
	const struct bf_pd *pd;
	struct bf_obj_mem *mem; /* that this is in, and that outlives the key */
	const void *addr;
	size_t len;             /* bytes, not 0 */
	/* Where work requests take it to begin; NULL: at addr. Whole pages apart. */
	const void *alias;
	bool local_write;
	bool remote_read;
	bool remote_write;
};

struct bf_mkey {
	struct bf_obj obj;      /* id: index */
	uint32_t key;           /* for work requests */
};

struct bf_srq_attr {
	const struct bf_pd *pd;
	uint32_t nb_wqes;       /* power of two */
	uint32_t wqe_size;      /* bytes, power of two, 32 to 2048; 16 are taken by the list */
};

struct bf_srq {
	struct bf_obj obj;      /* id: receive memory pool number */
	void *ring;             /* the free list, in order of index */
	rte_be32_t *dbr;        /* [0] posted entries */
	uint32_t nb_wqes;
	uint32_t wqe_size;
};

enum bf_qp_service {
	BF_QP_RC = 0,           /* reliable connection */
	BF_QP_UD,               /* datagrams */
	BF_QP_GSI,              /* datagrams of connection management: QP1 of the port */
};

struct bf_qp_attr {
	enum bf_qp_service service;
	const struct bf_pd *pd;
	const struct bf_uar *uar;
	const struct bf_cq *cq_send;
	const struct bf_cq *cq_recv;
	uint32_t nb_sq_blocks;  /* of 64 bytes, power of two; 0: nothing is sent */
	uint32_t nb_rq_wqes;    /* power of two; 0: srq, or nothing is received */
	uint32_t rq_wqe_size;   /* bytes, power of two, 16 to 2048 */
	const struct bf_srq *srq; /* or NULL */
	uint32_t user_index;    /* 24 bits, in completions; all ones: none */
	uint32_t qkey;          /* that datagrams to it must have; GSI has its own */
};

struct bf_qp {
	struct bf_obj obj;      /* id: queue pair number */
	void *rq;               /* NULL: none */
	void *sq;
	rte_be32_t *dbr;        /* [0] receive, [1] send */
	uint32_t nb_sq_blocks;
	uint32_t nb_rq_wqes;
	uint32_t rq_wqe_size;
	enum bf_qp_service service;
	uint32_t qkey;
};

/* Where the other end is, and how to talk to it. */
struct bf_qp_path {
	uint32_t remote_qpn;
	uint32_t remote_psn;    /* first that arrives */
	uint32_t local_psn;     /* first that we send */
	uint8_t mtu;            /* 1: 256 bytes, ... 5: 4096 */
	uint8_t min_rnr_nak;    /* timer code */
	bool loopback;          /* a queue pair of this function: no address needed */
	/* RoCE version 2 */
	uint16_t src_addr_index;/* in our table */
	uint8_t rgid[16];
	uint8_t rmac[6];
	uint8_t hop_limit;
	uint8_t tclass;
	uint16_t udp_sport;
	/* sender */
	uint8_t ack_timeout;    /* code, 4.096 us << code */
	uint8_t retry_count;    /* 7 at most */
	uint8_t rnr_retry;      /* 7: for ever */
};

enum bf_qp_state {
	BF_QP_RESET = 0,
	BF_QP_INIT = 1,
	BF_QP_RTR = 2,
	BF_QP_RTS = 3,
	BF_QP_SQ_ERROR = 4,
	BF_QP_SQ_DRAINED = 5,
	BF_QP_ERROR = 6,
};

struct bf_vport {
	uint8_t mac[6];
	uint16_t mtu;           /* bytes of a frame, with layer 2; 0: nobody says */
	bool roce_en;
};

struct bf_roce_addr {
	uint8_t gid[16];
	uint8_t mac[6];
	uint8_t version;        /* 2: RoCE version 2, 0: version 1 */
	bool ipv6;              /* else an IPv4 address, mapped */
	bool vlan;
	uint16_t vlan_id;       /* 0 without one */
};

/* Where the device has one of somebody else, this is that. */
int bf_pd_create(struct bf_obj_dev *dev, struct bf_pd *pd);
void bf_pd_destroy(struct bf_pd *pd);

int bf_uar_create(struct bf_obj_dev *dev, struct bf_uar *uar);
void bf_uar_destroy(struct bf_uar *uar);

/*
 * Ring a doorbell of 4 bytes, as the device has them, after all earlier stores to memory. For
 * those of 8 bytes, see bluefield_wq_io.h.
 */
static inline void
bf_uar_write32(const struct bf_uar *uar, uint32_t off, rte_be32_t val)
{
	if (likely(uar->page != NULL))
		rte_write32(val, (volatile uint8_t *)uar->page + off);
	else
		uar->obj.dev->ops->doorbell32(&uar->obj, off, val);
}

int bf_cq_create(struct bf_obj_dev *dev, const struct bf_cq_attr *attr, struct bf_cq *cq);
void bf_cq_destroy(struct bf_cq *cq);

/* Memory from the back end, zeroed. */
int bf_mem_alloc(struct bf_obj_dev *dev, size_t len, struct bf_obj_mem **mem);

/*
 * Memory of the application, which stays where it is until it was freed here: what EAL
 * has, or was told of, where the device is on EAL's bus. -EINVAL if the device cannot
 * reach all of it, which is not logged with BF_MEM_F_TRY. Without BF_MEM_F_WRITE, keys of
 * it may only be read.
 */
int bf_mem_register(struct bf_obj_dev *dev, void *addr, size_t len, uint32_t flags,
	struct bf_obj_mem **mem);

/*
 * After all that uses it. 0, or -EBUSY: something could not be destroyed, and the
 * application must leave its memory where it is until the device has been reset.
 * Memory from the back end is kept by that, then. NULL is nothing.
 */
int bf_mem_free(struct bf_obj_mem *mem);

/* If the key cannot be destroyed, a negative errno. */
int bf_mkey_create(struct bf_obj_dev *dev, const struct bf_mkey_attr *attr, struct bf_mkey *mkey);
int bf_mkey_destroy(struct bf_mkey *mkey);

int bf_srq_create(struct bf_obj_dev *dev, const struct bf_srq_attr *attr, struct bf_srq *srq);
void bf_srq_destroy(struct bf_srq *srq);

/* In state RESET. No remote access is ever allowed through it. */
int bf_qp_create(struct bf_obj_dev *dev, const struct bf_qp_attr *attr, struct bf_qp *qp);
void bf_qp_destroy(struct bf_qp *qp);
int bf_qp_to_init(struct bf_qp *qp);
/* Datagrams have no path: NULL, or to_rts takes local_psn out of it and nothing else. */
int bf_qp_to_rtr(struct bf_qp *qp, const struct bf_qp_path *path);
int bf_qp_to_rts(struct bf_qp *qp, const struct bf_qp_path *path);
int bf_qp_to_error(struct bf_qp *qp);
/*
 * The same of one with a shared receive queue, and wait, for 0.1 s at most, until it takes
 * nothing more of that, and has its completions written. Before it is destroyed: else an
 * entry that it has taken may never come back (InfiniBand, 10.3.1).
 */
void bf_qp_drain(struct bf_qp *qp);
/* The caller's indices start anew, too. */
int bf_qp_to_reset(struct bf_qp *qp);

int bf_vport_query(struct bf_obj_dev *dev, struct bf_vport *vport);
/*
 * Where somebody else keeps the port, it has to be so already, or it is -EPERM. -EREMOTEIO:
 * firmware says that it is on, and it is not.
 */
int bf_vport_set_roce(struct bf_obj_dev *dev, bool enable);

/*
 * Have an address in the table. Ours to write: it goes to *index. Somebody else's: its
 * index there goes to *index, or it is -ENOENT.
 */
int bf_roce_addr_use(struct bf_obj_dev *dev, const struct bf_roce_addr *addr, uint16_t *index);
/*
 * index below roce_addr_table_size. A GID of zeros clears the entry: version and ipv6 are as
 * they were set, or firmware without RoCE version 1 refuses. -EPERM: the table is not ours.
 */
int bf_roce_addr_set(struct bf_obj_dev *dev, uint16_t index, const struct bf_roce_addr *addr);
int bf_roce_addr_query(struct bf_obj_dev *dev, uint16_t index, struct bf_roce_addr *addr);

#endif
