/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Submissions: from a unit to a run of it
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_launch_cursor.h"
#include "manager/manager_run_alarm.h"
#include "manager/manager_run_answer.h"
#include "manager/manager_run_folder.h"
#include "manager/manager_run_nodes.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_sub.h"
#include "manager/manager_run_submit.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_trigger.h"
#include "manager/manager_run_value.h"
#include "run/run_name.h"
#include "unitfile/file_text.h"
#include "unitfile/flow_nodes.h"

/* A submission that waits for the store or for its definition. */
struct ManagerSubmit {
        struct ManagerSubmit *next;
        ManagerFlow *flow; /* borrowed */
        FlowDefinition *definition; /* a reference; NULL: not begun */
        ManagerTexts texts; /* of it */
        ManagerNodes *nodes; /* owned: NodesFile=, while it is read; NULL */
        char *key, *trigger; /* owned */
        char *name; /* owned: that is asked for; NULL: as RunName= says */
        char **params; /* owned: assignments, as run_param.h has them */
        ManagerRunFacts facts; /* of the run: what was asked for, and the rest before it is submitted */
        ManagerRunTicket ticket;
        bool is_start; /* of the unit's start job */
        bool is_stopped; /* the unit was stopped since; of a start or a trigger */
        bool is_created; /* it begins when a person resumes it */
        uint64_t first; /* item of a batch */
        bool has_priority;
        uint8_t priority;
        uint64_t query; /* for a run with the key, or with the name; 0: none is under way */
        bool is_new; /* no run has the key */
        bool has_facts, is_free; /* .facts are whole; no run has the name */
        uint32_t found; /* the run that has it; 0: none */
};

/* Lines of NodesFile= that are read in a turn, and bytes before that. */
#define LINES_A_TURN 500U
#define BYTES_A_TURN ((size_t) 256 * 1024)

static void free_submit(ManagerSubmit *submit) {
        flow_definition_unref(submit->definition);
        manager_run_nodes_free(submit->nodes);
        free(submit->key);
        free(submit->trigger);
        free(submit->name);
        strv_free(submit->params);
        manager_run_facts_deinit(&submit->facts);
        free(submit);
}

/* Whether the text of NodesFile= is needed: not if the last definition has been made of it, and of the same unit. */
static bool is_kept(const ManagerKept *kept, const FlowSettings *settings, ManagerTexts *texts) {
        *texts = (ManagerTexts) {};
        if (!kept)
                return false;
        if (settings->nodes_file) {
                if (!seen_file_is_current(&kept->texts.nodes, settings->nodes_file))
                        return false;
                *texts = kept->texts;
        }
        manager_run_hash(settings->text, texts->nodes_hash, texts->hash);
        return memcmp(kept->texts.hash, texts->hash, sizeof(texts->hash)) == 0;
}

/* A ManagerNodesOutcome if the text is not whole yet. */
static int read_nodes(const FlowSettings *settings, ManagerNodes **nodes, size_t n, ManagerTexts *texts,
                      char **ret_text, Failure *ret_failure) {
        int r = 0;

        /* The unit may have been loaded again meanwhile. */
        if (*nodes && !(settings->nodes_file && manager_run_nodes_is_of(*nodes, settings->nodes_file)))
                *nodes = manager_run_nodes_free(*nodes);
        if (!settings->nodes_file)
                return 0;
        if (!*nodes)
                r = manager_run_nodes_begin(settings->nodes_file, nodes, ret_failure);
        return r == 0 ? manager_run_nodes_go_on(*nodes, n, texts, ret_text, ret_failure) : r;
}

