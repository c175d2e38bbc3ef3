/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of runs, and runs as objects
 *
 * The objects of runs that have ended are there, too, but are not listed:
 * there may be a million of them.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/fd.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/broadcast/bus_broadcast.h"
#include "dbus/bus_interfaces.h"
#include "dbus/bus_run.h"
#include "dbus/bus_run_private.h"
#include "dbus/object/bus_later.h"
#include "runstore/runstore_batch.h"
#include "unit/unit_host.h"

#define OPTION_MAX 255U

/* — what is answered later — */

struct BusRuns {
        const BusTree *tree; /* borrowed */
        BusBroadcast broadcast;
        BusRunNews news;
        VECTOR(BusRunPage *) pages; /* owned: that wait for the rows of the store */
};

/* An answer with rows, and who gets it. */
typedef struct RowsAnswer {
        const BusTree *tree;
        const ManagerRunAnswer *answer;
        const BusRunPage *page; /* of nodes; NULL: of others */
        uid_t uid;
        bool is_other; /* neither root nor the owner of the manager */
} RowsAnswer;

/* In a ticket: what is asked for is all properties of a run, or the one of the number before. */
#define ALL_PROPERTIES UINT32_MAX
#define NODES_MAX 1000U /* in an answer */

static void put_value(Sink *sink, const char *key, const RunStoreValue *value) {
        switch (value->type) {
        case RUNSTORE_INTEGER:
                sink_entry_u64(sink, key, (uint64_t) value->integer);
                break;
        case RUNSTORE_TEXT:
                sink_entry_string(sink, key, value->bytes);
                break;
        case RUNSTORE_NULL:
        case RUNSTORE_BYTES:
        case _RUNSTORE_TYPE_MAX:
                break;
        }
}

static void put_bytes(Sink *sink, const char *key, const RunStoreValue *value) {
        if (value->type != RUNSTORE_BYTES)
                return;
        sink_entry_open(sink, key, "ay");
        sink_open(sink, 'a', "y");
        for (size_t i = 0; i < value->n; i++)
                sink_byte(sink, ((const uint8_t *) value->bytes)[i]);
        sink_close(sink);
        sink_entry_close(sink);
}

/* A large result is known by its hash. */
static void put_blob(Sink *sink, const RunStoreValue *value) {
        char hex[2 * RUNSTORE_HASH_BYTES + 1];

        if (value->type != RUNSTORE_BYTES || value->n != RUNSTORE_HASH_BYTES)
                return;
        text_write_hex(hex, value->bytes, value->n);
        sink_entry_string(sink, "blob", hex);
}

/* The variables that attempts get for the trigger of their run. */
static void put_environment(const ManagerRunValues *values, Sink *sink) {
        cleanup_(strv_freep) char **environment = NULL;

        if (manager_run_values_environment(values, &environment) < 0 || !environment)
                return;
        sink_entry_open(sink, "environment", "as");
        sink_open(sink, 'a', "s");
        strv_foreach(variable, environment)
                sink_string(sink, *variable);
        sink_close(sink);
        sink_entry_close(sink);
}

/* Columns that are the engine's own, or of no use outside. */
static bool is_private(RunStoreTable table, unsigned column) {
        if (table == RUNSTORE_RUN)
                return (column >= RUN_ROW_EPOCH && column != RUN_ROW_LAUNCHES) || column == RUN_ROW_BOOT ||
                       column == RUN_ROW_REMAINING || column == RUN_ROW_VALID;
        if (table == RUNSTORE_NODE)
                return (column >= NODE_AGAINS && column != NODE_ITEMS) || column == NODE_BOOT ||
                       column == NODE_REMAINING || column == NODE_TOKEN || column == NODE_LOST ||
                       column == NODE_TRIES;
        return table == RUNSTORE_ATTEMPT && column >= ATTEMPT_OWNER && column != ATTEMPT_WHY;
}

/* "why" is what a node that has not ended waits for, which no row has. */
static const char *key_of(RunStoreTable table, unsigned column) {
        if ((table == RUNSTORE_NODE && column == NODE_WHY) || (table == RUNSTORE_ATTEMPT && column == ATTEMPT_WHY) ||
            (table == RUNSTORE_ITEM_ERROR && column == ITEM_ERROR_WHY) ||
            (table == RUNSTORE_ELEMENT && column == ELEMENT_WHY))
                return "problem";
        if (table == RUNSTORE_STREAM_GROUP && column == STREAM_GROUP_NAME)
                return "group";
        return table == RUNSTORE_NODE && column == NODE_NAME ? "node" : runstore_table(table)->columns[column].name;
}

/* The reason why a live run waits; no row has it. */
static void put_why(const BusTree *tree, const ManagerRunAnswer *answer, const ManagerRunValues *values, Sink *sink) {
        const ManagerRuns *runs = manager_runs(tree->manager);
        const char *node = NULL;
        uint64_t run;
        RunWhy why;

        if (answer->table == RUNSTORE_RUN)
                run = manager_run_values_number(values, RUN_ROW_ID);
        else if (answer->table == RUNSTORE_NODE) {
                run = manager_run_values_number(values, NODE_RUN);
                node = manager_run_values_text(values, NODE_NAME);
        } else
                return;
        if (manager_runs_why(runs, (uint32_t) run, node, &why) == 0 && why != RUN_WHY_NOTHING)
                sink_entry_string(sink, "why", run_why_to_string(why));
}

/* Parameters and results are for who may control the run: its submitter, root and the owner of the manager. */
static bool is_secret(const RowsAnswer *rows, const ManagerRunValues *values, unsigned column) {
        if (rows->answer->table == RUNSTORE_RUN && (column == RUN_ROW_PARAMS || column == RUN_ROW_RESULT))
                return rows->is_other && manager_run_values_number(values, RUN_ROW_UID) != rows->uid;
        return rows->is_other && rows->answer->table == RUNSTORE_NODE && column == NODE_RESULT;
}

/* An alarm that nobody has acknowledged has no such time. */
static bool is_open(RunStoreTable table, unsigned column, const RunStoreValue *value) {
        return table == RUNSTORE_ALARM && column == ALARM_ACKNOWLEDGED && value->integer == 0;
}

static void put_row(const RowsAnswer *rows, const ManagerRunValues *values, Sink *sink) {
        const ManagerRunAnswer *answer = rows->answer;
        const RunStoreTableInfo *info = runstore_table(answer->table);

        sink_open(sink, 'a', "{sv}");
        for (unsigned c = 0; c < info->n_columns; c++)
                if (!is_private(answer->table, c) && !is_secret(rows, values, c) &&
                    !is_open(answer->table, c, &values->values[c]))
                        put_value(sink, key_of(answer->table, c), &values->values[c]);
        if (answer->table == RUNSTORE_ELEMENT && !rows->is_other) {
                put_bytes(sink, "data", &values->values[ELEMENT_PAYLOAD]);
                put_bytes(sink, "result", &values->values[ELEMENT_RESULT]);
        }
        if (answer->table == RUNSTORE_NODE && !rows->is_other)
                put_blob(sink, &values->values[NODE_BLOB]);
        if (answer->table == RUNSTORE_RUN)
                put_environment(values, sink);
        put_why(rows->tree, answer, values, sink);
        sink_close(sink);
}

