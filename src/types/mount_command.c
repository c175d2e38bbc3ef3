/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands mount(8) and umount(8) of a mount
 *
 * The command line is made when the host asks for it (unit_process.h), from
 * the present settings. The child makes a missing mount point, since even that
 * may hang.
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "types/exec_context.h"
#include "types/mount_command.h"
#include "unitfile/mount_option.h"

#define MOUNT_PROGRAM "/bin/mount"
#define UNMOUNT_PROGRAM "/bin/umount"

int mount_set_limit(Unit *unit) {
        Mount *mount = mount_of(unit);
        usec_t span = mount_settings(unit)->timeout;

        mount->state_deadline = span == USEC_INFINITY ? USEC_INFINITY : usec_add(unit_now(unit), span);
        return unit_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, mount->state_deadline);
}

int mount_run(Unit *unit, MountExec kind) {
        UnitProcess *control = &mount_of(unit)->control;
        int r;

        *control = (UnitProcess) {};
        r = mount_set_limit(unit);
        if (r == 0)
                r = unit_process_ask(unit, UNIT_PURPOSE_CONTROL, control, (UnitProcess) { .kind = (int) kind });
        if (r < 0)
                mount_note_failure(unit, "%s: cannot be started: %s", mount_exec_to_string(kind), strerror(-r));
        return r;
}

/* — the command — */

/* Leaves out options that say when to mount, which mean nothing to the kernel. */
static int choose_options(const MountSettings *settings, MountExec kind, char **ret_options) {
        static const char *const left_out[] = { "auto", "noauto", "nofail", NULL };
        cleanup_free_ char *options = NULL;
        int r = mount_options_without(settings->options, left_out, &options);

        if (r < 0 || kind == MOUNT_EXEC_MOUNT) {
                *ret_options = take_ptr(options);
                return r;
        }
        return text_format(ret_options, "remount%s%s", options ? "," : "", options ? options : "");
}

static int push(char ***argv, const char *word) {
        return word ? strv_push(argv, word) : 0;
}

static int build_mount(const MountSettings *settings, MountExec kind, char ***argv) {
        cleanup_free_ char *options = NULL;
        int r = choose_options(settings, kind, &options);

        if (r < 0)
                return r;
        if (push(argv, MOUNT_PROGRAM) < 0 || push(argv, settings->what) < 0 || push(argv, settings->where) < 0 ||
            push(argv, settings->sloppy_options ? "-s" : NULL) < 0 ||
            push(argv, settings->read_write_only ? "-w" : NULL) < 0 ||
            push(argv, settings->type ? "-t" : NULL) < 0 || push(argv, settings->type) < 0 ||
            push(argv, options ? "-o" : NULL) < 0 || push(argv, options) < 0)
                return -ENOMEM;
        return 0;
}

static int build_unmount(const MountSettings *settings, char ***argv) {
        if (push(argv, UNMOUNT_PROGRAM) < 0 || push(argv, settings->where) < 0 || push(argv, "-c") < 0 ||
            push(argv, settings->lazy_unmount ? "-l" : NULL) < 0 ||
            push(argv, settings->force_unmount ? "-f" : NULL) < 0)
                return -ENOMEM;
        return 0;
}

static int build_command(Unit *unit, MountExec kind) {
        const MountSettings *settings = mount_settings(unit);
        ExecCommand *command = &mount_of(unit)->commands[kind];
        cleanup_(strv_freep) char **argv = NULL;
        int r;

        if (!settings->where || (kind != MOUNT_EXEC_UNMOUNT && !settings->what))
                return -ENOEXEC;
        r = kind == MOUNT_EXEC_UNMOUNT ? build_unmount(settings, &argv) : build_mount(settings, kind, &argv);
        if (r < 0)
                return r;
        strv_free(command->argv);
        *command = (ExecCommand) { .argv = take_ptr(argv), .flags = EXEC_NO_EXPANSION };
        command->path = command->argv[0];
        return 0;
}

int mount_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request) {
        const MountSettings *settings = mount_settings(unit);
        Mount *mount = mount_of(unit);
        const ExecCommand *command = &mount->commands[mount->control.kind];
        int r;

        if (!mount->control.is_wanted)
                return -ECANCELED;
        r = build_command(unit, (MountExec) mount->control.kind);
        if (r < 0)
                return r;
        request->label = mount_exec_to_string((MountExec) mount->control.kind);
        request->path = command->path;
        request->argv = command->argv;
        exec_context_fill(&settings->exec, command, request);
        request->unit = unit->id;
        if (mount->control.kind == MOUNT_EXEC_MOUNT) {
                request->places[0] = settings->where;
                request->places[1] = mount_is_bind(settings->type, settings->options) ? settings->what : NULL;
                request->place_mode = settings->directory_mode;
        }
        r = unit_process_add_invocation(unit, &request->own_environment);
        return r < 0 ? r : 0;
}

/* — signals — */

int mount_signal(Unit *unit, MountState state) {
        const KillSettings *kill = &mount_settings(unit)->kill;
        bool kills = state == MOUNT_STATE_REMOUNTING_SIGKILL || state == MOUNT_STATE_UNMOUNTING_SIGKILL;
        pid_t pid = mount_of(unit)->control.pid;
        int n = unit_process_signal_end(unit, kill, (UnitPids) { .control = pid },
                                        kills ? kill->final_signal : kill->signal, kills);

        /* Processes that mount(8) has left behind are not waited for. */
        return n > 0 && pid > 0;
}

int mount_kill(Unit *unit, const char *who, int signal, Failure *ret_failure) {
        return unit_process_kill(unit, mount_of(unit)->control.pid, who, signal, ret_failure);
}
