/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of the manager's state
 *
 * Each section has a function that writes a record and, next to it, one that
 * reads it. The parts of a record belong to the objects that write and read
 * them; the order of the parts is the file format.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/fetch.h"
#include "basic/log.h"
#include "manager/manager_owner.h"
#include "manager/manager_parts.h"
#include "manager/manager_section.h"
#include "unit/unit_record.h"

/*
 * Incremented with every change of a record, whose reader must still accept the versions from STATE_FORMAT_OLDEST on:
 * see doc/decisions/0019; tests/manager/test_manager_format.c verifies it. A file of a later version is renamed and not
 * used.
 */
#define STATE_FORMAT 7
#define STATE_FORMAT_OLDEST 5

/* — the manager itself — */

static void write_self(void *userdata, uint32_t number, RecordWriter *writer) {
        Manager *manager = userdata;

        state_write_numbers(manager->turn.state, writer);
        manager_stages_write(&manager->stages, writer);
        job_manager_write_counters(manager->engine, writer);
        manager_stages_write_finished(&manager->stages, writer);
        manager_environment_write(&manager->environment, writer);
}

static int read_self(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;
        Manager *manager = restore->manager;
        int r;

        state_read_numbers(manager->turn.state, reader);
        restore->commit = state_last_commit(manager->turn.state);
        manager_stages_read(&manager->stages, reader);
        r = job_snapshot_read_counters(&restore->jobs, reader);
        /* Earlier versions did not write the rest. */
        if (r < 0 || reader->at == reader->end)
                return r;
        manager_stages_read_finished(&manager->stages, reader);
        if (reader->has_failed)
                return -EBADMSG;
        return reader->at == reader->end ? 0 : manager_environment_read(&manager->environment, reader);
}

static const char *describe_manager(void *userdata, uint32_t number) {
        return "the manager";
}

/* — queues — */

static void write_queues(void *userdata, uint32_t number, RecordWriter *writer) {
        Manager *manager = userdata;

        if (!manager_jobs_has_requests(&manager->jobs) && !process_table_has_exits(manager->processes))
                return;
        manager_jobs_write_requests(&manager->jobs, writer);
        process_table_write_exits(manager->processes, writer);
}

static int read_queues(void *userdata, uint32_t number, RecordReader *reader) {
        const ManagerRestore *restore = userdata;
        Manager *manager = restore->manager;
        int r;

        r = manager_jobs_read_requests(&manager->jobs, reader);
        if (r == 0)
                r = process_table_read_exits(manager->processes, reader);
        /* Earlier versions wrote the errands, too. */
        return r == 0 && reader->at < reader->end ? process_errands_read_list(manager->errands, reader) : r;
}

/* — errands — */

static void write_errand(void *userdata, uint32_t number, RecordWriter *writer) {
        process_errands_write(((const Manager *) userdata)->errands, number, writer);
}

static int next_errand(void *userdata, uint32_t number, uint32_t *ret_number) {
        return process_errands_next(((const Manager *) userdata)->errands, number, ret_number);
}

static int read_errand(void *userdata, uint32_t number, RecordReader *reader) {
        return process_errands_read(((const ManagerRestore *) userdata)->manager->errands, reader);
}

static const char *describe_errand(void *userdata, uint32_t number) {
        return "an errand";
}

/* — attempts — */

static void write_attempt(void *userdata, uint32_t number, RecordWriter *writer) {
        manager_attempts_write(manager_runs_attempts(((const Manager *) userdata)->runs), number, writer);
}

static int next_attempt(void *userdata, uint32_t number, uint32_t *ret_number) {
        return manager_attempts_next(manager_runs_attempts(((const Manager *) userdata)->runs), number, ret_number);
}

static int read_attempt(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;
        Manager *manager = restore->manager;

        return manager_attempts_read(manager_runs_attempts(manager->runs), manager->units, number, reader,
                                     &restore->n_processes);
}

static const char *describe_attempt(void *userdata, uint32_t number) {
        return "an attempt";
}

/* — callbacks — */

static void write_callback(void *userdata, uint32_t number, RecordWriter *writer) {
        manager_callbacks_write(manager_runs_callbacks(((const Manager *) userdata)->runs), number, writer);
}

