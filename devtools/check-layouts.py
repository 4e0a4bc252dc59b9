#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-layouts.py <compiler> <flag of it>...
#
# Compares how this machine's compiler and another one lay out the structures of the formats
# between processes: those of arm64 have cache lines of 128 bytes in DPDK, those of x86-64 of 64.
# The headers are those of check-abi.py. Flags are of the other compiler; this machine's gets
# those that are not "-isystem", "-march" or "-m...".

import importlib.util
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def headers():
    spec = importlib.util.spec_from_file_location('check_abi', TOP + '/devtools/check-abi.py')
    check_abi = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check_abi)
    return sorted({h for form in check_abi.FORMATS for h in form[2]})


def debug_info(compiler, flags, text):
    with tempfile.TemporaryDirectory() as folder:
        obj = folder + '/layouts.o'
        subprocess.run([compiler, *flags, '-g', '-gdwarf-4', '-fno-eliminate-unused-debug-types',
                        '-xc', '-c', '-o', obj, '-'], input=text, text=True, check=True, cwd=TOP)
        return subprocess.run(['readelf', '--debug-dump=info', '--wide', obj], check=True,
                              stdout=subprocess.PIPE, text=True).stdout


def layouts(dump, names):
    """Of the structures of these names: {structure: [its size, its members and their places]}"""
    found = {}
    entries = re.split(r'\n <(\w+)><\w+>: Abbrev Number: ', dump)
    struct, depth = None, 0
    for level, entry in zip(entries[1::2], entries[2::2]):
        level = int(level, 16)
        tag = re.search(r'\(DW_TAG_(\w+)\)', entry)
        name = re.search(r'DW_AT_name\s*:(?: \([^)]*\):?)* (\S+)', entry)
        size = re.search(r'DW_AT_byte_size\s*:(?: \(\w+\))? (\w+)', entry)
        place = re.search(r'DW_AT_data_member_location\s*:(?: \(\w+\))? (\w+)', entry)
        tag, name = tag and tag[1], name and name[1]
        if tag in ('structure_type', 'union_type'):
            # those without a name are compared by what comes behind them in others
            if struct is None or level <= depth or name in names:
                struct, depth = (name, level) if name in names and size else (None, 0)
            if struct:
                found.setdefault(struct, []).append('%s of %s bytes' % (name, size[1]))
        elif tag == 'member' and struct and level > depth:
            found[struct].append('%s at %s' % (name, place[1] if place else 0))
        elif level <= depth:
            struct, depth = None, 0
    return found


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit('usage: check-layouts.py <compiler> <flag of it>...')
    flags, own, skip = sys.argv[2:], [], False
    for flag in flags:
        if not skip and flag != '-isystem' and not flag.startswith('-m'):
            own.append(flag)
        skip = flag == '-isystem'
    own += subprocess.run(['pkg-config', '--cflags', 'libdpdk'], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.split()
    texts = [open(TOP + '/' + h, encoding='utf-8').read() for h in headers()]
    names = set(re.findall(r'^(?:struct|union) (\w+) \{', '\n'.join(texts), re.M))
    text = ''.join('#include "%s"\n' % h for h in ['rte_common.h'] + headers())
    one = layouts(debug_info('cc', own, text), names)
    other = layouts(debug_info(sys.argv[1], flags, text), names)
    missing = sorted(names - one.keys())
    problems = ['not compiled: ' + ' '.join(missing)] if missing or not names else []
    problems += ['%s: %s here, %s there' % (n, '; '.join(one[n]), '; '.join(other.get(n, [])))
                 for n in sorted(one) if one[n] != other.get(n)]
    for problem in problems:
        print(problem)
    print('%d structures with %d members compared, %d differ' % (
        len(one), sum(map(len, one.values())) - len(one), len(problems)))
    return 1 if problems else 0


sys.exit(main())
