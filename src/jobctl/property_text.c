/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Properties as text
 *
 * D-Bus tells the type of a value, not its meaning. The name of the property
 * does, by the conventions of systemd: …USec is a span, …Timestamp a date,
 * Exec… a list of commands.
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/property_special.h"
#include "jobctl/property_text.h"
#include "jobctl/state.h"
#include "jobctl/value.h"
#include "unitfile/exit_name.h"

const char *property_exit_code(int code) {
        if (code == CLD_EXITED)
                return "exited";
        if (code == CLD_KILLED)
                return "killed";
        return code == CLD_DUMPED ? "dumped" : "(null)";
}

static const char *exit_name(int code, int status) {
        if (code == CLD_EXITED)
                return exit_status_to_name(status);
        return (status > 0 && status < SIGRTMIN ? sigabbrev_np(status) : NULL) ?: "";
}

void property_add_exit_status(Text *text, int code, int status) {
        const char *name = code == 0 ? "" : exit_name(code, status);

        text_addf(text, "%d%s%s", status, *name ? "/" : "", name);
}

void property_add_strings(Text *text, const json_t *array, const char *separator) {
        json_t *item;
        size_t i;

        json_array_foreach(array, i, item) {
                if (i > 0)
                        text_add(text, separator);
                text_add(text, json_string_value(item) ?: "");
        }
}

static void add_date(Text *text, const json_t *command, size_t field) {
        char date[STATE_TIME_MAX];

        state_format_date(value_item_u64(command, field), date);
        text_add(text, *date ? date : "n/a");
}

static void add_command(Text *text, const json_t *command) {
        int code = (int) value_item_u64(command, EXEC_FIELD_CODE);

        text_addf(text, "{ path=%s ; argv[]=", value_item_string(command, EXEC_FIELD_PATH));
        property_add_strings(text, json_array_get(command, EXEC_FIELD_ARGV), " ");
        text_addf(text, " ; ignore_errors=%s ; start_time=[",
                  json_is_true(json_array_get(command, EXEC_FIELD_IGNORE_FAILURE)) ? "yes" : "no");
        add_date(text, command, EXEC_FIELD_START_REALTIME);
        text_add(text, "] ; stop_time=[");
        add_date(text, command, EXEC_FIELD_EXIT_REALTIME);
        text_addf(text, "] ; pid=%u ; code=%s ; status=", (unsigned) value_item_u64(command, EXEC_FIELD_PID),
                  property_exit_code(code));
        property_add_exit_status(text, code, (int) value_item_u64(command, EXEC_FIELD_STATUS));
        text_add(text, code == 0 ? "/0 }" : " }");
}

static void add_number(Text *text, const char *name, uint64_t value) {
        char buffer[STATE_TIME_MAX];

        if (text_ends_with(name, "Timestamp") || text_ends_with(name, "USecRealtime") ||
            strcmp(name, "LastTriggerUSec") == 0)
                text_add(text, state_format_date(value, buffer));
        else if (text_ends_with(name, "USec") || text_ends_with(name, "USecMonotonic") ||
                 text_ends_with(name, "USecNext"))
                property_add_span(text, value);
        else if ((strcmp(name, "UID") == 0 || strcmp(name, "GID") == 0) && value == UINT32_MAX)
                text_add(text, "[not set]");
        else
                text_addf(text, "%lld", (long long) value);
}

static void add_unset(Text *text, const char *name) {
        bool is_limit = text_ends_with(name, "USec") || text_ends_with(name, "Max") || text_ends_with(name, "High") ||
                        text_starts_with(name, "Limit");

        text_add(text, is_limit ? "infinity" : "[not set]");
}

static void add_value(Text *text, const char *name, const json_t *value);

static void add_struct(Text *text, const char *name, const json_t *fields) {
        json_t *field;
        size_t i;

        text_add(text, "{ ");
        json_array_foreach(fields, i, field) {
                if (i > 0)
                        text_add(text, " ; ");
                add_value(text, "", field);
        }
        text_add(text, " }");
}

/* (aiai): statuses, then signals. */
static void add_exit_statuses(Text *text, const json_t *value) {
        const char *separator = "";

        for (size_t part = 0; part < 2; part++) {
                json_t *number;
                size_t i;

                json_array_foreach(json_array_get(value, part), i, number) {
                        int status = (int) json_integer_value(number);
                        const char *name = part == 0 ? "" : exit_name(CLD_KILLED, status);

                        if (*name)
                                text_addf(text, "%sSIG%s", separator, name);
                        else
                                text_addf(text, "%s%d", separator, status);
                        separator = " ";
                }
        }
}

/* — triggers — */

