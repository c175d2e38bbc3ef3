/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status: the resources and processes of a unit
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/processes.h"
#include "jobctl/property_text.h"
#include "jobctl/status.h"
#include "jobctl/tree.h"

void status_print_label(const char *label) {
        printf("%*s: ", STATUS_LABEL_WIDTH, label);
}

void status_print_line(const char *label, const char *text) {
        if (*text) {
                status_print_label(label);
                printf("%s\n", text);
        }
}

const char *status_format_bytes(uint64_t bytes, char buffer[static STATUS_BYTES_MAX]) {
        static const char units[] = "BKMGTPE";
        double amount = (double) bytes;
        size_t unit = 0;

        for (; amount >= 1024 && units[unit + 1]; unit++)
                amount /= 1024;
        snprintf(buffer, STATUS_BYTES_MAX, unit == 0 ? "%.0f%c" : "%.1f%c", amount, units[unit]);
        return buffer;
}

/* UINT64_MAX means that the value is not set; so does a missing key. */
static uint64_t amount_of(const json_t *unit, const char *key) {
        return json_object_get(unit, key) ? value_u64(unit, key) : UINT64_MAX;
}

static void print_limit(const json_t *unit, const char *key, const char *label, const char **separator) {
        uint64_t limit = amount_of(unit, key);
        char buffer[STATUS_BYTES_MAX];

        if (limit == UINT64_MAX || limit == 0)
                return;
        printf("%s%s: %s", *separator, label, status_format_bytes(limit, buffer));
        *separator = ", ";
}

static void print_memory(const json_t *unit, const ProcessUsage *usage) {
        uint64_t current = MIN(amount_of(unit, "MemoryCurrent"), usage->memory);
        const char *separator = " (";
        char buffer[STATUS_BYTES_MAX];

        if (current == UINT64_MAX)
                return;
        status_print_label("Memory");
        printf("%s", status_format_bytes(current, buffer));
        print_limit(unit, "MemoryMin", "min", &separator);
        print_limit(unit, "MemoryLow", "low", &separator);
        print_limit(unit, "MemoryHigh", "high", &separator);
        print_limit(unit, "MemoryMax", "max", &separator);
        print_limit(unit, "MemoryPeak", "peak", &separator);
        printf("%s\n", *separator == ',' ? ")" : "");
}

/* Of the control group, or of the processes themselves. */
static void print_amounts(const json_t *unit, const ProcessUsage *usage) {
        uint64_t tasks = MIN(amount_of(unit, "TasksCurrent"), usage->tasks);
        uint64_t cpu = MIN(amount_of(unit, "CPUUsageNSec"), usage->cpu);
        cleanup_(text_deinit) Text unapplied = {};
        char span[USEC_FORMAT_MAX];

        if (tasks != UINT64_MAX) {
                status_print_label("Tasks");
                printf("%" PRIu64, tasks);
                if (amount_of(unit, "TasksMax") != UINT64_MAX)
                        printf(" (limit: %" PRIu64 ")", amount_of(unit, "TasksMax"));
                putchar('\n');
        }
        print_memory(unit, usage);
        if (cpu != UINT64_MAX)
                status_print_line("CPU", usec_format(cpu / 1000, span));
        property_add_strings(&unapplied, json_object_get(unit, "ResourcesNotApplied"), ", ");
        if (unapplied.n > 0) {
                status_print_label("Warning");
                printf("Resource limits not applied: %s\n", unapplied.string);
        }
}

/* The use by a unit without a control group. */
static ProcessUsage measure(const json_t *unit, const json_t *processes) {
        if (amount_of(unit, "TasksCurrent") != UINT64_MAX || *value_string(unit, "ControlGroup"))
                processes = NULL;
        return processes_measure(processes);
}

int status_add_processes(Jobctl *ctl, json_t *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *found = NULL;
        json_t *processes = json_array(), *process;
        ProcessUsage usage;
        size_t i;

        /* A unit that is not loaded has no processes. */
        (void) processes_list(ctl, value_string(unit, "Id"), &found, &error);
        usage = measure(unit, found);
        if (usage.tasks != PROCESS_USAGE_UNKNOWN &&
            json_object_set_new(unit, "ProcessUsage", json_pack("{s:I, s:I, s:I}", "tasks", (json_int_t) usage.tasks,
                                "memory", (json_int_t) usage.memory, "cpu-nsec", (json_int_t) usage.cpu)) < 0)
                return -ENOMEM;
        json_array_foreach(found, i, process)
                (void) json_array_append_new(processes, json_pack("{s:I, s:s, s:s}", "pid",
                        (json_int_t) value_item_u64(process, 1), "command", value_item_string(process, 2),
                        "control-group", value_item_string(process, 0)));
        return json_object_set_new(unit, "Processes", processes) < 0 ? -ENOMEM : 0;
}

void status_print_group(Jobctl *ctl, const json_t *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        const char *group = value_string(unit, "ControlGroup");
        cleanup_(tree_deinit) Tree tree = {};
        cleanup_json_ json_t *processes = NULL;
        ProcessUsage usage;
        json_t *process;
        size_t i;

        (void) processes_list(ctl, value_string(unit, "Id"), &processes, &error);
        usage = measure(unit, processes);
        print_amounts(unit, &usage);
        status_print_line("CGroup", group);
        if (*group) {
                tree_add_processes(&tree, processes, group);
                (void) tree_print(&tree, &ctl->terminal, STATUS_INDENT, ctl->options.full);
                return;
        }
        json_array_foreach(processes, i, process) {
                if (i == 0)
                        status_print_label("Processes");
                else
                        printf("%*s", STATUS_INDENT, "");
                printf("%" PRIu64 " %s\n", value_item_u64(process, 1), value_item_string(process, 2));
        }
}
