#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""usage: test-comch-prompt.py <build folder> [<case>...]

The prompt of dpdk-test-comch on a terminal: completion, lines of running tests above the
prompt, what it shows of devices, and the columns of its table. A card's side and a host's
are two processes on devices of driver shm. The last line is "N passed, N failed".
"""

import os
import re
import shutil
import sys
import tempfile
import time

from terminal import Failure, Terminal, WAIT_S

PROMPT = 'comch> '
# Ctrl-A, Ctrl-K.
WIPE = '\x01\x0b'
# Codes of the terminal: colours, moves, and the cursor's line.
CODES = re.compile(r'\x1b(\[[0-9;?]*[A-Za-z]|[A-Z78])')


class Tool(Terminal):
    """A process of the tool, with a prompt on a terminal of its own."""

    def __init__(self, build, folder, role, options):
        cpus = sorted(os.sched_getaffinity(0))
        name = 'host' if role == 'client' else 'dpu'
        command = [f'{build}/app/dpdk-test-comch', '--no-huge', '-m', '64', '--no-pci',
                   '--no-telemetry', '--file-prefix', f'comch-prompt-{os.getpid()}-{name}',
                   '--lcores', f'0@{cpus[0 if role == "client" else -1]}',
                   '--vdev', f'comch_shm0,role={name},path={folder}',
                   '--', f'--{role}', '--interactive', *options]
        super().__init__(role, command, cwd=folder)
        self.expect(re.escape(PROMPT))

    def expect(self, pattern, begin=0):
        """The text from a place on, up to a pattern."""
        return self.text[begin:begin + self.find(pattern, begin).end()]

    def type(self, keys, pattern):
        """Press keys; what is printed until a pattern, without the terminal's codes."""
        begin = len(self.text)
        os.write(self.fd, keys.encode())
        self.expect(pattern, begin)
        return CODES.sub('', self.text[begin:])

    def say(self, command):
        return self.type(f'{command}\r', rf'{re.escape(command)}\r+\n[\s\S]*{PROMPT}')

    def complete(self, keys, line):
        """The line is this after a Tab, and is wiped."""
        shown = self.type(f'{keys}\t', rf'{re.escape(line)}\x1b\[0K')
        if not shown.endswith(line):
            raise Failure(f'"{keys}" is completed to "{shown}", and not to "{line}"')
        self.type(WIPE, r'D\x1b\[0K')

    def choices(self, keys, *words):
        """These are shown after two Tabs."""
        shown = self.type(f'{keys}\t\t', rf'\n[\s\S]*{PROMPT}')
        missing = [word for word in words if not re.search(rf'\s{re.escape(word)}\s', shown)]
        if missing:
            raise Failure(f'"{keys}" has no choice {missing}:\n{shown}')
        self.type(WIPE, r'D\x1b\[0K')

    def quit(self):
        os.write(self.fd, b'quit\r')
        try:
            while True:
                self.read(1)
                if self.process.poll() is not None:
                    break
        except Failure:
            pass
        if self.process.wait(WAIT_S) != 0:
            raise Failure(f'{self.name} ends with {self.process.returncode}:\n{self.text[-2000:]}')


class Pair:
    def __init__(self, build):
        self.build = build
        self.folder = tempfile.mkdtemp()
        self.all = []

    def start(self, role, *options):
        tool = Tool(self.build, self.folder, role, options)
        self.all.append(tool)
        return tool

    def both(self, *options):
        card = self.start('server')
        card.expect('serving ')
        return card, self.start('client', *options)

    def end(self):
        for tool in self.all:
            tool.end()
        shutil.rmtree(self.folder)


def case_completion(pair):
    os.makedirs(f'{pair.folder}/empty')
    os.makedirs(f'{pair.folder}/scripts/inner')
    for name in ('one.txt', 'other.txt', 'with blank', 'inner/x[1].txt'):
        with open(f'{pair.folder}/scripts/{name}', 'w') as f:
            f.write('show config\n')
    os.makedirs(f'{pair.folder}/loop')
    os.symlink('.', f'{pair.folder}/loop/again')
    host = pair.start('client')
    for keys, line in (('sho', 'show '), ('show comch comch', 'show comch comch_shm0 '),
                       ('show comch a', 'show comch all '), ('reset comch c', 'reset comch comch_shm0 '),
                       ('start conn', 'start connect-rate '), ('set bur', 'set burst '),
                       ('set validate of', 'set validate off '), ('set dir b', 'set dir both '),
                       ('set test connect-rate,fp-b', 'set test connect-rate,fp-bw '),
                       ('load scri', 'load scripts/'), ('load scripts/on', 'load scripts/one.txt '),
                       ('load scripts/o', 'load scripts/o'), ('load emp', 'load empty/ '),
                       ('load scripts/inner/x[', 'load scripts/inner/x[1].txt '),
                       ('set program scripts/ot', 'set program scripts/other.txt '),
                       (f'load {pair.folder}/scripts/on', f'load {pair.folder}/scripts/one.txt ')):
        host.complete(keys, line)
    # no choice, as it would be too long
    host.type(f'load loo\t{WIPE}', r'D\x1b\[0K')
    host.choices('show comch ', 'all', 'comch_shm0')
    host.choices('set test fp-', 'fp-lat', 'fp-rate', 'fp-bw')
    host.choices('set bidir ', 'on', 'off')
    host.choices('load scripts/o', 'scripts/one.txt', 'scripts/other.txt')
    # what was completed is taken
    host.type('load scripts/on\t\r', rf'Configuration:[\s\S]*{PROMPT}')
    if 'scripts' in host.say('load'):
        raise Failure('a mistake lists files')
    host.quit()


