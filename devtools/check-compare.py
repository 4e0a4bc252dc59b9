#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""Checks that the tables of the guide judge what was measured by the targets of compare-peers.

usage: check-compare.py

Nothing is measured: the medians are those of the guide, doc/guides/tools/compare.rst, the
targets those of devtools/compare-peers/rows.py.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / 'devtools' / 'compare-peers'))

import rows  # noqa: E402
import table  # noqa: E402

ROW = re.compile(r'   "(.*)", "(.*)", (?:yes|no), ([\d.]+), .*, "(.*)"\n')


def wanted(group, whose, ratio):
    """What may stand in the last column, without how far it is from the target."""
    targets = [(p.target, p.strict) for p in group.peers if p.name == whose]
    if whose == 'limit':
        each = group.limit_target
        targets = [(t, False) for t in (each.values() if isinstance(each, dict) else [each])]
    less = group.less_is_better
    return ['' if t is None else '%s, %s' % (
        table.target_text(t, less, strict),
        table.verdict(ratio, t, less, strict).split(' by ')[0]) for t, strict in targets]


def main():
    groups = {g.title: g for g in rows.groups()}
    found, bad = 0, 0
    for title, whose, ratio, says in ROW.findall(
            (TOP / 'doc/guides/tools/compare.rst').read_text(encoding='utf-8')):
        found += 1
        may = wanted(groups[title], whose, float(ratio)) if title in groups else []
        if says.strip().split(' by ')[0] not in may:
            print('compare.rst: %s, %s, %s: "%s" should be %s' % (
                title, whose, ratio, says.strip(), ' or '.join('"%s"' % m for m in may)))
            bad = 1
    if found < 35:
        print('compare.rst: only %d rows of ratios were found' % found)
        bad = 1
    return bad


if __name__ == '__main__':
    sys.exit(main())
