/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A stream beside a slow model of it, in random steps
 *
 * The store answers late, and fails queries. A death of core loses what the store was not given.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "item_trial.h"
#include "slow_stream.h"

#define STEPS 300U
#define KEYS 24U
#define PUSHES 24U
#define START (5 * USEC_PER_SEC)

static const char *const faults[] = {
        [SLOW_STREAM_IS_RIGHT] = NULL,
        [SLOW_STREAM_LOSES_WAKE_UP] = "loses-wake-up",
        [SLOW_STREAM_LINKS_ALL] = "links-all",
        [SLOW_STREAM_LINKS_BACKWARDS] = "links-backwards",
        [SLOW_STREAM_NEXT_WAITS] = "next-waits",
        [SLOW_STREAM_GOES_ON] = "goes-on",
        [SLOW_STREAM_FAILURE_STOPS] = "failure-stops",
        [SLOW_STREAM_LOST_TAKES_TRY] = "lost-takes-try",
        [SLOW_STREAM_NO_POISON] = "no-poison",
        [SLOW_STREAM_AGAIN_TAKES_TRY] = "again-takes-try",
        [SLOW_STREAM_INTERRUPTED_TAKES_TRY] = "interrupted-takes-try",
        [SLOW_STREAM_RETURN_TAKES_TRY] = "return-takes-try",
        [SLOW_STREAM_SKIP_FAILS] = "skip-fails",
        [SLOW_STREAM_RETRY_KEEPS_TRIES] = "retry-keeps-tries",
        [SLOW_STREAM_ONE_TRY_MORE] = "one-try-more",
        [SLOW_STREAM_NO_DELAY] = "no-delay",
        [SLOW_STREAM_NO_SUSPEND] = "no-suspend",
        [SLOW_STREAM_RECOVER_RETRIES] = "recover-retries",
        [SLOW_STREAM_KEY_LOST] = "key-lost",
        [SLOW_STREAM_BACKLOG_LINKED] = "backlog-linked",
        NULL,
};

typedef struct StoredElement {
        RunElementRow row;
        bool is_there, is_deleted;
} StoredElement;

/* A push whose key is pinned. */
typedef struct Push {
        uint32_t group, key, answer;
        bool is_there, asks, waits;
        bool is_gone; /* nobody waits for the answer, which comes all the same */
} Push;

typedef struct Case {
        ItemTrial *trial; /* borrowed */
        usec_t now;
        uint32_t size, n_groups; /* of data, at most; that are used */
        bool is_deadly; /* most of what runs is lost */
        RunStream *stream;
        SlowStream slow, saved;
        StoredElement elements[SLOW_ELEMENTS];
        RunGroupRow groups[SLOW_GROUPS];
        bool has_group[SLOW_GROUPS];
        RunStreamQuery queries[SLOW_GROUPS];
        bool has_query[SLOW_GROUPS];
        usec_t later[SLOW_GROUPS]; /* nothing is asked before */
        Push pushes[PUSHES];
        uint32_t durable;
} Case;

static uint32_t pick(Case *test, uint32_t n) {
        return item_trial_pick(test->trial, n);
}

static void complain(Case *test, const char *what, uint64_t about) {
        item_trial_complain(test->trial, "%s (%lu)", what, about);
}

static void compare(Case *test, const char *what, uint64_t about, uint64_t fast, uint64_t slow) {
        if (fast != slow)
                item_trial_complain(test->trial, "%s (%lu): %lu, and %lu in the model", what, about, fast, slow);
}

static const char *const names[SLOW_GROUPS] = { "", "a", "b", "c", "d", "e", "f", "g", "h", "订单" };

static uint32_t group_of(const char *name) {
        uint32_t i = 0;

        while (strcmp(names[i], name) != 0)
                i++;
        return i;
}

static const char *key_name(uint32_t key) {
        static char name[16];

        snprintf(name, sizeof(name), "key-%u", key);
        return name;
}

/* The data of an element follow from its number. */
static size_t size_of(const Case *test, uint64_t sequence) {
        return sequence * 2654435761U % (test->size + 1);
}

static char *data_of(const Case *test, uint64_t sequence) {
        const size_t n = size_of(test, sequence);
        char *data = malloc(n + 1);

        memset(data, (int) (sequence * 31 % 251), n);
        return data;
}

