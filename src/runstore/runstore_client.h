/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Core's end of the store of runs
 *
 * Nothing here waits: frames are queued, and leave when the socket takes
 * them. A batch or collection stays in the queue until it is durable; after
 * the loss of the link it is sent again over the next one, with the same
 * number, and the store ignores what it knows. So neither the death of the
 * store nor that of the link loses or doubles anything.
 *
 * Calls back from runstore_client_serve() only. A function called back may
 * call all functions here but runstore_client_free().
 */

#include "basic/macro.h"
#include "runstore/runstore_batch.h"

typedef struct RunStoreClient RunStoreClient;

typedef struct RunStoreClientOps {
        /* The store can be written and asked. @has_lost: it has another file than before, without what was durable. */
        void (*welcomed)(void *userdata, const RunStoreWelcome *welcome, bool has_lost);
        void (*accepted)(void *userdata, uint64_t number);      /* all up to it */
        void (*durable)(void *userdata, uint64_t number);       /* all up to it */
        /*
         * @number 0: about the store. Otherwise that batch, collection or query is given up. A refusal of HELLO, or a
         * malformed frame, ends the link.
         */
        void (*refused)(void *userdata, uint64_t number, const RunStoreRefusal *refusal);
        void (*stored)(void *userdata, uint64_t number, const uint8_t hash[static RUNSTORE_HASH_BYTES], uint64_t n);
        void (*rows)(void *userdata, uint64_t number, RunStorePage *page);
} RunStoreClientOps;

/* @instance: of this core, random and not 0; 0: it only reads. -ENOMEM. */
int runstore_client_new(RunStoreClient **ret_client, uint64_t instance, const RunStoreClientOps *ops, void *userdata);
RunStoreClient *runstore_client_free(RunStoreClient *client);
DEFINE_CLEANUP(RunStoreClient, runstore_client_free)

/* A socket for runstore_client_attach(): 0, or -errno; -EAGAIN if many others are waiting there. */
int runstore_connect(const char *path, int *ret_fd);

/* Takes a connected socket, also after an error: 0 or -ENOMEM. The link before is closed. */
int runstore_client_attach(RunStoreClient *client, int fd);
bool runstore_client_is_attached(const RunStoreClient *client);
int runstore_client_fd(const RunStoreClient *client);           /* -1: not attached */
short runstore_client_events(const RunStoreClient *client);     /* for poll() */

/*
 * Sends and reads what it can: 0, or an error with which the link is closed (-ECONNRESET: by the store). Then attach
 * another one.
 */
int runstore_client_serve(RunStoreClient *client);
/* Sends what it can, and reads only if that fails: for a caller whom poll() tells that there is an answer. As above. */
int runstore_client_send(RunStoreClient *client);

/*
 * A batch: operations are put (runstore_batch.h) between begin and end. Returns its number by @ret_number.
 * -ENOTCONN before the first welcome: the numbers are not known yet; -EROFS for a client that only reads; -ENOMEM and
 * -EMSGSIZE from end, and then nothing was queued.
 */
int runstore_client_begin(RunStoreClient *client, RecordWriter **ret_writer);
int runstore_client_end(RunStoreClient *client, uint64_t *ret_number);
/*
 * Before rows of streams are put into the batch: they change what earlier ones have put, and are left out if one of
 * these is refused. Batches that begin after .refused was called do not stand behind that refusal any more.
 */
void runstore_client_put_after(RunStoreClient *client);

/*
 * Stores what is in the regular file @fd, of which the client keeps a copy, up to @n_max bytes. It stays as long as the
 * rows of @run, or of another run that has the same. Errors as above.
 */
int runstore_client_collect(RunStoreClient *client, int fd, uint64_t n_max, uint32_t run, uint64_t *ret_number);

/* Asks; after the loss of the link it is refused. -ENOTCONN, -ENOMEM. */
int runstore_client_query(RunStoreClient *client, const RunStoreQuery *query, uint64_t *ret_number);

/* Bytes of batches that are not durable, for back-pressure: the files of collections do not count. */
size_t runstore_client_bytes(const RunStoreClient *client);
