#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-doca-calls.py [--update | --prove]
#
# Compares the pages doc/guides/prog_guide/doca_calls.rst and doca_errors.rst with
# devtools/doca-names.txt and doca-errors.txt, with what lib/doca_compat exports, and with
# the tests in app/test-doca. Fails if
#   - a name or an error of the lists has no row, or a row is not in the lists,
#   - a row says "works" of what is not exported, or "absent" of what is,
#   - a name that a guide has is absent,
#   - an exported function is not in the list,
#   - a row has neither a test nor, for an error, the reason why it is not reached,
#   - a test that a row names is not there, or has nothing to do with the function or error.
#
# --update writes the rows: states, reasons and tests that fit stay, and tests that are found
# are put where there is neither. --prove expects a mistake of each kind to be found.
#
# A test has to do with what it names itself, and with what functions, tables and macros
# name that it uses.

import functools
import re
import sys
import tempfile
from pathlib import Path

NAMES = 'devtools/doca-names.txt'
ERRORS = 'devtools/doca-errors.txt'
CALLS_PAGE = 'doc/guides/prog_guide/doca_calls.rst'
ERRORS_PAGE = 'doc/guides/prog_guide/doca_errors.rst'
LIB = 'lib/doca_compat'
TESTS = 'app/test-doca'

MARK = '.. What follows is written by devtools/check-doca-calls.py --update.'
GENERATIONS = {
    'core': 'Core',
    'comch': 'Comch',
    'cc': 'Names of 2.5 and 2.6',
    'ep': 'Endpoints of the Legacy Interface',
}
MOST_TESTS = 3
ABSENT = 'not reached: the function is absent'

CALL_ROW = re.compile(r'^   ``(\w+)\(\)`` \| ([^|]+?) \| ?(.*)$', re.M)
ERROR_ROW = re.compile(r'^   ``(\w+)\(\)`` \| ``(\w+)`` \| ?(.*)$', re.M)
TEST = re.compile(r'``(test_\w+)``')


def read_list(path, fields):
    for nr, line in enumerate(path.read_text().splitlines(), 1):
        if line and not line.startswith('#'):
            words = line.split()
            if len(words) < fields:
                sys.exit(f'{path.name}:{nr}: {fields} words at least')
            yield words


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
            if 'TEST_CASE(' not in match[2]:
                self.nodes[file, match[1]] = match[2]
        for name in re.findall(r'^\tTEST_CASE\((\w+)\)', text, re.M):
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

    def statements(self, node):
        """Of each statement of a node its words, and what they stand for."""
        for statement in re.split(r';|\},', self.nodes[node]):
            words = set(re.findall(r'\w+', statement))
            others = {w: self.node(node[0], w) for w in words}
            yield words, {w: o for w, o in others.items() if o and o != node}

    def near(self, words, others):
        """With what macros stand for."""
        return words.union(*(self.words(o) for w, o in others.items() if w.isupper()))

    @functools.lru_cache(maxsize=None)
    def pairs(self, node, inner):
        """
        (function, error) that one statement of a node has, itself and by macros; if inner,
        one of both may also be in a function that is called there.
        """
        found = set()
        for words, others in self.statements(node):
            near = self.near(words, others)
            far = near.union(*(self.words(o) for o in others.values())) if inner else near
            for names, errors in ((near, far), (far, near)):
                found |= {(n, e) for n in names if n.startswith('doca_')
                          for e in errors if e.startswith('DOCA_ERROR_')}
        return found

    @functools.lru_cache(maxsize=None)
    def calls(self, node):
        """Functions that a node calls where no error is expected."""
        return {w for words, others in self.statements(node) for w in words
                if not any(n.startswith('DOCA_ERROR_') for n in self.near(words, others))}

    def best(self, cases, name):
        """Of these tests the best: those that name a function themselves and do little else."""
        cases = sorted(cases, key=lambda c: len(self.words(c)))
        own = [c for c in cases if re.search(rf'\b{name}\b', self.nodes[c])]
        return [name for _, name in (own or cases)[:MOST_TESTS]]

    def names(self, test, word):
        return word in self.words((self.cases[test], test))

    def for_call(self, name):
        cases = [(f, c) for c, f in self.cases.items() if name in self.words((f, c))]
        good = [c for c in cases if any(name in self.calls(n) for n in self.uses(c))]
        return self.best(good or cases, name)

    def for_error(self, name, error):
        pair = name, 'DOCA_ERROR_' + error
        for inner in (False, True):
            found = [(f, c) for c, f in self.cases.items()
                     if any(pair in self.pairs(n, inner) for n in self.uses((f, c)))]
            if found:
                return self.best(found, name)
        return []


