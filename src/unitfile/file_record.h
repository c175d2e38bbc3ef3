/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What a loaded unit keeps of its files
 *
 * One block of memory, some 90 bytes for a unit that is one small file: it
 * tells whether the files have changed, and what another reading says
 * otherwise.
 */

#include "basic/macro.h"
#include "unitfile/file_state.h"

typedef struct FileRecord FileRecord;

/*
 * Of what was seen in reading the unit @name. @fragment is the path of its main file (borrowed: must outlive the
 * record), or NULL. What of @state's sources goes beyond that is taken from it. 0 or -ENOMEM.
 */
int file_record_new(FileRecord **ret_record, FileState *state, const char *name, const char *fragment);
FileRecord *file_record_free(FileRecord *record);
DEFINE_CLEANUP(FileRecord, file_record_free)

/* Were these the files of the unit @name? */
bool file_record_has_sources(const FileRecord *record, const char *name, const UnitSources *sources);

/* Do the files look as they did? Says nothing of files that are new. */
bool file_record_is_current(const FileRecord *record);

/* As file_state_difference(); @old may be NULL. */
int file_record_difference(const FileRecord *old, const FileState *new, char **ret_difference);
