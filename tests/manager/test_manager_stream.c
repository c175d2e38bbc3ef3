/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The structure of a stream: what is pruned is asked for once
 */

#include <stdlib.h>
#include <string.h>

#include "double/double_assert.h"
#include "manager/manager_stream_private.h"

static void note(ManagerStream *stream, const char *group, uint64_t position) {
        const ManagerStreamQuery query = {
                .kind = MANAGER_STREAM_ASK_PRUNE, .text = strdup(group), .position = position, .limit = 2
        };

        cr_assert(eq(int, manager_stream_note_prune(stream, &query), 0));
}

/* Sends what is to be asked: how many pages, the first of which has @group and @position. */
static size_t sent(ManagerStream *stream, uint64_t *number, const char *group, uint64_t position) {
        size_t n = 0;

        cr_assert(eq(int, manager_stream_ask_prunes(stream), 0));
        for (ManagerStreamQuery *query; (query = manager_stream_next_query(stream)); n++) {
                query->number = ++*number;
                stream->n_sent++;
                if (n > 0)
                        continue;
                cr_assert(eq(str, query->text, (char *) group));
                cr_assert(eq(u64, query->position, position));
        }
        return n;
}

static void answer(ManagerStream *stream, uint64_t number) {
        ManagerStreamQuery query;

        cr_assert(manager_stream_take_query(stream, number, &query));
        free(query.text);
        stream->n_pruning--;
}

Test(manager_stream, the_next_page_of_what_is_pruned_follows_the_deletion_of_all_before) {
        ManagerStream *stream = calloc(1, sizeof(*stream));
        uint64_t number = 0;

        note(stream, "a", 10);
        note(stream, "b", 20);
        cr_assert(eq(sz, sent(stream, &number, "a", 10), 2));
        answer(stream, 1);
        cr_assert(eq(int, vector_push(&stream->deletes, 7), 0));
        note(stream, "a", 10);
        cr_assert(eq(sz, sent(stream, &number, "", 0), 0), "the page of the other group is to come");
        answer(stream, 2);
        cr_assert(eq(sz, sent(stream, &number, "", 0), 0), "what the pages have is to be deleted");
        note(stream, "a", 30);
        vector_clear(&stream->deletes);
        cr_assert(eq(sz, sent(stream, &number, "a", 30), 1), "and a group is asked for once");
        manager_stream_free(stream);
}

Test(manager_stream, groups_that_are_pruned_wait_in_the_engine_beyond_some) {
        ManagerStream *stream = calloc(1, sizeof(*stream));
        char name[2] = "a";

        for (; manager_stream_has_room(stream); name[0]++)
                note(stream, name, 1);
        cr_assert(lt(u64, stream->prunes.n, 26));
        manager_stream_clear(stream);
        cr_assert(manager_stream_has_room(stream));
        manager_stream_free(stream);
}
