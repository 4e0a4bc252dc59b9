/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A program for the offload processor without its runtime: it is linked, as the host looks
 * for its note, but does not run. So nothing narrows what the program may do but the host,
 * and it answers as it likes. One thread, which does what test_shm_dpa_hostile.c asks by
 * calls. Freestanding.
 */

#include <linux/mman.h>
#include <linux/sched.h>

#include <rte_comch_dpa_dev.h>

#include "comch_dpa_arch.h"
#include "test_dpa_hostile.h"

#define HOSTILE_STACK 65536
#define HOSTILE_ENOMEM 12
#define HOSTILE_EBUSY 16
#define HOSTILE_MSG_PEEK 2
/* Where it has what it keeps, and the pages with tables of their own; as far apart. */
#define HOSTILE_OTHER 0x3000000000ul
#define HOSTILE_PAGES 0x3100000000ul
#define HOSTILE_STEP (2ul << 20)
#define HOSTILE_PAUSE_NS 20000000

struct hostile_msghdr {
	void *name;
	uint64_t name_len;
	const void *iov;
	uint64_t nb_iov;
	void *control;
	uint64_t control_len;
	uint64_t flags;
};

static uint8_t stack[HOSTILE_STACK] __attribute__((aligned(64))); /* check-ok: freestanding */
static uint64_t refuses; /* what is asked of it, but for calls */
static uint64_t keeps;   /* HOSTILE_KEEP_* */

static void
answer(const struct shm_dpa_msg *msg, int32_t ret, uint64_t value)
{
	const struct shm_dpa_answer out = { .seq = msg->seq, .ret = ret, .value = value };

	if (msg->seq != 0)
		rt_call(__NR_sendto, SHM_DPA_SOCK, (long)&out, sizeof(out), 0, 0, 0);
}

static int32_t
map(uint64_t addr, uint64_t len, uint64_t write, int32_t fd)
{
	long ret = rt_call(__NR_mmap, (long)addr, (long)len, write != 0 ? 3 : 1,
			MAP_SHARED | MAP_FIXED, fd, 0);

	return ret == (long)addr ? 0 : (int32_t)ret;
}

static void
func_add(struct shm_dpa_prog *prog, uint32_t func, const char *name)
{
	uint32_t i;

	for (i = 0; name[i] != '\0'; i++)
		prog->funcs[func].name[i] = name[i];
	prog->funcs[func].kind = SHM_DPA_FUNC_RPC;
}

static int32_t
start(void)
{
	struct shm_dpa_prog *prog = SHM_DPA_PROG_SEG;
	const uint32_t nb_eus = SHM_DPA_HOST_SEG->nb_eus;

	func_add(prog, HOSTILE_CALL, "call");
	func_add(prog, HOSTILE_REFUSE, "refuse");
	func_add(prog, HOSTILE_SEND, "send");
	func_add(prog, HOSTILE_POKE, "poke");
	func_add(prog, HOSTILE_THREADS, "threads");
	func_add(prog, HOSTILE_KEEP, "keep");
	func_add(prog, HOSTILE_SCATTER, "scatter");
	func_add(prog, HOSTILE_PEEK, "peek");
	func_add(prog, HOSTILE_CLOSE, "close");
	prog->nb_funcs = nb_eus == HOSTILE_START_MORE_FUNCS ? SHM_DPA_MAX_FUNCS + 1 :
		HOSTILE_NB_FUNCS;
	prog->version = SHM_DPA_VERSION + (nb_eus == HOSTILE_START_OTHER_VERSION ? 1 : 0);
	__atomic_store_n(&prog->magic, nb_eus == HOSTILE_START_NO_MAGIC ? 0 : SHM_DPA_MAGIC,
		__ATOMIC_RELEASE);
	return nb_eus == HOSTILE_START_REFUSES ? -HOSTILE_EBUSY : 0;
}

/* Messages of any length, as fast as the host takes them. */
static uint64_t
flood(uint64_t nb, uint64_t len)
{
	while (nb-- > 0)
		rt_call(__NR_sendto, SHM_DPA_SOCK, (long)stack, (long)len, 0, 0, 0);
	return 0;
}

/* All on one stack, which none of them uses. */
static void
thread_main(void)
{
	static uint32_t word;

	for (;;)
		rt_call(__NR_futex, (long)&word, 0 /* FUTEX_WAIT */, 0, 0, 0, 0);
}

static uint64_t
threads(uint64_t nb)
{
	static uint8_t other[4096] __attribute__((aligned(64))); /* check-ok: freestanding */
	const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		CLONE_SYSVSEM;
	uint64_t made = 0;

	while (made < nb && rt_clone(flags, (uintptr_t)&other[2048], thread_main) > 0)
		made++;
	return made;
}

/* Pages with a table each, as long as it gets them. */
static uint64_t
scatter(uint64_t nb)
{
	const long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	uint64_t addr = HOSTILE_PAGES, i;

	for (i = 0; i < nb; i++, addr += HOSTILE_STEP) {
		if (rt_call(__NR_mmap, (long)addr, 4096, 3, flags, -1, 0) != (long)addr)
			break;
		*(volatile uint8_t *)addr = 1;
	}
	return i;
}

static void
pause_ns(long ns)
{
	const long timeout[2] = { 0, ns };
	uint32_t word = 0;

	rt_call(__NR_futex, (long)&word, 0 /* FUTEX_WAIT */, 0, (long)timeout, 0, 0);
}

