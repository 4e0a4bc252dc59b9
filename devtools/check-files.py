#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-files.py
#
# What holds for each file of the tree: its licence and copyright line, its area of
# MAINTAINERS, no header that is included twice, and words that may not stand in a folder,
# each with its reason. C code is looked at without its comments. A line that must be an
# exception says "check-ok: <why>" in a comment. A long file is a warning only.

import fnmatch
import os
import re
import subprocess
import sys

LONG = 800
# They cannot hold a comment.
NO_LICENCE = re.compile(r'(VERSION|ABI_VERSION|LICENSES/.*|app/fuzz/corpus/.*|.*\.(svg|png|json|xz)|'
                        r'debian/(changelog|control|copyright|source/.*|tests/control|[^/]*\.(doc-base\.[a-z]*|'
                        r'install|lintian-overrides|service|symbols|sysusers|tmpfiles)))')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]*)[>"]', re.M)
# A comment of C, or a string, in which none begins.
COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)

PARTS = 'lib/|drivers/'
ALL = 'lib/|drivers/|app/|examples/'
# folders, pattern, reason
CODE = [
    (PARTS, r'(^|[^a-z_])(v?printf|puts|putchar|perror) *\(',
     'libraries log with rte_log, they do not print'),
    (PARTS, r'(^|[^a-z_])(v?fprintf|fputs|fputc) *\([^,]*std(out|err)|std(out|err) *\)',
     'libraries log with rte_log, they do not print'),
    (PARTS, r'(^|[^a-z_])(rte_panic|rte_exit|exit|_exit|abort) *\(',
     'a library never ends its program'),
    (PARTS, r'(^|[^a-zA-Z_])(assert|RTE_ASSERT|RTE_VERIFY) *\(',
     'input is checked and refused, not asserted'),
    (r'drivers/comch/shm/(dpa/)?shm_(wire|entry|dpa_wire|msgq_wire)\.h',
     r'(lock|mutex|sem)_t\b|^\t+[a-z][a-z0-9_ ]*\*+ *(const )?[a-z_0-9]+(\[.*\])?;',
     'shared memory has no locks and no pointers'),
    (PARTS, r'(^|[^a-z_])pthread_[a-z_]+ *\(', 'threads and locks come from EAL'),
    (PARTS, '__attribute__', 'use the __rte_* macros'),
    (PARTS, '__typeof__', 'use typeof'),
    (PARTS, r'#\s*pragma', 'no compiler pragmas'),
    (PARTS, r'RTE_LOG_REGISTER *\(', 'use RTE_LOG_REGISTER_DEFAULT or _SUFFIX'),
    (PARTS, r'%[0-9.]*l?l[dux]\b', 'use PRIu64 and its family'),
    (ALL, r'__sync_[a-z_]+ *\(', 'use __atomic_* with an explicit order'),
    (ALL, r'rte_smp_[a-z]*mb *\(', 'use rte_atomic_thread_fence with an explicit order'),
    (ALL, r'rte_atomic(16|32|64)_', 'use __atomic_* with an explicit order'),
    (ALL, r'RTE_VERSION|RTE_VER_[A-Z]+',
     'what differs between releases of DPDK is in buildtools/dpdk/dpdk_release.h'),
    ('app/|examples/|lib/doca',
     r'#include *[<"](dev_driver|bus_[a-z]*_?driver|rte_comch_pmd|comch_private)\.h',
     'applications use public headers only'),
    ('drivers/comch/bluefield/obj/', r'BF_REG_|iova|virt2phy|hw->|->hw\b',
     'above the seam of objects there are no registers and no addresses of the device'),
    ('lib/', r'#include *[<"].*(shm|bluefield)', 'the library names no driver'),
]
# In every text; written so that they do not match this file.
TEXT = [
    (r'\b(TO[D]O|FIX[M]E|XX[X])\b', 'finish it, or write it down where users see it'),
    (r'(/wor[k]/|/hom[e]/|/roo[t]/|bash_job[s]|/tmp/re[f]/)', 'no paths of one machine'),
    (r'((deb|security|snapshot)\.debia[n]\.org|pyp[i]\.org|pythonhoste[d]\.org|npmj[s]\.)',
     'no package registries: take what the machine is set up with'),
]


def tree_files():
    """As the function of that name in tree-files.sh."""
    out = subprocess.check_output(['bash', '-c', '. devtools/tree-files.sh; tree_files "*"; '
                                   'printf "%s\\n" "${files[@]}"'], text=True)
    return out.splitlines()


def without_comments(text):
    """The same lines; of a comment only the ends of its lines stay."""
    return COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else '\n' * m[0].count('\n'), text)


def check_words(path, text):
    lines = text.split('\n')
    code = []
    if path.endswith(('.c', '.h')):
        code = without_comments(text).split('\n')
    for where, rows in ((lines, [('', *row) for row in TEXT]), (code, CODE)):
        for folders, pattern, reason in rows:
            if not re.match(folders, path) or not re.search(pattern, '\n'.join(where), re.M):
                continue
            for nr, line in enumerate(where):
                if re.search(pattern, line) and 'check-ok: ' not in lines[nr]:
                    yield f'{path}:{nr + 1}:{lines[nr]}\n\t{reason}'


def check(path, text):
    head = '\n'.join(text.split('\n')[:8])
    # Test equipment that is loaded into QEMU has QEMU's licence.
    licence = '(BSD-3-Clause|GPL-2.0-or-later)' if path.startswith('devtools/qemu/') else \
        'BSD-3-Clause'
    if text and not NO_LICENCE.fullmatch(path):
        if not re.search(f'SPDX-License-Identifier: {licence}', head):
            yield f'{path}: no SPDX-License-Identifier: BSD-3-Clause in its first lines'
        elif not re.search(r'Copyright\(c\) [0-9]{4}', head):
            yield f'{path}: no copyright line in its first lines'
    if path.endswith(('.c', '.h')):
        names = INCLUDE.findall(text)
        for name in sorted({n for n in names if names.count(n) > 1}):
            yield f'{path}: included twice: {name}'
    yield from check_words(path, text)


def check_areas(files):
    with open('MAINTAINERS', encoding='utf-8') as f:
        areas = re.findall(r'^F: *(.*)', f.read(), re.M)
    areas = {a: fnmatch.filter(files, a + '*' if a.endswith('/') else a) for a in areas}
    yield from (f'MAINTAINERS: F: {a} matches nothing' for a, found in areas.items() if not found)
    for path in sorted(set(files).difference(*areas.values())):
        yield f'{path}: in no area of MAINTAINERS'


def check_packages():
    """Debian's packages have the numbers of the release."""
    numbers = [open(path, encoding='utf-8').read().strip() for path in ('VERSION', 'ABI_VERSION')]
    for path, text in (('debian/changelog', 'dpdk-comch (%s)' % numbers[0]),
                       ('debian/control', 'Package: librte-comch%s\n' % numbers[1])):
        with open(path, encoding='utf-8') as f:
            if text not in f.read():
                yield f'{path}: no "{text.strip()}", as VERSION or ABI_VERSION has it'


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    files = tree_files()
    wrong = [*check_areas(files), *check_packages()]
    for path in files:
        try:
            with open(path, encoding='utf-8') as f:
                text = f.read()
        except UnicodeDecodeError:
            continue
        wrong += check(path, text)
        nb = text.count('\n')
        if nb > LONG and path.endswith(('.c', '.h', '.py', '.sh')):
            print(f'warning: {path}: {nb} lines, does it still hold one thing?')
    print('\n'.join(wrong), end='\n' if wrong else '')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
