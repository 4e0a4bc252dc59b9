/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_H
#define RTE_COMCH_H

/**
 * @file rte_comch.h
 *
 * Comch: the message channel between a host and its DPU.
 *
 * This file holds the model, and includes the whole public API:
 *
 * | file              | has                                                  |
 * |-------------------|------------------------------------------------------|
 * | rte_comch_types.h | sizes, handles, enumerations, callbacks              |
 * | rte_comch_dev.h   | devices and representors                             |
 * | rte_comch_pe.h    | progress engines                                     |
 * | rte_comch_ctx.h   | servers, clients, and what all contexts can do       |
 * | rte_comch_conn.h  | connections                                          |
 * | rte_comch_task.h  | tasks                                                |
 * | rte_comch_mem.h   | memory regions                                       |
 * | rte_comch_queue.h | consumers and producers                              |
 * | rte_comch_fp.h    | bursts                                               |
 * | rte_comch_pair.h  | packets to one peer, over its restarts               |
 * | rte_comch_dpa.h   | offload processors and their programs                |
 * | rte_comch_msgq.h  | message queues between this CPU and a program        |
 *
 * What drivers need is in rte_comch_pmd.h, what the inline functions need is in
 * rte_comch_core.h.
 *
 * @warning
 * @b EXPERIMENTAL:
 * All functions in this file may be changed or removed without prior notice.
 *
 * The model:
 *
 * @code
 *      host                                            dpu (card side)
 *   +-----------+   connection: control messages    +------------+
 *   |  client   |<=================================>|   server   |
 *   +-----------+                                   +------------+
 *   | producer  |----- data, by the posted buffers->|  consumer  |
 *   | consumer  |<----------------------------------|  producer  |
 *   +-----+-----+                                   +-----+------+
 *         |                                               |
 *   progress engine                                 progress engine
 *         |                                               |
 *   device (role host)                              device (role dpu)
 *   one PCIe function                               representor of it
 * @endcode
 *
 * - A *device* is a comch function opened by a driver. It has an identifier
 *   of type int16_t and a role: @ref RTE_COMCH_ROLE_HOST or
 *   @ref RTE_COMCH_ROLE_DPU.
 * - A *representor* is the handle, on the card's side, of one function of the
 *   host. Only devices of the role dpu have representors.
 * - A *context* is anything that attaches to a progress engine and has a
 *   state: server, client, consumer, producer.
 * - A *server* has a name that is unique on its (device, representor). It
 *   accepts the connections of any number of clients of that one function.
 * - A *client* connects to one server, and has one connection.
 * - A *connection* carries control messages in both directions, in order, and
 *   is what consumers and producers are created on.
 * - An *offload processor* runs a program beside the application, on devices with
 *   RTE_COMCH_CAPA_DPA, and a *message queue* is what consumers and producers between
 *   the two are created on, without a connection.
 * - A *progress engine* moves all of this: a thread calls rte_comch_pe_progress() in a
 *   loop.
 *
 * Set-up, in this order:
 *
 *  1. rte_comch_pe_create(), once for each lcore that works with comch.
 *  2. rte_comch_server_create() or rte_comch_client_create().
 *  3. rte_comch_ctx_attach() ties the context to the progress engine; while it is
 *     IDLE, rte_comch_ctx_detach() lets it go to another one.
 *  4. rte_comch_ctx_start(). A server is RUNNING when this returns 0. A client
 *     returns -EINPROGRESS and is STARTING: it becomes RUNNING, or IDLE again
 *     with a reason, inside a later rte_comch_pe_progress(), within the connect
 *     timeout of its configuration.
 *  5. rte_comch_pe_progress() in a loop, or on wake-ups (see below).
 *
 * Data: rte_comch_conn_task_alloc(), rte_comch_task_submit(), and in the
 * completion callback rte_comch_task_free() or a new submit. The message
 * memory belongs to the task from submit to completion. Completion with status
 * 0 means that the message was delivered to the remote context.
 *
 * Teardown, in this order: stop and destroy the producers and consumers of a
 * connection; rte_comch_server_disconnect() or, on a client,
 * rte_comch_ctx_stop(); rte_comch_ctx_stop() of the server; progress until the
 * context is IDLE; rte_comch_ctx_destroy(); rte_comch_pe_destroy().
 *
 * States and what is legal in them:
 *
 * | state    | legal                                    | leaves by            |
 * |----------|------------------------------------------|----------------------|
 * | IDLE     | config, attach, detach, start, destroy   | start                |
 * | STARTING | progress, stop                           | progress, stop       |
 * | RUNNING  | allocate, submit, free, progress, stop   | stop, fatal error    |
 * | STOPPING | free, poll, progress                     | progress, last free  |
 *
 * A context with outstanding tasks goes through STOPPING when it is stopped or
 * when its peer is lost: each submitted task completes, with 0 if its message was
 * delivered and with a negative status if not, and the context becomes IDLE when the
 * application has freed them all.
 *
 * Ordering: control messages of one connection arrive in the order in which
 * they were submitted. Nothing is promised between connections.
 *
 * Threads: a progress engine, and the contexts and connections attached to it,
 * belong to one thread at a time. Different engines may run on different
 * lcores, also for contexts of one device and for consumers of one connection.
 * A thread of another engine that works on a connection has a reference to it, see
 * rte_comch_conn_ref(): its peer may end it any time.
 * The connection's own engine carries the announcements of its consumers, so
 * it has to be progressed too. Functions on devices may be called from any
 * thread. rte_comch_pe_progress() refuses to be called from a callback.
 *
 * Event mode: rte_comch_pe_fd() is a descriptor to wait on. The order is:
 * progress until it returns 0, rte_comch_pe_arm(); if that returns -EAGAIN
 * there is something to do, progress again; if it returns 0, wait for the
 * descriptor to be readable, then progress. rte_comch_pe_arm() looks again
 * after it has armed, which is why no wake-up can be lost.
 *
 * Errors: functions return 0 or a positive count on success and a negative
 * errno value otherwise. Output parameters are written on success only. The
 * reason why a context left RUNNING or STARTING is kept in it, see
 * rte_comch_ctx_reason_get().
 *
 * Growth: structures that the application fills have flags and reserved fields. What is
 * not known or not 0 is refused with -EINVAL, so that it can mean something later: clear
 * a structure before its fields are set. In what the library fills, reserved fields are
 * zero. Structures that grow do that in the place of these fields.
 *
 * Trust: the peer of a connection is not trusted for memory safety nor for
 * liveness. Messages are copied out of shared memory before a receive callback
 * sees them. A peer that breaks the protocol loses its connection, and this is
 * counted in struct rte_comch_dev_stats::violations. One that does not answer in time
 * loses it as well, and is counted in peer_lost.
 */

#include <rte_comch_types.h>
#include <rte_comch_dev.h>
#include <rte_comch_pe.h>
#include <rte_comch_ctx.h>
#include <rte_comch_conn.h>
#include <rte_comch_task.h>
#include <rte_comch_mem.h>
#include <rte_comch_queue.h>
#include <rte_comch_fp.h>
#include <rte_comch_pair.h>
#include <rte_comch_dpa.h>
#include <rte_comch_msgq.h>

#endif /* RTE_COMCH_H */
