#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""Are the tests that pages of the guide name in the suites that they name?

In bluefield_evidence.rst a part of a cell, up to a semicolon, names tests and behind them
their suites: each of the tests has to be a case of each of the suites. A name with * is any
such case.

The other pages name a case behind its suite and a colon. Names of cases that follow in the
line are of the same suite, up to a semicolon or the next suite. They also name targets of
app/fuzz, and ideas of the attackers of shm_attack_storm. bug_classes.rst has
T01 to T52, and all suites that the attacks of devtools/test/meson.build begin.

usage: check-evidence.py
"""

import fnmatch
import glob
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..')
EVIDENCE = 'doc/guides/comchdevs/bluefield_evidence.rst'
PAGES = ['doc/guides/contributing/bug_classes.rst', 'doc/guides/contributing/testing.rst',
         'doc/guides/prog_guide/security.rst']
IDEAS = 'app/test/shm/test_shm_storm_evil.c'
CASE = re.compile(r'\bTEST_CASE_\w+\([^()]*\b(test_\w+)\)')
ANY_CASE = re.compile(r'\b([A-Z][A-Z_]*)\((?:[^(){}]|\([^()]*\))*?\b(test_\w+)"?\)')
ARG_CASE = re.compile(r'\bTEST_CASE_(?:ARG|NAMED)\([^"]*"(test_\w+)"')
REGISTERED = re.compile(r'^REGISTER_\w+_TEST\((\w+)_autotest, \w+,\s+&(\w+)\)', re.M)
CLASSES = [f'T{nr:02}' for nr in range(1, 53)]


def text_of(path):
    with open(f'{TOP}/{path}', encoding='utf-8') as f:
        return f.read()


def path_of(suite):
    return f'{TOP}/app/test/bluefield/test_bluefield_{suite}.c'


def cases_of(suite):
    try:
        with open(path_of(suite), encoding='utf-8') as f:
            return CASE.findall(f.read())
    except FileNotFoundError:
        return []


def all_suites():
    """The cases of each suite of app/test, by name."""
    suites = {}
    for path in glob.glob(f'{TOP}/app/test/*/*.c'):
        with open(path, encoding='utf-8') as f:
            text = f.read()
        for suite, variable in REGISTERED.findall(text):
            table = re.search(rf'unit_test_suite {variable} = {{(.*?)^}}', text, re.M | re.S)
            found = suites.setdefault(suite, set())  # a shared build has a stand-in
            found.update(ARG_CASE.findall(table[1] if table else ''))
            for macro, name in ANY_CASE.findall(table[1] if table else ''):
                found.add(name + ('_direct' if macro == 'DIRECT_TOO' else ''))
    return suites


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


def faults_named(part, suites, suite):
    """Of a part of a line that names suites before their cases; suite is the last one."""
    for name in re.findall(r'``([\w:]+)``', part):
        head, _, test = name.partition(':')
        head = head.removesuffix('_autotest')
        if head.startswith('fuzz_') and not os.path.exists(f'{TOP}/app/fuzz/{head}.c'):
            yield f'there is no target {head}'
        if head.startswith('test_'):
            test = head
        elif test.startswith('test_') or head in suites:
            suite = head
        if not test.startswith('test_'):
            continue
        if suite not in suites:
            yield f'there is no suite {suite} of {test}'
        elif test not in suites[suite]:
            yield f'{test} is not in {suite}'


def faults_of_line(line, suites):
    for ideas in re.findall(r'\bideas? ((?:``[\w ]+``(?:, | and )?)+)', line):
        for idea in re.findall(r'``([\w ]+)``', ideas):
            if f'{{ "{idea}", idea_' not in text_of(IDEAS):
                yield f'the attackers have no idea {idea}'
    for part in line.split(';'):
        yield from faults_named(part, suites, None)


def faults_of_classes(suites):
    """The page of classes has all of them, and all suites of attackers."""
    text = text_of(PAGES[0])
    if re.findall(r'^   \* - (T\d\d)$', text, re.M) != CLASSES:
        yield f'{PAGES[0]}: its rows are not T01 to T52'
    attacks = re.search(r"^attacks = \[(.*?)\]", text_of('devtools/test/meson.build'), re.M | re.S)
    prefixes = tuple(re.findall(r"'(\w+)'", attacks[1]))
    for row in re.findall(r'^   \* - (``\w+``(?:, ``\w+``)*)$', text, re.M):
        for name in re.findall(r'\w+', row):
            if name not in suites:
                yield f'{PAGES[0]}: there is no suite {name}'
    for suite in sorted(suites):
        if suite.startswith(prefixes) and not re.search(f'``{suite}[:`]', text):
            yield f'{PAGES[0]}: has no {suite}'


def main():
    count = 0
    faults = []
    suites = all_suites()
    for page in [EVIDENCE, *PAGES]:
        for nr, line in enumerate(text_of(page).splitlines(), 1):
            count += len(re.findall(r'``(?:\w+:)?test_', line))
            if page == EVIDENCE:
                found = [fault for part in line.split(';') for fault in faults_of(part)]
            else:
                found = faults_of_line(line, suites)
            faults += [f'{page}:{nr}: {fault}' for fault in found]
    faults += faults_of_classes(suites)
    print('\n'.join(faults), end='\n' if faults else '')
    if count == 0:
        print('no page names a test')
    return 1 if faults or count == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
