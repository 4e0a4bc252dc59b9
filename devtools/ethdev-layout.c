/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Compares what buildtools/dpdk/driver/ethdev_driver.h declares with the ethdev that is
 * linked, as the header of its release may not be to be had: calls ethdev's public functions
 * for a port, and looks which operation each of them calls, with which arguments, and where
 * ethdev reads and writes what a port consists of. Nothing of our own drivers is in here.
 *
 * Each place in the table of operations has a function of its own, also those behind the last
 * that is declared. It ends at the first difference.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ethdev_driver.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_version.h>

#define NB_SLOTS (sizeof(struct eth_dev_ops) / sizeof(void *))
#define SLOT(member) (offsetof(struct eth_dev_ops, member) / sizeof(void *))
#define ADDR(p) ((uintptr_t)(p))
#define ANY UINTPTR_MAX
#define NB_RX 5
#define NB_TX 3

/* Internal too, and not used by drivers of the tree. */
int rte_eth_dev_create(struct rte_device *device, const char *name, size_t priv_data_size,
		int (*bus_specific_init)(struct rte_eth_dev *dev, void *params),
		void *bus_init_params, int (*init)(struct rte_eth_dev *dev, void *params),
		void *init_params);

struct call {
	unsigned int slot;
	uintptr_t args[6];
};

static struct call calls[64];
static unsigned int nb_calls;
static unsigned int last_slot;
static unsigned int checked;

static void
check(const char *what, bool right)
{
	printf("%s: %s\n", what, right ? "agrees" : "DIFFERS");
	if (!right) /* what comes next could only crash */
		exit(EXIT_FAILURE);
	checked++;
}
#define FIELD(type, member, right) check(#type "." #member, right)

static int
record(unsigned int slot, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
		uintptr_t f)
{
	last_slot = RTE_MAX(last_slot, slot);
	if (nb_calls < RTE_DIM(calls))
		calls[nb_calls++] = (struct call){ slot, { a, b, c, d, e, f } };
	return 0;
}

