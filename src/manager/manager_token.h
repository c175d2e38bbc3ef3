/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Requests that can be made again
 *
 * A client that got no answer, since the manager died, does not know whether
 * its request was executed. With a token the client may ask again: the request
 * is not executed again, but answered again. The last MANAGER_TOKENS_MAX
 * tokens are remembered, for MANAGER_TOKEN_KEPT, by a successor, too; fewer if
 * they asked for very much. A request that was refused changed nothing, and is
 * not remembered.
 */

#include <sys/types.h>

#include "basic/usec.h"
#include "basic/vector.h"
#include "job/job_plan.h"
#include "state/state.h"

#define MANAGER_TOKENS_MAX 1000U
#define MANAGER_TOKEN_LENGTH_MAX 128U
#define MANAGER_TOKEN_KEPT (10 * USEC_PER_MINUTE)
#define MANAGER_TOKEN_JOBS_MAX 50000U           /* of all of them, unless it is the newest alone */

typedef struct ManagerTokenJob {
        char *unit;                     /* owned */
        uint32_t id;                    /* JOB_ID_NONE: there was nothing to do */
        JobType type;
} ManagerTokenJob;

typedef struct ManagerTokenRun {
        uint32_t first, n;
} ManagerTokenRun;

typedef struct ManagerToken {
        char *name;                     /* owned */
        uid_t uid;                      /* of the client; another user's token is another one */
        uint64_t request;               /* a hash of what was asked for */
        uint64_t number;                /* of all tokens there ever were */
        usec_t time;
        uint64_t transaction;
        VECTOR(ManagerTokenJob) anchors;
        VECTOR(ManagerTokenRun) others; /* ids of what they pulled in: consecutive ones, mostly */
} ManagerToken;

typedef struct ManagerTokens {
        State *state;                   /* borrowed */
        ManagerToken *ring[MANAGER_TOKENS_MAX];         /* owned, by number */
        uint32_t hashes[MANAGER_TOKENS_MAX];            /* of name and uid */
        uint64_t first, behind;                         /* numbers */
        size_t n_jobs;
} ManagerTokens;

/* 1 to MANAGER_TOKEN_LENGTH_MAX bytes of printable ASCII without spaces. */
bool manager_token_is_valid(const char *name);

/* What was done under it, or NULL. Valid until the next of these calls. @now: CLOCK_MONOTONIC. */
const ManagerToken *manager_tokens_find(ManagerTokens *tokens, const char *name, uid_t uid, usec_t now);

/* Remembers what was done: 0, or -ENOMEM, and it is not remembered. The token must not be there. */
int manager_tokens_add(ManagerTokens *tokens, const char *name, uid_t uid, uint64_t request, const JobPlan *plan,
                       usec_t now);
void manager_tokens_deinit(ManagerTokens *tokens);

/* — as part of the state: a record each — */

void manager_tokens_write(const ManagerTokens *tokens, uint32_t record, RecordWriter *writer);
bool manager_tokens_next(const ManagerTokens *tokens, uint32_t record, uint32_t *ret_record);
int manager_tokens_read(ManagerTokens *tokens, uint32_t record, RecordReader *reader);   /* 0, -EBADMSG, -ENOMEM */
