/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes and edges of definitions, as rows of the store
 *
 * A run executes the text of a definition; these rows are for whoever asks
 * the file. They are put once for each definition, some in a turn, behind the
 * run that it was made for, which does not wait for them. The row of the last
 * node is put last: where that is, all are.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_run_define.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"

/* Some µs each: the line of the node is read once more. */
#define NODES_A_TURN 100U
#define PENDING_MAX ((size_t) 4 * 1024 * 1024) /* bytes on the way to the store: what runs goes first */

struct ManagerOutline {
        ManagerOutline *next;
        FlowDefinition *definition; /* a reference */
        uint8_t hash[MANAGER_RUN_HASH_BYTES];
        uint64_t query; /* whether the store has the last node; 0: none is under way */
        bool is_missing; /* it has not */
        uint32_t at, end; /* nodes before .at are put; those before .end are in the batch at hand */
};

/* The nodes of the definition alone: compensations follow from it. */
static uint32_t count(const ManagerOutline *outline) {
        const RunGraph *graph = flow_definition_graph(outline->definition);

        return run_graph_count(graph) - run_graph_count_extra(graph);
}

static bool is_of(const ManagerOutline *outline, const uint8_t hash[static MANAGER_RUN_HASH_BYTES]) {
        return memcmp(outline->hash, hash, MANAGER_RUN_HASH_BYTES) == 0;
}

static bool is_known(const ManagerRuns *runs, const uint8_t hash[static MANAGER_RUN_HASH_BYTES]) {
        for (size_t i = 0; i < ELEMENTSOF(runs->outlined); i++)
                if (memcmp(runs->outlined[i], hash, MANAGER_RUN_HASH_BYTES) == 0)
                        return true;
        for (const ManagerOutline *outline = runs->outlines; outline; outline = outline->next)
                if (is_of(outline, hash))
                        return true;
        return false;
}

/* Without memory they follow with the next run. */
void manager_run_outline(ManagerRuns *runs, const ManagerRun *run) {
        ManagerOutline **last = &runs->outlines, *outline;

        if (is_known(runs, run->facts.definition))
                return;
        outline = calloc(1, sizeof(*outline));
        if (!outline)
                return;
        outline->definition = flow_definition_ref(run->definition);
        memcpy(outline->hash, run->facts.definition, sizeof(outline->hash));
        while (*last)
                last = &(*last)->next;
        *last = outline;
}

static void drop_first(ManagerRuns *runs) {
        ManagerOutline *outline = runs->outlines;

        runs->outlines = outline->next;
        flow_definition_unref(outline->definition);
        free(outline);
}

void manager_run_drop_outlines(ManagerRuns *runs) {
        while (runs->outlines)
                drop_first(runs);
        memset(runs->outlined, 0, sizeof(runs->outlined));
}

/* The store has all of it. */
static void finish(ManagerRuns *runs) {
        memcpy(runs->outlined[runs->n_outlined++ % ELEMENTSOF(runs->outlined)], runs->outlines->hash,
               MANAGER_RUN_HASH_BYTES);
        drop_first(runs);
}

/* — settings — */

static void put_key(Text *text, const char *key) {
        text_addf(text, "%s\"%s\":", text->n > 1 ? "," : "", key);
}

static void put_string(Text *text, const char *key, const char *string) {
        if (!string)
                return;
        put_key(text, key);
        json_write_string(text, string, strlen(string));
}

static void put_words(Text *text, const char *key, char *const *words) {
        if (!words)
                return;
        put_key(text, key);
        text_add(text, "[");
        for (size_t i = 0; words[i]; i++) {
                text_add(text, i > 0 ? "," : "");
                json_write_string(text, words[i], strlen(words[i]));
        }
        text_add(text, "]");
}

static void put_inputs(Text *text, const FlowData *data) {
        if (data->inputs.n == 0)
                return;
        put_key(text, "Inputs");
        for (size_t i = 0; i < data->inputs.n; i++) {
                const FlowInput *input = &data->inputs.items[i];

                text_addf(text, "%s\"%s%s%s\"", i > 0 ? "," : "[", input->node ? input->node : "",
                          input->node ? "." : "", input->key);
        }
        text_add(text, "]");
}

static void put_time(Text *text, const char *key, usec_t time) {
        if (time == USEC_INFINITY || time == 0)
                return;
        put_key(text, key);
        text_addf(text, "%" PRIu64, time);
}

