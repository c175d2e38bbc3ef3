#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Services that speak, for test-service.sh: speaker.py MODE FOLDER [ARGUMENT…]

Each writes what it sees to files in FOLDER, and waits for files there or for
signals; none sleeps for a fixed time to be in time.
"""
import array
import http.server
import os
import signal
import socket
import sys
import time


def tell(folder, name, text):
    """Appends a line at once."""
    with open(os.path.join(folder, name), 'a', encoding='ascii') as file:
        file.write(text + '\n')


def wait_for(folder, name):
    while not os.path.exists(os.path.join(folder, name)):
        time.sleep(0.02)


def notify(text, descriptors=()):
    """sd_notify() with descriptors."""
    path = os.environ['NOTIFY_SOCKET']
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.connect('\0' + path[1:] if path.startswith('@') else path)
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', descriptors))] if descriptors else []
        channel.sendmsg([text.encode()], ancillary)


def given():
    """The descriptors by their names."""
    if os.environ.get('LISTEN_PID') != str(os.getpid()):
        return {}
    names = os.environ['LISTEN_FDNAMES'].split(':')
    return {name: 3 + at for at, name in enumerate(names)}


def run_reload(folder):
    """Type=notify-reload."""
    def on_hangup(_signal, _frame):
        notify(f'RELOADING=1\nMONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}')
        tell(folder, 'reloads', 'reloaded')
        wait_for(folder, 'reload-may-end')
        notify('READY=1')
    signal.signal(signal.SIGHUP, on_hangup)
    notify('READY=1')
    while True:
        signal.pause()


def run_store(folder):
    """Stores a pipe with a number in it; with the next start the number goes up."""
    held = given()
    if 'count' in held:
        number = int(os.read(held['count'], 16)) + 1
        # The writing end is stored, too, or the pipe would hang up.
        os.write(held['back'], str(number).encode())
    else:
        number = 1
        reading, writing = os.pipe()
        os.write(writing, b'1')
        notify('FDSTORE=1\nFDNAME=count', [reading])
        notify('FDSTORE=1\nFDNAME=back\nFDPOLL=0', [writing])
    tell(folder, 'numbers', str(number))
    # As sd_notify_barrier(): when the other end is closed everything before has been dealt with.
    reading, writing = os.pipe()
    notify('BARRIER=1', [writing])
    os.close(writing)
    os.read(reading, 1)
    notify('READY=1')
    signal.pause()


def run_watchdog(folder):
    """Pings a while, and then no more."""
    tell(folder, 'watchdog', 'mine' if os.environ.get('WATCHDOG_PID') == str(os.getpid()) else 'not mine')
    interval = int(os.environ['WATCHDOG_USEC']) / 4e6
    notify('READY=1')
    while not os.path.exists(os.path.join(folder, 'hang')):
        notify('WATCHDOG=1')
        time.sleep(interval)
    signal.pause()


def run_tcp(folder, port):
    """Listens only when it may."""
    wait_for(folder, 'may-listen')
    with socket.create_server(('127.0.0.1', int(port))) as server:
        while True:
            server.accept()[0].close()


def run_http(folder, port):
    """Answers 200, or 503 when it is ill."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            is_ill = os.path.exists(os.path.join(folder, 'ill'))
            self.send_response(503 if is_ill and self.path == '/health' else 200)
            self.end_headers()

        def log_message(self, *_arguments):
            pass
    server = http.server.HTTPServer(('127.0.0.1', int(port)), Handler)
    tell(folder, 'http', 'started')
    server.serve_forever()


def bus_message(serial, method, *strings, flags=None):
    """A call of the bus itself, little-endian."""
    def string(text):
        data = text.encode()
        return len(data).to_bytes(4, 'little') + data + b'\0'

    def pad(data, to):
        return data + b'\0' * (-len(data) % to)

    body = b''
    for text in strings:
        body = pad(body, 4) + string(text)
    signature = 's' * len(strings)
    if flags is not None:
        body = pad(body, 4) + flags.to_bytes(4, 'little')
        signature += 'u'
    fields = b''
    for code, kind, value in ((1, 'o', '/org/freedesktop/DBus'), (2, 's', 'org.freedesktop.DBus'), (3, 's', method),
                              (6, 's', 'org.freedesktop.DBus')):
        fields = pad(fields, 8) + bytes([code, 1]) + kind.encode() + b'\0' + string(value)
    if signature:
        fields = pad(fields, 8) + b'\x08\x01g\0' + bytes([len(signature)]) + signature.encode() + b'\0'
    header = b'l\x01\0\x01' + len(body).to_bytes(4, 'little') + serial.to_bytes(4, 'little')
    return pad(header + len(fields).to_bytes(4, 'little') + fields, 8) + body


def connect_to_bus():
    """As soon as there is one."""
    address = os.environ['DBUS_SESSION_BUS_ADDRESS'].split(',')[0]
    path = address.partition('=')[2]
    while True:
        bus = socket.socket(socket.AF_UNIX)
        try:
            bus.connect('\0' + path if address.startswith('unix:abstract') else path)
            return bus
        except OSError:
            bus.close()
            time.sleep(0.02)


def run_bus(folder, name):
    """Takes a name on the bus when it may."""
    with connect_to_bus() as bus:
        bus.sendall(b'\0AUTH EXTERNAL ' + str(os.getuid()).encode().hex().encode() + b'\r\n')
        bus.recv(4096)
        bus.sendall(b'BEGIN\r\n' + bus_message(1, 'Hello'))
        wait_for(folder, 'may-take-name')
        bus.sendall(bus_message(2, 'RequestName', name, flags=4))
        tell(folder, 'names', name)
        wait_for(folder, 'may-lose-name')
        bus.sendall(bus_message(3, 'ReleaseName', name))
        signal.pause()


if __name__ == '__main__':
    globals()['run_' + sys.argv[1]](*sys.argv[2:])
