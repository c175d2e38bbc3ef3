# SPDX-License-Identifier: LGPL-2.1-or-later
"""A client of the private socket that writes and reads messages itself, and crowds of such clients, of any user."""

import mmap
import os
import select
import socket
import struct

PATIENCE = 300                          # seconds; it only ends a test that hangs
MANAGER = ('/org/jobd1', 'org.jobd1.Manager')
GREETING = b'\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n'
REPLIES = 2, 3                          # the types of messages that end a call


def pad(data, to=8):
    return data + b'\0' * (-len(data) % to)


def string(text):
    return struct.pack('<I', len(text)) + text.encode() + b'\0'


def call(serial, member, *arguments, target=MANAGER, signature=None, descriptors=0):
    """A message that calls a method with strings; with a signature the arguments are bytes of the wire. As many descriptors
    have to go with it."""
    path, interface = target
    fields = b''
    for code, kind, value in (1, 'o', path), (2, 's', interface), (3, 's', member):
        fields = pad(fields) + bytes([code, 1]) + kind.encode() + b'\0' + string(value)
    body = b''
    for argument in arguments:
        body = body + argument if signature else pad(body, 4) + string(argument)
    signature = signature or 's' * len(arguments)
    if signature:
        fields = pad(fields) + bytes([8, 1]) + b'g\0' + bytes([len(signature)]) + signature.encode() + b'\0'
    if descriptors:
        fields = pad(fields) + bytes([9, 1]) + b'u\0' + struct.pack('<I', descriptors)
    return pad(struct.pack('<BBBBIII', ord('l'), 1, 0, 1, len(body), serial, len(fields)) + fields) + body


def size_of_message(data):
    """Or None, if that has not come yet."""
    if len(data) < 16:
        return None
    body, _, fields = struct.unpack_from('<III', data, 4)
    return 16 + fields + -fields % 8 + body


def drop_messages(data):
    """What is left of it, and how many of the messages in it end a call."""
    n, at = 0, 0
    while True:
        size = size_of_message(data[at:at + 16])
        if size is None or at + size > len(data):
            return data[at:], n
        n += data[at + 1] in REPLIES
        at += size


class Bus:
    """A connection."""

    def __init__(self, path):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(path)         # with a time limit it would not wait for room in the queue
        self.link.settimeout(PATIENCE)
        self.link.sendall(b'\0AUTH EXTERNAL ' + str(os.getuid()).encode().hex().encode() + b'\r\n')
        if not self.link.recv(200).startswith(b'OK'):
            raise EOFError
        self.link.sendall(b'BEGIN\r\n')
        self.serial, self.rest = 0, b''

    def message(self):
        while True:
            size = size_of_message(self.rest)
            if size is not None and len(self.rest) >= size:
                message, self.rest = self.rest[:size], self.rest[size:]
                return message
            more = self.link.recv(1 << 20)
            if not more:
                raise EOFError
            self.rest += more

    def send(self, member, *arguments, **how):
        self.serial += 1
        self.link.sendall(call(self.serial, member, *arguments, **how))

    def reply(self):
        while True:
            message = self.message()
            if message[1] in REPLIES:
                return message

    def ask(self, member, *arguments, **how):
        self.send(member, *arguments, **how)
        return self.reply()

    def close(self):
        self.link.close()


def send(link, data):
    """That it is closed is told when it is read."""
    try:
        link.sendall(data)
    except OSError:
        pass


class Crowd:
    """
    Clients in a process of their own, as a user: COUNT connections that greet, each with one call (or none) on its way,
    which is sent again once it is answered, ROUNDS times; what else comes is read and dropped.
    """

    def __init__(self, path, count, uid=0, greets=True, message=None, rounds=1):
        self.counts = mmap.mmap(-1, 16)         # answers; connections that were closed from the other side
        ready, says_ready = os.pipe()
        self.until, self.end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.end)
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                self.run(path, (count, greets, message, rounds), says_ready, self.until)
            finally:
                os._exit(1)
        os.close(says_ready)
        self.is_ready = os.read(ready, 1) == b'x'
        os.close(ready)

    def run(self, path, how, says_ready, until):
        count, greets, message, rounds = how
        poll = select.epoll()
        poll.register(until, select.EPOLLIN)
        links, left, is_greeted = {}, {}, set()
        for _ in range(count):
            link = socket.socket(socket.AF_UNIX)
            link.connect(path)
            links[link.fileno()], left[link.fileno()] = link, rounds
        closed = answers = 0
        rest = {}
        for fd, link in links.items():
            link.setblocking(False)
            poll.register(fd, select.EPOLLIN)
            if greets:
                send(link, GREETING)
        while True:
            if says_ready is not None and (not greets or len(is_greeted) + closed == count):
                for fd in is_greeted if message else []:
                    send(links[fd], message)
                os.write(says_ready, b'x')
                says_ready = os.close(says_ready)
            for fd, _ in poll.poll():
                if fd == until:
                    os._exit(0)
                try:
                    data = links[fd].recv(1 << 18)
                except BlockingIOError:
                    continue
                except OSError:
                    data = b''
                if not data:
                    poll.unregister(fd)
                    is_greeted.discard(fd)
                    closed += 1
                elif fd not in is_greeted:
                    rest[fd] = rest.get(fd, b'') + data
                    if rest[fd].count(b'\r\n') == 2:
                        is_greeted.add(fd)
                        rest[fd] = b''
                elif message:
                    rest[fd], n = drop_messages(rest[fd] + data)
                    answers += n
                    left[fd] -= n
                    if n > 0 and left[fd] > 0:
                        send(links[fd], message)
                struct.pack_into('<QQ', self.counts, 0, answers, closed)

    def answers(self):
        return struct.unpack_from('<Q', self.counts, 0)[0]

    def closed(self):
        return struct.unpack_from('<Q', self.counts, 8)[0]

    def end_soon(self):
        os.write(self.end, b'x')        # not closed: a crowd that was made later has this descriptor, too

    def stop(self):
        self.end_soon()
        os.waitpid(self.pid, 0)
        os.close(self.end)
        os.close(self.until)
