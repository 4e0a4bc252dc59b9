/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Log backends, flags, devices by their PCI address. Nothing of a channel. */

#include <time.h>

#include <doca_log.h>
#include <doca_version.h>

#include "common.h"

#define SLEEP_US 10

DOCA_LOG_REGISTER(COMMON);

/* The program's messages, and those of the library from warnings on. */
static doca_error_t
start_logging(void)
{
	struct doca_log_backend *sdk_log;
	doca_error_t result;

	result = doca_log_backend_create_standard();
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_log_backend_create_with_file_sdk(stderr, &sdk_log);
	if (result != DOCA_SUCCESS)
		return result;
	return doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING);
}

static doca_error_t
copy_value(char *place, size_t size, const char *value, const char *what)
{
	if (strnlen(value, size) == size) {
		DOCA_LOG_ERR("%s is longer than %zu characters", what, size - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	strcpy(place, value);
	return DOCA_SUCCESS;
}

static doca_error_t
pci_addr_callback(void *param, void *config)
{
	struct common_config *conf = config;

	return copy_value(conf->pci_addr, sizeof(conf->pci_addr), param,
			"The device's address");
}

#ifdef DOCA_ARCH_DPU
static doca_error_t
rep_pci_callback(void *param, void *config)
{
	struct common_config *conf = config;

	return copy_value(conf->rep_pci, sizeof(conf->rep_pci), param,
			"The representor's address");
}
#endif

static doca_error_t
text_callback(void *param, void *config)
{
	struct common_config *conf = config;

	if (*(char *)param == '\0') {
		DOCA_LOG_ERR("The text is empty");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return copy_value(conf->text, sizeof(conf->text), param, "The text");
}

static doca_error_t
version_callback(void *param, void *config)
{
	(void)param;
	(void)config;
	printf("Headers: %s\nLibrary: %s\n", doca_version(), doca_version_runtime());
	doca_argp_destroy();
	exit(EXIT_SUCCESS);
}

doca_error_t
register_flag(const char *short_name, const char *long_name, const char *description,
		enum doca_argp_type type, doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param;
	doca_error_t result;

	result = doca_argp_param_create(&param);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to create a flag: %s", doca_error_get_descr(result));
		return result;
	}
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, description);
	doca_argp_param_set_type(param, type);
	doca_argp_param_set_callback(param, callback);
	result = doca_argp_register_param(param);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to register --%s: %s", long_name,
				doca_error_get_descr(result));
	return result;
}

static doca_error_t
register_common_flags(void)
{
	doca_error_t result;

	result = register_flag("p", "pci-addr", "PCI address of the device",
			DOCA_ARGP_TYPE_STRING, pci_addr_callback);
#ifdef DOCA_ARCH_DPU
	DOCA_ERROR_PROPAGATE(result, register_flag("r", "rep-pci",
			"PCI address of the representor", DOCA_ARGP_TYPE_STRING, rep_pci_callback));
#endif
	DOCA_ERROR_PROPAGATE(result, doca_argp_register_version_callback(version_callback));
	return result;
}

doca_error_t
register_text_flag(void)
{
	return register_flag("t", "text", "Text for the other side", DOCA_ARGP_TYPE_STRING,
			text_callback);
}

doca_error_t
begin(const char *name, void *config, doca_error_t (*register_own)(void), int argc, char **argv)
{
	doca_error_t result;

	result = start_logging();
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_argp_init(name, config);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to begin the command line: %s", doca_error_get_descr(result));
		return result;
	}
	result = register_common_flags();
	if (result == DOCA_SUCCESS)
		result = register_own();
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to parse the command line: %s", doca_error_get_descr(result));
	return result;
}

int
finish(doca_error_t result)
{
	doca_argp_destroy(); /* also if it has not begun */
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed: %s", doca_error_get_descr(result));
		return EXIT_FAILURE;
	}
	DOCA_LOG_INFO("Finished successfully");
	return EXIT_SUCCESS;
}

doca_error_t
open_device(const char *pci_addr, device_check_t check, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t i, count;
	uint8_t equal;
	doca_error_t result;

	*dev = NULL;
	result = doca_devinfo_create_list(&list, &count);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to list devices: %s", doca_error_get_descr(result));
		return result;
	}
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < count; i++) {
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) != DOCA_SUCCESS ||
				equal == 0)
			continue;
		if (check != NULL && check(list[i]) != DOCA_SUCCESS)
			continue;
		result = doca_dev_open(list[i], dev);
		if (result == DOCA_SUCCESS)
			break;
	}
	doca_devinfo_destroy_list(list);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("No device at %s: %s", pci_addr, doca_error_get_descr(result));
	return result;
}

doca_error_t
open_representor(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep)
{
	struct doca_devinfo_rep **list;
	uint32_t i, count;
	uint8_t equal;
	doca_error_t result;

	*rep = NULL;
	result = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to list representors, which only the card has: %s",
				doca_error_get_descr(result));
		return result;
	}
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < count; i++) {
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal) != DOCA_SUCCESS ||
				equal == 0)
			continue;
		result = doca_dev_rep_open(list[i], rep);
		if (result == DOCA_SUCCESS)
			break;
	}
	doca_devinfo_rep_destroy_list(list);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("No representor at %s: %s", pci_addr, doca_error_get_descr(result));
	return result;
}

void
sleep_for_us(uint32_t us)
{
	const struct timespec ts = { .tv_nsec = us * 1000L };

	nanosleep(&ts, NULL);
}

void
short_sleep(void)
{
	sleep_for_us(SLEEP_US);
}
