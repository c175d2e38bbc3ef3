#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Elements of streams over the bus.

    stream_client.py flood STREAM COUNT GROUPS [WORD]   pushes with keys, whoever dies meanwhile; prints KEY NUMBER
    stream_client.py serve LIST-GROUPS LIST-ELEMENTS    with these methods does what the lines of standard input say (see stream.sh):
        push STREAM GROUP KEY DATA          prints the number
        many STREAM LINES                   GROUP TAB KEY TAB DATA in one call; prints the numbers
        open STREAM COUNT GROUPS            without keys, many calls at a time; prints the numbers
        groups STREAM [STATE]               GROUP STATE WAITING DONE FAILED
        elements STREAM [GROUP]             NUMBER GROUP STATE REASON TRIES DATA
        resolve STREAM GROUP NUMBER AS
"""

import os
import struct
import sys
import time

from bus_client import MANAGER, PATIENCE, Bus, pad

AT_ONCE = 50                            # calls of a client that wait for their answer; jobd keeps 64
BETWEEN, NEWLINE, END = '\x1f', '\x1d', '\x1e'    # words, and in their place; before the status


class Wire:
    """Arguments, one after the other."""

    def __init__(self):
        self.data = b''

    def text(self, value):
        text = value.encode()
        self.data = pad(self.data, 4) + struct.pack('<I', len(text)) + text + b'\0'
        return self

    def bytes(self, value):
        self.data = pad(self.data, 4) + struct.pack('<I', len(value)) + value
        return self

    def number(self, value):
        self.data = pad(self.data) + struct.pack('<Q', value)
        return self

    def small(self, value):
        self.data = pad(self.data, 4) + struct.pack('<I', value)
        return self

    def array(self, entries):
        """Of structs or entries of a dictionary, each of which a function writes behind those before."""
        self.data = pad(self.data, 4) + b'\0\0\0\0'
        place = len(self.data)
        self.data = pad(self.data)
        begin = len(self.data)
        for entry in entries:
            self.data = pad(self.data)
            entry(self)
        self.data = self.data[:place - 4] + struct.pack('<I', len(self.data) - begin) + self.data[place:]
        return self

    def filters(self, **values):
        def entry(key, value):
            def write(wire):
                wire.text(key)
                if isinstance(value, bool):
                    wire.data += b'\1b\0'
                    wire.small(int(value))
                else:
                    wire.data += b'\1s\0'
                    wire.text(value)
            return write
        return self.array(entry(key, value) for key, value in values.items())


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def align(self, to):
        self.at += -self.at % to

    def take(self, form, size):
        self.align(size)
        value, = struct.unpack_from(form, self.data, self.at)
        self.at += size
        return value

    def value(self, kind):
        """Of one of the types that are needed here, and what is left of the signature."""
        first, rest = kind[0], kind[1:]
        if first in 'yuitxb':
            form, size = {'y': ('<B', 1), 'u': ('<I', 4), 'i': ('<i', 4), 't': ('<Q', 8), 'x': ('<q', 8), 'b': ('<I', 4)}[first]
            return self.take(form, size), rest
        if first in 'so':
            size = self.take('<I', 4)
            value = self.data[self.at:self.at + size].decode()
            self.at += size + 1
            return value, rest
        if first == 'v':
            size = self.take('<B', 1)
            kind = self.data[self.at:self.at + size].decode()
            self.at += size + 1
            return self.value(kind)[0], rest
        if first == '{':
            self.align(8)
            key, rest = self.value(rest)
            value, rest = self.value(rest)
            return (key, value), rest[1:]
        size = self.take('<I', 4)
        self.align(8 if rest[0] in '({tx' else 4)
        end, values, left = self.at + size, [], None
        while self.at < end:
            value, left = self.value(rest)
            values.append(value)
        if left is None:
            left = Reader(b'\0' * 64).value(rest)[1] if rest[0] not in 'a{' else rest[rest.index('}') + 1:]
        if rest[0] == '{':
            return dict(values), left
        return (bytes(values) if rest[0] == 'y' else values), left


class Refused(Exception):
    pass


def read(message, kinds):
    body, _, fields = struct.unpack_from('<III', message, 4)
    reader = Reader(message[16 + fields + -fields % 8:])
    if message[1] == 3:
        raise Refused(reader.value('s')[0])
    values = []
    while kinds:
        value, kinds = reader.value(kinds)
        values.append(value)
    return values


def push_wire(stream, group, key, data):
    return Wire().text(stream).text(group).text(key).bytes(data).filters().data


def push(bus, stream, group, key, data):
    return read(bus.ask('Push', push_wire(stream, group, key, data), signature='sssaya{sv}'), 't')[0]


def rows(bus, method, **filters):
    interface, member = method.split()
    found, cursor = [], ''
    while True:
        wire = Wire().filters(**filters).small(0).text(cursor)
        page, cursor = read(bus.ask(member, wire.data, signature='a{sv}us', target=(MANAGER[0], interface)), 'aa{sv}s')
        found += page
        if not cursor:
            return found


def many(bus, stream, lines):
    def entry(line):
        group, key, data = line.split('\t')
        return lambda wire: wire.text(group).text(key).bytes(data.encode())
    wire = Wire().text(stream).array(entry(line) for line in lines).filters()
    return read(bus.ask('PushMany', wire.data, signature='sa(ssay)a{sv}'), 'at')[0]


def flood(path, stream, count, groups, word):
    """Each push is repeated until it is answered, as one who cannot know what became of it would do."""
    bus, end = None, time.monotonic() + PATIENCE
    for i in range(count):
        while True:
            try:
                bus = bus or Bus(path)
                print(f'{word}{i}', push(bus, stream, f'g{i % groups}', f'{word}{i}', f'{i}'.encode()), flush=True)
                break
            except (OSError, EOFError, Refused):
                bus = None
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)


def answer(bus, lists, verb, stream, *rest):
    """The lines that a verb prints."""
    if verb == 'push':
        return [push(bus, stream, rest[0], rest[1], rest[2].encode())]
    if verb == 'many':
        return [' '.join(str(number) for number in many(bus, stream, rest[0].splitlines()))]
    if verb == 'open':
        numbers, count = [], int(rest[0])
        for i in range(count):
            bus.send('Push', push_wire(stream, f'g{i % int(rest[1])}', '', f'{i}'.encode()), signature='sssaya{sv}')
            if i >= AT_ONCE:
                numbers.append(read(bus.reply(), 't')[0])
        return numbers + [read(bus.reply(), 't')[0] for _ in range(min(AT_ONCE, count))]
    if verb == 'groups':
        keys = 'group', 'state', 'waiting', 'done', 'failed'
        return [' '.join(str(row.get(key, '-')) for key in keys)
                for row in rows(bus, lists[0], stream=stream, **({'state': rest[0]} if rest else {}))]
    if verb == 'elements':
        keys = 'sequence', 'group', 'state', 'reason', 'tries'
        return [' '.join(str(row.get(key, '-')) for key in keys) + ' ' + row['data'].decode()
                for row in rows(bus, lists[1], stream=stream, data=True, **({'group': rest[0]} if rest else {}))]
    wire = Wire().text(stream).text(rest[0]).number(int(rest[1])).text(rest[2]).bytes(b'')
    read(bus.ask('ResolveElement', wire.data, signature='sstsay'), '')
    return []


def serve(path, lists):
    """Each line is a verb with its arguments; the last line of an answer has the exit status of one."""
    bus = None
    for line in sys.stdin:
        words, lines, status = line.rstrip('\n').split(BETWEEN)[:-1], [], 0
        try:
            bus = bus or Bus(path)
            lines = answer(bus, lists, *(word.replace(NEWLINE, '\n') for word in words))
        except Refused as refusal:
            lines, status = [refusal], 1
        except (OSError, EOFError):
            bus, lines, status = None, ['The connection was lost.'], 7
        print(*lines, f'{END}{status}', sep='\n', flush=True)


def main(verb, *rest):
    path = os.environ['JOBD_SOCKET']
    if verb == 'flood':
        flood(path, rest[0], int(rest[1]), int(rest[2]), rest[3] if len(rest) > 3 else 'k')
    else:
        serve(path, rest)


main(*sys.argv[1:])
