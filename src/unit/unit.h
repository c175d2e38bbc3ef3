/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The abstract unit
 *
 * The part that all units have: id, names, settings, relations, states,
 * operations. A loaded unit has a dense index, so data about each unit can be
 * kept in an array. The behaviour of its type is in UnitVTable, the services
 * that it may use are in UnitHost. A unit knows nothing of jobs: it publishes
 * its changes of state.
 */

#include "basic/failure.h"
#include "basic/record.h"
#include "basic/usec.h"
#include "unit/unit_host.h"
#include "unit/unit_name.h"
#include "unit/unit_property.h"
#include "unit/unit_relation.h"
#include "unit/unit_settings.h"
#include "unit/unit_state.h"

typedef struct Unit Unit;
typedef struct UnitTable UnitTable;
struct ExecRequest; /* exec/exec.h */
struct ExecResult;

typedef struct UnitTimestamp {
        usec_t realtime; /* 0: never */
        usec_t monotonic;
} UnitTimestamp;

/* Standard input, output and error. */
#define UNIT_STREAMS 3U

/* The control group that a unit wants. */
typedef struct UnitGroup {
        const struct ResourceSettings *resources; /* unitfile/resource_settings.h; NULL: no setting */
        bool is_slice; /* contains other units' groups and has no processes itself */
        bool is_begun; /* its processes belong to this run, not to an earlier one */
        bool keeps_leftovers; /* processes of an earlier run are not killed */
} UnitGroup;

typedef enum UnitTriggerKind {
        UNIT_TRIGGER_EVENT, /* of a timer, path or socket unit */
        UNIT_TRIGGER_FAILURE, /* by OnFailure= */
        UNIT_TRIGGER_SUCCESS, /* by OnSuccess= */
        _UNIT_TRIGGER_KIND_MAX,
} UnitTriggerKind;

/* Why a unit with UnitVTable.triggered is asked for. */
typedef struct UnitTrigger {
        const Unit *by; /* borrowed */
        UnitTriggerKind kind;
        usec_t time; /* of an event: wall clock, for which it is; 0: now */
        bool is_made_up; /* that was missed, with others */
        uint32_t job; /* of a failure: the job of .by that has failed; 0: the unit itself has ended … */
        uint32_t run, round; /* … or, of a flow, that round of a run of it; 0: no run */
        bool was_up; /* of .by that has ended: it was active or activating before */
} UnitTrigger;

