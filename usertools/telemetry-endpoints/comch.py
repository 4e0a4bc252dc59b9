# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""Endpoint of dpdk-telemetry-exporter.py (DPDK 23.11 and later) for comch devices.

The exporter calls info() and metrics(), as those of DPDK's own endpoints. Each label has
few values: numbers of connections and queues, which grow as these come and go, are none.
What a process does not tell is left out.
"""

# A list longer than that many answers is cut: each has up to 32 entries.
MAX_PAGES = 256

# /comch/stats
STATS = {
    "connects": "Connections established.",
    "refused": "Connection requests refused, either way.",
    "disconnects": "Connections ended in order, by either side.",
    "peer_lost": "Connections ended because the peer died, or did not answer in time.",
    "timeouts": "Connect attempts that timed out.",
    "violations": "Breaches of the protocol by a peer.",
    "links": "Peer processes that attached.",
    "links_refused": "Peer processes that were not let in.",
    "wakeups": "Wake-ups sent to sleeping peers.",
    "retained": "Objects that stay in memory because hardware may still use them.",
}
# /comch/totals
TOTALS = {
    "ctrl_tx_msgs": "Control messages delivered to peers.",
    "ctrl_tx_bytes": "Bytes of control messages delivered to peers.",
    "ctrl_rx_msgs": "Control messages received.",
    "ctrl_rx_bytes": "Bytes of control messages received.",
    "ctrl_rx_no_mbuf": "Times that a control message had to wait for an mbuf.",
    "producer_msgs": "Messages sent by producers.",
    "producer_bytes": "Bytes sent by producers, without immediate data.",
    "producer_short_credits": "Bursts of producers that ended for want of a credit.",
    "producer_short_queue": "Bursts of producers that ended because the queue was full.",
    "producer_errors": "Bursts of producers that ended for another reason.",
    "consumer_msgs": "Messages received by consumers.",
    "consumer_bytes": "Bytes received by consumers, without immediate data.",
    "consumer_errors": "Bursts of consumers that ended with an error.",
}
# /comch/pes
ENGINE_COUNTERS = {
    "busy_cycles": "TSC cycles in which a progress engine had something to handle.",
    "total_cycles": "TSC cycles since a progress engine was created.",
}
ENGINE_GAUGES = {
    "waiting": "Events that wait for a turn of a progress engine.",
    "tasks_left": "Tasks that a progress engine has not promised yet.",
    "max_tasks": "Tasks that a progress engine can promise.",
}
# The others, with names of our own.
GAUGES = {
    "devices": "Devices of the process.",
    "up": "Whether a device works: 1, or 0 since its failure.",
    "link_up": "Whether the link of a device is up.",
    "peer_processes": "Peer processes that are attached now.",
    "connections": "Connections that are up.",
    "tx_in_flight": "Control messages submitted and not delivered.",
    "rx_held": "Connections whose messages the application holds back.",
    "queues": "Producers and consumers.",
    "user_used": "What a user of a function has taken of a resource.",
    "user_limit": "What a user of a function may take of a resource.",
    "dpas": "Offload processors.",
    "msgq_waiting": "Messages that wait in message queues.",
}
USER_REFUSED = "How often a user of a function was refused more of a resource."


def info() -> "dict[Name, tuple[Description, Type]]":
    out = {name: (text, "gauge") for name, text in GAUGES.items()}
    out.update({name: (text, "counter") for name, text in {**STATS, **TOTALS}.items()})
    out.update({f"engine_{n}": (text, "counter") for n, text in ENGINE_COUNTERS.items()})
    out.update({f"engine_{n}": (text, "gauge") for n, text in ENGINE_GAUGES.items()})
    out["user_refused"] = (USER_REFUSED, "counter")
    return out


def ask(sock, command, arg):
    """An answer that is a dictionary; an empty one if the device is gone."""
    try:
        answer = sock.cmd(command, arg)
    except (KeyError, ValueError):
        return {}  # no JSON, or to another question
    return answer if isinstance(answer, dict) and "error" not in answer else {}


def entries(sock, command, dev):
    """All entries of a list, which comes in parts."""
    start = 0
    for _ in range(MAX_PAGES):
        page = ask(sock, command, f"{dev},{start}")
        if not page:
            return
        start += len(page)
        yield from (entry for entry in page.values() if isinstance(entry, dict))


class Metrics:
    """What was found, in the order of info()."""

    def __init__(self):
        self.values = {name: {} for name in info()}

    def add(self, name, value, labels):
        """Those with the same labels are summed. What is no number is left out."""
        if isinstance(value, int):
            values = self.values[name]
            key = tuple(labels.items())
            values[key] = values.get(key, 0) + value

    def add_all(self, names, source, labels, prefix=""):
        for name in names:
            self.add(prefix + name, source.get(name), labels)

    def list(self):
        return [(name, value, dict(key)) for name, values in self.values.items()
                for key, value in values.items()]


def add_users(out, sock, dev, device):
    """Three numbers of each resource: <name>, <name>_max and <name>_refused."""
    for user in entries(sock, "/comch/users", dev):
        for key, limit in user.items():
            name = key[:-len("_max")]
            if not key.endswith("_max") or name not in user:
                continue
            labels = {**device, "function": user.get("function", ""), "uid": user.get("uid", ""),
                      "resource": name}
            out.add("user_used", user[name], labels)
            out.add("user_limit", limit, labels)
            out.add("user_refused", user.get(f"{name}_refused"), labels)


def add_objects(out, sock, dev, device):
    """Connections, queues and what offload processors have, counted by what they are."""
    for conn in entries(sock, "/comch/connections", dev):
        labels = {**device, "function": conn.get("function", ""), "server": conn.get("server", "")}
        out.add("connections", 1, labels)
        out.add("tx_in_flight", conn.get("tx_in_flight"), labels)
        out.add("rx_held", conn.get("rx_held"), labels)
    for queue in entries(sock, "/comch/queues", dev):
        out.add("queues", 1, {**device, "type": queue.get("type", ""),
                              "state": queue.get("state", "")})
    for dpa in entries(sock, "/comch/dpas", dev):
        out.add("dpas", 1, {**device, "program": dpa.get("program", ""),
                            "state": dpa.get("state", "")})
    for msgq in entries(sock, "/comch/msgqs", dev):
        out.add("msgq_waiting", msgq.get("waiting"),
                {**device, "program": msgq.get("program", ""),
                 "direction": msgq.get("direction", "")})


def add_device(out, sock, dev):
    about = ask(sock, "/comch/info", dev)
    if "name" not in about:
        return
    device = {"dev": about["name"]}
    what = {**device, "driver": about.get("driver", ""), "role": about.get("role", "")}
    out.add("up", int(about.get("status") == "up"), what)
    out.add("link_up", int(about.get("link") == "up"), device)
    out.add("peer_processes", about.get("peer_processes"), device)
    out.add_all(STATS, ask(sock, "/comch/stats", dev), device)
    out.add_all(TOTALS, ask(sock, "/comch/totals", dev), device)
    for engine in entries(sock, "/comch/pes", dev):
        out.add_all((*ENGINE_COUNTERS, *ENGINE_GAUGES), engine,
                    {**device, "engine": engine.get("id", "")}, "engine_")
    add_users(out, sock, dev, device)
    add_objects(out, sock, dev, device)


def metrics(sock: "TelemetrySocket") -> "list[tuple[Name, Value, Labels]]":
    out = Metrics()
    try:
        devices = sock.cmd("/comch/list")
    except (KeyError, ValueError):
        devices = None
    if isinstance(devices, list):  # else the process is without the library
        out.add("devices", len(devices), {})
        for dev in devices:
            add_device(out, sock, dev)
    return out.list()
