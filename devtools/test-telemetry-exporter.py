#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""usage: test-telemetry-exporter.py <build folder> [<exporter>]

Runs usertools/telemetry-endpoints/comch.py against two dpdk-test-comch, and against made-up
processes. What is exported is parsed as Prometheus parses it, and compared with telemetry.
DPDK's own exporter exports it, where dpdk-telemetry-exporter.py is in PATH or given; before
DPDK 23.11 there is none, and a function here does the same. The rules of
usertools/comch-alerts.yml must name metrics that there are; with promtool in PATH they are
checked whole. The last line is "N passed, N failed".
"""

import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

try:
    from prometheus_client import parser
except ImportError:
    print('there is no python3-prometheus-client for this Python')
    sys.exit(77)

WAIT_S = 60
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENDPOINTS = f'{TOP}/usertools/telemetry-endpoints'
ALERTS = f'{TOP}/usertools/comch-alerts.yml'
PREFIX = 'dpdk_comch_'
sys.dont_write_bytecode = True


class Failure(Exception):
    pass


def endpoint():
    """As the exporter loads it."""
    spec = importlib.util.spec_from_file_location('comch', f'{ENDPOINTS}/comch.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Telemetry:
    """The socket of a process, with the exporter's one method."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(WAIT_S)
        self.sock.connect(path)
        self.size = json.loads(self.sock.recv(1024))['max_output_len']

    def cmd(self, uri, arg=None):
        self.sock.send((uri if arg is None else f'{uri},{arg}').encode())
        return json.loads(self.sock.recv(self.size))[uri]

    def close(self):
        self.sock.close()


class Made:
    """A process that answers from a table; without a row, as DPDK an unknown command."""

    def __init__(self, table):
        self.table = table

    def cmd(self, uri, arg=None):
        answer = self.table.get(uri)
        return answer(str(arg)) if callable(answer) else answer

    def close(self):
        pass


def exposition(module, sock):
    """What DPDK's exporter makes of an endpoint: names and types first, then all values."""
    head, lines, seen = [], [], set()
    for name, value, labels in module.metrics(sock):
        full = re.sub(r'\W', '_', f'dpdk_comch_{name}')
        text = ', '.join(f'{k}="{v}"' for k, v in labels.items())
        lines.append(f'{full}{{{text}}} {value}' if text else f'{full} {value}')
        if full not in seen:
            seen.add(full)
            words, kind = module.info()[name]
            head += [f'# HELP {full} {words}', f'# TYPE {full} {kind}']
    return '\n'.join(head + lines) + '\n'


class Parsed:
    """Names with their types, and values by name and labels."""

    def __init__(self, text):
        self.types, self.values = {}, {}
        for family in parser.text_string_to_metric_families(text):
            if family.type in ('counter', 'gauge'):
                self.types[family.name] = family.type
                if not family.documentation:
                    raise Failure(f'{family.name} has no HELP')
            for sample in family.samples:
                # the last name of the head has its own samples, which the parser renames
                name = re.sub('_total$', '', sample.name)
                key = (name, tuple(sorted(sample.labels.items())))
                if key in self.values:
                    raise Failure(f'twice: {key}')
                self.values[key] = sample.value
        for name, labels in self.values:
            if name not in self.types:
                raise Failure(f'{name} has no TYPE')
            if not re.fullmatch(PREFIX + '[a-z][a-z0-9_]*', name):
                raise Failure(f'{name} is no name of ours')
            if not all(re.fullmatch('[a-z_]+', key) for key, _ in labels):
                raise Failure(f'{name}: labels {labels}')

    def get(self, name, **labels):
        """The one value of a name with these labels, among others."""
        found = [value for (full, has), value in self.values.items()
                 if full == PREFIX + name and set(labels.items()) <= set(has)]
        if len(found) != 1:
            raise Failure(f'{name} {labels}: {len(found)} values, and not one')
        return found[0]


class Exporter:
    """DPDK's own, of the process that has this socket."""

    def __init__(self, program, path):
        with socket.socket() as sock:
            sock.bind(('127.0.0.1', 0))
            port = sock.getsockname()[1]
        self.url = f'http://127.0.0.1:{port}/metrics'
        self.process = subprocess.Popen(
            [program, '-o', f'prometheus://127.0.0.1:{port}', '-p', ENDPOINTS, '-s', path],
            stdout=subprocess.DEVNULL)

    def text(self):
        end = time.monotonic() + WAIT_S
        while True:
            try:
                with urllib.request.urlopen(self.url, timeout=WAIT_S) as answer:
                    return answer.read().decode()
            except urllib.error.HTTPError as e:
                raise Failure(f'the exporter answers {e}') from None
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    def close(self):
        self.process.terminate()
        self.process.wait()


