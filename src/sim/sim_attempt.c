/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Attempts of nodes, without processes
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "basic/text.h"
#include "sim/sim_attempt.h"
#include "unitfile/flow_range.h"

void sim_rule_deinit(SimRule *rule) {
        sim_durations_deinit(&rule->durations);
}

void sim_attempts_init(SimAttempts *attempts, bool is_auto) {
        *attempts = (SimAttempts) { .every = { .after = is_auto ? 0 : USEC_INFINITY } };
}

void sim_attempts_deinit(SimAttempts *attempts) {
        while (attempts->all.n > 0)
                sim_attempts_remove(attempts, &vector_last(&attempts->all));
        vector_deinit(&attempts->all);
        for (size_t i = 0; i < attempts->rules.n; i++) {
                free(attempts->rules.items[i].where);
                free(attempts->rules.items[i].node);
                sim_rule_deinit(&attempts->rules.items[i].rule);
        }
        vector_deinit(&attempts->rules);
        sim_rule_deinit(&attempts->every);
}

/* — rules — */

static SimRuleEntry *find_rule(const SimAttempts *attempts, const char *where, const char *node) {
        for (size_t i = 0; i < attempts->rules.n; i++) {
                SimRuleEntry *entry = &attempts->rules.items[i];

                if (strcmp(entry->where, where) == 0 && strcmp(entry->node, node) == 0)
                        return entry;
        }
        return NULL;
}

static int add_rule(SimAttempts *attempts, const char *where, const char *node, SimRuleEntry **ret_entry) {
        SimRuleEntry entry = {};
        int r = 0;

        if (text_copy(where, &entry.where) < 0 || text_copy(node, &entry.node) < 0)
                r = -ENOMEM;
        if (r == 0)
                r = vector_push(&attempts->rules, entry);
        if (r < 0) {
                free(entry.where);
                free(entry.node);
                return r;
        }
        *ret_entry = &vector_last(&attempts->rules);
        return 0;
}

int sim_attempt_parse_items(const char *word, uint64_t *ret_first, uint64_t *ret_last) {
        const char *dash = strchr(word, '-');
        char first[24];

        if (!dash)
                return text_parse_u64(word, ret_first) < 0 ? -EINVAL : (int) ((*ret_last = *ret_first), 0);
        if ((size_t) (dash - word) >= sizeof(first))
                return -EINVAL;
        memcpy(first, word, (size_t) (dash - word));
        first[dash - word] = '\0';
        return text_parse_u64(first, ret_first) < 0 || text_parse_u64(dash + 1, ret_last) < 0 ||
                               *ret_last < *ret_first
                       ? -EINVAL
                       : 0;
}

/* How well a rule fits the attempt, of those for one place; 0: not at all. */
static unsigned fit(const SimRuleEntry *entry, const SimAttempt *attempt) {
        uint64_t first, last;

        if (!attempt->is_item)
                return strcmp(entry->node, attempt->node) == 0;
        if (entry->rule.tries > 0 && attempt->tries >= entry->rule.tries)
                return 0;
        if (sim_attempt_parse_items(entry->node, &first, &last) < 0)
                return strcmp(entry->node, FLOW_RANGE_NODE) == 0;
        return first > attempt->item || last < attempt->item ? 0 : first == last ? 3 : 2;
}

/* A script for the run has precedence over one for the flow. */
static const SimRule *rule_of(const SimAttempts *attempts, const SimAttempt *attempt) {
        const SimRule *best = &attempts->every;
        unsigned best_fit = 0;
        char run[16];

        snprintf(run, sizeof(run), "%" PRIu32, attempt->key.run);
        for (size_t i = 0; i < attempts->rules.n; i++) {
                const SimRuleEntry *entry = &attempts->rules.items[i];
                const bool is_of_run = strcmp(entry->where, run) == 0;
                unsigned how = 0;

                if (is_of_run || strcmp(entry->where, attempt->unit) == 0)
                        how = fit(entry, attempt);
                if (how > 0 && is_of_run)
                        how += 4;
                if (how <= best_fit)
                        continue;
                best_fit = how;
                best = &entry->rule;
        }
        return best;
}

static void plan(const SimAttempts *attempts, SimAttempt *attempt) {
        const SimRule *rule = rule_of(attempts, attempt);
        const usec_t time = rule->durations.n > 0 ? sim_durations_get(&rule->durations, attempt->node) : rule->after;

        if (attempt->is_launch)
                return;
        attempt->kind = rule->kind;
        attempt->end = rule->end;
        attempt->ends_at = usec_add(attempt->started_at, time);
        attempt->ignores_term = rule->ignores_term;
        if (attempt->timeout > 0 && time > attempt->timeout) {
                attempt->kind = RUN_END_TIMEOUT;
                attempt->ends_at = usec_add(attempt->started_at, attempt->timeout);
        }
}

/* After a change of the rules. */
static void plan_all(SimAttempts *attempts) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                SimAttempt *attempt = &attempts->all.items[i];

                if (attempt->state == SIM_ATTEMPT_RUNS && !attempt->is_told_to_end)
                        plan(attempts, attempt);
        }
}

