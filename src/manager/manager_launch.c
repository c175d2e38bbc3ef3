/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Launches of batches
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/random.h"
#include "basic/text.h"
#include "flow/flow_spec.h"
#include "manager/manager_attempt.h"
#include "manager/manager_launch.h"
#include "manager/manager_launch_cursor.h"
#include "manager/manager_launch_mend.h"
#include "manager/manager_launch_pool.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_private.h"
#include "unitfile/flow_range.h"

#define AGAIN_TIME (100 * USEC_PER_MSEC) /* after which what needs memory is tried again */
#define ITEMS_A_STEP 256U /* issued in a turn at most */
#define ERRORS_BYTES ((size_t) 256 * 1024) /* of errors that the store does not have yet, in each record */
#define PREPARE MANAGER_ITEM_PREPARE

/* All that a step is about. */
typedef struct Step {
        ManagerRuns *runs;
        ManagerRun *run;
        const RunAttemptKey *key; /* of the launch */
        ManagerLaunch *launch;
        const FlowSettings *flow;
        RunRow row;
} Step;

static const FlowRange *settings_of(const ManagerRun *run) {
        return &flow_definition_settings(run->definition)->range;
}

/* Another turn of runs follows. */
static void note_news(ManagerRuns *runs) {
        manager_run_note_work(runs);
        manager_turn_wake(runs->host.attempts.turn);
}

static RunAttemptKey item_key(const RunAttemptKey *key, const ManagerLaunch *launch, uint32_t number) {
        return (RunAttemptKey) { key->run, key->node, MANAGER_ITEM_GENERATION | launch->number, number };
}

/* The turn may have begun long ago. */
static usec_t clock_of_runs(void) {
        return usec_add(clock_boottime(), MANAGER_RUN_BOOT);
}

/* — the range — */

/* Equal bytes are written until it changes again, although time goes on. */
static void note_change(ManagerLaunch *launch, usec_t now) {
        launch->has_changed = true;
        launch->changed_at = now;
}

/* The range as core had it, or else as the store has it, or else a new one. */
static int make_range(const Step *step) {
        const RunPageSource source = manager_launch_source(step->run);
        ManagerLaunch *launch = step->launch;
        RunRangeSettings settings;
        int r;

        if (!launch->saved && step->run->facts.cursor)
                return manager_launch_open_cursor(step->runs, step->run, launch);
        r = manager_launch_describe(step->runs, step->run, &settings);
        if (r < 0)
                return r;
        if (launch->saved)
                return manager_launch_restore(&settings, source, launch->saved, launch->n_saved, launch->changed_at,
                                              launch);
        if (settings.is_open && !launch->pages)
                r = run_pages_new(source, 0, "", &launch->pages);
        return r < 0 ? r : run_range_new(&settings, &launch->range);
}

/* Items that an earlier core has issued, and that have not come back. */
static void claim(void *userdata, const RunAttemptKey *key, uint64_t item) {
        const Step *step = userdata;

        /* Nobody has what it has printed. */
        if (key->number == MANAGER_ITEM_PAGE)
                step->launch->is_page_out = true;
        if (key->number == MANAGER_ITEM_PAGE ||
            (key->number != PREPARE && run_range_claim(step->launch->range, item) < 0))
                manager_attempts_end(step->runs->attempts, key);
}

static void abandon(void *userdata, const RunAttemptKey *key, uint64_t item) {
        manager_attempts_abandon(((ManagerRuns *) userdata)->attempts, key);
}

static void interrupt(void *userdata, const RunAttemptKey *key, uint64_t item) {
        manager_attempts_end(((const Step *) userdata)->runs->attempts, key);
}

static void fail(const Step *step, const char *problem) {
        log_write(LOG_LEVEL_ERROR, step->run->flow->unit->id, "Run %" PRIu32 ": %s", step->run->id, problem);
        step->launch->has_end = true;
        step->launch->kind = RUN_END_FAILED;
        manager_attempts_visit_items(step->runs->attempts, step->run->id, interrupt, (void *) step);
}

/* The launch has its range, and a number. */
static int make_pool(const Step *step) {
        if (step->flow->range.item_mode != FLOW_ITEM_POOL)
                return 0;
        return manager_launch_pool_new(step->runs, step->key, step->launch);
}

