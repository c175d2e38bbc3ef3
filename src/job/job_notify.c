/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Follow-up requests caused by changes of units
 *
 * If memory is short a request is lost, as if it had been refused; the change
 * itself is never lost.
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "basic/text.h"
#include "basic/usec.h"
#include "job/job_notify.h"

/* The limit of a unit's rules: more actions would be a loop. */
#define RULE_LIMIT_INTERVAL (10 * USEC_PER_SEC)
#define RULE_LIMIT_BURST 16U

struct JobRuleLimit {
        uint32_t unit;
        uint32_t n;
        uint64_t since;
        uint8_t delayed;                /* JobRule: to be queued again at the end of the interval */
        struct JobRuleLimit *next;
};

void job_notify_init(JobNotify *notify, UnitTable *units) {
        *notify = (JobNotify) { .units = units, .next_retry = USEC_INFINITY };
}

static void limit_free(JobNotify *notify, JobRuleLimit **place) {
        JobRuleLimit *limit = *place;

        *place = limit->next;
        id_map_remove(&notify->limits_by_unit, limit->unit + 1);
        free(limit);
}

void job_notify_deinit(JobNotify *notify) {
        JobFollowUp follow_up;

        while (job_notify_next(notify, &follow_up)) {
                job_name_unref(follow_up.unit);
                job_name_unref(follow_up.reason);
        }
        while (notify->limits)
                limit_free(notify, &notify->limits);
        id_map_deinit(&notify->limits_by_unit);
        vector_deinit(&notify->follow_ups);
        vector_deinit(&notify->queue);
        free(notify->rules);
        notify->rules = NULL;
}

int job_notify_request(JobNotify *notify, const Unit *unit, JobType type, JobMode mode, JobName *reason) {
        JobFollowUp follow_up = { .type = type, .mode = mode, .reason = job_name_ref(reason) };

        follow_up.unit = job_name_new(unit->id);
        if (follow_up.unit && vector_push(&notify->follow_ups, follow_up) == 0)
                return 0;

        job_name_unref(follow_up.unit);
        job_name_unref(follow_up.reason);
        return -ENOMEM;
}

bool job_notify_next(JobNotify *notify, JobFollowUp *ret_follow_up) {
        if (notify->next >= notify->follow_ups.n) {
                notify->next = 0;
                vector_clear(&notify->follow_ups);
                return false;
        }

        *ret_follow_up = notify->follow_ups.items[notify->next++];
        return true;
}

bool job_notify_is_empty(const JobNotify *notify) {
        return notify->next >= notify->follow_ups.n && notify->queue.n == 0;
}

static Unit *other_of(const JobNotify *notify, const UnitRelations *relations, size_t i) {
        return unit_table_at(notify->units, relations->items[i].other);
}

static JobName *reason_of(const Unit *unit, UnitActiveState new) {
        char text[UNIT_NAME_MAX + 64];

        snprintf(text, sizeof(text), "unit %s changed to %s", unit->id, unit_active_state_to_string(new));
        return job_name_new(text);
}

/*
 * Adds a request whose reason names the relation and its declaration; without memory for that, a request without the
 * names.
 */
static int request_by(JobNotify *notify, const Unit *unit, UnitRelationKind kind, const UnitRelation *relation,
                      JobType type, JobMode mode, JobName *reason) {
        bool declared_there = relation->here == UNIT_ORIGIN_NONE;
        const Unit *other = unit_table_at(notify->units, relation->other);
        char declaration[JOB_DECLARATION_TEXT_MAX], origin[512];
        cleanup_free_ char *text = NULL;
        cleanup_(job_name_unrefp) JobName *own = NULL;

        unit_origin_format(notify->units, declared_there ? relation->there : relation->here, origin, sizeof(origin));
        job_declaration_format(kind, declared_there, unit->id, other->id, origin, declaration);
        if (reason && text_format(&text, "%s: %s", reason->string, declaration) == 0)
                own = job_name_new(text);
        return job_notify_request(notify, other, type, mode, own ?: reason);
}

/* Requests starts of the units that a job of @unit would have pulled in, except those that @unit is After. */
static void request_starts(JobNotify *notify, const Unit *unit, UnitRelationKind kind, JobMode mode,
                           JobName *reason) {
        UnitRelations relations = unit_relations(unit, kind);

        for (size_t i = 0; i < relations.n; i++) {
                const Unit *other = other_of(notify, &relations, i);

                if (unit_state_is_active_or_activating(other->active_state) ||
                    unit_has_relation(unit, UNIT_AFTER, other))
                        continue;
                (void) request_by(notify, unit, kind, &relations.items[i], JOB_START, mode, reason);
        }
}