int manager_run_define(const ManagerRuns *runs, const Unit *unit, ManagerNodes **nodes, size_t n, ManagerTexts *texts,
                       FlowDefinition **ret_definition, Failure *ret_failure) {
        const FlowSettings *settings = unit->type_settings;
        const ManagerKept *kept = manager_run_find_kept(runs, unit);
        cleanup_free_ char *text = NULL;
        int r;

        if (unit->load_state != UNIT_LOADED || !settings || !settings->text)
                return failure_set(ret_failure, -ENOENT, "NoSuchUnit", "Unit %s is not loaded.", unit->id);
        if (!*nodes && is_kept(kept, settings, texts)) {
                *ret_definition = flow_definition_ref(kept->definition);
                return 0;
        }
        *texts = (ManagerTexts) {};
        r = read_nodes(settings, nodes, n, texts, &text, ret_failure);
        if (r != 0)
                return r;
        manager_run_hash(settings->text, texts->nodes_hash, texts->hash);
        if (kept && memcmp(kept->texts.hash, texts->hash, sizeof(texts->hash)) == 0) {
                *ret_definition = flow_definition_ref(kept->definition);
                return 0;
        }
        return flow_definition_new_with(ret_definition, runs->host.loader, unit->id, settings->text, &text,
                                        ret_failure);
}

int manager_run_apply_params(const FlowDefinition *definition, char *const *params, char **ret_json,
                             Failure *ret_failure) {
        const FlowSettings *settings = flow_definition_settings(definition);
        cleanup_free_ char *problem = NULL;
        int r = 0;

        if (settings->params.items.n > 0 || params)
                r = run_params_apply(&settings->params, params, ret_json, &problem);
        return r == -EINVAL ? failure_set(ret_failure, r, "InvalidArgs", "%s", problem) : r;
}

/* The name that is asked for, that of RunName=, or the default. */
static int make_name(const ManagerSubmit *submit, uint32_t id, ManagerRunFacts *facts, Failure *ret_failure) {
        const FlowSettings *settings = flow_definition_settings(submit->definition);
        const char *unit = submit->flow->unit->id, *wrong = NULL;
        cleanup_free_ char *problem = NULL;
        int r;

        if (submit->name)
                r = text_copy(submit->name, &facts->name);
        else if (settings->run_name)
                r = manager_run_make_name(settings, facts, id, &facts->name, &problem);
        else
                return text_format(&facts->name, "%.*s-%" PRIu32, (int) (strrchr(unit, '.') - unit), unit, id);
        if (r == -EINVAL)
                return failure_set(ret_failure, r, "InvalidArgs", "%s: RunName=: %s", unit, problem ? problem : "");
        wrong = r == 0 ? run_name_judge(facts->name) : NULL;
        return wrong ? failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s: '%s' is no name of a run: it %s.", unit,
                                   facts->name, wrong) :
                       r;
}

/* The facts of the run, beside those of the request, which are there already. */
static int make_facts(ManagerRuns *runs, ManagerSubmit *submit, Failure *ret_failure) {
        ManagerRunFacts *facts = &submit->facts;
        int r;

        if (submit->has_facts)
                return 0;
        facts->created = runs->host.attempts.turn->now_realtime;
        memcpy(facts->definition, submit->texts.hash, sizeof(facts->definition));
        if (text_copy(submit->flow->unit->id, &facts->unit) < 0 || text_copy(submit->key, &facts->key) < 0 ||
            text_copy(submit->trigger, &facts->trigger) < 0)
                return -ENOMEM;
        r = manager_run_apply_params(submit->definition, submit->params, &facts->params, ret_failure);
        if (r == 0)
                r = make_name(submit, runs->last_id + 1, facts, ret_failure);
        submit->has_facts = r == 0;
        return r;
}

static uint64_t key_of(const char *key) {
        uint8_t hash[SHA256_BYTES];
        uint64_t value;

        if (!key)
                return 0;
        sha256(key, strlen(key), hash);
        memcpy(&value, hash, sizeof(value));
        return value | 1;
}

void manager_run_ask_for_unit(ManagerRuns *runs, ManagerFlow *flow) {
        if (run_flow_wants_unit(flow->engine) && flow->unit->active_state != UNIT_ACTIVE &&
            !manager_jobs_has(runs->host.jobs, flow->unit) && !runs->host.ops->is_ending(runs->host.userdata))
                (void) manager_jobs_request(runs->host.jobs, flow->unit, JOB_START, JOB_REPLACE,
                                            "a run of it waits for that");
}

