# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""The result as people read it. Invents nothing: what has no figure has a dash."""

import os
import platform
import statistics
import subprocess

from machine import OTHERS_MAX, steady

UNITS = {
    'rate': lambda v: '%.2f M/s' % (v / 1e6) if v >= 1e5 else '%.1f k/s' % (v / 1e3),
    'ns': lambda v: '%.0f ns' % v,
    'bytes': lambda v: '%.2f GB/s' % (v / 1e9),
}
WIDTHS = (40, 5, 11, 11, 12, 6, 15, 7, 12)
HEADS = ('what', 'huge', 'ours', 'theirs', 'whose', 'ratio', 'min..max', 'target', '')


def package(name):
    try:
        return subprocess.run(['dpkg-query', '-W', '-f', '${Version}', name], text=True,
                              capture_output=True, check=False).stdout.strip()
    except OSError:
        return ''


def environment(cpus):
    model = ''
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as f:
            for line in f:
                if line.startswith(('model name', 'CPU part')):
                    model = line.split(':', 1)[1].strip()
                    break
    except OSError:
        pass
    return {
        'cpu_model': model, 'nb_cpus': os.cpu_count(), 'cpus': cpus,
        'kernel': platform.release(), 'arch': platform.machine(),
        'packages': {n: package(n) for n in ('libdpdk-dev', 'ucx-utils', 'libfabric1')},
    }


def verdict(ratio, target, less_is_better, strict=False):
    if target is None:
        return 'information'
    ratio = round(ratio, 2)  # as it is printed
    if ratio < target if less_is_better else ratio > target:
        return 'met'
    if ratio == target and not strict:
        return 'met'
    return 'short by %.0f %%' % (abs(ratio / target - 1) * 100)


def line(fields):
    print('  '.join(str(f).rjust(w) if 2 <= i <= 6 and i != 4 else str(f).ljust(w)
                    for i, (f, w) in enumerate(zip(fields, WIDTHS))).rstrip())


def middle(values):
    return statistics.median(values) if values else None


def target_text(target, less_is_better, strict=False):
    if target is None:
        return '-'
    return '%s%s %g' % ('<' if less_is_better else '>', '' if strict else '=', target)


def limit_target(group, runs):
    """Of a row with several targets the one for the nearest time of a cache line."""
    if not isinstance(group.limit_target, dict):
        return group.limit_target
    line_ns = middle([ns for r in runs for ns in r['cache_line_ns']])
    return group.limit_target[min(group.limit_target, key=lambda ns: abs(ns - line_ns))]


def rows_of(record, group):
    """The rows of one group in one case, as dictionaries."""
    unit = UNITS[group.unit]
    huge = 'yes' if record['hugepages'] else 'no'
    less = group.less_is_better
    runs = [r for r in record['ours'] if steady(*r['cache_line_ns'])] or record['ours']
    runs = [r for r in runs if r['others'] <= OTHERS_MAX] or runs
    if not runs:
        return
    own = middle([r['value'] for r in runs])
    for peer in group.peers:
        pairs = record['pairs'].get(peer.name, [])
        if not pairs:
            yield {'what': group.title, 'huge': huge, 'ours': unit(own), 'theirs': '-',
                   'whose': peer.name, 'ratio': None, 'ratios': [],
                   'target': target_text(peer.target, less, peer.strict),
                   'verdict': 'not measured'}
            continue
        ratios = [p['ratio'] for p in pairs]
        yield {'what': group.title, 'huge': huge, 'ours': unit(middle([p['ours'] for p in pairs])),
               'theirs': unit(middle([p['theirs'] for p in pairs])), 'whose': peer.name,
               'ratio': middle(ratios), 'ratios': ratios,
               'target': target_text(peer.target, less, peer.strict),
               'verdict': verdict(middle(ratios), peer.target, less, peer.strict)}
    ratios = [r['ratio'] for r in runs if r['ratio']]
    if group.limit:
        target = limit_target(group, runs)
        row = {'what': group.title, 'huge': huge, 'ours': unit(own), 'theirs': '-',
               'whose': 'limit', 'ratio': middle(ratios), 'ratios': ratios,
               'target': target_text(target, less)}
        if ratios:
            row['theirs'] = unit(middle([r['value'] / r['ratio'] for r in runs if r['ratio']]))
            row['verdict'] = verdict(middle(ratios), target, less)
        else:
            row['verdict'] = 'not measured'
        yield row
    if group.least:
        low, high = min(r['value'] for r in runs), max(r['value'] for r in runs)
        yield {'what': group.title, 'huge': huge, 'ours': unit(own), 'theirs': '-',
               'whose': '%s..%s' % (unit(low).split()[0], unit(high).split()[0]), 'ratio': None,
               'ratios': [], 'target': '>=' + unit(group.least).split('.', maxsplit=1)[0]
               + unit(group.least)[-4:].strip().rjust(4),
               'verdict': 'met' if own >= group.least else
               'short by %.0f %%' % (100 * (1 - own / group.least))}


