/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The outbox of runs
 *
 * New rows, and what has become of others, are kept until a batch has them, so
 * that a batch that could not be ended loses none. A target that fails is told
 * again after a while, which grows; the rows behind it wait, and once it was
 * given up for a run, they are tried once each.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_tree.h"
#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_callback.h"
#include "manager/manager_run_alarm.h"
#include "manager/manager_run_deliver.h"
#include "manager/manager_run_outbox.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"
#include "manager/manager_target.h"

#define CALLBACKS_MAX 16U /* at a time */
#define LETTERS_A_QUERY 64U
#define CALLBACKS_OF_UNIT_MAX 8U /* so that a flow whose targets hang does not keep others from being told */
#define BACKOFF_FIRST USEC_PER_SEC
#define BACKOFF_MAX (5 * USEC_PER_MINUTE)
#define PAYLOAD_VALUES ((size_t) 1024 * 1024) /* of a payload that are looked at */

static const char state_waiting[] = "waiting", state_dead[] = "dead";

typedef enum EntryState {
        ENTRY_IDLE,
        ENTRY_ASKED, /* the store, for the next row */
        ENTRY_TOLD, /* its target is being told */
        ENTRY_HANDED, /* to the turn, which has to be over: then it was told */
        ENTRY_PAUSED, /* until .until */
} EntryState;

/* A run with rows. */
typedef struct Entry {
        uint32_t run;
        EntryState state;
        char *unit; /* owned; NULL: not known before its next row is read */
        uint64_t newest; /* the last row that was added */
        uint64_t batch; /* that has it; UINT64_MAX: none yet */
        uint64_t last; /* the last row that nothing more is to be done about */
        uint64_t query;
        usec_t until;
        uint64_t id; /* of the row that is told */
        uint64_t n_told; /* of the turn when it was handed over */
        bool has_given_up; /* the row before was */
        bool is_gone; /* the run is: its dead letters go, too, once … */
        uint64_t end_batch; /* … this one is durable, which has the last end of a row; UINT64_MAX: not known yet */
        bool is_swept; /* they are being deleted */
} Entry;

typedef struct NewRow {
        uint64_t id;
        usec_t created; /* wall clock */
        char *node, *event, *target, *payload; /* owned */
} NewRow;

/* A delivery that has ended. */
typedef struct Change {
        uint64_t id;
        uint32_t tries;
        usec_t not_before; /* wall clock */
        char *error; /* owned; NULL: it was delivered */
        bool is_dead;
} Change;

struct ManagerOutbox {
        ManagerCallbacks *callbacks; /* owned */
        VECTOR(Entry) entries;
        VECTOR(NewRow) rows; /* that no batch has */
        VECTOR(Change) changes; /* the same */
        size_t n_rows_put, n_changes_put; /* that are in the batch at hand */
        size_t n_asked;
        bool has_adopted; /* the callbacks that an earlier core has begun */
        size_t first; /* the entry that is looked at first */
};

/* — life — */

static void free_row(NewRow *row) {
        free(row->node);
        free(row->event);
        free(row->target);
        free(row->payload);
}

ManagerOutbox *manager_run_outbox_free(ManagerOutbox *outbox) {
        if (!outbox)
                return NULL;
        manager_callbacks_free(outbox->callbacks);
        for (size_t i = 0; i < outbox->entries.n; i++)
                free(outbox->entries.items[i].unit);
        for (size_t i = 0; i < outbox->rows.n; i++)
                free_row(&outbox->rows.items[i]);
        for (size_t i = 0; i < outbox->changes.n; i++)
                free(outbox->changes.items[i].error);
        vector_deinit(&outbox->entries);
        vector_deinit(&outbox->rows);
        vector_deinit(&outbox->changes);
        free(outbox);
        return NULL;
}

static Entry *find(const ManagerOutbox *outbox, uint32_t run) {
        size_t from = 0, to = outbox->entries.n;

        /* Entries are in the order of their runs. */
        while (from < to) {
                const size_t middle = from + (to - from) / 2;

                if (outbox->entries.items[middle].run < run)
                        from = middle + 1;
                else
                        to = middle;
        }
        return from < outbox->entries.n && outbox->entries.items[from].run == run ? &outbox->entries.items[from]
                                                                                   : NULL;
}