static void request_stops(JobNotify *notify, const Unit *unit, UnitRelationKind kind, JobName *reason) {
        UnitRelations relations = unit_relations(unit, kind);

        for (size_t i = 0; i < relations.n; i++) {
                const Unit *other = other_of(notify, &relations, i);

                if (!unit_state_is_inactive_or_deactivating(other->active_state))
                        (void) request_by(notify, unit, kind, &relations.items[i], JOB_STOP, JOB_REPLACE, reason);
        }
}

static void notify_unexpected(JobNotify *notify, const Unit *unit, UnitActiveState old, UnitActiveState new,
                              UnitChangeFlags flags, JobName *reason) {
        if (unit_state_is_inactive_or_failed(old) && unit_state_is_active_or_activating(new)) {
                request_starts(notify, unit, UNIT_REQUIRES, JOB_REPLACE, reason);
                request_starts(notify, unit, UNIT_BINDS_TO, JOB_REPLACE, reason);
                request_starts(notify, unit, UNIT_UPHOLDS, JOB_REPLACE, reason);
                request_starts(notify, unit, UNIT_WANTS, JOB_FAIL, reason);
                request_stops(notify, unit, UNIT_CONFLICTS, reason);
                request_stops(notify, unit, UNIT_CONFLICTED_BY, reason);
        }
        if (unit_state_is_active_or_activating(old) && unit_state_is_inactive_or_deactivating(new) &&
            !(flags & UNIT_CHANGE_WILL_RESTART)) {
                request_stops(notify, unit, UNIT_BOUND_BY, reason);
                request_stops(notify, unit, UNIT_PROPAGATES_STOP_TO, reason);
        }
}

static void limits_purge(JobNotify *notify, uint64_t now) {
        JobRuleLimit **place = &notify->limits;

        if (notify->limits_by_unit.n < notify->purge_at)
                return;

        while (*place)
                if (!(*place)->delayed && now >= usec_add((*place)->since, RULE_LIMIT_INTERVAL))
                        limit_free(notify, place);
                else
                        place = &(*place)->next;
        notify->purge_at = MAX((size_t) 64, 2 * notify->limits_by_unit.n);
}

static JobRuleLimit *limit_of(JobNotify *notify, uint32_t unit, uint64_t now) {
        JobRuleLimit *limit = id_map_get(&notify->limits_by_unit, unit + 1);

        if (limit)
                return limit;

        limits_purge(notify, now);
        limit = calloc(1, sizeof(*limit));
        if (!limit || id_map_put(&notify->limits_by_unit, unit + 1, limit) < 0) {
                free(limit);
                return NULL;
        }
        limit->unit = unit;
        limit->since = now;
        limit->next = notify->limits;
        notify->limits = limit;
        return limit;
}

static void queue_rules(JobNotify *notify, const Unit *unit, uint8_t rules) {
        if (unit->index >= notify->n_rules) {
                size_t n = unit_table_size(notify->units) + 16;
                uint8_t *grown = realloc(notify->rules, n);

                if (!grown)
                        return;
                memset(grown + notify->n_rules, 0, n - notify->n_rules);
                notify->rules = grown;
                notify->n_rules = n;
        }

        if (notify->rules[unit->index] == 0 && vector_push(&notify->queue, unit->index) < 0)
                return;
        notify->rules[unit->index] |= rules;
}

/* Begins a new interval and queues what was delayed in the old one, except for @rule, which acts now. */
static void limit_begin_anew(JobNotify *notify, const Unit *unit, JobRuleLimit *limit, JobRule rule, uint64_t now) {
        uint8_t delayed = limit->delayed & (uint8_t) ~rule;

        limit->since = now;
        limit->n = 0;
        limit->delayed = 0;
        if (delayed != 0)
                queue_rules(notify, unit, delayed);
}

/* Returns true if the rule may act on the unit now; otherwise records it as delayed. */
static bool limit_allows(JobNotify *notify, const Unit *unit, JobRule rule, uint64_t now) {
        JobRuleLimit *limit = limit_of(notify, unit->index, now);

        if (!limit)
                return false;
        if (now >= usec_add(limit->since, RULE_LIMIT_INTERVAL))
                limit_begin_anew(notify, unit, limit, rule, now);
        if (limit->n < RULE_LIMIT_BURST) {
                limit->n++;
                return true;
        }

        limit->delayed |= rule;
        notify->next_retry = MIN(notify->next_retry, usec_add(limit->since, RULE_LIMIT_INTERVAL));
        return false;
}