static bool cannot_begin(const Step *step, int r) {
        if (r == -EINVAL || r == -EBADMSG)
                fail(step, "The items that are over cannot be read: the batch cannot go on where it was.");
        else
                step->runs->look_at = MIN(step->runs->look_at, usec_add(step->runs->now, AGAIN_TIME));
        return false;
}

/* False: there is no range yet. */
static bool begin(const Step *step) {
        ManagerLaunch *launch = step->launch;
        const bool is_known = launch->number > 0;
        RunRangeCounts counts;
        int r;

        if (launch->range)
                return true;
        r = make_range(step);
        if (r < 0)
                return cannot_begin(step, r);
        if (!is_known)
                launch->number = step->run->facts.n_launches + 1;
        r = make_pool(step);
        if (r < 0) {
                manager_launch_drop_range(launch);
                launch->number = is_known ? launch->number : 0;
                return cannot_begin(step, r);
        }
        free(take_ptr(launch->saved));
        run_range_count(launch->range, &counts);
        /* A launch that drains was about to end. */
        if (is_known && counts.is_drained && launch->paused_at == 0)
                launch->paused_at = step->runs->now;
        note_change(step->launch, step->runs->now);
        launch->checkpoint_at = usec_add(step->runs->now, step->flow->range.sync);
        if (is_known) {
                /* The store may not have heard of it. */
                step->run->facts.n_launches = MAX(step->run->facts.n_launches, launch->number);
                if (!launch->pool)
                        manager_attempts_visit_items(step->runs->attempts, step->run->id, claim, (void *) step);
                if (manager_item_errors_has_new(&launch->errors))
                        (void) manager_launch_put_cursor(step->runs, step->run, launch);
                return true;
        }
        step->run->facts.n_launches = launch->number;
        run_range_launch(launch->range, step->runs->now);
        return true;
}

/* — checkpoints — */

static int put_checkpoint(const Step *step) {
        RunRangeCounts counts;

        run_range_count(step->launch->range, &counts);
        if (step->launch->pages && run_pages_drop(step->launch->pages, counts.base))
                note_change(step->launch, step->runs->now);
        return manager_launch_put_cursor(step->runs, step->run, step->launch);
}

/* For a checkpoint. */
static bool has_news(const ManagerLaunch *launch, const RunRangeCounts *counts) {
        return counts->over != launch->n_over || manager_item_errors_has_new(&launch->errors);
}

/* Each SyncSec= or SyncItems=, soon after an error, and at the end. */
static void keep_checkpoint(const Step *step, bool is_last) {
        const FlowRange *range = &step->flow->range;
        ManagerLaunch *launch = step->launch;
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        if (!is_last && launch->checkpoint_at > step->runs->now && counts.over - launch->n_over < range->sync_items)
                return;
        launch->checkpoint_at = usec_add(step->runs->now, range->sync);
        if (!has_news(launch, &counts) && !is_last)
                return;
        launch->put_at = step->runs->now;
        if (put_checkpoint(step) == 0)
                launch->n_over = counts.over;
        /* Answers of workers are recorded with it, and not one by one. */
        if (launch->pool)
                note_change(launch, step->runs->now);
        note_news(step->runs);
}

/* — steps — */

static int begin_attempt(const Step *step, uint32_t number, const ManagerAttemptItem *item) {
        const RunAttemptKey key = item_key(step->key, step->launch, number);

        return manager_attempts_begin_item(step->runs->attempts, &key, item, step->run->flow->unit,
                                           step->run->definition, step->run->graph);
}

static int look(ManagerRuns *runs, const RunAttemptKey *key, ManagerLaunch *launch, Step *ret_step) {
        ManagerRun *run = manager_run_find(runs, key->run);

        if (!run)
                return -ENOENT;
        *ret_step = (Step) {
                .runs = runs,
                .run = run,
                .key = key,
                .launch = launch,
                .flow = flow_definition_settings(run->definition),
        };
        return run_engine_get_row(runs->engine, run->id, &ret_step->row);
}

