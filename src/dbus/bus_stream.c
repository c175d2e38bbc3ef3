/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams: pushes, and questions about groups and elements
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/bus_run.h"
#include "dbus/bus_run_private.h"
#include "manager/manager_stream.h"

#define ELEMENTS_MAX 10000U /* in a call */
#define OPTION_MAX 255U

/* — arguments — */

static const void *read_bytes(DBusMessageIter *iter, size_t *ret_n) {
        const uint8_t *bytes = NULL;
        DBusMessageIter items;
        int n = 0;

        dbus_message_iter_recurse(iter, &items);
        dbus_message_iter_get_fixed_array(&items, &bytes, &n);
        dbus_message_iter_next(iter);
        *ret_n = (size_t) n;
        return bytes;
}

static const char *read_string(DBusMessageIter *iter) {
        const char *string;

        dbus_message_iter_get_basic(iter, &string);
        dbus_message_iter_next(iter);
        return string;
}

static int read_options(BusCall *call, ManagerPushRequest *request) {
        DBusMessageIter entries, entry, variant;

        dbus_message_iter_recurse(&call->arguments, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                const char *key, *value = NULL;

                dbus_message_iter_recurse(&entries, &entry);
                key = read_string(&entry);
                dbus_message_iter_recurse(&entry, &variant);
                if (dbus_message_iter_get_arg_type(&variant) == DBUS_TYPE_STRING)
                        dbus_message_iter_get_basic(&variant, &value);
                if (value && strlen(value) > OPTION_MAX)
                        return bus_call_fail(call, -EINVAL, "InvalidArgs", "The option '%s' has more than 255 bytes.",
                                             key);
                if (value && text_equal(key, "operator"))
                        request->operator = value;
                else if (value && text_equal(key, "reqid"))
                        request->reqid = value;
                else
                        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                             "There is no option '%s', or it has another type: 'operator' and 'reqid' "
                                             "are strings.", key);
        }
        return 0;
}

/* — pushes — */

static int push(BusCall *call, ManagerPushRequest *request) {
        const JobRequester requester = bus_call_requester(call);
        cleanup_free_ char *client = NULL;
        int r;

        request->uid = requester.uid;
        request->operator = request->operator ?: call->client->operator;
        request->reqid = request->reqid ?: call->client->reqid;
        r = requester.pid > 0 ? text_format(&client, "%s[%" PRIu32 "]", requester.command ?: "", requester.pid) : 0;
        request->client = client;
        if (r >= 0)
                r = bus_run_keep(call, &request->ticket);
        if (r < 0)
                return r;
        return bus_run_end_asking(call, manager_runs_push(manager_runs(call->tree->manager), request, &call->failure));
}

/* An empty key is none. */
static const char *key_of(const char *key) {
        return *key ? key : NULL;
}

int bus_manager_push(BusCall *call) {
        ManagerPushRequest request = { .unit = bus_call_string(call), .n = 1 };
        RunStreamElement element = { .group = bus_call_string(call) };
        int r;

        element.key = key_of(bus_call_string(call));
        element.data = read_bytes(&call->arguments, &element.size);
        request.elements = &element;
        r = read_options(call, &request);
        return r < 0 ? r : push(call, &request);
}

/* Strings and data are borrowed from the message. */
static int read_elements(BusCall *call, RunStreamElement **ret_elements, size_t *ret_n) {
        DBusMessageIter items, item;
        RunStreamElement *elements;
        size_t n = 0;

        dbus_message_iter_recurse(&call->arguments, &items);
        for (DBusMessageIter at = items; dbus_message_iter_get_arg_type(&at) == DBUS_TYPE_STRUCT;
             dbus_message_iter_next(&at))
                n++;
        if (n == 0 || n > ELEMENTS_MAX)
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "There are %zu elements, and a call takes 1 to %u.", n, ELEMENTS_MAX);
        elements = calloc(n, sizeof(*elements));
        if (!elements)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++, dbus_message_iter_next(&items)) {
                dbus_message_iter_recurse(&items, &item);
                elements[i].group = read_string(&item);
                elements[i].key = key_of(read_string(&item));
                elements[i].data = read_bytes(&item, &elements[i].size);
        }
        dbus_message_iter_next(&call->arguments);
        *ret_elements = elements;
        *ret_n = n;
        return 0;
}

