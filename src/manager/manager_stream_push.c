/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pushes: from a call to rows of elements
 *
 * Pushes into a stream are taken in their order. One whose keys the store has
 * to be asked for holds up those behind it; so all keys of a turn are asked
 * for at once.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/text.h"
#include "manager/manager_run_answer.h"
#include "manager/manager_run_hold.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_submit.h"
#include "manager/manager_stream_private.h"

#define CALL_BYTES ((size_t) 1024)

struct ManagerPush {
        struct ManagerPush *next;
        ManagerFlow *flow; /* borrowed: it stays as long as there are pushes to it */
        ManagerRunTicket ticket;
        char *operator, *client, *reqid; /* owned */
        uint32_t uid;
        uint64_t number; /* of this push */
        uint32_t run; /* that has taken it; 0: none yet */
        uint32_t pinned; /* the run in whose stream its keys are pinned; 0: none … */
        size_t n_known; /* … and so many of its elements, from the first on, have keys that the store knows, or none */
        uint32_t created; /* the run that it waits for, whose unit is to start; 0: none */
        uint64_t batch; /* that has its elements; 0: the one at hand */
        bool is_many;
        size_t n, n_bytes;
        RunStreamElement *elements; /* owned, with what they point to */
        uint64_t *sequences; /* owned */
};

/* — life — */

static void free_push(ManagerRuns *runs, ManagerPush *push) {
        runs->n_push_bytes -= push->n_bytes;
        free(push->operator);
        free(push->client);
        free(push->reqid);
        free(push->elements);
        free(push->sequences);
        free(push);
}

static size_t measure(const ManagerPushRequest *request) {
        /* With what the call itself takes while it waits. */
        size_t n = CALL_BYTES + request->n * (sizeof(RunStreamElement) + sizeof(uint64_t));

        for (size_t i = 0; i < request->n; i++)
                n += request->elements[i].size + strlen(request->elements[i].group) + 1 +
                     (request->elements[i].key ? strlen(request->elements[i].key) + 1 : 0);
        return n;
}

static char *append(char **at, const void *bytes, size_t n) {
        char *place = *at;

        if (n > 0)
                memcpy(place, bytes, n);
        *at += n;
        return place;
}

/* One block has all elements and what they point to. */
static int copy_elements(const ManagerPushRequest *request, ManagerPush *push) {
        char *at;

        push->n = request->n;
        push->elements = malloc(push->n_bytes);
        push->sequences = calloc(MAX(request->n, (size_t) 1), sizeof(*push->sequences));
        if (!push->elements || !push->sequences)
                return -ENOMEM;
        at = (char *) (push->elements + request->n);
        for (size_t i = 0; i < request->n; i++) {
                const RunStreamElement *element = &request->elements[i];

                push->elements[i] = (RunStreamElement) {
                        .group = append(&at, element->group, strlen(element->group) + 1),
                        .key = element->key ? append(&at, element->key, strlen(element->key) + 1) : NULL,
                        .data = append(&at, element->data, element->size),
                        .size = element->size,
                };
        }
        return 0;
}

static int copy_request(const ManagerPushRequest *request, ManagerPush *push) {
        if (text_copy(request->operator, &push->operator) < 0 || text_copy(request->client, &push->client) < 0 ||
            text_copy(request->reqid, &push->reqid) < 0)
                return -ENOMEM;
        return copy_elements(request, push);
}

/* — requests — */

static int check(const ManagerPushRequest *request, Failure *ret_failure) {
        for (size_t i = 0; i < request->n; i++) {
                const RunStreamElement *element = &request->elements[i];

                if (run_stream_check_group(element->group) < 0)
                        return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                           "The name of a group has at most 100 characters, and none that controls a "
                                           "terminal.");
                if (element->key && run_stream_check_key(element->key) < 0)
                        return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                           "A key has at most 255 bytes, and no character that controls a terminal.");
                if (element->size > RUN_STREAM_DATA_MAX)
                        return failure_set(ret_failure, -E2BIG, "InvalidArgs",
                                           "An element has %zu bytes; 1 MiB is the most.", element->size);
        }
        return 0;
}

