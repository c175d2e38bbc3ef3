#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Both ends of connections, for the tests of sockets.

    socket_peer.py serve [EXCHANGES]     what it is given as sd_listen_fds(3) has it: each line is answered by
                                         "PID NAMES INDEX LINE"; it exits after so many exchanges
    socket_peer.py talk ADDRESS LINE [FILE]
                                         sends a line, makes FILE then, and prints all that is answered
    socket_peer.py send ADDRESS LINE     sends a datagram
    socket_peer.py wave ADDRESS N AT_ONCE
                                         N connections, so many at once, each of which sends a line of its own and wants
                                         it back; prints how many did
    socket_peer.py hold ADDRESS N FILE   opens N connections, says so by making FILE, and waits for its standard input to end
    socket_peer.py listening ADDRESS     exits with 0 if somebody listens there

ADDRESS is a path, @name, or HOST:PORT.
"""
import os
import select
import socket
import sys


def address_of(text):
    if text[0] == '@':
        return socket.AF_UNIX, '\0' + text[1:]
    if text[0] == '/':
        return socket.AF_UNIX, text
    host, port = text.rsplit(':', 1)
    return (socket.AF_INET6 if ':' in host else socket.AF_INET), (host.strip('[]'), int(port))


def connect(text, kind=socket.SOCK_STREAM):
    family, address = address_of(text)
    made = socket.socket(family, kind)
    made.connect(address)
    return made


def read_all(made):
    parts = []
    while part := made.recv(4096):
        parts.append(part)
    return b''.join(parts)


def serve(exchanges=0):
    exchanges = int(exchanges)
    if int(os.environ['LISTEN_PID']) != os.getpid():
        sys.exit('LISTEN_PID is %s, not %d' % (os.environ['LISTEN_PID'], os.getpid()))
    given = range(3, 3 + int(os.environ['LISTEN_FDS']))
    done = 0
    while exchanges == 0 or done < exchanges:
        for fd in select.select(given, [], [])[0]:
            said = '%d %s %d ' % (os.getpid(), os.environ['LISTEN_FDNAMES'], fd - 3)
            try:
                own = socket.socket(fileno=os.dup(fd))
            except OSError:                                     # a FIFO
                with open(os.environ['ANSWERS'], 'a') as answers:
                    answers.write(said + os.read(fd, 4096).decode())
                done += 1
                continue
            if own.type == socket.SOCK_STREAM:
                peer = own.accept()[0]
                peer.sendall(said.encode() + peer.makefile('rb').readline())
                peer.close()
            else:
                with open(os.environ['ANSWERS'], 'a') as answers:
                    answers.write(said + own.recv(4096).decode())
            own.close()
            done += 1


def talk(address, line, path=None):
    made = connect(address)
    made.sendall(line.encode() + b'\n')
    if path:
        open(path, 'w').close()
    sys.stdout.write(read_all(made).decode())


def send(address, line):
    connect(address, socket.SOCK_DGRAM).send(line.encode() + b'\n')


def wave(address, n, at_once):
    n, at_once, good = int(n), int(at_once), 0
    for first in range(0, n, at_once):
        lines = [b'line %d\n' % i for i in range(first, min(first + at_once, n))]
        made = [connect(address) for line in lines]
        for one, line in zip(made, lines):
            one.sendall(line)
            one.shutdown(socket.SHUT_WR)
        for one, line in zip(made, lines):
            good += read_all(one).endswith(line)
            one.close()
    print(good)


def hold(address, n, path):
    made = [connect(address) for i in range(int(n))]
    with open(path, 'w') as said:
        said.write('%d\n' % len(made))
    sys.stdin.read()


def listening(address):
    try:
        connect(address).close()
    except OSError:
        sys.exit(1)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
