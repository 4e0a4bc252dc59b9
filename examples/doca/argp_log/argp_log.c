/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A program in the idiom of the vendor's guides, as far as there is no device yet: log
 * backends, the flags of the guides' samples, and what it would do, in words. Written
 * from the guides; it uses headers of the vendor's names only.
 */

#include <doca_argp.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_version.h>

#define ADDRESS_SIZE 13 /* domain:bus:device.function */
#define TEXT_SIZE 4080
#define DEFAULT_ADDRESS "03:00.0"

DOCA_LOG_REGISTER(ARGP_LOG::MAIN);

struct program_config {
	char pci_addr[ADDRESS_SIZE]; /* of the device */
	char rep_pci[ADDRESS_SIZE];  /* of the representor; on the card only */
	char text[TEXT_SIZE];
	int num_msgs;
};

static doca_error_t
copy_text(char *place, size_t size, const char *value, const char *what)
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
	struct program_config *conf = config;

	return copy_text(conf->pci_addr, sizeof(conf->pci_addr), param, "the device's address");
}

#ifdef DOCA_ARCH_DPU
static doca_error_t
rep_pci_callback(void *param, void *config)
{
	struct program_config *conf = config;

	return copy_text(conf->rep_pci, sizeof(conf->rep_pci), param,
			"the representor's address");
}
#endif

static doca_error_t
text_callback(void *param, void *config)
{
	struct program_config *conf = config;

	return copy_text(conf->text, sizeof(conf->text), param, "the text");
}

static doca_error_t
num_msgs_callback(void *param, void *config)
{
	struct program_config *conf = config;
	int num_msgs = *(int *)param;

	if (num_msgs < 1) {
		DOCA_LOG_ERR("the number of messages has to be above 0");
		return DOCA_ERROR_INVALID_VALUE;
	}
	conf->num_msgs = num_msgs;
	return DOCA_SUCCESS;
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

static doca_error_t
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
register_flags(void)
{
	doca_error_t result;

	result = register_flag("p", "pci-addr", "PCI address of the device",
			DOCA_ARGP_TYPE_STRING, pci_addr_callback);
#ifdef DOCA_ARCH_DPU
	DOCA_ERROR_PROPAGATE(result, register_flag("r", "rep-pci",
			"PCI address of the representor", DOCA_ARGP_TYPE_STRING, rep_pci_callback));
#endif
	DOCA_ERROR_PROPAGATE(result, register_flag("t", "text", "Text to send",
			DOCA_ARGP_TYPE_STRING, text_callback));
	DOCA_ERROR_PROPAGATE(result, register_flag("n", "num-msgs", "How often to send it",
			DOCA_ARGP_TYPE_INT, num_msgs_callback));
	DOCA_ERROR_PROPAGATE(result, doca_argp_register_version_callback(version_callback));
	return result;
}

static void
run(const struct program_config *conf)
{
	int i;

#ifdef DOCA_ARCH_DPU
	DOCA_LOG_INFO("Would serve representor %s of device %s", conf->rep_pci, conf->pci_addr);
#else
	DOCA_LOG_INFO("Would connect by device %s", conf->pci_addr);
#endif
	for (i = 0; i < conf->num_msgs; i++)
		DOCA_LOG_RATE_LIMIT_INFO("Would send \"%s\"", conf->text);
	DOCA_LOG_DBG("Would have sent %d messages", conf->num_msgs);
}

int
main(int argc, char **argv)
{
	struct program_config conf = {
		.pci_addr = DEFAULT_ADDRESS,
		.rep_pci = "b1:00.0",
		.text = "a message",
		.num_msgs = 1,
	};
	struct doca_log_backend *sdk_log;
	int exit_status = EXIT_FAILURE;
	doca_error_t result;

	/* The program's messages, and those of the library from warnings on */
	result = doca_log_backend_create_standard();
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = doca_log_backend_create_with_file_sdk(stderr, &sdk_log);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;

	result = doca_argp_init("argp_log", &conf);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to begin the command line: %s", doca_error_get_descr(result));
		return EXIT_FAILURE;
	}
	result = register_flags();
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to parse the command line: %s", doca_error_get_descr(result));
	} else {
		run(&conf);
		exit_status = EXIT_SUCCESS;
	}
	doca_argp_destroy();
	return exit_status;
}
