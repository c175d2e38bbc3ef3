/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status: how a unit is, for a person at a terminal
 *
 * The shape is systemctl's, which people know by heart; what jobd knows
 * beyond it (the reason of a failure, what a job waits for) stands in lines of
 * its own.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "jobctl/names.h"
#include "jobctl/property_text.h"
#include "jobctl/state.h"
#include "jobctl/verbs.h"

#define LABEL_WIDTH 11

static void print_label(const char *label) {
        printf("%*s: ", LABEL_WIDTH, label);
}

static void print_line(const char *label, const char *text) {
        if (*text) {
                print_label(label);
                printf("%s\n", text);
        }
}

static void print_heading(Jobctl *ctl, const json_t *unit) {
        const char *active = value_string(unit, "ActiveState"), *id = value_string(unit, "Id");
        const char *description = value_string(unit, "Description");

        terminal_print(&ctl->terminal, state_color(active), state_dot(&ctl->terminal, active));
        printf(" %s", id);
        if (*description && strcmp(description, id) != 0)
                printf(" - %s", description);
        putchar('\n');
}

static void print_loaded(Jobctl *ctl, const json_t *unit) {
        const char *load = value_string(unit, "LoadState"), *file_state = value_string(unit, "UnitFileState");
        const char *path = value_string(unit, "FragmentPath");
        const char *reason = value_item_string(json_object_get(unit, "LoadError"), 1);
        TerminalColor color = strcmp(load, "loaded") == 0 ? COLOR_NONE : state_color(load);

        if (!*path)
                path = value_string(unit, "SourcePath");
        print_label("Loaded");
        terminal_print(&ctl->terminal, color, load);
        if (*reason)
                printf(" (Reason: %s)", reason);
        else if (*path)
                printf(" (%s%s%s)", path, *file_state ? "; " : "", file_state);
        putchar('\n');
}

static void print_dropins(Jobctl *ctl, const json_t *unit) {
        const json_t *paths = json_object_get(unit, "DropInPaths");
        json_t *path;
        size_t i;

        json_array_foreach(paths, i, path)
                if (i == 0)
                        print_line("Drop-In", json_string_value(path) ?: "");
                else
                        printf("%*s%s\n", LABEL_WIDTH + 2, "", json_string_value(path) ?: "");
}

/* Of when it has come into this state. */
static const char *state_since(const char *active) {
        const char *key = "ActiveExitTimestamp";

        if (strcmp(active, "active") == 0 || strcmp(active, "reloading") == 0)
                key = "ActiveEnterTimestamp";
        else if (strcmp(active, "inactive") == 0 || strcmp(active, "failed") == 0)
                key = "InactiveEnterTimestamp";
        else if (strcmp(active, "activating") == 0)
                key = "InactiveExitTimestamp";
        return key;
}

/* The date is what the clock showed then; how long ago that is says the one that nobody sets. */
static void print_since(const json_t *unit, const char *key) {
        const usec_t since = value_u64(unit, key);
        char name[64], time[STATE_TIME_MAX];

        if (since == 0 || since == USEC_INFINITY)
                return;
        snprintf(name, sizeof(name), "%sMonotonic", key);
        printf(" since %s", state_format_time(since, usec_add(since, usec_sub(clock_monotonic(), value_u64(unit, name))), time));
}

static void print_active(Jobctl *ctl, const json_t *unit) {
        const char *active = value_string(unit, "ActiveState"), *sub = value_string(unit, "SubState");
        const char *result = value_string(unit, "Result");
        bool has_result = *result && strcmp(result, "success") != 0;

        print_label("Active");
        terminal_print(&ctl->terminal, state_color(active), active);
        if (has_result)
                printf(" (Result: %s)", result);
        else if (*sub && strcmp(sub, active) != 0)
                printf(" (%s)", sub);
        print_since(unit, state_since(active));
        putchar('\n');
}

static void print_found(const json_t *unit) {
        if (value_bool(unit, "Found"))
                print_line("Found", "running, when jobd had lost its records; how it was started is not known");
}

/* Of a start that did not happen because of them. */
static void print_conditions(const json_t *unit) {
        bool is_unmet = value_u64(unit, "ConditionTimestamp") > 0 && !value_bool(unit, "ConditionResult");
        json_t *condition;
        size_t i;

        if (!is_unmet)
                return;
        json_array_foreach(json_object_get(unit, "Conditions"), i, condition) {
                if (json_integer_value(json_array_get(condition, 4)) >= 0)
                        continue;
                print_label("Condition");
                printf("%s=%s%s was not met\n", value_item_string(condition, 0),
                       json_is_true(json_array_get(condition, 2)) ? "!" : "", value_item_string(condition, 3));
                is_unmet = false;
        }
        if (is_unmet)
                print_line("Condition", "a condition of the last start was not met");
}

