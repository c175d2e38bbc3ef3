/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The workers of a launch
 *
 * Most answers are successes: they change the range, and nothing else. What
 * others have to know (an error, a checkpoint that is due, an earlier time to
 * look at the launch) makes a turn of the manager follow.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json.h"
#include "basic/log.h"
#include "basic/random.h"
#include "basic/text.h"
#include "flow/flow_spec.h"
#include "manager/manager_attempt.h"
#include "manager/manager_attempt_launch.h"
#include "manager/manager_launch_cursor.h"
#include "manager/manager_launch_pool.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_table.h"
#include "unitfile/flow_range.h"

#define HELLO_TIMEOUT (90 * USEC_PER_SEC) /* from the beginning of the process: an interpreter has to load */
#define WORKERS_SHOWN 64U
#define PROBLEM_MAX 1000U /* bytes of an answer's result that are kept */

struct ManagerLaunchPool {
        ManagerRuns *runs; /* borrowed, as the next */
        ManagerLaunch *launch;
        RunAttemptKey key; /* of the launch */
        ManagerWorkers *workers; /* which own the pool */
        RunPolicy policy; /* of the statuses of items */
        bool may_issue; /* until the next step, which decides it anew */
        bool is_draining;
        bool has_news; /* for a turn of the manager */
        bool has_checkpoint; /* the time of the next one is what the launch is due at */
        usec_t due; /* as it was told last */
};

static ManagerAttempts *attempts_of(const ManagerLaunchPool *pool) {
        return manager_runs_attempts(pool->runs);
}

static RunAttemptKey worker_key(const ManagerLaunchPool *pool, uint32_t number) {
        return (RunAttemptKey) { pool->key.run, pool->key.node, MANAGER_ITEM_GENERATION | pool->launch->number,
                                 number };
}

static usec_t now(const ManagerLaunchPool *pool) {
        return usec_add(manager_workers_now(pool->workers), MANAGER_RUN_BOOT);
}

static void note_change(ManagerLaunchPool *pool) {
        pool->launch->has_changed = pool->has_news = true;
        pool->launch->changed_at = now(pool);
}

/* — items — */

static bool pool_has_next(void *userdata) {
        const ManagerLaunchPool *pool = userdata;

        return pool->may_issue && run_range_due(pool->launch->range, now(pool)) <= now(pool);
}

static bool pool_next(void *userdata, ManagerWorkerItem *ret_item) {
        const ManagerLaunchPool *pool = userdata;
        RunRangeItem item;
        const char *text;

        if (!pool->may_issue || run_range_issue(pool->launch->range, now(pool), &item) != RUN_RANGE_ISSUED)
                return false;
        text = manager_launch_text(pool->launch, item.index);
        *ret_item = (ManagerWorkerItem) {
                .index = item.index, .tries = item.tries, .data = text, .length = text ? strlen(text) : 0
        };
        return true;
}

static bool pool_claim(void *userdata, uint64_t index) {
        const ManagerLaunchPool *pool = userdata;

        return run_range_claim(pool->launch->range, index) == 0;
}

/* — ends of items — */

static void put_error(ManagerLaunchPool *pool, const ManagerWorkerItem *item, RunRangeFate fate, int status,
                      const char *problem) {
        note_change(pool);
        /* Whether more may be is for the step to judge. */
        pool->may_issue &= fate == RUN_RANGE_MENDED;
        manager_launch_note_error(pool->runs, pool->launch,
                                  &(ManagerItemError) {
                                          .item = item->index,
                                          .tries = item->tries + 1,
                                          .exit = status,
                                          .signal = -1,
                                          .is_mended = fate == RUN_RANGE_MENDED,
                                          .is_poison = fate == RUN_RANGE_POISON,
                                  },
                                  problem, manager_launch_text(pool->launch, item->index));
}

static void end_item(ManagerLaunchPool *pool, const ManagerWorkerItem *item, RunRangeEnd end, int status,
                     const char *problem) {
        uint32_t chance = 0;
        RunRangeFate fate;

        if (end != RUN_RANGE_SUCCESS)
                (void) random_bytes(&chance, sizeof(chance));
        fate = run_range_end(pool->launch->range, item->index, end, now(pool), pool->policy.again, chance);
        if (fate == RUN_RANGE_ERROR || fate == RUN_RANGE_POISON || fate == RUN_RANGE_MENDED)
                put_error(pool, item, fate, status, problem);
        if (fate != RUN_RANGE_RETRIES && fate != RUN_RANGE_STRANGE)
                manager_launch_drop_text(pool->launch, item->index);
}

