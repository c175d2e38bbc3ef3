/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Attempts of nodes, without processes
 *
 * An attempt ends as the rules of the script say: a rule is about a node of a
 * run, about a node of all runs of a flow, or about all attempts. Without one
 * it runs until the script ends it. Attempts outlive core, as processes do.
 */

#include <stdbool.h>

#include "basic/vector.h"
#include "run/run_engine.h"
#include "sim/sim_duration.h"

/* How attempts end. */
typedef struct SimRule {
        RunEndKind kind;
        uint16_t end; /* of RUN_END_EXITED */
        usec_t after; /* their start; USEC_INFINITY: never */
        SimDurations durations; /* owned; instead of .after, if there are some */
        bool ignores_term; /* only SIGKILL ends them */
        uint32_t tries; /* of items: the first ones alone; 0: all */
} SimRule;

typedef enum SimAttemptState {
        SIM_ATTEMPT_ASKED, /* core was asked for it: there is no process yet */
        SIM_ATTEMPT_RUNS,
        SIM_ATTEMPT_OVER,
} SimAttemptState;

typedef struct SimAttempt {
        RunAttemptKey key;
        char *unit, *node; /* owned; .node of an item: its number */
        SimAttemptState state;
        usec_t started_at;
        usec_t ends_at; /* USEC_INFINITY: not by itself */
        bool is_told_to_end;
        bool is_interrupted; /* by a stop of the unit */
        bool is_told; /* core has heard of what is the case */
        RunEndKind kind;
        uint16_t end;
        uint32_t batch; /* that has the end; 0: none yet */
        uint32_t order; /* among those that are over */
        bool ignores_term;
        uint32_t job; /* that it is, instead of a process; 0: none */
        bool is_launch; /* of a batch: the script does not end it */
        bool is_item; /* of a batch, whose key is none of the engine */
        uint64_t item;
        uint32_t tries; /* of the item, that have failed before */
        usec_t timeout; /* of an item; 0: none */
} SimAttempt;

typedef struct SimRuleEntry {
        char *where; /* owned: a run's number or a flow's name */
        char *node; /* owned: also an item of a batch, "17", some of them, "10-19", or all, "items" */
        SimRule rule;
} SimRuleEntry;

typedef struct SimAttempts {
        VECTOR(SimAttempt) all;
        VECTOR(SimRuleEntry) rules;
        SimRule every; /* if no rule applies */
        uint32_t n_over;
} SimAttempts;

void sim_rule_deinit(SimRule *rule);

void sim_attempts_init(SimAttempts *attempts, bool is_auto);
void sim_attempts_deinit(SimAttempts *attempts);

/* Takes @rule, also on failure. 0 or -ENOMEM. */
int sim_attempts_set_rule(SimAttempts *attempts, const char *where, const char *node, SimRule *rule);
void sim_attempts_set_every(SimAttempts *attempts, SimRule *rule);

SimAttempt *sim_attempts_find(SimAttempts *attempts, const RunAttemptKey *key);
/* The one that runs for a node; NULL: none. */
SimAttempt *sim_attempts_running(SimAttempts *attempts, uint32_t run, const char *node);
/* Items of a run whose processes are not gone. */
uint32_t sim_attempts_count_items(const SimAttempts *attempts, uint32_t run);
/* The attempts of @unit whose processes are not gone. */
uint32_t sim_attempts_count(const SimAttempts *attempts, const char *unit);

/* 0 or -ENOMEM. */
int sim_attempts_ask(SimAttempts *attempts, const RunAttemptKey *key, const char *unit, const char *node);
/* The same for an item of a batch: @like has .key, .item, .tries and .timeout. */
int sim_attempts_ask_item(SimAttempts *attempts, const SimAttempt *like, const char *unit);
/* "17", or "10-19": -EINVAL. */
int sim_attempt_parse_items(const char *word, uint64_t *ret_first, uint64_t *ret_last);
/* Begins the process, by the rule for it. */
void sim_attempt_begin(SimAttempts *attempts, SimAttempt *attempt, usec_t now);
/* SIGTERM, and SIGKILL @timeout later. */
void sim_attempt_tell_to_end(SimAttempt *attempt, usec_t now, usec_t timeout);
void sim_attempt_end(SimAttempts *attempts, SimAttempt *attempt, RunEndKind kind, uint16_t end);
void sim_attempts_remove(SimAttempts *attempts, SimAttempt *attempt);
/* When the next one ends; USEC_INFINITY: none does by itself. */
usec_t sim_attempts_next(const SimAttempts *attempts);
