/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workflows of Dagu, in YAML
 *
 * A file is written as a flow that does the same, or refused. The
 * format is that of Dagu 2.6, with the older spelling of its keys.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/cron_time.h"
#include "jobctl/flow_import_dagu.h"

static void reader_deinit(DaguReader *reader) {
        for (size_t i = 0; i < reader->params.n; i++) {
                free(reader->params.items[i].name);
                free(reader->params.items[i].field);
        }
        for (size_t i = 0; i < reader->steps.n; i++)
                vector_deinit(&reader->steps.items[i].parents);
        vector_deinit(&reader->params);
        vector_deinit(&reader->steps);
        vector_deinit(&reader->names);
        index_table_deinit(&reader->by_name);
        free(reader->folder);
        free(reader->dag_name);
        yaml_tree_deinit(&reader->yaml);
}

/* — names — */

static int read_name(DaguReader *reader) {
        const char *name = NULL, *description = NULL;
        int r = dagu_get_text(reader, reader->root, "name", &name);

        if (r == 0)
                r = dagu_get_text(reader, reader->root, "description", &description);
        else if (r > 0)
                r = MIN(dagu_get_text(reader, reader->root, "description", &description), 0);
        if (r < 0)
                return r;
        if (name && *name) {
                r = text_format(&reader->flow->name, "%.*s", (int) IMPORT_NAME_MAX, name);
                for (char *at = reader->flow->name; r == 0 && *at; at++)
                        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *at))
                                *at = '_';
                /* Not a name with which a file of the folder above, or a hidden one, is written. */
                if (r == 0 && *reader->flow->name == '.')
                        *reader->flow->name = '_';
        } else
                name = reader->input->name;
        if (r >= 0)
                r = text_copy(name, &reader->dag_name);
        return r < 0 ? r : text_copy(description && *description ? description : name, &reader->flow->description);
}

/* — the schedule — */

static int add_cron(DaguReader *reader, const YamlNode *node, const char *text) {
        static const char *const prefixes[] = { "CRON_TZ=", "TZ=" };
        cleanup_free_ char *problem = NULL, *zone = NULL;
        const char *rest;
        CronTime time;
        int r;

        for (size_t i = 0; i < ELEMENTSOF(prefixes); i++)
                if (text_starts_with(text, prefixes[i])) {
                        text += strlen(prefixes[i]);
                        zone = strndup(text, strcspn(text, " \t\n"));
                        text += strcspn(text, " \t\n");
                        if (!zone)
                                return -ENOMEM;
                        break;
                }
        text += strspn(text, " \t");
        r = cron_time_parse(text, &time, &rest, &problem);
        if (r == -EINVAL)
                return dagu_fail(reader, node, "%s", problem);
        if (r < 0)
                return r;
        if (time.is_reboot || rest[strspn(rest, " \t\n")])
                return dagu_fail(reader, node, "'%s' is no time of Dagu", text);
        cron_time_write(&time, zone && *zone ? zone : NULL, &reader->flow->timer);
        return 0;
}

static int add_start(DaguReader *reader, const YamlNode *node) {
        const YamlNode *expression = dagu_get(reader, node, "expression"), *at = dagu_get(reader, node, "at");

        if (at)
                return dagu_note(reader, at, "at",
                                 "has no counterpart by itself: OnCalendar= of a timer may name a single time");
        if (expression)
                node = expression;
        if (node->kind != YAML_KIND_TEXT)
                return dagu_fail(reader, node, "a time of schedule is not a text");
        return *node->text ? add_cron(reader, node, node->text) : 0;
}

static int read_schedule(DaguReader *reader) {
        static const char others[] = "of schedule has no counterpart: a timer only starts runs; one of a service with "
                                     "'jobctl flow stop' or 'cancel' ends them";
        static const DaguKey keys[] = { { .name = "start" },
                                        { .name = "stop", .treatment = DAGU_NOTE, .text = others },
                                        { .name = "restart", .treatment = DAGU_NOTE, .text = others } };
        const YamlNode *node = dagu_get(reader, reader->root, "schedule"), *starts = node;
        int r = 0;

        if (node && node->kind == YAML_KIND_MAP && !dagu_get(reader, node, "expression") &&
            !dagu_get(reader, node, "at")) {
                r = dagu_check_keys(reader, node, "schedule", keys, ELEMENTSOF(keys));
                starts = dagu_get(reader, node, "start");
        }
        for (size_t i = 0; r == 0 && i < dagu_count(starts); i++)
                r = add_start(reader, dagu_item(reader, starts, i));
        if (reader->flow->timer.n > 0)
                text_add(&reader->flow->timer, "AccuracySec=1s\n");
        return r;
}

/* — settings of the whole — */

static int set_number(DaguReader *reader, const char *key, const char *format_before, const char *after) {
        uint32_t value = 0;
        int r = dagu_get_u32(reader, reader->root, key, &value);

        if (r > 0 && value > 0)
                text_addf(&reader->flow->settings, "%s=%u%s\n", format_before, value, after);
        return MIN(r, 0);
}

static int set_runs(DaguReader *reader) {
        const YamlNode *runs = dagu_get(reader, reader->root, "max_active_runs");

        if (runs && runs->kind == YAML_KIND_TEXT && *runs->text == '-') {
                text_add(&reader->flow->settings, "MaxRuns=1000\n");
                return dagu_note(reader, runs, "max_active_runs", "without a bound has no counterpart; it is 1000");
        }
        return set_number(reader, "max_active_runs", "MaxRuns", "");
}

