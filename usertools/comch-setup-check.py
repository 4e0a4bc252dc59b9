#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""Look at this machine for what keeps dpdk-comch from running well.

Each finding has its remedy. Nothing is changed. The exit status is 1 if something is wrong.
"""

import argparse
import os
import re
import stat
import sys

# Socket names of driver shm without path=.
ABSTRACT = '@dpdk-comch/'
MIN_FDS = 1024
MIN_LOCKED_MIB = 64
NVIDIA = '0x15b3'


class Machine:
    """Files of the kernel, below a root that tests set."""

    def __init__(self, root):
        self.root = root

    def path(self, path):
        return self.root + path

    def read(self, path, default=''):
        try:
            with open(self.path(path), encoding='utf-8', errors='replace') as file:
                return file.read().strip()
        except OSError:
            return default

    def list(self, path):
        try:
            return sorted(os.listdir(self.path(path)))
        except OSError:
            return []

    def link(self, path):
        try:
            return os.path.basename(os.readlink(self.path(path)))
        except OSError:
            return ''

    def limit(self, name):
        """The soft limit of a resource of this process; infinity if there is none."""
        found = re.search(rf'^{name} +(\S+)', self.read('/proc/self/limits'), re.M)
        if not found or found[1] == 'unlimited':
            return float('inf')
        return int(found[1])

    def functions(self):
        """PCI addresses of functions that a BlueField driver could own."""
        pci = '/sys/bus/pci/devices'
        return [a for a in self.list(pci)
                if self.read(f'{pci}/{a}/vendor') == NVIDIA
                and self.read(f'{pci}/{a}/class').startswith('0x0200')]


class Findings:
    def __init__(self):
        self.wrong = 0

    def good(self, what):
        print(f'ok     {what}')

    def bad(self, what, remedy):
        self.wrong += 1
        print(f'WRONG  {what}\n       {remedy}')

    def note(self, what):
        print(f'note   {what}')


def check_hugepages(machine, found):
    free = re.search(r'^HugePages_Free: *(\d+)', machine.read('/proc/meminfo'), re.M)
    remedy = 'dpdk-hugepages.py --setup 256M, or give EAL --no-huge -m 64'
    if free and int(free[1]) > 0:
        found.good(f'hugepages: {free[1]} are free')
    elif machine.functions():
        found.bad('hugepages: none is free', remedy)
    else:
        found.note(f'hugepages: none is free; {remedy}')


def check_limits(machine, found):
    fds = machine.limit('Max open files')
    if fds >= MIN_FDS:
        found.good(f'descriptors: {fds} (ulimit -n)')
    else:
        found.bad(f'descriptors: {fds} (ulimit -n), which is short for many clients',
                  f'ulimit -n {MIN_FDS}, or LimitNOFILE={MIN_FDS} in a systemd unit')
    locked = machine.limit('Max locked memory')
    if locked >= MIN_LOCKED_MIB << 20:
        found.good('locked memory: enough (ulimit -l)')
    elif not machine.functions():
        found.note(f'locked memory: {locked >> 10} KiB (ulimit -l); only a card needs more')
    else:
        found.bad(f'locked memory: {locked >> 10} KiB (ulimit -l), too little for VFIO',
                  'ulimit -l unlimited, or LimitMEMLOCK=infinity in a systemd unit')


def check_kernel(machine, found):
    if machine.read('/proc/sys/vm/memfd_noexec', '0') == '2':
        found.bad('vm.memfd_noexec is 2: processes of other users are not served by shm',
                  'sysctl vm.memfd_noexec=1')
    else:
        found.good('vm.memfd_noexec: other users can be served')
    if machine.read('/proc/sys/vm/overcommit_memory', '0') == '2':
        found.bad('vm.overcommit_memory is 2: consumers with regions of other users fail',
                  'sysctl vm.overcommit_memory=0, or use one user for both sides')
    else:
        found.good('vm.overcommit_memory: regions of other users can be mapped')


def check_path(path, found):
    """The folder of path=, and the functions that have a socket there."""
    try:
        info = os.stat(path)
    except OSError as e:
        found.bad(f'{path}: {e.strerror}', f'mkdir -p {path}, and give both sides this path=')
        return
    if not stat.S_ISDIR(info.st_mode):
        found.bad(f'{path}: not a folder', 'give path= a folder')
        return
    if not os.access(path, os.X_OK):
        found.bad(f'{path}: this user may not enter it',
                  f'chmod or chgrp it; it has owner {info.st_uid}, mode {info.st_mode & 0o7777:o}')
        return
    found.good(f'{path}: owner {info.st_uid}, mode {info.st_mode & 0o7777:o}')
    if not os.access(path, os.R_OK):
        found.note(f'{path}: this user may not see which functions have a socket')
        return
    sockets = [n for n in sorted(os.listdir(path))
               if stat.S_ISSOCK(os.lstat(os.path.join(path, n)).st_mode)]
    found.note(f'{path}: functions with a socket: {", ".join(sockets) or "none"}')
    for name in sockets:
        if not os.access(os.path.join(path, name), os.W_OK):
            found.bad(f'{path}/{name}: this user may not connect',
                      'start the card\'s side with uids= for it, see the guide of driver shm')


def check_served(machine, found):
    names = sorted({line.split()[-1][len(ABSTRACT):]
                    for line in machine.read('/proc/net/unix').split('\n')
                    if ABSTRACT in line})
    found.note('functions served without path=, <user>/<function>: ' +
               (', '.join(names) or 'none in this network namespace'))


def check_card(machine, address, found):
    driver = machine.link(f'/sys/bus/pci/devices/{address}/driver') or 'no driver'
    group = machine.link(f'/sys/bus/pci/devices/{address}/iommu_group')
    if not group:
        found.bad(f'{address}: in no IOMMU group',
                  'enable the IOMMU in the firmware, and boot with intel_iommu=on or amd_iommu=on')
    if driver != 'vfio-pci':
        found.bad(f'{address}: bound to {driver}',
                  f'dpdk-devbind.py --bind vfio-pci {address}, unless the kernel is to keep it')
        return
    node = f'/dev/vfio/{group}'
    if not os.access(machine.path(node), os.R_OK | os.W_OK):
        found.bad(f'{address}: this user may not open {node}',
                  f'chown it to the user, or run as root; a container takes --device {node}')
    elif group:
        found.good(f'{address}: bound to vfio-pci, and {node} can be opened')


def check_cards(machine, found):
    functions = machine.functions()
    if not functions:
        found.note('cards: no PCI function of NVIDIA networking; driver shm needs none')
        return
    if not machine.list('/sys/module/vfio_pci'):
        found.bad('vfio-pci is not loaded', 'modprobe vfio-pci')
    for address in functions:
        check_card(machine, address, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--path', help='the folder that both sides of driver shm are given')
    parser.add_argument('--root', default='', help=argparse.SUPPRESS)
    args = parser.parse_args()
    machine = Machine(args.root)
    found = Findings()
    check_hugepages(machine, found)
    check_limits(machine, found)
    check_kernel(machine, found)
    if args.path:
        check_path(args.path, found)
    check_served(machine, found)
    check_cards(machine, found)
    print(f'{found.wrong} wrong' if found.wrong else 'nothing is wrong')
    sys.exit(found.wrong != 0)


main()
