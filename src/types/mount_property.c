/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of a mount
 *
 * Names, signatures and which ones announce their changes are systemd's, since
 * its clients read them; FailureReason is jobd's own. What, Type and Options
 * are those of the kernel's table while something is mounted, otherwise those
 * of the unit file.
 */

#include "basic/macro.h"
#include "types/exec_property.h"
#include "types/exec_terms_property.h"
#include "types/foreign_property.h"
#include "types/group_property.h"
#include "types/kill_property.h"
#include "types/mount_show.h"
#include "types/mount_state.h"
#include "types/sandbox_property.h"

/* One getter: @expression may use mount and settings. */
#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const Mount *mount = mount_of(unit);                             \
                const MountSettings *settings = mount_settings(unit);            \
                                                                                 \
                (void) mount;                                                    \
                (void) settings;                                                 \
                put(sink, expression);                                           \
        }

/* The same for a field that the kernel's table has, too. */
#define FOUND(name)                                                              \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const MountEntry *entry = mount_find(unit, false);               \
                                                                                 \
                sink_string(sink, entry ? entry->name : mount_settings(unit)->name);     \
        }

FOUND(what)
FOUND(type)
FOUND(options)
GETTER(where, sink_string, settings->where)
GETTER(timeout, sink_u64, settings->timeout)
GETTER(control_pid, sink_u32, (uint32_t) mount->control.pid)
GETTER(directory_mode, sink_u32, settings->directory_mode)
GETTER(sloppy_options, sink_bool, settings->sloppy_options)
GETTER(lazy_unmount, sink_bool, settings->lazy_unmount)
GETTER(force_unmount, sink_bool, settings->force_unmount)
GETTER(read_write_only, sink_bool, settings->read_write_only)
GETTER(result, sink_string, mount_result_to_string(mount->result))
GETTER(reload_result, sink_string, mount_result_to_string(mount->reload_result))
GETTER(failure, sink_string, mount->failure)

static void put_command(const Unit *unit, Sink *sink, MountExec kind) {
        const ExecCommand *command = &mount_of(unit)->commands[kind];

        exec_property_put_commands(command->argv ? command : NULL, sink);
}

#define COMMAND(name, kind)                                              \
        static void get_##name(const Unit *unit, Sink *sink) {           \
                put_command(unit, sink, kind);                           \
        }

COMMAND(exec_mount, MOUNT_EXEC_MOUNT)
COMMAND(exec_unmount, MOUNT_EXEC_UNMOUNT)
COMMAND(exec_remount, MOUNT_EXEC_REMOUNT)

#define C UNIT_PROPERTY_CONST
#define E UNIT_PROPERTY_EMITS_CHANGE
#define I UNIT_PROPERTY_INVALIDATES
#define OWN UNIT_PROPERTY_OWN

static const UnitProperty rows[] = {
        { "Where", "s", C, get_where, "The place in the file system." },
        { "What", "s", E, get_what, "What is mounted there, or would be." },
        { "Options", "s", E, get_options, "Its options, with commas." },
        { "Type", "s", E, get_type, "The kind of file system." },
        { "TimeoutUSec", "t", C, get_timeout, "How long mount or umount may take." },
        { "ControlPID", "u", E, get_control_pid, "The process that mounts or unmounts, 0 if there is none." },
        { "DirectoryMode", "u", C, get_directory_mode, "The access mode of the place, if it has to be made." },
        { "SloppyOptions", "b", C, get_sloppy_options, "Whether unknown options do no harm." },
        { "LazyUnmount", "b", C, get_lazy_unmount, "Whether it is unmounted even while it is in use." },
        { "ForceUnmount", "b", C, get_force_unmount, "Whether it is unmounted even if its server does not answer." },
        { "ReadWriteOnly", "b", C, get_read_write_only, "Whether it may not be mounted read-only instead." },
        { "Result", "s", E, get_result, "Why it has failed, or success." },
        { "ReloadResult", "s", E | OWN, get_reload_result, "How the last remount went." },
        { "FailureReason", "s", E | OWN, get_failure, "A sentence on why Result is what it is." },
        { "ExecMount", "a(sasbttttuii)", I, get_exec_mount, "The last mount." },
        { "ExecUnmount", "a(sasbttttuii)", I, get_exec_unmount, "The last unmount." },
        { "ExecRemount", "a(sasbttttuii)", I, get_exec_remount, "The last remount." },
};

static const UnitPropertyTable mount_table = { rows, ELEMENTSOF(rows), true, UNIT_MOUNT };

const UnitPropertyTable *const mount_properties[] = {
        &mount_table, &group_properties, &exec_properties, &exec_terms_properties, &sandbox_properties,
        &kill_properties, &foreign_group_properties, &foreign_exec_properties,
        &foreign_mount_properties, NULL,
};
