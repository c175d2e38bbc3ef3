/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Small verbs about units: kill, cat, is-active, is-failed, is-enabled,
 * reset-failed, daemon-reload, daemon-reexec
 */

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/edit_text.h"
#include "jobctl/names.h"
#include "jobctl/offline.h"
#include "jobctl/verbs.h"
#include "unitfile/builtin_unit.h"
#include "unitfile/exit_name.h"

int verb_kill(Jobctl *ctl, char *const *words) {
        const char *whom = ctl->options.kill_whom ?: "all";
        cleanup_json_ json_t *failures = json_array();
        cleanup_(strv_freep) char **names = NULL;
        int number = SIGTERM, status = EXIT_OK, r;

        if (ctl->options.signal) {
                number = signal_from_name(ctl->options.signal);
                if (number < 0)
                        return jobctl_misused(ctl, "Unknown signal '%s': a name like SIGHUP, or a number.",
                                              ctl->options.signal);
        }
        if (strcmp(whom, "all") != 0 && strcmp(whom, "main") != 0 && strcmp(whom, "control") != 0)
                return jobctl_misused(ctl, "--kill-whom=%s: must be main, control or all.", whom);
        r = names_resolve(ctl, words, ".service", &names);
        if (r != 0)
                return r;
        strv_foreach(name, names) {
                cleanup_(bus_error_deinit) BusError error = {};

                r = jobctl_call(ctl, "KillUnit", "ssi", json_pack("[ssi]", *name, whom, number), NULL, &error);
                if (r < 0)
                        r = jobctl_fail_word(ctl, failures, *name, &error, "kill");
                if (r < 0)
                        return r;
                status = MAX(status, r);
        }
        return jobctl_finish(ctl, failures, status);
}

int verb_reset_failed(Jobctl *ctl, char *const *words) {
        cleanup_json_ json_t *failures = json_array();
        cleanup_(strv_freep) char **names = NULL;
        int status = EXIT_OK, r;

        if (!words || !*words) {
                cleanup_(bus_error_deinit) BusError error = {};

                r = jobctl_call(ctl, "ResetFailed", NULL, NULL, NULL, &error);
                return r < 0 ? jobctl_fail(ctl, &error, "reset failed state") : jobctl_finish(ctl, failures, EXIT_OK);
        }
        r = names_resolve(ctl, words, ".service", &names);
        if (r != 0)
                return r;
        strv_foreach(name, names) {
                cleanup_(bus_error_deinit) BusError error = {};

                r = jobctl_call(ctl, "ResetFailedUnit", "s", json_pack("[s]", *name), NULL, &error);
                if (r < 0)
                        r = jobctl_fail_word(ctl, failures, *name, &error, "reset failed state of");
                if (r < 0)
                        return r;
                status = MAX(status, r);
        }
        return jobctl_finish(ctl, failures, status);
}

/* — daemon-reload — */

int verb_daemon_reload(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        json_t *differences, *line;
        size_t i;
        int r;

        r = jobctl_call(ctl, "ReloadUnits", "b", json_pack("[b]", ctl->options.n_force > 0), &reply, &error);
        if (r == -EREMOTEIO && bus_error_is(&error, "UnknownMethod")) {
                bus_error_deinit(&error);
                r = jobctl_call(ctl, "Reload", NULL, NULL, NULL, &error);
        }
        if (r < 0)
                return jobctl_fail(ctl, &error, "reload unit files");
        differences = json_array_get(reply, 0);
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:b, s:O?}", "ok", 1, "differences", differences), EXIT_OK);
        if (!ctl->options.quiet)
                json_array_foreach(differences, i, line)
                        puts(json_string_value(line) ?: "");
        return EXIT_OK;
}

/* — daemon-reexec — */

/* The answer comes from the new process, or from the one before it, which tells that the new one did not serve. */
int verb_daemon_reexec(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *properties = NULL;
        int r;

        r = jobctl_call(ctl, "Reexecute", NULL, NULL, NULL, &error);
        if (r >= 0) {
                ctl->bus = bus_close(ctl->bus);
                r = jobctl_connect(ctl);
                if (r != 0)
                        return r;
                r = jobctl_properties(ctl, BUS_PATH, BUS_MANAGER, &properties, &error);
        }
        if (r < 0)
                return jobctl_fail(ctl, &error, "execute the manager anew");
        return ctl->options.json ? jobctl_print_json(ctl, json_pack("{s:b}", "ok", 1), EXIT_OK) : EXIT_OK;
}