static int find_unit(const ManagerRuns *runs, const char *name, Unit **ret_unit, Failure *ret_failure) {
        int r = unit_table_load(runs->host.units, name, ret_unit);

        if (r < 0)
                return failure_set(ret_failure, r, "InvalidName", "'%s' is not a valid name of a unit.", name);
        if ((*ret_unit)->type != UNIT_STREAM)
                return failure_set(ret_failure, -EINVAL, "NotSupported", "%s is not a stream.", (*ret_unit)->id);
        return 0;
}

int manager_runs_push(ManagerRuns *runs, const ManagerPushRequest *request, Failure *ret_failure) {
        ManagerPush *push;
        Unit *unit;
        int r = manager_run_link_require(runs->link, ret_failure);

        if (r == 0)
                r = find_unit(runs, request->unit, &unit, ret_failure);
        if (r == 0)
                r = check(request, ret_failure);
        if (r < 0)
                return r;
        if (unit->load_state != UNIT_LOADED)
                return failure_copy(ret_failure, &unit->load_failure);
        if (runs->host.ops->is_ending(runs->host.userdata))
                return failure_set(ret_failure, -ESHUTDOWN, "ShuttingDown", "The manager ends, and takes no elements.");
        if (manager_run_link_bytes(runs->link) + runs->n_push_bytes > MANAGER_RUN_BYTES_TIGHT)
                return failure_set(ret_failure, -EAGAIN, "StoreBusy",
                                   "The store of runs does not take more at present; try again.");
        push = calloc(1, sizeof(*push));
        if (!push)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "Out of memory.");
        push->n_bytes = measure(request);
        runs->n_push_bytes += push->n_bytes;
        push->ticket = request->ticket;
        push->uid = request->uid;
        push->is_many = request->is_many;
        push->number = ++runs->last_push;
        push->flow = manager_run_flow(runs, unit);
        if (!push->flow || copy_request(request, push) < 0) {
                free_push(runs, push);
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "Out of memory.");
        }
        if (runs->last_waiting)
                runs->last_waiting->next = push;
        else
                runs->pushes = push;
        runs->last_waiting = push;
        manager_run_note_work(runs);
        return 0;
}

/* — taking — */

/*
 * The run of a stream that takes elements. *ret_waits: the one before has to end first; *ret_created: the unit has to
 * be started for that one, and nothing is taken by a run that may fail by that.
 */
static ManagerRun *find_run(const ManagerRuns *runs, const ManagerFlow *flow, bool *ret_waits, uint32_t *ret_created) {
        ManagerRun *found = NULL;

        *ret_waits = false;
        *ret_created = 0;
        for (ManagerRun *run = flow->first; run; run = run->next) {
                RunRow row;

                if (run->is_over || run_engine_get_row(runs->engine, run->id, &row) < 0 ||
                    run_state_is_terminal(row.state))
                        continue;
                if (row.state == RUN_STOPPING)
                        *ret_waits = true;
                else if (row.state == RUN_CREATED)
                        *ret_created = run->id;
                /* One that waits for another to end comes after that. */
                else if (!found || row.state != RUN_QUEUED)
                        found = run;
        }
        return found;
}

static int submit(ManagerRuns *runs, const ManagerPush *push) {
        const ManagerRunRequest request = {
                .unit = push->flow->unit->id,
                .operator = push->operator,
                .client = push->client,
                .reqid = push->reqid,
                /* Whoever pushes first is no owner of what others push. */
                .uid = geteuid(),
                .ticket = { .a = MANAGER_RUN_OF_PUSH, .b = push->number },
        };

        if (manager_run_is_submitted_to(runs, push->flow))
                return 0;
        return manager_run_add_submit(runs, push->flow, &request, false);
}

