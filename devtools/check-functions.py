#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-functions.py [--list]
#
# Fails for a C function over 60 lines that devtools/long-functions.txt does not list,
# for one listed there that is short or gone, and for a line over 100 columns. A text
# in quotes may go beyond: it stays in one piece, so that people find it.
#
# --list only prints the functions over 60 lines. Nothing is compiled: a function begins
# with an opening brace alone in the first column, as everywhere in this tree, and ends with
# the closing one; both braces count.

import os
import re
import subprocess
import sys

LIMIT = 60
COLUMNS = 100
TAB = 8
FOLDERS = ['lib', 'drivers', 'app', 'examples']
REASONS = 'devtools/long-functions.txt'

# The name before the arguments: of "int\nname(int a,\n\t\tint b)\n{".
NAME = re.compile(r'^(?:.*?[\s*])?(\w+)\(')
TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
# A macro that goes on with the text, and what closes the call.
AFTER_TEXT = re.compile(r'(?:\s+[A-Z][A-Z0-9_]*)?[\s),;{}\\]*')
# A macro between two parts of a text.
FORMAT_MACRO = re.compile(r'\s+[A-Z][A-Za-z0-9_]*\s+')


def tree_files(top):
    patterns = [f'{folder}/*.{end}' for folder in FOLDERS for end in 'ch']
    try:
        out = subprocess.run(['git', '-C', top, 'ls-files', '-co', '--exclude-standard', '--'] +
                             patterns, capture_output=True, text=True, check=True).stdout
        files = out.split('\n')
    except (OSError, subprocess.CalledProcessError):
        files = [os.path.relpath(os.path.join(d, f), top) for folder in FOLDERS
                 for d, _, names in os.walk(os.path.join(top, folder))
                 for f in names if f.endswith(('.c', '.h'))]
    files = sorted(f for f in set(files) if f and os.path.isfile(os.path.join(top, f)))
    if not files:
        sys.exit('there are no C files here')
    return files


def functions(lines):
    """(name, first line, number of lines) of each function body, braces included."""
    begin = None
    for nr, line in enumerate(lines):
        if line == '{' and begin is None:
            begin = nr
        elif begin is not None and line == '}':
            yield name_before(lines, begin), begin + 1, nr - begin + 1
            begin = None


def name_before(lines, brace):
    """The last line above that begins in the first column and has a call's bracket."""
    for nr in range(brace - 1, max(brace - 15, -1), -1):
        match = NAME.match(lines[nr])
        if match and not lines[nr][0].isspace():
            return match.group(1)
    return f'line {brace + 1}'


def columns(line):
    return len(line.expandtabs(TAB))


def too_long(line):
    """Over the limit by more than a text in quotes that is in one piece.

    A macro with a part of the format, such as PRIu64, is in the middle of the text.
    """
    if columns(line) <= COLUMNS:
        return False
    texts = list(TEXT.finditer(line))
    if not texts:
        return True
    first = len(texts) - 1
    while first > 0 and FORMAT_MACRO.fullmatch(line[texts[first - 1].end():texts[first].start()]):
        first -= 1
    # what stands before the last text has to fit; what closes it may follow
    return columns(line[:texts[first].start()]) > COLUMNS or \
        AFTER_TEXT.fullmatch(line[texts[-1].end():]) is None


def read_reasons(path):
    """{(file, function): (line number, reason)} and what is wrong with the list."""
    reasons, errors = {}, []
    with open(path, encoding='utf-8') as f:
        for nr, line in enumerate(f, 1):
            if not line.strip() or line.startswith('#'):
                continue
            place, _, reason = line.rstrip('\n').partition(': ')
            file, _, name = place.partition(' ')
            if not name or not reason.strip():
                errors.append(f'{REASONS}:{nr}: a line is "<file> <function>: <reason>"')
            elif (file, name) in reasons:
                errors.append(f'{REASONS}:{nr}: {file} {name} is there twice')
            else:
                reasons[file, name] = nr, reason
    return reasons, errors


def check(top):
    """The functions over the limit, and all that is wrong."""
    errors, found = [], {}
    for file in tree_files(top):
        with open(os.path.join(top, file), encoding='utf-8') as f:
            lines = f.read().split('\n')
        for name, begin, size in functions(lines):
            if size > LIMIT:
                found[file, name] = begin, size
        errors += [f'{file}:{nr}: {columns(line)} columns, at most {COLUMNS}'
                   for nr, line in enumerate(lines, 1) if too_long(line)]
    reasons, wrong = read_reasons(os.path.join(top, REASONS))
    errors += wrong
    for (file, name), (begin, size) in found.items():
        if (file, name) not in reasons:
            errors.append(f'{file}:{begin}: {name}() has {size} lines, at most {LIMIT}: '
                          f'split it, or give the reason in {REASONS}')
    for (file, name), (nr, _) in reasons.items():
        if (file, name) not in found:
            errors.append(f'{REASONS}:{nr}: {name}() of {file} is short or gone: '
                          'take it off the list')
    return found, errors


def main():
    if sys.argv[1:] not in ([], ['--list']):
        sys.exit('usage: check-functions.py [--list]')
    found, errors = check(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    if sys.argv[1:] == ['--list']:
        for (file, name), (begin, size) in found.items():
            print(f'{file}:{begin}: {name}() has {size} lines')
        return 0
    if errors:
        print('\n'.join(errors))
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
