# SPDX-License-Identifier: LGPL-2.1-or-later
"""Flows: the same graph of commands run by jobd, ninja and make, a flow of very many nodes, and a long history.

Each graph ends with the stamp, so that all programs are timed in the same
way: from the moment before the client (or ninja, or make) is executed until
the last command has begun. The others compare what they know of files with the
disk; here there are none, each command is to run. jobd keeps its runs on a
real disk (--disk), since what it promises with Recover=pending is that.
"""
import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import time

from . import manager as managers

PARALLEL = 16
BWA = 1000              # tasks between the first two and the last two
CHAIN = 1000
TOLD = 50               # nodes of a chain of which targets are told
# What each of these does; the last one prints 1 MiB.
TARGETS = {'none': None, 'hang': '/bin/sleep infinity', 'fail': '/bin/false', 'flood': '/usr/bin/head -c 1048576 /dev/zero'}
LARGE = 100_000
ITEMS = 10_000          # of the list of a node with Foreach=
# Workers of a batch: how many there are, and their name, program, depth and items.
WORKERS = 4
POOLS = [('C', '{worker}', 1, 400_000), ('C', '{worker}', 8, 1_000_000),
         ('Python', '/usr/bin/env python3 {examples}/worker.py', 1, 50_000),
         ('Python', '/usr/bin/env python3 {examples}/worker.py', 8, 50_000)]
# What starts are measured beside, and how many there are: of a target, and of a flow of one node.
LOADS = ('nothing', 'batch', 'stream')
STARTS, FLOW_STARTS = 2_000, 100
GROUPS = 100            # of the elements that are pushed meanwhile
PROBE_MSEC = 3000
MONTAGE = 'montage-dss-05d-001.tsv'


# — graphs: a list of (name, parents), parents first; the last one is after all others —

def bwa():
    middle = [(f'align{i}', ['index', 'split']) for i in range(BWA)]
    names = [name for name, _ in middle]
    return [('index', []), ('split', []), *middle, ('merge', names), ('sort', [*names, 'merge'])]


def montage(folder):
    """The recorded workflow; its tasks take no time here, so what is measured is the scheduling alone."""
    lines = [line for line in (folder / MONTAGE).read_text(encoding='utf-8').splitlines() if not line.startswith('#')]
    parents = [[int(word) for word in line.partition('\t')[2].split()] for line in lines]
    order, is_placed = [], set()
    while len(order) < len(parents):
        for i, waits_for in enumerate(parents):
            if i not in is_placed and is_placed.issuperset(waits_for):
                order.append((f'task{i}', [f'task{parent}' for parent in waits_for]))
                is_placed.add(i)
    is_parent = {parent for _, all_of in order for parent in all_of}
    return [*order, ('end', [name for name, _ in order if name not in is_parent])]


def chain():
    return [(f't{i}', [f't{i - 1}'] if i else []) for i in range(CHAIN)]