static void unpin(RunStream *engine, ManagerPush *push, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (push->elements[i].key)
                        run_stream_unpin_key(engine, push->elements[i].key);
        push->pinned = 0;
        push->n_known = 0;
}

static int ask_for_key(ManagerStream *stream, const char *key) {
        ManagerStreamQuery query = { .kind = MANAGER_STREAM_ASK_KEY, .limit = 1 };

        return text_copy(key, &query.text) < 0 ? -ENOMEM : manager_stream_ask(stream, &query);
}

static int pin(ManagerRun *run, ManagerPush *push) {
        ManagerStream *stream = run->stream;

        for (size_t i = 0; i < push->n; i++) {
                const char *key = push->elements[i].key;
                RunStreamKey answer = RUN_STREAM_KEY_FREE;
                uint64_t sequence;
                int r = key ? run_stream_pin_key(stream->engine, key, &answer, &sequence) : 0;

                if (r < 0) {
                        unpin(stream->engine, push, i);
                        return r;
                }
                if (answer == RUN_STREAM_KEY_ASK && ask_for_key(stream, key) < 0) {
                        run_stream_forget_key(stream->engine, key);
                        unpin(stream->engine, push, i + 1);
                        return -ENOMEM;
                }
        }
        push->pinned = run->id;
        return 0;
}

/* Counts the keys that are not used; false: the store has not answered about all of them. */
static bool knows_keys(const ManagerRun *run, ManagerPush *push, size_t *ret_new) {
        uint64_t known;

        /* What is known stays so while it is pinned: a turn goes on where the one before has ended. */
        for (; push->n_known < push->n; push->n_known++) {
                const char *key = push->elements[push->n_known].key;

                if (key && run_stream_find_key(run->stream->engine, key, &known) == RUN_STREAM_KEY_ASKED)
                        return false;
        }
        *ret_new = push->n;
        for (size_t i = 0; i < push->n; i++) {
                const char *key = push->elements[i].key;
                uint64_t sequence;
                const RunStreamKey answer = key ? run_stream_find_key(run->stream->engine, key, &sequence)
                                                : RUN_STREAM_KEY_FREE;

                *ret_new -= answer == RUN_STREAM_KEY_USED;
        }
        return true;
}

/* All of a push, or nothing, unless memory ends. */
static int push_all(ManagerRuns *runs, ManagerRun *run, ManagerPush *push, size_t n_new, Failure *failure) {
        const uint64_t max = flow_definition_settings(run->definition)->stream.max_backlog;
        RunStream *engine = run->stream->engine;
        RunStreamCounts counts;
        int r = RUN_STREAM_PUSHED;

        run_stream_count(engine, &counts);
        if (n_new > 0 && counts.backlog + n_new > max)
                r = RUN_STREAM_FULL;
        for (size_t i = 0; i < push->n && r >= 0 && r != RUN_STREAM_FULL; i++)
                r = run_stream_push(engine, &push->elements[i], runs->now, &push->sequences[i]);
        if (r == RUN_STREAM_FULL)
                return failure_set(failure, -ENOBUFS, "Busy",
                                   "%s has %" PRIu64 " elements that wait, and MaxBacklog= allows %" PRIu64 ": push "
                                   "again when some are over.", push->flow->unit->id, counts.backlog, max);
        return r < 0 ? failure_set(failure, r, "NoMemory", "Out of memory.") : 0;
}