static void write_cursor(const ManagerRunAnswer *answer, Sink *sink) {
        const RunStorePage *page = answer->page;
        const RunStoreValue *last = page->n_cursor > 0 ? &page->cursor[page->n_cursor - 1] : NULL;
        cleanup_free_ char *name = NULL;
        char number[24];

        if (!page->has_more || !last) {
                sink_string(sink, "");
        } else if (last->type == RUNSTORE_INTEGER) {
                snprintf(number, sizeof(number), "%" PRId64, last->integer);
                sink_string(sink, number);
        } else if (answer->table == RUNSTORE_STREAM_GROUP &&
                   text_format(&name, "=%s", (const char *) last->bytes) == 0) {
                /* A name may be empty, and the cursor of the last page is. */
                sink_string(sink, name);
        } else {
                sink_string(sink, last->bytes);
        }
}

static void write_rows(const BusView *view, const void *data, Sink *sink) {
        const RowsAnswer *rows = data;
        const ManagerRunAnswer *answer = rows->answer;
        RunStorePage page = *answer->page;
        ManagerRunValues values;

        sink_open(sink, 'a', "a{sv}");
        while (manager_run_values_next(&page, &values) > 0)
                put_row(rows, &values, sink);
        sink_close(sink);
        write_cursor(answer, sink);
}

static void put_node_row(void *userdata, const ManagerRunValues *values, Sink *sink) {
        put_row(userdata, values, sink);
}

static void write_nodes(const BusView *view, const void *data, Sink *sink) {
        RowsAnswer rows = *(const RowsAnswer *) data;
        const BusRunPageOps ops = { .put_row = put_node_row, .userdata = &rows };
        const char *cursor;

        sink_open(sink, 'a', "a{sv}");
        cursor = bus_run_page_put(rows.page, rows.answer, &ops, sink);
        sink_close(sink);
        sink_string(sink, cursor);
}

static void put_run_path(const BusView *view, uint32_t id, Sink *sink) {
        char path[BUS_PATH_SIZE];

        sink_path(sink, id > 0 ? bus_path_of_run(view->dialect, id, path) : "/");
}

static void write_submitted(const BusView *view, const void *data, Sink *sink) {
        const ManagerRunAnswer *answer = data;

        sink_u64(sink, answer->run);
        put_run_path(view, answer->run, sink);
}

static void write_result(const BusView *view, const void *data, Sink *sink) {
        const ManagerRunAnswer *answer = data;

        sink_u64(sink, answer->result->n);
        sink_string(sink, answer->result->source);
}

static void write_count(const BusView *view, const void *data, Sink *sink) {
        sink_u32(sink, ((const ManagerRunAnswer *) data)->n);
}

/* A retry or a rerun. */
static void write_again(const BusView *view, const void *data, Sink *sink) {
        const ManagerRunAnswer *answer = data;

        sink_bool(sink, answer->kind == MANAGER_RUN_AGAIN_OUTDATED);
}

static void write_nothing(const BusView *view, const void *data, Sink *sink) {
}

static void answer_rows(const BusRuns *runs, BusLater later, const ManagerRunAnswer *answer, const BusRunPage *page) {
        const BusClient *client = bus_later_client(runs->tree, later);
        RowsAnswer rows = { .tree = runs->tree, .answer = answer, .page = page };

        if (!client)
                return;
        rows.uid = client->peer->uid;
        rows.is_other = bus_peers_is_other_user(runs->tree->peers, rows.uid);
        (void) bus_later_answer(runs->tree, later, page ? write_nodes : write_rows, &rows);
}

/* — properties of a run that has ended — */

static void write_properties(const BusView *view, const void *data, Sink *sink) {
        const ManagerRunAnswer *answer = data;
        const BusObject object = { .kind = &bus_run_kind, .id = answer->run };
        cleanup_(strv_freep) char **environment = NULL;
        RunStorePage page = *answer->page;
        ManagerRunValues values;
        ManagerRunView run;
        BusObject of_run = object;
        const BusView of = { view->tree, view->dialect, &of_run };
        BusPropertyRow row;

        if (manager_run_values_next(&page, &values) <= 0)
                return;
        (void) manager_run_values_environment(&values, &environment);
        bus_run_view_values(&values, environment, &run);
        of_run.run = &run;
        if (answer->ticket.what == ALL_PROPERTIES) {
                sink_open(sink, 'a', "{sv}");
                bus_interface_write_properties(&of, &bus_run_interface, 0, sink);
                sink_close(sink);
        } else if (bus_interface_property(&bus_run_interface, answer->ticket.what - 1, &row)) {
                sink_open(sink, 'v', row.signature);
                bus_property_write(&of, &row, sink);
                sink_close(sink);
        }
}

static void answer_properties(const BusRuns *runs, BusLater later, const ManagerRunAnswer *answer) {
        cleanup_(failure_deinit) Failure failure = {};

        if (answer->page->n_rows > 0) {
                (void) bus_later_answer(runs->tree, later, write_properties, answer);
                return;
        }
        failure_set(&failure, -ENOENT, "NoSuchRun", "There is no run %" PRIu32 ".", answer->run);
        (void) bus_later_fail(runs->tree, later, &failure);
}

static BusLater later_of(const ManagerRunTicket *ticket) {
        return (BusLater) { .peer = ticket->a, .number = ticket->b };
}

/* The page that the call is answered with, which the caller owns then; NULL: it is for no nodes. */
static BusRunPage *take_page(BusRuns *runs, BusLater later) {
        for (size_t i = 0; i < runs->pages.n; i++) {
                BusRunPage *page = runs->pages.items[i];

                if (page->later.peer != later.peer || page->later.number != later.number)
                        continue;
                runs->pages.items[i] = runs->pages.items[--runs->pages.n];
                return page;
        }
        return NULL;
}

static void write_pushed(const BusView *view, const void *data, Sink *sink) {
        const ManagerRunAnswer *answer = data;

        sink_u64(sink, answer->sequences[0]);
}

static void write_pushed_many(const BusView *view, const void *data, Sink *sink) {
        const ManagerRunAnswer *answer = data;

        sink_open(sink, 'a', "t");
        for (size_t i = 0; i < answer->n_sequences; i++)
                sink_u64(sink, answer->sequences[i]);
        sink_close(sink);
}

