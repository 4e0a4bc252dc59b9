/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Arguments of the shm driver's devices, good and bad, plugging devices in and out of a
 * running process, and what is logged where two devices do not find each other.
 */

#define ALLOW_INTERNAL_API 1

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_comch_pmd.h> /* check-ok: a device is told to have failed */
#include <rte_dev.h>
#include <rte_eal.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"
#include "test_mock.h"

static char path[PATH_MAX];

static int
suite_setup(void)
{
	int ret;

	test_log_quiet();
	ret = test_rendezvous_create(path, sizeof(path));
	if (ret != 0)
		return TEST_FAILED;
	ret = test_vdev_add("role=dpu,functions=pf0,path=%s", path);
	if (ret < 0)
		return test_skip("no shm device can be plugged: %s", strerror(-ret));
	return test_vdev_remove((int16_t)ret) == 0 ? TEST_SUCCESS : TEST_FAILED;
}

static void
suite_teardown(void)
{
	test_rendezvous_remove(path);
}

static int
test_refused_args(void)
{
	static const char * const refused[] = {
		"",
		"garbage",
		"garbage=1",
		"=",
		",,,",
		"role",
		"role=",
		"role=card",
		"role=DPU",
		"role=dpu,role=host,function=pf0",
		"role=dpu,role=dpu,functions=pf0",
		/* the card side */
		"role=dpu,functions=",
		"role=dpu,functions=pf0,garbage=1",
		"role=dpu,functions=pf0,function=pf0",
		"role=dpu,function=pf0",
		"role=dpu,functions=pf0:pf0",
		"role=dpu,functions=pf0:",
		"role=dpu,functions=:pf0",
		"role=dpu,functions=pf0::pf1",
		"role=dpu,functions=vf0",
		"role=dpu,functions=pf",
		"role=dpu,functions=pf0vf",
		"role=dpu,functions=pf2",
		"role=dpu,functions=pf0xf1",
		"role=dpu,functions=pf0vf+1",
		"role=dpu,functions=pf0vf1x",
		"role=dpu,functions=pf0vx1",
		"role=dpu,functions=pf0vf03",
		"role=dpu,functions=pf0vf120",
		"role=dpu,functions=pf0vf0x",
		"role=dpu,functions=pf0vf-1",
		"role=dpu,functions=pf0vf[",
		"role=dpu,functions=pf0vf[]",
		"role=dpu,functions=pf0vf[0-",
		"role=dpu,functions=pf0vf[0-]",
		"role=dpu,functions=pf0vf[3-0]",
		"role=dpu,functions=pf0vf[0-1",
		"role=dpu,functions=pf0vf[0-1]x",
		"role=dpu,functions=pf0vf[a-b]",
		"role=dpu,functions=pf0vf[0-4294967296]",
		"role=dpu,functions=pf0vf[0-99999999]",
		"role=dpu,functions=pf0vf99999999999999999999",
		"role=dpu,functions=pf0vf0:pf0vf[0-3]",
		"role=dpu,functions=pf0sf[0-256]",
		"role=dpu,functions=%n%s",
		"role=dpu,functions=pf0,uids=",
		"role=dpu,functions=pf0,uids=root",
		"role=dpu,functions=pf0,uids=-1",
		"role=dpu,functions=pf0,uids=1000:",
		"role=dpu,functions=pf0,uids=99999999999",
		"role=dpu,functions=pf0,uids=1000:65534",
		"role=dpu,functions=pf0,uids=pf0@",
		"role=dpu,functions=pf0,uids=pf0",
		"role=dpu,functions=pf0,uids=pf1@1000",
		"role=dpu,functions=pf0,uids=pf0@1000:pf0@1001",
		"role=dpu,functions=pf0,uids=pf0@65534",
		"role=dpu,functions=pf0vf1,uids=pf0@1000",
		"role=dpu,functions=pf0,uids=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17",
		"role=dpu,functions=pf0,uids=@1000",
		"role=dpu,functions=pf0,uids=all1",
		"role=dpu,functions=pf0,uids=all:",
		"role=dpu,functions=pf0,path=",
		"role=dpu,functions=pf0,path=/no/such/directory",
		"role=dpu,functions=pf0,path=/dev/null",
		"role=dpu,functions=pf0,max_links=",
		"role=dpu,functions=pf0,max_links=0",
		"role=dpu,functions=pf0,max_maps=-1",
		"role=dpu,functions=pf0,max_maps=10x",
		"role=dpu,functions=pf0,max_mem= 1",
		"role=dpu,functions=pf0,max_mem=1000000000",
		"role=dpu,functions=pf0,broker=",
		"role=dpu,functions=pf0,broker=none",
		"role=dpu,functions=pf0,huge=",
		"role=dpu,functions=pf0,huge=2",
		"role=dpu,functions=pf0,pci_bus=000:3b0",
		"role=dpu,functions=pf0,pci_bus=0000-3b",
		"role=dpu,functions=pf0,pci_bus=0000:3",
		"role=dpu,functions=pf0,pci_bus=0000:3b0",
		"role=dpu,functions=pf0,pci_bus=0000:f8",
		"role=dpu,functions=pf0,pci_bus=0000:3bx",
		"role=dpu,functions=pf0,pci_bus=-001:3b",
		"role=dpu,functions=pf0,pci_bus=0000:+1",
		/* keys without a value */
		"role=dpu,functions",
		"role=dpu,functions=pf0,uids",
		"role=dpu,functions=pf0,huge",
		"role=dpu,functions=pf0,pci_bus",
		"role=dpu,functions=pf0,max_mem",
		"role=dpu,functions=pf0,broker",
		"role=dpu,functions=pf0,path",
		/* the host side */
		"role=host,function=",
		"role=host,functions=pf0",
		"role=host,function=pf0:pf1",
		"role=host,function=pf0vf[0-3]",
		"role=host,function=nonsense",
		"role=host,function=pf0,uids=1000",
		"role=host,uids=1000",
		"role=host,function=pf0,garbage=1",
		"role=host,function=pf0,path=",
		"role=host,function=pf0,path=/no/such/directory",
		"function=pf0",
		"functions=pf0",
	};
	uint16_t count = rte_comch_dev_count_avail();
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(refused); i++) {
		/* where no one else is, so that nothing but the argument is wrong */
		ret = strncmp(refused[i], "role=", 5) == 0 && strstr(refused[i], "path=") == NULL ?
				test_vdev_add("%s,path=%s", refused[i], path) :
				test_vdev_add("%s", refused[i]);
		if (ret >= 0)
			test_vdev_remove((int16_t)ret);
		TEST_ASSERT(ret < 0, "\"%s\" was taken", refused[i]);
		TEST_EXPECT(rte_comch_dev_count_avail(), count);
	}
	/* with an abstract name there is no folder that says who */
	TEST_EXPECT(test_vdev_add("role=dpu,functions=pf0sf999,uids=all"), -EINVAL);
	return TEST_SUCCESS;
}

