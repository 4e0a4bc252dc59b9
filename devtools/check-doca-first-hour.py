#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
"""What a person tries in the first hour with programs of the vendor's names.

Each try has what is run, the result that the program must see, which is the one
that the guides describe, and the line on stderr that says what to do here. Prints a
line for each try, and "N passed, N failed".
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LONGEST = 60  # seconds that anything may take

# What is run without a peer, or against the server that is named. The programs are
# those of examples/doca.
#   name: (server or None, variables, program and its arguments, exit status,
#          what the program sees, what the library says)
SINGLE = {
    'an option without its value': (
        None, {}, 'ctrl-path-client -t', 1,
        'Failed to parse the command line: an argument is not valid',
        '--text needs a value'),
    'an unknown option': (
        None, {}, 'ctrl-path-client -x', 1,
        'Failed to parse the command line: not supported',
        "there is no flag '-x': -h shows those there are"),
    'a client with -r': (
        None, {}, 'ctrl-path-client -r b1:00.0', 1,
        'Failed to parse the command line: not supported',
        "there is no flag '-r': -h shows those there are"),
    'the server is not started': (
        None, {'DOCA_COMPAT_CONNECT_TIMEOUT_MS': '500'}, 'ctrl-path-client', 1,
        'Failed: set-up failed',
        "client of the server 'ctrl_path_server': nobody answered in time: start the "
        'server first, with this name, the representor of this device and the same '
        'DOCA_COMPAT_ variables, and let it progress'),
    'the oldest interface, the server is not started': (
        None, {'DOCA_COMPAT_CONNECT_TIMEOUT_MS': '500'}, 'cc-client', 1,
        'Failed to connect: the connection failed', 'start the service first'),
    'a wrong device': (
        None, {}, 'ctrl-path-client -p 04:00.0', 1, 'No device at 04:00.0: not found',
        'no device has the PCI address 0000:04:00.0; there are: 0000:03:00.0'),
    'no address at all': (
        None, {}, 'ctrl-path-client -p mlx5_0', 1, 'No device at mlx5_0: not found',
        "'mlx5_0' is no PCI address: write it as 03:00.0 or 0000:03:00.0"),
    'a wrong representor': (
        None, {}, 'ctrl-path-server -r b1:00.7', 1,
        'No representor at b1:00.7: not found',
        'no representor of this device has the PCI address 0000:b1:00.7; '
        'there are: 0000:b1:00.0'),
    'a server on a device of the host': (
        None, {}, 'ctrl-path-server -p b1:00.0', 1, 'No device at b1:00.0: not found',
        'device 0000:b1:00.0 takes no servers: take a device of the card'),
    'a server where the host is': (
        None, {'DOCA_COMPAT_SIDE': 'host'}, 'ctrl-path-server', 1,
        'No device at 03:00.0: not found',
        'device 0000:03:00.0 takes no servers'),
    'a wrong value in the environment': (
        None, {'DOCA_COMPAT_DEVICES': '03:00.0'}, 'ctrl-path-client', 1,
        'Failed to list devices: set-up failed',
        "DOCA_COMPAT_DEVICES=03:00.0: it is a list of the card's devices"),
    'a wrong variable': (
        None, {'DOCA_COMPAT_DEVICE': '03:00.0=pf0'}, 'ctrl-path-client', 1,
        'Failed to list devices: set-up failed',
        'DOCA_COMPAT_DEVICE=03:00.0=pf0: there is no such variable; there are'),
    'a wrong folder': (
        None, {'DOCA_COMPAT_PATH': '/nowhere'}, 'ctrl-path-client', 1,
        'Failed to list devices: set-up failed',
        'DOCA_COMPAT_PATH=/nowhere: it is the folder by which both sides find each other: '
        'create it for this user'),
    'a second server of one name, in another process': (
        'epoll-server', {}, 'epoll-server', 1, 'Failed: still in use',
        'another process serves this function: end it, or take another representor'),
    'a second client of a server that has one': (
        'threads-server', {}, 'threads-client -n 2', 0,
        '2 clients, 32 messages sent and answered', ''),
    'a client in another folder': (
        'epoll-server', {'cwd': '/'}, 'epoll-client -n 1', 0,
        '1 messages sent and answered', ''),
    'a client of another user': (
        'epoll-server', {'user': 'nobody', 'DOCA_COMPAT_CONNECT_TIMEOUT_MS': '500'},
        'epoll-client', 1, 'Failed: set-up failed', 'does not let this user in'),
}


class Failed(Exception):
    """What a try has seen, and should not have."""


class Run:
    """Programs of one try, in a rendezvous folder of their own."""

    def __init__(self, build):
        self.build = build
        self.folder = tempfile.mkdtemp(prefix='first-hour-')
        os.chmod(self.folder, 0o755)
        for name in ('meet', 'runtime'):
            os.mkdir(os.path.join(self.folder, name), 0o700)
        self.processes = []
        self.texts = {}

    def command(self, text):
        """The program of a line of the table, and its arguments."""
        words = text.split()
        if os.path.isabs(words[0]):
            return words
        return [os.path.join(self.build, 'examples', 'dpdk-comch-doca-' + words[0])] + words[1:]

    def copy_for_others(self, command, env):
        """Another user may not reach the tree: copies what a program needs out of it."""
        place = os.path.join(self.folder, 'copies')
        os.makedirs(place, exist_ok=True)
        for what, options in env.items():
            for file in re.findall(r'(?:^|:)suppressions=([^:]+)', options):
                env[what] = options.replace(file, shutil.copy(file, place))
        if not command[0].startswith(self.build):
            return command
        linked = subprocess.check_output(['ldd', command[0]], text=True)
        for file in [command[0], *re.findall(r'=> (\S+)', linked)]:
            if file.startswith(self.build):
                shutil.copy(file, place)
        env['LD_LIBRARY_PATH'] = place
        return [os.path.join(place, os.path.basename(command[0])), *command[1:]]

    def start(self, text, variables=None):
        """Start a program; what it says is in a file."""
        variables = dict(variables or {})
        command = self.command(text)
        cwd = variables.pop('cwd', None)
        user = variables.pop('user', None)
        env = {k: v for k, v in os.environ.items() if not k.startswith('DOCA_COMPAT_')}
        env['DOCA_COMPAT_PATH'] = os.path.join(self.folder, 'meet')
        env['XDG_RUNTIME_DIR'] = os.path.join(self.folder, 'runtime')
        if user is not None:
            env['XDG_RUNTIME_DIR'] = os.path.join(self.folder, user)
            os.makedirs(env['XDG_RUNTIME_DIR'], exist_ok=True)
            os.chmod(env['XDG_RUNTIME_DIR'], 0o777)
            command = self.copy_for_others(command, env)
            cwd = self.folder
        env.update(variables)
        # the two are not in order with each other
        out, err = (open(os.path.join(self.folder, f'{what}{len(self.processes)}'), 'w+b')
                    for what in ('out', 'err'))
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                   env=env, cwd=cwd, user=user)
        process.files = (out, err)
        process.text = text
        self.processes.append(process)
        return process

    @staticmethod
    def said(process):
        """All that a program has said so far, first what was on stdout."""
        text = ''
        for file in process.files:
            with open(file.name, encoding='utf-8', errors='replace') as out:
                text += out.read()
        return text

    def wait_said(self, process, words):
        """Until a program has said these words."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            ended = process.poll() is not None
            if re.search(words, self.said(process)):
                return
            if ended:
                break
            time.sleep(0.02)
        raise Failed(f'{process.text} has not said: {words}')

    def wait(self, process, status):
        """Until a program has ended, with this exit status."""
        try:
            seen = process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            raise Failed(f'{process.text} does not end') from None
        if seen != status:
            raise Failed(f'{process.text}: exit status {seen}, and not {status}')

    def serve(self, text, variables=None):
        """Start a server, until clients can come."""
        process = self.start(text, variables)
        self.wait_said(process, 'waits for clients')
        return process

    def end(self):
        """Whatever is still there ends; returns what all have said."""
        text = ''
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
            text += f'--- {process.text}\n{self.said(process)}'
            for file in process.files:
                file.close()
        left = os.listdir(os.path.join(self.folder, 'runtime'))
        shutil.rmtree(self.folder, ignore_errors=True)
        if left:
            text += f'--- left in the runtime folder: {left}\n'
        return text