static void print_triggers(Jobctl *ctl, const json_t *unit) {
        cleanup_(text_deinit) Text text = {};

        property_add_strings(&text, json_object_get(unit, "TriggeredBy"), " ");
        print_line("TriggeredBy", text.string ?: "");
}

/* — processes — */

static void print_command(const json_t *command, const char *label) {
        cleanup_(text_deinit) Text text = {};
        int code = (int) value_item_u64(command, EXEC_FIELD_CODE);
        uint64_t pid = value_item_u64(command, EXEC_FIELD_PID);

        if (pid == 0 || value_item_u64(command, EXEC_FIELD_EXIT_REALTIME) == 0)
                return;
        text_addf(&text, "%" PRIu64 " %s=", pid, label);
        property_add_strings(&text, json_array_get(command, EXEC_FIELD_ARGV), " ");
        text_addf(&text, " (code=%s, status=", property_exit_code(code));
        property_add_exit_status(&text, code, (int) value_item_u64(command, EXEC_FIELD_STATUS));
        text_add_char(&text, ')');
        print_line("Process", text.string ?: "");
}

static void print_commands(const json_t *unit, uint64_t main_pid) {
        static const char *const names[] = { "ExecCondition", "ExecStartPre", "ExecStart", "ExecStartPost",
                                             "ExecReload", "ExecStop", "ExecStopPost" };

        for (size_t n = 0; n < ELEMENTSOF(names); n++) {
                json_t *command;
                size_t i;

                json_array_foreach(json_object_get(unit, names[n]), i, command)
                        if (value_item_u64(command, EXEC_FIELD_PID) != main_pid)
                                print_command(command, names[n]);
        }
}

static void add_comm(Text *text, uint64_t pid) {
        char path[64], comm[64] = "";
        cleanup_free_ char *escaped = NULL;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", pid);
        file = fopen(path, "re");
        if (!file)
                return;
        if (fgets(comm, sizeof(comm), file)) {
                comm[strcspn(comm, "\n")] = '\0';
                if (terminal_escape(comm, &escaped) == 0)
                        text_addf(text, " (%s)", escaped);
        }
        fclose(file);
}

static void print_main_pid(const json_t *unit) {
        uint64_t main_pid = value_u64(unit, "MainPID"), last = value_u64(unit, "ExecMainPID");
        int code = (int) value_u64(unit, "ExecMainCode");
        cleanup_(text_deinit) Text text = {};

        if (main_pid > 0) {
                text_addf(&text, "%" PRIu64, main_pid);
                add_comm(&text, main_pid);
        } else if (last > 0) {
                text_addf(&text, "%" PRIu64 " (code=%s, status=", last, property_exit_code(code));
                property_add_exit_status(&text, code, (int) value_u64(unit, "ExecMainStatus"));
                text_add_char(&text, ')');
        }
        print_line("Main PID", text.string ?: "");
}

static void print_control_pid(const json_t *unit) {
        uint64_t pid = value_u64(unit, "ControlPID");
        cleanup_(text_deinit) Text text = {};

        if (pid == 0)
                return;
        text_addf(&text, "%" PRIu64, pid);
        add_comm(&text, pid);
        print_line("Cntrl PID", text.string ?: "");
}

/* Below the line that names the group; what is in a group within it has its name in front. */
static void print_tree(const Jobctl *ctl, const json_t *processes, const char *group) {
        size_t i, n = json_array_size(processes), length = strlen(group);
        bool is_utf8 = ctl->terminal.has_utf8;
        json_t *process;

        json_array_foreach(processes, i, process) {
                const char *inner = value_item_string(process, 0);

                printf("%*s%s ", LABEL_WIDTH + 2, "",
                       is_utf8 ? (i + 1 == n ? "└─" : "├─") : (i + 1 == n ? "`-" : "|-"));
                if (strncmp(inner, group, length) == 0 && inner[length] == '/')
                        printf("%s: ", inner + length + 1);
                printf("%" PRIu64 " %s\n", value_item_u64(process, 1), value_item_string(process, 2));
        }
}

