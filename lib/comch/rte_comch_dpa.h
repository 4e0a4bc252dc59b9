/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_DPA_H
#define RTE_COMCH_DPA_H

/**
 * @file
 *
 * Offload processors: programs that run beside the application, and what they reach.
 * Applications get this file by rte_comch.h. How the two sides talk is in
 * rte_comch_msgq.h; what a program may call is in rte_comch_dpa_dev.h.
 *
 * The vendor's card has such a processor, the data-path accelerator (DPA). A driver may
 * have another one, even in software: the same program source runs on each.
 *
 * - An *offload processor* (dpa) is one program that is loaded on a device, with memory
 *   of its own. A device may have several at one time.
 * - An *execution unit* (EU) runs one thread of the program at a time.
 * - A *thread* is a function of the program, with an argument, bound to one execution
 *   unit. It does not run by itself: rte_comch_dpa_thread_run() or a notification has
 *   it run once, and it returns.
 * - An *RPC* calls another kind of function, outside of all execution units, and waits
 *   for what that returns.
 * - A *window* lets the program reach a region of the application.
 *
 * Set-up, in this order:
 *
 *  1. rte_comch_dpa_info_get(): does the device have one, and with which limits?
 *  2. rte_comch_dpa_create(), rte_comch_dpa_start().
 *  3. rte_comch_dpa_mem_alloc() and rte_comch_dpa_mem_write() for what threads find by
 *     their argument; rte_comch_dpa_window_create().
 *  4. rte_comch_dpa_thread_create().
 *  5. The completion contexts and message queues of rte_comch_msgq.h.
 *  6. rte_comch_dpa_thread_run(), or messages.
 *
 * Teardown is the other way round: each object is destroyed before what it uses, and
 * -EBUSY says that something still uses it. rte_comch_dpa_stop() and
 * rte_comch_dpa_destroy() come last.
 *
 * The end of a program. A program that faults, makes a call that it may not make, does
 * not answer, or is killed, ends for good; the application goes on.
 * rte_comch_dpa_status_get() says why, and which execution unit it was. From then on,
 * what makes something returns -EIO, and what destroys something succeeds: take all of it
 * down as above, and start again.
 *
 * Mistakes of a program that are no reason to end it, such as a send to a consumer that
 * does not exist, are refused in there, counted, and the last of each execution unit is
 * in rte_comch_dpa_eu_info_get().
 *
 * Threads: all functions may be called from any thread, and may wait. Those of one
 * offload processor wait for each other, but for rte_comch_dpa_status_get() and
 * rte_comch_dpa_eu_info_get(). None is for the fast path, or for a callback that must
 * not wait.
 *
 * Trust: the program is trusted with nothing but its own memory, the windows, and its
 * end of the message queues. How it is confined is in the guide of the driver.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_compat.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_comch_mem;

/** Opaque handle of an offload processor. */
struct rte_comch_dpa;
/** Opaque handle of a thread of a program. */
struct rte_comch_dpa_thread;
/** Opaque handle of a window. */
struct rte_comch_dpa_window;

/** Execution units that an offload processor has at most. */
#define RTE_COMCH_DPA_MAX_EUS 64
/** Bytes of the name of a function of a program, with the final NUL. */
#define RTE_COMCH_DPA_NAME_SIZE 32
/** Bytes of the longest immediate data of any message queue. */
#define RTE_COMCH_DPA_IMM_SIZE 32
/** Arguments of an RPC. */
#define RTE_COMCH_DPA_RPC_MAX_ARGS 6
/** Milliseconds that an RPC may take if its caller does not say. */
#define RTE_COMCH_DPA_RPC_DFLT_MS 2000
/** Milliseconds that an RPC may take at most. */
#define RTE_COMCH_DPA_RPC_MAX_MS 60000
/** Bytes of memory of a program if its configuration does not say. */
#define RTE_COMCH_DPA_DFLT_MEM_SIZE (UINT64_C(1) << 20)
/** Bytes of the reason why there is no offload processor, with the final NUL. */
#define RTE_COMCH_DPA_REASON_SIZE 128
/** Bytes of the text of a status, with the final NUL. */
#define RTE_COMCH_DPA_TEXT_SIZE 160
/** Values that go with the last mistake of an execution unit. */
#define RTE_COMCH_DPA_NB_VALUES 3
/** No execution unit. */
#define RTE_COMCH_DPA_NO_EU UINT32_MAX

