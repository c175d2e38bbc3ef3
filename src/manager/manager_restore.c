/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Taking over the state of the earlier core
 *
 * First every object gets its recorded state. Then the later events of the
 * journal are repeated: units are told of processes that were made, then of
 * exits that were reaped. Exits known to the keeper follow when the keeper
 * reports them. So each event is reported once, and units handle it like any
 * other. The order is the table in restore_all().
 */

#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_owner.h"
#include "manager/manager_parts.h"
#include "manager/manager_rebuild.h"
#include "manager/manager_section.h"

int manager_tell_lost_exits(Manager *manager) {
        int r = 0;

        unit_table_foreach(manager->units, unit) {
                ProcessOwner *owner = manager_find_owner(manager, unit);

                if (owner && r == 0)
                        r = process_table_tell_lost(manager->processes, owner);
        }
        if (r == 0)
                r = manager_attempts_tell_lost(manager_runs_attempts(manager->runs));
        return r < 0 ? r : manager_callbacks_tell_lost(manager_runs_callbacks(manager->runs));
}

/* Called when all recorded exits are known. */
static int tell_lost_processes(ManagerRestore *restore) {
        return manager_tell_lost_exits(restore->manager);
}

static int take_journal_exits(ManagerRestore *restore) {
        return process_table_read_journal(restore->manager->processes);
}

/* — is there a state to take over? — */

static int look_at_unit(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;
        size_t n_bytes;
        uint64_t n;

        record_get_string(reader);
        record_get_bytes(reader, &n_bytes);
        for (n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                record_get(reader);
                record_get(reader);
        }
        if (process_table_look(reader))
                restore->lives = true;
        record_get_string(reader);
        reader->at = reader->end; /* the rest is only for taking over */
        return reader->has_failed ? -EBADMSG : 0;
}

static int look_at_attempt(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;

        restore->lives = manager_attempts_look(reader) || restore->lives;
        reader->at = reader->end;
        return reader->has_failed ? -EBADMSG : 0;
}

static int look(ManagerRestore *restore) {
        int r;

        if (restore->manager->options.keeper.is_again) {
                restore->lives = true;
                return 0;
        }
        r = state_look(restore->manager->turn.state, MANAGER_SECTION_UNITS, look_at_unit, restore);
        return r < 0 ? r : state_look(restore->manager->turn.state, MANAGER_SECTION_ATTEMPTS, look_at_attempt, restore);
}

/* — the steps — */

static int read_self(ManagerRestore *restore) {
        return state_read(restore->manager->turn.state, MANAGER_SECTION_SELF, restore);
}

static int drop_uncommitted(ManagerRestore *restore) {
        manager_transients_drop_uncommitted(&restore->manager->transients, restore->commit);
        return 0;
}

static int read_units(ManagerRestore *restore) {
        return state_read(restore->manager->turn.state, MANAGER_SECTION_UNITS, restore);
}

static void rebuild(Manager *manager, const ManagerUnits *unread) {
        manager_rebuild(&(ManagerRebuild) {
                .keeper = manager->options.keeper.pid,
                .is_user = manager->options.is_user,
                .units = manager->units,
                .groups = manager->groups,
                .processes = manager->processes,
                .invocations = &manager->invocations,
                .unread = unread,
                .with_unnamed = manager->records.has_unnamed,
        });
}

static int find_unread(ManagerRestore *restore) {
        Manager *manager = restore->manager;

        if (manager->records.has_unread || manager->records.has_unnamed)
                rebuild(manager, &manager->rows);
        return 0;
}

/* A job that runs waits for what its unit does; a unit without a readable record does nothing, and is asked again. */
static int ask_unread_again(ManagerRestore *restore) {
        const Manager *manager = restore->manager;

        for (size_t i = 0; i < restore->jobs.jobs.n && manager->records.has_unread; i++) {
                JobRecord *job = &restore->jobs.jobs.items[i];
                const Unit *unit = job->unit ? unit_table_find(manager->units, job->unit) : NULL;
                const ManagerUnit *row = unit ? manager_units_find(&manager->rows, unit) : NULL;

                if (row && row->is_unread)
                        job->state = JOB_WAITING;
        }
        return 0;
}

static int read_jobs(ManagerRestore *restore) {
        return state_read(restore->manager->turn.state, MANAGER_SECTION_JOBS, restore);
}

static int install_jobs(ManagerRestore *restore) {
        job_snapshot_sort(&restore->jobs);
        return job_manager_restore(restore->manager->engine, &restore->jobs, restore->manager->turn.now);
}

/* The entries of a journal of another commit are in the state already. */
static int check_journal(ManagerRestore *restore) {
        Journal *journal = state_journal(restore->manager->turn.state);

        if (journal_commit(journal) != restore->commit)
                journal_begin(journal, restore->commit);
        return 0;
}

static int read_queues(ManagerRestore *restore) {
        return state_read(restore->manager->turn.state, MANAGER_SECTION_QUEUES, restore);
}