static BusLaterWrite writer_of(ManagerRunAnswerKind kind) {
        if (kind == MANAGER_RUN_PUSHED || kind == MANAGER_RUN_PUSHED_MANY)
                return kind == MANAGER_RUN_PUSHED ? write_pushed : write_pushed_many;
        if (kind == MANAGER_RUN_SUBMITTED)
                return write_submitted;
        if (kind == MANAGER_RUN_COUNTED)
                return write_count;
        return kind == MANAGER_RUN_AGAIN || kind == MANAGER_RUN_AGAIN_OUTDATED ? write_again : write_nothing;
}

static void on_run_answered(void *userdata, const ManagerRunAnswer *answer) {
        BusRuns *runs = userdata;
        const BusLater later = later_of(&answer->ticket);
        cleanup_(bus_run_page_freep) BusRunPage *page = take_page(runs, later);

        if (!answer->failure && answer->ticket.what != 0) {
                answer_properties(runs, later, answer);
                return;
        }
        if (answer->failure)
                (void) bus_later_fail(runs->tree, later, answer->failure);
        else if (answer->kind == MANAGER_RUN_ROWS)
                answer_rows(runs, later, answer, page);
        else if (answer->kind == MANAGER_RUN_RESULT)
                (void) bus_later_answer(runs->tree, later, write_result, answer);
        else
                (void) bus_later_answer(runs->tree, later, writer_of(answer->kind), answer);
}

typedef struct RunSignal {
        uint32_t run;
        const char *text;
} RunSignal;

static void write_signal(const BusView *view, const void *data, Sink *sink) {
        const RunSignal *signal = data;

        sink_u64(sink, signal->run);
        sink_string(sink, signal->text);
}

static void on_run_came(void *userdata, uint32_t run, const char *unit) {
        BusRuns *runs = userdata;
        const RunSignal signal = { run, unit };

        bus_broadcast_of_manager(&runs->broadcast, "RunNew", write_signal, &signal, BUS_PROPERTY_OWN);
}

static void on_run_suspended(void *userdata, uint32_t run, const char *unit) {
        BusRuns *runs = userdata;

        bus_broadcast_of_manager(&runs->broadcast, "RunSuspended", write_signal, &(RunSignal) { run, unit },
                                 BUS_PROPERTY_OWN);
}

static void on_run_went(void *userdata, uint32_t run, RunState state) {
        BusRuns *runs = userdata;

        bus_broadcast_of_manager(&runs->broadcast, "RunEnded", write_signal,
                                 &(RunSignal) { run, run_state_to_string(state) }, BUS_PROPERTY_OWN);
}

static void on_run_changed(void *userdata, uint32_t run) {
        bus_run_news_note(&((BusRuns *) userdata)->news, run);
}

static void on_run_node_changed(void *userdata, uint32_t run, uint32_t node) {
        bus_run_news_note_node(&((BusRuns *) userdata)->news, run, node);
}

/* — signal: — */

static void write_notice(const BusView *view, const void *data, Sink *sink) {
        const ManagerRunNotice *notice = data;

        sink_string(sink, notice->name);
        sink_u64(sink, notice->run);
        sink_string(sink, notice->unit);
        sink_string(sink, notice->node);
        sink_string(sink, notice->event);
        sink_string(sink, notice->key);
        sink_string(sink, notice->object);
}

/* Results are in the object: it is for those who may read them, and have subscribed. */
static bool wants_notice(const BusRuns *runs, const BusPeer *peer, const BusClient *client, uint32_t uid) {
        if (!client->is_subscribed || !client->is_known ||
            (client->uid != uid && bus_peers_is_other_user(runs->tree->peers, client->uid)))
                return false;
        bus_foreach_dialect(runs->tree->dialects, dialect)
                if (bus_row_is_of(BUS_PROPERTY_OWN, dialect) && bus_peer_hears(peer, dialect))
                        return true;
        return false;
}

static void on_run_notified(void *userdata, const ManagerRunNotice *notice) {
        BusRuns *runs = userdata;
        const BusObject manager = { .kind = runs->tree->root };

        bus_foreach_peer(runs->tree->peers, peer)
                bus_foreach_client(peer, client)
                        if (wants_notice(runs, peer, client, notice->uid))
                                bus_broadcast_to_client(&runs->broadcast, client, &manager, "Manager", "RunNotify",
                                                        write_notice, notice);
}

static void on_end_of_turn(void *userdata) {
        bus_run_news_send(&((BusRuns *) userdata)->news);
}

static const ManagerListenerOps listener_ops = {
        .run_changed = on_run_changed,
        .run_node_changed = on_run_node_changed,
        .end_of_turn = on_end_of_turn,
        .run_came = on_run_came,
        .run_suspended = on_run_suspended,
        .run_notified = on_run_notified,
        .run_went = on_run_went,
        .run_answered = on_run_answered,
};

int bus_runs_new(BusRuns **ret_runs, const BusTree *tree) {
        BusRuns *runs = calloc(1, sizeof(*runs));
        int r = runs ? 0 : -ENOMEM;

        if (runs) {
                runs->tree = tree;
                runs->broadcast.tree = tree;
                runs->news = (BusRunNews) { .broadcast = &runs->broadcast, .kind = &bus_run_kind };
                r = manager_listen(tree->manager, &listener_ops, runs);
        }
        if (r < 0) {
                free(runs);
                return r;
        }
        *ret_runs = runs;
        return 0;
}

BusRuns *bus_runs_free(BusRuns *runs) {
        if (runs)
                manager_unlisten(runs->tree->manager, runs);
        if (runs) {
                bus_run_news_deinit(&runs->news);
                for (size_t i = 0; i < runs->pages.n; i++)
                        bus_run_page_free(runs->pages.items[i]);
                vector_deinit(&runs->pages);
                bus_wire_deinit(&runs->broadcast.wire);
        }
        free(runs);
        return NULL;
}

int bus_run_keep(BusCall *call, ManagerRunTicket *ret_ticket) {
        BusLater later;
        int r = bus_call_keep(call, &later);

        if (r >= 0)
                *ret_ticket = (ManagerRunTicket) { .a = later.peer, .b = later.number };
        return r;
}

int bus_run_end_asking(BusCall *call, int r) {
        if (r < 0)
                bus_call_unkeep(call);
        return r < 0 ? r : BUS_CALL_LATER;
}

/* — queries — */

static int refuse_filter(BusCall *call, const char *key) {
        return bus_call_fail(call, -EINVAL, "InvalidArgs", "There is no filter '%s', or it has another type.", key);
}

static int find_column(RunStoreTable table, const char *key) {
        const RunStoreTableInfo *info = runstore_table(table);

        for (unsigned c = 0; c < info->n_columns; c++)
                if (!is_private(table, c) && text_equal(key_of(table, c), key))
                        return (int) c;
        return -ENOENT;
}