/* The stage may be recorded, and the state of the run not. */
static void tell_stage(const Step *step) {
        const ManagerLaunchStage stage = step->launch->stage;

        if (stage == MANAGER_LAUNCH_NEW)
                return;
        if (run_engine_awaits(step->runs->engine, step->key,
                              stage == MANAGER_LAUNCH_PREPARE || stage == MANAGER_LAUNCH_AWAIT) > 0)
                note_news(step->runs);
}

static void wait_for_owner(const Step *step) {
        step->launch->stage = step->flow->range.manual_start ? MANAGER_LAUNCH_AWAIT : MANAGER_LAUNCH_ISSUE;
        note_change(step->launch, step->runs->now);
        tell_stage(step);
}

static void prepare(const Step *step) {
        if (!step->flow->range.exec_prepare) {
                wait_for_owner(step);
                return;
        }
        step->launch->stage = MANAGER_LAUNCH_PREPARE;
        if (begin_attempt(step, PREPARE, &(ManagerAttemptItem) {}) < 0) {
                step->launch->stage = MANAGER_LAUNCH_NEW;
                step->runs->look_at = MIN(step->runs->look_at, usec_add(step->runs->now, AGAIN_TIME));
                return;
        }
        note_change(step->launch, step->runs->now);
        tell_stage(step);
}

/* — items that are read — */

/* The run is paused, since nobody knows what the next items are. */
static void refuse_items(const Step *step, const char *problem) {
        const FlowRange *range = &step->flow->range;

        if (run_engine_pause(step->runs->engine, step->key, RUN_REASON_ITEMS) > 0)
                log_write(LOG_LEVEL_WARNING, step->run->flow->unit->id,
                          "Run %" PRIu32 " is paused, since its items cannot be read: %s=%s: %s. 'jobctl batch resume "
                          "%" PRIu32 "' reads them again.", step->run->id,
                          range->items_command ? "ItemsCommand" : "ItemsFile",
                          range->items_command ? "" : range->items_file, problem, step->run->id);
}

/* All items that are known have their texts: after a restart pages are read again. */
static bool has_texts(const ManagerLaunch *launch, const RunRangeCounts *counts) {
        return !launch->pages || run_pages_next(launch->pages) >= counts->n;
}

static void read_page(const Step *step) {
        ManagerLaunch *launch = step->launch;
        RunRangeCounts counts;

        if (!launch->pages || launch->is_page_out || run_pages_has_end(launch->pages))
                return;
        run_range_count(launch->range, &counts);
        if (run_pages_drop(launch->pages, counts.base))
                note_change(launch, step->runs->now);
        if (has_texts(launch, &counts) && (!counts.is_open || counts.n - counts.next >= counts.window))
                return;
        if (begin_attempt(step, MANAGER_ITEM_PAGE,
                          &(ManagerAttemptItem) { .number = run_pages_next(launch->pages),
                                                  .text = run_pages_cursor(launch->pages) }) == 0)
                launch->is_page_out = true;
        else
                step->runs->look_at = MIN(step->runs->look_at, usec_add(step->runs->now, AGAIN_TIME));
}

/* Reads the output of a command, which the caller owns then. 0 or -errno. */
static int read_output(int fd, char **ret_bytes, size_t *ret_n) {
        off_t end = lseek(fd, 0, SEEK_CUR);
        cleanup_free_ char *bytes = malloc(RUN_PAGE_BYTES_MAX);
        ssize_t n;

        if (!bytes)
                return -ENOMEM;
        n = end < 0 ? -1 : pread(fd, bytes, RUN_PAGE_BYTES_MAX, 0);
        if (n < 0)
                return -errno;
        /* A command that has opened it once more has a place of its own. */
        for (*ret_n = (size_t) end; *ret_n == 0 && n > 0 && bytes[n - 1] == '\0';)
                n--;
        *ret_n = end > 0 ? (size_t) end : (size_t) n;
        *ret_bytes = take_ptr(bytes);
        return 0;
}

