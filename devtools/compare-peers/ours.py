# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""Our side: dpdk-test-comch, in two processes, read from its JSON."""

import itertools
import json
import os
import subprocess

from machine import Failed, last_line


class Ours:
    def __init__(self, m, huge):
        self.m = m
        self.huge = huge
        self.program = os.path.join(m.build, 'app', 'dpdk-test-comch')
        self.count = itertools.count()

    def _argv(self, role, cpu, unique, device):
        # The device's regions are what is measured: in hugepages with huge=1.
        # EAL's own memory has the same kind of pages, for the mempools.
        memory = ['--in-memory'] if self.huge else ['--no-huge']
        vdev = 'comch_shm0,role=%s,path=%s,%s' % (role, self.m.work, device)
        return [self.program, *memory, '-m', '128', '--no-pci', '--no-telemetry',
                '--log-level=error', '--file-prefix=compare-%s-%s' % (role, unique),
                '-l', str(cpu), '--vdev', vdev + (',huge=1' if self.huge else ''), '--']

    def measure(self, tests, args, seconds):
        """Run tests once. Gives a list of the results in the JSON."""
        m = self.m
        unique = '%d-%d' % (os.getpid(), next(self.count))
        path = os.path.join(m.work, 'ours-%s.json' % unique)
        log = m.log('ours-server.log')
        # As with the peers: the one that sends, the client, is on the first CPU.
        server = m.start(self._argv('dpu', m.cpus[1], unique, 'functions=pf0')
                         + ['--server', '--once'],
                         stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            # One round in each call: the rounds are ours here, with the peers between.
            m.run(self._argv('host', m.cpus[0], unique, 'function=pf0')
                  + ['--client', '--test', ','.join(tests), '--rounds', '1',
                     '--duration', str(seconds), '--interval', '0', '--json', path] + args,
                  30.0 + seconds * 10)
        except Failed as e:
            # Tests of a sweep that failed are in the JSON; if there is none, the log tells.
            if not os.path.exists(path):
                log.seek(0)
                raise Failed('%s; server: %s' % (e, last_line(log.read()))) from None
        finally:
            m.end(server)
            log.close()
        with open(path, encoding='utf-8') as f:
            results = json.load(f)['results']
        os.unlink(path)
        for r in results:
            if r['status'] != 'passed':
                raise Failed('%s: %s' % (r['test'], r['reason']))
        return results


def value(result, unit):
    """The figure of a result that is compared."""
    if unit == 'ns':
        return result['p50_ns']
    if unit == 'bytes':
        return result['rate_per_s'] * result['size_bytes']
    return result['rate_per_s']
