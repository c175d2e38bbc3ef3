# SPDX-License-Identifier: LGPL-2.1-or-later
"""The short table in README.md: the most important results, and the required figures."""
from . import report

BEGIN, END = '<!-- bench/run --readme: begin -->', '<!-- bench/run --readme: end -->'

# what is measured, in the report's words, and in those of somebody who has not read it
LINES = [
    ('load', 'load {n} targets (random graph)'),
    ('start, no client', 'start them, nobody listening'),
    ('start, client', 'start them, a client subscribed'),
    ('chain, start', 'start a chain of {n}'),
    ('target after N', 'a target after {n} services'),
    ('N/2 cycles', 'start {n} units in {half} cycles'),
    ('one request', 'one request, {n} units loaded'),
    ('round trip, p50', 'round trip of a start, median'),
    ('oneshots', 'oneshots run, {n} of them'),
    ('manager CPU a oneshot', 'manager CPU for each'),
    ('reload, nothing changed', 'reload {n} services, nothing changed'),
    ('memory of a loaded unit', 'memory of a loaded target'),
    ('wake-ups in 2 s', 'wake-ups in two idle seconds'),
]
PEERS = ['jobd', 'no commits', 'systemd', 'dinit']


def find(results, what, name, n):
    same = [s for s in results.samples if s.what == what and s.manager == name]
    return next((s for s in same if s.n == n), same[0] if len({s.n for s in same}) == 1 else None)


def cell(sample):
    if sample is None:
        return '–'
    if not sample.values:
        return 'no' if 'refused' in sample.note or 'no signals' in sample.note else sample.note
    return f'{report.number(sample.median)} {sample.unit}'.strip()


def row(cells):
    return '| ' + ' | '.join(cells) + ' |'


def markdown(results, about, sizes, found):
    n = 10_000 if 10_000 in sizes else sizes[-1]
    top = sizes[-1]
    machine = about['machine']
    lines = [f'{machine["cores"]} cores ({machine["cpu"]}), Linux {machine["kernel"]}; '
             + ', '.join(version.rstrip('.') for version in about['versions'].values())
             + f'. Medians of {about["runs"]} runs, all in one go.', '',
             row(['', *PEERS, f'jobd, {top:,}']), row(['---', *('--:' for _ in PEERS), '--:'])]
    for what, words in LINES:
        cells = [cell(find(results, what, name, n)) for name in PEERS]
        large = next((s for s in results.samples if (s.what, s.manager, s.n) == (what, 'jobd', top)), None)
        if any(text != '–' for text in cells):
            lines.append(row([words.format(n=f'{n:,}', half=f'{n // 2:,}'), *cells, cell(large)]))
    verdict = {True: 'yes', False: '**no**', None: 'not measured'}
    lines += ['', 'What jobd is to keep, and whether it did in that run:', '', row(['', 'must', 'is', 'met']),
              row(['---', '--:', '--:', '---'])]
    lines += [row([f.what, f.must, f.got, verdict[f.is_met]]) for f in found]
    return '\n'.join(lines)


def update(path, text):
    """Replaces the text between the marks by @text."""
    old = path.read_text(encoding='utf-8')
    if BEGIN not in old or END not in old:
        raise SystemExit(f'{path}: the marks for the table are not there')
    head, tail = old.split(BEGIN)[0], old.split(END)[1]
    path.write_text(f'{head}{BEGIN}\n{text}\n{END}{tail}', encoding='utf-8')
