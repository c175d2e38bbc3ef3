/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The [Flow], [Node …], [Batch] and [Stream] sections as data
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "time/calendar.h"
#include "unitfile/flow_settings.h"

#define FOREACH_MAX_DEFAULT 10000U

static const char *const flow_busies[_FLOW_BUSY_MAX] = {
        [FLOW_BUSY_QUEUE] = "queue",
        [FLOW_BUSY_REJECT] = "reject",
        [FLOW_BUSY_SKIP] = "skip",
        [FLOW_BUSY_REPLACE] = "replace",
};

static const char *const flow_failures[_FLOW_FAILURE_MAX] = {
        [FLOW_FAILURE_END] = "end",
        [FLOW_FAILURE_CONTINUE] = "continue",
        [FLOW_FAILURE_SUSPEND] = "suspend",
};

static const char *const flow_catch_ups[_FLOW_CATCH_UP_MAX] = {
        [FLOW_CATCH_UP_NONE] = "none",
        [FLOW_CATCH_UP_LAST] = "last",
        [FLOW_CATCH_UP_ALL] = "all",
};

static const char *const flow_end_modes[_FLOW_END_MODE_MAX] = {
        [FLOW_END_DRAIN] = "drain",
        [FLOW_END_KILL] = "kill",
};

static const char *const flow_start_modes[_FLOW_START_MODE_MAX] = {
        [FLOW_START_ACCEPTED] = "accepted",
        [FLOW_START_FINISHED] = "finished",
};

static const char *const flow_stop_modes[_FLOW_STOP_MODE_MAX] = {
        [FLOW_STOP_WAIT] = "wait",
        [FLOW_STOP_INTERRUPT] = "interrupt",
};

static const char *const flow_timeout_modes[_FLOW_TIMEOUT_MODE_MAX] = {
        [FLOW_TIMEOUT_TERMINATE] = "terminate",
        [FLOW_TIMEOUT_DRAIN] = "drain",
        [FLOW_TIMEOUT_ABANDON] = "abandon",
};

static const char *const flow_skips[_FLOW_SKIP_MAX] = {
        [FLOW_SKIP_NO] = "no",
        [FLOW_SKIP_OPTIONAL] = "optional",
};

static const char *const flow_end_runs[_FLOW_END_RUN_MAX] = {
        [FLOW_END_RUN_NO] = "no",
        [FLOW_END_RUN_SUCCESS] = "success",
        [FLOW_END_RUN_FAILURE] = "failure",
};

static const char *const flow_readies[_FLOW_READY_MAX] = {
        [FLOW_READY_ALL_SUCCEEDED] = "all-succeeded",
        [FLOW_READY_ALL_FINISHED] = "all-finished",
        [FLOW_READY_ANY] = "any",
        [FLOW_READY_NONE_FAILED] = "none-failed",
        [FLOW_READY_ONE_FAILED] = "one-failed",
        [FLOW_READY_ALL_FAILED] = "all-failed",
        [FLOW_READY_ALWAYS] = "always",
        [FLOW_READY_NONE_SKIPPED] = "none-skipped",
        [FLOW_READY_ONE_DONE] = "one-done",
        [FLOW_READY_ALL_SKIPPED] = "all-skipped",
        [FLOW_READY_NONE_FAILED_MIN_ONE] = "none-failed-min-one",
        [FLOW_READY_ONE_SUCCESS] = "one-success",
};

static const char *const flow_dependencies[_FLOW_DEPENDENCY_MAX] = {
        [FLOW_DEPENDS_ON] = "DependsOn",
        [FLOW_OPTIONAL_DEPENDS_ON] = "OptionalDependsOn",
        [FLOW_ANY_OF] = "AnyOf",
};

static const char *const flow_operations[_FLOW_OPERATION_MAX] = {
        [FLOW_START] = "start",
        [FLOW_STOP] = "stop",
        [FLOW_RESTART] = "restart",
        [FLOW_TRY_RESTART] = "try-restart",
        [FLOW_RELOAD] = "reload",
        [FLOW_RELOAD_OR_RESTART] = "reload-or-restart",
        [FLOW_RELOAD_OR_TRY_RESTART] = "reload-or-try-restart",
};

