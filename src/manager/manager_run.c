/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs of flows: their life, their turns, and what units and the store say
 *
 * Nothing is asked of the engine before what lives is loaded.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/strv.h"
#include "exec/exec_remove.h"
#include "flow/flow_spec.h"
#include "manager/manager_priority.h"
#include "manager/manager_launch.h"
#include "manager/manager_launch_cursor.h"
#include "manager/manager_launch_mend.h"
#include "manager/manager_run_alarm.h"
#include "manager/manager_run_answer.h"
#include "manager/manager_run_attempt.h"
#include "manager/manager_run_blob.h"
#include "manager/manager_run_command.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_define.h"
#include "manager/manager_run_deliver.h"
#include "manager/manager_run_end.h"
#include "manager/manager_run_folder.h"
#include "manager/manager_run_hold.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_load.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_retain.h"
#include "manager/manager_run_undo.h"
#include "manager/manager_run_submit.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_tell.h"
#include "manager/manager_run_trigger.h"
#include "manager/manager_run_watch.h"

/* Attempts that are begun in a turn. */
#define ATTEMPTS_A_TURN 64U
/* Nodes that end with their run in a turn, or become READY as it begins: some µs each. */
#define NODES_A_TURN 1024U
/* Above these the store is behind: no attempt is made, no run is taken. */
#define BYTES_FULL ((size_t) 64 * 1024 * 1024)

/*
 * What waits for a store that cannot be used fails after so long: its file system may be about to be mounted. After so
 * long, too, runs that could not be read are read again, and rows that no batch has taken are put again.
 */
#define LOOK_TIME (2 * USEC_PER_SEC)
/* Clients that wait for a store which has been silent for so long are answered without it. */
#define SILENCE_MAX (30 * USEC_PER_SEC)
#define SILENCE_STEP (5 * USEC_PER_SEC) /* between looks */

/* — the store — */

static usec_t read_clock(void) {
        return usec_add(clock_boottime(), MANAGER_RUN_BOOT);
}

static void look_later(ManagerRuns *runs) {
        runs->look_at = MIN(runs->look_at, usec_add(read_clock(), LOOK_TIME));
        runs->host.attempts.turn->has_news = true;
}

static void on_opened(void *userdata, uint64_t durable, bool has_lost) {
        ManagerRuns *runs = userdata;

        runs->has_heard = true;
        runs->is_refusing = false;
        runs->durable = durable;
        runs->host.attempts.turn->has_news = true;
        if (has_lost) {
                log_error("The store of runs has another file than before: runs that live are written again.");
                for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                        for (ManagerRun *run = flow->first; run; run = run->next)
                                run->is_put = false;
                manager_run_forget_stored(runs);
                manager_run_drop_outlines(runs);
                manager_alarms_put_all(runs->alarms);
                manager_launches_put_again(runs);
                run_engine_put_all(runs->engine);
                manager_streams_reset(runs);
        }
        manager_attempts_store_again(runs->attempts, has_lost ? UINT64_MAX : durable);
        if (!runs->is_loaded && !runs->load)
                manager_run_load_begin(runs, 0);
        else if (runs->is_loaded && runs->pending && !runs->load)
                manager_run_load_begin(runs, manager_run_find_pending(runs));
}

static void on_marks(void *userdata, uint64_t accepted, uint64_t durable) {
        ManagerRuns *runs = userdata;

        runs->has_heard = true;
        runs->durable = durable;
        runs->accepted = accepted;
        if (runs->is_loaded)
                run_engine_stored(runs->engine, (uint32_t) accepted, (uint32_t) durable);
        manager_attempts_forget_stored(runs->attempts, durable);
        manager_run_answer_durable(runs);
        manager_stream_answer_durable(runs);
        runs->host.attempts.turn->has_news = true;
}

/* The ticket of a query of a client. */
static bool take_asked(ManagerRuns *runs, uint64_t query, ManagerAsked *ret_asked) {
        for (size_t i = 0; i < runs->asked.n; i++)
                if (runs->asked.items[i].query == query) {
                        *ret_asked = runs->asked.items[i];
                        runs->asked.items[i] = runs->asked.items[--runs->asked.n];
                        return true;
                }
        return false;
}

