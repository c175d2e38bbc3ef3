/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The user and the groups that a process runs as
 *
 * fgetpwent_r() and fgetgrent_r() parse a file that we opened ourselves, so no
 * name service module is loaded into the manager. Both files are read anew for
 * each process that names a user: they are small, in the page cache, and may
 * have changed.
 *
 * A number without an entry is accepted where it suffices: as a group always,
 * as a user if Group= says what the entry would have said.
 */

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "exec/exec_credentials.h"
#include "exec/exec_dynamic_user.h"

#define PASSWD_FILE "/etc/passwd"
#define GROUP_FILE "/etc/group"

/* A line of /etc/group names all members: let it grow, but not without end. */
#define LINE_MAX_BYTES (16U * 1024 * 1024)

typedef VECTOR(gid_t) GroupList;

typedef struct Database {
        FILE *file;
        char *buffer;           /* owned */
        size_t size;
} Database;

static void database_close(Database *database) {
        if (database->file)
                fclose(database->file);
        free(database->buffer);
}

static int database_open(Database *database, const char *path) {
        *database = (Database) { .size = 1024 };
        database->file = fopen(path, "re");
        if (!database->file)
                return errno == ENOENT ? -ESRCH : -errno;
        database->buffer = malloc(database->size);
        return database->buffer ? 0 : -ENOMEM;
}

static int database_grow(Database *database) {
        char *larger;

        if (database->size >= LINE_MAX_BYTES)
                return -E2BIG;
        larger = realloc(database->buffer, database->size * 2);
        if (!larger)
                return -ENOMEM;
        database->buffer = larger;
        database->size *= 2;
        return 0;
}

/* 1 with the next entry, 0 at the end, or -errno. */
static int database_next_user(Database *database, struct passwd *entry) {
        for (;;) {
                struct passwd *found = NULL;
                long start = ftell(database->file);
                int r = fgetpwent_r(database->file, entry, database->buffer, database->size, &found);

                if (r == 0 && found)
                        return 1;
                if (r != ERANGE)
                        return r == ENOENT || r == 0 ? 0 : -r;
                r = database_grow(database);
                if (r < 0)
                        return r;
                if (fseek(database->file, start, SEEK_SET) < 0)
                        return -errno;
        }
}

static int database_next_group(Database *database, struct group *entry) {
        for (;;) {
                struct group *found = NULL;
                long start = ftell(database->file);
                int r = fgetgrent_r(database->file, entry, database->buffer, database->size, &found);

                if (r == 0 && found)
                        return 1;
                if (r != ERANGE)
                        return r == ENOENT || r == 0 ? 0 : -r;
                r = database_grow(database);
                if (r < 0)
                        return r;
                if (fseek(database->file, start, SEEK_SET) < 0)
                        return -errno;
        }
}

/* -1 as an id means "leave it" to the kernel, so it is no id. */
static bool parse_id(const char *name, uint32_t *ret_id) {
        uint32_t id;

        if (text_parse_u32(name, &id) < 0 || id == UINT32_MAX)
                return false;
        *ret_id = id;
        return true;
}

static int find_user_entry(Database *database, const char *name, struct passwd *ret_entry) {
        uint32_t id = 0;
        bool is_number = parse_id(name, &id);
        int r;

        r = database_open(database, PASSWD_FILE);
        if (r < 0)
                return r;
        while ((r = database_next_user(database, ret_entry)) > 0)
                if (is_number ? ret_entry->pw_uid == id : strcmp(ret_entry->pw_name, name) == 0)
                        return 0;
        return r < 0 ? r : -ESRCH;
}

int exec_user_find(const char *name, uid_t *ret_uid) {
        cleanup_(database_close) Database database = {};
        struct passwd entry;
        uint32_t id;
        int r;

        r = find_user_entry(&database, name, &entry);
        if (r == 0)
                *ret_uid = entry.pw_uid;
        else if (r == -ESRCH && parse_id(name, &id)) {
                *ret_uid = id;
                return 0;
        }
        return r;
}

