#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""usage: test-versions.py <build folder> <other build folder>

Two releases of the shm driver: one side of the first build and the other side of the second,
in both directions. They exchange messages, and all are right; or they refuse each other, and
the logs of both sides have both versions. Then each side is replaced by the other build, and
back, while the other side runs on. A crash, a hang or a wrong message fails. The last line is
"N passed, N failed".
"""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

WAIT_S = 60
TOOL = 'app/dpdk-test-comch'
EXAMPLE = 'examples/dpdk-comch-pairs'
VERSIONS = re.compile(r'COMCH_SHM: .* speaks version (\d+) of the protocol, and this process '
                      r'version (\d+):')
REFUSED = 'refused, versions %s and %s'
TESTS = 'ctrl-lat,ctrl-rate,fp-lat,fp-rate,imm-rate'

spec = importlib.util.spec_from_file_location('test_pairs',
                                              os.path.dirname(__file__) + '/test-pairs.py')
pairs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pairs)


def eal(program, folder, side, args):
    cpus = sorted(os.sched_getaffinity(0))
    return [program, '--no-huge', '-m', '256', '--no-pci', '--no-telemetry', '--lcores',
            f'0@{cpus[0 if side == "card" else -1]}', '--file-prefix',
            f'versions-{os.getpid()}-{side}', '--vdev', pairs.shm(folder, side), '--'] + args


def refused(card, host):
    """The versions, if the logs of both sides name both."""
    seen = [VERSIONS.search(log) for log in (card, host)]
    if None in seen:
        return None
    theirs, own = seen[0].groups()
    if theirs == own or seen[1].groups() != (own, theirs):
        raise pairs.Failure(f'the card says {seen[0].group()}, the host {seen[1].group()}')
    return own, theirs


def messages(folder, card_build, host_build):
    """What becomes of the benchmark with checked messages."""
    with open(f'{folder}/tool.log', 'w+', encoding='utf-8', errors='replace') as log:
        card = subprocess.Popen(eal(f'{card_build}/{TOOL}', folder, 'card', ['--server', '--once']),
                                stdout=log, stderr=log)
        try:
            host = subprocess.run(
                eal(f'{host_build}/{TOOL}', folder, 'host',
                    ['--client', '--validate', '--duration', '0.2', '--rounds', '1', '--test', TESTS]),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=WAIT_S, text=True)
            if host.returncode != 0:
                card.send_signal(signal.SIGINT)
            status = card.wait(WAIT_S)
        finally:
            card.kill()
            card.wait()
        log.seek(0)
        said = log.read()
    logs = f'{said}\n{host.stdout}'
    if host.returncode == 0 and status == 0 and re.search(r'^Summary: \d+ results, 0 failed',
                                                          host.stdout, re.M):
        return 'all messages are right'
    # both have to end by themselves; the server was told to
    if host.returncode < 0 or status not in (0, 1):
        raise pairs.Failure(f'the card ends with {status}, the host with {host.returncode}:\n{logs}')
    versions = refused(said, host.stdout)
    if versions is not None:
        return REFUSED % versions
    tool = re.search(r"speaks version \d+ of this tool's protocol, .*", host.stdout)
    if tool is None:
        raise pairs.Failure(f'neither messages nor a refusal with both versions:\n{logs}')
    return tool.group()


def wait_refused(sides):
    """Until the logs of both sides have both versions."""
    end = time.monotonic() + WAIT_S
    versions = None
    while versions is None:
        versions = refused(*[side.log() for side in sides])
        for side in sides:
            if side.process.poll() is not None:
                raise pairs.Failure(f'the {side.name} has ended')
        if time.monotonic() > end:
            raise pairs.Failure('nobody is refused')
        time.sleep(0.1)
    return REFUSED % versions


def replaced(folder, builds, name, understood):
    """Packets go; a side is replaced by the other build and back, and the other one runs on."""
    card, host = [pairs.Side(folder, n, [f'{builds[0]}/{EXAMPLE}'], vdevs, ['loop']) for n, vdevs in
                  (('card', [pairs.shm(folder, 'card')]),
                   ('host', [pairs.shm(folder, 'host'), pairs.pcap(folder, 'host')]))]
    side = card if name == 'card' else host
    told = 'packets go'
    try:
        card.start()
        host.start()
        host.wait_packets()
        for build in (builds[1], builds[0]):
            side.end()
            if side is host and os.path.exists(host.out):
                os.remove(host.out)
            side.command[0] = f'{build}/{EXAMPLE}'
            side.start()
            if build == builds[0] or understood:
                host.wait_packets()
            else:
                told = wait_refused([card, host])
        host.end()
        card.end()
    except (pairs.Failure, subprocess.TimeoutExpired) as error:
        raise pairs.Failure(f'{error}\n{card.log()}\n{host.log()}') from None
    finally:
        card.kill()
        host.kill()
    pairs.check(host.out, pairs.SRC + pairs.DST)
    return told + ', and it came back'


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split('\n', maxsplit=1)[0])
    one, other = [os.path.abspath(path) for path in sys.argv[1:]]
    outcomes = []
    passed = failed = 0

    def both(folder, card, host):
        outcomes.append(messages(folder, card, host))
        return outcomes[-1]

    def change(folder, name):
        # a tool that differs says nothing of the driver: then packets have to go
        return replaced(folder, (one, other), name, not any(REFUSED[:7] in o for o in outcomes))

    with tempfile.TemporaryDirectory() as folder:
        pairs.pcap_file.write(f'{folder}/in.pcap', pairs.packets())
        for name, case, args in (
                ('card of the first build, host of the second', both, (one, other)),
                ('card of the second build, host of the first', both, (other, one)),
                ('the card is replaced, the host runs on', change, ('card',)),
                ('the host is replaced, the card runs on', change, ('host',))):
            lacks = [b for b in (one, other) if not os.path.exists(f'{b}/{EXAMPLE}')]
            if case is change and lacks:
                print(f'{name}: skipped: {lacks[0]} has no {EXAMPLE}')
                continue
            if case is change and failed != 0:
                print(f'{name}: not tried, as messages fail')
                continue
            try:
                print(f'{name}: {case(folder, *args)}', flush=True)
                passed += 1
            except (pairs.Failure, subprocess.TimeoutExpired) as error:
                print(f'{name}: FAIL: {error}', flush=True)
                failed += 1
    print(f'{passed} passed, {failed} failed')
    sys.exit(failed != 0)


main()
