# SPDX-License-Identifier: LGPL-2.1-or-later
"""What all measurements of one run share: the programs, the folder, the options."""
import contextlib
import pathlib
import subprocess
import sys
import tempfile
import time

from . import manager

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = SOURCE / 'units/examples'
PROGRAMS = ('jobd', 'jobd-core', 'jobd-sim', 'jobctl', 'jobd-runstore', 'jobd-log', 'bench-turns')


def add_options(parser, sizes, oneshots, runs):
    """The options of everything that measures, with its defaults."""
    numbers = lambda text: [int(part.replace('_', '')) for part in text.split(',')]     # noqa: E731
    parser.add_argument('--sizes', type=numbers, default=sizes, help='N of the graphs')
    parser.add_argument('--oneshots', type=numbers, default=oneshots, help='N of row h')
    parser.add_argument('--services', type=int, default=10_000, help='N of row i')
    parser.add_argument('--runs', type=int, default=runs)
    parser.add_argument('--rows', type=lambda text: set(text.split(',')), default=set('abcdefghijklmnopq') | {'engine'},
                        help='letters, and "engine"')
    parser.add_argument('--disk', help='for the runs of rows k to q (default: the folder of temporary files)')
    parser.add_argument('--workflows', type=pathlib.Path, default=SOURCE / 'tests/data/workflows',
                        help='recorded workflows of row k')
    parser.add_argument('--history', type=int, default=1_000_000, help='runs that have ended, of row m')
    parser.add_argument('--timeout', type=int, default=60, help='seconds for one request')
    parser.add_argument('--folder', help='for units and sockets (default: /dev/shm)')
    parser.add_argument('--quiet', action='store_true', help='do not tell what is being measured')


@contextlib.contextmanager
def new_folder(options):
    """A folder for the run's units and sockets, until the end of the run."""
    parent = options.folder or ('/dev/shm' if pathlib.Path('/dev/shm').is_dir() else None)
    with tempfile.TemporaryDirectory(prefix='jobd-bench.', dir=parent) as folder:
        yield pathlib.Path(folder)


class Tools:
    """The programs to be measured and the clients, built here."""

    def __init__(self, build, folder):
        self.fifo = folder / 'stamps'
        build = pathlib.Path(build).resolve()     # units name programs in it
        self.build_jobd(build)
        self.jobd, self.jobd_sim = build / 'jobd', build / 'jobd-sim'
        self.jobctl = build / 'jobctl'
        self.turns = build / 'bench-turns'
        self.helpers = build / 'bench'
        self.helpers.mkdir(exist_ok=True)
        self.stamp = self.compile('stamp', '-static')
        self.nothing = self.compile('nothing', '-static')
        self.examples = EXAMPLES
        self.worker = self.compile('worker', folder=EXAMPLES)
        self.dbus_client = self.compile('dbus-client')
        self.dinit_client = self.compile('dinit-client')

    @staticmethod
    def build_jobd(build):
        if not (build / 'build.ninja').exists():
            Tools.do(['meson', 'setup', '--native-file', SOURCE / 'release.ini', '-Dtests=disabled', build, SOURCE])
        check = subprocess.run([SOURCE / 'tools/check-release', build], capture_output=True, text=True)
        if check.returncode != 0:
            sys.exit(f'{check.stdout}{check.stderr}bench: only a release is measured; choose another folder, or remove '
                     'this one')
        # An older tree that is compared does not have all of them.
        listing = subprocess.run(['ninja', '-C', str(build), '-t', 'targets', 'all'], capture_output=True, text=True, check=False)
        known = {line.split(':')[0] for line in listing.stdout.splitlines()}
        Tools.do(['ninja', '-C', build, *(name for name in PROGRAMS if name in known)])

    def compile(self, name, *flags, folder=SOURCE / 'bench'):
        program = self.helpers / name
        self.do(['cc', '-O2', '-D_GNU_SOURCE', *flags, '-o', program, folder / f'{name}.c'])
        return program

    @staticmethod
    def do(command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f'bench: {command[0]} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}')


class Context:
    """What all measurements share."""

    def __init__(self, options, folder):
        self.options, self.folder, self.timeout = options, folder, options.timeout
        self.tools = Tools(options.build, folder)
        self.fifo = manager.Fifo(self.tools.fifo)
        self.peers, self.missing = [], {}
        self.began = time.monotonic()
        self.n_folders = 0

    def find_peers(self):
        for peer in (manager.Systemd, manager.Dinit):
            why = peer.missing(self.options) if self.options.peers else '--peers was not given'
            if why is None:
                self.peers.append(peer)
            else:
                self.missing[peer.name] = why

    def new_folder(self, name):
        self.n_folders += 1
        folder = self.folder / f'{name}-{self.n_folders}'
        folder.mkdir(mode=0o700)
        return folder

    def tell(self, what):
        if not self.options.quiet:
            print(f'{time.monotonic() - self.began:6.1f} s  {what}', file=sys.stderr)
