/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests that can be repeated under a token
 *
 * A ring by number; the place of a token in it is also the place of its
 * record. Each record is in a block of its own, so that a token with ten
 * thousand jobs is not written again with its neighbours. A search compares up
 * to a thousand hashes, which are four consecutive kilobytes.
 *
 * Anchors are stored with the names of their units, because the answer must be
 * possible when jobs and units are long gone. For the jobs that they pulled in
 * only the ids are stored: the answer contains those that are still known,
 * which right after a crash are all of them.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/hash.h"
#include "manager/manager_section.h"
#include "manager/manager_token.h"

/* The number of records that the store writes together. */
#define RECORDS_A_TOKEN 16U

/* More than the jobs of any transaction. */
#define RUN_MAX (UINT32_C(1) << 24)

static uint32_t record_of(uint64_t number) {
        return MANAGER_RECORD_TOKENS + (uint32_t) (number % MANAGER_TOKENS_MAX) * RECORDS_A_TOKEN;
}

static uint32_t hash_of(const char *name, uid_t uid) {
        uint64_t hash = hash_add(HASH_BEGIN ^ uid, name);

        return (uint32_t) (hash ^ hash >> 32);
}

static ManagerToken *token_free(ManagerToken *token) {
        if (!token)
                return NULL;
        for (size_t i = 0; i < token->anchors.n; i++)
                free(token->anchors.items[i].unit);
        vector_deinit(&token->anchors);
        vector_deinit(&token->others);
        free(token->name);
        free(token);
        return NULL;
}
DEFINE_CLEANUP(ManagerToken, token_free)

bool manager_token_is_valid(const char *name) {
        size_t n = strlen(name);

        for (const char *c = name; *c; c++)
                if (*c <= ' ' || *c > '~')
                        return false;
        return n > 0 && n <= MANAGER_TOKEN_LENGTH_MAX;
}

/* — the ring — */

static size_t count_jobs(const ManagerToken *token) {
        return token->anchors.n + token->others.n;
}

static void remove_first(ManagerTokens *tokens) {
        ManagerToken **first = &tokens->ring[tokens->first % MANAGER_TOKENS_MAX];

        if (*first) {
                tokens->n_jobs -= count_jobs(*first);
                state_mark(tokens->state, STORE_MANAGER, record_of(tokens->first));
        }
        *first = token_free(*first);
        tokens->first++;
}

static bool is_over(const ManagerToken *token, usec_t now) {
        return !token || usec_add(token->time, MANAGER_TOKEN_KEPT) <= now;
}

static void remove_old(ManagerTokens *tokens, usec_t now) {
        while (tokens->first < tokens->behind &&
               is_over(tokens->ring[tokens->first % MANAGER_TOKENS_MAX], now))
                remove_first(tokens);
}

static void add(ManagerTokens *tokens, ManagerToken *token) {
        size_t place = token->number % MANAGER_TOKENS_MAX;

        assert(!tokens->ring[place]);

        tokens->ring[place] = token;
        tokens->hashes[place] = hash_of(token->name, token->uid);
        tokens->n_jobs += count_jobs(token);
}

const ManagerToken *manager_tokens_find(ManagerTokens *tokens, const char *name, uid_t uid, usec_t now) {
        uint32_t hash = hash_of(name, uid);

        remove_old(tokens, now);
        for (uint64_t number = tokens->first; number < tokens->behind; number++) {
                size_t place = number % MANAGER_TOKENS_MAX;
                const ManagerToken *token = tokens->ring[place];

                if (tokens->hashes[place] == hash && token && token->uid == uid && strcmp(token->name, name) == 0)
                        return token;
        }
        return NULL;
}

static int add_anchor(ManagerToken *token, uint32_t id, const char *unit, JobType type) {
        ManagerTokenJob job = { .unit = strdup(unit), .id = id, .type = type };

        if (job.unit && vector_push(&token->anchors, job) == 0)
                return 0;
        free(job.unit);
        return -ENOMEM;
}

static int add_other(ManagerToken *token, uint32_t id) {
        ManagerTokenRun *last = token->others.n > 0 ? &vector_last(&token->others) : NULL;

        if (last && last->first + last->n == id) {
                last->n++;
                return 0;
        }
        return vector_push(&token->others, ((ManagerTokenRun) { .first = id, .n = 1 }));
}

static int add_jobs(ManagerToken *token, const JobPlan *plan) {
        int r = 0;

        for (size_t i = 0; i < plan->jobs.n && r == 0; i++) {
                const JobPlanJob *job = &plan->jobs.items[i];

                if (job->is_anchor)
                        r = add_anchor(token, job->id, job->unit, job->type);
                else if (job->id != JOB_ID_NONE)
                        r = add_other(token, job->id);
        }
        return r;
}

