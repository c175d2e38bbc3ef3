/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The child between clone and exec
 *
 * The child runs in our memory beside us and others like it, so all that it
 * needs is put together beforehand and left alone until it has gone, and all
 * that it calls is a plain system call.
 */

#include "exec/exec_clone.h"
#include "exec/exec_credentials.h"

/* Variables that may hold the process's own pid. */
#define EXEC_PIDS_MAX 2U

/* A descriptor and the number that it is to have. */
typedef struct ExecPlace {
        int fd;                         /* changed by the child */
        const char *path;               /* that it opens for it; NULL: none */
        int flags;
        int target;
        bool is_nonblocking;
} ExecPlace;

typedef struct ExecChild {
        const ExecRequest *request;             /* borrowed, as everything here */
        const ExecCredentials *credentials;
        char *const *candidates;                /* paths to try, in their order */
        char *const *argv;
        char *const *environment;
        const char *directory;
        bool is_directory_optional;             /* if it can't be entered, "/" will do */
        char oom_score_adjust[16];
        size_t oom_score_adjust_length;
        uint64_t ignored_signals;               /* that we ignore: bit n - 1 for signal n */
        ExecPlace *places;                      /* by rising target; the child's own */
        size_t n_places;
        char *pids[EXEC_PIDS_MAX];              /* in .environment: the child writes its pid there */
        const struct ExecExtra *extra;          /* NULL: nothing that few units say */
        struct SandboxPlan *sandbox;            /* NULL: none; the child's own */
        bool is_one_stream;                     /* standard error shares standard output's open file */
        bool has_input;                         /* standard input is among the places */

        /* Written by the child, in shared memory: where it is, and the errno that ended it (0: none yet). */
        volatile ExecStep step;
        volatile int error;
        const char *volatile what;      /* borrowed: what the step was at; NULL: its name says enough */
        ExecClone clone;
} ExecChild;

/* Ends in the new program, or with the exit status of the step that failed. */
int exec_child_run(void *child);

/* Says why it failed. */
void exec_child_describe(const ExecChild *child, ExecResult *result);
