/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * list-dependencies: a finite tree
 *
 * Relations form a graph with cycles and with many paths to one unit. The
 * walk has its own stack and expands each unit once; a further occurrence of
 * a unit with dependencies is marked. So the output has at most one line per
 * relation.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/verbs.h"

/* A unit on the path from the root to the present place. */
typedef struct Level {
        char **children;        /* owned */
        size_t next;
        json_t *document;       /* borrowed; the list of its dependencies, with --json */
} Level;

typedef struct Walk {
        Jobctl *ctl;
        VECTOR(Level) levels;
        json_t *states;         /* owned; unit → active state, of the units seen so far */
        json_t *opened;         /* owned; unit → true */
} Walk;

static const char *const forward[] = { "Requires", "Requisite", "Wants", "ConsistsOf", "BindsTo", "Upholds", NULL };
static const char *const reverse[] = { "RequiredBy", "RequisiteOf", "WantedBy", "PartOf", "BoundBy", "UpheldBy", NULL };
static const char *const after[] = { "After", NULL };
static const char *const before[] = { "Before", NULL };

static const char *const *relations_of(const Options *options) {
        if (options->after)
                return after;
        if (options->before)
                return before;
        return options->reverse ? reverse : forward;
}

static void walk_deinit(Walk *walk) {
        for (size_t i = 0; i < walk->levels.n; i++)
                strv_free(walk->levels.items[i].children);
        vector_deinit(&walk->levels);
        json_decref(walk->states);
        json_decref(walk->opened);
}

static int compare_names(const void *a, const void *b) {
        return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Sorted and without duplicates. */
static int collect_children(const json_t *properties, const char *const *relations, char ***ret_children) {
        cleanup_(strv_freep) char **children = NULL;

        for (; *relations; relations++) {
                json_t *name;
                size_t i;

                json_array_foreach(json_object_get(properties, *relations), i, name)
                        if (!strv_contains(children, json_string_value(name)) &&
                            strv_push(&children, json_string_value(name)) < 0)
                                return -ENOMEM;
        }
        if (children)
                qsort(children, strv_length(children), sizeof(*children), compare_names);
        *ret_children = take_ptr(children);
        return 0;
}

static int walk_open(Walk *walk, const char *unit, json_t *document) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *properties = NULL;
        Level level = { .document = document };
        int r;

        r = jobctl_unit_properties(walk->ctl, unit, BUS_UNIT, &properties, &error);
        if (r < 0)
                return jobctl_fail(walk->ctl, &error, "list the dependencies of %s", unit);
        r = collect_children(properties, relations_of(&walk->ctl->options), &level.children);
        if (r < 0)
                return r;
        if (vector_push(&walk->levels, level) < 0) {
                strv_free(level.children);
                return -ENOMEM;
        }
        if (json_object_set_new(walk->opened, unit, json_true()) < 0 ||
            json_object_set(walk->states, unit, json_object_get(properties, "ActiveState")) < 0)
                return -ENOMEM;
        return 0;
}

static const char *walk_state(Walk *walk, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *state = NULL;

        if (!json_object_get(walk->states, unit) &&
            jobctl_unit_property(walk->ctl, unit, "ActiveState", &state, &error) == 0)
                (void) json_object_set(walk->states, unit, state);
        return value_string(walk->states, unit);
}

/* The dependencies of services are rarely wanted: only targets are expanded, unless --all is given. */
static bool is_openable(const Walk *walk, const char *unit) {
        return walk->ctl->options.all || text_ends_with(unit, ".target");
}

static void print_branches(const Walk *walk) {
        bool is_utf8 = walk->ctl->terminal.has_utf8;

        for (size_t i = 0; i < walk->levels.n; i++) {
                const Level *level = &walk->levels.items[i];
                bool is_last = !level->children[level->next];

                if (i + 1 == walk->levels.n)
                        fputs(is_utf8 ? (is_last ? "└─" : "├─") : (is_last ? "`-" : "|-"), stdout);
                else
                        fputs(is_last ? "  " : is_utf8 ? "│ " : "| ", stdout);
        }
}

static void print_unit(Walk *walk, const char *unit, bool is_again) {
        const Terminal *terminal = &walk->ctl->terminal;
        bool is_plain = walk->ctl->options.plain;
        const char *state = is_plain ? "" : walk_state(walk, unit);

        if (is_plain) {
                if (!is_again)
                        printf("%*s%s\n", (int) (2 * walk->levels.n), "", unit);
                return;
        }
        terminal_print(terminal, state_color(state), state_dot(terminal, state));
        putchar(' ');
        print_branches(walk);
        printf("%s%s\n", unit, is_again ? " (see above)" : "");
}

/* Adds the unit to its parent's list; returns the list for its own dependencies. */
static json_t *add_document(Walk *walk, const char *unit, json_t *list) {
        json_t *inner = json_array();
        json_t *entry = json_pack("{s:s, s:s, s:o}", "unit", unit, "active-state", walk_state(walk, unit),
                                  "dependencies", inner);

        return json_array_append_new(list, entry) < 0 ? NULL : inner;
}

static int walk_step(Walk *walk) {
        Level *level = &vector_last(&walk->levels);
        const char *unit = level->children ? level->children[level->next] : NULL;
        json_t *document = NULL;
        bool is_known;

        if (!unit) {
                strv_free(level->children);
                (void) vector_pop(&walk->levels);
                return 0;
        }
        level->next++;
        is_known = json_object_get(walk->opened, unit);
        if (walk->ctl->options.json) {
                document = add_document(walk, unit, level->document);
                if (!document)
                        return -ENOMEM;
        } else
                print_unit(walk, unit, is_known);
        return is_known || !is_openable(walk, unit) ? 0 : walk_open(walk, unit, document);
}

static int walk_from(Jobctl *ctl, const char *unit, json_t *documents) {
        cleanup_(walk_deinit) Walk walk = { .ctl = ctl, .states = json_object(), .opened = json_object() };
        json_t *document = NULL;
        int r;

        if (!walk.states || !walk.opened)
                return -ENOMEM;
        if (ctl->options.json) {
                document = add_document(&walk, unit, documents);
                if (!document)
                        return -ENOMEM;
        }
        r = walk_open(&walk, unit, document);
        if (r == 0 && !ctl->options.json)
                puts(unit);
        while (r == 0 && walk.levels.n > 0)
                r = walk_step(&walk);
        return r;
}

int verb_list_dependencies(Jobctl *ctl, char *const *words) {
        char *const fallback[] = { (char *) "default.target", NULL };
        cleanup_(strv_freep) char **names = NULL;
        cleanup_json_ json_t *documents = json_array();
        int r;

        if (ctl->options.reverse + ctl->options.after + ctl->options.before > 1)
                return jobctl_misused(ctl, "Only one of --reverse, --after and --before can be given.");
        r = names_resolve(ctl, words && *words ? words : fallback, ".service", &names);
        strv_foreach(name, names) {
                if (r == 0 && name != names && !ctl->options.json)
                        putchar('\n');
                if (r == 0)
                        r = walk_from(ctl, *name, documents);
        }
        if (r != 0 || !ctl->options.json)
                return r;
        return jobctl_print_json(ctl, json_array_size(documents) == 1 ? json_incref(json_array_get(documents, 0))
                                                                      : json_incref(documents), EXIT_OK);
}
