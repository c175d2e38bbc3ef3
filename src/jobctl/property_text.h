/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties as text, in the format of "systemctl show"
 */

#include <jansson.h>

#include "basic/text.h"

/* The value of property @name: booleans as yes and no, times as spans and dates, lists with blanks. 0 or -ENOMEM. */
int property_format(const char *name, const json_t *value, char **ret_text);

/* Whether each item of the list gets a line "NAME=…" of its own. */
bool property_has_lines(const char *name, const json_t *value);

/* The fields of an entry of ExecStart and the like, a(sasbttttuii). */
enum {
        EXEC_FIELD_PATH,
        EXEC_FIELD_ARGV,
        EXEC_FIELD_IGNORE_FAILURE,
        EXEC_FIELD_START_REALTIME,
        EXEC_FIELD_START_MONOTONIC,
        EXEC_FIELD_EXIT_REALTIME,
        EXEC_FIELD_EXIT_MONOTONIC,
        EXEC_FIELD_PID,
        EXEC_FIELD_CODE,
        EXEC_FIELD_STATUS,
        _EXEC_FIELD_MAX,
};

/* "exited", "killed", "dumped"; "(null)" for a process that has not ended. */
const char *property_exit_code(int code);

/* "1/FAILURE", "15/TERM". */
void property_add_exit_status(Text *text, int code, int status);

/* Adds the strings of an array, with @separator between them. */
void property_add_strings(Text *text, const json_t *array, const char *separator);
