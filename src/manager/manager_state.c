/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The manager's state, written down
 *
 * What is in a record, and when it is written. How it is read again is in
 * manager_restore.c, in the same order.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/fetch.h"
#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_private.h"
#include "manager/manager_transient.h"
#include "unit/unit_record.h"

/*
 * Goes up with every change of a record, whose reader goes on reading what is of STATE_FORMAT_OLDEST on: how, is in
 * doc/decisions/0019; what holds us to it, in tests/manager/test_manager_format.c. A later one is set aside.
 */
#define STATE_FORMAT 5
#define STATE_FORMAT_OLDEST 5

/* Records of units that are written ahead at once: many for a row, and few enough to be in the caches yet. */
#define WRITTEN_AHEAD_MIN 256U

void manager_mark_unit(Manager *manager, const Unit *unit) {
        if (manager->state.store)
                store_mark(manager->state.store, STORE_UNITS, unit->index);
}

void manager_mark_job_of(Manager *manager, const Unit *unit) {
        const ManagerUnit *of_unit;

        if (!manager->state.has_awaiting)
                return;
        of_unit = manager_of_unit(manager, unit);
        if (!of_unit || of_unit->is_awaiting)
                manager_mark_unit(manager, unit);
}

void manager_mark_job(Manager *manager, uint32_t id) {
        if (manager->state.store && id != JOB_ID_NONE)
                store_mark(manager->state.store, STORE_JOBS, id);
}

/* The queues change with nearly everything that happens, and are short. */
void manager_mark_self(Manager *manager) {
        if (!manager->state.store)
                return;
        store_mark(manager->state.store, STORE_MANAGER, MANAGER_RECORD_SELF);
        store_mark(manager->state.store, STORE_MANAGER, MANAGER_RECORD_QUEUES);
}

/* — records — */

void manager_write_self(Manager *manager, RecordWriter *writer) {
        record_put(writer, manager->state.commit);
        record_put(writer, manager->state.last_errand);
        record_put(writer, manager->stage);
        record_put(writer, manager->stage_deadline);
        record_put(writer, manager->action);
        record_put_signed(writer, manager->action_status);
        record_put_signed(writer, manager->exit_status);
        record_put(writer, manager->started);
        record_put(writer, manager->started_realtime);
        job_manager_write_counters(manager->jobs, writer);
        record_put(writer, manager->finished);
        record_put(writer, manager->finished_realtime);
        manager_write_set(manager, writer);
}

static void write_exit(const UnitExit *exit, RecordWriter *writer) {
        record_put_signed(writer, exit->pid);
        record_put_signed(writer, exit->code);
        record_put_signed(writer, exit->status);
        record_put(writer, exit->time);
}

static void write_exits(const UnitExit *exits, size_t n, RecordWriter *writer) {
        record_put(writer, n);
        for (size_t i = 0; i < n; i++)
                write_exit(&exits[i], writer);
}

void manager_write_queues(Manager *manager, RecordWriter *writer) {
        if (manager->requests.n + manager->due.n + manager->strays.n == 0 && !manager->errands)
                return;
        record_put(writer, manager->requests.n);
        for (size_t i = 0; i < manager->requests.n; i++) {
                const ManagerRequest *request = &manager->requests.items[i];

                record_put_string(writer, request->unit);
                record_put_string(writer, request->reason);
                record_put(writer, (uint64_t) request->type);
                record_put(writer, (uint64_t) request->mode);
                record_put(writer, request->reload_if_possible);
        }
        write_exits(manager->due.items, manager->due.n, writer);
        write_exits(manager->strays.items, manager->strays.n, writer);
        manager_write_errands(manager, writer);
}

static void write_timers(const ManagerTimer *timers, RecordWriter *writer) {
        size_t n = 0;

        for (const ManagerTimer *timer = timers; timer; timer = timer->next)
                n++;
        record_put(writer, n);
        for (const ManagerTimer *timer = timers; timer; timer = timer->next) {
                record_put(writer, timer->purpose);
                record_put(writer, timer->deadline);
        }
}

static void write_processes(const ManagerProcess *processes, RecordWriter *writer) {
        size_t n = 0;

        for (const ManagerProcess *process = processes; process; process = process->next)
                n++;
        record_put(writer, n);
        for (const ManagerProcess *process = processes; process; process = process->next) {
                record_put(writer, (uint64_t) process->pid);
                record_put(writer, process->purpose);
                record_put(writer, process->started);
        }
}

