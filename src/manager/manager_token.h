/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Requests that can be repeated under a token
 *
 * A client that got no answer because the manager died does not know whether
 * its request was executed. With a token it may repeat the request, which is
 * then answered again, but not executed again. The last MANAGER_TOKENS_MAX
 * tokens are kept for MANAGER_TOKEN_KEPT, also by the next core; fewer if they
 * had very many jobs. A refused request has changed nothing, and its token is
 * not kept.
 */

#include <sys/types.h>

#include "basic/usec.h"
#include "basic/vector.h"
#include "job/job_plan.h"
#include "state/state.h"

#define MANAGER_TOKENS_MAX 1000U
#define MANAGER_TOKEN_LENGTH_MAX 128U
#define MANAGER_TOKEN_KEPT (10 * USEC_PER_MINUTE)
#define MANAGER_TOKEN_JOBS_MAX 50000U           /* of all tokens, except for the newest */

typedef struct ManagerTokenJob {
        char *unit;                     /* owned */
        uint32_t id;                    /* JOB_ID_NONE: no job was needed */
        JobType type;
} ManagerTokenJob;

typedef struct ManagerTokenRun {
        uint32_t first, n;
} ManagerTokenRun;

typedef struct ManagerToken {
        char *name;                     /* owned */
        uid_t uid;                      /* of the client; users have separate tokens */
        uint64_t request;               /* hash of the request */
        uint64_t number;                /* counted over all tokens ever */
        usec_t time;
        uint64_t transaction;
        VECTOR(ManagerTokenJob) anchors;
        VECTOR(ManagerTokenRun) others; /* ids of the jobs they pulled in, mostly consecutive */
} ManagerToken;

typedef struct ManagerTokens {
        State *state;                   /* borrowed */
        ManagerToken *ring[MANAGER_TOKENS_MAX];         /* owned, by number */
        uint32_t hashes[MANAGER_TOKENS_MAX];            /* of name and uid */
        uint64_t first, behind;                         /* range of numbers */
        size_t n_jobs;
} ManagerTokens;

/* 1 to MANAGER_TOKEN_LENGTH_MAX bytes of printable ASCII without spaces. */
bool manager_token_is_valid(const char *name);

/* The result of the request with this token, or NULL. Valid until the next of these calls. @now: CLOCK_MONOTONIC. */
const ManagerToken *manager_tokens_find(ManagerTokens *tokens, const char *name, uid_t uid, usec_t now);

/* Stores the result of a request: 0, or -ENOMEM with nothing stored. The token must be new. */
int manager_tokens_add(ManagerTokens *tokens, const char *name, uid_t uid, uint64_t request, const JobPlan *plan,
                       usec_t now);
void manager_tokens_deinit(ManagerTokens *tokens);

/* — as part of the state: a record each — */

void manager_tokens_write(const ManagerTokens *tokens, uint32_t record, RecordWriter *writer);
bool manager_tokens_next(const ManagerTokens *tokens, uint32_t record, uint32_t *ret_record);
int manager_tokens_read(ManagerTokens *tokens, uint32_t record, RecordReader *reader);   /* 0, -EBADMSG, -ENOMEM */