/* The same keys with good values; without functions= there is pf0. */
static int
test_taken_args(void)
{
	static const struct {
		const char *args, *function;
	} taken[] = {
		{ "", "pf0" },
		{ ",uids=pf0@1000", "pf0" },
		{ ",functions=pf1,uids=pf1@1000", "pf1" },
		{ ",functions=pf1,uids=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16", "pf1" },
		{ ",functions=pf1,broker=others", "pf1" },
		{ ",functions=pf1,huge=0", "pf1" },
		{ ",functions=pf1,huge=1", "pf1" },
		{ ",functions=pf1,pci_bus=00a1:f7", "pf1" },
		{ ",functions=pf1,max_links=1,max_maps=1,max_mem=999999999", "pf1" },
	};
	unsigned int i;
	int dev;

	for (i = 0; i < RTE_DIM(taken); i++) {
		dev = test_vdev_add("role=dpu%s,path=%s", taken[i].args, path);
		TEST_ASSERT(dev >= 0, "\"%s\" was refused: %s", taken[i].args, strerror(-dev));
		TEST_EXPECT(rte_comch_rep_list((int16_t)dev, NULL, 0), 1);
		TEST_EXPECT(rte_comch_rep_get_id_by_name((int16_t)dev, taken[i].function), 0);
		TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	}
	/* where no folder is, too */
	dev = test_vdev_add("role=dpu,functions=pf0sf999,uids=1000");
	TEST_TRUE(dev >= 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	return TEST_SUCCESS;
}

static int
test_refused_long(void)
{
	char name[2048];
	int ret;

	memset(name, 'f', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ret = test_vdev_add("role=dpu,functions=%s", name);
	TEST_TRUE(ret < 0);
	ret = test_vdev_add("role=host,function=%s", name);
	TEST_TRUE(ret < 0);
	ret = test_vdev_add("role=host,function=pf0,path=/%s", name);
	TEST_TRUE(ret < 0);
	ret = test_vdev_add("role=%s", name);
	TEST_TRUE(ret < 0);
	return TEST_SUCCESS;
}

static int
test_function_lists(void)
{
	static const struct {
		const char *list;
		int nb;
		const char *last;
	} good[] = {
		{ "pf0", 1, "pf0" },
		{ "pf0vf3", 1, "pf0vf3" },
		{ "pf0:pf0vf[0-3]", 5, "pf0vf3" },
		{ "pf0:pf1:pf1vf[0-1]", 4, "pf1vf1" },
		{ "pf0vf[2-2]", 1, "pf0vf2" },
		{ "pf0sf12", 1, "pf0sf12" },
		{ "pf0vf[0-119]", 120, "pf0vf119" },
	};
	struct rte_comch_rep_info reps[128], *rep;
	unsigned int i;
	int dev;

	for (i = 0; i < RTE_DIM(good); i++) {
		dev = test_vdev_add("role=dpu,functions=%s,path=%s", good[i].list, path);
		TEST_ASSERT(dev >= 0, "\"%s\" was refused: %s", good[i].list, strerror(-dev));
		memset(reps, 'x', sizeof(reps));
		TEST_EXPECT(rte_comch_rep_list((int16_t)dev, reps, RTE_DIM(reps)), good[i].nb);
		rep = &reps[good[i].nb - 1];
		TEST_TRUE(strcmp(rep->name, good[i].last) == 0 && rep[1].name[0] == 'x');
		TEST_EXPECT(rep->type, rep->name[3] == 'v' ? RTE_COMCH_FUNC_VF :
			rep->name[3] == 's' ? RTE_COMCH_FUNC_SF : RTE_COMCH_FUNC_PF);
		TEST_TRUE(rte_comch_rep_get_id_by_name((int16_t)dev, good[i].last) >= 0);
		TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	}
	return TEST_SUCCESS;
}

/* Two cards cannot serve one function of one rendezvous. */
static int
test_function_taken(void)
{
	int dev, ret;

	dev = test_vdev_add("role=dpu,functions=pf0:pf0vf0,path=%s", path);
	TEST_TRUE(dev >= 0);
	ret = test_vdev_add("role=dpu,functions=pf0vf0,path=%s", path);
	if (ret >= 0)
		test_vdev_remove((int16_t)ret);
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	TEST_EXPECT(ret, -EADDRINUSE);
	dev = test_vdev_add("role=dpu,functions=pf0vf0,path=%s", path);
	TEST_TRUE(dev >= 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	return TEST_SUCCESS;
}

/* A directory that is moved away stays the device's, and a new one is another. */
static int
test_directory_replaced(void)
{
	char first[] = "/tmp/comch_test_XXXXXX", moved[] = "/tmp/comch_test_XXXXXX";
	int before, after;

	TEST_TRUE(mkdtemp(first) != NULL && mkdtemp(moved) != NULL);
	before = test_vdev_add("role=dpu,functions=pf0,path=%s", first);
	TEST_EXPECT(rename(first, moved), 0);
	TEST_EXPECT(mkdir(first, 0700), 0);
	after = test_vdev_add("role=dpu,functions=pf0,path=%s", first);
	TEST_TRUE(before >= 0);
	TEST_EXPECT(test_vdev_remove((int16_t)before), 0);
	TEST_ASSERT(after >= 0, "the new directory is not free: %s", strerror(-after));
	TEST_EXPECT(test_vdev_remove((int16_t)after), 0);
	/* nothing is left in them */
	TEST_EXPECT(rmdir(first), 0);
	TEST_EXPECT(rmdir(moved), 0);
	return TEST_SUCCESS;
}

static int
connect_once(int card, int host)
{
	struct test_ep *server, *client;

	test_pair.dpu = (int16_t)card;
	test_pair.rep = 0;
	test_pair.host = (int16_t)host;
	TEST_CALL(test_connected(&server, &client));
	server->echo = true;
	TEST_EXPECT(test_send_pattern(client->conn, 100, 1), 0);
	TEST_WAIT(client->nb_recv == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* Either side first; each gone and back. */
static int
test_plug_and_unplug(void)
{
	unsigned int i, fds = 0, maps = 0;
	int card, host, ret;

	for (i = 0; i < 20; i++) {
		if (i % 2 == 0) {
			host = test_vdev_add("role=host,function=pf0vf1,path=%s", path);
			card = test_vdev_add("role=dpu,functions=pf0vf1,path=%s", path);
		} else {
			card = test_vdev_add("role=dpu,functions=pf0vf1,path=%s", path);
			host = test_vdev_add("role=host,function=pf0vf1,path=%s", path);
		}
		TEST_TRUE(card >= 0 && host >= 0);
		ret = connect_once(card, host);
		test_cleanup();
		if (i % 4 < 2)
			TEST_EXPECT(test_vdev_remove((int16_t)card), 0);
		TEST_EXPECT(test_vdev_remove((int16_t)host), 0);
		if (i % 4 >= 2)
			TEST_EXPECT(test_vdev_remove((int16_t)card), 0);
		TEST_CALL(ret);
		if (i == 3) {
			fds = test_count_fds();
			maps = test_count_maps();
		}
	}
	TEST_ASSERT(test_count_fds() <= fds && test_count_maps() <= maps,
			"%u descriptors and %u mappings became %u and %u", fds, maps,
			test_count_fds(), test_count_maps());
	return TEST_SUCCESS;
}

static int
test_card_returns(void)
{
	struct test_ep *server, *client;
	struct rte_comch_dev_info info;
	int card, card2, host, ret;

	card = test_vdev_add("role=dpu,functions=pf0vf1,path=%s", path);
	host = test_vdev_add("role=host,function=pf0vf1,path=%s", path);
	TEST_TRUE(card >= 0 && host >= 0);
	ret = connect_once(card, host);
	test_cleanup();
	TEST_EXPECT(test_vdev_remove((int16_t)card), 0);
	TEST_CALL(ret);

	/* the client keeps trying until the card is there again */
	test_pair.host = (int16_t)host;
	client = test_client_run("test", test_pe_new());
	test_progress_ms(50);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STARTING);
	TEST_EXPECT(rte_comch_dev_info_get((int16_t)host, &info), 0);
	TEST_TRUE(!info.link_up);
	card2 = test_vdev_add("role=dpu,functions=pf0vf1,path=%s", path);
	TEST_TRUE(card2 >= 0);
	test_pair.dpu = (int16_t)card2;
	test_pair.rep = 0;
	server = test_server_run("test", test_pe_new());
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_dev_info_get((int16_t)host, &info), 0);
	TEST_TRUE(info.link_up);
	test_cleanup();
	TEST_EXPECT(test_vdev_remove((int16_t)host), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)card2), 0);
	return TEST_SUCCESS;
}

/* By the generic functions of EAL too, and never under a living context. */
static int
test_unplug_while_used(void)
{
	struct rte_comch_server_conf conf;
	struct test_ep *server = test_ep_new();
	char args[PATH_MAX + 64];
	int dev;

	snprintf(args, sizeof(args), "role=dpu,functions=pf0,path=%s", path);
	TEST_EXPECT(rte_eal_hotplug_add("vdev", "comch_shm_hot", args), 0);
	dev = rte_comch_dev_get_id_by_name("comch_shm_hot");
	TEST_TRUE(dev >= 0);
	test_server_conf(server, "test", &conf);
	TEST_EXPECT(rte_comch_server_create((int16_t)dev, 0, &conf, &server->ctx), 0);
	TEST_EXPECT(rte_vdev_uninit("comch_shm_hot"), -EBUSY);
	TEST_TRUE(test_dev_is_valid((int16_t)dev));
	TEST_EXPECT(rte_comch_ctx_attach(server->ctx, test_pe_new()), 0);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_TRUE(rte_eal_hotplug_remove("vdev", "comch_shm_hot") < 0);
	TEST_TRUE(test_dev_is_valid((int16_t)dev));
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(test_ep_close(server), 0);
	TEST_EXPECT(rte_eal_hotplug_remove("vdev", "comch_shm_hot"), 0);
	TEST_TRUE(!test_dev_is_valid((int16_t)dev));
	TEST_EXPECT(rte_comch_dev_get_id_by_name("comch_shm_hot"), -ENODEV);
	return TEST_SUCCESS;
}

#define OTHER_USER 12346
#define THIRD_USER 12345
/* Network namespaces besides those that other processes have. */
#define NB_NETWORKS 9u

/*
 * Two devices that do not find each other. The case is alone in a network namespace, or
 * what other processes of the machine serve would be taken for the mistake.
 */

static int own_net = -1;
static int devs[3];
static unsigned int nb_devs;

static int
net_new(void)
{
	own_net = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (own_net >= 0 && unshare(CLONE_NEWNET) == 0)
		return TEST_SUCCESS;
	return test_skip("no network namespace of its own: %s", strerror(errno));
}

static void
nobody_cleanup(void)
{
	test_cleanup();
	test_log_end();
	test_log_quiet();
	if (own_net >= 0) {
		setns(own_net, CLONE_NEWNET);
		close(own_net);
	}
	own_net = -1;
	while (nb_devs > 0)
		test_vdev_remove((int16_t)devs[--nb_devs]);
}

/* A device of an effective user, 0 for the own, on the common path or on none. */
static int
nobody_dev(uid_t uid, const char *args, bool with_path)
{
	int dev;

	if (uid != 0 && seteuid(uid) != 0)
		return -errno;
	dev = test_vdev_add("%s%s%s", args, with_path ? ",path=" : "", with_path ? path : "");
	if (dev >= 0)
		devs[nb_devs++] = dev;
	return uid != 0 && seteuid(0) != 0 ? -errno : dev;
}

/* A client of a new device is not answered: what is logged then has these words. */
static int
nobody(const char *args, bool with_path, const char *seen, const char *mistake,
		const char *remedy)
{
	int host = nobody_dev(0, args, with_path);
	struct test_ep *client;
	const struct rte_comch_client_conf conf = { .connect_timeout_ms = 100 };

	TEST_TRUE(host >= 0);
	test_pair.host = (int16_t)host;
	test_log_restore();
	TEST_EXPECT(test_log_begin(), 0);
	client = test_client_run_conf(&conf, test_pe_new());
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ETIMEDOUT);
	TEST_TRUE(test_log_has(with_path ? path : "nobody answered at dpdk-comch/"));
	TEST_ASSERT(test_log_has(seen), "no word of: %s", seen);
	TEST_ASSERT(test_log_has(mistake), "no word of: %s", mistake);
	TEST_ASSERT(test_log_has(remedy), "no word of: %s", remedy);
	/* once, and not for each look for the other side */
	TEST_EXPECT(test_log_count("it looks like"), 1);
	TEST_EXPECT(test_log_count("\n"), 3);
	test_log_passed();
	test_log_end();
	return TEST_SUCCESS;
}

