# SPDX-License-Identifier: LGPL-2.1-or-later
"""The measurements, one function a row of the table. Each stores samples, which the report sums up."""
import contextlib
import dataclasses
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

from . import flow
from . import manager as managers
from . import workload

IDLE_SECONDS = 2
TRIPS = 5000
REQUESTS = 1000
SMALL = 10              # what a request with many units loaded is compared with


@dataclasses.dataclass
class Sample:
    row: str                # the letter of the row
    what: str
    manager: str
    n: int
    unit: str
    values: list
    note: str = ''          # why there are none

    @property
    def median(self):
        return statistics.median(self.values) if self.values else None


class Results:
    def __init__(self):
        self.samples = []

    def find(self, what, manager, n):
        return next((s for s in self.samples if (s.what, s.manager, s.n) == (what, manager, n)), None)

    def add(self, row, what, manager, n, unit, value=None, note=''):
        sample = self.find(what, manager, n)
        if sample is None:
            sample = Sample(row, what, manager, n, unit, [])
            self.samples.append(sample)
        if value is not None:
            sample.values.append(value)
        sample.note = sample.note or note

    def median(self, what, manager, n):
        sample = self.find(what, manager, n)
        return sample.median if sample else None


@contextlib.contextmanager
def on_one_processor(it):
    """Runs manager and clients on one processor: with two, the result is mostly the wake-up time of an idle processor."""
    before = os.sched_getaffinity(0)
    one = {min(before)}
    os.sched_setaffinity(it.pid, one)
    os.sched_setaffinity(0, one)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        os.sched_setaffinity(it.pid, before)