static uint64_t
deed(uint64_t func, const uint64_t *args)
{
	switch (func) {
	case HOSTILE_CALL:
		return (uint64_t)rt_call((long)args[0], (long)args[1], (long)args[2],
				(long)args[3], (long)args[4], (long)args[5], 0);
	case HOSTILE_REFUSE:
		refuses = args[0];
		return 0;
	case HOSTILE_THREADS:
		return threads(args[0]);
	case HOSTILE_KEEP:
		keeps = args[0];
		return 0;
	case HOSTILE_SCATTER:
		return scatter(args[0]);
	case HOSTILE_PEEK:
		return *(const volatile uint64_t *)(uintptr_t)args[0];
	case HOSTILE_CLOSE:
		rt_call(__NR_close, SHM_DPA_SOCK, 0, 0, 0, 0, 0);
		for (;;)
			pause_ns(HOSTILE_PAUSE_NS);
	case HOSTILE_POKE:
		*(volatile uint64_t *)(uintptr_t)args[0] = args[1];
		return 0;
	default:
		return flood(args[0], args[1]);
	}
}

static int32_t
window(const uint64_t *v, int32_t fd)
{
	int32_t ret = 0;

	if ((keeps & HOSTILE_KEEP_NONE) == 0)
		ret = map(v[0], v[1], v[2], fd);
	if ((keeps & HOSTILE_KEEP_SECOND) != 0)
		map(HOSTILE_OTHER, v[1], v[2], fd);
	if ((keeps & HOSTILE_KEEP_RIGHTS) != 0)
		map(SHM_DPA_HOST_SEG->windows[0].addr, v[1], v[2], fd);
	if ((keeps & HOSTILE_KEEP_FD) == 0)
		rt_call(__NR_close, fd, 0, 0, 0, 0, 0);
	return (keeps & (HOSTILE_KEEP_REFUSED | HOSTILE_KEEP_NONE)) != 0 ? -HOSTILE_ENOMEM : ret;
}

static int32_t
window_end(const uint64_t *v)
{
	if ((keeps & HOSTILE_KEEP_MOVED) != 0)
		rt_call(__NR_mremap, (long)v[0], (long)v[1], (long)v[1], 3, HOSTILE_OTHER, 0);
	else if ((keeps & HOSTILE_KEEP_MAP) == 0)
		rt_call(__NR_munmap, (long)v[0], (long)v[1], 0, 0, 0, 0);
	return 0;
}

/*
 * A window lies in the socket, unread, with its descriptor. It says yes to it, and then to its
 * end, of which the host's table tells.
 */
static void
unread(struct shm_dpa_msg *msg)
{
	const uint32_t *flags = &SHM_DPA_HOST_SEG->windows[0].flags;

	answer(msg, 0, 0);
	while (__atomic_load_n(flags, __ATOMIC_ACQUIRE) == 0)
		pause_ns(HOSTILE_PAUSE_NS);
	while (__atomic_load_n(flags, __ATOMIC_ACQUIRE) != 0)
		pause_ns(HOSTILE_PAUSE_NS);
	pause_ns(HOSTILE_PAUSE_NS);
	msg->seq++;
	answer(msg, 0, 0);
	for (;;)
		pause_ns(HOSTILE_PAUSE_NS);
}

static int32_t
handle(const struct shm_dpa_msg *msg, int32_t fd)
{
	const uint64_t *v = msg->values;
	int32_t ret;

	switch (msg->type) {
	case SHM_DPA_MSG_HOST:
		return map(SHM_DPA_HOST_ADDR, v[0], 0, fd);
	case SHM_DPA_MSG_PROG:
		ret = map(SHM_DPA_PROG_ADDR, v[0], 1, fd);
		return SHM_DPA_HOST_SEG->nb_eus == HOSTILE_START_NO_PROG ? -HOSTILE_EBUSY : ret;
	case SHM_DPA_MSG_START:
		return start();
	case SHM_DPA_MSG_UNIT:
		return v[0] == 0 && SHM_DPA_HOST_SEG->nb_eus == HOSTILE_START_NO_UNIT ?
			-HOSTILE_EBUSY : 0;
	case SHM_DPA_MSG_WINDOW:
		return window(v, fd);
	case SHM_DPA_MSG_UNWINDOW:
		return window_end(v);
	default:
		return 0; /* it keeps all that it has */
	}
}

static void
serve(void)
{
	struct shm_dpa_msg msg;
	struct {
		uint64_t len, type;
		int32_t fd, pad;
	} control;
	struct {
		void *base;
		uint64_t len;
	} iov = { &msg, sizeof(msg) };
	struct hostile_msghdr hdr;
	long peek;

	for (;;) {
		hdr = (struct hostile_msghdr){
			.iov = &iov, .nb_iov = 1,
			.control = &control, .control_len = sizeof(control),
		};
		peek = (keeps & HOSTILE_KEEP_UNREAD) != 0 ? HOSTILE_MSG_PEEK : 0;
		if (peek != 0)
			hdr.control_len = 0;
		if (rt_call(__NR_recvmsg, SHM_DPA_SOCK, (long)&hdr, peek, 0, 0, 0) != sizeof(msg))
			rt_call(__NR_exit_group, 0, 0, 0, 0, 0, 0);
		if (peek != 0)
			unread(&msg);
		if (msg.type == SHM_DPA_MSG_STOP)
			continue; /* it has to be killed */
		if (msg.type == SHM_DPA_MSG_RPC)
			answer(&msg, 0, deed(msg.values[0], &msg.values[2]));
		else
			answer(&msg, refuses != 0 ? -HOSTILE_EBUSY : handle(&msg, control.fd), 0);
	}
}

/* Where the program begins: see app/test/meson.build. */
_Noreturn void comch_hostile_start(void);

_Noreturn void
comch_hostile_start(void)
{
	rt_enter((uintptr_t)&stack[HOSTILE_STACK], serve);
}
