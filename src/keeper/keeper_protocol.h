/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the keeper and core say to each other
 *
 * One KeeperMessage is one packet on a socketpair (SOCK_SEQPACKET); core finds
 * its end as descriptor KEEPER_FD. All packets have the same size, and what is
 * not named for a kind is zero. Both sides are of one version; a keeper that is
 * told another one answers -EPROTO and goes on with what it holds.
 *
 * A core that has just been executed says HELLO and gets WELCOME, a DESCRIPTOR
 * for each descriptor that is held, an ENDED for each exit that has not been
 * taken, and ALL_SENT. From then on exits come as they happen. Each request
 * with a serial is answered by an ANSWER, in order, and behind all exits that
 * the keeper knew of when it read the request.
 */

#include <stdint.h>

#define KEEPER_VERSION 1U
#define KEEPER_FD 9
#define KEEPER_VARIABLE "JOBD_KEEPER_PID"    /* in core's environment: KEEPER_FD is from its parent, which has this pid */
#define KEEPER_NAME_BYTES 192U

typedef enum KeeperKind {
        /* from core */
        KEEPER_HELLO = 1,               /* value: KEEPER_VERSION */
        KEEPER_READY,                   /* it serves: from now on its death is one of a working core */
        /*
         * name, and one descriptor (SCM_RIGHTS): replaces what had that name. Only what is closed without a wait: pipes,
         * sockets that do not linger, memory; no file of a file system that is asked at the end, such as FUSE or NFS.
         * -EBADF without one, -EMFILE or -ENOSPC if there is no room.
         */
        KEEPER_STORE,
        KEEPER_DROP,                    /* name */
        KEEPER_TAKEN,                   /* value: exits up to this sequence number may be forgotten */
        KEEPER_REEXEC,                  /* core is about to execute itself, and will say HELLO again */
        KEEPER_EXIT,                    /* status: the keeper ends with it, once core has ended */
        KEEPER_NOTIFY,                  /* name: what sd_notify(3) would send: who started us hears only the keeper */

        /* from the keeper */
        KEEPER_WELCOME,                 /* value: how often core was started; flags: KeeperFlags */
        KEEPER_DESCRIPTOR,              /* name, and the descriptor */
        KEEPER_ENDED,                   /* pid, code (CLD_…), status, time, value: its sequence number */
        KEEPER_ALL_SENT,                /* the end of what was held when HELLO came */
        KEEPER_ANSWER,                  /* serial and name of the request; error: 0 or a negative errno */

        /*
         * From core to a keeper that has KEEPER_FLAG_ACCEPTS: name, and a listening socket (SCM_RIGHTS) that does not block.
         * What comes out of it is held under the name, and goes along with the answer: there is no moment in which core
         * alone has it. The error is that of accept(), -EAGAIN if nobody waits; or nothing was accepted, since it could not
         * be held: -EMFILE, -ENOSPC, -EINVAL as for STORE, -EBADF also if it blocks.
         */
        KEEPER_ACCEPT,
        _KEEPER_KIND_MAX,
} KeeperKind;

typedef enum KeeperFlags {
        KEEPER_FLAG_CORE_DIED = 1 << 0, /* the core before this one did not end by a request of its own */
        KEEPER_FLAG_EXITS_LOST = 1 << 1, /* more processes ended than could be kept: some exits are unknown */
        KEEPER_FLAG_FELL_BACK = 1 << 2, /* a new image of core did not become ready: this is the one before it */
        KEEPER_FLAG_AGAIN = 1 << 3,     /* a core has been ready before, and may have left something */
        KEEPER_FLAG_ACCEPTS = 1 << 4,   /* it knows KEEPER_ACCEPT: one that runs since before an upgrade may not */
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