static int read_errands(ManagerRestore *restore) {
        int r;

        r = state_read(restore->manager->turn.state, MANAGER_SECTION_ERRANDS, restore);
        return r < 0 ? r : process_errands_repeat(restore->manager->errands);
}

static int read_attempts(ManagerRestore *restore) {
        return state_read(restore->manager->turn.state, MANAGER_SECTION_ATTEMPTS, restore);
}

static int read_callbacks(ManagerRestore *restore) {
        return state_read(restore->manager->turn.state, MANAGER_SECTION_CALLBACKS, restore);
}

static int read_triggers(ManagerRestore *restore) {
        return state_read(restore->manager->turn.state, MANAGER_SECTION_TRIGGERS, restore);
}

static int read_tokens(ManagerRestore *restore) {
        return state_read(restore->manager->turn.state, MANAGER_SECTION_TOKENS, restore);
}

static int resume_units(ManagerRestore *restore) {
        Manager *manager = restore->manager;

        unit_table_foreach(manager->units, unit)
                if (unit->vtable->resume)
                        unit->vtable->resume(unit);
        unit_table_foreach(manager->units, unit)
                manager_triggers_note(&manager->triggers, unit);
        return 0;
}

/* The order in which a manager takes over the state. */
static int restore_all(ManagerRestore *restore) {
        static int (*const steps[])(ManagerRestore * restore) = {
                drop_uncommitted, /* before units are read: removes files of units that were never committed */
                read_units, /* with their timers, processes and pins */
                read_attempts, /* errands refer to attempts … */
                read_callbacks, /* … and to callbacks */
                find_unread, /* units without a readable record, by their processes */
                read_jobs, /* jobs refer to units */
                ask_unread_again,    install_jobs,
                check_journal,       read_queues, /* job requests, exits: the journal has later ones */
                read_errands, /* in the order of their numbers */
                read_tokens, /* tokens refer to jobs */
                read_triggers,
                take_journal_exits, /* children that were reaped after the commit */
                tell_lost_processes, /* processes that are gone without a known exit */
                resume_units, /* last: units may use all of the above */
        };
        int r = read_self(restore);

        if (r < 0 || restore->commit == 0)
                return r;
        for (size_t i = 0; i < ELEMENTSOF(steps) && r == 0; i++)
                r = steps[i](restore);
        return r;
}

/* 1: taken over, 0: there is nothing to take over, -EBADMSG, -ENOMEM. What was read until then has taken effect. */
static int restore(Manager *manager) {
        ManagerRestore restore = { .manager = manager };
        int r = look(&restore);

        if (r == 0 && restore.lives) {
                r = restore_all(&restore);
                manager_pins_hold(&manager->pins);
        }
        if (r == 0 && restore.commit != 0)
                log_notice("Taken over: %u units, %zu jobs, %u processes.", restore.n_units,
                           job_manager_count(manager->engine), restore.n_processes);
        manager->records.is_half_read = r < 0 && restore.n_units > 0;
        manager->records.is_taken_over = r == 0 && restore.commit != 0;
        job_snapshot_deinit(&restore.jobs);
        return r < 0 ? r : restore.commit != 0;
}

/* Returns true if there were records and they are lost. */
static bool read_state(Manager *manager) {
        cleanup_(failure_deinit) Failure failure = {};
        bool is_lost = manager->options.keeper.is_again;
        int r, opened;

        if (manager->options.no_state) {
                log_warning("As requested, no state is recorded.");
                return is_lost;
        }
        opened = state_open(manager->turn.state, &failure);
        if (opened < 0) {
                log_warning("%s; if jobd dies its records are lost.", failure_message(&failure));
                return is_lost;
        }
        is_lost = is_lost || state_is_missing(manager->turn.state);
        r = state_is_behind(manager->turn.state) ? -ESTALE : restore(manager);
        if (r > 0)
                return false;
        if (r == 0 && state_open_anew(manager->turn.state, &failure) < 0)
                log_warning("%s; if jobd dies its services are not taken over.", failure_message(&failure));
        if (r < 0) {
                log_error("The state in %s cannot be %s: %s. The file is renamed.", state_path(manager->turn.state),
                          r == -ESTALE ? "used" : "read",
                          r == -ESTALE ? "there was no room for the latest changes" : strerror(-r));
                (void) state_set_aside(manager->turn.state, &failure);
        }
        return r < 0 || is_lost || opened == STORE_E_SET_ASIDE || opened == STORE_E_TOO_NEW;
}

bool manager_open_state(Manager *manager) {
        bool is_lost = read_state(manager);

        if (manager_is_half_read(manager))
                return false;
        if (is_lost) {
                rebuild(manager, NULL);
                /* Commit numbers in files of units that were found must not be in the future. */
                state_raise_commit(manager->turn.state, manager_transients_last_commit(&manager->transients));
        }
        state_begin(manager->turn.state);
        manager_runs_begin(manager->runs, manager->records.is_taken_over);
        if (state_journal(manager->turn.state))
                manager_notify_peek(&manager->notify);
        return true;
}

bool manager_is_half_read(const Manager *manager) {
        return manager->records.is_half_read && manager->options.keeper.ops;
}
