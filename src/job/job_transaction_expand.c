/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Anchors and the jobs that they pull in
 *
 * The list of candidates is also the worklist: candidates appended during the
 * walk are expanded in turn, without recursion. PropagatesStopTo= depends on
 * the target's candidates, so it is expanded last. A candidate whose unit
 * cannot be used fails; the failure propagates over needed edges and is
 * remembered, so loading is tried once.
 */

#include <assert.h>

#include "job/job_transaction_rule.h"
#include "job/job_transaction_stage.h"
#include "job/job_transaction_walk.h"

static void job_candidate_fail(JobTransaction *transaction, JobCandidate *candidate, int code, const char *name,
                               const char *fallback) {
        const Unit *unit = candidate->unit;

        transaction->n_failed++;
        candidate->has_failed = true;
        candidate->is_unusable = true;
        candidate->failure_code = code;
        candidate->failure_name = name;
        candidate->failure_message = unit->load_failure.code < 0 ?
                job_stage_format(transaction, "%s", failure_message(&unit->load_failure)) :
                job_stage_format(transaction, fallback, unit->id);
}

/* A stop is allowed for a missing or masked unit, which may still run. */
static void job_candidate_check_load(JobTransaction *transaction, JobCandidate *candidate) {
        if (candidate->type == JOB_STOP)
                return;

        switch (candidate->unit->load_state) {
        case UNIT_LOADED:
                return;
        case UNIT_NOT_FOUND:
                job_candidate_fail(transaction, candidate, -ENOENT, "NoSuchUnit", "Unit %s not found.");
                return;
        case UNIT_BAD_SETTING:
                job_candidate_fail(transaction, candidate, -ENOEXEC, "BadUnitSetting",
                                   "Unit %s has a bad unit file setting.");
                return;
        case UNIT_MASKED:
                job_candidate_fail(transaction, candidate, -ERFKILL, "UnitMasked", "Unit %s is masked.");
                return;
        case UNIT_STUB:
        case UNIT_ERROR:
        case _UNIT_LOAD_STATE_MAX:
        case _UNIT_LOAD_STATE_INVALID:
                job_candidate_fail(transaction, candidate, -EIO, "LoadFailed", "Unit %s failed to load.");
                return;
        }
}

static int job_transaction_stage_one(JobTransaction *transaction, Unit *unit, JobType type,
                                     JobCandidate **ret_candidate) {
        bool is_new;
        int r;

        r = job_stage_add(transaction, unit, type, ret_candidate, &is_new);
        if (r < 0 || !is_new)
                return r;

        job_candidate_check_load(transaction, *ret_candidate);
        return 0;
}

/* Collapses @type by the unit's state. @ret_absorbs_start: the result is a reload that stands for a start, too. */
static JobType job_transaction_resolve(JobTransaction *transaction, const Unit *unit, JobType type,
                                       bool *ret_absorbs_start) {
        const JobUnitEntry *entry = job_table_peek(transaction->installed, unit->index);

        return job_type_resolve(type, unit->active_state, job_unit_entry_is_starting(entry),
                                job_unit_entry_has_stop(entry), ret_absorbs_start);
}

/*
 * Records a job that its unit does not support and its puller does not need: no candidate, only an edge for the report.
 */
static int job_transaction_note_not_applicable(JobTransaction *transaction, JobCandidate *puller, Unit *unit,
                                               JobType type, const UnitRelation *relation, JobEdge edge) {
        JobCandidate *noted = arena_alloc(&transaction->arena, sizeof(*noted));
        JobEdge *pulled = arena_alloc(&transaction->arena, sizeof(*pulled));

        if (!noted || !pulled)
                return -ENOMEM;

        *pulled = edge;
        pulled->subject = puller;
        if (relation) {
                pulled->declared_there = relation->here == UNIT_ORIGIN_NONE;
                pulled->origin = pulled->declared_there ? relation->there : relation->here;
        }
        *noted = (JobCandidate) { .unit = unit, .index = unit->index, .type = type, .pullers_first = pulled };
        job_stage_note(transaction, noted, JOB_DROP_NOT_APPLICABLE,
                       job_stage_format(transaction, "%s has no %s", unit->id, job_type_to_string(type)));
        return 0;
}