static void on_rows(void *userdata, uint64_t query, RunStorePage *page) {
        ManagerRuns *runs = userdata;
        ManagerAsked asked;

        runs->has_heard = true;
        if (manager_run_load_rows(runs, query, page) || manager_run_submit_rows(runs, query, page) ||
            manager_run_retain_rows(runs, query, page) || manager_run_outbox_rows(runs, query, page) ||
            manager_run_outline_rows(runs, query, page) || manager_run_reading_rows(runs, query, page) ||
            manager_stream_rows(runs, query, page))
                return;
        if (!take_asked(runs, query, &asked)) {
                manager_launch_take_rows(runs, query, page);
                return;
        }
        manager_run_tell(runs, &(ManagerRunAnswer) { .ticket = asked.ticket,
                                                     .kind = MANAGER_RUN_ROWS,
                                                     .run = asked.run,
                                                     .page = page,
                                                     .table = asked.table });
}

static void on_refused(void *userdata, uint64_t number, const RunStoreRefusal *refusal) {
        ManagerRuns *runs = userdata;
        ManagerAsked asked;

        runs->has_heard = true;
        if (number == 0 && manager_run_link_is_refused(runs->link) && !runs->is_refusing)
                look_later(runs);
        else if (number == 0)
                runs->is_refusing &= manager_run_link_is_refused(runs->link);
        if (number == 0 || manager_run_load_refused(runs, number, refusal) ||
            manager_run_submit_refused(runs, number) || manager_run_retain_refused(runs, number) ||
            manager_run_outbox_refused(runs, number) || manager_stream_refused(runs, number) ||
            manager_run_outline_refused(runs, number) || manager_run_reading_refused(runs, number, refusal) ||
            manager_attempts_refused(runs->attempts, number, refusal->reason == RUNSTORE_REFUSED_TOO_LARGE))
                return;
        if (take_asked(runs, number, &asked))
                manager_run_answer_failure(runs, asked.ticket, -EHOSTDOWN, "StoreUnavailable", refusal->sentence);
        else if (!manager_launch_take_refusal(runs, number)) {
                manager_run_forget_stored(runs);
                manager_streams_reset(runs);
                log_error("The store of runs has refused batch %" PRIu64 ": %s", number, refusal->sentence);
        }
}

static void on_collected(void *userdata, uint64_t number, const uint8_t *hash) {
        ManagerRuns *runs = userdata;

        runs->has_heard = true;
        (void) manager_attempts_stored(runs->attempts, number, hash);
}

static const ManagerRunLinkOps link_ops = {
        .collected = on_collected,
        .opened = on_opened,
        .stored = on_marks,
        .rows = on_rows,
        .refused = on_refused,
};

/* Requests that wait for a store that cannot be used fail; runs that could not be loaded are loaded again. */
static void look(ManagerRuns *runs) {
        cleanup_(failure_deinit) Failure failure = {};

        if (runs->now < runs->look_at)
                return;
        runs->look_at = USEC_INFINITY;
        runs->is_refusing = manager_run_link_is_refused(runs->link);
        if (runs->is_refusing) {
                failure_set(&failure, -EHOSTDOWN, "StoreUnavailable", "The store of runs cannot be used: %s",
                            manager_run_link_problem(runs->link) ?: strerror(ENOMEM));
                manager_run_refuse_submits(runs, &failure, true);
                manager_stream_refuse_pushes(runs, false, &failure);
                manager_run_refuse_pending(runs, &failure);
                manager_run_refuse_acknowledgements(runs, &failure);
        }
        if (!runs->is_loaded && !runs->load && manager_run_link_is_open(runs->link))
                manager_run_load_begin(runs, 0);
}

static bool has_clients(const ManagerRuns *runs) {
        return runs->asked.n > 0 || runs->awaited.n > 0 || runs->submits || runs->pending ||
               runs->acknowledgements.n > 0 || manager_stream_has_pushes(runs);
}

