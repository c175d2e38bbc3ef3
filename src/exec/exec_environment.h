/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The environment of a process
 *
 * An environment is a strv of NAME=value in which each name is there once.
 */

#include "exec/exec_credentials.h"

bool exec_environment_name_is_valid(const char *name, size_t n);

/* The value of @name (@n bytes), or NULL. */
const char *exec_environment_get(char *const *environment, const char *name, size_t n);

/* Adds or replaces; what is no valid NAME=value is left out. 0 or -ENOMEM. */
int exec_environment_set(char ***environment, const char *assignment);

/* The same with all of @assignments, of which there may be many. */
int exec_environment_merge(char ***environment, char *const *assignments);

/* Reads what EnvironmentFile= names and sets it. 0, -ENOMEM, -EINVAL for a broken file, or another -errno. */
int exec_environment_read(char ***environment, const char *path);

/* Sets what @text, the contents of such a file, assigns. 0, -EINVAL if it has a NUL or isn't UTF-8, or -ENOMEM. */
int exec_environment_parse(char ***environment, const char *text, size_t n);

/* Everything together, later ones winning. 0, or a negative errno with @ret_result set. */
int exec_environment_build(const ExecRequest *request, const ExecCredentials *credentials, char ***ret_environment,
                           ExecResult *ret_result);