void manager_write_unit(Manager *manager, const Unit *unit, RecordWriter *writer) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);
        const Unit *awaited = job_manager_recovers_with(manager->jobs, unit);
        RecordWriter *own = &manager->unit_record;

        record_writer_clear(own);
        unit_record(unit, own);
        /* Nothing at all would say that there is no such unit. */
        if (own->has_failed || !of_unit)
                writer->has_failed = true;
        if (of_unit && of_unit->is_awaiting != (awaited != NULL)) {
                of_unit->is_awaiting = awaited;
                manager->state.has_awaiting = true;
        }
        if (!of_unit || (own->n == 0 && !of_unit->timers && !of_unit->processes && !awaited))
                return;
        record_put_string(writer, unit->id);
        record_put_bytes(writer, own->bytes, own->n);
        write_timers(of_unit->timers, writer);
        write_processes(of_unit->processes, writer);
        record_put_string(writer, awaited ? awaited->id : NULL);
        manager_write_pins(manager, unit, writer);
}

static void soon(void *userdata, StoreSpace space, uint32_t number) {
        const Manager *manager = userdata;
        const Unit *unit = space == STORE_UNITS ? unit_table_at(manager->units, number) : NULL;

        if (!unit || number >= manager->of_units.n)
                return;
        fetch_ahead(&manager->of_units.items[number]);
        fetch_ahead(unit);
        fetch_ahead(&unit->inactive_exit);
        fetch_ahead(&unit->state_change);
        fetch_ahead(unit->id_text);
        if (!unit->state_of_type)
                return;
        fetch_ahead(unit->state_of_type);
        fetch_ahead((const char *) unit->state_of_type + 64);
        fetch_ahead((const char *) unit->state_of_type + 128);
}

static void save(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer) {
        Manager *manager = userdata;
        const Unit *unit;

        switch (space) {
        case STORE_MANAGER:
                if (number == MANAGER_RECORD_SELF)
                        manager_write_self(manager, writer);
                else if (number == MANAGER_RECORD_QUEUES)
                        manager_write_queues(manager, writer);
                else if (number >= MANAGER_RECORD_TOKENS)
                        manager_write_token(manager, number, writer);
                break;
        case STORE_UNITS:
                unit = unit_table_at(manager->units, number);
                if (unit)
                        manager_write_unit(manager, unit, writer);
                break;
        case STORE_JOBS:
                job_manager_write_record(manager->jobs, number, writer);
                break;
        case _STORE_SPACE_MAX:
                break;
        }
}

