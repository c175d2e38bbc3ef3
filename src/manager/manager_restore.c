/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a manager before us has left
 *
 * First everybody gets the state that was written down: units, then the jobs,
 * then the manager itself. Then happens again what had happened since: processes
 * that were made are told to their units, then exits that were reaped. An exit
 * that the keeper has is told when he tells it. So each is told once, and units
 * act on it as on any other.
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

struct ManagerRestore {
        Manager *manager;               /* borrowed */
        JobSnapshot jobs;
        uint64_t commit;                /* of the state that is read; 0: there is none */
        unsigned n_units, n_processes;
        bool lives;                     /* a process of it is still there */
};

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
static int tell_lost_processes(Manager *manager) {
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

/* — records — */

static int restore_timers(Manager *manager, Unit *unit, RecordReader *reader) {
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && !reader->has_failed && r == 0; n--) {
                UnitPurpose purpose = (UnitPurpose) record_get_below(reader, _UNIT_PURPOSE_MAX);
                usec_t deadline = record_get(reader);

                if (!reader->has_failed && unit)
                        r = manager_set_timer(manager, unit, purpose, deadline);
        }
        return r;
}

static int restore_processes(ManagerRestore *restore, Unit *unit, RecordReader *reader) {
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && !reader->has_failed && r == 0; n--) {
                pid_t pid = (pid_t) record_get_below(reader, INT32_MAX);
                UnitPurpose purpose = (UnitPurpose) record_get_below(reader, _UNIT_PURPOSE_MAX);
                usec_t started = record_get(reader);

                if (reader->has_failed || pid <= 1 || !unit)
                        continue;
                r = manager_adopt_process(restore->manager, unit, purpose, pid, started);
                restore->n_processes++;
        }
        return r;
}

static int restore_recovery(ManagerRestore *restore, const char *unit, const char *awaited) {
        JobRecoveryRecord record = {};

        if (!awaited)
                return 0;
        record.unit = strdup(unit);
        record.waits_for = strdup(awaited);
        if (record.unit && record.waits_for && vector_push(&restore->jobs.recoveries, record) == 0)
                return 0;
        free(record.unit);
        free(record.waits_for);
        return -ENOMEM;
}

static void restore_state(Manager *manager, Unit *unit, const void *bytes, size_t n, const RecordReader *outer) {
        RecordReader reader;

        if (n == 0)
                return;
        record_reader_init_inner(&reader, bytes, n, outer);
        if (unit_restore(unit, &reader) < 0)
                log_write(LOG_LEVEL_ERROR, unit->id, "Its state from before cannot be read: it counts as inactive.");
        manager_count_failed(manager, unit, unit->active_state == UNIT_FAILED);
        manager_note_invocation(manager, unit);
        /* What one before us may have left. */
        if (unit_state_is_inactive_or_failed(unit->active_state))
                manager_journal_remove_unit(manager, unit);
}

static int take_unit(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;
        const char *name = record_get_string(reader);
        const void *bytes;
        Unit *unit = NULL;
        size_t n;
        int r;

        bytes = record_get_bytes(reader, &n);
        if (reader->has_failed || !name)
                return -EBADMSG;
        r = unit_table_load(restore->manager->units, name, &unit);
        if (r == -ENOMEM)
                return r;
        if (r < 0)
                log_warning("State of '%s' is dropped: there can be no such unit.", name);
        else
                restore_state(restore->manager, unit, bytes, n, reader);
        r = restore_timers(restore->manager, unit, reader);
        if (r == 0)
                r = restore_processes(restore, unit, reader);
        if (r == 0)
                r = restore_recovery(restore, name, record_get_string(reader));
        if (r == 0 && !reader->has_failed)
                r = manager_read_pins(restore->manager, unit, reader);
        restore->n_units++;
        return reader->has_failed ? -EBADMSG : r;
}

static int take_job(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;

        return job_snapshot_read_record(&restore->jobs, reader);
}

static int read_self(ManagerRestore *restore, RecordReader *reader) {
        Manager *manager = restore->manager;
        int r;

        restore->commit = manager->state.commit = record_get(reader);
        manager->state.last_errand = record_get(reader);
        manager->stage = (ManagerStage) record_get_below(reader, MANAGER_GONE + 1);
        manager->stage_deadline = record_get(reader);
        manager->action = (UnitAction) record_get_below(reader, _UNIT_ACTION_MAX);
        manager->action_status = (int) record_get_signed(reader);
        manager->exit_status = (int) record_get_signed(reader);
        manager->started = record_get(reader);
        manager->started_realtime = record_get(reader);
        r = job_snapshot_read_counters(&restore->jobs, reader);
        /* One that was upgraded did not write them. */
        if (r < 0 || reader->at == reader->end)
                return r;
        manager->finished = record_get(reader);
        manager->finished_realtime = record_get(reader);
        if (reader->has_failed)
                return -EBADMSG;
        return reader->at == reader->end ? 0 : manager_read_set(manager, reader);
}

