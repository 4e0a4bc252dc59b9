/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The parts of the model and what they may ask of each other. There are two threads,
 * the main loop's and the queue engine's, and one lock that whoever runs has. A part's
 * private state is behind a pointer in struct bfm_function that only its own file looks
 * into.
 *
 *   main.c      options, the poll loop, the end
 *   conf.c      names and keys of functions
 *   server.c    one vfio-user server per function: regions, reset
 *   link.c, feed.c, message.c, unmap.c  clients and their messages
 *   dma.c       memory of clients
 *   irq.c       interrupts
 *   pci.c       configuration space
 *   health.c    whether firmware lives: health, fatal errors
 *   iseg.c      registers of BAR 0: init segment, doorbells; resets
 *   cmdq.c      command queue: slots, dispatch, completion
 *   cmdq_entry.c  its entries and mailboxes in the client's memory
 *   cmdq_time.c   how long commands take
 *   layout.c    fields of structures
 *   cmd_*.c     commands, by subject
 *   giver.c     who gives pages for functions that do not ask for their own
 *   owner.c     pages that come from there, and go back
 *   object.c    table of live objects, by type and number
 *   queue.c     what the commands of queues share; queue.h has the objects that
 *               move data
 *   qp_state.c  state machine of queue pairs
 *   eq.c        event queues
 *   engine_run.c  the queue engine: its thread, its lock, who has something to do
 *   engine_net.c  from queue pair to queue pair
 *   engine_mem.c  memory by keys
 *   engine_cqe.c  completions
 *   engine_flush.c  the end of requests
 *   wqe_*.c     requests, as they are in memory
 *   rc_*.c, ud.c  transport services
 *   eth_*.c     Ethernet queues: frames, sending, receiving by flow tables
 *   switch.c    the embedded switch; switch_rule.c has the words of its rules
 *   fault.c     injected faults
 *   control.c   control socket: faults, dumps, questions
 *   log.c       the log
 */

#ifndef BFM_MODEL_H
#define BFM_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include "layout.h"

#define BFM_PAGE_SIZE 4096u
#define BFM_NAME_SIZE 32
#define BFM_MAX_FUNCTIONS 16
#define BFM_NB_VECTORS 64
#define BFM_PORT_MTU 9216u       /* of Ethernet: bytes of a frame */
#define BFM_MTU_LIMIT 9978u
#define BFM_BAR0_SIZE (32u << 20) /* of a PF; a VF has 2 MiB */
#define BFM_VF_BAR0_SIZE (2u << 20)
#define BFM_UAR_FIRST 16u        /* pages of BAR 0 below are registers and MSI-X */
#define BFM_NB_PORTS 2
#define BFM_NO_LIMIT UINT32_MAX
#define BFM_HEALTH_SIZE 64u
#define BFM_CLOCK_KHZ 1000000u   /* of the internal timer: device_frequency_khz */
#define BFM_LATENCY_ONE 1000u    /* a factor of 1 */
#define BFM_LATENCY_MAX 100u     /* the greatest factor */

struct bfm_cmdq;
struct bfm_pages;
struct bfm_objects;
struct bfm_faults;
struct bfm_server;
struct bfm_iseg;
struct bfm_eqs;
struct bfm_vport;
struct bfm_switch;
struct bfm_swport;
struct bfm_engine;
struct bfm_qp;

enum bfm_kind { BFM_PF = 0, BFM_VF, BFM_ECPF };

/* What the owner of the embedded switch lets a function have of RoCE. */
enum bfm_roce {
	BFM_ROCE_ON = 0,
	BFM_ROCE_OFF,
	BFM_ROCE_ASK, /* off, until SET_HCA_CAP asks for it */
};

