/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attempts
 *
 * A table of all of them, by the number of their record. There are few at a
 * time, and most turns concern none: counts tell whether a walk is worth it.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/vector.h"
#include "manager/manager_attempt.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_attempt_job.h"
#include "manager/manager_attempt_launch.h"
#include "manager/manager_attempt_owner.h"
#include "manager/manager_attempt_step.h"

struct ManagerAttempts {
        ManagerAttemptShared shared;
        VECTOR(ManagerAttempt *) all; /* owned: by number; NULL: free */
        size_t n, n_stored, n_questions;
        bool has_folders; /* those that folders of attempts are in */
        char holder[512]; /* the answer of manager_attempts_find_holder() */
};

static ManagerAttempt *find(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (attempt && memcmp(&manager_attempt_state(attempt)->key, key, sizeof(*key)) == 0)
                        return attempt;
        }
        return NULL;
}

static bool is_over(const ManagerAttempt *attempt) {
        return manager_attempt_state(attempt)->step == MANAGER_ATTEMPT_OVER;
}

/* — life — */

static void release(ManagerAttempts *attempts, ManagerAttempt *attempt) {
        attempts->n_questions -= manager_attempt_state(attempt)->is_question;
        attempts->n_stored -= manager_attempt_report_is_in_batch(manager_attempt_report(attempt));
        attempts->all.items[manager_attempt_basis(attempt)->number] = NULL;
        attempts->n--;
        manager_attempt_free(attempt);
}

/* A file with control lines has changed. */
static void on_control(void *userdata, int watch) {
        const ManagerAttempts *attempts = userdata;

        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i])
                        manager_attempt_hear(attempts->all.items[i], watch);
}

/* Watches folders of attempts that have run for long enough; most attempts end before that. */
static usec_t on_due(void *userdata, usec_t now) {
        const ManagerAttempts *attempts = userdata;
        usec_t next = USEC_INFINITY;

        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i])
                        manager_attempt_watch(attempts->all.items[i], now, &next);
        return next;
}

int manager_attempts_new(ManagerAttempts **ret_attempts, const ManagerAttemptsHost *host) {
        ManagerAttempts *attempts = calloc(1, sizeof(*attempts));

        if (!attempts)
                return -ENOMEM;
        attempts->shared.host = *host;
        attempts->shared.ops = &manager_attempt_owner_ops;
        attempts->shared.watches = (ManagerControlWatches) {
                .changed = on_control, .due = on_due, .userdata = attempts
        };
        *ret_attempts = attempts;
        return 0;
}

ManagerAttempts *manager_attempts_free(ManagerAttempts *attempts) {
        if (!attempts)
                return NULL;
        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i])
                        release(attempts, attempts->all.items[i]);
        vector_deinit(&attempts->all);
        manager_control_end(&attempts->shared.watches);
        free(attempts);
        return NULL;
}

static uint32_t find_number(const ManagerAttempts *attempts) {
        size_t i = attempts->n < attempts->all.n ? 0 : attempts->all.n;

        while (i < attempts->all.n && attempts->all.items[i])
                i++;
        return (uint32_t) i;
}

static int add(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit, uint32_t number,
               ManagerAttempt **ret_attempt) {
        int r = 0;

        while (r == 0 && attempts->all.n <= number)
                r = vector_push(&attempts->all, NULL);
        if (r == 0)
                r = manager_attempt_new(ret_attempt, &attempts->shared, key, unit, number);
        if (r < 0)
                return r;
        attempts->all.items[number] = *ret_attempt;
        attempts->n++;
        return 0;
}

int manager_attempts_begin(ManagerAttempts *attempts, const RunAttemptKey *key, uint64_t id, Unit *unit,
                           FlowDefinition *definition, RunGraph *graph) {
        ManagerAttempt *attempt;
        int r;

        if (find(attempts, key))
                return -EEXIST;
        /* Folders that processes make are in these. Without them an attempt fails, and says why. */
        if (!attempts->has_folders)
                attempts->has_folders = manager_attempt_folder_make_results(attempts->shared.host.folder) == 0;
        r = add(attempts, key, unit, find_number(attempts), &attempt);
        if (r < 0)
                return r;
        r = manager_attempt_begin(attempt, id, definition, graph);
        if (r < 0)
                release(attempts, attempt);
        return r;
}