/* A person who asks is told; of a trigger nobody would know why there is no run. */
static void tell_skipped(const ManagerSubmit *submit) {
        const FlowSettings *settings = flow_definition_settings(submit->definition);
        const char *why = settings->has_on_trigger              ? "OnTrigger=skip"
                          : settings->on_busy == FLOW_BUSY_SKIP ? "OnBusy=skip"
                                                                : "OnBusy=queue, and one of that trigger waits already";
        const ManagerRun *run = submit->flow->first;

        while (run && run_state_is_terminal(run->put_state))
                run = run->next;
        if (submit->trigger && run)
                log_write(LOG_LEVEL_INFO, submit->flow->unit->id,
                          "%s makes no run: run %" PRIu32 " has not ended (%s).", submit->trigger, run->id, why);
}

/* Refused by OnBusy= or MaxQueued=: why, as a failure, or none for OnBusy=skip. */
static int refuse_busy(const ManagerSubmit *submit, FlowBusy busy, int error, Failure *ret_failure) {
        const FlowSettings *settings = flow_definition_settings(submit->definition);
        const char *unit = submit->flow->unit->id;

        if (error == -EBUSY && busy == FLOW_BUSY_SKIP) {
                tell_skipped(submit);
                return 0;
        }
        if (error == -ENOBUFS || (error == -EBUSY && busy == FLOW_BUSY_QUEUE))
                return failure_set(ret_failure, error, "Busy",
                                   "%s has %u run%s that wait%s, which is all that MaxQueued= "
                                   "allows.",
                                   unit, settings->max_queued, settings->max_queued == 1 ? "" : "s",
                                   settings->max_queued == 1 ? "s" : "");
        if (error == -EBUSY)
                return failure_set(ret_failure, error, "Busy",
                                   "%s has %u run%s, which is all that MaxRuns= allows, and "
                                   "%s=reject.",
                                   unit, settings->max_runs, settings->max_runs == 1 ? "" : "s",
                                   submit->trigger && settings->has_on_trigger ? "OnTrigger" : "OnBusy");
        if (error == -EAGAIN)
                return failure_set(ret_failure, error, "StoreBusy",
                                   "The store of runs does not take more at present; try again.");
        return failure_set(ret_failure, error, "Failed", "A run of %s cannot be made: %s", unit, strerror(-error));
}

/* Whether a run of the same trigger waits already. */
static bool has_waiting(const ManagerSubmit *submit) {
        for (const ManagerRun *run = submit->flow->first; run; run = run->next)
                if (run->put_state == RUN_QUEUED && text_equal(run->facts.trigger, submit->trigger))
                        return true;
        return false;
}

/* OnBusy=, or what OnTrigger= says for a trigger. */
static FlowBusy busy_of(const ManagerSubmit *submit) {
        const FlowSettings *settings = flow_definition_settings(submit->definition);

        if (!submit->trigger)
                return settings->on_busy;
        if (settings->has_on_trigger)
                return settings->on_trigger;
        if (strv_contains(submit->facts.environment, UNIT_RUN_CATCHES_UP))
                return settings->on_busy;
        return settings->on_busy == FLOW_BUSY_QUEUE && has_waiting(submit) ? FLOW_BUSY_SKIP : settings->on_busy;
}

/* Needs= may be more than Resources= has. */
static int check_resources(const ManagerRuns *runs, const ManagerSubmit *submit, Failure *ret_failure) {
        cleanup_free_ char *problem = NULL;
        int r = run_engine_check(runs->engine, flow_definition_graph(submit->definition), &problem);

        return r < 0 && problem ? failure_set(ret_failure, r, "LoadFailed",
                                              "%s: Needs=: %s See Resources= of [Engine] in jobd.conf.",
                                              submit->flow->unit->id, problem)
                                : r;
}

