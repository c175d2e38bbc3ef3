# SPDX-License-Identifier: LGPL-2.1-or-later
"""dbus-next for Python, on asyncio: proxies made from introspection, errors by name, signals in order."""
# needs: python:dbus_next
import asyncio
import os
import sys

sys.path[0] = os.environ['CLIENTS']
# pylint: disable=wrong-import-position
from dbus_next import DBusError, Variant  # noqa: E402
from dbus_next.aio import MessageBus  # noqa: E402
from steps import PATIENCE, begin, end, lines_of_error, text_of  # noqa: E402

NAME = 'org.freedesktop.systemd1'
ROOT = '/org/freedesktop/systemd1'
DROP_INS = os.path.expanduser('~/.config/systemd/user/plain.service.d')


async def step(name, awaitable):
    begin(name)
    try:
        result = await asyncio.wait_for(awaitable, PATIENCE)
    except (DBusError, asyncio.TimeoutError) as error:
        end(lines_of_error(error), 'error')
        return None
    end(text_of(result), '0')
    return result


class Signals:
    """The manager's signals about some units, as they come."""

    def __init__(self, manager, units):
        self.seen = []
        self.units = units
        self.wants_units = False
        self.changed = asyncio.Event()
        manager.on_job_new(lambda job, path, unit: self.add(unit, f'JobNew {unit}'))
        manager.on_job_removed(lambda job, path, unit, result: self.add(unit, f'JobRemoved {unit} {result}'))
        manager.on_unit_new(lambda unit, path: self.add_if_wanted(unit, f'UnitNew {unit}'))
        manager.on_unit_removed(lambda unit, path: self.add_if_wanted(unit, f'UnitRemoved {unit}'))
        manager.on_unit_files_changed(lambda: self.add(None, 'UnitFilesChanged'))
        manager.on_reloading(lambda active: self.add(None, f'Reloading {active}'))

    def add(self, unit, text):
        if unit is None or unit in self.units:
            self.seen.append(text)
            self.changed.set()

    def add_if_wanted(self, unit, text):
        if self.wants_units:
            self.add(unit, text)

    async def until(self, text):
        """All that has come, once @text is among it."""
        while text not in self.seen:
            self.changed.clear()
            await self.changed.wait()
        seen, self.seen = self.seen, []
        return seen


async def object_of(bus, path):
    return bus.get_proxy_object(NAME, path, await bus.introspect(NAME, path))


async def unit_of(bus, manager, name):
    it = await object_of(bus, await manager.call_load_unit(name))
    return it, it.get_interface(f'{NAME}.Unit'), it.get_interface('org.freedesktop.DBus.Properties')