static int
test_nobody_there(void)
{
	TEST_CALL(net_new());
	return nobody("role=host,function=pf0", false, "none of these sockets", "no server",
		"start the card's side first, with functions=pf0");
}

/* A device that has failed says nothing of the other side, whatever the reason. */
static int
test_nobody_asked(void)
{
	int host = nobody_dev(0, "role=host,function=pf0", false);
	struct test_ep *client;

	TEST_TRUE(host >= 0);
	test_pair.host = (int16_t)host;
	client = test_client_run("test", test_pe_new());
	test_log_restore();
	TEST_EXPECT(test_log_begin(), 0);
	rte_comch_pmd_dev_down(test_mock_dev((int16_t)host), -ETIMEDOUT);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ETIMEDOUT);
	TEST_EXPECT(test_log_count("nobody answered"), 0);
	test_log_passed();
	test_log_end();
	return TEST_SUCCESS;
}

/* More sockets than are looked at: then what is there is not known, and is not told. */
static int
test_nobody_counts(void)
{
	struct rlimit old, many;
	int fds[9000], n, ret;

	TEST_CALL(net_new());
	TEST_EXPECT(getrlimit(RLIMIT_NOFILE, &old), 0);
	if (old.rlim_max < RTE_DIM(fds) + 1024)
		return test_skip("a process has %lu descriptors", (unsigned long)old.rlim_max);
	many.rlim_cur = many.rlim_max = old.rlim_max;
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &many), 0);
	for (n = 0; n < (int)RTE_DIM(fds); n++) {
		fds[n] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		if (fds[n] < 0)
			break;
	}
	ret = n == (int)RTE_DIM(fds) ? nobody("role=host,function=pf0", false,
			"none of these sockets, and others that were not looked at",
			"no server that was found among 8192 sockets",
			"start the card's side first") : TEST_FAILED;
	while (n-- > 0)
		close(fds[n]);
	setrlimit(RLIMIT_NOFILE, &old);
	return ret;
}

