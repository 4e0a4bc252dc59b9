# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sphinx configuration of the guides, the directive that makes the table of drivers
# and features, and the checks of the vendor's calls and of tests that a guide names.
# Nothing is written into the source folder.

import configparser
import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.errors import ExtensionError

try:
    import sphinx_rtd_theme  # noqa: F401

    html_theme = 'sphinx_rtd_theme'
except ImportError:
    html_theme = 'alabaster'

guides = Path(__file__).resolve().parent

project = 'dpdk-comch'
author = 'The dpdk-comch authors'
copyright = '2026 The dpdk-comch authors'
release = (guides.parents[1] / 'VERSION').read_text().strip()
version = release

master_doc = 'index'
highlight_language = 'none'
numfig = True
html_show_copyright = False
html_permalinks = False
html_static_path = ['static']
html_css_files = ['tables.css']
# A source that is not in any table of contents is a mistake.
exclude_patterns = []

man_make_section_directory = False
man_pages = [
    ('prog_guide/comch', 'comch', 'message channel between a host and its DPU', [], 7),
    ('tools/test-comch', 'dpdk-test-comch', 'test and benchmark comch devices', [], 8),
]


def read_features(path):
    """Read the section [Features] of an ini file; keys keep their case."""
    config = configparser.ConfigParser(interpolation=None)
    config.optionxform = str
    config.read(path)
    return dict(config.items('Features'))


class FeatureTable(Directive):
    """The table of all drivers and features: ``.. comch-feature-table::``.

    features/default.ini has all rows in their order, each other ini file of
    the folder is one driver.
    """

    def run(self):
        env = self.state.document.settings.env
        folder = guides / 'comchdevs' / 'features'
        rows = read_features(folder / 'default.ini')
        drivers = {}
        for path in sorted(folder.glob('*.ini')):
            env.note_dependency(str(path))
            if path.stem == 'default':
                continue
            drivers[path.stem] = read_features(path)
            for key in drivers[path.stem]:
                if key not in rows:
                    raise self.error(f'{path.name}: "{key}" is not in default.ini')
                if drivers[path.stem][key] not in ('Y', 'P'):
                    raise self.error(f'{path.name}: "{key}" is neither Y nor P')

        table = nodes.table()
        group = nodes.tgroup(cols=len(drivers) + 1)
        table += group
        for width in [30] + [10] * len(drivers):
            group += nodes.colspec(colwidth=width)
        head = nodes.thead()
        group += head
        head += self.row(['Feature'] + list(drivers))
        body = nodes.tbody()
        group += body
        for feature in rows:
            body += self.row([feature] + [d.get(feature, '') for d in drivers.values()])
        return [table]

    @staticmethod
    def row(texts):
        row = nodes.row()
        for text in texts:
            entry = nodes.entry()
            entry += nodes.paragraph(text=text)
            row += entry
        return row


def public_words():
    """All identifiers in the headers of an application, and of its offload programs."""
    lib = guides.parents[1] / 'lib' / 'comch'
    words, todo, seen = set(), ['rte_comch.h', 'rte_comch_dpa_dev.h'], set()
    while todo:
        name = todo.pop()
        if name in seen or not (lib / name).exists():
            continue
        seen.add(name)
        text = (lib / name).read_text()
        todo += re.findall(r'^#include [<"](\w+\.h)[>"]', text, re.M)
        words |= set(re.findall(r'\w+', re.sub(r'/\*.*?\*/', '', text, flags=re.S)))
    return words


def vendor_rows(text):
    """The tables of calls: (section, what carries it, difference) for each call."""
    title, inside, cells = None, False, None
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if i + 1 < len(lines) and line and re.fullmatch('-+', lines[i + 1]):
            title, inside = line, False
        elif line.startswith('   * - '):
            if inside and cells:
                yield title, cells[1], cells[2]
            cells = [line[7:]]
            inside = inside or cells[0] == "Call of the vendor's library"
        elif line.startswith('     - ') and cells:
            cells.append(line[7:])
        elif not line.startswith(' ') and cells:
            if inside and len(cells) == 3:
                yield title, cells[1], cells[2]
            inside, cells = False, None


def check_vendor_calls(app):
    """Fail if the page of the vendor's calls counts wrong, or names what is not public."""
    text = (guides / 'contributing' / 'vendor-calls.rst').read_text()
    words = public_words() | {'rte_strerror'}
    counts, wrong = {}, []
    for title, carrier, difference in vendor_rows(text):
        if title not in counts:
            counts[title] = [0, 0, 0, 0]
        elif carrier == 'What carries it':
            wrong.append(f'two tables of calls in "{title}"')
        if carrier == 'What carries it':
            continue
        if difference.startswith('nothing yet: '):
            counts[title][2] += 1
        else:
            counts[title][int(difference.startswith('in part: '))] += 1
        counts[title][3] += 1
        for literal in re.findall('``(.+?)``', carrier):
            wrong += [f'{w} is not public' for w in re.findall(r'\w+', literal) if w not in words]
    names = re.findall(r'\b(?:rte_comch|RTE_COMCH)_\w+', text)
    wrong += [f'{w} is not public' for w in names if w not in words]
    counts['Sum'] = [sum(c) for c in zip(*counts.values())]
    rows = [(title, c) for title, c in counts.items()]
    for title, c in rows:
        row = f'   * - {title}\n' + ''.join(f'     - {n}\n' for n in c)
        if row not in text:
            wrong.append(f'the row of "{title}" should have {c}')
    carried, part, nothing, calls = counts['Sum']
    line = (f'Of {calls} calls, {carried} are carried, {part} in part, '
            f'and {nothing} have nothing yet:')
    if line not in text:
        wrong.append(f'should say: {line}')
    if wrong:
        raise ExtensionError('vendor-calls.rst: ' + '; '.join(wrong))


def check_msgq_tests(app):
    """Fail if the table of the vendor's message queues names a test that does not exist."""
    text = (guides / 'prog_guide' / 'comch_msgq.rst').read_text()
    folder = guides.parents[1] / 'app' / 'test'
    suites, wrong = {}, []
    for path in folder.rglob('test_*.c'):
        code = path.read_text()
        for suite in re.findall(r'REGISTER_FAST_TEST\((\w+)_autotest,', code):
            # a suite may have a stand-in in another file, for builds that lack what it looks at
            suites.setdefault(suite, []).extend(
                re.findall(r'TEST_CASE\w*\((?:\w+, \w+, )?(\w+)\)', code))
    for suite, cases in re.findall(r'``(\w+)``: ((?:``test_\w+``(?:, )?)+)', text):
        wrong += [f'{suite} has no {case}' for case in re.findall(r'``(\w+)``', cases)
                  if case not in suites.get(suite, [])]
    if wrong or not suites:
        raise ExtensionError('comch_msgq.rst: ' + '; '.join(wrong))


def setup(app):
    app.add_directive('comch-feature-table', FeatureTable)
    app.connect('builder-inited', check_vendor_calls)
    app.connect('builder-inited', check_msgq_tests)
