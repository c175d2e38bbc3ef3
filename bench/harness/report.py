# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table, the required figures, and the JSON."""
import dataclasses
import json
import os
import platform

ROWS = {
    'a': 'load of a random DAG of N targets', 'b': 'transaction on it', 'c': 'chain of N', 'd': 'target after N services',
    'e': 'N/2 cycles of two units', 'f': 'one request with N units loaded', 'g': 'round trips on the private socket',
    'h': 'oneshots that run a static true', 'i': 'reload of N services', 'j': 'memory, wake-ups', 'k': 'flows beside ninja and make', 'l': 'a flow of very many nodes', 'm': 'runs that have ended', 'n': 'a node for many items',
    'o': 'targets that hang, fail or flood', 'p': 'a batch beside xargs', 'q': 'starts beside a batch and a stream',
    '': 'the engine alone',
}
NAMES = ['jobd', 'no commits', 'systemd', 'dinit', 'engine', 'jobd, retry', 'jobd, pending', 'ninja', 'make', 'xargs']


def number(value):
    if value is None:
        return '–'
    if value == 0 or abs(value) >= 100:
        return f'{value:,.0f}'
    return f'{value:.1f}' if abs(value) >= 10 else f'{value:.2f}'


def cell(sample):
    if sample is None:
        return '–'
    return number(sample.median) if sample.values else f'({sample.note})'


def growth(results, what, name, sizes):
    """The growth from size to size, where both were measured."""
    steps = []
    for small, large in zip(sizes, sizes[1:]):
        a, b = results.median(what, name, small), results.median(what, name, large)
        steps.append(f'{b / a:.1f}×' if a and b else '–')
    return ' '.join(steps)


def draw(headings, lines):
    widths = [max(len(row[i]) for row in [headings, *lines]) for i in range(len(headings))]
    yield ' | '.join(text.ljust(width) for text, width in zip(headings, widths)).rstrip()
    yield '-+-'.join('-' * width for width in widths)
    for row in lines:
        yield ' | '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip()


def whats_of(results, row):
    seen = []
    for sample in results.samples:
        if sample.row == row and sample.what not in seen:
            seen.append(sample.what)
    return seen


def add_shares(results):
    """The part of a transaction's time that is spent on signals to a client."""
    for sample in [s for s in results.samples if s.what in ('start, client', 'stop, client') and s.values]:
        quiet = results.median(sample.what.replace(' client', ' no client'), sample.manager, sample.n)
        if quiet:
            results.add('b', sample.what.split(',')[0] + ', share of signals', sample.manager, sample.n, '%',
                        100 * max(0, 1 - quiet / sample.median))


def table_of_row(results, row, missing):
    samples = [s for s in results.samples if s.row == row]
    sizes = sorted({s.n for s in samples})
    lines = []
    for what in whats_of(results, row):
        for name in NAMES:
            of_this = {s.n: s for s in samples if s.what == what and s.manager == name}
            if not of_this:
                continue
            unit = next(iter(of_this.values())).unit
            lines.append([what, name, unit, *(cell(of_this.get(n)) for n in sizes), growth(results, what, name, sizes)])
    for name, why in missing.items():
        if row and row != '':
            lines.append([f'no peer: {why}', name, '', *('' for _ in sizes), ''])
    title = f'({row}) {ROWS[row]}' if row else ROWS[row]
    return [title, '', *draw(['what', 'who', 'unit', *(f'N={n:,}' for n in sizes), 'growth'], lines), '']


# — what commits cost —

def commit_costs(results):
    """The ratios of all rows of jobd with and without commits; in 1/s more is better, otherwise less."""
    found = []
    for sample in results.samples:
        bare = results.median(sample.what, 'no commits', sample.n)
        if sample.manager == 'jobd' and sample.row in 'bcdefghi' and sample.values and bare \
                and not sample.what.endswith(('signals a unit', 'share of signals')):
            found.append({'row': sample.row, 'what': sample.what, 'n': sample.n, 'unit': sample.unit,
                          'with': sample.median, 'without': bare, 'ratio': sample.median / bare})
    return found


def table_of_commits(results):
    costs = commit_costs(results)
    if not costs:
        return []
    lines = [[f'({c["row"]}) {c["what"]}', f'{c["n"]:,}', c['unit'], number(c['with']), number(c['without']),
              f'{c["ratio"]:.2f}'] for c in costs]
    return ['jobd as it is, and without the commits of its state', '',
            *draw(['what', 'N', 'unit', 'with', 'without', 'with / without'], lines), '']


# — the figures —

@dataclasses.dataclass
class Figure:
    what: str
    must: str
    got: str
    is_met: object          # None: cannot be said


def ratio(what, must, top, bottom, limit, at_least=False):
    """top / bottom against a limit."""
    if top is None or not bottom:
        return Figure(what, must, 'not measured' if top is None else 'no peer', None)
    value = top / bottom
    return Figure(what, must, f'{value:.3g}', value >= limit if at_least else value <= limit)


