/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that units want to hear of
 *
 * Every exit enters by manager_take_exit(). An exit whose pid nobody knows is
 * kept for a while: a forking daemon may be gone before its PID file was read.
 * The time of the exit tells it from that of an earlier process with the same
 * number.
 *
 * Children are reaped, many at a time, before the first unit is told. So what
 * processes wrote to the notify socket before they ended is read before any
 * end is told: a service that says "ready" and exits was ready. And one list
 * of orphans, which costs as much as there are children, does for all of the
 * units. From being reaped until its unit is told, a process is marked, for
 * its number may already be another's; signals go by its pidfd anyway.
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "manager/manager_private.h"

#define STRAYS_MAX 256U
#define EXITS_AT_ONCE 128U

/* From the end of a process that the keeper may have reaped until it has told us, which takes no time at all. */
#define KEEPER_PATIENCE (2 * USEC_PER_SEC)

/* More than the kernel queues for one socket (net.unix.max_dgram_qlen). */
#define NOTIFICATIONS_BEFORE_EXITS 1024U

ManagerProcess *manager_find_process(const Manager *manager, pid_t pid) {
        return pid > 0 ? id_map_get(&manager->by_pid, (uint32_t) pid) : NULL;
}

/* The process as an exit left it: out of all tables. */
static void remove_process(Manager *manager, ManagerProcess *process) {
        ManagerUnit *of_unit = manager_of_unit(manager, process->unit);
        ManagerProcess **slot = &of_unit->processes;

        manager_consider_unloading(manager, process->unit);
        while (*slot != process)
                slot = &(*slot)->next;
        *slot = process->next;
        manager_mark_unit(manager, process->unit);
        id_map_remove(&manager->by_pid, (uint32_t) process->pid);
        sd_event_source_disable_unref(process->watch);
        if (process->pidfd >= 0)
                close(process->pidfd);
        free(process);
}

static void keep_stray(Manager *manager, const UnitExit *exit) {
        if (manager->strays.n >= STRAYS_MAX) {
                manager->strays.n -= STRAYS_MAX / 2;
                memmove(manager->strays.items, manager->strays.items + STRAYS_MAX / 2,
                        manager->strays.n * sizeof(*manager->strays.items));
        }
        manager_mark_self(manager);
        /* Without memory it is lost, as it is after too many others. */
        (void) vector_push(&manager->strays, *exit);
}

void manager_take_exit(Manager *manager, const UnitExit *exit) {
        ManagerProcess *process = manager_find_process(manager, exit->pid);
        Unit *unit;

        if (!process) {
                keep_stray(manager, exit);
                return;
        }
        unit = process->unit;
        remove_process(manager, process);
        manager->has_news = true;
        if (unit->vtable->child_exited)
                unit->vtable->child_exited(unit, exit);
}

void manager_tell_due_exits(Manager *manager) {
        size_t n = manager->due.n;

        if (n == 0)
                return;
        for (size_t i = 0; i < n; i++) {
                UnitExit exit = manager->due.items[i];

                if (manager_find_process(manager, exit.pid))
                        manager_take_exit(manager, &exit);
        }
        manager->due.n -= n;
        memmove(manager->due.items, manager->due.items + n, manager->due.n * sizeof(*manager->due.items));
}

static unsigned collect_exits(Manager *manager, UnitExit exits[static EXITS_AT_ONCE], unsigned max) {
        Journal *journal = state_journal(manager->state);
        unsigned n = 0;

        while (n < max) {
                siginfo_t own = {}, *info = NULL;
                ManagerProcess *process;

                /* Reaped and written down in one, or not written down if that does not work. */
                if (journal)
                        info = journal_next_exit(journal);
                if (!info)
                        info = &own;
                if (waitid(P_ALL, 0, info, WEXITED | WNOHANG) < 0) {
                        if (errno == EINTR)
                                continue;
                        break;
                }
                if (info->si_pid == 0)
                        break;
                exits[n++] = (UnitExit) {
                        .pid = info->si_pid, .code = info->si_code, .status = info->si_status, .time = manager->now };
                process = manager_find_process(manager, info->si_pid);
                if (process)
                        process->is_reaped = true;
        }
        return n;
}

