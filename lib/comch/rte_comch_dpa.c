/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Offload processors: what a device has, the life of a program, and how it is. What a
 * program has, but for message queues, is in rte_comch_dpa_obj.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>

#include "comch_dpa.h"
#include "comch_private.h"

/* What the driver says; the sizes of queues are rounded up, so limits are rounded down. */
static void
dpa_info_read(struct rte_comch_dev *dev, struct rte_comch_dpa_info *info)
{
	memset(info, 0, sizeof(*info));
	dev->ops->dpa->info_get(dev, info);
	info->nb_eus = RTE_MIN(info->nb_eus, (uint32_t)RTE_COMCH_DPA_MAX_EUS);
	info->max_imm_len = RTE_MIN(info->max_imm_len, (uint32_t)RTE_COMCH_DPA_IMM_SIZE);
	info->max_consumers = rte_align32prevpow2(info->max_consumers);
	info->max_producers = rte_align32prevpow2(info->max_producers);
	info->max_recv = rte_align32prevpow2(info->max_recv);
	info->max_send = rte_align32prevpow2(info->max_send);
	info->max_depth = rte_align32prevpow2(info->max_depth);
}

int
rte_comch_dpa_info_get(int16_t dev_id, struct rte_comch_dpa_info *info)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);

	if (dev == NULL || info == NULL) {
		COMCH_LOG(ERR, "device %d: no such device, or no place for the info of its offload processors",
			dev_id);
		return -EINVAL;
	}
	if ((dev->info.capa & RTE_COMCH_CAPA_DPA) != 0) {
		dpa_info_read(dev, info);
		return 0;
	}
	memset(info, 0, sizeof(*info));
	if (dev->no_dpa != NULL)
		strlcpy(info->reason, dev->no_dpa, sizeof(info->reason));
	else
		snprintf(info->reason, sizeof(info->reason),
			"driver %s has no offload processor", dev->driver_name);
	return -ENOTSUP;
}

/* Whether its program runs, for something that wants it to: else why not, and a log. */
int
comch_dpa_usable(struct comch_dpa *dpa, const char *what)
{
	int ended;

	if (!dpa->started) {
		COMCH_LOG(ERR, "%s: no %s: program '%s' is not started, call rte_comch_dpa_start() first",
			comch_dpa_dev_name(dpa), what, dpa->drv.program);
		return -ENOTCONN;
	}
	rte_spinlock_lock(&dpa->lock);
	ended = dpa->ended;
	rte_spinlock_unlock(&dpa->lock);
	if (ended == 0)
		return 0;
	COMCH_LOG(ERR, "%s: no %s: program '%s' has ended, rte_comch_dpa_status_get() says why; destroy what it has, then stop and start it",
		comch_dpa_dev_name(dpa), what, dpa->drv.program);
	return -EIO;
}

/* What no configuration may have. */
int
comch_dpa_conf_check(const struct comch_dpa *dpa, const char *what, uint32_t flags,
		const uint64_t *reserved, uint32_t nb_reserved)
{
	if (flags == 0 && comch_reserved_is_zero(reserved, nb_reserved))
		return 0;
	COMCH_LOG(ERR, "%s: unknown flags 0x%x, or a reserved field that is not 0, in the configuration of a %s: clear the whole of it",
		comch_dpa_dev_name(dpa), flags, what);
	return -EINVAL;
}

/* The name of a function of a program. */
int
comch_dpa_name_check(const struct comch_dpa *dpa, const char *what, const char *name)
{
	if (name != NULL && name[0] != '\0' &&
			strnlen(name, RTE_COMCH_DPA_NAME_SIZE) < RTE_COMCH_DPA_NAME_SIZE)
		return 0;
	COMCH_LOG(ERR, "%s: the function of a %s has no name, or one above %d characters: give that of '%s'",
		comch_dpa_dev_name(dpa), what, RTE_COMCH_DPA_NAME_SIZE - 1, dpa->drv.program);
	return -EINVAL;
}

