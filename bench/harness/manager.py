# SPDX-License-Identifier: LGPL-2.1-or-later
"""The managers under test: each in a pid and mount namespace of its own, asked over its own socket.

What they are asked for is the same (load, start, stop, round trips, reload);
what one of them cannot do raises NoPeer. CPU time, memory and wake-ups are
read from /proc, outside of the namespace.
"""
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import time

START_TIMEOUT = 20
CGROUP_ROOTS = ('/sys/fs/cgroup', '/sys/fs/cgroup/unified')


class NoPeer(Exception):
    """The manager cannot be measured; the message says why."""


class Failed(Exception):
    """The manager died, refused a request, or took too long; the message says which."""


class Fifo:
    """The FIFO to which top and bottom write their times."""

    def __init__(self, path):
        os.mkfifo(path)
        self.fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self.rest = b''

    def drain(self):
        while select.select([self.fd], [], [], 0)[0]:
            os.read(self.fd, 65536)
        self.rest = b''

    def await_stamp(self, word, timeout, is_alive):
        """The time, in ns, written with @word."""
        deadline = time.monotonic() + timeout
        while True:
            *lines, self.rest = (self.rest + self.read(deadline, is_alive)).split(b'\n')
            for line in lines:
                said, when = line.split()
                if said.decode() == word:
                    return int(when)

    def read(self, deadline, is_alive):
        while not select.select([self.fd], [], [], 0.2)[0]:
            if not is_alive():
                raise Failed('died')
            if time.monotonic() > deadline:
                raise Failed('too long')
        return os.read(self.fd, 65536)


def read_proc(pid, name):
    return pathlib.Path(f'/proc/{pid}/{name}').read_text()


def children_of(pid):
    try:
        return [int(child) for child in read_proc(pid, f'task/{pid}/children').split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def program_of(pid):
    try:
        return pathlib.Path(os.readlink(f'/proc/{pid}/exe')).name
    except OSError:
        return None


class Manager:
    name = ''
    program = None
    handles_dbus = True

    def __init__(self, context):
        self.context = context
        self.tools = context.tools
        self.process = None
        self.pid = None

    # — its life —

    def start(self, units):
        self.units = units
        self.folder = self.context.new_folder(f'run-{self.name}')
        self.log = open(self.folder / 'log', 'wb')
        script = self.script() + '\n"$@" & wait $!\n'
        self.process = subprocess.Popen(self.wrapper() + ['sh', '-c', script, 'sh', *map(str, self.command())],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.environment(),
                                        preexec_fn=self.enter)
        self.pid = self.find_pid()
        self.await_socket()
        self.settle()

    def wrapper(self):
        as_root = [] if os.geteuid() == 0 else ['-Ur']
        return ['unshare', *as_root, '-mpf', '--mount-proc', '--kill-child']

    def script(self):
        return 'true'

    def enter(self):
        """Runs in the child, before it executes the wrapper."""

    def environment(self):
        return {'PATH': os.environ.get('PATH', '/usr/bin:/bin'), 'XDG_RUNTIME_DIR': str(self.folder), 'LANG': 'C.UTF-8'}

    def find_pid(self):
        """The wrapper's child is the shell, whose child is the manager."""
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline and self.process.poll() is None:
            for shell in children_of(self.process.pid):
                for pid in self.candidates(shell):
                    if program_of(pid) == self.worker():
                        return pid
            time.sleep(0.005)
        raise Failed('does not start: ' + self.last_words())

    def candidates(self, shell):
        return children_of(shell)

    def worker(self):
        return pathlib.Path(self.program).name

    def await_socket(self):
        deadline = time.monotonic() + START_TIMEOUT
        while not self.socket().exists():
            if time.monotonic() > deadline or not self.is_alive():
                raise Failed('does not serve: ' + self.last_words())
            time.sleep(0.005)

    def last_words(self):
        lines = (self.folder / 'log').read_text(errors='replace').strip().splitlines()
        return lines[-1] if lines else 'it says nothing'

    def is_alive(self):
        return self.process is not None and self.process.poll() is None and os.path.exists(f'/proc/{self.pid}')

    def stop(self):
        """Kills the namespace by its first process."""
        if self.process is None:
            return
        if self.process.poll() is None:
            for child in children_of(self.process.pid):
                os.kill(child, signal.SIGKILL)
        self.process.wait()
        self.process = None
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # — looking at it —

    def cpu_nsec(self):
        return int(read_proc(self.pid, 'schedstat').split()[0])

    def status(self, key):
        for line in read_proc(self.pid, 'status').splitlines():
            if line.startswith(key + ':'):
                return int(line.split()[1])
        raise KeyError(key)

    def rss_kib(self):
        return self.status('VmRSS')

    def peak_kib(self):
        return self.status('VmHWM')

    def reset_peak(self):
        pathlib.Path(f'/proc/{self.pid}/clear_refs').write_text('5')

    def wake_ups(self):
        return self.status('voluntary_ctxt_switches')

    def settle(self, timeout=30):
        """Waits until the manager is idle."""
        deadline = time.monotonic() + timeout
        last, since = None, time.monotonic()
        while time.monotonic() < deadline:
            if not self.is_alive():
                raise Failed('died')
            now = self.cpu_nsec()
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > 0.03:
                return
            time.sleep(0.005)
        raise Failed('does not come to rest')

    # — asking it —

    def ask(self, *args, timeout=None):
        # From inside of its pid namespace: systemd does not talk to processes that it cannot see.
        command = ['nsenter', '-t', str(self.pid), '-p', *map(str, (*self.client(), *args))]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout or self.context.timeout)
        except subprocess.TimeoutExpired:
            raise Failed('too long') from None
        if done.returncode != 0:
            raise Failed('died' if not self.is_alive() else done.stderr.strip().removeprefix('dbus-client: '))
        return json.loads(done.stdout)

    def await_started(self, began):
        """The duration, in ns."""
        return self.await_stamp('top') - began['began']

    def await_stopped(self, began):
        return self.await_stamp('bottom') - began['began']

    def await_stamp(self, word):
        return self.context.fifo.await_stamp(word, self.context.timeout, self.is_alive)