static int read_request(Manager *manager, RecordReader *reader) {
        ManagerRequest request = { .unit = record_get_string_copy(reader) };

        request.reason = record_get_string_copy(reader);
        request.type = (JobType) record_get_below(reader, _JOB_TYPE_MAX);
        request.mode = (JobMode) record_get_below(reader, _JOB_MODE_MAX);
        request.reload_if_possible = record_get_below(reader, 2) != 0;
        if (!reader->has_failed && request.unit && request.reason && vector_push(&manager->requests, request) == 0)
                return 0;
        free(request.unit);
        free(request.reason);
        return -EBADMSG;
}

typedef VECTOR(UnitExit) UnitExits;

static int read_exits(RecordReader *reader, UnitExits *exits) {
        uint64_t n = record_get(reader);

        for (; n > 0 && !reader->has_failed; n--) {
                UnitExit exit = { .pid = (pid_t) record_get_signed(reader) };

                exit.code = (int) record_get_signed(reader);
                exit.status = (int) record_get_signed(reader);
                exit.time = record_get(reader);
                if (vector_push(exits, exit) < 0)
                        return -ENOMEM;
        }
        return reader->has_failed ? -EBADMSG : 0;
}

static int read_queues(Manager *manager, RecordReader *reader) {
        uint64_t n = record_get(reader);
        UnitExits exits = {};
        int r = 0;

        for (; n > 0 && r == 0; n--)
                r = read_request(manager, reader);
        if (r == 0)
                r = read_exits(reader, &exits);
        for (size_t i = 0; i < exits.n && r == 0; i++)
                r = vector_push(&manager->due, exits.items[i]);
        vector_clear(&exits);
        if (r == 0)
                r = read_exits(reader, &exits);
        for (size_t i = 0; i < exits.n && r == 0; i++)
                r = vector_push(&manager->strays, exits.items[i]);
        vector_deinit(&exits);
        return r < 0 ? r : manager_read_errands(manager, reader);
}

/* Once for each of the two: the queues only make sense when units and jobs are there. */
typedef struct OwnRecord {
        ManagerRestore *restore;
        uint32_t number;
} OwnRecord;

static int take_own(void *userdata, uint32_t number, RecordReader *reader) {
        const OwnRecord *own = userdata;

        if (number != own->number) {
                reader->at = reader->end;
                return 0;
        }
        return number == MANAGER_RECORD_SELF ? read_self(own->restore, reader) :
                                               read_queues(own->restore->manager, reader);
}

static int load_own(ManagerRestore *restore, uint32_t number) {
        return store_load(restore->manager->state.store, STORE_MANAGER, take_own,
                          &(OwnRecord) { .restore = restore, .number = number });
}

static int take_token(void *userdata, uint32_t number, RecordReader *reader) {
        const ManagerRestore *restore = userdata;

        if (number >= MANAGER_RECORD_TOKENS)
                return manager_read_token(restore->manager, number, reader);
        reader->at = reader->end;
        return 0;
}

/* Those that were reaped after the commit. */
static int take_journal_exits(Manager *manager) {
        const Journal *journal = manager->state.journal;

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
        return store_load(restore->manager->state.store, STORE_UNITS, look_at_unit, restore);
}

static int restore_all(ManagerRestore *restore) {
        Manager *manager = restore->manager;
        Store *store = manager->state.store;
        int r;

        r = load_own(restore, MANAGER_RECORD_SELF);
        if (r < 0 || restore->commit == 0)
                return r;
        manager_drop_uncommitted(manager, restore->commit);
        r = store_load(store, STORE_UNITS, take_unit, restore);
        if (r == 0)
                r = store_load(store, STORE_JOBS, take_job, restore);
        if (r < 0)
                return r;
        job_snapshot_sort(&restore->jobs);
        r = job_manager_restore(manager->jobs, &restore->jobs, manager->now);
        /* A journal of another commit is part of the state already. */
        if (r == 0 && journal_commit(manager->state.journal) != restore->commit)
                journal_begin(manager->state.journal, restore->commit);
        if (r == 0)
                r = load_own(restore, MANAGER_RECORD_QUEUES);
        if (r == 0)
                r = store_load(store, STORE_MANAGER, take_token, restore);
        if (r == 0)
                r = take_journal_exits(manager);
        if (r == 0)
                r = tell_lost_processes(manager);
        if (r == 0)
                manager_resume_units(manager);
        return r;
}

int manager_restore(Manager *manager, bool *ret_lives) {
        ManagerRestore restore = { .manager = manager };
        int r;

        r = look(&restore);
        if (r == 0 && restore.lives) {
                r = restore_all(&restore);
                restore.lives = restore.commit != 0;
                manager_hold_pins(manager);
        }
        if (r == 0 && restore.lives)
                log_notice("Taken over: %u units, %zu jobs, %u processes.", restore.n_units,
                           job_manager_count(manager->jobs), restore.n_processes);
        *ret_lives = restore.lives;
        job_snapshot_deinit(&restore.jobs);
        return r;
}