/* One group has more than the others. */
static uint32_t pick_group(Case *test) {
        return pick(test, 3) == 0 ? 0 : pick(test, test->n_groups);
}

/* — the store — */

static void take_elements(Case *test) {
        RunElementRow row;

        while (run_stream_take_element(test->stream, &row)) {
                StoredElement *stored = &test->elements[row.sequence - 1];
                const bool is_new = row.changes & RUN_ELEMENT_PUSHED;

                if (is_new == stored->is_there)
                        complain(test, "a row is written as new, or is not, twice", row.sequence);
                if (is_new) {
                        cleanup_free_ char *data = data_of(test, row.sequence);

                        if (row.size != size_of(test, row.sequence) ||
                            (row.size > 0 && memcmp(row.data, data, row.size) != 0))
                                complain(test, "a row has other data", row.sequence);
                }
                stored->is_there = true;
                stored->row = row;
                stored->row.group = names[group_of(row.group)];
                stored->row.key = NULL;
                stored->row.data = NULL;
        }
}

static void take_prunes(Case *test) {
        RunStreamPrune prune;

        while (run_stream_take_prune(test->stream, &prune)) {
                const uint32_t group = group_of(prune.group);
                uint32_t kept = 0, over = 0;

                for (uint32_t i = 0; i < test->slow.n; i++) {
                        StoredElement *stored = &test->elements[i];

                        if (!stored->is_there || group_of(stored->row.group) != group || stored->row.position == 0)
                                continue;
                        if (stored->row.position <= prune.position) {
                                if (!run_element_state_is_over(stored->row.state))
                                        complain(test, "what is not over is pruned", i + 1);
                                if (i + 1 == test->groups[group].tail)
                                        complain(test, "the tail is pruned", i + 1);
                                stored->is_deleted = true;
                        }
                        over += run_element_state_is_over(stored->row.state);
                        kept += run_element_state_is_over(stored->row.state) && !stored->is_deleted;
                }
                if (kept < MIN(over, test->slow.settings.keep_done) ||
                    kept > test->slow.settings.keep_done + RUN_STREAM_PRUNE)
                        complain(test, "elements that are kept", kept);
        }
}

/* The rows of a turn are one batch: what is saved is what the store has. */
static void flush(Case *test) {
        RunGroupRow row;

        take_elements(test);
        while (run_stream_take_group(test->stream, &row)) {
                const uint32_t group = group_of(row.name);

                compare(test, "is new", group, row.is_new, !test->has_group[group]);
                test->has_group[group] = true;
                test->groups[group] = row;
                test->groups[group].name = names[group];
        }
        take_prunes(test);
        test->saved = test->slow;
}

static bool has_work(Case *test, uint32_t group) {
        return slow_head(&test->slow, group) > 0 || slow_count(&test->slow, group, RUN_ELEMENT_UNLINKED) > 0;
}

static void forget(Case *test) {
        for (uint32_t group = 0; group < SLOW_GROUPS; group++)
                if (!has_work(test, group) && !test->has_query[group])
                        test->slow.is_known[group] = false;
}

static void take_queries(Case *test) {
        RunStreamQuery query;

        while (run_stream_take_query(test->stream, &query)) {
                const uint32_t group = group_of(query.group);

                if (test->has_query[group])
                        complain(test, "two queries of a group", group);
                compare(test, "query", group, query.kind == RUN_STREAM_QUERY_ELEMENTS, test->slow.is_known[group]);
                test->has_query[group] = true;
                test->queries[group] = query;
        }
}

static void answer_elements(Case *test, uint32_t group) {
        const RunStreamQuery *query = &test->queries[group];
        const uint32_t limit = pick(test, 4) ? query->limit : pick(test, query->limit + 1);
        uint64_t bytes = 0;
        uint32_t n = 0;

        for (uint64_t i = 1; i <= test->slow.n && n < limit && (n == 0 || bytes < query->bytes); i++) {
                RunElementRow row = test->elements[i - 1].row;
                cleanup_free_ char *data = data_of(test, i);

                /* Whether an element is over does not matter to the store. */
                if (!test->elements[i - 1].is_there || test->elements[i - 1].is_deleted ||
                    group_of(row.group) != group || row.position <= query->position)
                        continue;
                row.key = test->slow.elements[i - 1].key > 0 ? key_name(test->slow.elements[i - 1].key) : NULL;
                row.data = data;
                row.size = size_of(test, i);
                compare(test, "answer", i, (uint64_t) run_stream_answer_element(test->stream, &row), 0);
                bytes += row.size;
                n++;
        }
}

