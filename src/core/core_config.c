/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd.conf
 *
 * Lines "Key=value" under [Manager]; '#' and ';' begin a comment. A wrong value
 * is an error, so that jobd never runs with less than was asked for; an unknown
 * key is a warning, so that a file of a later version still works.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "core/core_config.h"
#include "core/core_log.h"
#include "core/core_runstore.h"

typedef struct ConfigKey {
        const char *name;
        int (*set)(CoreOptions *options, const char *value);
} ConfigKey;

static int set_bool(bool *slot, const char *value) {
        int r = text_parse_bool(value);

        if (r >= 0)
                *slot = r > 0;
        return r < 0 ? r : 0;
}

static int set_unit_path(CoreOptions *options, const char *value) {
        return core_options_set(&options->unit_path, value);
}

static int set_runtime_directory(CoreOptions *options, const char *value) {
        return core_options_set(&options->runtime_directory, value);
}

static int set_shutdown_timeout(CoreOptions *options, const char *value) {
        return usec_parse(value, USEC_PER_SEC, &options->shutdown_timeout);
}

static int set_systemd_compat(CoreOptions *options, const char *value) {
        return set_bool(&options->systemd_compat, value);
}

static int set_systemd_boot(CoreOptions *options, const char *value) {
        return set_bool(&options->with_systemd_boot, value);
}

static int set_systemd_units(CoreOptions *options, const char *value) {
        return set_bool(&options->with_systemd_units, value);
}

/* Names, which add up; an empty value clears the list. */
static int add_exit_on(CoreOptions *options, const char *value) {
        cleanup_(strv_freep) char **names = NULL;
        int r;

        r = strv_split(value, " \t", &names);
        if (!names)
                options->exit_on = strv_free(options->exit_on);
        strv_foreach(name, names)
                if (r == 0)
                        r = core_options_add_exit_on(options, *name);
        return r;
}

static int set_default_tasks_max(CoreOptions *options, const char *value) {
        return resource_limit_parse(value, &options->default_tasks_max);
}

static const ConfigKey manager_keys[] = {
        { "CoreWatchdogSec", core_options_set_watchdog },
        { "DefaultOOMScoreAdjust", core_options_set_default_score },
        { "DefaultTasksMax", set_default_tasks_max },
        { "DefaultStandardOutput", core_log_set_output },
        { "DefaultUnit", core_options_set_default_unit },
        { "ExitOn", add_exit_on },
        { "InheritEnvironment", core_options_set_environment },
        { "LogDirectory", core_log_set_directory },
        { "LogKeepFree", core_log_set_keep_free },
        { "LogLevel", core_options_set_log_level },
        { "LogMaxFileSec", core_log_set_file_age },
        { "LogMaxFileSize", core_log_set_file_size },
        { "LogMaxRetentionSec", core_log_set_retention },
        { "LogMaxUse", core_log_set_max_use },
        { "LogRateLimitBurst", core_log_set_burst },
        { "LogRateLimitIntervalSec", core_log_set_interval },
        { "LogTo", core_log_set_kind },
        { "RuntimeDirectory", set_runtime_directory },
        { "ShutdownTimeoutSec", set_shutdown_timeout },
        { "SignalExitStatus", core_options_set_signal_status },
        { "SystemdBoot", set_systemd_boot },
        { "SystemdCompat", set_systemd_compat },
        { "SystemdUnits", set_systemd_units },
        { "UnitPath", set_unit_path },
        { "UnsupportedDirectives", core_options_set_directives },
};

static const ConfigKey engine_keys[] = {
        { "MaxLaunchers", core_runstore_set_launchers },
        { "Resources", core_runstore_set_resources },
        { "Store", core_runstore_set_store },
        { "Sync", core_runstore_set_sync },
};

typedef struct ConfigSection {
        const char *name;
        const ConfigKey *keys;
        size_t n;
} ConfigSection;

