#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""usage: test-pairs.py <build folder> pairs|l2fwd

Programs that send packets by pairs of the library, as two processes on devices of driver shm,
with ports of pcap files. Each side is restarted on the way, and killed. "pairs" is the
example, in all ways it can run. "l2fwd" is that of DPDK's source with the patch of the guide;
without the source the status is 77. The last line is
"N passed, N failed".
"""

import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

import pcap_file

WAIT_S = 60
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATCH = f'{TOP}/doc/guides/sample_app_ug/l2fwd_comch.patch'
NB_PACKETS = 64
DST, SRC = bytes((2, 0, 0, 0, 0, 1)), bytes((2, 0, 0, 0, 0, 2))


class Failure(Exception):
    pass


def packets():
    return [DST + SRC + b'\x08\x00' + struct.pack('<I', i) + bytes(46) for i in range(NB_PACKETS)]


def shm(folder, name):
    return (f'comch_shm0,path={folder},' +
            ('role=dpu,functions=pf0' if name == 'card' else 'role=host,function=pf0'))


def pcap(folder, name):
    return f'net_pcap0,infinite_rx=1,rx_pcap={folder}/in.pcap,tx_pcap={folder}/{name}.pcap'


class Side:
    """One process, which can be started again."""

    def __init__(self, folder, name, command, vdevs, args):
        self.folder, self.name, self.args = folder, name, args
        self.out = f'{folder}/{name}.pcap'
        cpus = sorted(os.sched_getaffinity(0))
        cpu = cpus[0 if name == 'card' else -1]
        # a port of a file has one queue, so there is no second lcore but for services
        lcores = f'0@{cpu},1@{cpu}' if 'service' in args else f'0@{cpu}'
        self.command = command + [
            '--no-huge', '-m', '256', '--no-pci', '--no-telemetry', '--lcores',
            lcores, '--file-prefix', f'pairs-{os.getpid()}-{name}']
        for vdev in vdevs:
            self.command += ['--vdev', vdev]
        self.process = None
        for file in (self.out, f'{folder}/{name}.log'):
            if os.path.exists(file):
                os.remove(file)

    def start(self):
        with open(f'{self.folder}/{self.name}.log', 'ab') as log:
            self.process = subprocess.Popen(self.command + ['--'] + self.args, stdout=log,
                                            stderr=log)

    def end(self, sig=signal.SIGINT):
        if self.process is None:
            return
        self.process.send_signal(sig)
        status = self.process.wait(WAIT_S)
        self.process = None
        if sig == signal.SIGINT and status != 0:
            raise Failure(f'the {self.name} ends with {status}')

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def log(self):
        with open(f'{self.folder}/{self.name}.log', encoding='utf-8', errors='replace') as log:
            return log.read()[-2000:]

    def wait_packets(self):
        """Until more of them come out of its port."""
        end = time.monotonic() + WAIT_S
        size = os.path.getsize(self.out) if os.path.exists(self.out) else 0
        while not os.path.exists(self.out) or os.path.getsize(self.out) <= size + 4096:
            if time.monotonic() > end:
                raise Failure(f'nothing comes out of the {self.name}')
            if self.process.poll() is not None:
                raise Failure(f'the {self.name} has ended')
            time.sleep(0.05)


def check(path, header):
    """All packets are some of those that were sent, with another header."""
    want = {header + p[12:] for p in packets()}
    nb = 0
    for data in pcap_file.read(path):
        nb += 1
        if data not in want:
            raise Failure(f'a packet in {path} is none that was sent: {data.hex()}')
    if nb == 0:
        raise Failure(f'no packet in {path}')
    return nb


def restarts(card, host, watched):
    """Packets come out of the watched side before and after each of these."""
    nb = 0
    sides = [card, host] if watched is host else [card, host, watched]
    try:
        for side in sides:
            side.start()
        for side, sig in ((host, signal.SIGINT), (card, signal.SIGINT), (host, signal.SIGKILL),
                          (card, signal.SIGKILL), (None, None)):
            watched.wait_packets()
            if side is not None:
                side.end(sig)
                if side is watched:
                    os.remove(side.out)
                side.start()
                nb += 1
        watched.end()
        for side in sides:
            side.end()
    except (Failure, subprocess.TimeoutExpired) as error:
        logs = '\n'.join(side.log() for side in sides)
        raise Failure(f'after {nb} restarts: {error}\n{logs}') from None
    finally:
        for side in sides:
            side.kill()


def pairs(folder, build):
    program = [f'{build}/examples/dpdk-comch-pairs']
    for card_how, host_how in (('loop', 'loop'), ('graph', 'service'), ('events', 'loop')):
        def case(card_how=card_how, host_how=host_how):
            card = Side(folder, 'card', program, [shm(folder, 'card')], [card_how])
            host = Side(folder, 'host', program, [shm(folder, 'host'), pcap(folder, 'host')],
                        [host_how])
            restarts(card, host, host)
            return check(host.out, SRC + DST)
        yield f'{host_how}, and on the card {card_how}', case
    if not os.path.exists(f'{build}/drivers/librte_net_comch.so'):
        return

    def sleeper():
        # a port with receive interrupts, whose peer is a third process with the file
        port = f'net_comch0,function=pf0,path={folder}/net,shm='
        os.mkdir(f'{folder}/net')
        net = Side(folder, 'net', [f'{build}/examples/dpdk-comch-pipeline'],
                   [pcap(folder, 'net'), port + 'host'], [])
        card = Side(folder, 'card', program, [shm(folder, 'card')], ['loop'])
        host = Side(folder, 'host', program, [shm(folder, 'host'), port + 'dpu'], ['events'])
        restarts(card, host, net)
        return check(net.out, SRC + DST)

    yield 'events with a port of net_comch, and on the card loop', sleeper


def l2fwd(folder, build):
    source = f'{folder}/dpdk'
    got = subprocess.run([f'{TOP}/devtools/get-dpdk-source.sh', source, '*/examples/l2fwd/main.c'],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if got.returncode != 0:
        print(f'no source of DPDK: {got.stdout[-500:]}')
        sys.exit(77)
    main_c = f'{source}/tree/examples/l2fwd/main.c'
    subprocess.run(['patch', '--quiet', main_c, PATCH], check=True)

    def flags(what):
        return subprocess.run(['pkg-config', what, 'libdpdk'], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.split()

    program = f'{folder}/l2fwd'
    folders = [f'{build}/lib', f'{build}/drivers']
    subprocess.run(
        ['cc', '-O2', '-DALLOW_EXPERIMENTAL_API', f'-I{TOP}/lib/comch', *flags('--cflags'),
         main_c, '-o', program, *[f'-L{f}' for f in folders],
         *[f'-Wl,-rpath,{f}' for f in folders], '-lrte_comch', '-Wl,--push-state,--no-as-needed',
         '-lrte_comch_shm', '-Wl,--pop-state', *flags('--libs')], check=True)

    def case():
        card, host = [Side(folder, name, [program], [shm(folder, name), pcap(folder, name)],
                           ['-p', '1', '--no-mac-updating']) for name in ('card', 'host')]
        restarts(card, host, host)
        return check(host.out, DST + SRC)

    yield 'l2fwd on both sides', case


def main():
    kinds = {'pairs': pairs, 'l2fwd': l2fwd}
    if len(sys.argv) != 3 or sys.argv[2] not in kinds:
        sys.exit(__doc__.split('\n', maxsplit=1)[0])
    build = os.path.abspath(sys.argv[1])
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        pcap_file.write(f'{folder}/in.pcap', packets())
        for name, case in kinds[sys.argv[2]](folder, build):
            try:
                print(f'{name}: passed, {case()} packets at the end', flush=True)
                passed += 1
            except Failure as error:
                print(f'{name}: FAIL: {error}', flush=True)
                failed += 1
    print(f'{passed} passed, {failed} failed')
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