static int make_entry(ManagerOutbox *outbox, uint32_t run, Entry **ret_entry) {
        Entry *entry = find(outbox, run);
        size_t at;
        int r;

        *ret_entry = entry;
        if (entry)
                return 0;
        r = vector_push(&outbox->entries, (Entry) {});
        if (r < 0)
                return r;
        for (at = outbox->entries.n - 1; at > 0 && outbox->entries.items[at - 1].run > run; at--)
                outbox->entries.items[at] = outbox->entries.items[at - 1];
        entry = &outbox->entries.items[at];
        *entry = (Entry) { .run = run, .last = MANAGER_OUTBOX_ID(run, 0), .end_batch = UINT64_MAX };
        *ret_entry = entry;
        return 0;
}

/* — rows — */

int manager_run_outbox_add(ManagerRuns *runs, const char *unit, const ManagerOutboxRow *row) {
        ManagerOutbox *outbox = runs->outbox;
        NewRow copy = { .id = row->id, .created = runs->host.attempts.turn->now_realtime };
        Entry *entry;
        int r = make_entry(outbox, (uint32_t) (row->id >> 32), &entry);

        if (r == 0 && !entry->unit)
                r = text_copy(unit, &entry->unit);
        if (r == 0)
                r = text_copy(row->node, &copy.node);
        if (r == 0)
                r = text_copy(row->event, &copy.event);
        if (r == 0)
                r = text_copy(row->target, &copy.target);
        if (r == 0)
                r = text_copy(row->payload, &copy.payload);
        if (r == 0)
                r = vector_push(&outbox->rows, copy);
        if (r < 0) {
                free_row(&copy);
                return r;
        }
        entry->newest = row->id;
        entry->batch = entry->end_batch = UINT64_MAX;
        return 0;
}

bool manager_run_outbox_has_rows(const ManagerRuns *runs) {
        return runs->outbox->rows.n > 0 || runs->outbox->changes.n > 0;
}

static void put_row(RecordWriter *writer, const NewRow *row) {
        runstore_put_operation(writer, RUNSTORE_OUTBOX, RUNSTORE_PUT, 9);
        runstore_put_integer(writer, OUTBOX_ID, (int64_t) row->id);
        runstore_put_integer(writer, OUTBOX_RUN, (int64_t) (row->id >> 32));
        runstore_put_text(writer, OUTBOX_NODE, row->node);
        runstore_put_text(writer, OUTBOX_KIND, row->event);
        runstore_put_text(writer, OUTBOX_TARGET, row->target);
        runstore_put_text(writer, OUTBOX_PAYLOAD, row->payload);
        runstore_put_text(writer, OUTBOX_STATE, state_waiting);
        runstore_put_integer(writer, OUTBOX_TRIES, 0);
        runstore_put_integer(writer, OUTBOX_CREATED, (int64_t) row->created);
}

/* In a run that lives, an event tells of a dead letter, too. */
static void put_event(ManagerRuns *runs, RecordWriter *writer, const Change *change) {
        ManagerRun *run = manager_run_find(runs, (uint32_t) (change->id >> 32));

        if (run)
                manager_run_row_put_event(writer, &(ManagerRunEvent) {
                                                          .id = ++run->facts.sequence,
                                                          .run = run->id,
                                                          .uid = run->facts.uid,
                                                          .kind = "callback",
                                                          .new = state_dead,
                                                          .comment = change->error,
                                                          .at = runs->host.attempts.turn->now_realtime,
                                                  });
}

static void put_change(ManagerRuns *runs, RecordWriter *writer, const Change *change) {
        if (!change->error) {
                runstore_put_operation(writer, RUNSTORE_OUTBOX, RUNSTORE_DELETE, 1);
                runstore_put_integer(writer, OUTBOX_ID, (int64_t) change->id);
                return;
        }
        runstore_put_operation(writer, RUNSTORE_OUTBOX, RUNSTORE_PUT, 5);
        runstore_put_integer(writer, OUTBOX_ID, (int64_t) change->id);
        runstore_put_text(writer, OUTBOX_STATE, change->is_dead ? state_dead : state_waiting);
        runstore_put_integer(writer, OUTBOX_TRIES, change->tries);
        if (change->not_before > 0)
                runstore_put_integer(writer, OUTBOX_NOT_BEFORE, (int64_t) change->not_before);
        else
                runstore_put_null(writer, OUTBOX_NOT_BEFORE);
        runstore_put_text(writer, OUTBOX_ERROR, change->error);
        if (change->is_dead)
                put_event(runs, writer, change);
}