static int add_item(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit, ManagerAttempt **ret_attempt) {
        if (!attempts->has_folders)
                attempts->has_folders = manager_attempt_folder_make_results(attempts->shared.host.folder) == 0;
        return add(attempts, key, unit, find_number(attempts), ret_attempt);
}

int manager_attempts_begin_item(ManagerAttempts *attempts, const RunAttemptKey *key, const ManagerAttemptItem *item,
                                Unit *unit, FlowDefinition *definition, RunGraph *graph) {
        ManagerAttempt *attempt;
        int r = add_item(attempts, key, unit, &attempt);

        if (r < 0)
                return r;
        r = manager_attempt_begin_item(attempt, item, definition, graph);
        if (r < 0)
                release(attempts, attempt);
        return r;
}

int manager_attempts_begin_worker(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit,
                                  FlowDefinition *definition, RunGraph *graph) {
        ManagerAttempt *attempt;
        int r = add_item(attempts, key, unit, &attempt);

        if (r < 0)
                return r;
        r = manager_attempt_begin_worker(attempt, definition, graph);
        if (r < 0)
                release(attempts, attempt);
        return r;
}

static void drop(ManagerAttempts *attempts, ManagerAttempt *attempt) {
        manager_attempt_drop(attempt);
        release(attempts, attempt);
}

int manager_attempts_ask(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit, FlowDefinition *definition,
                         RunGraph *graph) {
        ManagerAttempt *attempt = find(attempts, key);
        int r;

        assert(key->number == 0);

        if (attempt)
                drop(attempts, attempt);
        r = add(attempts, key, unit, find_number(attempts), &attempt);
        if (r < 0)
                return r;
        attempts->n_questions++;
        manager_attempt_ask(attempt, definition, graph);
        return 0;
}

/* — turns — */

/* The end of an item that is told is in the range of its launch, which is recorded with it. */
static void forget_items(ManagerAttempts *attempts) {
        for (size_t i = 0; i < attempts->all.n && attempts->shared.n_items_over > 0; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (!attempt || !manager_attempt_state(attempt)->is_item ||
                    manager_attempt_state(attempt)->is_element || !is_over(attempt))
                        continue;
                manager_attempt_forget(attempt);
                attempts->shared.n_items_over--;
                release(attempts, attempt);
        }
}

bool manager_attempts_step(ManagerAttempts *attempts) {
        bool has_told = false;

        forget_items(attempts);

        for (size_t i = 0; i < attempts->all.n && attempts->shared.n_using > 0; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (attempt && manager_attempt_is_known(attempt) && !is_over(attempt) &&
                    manager_attempt_uses_others(attempt))
                        has_told |= manager_attempt_job_step(attempt);
        }
        return has_told;
}

void manager_attempts_store(ManagerAttempts *attempts) {
        for (size_t i = 0; i < attempts->all.n && attempts->shared.n_to_store > 0; i++)
                if (attempts->all.items[i])
                        manager_attempt_store(attempts->all.items[i]);
}

void manager_attempts_store_again(ManagerAttempts *attempts, uint64_t durable) {
        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i])
                        manager_attempt_store_again(attempts->all.items[i], durable);
}

bool manager_attempts_stored(ManagerAttempts *attempts, uint64_t number, const uint8_t *hash) {
        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i] && manager_attempt_stored(attempts->all.items[i], number, hash))
                        return true;
        return false;
}

bool manager_attempts_refused(ManagerAttempts *attempts, uint64_t number, bool is_too_large) {
        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i] && manager_attempt_refused(attempts->all.items[i], number, is_too_large))
                        return true;
        return false;
}

void manager_attempts_note_batch(ManagerAttempts *attempts, uint64_t batch) {
        for (size_t i = 0; i < attempts->all.n && attempts->shared.n_told > 0; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (attempt && manager_attempt_report_note_batch(manager_attempt_report(attempt), batch))
                        attempts->n_stored++;
        }
}