static int take_page(const Step *step, const RunAttemptKey *key, char **ret_problem) {
        const int fd = manager_attempts_get_output(step->runs->attempts, key);
        ManagerLaunch *launch = step->launch;
        cleanup_free_ char *bytes = NULL;
        RunRangeCounts counts;
        size_t n = 0;
        uint64_t next;
        int r;

        run_range_count(launch->range, &counts);
        r = fd < 0 ? -ESTALE : read_output(fd, &bytes, &n);
        if (r == 0)
                r = run_pages_add(launch->pages, bytes, n, ret_problem);
        if (r < 0)
                return r;
        next = run_pages_next(launch->pages);
        if (run_pages_has_end(launch->pages) && next < counts.n)
                return text_format(ret_problem, "there are %" PRIu64 " items now, and were %" PRIu64 " before", next,
                                   counts.n) < 0 ? -ENOMEM : -EBADMSG;
        if (counts.is_open)
                (void) run_range_extend(launch->range, next > counts.n ? next - counts.n : 0,
                                        run_pages_has_end(launch->pages));
        return 0;
}

static void end_page(const Step *step, const RunAttemptKey *key, RunEndKind kind, uint16_t end) {
        ManagerAttemptFacts facts = {};
        cleanup_free_ char *problem = NULL;
        bool is_told = false;
        uint64_t first;
        uint32_t tries;
        int r;

        step->launch->is_page_out = false;
        note_change(step->launch, step->runs->now);
        (void) manager_attempts_get_item(step->runs->attempts, key, &first, &tries, &is_told);
        if (is_told || kind == RUN_END_INTERRUPTED || kind == RUN_END_CANCELLED || kind == RUN_END_LOST)
                return;
        (void) manager_attempts_get(step->runs->attempts, key, &facts);
        if (kind == RUN_END_EXITED && end == 0)
                r = take_page(step, key, &problem);
        else
                r = text_format(&problem, kind == RUN_END_TIMEOUT ? "it has not ended in PrepareTimeoutSec="
                                          : facts.exit >= 0       ? "it has failed with exit status %i"
                                          : facts.signal >= 0     ? "it was ended by signal %i"
                                                                  : "it has failed",
                                facts.exit >= 0 ? facts.exit : facts.signal) < 0 ? -ENOMEM : -EBADMSG;
        if (r == -EBADMSG)
                refuse_items(step, problem ?: "what was read is none");
        else if (r < 0)
                step->runs->look_at = MIN(step->runs->look_at, usec_add(step->runs->now, AGAIN_TIME));
}

static bool is_store_behind(const ManagerRuns *runs, const ManagerLaunch *launch) {
        return manager_run_link_bytes(runs->link) > MANAGER_RUN_BYTES_TIGHT ||
               manager_item_errors_bytes(&launch->errors) > ERRORS_BYTES;
}

static void issue(const Step *step) {
        /* The store is behind: what runs may end, and no more begins. */
        bool is_held = is_store_behind(step->runs, step->launch);
        ManagerLaunch *launch = step->launch;
        RunRangeIssue result = RUN_RANGE_ISSUED;
        RunRangeCounts counts;
        RunRangeItem item;

        run_range_count(launch->range, &counts);
        is_held |= !has_texts(launch, &counts);
        if (launch->pool)
                manager_launch_pool_issue(launch->pool, !is_held);
        if (launch->pool || is_held)
                return;
        for (uint32_t i = 0; i < ITEMS_A_STEP && result == RUN_RANGE_ISSUED; i++) {
                result = run_range_issue(launch->range, step->runs->now, &item);
                if (result != RUN_RANGE_ISSUED)
                        break;
                note_change(step->launch, step->runs->now);
                launch->n_issued = launch->n_issued == MANAGER_ITEM_PAGE - 1 ? 1 : launch->n_issued + 1;
                if (begin_attempt(step, launch->n_issued,
                                  &(ManagerAttemptItem) { .number = item.index,
                                                          .tries = item.tries,
                                                          .text = manager_launch_text(launch, item.index) }) == 0)
                        continue;
                (void) run_range_end(launch->range, item.index, RUN_RANGE_RETURNED, step->runs->now, 0, 0);
                step->runs->look_at = MIN(step->runs->look_at, usec_add(step->runs->now, AGAIN_TIME));
                return;
        }
        if (result == RUN_RANGE_ISSUED)
                note_news(step->runs);
}