int bus_manager_push_many(BusCall *call) {
        ManagerPushRequest request = { .unit = bus_call_string(call), .is_many = true };
        cleanup_free_ RunStreamElement *elements = NULL;
        int r = read_elements(call, &elements, &request.n);

        request.elements = elements;
        if (r >= 0)
                r = read_options(call, &request);
        return r < 0 ? r : push(call, &request);
}

/* — questions — */

static void add_number(RunStoreQuery *query, unsigned column, RunStoreCompare compare, uint64_t value) {
        query->filters[query->n_filters++] = (RunStoreFilter) {
                .column = column,
                .compare = compare,
                .value = { .type = RUNSTORE_INTEGER, .integer = (int64_t) value },
        };
}

static void add_text(RunStoreQuery *query, unsigned column, RunStoreCompare compare, const char *value) {
        query->filters[query->n_filters++] = (RunStoreFilter) {
                .column = column,
                .compare = compare,
                .value = { .type = RUNSTORE_TEXT, .bytes = value, .n = strlen(value) },
        };
}

/* A filter by a word, and its column. */
typedef struct Word {
        const char *key;
        unsigned column;
} Word;

/* False: it is no such filter, or has another type. */
static bool add_filter(RunStoreQuery *query, const Word *words, size_t n, const char *key, DBusMessageIter *variant) {
        const char *value;

        for (size_t i = 0; i < n; i++) {
                if (!text_equal(words[i].key, key) || dbus_message_iter_get_arg_type(variant) != DBUS_TYPE_STRING)
                        continue;
                dbus_message_iter_get_basic(variant, &value);
                add_text(query, words[i].column, RUNSTORE_EQUAL, value);
                return true;
        }
        return false;
}

/* The run of the stream that is named, or a run by its number, also one that has ended. */
static bool read_run(BusCall *call, const char *key, DBusMessageIter *variant, uint32_t *run, int *error) {
        const int type = dbus_message_iter_get_arg_type(variant);
        DBusBasicValue value;

        if (text_equal(key, "stream") && type == DBUS_TYPE_STRING) {
                dbus_message_iter_get_basic(variant, &value);
                *error = manager_runs_find_stream(manager_runs(call->tree->manager), value.str, run, &call->failure);
                return true;
        }
        if (!text_equal(key, "run") || type != DBUS_TYPE_UINT64)
                return false;
        dbus_message_iter_get_basic(variant, &value);
        *run = (uint32_t) MIN(value.u64, (uint64_t) UINT32_MAX);
        return true;
}

static bool read_data(const char *key, DBusMessageIter *variant, bool *has_data) {
        dbus_bool_t value;

        if (!text_equal(key, "data") || dbus_message_iter_get_arg_type(variant) != DBUS_TYPE_BOOLEAN)
                return false;
        dbus_message_iter_get_basic(variant, &value);
        *has_data = value;
        return true;
}

static int read_filters(BusCall *call, RunStoreQuery *query, const Word *words, size_t n, uint32_t *ret_run,
                        bool *ret_has_data) {
        DBusMessageIter entries, entry, variant;
        int error = 0;

        *ret_run = 0;
        *ret_has_data = false;
        add_number(query, 0, RUNSTORE_EQUAL, 0);
        dbus_message_iter_recurse(&call->arguments, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                const char *key;

                dbus_message_iter_recurse(&entries, &entry);
                key = read_string(&entry);
                dbus_message_iter_recurse(&entry, &variant);
                if (query->n_filters == RUNSTORE_FILTERS_MAX - 1 ||
                    (!read_run(call, key, &variant, ret_run, &error) && !read_data(key, &variant, ret_has_data) &&
                     !add_filter(query, words, n, key, &variant)))
                        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                             "There is no filter '%s', or it has another type.", key);
                if (error < 0)
                        return error;
        }
        dbus_message_iter_next(&call->arguments);
        if (*ret_run == 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "The filter 'stream' or 'run' is missing.");
        query->filters[0].value.integer = *ret_run;
        return 0;
}