static bool read_value(DBusMessageIter *variant, RunStoreType type, RunStoreValue *ret_value) {
        const int given = dbus_message_iter_get_arg_type(variant);
        DBusBasicValue value;

        if (!dbus_type_is_basic(given))
                return false;
        dbus_message_iter_get_basic(variant, &value);
        if (type == RUNSTORE_TEXT && given == DBUS_TYPE_STRING) {
                *ret_value = (RunStoreValue) { .type = type, .bytes = value.str, .n = strlen(value.str) };
                return true;
        }
        if (type != RUNSTORE_INTEGER)
                return false;
        *ret_value = (RunStoreValue) { .type = type };
        if (given == DBUS_TYPE_UINT64 || given == DBUS_TYPE_INT64)
                ret_value->integer = value.i64;
        else if (given == DBUS_TYPE_UINT32)
                ret_value->integer = value.u32;
        else
                return false;
        return true;
}

/* Runs that were deleted are left out, unless they are asked for. */
static void leave_out_deleted(RunStoreQuery *query) {
        query->filters[query->n_filters++] = (RunStoreFilter) {
                .column = RUN_ROW_VALID,
                .compare = RUNSTORE_EQUAL,
                .value = { .type = RUNSTORE_INTEGER, .integer = 1 },
        };
}

static bool read_flag(DBusMessageIter *variant, const char *key, const char *wanted, bool *flag) {
        dbus_bool_t value;

        if (!text_equal(key, wanted) || dbus_message_iter_get_arg_type(variant) != DBUS_TYPE_BOOLEAN)
                return false;
        dbus_message_iter_get_basic(variant, &value);
        *flag = value;
        return true;
}

/* A span of time in which runs were made is two filters of one column. */
static RunStoreCompare compare_of(RunStoreTable table, const char **key) {
        const bool is_since = text_equal(*key, "since");

        if (table != RUNSTORE_RUN || (!is_since && !text_equal(*key, "until")))
                return RUNSTORE_EQUAL;
        *key = key_of(table, RUN_ROW_CREATED);
        return is_since ? RUNSTORE_AT_LEAST : RUNSTORE_AT_MOST;
}

/* Filters of a dictionary at the arguments' place. */
static int read_filters(BusCall *call, RunStoreQuery *query) {
        bool has_deleted = query->table != RUNSTORE_RUN;
        DBusMessageIter entries, entry, variant;

        dbus_message_iter_recurse(&call->arguments, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                RunStoreFilter *filter = &query->filters[query->n_filters];
                const char *key;
                int column;

                dbus_message_iter_recurse(&entries, &entry);
                dbus_message_iter_get_basic(&entry, &key);
                dbus_message_iter_next(&entry);
                dbus_message_iter_recurse(&entry, &variant);
                if (query->table == RUNSTORE_RUN && read_flag(&variant, key, "deleted", &has_deleted))
                        continue;
                filter->compare = compare_of(query->table, &key);
                column = find_column(query->table, key);
                if (column < 0 || query->n_filters == RUNSTORE_FILTERS_MAX - 1 ||
                    !read_value(&variant, runstore_table(query->table)->columns[column].type, &filter->value))
                        return refuse_filter(call, key);
                filter->column = (unsigned) column;
                query->n_filters++;
        }
        dbus_message_iter_next(&call->arguments);
        if (!has_deleted)
                leave_out_deleted(query);
        return 0;
}

static int read_cursor(BusCall *call, const char *cursor, RunStoreQuery *query) {
        uint64_t number;

        if (!*cursor)
                return 0;
        /* No name begins with a slash, but a cursor of an earlier version may. */
        if (query->table == RUNSTORE_NODE && *cursor != '/') {
                query->cursor[0] = query->filters[0].value;
                query->cursor[1] = (RunStoreValue) { .type = RUNSTORE_TEXT, .bytes = cursor, .n = strlen(cursor) };
                query->n_cursor = 2;
                return 0;
        }
        if (text_parse_u64(cursor, &number) < 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "'%s' is not a cursor of an answer.", cursor);
        /* Rows of a run are in the order of their key, of which the run is the first column. */
        if (runstore_table(query->table)->n_key == 2)
                query->cursor[query->n_cursor++] = query->filters[0].value;
        query->cursor[query->n_cursor++] = (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = (int64_t) number };
        return 0;
}

int bus_run_send_query(BusCall *call, const RunStoreQuery *query, uint32_t run) {
        ManagerRunTicket ticket;
        int r = bus_run_keep(call, &ticket);

        if (r < 0)
                return r;
        return bus_run_end_asking(call,
                          manager_runs_query(manager_runs(call->tree->manager), query, run, ticket, &call->failure));
}

/* Reads the arguments a{sv}, u, s. */
static int ask(BusCall *call, RunStoreQuery *query, uint32_t run) {
        int r = read_filters(call, query);

        if (r < 0)
                return r;
        query->limit = bus_call_u32(call);
        r = read_cursor(call, bus_call_string(call), query);
        return r < 0 ? r : bus_run_send_query(call, query, run);
}

int bus_manager_list_runs(BusCall *call) {
        RunStoreQuery query = { .table = RUNSTORE_RUN, .is_descending = true };

        return ask(call, &query, 0);
}

int bus_manager_list_alarms(BusCall *call) {
        RunStoreQuery query = { .table = RUNSTORE_ALARM };

        return ask(call, &query, 0);
}

static RunStoreQuery query_of_run(const BusCall *call, RunStoreTable table, unsigned column) {
        RunStoreQuery query = { .table = table, .n_filters = 1 };

        query.filters[0] = (RunStoreFilter) {
                .column = column,
                .compare = RUNSTORE_EQUAL,
                .value = { .type = RUNSTORE_INTEGER, .integer = (int64_t) call->object->id },
        };
        return query;
}

static int ask_of_run(BusCall *call, RunStoreTable table, unsigned column) {
        RunStoreQuery query = query_of_run(call, table, column);

        return ask(call, &query, (uint32_t) call->object->id);
}

/* Also of those that no row is of: which these are is judged now, and they are told with the rows. */
static int ask_for_nodes(BusCall *call, const RunStoreQuery *query) {
        BusRuns *runs = call->tree->runs;
        const uint32_t run = (uint32_t) call->object->id;
        cleanup_(bus_run_page_freep) BusRunPage *page = NULL;
        ManagerRunTicket ticket;
        int r = bus_run_page_new(manager_runs(call->tree->manager), run, query, &page);

        if (r == 0)
                r = vector_reserve(&runs->pages, 1);
        if (r == 0)
                r = bus_run_keep(call, &ticket);
        if (r < 0)
                return r;
        page->later = later_of(&ticket);
        (void) vector_push(&runs->pages, take_ptr(page));
        r = manager_runs_query(manager_runs(call->tree->manager), query, run, ticket, &call->failure);
        if (r < 0)
                bus_run_page_free(take_page(runs, later_of(&ticket)));
        return bus_run_end_asking(call, r);
}

