/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * How jobd runs: as a daemon, as the first process of a container, or as that of a machine
 */

#include <stdbool.h>

typedef enum Surroundings {
        SURROUNDINGS_DAEMON,            /* another program is PID 1 */
        SURROUNDINGS_CONTAINER,
        SURROUNDINGS_MACHINE,           /* jobd mounts, has the console, and ends the machine */
        _SURROUNDINGS_MAX,
} Surroundings;

typedef enum SurroundingsAnswer {
        SURROUNDINGS_UNKNOWN,           /* there is no /proc to ask */
        SURROUNDINGS_NO,
        SURROUNDINGS_YES,
} SurroundingsAnswer;

/* The facts that decide. */
typedef struct SurroundingsFacts {
        bool is_init;                   /* core or its keeper is PID 1 */
        bool is_told_container;         /* by $container */
        bool has_container_file;        /* one that container engines put into their roots */
        bool has_kernel_threads;        /* PID 2 is the kernel's */
        SurroundingsAnswer is_first_pid_namespace;
        SurroundingsAnswer is_first_user_namespace;
} SurroundingsFacts;

Surroundings surroundings_judge(const SurroundingsFacts *facts);

/* Gathers the facts. @root goes before the paths, "" but in tests. */
void surroundings_look(SurroundingsFacts *ret_facts, bool is_init, const char *root);

/* Gathers and decides. @is_init: as in the facts. Never takes a container for a machine where /proc is mounted. */
Surroundings surroundings_find(bool is_init);

