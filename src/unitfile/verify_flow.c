/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verify: the whole graph of a flow, and settings that have no effect
 *
 * The nodes of NodesFile= are read here and when a run is submitted, not when
 * the unit is loaded.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/file_text.h"
#include "unitfile/flow_graph.h"
#include "unitfile/flow_nodes.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/verify_private.h"

/* A file that a program has written may have the same mistake in each line. */
#define ERRORS_MAX 20U
#define WARNINGS_MAX 100U

typedef struct FlowVerifier {
        UnitDraft *draft;               /* borrowed */
        unsigned n_warnings;
} FlowVerifier;

static bool status_set_is_empty(const ExitStatusSet *set) {
        static const ExitStatusSet empty;

        return memcmp(set, &empty, sizeof(empty)) == 0;
}

static void warn(FlowVerifier *verifier, const FlowNode *node, const char *setting, const char *message) {
        FlowPlace place = node->place;
        unsigned line;

        if (++verifier->n_warnings > WARNINGS_MAX)
                return;
        line = unit_draft_find_node_setting(verifier->draft, node->name, setting, &place.file);
        unit_draft_report(verifier->draft, UNIT_FILE_WARNING, place.file, line > 0 ? line : place.line, setting,
                          "Node %s: %s.", node->name, message);
}

/* Whether the section of the node has the setting, perhaps with its default. Most files do not have it anywhere. */
static bool is_set(const FlowVerifier *verifier, const FlowNode *node, const char *setting) {
        const char *text = ((const FlowSettings *) verifier->draft->section.own)->text, *file;

        return (!text || strstr(text, setting)) &&
               unit_draft_find_node_setting(verifier->draft, node->name, setting, &file) > 0;
}

/* Whether a try that nobody knows the end of is followed by another one, after RetryDelaySec=. */
static bool is_recovered(const FlowNode *node) {
        return node->recover == FLOW_RECOVER_RETRY || (node->recover == FLOW_RECOVER_UNSET && node->idempotent);
}

static void verify_retry(FlowVerifier *verifier, const FlowNode *node) {
        static const char useless[] = "without Retry= it has no effect";

        if (node->retry == 0) {
                const bool has_delay = is_recovered(node);

                if (!has_delay && (node->retry_delay != FLOW_RETRY_DELAY || is_set(verifier, node, "RetryDelaySec")))
                        warn(verifier, node, "RetryDelaySec", useless);
                if (!has_delay &&
                    (node->retry_max_delay != FLOW_RETRY_MAX_DELAY || is_set(verifier, node, "RetryMaxDelaySec")))
                        warn(verifier, node, "RetryMaxDelaySec", useless);
                if (node->retry_jitter > 0)
                        warn(verifier, node, "RetryJitter", useless);
                if (node->retry_backoff != FLOW_BACKOFF_FIXED)
                        warn(verifier, node, "RetryBackoff", useless);
                if (node->retry_window != USEC_INFINITY)
                        warn(verifier, node, "RetryWindowSec", useless);
                if (!status_set_is_empty(&node->retry_exit_status))
                        warn(verifier, node, "RetryExitStatus", useless);
                if (!status_set_is_empty(&node->no_retry_exit_status))
                        warn(verifier, node, "NoRetryExitStatus", useless);
                return;
        }
        if (node->retry_delay > node->retry_max_delay)
                warn(verifier, node, "RetryDelaySec", "it is longer than RetryMaxDelaySec=, which is the delay then");
        if (node->retry_delay != USEC_INFINITY && node->retry_window < node->retry_delay)
                warn(verifier, node, "RetryWindowSec", "it is over before the first retry");
        if (flow_statuses_meet(&node->retry_exit_status, &node->success_exit_status))
                warn(verifier, node, "RetryExitStatus",
                     "an exit status is in SuccessExitStatus=, too: it is a success, and is not retried");
}

