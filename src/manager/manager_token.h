/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Requests that can be made again
 *
 * Who got no answer, since the manager died, does not know whether it was asked.
 * With a token he may ask again: what was done under it is not done again but
 * answered again. The last MANAGER_TOKENS_MAX are remembered, for
 * MANAGER_TOKEN_KEPT, by a successor, too; fewer if they asked for very much.
 * What was refused changed nothing, and is not remembered.
 */

#include <sys/types.h>

#include "job/job_plan.h"
#include "manager/manager.h"

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
        uid_t uid;                      /* who has asked; tokens of others are others */
        uint64_t request;               /* a hash of what he asked for */
        uint64_t number;                /* of all tokens there ever were */
        usec_t time;
        uint64_t transaction;
        VECTOR(ManagerTokenJob) anchors;
        VECTOR(ManagerTokenRun) others; /* ids of what they pulled in: consecutive ones, mostly */
} ManagerToken;

typedef struct ManagerTokens {
        ManagerToken *ring[MANAGER_TOKENS_MAX];         /* owned, by number */
        uint32_t hashes[MANAGER_TOKENS_MAX];            /* of name and uid */
        uint64_t first, behind;                         /* numbers */
        size_t n_jobs;
} ManagerTokens;

/* 1 to MANAGER_TOKEN_LENGTH_MAX bytes of printable ASCII without spaces. */
bool manager_token_is_valid(const char *name);

/* What was done under it, or NULL. Valid until the next of these calls. */
const ManagerToken *manager_find_token(Manager *manager, const char *name, uid_t uid);

/* Something was: 0, or -ENOMEM, and it is not remembered. It must not be there. */
int manager_add_token(Manager *manager, const char *name, uid_t uid, uint64_t request, const JobPlan *plan);

/* — as part of the state — */

void manager_write_token(const Manager *manager, uint32_t record, RecordWriter *writer);
bool manager_next_token(const Manager *manager, uint32_t record, uint32_t *ret_record);
int manager_read_token(Manager *manager, uint32_t record, RecordReader *reader);         /* 0, -EBADMSG, -ENOMEM */
void manager_drop_tokens(Manager *manager);