/** What the offload processors of a device can do. @see rte_comch_dpa_info_get() */
struct rte_comch_dpa_info {
	uint32_t nb_eus;        /**< Execution units of one, 1 to RTE_COMCH_DPA_MAX_EUS. */
	uint32_t max_threads;   /**< Threads of one. */
	uint32_t max_msgqs;     /**< Message queues of one. */
	uint32_t max_consumers; /**< Consumers of one message queue. */
	uint32_t max_producers; /**< Producers of one message queue. */
	uint32_t max_recv;      /**< Receives of a consumer of the program; a power of two. */
	uint32_t max_send;      /**< Sends of a producer of the program; a power of two. */
	uint32_t max_depth;     /**< Completions of a completion context; a power of two. */
	uint32_t max_imm_len;   /**< Immediate data, bytes. */
	uint32_t max_windows;   /**< Windows of one. */
	uint64_t max_mem_size;  /**< Memory of a program, bytes. */
	/** Why there is none; empty if there is one. */
	char reason[RTE_COMCH_DPA_REASON_SIZE];
	uint64_t reserved[8];   /**< Zero. */
};

/**@{@name Flags of struct rte_comch_dpa_conf */
/**
 * The program may do whatever this process may do: for a runner, or on a kernel that
 * cannot confine it. The program is as trusted as the application then.
 */
#define RTE_COMCH_DPA_F_UNCONFINED RTE_BIT32(0)
/** Every flag that there is. */
#define RTE_COMCH_DPA_F_ALL RTE_COMCH_DPA_F_UNCONFINED
/**@}*/

/** Configuration of an offload processor. */
struct rte_comch_dpa_conf {
	/** Path of the program, in the form that the device takes. */
	const char *program;
	/**
	 * Path of what runs it, for example an emulator of another instruction set, or
	 * NULL. Takes RTE_COMCH_DPA_F_UNCONFINED.
	 */
	const char *runner;
	/** Execution units, up to nb_eus of the device; 0 for 1. */
	uint32_t nb_eus;
	/** RTE_COMCH_DPA_F_* flags. */
	uint32_t flags;
	/** Bytes of memory of the program; 0 for RTE_COMCH_DPA_DFLT_MEM_SIZE. */
	uint64_t mem_size;
	/** CPU of each execution unit, nb_eus of them, -1 for any; NULL: any for all. */
	const int32_t *eu_cpus;
	uint64_t reserved[6]; /**< Must be 0. */
};

/** Where an offload processor is in its life. */
enum rte_comch_dpa_state {
	RTE_COMCH_DPA_IDLE = 0, /**< Not started. */
	RTE_COMCH_DPA_RUNNING,  /**< The program runs. */
	RTE_COMCH_DPA_FAILED,   /**< The program has ended; to be stopped. */
};

/** How a program has ended. */
enum rte_comch_dpa_end {
	RTE_COMCH_DPA_END_NONE = 0, /**< It has not. */
	RTE_COMCH_DPA_END_FAULT,    /**< It touched what it must not: -EIO. */
	RTE_COMCH_DPA_END_CALL,     /**< It made a call that is forbidden: -EPERM. */
	RTE_COMCH_DPA_END_SPIN,     /**< It did not return or answer: -ETIMEDOUT. */
	RTE_COMCH_DPA_END_NONSENSE, /**< It wrote what cannot be: -EPROTO. */
	RTE_COMCH_DPA_END_KILLED,   /**< Somebody killed it: -ESHUTDOWN. */
	RTE_COMCH_DPA_END_EXIT,     /**< It ended itself: -ESHUTDOWN. */
	RTE_COMCH_DPA_END_DEVICE,   /**< Its device has failed: the status of that. */
};