class Tree:
    def __init__(self, top):
        self.top = Path(top)
        self.names = {}  # function: (generation, header, words)
        for words in read_list(self.top / NAMES, 3):
            self.names[words[2]] = words[0], words[1], words[3:]
        self.errors = [tuple(w[:2]) for w in read_list(self.top / ERRORS, 2)]
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
        self.calls_text = (self.top / CALLS_PAGE).read_text()
        self.errors_text = (self.top / ERRORS_PAGE).read_text()

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

    def check_calls(self):
        wrong, seen = [], set()
        for name, state, tests in CALL_ROW.findall(self.calls_text):
            if name in seen:
                wrong.append(f'{name}: two rows')
            seen.add(name)
            if name not in self.names:
                wrong.append(f'{name}: not in {NAMES}')
                continue
            flags = self.names[name][2]
            absent = state.startswith('absent: ')
            if not absent and state != 'works' and \
                    not state.startswith('works with a difference: '):
                wrong.append(f'{name}: what state is "{state}"?')
            if absent and 'guide' in flags:
                wrong.append(f'{name}: absent, and a guide names it')
            if absent == (name in self.exported):
                wrong.append(f'{name}: "{state}", and it is ' +
                             ('exported' if absent else 'not exported'))
            if not absent and not TEST.search(tests):
                wrong.append(f'{name}: no test')
            wrong += self.check_tests(tests, name, [name])
        wrong += [f'{n}: no row in {CALLS_PAGE}' for n in self.names if n not in seen]
        wrong += [f'{n}: exported, and not in {NAMES}' for n in sorted(self.exported)
                  if n not in self.names and not self.own(n)]
        return wrong

    def check_errors(self):
        wrong, seen = [], set()
        for name, error, text in ERROR_ROW.findall(self.errors_text):
            row = f'{name} {error}'
            if (name, error) in seen:
                wrong.append(f'{row}: two rows')
            seen.add((name, error))
            if (name, error) not in self.errors:
                wrong.append(f'{row}: not in {ERRORS}')
            if not TEST.search(text) and not text.startswith('not reached: '):
                wrong.append(f'{row}: neither a test nor why it is not reached')
            if (text == ABSENT) == (name in self.exported):
                wrong.append(f'{row}: "{text}", and the function is ' +
                             ('there' if text == ABSENT else 'absent'))
            wrong += self.check_tests(text, row, [name, 'DOCA_ERROR_' + error])
        return wrong + [f'{n} {e}: no row in {ERRORS_PAGE}' for n, e in self.errors
                        if (n, e) not in seen]

    def check(self):
        return self.check_calls() + self.check_errors()

    def update(self):
        states = {n: (s, t) for n, s, t in CALL_ROW.findall(self.calls_text)}
        rows = []
        for name, (generation, header, flags) in self.names.items():
            state, text = states.get(name, ('', ''))
            if name in self.exported and not state.startswith('works'):
                state = 'works'
            elif name not in self.exported and not state.startswith('absent'):
                state = 'absent: not yet'
            if state.startswith('absent'):
                text = ''
            elif not text or self.check_tests(text, name, [name]):
                text = ', '.join(f'``{t}``' for t in self.tests.for_call(name))
            rows.append((generation, header, f'``{name}()`` | {state} | {text}'))
        self.write(CALLS_PAGE, self.calls_text, 'Function, State, Test', '30, 30, 40', rows)
        texts = {(n, e): t for n, e, t in ERROR_ROW.findall(self.errors_text)}
        rows = []
        for name, error in self.errors:
            generation, header, _ = self.names[name]
            text = texts.get((name, error), '').replace(ABSENT, '')
            if name not in self.exported:
                text = ABSENT
            elif not text.startswith('not reached: ') and (
                    not text or self.check_tests(text, name, [name, 'DOCA_ERROR_' + error])):
                text = ', '.join(f'``{t}``' for t in self.tests.for_error(name, error))
            rows.append((generation, header, f'``{name}()`` | ``{error}`` | {text}'))
        self.write(ERRORS_PAGE, self.errors_text, 'Function, Result, Test', '35, 25, 40', rows)

    def write(self, page, text, head, widths, rows):
        out = [text.split(MARK)[0] + MARK]
        last = ('', '')
        for generation, header, row in rows:
            if generation != last[0]:
                title = GENERATIONS[generation]
                out += ['', title, '-' * len(title)]
            if (generation, header) != last:
                out += ['', f'``{header}``', '~' * (len(header) + 4), '',
                        '.. csv-table::', f'   :header: {head}', '   :delim: |',
                        f'   :widths: {widths}', '']
            last = generation, header
            out.append('   ' + row.rstrip())
        (self.top / page).write_text('\n'.join(out) + '\n')


