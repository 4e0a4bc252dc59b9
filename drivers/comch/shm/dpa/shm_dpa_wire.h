/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_DPA_WIRE_H
#define SHM_DPA_WIRE_H

/*
 * What the host and the process of a program of the offload processor have to agree on:
 * addresses, the headers of the segments, the messages of the control socket. The layout
 * of queues is in shm_msgq_wire.h, that of an entry in shm_entry.h. Freestanding C11, as the
 * runtime of programs includes it: no EAL, no libc.
 *
 * Three segments, each a sealed memfd that only grows, whose pages are there when they are
 * allocated:
 *
 *   HOST  written by the host, mapped read-only by the program
 *   PROG  written by the program, mapped read-only by the host
 *   HEAP  written by both; the host only copies
 *
 * The host checks every word of PROG and of the socket: it is loaded once into a local. It
 * believes none of HEAP. The program believes HOST, for who writes HOST owns the program.
 *
 * Addresses in the program are fixed, and below 2^38, which riscv64 with Sv39 has. Fields
 * are little-endian and of a fixed width; writers that are two are 128 bytes apart.
 *
 * The control socket is a SOCK_SEQPACKET pair; the program's end is its descriptor 3. The
 * host sends struct shm_dpa_msg, with a descriptor where the type says so. The program
 * answers each with a seq that is not 0 by a struct shm_dpa_answer of the same seq.
 */

#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "shared layouts are little-endian and so must be the machine"
#endif

#define SHM_DPA_MAGIC 0x41504443u /* "CDPA" */
/*
 * Of all that is in here, in shm_msgq_wire.h and in shm_entry.h: a program has it in its file
 * and in PROG, and one of another version is not started. Whoever changes a layout, the
 * number of a message, or what either means, changes it.
 */
#define SHM_DPA_VERSION 5u

/* Where the segments are in the program. */
#define SHM_DPA_HOST_ADDR UINT64_C(0x1000000000)
#define SHM_DPA_PROG_ADDR UINT64_C(0x1100000000)
#define SHM_DPA_HEAP_ADDR UINT64_C(0x1200000000)
#define SHM_DPA_BLOCK_ADDR UINT64_C(0x1300000000) /* stacks of the program, private */
#define SHM_DPA_WINDOW_ADDR UINT64_C(0x1400000000)
#define SHM_DPA_WINDOW_END UINT64_C(0x3f00000000)
#define SHM_DPA_HOST_SIZE UINT64_C(0x40000000)
#define SHM_DPA_PROG_SIZE UINT64_C(0x40000000)
#define SHM_DPA_HEAP_MAX UINT64_C(0x40000000)

/* What is allocated in HOST and PROG is a multiple of it, and so are its addresses. */
#define SHM_DPA_GRAIN 4096u
/* The same of windows: a huge page; of larger ones it is their size. */
#define SHM_DPA_WINDOW_ALIGN UINT64_C(0x200000)

#define SHM_DPA_MAX_EUS 64u
/* The thread of calls: no execution unit, but the same in all arrays. */
#define SHM_DPA_RPC_EU SHM_DPA_MAX_EUS
#define SHM_DPA_NB_UNITS (SHM_DPA_MAX_EUS + 1)
#define SHM_DPA_NO_EU UINT32_MAX
#define SHM_DPA_NAME_SIZE 32
#define SHM_DPA_MAX_FUNCS 256u
#define SHM_DPA_MAX_WINDOWS 256u
#define SHM_DPA_MAX_GROUPS 32u
#define SHM_DPA_MAX_ARGS 6
/* The program's end of the control socket. */
#define SHM_DPA_SOCK 3
#define SHM_DPA_LOG_SIZE 192

/* Per execution unit, by the host. */
struct shm_dpa_host_eu {
	uint32_t wake;      /* counts reasons to look; the unit sleeps on it */
	uint32_t runs;      /* counts runs that were asked for */
	uint32_t epoch;     /* counts changes of the thread; after func and arg */
	uint32_t func;      /* index in PROG, or SHM_DPA_NO_FUNC */
	uint64_t arg;
	uint64_t completions; /* address of the list that it looks at, or 0; of queues */
	uint8_t pad[96];
};

#define SHM_DPA_NO_FUNC UINT32_MAX

/* Per poll group of the host: it sleeps, and is to be woken by its eventfd. */
struct shm_dpa_host_group {
	uint32_t armed; /* see shm_entry.h */
	uint8_t pad[124];
};