async def check_errors(manager):
    """The name of each error is part of the interface."""
    for name, call in [
            ('GetUnit nothing', manager.call_get_unit('nothing.service')),
            ('GetUnit of no name', manager.call_get_unit('no name')),
            ('LoadUnit of no name', manager.call_load_unit('no name')),
            ('StartUnit nothing', manager.call_start_unit('nothing.service', 'replace')),
            ('StartUnit with no mode', manager.call_start_unit('plain.service', 'nonsense')),
            ('StartUnit manual', manager.call_start_unit('manual.service', 'replace')),
            ('StartUnit broken', manager.call_start_unit('broken.service', 'replace')),
            ('StartUnit isolate', manager.call_start_unit('plain.service', 'isolate')),
            ('ReloadUnit once', manager.call_reload_unit('once.service', 'replace')),
            ('StartUnit needs-missing', manager.call_start_unit('needs-missing.service', 'replace')),
            ('StopUnit nothing', manager.call_stop_unit('nothing.service', 'replace')),
            ('EnqueueUnitJob of no type', manager.call_enqueue_unit_job('plain.service', 'nonsense', 'replace')),
            ('GetJob', manager.call_get_job(4000000)),
            ('CancelJob', manager.call_cancel_job(4000000)),
            ('GetUnitByPID', manager.call_get_unit_by_pid(4000000)),
            ('GetUnitByControlGroup', manager.call_get_unit_by_control_group('/nothing')),
            ('GetUnitByInvocationID', manager.call_get_unit_by_invocation_id(b'12')),
            ('GetUnitFileState nothing', manager.call_get_unit_file_state('nothing.service')),
            ('GetUnitFileState of no name', manager.call_get_unit_file_state('no name')),
            ('KillUnit inactive', manager.call_kill_unit('once.service', 'all', 15)),
            ('KillUnit no signal', manager.call_kill_unit('plain.service', 'all', 1000)),
            ('KillUnit nobody', manager.call_kill_unit('plain.service', 'nobody', 15)),
            ('KillUnit nothing', manager.call_kill_unit('nothing.service', 'all', 15)),
            ('ResetFailedUnit nothing', manager.call_reset_failed_unit('nothing.service')),
            ('SetUnitProperties unknown', manager.call_set_unit_properties('plain.service', True, [['Nonsense', Variant('s', 'a')]])),
            ('SetUnitProperties wrong type', manager.call_set_unit_properties('plain.service', True, [['TasksMax', Variant('s', 'a')]])),
            ('SetUnitProperties nothing', manager.call_set_unit_properties('nothing.service', True, [['TasksMax', Variant('t', 5)]])),
            ('StartTransientUnit there', manager.call_start_transient_unit('plain.service', 'fail', [], [])),
            ('StartTransientUnit no name', manager.call_start_transient_unit('no name', 'fail', [], [])),
            ('StartTransientUnit no property', manager.call_start_transient_unit(
                'made.service', 'fail', [['Nonsense', Variant('s', 'a')]], [])),
            ('StartTransientUnit no command', manager.call_start_transient_unit('made.service', 'fail', [], [])),
            ('EnableUnitFiles nothing', manager.call_enable_unit_files(['nothing.service'], True, False)),
            ('EnableUnitFiles no name', manager.call_enable_unit_files(['no name'], True, False)),
            ('DisableUnitFiles no name', manager.call_disable_unit_files(['no name'], True)),
            ('MaskUnitFiles there', manager.call_mask_unit_files(['once.service'], False, False)),
            ('LinkUnitFiles relative', manager.call_link_unit_files(['a.service'], True, False)),
            ('LinkUnitFiles nothing', manager.call_link_unit_files(['/nonexistent/a.service'], True, False)),
            ('SetDefaultTarget nothing', manager.call_set_default_target('nothing.target', True)),
            ('SetDefaultTarget no target', manager.call_set_default_target('plain.service', True)),
            ('AddDependencyUnitFiles', manager.call_add_dependency_unit_files(['plain.service'], 'group.target', 'Nonsense', True, False)),
            ('SetEnvironment', manager.call_set_environment(['nonsense'])),
            ('CleanUnit nothing', manager.call_clean_unit('nothing.service', ['all'])),
            ('CleanUnit of no kind', manager.call_clean_unit('stateful.service', ['nonsense'])),
            ('FreezeUnit inactive', manager.call_freeze_unit('once.service')),
            ('FreezeUnit timer', manager.call_freeze_unit('yearly.timer')),
            ('UnrefUnit', manager.call_unref_unit('plain.service')),
            ('PowerOff', manager.call_power_off()),
    ]:
        await step(f'error of {name}', call)


async def check_jobs(bus, manager, signals):
    begin('signals of a start')
    await manager.call_start_unit('needs-plain.service', 'replace')
    end(sorted(await asyncio.wait_for(signals.until('JobRemoved needs-plain.service done'), PATIENCE)), '0')
    begin('signals of a stop')
    await manager.call_stop_unit('plain.service', 'replace')
    seen = await asyncio.wait_for(signals.until('JobRemoved plain.service done'), PATIENCE)
    end(seen, '0')
    begin('signals of a start that fails')
    await manager.call_start_unit('fails.service', 'replace')
    end(await asyncio.wait_for(signals.until('JobRemoved fails.service failed'), PATIENCE), '0')
    begin('signals of a start that is skipped')
    await manager.call_start_unit('skipped.service', 'replace')
    end(await asyncio.wait_for(signals.until('JobRemoved skipped.service done'), PATIENCE), '0')
    begin('a running job is canceled')
    path = await manager.call_start_unit('slow.service', 'replace')
    job = (await object_of(bus, path)).get_interface(f'{NAME}.Job')
    properties = [await job.get_unit(), await job.get_job_type()]
    await job.call_cancel()
    seen = await asyncio.wait_for(signals.until('JobRemoved slow.service canceled'), PATIENCE)
    end([str(properties), *seen], '0')
    await step('it is gone', manager.call_list_jobs())
    await step('the unit goes on', manager.call_list_units_by_names(['slow.service']))
    await manager.call_stop_unit('slow.service', 'replace')
    await asyncio.wait_for(signals.until('JobRemoved slow.service done'), PATIENCE)
    begin('a start is replaced by a stop')
    await manager.call_start_unit('slow.service', 'replace')
    await manager.call_stop_unit('slow.service', 'replace')
    end(await asyncio.wait_for(signals.until('JobRemoved slow.service done'), PATIENCE), '0')
    begin('signals of a reload')
    await manager.call_reload()
    end(await asyncio.wait_for(signals.until('Reloading False'), PATIENCE), '0')
    await manager.call_start_unit('plain.service', 'replace')
    await asyncio.wait_for(signals.until('JobRemoved plain.service done'), PATIENCE)
    signals.wants_units = True
    begin('signals of a change of a property')
    await manager.call_set_unit_properties('plain.service', True, [['CPUWeight', Variant('t', 70)]])
    await manager.call_start_unit('plain.service', 'replace')
    end(await asyncio.wait_for(signals.until('JobRemoved plain.service done'), PATIENCE), '0')
    os.makedirs(DROP_INS)
    with open(f'{DROP_INS}/a.conf', 'w', encoding='utf-8') as file:
        file.write('[Unit]\nDescription=Changed\n')
    begin('signals of a reload that changes a unit')
    await manager.call_reload()
    end(await asyncio.wait_for(signals.until('Reloading False'), PATIENCE), '0')
    signals.wants_units = False
    os.remove(f'{DROP_INS}/a.conf')
    await manager.call_reload()
    await asyncio.wait_for(signals.until('Reloading False'), PATIENCE)
    await manager.call_stop_unit('plain.service', 'replace')
    await asyncio.wait_for(signals.until('JobRemoved plain.service done'), PATIENCE)


