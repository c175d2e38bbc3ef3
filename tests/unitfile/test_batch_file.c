/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Batches: settings, defaults, what is refused and where, and the node that a batch is
 *
 * S003-6, S003-10, S003-11, S003-21
 */

#include <signal.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "file_world.h"
#include "unit/unit_name.h"
#include "unitfile/flow_settings.h"
#include "unitfile/flow_text.h"
#include "unitfile/unit_file_loader.h"

#define LEAST "[Batch]\nItems=10\nExec=/bin/true\n"

static FileWorld *world;

static void set_up(void) {
        world = file_world_new();
}

static void tear_down(void) {
        file_world_free(world);
}

TestSuite(batch_file, .init = set_up, .fini = tear_down, .timeout = 60);

static Unit *load(const char *text) {
        file_world_restart(world);
        file_write(world, "a/x.batch", text);
        return file_load(world, "x.batch");
}

static const FlowSettings *batch_of(const Unit *unit) {
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

static const FlowNode *item_of(const Unit *unit) {
        const FlowSettings *batch = batch_of(unit);

        cr_assert(eq(sz, batch->nodes.n, 1));
        cr_assert(batch->nodes.items[0].is_range);
        return &batch->nodes.items[0];
}

/* — types — */

Test(batch_file, flows_batches_and_streams_have_runs) {
        for (UnitType type = 0; type < _UNIT_TYPE_MAX; type++)
                cr_expect(eq(int, unit_type_has_runs(type),
                             type == UNIT_FLOW || type == UNIT_BATCH || type == UNIT_STREAM),
                          "%s", unit_type_to_string(type));
        cr_assert(not(unit_type_has_runs(_UNIT_TYPE_INVALID)));
        cr_assert(eq(int, (int) unit_name_type("mail.batch"), UNIT_BATCH));
}

/* — settings — */

Test(batch_file, defaults) {
        const Unit *unit = load(LEAST);
        const FlowSettings *batch = batch_of(unit);
        const FlowRange *range = &batch->range;
        const FlowNode *item = item_of(unit);

        assert_string(file_said(world), "");
        cr_assert(eq(u32, batch->max_runs, 1));
        cr_assert(eq(int, batch->on_busy, FLOW_BUSY_QUEUE));
        cr_assert(eq(u32, batch->keep_runs, 200));
        cr_assert(eq(u64, batch->run_timeout, USEC_INFINITY));
        assert_string(item->name, "items");
        cr_assert(text_ends_with(item->place.file, "/a/x.batch"));
        cr_assert(eq(int, item->recover, FLOW_RECOVER_RETRY));
        cr_assert(eq(u32, item->retry, 3));
        cr_assert(eq(u64, item->retry_delay, 5 * USEC_PER_SEC));
        cr_assert(eq(u64, item->timeout, USEC_INFINITY));
        cr_assert(eq(u64, item->again, 0));
        assert_null(item->process);
        cr_assert(eq(int, flow_node_failure(batch, item), FLOW_FAILURE_END));
        cr_assert(eq(u64, range->items, 10));
        assert_null(range->items_file);
        assert_null(range->items_command);
        assert_null(range->source);
        cr_assert(eq(int, range->item_mode, FLOW_ITEM_EXEC));
        cr_assert(eq(int, range->on_error_budget, FLOW_ERROR_BUDGET_DRAIN));
        cr_assert(eq(u32, range->rate, 0));
        cr_assert(eq(u32, range->burst, 0));
        cr_assert(eq(u64, range->max_errors, 0));
        cr_assert(eq(u64, range->max_errors_total, 0));
        cr_assert(eq(u32, range->max_error_percent, 0));
        cr_assert(eq(u64, range->prepare_timeout, 30 * USEC_PER_MINUTE));
        cr_assert(not(range->manual_start));
        cr_assert(eq(u64, range->sync, USEC_PER_SEC));
        cr_assert(eq(u32, range->sync_items, 5000));
        cr_assert(eq(u64, range->pause_timeout, USEC_INFINITY));
        cr_assert(eq(u32, flow_range_depth(range), 1));
        cr_assert(eq(u32, flow_range_slots(range, 4), 4));
        cr_assert(eq(u32, flow_range_window(range, 4), 4));
}

Test(batch_file, a_batch_has_what_its_section_says) {
        const Unit *unit = load("[Batch]\nItems=1000\nExec=/bin/echo %p\n"
                                "ExecPrepare=-/bin/false\nPrepareTimeoutSec=1min\nItemMode=exec\n"
                                "Parallel=16\nRate=100/min\nBurst=7\n"
                                "Window=64\nMaxErrors=10\nMaxErrorPercent=1%\nMaxErrorsTotal=100\n"
                                "OnErrorBudget=kill\nManualStart=yes\nSyncSec=2\nSyncItems=50\nPauseTimeoutSec=3\n"
                                "ItemRetry=2\nItemTimeoutSec=30\nRetryDelaySec=1\nRetryMaxDelaySec=9\n"
                                "RetryBackoff=exponential\nRetryJitter=10\nRetryExitStatus=1\nNoRetryExitStatus=2\n"
                                "SuccessExitStatus=3\nAgainSec=4\nAgainExitStatus=5\nRecover=retry\nIdempotent=yes\n");
        const FlowRange *range = &batch_of(unit)->range;
        const FlowNode *item = item_of(unit);

        assert_string(file_said(world), "");
        assert_string(item->command->argv[1], "x");
        assert_string(range->exec_prepare->path, "/bin/false");
        cr_assert(eq(u64, range->prepare_timeout, USEC_PER_MINUTE));
        cr_assert(eq(int, range->item_mode, FLOW_ITEM_EXEC));
        cr_assert(eq(u32, range->parallel, 16));
        cr_assert(eq(u32, range->rate, 100));
        cr_assert(eq(u64, range->rate_period, USEC_PER_MINUTE));
        cr_assert(eq(u32, range->burst, 7));
        cr_assert(eq(u32, flow_range_slots(range, 1), 16));
        cr_assert(eq(u32, flow_range_window(range, 1), 64));
        cr_assert(eq(u64, range->max_errors, 10));
        cr_assert(eq(u32, range->max_error_percent, 1));
        cr_assert(eq(u64, range->max_errors_total, 100));
        cr_assert(eq(int, range->on_error_budget, FLOW_ERROR_BUDGET_KILL));
        cr_assert(range->manual_start);
        cr_assert(eq(u64, range->sync, 2 * USEC_PER_SEC));
        cr_assert(eq(u32, range->sync_items, 50));
        cr_assert(eq(u64, range->pause_timeout, 3 * USEC_PER_SEC));
        cr_assert(eq(u32, item->retry, 2));
        cr_assert(eq(u64, item->timeout, 30 * USEC_PER_SEC));
        cr_assert(eq(u64, item->retry_delay, USEC_PER_SEC));
        cr_assert(eq(u64, item->retry_max_delay, 9 * USEC_PER_SEC));
        cr_assert(eq(int, item->retry_backoff, FLOW_BACKOFF_EXPONENTIAL));
        cr_assert(eq(u32, item->retry_jitter, 10));
        cr_assert(exit_status_set_has_status(&item->retry_exit_status, 1));
        cr_assert(exit_status_set_has_status(&item->no_retry_exit_status, 2));
        cr_assert(exit_status_set_has_status(&item->success_exit_status, 3));
        cr_assert(eq(u64, item->again, 4 * USEC_PER_SEC));
        cr_assert(exit_status_set_has_status(&item->again_exit_status, 5));
}

/* What [Flow] has of runs, and of processes, [Batch] has, too. */
Test(batch_file, a_batch_has_what_runs_have) {
        const FlowSettings *batch = batch_of(load(LEAST
                                                  "MaxRuns=4\nOnBusy=skip\nMaxQueued=7\nQueueTimeoutSec=1h\n"
                                                  "RunTimeoutSec=2h\nTimeoutMode=drain\nFinalExec=/bin/true\n"
                                                  "StartMode=finished\nStopMode=interrupt\nTimeoutStopSec=9\n"
                                                  "Notify=exec:/bin/true failed\nNotifyMax=3\nSummarySec=10\nKeepRuns=5\n"
                                                  "KeepFor=3d\nAllowSubmit=alice\nAllowControl=@wheel\nLock=db\n"
                                                  "LockSlots=2\nNeeds=cpu:1\nPriority=high\nHoldLock=attempt\n"
                                                  "Params=a:=1\nRunName=%p-%{param.a}\nCatchUp=last\nOnTrigger=queue\n"
                                                  "RunDirectory=yes\nUser=nobody\nKillSignal=SIGINT\nMemoryMax=1M\n"));

        assert_string(file_said(world), "");
        cr_assert(eq(u32, batch->max_runs, 4));
        cr_assert(eq(int, batch->on_busy, FLOW_BUSY_SKIP));
        cr_assert(eq(u32, batch->max_queued, 7));
        cr_assert(eq(u64, batch->claim.queue_timeout, USEC_PER_HOUR));
        cr_assert(eq(u64, batch->run_timeout, 2 * USEC_PER_HOUR));
        cr_assert(eq(int, batch->timeout_mode, FLOW_TIMEOUT_DRAIN));
        assert_string(batch->final->path, "/bin/true");
        cr_assert(eq(int, batch->start_mode, FLOW_START_FINISHED));
        cr_assert(eq(int, batch->stop_mode, FLOW_STOP_INTERRUPT));
        cr_assert(eq(u64, batch->timeout_stop, 9 * USEC_PER_SEC));
        cr_assert(eq(sz, batch->notify.n, 1));
        cr_assert(eq(u32, batch->notify_max, 3));
        cr_assert(eq(u64, batch->summary, 10 * USEC_PER_SEC));
        cr_assert(eq(u32, batch->keep_runs, 5));
        cr_assert(batch->has_keep_for);
        cr_assert(eq(sz, strv_length(batch->allow_submit), 1));
        cr_assert(eq(sz, strv_length(batch->allow_control), 1));
        cr_assert(eq(sz, strv_length(batch->claim.locks), 1));
        cr_assert(eq(u32, batch->claim.lock_slots, 2));
        cr_assert(eq(sz, batch->claim.needs.n, 1));
        cr_assert(eq(u32, batch->claim.priority, 192));
        cr_assert(eq(int, batch->claim.hold_lock, FLOW_HOLD_ATTEMPT));
        cr_assert(eq(sz, batch->params.items.n, 1));
        assert_string(batch->run_name, "x-%{param.a}");
        cr_assert(eq(int, batch->catch_up, FLOW_CATCH_UP_LAST));
        cr_assert(batch->has_on_trigger);
        cr_assert(batch->run_directory);
        assert_string(batch->process.exec.user, "nobody");
        cr_assert(eq(int, batch->process.kill.signal, SIGINT));
        cr_assert(ne(ptr, (void *) batch->resources, NULL));
}

Test(batch_file, rates) {
        static const struct {
                const char *value;
                uint32_t rate;
                usec_t period;
        } cases[] = {
                { "2000", 2000, USEC_PER_SEC },
                { "2000/s", 2000, USEC_PER_SEC },
                { "100/min", 100, USEC_PER_MINUTE },
                { "5/h", 5, USEC_PER_HOUR },
                { "4294967295", UINT32_MAX, USEC_PER_SEC },
                { "", 0, USEC_PER_SEC },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *text = NULL;
                const FlowRange *range;

                cr_assert(eq(int, text_format(&text, LEAST "Rate=1/h\nRate=%s\n", cases[i].value), 0));
                range = &batch_of(load(text))->range;
                cr_expect(eq(u32, range->rate, cases[i].rate), "%s", cases[i].value);
                cr_expect(eq(u64, range->rate_period, cases[i].period), "%s", cases[i].value);
        }
}

/* Ten seconds of what is issued, but never less than is out, nor more than there may be. */
Test(batch_file, automatic_window) {
        static const struct {
                const char *lines;
                uint32_t slots, window;
        } cases[] = {
                { "Rate=2000\n", 2, 20000 },
                { "Rate=100/min\n", 2, 16 },
                { "Rate=1/h\n", 2, 2 },
                { "Rate=4294967295\n", 2, 1048576 },
                { "Parallel=100\n", 100, 100 },
                { "Window=1\n", 1, 1 },
                { "Window=auto\nParallel=3\n", 3, 3 },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *text = NULL;
                const FlowRange *range;

                cr_assert(eq(int, text_format(&text, LEAST "%s", cases[i].lines), 0));
                range = &batch_of(load(text))->range;
                cr_expect(eq(u32, flow_range_slots(range, 2), cases[i].slots), "%s", cases[i].lines);
                cr_expect(eq(u32, flow_range_window(range, 2), cases[i].window), "%s", cases[i].lines);
        }
}

Test(batch_file, the_largest_number_of_items) {
        cr_assert(eq(u64, batch_of(load("[Batch]\nItems=9223372036854775808\nExec=/bin/true\n"))->range.items,
                     UINT64_C(1) << 63));
}

/* — what is refused — */

Test(batch_file, refused_with_file_line_and_setting) {
        static const struct {
                const char *lines, *said; /* behind "error a/x.batch" */
        } cases[] = {
                { "Exec=/bin/true\n", ": The batch has no items: write Items=, their number" },
                { "Items=10\n", ": The batch has no Exec=, so that nothing would be done with its items" },
                { LEAST "Exec=/bin/false\n",
                  ":4 Exec: There is a second command; write one that does both, or an empty Exec= first" },
                { LEAST "ExecPrepare=/bin/true\nExecPrepare=/bin/true\n", ":5 ExecPrepare: There is a second command;" },
                { LEAST "FinalExec=/bin/true\nFinalExec=/bin/true\n", ":5 FinalExec: There is a second command" },
                { LEAST "Window=10\nParallel=12\n",
                  ":4 Window: It is below Parallel=, so that never as many would be out: write at least 12, or leave "
                  "Window= out" },
                { LEAST "Parallel=1048577\n", ":4 Parallel: It is above 1048576, the largest window: write less" },
                /* Workers. */
                { LEAST "Depth=4\n", ":4 Depth: Each item has a process of its own: write ItemMode=pool, or leave "
                                     "Depth= out" },
                { LEAST "WorkerIdleSec=4\n", ":4 WorkerIdleSec: Each item has a process of its own" },
                { LEAST "WorkerMaxItems=4\n", ":4 WorkerMaxItems: Each item has a process of its own" },
                { LEAST "ItemMode=pool\nDepth=1025\n", ":5 Depth: '1025' is neither a whole number between 1 and 1024" },
                { "Items=10\nItemMode=pool\nExec=/bin/echo %{item}\n", ":4 Exec: With ItemMode=pool the command is a "
                                                                       "worker" },
                { LEAST "ItemMode=pool\nStandardInput=tty\n", ":5 StandardInput: With ItemMode=pool a worker reads its items" },
                { LEAST "StandardOutput=file:/x\nItemMode=pool\n", ":4 StandardOutput: With ItemMode=pool a worker" },
                { LEAST "StandardInputText=a\nItemMode=pool\n", ":4 StandardInputText: With ItemMode=pool a worker" },
                /* That which this version does not carry out. */
                { LEAST "ExecCheck=/bin/true\n", "use ExecPrepare=" },
                { LEAST "ItemsCommand=/bin/true\n", ":4 ItemsCommand: The batch has other items, too: leave one of" },
                { LEAST "ItemsFile=/x\n", ":4 ItemsFile: The batch has other items, too: leave one of" },
                { LEAST "Source=x\n", "use Params=" },
                { LEAST "Items=0\n", ":4 Items: '0' is not a number of items between 1 and 9223372036854775808" },
                { LEAST "Items=9223372036854775809\n", ":4 Items: '9223372036854775809' is not a number of items" },
                { LEAST "Items=many\n", ":4 Items: 'many' is not a number of items" },
                { LEAST "MaxErrorPercent=101\n", ":4 MaxErrorPercent: '101' is not a share between 0% and 100%" },
                { LEAST "Rate=0\n", ":4 Rate: '0' is not between 1 and 4294967295 items" },
                { LEAST "Rate=4294967296\n", ":4 Rate: '4294967296' is not between 1 and 4294967295 items" },
                { LEAST "Rate=5/d\n", ":4 Rate: '5/d' is not a rate such as 2000, 2000/s, 100/min or 5/h" },
                { LEAST "Rate=/s\n", ":4 Rate: '/s' is not a rate" },
                { LEAST "Rate=fast\n", ":4 Rate: 'fast' is not a rate" },
                { LEAST "Window=1048577\n", ":4 Window: '1048577' is neither a whole number between 1 and 1048576 nor "
                                            "'auto'" },
                { LEAST "Recover=pending\n",
                  ":4 Recover: 'pending' is not possible: items that were lost are issued again" },
                { LEAST "Recover=fail\n", ":4 Recover: 'fail' is not possible" },
                { LEAST "Idempotent=no\n", ":4 Idempotent: 'no' is not possible" },
                { LEAST "Idempotent=perhaps\n", ":4 Idempotent: 'perhaps' is neither 'yes' nor 'no'" },
                { LEAST "SyncSec=0\n", ":4 SyncSec: '0' is no time: write at least 1ms" },
                { LEAST "RetryExitStatus=2\nNoRetryExitStatus=2\n",
                  ":4 RetryExitStatus: An exit status is in NoRetryExitStatus=, too" },
                { LEAST "AgainSec=1\nAgainExitStatus=2\nSuccessExitStatus=2\n",
                  ":5 AgainExitStatus: An exit status is in SuccessExitStatus=, too" },
                { LEAST "RunName=%{param.a}\n", ":4 RunName: Params= of [Batch] has no parameter 'a'" },
                { LEAST "FinalExec=/bin/echo %{item}\n",
                  ":4 FinalExec: item has no value: there is an item in Exec= alone" },
                { LEAST "ExecPrepare=/bin/echo %{pull.state}\n",
                  ":4 ExecPrepare: pull.state has no value: a batch has no nodes" },
                /* That which belongs to others, with what to write. */
                { LEAST "TimeoutSec=1\n", ":4 TimeoutSec: This directive is not supported, and without it a run would "
                                          "have no deadline; use RunTimeoutSec=" },
                { LEAST "Host=b\n", ":4 Host: This directive is not supported" },
                { LEAST "OnLeaseLost=kill\n", ":4 OnLeaseLost: This directive is not supported" },
                { LEAST "LogShip=tail\n", ":4 LogShip: This directive is not supported" },
                { LEAST "Restart=always\n", "use ItemRetry=" },
                { LEAST "Retry=3\n", "use ItemRetry=" },
                { LEAST "MaxParallel=3\n", "use Parallel=" },
                { LEAST "ExecStart=/bin/true\n", "use Exec=" },
                { LEAST "ExecStartPre=/bin/true\n", "use ExecPrepare=" },
                { LEAST "FailurePolicy=continue\n", "use MaxErrors=" },
                { LEAST "WatchdogSec=3\n", "use ItemTimeoutSec=" },
                { LEAST "ListenStream=/x\n", ":4 ListenStream: This directive is not supported" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *text = NULL, *said = NULL;
                const bool is_place = cases[i].said[0] == ':';
                const Unit *unit;
                const char *heard;

                cr_assert(eq(int, text_format(&text, "%s%s", text_starts_with(cases[i].lines, "[") ? "" : "[Batch]\n",
                                              cases[i].lines), 0));
                cr_assert(eq(int, text_format(&said, "%s%s", is_place ? "error a/x.batch" : "", cases[i].said), 0));
                unit = load(text);
                cr_expect(ne(int, unit->load_state, UNIT_LOADED), "%s", text);
                heard = file_said(world);
                cr_expect(strstr(heard, said) != NULL, "%s: '%s'", text, heard);
        }
}

/* One mistake has one message: what a bad value leaves unset is not missing. */
Test(batch_file, a_bad_value_is_reported_once) {
        (void) load("[Batch]\nItems=0\nExec=/bin/true\n");
        assert_string(file_said(world), "error a/x.batch:2 Items: '0' is not a number of items between 1 and "
                                        "9223372036854775808; the unit is refused.\n");
}

Test(batch_file, a_rule_knows_the_line_of_a_drop_in) {
        file_write(world, "a/y.batch", LEAST);
        file_write(world, "a/y.batch.d/window.conf", "[Batch]\nParallel=4\nWindow=3\n");
        (void) file_load(world, "y.batch");
        file_assert_contains(file_said(world), "error a/y.batch.d/window.conf:3 Window: It is below Parallel=");
}

Test(batch_file, an_item_is_a_word_of_its_command) {
        const FlowNode *item = item_of(load("[Batch]\nItems=1\nExec=/bin/echo %{item} %{param.a} %{run.id}\n"
                                            "Params=a:=1\n"));

        assert_string(file_said(world), "");
        assert_string(item->command->argv[1], "%{item}");
}

/* — others — */

Test(batch_file, a_text_is_a_definition_of_its_own) {
        cleanup_(failure_deinit) Failure failure = {};
        FlowText *text = NULL;

        (void) load(LEAST "Rate=5/h\n");
        cr_assert(eq(int, flow_text_read(&text, world->loader, "x.batch", LEAST "Rate=5/h\n", &failure), 0), "%s",
                  failure_message(&failure));
        cr_assert(eq(u32, flow_text_settings(text)->range.rate, 5));
        cr_assert(eq(sz, flow_text_settings(text)->nodes.n, 1));
        flow_text_free(text);
        cr_assert(text_starts_with(batch_of(load(LEAST))->text, LEAST));
}

Test(batch_file, specifiers_of_a_text_name_the_file_of_the_unit) {
        static const char lines[] = "[Batch]\nItems=1\nExec=/bin/echo %y %Y\n";
        cleanup_(failure_deinit) Failure failure = {};
        char *const *words, *const *wanted;
        FlowText *text = NULL;

        wanted = item_of(load(lines))->command->argv;
        cr_assert(eq(int, flow_text_read(&text, world->loader, "x.batch", lines, &failure), 0), "%s",
                  failure_message(&failure));
        words = flow_text_settings(text)->nodes.items[0].command->argv;
        assert_string(words[1], wanted[1]);
        assert_string(words[2], wanted[2]);
        cr_assert(text_ends_with(words[1], "/a/x.batch"));
        flow_text_free(text);
}

Test(batch_file, others_name_a_batch) {
        file_write(world, "a/x.batch", LEAST);
        file_write(world, "a/f.flow", "[Node a]\nFlow=x.batch\n");
        file_write(world, "a/t.timer", "[Timer]\nOnBootSec=1\nUnit=x.batch\n");
        file_write(world, "a/p.path", "[Path]\nPathExists=/x\nUnit=x.batch\n");
        file_write(world, "a/s.socket", "[Socket]\nListenStream=/run/x\nService=x.batch\n");
        file_write(world, "a/v.service", "[Unit]\nOnFailure=x.batch\n[Service]\nExecStart=/bin/true\n");
        for (size_t i = 0; i < 5; i++) {
                static const char *const names[] = { "f.flow", "t.timer", "p.path", "s.socket", "v.service" };
                const Unit *unit = file_load(world, names[i]);

                cr_expect(eq(int, unit->load_state, UNIT_LOADED), "%s: %s", names[i],
                          failure_message(&unit->load_failure));
        }
        assert_string(file_said(world), "");
}
