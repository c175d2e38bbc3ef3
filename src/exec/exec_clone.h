/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A child in our memory
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
        pid_t *note;                    /* the kernel writes the pid there before the child runs; NULL: nowhere */
        int cgroup_fd;                  /* of the control group to begin in; -1: ours */
        bool has_own_memory;            /* a copy of ours, as by fork(): it may do whatever a program may */
        bool moves_itself;              /* the kernel is not asked to make it there */

        /* 1 as long as the child is in our memory; the kernel makes it 0, and wakes who waits for that by futex(2). */
        uint32_t is_here;
        /* Does the child have our signal handlers? Then it must forget them before it unblocks a signal. */
        bool has_handlers;
        /* Has the kernel left it in our control group? Then it must move by itself. */
        bool must_move;
} ExecClone;

/*
 * A child with our memory, our table of descriptors, and the rest as by fork(); or all as by fork(). It may run before
 * this returns. Its pid, or a negative errno; *ret_pidfd is -1 where the kernel has none.
 */
pid_t exec_clone(ExecClone *clone, int *ret_pidfd);

bool exec_clone_is_here(const ExecClone *clone);

/* Waits until the child has left our memory, or @usec have passed: has it? */
bool exec_clone_has_left_within(const ExecClone *clone, usec_t usec);
