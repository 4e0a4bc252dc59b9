#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: count-instructions.py [build folder, build/ if none]
#
# Prints how many instructions of a core a message of the fast path takes: to
# post a buffer, to send, to receive, and to learn that a send is done. In bursts
# of 1 and of 32 messages, of 64 bytes in buffers and of 32 bytes of immediate
# data, and with one connection or 64 of them: there the numbers must be the
# same, or the exit status is 1. And of packets of 64 bytes: to send one, with its
# way back to its pool, and to receive one, with the next one from the pool.
#
# Both ends are in one process, which callgrind (Debian: valgrind) runs twice for
# each column, with different numbers of messages: what happens once is in both,
# and gone from the difference. So the numbers are exact, and the same each time.
# The calls themselves are in, the function around each of them is not.
#
# If the library was built by the compiler that devtools/baseline/instructions.txt
# names, with the same options, no number may be above the one in there: else the
# exit status is 1 as well. With another compiler the table is all there is.
#
# A second table has the tasks of the library, and the same by the vendor's names, of
# lib/doca_compat: 64 bytes into and out of memory of the program, one task at a time and
# 32 of them that are submitted again in their callbacks; and a control message from its
# allocation to its free. If the layer takes more than 1.3 times as many, and more than 110
# on top of the library's, the exit status is 1.
#
# A third table has the bluefield driver's own functions, as the library calls them, on
# queues in plain memory and without a card: a burst of the library's structures into
# requests, with all checks, credits, books and statistics, and back out of completions.
# With 64 bytes of data and bursts of 32 a send may take 50, a post 25 and a receive 55,
# else the exit status is 1. What a card has to carry is printed below: doorbells, and
# bytes of requests and completions.

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FEW, MANY = 4096, 12288  # messages: multiples of 64 connections * bursts of 32
OPS = ('post', 'send', 'receive', 'sent')
# connections, how many of them carry messages
COLUMNS = {'1 connection': '1 1', '1 used of 64': '64 1', '64 in turn': '64 64'}
COUNTED = re.compile(r'count_(?:nothing|post|send|receive|sent|native|layer|drv)_')

bad = 0  # numbers above what they may be


def die(text):
    sys.exit(f'count-instructions: {text}')


def complain(text):
    global bad
    bad += 1
    print(text)