async def check_properties(bus, manager):
    it, unit, properties = await unit_of(bus, manager, 'plain.service')
    states = []
    is_over = asyncio.Event()

    def note(interface, changed, invalidated):
        del invalidated
        if interface == f'{NAME}.Unit' and 'ActiveState' in changed:
            state = changed['ActiveState'].value
            states.extend([state] if states[-1:] != [state] else [])
            if states[-2:] == ['deactivating', 'inactive']:
                is_over.set()

    properties.on_properties_changed(note)
    begin('states of a unit')
    await unit.call_start('replace')
    while await unit.get_active_state() != 'active':
        await asyncio.sleep(0.02)
    await unit.call_stop('replace')
    await asyncio.wait_for(is_over.wait(), PATIENCE)
    end(states, '0')
    await step('Id', unit.get_id())
    await step('Description', unit.get_description())
    begin('ExecStart')
    end([str(command[:3]) for command in await it.get_interface(f'{NAME}.Service').get_exec_start()], '0')
    await step('Get', properties.call_get(f'{NAME}.Unit', 'ActiveState'))
    await step('Get of nothing', properties.call_get(f'{NAME}.Unit', 'Nonsense'))
    await step('Set', properties.call_set(f'{NAME}.Unit', 'Id', Variant('s', 'a')))
    begin('GetAll')
    names = set(await properties.call_get_all(f'{NAME}.Service'))
    end(sorted(names), '0')
    begin('interfaces of a unit')
    end(sorted(interface.name for interface in it.introspection.interfaces), '0')


async def main():
    bus = await MessageBus().connect()
    manager = (await object_of(bus, ROOT)).get_interface(f'{NAME}.Manager')
    await step('Subscribe', manager.call_subscribe())
    await step('Subscribe again', manager.call_subscribe())
    signals = Signals(manager, ['plain.service', 'needs-plain.service', 'fails.service', 'slow.service', 'skipped.service'])
    await step('NFailedUnits', manager.get_n_failed_units())
    await step('SystemState', manager.get_system_state())
    await step('LoadUnit', manager.call_load_unit('plain.service'))
    await step('ListUnitsByNames', manager.call_list_units_by_names(['plain.service', 'nothing.service']))
    await step('ListUnitFilesByPatterns', manager.call_list_unit_files_by_patterns([], ['plain*']))
    await check_errors(manager)
    await check_jobs(bus, manager, signals)
    await check_properties(bus, manager)
    await step('StartTransientUnit', manager.call_start_transient_unit('made.service', 'fail', [
        ['Description', Variant('s', 'Made')], ['ExecStart', Variant('a(sasb)', [['/bin/sleep', ['sleep', '1000'], False]])],
        ['Environment', Variant('as', ['A=b'])]], [['made.timer', [['OnActiveSec', Variant('t', 10**12)]]]]))
    await step('StopUnit', manager.call_stop_unit('made.service', 'replace'))
    await step('EnableUnitFiles', manager.call_enable_unit_files(['plain.service'], False, False))
    await step('EnableUnitFiles again', manager.call_enable_unit_files(['plain.service'], False, False))
    await step('DisableUnitFiles', manager.call_disable_unit_files(['plain.service'], False))
    await step('MaskUnitFiles', manager.call_mask_unit_files(['absent.service'], True, True))
    await step('UnmaskUnitFiles', manager.call_unmask_unit_files(['absent.service'], True))
    await step('Unsubscribe', manager.call_unsubscribe())
    await step('Unsubscribe again', manager.call_unsubscribe())


asyncio.run(main())
