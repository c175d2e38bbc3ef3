/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The abstract unit
 *
 * What every unit is: id, names, settings, relations, states, operations. A
 * loaded unit has a dense index, so what others keep for each unit is an array.
 * What it does is its type's UnitVTable; what it may ask is its UnitHost. It
 * knows nothing of jobs: it publishes its changes of state.
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
struct ExecRequest;                     /* exec/exec.h */
struct ExecResult;

typedef struct UnitTimestamp {
        usec_t realtime;                /* 0: never */
        usec_t monotonic;
} UnitTimestamp;

/* Standard input, output and error. */
#define UNIT_STREAMS 3U

/* How a unit wants its control group. */
typedef struct UnitGroup {
        const struct ResourceSettings *resources;       /* unitfile/resource_settings.h; NULL: nothing is said */
        bool is_slice;                  /* others are in it; it has no processes itself */
        bool is_begun;                  /* what runs in it is of this run, and not left over from an earlier one */
        bool keeps_leftovers;           /* which are not to be killed */
} UnitGroup;

/* A unit type. Everything but init and deinit may be NULL: the type has no such thing. */
typedef struct UnitVTable {
        UnitType type;
        const char *interface;          /* last part of its D-Bus interface: "Service" */
        const UnitPropertyTable *const *properties;     /* ends with NULL; no name is in two of them */
        bool is_milestone;              /* it does nothing itself: it is reached when what it pulls in is there */
        bool holds_units;               /* its control group is for other units, and there as long as it is active */
        bool can_freeze;                /* its control group has what runs for as long as it is active */
        bool is_stopped_in_order;       /* others may be on it: a shutdown does not stop it unless a relation says so */

        int (*init)(Unit *unit);                /* makes unit->state_of_type: 0 or -ENOMEM */
        void (*deinit)(Unit *unit);
        int (*verify)(Unit *unit, Failure *ret_failure);        /* after load: may this be a unit of the type? */
        void (*loaded)(Unit *unit);             /* settings have been read (again); state is kept */

        bool (*can_start)(const Unit *unit);    /* NULL: yes, if there is a start */
        bool (*can_stop)(const Unit *unit);
        bool (*can_reload)(const Unit *unit);
        bool (*is_task)(const Unit *unit);      /* its start lasts until its work is done; NULL: no */
        UnitAnswer (*start)(Unit *unit);
        UnitAnswer (*stop)(Unit *unit);
        UnitAnswer (*reload)(Unit *unit);
        const char *(*sub_state)(const Unit *unit);
        bool (*will_restart)(const Unit *unit);

        /* What it is doing, for people: "/bin/sleep 60 (pid 12)"; 0, -ENOENT if nothing, or -ENOMEM. */
        int (*activity)(const Unit *unit, char **ret_activity, usec_t *ret_since);
        /* When a time limit of its own ends what it is doing, USEC_INFINITY for never; NULL: it has none. */
        usec_t (*limit)(const Unit *unit);

        int (*prepare_spawn)(Unit *unit, UnitPurpose purpose, struct ExecRequest *request);
        void (*spawned)(Unit *unit, UnitPurpose purpose, pid_t pid, const struct ExecResult *result);
        void (*child_exited)(Unit *unit, const UnitExit *exit);
        void (*timer_elapsed)(Unit *unit, UnitPurpose purpose);
        void (*fd_ready)(Unit *unit, uint32_t index, uint32_t events);  /* see UnitHostOps.watch_fd */
        /* A unit that this one triggers has changed its state, or has lost its job: at the end of a turn. */
        void (*triggered_changed)(Unit *unit, Unit *triggered);
        /*
         * Has it triggered another, which has not ended since? Then what is told to that one's processes: 1, 0 or
         * -ENOMEM.
         */
        int (*trigger_environment)(const Unit *unit, char ***environment);
        /* The machine's clock was set, or (@is_zone) its time zone was changed; see UnitHostOps.watch_clock. */
        void (*clock_changed)(Unit *unit, bool is_zone);
        /* A job of @triggered was not possible. */
        void (*trigger_refused)(Unit *unit, Unit *triggered, const Failure *failure);
        void (*notified)(Unit *unit, pid_t sender, char *const *assignments);   /* sd_notify lines */
        /*
         * Descriptors that came with such lines, before these: the unit sets to -1 those that it takes, the others
         * are closed.
         */
        void (*passed_fds)(Unit *unit, pid_t sender, char *const *assignments, int *fds, size_t n);
        /* What is mounted at its place has come, is another one, or (NULL) has gone. Of mounts only. */
        void (*mounted)(Unit *unit, const struct MountEntry *entry);
        /* The owner of the name that the unit watches: a process, 0 if that is not known; !@is_owned: nobody. */
        void (*name_owned)(Unit *unit, bool is_owned, pid_t pid);
        int (*kill)(Unit *unit, const char *who, int signal, Failure *ret_failure);     /* "main", "control", "all" */
        /* The user and group that its processes run as, where these are not the manager's; (uid_t) -1: they are. */
        void (*runs_as)(const Unit *unit, uid_t *ret_uid, gid_t *ret_gid);
        pid_t (*main_pid)(const Unit *unit);
        pid_t (*control_pid)(const Unit *unit);
        /*
         * The last main process of the unit, and until when (monotonic) that lived, USEC_INFINITY: it does; 0: none.
         * The session of that process is the unit's.
         */
        pid_t (*last_main)(const Unit *unit, usec_t *ret_until);
        /*
         * What the main process has ended with: 0–255, 128 and the signal; -ENODATA if none has ended since the
         * start.
         */
        int (*exit_status)(const Unit *unit);
        void (*reset_failed)(Unit *unit);

        /*
         * The unit is to be made of these processes, once it starts (0: it will not), and @controller (NULL: nobody)
         * is asked to end it. 0, or a negative errno with @ret_failure.
         */
        int (*give_processes)(Unit *unit, const pid_t *pids, size_t n, const char *controller, Failure *ret_failure);
        /*
         * Standard input, output and error of its commands, -1 for what is as its file says; not taken over. The
         * same.
         */
        int (*give_streams)(Unit *unit, const int fds[static UNIT_STREAMS], Failure *ret_failure);
        int (*abandon)(Unit *unit, Failure *ret_failure);       /* that one does not care for it any more */

        /*
         * What it keeps that outlives its runs, as masks of UnitClean, and its removal, which is asked of an
         * inactive unit only: it is in maintenance then until that has ended. 0, or -errno with @ret_failure.
         */
        unsigned (*can_clean)(const Unit *unit);
        int (*clean)(Unit *unit, unsigned kinds, Failure *ret_failure);

        /* The control group of the unit; NULL: it has none. In the states in which it may have processes. */
        void (*group)(const Unit *unit, UnitGroup *ret_group);
        void (*group_emptied)(Unit *unit);      /* the last process has gone; its own exit may be told after */
        void (*group_out_of_memory)(Unit *unit);        /* the kernel has killed a process of it */
        void (*job_refused)(Unit *unit, const Failure *failure);        /* what came of UnitHostOps.request_job … */
                                                /* … also for who triggers the unit that it was about */

        /*
         * A process of the unit is there, which its group or its invocation id (set before) finds, and nothing is
         * recorded of the unit: it becomes active. @owner: the user of the process, which alone says so; (uid_t) -1:
         * it is certain. 0, -EPERM: not believed, -EALREADY.
         */
        int (*found)(Unit *unit, uid_t owner);

        int (*save)(const Unit *unit, Sink *sink);      /* writes the entries of an open a{sv} */

        /*
         * What it must know to go on in another process, and that read back into a unit just made: 0, or -EBADMSG and
         * nothing has changed. Neither asks anything of the host. A type without them has no state but the active one.
         */
        void (*record)(const Unit *unit, RecordWriter *writer);
        int (*restore)(Unit *unit, RecordReader *reader);
        /* Then, when all units and jobs are there: takes its descriptors, and watches again what it had watched. */
        void (*resume)(Unit *unit);
} UnitVTable;

