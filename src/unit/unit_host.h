/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What a unit may ask of its surroundings
 *
 * Each request is named by (unit, purpose) and is plain data, never a
 * closure, so that it can be saved and made again after a restart. The manager
 * fills this with sd-event and processes; jobd-sim and tests with virtual time.
 * What comes of a request enters through the unit's UnitVTable.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/usec.h"
#include "unit/job_words.h"
#include "unit/unit_purpose.h"

typedef struct Unit Unit;
typedef struct UnitHost UnitHost;
struct ResourceDefaults;               /* unitfile/resource_settings.h */
struct MountEntry;                     /* unitfile/mount_table.h */

/* What a control group tells; -ENODATA where it does not. */
typedef enum UnitGroupValue {
        UNIT_GROUP_MEMORY,              /* bytes, now */
        UNIT_GROUP_MEMORY_PEAK,
        UNIT_GROUP_CPU_NSEC,            /* since the group was made */
        UNIT_GROUP_TASKS,               /* now */
        UNIT_GROUP_OOM_KILLS,           /* processes that the kernel killed for lack of memory in this run */
        _UNIT_GROUP_VALUE_MAX,
} UnitGroupValue;

typedef struct UnitHostOps {
        usec_t (*now)(UnitHost *host);                  /* CLOCK_MONOTONIC, the same all through a turn */
        usec_t (*now_realtime)(UnitHost *host);

        /* One timer a (unit, purpose): sets, moves or (USEC_INFINITY) clears it. Fires UnitVTable.timer_elapsed. */
        int (*set_timer)(UnitHost *host, Unit *unit, UnitPurpose purpose, usec_t deadline);

        /*
         * Start a process: put into the turn's outbox. When it is flushed the host asks
         * UnitVTable.prepare_spawn for the command and context, spawns, watches the process,
         * and tells UnitVTable.spawned.
         */
        int (*spawn)(UnitHost *host, Unit *unit, UnitPurpose purpose);

        /*
         * The process of @purpose is not wanted any more: UnitVTable.spawned is not told, and one that is on its way
         * to its program is killed. NULL: the host asks and tells all the same.
         */
        void (*take_back)(UnitHost *host, Unit *unit, UnitPurpose purpose);

        /* Follow a process that this host did not spawn (a daemon's PID file): its exit enters as any other. */
        int (*watch_process)(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid);
        void (*unwatch_process)(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid);

        /*
         * Watch a descriptor of the unit's, as its number @index, for @events of poll(2): UnitVTable.fd_ready is told
         * in each turn in which there are any. One that is watched already is watched anew. Unwatch it before it is
         * closed.
         */
        int (*watch_fd)(UnitHost *host, Unit *unit, uint32_t index, int fd, uint32_t events);
        void (*unwatch_fd)(UnitHost *host, Unit *unit, uint32_t index);

        /*
         * Have a copy of @fd kept under a name of the unit's until it is dropped, also if the manager dies; where
         * there is nobody for that, nothing happens. What was kept is taken over in UnitVTable.resume, and only there:
         * -ENOENT if there is none. A number replaces what has it.
         */
        int (*keep_fd)(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int fd);
        /*
         * What comes out of a listening socket, kept so: there is no moment in which the manager alone has it. It is
         * the caller's; or a negative errno of accept(), -EAGAIN if nobody waits.
         */
        int (*accept_fd)(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int listening);
        void (*drop_fd)(UnitHost *host, const Unit *unit, const char *what, uint32_t index);
        int (*take_fd)(UnitHost *host, const Unit *unit, const char *what, uint32_t index);
        void (*settle_fds)(UnitHost *host);             /* returns when nobody has any more what was dropped before */

        /* Send a signal, through the outbox. @is_group: to the process group as well. */
        int (*kill)(UnitHost *host, Unit *unit, pid_t pid, int signal, bool is_group);

        /*
         * Everything of the unit but the main and control process given (0 for none): process groups and their orphans.
         * What is in the group of one of the two is not signalled: kill() with @is_group does that, and a second signal
         * of the same kind means "at once" to many programs. Signal 0 only looks. Returns how many there are, so that
         * the unit knows if it must wait; exec/exec_kill.h does the work.
         */
        int (*kill_rest)(UnitHost *host, Unit *unit, int signal, pid_t main_pid, pid_t control_pid);

        /*
         * Asks for a job, which is made in the next turn; @reason is shown as its cause. If the job is refused then,
         * UnitVTable.job_refused is called. A stop is never replaced: while one is installed for the unit, a request
         * for a start is dropped in silence.
         */
        int (*request_job)(UnitHost *host, Unit *unit, JobType type, JobMode mode, const char *reason);

        /* Is a job of the unit installed, or asked for by a unit? */
        bool (*has_job)(UnitHost *host, const Unit *unit);

        /*
         * By control groups; each may be NULL, and finds nothing where there are none: the only process of the unit
         * that is a child of ours, but @except (0: there is none, or several), and the unit that a process is of.
         */
        pid_t (*guess_main)(UnitHost *host, const Unit *unit, pid_t except);
        Unit *(*unit_of)(UnitHost *host, pid_t pid);

        /*
         * Puts processes that others have started into the unit's control group: 1; 0 if there is none; or -errno,
         * which is told, if one of them can't be there. NULL: there is none.
         */
        int (*adopt)(UnitHost *host, Unit *unit, const pid_t *pids, size_t n);
        void (*ask_to_stop)(UnitHost *host, Unit *unit);        /* tells who controls it on the bus; NULL: nobody can */

        /*
         * Where the unit's control group is (0, -ENOENT or -errno), and what it tells; each may be NULL: there are
         * none. Answers are the caller's.
         */
        int (*group_path)(UnitHost *host, const Unit *unit, char **ret_path);
        int (*group_value)(UnitHost *host, const Unit *unit, UnitGroupValue what, uint64_t *ret_value);
        /*
         * Settings that are without effect, each with the reason: "MemoryMax= (…)". 0 or -errno; *ret_list may be
         * NULL.
         */
        int (*list_unapplied)(UnitHost *host, const Unit *unit, char ***ret_list);

        /*
         * CLOCK_MONOTONIC when the machine was started (in a container: the manager), and when the manager was; each
         * may be NULL, for 0.
         */
        usec_t (*booted)(UnitHost *host);
        usec_t (*started)(UnitHost *host);

        /* From now on UnitVTable.clock_changed is told to all units that have it. May be NULL. */
        void (*watch_clock)(UnitHost *host);

        /*
         * What is mounted at @where, borrowed for the moment: NULL, nothing. @is_fresh: look at the kernel's table
         * again, if it has changed. From the first time on UnitVTable.mounted is told of changes. May be NULL: mounts
         * cannot be seen.
         */
        const struct MountEntry *(*find_mount)(UnitHost *host, const char *where, bool is_fresh);

        /* The folder of what outlives a boot: "/var/lib/jobd"; NULL: there is none. */
        const char *(*state_directory)(UnitHost *host);

        /* What holds for units that say nothing of resources; NULL: nothing does. Borrowed, for this turn. */
        const struct ResourceDefaults *(*resource_defaults)(UnitHost *host);
        /*
         * Does another job run, or is about to, that does not itself wait (UNIT_PURPOSE_IDLE) for the others? NULL:
         * no.
         */
        bool (*is_busy)(UnitHost *host, const Unit *unit);
        /* Is there a job that starts the unit again once it is down? NULL: no. */
        bool (*will_start)(UnitHost *host, const Unit *unit);
        /* Is it, or everything, about to be stopped? What would trigger another unit then does not. NULL: no. */
        bool (*will_stop)(UnitHost *host, const Unit *unit);
        /* Is a job of it running that ends when it is up? NULL: no. */
        bool (*is_awaited)(UnitHost *host, const Unit *unit);

        /*
         * Follow who has @name on the message bus (NULL: no longer); UnitVTable.name_owned is told of it, and of each
         * change. 0, also if the bus is not there yet; -EOPNOTSUPP if it never will be. NULL: the same.
         */
        int (*watch_name)(UnitHost *host, Unit *unit, const char *name);

        /* An action on the whole manager (FailureAction=reboot): @action is a UnitAction. */
        void (*request_action)(UnitHost *host, Unit *unit, int action, int exit_status, const char *reason);

        void (*log)(UnitHost *host, Unit *unit, int level, const char *message);     /* level as basic/log.h */
} UnitHostOps;

struct UnitHost {
        const UnitHostOps *ops;
};
