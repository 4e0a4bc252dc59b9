# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""What is compared: one entry for each group of rows in the table.

A group is measured together. Its limits are what dpdk-test-comch measures itself
in the same run; its peers are run between two runs of ours.
"""

import peers

SMALL = 8        # bytes of a small message, of which latency is measured
BANDWIDTH = (4096, 65536, 1 << 20)


class Peer:
    """A peer of a group: candidates(m, huge), and the ratio ours/theirs wanted."""

    def __init__(self, name, candidates, target=None):
        self.name = name
        self.candidates = candidates
        self.target = target


class Group:
    def __init__(self, title, test, args, unit, size, own_peers=(), limit=None,
                 limit_target=None, least=None):
        self.title = title
        self.test = test              # of dpdk-test-comch
        self.args = args
        self.unit = unit              # rate, ns, bytes
        self.size = size
        self.peers = own_peers
        self.limit = limit            # what the ratio in the JSON is to
        self.limit_target = limit_target
        self.least = least            # a rate, where the target is one

    @property
    def less_is_better(self):
        return self.unit == 'ns'


def sized(function, size):
    return lambda m, huge: function(m, huge, size)


def groups():
    yield Group(
        '64 B into buffers 2 KiB apart, burst 32', 'fp-rate',
        ['--size', '64', '--stride', '2048', '--burst', '32'], 'rate', 64,
        [Peer('memif', peers.memif_rate, 3.0),
         Peer('UCX', sized(peers.ucx_rate, 64), 4.0),
         Peer('libfabric', sized(peers.fabric_rate, 64))],
        'bare loop, same buffers', 0.7)
    yield Group(
        '32 B immediate, burst 32', 'imm-rate', ['--size', '32', '--burst', '32'],
        'rate', 32, [], 'bare loop', 0.7)
    yield Group(
        'one-way latency, %d B, median' % SMALL, 'fp-lat', ['--size', str(SMALL)],
        'ns', SMALL,
        [Peer('UCX', sized(peers.ucx_latency, SMALL), 1.0),
         Peer('libfabric', sized(peers.fabric_latency, SMALL)),
         Peer('memif', sized(peers.memif_latency, SMALL))],
        'cache-line ping-pong', 1.5)
    for size in BANDWIDTH:
        yield Group(
            'bandwidth, ' + ('%d MiB' % (size >> 20) if size >> 20 else '%d KiB' % (size >> 10)),
            'fp-bw', ['--size', str(size)], 'bytes', size,
            [Peer('UCX', sized(peers.ucx_bandwidth, size)),
             Peer('libfabric', sized(peers.fabric_bandwidth, size))],
            'memcpy, same working set', 0.95)
    yield Group('control messages, 64 B', 'ctrl-rate', ['--size', '64'], 'rate', 64,
                least=5e6)
    yield Group('connects', 'connect-rate', [], 'rate', 0, least=1e4)