#define ARGS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f
#define OP(n) static int op_ ## n(ARGS) { return record(0x ## n, a, b, c, d, e, f); }
#define NAME(n) (void *)op_ ## n,
#define ROW(x, h) x(h ## 0) x(h ## 1) x(h ## 2) x(h ## 3) x(h ## 4) x(h ## 5) x(h ## 6) \
	x(h ## 7) x(h ## 8) x(h ## 9) x(h ## a) x(h ## b) x(h ## c) x(h ## d) x(h ## e) x(h ## f)
#define ROWS(x) ROW(x, 0) ROW(x, 1) ROW(x, 2) ROW(x, 3) ROW(x, 4) ROW(x, 5) ROW(x, 6) \
	ROW(x, 7) ROW(x, 8) ROW(x, 9)
ROWS(OP)
static void *table[] = { ROWS(NAME) };
_Static_assert(NB_SLOTS <= RTE_DIM(table), "operations");

/* The call of an operation, among those since nb_calls was 0. Short arguments have 16 bits. */
static void
check_op(const char *name, unsigned int slot, const uintptr_t *args, unsigned int nb_args)
{
	unsigned int i, j;
	bool right = false;
	uintptr_t got;

	for (i = 0; i < nb_calls && !right; i++) {
		right = calls[i].slot == slot;
		for (j = 0; j < nb_args; j++) {
			got = args[j] > UINT16_MAX ? calls[i].args[j] :
				(uint16_t)calls[i].args[j];
			right &= got == args[j] || args[j] == ANY;
		}
	}
	for (i = 0; i < nb_calls && !right; i++)
		printf("called: operation %u, declared is %u\n", calls[i].slot, slot);
	check(name, right);
}

#define OPERATION(member, call, ...) do { \
	const uintptr_t _args[] = { __VA_ARGS__ }; \
	nb_calls = 0; \
	(void)!(call); \
	check_op("eth_dev_ops." #member, SLOT(member), _args, RTE_DIM(_args)); \
} while (0)

/* The one operation that ports cannot do without. */
static int
infos_get(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	info->max_rx_queues = info->max_tx_queues = 16;
	info->max_rx_pktlen = 9000;
	info->max_mtu = 8000;
	info->min_rx_bufsize = 64;
	info->max_mac_addrs = 1;
	return record(SLOT(dev_infos_get), ADDR(dev), ADDR(info), 0, 0, 0, 0);
}

static int
port_event(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret_param)
{
	*(uint16_t *)arg = port;
	return type == RTE_ETH_EVENT_INTR_LSC && ret_param == arg ? 0 : -1;
}

static int
private_made(struct rte_eth_dev *dev, void *params)
{
	size_t size = 0;

	*(struct rte_eth_dev **)params = dev;
	FIELD(rte_eth_dev_data, dev_private,
		rte_malloc_validate(dev->data->dev_private, &size) == 0 && size >= 12345);
	return 0;
}

/* A port, and what of it needs no queues. */
static struct rte_eth_dev *
port_make(void)
{
	static const struct rte_driver driver = { .name = "layout" };
	static struct rte_device device = { .driver = &driver };
	static struct rte_ether_addr macs[] = {
		{ .addr_bytes = { 2, 3, 4, 5, 6, 7 } }, { .addr_bytes = { 8, 9, 10, 11, 12, 13 } },
	};
	struct rte_eth_dev *first = rte_eth_dev_allocate("layout_first"), *dev = NULL;
	struct rte_eth_link link = { .link_speed = 4711, .link_status = 1 }, got_link;
	uint16_t told = 99, i;
	struct rte_eth_dev_info info;
	struct rte_ether_addr mac;

	FIELD(rte_eth_dev, data, first != NULL && strcmp(first->data->name, "layout_first") == 0);
	rte_eth_dev_create(&device, "layout_second", 12345, NULL, NULL, private_made, &dev);
	check("rte_eth_dev_create", dev != NULL);
	check("rte_eth_dev_allocated", rte_eth_dev_allocated("layout_second") == dev);
	FIELD(rte_eth_dev_data, port_id, first->data->port_id == 0 && dev->data->port_id == 1);
	dev->dev_ops = (const void *)table;
	dev->device = &device;
	OPERATION(dev_infos_get, rte_eth_dev_info_get(1, &info), ADDR(dev), ADDR(&info));
	table[SLOT(dev_infos_get)] = (void *)infos_get;
	FIELD(rte_eth_dev, device, info.device == &device);
	FIELD(rte_eth_dev_data, dev_flags, info.dev_flags == &dev->data->dev_flags);
	for (i = 0; i < 2; i++) {
		dev->data->mac_addrs = &macs[i];
		FIELD(rte_eth_dev_data, mac_addrs, rte_eth_macaddr_get(1, &mac) == 0 &&
			rte_is_same_ether_addr(&mac, &macs[i]));
		dev->data->numa_node = 3 + i;
		FIELD(rte_eth_dev_data, numa_node, rte_eth_dev_socket_id(1) == 3 + i);
		dev->data->promiscuous = i;
		dev->data->all_multicast = !i;
		FIELD(rte_eth_dev_data, promiscuous, rte_eth_promiscuous_get(1) == i);
		FIELD(rte_eth_dev_data, all_multicast, rte_eth_allmulticast_get(1) == !i);
		link.link_speed += i;
		rte_eth_linkstatus_set(dev, &link);
		OPERATION(link_update, rte_eth_link_get_nowait(1, &got_link), ADDR(dev), 0);
		FIELD(rte_eth_dev_data, dev_link, memcmp(&link, &got_link, sizeof(link)) == 0);
	}
	dev->data->numa_node = 0;
	rte_eth_dev_callback_register(1, RTE_ETH_EVENT_INTR_LSC, port_event, &told);
	rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_LSC, &told);
	check("rte_eth_dev_callback_process", told == 1);
	return dev;
}

