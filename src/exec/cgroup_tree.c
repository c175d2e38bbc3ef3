/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of control groups: where it begins, and which unit a process is of
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/cgroup_control.h"
#include "exec/cgroup_find.h"
#include "exec/cgroup_name.h"
#include "exec/cgroup_private.h"
#include "exec/cgroup_process.h"
#include "unit/unit_slice.h"

/* Rounds of looking for processes that were forked while others were moved. */
#define MOVES_MAX 8U

static void close_file(FILE **file) {
        if (*file)
                fclose(*file);
}

static FILE *open_file(const Cgroup *group, const char *name) {
        int fd = openat(group->fd, name, O_RDONLY | O_CLOEXEC);
        FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

        if (fd >= 0 && !file)
                close(fd);
        return file;
}

static uint8_t read_controllers(const Cgroup *root) {
        cleanup_(close_file) FILE *file = open_file(root, "cgroup.controllers");
        uint8_t controllers = 0;
        char word[64];

        while (file && fscanf(file, "%63s", word) == 1)
                for (int i = 0; i < _CGROUP_CONTROLLER_MAX; i++)
                        if (strcmp(word, cgroup_controller_to_string((CgroupController) i)) == 0)
                                controllers |= (uint8_t) (1U << i);
        return controllers;
}

int cgroup_tree_new(const char *folder, const char *path, CgroupTree **ret_tree) {
        cleanup_(cgroup_tree_freep) CgroupTree *tree = calloc(1, sizeof(*tree));
        int r;

        assert(folder && path && ret_tree);

        if (!tree)
                return -ENOMEM;
        tree->folder = strdup(folder);
        tree->path = strdup(path);
        r = tree->folder && tree->path ? cgroup_new_root(tree) : -ENOMEM;
        if (r < 0)
                return r;
        tree->controllers = read_controllers(tree->root);
        *ret_tree = take_ptr(tree);
        return 0;
}

CgroupTree *cgroup_tree_free(CgroupTree *tree) {
        if (!tree)
                return NULL;
        while (tree->slices.n > 0)
                cgroup_free(vector_pop(&tree->slices));
        vector_deinit(&tree->slices);
        cgroup_free(tree->root);
        free(tree->folder);
        free(tree->path);
        free(tree);
        return NULL;
}

/* Moves all processes that can be moved, without kernel threads: their number, or -errno. */
static int move_processes(const Cgroup *from, const Cgroup *to) {
        cleanup_(close_file) FILE *file = open_file(from, "cgroup.procs");
        int pid, n = 0;

        if (!file)
                return -errno;
        while (fscanf(file, "%d", &pid) == 1) {
                char number[16];

                snprintf(number, sizeof(number), "%d", pid);
                if (pid > 0 && cgroup_write(to, "cgroup.procs", number) == 0)
                        n++;
        }
        return n;
}

int cgroup_tree_move_manager(CgroupTree *tree) {
        Cgroup *leaf;
        int r;

        r = cgroup_make(tree->root, CGROUP_OWN_LEAF, &leaf);
        if (r < 0)
                return r;
        for (unsigned i = 0; i < MOVES_MAX && (r = move_processes(tree->root, leaf)) > 0; i++)
                ;
        cgroup_free(leaf);
        return MIN(r, 0);
}

/*
 * Returns true if all parents of @path are slices. A group that a unit has made within its own belongs to the unit,
 * which may be running.
 */
static bool is_ours(const char *path) {
        const char *at = path + strlen("./"), *slash;

        if (strcmp(path, ".") == 0)
                return false;
        for (; (slash = strchr(at, '/')); at = slash + 1)
                if (slash - at < (ptrdiff_t) strlen(".slice") ||
                    memcmp(slash - strlen(".slice"), ".slice", strlen(".slice")) != 0)
                        return false;
        return at != path + strlen("./") || text_ends_with(at, ".slice");
}

void cgroup_tree_sweep(CgroupTree *tree) {
        CgroupFolders folders = {};

        if (cgroup_list_folders(tree->root, &folders) == 0)
                for (size_t i = folders.n; i-- > 0;)
                        if (is_ours(folders.items[i]))
                                (void) unlinkat(tree->root->fd, folders.items[i], AT_REMOVEDIR);
        cgroup_folders_deinit(&folders);
}

const char *cgroup_tree_folder(const CgroupTree *tree) {
        return tree->folder;
}

int cgroup_read_path(pid_t pid, char **ret_path) {
        cleanup_(close_file) FILE *file = NULL;
        cleanup_free_ char *line = NULL;
        char name[64];
        size_t size = 0;

        snprintf(name, sizeof(name), "/proc/%d/cgroup", (int) pid);
        file = fopen(name, "re");
        while (file && getline(&line, &size, file) > 0) {
                if (!text_starts_with(line, "0::/"))
                        continue;
                line[strcspn(line, "\n")] = '\0';
                *ret_path = strdup(line + strlen("0::"));
                return *ret_path ? 0 : -ENOMEM;
        }
        return -ENOENT;
}

/* Slices are nested; the first folder below them that is no slice is the unit's. */
static int find_place(const CgroupTree *tree, pid_t pid, char **ret_slice, char **ret_unit) {
        cleanup_(strv_freep) char **parts = NULL;
        cleanup_free_ char *path = NULL, *slice = NULL;
        const char *slice_name = UNIT_ROOT_SLICE;
        size_t n = strlen(tree->path);
        int r;

        r = cgroup_read_path(pid, &path);
        if (r < 0)
                return r;
        if (!text_starts_with(path, tree->path) || path[n] != '/')
                return -ENOENT;
        r = strv_split(path + n, "/", &parts);
        if (r < 0)
                return r;
        strv_foreach(part, parts) {
                const char *name = cgroup_name_unescape(*part);

                if (text_ends_with(name, ".slice")) {
                        slice_name = name;
                        continue;
                }
                slice = strdup(slice_name);
                *ret_unit = slice ? strdup(name) : NULL;
                if (!*ret_unit)
                        return -ENOMEM;
                *ret_slice = take_ptr(slice);
                return 0;
        }
        return -ENOENT;
}

int cgroup_tree_find_unit(const CgroupTree *tree, pid_t pid, char **ret_unit) {
        cleanup_free_ char *slice = NULL;

        return find_place(tree, pid, &slice, ret_unit);
}

int cgroup_tree_find_slice_of(const CgroupTree *tree, pid_t pid, const char *unit, char **ret_slice) {
        cleanup_free_ char *slice = NULL, *found = NULL;
        int r = find_place(tree, pid, &slice, &found);

        if (r == 0 && !text_equal(found, unit))
                return -ENOENT;
        if (r == 0)
                *ret_slice = take_ptr(slice);
        return r;
}
