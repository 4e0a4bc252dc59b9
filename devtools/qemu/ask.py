#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""Sends one line to a UNIX stream socket and prints the answer.

usage: ask.py control|monitor <socket> <line>

The first is the control socket of comch-bluefield-model, whose answers end in
"ok" or "error: ..."; the second is QEMU's monitor for people, whose answers end
in its prompt. Exit status 1 for an error and when there is no answer in 10 s.
"""

import os
import socket
import sys

PROMPT = b"(qemu) "


def read_until(sock, ended):
    data = b""
    while not ended(data):
        part = sock.recv(65536)
        if not part:
            break
        data += part
    return data


def control(sock, line):
    sock.sendall(line.encode() + b"\n")
    answer = read_until(sock, lambda d: d.endswith(b"\nok\n") or d == b"ok\n" or
                        (d.endswith(b"\n") and d.split(b"\n")[-2].startswith(b"error: ")))
    lines = answer.decode(errors="replace").splitlines()
    if lines and lines[-1] == "ok":
        return 0, "\n".join(lines[:-1])
    return 1, "\n".join(lines)


def monitor(sock, line):
    read_until(sock, lambda d: d.endswith(PROMPT))
    sock.sendall(line.encode() + b"\n")
    answer = read_until(sock, lambda d: d.endswith(PROMPT))
    # its own echo is a line of its own
    lines = answer[:-len(PROMPT)].decode(errors="replace").replace("\r", "").splitlines()
    text = "\n".join(lines[1:])
    return 1 if "Error" in text else 0, text


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("control", "monitor"):
        sys.exit(__doc__)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(10)
        try:
            sock.connect(sys.argv[2])
            ask = control if sys.argv[1] == "control" else monitor
            status, text = ask(sock, sys.argv[3])
        except OSError as e:
            status, text = 1, f"{sys.argv[2]}: {e}"
    try:
        print(text, flush=True)
    except BrokenPipeError:  # whoever reads it has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


main()