int exec_group_find(const char *name, gid_t *ret_gid) {
        cleanup_(database_close) Database database = {};
        struct group entry;
        uint32_t id;
        int r;

        if (parse_id(name, &id)) {
                *ret_gid = id;
                return 0;
        }
        r = database_open(&database, GROUP_FILE);
        if (r < 0)
                return r;
        while ((r = database_next_group(&database, &entry)) > 0)
                if (strcmp(entry.gr_name, name) == 0) {
                        *ret_gid = entry.gr_gid;
                        return 0;
                }
        return r < 0 ? r : -ESRCH;
}

bool exec_number_is_known(const char *number) {
        cleanup_(database_close) Database users = {}, groups = {};
        struct passwd user;
        struct group group;
        uint32_t id;
        int r;

        if (!parse_id(number, &id) || find_user_entry(&users, number, &user) != -ESRCH)
                return true;
        r = database_open(&groups, GROUP_FILE);
        if (r < 0)
                return r != -ESRCH;
        while ((r = database_next_group(&groups, &group)) > 0)
                if (group.gr_gid == id)
                        return true;
        return r < 0;
}

void exec_credentials_deinit(ExecCredentials *credentials) {
        free(credentials->groups);
        free(credentials->user_name);
        free(credentials->home);
        free(credentials->shell);
        *credentials = (ExecCredentials) {};
}

static bool is_useful_shell(const char *shell) {
        return shell[0] == '/' && !text_ends_with(shell, "/nologin") && !text_ends_with(shell, "/false");
}

static int copy_user_entry(ExecCredentials *credentials, const struct passwd *entry) {
        credentials->uid = entry->pw_uid;
        credentials->gid = entry->pw_gid;
        credentials->has_uid = credentials->has_gid = true;

        credentials->user_name = strdup(entry->pw_name);
        if (!credentials->user_name)
                return -ENOMEM;
        if (entry->pw_dir[0] == '/' && entry->pw_dir[1]) {
                credentials->home = strdup(entry->pw_dir);
                if (!credentials->home)
                        return -ENOMEM;
        }
        if (is_useful_shell(entry->pw_shell)) {
                credentials->shell = strdup(entry->pw_shell);
                if (!credentials->shell)
                        return -ENOMEM;
        }
        return 0;
}

static int make_user(const ExecRequest *request, ExecCredentials *credentials, ExecResult *result) {
        int r = geteuid() == 0 ? exec_dynamic_user_take(request->user, &credentials->uid) : -EPERM;

        if (r == 0) {
                credentials->user_name = strdup(request->user);
                r = credentials->user_name ? 0 : -ENOMEM;
        }
        if (r < 0) {
                exec_result_set(result, EXEC_STEP_USER, r, "cannot make the user %s", request->user);
                return r;
        }
        credentials->gid = credentials->uid;
        credentials->has_uid = credentials->has_gid = true;
        return 0;
}

static int resolve_user(const ExecRequest *request, ExecCredentials *credentials, ExecResult *result) {
        cleanup_(database_close) Database database = {};
        struct passwd entry;
        uint32_t id;
        int r;

        r = find_user_entry(&database, request->user, &entry);
        if (r == 0)
                r = copy_user_entry(credentials, &entry);
        else if (r == -ESRCH && parse_id(request->user, &id) && request->group) {
                credentials->uid = id;
                credentials->has_uid = true;
                return 0;
        }
        if (r == -ESRCH && request->is_dynamic_user)
                return make_user(request, credentials, result);
        if (r == -ESRCH)
                exec_result_set(result, EXEC_STEP_USER, r, "there is no user %s in " PASSWD_FILE, request->user);
        else if (r < 0)
                exec_result_set(result, EXEC_STEP_USER, r, "cannot look up %s in " PASSWD_FILE, request->user);
        return r;
}

static int resolve_group(const char *name, gid_t *ret_gid, ExecResult *result) {
        int r = exec_group_find(name, ret_gid);

        if (r == -ESRCH)
                exec_result_set(result, EXEC_STEP_GROUP, r, "there is no group %s in " GROUP_FILE, name);
        else if (r < 0)
                exec_result_set(result, EXEC_STEP_GROUP, r, "cannot look up %s in " GROUP_FILE, name);
        return r;
}

static int add_group(GroupList *list, gid_t gid) {
        for (size_t i = 0; i < list->n; i++)
                if (list->items[i] == gid)
                        return 0;
        return vector_push(list, gid);
}

