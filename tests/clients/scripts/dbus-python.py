# SPDX-License-Identifier: LGPL-2.1-or-later
"""dbus-python, on libdbus: calls, errors, and signals in GLib's main loop, where that is installed."""
# needs: python:dbus
import os
import sys

sys.path[0] = os.environ['CLIENTS']
# pylint: disable=wrong-import-position
import dbus  # noqa: E402
from steps import step, wait_until_state  # noqa: E402

NAME = 'org.freedesktop.systemd1'
ROOT = '/org/freedesktop/systemd1'


def plain(value):
    """A value without dbus-python's types."""
    if isinstance(value, dbus.Dictionary):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dbus.Boolean):
        return bool(value)
    return None if value is None else int(value) if isinstance(value, int) else str(value)


def call(name, method, *arguments):
    return step(name, lambda: plain(method(*arguments)))


def main():
    bus = dbus.SessionBus()
    manager = dbus.Interface(bus.get_object(NAME, ROOT), f'{NAME}.Manager')
    path = call('LoadUnit', manager.LoadUnit, 'plain.service')
    call('GetUnit nothing', manager.GetUnit, 'nothing.service')
    call('StartUnit', lambda: manager.StartUnit('plain.service', 'replace').rpartition('/')[0])
    wait_until_state('plain.service', 'active')
    call('ListUnitsByNames', manager.ListUnitsByNames, ['plain.service'])
    call('ListUnitsFiltered', manager.ListUnitsFiltered, ['failed'])
    call('ListUnitFilesByPatterns', manager.ListUnitFilesByPatterns, [], ['plain*'])
    unit = bus.get_object(NAME, path)
    properties = dbus.Interface(unit, 'org.freedesktop.DBus.Properties')
    call('Get', properties.Get, f'{NAME}.Unit', 'SubState')
    call('Get of nothing', properties.Get, f'{NAME}.Unit', 'Nonsense')
    call('Set', properties.Set, f'{NAME}.Unit', 'Id', 'a')
    call('GetAll', lambda: sorted(str(key) for key in properties.GetAll(f'{NAME}.Unit')))
    call('Stop', lambda: unit.Stop('replace', dbus_interface=f'{NAME}.Unit').rpartition('/')[0])
    wait_until_state('plain.service', 'inactive')
    call('StartTransientUnit', lambda: manager.StartTransientUnit('made.service', 'fail', [
        ('Description', 'Made'), ('ExecStart', dbus.Array([('/bin/sleep', ['sleep', '1000'], False)], signature='(sasb)'))],
        dbus.Array([], signature='(sa(sv))')).rpartition('/')[0])
    wait_until_state('made.service', 'active')
    call('StartTransientUnit again', manager.StartTransientUnit, 'made.service', 'fail', dbus.Array([], signature='(sv)'),
         dbus.Array([], signature='(sa(sv))'))
    call('KillUnit', manager.KillUnit, 'made.service', 'all', 9)
    wait_until_state('made.service', 'failed')
    call('ResetFailedUnit', manager.ResetFailedUnit, 'made.service')
    call('a job that runs', lambda: manager.StartUnit('slow.service', 'replace').rpartition('/')[0])
    wait_until_state('slow.service', 'activating')
    call('ListJobs', lambda: [list(job)[1:4] for job in manager.ListJobs()])
    call('CancelJob', lambda: manager.CancelJob(manager.ListJobs()[0][0]))
    call('ListJobs after it', manager.ListJobs)
    call('StopUnit', lambda: manager.StopUnit('slow.service', 'replace').rpartition('/')[0])
    call('EnableUnitFiles', manager.EnableUnitFiles, ['plain.service'], True, False)
    call('DisableUnitFiles', manager.DisableUnitFiles, ['plain.service'], True)
    call('Nonsense', manager.Nonsense)
    call('StartUnit with one argument', lambda: bus.call_blocking(NAME, ROOT, f'{NAME}.Manager', 'StartUnit', 's', ['plain.service']))
    call('Introspect', lambda: 'ActiveState' in unit.Introspect(dbus_interface='org.freedesktop.DBus.Introspectable'))


main()
