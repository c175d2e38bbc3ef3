/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Functions shared by the files of the model
 */

#include "model.h"

#define MODEL_CANDIDATES_MAX (MODEL_UNITS_MAX * 12)
#define MODEL_EDGES_MAX 8192
#define MODEL_RULE_INTERVAL (10 * UINT64_C(1000000))
#define MODEL_RULE_BURST 16

typedef struct ModelCandidate {
        int unit;
        JobType type;
        bool is_gone;
        bool is_anchor;
        bool matters;
        bool is_secured;                /* a tie was settled for it, or for what needs it */
        bool absorbed_start;
        bool has_start;                 /* a start or restart was merged with it */
        bool is_expanded, is_propagated;
        int merged_into;                /* 1 + that candidate */
        const char *error;              /* why it failed: that is remembered when it is gone, too */
} ModelCandidate;

/* @from needs, wants or pulls in @to. */
typedef struct ModelEdge {
        int from, to;
        UnitRelationKind relation;      /* _UNIT_RELATION_INVALID: by the mode */
        bool is_needed;
        bool is_void;                   /* @from changes nothing */
} ModelEdge;

typedef struct ModelSet {
        bool has[MODEL_CANDIDATES_MAX];
} ModelSet;

typedef struct ModelStage {
        JobMode mode;
        ModelCandidate candidates[MODEL_CANDIDATES_MAX];
        int n;
        int n_edges;
        int anchors[MODEL_REQUESTS_MAX];        /* the candidate of each request */
        unsigned n_anchors;
        bool was_staged[MODEL_UNITS_MAX];       /* the unit has had a candidate */
        bool has_failures;              /* failures that have not been spread */
        bool has_conflicts;             /* some had to be settled */
        bool is_in_vain;                /* a tie was settled for one that is lost: .late is that one */
        int winners[MODEL_CANDIDATES_MAX];      /* for which ties were settled */
        int n_winners;
        int late[MODEL_CANDIDATES_MAX]; /* what gave way after that: the transaction is made again without it */
        int n_late;
        const char *error;              /* it is refused */
        ModelEdge edges[MODEL_EDGES_MAX];       /* last: so many need not be cleared */
} ModelStage;

#define model_count(m, counter) ((m)->counters ? (void) (m)->counters->counter++ : (void) 0)

/* — model_type.c: rules about types — */

ModelSlot model_slot(const ModelJob *job);

JobType model_merge(JobType a, JobType b);
bool model_conflicts(JobType a, JobType b);
JobType model_collapse(const Model *m, int u, JobType type);
/* The same for a candidate. @ret_absorbed_start: a reload that includes a start. */
JobType model_resolve(const Model *m, int u, JobType type, bool *ret_absorbed_start);
JobType model_first_run(JobType type);
bool model_covers(const ModelJob *triggered, JobType wanted);
bool model_is_redundant(const Model *m, int u, JobType type);
bool model_is_applicable(const Model *m, int u, JobType type);

/* Merges @type into @into as a unit in its present state would; keeps @absorbed_start right. */
JobType model_merge_on(const Model *m, int u, JobType into, JobType type, bool *absorbed_start);

/* — model_stage.c, model_expand.c, model_conflict.c, model_reduce.c: from requests to the reduced stage — */

/* Finds a candidate, also a failed one. */
int model_stage_find(const ModelStage *s, int u, JobType type);
bool model_stage_has(const ModelStage *s, int u);
/* The first candidate of the unit that is neither dropped nor a nop. */
int model_stage_main(const ModelStage *s, int u);
void model_stage_link(ModelStage *s, int from, int to, UnitRelationKind relation, bool is_needed);
/* What is left without @lost: without those that need one that is lost, and without what no anchor reaches then. */
void model_stage_remains(const ModelStage *s, const ModelSet *lost, ModelSet *ret_remains);
/* The same for one lost candidate. */
void model_stage_remains_without(const ModelStage *s, int candidate, ModelSet *ret_remains);
/* Drops the candidate and all that does not remain without it. */
void model_stage_drop(ModelStage *s, int candidate);
/* The same after conflicts were settled. */
void model_stage_drop_late(ModelStage *s, int candidate);
/* The number of candidates that would be dropped. */
int model_stage_count_loss(const ModelStage *s, int candidate);
/* Drops what no anchor reaches. */
void model_stage_sweep(ModelStage *s);
void model_stage_expand(ModelStage *s, const Model *m, const ModelRequest *requests, unsigned n);
void model_stage_add_extras(ModelStage *s, const Model *m);
void model_stage_reduce_first(ModelStage *s, const Model *m);
void model_stage_mark_what_matters(ModelStage *s);
void model_stage_mark(ModelStage *s, const Model *m);
/* model_conflict.c */
void model_stage_settle(ModelStage *s, Model *m);
void model_stage_merge(ModelStage *s, Model *m);
void model_stage_reduce(ModelStage *s, const Model *m);

/* — model_order.c: order — */

bool model_goes_first(const Model *m, int u, JobType run, int v, JobType other_run);
void model_stage_break_cycles(ModelStage *s, Model *m);
/* Is there a cycle of order in what is installed? The youngest pending job in one of them, 0 if none has a pending one. */
bool model_find_stuck(const Model *m, uint32_t *ret_id);

/* — model_commit.c: installed jobs, and the commit — */

/* A verify cancels nothing: one that matters to nobody gives way to a pending stop. */
void model_stage_give_way(ModelStage *s, const Model *m);
void model_stage_meet_installed(ModelStage *s, const Model *m);
/* Puts the stage into the table. @is_trial: to see how it would be; nothing is told. */
void model_commit(Model *m, const ModelStage *s, bool is_trial, uint32_t *ret_anchors);

/* — model_finish.c — */

ModelJob *model_find(Model *m, uint32_t id, int *ret_unit);     /* aliases, too */
bool model_has_job(const Model *m, int u);
/* @job is one of the slots of @u. @is_quiet: dependents do not hear of it. */
void model_end(Model *m, int u, ModelJob *job, JobResult result, bool is_quiet);
void model_tell(Model *m, ModelTraceKind kind, uint32_t id, int detail, const char *error);
void model_handle_report(Model *m, const ModelReport *report);
void model_break_installed_cycles(Model *m);

/* — model_notify.c — */

void model_wish(Model *m, int unit, JobType type, JobMode mode);
void model_follow_up(Model *m, const ModelReport *report, bool is_unexpected);
void model_wish_on_failure(Model *m, int u);
/* The state-based rules that a change of @u, or of its jobs, may have set off are to be looked at. */
void model_look_at_rules(Model *m, int u);
/* Does so, and asks for what they want. */
void model_apply_rules(Model *m);
/* The limit allows the unit's rules again. */
void model_retry_rules(Model *m, int u);
void model_forget_recovery(Model *m, int u);
/* Makes the requests that have come up, until there are none. */
void model_settle(Model *m);

/* — model_unit.c — */

UnitAnswer model_operate(Model *m, int u, JobType run);
