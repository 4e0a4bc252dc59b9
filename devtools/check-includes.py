#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-includes.py
#
# A C file that uses what a header of DPDK defines (a macro, a function, a type)
# includes that header, itself or through headers of ours. That another header of
# DPDK brings it along holds for one release only.
#
# Headers are those of the DPDK that is installed, and the driver headers of the tree.
# "struct rte_x" alone is no use: a pointer needs no more. So what only takes the size or
# a member of a structure is not seen. Nothing is compiled.
#
# Also, files of a layer reach no header of ours but those that LAYERS names, not even
# through others.

import collections
import glob
import os
import re
import subprocess
import sys

FOLDERS = ['lib', 'drivers', 'app/test', 'app/test-comch', 'app/fuzz', 'examples']

# Names without DPDK's prefix that count as well.
PLAIN = {'container_of', 'likely', 'unlikely', 'strlcat', 'strlcpy', 'LCORE_ID_ANY',
         'SOCKET_ID_ANY', 'PCI_PRI_FMT', 'PCI_PRI_STR_SIZE', 'MS_PER_S', 'US_PER_S', 'NS_PER_S'}

# What is part of other headers in all releases: those are to be included.
# "*": the flags of the compiler bring it.
PART_OF = {
    'dev_driver.h': {'bus_pci_driver.h', 'bus_vdev_driver.h'},
    'rte_build_config.h': {'*'},
    'rte_bus_pci.h': {'bus_pci_driver.h'},
    'rte_config.h': {'*'},
    'rte_mbuf_core.h': {'rte_mbuf.h'},
    'rte_os.h': {'rte_lcore.h', 'rte_thread.h'},
    'rte_pci.h': {'bus_pci_driver.h'},
    'rte_ring_core.h': {'rte_ring.h'},
}

# What a later release has in another header, which is there today as well.
MOVED = {
    'rte_bitops.h': re.compile(r'rte_(is_power_of_2|align(32|64)(pow2|prevpow2)'
                               r'|combine(32|64)ms1b|bsf(32|64)(_safe)?'
                               r'|(fls|log2)_u(32|64))$'),
}

# Files of a layer, the headers of ours that they may reach, and what the layer is.
LAYERS = [
    (re.compile(r'drivers/comch/bluefield/obj/\w+\.[ch]$'),
     re.compile(r'bluefield_(ceq|log|obj|obj_priv|prm|seam)\.h$'),
     'above the seam of objects (bluefield_seam.h)'),
    (re.compile(r'drivers/comch/bluefield/cm/bluefield_mad\.[ch]$'),
     re.compile(r'bluefield_mad\.h$'),
     'pure functions on messages'),
    (re.compile(r'drivers/comch/bluefield/cm/bluefield_cm(_\w+)?\.[ch]$'),
     re.compile(r'bluefield_(cm|cm_priv|lock|log|mad|obj|seam)\.h$'),
     'connection management, which knows no queue and no library'),
    (re.compile(r'app/test/bluefield/test_bluefield_seam_dev\.c$'),
     re.compile(r'(test_bluefield_seam|bluefield_(obj|prm|seam))\.h$'),
     'a back end without a device'),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
ATTRIBUTES = r'(?:__\w+(?:\([^)]*\))?\s+)*'


def code_of(text):
    """Comments away, strings empty; the lines stay."""
    def blank(match):
        found = match.group(0)
        return '\n' * found.count('\n') + ' ' if found[0] == '/' else '""'
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def names_of(header):
    """What a header of DPDK defines."""
    with open(header, errors='replace') as file:
        text = code_of(file.read())
    names = set(re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', text, re.M))
    text = DIRECTIVE.sub('', text).replace('extern "" {', '')
    names.update(re.findall(rf'\b(?:struct|enum|union)\s+{ATTRIBUTES}(rte_\w+)\s*\{{', text))
    for body in re.findall(r'\benum\b[^{;]*\{([^}]*)\}', text):
        names.update(re.findall(r'(?:^|,)\s*(RTE_\w+)', body))
    names.update(re.findall(r'(?:\}|typedef\s)[^;{}]*?\b(rte_\w+)\s*;', text))
    flat = None # the bodies of functions away, from the inside to the outside
    while flat != text:
        flat, text = text, re.sub(r'\{[^{}]*\}', ';', text)
    names.update(re.findall(r'\b(rte_\w+)\s*\(', flat))
    return {n for n in names if re.match(r'_*rte_|RTE_', n) or n in PLAIN}


def header_folders():
    flags = subprocess.check_output(['pkg-config', '--cflags-only-I', 'libdpdk'], text=True)
    folders = [f[2:] for f in flags.split()]
    return folders + [os.path.join(f, 'generic') for f in folders] + ['buildtools/dpdk/driver']


def layer_is_left(path, reached):
    """Says which headers of ours a file of a layer may not reach."""
    left = 0
    for files, headers, layer in LAYERS:
        for header in reached if files.match(path) else []:
            if not headers.match(os.path.basename(header)):
                print(f'{path}: is {layer}, and reaches {os.path.basename(header)}')
                left = 1
    return left


def main():
    if len(sys.argv) > 1:
        sys.exit('usage: check-includes.py')
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

    homes = collections.defaultdict(set) # name: headers
    for folder in header_folders():
        for header in glob.glob(folder + '/rte_*.h') + glob.glob(folder + '/*_driver.h'):
            for name in names_of(header):
                homes[name].add(os.path.basename(header))
    for header, moved in MOVED.items():
        for name in filter(moved.match, homes):
            homes[name] = {header}
    files = [os.path.join(d, f) for folder in FOLDERS for d, _, found in os.walk(folder)
             for f in found if f.endswith(('.c', '.h')) and '/build/' not in d]
    if not homes or not files:
        sys.exit('check-includes: no headers of DPDK, or no files here')
    text, includes = {}, {}
    for path in files:
        with open(path) as file:
            text[path] = file.read()
        includes[path] = {os.path.basename(i) for i in INCLUDE.findall(text[path])}
    for layer in LAYERS:
        if not any(map(layer[0].match, files)):
            sys.exit(f'check-includes: no file is {layer[2]}')
    ours = {os.path.basename(f): f for f in files if f.endswith('.h')}

    bad = 0
    for path in sorted(files):
        have, queue = set(), [path]
        for reached in queue:
            have |= includes[reached]
            queue += [ours[i] for i in includes[reached] if i in ours and ours[i] not in queue]
        bad |= layer_is_left(path, queue[1:])
        seen = set()
        for number, line in enumerate(code_of(text[path]).split('\n'), 1):
            for name in re.findall(r'(?<!struct )\b\w+', line):
                if name in seen or name not in homes or INCLUDE.match(line):
                    continue
                seen.add(name)
                good = homes[name].union(*(PART_OF.get(h, set()) for h in homes[name]))
                if not good & (have | {'*'}):
                    print(f'{path}:{number}: {name} is of {" or ".join(sorted(homes[name]))}, '
                          'which is not included')
                    bad = 1
    return bad


if __name__ == '__main__':
    sys.exit(main())
