# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a script printed with two managers, step by step: what may differ in any run is made the same, and what may
differ between the managers is listed, with the reason.

A script prints for each step:

    @@ NAME
    what the client printed
    @@ exit STATUS

tests/data/client-differences.tsv has the list: script, step, sign, line. "-" is a line that only systemd prints, "+" one
that only jobd prints; step and line are regular expressions that must match the whole. A line about the reason stands
before. An entry that nothing needs is a fault, too, but for "-?" and "+?", for what is not so in every run.
"""
import dataclasses
import difflib
import fnmatch
import re

DAY = r'(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
SPAN = r'(?:\d+(?:\.\d+)?(?:y|months?|w|days?|d|h|min|ms|us|µs|s) ?)+'
# What is another one in each run of the same manager: ids, times, what a process needed, the machine's mounts, and the width
# of columns.
PATTERNS = [(re.compile(pattern, re.M), text) for pattern, text in [
    (r'\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b', 'ID'),
    (r'\b[0-9a-f]{32}\b', 'ID'),
    (r'^ay 16( \d+){16}$', 'ay 16 ID'),
    (rf'{DAY} \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? UTC', 'TIME'),
    (rf'\b{SPAN}(ago|left)\b', r'SPAN \1'),
    (rf'^( *(?:Duration|CPU|CPU time consumed|Service runtime): ){SPAN}$', r'\1SPAN'),
    (r'\brun-r(?:ID|[0-9a-f]{32})\b', 'run-rID'),
    (r'\brun-u\d+\b', 'run-uN'),
    (r'(?<!\w):1\.\d+\b', ':1.N'),
    (r'/job/\d+', '/job/N'),
    (r'\bjob \d+\b', 'job N'),
    (r'^uososa\(uosos\) \d+', 'uososa(uosos) N'),
    (r'\bPID \d+ does not belong', 'PID does not belong'),
    (r'^ *\d+ (\S+) +(start|stop|restart|reload|verify-active) +(running|waiting)$', r'N \1 \2 \3'),
    (r'(Main PID|Control PID|Process): \d+', r'\1: PID'),
    (r'(?<= PID )\(\((\S+)\)\)', r'(\1)'),
    (r'\b((?:Main|Control|Exec\w*|Supervisor)PID)=[1-9]\d*', r'\1=PID'),
    (r'\bpid=[1-9]\d*\b', 'pid=PID'),
    (r'([├└]─|‣ )\d+ ', r'\1PID '),
    (r'\b(\w*Timestamp\w*)=[1-9]\d*$', r'\1=N'),
    (r'\b(CPUUsageNSec|MemoryCurrent|MemoryPeak|TasksCurrent|ControlGroupId|MemoryAvailable)=[1-9]\d*$', r'\1=N'),
    (r'\b(NNames|NInstalledJobs|NFailedJobs)=\d+$', r'\1=N'),
    (r'\b(InvocationID)=\w+$', r'\1=ID'),
    (r'252(?:\.39-1~deb12u\d+| \(jobd [\d.]+\))', 'VERSION'),
    (r'^[ ●]*(?:\S+\.(?:mount|device|swap)|blockdev@\S+) .*\n', ''),
    (r'\b\d+ loaded(?: units listed| \(incl)', r'N loaded'),
    (r'(?<=\S)[ \t]{2,}(?=\S)', ' '),
    (r'[ \t]+$', ''),
]]
# The order of these means nothing, and is another one in each run of systemd.
SETS = re.compile(r'^(After|Before|Requires|Requisite|Wants|BindsTo|PartOf|Upholds|Conflicts|Names|Triggers|TriggeredBy|WantedBy'
                  r'|RequiredBy|RequiresMountsFor)=(.*)$', re.M)


@dataclasses.dataclass
class Step:
    name: str
    lines: list
    status: str


@dataclasses.dataclass
class Difference:
    """An entry of the list, and whether a step needed it."""
    script: str
    step: str
    sign: str
    line: str
    reason: str
    place: str
    is_seen: bool = False

    def covers(self, script, step, sign, line):
        return (self.sign[0] == sign and fnmatch.fnmatch(script, self.script) and re.fullmatch(self.step, step) is not None
                and re.fullmatch(self.line, line) is not None)


def normalize(text):
    for pattern, replacement in PATTERNS:
        text = pattern.sub(replacement, text)
    return SETS.sub(lambda m: f'{m[1]}={" ".join(sorted(m[2].split()))}', text)


def steps_of(text):
    """The steps that a script has printed; one that was not finished has no status."""
    steps = []
    for line in text.splitlines():
        if line.startswith('@@ exit ') and steps and steps[-1].status is None:
            steps[-1].status = line.removeprefix('@@ exit ')
        elif line.startswith('@@ '):
            steps.append(Step(normalize(line.removeprefix('@@ ')), [], None))
        elif steps and steps[-1].status is None:
            steps[-1].lines.append(line)
        else:
            raise ValueError(f'this line belongs to no step: {line}')
    for step in steps:
        step.lines = normalize('\n'.join(step.lines) + '\n').splitlines()
    return steps


def read_differences(path):
    """The list; each entry has the comment before it as its reason."""
    found = []
    reason = []
    was_entry = False
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        if line.startswith('#'):
            reason = [line.lstrip('# ')] if was_entry else [*reason, line.lstrip('# ')]
        elif line:
            fields = line.split('\t')
            if len(fields) != 4 or fields[2] not in ('-', '+', '-?', '+?') or not any(reason):
                raise ValueError(f'{path}:{number}: this is not "script, step, - or +, line" after a reason')
            found.append(Difference(*fields, ' '.join(reason), f'{path.name}:{number}'))
        else:
            reason = []
        was_entry = bool(line) and not line.startswith('#')
    return found


def lines_that_differ(reference, answer):
    """Signed lines, the status of the step as one of them."""
    a = [*reference.lines, f'exit {reference.status}']
    b = [*answer.lines, f'exit {answer.status}']
    return [line for line in difflib.ndiff(a, b, linejunk=None, charjunk=None) if line[0] in '-+']


def compare_step(script, reference, answer, differences):
    """The signed lines that differ and are not listed."""
    left = []
    for line in lines_that_differ(reference, answer):
        needed = [d for d in differences if d.covers(script, reference.name, line[0], line[2:])]
        for difference in needed:
            difference.is_seen = True
        if not needed:
            left.append(line)
    return left


def compare(script, reference, answer, differences):
    """For each step of the texts @reference and @answer: its name, and what differs and is not listed."""
    a, b = steps_of(reference), steps_of(answer)
    for step, other in zip(a, b):
        if step.name != other.name:
            yield step.name, [f'- this step is {step.name}', f'+ this step is {other.name}']
            return
        left = compare_step(script, step, other, differences)
        if step.status in (None, '124'):
            left.append('- systemd itself does not end this step')
        yield step.name, left
    for step in a[len(b):]:
        yield step.name, ['- there is this step', '+ the script ended before']
    for step in b[len(a):]:
        yield step.name, ['- the script ended before', '+ there is this step']
