/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * All times of the bluefield driver but those of connection management, which are in
 * folder cm (bf_cm_conf_init() and the codes of messages), and the device argument
 * socket_timeout. "Linux": as its mlx5_core has it. "Cards": cards of others needed
 * it (bluefield_evidence.rst). What has neither is our choice.
 */

#ifndef BLUEFIELD_TIMES_H
#define BLUEFIELD_TIMES_H

/*
 * Bring-up and the function, in milliseconds
 */
#define BF_FW_GONE_MS 1000          /* registers read all ones after a reset: cards */
#define BF_FW_SW_RESET_MS 10000u    /* a reset by another function that has begun */
#define BF_FW_RESET_MS 60000u       /* one that we asked for, or another has the right to */
#define BF_FW_PROGRESS_MS 5000      /* log lines while firmware initialises */
#define BF_FW_TIMEOUT_MS 120000     /* firmware initialises; default of a devarg: Linux */
#define BF_FW_SETTLE_MS 2000u       /* after a reset, before another: cards */
#define BF_CMD_TIMEOUT_MS 60000     /* one command; default of a devarg: Linux */
#define BF_CMDQ_INIT_MS 2000        /* firmware, once it knows the command queue: Linux */
#define BF_BOOT_STATE_MS 1000       /* first commands answer "bad state": cards */
#define BF_WATCH_MS 20              /* looks at registers while a command lasts */
#define BF_HEALTH_MS 2000           /* polls of health; default of a devarg: Linux */
#define BF_HEALTH_STALL_MS 3000     /* the counter stands: it ticks once a second: cards */
#define BF_HEALTH_PROBE_MS 60000    /* questions to firmware whose counter stands, at most */
#define BF_PAGES_RECLAIM_MS 5000u   /* firmware gives pages back: Linux */
#define BF_LAST_WQE_MS 100          /* "last WQE reached": firmware takes microseconds */
#define BF_VSC_WAIT_MS 2000         /* the semaphore of the vendor's space: Linux */
#define BF_IRQ_WAIT_MS 10000        /* a callback in EAL's thread, which may not run */
#define BF_UNWATCH_MS 5000          /* the same, for news of devices */
#define BF_TRY_IRQ_MS 2000          /* the report: an interrupt that was asked for */
#define BF_TRY_HEALTH_MS 6000       /* and two ticks of the counter */
#define BF_AGAIN_S 10u              /* a program that ends and is started again: seconds */

/* Pauses between two looks, in microseconds. */
#define BF_FW_POLL_US 2000
#define BF_FW_SETTLE_POLL_US 2000
#define BF_CMDQ_SETTLE_US 10000     /* from the queue's address to the doorbell: cards */
#define BF_BOOT_STATE_POLL_US 20000
#define BF_CMD_POLL_MIN_US 10u      /* for a command; grows up to the next */
#define BF_CMD_POLL_MAX_US 2000u
#define BF_PAGES_POLL_US 10000
#define BF_LAST_WQE_POLL_US 20
#define BF_VSC_POLL_US 1000

/*
 * Queue pairs
 *
 * How long one sends a packet again that nobody acknowledges. Its timer is
 * 4.096 us << BF_ACK_TIMEOUT, 67 ms, of which hardware may make up to four times as much;
 * after BF_RETRIES it gives up, and its first request fails. So whatever is posted has
 * arrived or failed after BF_GIVE_UP_MS, if the peer does not answer.
 */
#define BF_ACK_TIMEOUT 14
#define BF_RETRIES 7
#define BF_ACK_US_MAX (4 * ((UINT64_C(4096) << BF_ACK_TIMEOUT) / 1000))
#define BF_GIVE_UP_MS ((BF_RETRIES + 1) * BF_ACK_US_MAX / 1000 + 1)

/*
 * Connections, in milliseconds
 */
#define BF_CTRL_REQ_MS 2000         /* one attempt to connect */
#define BF_CTRL_PING_MS 1000        /* without a word from us */
#define BF_CTRL_BYE_MS 1000         /* answer to BYE, or next message: half the library's limit */
#define BF_CTRL_BYES_MS 8000        /* and all others before the last: ten seconds in all */
#define BF_CTRL_BURST_MS 50         /* callbacks of one poll, before the peer hears of them */
#define BF_GSI_RETRY_MS 1000        /* resets of QP1, when it keeps failing */

/*
 * Producers and consumers, in milliseconds
 */
#define BF_CONSUMER_MS 5000         /* an answer about a consumer */
#define BF_LAND_MS BF_GIVE_UP_MS    /* what was sent arrives */
/*
 * A consumer that stops waits so long for its connection's engine to tell the peer, and in all.
 * The rest of RTE_COMCH_PMD_ANSWER_MS is for the jobs that take its pairs away.
 */
#define BF_TOLD_MS 1000
#define BF_LEAVE_MS 4000
/*
 * For what was sent to a consumer that is gone: longer than its side waits for that. A peer
 * that keeps the queue pair, and takes nothing, would keep our messages for ever.
 */
#define BF_GONE_MS (BF_LAND_MS + 1000)
#define BF_DRAIN_MS BF_GIVE_UP_MS   /* the sends of a producer that stops */
#define BF_RETRY_MS 10              /* a pair is tried again, with longer pauses each time */
#define BF_RING_MS 100              /* requests do not complete: the doorbell again */
#define BF_SHARE_MS 20              /* a share of credits; made anew when half is over */
#define BF_PEEK_US 10               /* looks into queues of others: microseconds */

#endif