/* Only items that are numbers can be begun with another than the first. */
static int check_first(const ManagerSubmit *submit, Failure *ret_failure) {
        const char *unit = submit->flow->unit->id;
        const uint64_t n = flow_definition_settings(submit->definition)->range.items;

        if (submit->first == 0 || submit->first < n)
                return 0;
        if (submit->flow->unit->type != UNIT_BATCH)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s is no batch, and has no first item.", unit);
        if (n == 0)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "The items of %s are not known before they are read: leave the first item out.",
                                   unit);
        return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                           "%s has the items 0 to %" PRIu64 ": the first cannot be %" PRIu64 ".", unit, n - 1,
                           submit->first);
}

static int submit_run(ManagerRuns *runs, ManagerSubmit *submit, uint32_t *ret_id, Failure *ret_failure) {
        ManagerFlow *flow = submit->flow;
        const RunSubmit wanted = {
                .id = runs->last_id + 1,
                .key = key_of(submit->key),
                .graph = flow_definition_graph(submit->definition),
                .is_paused = submit->is_created,
                .has_priority = submit->has_priority,
                .priority = submit->priority,
                .parent = submit->facts.parent,
                .parent_node = manager_run_find_parent_node(runs, &submit->facts),
        };
        const FlowBusy busy = busy_of(submit);
        ManagerRun *run = NULL;
        int r = check_first(submit, ret_failure);

        if (r < 0)
                return r;
        /* The store may have been asked for its name meanwhile, while another run has ended. */
        submit->facts.created = runs->host.attempts.turn->now_realtime;
        r = manager_run_add(flow, runs, wanted.id, submit->definition, &submit->facts, &run);
        if (r < 0)
                return r;
        if (submit->first > 0)
                r = manager_launch_put_first(runs, run, submit->first);
        if (r < 0) {
                manager_run_remove(runs, run);
                return r;
        }
        /* A store that was lost may have had a run of that number. */
        if (flow_definition_settings(submit->definition)->run_directory)
                manager_run_folder_remove(runs->run_folders, wanted.id);
        manager_run_set_settings(runs, flow, flow_definition_settings(submit->definition), busy);
        *ret_id = wanted.id;
        r = run_engine_submit(flow->engine, &wanted, ret_id);
        if (r < 0 || *ret_id != wanted.id)
                manager_run_remove(runs, run);
        else {
                runs->last_id = wanted.id;
                run->has_no_elements = true;
        }
        if (r < 0)
                *ret_id = 0;
        if (r == -ENOBUFS || (r == -EBUSY && busy == FLOW_BUSY_QUEUE))
                manager_run_raise_queue(runs, flow, flow_definition_settings(submit->definition)->max_queued);
        return r < 0 ? refuse_busy(submit, busy, r, ret_failure) : 0;
}

/* The start of the unit was to submit a run. */
static void end_start(ManagerFlow *flow, const Failure *failure) {
        flow->is_starting = false;
        flow->is_news = true;
        flow->problem = NULL;
        if (!failure)
                return;
        log_write(LOG_LEVEL_ERROR, flow->unit->id, "%s", failure_message(failure));
        flow->problem = "no run could be made";
}

/* — keys — */

static RunStoreFilter equal_text(unsigned column, const char *text) {
        return (RunStoreFilter) {
                .column = column,
                .compare = RUNSTORE_EQUAL,
                .value = { .type = RUNSTORE_TEXT, .bytes = text, .n = strlen(text) },
        };
}

/* For a run that has what this one would have. Without a link it is asked in a later turn. */
static void ask(ManagerRuns *runs, ManagerSubmit *submit, RunStoreQuery *query) {
        query->table = RUNSTORE_RUN;
        query->columns = UINT64_C(1) << RUN_ROW_ID;
        query->limit = 1;
        if (submit->query == 0 && manager_run_link_query(runs->link, query, &submit->query) < 0)
                submit->query = 0;
}

