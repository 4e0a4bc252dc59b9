/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Devices and representors: lists, what an entry says, open and close. With the default
 * environment; what changes it is in test_start.c.
 */

#define DOCA_ALLOW_DEPRECATED_API

#include <sys/wait.h>
#include <unistd.h>

#include <doca_dev.h>

#include "test_doca.h"

/* Between the libraries of the layer; no context is needed to see that it is taken. */
doca_error_t doca_compat_rep_dpu_dev(const struct doca_dev_rep *rep, int16_t *dev_id,
		uint16_t *rep_id);

/* What writes a text or an address into so many bytes takes neither less nor null pointers. */
#define TEST_BYTES(get, info, out) do { \
	TEST_RESULT(get(NULL, out, sizeof(out)), DOCA_ERROR_INVALID_VALUE); \
	TEST_RESULT(get(info, NULL, sizeof(out)), DOCA_ERROR_INVALID_VALUE); \
	TEST_RESULT(get(info, out, sizeof(out) - 1), DOCA_ERROR_INVALID_VALUE); \
} while (0)

/* The entry with this address, or NULL. It stays readable without the list. */
static struct doca_devinfo *
find(const char *pci_addr)
{
	struct doca_devinfo **list, *found = NULL;
	uint8_t equal;
	uint32_t nb, i;

	if (doca_devinfo_create_list(&list, &nb) != DOCA_SUCCESS)
		return NULL;
	for (i = 0; i < nb; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
				equal)
			found = list[i];
	return doca_devinfo_destroy_list(list) == DOCA_SUCCESS ? found : NULL;
}

static struct doca_devinfo_rep *
find_rep(struct doca_dev *dev, const char *pci_addr)
{
	struct doca_devinfo_rep **list, *found = NULL;
	uint8_t equal;
	uint32_t nb, i;

	if (doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &nb) !=
			DOCA_SUCCESS)
		return NULL;
	for (i = 0; i < nb; i++)
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
				equal)
			found = list[i];
	return doca_devinfo_rep_destroy_list(list) == DOCA_SUCCESS ? found : NULL;
}

static int
test_dev_list(void)
{
	static const char *const addresses[] = {
		"03:00.0", "03:00.1", "b1:00.0", "b1:00.1", "b1:00.2", "0000:B1:00.5", "b1:0f.2",
	};
	struct doca_devinfo **list;
	uint32_t nb, i;

	TEST_NULL_2(doca_devinfo_create_list, &list, &nb);
	TEST_RESULT(doca_devinfo_destroy_list(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_devinfo_create_list(&list, &nb));
	TEST_TRUE(nb == 12);
	for (i = 0; i < nb; i++)
		TEST_TRUE(list[i] != NULL);
	TEST_TRUE(list[nb] == NULL);
	TEST_OK(doca_devinfo_destroy_list(list));
	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		TEST_TRUE(find(addresses[i]) != NULL);
	TEST_TRUE(find("03:00.2") == NULL);
	TEST_TRUE(find("0001:03:00.0") == NULL);
	return 0;
}

static int
test_dev_equal(void)
{
	static const char *const no_address[] = {
		"", "03", "03:00", "03:00.", "03:00.8", "03:20.0", "03:00.0 ", " 03:00.0",
		"00000:03:00.0", "0000:03:00.00", "03:00,0", "0000:0000:00.0", "pf0",
	};
	struct doca_devinfo *info = find("03:00.0");
	uint8_t equal = 7;
	unsigned int i;

	TEST_TRUE(info != NULL);
	TEST_NULL_3(doca_devinfo_is_equal_pci_addr, info, "03:00.0", &equal);
	for (i = 0; i < sizeof(no_address) / sizeof(no_address[0]); i++)
		TEST_RESULT(doca_devinfo_is_equal_pci_addr(info, no_address[i], &equal),
				DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(equal == 7);
	TEST_OK(doca_devinfo_is_equal_pci_addr(info, "0000:03:00.0", &equal));
	TEST_TRUE(equal == 1);
	TEST_OK(doca_devinfo_is_equal_pci_addr(info, "3:0.0", &equal));
	TEST_TRUE(equal == 1);
	TEST_OK(doca_devinfo_is_equal_pci_addr(info, "03:00.1", &equal));
	TEST_TRUE(equal == 0);
	return 0;
}

static int
test_dev_texts(void)
{
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE], iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	struct doca_devinfo *info = find("03:00.1"), *host = find("b1:00.2");
	char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];

	TEST_TRUE(info != NULL && host != NULL);
	TEST_NULL_2(doca_devinfo_get_pci_addr_str, info, pci);
	TEST_OK(doca_devinfo_get_pci_addr_str(info, pci));
	TEST_TRUE(strcmp(pci, "0000:03:00.1") == 0);

	TEST_BYTES(doca_devinfo_get_iface_name, info, iface);
	TEST_OK(doca_devinfo_get_iface_name(info, iface, sizeof(iface)));
	TEST_TRUE(strcmp(iface, "p1") == 0);
	TEST_OK(doca_devinfo_get_iface_name(host, iface, sizeof(iface)));
	TEST_TRUE(strcmp(iface, "pf0vf0") == 0);

	TEST_BYTES(doca_devinfo_get_ibdev_name, info, ibdev);
	TEST_OK(doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev)));
	TEST_TRUE(strcmp(ibdev, "mlx5_1") == 0);
	return 0;
}

