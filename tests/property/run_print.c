/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Cases and what was met in them, for people
 */

#include <inttypes.h>

#include "run_case.h"

/* — definition — */

static void write_rule(const TrialNode *node, FILE *file) {
        fprintf(file, " %s", node->asks_policy ? "policy" : trial_readiness_name(node->readiness));
        if (node->readiness == TRIAL_AT_LEAST)
                fprintf(file, ":%u", node->amount);
        if (node->readiness == TRIAL_AT_LEAST_PERCENT)
                fprintf(file, ":%u%%", node->amount);
        for (unsigned i = 0; i < node->n_parents; i++) {
                fprintf(file, " %u%s", node->parents[i], node->is_marked[i] ? "!" : "");
                if (node->skip_counts[i])
                        fprintf(file, "(a skip counts as %s)",
                                node->skip_counts_as[i] == TRIAL_PARENT_FAILED ? "failure" : "success");
        }
}

/* What not every subject knows. */
static void write_features(const TrialNode *node, FILE *file) {
        static const char *const skips[] = { "", ", SkipUnneeded no", ", SkipUnneeded all" };
        static const char *const outcomes[] = { "", ", When true", ", When false", ", When error" };
        static const char *const ends[] = { "", ", EndRun success", ", EndRun failure" };
        static const char *const actions[_TRIAL_ACTION_MAX] = { "", ", a job", ", a sub-run", ", sleeps", ", sleeps until",
                                                                ", a checkpoint" };

        if (node->again_max_time > 0)
                fprintf(file, ", again for %u s", node->again_max_time);
        if (node->queue_timeout > 0)
                fprintf(file, ", in the queue %u s", node->queue_timeout);
        if (node->default_on != 0)
                fprintf(file, ", Default on%s%s%s",
                        (node->default_on & TRIAL_DEFAULT_ON_FAILURE) != 0 ? " failure" : "",
                        (node->default_on & TRIAL_DEFAULT_ON_TIMEOUT) != 0 ? " timeout" : "",
                        (node->default_on & TRIAL_DEFAULT_ON_SKIP) != 0 ? " skip" : "");
        fputs(actions[node->action], file);
        if (node->action == TRIAL_ACTION_SLEEP || node->action == TRIAL_ACTION_SLEEP_UNTIL)
                fprintf(file, " %u s", node->sleep);
        for (unsigned i = 0; i < TRIAL_LOCKS_MAX; i++)
                if ((node->locks >> i & 1) != 0)
                        fprintf(file, ", lock %u of %u", i, node->slots[i]);
        if (node->need > 0)
                fprintf(file, ", needs %u", node->need);
        if (node->priority > 0 || node->takes_priority)
                fprintf(file, ", priority %u%s", node->priority, node->takes_priority ? " of its run" : "");
        fprintf(file, "%s", node->gives_up_locks ? ", gives locks up" : "");
        if (node->is_foreach)
                fprintf(file, ", Foreach of %u, then %u, %u at a time", node->items[0], node->items[1],
                        node->foreach_parallel);
        if (node->added_in > 0)
                fprintf(file, ", of addition %u", node->added_in);
        fprintf(file, "%s", node->has_callback ? ", Callback" : "");
        fprintf(file, "%s", node->has_undo ? ", Compensate" : "");
        fprintf(file, "%s%s", node->has_gate ? ", Gate" : "", node->lacks_input ? ", lacks an input" : "");
        fprintf(file, "%s%s%s%s%s", node->is_always_needed ? ", Always" : "", skips[node->skip_unneeded],
                outcomes[node->when], node->is_otherwise ? ", Otherwise" : "", ends[node->end_run]);
}