/* 1: it is taken; 0: it has to wait; or -errno: it has failed. */
static int take(ManagerRuns *runs, ManagerPush *push, Failure *failure) {
        const uint32_t before = push->created;
        bool waits;
        ManagerRun *run = find_run(runs, push->flow, &waits, &push->created);
        size_t n_new;
        int r = 0;

        if (!run && (waits || push->created > 0))
                return 0;
        if (!run && before > 0)
                return failure_set(failure, -ECANCELED, "Failed",
                                   "Run %" PRIu32 " of %s has ended before it took the push: its unit has not started.",
                                   before, push->flow->unit->id);
        if (!run)
                return submit(runs, push);
        if (!run->stream || run->stream->phase != MANAGER_STREAM_OPEN)
                return 0;
        if (push->pinned != run->id)
                r = pin(run, push);
        if (r < 0 || !knows_keys(run, push, &n_new))
                return r;
        r = push_all(runs, run, push, n_new, failure);
        unpin(run->stream->engine, push, push->n);
        if (r < 0)
                return r;
        push->run = run->id;
        push->batch = 0;
        return 1;
}

static ManagerPush *take_first(ManagerRuns *runs, ManagerPush **at, ManagerPush *previous) {
        ManagerPush *push = *at;

        *at = push->next;
        if (runs->last_waiting == push)
                runs->last_waiting = previous;
        push->next = NULL;
        return push;
}

static void fail(ManagerRuns *runs, ManagerPush *push, int error, Failure *failure) {
        if (!failure->code)
                failure_set(failure, error, error == -ENOMEM ? "NoMemory" : "Failed", "%s",
                            error == -ENOMEM ? "Out of memory." : strerror(-error));
        manager_run_answer(runs, push->ticket, 0, failure);
        free_push(runs, push);
}

static void keep_taken(ManagerRuns *runs, ManagerPush *push) {
        if (runs->last_taken)
                runs->last_taken->next = push;
        else
                runs->taken = push;
        runs->last_taken = push;
}

/* One that waits holds up those behind it; their keys are asked for all the same. */
static void prepare(const ManagerRuns *runs, ManagerPush *push) {
        bool waits;
        ManagerRun *run = find_run(runs, push->flow, &waits, &push->created);

        if (run && run->stream && run->stream->phase == MANAGER_STREAM_OPEN && push->pinned != run->id)
                (void) pin(run, push);
}

void manager_stream_take_pushes(ManagerRuns *runs) {
        ManagerPush **at = &runs->pushes, *push, *previous = NULL;

        for (ManagerFlow *flow = runs->flows; flow && runs->pushes; flow = flow->next)
                flow->holds_pushes = false;
        while ((push = *at)) {
                cleanup_(failure_deinit) Failure failure = {};
                int r = 0;

                if (push->flow->holds_pushes)
                        prepare(runs, push);
                else
                        r = take(runs, push, &failure);
                if (r == 0) {
                        push->flow->holds_pushes = true;
                        previous = push;
                        at = &push->next;
                        continue;
                }
                (void) take_first(runs, at, previous);
                if (r > 0)
                        keep_taken(runs, push);
                else
                        fail(runs, push, r, &failure);
        }
}

/* Nobody knows whether the store has those that were taken. With a key one can repeat them. */
static void refuse_taken(ManagerRuns *runs, const ManagerRun *run) {
        ManagerPush **at = &runs->taken, *push;

        runs->last_taken = NULL;
        while ((push = *at)) {
                if (push->run != run->id) {
                        runs->last_taken = push;
                        at = &push->next;
                        continue;
                }
                *at = push->next;
                manager_run_answer_failure(runs, push->ticket, -EHOSTDOWN, "StoreUnavailable",
                                           "The store of runs may not have recorded the push.");
                free_push(runs, push);
        }
}

/* The same for elements that were resolved. */
static void refuse_resolved(ManagerRuns *runs, const ManagerRun *run) {
        size_t n = 0;

        for (size_t i = 0; i < runs->awaited.n; i++) {
                const ManagerAwaited awaited = runs->awaited.items[i];

                if (awaited.kind == MANAGER_RUN_RESOLVED && awaited.run == run->id)
                        manager_run_answer_failure(runs, awaited.ticket, -EHOSTDOWN, "StoreUnavailable",
                                                   "The store of runs may not have recorded the decision.");
                else
                        runs->awaited.items[n++] = awaited;
        }
        runs->awaited.n = n;
}