class DbusManager(Manager):
    dialect = ''

    def client(self):
        return [self.tools.dbus_client, self.dialect, self.socket()]

    def load(self):
        return self.ask('call', 'LoadUnit', 'top.service')['took']

    def keep(self):
        self.ask('watch', 'StartUnit', 'keep.target')
        self.settle()

    def start_quietly(self):
        return self.ask('send', 'StartUnit', 'top.service')

    def stop_quietly(self):
        return self.ask('send', 'StopUnit', 'bottom.service')

    def start_watched(self):
        return self.ask('watch', 'StartUnit', 'top.service')

    def stop_watched(self):
        return self.ask('watch', 'StopUnit', 'bottom.service')

    def round_trips(self, n):
        return self.ask('trips', 'one.target', n)

    def reload(self):
        return self.ask('call', 'Reload')['took']


class Jobd(DbusManager):
    name = dialect = 'jobd'
    build = None        # folder of another build than that of the tools

    def __init__(self, context):
        super().__init__(context)
        self.program = self.build / 'jobd' if self.build else self.tools.jobd

    @classmethod
    def of(cls, name, build):
        """The jobd of @build, under @name in the results."""
        return type(name, (cls,), {'name': name, 'build': build})

    def command(self):
        return [self.program, '--user', '--no-bus', '--unit-path', self.units, '--default-unit', 'none',
                '--runtime-dir', self.folder / 'jobd', '--log-level', 'warning']

    def candidates(self, shell):
        """The pid of core, which is a child of the keeper."""
        return [core for keeper in children_of(shell) for core in children_of(keeper)]

    def worker(self):
        return 'jobd-core'

    def socket(self):
        return self.folder / 'jobd' / 'private'

    @staticmethod
    def version(tools):
        return subprocess.run([tools.jobd, '--version'], capture_output=True, text=True).stdout.strip()