/* GetUnitProcesses: a(sus) cgroup, pid, command line. */
static void print_processes(Jobctl *ctl, const json_t *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        const char *group = value_string(unit, "ControlGroup");
        cleanup_json_ json_t *reply = NULL;
        json_t *process;
        size_t i;

        if (jobctl_call(ctl, "GetUnitProcesses", "s", json_pack("[s]", value_string(unit, "Id")), &reply, &error) < 0)
                return;
        if (*group) {
                print_tree(ctl, json_array_get(reply, 0), group);
                return;
        }
        json_array_foreach(json_array_get(reply, 0), i, process) {
                if (i == 0)
                        print_label("Processes");
                else
                        printf("%*s", LABEL_WIDTH + 2, "");
                printf("%" PRIu64 " %s\n", value_item_u64(process, 1), value_item_string(process, 2));
        }
}

/* — its control group — */

static const char *format_bytes(uint64_t bytes, char buffer[static 32]) {
        static const char units[] = "BKMGTPE";
        double amount = (double) bytes;
        size_t unit = 0;

        for (; amount >= 1024 && units[unit + 1]; unit++)
                amount /= 1024;
        snprintf(buffer, 32, unit == 0 ? "%.0f%c" : "%.1f%c", amount, units[unit]);
        return buffer;
}

static void print_limit(const json_t *unit, const char *key, const char *label, const char **separator) {
        uint64_t limit = json_object_get(unit, key) ? value_u64(unit, key) : UINT64_MAX;
        char buffer[32];

        if (limit == UINT64_MAX || limit == 0)
                return;
        printf("%s%s: %s", *separator, label, format_bytes(limit, buffer));
        *separator = ", ";
}

static void print_memory(const json_t *unit) {
        uint64_t current = json_object_get(unit, "MemoryCurrent") ? value_u64(unit, "MemoryCurrent") : UINT64_MAX;
        const char *separator = " (";
        char buffer[32];

        if (current == UINT64_MAX)
                return;
        print_label("Memory");
        printf("%s", format_bytes(current, buffer));
        print_limit(unit, "MemoryPeak", "peak", &separator);
        print_limit(unit, "MemoryHigh", "high", &separator);
        print_limit(unit, "MemoryMax", "max", &separator);
        printf("%s\n", *separator == ',' ? ")" : "");
}

static void print_group(const json_t *unit) {
        uint64_t tasks = json_object_get(unit, "TasksCurrent") ? value_u64(unit, "TasksCurrent") : UINT64_MAX;
        uint64_t cpu = json_object_get(unit, "CPUUsageNSec") ? value_u64(unit, "CPUUsageNSec") : UINT64_MAX;
        cleanup_(text_deinit) Text unapplied = {};
        char span[USEC_FORMAT_MAX];

        if (tasks != UINT64_MAX) {
                print_label("Tasks");
                printf("%" PRIu64, tasks);
                if (value_u64(unit, "TasksMax") != UINT64_MAX)
                        printf(" (limit: %" PRIu64 ")", value_u64(unit, "TasksMax"));
                putchar('\n');
        }
        print_memory(unit);
        if (cpu != UINT64_MAX)
                print_line("CPU", usec_format(cpu / 1000, span));
        property_add_strings(&unapplied, json_object_get(unit, "ResourcesNotApplied"), ", ");
        if (unapplied.n > 0) {
                print_label("Warning");
                printf("Resource limits not applied: %s\n", unapplied.string);
        }
        print_line("CGroup", value_string(unit, "ControlGroup"));
}

/* — jobs and words — */

static void print_job(Jobctl *ctl, const json_t *unit) {
        uint64_t id = value_item_u64(json_object_get(unit, "Job"), 0);
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *jobs = NULL;
        const json_t *job;

        if (id == 0)
                return;
        print_label("Job");
        printf("%" PRIu64, id);
        if (jobctl_query(ctl, "id", "u", json_integer((json_int_t) id), &jobs, &error) == 0 &&
            (job = json_array_get(jobs, 0))) {
                uint64_t blocker = value_u64(job, "blocker");

                printf(" (%s, %s", value_string(job, "type"), value_string(job, "state"));
                if (blocker > 0)
                        printf(" for job %" PRIu64, blocker);
                putchar(')');
        }
        putchar('\n');
}

static void print_words(const json_t *unit) {
        cleanup_(text_deinit) Text docs = {};
        const char *status = value_string(unit, "StatusText");

        if (*status) {
                print_label("Status");
                printf("\"%s\"\n", status);
        }
        if (value_u64(unit, "StatusErrno") > 0)
                print_line("Error", strerror((int) value_u64(unit, "StatusErrno")));
        print_line("Reason", value_string(unit, "FailureReason"));
        property_add_strings(&docs, json_object_get(unit, "Documentation"), "\n             ");
        print_line("Docs", docs.string ?: "");
}