/* The jobs are listed once, when the first is asked for: those that come later are marked as they come. */
static int next_job(Manager *manager, uint32_t number, uint32_t *ret_number) {
        JobIds *ids = &manager->state.ids;
        size_t first = 0, behind;

        if (number == 0 || ids->n == 0) {
                vector_deinit(ids);
                if (job_manager_list_records(manager->jobs, ids) < 0)
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

static int next(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number) {
        Manager *manager = userdata;

        switch (space) {
        case STORE_MANAGER:
                *ret_number = number;
                return number < _MANAGER_RECORD_MAX || manager_next_token(manager, number, ret_number);
        case STORE_UNITS:
                while (number < unit_table_size(manager->units) && !unit_table_at(manager->units, number))
                        number++;
                *ret_number = number;
                return number < unit_table_size(manager->units);
        case STORE_JOBS:
                return next_job(manager, number, ret_number);
        case _STORE_SPACE_MAX:
                break;
        }
        return 0;
}

/* — commits — */

/* What has been written down need not be read again. */
static void drop_peeked(Manager *manager) {
        for (; manager->state.n_peeked > 0; manager->state.n_peeked--)
                if (recv(manager->notify_fd, NULL, 0, MSG_DONTWAIT | MSG_TRUNC) < 0 && errno != EINTR)
                        break;
        manager->state.n_peeked = 0;
}

static void note_failure(ManagerState *state, int error) {
        if (!state->has_failed)
                log_error("Cannot write the state to %s: %s. Jobs and services go on; but if jobd dies before there is room "
                          "again, its successor does not know of the latest changes.", state->path, strerror(-error));
        state->has_failed = true;
        state->error = error;
}

static void note_success(ManagerState *state) {
        if (state->has_failed)
                log_notice("The state can be written to %s again.", state->path);
        state->has_failed = false;
}

void manager_commit(Manager *manager) {
        ManagerState *state = &manager->state;
        int r;

        assert(manager->n_spawns == 0);

        if (!state->store) {
                manager_settle_transient(manager, true);
                manager_tell_committed(manager);
                return;
        }
        if (store_is_dirty(state->store)) {
                state->commit++;
                manager_mark_self(manager);
                r = store_commit(state->store);
                if (r < 0) {
                        state->commit--;
                        note_failure(state, r);
                        drop_peeked(manager);
                        return;
                }
                note_success(state);
                journal_begin(state->journal, state->commit);
        }
        manager_check_state(manager);
        manager_settle_transient(manager, true);
        drop_peeked(manager);
        manager_tell_committed(manager);
}

void manager_write_ahead(Manager *manager) {
        ManagerState *state = &manager->state;

        if (state->store && !state->has_failed && manager->n_spawns == 0)
                (void) store_write_ahead(state->store, STORE_UNITS, WRITTEN_AHEAD_MIN);
}

void manager_tidy_state(Manager *manager) {
        if (manager->state.store)
                store_tidy(manager->state.store);
}

/* — the files — */

static int read_boot_id(char id[static 37]) {
        int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, id, 36);

        if (fd >= 0)
                close(fd);
        if (n != 36)
                strcpy(id, "unknown");
        else
                id[36] = '\0';
        return 0;
}

static int open_files(Manager *manager, Failure *ret_failure) {
        ManagerState *state = &manager->state;
        char boot_id[37], place[48];
        const StoreFormat format = { "jobd state", STATE_FORMAT, STATE_FORMAT_OLDEST, place };
        int r;

        read_boot_id(boot_id);
        snprintf(place, sizeof(place), "boot %s", boot_id);
        r = journal_open(&state->journal, state->journal_path, ret_failure);
        if (r < 0)
                return r;
        r = store_open(&state->store, state->path, &format, &(StoreOwner) { manager, save, next, soon }, ret_failure);
        if (r == STORE_E_TOO_NEW)
                log_warning("The state in %s is of a later version of jobd (format %u; this one knows %u): it was set aside. What "
                            "runs is found again by its processes; jobs and counters are lost.", state->path,
                            store_version(state->store), STATE_FORMAT);
        else if (r == STORE_E_SET_ASIDE)
                log_warning("The state in %s is damaged, too old or of another boot: it was set aside, and is not used.",
                            state->path);
        if (r < 0)
                state->journal = journal_close(state->journal);
        return r;
}

static void remove_files(const ManagerState *state) {
        static const char *const suffixes[] = { "", "-wal", "-journal" };
        cleanup_free_ char *path = NULL;

        for (size_t i = 0; i < ELEMENTSOF(suffixes); i++) {
                free(take_ptr(path));
                if (text_format(&path, "%s%s", state->path, suffixes[i]) == 0)
                        unlink(path);
        }
        unlink(state->journal_path);
}

static void close_files(ManagerState *state) {
        state->store = store_close(state->store);
        state->journal = journal_close(state->journal);
}

/* There is somebody to come after: what he left. */
static void start_anew(Manager *manager, Failure *ret_failure) {
        ManagerState *state = &manager->state;

        close_files(state);
        remove_files(state);
        if (open_files(manager, ret_failure) < 0)
                log_warning("%s; if jobd dies its services are not taken over.", failure_message(ret_failure));
}

/* Were there records, and are they lost? */
static bool read_state(Manager *manager) {
        cleanup_(failure_deinit) Failure failure = {};
        ManagerState *state = &manager->state;
        bool lives = false, is_lost = manager_is_again(manager);
        int r;

        if (manager->options.no_state) {
                log_warning("No state is written down, as was asked for.");
                return is_lost;
        }
        if (text_format(&state->path, "%s/state", manager->options.runtime_directory) < 0 ||
            text_format(&state->journal_path, "%s/journal", manager->options.runtime_directory) < 0 ||
            (r = open_files(manager, &failure)) < 0) {
                log_warning("%s; if jobd dies its records are lost.", failure_message(&failure));
                return is_lost;
        }
        is_lost = is_lost || r == STORE_E_SET_ASIDE || r == STORE_E_TOO_NEW;
        r = manager_restore(manager, &lives);
        if (r < 0) {
                log_error("The state in %s cannot be read: %s. It is set aside.", state->path, strerror(-r));
                is_lost = true;
                r = store_set_aside(state->store, &failure);
        } else if (!lives) {
                start_anew(manager, &failure);
        } else {
                is_lost = false;
        }
        if (r < 0)
                close_files(state);
        return is_lost;
}

void manager_open_state(Manager *manager) {
        ManagerState *state = &manager->state;

        if (read_state(manager)) {
                manager_rebuild(manager);
                /* The files of units that were found must not be of commits that are still to come. */
                state->commit = MAX(state->commit, manager_transient_commit(manager));
        }
        if (!state->store)
                return;
        state->check_path = getenv("JOBD_CHECK_STATE");
        manager->peeks = manager->notify_fd >= 0 &&
                         setsockopt(manager->notify_fd, SOL_SOCKET, SO_PEEK_OFF, &(int) { 0 }, sizeof(int)) == 0;
        state->commit = MAX(state->commit, journal_commit(state->journal)) + 1;
        store_mark_all(state->store);
}

void manager_close_state(Manager *manager, bool is_done) {
        ManagerState *state = &manager->state;

        /* On a machine the end of the manager is not the end: should core die in what follows, the next one goes on. */
        if (is_done && state->store && !manager->options.is_machine)
                remove_files(state);
        close_files(state);
        vector_deinit(&state->ids);
        record_writer_deinit(&manager->unit_record);
        free(state->path);
        free(state->journal_path);
        *state = (ManagerState) {};
}
