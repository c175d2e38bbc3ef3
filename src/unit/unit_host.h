/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The services that a unit may use
 *
 * Each request is named by (unit, purpose) and is plain data, never a closure,
 * so it can be saved and repeated after a restart. The manager implements them
 * with sd-event and processes, jobd-sim and tests with virtual time. The
 * result of a request arrives through the unit's UnitVTable.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/sink.h"
#include "basic/usec.h"
#include "unit/job_words.h"
#include "unit/unit_purpose.h"

typedef struct Unit Unit;
typedef struct UnitHost UnitHost;
struct ExecResult; /* exec/exec.h */
struct ResourceDefaults; /* unitfile/resource_settings.h */
struct MountEntry; /* unitfile/mount_table.h */

/* Values of a control group; -ENODATA if the kernel does not provide one. */
typedef enum UnitGroupValue {
        UNIT_GROUP_MEMORY, /* bytes, current */
        UNIT_GROUP_MEMORY_PEAK,
        UNIT_GROUP_CPU_NSEC, /* since the group was created */
        UNIT_GROUP_TASKS, /* current */
        UNIT_GROUP_OOM_KILLS, /* processes killed by the kernel for lack of memory in this run */
        _UNIT_GROUP_VALUE_MAX,
} UnitGroupValue;

/* The numbers of a flow's runs. */
typedef struct UnitRuns {
        uint32_t n_live; /* that have not ended */
        uint32_t n_attempts; /* whose processes are not all gone */
        uint32_t n_stuck; /* of these, those that only the store can bring to an end */
        uint32_t n_submitted; /* that were submitted and are not made yet */
        bool is_starting; /* the run that its start submits is not there yet */
        bool has_failed; /* a run has, since the unit became active */
        bool has_succeeded; /* one has, since then */
        const char *problem; /* why no run was made; borrowed; NULL: nothing has failed */
} UnitRuns;

/* The variable with the time of the timer that a run is for, beside those of its trigger. */
#define UNIT_RUN_TIME "TRIGGER_TIMER_SCHEDULED_USEC=" /* and the time, which may be long ago */
#define UNIT_RUN_CATCHES_UP "TRIGGER_TIMER_CATCH_UP=yes" /* it is one of several, and waits for its turn */

/* A run that is to be made. Strings are copied. */
typedef struct UnitRunRequest {
        const char *key; /* there is one run of the flow for each key, however often it is requested */
        const char *trigger; /* the unit that has triggered it */
        char *const *environment; /* of its attempts: NAME=VALUE */
} UnitRunRequest;