/* Runs wait as long as the store needs, people do not. */
static void answer_silence(ManagerRuns *runs) {
        cleanup_(failure_deinit) Failure failure = {};
        /* Commands about a run that is in the store alone wait until there is a link to ask for it. */
        const usec_t absence = runs->pending || runs->pushes ? manager_run_link_absence(runs->link) : 0;
        const char *problem;

        if (!has_clients(runs) || MAX(manager_run_link_silence(runs->link), absence) < SILENCE_MAX)
                return;
        problem = manager_run_link_problem(runs->link) ?: "jobd-runstore does not answer";
        failure_set(&failure, -EHOSTDOWN, "StoreUnavailable", "The store of runs cannot be asked: %s.", problem);
        for (size_t i = 0; i < runs->asked.n; i++)
                manager_run_answer(runs, runs->asked.items[i].ticket, 0, &failure);
        vector_clear(&runs->asked);
        manager_run_refuse_submits(runs, &failure, false);
        manager_stream_refuse_pushes(runs, false, &failure);
        manager_run_refuse_pending(runs, &failure);
        manager_run_refuse_acknowledgements(runs, &failure);
        failure_set(&failure, -EHOSTDOWN, "StoreUnavailable",
                    "What was asked for is done, but the store of runs has not recorded it yet: %s.", problem);
        manager_run_refuse_awaited(runs, &failure);
        manager_stream_refuse_pushes(runs, true, &failure);
}

static void loaded(ManagerRuns *runs, uint32_t id, bool has_failed) {
        if (id == 0)
                runs->has_failed = has_failed;
        if (id == 0 && has_failed)
                look_later(runs);
        if (id == 0 && !has_failed) {
                runs->is_loaded = true;
                manager_attempts_drop_unknown(runs->attempts);
                manager_run_sweep_files(runs);
                manager_run_retain_all(runs);
                for (ManagerFlow *flow = runs->flows; flow; flow = flow->next) {
                        flow->is_news = true;
                        manager_run_hold_late(runs, flow);
                }
                unit_table_foreach(runs->host.units, unit)
                        if (unit_type_has_runs(unit->type) && !unit_state_is_inactive_or_failed(unit->active_state)) {
                                ManagerFlow *flow = manager_run_flow(runs, unit);

                                if (flow)
                                        flow->is_news = true;
                                if (flow && unit->active_state == UNIT_DEACTIVATING)
                                        manager_run_hold(runs, flow);
                        }
        }
        if (runs->is_loaded)
                manager_run_take_pending(runs, id, has_failed);
        if (runs->is_loaded && runs->pending && !runs->load)
                manager_run_load_begin(runs, manager_run_find_pending(runs));
        runs->host.attempts.turn->has_news = true;
}

/* — questions — */

int manager_runs_query(ManagerRuns *runs, const RunStoreQuery *query, uint32_t run, ManagerRunTicket ticket,
                       Failure *ret_failure) {
        ManagerAsked asked = { .ticket = ticket, .run = run, .table = query->table };
        const char *problem;
        int r = manager_run_link_require(runs->link, ret_failure);

        if (r < 0)
                return r;
        problem = manager_run_link_problem(runs->link);
        if (manager_run_link_silence(runs->link) >= SILENCE_MAX)
                return failure_set(ret_failure, -EHOSTDOWN, "StoreUnavailable",
                                   "The store of runs cannot be asked: %s.",
                                   problem ?: "jobd-runstore does not answer");
        r = vector_reserve(&runs->asked, 1);
        if (r == 0)
                r = manager_run_link_query(runs->link, query, &asked.query);
        if (r == -ENOTCONN)
                return failure_set(ret_failure, r, "StoreUnavailable", "The store of runs cannot be asked yet%s%s",
                                   problem ? ": " : "; try again.", problem ? problem : "");
        if (r < 0)
                return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
        return vector_push(&runs->asked, asked);
}

/* — units — */

int manager_runs_start_unit(ManagerRuns *runs, Unit *unit) {
        ManagerFlow *flow;
        int r;

        if (manager_run_link_require(runs->link, NULL) < 0)
                return -EOPNOTSUPP;
        flow = manager_run_flow(runs, unit);
        if (!flow)
                return -ENOMEM;
        flow->has_failed = flow->has_succeeded = false;
        manager_run_let_go(runs, flow);
        flow->problem = NULL;
        flow->is_news = true;
        if (manager_run_waits_for_end(unit))
                run_flow_unit(flow->engine, RUN_UNIT_ACTIVE, runs->host.ops->is_serving(runs->host.userdata));
        if (manager_run_count_live(runs, flow) > 0 || flow->is_starting)
                return 0;
        r = manager_run_add_submit(runs, flow, &(ManagerRunRequest) { .unit = unit->id }, true);
        flow->is_starting = r == 0;
        return r;
}