static void
configure(struct rte_eth_dev *dev)
{
	const struct rte_eth_conf conf = { .lpbk_mode = 0x12345678, .intr_conf.rxq = 1 };
	const struct rte_eth_rxconf rx = { .rx_free_thresh = 0 };
	const struct rte_eth_txconf tx = { .tx_free_thresh = 0 };
	struct rte_mempool *pool = rte_pktmbuf_pool_create("layout", 63, 0, 0, 1024, 0);
	static char queues[NB_RX + NB_TX];
	struct rte_eth_rxq_info rx_info;
	struct rte_eth_txq_info tx_info;
	struct rte_eth_burst_mode mode;
	uint16_t i, mtu;

	OPERATION(dev_configure, rte_eth_dev_configure(1, NB_RX, NB_TX, &conf), ADDR(dev));
	FIELD(rte_eth_dev_data, nb_rx_queues, dev->data->nb_rx_queues == NB_RX);
	FIELD(rte_eth_dev_data, nb_tx_queues, dev->data->nb_tx_queues == NB_TX);
	FIELD(rte_eth_dev_data, dev_conf, dev->data->dev_conf.lpbk_mode == conf.lpbk_mode &&
		dev->data->dev_conf.intr_conf.rxq == 1);
	OPERATION(mtu_set, rte_eth_dev_set_mtu(1, 1234), ADDR(dev), 1234);
	FIELD(rte_eth_dev_data, mtu, dev->data->mtu == 1234);
	dev->data->mtu = 1235;
	FIELD(rte_eth_dev_data, mtu, rte_eth_dev_get_mtu(1, &mtu) == 0 && mtu == 1235);
	dev->data->mtu = 1500;

	for (i = 0; i < NB_RX; i++) {
		OPERATION(rx_queue_setup, rte_eth_rx_queue_setup(1, i, 64, 77, &rx, pool),
			ADDR(dev), i, 64, 77, ANY, ADDR(pool));
		dev->data->rx_queues[i] = &queues[i];
	}
	for (i = 0; i < NB_TX; i++) {
		OPERATION(tx_queue_setup, rte_eth_tx_queue_setup(1, i, 65, 78, &tx),
			ADDR(dev), i, 65, 78);
		dev->data->tx_queues[i] = &queues[NB_RX + i];
	}
	for (i = 1; i < NB_TX; i++) {
		dev->data->rx_queue_state[i] = 0x30 + i;
		dev->data->tx_queue_state[i] = 0x40 + i;
		OPERATION(rxq_info_get, rte_eth_rx_queue_info_get(1, i, &rx_info), ADDR(dev), i,
			ADDR(&rx_info));
		OPERATION(txq_info_get, rte_eth_tx_queue_info_get(1, i, &tx_info), ADDR(dev), i,
			ADDR(&tx_info));
		OPERATION(rx_burst_mode_get, rte_eth_rx_burst_mode_get(1, i, &mode), ADDR(dev), i,
			ADDR(&mode));
		FIELD(rte_eth_dev_data, rx_queue_state, rx_info.queue_state == 0x30 + i);
		FIELD(rte_eth_dev_data, tx_queue_state, tx_info.queue_state == 0x40 + i);
		dev->data->rx_queue_state[i] = dev->data->tx_queue_state[i] = 0;
	}
	/* ethdev gives back what is there before it asks for another */
	OPERATION(rx_queue_release, rte_eth_rx_queue_setup(1, 4, 64, 77, &rx, pool), ADDR(dev), 4);
	dev->data->rx_queues[4] = &queues[4];
	OPERATION(tx_queue_release, rte_eth_tx_queue_setup(1, 2, 64, 77, &tx), ADDR(dev), 2);
	dev->data->tx_queues[2] = &queues[NB_RX + 2];
}