/** How a program is. @see rte_comch_dpa_status_get() */
struct rte_comch_dpa_status {
	enum rte_comch_dpa_state state; /**< Its state. */
	enum rte_comch_dpa_end end;     /**< FAILED: how it has ended. */
	int reason;                     /**< FAILED: a negative errno; else 0. */
	uint32_t eu;                    /**< Which execution unit, or RTE_COMCH_DPA_NO_EU. */
	int signal;                     /**< Number of a signal that ended it, or 0. */
	uint32_t pid;                   /**< Its process, or its runner's, if there is one; or 0. */
	/**
	 * FAULT: the address. CALL: the number of the call. EXIT: the exit status.
	 * NONSENSE: the first number of the text.
	 */
	uint64_t value;
	uint64_t pc;                    /**< FAULT and CALL: where in the program, or 0. */
	char text[RTE_COMCH_DPA_TEXT_SIZE]; /**< The same in words; empty if not FAILED. */
	uint64_t reserved[6];           /**< Zero. */
};

/** What an execution unit does. @see rte_comch_dpa_eu_info_get() */
struct rte_comch_dpa_eu_info {
	bool busy;       /**< A thread runs on it now. */
	int error;       /**< Its last mistake, a negative errno; 0: none so far. */
	uint64_t runs;   /**< Runs of threads. */
	uint64_t errors; /**< Mistakes, which the functions of the program refused. */
	char func[RTE_COMCH_DPA_NAME_SIZE]; /**< Function that refused the last one. */
	uint64_t values[RTE_COMCH_DPA_NB_VALUES]; /**< What it refused, by function. */
	uint64_t reserved[4]; /**< Zero. */
};

/** Configuration of a thread of a program. */
struct rte_comch_dpa_thread_conf {
	const char *func;     /**< Name of its function, as the program has it. */
	uint64_t arg;         /**< Argument of that. */
	uint32_t eu;          /**< Execution unit, from 0; no other thread has it. */
	uint32_t flags;       /**< Must be 0. */
	uint64_t reserved[4]; /**< Must be 0. */
};

/**@{@name Flags of rte_comch_dpa_window_create() */
/** The program may read the region. */
#define RTE_COMCH_DPA_WINDOW_F_READ  RTE_BIT32(0)
/** The program may write to the region, and read what it has written. */
#define RTE_COMCH_DPA_WINDOW_F_WRITE RTE_BIT32(1)
/** Every flag that there is. */
#define RTE_COMCH_DPA_WINDOW_F_ALL (RTE_COMCH_DPA_WINDOW_F_READ | RTE_COMCH_DPA_WINDOW_F_WRITE)
/**@}*/

/**
 * @name Offload processors
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell what the offload processors of a device can do. A device that has RTE_COMCH_CAPA_DPA
 * has them.
 *
 * @param dev_id
 *   The device.
 * @param[out] info
 *   Filled on success; with -ENOTSUP it is zero but for the reason.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, or info is NULL.
 *   - -ENOTSUP: the device has none, and the reason says why.
 */
__rte_experimental
int rte_comch_dpa_info_get(int16_t dev_id, struct rte_comch_dpa_info *info);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create an offload processor. Nothing runs yet, and the program is not looked at.
 *
 * @param dev_id
 *   The device.
 * @param conf
 *   Its configuration; copied.
 * @param[out] dpa
 *   The offload processor, IDLE; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, a parameter or the program is NULL or empty, a value is out of
 *     range, an unknown flag, a reserved field that is not 0.
 *   - -EPERM: a runner without RTE_COMCH_DPA_F_UNCONFINED.
 *   - -ENOTSUP: the device has no offload processor.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_dpa_create(int16_t dev_id, const struct rte_comch_dpa_conf *conf,
		struct rte_comch_dpa **dpa);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy an offload processor.
 *
 * @param dpa
 *   An offload processor, IDLE. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: it is started.
 */
__rte_experimental
int rte_comch_dpa_destroy(struct rte_comch_dpa *dpa);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Load the program, and run it up to where it waits for threads. Waits, for about 10 seconds
 * at most.
 *
 * @param dpa
 *   An offload processor, IDLE.
 * @return
 *   - 0 on success.
 *   - -EINVAL: dpa is NULL, or a CPU is none that this process may use.
 *   - -EALREADY: it is started.
 *   - -ENOENT: there is no such program.
 *   - -EACCES, -ENOEXEC: it cannot be run, or is no program for this device.
 *   - -EPERM: it cannot be confined here, and RTE_COMCH_DPA_F_UNCONFINED is not set.
 *   - -ETIMEDOUT: it does not come up in time.
 *   - -EPROTO: it was built for another version, or does not do what programs do.
 *   - -EIO: it ended while it came up.
 *   - -ENODEV, or what else the status of the device is: the device has failed.
 *   - -ENOMEM, -EMFILE: no memory or descriptor.
 */
