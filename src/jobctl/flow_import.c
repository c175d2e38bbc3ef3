/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workflows of other programs: what all formats have in common
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/flow_import.h"
#include "unit/unit_name.h"

static void free_flow(ImportedFlow *flow) {
        free(flow->name);
        free(flow->description);
        text_deinit(&flow->settings);
        text_deinit(&flow->install);
        text_deinit(&flow->timer);
        for (size_t i = 0; i < flow->tasks.n; i++) {
                ImportTask *task = &flow->tasks.items[i];

                free(task->id);
                free(task->node);
                free(task->program);
                strv_free(task->arguments);
                free(task->shell);
                text_deinit(&task->settings);
                vector_deinit(&task->parents);
        }
        vector_deinit(&flow->tasks);
        vector_deinit(&flow->edges);
        vector_deinit(&flow->order);
        index_table_deinit(&flow->by_id);
        index_table_deinit(&flow->by_edge);
        free(flow);
}

void import_output_deinit(ImportOutput *output) {
        for (size_t i = 0; i < output->flows.n; i++)
                free_flow(output->flows.items[i]);
        for (size_t i = 0; i < output->notes.n; i++)
                free(output->notes.items[i].what);
        vector_deinit(&output->flows);
        vector_deinit(&output->notes);
        free(output->problem);
}

int import_add_flow(ImportOutput *output, ImportedFlow **ret_flow) {
        ImportedFlow *flow = calloc(1, sizeof(ImportedFlow));

        if (!flow || vector_push(&output->flows, flow) < 0) {
                free(flow);
                return -ENOMEM;
        }
        flow->notes = &output->notes;
        *ret_flow = flow;
        return 0;
}

int import_find_task(ImportedFlow *flow, const char *id, uint32_t *ret_at) {
        uint32_t hash = index_table_hash(id);
        ImportTask task = {};
        size_t probe = 0;
        int r;

        while (index_table_next(&flow->by_id, hash, &probe, ret_at))
                if (strcmp(flow->tasks.items[*ret_at].id, id) == 0)
                        return 0;
        r = index_table_reserve(&flow->by_id, 1);
        if (r < 0)
                return r;
        task.id = strdup(id);
        if (!task.id || vector_push(&flow->tasks, task) < 0) {
                free(task.id);
                return -ENOMEM;
        }
        *ret_at = (uint32_t) (flow->tasks.n - 1);
        return index_table_put(&flow->by_id, hash, *ret_at);
}

int import_add_edge(ImportedFlow *flow, uint32_t parent, uint32_t child) {
        uint64_t edge = (uint64_t) parent << 32 | child;
        uint32_t hash = (uint32_t) (edge * UINT64_C(0x9e3779b97f4a7c15) >> 32), at;
        size_t probe = 0;
        int r;

        while (index_table_next(&flow->by_edge, hash, &probe, &at))
                if (flow->edges.items[at] == edge)
                        return 0;
        r = vector_push(&flow->edges, edge);
        if (r == 0)
                r = vector_push(&flow->tasks.items[child].parents, parent);
        return r < 0 ? r : index_table_put(&flow->by_edge, hash, (uint32_t) (flow->edges.n - 1));
}

int import_note(ImportNotes *notes, const char *what, const char *text, unsigned line) {
        ImportNote note = { .text = text, .line = line, .n = 1 };

        for (size_t i = 0; i < notes->n; i++)
                if (notes->items[i].text == text && strcmp(notes->items[i].what, what) == 0) {
                        notes->items[i].n++;
                        return 0;
                }
        note.what = strdup(what);
        if (note.what && vector_push(notes, note) == 0)
                return 0;
        free(note.what);
        return -ENOMEM;
}

/* — names of nodes — */

static bool is_name_char(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == '-';
}

/* @id with all that a name of a node may not have replaced; @n is appended if it is above 1. */
static char *make_name(const char *id, unsigned n) {
        char suffix[16] = "", *name = NULL;

        if (n > 1)
                snprintf(suffix, sizeof(suffix), "-%u", n);
        if (text_format(&name, "%.*s%s", (int) (UNIT_NAME_MAX - strlen(suffix)), *id ? id : "_", suffix) < 0)
                return NULL;
        for (char *at = name; *at; at++)
                if (!is_name_char(*at))
                        *at = '_';
        return name;
}

static bool name_is_free(const ImportedFlow *flow, const IndexTable *names, const char *name) {
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(names, index_table_hash(name), &probe, &at))
                if (strcmp(flow->tasks.items[at].node, name) == 0)
                        return false;
        return true;
}

static int name_task(ImportedFlow *flow, uint32_t at, IndexTable *names) {
        ImportTask *task = &flow->tasks.items[at];

        for (unsigned n = 1;; n++) {
                char *name = make_name(task->id, n);

                if (!name)
                        return -ENOMEM;
                if (!name_is_free(flow, names, name)) {
                        free(name);
                        continue;
                }
                task->node = name;
                if (index_table_put(names, index_table_hash(name), at) < 0)
                        return -ENOMEM;
                return strcmp(name, task->id) == 0
                               ? 0
                               : import_note(flow->notes, "id",
                                             "has characters that the name of a node may not have; they are replaced",
                                             task->line);
        }
}

int import_name_nodes(ImportedFlow *flow) {
        cleanup_(index_table_deinit) IndexTable names = {};
        int r = 0;

        for (uint32_t i = 0; r == 0 && i < flow->tasks.n; i++)
                if (!flow->tasks.items[i].is_task)
                        r = vector_push(&flow->order, i);
        for (size_t i = 0; r == 0 && i < flow->order.n; i++)
                r = name_task(flow, flow->order.items[i], &names);
        return r;
}