class Bench:
    def __init__(self, context, results):
        self.context, self.results = context, results
        self.options, self.tools = context.options, context.tools
        self.simulators = {'engine': self.tools.jobd_sim}

    # — what all rows use —

    def folder_of(self, kind, n, dinit=False):
        """The units of a workload, which all managers and all runs share."""
        folder = self.context.folder / f'{kind}-{n}{"-dinit" if dinit else ""}'
        if not folder.exists():
            workload.make(kind, n, folder, self.tools, dinit)
        return folder

    def drop_folders(self):
        for folder in self.context.folder.glob('*-*'):
            if not folder.name.startswith('run-'):
                shutil.rmtree(folder)

    def measure_all(self):
        rows = self.options.rows
        if 'g' in rows:
            self.round_trips()
        if 'engine' in rows:
            self.engine_requests(10)
        for n in self.options.sizes:
            self.measure_size(n)
        if 'h' in rows:
            for n in self.options.oneshots:
                self.oneshots(n)
                self.drop_folders()
        if 'i' in rows:
            self.reload(self.options.services)
        self.flows()

    def flows(self):
        rows = self.options.rows
        if not rows & set('klmnopq'):
            return
        bench = flow.FlowBench(self.context, self.results)
        if 'k' in rows:
            bench.beside_builders()
        if 'l' in rows:
            bench.large()
        if 'm' in rows:
            bench.history(self.options.history)
        if 'n' in rows:
            bench.foreach()
        if 'o' in rows:
            bench.told()
        if 'p' in rows:
            bench.batch()
        if 'q' in rows:
            bench.beside_loads()

    def measure_size(self, n):
        steps = [({'a', 'b', 'j'}, self.load_and_transactions), ({'f'}, self.requests), ({'c'}, self.chain),
                 ({'d'}, self.fan), ({'e'}, self.cycles)]
        for letters, step in steps:
            if self.options.rows & letters:
                step(n)
        if 'engine' in self.options.rows:
            for kind in ('dag', 'chain', 'fan', 'cycles'):
                self.engine(kind, n)
            self.engine_requests(n)
        self.drop_folders()

    def turns(self, n):
        """The managers to measure at this size. Those of one list alternate: jobd with and without commits."""
        peers = self.context.peers if n <= self.options.peer_max else []
        return [[managers.Jobd, managers.JobdWithoutState], *([peer] for peer in peers)]

    def runs(self, row, rows, kind, n, measure, times=None):
        """Measures each manager, with a fresh instance for each run; @rows are reported as missing if that fails."""
        for group in self.turns(n):
            for _ in range(times or self.options.runs):
                group = [cls for cls in group if self.run(row, rows, kind, n, measure, cls)]
                group.reverse()         # who comes first in one run comes last in the next
            for cls in group:
                self.context.tell(f'({row}) {kind} {n:,}: {cls.name}')

    def run(self, row, rows, kind, n, measure, cls):
        """One run of one manager. Returns whether another run makes sense."""
        if kind == 'idle' and not cls.handles_dbus:
            self.results.add(row, rows[0][0], cls.name, n, 'ms', note='reloads one service at a time')
            return False
        try:
            folder = self.folder_of(kind, n, dinit=not cls.handles_dbus)
            with cls(self.context) as it:
                it.start(folder)
                self.context.fifo.drain()
                measure(it)
        except (managers.NoPeer, managers.Failed) as problem:
            for what, unit in rows:
                if self.results.find(what, cls.name, n) is None:
                    self.results.add(row, what, cls.name, n, unit, note=str(problem))
            self.context.tell(f'({row}) {cls.name}: {problem}')
            return False
        return True

    def timed(self, row, what, it, n, ask, wait):
        """One request without a client, to the stamp at its end."""
        cpu = it.cpu_nsec()
        took = wait(ask())
        it.settle()
        self.results.add(row, what, it.name, n, 'ms', took / 1e6)
        self.results.add(row, what + ', CPU', it.name, n, 'ms', (it.cpu_nsec() - cpu) / 1e6)

    def watched(self, what, it, n, ask):
        try:
            cpu = it.cpu_nsec()
            said = ask()
        except managers.NoPeer as problem:
            self.results.add('b', what, it.name, n, 'ms', note=str(problem))
            return
        it.settle()
        self.results.add('b', what, it.name, n, 'ms', said['took'] / 1e6)
        self.results.add('b', what + ', CPU', it.name, n, 'ms', (it.cpu_nsec() - cpu) / 1e6)
        self.results.add('b', what + ', signals a unit', it.name, n, '', said['signals'] / n)

    def memory(self, it, n, what, unit, base, ask):
        """Peak memory that @ask takes beyond @base, per unit; @base None: the present memory."""
        it.reset_peak()
        base = it.rss_kib() if base is None else base
        ask()
        factor = {'KiB': 1, 'B': 1024}[unit]
        self.results.add('j', what, it.name, n, unit, max(0, it.peak_kib() - base) * factor / n)

    # — rows —

    def load_and_transactions(self, n):
        """(a), (b) and (j): one life of a manager with the DAG."""
        rows = [('load', 'ms'), ('start, no client', 'ms'), ('stop, no client', 'ms'), ('start, client', 'ms'),
                ('stop, client', 'ms')]
        self.runs('b', rows, 'dag', n, lambda it: self.dag_life(it, n))

    def dag_life(self, it, n):
        def load():
            self.results.add('a', 'load', it.name, n, 'ms', it.load() / 1e6)

        self.memory(it, n, 'memory of a loaded unit', 'KiB', None, load)
        it.settle()
        it.keep()
        self.memory(it, n, 'memory of a job', 'B', None,
                    lambda: self.timed('b', 'start, no client', it, n, it.start_quietly, it.await_started))
        self.idle(it, n)
        self.timed('b', 'stop, no client', it, n, it.stop_quietly, it.await_stopped)
        self.watched('start, client', it, n, it.start_watched)
        if it.handles_dbus:
            self.watched('stop, client', it, n, it.stop_watched)

    def idle(self, it, n):
        before = it.wake_ups()
        time.sleep(IDLE_SECONDS)
        self.results.add('j', f'wake-ups in {IDLE_SECONDS} s', it.name, n, '', it.wake_ups() - before)

    def chain(self, n):
        def measure(it):
            it.keep()
            self.timed('c', 'chain, start', it, n, it.start_quietly, it.await_started)
            self.timed('c', 'chain, stop', it, n, it.stop_quietly, it.await_stopped)

        self.runs('c', [('chain, start', 'ms'), ('chain, stop', 'ms')], 'chain', n, measure)

    def fan(self, n):
        def measure(it):
            it.keep()
            self.timed('d', 'target after N', it, n, it.start_quietly, it.await_started)

        self.runs('d', [('target after N', 'ms')], 'fan', n, measure)

    def cycles(self, n):
        def measure(it):
            it.keep()
            self.timed('e', 'N/2 cycles', it, n, it.start_quietly, it.await_started)

        self.runs('e', [('N/2 cycles', 'ms')], 'cycles', n, measure)

    def requests(self, n):
        """Alternates with a run with few units loaded, so that other load on the machine affects both."""
        for _ in range(self.options.runs):
            for size in dict.fromkeys((SMALL, n)):
                self.runs('f', [('one request', 'µs')], 'dag', size, lambda it, size=size: self.request(it, size), times=1)

    def request(self, it, n):
        it.keep()
        with on_one_processor(it):
            cpu = it.cpu_nsec()
            said = it.round_trips(REQUESTS)
            cpu = it.cpu_nsec() - cpu
        self.results.add('f', 'one request', it.name, n, 'µs', said['took'] / REQUESTS / 1e3)
        self.results.add('f', 'one request, p50', it.name, n, 'µs', said['p50'] / 1e3)
        self.results.add('f', 'one request, CPU', it.name, n, 'µs', cpu / REQUESTS / 1e3)

    def round_trips(self):
        def measure(it):
            with on_one_processor(it):
                it.round_trips(REQUESTS)
                said = it.round_trips(TRIPS)
            self.results.add('g', 'round trips', it.name, 10, '1/s', TRIPS / (said['took'] / 1e9))
            self.results.add('g', 'round trip, p50', it.name, 10, 'µs', said['p50'] / 1e3)
            self.results.add('g', 'round trip, p99', it.name, 10, 'µs', said['p99'] / 1e3)

        self.runs('g', [('round trips', '1/s')], 'dag', 10, measure)

    def oneshots(self, n):
        def measure(it):
            it.keep()
            cpu = it.cpu_nsec()
            took = it.await_started(it.start_quietly())
            it.settle()
            self.results.add('h', 'oneshots', it.name, n, '1/s', n / (took / 1e9))
            self.results.add('h', 'manager CPU a oneshot', it.name, n, 'µs', (it.cpu_nsec() - cpu) / n / 1e3)

        self.runs('h', [('oneshots', '1/s'), ('manager CPU a oneshot', 'µs')], 'trues', n, measure)

    def reload(self, n):
        rows = [('reload, nothing changed', 'ms'), ('reload, one file changed', 'ms')]

        def measure(it):
            it.keep()
            time.sleep(0.1)         # for a moment after it was written a file's time does not tell whether it has changed
            self.results.add('i', rows[0][0], it.name, n, 'ms', it.reload() / 1e6)
            with open(it.units / f's{n // 2}.service', 'a', encoding='ascii') as file:
                file.write('# changed\nTimeoutStartSec=31s\n')
            self.results.add('i', rows[1][0], it.name, n, 'ms', it.reload() / 1e6)

        self.runs('i', rows, 'idle', n, measure)

    # — the engine alone —

    def engine(self, kind, n):
        script = {'dag': self.script_start_stop, 'chain': self.script_start_stop, 'fan': self.script_fan,
                  'cycles': self.script_start}[kind]
        for name in self.simulator_turns():
            try:
                started = self.simulate(name, kind, n, *script(n))
                stopped = self.simulate(name, kind, n, *script(n, stop=True)) if script == self.script_start_stop else None
            except (managers.Failed, subprocess.TimeoutExpired) as problem:
                self.results.add('', f'{kind}: start', name, n, 'ms', note=str(problem))
                break
            self.results.add('', f'{kind}: load', name, n, 'ms', started['cpu-load'] / 1e3)
            self.results.add('', f'{kind}: start', name, n, 'ms', self.busy(started) / 1e3)
            if stopped:
                took = self.busy(stopped) - self.busy(started)
                self.results.add('', f'{kind}: stop', name, n, 'ms', max(0, took) / 1e3)
        self.context.tell(f'({kind}) {n:,}: engine')

    def simulator_turns(self):
        """The simulators for all runs; each other run begins with the last."""
        names = list(self.simulators)
        return [name for i in range(self.options.runs) for name in (names[::-1] if i % 2 else names)]

    @staticmethod
    def script_start(n):
        return '--auto', ['exec replace start:top.service', 'run']

    @staticmethod
    def script_start_stop(n, stop=False):
        return '--auto', ['exec replace start:top.service', 'run'] + (['exec replace stop:bottom.service', 'run'] if stop else [])

    @staticmethod
    def script_fan(n):
        return '--manual', ['exec replace start:top.service', 'run', *(f'state s{i}.service active' for i in range(n)), 'run']

    def engine_requests(self, n):
        """A request with n units loaded: two scripts, one of which makes the requests."""
        keep = ['exec replace start:keep.target', 'run']
        ask = ['exec replace start:one.target', 'run', 'exec replace stop:one.target', 'run'] * (REQUESTS // 2)
        for name in self.simulator_turns():
            without = self.simulate(name, 'dag', n, '--auto', keep)
            took = self.simulate(name, 'dag', n, '--auto', keep + ask)
            self.results.add('', 'one request', name, n, 'µs', max(0, self.busy(took) - self.busy(without)) / REQUESTS)

    @staticmethod
    def busy(times):
        """Processor time: the engine never waits, so the rest of the elapsed time belongs to other processes."""
        return times['cpu-total'] - times['cpu-load']

    def simulate(self, name, kind, n, mode, lines):
        """Passes the script as a file: for a script from a pipe jobd-sim would format all events, which takes longer than the engine."""
        folder = self.folder_of(kind, n)
        with tempfile.TemporaryFile('w+') as script:
            script.write('\n'.join(lines) + '\n')
            script.seek(0)
            done = subprocess.run([self.simulators[name], '--unit-path', folder, '--quiet', '--time', mode, '-'], stdin=script,
                                  capture_output=True, text=True, timeout=self.context.timeout)
        if done.returncode != 0:
            raise managers.Failed(done.stderr.strip() or f'ended with {done.returncode}')
        return json.loads(done.stdout.strip().splitlines()[-1])