class Graphs:
    """The graphs in a folder, for each program; commands are the cheapest program there is, the last one is the stamp."""

    def __init__(self, folder, tools, workflows):
        self.folder, self.tools = folder, tools
        self.shapes = {'bwa': bwa(), 'chain': chain(), 'montage': montage(workflows)}
        self.units = folder / 'units'
        self.units.mkdir()
        stamp = f'{tools.stamp} {tools.fifo} top'
        self.write_unit('small', [json.dumps({'Node': 'only', 'Exec': stamp})], 'Recover=pending')
        # Of this unit is the history of row m, which stays.
        self.write_unit('old', [json.dumps({'Node': 'only', 'Exec': stamp})], 'KeepRuns=4294967295', 'KeepFor=infinity')
        self.write_told()
        self.items = [*((f'each{i}', []) for i in range(ITEMS)), ('last', [f'each{i}' for i in range(ITEMS)])]
        self.write_ninja('foreach', self.items)
        self.write_foreach('retry')
        self.write_foreach('pending')
        self.write_batch()
        self.write_pools()
        self.write_loads()
        for name, nodes in self.shapes.items():
            self.write_flow(name, nodes, 'retry')
            self.write_flow(name, nodes, 'pending')
            self.write_ninja(name, nodes)
            self.write_make(name, nodes)

    def commands(self, nodes):
        stamp = f'{self.tools.stamp} {self.tools.fifo} top'
        return [(name, parents, str(self.tools.nothing) if i < len(nodes) - 1 else stamp)
                for i, (name, parents) in enumerate(nodes)]

    def write_flow(self, name, nodes, recover):
        lines = [json.dumps({'Node': node, 'Exec': command, 'DependsOn': parents})
                 for node, parents, command in self.commands(nodes)]
        self.write_unit(f'{name}-{recover}', lines, f'MaxParallel={PARALLEL}', f'Recover={recover}')

    def write_told(self):
        """A chain of which nobody is told, and the same with each kind of targets."""
        for name, target in TARGETS.items():
            lines = [f'OnBegin=exec:{target}', f'OnResult=exec:{target}'] if target else []
            nodes = [('t0', [])] + [(f't{i}', [f't{i - 1}']) for i in range(1, TOLD)]
            text = ['[Unit]', 'DefaultDependencies=no', '[Flow]', 'Recover=retry', *lines]
            for node, parents, command in self.commands(nodes):
                text += [f'[Node {node}]', f'Exec={command}', *(f'DependsOn={parent}' for parent in parents)]
            (self.units / f'told-{name}.flow').write_text('\n'.join(text) + '\n', encoding='ascii')

    def write_foreach(self, recover):
        """Two nodes, of which the first is executed for each item; the list is a parameter."""
        (self.units / f'foreach-{recover}.flow').write_text('\n'.join([
            '[Unit]', 'DefaultDependencies=no',
            '[Flow]', f'Params=list:={json.dumps(list(range(ITEMS)), separators=(",", ":"))}', f'MaxParallel={PARALLEL}',
            '[Node each]', 'Foreach=param.list', f'Exec={self.tools.nothing} %{{item}}', f'Recover={recover}',
            '[Node last]', 'DependsOn=each', f'Exec={self.tools.stamp} {self.tools.fifo} top', f'Recover={recover}',
        ]) + '\n', encoding='ascii')

    def write_batch(self):
        """A process for each item. The last command begins when all items are over."""
        (self.units / 'batch.batch').write_text('\n'.join([
            '[Unit]', 'DefaultDependencies=no',
            '[Batch]', f'Items={ITEMS}', f'Parallel={PARALLEL}', f'Exec={self.tools.nothing} %{{item}}',
            f'FinalExec={self.tools.stamp} {self.tools.fifo} top',
        ]) + '\n', encoding='ascii')

    def write_pools(self):
        """The workers of the examples, of which that in Python fails for item 0. The last command begins at the end."""
        for name, command, depth, items in POOLS:
            exec_ = command.format(worker=self.tools.worker, examples=self.tools.examples)
            (self.units / f'pool-{name}-{depth}.batch').write_text('\n'.join([
                '[Unit]', 'DefaultDependencies=no',
                '[Batch]', f'Items={items}', 'ItemMode=pool', 'ItemRetry=0', f'Parallel={WORKERS}', f'Depth={depth}',
                f'Exec={exec_}',
                f'FinalExec={self.tools.stamp} {self.tools.fifo} top',
            ]) + '\n', encoding='ascii')

    def write_loads(self):
        """A batch and a stream that do not end while others are measured, and what they are measured by."""
        (self.units / 'one.target').write_text('[Unit]\nDefaultDependencies=no\n', encoding='ascii')
        (self.units / 'load.batch').write_text('\n'.join([
            '[Unit]', 'DefaultDependencies=no',
            '[Batch]', 'Items=1000000000000', 'ItemMode=pool', f'Parallel={WORKERS}', 'Depth=8', f'Exec={self.tools.worker}',
        ]) + '\n', encoding='ascii')
        (self.units / 'load.stream').write_text('\n'.join([
            '[Unit]', 'DefaultDependencies=no',
            '[Stream]', f'MaxGroups={PARALLEL}', f'Exec={self.tools.nothing}',
        ]) + '\n', encoding='ascii')

    def write_unit(self, name, nodes, *settings):
        """The settings of nodes stand in each of their lines."""
        of_nodes = dict(line.split('=', 1) for line in settings if line.startswith('Recover='))
        path = self.units / f'{name}.jsonl'
        path.write_text('\n'.join(json.dumps({**json.loads(node), **of_nodes}) for node in nodes) + '\n', encoding='ascii')
        flow = [line for line in settings if not line.startswith('Recover=')]
        (self.units / f'{name}.flow').write_text('\n'.join(
            ['[Unit]', 'DefaultDependencies=no', '[Flow]', f'NodesFile={path}', *flow]) + '\n', encoding='ascii')

    def write_ninja(self, name, nodes):
        folder = self.folder / f'{name}-ninja'
        folder.mkdir()
        lines = ['rule run', '  command = $do']
        for node, parents, command in self.commands(nodes):
            lines += [f'build {node}: run {" ".join(parents)}', f'  do = {command}']
        (folder / 'build.ninja').write_text('\n'.join([*lines, f'default {nodes[-1][0]}']) + '\n', encoding='ascii')

    def write_make(self, name, nodes):
        folder = self.folder / f'{name}-make'
        folder.mkdir()
        lines = [f'all: {nodes[-1][0]}', '.PHONY: all ' + ' '.join(node for node, _ in nodes)]
        for node, parents, command in self.commands(nodes):
            lines += [f'{node}: {" ".join(parents)}', f'\t@{command}']
        (folder / 'Makefile').write_text('\n'.join(lines) + '\n', encoding='ascii')


