# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""The peers: how each is run, and with which settings.

A candidate is one way to run one peer for one row. All candidates of a row are
tried first, and the fastest that works is what ours is compared with. None of
them is told more than its documentation offers, and none less.
"""

import functools
import itertools
import os
import re
import subprocess
import time

import ours
from machine import Failed, last_line

# Measured time of one run, in seconds, without start and warm-up.
SECONDS = 0.25

# Where all bytes are written and read: buffers that each side has of large messages,
# and of small ones, which are 2 KiB apart.
BUFFERS = 8
BUFFERS_SMALL = 512
STRIDE_SMALL = 2048
SMALL_MAX = 4096
# Of a long message in an element of a queue of UCX, whose segments have a header more.
UCX_PART = 8192
# Of a queue of a port: what memif's rings have by default.
PORT_DESCRIPTORS = 1024
# Of sockets and processes of this run.
NUMBERS = itertools.count()


def buffers(size):
    return BUFFERS if size > SMALL_MAX else BUFFERS_SMALL


class Candidate:
    """One way to run one peer. measure(seconds) gives messages/s, ns or bytes/s."""

    ratio = None    # of the last measure(), to a limit that the program has measured, too

    def __init__(self, peer, name, measure):
        self.peer = peer
        self.name = name
        self.measure = measure

    def __str__(self):
        return '%s %s' % (self.peer, self.name)


# --------------------------------------------------------------------------
# Ports of ethdev: the memif PMD and net_comch, in one program

def ethdev(m, peer, name, how, size, huge, vdevs, who='client', burst=32, queues=1, mbufs=8192,
           room=2048, pool='pool'):
    """Our own minimal program: a PMD's burst functions and nothing else."""
    name = 'PMD alone, %s%s' % (name, ', %d queues' % queues if queues > 1 else '')

    def measure(seconds):
        args = [*m.cpus, seconds, how, size, burst, queues, PORT_DESCRIPTORS, mbufs, room, pool,
                int(huge), who, *vdevs()]
        out = m.run([m.helper('peer-ethdev'), *map(str, args)], 25.0 + seconds)
        # where packets are parts of messages it is their bytes
        return float(re.search(r'bytes_per_s ([\d.]+)' if mbufs < 8192 else
                               r'(?:rate_per_s|p50_ns) ([\d.]+)', out)[1])
    return Candidate(peer, name, measure)


def memif_vdevs(m, ring, room, zero_copy):
    """Each call has a socket of its own. The port of a client, and that of a server."""
    path = '%s/memif%d' % (m.work, next(NUMBERS))
    both = 'socket=%s,socket-abstract=no,rsize=%d,bsize=%d' % (path, ring, room)
    return ('net_memif0,role=client,%s%s' % (both, ',zero-copy=yes' if zero_copy else ''),
            'net_memif0,role=server,' + both)


def memif(m, name, how, size, huge, ring=10, room=2048, who='client', zero_copy=False, **more):
    return ethdev(m, 'memif',
                  '%s, %s sends%s' % ('zero-copy' if zero_copy else 'copy', who, name),
                  how, size, huge, lambda: memif_vdevs(m, ring, room, zero_copy), who,
                  room=room, **more)


def memif_rate(m, huge, size, how='rate', modes=(False, True), **more):
    # Ring sizes: the default 1024, and one whose buffers stay in a second-level cache.
    for ring, zero_copy, who in itertools.product((10, 8), modes, ('client', 'server')):
        yield memif(m, ', ring of %d' % (1 << ring), how, size, huge, ring=ring, who=who,
                    zero_copy=zero_copy, **more)


def memif_rate_work(m, huge, size, **more):
    """Written and read."""
    return memif_rate(m, huge, size, 'work', **more)


