#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-abi.py [--renew | --renew-format FORMAT] <build folder>
#
# Compares what programs and peers of the last release rely on with what devtools/abi has of
# it: the symbols that shared libraries export; functions, structures and constants of
# installed headers, by abidiff; the formats between processes. --renew records the tree as
# the release, --renew-format one format alone. doc/guides/contributing/abi_policy.rst has the
# rules. Any build will do.

import argparse
import glob
import hashlib
import lzma
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORD = 'devtools/abi/release.txt'
IGNORE = 'devtools/abi/ignore.txt'
RULES = 'doc/guides/contributing/abi_policy.rst'

# Name, macro with the version, headers: who has another version is refused.
FORMATS = [
    ('shm', 'SHM_WIRE_VERSION', ['drivers/comch/shm/shm_wire.h', 'drivers/comch/shm/shm_entry.h']),
    ('shm programs', 'SHM_DPA_VERSION', ['drivers/comch/shm/dpa/shm_dpa_wire.h',
                                         'drivers/comch/shm/dpa/shm_msgq_wire.h',
                                         'drivers/comch/shm/shm_entry.h']),
    ('bluefield', 'BF_WIRE_VERSION_MAX', ['drivers/comch/bluefield/chan/bluefield_wire.h',
                                          'drivers/comch/bluefield/cm/bluefield_mad.h']),
    ('net_comch', 'NC_WIRE_VERSION', ['drivers/net/comch/net_comch_wire.h']),
    ('dpdk-test-comch', 'PEER_VERSION', ['app/test-comch/peer_msg.h']),
]

# What its libraries begin with; installed headers for programs, and those of these patterns
# that are for drivers, for the library, or for programs that are built with it; those to
# include; flags of the compiler.
GROUPS = {
    'rte': ('librte_', ['lib/comch/rte_*.h', 'drivers/net/comch/rte_*.h'],
            r'(_pmd|_pmd_share|_trace|_dpa_dev)\.h$',
            r'rte_(comch|comch_meta|pmd_net_comch)\.h$', ['-DALLOW_EXPERIMENTAL_API']),
    'doca': ('libdoca_', ['lib/doca_compat/*/doca_*.h'], r'_private\.h$', '',
             ['-DDOCA_ALLOW_EXPERIMENTAL_API', '-DDOCA_ALLOW_DEPRECATED_API']),
}


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def symbols(build):
    """Those that others may use: (library, version, name)."""
    found = set()
    for lib in glob.glob(build + '/*/librte_*.so') + glob.glob(build + '/*/*/libdoca_*.so'):
        for line in output('nm', '-D', '--defined-only', lib).splitlines():
            name, _, version = line.split()[-1].partition('@')
            version = version.lstrip('@')
            if re.fullmatch(r'EXPERIMENTAL|DPDK_\d+|DOCA_COMPAT', version) and name != version:
                found.add((os.path.basename(lib)[:-3], version, name))
    return found


def formats():
    """{name: [macro, version, sum of its headers without comments and assertions]}"""
    found = {}
    for name, macro, headers in FORMATS:
        text = ''.join(read(h) for h in headers)
        text = re.sub(r'/\*.*?\*/|\b(_S|s)tatic_assert\s*\(.*?\);|\s+', '', text, flags=re.S)
        version = re.search(r'#define%s(\d+)' % macro, text).group(1)
        found[name] = [macro, version, hashlib.sha256(text.encode()).hexdigest()[:16]]
    return found


