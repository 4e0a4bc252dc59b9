/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * usage: endpoint <PCI address> [PCI address of the representor, on the card's side]
 *
 * What comch.c does, by endpoints of the legacy interface. The configuration script says
 * whether their header is there. With DOCA_COMPAT_2_2 it is a program of 2.0 to 2.2, and with
 * MANNER_1_5 besides one of 1.5: with the names of these releases, and with the memory and
 * the queue of work that their common files prepare.
 */

#include <stdio.h>
#include <time.h>

#include <doca_build_config.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#ifdef HAVE_DOCA_COMM_CHANNEL_H
#include <doca_comm_channel.h>
#endif

#define SERVER_NAME "install_test"
#define MESSAGE "hello from the host"
#define MESSAGE_SIZE 256
#define MAX_ROUNDS 2000000
#define MAX_CONNECTS 60

#ifdef DOCA_COMPAT_2_2

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap.h>

#define error_name doca_get_error_name
#define error_text doca_get_error_string
#define dev_list doca_devinfo_list_create
#define dev_list_end doca_devinfo_list_destroy
#define rep_list doca_devinfo_rep_list_create
#define rep_list_end doca_devinfo_rep_list_destroy
#define REP_FILTER DOCA_DEV_REP_FILTER_NET
typedef enum doca_dev_rep_filter rep_filter;

#else

#define error_name doca_error_get_name
#define error_text doca_error_get_descr
#define dev_list doca_devinfo_create_list
#define dev_list_end doca_devinfo_destroy_list
#define dev_is doca_devinfo_is_equal_pci_addr
#define rep_list doca_devinfo_rep_create_list
#define rep_list_end doca_devinfo_rep_destroy_list
#define rep_is doca_devinfo_rep_is_equal_pci_addr
#define REP_FILTER DOCA_DEVINFO_REP_FILTER_NET
typedef enum doca_devinfo_rep_filter rep_filter;

#endif

static int
check(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS)
		return 0;
	fprintf(stderr, "%s: %s, %s\n", what, error_name(result), error_text(result));
	return -1;
}

static void
rest(void)
{
	struct timespec pause = {0, 10000};

	nanosleep(&pause, NULL);
}

#ifdef DOCA_COMPAT_2_2

static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static struct doca_workq *workq;
static char memory[4096];

static int
core_init(struct doca_dev *dev)
{
	struct doca_log_backend *backend;
	doca_error_t result = doca_log_create_standard_backend();

	DOCA_ERROR_PROPAGATE(result, doca_log_create_file_backend(stderr, &backend));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_create("map", &map));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_dev_add(map, dev));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_set_memrange(map, memory, sizeof(memory)));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_start(map));
	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_create("inventory", 2,
			DOCA_BUF_EXTENSION_NONE, &inventory));
	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_start(inventory));
	DOCA_ERROR_PROPAGATE(result, doca_workq_create(32, &workq));
	return check(result, "core objects");
}

static int
core_end(struct doca_dev *dev)
{
	doca_error_t result = doca_workq_destroy(workq);

	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_destroy(inventory));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_stop(map));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_dev_rm(map, dev));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(map));
	return check(result, "end of core objects");
}

#ifdef MANNER_1_5

static doca_error_t
same(struct doca_pci_bdf bdf, const char *pci_addr, uint8_t *equal)
{
	struct doca_pci_bdf other = {{0}};
	unsigned int bus, device, function;

	if (sscanf(pci_addr, "%x:%x.%x", &bus, &device, &function) != 3)
		return DOCA_ERROR_INVALID_VALUE;
	other.bus = bus;
	other.device = device;
	other.function = function;
	*equal = bdf.raw == other.raw;
	return DOCA_SUCCESS;
}

static inline doca_error_t
dev_is(const struct doca_devinfo *info, const char *pci_addr, uint8_t *equal)
{
	struct doca_pci_bdf bdf;
	doca_error_t result = doca_devinfo_get_pci_addr(info, &bdf);

	return result == DOCA_SUCCESS ? same(bdf, pci_addr, equal) : result;
}

static inline doca_error_t
rep_is(const struct doca_devinfo_rep *info, const char *pci_addr, uint8_t *equal)
{
	struct doca_pci_bdf bdf;
	doca_error_t result = doca_devinfo_rep_get_pci_addr(info, &bdf);

	return result == DOCA_SUCCESS ? same(bdf, pci_addr, equal) : result;
}

#else
#define dev_is doca_devinfo_get_is_pci_addr_equal
#define rep_is doca_devinfo_rep_get_is_pci_addr_equal
#endif

#else