static int method_nodes(BusCall *call) {
        RunStoreQuery query = query_of_run(call, RUNSTORE_NODE, NODE_RUN);
        int r = read_filters(call, &query);

        if (r < 0)
                return r;
        query.limit = bus_call_u32(call);
        if (query.limit == 0 || query.limit > NODES_MAX)
                query.limit = NODES_MAX;
        r = read_cursor(call, bus_call_string(call), &query);
        return r < 0 ? r : ask_for_nodes(call, &query);
}

static int method_attempts(BusCall *call) {
        return ask_of_run(call, RUNSTORE_ATTEMPT, ATTEMPT_RUN);
}

static int method_events(BusCall *call) {
        return ask_of_run(call, RUNSTORE_EVENT, EVENT_RUN);
}

static int method_errors(BusCall *call) {
        return ask_of_run(call, RUNSTORE_ITEM_ERROR, ITEM_ERROR_RUN);
}

static int method_result(BusCall *call) {
        const JobRequester requester = bus_call_requester(call);
        ManagerRunResultRequest request = {
                .run = (uint32_t) call->object->id,
                .node = bus_call_string(call),
                .uid = requester.uid,
                .is_other = bus_peers_is_other_user(call->tree->peers, requester.uid),
        };
        cleanup_fd_ int fd = -1;
        int r;

        /* A descriptor of our own; -1 if there is none left. */
        dbus_message_iter_get_basic(&call->arguments, &fd);
        request.fd = fd;
        if (fd < 0)
                return bus_call_fail(call, -EMFILE, "LimitsExceeded", "There is no descriptor left for the result.");
        r = bus_run_keep(call, &request.ticket);
        if (r < 0)
                return r;
        return bus_run_end_asking(call, manager_runs_read_result(manager_runs(call->tree->manager), &request,
                                                                 &call->failure));
}

/* — methods of the manager — */

/* Words for the record, which stand in a row of the store. */
static int judge_option(BusCall *call, const char *key, const char *value) {
        if (*value && strlen(value) <= OPTION_MAX)
                return 0;
        return bus_call_fail(call, -EINVAL, "InvalidArgs", "The option '%s' %s.", key,
                             *value ? "has more than 255 bytes" : "is empty");
}

/* Options that stand for a time of a timer. */
typedef struct TimerOptions {
        const char *timer; /* borrowed; NULL: none */
        uint64_t time; /* 0: none */
} TimerOptions;

static int read_option(BusCall *call, const char *key, DBusMessageIter *variant, ManagerRunRequest *request,
                       TimerOptions *timer) {
        const struct {
                const char *key, **slot;
        } strings[] = { { "key", &request->key }, { "name", &request->name },
                        {
                                "operator",
                                &request->operator},
                                { "namespace", &request->namespace },
                                { "reqid", &request->reqid },
                                { "timer", &timer->timer },
        };

        if (text_equal(key, "priority") && dbus_message_iter_get_arg_type(variant) == DBUS_TYPE_BYTE) {
                dbus_message_iter_get_basic(variant, &request->priority);
                request->has_priority = true;
                return 0;
        }
        if (text_equal(key, "create") && dbus_message_iter_get_arg_type(variant) == DBUS_TYPE_BOOLEAN) {
                dbus_bool_t is_created;

                dbus_message_iter_get_basic(variant, &is_created);
                request->is_created = is_created;
                return 0;
        }
        if (text_equal(key, "first") && dbus_message_iter_get_arg_type(variant) == DBUS_TYPE_UINT64) {
                dbus_message_iter_get_basic(variant, &request->first);
                return 0;
        }
        if (text_equal(key, "time") && dbus_message_iter_get_arg_type(variant) == DBUS_TYPE_UINT64) {
                dbus_message_iter_get_basic(variant, &timer->time);
                return 0;
        }
        for (size_t i = 0; i < ELEMENTSOF(strings); i++)
                if (text_equal(key, strings[i].key) && dbus_message_iter_get_arg_type(variant) == DBUS_TYPE_STRING) {
                        dbus_message_iter_get_basic(variant, strings[i].slot);
                        return judge_option(call, key, *strings[i].slot);
                }
        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                             "There is no option '%s', or it has another type: 'key', 'name', 'operator', 'namespace', "
                             "'reqid' and 'timer' are strings, 'priority' is a byte, 'time' and 'first' are 't', "
                             "'create' is a boolean, 'assign' is an array of strings.",
                             key);
}

/* "NAME=TEXT", or "NAME:=JSON" for what is no string; 0, -EINVAL for another type, -ENOMEM. */
static int make_assignment(const char *name, DBusMessageIter *variant, char **ret_assignment) {
        DBusBasicValue value;

        /* In an assignment ':' and '=' end the name. */
        if (strpbrk(name, ":=") || !dbus_type_is_basic(dbus_message_iter_get_arg_type(variant)))
                return -EINVAL;
        dbus_message_iter_get_basic(variant, &value);
        switch (dbus_message_iter_get_arg_type(variant)) {
        case DBUS_TYPE_STRING:
                return text_format(ret_assignment, "%s=%s", name, value.str);
        case DBUS_TYPE_BOOLEAN:
                return text_format(ret_assignment, "%s:=%s", name, value.bool_val ? "true" : "false");
        case DBUS_TYPE_INT32:
                return text_format(ret_assignment, "%s:=%" PRId32, name, (int32_t) value.i32);
        case DBUS_TYPE_UINT32:
                return text_format(ret_assignment, "%s:=%" PRIu32, name, (uint32_t) value.u32);
        case DBUS_TYPE_INT64:
                return text_format(ret_assignment, "%s:=%" PRId64, name, (int64_t) value.i64);
        case DBUS_TYPE_UINT64:
                return text_format(ret_assignment, "%s:=%" PRIu64, name, (uint64_t) value.u64);
        case DBUS_TYPE_DOUBLE:
                return text_format(ret_assignment, "%s:=%.17g", name, value.dbl);
        default:
                return -EINVAL;
        }
}

