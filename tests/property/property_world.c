/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A world that chance makes and moves
 *
 * Graphs are small and dense: what goes wrong with three units that know each
 * other in five ways is found sooner than what needs a hundred.
 */

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "property_check.h"
#include "property_mirror.h"

static const UnitRelationKind kinds[] = {
        UNIT_AFTER, UNIT_AFTER, UNIT_AFTER, UNIT_AFTER, UNIT_BEFORE, UNIT_BEFORE, UNIT_BEFORE,
        UNIT_REQUIRES, UNIT_REQUIRES, UNIT_WANTS, UNIT_WANTS, UNIT_BINDS_TO, UNIT_REQUISITE, UNIT_PART_OF,
        UNIT_UPHOLDS, UNIT_CONFLICTS, UNIT_CONFLICTS, UNIT_ON_FAILURE, UNIT_ON_SUCCESS, UNIT_TRIGGERS,
        UNIT_PROPAGATES_RELOAD_TO, UNIT_PROPAGATES_STOP_TO,
};

static const char *const names[PROPERTY_UNITS_MAX] = {
        "d.service", "a.service", "j.target", "c.service", "f.socket", "b.service", "h.service", "e.target",
        "i.service", "g.service",
};

uint32_t property_below(PropertyWorld *world, uint32_t n) {
        world->random ^= world->random << 13;
        world->random ^= world->random >> 7;
        world->random ^= world->random << 17;
        return (uint32_t) ((world->random * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % n;
}

bool property_chance(PropertyWorld *world, uint32_t percent) {
        return property_below(world, 100) < percent;
}

void property_fail(PropertyWorld *world, const char *format, ...) {
        va_list args;

        if (world->has_failed)
                return;
        world->has_failed = true;
        fprintf(stderr, "%s\nseed %lu, step %u: ", world->log.string ? world->log.string : "",
                (unsigned long) world->seed, world->step);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fprintf(stderr, "\n");
}

Unit *property_unit(PropertyWorld *world, uint32_t i) {
        return unit_table_find(world->units->table, names[i]);
}

Unit *property_any_unit(PropertyWorld *world) {
        return property_unit(world, property_below(world, world->n_units));
}

static void property_set_up(PropertyWorld *world, Unit *unit) {
        static const JobMode modes[] = { JOB_REPLACE, JOB_REPLACE, JOB_FAIL, JOB_REPLACE_IRREVERSIBLY, JOB_ISOLATE };
        UnitSettings *settings = &unit->settings;

        if (property_chance(world, 15))
                settings->job_timeout = (1 + property_below(world, 20)) * USEC_PER_SEC;
        if (property_chance(world, 15)) {
                settings->has_job_running_timeout = true;
                settings->job_running_timeout = (1 + property_below(world, 10)) * USEC_PER_SEC;
        }
        if (property_chance(world, 20))
                settings->job_priority = (int32_t) property_below(world, 3) - 1;
        unit_settings_own_rare(settings)->on_failure_job_mode = modes[property_below(world, ELEMENTSOF(modes))];
        settings->stop_when_unneeded = property_chance(world, 15) && world->has_rules;
        settings->refuse_manual_start = property_chance(world, 3);
        settings->refuse_manual_stop = property_chance(world, 3);
        settings->allow_isolate = property_chance(world, 70);
        settings->ignore_on_isolate = property_chance(world, 15);
        settings->restart_on_dependency = property_chance(world, 25);
        settings->is_perpetual = property_chance(world, 3);
        unit_note_settings(unit);
        double_unit_allow(unit, DOUBLE_STOP, !property_chance(world, 3));
        double_unit_allow(unit, DOUBLE_RELOAD, !property_chance(world, 15));
}

void property_relate(PropertyWorld *world, Unit *unit) {
        UnitRelationKind kind = kinds[property_below(world, ELEMENTSOF(kinds))];
        UnitOriginId origin;
        Unit *other;
        int r;

        if (!world->has_rules && (kind == UNIT_BINDS_TO || kind == UNIT_UPHOLDS))
                kind = UNIT_REQUIRES;
        if (property_chance(world, 3))
                r = unit_table_name(world->units->table, "missing.service", &other);
        else {
                other = property_any_unit(world);
                r = 0;
        }
        assert(r == 0);
        property_log(world, "  %s %s=%s", unit->id, unit_relation_to_string(kind), other->id);
        r = unit_table_origin(world->units->table, unit->id, 1 + property_below(world, 9), NULL, &origin);
        assert(r == 0);
        r = unit_add_relation(unit, kind, other, origin);
        assert(r == 0);
        r = unit_table_load_queued(world->units->table);
        assert(r == 0);
        (void) r;
}

void property_make_unit(PropertyWorld *world, uint32_t i) {
        static const UnitActiveState states[] = {
                UNIT_INACTIVE, UNIT_INACTIVE, UNIT_INACTIVE, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_FAILED,
        };
        UnitActiveState state = states[property_below(world, ELEMENTSOF(states))];
        Unit *unit = double_unit(world->units, names[i], state);

        property_set_up(world, unit);
        if (property_chance(world, 4))
                unit->load_state = UNIT_MASKED;
        property_log(world, "unit %s %s %s", unit->id, unit_active_state_to_string(state),
                     unit_load_state_to_string(unit->load_state));
}

static void take_change(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new, UnitChangeFlags flags) {
        PropertyWorld *world = userdata;

        property_log(world, "    %s: %s to %s, %d", unit->id, unit_active_state_to_string(old),
                     unit_active_state_to_string(new), (int) flags);
        job_manager_finish(world->jobs, unit, old, new, flags, world->units->clock.now);
}

static void take_ready(void *userdata, Unit *unit) {
        PropertyWorld *world = userdata;

        job_manager_resume(world->jobs, unit);
}

static void take_reload(void *userdata, Unit *unit) {
        PropertyWorld *world = userdata;

        job_manager_notify_reload(world->jobs, unit, JOB_FAIL, world->units->clock.now);
}

static void take_removed(void *userdata, Unit *unit) {
        PropertyWorld *world = userdata;

        if (world->jobs)
                job_manager_forget_unit(world->jobs, unit, world->units->clock.now);
}

static void take_related(void *userdata, Unit *unit) {
        PropertyWorld *world = userdata;

        if (world->jobs)
                job_manager_unit_related(world->jobs, unit);
}

static void take_event(const JobEvent *event, void *userdata) {
        static const char *const words[] = { "installed", "changed", "finished", "refused", "cycle" };
        PropertyWorld *world = userdata;
        char cause[JOB_EVENT_CAUSE_MAX];
        uint32_t id = event->job.id;

        if (event->kind == JOB_EVENT_REFUSED || event->kind == JOB_EVENT_CYCLE_BROKEN) {
                property_log(world, "    %s: %s", words[event->kind], failure_message(event->failure));
                return;
        }

        property_log(world, "    %s %u %s/%s %s %s %s: %s", words[event->kind], id,
                     job_type_to_string(event->job.type), job_type_to_string(event->job.run_type),
                     event->job.unit->id, job_state_to_string(event->job.state),
                     event->job.result < 0 ? "-" : job_result_to_string(event->job.result),
                     job_event_cause(event, cause) ?: "-");
        assert(id < PROPERTY_IDS_MAX);
        property_check_event(world, event);
        property_mirror_take_event(world->mirror, event);
}

void property_subscribe(PropertyWorld *world) {
        int r = job_manager_subscribe(world->jobs, take_event, world);

        assert(r == 0);
        (void) r;
}

PropertyWorld *property_world_new(uint64_t seed) {
        static const UnitObserverOps observer = {
                .changed = take_change,
                .ready = take_ready,
                .reloaded_itself = take_reload,
                .removed = take_removed,
                .related = take_related,
        };
        PropertyWorld *world = calloc(1, sizeof(*world));
        uint32_t n_relations;
        int r;

        assert(world);
        world->seed = seed;
        world->has_rules = seed % 2 == 0;
        world->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
        world->ids = calloc(PROPERTY_IDS_MAX, 1);
        assert(world->ids);
        world->mirror = property_mirror_new();
        world->units = double_world_new();
        r = job_manager_new(&world->jobs, world->units->table);
        assert(r == 0);
        (void) r;
        property_subscribe(world);

        (void) property_below(world, 2);
        world->n_units = 2 + property_below(world, PROPERTY_UNITS_MAX - 1);
        for (uint32_t i = 0; i < world->n_units; i++)
                property_make_unit(world, i);
        n_relations = property_below(world, 4 * world->n_units);
        for (uint32_t i = 0; i < n_relations; i++)
                property_relate(world, property_any_unit(world));
        unit_table_set_observer(world->units->table, &observer, world);
        return world;
}

PropertyWorld *property_world_free(PropertyWorld *world) {
        if (!world)
                return NULL;

        world->mirror = property_mirror_free(world->mirror, world->jobs->table.alloc.cursor);
        world->jobs = job_manager_free(world->jobs);
        double_world_free(world->units);
        text_deinit(&world->log);
        free(world->ids);
        free(world);
        return NULL;
}