void manager_runs_stop_unit(ManagerRuns *runs, Unit *unit, bool interrupts) {
        /* Runs that are not loaded yet are held when they are. */
        ManagerFlow *flow = runs->is_loaded ? manager_run_find_flow(runs, unit) : manager_run_flow(runs, unit);
        const bool is_late = interrupts && (!flow || flow->is_stopping); /* the stop has lasted long enough */

        if (flow && !flow->is_stopping)
                manager_run_hold(runs, flow);
        else if (flow && is_late)
                flow->waits_for_hold = false;
        if (flow) {
                manager_run_stop_submits(runs, flow);
                flow->is_news = true;
        }
        if (interrupts)
                manager_attempts_interrupt(runs->attempts, unit);
        if (is_late)
                manager_attempts_force(runs->attempts, unit);
        manager_run_note_work(runs);
}

void manager_runs_unit_changed(ManagerRuns *runs, const Unit *unit, UnitActiveState old, UnitActiveState new) {
        ManagerFlow *flow = manager_run_find_flow(runs, unit);

        if (!flow || old == new)
                return;
        if (new == UNIT_ACTIVE)
                run_flow_unit(flow->engine, RUN_UNIT_ACTIVE,
                              runs->host.ops->is_serving(runs->host.userdata) && !flow->is_reviving);
        else if (unit_state_is_inactive_or_failed(new))
                run_flow_unit(flow->engine, RUN_UNIT_INACTIVE, false);
        flow->is_stopping = flow->is_stopping && !unit_state_is_inactive_or_failed(new);
        flow->is_news = true;
        manager_run_note_work(runs);
}

void manager_runs_job_ended(ManagerRuns *runs, const JobInfo *job) {
        ManagerFlow *flow = job->unit && job->type == JOB_START ? manager_run_find_flow(runs, job->unit) : NULL;

        /* Attempts may wait for any job. */
        if (runs->flows)
                runs->has_work = true;
        if (flow)
                flow->is_reviving = false;
        if (!flow || job->unit->active_state == UNIT_ACTIVE)
                return;
        /* A start that its conditions prevent is done, and no run begins by it. */
        if (job->result == JOB_DONE && job->unit->condition_result < 0 &&
            unit_state_is_inactive_or_failed(job->unit->active_state)) {
                run_flow_unit(flow->engine, RUN_UNIT_CANCELLED, false);
                manager_run_note_work(runs);
        }
        if (job->result == JOB_DONE)
                return;
        /* Runs go on without the job that waits for them. */
        if (job->unit->active_state == UNIT_ACTIVATING && manager_run_waits_for_end(job->unit))
                return;
        run_flow_unit(flow->engine, job->result == JOB_CANCELED ? RUN_UNIT_CANCELLED : RUN_UNIT_FAILED, false);
        manager_run_note_work(runs);
}

/* Runs that are not durable have asked for no start job yet: a stop cancels them as it cancels that job. */
void manager_runs_job_installed(ManagerRuns *runs, const JobInfo *job) {
        ManagerFlow *flow = job->unit && job->type == JOB_STOP ? manager_run_find_flow(runs, job->unit) : NULL;

        if (!flow || !unit_state_is_inactive_or_failed(job->unit->active_state) ||
            runs->host.ops->is_ending(runs->host.userdata))
                return;
        run_flow_unit(flow->engine, RUN_UNIT_CANCELLED, false);
        manager_run_stop_submits(runs, flow);
        flow->is_news = true;
        manager_run_note_work(runs);
}

/* A start that no job can be made for is one that fails: it is not asked for again and again. */
void manager_runs_start_refused(ManagerRuns *runs, const Unit *unit) {
        ManagerFlow *flow = manager_run_find_flow(runs, unit);

        if (!flow || unit->active_state == UNIT_ACTIVE)
                return;
        run_flow_unit(flow->engine, RUN_UNIT_FAILED, false);
        manager_run_note_work(runs);
}

