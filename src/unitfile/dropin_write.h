/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Drop-ins written by a program: verified with the rest of the unit, then
 * written atomically
 */

#include <stdbool.h>

#include "basic/failure.h"

typedef struct DropinWrite {
        const char *unit;
        const char *file;               /* "50-MemoryMax.conf" */
        const char *text;
        const char *for_boot;           /* text of the runtime drop-in beside a permanent one; NULL: none */
        char *const *search_path;
        const char *scratch;            /* a folder for temporary ones */
        /* As UnitFileOptions has it: a mounted file system is a unit without a file. NULL: there are none. */
        const struct MountEntry *(*find_mount)(void *userdata, const char *where);
        void *userdata;                 /* of .find_mount; borrowed */
        bool is_user;
        bool into_systemd;              /* write into systemd's folders rather than jobd's, if they are on the path */
        bool is_runtime;                /* until the next boot */
        bool is_transient;              /* as long as the unit, which a client has made, exists */
} DropinWrite;

/* The text of the drop-in that will be replaced; NULL if there is none. 0, or a negative errno with @ret_failure. */
int dropin_read(const DropinWrite *dropin, char **ret_text, Failure *ret_failure);

/* The same for the runtime drop-in that may exist beside a permanent one. 0 or -ENOMEM. */
int dropin_read_for_boot(const DropinWrite *dropin, char **ret_text);

/* 0, -EINVAL with the error in the text as @ret_failure, or another negative errno. Changes nothing. */
int dropin_verify(const DropinWrite *dropin, Failure *ret_failure);

/*
 * Writes the drop-in into the folder for changes by clients (FOLDER_CONTROL). The one written last takes effect: beside
 * a permanent drop-in of the same name, a runtime one is named "50-X.runtime.conf"; writing the permanent one again
 * sets that to @for_boot. 0, or a negative errno with @ret_failure.
 */
int dropin_place(const DropinWrite *dropin, Failure *ret_failure);
