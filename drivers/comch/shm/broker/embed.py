#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""usage: embed.py FILE HEADER: the bytes of a file, as an initializer of an array."""

import sys

with open(sys.argv[1], 'rb') as source:
    data = source.read()
with open(sys.argv[2], 'w', encoding='ascii') as header:
    for i in range(0, len(data), 16):
        header.write(''.join(f'0x{byte:02x}, ' for byte in data[i:i + 16]).rstrip() + '\n')