/* A run of the unit with the key may have ended: the store knows. Returns false if it has to be waited for. */
static bool knows_key(ManagerRuns *runs, ManagerSubmit *submit) {
        const char *unit = submit->flow->unit->id;
        if (!submit->key || submit->is_new || submit->found > 0)
                return true;
        /* One that was submitted a moment ago is not in the store yet. */
        for (const ManagerRun *run = submit->flow->first; run && submit->found == 0; run = run->next)
                if (text_equal(run->facts.key, submit->key))
                        submit->found = run->id;
        if (submit->found > 0)
                return true;
        ask(runs, submit,
            &(RunStoreQuery) {
                    .n_filters = 2,
                    .filters = { equal_text(RUN_ROW_UNIT, unit), equal_text(RUN_ROW_KEY, submit->key) },
            });
        return false;
}

/* — names — */

static int refuse_name(const ManagerSubmit *submit, uint32_t run, Failure *ret_failure) {
        return failure_set(ret_failure, -EEXIST, "NameTaken", "Run %" PRIu32 " has the name '%s' already.", run,
                           submit->facts.name);
}

/* 0: no other run has the name; 1: the store is asked; or -EEXIST. */
static int claim_name(ManagerRuns *runs, ManagerSubmit *submit, Failure *ret_failure) {
        const ManagerRun *other = manager_run_find_name(runs, submit->facts.name);

        if (other)
                return refuse_name(submit, other->id, ret_failure);
        if (submit->found > 0)
                return refuse_name(submit, submit->found, ret_failure);
        if (submit->is_free)
                return 0;
        ask(runs, submit,
            &(RunStoreQuery) {
                    .n_filters = 2,
                    .filters = { equal_text(RUN_ROW_NAME, submit->facts.name),
                                 { .column = RUN_ROW_VALID,
                                   .compare = RUNSTORE_EQUAL,
                                   .value = { .type = RUNSTORE_INTEGER, .integer = 1 } } },
            });
        return 1;
}

/* — answers — */

static ManagerSubmit *find_query(const ManagerRuns *runs, uint64_t query) {
        ManagerSubmit *submit = runs->submits;

        while (submit && submit->query != query)
                submit = submit->next;
        return submit;
}

bool manager_run_submit_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page) {
        ManagerSubmit *submit = find_query(runs, query);
        ManagerRunValues values;

        if (!submit)
                return false;
        submit->query = 0;
        submit->is_free = submit->has_facts;
        submit->is_new = true;
        if (manager_run_values_next(page, &values) > 0)
                submit->found = (uint32_t) manager_run_values_number(&values, RUN_ROW_ID);
        runs->host.attempts.turn->has_news = true;
        return true;
}

bool manager_run_submit_refused(ManagerRuns *runs, uint64_t query) {
        ManagerSubmit *submit = find_query(runs, query);

        if (!submit)
                return false;
        submit->query = 0;
        return true;
}

/* — in a turn — */

/* A trigger gives way to a stop of the unit, as a start would. */
static bool gives_way(const ManagerRuns *runs, const ManagerSubmit *submit) {
        if (!submit->trigger ||
            (!submit->is_stopped && !manager_jobs_is_stopping(runs->host.jobs, submit->flow->unit)))
                return false;
        log_write(LOG_LEVEL_INFO, submit->flow->unit->id,
                  "%s has triggered it while it is being stopped: there will be no run.", submit->trigger);
        return true;
}

static void pause_reading(const ManagerRuns *runs, ManagerSubmit *submit) {
        log_write(LOG_LEVEL_INFO, submit->flow->unit->id,
                  "The file of NodesFile= was written to while it was read: it is read again.");
        submit->flow->paused_until = usec_add(runs->now, manager_run_nodes_pause(submit->nodes));
}

