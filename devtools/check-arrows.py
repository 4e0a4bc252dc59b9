#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-arrows.py <build folder>
#
# Calls go one way. devtools/arrows.txt has the rooms, each with what is built of it and
# the rooms that it may use, and the files of a room from the bottom to the top: a file
# calls those of earlier lines. Files on one line call each other, and the line says why
# that stays. Folders of one target are rooms of their own, and use those that come before
# them. What a file calls is in the objects of a build.

import collections
import os
import pathlib
import re
import subprocess
import sys

TABLE = 'devtools/arrows.txt'
# Not with every DPDK: see buildtools/dpdk/meson.build.
OPTIONAL = ('drivers/net/comch', 'app/test/net')
ROOM = re.compile(r'room (\S+) (\S+):((?: \S+)*)$')


def read_table(text):
    """{room: (what is built of it, rooms it may use, [(files, reason)])}"""
    rooms = {}
    for line in text.split('\n'):
        line, _, reason = line.partition('#')
        match = ROOM.match(line.strip())
        if match:
            lines = []
            rooms[match.group(1)] = (match.group(2), match.group(3).split(), lines)
        elif line.strip():
            lines.append((line.split(), reason.strip()))
    return rooms


def room_of(path, rooms):
    """The room of a source file: of its folder, or of the nearest one above."""
    return next((str(p) for p in path.parents if str(p) in rooms), None)


def may_use(rooms, room, other):
    """May a room use another one: by its list, or as one before it in the same target?"""
    names = list(rooms)
    return (any(other == use or other.startswith(f'{use}/') for use in rooms[room][1]) or
            (rooms[room][0] == rooms[other][0] and names.index(other) < names.index(room)))


def symbols(build, rooms):
    """{(room, file): (what it defines, what it uses)}"""
    found = {}
    for room, (target, _, _) in rooms.items():
        files = {p.stem for p in pathlib.Path(room).rglob('*.c') if room_of(p, rooms) == room}
        for path in sorted(p for folder in ('lib', 'drivers', 'app', 'buildtools', 'examples')
                           for p in pathlib.Path(build, folder).rglob(f'{target}.p/*.c.o')):
            # the name of an object has the folder's in it
            fits = [f for f in files if ('_' + path.name).endswith(f'_{f}.c.o')]
            if not fits:
                continue
            out = subprocess.run(['nm', '-P', path], capture_output=True, text=True,
                                 check=True).stdout
            kinds = [line.split()[:2] for line in out.splitlines()]
            found[room, max(fits, key=len)] = ({s for s, k in kinds if k in 'BCDRTVW'},
                                               {s for s, k in kinds if k == 'U'})
    return found


def edges_of(found):
    """{(room, file): set of (room, file) that it calls}"""
    where = collections.defaultdict(set)
    for place, (defined, _) in found.items():
        for symbol in defined:
            where[symbol].add(place)
    edges = collections.defaultdict(set)
    for place, (_, used) in found.items():
        for symbol in used:
            # one name in several programs says nothing
            if len(where[symbol]) == 1:
                edges[place] |= where[symbol] - {place}
    return edges


def check(rooms, found, edges):
    errors = []
    rank = {}
    built = {room for room, _ in found}
    for room, (_, _, lines) in rooms.items():
        if room in OPTIONAL and room not in built:
            print(f'{room}: not in this build')
            continue
        for nr, (files, reason) in enumerate(lines):
            if len(files) > 1 and not reason:
                errors.append(f'{room}: no reason for the circle of {files[0]}')
            for name in files:
                rank[room, name] = nr
                if (room, name) not in found:
                    errors.append(f'{room}/{name}.c: listed, but not built here')
    for room, name in sorted(found):
        if (room, name) not in rank:
            errors.append(f'{room}/{name}.c: not listed in {TABLE}')
    for place in sorted(edges):
        for other in sorted(edges[place]):
            if place[0] != other[0]:
                if not may_use(rooms, place[0], other[0]):
                    errors.append(f'{"/".join(place)}.c calls {"/".join(other)}.c: '
                                  f'{place[0]} may not use {other[0]}')
            elif rank.get(other, -1) > rank.get(place, -1):
                errors.append(f'{place[0]}: {place[1]}.c calls {other[1]}.c, which is above it')
    return errors


def main():
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if len(sys.argv) != 2 or sys.argv[1].startswith('-'):
        sys.exit('usage: check-arrows.py <build folder>')
    with open(TABLE, encoding='utf-8') as file:
        rooms = read_table(file.read())
    found = symbols(sys.argv[1], rooms)
    errors = check(rooms, found, edges_of(found))
    for error in errors:
        print(f'check-arrows: {error}', file=sys.stderr)
    circle = [len(files) for _, _, lines in rooms.values() for files, _ in lines if len(files) > 1]
    print(f'{len(found)} files, {len(circle)} circles of {sum(circle)} files')
    sys.exit(1 if errors else 0)


main()
