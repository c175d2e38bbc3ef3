/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: its state as text, and dynamic users
 *
 * The text is for people who look for a fault, as the properties are for
 * programs.
 */

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"

static int compare_names(const void *a, const void *b) {
        return strcmp((*(Unit *const *) a)->id, (*(Unit *const *) b)->id);
}

static void add_relations(Text *text, const Unit *unit) {
        UnitTable *table = unit->table;

        for (UnitRelationKind kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                UnitRelations relations = unit_relations(unit, kind);

                for (size_t i = 0; i < relations.n; i++) {
                        const Unit *other = unit_table_at(table, relations.items[i].other);

                        if (other)
                                text_addf(text, "\t%s: %s\n", unit_relation_to_string(kind), other->id);
                }
        }
}

static void add_unit(Text *text, const Unit *unit) {
        const UnitSettings *settings = &unit->settings;

        text_addf(text, "-> Unit %s:\n\tDescription: %s\n\tUnit Load State: %s\n\tUnit Active State: %s\n", unit->id,
                  settings->description ?: unit->id, unit_load_state_to_string(unit->load_state),
                  unit_active_state_to_string(unit->active_state));
        strv_foreach(name, unit->names)
                text_addf(text, "\tName: %s\n", *name);
        if (settings->fragment_path)
                text_addf(text, "\tFragment Path: %s\n", settings->fragment_path);
        strv_foreach(path, settings->rare->dropin_paths)
                text_addf(text, "\tDropIn Path: %s\n", *path);
        add_relations(text, unit);
}

static bool fits(const Unit *unit, char *const *patterns) {
        strv_foreach(pattern, patterns)
                if (fnmatch(*pattern, unit->id, FNM_NOESCAPE) == 0)
                        return true;
        return !patterns || !*patterns;
}

static int dump(BusCall *call, char *const *patterns) {
        UnitTable *table = manager_units(call->tree->manager);
        cleanup_(text_deinit) Text text = {};
        VECTOR(Unit *) units = {};
        int r = 0;

        unit_table_foreach(table, unit)
                if (r >= 0 && fits(unit, patterns))
                        r = vector_push(&units, unit);
        if (r >= 0 && units.n > 0)
                qsort(units.items, units.n, sizeof(Unit *), compare_names);
        if (!patterns)
                text_addf(&text, "Manager: jobd %s\nUnits: %zu\nJobs: %zu\n", JOBD_VERSION, units.n,
                          job_manager_count(manager_jobs(call->tree->manager)));
        for (size_t i = 0; r >= 0 && i < units.n; i++)
                add_unit(&text, units.items[i]);
        vector_deinit(&units);
        if (r >= 0)
                sink_string(call->reply, text.string ?: "");
        return r;
}

int bus_manager_dump(BusCall *call) {
        return dump(call, NULL);
}

int bus_manager_dump_by_patterns(BusCall *call) {
        cleanup_(strv_freep) char **patterns = NULL;
        int r = bus_call_strv(call, &patterns);

        return r < 0 ? r : dump(call, patterns);
}

/* — dynamic users — */

int bus_manager_find_dynamic_user(BusCall *call) {
        const char *name = bus_call_string(call);
        uid_t uid;

        if (manager_find_dynamic_user(name, &uid) < 0)
                return bus_call_fail(call, -ESRCH, "NoSuchDynamicUser", "There is no dynamic user %s.", name);
        sink_u32(call->reply, (uint32_t) uid);
        return 0;
}

int bus_manager_name_dynamic_user(BusCall *call) {
        UnitTable *table = manager_units(call->tree->manager);
        uint32_t wanted = bus_call_u32(call);

        unit_table_foreach(table, unit) {
                uid_t uid = (uid_t) -1;
                const char *name = manager_dynamic_user_of(unit, &uid);

                if (!name || uid != wanted)
                        continue;
                sink_string(call->reply, name);
                return 0;
        }
        return bus_call_fail(call, -ESRCH, "NoSuchDynamicUser", "There is no dynamic user of number %u.", wanted);
}

int bus_manager_list_dynamic_users(BusCall *call) {
        UnitTable *table = manager_units(call->tree->manager);

        sink_open(call->reply, 'a', "(us)");
        unit_table_foreach(table, unit) {
                uid_t uid = (uid_t) -1;
                const char *name = manager_dynamic_user_of(unit, &uid);

                if (!name)
                        continue;
                sink_open(call->reply, 'r', "us");
                sink_u32(call->reply, (uint32_t) uid);
                sink_string(call->reply, name);
                sink_close(call->reply);
        }
        sink_close(call->reply);
        return 0;
}

/* — what only systemd has — */

int bus_manager_enqueue_marked(BusCall *call) {
        sink_open(call->reply, 'a', "o");
        sink_close(call->reply);
        return 0;
}

int bus_manager_show_status(BusCall *call) {
        const char *mode = bus_call_string(call);

        return !*mode || text_equal(mode, "no") || text_equal(mode, "false") ? 0 :
               bus_call_fail(call, -EOPNOTSUPP, "NotSupported", "This manager shows no status on a console.");
}

int bus_call_not_supported(BusCall *call) {
        return bus_call_fail(call, -EOPNOTSUPP, "NotSupported", "This manager does not support %s.",
                             call->method->name);
}