static int
test_dev_kind(void)
{
	struct doca_devinfo *info, *sf;
	enum doca_pci_func_type type;
	uint32_t index = 77;

	TEST_TRUE(setenv("DOCA_COMPAT_DEVICES", "03:00.0=pf0:pf0vf1:pf0sf4", 1) == 0);
	info = find("03:00.0");
	sf = find("b2:00.4");
	TEST_TRUE(info != NULL && sf != NULL);
	TEST_NULL_2(doca_devinfo_get_pci_func_type, info, &type);
	TEST_OK(doca_devinfo_get_pci_func_type(info, &type));
	TEST_TRUE(type == DOCA_PCI_FUNC_TYPE_PF);
	TEST_OK(doca_devinfo_get_pci_func_type(find("b1:00.3"), &type));
	TEST_TRUE(type == DOCA_PCI_FUNC_TYPE_VF);
	TEST_OK(doca_devinfo_get_pci_func_type(sf, &type));
	TEST_TRUE(type == DOCA_PCI_FUNC_TYPE_SF);

	TEST_NULL_2(doca_devinfo_get_sf_index, sf, &index);
	TEST_RESULT(doca_devinfo_get_sf_index(info, &index), DOCA_ERROR_NOT_SUPPORTED);
	TEST_TRUE(index == 77);
	TEST_OK(doca_devinfo_get_sf_index(sf, &index));
	TEST_TRUE(index == 4);
	return 0;
}

static int
test_dev_without(void)
{
	struct doca_devinfo *info = find("03:00.0");
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE], ipv6[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	double rate;
	uint16_t lid;

	TEST_TRUE(info != NULL);
	TEST_BYTES(doca_devinfo_get_ipv4_addr, info, ipv4);
	TEST_RESULT(doca_devinfo_get_ipv4_addr(info, ipv4, sizeof(ipv4)), DOCA_ERROR_NOT_SUPPORTED);
	TEST_BYTES(doca_devinfo_get_ipv6_addr, info, ipv6);
	TEST_RESULT(doca_devinfo_get_ipv6_addr(info, ipv6, sizeof(ipv6)), DOCA_ERROR_NOT_SUPPORTED);
	TEST_BYTES(doca_devinfo_get_mac_addr, info, mac);
	TEST_RESULT(doca_devinfo_get_mac_addr(info, mac, sizeof(mac)), DOCA_ERROR_NOT_SUPPORTED);
	TEST_NULL_2(doca_devinfo_get_lid, info, &lid);
	TEST_RESULT(doca_devinfo_get_lid(info, &lid), DOCA_ERROR_NOT_SUPPORTED);
	TEST_NULL_2(doca_devinfo_get_active_rate, info, &rate);
	TEST_RESULT(doca_devinfo_get_active_rate(info, &rate), DOCA_ERROR_NOT_SUPPORTED);
	return 0;
}