/* Errors that are about to be issued again do not count in the budget of the whole run. */
static RunRangeBudget budget_of(const ManagerLaunch *launch) {
        const RunRangeBudget budget = run_range_budget(launch->range);

        return budget == RUN_RANGE_SPENT_TOTAL && manager_mend_has_more(&launch->mend)
                       ? run_range_launch_budget(launch->range)
                       : budget;
}

/* Items that are out are ended, too: the launch is to end, its pause has lasted too long, or OnErrorBudget= says so. */
static bool kills(const Step *step, bool ends) {
        const FlowRange *range = &step->flow->range;
        const ManagerLaunch *launch = step->launch;
        const bool is_spent = budget_of(launch) != RUN_RANGE_WITHIN;

        return ends || launch->stage != MANAGER_LAUNCH_ISSUE ||
               usec_add(launch->paused_at, range->pause_timeout) <= step->runs->now ||
               (range->on_error_budget == FLOW_ERROR_BUDGET_KILL && is_spent);
}

/* Nothing more is issued. The launch ends when nothing is out. */
static void drain(const Step *step, bool ends) {
        ManagerLaunch *launch = step->launch;

        if (launch->paused_at == 0) {
                launch->paused_at = step->runs->now;
                run_range_drain(launch->range);
                note_change(launch, step->runs->now);
        }
        if (launch->is_page_out) {
                const RunAttemptKey page = item_key(step->key, launch, MANAGER_ITEM_PAGE);

                manager_attempts_end(step->runs->attempts, &page);
        }
        if (!launch->is_told_to_end && kills(step, ends)) {
                launch->is_told_to_end = true;
                manager_attempts_visit_items(step->runs->attempts, step->run->id, interrupt, (void *) step);
        }
        if (launch->pool)
                manager_launch_pool_drain(launch->pool);
        if (manager_attempts_count_items(step->runs->attempts, step->run->id) > 0)
                return;
        launch->has_end = true;
        launch->kind = launch->is_failed ? RUN_END_FAILED : RUN_END_INTERRUPTED;
        keep_checkpoint(step, true);
}

static void end_well(const Step *step) {
        RunRangeCounts counts;

        run_range_count(step->launch->range, &counts);
        step->launch->has_end = true;
        step->launch->kind = step->launch->is_failed ? RUN_END_FAILED
                             : counts.errors > 0     ? RUN_END_WITH_ERRORS
                                                     : RUN_END_EXITED;
        keep_checkpoint(step, true);
}

static void judge_budget(const Step *step) {
        ManagerLaunch *launch = step->launch;
        const RunRangeBudget budget = budget_of(launch);
        RunRangeCounts counts;

        if (budget == RUN_RANGE_WITHIN || launch->is_failed || launch->paused_at > 0)
                return;
        run_range_count(launch->range, &counts);
        if (budget == RUN_RANGE_SPENT_TOTAL) {
                launch->is_failed = true;
                note_change(step->launch, step->runs->now);
                log_write(LOG_LEVEL_ERROR, step->run->flow->unit->id,
                          "Run %" PRIu32 ": %" PRIu64 " items are errors, which is more than MaxErrorsTotal= allows.",
                          step->run->id, counts.errors);
        } else if (run_engine_pause(step->runs->engine, step->key, RUN_REASON_ERROR_BUDGET) > 0)
                log_write(LOG_LEVEL_WARNING, step->run->flow->unit->id,
                          "Run %" PRIu32 " is paused: %" PRIu64 " items of this launch are errors, which is more than "
                          "MaxErrors= or MaxErrorPercent= allows. 'jobctl batch resume %" PRIu32 "' makes another.",
                          step->run->id, counts.launch_errors, step->run->id);
}

static bool is_to_drain(const Step *step, bool ends) {
        return ends || step->launch->is_failed || step->launch->paused_at > 0 ||
               (step->row.state != RUN_RUNNING && step->row.state != RUN_AWAITING);
}

/* All items are over, and workers, if there are any, have ended. */
static bool is_over(const Step *step) {
        const ManagerLaunch *launch = step->launch;
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        if ((launch->stage != MANAGER_LAUNCH_ISSUE && launch->stage != MANAGER_LAUNCH_NEW) || !counts.is_over ||
            manager_mend_has_more(&launch->mend) || launch->is_page_out)
                return false;
        if (!launch->pool)
                return true;
        manager_launch_pool_drain(launch->pool);
        return manager_attempts_count_items(step->runs->attempts, step->run->id) == 0;
}