void manager_stream_forget_pushes(ManagerRuns *runs, const ManagerRun *run) {
        for (ManagerPush *push = runs->pushes; push; push = push->next)
                if (push->pinned == run->id)
                        push->pinned = push->n_known = 0;
        refuse_taken(runs, run);
        refuse_resolved(runs, run);
}

/* — answers — */

void manager_stream_note_batch(ManagerRuns *runs) {
        for (ManagerPush *push = runs->taken; push; push = push->next)
                if (push->batch == 0)
                        push->batch = runs->batch;
}

static void note_durable(ManagerRuns *runs, const ManagerPush *push) {
        const ManagerRun *run = manager_run_find(runs, push->run);
        uint64_t highest = 0;

        /* One that was repeated has the number of the first. */
        for (size_t i = 0; i < push->n; i++)
                highest = MAX(highest, push->sequences[i]);
        if (push->n > 0 && run && run->stream && run->stream->engine)
                run_stream_note_durable(run->stream->engine, highest);
}

void manager_stream_answer_durable(ManagerRuns *runs) {
        ManagerPush *push;

        while ((push = runs->taken) && push->batch > 0 && push->batch <= runs->durable) {
                runs->taken = push->next;
                if (!runs->taken)
                        runs->last_taken = NULL;
                note_durable(runs, push);
                manager_run_tell(runs, &(ManagerRunAnswer) {
                                               .ticket = push->ticket,
                                               .kind = push->is_many ? MANAGER_RUN_PUSHED_MANY : MANAGER_RUN_PUSHED,
                                               .run = push->run,
                                               .sequences = push->sequences,
                                               .n_sequences = push->n,
                                       });
                free_push(runs, push);
        }
}

void manager_stream_answer_submit(ManagerRuns *runs, const ManagerRunAnswer *answer) {
        ManagerFlow *flow = NULL;
        ManagerPush **at = &runs->pushes, *push, *previous = NULL;

        for (push = runs->pushes; push; push = push->next)
                if (push->number == answer->ticket.b)
                        flow = push->flow;
        if (!answer->failure || !flow)
                return;
        while ((push = *at)) {
                if (push->flow != flow) {
                        previous = push;
                        at = &push->next;
                        continue;
                }
                (void) take_first(runs, at, previous);
                manager_run_answer(runs, push->ticket, 0, answer->failure);
                free_push(runs, push);
        }
}

bool manager_stream_has_pushes(const ManagerRuns *runs) {
        return runs->pushes || runs->taken;
}

bool manager_stream_has_pushes_to(const ManagerRuns *runs, const ManagerFlow *flow) {
        for (const ManagerPush *push = runs->pushes; push; push = push->next)
                if (push->flow == flow)
                        return true;
        for (const ManagerPush *push = runs->taken; push; push = push->next)
                if (push->flow == flow)
                        return true;
        return false;
}

static void refuse(ManagerRuns *runs, ManagerPush *push, const Failure *failure) {
        const ManagerRun *run = push->pinned > 0 ? manager_run_find(runs, push->pinned) : NULL;

        if (run && run->stream && run->stream->engine)
                unpin(run->stream->engine, push, push->n);
        if (failure)
                manager_run_answer(runs, push->ticket, 0, failure);
        free_push(runs, push);
}

void manager_stream_refuse_pushes(ManagerRuns *runs, bool is_taken, const Failure *failure) {
        ManagerPush *push = is_taken ? runs->taken : runs->pushes;

        if (is_taken)
                runs->taken = runs->last_taken = NULL;
        else
                runs->pushes = runs->last_waiting = NULL;
        while (push) {
                ManagerPush *next = push->next;

                refuse(runs, push, failure);
                push = next;
        }
}

void manager_stream_drop_pushes(ManagerRuns *runs) {
        manager_stream_refuse_pushes(runs, false, NULL);
        manager_stream_refuse_pushes(runs, true, NULL);
}