static void write_node(const TrialNode *node, unsigned number, FILE *file) {
        static const char *const policies[] = { "suspend", "continue", "end" };
        static const char *const recovers[] = { "retry", "pending", "fail" };
        static const char *const backoffs[] = { "fixed", "linear", "exponential" };

        fprintf(file, "node %u", number);
        if (node->n_parents > 0)
                write_rule(node, file);
        fprintf(file, "; on failure %s, on loss %s", policies[node->policy], recovers[node->recover]);
        if (node->retry > 0)
                fprintf(file, ", retry %u", node->retry);
        if (node->retry > 0 || node->recover == TRIAL_RECOVER_RETRY)
                fprintf(file, " after %u s %s, at most %u s", node->retry_delay, backoffs[node->backoff],
                        node->retry_max_delay);
        if (node->is_picky)
                fputs(", but not after status 2", file);
        if (node->can_be_pending)
                fputs(", PENDING after status 3", file);
        if (node->again > 0)
                fprintf(file, ", again %u s after status 75, %u times", node->again, node->again_max);
        if (node->timeout > 0)
                fprintf(file, ", timeout %u s", node->timeout);
        if (node->total_timeout > 0)
                fprintf(file, ", in all %u s", node->total_timeout);
        write_features(node, file);
        fputc('\n', file);
}

void trial_write_definition(const TrialDefinition *definition, FILE *file) {
        static const char *const busy[] = { "queue", "reject", "skip", "replace" };
        static const char *const modes[] = { "terminate", "drain", "abandon" };

        fprintf(file, "flow: MaxRuns %u, OnBusy %s, MaxQueued %u, MaxParallel %u", definition->max_runs,
                busy[definition->on_busy], definition->max_queued, definition->max_parallel);
        if (definition->end_kills)
                fputs(", EndMode kill", file);
        if (definition->timeout > 0)
                fprintf(file, ", timeout %u s %s", definition->timeout,
                        modes[definition->timeout_mode]);
        if (definition->queue_timeout > 0)
                fprintf(file, ", in the queue %u s", definition->queue_timeout);
        if (definition->total > 0)
                fprintf(file, ", %u of the resources, runs take %u and a lock of %u", definition->total,
                        definition->run_need, definition->run_slots);
        if (definition->priority > 0)
                fprintf(file, ", priority %u", definition->priority);
        if (trial_n_views(definition) > definition->n_nodes)
                fprintf(file, ", compensates on%s%s, %s, each for %u s", definition->undoes_failure ? " failure" : "",
                        definition->undoes_cancel ? " cancel" : "", definition->has_final ? "FinalExec" : "nothing last",
                        definition->end_timeout);
        fputc('\n', file);
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (!definition->nodes[i].is_item)
                        write_node(&definition->nodes[i], i, file);
                else
                        fprintf(file, "node %u is instance %u of node %u\n", i, definition->nodes[i].item,
                                definition->nodes[i].item_of);
}

/* — events — */

static void write_attempt(const TrialEvent *event, FILE *file) {
        static const char *const ends[_TRIAL_END_MAX] = {
                "",           ", result invalid", ", result too large", ", output missing", ", input missing",
                ", failed",
                ", timed out", ", cancelled",      ", refused",
        };

        fprintf(file, " run %u node %u generation %u attempt %u", event->run, event->node, event->generation,
                event->number);
        if (event->kind == TRIAL_EXITED)
                fprintf(file, " status %u%s", event->status, ends[event->end]);
        if (event->kind == TRIAL_STARTED)
                fprintf(file, " at %" PRIu64, event->at);
}

