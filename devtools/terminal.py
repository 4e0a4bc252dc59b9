# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""A process on a terminal of its own, whose prompt a test types at. What the programs say and
are told is in the tests."""

import os
import pty
import re
import select
import signal
import subprocess
import time

WAIT_S = 60


class Failure(Exception):
    pass


class Terminal:
    def __init__(self, name, command, **options):
        self.name = name
        self.text = ''
        self.fd, terminal = pty.openpty()
        self.process = subprocess.Popen(command, stdin=terminal, stdout=terminal,
                                        stderr=terminal, start_new_session=True, **options)
        os.close(terminal)

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return
        try:
            self.text += os.read(self.fd, 65536).decode(errors='replace')
        except OSError:
            raise Failure(f'{self.name} has ended:\n{self.text[-2000:]}') from None

    def find(self, pattern, begin, seconds=WAIT_S):
        """The first match of a pattern in what is printed from a place on."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.text[begin:])
            if found:
                return found
            self.read(0.1)
        raise Failure(f'{self.name} does not say "{pattern}" in {seconds} s:\n'
                      f'{self.text[-2000:]!r}')

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def end(self):
        self.kill()
        os.close(self.fd)
