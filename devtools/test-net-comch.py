#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""usage: test-net-comch.py <build folder> [<case>...]

Two processes of DPDK's own testpmd, with net_comch as a plugin and one --vdev each, on
devices of driver shm: modes of forwarding, queues, sizes, counters of both ends, commands,
and a side that is killed at full load. Cases "on bluefield" are between two functions of a
software BlueField. The last line is "N passed, N failed".
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pcap_file
from terminal import Failure, Terminal, WAIT_S

# Through the example pipeline.
PACKETS = 50000


class Testpmd(Terminal):
    """A testpmd that takes commands."""

    def __init__(self, build, name, lcores, vdevs, options):
        plugins = [os.path.join(build, 'lib/librte_comch.so')] + [
            os.path.join(build, 'drivers', lib)
            for lib in ('librte_comch_shm.so', 'librte_comch_bluefield.so',
                        'librte_net_comch.so')]
        env = dict(os.environ, LD_LIBRARY_PATH=f'{build}/lib:{build}/drivers')
        command = ['dpdk-testpmd', '--no-huge', '-m', '256', '--no-pci', '--no-telemetry',
                   '--file-prefix', f'net-comch-{os.getpid()}-{name}', '--lcores', lcores]
        for plugin in plugins:
            command += ['-d', plugin]
        for vdev in vdevs:
            command += ['--vdev', vdev]
        command += ['--', '-i', '--total-num-mbufs=16384',
                    '--no-mlockall', *options]
        self.seen = 0
        super().__init__(name, command, env=env)

    def expect(self, pattern, seconds=WAIT_S):
        found = self.find(pattern, self.seen, seconds)
        self.seen += found.end()
        return found

    def say(self, command):
        """A command, and what it prints."""
        begin = self.seen = len(self.text)
        os.write(self.fd, f'{command}\n'.encode())
        self.expect(re.escape(command)[:40])  # the echo
        self.expect('testpmd> ')
        return self.text[begin:self.seen]

    def counters(self):
        text = self.say('show port stats 0')
        names = ('RX-packets', 'RX-bytes', 'RX-errors', 'TX-packets', 'TX-bytes', 'TX-errors')
        return {n: int(re.search(rf'{n}: *(\d+)', text)[1]) for n in names}

    def is_up(self):
        return 'Link status: up' in self.say('show port info 0')

    def wait_link(self, up):
        end = time.monotonic() + WAIT_S
        while self.is_up() != up:
            if time.monotonic() > end:
                raise Failure(f'{self.name}: the link is not {"up" if up else "down"}')
            time.sleep(0.05)

    def quit(self):
        os.write(self.fd, b'quit\n')
        self.expect('Bye')
        self.process.wait(WAIT_S)
        if self.process.returncode != 0:
            raise Failure(f'{self.name} ends with {self.process.returncode}')


class Pair:
    """The card's testpmd and the host's, in a folder of their own."""

    def __init__(self, build, name):
        self.build = build
        self.folder = tempfile.mkdtemp()
        self.cpus = sorted(os.sched_getaffinity(0))
        self.all = []
        self.model = None
        self.args = {role: [f'net_comch0,shm={role},function=pf0,path={self.folder}']
                     for role in ('dpu', 'host')}
        if name.endswith('on bluefield'):
            self.start_model()

    def start_model(self):
        card, host = '02:c0:3c:00:00:01', '02:c0:3c:00:00:02'
        self.model = subprocess.Popen(
            [f'{self.build}/app/comch-bluefield-model', '--dir', self.folder,
             '--log', f'{self.folder}/log', '--function', f'ecpf0vf0,mac={card}',
             '--function', f'pf0,mac={host}', '--allow', 'ecpf0vf0/pf0'],
            stdout=subprocess.PIPE, text=True)
        if not self.model.stdout.readline().startswith('ready:'):
            raise Failure('the software BlueField does not start')
        device = f'comch_bluefield0,socket={self.folder}/'
        port = 'net_comch0,dev=comch_bluefield0'
        # the port first: its device is looked up when it starts
        self.args = {'dpu': [port, f'{device}ecpf0vf0.sock,role=dpu,functions=pf0@{host}'],
                     'host': [port, f'{device}pf0.sock,role=host,function=pf0,peer={card}']}

    def start(self, role, *options):
        cpus = self.cpus if role == 'host' else self.cpus[::-1]
        # the main lcore, which reads commands, shares its CPU with the other side's bursts
        lcores = f'0@{cpus[-1]},1@{cpus[0]}'
        pmd = Testpmd(self.build, f'{role}{len(self.all)}', lcores, self.args[role], options)
        self.all.append(pmd)
        pmd.expect('testpmd> ')
        return pmd

    def end(self):
        for pmd in self.all:
            pmd.end()
        if self.model is not None:
            self.model.terminate()
            self.model.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def expect(what, got, want):
    if got != want:
        raise Failure(f'{what}: {got}, and not {want}')


