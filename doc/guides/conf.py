# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# Sphinx configuration of the guides, and the directive that makes the table of
# drivers and features. Nothing is written into the source folder.

import configparser
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

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


def setup(app):
    app.add_directive('comch-feature-table', FeatureTable)
