/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * From a path to an object
 *
 * Every valid name of a unit is a path that can be asked: the unit is loaded
 * for the question and let go again, and a unit that has no file says so by its
 * load state.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_internal.h"
#include "dbus/bus_object.h"

/* As systemd has it: the unit of whoever asks. */
static int find_own_unit(Bus *bus, pid_t caller, BusObject *object, Failure *ret_failure) {
        object->unit = manager_unit_by_pid(bus->manager, caller);
        if (!object->unit)
                return failure_set(ret_failure, -ENOENT, "NoUnitForPID", "The client is not of any unit.");
        object->kind = BUS_OBJECT_UNIT;
        return 0;
}

static int find_unit(Bus *bus, const char *label, pid_t caller, BusObject *object, Failure *ret_failure) {
        cleanup_free_ char *name = NULL;
        int r;

        if (text_equal(label, "self"))
                return find_own_unit(bus, caller, object, ret_failure);

        r = bus_path_unescape(label, &name);
        if (r == -ENOMEM)
                return r;
        if (r < 0 || !unit_name_is_valid(name) || unit_name_is_template(name))
                return failure_set(ret_failure, -ENOENT, "UnknownObject", "%s is not the path of a unit.",
                                   object->path);

        r = manager_load_unit(bus->manager, name, &object->unit, ret_failure);
        if (r < 0)
                return r;

        manager_consider_unloading(bus->manager, object->unit);
        object->kind = BUS_OBJECT_UNIT;
        return 0;
}

static int find_job(Bus *bus, const char *label, BusObject *object, Failure *ret_failure) {
        uint32_t id;

        if (label[0] == '0' || text_parse_u32(label, &id) < 0 || id == JOB_ID_NONE ||
            !job_manager_find(manager_jobs(bus->manager), id, &object->job))
                return failure_set(ret_failure, -ENOENT, "UnknownObject", "There is no job %s.", label);

        object->kind = BUS_OBJECT_JOB;
        object->unit = object->job.unit;
        return 0;
}

static int find_below(Bus *bus, const char *rest, pid_t caller, BusObject *object, Failure *ret_failure) {
        object->kind = BUS_OBJECT_NODE;
        if (text_equal(rest, "unit") || text_equal(rest, "job"))
                return 0;
        if (text_starts_with(rest, "unit/"))
                return find_unit(bus, rest + strlen("unit/"), caller, object, ret_failure);
        if (text_starts_with(rest, "job/"))
                return find_job(bus, rest + strlen("job/"), object, ret_failure);
        return failure_set(ret_failure, -ENOENT, "UnknownObject", "There is no object %s.", object->path);
}

/* What follows @root in @path: "" if they are the same, NULL if it lies elsewhere. */
static const char *path_below(const char *path, const char *root) {
        size_t n = strlen(root);

        if (text_equal(root, "/"))
                return path + 1;
        if (strncmp(path, root, n) != 0)
                return NULL;
        return path[n] == '\0' ? path + n : path[n] == '/' ? path + n + 1 : NULL;
}

int bus_object_find(Bus *bus, const char *path, pid_t caller, const BusDialect **ret_dialect, BusObject *ret_object,
                    Failure *ret_failure) {
        *ret_object = (BusObject) { .kind = BUS_OBJECT_MANAGER, .path = path };
        *ret_dialect = &bus_dialects[BUS_DIALECT_OWN];

        bus_foreach_dialect(bus, dialect) {
                const char *rest = path_below(path, dialect->root);

                if (!rest)
                        continue;
                *ret_dialect = dialect;
                return *rest ? find_below(bus, rest, caller, ret_object, ret_failure) : 0;
        }

        bus_foreach_dialect(bus, dialect)
                if (path_below(dialect->root, path)) {
                        ret_object->kind = BUS_OBJECT_NODE;
                        return 0;
                }
        return failure_set(ret_failure, -ENOENT, "UnknownObject", "There is no object %s.", path);
}

size_t bus_object_interfaces(const BusObject *object, BusInterface ret_interfaces[static BUS_INTERFACES_MAX]) {
        size_t n = 0;

        switch (object->kind) {
        case BUS_OBJECT_MANAGER:
                ret_interfaces[n++] = bus_manager_interface;
                ret_interfaces[n++] = bus_object_manager_interface;
                break;
        case BUS_OBJECT_UNIT:
                /* In this order GetAll() of all interfaces answers, and so systemctl show prints. */
                if (object->unit->vtable->interface)
                        ret_interfaces[n++] = bus_type_interface(object->unit->vtable);
                ret_interfaces[n++] = bus_unit_interface;
                break;
        case BUS_OBJECT_JOB:
                ret_interfaces[n++] = bus_job_interface;
                break;
        case BUS_OBJECT_DRIVER:
                ret_interfaces[n++] = bus_driver_interface;
                ret_interfaces[n++] = bus_monitoring_interface;
                break;
        case BUS_OBJECT_NODE:
                break;
        }

        ret_interfaces[n++] = bus_properties_interface;
        ret_interfaces[n++] = bus_introspectable_interface;
        ret_interfaces[n++] = bus_peer_interface;
        return n;
}

static int push_label(char ***labels, const char *text, size_t n) {
        cleanup_free_ char *label = strndup(text, n);

        if (!label)
                return -ENOMEM;
        return strv_contains(*labels, label) ? 0 : strv_push(labels, label);
}

static int push_units(Bus *bus, char ***labels) {
        UnitTable *table = manager_units(bus->manager);

        unit_table_foreach(table, unit) {
                char *label;
                int r;

                r = bus_path_escape(unit->id, &label);
                if (r >= 0)
                        r = strv_consume(labels, label);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int push_jobs(Bus *bus, char ***labels) {
        JobInfos jobs = {};
        int r;

        r = job_manager_list(manager_jobs(bus->manager), &jobs);
        for (size_t i = 0; r >= 0 && i < jobs.n; i++) {
                char *label;

                r = text_format(&label, "%u", jobs.items[i].id);
                if (r >= 0)
                        r = strv_consume(labels, label);
        }
        vector_deinit(&jobs);
        return r;
}

/* The next label on the way down to each root. */
static int push_ways(Bus *bus, const char *path, char ***labels) {
        bus_foreach_dialect(bus, dialect) {
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

int bus_object_children(Bus *bus, const BusObject *object, char ***ret_labels) {
        cleanup_(strv_freep) char **labels = NULL;
        int r = 0;

        switch (object->kind) {
        case BUS_OBJECT_MANAGER:
                r = push_label(&labels, "unit", 4);
                if (r >= 0)
                        r = push_label(&labels, "job", 3);
                break;
        case BUS_OBJECT_NODE:
                if (text_ends_with(object->path, "/unit"))
                        r = push_units(bus, &labels);
                else if (text_ends_with(object->path, "/job"))
                        r = push_jobs(bus, &labels);
                else
                        r = push_ways(bus, object->path, &labels);
                break;
        case BUS_OBJECT_UNIT:
        case BUS_OBJECT_JOB:
        case BUS_OBJECT_DRIVER:
                break;
        }
        if (r < 0)
                return r;

        *ret_labels = take_ptr(labels);
        return 0;
}