/* (type, address or path). */
static void add_place(Text *text, const json_t *fields) {
        text_addf(text, "%s (%s)", value_item_string(fields, 1), value_item_string(fields, 0));
}

/* (base, span or expression, next elapse on that clock). */
static void add_timer(Text *text, const json_t *fields) {
        bool is_calendar = json_is_string(json_array_get(fields, 1));
        char date[STATE_TIME_MAX];

        text_addf(text, "{ %s=", value_item_string(fields, 0));
        if (is_calendar)
                text_add(text, value_item_string(fields, 1));
        else
                property_add_span(text, value_item_u64(fields, 1));
        text_add(text, " ; next_elapse=");
        if (!is_calendar)
                property_add_span(text, value_item_u64(fields, 2));
        else if (json_is_null(json_array_get(fields, 2)))
                text_add(text, "n/a");
        else
                text_add(text, state_format_date(value_item_u64(fields, 2), date));
        text_add(text, " }");
}

typedef void (*AddItem)(Text *text, const json_t *item);

/* The function that writes an item of the list; NULL: as any other value. */
static AddItem find_adder(const char *name, const json_t *item) {
        if (text_starts_with(name, "Exec") && json_array_size(item) == _EXEC_FIELD_MAX)
                return add_command;
        if (text_starts_with(name, "Timers") && json_array_size(item) == 3)
                return add_timer;
        if ((strcmp(name, "Paths") == 0 || strcmp(name, "Listen") == 0) && json_array_size(item) == 2)
                return add_place;
        return NULL;
}

bool property_has_lines(const char *name, const json_t *value) {
        return json_array_size(value) > 0 && find_adder(name, json_array_get(value, 0));
}

static bool is_pair_of(const char *name, const char *wanted, const json_t *value) {
        return strcmp(name, wanted) == 0 && json_array_size(value) == 2;
}

/* Quoted, as the end of each of several strings must be visible. */
static void add_quoted(Text *text, const char *string) {
        if (*string && !strpbrk(string, " \t\"'")) {
                text_add(text, string);
                return;
        }
        text_add_char(text, '"');
        for (; *string; string++) {
                if (*string == '"')
                        text_add_char(text, '\\');
                text_add_char(text, *string);
        }
        text_add_char(text, '"');
}

/* (uo) and (so): only the first says something; (ss) of an error: both or nothing. */
static void add_array(Text *text, const char *name, const json_t *value) {
        json_t *item;
        size_t i;

        if (is_pair_of(name, "Job", value) || is_pair_of(name, "Unit", value)) {
                if (!json_is_integer(json_array_get(value, 0)) || value_item_u64(value, 0) > 0)
                        add_value(text, "", json_array_get(value, 0));
                return;
        }
        if (is_pair_of(name, "LoadError", value)) {
                if (*value_item_string(value, 0))
                        text_addf(text, "%s \"%s\"", value_item_string(value, 0), value_item_string(value, 1));
                return;
        }
        if (text_ends_with(name, "ExitStatus") && json_is_array(json_array_get(value, 0))) {
                add_exit_statuses(text, value);
                return;
        }
        json_array_foreach(value, i, item) {
                AddItem add = find_adder(name, item);

                if (i > 0)
                        text_add_char(text, ' ');
                if (add)
                        add(text, item);
                else if (json_is_array(item))
                        add_struct(text, name, item);
                else if (json_is_string(item))
                        add_quoted(text, json_string_value(item));
                else
                        add_value(text, "", item);
        }
}

static void add_object(Text *text, const json_t *object) {
        const char *separator = "", *key;
        json_t *value;

        json_object_foreach((json_t *) object, key, value) {
                text_addf(text, "%s%s=", separator, key);
                add_value(text, key, value);
                separator = " ";
        }
}

/* Values nest as deep as D-Bus types may, 64 levels. */
static void add_value(Text *text, const char *name, const json_t *value) {
        if (property_add_special(text, name, value))
                return;
        if (json_is_boolean(value))
                text_add(text, json_is_true(value) ? "yes" : "no");
        else if (json_is_string(value))
                text_add(text, json_string_value(value));
        else if (json_is_integer(value))
                add_number(text, name, (uint64_t) json_integer_value(value));
        else if (json_is_real(value))
                text_addf(text, "%g", json_real_value(value));
        else if (json_is_array(value))
                add_array(text, name, value);
        else if (json_is_object(value))
                add_object(text, value);
        else
                add_unset(text, name);
}

int property_format(const char *name, const json_t *value, char **ret_text) {
        cleanup_(text_deinit) Text text = {};

        add_value(&text, name, value);
        return text_finish(&text, ret_text);
}