/* A region that the program reaches; valid while flags are not 0. */
struct shm_dpa_window {
	uint64_t addr; /* in the program */
	uint64_t base; /* in the host: what programs call it by */
	uint64_t len;
	uint32_t flags; /* SHM_DPA_WINDOW_*; written last */
	uint32_t pad;
};

#define SHM_DPA_WINDOW_READ 1u
#define SHM_DPA_WINDOW_WRITE 2u

/* The first bytes of HOST. Handles of windows are indexes + 1. */
struct shm_dpa_host {
	uint32_t magic;
	uint32_t version;
	uint32_t nb_eus;
	uint32_t flags; /* SHM_DPA_HOST_F_* */
	uint64_t heap_size;
	uint8_t pad[104];
	struct shm_dpa_host_eu eus[SHM_DPA_NB_UNITS];
	struct shm_dpa_host_group groups[SHM_DPA_MAX_GROUPS];
	struct shm_dpa_window windows[SHM_DPA_MAX_WINDOWS];
};

/* The host has no membarrier(): see `whole` in shm_entry.h. */
#define SHM_DPA_HOST_F_WHOLE 1u

/* The last mistake of a device function. It is nowhere between two looks at nb. */
struct shm_dpa_error {
	uint64_t nb;   /* counts them */
	int32_t error; /* negative errno */
	uint32_t pad;
	char func[SHM_DPA_NAME_SIZE];
	uint64_t args[3];
	uint8_t pad2[24];
};

/* Per execution unit, by the program. */
struct shm_dpa_prog_eu {
	uint32_t epoch;  /* of the thread that it has now */
	uint32_t busy;   /* 1 while its function runs */
	uint32_t parked; /* 1 while it sleeps, or is about to */
	uint32_t pad;
	uint64_t runs;   /* counts returns */
	/* a batch of messages that waits for a flush; of queues, the program's alone */
	uint64_t batch_prod; /* producer, 0 if there is none */
	uint64_t batch_sink; /* consumer */
	uint32_t batch_pos;
	uint32_t batch_nb;
	uint32_t batch_len;
	uint32_t batch_id; /* of the consumer */
	uint64_t looks; /* odd inside of a device function; of queues, B */
	/* where the batch goes on; of queues, the program's alone */
	uint64_t batch_to;       /* the next message */
	uint64_t batch_entry;    /* where it is looked up whether there is still batch_sink */
	uint64_t batch_prod_serial; /* of batch_prod, whose address another one may get */
	uint64_t batch_sink_serial; /* of batch_sink, likewise */
	uint32_t batch_left;  /* messages that fit, 0 unless some wait */
	uint32_t batch_flags; /* each has those of them that count as given */
	uint32_t batch_from;  /* identifier of the producer */
	uint8_t pad2[20];
	struct shm_dpa_error error;
	uint8_t pad3[32];
};

enum shm_dpa_func_kind {
	SHM_DPA_FUNC_NONE = 0,
	SHM_DPA_FUNC_THREAD,
	SHM_DPA_FUNC_RPC,
};

/* A function of the program. */
struct shm_dpa_func {
	char name[SHM_DPA_NAME_SIZE]; /* ends with 0 */
	uint32_t kind;
	uint8_t pad[28];
};

enum shm_dpa_fault_kind {
	SHM_DPA_FAULT_NONE = 0,
	SHM_DPA_FAULT_SIGNAL, /* value: the address */
	SHM_DPA_FAULT_CALL,   /* value: number of the system call */
};

/* Why the program ended, by itself. */
struct shm_dpa_fault {
	uint32_t kind; /* written last, once */
	uint32_t eu;   /* or SHM_DPA_RPC_EU, or SHM_DPA_NO_EU */
	uint32_t signal;
	uint32_t pad;
	uint64_t value;
	uint64_t pc;
	uint8_t pad2[96];
};

/* The first bytes of PROG. */
struct shm_dpa_prog {
	uint32_t magic;
	uint32_t version;
	uint32_t flags; /* SHM_DPA_PROG_F_* */
	uint32_t nb_funcs;
	uint8_t pad[112];
	struct shm_dpa_fault fault;
	struct shm_dpa_prog_eu eus[SHM_DPA_NB_UNITS];
	struct shm_dpa_func funcs[SHM_DPA_MAX_FUNCS];
};

