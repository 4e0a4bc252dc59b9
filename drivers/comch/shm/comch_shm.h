/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_SHM_H
#define COMCH_SHM_H

/*
 * Private structures of the shm driver and the functions that cross its files.
 * What peers share is in shm_wire.h, and only there.
 *
 * Threads and locks. A device has one lock, which guards links, sockets, tables
 * of connections and segments: all that is set-up. Whichever progress engine
 * finds the socket of a device worth a look takes the lock and serves it, and
 * hands what belongs to another engine to that engine as an event. Everything
 * about a connection that is established belongs to the thread of its engine,
 * and takes no lock.
 *
 * Who has the lock makes system calls, and there may be more engines than cores. So
 * waiters sleep: those that spin would keep the owner from its core.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>

#include <rte_comch_pmd.h>
#include <rte_log.h>
#include <rte_mempool.h>

#include "shm_times.h"
#include "shm_wire.h"

extern int shm_logtype;

#define SHM_LOG(level, fmt, ...) \
	rte_log(RTE_LOG_##level, shm_logtype, "COMCH_SHM: " fmt "\n", ##__VA_ARGS__)

/* For what peers can cause: only so much of it is logged. */
#define SHM_PEER_LOG(dev, func, level, fmt, ...) do { \
	if (shm_peer_logs(dev, func, RTE_LOG_##level)) \
		SHM_LOG(level, fmt, ##__VA_ARGS__); \
} while (0)

#define SHM_MAX_FUNCTIONS 256
#define SHM_MAX_UIDS 16
#define SHM_UID_ALL UINT32_MAX /* no user: all who may enter path= */
/* Of each of the two PFs; and the numbers that functions have, for all. */
#define SHM_MAX_VFS 120
#define SHM_MAX_SFS 1000
#define SHM_NB_FUNC_NUMBERS (256 + 2 * SHM_MAX_SFS)
/* Users of one function at one time, and links of one of them if max_links= is not given. */
#define SHM_MAX_USERS 16
#define SHM_MAX_LINKS 128
/* Events under way in one process for one device. */
#define SHM_NB_EVENTS 1023
/* Those of one user of a function; one that allocates memory counts as more than one. */
#define SHM_USER_EVENTS 128
#define SHM_EVENT_BYTES (128u << 10)
/* What the descriptor of a ring weighs: a quarter of those events can have one. */
#define SHM_RING_FD_BYTES (3 * SHM_EVENT_BYTES)
/*
 * Memory that an engine makes or maps between two looks at the sockets, and what each piece
 * counts at least; the rest is left to the thread.
 */
#define SHM_TURN_BYTES (256u << 10)
#define SHM_PIECE_BYTES (16u << 10)
/* Messages waiting for room in one socket, before its peer is given up. */
#define SHM_MAX_TXQ 8192
/* Those that hold a descriptor of ours, and after how many no more is read meanwhile. */
#define SHM_MAX_TX_FDS 64
#define SHM_TX_FDS_WAIT 16
/* Descriptors in the socket of a broker, which passes on no more than its peers read. */
#define SHM_BROKER_UNREAD 4
/* Messages of one connection in one poll, so that others get their turn. */
#define SHM_RX_BURST 32
/* Bytes of the ring after which none of them follows in that poll. */
#define SHM_RX_BYTES (64u << 10)
/* Polls without an event after which a connection is left to its doorbell. */
#define SHM_IDLE_POLLS 64
/* Connections of a dead link that end in one turn, and those whose time is over. */
#define SHM_DOWN_BURST 32
/*
 * Messages of one socket in one look at the sockets, of all of them together, but that each is
 * asked for the least, and new links of all functions.
 */
#define SHM_SOCK_BURST 64
#define SHM_SOCKS_BURST 256
#define SHM_SOCK_LEAST 4
#define SHM_ACCEPT_BURST 8

/*
 * Read of one wake socket at a time: a peer may send without end, and the kernel keeps each
 * byte by itself. What is left wakes us again.
 */
#define SHM_WAKE_BYTES 64

/* Clients of one poll that ask for their connection. */
#define SHM_CONNECT_BURST 64

/* Descriptors of a link: its socket, a pidfd. And its two segments. */
#define SHM_LINK_FDS 2
#define SHM_LINK_MAPS 2
/* The least that a function may take, whatever RLIMIT_NOFILE says. */
#define SHM_MIN_FUNC_FDS 16

struct shm_ask;
struct shm_broker;
struct shm_consumer;
struct shm_dev;
struct shm_fast;
struct shm_link;
struct shm_peer_region;
struct shm_place;
struct shm_producer;
struct shm_qdoorbells;
struct shm_remote_consumer;
struct shm_region;
struct shm_thread;
struct shm_group;
struct shm_chan;
struct shm_msgq_rx;
struct shm_msgq_tx;

/* A shared segment of this process. */
struct shm_seg {
	void *map;
	uint32_t size;
	int fd; /* -1 once it was sent */
	uint32_t users; /* of a connection's: that one, and its fast path */
};

/* A segment of the peer, mapped read-only. */
struct shm_peer_seg {
	const void *map;
	uint32_t size;
	bool busy;
};

/* What the processes of one user can make this process hold, for each function. */
enum shm_limit {
	SHM_LIMIT_LINKS = 0, /* until all that they had is gone */
	SHM_LIMIT_FDS,
	SHM_LIMIT_MAPS,
	SHM_LIMIT_MEM,    /* bytes that we allocate, and those of regions that we map */
	SHM_LIMIT_EVENTS, /* under way to engines */
	SHM_LIMITS,
};

_Static_assert(SHM_LIMITS <= RTE_COMCH_PMD_USER_LIMITS, "telemetry shows all");

/* One user of one function. It stays until another user needs its place. */
struct shm_ledger {
	uint32_t uid;
	struct shm_broker *broker; /* of the device's thread while anything is in use; or NULL */
	uint64_t used[SHM_LIMITS]; /* atomic: it is taken under the lock, and given back without */
	uint64_t refused[SHM_LIMITS];
	uint32_t nb_rx_later; /* links that wait for events; the lock */
};

/* Who may attach, beside root and the own user, if there is anybody in it. */
struct shm_users {
	uint32_t nb;
	uid_t uids[SHM_MAX_UIDS];
};

/* A function: on the card's side one to listen for, on the host's our own. */
struct shm_func {
	char name[SHM_WIRE_FUNCTION_SIZE];
	enum rte_comch_func_type type;
	uint16_t pf;
	uint16_t number; /* of the VF or SF */
	uint16_t id;
	int fd; /* listens; -1 on the host */
	struct shm_users users; /* instead of those of the device */
	struct shm_place *place; /* of its socket, if that is in a folder */
	uint32_t nb_links;
	uint64_t log_until; /* TSC: lines up to now fill so much time; atomic */
	uint32_t nb_unlogged; /* since the last line; atomic */
	struct shm_ledger *ledgers[SHM_MAX_USERS]; /* the first ones, then NULL */
};

struct shm_trash;
typedef void (*shm_trash_free_t)(struct shm_trash *trash);

/* What nobody uses any more, see shm_trash.c. */
struct shm_trash {
	STAILQ_ENTRY(shm_trash) next;
	shm_trash_free_t free;
};

/* One of its own for each function there can be: its place on the emulated PCI buses. */
static inline uint32_t
shm_func_number(const struct shm_func *func)
{
	if (func->type == RTE_COMCH_FUNC_VF)
		return 2 + func->pf * SHM_MAX_VFS + func->number;
	if (func->type == RTE_COMCH_FUNC_SF) /* from the next bus on */
		return 256 + func->pf * SHM_MAX_SFS + func->number;
	return func->pf;
}

struct shm_dev {
	struct rte_comch_dev *dev;
	enum rte_comch_role role;
	pthread_mutex_t lock; /* guards all that follows but the mempool */

	char path[256];    /* rendezvous directory; empty for the user's own */
	int path_fd;       /* of it; or -1 */
	char space[64];    /* names where the ends meet; of sockets, if there is no path */
	uid_t unmapped;    /* what users without a number here look like */
	uid_t uid;         /* effective: of the sockets that listen, or at the last attempt */
	struct shm_users users;
	struct shm_func *funcs;
	uint16_t nb_funcs;
	uint32_t pci_domain; /* of the emulated addresses */
	uint32_t pci_bus;    /* the first of the functions */
	uint64_t limits[SHM_LIMITS]; /* of each user of each function */

	int epfd; /* all sockets of the device */
	TAILQ_HEAD(, shm_link) links;
	uint32_t nb_links;      /* those that are up */
	uint32_t nb_hellos;     /* those that are not yet, or have left; atomic */
	bool later;             /* tx_later or rx_later of a link; atomic */
	uint16_t nb_held;       /* card: functions whose names others hold */
	uint16_t listen_turn;   /* card: which of them is tried next */
	uint64_t next_listen;   /* card: TSC of that */
	uint64_t next_connect;  /* host: TSC of the next attempt */
	uint64_t due_until;     /* TSC: until then a message may come of a broker */
	int refusal;            /* host: what the last attempt was answered, or 0 */
	int connect_errno;      /* host: why the last attempt has found nobody, or 0 */
	uid_t server_uid;       /* host: of the other side at the last attempt */
	uint64_t next_meet_log; /* host: TSC, not before this */
	struct shm_group *groups[SHM_WIRE_MAX_GROUPS];
	uint32_t nb_groups; /* that are not freed */
	uint32_t nb_works;  /* events that the thread has */
	uint32_t socks_room; /* messages that this look at the sockets may still take */
	struct rte_mempool *events;
	bool relies; /* on membarrier() */
	bool failed; /* atomic */
	bool huge; /* regions of huge pages: allocate them, and take them of peers */
	bool strict; /* vm.overcommit_memory=2: a page that was taken out may not come back */
	struct shm_region *regions[SHM_WIRE_MAX_REGIONS]; /* that peers write to */
	TAILQ_HEAD(, shm_remote_consumer) dying; /* consumers of peers that producers still use */
	uint32_t nb_dying; /* atomic */
	struct shm_thread *thread; /* NULL before it is started */
	struct shm_broker *strangers; /* closes sockets of those who are not let in */
	uint32_t nb_drops; /* of these that wait for it; atomic */
	TAILQ_HEAD(, shm_broker) brokers_left; /* that are to end, and have not; of the thread */
	uint32_t nb_brokers_left; /* atomic */
	void (*look)(struct shm_dev *dev); /* NULL: the thread has nothing to look after */
	bool broker_all;   /* root and the own user have brokers, too */
};

static inline void
shm_dev_lock(struct shm_dev *dev)
{
	pthread_mutex_lock(&dev->lock); /* check-ok: waiters must sleep */
}

static inline bool
shm_dev_trylock(struct shm_dev *dev)
{
	return pthread_mutex_trylock(&dev->lock) == 0; /* check-ok: waiters must sleep */
}

static inline void
shm_dev_unlock(struct shm_dev *dev)
{
	pthread_mutex_unlock(&dev->lock); /* check-ok: waiters must sleep */
}

enum shm_link_state {
	SHM_LINK_HELLO = 0, /* waits for the peer's first message */
	SHM_LINK_UP,
	SHM_LINK_DEAD, /* off the device's list; groups are leaving it */
};

/* A message that waits for room in a socket. */
struct shm_txmsg {
	STAILQ_ENTRY(shm_txmsg) next;
	union shm_wire_msg msg;
	int fd;
};

/* One host process on one function. */
struct shm_link {
	TAILQ_ENTRY(shm_link) next;
	struct shm_trash trash;
	struct shm_dev *dev;
	struct shm_func *func;
	struct shm_ledger *ledger; /* all that this link holds is in there */
	enum shm_link_state state;
	int reason;    /* why it died */
	uint32_t refs; /* the device's list, each group, each event */
	int fd;
	int pidfd; /* -1 where the kernel has none */
	uint32_t pid;
	uint32_t uid;
	uint64_t deadline; /* HELLO, or left: TSC of the end of patience */
	bool left;         /* its process has ended, and its broker may have messages of it */
	uint64_t fds_over; /* TSC at which too many descriptors are too many; 0 if they are not */
	bool hung_up;      /* nothing comes but what is in the socket */
	bool brokered;     /* a broker is at the other end of it */
	uint32_t unread;   /* descriptors that this broker may not have read */

	struct shm_wire_link *own;
	const struct shm_wire_link *peer;
	uint32_t sock_seen; /* of the peer's sock_doorbell */
	uint32_t sock_got;  /* messages that have come, of those that it counts */

	struct shm_chan *chans[SHM_WIRE_MAX_CHANS];
	uint32_t next_chan; /* host: where to look for a free one */
	struct shm_glink *glinks[SHM_WIRE_MAX_GROUPS];
	int peer_wake[SHM_WIRE_MAX_GROUPS]; /* sockets; -1 if there is none */
	uint32_t peer_woken[SHM_WIRE_MAX_GROUPS]; /* armed word of the last wake-up */
	uint64_t doorbells_used[SHM_WIRE_DOORBELL_WORDS];
	uint8_t doorbell_group[SHM_WIRE_DOORBELL_WORDS]; /* owner of a word in use */

	/* doorbells of consumers, made with the first one of a group, and kept */
	struct shm_qdoorbells *qdoorbells[SHM_WIRE_MAX_GROUPS]; /* of our groups */
	uint32_t *qtoggles[SHM_WIRE_MAX_GROUPS]; /* toggles by us, of the peer's groups; atomic */

	struct shm_seg *segs; /* [SHM_WIRE_MAX_CHANS], ours; NULL before the first connection */
	uint32_t nb_segs;     /* of these that were ever used */
	struct shm_peer_seg *peer_segs;
	bool region_sent[SHM_WIRE_MAX_REGIONS]; /* ours that the peer knows */
	struct shm_peer_region *peer_regions[SHM_WIRE_MAX_REGIONS];
	uint32_t nb_rcs;       /* consumers of the peer */
	uint32_t nb_asked;     /* consumers of ours that it has to answer about; atomic */
	STAILQ_HEAD(, shm_txmsg) txq;
	uint32_t nb_txq;
	uint32_t nb_tx_fds; /* descriptors in txq */
	bool tx_full;  /* room is what txq waits for */
	bool tx_later; /* something else is: services try again */
	bool late;     /* what it has sent is taken before it is blamed */
	bool rx_later; /* no event is free: what came stays in the socket, and wakes nobody */
	uint64_t rx_told; /* TSC: if it is so until then, the log says it */
};

/* A doorbell word that a group looks at. */
struct shm_doorbell_word {
	const uint64_t *word; /* in the peer's link segment */
	uint64_t shadow;
	uint64_t mask; /* doorbells that are assigned */
	uint32_t index;
};

/* What one group has of one link; belongs to the group's thread. */
struct shm_glink {
	TAILQ_ENTRY(shm_glink) next;
	struct shm_group *group;
	struct shm_link *link;
	int wake_fd; /* readable when the peer rang while we slept */
	uint32_t nb_words;
	struct shm_doorbell_word words[SHM_WIRE_DOORBELL_WORDS];
	struct shm_chan *by_doorbell[SHM_WIRE_MAX_DOORBELLS];
	bool cut; /* its link is dead, and rings that end were cut */
	uint64_t looked; /* the last turn that looked for a late READY, and ... */
	bool silent;     /* ... whether nothing more had come */
	struct shm_qdoorbells *qdoorbells; /* to look at; NULL before a consumer was idle */
	TAILQ_HEAD(, shm_chan) chans;
};

/* A client that is STARTING. */
struct shm_connect {
	TAILQ_ENTRY(shm_connect) next; /* while it waits for a link */
	struct rte_comch_ctrl *ctrl;
	struct shm_chan *chan; /* NULL while it waits */
};

/* Poll group: what one progress engine needs of one device. */
struct shm_group {
	struct rte_comch_pgroup pg; /* first: the library's handle */
	struct shm_dev *dev;
	uint32_t index;
	uint32_t refs; /* the library, and each event; under the device's lock */
	bool closed;
	TAILQ_HEAD(, shm_glink) glinks;
	struct shm_chan **active; /* looked at in each poll */
	uint32_t nb_active;
	uint32_t max_active;
	uint32_t nb_chans; /* at most max_active: the data path never grows it */
	struct shm_chan **dirty; /* as large: what the poll under way publishes */
	uint32_t nb_dirty;
	bool polling;
	uint32_t nb_timed; /* connections that are HALF_OPEN or ENDING */
	uint64_t next_service; /* TSC */
	uint64_t turn_bytes; /* that it has made or mapped; see SHM_TURN_BYTES */
	TAILQ_HEAD(, shm_connect) waiting;
	uint32_t sleeps; /* counts, without 0: the armed word */
	struct rte_comch_pmd_event sync_ev;
	bool sync_posted; /* under the device's lock */
	struct shm_glink *leaving; /* of a dead link, on no list: connections of it are left */
	uint64_t *bounce; /* one message, for the receive callback */
	TAILQ_HEAD(, shm_consumer) consumers; /* attached and started */
	TAILQ_HEAD(, shm_producer) producers; /* attached and started */
	TAILQ_HEAD(, shm_msgq_rx) msgq_rxs; /* the same, of message queues */
	TAILQ_HEAD(, shm_msgq_tx) msgq_txs;
	TAILQ_HEAD(, shm_ask) asked; /* of its connections: the peer has to answer */
	TAILQ_HEAD(, shm_ask) unasked; /* the peer has enough to answer as it is */
	TAILQ_HEAD(, shm_consumer) closing; /* the peer's producers are busy with them */
	bool idle_wanted;    /* a consumer waits for a fence before it may become idle */
	uint32_t idle_fence; /* counts these fences */
	uint64_t next_idle;  /* TSC of the next one, if it is wanted */
};

enum shm_chan_state {
	SHM_CHAN_NEW = 0,    /* card: its CONNECT is on the way to its group */
	SHM_CHAN_CONNECTING, /* host: CONNECT sent */
	SHM_CHAN_HALF_OPEN,  /* card: ACCEPT sent */
	SHM_CHAN_UP,
	SHM_CHAN_ENDING, /* CLOSE sent; its group waits for how far the peer reads */
	SHM_CHAN_ZOMBIE, /* CLOSE sent; the answer frees it */
};

/* The driver's side of one connection. The first lines are the data path. */
struct shm_chan {
	struct rte_comch_conn *conn; /* NULL before ACCEPT and in zombies */
	struct shm_wire_chan *own;
	const struct shm_wire_chan *peer; /* ENDING: under the lock, NULL if released */
	/* transmit */
	uint32_t tx_size;
	uint32_t tx_off;   /* where the next record goes */
	uint32_t tx_pos;   /* our tail */
	uint32_t tx_acked; /* the peer's head, checked */
	uint32_t tx_done;  /* what the library was told of it */
	uint32_t tx_toggles; /* of the peer's doorbell, by us */
	uint32_t tx_msgs;
	/* receive */
	uint32_t rx_size;
	uint32_t rx_off;
	uint32_t rx_pos; /* our head */
	uint32_t rx_max; /* largest message */
	uint32_t rx_toggles; /* of our doorbell, seen */
	uint32_t rx_msgs;
	uint32_t idle;
	int32_t active; /* place in the group's array, -1 for none */
	bool broken; /* the peer's head was nonsense */
	bool dirty;  /* records wait for their publication */
	uint64_t *doorbell; /* the peer's doorbell word, in our link segment */
	uint64_t doorbell_mask;
	const uint32_t *peer_armed;

	/* set-up */
	enum shm_chan_state state; /* see shm_chan_is() */
	bool peer_closed; /* under the lock: CLOSE, CLOSED or REFUSE came */
	bool refused;     /* under the lock: it was REFUSE */
	bool lost;        /* under the lock: its end was posted */
	bool dropped;     /* under the lock: the table has it no more */
	bool map_taken;   /* under the lock: a place for the peer's segment, in the ledger */
	uint32_t refs;    /* the table, and each event; under the lock */
	uint32_t max_rx_size; /* of the peer's ring; under the lock */
	uint32_t nb_posted; /* events that no engine has seen; the lock */
	uint32_t id;
	uint32_t peer_group;
	int32_t rx_doorbell; /* index, -1 for none */
	int32_t seg;      /* index, -1 for none */
	int32_t peer_seg; /* index, -1 for none */
	uint64_t deadline; /* HALF_OPEN, ENDING; UP: for the peer to say where it cuts; or 0 */
	uint64_t give_up;  /* ENDING */
	bool draining;     /* UP: the peer has closed, or is dead, and ... */
	uint32_t rx_end;   /* ... its ring is read up to here */
	uint32_t last_taken; /* ENDING, under the lock: what the peer's last word said */
	struct rte_comch_pmd_ending *ending; /* ENDING */
	struct shm_link *link;
	struct shm_glink *glink;
	struct shm_group *group; /* of the server, and then its own; the lock */
	struct shm_connect *connect;
	struct shm_wire_rx peer_rx;
	struct shm_fast *fast; /* NULL before there is a consumer or a producer */
	TAILQ_ENTRY(shm_chan) next; /* of its glink */
};

/*
 * The engine's thread sets the states before ENDING without the lock, and the others with
 * it. Who dispatches for a link has the lock, in any thread, and looks for these only.
 */
static inline void
shm_chan_state_set(struct shm_chan *chan, enum shm_chan_state state)
{
	__atomic_store_n(&chan->state, state, __ATOMIC_RELAXED);
}

static inline bool
shm_chan_is(const struct shm_chan *chan, enum shm_chan_state state)
{
	return __atomic_load_n(&chan->state, __ATOMIC_RELAXED) == state;
}

/* Whether an engine may make or map as much in this turn. */
static inline bool
shm_turn_takes(struct shm_group *group, uint64_t bytes)
{
	group->turn_bytes += RTE_MAX(bytes, (uint64_t)SHM_PIECE_BYTES);
	return group->turn_bytes <= SHM_TURN_BYTES;
}

/* A message of a socket on its way to the group it concerns. */
struct shm_event {
	struct rte_comch_pmd_event base;
	struct shm_group *group;
	struct shm_chan *chan;
	uint32_t weight; /* of SHM_LIMIT_EVENTS */
	int fd; /* -1, or the segment */
	struct shm_peer_region *region; /* of CONSUMER: what it named when it came; or NULL */
	struct shm_remote_consumer *rc; /* of CONSUMER: while it is made */
	struct shm_seg *seg;            /* of CONNECT: where it is made; a user of that */
	uint64_t seg_size;
	int (*work)(struct shm_event *ev); /* to be done in the thread, before it comes again */
	int ret;                           /* of that */
	struct shm_trash trash;            /* for that */
	union shm_wire_msg msg;
};

/* shm_mem.c: segments */
void shm_populate(void *map, uint64_t size);
int shm_seg_create(struct shm_seg *seg, uint32_t hdr_size, uint32_t size);
void shm_seg_free(struct shm_seg *seg);
/* How files of a peer's memory are told from other files. */
enum shm_peer_pages { SHM_PEER_BAD = 0, SHM_PEER_SMALL, SHM_PEER_HUGE };
enum shm_peer_pages shm_peer_fd_check(int fd, uint64_t size, uint32_t seals);
int shm_peer_fd_map(int fd, uint64_t size, int prot, int flags, void **map);
const void *shm_peer_map(int fd, uint32_t hdr_size, uint32_t size, int *ret);
void shm_peer_unmap(const void *map, uint32_t size);
/* Linux passes no more with one message. */
#define SHM_SCM_MAX_FDS 253
/* What came with a message. */
struct shm_sock_got {
	int fds[SHM_SCM_MAX_FDS]; /* they are the caller's */
	uint32_t nb_fds;
	int flags; /* MSG_TRUNC, MSG_CTRUNC */
};
ssize_t shm_sock_recv(int sock, void *buf, size_t size, struct shm_sock_got *got);
int shm_sock_send(int sock, const void *buf, size_t size, const int *fds, uint32_t nb_fds);

/* shm_exec.c: processes that this one starts */

/* What a process is made of. */
struct shm_launch {
	int exe;            /* the program's file */
	int sock;           /* the program's end: it has no other descriptor */
	const char *name;   /* its first argument */
	const char *runner; /* executes the program, or NULL */
	const char *program;
	uint32_t max_fds;
	bool confined;
	/* as the child found it */
	int error; /* negative errno, or 0 */
	const char *what;
};

/* The process does not outlive the calling thread. Sets pidfd. */
int shm_exec(struct shm_launch *launch, pid_t *pid, int *pidfd);

/* shm_trash.c: what takes long to give back */
int shm_trash_start(struct shm_dev *dev);
void shm_trash_stop(struct shm_dev *dev);
bool shm_thread_is_here(const struct shm_dev *dev);
void shm_trash_put(struct shm_dev *dev, struct shm_trash *trash, shm_trash_free_t free_fn);
void shm_fd_drop(struct shm_dev *dev, struct shm_ledger *ledger, int fd);
void shm_fd_drain(struct shm_dev *dev, struct shm_ledger *ledger, int fd);

/* shm_broker.c: processes that receive what other users send */
bool shm_broker_wanted(const struct shm_dev *dev, uid_t uid);
int shm_broker_give(struct shm_dev *dev, struct shm_ledger *ledger, int fd);
void shm_broker_drop(struct shm_dev *dev, int fd);
bool shm_broker_busy(const struct shm_dev *dev);
void shm_broker_end(struct shm_dev *dev, struct shm_broker *broker);
void shm_brokers_free(struct shm_dev *dev);

/* shm_sock.c: messages of sockets; the device's lock is held in all of them */
int shm_link_send(struct shm_link *link, union shm_wire_msg *msg, uint16_t type,
		uint16_t len, uint32_t chan, int fd);
void shm_txmsg_free(struct shm_link *link, struct shm_txmsg *tx);
void shm_link_flush(struct shm_link *link);
void shm_link_rx(struct shm_link *link);
bool shm_link_rx_late(struct shm_link *link);
void shm_links_rx_again(struct shm_dev *dev, struct shm_ledger *ledger);
void shm_links_later(struct shm_dev *dev);
void shm_event_drop(struct shm_link *link, struct shm_event *ev);

/* shm_link.c: links; the device's lock is held in all of them */
int shm_listen(struct shm_dev *dev, struct shm_func *func);
void shm_listen_end(struct shm_dev *dev, struct shm_func *func);
void shm_host_connect(struct shm_dev *dev, uint64_t now);
void shm_service_locked(struct shm_dev *dev, uint64_t now);
void shm_link_msg(struct shm_link *link, struct shm_event *ev);
void shm_link_kill(struct shm_link *link, int reason);
void shm_link_put(struct shm_link *link);
void shm_link_violation(struct shm_link *link, const char *what, uint64_t a, uint64_t b);
void shm_link_late(struct shm_link *link, const char *what);
bool shm_group_sync_post(struct shm_group *group);
void shm_groups_sync(struct shm_dev *dev);

/* shm_barrier.c: the log; also of threads without the lock */
bool shm_peer_logs(const struct shm_dev *dev, struct shm_func *func, uint32_t level);

/* shm_ledger.c: what a user may take; the device's lock is held to find and to take */
uint64_t shm_kernel_number(const char *path, uint64_t without);
void shm_ledger_limits_init(struct shm_dev *dev);
struct shm_ledger *shm_ledger_find(struct shm_func *func, uint32_t uid, struct shm_broker **left,
		int *error);
void shm_ledgers_free(struct shm_func *func);
bool shm_ledger_has(const struct shm_dev *dev, const struct shm_ledger *ledger,
		enum shm_limit limit, uint64_t nb);
int shm_ledger_take(const struct shm_dev *dev, struct shm_func *func,
		struct shm_ledger *ledger, enum shm_limit limit, uint64_t nb);
bool shm_ledger_fds_over(const struct shm_dev *dev, const struct shm_ledger *ledger);
void shm_ledger_add(struct shm_ledger *ledger, enum shm_limit limit, uint64_t nb);
void shm_ledger_give(struct shm_ledger *ledger, enum shm_limit limit, uint64_t nb);
int shm_link_take(struct shm_link *link, enum shm_limit limit, uint64_t nb);
void shm_link_give(struct shm_link *link, enum shm_limit limit, uint64_t nb);
int shm_link_take_mem(struct shm_link *link, uint32_t nb_maps, uint64_t bytes);
void shm_ledger_give_mem(struct shm_ledger *ledger, uint32_t nb_maps, uint64_t bytes);
int shm_user_get(struct rte_comch_dev *dev, uint32_t nr, struct rte_comch_pmd_user *user);

/* shm_place.c: sockets of path= */
void shm_place_addr(const struct shm_dev *dev, const char *function, const char *suffix,
		struct sockaddr_un *addr);
int shm_place_listen(const struct shm_dev *dev, struct shm_func *func);
void shm_place_leave(struct shm_func *func);

/* shm_meet.c: where the sides meet, and what is wrong if they do not */
void shm_meet_user(struct shm_dev *dev);
void shm_meet_dir(struct shm_dev *dev, const struct stat *st);
socklen_t shm_meet_addr(const struct shm_dev *dev, const struct shm_func *func,
		struct sockaddr_un *addr);
const struct shm_users *shm_meet_users(const struct shm_dev *dev, const struct shm_func *func);
bool shm_meet_allows(const struct shm_dev *dev, const struct shm_func *func,
		const struct ucred *cred);
void shm_meet_refused(const struct shm_dev *dev, struct shm_func *func,
		const struct ucred *cred);
void shm_meet_left(const struct shm_link *link);
void shm_meet_failed(struct shm_dev *dev, int reason);

/* shm_dispatch.c: connections in their table; the device's lock is held */
void shm_chan_dispatch(struct shm_link *link, struct shm_event *ev);
struct shm_chan *shm_chan_alloc_locked(struct shm_link *link, uint32_t id,
		struct shm_group *group, enum shm_chan_state state);
bool shm_chan_end_locked(struct shm_chan *chan, int reason);
void shm_chan_close_locked(struct shm_chan *chan, int reason);
void shm_chan_drop_locked(struct shm_chan *chan);
void shm_chan_put_locked(struct shm_chan *chan);
void shm_group_put_locked(struct shm_group *group);
void shm_event_done_locked(struct shm_event *ev);
void shm_event_init(struct shm_event *ev, int fd);
void shm_event_again_locked(struct shm_event *ev);
void shm_event_work(struct shm_event *ev);
void shm_zombies_drop_locked(struct shm_link *link);
void shm_chan_broken_locked(struct shm_chan *chan, int reason);
void shm_send_reason(struct shm_link *link, uint32_t id, uint16_t type, int reason);
void shm_send_last(struct shm_chan *chan, uint16_t type, int reason);

/* What a peer did wrong, and the values that say so. */
struct shm_wrong {
	const char *what;
	uint64_t a, b;
};

/* shm_segs.c: segments of a link; the device's lock is held */
uint64_t shm_ring_size(uint32_t queue_size, uint32_t msg_size);
void shm_chan_max_rx_set(struct shm_chan *chan, uint32_t queue_size, uint32_t msg_size);
int shm_own_seg_get(struct shm_chan *chan, uint64_t size, struct shm_event *ev,
		struct shm_wire_tx *tx, int *fd);
bool shm_own_seg_undone(struct shm_event *ev);
int shm_peer_seg_map(struct shm_chan *chan, const struct shm_wire_tx *tx, int fd,
		struct shm_wrong *wrong);
int shm_peer_seg_take(struct shm_chan *chan, const struct shm_wire_tx *tx);
void shm_segs_free(struct shm_link *link);
void shm_seg_refused(const struct shm_link *link, int ret);
void shm_seg_no_room(struct shm_link *link, int ret);

/* shm_connect.c: clients that are STARTING */
int shm_connect_start(struct rte_comch_ctrl *ctrl);
int shm_connect_cancel(struct rte_comch_ctrl *ctrl, int reason,
		struct rte_comch_pmd_ending *ending);
int shm_connect_waiting(struct shm_group *group);
void shm_connect_fail(struct shm_connect *connect, int reason);
void shm_connect_free(struct shm_connect *connect);

/* shm_chan.c: connections set up and taken down */
void shm_chan_event_handler(struct rte_comch_pmd_event *base);
int shm_chan_join(struct shm_chan *chan);
void shm_chan_close(struct shm_chan *chan, int reason);
void shm_chan_lost(struct shm_chan *chan);
bool shm_glink_down(struct shm_glink *glink);
int shm_conf_check(const struct rte_comch_ctrl *ctrl);
void shm_chans_expire(struct shm_group *group, uint64_t now);
void shm_asked_expire(struct shm_group *group, uint64_t now);
int shm_conn_close(struct rte_comch_conn *conn, int reason,
		struct rte_comch_pmd_ending *ending);

/* shm_group.c: poll groups */
int shm_group_create(struct rte_comch_dev *dev, struct rte_comch_pe *pe,
		struct rte_comch_pgroup **pg);
int shm_group_destroy(struct rte_comch_pgroup *pg, struct rte_comch_pmd_ending *ending);
int shm_group_join_locked(struct shm_group *group, struct shm_link *link);

/* shm_poll.c: one turn of a group, and the data path */
int shm_group_poll(struct rte_comch_pgroup *pg, uint64_t now);
bool shm_group_arm(struct rte_comch_pgroup *pg);
void shm_group_disarm(struct rte_comch_pgroup *pg);
int shm_chan_doorbell_add(struct shm_chan *chan);
void shm_chan_doorbell_del(struct shm_chan *chan);
void shm_chan_activate(struct shm_chan *chan);
void shm_chan_deactivate(struct shm_chan *chan);
void shm_chan_undirty(struct shm_chan *chan);
int shm_chan_drain(struct shm_chan *chan);
int shm_chan_tx_last(struct shm_chan *chan);
uint32_t shm_chan_acked(struct shm_chan *chan);
uint32_t shm_chan_taken(struct shm_chan *chan);
uint32_t shm_chan_taken_last(struct shm_chan *chan);
int shm_conn_send(struct rte_comch_conn *conn, const void *data, uint32_t len, bool more,
		uint32_t *seq);
void shm_link_wake(struct shm_link *link, uint32_t group, uint32_t armed);
void shm_link_wake_locked(struct shm_link *link, uint32_t group, uint32_t armed);
uint32_t shm_conn_rx_count(const struct rte_comch_conn *conn);
void shm_conn_rx_resume(struct rte_comch_conn *conn);

#endif /* COMCH_SHM_H */