# — programs —

class JobdWithRuns(managers.Jobd):
    """jobd that keeps its runs in a folder on a disk, which outlives it if it is given."""

    def __init__(self, context, disk=None):
        super().__init__(context)
        self.is_own = disk is None
        self.disk = disk or pathlib.Path(tempfile.mkdtemp(prefix='jobd-bench.', dir=context.options.disk))

    def command(self):
        """With a folder of its own for sockets the runs would be there, too."""
        command = super().command()
        at = command.index('--runtime-dir')
        return command[:at] + command[at + 2:]

    def environment(self):
        return {**super().environment(), 'XDG_STATE_HOME': str(self.disk)}

    def jobctl(self, *args):
        return ['nsenter', '-t', str(self.pid), '-p', self.tools.jobctl, '--socket', self.socket(), *args]

    def submit(self, unit):
        """Submits a run; returns the time before, in ns."""
        began = time.monotonic_ns()
        done = subprocess.run([*map(str, self.jobctl('flow', 'start', unit))], capture_output=True, text=True,
                              timeout=self.context.timeout)
        if done.returncode != 0:
            raise managers.Failed(done.stderr.strip())
        return began

    def run_to_stamp(self, unit):
        began = self.submit(unit)
        return self.await_stamp('top') - began

    def list_runs(self, unit):
        """Those that live."""
        done = subprocess.run([*map(str, self.jobctl('flow', 'list', '--json', unit))], capture_output=True, text=True,
                              timeout=self.context.timeout)
        if done.returncode != 0:
            raise managers.Failed(done.stderr.strip())
        return [run for run in map(json.loads, done.stdout.splitlines()) if not run.get('ended')]

    def cancel(self, unit):
        for run in self.list_runs(unit):
            subprocess.run([*map(str, self.jobctl('flow', 'cancel', str(run['id'])))], capture_output=True,
                           timeout=self.context.timeout)

    def forget_turns(self):
        """The longest turn since the last call, in ns; None: the program is older, and does not know."""
        try:
            return self.ask('turn')['longest']
        except managers.Failed:
            return None

    def await_end(self, unit):
        """Until no run of the unit lives."""
        deadline = time.monotonic() + self.context.timeout
        while time.monotonic() < deadline:
            if not self.list_runs(unit):
                return
            time.sleep(0.02)
        raise managers.Failed('a run does not end')

    def stop(self):
        super().stop()
        if self.is_own:
            shutil.rmtree(self.disk, ignore_errors=True)