void manager_run_outbox_put(ManagerRuns *runs, RecordWriter *writer) {
        ManagerOutbox *outbox = runs->outbox;

        for (size_t i = 0; i < outbox->rows.n; i++)
                put_row(writer, &outbox->rows.items[i]);
        for (size_t i = 0; i < outbox->changes.n; i++)
                put_change(runs, writer, &outbox->changes.items[i]);
        outbox->n_rows_put = outbox->rows.n;
        outbox->n_changes_put = outbox->changes.n;
}

void manager_run_outbox_end_batch(ManagerRuns *runs, bool is_taken, uint64_t number) {
        ManagerOutbox *outbox = runs->outbox;

        for (size_t i = 0; is_taken && i < outbox->entries.n && outbox->n_rows_put > 0; i++)
                if (outbox->entries.items[i].batch == UINT64_MAX)
                        outbox->entries.items[i].batch = number;
        /* Nothing is added between the two calls. */
        if (is_taken && outbox->n_rows_put == outbox->rows.n) {
                for (size_t i = 0; i < outbox->rows.n; i++)
                        free_row(&outbox->rows.items[i]);
                vector_clear(&outbox->rows);
        }
        if (is_taken && outbox->n_changes_put == outbox->changes.n) {
                for (size_t i = 0; i < outbox->changes.n; i++)
                        free(outbox->changes.items[i].error);
                vector_clear(&outbox->changes);
        }
        outbox->n_rows_put = outbox->n_changes_put = 0;
}

/* — what becomes of a row — */

static const FlowSettings *settings_of(const ManagerRuns *runs, const Entry *entry) {
        const Unit *unit = entry->unit ? unit_table_find(runs->host.units, entry->unit) : NULL;

        return unit && unit_type_has_runs(unit->type) ? unit->type_settings : NULL;
}

/* Without memory for that the row is delivered once more after a restart. */
static void add_change(ManagerRuns *runs, Change change) {
        if (vector_push(&runs->outbox->changes, change) < 0) {
                free(change.error);
                log_error("Out of memory: callback %" PRIu64 " may be delivered twice.", change.id);
        }
        runs->host.attempts.turn->has_news = true;
}

/* The row is dealt with. */
static void end_row(ManagerRuns *runs, Entry *entry, uint64_t id) {
        entry->last = MAX(entry->last, id);
        entry->state = ENTRY_IDLE;
        runs->host.attempts.turn->has_news = true;
}

static void give_up(ManagerRuns *runs, Entry *entry, uint64_t id, uint32_t tries, const char *problem) {
        Change change = { .id = id, .tries = tries, .is_dead = true };

        log_write(LOG_LEVEL_ERROR, entry->unit, "Run %" PRIu32 ": callback %" PRIu32 " is given up after %" PRIu32
                  " %s: %s.", entry->run, (uint32_t) id, tries, tries == 1 ? "try" : "tries", problem);
        manager_run_raise_callback(runs, entry->unit, entry->run, (uint32_t) id, tries, problem);
        if (text_copy(problem, &change.error) == 0)
                add_change(runs, change);
        entry->has_given_up = true;
        end_row(runs, entry, id);
}

static void try_later(ManagerRuns *runs, Entry *entry, uint64_t id, uint32_t tries, const char *problem) {
        const usec_t delay = tries > 20 ? BACKOFF_MAX : MIN(BACKOFF_FIRST << (tries - 1), BACKOFF_MAX);
        Change change = { .id = id, .tries = tries,
                          .not_before = usec_add(runs->host.attempts.turn->now_realtime, delay) };

        log_write(LOG_LEVEL_WARNING, entry->unit, "Run %" PRIu32 ": try %" PRIu32 " of callback %" PRIu32
                  " has failed: %s.", entry->run, tries, (uint32_t) id, problem);
        if (text_copy(problem, &change.error) == 0)
                add_change(runs, change);
        entry->state = ENTRY_PAUSED;
        entry->until = usec_add(runs->now, delay);
        runs->host.attempts.turn->has_news = true;
}

