/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * One run of jobctl
 *
 * The calls and the two kinds of failure that all verbs share. With --json a
 * failure is a document on standard output, too, so that a program has only
 * one place to check.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/text.h"
#include "jobctl/jobctl.h"
#include "jobctl/verb_table.h"

void jobctl_choose_manager(Jobctl *ctl) {
        const Options *options = &ctl->options;
        const char *socket = getenv("JOBD_SOCKET");
        bool is_chosen = options->is_user || options->is_system;

        ctl->address = (BusAddress) {
                .socket = socket && *socket && !is_chosen ? socket : NULL,
                .is_user = options->is_user || (!options->is_system && getuid() != 0),
                .escape = !options->json,
        };
        if (options->socket)
                ctl->address.socket = options->socket;
}

int jobctl_connect(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = bus_open(&ctl->bus, &ctl->address, &error);

        if (r == -ENOTCONN)
                return jobctl_fail(ctl, &error, NULL);
        return r;
}

int jobctl_call(Jobctl *ctl, const char *method, const char *signature, json_t *args, json_t **ret_reply,
                BusError *ret_error) {
        return jobctl_send(ctl, &(BusCall) { .method = method, .signature = signature, .args = args }, ret_reply,
                           ret_error);
}

int jobctl_properties(Jobctl *ctl, const char *path, const char *interface, json_t **ret_properties,
                      BusError *ret_error) {
        cleanup_json_ json_t *reply = NULL;
        int r;

        r = jobctl_send(ctl, &(BusCall) { path, BUS_PROPERTIES, "GetAll", "s", json_pack("[s]", interface ?: "") },
                        &reply, ret_error);
        if (r < 0)
                return r;
        *ret_properties = json_incref(json_array_get(reply, 0));
        return 0;
}

int jobctl_unit_properties(Jobctl *ctl, const char *unit, const char *interface, json_t **ret_properties,
                           BusError *ret_error) {
        cleanup_free_ char *path = NULL;
        int r = bus_unit_path(unit, &path);

        return r < 0 ? r : jobctl_properties(ctl, path, interface, ret_properties, ret_error);
}

int jobctl_unit_property(Jobctl *ctl, const char *unit, const char *name, json_t **ret_value, BusError *ret_error) {
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *path = NULL;
        int r;

        r = bus_unit_path(unit, &path);
        if (r == 0)
                r = jobctl_send(ctl, &(BusCall) { path, BUS_PROPERTIES, "Get", "ss",
                                                  json_pack("[ss]", BUS_UNIT, name) }, &reply, ret_error);
        if (r < 0)
                return r;
        *ret_value = json_incref(json_array_get(reply, 0));
        return 0;
}

int jobctl_query(Jobctl *ctl, const char *key, const char *type, json_t *value, json_t **ret_jobs,
                 BusError *ret_error) {
        json_t *filter = key ? json_pack("[{s:{s:o}}]", key, type, value) : json_pack("[{}]");
        cleanup_json_ json_t *reply = NULL;
        int r = jobctl_call(ctl, "Query", "a{sv}", filter, &reply, ret_error);

        if (r < 0)
                return r;
        *ret_jobs = json_incref(json_array_get(reply, 0));
        return 0;
}

static void say_failure(const BusError *error, const char *what) {
        const char *message = bus_error_message(error);

        if (what)
                terminal_say(stderr, "Failed to %s: %s", what, message);
        else
                terminal_say(stderr, "%s", message);
        if (bus_error_is(error, "UnknownMethod"))
                terminal_say(stderr, "The manager is of another version than this jobctl (%s).", JOBD_VERSION);
}

static ExitScheme scheme_of(const Verb *verb) {
        if (!verb || !verb->is_shared)
                return EXIT_SCHEME_OURS;
        return verb->job_type ? EXIT_SCHEME_REQUEST : EXIT_SCHEME_SHARED;
}

int jobctl_fail(Jobctl *ctl, const BusError *error, const char *what, ...) {
        int status = exit_status_of_error(error, scheme_of(ctl->verb));
        cleanup_free_ char *text = NULL;
        va_list args;

        terminal_progress_clear(&ctl->terminal);
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:b, s:s, s:s}", "ok", 0, "error", bus_error_word(error),
                                                        "message", bus_error_message(error)), status);
        if (what) {
                va_start(args, what);
                text_vformat(&text, what, args);
                va_end(args);
        }
        say_failure(error, text);
        return status;
}

int jobctl_fail_word(Jobctl *ctl, json_t *failures, const char *word, const BusError *error, const char *what) {
        json_t *failure;

        if (!ctl->options.json)
                return jobctl_fail(ctl, error, "%s %s", what, word);
        failure = json_pack("{s:s, s:s, s:s}", "word", word, "error", bus_error_word(error), "message",
                            bus_error_message(error));
        return json_array_append_new(failures, failure) < 0 ? -ENOMEM :
               exit_status_of_error(error, scheme_of(ctl->verb));
}

/* The first failure is copied to the top level, where programs look for the failure of any verb. */
int jobctl_finish(Jobctl *ctl, json_t *failures, int status) {
        const json_t *first = json_array_get(failures, 0);
        cleanup_json_ json_t *document = NULL;

        if (status < 0 || !ctl->options.json)
                return status;
        document = json_pack("{s:b, s:O}", "ok", status == EXIT_OK, "failures", failures);
        if (first && document &&
            (json_object_set_new(document, "error", json_string(value_string(first, "error"))) < 0 ||
             json_object_set_new(document, "message", json_string(value_string(first, "message"))) < 0))
                return -ENOMEM;
        return jobctl_print_json(ctl, take_ptr(document), status);
}

void jobctl_warn_outdated(const char *unit) {
        terminal_say(stderr, "Warning: the files of %s have changed on disk. Run 'jobctl daemon-reload' to read them "
                             "again.", unit);
}

int jobctl_misused(Jobctl *ctl, const char *format, ...) {
        cleanup_free_ char *text = NULL;
        va_list args;

        va_start(args, format);
        text_vformat(&text, format, args);
        va_end(args);
        terminal_say(stderr, "jobctl: %s", text ?: "out of memory");
        return EXIT_USAGE;
}

int jobctl_print_json(Jobctl *ctl, json_t *document, int status) {
        size_t flags = ctl->terminal.is_out_terminal ? JSON_INDENT(2) | JSON_ENSURE_ASCII : JSON_COMPACT;
        int r = json_dumpf(document, stdout, flags | JSON_ENCODE_ANY);

        json_decref(document);
        putchar('\n');
        return r < 0 ? -ENOMEM : status;
}

int jobctl_print_json_line(Jobctl *ctl, json_t *document) {
        size_t flags = ctl->terminal.is_out_terminal ? JSON_ENSURE_ASCII : 0;
        int r = json_dumpf(document, stdout, flags | JSON_COMPACT | JSON_ENCODE_ANY);

        json_decref(document);
        putchar('\n');
        fflush(stdout);
        return r < 0 ? -ENOMEM : 0;
}
