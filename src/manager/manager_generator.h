/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit files generated from other files: /etc/fstab
 */

#include <stdbool.h>

#include "unitfile/unit_file.h"

typedef struct ManagerGenerator {
        bool is_user, is_machine;
        const char *runtime_directory;  /* borrowed */
        UnitFileReceiver receiver;      /* gets errors in the file */
        void *userdata;                 /* borrowed */
} ManagerGenerator;

/* Returns true if there is a file to read; mounts are units then, too. */
bool manager_generator_is_on(const ManagerGenerator *generator);
void manager_generator_run(const ManagerGenerator *generator);
/* Adds the folder of these units to the search path. 0 or -ENOMEM. */
int manager_generator_add_folder(const ManagerGenerator *generator, char ***path);
