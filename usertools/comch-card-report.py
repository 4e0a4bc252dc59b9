#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""Bring a BlueField function up step by step, and write a report that can be sent.

The driver does the work: dpdk-test-comch is started on the function with the
driver's device argument report=, in a process of its own with a time limit. This
script adds what the system says, and ends the file with the first surprise.
"""

import argparse
import glob
import os
import platform
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

FORMAT = 1
VENDOR = '0x15b3'
PROGRAM = 'dpdk-test-comch'
DRIVER = 'COMCH_BLUEFIELD: '
PCI_ADDRESS = re.compile(r'^(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$')
# Words of the kernel's command line that decide whether VFIO works.
BOOT_WORDS = re.compile(r'^(?:[a-z_]*iommu[a-z_.]*|vfio[a-z_.-]*|hugepages[a-z]*|pci|'
                        r'arm-smmu[a-z_.0-9-]*|lockdown|default_hugepagesz)(?:=|$)')
MAC = re.compile(r'\b([0-9a-fA-F]{2}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})(?::[0-9a-fA-F]{2}){3}\b')
# Seconds to end after a signal.
PATIENCE = 5

LEFT_OUT = """\
Left out: names of host and user, serial numbers, addresses of memory, the kernel's
command line but for words about IOMMU, VFIO, PCI and huge pages, and of MAC addresses
and GIDs all but the first bytes, which name the maker. Please look through the rest
before you send it."""

EXAMPLES = """\
examples:
  %(prog)s 0000:03:00.2 -o report.txt
  %(prog)s --vdev socket=build/bf/pf0.sock
