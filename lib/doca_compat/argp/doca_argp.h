/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_ARGP_H
#define DOCA_ARGP_H

/**
 * @file
 *
 * The command line of a program: flags, their values, and a JSON file instead of them.
 *
 * Order of calls: doca_argp_init(); for each flag doca_argp_param_create(), the setters,
 * doca_argp_register_param(); doca_argp_start(), in which the callbacks run; later
 * doca_argp_destroy(). There is one command line in a process, and one thread calls these
 * functions. A callback may call doca_argp_destroy().
 *
 * What is wrong with a command line is logged by an SDK backend, or printed to stderr if
 * the program has none. Every program has these flags:
 *
 * - -h, --help: print what there is, and end the program with exit status 0.
 * - -v, --version: call the callback of the version, or print the version, and end the
 *   program with exit status 0.
 * - -l, --log-level: the global lower limit of the log, 10 to 70.
 * - --sdk-log-level: the global limit of messages of the layer itself, 10 to 70.
 * - -j, --json: a file with more flags. Those of the command line hold before the same
 *   ones of the file.
 *
 * The file has an object "doca_general_flags" with log-level and sdk-log-level, and an
 * object "doca_program_flags" with the program's flags; the keys are long names. A flag
 * with multiplicity may have an array.
 *
 * Values are written "--name value", "--name=value", "-n value", "-nvalue" or "-n=value".
 * Short names may have several characters, as in "-ts 4". Flags of one character that
 * take no value may stand together.
 *
 * A program of DPDK has the flags of EAL first, and "--" between them and its own.
 */

#include <stdarg.h>
#include <stdbool.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A flag of the command line. The program's until it is registered. */
struct doca_argp_param;

/** What the value of a flag is, and what its callback gets. */
enum doca_argp_type {
	DOCA_ARGP_TYPE_UNKNOWN = 0,    /**< Not set yet. */
	DOCA_ARGP_TYPE_STRING = 1,     /**< Text: char *, which the callback may change. */
	DOCA_ARGP_TYPE_INT = 2,        /**< A number, decimal or after 0x: int *. */
	DOCA_ARGP_TYPE_BOOLEAN = 3,    /**< No value on the command line: bool *, true. */
	DOCA_ARGP_TYPE_DEVICE = 4,     /**< A device; not supported. */
	DOCA_ARGP_TYPE_DEVICE_REP = 5, /**< A representor; not supported. */
	DOCA_ARGP_TYPE_DOUBLE = 6,     /**< A number: double *. */
};

/**
 * Takes the value of a flag.
 *
 * @param value
 *   The value, as enum doca_argp_type says; valid until the callback returns.
 * @param config
 *   The program's configuration, of doca_argp_init().
 * @return
 *   DOCA_SUCCESS, or an error, which ends doca_argp_start() and is returned by it.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *value, void *config);

/**
 * Takes the flags of EAL, and starts it.
 *
 * @param argc
 *   Number of arguments, the program's name included.
 * @param argv
 *   Arguments, those before "--"; with NULL behind the last. Valid until the callback
 *   returns, but the texts are those of main().
 * @return
 *   DOCA_SUCCESS, or an error, which ends doca_argp_start() and is returned by it.
 */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/**
 * Looks at the configuration after all callbacks of flags: what flags that depend on each
 * other have to be is checked here.
 *
 * @param config
 *   The program's configuration, of doca_argp_init().
 * @return
 *   DOCA_SUCCESS, or an error, which is returned by doca_argp_start().
 */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *config);

/**
 * Begin.
 *
 * @param name
 *   Name of the program, copied; or NULL for the one of argv[0].
 * @param config
 *   The program's configuration, for the callbacks; may be NULL.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_BAD_STATE: done already, and doca_argp_destroy() not called.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_argp_init(const char *name, void *config);

/**
 * Parse the command line, and the JSON file that it names, and call the callbacks: those
 * of the file first, then those of the command line, each in its order. Nothing is called
 * unless all of it can be parsed and each mandatory flag is there; the version's callback
 * is called where -v stands. Can be called once after doca_argp_init().
 *
 * @param argc
 *   Number of arguments, the program's name included.
 * @param argv
 *   Arguments, of main(); not changed.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_BAD_STATE: not after doca_argp_init(), or the second time.
 *   - DOCA_ERROR_INVALID_VALUE: argc is below 1 or argv is NULL; a value is missing, or is
 *     not of its type; there is an argument that belongs to no flag; a flag without
 *     multiplicity is there twice; a singular one is not alone.
 *   - DOCA_ERROR_NOT_SUPPORTED: there is no such flag.
 *   - DOCA_ERROR_INITIALIZATION: a mandatory flag is missing.
 *   - DOCA_ERROR_IO_FAILED: the JSON file cannot be read, or is not such a file.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - What a callback has returned.
 */
