/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A path unit: starts another unit when something happens in the file system
 *
 *      dead → waiting → running → waiting → …
 *
 * While the triggered unit runs, nothing is watched. When it has ended the paths are looked at anew, so a file that is
 * still there starts it again. Its start limit ends such a loop, and a limit of the path unit where it has none.
 *
 * A flow may have several runs: the paths stay watched, and each change has a run. A condition that lasts has one when
 * it begins to hold, and again when the flow has ended and it still holds.
 *
 * The keeper has the inotify descriptors, too: events that come while no core runs are read by the next one.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/path.h"
#include "types/service_state.h"
#include "types/unit_process.h"
#include "types/unit_types.h"

#define KEPT "path"

/*
 * A stop of this unit that waits for other jobs may be canceled: after this time it looks again. What has triggered is
 * kept until then.
 */
#define RETRY (100 * USEC_PER_MSEC)

static const UnitActiveState active_states[_PATH_STATE_MAX] = {
        [PATH_DEAD] = UNIT_INACTIVE,
        [PATH_WAITING] = UNIT_ACTIVE,
        [PATH_RUNNING] = UNIT_ACTIVE,
        [PATH_FAILED] = UNIT_FAILED,
};

static Unit *find_triggered(const Unit *unit) {
        UnitRelations triggers = unit_relations(unit, UNIT_TRIGGERS);

        return triggers.n > 0 ? unit_table_at(unit->table, triggers.items[0].other) : NULL;
}

/* The triggered unit, if it wants to be told of each trigger; NULL: it is started. */
static Unit *find_flow(const Unit *unit) {
        Unit *triggered = find_triggered(unit);

        return triggered && triggered->vtable->triggered ? triggered : NULL;
}

static bool is_change(const PathValue *value) {
        return value->kind == PATH_CHANGED || value->kind == PATH_MODIFIED;
}

/* The watches that match a path: settings may have been read again without a call of .loaded yet. */
static size_t count_watches(const Unit *unit) {
        return MIN(path_of(unit)->watches.n, path_settings(unit)->values.n);
}

/* — descriptors — */

static void forget_watch(Unit *unit, uint32_t i) {
        PathWatch *watch = &path_of(unit)->watches.items[i];

        if (watch->fd < 0)
                return;
        unit_unwatch_fd(unit, i);
        unit_drop_fd(unit, KEPT, i);
        close(watch->fd);
        watch->fd = watch->primary = -1;
}

static void unwatch(Unit *unit) {
        for (uint32_t i = 0; i < path_of(unit)->watches.n; i++)
                forget_watch(unit, i);
}

static int watch_one(Unit *unit, uint32_t i) {
        UnitHost *host = unit_host(unit);
        PathWatch *watch = &path_of(unit)->watches.items[i];
        bool is_new = watch->fd < 0;
        int r;

        r = path_watch_add(&path_settings(unit)->values.items[i], watch);
        if (r == 0 && is_new && host->ops->watch_fd)
                r = host->ops->watch_fd(host, unit, i, watch->fd, POLLIN);
        /* If the descriptor is not kept, only events while no core runs are lost. */
        if (r == 0 && is_new)
                unit_keep_fd(unit, KEPT, i, watch->fd);
        return r;
}

static int watch(Unit *unit) {
        int r = 0;

        for (uint32_t i = 0; i < count_watches(unit) && r == 0; i++) {
                r = watch_one(unit, i);
                if (r < 0)
                        unit_say(unit, LOG_LEVEL_ERROR, "%s cannot be watched: %s%s",
                                 path_settings(unit)->values.items[i].path,
                                 strerror(-r), r == -ENOSPC ? " (fs.inotify.max_user_watches)" :
                                 r == -EMFILE ? " (fs.inotify.max_user_instances)" : "");
        }
        return r;
}

/* Makes a watch for each path, none of them active. */
static int make_watches(Unit *unit) {
        Path *path = path_of(unit);

        unwatch(unit);
        vector_clear(&path->watches);
        for (size_t i = 0; i < path_settings(unit)->values.n; i++)
                if (vector_push(&path->watches, ((PathWatch) { .fd = -1, .primary = -1 })) < 0)
                        return -ENOMEM;
        return 0;
}

/* — states — */

static void set_retry(Unit *unit, usec_t deadline) {
        (void) unit_set_timer(unit, UNIT_PURPOSE_ELAPSE, deadline);
}

