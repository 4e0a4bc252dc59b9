/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Where the two sides meet: how the sockets of functions are named, whom a side lets in
 * or talks to, and what can be seen from here when a client has found nobody. What it
 * looks like is for people: it is logged, and nothing else depends on it.
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "comch_shm.h"

#define MEET_PREFIX "dpdk-comch/"
#define MEET_USER "uid-"

/* What a look takes at most: a lcore waits for it. */
#define MEET_MAX_LINES 8192
#define MEET_MAX_PROCESSES 2048
#define MEET_MAX_SPACES 8
#define MEET_MAX_NAMES 8

/* Flag of a socket that listens, in /proc/net/unix. */
#define MEET_LISTENS 0x10000u

/* What was seen of the sockets of card's sides. */
struct meet {
	const struct shm_dev *dev;
	int err;            /* of the last attempt */
	char names[MEET_MAX_NAMES * 64]; /* as they are logged */
	uint32_t nb_names;
	uint32_t nb_lines;
	bool partly;        /* there may be more than was looked at */
	bool here;          /* our socket, with a path or in our network namespace */
	bool function;      /* other functions at our place */
	bool user;          /* our function: of other users */
	char process[16];   /* that has our socket in another network namespace */
};

/* What the kernel says for users without a number here, where it does not say it. */
#define MEET_DFLT_UNMAPPED 65534

/* Without a path: each user has a place of its own. */
void
shm_meet_user(struct shm_dev *dev)
{
	dev->uid = geteuid();
	dev->unmapped = shm_kernel_number("/proc/sys/kernel/overflowuid", MEET_DFLT_UNMAPPED);
	snprintf(dev->space, sizeof(dev->space), MEET_USER "%u", dev->uid);
}

/* By identity, so that two spellings of one directory have one name. */
void
shm_meet_dir(struct shm_dev *dev, const struct stat *st)
{
	snprintf(dev->space, sizeof(dev->space), "dir-%" PRIx64 "-%" PRIx64,
		(uint64_t)st->st_dev, (uint64_t)st->st_ino);
}

/* Without a path abstract: it goes with its owner, however that ends. */
socklen_t
shm_meet_addr(const struct shm_dev *dev, const struct shm_func *func, struct sockaddr_un *addr)
{
	int n;

	if (dev->path[0] != '\0') {
		shm_place_addr(dev, func->name, "", addr);
		return sizeof(*addr);
	}
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	n = snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1, MEET_PREFIX "%s/%s",
		dev->space, func->name);
	return offsetof(struct sockaddr_un, sun_path) + 1 + n;
}

/* Users without a number look the same: none of them is anybody. */
static bool
same_user(const struct shm_dev *dev, uid_t one, uid_t other)
{
	return one == other && one != dev->unmapped;
}

/*
 * Whether a host's process of one user takes one of another for the card's side. In a
 * folder that only its owner writes to, nobody else makes a socket.
 */
static bool
server_trusted(const struct shm_dev *dev, uid_t server, uid_t host)
{
	struct stat st;

	return server == 0 || same_user(dev, server, host) || (dev->path[0] != '\0' &&
		fstat(dev->path_fd, &st) == 0 && (same_user(dev, server, st.st_uid) ||
		(st.st_mode & (S_IWGRP | S_IWOTH)) == 0));
}

const struct shm_users *
shm_meet_users(const struct shm_dev *dev, const struct shm_func *func)
{
	return func->users.nb != 0 ? &func->users : &dev->users;
}

/* The kernel has asked the folder and the socket. An abstract one has no owner and mode. */
bool
shm_meet_allows(const struct shm_dev *dev, const struct shm_func *func, const struct ucred *cred)
{
	const struct shm_users *users = shm_meet_users(dev, func);
	uint32_t i;

	if (dev->role == RTE_COMCH_ROLE_HOST)
		return server_trusted(dev, cred->uid, dev->uid);
	if (cred->uid == 0 || same_user(dev, cred->uid, geteuid()))
		return true;
	for (i = 0; i < users->nb; i++)
		if (users->uids[i] == cred->uid || users->uids[i] == SHM_UID_ALL)
			return true;
	return dev->path[0] != '\0' && users->nb == 0;
}

/* Of a peer that is not let in. */
void
shm_meet_refused(const struct shm_dev *dev, struct shm_func *func, const struct ucred *cred)
{
	const char *remedy;

	if (dev->role == RTE_COMCH_ROLE_HOST)
		remedy = "only root, the own user and the owner of path= are taken for the card's side, and anyone in a folder that only its owner writes to";
	else if (cred->uid == dev->unmapped)
		remedy = "it has no number in the user namespace of this process: take uids=all with path=, or run both sides in one namespace";
	else if (shm_meet_users(dev, func)->nb != 0)
		remedy = "add its user to uids=";
	else
		remedy = "run both sides as one user, or give both path=";
	SHM_PEER_LOG(dev, func, WARNING, "%s: process %d of user %u may not %s %s: %s; %s",
		dev->dev->data->name, cred->pid, cred->uid,
		dev->role == RTE_COMCH_ROLE_HOST ? "serve" : "use", func->name,
		strerror(EACCES), remedy);
}

