/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * /etc/fstab as units
 *
 * Each line becomes the file of a mount unit in a folder of its own, which is
 * part of the search path. So the unit is found, shown, changed by drop-ins
 * and reloaded like any other.
 */

#include "basic/vector.h"
#include "unitfile/unit_file.h"

typedef struct FstabEntry {
        char *what, *where, *type, *options;    /* owned; the last two are NULL if not set */
        unsigned line;
} FstabEntry;

typedef VECTOR(FstabEntry) FstabEntries;

typedef struct FstabOptions {
        const char *path;               /* "/etc/fstab" */
        const char *folder;             /* folder of the units only; created if missing */
        bool is_machine;                /* if a required mount fails, start the emergency target */
        UnitFileReceiver receiver;      /* gets errors; may be NULL */
        void *userdata;                 /* borrowed */
} FstabOptions;

/*
 * Reads the file. 0, even if it is missing, -ENOMEM, or -errno. Invalid lines are reported to the receiver and left
 * out.
 */
int fstab_read(const FstabOptions *options, FstabEntries *ret_entries);
void fstab_entries_deinit(FstabEntries *entries);

/* Updates the folder from the file. Unchanged units are not written. 0, -ENOMEM, or -errno. */
int fstab_write_units(const FstabOptions *options);

/* Reports a message to the receiver. */
void fstab_say(const FstabOptions *options, UnitFileSeverity severity, unsigned line, const char *format,
               ...) printf_(4, 5);

/* A file or link to be made in the folder. */
typedef struct FstabFile {
        char *path;                     /* owned: below the folder */
        char *text;                     /* owned: content, or target of the link */
        bool is_link;
} FstabFile;

typedef VECTOR(FstabFile) FstabFiles;

/* Makes the folder contain exactly these files. 0 or -errno. */
int fstab_fill_folder(const char *folder, const FstabFiles *files);
