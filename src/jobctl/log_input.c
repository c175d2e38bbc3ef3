/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The source of log lines
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/journal_input.h"
#include "jobctl/log_input.h"

#define SYSTEM_DIRECTORY "/var/log/jobd"
#define OTHER_SYSTEM_DIRECTORY "/run/jobd/logs"
#define JOURNAL_SOCKET "/run/systemd/journal/stdout"

struct LogInput {
        LogReader *files;               /* owned: one of the two is set */
        JournalInput *journal;
        char *default_output;           /* owned; NULL: not known */
};

typedef struct Place {
        char *kind;                     /* owned: "files", "journald", "none" */
        char **folders;                 /* owned */
        char *default_output;           /* owned; NULL: not known */
} Place;

static void place_deinit(Place *place) {
        free(place->kind);
        free(place->default_output);
        strv_free(place->folders);
}

LogInput *log_input_free(LogInput *input) {
        if (!input)
                return NULL;
        log_reader_free(input->files);
        journal_input_free(input->journal);
        free(input->default_output);
        free(input);
        return NULL;
}

const char *log_input_default_output(const LogInput *input) {
        return input->default_output ?: "journal";
}

/* — folders — */

static int get_property(Jobctl *ctl, const char *name, json_t **ret_value) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        int r;

        r = bus_call(ctl->bus, &(BusCall) { BUS_PATH, BUS_PROPERTIES, "Get", "ss",
                                            json_pack("[ss]", BUS_MANAGER, name) }, &reply, &error);
        if (r < 0)
                return r;
        *ret_value = json_incref(json_array_get(reply, 0));
        return 0;
}

static int ask_manager(Jobctl *ctl, Place *place) {
        cleanup_json_ json_t *kind = NULL, *folders = NULL, *output = NULL;
        json_t *folder;
        size_t i;
        int r;

        r = get_property(ctl, "Log", &kind);
        if (r == 0)
                r = get_property(ctl, "LogDirectories", &folders);
        if (r == 0)
                r = get_property(ctl, "DefaultStandardOutput", &output);
        if (r < 0)
                return r;
        r = text_copy(json_string_value(output), &place->default_output);
        place->kind = strdup(json_string_value(kind) ?: "none");
        json_array_foreach(folders, i, folder)
                if (r == 0)
                        r = strv_push(&place->folders, json_string_value(folder) ?: "");
        return place->kind ? r : -ENOMEM;
}

static int add_user_folders(Place *place) {
        const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
        char *path = NULL, buffer[64];
        int r = 0;

        if (state && state[0] == '/')
                r = text_format(&path, "%s/jobd/log", state);
        else if (home && home[0] == '/')
                r = text_format(&path, "%s/.local/state/jobd/log", home);
        if (r == 0 && path)
                r = strv_consume(&place->folders, path);
        if (r == 0)
                r = text_format(&path, "%s/jobd/logs", bus_runtime_directory(buffer));
        return r < 0 ? r : strv_consume(&place->folders, path);
}

/* Without a manager: the usual places. */
static int guess(const Jobctl *ctl, Place *place) {
        int r;

        if (ctl->address.is_user)
                r = add_user_folders(place);
        else {
                r = strv_push(&place->folders, SYSTEM_DIRECTORY);
                if (r == 0)
                        r = strv_push(&place->folders, OTHER_SYSTEM_DIRECTORY);
        }
        strv_foreach(folder, place->folders)
                if (access(*folder, F_OK) == 0)
                        place->kind = place->kind ?: strdup("files");
        if (!place->kind)
                place->kind = strdup(access(JOURNAL_SOCKET, F_OK) == 0 ? "journald" : "files");
        return place->kind ? r : -ENOMEM;
}

static int find_place(Jobctl *ctl, Place *place) {
        cleanup_(bus_error_deinit) BusError error = {};

        if (!ctl->bus)
                (void) bus_open(&ctl->bus, &ctl->address, &error);
        if (ctl->bus && ask_manager(ctl, place) == 0)
                return 0;
        place_deinit(place);
        *place = (Place) {};
        return guess(ctl, place);
}

int log_input_open(Jobctl *ctl, const LogFilter *filter, bool is_quiet, LogInput **ret_input) {
        cleanup_(log_input_freep) LogInput *input = calloc(1, sizeof(*input));
        cleanup_(place_deinit) Place place = {};
        int r;

        r = input ? find_place(ctl, &place) : -ENOMEM;
        if (r < 0)
                return r;
        if (strcmp(place.kind, "none") == 0) {
                if (!is_quiet)
                        terminal_say(stderr, "There is no log: the output of units goes where that of jobd goes.");
                return EXIT_FAILED;
        }
        if (strcmp(place.kind, "journald") == 0)
                r = journal_input_new(&input->journal, ctl->address.is_user, filter);
        else
                r = log_reader_new(&input->files, place.folders, filter);
        if (r < 0)
                return r;
        input->default_output = take_ptr(place.default_output);
        *ret_input = take_ptr(input);
        return 0;
}

int log_input_find_invocation(Jobctl *ctl, const char *unit, char ret_invocation[static 33]) {
        cleanup_(place_deinit) Place place = {};
        int r = find_place(ctl, &place);

        if (r < 0)
                return r;
        if (strcmp(place.kind, "journald") == 0)
                return journal_input_find_invocation(ctl->address.is_user, unit, ret_invocation);
        return log_reader_find_invocation(place.folders, unit, ret_invocation);
}

/* — both sources — */

int log_input_add(LogInput *input, const char *unit, bool with_manager) {
        return input->journal ? journal_input_add(input->journal, unit)
                              : log_reader_add(input->files, unit, with_manager);
}

int log_input_next(LogInput *input, LogEntry *ret_entry) {
        return input->journal ? journal_input_next(input->journal, ret_entry)
                              : log_reader_next(input->files, ret_entry);
}

int log_input_wait(LogInput *input, usec_t timeout) {
        return input->journal ? journal_input_wait(input->journal, timeout) : log_reader_wait(input->files, timeout);
}

int log_input_fd(const LogInput *input) {
        return input->journal ? journal_input_fd(input->journal) : log_reader_fd(input->files);
}

bool log_input_is_denied(const LogInput *input) {
        return input->files && log_reader_is_denied(input->files);
}
