#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A worker in Python (jobd.batch(5)): the number of steps from each number to 1, by the rule of Collatz."""
import json
import sys


def steps(number):
    n = 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        n += 1
    return n


def main():
    source, target = sys.stdin.buffer, sys.stdout.buffer
    target.write(b'hello\t1\t64\n')
    target.flush()
    for line in source:
        index, length = line.split(b'\t')
        source.read(int(length))  # with ItemsFile= the item itself; none with Items=
        status = 0
        try:
            if index == b'0':
                raise ValueError('0 never comes to 1')
            result = json.dumps(steps(int(index)))
        except ValueError as error:  # the item has failed, and the worker goes on
            status, result = 1, json.dumps(str(error))
        target.write(b'%s\t%d\t%d\n%s' % (index, status, len(result), result.encode()))
        target.flush()


main()