int job_transaction_pull(JobTransaction *transaction, JobCandidate *puller, Unit *unit, JobType type,
                         const UnitRelation *relation, JobEdge edge) {
        JobType pulled_as = type;
        JobCandidate *candidate;
        bool absorbs_start;
        int r;

        /* The unit file may have appeared since the last search; one search per transaction is enough. */
        if (unit->load_state != UNIT_LOADED && type != JOB_STOP && !job_stage_find(transaction, unit, type)) {
                r = unit_table_load_unit(transaction->units, unit, &unit);
                if (r < 0)
                        return r;
        }

        if (!job_type_is_applicable(type, unit))
                return job_transaction_note_not_applicable(transaction, puller, unit, type, relation, edge);

        type = job_transaction_resolve(transaction, unit, type, &absorbs_start);
        if (type == JOB_NOP)
                return 0;

        r = job_transaction_stage_one(transaction, unit, type, &candidate);
        if (r < 0)
                return r;
        if (candidate->pulled_as == _JOB_TYPE_INVALID)
                candidate->pulled_as = pulled_as;
        if (candidate->has_failed && candidate->is_gone) {
                if (!edge.is_needed)
                        return 0;
                transaction->n_failed++;
        }
        return job_stage_connect(transaction, puller, candidate, relation, edge);
}

/* Finds a candidate pulled in with the same type: unit and installed jobs need not be checked again. */
static JobCandidate *job_transaction_find_pulled(const JobTransaction *transaction, uint32_t unit, JobType type) {
        if (unit >= transaction->n_stage)
                return NULL;
        for (JobCandidate *c = transaction->stage[unit].first; c; c = c->next_of_unit)
                if (c->pulled_as == type && !c->is_gone && !c->has_failed)
                        return c;
        return NULL;
}

static int job_transaction_pull_by_rules(JobTransaction *transaction, JobCandidate *candidate,
                                         const JobPullRules *rules) {
        for (size_t k = 0; k < rules->n; k++) {
                const JobPullRule *rule = &rules->items[k];

                for (size_t i = 0; i < unit_relations(candidate->unit, rule->relation).n; i++) {
                        UnitRelation relation = unit_relations(candidate->unit, rule->relation).items[i];
                        JobEdge edge = {
                                .relation = (uint8_t) rule->relation,
                                .is_needed = rule->is_needed,
                                .conflicts = rule->conflicts,
                        };
                        JobCandidate *pulled = job_transaction_find_pulled(transaction, relation.other, rule->type);
                        int r;

                        if (pulled)
                                r = job_stage_connect(transaction, candidate, pulled, &relation, edge);
                        else
                                r = job_transaction_pull(transaction, candidate,
                                                         unit_table_at(transaction->units, relation.other), rule->type,
                                                         &relation, edge);
                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

/* A stop that stops nothing is passed on to nobody: systemd.unit(5) propagates what is really done to a unit. */
static bool job_candidate_stops_something(const JobTransaction *transaction, const JobCandidate *candidate) {
        if (candidate->is_anchor || !job_type_is_redundant(JOB_STOP, candidate->unit->active_state))
                return true;
        return job_unit_entry_conflicts(job_table_peek(transaction->installed, candidate->index), JOB_STOP);
}

static int job_transaction_expand_one(JobTransaction *transaction, JobCandidate *candidate) {
        bool with_dependents;
        int r = 0;

        if (candidate->has_failed || candidate->is_gone)
                return 0;

        if (candidate->type == JOB_START || candidate->type == JOB_RESTART)
                r = job_transaction_pull_by_rules(transaction, candidate, &job_rules_start);

        with_dependents = candidate->type == JOB_RESTART ||
                          (candidate->is_anchor && transaction->mode == JOB_RESTART_DEPENDENCIES);
        if (r == 0 && with_dependents)
                r = job_transaction_pull_by_rules(transaction, candidate, &job_rules_restart);
        if (r == 0 && candidate->type == JOB_STOP && job_candidate_stops_something(transaction, candidate))
                r = job_transaction_pull_by_rules(transaction, candidate, &job_rules_stop);
        if (r == 0 && candidate->type == JOB_RELOAD)
                r = job_transaction_pull_by_rules(transaction, candidate, &job_rules_reload);
        return r;
}

static void job_transaction_fail_puller(JobTransaction *transaction, const JobCandidate *failed, const JobEdge *edge) {
        JobCandidate *subject = edge->subject;

        if (!edge->is_needed || subject->has_failed)
                return;

        subject->has_failed = true;
        subject->failure_code = failed->failure_code;
        subject->failure_name = failed->failure_name;
        subject->failure_message = failed->failure_message;
        if (vector_push(&transaction->work, subject) < 0)
                transaction->is_incomplete = true;
}

static int job_transaction_refuse_failed(JobTransaction *transaction, const JobCandidate *anchor) {
        const char *message = anchor->failure_message;

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *c = transaction->candidates.items[i];

                /* The first failure in this chain, whose message gets the way to the anchor. */
                if (c != anchor && c->is_unusable && c->failure_message == anchor->failure_message) {
                        message = job_stage_format(transaction, "%s Needed by: %s.", anchor->failure_message,
                                                   job_stage_chain(transaction, c));
                        break;
                }
        }
        return job_transaction_refuse(transaction, anchor->failure_code, anchor->failure_name, message);
}

/* Propagates failures over needed edges: the failure of an anchor refuses the transaction; at other edges it ends. */
static int job_transaction_spread_failures(JobTransaction *transaction) {
        if (transaction->n_failed == 0)
                return 0;

        transaction->n_failed = 0;
        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];

                /* Dropped candidates as well, because they may have been pulled in again since. */
                if (candidate->has_failed && vector_push(&transaction->work, candidate) < 0)
                        return -ENOMEM;
        }

        /* In order, so that the refusal names the first failure. */
        for (size_t i = 0; i < transaction->work.n; i++) {
                const JobCandidate *failed = transaction->work.items[i];

                for (const JobEdge *edge = failed->pullers_first; edge; edge = edge->next_of_object)
                        job_transaction_fail_puller(transaction, failed, edge);
        }

        vector_clear(&transaction->work);

        for (size_t i = 0; i < transaction->anchors.n; i++)
                if (transaction->anchors.items[i]->has_failed)
                        return job_transaction_refuse_failed(transaction, transaction->anchors.items[i]);

        job_stage_drop_failed(transaction);
        job_stage_sweep(transaction);
        return transaction->is_incomplete ? -ENOMEM : 0;
}