static int read_params(BusCall *call, char ***ret_params) {
        DBusMessageIter entries, entry, variant;

        dbus_message_iter_recurse(&call->arguments, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                char *assignment = NULL;
                const char *key;
                int r;

                dbus_message_iter_recurse(&entries, &entry);
                dbus_message_iter_get_basic(&entry, &key);
                dbus_message_iter_next(&entry);
                dbus_message_iter_recurse(&entry, &variant);
                r = make_assignment(key, &variant, &assignment);
                if (r == -EINVAL)
                        return bus_call_fail(call, r, "InvalidArgs",
                                             "The parameter '%s' is no string, number or boolean, or this is no name; "
                                             "the option 'assign' takes any value, as NAME:=JSON.",
                                             key);
                if (r == 0)
                        r = strv_consume(ret_params, assignment);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* The option 'assign': assignments as they are typed. */
static int read_assignments(BusCall *call, DBusMessageIter *variant, char ***ret_params) {
        DBusMessageIter words;
        int r = 0;

        if (dbus_message_iter_get_arg_type(variant) != DBUS_TYPE_ARRAY ||
            dbus_message_iter_get_element_type(variant) != DBUS_TYPE_STRING)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "The option 'assign' is no array of strings.");
        dbus_message_iter_recurse(variant, &words);
        for (; r == 0 && dbus_message_iter_get_arg_type(&words) == DBUS_TYPE_STRING; dbus_message_iter_next(&words)) {
                const char *word;

                dbus_message_iter_get_basic(&words, &word);
                r = strv_push(ret_params, word);
        }
        return r;
}

static int read_options(BusCall *call, ManagerRunRequest *request, TimerOptions *timer, char ***ret_params) {
        DBusMessageIter entries, entry, variant;
        int r = 0;

        r = read_params(call, ret_params);
        if (r < 0)
                return r;
        dbus_message_iter_next(&call->arguments);
        dbus_message_iter_recurse(&call->arguments, &entries);
        for (; r == 0 && dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY;
             dbus_message_iter_next(&entries)) {
                const char *key;

                dbus_message_iter_recurse(&entries, &entry);
                dbus_message_iter_get_basic(&entry, &key);
                dbus_message_iter_next(&entry);
                dbus_message_iter_recurse(&entry, &variant);
                r = text_equal(key, "assign") ? read_assignments(call, &variant, ret_params)
                                              : read_option(call, key, &variant, request, timer);
        }
        return r;
}

/* "jobctl[4711]"; NULL for a process that is not known. */
static int describe_client(const JobRequester *requester, char **ret_client) {
        return requester->pid == 0
                       ? 0
                       : text_format(ret_client, "%s[%" PRIu32 "]", requester->command ?: "", requester->pid);
}

/* The run has the key of a run that the timer makes at that time, so that there is one for each time. */
static int make_elapse(BusCall *call, const TimerOptions *timer, ManagerRunRequest *request, char **ret_key,
                       char ***ret_environment) {
        char *by, *time;
        int r;

        if (!timer->timer && timer->time == 0)
                return 0;
        if (!timer->timer || timer->time == 0 || request->key)
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "The options 'timer' and 'time' belong together, without 'key'.");
        if (unit_name_type(timer->timer) != UNIT_TIMER)
                return bus_call_fail(call, -EINVAL, "InvalidName", "'%s' is not the name of a timer.", timer->timer);
        request->trigger = timer->timer;
        r = text_format(ret_key, "%s %" PRIu64, timer->timer, timer->time);
        if (r == 0)
                r = text_format(&by, "TRIGGER_UNIT=%s", timer->timer);
        if (r == 0)
                r = strv_consume(ret_environment, by);
        if (r == 0)
                r = text_format(&time, UNIT_RUN_TIME "%" PRIu64, timer->time);
        if (r == 0)
                r = strv_consume(ret_environment, time);
        return r < 0 ? r : strv_push(ret_environment, UNIT_RUN_CATCHES_UP);
}

int bus_manager_start_run(BusCall *call) {
        const JobRequester requester = bus_call_requester(call);
        ManagerRunRequest request = { .unit = bus_call_string(call), .uid = requester.uid };
        cleanup_(strv_freep) char **params = NULL, **environment = NULL;
        cleanup_free_ char *client = NULL, *key = NULL;
        TimerOptions timer = {};
        int r = read_options(call, &request, &timer, &params);

        request.params = params;
        if (r >= 0)
                r = make_elapse(call, &timer, &request, &key, &environment);
        if (key)
                request.key = key;
        request.environment = environment;
        if (r >= 0)
                r = describe_client(&requester, &client);
        request.client = client;
        if (r >= 0)
                r = bus_run_keep(call, &request.ticket);
        if (r < 0)
                return r;
        return bus_run_end_asking(call, manager_runs_submit(manager_runs(call->tree->manager), &request,
                                                            &call->failure));
}

int bus_manager_plan_run(BusCall *call) {
        ManagerRunRequest request = { .unit = bus_call_string(call) };
        cleanup_(strv_freep) char **params = NULL;
        TimerOptions timer = {};
        int r = read_options(call, &request, &timer, &params);

        request.params = params;
        return r < 0 ? r : manager_runs_plan(manager_runs(call->tree->manager), &request, call->reply, &call->failure);
}

int bus_manager_identify(BusCall *call) {
        const char *operator= bus_call_string(call), *reqid = bus_call_string(call);

        if (strlen(operator) > OPTION_MAX || strlen(reqid) > OPTION_MAX)
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "An operator, or the id of a request, has at most 255 bytes.");
        return bus_client_identify(call->client, operator, reqid);
}

int bus_manager_get_run(BusCall *call) {
        const BusView view = bus_call_view(call);
        const uint64_t id = bus_call_u64(call);

        if (id == 0 || id > UINT32_MAX)
                return bus_call_fail(call, -ENOENT, "NoSuchRun", "There is no run %" PRIu64 ".", id);
        put_run_path(&view, (uint32_t) id, call->reply);
        return 0;
}

int bus_manager_explain_run(BusCall *call) {
        const char *what = bus_call_string(call), *slash = strchr(what, '/');
        cleanup_free_ char *run = strndup(what, slash ? (size_t) (slash - what) : strlen(what));
        uint32_t id;
        int r = run ? manager_runs_find(manager_runs(call->tree->manager), run, &id, &call->failure) : -ENOMEM;

        return r < 0 ? r
                     : manager_runs_explain(manager_runs(call->tree->manager), id, slash ? slash + 1 : NULL,
                                            call->reply, &call->failure);
}

int bus_manager_acknowledge(BusCall *call) {
        const JobRequester requester = bus_call_requester(call);
        const uint64_t alarm = bus_call_u64(call);
        const char *operator= bus_call_string(call);
        ManagerRunTicket ticket;
        int r = bus_run_keep(call, &ticket);

        if (r < 0)
                return r;
        return bus_run_end_asking(call,
                          manager_runs_acknowledge(manager_runs(call->tree->manager), alarm,
                                                   *operator? operator: NULL, requester.uid, ticket, &call->failure));
}

/* Whoever has the token may: it is a secret of the node, and good for nothing else. */
int bus_manager_complete_node(BusCall *call) {
        const JobRequester requester = bus_call_requester(call);
        ManagerRunCommand wanted = {
                .token = bus_call_string(call),
                .uid = requester.uid,
                .operator= call->client->operator,
                .reqid = call->client->reqid,
        };
        const char *outcome = bus_call_string(call), *result = bus_call_string(call);
        int r;

        if (!text_equal(outcome, "success") && !text_equal(outcome, "failed"))
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "A node is not completed as '%s', but as success or failed.", outcome);
        wanted.completion = text_equal(outcome, "success") ? RUN_COMPLETION_SUCCESS : RUN_COMPLETION_FAILURE;
        wanted.result = *result ? result : NULL;
        r = bus_run_keep(call, &wanted.ticket);
        if (r < 0)
                return r;
        return bus_run_end_asking(call, manager_runs_complete(manager_runs(call->tree->manager), &wanted,
                                                              &call->failure));
}