static void answer_query(Case *test, uint32_t group, bool fails) {
        const bool is_elements = test->queries[group].kind == RUN_STREAM_QUERY_ELEMENTS;

        test->has_query[group] = false;
        if (!fails && !is_elements) {
                run_stream_answer_group(test->stream, names[group],
                                        test->has_group[group] ? &test->groups[group] : NULL);
                test->slow.is_known[group] = true;
                return;
        }
        if (!fails)
                answer_elements(test, group);
        test->later[group] = test->now + pick(test, 500);
        run_stream_answer_end(test->stream, names[group], test->later[group]);
}

/* — pushes — */

static void push(Case *test, uint32_t group, uint32_t key) {
        RunStreamElement element = { .group = names[group], .key = key > 0 ? key_name(key) : NULL };
        uint32_t slow_sequence = 0;
        uint64_t sequence = 0;
        RunStreamPush pushed;
        char *data;

        if (test->slow.n == SLOW_ELEMENTS)
                return;
        data = data_of(test, test->slow.n + 1);
        element.data = data;
        element.size = size_of(test, test->slow.n + 1);
        pushed = slow_push(&test->slow, group, key, &slow_sequence);
        compare(test, "push", group, (uint64_t) run_stream_push(test->stream, &element, test->now, &sequence), pushed);
        item_trial_tell(test->trial, "  push %u in group %s, key %u: %s", slow_sequence, names[group], key,
                        pushed == RUN_STREAM_FULL ? "full" : "taken");
        if (pushed != RUN_STREAM_FULL)
                compare(test, "number", group, sequence, slow_sequence);
        free(data);
}

static void push_pinned(Case *test, Push *entry) {
        push(test, entry->group, entry->key);
        run_stream_unpin_key(test->stream, key_name(entry->key));
        entry->is_there = false;
}

static uint32_t stored_key(Case *test, uint32_t key) {
        for (uint32_t i = 0; i < test->slow.n; i++)
                if (test->elements[i].is_there && test->slow.elements[i].key == key)
                        return i + 1;
        return 0;
}

static void push_with_key(Case *test, uint32_t group, uint32_t key) {
        Push *entry = test->pushes;
        uint64_t sequence;
        RunStreamKey found;

        while (entry < test->pushes + PUSHES && entry->is_there)
                entry++;
        if (entry == test->pushes + PUSHES)
                return;
        if (run_stream_pin_key(test->stream, key_name(key), &found, &sequence) < 0) {
                complain(test, "pin", key);
                return;
        }
        *entry = (Push) { .group = group, .key = key, .is_there = true, .asks = found == RUN_STREAM_KEY_ASK,
                          .waits = found == RUN_STREAM_KEY_ASKED };
        if (entry->asks)
                entry->answer = stored_key(test, key);
        else if (!entry->waits && pick(test, 2))
                push_pinned(test, entry);
}

static void push_some(Case *test) {
        for (uint32_t n = pick(test, pick(test, 6) ? 4 : 60); n > 0; n--) {
                if (pick(test, 3) > 0)
                        push(test, pick_group(test), 0);
                else
                        push_with_key(test, pick_group(test), 1 + pick(test, KEYS));
        }
}

static void end_waits(Case *test, uint32_t key, bool fails) {
        for (uint32_t i = 0; i < PUSHES; i++) {
                Push *entry = &test->pushes[i];

                if (!entry->is_there || entry->key != key || !entry->waits)
                        continue;
                entry->waits = false;
                if (fails) {
                        run_stream_unpin_key(test->stream, key_name(key));
                        entry->is_there = false;
                }
        }
}