static int next_callback(void *userdata, uint32_t number, uint32_t *ret_number) {
        return manager_callbacks_next(manager_runs_callbacks(((const Manager *) userdata)->runs), number, ret_number);
}

static int read_callback(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;

        return manager_callbacks_read(manager_runs_callbacks(restore->manager->runs), number, reader,
                                      &restore->n_processes);
}

static const char *describe_callback(void *userdata, uint32_t number) {
        return "a callback";
}

/* — triggers — */

static void write_triggers(void *userdata, uint32_t number, RecordWriter *writer) {
        manager_runs_write_triggers(((const Manager *) userdata)->runs, writer);
}

static int read_triggers(void *userdata, uint32_t number, RecordReader *reader) {
        return manager_runs_read_triggers(((const ManagerRestore *) userdata)->manager->runs, reader);
}

/* — tokens — */

static void write_token(void *userdata, uint32_t number, RecordWriter *writer) {
        manager_tokens_write(&((const Manager *) userdata)->tokens, number, writer);
}

static int next_token(void *userdata, uint32_t number, uint32_t *ret_number) {
        return manager_tokens_next(&((const Manager *) userdata)->tokens, number, ret_number);
}

static int read_token(void *userdata, uint32_t number, RecordReader *reader) {
        const ManagerRestore *restore = userdata;

        return manager_tokens_read(&restore->manager->tokens, number, reader);
}

/* — units — */

/* The record has the number of timers, the timers, the number of processes, the processes. */
static bool has_timers_or_processes(RecordReader ahead) {
        return record_get(&ahead) > 0 || record_get(&ahead) > 0;
}

/* Without a unit the data is skipped. */
static int read_owner(ManagerRestore *restore, Unit *unit, RecordReader *reader) {
        Manager *manager = restore->manager;
        ProcessOwner *owner = NULL;
        int r;

        if (unit && has_timers_or_processes(*reader)) {
                owner = manager_make_owner(manager, unit);
                if (!owner)
                        return -ENOMEM;
        }
        r = process_timers_read(manager->timers, owner, reader);
        return r < 0 ? r : process_table_read(manager->processes, owner, reader, &restore->n_processes);
}

