#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the C table of built-in units: make-builtin-units.py OUTPUT UNIT-FILE..."""

import pathlib
import sys


def literal(line):
    return '                "' + line.replace('\\', '\\\\').replace('"', '\\"') + '\\n"'


def main():
    rows = []
    for path in sorted(map(pathlib.Path, sys.argv[2:]), key=lambda path: path.name.encode()):
        lines = [line for line in path.read_text(encoding='utf-8').splitlines() if line and not line.startswith('#')]
        rows.append('        { "%s",\n%s },\n' % (path.name, '\n'.join(map(literal, lines))))
    pathlib.Path(sys.argv[1]).write_text(
        '#include "unitfile/builtin_unit.h"\n\nconst BuiltinUnit builtin_units[] = {\n' + ''.join(rows) +
        '};\n\nconst size_t builtin_units_n = sizeof(builtin_units) / sizeof(builtin_units[0]);\n', encoding='utf-8')


main()
