/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Users and groups of the machine
 *
 * Names are looked up in /etc/passwd and /etc/group and nowhere else: a name
 * service may ask the network, and the caller is the manager's only thread.
 */

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define EXEC_USER_FILE "/etc/passwd"
#define EXEC_GROUP_FILE "/etc/group"

/* Looks up a name or number; 0, -ESRCH if /etc/passwd (/etc/group) has no such entry, or -errno. */
int exec_user_find(const char *name, uid_t *ret_uid);
int exec_group_find(const char *name, gid_t *ret_gid);
/* Returns true if @number is the id of a user or group in these files, or if they cannot be read. */
bool exec_number_is_known(const char *number);
/* A number that the kernel takes for an id; -1 means "leave it" there. */
bool exec_user_parse_id(const char *name, uint32_t *ret_id);

/* Returns true if @list (NULL: empty) has the user, by name or number, or as "@GROUP" a group of the user's. */
bool exec_user_is_listed(char *const *list, uid_t uid);

/* One of the two files while it is read. Entries are valid until the next one is read, or it is closed. */
typedef struct ExecUserFile {
        FILE *file;
        char *buffer;           /* owned */
        size_t size;
} ExecUserFile;

void exec_user_file_close(ExecUserFile *file);
/* The user of that name or number: 0, -ESRCH or -errno. @file: zeros; to be closed. */
int exec_user_file_find(ExecUserFile *file, const char *name, struct passwd *ret_entry);
/* Groups, one after the other: 1 with the next entry, 0 at the end, or -errno. @file: zeros at first; to be closed. */
int exec_user_file_next_group(ExecUserFile *file, struct group *ret_entry);
