#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""Are the tests that bluefield_evidence.rst names in the suites that it names?

A part of a cell, up to a semicolon, names tests and behind them their suites: each of
the tests has to be a case of each of the suites. A name with * is any such case.

usage: check-evidence.py
"""

import fnmatch
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..')
PAGE = 'doc/guides/comchdevs/bluefield_evidence.rst'
CASE = re.compile(r'\bTEST_CASE_\w+\([^()]*\b(test_\w+)\)')


def path_of(suite):
    return f'{TOP}/app/test/bluefield/test_bluefield_{suite}.c'


def cases_of(suite):
    try:
        with open(path_of(suite), encoding='utf-8') as f:
            return CASE.findall(f.read())
    except FileNotFoundError:
        return []


def faults_of(part):
    names = re.findall(r'``([\w*]+)``', part)
    tests = [n for n in names if n.startswith('test_')]
    suites = [n for n in names if n.startswith('hard_') or (tests and os.path.exists(path_of(n)))]
    if tests and not suites:
        yield f'no suite of {tests[0]}'
    for suite in suites:
        cases = cases_of(suite)
        if not cases:
            yield f'there is no suite {suite}'
        for test in tests:
            if not fnmatch.filter(cases, test):
                yield f'{test} is not in {suite}'


def main():
    count = 0
    faults = []
    with open(f'{TOP}/{PAGE}', encoding='utf-8') as f:
        for nr, line in enumerate(f, 1):
            for part in line.split(';'):
                count += part.count('``test_')
                faults += [f'{PAGE}:{nr}: {fault}' for fault in faults_of(part)]
    print('\n'.join(faults), end='\n' if faults else '')
    if count == 0:
        print(f'{PAGE} names no tests')
    return 1 if faults or count == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
