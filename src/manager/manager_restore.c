/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Taking over what the manager before has left
 *
 * First everything gets the state that was written down. Then happens again
 * what had happened since: processes that were made are told to their units,
 * then exits that were reaped. An exit that the keeper has is told when the
 * keeper tells it. So each is told once, and units act on it as on any other.
 * The order of all that is the table in restore_all().
 *
 * A process is the one that is meant if it was begun at the time that is written
 * down. One that has ended, and of which nobody knows how, counts as killed.
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "manager/manager_private.h"
#include "manager/manager_transient.h"
#include "unit/unit_record.h"

/* From the time that is written down until the process begins, on a machine that has much else to do. */
#define START_AFTER (3 * USEC_PER_SEC)

/* — processes — */

static bool has_begun_at(const ExecProcess *process, usec_t started) {
        usec_t tick = USEC_PER_SEC / (usec_t) sysconf(_SC_CLK_TCK);
        usec_t begun = process->start_time * tick;

        return begun + 2 * tick > started && begun < usec_add(started, START_AFTER);
}

static bool find_it(pid_t pid, usec_t started, ExecProcess *ret_found) {
        return exec_process_read(pid, ret_found) == 0 && has_begun_at(ret_found, started);
}

/* The keeper may have reaped it after he told us of those that he had: then his word is under way. */
static int tell_lost(Manager *manager, ManagerProcess *process) {
        if (manager_has_kept_exit(manager, process->pid))
                return 0;
        process->is_lost = true;
        if (manager->options.keeper.pid > 0)
                return manager_wait_for_keeper(manager, process);
        return vector_push(&manager->due, manager_lost_exit(manager, process));
}

/* Its exit is here, or comes from somebody: by itself, from the keeper, or by its pidfd. */
int manager_adopt_process(Manager *manager, Unit *unit, UnitPurpose purpose, pid_t pid, usec_t started) {
        ExecProcess found = {};
        bool is_there = find_it(pid, started, &found);
        int pidfd = is_there ? (int) syscall(SYS_pidfd_open, pid, 0) : -1, r;
        ManagerProcess *process;

        r = manager_add_process(manager, unit, purpose, pid, pidfd, USEC_INFINITY);
        if (r < 0)
                return r;
        process = manager_find_process(manager, pid);
        process->started = started;
        process->is_adopted = !is_there || found.parent != getpid();
        if (!is_there)
                return 0;
        if (found.parent != getpid() && found.parent != manager->options.keeper.pid)
                return manager_watch_adopted(manager, process);
        return 0;
}

/* Once all exits are known that somebody has written down. */
static int tell_lost_processes(ManagerRestore *restore) {
        Manager *manager = restore->manager;
        int r = 0;

        unit_table_foreach(manager->units, unit) {
                const ManagerUnit *of_unit = manager_of_unit(manager, unit);

                if (!of_unit)
                        return -ENOMEM;
                for (ManagerProcess *process = of_unit->processes; process && r == 0; process = process->next) {
                        ExecProcess found;

                        if (!process->is_reaped && !find_it(process->pid, process->started, &found))
                                r = tell_lost(manager, process);
                }
        }
        return r;
}

/* Those that were reaped after the commit. */
static int take_journal_exits(ManagerRestore *restore) {
        Manager *manager = restore->manager;
        const Journal *journal = state_journal(manager->state);

        for (size_t i = 0; journal_exit_at(journal, i); i++) {
                const siginfo_t *info = journal_exit_at(journal, i);
                ManagerProcess *process = manager_find_process(manager, info->si_pid);
                UnitExit exit = {
                        .pid = info->si_pid, .code = info->si_code, .status = info->si_status, .time = manager->now,
                };

                /* A unit may ask for it later, as if it had just been reaped. */
                if (!process) {
                        manager_take_exit(manager, &exit);
                        continue;
                }
                process->is_reaped = true;
                if (vector_push(&manager->due, exit) < 0)
                        return -ENOMEM;
        }
        return 0;
}

/* — is there anything to take over? — */

static int look_at_unit(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;
        ExecProcess found;
        size_t n_bytes;
        uint64_t n;

        record_get_string(reader);
        record_get_bytes(reader, &n_bytes);
        for (n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                record_get(reader);
                record_get(reader);
        }
        for (n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                pid_t pid = (pid_t) record_get_below(reader, INT32_MAX);

                record_get(reader);
                if (find_it(pid, record_get(reader), &found))
                        restore->lives = true;
        }
        record_get_string(reader);
        reader->at = reader->end;       /* the rest is for those who serve */
        return reader->has_failed ? -EBADMSG : 0;
}

