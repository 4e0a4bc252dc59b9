/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Turns of an endpoint, and its event channels. The engine has one descriptor for all that
 * comes, a channel is readable for one kind of event alone: so each channel is an eventfd
 * that is written where its event is found, in the program's calls or in the thread, which
 * sleeps on the engine in place of the program. The thread is in doca_comm_channel_thread.c.
 */

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_common.h>

#include <doca_comm_channel_private.h>

/* All that recvfrom tells but AGAIN: who sleeps has to hear of a failure, too. */
static bool
recv_event(const struct doca_comm_channel_ep_t *ep)
{
	return ep->rx.nb_put != ep->rx.nb_got || !TAILQ_EMPTY(&ep->ended) || ep->failed ||
		(ep->role == CC_ROLE_CLIENT && ep->client->state == CC_PEER_OVER);
}

static void
channel_fire(struct cc_channel *channel)
{
	channel->armed = false;
	channel->event = false;
	eventfd_write(channel->fd, 1);
}

void
cc_event(struct doca_comm_channel_ep_t *ep, enum cc_channel_type type)
{
	struct cc_channel *channel = &ep->channels[type];

	if (channel->armed)
		channel_fire(channel);
	else
		channel->event = true;
}

int
cc_turn(struct doca_comm_channel_ep_t *ep)
{
	bool armed = ep->asleep;
	unsigned int i;
	int nb;

	if (ep->pe == NULL)
		return 0;
	nb = rte_comch_pe_progress(ep->pe);
	if (ep->channels[CC_CHANNEL_RECV].armed && recv_event(ep))
		channel_fire(&ep->channels[CC_CHANNEL_RECV]);
	for (i = 0; i < CC_CHANNELS; i++)
		armed |= ep->channels[i].armed;
	if (armed)
		rte_comch_pe_arm_always(ep->pe);
	return nb;
}

static void
watch_turn(struct cc_watch *watch)
{
	struct doca_comm_channel_ep_t *ep;

	ep = container_of(watch, struct doca_comm_channel_ep_t, watch);
	doca_lock(&ep->lock);
	cc_turn(ep);
	doca_unlock(&ep->lock);
}

void
cc_channels_init(struct doca_comm_channel_ep_t *ep)
{
	unsigned int i;

	ep->watch.fd = -1;
	ep->watch.turn = watch_turn;
	for (i = 0; i < CC_CHANNELS; i++)
		ep->channels[i].fd = -1;
}

/* The thread sleeps on a descriptor of the endpoint, which outlives its engines. */
void
cc_channels_engine(struct doca_comm_channel_ep_t *ep)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (ep->watch.fd >= 0)
		epoll_ctl(ep->watch.fd, EPOLL_CTL_ADD, rte_comch_pe_fd(ep->pe), &event);
}

static doca_error_t
watch_start(struct doca_comm_channel_ep_t *ep)
{
	if (ep->watched)
		return DOCA_SUCCESS;
	if (ep->watch.fd < 0) {
		ep->watch.fd = epoll_create1(EPOLL_CLOEXEC);
		if (ep->watch.fd < 0)
			return DOCA_ERROR_NOT_FOUND;
		cc_channels_engine(ep);
	}
	ep->watched = cc_watch_add(&ep->watch) == DOCA_SUCCESS;
	return ep->watched ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND;
}

static doca_error_t
channel_need(struct doca_comm_channel_ep_t *ep, enum cc_channel_type type)
{
	struct cc_channel *channel = &ep->channels[type];

	if (channel->fd < 0)
		channel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (channel->fd < 0) {
		CC_LOG(ERROR, "no descriptor left for an event channel: raise the limit of the process, see ulimit -n");
		return DOCA_ERROR_NOT_FOUND;
	}
	return watch_start(ep);
}

static doca_error_t
channel_get(struct doca_comm_channel_ep_t *ep, enum cc_channel_type type, int *fd)
{
	doca_error_t result;

	if (fd == NULL)
		return DOCA_SUCCESS;
	result = channel_need(ep, type);
	if (result == DOCA_SUCCESS)
		*fd = ep->channels[type].fd;
	return result;
}

static void
channel_arm(struct doca_comm_channel_ep_t *ep, enum cc_channel_type type)
{
	struct cc_channel *channel = &ep->channels[type];
	eventfd_t value;

	eventfd_read(channel->fd, &value);
	channel->armed = true;
	if (channel->event)
		channel_fire(channel);
	cc_turn(ep);
}

static doca_error_t
event_handle_arm(struct doca_comm_channel_ep_t *ep, enum cc_channel_type type)
{
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	if (ep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	if (ep->role != CC_ROLE_NONE)
		result = channel_need(ep, type);
	if (result == DOCA_SUCCESS)
		channel_arm(ep, type);
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *ep,
		doca_event_channel_t *send_event_channel, doca_event_channel_t *recv_event_channel)
{
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	if (ep == NULL || (send_event_channel == NULL && recv_event_channel == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	if (ep->role != CC_ROLE_NONE)
		result = channel_get(ep, CC_CHANNEL_SEND, send_event_channel);
	if (result == DOCA_SUCCESS)
		result = channel_get(ep, CC_CHANNEL_RECV, recv_event_channel);
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_get_service_event_channel(struct doca_comm_channel_ep_t *ep,
		doca_event_channel_t *service_event_channel)
{
	doca_error_t result = DOCA_SUCCESS;
	bool first;

	if (ep == NULL || service_event_channel == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	first = ep->channels[CC_CHANNEL_SERVICE].fd < 0;
	if (ep->role == CC_ROLE_NONE)
		result = DOCA_ERROR_BAD_STATE;
	else if (ep->role == CC_ROLE_CLIENT)
		result = DOCA_ERROR_NOT_SUPPORTED;
	else
		result = channel_get(ep, CC_CHANNEL_SERVICE, service_event_channel);
	if (result == DOCA_SUCCESS && first)
		channel_arm(ep, CC_CHANNEL_SERVICE);
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *ep)
{
	return event_handle_arm(ep, CC_CHANNEL_SEND);
}

doca_error_t
doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *ep)
{
	return event_handle_arm(ep, CC_CHANNEL_RECV);
}

/* What has happened until now is known to who asks for this. */
void
cc_channels_arm_service(struct doca_comm_channel_ep_t *ep)
{
	struct cc_channel *channel = &ep->channels[CC_CHANNEL_SERVICE];

	channel->event = false;
	if (channel->fd >= 0)
		channel_arm(ep, CC_CHANNEL_SERVICE);
}

void
cc_sleep(struct doca_comm_channel_ep_t *ep)
{
	if (ep->role != CC_ROLE_SERVICE || ep->nb_up < 2 || watch_start(ep) != DOCA_SUCCESS)
		return;
	ep->asleep = true;
	rte_comch_pe_arm_always(ep->pe);
}

/* At the end of the endpoint, when the thread does not look after it any more. */
void
cc_channels_close(struct doca_comm_channel_ep_t *ep)
{
	unsigned int i;

	for (i = 0; i < CC_CHANNELS; i++)
		if (ep->channels[i].fd >= 0)
			close(ep->channels[i].fd);
	if (ep->watch.fd >= 0)
		close(ep->watch.fd);
}