static const char *const flow_waits_for[_FLOW_WAIT_FOR_MAX] = {
        [FLOW_WAIT_FOR_JOB] = "job",
        [FLOW_WAIT_FOR_ACTIVE] = "active",
        [FLOW_WAIT_FOR_INACTIVE] = "inactive",
};

static const char *const flow_backoffs[_FLOW_BACKOFF_MAX] = {
        [FLOW_BACKOFF_FIXED] = "fixed",
        [FLOW_BACKOFF_LINEAR] = "linear",
        [FLOW_BACKOFF_EXPONENTIAL] = "exponential",
};

static const char *const flow_recovers[_FLOW_RECOVER_MAX] = {
        [FLOW_RECOVER_RETRY] = "retry",
        [FLOW_RECOVER_PENDING] = "pending",
        [FLOW_RECOVER_FAIL] = "fail",
};

DEFINE_STRING_TABLE(flow_busy, FlowBusy, flow_busies)
DEFINE_STRING_TABLE(flow_failure, FlowFailure, flow_failures)
DEFINE_STRING_TABLE(flow_catch_up, FlowCatchUp, flow_catch_ups)
DEFINE_STRING_TABLE(flow_end_mode, FlowEndMode, flow_end_modes)
DEFINE_STRING_TABLE(flow_start_mode, FlowStartMode, flow_start_modes)
DEFINE_STRING_TABLE(flow_stop_mode, FlowStopMode, flow_stop_modes)
DEFINE_STRING_TABLE(flow_timeout_mode, FlowTimeoutMode, flow_timeout_modes)
DEFINE_STRING_TABLE(flow_operation, FlowOperation, flow_operations)
DEFINE_STRING_TABLE(flow_wait_for, FlowWaitFor, flow_waits_for)
DEFINE_STRING_TABLE(flow_backoff, FlowBackoff, flow_backoffs)
DEFINE_STRING_TABLE_FROM(flow_skip, flow_skips)
DEFINE_STRING_TABLE_FROM(flow_end_run, flow_end_runs)
DEFINE_STRING_TABLE_FROM(flow_ready, flow_readies)
DEFINE_STRING_TABLE_FROM(flow_recover, flow_recovers)

const char *flow_dependency_to_string(FlowDependencyKind kind) {
        return flow_dependencies[kind];
}

static void flow_process_init(FlowProcess *process) {
        exec_settings_init(&process->exec);
        kill_settings_init(&process->kill);
}

static void flow_process_deinit(FlowProcess *process) {
        exec_settings_deinit(&process->exec);
        for (size_t i = 0; i < _FLOW_EXEC_MAX; i++)
                exec_command_free_all(process->commands[i]);
}

void flow_parents_clear(FlowParents *parents) {
        while (parents->n > 0)
                free(vector_pop(parents).name);
}

static void flow_parents_deinit(FlowParents *parents) {
        flow_parents_clear(parents);
        vector_deinit(parents);
}

static void flow_node_deinit(FlowNode *node) {
        free(node->name);
        free(node->when);
        free(node->foreach);
        free(node->script);
        free(node->unit);
        free(node->flow);
        strv_free(node->sub_params);
        for (size_t i = 0; i < _FLOW_UNIT_USE_MAX; i++)
                strv_free(node->units[i]);
        free(node->policy);
        free(node->readiness_context);
        free(node->sleep_until);
        for (size_t i = 0; i < node->depends_on.n; i++)
                free(node->depends_on.items[i].name);
        vector_deinit(&node->depends_on);
        flow_parents_deinit(&node->named);
        flow_parents_deinit(&node->skip_counts_as);
        flow_claim_deinit(&node->claim);
        flow_data_deinit(&node->data);
        flow_targets_deinit(&node->on_begin);
        flow_targets_deinit(&node->on_result);
        exec_command_free_all(node->command);
        exec_command_free_all(node->compensation);
        if (node->process)
                flow_process_deinit(node->process);
        free(node->process);
        resource_settings_free(node->resources);
}