int manager_tokens_add(ManagerTokens *tokens, const char *name, uid_t uid, uint64_t request, const JobPlan *plan,
                       usec_t now) {
        cleanup_(token_freep) ManagerToken *token = calloc(1, sizeof(*token));

        assert(manager_token_is_valid(name));

        if (!token)
                return -ENOMEM;
        *token = (ManagerToken) {
                .name = strdup(name),
                .uid = uid,
                .request = request,
                .number = tokens->behind,
                .time = now,
                .transaction = plan->transaction,
        };
        if (!token->name || add_jobs(token, plan) < 0)
                return -ENOMEM;
        while (tokens->first < tokens->behind && (tokens->behind - tokens->first >= MANAGER_TOKENS_MAX ||
                                                  tokens->n_jobs + count_jobs(token) > MANAGER_TOKEN_JOBS_MAX))
                remove_first(tokens);
        add(tokens, take_ptr(token));
        state_mark(tokens->state, STORE_MANAGER, record_of(tokens->behind));
        tokens->behind++;
        return 0;
}

void manager_tokens_deinit(ManagerTokens *tokens) {
        for (size_t i = 0; i < MANAGER_TOKENS_MAX; i++)
                token_free(tokens->ring[i]);
        *tokens = (ManagerTokens) {};
}

/* — records — */

static const ManagerToken *token_of(const ManagerTokens *tokens, uint32_t record) {
        uint32_t place = (record - MANAGER_RECORD_TOKENS) / RECORDS_A_TOKEN;

        return place < MANAGER_TOKENS_MAX && record == record_of(place) ? tokens->ring[place] : NULL;
}

void manager_tokens_write(const ManagerTokens *tokens, uint32_t record, RecordWriter *writer) {
        const ManagerToken *token = token_of(tokens, record);

        if (!token)
                return;
        record_put_string(writer, token->name);
        record_put(writer, token->uid);
        record_put(writer, token->request);
        record_put(writer, token->number);
        record_put(writer, token->time);
        record_put(writer, token->transaction);
        record_put(writer, token->anchors.n);
        for (size_t i = 0; i < token->anchors.n; i++) {
                record_put(writer, token->anchors.items[i].id);
                record_put_string(writer, token->anchors.items[i].unit);
                record_put(writer, (uint64_t) token->anchors.items[i].type);
        }
        record_put(writer, token->others.n);
        for (size_t i = 0; i < token->others.n; i++) {
                record_put(writer, token->others.items[i].first);
                record_put(writer, token->others.items[i].n);
        }
}

bool manager_tokens_next(const ManagerTokens *tokens, uint32_t record, uint32_t *ret_record) {
        uint32_t place = record <= MANAGER_RECORD_TOKENS ? 0 :
                         (record - MANAGER_RECORD_TOKENS + RECORDS_A_TOKEN - 1) / RECORDS_A_TOKEN;

        while (place < MANAGER_TOKENS_MAX && !tokens->ring[place])
                place++;
        *ret_record = record_of(place);
        return place < MANAGER_TOKENS_MAX;
}

static int read_jobs(ManagerToken *token, RecordReader *reader) {
        int r = 0;

        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed && r == 0; n--) {
                uint32_t id = (uint32_t) record_get_below(reader, UINT32_MAX);
                const char *unit = record_get_string(reader);
                JobType type = (JobType) record_get_below(reader, _JOB_TYPE_MAX);

                r = unit ? add_anchor(token, id, unit, type) : -EBADMSG;
        }
        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed && r == 0; n--) {
                ManagerTokenRun run = { .first = (uint32_t) record_get_below(reader, UINT32_MAX) };

                run.n = (uint32_t) record_get_below(reader, RUN_MAX);
                r = vector_push(&token->others, run);
        }
        return reader->has_failed ? -EBADMSG : r;
}

int manager_tokens_read(ManagerTokens *tokens, uint32_t record, RecordReader *reader) {
        cleanup_(token_freep) ManagerToken *token = calloc(1, sizeof(*token));
        int r;

        if (!token)
                return -ENOMEM;
        token->name = record_get_string_copy(reader);
        token->uid = (uid_t) record_get(reader);
        token->request = record_get(reader);
        token->number = record_get_below(reader, UINT64_MAX);
        token->time = record_get(reader);
        token->transaction = record_get(reader);
        r = read_jobs(token, reader);
        if (r < 0)
                return r;
        if (!token->name || record_of(token->number) != record || token_of(tokens, record))
                return -EBADMSG;

        tokens->first = tokens->behind == 0 ? token->number : MIN(tokens->first, token->number);
        tokens->behind = MAX(tokens->behind, token->number + 1);
        add(tokens, take_ptr(token));
        return tokens->behind - tokens->first <= MANAGER_TOKENS_MAX ? 0 : -EBADMSG;
}
