#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""Messages of the kernel's connection manager, from a capture of the model.

usage: cm-vectors.py make <capture of test-cm-witness.sh> <capture of
         test-librdmacm-witness.sh> <kernel's version>
       cm-vectors.py compare <capture> <kernel's version>

"make" writes them into app/test/bluefield/test_bluefield_cm_linux.h. "compare" tells
whether a capture says the same: numbers that are new with each run do not count, nor how
often a message was repeated. It prints what differs, and then the status is 1.
"""

import re
import struct
import sys
from pathlib import Path

HEADER = Path(__file__).resolve().parents[2] / 'app/test/bluefield/test_bluefield_cm_linux.h'
NAMES = {0x10: 'REQ', 0x11: 'MRA', 0x12: 'REJ', 0x13: 'REP', 0x14: 'RTU', 0x15: 'DREQ',
         0x16: 'DREP', 0x17: 'SIDR_REQ', 0x18: 'SIDR_REP'}
ERF = 16
LRH = 8
GRH = 40
BTH_DETH = 20
MAD = 256
QP1 = 1
FIRST_OF = (0x10, 0x13, 0x14)
ETHERNET = 14
IP = {b'\x86\xdd': 40, b'\x08\x00': 20} # bytes of the header, by the type of the frame
UDP = 8
IP_CASE = 'ip'
# Which side of the kernel an interface is: of InfiniBand, and in test-librdmacm-witness.sh.
KERNEL = {False: {0: 'a', 1: 'p', 2: 'a'}, True: {0: 'a', 3: 'p'}}
# Its messages come between those of other cases.
NOBODY_CASE = 'used-up'
# Private data of a REQ and of a SIDR_REQ, behind two zeros: the name of the case.
WORDS = {0x10: 24 + 140 + 2, 0x17: 24 + 16 + 2}
# Numbers of one run: the transaction and both ids, then first byte and bytes by message.
# The kernel counts queue pairs from one number for each device: those that are named stay.
ONE_RUN = {0x10: ((44, 3),), 0x13: ((20, 3),)}
# Beside those, with addresses of IP: queue pairs, the port and what is made of it.
ONE_RUN_IP = {0x10: ((32, 3), (88, 3), (142, 2)), 0x13: ((12, 3),), 0x15: ((8, 3),)}
NO_SECOND_ID = (0x10, 0x17, 0x18)

TOP = '''/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of ib_cm and rdma_cm in Linux {version}, as InfiniBand ports of the model
 * exchanged them; and, as "ip", three messages of Linux to the driver over RoCE, of two
 * conversations. Written by devtools/qemu/cm-vectors.py from the captures of
 * devtools/qemu/test-cm-witness.sh and test-librdmacm-witness.sh: not to be edited. Bytes in
 * hexadecimal, without the zeros at the end; 'a' is the active side, 'p' the passive one.
 */

#ifndef TEST_BLUEFIELD_CM_LINUX_H
#define TEST_BLUEFIELD_CM_LINUX_H

#define CM_LINUX_VERSION "{version}"

static const struct cm_linux {{
	const char *scenario;
	char from;
	const char *mad;
}} cm_linux[] = {{
'''
END = '''};

#endif /* TEST_BLUEFIELD_CM_LINUX_H */
'''


def packets(path):
    """Interface and bytes of each packet in a pcapng file of this machine's byte order."""
    data = Path(path).read_bytes()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from('=II', data, at)
        if kind == 6:
            interface, _, _, size = struct.unpack_from('=IIII', data, at + 8)
            yield interface, data[at + 28:at + 28 + size]
        at += length


def captured(path):
    """Case, side and message of each of queue pair 1."""
    case = None
    for interface, frame in packets(path):
        ethernet = frame[12:14] in IP
        if ethernet:
            at = ETHERNET + IP[frame[12:14]] + UDP
        else:
            frame = frame[ERF:]
            at = LRH + (GRH if frame[1] & 3 == 3 else 0)
        to = int.from_bytes(frame[at + 5:at + 8], 'big')
        mad = frame[at + BTH_DETH:at + BTH_DETH + MAD]
        attr = int.from_bytes(mad[16:18], 'big')
        if to != QP1 or len(mad) != MAD or attr not in NAMES:
            sys.exit(f'cm-vectors: a packet that is no message of a connection manager: '
                     f'{frame.hex()}')
        if ethernet:
            of = case = IP_CASE
        elif attr in WORDS:
            of = mad[WORDS[attr]:].split(b'\0')[0].decode()
            case = case if of == NOBODY_CASE else of
        else:
            of = case
        if interface in KERNEL[ethernet]:
            yield of, KERNEL[ethernet][interface], mad


def first_ones(messages):
    """Of those with addresses of IP, the first of each kind that begins a connection."""
    seen = set()
    for case, side, mad in messages:
        attr = int.from_bytes(mad[16:18], 'big')
        if attr in FIRST_OF and attr not in seen:
            seen.add(attr)
            yield case, side, mad


def written():
    text = HEADER.read_text()
    version = re.search(r'CM_LINUX_VERSION "(.*)"', text).group(1)
    found = []
    for case, side, mad in re.findall(r'\{ "([\w-]+)", \'([ap])\',([^}]*)\}', text):
        raw = bytes.fromhex(''.join(re.findall(r'"([0-9a-f]*)"', mad)))
        found.append((case, side, raw.ljust(MAD, b'\0')))
    return version, found


def make(path, ip_path, version):
    with HEADER.open('w') as out:
        out.write(TOP.format(version=version))
        for case, side, mad in [*sorted(captured(path), key=lambda m: m[0] == NOBODY_CASE),
                                *first_ones(captured(ip_path))]:
            text = mad.rstrip(b'\0').hex()
            name = NAMES[int.from_bytes(mad[16:18], 'big')]
            out.write(f'\t{{ "{case}", \'{side}\', /* {name} */')
            for at in range(0, len(text), 80):
                out.write(f'\n\t\t"{text[at:at + 80]}"')
            out.write(' },\n')
        out.write(END)


def same_each_run(message):
    case, side, mad = message
    mad = bytearray(mad)
    attr = int.from_bytes(mad[16:18], 'big')
    hidden = [(-16, 8), (0, 4), *ONE_RUN.get(attr, ())]
    if case == IP_CASE:
        hidden += ONE_RUN_IP.get(attr, ())
    if attr not in NO_SECOND_ID:
        hidden.append((4, 4))
    for first, size in hidden:
        mad[24 + first:24 + first + size] = bytes(size)
    return case, side, NAMES[attr], bytes(mad)


def compare(path, version):
    of, wanted = written()
    if of.split('.')[:2] != version.split('.')[:2]:
        print(f'not compared: the file has messages of Linux {of}, this is {version}')
        return 0
    have = list(captured(path))
    wanted = {same_each_run(m) for m in wanted if (m[0] == IP_CASE) == (have[0][0] == IP_CASE)}
    have = {same_each_run(m) for m in (first_ones(have) if have[0][0] == IP_CASE else have)}
    for what, side in (('the kernel does not say', wanted - have),
                       ('is not in the file', have - wanted)):
        for case, who, name, mad in sorted(side):
            print(f'{what}: {case}, {who}, {name}: {mad.hex()}')
    print(f'{len(have & wanted)} of {len(wanted)} messages are as in the file')
    return 1 if have ^ wanted else 0


def main():
    does = {('make', 5): make, ('compare', 4): compare}.get((*sys.argv[1:2], len(sys.argv)))
    if does is None:
        sys.exit(__doc__.split('\n\n')[1])
    sys.exit(does(*sys.argv[2:]))


if __name__ == '__main__':
    main()
