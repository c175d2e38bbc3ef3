/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Launches of streams, and attempts of their elements
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/random.h"
#include "basic/text.h"
#include "manager/manager_attempt.h"
#include "manager/manager_run_private.h"
#include "manager/manager_stream_private.h"

/* The turn may have begun long ago. */
static usec_t clock_of_runs(void) {
        return usec_add(clock_boottime(), MANAGER_RUN_BOOT);
}

static void note_news(ManagerRuns *runs) {
        manager_run_note_work(runs);
        manager_turn_wake(runs->host.attempts.turn);
}

/* — launches — */

/* Elements that have not begun yet are for the next launch. */
static void give_back(ManagerStream *stream) {
        for (size_t i = 0; i < stream->begins.n; i++)
                (void) run_stream_return(stream->engine, stream->begins.items[i].sequence);
        vector_clear(&stream->begins);
}

static void interrupt(void *userdata, const RunAttemptKey *key, uint64_t element) {
        manager_attempts_end(((ManagerRuns *) userdata)->attempts, key);
}

/* The launch ends when no element is out. */
static void drain(ManagerRuns *runs, ManagerRun *run, ManagerLaunch *launch, bool ends) {
        ManagerStream *stream = run->stream;
        const usec_t timeout = flow_definition_settings(run->definition)->range.pause_timeout;

        if (launch->paused_at == 0) {
                launch->paused_at = runs->now;
                launch->has_changed = true;
        }
        stream->is_issuing = false;
        run_stream_hold(stream->engine, true);
        give_back(stream);
        if (!launch->is_told_to_end && (ends || usec_add(launch->paused_at, timeout) <= runs->now)) {
                launch->is_told_to_end = true;
                manager_attempts_visit_items(runs->attempts, run->id, interrupt, runs);
        }
        if (manager_attempts_count_items(runs->attempts, run->id) > 0)
                return;
        launch->has_end = true;
        launch->kind = RUN_END_INTERRUPTED;
        note_news(runs);
}

/* A stop does not wait for the store: rows of what is ended are settled when the stream has been read. */
static void end_unread(ManagerRuns *runs, ManagerRun *run, ManagerLaunch *launch, bool ends) {
        /* What is read then is for the next launch. */
        if (run->stream)
                run->stream->is_issuing = false;
        if (ends && !launch->is_told_to_end) {
                launch->is_told_to_end = true;
                manager_attempts_visit_items(runs->attempts, run->id, interrupt, runs);
                /* Attempts of an earlier core do nothing before they know their commands. */
                manager_attempts_resume_items(runs->attempts, run->id, run->definition, run->graph);
        }
        if (manager_attempts_count_items(runs->attempts, run->id) > 0)
                return;
        launch->has_end = true;
        launch->kind = RUN_END_INTERRUPTED;
        note_news(runs);
}

static int begin_attempt(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, ManagerLaunch *launch,
                         uint64_t sequence) {
        RunAttemptKey of = { key->run, key->node, MANAGER_ITEM_GENERATION | launch->number, 0 };
        RunStreamBegin element;

        if (run_stream_find_begin(run->stream->engine, sequence, &element) < 0)
                return 0;
        /* Numbers of attempts may come again only when those that had them are gone. */
        do
                launch->n_issued = launch->n_issued >= MANAGER_ITEM_PAGE - 1 ? 1 : launch->n_issued + 1;
        while ((of.number = launch->n_issued, manager_attempts_has(runs->attempts, &of)));
        launch->has_changed = true;
        return manager_attempts_begin_item(runs->attempts, &of,
                                           &(ManagerAttemptItem) {
                                                   .number = sequence, .tries = element.tries, .issue = element.issue
                                           },
                                           run->flow->unit, run->definition, run->graph);
}

/* At least once needs that the store has read the row, at most once that the row is on the disk. */
static bool is_safe(const ManagerRuns *runs, const ManagerStreamBegin *begin) {
        return begin->batch > 0 && begin->batch <= (begin->is_repeatable ? MAX(runs->accepted, runs->durable)
                                                                         : runs->durable);
}

static bool has_strays(const ManagerRuns *runs, const ManagerStream *stream) {
        for (size_t i = 0; i < stream->strays.n; i++)
                if (manager_attempts_is_live(runs->attempts, &stream->strays.items[i]))
                        return true;
        return false;
}

static bool is_stray(const ManagerStream *stream, const RunAttemptKey *key) {
        for (size_t i = 0; i < stream->strays.n; i++)
                if (memcmp(&stream->strays.items[i], key, sizeof(*key)) == 0)
                        return true;
        return false;
}

static void begin_elements(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, ManagerLaunch *launch) {
        ManagerStream *stream = run->stream;
        size_t n = 0;

        if (has_strays(runs, stream))
                return;
        for (size_t i = 0; i < stream->begins.n; i++) {
                const ManagerStreamBegin begin = stream->begins.items[i];

                if (!is_safe(runs, &begin))
                        stream->begins.items[n++] = begin;
                else if (begin_attempt(runs, run, key, launch, begin.sequence) < 0) {
                        (void) run_stream_return(stream->engine, begin.sequence);
                        note_news(runs);
                }
        }
        stream->begins.n = n;
}

