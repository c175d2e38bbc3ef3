/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of the log, for the manager
 *
 * In a container, and for "jobd run", the output of units is that of the
 * container by default: its log is looked for there. A jobd with a runtime
 * directory of its own has its log files there, too, so that two of them do not
 * write into the same ones.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "core/core_log.h"
#include "core/core_program.h"

#define MEBIBYTE (UINT64_C(1024) * 1024)
#define FILE_SIZE_DEFAULT (16 * MEBIBYTE)
#define FILE_AGE_DEFAULT (30 * USEC_PER_DAY)
/* The socket of journald. */
#define INTERVAL_DEFAULT (30 * USEC_PER_SEC)
#define BURST_DEFAULT 10000U

#define SYSTEM_DIRECTORY "/var/log/jobd"

void core_log_defaults(CoreOptions *options) {
        options->log_kind = MANAGER_LOG_AUTO;
        options->log = (LogSettings) {
                .file_size_max = FILE_SIZE_DEFAULT,
                .file_age_max = FILE_AGE_DEFAULT,
                .size_max = LOG_AUTOMATIC,
                .keep_free = LOG_AUTOMATIC,
                .interval = INTERVAL_DEFAULT,
                .burst = BURST_DEFAULT,
        };
}

static void find_user_directory(char directory[static LOG_PATH_BYTES]) {
        const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

        if (state && state[0] == '/')
                snprintf(directory, LOG_PATH_BYTES, "%s/jobd/log", state);
        else if (home && home[0] == '/')
                snprintf(directory, LOG_PATH_BYTES, "%s/.local/state/jobd/log", home);
}

void core_log_init(CoreLog *log, const CoreOptions *options, const char *runtime_directory) {
        const bool shows_output = options->is_container || options->is_run;
        LogSettings *settings = &log->settings;

        *log = (CoreLog) { .settings = options->log };
        core_find_program("jobd-log", log->program);
        snprintf(settings->other_directory, LOG_PATH_BYTES, "%s/logs", runtime_directory);
        if (settings->directory[0] == '\0' && options->has_own_runtime_directory)
                memcpy(settings->directory, settings->other_directory, LOG_PATH_BYTES);
        else if (settings->directory[0] == '\0' && options->is_user)
                find_user_directory(settings->directory);
        else if (settings->directory[0] == '\0')
                strcpy(settings->directory, SYSTEM_DIRECTORY);
        log->options = (ManagerLogOptions) {
                .kind = options->log_kind,
                .default_output = options->is_output_named ? options->default_output
                                  : shows_output           ? MANAGER_OUTPUT_INHERIT
                                                           : MANAGER_OUTPUT_LOG,
                .settings = settings,
                .program = log->program,
        };
}

/* — jobd.conf — */

int core_log_set_kind(CoreOptions *options, const char *value) {
        static const char *const kinds[] = { "none", "auto", "journald", "files" };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                if (strcmp(kinds[i], value) == 0) {
                        options->log_kind = (ManagerLogKind) i;
                        return 0;
                }
        return -EINVAL;
}

int core_log_set_output(CoreOptions *options, const char *value) {
        static const struct {
                const char *value;
                ManagerOutput output;
        } outputs[] = {
                { "inherit", MANAGER_OUTPUT_INHERIT },
                { "null", MANAGER_OUTPUT_NULL },
                { "journal", MANAGER_OUTPUT_LOG },
                { "log", MANAGER_OUTPUT_LOG },
        };

        for (size_t i = 0; i < ELEMENTSOF(outputs); i++)
                if (strcmp(outputs[i].value, value) == 0) {
                        options->default_output = outputs[i].output;
                        options->is_output_named = true;
                        return 0;
                }
        return -EINVAL;
}

int core_log_set_directory(CoreOptions *options, const char *value) {
        if (value[0] != '/' || strlen(value) >= LOG_PATH_BYTES)
                return -EINVAL;
        strcpy(options->log.directory, value);
        return 0;
}

/* "500M"; "infinity" is no limit, an empty value the default. */
static int set_size(uint64_t *slot, const char *value) {
        static const char units[] = "KMGT";
        char *end = NULL;
        const char *unit;
        uint64_t number;

        if (*value == '\0' || strcmp(value, "infinity") == 0) {
                *slot = *value == '\0' ? LOG_AUTOMATIC : 0;
                return 0;
        }
        if (*value < '0' || *value > '9')
                return -EINVAL;
        errno = 0;
        number = strtoull(value, &end, 10);
        if (errno != 0)
                return -ERANGE;
        unit = *end ? strchr(units, *end) : NULL;
        if (unit)
                end++;
        if (*end)
                return -EINVAL;
        for (; unit && unit >= units; unit--)
                if (__builtin_mul_overflow(number, 1024, &number))
                        return -ERANGE;
        *slot = number;
        return 0;
}

int core_log_set_max_use(CoreOptions *options, const char *value) {
        return set_size(&options->log.size_max, value);
}

int core_log_set_keep_free(CoreOptions *options, const char *value) {
        return set_size(&options->log.keep_free, value);
}

int core_log_set_file_size(CoreOptions *options, const char *value) {
        int r = set_size(&options->log.file_size_max, value);

        if (r == 0 && options->log.file_size_max == LOG_AUTOMATIC)
                options->log.file_size_max = FILE_SIZE_DEFAULT;
        return r;
}

static int set_time(usec_t *slot, const char *value) {
        int r = usec_parse(value, USEC_PER_SEC, slot);

        if (r == 0 && *slot == USEC_INFINITY)
                *slot = 0;
        return r;
}

int core_log_set_file_age(CoreOptions *options, const char *value) {
        return set_time(&options->log.file_age_max, value);
}

int core_log_set_retention(CoreOptions *options, const char *value) {
        return set_time(&options->log.age_max, value);
}

int core_log_set_interval(CoreOptions *options, const char *value) {
        return set_time(&options->log.interval, value);
}

int core_log_set_burst(CoreOptions *options, const char *value) {
        return text_parse_u32(value, &options->log.burst);
}
