/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The record that a loaded unit keeps of its files
 *
 * One block of memory, about 90 bytes for a unit with one small file; with it
 * changes of the files, and of the settings in them, can be found.
 */

#include "basic/macro.h"
#include "unitfile/file_state.h"

typedef struct FileRecord FileRecord;

/*
 * Makes the record of the unit @name from @state. @fragment is the path of the main file (borrowed: must outlive the
 * record), or NULL. Drop-ins, links and aliases are moved out of @state. 0 or -ENOMEM.
 */
int file_record_new(FileRecord **ret_record, FileState *state, const char *name, const char *fragment);
FileRecord *file_record_free(FileRecord *record);
DEFINE_CLEANUP(FileRecord, file_record_free)

/* Returns true if @sources are the files that were read for @name. */
bool file_record_has_sources(const FileRecord *record, const char *name, const UnitSources *sources);

/* Returns true if the recorded files are unchanged. Does not look for new files. */
bool file_record_is_current(const FileRecord *record);

/* Like file_state_difference(); @old may be NULL. */
int file_record_difference(const FileRecord *old, const FileState *new, char **ret_difference);