static void flow_node_init(FlowNode *node) {
        *node = (FlowNode) {
                .foreach_max = FOREACH_MAX_DEFAULT,
                .retry_delay = FLOW_RETRY_DELAY,
                .retry_max_delay = FLOW_RETRY_MAX_DELAY,
                .retry_window = USEC_INFINITY,
                .again_window = USEC_INFINITY,
                .timeout = USEC_INFINITY,
                .total_timeout = USEC_INFINITY,
        };
        flow_claim_init(&node->claim);
        flow_data_init(&node->data);
}

int flow_node_settings_new(FlowNodeSettings **ret_settings) {
        FlowNodeSettings *settings = calloc(1, sizeof(*settings));

        assert(ret_settings);

        if (!settings)
                return -ENOMEM;
        flow_node_init(&settings->node);
        flow_process_init(&settings->process);
        *ret_settings = settings;
        return 0;
}

FlowNodeSettings *flow_node_settings_free(FlowNodeSettings *settings) {
        if (!settings)
                return NULL;
        flow_node_deinit(&settings->node);
        flow_process_deinit(&settings->process);
        free(settings);
        return NULL;
}

static void flow_policy_deinit(FlowPolicy *policy) {
        free(policy->name);
        exec_command_free_all(policy->command);
}

int flow_policy_new(FlowPolicy **ret_policy) {
        FlowPolicy *policy = calloc(1, sizeof(*policy));

        if (!policy)
                return -ENOMEM;
        policy->timeout = FLOW_POLICY_TIMEOUT;
        *ret_policy = policy;
        return 0;
}

FlowPolicy *flow_policy_free(FlowPolicy *policy) {
        if (!policy)
                return NULL;
        flow_policy_deinit(policy);
        free(policy);
        return NULL;
}

/* A flow has a few. */
const FlowPolicy *flow_policy_find(const FlowSettings *settings, const char *name) {
        for (size_t i = 0; i < settings->policies.n; i++)
                if (strcmp(settings->policies.items[i].name, name) == 0)
                        return &settings->policies.items[i];
        return NULL;
}

int flow_settings_new(FlowSettings **ret_settings) {
        FlowSettings *settings = calloc(1, sizeof(*settings));

        assert(ret_settings);

        if (!settings)
                return -ENOMEM;
        flow_process_init(&settings->process);
        flow_claim_init(&settings->claim);
        settings->max_runs = 1;
        settings->max_queued = 100;
        settings->grow_max = 10000;
        settings->keep_runs = 200;
        settings->notify_max = FLOW_NOTIFY_MAX;
        settings->run_timeout = USEC_INFINITY;
        settings->timeout_stop = 90 * USEC_PER_SEC;
        *ret_settings = settings;
        return 0;
}

/* With the only node, which is of @name. */
static int new_range(const char *name, uint32_t retry, FlowSettings **ret_settings) {
        FlowSettings *settings = NULL;
        FlowNode *node;
        int r = flow_settings_new(&settings);

        if (r == 0)
                r = vector_reserve(&settings->nodes, 1);
        if (r < 0) {
                flow_settings_free(settings);
                return r;
        }
        flow_range_init(&settings->range);
        flow_stream_init(&settings->stream);
        node = &settings->nodes.items[settings->nodes.n++];
        flow_node_init(node);
        node->is_range = true;
        node->retry = retry;
        node->name = strdup(name);
        if (!node->name) {
                flow_settings_free(settings);
                return -ENOMEM;
        }
        *ret_settings = settings;
        return 0;
}

int flow_settings_new_batch(FlowSettings **ret_settings) {
        FlowNode *node;
        int r = new_range(FLOW_RANGE_NODE, FLOW_RANGE_RETRY, ret_settings);

        if (r < 0)
                return r;
        node = (*ret_settings)->nodes.items;
        node->idempotent = true;
        node->recover = FLOW_RECOVER_RETRY;
        return 0;
}