void manager_stream_step_launch(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, ManagerLaunch *launch,
                                bool ends) {
        ManagerStream *stream = run->stream;
        RunRow row;

        if (launch->number == 0) {
                launch->number = ++run->facts.n_launches;
                launch->stage = MANAGER_LAUNCH_ISSUE;
                launch->has_changed = true;
                (void) run_engine_touch(runs->engine, run->id);
        }
        /* The store may not have heard of it. */
        run->facts.n_launches = MAX(run->facts.n_launches, launch->number);
        if (run_engine_get_row(runs->engine, run->id, &row) < 0)
                return;
        if (!manager_stream_is_open(stream)) {
                if (ends || row.state != RUN_RUNNING)
                        end_unread(runs, run, launch, ends);
                return;
        }
        if (ends || launch->paused_at > 0 || row.state != RUN_RUNNING) {
                drain(runs, run, launch, ends);
                return;
        }
        if (!stream->is_issuing)
                note_news(runs);
        stream->is_issuing = true;
        begin_elements(runs, run, key, launch);
}

/* — ends of elements — */

static void note_facts(ManagerStream *stream, uint64_t sequence, const ManagerAttemptFacts *facts) {
        const ManagerResult *result = facts->result && !facts->result->path ? facts->result : NULL;
        ManagerStreamNote note = { .sequence = sequence };

        if (!facts->problem && !result)
                return;
        if (text_copy(facts->problem, &note.problem) == 0 && result)
                note.result = malloc(MAX(result->n, (size_t) 1));
        if (note.result) {
                memcpy(note.result, result->text, result->n);
                note.n_result = result->n;
        }
        if (vector_push(&stream->notes, note) == 0)
                return;
        free(note.problem);
        free(note.result);
}

/* Of what one that was told to end has done nobody can be sure. */
static RunEndKind judge(RunEndKind kind, bool is_told) {
        return is_told && kind != RUN_END_LOST ? RUN_END_INTERRUPTED : kind;
}

void manager_stream_note_end(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, RunEndKind kind,
                             uint16_t end) {
        ManagerStream *stream = run->stream;
        ManagerAttemptFacts facts = { .again = USEC_INFINITY };
        ManagerElementAttempt attempt;
        uint32_t chance = 0, tries;
        uint64_t sequence;
        bool is_told;

        note_news(runs);
        /* The end is told again when the stream is loaded. */
        if (!manager_stream_is_open(stream) ||
            manager_attempts_get_item(runs->attempts, key, &sequence, &tries, &is_told) < 0 ||
            manager_attempts_get_element(runs->attempts, key, &attempt) < 0)
                return;
        (void) manager_attempts_get(runs->attempts, key, &facts);
        (void) random_bytes(&chance, sizeof(chance));
        kind = judge(kind, is_told);
        /* The end of an attempt that is not the element's any more is that of nobody. */
        if (!is_stray(stream, key) && run_stream_is_out(stream->engine, sequence, attempt.issue) &&
            run_stream_end(stream->engine, sequence, kind, kind == RUN_END_INTERRUPTED ? 0 : end, clock_of_runs(),
                           facts.again, chance) == RUN_STREAM_ENDED)
                note_facts(stream, sequence, &facts);
        manager_attempts_note_told(runs->attempts, key);
}

/* — what can be asked — */

static const char *plural(uint64_t n) {
        return n == 1 ? "" : "s";
}

void manager_stream_explain(const ManagerRuns *runs, const ManagerRun *run, Text *text) {
        RunStreamCounts counts;

        if (manager_stream_count(runs, run->id, &counts) < 0) {
                text_add(text, "its elements are read from the store");
                return;
        }
        text_addf(text, "%" PRIu64 " element%s wait%s, %" PRIu32 " of them %s out", counts.backlog,
                  plural(counts.backlog), counts.backlog == 1 ? "s" : "", counts.out, counts.out == 1 ? "is" : "are");
        if (counts.queued > 0)
                text_addf(text, "; %" PRIu32 " group%s wait%s for a place, as MaxGroups= are at work", counts.queued,
                          plural(counts.queued), counts.queued == 1 ? "s" : "");
        if (counts.delayed > 0)
                text_addf(text, "; %" PRIu32 " group%s wait%s for another try", counts.delayed, plural(counts.delayed),
                          counts.delayed == 1 ? "s" : "");
        if (counts.pending > 0)
                text_addf(text, "; %" PRIu32 " group%s wait%s for a person: 'jobctl stream list %s'", counts.pending,
                          plural(counts.pending), counts.pending == 1 ? "s" : "", run->flow->unit->id);
}
