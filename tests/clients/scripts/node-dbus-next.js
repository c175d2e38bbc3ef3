// SPDX-License-Identifier: LGPL-2.1-or-later
// dbus-next for Node: proxies made from introspection, errors by name, signals in order.
// needs: node node:dbus-next
'use strict';
const dbus = require('dbus-next');
const NAME = 'org.freedesktop.systemd1';
const ROOT = '/org/freedesktop/systemd1';
const PATIENCE = 30000;
const { Variant } = dbus;

// A number of 64 bits is a BigInt, which JSON does not know.
const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value, (key, item) => (typeof item === 'bigint' ? item.toString() : item)));

function linesOf(value) {
        if (value === undefined || value === null) return [];
        return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
}

async function step(name, action) {
        console.log(`@@ ${name}`);
        try {
                const limit = new Promise((_, reject) => setTimeout(() => reject(new Error('nothing came')), PATIENCE).unref());
                const result = await Promise.race([action(), limit]);
                linesOf(result).forEach((line) => console.log(line));
                console.log('@@ exit 0');
                return result;
        } catch (error) {
                console.log(`error ${error.type || error.name}`);
                console.log(`text ${(error.text || error.message).replace(/\s*\n\s*/g, ' ')}`);
                console.log('@@ exit error');
                return null;
        }
}

async function main() {
        const bus = dbus.sessionBus();
        const object = await bus.getProxyObject(NAME, ROOT);
        const manager = object.getInterface(`${NAME}.Manager`);
        const seen = [];
        const waiting = [];
        const note = (text) => {
                seen.push(text);
                waiting.splice(0).forEach((wake) => wake());
        };
        const until = async (text) => {
                while (!seen.includes(text)) await new Promise((resolve) => waiting.push(resolve));
                return seen.splice(0);
        };

        await step('Subscribe', () => manager.Subscribe());
        manager.on('JobNew', (id, path, unit) => note(`JobNew ${unit}`));
        manager.on('JobRemoved', (id, path, unit, result) => note(`JobRemoved ${unit} ${result}`));
        // A match is only in force when the bus has answered; this call is answered after it.
        await step('GetUnit nothing', () => manager.GetUnit('nothing.service'));
        await step('StartUnit with no mode', () => manager.StartUnit('plain.service', 'nonsense'));
        const path = await step('LoadUnit', () => manager.LoadUnit('plain.service'));
        await step('StartUnit', async () => {
                await manager.StartUnit('plain.service', 'replace');
                return until('JobRemoved plain.service done');
        });
        await step('ListUnitsByNames', () => manager.ListUnitsByNames(['plain.service']));
        await step('ListUnitFilesByPatterns', () => manager.ListUnitFilesByPatterns([], ['plain*']));
        const unit = await bus.getProxyObject(NAME, path);
        const properties = unit.getInterface('org.freedesktop.DBus.Properties');
        await step('Get', () => properties.Get(`${NAME}.Unit`, 'ActiveState'));
        await step('Get of nothing', () => properties.Get(`${NAME}.Unit`, 'Nonsense'));
        await step('Set', () => properties.Set(`${NAME}.Unit`, 'Id', new Variant('s', 'a')));
        await step('GetAll', async () => Object.keys(await properties.GetAll(`${NAME}.Unit`)).sort());
        await step('interfaces', () => Promise.resolve(Object.keys(unit.interfaces).sort()));
        const changes = [];
        properties.on('PropertiesChanged', (name, changed) => {
                if (name === `${NAME}.Unit` && changed.ActiveState) changes.push(changed.ActiveState.value);
        });
        await step('Stop', async () => {
                await unit.getInterface(`${NAME}.Unit`).Stop('replace');
                return until('JobRemoved plain.service done');
        });
        await step('states', () => Promise.resolve(changes.filter((state, i) => i === 0 || state !== changes[i - 1])));
        await step('a running job is canceled', async () => {
                const job = await bus.getProxyObject(NAME, await manager.StartUnit('slow.service', 'replace'));
                await job.getInterface(`${NAME}.Job`).Cancel();
                return until('JobRemoved slow.service canceled');
        });
        await step('ListJobs', () => manager.ListJobs());
        await step('StopUnit', async () => {
                await manager.StopUnit('slow.service', 'replace');
                return until('JobRemoved slow.service done');
        });
        await step('StartTransientUnit', async () => {
                await manager.StartTransientUnit('made.service', 'fail', [
                        ['Description', new Variant('s', 'Made')],
                        ['ExecStart', new Variant('a(sasb)', [['/bin/sleep', ['sleep', '1000'], false]])]], []);
                return until('JobRemoved made.service done');
        });
        await step('SetUnitProperties', () => manager.SetUnitProperties('made.service', true, [['TasksMax', new Variant('t', 33n)]]));
        await step('KillUnit', () => manager.KillUnit('made.service', 'all', 15));
        await step('EnableUnitFiles', () => manager.EnableUnitFiles(['plain.service'], true, false));
        await step('DisableUnitFiles', () => manager.DisableUnitFiles(['plain.service'], true));
        await step('Unsubscribe', () => manager.Unsubscribe());
        bus.disconnect();
}

main();