static void answer_keys(Case *test) {
        for (uint32_t i = 0; i < PUSHES; i++) {
                Push *entry = &test->pushes[i];
                const bool fails = pick(test, 8) == 0;

                if (!entry->is_there || entry->waits || pick(test, 3) == 0)
                        continue;
                if (entry->is_gone) {
                        run_stream_answer_key(test->stream, key_name(entry->key), entry->answer);
                        end_waits(test, entry->key, false);
                        entry->is_there = false;
                        continue;
                }
                if (entry->asks && pick(test, 8) == 0) {
                        run_stream_unpin_key(test->stream, key_name(entry->key));
                        entry->is_gone = true;
                        continue;
                }
                if (entry->asks && fails) {
                        run_stream_forget_key(test->stream, key_name(entry->key));
                        run_stream_unpin_key(test->stream, key_name(entry->key));
                        entry->is_there = false;
                        end_waits(test, entry->key, true);
                        continue;
                }
                if (entry->asks) {
                        run_stream_answer_key(test->stream, key_name(entry->key), entry->answer);
                        end_waits(test, entry->key, false);
                        entry->asks = false;
                }
                push_pinned(test, entry);
        }
}

static void note_durable(Case *test) {
        if (test->saved.n <= test->durable)
                return;
        test->durable += pick(test, test->saved.n - test->durable + 1);
        run_stream_note_durable(test->stream, test->durable);
}

/* — attempts — */

static void take_begins(Case *test) {
        RunStreamBegin begin;

        while (run_stream_take_begin(test->stream, &begin)) {
                cleanup_free_ char *data = data_of(test, begin.sequence);
                const SlowElement *element = slow_at(&test->slow, begin.sequence);
                const char *problem;

                item_trial_tell(test->trial, "  %lu begins", begin.sequence);
                problem = slow_begin(&test->slow, begin.sequence, test->now);

                if (problem) {
                        complain(test, problem, begin.sequence);
                        return;
                }
                compare(test, "group", begin.sequence, group_of(begin.group), element->group);
                compare(test, "tries", begin.sequence, begin.tries, element->tries);
                compare(test, "key", begin.sequence, begin.key && strcmp(begin.key, key_name(element->key)) == 0,
                        element->key > 0);
                compare(test, "repeatable", begin.sequence, begin.is_repeatable,
                        test->slow.settings.policy.recover == RUN_RECOVER_RETRY);
                if (begin.size != size_of(test, begin.sequence) ||
                    (begin.size > 0 && memcmp(begin.data, data, begin.size) != 0))
                        complain(test, "other data", begin.sequence);
        }
}

static uint64_t pick_sequence(Case *test) {
        const uint64_t from = pick(test, test->slow.n + 2);

        for (uint64_t i = from; i <= test->slow.n && pick(test, 30) > 0; i++)
                if (i > 0 && slow_at(&test->slow, i)->state == RUN_ELEMENT_RUNNING)
                        return i;
        return from;
}

static void end_one(Case *test, uint64_t sequence) {
        static const uint16_t ends[] = { 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 75, 300 };
        static const RunEndKind kinds[] = { RUN_END_LOST, RUN_END_LOST, RUN_END_INTERRUPTED, RUN_END_PENDING,
                                            RUN_END_TIMEOUT, RUN_END_REFUSED };
        static const char *const kind_names[] = {
                [RUN_END_EXITED] = "exited",   [RUN_END_LOST] = "lost",       [RUN_END_INTERRUPTED] = "interrupted",
                [RUN_END_PENDING] = "pending", [RUN_END_TIMEOUT] = "timeout", [RUN_END_REFUSED] = "refused",
        };
        const bool is_lost = test->is_deadly && pick(test, 4) > 0, is_exit = !is_lost && pick(test, 5) > 0;
        const uint16_t end = is_exit ? ends[pick(test, ELEMENTSOF(ends))] : 0;
        const RunEndKind other = is_lost ? RUN_END_LOST : kinds[pick(test, ELEMENTSOF(kinds))];
        const RunEndKind kind = is_exit ? RUN_END_EXITED : other;
        const usec_t again = pick(test, 2) ? USEC_INFINITY : pick(test, 3000);
        const bool is_return = pick(test, 12) == 0;

        item_trial_tell(test->trial, "  %s %lu: %s %u", is_return ? "return" : "end", sequence, kind_names[kind], end);
        if (is_return)
                compare(test, "return", sequence, run_stream_return(test->stream, sequence),
                        slow_return(&test->slow, sequence));
        else
                compare(test, "end", sequence, run_stream_end(test->stream, sequence, kind, end, test->now, again, 0),
                        slow_end(&test->slow, sequence, kind, end, test->now, again));
}

