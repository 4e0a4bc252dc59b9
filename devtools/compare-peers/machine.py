# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""The machine that is measured on: its two CPUs, and the processes on them.

Knows nothing of what is compared. Every process that is started here ends: by
itself, by its timeout, with this one, or in end_all().
"""

import os
import shutil
import signal
import socket
import subprocess
import time

# Of one CPU, that other processes may take before a pair is measured again.
OTHERS_MAX = 0.1


class Failed(Exception):
    """Something could not be measured; the text says what and why."""


class Machine:
    def __init__(self, build, work, cpus):
        self.build = build
        self.work = work
        self.cpus = cpus
        self.procs = []
        self.env = dict(os.environ)
        # EAL's runtime folders: private, and gone with the work folder.
        self.env['RUNTIME_DIRECTORY'] = work
        self.env['LC_ALL'] = 'C'
        self.deathsig = []
        if shutil.which('setpriv'):
            # Even if this process is killed by SIGKILL, nothing spins on.
            self.deathsig = ['setpriv', '--pdeathsig', 'TERM']

    def helper(self, name):
        return os.path.join(self.build, 'compare-peers', name)

    def start(self, argv, cpu=None, env=None, **kwargs):
        """Start a process, on one CPU if given."""
        pin = ['taskset', '-c', str(cpu)] if cpu is not None else []
        if shutil.which(argv[0]) is None:
            raise Failed('%s is not installed' % argv[0])
        proc = subprocess.Popen(self.deathsig + pin + argv, cwd=self.work, text=True,
                                env=dict(self.env, **(env or {})), **kwargs)
        self.procs.append(proc)
        return proc

    def end(self, proc, patience=2.0):
        """Wait for a process, then make it end."""
        for sig in (signal.SIGTERM, signal.SIGKILL):
            try:
                proc.wait(patience)
                break
            except subprocess.TimeoutExpired:
                proc.send_signal(sig)
        else:
            proc.wait()
        if proc in self.procs:
            self.procs.remove(proc)

    def end_all(self):
        for proc in list(self.procs):
            self.end(proc, 0)

    def run(self, argv, timeout=15.0, cpu=None, env=None):
        """Run a process to its end, and give its output."""
        proc = self.start(argv, cpu, env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
        try:
            out, _ = proc.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failed('%s: not done after %g s' % (os.path.basename(argv[0]), timeout)) from None
        finally:
            self.end(proc, 0.5)
        if proc.returncode != 0:
            raise Failed('%s: exit status %d: %s' % (os.path.basename(argv[0]), proc.returncode,
                                                     last_line(out)))
        return out

    def log(self, name):
        return open(os.path.join(self.work, name), 'w+', encoding='utf-8', errors='replace')

    def probe(self):
        """Median time that a cache line needs from one CPU to the other, in ns."""
        out = self.run([self.helper('probe'), '%d,%d' % self.cpus], 10.0)
        return float(out)

    def free_port(self):
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            return s.getsockname()[1]

    def wait_listening(self, port, proc, patience=15.0):
        """Until a process listens on a TCP port; asking it would be a client."""
        until = time.monotonic() + patience
        wanted = ':%04X' % port
        while time.monotonic() < until:
            for table in ('/proc/net/tcp', '/proc/net/tcp6'):
                try:
                    with open(table, encoding='ascii') as f:
                        for line in f:
                            field = line.split()
                            if field[1].endswith(wanted) and field[3] == '0A':
                                return
                except OSError:
                    pass
            if proc.poll() is not None:
                break
            time.sleep(0.005)
        raise Failed('the server does not listen')


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else 'no output'


def steady(before, after):
    """Whether two probes are of one place: the host moves virtual CPUs."""
    return max(before, after) < 1.4 * min(before, after)
