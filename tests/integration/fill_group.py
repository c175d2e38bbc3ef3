#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""fill_group.py FOLDER: a control group gets as many programs for devices as the kernel lets it have."""

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBER = {'x86_64': 321, 'aarch64': 280, 'riscv64': 280}.get(platform.machine())
LOAD, ATTACH, CGROUP_DEVICE, PROGRAM_CGROUP_DEVICE, ALLOW_MULTI = 5, 8, 6, 15, 2
libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes.ljust(128, b'\0'), 128)
    result = libc.syscall(NUMBER, command, buffer, 128)
    if result < 0:
        raise OSError(ctypes.get_errno(), 'bpf')
    return result


def main():
    folder = os.open(sys.argv[1], os.O_RDONLY)
    # r0 = 1; exit
    code = ctypes.create_string_buffer(struct.pack('<BBhiBBhi', 0xb7, 0, 0, 1, 0x95, 0, 0, 0))
    licence = ctypes.create_string_buffer(b'LGPL-2.1-or-later')
    while True:
        program = bpf(LOAD, struct.pack('=IIQQ', PROGRAM_CGROUP_DEVICE, 2, ctypes.addressof(code), ctypes.addressof(licence)))
        try:
            bpf(ATTACH, struct.pack('=IIII', folder, program, CGROUP_DEVICE, ALLOW_MULTI))
        except OSError as error:
            return error.errno != errno.E2BIG
        finally:
            os.close(program)


if __name__ == '__main__':
    sys.exit(NUMBER is None or main())
