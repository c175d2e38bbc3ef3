/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rebuilding the states of units when the records are lost
 *
 * The state was damaged, or written by an incompatible version, or could not be
 * written; or that is so of the records of some units. The processes still
 * exist: the unit of each is found by its control group or, without
 * groups, by a variable of its environment; the latter only for a child of the
 * keeper, because any process can set its environment. The oldest process of a
 * unit stands for the others.
 *
 * Jobs, timers and results of units are lost; a unit without processes counts
 * as inactive.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "exec/exec_process.h"
#include "manager/manager_rebuild.h"
#include "unit/unit_slice.h"
#include "unitfile/resource_settings.h"

typedef struct Trace {
        char *unit;                     /* owned */
        pid_t pid;
        uint64_t start_time;
        uid_t owner;                    /* of the process, if its environment names .unit; (uid_t) -1: its group does */
} Trace;

typedef VECTOR(Trace) Traces;

static void traces_deinit(Traces *traces) {
        for (size_t i = 0; i < traces->n; i++)
                free(traces->items[i].unit);
        vector_deinit(traces);
}

static bool is_ours(const ManagerRebuild *rebuild, const ExecProcess *process) {
        const pid_t keeper = rebuild->keeper;

        return process->parent == getpid() || (keeper > 0 && process->parent == keeper);
}

/* 1, 0 if it belongs to no unit, or -ENOMEM. */
static int name_unit(const ManagerRebuild *rebuild, Trace *trace, const ExecProcess *process) {
        int r;

        trace->owner = (uid_t) -1;
        r = process_groups_find_name(rebuild->groups, trace->pid, &trace->unit);
        if (r == 0 || r == -ENOMEM)
                return r == 0 ? 1 : r;
        if (!is_ours(rebuild, process) || exec_process_read_owner(trace->pid, &trace->owner) < 0)
                return 0;
        r = exec_process_read_variable(trace->pid, "JOBD_UNIT", &trace->unit);
        return r == -ENOMEM ? r : r == 0;
}

static bool is_wanted(const ManagerRebuild *rebuild, const char *name) {
        const Unit *unit = rebuild->unread ? unit_table_find(rebuild->units, name) : NULL;
        const ManagerUnit *row = unit ? manager_units_find(rebuild->unread, unit) : NULL;

        if (row && row->is_unread)
                return true;
        if (rebuild->unread && (!rebuild->with_unnamed || (row && row->is_read)))
                return false;
        return unit_name_is_valid(name) && !unit_name_is_template(name);
}

static int add_trace(const ManagerRebuild *rebuild, pid_t pid, Traces *traces) {
        Trace trace = { .pid = pid };
        ExecProcess process;
        int r;

        if (pid <= 1 || pid == getpid() || pid == rebuild->keeper ||
            process_table_find(rebuild->processes, pid) || exec_process_read(pid, &process) < 0 ||
            process.state == 'Z' || process.state == 'X')
                return 0;
        trace.start_time = process.start_time;
        r = name_unit(rebuild, &trace, &process);
        if (r <= 0)
                return r;
        r = is_wanted(rebuild, trace.unit) ? vector_push(traces, trace) : -EINVAL;
        if (r < 0)
                free(trace.unit);
        return r == -EINVAL ? 0 : r;
}

static int compare_traces(const void *a, const void *b) {
        const Trace *x = a, *y = b;
        int order = strcmp(x->unit, y->unit);

        if (order != 0)
                return order;
        return x->start_time < y->start_time ? -1 : x->start_time > y->start_time;
}

static int find_traces(const ManagerRebuild *rebuild, Traces *traces) {
        ExecPids pids = {};
        int r = exec_process_list_all(&pids);

        for (size_t i = 0; i < pids.n && r == 0; i++)
                r = add_trace(rebuild, pids.items[i], traces);
        vector_deinit(&pids);
        if (r == 0 && traces->n > 0)
                qsort(traces->items, traces->n, sizeof(*traces->items), compare_traces);
        return r;
}

/* A slice is active if it contains an active unit; so are its parents. */
static void find_slices(const ManagerRebuild *rebuild, const Unit *unit) {
        cleanup_free_ char *name = NULL;
        UnitGroup wanted = {};

        if (unit->vtable->group)
                unit->vtable->group(unit, &wanted);
        if (wanted.resources && wanted.resources->slice)
                name = strdup(wanted.resources->slice);
        else
                (void) unit_slice_default(unit->id, rebuild->is_user, &name);
        while (name && strcmp(name, UNIT_ROOT_SLICE) != 0) {
                char *parent = NULL;
                Unit *slice;

                if (unit_table_load(rebuild->units, name, &slice) == 0 && slice->vtable->found)
                        (void) slice->vtable->found(slice, (uid_t) -1);
                if (unit_slice_parent(name, &parent) < 0)
                        return;
                free(name);
                name = parent;
        }
}

/* The number of units that became active: 0 or 1. */
static unsigned find_unit(const ManagerRebuild *rebuild, const Trace *eldest) {
        Unit *unit;
        int r;

        if (unit_table_load(rebuild->units, eldest->unit, &unit) < 0 || !unit->vtable->found) {
                log_warning("Process %d belongs to %s, which cannot be loaded: it is left alone.", (int) eldest->pid,
                            eldest->unit);
                return 0;
        }
        if (unit_state_is_inactive_or_failed(unit->active_state))
                (void) exec_process_read_invocation(eldest->pid, unit->invocation_id);
        r = unit->vtable->found(unit, eldest->owner);
        if (r == -EPERM)
                log_write(LOG_LEVEL_WARNING, unit->id,
                          "Process %d says that it is of this unit, but does not run as it would: "
                          "it is left alone.", (int) eldest->pid);
        if (r < 0)
                return 0;
        manager_invocations_note(rebuild->invocations, unit);
        find_slices(rebuild, unit);
        log_write(LOG_LEVEL_NOTICE, unit->id, "Found running: how it was started, and what jobs it had, is not known.");
        return 1;
}

void manager_rebuild(const ManagerRebuild *rebuild) {
        Traces traces = {};
        unsigned n = 0;
        int r;

        r = find_traces(rebuild, &traces);
        for (size_t i = 0; i < traces.n && r == 0; i++)
                if (i == 0 || strcmp(traces.items[i].unit, traces.items[i - 1].unit) != 0)
                        n += find_unit(rebuild, &traces.items[i]);
        if (r < 0)
                log_error("Cannot look for the processes of units: %s.", strerror(-r));
        if (!rebuild->unread)
                log_notice("The records of jobd are lost. By their %s, %u unit%s found running; "
                           "all others count as inactive.",
                           process_groups_reason(rebuild->groups) ? "processes" : "control groups", n,
                           n == 1 ? " was" : "s were");
        traces_deinit(&traces);
}