def probe_text(folder, include, flags, names):
    """A variable for each function, structure and constant of the headers in a folder."""
    headers = sorted(os.listdir(folder))
    head = ''.join('#include <%s>\n' % h for h in headers if re.match(include, h))
    lines = ['__typeof__(%s) *abi_%s;' % (n, n) for n in names]
    for h in headers:
        lines += ['%s %s *abi_%s;' % (kind, n, n) for kind, n in
                  re.findall(r'^(?:typedef )?(struct|union|enum) (\w+) \{$', read(folder + '/' + h), re.M)]
    macros = subprocess.run(['gcc', '-dM', '-E', *flags, '-'], input=head, check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    # Not those of all flags, which a new one changes, and not those of DPDK's.
    for n, value in re.findall(r'^#define ((?:RTE_COMCH|RTE_PMD_NET|DOCA)_[A-Z0-9_]+) (.+)$',
                               macros, re.M):
        if not n.endswith(('_ALL', '_STRING')) and not re.search(r'"|__attribute__|\b(do|for)\b|RTE_MBUF', value):
            lines.append('enum abi_%s { abi_value_of_%s = (%s) } abi_%s;' % (n, n, n, n))
    return head + '\n'.join(sorted(set(lines))) + '\n'


def probe(group, run, exported):
    """The interface of a group, as abidw has it."""
    prefix, patterns, not_these, include, flags = GROUPS[group]
    folder = '%s/%s' % (run, group)
    os.mkdir(folder)
    for path in [p for pattern in patterns for p in glob.glob(pattern)]:
        if not re.search(not_these, path):
            shutil.copy(path, folder)
    flags = flags + ['-I', folder] + output('pkg-config', '--cflags', 'libdpdk').split()
    text = probe_text(folder, include, flags,
                      [name for lib, _, name in exported if lib.startswith(prefix)])
    with open(folder + '.c', 'w', encoding='utf-8') as f:
        f.write(text)
    # without the name of the folder
    subprocess.run(['gcc', '-g', '-shared', '-fPIC', *flags, '-o', group + '.so', group + '.c'],
                   check=True, cwd=run, env=dict(os.environ, CCACHE_DISABLE='1'))
    return output('abidw', '--no-corpus-path', '--no-comp-dir-path', '--no-show-locs',
                  '--no-elf-needed', '--no-parameter-names', '--no-write-default-sizes',
                  '--type-id-style', 'hash', folder + '.so')


def renew(now):
    with open(RECORD, 'w', encoding='utf-8') as f:
        f.write('# SPDX-License-Identifier: BSD-3-Clause\n'
                '# Copyright(c) 2026 The dpdk-comch authors\n#\n'
                '# What programs and peers of a release rely on; written by\n'
                '# check-abi.py --renew. Beside it, as abidw writes it: types of headers.\n\n')
        f.write('release %(release)s\nabi %(abi)s\nmachine %(machine)s\n' % now)
        for name, of in now['formats'].items():
            f.write('format %s\t%s\n' % (name, ' '.join(of)))
        for symbol in sorted(now['symbols']):
            f.write('symbol %s %s %s\n' % symbol)
    print('recorded %s with ABI %s: commit devtools/abi' % (now['release'], now['abi']))


def recorded():
    then = {'formats': {}, 'symbols': set()}
    for line in read(RECORD).splitlines():
        word, _, rest = line.partition(' ')
        if word == 'symbol':
            then['symbols'].add(tuple(rest.split()))
        elif word == 'format':
            name, _, of = rest.partition('\t')
            then['formats'][name] = of.split()
        elif word in ('release', 'abi', 'machine'):
            then[word] = rest
    return then


def abidiff(group, run, text):
    """What abidiff says of a group."""
    paths = ['%s/%s-%s.abi' % (run, group, when) for when in ('then', 'now')]
    with lzma.open('devtools/abi/%s.abi.xz' % group, 'rt') as f:
        texts = [f.read(), text]
    for path, of in zip(paths, texts):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(of)
    done = subprocess.run(['abidiff', '--leaf-changes-only', '--no-added-syms',
                           '--suppressions', IGNORE, *paths], stdout=subprocess.PIPE, text=True)
    if done.returncode & 3:
        sys.exit('abidiff has failed')
    return done.stdout if done.returncode else ''


def judge_interface(now, then, report, notes):
    gone = then['symbols'] - now['symbols']
    names = {name for _, _, name in gone}
    names |= set(re.findall(r"\babi_(\w+)'", report))
    names |= set(re.findall(r"^'(?:struct|union|enum|typedef) (?:abi_)?(\w+)", report, re.M))
    names = {re.sub(r'^(struct|union|enum)_', '', n) for n in names}
    if not report and not names:
        return []
    print(re.sub(r'\babi_(value_of_)?', '', report), end='')
    for symbol in sorted(gone):
        print('%s exports no %s %s any more' % (symbol[0], symbol[1], symbol[2]))
    if now['abi'] == then['abi']:
        return ['programs built with %s break, and ABI_VERSION is %s as there: keep what they '
                'use, or raise ABI_VERSION and name the changes in the release notes; or say '
                'in %s why none breaks' % (then['release'], now['abi'], IGNORE)]
    told = re.search(r'^API Changes\n-+\n.*?(?=^[^\n]+\n-{3,}$|\Z)', notes, re.M | re.S)
    return ['ABI_VERSION is raised, and "API Changes" of the release notes does not name %s' % name
            for name in sorted(names)
            if told is None or not re.search(r'\b%s\b' % name, told.group())]


def judge_formats(now, then, notes):
    problems = []
    for name, (macro, version, digest) in now.items():
        old = then.get(name, [macro, '0', ''])
        if digest != old[2] and int(version) <= int(old[1]):
            problems.append('the format of %s has changed, and %s is still %s: raise it, or, if '
                            'both sides do the same as before, record it with '
                            '--renew-format %s' % (name, macro, version, name))
        if not re.search(r'``%s``[^"\n]*", "%s"' % (macro, version), notes):
            problems.append('the release notes do not have %s %s in their table of versions'
                            % (macro, version))
    return problems


def main():
    parser = argparse.ArgumentParser(
        usage='check-abi.py [--renew | --renew-format FORMAT] <build folder>')
    parser.add_argument('--renew', action='store_true')
    parser.add_argument('--renew-format', metavar='FORMAT')
    parser.add_argument('build')
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    os.chdir(TOP)
    now = {'release': read('VERSION').strip(), 'abi': read('ABI_VERSION').strip(),
           'machine': '%s with DPDK %s' % (platform.machine(), '.'.join(
               output('pkg-config', '--modversion', 'libdpdk').split('.')[:2])),
           'formats': formats(), 'symbols': symbols(build)}
    then = now if args.renew else recorded()
    # types of DPDK are in it, and the size of a line of the cache
    if now['machine'] != then['machine']:
        print('the record is of %s, and this is %s' % (then['machine'], now['machine']))
        return 77
    if args.renew_format:
        if args.renew_format not in now['formats']:
            parser.error('the formats are: ' + ', '.join(now['formats']))
        then['formats'][args.renew_format] = now['formats'][args.renew_format]
        renew(then)
        return 0
    if not shutil.which('abidiff'):
        sys.exit('abidiff is missing: devtools/setup.sh test')
    groups = [g for g in GROUPS if any(s[0].startswith(GROUPS[g][0]) for s in now['symbols'])]
    with tempfile.TemporaryDirectory() as run:
        interfaces = {g: probe(g, run, now['symbols']) for g in groups}
        if args.renew:
            if len(groups) < len(GROUPS):
                sys.exit('a record needs all libraries, and %s has only %s' % (build, groups))
            for group, text in interfaces.items():
                with lzma.open('devtools/abi/%s.abi.xz' % group, 'wt', preset=9) as f:
                    f.write(text)
            renew(now)
            return 0
        report = ''.join(abidiff(g, run, text) for g, text in interfaces.items())
    for g in set(GROUPS) - set(groups):
        print('check-abi: not compared, as the build has none: %s*' % GROUPS[g][0])
        then['symbols'] = {s for s in then['symbols'] if not s[0].startswith(GROUPS[g][0])}
    notes = 'doc/guides/rel_notes/release_%s_%s.rst' % tuple(now['release'].split('.')[:2])
    notes_text = read(notes)
    problems = judge_interface(now, then, report, notes_text)
    problems += judge_formats(now['formats'], then['formats'], notes_text)
    for problem in problems:
        print('check-abi: ' + problem)
    if problems:
        print('check-abi: the notes are %s, the rules %s; until %s is tagged, --renew records it '
              'anew' % (notes, RULES, then['release']))
        return 1
    print('check-abi: as %s with ABI %s; %u symbols were added' % (
        then['release'], then['abi'], len(now['symbols'] - then['symbols'])))
    return 0


if __name__ == '__main__':
    sys.exit(main())
