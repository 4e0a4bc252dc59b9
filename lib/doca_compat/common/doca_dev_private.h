/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DEV_PRIVATE_H
#define DOCA_DEV_PRIVATE_H

/*
 * What the libraries of the layer share about devices: the start of EAL, functions of
 * the environment, and the devices of rte_comch that carry them. Not installed. Functions
 * declared here have the version node DOCA_COMPAT_INTERNAL. Nothing about contexts.
 *
 * A function is what a PCI address stands for. Programs of the card and programs of the
 * host name the same address as often as not, so a function has no role: a device of
 * rte_comch of the role that is asked for is probed when the first context needs it.
 */

#include <stdint.h>

#include <rte_comch.h>

#include <doca_error.h>

struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/* Lives until the process ends; two with one address are the same pointer. */
struct doca_compat_func;

/*
 * Start EAL, unless the program or an earlier call has. Any thread.
 * DOCA_ERROR_INITIALIZATION: it does not start, which was logged with the remedy.
 */
doca_error_t doca_compat_start(void);

/* The result that stands for 0 or a negative errno of rte_comch, where nothing is special. */
doca_error_t doca_compat_result(int ret);

/* The function of a device or a list entry. */
struct doca_compat_func *doca_compat_dev_func(const struct doca_dev *dev);
struct doca_compat_func *doca_compat_devinfo_func(const struct doca_devinfo *devinfo);

/* The limits of a function, also if no device of it is open. */
doca_error_t doca_compat_func_limits(struct doca_compat_func *func,
		struct rte_comch_dev_info *info);

/*
 * The limits of a list entry, which may be NULL; and one of 32 bits by the place of its
 * field. DOCA_ERROR_NOT_SUPPORTED: it cannot do all of capa, which is of RTE_COMCH_CAPA_*.
 */
doca_error_t doca_compat_devinfo_limits(const struct doca_devinfo *devinfo, uint64_t capa,
		struct rte_comch_dev_info *info);
doca_error_t doca_compat_devinfo_limit(const struct doca_devinfo *devinfo, uint64_t capa,
		size_t field, uint32_t *value);

/*
 * A program has asked whether a device can do something, which it cannot. What: text in
 * static memory, as in "no servers: take another device". It is logged if this is the
 * device whose address the program looks for, and it does not open it.
 */
void doca_compat_devinfo_lacks(const struct doca_devinfo *devinfo, const char *what);

/*
 * The device that carries clients of a function; nth counts from 0: a device takes
 * contexts of few engines, and each further one is another link to the same function.
 * DOCA_ERROR_NOT_SUPPORTED: the environment says that the function has no clients.
 * DOCA_ERROR_NO_MEMORY: there is no nth, and none can be made, which was logged.
 */
doca_error_t doca_compat_func_host_dev(struct doca_compat_func *func, unsigned int nth,
		int16_t *dev_id);

/* The device that carries the offload processors of a function, whichever side it is. */
doca_error_t doca_compat_func_dpa_dev(struct doca_compat_func *func, int16_t *dev_id);

/*
 * The device and the representor that carry servers for the function behind rep.
 * DOCA_ERROR_IN_USE: another process serves that function, which was logged.
 */
doca_error_t doca_compat_rep_dpu_dev(const struct doca_dev_rep *rep, int16_t *dev_id,
		uint16_t *rep_id);

/*
 * A context or an endpoint uses an open device or representor: until it is released,
 * closing it answers DOCA_ERROR_IN_USE. rep may be NULL.
 */
void doca_compat_dev_hold(struct doca_dev *dev, struct doca_dev_rep *rep);
void doca_compat_dev_release(struct doca_dev *dev, struct doca_dev_rep *rep);

/* What the program calls the device and the representor, for messages: PCI addresses. */
const char *doca_compat_dev_name(const struct doca_dev *dev);
const char *doca_compat_rep_name(const struct doca_dev_rep *rep);

/* Milliseconds that a client tries to connect; of the environment. */
uint32_t doca_compat_connect_timeout_ms(void);

/*
 * Bytes of each buffer that a consumer posts, by the environment; 0 if its tasks have
 * none. False: it does not say.
 */
bool doca_compat_recv_size(uint32_t *size);

#endif /* DOCA_DEV_PRIVATE_H */
