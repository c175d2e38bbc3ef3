/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs about the manager itself: is-system-running, show-environment and the
 * like, log-level
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/verbs.h"

static int get_state(Jobctl *ctl, char **ret_state, BusError *error) {
        cleanup_json_ json_t *reply = NULL;
        int r = jobctl_send(ctl, &(BusCall) { BUS_PATH, BUS_PROPERTIES, "Get", "ss",
                                              json_pack("[ss]", BUS_MANAGER, "SystemState") }, &reply, error);

        return r < 0 ? r : text_format(ret_state, "%s", value_item_string(reply, 0));
}

static bool is_still_starting(const char *state) {
        return strcmp(state, "initializing") == 0 || strcmp(state, "starting") == 0;
}

/* For --wait: waits for the end of the start-up. */
static int wait_for_state(Jobctl *ctl, char **state, BusError *error) {
        int r = jobctl_subscribe(ctl, error);

        if (r == 0)
                r = get_state(ctl, state, error);
        while (r == 0 && is_still_starting(*state)) {
                cleanup_(bus_signal_deinit) BusSignal signal = {};

                r = bus_next_signal(ctl->bus, USEC_INFINITY, &signal);
                if (r == -ENOTCONN)
                        r = jobctl_reconnect(ctl, error);
                if (r < 0)
                        return r;
                if (r > 0 && !bus_signal_is(&signal, BUS_MANAGER, "StartupFinished") &&
                    !bus_signal_is(&signal, BUS_MANAGER, "JobRemoved")) {
                        r = 0;
                        continue;
                }
                free(take_ptr(*state));
                r = get_state(ctl, state, error);
        }
        return r;
}

int verb_is_system_running(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *state = NULL;
        int r, status;

        r = ctl->options.wait ? wait_for_state(ctl, &state, &error) : get_state(ctl, &state, &error);
        if (r < 0)
                return r == -EINTR ? EXIT_INTERRUPTED : jobctl_fail(ctl, &error, "get the state of the manager");
        status = strcmp(state, "running") == 0 ? EXIT_OK : EXIT_FAILED;
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:s}", "state", state), status);
        if (!ctl->options.quiet)
                puts(state);
        return status;
}

/* — environment — */

/* Quotes the value for a shell: unchanged, or as $'…'. */
static void print_assignment(const char *assignment) {
        size_t n = strcspn(assignment, "=");
        const char *value = assignment + n + (assignment[n] == '=');

        if (!value[strcspn(value, " \t\n\\'\"$`!#&|;<>()*?[]{}~^")]) {
                puts(assignment);
                return;
        }
        printf("%.*s=$'", (int) n, assignment);
        for (const char *c = value; *c; c++) {
                if (*c == '\n' || *c == '\t') {
                        fputs(*c == '\n' ? "\\n" : "\\t", stdout);
                        continue;
                }
                if (*c == '\'' || *c == '\\')
                        putchar('\\');
                putchar(*c);
        }
        puts("'");
}

int verb_show_environment(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *manager = NULL, *object = json_object();
        json_t *item;
        size_t i;
        int r;

        r = jobctl_properties(ctl, BUS_PATH, BUS_MANAGER, &manager, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the environment");
        json_array_foreach(json_object_get(manager, "Environment"), i, item) {
                const char *assignment = json_string_value(item) ?: "";
                size_t n = strcspn(assignment, "=");
                cleanup_free_ char *name = strndup(assignment, n);

                if (!ctl->options.json)
                        print_assignment(assignment);
                else if (!name || json_object_set_new(object, name, json_string(assignment + n + 1)) < 0)
                        return -ENOMEM;
        }
        return ctl->options.json ? jobctl_print_json(ctl, take_ptr(object), EXIT_OK) : EXIT_OK;
}

static int send_words(Jobctl *ctl, const char *method, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *array = json_array(), *failures = json_array();
        int r;

        strv_foreach(word, words)
                if (json_array_append_new(array, json_string(*word)) < 0)
                        return -ENOMEM;
        r = jobctl_call(ctl, method, "as", json_pack("[O]", array), NULL, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "change the environment");
        return jobctl_finish(ctl, failures, EXIT_OK);
}

int verb_set_environment(Jobctl *ctl, char *const *words) {
        return send_words(ctl, "SetEnvironment", words);
}

int verb_unset_environment(Jobctl *ctl, char *const *words) {
        return send_words(ctl, "UnsetEnvironment", words);
}

/* Variables that are no valid UTF-8 are left out, as D-Bus cannot transport them. */
int verb_import_environment(Jobctl *ctl, char *const *words) {
        cleanup_(strv_freep) char **assignments = NULL;

        if (!words || !*words)
                return jobctl_misused(ctl, "'import-environment' needs the names of variables: all of them are too "
                                           "many.");
        strv_foreach(word, words) {
                cleanup_free_ char *assignment = NULL;
                const char *value = getenv(*word);

                if (!value) {
                        if (!ctl->options.quiet)
                                terminal_say(stderr, "Environment variable $%s is not set, ignoring.", *word);
                        continue;
                }
                if (!text_is_utf8(value))
                        return jobctl_misused(ctl, "The value of $%s is not valid UTF-8.", *word);
                if (text_format(&assignment, "%s=%s", *word, value) < 0 || strv_push(&assignments, assignment) < 0)
                        return -ENOMEM;
        }
        return send_words(ctl, "SetEnvironment", assignments);
}

/* — log level — */

static int set_log_level(Jobctl *ctl, const char *level) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *failures = json_array();
        json_t *args = json_pack("[ss{ss}]", BUS_MANAGER, "LogLevel", "s", level);
        int r = jobctl_send(ctl, &(BusCall) { BUS_PATH, BUS_PROPERTIES, "Set", "ssv", args }, NULL, &error);

        return r < 0 ? jobctl_fail(ctl, &error, "set the log level") : jobctl_finish(ctl, failures, EXIT_OK);
}

int verb_log_level(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        int r;

        if (words && *words)
                return set_log_level(ctl, *words);
        r = jobctl_send(ctl, &(BusCall) { BUS_PATH, BUS_PROPERTIES, "Get", "ss",
                                          json_pack("[ss]", BUS_MANAGER, "LogLevel") }, &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the log level");
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:O}", "log-level", json_array_get(reply, 0)), EXIT_OK);
        puts(value_item_string(reply, 0));
        return EXIT_OK;
}