static void end_some(Case *test) {
        for (uint32_t n = pick(test, 8); n > 0; n--)
                end_one(test, pick_sequence(test));
}

static void resolve_some(Case *test) {
        for (uint32_t group = 0; group < test->n_groups; group++) {
                const RunStreamOutcome outcome = pick(test, _RUN_STREAM_OUTCOME_MAX);
                const uint64_t sequence = pick(test, 3) ? 0 : slow_head(&test->slow, group) + pick(test, 2);
                uint64_t resolved;

                if (pick(test, 3) > 0)
                        continue;
                item_trial_tell(test->trial, "  resolve group %s, %lu: %s", names[group], sequence,
                                run_stream_outcome_to_string(outcome));
                compare(test, "resolve", group,
                        (uint64_t) run_stream_resolve(test->stream, names[group], sequence, outcome, &resolved),
                        (uint64_t) slow_resolve(&test->slow, group, sequence, outcome));
        }
}

/* — restarts — */

static void restore_rows(Case *test) {
        for (uint32_t group = 0; group < SLOW_GROUPS; group++)
                if (test->has_group[group] && test->groups[group].waiting > 0) {
                        compare(test, "restore a group", group,
                                (uint64_t) run_stream_restore_group(test->stream, &test->groups[group]), 0);
                        test->slow.is_known[group] = true;
                }
        for (uint64_t i = 1; i <= test->slow.n; i++) {
                RunElementRow row = test->elements[i - 1].row;
                cleanup_free_ char *data = data_of(test, i);

                if (!test->elements[i - 1].is_there || run_element_state_is_over(row.state))
                        continue;
                if (row.state == RUN_ELEMENT_READY && row.reason == RUN_REASON_NONE && pick(test, 5) == 0)
                        continue;
                row.key = test->slow.elements[i - 1].key > 0 ? key_name(test->slow.elements[i - 1].key) : NULL;
                row.data = data;
                row.size = size_of(test, i);
                compare(test, "restore", i, (uint64_t) run_stream_restore_element(test->stream, &row), 0);
        }
}

/* The row of a READY head that is not told of is repaired later, so that no attempt of that can be claimed. */
static void claim_some(Case *test) {
        uint64_t unclaimed = 0;

        for (uint64_t i = 1; i <= test->slow.n; i++) {
                SlowElement *element = slow_at(&test->slow, i);
                const uint32_t issue = test->elements[i - 1].row.issue + (element->state != RUN_ELEMENT_RUNNING);
                const uint32_t tries = test->elements[i - 1].row.tries;

                /* One whose end is in the row. */
                if (element->state != RUN_ELEMENT_RUNNING && issue > 1)
                        compare(test, "claim", i, (uint64_t) run_stream_claim(test->stream, i, issue - 1, tries),
                                (uint64_t) -ENOENT);
                if (element->state == RUN_ELEMENT_RUNNING && pick(test, 3) > 0)
                        compare(test, "claim", i, (uint64_t) run_stream_claim(test->stream, i, issue + pick(test, 2), tries),
                                0);
                else if (element->state == RUN_ELEMENT_READY && pick(test, 4) == 0) {
                        if (run_stream_claim(test->stream, i, issue, tries) == 0) {
                                element->state = RUN_ELEMENT_RUNNING;
                                element->reason = RUN_REASON_NONE;
                        }
                } else if (element->state != RUN_ELEMENT_READY && element->state != RUN_ELEMENT_RUNNING)
                        compare(test, "claim", i, (uint64_t) run_stream_claim(test->stream, i, issue, tries),
                                (uint64_t) -ENOENT);
        }
        while ((unclaimed = run_stream_next_unclaimed(test->stream, unclaimed + 1)) > 0)
                if (pick(test, 3) > 0)
                        end_one(test, unclaimed);
}

/* What was not taken is lost. */
static void restart(Case *test) {
        run_stream_free(test->stream);
        test->stream = NULL;
        test->slow = test->saved;
        memset(test->pushes, 0, sizeof(test->pushes));
        memset(test->has_query, 0, sizeof(test->has_query));
        memset(test->later, 0, sizeof(test->later));
        memset(test->slow.is_known, 0, sizeof(test->slow.is_known));
        test->durable = 0;
        if (pick(test, 2))
                test->now = START + pick(test, 1000);
        item_trial_tell(test->trial, "  core dies, and is there again at %lu", test->now);
        if (run_stream_new(&test->slow.settings, test->slow.n + 1, &test->stream) < 0)
                abort();
        restore_rows(test);
        slow_restart(&test->slow, test->now);
        claim_some(test);
        run_stream_begin(test->stream);
        run_stream_step(test->stream, test->now);
        slow_link(&test->slow);
}

