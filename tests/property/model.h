/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A second job engine, slow and obvious
 *
 * Written from the properties of the design and from systemd.unit(5), to be
 * compared with the first. It
 * shares no code with it: of job/job_type.h and unit/ only the enums and their
 * words are used. All it knows is one plain struct without pointers into
 * itself, so that "as it would be afterwards" is a copy; each question is
 * answered by loops over all units; nothing is remembered to be quick. Units
 * have the indexes that they have in the table of units.
 *
 * Units react as those of jobd-sim do: see model_unit.c.
 */

#include <stdbool.h>
#include <stdint.h>

#include "job/job_type.h"
#include "unit/unit_relation.h"
#include "unit/unit_state.h"

#define MODEL_UNITS_MAX 12
#define MODEL_ALIASES_MAX 64
#define MODEL_TRACE_MAX 8192
#define MODEL_WISHES_MAX 512
#define MODEL_REQUESTS_MAX 4
#define MODEL_NEVER UINT64_MAX
#define MODEL_NOBODY (-1)

/* The outcome of the next operation: the words of jobd-sim's "result". */
typedef enum ModelOutcome {
        MODEL_UNDER_WAY,
        MODEL_DONE,
        MODEL_FAIL,
        MODEL_AGAIN,
        MODEL_SKIP,
        MODEL_ASSERT,
        MODEL_UNSUPPORTED,
        _MODEL_OUTCOME_MAX,
} ModelOutcome;

typedef enum ModelOperation {
        MODEL_START,
        MODEL_STOP,
        MODEL_RELOAD,
        _MODEL_OPERATION_MAX,
} ModelOperation;

typedef struct ModelJob {
        uint32_t id;                    /* 0: there is no job */
        JobType type, run;
        bool is_irreversible, ignores_order;
        bool is_between_halves;         /* a restart that has stopped and not yet started */
        bool absorbed_start;            /* a reload that is a start if the unit has died */
        bool is_paused;                 /* "not now" */
        uint64_t installed_at, triggered_at;
        uint32_t aliases[MODEL_ALIASES_MAX];    /* ids that it absorbed */
        unsigned n_aliases;
} ModelJob;

typedef struct ModelUnit {
        char name[24];
        bool is_known;                  /* a unit or a request has named it */
        UnitLoadState load;
        UnitActiveState state;
        bool will_restart;
        bool can_reload, is_perpetual, allows_isolate, ignores_isolate, stops_when_unneeded, restarts_on_dependency;
        bool refuses_start, refuses_stop;
        int priority;
        uint64_t timeout, running_timeout;      /* µs or MODEL_NEVER */
        JobMode on_failure_mode, on_success_mode;

        unsigned n_related[_UNIT_RELATION_MAX];
        uint8_t related[_UNIT_RELATION_MAX][MODEL_UNITS_MAX];   /* in the order in which they were declared */

        ModelOutcome outcomes[_MODEL_OPERATION_MAX];

        ModelJob triggered, pending, nop;

        int waits_for;                  /* unit for whose recovery it waits; MODEL_NOBODY */
        unsigned rules;                 /* ModelRule: to look at */
        unsigned delayed_rules;         /* to look at when the limit allows it again */
        unsigned n_rule_requests;       /* in the present window of the limit */
        uint64_t rule_window;           /* when that began; 0: none */
} ModelUnit;

/* State-based rules, and OnFailure= and OnSuccess= that were held back. */
enum {
        MODEL_RULE_UNNEEDED = 1 << 0,
        MODEL_RULE_UPHELD = 1 << 1,
        MODEL_RULE_BOUND = 1 << 2,
        MODEL_RULE_FAILURE = 1 << 3,
        MODEL_RULE_SUCCESS = 1 << 4,
};

/* A request that the engine makes itself. */
typedef struct ModelWish {
        int unit;
        JobType type;
        JobMode mode;
} ModelWish;

/* A state that a unit reported. */
typedef struct ModelReport {
        int unit;
        UnitActiveState old, new;
        UnitChangeFlags flags;
} ModelReport;

typedef enum ModelTraceKind {
        MODEL_TRACE_TRIGGER,            /* detail: run type */
        MODEL_TRACE_END,                /* detail: result */
        MODEL_TRACE_REFUSED,            /* a wish was refused: error */
} ModelTraceKind;

/* An event of the engine. */
typedef struct ModelTrace {
        ModelTraceKind kind;
        uint32_t id;
        int detail;
        const char *error;              /* static */
} ModelTrace;

typedef struct ModelTraces {
        ModelTrace items[MODEL_TRACE_MAX];
        unsigned n;
} ModelTraces;