DOCA_STABLE
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * End, and free all flags.
 *
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_BAD_STATE: not after doca_argp_init().
 */
DOCA_STABLE
doca_error_t doca_argp_destroy(void);

/**
 * Print all flags to stdout, but hidden ones. Prints nothing without doca_argp_init().
 */
DOCA_STABLE
void doca_argp_usage(void);

/**
 * Make a flag. doca_argp_destroy() frees it if it is not registered.
 *
 * @param[out] param
 *   The flag.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: param is NULL.
 *   - DOCA_ERROR_BAD_STATE: not between doca_argp_init() and doca_argp_start().
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * Add a flag to the command line. It belongs to the library from now on, also if this
 * fails.
 *
 * @param param
 *   The flag.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: there is no such flag that is not registered; it has no
 *     name, no callback or no type; a name is empty, begins with '-' or has a space or '='
 *     in it.
 *   - DOCA_ERROR_ALREADY_EXIST: another flag has its short or its long name.
 *   - DOCA_ERROR_NOT_SUPPORTED: the type is a device or a representor.
 *   - DOCA_ERROR_BAD_STATE: not between doca_argp_init() and doca_argp_start().
 *   - DOCA_ERROR_NO_MEMORY: no memory, here or in a setter.
 */
DOCA_STABLE
doca_error_t doca_argp_register_param(struct doca_argp_param *param);

/**
 * Set what -v calls. The value it gets is a bool that is true.
 *
 * @param callback
 *   The callback. If it returns DOCA_SUCCESS the program ends with exit status 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 *   - DOCA_ERROR_BAD_STATE: not between doca_argp_init() and doca_argp_start().
 */
DOCA_STABLE
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * Set what is called when all callbacks of flags have returned.
 *
 * @param callback
 *   The callback.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 *   - DOCA_ERROR_BAD_STATE: not between doca_argp_init() and doca_argp_start().
 */
DOCA_STABLE
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * Say that the program has flags of EAL: those before "--", if it is there. Ignored if it
 * is not between doca_argp_init() and doca_argp_start().
 *
 * @param callback
 *   Called once by doca_argp_start(), before the callbacks of flags; without flags of EAL,
 *   too. NULL for none.
 */
DOCA_STABLE
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/** @name What a flag is
 *
 * These are for flags that are not registered. Anything else, NULL included, is ignored.
 * Texts are copied.
 * @{
 */

/**
 * Set the short name: "p" for -p.
 *
 * @param param
 *   The flag.
 * @param name
 *   The name, without '-'; NULL for none.
 */
DOCA_STABLE
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * Set the long name: "pci-addr" for --pci-addr. It is the key in a JSON file.
 *
 * @param param
 *   The flag.
 * @param name
 *   The name, without '-'; NULL for none.
 */
DOCA_STABLE
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * Set what stands for the value when flags are printed.
 *
 * @param param
 *   The flag.
 * @param arguments
 *   The text, as "<address>"; NULL for none.
 */
DOCA_STABLE
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * Set what the flag is for, in words.
 *
 * @param param
 *   The flag.
 * @param description
 *   The text; NULL for none.
 */
DOCA_STABLE
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/**
 * Set what takes the value.
 *
 * @param param
 *   The flag.
 * @param callback
 *   The callback.
 */
DOCA_STABLE
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);

/**
 * Set the type of the value.
 *
 * @param param
 *   The flag.
 * @param type
 *   The type.
 */
DOCA_STABLE
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * The flag must be there.
 *
 * @param param
 *   The flag.
 */
DOCA_STABLE
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * The flag may be there more than once. Its callback is called for each value.
 *
 * @param param
 *   The flag.
 */
DOCA_STABLE
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * The flag may not be in a JSON file.
 *
 * @param param
 *   The flag.
 */
DOCA_STABLE
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * No other flag of the program may be there with it, and mandatory ones need not be.
 *
 * @param param
 *   The flag.
 */
DOCA_STABLE
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * Commands below the program have the flag too. There are no commands yet.
 *
 * @param param
 *   The flag.
 */
DOCA_STABLE
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * The flag is not printed.
 *
 * @param param
 *   The flag.
 */
DOCA_STABLE
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/** @} */

/**
 * Get the level that --log-level has given, or the one that holds without it.
 *
 * @param[out] level
 *   The level, enum doca_log_level.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: level is NULL.
 *   - DOCA_ERROR_BAD_STATE: not after doca_argp_init().
 */
DOCA_STABLE
doca_error_t doca_argp_get_log_level(int *level);

/**
 * Get the level that --sdk-log-level has given, or the one that holds without it.
 *
 * @param[out] level
 *   The level, enum doca_log_level.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: level is NULL.
 *   - DOCA_ERROR_BAD_STATE: not after doca_argp_init().
 */
DOCA_STABLE
doca_error_t doca_argp_get_sdk_log_level(int *level);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H */