static int
test_nobody_progresses(void)
{
	TEST_CALL(net_new());
	TEST_TRUE(nobody_dev(0, "role=dpu,functions=pf0", true) >= 0);
	return nobody("role=host,function=pf0", true, path, "a process has this socket",
		"no thread of it calls rte_comch_pe_progress()");
}

static int
test_nobody_function(void)
{
	TEST_CALL(net_new());
	TEST_TRUE(nobody_dev(0, "role=dpu,functions=pf1:pf0vf[0-9]", true) >= 0);
	/* more of them than are listed */
	return nobody("role=host,function=pf0", true, ", and others", "another function",
		"add it to functions=");
}

static int
test_nobody_path(void)
{
	char other[PATH_MAX], args[PATH_MAX + 64];
	int ret;

	TEST_CALL(net_new());
	TEST_EXPECT(test_rendezvous_create(other, sizeof(other)), 0);
	snprintf(args, sizeof(args), "role=dpu,functions=pf0,path=%s", other);
	TEST_TRUE(nobody_dev(0, args, false) >= 0);
	ret = nobody("role=host,function=pf0", true, "none of these sockets", "no server",
		"it has no or another path=");
	if (ret == TEST_SUCCESS)
		ret = nobody("role=host,function=pf0", false, "none of these sockets",
			"no server", "if it has a path=, or runs in a container");
	nobody_cleanup();
	test_rendezvous_remove(other);
	return ret;
}