/* — questions with an exit status — */

typedef struct Check {
        const char *const *good;        /* states that count as yes */
        const char *key;                /* the key of the state in JSON */
        int no;                         /* the exit status if no state is good */
        int (*get)(Jobctl *ctl, const char *unit, char **ret_state, BusError *ret_error);
        int (*print_more)(Jobctl *ctl, const char *unit);       /* or NULL */
} Check;

static int get_active_state(Jobctl *ctl, const char *unit, char **ret_state, BusError *ret_error) {
        cleanup_json_ json_t *state = NULL;
        int r;

        r = jobctl_unit_property(ctl, unit, "ActiveState", &state, ret_error);
        return r < 0 ? r : text_format(ret_state, "%s", json_string_value(state) ?: "");
}

static int get_file_state_offline(Jobctl *ctl, const char *unit, char **ret_state, BusError *ret_error) {
        cleanup_(failure_deinit) Failure failure = {};
        const char *state;
        int r = installer_state(ctl->installer, unit, &state);

        if (r == -ENOENT)
                failure_set(&failure, r, "NoSuchUnit", "Unit file %s does not exist.", unit);
        if (r < 0) {
                offline_error(ret_error, r, &failure);
                return r;
        }
        return text_format(ret_state, "%s", state);
}

static int get_file_state(Jobctl *ctl, const char *unit, char **ret_state, BusError *ret_error) {
        cleanup_json_ json_t *reply = NULL;
        int r;

        if (ctl->installer)
                return get_file_state_offline(ctl, unit, ret_state, ret_error);
        r = jobctl_call(ctl, "GetUnitFileState", "s", json_pack("[s]", unit), &reply, ret_error);
        return r < 0 ? r : text_format(ret_state, "%s", value_item_string(reply, 0));
}

static int check_unit(Jobctl *ctl, const Check *check, const char *unit, json_t *states, bool *is_any_good) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *state = NULL;
        int r;

        r = check->get(ctl, unit, &state, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the state of %s", unit);
        if (strv_contains((char *const *) check->good, state))
                *is_any_good = true;
        if (ctl->options.json)
                return json_array_append_new(states, json_pack("{s:s, s:s}", "unit", unit, check->key, state)) < 0
                               ? -ENOMEM : 0;
        if (ctl->options.quiet)
                return 0;
        puts(state);
        return check->print_more ? check->print_more(ctl, unit) : 0;
}

static int check_units(Jobctl *ctl, char *const *words, const Check *check) {
        cleanup_(strv_freep) char **names = NULL;
        cleanup_json_ json_t *states = json_array();
        bool is_any_good = false;
        int r;

        r = names_resolve(ctl, words, ".service", &names);
        if (r != 0)
                return r;
        strv_foreach(name, names) {
                r = check_unit(ctl, check, *name, states, &is_any_good);
                if (r != 0)
                        return r;
        }
        r = is_any_good ? EXIT_OK : check->no;
        return ctl->options.json ? jobctl_print_json(ctl, take_ptr(states), r) : r;
}

int verb_is_active(Jobctl *ctl, char *const *words) {
        static const char *const good[] = { "active", "reloading", NULL };

        return check_units(ctl, words, &(Check) { good, "active-state", EXIT_INACTIVE, get_active_state, NULL });
}

int verb_is_failed(Jobctl *ctl, char *const *words) {
        static const char *const good[] = { "failed", NULL };

        return check_units(ctl, words, &(Check) { good, "active-state", EXIT_FAILED, get_active_state, NULL });
}

/* For --full: prints the links that disable would remove. */
static int print_links(Jobctl *ctl, const char *unit) {
        cleanup_(install_report_deinit) InstallReport report = {};
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        char *names[] = { (char *) unit, NULL };
        json_t *link;
        size_t i;

        if (ctl->installer && installer_disable(ctl->installer, names, INSTALL_DRY_RUN, &report, NULL) == 0)
                for (i = 0; i < report.changes.n; i++)
                        printf("  %s\n", report.changes.items[i].path);
        if (ctl->installer)
                return 0;
        if (jobctl_call(ctl, "GetUnitFileLinks", "sb", json_pack("[sb]", unit, 0), &reply, &error) >= 0)
                json_array_foreach(json_array_get(reply, 0), i, link)
                        printf("  %s\n", json_string_value(link) ?: "");
        return 0;
}