# — system calls —

class CallsByPerf:
    """The kernel counts: core is as fast as ever, and does as much in a turn."""

    EVENT = 'raw_syscalls:sys_enter'

    @classmethod
    def begin(cls, pid, folder):
        """None if that is not possible here."""
        command = ['perf', 'stat', '--no-inherit', '-x', ',', '-e', cls.EVENT]
        if not shutil.which('perf') or subprocess.run([*command, 'true'], capture_output=True).returncode != 0:
            return None
        it = cls()
        it.path = pathlib.Path(folder, 'calls')
        control, answer = pathlib.Path(folder, 'control'), pathlib.Path(folder, 'answer')
        for path in (control, answer):
            os.mkfifo(path)
        # Counting begins when it answers.
        it.process = subprocess.Popen([*command, '-p', str(pid), '-o', it.path, '-D', '-1', f'--control=fifo:{control},{answer}'],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        it.fd = os.open(control, os.O_RDWR | os.O_CLOEXEC)
        with open(answer, 'r+b', buffering=0) as said:
            os.write(it.fd, b'enable\n')
            if not select.select([said], [], [], 10)[0]:
                it.stop()
                return None
        return it

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        os.close(self.fd)

    def end(self):
        self.stop()
        lines = self.path.read_text(encoding='ascii', errors='replace').splitlines()
        return next(int(line.split(',')[0]) for line in lines if self.EVENT in line)


class CallsByStrace:
    """Each call stops core, which is slower then, and does less in a turn: the number is higher."""

    @classmethod
    def begin(cls, pid, folder):
        if not shutil.which('strace'):
            return None
        it = cls()
        it.path = pathlib.Path(folder, 'calls')
        it.process = subprocess.Popen(['strace', '-p', str(pid), '-o', it.path], stderr=subprocess.PIPE, text=True)
        if 'attached' in it.process.stderr.readline():
            return it
        it.process.kill()
        it.process.wait()
        return None

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        lines = self.path.read_text(errors='replace').splitlines()
        return sum(not line.startswith(('---', '+++')) for line in lines)


class FlowBench:
    def __init__(self, context, results):
        self.context, self.results = context, results
        self.options, self.tools = context.options, context.tools
        self.graphs = Graphs(context.new_folder('flows'), context.tools, context.options.workflows)
        self.builders = {'ninja': ['ninja', f'-j{PARALLEL}', '--quiet'], 'make': ['make', f'-j{PARALLEL}', '-s']}

    def add(self, row, what, who, n, unit, value):
        self.results.add(row, what, who, n, unit, value)

    # — k: beside ninja and make —

    def beside_builders(self):
        for shape, nodes in self.graphs.shapes.items():
            self.in_turns('k', shape, len(nodes), self.builders)
            for recover in ('retry', 'pending'):
                self.count_calls(shape, recover, len(nodes))

    def count_calls(self, shape, recover, n):
        """System calls of core (whose children are not counted), where perf can tell, or else strace."""
        self.context.fifo.drain()
        with JobdWithRuns(self.context) as it, tempfile.TemporaryDirectory() as folder:
            it.start(self.graphs.units)
            self.warm_up(it)
            counter = CallsByPerf.begin(it.pid, folder) or CallsByStrace.begin(it.pid, folder)
            if not counter:
                return
            it.run_to_stamp(f'{shape}-{recover}.flow')
            it.await_end(f'{shape}-{recover}.flow')
            self.add('k', f'{shape}, system calls of core an attempt', f'jobd, {recover}', n, '', counter.end() / n)

    # — o: those who are told hang, fail or flood —

    def told(self):
        """The time between the end of a node and the begin of the next, in turns without and with each kind of targets."""
        names = list(TARGETS)
        for i in range(max(self.options.runs, 5)):
            for name in names[i % len(names):] + names[:i % len(names)]:
                self.context.fifo.drain()
                with JobdWithRuns(self.context) as it:
                    it.start(self.graphs.units)
                    self.warm_up(it)
                    it.run_to_stamp(f'told-{name}.flow')
                    it.await_end(f'told-{name}.flow')
                    self.add('o', f'gap between nodes, targets: {name}', 'jobd', TOLD, 'ms', self.gap(it, f'told-{name}.flow'))
        self.context.tell('(o) targets that hang, fail or flood')

    @staticmethod
    def gap(it, unit):
        with sqlite3.connect(next(it.disk.rglob('runs.db'))) as db:
            rows = db.execute('SELECT started, ended FROM attempt WHERE run = (SELECT id FROM run WHERE unit = ?) '
                              'ORDER BY started', (unit,)).fetchall()
        if len(rows) != TOLD:
            raise managers.Failed(f'{len(rows)} attempts are in the store')
        return statistics.median((after[0] - before[1]) / 1e3 for before, after in zip(rows, rows[1:]))

    def in_turns(self, row, shape, n, builders):
        turns = ['retry', 'pending', *(name for name in builders if shutil.which(self.builders[name][0]))]
        for i in range(max(self.options.runs, 5)):
            for who in turns[i % len(turns):] + turns[:i % len(turns)]:
                self.context.fifo.drain()
                self.run_shape(row, shape, n, who)
        self.context.tell(f'({row}) {shape}')

    def run_shape(self, row, shape, n, who):
        if who in self.builders:
            self.add(row, shape, who, n, 'ms', self.run_builder(shape, who) / 1e6)
            return
        unit = f'{shape}-{who}.flow'
        with JobdWithRuns(self.context) as it:
            it.start(self.graphs.units)
            self.warm_up(it)
            cpu = it.cpu_nsec()
            took = it.run_to_stamp(unit)
            it.await_end(unit)
            self.add(row, shape, f'jobd, {who}', n, 'ms', took / 1e6)
            self.add(row, f'{shape}, CPU of core an attempt', f'jobd, {who}', n, 'µs', (it.cpu_nsec() - cpu) / n / 1e3)

    def warm_up(self, it):
        """A flow of one node: the store and the log run then, as they do in a manager that has been up for a while."""
        it.run_to_stamp('small.flow')
        it.await_end('small.flow')
        it.settle()

    def run_builder(self, shape, who):
        began = time.monotonic_ns()
        done = subprocess.run(self.builders[who], cwd=self.graphs.folder / f'{shape}-{who}', capture_output=True, text=True)
        if done.returncode != 0:
            raise managers.Failed(f'{who}: {done.stdout}{done.stderr}')
        return self.context.fifo.await_stamp('top', self.context.timeout, lambda: True) - began

    # — l: very many nodes —

    def large(self):
        stamp = f'{self.tools.stamp} {self.tools.fifo} top'
        nodes = [json.dumps({'Node': 'first', 'Exec': stamp})]
        nodes += [json.dumps({'Node': f'n{i}', 'DependsOn': [f'n{i // 2}' if i > 1 else 'first'],
                              'Exec': str(self.tools.nothing)}) for i in range(1, LARGE)]
        self.graphs.write_unit('large', nodes, f'MaxParallel={PARALLEL}', 'Recover=retry')
        for _ in range(self.options.runs):
            self.context.fifo.drain()
            with JobdWithRuns(self.context) as it:
                it.start(self.graphs.units)
                self.large_life(it)
            self.engine_turns()
            self.context.tell(f'(l) {LARGE:,} nodes')

    def engine_turns(self):
        """The engine alone, in processor time."""
        done = subprocess.run([self.tools.turns], capture_output=True, text=True, timeout=5 * self.context.timeout)
        if done.returncode != 0:
            raise managers.Failed(done.stderr.strip())
        said = json.loads(done.stdout)
        self.add('l', 'large, longest turn of the engine', 'engine', LARGE, 'ms', said['turn'] / 1e6)
        if 'submit' in said:        # an older tree does not say that
            self.add('l', 'large, submission to the engine', 'engine', LARGE, 'ms', said['submit'] / 1e6)
        self.add('l', 'completion with 1,000 children', 'engine', LARGE, 'ms', said['completion'] / 1e6)
        self.add('l', 'completion with 100,000 children', 'engine', LARGE, 'ms', said['wide'] / 1e6)

    def large_life(self, it):
        before = it.rss_kib()
        self.large_run(it, ', first time')
        # It may not come to rest for a minute: all nodes are executed.
        time.sleep(0.5)
        self.add('l', 'large, memory of core', 'jobd', LARGE, 'MiB', (it.rss_kib() - before) / 1024)
        it.forget_turns()
        it.cancel('large.flow')
        it.await_end('large.flow')
        self.longest_turn(it, ', cancel')
        self.large_run(it, '')

    def large_run(self, it, which):
        probe = subprocess.Popen(['nsenter', '-t', str(it.pid), '-p', *map(str, it.client()), 'probe', 'one.target',
                                  str(PROBE_MSEC)], stdout=subprocess.PIPE, text=True)
        it.forget_turns()
        cpu = it.cpu_nsec()
        self.add('l', f'large, submit to first attempt{which}', 'jobd', LARGE, 'ms', it.run_to_stamp('large.flow') / 1e6)
        self.add('l', f'large, CPU of core to the first attempt{which}', 'jobd', LARGE, 'ms', (it.cpu_nsec() - cpu) / 1e6)
        said = json.loads(probe.communicate(timeout=self.context.timeout)[0])
        self.add('l', f'large, longest answer{which}', 'jobd', LARGE, 'ms', said['longest'] / 1e6)
        self.longest_turn(it, which)

    def longest_turn(self, it, which):
        longest = it.forget_turns()
        if longest is not None:
            self.add('l', f'large, longest turn of core{which}', 'jobd', LARGE, 'ms', longest / 1e6)

    # — m: a long history —

    def history(self, n):
        """Submits to a store with n runs that have ended, and to one without, in turns."""
        disks = {size: pathlib.Path(tempfile.mkdtemp(prefix='jobd-bench.', dir=self.options.disk)) for size in (0, n)}
        try:
            for size, disk in disks.items():
                self.prepare(disk, size)
            for i in range(max(self.options.runs, 5)):
                for size in (0, n) if i % 2 else (n, 0):
                    self.history_life(disks[size], size)
            self.context.tell(f'(m) {n:,} runs')
        finally:
            for disk in disks.values():
                shutil.rmtree(disk, ignore_errors=True)

    def prepare(self, disk, n):
        """A store with a run, and copies of that run under the name of another unit."""
        with JobdWithRuns(self.context, disk) as it:
            it.start(self.graphs.units)
            self.warm_up(it)
        if not n:
            return
        with sqlite3.connect(next(disk.rglob('runs.db'))) as db:
            for table, key in (('run', 'id'), ('node', 'run')):
                columns = [row[1] for row in db.execute(f'PRAGMA table_info({table})')]
                replaced = {key: 's.value + 1', 'unit': "'old.flow'", 'name': "'old-' || s.value", 'key': 'NULL'}
                chosen = ', '.join(replaced.get(c, f'"{c}"') if c != 'name' or table == 'run' else '"name"' for c in columns)
                db.execute('WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < ?) '
                           f'INSERT INTO {table} SELECT {chosen} FROM s, (SELECT * FROM {table} WHERE {key} = 1)', (n,))
        with sqlite3.connect(next(disk.rglob('runs.db'))) as db:
            db.execute('PRAGMA wal_checkpoint(TRUNCATE)')

    def history_life(self, disk, n):
        self.context.fifo.drain()
        with JobdWithRuns(self.context, disk) as it:
            it.start(self.graphs.units)
            self.warm_up(it)
            took = []
            for _ in range(5):
                took.append(it.run_to_stamp('small.flow') / 1e6)
                it.await_end('small.flow')
            self.add('m', 'history, submit to first attempt', 'jobd', n, 'ms', statistics.median(took))
            self.add('m', 'history, memory of core', 'jobd', n, 'KiB', it.rss_kib())

    # — n: a node for many items —

    def foreach(self):
        self.in_turns('n', 'foreach', len(self.graphs.items), ['ninja'])

    # — p: a batch —

    def batch(self):
        """The same command for each number, by a batch and by xargs, in turns."""
        for i in range(max(self.options.runs, 5)):
            for run in (self.run_batch, self.run_xargs)[::1 if i % 2 else -1]:
                self.context.fifo.drain()
                run()
        for _ in range(self.options.runs):
            for pool in POOLS:
                self.context.fifo.drain()
                self.run_pool(*pool)
        self.context.tell('(p) a batch')

    def run_batch(self):
        with JobdWithRuns(self.context) as it:
            it.start(self.graphs.units)
            self.warm_up(it)
            cpu = it.cpu_nsec()
            took = it.run_to_stamp('batch.batch')
            it.await_end('batch.batch')
            self.add('p', 'batch', 'jobd', ITEMS, 'ms', took / 1e6)
            self.add('p', 'batch, CPU of core an item', 'jobd', ITEMS, 'µs', (it.cpu_nsec() - cpu) / ITEMS / 1e3)

    def run_pool(self, name, _, depth, items):
        with JobdWithRuns(self.context) as it:
            it.start(self.graphs.units)
            self.warm_up(it)
            cpu = it.cpu_nsec()
            took = it.run_to_stamp(f'pool-{name}-{depth}.batch')
            it.await_end(f'pool-{name}-{depth}.batch')
            what = f'pool, {name}, Depth={depth}'
            self.add('p', what, 'jobd', items, 'items/s', items / took * 1e9)
            self.add('p', f'{what}, CPU of core an item', 'jobd', items, 'µs', (it.cpu_nsec() - cpu) / items / 1e3)

    # — q: starts beside a batch and a stream —

    def beside_loads(self):
        for _ in range(self.options.runs):
            for load in LOADS:
                self.context.fifo.drain()
                self.beside_load(load)
        self.context.tell('(q) starts beside a batch and a stream')

    def beside_load(self, load):
        with JobdWithRuns(self.context) as it:
            it.start(self.graphs.units)
            self.warm_up(it)
            with self.load(it, load):
                said = it.round_trips(STARTS)
                took = []
                for _ in range(FLOW_STARTS):
                    took.append(it.run_to_stamp('small.flow') / 1e6)
                    it.await_end('small.flow')
            self.add('q', f'start beside {load}, p50', 'jobd', STARTS, 'ms', said['p50'] / 1e6)
            self.add('q', f'start beside {load}, p99', 'jobd', STARTS, 'ms', said['p99'] / 1e6)
            self.add('q', f'first attempt of a flow beside {load}, p50', 'jobd', FLOW_STARTS, 'ms', statistics.median(took))
            self.add('q', f'first attempt of a flow beside {load}, p99', 'jobd', FLOW_STARTS, 'ms', sorted(took)[-2])

    @contextlib.contextmanager
    def load(self, it, load):
        """The batch has four busy workers; elements are pushed as fast as they are taken."""
        pusher = None
        if load == 'batch':
            it.submit('load.batch')
        elif load == 'stream':
            push = ' '.join(map(str, it.jobctl('stream', 'push', '--quiet', '--tsv', 'load.stream')))
            lines = f"seq -f 'g%g\t\tx' {GROUPS}"
            pusher = subprocess.Popen(['sh', '-c', f'while {lines} | {push}; do :; done'], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            yield
        finally:
            if pusher:
                os.killpg(pusher.pid, signal.SIGKILL)
                pusher.wait()

    def run_xargs(self):
        numbers = '\n'.join(map(str, range(ITEMS))) + '\n'
        began = time.monotonic_ns()
        subprocess.run(['xargs', '-P', str(PARALLEL), '-n', '1', str(self.tools.nothing)], input=numbers, text=True, check=True)
        subprocess.run([str(self.tools.stamp), str(self.tools.fifo), 'top'], check=True)
        took = self.context.fifo.await_stamp('top', self.context.timeout, lambda: True) - began
        self.add('p', 'batch', 'xargs', ITEMS, 'ms', took / 1e6)