static int add_groups_of_user(GroupList *list, const char *user_name) {
        cleanup_(database_close) Database database = {};
        struct group entry;
        int r;

        r = database_open(&database, GROUP_FILE);
        if (r < 0)
                return r == -ESRCH ? 0 : r;
        while ((r = database_next_group(&database, &entry)) > 0) {
                if (!strv_contains(entry.gr_mem, user_name))
                        continue;
                r = add_group(list, entry.gr_gid);
                if (r < 0)
                        return r;
        }
        return r;
}

/* Without a user the process keeps the groups that we have. */
static int add_own_groups(GroupList *list) {
        int n = getgroups(0, NULL);

        if (n < 0)
                return -errno;
        if (vector_reserve(list, (size_t) n) < 0)
                return -ENOMEM;
        n = getgroups(n, list->items);
        if (n < 0)
                return -errno;
        list->n = (size_t) n;
        return 0;
}

static int collect_groups(const ExecRequest *request, const ExecCredentials *credentials, GroupList *list,
                          ExecResult *result) {
        int r = 0;

        if (credentials->has_gid && request->user)
                r = add_group(list, credentials->gid);
        if (r == 0)
                r = credentials->user_name ? add_groups_of_user(list, credentials->user_name)
                  : request->user          ? 0
                                           : add_own_groups(list);
        if (r < 0) {
                exec_result_set(result, EXEC_STEP_GROUP, r, "cannot collect the supplementary groups");
                return r;
        }

        strv_foreach(name, request->supplementary_groups) {
                gid_t gid = 0;

                r = resolve_group(*name, &gid, result);
                if (r < 0)
                        return r;
                if (add_group(list, gid) < 0) {
                        exec_result_set(result, EXEC_STEP_RESOURCES, -ENOMEM, "cannot collect groups");
                        return -ENOMEM;
                }
        }
        return 0;
}

static int resolve_groups(const ExecRequest *request, ExecCredentials *credentials, ExecResult *result) {
        GroupList list = {};
        int r;

        r = collect_groups(request, credentials, &list, result);
        if (r < 0) {
                vector_deinit(&list);
                return r;
        }
        credentials->groups = list.items;
        credentials->n_groups = list.n;
        credentials->has_groups = true;
        return 0;
}

/* A user's manager may name its own user: there is nothing to change then, and changing groups is not allowed. */
static void drop_needless_changes(const ExecRequest *request, ExecCredentials *credentials) {
        if (geteuid() == 0)
                return;
        if (credentials->has_uid && credentials->uid != geteuid())
                return;
        if (credentials->has_gid && credentials->gid != getegid())
                return;
        credentials->has_uid = credentials->has_gid = false;
        if (!request->supplementary_groups)
                credentials->has_groups = false;
}

int exec_credentials_resolve(const ExecRequest *request, ExecCredentials *ret_credentials, ExecResult *ret_result) {
        int r;

        assert(request);

        *ret_credentials = (ExecCredentials) {};
        if (request->user) {
                r = resolve_user(request, ret_credentials, ret_result);
                if (r < 0)
                        return r;
        }
        if (request->group && !(request->is_dynamic_user && text_equal(request->group, request->user))) {
                r = resolve_group(request->group, &ret_credentials->gid, ret_result);
                if (r < 0)
                        return r;
                ret_credentials->has_gid = true;
        }
        if (request->user || request->supplementary_groups) {
                r = resolve_groups(request, ret_credentials, ret_result);
                if (r < 0)
                        return r;
        }

        ret_credentials->owner = ret_credentials->has_uid ? ret_credentials->uid : (uid_t) -1;
        ret_credentials->owner_group = ret_credentials->has_gid ? ret_credentials->gid : (gid_t) -1;
        if (geteuid() != 0)
                ret_credentials->owner = ret_credentials->owner_group = UINT32_MAX;
        if (request->flags & EXEC_REQUEST_KEEP_PRIVILEGES)
                ret_credentials->has_uid = ret_credentials->has_gid = ret_credentials->has_groups = false;
        else
                drop_needless_changes(request, ret_credentials);
        return 0;
}
