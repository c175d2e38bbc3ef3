# SPDX-License-Identifier: LGPL-2.1-or-later
"""pystemd, on sd-bus: units and the manager as objects, and its run()."""
# needs: python:pystemd
import io
import os
import sys

sys.path[0] = os.environ['CLIENTS']
# pylint: disable=wrong-import-position
import pystemd  # noqa: E402
import pystemd.run  # noqa: E402
from pystemd.dbuslib import DBus  # noqa: E402
from pystemd.systemd1 import Manager, Unit  # noqa: E402
from steps import step, wait_until_state  # noqa: E402


def run(command, **options):
    """What pystemd's run() has of a unit that it waited for."""
    unit = pystemd.run(command, user_mode=True, **options)
    return [unit.Service.Result, unit.Service.ExecMainStatus, unit.Unit.ActiveState, unit.Unit.SubState]


def output_of(command, **options):
    with open('/run/tmp/output', 'w+b') as file:
        pystemd.run(command, user_mode=True, wait=True, stdout=file, **options)
        file.seek(0)
        return io.BytesIO(file.read()).getvalue()


def check_unit(bus):
    unit = Unit(b'plain.service', bus=bus)
    step('load', unit.load)
    step('ActiveState', lambda: unit.Unit.ActiveState)
    step('Start', lambda: unit.Unit.Start(b'replace').rpartition(b'/')[0])
    wait_until_state('plain.service', 'active')
    step('ActiveState again', lambda: unit.Unit.ActiveState)
    step('SubState', lambda: unit.Unit.SubState)
    step('StopWhenUnneeded', lambda: unit.Unit.StopWhenUnneeded)
    step('MainPID', lambda: unit.Service.MainPID > 0)
    step('GetProcesses', lambda: [group for group, pid, name in unit.Service.GetProcesses()])
    step('ExecStart', lambda: [command[:3] for command in unit.Service.ExecStart])
    step('Restart', lambda: unit.Unit.Restart(b'replace').rpartition(b'/')[0])
    wait_until_state('plain.service', 'active')
    step('Restart with no mode', lambda: unit.Unit.Restart(b'nonsense'))
    step('interfaces', lambda: sorted(unit._interfaces))  # pylint: disable=protected-access
    step('methods of Unit', lambda: sorted(unit.Unit.methods))
    step('properties of Unit', lambda: sorted(unit.Unit.properties))
    step('Kill', lambda: unit.Unit.Kill(b'main', 9))
    wait_until_state('plain.service', 'failed')
    step('Result', lambda: unit.Service.Result)
    step('ResetFailed', lambda: unit.Unit.ResetFailed())  # pylint: disable=unnecessary-lambda
    step('ActiveState at the end', lambda: unit.Unit.ActiveState)
    absent = Unit(b'nothing.service', bus=bus)
    step('load of nothing', absent.load)
    step('LoadState of nothing', lambda: absent.Unit.LoadState)
    step('Start of nothing', lambda: absent.Unit.Start(b'replace'))


def check_manager(bus):
    manager = Manager(bus=bus)
    step('load of the manager', manager.load)
    step('Architecture', lambda: manager.Manager.Architecture)
    step('Version', lambda: manager.Manager.Version[:3])
    step('SystemState', lambda: manager.Manager.SystemState)
    step('GetUnit', lambda: manager.Manager.GetUnit(b'nothing.service'))
    step('GetUnitFileState', lambda: manager.Manager.GetUnitFileState(b'plain.service'))
    step('ListUnitFiles', lambda: sorted(file for file in manager.Manager.ListUnitFiles() if b'plain' in file[0]))
    step('EnableUnitFiles', lambda: manager.Manager.EnableUnitFiles([b'plain.service'], True, False))
    step('DisableUnitFiles', lambda: manager.Manager.DisableUnitFiles([b'plain.service'], True))
    step('StartUnit', lambda: manager.Manager.StartUnit(b'fails.service', b'replace').rpartition(b'/')[0])
    wait_until_state('fails.service', 'failed')
    step('NFailedUnits', lambda: manager.Manager.NFailedUnits)
    step('a job that runs', lambda: manager.Manager.StartUnit(b'slow.service', b'replace').rpartition(b'/')[0])
    wait_until_state('slow.service', 'activating')
    step('ListJobs', lambda: [job[1:4] for job in manager.Manager.ListJobs()])
    step('CancelJob', lambda: manager.Manager.CancelJob(manager.Manager.ListJobs()[0][0]))
    step('ListJobs after it', manager.Manager.ListJobs)
    step('StopUnit', lambda: manager.Manager.StopUnit(b'slow.service', b'replace').rpartition(b'/')[0])
    step('SetUnitProperties', lambda: manager.Manager.SetUnitProperties(b'plain.service', True, {b'TasksMax': 44}))
    step('Reload', manager.Manager.Reload)
    step('Unsubscribe', manager.Manager.Unsubscribe)
    step('methods of Manager', lambda: sorted(manager.Manager.methods))
    step('properties of Manager', lambda: sorted(manager.Manager.properties))


def check_run():
    step('run', lambda: run([b'/bin/true'], wait=True, remain_after_exit=True, name=b'remains.service'))
    step('run that fails', lambda: run([b'/bin/sh', b'-c', b'exit 3'], wait=True, name=b'failing.service'))
    step('run with output', lambda: output_of([b'/bin/echo', b'text']))
    step('run with a folder', lambda: output_of([b'/bin/pwd'], cwd=b'/usr'))
    step('run with variables', lambda: output_of([b'/bin/sh', b'-c', b'echo $A'], env={b'A': b'value'}))
    step('run with nice', lambda: output_of([b'/bin/sh', b'-c', b'nice'], nice=5))
    step('run with more', lambda: output_of([b'/bin/sh', b'-c', b'ulimit -n'], extra={b'LimitNOFILE': 333}))
    step('run of nothing', lambda: run([b'/nonexistent'], wait=True, name=b'absent.service'))
    step('run with a nonsense', lambda: run([b'/bin/true'], extra={b'Nonsense': b'yes'}))


with DBus(user_mode=True) as user_bus:
    check_unit(user_bus)
    check_manager(user_bus)
check_run()
