/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Where we run: as a daemon, as the first process of a container, or as that of a machine
 */

#include <stdbool.h>

typedef enum Surroundings {
        SURROUNDINGS_DAEMON,            /* somebody else is PID 1 */
        SURROUNDINGS_CONTAINER,
        SURROUNDINGS_MACHINE,           /* mounts, the console, the machine's end are ours */
        _SURROUNDINGS_MAX,
} Surroundings;

typedef enum SurroundingsAnswer {
        SURROUNDINGS_UNKNOWN,           /* there is no /proc to ask */
        SURROUNDINGS_NO,
        SURROUNDINGS_YES,
} SurroundingsAnswer;

/* What there is to judge by. */
typedef struct SurroundingsFacts {
        bool is_init;                   /* we, or our keeper, are PID 1 */
        bool is_told_container;         /* by $container */
        bool has_container_file;        /* one that container engines put into their roots */
        bool has_kernel_threads;        /* PID 2 is the kernel's */
        SurroundingsAnswer is_first_pid_namespace;
        SurroundingsAnswer is_first_user_namespace;
} SurroundingsFacts;

Surroundings surroundings_judge(const SurroundingsFacts *facts);

/* Looks around. @root goes before the paths, "" but in tests. */
void surroundings_look(SurroundingsFacts *ret_facts, bool is_init, const char *root);

/* Both. @is_init: as in the facts. Never mistakes a container for a machine where /proc is mounted. */
Surroundings surroundings_find(bool is_init);

const char *surroundings_to_string(Surroundings surroundings);          /* "daemon", "container", "machine" */