static void set_state(Unit *unit, PathState state) {
        set_retry(unit, USEC_INFINITY);
        path_of(unit)->held_by = 0;
        if (state != PATH_WAITING)
                unwatch(unit);
        if (state != PATH_RUNNING)
                path_of(unit)->triggered_by = 0;
        path_of(unit)->state = state;
        unit_publish(unit, active_states[state], 0);
}

static void end(Unit *unit, PathResult result) {
        path_of(unit)->result = result;
        set_state(unit, result == PATH_SUCCESS ? PATH_DEAD : PATH_FAILED);
}

static bool is_within_limit(Unit *unit) {
        const PathSettings *settings = path_settings(unit);
        usec_t now = unit_now(unit);
        Path *path = path_of(unit);

        if (settings->limit_interval == 0 || settings->limit_burst == 0)
                return true;
        if (path->limit_count == 0 || usec_sub(now, path->limit_begin) >= settings->limit_interval) {
                path->limit_begin = now;
                path->limit_count = 0;
        }
        return path->limit_count++ < settings->limit_burst;
}

static uint32_t number_of(const Unit *unit, const PathValue *value) {
        return (uint32_t) (value - path_settings(unit)->values.items) + 1;
}

/* False: the unit is about to stop, or has triggered too often and is stopped. */
static bool may_trigger(Unit *unit, const PathValue *value) {
        if (unit_will_stop(unit)) {
                set_state(unit, PATH_RUNNING);
                path_of(unit)->held_by = number_of(unit, value);
                set_retry(unit, usec_add(unit_now(unit), RETRY));
                return false;
        }
        if (is_within_limit(unit))
                return true;
        unit_say(unit, LOG_LEVEL_ERROR,
                 "It has triggered its unit too often, and does not do so any more (TriggerLimitBurst=).");
        end(unit, PATH_FAILURE_TRIGGER_LIMIT_HIT);
        return false;
}

/* Requests the triggered unit, because of @value. */
static void trigger(Unit *unit, const PathValue *value) {
        UnitHost *host = unit_host(unit);
        Unit *triggered = find_triggered(unit);
        cleanup_free_ char *reason = NULL;

        if (!may_trigger(unit, value))
                return;
        if (!triggered ||
            text_format(&reason, "%s: %s=%s", unit->id, path_kind_to_string(value->kind), value->path) < 0 ||
            host->ops->request_job(host, triggered, JOB_START, JOB_REPLACE, reason) < 0) {
                unit_say(unit, LOG_LEVEL_ERROR, "What it triggers cannot be asked for.");
                end(unit, PATH_FAILURE_RESOURCES);
                return;
        }
        path_of(unit)->triggered_by = number_of(unit, value);
        set_state(unit, PATH_RUNNING);
}

/*
 * The first path whose condition holds, and has not triggered yet. All are checked, since each check notes whether the
 * path exists.
 */
static const PathValue *find_met(Unit *unit, bool counts_changes) {
        const PathSettings *settings = path_settings(unit);
        const PathValue *met = NULL;

        for (size_t i = 0; i < count_watches(unit); i++) {
                const PathValue *value = &settings->values.items[i];
                PathWatch *of_value = &path_of(unit)->watches.items[i];
                const bool is_met = path_watch_is_met(value, of_value);

                of_value->has_triggered &= is_met;
                if (is_met && !of_value->has_triggered && (counts_changes || !is_change(value)) && !met)
                        met = value;
        }
        return met;
}

static const PathValue *find_held(const Unit *unit) {
        const PathSettings *settings = path_settings(unit);
        uint32_t number = path_of(unit)->held_by;

        return number > 0 && number <= settings->values.n ? &settings->values.items[number - 1] : NULL;
}

/* — flows — */

/* No run of the flow is there, nor will be by what was triggered before. */
static bool is_flow_over(const Unit *flow) {
        UnitHost *host = unit_host(flow);
        UnitRuns runs = {};

        if (!unit_state_is_inactive_or_failed(flow->active_state) || unit_has_job(flow))
                return false;
        if (host->ops->get_runs)
                host->ops->get_runs(host, flow, &runs);
        return runs.n_live == 0 && runs.n_submitted == 0;
}

/* The conditions that hold now are those that the present run is for. */
static void note_triggered(Unit *unit) {
        const PathSettings *settings = path_settings(unit);

        for (size_t i = 0; i < count_watches(unit); i++)
                if (!is_change(&settings->values.items[i]))
                        path_of(unit)->watches.items[i].has_triggered =
                                path_watch_is_met(&settings->values.items[i], &path_of(unit)->watches.items[i]);
}

static void forget_triggered(Unit *unit) {
        for (size_t i = 0; i < path_of(unit)->watches.n; i++)
                path_of(unit)->watches.items[i].has_triggered = false;
}

