/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The keeper
 *
 * The one process of jobd that must not die. It starts core and starts it
 * again when it ends, reaps orphans and keeps the exits that core has not
 * acknowledged, holds descriptors for core, and passes signals on. It ends a
 * core that does not serve any more. Core does everything else.
 *
 * The whole state is one structure of fixed size. After the start nothing is
 * allocated, nothing is parsed but the state of a core that does not answer,
 * and only the poll() of the loop blocks. A failed system call is retried later
 * or reported to core.
 */

#include <stdbool.h>
#include <signal.h>
#include <sys/resource.h>

#include "keeper/exit_ring.h"
#include "keeper/fd_store.h"
#include "keeper/keeper_parent.h"
#include "keeper/keeper_protocol.h"
#include "keeper/keeper_watch.h"

#define KEEPER_NEVER UINT64_MAX
#define KEEPER_SEC UINT64_C(1000000)            /* µs */

/* After five deaths within a minute before core was ready, another try is useless. */
#define KEEPER_DEATHS_MAX 5U
#define KEEPER_DEATHS_TIME (60 * KEEPER_SEC)

/* The time that core has to become ready after executing itself. */
#define KEEPER_REEXEC_TIME (10 * KEEPER_SEC)

/* The delay of the next try when the kernel was short of processes or memory. */
#define KEEPER_RETRY_TIME (KEEPER_SEC / 10)

/* Descriptors reserved for the keeper itself, which needs some to start core again. */
#define KEEPER_OWN_FDS 16

/* The progress of the messages to a core since its HELLO. */
typedef enum KeeperStage {
        KEEPER_SILENT,
        KEEPER_WELCOMES,
        KEEPER_HANDS_OVER,              /* sends descriptors, then exits */
        KEEPER_GOES_ALONG,
} KeeperStage;

typedef struct Keeper {
        /* given at the start */
        const char *program;            /* of core */
        char *const *argv;
        bool is_machine;                /* PID 1 of a machine: must not end */
        int signal_fd;
        struct rlimit limit;            /* the limit of descriptors that jobd was started with */
        char score[16];                 /* … and its OOM score adjustment, as text; empty: unknown, or as it is */
        int fds_below;                  /* descriptors from this number on are not held for core */
        KeeperParent parent;            /* receives status notifications */

        /* core */
        pid_t core;                     /* 0: none runs */
        pid_t rescue;                   /* the shell on the console; 0: none runs */
        int link;                       /* the keeper's end of the socket, -1 without core */
        int image;                      /* the program of the last core that was ready (O_PATH), or -1 */
        bool is_ready;
        bool has_served;                /* some core was ready */
        bool may_exit;                  /* core has requested it */
        int exit_status;
        unsigned n_tries;               /* starts since a core was ready */
        uint64_t n_starts;
        uint32_t flags;                 /* KeeperFlags for the next WELCOME */
        uint64_t start_at;              /* µs: the time of the next start; KEEPER_NEVER while core runs */
        uint64_t ready_by;              /* µs: the limit after REEXEC */
        uint64_t deaths[KEEPER_DEATHS_MAX];     /* times of the last deaths before core was ready, a ring */
        unsigned n_deaths;
        uint64_t held_signals;          /* bit n - 1: signal n came while there was no core */
        KeeperWatch watch;

        /* messages to send */
        KeeperStage stage;
        size_t next_fd;
        uint64_t next_exit;             /* sequence number */
        KeeperMessage answer;           /* kind 0: none */
        int answer_fd;                  /* the descriptor of the answer; -1: none; borrowed from .fds */
        uint64_t send_at;               /* µs: the time of the next try after the kernel was short of memory */

        ExitRing exits;
        FdStore fds;
} Keeper;

/* — keeper_log.c, keeper_image.c — */

/* One line on standard error. */
void keeper_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Records the program of the running core as the one to fall back to. */
void keeper_note_image(Keeper *keeper);

/* — keeper_score.c: the score for the out-of-memory killer — */

/* The keeper is the last to be killed, if it may choose that. */
void keeper_score_lower(Keeper *keeper);
/* In a child: the score that jobd was started with. */
void keeper_score_restore(const Keeper *keeper);

/* — keeper_core.c: the process — */

/* Starts core when it is time; kills a core that was not ready in time. */
void keeper_tend_core(Keeper *keeper, uint64_t now);

/* After the end of core, when all of its messages were read. True: the keeper exits with exit_status. */
bool keeper_core_ended(Keeper *keeper, int status, uint64_t now);

/* The next time for a call of keeper_tend_core(). */
uint64_t keeper_next_time(const Keeper *keeper);

/* — keeper_talk.c: the messages — */

/* Reads as many requests as a turn allows; true if there may be more. */
bool keeper_read_requests(Keeper *keeper, uint64_t now);

/* Reads the messages that an ended core has left behind; one may request that the keeper exits. */
void keeper_read_last_words(Keeper *keeper, uint64_t now);
void keeper_send(Keeper *keeper, uint64_t now);

/* Whether keeper_send() has something to send once core has read. */
bool keeper_has_to_send(const Keeper *keeper);
void keeper_close_link(Keeper *keeper);