void manager_attempts_forget_stored(ManagerAttempts *attempts, uint64_t durable) {
        for (size_t i = 0; i < attempts->all.n && attempts->n_stored > 0; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (!attempt || !manager_attempt_report_is_durable(manager_attempt_report(attempt), durable))
                        continue;
                manager_attempt_forget_later(attempt);
                release(attempts, attempt);
        }
}

/* — ends that are asked for — */

void manager_attempts_end(ManagerAttempts *attempts, const RunAttemptKey *key) {
        ManagerAttempt *attempt = find(attempts, key);

        if (attempt)
                manager_attempt_stop(attempt);
}

void manager_attempts_end_question(ManagerAttempts *attempts, uint32_t run, uint32_t node, uint32_t generation) {
        if (attempts->n_questions > 0)
                manager_attempts_end(attempts, &(RunAttemptKey) { run, node, generation, 0 });
}

void manager_attempts_abandon(ManagerAttempts *attempts, const RunAttemptKey *key) {
        ManagerAttempt *attempt = find(attempts, key);

        if (attempt)
                manager_attempt_abandon(attempt);
}

void manager_attempts_interrupt(ManagerAttempts *attempts, const Unit *unit) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                /* A run of another flow goes on when this one is stopped. */
                if (attempt && manager_attempt_basis(attempt)->unit == unit && !manager_attempt_state(attempt)->is_sub)
                        manager_attempt_interrupt(attempt);
        }
}

void manager_attempts_force(ManagerAttempts *attempts, const Unit *unit) {
        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i] && manager_attempt_basis(attempts->all.items[i])->unit == unit)
                        manager_attempt_force(attempts->all.items[i]);
}

/* — after a restart — */

int manager_attempts_resume(ManagerAttempts *attempts, const RunAttemptKey *key, FlowDefinition *definition,
                            RunGraph *graph, bool has_to_end) {
        ManagerAttempt *attempt = find(attempts, key);

        if (!attempt)
                return -ENOENT;
        manager_attempt_resume(attempt, definition, graph, has_to_end);
        return 0;
}

static bool is_item_of(const ManagerAttempt *attempt, uint32_t run) {
        return attempt && manager_attempt_state(attempt)->is_item && manager_attempt_state(attempt)->key.run == run;
}

void manager_attempts_resume_items(ManagerAttempts *attempts, uint32_t run, FlowDefinition *definition,
                                   RunGraph *graph) {
        for (size_t i = 0; i < attempts->all.n; i++)
                if (is_item_of(attempts->all.items[i], run))
                        manager_attempt_resume(attempts->all.items[i], definition, graph, false);
}

void manager_attempts_hand_over(ManagerAttempts *attempts, bool is_handed_over) {
        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i])
                        manager_attempt_hand_over(attempts->all.items[i], is_handed_over);
}

int manager_attempts_worker_fd(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        ManagerAttempt *attempt = find(attempts, key);
        const ManagerAttemptState *state = attempt ? manager_attempt_state(attempt) : NULL;

        if (!state)
                return -ENOENT;
        if (state->main_pid == 0 && state->step < MANAGER_ATTEMPT_CLEAN)
                return -EAGAIN;
        return manager_attempt_worker_fd(attempt) < 0 ? -ENOENT : manager_attempt_worker_fd(attempt);
}

void manager_attempts_know_elements(ManagerAttempts *attempts, uint32_t run) {
        for (size_t i = 0; i < attempts->all.n; i++)
                if (is_item_of(attempts->all.items[i], run))
                        manager_attempt_know(attempts->all.items[i]);
}

static bool has_folder(const void *userdata, const char *name) {
        return manager_attempts_find_owner(userdata, name);
}

static void drop_unknown(ManagerAttempts *attempts, ManagerAttempt *attempt) {
        const ManagerAttemptsHost *host = &attempts->shared.host;
        Unit *unit = unit_ref(manager_attempt_basis(attempt)->unit);

        drop(attempts, attempt);
        host->ops->dropped(host->userdata, unit);
        unit_unref(unit);
}