/* — comparison — */

static void compare_elements(Case *test) {
        for (uint32_t i = 0; i < test->slow.n; i++) {
                const SlowElement *slow = &test->slow.elements[i];
                const RunElementRow *row = &test->elements[i].row;
                RunGroupRow group = {};
                RunElementRow head;

                if (!test->elements[i].is_there) {
                        complain(test, "there is no row", i + 1);
                        return;
                }
                if (slow->state == RUN_ELEMENT_READY && row->state == RUN_ELEMENT_WAITING) {
                        (void) run_stream_get_group(test->stream, names[slow->group], &group, &head);
                        compare(test, "the head is not in memory", i + 1, group.head, 0);
                } else
                        compare(test, "state", i + 1, row->state, slow->state);
                compare(test, "position", i + 1, row->position, slow->position);
                compare(test, "tries", i + 1, row->tries, slow->tries);
                compare(test, "deaths", i + 1, row->deaths, slow->deaths);
                compare(test, "reason", i + 1, row->reason, slow->reason);
        }
}

static void compare_groups(Case *test) {
        for (uint32_t group = 0; group < SLOW_GROUPS; group++) {
                const RunGroupRow *fast = &test->groups[group];
                RunGroupRow slow;

                if (!test->has_group[group])
                        continue;
                slow_group_row(&test->slow, group, &slow);
                compare(test, "waiting", group, fast->waiting, slow.waiting);
                compare(test, "done", group, fast->done, slow.done);
                compare(test, "failed", group, fast->failed, slow.failed);
                compare(test, "tail", group, fast->tail, slow.tail);
                compare(test, "group", group, fast->state, slow.state);
        }
}

/* Nothing that could begin is left while there is a place. */
static void compare_counts(Case *test) {
        RunStreamCounts counts;
        uint32_t out = 0, loading = 0;

        run_stream_count(test->stream, &counts);
        for (uint32_t group = 0; group < SLOW_GROUPS; group++) {
                out += slow_count(&test->slow, group, RUN_ELEMENT_RUNNING);
                loading += test->has_query[group] || test->later[group] > test->now;
                if (!counts.is_held && counts.places < test->slow.settings.max_groups && !test->has_query[group] &&
                    test->later[group] <= test->now && slow_can_begin(&test->slow, group, test->now) &&
                    run_stream_due(test->stream, test->now) > test->now)
                        complain(test, "a group could begin", group);
        }
        compare(test, "out", 0, counts.out, out);
        if (counts.places < out || counts.places > out + loading)
                complain(test, "places", counts.places);
        compare(test, "backlog", 0, counts.backlog, slow_backlog(&test->slow));
        if (counts.bytes > RUN_STREAM_BYTES_MAX + (uint64_t) (test->slow.settings.max_groups + 2) * test->size)
                complain(test, "bytes", counts.bytes);
}

static void step(Case *test) {
        if (pick(test, 3) == 0)
                test->now += pick(test, pick(test, 5) ? 300 : 6000);
        if (pick(test, 12) == 0)
                run_stream_hold(test->stream, pick(test, 3) == 0);
        push_some(test);
        answer_keys(test);
        end_some(test);
        if (pick(test, 4) == 0)
                resolve_some(test);
        for (uint32_t group = 0; group < SLOW_GROUPS; group++)
                if (test->has_query[group] && pick(test, 2))
                        answer_query(test, group, pick(test, 8) == 0);
        run_stream_step(test->stream, test->now);
        slow_link(&test->slow);
        take_begins(test);
        if (pick(test, 25) == 0) {
                restart(test);
                take_begins(test);
        }
        flush(test);
        take_queries(test);
        note_durable(test);
        compare_elements(test);
        compare_groups(test);
        compare_counts(test);
        forget(test);
}