void manager_runs_get(const ManagerRuns *runs, const Unit *unit, UnitRuns *ret_runs) {
        const ManagerFlow *flow = manager_run_find_flow(runs, unit);

        *ret_runs = (UnitRuns) {
                .n_attempts = manager_attempts_count(runs->attempts, unit),
                .n_stuck = manager_attempts_count_stuck(runs->attempts, unit),
                .n_submitted = manager_run_count_triggers(runs, unit),
        };
        if (!flow)
                return;
        ret_runs->n_live = manager_run_count_live(runs, flow);
        ret_runs->is_starting = flow->is_starting || (!runs->is_loaded && !flow->problem);
        ret_runs->has_failed = flow->has_failed;
        ret_runs->has_succeeded = flow->has_succeeded;
        ret_runs->problem = flow->problem;
}

/* The state that its unit is to be told is not known yet. At the end of everything nothing waits for the store. */
static bool is_unsure(const ManagerRuns *runs, const ManagerFlow *flow) {
        const bool is_ending = flow->is_stopping && runs->host.ops->is_ending(runs->host.userdata);

        return !is_ending && ((!runs->is_loaded && !flow->problem) ||
                              (flow->waits_for_hold && flow->hold_batch > runs->durable));
}

/* Tells units of their runs, and forgets flows that have nothing to do. */
static void tell_flows(ManagerRuns *runs) {
        for (ManagerFlow *flow = runs->flows, *next; flow; flow = next) {
                next = flow->next;
                if (!flow->is_news || is_unsure(runs, flow))
                        continue;
                flow->waits_for_hold = flow->is_news = false;
                if (flow->unit->vtable->runs_changed) {
                        manager_turn_enter(runs->host.attempts.turn, flow->unit);
                        flow->unit->vtable->runs_changed(flow->unit);
                }
                if (!flow->first && !flow->must_hold && !manager_run_is_submitted_to(runs, flow) &&
                    !manager_stream_has_pushes_to(runs, flow) &&
                    unit_state_is_inactive_or_failed(flow->unit->active_state) &&
                    manager_attempts_count(runs->attempts, flow->unit) == 0)
                        manager_run_drop_flow(runs, flow);
        }
}

/* Runs that the end of the earlier manager has held go on, and their units with them. */
static void revive(ManagerRuns *runs) {
        if (!runs->must_revive || !runs->host.ops->is_serving(runs->host.userdata))
                return;
        runs->must_revive = false;
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next) {
                bool is_held = false;
                RunRow row;
                RunWhy why;

                for (const ManagerRun *run = flow->first; run; run = run->next)
                        is_held |= !run->is_over && run_engine_get(runs->engine, run->id, &row, &why) == 0 &&
                                   row.is_held && !row.is_held_by_person && !row.is_paused;
                if (is_held && unit_state_is_inactive_or_failed(flow->unit->active_state) &&
                    !manager_jobs_has(runs->host.jobs, flow->unit))
                        flow->is_reviving = manager_jobs_request(runs->host.jobs, flow->unit, JOB_START, JOB_REPLACE,
                                                                 "runs that were interrupted") == 0;
        }
}

/* — turns — */

/* Runs that have ended, and whose end is durable, are the store's. */
static void forget_ended(ManagerRuns *runs) {
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (ManagerRun *run = flow->first, *next; run; run = next) {
                        next = run->next;
                        if (run->is_over && run->is_put && !run->is_new && run->batch <= runs->durable &&
                            !manager_stream_is_settling(runs, run) && run_engine_forget(runs->engine, run->id) == 0) {
                                run->drops_files = true;
                                if (run->facts.deleted > 0)
                                        manager_run_folder_remove(runs->run_folders, run->id);
                                manager_run_retain(runs, run);
                                runs->host.ops->went(runs->host.userdata, run->id, run->put_state);
                                manager_run_remove(runs, run);
                        }
                }
}

static void judge_store(ManagerRuns *runs) {
        const size_t n = manager_run_link_bytes(runs->link);

        run_engine_set_store(runs->engine, n > BYTES_FULL    ? RUN_STORE_FULL
                                           : n > MANAGER_RUN_BYTES_TIGHT ? RUN_STORE_TIGHT
                                                             : RUN_STORE_OPEN);
}