def linear(results, what, name, sizes, title):
    """A growth of at most 12 for ten times the size."""
    known = [(n, results.median(what, name, n)) for n in sizes if results.median(what, name, n)]
    if len(known) < 2:
        return Figure(title, 'linear (≤ 12× a tenfold N)', 'not measured', None)
    (small, a), (large, b) = known[-2:]
    allowed = 12 * (large / small) / 10
    return Figure(title, f'linear: ≤ {allowed:.3g}×', f'{b / a:.3g}×', b / a <= allowed)


def figures(results, sizes, asked):
    m = results.median
    mid = 10_000 if 10_000 in sizes else sizes[-1]
    top = sizes[-1]
    quiet, client = 'start, no client', 'start, client'
    dag = f'DAG start, {mid:,} targets'

    def cold(name):
        load, start = m('load', name, mid), m(quiet, name, mid)
        return load + start if load and start else None

    trues = sorted({s.n for s in results.samples if s.row == 'h'})
    found = [
        ratio(f'{dag}, no client / systemd', '≤ 0.1', m(quiet, 'jobd', mid), m(quiet, 'systemd', mid), 0.1),
        ratio(f'{dag}, no client / systemd with its client', '≤ 0.1', m(quiet, 'jobd', mid), m(client, 'systemd', mid), 0.1),
        ratio(f'DAG load + start, {mid:,} targets, no client / dinit', '≤ 1', cold('jobd'), cold('dinit'), 1),
        ratio(f'{dag}, no client / dinit', '≤ 1', m(quiet, 'jobd', mid), m(quiet, 'dinit', mid), 1),
        ratio(f'{dag}, client / systemd', '≤ 0.25', m(client, 'jobd', mid), m(client, 'systemd', mid), 0.25),
        linear(results, quiet, 'jobd', sizes, 'DAG start, no client, growth'),
        linear(results, client, 'jobd', sizes, 'DAG start, client, growth'),
        linear(results, 'chain, start', 'jobd', sizes, f'chain of {top:,}, start'),
        linear(results, 'chain, stop', 'jobd', sizes, f'chain of {top:,}, stop'),
        linear(results, 'target after N', 'jobd', sizes, 'target after N'),
        linear(results, 'N/2 cycles', 'jobd', sizes, 'N/2 cycles'),
        flat(results, sizes),
    ]
    for n in trues:
        found.append(ratio(f'oneshots, {n:,}: rate / dinit', '≥ 1', m('oneshots', 'jobd', n), m('oneshots', 'dinit', n), 1, True))
        found.append(limit(f'oneshots, {n:,}: manager CPU each, µs', m('manager CPU a oneshot', 'jobd', n), 100))
    if len(trues) > 1:
        found.append(ratio('oneshots, rate at the largest N / at the smallest', '≥ 0.8', m('oneshots', 'jobd', trues[-1]),
                           m('oneshots', 'jobd', trues[0]), 0.8, True))
    found += [
        ratio('round trips, rate / systemd', '≥ 1', m('round trips', 'jobd', 10), m('round trips', 'systemd', 10), 1, True),
        ratio('round trip, p50 / systemd', '≤ 0.7', m('round trip, p50', 'jobd', 10), m('round trip, p50', 'systemd', 10), 0.7),
        ratio(f'load, {mid:,} / systemd', '≤ 0.5', m('load', 'jobd', mid), m('load', 'systemd', mid), 0.5),
        limit(f'memory of a loaded unit, {mid:,}, KiB', m('memory of a loaded unit', 'jobd', mid), 1.2),
        *(ratio(f'reload, nothing changed, {s.n:,} / systemd', '≤ 0.05', m(s.what, 'jobd', s.n), m(s.what, 'systemd', s.n), 0.05)
          for s in results.samples if s.what == 'reload, nothing changed' and s.manager == 'jobd'),
        limit('wake-ups when idle', max((s.median for s in results.samples if s.what.startswith('wake-ups')
                                         and s.manager == 'jobd' and s.values), default=None), 0),
        *flow_figures(results, asked),
    ]
    return found