def both_up(pair, *options):
    card = pair.start('dpu', *options)
    host = pair.start('host', *options)
    card.wait_link(True)
    host.wait_link(True)
    return card, host


def run(card, host, seconds):
    """Both forward for a while; the host's side, which sends, ends first."""
    card.say('start')
    host.say('start')
    time.sleep(seconds)
    host.say('stop')
    time.sleep(0.2)
    card.say('stop')
    return card.counters(), host.counters()


def one_way(pair, size, queues):
    """txonly to rxonly: what one has sent, the other has received."""
    options = [f'--rxq={queues}', f'--txq={queues}', '--max-pkt-len=9018', '--mbuf-size=9216',
               f'--txpkts={size}']
    card, host = both_up(pair, *options)
    card.say('set fwd rxonly')
    host.say('set fwd txonly')
    at_card, at_host = run(card, host, 1)
    expect('packets', at_card['RX-packets'], at_host['TX-packets'])
    expect('bytes', at_card['RX-bytes'], at_host['TX-bytes'])
    expect('bytes of a packet', at_host['TX-bytes'], size * at_host['TX-packets'])
    expect('errors', (at_card['RX-errors'], at_host['TX-errors']), (0, 0))
    if at_host['TX-packets'] < 1000:
        raise Failure(f'only {at_host["TX-packets"]} packets')
    card.quit()
    host.quit()
    return f'{at_host["TX-packets"]} packets'


def there_and_back(pair, mode, queues):
    """flowgen sends and receives; the other side sends back what comes."""
    card, host = both_up(pair, f'--rxq={queues}', f'--txq={queues}')
    card.say(f'set fwd {mode}')
    host.say('set fwd flowgen')
    at_card, at_host = run(card, host, 1)
    expect('sent', at_card['RX-packets'], at_host['TX-packets'])
    if at_host['RX-packets'] > at_card['TX-packets'] or at_host['RX-packets'] < 1000:
        raise Failure(f'{at_card["TX-packets"]} sent back, {at_host["RX-packets"]} came')
    card.quit()
    host.quit()
    return f'{at_host["TX-packets"]} there, {at_host["RX-packets"]} back'


def killed(pair):
    """The host's side is killed three times at full load, with four queues."""
    options = ['--rxq=4', '--txq=4']
    card, host = both_up(pair, *options)
    card.say('set fwd rxonly')
    card.say('start')
    for _ in range(3):
        host.say('set fwd txonly')
        host.say('start')
        before = card.counters()['RX-packets']
        time.sleep(0.5)
        got = card.counters()['RX-packets'] - before
        if got < 1000:
            raise Failure(f'only {got} packets came')
        host.kill()
        card.wait_link(False)
        host = pair.start('host', *options)
        card.wait_link(True)
        host.wait_link(True)
    card.say('stop')
    host.quit()
    card.quit()


def commands(pair):
    """What people type, and what a port answers."""
    card, host = both_up(pair)
    for command, want in (
            ('show port info 0', r'Driver name: net_comch'),
            ('show port summary 0', r'net_comch *up'),
            ('show port xstats 0', r'rx_q0_packets: 0'),
            ('show port stats 0', r'RX-packets: 0'),
            ('show rxq info 0 0', r'Number of RXDs: 512'),
            ('set promisc 0 off', r''),
            ('set allmulti 0 on', r''),
            ('mac_addr set 0 02:00:00:00:00:42', r''),
            ('show port info 0', r'02:00:00:00:00:42'),
            ('port stop 0', r'Done'),
            ('port config mtu 0 1400', r''),
            ('port config 0 rxq 2', r''),
            ('port config all rxq 2', r''),
            ('port config all txq 2', r''),
            ('port start 0', r'Done'),
            ('show port info 0', r'MTU: 1400'),
            ('flow create 0 ingress pattern eth / end actions drop / end', r'not implemented'),
            ('clear port stats 0', r'cleared')):
        text = host.say(command)
        if not re.search(want, text):
            raise Failure(f'"{command}" says no "{want}":\n{text}')
    card.wait_link(True)
    host.wait_link(True)
    host.say('port stop 0')
    card.wait_link(False)
    host.say('port detach 0')
    host.say(f'port attach net_comch1,shm=host,function=pf0,path={pair.folder}')
    host.say('port start all')
    card.wait_link(True)
    host.quit()
    card.quit()


