/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Users and groups of the machine
 *
 * fgetpwent_r() and fgetgrent_r() parse a file that we opened ourselves, so no
 * name service module is loaded into the manager. Both files are read anew for
 * each process that names a user: they are small, in the page cache, and may
 * have changed.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_user.h"

/* A line of /etc/group lists all members and may be long, but its length is limited. */
#define LINE_MAX_BYTES (16U * 1024 * 1024)

/* Reads one entry: 0 or an errno; *ret_found is NULL at the end. */
typedef int (*ReadEntry)(ExecUserFile *file, void *entry, const void **ret_found);

static int read_user(ExecUserFile *file, void *entry, const void **ret_found) {
        struct passwd *found = NULL;
        int r = fgetpwent_r(file->file, entry, file->buffer, file->size, &found);

        *ret_found = found;
        return r;
}

static int read_group(ExecUserFile *file, void *entry, const void **ret_found) {
        struct group *found = NULL;
        int r = fgetgrent_r(file->file, entry, file->buffer, file->size, &found);

        *ret_found = found;
        return r;
}

void exec_user_file_close(ExecUserFile *file) {
        if (file->file)
                fclose(file->file);
        free(file->buffer);
        *file = (ExecUserFile) {};
}

static int open_file(ExecUserFile *file, const char *path) {
        *file = (ExecUserFile) { .size = 1024 };
        file->file = fopen(path, "re");
        if (!file->file)
                return errno == ENOENT ? -ESRCH : -errno;
        file->buffer = malloc(file->size);
        return file->buffer ? 0 : -ENOMEM;
}

static int grow_buffer(ExecUserFile *file) {
        char *larger;

        if (file->size >= LINE_MAX_BYTES)
                return -E2BIG;
        larger = realloc(file->buffer, file->size * 2);
        if (!larger)
                return -ENOMEM;
        file->buffer = larger;
        file->size *= 2;
        return 0;
}

/* 1 with the next entry, 0 at the end of the file, or -errno. */
static int next_entry(ExecUserFile *file, ReadEntry read_entry, void *entry) {
        for (;;) {
                const void *found = NULL;
                long start = ftell(file->file);
                int r = read_entry(file, entry, &found);

                if (r == 0 && found)
                        return 1;
                if (r != ERANGE)
                        return r == ENOENT || r == 0 ? 0 : -r;
                r = grow_buffer(file);
                if (r < 0)
                        return r;
                if (fseek(file->file, start, SEEK_SET) < 0)
                        return -errno;
        }
}

int exec_user_file_next_group(ExecUserFile *file, struct group *ret_entry) {
        int r = file->file ? 0 : open_file(file, EXEC_GROUP_FILE);

        if (r < 0)
                return r == -ESRCH ? 0 : r;
        return next_entry(file, read_group, ret_entry);
}

bool exec_user_parse_id(const char *name, uint32_t *ret_id) {
        uint32_t id;

        if (text_parse_u32(name, &id) < 0 || id == UINT32_MAX)
                return false;
        *ret_id = id;
        return true;
}

int exec_user_file_find(ExecUserFile *file, const char *name, struct passwd *ret_entry) {
        uint32_t id = 0;
        bool is_number = exec_user_parse_id(name, &id);
        int r;

        r = open_file(file, EXEC_USER_FILE);
        if (r < 0)
                return r;
        while ((r = next_entry(file, read_user, ret_entry)) > 0)
                if (is_number ? ret_entry->pw_uid == id : strcmp(ret_entry->pw_name, name) == 0)
                        return 0;
        return r < 0 ? r : -ESRCH;
}

int exec_user_find(const char *name, uid_t *ret_uid) {
        cleanup_(exec_user_file_close) ExecUserFile users = {};
        struct passwd entry;
        uint32_t id;
        int r;

        r = exec_user_file_find(&users, name, &entry);
        if (r == 0)
                *ret_uid = entry.pw_uid;
        else if (r == -ESRCH && exec_user_parse_id(name, &id)) {
                *ret_uid = id;
                return 0;
        }
        return r;
}

int exec_group_find(const char *name, gid_t *ret_gid) {
        cleanup_(exec_user_file_close) ExecUserFile groups = {};
        struct group entry;
        uint32_t id;
        int r;

        if (exec_user_parse_id(name, &id)) {
                *ret_gid = id;
                return 0;
        }
        while ((r = exec_user_file_next_group(&groups, &entry)) > 0)
                if (strcmp(entry.gr_name, name) == 0) {
                        *ret_gid = entry.gr_gid;
                        return 0;
                }
        return r < 0 ? r : -ESRCH;
}

bool exec_number_is_known(const char *number) {
        cleanup_(exec_user_file_close) ExecUserFile users = {}, groups = {};
        struct passwd user;
        struct group group;
        uint32_t id;
        int r;

        if (!exec_user_parse_id(number, &id) || exec_user_file_find(&users, number, &user) != -ESRCH)
                return true;
        while ((r = exec_user_file_next_group(&groups, &group)) > 0)
                if (group.gr_gid == id)
                        return true;
        return r < 0;
}

static bool has_member(const struct group *group, const char *user) {
        strv_foreach(member, group->gr_mem)
                if (strcmp(*member, user) == 0)
                        return true;
        return false;
}

/* The group by that name or number has @user, which is NULL if the user has no name. */
static bool is_in_group(const char *name, const char *user, gid_t first_group, bool has_first_group) {
        cleanup_(exec_user_file_close) ExecUserFile groups = {};
        struct group entry;
        uint32_t id = 0;
        const bool is_number = exec_user_parse_id(name, &id);

        if (has_first_group && is_number && first_group == id)
                return true;
        while (exec_user_file_next_group(&groups, &entry) > 0)
                if (is_number ? entry.gr_gid == id : strcmp(entry.gr_name, name) == 0)
                        return (has_first_group && entry.gr_gid == first_group) || (user && has_member(&entry, user));
        return false;
}

bool exec_user_is_listed(char *const *list, uid_t uid) {
        cleanup_(exec_user_file_close) ExecUserFile users = {};
        struct passwd user = {};
        char number[16];
        bool is_known;

        if (!list)
                return false;
        snprintf(number, sizeof(number), "%" PRIu32, (uint32_t) uid);
        is_known = exec_user_file_find(&users, number, &user) == 0;
        strv_foreach(word, list) {
                uint32_t id;

                if (**word == '@' ? is_in_group(*word + 1, is_known ? user.pw_name : NULL, user.pw_gid, is_known)
                    : exec_user_parse_id(*word, &id) ? id == uid
                                                     : is_known && strcmp(*word, user.pw_name) == 0)
                        return true;
        }
        return false;
}