/* A unit type. All but init and deinit may be NULL, if the type does not have the operation. */
typedef struct UnitVTable {
        UnitType type;
        const char *interface; /* last part of its D-Bus interface: "Service" */
        const UnitPropertyTable *const *properties; /* ends with NULL; no name is in two tables */
        bool is_milestone; /* it does nothing itself: it is reached when what it pulls in is there */
        bool holds_units; /* its control group is for other units, and there as long as it is active */
        bool can_freeze; /* its control group has what runs for as long as it is active */
        bool is_stopped_in_order; /* others may be on it: a shutdown does not stop it unless a relation says so */

        int (*init)(Unit *unit); /* allocates unit->state_of_type: 0 or -ENOMEM */
        void (*deinit)(Unit *unit);
        int (*verify)(Unit *unit, Failure *ret_failure); /* after load: checks the settings */
        void (*loaded)(Unit *unit); /* settings were read (again); the state is kept */

        bool (*can_start)(const Unit *unit); /* NULL: yes, if start is set */
        bool (*can_stop)(const Unit *unit);
        bool (*can_reload)(const Unit *unit);
        bool (*is_task)(const Unit *unit); /* its start lasts until its work is done; NULL: no */
        UnitAnswer (*start)(Unit *unit);
        UnitAnswer (*stop)(Unit *unit);
        UnitAnswer (*reload)(Unit *unit);
        const char *(*sub_state)(const Unit *unit);
        bool (*will_restart)(const Unit *unit);

        /* The unit's present activity, for display: "/bin/sleep 60 (pid 12)"; 0, -ENOENT if none, or -ENOMEM. */
        int (*activity)(const Unit *unit, char **ret_activity, usec_t *ret_since);
        /* Why the unit has failed, one sentence without a full stop; NULL: no reason is known. */
        const char *(*failure)(const Unit *unit);
        /*
         * The time at which the unit's own time limit ends its present operation, or USEC_INFINITY; NULL: the type has
         * no limits.
         */
        usec_t (*limit)(const Unit *unit);

        int (*prepare_spawn)(Unit *unit, UnitPurpose purpose, struct ExecRequest *request);
        void (*spawned)(Unit *unit, UnitPurpose purpose, pid_t pid, const struct ExecResult *result);
        void (*child_exited)(Unit *unit, const UnitExit *exit);
        void (*timer_elapsed)(Unit *unit, UnitPurpose purpose);
        void (*fd_ready)(Unit *unit, uint32_t index, uint32_t events); /* see UnitHostOps.watch_fd */
        /* At the end of a turn: a unit that this one triggers has changed its state or lost its job. */
        void (*triggered_changed)(Unit *unit, Unit *triggered);
        /*
         * If this unit has triggered another one that has not ended since: 1, with variables for that one's processes.
         * 0 if not, or -ENOMEM.
         */
        int (*trigger_environment)(const Unit *unit, char ***environment);
        /* The system clock was set or, with @is_zone, the time zone was changed; see UnitHostOps.watch_clock. */
        void (*clock_changed)(Unit *unit, bool is_zone);
        /*
         * A timer, path or socket, or OnFailure= or OnSuccess= of another unit, asks for this one, whose type has more
         * to do then than a start. It may use the host but for .request_job. NULL: a start is requested.
         */
        void (*triggered)(Unit *unit, const UnitTrigger *trigger);
        /* Variables about how the unit has ended, for processes that follow from that: 0 or -ENOMEM. NULL: none. */
        int (*result_environment)(const Unit *unit, char ***environment);
        void (*runs_changed)(Unit *unit); /* flows: at the end of a turn; see UnitHostOps.get_runs */
        /* A job of @triggered was refused. */
        void (*trigger_refused)(Unit *unit, Unit *triggered, const Failure *failure);
        void (*notified)(Unit *unit, pid_t sender, char *const *assignments); /* sd_notify lines */
        /*
         * Called before .notified with the descriptors of the same message. The unit sets those that it takes to -1;
         * the others are closed.
         */
        void (*passed_fds)(Unit *unit, pid_t sender, char *const *assignments, int *fds, size_t n);
        /*
         * Mount units: the mount at the unit's path has appeared, was replaced, or (@entry is NULL) has been removed.
         */
        void (*mounted)(Unit *unit, const struct MountEntry *entry);
        /* The owner of the bus name that the unit watches: its process, or 0 if unknown; !@is_owned: no owner. */
        void (*name_owned)(Unit *unit, bool is_owned, pid_t pid);
        int (*kill)(Unit *unit, const char *who, int signal, Failure *ret_failure); /* "main", "control", "all" */
        /* The user and group that its processes run as, where these are not the manager's; (uid_t) -1: they are. */
        void (*runs_as)(const Unit *unit, uid_t *ret_uid, gid_t *ret_gid);
        pid_t (*main_pid)(const Unit *unit);
        pid_t (*control_pid)(const Unit *unit);
        /*
         * The last main process of the unit, which is also the leader of its session, or 0. @ret_until: monotonic time
         * of its exit, USEC_INFINITY while it runs.
         */
        pid_t (*last_main)(const Unit *unit, usec_t *ret_until);
        /*
         * Exit status of the last main process: 0–255, 128 + signal if killed, or -ENODATA if none has ended since the
         * start.
         */
        int (*exit_status)(const Unit *unit);
        void (*reset_failed)(Unit *unit);

        /*
         * Sets the processes that the unit takes over when it starts (none: it will not start), and the bus name
         * @controller (NULL: none), which is asked to end the unit. 0, or a negative errno with @ret_failure.
         */
        int (*give_processes)(Unit *unit, const pid_t *pids, size_t n, const char *controller, Failure *ret_failure);
        /*
         * Sets standard input, output and error of the unit's commands, -1 for the unit file's setting; the descriptors
         * stay the caller's. 0, or a negative errno with @ret_failure.
         */
        int (*give_streams)(Unit *unit, const int fds[static UNIT_STREAMS], Failure *ret_failure);
        int (*abandon)(Unit *unit, Failure *ret_failure); /* the controller gives up its role */

        /*
         * .can_clean: the resources of the unit that outlive its runs, as a mask of UnitClean. .clean removes them; it
         * is called for an inactive unit only, which is in maintenance until the removal has ended. 0, or -errno with
         * @ret_failure.
         */
        unsigned (*can_clean)(const Unit *unit);
        int (*clean)(Unit *unit, unsigned kinds, Failure *ret_failure);

        /* The control group of the unit in states in which it may have processes; NULL: it has none. */
        void (*group)(const Unit *unit, UnitGroup *ret_group);
        void (*group_emptied)(Unit *unit); /* the last process is gone; its exit may be reported later */
        void (*group_out_of_memory)(Unit *unit); /* the kernel killed a process of the group */
        void (*job_refused)(Unit *unit, const Failure *failure); /* of UnitHostOps.request_job; also … */
        /* … called for the units that trigger the unit */

        /*
         * The manager has found a process of the unit by its group or invocation id, but no record of the unit's state:
         * the unit becomes active. @owner: the user of the process, if its claim is the only evidence; (uid_t) -1 if
         * the process is certain to be the unit's. 0, -EPERM if the claim is rejected, or -EALREADY.
         */
        int (*found)(Unit *unit, uid_t owner);

        int (*save)(const Unit *unit, Sink *sink); /* writes the entries of an open a{sv} */

        /*
         * Writes the state that a later manager process needs, and reads it back into a new unit: 0, or -EBADMSG with
         * nothing changed. Neither calls the host. A type without them restores the active state only.
         */
        void (*record)(const Unit *unit, RecordWriter *writer);
        int (*restore)(Unit *unit, RecordReader *reader);
        /* Called after all units and jobs are restored: takes over kept descriptors and sets all watches again. */
        void (*resume)(Unit *unit);
} UnitVTable;

