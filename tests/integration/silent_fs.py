#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mount at FOLDER a file system that never answers, say "ready", and stay until killed.

    silent_fs.py FOLDER

It takes the kernel's greeting and nothing more: whoever looks for a file in it hangs. The exit status is 77 where no such
file system can be mounted.
"""
import ctypes
import os
import signal
import struct
import sys

IN_HEADER = struct.Struct('=IIQQIIII')
FUSE_INIT = 26


def main():
    folder = sys.argv[1]
    try:
        fuse = os.open('/dev/fuse', os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        sys.exit(77)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f'fd={fuse},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other'
    if libc.mount(b'silent', folder.encode(), b'fuse', 6, options.encode()) != 0:
        sys.exit(77)
    request = os.read(fuse, 1 << 17)
    _, opcode, unique, *_ = IN_HEADER.unpack_from(request)
    assert opcode == FUSE_INIT
    welcome = struct.pack('=IIIIHHIIHHI28x', 7, 31, 0, 0, 0, 0, 4096, 0, 0, 0, 0)
    os.write(fuse, struct.pack('=IiQ', 16 + len(welcome), 0, unique) + welcome)
    print('ready', flush=True)
    signal.pause()


main()
