/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The keeper
 *
 * The one process of jobd that must not die. It starts core and starts it
 * again when it ends, reaps every orphan and keeps the exits that core has not
 * taken, holds descriptors for core, and passes signals on. Core does all the
 * rest.
 *
 * Everything is in one structure of fixed size, made at the start; nothing is
 * allocated after that, nothing is parsed, and nothing waits but the poll() of
 * the loop. A failure of the kernel is survived: what could not be done is done
 * later, or told to core.
 */

#include <stdbool.h>
#include <signal.h>
#include <sys/resource.h>

#include "keeper/exit_ring.h"
#include "keeper/fd_store.h"
#include "keeper/keeper_parent.h"
#include "keeper/keeper_protocol.h"

#define KEEPER_NEVER UINT64_MAX
#define KEEPER_SEC UINT64_C(1000000)            /* µs */

/* Five deaths within a minute, each before core was ready: it will not get ready by another try. */
#define KEEPER_DEATHS_MAX 5U
#define KEEPER_DEATHS_TIME (60 * KEEPER_SEC)

/* What a core that executes itself has to become ready. */
#define KEEPER_REEXEC_TIME (10 * KEEPER_SEC)

/* Until the next try, where the kernel had no process or memory for us. */
#define KEEPER_RETRY_TIME (KEEPER_SEC / 10)

/* Descriptors that we want to have ourselves: a core that died is not started again without any. */
#define KEEPER_OWN_FDS 16

/* What has been said to a core since its HELLO. */
typedef enum KeeperStage {
        KEEPER_SILENT,
        KEEPER_WELCOMES,
        KEEPER_HANDS_OVER,              /* descriptors, then exits */
        KEEPER_GOES_ALONG,
} KeeperStage;

typedef struct Keeper {
        /* given at the start */
        const char *program;            /* of core */
        char *const *argv;
        bool is_machine;                /* PID 1 of a machine: must not end */
        int signal_fd;
        struct rlimit limit;            /* of descriptors, as we were started with */
        int fds_below;                  /* higher ones are not held for core */
        KeeperParent parent;            /* who wants to know how we are */

        /* core */
        pid_t core;                     /* 0: none runs */
        pid_t rescue;                   /* the shell on the console; 0: none runs */
        int link;                       /* our end of the socket, -1 without core */
        int image;                      /* the program that became ready last (O_PATH), or -1 */
        bool is_ready;
        bool has_served;                /* some core was ready */
        bool may_exit;                  /* core has asked for it */
        int exit_status;
        unsigned n_tries;               /* starts since a core was ready */
        uint64_t n_starts;
        uint32_t flags;                 /* KeeperFlags for the next WELCOME */
        uint64_t start_at;              /* µs: when to start it; KEEPER_NEVER while it runs */
        uint64_t ready_by;              /* µs: after REEXEC */
        uint64_t deaths[KEEPER_DEATHS_MAX];     /* times of the last ones before it was ready, a ring */
        unsigned n_deaths;
        uint64_t held_signals;          /* bit n - 1: came while there was no core */

        /* what is to be sent */
        KeeperStage stage;
        size_t next_fd;
        uint64_t next_exit;             /* sequence number */
        KeeperMessage answer;           /* kind 0: none */
        int answer_fd;                  /* that goes along with it; -1: none; borrowed from .fds */
        uint64_t send_at;               /* µs: not before, after the kernel was short of memory */

        ExitRing exits;
        FdStore fds;
} Keeper;

/* µs, CLOCK_MONOTONIC. */
uint64_t keeper_now(void);

/* One line on standard error. */
void keeper_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* — keeper_core.c: the process — */

/* Starts core if it is time, kills one that was not ready in time. */
void keeper_tend_core(Keeper *keeper, uint64_t now);

/* Core has ended, and all that it had written was read. True: the keeper shall end, with exit_status. */
bool keeper_core_ended(Keeper *keeper, int status, uint64_t now);

/* The next time at which keeper_tend_core() has something to do. */
uint64_t keeper_next_time(const Keeper *keeper);

/* The running core is the one to go back to. */
void keeper_note_image(Keeper *keeper);

/* — keeper_talk.c: what is said — */

/* As many as a turn allows; true if there may be more. */
bool keeper_read_requests(Keeper *keeper, uint64_t now);

/* Core has ended: reads all that it left behind, which may be that we shall end, too. */
void keeper_read_last_words(Keeper *keeper, uint64_t now);
void keeper_send(Keeper *keeper, uint64_t now);

/* Is there something that keeper_send() could send once core has read? */
bool keeper_has_to_send(const Keeper *keeper);
void keeper_close_link(Keeper *keeper);