void manager_attempts_drop_unknown(ManagerAttempts *attempts) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (!attempt || manager_attempt_is_known(attempt))
                        continue;
                if (is_over(attempt)) {
                        /* Core has died before it could forget an end that is durable. */
                        manager_attempt_forget(attempt);
                        release(attempts, attempt);
                        continue;
                }
                if (manager_attempt_state(attempt)->is_abandoned) {
                        manager_attempt_go_alone(attempt);
                        continue;
                }
                if (!manager_attempt_state(attempt)->is_question)
                        log_write(LOG_LEVEL_WARNING, manager_attempt_basis(attempt)->unit->id,
                                  "The store knows no attempt %s: what is left of it is killed.",
                                  manager_attempt_basis(attempt)->name);
                drop_unknown(attempts, attempt);
        }
        manager_attempt_folder_sweep(attempts->shared.host.folder, "attempts", has_folder, attempts);
}

/* — what can be asked — */

bool manager_attempts_has(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        return find(attempts, key);
}

bool manager_attempts_is_live(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        const ManagerAttempt *attempt = find(attempts, key);

        return attempt && !is_over(attempt);
}

int manager_attempts_get(const ManagerAttempts *attempts, const RunAttemptKey *key, ManagerAttemptFacts *ret_facts) {
        const ManagerAttempt *attempt = find(attempts, key);

        if (!attempt)
                return -ENOENT;
        manager_attempt_get(attempt, ret_facts);
        return 0;
}

bool manager_attempts_explain(const ManagerAttempts *attempts, const RunAttemptKey *key, Text *text) {
        ManagerAttempt *attempt = find(attempts, key);

        return attempt && !is_over(attempt) &&
               manager_uses_explain(manager_attempt_uses(attempt), attempts->shared.host.jobs,
                                    manager_attempt_basis(attempt)->unit, text);
}

ManagerLaunch *manager_attempts_find_launch(const ManagerAttempts *attempts, uint32_t run, RunAttemptKey *ret_key) {
        for (size_t i = 0; i < attempts->all.n && attempts->shared.n_using > 0; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (!attempt || !manager_attempt_state(attempt)->is_range || is_over(attempt) ||
                    manager_attempt_state(attempt)->key.run != run)
                        continue;
                *ret_key = manager_attempt_state(attempt)->key;
                return manager_attempt_launch(attempt);
        }
        return NULL;
}

ManagerLaunch *manager_attempts_get_launch(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        ManagerAttempt *attempt = find(attempts, key);

        return attempt && manager_attempt_state(attempt)->is_range ? manager_attempt_launch(attempt) : NULL;
}

ManagerLaunch *manager_attempts_next_launch(const ManagerAttempts *attempts, uint32_t run, uint32_t after) {
        ManagerLaunch *first = NULL;

        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];
                ManagerLaunch *launch;

                if (!attempt || !manager_attempt_state(attempt)->is_range ||
                    manager_attempt_state(attempt)->key.run != run)
                        continue;
                launch = manager_attempt_launch(attempt);
                if (launch->number > after && (!first || launch->number < first->number))
                        first = launch;
        }
        return first;
}

void manager_attempts_visit_launches(const ManagerAttempts *attempts,
                                     bool (*visit)(void *userdata, ManagerLaunch *launch), void *userdata) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (attempt && manager_attempt_state(attempt)->is_range &&
                    visit(userdata, manager_attempt_launch(attempt)))
                        manager_attempt_mark(attempt);
        }
}

void manager_attempts_visit_items(const ManagerAttempts *attempts, uint32_t run,
                                  void (*visit)(void *userdata, const RunAttemptKey *key, uint64_t item),
                                  void *userdata) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                const ManagerAttempt *attempt = attempts->all.items[i];

                if (is_item_of(attempt, run) && !is_over(attempt))
                        visit(userdata, &manager_attempt_state(attempt)->key, manager_attempt_state(attempt)->item);
        }
}

static ManagerElementAttempt describe_element(const ManagerAttempt *attempt) {
        const ManagerAttemptState *state = manager_attempt_state(attempt);

        return (ManagerElementAttempt) {
                .key = state->key,
                .sequence = state->item,
                .issue = state->issue,
                .tries = state->item_tries,
                .is_over = is_over(attempt),
        };
}

