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

    def __init__(self, name, candidates, target=None, strict=False):
        self.name = name
        self.candidates = candidates
        self.target = target
        self.strict = strict          # better than that, not only as good


class Group:
    def __init__(self, title, test, args, unit, size, own_peers=(), limit=None,
                 limit_target=None, least=None, own=None):
        self.title = title
        self.test = test              # of dpdk-test-comch
        self.args = args
        self.unit = unit              # rate, ns, bytes
        self.size = size
        self.peers = own_peers
        self.limit = limit            # what the ratio in the JSON is to
        self.limit_target = limit_target  # or one for each time of a cache line, in ns
        self.least = least            # a rate, where the target is one
        self.own = own                # (m, huge): ours, where it is no test of dpdk-test-comch

    @property
    def less_is_better(self):
        return self.unit == 'ns'


def sized(function, size):
    return lambda m, huge: function(m, huge, size)


def size_text(size):
    if size >> 20:
        return '%d MiB' % (size >> 20)
    return '%d KiB' % (size >> 10) if size >> 10 else '%d B' % size


def small():
    """Messages whose rate counts, in the order of what an application writes for them."""
    fp = ['--size', '64', '--stride', str(peers.STRIDE_SMALL)]
    # The sender writes each message before it sends it, the receiver reads all of it.
    yield Group(
        '64 B written and read, burst 32', 'fp-rate', fp + ['--burst', '32', '--write-read'],
        'rate', 64,
        [Peer('memif', sized(peers.memif_rate_work, 64), 1.0, strict=True),
         Peer('UCX', sized(peers.ucx_rate_work, 64), 1.0, strict=True),
         Peer('libfabric', sized(peers.fabric_rate_work, 64), 1.0, strict=True)],
        'bare loop that writes and reads, same buffers', 0.9)
    # For information: what nobody writes need not leave the reader's cache.
    yield Group(
        '64 B that nobody writes, burst 32', 'fp-rate', fp + ['--burst', '32'], 'rate', 64,
        [Peer('memif', sized(peers.memif_rate, 64))],
        'bare loop, same buffers', 0.9)
    yield Group('64 B, burst 1', 'fp-rate', fp + ['--burst', '1'], 'rate', 64, [],
                'bare loop at burst 1, same buffers', 0.5)
    yield Group('64 B in tasks', 'fp-rate', fp + ['--tasks'], 'rate', 64, [],
                'bare loop, same buffers', 0.4)
    yield Group('64 B in tasks, written and read', 'fp-rate', fp + ['--tasks', '--write-read'],
                'rate', 64, [Peer('UCX AM', sized(peers.ucx_am_work, 64), 2.0)],
                'bare loop that writes and reads, same buffers')
    yield Group('64 B in mbufs', 'fp-rate', fp + ['--mbuf'], 'rate', 64, [],
                'bare loop with a pool at each end', 0.9)
    yield Group('64 B in mbufs, written and read', 'fp-rate', fp + ['--mbuf', '--write-read'],
                'rate', 64, [Peer('memif', sized(peers.memif_rate_work, 64))],
                'bare loop with a pool at each end that writes and reads')
    yield Group('32 B immediate, burst 32', 'imm-rate', ['--size', '32', '--burst', '32'],
                'rate', 32, [], 'bare loop', 0.9)
    yield Group('32 B immediate, burst 1', 'imm-rate', ['--size', '32', '--burst', '1'],
                'rate', 32, [], 'bare loop at burst 1', 0.5)
    # The receiver, or the sender, is a program of the offload processor.
    for way in ('to', 'from'):
        for burst, name, target in (('32', 'bare loop of slots', 0.7),
                                    ('1', 'bare loop of slots at burst 1', 0.5)):
            yield Group('MsgQ, 32 B %s a program, burst %s' % (way, burst), 'msgq-rate',
                        ['--size', '32', '--dir', way, '--burst', burst], 'rate', 32, [],
                        name, target)


def latency():
    yield Group(
        'one-way latency, %d B, median' % SMALL, 'fp-lat', ['--size', str(SMALL)],
        'ns', SMALL,
        [Peer('UCX', sized(peers.ucx_latency, SMALL), 0.7),
         Peer('memif', sized(peers.memif_latency, SMALL))],
        'cache-line ping-pong', {60: 1.3, 230: 1.15})
    yield Group('one-way latency, 32 B immediate', 'imm-lat', ['--size', '32'], 'ns', 32, [],
                'cache-line ping-pong', 1.3)
    yield Group('one-way latency, 32 B of a MsgQ', 'msgq-lat', ['--size', '32'], 'ns', 32, [],
                'cache-line ping-pong', 1.5)


def bandwidth():
    for size in BANDWIDTH:
        target = 1.0 if size > peers.SMALL_MAX else None
        # As the peers: as many buffers, and each is sent when it is written. UCX has those of
        # its queue besides, but where that is no larger than the buffers of the others.
        burst = '1' if size > peers.SMALL_MAX else '32'
        yield Group(
            'bandwidth, %s written and read' % size_text(size), 'fp-bw',
            ['--size', str(size), '--write-read', '--burst', burst,
             '--posts', str(peers.buffers(size))], 'bytes', size,
            [Peer('memif', sized(peers.memif_bandwidth, size), target),
             Peer('UCX', sized(peers.ucx_bandwidth_work, size), target),
             Peer('UCX, equal', sized(peers.ucx_bandwidth_equal, size), target and 1.05),
             Peer('libfabric', sized(peers.fabric_bandwidth_work, size), target)],
            'bare loop that writes, copies and reads')
        # For information: one buffer that stays in the caches, for those that have one.
        yield Group(
            'bandwidth, %s that nobody writes' % size_text(size),
            'fp-bw', ['--size', str(size)], 'bytes', size, [], 'memcpy, same working set')


def ports():
    """One program, which knows ethdev only, over net_comch and over memif."""
    for queues, size in ((1, 64), (1, 1500), (2, 64), (2, 1500)):
        what = 'port, %d B, %d queue%s, ' % (size, queues, 's' if queues > 1 else '')
        both, copying = (
            lambda m, huge, size=size, queues=queues, modes=modes: peers.memif_rate_work(
                m, huge, size, modes=modes, queues=queues)
            for modes in ((False, True), (False,)))
        library = [Peer('library', sized(peers.library_packets, size), 0.9)]
        yield Group(what + 'direct', None, None, 'rate', size,
                    [Peer('memif', both, 1.5 if size == 64 else 1.0)] +
                    (library if queues == 1 else []),
                    own=lambda m, huge, size=size, queues=queues: peers.net_comch(
                        m, huge, size, 'direct', queues))
        yield Group(what + 'ordinary pool', None, None, 'rate', size,
                    [Peer('memif', copying, 1.0)],
                    own=lambda m, huge, size=size, queues=queues: peers.net_comch(
                        m, huge, size, 'pool', queues))
    yield Group('port, ping of testpmd, 64 B', None, None, 'ns', 64,
                [Peer('memif', sized(peers.memif_ping, 64))],
                own=lambda m, huge: peers.net_comch_ping(m, huge, 64))
    yield Group('port, first packet after a sleep', None, None, 'ns', 64, [],
                'wake-up by a bare eventfd', 2.0,
                own=lambda m, huge: peers.net_comch_wake(m, huge, 64))


def groups():
    yield from small()
    yield from latency()
    yield from bandwidth()
    yield from ports()
    yield Group('control messages, 64 B', 'ctrl-rate', ['--size', '64'], 'rate', 64,
                least=20e6)
    yield Group('connects', 'connect-rate', [], 'rate', 0, least=20e3)