static void go_on(const Step *step, bool ends) {
        ManagerLaunch *launch = step->launch;
        RunRangeCounts counts;

        if (is_over(step))
                end_well(step);
        else if (is_to_drain(step, ends))
                drain(step, ends);
        else if (launch->stage == MANAGER_LAUNCH_NEW)
                prepare(step);
        if (launch->has_end)
                return;
        if (launch->stage == MANAGER_LAUNCH_ISSUE && !is_to_drain(step, ends)) {
                manager_launch_mend(step->runs, step->run, launch);
                read_page(step);
                run_range_count(launch->range, &counts);
                if (!counts.is_over)
                        issue(step);
        }
        keep_checkpoint(step, false);
}

void manager_launch_abandon(void *userdata, const RunAttemptKey *key) {
        ManagerRuns *runs = userdata;
        ManagerLaunch *launch = manager_attempts_get_launch(runs->attempts, key);
        Step step;

        /* Workers go on, and nobody speaks to them any more: their descriptors are the attempts'. */
        if (launch) {
                launch->workers = manager_workers_free(launch->workers);
                launch->pool = NULL;
                manager_launch_drop_kept(launch);
        }
        manager_attempts_visit_items(runs->attempts, key->run, abandon, runs);
        if (!launch || !launch->range || look(runs, key, launch, &step) < 0 || put_checkpoint(&step) < 0)
                return;
        step.run->facts.n_running = 0;
        note_news(runs);
}

void manager_launch_give_cursor(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key) {
        ManagerLaunch *launch = manager_attempts_get_launch(runs->attempts, key);
        ManagerRunFacts *facts = &run->facts;
        uint8_t *cursor;
        RunAttemptKey of;
        Step step;

        if (!launch || !launch->saved || manager_attempts_find_launch(runs->attempts, run->id, &of) ||
            look(runs, key, launch, &step) < 0)
                return;
        /* The launch keeps its own: it may have to be recorded again. */
        cursor = malloc(launch->n_saved);
        if (!cursor)
                return;
        memcpy(cursor, launch->saved, launch->n_saved);
        free(facts->cursor);
        facts->cursor = cursor;
        facts->n_cursor = launch->n_saved;
        facts->n_launches = MAX(facts->n_launches, launch->number);
        manager_launch_count_saved(runs, run);
        manager_launch_give_errors(runs, run);
}

void manager_launch_step(void *userdata, const RunAttemptKey *key, ManagerLaunch *launch, bool ends) {
        Step step;

        if (look(userdata, key, launch, &step) < 0)
                return;
        if (manager_stream_is_of(step.run)) {
                manager_stream_step_launch(step.runs, step.run, key, launch, ends);
                return;
        }
        if (!begin(&step))
                return;
        tell_stage(&step);
        judge_budget(&step);
        if (run_engine_get_row(step.runs->engine, step.run->id, &step.row) == 0)
                go_on(&step, ends);
}

/* — ends of items — */

/* Without the section, which was there when the launch began, all failures are equal. */
static void find_policy(const Step *step, RunPolicy *ret_policy) {
        FlowCommand command;

        *ret_policy = (RunPolicy) {};
        if (manager_run_open_command(step->run, step->key->node, &command) < 0)
                return;
        flow_spec_item_policy(command.node, ret_policy);
        flow_command_close(&command);
}

static void end_prepare(const Step *step, RunEndKind kind, uint16_t end) {
        if (step->launch->stage != MANAGER_LAUNCH_PREPARE)
                return;
        if (kind == RUN_END_EXITED && end == 0) {
                wait_for_owner(step);
                return;
        }
        if (run_engine_pause(step->runs->engine, step->key, RUN_REASON_PREPARE) > 0)
                log_write(LOG_LEVEL_WARNING, step->run->flow->unit->id,
                          "Run %" PRIu32 " is paused: its command ExecPrepare= has failed.", step->run->id);
}

