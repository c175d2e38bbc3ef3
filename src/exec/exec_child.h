/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The child between clone and exec
 *
 * The child runs in the manager's memory, beside the manager and other
 * children, so all its data is prepared beforehand and not changed until it
 * has left, and it makes nothing but plain system calls.
 */

#include "exec/exec_clone.h"
#include "exec/exec_credentials.h"

/* Variables that may hold the process's own pid. */
#define EXEC_PIDS_MAX 3U

/* A descriptor and its number in the new program. */
typedef struct ExecPlace {
        int fd;                         /* changed by the child */
        const char *path;               /* opened by the child for this place; NULL: none */
        int flags;
        int target;
        bool is_nonblocking;
} ExecPlace;

typedef struct ExecChild {
        const ExecRequest *request;             /* borrowed, as everything here */
        const ExecCredentials *credentials;
        char *const *candidates;                /* paths to try, in order */
        char *const *argv;
        char *const *environment;
        const char *directory;
        bool is_directory_optional;             /* fall back to "/" if it cannot be entered */
        char oom_score_adjust[16];
        size_t oom_score_adjust_length;
        uint64_t ignored_signals;               /* ignored by the manager: bit n - 1 for signal n */
        ExecPlace *places;                      /* by rising target; written by the child */
        size_t n_places;
        char *pids[EXEC_PIDS_MAX];              /* in .environment: places for the child's pid */
        const struct ExecExtra *extra;          /* NULL: none of the rare settings */
        struct SandboxPlan *sandbox;            /* NULL: none; written by the child */
        bool is_one_stream;                     /* standard error shares standard output's open file */
        bool has_input;                         /* standard input is one of .places */

        /* Written by the child, in shared memory: its current step, and the errno that ended it (0: none yet). */
        volatile ExecStep step;
        volatile int error;
        const char *volatile what;      /* borrowed: object of the step; NULL: the step's name suffices */
        ExecClone clone;
} ExecChild;

/* Ends in the new program, or with the exit status of the failed step. */
int exec_child_run(void *child);

/* Describes the failure. */
void exec_child_describe(const ExecChild *child, ExecResult *result);
