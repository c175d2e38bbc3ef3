# SPDX-License-Identifier: LGPL-2.1-or-later
"""The workloads: graphs of units, and how they are written for each manager.

A graph is made once, from a fixed seed, and written twice: as unit files (jobd
and systemd read the same folder) and as dinit's service descriptions. Units are

    target    nothing but its relations (dinit: internal)
    instant   a service that is started without a process (dinit: internal)
    true      a oneshot that runs the cheapest process there is
    top       a oneshot that runs the stamp: when it is started, all before it is done
    bottom    started without a process; its stop runs the stamp: all above it is stopped (dinit: internal, its client waits)
    idle      a service of usual length, with a condition that is never met
"""
import dataclasses
import pathlib
import random

# dinit takes no deeper graphs. A random one of this size would be about 60 deep.
DEPTH_MAX = 28
# What one line of a unit file names.
NAMES_A_LINE = 400
# Oneshots that run at once, at most: each comes after the one so many before it.
TRUES_AT_ONCE = 1000

SUFFIX = {'target': '.target'}


@dataclasses.dataclass
class Node:
    name: str
    kind: str = 'target'
    requires: list = dataclasses.field(default_factory=list)
    wants: list = dataclasses.field(default_factory=list)
    after: list = dataclasses.field(default_factory=list)
    before: list = dataclasses.field(default_factory=list)

    @property
    def unit(self):
        return self.name + SUFFIX.get(self.kind, '.service')


def collect(nodes, prefix, relation, ordered=True):
    """Targets that pull in @nodes, a line of names each: no unit file becomes too long."""
    collectors = []
    for i in range(0, len(nodes), NAMES_A_LINE):
        part = nodes[i:i + NAMES_A_LINE]
        collectors.append(Node(f'{prefix}{i // NAMES_A_LINE}', after=list(part) if ordered else [], **{relation: list(part)}))
    return collectors


def dag(n):
    """n targets, each on one to three earlier ones, between bottom and top."""
    rng = random.Random(f'dag {n}')
    bottom = Node('bottom', 'bottom')
    nodes, depth, shallow = [bottom], [0], [0]
    is_used = [True]
    for i in range(n):
        picked = sorted({rng.choice(shallow) for _ in range(rng.randint(1, 3))})
        earlier = [nodes[p] for p in picked]
        nodes.append(Node(f't{i}', requires=earlier, after=list(earlier)))
        depth.append(1 + max(depth[p] for p in picked))
        is_used.append(False)
        for p in picked:
            is_used[p] = True
        if depth[-1] < DEPTH_MAX:
            shallow.append(len(nodes) - 1)
    sinks = [node for node, used in zip(nodes, is_used) if not used]
    collectors = collect(sinks, 'c', 'requires')
    return nodes + collectors + [Node('top', 'top', requires=collectors, after=list(collectors))]


def chain(n):
    nodes = [Node('bottom', 'bottom')]
    for i in range(n):
        nodes.append(Node(f't{i}', requires=[nodes[-1]], after=[nodes[-1]]))
    return nodes + [Node('top', 'top', requires=[nodes[-1]], after=[nodes[-1]])]


def fan(n):
    """top after n services that are started one by one."""
    top = Node('top', 'top')
    nodes = [Node(f's{i}', 'instant', before=[top]) for i in range(n)]
    collectors = collect(nodes, 'c', 'wants', ordered=False)
    top.wants = collectors
    return nodes + collectors + [top]