def flow_figures(results, asked):
    """The bars for runs of flows. One that is not measured, in a row that was asked for, is not met."""
    def of(what, who):
        return next((s.median for s in results.samples if s.what == what and s.manager == who and s.values), None)

    rows = {}               # row to figures
    found = rows.setdefault('k', [])
    for shape, most_retry in (('bwa', 1.0), ('montage', 1.0), ('chain', 1.5)):
        for recover, most in (('retry', most_retry), ('pending', 1.5)):
            if recover == 'retry' or shape != 'chain':
                found.append(ratio(f'{shape}, Recover={recover} / ninja', f'≤ {most}', of(shape, f'jobd, {recover}'),
                                   of(shape, 'ninja'), most))
    for shape in ('bwa', 'montage', 'chain'):
        for recover in ('retry', 'pending'):
            for what, unit, most in (('CPU of core an attempt', ', µs', 200), ('system calls of core an attempt', '', 15)):
                found.append(limit(f'{shape}, Recover={recover}: {what}{unit}', of(f'{shape}, {what}', f'jobd, {recover}'), most))
    for recover in ('retry', 'pending'):
        rows.setdefault('n', []).append(ratio(f'foreach, Recover={recover} / ninja', '≤ 1.5', of('foreach', f'jobd, {recover}'),
                                              of('foreach', 'ninja'), 1.5))
    rows['p'] = [ratio('batch / xargs', '≤ 1.5', of('batch', 'jobd'), of('batch', 'xargs'), 1.5)]
    for name, depth, least, most in (('C', 1, 20_000, 10), ('C', 8, 20_000, 3), ('Python', 1, 10_000, 10), ('Python', 8, 10_000, 3)):
        what = f'pool, {name}, Depth={depth}'
        rows['p'].append(at_least(f'{what}: items/s', of(what, 'jobd'), least))
        rows['p'].append(limit(f'{what}: CPU of core an item, µs', of(f'{what}, CPU of core an item', 'jobd'), most))
    for load in ('batch', 'stream'):
        rows.setdefault('q', []).append(limit(f'start beside a {load}, p99, ms', of(f'start beside {load}, p99', 'jobd'), 5))
        alone, beside = (of(f'first attempt of a flow beside {what}, p99', 'jobd') for what in ('nothing', load))
        rows['q'].append(limit(f'first attempt of a flow, p99, later beside a {load} by ms',
                               beside - alone if alone and beside else None, 5))
    found = rows.setdefault('l', [])
    for what, most in (('large, submit to first attempt, first time', 2000), ('large, submit to first attempt', 200),
                       ('large, CPU of core to the first attempt, first time', 2000),
                       ('large, CPU of core to the first attempt', 200),
                       ('large, longest answer, first time', 10), ('large, longest answer', 10),
                       ('large, longest turn of core, first time', 10), ('large, longest turn of core', 10),
                       ('large, longest turn of core, cancel', 10)):
        found.append(limit(f'{what}, ms', of(what, 'jobd'), most))
    found.append(limit('large, memory of core, MiB', of('large, memory of core', 'jobd'), 25))
    for what, most in (('large, longest turn of the engine', 10), ('completion with 1,000 children', 1)):
        found.append(limit(f'{what}, ms', of(what, 'engine'), most))
    found = rows.setdefault('o', [])
    none = of('gap between nodes, targets: none', 'jobd')
    for kind in ('hang', 'fail', 'flood'):
        told = of(f'gap between nodes, targets: {kind}', 'jobd')
        found.append(limit(f'from node to node, targets that {kind} − none, ms',
                           None if none is None or told is None else max(0, told - none), 5))
    sizes = sorted({s.n for s in results.samples if s.row == 'm'})
    found = rows.setdefault('m', [])
    for what, most in (('submit to first attempt', 1.1), ('memory of core', 1.05)):
        few, many = (results.median(f'history, {what}', 'jobd', n) for n in sizes) if len(sizes) == 2 else (None, None)
        found.append(ratio(f'{what} with {sizes[1] if len(sizes) == 2 else "many"} runs / with none', f'≤ {most}', many, few, most))
    return [dataclasses.replace(figure, is_met=bool(figure.is_met)) for row, found in rows.items() if row in asked
            for figure in found]


def limit(what, value, most):
    if value is None:
        return Figure(what, f'≤ {most}', 'not measured', None)
    return Figure(what, f'≤ {most}', number(value), value <= most)


def at_least(what, value, least):
    if value is None:
        return Figure(what, f'≥ {least:,}', 'not measured', None)
    return Figure(what, f'≥ {least:,}', number(value), value >= least)


def flat(results, sizes):
    small, large = results.median('one request', 'jobd', 10), results.median('one request', 'jobd', sizes[-1])
    return ratio(f'one request, {sizes[-1]:,} loaded / 10 loaded', '≤ 1.2', large, small, 1.2)


def machine():
    model = 'unknown'
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        for line in file:
            if line.startswith('model name'):
                model = line.split(':', 1)[1].strip()
                break
    return {'cpu': model, 'cores': os.cpu_count(), 'kernel': platform.release(),
            'memory MiB': os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') // (1 << 20),
            'load before': round(os.getloadavg()[0], 2)}


def text(results, about, sizes, missing, asked):
    lines = [' · '.join(f'{key}: {value}' for key, value in {**about['machine'], **about['versions']}.items()),
             f'medians of {about["runs"]} runs; growth: from one N to the next', '']
    add_shares(results)
    for row in ROWS:
        if any(s.row == row for s in results.samples):
            lines += table_of_row(results, row, missing)
    lines += table_of_commits(results)
    verdict = {True: 'met', False: 'NOT MET', None: '?'}
    found = figures(results, sizes, asked)
    lines += ['figures', '', *draw(['what', 'must', 'is', ''], [[f.what, f.must, f.got, verdict[f.is_met]] for f in found])]
    return '\n'.join(lines) + '\n', found


def as_json(results, about, found, missing):
    return json.dumps({**about, 'no peer': missing,
                       'samples': [{**dataclasses.asdict(s), 'median': s.median} for s in results.samples],
                       'commits': commit_costs(results),
                       'figures': [dataclasses.asdict(f) for f in found]}, indent=1, ensure_ascii=False) + '\n'
