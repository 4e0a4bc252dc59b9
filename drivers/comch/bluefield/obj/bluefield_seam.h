/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The seam under layer obj: a back end that executes object commands, and owns what
 * they need. What is above knows commands (bluefield_prm.h) and this table. It knows
 * no register, no address of the device, and not who owns the function.
 *
 * A back end is bluefield_fw.c: the function is ours, and commands go to firmware
 * through layer fw. The table is cut so that a function that a kernel driver owns
 * fits as well: there an object is made by a call of that driver, memory has the id
 * of its registration, and doorbell pages are mapped by it.
 *
 * Commands. The side above fills in all of a command but its memory part: the list of
 * pages, their size, and the address of the doorbell record. That part the back end
 * writes, as a list of addresses or as the id of a registration, from the memory that
 * struct bf_obj_new names.
 *
 * The data path is above the seam. Rings and doorbell records are plain memory, and
 * it has pointers to them: it writes an entry, then the record, then rings the doorbell.
 * A doorbell is a store to the page of struct bf_uar, if the back end has that mapped
 * (VFIO does), else a call of the back end (a vfio-user socket). BF_WQ_DOORBELL() of
 * bluefield_wq_io.h does either for work queues, bf_uar_write32() for event queues.
 * Work requests name memory by the address that the CPU has for it,
 * with a key of that memory. After a reset of the device the page is somebody else's:
 * who writes to it has been stopped before.
 *
 * Threads: any, not the interrupt thread. Operations may wait for each other;
 * doorbell does not wait for any of them.
 */

#ifndef BLUEFIELD_SEAM_H
#define BLUEFIELD_SEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_byteorder.h>

struct bf_obj_dev;
struct bf_roce_addr;

/* Kinds of objects. */
enum bf_obj_kind {
	BF_OBJ_PD = 0,
	BF_OBJ_UAR,
	BF_OBJ_CQ,
	BF_OBJ_MKEY,
	BF_OBJ_QP,
	BF_OBJ_SRQ,
	BF_OBJ_EQ,              /* for completions */
	BF_NB_OBJ_KINDS,
};

/* Generation of what outlives a reset. */
#define BF_OBJ_GEN_ANY UINT32_MAX

/* Memory that CPU and device both see. A back end embeds it in its own structure. */
struct bf_obj_mem {
	struct bf_obj_dev *dev;
	void *addr;
	size_t len;             /* bytes */
	bool writable;          /* for the device */
};

/* Of memory that is registered: the device writes to it. */
#define BF_MEM_F_WRITE 0x1u
/* ... it need not be possible, as there is another way. */
#define BF_MEM_F_TRY 0x2u

/* One object. The back end writes id, gen and handle, and reads all of it. */
struct bf_obj {
	struct bf_obj_dev *dev; /* NULL: not created */
	uint32_t id;            /* number, as commands name it */
	uint32_t gen;           /* resets before it was created */
	void *handle;           /* the back end's; NULL: the object is somebody else's */
	struct bf_obj_mem *mem; /* that it uses; NULL: none */
};

/* Memory that an object uses. */
struct bf_obj_part {
	struct bf_obj_mem *mem; /* NULL: none */
	size_t off;             /* of the ring, or of what a key is for */
	size_t len;
	size_t dbr_off;         /* of the doorbell record, if it has a ring, but of an EQ */
};

/* A create command. */
struct bf_obj_new {
	enum bf_obj_kind kind;
	const void *in;         /* without its memory part */
	uint32_t in_len;
	uint32_t gen;           /* of the objects that it names; BF_OBJ_GEN_ANY: of none */
	struct bf_obj_part part;
};

/* What the side above has to know of the device. */
struct bf_obj_caps {
	uint32_t max_qp_sz, max_cq_sz, max_srq_sz; /* entries */
	uint64_t max_msg;       /* bytes of one message */
	uint32_t roce_addr_table_size;
	uint8_t port;           /* number of our port, in paths */
	uint8_t nb_ports;       /* that addresses can be of; 0: the port is not said */
	bool udp_sport;         /* paths say from which UDP port */
	uint8_t cqe_version;    /* 1: completions have a user index */
	uint8_t qp_ts_format;   /* of time stamps that queue pairs ask for */
};