__rte_experimental
int rte_comch_dpa_start(struct rte_comch_dpa *dpa);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * End the program, whatever it does. Its memory, that was allocated for it by
 * rte_comch_dpa_mem_alloc(), has to be freed before, also if the program has ended.
 *
 * @param dpa
 *   An offload processor, started.
 * @return
 *   - 0 on success: it is IDLE, and can be started again.
 *   - -EINVAL: dpa is NULL.
 *   - -EALREADY: it is not started.
 *   - -EBUSY: it has threads, completion contexts, message queues, windows or
 *     memory.
 */
__rte_experimental
int rte_comch_dpa_stop(struct rte_comch_dpa *dpa);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell how the program is. Does not wait.
 *
 * @param dpa
 *   An offload processor.
 * @param[out] status
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_dpa_status_get(struct rte_comch_dpa *dpa, struct rte_comch_dpa_status *status);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell what an execution unit does, and which mistake of the program it saw last. Does not
 * wait.
 *
 * @param dpa
 *   An offload processor.
 * @param eu
 *   An execution unit, from 0.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: dpa or info is NULL, or there is no such execution unit.
 *   - -ENOTCONN: the offload processor is not started.
 */
__rte_experimental
int rte_comch_dpa_eu_info_get(struct rte_comch_dpa *dpa, uint32_t eu,
		struct rte_comch_dpa_eu_info *info);

/** @} */

/**
 * @name Threads and calls
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a thread of the program. It does not run yet.
 *
 * @param dpa
 *   An offload processor, started.
 * @param conf
 *   Its configuration; copied.
 * @param[out] thread
 *   The thread; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, the name is NULL, empty or too long, there is no such
 *     execution unit, a flag or reserved field is not 0.
 *   - -EBUSY: the execution unit has a thread.
 *   - -ENOSPC: there are max_threads.
 *   - -ENOENT: the program has no such thread function.
 *   - -ENOTCONN: the offload processor is not started.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_dpa_thread_create(struct rte_comch_dpa *dpa,
		const struct rte_comch_dpa_thread_conf *conf, struct rte_comch_dpa_thread **thread);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Have a thread run once, as a notification does. If it runs already, it runs once more
 * after that; several calls before it runs are one.
 *
 * @param thread
 *   A thread.
 * @return
 *   - 0 on success: it runs, or is about to.
 *   - -EINVAL: thread is NULL.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 */
__rte_experimental
int rte_comch_dpa_thread_run(struct rte_comch_dpa_thread *thread);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy a thread, when its function has returned. A function that does not return within
 * two seconds has its program ended; the next call succeeds then.
 *
 * @param thread
 *   A thread. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: a completion context wakes it.
 *   - -ETIMEDOUT: its function does not return; the thread is still there.
 */
__rte_experimental
int rte_comch_dpa_thread_destroy(struct rte_comch_dpa_thread *thread);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Call a function of the program, outside of its execution units, and wait for it. A
 * program that does not answer in time is ended.
 *
 * @param dpa
 *   An offload processor, started.
 * @param func
 *   Name of an RPC function, as the program has it.
 * @param args
 *   Its arguments, or NULL for none; those that are not given are 0.
 * @param nb_args
 *   How many, up to RTE_COMCH_DPA_RPC_MAX_ARGS.
 * @param timeout_ms
 *   How long to wait, up to RTE_COMCH_DPA_RPC_MAX_MS; 0 for RTE_COMCH_DPA_RPC_DFLT_MS.
 * @param[out] ret
 *   What it returned, or NULL.
 * @return
 *   - 0 on success.
 *   - -EINVAL: dpa is NULL, the name is NULL, empty or too long, args is NULL and nb_args
 *     is not 0, a number is out of range.
 *   - -ENOENT: the program has no such RPC function.
 *   - -ETIMEDOUT: it does not answer.
 *   - -ENOTCONN: the offload processor is not started.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 */
