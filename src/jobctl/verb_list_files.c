/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * list-unit-files, unit-paths
 *
 * A running manager is asked, as it knows its search path; with --root, or
 * without a manager, jobctl reads the files itself. It always reads the
 * presets itself. The columns are those of systemctl: scripts parse them.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/offline.h"
#include "jobctl/state.h"
#include "jobctl/table.h"
#include "jobctl/verbs.h"
#include "unitfile/install_preset.h"

/* Rows: path, state. */

static const char *file_name(const json_t *row) {
        const char *path = value_item_string(row, 0), *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

static int compare_files(const void *a, const void *b) {
        const char *name_a = file_name(*(json_t *const *) a), *name_b = file_name(*(json_t *const *) b);
        int r = strcmp(name_type_of(name_a), name_type_of(name_b));

        return r != 0 ? r : strcmp(name_a, name_b);
}

static int list_online(Jobctl *ctl, char *const *patterns, json_t **ret_rows) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        int r = jobctl_call(ctl, "ListUnitFilesByPatterns", "asas",
                            json_pack("[oo]", value_from_strings(ctl->options.states), value_from_strings(patterns)),
                            &reply, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "list unit files");
        *ret_rows = json_incref(json_array_get(reply, 0));
        return 0;
}

static int list_offline(Jobctl *ctl, Installer *installer, char *const *patterns, json_t **ret_rows) {
        cleanup_json_ json_t *rows = json_array();
        cleanup_(strv_freep) char **names = NULL;
        int r = installer_list(installer, &names);

        strv_foreach(name, names) {
                cleanup_free_ char *path = NULL;
                const char *state;

                if (r < 0)
                        return r;
                if (!strv_matches(patterns, *name) || installer_state(installer, *name, &state) < 0 ||
                    (ctl->options.states && !strv_contains(ctl->options.states, state)))
                        continue;
                r = installer_find(installer, *name, &path);
                if (r == 0 && json_array_append_new(rows, json_pack("[ss]", path, state)) < 0)
                        r = -ENOMEM;
        }
        if (r < 0)
                return r;
        *ret_rows = take_ptr(rows);
        return 0;
}

/* Reads systemd's presets, too, if systemd's folders are on the search path. */
static int read_presets(Jobctl *ctl, PresetRules *presets) {
        cleanup_(strv_freep) char **search_path = NULL, **folders = NULL;
        bool with_systemd = ctl->options.with_systemd_units;
        int r = offline_search_path(ctl, &search_path);

        strv_foreach(folder, search_path)
                with_systemd = with_systemd || strstr(*folder, "/systemd/");
        if (r == 0)
                r = preset_search_path(ctl->address.is_user, with_systemd, &folders);
        return r != 0 ? r : preset_rules_read(presets, folders, ctl->options.root ?: "");
}

/* Some unit files cannot be enabled. */
static const char *preset_of(const PresetRules *presets, const json_t *row) {
        static const char *const without[] = { "static", "alias", "generated", "transient", NULL };

        if (strv_contains((char *const *) without, value_item_string(row, 1)))
                return "-";
        return preset_rules_is_enabled(presets, file_name(row), NULL) ? "enabled" : "disabled";
}

static int print_files(Jobctl *ctl, const PresetRules *presets, json_t *const *rows, size_t n) {
        cleanup_(table_deinit) Table table = { .n_columns = 3, .is_full = ctl->options.full,
                                               .has_header = !ctl->options.no_legend };
        int r;

        if (table.has_header) {
                table_add(&table, COLOR_NONE, "UNIT FILE");
                table_add(&table, COLOR_NONE, "STATE");
                table_add(&table, COLOR_NONE, "PRESET");
        }
        for (size_t i = 0; i < n; i++) {
                table_add(&table, COLOR_NONE, file_name(rows[i]));
                table_add(&table, state_color(value_item_string(rows[i], 1)), value_item_string(rows[i], 1));
                table_add(&table, state_color(preset_of(presets, rows[i])), preset_of(presets, rows[i]));
        }
        r = table_write(&table, &ctl->terminal, stdout);
        if (r == 0 && !ctl->options.no_legend)
                printf("\n%zu unit %s listed.\n", n, n == 1 ? "file" : "files");
        return r;
}

static int print_files_json(Jobctl *ctl, const PresetRules *presets, json_t *const *rows, size_t n) {
        cleanup_json_ json_t *files = json_array();

        for (size_t i = 0; i < n; i++) {
                const char *preset = preset_of(presets, rows[i]);
                json_t *file = json_pack("{s:s, s:s, s:s, s:s?}", "unit-file", file_name(rows[i]),
                                         "path", value_item_string(rows[i], 0), "state", value_item_string(rows[i], 1),
                                         "preset", strcmp(preset, "-") == 0 ? NULL : preset);

                if (json_array_append_new(files, file) < 0)
                        return -ENOMEM;
        }
        return jobctl_print_json(ctl, take_ptr(files), EXIT_OK);
}

static int print_rows(Jobctl *ctl, const json_t *reply) {
        cleanup_free_ json_t **rows = calloc(json_array_size(reply) + 1, sizeof(*rows));
        cleanup_(preset_rules_deinit) PresetRules presets = {};
        size_t n = 0, i;
        json_t *row;
        int r;

        if (!rows)
                return -ENOMEM;
        r = read_presets(ctl, &presets);
        if (r != 0)
                return r;
        json_array_foreach(reply, i, row)
                if (!ctl->options.types || strv_contains(ctl->options.types, name_type_of(file_name(row))))
                        rows[n++] = row;
        qsort(rows, n, sizeof(*rows), compare_files);
        return ctl->options.json ? print_files_json(ctl, &presets, rows, n) : print_files(ctl, &presets, rows, n);
}

int verb_list_unit_files(Jobctl *ctl, char *const *words) {
        cleanup_(installer_freep) Installer *installer = NULL;
        cleanup_(strv_freep) char **patterns = NULL;
        cleanup_json_ json_t *reply = NULL;
        int r = names_check_types(ctl);

        if (r == 0)
                r = names_to_patterns(ctl, words, &patterns);
        if (r == 0)
                r = offline_open(ctl, &installer);
        if (r == 0)
                r = installer ? list_offline(ctl, installer, patterns, &reply) : list_online(ctl, patterns, &reply);
        return r != 0 ? r : print_rows(ctl, reply);
}

int verb_unit_paths(Jobctl *ctl, char *const *words) {
        cleanup_(installer_freep) Installer *installer = NULL;
        cleanup_(strv_freep) char **folders = NULL;
        cleanup_json_ json_t *array = json_array();
        int r;

        if (ctl->options.root)
                return jobctl_misused(ctl, "'unit-paths' does not go with '--root'.");
        r = offline_open(ctl, &installer);
        if (r == 0)
                r = offline_search_path(ctl, &folders);
        if (r != 0)
                return r;
        strv_foreach(folder, folders) {
                if (!ctl->options.json)
                        puts(*folder);
                if (json_array_append_new(array, json_string(*folder)) < 0)
                        return -ENOMEM;
        }
        return ctl->options.json ? jobctl_print_json(ctl, take_ptr(array), EXIT_OK) : EXIT_OK;
}