def cycles(n):
    """n / 2 pairs of units, each of which is after the other."""
    nodes = [Node(f't{i}') for i in range(n // 2 * 2)]
    for a, b in zip(nodes[::2], nodes[1::2]):
        a.after.append(b)
        b.after.append(a)
    collectors = collect(nodes, 'c', 'wants')
    return nodes + collectors + [Node('top', 'top', wants=collectors, after=list(collectors))]


def trues(n):
    nodes = [Node(f's{i}', 'true') for i in range(n)]
    for i in range(TRUES_AT_ONCE, n):
        nodes[i].after.append(nodes[i - TRUES_AT_ONCE])
    collectors = collect(nodes, 'c', 'wants')
    return nodes + collectors + [Node('top', 'top', wants=collectors, after=list(collectors))]


def idle(n):
    """n services of usual length that are loaded and stay inactive."""
    nodes = [Node(f's{i}', 'idle') for i in range(n)]
    for i in range(1, n):
        nodes[i].after.append(nodes[i // 2])
    return nodes + collect(nodes, 'c', 'wants')


GRAPHS = {'dag': dag, 'chain': chain, 'fan': fan, 'cycles': cycles, 'trues': trues, 'idle': idle}


def relation_lines(key, nodes):
    for i in range(0, len(nodes), NAMES_A_LINE):
        yield f'{key}=' + ' '.join(node.unit for node in nodes[i:i + NAMES_A_LINE])


class UnitFiles:
    """A folder of unit files, for jobd and systemd."""

    def __init__(self, folder, tools):
        self.folder, self.tools = folder, tools

    def service_lines(self, node):
        stamp = f'{self.tools.stamp} {self.tools.fifo}'
        nothing = self.tools.nothing
        return {
            'instant': ['Type=oneshot', 'RemainAfterExit=yes', f'ExecStop={nothing}'],
            'true': ['Type=oneshot', f'ExecStart={nothing}'],
            'top': ['Type=oneshot', 'RemainAfterExit=yes', f'ExecStart={stamp} top'],
            'bottom': ['Type=oneshot', 'RemainAfterExit=yes', f'ExecStop={stamp} bottom'],
            'idle': ['Type=simple', f'ExecStart={nothing} --some --option=value', 'Restart=on-failure', 'RestartSec=5s',
                     'Environment=LANG=C.UTF-8', 'KillMode=mixed', 'TimeoutStopSec=30s', 'WorkingDirectory=/'],
        }[node.kind]

    def write_node(self, node):
        lines = ['[Unit]', 'DefaultDependencies=no']
        for key, nodes in (('Requires', node.requires), ('Wants', node.wants), ('After', node.after), ('Before', node.before)):
            lines += relation_lines(key, nodes)
        if node.kind == 'idle':
            lines += [f'Description=The service {node.name}', 'Documentation=man:true(1)', 'ConditionPathExists=/nonexistent']
        if node.kind != 'target':
            lines += ['StartLimitIntervalSec=0', '', '[Service]', *self.service_lines(node)]
        self.write(node.unit, lines)

    def write(self, name, lines):
        (self.folder / name).write_text('\n'.join(lines) + '\n')

    def write_graph(self, nodes):
        """Units beside the graph: keep.target, which keeps it loaded while active, one.target for requests, boot.target."""
        for node in nodes:
            self.write_node(node)
        tops = [node for node in nodes if node.kind == 'top'] or [node for node in nodes if node.kind == 'target']
        self.write('keep.target', ['[Unit]', 'DefaultDependencies=no', *relation_lines('After', tops)])
        self.write('one.target', ['[Unit]', 'DefaultDependencies=no'])
        self.write('boot.target', ['[Unit]', 'DefaultDependencies=no'])


class DinitFiles:
    """The same as dinit's service descriptions."""

    def __init__(self, folder, tools):
        self.folder, self.tools = folder, tools

    def write_node(self, node):
        stamp = f'{self.tools.stamp} {self.tools.fifo}'
        lines = {
            'target': ['type = internal'],
            'instant': ['type = internal'],
            'true': ['type = scripted', f'command = {self.tools.nothing}'],
            'top': ['type = scripted', f'command = {stamp} top'],
            'bottom': ['type = internal'],
        }[node.kind]
        pulled = {node.name for node in (*node.requires, *node.wants)}
        lines += [f'depends-on: {other.name}' for other in node.requires]
        lines += [f'waits-for: {other.name}' for other in node.wants]
        lines += [f'after: {other.name}' for other in node.after if other.name not in pulled]
        self.write(node.name, lines)

    def write(self, name, lines):
        (self.folder / name).write_text('\n'.join(lines) + '\n')

    def write_graph(self, nodes):
        for node in nodes:
            self.write_node(node)
        self.write('one', ['type = internal'])
        self.write('boot', ['type = internal'])


def make(kind, n, folder, tools, dinit=False):
    """Writes a graph of about @n units; returns the folder."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (DinitFiles if dinit else UnitFiles)(folder, tools).write_graph(GRAPHS[kind](n))
    return folder