def memif_bandwidth(m, huge, size):
    """Written and read. Packets cannot have 64 KiB: a message is as many as it takes."""
    for packet, zero_copy, who in itertools.product((2048, 8192, 32768), (False, True),
                                                    ('client', 'server')):
        # As many bytes as the others have in their buffers: half of them in the ring,
        # as zero-copy has to have others to write meanwhile.
        nb = buffers(size) * size // packet
        ring = (nb // 2).bit_length() - 1
        if packet > size or nb < 8:
            continue
        yield memif(m, ', packets of %d B, ring of %d' % (packet, 1 << ring), 'work', packet, huge,
                    burst=max(1, min(32, nb // 8)), ring=ring, mbufs=nb, room=packet, who=who,
                    zero_copy=zero_copy)


def memif_latency(m, huge, size):
    for zero_copy in (False, True):
        yield memif(m, '', 'lat', max(size, 1), huge, zero_copy=zero_copy)


def net_comch_vdevs(m, huge):
    """The port of the host's side, and that of the card's."""
    port = 'net_comch0,dev=comch_shm0;comch_shm0,path=%s%s' % (m.work, ',huge=1' if huge else '')
    return (port + ',role=host,function=pf0', port + ',role=dpu,functions=pf0')


def net_comch(m, huge, size, pool, queues):
    """Ours: as many descriptors as memif's ring has by default."""
    return ethdev(m, 'net_comch', pool, 'work', size, huge, lambda: net_comch_vdevs(m, huge),
                  pool=pool, queues=queues)


def net_comch_wake(m, huge, size):
    """An lcore sleeps for receive interrupts: its first packet, and what it costs meanwhile."""
    def measure(seconds):
        args = [*m.cpus, seconds, 'wake', size, 1, 1, PORT_DESCRIPTORS, 8192, 2048, 'direct',
                int(huge), 'client', *net_comch_vdevs(m, huge)]
        out = m.run([m.helper('peer-ethdev'), *map(str, args)], 25.0 + seconds)
        wake, bare, idle = (float(re.search(name + r' ([\d.]+)', out)[1])
                            for name in ('wake_ns', 'eventfd_ns', 'idle_percent'))
        if idle >= 1:
            raise Failed('asleep it takes %.2f %% of a CPU' % idle)
        candidate.ratio = wake / bare
        return wake
    candidate = Candidate('net_comch', 'asleep', measure)
    return candidate


def library_packets(m, huge, size):
    """The library's own bursts of packets, which net_comch is made of."""
    def measure(seconds):
        results = ours.Ours(m, huge).measure(
            ['fp-rate'], ['--size', str(size), '--stride', str(STRIDE_SMALL), '--burst', '32',
                          '--posts', str(PORT_DESCRIPTORS), '--mbuf', '--write-read'], seconds)
        return ours.value(results[0], 'rate')
    yield Candidate('library', 'rte_comch_producer_tx_burst()', measure)


def ping(m, peer, name, size, huge, vdevs, plugins=()):
    """An echo request to DPDK's own testpmd, which answers it, and back."""
    def measure(seconds):
        client, server = vdevs()
        argv = ['dpdk-testpmd', '--lcores', '0@%d,1@%d' % (m.cpus[1], m.cpus[1]), '-m', '128',
                '--in-memory' if huge else '--no-huge', '--no-pci', '--no-telemetry',
                '--single-file-segments', '--file-prefix=compare-testpmd-%d' % next(NUMBERS)]
        for plugin in plugins:
            argv += ['-d', os.path.join(m.build, plugin)]
        for vdev in server.split(';'):
            argv += ['--vdev', vdev]
        argv += ['--', '--forward-mode=icmpecho', '--disable-link-check', '--no-mlockall',
                 '--total-num-mbufs=8192']
        folders = ':'.join(os.path.join(m.build, f) for f in ('lib', 'drivers'))
        log = m.log('testpmd.log')
        # it runs until there is something to read
        testpmd = m.start(argv, env={'LD_LIBRARY_PATH': folders}, stdin=subprocess.PIPE,
                          stdout=log, stderr=log)
        try:
            time.sleep(0.5)  # memif's client tries once in a second
            args = [*m.cpus, seconds, 'ping', size, 1, 1, PORT_DESCRIPTORS, 8192, 2048, 'pool',
                    int(huge), 'client', client, server]
            out = m.run([m.helper('peer-ethdev'), *map(str, args)], 25.0 + seconds)
        except Failed as e:
            log.seek(0)
            raise Failed('%s; testpmd: %s' % (e, last_line(log.read()))) from None
        finally:
            testpmd.stdin.close()
            m.end(testpmd)
            log.close()
        return float(re.search(r'p50_ns ([\d.]+)', out)[1])
    return Candidate(peer, name, measure)


def memif_ping(m, huge, size):
    for zero_copy in (False, True):
        yield ping(m, 'memif', 'testpmd, zero-copy' if zero_copy else 'testpmd, copy', size, huge,
                   lambda zero_copy=zero_copy: memif_vdevs(m, 10, 2048, zero_copy))


def net_comch_ping(m, huge, size):
    return ping(m, 'net_comch', 'testpmd', size, huge, lambda: net_comch_vdevs(m, huge),
                ('lib/librte_comch.so', 'drivers/librte_comch_shm.so',
                 'drivers/librte_net_comch.so'))


# --------------------------------------------------------------------------
# UCX

@functools.lru_cache(maxsize=None)
def ucx_perftest():
    """How it is started: one that is built with MPI waits for mpirun, if it is not told."""
    try:
        said = subprocess.run(['ucx_perftest', '-h'], text=True, capture_output=True, check=False)
    except OSError:
        return ['ucx_perftest']
    return ['ucx_perftest'] + (['-P', '0'] if '-P <0|1>' in said.stdout + said.stderr else [])


def ucx(m, name, args, env, unit, first):
    """ucx_perftest; unit is the column. first: iterations per second, guessed."""
    guess = [first]

    def measure(seconds):
        port = m.free_port()
        n = max(100, int(guess[0] * seconds))
        base = ucx_perftest() + ['-p', str(port)]
        server = m.start(base, m.cpus[1], env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            m.wait_listening(port, server)
            t = time.monotonic()
            out = m.run(base + ['127.0.0.1', '-f', '-n', str(n), '-w', str(n // 10)] + args,
                        20.0, m.cpus[0], env)
            t = time.monotonic() - t
        finally:
            m.end(server)
        field = last_line(out).split()
        if len(field) < 8 or not field[0].isdigit():
            raise Failed('ucx_perftest: ' + last_line(out))
        rate = float(field[7])
        # How far the CPUs are apart changes by factors: go on from the last.
        guess[0] = min(max(rate, first / 4), first * 50)
        if unit == 'ns':
            return float(field[1]) * 1e3
        if unit == 'bytes':
            return float(field[5]) * (1 << 20)
        return rate
    return Candidate('UCX', name, measure)


def ucx_transports(huge):
    """Variables for each way to share memory."""
    # Only where to look for a connection: TCP between both, which any uses, and
    # no other transport that would be slower. cma is the single copy of large
    # messages by system call, which UCX takes by itself where it pays.
    yield 'posix', {}
    yield 'sysv', {}
    # A longer queue than 64, or 256 of later versions, lets the sender run ahead further.
    yield 'posix, queue of 512', {'UCX_POSIX_FIFO_SIZE': '512'}
    if huge:
        # Queues in hugepages; off by default. What is sent is where it was.
        yield 'sysv, hugepages', {'UCX_SYSV_FIFO_HUGETLB': 'y', 'UCX_SYSV_HUGETLB_MODE': 'try'}


def ucx_latency(m, huge, size):
    for name, env in ucx_transports(huge):
        tl = name.split(',', maxsplit=1)[0]
        yield ucx(m, 'uct am short, ' + name,
                  ['-t', 'am_lat', '-d', 'memory', '-x', tl, '-D', 'short', '-s', str(size)],
                  env, 'ns', 1e6)
        env = dict(env, UCX_TLS=tl + ',cma')
        yield ucx(m, 'tag, ' + name, ['-t', 'tag_lat', '-s', str(size)], env, 'ns', 1e6)
        yield ucx(m, 'ucp am, ' + name, ['-t', 'ucp_am_lat', '-s', str(size)], env, 'ns', 1e6)


def ucx_loop(m, name, how, size, env, unit):
    """Our own minimal program: UCP, with buffers that are written and read."""
    column = {'rate': 1, 'bytes': 3}[unit]
    # At its end some messages are still on the way, which it would warn of.
    env = dict(env, UCX_LOG_LEVEL='error')
    stride = max(size, STRIDE_SMALL)

    def measure(seconds):
        out = m.run([m.helper('peer-ucx'), *map(str, m.cpus), str(seconds), how, str(size),
                     str(stride), str(buffers(size))], 25.0 + seconds, env=env)
        return float(last_line(out).split()[column])
    return Candidate('UCX', name, measure)


def ucx_am_work(m, huge, size):
    """Active messages alone, for what a handler takes: as a callback of a task."""
    for name, env in ucx_transports(huge):
        tl = name.split(',', maxsplit=1)[0]
        yield ucx_loop(m, 'ucp am, ' + name, 'am', size, dict(env, UCX_TLS=tl), 'rate')


def ucx_rate_work(m, huge, size):
    yield from ucx_am_work(m, huge, size)
    for name, env in ucx_transports(huge):
        tl = name.split(',', maxsplit=1)[0]
        yield ucx_loop(m, 'tag, ' + name, 'tag', size, dict(env, UCX_TLS=tl), 'rate')


def ucx_through_queues(m, size, transports):
    """A copy on each side."""
    for (name, env), how in itertools.product(transports, ('tag', 'am')):
        tl = name.split(',', maxsplit=1)[0]
        yield ucx_loop(m, '%s, %s' % (how, name), how, size,
                       dict(env, UCX_TLS=tl, UCX_RNDV_THRESH='inf'), 'bytes')


def ucx_by_cma(m, size):
    """One copy, by a system call; the queues carry control only."""
    # UCX's own choice of who copies and when, the receiver always, the sender always.
    for how in ('tag', 'am'):
        for scheme in ({}, {'UCX_RNDV_THRESH': '8k', 'UCX_RNDV_SCHEME': 'get_zcopy'},
                       {'UCX_RNDV_THRESH': '8k', 'UCX_RNDV_SCHEME': 'put_zcopy'}):
            choice = scheme.get('UCX_RNDV_SCHEME', 'its own choice')
            yield ucx_loop(m, '%s, posix and cma, %s' % (how, choice), how, size,
                           dict(scheme, UCX_TLS='posix,cma'), 'bytes')


def ucx_bandwidth_work(m, huge, size):
    yield from ucx_through_queues(m, size, ucx_transports(huge))
    yield from ucx_by_cma(m, size)


def ucx_bandwidth_equal(m, huge, size):
    """Shared memory as large as that of the others, for as many messages."""
    nb = str(buffers(size) * max(1, size // UCX_PART))
    transports = [('posix, queue of ' + nb, {'UCX_POSIX_FIFO_SIZE': nb})]
    if huge:
        transports.append(('sysv, hugepages, queue of ' + nb,
                           {'UCX_SYSV_FIFO_SIZE': nb, 'UCX_SYSV_FIFO_HUGETLB': 'y',
                            'UCX_SYSV_HUGETLB_MODE': 'try'}))
    yield from ucx_through_queues(m, size, transports)
    yield from ucx_by_cma(m, size)


# --------------------------------------------------------------------------
# libfabric

def fabric(m, name, how, size, stride, burst, unit, window=0):
    column = {'rate': 1, 'bytes': 3}[unit]

    def measure(seconds):
        args = [*m.cpus, seconds, how, size, stride, burst, buffers(size), window]
        out = m.run([m.helper('peer-fabric'), *map(str, args)], 25.0 + seconds)
        return float(last_line(out).split()[column])
    return Candidate('libfabric', name, measure)


# Messages on the way, at most; 0 leaves it to the provider. libfabric 2.1 stops for good, or is
# many times slower, if messages come before buffers are posted.
FABRIC_WINDOWS = (0, BUFFERS_SMALL)


def window_text(window):
    return ', window of %d' % window if window else ''


def fabric_rate_work(m, _huge, size):
    for how, window in itertools.product(('inject', 'send'), FABRIC_WINDOWS):
        yield fabric(m, 'fi_' + how + window_text(window), how, size, STRIDE_SMALL, 32, 'rate',
                     window)


def fabric_bandwidth_work(m, _huge, size):
    ways = ('send', 1), ('send', 4), ('inject', 8)
    for window, (how, burst) in itertools.product(FABRIC_WINDOWS, ways):
        if size <= SMALL_MAX or (how == 'send' and not window):
            yield fabric(m, 'fi_%s, %d at a time%s' % (how, burst, window_text(window)), how, size,
                         size, burst, 'bytes', window)