static int
test_dev_open(void)
{
	struct doca_devinfo *info = find("03:00.0");
	struct doca_dev *dev, *again;

	TEST_TRUE(info != NULL);
	TEST_NULL_2(doca_dev_open, info, &dev);
	TEST_RESULT(doca_dev_close(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(doca_dev_as_devinfo(NULL) == NULL);
	TEST_OK(doca_dev_open(info, &dev));
	TEST_TRUE(doca_dev_as_devinfo(dev) == info);
	TEST_OK(doca_dev_open(find("0000:03:00.0"), &again));
	TEST_TRUE(doca_dev_as_devinfo(again) == info);
	TEST_OK(doca_dev_close(dev));
	TEST_OK(doca_dev_close(again));
	/* once too often, which is no crash */
	TEST_RESULT(doca_dev_close(dev), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(doca_dev_as_devinfo(dev) == info);
	TEST_OK(doca_dev_open(info, &dev));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_dev_filters(void)
{
	struct doca_devinfo *card = find("03:00.0"), *host = find("b1:00.0");
	uint8_t yes = 7;

	TEST_TRUE(card != NULL && host != NULL);
	TEST_NULL_2(doca_devinfo_rep_cap_is_filter_all_supported, card, &yes);
	TEST_NULL_2(doca_devinfo_rep_cap_is_filter_net_supported, card, &yes);
	TEST_NULL_2(doca_devinfo_rep_cap_is_filter_emulated_supported, card, &yes);
	TEST_OK(doca_devinfo_rep_cap_is_filter_all_supported(card, &yes));
	TEST_TRUE(yes == 1);
	TEST_OK(doca_devinfo_rep_cap_is_filter_all_supported(host, &yes));
	TEST_TRUE(yes == 0);
	TEST_OK(doca_devinfo_rep_cap_is_filter_net_supported(card, &yes));
	TEST_TRUE(yes == 1);
	TEST_OK(doca_devinfo_rep_cap_is_filter_net_supported(host, &yes));
	TEST_TRUE(yes == 0);
	TEST_OK(doca_devinfo_rep_cap_is_filter_emulated_supported(card, &yes));
	TEST_TRUE(yes == 0);
	return 0;
}

static int
test_dev_rep_list(void)
{
	struct doca_devinfo_rep **list;
	struct doca_dev *dev, *host;
	uint32_t nb;

	TEST_OK(doca_dev_open(find("03:00.0"), &dev));
	TEST_OK(doca_dev_open(find("b1:00.0"), &host));
	TEST_RESULT(doca_devinfo_rep_create_list(NULL, 0, &list, &nb), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_devinfo_rep_create_list(dev, 0, NULL, &nb), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_devinfo_rep_create_list(dev, 0, &list, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_devinfo_rep_create_list(dev, 1, &list, &nb), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_devinfo_rep_create_list(dev, -1, &list, &nb), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_EMULATED, &list,
			&nb), DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(doca_devinfo_rep_create_list(host, DOCA_DEVINFO_REP_FILTER_NET, &list, &nb),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(doca_devinfo_rep_destroy_list(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &nb));
	TEST_TRUE(nb == 5 && list[4] != NULL && list[5] == NULL);
	TEST_OK(doca_devinfo_rep_destroy_list(list));
	TEST_TRUE(find_rep(dev, "b1:00.0") != NULL);
	TEST_TRUE(find_rep(dev, "0000:b1:00.5") != NULL);
	TEST_TRUE(find_rep(dev, "b1:00.1") == NULL);
	TEST_OK(doca_dev_close(dev));
	TEST_OK(doca_dev_open(find("03:00.1"), &dev));
	TEST_TRUE(find_rep(dev, "b1:00.1") != NULL);
	TEST_OK(doca_dev_close(dev));
	TEST_OK(doca_dev_close(host));
	return 0;
}

static int
test_dev_rep_texts(void)
{
	char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	char vuid[DOCA_DEVINFO_REP_VUID_SIZE], other[DOCA_DEVINFO_REP_VUID_SIZE];
	struct doca_devinfo_rep *info;
	struct doca_dev *dev;
	uint8_t equal = 7;

	TEST_OK(doca_dev_open(find("03:00.0"), &dev));
	info = find_rep(dev, "b1:00.0");
	TEST_TRUE(info != NULL);
	TEST_NULL_3(doca_devinfo_rep_is_equal_pci_addr, info, "b1:00.0", &equal);
	TEST_RESULT(doca_devinfo_rep_is_equal_pci_addr(info, "b1", &equal),
			DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(equal == 7);
	TEST_NULL_2(doca_devinfo_rep_get_pci_addr_str, info, pci);
	TEST_OK(doca_devinfo_rep_get_pci_addr_str(info, pci));
	TEST_TRUE(strcmp(pci, "0000:b1:00.0") == 0);

	TEST_BYTES(doca_devinfo_rep_get_iface_name, info, iface);
	TEST_OK(doca_devinfo_rep_get_iface_name(info, iface, sizeof(iface)));
	TEST_TRUE(strcmp(iface, "pf0hpf") == 0);
	TEST_OK(doca_devinfo_rep_get_iface_name(find_rep(dev, "b1:00.3"), iface, sizeof(iface)));
	TEST_TRUE(strcmp(iface, "pf0vf1") == 0);

	TEST_BYTES(doca_devinfo_rep_get_vuid, info, vuid);
	TEST_OK(doca_devinfo_rep_get_vuid(info, vuid, sizeof(vuid)));
	TEST_OK(doca_devinfo_rep_get_vuid(find_rep(dev, "b1:00.3"), other, sizeof(other)));
	TEST_TRUE(vuid[0] != '\0' && strcmp(vuid, other) != 0);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_dev_rep_numbers(void)
{
	struct doca_devinfo_rep *pf, *vf, *sf;
	enum doca_pci_func_type type;
	uint32_t a = 77, b = 77;
	struct doca_dev *dev;
	uint8_t yes = 7;

	TEST_TRUE(setenv("DOCA_COMPAT_DEVICES", "03:00.0=pf0:pf1vf1:pf0sf4", 1) == 0);
	TEST_OK(doca_dev_open(find("03:00.0"), &dev));
	pf = find_rep(dev, "b1:00.0");
	vf = find_rep(dev, "b1:0f.3");
	sf = find_rep(dev, "b2:00.4");
	TEST_TRUE(pf != NULL && vf != NULL && sf != NULL);
	TEST_NULL_2(doca_devinfo_rep_get_pci_func_type, pf, &type);
	TEST_OK(doca_devinfo_rep_get_pci_func_type(pf, &type));
	TEST_TRUE(type == DOCA_PCI_FUNC_TYPE_PF);
	TEST_OK(doca_devinfo_rep_get_pci_func_type(vf, &type));
	TEST_TRUE(type == DOCA_PCI_FUNC_TYPE_VF);
	TEST_OK(doca_devinfo_rep_get_pci_func_type(sf, &type));
	TEST_TRUE(type == DOCA_PCI_FUNC_TYPE_SF);
	TEST_NULL_2(doca_devinfo_rep_get_is_hotplug, pf, &yes);
	TEST_OK(doca_devinfo_rep_get_is_hotplug(pf, &yes));
	TEST_TRUE(yes == 0);
	TEST_NULL_2(doca_devinfo_rep_get_sf_index, sf, &a);
	TEST_RESULT(doca_devinfo_rep_get_sf_index(vf, &a), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_devinfo_rep_get_sf_index(sf, &a));
	TEST_TRUE(a == 4);
	TEST_NULL_2(doca_devinfo_rep_get_host_index, pf, &a);
	TEST_OK(doca_devinfo_rep_get_host_index(pf, &a));
	TEST_TRUE(a == 0);
	TEST_NULL_2(doca_devinfo_rep_get_pf_index, vf, &a);
	TEST_OK(doca_devinfo_rep_get_pf_index(vf, &a));
	TEST_TRUE(a == 1);
	TEST_NULL_2(doca_devinfo_rep_get_vhca_id, vf, &a);
	TEST_OK(doca_devinfo_rep_get_vhca_id(pf, &a));
	TEST_OK(doca_devinfo_rep_get_vhca_id(vf, &b));
	TEST_TRUE(a != b && a != 0 && b != 0);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_dev_rep_open(void)
{
	struct doca_devinfo_rep *info;
	struct doca_dev_rep *rep, *again;
	struct doca_dev *dev;

	TEST_OK(doca_dev_open(find("03:00.0"), &dev));
	info = find_rep(dev, "b1:00.0");
	TEST_TRUE(info != NULL);
	TEST_NULL_2(doca_dev_rep_open, info, &rep);
	TEST_RESULT(doca_dev_rep_close(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(doca_dev_rep_as_devinfo(NULL) == NULL);
	TEST_OK(doca_dev_rep_open(info, &rep));
	TEST_TRUE(doca_dev_rep_as_devinfo(rep) == info);
	TEST_OK(doca_dev_rep_open(info, &again));
	/* representors are closed first */
	TEST_RESULT(doca_dev_close(dev), DOCA_ERROR_IN_USE);
	TEST_OK(doca_dev_rep_close(rep));
	TEST_RESULT(doca_dev_close(dev), DOCA_ERROR_IN_USE);
	TEST_OK(doca_dev_rep_close(again));
	TEST_RESULT(doca_dev_rep_close(rep), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_dev_close(dev));
	TEST_TRUE(doca_dev_rep_as_devinfo(rep) == info);
	return 0;
}

static void
exit_wrong_rep(void)
{
	struct doca_dev *dev;

	if (doca_dev_open(find("03:00.0"), &dev) != DOCA_SUCCESS || find("17:00.0") != NULL ||
			find_rep(dev, "17:00.1") != NULL)
		exit(1);
	exit(0);
}

/* The mistake that is made most often: what there is is logged once. */
static int
test_dev_not_found(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(exit_wrong_rep, out, err) == 0);
	TEST_TRUE(test_count(err, "no device has the PCI address 0000:17:00.0") == 1);
	TEST_TRUE(test_count(err, "has the PCI address 0000:17:00.1") == 1);
	TEST_HAS(err, "there are: 0000:b1:00.0 0000:b1:00.2");
	TEST_HAS(err, "DOCA_COMPAT_DEVICES");
	return 0;
}

static int
test_dev_old_names(void)
{
	struct doca_devinfo_rep **reps;
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint8_t equal = 0;
	uint32_t nb;

	TEST_RESULT(doca_devinfo_list_create(NULL, &nb), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_devinfo_list_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_devinfo_list_create(&list, &nb));
	TEST_RESULT(doca_devinfo_get_is_pci_addr_equal(list[0], NULL, &equal),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_devinfo_get_is_pci_addr_equal(list[0], "03:00.0", &equal));
	TEST_TRUE(equal == 1);
	TEST_OK(doca_dev_open(list[0], &dev));
	TEST_OK(doca_devinfo_list_destroy(list));
	TEST_RESULT(doca_devinfo_rep_list_create(NULL, DOCA_DEV_REP_FILTER_NET, &reps, &nb),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &reps, &nb));
	TEST_OK(doca_devinfo_rep_list_destroy(reps));
	TEST_RESULT(doca_devinfo_rep_list_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* --- Two processes */

/* Make this process the one that serves the representor. */
static doca_error_t
serve(const char *pci_addr)
{
	struct doca_dev_rep *rep;
	struct doca_dev *dev;
	uint16_t rep_id;
	int16_t dev_id;

	if (doca_dev_open(find("03:00.0"), &dev) != DOCA_SUCCESS ||
			doca_dev_rep_open(find_rep(dev, pci_addr), &rep) != DOCA_SUCCESS)
		return DOCA_ERROR_UNEXPECTED;
	return doca_compat_rep_dpu_dev(rep, &dev_id, &rep_id);
}

static void
exit_serve_second(void)
{
	/* one is taken, another one is not */
	if (serve("b1:00.0") != DOCA_ERROR_IN_USE || serve("b1:00.2") != DOCA_SUCCESS)
		exit(1);
	exit(0);
}

static int
test_dev_rep_taken(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE], path[] = "/tmp/doca-compat-XXXXXX";
	static char variable[64]; /* of the environment, which keeps the pointer */
	int ready[2], end[2], status;
	char byte = 0;
	pid_t pid;

	TEST_TRUE(mkdtemp(path) != NULL);
	snprintf(variable, sizeof(variable), "DOCA_COMPAT_PATH=%s", path);
	TEST_TRUE(putenv(variable) == 0);
	TEST_TRUE(pipe(ready) == 0 && pipe(end) == 0);
	pid = fork();
	TEST_TRUE(pid >= 0);
	if (pid == 0) {
		byte = serve("b1:00.0") == DOCA_SUCCESS;
		close(end[1]);
		if (write(ready[1], &byte, 1) != 1 || read(end[0], &byte, 1) != 0)
			exit(1);
		exit(0);
	}
	TEST_TRUE(read(ready[0], &byte, 1) == 1 && byte == 1);
	TEST_TRUE(test_process(exit_serve_second, out, err) == 0);
	TEST_HAS(err, "0000:b1:00.0");
	TEST_HAS(err, "another process serves this function");
	/* it can be served as soon as the first process has ended */
	close(end[1]);
	TEST_TRUE(waitpid(pid, &status, 0) == pid && status == 0);
	TEST_TRUE(find("03:00.0") != NULL);
	strcpy(variable, "DOCA_COMPAT_PATH=/"); /* too late */
	TEST_OK(serve("b1:00.0"));
	test_folder_remove(path);
	return 0;
}

const struct test_case test_dev[] = {
	TEST_CASE(test_dev_list),
	TEST_CASE(test_dev_equal),
	TEST_CASE(test_dev_texts),
	TEST_CASE(test_dev_kind),
	TEST_CASE(test_dev_without),
	TEST_CASE(test_dev_open),
	TEST_CASE(test_dev_filters),
	TEST_CASE(test_dev_rep_list),
	TEST_CASE(test_dev_rep_texts),
	TEST_CASE(test_dev_rep_numbers),
	TEST_CASE(test_dev_rep_open),
	TEST_CASE(test_dev_not_found),
	TEST_CASE(test_dev_old_names),
	TEST_CASE(test_dev_rep_taken),
	TEST_CASES_END(),
};