struct Unit {
        /* What a transaction looks at in each unit that it comes by: it lies together. */
        uint32_t index;                 /* dense; given again after the unit is gone */
        uint32_t relation_mask;         /* which kinds have a bucket */
        UnitRelationBucket *buckets;    /* owned, one for each bit of the mask, in its order */
        UnitActiveState active_state : 8;
        UnitLoadState load_state : 8;
        UnitType type : 8;
        uint32_t n_references;          /* bus clients (Ref) and others that keep it loaded */
        const UnitVTable *vtable;       /* borrowed; never NULL */
        const char *id;                 /* the first of names */
        UnitTable *table;               /* borrowed */
        void *state_of_type;            /* owned by the vtable */

        UnitSettings settings;
        char **names;                   /* owned, unless it is only_name; id and aliases */
        char *only_name[2];             /* most units have no other */
        Failure load_failure;           /* why load_state is not loaded */
        void *type_settings;            /* owned by unitfile: ServiceSettings for a service, … */
        void (*type_settings_free)(void *settings);

        UnitTimestamp inactive_exit, active_enter, active_exit, inactive_enter, state_change;
        UnitTimestamp conditions_checked;       /* with the two results below */
        uint8_t invocation_id[16];      /* zero: none */
        int8_t condition_result;        /* 1 met, 0 untested, -1 unmet */
        int8_t assert_result;
        bool needs_reload;              /* its files have changed since they were read */
        void *file_state;               /* owned by unitfile: what it saw of the files */
        void (*file_state_free)(void *state);
        char id_text[];                 /* what id points to */
};

