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
        const char *folder;             /* borrowed: folder for the socket's file */
        ManagerNotifyReceiver receiver;
        void *userdata;                 /* borrowed */
        int fd;                         /* owned; -1: none */
        char *path;                     /* owned: value of NOTIFY_SOCKET; NULL: none */
        sd_event_source *source;        /* owned */
        bool peeks;                     /* messages stay in the socket until they are in the state */
        unsigned n_peeked;              /* messages that were read and are still in the socket */
        bool has_heard;                 /* the socket was served in this turn */
        RateLimit complaints;           /* limits warnings about useless datagrams */
} ManagerNotify;

/* Opens the socket, or takes it over. 0, or a negative errno with @ret_failure. */
int manager_notify_open(ManagerNotify *notify, Failure *ret_failure);
/* @stays: the next core uses the file. */
void manager_notify_close(ManagerNotify *notify, bool stays);

bool manager_notify_read(ManagerNotify *notify, unsigned budget);       /* true if there may be more */
void manager_notify_rank(ManagerNotify *notify);        /* at the end of a turn: sets the socket's priority */

/* From here on a message that was read stays in the socket until it is dropped, after a commit. */
void manager_notify_peek(ManagerNotify *notify);
void manager_notify_drop_peeked(ManagerNotify *notify);
