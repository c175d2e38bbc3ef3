/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verify: settings of a batch or a stream that have no effect
 */

#include "basic/macro.h"
#include "unitfile/flow_settings.h"
#include "unitfile/verify_private.h"

static void warn(const UnitDraft *draft, const char *setting, const char *message) {
        const char *file = draft->state->sources.fragment;
        const unsigned line = unit_draft_find_setting(draft, setting, &file);

        unit_draft_report(draft, UNIT_FILE_WARNING, file, line, setting, "%s", message);
}

static bool is_set(const UnitDraft *draft, const char *setting) {
        const char *file;

        return unit_draft_find_setting(draft, setting, &file) > 0;
}

/* Each of @settings, which ends with NULL. */
static void warn_if_set(const UnitDraft *draft, const char *const *settings, const char *message) {
        for (; *settings; settings++)
                if (is_set(draft, *settings))
                        warn(draft, *settings, message);
}

static void verify_retry(const UnitDraft *draft, const FlowNode *item, const char *without) {
        static const char *const of_retry[] = {
                "NoRetryExitStatus", "RetryBackoff", "RetryDelaySec", "RetryExitStatus", "RetryJitter",
                "RetryMaxDelaySec", NULL,
        };
        static const char *const of_again[] = { "AgainExitStatus", NULL };

        if (item->retry == 0)
                warn_if_set(draft, of_retry, without);
        else if (item->retry_delay > item->retry_max_delay)
                warn(draft, "RetryDelaySec", "It is longer than RetryMaxDelaySec=, which is the delay then.");
        if (item->again == 0)
                warn_if_set(draft, of_again, "Without AgainSec= it has no effect.");
        if (flow_statuses_meet(&item->retry_exit_status, &item->success_exit_status))
                warn(draft, "RetryExitStatus",
                     "An exit status is in SuccessExitStatus=, too: it is a success, and is not retried.");
}

static void verify_budget(const UnitDraft *draft, const FlowRange *range) {
        static const char *const of_budget[] = { "OnErrorBudget", NULL };

        if (range->max_errors == 0 && range->max_error_percent == 0 && range->max_errors_total == 0)
                warn_if_set(draft, of_budget,
                            "Without MaxErrors=, MaxErrorPercent= or MaxErrorsTotal= it has no effect.");
        if (range->max_errors_total > 0 && range->max_errors_total < range->max_errors)
                warn(draft, "MaxErrors", "It is above MaxErrorsTotal=, which ends the run before.");
}

static void verify_range(const UnitDraft *draft, const FlowRange *range) {
        static const char *const of_rate[] = { "Burst", NULL };
        static const char *const of_prepare[] = { "PrepareTimeoutSec", NULL };

        if (range->rate == 0)
                warn_if_set(draft, of_rate, "Without Rate= it has no effect.");
        if (!range->exec_prepare && !range->items_file && !range->items_command)
                warn_if_set(draft, of_prepare, "Without ExecPrepare=, ItemsFile= or ItemsCommand= it has no effect.");
        if (range->items > 0 && range->parallel > range->items)
                warn(draft, "Parallel", "There are not so many items.");
}

int verify_batch(UnitDraft *draft) {
        const FlowSettings *batch;
        const FlowNode *item;

        if (draft->type != UNIT_BATCH || draft->is_broken)
                return 0;
        batch = draft->section.own;
        item = batch->nodes.items;
        verify_retry(draft, item, "With ItemRetry=0 it has no effect.");
        verify_budget(draft, &batch->range);
        verify_range(draft, &batch->range);
        if (item->timeout != USEC_INFINITY && batch->run_timeout < item->timeout &&
            batch->timeout_mode != FLOW_TIMEOUT_DRAIN)
                warn(draft, "ItemTimeoutSec", "It is longer than RunTimeoutSec=, which ends the run before.");
        verify_runs(draft);
        return 0;
}

void verify_stream(UnitDraft *draft) {
        const FlowSettings *stream;
        const FlowNode *element;

        if (draft->type != UNIT_STREAM || draft->is_broken)
                return;
        stream = draft->section.own;
        element = stream->nodes.items;
        verify_retry(draft, element, "With Retry=0 it has no effect.");
        if (element->recover == FLOW_RECOVER_PENDING && element->idempotent)
                warn(draft, "Idempotent", "With Recover=pending it has no effect.");
        if (is_set(draft, "LinkBatch") && stream->stream.link_batch > stream->stream.max_backlog)
                warn(draft, "LinkBatch", "It is above MaxBacklog=, so that never as many elements wait.");
        verify_runs(draft);
}