/* The result of a worker for an item that failed, as one line of JSON, owned by the caller; NULL: none. */
static char *explain_failure(const char *result, size_t length) {
        JsonReader reader = {};
        char *problem = NULL;
        int r;

        if (length == 0)
                return NULL;
        json_reader_begin(&reader, result, length);
        r = json_reader_check(&reader);
        json_reader_deinit(&reader);
        if (r < 0)
                return strdup("What its worker says about it is no JSON.");
        problem = strndup(result, length);
        if (problem)
                text_shorten(problem, PROBLEM_MAX);
        return problem;
}

static void pool_answered(void *userdata, const ManagerWorkerItem *item, uint8_t status, const char *result,
                          size_t length) {
        ManagerLaunchPool *pool = userdata;
        const RunPolicy *policy = &pool->policy;
        cleanup_free_ char *problem = NULL;
        RunRangeEnd end = RUN_RANGE_FINAL;

        if (status == 0 || run_end_set_has(policy->success_ends, status)) {
                end_item(pool, item, RUN_RANGE_SUCCESS, status, NULL);
                return;
        }
        problem = explain_failure(result, length);
        if (policy->again > 0 && run_end_set_has(policy->again_ends, status))
                end = RUN_RANGE_AGAIN;
        else if (run_policy_retries(policy, status))
                end = RUN_RANGE_FAILURE;
        end_item(pool, item, end, status, problem);
}

static void pool_ended(void *userdata, const ManagerWorkerItem *item, ManagerWorkerEnd end) {
        ManagerLaunchPool *pool = userdata;

        switch (end) {
        case MANAGER_WORKER_DIED:
                end_item(pool, item, RUN_RANGE_LOST, -1, "Its worker has died with it each time.");
                break;
        case MANAGER_WORKER_LATE:
                end_item(pool, item, RUN_RANGE_FAILURE, -1, "Its time, ItemTimeoutSec=, was over.");
                break;
        case MANAGER_WORKER_RETURNED:
                end_item(pool, item, RUN_RANGE_RETURNED, -1, NULL);
                break;
        }
}

/* — processes — */

static int pool_start(void *userdata, uint32_t *ret_number) {
        ManagerLaunchPool *pool = userdata;
        ManagerRun *run = manager_run_find(pool->runs, pool->key.run);
        ManagerLaunch *launch = pool->launch;
        RunAttemptKey key;

        if (!run)
                return -ENOENT;
        launch->n_issued = launch->n_issued == MANAGER_ITEM_PAGE - 1 ? 1 : launch->n_issued + 1;
        *ret_number = launch->n_issued;
        key = worker_key(pool, *ret_number);
        note_change(pool);
        return manager_attempts_begin_worker(attempts_of(pool), &key, manager_run_unit(run),
                                             manager_run_definition(run), manager_run_graph(run));
}

static bool pool_end(void *userdata, uint32_t number) {
        ManagerLaunchPool *pool = userdata;
        const RunAttemptKey key = worker_key(pool, number);
        bool is_told = false;
        uint64_t item;
        uint32_t tries;

        pool->has_news = true;
        (void) manager_attempts_get_item(attempts_of(pool), &key, &item, &tries, &is_told);
        manager_attempts_end(attempts_of(pool), &key);
        return !is_told;
}

static int find_fd(void *userdata, uint32_t number) {
        const ManagerLaunchPool *pool = userdata;
        const RunAttemptKey key = worker_key(pool, number);

        return manager_attempts_worker_fd(attempts_of(pool), &key);
}

static void pool_say(void *userdata, const char *sentence) {
        const ManagerLaunchPool *pool = userdata;
        const ManagerRun *run = manager_run_find(pool->runs, pool->key.run);

        if (run)
                log_write(LOG_LEVEL_WARNING, manager_run_unit(run)->id, "Run %" PRIu32 ": %s", pool->key.run, sentence);
}

/* — turns — */

static const FlowRange *settings_of(const ManagerLaunchPool *pool) {
        const ManagerRun *run = manager_run_find(pool->runs, pool->key.run);

        return run ? &flow_definition_settings(manager_run_definition(run))->range : NULL;
}

static usec_t find_due(const ManagerLaunchPool *pool) {
        ManagerWorkersCounts counts;

        manager_workers_count(pool->workers, &counts);
        return counts.is_dry && pool->may_issue ? run_range_due(pool->launch->range, now(pool)) : USEC_INFINITY;
}

/* A step has a page to read, or rows of errors: see manager_launch_step(). */
static bool has_to_read(const ManagerLaunch *launch, const RunRangeCounts *counts) {
        return (manager_mend_has_more(&launch->mend) && launch->mend_query == 0) ||
               (launch->pages && !launch->is_page_out && !run_pages_has_end(launch->pages) &&
                counts->n - counts->next < counts->window);
}

