/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Objects as a tree of paths
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/object/bus_tree.h"

/* Folders: paths that are only parents of objects. */
static const BusKind folder_kind = {};

static int find_below(const BusTree *tree, const char *rest, pid_t caller, BusObject *object, Failure *ret_failure) {
        for (const BusKind *const *kind = tree->kinds; *kind; kind++) {
                size_t n = strlen((*kind)->label);

                if (!bus_row_is_of((*kind)->flags, object->dialect) || strncmp(rest, (*kind)->label, n) != 0 ||
                    (rest[n] != '/' && rest[n] != '\0'))
                        continue;
                if (rest[n] == '\0') {
                        object->below = *kind;
                        return 0;
                }
                object->kind = *kind;
                return (*kind)->find(tree, rest + n + 1, caller, object, ret_failure);
        }
        return failure_set(ret_failure, -ENOENT, "UnknownObject", "There is no object %s.", object->path);
}

/* The part of @path after @root: "" if they are equal, NULL if it is not below @root. */
static const char *path_below(const char *path, const char *root) {
        size_t n = strlen(root);

        if (text_equal(root, "/"))
                return path + 1;
        if (strncmp(path, root, n) != 0)
                return NULL;
        return path[n] == '\0' ? path + n : path[n] == '/' ? path + n + 1 : NULL;
}

int bus_tree_find(const BusTree *tree, const char *path, pid_t caller, BusObject *ret_object, Failure *ret_failure) {
        *ret_object = (BusObject) {
                .kind = &folder_kind,
                .path = path,
                .dialect = &bus_dialects[BUS_DIALECT_OWN],
        };

        bus_foreach_dialect(tree->dialects, dialect) {
                const char *rest = path_below(path, dialect->root);

                if (!rest)
                        continue;
                ret_object->dialect = dialect;
                if (*rest)
                        return find_below(tree, rest, caller, ret_object, ret_failure);
                ret_object->kind = tree->root;
                return 0;
        }

        if (tree->beside && text_equal(path, tree->beside->fixed_path)) {
                ret_object->dialect = &bus_dialects[BUS_DIALECT_SYSTEMD];
                ret_object->kind = tree->beside;
                return 0;
        }
        bus_foreach_dialect(tree->dialects, dialect) if (path_below(dialect->root, path)) return 0;
        return failure_set(ret_failure, -ENOENT, "UnknownObject", "There is no object %s.", path);
}

size_t bus_object_interfaces(const BusTree *tree, const BusObject *object,
                             BusInterface ret_interfaces[static BUS_INTERFACES_MAX]) {
        size_t n = object->kind->interfaces ? object->kind->interfaces(object, ret_interfaces) : 0;

        for (const BusInterface *const *common = tree->common; *common; common++) {
                assert(n < BUS_INTERFACES_MAX);
                ret_interfaces[n++] = **common;
        }
        return n;
}

const char *bus_object_path(const BusObject *object, const BusDialect *dialect, char buffer[static BUS_PATH_SIZE]) {
        if (object->kind->path)
                return object->kind->path(object, dialect, buffer);
        return object->kind->fixed_path ?: dialect->root;
}

static int push_label(char ***labels, const char *text, size_t n) {
        cleanup_free_ char *label = strndup(text, n);

        if (!label)
                return -ENOMEM;
        return strv_contains(*labels, label) ? 0 : strv_push(labels, label);
}

static int push_object(void *userdata, const BusObject *object) {
        char path[BUS_PATH_SIZE];

        return strv_push(userdata, strrchr(bus_object_path(object, &bus_dialects[BUS_DIALECT_OWN], path), '/') + 1);
}

static int push_kinds(const BusTree *tree, const BusDialect *dialect, char ***labels) {
        int r = 0;

        for (const BusKind *const *kind = tree->kinds; *kind && r >= 0; kind++)
                if (bus_row_is_of((*kind)->flags, dialect))
                        r = strv_push(labels, (*kind)->label);
        return r;
}

/* The next label on the way down to each root. */
static int push_ways(const BusTree *tree, const char *path, char ***labels) {
        bus_foreach_dialect(tree->dialects, dialect) {
                const char *rest = path_below(dialect->root, path);
                int r;

                if (!rest || !*rest)
                        continue;
                r = push_label(labels, rest, strcspn(rest, "/"));
                if (r < 0)
                        return r;
        }
        return 0;
}

int bus_tree_children(const BusTree *tree, const BusObject *object, char ***ret_labels) {
        cleanup_(strv_freep) char **labels = NULL;
        int r = 0;

        if (object->kind == tree->root)
                r = push_kinds(tree, object->dialect, &labels);
        else if (object->below)
                r = object->below->visit(tree, push_object, &labels);
        else if (object->kind == &folder_kind)
                r = push_ways(tree, object->path, &labels);
        if (r < 0)
                return r;

        *ret_labels = take_ptr(labels);
        return 0;
}