int verb_is_enabled(Jobctl *ctl, char *const *words) {
        static const char *const good[] = { "enabled", "enabled-runtime", "static", "alias", "indirect", "generated",
                                            NULL };
        int r = offline_open(ctl, &ctl->installer);

        if (r != 0)
                return r;
        return check_units(ctl, words, &(Check) { good, "state", EXIT_FAILED, get_file_state,
                                                   ctl->options.full ? print_links : NULL });
}

/* — cat — */

/* Control characters of the file are escaped on a terminal, and unchanged in a pipe. */
static int print_file(Jobctl *ctl, const char *path) {
        const char *builtin = text_starts_with(path, "builtin:") ? builtin_unit_find(strchr(path, ':') + 1) : NULL;
        int fd = builtin ? -1 : edit_text_open(path), r = 0;
        cleanup_free_ char *line = NULL;
        size_t allocated = 0;
        ssize_t n;
        FILE *file;

        if (!builtin && fd < 0)
                return fd;
        file = builtin ? fmemopen((char *) builtin, strlen(builtin), "r") : fdopen(fd, "r");
        if (!file) {
                if (fd >= 0)
                        close(fd);
                return -ENOMEM;
        }
        while (r == 0 && (n = getline(&line, &allocated, file)) >= 0) {
                cleanup_free_ char *escaped = NULL;

                if (ctl->terminal.is_out_terminal)
                        r = terminal_escape(line, &escaped);
                if (r == 0)
                        fwrite(escaped ?: line, 1, escaped ? strlen(escaped) : (size_t) n, stdout);
        }
        fclose(file);
        return r;
}

static int print_titled_file(Jobctl *ctl, const char *path) {
        int r;

        if (!*path)
                return 0;
        if (ctl->terminal.has_out_color)
                fputs(terminal_color(&ctl->terminal, COLOR_BOLD), stdout);
        printf("# %s%s\n", path, terminal_reset(&ctl->terminal, COLOR_BOLD));
        r = print_file(ctl, path);
        if (r < 0) {
                terminal_say(stderr, "Failed to read %s: %s", path,
                             r == -EMEDIUMTYPE ? "It is not a regular file." : strerror(-r));
                return EXIT_FAILED;
        }
        return 0;
}

static int cat_unit(Jobctl *ctl, const char *unit, bool is_first, json_t *documents) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *properties = NULL;
        const char *fragment, *hint;
        json_t *dropins, *dropin;
        bool has_files;
        size_t i;
        int r, n;

        r = jobctl_unit_properties(ctl, unit, BUS_UNIT, &properties, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "find the files of %s", unit);
        fragment = value_string(properties, "FragmentPath");
        dropins = json_object_get(properties, "DropInPaths");
        has_files = *fragment || json_array_size(dropins) > 0;
        if (ctl->options.json)
                return json_array_append_new(documents, json_pack("{s:s, s:s, s:O?}", "unit", unit, "path", fragment,
                                                                  "drop-ins", dropins)) < 0 ? -ENOMEM :
                       has_files ? EXIT_OK : EXIT_FAILED;
        if (!has_files) {
                hint = value_hint(properties, &n);
                terminal_say(stderr, "No files found for %s%.*s.", unit, n, hint);
                return EXIT_FAILED;
        }
        if (!is_first)
                putchar('\n');
        r = print_titled_file(ctl, fragment);
        json_array_foreach(dropins, i, dropin) {
                if (i > 0 || *fragment)
                        putchar('\n');
                r = MAX(r, print_titled_file(ctl, json_string_value(dropin) ?: ""));
        }
        if (value_bool(properties, "NeedDaemonReload") && !ctl->options.quiet)
                jobctl_warn_outdated(unit);
        return r;
}

int verb_cat(Jobctl *ctl, char *const *words) {
        cleanup_(strv_freep) char **names = NULL;
        cleanup_json_ json_t *documents = json_array();
        int status = EXIT_OK, r;

        r = names_resolve(ctl, words, ".service", &names);
        if (r != 0)
                return r;
        strv_foreach(name, names) {
                r = cat_unit(ctl, *name, name == names, documents);
                if (r < 0)
                        return r;
                status = MAX(status, r);
        }
        return ctl->options.json ? jobctl_print_json(ctl, take_ptr(documents), status) : status;
}