void manager_attempts_visit_elements(const ManagerAttempts *attempts, uint32_t run,
                                     void (*visit)(void *userdata, const ManagerElementAttempt *attempt),
                                     void *userdata) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerElementAttempt element;

                if (!is_item_of(attempts->all.items[i], run))
                        continue;
                element = describe_element(attempts->all.items[i]);
                visit(userdata, &element);
        }
}

int manager_attempts_get_element(const ManagerAttempts *attempts, const RunAttemptKey *key,
                                 ManagerElementAttempt *ret_attempt) {
        const ManagerAttempt *attempt = find(attempts, key);

        if (!attempt || !manager_attempt_state(attempt)->is_element)
                return -ENOENT;
        *ret_attempt = describe_element(attempt);
        return 0;
}

void manager_attempts_untell_elements(ManagerAttempts *attempts, uint32_t run) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (is_item_of(attempt, run))
                        attempts->n_stored -= manager_attempt_report_untell(manager_attempt_report(attempt));
        }
}

size_t manager_attempts_count_kept(const ManagerAttempts *attempts, uint32_t run) {
        size_t n = 0;

        for (size_t i = 0; i < attempts->all.n; i++)
                n += is_item_of(attempts->all.items[i], run) && is_over(attempts->all.items[i]);
        return n;
}

void manager_attempts_note_told(ManagerAttempts *attempts, const RunAttemptKey *key) {
        ManagerAttempt *attempt = find(attempts, key);

        if (attempt && is_over(attempt) && !manager_attempt_report_is_in_batch(manager_attempt_report(attempt)))
                manager_attempt_report_note_told(manager_attempt_report(attempt));
}

uint32_t manager_attempts_count_items(const ManagerAttempts *attempts, uint32_t run) {
        uint32_t n = 0;

        for (size_t i = 0; i < attempts->all.n; i++)
                n += is_item_of(attempts->all.items[i], run) && !is_over(attempts->all.items[i]);
        return n;
}

int manager_attempts_get_item(const ManagerAttempts *attempts, const RunAttemptKey *key, uint64_t *ret_item,
                              uint32_t *ret_tries, bool *ret_is_told) {
        const ManagerAttempt *attempt = find(attempts, key);

        if (!attempt || !manager_attempt_state(attempt)->is_item)
                return -ENOENT;
        *ret_item = manager_attempt_state(attempt)->item;
        *ret_tries = manager_attempt_state(attempt)->item_tries;
        *ret_is_told = manager_attempt_state(attempt)->is_stopping;
        return 0;
}

const char *manager_attempts_get_text(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        const ManagerAttempt *attempt = find(attempts, key);

        return attempt ? manager_attempt_state(attempt)->item_text : NULL;
}

int manager_attempts_get_output(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        const ManagerAttempt *attempt = find(attempts, key);

        return attempt ? manager_attempt_output(attempt) : -1;
}

const ManagerSub *manager_attempts_get_sub(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        ManagerAttempt *attempt = find(attempts, key);

        return attempt && manager_attempt_state(attempt)->is_sub ? manager_attempt_sub(attempt) : NULL;
}

ManagerSub *manager_attempts_change_sub(const ManagerAttempts *attempts, uint64_t ticket) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];
                ManagerSub *sub = attempt ? manager_attempt_sub(attempt) : NULL;

                if (!sub || !sub->is_asked || sub->ticket != ticket)
                        continue;
                manager_attempt_mark(attempt);
                return sub;
        }
        return NULL;
}

const char *manager_attempts_find_holder(ManagerAttempts *attempts, const Unit *unit) {
        for (size_t i = 0; i < attempts->all.n && attempts->shared.n_using > 0; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];
                const char *node;

                if (!attempt || is_over(attempt) || !manager_uses_hold(manager_attempt_uses(attempt), unit))
                        continue;
                node = manager_attempt_node(attempt);
                snprintf(attempts->holder, sizeof(attempts->holder), "run %" PRIu32 "%s%s",
                         manager_attempt_state(attempt)->key.run, node ? ", node " : "", node ? node : "");
                return attempts->holder;
        }
        return NULL;
}