def single(run, server, variables, command, status, sees, says):
    """One line of the table."""
    if variables.get('user') and os.geteuid() != 0:
        return 'only root can run it as another user'
    if variables.get('user'):
        os.chmod(os.path.join(run.folder, 'meet'), 0o755)
    if server is not None:
        run.serve(server)
    process = run.start(command, variables)
    run.wait(process, status)
    run.wait_said(process, sees)
    if says:
        run.wait_said(process, re.escape(says))
    elif re.search(r'\[(ERR|CRT)\]\[D(OCA|PDK)', run.said(process)):
        raise Failed('the library has an error to tell, and none is expected')
    return None


def client_killed(run):
    """The server hears of it, and ends well."""
    server = run.serve('epoll-server')
    client = run.start('epoll-client -n 1000000000')
    run.wait_said(server, 'A client is connected')
    run.wait_said(client, 'Connected')
    client.kill()
    run.wait_said(server, 'A client has left')
    run.wait(server, 0)


def server_killed(run):
    """The client falls back to IDLE while it sends, and is told why."""
    server = run.serve('epoll-server')
    client = run.start('epoll-client -n 1000000000')
    run.wait_said(client, 'Received immediate data')
    server.kill()
    run.wait(client, 1)
    run.wait_said(client, 'the server died')


