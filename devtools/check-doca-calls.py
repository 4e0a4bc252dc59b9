#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-doca-calls.py
#
# Compares the vendor's calls in doc/guides/prog_guide/doca_calls.txt with what
# lib/doca_compat exports, and with the tests in app/test-doca. Fails if
#   - a line says "works" of what is not exported, or "absent" of what is,
#   - a name that a guide has is absent, or a name has two lines,
#   - an exported function has no line,
#   - a call has no test, or an error neither a test nor the reason why it is not reached,
#   - a test that a line names is not there, or has nothing to do with the function or error.
#
# A test has to do with what it names itself, and with what functions, tables and macros
# name that it uses.

import functools
import re
import sys
from pathlib import Path

CALLS = 'doc/guides/prog_guide/doca_calls.txt'
LIB = 'lib/doca_compat'
TESTS = 'app/test-doca'

NOT_REACHED = 'not reached: '

TEST = re.compile(r'\btest_\w+')


def expanded(name, define, text):
    """A macro that puts names together, as each of its calls in a text has it."""
    match = re.match(r'\(([^)]*)\)(.*)', define, re.S)
    if not match or '##' not in define:
        return ''
    out = ''
    for call in re.findall(rf'^\s*{name}\(([^;]*)\);', text, re.M):
        body = match[2]
        for param, value in zip(match[1].split(','), call.split(',')):
            if param.strip() != '...':
                body = re.sub(rf'\b{param.strip()}\b',
                              value.strip().replace('\\', '\\\\'), body)
        out += ';' + re.sub(r'\s*##\s*', '', body)
    return out


class Tests:
    """What the tests name, by themselves and by what they use."""

    def __init__(self, folder):
        self.cases = {}  # name: file
        self.nodes = {}  # (file, name): text of the function, table or macro
        self.shared = {}  # name: file, of what other files can use
        for path in sorted([*folder.glob('*.[ch]'), *folder.glob('dpa/*.[ch]')]):
            self.read(path.name, path.read_text())
        self.cases = {c: f for c, f in self.cases.items() if (f, c) in self.nodes}

    def read(self, file, text):
        text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
        text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
        for match in re.finditer(r'^#define (\w+)((?:.*\\\n)*.*)', text, re.M):
            body = match[2] + expanded(match[1], match[2], text)
            self.nodes[file, match[1]] = self.nodes.get((file, match[1]), '') + body
            if file.endswith('.h'):
                self.shared[match[1]] = file
        for match in re.finditer(r'^([^\n]*)\n(\w+)\([^;{]*\)\n\{\n(.*?)^\}', text, re.M | re.S):
            self.nodes[file, match[2]] = match[3]
            if 'static' not in match[1]:
                self.shared[match[2]] = file
        for match in re.finditer(r'^(?:static )?\w[^=;]*?(\w+)(?:\[\w*\])* = \{\n(.*?)^\};', text,
                                 re.M | re.S):
            if 'TEST_CASE' not in match[2]:
                self.nodes[file, match[1]] = match[2]
        for name in re.findall(r'^\tTEST_CASE(?:_ST)?\((?:\w+, \w+, )?(\w+)\)', text, re.M):
            self.cases[name] = file

    def node(self, file, word):
        """What a word stands for in a file."""
        for place in (file, self.shared.get(word)):
            if (place, word) in self.nodes:
                return place, word
        return None

    @functools.lru_cache(maxsize=None)
    def uses(self, node):
        """The nodes that a node reaches, with itself."""
        seen, todo = set(), [node]
        while todo:
            one = todo.pop()
            if one is None or one in seen:
                continue
            seen.add(one)
            todo += [self.node(one[0], w) for w in re.findall(r'\w+', self.nodes[one])]
        return seen

    @functools.lru_cache(maxsize=None)
    def words(self, node):
        return {word for one in self.uses(node) for word in re.findall(r'\w+', self.nodes[one])}

    def names(self, test, word):
        return word in self.words((self.cases[test], test))


class Tree:
    def __init__(self, top):
        self.top = Path(top)
        self.lines = (self.top / CALLS).read_text().splitlines()
        self.tests = Tests(self.top / TESTS)
        self.exported = set()
        for path in (self.top / LIB).glob('*/*.map'):
            node = re.search(r'^DOCA_COMPAT \{(.*?)^\}', path.read_text(), re.M | re.S)
            self.exported |= set(re.findall(r'^\t(doca_\w+);', node[1] if node else '', re.M))
        aliases = []  # of names before 2.7, and what they stand for
        folder = self.top / LIB
        for path in [*folder.glob('*/doca_*.h'), *folder.glob('dpa/dev/doca_dpa_dev*.h')]:
            if not path.name.endswith('private.h'):
                text = path.read_text()
                self.exported |= set(re.findall(r'^static inline [^;{]*?\s\*?(doca_\w+)\(',
                                                text, re.M))
                aliases += re.findall(r'^#define (doca_\w+) (?:\\\n\t)?(doca_\w+)$', text, re.M)
        self.exported |= {name for name, of in aliases if of in self.exported}

    def rows(self):
        """(name, words or error, cells) of each function and error"""
        for line in self.lines:
            first, *cells = line.split(' | ')
            if line.startswith('- '):
                yield name, first[2:], cells
            elif cells and line[0] not in '#[=':
                name, *words = first.split()
                yield name, words, cells

    def own(self, name):
        """Not the vendor's: between headers and libraries of this project."""
        return name.startswith('doca_compat_')

    def check_tests(self, text, row, words):
        wrong = []
        for test in TEST.findall(text):
            if test not in self.tests.cases:
                wrong.append(f'{row}: there is no test {test}')
                continue
            for word in words:
                if not self.tests.names(test, word):
                    wrong.append(f'{row}: {test} does not name {word}')
        return wrong

    def check_call(self, name, words, state, text):
        wrong = []
        absent = state.startswith('absent: ')
        if not absent and state != 'works' and not state.startswith('works with a difference: '):
            wrong.append(f'{name}: what state is "{state}"?')
        if absent and 'guide' in words:
            wrong.append(f'{name}: absent, and a guide names it')
        if absent == (name in self.exported):
            wrong.append(f'{name}: "{state}", and it is ' +
                         ('exported' if absent else 'not exported'))
        if not absent and not TEST.search(text):
            wrong.append(f'{name}: no test')
        return wrong + self.check_tests(text, name, [name])

    def check_error(self, name, error, text):
        row = f'{name} {error}'
        wrong = self.check_tests(text, row, [name, 'DOCA_ERROR_' + error])
        if name in self.exported and not TEST.search(text) and not text.startswith(NOT_REACHED):
            wrong.append(f'{row}: neither a test nor why it is not reached')
        return wrong

    def check(self):
        wrong, seen = [], set()
        for name, what, cells in self.rows():
            text = cells[-1] if cells else ''
            key = name if isinstance(what, list) else (name, what)
            if key in seen:
                wrong.append(f'{key}: two lines')
            seen.add(key)
            if isinstance(what, list):
                wrong += self.check_call(name, what, cells[0], text if len(cells) > 1 else '')
            else:
                wrong += self.check_error(name, what, text)
        return wrong + [f'{n}: exported, and not in {CALLS}' for n in sorted(self.exported - seen)
                        if not self.own(n)]


def main():
    tree = Tree(Path(__file__).resolve().parent.parent)
    wrong = tree.check()
    print('\n'.join(wrong) if wrong else
          '{} functions, {} errors'.format(*(sum(isinstance(row[1], kind) for row in tree.rows())
                                             for kind in (list, str))))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