/* — resolving — */

int manager_runs_find_stream(const ManagerRuns *runs, const char *name, uint32_t *ret_run, Failure *ret_failure) {
        const ManagerFlow *flow;
        const ManagerRun *run;
        uint32_t created;
        bool waits;
        Unit *unit;
        int r = find_unit(runs, name, &unit, ret_failure);

        if (r < 0)
                return r;
        flow = manager_run_find_flow(runs, unit);
        run = flow ? find_run(runs, flow, &waits, &created) : NULL;
        if (flow && !run && created > 0)
                run = manager_run_find(runs, created);
        if (!run)
                return failure_set(ret_failure, -ENOENT, "NoSuchRun", "%s has no run that lives: nothing was pushed.",
                                   unit->id);
        *ret_run = run->id;
        return 0;
}

static int note_resolved(ManagerStream *stream, const ManagerResolveRequest *request, uint64_t sequence) {
        ManagerStreamNote note = { .sequence = sequence };
        int r = text_copy(request->operator, &note.operator);

        if (r == 0 && request->n_result > 0) {
                note.result = malloc(request->n_result);
                r = note.result ? 0 : -ENOMEM;
        }
        if (r == 0 && request->n_result > 0) {
                memcpy(note.result, request->result, request->n_result);
                note.n_result = request->n_result;
        }
        if (r == 0)
                r = vector_push(&stream->notes, note);
        if (r < 0) {
                free(note.operator);
                free(note.result);
        }
        return r;
}

static int refuse_resolve(const ManagerResolveRequest *request, int error, Failure *ret_failure) {
        if (error == -ENOENT)
                return failure_set(ret_failure, error, "NoSuchElement", "Group '%s' of %s has no element to resolve.",
                                   request->group, request->unit);
        if (error == -ESTALE)
                return failure_set(ret_failure, error, "InvalidTransition",
                                   "Element %" PRIu64 " is not the head of group '%s' of %s.", request->sequence,
                                   request->group, request->unit);
        if (error == -EBUSY)
                return failure_set(ret_failure, error, "InvalidTransition",
                                   "The head of group '%s' of %s is not PENDING: nobody has to resolve it.",
                                   request->group, request->unit);
        return failure_set(ret_failure, error, "Failed", "%s", strerror(-error));
}

int manager_runs_resolve_element(ManagerRuns *runs, const ManagerResolveRequest *request, Failure *ret_failure) {
        cleanup_free_ char *comment = NULL;
        uint64_t sequence;
        ManagerRun *run;
        uint32_t id;
        int r = manager_runs_find_stream(runs, request->unit, &id, ret_failure);

        if (r < 0)
                return r;
        run = manager_run_find(runs, id);
        if (!run || !run->stream || run->stream->phase != MANAGER_STREAM_OPEN || runs->has_refused)
                return failure_set(ret_failure, -EAGAIN, "StoreBusy",
                                   "The elements of %s are being read from the store; try again.", request->unit);
        r = run_stream_resolve(run->stream->engine, request->group, request->sequence, request->outcome, &sequence);
        if (r < 0)
                return refuse_resolve(request, r, ret_failure);
        if (note_resolved(run->stream, request, sequence) < 0)
                run->stream->has_lost = true;
        if (text_format(&comment, "element %" PRIu64 " of group '%s'", sequence, request->group) == 0)
                manager_run_put_event(runs, run,
                                      (ManagerRunEvent) {
                                              .node = FLOW_STREAM_NODE,
                                              .kind = "resolve",
                                              .new = run_stream_outcome_to_string(request->outcome),
                                              .operator = request->operator,
                                              .reqid = request->reqid,
                                              .comment = comment,
                                              .uid = request->uid,
                                      });
        manager_run_await(runs, request->ticket, MANAGER_RUN_RESOLVED, id);
        manager_run_note_work(runs);
        return 0;
}
