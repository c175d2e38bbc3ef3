/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit files that are made of other files: of /etc/fstab
 */

#include <stdbool.h>

#include "unitfile/unit_file.h"

typedef struct ManagerGenerator {
        bool is_user, is_machine;
        const char *runtime_directory;  /* borrowed */
        UnitFileReceiver receiver;      /* is told what is wrong in the file */
        void *userdata;                 /* borrowed */
} ManagerGenerator;

/* Is there a file to make units of? Then mounts are units, too. */
bool manager_generator_is_on(const ManagerGenerator *generator);
void manager_generator_run(const ManagerGenerator *generator);
/* Adds the folder of these units to the search path. 0 or -ENOMEM. */
int manager_generator_add_folder(const ManagerGenerator *generator, char ***path);
