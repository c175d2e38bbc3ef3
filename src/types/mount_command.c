/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mount(8) and umount(8) as processes of a mount
 *
 * As with a service, to run one is only to ask: the host comes back for the
 * request when it flushes its outbox, and says what came of it. What is to be
 * mounted where is made there, from the settings as they are then. The folder
 * that is missing is made by the child, since even that may hang.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "types/exec_context.h"
#include "types/mount.h"
#include "types/unit_process.h"
#include "unitfile/mount_option.h"

#define MOUNT_PROGRAM "/bin/mount"
#define UNMOUNT_PROGRAM "/bin/umount"

int mount_set_limit(Unit *unit) {
        Mount *mount = mount_of(unit);
        UnitHost *host = mount_host(unit);
        usec_t span = mount_settings(unit)->timeout;

        mount->state_deadline = span == USEC_INFINITY ? USEC_INFINITY : usec_add(mount_now(unit), span);
        return host->ops->set_timer(host, unit, UNIT_PURPOSE_STATE_LIMIT, mount->state_deadline);
}

int mount_run(Unit *unit, MountExec kind) {
        UnitHost *host = mount_host(unit);
        MountProcess *control = &mount_of(unit)->control;
        int r;

        *control = (MountProcess) { .is_wanted = true, .kind = kind, .since = mount_now(unit) };
        r = mount_set_limit(unit);
        if (r == 0)
                r = host->ops->spawn(host, unit, UNIT_PURPOSE_CONTROL);
        if (r < 0) {
                *control = (MountProcess) {};
                mount_note_failure(unit, "%s: cannot be started: %s", mount_exec_to_string(kind), strerror(-r));
        }
        return r;
}

/* — the command — */

/* What only says when to mount, and nothing to the kernel. */
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
            push(argv, settings->sloppy_options ? "-s" : NULL) < 0 || push(argv, settings->read_write_only ? "-w" : NULL) < 0 ||
            push(argv, settings->type ? "-t" : NULL) < 0 || push(argv, settings->type) < 0 ||
            push(argv, options ? "-o" : NULL) < 0 || push(argv, options) < 0)
                return -ENOMEM;
        return 0;
}

static int build_unmount(const MountSettings *settings, char ***argv) {
        if (push(argv, UNMOUNT_PROGRAM) < 0 || push(argv, settings->where) < 0 || push(argv, "-c") < 0 ||
            push(argv, settings->lazy_unmount ? "-l" : NULL) < 0 || push(argv, settings->force_unmount ? "-f" : NULL) < 0)
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
        r = build_command(unit, mount->control.kind);
        if (r < 0)
                return r;
        request->label = mount_exec_to_string(mount->control.kind);
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

/* — what came of it — */

static MountResult result_of(const UnitExit *exit) {
        if (exit->code == CLD_EXITED)
                return exit->status == 0 ? MOUNT_RESULT_SUCCESS : MOUNT_RESULT_EXIT_CODE;
        return exit->code == CLD_DUMPED ? MOUNT_RESULT_CORE_DUMP : MOUNT_RESULT_SIGNAL;
}

static void tell_exit(Unit *unit, MountExec kind, const UnitExit *exit) {
        char how[128];

        unit_process_describe_exit(exit, how, sizeof(how));
        mount_note_failure(unit, "%s %s", mount_exec_to_string(kind), how);
}

static bool was_signalled(MountState state) {
        return state == MOUNT_STATE_UNMOUNTING_SIGTERM || state == MOUNT_STATE_UNMOUNTING_SIGKILL ||
               state == MOUNT_STATE_REMOUNTING_SIGTERM || state == MOUNT_STATE_REMOUNTING_SIGKILL;
}

/* What it has done is in the table already, whether we were told or not. */
static void look_again(Unit *unit) {
        Mount *mount = mount_of(unit);

        mount->is_there = mount_find(unit, true);
        if (mount->state == MOUNT_STATE_MOUNTING && mount->is_there)
                mount_set_state(unit, MOUNT_STATE_MOUNTING_DONE);
        else if (mount->state == MOUNT_STATE_MOUNTING_DONE && !mount->is_there)
                mount_set_state(unit, MOUNT_STATE_MOUNTING);
}

static void control_ended(Unit *unit, const UnitExit *exit) {
        Mount *mount = mount_of(unit);
        MountExec kind = mount->control.kind;
        MountResult result = result_of(exit);

        unit_process_ended(unit, &mount->commands[kind], exit);
        /* That it ends by our own signal is what we wanted, and has its reason noted. */
        if (was_signalled(mount->state) && result == MOUNT_RESULT_SIGNAL)
                result = MOUNT_RESULT_SUCCESS;
        if (result != MOUNT_RESULT_SUCCESS)
                tell_exit(unit, kind, exit);
        mount->control = (MountProcess) {};
        look_again(unit);
        mount_go_on(unit, result);
}

void mount_child_exited(Unit *unit, const UnitExit *exit) {
        if (mount_of(unit)->control.pid == exit->pid)
                control_ended(unit, exit);
}

static void record_start(Unit *unit, pid_t pid) {
        Mount *mount = mount_of(unit);

        mount->control.since = mount_now(unit);
        unit_process_started(unit, &mount->commands[mount->control.kind], pid, mount->control.since);
}

static void spawn_failed(Unit *unit, const ExecResult *result) {
        MountProcess *control = &mount_of(unit)->control;
        int status = exec_step_exit_status(result->step);

        mount_note_failure(unit, "%s: %s", mount_exec_to_string(control->kind), result->message);
        if (status != 0) {
                record_start(unit, result->pid);
                control_ended(unit, &(UnitExit) {
                        .pid = result->pid, .code = CLD_EXITED, .status = status, .time = mount_now(unit) });
                return;
        }
        *control = (MountProcess) {};
        mount_go_on(unit, MOUNT_RESULT_RESOURCES);
}

void mount_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        Mount *mount = mount_of(unit);
        UnitHost *host = mount_host(unit);

        if (!mount->control.is_wanted) {
                /* Taken back while the process was on its way: nobody would know what it is for. */
                if (pid > 0)
                        host->ops->kill(host, unit, pid, SIGKILL, true);
                return;
        }
        mount->control.is_wanted = false;
        if (pid <= 0) {
                spawn_failed(unit, result);
                return;
        }
        mount->control.pid = pid;
        record_start(unit, pid);
        mount_set_state(unit, mount->state);
}

/* — signals — */

int mount_signal(Unit *unit, MountState state) {
        const KillSettings *kill = &mount_settings(unit)->kill;
        bool kills = state == MOUNT_STATE_REMOUNTING_SIGKILL || state == MOUNT_STATE_UNMOUNTING_SIGKILL;
        pid_t pid = mount_of(unit)->control.pid;
        int n = unit_process_signal_end(unit, kill, 0, pid, kills ? kill->final_signal : kill->signal, kills);

        /* Nobody waits for what mount(8) has left behind. */
        return n > 0 && pid > 0;
}

int mount_kill(Unit *unit, const char *who, int signal, Failure *ret_failure) {
        return unit_process_kill(unit, mount_of(unit)->control.pid, who, signal, ret_failure);
}