static void fail(ManagerRuns *runs, Entry *entry, uint64_t id, uint32_t tries, const char *problem) {
        const FlowSettings *flow = settings_of(runs, entry);
        const uint32_t max = entry->has_given_up ? 1 : flow ? flow->notify_max : FLOW_NOTIFY_MAX;

        if (tries >= max)
                give_up(runs, entry, id, tries, problem);
        else
                try_later(runs, entry, id, tries, problem);
}

static void delivered(ManagerRuns *runs, Entry *entry, uint64_t id) {
        entry->has_given_up = false;
        add_change(runs, (Change) { .id = id });
        end_row(runs, entry, id);
}

static void callback_ended(void *userdata, uint64_t id, uint32_t try, ManagerCallbackEnd end, const char *problem) {
        ManagerRuns *runs = userdata;
        Entry *entry = find(runs->outbox, (uint32_t) (id >> 32));

        /* One of an earlier core may end before it was adopted; one whose end is known is told again by a restart. */
        if (!entry || entry->last >= id || entry->state == ENTRY_ASKED ||
            (entry->state == ENTRY_TOLD && entry->id != id))
                return;
        switch (end) {
        case MANAGER_CALLBACK_DELIVERED:
                delivered(runs, entry, id);
                break;
        case MANAGER_CALLBACK_FAILED:
                fail(runs, entry, id, try, problem ? problem : "nothing is known of it");
                break;
        case MANAGER_CALLBACK_DROPPED:
        case _MANAGER_CALLBACK_END_MAX:
                entry->state = ENTRY_IDLE;
                runs->host.attempts.turn->has_news = true;
        }
}

static int surround(void *userdata, ExecRequest *request, ExecResult *result) {
        const ManagerRuns *runs = userdata;

        return runs->host.surround(runs->host.userdata, request, result);
}

static ProcessOwner *owner_of(void *userdata, Unit *unit) {
        const ManagerRuns *runs = userdata;

        return runs->host.owner_of(runs->host.userdata, unit);
}

static const ManagerCallbacksOps callbacks_ops = {
        .surround = surround,
        .owner_of = owner_of,
        .ended = callback_ended,
};

int manager_run_outbox_new(ManagerRuns *runs) {
        ManagerAttemptsHost host = runs->host.attempts;
        ManagerOutbox *outbox = calloc(1, sizeof(*outbox));
        int r;

        if (!outbox)
                return -ENOMEM;
        host.folder = runs->host.folder;
        host.jobs = runs->host.jobs;
        r = manager_callbacks_new(&outbox->callbacks, &host, runs->host.units, &callbacks_ops, runs);
        if (r < 0) {
                free(outbox);
                return r;
        }
        runs->outbox = outbox;
        return 0;
}

ManagerCallbacks *manager_runs_callbacks(ManagerRuns *runs) {
        return runs->outbox->callbacks;
}

/* — telling — */

/* The name of the flow, which the row has in its object. */
static int read_unit(const char *payload, char **ret_unit) {
        size_t budget = PAYLOAD_VALUES;
        const JsonValue *value;
        JsonTree tree = {};
        int r = json_tree_read(payload, strlen(payload), &tree, NULL);

        if (r < 0)
                return r;
        value = json_value_find(tree.values, "run.unit", &budget);
        r = value && value->kind == JSON_TOKEN_STRING ? text_copy(value->text, ret_unit) : -EBADMSG;
        json_tree_deinit(&tree);
        return r;
}

static bool is_too_early(const ManagerRuns *runs, const ManagerTarget *target) {
        return target->kind == FLOW_TARGET_SIGNAL && runs->now < runs->signals_from;
}