class JobdWithoutState(Jobd):
    """jobd without commits of its state: the difference is their cost."""
    name = 'no commits'

    def command(self):
        return [*super().command(), '--no-state', '--log-level', 'err']


class Systemd(DbusManager):
    """systemd --user, as the manager of a control group, with the folders of a machine that systemd has booted."""
    name = dialect = 'systemd'
    program = '/lib/systemd/systemd'

    def __init__(self, context):
        super().__init__(context)
        self.program = context.options.systemd
        self.cgroup = None

    @staticmethod
    def version(program):
        return subprocess.run([program, '--version'], capture_output=True, text=True).stdout.split('\n')[0]

    @staticmethod
    def missing(options):
        if not os.access(options.systemd, os.X_OK):
            return f'{options.systemd} is not there'
        if os.geteuid() != 0:
            return 'it needs root, for a control group of its own'
        if not Systemd.cgroup_root():
            return 'there is no cgroup v2 to put it into'
        return None

    @staticmethod
    def cgroup_root():
        return next((root for root in CGROUP_ROOTS if os.access(f'{root}/cgroup.procs', os.W_OK)
                     and os.path.exists(f'{root}/cgroup.subtree_control')), None)

    def start(self, units):
        self.cgroup = pathlib.Path(self.cgroup_root()) / f'jobd-bench-{os.getpid()}'
        self.cgroup.mkdir(exist_ok=True)
        super().start(units)

    def stop(self):
        super().stop()
        if not self.cgroup or not self.cgroup.exists():
            return
        for folder, _, _ in os.walk(self.cgroup, topdown=False):
            self.remove_group(folder)
        self.cgroup = None

    @staticmethod
    def remove_group(folder):
        for _ in range(200):
            try:
                os.rmdir(folder)
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.01)

    def enter(self):
        (self.cgroup / 'cgroup.procs').write_text('0')

    def wrapper(self):
        return ['unshare', '-Cmpf', '--mount-proc', '--kill-child']

    def script(self):
        return '''set -e
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /run/systemd
mount -t tmpfs none /run/systemd
mkdir /run/systemd/system
set +e'''

    def environment(self):
        empty = str(self.folder)
        return {**super().environment(), 'SYSTEMD_UNIT_PATH': str(self.units), 'SYSTEMD_LOG_LEVEL': 'err',
                'SYSTEMD_LOG_TARGET': 'console', 'SYSTEMD_GENERATOR_PATH': empty,
                'SYSTEMD_ENVIRONMENT_GENERATOR_PATH': empty}

    def command(self):
        return [self.program, '--user', '--unit=boot.target']

    def socket(self):
        return self.folder / 'systemd' / 'private'


class Dinit(Manager):
    name = 'dinit'
    handles_dbus = False

    def __init__(self, context):
        super().__init__(context)
        self.program = context.options.dinit

    @staticmethod
    def version(program):
        return subprocess.run([program, '--version'], capture_output=True, text=True).stdout.split('\n')[0]

    @staticmethod
    def missing(options):
        return None if os.access(options.dinit, os.X_OK) else f'{options.dinit} is not there'

    def command(self):
        return [self.program, '--user', '--quiet', '--services-dir', self.units, '--socket-path', self.socket()]

    def socket(self):
        return self.folder / 'dinitctl'

    def client(self):
        return [self.tools.dinit_client, self.socket()]

    def load(self):
        return self.ask('load', 'top')['took']

    def keep(self):
        self.load()
        self.settle()

    def start_quietly(self):
        return self.ask('start', 'top')

    def stop_quietly(self):
        return self.ask('stop', 'top', 'bottom')

    def await_stopped(self, began):
        return began['took']

    def start_watched(self):
        raise NoPeer('has no signals')

    def stop_watched(self):
        raise NoPeer('has no signals')

    def round_trips(self, n):
        return self.ask('trips', 'one', n)

    def reload(self):
        raise NoPeer('reloads one service at a time')
