# SPDX-License-Identifier: LGPL-2.1-or-later
"""A jobd in a folder of its own, for tests that kill its core: two processes, of which one comes back."""

import json
import os
import shutil
import socket
import subprocess
import time

PATIENCE = 120                          # seconds; it only ends a test that hangs


PROGRAMS = 'jobd-core', 'jobd-runstore', 'jobd-log'


class Failure(Exception):
    """The test cannot go on."""


def place_programs(folder, build, planted):
    """The environment of the keeper with @planted, a program with a defect, or None. The name of that begins with the name of
    the program whose place it takes; otherwise it is core. Core finds the others beside itself."""
    if not planted:
        return {}
    programs = os.path.join(folder, 'programs')
    os.mkdir(programs)
    of = next((name for name in PROGRAMS if os.path.basename(planted).startswith(name)), 'jobd-core')
    for name in PROGRAMS:
        shutil.copy(planted if name == of else os.path.join(build, name), os.path.join(programs, name))
    return {'JOBD_CORE': os.path.join(programs, 'jobd-core')}


def make_group():
    """A control group for a daemon alone, or None where none can be made."""
    for mount in '/sys/fs/cgroup', '/sys/fs/cgroup/unified':
        path = f'{mount}/jobd-test-{os.environ.get("IN_NAMESPACE_PID", "0")}-{os.getpid()}'
        if os.path.exists(f'{mount}/cgroup.procs'):
            try:
                os.mkdir(path)
                return path
            except OSError:
                pass
    return None


def remove_group(path):
    for folder, _, _ in os.walk(path, topdown=False):
        os.rmdir(folder)


class Daemon:
    OPTIONS = []                        # of jobd, beside those below

    def __init__(self, build, folder, units, group=None, environment=None, system=False):
        self.build = build
        self.runtime = os.path.join(folder, 'run')
        self.socket = os.path.join(self.runtime, 'private')
        os.makedirs(self.runtime, mode=0o700, exist_ok=True)
        self.log = open(os.path.join(folder, 'log'), 'w', encoding='utf-8')
        self.group = group
        self.command = (
            (['/bin/sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', group] if group else []) +
            [os.path.join(build, 'jobd'), '--system' if system else '--user', '--unit-path', units, '--runtime-dir',
             self.runtime, '--default-unit', 'none', '--no-bus', *self.OPTIONS])
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=folder, **(environment or {}))
        self.start()

    def start(self):
        """Also after its end, with the same folders."""
        self.process = subprocess.Popen(self.command, stderr=self.log, stdin=subprocess.DEVNULL, env=self.environment)
        self.wait_until_it_serves()

    def core(self):
        """The pid of jobd-core, or None. By all processes: the kernel's list of children leaves some out while others end."""
        if not os.path.exists(f'/proc/{self.process.pid}'):
            raise Failure('the keeper is gone')
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as file:
                    name, fields = file.read().split('(', 1)[1].rsplit(')', 1)
            except (FileNotFoundError, ProcessLookupError):
                continue
            if name == 'jobd-core' and int(fields.split()[1]) == self.process.pid:
                return int(pid)
        return None

    def try_to_talk(self):
        """Does it say that it knows us? That is what a client of D-Bus hears first."""
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(PATIENCE)
            try:
                link.connect(self.socket)
                link.sendall(b'\0AUTH EXTERNAL ' + str(os.getuid()).encode().hex().encode() + b'\r\n')
                return link.recv(100).startswith(b'OK')
            except (FileNotFoundError, ConnectionError):
                return False

    def wait_until_it_serves(self):
        end = time.monotonic() + PATIENCE
        while not self.try_to_talk():
            if time.monotonic() > end:
                raise Failure('it does not serve')
            time.sleep(0.001)

    def ctl(self, *words, check=True):
        """What jobctl printed, as JSON; tried again while core is being replaced."""
        end = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run([os.path.join(self.build, 'jobctl'), '--json', *words], capture_output=True, text=True,
                                  env=dict(os.environ, JOBD_SOCKET=self.socket), check=False)
            if done.returncode == 0 and done.stdout:
                return json.loads(done.stdout)
            if not check:
                return None
            if time.monotonic() > end:
                raise Failure(f'jobctl {" ".join(words)}: {done.stderr or done.stdout}')
            time.sleep(0.01)

    def stop(self):
        self.process.terminate()
        status = self.process.wait(PATIENCE)
        if self.group:
            remove_group(self.group)
        return status
