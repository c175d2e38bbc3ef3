/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control groups: a folder for each unit
 *
 * Starting a unit costs a mkdir, an open and, in the end, a rmdir, each with
 * one name relative to a descriptor: no path is walked from the root. Slices
 * are made when the first unit needs them, and stay.
 *
 * The groups that a unit makes below its own may be deep and many, even in bad
 * faith: they are walked as a list of limited length.
 */

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/cgroup_find.h"
#include "exec/cgroup_name.h"
#include "exec/cgroup_private.h"
#include "unit/unit_slice.h"

/* — groups — */

static void close_folder(DIR **folder) {
        if (*folder)
                closedir(*folder);
}

static int group_new(CgroupTree *tree, Cgroup *parent, const char *name, Cgroup **ret_group) {
        int at = parent ? parent->fd : AT_FDCWD;
        Cgroup *group;
        int fd;

        fd = openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (parent ? O_NOFOLLOW : 0));
        if (fd < 0)
                return -errno;
        group = calloc(1, sizeof(*group) + strlen(name) + 1);
        if (!group) {
                close(fd);
                return -ENOMEM;
        }
        group->tree = tree;
        group->parent = parent;
        group->fd = fd;
        strcpy(group->name, name);
        *ret_group = group;
        return 0;
}

int cgroup_new_root(CgroupTree *tree) {
        return group_new(tree, NULL, tree->folder, &tree->root);
}

bool cgroup_tree_has(const CgroupTree *tree, CgroupController controller) {
        return tree->controllers >> controller & 1;
}

Cgroup *cgroup_free(Cgroup *group) {
        if (!group)
                return NULL;
        close(group->fd);
        free(group->slice);
        free(group);
        return NULL;
}

/* 0, 1 if the group existed, or -errno. */
static int make_group(Cgroup *parent, const char *name, Cgroup **ret_group) {
        bool was_there = mkdirat(parent->fd, name, 0755) < 0;
        int r;

        if (was_there && errno != EEXIST)
                return -errno;
        r = group_new(parent->tree, parent, name, ret_group);
        if (r < 0)
                return r;
        (*ret_group)->was_killed = was_there;
        return was_there;
}

int cgroup_make(Cgroup *slice, const char *unit, Cgroup **ret_group) {
        cleanup_free_ char *name = NULL;
        int r = cgroup_name_escape(unit, &name);

        return r < 0 ? r : make_group(slice, name, ret_group);
}

int cgroup_open(Cgroup *slice, const char *unit, Cgroup **ret_group) {
        cleanup_free_ char *name = NULL;
        int r = cgroup_name_escape(unit, &name);

        if (r == 0)
                r = group_new(slice->tree, slice, name, ret_group);
        if (r == 0)
                (*ret_group)->was_killed = true;
        return r;
}

int cgroup_make_control(Cgroup *group, Cgroup **ret_group) {
        int r = make_group(group, ".control", ret_group);

        return MIN(r, 0);
}

int cgroup_fd(const Cgroup *group) {
        return group->fd;
}

bool cgroup_takes_clones(const Cgroup *group) {
        return !group->was_killed;
}

int cgroup_path(const Cgroup *group, char **ret_path) {
        const Cgroup *above[CGROUP_DEPTH_MAX];
        cleanup_(text_deinit) Text path = {};
        size_t n = 0;

        for (; group->parent && n < CGROUP_DEPTH_MAX; group = group->parent)
                above[n++] = group;
        text_add(&path, group->tree->path);
        while (n > 0) {
                text_add_char(&path, '/');
                text_add(&path, above[--n]->name);
        }
        return text_finish(&path, ret_path);
}

/* — contents of a group — */

void cgroup_folders_deinit(CgroupFolders *folders) {
        for (size_t i = 0; i < folders->n; i++)
                free(folders->items[i]);
        vector_deinit(folders);
}

static int add_folder(CgroupFolders *folders, const char *above, const char *name) {
        char *path = NULL;
        int r = above ? text_join_path(above, name, &path) : text_format(&path, "%s", name);

        if (r == 0)
                r = vector_push(folders, path);
        if (r < 0)
                free(path);
        return r;
}

/* Appends the folders directly in @path; a folder that is gone has none. */
static int add_folders_in(const Cgroup *group, CgroupFolders *folders, const char *path) {
        cleanup_(close_folder) DIR *folder = NULL;
        const struct dirent *entry;
        int fd, r = 0;

        fd = openat(group->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0)
                return errno == ENOENT || errno == ENODEV ? 0 : -errno;
        folder = fdopendir(fd);
        if (!folder) {
                close(fd);
                return -ENOMEM;
        }
        while (r == 0 && folders->n < CGROUP_FOLDERS_MAX && (entry = readdir(folder)))
                if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                        r = add_folder(folders, path, entry->d_name);
        return r;
}

int cgroup_list_folders(const Cgroup *group, CgroupFolders *folders) {
        struct stat status;
        int r;

        r = add_folder(folders, NULL, ".");
        /* The link count shows whether there are subfolders: most groups have none, and are not read. */
        if (r < 0 || (fstat(group->fd, &status) == 0 && status.st_nlink == 2))
                return r;
        for (size_t i = 0; r == 0 && i < folders->n; i++)
                r = add_folders_in(group, folders, folders->items[i]);
        return r;
}