"""


def read(path, default='unknown'):
    """The text of a small file of the system, or why there is none."""
    try:
        with open(path, 'rb') as f:
            return f.read(4096).decode('utf-8', 'replace').strip()
    except OSError as e:
        return f'{default} ({e.strerror})'


def link_name(path):
    try:
        return os.path.basename(os.readlink(path))
    except OSError:
        return 'none'


class Report:
    """Sections of lines "key: value"; nothing in them names a machine or a person."""

    def __init__(self):
        self.lines = []
        names = {socket.gethostname(), socket.gethostname().split('.')[0],
                 os.environ.get('USER', ''), os.environ.get('SUDO_USER', '')}
        # short names and those of the system are words of the report as well
        self.names = [n for n in names if len(n) > 3 and n not in ('root', 'localhost')]

    def clean(self, text):
        text = MAC.sub(r'\1:..', text)
        text = re.sub(r'/(home|Users)/[^/\s]+', r'/\1/..', text)
        for name in self.names:
            text = re.sub(rf'\b{re.escape(name)}\b', '..', text)
        return ''.join(c if c.isprintable() else ' ' for c in text)

    def text(self, line=''):
        self.lines.append(self.clean(line))

    def section(self, name):
        self.text()
        self.text(f'[{name}]')

    def say(self, key, value):
        self.text(f'{key}: {value}')


def say_memory(report):
    for line in read('/proc/meminfo').splitlines():
        if line.startswith(('HugePages_Total', 'HugePages_Free', 'Hugepagesize')):
            key, value = line.split(':', 1)
            report.say(key.lower().replace('_', ' '), value.strip())
    soft, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    report.say('locked memory limit', ', '.join(
        'unlimited' if v == resource.RLIM_INFINITY else f'{v // 1024} KiB'
        for v in (soft, hard)))


def secure_boot():
    for path in glob.glob('/sys/firmware/efi/efivars/SecureBoot-*'):
        try:
            with open(path, 'rb') as f:
                return 'on' if f.read(5)[4:] == b'\1' else 'off'
        except OSError as e:
            return f'unknown ({e.strerror})'
    return 'no such variable'


def say_system(report):
    report.section('system')
    report.say('kernel', f'{platform.system()} {platform.release()} {platform.machine()}')
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', read('/etc/os-release'), re.M))
    report.say('system', release.get('PRETTY_NAME', 'unknown'))
    report.say('page size', os.sysconf('SC_PAGE_SIZE'))
    report.say('user', 'root' if os.geteuid() == 0 else 'not root')
    report.say('boot words', ' '.join(w for w in read('/proc/cmdline').split()
                                      if BOOT_WORDS.match(w)) or 'none')
    report.say('secure boot', secure_boot())
    report.say('lockdown', read('/sys/kernel/security/lockdown'))
    say_memory(report)
    try:
        groups = len(os.listdir('/sys/kernel/iommu_groups'))
    except OSError:
        groups = 0
    report.say('IOMMU groups', groups)
    report.say('unsafe VFIO without IOMMU',
               read('/sys/module/vfio/parameters/enable_unsafe_noiommu_mode'))


def function_line(path):
    words = [os.path.basename(path),
             read(f'{path}/vendor')[2:6] + ':' + read(f'{path}/device')[2:6],
             'class ' + read(f'{path}/class')[2:8], 'driver ' + link_name(f'{path}/driver')]
    if os.path.exists(f'{path}/physfn'):
        words.append('VF of ' + link_name(f'{path}/physfn'))
    if os.path.exists(f'{path}/sriov_numvfs'):
        words.append(f'{read(path + "/sriov_numvfs")} of {read(path + "/sriov_totalvfs")} VFs')
    return ', '.join(words)


def say_functions(report):
    """All functions of the vendor, with the firmware that their kernel driver tells."""
    report.section('functions of the vendor')
    found = [p for p in sorted(glob.glob('/sys/bus/pci/devices/*'))
             if read(f'{p}/vendor') == VENDOR]
    report.say('functions', len(found))
    for path in found:
        report.say('function', function_line(path))
        for fw in glob.glob(f'{path}/infiniband/*/fw_ver'):
            report.say('firmware by its kernel driver', read(fw))


def say_pci(report, address):
    path = f'/sys/bus/pci/devices/{address}'
    report.section('function')
    if not os.path.isdir(path):
        report.say('function', f'{address} is not there')
        return
    report.say('function', function_line(path))
    report.say('revision', read(f'{path}/revision'))
    report.say('link', ', '.join(read(f'{path}/{name}') for name in
                                 ('current_link_speed', 'current_link_width')))
    report.say('NUMA node', read(f'{path}/numa_node'))
    report.say('reset methods', read(f'{path}/reset_method'))
    report.say('MSI-X vectors of the VF', read(f'{path}/sriov_vf_msix_count'))
    group = link_name(f'{path}/iommu_group')
    report.say('IOMMU group', group)
    members = sorted(glob.glob(f'{path}/iommu_group/devices/*'))
    for member in members:
        report.say('in the group', function_line(os.path.realpath(member)))
    node = f'/dev/vfio/{group}'
    report.say('VFIO file', 'is there, and may be opened' if os.access(node, os.R_OK | os.W_OK)
               else 'is there, and may not be opened' if os.path.exists(node) else 'is not there')


def find_program(given):
    here = os.path.dirname(os.path.realpath(__file__))
    places = [given] if given else [
        os.path.join(here, PROGRAM), os.path.join(here, '..', 'build', 'app', PROGRAM),
        shutil.which(PROGRAM) or '']
    for place in places:
        if place and os.access(place, os.X_OK):
            return os.path.realpath(place)
    return None


def free_hugepages():
    m = re.search(r'^HugePages_Free:\s+(\d+)', read('/proc/meminfo'), re.M)
    return int(m.group(1)) if m else 0


def command_of(args, program, file):
    extra = f',{args.devargs}' if args.devargs else ''
    command = [program, '-l', '0', '--no-telemetry', f'--file-prefix=comch-report-{os.getpid()}',
               '--log-level=pmd.comch.bluefield:info']
    command += ['-m', '64'] if free_hugepages() > 0 else ['--no-huge', '-m', '64']
    if args.vdev:
        command += ['--no-pci', '--vdev', f'comch_bluefield0,{args.vdev}{extra},report={file}']
    else:
        command += ['-a', f'{args.address},class=comch{extra},report={file}']
    return command + ['--', '--list-dev']


def end(child):
    """The end of a child that should have ended: it may give the function back."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        child.send_signal(sig)
        try:
            return child.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            continue
    return b''


def run(command, limit):
    """What it said, and why it ended badly, or None."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
    why = None
    try:
        said = child.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        said = end(child)
        why = f'the program did not end in {limit} s'
    except KeyboardInterrupt:
        said = end(child)
        why = 'interrupted'
    if why is None and child.returncode < 0:
        why = f'the program ended with signal {-child.returncode}'
    return said.decode('utf-8', 'replace').splitlines(), why


def first_failure(said):
    """The driver's first message of a failure; those of EAL are not told apart."""
    notices = ('its role is', 'MSI-X vectors, and', 'the function was reset and works',
               'resetting the function first', ' function, firmware ', 'waiting for firmware')
    for line in said:
        if line.startswith(DRIVER) and not any(n in line for n in notices):
            return line[len(DRIVER):]
    return None