int sim_attempts_set_rule(SimAttempts *attempts, const char *where, const char *node, SimRule *rule) {
        SimRuleEntry *entry = find_rule(attempts, where, node);
        int r = entry ? 0 : add_rule(attempts, where, node, &entry);

        if (r < 0) {
                sim_rule_deinit(rule);
                return r;
        }
        sim_rule_deinit(&entry->rule);
        entry->rule = *rule;
        plan_all(attempts);
        return 0;
}

void sim_attempts_set_every(SimAttempts *attempts, SimRule *rule) {
        sim_rule_deinit(&attempts->every);
        attempts->every = *rule;
        plan_all(attempts);
}

/* — attempts — */

SimAttempt *sim_attempts_find(SimAttempts *attempts, const RunAttemptKey *key) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                const RunAttemptKey *other = &attempts->all.items[i].key;

                if (other->run == key->run && other->node == key->node && other->generation == key->generation &&
                    other->number == key->number)
                        return &attempts->all.items[i];
        }
        return NULL;
}

SimAttempt *sim_attempts_running(SimAttempts *attempts, uint32_t run, const char *node) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                SimAttempt *attempt = &attempts->all.items[i];

                if (attempt->state == SIM_ATTEMPT_RUNS && attempt->key.run == run && strcmp(attempt->node, node) == 0)
                        return attempt;
        }
        return NULL;
}

uint32_t sim_attempts_count_items(const SimAttempts *attempts, uint32_t run) {
        uint32_t n = 0;

        for (size_t i = 0; i < attempts->all.n; i++)
                n += attempts->all.items[i].is_item && attempts->all.items[i].key.run == run &&
                     (attempts->all.items[i].state != SIM_ATTEMPT_OVER || !attempts->all.items[i].is_told);
        return n;
}

uint32_t sim_attempts_count(const SimAttempts *attempts, const char *unit) {
        uint32_t n = 0;

        for (size_t i = 0; i < attempts->all.n; i++)
                n += attempts->all.items[i].state != SIM_ATTEMPT_OVER &&
                     strcmp(attempts->all.items[i].unit, unit) == 0;
        return n;
}

int sim_attempts_ask(SimAttempts *attempts, const RunAttemptKey *key, const char *unit, const char *node) {
        SimAttempt attempt = { .key = *key, .ends_at = USEC_INFINITY, .is_told = true };
        int r = 0;

        if (text_copy(unit, &attempt.unit) < 0 || text_copy(node, &attempt.node) < 0)
                r = -ENOMEM;
        if (r == 0)
                r = vector_push(&attempts->all, attempt);
        if (r < 0) {
                free(attempt.unit);
                free(attempt.node);
        }
        return r;
}

int sim_attempts_ask_item(SimAttempts *attempts, const SimAttempt *like, const char *unit) {
        char node[24];
        int r;

        snprintf(node, sizeof(node), "%" PRIu64, like->item);
        r = sim_attempts_ask(attempts, &like->key, unit, node);
        if (r == 0) {
                SimAttempt *attempt = &vector_last(&attempts->all);

                attempt->is_item = true;
                attempt->item = like->item;
                attempt->tries = like->tries;
                attempt->timeout = like->timeout;
        }
        return r;
}

void sim_attempt_begin(SimAttempts *attempts, SimAttempt *attempt, usec_t now) {
        attempt->state = SIM_ATTEMPT_RUNS;
        attempt->started_at = now;
        attempt->is_told = false;
        plan(attempts, attempt);
        if (attempt->is_told_to_end) {
                attempt->ends_at = now;
                attempt->kind = RUN_END_EXITED;
                attempt->end = RUN_END_BY_SIGNAL(SIGTERM);
        }
}

void sim_attempt_tell_to_end(SimAttempt *attempt, usec_t now, usec_t timeout) {
        const usec_t end = attempt->ignores_term ? usec_add(now, timeout) : now;

        if (attempt->state == SIM_ATTEMPT_OVER || attempt->is_told_to_end)
                return;
        attempt->is_told_to_end = true;
        /* One that ignores SIGTERM may end by itself before SIGKILL. */
        if (attempt->state != SIM_ATTEMPT_RUNS || attempt->ends_at <= end || attempt->job > 0 ||
            attempt->is_launch)
                return;
        attempt->ends_at = end;
        attempt->kind = RUN_END_EXITED;
        attempt->end = RUN_END_BY_SIGNAL(attempt->ignores_term ? SIGKILL : SIGTERM);
}

void sim_attempt_end(SimAttempts *attempts, SimAttempt *attempt, RunEndKind kind, uint16_t end) {
        attempt->state = SIM_ATTEMPT_OVER;
        attempt->kind = attempt->is_interrupted && kind == RUN_END_EXITED ? RUN_END_INTERRUPTED : kind;
        attempt->end = end;
        attempt->ends_at = USEC_INFINITY;
        attempt->is_told = false;
        attempt->order = ++attempts->n_over;
}

void sim_attempts_remove(SimAttempts *attempts, SimAttempt *attempt) {
        const size_t at = (size_t) (attempt - attempts->all.items);

        free(attempt->unit);
        free(attempt->node);
        memmove(attempt, attempt + 1, (attempts->all.n - at - 1) * sizeof(*attempt));
        attempts->all.n--;
}

usec_t sim_attempts_next(const SimAttempts *attempts) {
        usec_t next = USEC_INFINITY;

        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i].state == SIM_ATTEMPT_RUNS)
                        next = MIN(next, attempts->all.items[i].ends_at);
        return next;
}