/* False: it could not be made. */
static bool end_batch(ManagerRuns *runs) {
        uint32_t batch;

        if (manager_alarms_has_rows(runs->alarms) || manager_run_outbox_has_rows(runs))
                (void) manager_run_writer(runs);
        /* Events of a turn in which no run has changed. */
        if (runs->writer)
                (void) manager_run_persist(runs, &batch);
        if (runs->has_batch) {
                /* Rows that were not taken are put again in the next turn, which comes though nothing happens. */
                runs->has_batch = runs->has_refused = false;
                runs->look_at = MIN(runs->look_at, usec_add(runs->now, LOOK_TIME));
                manager_run_outline_end_batch(runs, false);
                return false;
        }
        manager_run_outline_end_batch(runs, true);
        runs->batch = MAX(runs->batch, runs->durable);
        for (size_t i = 0; i < runs->awaited.n; i++)
                if (runs->awaited.items[i].batch == 0)
                        runs->awaited.items[i].batch = runs->batch;
        manager_run_put_ends(runs);
        manager_run_put_holds(runs);
        manager_launches_forget_stored(runs);
        manager_attempts_note_batch(runs->attempts, runs->batch);
        manager_attempts_forget_stored(runs->attempts, runs->durable);
        return true;
}

static void put_outline(ManagerRuns *runs) {
        RecordWriter *writer = manager_run_outline_has_rows(runs) ? manager_run_writer(runs) : NULL;

        if (writer)
                manager_run_outline_put(runs, writer);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata) {
        ManagerRuns *runs = userdata;

        runs->alarm = USEC_INFINITY; /* the work is done at the end of the turn */
        return 0;
}

/* The store may answer at once: what follows from that is for the next turn. */
static void send(ManagerRuns *runs) {
        runs->has_heard = false;
        manager_run_link_send(runs->link);
        if (runs->has_heard)
                manager_turn_wake(runs->host.attempts.turn);
}

static void arm(ManagerRuns *runs) {
        usec_t next = runs->look_at, at;

        if (has_clients(runs))
                next = MIN(next, (runs->now / SILENCE_STEP + 1) * SILENCE_STEP);
        if (runs->is_loaded)
                next = MIN(MIN(MIN(next, run_engine_deadline(runs->engine)), runs->watch_at),
                           MIN(MIN(runs->summary_at, manager_run_outbox_next(runs)),
                               MIN(MIN(manager_run_retain_next(runs), manager_run_submit_next(runs)),
                                   MIN(manager_launches_due(runs), manager_streams_due(runs)))));
        if (next == runs->alarm)
                return;
        runs->alarm = next;
        if (next == USEC_INFINITY) {
                if (runs->timer)
                        (void) sd_event_source_set_enabled(runs->timer, SD_EVENT_OFF);
                return;
        }
        at = usec_sub(next, MANAGER_RUN_BOOT);
        if (!runs->timer && sd_event_add_time(runs->host.attempts.turn->event, &runs->timer, CLOCK_BOOTTIME, at, 1,
                                              on_timer, runs) < 0) {
                log_error("Out of memory: time limits of runs are not kept.");
                return;
        }
        (void) sd_event_source_set_priority(runs->timer, MANAGER_PRIORITY_TIMERS);
        (void) sd_event_source_set_time(runs->timer, at);
        (void) sd_event_source_set_enabled(runs->timer, SD_EVENT_ONESHOT);
}

static bool is_idle(const ManagerRuns *runs) {
        return !runs->flows && !runs->submits && !runs->triggers && !runs->pending && !runs->load &&
               !manager_stream_has_pushes(runs) &&
               !runs->retentions && !runs->remains && !runs->outlines && !runs->writer && runs->awaited.n == 0 &&
               runs->acknowledgements.n == 0 && runs->asked.n == 0 && runs->look_at == USEC_INFINITY &&
               runs->alarm <= runs->retain_at && manager_run_outbox_is_idle(runs);
}

static void acknowledge(ManagerRuns *runs, const ManagerAcknowledgement *wanted) {
        cleanup_(failure_deinit) Failure failure = {};
        ManagerRun *run;
        uint32_t id;
        int r = manager_alarms_acknowledge(runs->alarms, wanted->alarm, wanted->operator,
                                           runs->host.attempts.turn->now_realtime, &id);

        if (r < 0) {
                failure_set(&failure, r, r == -ENOENT ? "NoSuchAlarm" : "NoMemory",
                            r == -ENOENT ? "There is no alarm %" PRIu64 " that is open." : "Out of memory.",
                            wanted->alarm);
                manager_run_answer(runs, wanted->ticket, 0, &failure);
                return;
        }
        run = id > 0 ? manager_run_find(runs, id) : NULL;
        if (run)
                manager_run_put_event(runs, run,
                                      (ManagerRunEvent) {
                                              .kind = "alarm",
                                              .new = "acknowledged",
                                              .operator= wanted->operator,
                                              .uid = wanted->uid,
                                      });
        manager_run_await(runs, wanted->ticket, MANAGER_RUN_DONE, id);
}

