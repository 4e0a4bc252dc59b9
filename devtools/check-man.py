#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-man.py <build folder>
#
# Each program that the build installs has a manual page, and each page of a program has its
# program. A page has the options of --help and no other, and the same for settings and tests.
# man finds nothing wrong with any page. Nothing is installed.

import json
import os
import re
import subprocess
import sys

OPTION = r'--?[A-Za-z][\w-]*'


def help_words(text):
    """Options at the begin of lines and in the usage; settings and tests; options anywhere."""
    usage = re.split(r'\n\s*\n', text)[0]
    must = set(re.findall(rf'(?<![\w=/-]){OPTION}', usage))
    words = set()
    for line in text.splitlines():
        begin = re.match(rf' {{1,7}}({OPTION}.*?)(?:  |$)', line)
        if begin:
            must |= set(re.findall(rf'(?<!\S){OPTION}', begin[1]))
        words |= set(re.findall(r'^ +([a-z][\w-]*)(?:=| {3})', line))
    return must, words, set(re.findall(rf'(?<![\w/-]){OPTION}', text))


def page_words(text):
    options, words = set(), set()
    for item in re.findall(r'^\.It (.*)', text, re.M):
        options |= {'-' + flag for flag in re.findall(r'\bFl (\S+)', item)}
        words |= set(re.findall(r'^Cm ([\w-]+)', item))
    return options, words


def check_words(name, program, page):
    text = subprocess.run([program, '--help'], check=True, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE).stdout
    must, words, known = help_words(text)
    with open(page, encoding='utf-8') as f:
        options, page_names = page_words(f.read())
    # that it was asked for goes without saying
    known |= {'-h', '--help'}
    for what, missing in (('has no', must - options), ('has no', words - page_names),
                          ('alone has', options - known), ('alone has', page_names - words)):
        if missing:
            yield f'{page}: {what}: {" ".join(sorted(missing))}; see {name} --help'


def check_page(page):
    out = subprocess.run(['man', '--warnings', '-l', page], text=True, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    if out.stderr or out.returncode != 0:
        yield f'{page}: man: {out.stderr.strip()}'


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: check-man.py <build folder>')
    installed = json.loads(subprocess.check_output(
        ['meson', 'introspect', '--installed', sys.argv[1]]))
    programs, pages = {}, {}
    for path, place in installed.items():
        folder, name = os.path.split(place)
        if os.path.basename(folder) in ('bin', 'sbin'):
            programs[name] = path
        elif re.fullmatch(r'man\d', os.path.basename(folder)):
            pages[name] = path
    wrong = [] if programs else ['no program is installed: not a build folder of this tree?']
    of_program = {name.rsplit('.', 1)[0]: path for name, path in pages.items() if name[-1] != '7'}
    wrong += [f'{name}: no manual page' for name in programs.keys() - of_program.keys()]
    wrong += [f'{of_program[name]}: no such program' for name in of_program.keys() - programs.keys()]
    for name in sorted(programs.keys() & of_program.keys()):
        wrong += check_words(name, programs[name], of_program[name])
    for page in sorted(pages.values()):
        wrong += check_page(page)
    print('\n'.join(wrong) if wrong else f'{len(pages)} pages of {len(programs)} programs')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
