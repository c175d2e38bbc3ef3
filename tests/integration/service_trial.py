# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service that writes down which of its commands were run, and a daemon whose core something happens to meanwhile."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from daemon import PATIENCE, Daemon, Failure

UNIT = '''[Unit]
DefaultDependencies=no
StartLimitIntervalSec=0
[Service]
Type=notify
NotifyAccess=all
TimeoutStartSec=25
TimeoutStopSec=10
ExecStartPre=/bin/sh -c 'echo pre $$INVOCATION_ID >>{log}'
ExecStart={main} {log}
ExecReload=/bin/sh -c 'echo reload $$INVOCATION_ID >>{log}'
ExecStop=/bin/sh -c 'echo stop $$INVOCATION_ID >>{log}'
ExecStopPost=/bin/sh -c 'echo post $$INVOCATION_ID >>{log}'
'''
MAIN = '''#!/bin/sh
# Ready when it has said so: by systemd-notify, whose process waits until the message was taken.
echo main $INVOCATION_ID >>$1
systemd-notify --ready
exec sleep 1000000
'''
# The lines that the commands of the service write in each operation.
EXPECTED = {
    'start': ['pre', 'main'],
    'reload': ['reload'],
    'restart': ['stop', 'post', 'pre', 'main'],
    'stop': ['stop', 'post'],
}


class ServiceTrial:
    def __init__(self, build, folder, group=None, environment=None):
        self.folder = folder
        self.log = os.path.join(folder, 'done')
        units = os.path.join(folder, 'units')
        os.makedirs(units)
        main = os.path.join(folder, 'main')
        with open(main, 'w', encoding='utf-8') as file:
            file.write(MAIN)
        os.chmod(main, 0o755)
        with open(os.path.join(units, 'a.service'), 'w', encoding='utf-8') as file:
            file.write(UNIT.format(log=self.log, main=main))
        self.daemon = Daemon(build, folder, units, group, environment)
        self.build = build
        self.n = 0
        self.failed = False
        self.traced = None

    def words(self):
        try:
            with open(self.log, encoding='utf-8') as file:
                return [line.split()[0] for line in file]
        except FileNotFoundError:
            return []

    def state(self):
        return self.daemon.ctl('show', '-p', 'ActiveState,SubState,MainPID,ControlPID', 'a.service')

    def settle(self):
        """No job, and no command on its way."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state = self.state()
            if not self.daemon.ctl('list-jobs') and state['ControlPID'] == 0:
                return state
            time.sleep(0.01)
        raise Failure(f'it does not come to rest: {self.state()}')

    def ask(self, verb):
        """As a client that hears nothing asks again; who has been answered does not."""
        socket = dict(os.environ, JOBD_SOCKET=self.daemon.socket)
        for _ in range(10):
            done = subprocess.run([os.path.join(self.build, 'jobctl'), verb, 'a.service'], env=socket, capture_output=True,
                                  text=True, check=False)
            if done.returncode == 0:
                return
            self.daemon.wait_until_it_serves()
            self.settle()
            # A restart or reload that was done must not be done twice because its answer was lost.
            if self.is_done(verb):
                return
        raise Failure(f'{verb}: {done.stderr}')

    def is_done(self, verb):
        return self.words() == EXPECTED[verb]

    def strace(self, *options):
        """Follows core, which is stopped until strace is there."""
        core = self.daemon.core()
        tracer = subprocess.Popen(['strace', '-p', str(core), '-o', os.path.join(self.folder, 'trace'), *options],
                                  stderr=subprocess.PIPE, text=True)
        line = tracer.stderr.readline()
        if 'attached' not in line:
            raise Failure(f'strace: {line}')
        self.traced = core
        return core, tracer

    def is_asleep(self):
        """Is the process that is followed in no call that strace has changed?"""
        try:
            with open(f'/proc/{self.traced}/stat', encoding='utf-8') as file:
                return file.read().rsplit(')', 1)[1].split()[0] in 'SZX'
        except (FileNotFoundError, ProcessLookupError):
            return True

    def detach(self, tracer):
        """A call that strace is about to let fail, and leaves before, fails with ENOSYS, as no kernel does."""
        end = time.monotonic() + PATIENCE
        while not self.is_asleep() and time.monotonic() < end:
            time.sleep(0.001)
        tracer.send_signal(signal.SIGINT)
        tracer.wait(PATIENCE)
        tracer.stderr.close()

    def count(self, verb, calls):
        """How many of each of these calls the operation makes, undisturbed."""
        _, tracer = self.strace('-e', f'trace={calls}')
        self.perform(verb)
        self.detach(tracer)
        with open(os.path.join(self.folder, 'trace'), encoding='utf-8') as file:
            names = [found.group(1) for found in (re.match(r'([a-z0-9_]+)\(', line) for line in file) if found]
        return {name: names.count(name) for name in sorted(set(names))}

    def perform(self, verb):
        open(self.log, 'w', encoding='utf-8').close()
        self.ask(verb)
        self.settle()

    def prepare(self, verb):
        self.daemon.ctl('stop' if verb == 'start' else 'start', 'a.service', check=False)
        self.daemon.ctl('stop' if verb == 'start' else 'start', 'a.service')
        self.settle()

    def check(self, verb, point):
        state = self.settle()
        active = verb != 'stop'
        wrong = []
        if self.words() != EXPECTED[verb]:
            wrong.append(f'commands run: {" ".join(self.words())}')
        if (state['ActiveState'] == 'active') != active:
            wrong.append(str(state))
        wanted = [str(state['MainPID'])] if active else []
        end = time.monotonic() + 10
        while self.sleepers() != wanted and time.monotonic() < end:
            time.sleep(0.01)            # it says that it is ready before it is what it becomes
        if self.sleepers() != wanted:
            wrong.append(f'processes {self.sleepers()}, but {state}')
        return [f'{verb}, at {point}: {line}' for line in wrong]

    def sleepers(self):
        return [pid for pid in filter(str.isdigit, os.listdir('/proc')) if self.is_sleeper(pid)]

    @staticmethod
    def is_sleeper(pid):
        try:
            with open(f'/proc/{pid}/cmdline', encoding='utf-8') as file:
                return file.read() == 'sleep\0001000000\0'
        except (FileNotFoundError, ProcessLookupError):
            return False

    def report(self, wrong, name):
        self.n += 1
        print(f'{"not ok" if wrong else "ok"} {self.n} - {name}', flush=True)
        for line in wrong[:20]:
            print(f'#   {line}')
        self.failed |= bool(wrong)


def why_not():
    """Why such a test can't be run here, or None."""
    if not shutil.which('strace') or not shutil.which('systemd-notify'):
        return 'there is no strace or no systemd-notify'
    probe = subprocess.run(['strace', '-e', 'trace=none', 'true'], capture_output=True, text=True, check=False)
    return f'strace may not trace here: {probe.stderr.strip()}' if probe.returncode != 0 else None


def play(name, make):
    """Runs the trial that make(folder) makes; the exit status."""
    folder = tempfile.mkdtemp(prefix=f'{name}.')
    trial = make(folder)
    try:
        trial.run()
        print(f'1..{trial.n}')
    except Failure as failure:
        print(f'Bail out! {failure}')
        trial.failed = True
    if trial.failed:
        with open(os.path.join(folder, 'log'), encoding='utf-8') as file:
            print(''.join('# jobd: ' + line for line in file.readlines()[-60:]))
        trial.daemon.process.kill()
        print(f'# {folder}')
        return 1
    trial.daemon.stop()
    shutil.rmtree(folder)
    return 0