def comch_process(build, folder, role, args):
    cpus = sorted(os.sched_getaffinity(0))
    vdev = f'comch_shm0,role={role},path={folder}' + \
        (',functions=pf0' if role == 'dpu' else ',function=pf0')
    # systemd's variable, which EAL takes for any user
    env = dict(os.environ, RUNTIME_DIRECTORY=folder)
    with open(f'{folder}/{role}.log', 'ab') as log:
        return subprocess.Popen(
            [f'{build}/app/dpdk-test-comch', '--no-huge', '-m', '256', '--no-pci',
             '--file-prefix', role, '--lcores', f'0@{cpus[0 if role == "dpu" else -1]}',
             '--vdev', vdev, '--', *args],
            env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def wait_until(what, done):
    end = time.monotonic() + WAIT_S
    while True:
        found = done()
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f'not in {WAIT_S} s: {what}')
        time.sleep(0.1)


def same_as_telemetry(parsed, sock, dev):
    """Values of what does not change by itself."""
    for command in ('stats', 'totals'):
        for name, value in sock.cmd(f'/comch/{command}', dev).items():
            if parsed.types.get(PREFIX + name) != 'counter':
                raise Failure(f'{name} of /comch/{command} is no counter')
            if parsed.get(name, dev='comch_shm0') != value:
                raise Failure(f'{name} is {parsed.get(name)}, in telemetry {value}')
    for user in sock.cmd('/comch/users', dev).values():
        for name in ('links', 'mem'):
            labels = {'function': user['function'], 'uid': str(user['uid']), 'resource': name}
            for metric, suffix in (('used', ''), ('limit', '_max'), ('refused', '_refused')):
                got, value = parsed.get(f'user_{metric}', **labels), user[name + suffix]
                if got != value:
                    raise Failure(f'user_{metric} {labels}: {got}, in telemetry {value}')
    engines = sock.cmd('/comch/pes', dev).values()
    if not engines:
        raise Failure('the server has no progress engine')
    for engine in engines:
        cycles = [parsed.get(f'engine_{name}_cycles', engine=str(engine['id']))
                  for name in ('busy', 'total')]
        if not 0 <= cycles[0] <= cycles[1] <= engine['total_cycles']:
            raise Failure(f'cycles of an engine: {cycles}')


def real(build, program):
    """A server, to which a client comes and goes, and another one that is killed."""
    folder = tempfile.mkdtemp()
    clients, closes = [], []
    server = comch_process(build, folder, 'dpu', ['--server'])
    path = f'{folder}/dpdk/dpu/dpdk_telemetry.v2'
    try:
        wait_until('the server serves', lambda: 'serving' in read(f'{folder}/dpu.log'))
        sock = Telemetry(path)
        closes.append(sock)
        module = endpoint()
        if program:
            exporter = Exporter(program, path)
            closes.append(exporter)
        scrape = lambda: Parsed(exporter.text() if program else exposition(module, sock))
        before = scrape()
        same_as_telemetry(before, sock, 0)
        for name, value in (('devices', 1), ('up', 1), ('connects', 0), ('ctrl_rx_msgs', 0)):
            expect(name, before.get(name), value)
        clients.append(comch_process(build, folder, 'host', [
            '--client', '--test', 'ctrl-rate,fp-rate,fp-lat', '--size', '64', '--duration', '0.2',
            '--rounds', '1']))
        expect('status of the client', clients[0].wait(WAIT_S), 0)
        wait_until('the client is gone', lambda: not sock.cmd('/comch/connections', 0))
        after = scrape()
        same_as_telemetry(after, sock, 0)
        for name in ('connects', 'links', 'ctrl_rx_msgs', 'ctrl_rx_bytes', 'ctrl_tx_msgs',
                     'consumer_msgs', 'consumer_bytes', 'producer_msgs'):
            if after.get(name) <= before.get(name):
                raise Failure(f'{name} has not grown: {after.get(name)}')
        busy = [sum(value for (name, _), value in p.values.items()
                    if name == f'{PREFIX}engine_busy_cycles') for p in (before, after)]
        if busy[1] <= busy[0]:
            raise Failure(f'no engine was busy: {busy}')
        killed(build, folder, clients, scrape)
        return f'{len(after.types)} metrics, {after.get("consumer_msgs"):.0f} messages'
    except Failure as e:
        logs = ''.join(read(f'{folder}/{role}.log')[-2000:] for role in ('dpu', 'host'))
        raise Failure(f'{e}\n{logs}') from None
    finally:
        for one in closes:
            one.close()
        for process in (server, *clients):
            if process.poll() is None:
                process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def killed(build, folder, clients, scrape):
    """What the alert of a lost peer looks at."""
    lost = scrape().get('peer_lost')
    clients.append(comch_process(build, folder, 'host', [
        '--client', '--test', 'ctrl-rate', '--size', '64', '--duration', '500']))
    has = lambda: sum(value for (name, _), value in scrape().values.items()
                      if name == f'{PREFIX}connections')
    wait_until('a connection', has)
    clients[-1].send_signal(signal.SIGKILL)
    wait_until('a lost peer', lambda: scrape().get('peer_lost') > lost)


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read()
    except OSError:
        return ''