/* Returns false if it must wait for another turn. */
static bool try_submit(ManagerRuns *runs, ManagerSubmit *submit, unsigned *n_lines) {
        cleanup_(failure_deinit) Failure failure = {};
        uint32_t id = 0;
        int r = 0;

        /* A later start of the unit submits for itself. */
        if (submit->is_start && submit->is_stopped)
                return true;
        /* The store has given back a run that lives, after the start of the unit had asked for one. */
        if (submit->is_start && manager_run_count_live(runs, submit->flow) > 0) {
                end_start(submit->flow, NULL);
                return true;
        }
        if (!knows_key(runs, submit))
                return false;
        if (submit->found > 0 && !submit->has_facts) {
                manager_run_await(runs, submit->ticket, MANAGER_RUN_SUBMITTED, submit->found);
                return true;
        }
        if (gives_way(runs, submit)) {
                manager_run_answer(runs, submit->ticket, 0, NULL);
                return true;
        }
        if (!submit->definition)
                r = manager_run_define(runs, submit->flow->unit, &submit->nodes, BYTES_A_TURN, &submit->texts,
                                       &submit->definition, &failure);
        if (r == MANAGER_NODES_AGAIN) {
                pause_reading(runs, submit);
                return false;
        }
        if (r == 0) {
                submit->nodes = manager_run_nodes_free(submit->nodes);
                r = flow_definition_read(submit->definition, *n_lines, &failure);
        }
        if (r > 0) {
                *n_lines = 0;
                return false;
        }
        if (r == 0) {
                manager_run_keep_definition(runs, submit->flow, submit->definition, &submit->texts);
                r = check_resources(runs, submit, &failure);
        }
        if (r == 0)
                r = make_facts(runs, submit, &failure);
        if (r == 0)
                r = claim_name(runs, submit, &failure);
        if (r > 0)
                return false;
        if (r == 0)
                r = submit_run(runs, submit, &id, &failure);
        if (r < 0 && !failure.code)
                failure_set(&failure, r, "Failed", "A run of %s cannot be made: %s", submit->flow->unit->id,
                            strerror(-r));
        if (submit->is_start)
                end_start(submit->flow, r < 0 ? &failure : NULL);
        if (r < 0)
                manager_run_answer(runs, submit->ticket, 0, &failure);
        else
                manager_run_await(runs, submit->ticket, MANAGER_RUN_SUBMITTED, id);
        return true;
}

void manager_run_stop_submits(ManagerRuns *runs, ManagerFlow *flow) {
        for (ManagerSubmit *submit = runs->submits; submit; submit = submit->next) {
                if (submit->flow != flow || (!submit->is_start && !submit->trigger))
                        continue;
                submit->is_stopped = true;
                if (submit->is_start)
                        flow->is_starting = false;
        }
}

/* One whose file is written to holds up those of its own flow only. */
static bool is_paused(const ManagerRuns *runs, const ManagerSubmit *submit) {
        return submit->flow->paused_until > runs->now;
}

void manager_run_submit_all(ManagerRuns *runs) {
        ManagerSubmit **at = &runs->submits, *submit;
        unsigned n_lines = LINES_A_TURN;

        while (runs->is_loaded && n_lines > 0 && (submit = *at)) {
                if (is_paused(runs, submit)) {
                        at = &submit->next;
                } else if (try_submit(runs, submit, &n_lines)) {
                        *at = submit->next;
                        free_submit(submit);
                } else if (!is_paused(runs, submit))
                        break;
        }
}

usec_t manager_run_submit_next(const ManagerRuns *runs) {
        usec_t next = USEC_INFINITY;

        for (const ManagerSubmit *submit = runs->submits; submit; submit = submit->next)
                if (is_paused(runs, submit))
                        next = MIN(next, submit->flow->paused_until);
        return next;
}

static int copy_request(const ManagerRunRequest *request, ManagerSubmit *submit) {
        ManagerRunFacts *facts = &submit->facts;

        facts->uid = request->uid;
        facts->parent = request->parent;
        if (text_copy(request->key, &submit->key) < 0 || text_copy(request->trigger, &submit->trigger) < 0 ||
            text_copy(request->parent_node, &facts->parent_node) < 0 ||
            text_copy(request->name, &submit->name) < 0 ||
            text_copy(request->operator, & facts->operator) < 0 || text_copy(request->client, &facts->client) < 0 ||
            text_copy(request->namespace, &facts->namespace) < 0 || text_copy(request->reqid, &facts->reqid) < 0 ||
            (request->params && strv_copy(request->params, &submit->params) < 0))
                return -ENOMEM;
        return strv_copy(request->environment, &facts->environment);
}