/* The CPUs of execution units. */
static int
dpa_cpus_set(struct comch_dpa *dpa, const int32_t *cpus)
{
	uint32_t i;

	for (i = 0; i < RTE_DIM(dpa->drv.eu_cpus); i++)
		dpa->drv.eu_cpus[i] = cpus != NULL && i < dpa->drv.nb_eus ? cpus[i] : -1;
	for (i = 0; i < dpa->drv.nb_eus; i++) {
		if (dpa->drv.eu_cpus[i] >= -1)
			continue;
		COMCH_LOG(ERR, "%s: eu_cpus of execution unit %u is %d: a CPU, or -1 for any",
			comch_dpa_dev_name(dpa), i, dpa->drv.eu_cpus[i]);
		return -EINVAL;
	}
	return 0;
}

static int
dpa_conf_check(struct rte_comch_dev *dev, const struct rte_comch_dpa_conf *conf,
		const struct rte_comch_dpa_info *info)
{
	const char *name = dev->data->name;

	if (conf->program == NULL || conf->program[0] == '\0' ||
			(conf->runner != NULL && conf->runner[0] == '\0')) {
		COMCH_LOG(ERR, "%s: an offload processor without a program, or with an empty runner: give the path of one",
			name);
		return -EINVAL;
	}
	if ((conf->flags & ~RTE_COMCH_DPA_F_ALL) != 0 ||
			!comch_reserved_is_zero(conf->reserved, RTE_DIM(conf->reserved))) {
		COMCH_LOG(ERR, "%s: unknown flags 0x%x, or a reserved field that is not 0, in the configuration of an offload processor: clear the whole of it",
			name, conf->flags);
		return -EINVAL;
	}
	if (conf->nb_eus > info->nb_eus) {
		COMCH_LOG(ERR, "%s: nb_eus %u of an offload processor, the device has %u execution units",
			name, conf->nb_eus, info->nb_eus);
		return -EINVAL;
	}
	if (conf->mem_size > info->max_mem_size) {
		COMCH_LOG(ERR, "%s: mem_size %" PRIu64 " of an offload processor is above %" PRIu64,
			name, conf->mem_size, info->max_mem_size);
		return -EINVAL;
	}
	if (conf->runner != NULL && (conf->flags & RTE_COMCH_DPA_F_UNCONFINED) == 0) {
		COMCH_LOG(ERR, "%s: runner '%s' cannot be confined: set RTE_COMCH_DPA_F_UNCONFINED if you trust the program",
			name, conf->runner);
		return -EPERM;
	}
	return 0;
}

static void
dpa_free(struct comch_dpa *dpa)
{
	pthread_mutex_destroy(&dpa->mutex); /* check-ok: waiters must sleep */
	free(dpa->drv.program);
	free(dpa->drv.runner);
	free(dpa);
}

/* What was checked comes into force. */
static int
dpa_conf_apply(struct comch_dpa *dpa, const struct rte_comch_dpa_conf *conf)
{
	dpa->drv.program = strdup(conf->program);
	if (conf->runner != NULL)
		dpa->drv.runner = strdup(conf->runner);
	if (dpa->drv.program == NULL || (conf->runner != NULL && dpa->drv.runner == NULL))
		return -ENOMEM;
	dpa->drv.nb_eus = RTE_MAX(conf->nb_eus, 1u);
	dpa->drv.flags = conf->flags;
	dpa->drv.mem_size = conf->mem_size != 0 ? conf->mem_size :
		RTE_MIN(RTE_COMCH_DPA_DFLT_MEM_SIZE, dpa->info.max_mem_size);
	return dpa_cpus_set(dpa, conf->eu_cpus);
}