/* Triggers the flow for @met (NULL: nothing yet) and for what follows, and waits. */
static void watch_for_flow(Unit *unit, Unit *flow, const PathValue *met) {
        do {
                if (met && !may_trigger(unit, met))
                        return;
                if (met) {
                        path_of(unit)->triggered_by = number_of(unit, met);
                        note_triggered(unit);
                        flow->vtable->triggered(flow, &(UnitTrigger) { .by = unit, .kind = UNIT_TRIGGER_EVENT });
                }
                if (watch(unit) < 0) {
                        end(unit, PATH_FAILURE_RESOURCES);
                        return;
                }
                /* The path may have come before the watch was active. */
                met = find_met(unit, true);
        } while (met);
        set_state(unit, PATH_WAITING);
}

static void wait_for_flow(Unit *unit, Unit *flow, bool counts_changes) {
        const PathValue *held = find_held(unit);

        if (is_flow_over(flow))
                forget_triggered(unit);
        watch_for_flow(unit, flow, find_met(unit, counts_changes) ?: held);
}

static void flow_changed(Unit *unit, Unit *flow) {
        const Path *path = path_of(unit);

        if (path->state == PATH_RUNNING || (path->state == PATH_WAITING && is_flow_over(flow)))
                wait_for_flow(unit, flow, false);
}

/* — waiting — */

/* Waits, unless a condition holds. @counts_changes: paths that came or went since the last look count. */
static void wait_for_event(Unit *unit, bool counts_changes) {
        const Unit *triggered = find_triggered(unit);
        const PathValue *met, *held = find_held(unit);
        Unit *flow = find_flow(unit);

        if (flow) {
                wait_for_flow(unit, flow, counts_changes);
                return;
        }
        if (triggered && !unit_state_is_inactive_or_failed(triggered->active_state)) {
                path_of(unit)->triggered_by = 0;
                set_state(unit, PATH_RUNNING);
                return;
        }
        met = find_met(unit, counts_changes) ?: held;
        if (!met && watch(unit) < 0) {
                end(unit, PATH_FAILURE_RESOURCES);
                return;
        }
        /* The path may have come before the watch was active. */
        if (!met)
                met = find_met(unit, true);
        if (met)
                trigger(unit, met);
        else
                set_state(unit, PATH_WAITING);
}

/* — operations — */

static int path_init(Unit *unit) {
        unit->state_of_type = calloc(1, sizeof(Path));
        return unit->state_of_type ? 0 : -ENOMEM;
}

/* The host has dropped the unit's descriptors at the keeper by now. */
static void path_deinit(Unit *unit) {
        Path *path = path_of(unit);

        for (size_t i = 0; path && i < path->watches.n; i++)
                if (path->watches.items[i].fd >= 0)
                        close(path->watches.items[i].fd);
        if (path)
                vector_deinit(&path->watches);
        free(path);
}