typedef struct UnitHostOps {
        usec_t (*now)(UnitHost *host); /* CLOCK_MONOTONIC, constant within a turn */
        usec_t (*now_realtime)(UnitHost *host);

        /*
         * One timer for each (unit, purpose): sets, moves or, with USEC_INFINITY, clears it. Calls
         * UnitVTable.timer_elapsed.
         */
        int (*set_timer)(UnitHost *host, Unit *unit, UnitPurpose purpose, usec_t deadline);

        /*
         * Starts a process. The request goes into the turn's outbox; at the flush the host asks
         * UnitVTable.prepare_spawn for command and context, starts and watches the process, and calls
         * UnitVTable.spawned.
         */
        int (*spawn)(UnitHost *host, Unit *unit, UnitPurpose purpose);

        /*
         * The process of @purpose is not wanted any more: UnitVTable.spawned is not told, and one that is on its way
         * to its program is killed. True: it has its program already, and goes on; *ret_result is what would have been
         * told. NULL: the host asks and tells all the same.
         */
        bool (*take_back)(UnitHost *host, Unit *unit, UnitPurpose purpose, struct ExecResult *ret_result);

        /*
         * Follows a process that this host did not start (the one of a PID file): its exit is reported like any other.
         */
        int (*watch_process)(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid);
        void (*unwatch_process)(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid);

        /*
         * Watches descriptor @fd of the unit, under its number @index, for @events of poll(2): UnitVTable.fd_ready is
         * called in each turn that has some. A second call replaces the watch. The watch must be removed before the
         * descriptor is closed.
         */
        int (*watch_fd)(UnitHost *host, Unit *unit, uint32_t index, int fd, uint32_t events);
        void (*unwatch_fd)(UnitHost *host, Unit *unit, uint32_t index);

        /*
         * Has the keeper store a copy of @fd, under a name of the unit's, until it is dropped, even across a crash of
         * the manager; does nothing without a keeper. Only UnitVTable.resume may take a stored descriptor: -ENOENT if
         * there is none. A descriptor stored under the same name and number is replaced.
         */
        int (*keep_fd)(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int fd);
        /*
         * Accepts a connection and stores it like .keep_fd, so that the manager is never its only holder. The
         * descriptor is the caller's; or a negative errno of accept(), -EAGAIN if no connection is pending.
         */
        int (*accept_fd)(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int listening);
        void (*drop_fd)(UnitHost *host, const Unit *unit, const char *what, uint32_t index);
        int (*take_fd)(UnitHost *host, const Unit *unit, const char *what, uint32_t index);
        void (*settle_fds)(UnitHost *host); /* returns when the keeper has closed all dropped descriptors */

        /* Sends a signal through the outbox. @is_group: to the process group as well. */
        int (*kill)(UnitHost *host, Unit *unit, pid_t pid, int signal, bool is_group);

        /*
         * Signals all processes of the unit, as process groups and their orphans, except the given main and control
         * process (0 for none) and the process groups of these two: kill() with @is_group signals those, and many
         * programs take a second signal of the same kind as "at once". Signal 0 only counts. Returns the number of
         * processes, so that the unit knows whether to wait; see exec/exec_kill.h.
         */
        int (*kill_rest)(UnitHost *host, Unit *unit, int signal, pid_t main_pid, pid_t control_pid);

        /*
         * Returns true if a process of the unit may be there that kill_rest does not find: without control groups, a
         * daemon whose environment cannot be read or has been overwritten. May be NULL: no.
         */
        bool (*may_hide_rest)(UnitHost *host, Unit *unit);

        /*
         * Requests a job, which is made in the next turn; @reason is shown as its cause. If the job is refused then,
         * UnitVTable.job_refused is called. A stop is never replaced: while one is installed for the unit, a request
         * for a start is dropped silently.
         */
        int (*request_job)(UnitHost *host, Unit *unit, JobType type, JobMode mode, const char *reason);

        /* Returns true if a job of the unit is installed or requested by a unit. */
        bool (*has_job)(UnitHost *host, const Unit *unit);

        /*
         * Both use control groups and find nothing without them; each may be NULL. guess_main: the unit's only process,
         * other than @except, that is a child of the manager; 0 if there are none or several. unit_of: the unit of a
         * process.
         */
        pid_t (*guess_main)(UnitHost *host, const Unit *unit, pid_t except);
        Unit *(*unit_of)(UnitHost *host, pid_t pid);

        /*
         * Moves processes started by others into the unit's control group: 1; 0 if it has no group; or -errno, logged,
         * if one cannot be moved. NULL: there are no control groups.
         */
        int (*adopt)(UnitHost *host, Unit *unit, const pid_t *pids, size_t n);
        void (*ask_to_stop)(UnitHost *host, Unit *unit); /* by a signal to its controller; NULL: impossible */

        /*
         * The path of the unit's control group (0, -ENOENT or -errno), and its values. Each may be NULL: there are no
         * control groups. Results are the caller's.
         */
        int (*group_path)(UnitHost *host, const Unit *unit, char **ret_path);
        int (*group_value)(UnitHost *host, const Unit *unit, UnitGroupValue what, uint64_t *ret_value);
        /* Settings that have no effect, each with the reason: "MemoryMax= (…)". 0 or -errno; *ret_list may be NULL. */
        int (*list_unapplied)(UnitHost *host, const Unit *unit, char ***ret_list);

        /*
         * CLOCK_MONOTONIC at the boot of the machine (in a container: at the start of the manager), and at the start of
         * the manager. Each may be NULL, for 0.
         */
        usec_t (*booted)(UnitHost *host);
        usec_t (*started)(UnitHost *host);

        /* Enables UnitVTable.clock_changed for all units that have it. May be NULL. */
        void (*watch_clock)(UnitHost *host);

        /*
         * The mount at @where, valid for this call, or NULL. @is_fresh: read the kernel's table again if it has
         * changed. The first call enables UnitVTable.mounted. May be NULL: mounts cannot be seen.
         */
        const struct MountEntry *(*find_mount)(UnitHost *host, const char *where, bool is_fresh);

        /* The directory for data that survives a reboot: "/var/lib/jobd"; NULL: none. */
        const char *(*state_directory)(UnitHost *host);

        /* Defaults for units without resource settings; NULL: none. Valid during this turn. */
        const struct ResourceDefaults *(*resource_defaults)(UnitHost *host);

        bool (*ignores_watchdogs)(UnitHost *host); /* services that miss theirs are not ended; may be NULL: no */
        uint32_t (*open_files)(UnitHost *host); /* soft limit of processes; may be NULL, for 0: inherited */
        /*
         * Returns true if a job runs, or is about to, other than one that itself waits for the others
         * (UNIT_PURPOSE_IDLE). NULL: false.
         */
        bool (*is_busy)(UnitHost *host, const Unit *unit);
        /* Returns true if a job will start the unit again after it has stopped. NULL: false. */
        bool (*will_start)(UnitHost *host, const Unit *unit);
        /*
         * Returns true if the unit, or everything, is about to be stopped; the unit then triggers no other. NULL:
         * false.
         */
        bool (*will_stop)(UnitHost *host, const Unit *unit);
        /* Returns true if a job that ends with the unit's activation is running. NULL: false. */
        bool (*is_awaited)(UnitHost *host, const Unit *unit);

        /*
         * Follows the owner of @name on the message bus (NULL: stops following); UnitVTable.name_owned is called for
         * the present owner and each change. 0, even if the bus is not there yet; -EOPNOTSUPP if it never will be.
         * NULL: the same.
         */
        int (*watch_name)(UnitHost *host, Unit *unit, const char *name);

        /* An action on the whole manager (FailureAction=reboot): @action is a UnitAction. */
        void (*request_action)(UnitHost *host, Unit *unit, int action, int exit_status, const char *reason);

        /*
         * Flows. Submits a run, unless the unit has one that lives: UnitVTable.runs_changed follows. 0, or -EOPNOTSUPP
         * where runs are not kept. NULL: the same.
         */
        int (*start_runs)(UnitHost *host, Unit *unit);
        /* Holds all runs; @interrupts: also ends their attempts. UnitVTable.runs_changed follows. */
        void (*stop_runs)(UnitHost *host, Unit *unit, bool interrupts);
        void (*get_runs)(UnitHost *host, const Unit *unit, UnitRuns *ret_runs);
        /* Writes an a(tsss): number, name and state of each run that has not ended, and what it waits for. */
        void (*write_runs)(UnitHost *host, const Unit *unit, Sink *sink);
        /*
         * Submits a run of the flow @unit. The request is kept until the run is durable or refused, which is logged,
         * and is dropped if the unit is being stopped. May be called from inside the engine of jobs. 0 or -errno.
         * NULL: as .start_runs.
         */
        int (*submit_run)(UnitHost *host, Unit *unit, const UnitRunRequest *request);

        void (*log)(UnitHost *host, Unit *unit, int level, const char *message); /* level as basic/log.h */
} UnitHostOps;

struct UnitHost {
        const UnitHostOps *ops;
};