/* One of the two sides has no membarrier(): both need whole fences. */
#define SHM_DPA_PROG_F_WHOLE 1u

/* Bytes of the headers; what is allocated comes behind. */
#define SHM_DPA_HOST_HDR 32768u
#define SHM_DPA_PROG_HDR 65536u

/* Types of messages to the program, with their values and descriptors. */
enum shm_dpa_msg_type {
	SHM_DPA_MSG_HOST = 1, /* bytes; HOST */
	SHM_DPA_MSG_PROG,     /* bytes; PROG */
	SHM_DPA_MSG_HEAP,     /* bytes; HEAP */
	SHM_DPA_MSG_START,    /* - ; answered when its functions are in PROG */
	SHM_DPA_MSG_UNIT,     /* unit, once for each; answered when its thread waits */
	SHM_DPA_MSG_WINDOW,   /* address, bytes, whether to write; region */
	SHM_DPA_MSG_UNWINDOW, /* address, bytes */
	SHM_DPA_MSG_GROUP,    /* index; eventfd, which is written to at once, and kept */
	SHM_DPA_MSG_RPC,      /* function, number of arguments, arguments */
	SHM_DPA_MSG_STOP,     /* - ; the program ends */
};

struct shm_dpa_msg {
	uint32_t type;
	uint32_t seq; /* 0: no answer */
	uint64_t values[8];
};

struct shm_dpa_answer {
	uint32_t seq;
	int32_t ret; /* 0 or negative errno */
	uint64_t value;
};

/* The program may send it at any time: a line for the log of the host. */
struct shm_dpa_line {
	uint32_t seq; /* 0: no answer */
	uint32_t eu;
	char text[SHM_DPA_LOG_SIZE]; /* to its end, or to a 0 */
};

/* In a note of the program's file, by which it is known to be one. */
#define SHM_DPA_NOTE_NAME "dpdk-comch"
#define SHM_DPA_NOTE_TYPE 0x445041u

_Static_assert(sizeof(struct shm_dpa_host_eu) == 128, "host eu");
_Static_assert(offsetof(struct shm_dpa_host_eu, arg) == 16, "arg");
_Static_assert(offsetof(struct shm_dpa_host_eu, completions) == 24, "completions");
_Static_assert(sizeof(struct shm_dpa_host_group) == 128, "host group");
_Static_assert(sizeof(struct shm_dpa_window) == 32, "window");
_Static_assert(offsetof(struct shm_dpa_host, heap_size) == 16, "heap_size");
_Static_assert(offsetof(struct shm_dpa_host, eus) == 128, "host eus");
_Static_assert(offsetof(struct shm_dpa_host, groups) == 8448, "groups");
_Static_assert(offsetof(struct shm_dpa_host, windows) == 12544, "windows");
_Static_assert(sizeof(struct shm_dpa_host) <= SHM_DPA_HOST_HDR, "host header");
_Static_assert(sizeof(struct shm_dpa_error) == 96, "error");
_Static_assert(offsetof(struct shm_dpa_error, args) == 48, "error args");
_Static_assert(sizeof(struct shm_dpa_prog_eu) == 256, "prog eu");
_Static_assert(offsetof(struct shm_dpa_prog_eu, runs) == 16, "runs");
_Static_assert(offsetof(struct shm_dpa_prog_eu, error) == 128, "prog error");
_Static_assert(sizeof(struct shm_dpa_func) == 64, "func");
_Static_assert(sizeof(struct shm_dpa_fault) == 128, "fault");
_Static_assert(offsetof(struct shm_dpa_prog, fault) == 128, "prog fault");
_Static_assert(offsetof(struct shm_dpa_prog, eus) == 256, "prog eus");
_Static_assert(offsetof(struct shm_dpa_prog, funcs) == 16896, "funcs");
_Static_assert(sizeof(struct shm_dpa_prog) <= SHM_DPA_PROG_HDR, "prog header");
_Static_assert(sizeof(struct shm_dpa_msg) == 72, "msg");
_Static_assert(SHM_DPA_MSG_RPC == 9 && SHM_DPA_MSG_STOP == 10 && SHM_DPA_VERSION == 5,
	"messages of this version");
_Static_assert(sizeof(struct shm_dpa_answer) == 16, "answer");
_Static_assert(sizeof(struct shm_dpa_line) == 200, "line");

#endif /* SHM_DPA_WIRE_H */
