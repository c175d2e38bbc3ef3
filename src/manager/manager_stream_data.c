/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The structure of a stream
 */

#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "manager/manager_stream_private.h"

#define PRUNES_AT_ONCE 16U /* pages */

bool manager_stream_is_open(const ManagerStream *stream) {
        return stream && stream->phase == MANAGER_STREAM_OPEN;
}

void manager_stream_clear_notes(ManagerStream *stream) {
        for (size_t i = 0; i < stream->notes.n; i++) {
                free(stream->notes.items[i].problem);
                free(stream->notes.items[i].operator);
                free(stream->notes.items[i].result);
        }
        vector_clear(&stream->notes);
}

void manager_stream_clear(ManagerStream *stream) {
        for (size_t i = stream->first; i < stream->queries.n; i++)
                free(stream->queries.items[i].text);
        vector_clear(&stream->queries);
        stream->first = stream->n_sent = 0;
        vector_clear(&stream->begins);
        vector_clear(&stream->strays);
        vector_clear(&stream->deletes);
        for (size_t i = 0; i < stream->prunes.n; i++)
                free(stream->prunes.items[i].text);
        vector_clear(&stream->prunes);
        stream->n_pruning = 0;
        manager_stream_clear_notes(stream);
        stream->engine = run_stream_free(stream->engine);
        free(take_ptr(stream->after_name));
        stream->after = 0;
        stream->has_put = stream->has_lost = false;
}

ManagerStream *manager_stream_free(ManagerStream *stream) {
        if (!stream)
                return NULL;
        manager_stream_clear(stream);
        vector_deinit(&stream->queries);
        vector_deinit(&stream->begins);
        vector_deinit(&stream->strays);
        vector_deinit(&stream->notes);
        vector_deinit(&stream->deletes);
        vector_deinit(&stream->prunes);
        free(stream);
        return NULL;
}

/* — queries — */

/* What was answered leaves the front when that is half of all, so that each is moved once or so. */
static void compact(ManagerStream *stream) {
        if (stream->first == 0 || stream->first * 2 < stream->queries.n)
                return;
        stream->queries.n -= stream->first;
        memmove(stream->queries.items, stream->queries.items + stream->first,
                stream->queries.n * sizeof(*stream->queries.items));
        stream->first = 0;
}

int manager_stream_ask(ManagerStream *stream, const ManagerStreamQuery *query) {
        const int r = vector_push(&stream->queries, *query);

        if (r < 0)
                free(query->text);
        return r;
}

bool manager_stream_has_queries(const ManagerStream *stream) {
        return stream->queries.n > stream->first;
}

ManagerStreamQuery *manager_stream_next_query(ManagerStream *stream) {
        const size_t next = stream->first + stream->n_sent;

        return next < stream->queries.n ? &stream->queries.items[next] : NULL;
}

/* The place of the query with the number, among those that were sent; SIZE_MAX: there is none. */
static size_t find(const ManagerStream *stream, uint64_t number) {
        size_t low = stream->first, high = stream->first + stream->n_sent;

        while (low < high) {
                const size_t middle = low + (high - low) / 2;

                if (stream->queries.items[middle].number == number)
                        return middle;
                if (stream->queries.items[middle].number < number)
                        low = middle + 1;
                else
                        high = middle;
        }
        return SIZE_MAX;
}

bool manager_stream_take_query(ManagerStream *stream, uint64_t number, ManagerStreamQuery *ret_query) {
        const size_t place = find(stream, number);
        ManagerStreamQuery *queries = stream->queries.items;

        if (place == SIZE_MAX)
                return false;
        *ret_query = queries[place];
        memmove(queries + stream->first + 1, queries + stream->first, (place - stream->first) * sizeof(*queries));
        stream->first++;
        stream->n_sent--;
        compact(stream);
        return true;
}

/* The query leaves its place to those behind it. */
bool manager_stream_repeat_query(ManagerStream *stream, uint64_t number) {
        const size_t place = find(stream, number);
        ManagerStreamQuery *queries = stream->queries.items, query;

        if (place == SIZE_MAX)
                return false;
        query = queries[place];
        query.number = 0;
        memmove(queries + place, queries + place + 1, (stream->queries.n - place - 1) * sizeof(*queries));
        queries[stream->queries.n - 1] = query;
        stream->n_sent--;
        return true;
}

/* — pruning — */

bool manager_stream_has_room(const ManagerStream *stream) {
        return stream->prunes.n < PRUNES_AT_ONCE;
}

int manager_stream_note_prune(ManagerStream *stream, const ManagerStreamQuery *query) {
        int r;

        for (size_t i = 0; i < stream->prunes.n; i++) {
                ManagerStreamQuery *known = &stream->prunes.items[i];

                if (strcmp(known->text, query->text) != 0)
                        continue;
                known->position = MAX(known->position, query->position);
                free(query->text);
                return 0;
        }
        r = vector_push(&stream->prunes, *query);
        if (r < 0)
                free(query->text);
        return r;
}

int manager_stream_ask_prunes(ManagerStream *stream) {
        if (stream->n_pruning > 0 || stream->deletes.n > 0)
                return 0;
        for (size_t i = 0; i < stream->prunes.n; i++) {
                const int r = vector_push(&stream->queries, stream->prunes.items[i]);

                if (r < 0) {
                        stream->prunes.n -= i;
                        memmove(stream->prunes.items, stream->prunes.items + i,
                                stream->prunes.n * sizeof(*stream->prunes.items));
                        return r;
                }
                stream->n_pruning++;
        }
        vector_clear(&stream->prunes);
        return 0;
}