static void verify_again(FlowVerifier *verifier, const FlowNode *node) {
        static const char useless[] = "without AgainSec= it has no effect";

        if (node->again > 0)
                return;
        if (node->again_max > 0)
                warn(verifier, node, "AgainMax", useless);
        if (node->again_window != USEC_INFINITY)
                warn(verifier, node, "AgainMaxSec", useless);
        if (!status_set_is_empty(&node->again_exit_status))
                warn(verifier, node, "AgainExitStatus", useless);
}

/* Settings without a use in a node that has no command. */
static void verify_checkpoint(FlowVerifier *verifier, const FlowNode *node, bool has_process) {
        static const char useless[] = "without Exec=, Script=, Unit= or Flow= there is nothing to run, and it has "
                                      "no effect";
        /* The command that undoes it has locks and a process, too. */
        const bool acts_later = node->compensation;

        if (node->retry > 0)
                warn(verifier, node, "Retry", useless);
        if (node->timeout != USEC_INFINITY)
                warn(verifier, node, "TimeoutSec", useless);
        if (node->total_timeout != USEC_INFINITY)
                warn(verifier, node, "TotalTimeoutSec", useless);
        if (node->recover != FLOW_RECOVER_UNSET)
                warn(verifier, node, "Recover", useless);
        if (node->claim.locks && !acts_later)
                warn(verifier, node, "Lock", useless);
        if (node->claim.needs.n > 0 && !acts_later)
                warn(verifier, node, "Needs", useless);
        if (node->units[FLOW_REQUIRES_UNIT])
                warn(verifier, node, "RequiresUnit", useless);
        if (node->units[FLOW_BINDS_TO_UNIT])
                warn(verifier, node, "BindsToUnit", useless);
        if (node->units[FLOW_REQUISITE_UNIT])
                warn(verifier, node, "RequisiteUnit", useless);
        if (node->units[FLOW_AFTER_UNIT])
                warn(verifier, node, "AfterUnit", useless);
        if (has_process && !acts_later)
                warn(verifier, node, NULL,
                     "it has settings for a process, but neither Exec= nor Script=; they have no effect");
}

static void verify_lock(FlowVerifier *verifier, const FlowNode *node) {
        static const char useless[] = "without Lock= it has no effect";

        if (node->claim.locks)
                return;
        if (node->claim.lock_slots != 1)
                warn(verifier, node, "LockSlots", useless);
        if (node->claim.hold_lock != FLOW_HOLD_UNSET)
                warn(verifier, node, "HoldLock", useless);
}

/* Settings without a use in a node that asks for a job. */
static void verify_job(FlowVerifier *verifier, const FlowNode *node, bool has_process) {
        const char *useless = node->unit ? "a job has no exit status, and it has no effect"
                                         : "a run has no exit status, and it has no effect";

        if (!status_set_is_empty(&node->success_exit_status))
                warn(verifier, node, "SuccessExitStatus", useless);
        if (!status_set_is_empty(&node->pending_exit_status))
                warn(verifier, node, "PendingExitStatus", useless);
        if (node->again > 0)
                warn(verifier, node, "AgainSec", useless);
        if (has_process && !node->compensation)
                warn(verifier, node, NULL,
                     node->unit ? "it has settings for a process, but Unit= instead of Exec=; they have no effect"
                                : "it has settings for a process, but Flow= instead of Exec=; they have no effect");
}

static void verify_foreach(FlowVerifier *verifier, const FlowNode *node) {
        static const char useless[] = "without Foreach= it has no effect";

        if (node->foreach)
                return;
        if (node->foreach_parallel > 0)
                warn(verifier, node, "ForeachParallel", useless);
        if (is_set(verifier, node, "ForeachMax"))
                warn(verifier, node, "ForeachMax", useless);
}

static void verify_no_job(FlowVerifier *verifier, const FlowNode *node) {
        static const char useless[] = "without Unit= it has no effect";

        if (node->operation != FLOW_START)
                warn(verifier, node, "Operation", useless);
        if (node->job_mode != JOB_REPLACE)
                warn(verifier, node, "JobMode", useless);
        if (node->wait_for != FLOW_WAIT_FOR_JOB)
                warn(verifier, node, "WaitFor", useless);
}

