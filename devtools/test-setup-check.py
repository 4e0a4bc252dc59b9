#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""Runs comch-setup-check.py on a made-up machine with a card, where one thing after the other
is wrong: it has to find that one, with its remedy, and nothing else."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../usertools/comch-setup-check.py')
CARD = '/sys/bus/pci/devices/0000:03:00.0'
GOOD = {
    '/proc/meminfo': 'HugePages_Free:      128\n',
    '/proc/self/limits': 'Max open files            4096   4096   files\n'
                         'Max locked memory         unlimited  unlimited  bytes\n',
    '/proc/sys/vm/memfd_noexec': '0\n',
    '/proc/sys/vm/overcommit_memory': '0\n',
    '/proc/net/unix': 'Num RefCount\n0: 2 0 10000 1 1 7 @dpdk-comch/1000/pf0\n',
    '/dev/vfio/12': '',
    '/sys/module/vfio_pci/refcnt': '1\n',
    f'{CARD}/vendor': '0x15b3\n',
    f'{CARD}/class': '0x020000\n',
}
LINKS = {f'{CARD}/driver': 'vfio-pci', f'{CARD}/iommu_group': '12'}


def write(root, path, text):
    os.makedirs(os.path.dirname(root + path), exist_ok=True)
    with open(root + path, 'w', encoding='utf-8') as file:
        file.write(text)


def link(root, path, name):
    if os.path.islink(root + path):
        os.remove(root + path)
    if name:
        os.symlink(f'../{name}', root + path)


def machine(root):
    for path, text in GOOD.items():
        write(root, path, text)
    for path, name in LINKS.items():
        link(root, path, name)


def run(root, *options, before=()):
    result = subprocess.run([*before, TOOL, '--root', root, *options], capture_output=True,
                            text=True, check=False)
    return result.returncode, result.stdout + result.stderr


# What is broken, and what has to be said.
WRONG = [
    (lambda r: write(r, '/proc/meminfo', 'HugePages_Free: 0\n'), 'dpdk-hugepages.py --setup'),
    (lambda r: write(r, '/proc/self/limits', GOOD['/proc/self/limits'].replace('4096', '256')),
     'ulimit -n 1024'),
    (lambda r: write(r, '/proc/self/limits',
                     GOOD['/proc/self/limits'].replace('unlimited', '65536')),
     'LimitMEMLOCK=infinity'),
    (lambda r: write(r, '/proc/sys/vm/memfd_noexec', '2\n'), 'sysctl vm.memfd_noexec=1'),
    (lambda r: write(r, '/proc/sys/vm/overcommit_memory', '2\n'),
     'sysctl vm.overcommit_memory=0'),
    (lambda r: link(r, f'{CARD}/driver', 'mlx5_core'), '--bind vfio-pci 0000:03:00.0'),
    (lambda r: shutil.rmtree(r + '/sys/module'), 'modprobe vfio-pci'),
    (lambda r: os.remove(r + '/dev/vfio/12'), '--device /dev/vfio/12'),
]


def main():
    failed = 0
    for nr, (break_it, want) in enumerate([(lambda r: None, 'nothing is wrong')] + WRONG):
        root = tempfile.mkdtemp()
        machine(root)
        break_it(root)
        status, text = run(root)
        if status != (nr != 0) or want not in text or text.count('WRONG') != (nr != 0) or \
                '1000/pf0' not in text:
            print(f'not found as it should be: {want}\n{text}')
            failed += 1
        shutil.rmtree(root)
    root = tempfile.mkdtemp()
    machine(root)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.bind(f'{root}/pf1')
        status, text = run(root, '--path', root)
        failed += status != 0 or 'functions with a socket: pf1' not in text
        # one who may enter the folder, and not list it: root lists all that it has the rights for
        os.chmod(root, 0o311)
        plain = ['setpriv', '--bounding-set', '-all'] if os.geteuid() == 0 else []
        status, text = run(root, '--path', root, before=plain)
        failed += status != 0 or 'may not see which functions' not in text
        os.chmod(root, 0o700)
    status, text = run(root, '--path', f'{root}/none')
    failed += status != 1 or f'mkdir -p {root}/none' not in text
    shutil.rmtree(root)
    print(f'{len(WRONG) + 4 - failed} passed, {failed} failed')
    sys.exit(failed != 0)


main()
