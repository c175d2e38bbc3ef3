/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The protocol between keeper and core
 *
 * One KeeperMessage is one packet on a socketpair (SOCK_SEQPACKET); core
 * finds its end as descriptor KEEPER_FD. All packets have the same size;
 * fields that are not named for a kind are zero. Both sides have one version;
 * the keeper answers -EPROTO to another version and continues with the state
 * that it holds.
 *
 * After its execution core sends HELLO and receives WELCOME, a DESCRIPTOR for
 * each held descriptor, an ENDED for each unacknowledged exit, and ALL_SENT.
 * From then on exits are sent as they happen. Each request with a serial gets
 * an ANSWER, in order, and after all exits that the keeper knew when it read
 * the request.
 */

#include <stdint.h>

#define KEEPER_VERSION 1U
#define KEEPER_FD 9
#define KEEPER_VARIABLE "JOBD_KEEPER_PID"    /* in core's environment: the pid of the keeper, parent of core */
/* In core's environment, if it could be read: the OOM score adjustment that jobd was started with. */
#define KEEPER_SCORE_VARIABLE "JOBD_OOM_SCORE_ADJ"
#define KEEPER_NAME_BYTES 192U

typedef enum KeeperKind {
        /* from core */
        KEEPER_HELLO = 1,               /* value: KEEPER_VERSION */
        KEEPER_READY,                   /* core serves: later deaths are those of a working core */
        /*
         * name, and one descriptor (SCM_RIGHTS), which replaces the one of that name. Only descriptors that close
         * without blocking: pipes, sockets that do not linger, memory; no files of FUSE or NFS, which are contacted on
         * close. -EBADF without a descriptor, -EMFILE or -ENOSPC without room.
         */
        KEEPER_STORE,
        KEEPER_DROP,                    /* name */
        KEEPER_TAKEN,                   /* value: acknowledges exits up to this sequence number */
        KEEPER_REEXEC,                  /* core is about to execute itself and will send HELLO again */
        KEEPER_EXIT,                    /* status: the exit status of the keeper, which exits once core has ended */
        KEEPER_NOTIFY,                  /* name: text for sd_notify(3), to the parent of jobd */

        /* from the keeper */
        KEEPER_WELCOME,                 /* value: the number of starts of core; flags: KeeperFlags */
        KEEPER_DESCRIPTOR,              /* name, and the descriptor */
        KEEPER_ENDED,                   /* pid, code (CLD_…), status, time, value: the sequence number */
        KEEPER_ALL_SENT,                /* all that was held when HELLO came; value: the next sequence number */
        KEEPER_ANSWER,                  /* serial and name of the request; error: 0 or a negative errno */

        /*
         * From core to a keeper with KEEPER_FLAG_ACCEPTS: name, and a non-blocking listening socket (SCM_RIGHTS). The
         * keeper holds the accepted connection under the name and sends it along with the answer, so that there is no
         * moment in which only core has it. The error is that of accept(): -EAGAIN without a connection. Nothing is
         * accepted that could not be held: -EMFILE, -ENOSPC, -EINVAL as for STORE, -EBADF also for a blocking socket.
         */
        KEEPER_ACCEPT,

        /*
         * From core to a keeper with KEEPER_FLAG_WATCHES: value: µs after which a core that does not answer is ended;
         * 0: it is not watched any more. Nor is one that executes itself, until it is ready and asks again.
         */
        KEEPER_WATCH,
        KEEPER_ASKED,                   /* from the keeper: does core serve? */
        KEEPER_SERVES,                  /* the answer, as is any other message of core */
        _KEEPER_KIND_MAX,
} KeeperKind;

typedef enum KeeperFlags {
        KEEPER_FLAG_CORE_DIED = 1 << 0, /* the core before this one did not end on its own request */
        KEEPER_FLAG_EXITS_LOST = 1 << 1, /* some exits are unknown: more processes ended than the ring holds */
        KEEPER_FLAG_FELL_BACK = 1 << 2, /* a new program of core did not become ready: this is the one before it */
        KEEPER_FLAG_AGAIN = 1 << 3,     /* a core was ready before and may have left state behind */
        KEEPER_FLAG_ACCEPTS = 1 << 4,   /* the keeper knows KEEPER_ACCEPT; one from before an upgrade may not */
        KEEPER_FLAG_WATCHES = 1 << 5,   /* … KEEPER_WATCH */
} KeeperFlags;

typedef struct KeeperMessage {
        uint32_t kind;
        uint32_t serial;                /* 0: no answer is wanted */
        uint32_t flags;
        int32_t error;
        int32_t pid;
        int32_t code;
        int32_t status;
        int32_t padding;
        uint64_t value;
        uint64_t time;                  /* µs, CLOCK_MONOTONIC */
        char name[KEEPER_NAME_BYTES];   /* ends with a NUL */
} KeeperMessage;

_Static_assert(sizeof(KeeperMessage) == 48 + KEEPER_NAME_BYTES, "a packet has no holes");