static void end_item(const Step *step, const RunAttemptKey *key, RunEndKind kind, uint16_t end) {
        RunPolicy policy;
        ManagerAttemptFacts facts = { .again = USEC_INFINITY };
        uint32_t chance = 0;
        bool is_told;
        uint64_t item;
        uint32_t tries;
        RunRangeFate fate;

        if (manager_attempts_get_item(step->runs->attempts, key, &item, &tries, &is_told) < 0)
                return;
        /* One that has ended while no core was there is not claimed with the others. */
        (void) run_range_claim(step->launch->range, item);
        (void) manager_attempts_get(step->runs->attempts, key, &facts);
        (void) random_bytes(&chance, sizeof(chance));
        find_policy(step, &policy);
        fate = run_range_end(step->launch->range, item, flow_spec_item_end(&policy, kind, end, is_told),
                             clock_of_runs(), facts.again == USEC_INFINITY ? policy.again : facts.again, chance);
        if (fate == RUN_RANGE_ERROR || fate == RUN_RANGE_POISON || fate == RUN_RANGE_MENDED)
                manager_launch_note_error(step->runs, step->launch,
                                          &(ManagerItemError) {
                                                  .item = item,
                                                  .tries = tries + 1,
                                                  .exit = facts.exit,
                                                  .signal = facts.signal,
                                                  .is_mended = fate == RUN_RANGE_MENDED,
                                                  .is_poison = fate == RUN_RANGE_POISON,
                                          },
                                          facts.problem, manager_attempts_get_text(step->runs->attempts, key));
        if (fate != RUN_RANGE_RETRIES && fate != RUN_RANGE_STRANGE)
                manager_launch_drop_text(step->launch, item);
        note_change(step->launch, step->runs->now);
}

static void end_worker(const Step *step, const RunAttemptKey *key) {
        uint64_t item;
        uint32_t tries;
        bool is_told;

        /* Without a pool it is one of an earlier core, which is ended before there is one. */
        if (step->launch->pool &&
            manager_attempts_get_item(step->runs->attempts, key, &item, &tries, &is_told) == 0)
                manager_launch_pool_note_gone(step->launch->pool, key->number, is_told);
}

void manager_launch_connect(ManagerRuns *runs, const RunAttemptKey *key, int fd) {
        RunAttemptKey of;
        const ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, key->run, &of);

        note_news(runs);
        if (launch && launch->pool && key->generation == (MANAGER_ITEM_GENERATION | launch->number))
                manager_launch_pool_connect(launch->pool, key->number, fd);
}

void manager_launch_note_end(ManagerRuns *runs, const RunAttemptKey *key, RunEndKind kind, uint16_t end) {
        RunAttemptKey of;
        ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, key->run, &of);
        Step step;

        runs->has_work = runs->host.attempts.turn->has_news = true;
        if (!launch || look(runs, &of, launch, &step) < 0 || !begin(&step) ||
            key->generation != (MANAGER_ITEM_GENERATION | launch->number))
                return;
        if (key->number == PREPARE)
                end_prepare(&step, kind, end);
        else if (key->number == MANAGER_ITEM_PAGE)
                end_page(&step, key, kind, end);
        else if (step.flow->range.item_mode == FLOW_ITEM_POOL)
                end_worker(&step, key);
        else
                end_item(&step, key, kind, end);
}

/* — what can be asked and told — */

/* While the store is behind, its answer is what comes next. */
static usec_t due_of(const ManagerRuns *runs, const ManagerLaunch *launch) {
        /* A pool is asked in any case: it has to know when it is looked at next. */
        const usec_t due = launch->pool ? manager_launch_pool_due(launch->pool)
                                        : run_range_due(launch->range, runs->now);
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        if (is_store_behind(runs, launch))
                return manager_item_errors_has_new(&launch->errors) ? launch->checkpoint_at : USEC_INFINITY;
        return MIN(has_news(launch, &counts) ? launch->checkpoint_at : USEC_INFINITY,
                   has_texts(launch, &counts) ? due : USEC_INFINITY);
}