static void take_acknowledgements(ManagerRuns *runs) {
        for (size_t i = 0; i < runs->acknowledgements.n; i++) {
                acknowledge(runs, &runs->acknowledgements.items[i]);
                free(runs->acknowledgements.items[i].operator);
        }
        vector_clear(&runs->acknowledgements);
}

bool manager_runs_has_work(const ManagerRuns *runs) {
        return runs->has_work;
}

void manager_runs_turn(ManagerRuns *runs) {
        bool has_more = false;

        runs->has_work = false;
        if (is_idle(runs)) {
                send(runs);
                return;
        }
        runs->now = read_clock();
        if (runs->is_refusing &&
            (runs->submits || runs->pending || runs->pushes || runs->acknowledgements.n > 0))
                runs->look_at = runs->now;
        look(runs);
        answer_silence(runs);
        manager_run_submit_triggers(runs);
        manager_run_load_step(runs);
        if (runs->is_loaded) {
                run_engine_wall(runs->engine, runs->now, clock_realtime());
                run_engine_time(runs->engine, runs->now);
                manager_run_submit_all(runs);
                judge_store(runs);
                if (runs->has_missed)
                        manager_run_begin_missed(runs);
                has_more = manager_run_watch(runs);
                has_more |= run_engine_turn(runs->engine, ATTEMPTS_A_TURN);
                manager_run_tell_ends(runs);
                /* Changes that no row repeats wait for a batch that can be made. */
                if (!runs->has_refused)
                        take_acknowledgements(runs);
                manager_run_summarize(runs);
                manager_run_outbox_step(runs);
                put_outline(runs);
                manager_streams_step(runs);
                if (!runs->has_refused)
                        manager_run_retain_drop(runs);
                manager_streams_send(runs, end_batch(runs));
                manager_attempts_store(runs->attempts);
                /* Ends that it tells are in the next batch. */
                has_more |= manager_attempts_step(runs->attempts);
                manager_run_answer_durable(runs);
                manager_stream_answer_durable(runs);
                manager_run_forget_ends(runs);
                manager_run_forget_holds(runs);
                forget_ended(runs);
                revive(runs);
                manager_run_retain_step(runs);
                has_more |= manager_run_remains_step(runs);
                for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                        manager_run_ask_for_unit(runs, flow);
        }
        arm(runs);
        tell_flows(runs);
        /* Before the batch leaves. */
        if (runs->must_commit)
                (void) state_commit(runs->host.attempts.turn->state);
        runs->must_commit = false;
        send(runs);
        if (has_more || runs->has_missed || manager_run_is_reading(runs))
                manager_turn_wake(runs->host.attempts.turn);
}

/* — life — */

static void read_boot(char boot[static 37]) {
        int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, boot, 36);

        boot[MAX(n, 0)] = '\0';
        if (fd >= 0)
                close(fd);
}

DEFINE_CLEANUP(ManagerRuns, manager_runs_free)

static int set_resources(ManagerRuns *runs, const ManagerRunOptions *options) {
        int r = run_engine_set_resource(runs->engine, FLOW_LAUNCHERS, options->max_launchers ?: MANAGER_LAUNCHERS);

        if (r < 0)
                return r;
        strv_foreach(word, options->resources) {
                FlowNeed resource;

                r = flow_need_parse(*word, &resource);
                if (r < 0)
                        return r;
                r = run_engine_set_resource(runs->engine, resource.name, resource.amount);
                free(resource.name);
                if (r < 0)
                        return r;
        }
        return r;
}

static const char *find_holder(void *userdata, const Unit *unit) {
        return manager_attempts_find_holder(((ManagerRuns *) userdata)->attempts, unit);
}

