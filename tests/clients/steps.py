# SPDX-License-Identifier: LGPL-2.1-or-later
"""For the scripts of libraries in Python: each step is a function whose result or error is compared between two managers."""
import re
import subprocess
import time

PATIENCE = 30


def text_of(value):
    """A value in lines: of a list one for each, of a mapping sorted ones."""
    if isinstance(value, dict):
        return [f'{key}: {value[key]!r}' for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    return [] if value is None else [str(value)]


def begin(name):
    print(f'@@ {name}')


def end(lines, status):
    for line in lines:
        print(re.sub(r'\s*\n\s*', ' ', line))
    print(f'@@ exit {status}', flush=True)


def step(name, function, *arguments):
    """What an error is called is a line of its own, beside what it says. Returns the result, or None."""
    begin(name)
    try:
        result = function(*arguments)
    except Exception as error:  # pylint: disable=broad-except
        end(lines_of_error(error), 'error')
        return None
    end(text_of(result), '0')
    return result


def lines_of_error(error):
    """dbus-python, dbus-next and pystemd name and explain an error each in its own way."""
    name = error.get_dbus_name() if hasattr(error, 'get_dbus_name') else getattr(error, 'type', type(error).__name__)
    text = error.get_dbus_message() if hasattr(error, 'get_dbus_message') else getattr(error, 'text', str(error))
    return [f'error {getattr(name, "value", name)}', f'text {text}']


def systemctl(*words):
    return subprocess.run(['systemctl', '--user', *words], capture_output=True, text=True, check=False).stdout.strip()


def wait_until_state(unit, state):
    end_time = time.monotonic() + PATIENCE
    while systemctl('show', '-P', 'ActiveState', unit) != state and time.monotonic() < end_time:
        time.sleep(0.02)