/* What --function says of one; written by conf.c, constant afterwards. */
struct bfm_conf {
	char name[BFM_NAME_SIZE]; /* pf0, pf0vf3, ecpf0, ecpf0vf3; ecpf is ecpf0 */
	enum bfm_kind kind;
	bool card;             /* an ECPF or a VF of one: embedded CPU flag 1 */
	uint8_t port;          /* of the card: 0 or 1 */
	uint16_t vendor_id;    /* 0x15b3 */
	uint32_t device_id;    /* of the kind and the generation, or id= */
	uint32_t bf3;          /* 1: device=bf3, default bf2 */
	uint32_t ib_port;      /* 1: port=ib, InfiniBand personality, default Ethernet */
	uint32_t netdev;       /* netdev=, 1: it has Ethernet queues and flow tables */
	uint32_t mode;         /* mode=dpu, nic, separated, of an ECPF */
	bool esw_manager;      /* ECPF in DPU mode */
	uint32_t boot_pages;   /* boot_pages=, what QUERY_PAGES asks first; default 8 */
	uint32_t init_pages;   /* init_pages=, default 64 */
	uint32_t pages_client; /* 1: pages=client, of a PF, an ECPF: its client gives for others */
	uint32_t host_down;    /* 1: host=down, of an ECPF: nobody enables the host, but a client */
	uint32_t owner_slow;   /* owner_slow=, ms until the owner of this PF gives pages */
	uint32_t owner_short;  /* owner_short=, pages that it has, or BFM_NO_LIMIT */
	uint32_t flr_ms;       /* flr_ms=, how long firmware initialises after a reset */
	uint32_t frail;        /* frail=, 1: a reset while it initialises is its end */
	uint32_t settle;       /* settle=, ms after its address until the command queue works */
	uint32_t remainders;   /* remainders=, 1: a part of the pages is answered by an event */
	uint32_t vectors;      /* vectors=, MSI-X vectors, default BFM_NB_VECTORS */
	uint16_t function_id;  /* PF 0, VF n+1; together with the embedded CPU flag */
	uint32_t msix_fixed;   /* msix_fixed=, 1: vectors added later cost interrupts */
	uint16_t vhca_id;      /* unique in the model */
	uint32_t roce;         /* enum bfm_roce: roce=on, off, ask */
	uint32_t roce_table;   /* roce_table=, entries of the RoCE address table */
	uint32_t vhca_ports;   /* vhca_ports=, ports that its commands can name; 0: none */
	uint64_t mac;          /* mac= ... */
	bool has_mac;          /* ... was given */
	uint32_t link_down;    /* 1: link=down, until "port up" at the control socket */
	char socket[108];      /* <socket dir>/<name>.sock, or socket= */
};

/* Where firmware stands with a function. */
enum bfm_hca_state {
	BFM_HCA_DISABLED = 0, /* after reset: only the commands before ENABLE_HCA */
	BFM_HCA_ENABLED,
	BFM_HCA_INITIALISED,  /* after INIT_HCA */
};

/* Who gives pages for the functions of others: the kernel with the PF or the ECPF. */
struct bfm_owner {
	bool dead;            /* never answers */
	bool killed;          /* and what it gave is void */
	uint32_t slow_ms;     /* answers so late */
	bool is_short;        /* has only ... */
	uint32_t short_pages; /* ... so many pages */
	uint32_t given;       /* now */
	uint64_t total_given;
	uint64_t total_taken;
	uint64_t total_void;
	uint64_t refused;     /* pages */
	uint64_t requests;
};

/* Pages that a function has of its owner. */
struct bfm_supply {
	uint32_t given;    /* now */
	uint32_t wanted;   /* on their way */
	bool asked;        /* the client that gives was told */
	uint64_t due_ms;   /* when they come */
	bool refused;      /* they do not: whoever waits has to learn that */
	uint64_t total_given;
	uint64_t total_taken;
	uint64_t total_void;
};

/* Faults of what moves data. */
#define BFM_ALL UINT64_MAX
struct bfm_net_faults {
	uint64_t drop;     /* so many of the packets that it sends are lost */
	uint64_t bells;    /* so many doorbells of send queues */
	uint64_t cqes;     /* so many completions find their queue full */
	uint64_t records;  /* so many records of send queues cannot be read */
	uint64_t posts;    /* so many entries of shared queues cannot be */
	uint32_t delay_ms; /* each packet waits so long */
	uint32_t acks_ms;  /* answers to what it sends are so long on their way */
};

/* Of a fault that is there so often: once more? */
static inline bool
bfm_fault_uses(uint64_t *count)
{
	if (*count == 0)
		return false;
	if (*count != BFM_ALL)
		--*count;
	return true;
}