def packet(number):
    """One of many, of which no two are the same."""
    return (bytes.fromhex('02000000000a02000000000b0800') + number.to_bytes(4, 'big') +
            bytes(number % 251 for _ in range(42 + number % 1400)))


class Stage:
    """A process of the example."""

    def __init__(self, pair, name, vdevs):
        command = [f'{pair.build}/examples/dpdk-comch-pipeline', '--no-huge', '-m', '128',
                   '--no-pci', '--no-telemetry', '-l', str(pair.cpus[0 if name == 'card' else -1]),
                   '--file-prefix', f'net-comch-{os.getpid()}-{name}']
        for vdev in vdevs:
            command += ['--vdev', vdev]
        self.log = f'{pair.folder}/{name}.log'
        with open(self.log, 'wb') as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def text(self):
        with open(self.log, encoding='utf-8', errors='replace') as log:
            return log.read()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(WAIT_S)
        found = re.search(r'(\d+) packets forwarded, (\d+) dropped', self.text())
        if self.process.returncode != 0 or not found:
            raise Failure(f'the example ends with {self.process.returncode}:\n{self.text()}')
        return int(found[1]), int(found[2])


def pipeline(pair):
    """A file of packets through the example, to the card's side and back into a file."""
    sent = [packet(i) for i in range(PACKETS)]
    pcap_file.write(f'{pair.folder}/in.pcap', sent)
    card = Stage(pair, 'card', pair.args['dpu'])
    host = Stage(pair, 'host', pair.args['host'] + [
        f'net_pcap0,rx_pcap={pair.folder}/in.pcap,tx_pcap={pair.folder}/out.pcap'])
    try:
        size = -1
        end = time.monotonic() + WAIT_S
        # until the file grows no more
        while time.monotonic() < end:
            time.sleep(1)
            path = f'{pair.folder}/out.pcap'
            now = os.path.getsize(path) if os.path.exists(path) else 0
            if now == size and 'links are up' in host.text():
                break
            size = now
        _, lost = host.end()
        lost += card.end()[1]
    finally:
        for stage in (card, host):
            if stage.process.poll() is None:
                stage.process.kill()
                stage.process.wait()
    came = list(pcap_file.read(f'{pair.folder}/out.pcap'))
    expect('packets that came back or were counted', len(came) + lost, PACKETS)
    want = iter(sent)
    for data in came:
        if not any(data == p[6:12] + p[:6] + p[12:] for p in want):
            raise Failure('a packet that came back was not sent, or is out of order')
    return f'{len(came)} packets back, {lost} dropped'


CASES = {
    'txonly to rxonly, 64 B': lambda p: one_way(p, 64, 1),
    'txonly to rxonly, 64 B, 4 queues': lambda p: one_way(p, 64, 4),
    'txonly to rxonly, 1500 B': lambda p: one_way(p, 1500, 1),
    'txonly to rxonly, 9000 B': lambda p: one_way(p, 9000, 1),
    'io': lambda p: there_and_back(p, 'io', 1),
    'io, 4 queues': lambda p: there_and_back(p, 'io', 4),
    'mac': lambda p: there_and_back(p, 'mac', 1),
    'csum': lambda p: there_and_back(p, 'csum', 1),
    'killed three times, 4 queues': killed,
    'commands': commands,
    'example pipeline': pipeline,
    'txonly to rxonly, 64 B, 2 queues, on bluefield': lambda p: one_way(p, 64, 2),
    'txonly to rxonly, 9000 B, on bluefield': lambda p: one_way(p, 9000, 1),
    'io, on bluefield': lambda p: there_and_back(p, 'io', 1),
}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__.split('\n', maxsplit=1)[0])
    build = os.path.abspath(sys.argv[1])
    if not os.path.exists(f'{build}/drivers/librte_net_comch.so'):
        print('this build has no net_comch: see what meson says of drivers/net/comch')
        sys.exit(77)
    failed = 0
    cases = sys.argv[2:] or list(CASES)
    for name in cases:
        pair = Pair(build, name)
        try:
            said = CASES[name](pair)
            print(f'{name}: passed' + (f', {said}' if said else ''), flush=True)
        except Failure as e:
            failed += 1
            print(f'{name}: FAIL: {e}', flush=True)
        finally:
            pair.end()
    print(f'{len(cases) - failed} passed, {failed} failed')
    sys.exit(failed != 0)


main()