/* Why the units named by OnFailure= or OnSuccess= are asked for. */
typedef struct NamedCause {
        JobRule rule;
        JobName *reason; /* borrowed; NULL: no memory for it */
        uint32_t job, run, round; /* as in UnitTrigger */
        bool was_up;
} NamedCause;

/* Starts the units named by OnFailure= or OnSuccess=, or tells those that want to know. */
static void request_named(JobNotify *notify, const Unit *unit, const NamedCause *cause) {
        const bool is_failure = cause->rule == JOB_RULE_FAILURE;
        const UnitRelationKind kind = is_failure ? UNIT_ON_FAILURE : UNIT_ON_SUCCESS;
        const UnitRareSettings *rare = unit->settings.rare;
        const JobMode mode = is_failure ? rare->on_failure_job_mode : rare->on_success_job_mode;
        const UnitTrigger trigger = {
                .by = unit,
                .kind = is_failure ? UNIT_TRIGGER_FAILURE : UNIT_TRIGGER_SUCCESS,
                .job = cause->job,
                .run = cause->run,
                .round = cause->round,
                .was_up = cause->was_up,
        };
        UnitRelations relations = unit_relations(unit, kind);

        for (size_t i = 0; i < relations.n; i++) {
                Unit *other = other_of(notify, &relations, i);

                if (other->vtable->triggered)
                        other->vtable->triggered(other, &trigger);
                else
                        (void) request_by(notify, unit, kind, &relations.items[i], JOB_START, mode, cause->reason);
        }
}

static bool may_name(JobNotify *notify, const Unit *unit, JobRule rule, uint64_t now) {
        UnitRelationKind kind = rule == JOB_RULE_FAILURE ? UNIT_ON_FAILURE : UNIT_ON_SUCCESS;

        return unit_relations(unit, kind).n > 0 && limit_allows(notify, unit, rule, now);
}

void job_notify_failure(JobNotify *notify, const Unit *unit, uint32_t job, uint64_t now) {
        cleanup_(job_name_unrefp) JobName *reason = NULL;
        char text[UNIT_NAME_MAX + 64];

        if (!may_name(notify, unit, JOB_RULE_FAILURE, now))
                return;

        snprintf(text, sizeof(text), "a job of %s failed", unit->id);
        reason = job_name_new(text);
        request_named(notify, unit, &(NamedCause) { .rule = JOB_RULE_FAILURE, .reason = reason, .job = job });
}

void job_notify_run(JobNotify *notify, const Unit *unit, const JobRunEnd *end, uint64_t now) {
        const JobRule rule = end->has_failed ? JOB_RULE_FAILURE : JOB_RULE_SUCCESS;
        cleanup_(job_name_unrefp) JobName *reason = NULL;
        char text[UNIT_NAME_MAX + 64];

        if (!may_name(notify, unit, rule, now))
                return;

        snprintf(text, sizeof(text), "run %u of %s has %s", end->run, unit->id,
                 end->has_failed ? "failed" : "succeeded");
        reason = job_name_new(text);
        request_named(notify, unit,
                      &(NamedCause) { .rule = rule, .reason = reason, .run = end->run, .round = end->round });
}

static void notify_result(JobNotify *notify, const Unit *unit, UnitActiveState old, UnitActiveState new,
                          JobName *reason, uint64_t now) {
        const bool was_clean = old != UNIT_INACTIVE && old != UNIT_FAILED && old != UNIT_MAINTENANCE;
        NamedCause cause = { .reason = reason, .was_up = was_clean };

        if (new == UNIT_FAILED && old != UNIT_FAILED && may_name(notify, unit, JOB_RULE_FAILURE, now)) {
                cause.rule = JOB_RULE_FAILURE;
                request_named(notify, unit, &cause);
        }
        if (new == UNIT_INACTIVE && was_clean && may_name(notify, unit, JOB_RULE_SUCCESS, now)) {
                cause.rule = JOB_RULE_SUCCESS;
                request_named(notify, unit, &cause);
        }
}

/* Runs a rule that the limit had delayed. */
static void notify_late(JobNotify *notify, const Unit *unit, JobRule rule, uint64_t now) {
        cleanup_(job_name_unrefp) JobName *reason = NULL;
        char text[UNIT_NAME_MAX + 64];

        if (!may_name(notify, unit, rule, now))
                return;

        snprintf(text, sizeof(text), "%s has %s more often than it may act on", unit->id,
                 rule == JOB_RULE_FAILURE ? "failed" : "ended");
        reason = job_name_new(text);
        request_named(notify, unit, &(NamedCause) { .rule = rule, .reason = reason });
}