/* Card's side: a process has left before it said anything. It may have refused us. */
void
shm_meet_left(const struct shm_link *link)
{
	const struct shm_dev *dev = link->dev;

	if (server_trusted(dev, dev->uid, link->uid))
		return;
	rte_comch_pmd_count(&dev->dev->data->stats.links_refused);
	SHM_PEER_LOG(dev, link->func, WARNING, "%s: process %u of user %u does not let user %u serve %s: run this side as root, as its user, or as the owner of path=",
		dev->dev->data->name, link->pid, link->uid, dev->uid, link->func->name);
}

static void
meet_name(struct meet *meet, const char *space, const char *slash, const char *function)
{
	if (meet->nb_names++ < MEET_MAX_NAMES)
		snprintf(meet->names + strlen(meet->names),
			sizeof(meet->names) - strlen(meet->names), "%s%s%s%s",
			meet->nb_names == 1 ? "" : ", ", space, slash, function);
}

/* Whose process has ended may be there, too. */
static void
meet_look_folder(struct meet *meet)
{
	int fd = openat(meet->dev->path_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		meet->partly = true;
		return;
	}
	while (meet->nb_lines < MEET_MAX_LINES && (entry = readdir(dir)) != NULL) {
		meet->nb_lines++;
		if (entry->d_type != DT_SOCK || strncmp(entry->d_name, "pf", 2) != 0 ||
				strlen(entry->d_name) >= SHM_WIRE_FUNCTION_SIZE)
			continue;
		meet->function |= strcmp(entry->d_name, meet->dev->funcs[0].name) != 0;
		meet_name(meet, "", "", entry->d_name);
	}
	closedir(dir);
}

/* One line of /proc/net/unix. Anyone can take any name: only what we could is looked at. */
static void
meet_see(struct meet *meet, const char *line, const char *process)
{
	char space[64], function[SHM_WIRE_FUNCTION_SIZE];
	const struct shm_dev *dev = meet->dev;
	bool same_space, same_function;
	unsigned int flags, type;
	int end = 0;

	_Static_assert(SHM_WIRE_FUNCTION_SIZE == 32, "the width below");
	if (sscanf(line, "%*[^:]: %*x %*x %x %x %*x %*u @" MEET_PREFIX
			"%63[a-z0-9-]/%31[a-z0-9]%n", &flags, &type, space, function, &end) != 4 ||
			line[end] != '\n' || (flags & MEET_LISTENS) == 0 ||
			type != SOCK_SEQPACKET)
		return;
	same_space = strcmp(space, dev->space) == 0;
	same_function = strcmp(function, dev->funcs[0].name) == 0;
	if (process != NULL) {
		if (same_space && same_function)
			strlcpy(meet->process, process, sizeof(meet->process));
		return;
	}
	meet->here |= same_space && same_function;
	meet->function |= same_space && !same_function;
	meet->user |= same_function && !same_space;
	meet_name(meet, space, "/", function);
}

static void
meet_look(struct meet *meet, const char *file, const char *process)
{
	FILE *f = fopen(file, "re");
	char line[512];

	/* the process may have ended, this one has not */
	meet->partly |= f == NULL && process == NULL;
	if (f == NULL)
		return;
	while (meet->nb_lines < MEET_MAX_LINES && fgets(line, sizeof(line), f) != NULL) {
		meet->nb_lines++;
		meet_see(meet, line, process);
	}
	meet->partly |= !feof(f);
	fclose(f);
}