/* Nodes of NodesFile= may name it, too. */
static void verify_policy(const FlowVerifier *verifier, const DraftSection *policy) {
        const UnitDraft *draft = verifier->draft;
        bool is_used = ((const FlowSettings *) draft->section.own)->nodes_file;

        for (size_t i = 0; i < draft->instances.n && !is_used; i++) {
                const DraftSection *section = draft->instances.items[i];
                const char *name = draft_section_is_node(section)
                                           ? ((const FlowNodeSettings *) section->own)->node.policy
                                           : NULL;

                is_used = text_equal(name, policy->name);
        }
        if (!is_used)
                unit_draft_report(draft, UNIT_FILE_WARNING, policy->file, policy->line, NULL,
                                  "No node has Readiness=policy:%s, so that it is never asked.", policy->name);
}

/* A limit that another one comes before. */
static void verify_timeout(FlowVerifier *verifier, const FlowNode *node) {
        const FlowSettings *flow = verifier->draft->section.own;
        const bool ends_attempts = flow->timeout_mode != FLOW_TIMEOUT_DRAIN;

        if (node->timeout != USEC_INFINITY && node->total_timeout < node->timeout)
                warn(verifier, node, "TimeoutSec", "it is longer than TotalTimeoutSec=, which ends the node before");
        if (node->timeout != USEC_INFINITY && flow->run_timeout < node->timeout && ends_attempts)
                warn(verifier, node, "TimeoutSec",
                     "it is longer than RunTimeoutSec= of [Flow], which ends the run before");
        if (node->total_timeout != USEC_INFINITY && flow->run_timeout < node->total_timeout && ends_attempts)
                warn(verifier, node, "TotalTimeoutSec",
                     "it is longer than RunTimeoutSec= of [Flow], which ends the run before");
}

static void verify_node(FlowVerifier *verifier, const FlowNode *node, bool has_process) {
        const FlowSettings *flow = verifier->draft->section.own;

        if (node->compensation && flow->compensate_on == 0)
                warn(verifier, node, "Compensate",
                     "without CompensateOn= in [Flow] it runs only when a person asks for it, with 'jobctl flow "
                     "compensate'");
        if (node->readiness_context && !node->policy)
                warn(verifier, node, "ReadinessContext", "without Readiness=policy:NAME it has no effect");
        if (!node->unit)
                verify_no_job(verifier, node);
        verify_foreach(verifier, node);
        if (!flow_node_acts(node)) {
                verify_checkpoint(verifier, node, has_process);
                return;
        }
        if (node->unit || node->flow)
                verify_job(verifier, node, has_process);
        verify_retry(verifier, node);
        verify_again(verifier, node);
        verify_lock(verifier, node);
        verify_timeout(verifier, node);
}

/* — the graph — */

/* Parents that end the run when they fail leave nothing to wait for but success. */
static void verify_readiness(const FlowGraph *graph, const FlowGraphNode *node) {
        const bool is_any = node->n > 0 && node->n_judged == 0;
        const FlowPlace *place = is_any ? &graph->edges.items[node->first].place : &node->readiness_place;
        bool ends_all = node->n > 0;

        /* A command is asked after each end, and may have reasons of its own. */
        if (!place->file || (!is_any && (node->readiness.kind == FLOW_READY_ALL_SUCCEEDED ||
                                         node->readiness.kind == FLOW_READY_BY_POLICY)))
                return;
        for (uint32_t i = node->first; i < node->first + node->n; i++)
                ends_all &= graph->nodes.items[graph->edges.items[i].parent].failure == FLOW_FAILURE_END;
        if (node->n == 0)
                unit_draft_report(graph->draft, UNIT_FILE_WARNING, node->readiness_place.file,
                                  node->readiness_place.line, "Readiness",
                                  "Node %s depends on no other, so that it has no effect.", node->name);
        else if (ends_all)
                unit_draft_report(graph->draft, UNIT_FILE_WARNING, place->file, place->line,
                                  is_any ? flow_dependency_to_string(graph->edges.items[node->first].kind)
                                         : "Readiness",
                                  "The failure of any parent ends the run, so that node %s never runs after one; write "
                                  "FailurePolicy=continue for the parents, or in [Flow].", node->name);
}