class Cost:
    """What the messages between two runs take, by function: calls and instructions."""

    def __init__(self, folder, variable, value, argv, says=''):
        """The variable has the number of messages behind the value."""
        runs = [self.profile(folder, variable, f'{value}{nr}', argv, says) for nr in (FEW, MANY)]
        self.diff = {name: [m - f for m, f in zip(many, runs[0].get(name, (0, 0)))]
                     for name, many in runs[1].items()}

    def profile(self, folder, variable, value, argv, says):
        out = folder / 'profile'
        # no symbol is looked up for the first time while we count
        run = subprocess.run(
            ['timeout', '-k', '5', '100', 'valgrind', '--tool=callgrind',
             f'--callgrind-out-file={out}', '--compress-strings=no', *map(str, argv)],
            env={**os.environ, variable: value, 'LD_BIND_NOW': '1'}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.log = run.stdout
        if run.returncode != 0 or not re.search(says, self.log, re.M):
            lines = [x for x in self.log.split('\n')
                     if 'unhandled amd64-linux' not in x and not x.startswith('--')]
            die(f'the run "{value}" failed:\n' + '\n'.join(lines[-20:]))
        if 'no membarrier()' in self.log:
            print('no membarrier() under valgrind here: each burst has a fence that it has not '
                  'elsewhere')
        found = {}
        lines = iter(out.read_text().split('\n'))
        for line in lines:
            if line.startswith('cfn='):
                name = line[4:]
            elif line.startswith('calls=') and COUNTED.match(name):
                calls, cost = found.get(name, (0, 0))
                found[name] = (calls + int(line[6:].split()[0]), cost + int(next(lines).split()[1]))
        return found

    def of(self, name, calls=None):
        """Instructions of a message, with all that the function calls."""
        if name not in self.diff or (calls and self.diff[name][0] != calls):
            die(f'not all calls of {name} were counted')
        return self.diff[name][1] / (MANY - FEW)


def fast_path(cost_of):
    """The first table; returns its numbers by group and operation."""
    numbers = {}
    print(f'{"instructions per message":36}' + ''.join(f' {c:>14}' for c in COLUMNS))
    columns = [cost_of(used) for used in COLUMNS.values()]
    for label, kind, ops in (('64 B in buffers', 'buf', OPS), ('32 B immediate', 'imm', OPS),
                             ('64 B in mbufs', 'mbuf', ('send', 'receive'))):
        for burst in (1, 32):
            group = f'{label}, burst {burst}'
            for nr, op in enumerate(ops):
                row = [c.of(f'count_{op}_{kind}_{burst}', (MANY - FEW) / burst) -
                       c.of(f'count_nothing_{kind}_{burst}') for c in columns]
                differs = any(abs(x - row[0]) > row[0] / 100 for x in row)
                text = f'{group + ":" if nr == 0 else "":27}{op}'
                text = f'{text:36}' + ''.join(f' {x:14.2f}' for x in row)
                print(text + ('   differs' if differs else ''))
                numbers[group, op] = row[-1]
                if differs:
                    complain('it depends on the number of connections by more than 1 %')
    return numbers


def tasks(native, layer):
    print(f'{"instructions per message":36} {"library":>14} {"layer":>14} {"ratio":>14}')
    ctrl = ('ctrl_send', 'ctrl_receive', 'ctrl_sent')
    for label, ops, burst in (
            ('64 B, one task:  received, posted', ['post'], 1),
            ('                 sent, sent again', ['send'], 1),
            ('64 B, 32 tasks:  received, posted', ['post'], 32),
            ('                 sent, sent again', ['send'], 32),
            ('64 B of control, one by one', ctrl, 1),
            ('64 B of control, 32 at a time', ctrl, 32)):
        ours = sum(native.of(f'count_native_{op}_{burst}') for op in ops)
        theirs = sum(layer.of(f'count_layer_{op}_{burst}') for op in ops)
        print(f'{label:36} {ours:14.2f} {theirs:14.2f} {theirs / ours:14.3f}')
        if theirs / ours > 1.3 and theirs - ours > 110:
            complain(f'{label}: above 1.3 and 110 more')


def driver_functions(cost):
    """The third table; returns its numbers by row."""
    limits = {'post': 25, 'send': 50, 'receive': 55}
    numbers = {}
    print('instructions per message, BlueField')
    for kind, text in (('buf', '64 B of data'), ('imm', '32 B immediate'), ('both', 'both')):
        for burst in (1, 32):
            for op in OPS:
                x = cost.of(f'count_drv_{op}_{kind}_{burst}')
                x -= cost.of(f'count_drv_nothing_{kind}_{burst}')
                name = f'driver, {text}, burst {burst}: {op}'
                print(f'{name:51} {x:14.2f}')
                numbers[name] = x
                if (kind, burst) == ('buf', 32) and x > limits.get(op, x):
                    complain(f'{name}: above {limits[op]}')
    for line in re.findall(r'^per message, (.*)', cost.log, re.M):
        print('on the bus: ' + line)
    return numbers


def compare(numbers, rows, build, program):
    """With the baseline, if it is of the same compiler and options."""
    options = {o['name']: o['value'] for o in json.loads(subprocess.check_output(
        ['meson', 'introspect', '--buildoptions', build]))}
    names = ('buildtype', 'default_library', 'b_sanitize', 'b_lto', 'comch_debug')
    comment = subprocess.check_output(['readelf', '-p', '.comment', program], text=True)
    built_by = ', '.join([re.search(r'GCC: .*|clang version .*', comment)[0], platform.machine(),
                          ' '.join(f'{n}={options.get(n)}' for n in names)])
    base = [x for x in (TOP / 'devtools/baseline/instructions.txt').read_text().split('\n')
            if not x.startswith('#')]
    if built_by != base[0]:
        print(f'no baseline for this build ({built_by}): not compared')
        return
    old, group = {}, ''
    for line in base[1:]:
        if match := re.match(r'(driver, .*?) +([\d.]+)$', line):
            old[match[1]] = float(match[2])
        elif match := re.match(r'(?:(.*):)? +(post|send|receive|sent) .* ([\d.]+)$', line):
            group = match[1] or group
            old[group, match[2]] = float(match[3])
    for name, value in {**numbers, **rows}.items():
        # as the baseline has it, of two digits
        if round(value, 2) > old[name]:
            complain(f'{name}: {value:.2f} instructions, the baseline has {old[name]:.2f}')
    if not bad:
        print('none is above the baseline')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', nargs='?')
    args = parser.parse_args()
    if shutil.which('valgrind') is None:
        die('no valgrind here; it is in the package valgrind')
    build = Path(args.build or TOP / 'build').resolve()
    program, layer = build / 'app/comch-autotest', build / 'app/doca-compat-autotest'
    if args.build is None:
        if not (build / 'build.ninja').exists():
            subprocess.run(['meson', 'setup', build, TOP], check=True)
        subprocess.run(['ninja', '-C', build, 'app/comch-autotest'] +
                       ['app/doca-compat-autotest'] * layer.exists(), check=True)
    if not program.exists():
        die(f'{program} is not built (meson option tests)')
    # EAL wants the id of a core that this process may use
    autotest = [program, '--no-huge', '-m', '192', '--no-pci', '--no-telemetry',
                '--log-level=pmd.comch.shm:info', f'--file-prefix=comch-count-{os.getpid()}',
                '-l', str(min(os.sched_getaffinity(0))), '--']
    sys.stdout.reconfigure(line_buffering=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        numbers = fast_path(lambda used: Cost(folder, 'COMCH_TEST_COUNT', used + ' ',
                                              autotest + ['comch_fp_count'],
                                              '^1 passed, 0 failed'))
        if layer.exists():
            tasks(Cost(folder, 'COMCH_TEST_TASK_COUNT', '', autotest + ['comch_task_count']),
                  Cost(folder, 'DOCA_TEST_COUNT', '', [layer]))
        else:
            print('lib/doca_compat is not built: its cost was not counted')
        rows = {}
        # a shared driver shows nothing of its queues
        if ' count_drv_post_buf_1\n' in subprocess.check_output(['nm', program], text=True):
            rows = driver_functions(Cost(folder, 'COMCH_TEST_FAST_COUNT', '',
                                         autotest + ['bluefield_fast_count']))
        else:
            print('the driver is a shared library: its queues were not counted')
    compare(numbers, rows, build, program)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