static int read_recovery(ManagerRestore *restore, const char *unit, const char *awaited) {
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

static void note_reading(Manager *manager, const Unit *unit, bool is_read) {
        ManagerUnit *row = manager_units_of(&manager->rows, unit);

        if (row)
                row->is_read = is_read;
        if (is_read)
                return;
        log_write(LOG_LEVEL_ERROR, unit->id,
                  "Its recorded state cannot be read: unless processes of it are found it counts as inactive.");
        if (row)
                row->is_unread = manager->records.has_unread = true;
}

/* Returns false if it cannot be read. */
static bool read_type(Manager *manager, Unit *unit, const void *bytes, size_t n, const RecordReader *outer) {
        RecordReader reader;
        bool is_read;

        if (n == 0) {
                note_reading(manager, unit, true);
                return true;
        }
        record_reader_init_inner(&reader, bytes, n, outer);
        is_read = unit_restore(unit, &reader) >= 0;
        note_reading(manager, unit, is_read);
        manager_units_count_failed(&manager->rows, unit, unit->active_state == UNIT_FAILED);
        manager_invocations_note(&manager->invocations, unit);
        /* The earlier core may have left the links. */
        if (unit_state_is_inactive_or_failed(unit->active_state))
                manager_journal_remove_unit(manager->log, unit);
        return is_read;
}

static void note_awaiting(Manager *manager, ManagerUnit *row, bool is_awaiting) {
        if (row->is_awaiting == is_awaiting)
                return;
        row->is_awaiting = is_awaiting;
        manager->records.has_awaiting = true;
}

static void write_unit(void *userdata, uint32_t number, RecordWriter *writer) {
        Manager *manager = userdata;
        const Unit *unit = unit_table_at(manager->units, number), *awaited;
        size_t before = writer->n, place;
        const ProcessOwner *owner;
        ManagerUnit *row;
        bool has_state;

        if (!unit)
                return;
        row = manager_units_of(&manager->rows, unit);
        if (!row) {
                writer->has_failed = true; /* an empty record would mean that there is no such unit */
                return;
        }
        owner = row->owner;
        awaited = job_manager_recovers_with(manager->engine, unit);
        note_awaiting(manager, row, awaited);
        record_put_string(writer, unit->id);
        place = record_open(writer);
        unit_record(unit, writer);
        has_state = record_close(writer, place) > 0;
        if (!has_state && !(owner && process_owner_has_record(owner)) && !awaited) {
                record_cut(writer, before);
                return;
        }
        process_timers_write(owner, writer);
        process_table_write(owner, writer);
        record_put_string(writer, awaited ? awaited->id : NULL);
        manager_pins_write(&manager->pins, unit, writer);
}

static int read_unit(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;
        const char *name = record_get_string(reader);
        const void *bytes;
        Unit *unit = NULL;
        bool is_read = true;
        size_t n;
        int r;

        bytes = record_get_bytes(reader, &n);
        if (reader->has_failed || !name)
                return -EBADMSG;
        r = unit_table_load(restore->manager->units, name, &unit);
        if (r == -ENOMEM)
                return r;
        if (r < 0) {
                log_warning("The recorded state of '%s' is dropped: the name is not valid.", name);
                restore->manager->records.has_unnamed = true;
        } else {
                is_read = read_type(restore->manager, unit, bytes, n, reader);
        }
        r = read_owner(restore, is_read ? unit : NULL, reader);
        if (r == 0)
                r = read_recovery(restore, name, record_get_string(reader));
        if (r == 0 && !reader->has_failed)
                r = manager_pins_read(&restore->manager->pins, unit, reader);
        restore->n_units++;
        return reader->has_failed ? -EBADMSG : r;
}

static int next_unit(void *userdata, uint32_t number, uint32_t *ret_number) {
        const Manager *manager = userdata;

        while (number < unit_table_size(manager->units) && !unit_table_at(manager->units, number))
                number++;
        *ret_number = number;
        return number < unit_table_size(manager->units);
}

static void fetch_unit(void *userdata, uint32_t number, bool is_found) {
        const Manager *manager = userdata;
        const Unit *unit = unit_table_at(manager->units, number);

        if (!unit || number >= manager->rows.rows.n)
                return;
        if (!is_found) {
                fetch_ahead(&manager->rows.rows.items[number]);
                fetch_ahead(unit);
                fetch_ahead(&unit->inactive_exit);
                fetch_ahead(&unit->state_change);
                fetch_ahead(unit->id_text);
                return;
        }
        if (!unit->state_of_type)
                return;
        fetch_ahead(unit->state_of_type);
        fetch_ahead((const char *) unit->state_of_type + 64);
        fetch_ahead((const char *) unit->state_of_type + 128);
}

static const char *describe_unit(void *userdata, uint32_t number) {
        const Manager *manager = userdata;
        const Unit *unit = unit_table_at(manager->units, number);

        return unit ? unit->id : "a unit that is gone";
}

/* — jobs — */

static void write_job(void *userdata, uint32_t number, RecordWriter *writer) {
        const Manager *manager = userdata;

        job_manager_write_record(manager->engine, number, writer);
}

static void fetch_job(void *userdata, uint32_t number, bool is_found) {
        const Manager *manager = userdata;

        job_manager_fetch_record(manager->engine, number, is_found);
}

static int read_job(void *userdata, uint32_t number, RecordReader *reader) {
        ManagerRestore *restore = userdata;

        return job_snapshot_read_record(&restore->jobs, reader);
}

/* The jobs are listed once, at the first call: later ones are marked when they are made. */
static int next_job(void *userdata, uint32_t number, uint32_t *ret_number) {
        Manager *manager = userdata;
        JobIds *ids = &manager->records.jobs;
        size_t first = 0, behind;

        if (number == 0 || ids->n == 0) {
                vector_deinit(ids);
                if (job_manager_list_records(manager->engine, ids) < 0)
                        return -ENOMEM;
        }
        behind = ids->n;
        while (first < behind) {
                size_t middle = first + (behind - first) / 2;

                if (ids->items[middle] < number)
                        first = middle + 1;
                else
                        behind = middle;
        }
        if (first == ids->n) {
                vector_deinit(ids);
                return 0;
        }
        *ret_number = ids->items[first];
        return 1;
}

static const char *describe_job(void *userdata, uint32_t number) {
        return "a job";
}

static const StateSection sections[] = {
        [MANAGER_SECTION_SELF] = { STORE_MANAGER, MANAGER_RECORD_SELF, MANAGER_RECORD_SELF, .write = write_self,
                                   .read = read_self, .describe = describe_manager },
        [MANAGER_SECTION_QUEUES] = { STORE_MANAGER, MANAGER_RECORD_QUEUES, MANAGER_RECORD_QUEUES, .write = write_queues,
                                     .read = read_queues, .describe = describe_manager },
        [MANAGER_SECTION_TRIGGERS] = { STORE_MANAGER, MANAGER_RECORD_TRIGGERS, MANAGER_RECORD_TRIGGERS,
                                       .write = write_triggers, .read = read_triggers, .describe = describe_manager },
        [MANAGER_SECTION_TOKENS] = { STORE_MANAGER, MANAGER_RECORD_TOKENS, UINT32_MAX, .next = next_token,
                                     .write = write_token, .read = read_token, .describe = describe_manager },
        [MANAGER_SECTION_UNITS] = { STORE_UNITS, 0, UINT32_MAX, .next = next_unit, .soon = fetch_unit,
                                    .write = write_unit, .read = read_unit, .describe = describe_unit },
        [MANAGER_SECTION_JOBS] = { STORE_JOBS, 0, UINT32_MAX, .next = next_job, .soon = fetch_job, .write = write_job,
                                   .read = read_job, .describe = describe_job },
        [MANAGER_SECTION_ERRANDS] = { STORE_ERRANDS, 0, UINT32_MAX, .next = next_errand, .write = write_errand,
                                      .read = read_errand, .describe = describe_errand },
        [MANAGER_SECTION_ATTEMPTS] = { STORE_ATTEMPTS, 0, UINT32_MAX, .next = next_attempt, .write = write_attempt,
                                       .read = read_attempt, .describe = describe_attempt },
        [MANAGER_SECTION_CALLBACKS] = { STORE_CALLBACKS, 0, UINT32_MAX, .next = next_callback, .write = write_callback,
                                        .read = read_callback, .describe = describe_callback },
};

void manager_records_mark_awaiting(Manager *manager, const Unit *unit) {
        const ManagerUnit *row;

        if (!manager->records.has_awaiting)
                return;
        row = manager_units_of(&manager->rows, unit);
        if (!row || row->is_awaiting)
                manager_turn_mark(&manager->turn, unit);
}

static void committed(void *userdata, bool is_written) {
        Manager *manager = userdata;

        if (is_written)
                manager_transients_settle(&manager->transients, true);
        manager_notify_drop_peeked(&manager->notify);
        if (is_written)
                process_keeper_tell_committed(&manager->options.keeper);
}

/* The keeper's name of the memory file. */
#define HELD_STATE "state"

static int hold_state(void *userdata, int fd) {
        const ProcessKeeper *keeper = &((const Manager *) userdata)->options.keeper;

        return fd >= 0 ? process_keeper_store_fd(keeper, HELD_STATE, fd) : process_keeper_drop_fd(keeper, HELD_STATE);
}

static int take_held_state(void *userdata) {
        return process_keeper_take_fd(&((const Manager *) userdata)->options.keeper, HELD_STATE);
}

int manager_records_init(Manager *manager) {
        const bool is_kept = manager->options.keeper.ops;

        return state_new(&manager->turn.state, &(StateOptions) {
                                                       .folder = manager->options.runtime_directory,
                                                       .name = "jobd state",
                                                       .version = STATE_FORMAT,
                                                       .oldest = STATE_FORMAT_OLDEST,
                                                       .sections = sections,
                                                       .n_sections = ELEMENTSOF(sections),
                                                       .numbers = MANAGER_SECTION_SELF,
                                                       .userdata = manager,
                                                       .committed = committed,
                                                       .hold = is_kept ? hold_state : NULL,
                                                       .take_held = is_kept ? take_held_state : NULL,
                                               });
}

void manager_records_deinit(Manager *manager) {
        vector_deinit(&manager->records.jobs);
}