/* Into the network namespaces of the processes that are seen from here. */
static void
meet_look_afar(struct meet *meet, ino_t own)
{
	ino_t seen[MEET_MAX_SPACES] = { own };
	uint32_t nb = 1, nb_processes = 0, i;
	char file[64];
	struct dirent *entry;
	struct stat st;
	DIR *dir = opendir("/proc");

	if (dir == NULL)
		return;
	while (nb < RTE_DIM(seen) && nb_processes < MEET_MAX_PROCESSES &&
			meet->process[0] == '\0' && (entry = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		nb_processes++;
		snprintf(file, sizeof(file), "/proc/%.15s/net/unix", entry->d_name);
		/* the file is one for each network namespace */
		if (stat(file, &st) != 0)
			continue;
		for (i = 0; i < nb && seen[i] != st.st_ino; i++)
			;
		if (i < nb)
			continue;
		seen[nb++] = st.st_ino;
		meet_look(meet, file, entry->d_name);
	}
	closedir(dir);
}

/* Which mistake it looks like, and what to do. */
static void
meet_guess(const struct meet *meet, char *text, size_t size)
{
	const struct shm_dev *dev = meet->dev;
	const char *function = dev->funcs[0].name;
	bool path = dev->path[0] != '\0';

	if (meet->here)
		snprintf(text, size, "a process has this socket and does not answer: it hangs, or no thread of it calls rte_comch_pe_progress()");
	else if (path && meet->err == ECONNREFUSED)
		snprintf(text, size, "a card's side that was killed and has left its socket: start it again");
	else if (meet->process[0] != '\0')
		snprintf(text, size, "another network namespace: this socket is in that of process %s, as of a container: give both sides the same path=, in a folder that both have",
			meet->process);
	else if (meet->function)
		snprintf(text, size, "another function: the card's side here does not serve %s: add it to functions= there, or give this device one of those by function=",
			function);
	else if (path)
		snprintf(text, size, "no server: start the card's side first, with functions=%s and path=%s; if it runs, it has no or another path=, or the folder was made anew since",
			function, dev->path);
	else if (meet->user)
		snprintf(text, size, "another user: another one than %u serves %s: run both sides as one user, or give both the same path=; or start your card's side, if that is not yours",
			dev->uid, function);
	else if (meet->nb_names != 0)
		snprintf(text, size, "another user, and another function: give both sides the same path=, and %s to the card's side by functions=",
			function);
	else if (meet->partly)
		snprintf(text, size, "no server that was found among %u sockets: start the card's side first, with functions=%s; if it runs, it may hang, or have another user or a path=",
			meet->nb_lines, function);
	else
		snprintf(text, size, "no server: start the card's side first, with functions=%s; if it has a path=, or runs in a container, give both sides the same path=",
			function);
}

static void
meet_log_refused(const struct shm_dev *dev, uid_t server)
{
	const char *name = dev->dev->data->name, *function = dev->funcs[0].name;
	bool path = dev->path[0] != '\0';
	const char *where = path ? dev->path : dev->space;

	if (!server_trusted(dev, server, dev->uid))
		SHM_LOG(NOTICE, "%s: %s/%s is served by user %u, whom this process of user %u does not let serve: run the card's side as root, as this user, or as the owner of path=; or let only its owner write to path=",
			name, where, function, server, dev->uid);
	else
		SHM_LOG(NOTICE, "%s: %s/%s does not let user %u in: %s", name, where, function,
			dev->uid, !path ?
			"run both sides as one user, or give both the same path=" :
			"let it enter the folder, and on the card's side add it, or all, to uids=, or without uids= let it write to the folder and start anew");
}

static void
meet_log_nobody(const struct shm_dev *dev, bool linked, int err)
{
	char text[sizeof(dev->path) + 256], folder[64] = "";
	struct meet meet = { .dev = dev, .err = err, .here = linked || err == EAGAIN };
	bool path = dev->path[0] != '\0';
	struct stat st;

	/* of this thread: another may be in another namespace */
	if (path)
		meet_look_folder(&meet);
	else
		meet_look(&meet, "/proc/thread-self/net/unix", NULL);
	if (!path && !meet.here && stat("/proc/thread-self/net/unix", &st) == 0)
		meet_look_afar(&meet, st.st_ino);
	if (path && fstat(dev->path_fd, &st) == 0)
		snprintf(folder, sizeof(folder), " (%sof user %u, mode 0%o)",
			st.st_nlink == 0 ? "removed, " : "", st.st_uid, st.st_mode & 07777);
	SHM_LOG(NOTICE, "%s: nobody answered at %s%s/%s%s; there is: %s%s",
		dev->dev->data->name, path ? "" : MEET_PREFIX, path ? dev->path : dev->space,
		dev->funcs[0].name, folder,
		meet.nb_names == 0 ? "none of these sockets" : meet.names,
		meet.partly ? ", and others that were not looked at" :
			meet.nb_names > MEET_MAX_NAMES ? ", and others" : "");
	meet_guess(&meet, text, sizeof(text));
	SHM_LOG(NOTICE, "%s: it looks like %s", dev->dev->data->name, text);
}

/*
 * Host: an attempt to connect has failed because the sides have not met. Say what was
 * tried, what is there, and what to do. Once in a second: clients may fail together.
 */
void
shm_meet_failed(struct shm_dev *dev, int reason)
{
	uint64_t now = rte_get_tsc_cycles();
	uid_t server;
	bool linked, early;
	int err;

	shm_dev_lock(dev);
	linked = !TAILQ_EMPTY(&dev->links);
	server = dev->server_uid;
	err = dev->connect_errno;
	early = now < dev->next_meet_log;
	if (!early)
		dev->next_meet_log = now + rte_get_tsc_hz();
	shm_dev_unlock(dev);
	if (early)
		return;
	if (reason == -EACCES)
		meet_log_refused(dev, server);
	else if (reason == -ETIMEDOUT)
		meet_log_nobody(dev, linked, err);
}