def expect(what, got, want):
    if got != want:
        raise Failure(f'{what}: {got}, and not {want}')


def without_library():
    module = endpoint()
    expect('no such command', module.metrics(Made({})), [])
    expect('no device', module.metrics(Made({'/comch/list': []})), [('devices', 0, {})])


def raises(error):
    def fail(_):
        raise error
    return fail


def device_goes():
    """After the list, or between two questions; and answers that make no sense."""
    gone = {'error': "'0' is no device: /comch/list has all that there are"}
    about = {'name': 'comch_shm0', 'driver': 'comch_shm', 'role': 'dpu', 'status': 'up'}
    module = endpoint()
    commands = ('info', 'stats', 'totals', 'pes', 'users', 'connections', 'queues', 'dpas',
                'msgqs')
    for answer in (lambda _: gone, lambda _: None, lambda _: [], lambda _: {'0': 7, 'x': []},
                   raises(KeyError('/comch/info')), raises(ValueError('no JSON'))):
        table = {f'/comch/{command}': answer for command in commands}
        table['/comch/list'] = [0]
        expect('a device that is gone', module.metrics(Made(table)), [('devices', 1, {})])
        table['/comch/info'] = about
        parsed = Parsed(exposition(module, Made(table)))
        expect('a device that goes', parsed.get('up', dev='comch_shm0'), 1)
        expect('its metrics', sorted(parsed.types), [PREFIX + n for n in (
            'devices', 'link_up', 'up')])
    # a process that has ended: the exporter says so
    try:
        module.metrics(Made({'/comch/list': raises(BrokenPipeError())}))
    except BrokenPipeError:
        return
    raise Failure('the end of a process is hidden')


def many_connections():
    """They come in parts, and do not make more metrics."""
    nb = 1000

    def part(arg):
        start = int(arg.split(',')[1])
        return {str(i): {'server': f's{i % 2}', 'function': 'pf0', 'id': i, 'rx_held': i % 2,
                         'tx_in_flight': 3} for i in range(start, min(start + 32, nb))}

    parsed = Parsed(exposition(endpoint(), Made({
        '/comch/list': [0], '/comch/info': {'name': 'comch_shm0'}, '/comch/connections': part})))
    for server, held in (('s0', 0), ('s1', nb / 2)):
        expect('connections', parsed.get('connections', server=server), nb / 2)
        expect('in flight', parsed.get('tx_in_flight', server=server), 3 * nb / 2)
        expect('held', parsed.get('rx_held', server=server), held)
    # a process whose list has no end
    endless = endpoint().metrics(Made({
        '/comch/list': [0], '/comch/info': {'name': 'comch_shm0'},
        '/comch/queues': lambda arg: {str(i): {'type': 'consumer'} for i in range(32)}}))
    if len(endless) > 10:
        raise Failure(f'{len(endless)} metrics of queues of one type')


def alerts():
    known = {PREFIX + name for name in endpoint().info()}
    named = set(re.findall(r'\bdpdk_\w+', read(ALERTS)))
    if not named or named - known:
        raise Failure(f'rules of metrics that there are not: {named - known}')
    if not shutil.which('promtool'):
        return 'without promtool only their metrics are checked'
    expect('promtool', subprocess.run(['promtool', 'check', 'rules', ALERTS],
                                      stdout=subprocess.DEVNULL, check=False).returncode, 0)
    return 'with promtool'


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    program = sys.argv[2] if len(sys.argv) == 3 else shutil.which('dpdk-telemetry-exporter.py')
    print(f'exporter: {program or "a function of this test, as DPDK has none here"}')
    failed = passed = 0
    for name, case in (('without the library', without_library),
                       ('device that goes', device_goes),
                       ('many connections', many_connections),
                       ('rules of alerts', alerts),
                       ('two processes', lambda: real(build, program))):
        try:
            print(f'{name}: {case() or "ok"}')
            passed += 1
        except (Failure, OSError, subprocess.TimeoutExpired) as e:
            print(f'{name}: FAILED: {e}')
            failed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