void manager_take_kept_exits(Manager *manager, const UnitExit *exits, size_t n) {
        for (size_t i = 0; i < n; i++) {
                ManagerProcess *process = manager_find_process(manager, exits[i].pid);

                if (process && process->is_adopted)
                        process->is_reaped = true;
        }
        manager_forget_orphans(manager);
        manager_read_notify(manager, NOTIFICATIONS_BEFORE_EXITS);
        for (size_t i = 0; i < n; i++) {
                const ManagerProcess *process = manager_find_process(manager, exits[i].pid);

                if (process && !process->is_adopted)
                        keep_stray(manager, &exits[i]);
                else
                        manager_take_exit(manager, &exits[i]);
        }
}

bool manager_reap(Manager *manager, unsigned budget) {
        const Journal *journal = state_journal(manager->state);
        UnitExit exits[EXITS_AT_ONCE];
        unsigned max = MIN(budget, EXITS_AT_ONCE), n;

        if (journal && journal_room_for_exits(journal) < max)
                manager_commit(manager);
        n = collect_exits(manager, exits, max);
        manager_forget_orphans(manager);
        manager_read_notify(manager, NOTIFICATIONS_BEFORE_EXITS);
        for (unsigned i = 0; i < n; i++)
                manager_take_exit(manager, &exits[i]);
        return n == max;
}

bool manager_has_children(void) {
        ExecPids kept = {};
        siginfo_t info;
        bool has_kept;

        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD)
                return true;
        has_kept = exec_process_list_kept(&kept) == 0 && kept.n > 0;
        vector_deinit(&kept);
        return has_kept;
}

/* Takes the last exit of @pid that is not older than @since out of the strays, and drops the older ones. */
static bool take_stray(Manager *manager, pid_t pid, usec_t since, UnitExit *ret_exit) {
        bool is_found = false;
        size_t n = 0;

        for (size_t i = 0; i < manager->strays.n; i++) {
                const UnitExit *stray = &manager->strays.items[i];

                if (stray->pid != pid) {
                        manager->strays.items[n++] = *stray;
                } else if (stray->time >= since) {
                        *ret_exit = *stray;
                        is_found = true;
                }
        }
        manager->strays.n = n;
        return is_found;
}

static int insert_process(Manager *manager, const ManagerProcess *wanted) {
        ManagerUnit *of_unit = manager_of_unit(manager, wanted->unit);
        cleanup_free_ ManagerProcess *process = NULL;
        int r;

        process = malloc(sizeof(*process));
        if (!of_unit || !process)
                return -ENOMEM;
        r = id_map_put(&manager->by_pid, (uint32_t) wanted->pid, process);
        if (r < 0)
                return r;
        *process = *wanted;
        process->next = of_unit->processes;
        of_unit->processes = take_ptr(process);
        manager_mark_unit(manager, wanted->unit);
        return 0;
}

int manager_add_process(Manager *manager, Unit *unit, UnitPurpose purpose, pid_t pid, int pidfd, usec_t since) {
        ManagerProcess *old = manager_find_process(manager, pid);
        UnitExit exit;
        int r;

        assert(pid > 0);

        /* The pid is new, so whoever had it before is gone, and nobody knows how. */
        if (old)
                manager_take_exit(manager, &(UnitExit) { .pid = pid, .code = CLD_EXITED, .time = manager->now });
        r = vector_reserve(&manager->due, 1);
        if (r == 0)
                r = insert_process(manager, &(ManagerProcess) {
                        .pid = pid, .pidfd = pidfd, .unit = unit, .purpose = purpose });
        if (r < 0) {
                if (pidfd >= 0)
                        close(pidfd);
                return r;
        }
        if (take_stray(manager, pid, since, &exit)) {
                (void) vector_push(&manager->due, exit);
                manager_arm(manager->child_source);
        }
        return 0;
}

/* The keeper reaps it, or has reaped it: then it tells us. */
static bool may_be_told_by_keeper(const Manager *manager, const ManagerProcess *process) {
        ExecProcess found;

        if (!manager_is_again(manager))
                return false;
        return exec_process_read(process->pid, &found) < 0 || found.parent == manager->options.keeper.pid;
}

UnitExit manager_lost_exit(const Manager *manager, const ManagerProcess *process) {
        log_write(LOG_LEVEL_WARNING, process->unit->id,
                  "Process %d ended while jobd did not run, and nobody knows how: it counts as killed.", (int) process->pid);
        return (UnitExit) { .pid = process->pid, .code = CLD_KILLED, .status = SIGKILL, .time = manager->now };
}