int flow_settings_new_stream(FlowSettings **ret_settings) {
        int r = new_range(FLOW_STREAM_NODE, FLOW_STREAM_RETRY, ret_settings);

        if (r < 0)
                return r;
        (*ret_settings)->is_stream = true;
        (*ret_settings)->nodes.items[0].failure_policy = FLOW_FAILURE_CONTINUE;
        return 0;
}

FlowSettings *flow_settings_free(FlowSettings *settings) {
        if (!settings)
                return NULL;
        flow_process_deinit(&settings->process);
        flow_claim_deinit(&settings->claim);
        resource_settings_free(settings->resources);
        for (size_t i = 0; i < settings->nodes.n; i++)
                flow_node_deinit(&settings->nodes.items[i]);
        vector_deinit(&settings->nodes);
        for (size_t i = 0; i < settings->policies.n; i++)
                flow_policy_deinit(&settings->policies.items[i]);
        vector_deinit(&settings->policies);
        for (size_t i = 0; i < settings->files.n; i++)
                free(settings->files.items[i]);
        vector_deinit(&settings->files);
        run_params_deinit(&settings->params);
        flow_targets_deinit(&settings->on_begin);
        flow_targets_deinit(&settings->on_result);
        flow_targets_deinit(&settings->notify);
        free(settings->text);
        free(settings->nodes_file);
        free(settings->run_name);
        strv_free(settings->allow_submit);
        strv_free(settings->allow_control);
        exec_command_free_all(settings->final);
        flow_range_deinit(&settings->range);
        free(settings);
        return NULL;
}

int flow_settings_keep_file(FlowSettings *settings, const char *file, const char **ret_file) {
        char *copy;

        /* A flow has a main file and a few drop-ins, and mostly asks for the last of them. */
        for (size_t i = settings->files.n; i-- > 0;)
                if (strcmp(settings->files.items[i], file) == 0) {
                        *ret_file = settings->files.items[i];
                        return 0;
                }
        copy = strdup(file);
        if (!copy || vector_push(&settings->files, copy) < 0) {
                free(copy);
                return -ENOMEM;
        }
        *ret_file = copy;
        return 0;
}

bool flow_node_may_be_skipped(const FlowSettings *settings, const FlowNode *node) {
        const FlowSkip skip = node->skip_unneeded != FLOW_SKIP_UNSET ? node->skip_unneeded : settings->skip_unneeded;

        return !node->always && skip != FLOW_SKIP_NO;
}

bool flow_node_has_process(const FlowNode *node) {
        return node->command || node->script;
}

const FlowTargets *flow_node_targets(const FlowSettings *settings, const FlowNode *node, bool is_begin) {
        /* With a process of its own the node has the lines of the flow, too. */
        if (node->process)
                return is_begin ? &node->on_begin : &node->on_result;
        return is_begin ? &settings->on_begin : &settings->on_result;
}

bool flow_node_acts(const FlowNode *node) {
        return flow_node_has_process(node) || node->unit || node->flow;
}

FlowFailure flow_node_failure(const FlowSettings *settings, const FlowNode *node) {
        FlowFailure failure = node->failure_policy;

        if (failure == FLOW_FAILURE_UNSET)
                failure = settings->failure_policy;
        return failure != FLOW_FAILURE_UNSET ? failure : FLOW_FAILURE_END;
}

bool flow_statuses_meet(const ExitStatusSet *a, const ExitStatusSet *b) {
        uint64_t common = 0;

        for (size_t i = 0; i < ELEMENTSOF(a->statuses); i++)
                common |= a->statuses[i] & b->statuses[i];
        for (size_t i = 0; i < ELEMENTSOF(a->signals); i++)
                common |= a->signals[i] & b->signals[i];
        return common != 0;
}

usec_t flow_node_wake(const FlowNode *node, usec_t realtime) {
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        CalendarFault fault;
        usec_t next;

        if (calendar_parse(node->sleep_until, &calendar, &fault) < 0 || calendar_next(calendar, realtime, &next) < 0)
                return 0;
        return next;
}