/* Removes the groups within @group, but not @group itself. */
static int remove_inner(const Cgroup *group) {
        CgroupFolders folders = {};
        int r = cgroup_list_folders(group, &folders);

        for (size_t i = folders.n; r == 0 && i-- > 1;)
                if (unlinkat(group->fd, folders.items[i], AT_REMOVEDIR) < 0 && errno != ENOENT && errno != ENODEV)
                        r = -errno;
        cgroup_folders_deinit(&folders);
        return r;
}

int cgroup_remove(Cgroup *group) {
        int r;

        assert(group->parent);

        if (unlinkat(group->parent->fd, group->name, AT_REMOVEDIR) == 0 || errno == ENOENT)
                return 0;
        if (errno != EBUSY && errno != ENOTEMPTY)
                return -errno;
        r = remove_inner(group);
        if (r < 0)
                return r;
        return unlinkat(group->parent->fd, group->name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -errno;
}

/* — slices — */

Cgroup *cgroup_tree_find_slice(const CgroupTree *tree, const char *slice) {
        if (strcmp(slice, UNIT_ROOT_SLICE) == 0)
                return tree->root;
        for (size_t i = 0; i < tree->slices.n; i++)
                if (strcmp(tree->slices.items[i]->slice, slice) == 0)
                        return tree->slices.items[i];
        return NULL;
}

static int make_slice(CgroupTree *tree, Cgroup *parent, const char *slice, Cgroup **ret_group) {
        cleanup_free_ char *name = strdup(slice);
        Cgroup *group = NULL;
        int r;

        r = name ? vector_reserve(&tree->slices, 1) : -ENOMEM;
        if (r == 0)
                r = cgroup_make(parent, slice, &group);
        if (r < 0)
                return r;
        group->slice = take_ptr(name);
        (void) vector_push(&tree->slices, group);
        *ret_group = group;
        return 0;
}

/* Goes one level down from *@at. */
static int enter_slice(CgroupTree *tree, const char *slice, Cgroup **at) {
        Cgroup *known = cgroup_tree_find_slice(tree, slice);

        if (!known)
                return make_slice(tree, *at, slice, at);
        *at = known;
        return 0;
}

/* Each dash in the name ends the name of a parent slice. */
int cgroup_tree_slice(CgroupTree *tree, const char *slice, Cgroup **ret_group) {
        Cgroup *parent = tree->root;
        Cgroup *group = cgroup_tree_find_slice(tree, slice);
        size_t n = strlen(slice);

        if (!group && !unit_slice_is_valid(slice))
                return -EINVAL;
        n -= strlen(".slice");
        for (size_t end = 1; !group && end <= n; end++) {
                cleanup_free_ char *outer = NULL;
                int r;

                if (end < n && slice[end] != '-')
                        continue;
                if (text_format(&outer, "%.*s.slice", (int) end, slice) < 0)
                        return -ENOMEM;
                r = enter_slice(tree, outer, &parent);
                if (r < 0)
                        return r;
        }
        *ret_group = group ? group : parent;
        return 0;
}

/* Returns true if the name now belongs to another folder than the one that is open. */
static bool is_replaced(const Cgroup *group) {
        struct stat ours, there;

        return fstat(group->fd, &ours) == 0 &&
               fstatat(group->parent->fd, group->name, &there, AT_SYMLINK_NOFOLLOW) == 0 && ours.st_ino != there.st_ino;
}

/*
 * 1 if the group was created again, 0 if it still existed, or -errno. The descriptor keeps its number, because others
 * have stored it.
 */
static int make_again(Cgroup *group) {
        int fd, r = mkdirat(group->parent->fd, group->name, 0755) < 0 ? -errno : 0;

        if (r == -EEXIST && !is_replaced(group))
                return 0;
        if (r < 0 && r != -EEXIST)
                return r;
        fd = openat(group->parent->fd, group->name, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0)
                return -errno;
        r = dup3(fd, group->fd, O_CLOEXEC) < 0 ? -errno : 1;
        close(fd);
        group->enabled = 0;
        return r;
}

int cgroup_tree_mend(CgroupTree *tree) {
        int n = 0;

        for (size_t i = 0; i < tree->slices.n; i++) {
                int r = make_again(tree->slices.items[i]);

                if (r < 0)
                        return r;
                n += r;
        }
        return n;
}

int cgroup_tree_remove_slice(CgroupTree *tree, const char *slice) {
        size_t i = 0;

        while (i < tree->slices.n && strcmp(tree->slices.items[i]->slice, slice) != 0)
                i++;
        if (i == tree->slices.n)
                return 0;
        if (unlinkat(tree->slices.items[i]->parent->fd, tree->slices.items[i]->name, AT_REMOVEDIR) < 0 &&
            errno != ENOENT)
                return -EBUSY;
        cgroup_free(tree->slices.items[i]);
        tree->slices.n--;
        memmove(tree->slices.items + i, tree->slices.items + i + 1, (tree->slices.n - i) * sizeof(*tree->slices.items));
        return 0;
}

void cgroup_tree_remove_slices(CgroupTree *tree) {
        for (size_t i = tree->slices.n; i-- > 0;)
                cgroup_tree_remove_slice(tree, tree->slices.items[i]->slice);
}
