/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * /etc/fstab as units
 *
 * Each line becomes the file of a mount unit in a folder of its own, which is
 * part of the search path: so it is found, looked at, changed by drop-ins and
 * read again as any other.
 */

#include "basic/vector.h"
#include "unitfile/unit_file.h"

typedef struct FstabEntry {
        char *what, *where, *type, *options;    /* owned; of these two NULL if nothing is said */
        unsigned line;
} FstabEntry;

typedef VECTOR(FstabEntry) FstabEntries;

typedef struct FstabOptions {
        const char *path;               /* "/etc/fstab" */
        const char *folder;             /* where the units go; nothing else is in it. Made if need be */
        bool is_machine;                /* who cannot mount what is needed is left to an administrator */
        UnitFileReceiver receiver;      /* is told what is wrong; may be NULL */
        void *userdata;                 /* borrowed */
} FstabOptions;

/* 0, also if there is no such file, -ENOMEM, or -errno. What is no line goes to the receiver and is left out. */
int fstab_read(const FstabOptions *options, FstabEntries *ret_entries);
void fstab_entries_deinit(FstabEntries *entries);

/* Has the folder say what the file says now. What stays as it was is not written again. 0, -ENOMEM, or -errno. */
int fstab_write_units(const FstabOptions *options);

/* Tells the receiver. */
void fstab_say(const FstabOptions *options, UnitFileSeverity severity, unsigned line, const char *format,
               ...) printf_(4, 5);

/* A file, or a link, that is to be in the folder. */
typedef struct FstabFile {
        char *path;                     /* owned: below the folder */
        char *text;                     /* owned: what is in it, or where it leads to */
        bool is_link;
} FstabFile;

typedef VECTOR(FstabFile) FstabFiles;

/* Just these are in the folder then. 0 or -errno. */
int fstab_fill_folder(const char *folder, const FstabFiles *files);