static int tell(ManagerRuns *runs, Entry *entry, const ManagerRunValues *values) {
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_(manager_target_deinit) ManagerTarget target = {};
        const uint64_t id = manager_run_values_number(values, OUTBOX_ID);
        const char *node = manager_run_values_text(values, OUTBOX_NODE);
        const ManagerCallbackTerms terms = {
                .id = id,
                .try = (uint32_t) manager_run_values_number(values, OUTBOX_TRIES) + 1,
                .unit = entry->unit,
                .node = *node ? node : NULL,
                .event = manager_run_values_text(values, OUTBOX_KIND),
                .command = &target.command,
                .payload = manager_run_values_text(values, OUTBOX_PAYLOAD),
        };
        int r = manager_target_read(manager_run_values_text(values, OUTBOX_TARGET), &target);

        if (r == 0 && is_too_early(runs, &target)) {
                entry->state = ENTRY_PAUSED;
                entry->until = runs->signals_from;
                return 0;
        }
        if (r == -EINVAL)
                (void) failure_set(&failure, r, "Failed", "its target cannot be read");
        else if (r == 0)
                r = target.kind == FLOW_TARGET_EXEC
                            ? manager_callbacks_begin(runs->outbox->callbacks, &terms, &failure)
                            : manager_run_deliver(runs, &target, &terms, &failure);
        if (r == 0) {
                entry->state = target.kind == FLOW_TARGET_EXEC ? ENTRY_TOLD : ENTRY_HANDED;
                entry->id = id;
                entry->n_told = runs->host.attempts.turn->n_told;
        } else if (r != -ENOMEM)
                fail(runs, entry, id, terms.try, failure_message(&failure));
        return r == -ENOMEM ? r : 0;
}

/* The flows whose rows are being told, or looked for, each as often as it has such a row. */
typedef struct BusyUnits {
        const char *names[CALLBACKS_MAX]; /* borrowed */
        size_t n;
} BusyUnits;

static void list_busy(const ManagerOutbox *outbox, BusyUnits *busy) {
        busy->n = 0;
        for (size_t i = 0; i < outbox->entries.n && busy->n < CALLBACKS_MAX; i++) {
                const Entry *entry = &outbox->entries.items[i];

                if ((entry->state == ENTRY_TOLD || entry->state == ENTRY_ASKED) && entry->unit)
                        busy->names[busy->n++] = entry->unit;
        }
}

static bool has_place(const BusyUnits *busy, const char *unit) {
        size_t n = 0;

        for (size_t i = 0; i < busy->n && unit; i++)
                n += strcmp(busy->names[i], unit) == 0;
        return n < CALLBACKS_OF_UNIT_MAX;
}

static int take_row(ManagerRuns *runs, Entry *entry, const ManagerRunValues *values) {
        const uint64_t id = manager_run_values_number(values, OUTBOX_ID);
        BusyUnits busy;
        int r = 0;

        /* A dead letter of an earlier manager. */
        if (!text_equal(manager_run_values_text(values, OUTBOX_STATE), state_waiting)) {
                end_row(runs, entry, id);
                return 0;
        }
        if (!entry->unit)
                r = read_unit(manager_run_values_text(values, OUTBOX_PAYLOAD), &entry->unit);
        list_busy(runs->outbox, &busy);
        if (r == 0 && (runs->host.ops->is_ending(runs->host.userdata) || !has_place(&busy, entry->unit)))
                return 0;
        if (r == 0)
                return tell(runs, entry, values);
        if (r == -ENOMEM)
                return r;
        log_error("Callback %" PRIu64 " is left out: its row in the store cannot be read.", id);
        end_row(runs, entry, id);
        return 0;
}

static Entry *take_query(ManagerRuns *runs, uint64_t query) {
        ManagerOutbox *outbox = runs->outbox;

        for (size_t i = 0; i < outbox->entries.n && outbox->n_asked > 0; i++) {
                Entry *entry = &outbox->entries.items[i];

                if (entry->state != ENTRY_ASKED || entry->query != query)
                        continue;
                entry->state = ENTRY_IDLE;
                outbox->n_asked--;
                return entry;
        }
        return NULL;
}

/* Deletes dead letters. Rows that still wait were delivered, and their deletion is under way. */
static int sweep(ManagerRuns *runs, Entry *entry, RunStorePage *page, ManagerRunValues *values) {
        int r = 1;

        for (; r > 0; r = manager_run_values_next(page, values)) {
                entry->last = manager_run_values_number(values, OUTBOX_ID);
                if (text_equal(manager_run_values_text(values, OUTBOX_STATE), state_dead))
                        add_change(runs, (Change) { .id = entry->last });
        }
        return r;
}

