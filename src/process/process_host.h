/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Functions that the tables of processes need from their program
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/usec.h"
#include "process/process_keeper.h"
#include "unit/unit_purpose.h"

typedef struct sd_event sd_event;
typedef struct Outbox Outbox;
typedef struct Journal Journal;
typedef struct ProcessOwner ProcessOwner;
struct ExecRequest;                     /* exec/exec.h */

/* All of them are required. */
typedef struct ProcessHostOps {
        usec_t (*now)(void *userdata);                  /* CLOCK_MONOTONIC, constant within a turn */
        ProcessOwner *(*find_owner)(void *userdata, const char *name);          /* by recorded name; NULL: gone */

        /* The journal between two commits; NULL: there is none. */
        Journal *(*journal)(void *userdata);
        uint64_t (*number_errand)(void *userdata);      /* rising, even across restarts of the program */
        void (*commit)(void *userdata);                 /* the journal is full */
        void (*exits_changed)(void *userdata);          /* the pending ones */
        void (*errand_changed)(void *userdata, uint32_t number);        /* of its record */

        /* Called after reaping: handle earlier messages first. */
        void (*before_exits)(void *userdata, const UnitExit *exits, size_t n);
        bool (*is_own)(void *userdata, pid_t pid);      /* the program's own process, without an owner */

        void (*begun)(void *userdata, const struct ExecRequest *request, UnitPurpose purpose, pid_t pid);
        /* The process of @request has opened everything that it needs, or was not made. */
        void (*settled)(void *userdata, const struct ExecRequest *request);
        void (*no_process)(void *userdata);             /* fork failed with EAGAIN */
        /* Slices' control groups were gone, and were made again: process_groups_apply() is due for each. */
        void (*slices_made)(void *userdata);
        int (*spare_pidfd)(void *userdata, int pidfd);  /* closes it and returns -1 if there are few left */
} ProcessHostOps;

typedef struct ProcessHost {
        const ProcessHostOps *ops;
        void *userdata;                 /* borrowed */
        sd_event *event;                /* borrowed */
        Outbox *outbox;                 /* borrowed */
        const ProcessKeeper *keeper;    /* borrowed: takes over what a program before this one has left */
        /*
         * Of event sources, in this order: exits come first, so that an owner that waits for its last process knows how
         * it ended.
         */
        int64_t exit_priority, group_priority, fd_priority;
} ProcessHost;
