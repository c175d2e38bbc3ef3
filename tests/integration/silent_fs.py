#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mount at FOLDER a file system that does not answer, say "ready", and stay until killed.

    silent_fs.py FOLDER

Whoever looks for a file in it hangs, until this gets SIGUSR1: then every name in it is that of a folder, also for those who
have asked before. "asked" is said for each question. The exit status is 77 where no such file system can be mounted.
"""
import ctypes
import errno
import os
import select
import signal
import struct
import sys

IN_HEADER = struct.Struct('=IIQQIIII')
OUT_HEADER = struct.Struct('=IiQ')
ATTRIBUTES = struct.pack('=QQQQQQIIIIIIIIII', 2, 0, 0, 0, 0, 0, 0, 0, 0, 0o40755, 2, 0, 0, 0, 4096, 0)
PARALLEL_LOOKUPS = 1 << 18             # a question does not wait for the answer to another
LOOKUP, FORGET, GETATTR, INIT, INTERRUPT, BATCH_FORGET = 1, 2, 3, 26, 36, 42


def mount(folder):
    try:
        fuse = os.open('/dev/fuse', os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        sys.exit(77)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f'fd={fuse},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other'
    if libc.mount(b'silent', folder.encode(), b'fuse', 6, options.encode()) != 0:
        sys.exit(77)
    return fuse


def answer(fuse, opcode, unique):
    replies = {
        INIT: struct.pack('=IIIIHHIIHHI28x', 7, 31, 0, PARALLEL_LOOKUPS, 0, 0, 4096, 0, 0, 0, 0),
        LOOKUP: struct.pack('=QQQQII', 2, 0, 1000, 1000, 0, 0) + ATTRIBUTES,
        GETATTR: struct.pack('=QII', 1000, 0, 0) + ATTRIBUTES,
    }
    reply = replies.get(opcode)
    error = -errno.ENOSYS if reply is None else 0
    try:
        os.write(fuse, OUT_HEADER.pack(OUT_HEADER.size + len(reply or b''), error, unique) + (reply or b''))
    except FileNotFoundError:
        pass                            # who has asked is gone


def main():
    fuse = mount(sys.argv[1])
    waiting, is_talking = [], False
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    while True:
        ready, _, _ = select.select([fuse, wake], [], [])
        if wake in ready:
            os.read(wake, 64)
            is_talking = True
        if fuse in ready:
            _, opcode, unique, *_ = IN_HEADER.unpack_from(os.read(fuse, 1 << 17))
            if opcode in (FORGET, INTERRUPT, BATCH_FORGET):
                continue
            if opcode == INIT:
                answer(fuse, opcode, unique)
                print('ready', flush=True)
                continue
            waiting.append((opcode, unique))
            print('asked', flush=True)
        while is_talking and waiting:
            answer(fuse, *waiting.pop(0))


main()