bool manager_run_outbox_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page) {
        Entry *entry = take_query(runs, query);
        ManagerRunValues values;
        int r;

        if (!entry)
                return false;
        r = manager_run_values_next(page, &values);
        if (r > 0 && entry->is_swept)
                r = sweep(runs, entry, page, &values);
        else if (r > 0)
                r = take_row(runs, entry, &values);
        else if (r == 0 && entry->batch <= runs->durable)
                entry->last = entry->newest;
        if (r < 0) {
                entry->state = ENTRY_PAUSED;
                entry->until = usec_add(runs->now, BACKOFF_FIRST);
        }
        runs->host.attempts.turn->has_news = true;
        return true;
}

bool manager_run_outbox_refused(ManagerRuns *runs, uint64_t query) {
        Entry *entry = take_query(runs, query);

        if (!entry)
                return false;
        entry->state = ENTRY_PAUSED;
        entry->until = usec_add(runs->now, BACKOFF_FIRST);
        runs->host.attempts.turn->has_news = true;
        return true;
}

/* Rows of the run behind .last, by their numbers alone: what is not waiting any more is left out here. */
static void ask(ManagerRuns *runs, Entry *entry) {
        RunStoreQuery query = { .table = RUNSTORE_OUTBOX, .limit = 1, .n_filters = 2 };

        if (entry->is_swept) {
                query.limit = LETTERS_A_QUERY;
                query.columns = UINT64_C(1) << OUTBOX_ID | UINT64_C(1) << OUTBOX_STATE;
        }
        query.filters[0] = (RunStoreFilter) {
                .column = OUTBOX_ID,
                .compare = RUNSTORE_GREATER,
                .value = { .type = RUNSTORE_INTEGER, .integer = (int64_t) entry->last },
        };
        query.filters[1] = (RunStoreFilter) {
                .column = OUTBOX_ID,
                .compare = RUNSTORE_AT_MOST,
                .value = { .type = RUNSTORE_INTEGER, .integer = (int64_t) MANAGER_OUTBOX_ID(entry->run, UINT32_MAX) },
        };
        if (manager_run_link_query(runs->link, &query, &entry->query) < 0) {
                entry->state = ENTRY_PAUSED;
                entry->until = usec_add(runs->now, BACKOFF_FIRST);
                return;
        }
        entry->state = ENTRY_ASKED;
        runs->outbox->n_asked++;
}

static bool is_due(const ManagerRuns *runs, const Entry *entry) {
        if (entry->state == ENTRY_PAUSED)
                return entry->until <= runs->now;
        return entry->state == ENTRY_IDLE && entry->last < entry->newest && entry->batch <= runs->durable;
}

static bool has_changes(const ManagerOutbox *outbox, uint32_t run) {
        for (size_t i = 0; i < outbox->changes.n; i++)
                if (outbox->changes.items[i].id >> 32 == run)
                        return true;
        return false;
}

/*
 * Nothing more is to be told of a run that is gone, and the store knows all that was. What others give it meanwhile
 * does not count: a store that is always busy never has all.
 */
static void begin_sweep(const ManagerRuns *runs, Entry *entry) {
        if (!entry->is_gone || entry->is_swept)
                return;
        if (entry->end_batch == UINT64_MAX && !has_changes(runs->outbox, entry->run))
                entry->end_batch = runs->batch;
        if (runs->durable < entry->end_batch)
                return;
        entry->is_swept = true;
        entry->last = MANAGER_OUTBOX_ID(entry->run, 0);
        entry->newest = MANAGER_OUTBOX_ID(entry->run, UINT32_MAX);
        entry->batch = 0;
        runs->host.attempts.turn->has_news = true;
}

static void drop_done(ManagerRuns *runs) {
        ManagerOutbox *outbox = runs->outbox;
        size_t n = 0;

        for (size_t i = 0; i < outbox->entries.n; i++) {
                Entry *entry = &outbox->entries.items[i];

                if (entry->state == ENTRY_IDLE && entry->last >= entry->newest)
                        begin_sweep(runs, entry);
                if (entry->state == ENTRY_IDLE && entry->last >= entry->newest && (!entry->is_gone || entry->is_swept))
                        free(entry->unit);
                else
                        outbox->entries.items[n++] = *entry;
        }
        outbox->entries.n = n;
}