void job_notify_change(JobNotify *notify, const Unit *unit, UnitActiveState old, UnitActiveState new,
                       UnitChangeFlags flags, bool is_unexpected, uint64_t now) {
        cleanup_(job_name_unrefp) JobName *reason = NULL;

        if (old == new)
                return;
        if (!is_unexpected && unit_relations(unit, UNIT_ON_FAILURE).n == 0 &&
            unit_relations(unit, UNIT_ON_SUCCESS).n == 0)
                return;

        reason = reason_of(unit, new);
        if (is_unexpected)
                notify_unexpected(notify, unit, old, new, flags, reason);
        if (!(flags & (UNIT_CHANGE_WILL_RESTART | UNIT_CHANGE_RESULTS_TOLD)))
                notify_result(notify, unit, old, new, reason, now);
}

static void queue_neighbours(JobNotify *notify, const Unit *unit, UnitRelationKind kind, JobRule rule) {
        UnitRelations relations = unit_relations(unit, kind);

        for (size_t i = 0; i < relations.n; i++)
                queue_rules(notify, other_of(notify, &relations, i), rule);
}

/* Units that @unit may have been the last to need. */
static void queue_unneeded(JobNotify *notify, const Unit *unit) {
        static const UnitRelationKind pinned[] = {
                UNIT_REQUIRES, UNIT_REQUISITE, UNIT_WANTS, UNIT_BINDS_TO, UNIT_UPHOLDS,
        };

        if (!unit_table_has_unneeded(notify->units))
                return;
        for (size_t k = 0; k < ELEMENTSOF(pinned); k++) {
                UnitRelations relations = unit_relations(unit, pinned[k]);

                for (size_t i = 0; i < relations.n; i++) {
                        const Unit *other = other_of(notify, &relations, i);

                        if (other->settings.stop_when_unneeded)
                                queue_rules(notify, other, JOB_RULE_UNNEEDED);
                }
        }
}

void job_notify_look(JobNotify *notify, const Unit *unit) {
        if (unit->settings.stop_when_unneeded)
                queue_rules(notify, unit, JOB_RULE_UNNEEDED);
        if (unit_relations(unit, UNIT_UPHELD_BY).n > 0)
                queue_rules(notify, unit, JOB_RULE_UPHELD);
        if (unit_relations(unit, UNIT_BINDS_TO).n > 0)
                queue_rules(notify, unit, JOB_RULE_BOUND);

        if (unit_state_is_inactive_or_failed(unit->active_state)) {
                queue_unneeded(notify, unit);
                queue_neighbours(notify, unit, UNIT_BOUND_BY, JOB_RULE_BOUND);
        } else if (unit_state_is_active_or_reloading(unit->active_state))
                queue_neighbours(notify, unit, UNIT_UPHOLDS, JOB_RULE_UPHELD);
}

typedef struct RuleContext {
        JobNotifyHasJob has_job;
        const void *userdata;
        uint64_t now;
} RuleContext;

static bool is_needed(const JobNotify *notify, const Unit *unit, const RuleContext *context) {
        static const UnitRelationKind pins[] = {
                UNIT_REQUIRED_BY, UNIT_REQUISITE_OF, UNIT_WANTED_BY, UNIT_BOUND_BY, UNIT_UPHELD_BY,
        };

        if (job_holders_find(&notify->holders, unit))
                return true;
        for (size_t k = 0; k < ELEMENTSOF(pins); k++) {
                UnitRelations relations = unit_relations(unit, pins[k]);

                for (size_t i = 0; i < relations.n; i++) {
                        const Unit *other = other_of(notify, &relations, i);

                        if (!unit_state_is_inactive_or_failed(other->active_state) || unit_will_restart(other) ||
                            context->has_job(context->userdata, other))
                                return true;
                }
        }
        return false;
}

static const Unit *find_upholder(const JobNotify *notify, const Unit *unit, const RuleContext *context) {
        UnitRelations relations = unit_relations(unit, UNIT_UPHELD_BY);

        for (size_t i = 0; i < relations.n; i++) {
                const Unit *other = other_of(notify, &relations, i);

                if (unit_state_is_active_or_reloading(other->active_state) &&
                    !context->has_job(context->userdata, other))
                        return other;
        }
        return NULL;
}