struct bfm_function {
	struct bfm_model *model;
	struct bfm_conf conf;
	enum bfm_hca_state hca;
	bool issi1;                 /* SET_ISSI was 1 */
	bool gone;                  /* unplugged: reads are all ones, nothing works */
	bool port_down;             /* by link= or a fault: the port has no link */
	uint64_t mac;               /* of mac= or a fault, also after a reset */
	uint32_t mtu;               /* of its vport, by a fault; 0: it is the port's */
	uint64_t events_refused;    /* by a fault: bits of types that CREATE_EQ refuses */
	bool host_enabled;          /* ECPF: its client enabled the host's PF */
	bool host_up;               /* ECPF: the operator did */
	uint64_t resets;            /* count */
	struct bfm_server *server;  /* server.c */
	struct bfm_iseg *iseg;      /* iseg.c */
	/* Of iseg.c: firmware has lost so many pages. The interface is off, all is void. */
	void (*lost)(struct bfm_function *f, uint32_t pages, const char *why);
	struct bfm_cmdq *cmdq;      /* cmdq.c */
	/* Of cmdq.c: what a command waited for is there, or will never be. */
	void (*resume)(struct bfm_function *f);
	struct bfm_pages *pages;    /* cmd_pages.c */
	struct bfm_supply supply;   /* owner.c */
	struct bfm_objects *objs;   /* object.c */
	struct bfm_eqs *eqs;        /* eq.c */
	struct bfm_faults *faults;  /* fault.c */
	struct bfm_vport *vport;    /* cmd_vport.c */
	struct bfm_swport *swport;  /* switch.c */
	struct bfm_qp *qp1;         /* engine_run.c: queue pair 1, or NULL */
	uint32_t nb_flow_entries;   /* of all flow tables */
	struct bfm_object *rx_root; /* cmd_flow.c: flow table of what comes, or NULL */
	struct bfm_net_faults net;  /* fault.c */
	uint64_t rnr;               /* ever, of all its queue pairs: see struct bfm_run */
	uint8_t *caps_cur;          /* cmd_caps.c: current capabilities, all types */
};

/* What all functions of a card share; all zero is one that works. */
struct bfm_card {
	bool fatal;                 /* firmware has failed; this and the next: iseg.c */
	uint8_t health[BFM_HEALTH_SIZE]; /* the buffer then, for all functions */
	uint64_t fatal_ms;          /* when the health counter stopped */
	uint64_t reset_until;       /* ms: firmware is being reset */
	uint64_t fw_resets;         /* count */
	uint32_t reset_sem;         /* semaphore of firmware resets, 0: free; pci.c */
	uint32_t vsc_counter;       /* numbers for those who take a semaphore; pci.c */
};

struct bfm_model {
	struct bfm_card card;
	struct bfm_function *functions[BFM_MAX_FUNCTIONS];
	uint32_t nb_functions;
	struct bfm_owner owners[2][BFM_NB_PORTS]; /* of the host, of the card; owner.c */
	struct bfm_switch *sw;      /* switch.c */
	uint64_t now_ms;            /* monotonic, of this turn of the loop */
	uint64_t now_us;            /* the same */
	uint32_t latency;           /* of commands, in BFM_LATENCY_ONE; 0: none */
	uint64_t seed;              /* of what is random */
	bool quit;
	struct bfm_engine *engine;  /* engine_run.c */
};

/* ---------------------------------------------------------------- log.c */

enum bfm_level { BFM_ERR = 0, BFM_WARN, BFM_INFO, BFM_DEBUG };