int manager_runs_new(ManagerRuns **ret_runs, const ManagerRunOptions *options, const ManagerRunsHost *host) {
        cleanup_(manager_runs_freep) ManagerRuns *runs = calloc(1, sizeof(*runs));
        ManagerAttemptsHost attempts;
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        int r;

        if (!runs)
                return -ENOMEM;
        runs->host = *host;
        runs->alarm = runs->look_at = runs->summary_at = runs->watch_at = runs->retain_at = USEC_INFINITY;
        runs->watch_pause = manager_run_watch_pause();
        runs->n_processors = n > 0 ? (uint32_t) n : 1;
        runs->loaded = loaded;
        runs->answer_sub = manager_run_answer_part;
        runs->answer_push = manager_stream_answer_submit;
        runs->query = manager_runs_query;
        read_boot(runs->boot);
        runs->now = read_clock();
        attempts = host->attempts;
        attempts.ops = &manager_run_attempts_ops;
        attempts.userdata = runs;
        attempts.folder = host->folder;
        attempts.jobs = host->jobs;
        r = options->path ? manager_run_folder_find_base(options->path, &runs->run_folders) : 0;
        attempts.run_folders = runs->run_folders;
        if (r == 0)
                r = manager_alarms_new(&runs->alarms);
        if (r == 0)
                r = run_engine_new(&runs->engine, &manager_run_host, runs);
        if (r == 0) {
                run_engine_set_slice(runs->engine, NODES_A_TURN);
                r = set_resources(runs, options);
        }
        if (r == 0)
                r = manager_attempts_new(&runs->attempts, &attempts);
        if (r == 0)
                r = manager_run_outbox_new(runs);
        if (r == 0)
                r = manager_run_link_new(&runs->link, options, host->folder, host->attempts.turn->event, &link_ops,
                                         runs);
        if (r < 0)
                return r;
        job_manager_set_holders(host->jobs->engine, &(JobHolders) { find_holder, runs });
        *ret_runs = take_ptr(runs);
        return 0;
}

ManagerRuns *manager_runs_free(ManagerRuns *runs) {
        if (!runs)
                return NULL;
        job_manager_set_holders(runs->host.jobs->engine, NULL);
        runs->load = manager_run_load_free(runs->load);
        manager_run_drop_submits(runs);
        manager_stream_drop_pushes(runs);
        manager_run_drop_triggers(runs);
        manager_run_drop_pending(runs);
        manager_run_drop_retentions(runs);
        manager_run_drop_outlines(runs);
        manager_run_drop_readings(runs);
        manager_attempts_free(runs->attempts);
        manager_run_outbox_free(runs->outbox);
        while (runs->flows) {
                while (runs->flows->first)
                        manager_run_remove(runs, runs->flows->first);
                manager_run_drop_flow(runs, runs->flows);
        }
        manager_run_remains_finish(runs, 0);
        manager_run_drop_spare(runs);
        run_engine_free(runs->engine);
        manager_alarms_free(runs->alarms);
        for (size_t i = 0; i < runs->acknowledgements.n; i++)
                free(runs->acknowledgements.items[i].operator);
        vector_deinit(&runs->acknowledgements);
        manager_run_link_free(runs->link);
        free(runs->run_folders);
        sd_event_source_disable_unref(runs->timer);
        id_map_deinit(&runs->by_id);
        vector_deinit(&runs->ends);
        vector_deinit(&runs->told_ends);
        vector_deinit(&runs->awaited);
        vector_deinit(&runs->left_out);
        vector_deinit(&runs->asked);
        free(runs);
        return NULL;
}

void manager_runs_begin(ManagerRuns *runs, bool is_taken_over) {
        runs->knows_attempts = is_taken_over;
        runs->must_revive = !is_taken_over;
        runs->signals_from = is_taken_over ? usec_add(read_clock(), MANAGER_RUN_SIGNAL_PAUSE) : 0;
        if (runs->run_folders)
                exec_remove_leftovers(runs->run_folders);
        if (manager_run_link_has_file(runs->link))
                manager_run_link_open(runs->link);
}

const char *manager_runs_problem(const ManagerRuns *runs) {
        const char *problem = manager_run_link_problem(runs->link);

        return problem            ? problem
               : runs->has_failed ? "The runs that live cannot be read from their store; this is tried again."
                                  : NULL;
}

void manager_runs_end(ManagerRuns *runs) {
        manager_run_link_end(runs->link);
}

bool manager_runs_is_daemon(const ManagerRuns *runs, pid_t pid) {
        return manager_run_link_is_daemon(runs->link, pid);
}