static bool job_stage_has(const JobTransaction *transaction, const Unit *unit, JobType type) {
        const JobCandidate *candidate = job_stage_find(transaction, unit, type);

        return candidate && !candidate->is_gone;
}

/* Expands PropagatesStopTo= of one candidate; the effect depends on the candidates of the target. */
static int job_transaction_propagate_stop(JobTransaction *transaction, JobCandidate *candidate) {
        for (size_t i = 0; i < unit_relations(candidate->unit, UNIT_PROPAGATES_STOP_TO).n; i++) {
                UnitRelation relation = unit_relations(candidate->unit, UNIT_PROPAGATES_STOP_TO).items[i];
                Unit *other = unit_table_at(transaction->units, relation.other);
                JobEdge edge = { .relation = UNIT_PROPAGATES_STOP_TO, .is_needed = true };
                JobType type;
                int r;

                if (job_stage_has(transaction, other, JOB_STOP) || job_stage_has(transaction, other, JOB_RESTART))
                        continue;

                type = job_stage_has(transaction, other, JOB_START) ? JOB_RESTART : JOB_STOP;
                r = job_transaction_pull(transaction, candidate, other, type, &relation, edge);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int job_transaction_expand_staged(JobTransaction *transaction) {
        for (; transaction->n_expanded < transaction->candidates.n; transaction->n_expanded++) {
                size_t at = transaction->n_expanded;
                int r;

                job_walk_expansion(transaction, at);
                r = job_transaction_expand_one(transaction, transaction->candidates.items[at]);
                if (r < 0)
                        return r;
        }
        return job_transaction_spread_failures(transaction);
}

int job_transaction_expand_pending(JobTransaction *transaction) {
        int r;

        if (transaction->mode == JOB_IGNORE_DEPENDENCIES || transaction->mode == JOB_IGNORE_REQUIREMENTS)
                return job_transaction_spread_failures(transaction);

        r = job_transaction_expand_staged(transaction);
        for (; r == 0 && transaction->n_propagated < transaction->candidates.n; transaction->n_propagated++) {
                JobCandidate *candidate = transaction->candidates.items[transaction->n_propagated];

                if (candidate->is_gone || (candidate->type != JOB_STOP && candidate->type != JOB_RESTART))
                        continue;
                if (candidate->type == JOB_STOP && !job_candidate_stops_something(transaction, candidate))
                        continue;
                r = job_transaction_propagate_stop(transaction, candidate);
                if (r == 0)
                        r = job_transaction_expand_staged(transaction);
        }
        return r;
}

static int job_request_check_mode(JobTransaction *transaction, const Unit *unit, JobType type) {
        const char *message;

        if ((transaction->mode == JOB_ISOLATE || transaction->mode == JOB_RESTART_DEPENDENCIES) && type != JOB_START) {
                message = job_stage_format(transaction,
                                           "Job mode %s is only valid for job type start, not for %s of %s.",
                                           job_mode_to_string(transaction->mode), job_type_to_string(type), unit->id);
                return job_transaction_refuse(transaction, -EINVAL, "InvalidArgs", message);
        }
        if (transaction->mode == JOB_TRIGGERING && type != JOB_STOP) {
                message = job_stage_format(transaction,
                                           "Job mode triggering is only valid for job type stop, not for %s of %s.",
                                           job_type_to_string(type), unit->id);
                return job_transaction_refuse(transaction, -EINVAL, "InvalidArgs", message);
        }
        if (transaction->mode == JOB_ISOLATE && unit->load_state == UNIT_LOADED && !unit->settings.allow_isolate) {
                message = job_stage_format(transaction,
                                           "Unit %s may not be isolated: it does not have AllowIsolate=yes.",
                                           unit->id);
                return job_transaction_refuse(transaction, -EPERM, "NoIsolation", message);
        }
        return 0;
}

/* RefuseManualStart= and RefuseManualStop= apply to requests of persons and programs. */
static int job_request_check_manual(JobTransaction *transaction, const Unit *unit, JobType type) {
        bool restarts = type == JOB_RESTART || type == JOB_TRY_RESTART;
        bool absorbs_start;
        bool starts = restarts || job_transaction_resolve(transaction, unit, type, &absorbs_start) == JOB_START;
        bool stops = type == JOB_STOP || restarts;
        const char *setting = NULL;

        if (starts && unit->settings.refuse_manual_start)
                setting = "RefuseManualStart=yes";
        else if (stops && unit->settings.refuse_manual_stop)
                setting = "RefuseManualStop=yes";
        if (!setting)
                return 0;

        return job_transaction_refuse(transaction, -EINVAL, "OnlyByDependency",
                                      job_stage_format(transaction,
                                                       "Unit %s has %s: a %s can only be pulled in by another unit.",
                                                       unit->id, setting, job_type_to_string(type)));
}

static JobType job_request_type(const JobRequest *request, const Unit *unit) {
        if (!request->reload_if_possible || !unit_can_reload(unit))
                return request->type;
        if (request->type == JOB_RESTART)
                return JOB_RELOAD_OR_START;
        return request->type == JOB_TRY_RESTART ? JOB_TRY_RELOAD : request->type;
}

static int job_transaction_add_anchor(JobTransaction *transaction, const JobRequest *request) {
        JobCandidate *candidate;
        bool absorbs_start;
        JobType type;
        Unit *unit;
        int r;

        r = unit_table_load(transaction->units, request->unit, &unit);
        if (r == -EINVAL)
                return job_transaction_refuse(transaction, -EINVAL, "InvalidArgs",
                                              job_stage_format(transaction, "\"%s\" is not a valid name of a unit.",
                                                               request->unit));
        if (r < 0)
                return r;

        type = job_request_type(request, unit);
        r = job_request_check_mode(transaction, unit, type);
        if (r == 0 && request->is_manual)
                r = job_request_check_manual(transaction, unit, type);
        if (r != 0)
                return r;

        /* A unit that is not loaded gets the error of its load state, not of what it cannot do. */
        if ((unit->load_state == UNIT_LOADED || type == JOB_STOP) && !job_type_is_applicable(type, unit))
                return job_transaction_refuse(transaction, -EBADR, "JobTypeNotApplicable",
                                              job_stage_format(transaction,
                                                               "Job type %s is not applicable for unit %s.",
                                                               job_type_to_string(type), unit->id));

        type = job_transaction_resolve(transaction, unit, type, &absorbs_start);
        r = job_transaction_stage_one(transaction, unit, type, &candidate);
        if (r < 0)
                return r;
        job_stage_touch(transaction);
        candidate->is_anchor = true;
        candidate->absorbs_start |= absorbs_start;
        return vector_push(&transaction->anchors, candidate);
}

int job_transaction_expand(JobTransaction *transaction, const JobRequest *requests, size_t n) {
        int r;

        for (size_t i = 0; i < n; i++) {
                r = job_transaction_add_anchor(transaction, &requests[i]);
                if (r != 0)
                        return r;
        }
        return job_transaction_expand_pending(transaction);
}