__rte_experimental
int rte_comch_dpa_rpc(struct rte_comch_dpa *dpa, const char *func, const uint64_t *args,
		uint32_t nb_args, uint32_t timeout_ms, uint64_t *ret);

/** @} */

/**
 * @name Memory and windows
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Allocate memory of the program, which is zero. It is the program's: what this side reads
 * there is what the program left.
 *
 * @param dpa
 *   An offload processor, started.
 * @param len
 *   Bytes, 1 or more.
 * @param[out] addr
 *   Where the program has it, aligned to 64 bytes.
 * @return
 *   - 0 on success.
 *   - -EINVAL: dpa or addr is NULL, or len is 0.
 *   - -ENOMEM: mem_size has no room for it.
 *   - -ENOTCONN: the offload processor is not started.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 */
__rte_experimental
int rte_comch_dpa_mem_alloc(struct rte_comch_dpa *dpa, uint64_t len, uint64_t *addr);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Free memory of the program.
 *
 * @param dpa
 *   An offload processor.
 * @param addr
 *   As rte_comch_dpa_mem_alloc() gave it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: dpa is NULL.
 *   - -ENOENT: no such memory was allocated.
 *   - -ENOTCONN: the offload processor is not started.
 */
__rte_experimental
int rte_comch_dpa_mem_free(struct rte_comch_dpa *dpa, uint64_t addr);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Copy into memory of the program.
 *
 * @param dpa
 *   An offload processor, started.
 * @param addr
 *   Where to, in memory that was allocated.
 * @param src
 *   Where from.
 * @param len
 *   Bytes; 0 does nothing.
 * @return
 *   - 0 on success.
 *   - -EINVAL: dpa is NULL, or src is.
 *   - -EFAULT: not inside of memory that was allocated in one piece.
 *   - -ENOTCONN: the offload processor is not started.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 */
__rte_experimental
int rte_comch_dpa_mem_write(struct rte_comch_dpa *dpa, uint64_t addr, const void *src,
		uint64_t len);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Copy out of memory of the program.
 *
 * @param dpa
 *   An offload processor, started.
 * @param dst
 *   Where to.
 * @param addr
 *   Where from, in memory that was allocated.
 * @param len
 *   Bytes; 0 does nothing.
 * @return
 *   - 0 on success.
 *   - -EINVAL: dpa is NULL, or dst is.
 *   - -EFAULT: not inside of memory that was allocated in one piece.
 *   - -ENOTCONN: the offload processor is not started.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 */
__rte_experimental
int rte_comch_dpa_mem_read(struct rte_comch_dpa *dpa, void *dst, uint64_t addr, uint64_t len);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Let the program reach a region, by its addresses in this process. The region cannot be
 * freed as long as it has windows.
 *
 * @param dpa
 *   An offload processor, started.
 * @param mem
 *   A region of the same device, with RTE_COMCH_MEM_F_DPA.
 * @param flags
 *   RTE_COMCH_DPA_WINDOW_F_* flags, one or more.
 * @param[out] window
 *   The window; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, the region is one of another device, no flag or an
 *     unknown one.
 *   - -EACCES: the region has no RTE_COMCH_MEM_F_DPA.
 *   - -ENOSPC: there are max_windows.
 *   - -ENOTCONN: the offload processor is not started.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_dpa_window_create(struct rte_comch_dpa *dpa, struct rte_comch_mem *mem,
		uint32_t flags, struct rte_comch_dpa_window **window);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy a window. When this returns 0, the program does not reach the region any more by
 * it. The driver does not take the program's word for that: a program that keeps a part of
 * the region has ended when this returns.
 *
 * @param window
 *   A window. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -ETIMEDOUT: the program does not let go of it; it is ended, and the next call
 *     succeeds.
 */
__rte_experimental
int rte_comch_dpa_window_destroy(struct rte_comch_dpa_window *window);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get what the program knows a window by, to be handed to it as an argument or in its
 * memory.
 *
 * @param window
 *   A window.
 * @param[out] handle
 *   The handle; set on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_dpa_window_handle_get(const struct rte_comch_dpa_window *window, uint32_t *handle);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_DPA_H */