/* A job in a queue, by what it is and does. */
typedef enum ModelSlot {
        MODEL_SLOT_NONE,
        MODEL_SLOT_START,
        MODEL_SLOT_VERIFY,
        MODEL_SLOT_STOP,
        MODEL_SLOT_RELOAD,
        MODEL_SLOT_STOPPING,            /* a restart, in one half or the other */
        MODEL_SLOT_STARTING,
        _MODEL_SLOT_MAX,
} ModelSlot;

/* How often each rule was applied. */
typedef struct ModelCounters {
        uint64_t folded[_JOB_TYPE_MAX_MERGING][_JOB_TYPE_MAX_MERGING];
        uint64_t met_pending[_MODEL_SLOT_MAX][_JOB_TYPE_MAX_IN_TABLE], met_triggered[_MODEL_SLOT_MAX][_JOB_TYPE_MAX_IN_TABLE];
        uint64_t interrupted[_MODEL_SLOT_MAX];
        uint64_t answers[_JOB_TYPE_MAX_IN_TABLE][_UNIT_ANSWER_MAX];
        uint64_t reports[_MODEL_SLOT_MAX][_UNIT_ACTIVE_STATE_MAX], pending_reports[_MODEL_SLOT_MAX][_UNIT_ACTIVE_STATE_MAX];
        uint64_t wishes[_JOB_MODE_MAX][_JOB_TYPE_MAX];
        uint64_t n_conflicts, n_ties, n_groundless, n_again;    /* settled: in all, by declaration and name, ... */
        uint64_t n_victims, n_turns, n_fallbacks, n_limited;
} ModelCounters;

typedef struct Model {
        ModelUnit units[MODEL_UNITS_MAX];
        int n_units;
        int by_name[MODEL_UNITS_MAX];   /* units in the order of their names */
        uint32_t last_id;
        uint64_t now;

        bool is_triggering;             /* a unit's operation is on the stack: reports queue up */
        ModelReport reports[64];
        unsigned n_reports;
        int rule_queue[MODEL_UNITS_MAX];        /* units with rules to look at */
        int n_rule_queue;
        bool has_cycle_to_come;         /* of order, among running restarts: nothing in it is pending yet */
        ModelWish wishes[MODEL_WISHES_MAX];
        unsigned n_wishes;
        bool went_by_name;              /* the last request had ties: under other names its answer may be another */
        ModelTraces *trace;             /* borrowed */
        ModelCounters *counters;        /* borrowed, may be NULL */
} Model;

typedef struct ModelRequest {
        int unit;
        JobType type;
        bool reload_if_possible;
        bool is_manual;
} ModelRequest;

#define model_each(m, u, kind, v)                                                                        \
        for (int v##_at_ = 0, v = 0; v##_at_ < (int) (m)->units[u].n_related[kind] &&                     \
                                     ((v = (m)->units[u].related[kind][v##_at_]), true); v##_at_++)

/* — the face, call for call that of the engine — */

/* NULL, or the name of the error. */
const char *model_exec(Model *m, const ModelRequest *requests, unsigned n, JobMode mode,
                       uint32_t ret_anchors[MODEL_REQUESTS_MAX]);

/* What a request would do; nothing is changed. */
typedef struct ModelPlan {
        const char *error;
        int n_jobs;
        bool went_by_name;              /* there were ties, as in Model */
        bool has_victims;               /* cycles of order were broken */
        bool has[MODEL_UNITS_MAX][_JOB_TYPE_MAX];       /* a job of the type, what is redundant left out */
        bool starts[MODEL_UNITS_MAX];   /* a start or restart, or a job with which one was merged */
} ModelPlan;

void model_plan(const Model *m, const ModelRequest *requests, unsigned n, JobMode mode, ModelPlan *ret_plan);
const char *model_cancel(Model *m, uint32_t id, bool detaches);        /* with it running ones, too */
unsigned model_cancel_all(Model *m);
bool model_run(Model *m, unsigned budget);
void model_report(Model *m, int unit, UnitActiveState new, UnitChangeFlags flags);
void model_resume(Model *m, int unit);
void model_reloaded_itself(Model *m, int unit, JobMode mode);
uint64_t model_next_deadline(const Model *m);
void model_expire(Model *m);
void model_graph_changed(Model *m);
void model_restart(Model *m);           /* saved and restored */

/* Returns true if a job waits for other jobs only, and none in its chain of blockers is triggered or paused. */
bool model_is_stuck(const Model *m);
/* May @job of unit @u be dispatched? */
bool model_may_go(const Model *m, int u, const ModelJob *job);
/* Must @job of unit @u wait for the job of that id? */
bool model_is_blocker(const Model *m, int u, const ModelJob *job, uint32_t blocker);