/* — verbs — */

/* Of a run that has ended, the manager learns from the store whose it is. */
static bool must_be_allowed(const BusCall *call) {
        const uid_t uid = call->client->uid;

        return uid != 0 && uid != call->tree->peers->owner &&
               !manager_runs_has(manager_runs(call->tree->manager), (uint32_t) call->object->id);
}

static int give(BusCall *call, ManagerRunCommand wanted) {
        const JobRequester requester = bus_call_requester(call);
        int r;

        wanted.run = (uint32_t) call->object->id;
        wanted.must_be_allowed = must_be_allowed(call);
        wanted.uid = requester.uid;
        wanted.operator= call->client->operator;
        wanted.reqid = call->client->reqid;
        r = bus_run_keep(call, &wanted.ticket);
        if (r < 0)
                return r;
        r = manager_runs_command(manager_runs(call->tree->manager), &wanted, &call->failure);
        return bus_run_end_asking(call, r);
}

static int command(BusCall *call, RunVerb verb, const char *node) {
        return give(call, (ManagerRunCommand) { .verb = verb, .node = node });
}

static int command_with(BusCall *call, RunVerb verb, const char *node, const char *comment) {
        return give(call, (ManagerRunCommand) { .verb = verb, .node = node, .comment = comment });
}

static int method_delete(BusCall *call) {
        return give(call, (ManagerRunCommand) { .is_delete = true, .stops = bus_call_bool(call) });
}

static int method_pause(BusCall *call) {
        return command(call, RUN_VERB_PAUSE, NULL);
}

static int method_resume(BusCall *call) {
        return command(call, RUN_VERB_RESUME, NULL);
}

static int method_proceed(BusCall *call) {
        return give(call, (ManagerRunCommand) { .is_proceed = true });
}

static int method_retry_errors(BusCall *call) {
        DBusMessageIter options;
        const char *key;

        dbus_message_iter_recurse(&call->arguments, &options);
        if (dbus_message_iter_get_arg_type(&options) == DBUS_TYPE_INVALID)
                return give(call, (ManagerRunCommand) { .is_retry_errors = true });
        dbus_message_iter_recurse(&options, &options);
        dbus_message_iter_get_basic(&options, &key);
        return bus_call_fail(call, -EINVAL, "InvalidArgs", "There is no option '%s'.", key);
}

static int method_stop(BusCall *call) {
        return command(call, RUN_VERB_STOP, NULL);
}

static int method_cancel(BusCall *call) {
        return command(call, RUN_VERB_CANCEL, NULL);
}

static int method_add_nodes(BusCall *call) {
        const char *below = bus_call_string(call), *lines = bus_call_string(call);

        return give(call, (ManagerRunCommand) { .node = *below ? below : NULL, .lines = lines });
}

static int method_compensate(BusCall *call) {
        return command(call, RUN_VERB_COMPENSATE, NULL);
}

static int method_retry(BusCall *call) {
        const char *node = bus_call_string(call);

        return command(call, RUN_VERB_RETRY, *node ? node : NULL);
}

static int method_rerun(BusCall *call) {
        return command(call, RUN_VERB_RERUN, bus_call_string(call));
}

static int method_resolve(BusCall *call) {
        static const struct {
                const char *word;
                RunVerb verb;
        } ways[] = {
                { "success", RUN_VERB_AS_SUCCESS },
                { "failed", RUN_VERB_AS_FAILED },
                { "retry", RUN_VERB_AS_RETRY },
                { "skip", RUN_VERB_AS_SKIP },
        };
        const char *node = bus_call_string(call), *as = bus_call_string(call);

        for (size_t i = 0; i < ELEMENTSOF(ways); i++)
                if (text_equal(ways[i].word, as))
                        return command(call, ways[i].verb, node);
        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                             "A node is not resolved as '%s', but as success, failed, retry or skip.", as);
}

static int method_skip(BusCall *call) {
        return command(call, RUN_VERB_SKIP, bus_call_string(call));
}

static int method_unlock(BusCall *call) {
        const char *node = bus_call_string(call), *lock = bus_call_string(call);

        return give(call, (ManagerRunCommand) { .verb = RUN_VERB_UNLOCK,
                                                .node = *node ? node : NULL,
                                                .lock = *lock ? lock : NULL });
}

static int method_approve(BusCall *call) {
        const char *node = bus_call_string(call);
        const bool is_approved = bus_call_bool(call);
        const char *comment = bus_call_string(call);

        return command_with(call, is_approved ? RUN_VERB_APPROVE : RUN_VERB_REJECT, node, *comment ? comment : NULL);
}

static int method_watch(BusCall *call) {
        const int r = bus_client_set_watch(call->client, (uint32_t) call->object->id, bus_call_bool(call));

        bus_run_news_watch(&call->tree->runs->news);
        return r == -E2BIG ? bus_call_fail(call, r, "LimitsExceeded", "A client may watch no more than %u runs.",
                                           BUS_WATCHES_MAX)
                           : r;
}