usec_t manager_launches_due(const ManagerRuns *runs) {
        usec_t due = USEC_INFINITY;

        for (const ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (const ManagerRun *run = flow->first; run; run = run->next) {
                        RunAttemptKey key;
                        const ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, run->id, &key);

                        if (!launch || !launch->range || launch->has_end)
                                continue;
                        if (launch->stage == MANAGER_LAUNCH_ISSUE)
                                due = MIN(due, due_of(runs, launch));
                        if (launch->paused_at > 0 && !launch->is_told_to_end)
                                due = MIN(due, usec_add(launch->paused_at, settings_of(run)->pause_timeout));
                }
        return due;
}

int manager_launch_proceed(ManagerRuns *runs, uint32_t run) {
        RunAttemptKey key;
        ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, run, &key);

        if (!launch || launch->stage != MANAGER_LAUNCH_AWAIT ||
            run_engine_awaits(runs->engine, &key, false) <= 0)
                return -EINVAL;
        launch->stage = MANAGER_LAUNCH_ISSUE;
        note_change(launch, runs->now);
        return 0;
}

static const char *explain_issue(const RunRangeCounts *counts, const ManagerLaunch *launch, usec_t now) {
        const RunRange *range = launch->range;

        if (counts->out == counts->slots)
                return "as many are out as Parallel= allows";
        if (!has_texts(launch, counts) || (launch->is_page_out && counts->next >= counts->n))
                return "the next items are read";
        if (manager_mend_has_more(&launch->mend) && counts->waiting == 0)
                return "the store is asked which of them are errors, to be issued again";
        if (counts->next >= counts->n && counts->out > 0)
                return "all of them are issued";
        return run_range_due(range, now) > now ? "the next is issued by Rate=, or by the delay of another try"
                                               : "the next is about to be issued";
}

static void explain_wait(const ManagerRuns *runs, uint32_t run, const ManagerLaunch *launch, Text *text) {
        const char *words;
        RunRangeCounts counts;

        if (!launch->range)
                text_add(text, "its items are about to be issued");
        else if (launch->stage == MANAGER_LAUNCH_PREPARE)
                text_add(text, "its command ExecPrepare= runs");
        else if (launch->stage == MANAGER_LAUNCH_AWAIT)
                text_addf(text, "its owner has to go on with it: 'jobctl batch proceed %" PRIu32 "'", run);
        else if (launch->paused_at > 0)
                text_add(text, "no more are issued, and it pauses when what is out has come back");
        else {
                run_range_count(launch->range, &counts);
                words = launch->pool && counts.out < counts.slots && has_texts(launch, &counts) &&
                                        (counts.next < counts.n || counts.waiting > 0)
                                ? manager_launch_pool_explain_wait(launch->pool)
                                : NULL;
                text_add(text, words ?: explain_issue(&counts, launch, runs->now));
        }
}

void manager_launch_explain_wait(const ManagerRuns *runs, uint32_t run, Text *text) {
        RunAttemptKey key;
        const ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, run, &key);

        if (launch)
                explain_wait(runs, run, launch, text);
}

void manager_launch_explain(const ManagerRuns *runs, uint32_t run, Text *text) {
        RunRangeCounts counts;
        RunAttemptKey key;
        const ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, run, &key);

        if (!launch) {
                text_add(text, "its items are about to be issued");
                return;
        }
        if (launch->range && launch->stage == MANAGER_LAUNCH_ISSUE) {
                run_range_count(launch->range, &counts);
                text_addf(text,
                          "%" PRIu64 " of %" PRIu64 " items %sare over, %" PRIu64 " of them as errors, %" PRIu32
                          " are out", counts.over, counts.n, counts.is_open ? "that are known " : "", counts.errors,
                          counts.out);
                if (launch->pool)
                        manager_launch_pool_explain(launch->pool, text);
                text_add(text, "; ");
        }
        explain_wait(runs, run, launch, text);
}

void manager_launch_write_workers(const ManagerRuns *runs, uint32_t run, Sink *sink) {
        RunAttemptKey key;
        const ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, run, &key);

        if (launch && launch->pool)
                manager_launch_pool_put(launch->pool, sink);
}

int manager_launch_count(const ManagerRuns *runs, uint32_t run, RunRangeCounts *ret_counts) {
        RunAttemptKey key;
        const ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, run, &key);

        if (!launch || !launch->range)
                return -ENOENT;
        run_range_count(launch->range, ret_counts);
        return 0;
}
