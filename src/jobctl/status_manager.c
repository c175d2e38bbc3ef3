/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status without a unit: the manager, and all processes of its units
 *
 * With control groups the tree shows the groups. Without, each unit is a
 * node, and its processes are queried.
 */

#include <inttypes.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "jobctl/processes.h"
#include "jobctl/property_text.h"
#include "jobctl/state.h"
#include "jobctl/status.h"
#include "jobctl/tree.h"

static void print_limitations(const json_t *manager) {
        cleanup_(text_deinit) Text list = {};

        property_add_strings(&list, json_object_get(manager, "Limitations"), "\n             ");
        status_print_line("Limits", list.string ?: "");
}

static void print_since(const json_t *manager) {
        usec_t since = value_u64(manager, "UserspaceTimestamp");
        usec_t ago = usec_sub(clock_monotonic(), value_u64(manager, "UserspaceTimestampMonotonic"));
        char time[STATE_TIME_MAX];

        if (since > 0)
                status_print_line("Since", state_format_time(since, usec_add(since, ago), time));
}

static void print_alarms(Jobctl *ctl, const json_t *manager) {
        const uint64_t n = value_u64(manager, "NAlarms");
        char text[96];

        if (n == 0 || n == UINT64_MAX)
                return;
        snprintf(text, sizeof(text), "%" PRIu64 " open; see 'jobctl flow alarms'\n", n);
        status_print_label("Alarms");
        terminal_print(&ctl->terminal, COLOR_YELLOW, text);
}

static void print_numbers(Jobctl *ctl, const json_t *manager) {
        const char *state = value_string(manager, "SystemState");
        uint64_t n_failed = value_u64(manager, "NFailedUnits");
        char failed[48];

        terminal_print(&ctl->terminal, state_color(state), state_dot(&ctl->terminal, state));
        printf(" %s, manager of %s\n", value_string(manager, "Version"),
               !text_equal(value_string(manager, "Scope"), "user") ? "the system"
               : ctl->address.is_user                              ? "your user"
                                                                   : "a user");
        status_print_label("State");
        terminal_print(&ctl->terminal, state_color(state), state);
        putchar('\n');
        status_print_label("Units");
        printf("%" PRIu64 " loaded\n", value_u64(manager, "NNames"));
        status_print_label("Jobs");
        printf("%" PRIu64 " queued\n", value_u64(manager, "NJobs"));
        status_print_label("Failed");
        snprintf(failed, sizeof(failed), "%" PRIu64 " %s\n", n_failed, n_failed == 1 ? "unit" : "units");
        terminal_print(&ctl->terminal, n_failed > 0 ? COLOR_RED : COLOR_NONE, failed);
        print_alarms(ctl, manager);
        print_since(manager);
}

/* A process outside of the manager's groups has the group "/": then units stand for groups. */
static int add_units(Jobctl *ctl, Tree *tree) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *units = NULL;
        json_t *unit;
        size_t i;
        int r;

        r = jobctl_call(ctl, "ListUnitsByPatterns", "asas",
                        json_pack("[[ssss][s]]", "active", "reloading", "activating", "deactivating", "*.service"),
                        &units, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list units");
        json_array_foreach(json_array_get(units, 0), i, unit) {
                cleanup_json_ json_t *processes = NULL;
                json_t *process;
                size_t node = TREE_ROOT, j;

                bus_error_deinit(&error);
                if (processes_list(ctl, value_item_string(unit, 0), &processes, &error) < 0)
                        continue;
                json_array_foreach(processes, j, process) {
                        if (j == 0)
                                node = tree_find(tree, TREE_ROOT, value_item_string(unit, 0));
                        tree_add(tree, node, NULL, COLOR_GREY, "%" PRIu64 " %s", value_item_u64(process, 1),
                                 value_item_string(process, 2));
                }
        }
        return 0;
}

static int print_tree(Jobctl *ctl, const char *group) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_(tree_deinit) Tree tree = {};
        cleanup_json_ json_t *processes = NULL;
        int r;

        if (*group) {
                r = processes_list(ctl, "-.slice", &processes, &error);
                if (r < 0)
                        return jobctl_fail(ctl, &error, "list processes");
                tree_add_processes(&tree, processes, group);
        } else {
                r = add_units(ctl, &tree);
                if (r != 0)
                        return r;
        }
        if (tree.nodes.n == 0)
                return EXIT_OK;
        status_print_line(*group ? "CGroup" : "Processes", *group ? group : "by unit");
        r = tree_print(&tree, &ctl->terminal, STATUS_INDENT, ctl->options.full);
        return r < 0 ? r : EXIT_OK;
}

/* The parent of the groups of units: the manager's own group without its last component. */
static const char *group_of_units(Jobctl *ctl, const json_t *manager) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *slice = NULL;
        const char *root;

        if (jobctl_unit_properties(ctl, "-.slice", NULL, &slice, &error) < 0)
                return "";
        root = value_string(slice, "ControlGroup");
        return json_object_set_new((json_t *) manager, "UnitsControlGroup", json_string(root)) < 0
                       ? ""
                       : value_string(manager, "UnitsControlGroup");
}

int status_manager(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *manager = NULL;
        int r;

        r = jobctl_properties(ctl, BUS_PATH, NULL, &manager, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the manager's state");
        if (ctl->options.json)
                return jobctl_print_json(ctl, take_ptr(manager), EXIT_OK);
        print_numbers(ctl, manager);
        print_limitations(manager);
        status_print_line("Runs", value_string(manager, "RunStoreProblem"));
        return print_tree(ctl, group_of_units(ctl, manager));
}