static void make_folder(const char *wanted, mode_t mode) {
        cleanup_free_ char *path = strdup(wanted);

        for (char *slash = path ? strchr(path + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                (void) mkdir(path, 0755);
                *slash = '/';
        }
        if (path)
                (void) mkdir(path, mode);
}

static void make_folders(const Unit *unit) {
        const PathSettings *settings = path_settings(unit);

        for (size_t i = 0; settings->make_directory && i < settings->values.n; i++)
                if (settings->values.items[i].kind != PATH_EXISTS && settings->values.items[i].kind != PATH_EXISTS_GLOB)
                        make_folder(settings->values.items[i].path, settings->directory_mode);
}

static UnitAnswer path_start(Unit *unit) {
        const Unit *triggered = find_triggered(unit);
        Path *path = path_of(unit);

        if (!triggered || (triggered->load_state != UNIT_LOADED && triggered->load_state != UNIT_STUB)) {
                unit_say(unit, LOG_LEVEL_ERROR, "The unit that it triggers cannot be started.");
                return UNIT_OPERATION_FAILED;
        }
        make_folders(unit);
        path->result = PATH_SUCCESS;
        path->limit_count = 0;
        if (make_watches(unit) < 0)
                end(unit, PATH_FAILURE_RESOURCES);
        else
                wait_for_event(unit, false);
        return UNIT_UNDER_WAY;
}

static UnitAnswer path_stop(Unit *unit) {
        end(unit, PATH_SUCCESS);
        return UNIT_UNDER_WAY;
}

static const char *path_sub_state(const Unit *unit) {
        return path_state_to_string(path_of(unit)->state);
}

static void path_reset_failed(Unit *unit) {
        path_of(unit)->limit_count = 0;
        if (path_of(unit)->state == PATH_FAILED)
                end(unit, PATH_SUCCESS);
}

/* New settings may have other paths. */
static void path_loaded(Unit *unit) {
        PathState state = path_of(unit)->state;

        if (state != PATH_WAITING && state != PATH_RUNNING)
                return;
        if (make_watches(unit) < 0) {
                end(unit, PATH_FAILURE_RESOURCES);
                return;
        }
        if (find_flow(unit) && !is_flow_over(find_flow(unit)))
                note_triggered(unit);
        if (state == PATH_WAITING)
                wait_for_event(unit, false);
}

/* — events — */

static void path_fd_ready(Unit *unit, uint32_t index, uint32_t events) {
        const Path *path = path_of(unit);
        const PathValue *value;

        if (path->state != PATH_WAITING || index >= count_watches(unit) || path->watches.items[index].fd < 0)
                return;
        value = &path_settings(unit)->values.items[index];
        if (path_watch_read(value, &path->watches.items[index])) {
                (void) find_met(unit, false);
                if (find_flow(unit))
                        watch_for_flow(unit, find_flow(unit), value);
                else
                        trigger(unit, value);
        } else
                wait_for_event(unit, true);
}

static bool has_hit_start_limit(const Unit *triggered) {
        return triggered->vtable == &service_vtable && service_has_hit_start_limit(triggered);
}

static void path_triggered_changed(Unit *unit, Unit *triggered) {
        PathState state = path_of(unit)->state;
        bool is_over = unit_state_is_inactive_or_failed(triggered->active_state);

        if (triggered->vtable->triggered) {
                flow_changed(unit, triggered);
                return;
        }
        if (state == PATH_WAITING && !is_over)
                set_state(unit, PATH_RUNNING);
        if (!is_over)
                path_of(unit)->held_by = 0;
        if (state != PATH_RUNNING || !is_over || unit_has_job(triggered))
                return;
        if (has_hit_start_limit(triggered))
                end(unit, PATH_FAILURE_UNIT_START_LIMIT_HIT);
        else
                wait_for_event(unit, false);
}

static void path_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        Unit *triggered = find_triggered(unit);

        if (triggered)
                path_triggered_changed(unit, triggered);
}

static void path_job_refused(Unit *unit, const Failure *failure) {
        if (path_of(unit)->state == PATH_RUNNING)
                end(unit, PATH_FAILURE_RESOURCES);
}

static int path_trigger_environment(const Unit *unit, char ***environment) {
        const PathSettings *settings = path_settings(unit);
        uint32_t number = path_of(unit)->triggered_by;
        int r;

        if (number == 0 || number > settings->values.n)
                return 0;
        r = unit_process_add_variable(environment, "TRIGGER_PATH=%s", settings->values.items[number - 1].path);
        return r < 0 ? r : 1;
}

/* After a restart of core: takes over the descriptors that were kept. */
static void path_resume(Unit *unit) {
        Unit *triggered = find_triggered(unit);
        Path *path = path_of(unit);
        bool are_all_there = true;

        for (uint32_t i = 0; i < path->watches.n; i++) {
                PathWatch *of_path = &path->watches.items[i];

                of_path->fd = unit_take_fd(unit, KEPT, i);
                if (of_path->fd >= 0)
                        (void) unit_watch_fd(unit, i, of_path->fd, POLLIN);
                are_all_there &= of_path->fd >= 0;
                of_path->fd = MAX(of_path->fd, -1);
        }
        if (path->state == PATH_WAITING && !are_all_there)
                wait_for_event(unit, true);
        else if (path->state != PATH_DEAD && path->state != PATH_FAILED && triggered &&
                 (path->state == PATH_RUNNING || find_flow(unit)))
                path_triggered_changed(unit, triggered);
}

const UnitVTable path_vtable = {
        .type = UNIT_PATH,
        .interface = "Path",
        .properties = (const UnitPropertyTable *const[]) { &path_properties, NULL },
        .init = path_init,
        .deinit = path_deinit,
        .loaded = path_loaded,
        .start = path_start,
        .stop = path_stop,
        .sub_state = path_sub_state,
        .timer_elapsed = path_timer_elapsed,
        .fd_ready = path_fd_ready,
        .triggered_changed = path_triggered_changed,
        .trigger_environment = path_trigger_environment,
        .job_refused = path_job_refused,
        .reset_failed = path_reset_failed,
        .save = path_save,
        .record = path_record,
        .restore = path_restore,
        .resume = path_resume,
};
