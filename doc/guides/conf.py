# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sphinx configuration of the guides, the directives that make the table of drivers and
# features and those of the vendor's calls, and checks of these calls and of tests that a
# guide names.
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


DOCA_CALLS = guides / 'prog_guide' / 'doca_calls.txt'
DOCA_GENERATIONS = {
    'core': 'Core',
    'comch': 'Comch',
    'cc': 'Names of 2.5 and 2.6',
    'ep': 'Endpoints of the Legacy Interface',
}
DOCA_TABLES = {
    'state': ('Function, State, Test', '30, 30, 40'),
    'errors': ('Function, Result, Test', '35, 25, 40'),
    'carriers': ("Call of the vendor's library, What carries it, Difference", '30, 32, 38'),
}


def doca_rows(table):
    """Of one of the tables (generation, header, cells) for each row."""
    for line in DOCA_CALLS.read_text().splitlines():
        cells = line.split(' | ')
        if line.startswith('['):
            generation, header = line.strip('[]').split()
        elif line.startswith('= '):
            if table == 'carriers':
                yield generation, header, [call, cells[0][2:], cells[1]]
        elif line.startswith('- '):
            if table == 'errors':
                yield generation, header, [call, f'``{cells[0][2:]}``', *cells[1:]]
        elif line and not line.startswith('#'):
            name = cells[0].split()[0]
            call = f'``{name}()``' if len(cells) > 1 else f'``{name}``'
            if table == 'state' and len(cells) > 1:
                yield generation, header, [call, *cells[1:]]


class DocaCalls(Directive):
    """A table for each header of the vendor's: ``.. doca-calls:: state``, and so on."""

    required_arguments = 1

    def run(self):
        self.state.document.settings.env.note_dependency(str(DOCA_CALLS))
        head, widths = DOCA_TABLES[self.arguments[0]]
        out, last = [], ('', '')
        for generation, header, cells in doca_rows(self.arguments[0]):
            if generation != last[0]:
                title = DOCA_GENERATIONS[generation]
                out += ['', title, '-' * len(title)]
            if (generation, header) != last:
                out += ['', f'``{header}``', '~' * (len(header) + 4), '', '.. csv-table::',
                        f'   :header: {head}', '   :delim: |', f'   :widths: {widths}', '']
            last = generation, header
            if cells[-1].startswith('test_'):
                cells[-1] = ', '.join(f'``{test}``' for test in cells[-1].split())
            out.append('   ' + ' | '.join(cells + [''] * (3 - len(cells))))
        self.state_machine.insert_input(out + [''], str(DOCA_CALLS))
        return []


class DocaCounts(Directive):
    """How many calls of the vendor's library are carried: ``.. doca-counts::``."""

    def run(self):
        texts = [cells[2] for _, _, cells in doca_rows('carriers')]
        nothing, part = (sum(t.startswith(word) for t in texts)
                         for word in ('nothing yet: ', 'in part: '))
        return [nodes.paragraph(text=f'Of {len(texts)} calls, {len(texts) - part - nothing} are '
                                     f'carried, {part} in part, and {nothing} have nothing yet.')]


def check_vendor_calls(app):
    """Fail if the tables or the page of the vendor's calls name what is not public."""
    text = (guides / 'contributing' / 'vendor-calls.rst').read_text()
    words = public_words() | {'rte_strerror'}
    names = set()
    for _, _, (_, carrier, difference) in doca_rows('carriers'):
        text += difference
        for literal in re.findall('``(.+?)``', carrier):
            names |= set(re.findall(r'\w+', literal))
    names |= set(re.findall(r'\b(?:rte_comch|RTE_COMCH)_\w+', text))
    if names - words:
        raise ExtensionError("the vendor's calls: not public: " + ', '.join(names - words))


def check_msgq_tests(app):
    """Fail if the table of the vendor's message queues names a test that does not exist."""
    text = (guides / 'prog_guide' / 'comch_msgq.rst').read_text()
    folder = guides.parents[1] / 'app' / 'test'
    suites, wrong = {}, []
    for path in folder.rglob('test_*.c'):
        code = path.read_text()
        for suite in re.findall(r'REGISTER_(?:FAST|SLOW)_TEST\((\w+)_autotest,', code):
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
    app.add_directive('doca-calls', DocaCalls)
    app.add_directive('doca-counts', DocaCounts)
    app.connect('builder-inited', check_vendor_calls)
    app.connect('builder-inited', check_msgq_tests)