def server_interrupted(run):
    """Ctrl-C: the server stops with its client connected, which hears of it."""
    server = run.serve('epoll-server')
    client = run.start('epoll-client -n 1000000000')
    run.wait_said(client, 'Received immediate data')
    server.send_signal(signal.SIGINT)
    run.wait(server, 0)
    run.wait(client, 1)
    run.wait_said(client, 'connection')


def server_hangs(run):
    """A server that does not progress its engine."""
    server = run.serve('ctrl-path-server')
    server.send_signal(signal.SIGSTOP)
    client = run.start('ctrl-path-client', {'DOCA_COMPAT_CONNECT_TIMEOUT_MS': '500'})
    run.wait(client, 1)
    run.wait_said(client, 'nobody answered in time: .* and let it progress')
    server.send_signal(signal.SIGCONT)
    run.wait(run.start('ctrl-path-client'), 0)


def ctrl_c_while_waiting(run):
    """Ctrl-C ends a program that has nothing to say about signals."""
    server = run.serve('ctrl-path-server')
    server.send_signal(signal.SIGINT)
    run.wait(server, -signal.SIGINT)
    client = run.start('ctrl-path-client')
    run.wait_said(client, 'Client connects')
    client.send_signal(signal.SIGINT)
    run.wait(client, -signal.SIGINT)


def restarts(run):
    """Both sides again and again, once the one first and once the other."""
    late = {'DOCA_COMPAT_CONNECT_TIMEOUT_MS': '20000'}
    for i in range(4):
        if i % 2 == 0:
            server = run.serve('ctrl-path-server')
            client = run.start('ctrl-path-client', late)
        else:
            client = run.start('ctrl-path-client', late)
            server = run.start('ctrl-path-server')
        run.wait(client, 0)
        run.wait(server, 0)


def restart_after_kill(run):
    """A server that was killed leaves nothing in the way of the next one."""
    server = run.serve('ctrl-path-server')
    server.kill()
    server.wait()
    server = run.serve('ctrl-path-server')
    run.wait(run.start('ctrl-path-client'), 0)
    run.wait(server, 0)


def second_client(run):
    """A server of one client refuses a second one, and keeps the first."""
    server = run.serve('data-path-server')
    first = run.start('data-path-client')
    second = run.start('data-path-client', {'DOCA_COMPAT_CONNECT_TIMEOUT_MS': '2000'})
    for process in (first, second):
        try:
            process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            raise Failed('a client does not end') from None
    if first.returncode != 0 and second.returncode != 0:
        raise Failed('no client was served')
    run.wait(server, 0)


def other_representor(run):
    """A server of another function is not found, and does no harm."""
    server = run.serve('ctrl-path-server -r b1:00.1 -p 03:00.1')
    client = run.start('ctrl-path-client', {'DOCA_COMPAT_CONNECT_TIMEOUT_MS': '500'})
    run.wait(client, 1)
    run.wait_said(client, 'start the server first, with this name, the representor of '
                  'this device and the same DOCA_COMPAT_ variables')
    run.wait(run.start('ctrl-path-client -p 03:00.1'), 0)
    run.wait(server, 0)


def two_functions(run):
    """Two processes serve two functions at one time."""
    servers = [run.serve('ctrl-path-server -p 03:00.0 -r b1:00.0'),
               run.serve('ctrl-path-server -p 03:00.1 -r b1:00.1')]
    for address in ('03:00.1', '03:00.0'):
        run.wait(run.start(f'ctrl-path-client -p {address}'), 0)
    for server in servers:
        run.wait(server, 0)


