/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Drop-ins that a program writes: verified with the rest of the unit, then put in place whole
 */

#include <stdbool.h>

#include "basic/failure.h"

typedef struct DropinWrite {
        const char *unit;
        const char *file;               /* "50-MemoryMax.conf" */
        const char *text;
        const char *for_boot;           /* until the next boot, beside one that is for good; NULL: nothing */
        char *const *search_path;
        const char *scratch;            /* a folder that a temporary one can be made in */
        bool is_user;
        bool is_runtime;                /* until the next boot */
        bool is_transient;              /* for as long as there is the unit, which a client has made */
} DropinWrite;

/* The text of the one that it will replace; NULL: there is none. 0, or a negative errno with @ret_failure. */
int dropin_read(const DropinWrite *dropin, char **ret_text, Failure *ret_failure);

/* The same of the one until the next boot, which may be there beside one that is for good. 0 or -ENOMEM. */
int dropin_read_for_boot(const DropinWrite *dropin, char **ret_text);

/* 0, -EINVAL with what is wrong with the text in @ret_failure, or another negative errno. Changes nothing. */
int dropin_verify(const DropinWrite *dropin, Failure *ret_failure);

/*
 * Writes the drop-in into the administrator's folder. The last one written counts: beside a permanent drop-in of the
 * same name, one until the next boot is named "50-X.runtime.conf"; the permanent one, written again,
 * makes that @for_boot. 0, or a negative errno with @ret_failure.
 */
int dropin_place(const DropinWrite *dropin, Failure *ret_failure);