def case_lines(pair):
    card, host = pair.both('--duration', '500', '--rounds', '1', '--test', 'fp-rate')
    host.type('start\r', r'% done, \d+ msgs/s, \d+.\d+ GB/s')
    # a line that is typed meanwhile stays below those of the test
    host.type('show conf', r'% done[\s\S]*show conf[\s\S]*% done[\s\S]*show conf')
    host.type('ig\r', r'Configuration:[\s\S]*interval +1 s')
    host.say('stop')
    host.expect(rf'Summary: 1 result, 0 failed[\s\S]*{PROMPT}')
    card.expect(rf'session 1: ended[\s\S]*{PROMPT}')
    for tool in card, host:
        for line in tool.text.split('\n'):
            # what the terminal has of it at last
            seen = CODES.sub('', re.sub(r'.*\r\x1b\[K', '', line))
            if re.search(r'.(fp-rate: \d|session \d|serving )', seen):
                raise Failure(f'{tool.name} writes over its prompt: {line!r}')
    host.quit()
    card.quit()


def values(text, row):
    """The numbers of each line that begins with a word."""
    return [[float(n) for n in line.split()[1:] if re.fullmatch(r'[\d.]+', n)]
            for line in text.split('\n') if line.split()[:1] == [row]]


def case_show(pair):
    card, host = pair.both('--duration', '500', '--rounds', '1', '--test', 'fp-rate', '--bidir',
                           '--producers', '2', '--consumers', '3')
    if 'none of this thread' not in host.say('show comch 0 clients'):
        raise Failure('there is a client before the start')
    host.type('start\r', r'% done, \d+ msgs/s')
    for tool in host, card:
        first = values(tool.say('show comch 0 stats'), 'tx_msgs')[0]
        time.sleep(1)
        text = tool.say('show comch all stats')
        second = values(text, 'tx_msgs')[0]
        # of the second or more between the two
        if len(first) != 1 or not 0 < second[1] <= second[0] - first[0]:
            raise Failure(f'{tool.name}: {first}, then:\n{text}')
        text = tool.say('show comch comch_shm0 queues')
        queues = {row: values(text, row) for row in ('producer', 'consumer')}
        if len(queues['producer']) != 2 or len(queues['consumer']) != 3:
            raise Failure(f'{tool.name}: other queues:\n{text}')
        # identifier, process, credits, messages, bytes, errors and rate of each
        for number, row in enumerate(sum(queues.values(), [])):
            if len(row) != 7 or row[4] != 64 * row[3] or row[3] == 0 or row[5] != 0:
                raise Failure(f'{tool.name}: queue {number}:\n{text}')
        # a burst may be on its way back
        if not all(384 <= row[2] <= 512 for row in queues['consumer']):
            raise Failure(f'{tool.name}: posted buffers:\n{text}')
        text = tool.say('show comch 0 clients')
        peer = (card if tool is host else host).process.pid
        if len([row for row in values(text, '1') + values(text, '2') if peer in row]) != 2:
            raise Failure(f'{tool.name}: other connections:\n{text}')
    host.say('stop')
    host.expect(rf'Summary: 1 result, 0 failed[\s\S]*{PROMPT}')
    sent, received = values(host.say('show comch 0 stats'), 'tx_msgs'), \
        values(card.say('show comch 0 stats'), 'rx_msgs')
    if sent[0][0] != received[0][0]:
        raise Failure(f'the host has sent {sent}, and the card received {received}')
    if 'producer ' in host.say('show comch 0 queues'):
        raise Failure('queues stay in the list')
    host.say('clear stats')
    if values(host.say('show comch 0 stats'), 'tx_msgs')[0][0] != 0:
        raise Failure('counters are not cleared')
    host.quit()
    card.quit()


def case_columns(pair):
    card, host = pair.both('--duration', '0.2', '--rounds', '1', '--test', 'fp-lat')
    host.type('start\r', rf'Summary: [\s\S]*{PROMPT}')
    host.complete('set columns size,p99.', 'set columns size,p99.9 ')
    for command, head in (('set burst 31', 'size in rate rate median 99 % limit ratio'),
                          ('set columns max,size,rounds', 'max size rounds'),
                          ('set wide on', 'max size rounds'),
                          ('set columns default', 'size window clients idle .*ratio')):
        host.say(command)
        text = host.say('show results')
        line = re.search(r'(?m)^test +.*$', text)[0].rstrip()
        if not re.fullmatch(f'test {head}', ' '.join(line.split())):
            raise Failure(f'after {command}:\n{text}')
        width = max(len(line.rstrip('\r')) for line in text.split('\n'))
        if width > (155 if 'clients' in head else 80):
            raise Failure(f'{width} characters after {command}:\n{text}')
    host.quit()
    card.quit()


CASES = {name[5:]: case for name, case in list(globals().items()) if name.startswith('case_')}


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(CASES):
        sys.exit(f'{__doc__}\ncases: {" ".join(CASES)}')
    failed = 0
    names = sys.argv[2:] or list(CASES)
    for name in names:
        pair = Pair(os.path.abspath(sys.argv[1]))
        try:
            CASES[name](pair)
            print(f'{name}: passed')
        except Failure as why:
            failed += 1
            print(f'{name}: FAILED: {why}')
        finally:
            pair.end()
    print(f'{len(names) - failed} passed, {failed} failed')
    sys.exit(failed != 0)


main()