/*
 * Functions return 0 or a negative errno, and have logged the reason. An object from
 * before a reset is -ESTALE for modify, and for create commands that name it. A
 * back end without resets has one generation.
 */
struct bf_obj_ops {
	void (*caps)(struct bf_obj_dev *dev, struct bf_obj_caps *caps);

	/* dev and mem of the object are set; writes id, gen and handle. */
	int (*create)(struct bf_obj_dev *dev, const struct bf_obj_new *new, struct bf_obj *obj);
	/*
	 * A queue pair with a shared receive queue is in state ERR: wait until the device
	 * takes nothing more of that queue for it, and all completions of it are written.
	 * -ENOTSUP, or NULL here: the device does not tell. -ETIMEDOUT: nor in bounded time.
	 */
	int (*last_wqe)(const struct bf_obj *qp);
	/* On one object, whose number is in the command. */
	int (*modify)(const struct bf_obj *obj, const void *in, uint32_t in_len, void *out,
			uint32_t out_len);
	/* The object is gone for the caller, also on failure; one from before a reset was. */
	int (*destroy)(const struct bf_obj *obj);
	/* A command that is about no object: of the port, of addresses. */
	int (*general)(struct bf_obj_dev *dev, const void *in, uint32_t in_len, void *out,
			uint32_t out_len);

	/* A doorbell page, as an object; *page is NULL if the CPU has no pointer to it. */
	int (*uar_alloc)(struct bf_obj_dev *dev, struct bf_obj *uar, volatile void **page);
	int (*uar_free)(const struct bf_obj *uar);
	/* Write to a doorbell page that has no pointer, after all earlier stores to memory. */
	void (*doorbell)(const struct bf_obj *uar, uint32_t off, rte_be64_t val);
	/* The same, of 4 bytes: event queues have such. */
	void (*doorbell32)(const struct bf_obj *uar, uint32_t off, rte_be32_t val);
	/* Number of the event queue for completion queues, whoever made it. */
	int (*eqn)(struct bf_obj_dev *dev, uint32_t *eqn);

	/* Zeroed, and fit for a ring from its start. */
	int (*mem_alloc)(struct bf_obj_dev *dev, size_t len, struct bf_obj_mem **mem);
	/*
	 * Memory of the application that the device can reach; it stays the application's,
	 * and outlives what this makes. -EINVAL if the device cannot reach all of it, which
	 * is not logged with BF_MEM_F_TRY.
	 */
	int (*mem_register)(struct bf_obj_dev *dev, void *addr, size_t len, uint32_t flags,
			struct bf_obj_mem **mem);
	/*
	 * The caller uses it no more; for either of them, also on failure. If an object
	 * could not be destroyed, or nobody knows whether it was created, the device may
	 * still write to memory. Then the back end keeps its own for as long as it must;
	 * for the application's it returns -EBUSY: until the device has been reset.
	 */
	int (*mem_free)(struct bf_obj_mem *mem);

	/*
	 * Where somebody else keeps the port: the index of an address in the table. -ENOENT
	 * if it is not there. NULL: the table is ours to write, and the port's RoCE is ours
	 * to switch, by general commands.
	 */
	int (*gid_index)(struct bf_obj_dev *dev, const struct bf_roce_addr *addr, uint16_t *index);
};

/* A back end embeds it at the start of its own structure. */
struct bf_obj_dev {
	const struct bf_obj_ops *ops;
	const char *name;       /* of the device, for messages */
	/* Objects are in a protection domain that somebody else made: its number. */
	bool has_pd;
	uint32_t pdn;
	bool named_options;     /* of queue pairs, which firmware wants to see named; atomic */
};

#endif