/* Settings and what they imply are read into the unit by this; unitfile fills it. */
typedef struct UnitLoaderOps {
        /*
         * Units are about to be read, perhaps many: what they have in common is looked at once. May be NULL. 0 or
         * -ENOMEM.
         */
        int (*begin)(void *userdata);
        /*
         * Reads the unit's files: sets settings, type_settings, names, relations and load_state (never leaves a
         * stub), or load_state and load_failure. If the name turns out to be an alias it returns the unit that
         * it is another name of, by unit_table_merge(). < 0 only on memory.
         */
        int (*load)(void *userdata, Unit *unit);
        bool (*may_exist_now)(void *userdata, const Unit *unit);        /* not-found: is a new look worth it? */
} UnitLoaderOps;

/* What hears of units. None of these may call into the unit that it is told of. */
typedef struct UnitObserverOps {
        void (*changed)(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new, UnitChangeFlags flags);
        void (*ready)(void *userdata, Unit *unit);              /* after UNIT_NOT_NOW: ask again */
        void (*reloaded_itself)(void *userdata, Unit *unit);    /* propagate it */
        void (*added)(void *userdata, Unit *unit);
        void (*removed)(void *userdata, Unit *unit);            /* about to go: forget its index */
        /*
         * The unit has relations that it had not when it was added: of names that are its own now, or a file that is
         * there now.
         */
        void (*related)(void *userdata, Unit *unit);
        /* Conditions and asserts of a start: UNIT_UNDER_WAY if met. */
        UnitAnswer (*check_conditions)(void *userdata, Unit *unit);
} UnitObserverOps;

/* — operations, as the engine uses them; the checks common to all types are made here — */

UnitAnswer unit_start(Unit *unit);
UnitAnswer unit_stop(Unit *unit);
UnitAnswer unit_reload(Unit *unit);
bool unit_can_start(const Unit *unit);
bool unit_can_stop(const Unit *unit);           /* also says no if it is perpetual */
bool unit_can_reload(const Unit *unit);         /* also says yes if it propagates reloads */
bool unit_can_isolate(const Unit *unit);
const char *unit_sub_state(const Unit *unit);
bool unit_will_restart(const Unit *unit);
const char *unit_description(const Unit *unit); /* its id if it has none */

/* — for unit types: say what happened — */

/* Sets the state, its timestamps, and tells the observer, also if @new is the old one (a sub-state changed). */
void unit_publish(Unit *unit, UnitActiveState new, UnitChangeFlags flags);
void unit_publish_ready(Unit *unit);
void unit_publish_reloaded_itself(Unit *unit);

/* — relations — */

/* In line: the engine asks each unit for a dozen kinds, most of which it has none of. */
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

/* Adds it and its inverse. A unit's relation to itself is left out (returns 0). 0 or -ENOMEM. */
int unit_add_relation(Unit *unit, UnitRelationKind kind, Unit *other, UnitOriginId origin);

/* Takes back all that @unit declared; what others declared of it stays. */
void unit_withdraw_relations(Unit *unit);

/* — files and names — */

/* Whoever sets what is in unit->settings, other than a loader's load(), says so: the table keeps track of some. */
void unit_note_settings(Unit *unit);

Unit *unit_ref(Unit *unit);
Unit *unit_unref(Unit *unit);                   /* never frees: the table does, by unit_table_remove() */
bool unit_has_name(const Unit *unit, const char *name);
