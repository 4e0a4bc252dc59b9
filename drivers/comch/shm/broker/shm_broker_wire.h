/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_BROKER_WIRE_H
#define SHM_BROKER_WIRE_H

/*
 * Between a process and its broker, which are of one build. Each message of the socket that
 * the broker begins with is one byte and descriptors: the socket of another user's process,
 * and with it the end of a pair of sockets for what it says. Without that end, the first is
 * only to be closed. A message without descriptors says that the sender has closed its own
 * of those before: a broker closes none earlier, so that the last close is the broker's.
 * The end of the socket is the end of the broker.
 */

/* The socket that the broker begins with. */
#define SHM_BROKER_SOCK 3
/* Links of one broker, and sockets that wake the peer of one of them. */
#define SHM_BROKER_LINKS 4096
#define SHM_BROKER_WAKES 64
/* Sockets that it closes when it may. */
#define SHM_BROKER_PARKED 512
/* Bytes of a message, at least one more than any has. */
#define SHM_BROKER_MSG 256

#endif /* SHM_BROKER_WIRE_H */