int manager_run_add_submit(ManagerRuns *runs, ManagerFlow *flow, const ManagerRunRequest *request, bool is_start) {
        ManagerSubmit *submit = calloc(1, sizeof(*submit)), **last = &runs->submits;

        if (!submit)
                return -ENOMEM;
        if (copy_request(request, submit) < 0) {
                free_submit(submit);
                return -ENOMEM;
        }
        submit->flow = flow;
        submit->is_created = request->is_created;
        submit->first = request->first;
        submit->has_priority = request->has_priority;
        submit->priority = request->priority;
        submit->ticket = request->ticket;
        submit->is_start = is_start;
        while (*last)
                last = &(*last)->next;
        *last = submit;
        manager_run_note_work(runs);
        return 0;
}

int manager_runs_submit(ManagerRuns *runs, const ManagerRunRequest *request, Failure *ret_failure) {
        ManagerFlow *flow;
        Unit *unit;
        int r = manager_run_link_require(runs->link, ret_failure);

        if (r < 0)
                return r;
        if (request->parent == 0 && request->key && text_starts_with(request->key, MANAGER_RUN_SUB_KEY))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "A key that begins with '" MANAGER_RUN_SUB_KEY "' is that of a node with Flow=.");
        r = unit_table_load(runs->host.units, request->unit, &unit);
        if (r < 0)
                return failure_set(ret_failure, r, "InvalidName", "'%s' is not a valid name of a unit.", request->unit);
        if (!unit_type_has_runs(unit->type))
                return failure_set(ret_failure, -EINVAL, "NotSupported", "%s is no flow, batch or stream.", unit->id);
        if (unit->load_state != UNIT_LOADED)
                return failure_copy(ret_failure, &unit->load_failure);
        if (runs->host.ops->is_ending(runs->host.userdata))
                return failure_set(ret_failure, -ESHUTDOWN, "ShuttingDown", "The manager ends, and takes no run.");
        flow = manager_run_flow(runs, unit);
        r = flow ? manager_run_add_submit(runs, flow, request, false) : -ENOMEM;
        return r < 0 ? failure_set(ret_failure, r, "NoMemory", "Out of memory.") : 0;
}

void manager_run_submit_triggers(ManagerRuns *runs) {
        ManagerRunRequest request;

        while (manager_run_next_trigger(runs, &request)) {
                cleanup_(failure_deinit) Failure failure = {};

                if (manager_runs_submit(runs, &request, &failure) < 0)
                        manager_run_answer(runs, request.ticket, 0, &failure);
        }
}

bool manager_run_is_reading(const ManagerRuns *runs) {
        const ManagerSubmit *submit = runs->submits;

        while (submit && is_paused(runs, submit))
                submit = submit->next;
        return runs->is_loaded && submit &&
               (submit->nodes || (submit->definition && !flow_definition_is_read(submit->definition)));
}

bool manager_run_is_submitted_to(const ManagerRuns *runs, const ManagerFlow *flow) {
        for (const ManagerSubmit *submit = runs->submits; submit; submit = submit->next)
                if (submit->flow == flow)
                        return true;
        return false;
}

void manager_run_refuse_submits(ManagerRuns *runs, const Failure *failure, bool has_starts) {
        ManagerSubmit **at = &runs->submits, *submit;

        while ((submit = *at)) {
                if (submit->ticket.a == MANAGER_RUN_OF_TRIGGER || submit->ticket.a == MANAGER_RUN_OF_SUB ||
                    (submit->is_start && !has_starts)) {
                        at = &submit->next;
                        continue;
                }
                *at = submit->next;
                if (submit->is_start)
                        end_start(submit->flow, failure);
                else
                        manager_run_answer(runs, submit->ticket, 0, failure);
                free_submit(submit);
        }
}

void manager_run_drop_submits(ManagerRuns *runs) {
        while (runs->submits) {
                ManagerSubmit *submit = runs->submits;

                runs->submits = submit->next;
                free_submit(submit);
        }
}
