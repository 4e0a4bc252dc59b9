#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: run-suites.py <build folder> <folder of logs> <argument of meson test>...
#
# Runs tests of a build by "meson test", leaves the output of each in a file, and prints
# what failed, what was skipped and what passed at a second look. The last line is
# "N passed, N failed": a test that ends with such a line counts as that many, as a suite
# of autotests does, and any other as one. Names of tests may be patterns.

import fnmatch
import json
import os
import re
import subprocess
import sys

COUNTS = re.compile(r'^(\d+) passed, (\d+) failed', re.M)
NOTES = re.compile(r'^[ +]*(?:TestCase[^:]*: *)?(.*skipped: .*|once failed: .*)$', re.M)
CASES = re.compile(r'^(?: \+ TestCase .* failed\b.*|TestCase .* failed: .*|.* FAILED)$', re.M)
AGAIN = 4 # more suites than these that needed a second look are a failure


def indented(mark, lines, most):
    for line in lines[-most:]:
        print(f'    {mark} {line}')


def result_of(test, logs):
    """Prints what is to be known of a test. What it counts: passed, failed."""
    name = test['name'].split(' / ')[-1]
    out = test.get('stdout', '') + test.get('stderr', '')
    log = os.path.join(logs, re.sub(r'[^A-Za-z0-9.+-]', '_', name) + '.log')
    with open(log, 'w', encoding='utf-8') as file:
        file.write(out)
    passed, failed = map(int, (COUNTS.findall(out) or [(0, 0)])[-1])
    if test['result'] == 'SKIP':
        why = NOTES.findall(out) or out.strip().split('\n')
        print(f'{name}: skipped: {why[-1].split("skipped: ")[-1]}')
        return 0, 0
    if test['result'] == 'OK' and not failed:
        notes = NOTES.findall(out)
        if notes:
            print(f'{name}: {passed} passed')
            indented('', notes, 20)
        return passed or 1, 0
    print(f'{name}: {test["result"]}, log: {log}')
    indented('!', CASES.findall(out), 20)
    indented('|', out.rstrip().split('\n'), 25)
    # dying after the last test is a failure of its own
    return passed, failed or 1


def main():
    build, logs = sys.argv[1:3]
    results = os.path.join(build, 'meson-logs', 'testlog.json')
    os.makedirs(logs, exist_ok=True)
    if os.path.exists(results):
        os.remove(results)
    args = sys.argv[3:]
    if not args[0].startswith('-'):
        with open(os.path.join(build, 'meson-info/intro-tests.json'), encoding='utf-8') as file:
            names = [test['name'] for test in json.load(file)]
        found = {arg: fnmatch.filter(names, arg) for arg in args}
        missing = [arg for arg in args if not found[arg]]
        if missing:
            sys.exit(f'no test and no build is called {", ".join(missing)}; '
                     'test.sh --list shows them')
        args = sum(found.values(), [])
    # those that wait for the start of EAL; what polls runs alone, see meson.build
    subprocess.run(['meson', 'test', '-C', build, '--no-rebuild', '--num-processes', '4',
                    *args], check=False)
    passed = failed = again = 0
    with open(results, encoding='utf-8') as file:
        for line in file:
            test = json.loads(line)
            counts = result_of(test, logs)
            passed += counts[0]
            failed += counts[1]
            again += '\nonce failed: ' in test.get('stdout', '')
    if again > AGAIN:
        print(f'{again} suites needed a second look, more than {AGAIN}')
        failed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