/* f may be NULL. A line: time, function, text. BFM_WARN is what a client did wrong. */
void bfm_log(const struct bfm_function *f, enum bfm_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int bfm_log_open(const char *path, enum bfm_level level); /* NULL: stderr */
FILE *bfm_log_file(void);
bool bfm_log_on(enum bfm_level level);

/* ------------------------------------------------------------- server.c */

/* Listen on conf.socket. 0 or a negative errno, with the reason logged. */
int bfm_server_open(struct bfm_function *f);
void bfm_server_close(struct bfm_function *f);
/* What the loop has to poll, and what it does when that is readable. */
int bfm_server_fd(struct bfm_function *f);
void bfm_server_run(struct bfm_function *f);
bool bfm_server_connected(const struct bfm_function *f);
/* End the connection of the client now (surprise removal). */
void bfm_server_hang_up(struct bfm_function *f);

/*
 * DMA at bus addresses of the function's client. 0, or -EFAULT if any byte is
 * not mapped (with the right) or bus mastering is off: nothing may be assumed of
 * the data. By shared memory where the client gave descriptors, by message where
 * not.
 */
int bfm_dma_read(struct bfm_function *f, uint64_t addr, void *buf, size_t len);
int bfm_dma_write(struct bfm_function *f, uint64_t addr, const void *buf, size_t len);
/* As bfm_dma_write(), but the last byte becomes visible after all others. */
int bfm_dma_write_last(struct bfm_function *f, uint64_t addr, const void *buf, size_t len);
/* Is there a client, and may the function master the bus? */
bool bfm_dma_enabled(const struct bfm_function *f);
/*
 * Can this address be reached at this moment? Memory without a descriptor is
 * reached by messages, and those only while one of the client's is handled.
 */
bool bfm_dma_now(const struct bfm_function *f, uint64_t addr);
/*
 * Is there memory to be written that is reached by messages only? Then everything
 * has to be done within the client's own.
 */
bool bfm_dma_by_message(const struct bfm_function *f);
/* MSI-X; nothing if the vector is not connected. */
void bfm_irq(struct bfm_function *f, uint32_t vector);
/* What the client did with vectors: connected at first, now, added later, lost. */
void bfm_irqs_dump(const struct bfm_function *f, FILE *out);

/* ---------------------------------------------------------------- pci.c */

/* The 4 KiB of configuration space as after power-on, for server.c to install. */
void bfm_pci_config(const struct bfm_conf *conf, uint8_t *cfg);
#define BFM_MSIX_TABLE_OFF 0x2000u /* in BAR 0, as on a real part */
#define BFM_MSIX_PBA_OFF 0x3000u

/* --------------------------------------------------------------- iseg.c */

int bfm_iseg_create(struct bfm_function *f);
void bfm_iseg_destroy(struct bfm_function *f);
/* FLR, device reset, lost client: as after power-on, firmware busy for conf.flr_ms. */
void bfm_function_reset(struct bfm_function *f);
/* Access to BAR 0, any size 1..8 and alignment; unknown places read 0 and warn. */
void bfm_bar_read(struct bfm_function *f, uint64_t off, void *buf, size_t len);
void bfm_bar_write(struct bfm_function *f, uint64_t off, const void *buf, size_t len);
/* Firmware of the card is reset for f, a physical function: all lose what they have. */
void bfm_firmware_reset(struct bfm_function *f);

/* ------------------------------------------------------------- health.c */

/* Firmware breaks: syndrome and severity in the health buffer, counter stops. */
void bfm_health_fatal(struct bfm_function *f, uint8_t synd, uint16_t ext_synd, const char *why);

/* --------------------------------------------------------------- cmdq.c */

/* Delivery status of an entry, and status of a reply: PRM's numbers. */
enum bfm_delivery {
	BFM_DELIVERY_OK = 0, BFM_DELIVERY_SIGNATURE = 1, BFM_DELIVERY_TOKEN = 2,
	BFM_DELIVERY_BLOCK_NUM = 3, BFM_DELIVERY_OUT_ALIGN = 4, BFM_DELIVERY_IN_ALIGN = 5,
	BFM_DELIVERY_FW = 6, BFM_DELIVERY_IN_LEN = 7, BFM_DELIVERY_OUT_LEN = 8,
	BFM_DELIVERY_RESERVED = 9, BFM_DELIVERY_DESCRIPTOR = 0x10,
};

enum bfm_status {
	BFM_OK = 0, BFM_INTERNAL = 1, BFM_BAD_OP = 2, BFM_BAD_PARAM = 3, BFM_BAD_SYS_STATE = 4,
	BFM_BAD_RESOURCE = 5, BFM_BUSY = 6, BFM_LIMIT = 8, BFM_RES_STATE = 9, BFM_BAD_INDEX = 0xa,
	BFM_NO_RESOURCES = 0xf, BFM_BAD_QP_STATE = 0x10, BFM_BAD_PKT = 0x30, BFM_CQE_SIZE = 0x40,
	BFM_BAD_IN_LEN = 0x50, BFM_BAD_OUT_LEN = 0x51,
};

/* A command under way. in and out are private copies. */
struct bfm_cmd {
	struct bfm_function *f;
	const struct bfm_cmd_desc *desc;
	uint8_t *in;
	uint8_t *out;       /* zeroed; the handler fills it from byte 8 on */
	uint32_t in_len;
	uint32_t out_len;   /* as software said: never write beyond */
	uint16_t opcode;
	uint16_t uid;
	uint16_t op_mod;
	uint8_t slot;
	uint32_t syndrome;  /* by bfm_fail() */
	/* A handler that waits for pages sets it and returns BFM_OK: f->resume() calls it again. */
	bool suspend;
};

typedef enum bfm_status (*bfm_handler_t)(struct bfm_cmd *c);

/* States of the HCA in which a command is allowed: bits 1 << enum bfm_hca_state. */
#define BFM_ANY 0x7u
#define BFM_EN 0x6u   /* after ENABLE_HCA */
#define BFM_INIT 0x4u /* after INIT_HCA */

/* One command. Tables of these end with an entry without a name. */
struct bfm_cmd_desc {
	uint16_t opcode;
	const char *name;                /* as in the PRM: CREATE_CQ */
	bfm_handler_t handler;
	uint32_t states;
	const struct bfm_layout *in;     /* fixed part; uncovered bits are reserved */
	const struct bfm_layout *ctx;    /* or NULL: a context inside the fixed part ... */
	uint16_t ctx_off;                /* ... at this byte */
	const struct bfm_layout *out;    /* for the log, or NULL */
	uint16_t in_min;                 /* bytes; fewer is BFM_BAD_IN_LEN */
	uint16_t out_min;                /* bytes; fewer is BFM_BAD_OUT_LEN */
};

/* Tables, one per cmd_*.c; cmdq.c has the list of them. */
extern const struct bfm_cmd_desc bfm_cmds_hca[];    /* cmd_hca.c */
extern const struct bfm_cmd_desc bfm_cmds_pages[];  /* cmd_pages.c */
extern const struct bfm_cmd_desc bfm_cmds_caps[];   /* cmd_caps.c */
extern const struct bfm_cmd_desc bfm_cmds_eq[];     /* eq.c */
extern const struct bfm_cmd_desc bfm_cmds_res[];    /* cmd_res.c: PD, UAR, TD, XRCD, UMEM */
extern const struct bfm_cmd_desc bfm_cmds_mkey[];   /* cmd_mkey.c */
extern const struct bfm_cmd_desc bfm_cmds_cq[];     /* cmd_cq.c */
extern const struct bfm_cmd_desc bfm_cmds_qp[];     /* cmd_qp.c */
extern const struct bfm_cmd_desc bfm_cmds_srq[];    /* cmd_srq.c: SRQ, XRC SRQ, RMP */
extern const struct bfm_cmd_desc bfm_cmds_vport[];  /* cmd_vport.c */
extern const struct bfm_cmd_desc bfm_cmds_roce[];   /* cmd_roce.c: RoCE, counters, MAD */
extern const struct bfm_cmd_desc bfm_cmds_eth[];    /* cmd_eth.c: TIS, TIR, RQT */
extern const struct bfm_cmd_desc bfm_cmds_wq[];     /* cmd_wq.c: SQ, RQ */
extern const struct bfm_cmd_desc bfm_cmds_flow[];   /* cmd_flow.c: flow tables */

const struct bfm_cmd_desc *bfm_cmd_find(uint16_t opcode); /* NULL if unknown */
const struct bfm_cmd_desc *bfm_cmd_named(const char *name); /* in any case; or NULL */
/* log.c: log why a command is refused, and make a syndrome of it: return bfm_fail(...); */
enum bfm_status bfm_fail(struct bfm_cmd *c, enum bfm_status status, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

int bfm_cmdq_create(struct bfm_function *f);
void bfm_cmdq_destroy(struct bfm_function *f);
void bfm_cmdq_reset(struct bfm_function *f);
void bfm_cmdq_set_addr(struct bfm_function *f, uint64_t addr);
uint64_t bfm_cmdq_addr(const struct bfm_function *f);
/* Doorbell: process the slots of the mask, page commands (the last slot) too. */
void bfm_cmdq_doorbell(struct bfm_function *f, uint32_t mask);
/* Counters of commands by opcode and status, for the control socket. */
void bfm_cmdq_dump(const struct bfm_function *f, FILE *out);
/* Turn of the loop: what is due of commands. Returns us until it wants the next, or -1. */
int bfm_cmdq_tick(struct bfm_function *f);

/* ---------------------------------------------------------- cmd_pages.c */

int bfm_pages_create(struct bfm_function *f);
void bfm_pages_destroy(struct bfm_function *f);
void bfm_pages_reset(struct bfm_function *f);
/*
 * Firmware needs n more pages than it has: asks for them with a PAGE_REQUEST
 * event, or with a negative n gives pages back. 0, or -EAGAIN until they came.
 */
int bfm_pages_want(struct bfm_function *f, int32_t n);
/*
 * Firmware keeps something in the pages it was given: every one must be readable
 * and unchanged. Looked at now and then, and when pages are taken back.
 * 0 or -EFAULT, which is fatal for the function.
 */
int bfm_pages_check(struct bfm_function *f);
void bfm_pages_dump(const struct bfm_function *f, FILE *out);
uint32_t bfm_pages_given(const struct bfm_function *f); /* now in firmware's hands */

/* ---------------------------------------------------- owner.c and giver.c */

/* Do this function's pages come from the owner of its PF, or of the ECPF? */
bool bfm_supplied(const struct bfm_function *f);
/* Are the pages there that this command needs? If not it was suspended, or *status says. */
bool bfm_supply_ready(struct bfm_cmd *c, enum bfm_status *status);
/* Turn of the loop: pages that come late. Returns ms until it wants the next, or -1. */
int bfm_supply_tick(struct bfm_function *f);
/*
 * Is this function held in "initializing", as nobody on the card has enabled the
 * host, or its owner was killed?
 */
bool bfm_held(const struct bfm_function *f);
/* Of an ECPF: its client enables the host, or ends that. */
void bfm_host_enable(struct bfm_function *f, bool enable);
void bfm_supply_dump(const struct bfm_function *f, FILE *out);
/* The owner of a PF or an ECPF as its keys say. */
void bfm_owner_start(struct bfm_function *f);
/* Accounts of the owner that gives for f, or for the VFs of f. */
void bfm_owner_dump(const struct bfm_function *f, FILE *out);

/* ----------------------------------------------------------- cmd_caps.c */

int bfm_caps_create(struct bfm_function *f);
void bfm_caps_destroy(struct bfm_function *f);
void bfm_caps_reset(struct bfm_function *f);
/* A limit that other commands check: 1 << log_max_cq and such, of now. */
uint64_t bfm_cap(const struct bfm_function *f, uint32_t bit, uint32_t width); /* GENERAL */
/* The same of a type of capabilities: 4 is ROCE. 0 of what the model does not have. */
uint64_t bfm_cap_of(const struct bfm_function *f, uint32_t type, uint32_t bit, uint32_t width);
/*
 * From the next reset on the field of that name has this value, current and greatest;
 * with bfm_caps_unforce() all have the model's again. -ENOENT: no such field,
 * -ERANGE: too large for it.
 */
int bfm_caps_force(struct bfm_function *f, const char *name, uint64_t value);
void bfm_caps_unforce(struct bfm_function *f);
void bfm_caps_dump(const struct bfm_function *f, FILE *out);

/* ------------------------------------------------------------- object.c */

enum bfm_type {
	BFM_T_EQ = 0, BFM_T_UAR, BFM_T_PD, BFM_T_TD, BFM_T_XRCD, BFM_T_MKEY, BFM_T_UMEM,
	BFM_T_CQ, BFM_T_QP, BFM_T_SRQ, BFM_T_RMP, BFM_T_TIS, BFM_T_TIR, BFM_T_COUNTER,
	BFM_T_UCTX, BFM_T_SQ, BFM_T_RQ, BFM_T_RQT, BFM_T_FLOW_TABLE, BFM_T_FLOW_GROUP,
	BFM_NB_TYPES,
};

/* The head of every object; the part that makes it embeds it. */
struct bfm_object {
	TAILQ_ENTRY(bfm_object) next;
	enum bfm_type type;
	uint32_t id;
	uint32_t refs;       /* objects that name it: it cannot be destroyed */
	uint16_t uid;        /* user context that made it */
	/* of the maker; releases refs */
	void (*free)(struct bfm_function *f, struct bfm_object *o);
	void (*print)(const struct bfm_object *o, FILE *out);       /* details, one line */
};

int bfm_objects_create(struct bfm_function *f);
void bfm_objects_destroy(struct bfm_function *f);
void bfm_objects_reset(struct bfm_function *f); /* FLR, teardown: all gone, no order */
/* Gives it the lowest free number from `first` on, below `limit`; -ENOSPC. */
int bfm_object_add(struct bfm_function *f, struct bfm_object *o, enum bfm_type type,
		uint32_t first, uint32_t limit, uint16_t uid);
struct bfm_object *bfm_object_find(struct bfm_function *f, enum bfm_type type, uint32_t id);
/* Is there one of the type of which is(object, arg) is true? */
bool bfm_object_any(struct bfm_function *f, enum bfm_type type,
		bool (*is)(struct bfm_object *o, const void *arg), const void *arg);
void bfm_object_ref(struct bfm_object *o);
void bfm_object_unref(struct bfm_object *o);
/* Find and free; fails the command with BAD_RESOURCE (unknown) or RES_STATE (in use). */
enum bfm_status bfm_object_remove(struct bfm_cmd *c, enum bfm_type type, uint32_t id);
/* Of one type, or of all with BFM_NB_TYPES. */
uint32_t bfm_objects_count(const struct bfm_function *f, enum bfm_type type);
void bfm_objects_dump(const struct bfm_function *f, FILE *out);
const char *bfm_type_name(enum bfm_type type);

/*
 * The buffer of a queue, as a list of pages from the tail of a command: every
 * address is aligned, and mapped for the device at the time of the command.
 */
struct bfm_buf {
	uint64_t *pages;
	uint32_t nb_pages;
	uint8_t log_page;   /* log2 of bytes */
	uint64_t page_offset; /* bytes */
	uint64_t size;
};

/* From nb addresses at byte off of the input; fails the command if they are bad. */
enum bfm_status bfm_buf_read(struct bfm_cmd *c, struct bfm_buf *b, uint32_t off,
		uint8_t log_page, uint64_t page_offset, uint64_t size);
/* The same of MTTs: bits 1 and 0 are rights to write and read; those that all give. */
enum bfm_status bfm_buf_read_mtt(struct bfm_cmd *c, struct bfm_buf *b, uint32_t off,
		uint8_t log_page, uint64_t page_offset, uint64_t size, uint8_t *rights);
void bfm_buf_free(struct bfm_buf *b);
int bfm_buf_dma_read(struct bfm_function *f, const struct bfm_buf *b, uint64_t off,
		void *data, size_t len);
int bfm_buf_dma_write(struct bfm_function *f, const struct bfm_buf *b, uint64_t off,
		const void *data, size_t len);

/* ------------------------------------------------------------ cmd_res.c */

/*
 * As bfm_buf_read(), but the pages are those of a UMEM, size bytes from off on.
 * Fails the command if there is no such UMEM or it is smaller. b has its own list of
 * pages; *umem is referenced, and the queue's free() takes that back.
 */
enum bfm_status bfm_umem_buf(struct bfm_cmd *c, struct bfm_buf *b, uint32_t umem_id,
		uint64_t off, uint64_t size, struct bfm_object **umem);

/* ----------------------------------------------------------------- eq.c */

enum bfm_event {
	BFM_EV_COMP = 0x00, BFM_EV_COMM_EST = 0x02, BFM_EV_CQ_ERROR = 0x04,
	BFM_EV_WQ_CATAS = 0x05, BFM_EV_INTERNAL = 0x08,
	BFM_EV_PORT_CHANGE = 0x09, BFM_EV_CMD = 0x0a, BFM_EV_PAGE_REQUEST = 0x0b,
	BFM_EV_NIC_VPORT_CHANGE = 0x0d, BFM_EV_SRQ_CATAS = 0x12,
	BFM_EV_SRQ_LAST_WQE = 0x13, BFM_EV_SRQ_RQ_LIMIT = 0x14,
};

int bfm_eqs_create(struct bfm_function *f);
void bfm_eqs_destroy(struct bfm_function *f);
/* Is there an EQ that takes this event? */
bool bfm_event_wanted(struct bfm_function *f, enum bfm_event type);
/* Write one EQE to the EQ that takes it, and interrupt if it is armed. */
void bfm_event_post(struct bfm_function *f, enum bfm_event type, uint8_t subtype,
		const uint8_t data[28]);
/* The same to one EQ, by number: completion events of a CQ. */
void bfm_eqe_post(struct bfm_function *f, uint32_t eqn, enum bfm_event type, uint8_t subtype,
		const uint8_t data[28]);
/* Doorbell of a UAR page: consumer index, with arming at 0x40 and without at 0x48. */
void bfm_eq_doorbell(struct bfm_function *f, uint32_t value, bool arm);

/* Doorbells of UAR pages that are not of EQs; val is in host order. */
void bfm_cq_arm(struct bfm_function *f, uint32_t uar, uint64_t val);   /* cmd_cq.c */
void bfm_sq_doorbell(struct bfm_function *f, uint32_t uar, uint64_t val); /* cmd_qp.c */
/* The same of Ethernet; false: there is no such SQ. */
bool bfm_eth_doorbell(struct bfm_function *f, uint32_t uar, uint32_t sqn); /* eth_send.c */

/* ---------------------------------------------------------- cmd_vport.c */

int bfm_vport_create(struct bfm_function *f); /* after the capabilities */
void bfm_vport_destroy(struct bfm_function *f);
void bfm_vport_reset(struct bfm_function *f); /* FLR: as after power-on */
void bfm_vport_dump(const struct bfm_function *f, FILE *out);
bool bfm_vport_roce(const struct bfm_function *f); /* is RoCE enabled? */
bool bfm_vport_up(const struct bfm_function *f);   /* as its owner and its port have it */
/* Is this entry of a port's RoCE address table set? Ports count from 1. */
bool bfm_vport_gid(const struct bfm_function *f, uint32_t port, uint32_t index);
/* The number that commands and events have for the function's own port, from 1. */
uint32_t bfm_vport_port(const struct bfm_function *f);
/* From now on, and after resets. */
void bfm_vport_set_mac(struct bfm_function *f, uint64_t mac);
void bfm_vport_set_mtu(struct bfm_function *f, uint32_t mtu);
/* Bytes of a frame that it takes. */
uint32_t bfm_vport_mtu(const struct bfm_function *f);
/* Link, MTU and MAC address as the settings of the function say. */
void bfm_vport_restore(struct bfm_function *f);

/* -------------------------------------------------------------- fault.c */

int bfm_faults_create(struct bfm_function *f);
void bfm_faults_destroy(struct bfm_function *f);

/* What is to happen to a command instead of its handler, or around it. */
struct bfm_cmd_fault {
	bool no_answer;     /* never completes, ownership bit stays */
	bool no_event;      /* completes in memory, but no event tells */
	bool set_status;    /* reply with these, the handler is not called */
	uint8_t status;
	uint32_t syndrome;
	bool set_delivery;  /* delivery status of the entry */
	uint8_t delivery;
	uint32_t delay_ms;  /* completes later */
	bool garbage;       /* output bytes are random */
	int32_t page_request; /* this many pages are asked for while it waits */
};

/* The faults, for what tells of them. */
#define BFM_FAULTS "cmd, health, counter, nic-state, init-busy, bus, pages, host, owner, eq, mtu, " \
	"flr, port, mac, events, cap, net, unplug"

/*
 * One line of the control socket or of --fault, without the function's name, as the table
 * of fault.c has it.
 * 0 or -EINVAL with a sentence in err.
 */
int bfm_fault_parse(struct bfm_function *f, const char *line, char *err, size_t err_size);
void bfm_faults_dump(const struct bfm_function *f, FILE *out);

/* ------------------------------------------------------------ control.c */

/* UNIX stream socket; each line a command, each answer ends in "ok" or "error: ...". */
int bfm_control_open(struct bfm_model *m, const char *path);
void bfm_control_close(void);
/* Descriptors for the loop: fill up to nb, return how many. */
int bfm_control_fds(int *fds, int nb);
void bfm_control_run(struct bfm_model *m, int fd);

/* --------------------------------------------------------------- conf.c */

/* 02:00:00:00:00:01, or 0. */
bool bfm_mac_parse(const char *text, uint64_t *mac);
/* Parse one --function; fills everything that has a default. 0 or -EINVAL with a sentence. */
int bfm_conf_parse(const char *text, struct bfm_conf *conf, char *err, size_t err_size);
/* By its name, as --function takes it; or NULL. */
struct bfm_function *bfm_function_find(struct bfm_model *m, const char *name);

/* --------------------------------------------------------- engine_run.c */

int bfm_engine_create(struct bfm_model *m); /* once; more often does nothing */
void bfm_engine_destroy(struct bfm_model *m);
/* Its thread, after signals are blocked; without it bfm_engine_tick() does its work. */
int bfm_engine_start(struct bfm_model *m);
void bfm_engine_stop(struct bfm_model *m);
/* Turn of the loop. Returns us until it wants the next, or -1. */
int bfm_engine_tick(struct bfm_model *m);
/* Queue pairs of all functions that have something to do now. */
uint32_t bfm_engine_running(const struct bfm_model *m);
void bfm_engine_lock(struct bfm_model *m);
void bfm_engine_unlock(struct bfm_model *m);
/* Set the clock of the model, with the lock. */
void bfm_clock_read(struct bfm_model *m);

/* --------------------------------------------------------------- main.c */

int bfm_function_create(struct bfm_model *m, const struct bfm_conf *conf,
		struct bfm_function **f);
void bfm_function_destroy(struct bfm_function *f);
/* All that is due now. Returns us until the next, at most 1000000. */
int bfm_function_tick(struct bfm_function *f);

#endif