def rst(data, path):
    """The ratios alone, as a table for the guide: they hold where figures do not."""
    with open(path, 'w', encoding='utf-8') as f:
        f.write('.. csv-table::\n   :header: "What", "Compared with", "Hugepages", "Ratio", '
                '"Lowest to highest", "Wanted"\n   :widths: 34 14 10 10 16 16\n\n')
        for row in data['table']:
            if row['ratio'] is None:
                continue
            f.write('   "%s", "%s", %s, %.2f, %.2f to %.2f, "%s"\n' % (
                row['what'], row['whose'], row['huge'], row['ratio'], min(row['ratios']),
                max(row['ratios']), '' if row['target'] == '-' else
                '%s, %s' % (row['target'], row['verdict'])))


def show(data, groups, rounds):
    env = data['environment']
    print()
    print('%s, %d CPUs, used: %s; Linux %s; libdpdk-dev %s, ucx-utils %s, libfabric1 %s' % (
        env['cpu_model'], env['nb_cpus'], env['cpus'], env['kernel'],
        *(env['packages'][n] or 'not installed' for n in ('libdpdk-dev', 'ucx-utils', 'libfabric1'))))
    print('Ratios are ours/theirs, the median of %d rounds; rates and bandwidth: more is better, '
          'latency: less.' % rounds)
    print()
    line(HEADS)
    known = {g.title: g for g in groups}
    data['table'] = []
    for title in known:
        for record in data['groups']:
            if record['title'] != title:
                continue
            for row in rows_of(record, known[title]):
                data['table'].append(row)
                if row['whose'] == 'limit' and row['ratio'] is None:
                    data['not_measured'].append({'what': title + ', limit',
                                                 'hugepages': record['hugepages'],
                                                 'why': record['limit_missing']})
                ratio = '-' if row['ratio'] is None else '%.2f' % row['ratio']
                spread = '-'
                if row['ratios']:
                    spread = '%.2f..%.2f' % (min(row['ratios']), max(row['ratios']))
                line((row['what'], row['huge'], row['ours'], row['theirs'], row['whose'], ratio,
                      spread, row['target'], row['verdict']))
    print()
    if any(r['settings'] for r in data['groups']):
        print('Theirs, the fastest of the settings that were tried:')
    for record in data['groups']:
        for setting in record['settings'].values():
            print('  %-40s huge %-4s %s' % (record['title'],
                                            'yes' if record['hugepages'] else 'no', setting))
    limits = [(g.title, g.limit) for g in groups if g.limit]
    if limits:
        print('Limits, measured by the same program in the same runs:')
    for title, limit in limits:
        print('  %-40s %s' % (title, limit))
    distances = [p['cache_line_ns'] for r in data['groups'] for ps in r['pairs'].values()
                 for p in ps]
    if distances:
        print('A cache line took %.0f to %.0f ns from one CPU to the other in the pairs that count.'
              % (min(distances), max(distances)))
        if max(distances) > 1.4 * min(distances):
            print('The CPUs were moved meanwhile: figures of different rows do not compare, '
                  'ratios do.')
    disturbed = [p for r in data['groups'] for ps in r['pairs'].values() for p in ps
                 if p['others'] > OTHERS_MAX]
    if disturbed:
        total = sum(len(ps) for r in data['groups'] for ps in r['pairs'].values())
        print('Other processes took more than a tenth of a CPU in %d of %d pairs.' % (
            len(disturbed), total))
    few = [(r['title'], r['hugepages'], n, len(ps)) for r in data['groups']
           for n, ps in r['pairs'].items() if 0 < len(ps) < rounds]
    for title, huge, name, nb in few:
        print('%s, %s, %s hugepages: %d of %d rounds; in the others there was no time, it failed, '
              'or the CPUs were moved.' % (title, name, 'with' if huge else 'without', nb, rounds))
    if data['not_measured']:
        print('Not measured:')
        for n in data['not_measured']:
            print('  %s (%s hugepages): %s' % (n['what'], 'with' if n['hugepages'] else 'without',
                                              n['why']))
    else:
        print('Everything was measured.')
