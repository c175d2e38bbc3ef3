# SPDX-License-Identifier: LGPL-2.1-or-later
"""A machine for one manager, in namespaces of its own: its folders, its message bus, its control group.

Nothing of it is specific to a manager but the command line, so what a client sees differs by what the manager does.
/run and /srv are empty at first and have all that is written: the runtime folder, the folder for temporary files, and the
user's home; the rest of the machine is read-only. Its unit folders are hidden; in their place are the targets that a
user's manager needs, as Debian has them, and dbus.service, so that the manager starts the bus itself and joins it then, as
after a login.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import time

SYSTEMD = '/lib/systemd/systemd'
GROUPS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified']
UNITS = pathlib.Path('/usr/lib/systemd/user')
HOME = pathlib.Path('/srv/user')
RUNTIME = pathlib.Path('/run/user/manager')
HIDDEN = ['/etc/systemd/user', '/usr/local/lib/systemd/user', '/usr/share/systemd/user', '/usr/local/share/systemd/user',
          '/usr/lib/systemd/user-generators', '/usr/lib/systemd/user-environment-generators', '/usr/lib/jobd/user',
          '/usr/local/lib/jobd/user', '/etc/jobd', '/usr/lib/systemd/user-preset', '/etc/systemd/user-preset']
BASE = ['app.slice', 'basic.target', 'dbus.service', 'dbus.socket', 'default.target', 'exit.target', 'paths.target',
        'session.slice', 'shutdown.target', 'sockets.target', 'systemd-exit.service', 'timers.target']
OUTPUT = pathlib.Path('/run/output')
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
PATIENCE = 60


def group_root():
    """The folder of control groups of version 2 in which groups can be made, or None."""
    return next((root for root in GROUPS if os.access(f'{root}/cgroup.procs', os.W_OK)
                 and os.path.exists(f'{root}/cgroup.controllers')), None)


def make_group(name):
    """A group below the root; it is the root of the world's own tree, once a namespace is made in it."""
    group = pathlib.Path(group_root(), name)
    group.mkdir()
    return group


def remove_group(group):
    """The processes in it have been killed; they may take a moment to leave."""
    for _ in range(1000):
        if not any(pathlib.Path(folder, 'cgroup.procs').read_text() for folder, _, _ in os.walk(group)):
            break
        time.sleep(0.01)
    for folder, _, _ in os.walk(group, topdown=False):
        os.rmdir(folder)


def mount(*words):
    subprocess.run(['mount', *words], check=True)


def hide_machine(output):
    """Within the namespaces of this world alone. The folder @output is OUTPUT in it."""
    base = {name: (UNITS / name).read_text() for name in BASE if (UNITS / name).exists()}
    mount('-t', 'cgroup2', 'none', '/sys/fs/cgroup')
    mount('--bind', '-o', 'ro', '/proc/sys', '/proc/sys')
    folder = os.open(output, os.O_PATH)
    mount('-t', 'tmpfs', '-o', 'mode=755', 'none', '/run')
    OUTPUT.mkdir()
    subprocess.run(['mount', '--bind', f'/proc/self/fd/{folder}', str(OUTPUT)], check=True, pass_fds=[folder])
    os.close(folder)
    mount('-o', 'remount,bind,ro', '/')
    for path in [*HIDDEN, str(UNITS), '/srv']:
        if os.path.isdir(path):
            mount('-t', 'tmpfs', '-o', 'mode=755', 'none', path)
    for path in [HOME, RUNTIME, '/run/tmp', '/run/systemd/system']:
        os.makedirs(path, 0o700)
    for name, text in base.items():
        (UNITS / name).write_text(text)
    wants = UNITS / 'sockets.target.wants'
    wants.mkdir()
    (wants / 'dbus.socket').symlink_to('../dbus.socket')


def delegate_group():
    """The manager's own group, handed over as that of user@.service is. systemd asks the group of the machine's own manager
    whether groups can be frozen."""
    pathlib.Path('/sys/fs/cgroup/init.scope').mkdir()
    group = pathlib.Path('/sys/fs/cgroup/user@0.service')
    group.mkdir()
    os.setxattr(group, 'user.delegate', b'1')
    return group


def environment():
    """
    The same for the manager and its clients; none of the machine's own, but for JOBD_CLIENTS_PATH: folders of clients that
    are not in PATH.
    """
    own = os.environ.get('JOBD_CLIENTS_PATH')
    return {
        'PATH': f'{own}:{PATH}' if own else PATH, 'HOME': str(HOME), 'USER': 'root',
        'LOGNAME': 'root', 'SHELL': '/bin/sh', 'XDG_RUNTIME_DIR': str(RUNTIME), 'TMPDIR': '/run/tmp', 'LC_ALL': 'C.UTF-8',
        'TZ': 'UTC', 'DBUS_SESSION_BUS_ADDRESS': f'unix:path={RUNTIME}/bus', 'SYSTEMD_PAGER': '', 'SYSTEMD_COLORS': '0',
        'SYSTEMD_LOG_LEVEL': 'info', 'COLUMNS': '200', 'SYSTEMD_BUS_TIMEOUT': f'{PATIENCE}s',
    }


def command_of(manager, build):
    if manager == 'systemd':
        return [SYSTEMD, '--user']
    return [f'{build}/jobd', '--user', '--systemd-compat', '--systemd-units']


class World:
    """One manager, started; the process that makes this is alone with it in its namespaces."""

    def __init__(self, manager, build, units, output, is_changed=False):
        """@build: folder with jobd; @units: folder with unit files of the user, of which one says something else if
        @is_changed; @output: folder that can be written to."""
        hide_machine(output)
        own = HOME / '.config/systemd/user'
        shutil.copytree(units, own)
        if is_changed:
            plain = own / 'plain.service'
            plain.write_text(plain.read_text().replace('Description=Plain', 'Description=Other'))
        self.environment = environment()
        self.log = open(OUTPUT / f'{manager}.log', 'w', encoding='utf-8')
        os.chdir(HOME)
        group = delegate_group()
        self.manager = subprocess.Popen(
            command_of(manager, build), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env=self.environment | {'SYSTEMD_LOG_TARGET': 'console'},
            preexec_fn=lambda: (group / 'cgroup.procs').write_text('0'))
        self.wait_until_started()

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False, timeout=PATIENCE)

    def wait_until_started(self):
        """Started is: default.target is active, and the manager has its name on the bus."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.manager.poll() is None:
            if self.run('systemctl', '--user', 'is-active', 'default.target').stdout == 'active\n' \
               and 'org.freedesktop.systemd1 ' in self.run('busctl', '--user', 'list', '--acquired').stdout:
                return
            time.sleep(0.05)
        raise RuntimeError(f'the manager does not start:\n{self.log_text()}')

    def log_text(self):
        return pathlib.Path(self.log.name).read_text(encoding='utf-8', errors='replace')

    def end(self):
        self.manager.send_signal(signal.SIGKILL)
        self.manager.wait()