def value_of(lines, key):
    found = [line for line in lines if line.startswith(f'{key}: ')]
    return found[-1][len(key) + 2:] if found else None


def surprise_of(driver, said, why):
    """The first thing that was not as it should be, or None."""
    if value_of(driver, 'result') == 'ok' and why is None:
        return None
    said_by_driver = value_of(driver, 'surprise')
    words = [w for w in (why, said_by_driver) if w]
    step = value_of(driver, 'step')
    if step and not said_by_driver:
        words.append(f"the last step was '{step}'")
    message = first_failure(said)
    if message:
        words.append(message)
    return '; '.join(words) or 'the driver did not get as far as the function: see the messages'


def walk(report, args, program):
    """The driver's part, and the end of the report. Returns the surprise, or None."""
    with tempfile.TemporaryDirectory(prefix='comch-report-') as folder:
        file = os.path.join(folder, 'driver')
        said, why = run(command_of(args, program, file), args.timeout)
        driver = []
        if os.path.exists(file):
            with open(file, encoding='utf-8', errors='replace') as f:
                driver = f.read().splitlines()
    report.section('driver')
    for line in driver:
        report.text(line)
    report.section('messages')
    for line in said:
        if line.strip():
            report.text(line.replace(folder, '..'))
    surprise = surprise_of(driver, said, why)
    report.section('end')
    if surprise:
        report.say('surprise', surprise)
    report.say('verdict', 'stopped at a surprise' if surprise else 'as it should be')
    return surprise


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('address', nargs='?', metavar='PCI-ADDRESS',
                        help='of a function that is bound to vfio-pci, as 0000:03:00.2')
    parser.add_argument('--vdev', metavar='socket=PATH',
                        help='a function of a software BlueField instead')
    parser.add_argument('-o', '--output', metavar='FILE', default='comch-card-report.txt',
                        help='the report (%(default)s); - is standard output')
    parser.add_argument('--devargs', metavar='KEY=VALUE[,...]', default='',
                        help='more device arguments of the driver, as role=dpu')
    parser.add_argument('--timeout', metavar='SECONDS', type=int, default=600,
                        help='for the driver\'s part (%(default)s)')
    parser.add_argument('--program', metavar='PATH', help=f'the {PROGRAM} to use')
    args = parser.parse_args()
    if (args.address is None) == (args.vdev is None):
        parser.error('give a PCI address, or --vdev socket=PATH')
    if args.address and not PCI_ADDRESS.match(args.address):
        parser.error(f'{args.address} is no PCI address as 0000:03:00.2; '
                     'lspci -D -d 15b3: shows those of the vendor')
    if args.address and args.address.count(':') == 1:
        args.address = f'0000:{args.address}'
    if args.timeout < 1:
        parser.error('--timeout is at least 1')
    return parser, args


def main():
    parser, args = parse_args()
    program = find_program(args.program)
    if program is None:
        parser.error(f'there is no {PROGRAM}: install dpdk-comch, or name it with --program')
    if args.output != '-':
        # said before the function is touched: the report is lost otherwise
        try:
            with open(args.output, 'a', encoding='utf-8'):
                pass
        except OSError as e:
            parser.error(f'{args.output}: {e.strerror}; name another file with -o')
    report = Report()
    report.text('dpdk-comch card report')
    report.say('format', FORMAT)
    for line in LEFT_OUT.splitlines():
        report.text(line)
    say_system(report)
    say_functions(report)
    if args.address:
        say_pci(report, args.address.lower())
    surprise = walk(report, args, program)
    text = '\n'.join(report.lines) + '\n'
    try:
        if args.output == '-':
            sys.stdout.write(text)
        else:
            with open(args.output, 'w', encoding='utf-8') as f:
                f.write(text)
            print(f'written to {args.output}: {surprise or "as it should be"}')
    except OSError as e:
        print(f'{args.output}: {e.strerror}', file=sys.stderr)
        return 2
    return 1 if surprise else 0


if __name__ == '__main__':
    sys.exit(main())