static int look(ManagerRestore *restore) {
        if (manager_is_again(restore->manager)) {
                restore->lives = true;
                return 0;
        }
        return state_look(restore->manager->state, MANAGER_SECTION_UNITS, look_at_unit, restore);
}

/* — the steps — */

static int read_self(ManagerRestore *restore) {
        return state_read(restore->manager->state, MANAGER_SECTION_SELF, restore);
}

static int drop_uncommitted(ManagerRestore *restore) {
        manager_drop_uncommitted(restore->manager, restore->commit);
        return 0;
}

static int read_units(ManagerRestore *restore) {
        return state_read(restore->manager->state, MANAGER_SECTION_UNITS, restore);
}

static int read_jobs(ManagerRestore *restore) {
        return state_read(restore->manager->state, MANAGER_SECTION_JOBS, restore);
}

static int install_jobs(ManagerRestore *restore) {
        job_snapshot_sort(&restore->jobs);
        return job_manager_restore(restore->manager->jobs, &restore->jobs, restore->manager->now);
}

/* A journal of another commit is part of the state already. */
static int check_journal(ManagerRestore *restore) {
        Journal *journal = state_journal(restore->manager->state);

        if (journal_commit(journal) != restore->commit)
                journal_begin(journal, restore->commit);
        return 0;
}

static int read_queues(ManagerRestore *restore) {
        return state_read(restore->manager->state, MANAGER_SECTION_QUEUES, restore);
}

static int read_tokens(ManagerRestore *restore) {
        return state_read(restore->manager->state, MANAGER_SECTION_TOKENS, restore);
}

static int resume_units(ManagerRestore *restore) {
        manager_resume_units(restore->manager);
        return 0;
}

/* The order in which a manager takes over what another has left. */
static int restore_all(ManagerRestore *restore) {
        static int (*const steps[])(ManagerRestore *restore) = {
                drop_uncommitted,       /* before units are read: files of units that were not made after all */
                read_units,             /* with their timers, processes and pins */
                read_jobs,              /* they name units */
                install_jobs,
                check_journal,
                read_queues,            /* job requests, exits, errands: what left after the commit is in the journal */
                read_tokens,            /* they name jobs */
                take_journal_exits,     /* children that were reaped after the commit */
                tell_lost_processes,    /* those that are gone, and whose exit nobody has */
                resume_units,           /* last: a unit may look at all of that */
        };
        int r = read_self(restore);

        if (r < 0 || restore->commit == 0)
                return r;
        for (size_t i = 0; i < ELEMENTSOF(steps) && r == 0; i++)
                r = steps[i](restore);
        return r;
}

/* 1: it was taken over, 0: there is nothing to take over, -EBADMSG, -ENOMEM. */
static int restore(Manager *manager) {
        ManagerRestore restore = { .manager = manager };
        int r = look(&restore);

        if (r == 0 && restore.lives) {
                r = restore_all(&restore);
                manager_hold_pins(manager);
        }
        if (r == 0 && restore.commit != 0)
                log_notice("Taken over: %u units, %zu jobs, %u processes.", restore.n_units,
                           job_manager_count(manager->jobs), restore.n_processes);
        job_snapshot_deinit(&restore.jobs);
        return r < 0 ? r : restore.commit != 0;
}

/* Were there records, and are they lost? */
static bool read_state(Manager *manager) {
        cleanup_(failure_deinit) Failure failure = {};
        bool is_lost = manager_is_again(manager);
        int r, opened;

        if (manager->options.no_state) {
                log_warning("No state is written down, as was asked for.");
                return is_lost;
        }
        opened = state_open(manager->state, &failure);
        if (opened < 0) {
                log_warning("%s; if jobd dies its records are lost.", failure_message(&failure));
                return is_lost;
        }
        r = restore(manager);
        if (r > 0)
                return false;
        if (r == 0 && state_open_anew(manager->state, &failure) < 0)
                log_warning("%s; if jobd dies its services are not taken over.", failure_message(&failure));
        if (r < 0) {
                log_error("The state in %s cannot be read: %s. It is set aside.", state_path(manager->state), strerror(-r));
                (void) state_set_aside(manager->state, &failure);
        }
        return r < 0 || is_lost || opened == STORE_E_SET_ASIDE || opened == STORE_E_TOO_NEW;
}

void manager_open_state(Manager *manager) {
        if (read_state(manager)) {
                manager_rebuild(manager);
                /* The files of units that were found must not be of commits that are still to come. */
                state_raise_commit(manager->state, manager_transient_commit(manager));
        }
        state_begin(manager->state);
        if (state_journal(manager->state))
                manager_peek_notify(manager);
}
