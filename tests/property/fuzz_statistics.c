/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What was met, as tables
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fuzz_statistics.h"

FuzzStatistics *fuzz_statistics;

void fuzz_count_error(FuzzErrors *errors, const char *name) {
        for (int i = 0; i < FUZZ_ERRORS_MAX; i++) {
                if (errors->items[i].n == 0)
                        snprintf(errors->items[i].name, sizeof(errors->items[i].name), "%s", name);
                if (strcmp(errors->items[i].name, name) != 0)
                        continue;
                errors->items[i].n++;
                return;
        }
}

typedef const char *(*FuzzWord)(int value);

typedef struct FuzzTable {
        const char *title;
        const uint64_t *counts;         /* row by row */
        int rows, columns;
        FuzzWord row, column;
} FuzzTable;

static void print_table(const FuzzTable *table) {
        printf("\n%-24s", table->title);
        for (int c = 0; c < table->columns; c++)
                printf(" %12.12s", table->column(c));
        for (int r = 0; r < table->rows; r++) {
                printf("\n  %-22s", table->row(r));
                for (int c = 0; c < table->columns; c++) {
                        uint64_t n = table->counts[r * table->columns + c];

                        if (n > 0)
                                printf(" %12" PRIu64, n);
                        else
                                printf(" %12s", "-");
                }
        }
        putchar('\n');
}

static void print_errors(const char *title, const FuzzErrors *errors) {
        printf("\n%s\n", title);
        for (int i = 0; i < FUZZ_ERRORS_MAX && errors->items[i].n > 0; i++)
                printf("  %-30s %12" PRIu64 "\n", errors->items[i].name, errors->items[i].n);
}

static const char *type_word(int value) {
        return job_type_to_string((JobType) value);
}

static const char *mode_word(int value) {
        return job_mode_to_string((JobMode) value);
}

static const char *rule_word(int value) {
        return job_drop_rule_to_string((JobDropRule) value);
}

static const char *action_word(int value) {
        return job_plan_action_to_string((JobPlanAction) value);
}

static const char *result_word(int value) {
        return job_result_to_string((JobResult) value);
}

static const char *state_word(int value) {
        return unit_active_state_to_string((UnitActiveState) value);
}

static const char *load_word(int value) {
        return unit_load_state_to_string((UnitLoadState) value);
}

static const char *answer_word(int value) {
        return unit_answer_to_string((UnitAnswer) value);
}

static const char *relation_word(int value) {
        return unit_relation_to_string((UnitRelationKind) value);
}

static const char *slot_word(int value) {
        static const char *const words[_MODEL_SLOT_MAX] = {
                "nothing", "start", "verify", "stop", "reload", "restart-stop", "restart-start",
        };

        return words[value];
}

static const char *code_word(int value) {
        static const char *const words[JOB_END_CYCLE + 1] = {
                [JOB_END_UNSAID] = "unsaid",
                [JOB_END_ANSWER] = "answer",
                [JOB_END_UNIT_CHANGED] = "changed",
                [JOB_END_UNIT_ACTIVE] = "is-active",
                [JOB_END_UNIT_NOT_ACTIVE] = "not-active",
                [JOB_END_UNIT_GONE] = "gone",
                [JOB_END_UNIT_UNUSABLE] = "unusable",
                [JOB_END_DEPENDENCY] = "dependency",
                [JOB_END_REPLACED] = "replaced",
                [JOB_END_CLEARED] = "cleared",
                [JOB_END_INTERRUPTED] = "interrupted",
                [JOB_END_STOPPED] = "stopped",
                [JOB_END_CANCELED] = "canceled",
                [JOB_END_TIME_LIMIT] = "time-limit",
                [JOB_END_CYCLE] = "cycle",
        };

        return words[value];
}

static const char *count_word(int value) {
        return "";
}

static const char *yes_word(int value) {
        return value ? "with jobs" : "without jobs";
}

static const char *cancel_word(int value) {
        static const char *const words[] = { "done", "no such job", "it runs" };

        return words[value];
}

void fuzz_statistics_print(const FuzzStatistics *s) {
        const FuzzTable tables[] = {
                { "cases with relation", s->relations, _UNIT_RELATION_MAX, 1, relation_word, count_word },
                { "units", s->loads, _UNIT_LOAD_STATE_MAX, 1, load_word, count_word },
                { "accepted", s->accepted[0], _JOB_MODE_MAX, _JOB_TYPE_MAX, mode_word, type_word },
                { "refused", s->refused[0], _JOB_MODE_MAX, _JOB_TYPE_MAX, mode_word, type_word },
                { "became", s->actions[0], _JOB_MODE_MAX, _JOB_PLAN_ACTION_MAX, mode_word, action_word },
                { "dropped", s->dropped[0], _JOB_MODE_MAX, _JOB_DROP_RULE_MAX, mode_word, rule_word },
                { "merged in a stage", s->model.folded[0], _JOB_TYPE_MAX_MERGING, _JOB_TYPE_MAX_MERGING, type_word, type_word },
                { "waits, met by", s->model.met_pending[0], _MODEL_SLOT_MAX, _JOB_TYPE_MAX_IN_TABLE, slot_word, type_word },
                { "runs, met by", s->model.met_triggered[0], _MODEL_SLOT_MAX, _JOB_TYPE_MAX_IN_TABLE, slot_word, type_word },
                { "interrupted", s->model.interrupted, _MODEL_SLOT_MAX, 1, slot_word, count_word },
                { "answers", s->model.answers[0], _JOB_TYPE_MAX_IN_TABLE, _UNIT_ANSWER_MAX, type_word, answer_word },
                { "runs, and unit becomes", s->model.reports[0], _MODEL_SLOT_MAX, _UNIT_ACTIVE_STATE_MAX, slot_word, state_word },
                { "waits, and unit becomes", s->model.pending_reports[0], _MODEL_SLOT_MAX, _UNIT_ACTIVE_STATE_MAX, slot_word,
                  state_word },
                { "ended", s->ended[0], _JOB_RESULT_MAX, JOB_END_CYCLE + 1, result_word, code_word },
                { "asked by a rule", s->model.wishes[0], _JOB_MODE_MAX, _JOB_TYPE_MAX, mode_word, type_word },
                { "canceled by id", s->cancels, 3, 1, cancel_word, count_word },
                { "saved and restored", s->restarts, 2, 1, yes_word, count_word },
                { "files read again", s->relates, 2, 1, yes_word, count_word },
        };

        printf("%" PRIu64 " cases, %" PRIu64 " steps, %" PRIu64 " endless; %" PRIu64 " cycles broken, of which %" PRIu64
               " in a stage; %" PRIu64 " turns; %" PRIu64 " reloads became starts; %" PRIu64 " rules over their limit\n",
               s->n_cases, s->n_steps, s->n_endless, s->n_cycles_broken, s->model.n_victims, s->model.n_turns,
               s->model.n_fallbacks, s->model.n_limited);
        printf("%" PRIu64 " conflicts in a stage, %" PRIu64 " settled by a tie, %" PRIu64 " whose winner was there for its "
               "loser; %" PRIu64 " stages made again; under other names: %" PRIu64 " the same, %" PRIu64 " with ties\n",
               s->model.n_conflicts, s->model.n_ties, s->model.n_groundless, s->model.n_again, s->renamed[0], s->renamed[1]);
        for (size_t i = 0; i < ELEMENTSOF(tables); i++)
                print_table(&tables[i]);
        print_errors("refused with", &s->errors);
        print_errors("follow-ups refused with", &s->follow_ups);
}
