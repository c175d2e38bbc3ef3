# SPDX-License-Identifier: LGPL-2.1-or-later
"""cockpit-bridge, on GDBus: what Cockpit's page of services asks for, in its own protocol."""
# needs: cockpit-bridge
import json
import os
import subprocess
import sys
import time

sys.path[0] = os.environ['CLIENTS']
# pylint: disable=wrong-import-position
from steps import PATIENCE, begin, end, text_of  # noqa: E402

NAME = 'org.freedesktop.systemd1'
ROOT = '/org/freedesktop/systemd1'
PLAIN = f'{ROOT}/unit/plain_2eservice'


class Bridge:
    """One bridge, with one channel to the message bus of the user."""

    def __init__(self):
        # With an agent of ssh, even one that is not there, the bridge does not start its own, which needs /tmp.
        self.process = subprocess.Popen(['cockpit-bridge'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=os.environ | {'SSH_AUTH_SOCK': '/nonexistent'})
        self.notes = []
        self.n = 0
        self.send('', {'command': 'init', 'version': 1, 'host': 'localhost'})
        self.send('', {'command': 'open', 'channel': 'a', 'payload': 'dbus-json3', 'bus': 'session', 'name': NAME})

    def send(self, channel, message):
        data = f'{channel}\n{json.dumps(message)}'.encode()
        self.process.stdin.write(f'{len(data)}\n'.encode() + data)
        self.process.stdin.flush()

    def receive(self):
        """The next message of the channel."""
        while True:
            size = int(self.process.stdout.readline())
            channel, _, data = self.process.stdout.read(size).partition(b'\n')
            message = json.loads(data)
            if channel == b'a':
                return message
            if message.get('command') == 'close':
                raise RuntimeError(f'the channel is closed: {message}')

    def answer(self, message):
        self.n += 1
        self.send('a', message | {'id': str(self.n)})
        while True:
            got = self.receive()
            if got.get('id') == str(self.n):
                return got
            self.notes.append(got)

    def call(self, path, method, *arguments, kind=None):
        interface, _, member = method.rpartition('.')
        call = {'call': [path, interface, member, list(arguments)]}
        return self.answer(call | ({'type': kind} if kind else {}))

    def until(self, is_right):
        """The first note from now on, or before, that is right."""
        end_time = time.monotonic() + PATIENCE
        while time.monotonic() < end_time:
            for note in self.notes:
                if is_right(note):
                    return note
            self.notes.append(self.receive())
        raise TimeoutError


def show(name, answer):
    begin(name)
    if 'error' in answer:
        end([f'error {answer["error"][0]}', f'text {answer["error"][1]}'], 'error')
    else:
        end(text_of(answer.get('reply', [[]])[0]), '0')


def note_of(path, interface, key, value):
    """Whether a note says that the property has the value."""
    return lambda note: note.get('notify', {}).get(path, {}).get(interface, {}).get(key) == value


def main():
    bridge = Bridge()
    manager = f'{NAME}.Manager'
    show('Subscribe', bridge.call(ROOT, f'{manager}.Subscribe'))
    show('ListUnitFiles', {'reply': [sorted(file for file in bridge.call(ROOT, f'{manager}.ListUnitFiles')['reply'][0][0]
                                            if 'plain' in file[0])]})
    show('LoadUnit', bridge.call(ROOT, f'{manager}.LoadUnit', 'plain.service'))
    show('GetUnit', bridge.call(ROOT, f'{manager}.GetUnit', 'nothing.service'))
    begin('watch')
    bridge.answer({'watch': {'path': PLAIN}})
    bridge.until(note_of(PLAIN, f'{NAME}.Unit', 'ActiveState', 'inactive'))
    end([], '0')
    begin('StartUnit')
    bridge.send('a', {'add-match': {'interface': manager, 'member': 'JobRemoved'}})
    path = bridge.call(ROOT, f'{manager}.StartUnit', 'plain.service', 'replace')['reply'][0][0]
    ended = bridge.until(lambda note: note.get('signal', ['', '', '', [0, '']])[3][1] == path)['signal']
    bridge.until(note_of(PLAIN, f'{NAME}.Unit', 'ActiveState', 'active'))
    end([ended[2], *ended[3][2:]], '0')
    show('GetAll', {'reply': [sorted(bridge.call(PLAIN, 'org.freedesktop.DBus.Properties.GetAll', f'{NAME}.Unit')['reply'][0][0])]})
    show('Get', bridge.call(PLAIN, 'org.freedesktop.DBus.Properties.Get', f'{NAME}.Unit', 'SubState'))
    show('Get of nothing', bridge.call(PLAIN, 'org.freedesktop.DBus.Properties.Get', f'{NAME}.Unit', 'Nonsense'))
    show('a method with a type', bridge.call(ROOT, f'{manager}.ResetFailedUnit', 'plain.service', kind='s'))
    show('a wrong type', bridge.call(ROOT, f'{manager}.ResetFailedUnit', 5, kind='u'))
    show('StartUnit nothing', bridge.call(ROOT, f'{manager}.StartUnit', 'nothing.service', 'replace'))
    show('EnableUnitFiles', bridge.call(ROOT, f'{manager}.EnableUnitFiles', ['plain.service'], True, False))
    show('DisableUnitFiles', bridge.call(ROOT, f'{manager}.DisableUnitFiles', ['plain.service'], True))
    show('Reload', bridge.call(ROOT, f'{manager}.Reload'))
    begin('StopUnit')
    bridge.notes.clear()
    bridge.call(ROOT, f'{manager}.StopUnit', 'plain.service', 'replace')
    bridge.until(note_of(PLAIN, f'{NAME}.Unit', 'ActiveState', 'inactive'))
    end([], '0')
    bridge.process.stdin.close()
    bridge.process.wait()


main()