struct Unit {
        /* The members that a transaction reads of each unit stand together, in few cache lines. */
        uint32_t index; /* dense; reused after the unit is freed */
        uint32_t relation_mask; /* which kinds have a bucket */
        UnitRelationBucket *buckets; /* owned, one for each bit of the mask, in its order */
        UnitActiveState active_state : 8;
        UnitLoadState load_state : 8;
        UnitType type : 8;
        uint32_t n_references; /* bus clients (Ref) and others that keep the unit loaded */
        const UnitVTable *vtable; /* borrowed; never NULL */
        const char *id; /* the first of names */
        UnitTable *table; /* borrowed */
        void *state_of_type; /* owned by the vtable */

        UnitSettings settings;
        char **names; /* owned, unless it is only_name; id, then aliases */
        char *only_name[2]; /* storage of .names for a unit with one name */
        Failure load_failure; /* why load_state is not loaded */
        void *type_settings; /* owned by unitfile: ServiceSettings for a service, … */
        void (*type_settings_free)(void *settings);

        UnitTimestamp inactive_exit, active_enter, active_exit, inactive_enter, state_change;
        UnitTimestamp conditions_checked; /* with the two results below */
        uint8_t invocation_id[16]; /* zero: none */
        int8_t condition_result; /* 1 met, 0 untested, -1 unmet */
        int8_t assert_result;
        bool needs_reload; /* its files have changed since they were read */
        void *file_state; /* owned by unitfile: the files as they were read */
        void (*file_state_free)(void *state);
        char id_text[]; /* storage of .id */
};

/* Reads settings and implied settings into units; implemented by unitfile. */
typedef struct UnitLoaderOps {
        /* Called before one or more units are read, to check shared directories once. May be NULL. 0 or -ENOMEM. */
        int (*begin)(void *userdata);
        /*
         * Reads the unit's files: sets settings, type_settings, names, relations and load_state (never leaves a stub),
         * or load_state and load_failure. If the name is an alias it returns the unit with that name, by
         * unit_table_merge(). A negative errno means -ENOMEM only.
         */
        int (*load)(void *userdata, Unit *unit);
        bool (*may_exist_now)(void *userdata, const Unit *unit); /* not-found: has a directory changed? */
} UnitLoaderOps;