unsigned manager_attempts_count(const ManagerAttempts *attempts, const Unit *unit) {
        unsigned n = 0;

        for (size_t i = 0; i < attempts->all.n; i++) {
                const ManagerAttempt *attempt = attempts->all.items[i];

                n += attempt && manager_attempt_basis(attempt)->unit == unit &&
                     !manager_attempt_state(attempt)->is_sub && !is_over(attempt);
        }
        return n;
}

unsigned manager_attempts_count_stuck(const ManagerAttempts *attempts, const Unit *unit) {
        unsigned n = 0;

        for (size_t i = 0; i < attempts->all.n; i++) {
                const ManagerAttempt *attempt = attempts->all.items[i];

                n += attempt && manager_attempt_basis(attempt)->unit == unit &&
                     !manager_attempt_state(attempt)->is_sub && manager_attempt_is_stuck(attempt);
        }
        return n;
}

const char *manager_attempts_find_abandoned(const ManagerAttempts *attempts, uint32_t run) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                const ManagerAttempt *attempt = attempts->all.items[i];
                const ManagerAttemptState *state = attempt ? manager_attempt_state(attempt) : NULL;
                const char *node;

                if (!state || !state->is_abandoned || state->key.run != run || is_over(attempt))
                        continue;
                node = manager_attempt_node(attempt);
                return node ? node : "?";
        }
        return NULL;
}

ProcessOwner *manager_attempts_find_owner(const ManagerAttempts *attempts, const char *name) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                ManagerAttempt *attempt = attempts->all.items[i];

                if (attempt && strcmp(manager_attempt_basis(attempt)->name, name) == 0)
                        return manager_attempt_owner(attempt);
        }
        return NULL;
}

/* — records — */

void manager_attempts_write(const ManagerAttempts *attempts, uint32_t number, RecordWriter *writer) {
        const ManagerAttempt *attempt = number < attempts->all.n ? attempts->all.items[number] : NULL;

        if (!attempt)
                return;
        record_put_string(writer, manager_attempt_basis(attempt)->unit->id);
        manager_attempt_write(attempt, writer);
}

int manager_attempts_next(const ManagerAttempts *attempts, uint32_t number, uint32_t *ret_number) {
        for (size_t i = number; i < attempts->all.n; i++)
                if (attempts->all.items[i]) {
                        *ret_number = (uint32_t) i;
                        return 1;
                }
        return 0;
}

int manager_attempts_read(ManagerAttempts *attempts, UnitTable *units, uint32_t number, RecordReader *reader,
                          unsigned *n_processes) {
        const char *name = record_get_string(reader);
        ManagerAttempt *attempt = NULL;
        RunAttemptKey key;
        Unit *unit;
        int r;

        manager_attempt_state_read_key(reader, &key);
        if (reader->has_failed || !name)
                return -EBADMSG;
        r = unit_table_load(units, name, &unit);
        if (r == 0)
                r = add(attempts, &key, unit, number, &attempt);
        if (r < 0)
                return r == -ENOMEM ? r : -EBADMSG;
        r = manager_attempt_read(attempt, reader, n_processes);
        attempts->n_questions += manager_attempt_state(attempt)->is_question;
        return r;
}

bool manager_attempts_look(RecordReader *reader) {
        ManagerAttemptState state = {};
        RunAttemptKey key;
        bool is_paused;

        record_get_string(reader);
        manager_attempt_state_read_key(reader, &key);
        manager_attempt_state_read(&state, &is_paused, reader);
        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                record_get(reader);
                record_get(reader);
        }
        return process_table_look(reader);
}

int manager_attempts_tell_lost(ManagerAttempts *attempts) {
        const ManagerAttemptsHost *host = &attempts->shared.host;
        int r = 0;

        for (size_t i = 0; i < attempts->all.n && r == 0; i++)
                if (attempts->all.items[i])
                        r = process_table_tell_lost(host->processes, manager_attempt_owner(attempts->all.items[i]));
        return r;
}