/* A node as an object, by the names of directives; times in µs. */
static int describe(const FlowNode *node, char **ret_json) {
        cleanup_(text_deinit) Text text = {};

        text_add(&text, "{");
        put_words(&text, "Exec", node->command ? node->command->argv : NULL);
        put_string(&text, "Script", node->script);
        put_words(&text, "Compensate", node->compensation ? node->compensation->argv : NULL);
        put_string(&text, "Unit", node->unit);
        put_string(&text, "Operation", node->unit ? flow_operation_to_string(node->operation) : NULL);
        put_string(&text, "Flow", node->flow);
        put_words(&text, "SubParams", node->sub_params);
        put_string(&text, "When", node->when);
        put_string(&text, "Foreach", node->foreach);
        put_inputs(&text, &node->data);
        put_words(&text, "Outputs", node->data.outputs);
        if (node->data.data) {
                put_key(&text, "Data");
                text_add(&text, node->data.data);
        }
        put_string(&text, "DataFile", node->data.data_file);
        if (node->retry > 0) {
                put_key(&text, "Retry");
                text_addf(&text, "%" PRIu32, node->retry);
        }
        put_time(&text, "TimeoutSec", node->timeout);
        put_time(&text, "TotalTimeoutSec", node->total_timeout);
        text_add(&text, "}");
        return text_finish(&text, ret_json);
}

/* — rows — */

static int put_node(const ManagerOutline *outline, uint32_t node, RecordWriter *writer) {
        const RunGraph *graph = flow_definition_graph(outline->definition);
        cleanup_free_ char *settings = NULL;
        FlowCommand command;
        int r = flow_command_open(&command, outline->definition, node);

        if (r < 0)
                return r;
        /* Edges first: the last row of all is that of the last node. */
        for (size_t i = 0; i < command.node->depends_on.n; i++) {
                const FlowDependency *edge = &command.node->depends_on.items[i];

                manager_run_row_put_edge(writer, outline->hash, node, run_graph_find(graph, edge->name),
                                         flow_dependency_to_string(edge->kind));
        }
        r = describe(command.node, &settings);
        if (r == 0)
                manager_run_row_put_outline(writer, outline->hash, node, run_graph_name(graph, node), settings);
        flow_command_close(&command);
        return r;
}

static void put_some(ManagerOutline *outline, RecordWriter *writer) {
        const uint32_t n = count(outline);

        for (unsigned i = 0; i < NODES_A_TURN && outline->end < n; i++)
                if (put_node(outline, outline->end, writer) == -ENOMEM) {
                        writer->has_failed = true;
                        return;
                } else
                        outline->end++;
}

static void ask(ManagerRuns *runs, ManagerOutline *outline) {
        RunStoreQuery query = {
                .table = RUNSTORE_DEF_NODE,
                .columns = UINT64_C(1) << DEF_NODE_NUMBER,
                .limit = 1,
                .n_filters = 2,
                .filters = {
                        { .column = DEF_NODE_HASH,
                          .compare = RUNSTORE_EQUAL,
                          .value = { .type = RUNSTORE_BYTES, .bytes = outline->hash, .n = sizeof(outline->hash) } },
                        { .column = DEF_NODE_NUMBER,
                          .compare = RUNSTORE_EQUAL,
                          .value = { .type = RUNSTORE_INTEGER,
                                     .integer = count(outline) - 1 } },
                },
        };

        if (manager_run_link_query(runs->link, &query, &outline->query) < 0)
                outline->query = 0;
}

bool manager_run_outline_has_rows(ManagerRuns *runs) {
        ManagerOutline *outline = runs->outlines;

        if (outline && outline->query == 0 && !outline->is_missing)
                ask(runs, outline);
        return outline && outline->is_missing && manager_run_link_bytes(runs->link) < PENDING_MAX;
}

void manager_run_outline_put(ManagerRuns *runs, RecordWriter *writer) {
        put_some(runs->outlines, writer);
}

void manager_run_outline_end_batch(ManagerRuns *runs, bool is_taken) {
        ManagerOutline *outline = runs->outlines;

        if (!outline || outline->end == outline->at)
                return;
        if (is_taken)
                outline->at = outline->end;
        else
                outline->end = outline->at;
        if (outline->at == count(outline))
                finish(runs);
        manager_turn_wake(runs->host.attempts.turn);
}

bool manager_run_outline_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page) {
        if (!runs->outlines || runs->outlines->query != query)
                return false;
        runs->outlines->query = 0;
        runs->outlines->is_missing = page->n_rows == 0;
        if (page->n_rows > 0)
                finish(runs);
        runs->host.attempts.turn->has_news = true;
        return true;
}

/* The rows follow with the next run. */
bool manager_run_outline_refused(ManagerRuns *runs, uint64_t query) {
        if (!runs->outlines || runs->outlines->query != query)
                return false;
        drop_first(runs);
        return true;
}
