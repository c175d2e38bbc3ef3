/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The environment of a process
 *
 * An environment is a strv of NAME=value with unique names.
 */

#include "exec/exec_credentials.h"

bool exec_environment_name_is_valid(const char *name, size_t n);

/* The value of @name (@n bytes), or NULL. */
const char *exec_environment_get(char *const *environment, const char *name, size_t n);

/* Adds or replaces an assignment; an invalid NAME=value is ignored. 0 or -ENOMEM. */
int exec_environment_set(char ***environment, const char *assignment);

/* The same for all of @assignments, efficiently for many. */
int exec_environment_merge(char ***environment, char *const *assignments);

/* Reads a file of EnvironmentFile= into the environment. 0, -ENOMEM, -EINVAL for a broken file, or another -errno. */
int exec_environment_read(char ***environment, const char *path);

/* Adds the assignments in @text, the content of such a file. 0, -EINVAL if it has a NUL or isn't UTF-8, or -ENOMEM. */
int exec_environment_parse(char ***environment, const char *text, size_t n);

/* Builds the environment from all layers. 0, or a negative errno with @ret_result set. */
int exec_environment_build(const ExecRequest *request, const ExecCredentials *credentials, char ***ret_environment,
                           ExecResult *ret_result);
