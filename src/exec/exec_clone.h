/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A child that shares the manager's memory
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/usec.h"

typedef struct ExecClone {
        int (*run)(void *argument);     /* must not return */
        void *argument;
        void *stack;                    /* its lowest address */
        size_t stack_size;
        pid_t *note;                    /* the kernel stores the pid there before the child runs; or NULL */
        int cgroup_fd;                  /* control group of the child; -1: the manager's */
        bool has_own_memory;            /* a copy of the memory, as by fork(): no rules for the child */
        bool moves_itself;              /* do not use CLONE_INTO_CGROUP */

        /* 1 while the child is in the manager's memory; the kernel sets it to 0 and wakes waiters by futex(2). */
        uint32_t is_here;
        /* The child has the manager's signal handlers: it must reset them before it unblocks signals. */
        bool has_handlers;
        /* The kernel left the child in the manager's control group: it must move itself. */
        bool must_move;
} ExecClone;

/*
 * Creates a child that shares memory and descriptors, and has the rest as by fork(); or everything as by fork(). It may
 * run before this returns. Returns its pid, or a negative errno; *ret_pidfd is -1 if the kernel has none.
 */
pid_t exec_clone(ExecClone *clone, int *ret_pidfd);

bool exec_clone_is_here(const ExecClone *clone);

/* Waits until the child has left the manager's memory, or @usec have passed; returns true if it has left. */
bool exec_clone_has_left_within(const ExecClone *clone, usec_t usec);
