/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Subjects by name
 */

#include <string.h>

#include "run_adapter.h"
#include "run_model.h"
#include "run_subjects.h"

const TrialSubject *run_find_subject(const char *name) {
        if (strcmp(name, run_model_subject.name) == 0)
                return &run_model_subject;
        if (strcmp(name, run_adapter_subject.name) == 0)
                return &run_adapter_subject;
        for (size_t i = 0; run_subjects[i]; i++)
                if (strcmp(run_subjects[i]->name, name) == 0)
                        return run_subjects[i];
        return NULL;
}