void trial_write_event(const TrialEvent *event, FILE *file) {
        static const char *const resolutions[] = { "success", "failed", "retry", "skip" };
        static const char *const answers[_TRIAL_ANSWER_MAX] = { "READY", "WAIT", "NEVER", "FAIL", "PENDING" };

        fputs(trial_event_name(event->kind), file);
        switch (event->kind) {
        case TRIAL_STARTED:
        case TRIAL_EXITED:
        case TRIAL_LOST:
        case TRIAL_INTERRUPTED:
                write_attempt(event, file);
                break;
        case TRIAL_SUB_WAITS:
                write_attempt(event, file);
                fputs(event->waits ? " for a person" : " no more", file);
                break;
        case TRIAL_TIME:
                fprintf(file, " %" PRIu64, event->at);
                break;
        case TRIAL_ACCEPTED:
        case TRIAL_DURABLE:
                fprintf(file, " up to turn %u", event->turn);
                break;
        case TRIAL_ANSWERED:
                fprintf(file, " run %u node %u generation %u: %s", event->run, event->node, event->generation,
                        answers[event->answer]);
                break;
        case TRIAL_RESTART:
                fprintf(file, " as after turn %u", event->turn);
                if (event->is_other_boot)
                        fprintf(file, ", in another boot, at %" PRIu64, event->at);
                break;
        case TRIAL_SUBMIT:
                fprintf(file, " request %u, as run %u", event->key, event->run);
                if (event->priority > 0)
                        fprintf(file, ", priority %u", event->priority);
                break;
        case TRIAL_PAUSE:
        case TRIAL_RESUME:
        case TRIAL_STOP:
        case TRIAL_CANCEL:
        case TRIAL_COMPENSATE:
                fprintf(file, " run %u", event->run);
                break;
        case TRIAL_RETRY:
        case TRIAL_RERUN:
        case TRIAL_SKIP:
        case TRIAL_UNLOCK:
        case TRIAL_ADD:
        case TRIAL_APPROVE:
        case TRIAL_REJECT:
                fprintf(file, " run %u node %u", event->run, event->node);
                break;
        case TRIAL_COMPLETE:
                fprintf(file, " run %u node %u generation %u as %s", event->run, event->node, event->generation,
                        resolutions[event->resolution]);
                break;
        case TRIAL_RESOLVE:
                fprintf(file, " run %u node %u as %s", event->run, event->node, resolutions[event->resolution]);
                break;
        case TRIAL_UNIT_ACTIVE:
        case TRIAL_UNIT_STOP:
                fprintf(file, " by %s", event->by_person ? "a person" : "the system");
                break;
        case TRIAL_UNIT_FAILED:
        case TRIAL_UNIT_CANCELLED:
        case TRIAL_UNIT_INACTIVE:
        case TRIAL_TURN:
        case _TRIAL_EVENT_MAX:
                break;
        }
        fputc('\n', file);
}

/* — statistics — */

static void print_count(const char *name, const char *reason, uint64_t n) {
        if (n > 0)
                printf("  %s%-*s %12" PRIu64 "\n", name, 34 - (int) __builtin_strlen(name), reason, n);
        else
                printf("  %s%-*s            -\n", name, 34 - (int) __builtin_strlen(name), reason);
}

/* States that never occur for a reason are left out; a state that never occurs is not. */
static void print_state(const char *name, const uint64_t *by_reason) {
        uint64_t all = 0;

        for (TrialReason reason = 0; reason < _TRIAL_REASON_MAX; reason++) {
                all += by_reason[reason];
                if (by_reason[reason] > 0)
                        print_count(name, trial_reason_name(reason), by_reason[reason]);
        }
        if (all == 0)
                print_count(name, "", 0);
}

void trial_print_statistics(const TrialStatistics *statistics) {
        printf("\n%" PRIu64 " cases\n\nevents, and how many were refused\n", statistics->cases);
        for (TrialEventKind kind = 0; kind < _TRIAL_EVENT_MAX; kind++)
                printf("  %-20s %12" PRIu64 " %12" PRIu64 "\n", trial_event_name(kind), statistics->events[kind],
                       statistics->refused[kind]);
        puts("\nruns, at the end of turns");
        for (TrialRunState state = 0; state < _TRIAL_RUN_STATE_MAX; state++)
                print_state(trial_run_state_name(state), statistics->runs[state]);
        puts("\nnodes, at the end of turns");
        for (TrialNodeState state = 0; state < _TRIAL_NODE_STATE_MAX; state++)
                print_state(trial_node_state_name(state), statistics->nodes[state]);
        puts("\nnodes by readiness");
        for (TrialReadiness readiness = 0; readiness < _TRIAL_READINESS_MAX; readiness++)
                print_count(trial_readiness_name(readiness), "", statistics->readiness[readiness]);
        print_count("killed as unknown", "", statistics->killed);
}