int
rte_comch_dpa_create(int16_t dev_id, const struct rte_comch_dpa_conf *conf,
		struct rte_comch_dpa **out)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct rte_comch_dpa_info info;
	struct comch_dpa *dpa;
	int ret;

	if (dev == NULL || conf == NULL || out == NULL) {
		COMCH_LOG(ERR, "device %d: no such device, or an offload processor without a configuration or a place for it",
			dev_id);
		return -EINVAL;
	}
	ret = rte_comch_dpa_info_get(dev_id, &info);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: no offload processor: %s", dev->data->name, info.reason);
		return ret;
	}
	ret = dpa_conf_check(dev, conf, &info);
	if (ret != 0)
		return ret;
	dpa = calloc(1, sizeof(*dpa));
	if (dpa == NULL)
		return -ENOMEM;
	dpa->drv.dev = dev;
	dpa->info = info;
	pthread_mutex_init(&dpa->mutex, NULL); /* check-ok: waiters must sleep */
	rte_spinlock_init(&dpa->lock);
	TAILQ_INIT(&dpa->msgqs);
	ret = dpa_conf_apply(dpa, conf);
	if (ret != 0) {
		dpa_free(dpa);
		return ret;
	}
	rte_spinlock_lock(&dev->lock);
	TAILQ_INSERT_TAIL(&dev->dpas, dpa, next);
	rte_spinlock_unlock(&dev->lock);
	*out = &dpa->drv;
	return 0;
}

/* One that a driver may look at for good: it stays, where a debugger finds it. */
static void
dpa_keep(struct comch_dpa *dpa)
{
	static rte_spinlock_t lock = RTE_SPINLOCK_INITIALIZER;
	static TAILQ_HEAD(, comch_dpa) leaked = TAILQ_HEAD_INITIALIZER(leaked);

	rte_comch_pmd_count(&dpa->drv.dev->data->stats.retained);
	rte_spinlock_lock(&lock);
	TAILQ_INSERT_TAIL(&leaked, dpa, next);
	rte_spinlock_unlock(&lock);
}

int
rte_comch_dpa_destroy(struct rte_comch_dpa *drv)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	bool started;

	if (drv == NULL)
		return 0;
	comch_dpa_lock(dpa);
	started = dpa->started;
	comch_dpa_unlock(dpa);
	if (started) {
		COMCH_LOG(ERR, "%s: program '%s' is started, call rte_comch_dpa_stop() before it is destroyed",
			comch_dpa_dev_name(dpa), drv->program);
		return -EBUSY;
	}
	rte_spinlock_lock(&drv->dev->lock);
	TAILQ_REMOVE(&drv->dev->dpas, dpa, next);
	rte_spinlock_unlock(&drv->dev->lock);
	if (dpa->leaked)
		dpa_keep(dpa);
	else
		dpa_free(dpa);
	return 0;
}

static void
dpa_start_log(const struct comch_dpa *dpa, int error)
{
	const char *remedy = "";

	if (error == -ENOENT)
		remedy = ", give the path of a file that is there";
	else if (error == -ENOEXEC || error == -EPROTO)
		remedy = ", build it anew for this device and version";
	else if (error == -EPERM)
		remedy = ", it cannot be confined here: set RTE_COMCH_DPA_F_UNCONFINED if you trust it";
	COMCH_LOG(ERR, "%s: program '%s' does not start: %s%s", comch_dpa_dev_name(dpa),
		dpa->drv.program, strerror(-error), remedy);
}

/*
 * With the mutex: the program may end before the start op returns. First it has not ended,
 * then the device is asked. The status is set before programs are told, so that a failure
 * in between is found here or told later; the other order would forget it. A reset looks
 * for programs and sets the status under the device's lock: it finds this one, or is found.
 */
static int
dpa_start_begin(struct comch_dpa *dpa)
{
	struct rte_comch_dev *dev = dpa->drv.dev;
	int ret;

	rte_spinlock_lock(&dev->lock);
	rte_spinlock_lock(&dpa->lock);
	dpa->ended = 0;
	/* acquire: pairs with the release of whoever changed it */
	ret = __atomic_load_n(&dev->status, __ATOMIC_ACQUIRE);
	dpa->changing = ret == 0;
	rte_spinlock_unlock(&dpa->lock);
	rte_spinlock_unlock(&dev->lock);
	return ret;
}