static int
core_init(struct doca_dev *dev)
{
	return dev == NULL ? -1 : 0;
}
#define core_end core_init

#endif

static struct doca_dev *
open_device(const char *pci_addr)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (check(dev_list(&list, &nb), "list") != 0)
		return NULL;
	for (i = 0; i < nb && dev == NULL; i++)
		if (dev_is(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
				equal && doca_dev_open(list[i], &dev) != DOCA_SUCCESS)
			dev = NULL;
	dev_list_end(list);
	return dev;
}

#ifdef DOCA_ARCH_DPU

static struct doca_dev_rep *
open_rep(struct doca_dev *dev, const char *pci_addr)
{
	const rep_filter filter = REP_FILTER;
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep = NULL;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (check(rep_list(dev, filter, &list, &nb), "list of representors") != 0)
		return NULL;
	for (i = 0; i < nb && rep == NULL; i++)
		if (rep_is(list[i], pci_addr, &equal) == DOCA_SUCCESS && equal &&
				doca_dev_rep_open(list[i], &rep) != DOCA_SUCCESS)
			rep = NULL;
	rep_list_end(list);
	return rep;
}

static int
run(struct doca_comm_channel_ep_t *ep, struct doca_dev *dev, char **argv)
{
	struct doca_comm_channel_addr_t *peer;
	doca_error_t result = DOCA_ERROR_AGAIN;
	char message[MESSAGE_SIZE];
	size_t length;
	int i;

	if (check(doca_comm_channel_ep_set_device_rep(ep, open_rep(dev, argv[2])), "rep") != 0 ||
			check(doca_comm_channel_ep_listen(ep, SERVER_NAME), "listen") != 0)
		return -1;
	for (i = 0; i < MAX_ROUNDS && result == DOCA_ERROR_AGAIN; i++) {
		length = sizeof(message);
		result = doca_comm_channel_ep_recvfrom(ep, message, &length,
				DOCA_CC_MSG_FLAG_NONE, &peer);
		if (result == DOCA_ERROR_AGAIN)
			rest();
	}
	if (check(result, "recvfrom") != 0)
		return -1;
	printf("received: %.*s\n", (int)length, message);
	return check(doca_comm_channel_ep_disconnect(ep, peer), "disconnect");
}

#else

static int
run(struct doca_comm_channel_ep_t *ep, struct doca_dev *dev, char **argv)
{
	struct doca_comm_channel_addr_t *peer;
	doca_error_t result;
	int i = 0;

	(void)dev;
	(void)argv;
	do /* both sides are started at one time, and this waits half a second */
		result = doca_comm_channel_ep_connect(ep, SERVER_NAME, &peer);
	while (result == DOCA_ERROR_CONNECTION_ABORTED && ++i < MAX_CONNECTS);
	if (check(result, "connect") != 0)
		return -1;
	result = DOCA_ERROR_CONNECTION_INPROGRESS;
	for (i = 0; i < MAX_ROUNDS && result == DOCA_ERROR_CONNECTION_INPROGRESS; i++) {
		result = doca_comm_channel_peer_addr_update_info(peer);
		if (result == DOCA_ERROR_CONNECTION_INPROGRESS)
			rest();
	}
	if (check(result, "update_info") != 0)
		return -1;
	do {
		result = doca_comm_channel_ep_sendto(ep, MESSAGE, strlen(MESSAGE),
				DOCA_CC_MSG_FLAG_NONE, peer);
		if (result == DOCA_ERROR_AGAIN)
			rest();
	} while (result == DOCA_ERROR_AGAIN && ++i < MAX_ROUNDS);
	if (check(result, "sendto") != 0)
		return -1;
	return check(doca_comm_channel_ep_disconnect(ep, peer), "disconnect");
}

#endif

int
main(int argc, char **argv)
{
	struct doca_comm_channel_ep_t *ep;
	struct doca_dev *dev;

	dev = argc < 2 ? NULL : open_device(argv[1]);
	if (dev == NULL || core_init(dev) != 0 || check(doca_comm_channel_ep_create(&ep), "create") != 0)
		return EXIT_FAILURE;
	if (check(doca_comm_channel_ep_set_device(ep, dev), "device") != 0 ||
			check(doca_comm_channel_ep_set_max_msg_size(ep, MESSAGE_SIZE), "size") != 0 ||
			run(ep, dev, argv) != 0)
		return EXIT_FAILURE;
	return check(doca_comm_channel_ep_destroy(ep), "destroy") == 0 && core_end(dev) == 0 ?
			EXIT_SUCCESS : EXIT_FAILURE;
}