static const BusMethod methods[] = {
        { "Pause", "", NULL, "", NULL, BUS_VERB_CONTROL_RUN, method_pause,
          "Begins no attempt any more, until Resume; what runs goes on." },
        { "Resume", "", NULL, "", NULL, BUS_VERB_CONTROL_RUN, method_resume,
          "Lets a run go on that was paused or held." },
        { "Proceed", "", NULL, "", NULL, BUS_VERB_CONTROL_RUN, method_proceed,
          "Lets a batch go on that is AWAITING its owner, with ManualStart=yes." },
        { "RetryErrors", "a{sv}", "options", "u", "items", BUS_VERB_CONTROL_RUN, method_retry_errors,
          "Issues the items of a batch again that are errors, which one is no more when it succeeds: in the launch "
          "that is there, in the next one of a run that is paused, or in another round of a run that has ended. Items: "
          "how many these are. There are no options yet." },
        { "Stop", "", NULL, "", NULL, BUS_VERB_CONTROL_RUN, method_stop,
          "Begins no attempt any more; when what runs has ended, the run is CANCELLED." },
        { "Cancel", "", NULL, "", NULL, BUS_VERB_CONTROL_RUN, method_cancel, "As Stop, and ends what runs." },
        { "AddNodes", "ss", "below nodes", "", NULL, BUS_VERB_ENQUEUE, method_add_nodes,
          "Adds nodes to a run that lives: JSON Lines, as in NodesFile=. Those that name no parent depend on the node "
          "'below', and what waits for that waits for them, too. Answers when they are stored." },
        { "Compensate", "", NULL, "", NULL, BUS_VERB_CONTROL_RUN, method_compensate,
          "Undoes what has succeeded in a run that has ended, the last success first, by Compensate= of the nodes, and "
          "nodes with Flow= by their runs; its result stays." },
        { "Retry", "s", "node", "b", "outdated", BUS_VERB_CONTROL_RUN, method_retry,
          "Executes a node again that has failed, with what was skipped or cancelled below it; of a run that has "
          "ended, "
          "too. \"\": all nodes that have failed, or wait for a person. The run keeps its definition; outdated: the "
          "unit files of its flow (not NodesFile=) have changed since it was submitted." },
        { "Rerun", "s", "node", "b", "outdated", BUS_VERB_CONTROL_RUN, method_rerun,
          "Executes a node and all below it again, of a run that has ended. Outdated: as of Retry." },
        { "Resolve", "ss", "node as", "", NULL, BUS_VERB_CONTROL_RUN, method_resolve,
          "Decides about a node that is PENDING: \"success\", \"failed\", \"retry\" or \"skip\"." },
        { "Delete", "b", "stop", "", NULL, BUS_VERB_CONTROL_RUN, method_delete,
          "Has the run listed no more, and frees its name; its rows and logs stay as long as those of others. A run "
          "that has not ended is refused, or stopped first." },
        { "Skip", "s", "node", "", NULL, BUS_VERB_CONTROL_RUN, method_skip, "Skips a node that has not begun." },
        { "Unlock", "ss", "node lock", "", NULL, BUS_VERB_CONTROL_RUN, method_unlock,
          "Has a node give up its locks that does not run but keeps them: it waits for its next try or for a person. "
          "\"\": all such nodes. With the name of a lock only those that hold it; they give up all of theirs. The "
          "locks are taken again for the next attempt." },
        { "Approve", "sbs", "node approves comment", "", NULL, BUS_VERB_CONTROL_RUN, method_approve,
          "Lets a node begin that waits at its gate, or makes it FAILED; the comment is kept in the events." },
        { "Nodes", "a{sv}us", "filters limit cursor", "aa{sv}s", "nodes cursor", BUS_VERB_READ, method_nodes,
          "Nodes of the run, in the order of their names; as Manager.ListRuns. The cursor is the name of the last "
          "one: each node is in one answer, with its state at that time, whatever begins or ends between two of "
          "them. Filters are for that state. A node that is added meanwhile is told if its name is behind the "
          "cursor." },
        { "Attempts", "a{sv}us", "filters limit cursor", "aa{sv}s", "attempts cursor", BUS_VERB_READ, method_attempts,
          "Attempts of its nodes, the oldest first; as Manager.ListRuns." },
        { "Events", "a{sv}us", "filters limit cursor", "aa{sv}s", "events cursor", BUS_VERB_READ, method_events,
          "What has happened to the run, and who asked for it, the oldest first; as Manager.ListRuns." },
        { "Errors", "a{sv}us", "filters limit cursor", "aa{sv}s", "errors cursor", BUS_VERB_READ, method_errors,
          "Items of a batch that have failed and are not tried again, in the order of their numbers; as "
          "Manager.ListRuns." },
        { "Result", "sh", "node file", "ts", "bytes source", BUS_VERB_READ, method_result,
          "Writes the result of a node that has ended, of any size, into a file of the caller in memory (memfd). "
          "For who submitted the run, root and the owner of the manager. 0 bytes: there is none, which counts as "
          "null. Source: \"own\", \"default\", \"dropped\" by KeepResult=no, or \"\"." },
        { "Watch", "b", "watches", "", NULL, BUS_VERB_READ, method_watch,
          "Whether RunChanged and NodesChanged of this run are sent to the caller, until its connection ends or jobd's "
          "core does." },
        {},
};

static const BusSignal signals[] = {
        { "RunChanged", "ta{sv}", "id run",
          "The run, or the number of nodes that have ended, has changed; at most "
          "once a turn, with the keys of Manager.ListRuns; only for clients that have called Watch." },
        { "NodesChanged", "taa{sv}", "id nodes",
          "Nodes of the run have changed, with the keys of Nodes; only for "
          "clients that have called Watch." },
        {},
};

const BusInterface bus_run_interface = {
        .name = "Run",
        .description = "A run of a flow. It has an object even when it has ended; its properties are those of the "
                       "store then. What changes it may be called by the user who has submitted it, too, and by users "
                       "whom AllowControl= of its flow names.",
        .methods = methods,
        .signals = signals,
        .properties = bus_run_properties,
};

static int find(const BusTree *tree, const char *label, pid_t caller, BusObject *object, Failure *ret_failure) {
        uint32_t id;

        if (label[0] == '0' || text_parse_u32(label, &id) < 0)
                return failure_set(ret_failure, -ENOENT, "UnknownObject", "'%s' is not the number of a run.", label);
        object->kind = &bus_run_kind;
        object->id = id;
        return 0;
}

static int visit(const BusTree *tree, BusVisitor visitor, void *userdata) {
        return 0;
}

static const char *path(const BusObject *object, const BusDialect *dialect, char buffer[static BUS_PATH_SIZE]) {
        return bus_path_of_run(dialect, (uint32_t) object->id, buffer);
}

static size_t interfaces(const BusObject *object, BusInterface *ret_interfaces) {
        ret_interfaces[0] = bus_run_interface;
        return 1;
}

/* Of a run that does not live this is judged when it has been read. */
static bool grants(const BusTree *tree, const BusObject *object, BusVerb verb, const BusClient *client) {
        const ManagerRuns *runs = manager_runs(tree->manager);
        const uint32_t id = (uint32_t) object->id;

        return verb == BUS_VERB_CONTROL_RUN &&
               (!manager_runs_has(runs, id) || manager_runs_may_control(runs, id, client->uid));
}

/* The properties of a run that does not live. */
static int ask_properties(BusCall *call, const BusProperty *property) {
        const ManagerRuns *runs = manager_runs(call->tree->manager);
        RunStoreQuery query = { .table = RUNSTORE_RUN, .limit = 1, .n_filters = 1 };
        ManagerRunTicket ticket;
        ManagerRunView run;
        int r;

        if (manager_runs_view(runs, (uint32_t) call->object->id, &run) == 0 ||
            (property && text_equal(property->name, "Id")))
                return 0;
        query.filters[0] = (RunStoreFilter) {
                .column = RUN_ROW_ID,
                .compare = RUNSTORE_EQUAL,
                .value = { .type = RUNSTORE_INTEGER, .integer = (int64_t) call->object->id },
        };
        r = bus_run_keep(call, &ticket);
        if (r < 0)
                return r;
        ticket.what = property ? (uint32_t) (property - bus_run_properties) + 1 : ALL_PROPERTIES;
        return bus_run_end_asking(call, manager_runs_query(manager_runs(call->tree->manager), &query,
                                                   (uint32_t) call->object->id, ticket, &call->failure));
}

const BusKind bus_run_kind = {
        .label = "run",
        .flags = BUS_PROPERTY_OWN,
        .find = find,
        .visit = visit,
        .path = path,
        .interfaces = interfaces,
        .grants = grants,
        .ask = ask_properties,
};