/* All succeeds, all is answered, and the clock goes on: each group goes on that waits for no person. */
static void go_on(Case *test) {
        uint32_t heads[SLOW_GROUPS];

        for (uint32_t group = 0; group < SLOW_GROUPS; group++)
                heads[group] = slow_head(&test->slow, group);
        run_stream_hold(test->stream, false);
        for (uint32_t i = 0; i < 60 && test->trial->difference[0] == '\0'; i++) {
                test->now += 10000;
                for (uint32_t group = 0; group < SLOW_GROUPS; group++)
                        if (test->has_query[group])
                                answer_query(test, group, false);
                run_stream_step(test->stream, test->now);
                slow_link(&test->slow);
                take_begins(test);
                flush(test);
                take_queries(test);
                for (uint64_t n = 1; n <= test->slow.n; n++)
                        if (slow_at(&test->slow, n)->state == RUN_ELEMENT_RUNNING)
                                compare(test, "end", n,
                                        run_stream_end(test->stream, n, RUN_END_EXITED, 0, test->now, 0, 0),
                                        slow_end(&test->slow, n, RUN_END_EXITED, 0, test->now, 0));
        }
        for (uint32_t group = 0; group < SLOW_GROUPS; group++)
                if (heads[group] > 0 && heads[group] == slow_head(&test->slow, group) &&
                    slow_at(&test->slow, heads[group])->state != RUN_ELEMENT_PENDING)
                        complain(test, "a group does not go on", group);
}

static RunStreamSettings random_settings(Case *test) {
        RunStreamSettings settings = {
                .policy = {
                        .recover = pick(test, 3),
                        .failure = pick(test, 3) ? RUN_POLICY_CONTINUE : RUN_POLICY_SUSPEND,
                        .retry = pick(test, 3),
                        .delay = 1 + pick(test, 2000),
                        .max_delay = USEC_INFINITY,
                        .window = USEC_INFINITY,
                        .again = 1 + pick(test, 2000),
                },
                .link_batch = pick(test, 2) ? 1 + pick(test, 5) : 100,
                .max_backlog = pick(test, 2) ? 1 + pick(test, 40) : 300,
                .keep_done = pick(test, 2) * pick(test, 120),
                .max_groups = 1 + pick(test, 4),
        };

        settings.policy.no_retry_ends[0] = UINT64_C(1) << 2;
        settings.policy.pending_ends[0] = UINT64_C(1) << 3;
        settings.policy.again_ends[75 / 64] = UINT64_C(1) << 75 % 64;
        return settings;
}

static void tell_settings(Case *test) {
        static const char *const recovers[] = {
                [RUN_RECOVER_RETRY] = "retry", [RUN_RECOVER_PENDING] = "pending", [RUN_RECOVER_FAIL] = "fail"
        };
        const RunStreamSettings *settings = &test->slow.settings;

        item_trial_tell(test->trial,
                        "  settings: %u groups, recover %s, failure %s, retry %u, delay %lu us, again %lu us, link batch %u, "
                        "backlog %lu, keep done %u, max groups %u",
                        test->n_groups, recovers[settings->policy.recover],
                        settings->policy.failure == RUN_POLICY_SUSPEND ? "suspend" : "continue", settings->policy.retry, settings->policy.delay,
                        settings->policy.again, settings->link_batch, (uint64_t) settings->max_backlog,
                        settings->keep_done, settings->max_groups);
}

static void play(ItemTrial *trial) {
        Case *test = calloc(1, sizeof(*test));

        if (!test)
                abort();
        test->trial = trial;
        item_trial_begin(trial);
        test->now = START;
        test->size = pick(test, 30) ? 20 : 500000;
        test->n_groups = 1 + pick(test, SLOW_GROUPS);
        test->is_deadly = pick(test, 8) == 0;
        test->slow.settings = random_settings(test);
        test->slow.fault = trial->fault;
        test->saved = test->slow;
        if (run_stream_new(&test->slow.settings, 1, &test->stream) < 0)
                abort();
        tell_settings(test);
        run_stream_begin(test->stream);
        for (uint32_t i = 0; i < STEPS; i++)
                if (item_trial_step(trial, i))
                        step(test);
        go_on(test);
        run_stream_free(test->stream);
        free(test);
}

const ItemSubject stream_subject = { .name = "stream", .faults = faults, .n_steps = STEPS, .play = play };