static int
test_nobody_user(void)
{
	TEST_CALL(net_new());
	TEST_TRUE(nobody_dev(OTHER_USER, "role=dpu,functions=pf0", false) >= 0);
	TEST_CALL(nobody("role=host,function=pf0", false, "there is: uid-12346/pf0\n",
			"another user", "run both sides as one user"));
	return nobody("role=host,function=pf0", true, "none of these sockets",
		"no server", "it has no or another path=");
}

static int
test_nobody_fits(void)
{
	TEST_CALL(net_new());
	TEST_TRUE(nobody_dev(OTHER_USER, "role=dpu,functions=pf0", false) >= 0);
	return nobody("role=host,function=pf1", false, "there is: uid-12346/pf0\n",
		"another user, and another function", "by functions=");
}

static int
test_nobody_network(void)
{
	TEST_TRUE(nobody_dev(0, "role=dpu,functions=pf0", false) >= 0);
	TEST_CALL(net_new());
	return nobody("role=host,function=pf0", false, "none of these sockets",
		"another network namespace", "give both sides the same path=");
}

/* A process in a network namespace of its own; the last of them has the socket. */
static void __attribute__((noreturn))
network_main(bool serves, int ready)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 1;
	char c = 0;
	int fd;

	alarm(20);
	if (unshare(CLONE_NEWNET) != 0)
		c = 1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	len += (socklen_t)snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1,
			"dpdk-comch/uid-%u/pf0", geteuid());
	if (fd < 0 || (serves && (bind(fd, (struct sockaddr *)&addr, len) != 0 ||
			listen(fd, 1) != 0)))
		c = 1;
	if (write(ready, &c, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* More namespaces than are looked at: what is in one behind them is not seen. */
static int
test_nobody_networks(void)
{
	pid_t pids[NB_NETWORKS];
	int ready[2], ret = TEST_SUCCESS;
	unsigned int i, nb;
	char c;

	TEST_CALL(net_new());
	TEST_EXPECT(pipe(ready), 0);
	fflush(stdout);
	for (nb = 0; nb < NB_NETWORKS && ret == TEST_SUCCESS; nb++) {
		pids[nb] = fork();
		if (pids[nb] == 0)
			network_main(nb == NB_NETWORKS - 1, ready[1]);
		ret = pids[nb] > 0 && read(ready[0], &c, 1) == 1 && c == 0 ? TEST_SUCCESS :
			TEST_FAILED;
	}
	if (ret == TEST_SUCCESS)
		ret = nobody("role=host,function=pf0", false, "none of these sockets", "no server",
			"start the card's side first");
	for (i = 0; i < nb && pids[i] > 0; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	close(ready[0]);
	close(ready[1]);
	return ret;
}

/*
 * What another user's process is told who wants to attach. The user of a socket
 * is the effective one at the time of the attempt, so this process can play it.
 *
 * @param uid   of the card's side
 * @param args  further arguments of it
 * @param card_words, host_words  what each side logs, or NULL
 */
static int
attach_as_other(uid_t uid, const char *args, int *reason, const char *card_words,
		const char *host_words)
{
	struct rte_comch_pe *client_pe, *server_pe;
	struct test_ep *client = test_ep_new();
	struct rte_comch_client_conf client_conf;
	char card_args[PATH_MAX];
	int card, host, i;

	if (getuid() != 0)
		return test_skip("only root can act as another user");
	snprintf(card_args, sizeof(card_args), "role=dpu,functions=pf0%s", args);
	/* first, so that its attempts fail until the card is there */
	host = nobody_dev(0, "role=host,function=pf0", true);
	card = nobody_dev(uid, card_args, true);
	TEST_TRUE(card >= 0 && host >= 0);
	test_pair.dpu = (int16_t)card;
	test_pair.rep = 0;
	test_pair.host = (int16_t)host;
	client_pe = test_pe_new();
	server_pe = test_pe_new();
	test_client_conf(client, "test", &client_conf);
	client_conf.connect_timeout_ms = 500;
	test_log_restore();
	TEST_EXPECT(test_log_begin(), 0);
	test_server_run("test", server_pe);
	TEST_EXPECT(seteuid(OTHER_USER), 0);
	i = test_client_start(client, &client_conf, client_pe);
	/* of the same user or not, and the card's side looks at that when it lets one in */
	if (i == -EINPROGRESS)
		test_turn_ms(client_pe, uid == OTHER_USER ? server_pe : NULL, 100);
	TEST_EXPECT(seteuid(0), 0);
	TEST_EXPECT(i, -EINPROGRESS);
	TEST_WAIT(test_state(client) != RTE_COMCH_STATE_STARTING, TEST_MS);
	*reason = test_state(client) == RTE_COMCH_STATE_RUNNING ? 0 :
			rte_comch_ctx_reason_get(client->ctx);
	/* the card's side may have to find that it was left */
	TEST_WAIT((card_words == NULL || test_log_count(card_words) != 0) &&
			(host_words == NULL || test_log_count(host_words) != 0), TEST_MS);
	test_progress_ms(10);
	if (card_words != NULL)
		TEST_EXPECT(test_log_count(card_words), 1);
	if (host_words != NULL)
		TEST_EXPECT(test_log_count(host_words), 1);
	test_log_passed();
	nobody_cleanup();
	return TEST_SUCCESS;
}

/* The mode of the directory says who may attach, and the kernel asks it. */
static int
test_directory_mode(void)
{
	int reason, ret;

	TEST_CALL(attach_as_other(0, "", &reason, NULL, "does not let user 12346 in: let it enter the folder"));
	TEST_EXPECT(reason, -EACCES);
	TEST_EXPECT(chmod(path, 0755), 0);
	ret = attach_as_other(0, "", &reason, NULL, "does not let user 12346 in: let it enter the folder");
	TEST_EXPECT(chmod(path, 0700), 0);
	TEST_CALL(ret);
	TEST_EXPECT(reason, -EACCES);
	TEST_EXPECT(chmod(path, 0777), 0);
	ret = attach_as_other(0, "", &reason, NULL, NULL);
	TEST_EXPECT(chmod(path, 0700), 0);
	TEST_CALL(ret);
	TEST_EXPECT(reason, 0);
	return TEST_SUCCESS;
}

static int
test_user_list(void)
{
	int reason, ret;

	TEST_EXPECT(chmod(path, 0711), 0);
	ret = attach_as_other(0, ",uids=12345:12346", &reason, NULL, NULL);
	TEST_EXPECT(chmod(path, 0700), 0);
	TEST_CALL(ret);
	TEST_EXPECT(reason, 0);
	/* a list that the user is not on overrides the mode */
	TEST_EXPECT(chmod(path, 0777), 0);
	ret = attach_as_other(0, ",uids=12345", &reason, "add its user to uids=",
		"does not let user 12346 in");
	TEST_EXPECT(chmod(path, 0700), 0);
	TEST_CALL(ret);
	TEST_EXPECT(reason, -EACCES);
	return TEST_SUCCESS;
}

/* In a folder of an owner that all users reach and write to, as EAL's is not. */
static int
attach_in_folder(uid_t uid, uid_t owner, const char *args, int expected, const char *card_words,
		const char *host_words)
{
	char common[sizeof(path)], folder[] = "/tmp/comch_test_XXXXXX";
	int reason = 1, ret;

	TEST_TRUE(mkdtemp(folder) != NULL);
	strcpy(common, path);
	strcpy(path, folder);
	TEST_EXPECT(chmod(path, 0777), 0);
	if (getuid() == 0)
		TEST_EXPECT(chown(path, owner, 0), 0);
	ret = attach_as_other(uid, args, &reason, card_words, host_words);
	TEST_EXPECT(rmdir(folder), 0);
	strcpy(path, common);
	TEST_CALL(ret);
	TEST_EXPECT(reason, expected);
	return TEST_SUCCESS;
}

/* The host's side does not take anyone for the card's: both are told at once. */
static int
test_server_refused(void)
{
	return attach_in_folder(THIRD_USER, 0, "", -EACCES, "of user 12346 does not let user 12345 serve pf0: run this side as root",
		"is served by user 12345, whom this process of user 12346 does not let serve");
}

/* It takes its own user, which no list has to name, and the owner of the folder. */
static int
test_server_taken(void)
{
	TEST_CALL(attach_in_folder(OTHER_USER, 0, ",uids=12345", 0, NULL, NULL));
	return attach_in_folder(THIRD_USER, THIRD_USER, "", 0, NULL, NULL);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: device arguments and hot-plug of the shm driver",
	.setup = suite_setup,
	.teardown = suite_teardown,
	.unit_test_cases = {
		TEST_CASE(test_refused_args),
		TEST_CASE(test_taken_args),
		TEST_CASE(test_refused_long),
		TEST_CASE(test_function_lists),
		TEST_CASE(test_function_taken),
		TEST_CASE(test_directory_replaced),
		TEST_CASE_ST(NULL, test_cleanup, test_plug_and_unplug),
		TEST_CASE_ST(NULL, test_cleanup, test_card_returns),
		TEST_CASE_ST(NULL, test_cleanup, test_unplug_while_used),
		TEST_CASE_ST(NULL, nobody_cleanup, test_directory_mode),
		TEST_CASE_ST(NULL, nobody_cleanup, test_user_list),
		TEST_CASE_ST(NULL, nobody_cleanup, test_server_refused),
		TEST_CASE_ST(NULL, nobody_cleanup, test_server_taken),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_there),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_asked),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_counts),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_progresses),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_function),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_path),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_user),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_fits),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_network),
		TEST_CASE_ST(NULL, nobody_cleanup, test_nobody_networks),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_devargs_autotest, unit_test_suite_runner, &suite)