void verify_runs(const UnitDraft *draft) {
        const FlowSettings *flow = draft->section.own;
        const char *fragment = draft->state->sources.fragment;

        if (flow->on_busy != FLOW_BUSY_QUEUE && (!flow->has_on_trigger || flow->on_trigger != FLOW_BUSY_QUEUE) &&
            !flow->claim.locks && flow->claim.needs.n == 0 &&
            unit_draft_find_setting(draft, "MaxQueued", &fragment) > 0)
                unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, "MaxQueued",
                                  "Runs do not wait with OnBusy=%s, so that it has no effect.",
                                  flow_busy_to_string(flow->on_busy));
        if (!flow->claim.locks && flow->claim.lock_slots != 1)
                unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, "LockSlots",
                                  "Without Lock= it has no effect.");
}

static int read_nodes(FlowVerifier *verifier, FlowGraph *graph, FlowNodes *nodes) {
        FlowNode *node;
        unsigned n_errors = 0;

        for (;;) {
                int r = flow_nodes_next(nodes, &node);

                if (r == 0 || r == -ENOMEM)
                        return r;
                if (r == -EBADMSG) {
                        graph->is_broken = true;
                        if (++n_errors < ERRORS_MAX)
                                continue;
                        unit_draft_report(graph->draft, UNIT_FILE_NOTE, nodes->path, 0, NULL,
                                          "The lines after these %u errors are not read.", ERRORS_MAX);
                        return 0;
                }
                verify_node(verifier, node, nodes->section.lines.n > 0);
                r = flow_graph_add(graph, node);
                if (r < 0)
                        return r;
        }
}

static int add_nodes_file(FlowVerifier *verifier, FlowGraph *graph, const char *path) {
        cleanup_free_ char *text = NULL;
        FlowNodes nodes;
        FileProblem problem;
        struct stat st;
        int r = file_text_read_up_to(path, FLOW_NODES_FILE_MAX, "The file is larger than 256 MiB.", &text, &st,
                                     &problem);

        if (r == -ENOMEM)
                return r;
        if (r < 0) {
                graph->is_broken = true;
                return r == -EBADMSG ? unit_draft_refuse(graph->draft, path, problem.line, NULL, "%s", problem.text) :
                        unit_draft_refuse(graph->draft, graph->draft->state->sources.fragment, 0, "NodesFile",
                                          "The file %s cannot be read: %s.", path, strerror(-r));
        }
        r = flow_nodes_begin(&nodes, graph->draft, path, text);
        if (r == 0)
                r = read_nodes(verifier, graph, &nodes);
        flow_nodes_end(&nodes);
        return r;
}

static void verify_graph(const FlowGraph *graph) {
        for (size_t i = 0; i < graph->nodes.n; i++)
                verify_readiness(graph, &graph->nodes.items[i]);
}

int verify_flow(UnitDraft *draft) {
        cleanup_(flow_graph_deinit) FlowGraph graph = {};
        FlowVerifier verifier = { .draft = draft };
        const UnitFileOptions *options = &draft->loader->options;
        const FlowSettings *flow;
        int r;

        if (draft->type != UNIT_FLOW || draft->is_broken)
                return 0;
        flow = draft->section.own;
        flow_graph_init(&graph, draft);
        r = flow_graph_add_sections(&graph);
        for (size_t i = 0; r == 0 && i < draft->instances.n; i++)
                if (draft_section_is_node(draft->instances.items[i]))
                        verify_node(&verifier, &((const FlowNodeSettings *) draft->instances.items[i]->own)->node,
                                    draft->instances.items[i]->lines.n > 0);
                else
                        verify_policy(&verifier, draft->instances.items[i]);
        if (r == 0 && flow->nodes_file)
                r = add_nodes_file(&verifier, &graph, flow->nodes_file);
        if (r == 0 && !graph.is_broken)
                r = flow_graph_finish(&graph);
        if (r < 0 || graph.is_broken)
                return r;
        verify_graph(&graph);
        verify_runs(draft);
        return options->receive_graph ? options->receive_graph(options->userdata, &graph) : 0;
}