static bool pool_settle(void *userdata) {
        ManagerLaunchPool *pool = userdata;
        const FlowRange *settings = settings_of(pool);
        const ManagerLaunch *launch = pool->launch;
        bool has_news = pool->has_news || !settings;
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        has_news |= counts.is_over || has_to_read(launch, &counts) || (pool->is_draining && counts.out == 0) ||
                    (counts.over != launch->n_over && !pool->has_checkpoint) || find_due(pool) < pool->due ||
                    (settings && counts.over - launch->n_over >= settings->sync_items) ||
                    manager_workers_has_failed(pool->workers);
        pool->has_news = false;
        if (has_news)
                manager_run_note_work(pool->runs);
        return has_news;
}

static void pool_release(void *userdata) {
        free(userdata);
}

static const ManagerWorkersOps workers_ops = {
        .has_next = pool_has_next,
        .next = pool_next,
        .answered = pool_answered,
        .ended = pool_ended,
        .claim = pool_claim,
        .start = pool_start,
        .end = pool_end,
        .settle = pool_settle,
        .say = pool_say,
        .release = pool_release,
};

/* — life — */

static int describe(ManagerLaunchPool *pool, const ManagerRun *run, ManagerWorkersSettings *ret_settings) {
        const FlowSettings *flow = flow_definition_settings(manager_run_definition(run));
        const uint32_t n_processors = manager_runs_processors(pool->runs);
        const uint32_t n_max = flow->range.parallel > 0 ? flow->range.parallel : MAX(n_processors, 1U);
        const uint32_t slots = flow_range_slots(&flow->range, n_processors);
        FlowCommand command;
        int r = manager_run_open_command(run, pool->key.node, &command);

        if (r < 0)
                return r;
        flow_spec_item_policy(command.node, &pool->policy);
        *ret_settings = (ManagerWorkersSettings) {
                .n_max = n_max,
                .depth = MIN(flow_range_depth(&flow->range), 1 + (slots - 1) / n_max), /* Window= may be small */
                .max_items = flow->range.worker_max_items,
                .idle = flow_range_worker_idle(&flow->range),
                .item_timeout = command.node->timeout,
                .hello_timeout = HELLO_TIMEOUT,
                .end_timeout = flow->timeout_stop,
        };
        flow_command_close(&command);
        return 0;
}

static void end_stranger(void *userdata, const RunAttemptKey *key, uint64_t item) {
        ManagerLaunchPool *pool = userdata;

        /* Nobody has what it has printed. */
        if (key->number == MANAGER_ITEM_PAGE)
                pool->launch->is_page_out = true;
        if (key->number != MANAGER_ITEM_PREPARE && !manager_workers_has(pool->workers, key->number))
                manager_attempts_end(attempts_of(pool), key);
}

/* Without a socket nobody knows what a worker is at. */
static int take_over(ManagerLaunchPool *pool) {
        ManagerLaunch *launch = pool->launch;
        RecordReader reader;
        int r = 0;

        if (launch->saved_workers) {
                process_kept_settle(manager_runs_host(pool->runs)->attempts.kept);
                record_reader_init(&reader, launch->saved_workers, launch->n_saved_workers);
                r = manager_workers_read(pool->workers, &reader, find_fd);
                free(take_ptr(launch->saved_workers));
                launch->n_saved_workers = 0;
        }
        if (r == -EBADMSG)
                pool_say(pool, "The record of its workers cannot be read: they are ended.");
        manager_attempts_visit_items(attempts_of(pool), pool->key.run, end_stranger, pool);
        return r == -EBADMSG ? 0 : r;
}

int manager_launch_pool_new(ManagerRuns *runs, const RunAttemptKey *key, ManagerLaunch *launch) {
        ManagerRun *run = manager_run_find(runs, key->run);
        ManagerLaunchPool *pool = calloc(1, sizeof(*pool));
        ManagerWorkersSettings settings;
        int r = -ENOMEM;

        if (!pool)
                return r;
        *pool = (ManagerLaunchPool) { .runs = runs, .launch = launch, .key = *key, .due = USEC_INFINITY };
        r = run ? describe(pool, run, &settings) : -EINVAL;
        if (r == 0)
                r = manager_workers_new(&pool->workers, manager_runs_host(runs)->attempts.turn, &settings,
                                        &workers_ops, pool);
        if (r < 0) {
                free(pool);
                return r;
        }
        r = take_over(pool);
        if (r < 0) {
                manager_workers_free(pool->workers);
                return r;
        }
        launch->workers = pool->workers;
        launch->pool = pool;
        return 0;
}