static void
run(struct rte_eth_dev *dev)
{
	struct rte_ether_addr mac = { .addr_bytes = { 2, 0, 0, 0, 0, 1 } };
	struct rte_eth_stats stats;
	struct rte_intr_handle *intr;

	dev->rx_pkt_burst = (eth_rx_burst_t)table[0];
	dev->tx_pkt_burst = (eth_tx_burst_t)table[1];
	dev->tx_pkt_prepare = (eth_tx_prep_t)table[2];
	dev->tx_descriptor_status = (eth_tx_descriptor_status_t)table[3];
	OPERATION(dev_start, rte_eth_dev_start(1), ADDR(dev));
	FIELD(rte_eth_dev_data, dev_started, dev->data->dev_started == 1);
	FIELD(rte_eth_dev, rx_pkt_burst, rte_eth_fp_ops[1].rx_pkt_burst == dev->rx_pkt_burst);
	FIELD(rte_eth_dev, tx_pkt_burst, rte_eth_fp_ops[1].tx_pkt_burst == dev->tx_pkt_burst);
	FIELD(rte_eth_dev, tx_pkt_prepare,
		rte_eth_fp_ops[1].tx_pkt_prepare == dev->tx_pkt_prepare);
	FIELD(rte_eth_dev, tx_descriptor_status,
		rte_eth_fp_ops[1].tx_descriptor_status == dev->tx_descriptor_status);
	FIELD(rte_eth_dev_data, rx_queues, rte_eth_fp_ops[1].rxq.data == dev->data->rx_queues);
	FIELD(rte_eth_dev_data, tx_queues, rte_eth_fp_ops[1].txq.data == dev->data->tx_queues);

	dev->data->promiscuous = dev->data->all_multicast = 0;
	OPERATION(promiscuous_enable, rte_eth_promiscuous_enable(1), ADDR(dev));
	OPERATION(promiscuous_disable, rte_eth_promiscuous_disable(1), ADDR(dev));
	OPERATION(allmulticast_enable, rte_eth_allmulticast_enable(1), ADDR(dev));
	OPERATION(allmulticast_disable, rte_eth_allmulticast_disable(1), ADDR(dev));
	OPERATION(mac_addr_set, rte_eth_dev_default_mac_addr_set(1, &mac), ADDR(dev));
	OPERATION(set_mc_addr_list, rte_eth_dev_set_mc_addr_list(1, &mac, 1), ADDR(dev),
		ADDR(&mac), 1);
	OPERATION(stats_get, rte_eth_stats_get(1, &stats), ADDR(dev), ADDR(&stats));
	OPERATION(stats_reset, rte_eth_stats_reset(1), ADDR(dev));
	OPERATION(rx_queue_intr_enable, rte_eth_dev_rx_intr_enable(1, 2), ADDR(dev), 2);
	OPERATION(rx_queue_intr_disable, rte_eth_dev_rx_intr_disable(1, 3), ADDR(dev), 3);

	intr = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	rte_intr_vec_list_alloc(intr, "layout", 2);
	rte_intr_vec_list_index_set(intr, 1, RTE_INTR_VEC_RXTX_OFFSET);
	rte_intr_efds_index_set(intr, 0, 4711);
	dev->intr_handle = intr;
	FIELD(rte_eth_dev, intr_handle, rte_eth_dev_rx_intr_ctl_q_get_fd(1, 1) == 4711);
	rte_intr_vec_list_free(intr);
	rte_intr_instance_free(intr);

	dev->data->dev_started = 0;
	nb_calls = 0;
	FIELD(rte_eth_dev_data, dev_started, rte_eth_dev_stop(1) == 0 && nb_calls == 0);
	dev->data->dev_started = 1;
	OPERATION(dev_stop, rte_eth_dev_stop(1), ADDR(dev));
	FIELD(rte_eth_dev_data, dev_started, dev->data->dev_started == 0);
	dev->data->mac_addrs = NULL; /* ethdev frees what is there */
	OPERATION(dev_close, rte_eth_dev_close(1), ADDR(dev));
}

int
main(int argc, char **argv)
{
	struct rte_eth_dev *dev;

	setvbuf(stdout, NULL, _IOLBF, 0); /* of one that crashes, too */
	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	dev = port_make();
	rte_eth_dev_probing_finish(dev);
	configure(dev);
	run(dev);
	check("number of operations", last_slot < NB_SLOTS);
	rte_eal_cleanup();
	printf("%u comparisons agree with %s\n", checked, rte_version());
	return EXIT_SUCCESS;
}