/* It was the child of somebody else, who knows how it ended. */
static int on_no_word(sd_event_source *source, uint64_t usec, void *userdata) {
        ManagerProcess *process = userdata;
        Manager *manager = container_of(unit_table_host(process->unit->table), Manager, host);
        ExecProcess found;
        UnitExit exit;

        if (process->is_lost) {
                exit = manager_lost_exit(manager, process);
                manager_take_exit(manager, &exit);
                return 0;
        }
        if (exec_process_read(process->pid, &found) == 0 && found.parent == manager->options.keeper.pid)
                return sd_event_source_set_time_relative(source, KEEPER_PATIENCE) < 0 ? 0 :
                       sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
        manager_take_exit(manager, &(UnitExit) { .pid = process->pid, .code = CLD_EXITED, .time = manager->now });
        return 0;
}

int manager_wait_for_keeper(Manager *manager, ManagerProcess *process) {
        sd_event_source *timer = NULL;
        int r;

        r = sd_event_add_time_relative(manager->event, &timer, CLOCK_MONOTONIC, KEEPER_PATIENCE, 0, on_no_word, process);
        if (r < 0)
                return r;
        sd_event_source_disable_unref(process->watch);
        process->watch = timer;
        return sd_event_source_set_priority(timer, MANAGER_PRIORITY_CHILDREN);
}

/* A watched process has ended. Is it a child of ours, then its status is known, and comes with all the others. */
static int on_watched_exit(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ManagerProcess *process = userdata;
        Manager *manager = container_of(unit_table_host(process->unit->table), Manager, host);
        siginfo_t info = {};

        if (waitid(P_PID, (id_t) process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
                manager_arm(manager->child_source);
                return 0;
        }
        if (may_be_told_by_keeper(manager, process) && manager_wait_for_keeper(manager, process) >= 0)
                return 0;
        manager_take_exit(manager, &(UnitExit) { .pid = process->pid, .code = CLD_EXITED, .time = manager->now });
        return 0;
}

static int watch_pidfd(Manager *manager, ManagerProcess *process) {
        int r;

        r = sd_event_add_io(manager->event, &process->watch, process->pidfd, EPOLLIN, on_watched_exit, process);
        if (r < 0)
                return r;
        sd_event_source_set_enabled(process->watch, SD_EVENT_ONESHOT);
        return sd_event_source_set_priority(process->watch, MANAGER_PRIORITY_CHILDREN);
}

/* It is gone: if it was ours, its exit is here or among the children that have not been reaped. */
static int watch_ended(Manager *manager, Unit *unit, UnitPurpose purpose, pid_t pid) {
        for (size_t i = 0; i < manager->strays.n; i++)
                if (manager->strays.items[i].pid == pid)
                        return manager_add_process(manager, unit, purpose, pid, -1, 0);
        return -ESRCH;
}

int manager_watch_process(Manager *manager, Unit *unit, UnitPurpose purpose, pid_t pid) {
        ManagerProcess *process = manager_find_process(manager, pid);
        ExecProcess found;
        int r, pidfd;

        if (process) {
                if (process->unit != unit)
                        return -EEXIST;
                process->purpose = purpose;
                return 0;
        }
        if (pid <= 1 || pid == getpid() || pid == manager->options.keeper.pid)
                return -EINVAL;

        pidfd = (int) syscall(SYS_pidfd_open, pid, 0);
        if (pidfd < 0)
                return errno == ESRCH ? watch_ended(manager, unit, purpose, pid) : -errno;
        r = manager_add_process(manager, unit, purpose, pid, pidfd, USEC_INFINITY);
        if (r < 0)
                return r;
        process = manager_find_process(manager, pid);
        if (exec_process_read(pid, &found) == 0) {
                process->is_adopted = found.parent != getpid();
                process->started = found.start_time * (USEC_PER_SEC / (usec_t) sysconf(_SC_CLK_TCK));
        }
        r = watch_pidfd(manager, process);
        if (r < 0)
                remove_process(manager, process);
        return r;
}

int manager_watch_adopted(Manager *manager, ManagerProcess *process) {
        return process->pidfd < 0 ? 0 : watch_pidfd(manager, process);
}

void manager_forget_process(Manager *manager, Unit *unit, pid_t pid) {
        ManagerProcess *process = manager_find_process(manager, pid);

        if (process && process->unit == unit)
                remove_process(manager, process);
}