/* Callbacks about units. None of them may call into the unit that it is about. */
typedef struct UnitObserverOps {
        void (*changed)(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new, UnitChangeFlags flags);
        void (*ready)(void *userdata, Unit *unit); /* after UNIT_NOT_NOW: ask again */
        void (*reloaded_itself)(void *userdata, Unit *unit); /* requests for the units it propagates to */
        void (*added)(void *userdata, Unit *unit);
        void (*removed)(void *userdata, Unit *unit); /* about to be freed: forget its index */
        /* The unit has relations that were added after its creation, by a new name or a file that has appeared. */
        void (*related)(void *userdata, Unit *unit);
        /* Checks the conditions and asserts of a start: UNIT_UNDER_WAY if they are met. */
        UnitAnswer (*check_conditions)(void *userdata, Unit *unit);
} UnitObserverOps;

/* — operations for the engine; the checks common to all types are made here — */

UnitAnswer unit_start(Unit *unit);
UnitAnswer unit_stop(Unit *unit);
UnitAnswer unit_reload(Unit *unit);
bool unit_can_start(const Unit *unit);
bool unit_can_stop(const Unit *unit); /* false for a perpetual unit */
bool unit_can_reload(const Unit *unit); /* true if it propagates reloads */
bool unit_can_isolate(const Unit *unit);
const char *unit_sub_state(const Unit *unit);
bool unit_will_restart(const Unit *unit);
const char *unit_failure(const Unit *unit); /* why it has failed; NULL: it has not, or no reason is known */
/* The unit to which it is bound and which has to be active when it starts, but is not; or NULL. */
const Unit *unit_find_unbound(const Unit *unit);
/*
 * The conditions (or else the assertions) that kept the unit from starting, "ConditionPathExists=/x, …"; triggers only
 * if no other condition did. Returns @buffer, or NULL if there are none.
 */
const char *unit_list_unmet(const Unit *unit, char *buffer, size_t size);
/*
 * For a unit that was unloaded after its last start ended with @answer, and is loaded again: sets the results of its
 * conditions from @unmet, which unit_list_unmet() wrote then. Returns false, and sets nothing, if none of them is among
 * the unit's conditions any more.
 */
bool unit_restore_unmet(Unit *unit, UnitAnswer answer, const char *unmet, UnitTimestamp at);
const char *unit_description(const Unit *unit); /* the id if there is none */

/* — for unit types: publishing events — */

/* Sets the state and its timestamps, and calls the observer, even if @new is the old state (a sub-state changed). */
void unit_publish(Unit *unit, UnitActiveState new, UnitChangeFlags flags);
void unit_publish_ready(Unit *unit);
void unit_publish_reloaded_itself(Unit *unit);

/* — relations — */

/* Inline: the engine asks each unit for a dozen kinds, most of which are empty. */
static inline UnitRelations unit_relations(const Unit *unit, UnitRelationKind kind) {
        uint32_t bit = UINT32_C(1) << kind;
        const UnitRelationBucket *bucket;

        if (!(unit->relation_mask & bit))
                return (UnitRelations) {};
        bucket = &unit->buckets[unit_relation_count_kinds(unit->relation_mask & (bit - 1))];
        return (UnitRelations) { bucket->items, bucket->n };
}

bool unit_has_relation(const Unit *unit, UnitRelationKind kind, const Unit *other);
const UnitRelation *unit_find_relation(const Unit *unit, UnitRelationKind kind, const Unit *other);

/* Adds a relation and its inverse. A relation of a unit to itself is ignored (returns 0). 0 or -ENOMEM. */
int unit_add_relation(Unit *unit, UnitRelationKind kind, Unit *other, UnitOriginId origin);

/* Removes the relations declared by @unit; those that other units declared with it stay. */
void unit_withdraw_relations(Unit *unit);

/* — files and names — */

/* Must be called after a change of unit->settings outside of load(): the table tracks some of them. */
void unit_note_settings(Unit *unit);

Unit *unit_ref(Unit *unit);
Unit *unit_unref(Unit *unit); /* does not free; see unit_table_remove() */
bool unit_has_name(const Unit *unit, const char *name);
