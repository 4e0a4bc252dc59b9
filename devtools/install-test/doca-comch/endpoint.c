/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * usage: endpoint <PCI address> [PCI address of the representor, on the card's side]
 *
 * What comch.c does, by endpoints of the legacy interface. The configuration script says
 * whether their header is there.
 */

#include <stdio.h>
#include <time.h>

#include <doca_build_config.h>
#include <doca_dev.h>
#include <doca_error.h>
#ifdef HAVE_DOCA_COMM_CHANNEL_H
#include <doca_comm_channel.h>
#endif

#define SERVER_NAME "install_test"
#define MESSAGE "hello from the host"
#define MESSAGE_SIZE 256
#define MAX_ROUNDS 2000000

static int
check(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS)
		return 0;
	fprintf(stderr, "%s: %s\n", what, doca_error_get_name(result));
	return -1;
}

static void
rest(void)
{
	struct timespec pause = {0, 10000};

	nanosleep(&pause, NULL);
}

static struct doca_dev *
open_device(const char *pci_addr)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (check(doca_devinfo_create_list(&list, &nb), "list") != 0)
		return NULL;
	for (i = 0; i < nb && dev == NULL; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
				equal && doca_dev_open(list[i], &dev) != DOCA_SUCCESS)
			dev = NULL;
	doca_devinfo_destroy_list(list);
	return dev;
}

#ifdef DOCA_ARCH_DPU

static struct doca_dev_rep *
open_rep(struct doca_dev *dev, const char *pci_addr)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep = NULL;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (check(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &nb),
			"list of representors") != 0)
		return NULL;
	for (i = 0; i < nb && rep == NULL; i++)
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal) ==
				DOCA_SUCCESS && equal &&
				doca_dev_rep_open(list[i], &rep) != DOCA_SUCCESS)
			rep = NULL;
	doca_devinfo_rep_destroy_list(list);
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
	doca_error_t result = DOCA_ERROR_CONNECTION_INPROGRESS;
	int i;

	(void)dev;
	(void)argv;
	if (check(doca_comm_channel_ep_connect(ep, SERVER_NAME, &peer), "connect") != 0)
		return -1;
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
	if (dev == NULL || check(doca_comm_channel_ep_create(&ep), "create") != 0)
		return EXIT_FAILURE;
	if (check(doca_comm_channel_ep_set_device(ep, dev), "device") != 0 ||
			check(doca_comm_channel_ep_set_max_msg_size(ep, MESSAGE_SIZE), "size") != 0 ||
			run(ep, dev, argv) != 0)
		return EXIT_FAILURE;
	return check(doca_comm_channel_ep_destroy(ep), "destroy") == 0 ? EXIT_SUCCESS :
			EXIT_FAILURE;
}