static const Unit *find_lost_binding(const JobNotify *notify, const Unit *unit, const RuleContext *context) {
        UnitRelations relations = unit_relations(unit, UNIT_BINDS_TO);

        for (size_t i = 0; i < relations.n; i++) {
                const Unit *other = other_of(notify, &relations, i);

                if (unit_state_is_inactive_or_failed(other->active_state) && !unit_will_restart(other) &&
                    !context->has_job(context->userdata, other))
                        return other;
        }
        return NULL;
}

static void act(JobNotify *notify, const Unit *unit, JobRule rule, JobType type, JobMode mode, const char *format,
                const Unit *because, const RuleContext *context) {
        cleanup_(job_name_unrefp) JobName *reason = NULL;
        char text[UNIT_NAME_MAX + 64];

        if (!limit_allows(notify, unit, rule, context->now))
                return;

        snprintf(text, sizeof(text), format, because->id);
        reason = job_name_new(text);
        (void) job_notify_request(notify, unit, type, mode, reason);
}

static void check_rules_of(JobNotify *notify, const Unit *unit, uint8_t rules, const RuleContext *context) {
        const Unit *because;

        if (rules & JOB_RULE_FAILURE)
                notify_late(notify, unit, JOB_RULE_FAILURE, context->now);
        if (rules & JOB_RULE_SUCCESS)
                notify_late(notify, unit, JOB_RULE_SUCCESS, context->now);
        if (unit->load_state != UNIT_LOADED || context->has_job(context->userdata, unit))
                return;

        if ((rules & JOB_RULE_UPHELD) && unit_state_is_inactive_or_failed(unit->active_state)) {
                because = find_upholder(notify, unit, context);
                if (because)
                        act(notify, unit, JOB_RULE_UPHELD, JOB_START, JOB_FAIL, "%s upholds it", because, context);
        }
        if (!unit_state_is_active_or_reloading(unit->active_state))
                return;

        if (rules & JOB_RULE_BOUND) {
                because = find_lost_binding(notify, unit, context);
                if (because) {
                        act(notify, unit, JOB_RULE_BOUND, JOB_STOP, JOB_REPLACE, "%s, which it binds to, is not active",
                            because, context);
                        return;
                }
        }
        if ((rules & JOB_RULE_UNNEEDED) && unit->settings.stop_when_unneeded && !is_needed(notify, unit, context))
                act(notify, unit, JOB_RULE_UNNEEDED, JOB_STOP, JOB_FAIL, "nothing needs %s any more", unit, context);
}

void job_notify_check_rules(JobNotify *notify, JobNotifyHasJob has_job, const void *userdata, uint64_t now) {
        RuleContext context = { .has_job = has_job, .userdata = userdata, .now = now };

        for (size_t i = 0; i < notify->queue.n; i++) {
                uint32_t index = notify->queue.items[i];
                const Unit *unit = unit_table_at(notify->units, index);
                uint8_t rules = notify->rules[index];

                notify->rules[index] = 0;
                if (unit)
                        check_rules_of(notify, unit, rules, &context);
        }
        vector_clear(&notify->queue);
}

void job_notify_expire(JobNotify *notify, uint64_t now) {
        JobRuleLimit **place = &notify->limits;
        size_t n_before = notify->queue.n;

        if (now < notify->next_retry)
                return;

        notify->next_retry = USEC_INFINITY;
        while (*place) {
                JobRuleLimit *limit = *place;
                const Unit *unit = unit_table_at(notify->units, limit->unit);
                uint64_t end = usec_add(limit->since, RULE_LIMIT_INTERVAL);

                if (unit && now < end) {
                        if (limit->delayed)
                                notify->next_retry = MIN(notify->next_retry, end);
                        place = &limit->next;
                        continue;
                }
                if (unit && limit->delayed)
                        queue_rules(notify, unit, limit->delayed);
                limit_free(notify, place);
        }
        /* Sorted, so that the order of the requests does not depend on when each limit began. */
        if (notify->queue.n > n_before + 1)
                u32_sort(notify->queue.items + n_before, notify->queue.n - n_before);
}

void job_notify_forget(JobNotify *notify, const Unit *unit) {
        JobRuleLimit **place = &notify->limits;

        if (unit->index < notify->n_rules)
                notify->rules[unit->index] = 0;
        if (!id_map_get(&notify->limits_by_unit, unit->index + 1))
                return;
        while ((*place)->unit != unit->index)
                place = &(*place)->next;
        limit_free(notify, place);
}
