/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Presets
 *
 * The files of all folders form one list, sorted by file name, so that
 * 00-site.preset of the administrator comes before 90-vendor.preset in
 * whichever folders they are.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/install_folder.h"
#include "unitfile/install_preset.h"

#define PRESET_LINES_MAX 65536

static void preset_rule_deinit(PresetRule *rule) {
        free(rule->pattern);
        strv_free(rule->instances);
}

void preset_rules_deinit(PresetRules *rules) {
        for (size_t i = 0; i < rules->rules.n; i++)
                preset_rule_deinit(&rules->rules.items[i]);
        vector_deinit(&rules->rules);
}

int preset_search_path(bool is_user, bool with_systemd, char ***ret_path) {
        static const char *const bases[] = { "/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib" };
        cleanup_(strv_freep) char **path = NULL;
        const char *kind = is_user ? "user-preset" : "system-preset", *home = getenv("XDG_CONFIG_HOME");
        char *folder = NULL;
        int r = 0;

        if (is_user && home && *home == '/' && text_format(&folder, "%s/jobd/%s", home, kind) == 0)
                r = strv_consume(&path, folder);
        for (size_t owner = 0; owner < 1U + with_systemd; owner++)
                for (size_t i = 0; r == 0 && i < ELEMENTSOF(bases); i++) {
                        r = text_format(&folder, "%s/%s/%s", bases[i], owner == 0 ? "jobd" : "systemd", kind);
                        if (r == 0)
                                r = strv_consume(&path, folder);
                }
        if (r < 0)
                return r;
        *ret_path = take_ptr(path);
        return 0;
}

/* — reading — */

typedef struct PresetFile {
        char *name;                     /* owned */
        size_t folder;
} PresetFile;

typedef VECTOR(PresetFile) PresetFiles;

static void preset_files_deinit(PresetFiles *files) {
        for (size_t i = 0; i < files->n; i++)
                free(files->items[i].name);
        vector_deinit(files);
}

static int preset_file_compare(const void *a, const void *b) {
        const PresetFile *left = a, *right = b;
        int order = strcmp(left->name, right->name);

        return order ? order : (left->folder > right->folder) - (left->folder < right->folder);
}

static int preset_files_list(PresetFiles *files, const char *root, const char *folder, size_t number) {
        const struct dirent *item;
        DIR *dir;
        int r = folder_list(root, folder, &dir);

        if (r < 0 || !dir)
                return r;
        while (r == 0 && (item = readdir(dir))) {
                PresetFile file = { .folder = number };

                if (item->d_name[0] == '.' || !text_ends_with(item->d_name, ".preset"))
                        continue;
                file.name = strdup(item->d_name);
                r = file.name ? vector_push(files, file) : -ENOMEM;
                if (r < 0)
                        free(file.name);
        }
        closedir(dir);
        return r;
}

static int preset_parse_line(PresetRules *rules, const char *line) {
        cleanup_(strv_freep) char **words = NULL;
        PresetRule rule = {};
        int r = strv_split(line, " \t\r\n", &words);

        if (r < 0)
                return r;
        if (strv_length(words) < 2 || words[0][0] == '#' || words[0][0] == ';')
                return 0;
        rule.is_enable = strcmp(words[0], "enable") == 0;
        if (!rule.is_enable && strcmp(words[0], "disable") != 0)
                return 0;
        rule.pattern = strdup(words[1]);
        r = rule.pattern ? strv_copy(words + 2, &rule.instances) : -ENOMEM;
        if (r == 0)
                r = vector_push(&rules->rules, rule);
        if (r < 0)
                preset_rule_deinit(&rule);
        return r;
}

static int preset_read_file(PresetRules *rules, const char *root, const char *folder, const char *name) {
        cleanup_free_ char *line = NULL;
        size_t allocated = 0;
        FILE *file = NULL;
        int fd, inner, r;

        r = folder_open(root, folder, false, &fd);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        inner = openat(fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (*root ? O_NOFOLLOW : 0));
        close(fd);
        if (inner < 0)
                return 0;
        file = fdopen(inner, "r");
        if (!file) {
                close(inner);
                return -ENOMEM;
        }
        while (r == 0 && rules->rules.n < PRESET_LINES_MAX && getline(&line, &allocated, file) >= 0)
                r = preset_parse_line(rules, line);
        fclose(file);
        return r;
}

int preset_rules_read(PresetRules *rules, char *const *folders, const char *root) {
        cleanup_(preset_files_deinit) PresetFiles files = {};
        size_t n = 0;
        int r = 0;

        strv_foreach(folder, folders)
                if (r == 0)
                        r = preset_files_list(&files, root, *folder, n++);
        if (files.n > 0)
                qsort(files.items, files.n, sizeof(PresetFile), preset_file_compare);
        for (size_t i = 0; r == 0 && i < files.n; i++)
                if (i == 0 || strcmp(files.items[i].name, files.items[i - 1].name) != 0)
                        r = preset_read_file(rules, root, folders[files.items[i].folder], files.items[i].name);
        return r;
}

/* — matching — */

/* A rule also matches an instance if it names the template. */
static bool preset_rule_fits(const PresetRule *rule, const char *name) {
        cleanup_free_ char *template = NULL, *instance = NULL;

        if (fnmatch(rule->pattern, name, FNM_NOESCAPE) == 0)
                return true;
        return rule->instances && unit_name_is_instance(name) && unit_name_template(name, &template) == 0 &&
               unit_name_instance(name, &instance) == 0 && fnmatch(rule->pattern, template, FNM_NOESCAPE) == 0 &&
               strv_contains(rule->instances, instance);
}

bool preset_rules_is_enabled(const PresetRules *rules, const char *name, char *const **ret_instances) {
        if (ret_instances)
                *ret_instances = NULL;
        for (size_t i = 0; i < rules->rules.n; i++) {
                const PresetRule *rule = &rules->rules.items[i];

                if (!preset_rule_fits(rule, name))
                        continue;
                if (ret_instances && rule->is_enable && unit_name_is_template(name))
                        *ret_instances = rule->instances;
                return rule->is_enable;
        }
        return true;
}