static int set_keeping(DaguReader *reader) {
        const YamlNode *days = dagu_get(reader, reader->root, "hist_retention_days");
        int r = set_number(reader, "hist_retention_days", "KeepFor", "d");

        if (r == 0)
                r = set_number(reader, "hist_retention_runs", "KeepRuns", "");
        if (r == 0 && days)
                r = dagu_note(reader, days, "hist_retention_days",
                              "is not the only bound: KeepRuns= keeps 200 runs, if it says nothing else");
        return r;
}

/* Files of variables: ".env" by itself, before those that are named. */
static int set_dotenv(DaguReader *reader) {
        const YamlNode *dotenv = dagu_get(reader, reader->root, "dotenv");
        int r = 0;

        if (dotenv && dotenv->kind == YAML_KIND_LIST && dotenv->items.n == 0)
                return 0;
        text_add(&reader->flow->settings, "EnvironmentFile=-");
        import_add_unspecified(&reader->flow->settings, reader->folder);
        text_add(&reader->flow->settings, "/.env\n");
        for (size_t i = 0; r == 0 && i < dagu_count(dotenv); i++) {
                const YamlNode *item = dagu_item(reader, dotenv, i);
                cleanup_free_ char *path = NULL;

                r = dagu_make_path(reader, item, reader->folder, &path);
                if (r < 0 || strcmp(item->text, ".env") == 0)
                        continue;
                text_add(&reader->flow->settings, "EnvironmentFile=-");
                import_add_unspecified(&reader->flow->settings, path);
                text_add_char(&reader->flow->settings, '\n');
        }
        return r;
}

static int set_folder(DaguReader *reader) {
        const YamlNode *dir = dagu_get(reader, reader->root, "working_dir");
        int r = dir ? dagu_make_path(reader, dir, reader->input->folder, &reader->folder)
                    : text_copy(reader->input->folder, &reader->folder);

        if (r == 0)
                import_add_setting(&reader->flow->settings, "WorkingDirectory", reader->folder);
        return r;
}

static int check_selector(DaguReader *reader) {
        const YamlNode *selector = dagu_get(reader, reader->root, "worker_selector");

        if (!selector || (selector->kind == YAML_KIND_TEXT && strcmp(selector->text, "local") == 0))
                return 0;
        return dagu_fail(reader, selector,
                         "worker_selector has no counterpart: commands would be executed on this machine");
}

static int check_defaults(DaguReader *reader) {
        static const DaguKey keys[] = {
                { .name = "retry_policy" },   { .name = "continue_on" },    { .name = "repeat_policy" },
                { .name = "timeout_sec" },    { .name = "signal_on_stop" }, { .name = "env" },
                { .name = "preconditions" },
                { .name = "mail_on_error", .treatment = DAGU_NOTE, .text = "has no counterpart: no mail is sent" },
                { .name = "agent", .treatment = DAGU_NOTE,
                  .text = "has no counterpart: it is of steps of a kind that is not imported" },
        };
        const YamlNode *defaults = dagu_get(reader, reader->root, "defaults");

        if (!defaults)
                return 0;
        return defaults->kind == YAML_KIND_MAP
                       ? dagu_check_keys(reader, defaults, "defaults", keys, ELEMENTSOF(keys))
                       : dagu_fail(reader, defaults, "defaults is not a map");
}

static int read_whole(DaguReader *reader) {
        int r;

        reader->root = &reader->yaml.nodes.items[reader->yaml.root];
        if (reader->root->kind != YAML_KIND_MAP)
                return dagu_fail(reader, reader->root, "the document is not a map: this is no workflow of Dagu");
        r = dagu_check_root(reader);
        if (r == 0)
                r = check_selector(reader);
        if (r == 0)
                r = check_defaults(reader);
        if (r == 0)
                r = read_name(reader);
        if (r == 0)
                r = read_schedule(reader);
        if (r == 0)
                r = set_folder(reader);
        if (r == 0)
                r = dagu_read_params(reader);
        if (r == 0)
                r = set_dotenv(reader);
        if (r == 0)
                r = dagu_set_flow_env(reader);
        if (r == 0)
                r = set_number(reader, "timeout_sec", "RunTimeoutSec", "");
        if (r == 0)
                r = set_number(reader, "max_active_steps", "MaxParallel", "");
        if (r == 0)
                r = set_number(reader, "max_clean_up_time_sec", "TimeoutStopSec", "");
        if (r == 0)
                r = set_runs(reader);
        if (r == 0)
                r = set_keeping(reader);
        if (r == 0)
                r = dagu_read_gates(reader);
        if (r == 0)
                r = dagu_read_steps(reader);
        return r < 0 ? r : dagu_read_handlers(reader);
}

int import_dagu(const ImportInput *input, ImportOutput *output) {
        DaguReader reader = { .input = input, .output = output, .gate = UINT32_MAX, .gate_condition = UINT32_MAX };
        int r = import_add_flow(output, &reader.flow);

        if (r == 0)
                r = yaml_tree_read(input->text, input->n, &reader.yaml);
        if (r == -EBADMSG) {
                output->problem = take_ptr(reader.yaml.problem);
                output->line = reader.yaml.line;
        } else if (r == 0)
                r = read_whole(&reader);
        reader_deinit(&reader);
        return r;
}
