# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""Files of packets, as DPDK's net_pcap reads and writes them."""

import struct


def write(path, packets):
    with open(path, 'wb') as file:
        file.write(struct.pack('<IHHIIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for data in packets:
            file.write(struct.pack('<IIII', 0, 0, len(data), len(data)) + data)


def read(path):
    with open(path, 'rb') as file:
        data = file.read()
    place = 24
    while place + 16 <= len(data):
        length = struct.unpack_from('<I', data, place + 8)[0]
        yield data[place + 16:place + 16 + length]
        place += 16 + length