def no_rights(run):
    """A rendezvous folder that the program may not use."""
    if os.geteuid() != 0:
        return 'only root can run it as another user'
    client = run.start('ctrl-path-client', {
        'user': 'nobody', 'DOCA_COMPAT_CONNECT_TIMEOUT_MS': '500'})
    run.wait(client, 1)
    run.wait_said(client, 'DOCA_COMPAT_PATH')
    return None


def copy_for_all(program, build, folder):
    """A copy of a program and its libraries, which finds them without $ORIGIN."""
    listed = subprocess.run(['ldd', program], capture_output=True, text=True, check=True).stdout
    for path in [program, *re.findall(r'=> (\S+)', listed)]:
        if not path.startswith(build + os.sep):
            continue
        with open(path, 'rb') as file:
            image = file.read()
        for found in sorted(set(re.findall(rb'\$ORIGIN/[^\0]*', image)), key=len, reverse=True):
            if len(found) < len(folder):
                raise Failed(f'{folder} is longer than {found} of {path}')
            image = image.replace(found, folder.encode().ljust(len(found), b'\0'))
        copy = os.path.join(folder, os.path.basename(path))
        with open(copy, 'wb') as file:
            file.write(image)
        os.chmod(copy, 0o755)
    return os.path.join(folder, os.path.basename(program))


def more_rights(run):
    """A program with capabilities does not obey the environment of who starts it."""
    setcap = shutil.which('setcap', path='/usr/sbin:/sbin:/usr/bin:/bin')
    if os.geteuid() != 0:
        return 'only root can give a file capabilities'
    if setcap is None:
        return 'no setcap here: install libcap2-bin (devtools/setup.sh test)'
    if os.statvfs('/tmp').f_flag & os.ST_NOSUID:
        return '/tmp is mounted nosuid'
    # a short name: it takes the place of others
    with tempfile.TemporaryDirectory(prefix='', dir='/tmp') as folder:
        os.chmod(folder, 0o755)
        program = copy_for_all(run.command('ctrl-path-client')[0], run.build, folder)
        env = {'user': 'nobody', 'DOCA_COMPAT_EAL_ARGS': '-d /nowhere/x.so'}
        process = run.start(f'{program} -p 04:00.0', env | {'DOCA_COMPAT_PATH': folder})
        run.wait(process, 1)
        run.wait_said(process, '/nowhere/x.so')
        subprocess.run([setcap, 'cap_net_bind_service+ep', program], check=True)
        env.update(DOCA_COMPAT_LOG_LEVEL='disable', DOCA_COMPAT_NONE='1')
        try:
            process = run.start(f'{program} -p 04:00.0', env)
        except PermissionError:
            return 'no program may have this capability here'
        run.wait(process, 1)
    run.wait_said(process, 'No device at 04:00.0: not found')
    if len(re.findall(r'DOCA_COMPAT_\* are ignored', run.said(process))) != 1 or \
            '/nowhere' in run.said(process):
        raise Failed('the environment was read, or that it was not is said not once')
    return None


SCENES = {
    'a client is killed': client_killed,
    'the server is killed while a client sends': server_killed,
    'the server is stopped while a client sends': server_interrupted,
    'a server that does not progress': server_hangs,
    'Ctrl-C while nobody is there': ctrl_c_while_waiting,
    'both sides again and again': restarts,
    'a server after one that was killed': restart_after_kill,
    'two clients of a server for one': second_client,
    'the representor of another function': other_representor,
    'two servers of two functions': two_functions,
    'no rights to the rendezvous folder': no_rights,
    'more rights than the user': more_rights,
}


def main():
    # a shell has what it runs in the background ignore Ctrl-C, and so would all of these
    signal.signal(signal.SIGINT, signal.default_int_handler)
    """Run all, or those whose name has the pattern."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('build', help='build folder')
    parser.add_argument('--only', default='', metavar='WORDS', help='tries with this in the name')
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    if not os.path.exists(os.path.join(build, 'examples', 'dpdk-comch-doca-epoll-server')):
        print('lib/doca_compat is not built here')
        return 77
    passed = failed = 0
    for name in [*SINGLE, *SCENES]:
        if args.only not in name:
            continue
        run = Run(build)
        begin = time.monotonic()
        error = skipped = None
        try:
            skipped = (single(run, *SINGLE[name]) if name in SINGLE else SCENES[name](run))
        except Failed as e:
            error = str(e)
        text = run.end()
        if error is None:
            passed += 1
            print(f'{time.monotonic() - begin:5.1f} s  {name}' +
                  (f': skipped, {skipped}' if skipped else ''))
        else:
            failed += 1
            print(f'FAILED   {name}: {error}\n{text}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
