/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The user and the groups that a process runs as
 *
 * A number without an entry is accepted where it suffices: as a group always,
 * as a user if Group= provides what the entry would.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "exec/exec_credentials.h"
#include "exec/exec_dynamic_user.h"
#include "exec/exec_user.h"

typedef VECTOR(gid_t) GroupList;

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
        cleanup_(exec_user_file_close) ExecUserFile users = {};
        struct passwd entry;
        uint32_t id;
        int r;

        r = exec_user_file_find(&users, request->user, &entry);
        if (r == 0)
                r = copy_user_entry(credentials, &entry);
        else if (r == -ESRCH && exec_user_parse_id(request->user, &id) && request->group) {
                credentials->uid = id;
                credentials->has_uid = true;
                return 0;
        }
        if (r == -ESRCH && request->is_dynamic_user)
                return make_user(request, credentials, result);
        if (r == -ESRCH)
                exec_result_set(result, EXEC_STEP_USER, r, "there is no user %s in " EXEC_USER_FILE, request->user);
        else if (r < 0)
                exec_result_set(result, EXEC_STEP_USER, r, "cannot look up %s in " EXEC_USER_FILE, request->user);
        return r;
}

static int resolve_group(const char *name, gid_t *ret_gid, ExecResult *result) {
        int r = exec_group_find(name, ret_gid);

        if (r == -ESRCH)
                exec_result_set(result, EXEC_STEP_GROUP, r, "there is no group %s in " EXEC_GROUP_FILE, name);
        else if (r < 0)
                exec_result_set(result, EXEC_STEP_GROUP, r, "cannot look up %s in " EXEC_GROUP_FILE, name);
        return r;
}

static int add_group(GroupList *list, gid_t gid) {
        for (size_t i = 0; i < list->n; i++)
                if (list->items[i] == gid)
                        return 0;
        return vector_push(list, gid);
}

static int add_groups_of_user(GroupList *list, const char *user_name) {
        cleanup_(exec_user_file_close) ExecUserFile groups = {};
        struct group entry;
        int r;

        while ((r = exec_user_file_next_group(&groups, &entry)) > 0) {
                if (!strv_contains(entry.gr_mem, user_name))
                        continue;
                r = add_group(list, entry.gr_gid);
                if (r < 0)
                        return r;
        }
        return r;
}

/* Without a user the process keeps the manager's groups. */
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

/* A user manager may name its own user: then nothing changes, and changing groups would not be allowed. */
static void drop_needless_changes(const ExecRequest *request, ExecCredentials *credentials) {
        if (credentials->has_uid && credentials->uid != geteuid())
                return;
        if (credentials->has_gid && credentials->gid != getegid())
                return;
        credentials->has_uid = credentials->has_gid = false;
        if (!request->supplementary_groups)
                credentials->has_groups = false;
}

static bool changes_anything(const ExecCredentials *credentials) {
        return credentials->has_uid || credentials->has_gid || credentials->has_groups;
}

int exec_credentials_resolve(const ExecRequest *request, ExecCredentials *ret_credentials, ExecResult *ret_result) {
        bool is_unprivileged;
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
        is_unprivileged = changes_anything(ret_credentials) && geteuid() != 0;
        if (is_unprivileged)
                ret_credentials->owner = ret_credentials->owner_group = UINT32_MAX;
        if (request->flags & EXEC_REQUEST_KEEP_PRIVILEGES)
                ret_credentials->has_uid = ret_credentials->has_gid = ret_credentials->has_groups = false;
        else if (is_unprivileged)
                drop_needless_changes(request, ret_credentials);
        return 0;
}