def prove():
    call = '   ``doca_a()`` | works | ``test_a``\n'
    error = '   ``doca_a()`` | ``AGAIN`` | ``test_a``\n'
    good = {
        NAMES: 'core doca_a.h doca_a guide\n',
        ERRORS: 'doca_a AGAIN\n',
        CALLS_PAGE: call,
        ERRORS_PAGE: error,
        LIB + '/a/a.map': 'DOCA_COMPAT {\n\tdoca_a;\n};\n',
        TESTS + '/a.c': 'int\ninner(void)\n{\n\tif (doca_a() == DOCA_ERROR_AGAIN)\n}\n'
                        'int\ntest_a(void)\n{\n\tinner();\n}\nint\ntest_b(void)\n{\n\n}\n'
                        '\tTEST_CASE(test_a),\n\tTEST_CASE(test_b),\n',
    }
    changes = [  # file, its text, what has to be said
        (NAMES, good[NAMES], ''),
        (NAMES, good[NAMES] + 'core doca_a.h doca_b\n', 'doca_b: no row'),
        (NAMES, 'core doca_a.h doca_b\n', 'doca_a: exported, and not in'),
        (ERRORS, good[ERRORS] + 'doca_a FULL\n', 'doca_a FULL: no row'),
        (ERRORS, 'doca_a FULL\n', 'doca_a AGAIN: not in'),
        (CALLS_PAGE, call + call, 'two rows'),
        (CALLS_PAGE, call.replace('works', 'fine'), 'what state'),
        (CALLS_PAGE, call.replace('works', 'absent: why'), 'a guide names it'),
        (CALLS_PAGE, call.replace('works', 'absent: why'), 'it is exported'),
        (CALLS_PAGE, call.replace('``test_a``', ''), 'no test'),
        (CALLS_PAGE, call.replace('test_a', 'test_c'), 'there is no test test_c'),
        (CALLS_PAGE, call.replace('test_a', 'test_b'), 'test_b does not name doca_a'),
        (ERRORS_PAGE, error + error, 'two rows'),
        (ERRORS_PAGE, error.replace('``test_a``', ''), 'neither a test'),
        (ERRORS_PAGE, error.replace('``test_a``', 'not reached: no way'), ''),
        (ERRORS_PAGE, error.replace('``test_a``', ABSENT), 'the function is there'),
        (ERRORS_PAGE, error.replace('test_a', 'test_b'), 'does not name DOCA_ERROR_AGAIN'),
        (LIB + '/a/a.map', 'DOCA_COMPAT {\n};\n', 'it is not exported'),
        (LIB + '/a/doca_b.h', '#define doca_b doca_c\n', ''),
        (LIB + '/a/doca_b.h', '#define doca_b doca_a\n', 'doca_b: exported'),
        (LIB + '/dpa/dev/doca_dpa_dev.h', 'static inline int\ndoca_b(void)\n', 'doca_b: exported'),
    ]
    bad = 0
    for file, text, want in changes:
        with tempfile.TemporaryDirectory() as top:
            for name, content in {**good, file: text}.items():
                path = Path(top) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            wrong = Tree(top).check()
        if bool(wrong) != bool(want) or want not in '\n'.join(wrong):
            print(f'not "{want}" but {wrong} of {file}:\n{text}')
            bad = 1
    return bad


def main():
    if len(sys.argv) > 2 or sys.argv[1:] not in ([], ['--update'], ['--prove']):
        sys.exit('usage: check-doca-calls.py [--update | --prove]')
    if sys.argv[1:] == ['--prove']:
        return prove()
    tree = Tree(Path(__file__).resolve().parent.parent)
    if sys.argv[1:] == ['--update']:
        tree.update()
        return 0
    wrong = tree.check()
    print('\n'.join(wrong) if wrong else
          f'{len(tree.names)} functions, {len(tree.errors)} errors')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