/* The callbacks that an earlier core has begun. */
static void adopt(ManagerOutbox *outbox) {
        const char *unit;

        for (size_t i = 0; i < outbox->entries.n && !outbox->has_adopted; i++) {
                Entry *entry = &outbox->entries.items[i];

                if (!manager_callbacks_find(outbox->callbacks, entry->run, &entry->id, &unit))
                        continue;
                entry->state = ENTRY_TOLD;
                if (!entry->unit)
                        (void) text_copy(unit, &entry->unit);
        }
        outbox->has_adopted = true;
}

/*
 * A row that was handed to a turn is ended in one behind it, when messages were sent and jobs are in the state: if core
 * dies before that it is told again.
 */
static void end_handed(ManagerRuns *runs) {
        const ManagerOutbox *outbox = runs->outbox;
        ManagerTurn *turn = runs->host.attempts.turn;
        bool is_committed = false;

        for (size_t i = 0; i < outbox->entries.n; i++) {
                Entry *entry = &outbox->entries.items[i];

                if (entry->state != ENTRY_HANDED)
                        continue;
                if (entry->n_told == turn->n_told) {
                        manager_turn_wake(turn);
                        continue;
                }
                if (!is_committed)
                        (void) state_commit(turn->state);
                is_committed = true;
                delivered(runs, entry, entry->id);
        }
}

void manager_run_outbox_step(ManagerRuns *runs) {
        ManagerOutbox *outbox = runs->outbox;
        const size_t n = outbox->entries.n;
        BusyUnits busy;

        adopt(outbox);
        end_handed(runs);
        manager_callbacks_step(outbox->callbacks);
        if (n == 0 || runs->host.ops->is_ending(runs->host.userdata))
                return;
        list_busy(outbox, &busy);
        for (size_t i = 0; i < n; i++) {
                Entry *entry = &outbox->entries.items[(outbox->first + i) % n];

                if (manager_callbacks_count(outbox->callbacks) + outbox->n_asked >= CALLBACKS_MAX) {
                        /* The entry that has to wait is the first one when there is room. */
                        outbox->first = (outbox->first + i) % n;
                        break;
                }
                if (!is_due(runs, entry) || !has_place(&busy, entry->unit))
                        continue;
                ask(runs, entry);
                if (entry->unit && busy.n < CALLBACKS_MAX)
                        busy.names[busy.n++] = entry->unit;
        }
        drop_done(runs);
}

usec_t manager_run_outbox_next(const ManagerRuns *runs) {
        const ManagerOutbox *outbox = runs->outbox;
        usec_t next = USEC_INFINITY;

        if (manager_callbacks_count(outbox->callbacks) + outbox->n_asked >= CALLBACKS_MAX)
                return next;
        for (size_t i = 0; i < outbox->entries.n; i++)
                if (outbox->entries.items[i].state == ENTRY_PAUSED && outbox->entries.items[i].until > runs->now)
                        next = MIN(next, outbox->entries.items[i].until);
        return next;
}

size_t manager_run_outbox_count_gone(const ManagerRuns *runs) {
        const ManagerOutbox *outbox = runs->outbox;
        size_t n = 0;

        for (size_t i = 0; i < outbox->entries.n; i++)
                n += outbox->entries.items[i].is_gone;
        return n;
}

bool manager_run_outbox_is_idle(const ManagerRuns *runs) {
        return runs->outbox->entries.n == 0 && !manager_run_outbox_has_rows(runs) &&
               manager_callbacks_count(runs->outbox->callbacks) == 0;
}

void manager_run_outbox_forget(ManagerRuns *runs, uint32_t run) {
        Entry *entry;

        /* Without memory dead letters stay. */
        if (make_entry(runs->outbox, run, &entry) == 0)
                entry->is_gone = true;
}

/* — restart — */

int manager_run_outbox_restore(ManagerRuns *runs, uint64_t id) {
        Entry *entry;
        int r = make_entry(runs->outbox, (uint32_t) (id >> 32), &entry);

        if (r == 0)
                entry->newest = MAX(entry->newest, id);
        return r;
}