static void print_unit(Jobctl *ctl, const json_t *unit) {
        uint64_t main_pid = MAX(value_u64(unit, "MainPID"), value_u64(unit, "ExecMainPID"));

        print_heading(ctl, unit);
        print_loaded(ctl, unit);
        print_dropins(ctl, unit);
        print_active(ctl, unit);
        print_found(unit);
        print_conditions(unit);
        print_triggers(ctl, unit);
        print_job(ctl, unit);
        print_commands(unit, main_pid);
        print_main_pid(unit);
        print_control_pid(unit);
        print_words(unit);
        print_group(unit);
        print_processes(ctl, unit);
        if (value_bool(unit, "NeedDaemonReload"))
                jobctl_warn_outdated(value_string(unit, "Id"));
}

static int status_of(const json_t *unit) {
        const char *active = value_string(unit, "ActiveState");

        if (strcmp(value_string(unit, "LoadState"), "not-found") == 0 && strcmp(active, "inactive") == 0)
                return EXIT_UNKNOWN;
        return strcmp(active, "inactive") == 0 || strcmp(active, "failed") == 0 ? EXIT_INACTIVE : EXIT_OK;
}

/* — the manager — */

static void print_limitations(const json_t *manager) {
        cleanup_(text_deinit) Text list = {};

        property_add_strings(&list, json_object_get(manager, "Limitations"), "\n             ");
        print_line("Limits", list.string ?: "");
}

static int print_manager(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *manager = NULL;
        const char *state;
        int r;

        r = jobctl_properties(ctl, BUS_PATH, NULL, &manager, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the manager's state");
        if (ctl->options.json)
                return jobctl_print_json(ctl, take_ptr(manager), EXIT_OK);
        state = value_string(manager, "SystemState");
        terminal_print(&ctl->terminal, state_color(state), state_dot(&ctl->terminal, state));
        printf(" %s, manager of %s\n", value_string(manager, "Version"),
               ctl->address.is_user ? "your user" : "the system");
        print_label("State");
        terminal_print(&ctl->terminal, state_color(state), state);
        putchar('\n');
        print_label("Units");
        printf("%" PRIu64 " loaded\n", value_u64(manager, "NNames"));
        print_label("Jobs");
        printf("%" PRIu64 " queued\n", value_u64(manager, "NJobs"));
        print_label("Failed");
        printf("%" PRIu64 " units\n", value_u64(manager, "NFailedUnits"));
        print_limitations(manager);
        return EXIT_OK;
}

/* — the verb — */

static int get_by_pid(Jobctl *ctl, uint32_t pid, json_t **ret_unit, BusError *ret_error) {
        cleanup_json_ json_t *reply = NULL;
        int r;

        r = jobctl_call(ctl, "GetUnitByPID", "u", json_pack("[I]", (json_int_t) pid), &reply, ret_error);
        return r < 0 ? r : jobctl_properties(ctl, value_item_string(reply, 0), NULL, ret_unit, ret_error);
}

static int status_unit(Jobctl *ctl, const char *word, bool is_first, json_t *documents) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *unit = NULL;
        uint32_t pid;
        int r, status;

        if (name_is_number(word, &pid))
                r = get_by_pid(ctl, pid, &unit, &error);
        else
                r = jobctl_unit_properties(ctl, word, NULL, &unit, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the status of %s", word);
        status = status_of(unit);
        if (ctl->options.json)
                return json_array_append(documents, unit) < 0 ? -ENOMEM : status;
        if (status == EXIT_UNKNOWN) {
                terminal_say(stderr, "Unit %s could not be found.", word);
                return status;
        }
        if (!is_first)
                putchar('\n');
        print_unit(ctl, unit);
        return status;
}

static int status_words(Jobctl *ctl, char *const *words, json_t *documents) {
        int status = EXIT_OK;

        strv_foreach(word, words) {
                char *one[] = { *word, NULL };
                cleanup_(strv_freep) char **names = NULL;
                uint32_t pid;
                int r;

                r = name_is_number(*word, &pid) ? strv_copy(one, &names) : names_resolve(ctl, one, ".service", &names);
                if (r != 0)
                        return r;
                strv_foreach(name, names) {
                        r = status_unit(ctl, *name, word == words && name == names, documents);
                        if (r < 0)
                                return r;
                        status = status == EXIT_OK ? r : status;
                }
        }
        return status;
}

int verb_status(Jobctl *ctl, char *const *words) {
        cleanup_json_ json_t *documents = json_array();
        int r;

        if (!words || !*words)
                return print_manager(ctl);
        r = status_words(ctl, words, documents);
        if (r < 0 || !ctl->options.json)
                return r;
        return jobctl_print_json(ctl, take_ptr(documents), r);
}
