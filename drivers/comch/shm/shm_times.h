/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * All times of the shm driver but pauses of one second between log lines or attempts,
 * which are written where they are. They are our choice: a limit for a peer is longer than a
 * loaded machine keeps a process from its core; a pause is shorter than users notice.
 */

#ifndef SHM_TIMES_H
#define SHM_TIMES_H

/* Limits for what a peer has to do, in milliseconds. */
#define SHM_LEFT_MS 100         /* its last messages, by its broker, once it has ended */
#define SHM_HELLO_MS 2000       /* its first message on a link */
#define SHM_READY_MS 6000       /* READY, after ACCEPT: more than a client waits by default */
#define SHM_CLOSE_MS 1000       /* one more message after CLOSE: half of the library's limit */
#define SHM_CLOSE_MAX_MS 8000   /* and all others before the last: ten seconds in all */
#define SHM_CONSUMER_MS 5000    /* an answer about a consumer, or what it copies to it */
#define SHM_SENT_FDS_MS 1000    /* too many descriptors that it has sent are closed */
#define SHM_LATE_MS 100         /* an answer that came while our engine stood is handled */
#define SHM_MSGQ_SETTLE_MS 500  /* units, producers: to leave what was taken away */

/* Limits for a program of the offload processor, in milliseconds. */
#define SHM_DPA_HUP_MS 500      /* from the end of its socket to that of its process */
#define SHM_DPA_STOP_MS 500     /* from STOP to SIGKILL */
#define SHM_DPA_END_MS 1000     /* from an end that a message tells to the monitor's news */

/* How long something holds, in milliseconds. */
#define SHM_SHARE_MS 20         /* a share of credits; made anew when half is over */

/* Pauses between two lines of the log about one function, and as many that come at once. */
#define SHM_LOG_MS 5000
#define SHM_LOG_BURST 5
/* Messages wait so long for an engine that stands, before the log says it. */
#define SHM_STANDS_MS 1000

/* Pauses between two looks, in milliseconds. */
#define SHM_IDLE_MS 1           /* fences for queues that become idle */
#define SHM_SERVICE_MS 5        /* sockets, without a doorbell */
#define SHM_CONNECT_MS 20       /* attempts to find the card's side */
#define SHM_DPA_LOOK_MS 20      /* at threads and page tables of a program that runs */

/* The same in microseconds. */
#define SHM_COMING_US 200       /* sockets, while somebody or something is coming */
#define SHM_CLOSE_US 20         /* at what a peer copies */
#define SHM_CUT_US 1000         /* until its stores from before a fence are seen */
#define SHM_SETTLE_US 20        /* at somebody who is inside a message queue */
#define SHM_DPA_LOOK_US 50      /* at a unit that is to be done; grows up to the next */
#define SHM_DPA_LOOK_MAX_US 2000
#define SHM_DPA_REST_US 10000   /* a program that sends more than a burst is read so slowly */

#endif
