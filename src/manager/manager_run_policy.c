/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands that judge whether nodes may run: [Policy …]
 *
 * A question has no effect but its answer, and no row: a core that follows
 * another asks again. What was said last is kept for 'why' alone.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_run_object.h"
#include "manager/manager_run_policy.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"

int manager_run_get_policy(const ManagerRun *run, uint32_t node, char **ret_name) {
        FlowCommand command = {};
        int r;

        *ret_name = NULL;
        if (run_graph_policy(run->graph, node)->readiness != RUN_READY_BY_POLICY)
                return 0;
        r = flow_command_open(&command, run->definition, node);
        if (r == 0)
                r = text_copy(command.node->policy, ret_name);
        flow_command_close(&command);
        return r;
}

/* — questions — */

static void ask(ManagerRuns *runs, const ManagerRun *run, uint32_t node, uint32_t generation) {
        const RunAttemptKey key = { run->id, node, generation, 0 };

        if (manager_attempts_ask(runs->attempts, &key, run->flow->unit, run->definition, run->graph) == 0)
                return;
        log_write(LOG_LEVEL_ERROR, run->flow->unit->id, "Run %" PRIu32 ": no memory to ask about a node.", run->id);
        runs->has_missed = true;
}

void manager_run_ask(void *userdata, uint32_t id, uint32_t node, uint32_t generation) {
        ManagerRuns *runs = userdata;
        const ManagerRun *run = manager_run_find(runs, id);

        if (run)
                ask(runs, run, node, generation);
}

void manager_run_ask_missed(ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row) {
        const RunAttemptKey key = { run->id, row->node, row->generation, 0 };

        if (!manager_attempts_has(runs->attempts, &key))
                ask(runs, run, row->node, row->generation);
}

int manager_run_question(void *userdata, const RunAttemptKey *key, const char *folder, char **ret_json) {
        const ManagerRuns *runs = userdata;
        const ManagerRun *run = manager_run_find(runs, key->run);
        cleanup_free_ char *context = NULL;
        FlowCommand command = {};
        int r = run ? flow_command_open(&command, run->definition, key->node) : -ENOENT;

        if (r == 0)
                r = text_copy(command.node->readiness_context, &context);
        flow_command_close(&command);
        if (r < 0)
                return r;
        return manager_run_object_write(runs,
                                        &(ManagerRunObject) {
                                                .event = "policy",
                                                .run = key->run,
                                                .node = key->node,
                                                .context = context,
                                                .folder = folder,
                                        },
                                        ret_json);
}

/* — answers — */

const ManagerSaying *manager_run_find_saying(const ManagerRun *run, const RunNodeRow *row) {
        for (size_t i = 0; i < run->sayings.n; i++)
                if (run->sayings.items[i].node == row->node && run->sayings.items[i].generation == row->generation)
                        return &run->sayings.items[i];
        return NULL;
}

/* Without memory nothing is known of it. */
static void note_saying(ManagerRun *run, const RunAttemptKey *key, RunAnswer answer, const char *reason) {
        const ManagerSaying saying = { .node = key->node, .generation = key->generation, .answer = answer };
        ManagerSaying *at = NULL;

        for (size_t i = 0; i < run->sayings.n && !at; i++)
                if (run->sayings.items[i].node == key->node)
                        at = &run->sayings.items[i];
        if (!at && vector_push(&run->sayings, saying) < 0)
                return;
        if (!at)
                at = &vector_last(&run->sayings);
        free(at->reason);
        *at = saying;
        (void) text_copy(reason, &at->reason);
}

static void tell(const ManagerRun *run, const RunAttemptKey *key, RunAnswer answer, const char *reason) {
        const bool is_person = answer == RUN_ANSWER_PENDING || answer == RUN_ANSWER_FAIL;
        cleanup_free_ char *policy = NULL;

        (void) manager_run_get_policy(run, key->node, &policy);
        log_write(is_person ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, run->flow->unit->id,
                  "Run %" PRIu32 ", node %s: policy %s says %s%s%s", run->id,
                  run_graph_name(run->graph, key->node), policy ? policy : "?",
                  run_answer_to_string(answer), reason ? ": " : ".", reason ? reason : "");
}

void manager_run_note_pending(ManagerRun *run, const RunAttemptKey *key, const char *reason) {
        const char *why = reason && *reason ? reason : NULL;

        note_saying(run, key, RUN_ANSWER_PENDING, why);
        log_write(LOG_LEVEL_WARNING, run->flow->unit->id, "Run %" PRIu32 ", node %s: asks for a person%s%s", run->id,
                  run_graph_name(run->graph, key->node), why ? ": " : ".", why ? why : "");
}

void manager_run_note_answer(ManagerRun *run, const RunAttemptKey *key, RunAnswer answer, const char *reason,
                             bool has_decided) {
        note_saying(run, key, answer, reason);
        if (has_decided)
                tell(run, key, answer, reason);
}