/* The cursor of groups is "=" and the name of the last one, which may be empty. */
int bus_manager_list_groups(BusCall *call) {
        static const Word words[] = { { "group", STREAM_GROUP_NAME }, { "state", STREAM_GROUP_STATE } };
        RunStoreQuery query = { .table = RUNSTORE_STREAM_GROUP };
        const char *cursor;
        bool has_data;
        uint32_t run;
        int r = read_filters(call, &query, words, ELEMENTSOF(words), &run, &has_data);

        if (r < 0)
                return r;
        query.limit = bus_call_u32(call);
        cursor = bus_call_string(call);
        if (*cursor && *cursor != '=')
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "'%s' is not a cursor of an answer.", cursor);
        if (*cursor)
                add_text(&query, STREAM_GROUP_NAME, RUNSTORE_GREATER, cursor + 1);
        return bus_run_send_query(call, &query, run);
}

#define ALL_BUT_DATA (((UINT64_C(1) << _ELEMENT_MAX) - 1) & ~(UINT64_C(1) << ELEMENT_PAYLOAD) & \
                      ~(UINT64_C(1) << ELEMENT_RESULT))

int bus_manager_list_elements(BusCall *call) {
        static const Word words[] = {
                { "group", ELEMENT_GROUP }, { "state", ELEMENT_STATE }, { "key", ELEMENT_KEY }
        };
        RunStoreQuery query = { .table = RUNSTORE_ELEMENT };
        uint64_t after = 0;
        const char *cursor;
        bool has_data;
        uint32_t run;
        int r = read_filters(call, &query, words, ELEMENTSOF(words), &run, &has_data);

        if (r < 0)
                return r;
        query.limit = bus_call_u32(call);
        query.columns = has_data ? 0 : ALL_BUT_DATA;
        cursor = bus_call_string(call);
        if (*cursor && text_parse_u64(cursor, &after) < 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "'%s' is not a cursor of an answer.", cursor);
        /* As a filter, by which an index leads to the page. */
        if (after > 0)
                add_number(&query, ELEMENT_SEQUENCE, RUNSTORE_GREATER, after);
        return bus_run_send_query(call, &query, run);
}

/* — resolving — */

bool bus_manager_find_stream(const BusCall *call, BusObject *ret_subject) {
        DBusMessageIter arguments = call->arguments;
        const char *name;
        uint32_t run;

        dbus_message_iter_get_basic(&arguments, &name);
        if (manager_runs_find_stream(manager_runs(call->tree->manager), name, &run, NULL) < 0)
                return false;
        *ret_subject = (BusObject) { .kind = &bus_run_kind, .id = run };
        return true;
}

int bus_manager_resolve_element(BusCall *call) {
        const JobRequester requester = bus_call_requester(call);
        ManagerResolveRequest request = {
                .unit = bus_call_string(call),
                .group = bus_call_string(call),
                .sequence = bus_call_u64(call),
                .operator = call->client->operator,
                .reqid = call->client->reqid,
                .uid = requester.uid,
        };
        const char *word = bus_call_string(call);
        const int outcome = run_stream_outcome_from_string(word);
        int r;

        request.result = read_bytes(&call->arguments, &request.n_result);
        if (outcome < 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "An element is not resolved as '%s', but as success, failed, retry or skip.",
                                     word);
        if (request.n_result > RUN_STREAM_DATA_MAX)
                return bus_call_fail(call, -E2BIG, "InvalidArgs", "The result has %zu bytes; 1 MiB is the most.",
                                     request.n_result);
        request.outcome = (RunStreamOutcome) outcome;
        r = bus_run_keep(call, &request.ticket);
        if (r < 0)
                return r;
        return bus_run_end_asking(call, manager_runs_resolve_element(manager_runs(call->tree->manager), &request,
                                                                     &call->failure));
}
