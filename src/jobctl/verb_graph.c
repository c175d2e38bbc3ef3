/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * graph: the relations of units, in the language of graphviz
 *
 * The colours are those of systemd-analyze: requirements black, weak
 * dependencies grey, conflicts red, order green.
 */

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "basic/strv.h"
#include "jobctl/verbs.h"

static const struct Relation {
        const char *property;
        const char *color;
        bool is_order;
} relations[] = {
        { "Requires", "black", false },
        { "Requisite", "darkblue", false },
        { "BindsTo", "gold", false },
        { "Wants", "grey66", false },
        { "Upholds", "orange", false },
        { "Conflicts", "red", false },
        { "After", "green", true },
};

/* Unit names come from files: quotes and backslashes are escaped. */
static void print_quoted(const char *name) {
        putchar('"');
        for (const char *c = name; *c; c++) {
                if (*c == '"' || *c == '\\')
                        putchar('\\');
                putchar(*c);
        }
        putchar('"');
}

static bool is_wanted(char *const *patterns, const char *from, const char *to) {
        strv_foreach(pattern, patterns)
                if (fnmatch(*pattern, from, FNM_NOESCAPE) == 0 || fnmatch(*pattern, to, FNM_NOESCAPE) == 0)
                        return true;
        return !patterns || !*patterns;
}

static int add_edges(Jobctl *ctl, const struct Relation *relation, char *const *patterns, const json_t *unit,
                     json_t *edges) {
        const char *from = value_string(unit, "Id");
        json_t *item;
        size_t i;

        json_array_foreach(json_object_get(unit, relation->property), i, item) {
                const char *to = json_string_value(item) ?: "";

                if (!is_wanted(patterns, from, to))
                        continue;
                if (ctl->options.json) {
                        if (json_array_append_new(edges, json_pack("{s:s, s:s, s:s}", "from", from, "to", to,
                                                                   "relation", relation->property)) < 0)
                                return -ENOMEM;
                        continue;
                }
                putchar('\t');
                print_quoted(from);
                fputs(" -> ", stdout);
                print_quoted(to);
                printf(" [color=\"%s\"];\n", relation->color);
        }
        return 0;
}

static int add_unit(Jobctl *ctl, char *const *patterns, const char *name, json_t *edges) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *unit = NULL;
        int r = jobctl_unit_properties(ctl, name, BUS_UNIT, &unit, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "get the relations of %s", name);
        for (size_t i = 0; r == 0 && i < ELEMENTSOF(relations); i++)
                if (!ctl->options.after || relations[i].is_order)
                        r = add_edges(ctl, &relations[i], patterns, unit, edges);
        return r;
}

int verb_graph(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL, *edges = json_array();
        json_t *row;
        size_t i;
        int r;

        r = jobctl_call(ctl, "ListUnitsByPatterns", "asas", json_pack("[[][]]"), &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list units");
        if (!ctl->options.json)
                puts("digraph jobd {");
        json_array_foreach(json_array_get(reply, 0), i, row)
                if (r == 0)
                        r = add_unit(ctl, words, value_item_string(row, 0), edges);
        if (r != 0)
                return r;
        if (ctl->options.json)
                return jobctl_print_json(ctl, take_ptr(edges), EXIT_OK);
        puts("}");
        return EXIT_OK;
}