/* — what the launch tells — */

static void count_worker(void *userdata, const RunAttemptKey *key, uint64_t item) {
        *(uint32_t *) userdata += key->number != MANAGER_ITEM_PREPARE && key->number != MANAGER_ITEM_PAGE;
}

/* A worker of an earlier core may still be at an item. */
static bool has_strangers(const ManagerLaunchPool *pool) {
        ManagerWorkersCounts counts;
        uint32_t n = 0;

        manager_workers_count(pool->workers, &counts);
        manager_attempts_visit_items(attempts_of(pool), pool->key.run, count_worker, &n);
        return n > counts.alive;
}

void manager_launch_pool_issue(ManagerLaunchPool *pool, bool may_issue) {
        pool->is_draining = false;
        pool->may_issue = may_issue && !has_strangers(pool);
        if (pool->may_issue)
                manager_workers_feed(pool->workers);
        if (!manager_workers_has_failed(pool->workers) || pool->launch->is_failed)
                return;
        pool->launch->is_failed = true;
        note_change(pool);
        pool_say(pool, "Workers end without an answer, one after the other: no more are started, and the run fails.");
}

void manager_launch_pool_drain(ManagerLaunchPool *pool) {
        pool->is_draining = true;
        pool->may_issue = false;
        manager_workers_drain(pool->workers);
}

void manager_launch_pool_connect(ManagerLaunchPool *pool, uint32_t number, int fd) {
        manager_workers_connect(pool->workers, number, fd);
}

void manager_launch_pool_note_gone(ManagerLaunchPool *pool, uint32_t number, bool is_told) {
        manager_workers_note_gone(pool->workers, number, is_told);
}

/* — what can be asked — */

usec_t manager_launch_pool_due(ManagerLaunchPool *pool) {
        RunRangeCounts counts;

        run_range_count(pool->launch->range, &counts);
        pool->has_checkpoint = counts.over != pool->launch->n_over;
        pool->due = find_due(pool);
        return pool->due;
}

const char *manager_launch_pool_explain_wait(const ManagerLaunchPool *pool) {
        ManagerWorkersCounts counts;

        manager_workers_count(pool->workers, &counts);
        if (has_strangers(pool))
                return "workers of an earlier core have to end first";
        if (counts.ready == 0 && counts.alive == 0 && counts.is_pausing)
                return "the next worker is started a while after one that has ended without an answer";
        if (counts.ready == 0 && counts.alive > 0)
                return "no worker has said hello yet";
        return counts.is_dry ? NULL : "its workers have as many as they take";
}

static void put_worker(const ManagerWorkerFacts *facts, Sink *sink) {
        sink_open(sink, 'a', "{sv}");
        sink_entry_u64(sink, "number", facts->number);
        sink_entry_u64(sink, "done", facts->done);
        sink_entry_u64(sink, "out", facts->out);
        sink_entry_bool(sink, "ready", facts->is_ready);
        sink_close(sink);
}

void manager_launch_pool_put(const ManagerLaunchPool *pool, Sink *sink) {
        ManagerWorkersCounts counts;
        ManagerWorkerFacts facts;

        manager_workers_count(pool->workers, &counts);
        sink_entry_u64(sink, "workers_started", counts.started);
        sink_entry_u64(sink, "workers_died", counts.deaths);
        sink_entry_u64(sink, "workers_refused", counts.refused);
        sink_entry_u64(sink, "workers_late", counts.late);
        sink_entry_u64(sink, "answers_dropped", counts.strange);
        if (counts.problem)
                sink_entry_string(sink, "workers_problem", counts.problem);
        sink_entry_open(sink, "workers", "aa{sv}");
        sink_open(sink, 'a', "a{sv}");
        for (uint32_t i = 0; i < WORKERS_SHOWN && manager_workers_get(pool->workers, i, &facts); i++)
                put_worker(&facts, sink);
        sink_close(sink);
        sink_entry_close(sink);
}

void manager_launch_pool_explain(const ManagerLaunchPool *pool, Text *text) {
        ManagerWorkersCounts counts;

        manager_workers_count(pool->workers, &counts);
        text_addf(text, " to %" PRIu32 " worker%s", counts.alive, counts.alive == 1 ? "" : "s");
        if (counts.deaths > 0)
                text_addf(text, ", %" PRIu64 " died", counts.deaths);
        if (counts.refused > 0)
                text_addf(text, ", %" PRIu64 " broke the rules of the protocol", counts.refused);
        if (counts.late > 0)
                text_addf(text, ", %" PRIu64 " took too long for an item", counts.late);
}
