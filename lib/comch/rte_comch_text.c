/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The log, and what states and reasons are called in it. */

#include <errno.h>

#include "comch_private.h"

RTE_LOG_REGISTER_DEFAULT(comch_logtype, NOTICE);

const char *
rte_comch_state_name(int state)
{
	static const char * const names[] = {
		[RTE_COMCH_STATE_IDLE] = "IDLE",
		[RTE_COMCH_STATE_STARTING] = "STARTING",
		[RTE_COMCH_STATE_RUNNING] = "RUNNING",
		[RTE_COMCH_STATE_STOPPING] = "STOPPING",
	};

	if (state < 0 || state >= (int)RTE_DIM(names))
		return "UNKNOWN";
	return names[state];
}

const char *
rte_comch_reason_str(int reason)
{
	switch (reason) {
	case 0:
		return "no error";
	case -ENOENT:
		return "the function has no server of this name: start it, or correct the name";
	case -ECONNREFUSED:
		return "the server has refused, or is stopping: see its log, or start it again";
	case -ENOSPC:
		return "the server has as many clients as it takes, or its progress engine no task left: end a client, or raise its max_clients and max_tasks";
	case -EMSGSIZE:
		return "the sizes of messages do not fit: give both sides the same max_msg_size, and a recv_pool that can hold it";
	case -EPROTONOSUPPORT:
		return "the two sides share no version of the protocol: run the same release on both";
	case -EACCES:
		return "the user is not let in, or the memory region not taken: the log of both sides says which";
	case -EUSERS:
		return "one of the sides has all the processes, connections, consumers or descriptors of the other that it can have: end some of them";
	case -ENOMEM:
		return "one of the two sides has no memory for it: give EAL more, or ask for less";
	case -ENOTCONN:
		return "the connection has ended before: connect again";
	case -ETIMEDOUT:
		return "the other side, or the device, does not answer in time: start the other side, and let it progress; or reset the device, if its status is not 0; the log has what was found";
	case -EAGAIN:
		return "the device is being reset: wait until its status is another";
	case -ENODEV:
		return "the device is gone: stop what is on it, and remove it";
	case -EIO:
		return "the device, or the program of its offload processor, has failed: see its status, and reset or start it anew";
	case -ESHUTDOWN:
		return "the server has disconnected or was stopped: connect again when it runs";
	case -ECONNRESET:
		return "the other side has died, or the connection has ended: start it, and connect again";
	case -EPROTO:
		return "the other side broke the protocol: see the log, and run the same release on both";
	case -ECANCELED:
		return "this side has stopped or disconnected it: nothing is to be done";
	case -ECONNABORTED:
		return "the client has given up: raise its connect_timeout_ms, or progress this side more often";
	default:
		return "another reason: see the log of both sides, and the guide of the driver";
	}
}