static const ConfigSection sections[] = {
        { "[Manager]", manager_keys, ELEMENTSOF(manager_keys) },
        { "[Engine]", engine_keys, ELEMENTSOF(engine_keys) },
};

static const ConfigSection *find_section(const char *header) {
        for (size_t i = 0; i < ELEMENTSOF(sections); i++)
                if (strcmp(sections[i].name, header) == 0)
                        return &sections[i];
        return NULL;
}

static const ConfigKey *find_key(const ConfigSection *section, const char *name) {
        for (size_t i = 0; i < section->n; i++)
                if (strcmp(section->keys[i].name, name) == 0)
                        return &section->keys[i];
        return NULL;
}

static char *strip(char *text) {
        size_t n;

        while (isspace((unsigned char) *text))
                text++;
        n = strlen(text);
        while (n > 0 && isspace((unsigned char) text[n - 1]))
                text[--n] = '\0';
        return text;
}

typedef struct ConfigPlace {
        const char *path;
        unsigned line;
        const ConfigSection *section; /* NULL: none that is read */
} ConfigPlace;

static int read_assignment(CoreOptions *options, const ConfigPlace *place, char *line, Failure *ret_failure) {
        char *equals = strchr(line, '=');
        const ConfigKey *key;
        const char *value;
        int r;

        if (!equals)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s:%u: expected Key=value.", place->path,
                                   place->line);
        *equals = '\0';
        value = strip(equals + 1);
        key = find_key(place->section, strip(line));
        if (!key) {
                log_warning("%s:%u: unknown setting '%s': ignored.", place->path, place->line, strip(line));
                return 0;
        }
        r = key->set(options, value);
        if (r < 0)
                return failure_set(ret_failure, r, "InvalidArgs", "%s:%u: '%s' is not a value for %s=.", place->path,
                                   place->line, value, key->name);
        return 0;
}

static int read_line(CoreOptions *options, ConfigPlace *place, char *line, Failure *ret_failure) {
        char *text = strip(line);

        if (text[0] == '\0' || text[0] == '#' || text[0] == ';')
                return 0;
        if (text[0] == '[') {
                place->section = find_section(text);
                if (!place->section)
                        log_warning("%s:%u: section %s is ignored.", place->path, place->line, text);
                return 0;
        }
        return place->section ? read_assignment(options, place, text, ret_failure) : 0;
}

static void close_file(FILE **file) {
        if (*file)
                fclose(*file);
}

static int read_file(CoreOptions *options, const char *path, bool may_be_missing, Failure *ret_failure) {
        cleanup_(close_file) FILE *file = fopen(path, "re");
        cleanup_free_ char *line = NULL;
        ConfigPlace place = { .path = path };
        size_t size = 0;
        int r = 0;

        if (!file && errno == ENOENT && may_be_missing)
                return 0;
        if (!file)
                return failure_set(ret_failure, -errno, "InvalidArgs", "%s: %s", path, strerror(errno));
        while (r == 0 && getline(&line, &size, file) >= 0) {
                place.line++;
                r = read_line(options, &place, line, ret_failure);
        }
        if (r == 0 && ferror(file))
                r = failure_set(ret_failure, -EIO, "InvalidArgs", "%s: cannot be read.", path);
        return r;
}

static int find_usual_place(bool is_user, char **ret_path) {
        const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

        if (!is_user)
                return text_format(ret_path, "/etc/jobd/jobd.conf");
        if (folder && folder[0] == '/')
                return text_format(ret_path, "%s/jobd/jobd.conf", folder);
        return text_format(ret_path, "%s/.config/jobd/jobd.conf", home ?: "");
}

int core_config_read(CoreOptions *options, const char *path, Failure *ret_failure) {
        cleanup_free_ char *usual = NULL;
        int r;

        if (path)
                return read_file(options, path, false, ret_failure);
        r = find_usual_place(options->is_user, &usual);
        if (r < 0)
                return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
        return read_file(options, usual, true, ret_failure);
}