/* With the mutex. */
static int
dpa_start(struct comch_dpa *dpa)
{
	int ret;

	if (dpa->started)
		return -EALREADY;
	ret = dpa_start_begin(dpa);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: the device is down (%s), reset it before program '%s' can start",
			comch_dpa_dev_name(dpa), strerror(-ret), dpa->drv.program);
		return ret;
	}
	ret = comch_dpa_ops(dpa)->start(&dpa->drv);
	rte_spinlock_lock(&dpa->lock);
	dpa->changing = false;
	dpa->started = ret == 0;
	rte_spinlock_unlock(&dpa->lock);
	if (ret != 0)
		dpa_start_log(dpa, ret);
	return ret;
}

int
rte_comch_dpa_start(struct rte_comch_dpa *drv)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	int ret;

	if (drv == NULL)
		return -EINVAL;
	comch_dpa_lock(dpa);
	ret = dpa_start(dpa);
	comch_dpa_unlock(dpa);
	return ret;
}

/* With the mutex. */
static int
dpa_stop(struct comch_dpa *dpa)
{
	if (!dpa->started)
		return -EALREADY;
	if ((dpa->nb_threads | dpa->nb_completions | dpa->nb_msgqs | dpa->nb_windows |
			dpa->nb_mems) != 0) {
		COMCH_LOG(ERR, "%s: program '%s' has %u message queues, %u completion contexts, %u threads, %u windows and %u pieces of memory: destroy and free them before it stops",
			comch_dpa_dev_name(dpa), dpa->drv.program, dpa->nb_msgqs,
			dpa->nb_completions, dpa->nb_threads, dpa->nb_windows, dpa->nb_mems);
		return -EBUSY;
	}
	/* nobody asks how it is any more */
	rte_spinlock_lock(&dpa->lock);
	dpa->started = false;
	dpa->changing = true;
	rte_spinlock_unlock(&dpa->lock);
	comch_dpa_ops(dpa)->stop(&dpa->drv);
	dpa->drv.priv = NULL;
	rte_spinlock_lock(&dpa->lock);
	dpa->changing = false;
	rte_spinlock_unlock(&dpa->lock);
	return 0;
}

int
rte_comch_dpa_stop(struct rte_comch_dpa *drv)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	int ret;

	if (drv == NULL)
		return -EINVAL;
	comch_dpa_lock(dpa);
	ret = dpa_stop(dpa);
	comch_dpa_unlock(dpa);
	return ret;
}

int
rte_comch_dpa_status_get(struct rte_comch_dpa *drv, struct rte_comch_dpa_status *status)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	struct rte_comch_dpa_status got;

	if (drv == NULL || status == NULL)
		return -EINVAL;
	memset(&got, 0, sizeof(got));
	got.eu = RTE_COMCH_DPA_NO_EU;
	rte_spinlock_lock(&dpa->lock);
	if (dpa->started) {
		got.state = RTE_COMCH_DPA_RUNNING;
		comch_dpa_ops(dpa)->status_get(drv, &got);
		if (dpa->ended != 0 && got.state != RTE_COMCH_DPA_FAILED) {
			/* the program may be well */
			got.state = RTE_COMCH_DPA_FAILED;
			got.end = RTE_COMCH_DPA_END_DEVICE;
			got.reason = dpa->ended;
			snprintf(got.text, sizeof(got.text), "the device has failed: %s",
				strerror(-dpa->ended));
		}
	}
	rte_spinlock_unlock(&dpa->lock);
	*status = got;
	return 0;
}

int
rte_comch_dpa_eu_info_get(struct rte_comch_dpa *drv, uint32_t eu,
		struct rte_comch_dpa_eu_info *info)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	struct rte_comch_dpa_eu_info got;
	int ret = -ENOTCONN;

	if (drv == NULL || info == NULL || eu >= drv->nb_eus)
		return -EINVAL;
	memset(&got, 0, sizeof(got));
	rte_spinlock_lock(&dpa->lock);
	if (dpa->started) {
		comch_dpa_ops(dpa)->eu_info_get(drv, eu, &got);
		ret = 0;
	}
	rte_spinlock_unlock(&dpa->lock);
	if (ret == 0)
		*info = got;
	return ret;
}
