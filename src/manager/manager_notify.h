/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The notify socket: datagrams of sd_notify(3)
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/failure.h"
#include "basic/rate_limit.h"
#include "process/process_keeper.h"
#include "manager/manager_turn.h"

/* Passed descriptors that the receiver keeps become -1; the others are closed. */
typedef void (*ManagerNotifyReceiver)(void *userdata, pid_t sender, char *const *assignments, int *fds, size_t n_fds);

typedef struct ManagerNotify {
        ManagerTurn *turn;              /* borrowed */
        const ProcessKeeper *keeper;    /* borrowed: keeps the socket */
        const char *folder;             /* borrowed: where the socket's file is, if it can have one */
        ManagerNotifyReceiver receiver;
        void *userdata;                 /* borrowed */
        int fd;                         /* owned; -1: there is none */
        char *path;                     /* owned: value of NOTIFY_SOCKET; NULL if there is none */
        sd_event_source *source;        /* owned */
        bool peeks;                     /* messages are taken out of the socket when they are in the state */
        unsigned n_peeked;              /* those that were read and are still in it */
        bool has_heard;                 /* this turn was for the socket */
        RateLimit complaints;           /* of datagrams that are no use */
} ManagerNotify;

/* Opens the socket, or takes it over. 0, or a negative errno with @ret_failure. */
int manager_notify_open(ManagerNotify *notify, Failure *ret_failure);
/* @stays: a successor goes on with its file. */
void manager_notify_close(ManagerNotify *notify, bool stays);

bool manager_notify_read(ManagerNotify *notify, unsigned budget);       /* true if there may be more */
void manager_notify_rank(ManagerNotify *notify);        /* at the end of a turn: when is its source served next? */

/* From here on what is read stays in the socket until it is dropped: after a commit. */
void manager_notify_peek(ManagerNotify *notify);
void manager_notify_drop_peeked(ManagerNotify *notify);
