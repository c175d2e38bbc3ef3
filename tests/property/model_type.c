/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's rules about types
 */

#include "model_private.h"

#define X _JOB_TYPE_INVALID

JobType model_merge(JobType a, JobType b) {
        static const int table[_JOB_TYPE_MAX_MERGING][_JOB_TYPE_MAX_MERGING] = {
                [JOB_START] = { JOB_START, JOB_START, X, JOB_RELOAD_OR_START, JOB_RESTART },
                [JOB_VERIFY_ACTIVE] = { JOB_START, JOB_VERIFY_ACTIVE, X, JOB_RELOAD, JOB_RESTART },
                [JOB_STOP] = { X, X, JOB_STOP, X, X },
                [JOB_RELOAD] = { JOB_RELOAD_OR_START, JOB_RELOAD, X, JOB_RELOAD, JOB_RESTART },
                [JOB_RESTART] = { JOB_RESTART, JOB_RESTART, X, JOB_RESTART, JOB_RESTART },
        };

        if (a == JOB_NOP && b == JOB_NOP)
                return JOB_NOP;
        if (a >= _JOB_TYPE_MAX_MERGING || b >= _JOB_TYPE_MAX_MERGING)
                return X;
        return table[a][b];
}

ModelSlot model_slot(const ModelJob *job) {
        static const ModelSlot slots[_JOB_TYPE_MAX_MERGING] = {
                [JOB_START] = MODEL_SLOT_START,   [JOB_VERIFY_ACTIVE] = MODEL_SLOT_VERIFY, [JOB_STOP] = MODEL_SLOT_STOP,
                [JOB_RELOAD] = MODEL_SLOT_RELOAD, [JOB_RESTART] = MODEL_SLOT_STOPPING,
        };

        if (!job->id || job->type >= _JOB_TYPE_MAX_MERGING)
                return MODEL_SLOT_NONE;
        return job->type == JOB_RESTART && job->run == JOB_START ? MODEL_SLOT_STARTING : slots[job->type];
}

bool model_conflicts(JobType a, JobType b) {
        return a != JOB_NOP && b != JOB_NOP && (a == JOB_STOP) != (b == JOB_STOP);
}

static bool model_is_starting(const ModelUnit *unit) {
        return unit->triggered.id != 0 && unit->triggered.run == JOB_START;
}

JobType model_collapse(const Model *m, int u, JobType type) {
        const ModelUnit *unit = &m->units[u];
        bool has_stop = (unit->triggered.id && unit->triggered.type == JOB_STOP) ||
                        (unit->pending.id && unit->pending.type == JOB_STOP);
        bool is_up = unit->state == UNIT_ACTIVE || unit->state == UNIT_RELOADING;

        if (type == JOB_TRY_RESTART)
                return !has_stop && (is_up || unit->state == UNIT_ACTIVATING) ? JOB_RESTART : JOB_NOP;
        if (type == JOB_TRY_RELOAD)
                return !has_stop && is_up ? JOB_RELOAD : JOB_NOP;
        if (type == JOB_RELOAD_OR_START)
                return is_up || model_is_starting(unit) ? JOB_RELOAD : JOB_START;
        return type;
}

JobType model_resolve(const Model *m, int u, JobType type, bool *ret_absorbed_start) {
        JobType resolved = model_collapse(m, u, type);

        *ret_absorbed_start = type == JOB_RELOAD_OR_START && resolved == JOB_RELOAD;
        return resolved;
}

JobType model_merge_on(const Model *m, int u, JobType into, JobType type, bool *absorbed_start) {
        JobType merged = model_merge(into, type);
        bool has_start = *absorbed_start || into == JOB_START || type == JOB_START;

        merged = model_collapse(m, u, merged);
        *absorbed_start = merged == JOB_RELOAD && has_start;
        return merged;
}

JobType model_first_run(JobType type) {
        return type == JOB_RESTART ? JOB_STOP : type;
}

bool model_covers(const ModelJob *triggered, JobType wanted) {
        if (triggered->type == JOB_RESTART && triggered->run == JOB_STOP)
                return wanted == JOB_START || wanted == JOB_VERIFY_ACTIVE || wanted == JOB_RELOAD ||
                       wanted == JOB_RESTART;
        if (triggered->run == JOB_START)
                return wanted == JOB_START || wanted == JOB_VERIFY_ACTIVE;
        if (triggered->run == JOB_STOP)
                return wanted == JOB_STOP;
        return triggered->run == JOB_VERIFY_ACTIVE && wanted == JOB_VERIFY_ACTIVE;
}

bool model_is_redundant(const Model *m, int u, JobType type) {
        const ModelUnit *unit = &m->units[u];
        bool is_there = false;

        if (type == JOB_NOP)
                return true;
        if (type == JOB_START || type == JOB_VERIFY_ACTIVE)
                is_there = unit->state == UNIT_ACTIVE || unit->state == UNIT_RELOADING;
        if (type == JOB_STOP)
                is_there = unit->state == UNIT_INACTIVE || unit->state == UNIT_FAILED;
        if (unit->triggered.id && model_conflicts(type, unit->triggered.type))
                return false;
        if (unit->pending.id && model_conflicts(type, unit->pending.type))
                return false;
        return is_there;
}

/* Judged before a composite type is resolved, which has the conditions of what it may become. */
bool model_is_applicable(const Model *m, int u, JobType type) {
        const ModelUnit *unit = &m->units[u];
        bool can_reload = unit->can_reload || unit->n_related[UNIT_PROPAGATES_RELOAD_TO] > 0;

        if (type == JOB_STOP)
                return !unit->is_perpetual;
        if (type == JOB_RESTART || type == JOB_TRY_RESTART)
                return !unit->is_perpetual && unit->load == UNIT_LOADED;
        if (type == JOB_RELOAD || type == JOB_TRY_RELOAD)
                return can_reload;
        if (type == JOB_RELOAD_OR_START)
                return can_reload && unit->load == UNIT_LOADED;
        return true;
}
