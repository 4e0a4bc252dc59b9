/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A client of the model that shares no code with it: rdma-core's mlx5 provider
 * over VFIO brings the function up, and makes and destroys what it has functions for.
 * Commands that it passes through are byte arrays with the offsets of the device's
 * manual; nothing of this project's headers may be used in here.
 *
 * usage: rdma_core_vfio <PCI address> [rounds]
 *
 * A line for each step: "ok <what>", or "FAILED <what>: why". With "pause" as the
 * last argument it waits for a line on stdin before it closes the device, so that
 * somebody can look at what is left.
 */

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

/* Commands, and how long their fixed parts are. */
#define CMD_CREATE_EQ 0x301
#define CMD_ALLOC_PD 0x800
#define CMD_ALLOC_TD 0x816

#define FIXED_SIZE 272
#define REPLY_SIZE 16
#define EQ_CONTEXT 16   /* in a command */

#define PAGE 4096u

static unsigned int nb_failed;
static bool quiet;  /* no word of what goes well, for the second round and later ones */
static volatile bool stop;

static void __attribute__((format(printf, 2, 3)))
report(bool ok, const char *fmt, ...)
{
	va_list ap;

	nb_failed += !ok;
	if (ok && quiet)
		return;
	printf(ok ? "ok rdma-core: " : "FAILED rdma-core: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

/* Put bits high..low of the 32-bit word at byte off. */
static void
put(uint8_t *cmd, unsigned int off, unsigned int high, unsigned int low, uint32_t val)
{
	uint32_t mask = (high - low == 31 ? UINT32_MAX : ((1u << (high - low + 1)) - 1)) << low;
	uint32_t word;

	memcpy(&word, cmd + off, sizeof(word));
	word = htobe32((be32toh(word) & ~mask) | ((val << low) & mask));
	memcpy(cmd + off, &word, sizeof(word));
}

static uint32_t
get(const uint8_t *cmd, unsigned int off, unsigned int high, unsigned int low)
{
	uint32_t word;

	memcpy(&word, cmd + off, sizeof(word));
	return be32toh(word) << (31 - high) >> (31 - high + low);
}

static void
command(uint8_t *cmd, size_t size, uint16_t opcode, uint16_t op_mod)
{
	memset(cmd, 0, size);
	put(cmd, 0, 31, 16, opcode);
	put(cmd, 4, 15, 0, op_mod);
}

/* What rdma-core wants to be done while the device is open, as its manual says. */
static void *
events(void *arg)
{
	struct ibv_context *ctx = arg;
	struct pollfd p = { .fd = mlx5dv_vfio_get_events_fd(ctx), .events = POLLIN };
	int ret;

	while (!stop) {
		if (poll(&p, 1, 200) < 0 && errno != EINTR)
			break;
		ret = mlx5dv_vfio_process_events(ctx);
		if (ret != 0) {
			report(false, "process events: %s", strerror(ret));
			break;
		}
	}
	return NULL;
}

/* What one round makes. */
struct objects {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct mlx5dv_devx_obj *devx_pd, *td;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_msi_vector *msi;
	struct mlx5dv_devx_eq *eq;
	uint8_t *mem;      /* known to the device as umem */
	uint8_t *data;     /* what the memory key is for */
};

#define MEM_SIZE (4 * PAGE)
#define DATA_SIZE (1u << 20)

static struct mlx5dv_devx_obj *
create(struct objects *o, const char *what, const uint8_t *in, size_t in_len, uint32_t *number)
{
	uint8_t out[REPLY_SIZE] = { 0 };
	struct mlx5dv_devx_obj *obj;

	obj = mlx5dv_devx_obj_create(o->ctx, in, in_len, out, sizeof(out));
	if (obj == NULL) {
		report(false, "create %s: %s, status 0x%x syndrome 0x%x", what, strerror(errno),
			get(out, 0, 31, 24), get(out, 4, 31, 0));
		return NULL;
	}
	*number = get(out, 8, 23, 0);
	report(true, "create %s: number 0x%x", what, *number);
	return obj;
}

static void
destroy(struct mlx5dv_devx_obj **obj, const char *what)
{
	int ret;

	if (*obj == NULL)
		return;
	ret = mlx5dv_devx_obj_destroy(*obj);
	report(ret == 0, "destroy %s%s%s", what, ret != 0 ? ": " : "", ret != 0 ? strerror(ret) : "");
	*obj = NULL;
}

static void
make_verbs(struct objects *o)
{
	struct mlx5dv_pd dv_pd = { 0 };
	struct mlx5dv_obj dv = { .pd = { .out = &dv_pd } };
	int ret;

	o->pd = ibv_alloc_pd(o->ctx);
	if (o->pd == NULL) {
		report(false, "ibv_alloc_pd: %s", strerror(errno));
		return;
	}
	dv.pd.in = o->pd;
	ret = mlx5dv_init_obj(&dv, MLX5DV_OBJ_PD);
	report(ret == 0, "ibv_alloc_pd: number 0x%x", dv_pd.pdn);

	o->mr = ibv_reg_mr(o->pd, o->data, DATA_SIZE, IBV_ACCESS_LOCAL_WRITE);
	if (o->mr == NULL)
		report(false, "ibv_reg_mr: %s", strerror(errno));
	else
		report(true, "ibv_reg_mr: %u bytes, lkey 0x%x", DATA_SIZE, o->mr->lkey);
}

static void
make_resources(struct objects *o)
{
	uint8_t in[REPLY_SIZE];
	uint32_t number;

	command(in, sizeof(in), CMD_ALLOC_PD, 0);
	o->devx_pd = create(o, "PD", in, sizeof(in), &number);
	command(in, sizeof(in), CMD_ALLOC_TD, 0);
	o->td = create(o, "transport domain", in, sizeof(in), &number);

	o->umem = mlx5dv_devx_umem_reg(o->ctx, o->mem, MEM_SIZE, IBV_ACCESS_LOCAL_WRITE);
	if (o->umem == NULL)
		report(false, "umem_reg: %s", strerror(errno));
	else
		report(true, "umem_reg: %u bytes, number 0x%x", MEM_SIZE, o->umem->umem_id);

	/* no BlueFlame buffer is needed, and a model has none */
	o->uar = mlx5dv_devx_alloc_uar(o->ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	if (o->uar == NULL)
		report(false, "alloc_uar: %s", strerror(errno));
	else
		report(true, "alloc_uar: page 0x%x", o->uar->page_id);
}

static void
make_eq(struct objects *o)
{
	uint8_t in[FIXED_SIZE], out[REPLY_SIZE] = { 0 };

	if (o->uar == NULL)
		return;
	o->msi = mlx5dv_devx_alloc_msi_vector(o->ctx);
	if (o->msi == NULL) {
		report(false, "alloc_msi_vector: %s", strerror(errno));
		return;
	}
	command(in, sizeof(in), CMD_CREATE_EQ, 0);
	put(in, EQ_CONTEXT + 12, 28, 24, 6);            /* 64 entries */
	put(in, EQ_CONTEXT + 12, 23, 0, o->uar->page_id);
	put(in, EQ_CONTEXT + 20, 11, 0, o->msi->vector);
	/* no bit in the mask: completion events of CQs alone */
	o->eq = mlx5dv_devx_create_eq(o->ctx, in, sizeof(in), out, sizeof(out));
	if (o->eq == NULL) {
		report(false, "create EQ: %s, status 0x%x syndrome 0x%x", strerror(errno),
			get(out, 0, 31, 24), get(out, 4, 31, 0));
		return;
	}
	report(true, "create EQ: number 0x%x, vector %d", get(out, 8, 7, 0), o->msi->vector);
}

/* Objects that use others first, as the device wants it. */
static void
destroy_all(struct objects *o)
{
	int ret;

	if (o->eq != NULL) {
		ret = mlx5dv_devx_destroy_eq(o->eq);
		report(ret == 0, "destroy EQ: %s", strerror(ret));
	}
	if (o->msi != NULL)
		mlx5dv_devx_free_msi_vector(o->msi);
	if (o->uar != NULL)
		mlx5dv_devx_free_uar(o->uar);
	if (o->umem != NULL) {
		ret = mlx5dv_devx_umem_dereg(o->umem);
		report(ret == 0, "umem_dereg: %s", strerror(ret));
	}
	destroy(&o->td, "transport domain");
	destroy(&o->devx_pd, "PD");
	if (o->mr != NULL) {
		ret = ibv_dereg_mr(o->mr);
		report(ret == 0, "ibv_dereg_mr: %s", strerror(ret));
	}
	if (o->pd != NULL) {
		ret = ibv_dealloc_pd(o->pd);
		report(ret == 0, "ibv_dealloc_pd: %s", strerror(ret));
	}
}

static int
run(struct ibv_context *ctx, unsigned long rounds)
{
	struct objects o;
	uint8_t *mem, *data;
	unsigned long i;

	mem = aligned_alloc(PAGE, MEM_SIZE);
	data = aligned_alloc(PAGE, DATA_SIZE);
	if (mem == NULL || data == NULL) {
		free(mem);
		free(data);
		return -ENOMEM;
	}
	for (i = 0; i < rounds; i++) {
		quiet = i > 0;
		memset(mem, 0, MEM_SIZE);
		memset(data, 0x5a, DATA_SIZE);
		memset(&o, 0, sizeof(o));
		o.ctx = ctx;
		o.mem = mem;
		o.data = data;
		make_verbs(&o);
		make_resources(&o);
		make_eq(&o);
		destroy_all(&o);
	}
	quiet = false;
	report(nb_failed == 0, "%lu rounds: %u steps failed", rounds, nb_failed);
	free(mem);
	free(data);
	return 0;
}

int
main(int argc, char **argv)
{
	struct mlx5dv_vfio_context_attr attr = { 0 };
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	bool wait = argc > 3 && strcmp(argv[3], "pause") == 0;
	struct ibv_device **list;
	struct ibv_context *ctx;
	pthread_t thread;
	int ret;

	if (argc < 2) {
		fprintf(stderr, "usage: rdma_core_vfio <PCI address> [rounds [pause]]\n");
		return EXIT_FAILURE;
	}
	attr.pci_name = argv[1];
	list = mlx5dv_get_vfio_device_list(&attr);
	if (list == NULL || list[0] == NULL) {
		report(false, "mlx5dv_get_vfio_device_list: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	ctx = ibv_open_device(list[0]);
	if (ctx == NULL) {
		report(false, "ibv_open_device: %s", strerror(errno));
		ibv_free_device_list(list);
		return EXIT_FAILURE;
	}
	report(true, "ibv_open_device");
	ret = pthread_create(&thread, NULL, events, ctx);
	if (ret != 0) {
		report(false, "thread for events: %s", strerror(ret));
		return EXIT_FAILURE;
	}
	ret = run(ctx, rounds);
	if (ret != 0)
		report(false, "memory: %s", strerror(-ret));
	if (wait) {
		printf("pause\n");
		fflush(stdout);
		(void)!getchar();
	}
	stop = true;
	pthread_join(thread, NULL);
	ret = ibv_close_device(ctx);
	report(ret == 0, "ibv_close_device: %s", strerror(ret));
	ibv_free_device_list(list);
	return nb_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
