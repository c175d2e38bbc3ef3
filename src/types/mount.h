/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A mount: its states, and the process that brings it from one to the other
 *
 *   dead ─ mounting ─ mounting-done ─ mounted ⇄ remounting ─ remounting-sigterm ─ remounting-sigkill
 *              │            │            │
 *              └── fails ───┤       unmounting ─ dead, or mounted if it did not work
 *                           ▼            │
 *                  unmounting-sigterm ─ unmounting-sigkill ─ dead, failed or mounted: as it is then
 *
 * mount(8) and umount(8) do the work, since either may take for ever. Whether
 * something is mounted says the kernel's table, whoever has done it; so a mount
 * may come and go between any two steps. Private to types.
 */

#include "basic/macro.h"
#include "basic/rate_limit.h"
#include "exec/exec.h"
#include "unit/unit.h"
#include "unitfile/mount_settings.h"
#include "unitfile/mount_table.h"

typedef enum MountState {
        MOUNT_STATE_DEAD,
        MOUNT_STATE_MOUNTING,
        MOUNT_STATE_MOUNTING_DONE,      /* it is there, mount(8) has not ended yet */
        MOUNT_STATE_MOUNTED,
        MOUNT_STATE_REMOUNTING,
        MOUNT_STATE_UNMOUNTING,
        MOUNT_STATE_REMOUNTING_SIGTERM,
        MOUNT_STATE_REMOUNTING_SIGKILL,
        MOUNT_STATE_UNMOUNTING_SIGTERM,
        MOUNT_STATE_UNMOUNTING_SIGKILL,
        MOUNT_STATE_FAILED,
        _MOUNT_STATE_MAX,
} MountState;

typedef enum MountResult {
        MOUNT_RESULT_SUCCESS,
        MOUNT_RESULT_RESOURCES,
        MOUNT_RESULT_TIMEOUT,
        MOUNT_RESULT_EXIT_CODE,
        MOUNT_RESULT_SIGNAL,
        MOUNT_RESULT_CORE_DUMP,
        MOUNT_RESULT_START_LIMIT_HIT,
        MOUNT_RESULT_PROTOCOL,
        _MOUNT_RESULT_MAX,
} MountResult;

typedef enum MountExec {
        MOUNT_EXEC_MOUNT,
        MOUNT_EXEC_UNMOUNT,
        MOUNT_EXEC_REMOUNT,
        _MOUNT_EXEC_MAX,
} MountExec;

DECLARE_STRING_TABLE(mount_state, MountState);
DECLARE_STRING_TABLE(mount_result, MountResult);
DECLARE_STRING_TABLE(mount_exec, MountExec);            /* "ExecMount", … */

typedef struct MountProcess {
        pid_t pid;                      /* 0: none */
        bool is_wanted;                 /* the host was asked for it and has not started it yet */
        MountExec kind;
        usec_t since;                   /* monotonic */
} MountProcess;

typedef struct Mount {
        MountState state;
        MountResult result, reload_result;
        MountProcess control;
        usec_t state_since;             /* monotonic */
        usec_t state_deadline;          /* USEC_INFINITY: none */
        bool is_there;                  /* as the kernel's table had it when we looked last */
        bool wants_stop;                /* a stop came while it was remounted */
        unsigned n_retries;             /* of umount(8), where several mounts lie on each other */
        RateLimit starts;
        ExecCommand commands[_MOUNT_EXEC_MAX];  /* as they were run the last time; argv is owned */
        char *failure;                  /* owned: why result isn't success, for people; NULL: nothing to say */
} Mount;

Mount *mount_of(const Unit *unit);
const MountSettings *mount_settings(const Unit *unit);  /* never NULL: defaults if its file is gone */
UnitHost *mount_host(const Unit *unit);
usec_t mount_now(const Unit *unit);

/* mount.c */
void mount_set_state(Unit *unit, MountState state);
void mount_note_failure(Unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What is mounted there, borrowed for the moment; @is_fresh: as of now, not of the last time that the host has looked. */
const MountEntry *mount_find(const Unit *unit, bool is_fresh);

/* mount_step.c: from state to state */
void mount_enter_mounting(Unit *unit);
void mount_enter_remounting(Unit *unit);
void mount_enter_unmounting(Unit *unit);
void mount_enter_signal(Unit *unit, MountState state, MountResult result);
void mount_enter_dead(Unit *unit, MountResult result);
void mount_go_on(Unit *unit, MountResult result);       /* the process of this state has ended */
void mount_limit_elapsed(Unit *unit);
void mount_follow(Unit *unit, const MountEntry *entry); /* it has come, changed or (NULL) gone */
void mount_renew_invocation(Unit *unit);

/* mount_command.c: its process */
int mount_set_limit(Unit *unit);                        /* of the present step: TimeoutSec= */
int mount_run(Unit *unit, MountExec kind);
int mount_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request);
void mount_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result);
void mount_child_exited(Unit *unit, const UnitExit *exit);
int mount_signal(Unit *unit, MountState state);         /* is there something to wait for? */
int mount_kill(Unit *unit, const char *who, int signal, Failure *ret_failure);

/* mount_record.c */
void mount_record(const Unit *unit, RecordWriter *writer);
int mount_restore(Unit *unit, RecordReader *reader);
void mount_resume(Unit *unit);

/* mount_show.c, mount_property.c */
int mount_activity(const Unit *unit, char **ret_activity, usec_t *ret_since);
int mount_save(const Unit *unit, Sink *sink);
extern const UnitPropertyTable *const mount_properties[];
