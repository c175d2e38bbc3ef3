# SPDX-License-Identifier: LGPL-2.1-or-later
"""Power cuts during runs of a flow, for tools/boot-test.

A machine whose root is on its disk begins a run of 20 nodes, and loses power at a random time. In its next boot the run of
the last one goes on as far as it can without a person; what became of each node is judged, and the next run begins.

Commands tell the console that they run, so what they have done is outside of the machine and cannot be lost with it. No node
has Recover=retry: a command that has begun must not run again, and if its end is not known its node is PENDING.

The disk is a slow one: there is much time between what the store has and what it cannot lose any more.
"""

import random
import re

NODES = 20
SLOW = ',throttling.iops-write=100'
WORDS = 'quiet boot-test.flows=yes'
SIZE = '160M'
LATER = 0.4             # seconds, at most, from a word of the machine to the loss of power
CONTROL_CUTS = 6        # so many times may the control get away with it

RAN = r'boot-test: ran (\d+) (n\d+);'
BEGUN = r'boot-test: begun (\d+);'
SETTLED = r'boot-test: settled;'


def parent(name):
    """The node that this one waits for; n1 waits for none."""
    number = int(name[1:]) // 2
    return 'n%d' % number if number else None


def flow():
    text = '[Unit]\nDefaultDependencies=no\n[Flow]\nMaxParallel=3\nRecover=pending\nKeepRuns=1000\n'
    for number in range(1, NODES + 1):
        above = parent('n%d' % number)
        text += '[Node n%d]\n%sExec=/bin/sh /usr/lib/boot-test/flow-node\n' % (
            number, 'DependsOn=%s\n' % above if above else '')
    return text


class Judge:
    """What the machine has said in all of its boots."""

    def __init__(self):
        self.ran = {}           # run → node → how often its command has said so
        self.begun = []         # of which jobctl has said that they are submitted
        self.wrong = []
        self.judged = set()
        self.pending = 0        # nodes whose command was cut off

    def hear(self, text):
        for run, node in re.findall(RAN, text):
            nodes = self.ran.setdefault(int(run), {})
            nodes[node] = nodes.get(node, 0) + 1
        self.begun += [int(run) for run in re.findall(BEGUN, text)]
        for run, state in re.findall(r'boot-test: run (\d+) (\S+);', text):
            nodes = dict(re.findall(r'boot-test: node %s (n\d+) (\S+);' % run, text))
            if int(run) not in self.judged:
                self.judged.add(int(run))
                self.judge(int(run), state, nodes)

    def has_forgotten(self):
        """Whether there is a command that began and was not known of in the next boot."""
        return any('though its command ran' in line or 'times' in line for line in self.wrong)

    def complain(self, run, what):
        self.wrong.append('run %d: %s' % (run, what))

    def judge(self, run, state, nodes):
        """A run of the boot before, which has gone on as far as it could."""
        if run in self.begun:
            self.begun.remove(run)
        names = {'n%d' % number for number in range(1, NODES + 1)}
        pending = [name for name in nodes if nodes[name] == 'PENDING']
        self.pending += len(pending)
        if set(nodes) != names:
            self.complain(run, 'these nodes are not shown: %s' % ' '.join(sorted(names - set(nodes))))
        if state != ('SUSPENDED' if pending else 'SUCCEEDED'):
            self.complain(run, 'it is %s, and %d nodes are PENDING' % (state, len(pending)))
        for name, how in sorted(nodes.items()):
            often = self.ran.get(run, {}).get(name, 0)
            if often > 1:
                self.complain(run, 'the command of %s ran %d times' % (name, often))
            if how == 'SUCCEEDED' and not often:
                self.complain(run, '%s is SUCCEEDED, and its command never ran' % name)
            if how not in ('SUCCEEDED', 'PENDING'):
                if often:
                    self.complain(run, '%s is %s, though its command ran' % (name, how))
                elif not self.waits_for(name, pending):
                    self.complain(run, '%s is %s, and nobody is asked about it' % (name, how))

    @staticmethod
    def waits_for(name, pending):
        while name and name not in pending:
            name = parent(name)
        return bool(name)

    def close(self, text):
        """After a boot: each run that was submitted before it was shown."""
        lost = [run for run in self.begun if run not in [int(new) for new in re.findall(BEGUN, text)]]
        for run in lost:
            self.complain(run, 'it was submitted, and is not there any more')
            self.begun.remove(run)


def one_boot(machine, judge, words, later):
    """Until the new run has said so many words, and a little later. Returns whether it came so far."""
    came = machine.wait_for(SETTLED) and machine.wait_for(r'(?:%s(?:(?!%s)[\s\S])*){%d}' % (RAN, RAN, words) if words else SETTLED)
    if came:
        machine.read_for(later)
    machine.cut_power()
    machine.wait_for(r'(?!)')           # what it had said before it went off
    judge.hear(machine.text)
    judge.close(machine.text)
    if not came:
        judge.wrong.append('the machine has not said what was waited for')
    return came


def cut(boot, cuts, is_control=False):
    """The judge after so many cuts; boot(is_first) returns a machine. A control ends with the first complaint, and cuts at once."""
    judge = Judge()
    fewest = 0 if cuts > 5 else 1       # with few of them none is spent on a run that may not be there yet
    for number in range(cuts + 1):
        last = number == cuts
        words = 0 if last else random.randrange(fewest, NODES // 2 if is_control else NODES + 1)
        came = one_boot(boot(number == 0), judge, words, 0 if last or is_control else random.uniform(0, LATER))
        if not came or is_control and judge.wrong:
            break
    if not judge.judged:
        judge.wrong.append('no run was judged')
    return judge
