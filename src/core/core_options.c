/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The options of jobd
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "core/core_options.h"
#include "exec/exec_score.h"
#include "unit/unit_name.h"

int core_options_set(char **slot, const char *value) {
        char *copy = strdup(value);

        if (!copy)
                return -ENOMEM;
        free(*slot);
        *slot = copy;
        return 0;
}

/* With a shorter limit the keeper would rather measure how busy the machine is. */
#define WATCHDOG_MIN USEC_PER_SEC

int core_options_set_watchdog(CoreOptions *options, const char *value) {
        usec_t limit;
        int r = usec_parse(value, USEC_PER_SEC, &limit);

        if (r < 0)
                return r;
        if (limit > 0 && limit < WATCHDOG_MIN)
                return -ERANGE;
        options->watchdog = limit;
        return 0;
}

int core_options_set_default_score(CoreOptions *options, const char *value) {
        int32_t score;
        int r = text_parse_i32(value, &score);

        if (r < 0)
                return r;
        if (score < EXEC_SCORE_MIN || score > EXEC_SCORE_MAX)
                return -ERANGE;
        options->default_score = score;
        options->has_default_score = true;
        return 0;
}

int core_options_set_directives(CoreOptions *options, const char *value) {
        if (strcmp(value, "warn") != 0 && strcmp(value, "refuse") != 0)
                return -EINVAL;
        options->lenient_directives = strcmp(value, "warn") == 0;
        return 0;
}

int core_options_set_log_level(CoreOptions *options, const char *value) {
        int r = log_level_from_string(value);

        if (r < 0)
                return r;
        options->log_level = (LogLevel) r;
        options->is_log_level_named = true;
        return 0;
}

int core_options_set_signal_status(CoreOptions *options, const char *value) {
        if (strcmp(value, "zero") != 0 && strcmp(value, "signal") != 0)
                return -EINVAL;
        options->has_signal_status = strcmp(value, "signal") == 0;
        return 0;
}

int core_options_set_environment(CoreOptions *options, const char *value) {
        int r = text_parse_bool(value);

        if (r < 0)
                return r;
        options->hands_on_environment = r > 0;
        options->is_environment_named = true;
        return 0;
}

int core_options_add_exit_on(CoreOptions *options, const char *name) {
        cleanup_free_ char *full = NULL;
        int r;

        r = unit_name_mangle(name, ".service", &full);
        if (r < 0)
                return r;
        if (unit_name_is_template(full))
                return -EINVAL;
        return strv_contains(options->exit_on, full) ? 0 : strv_push(&options->exit_on, full);
}

int core_options_set_default_unit(CoreOptions *options, const char *value) {
        return core_options_set(&options->default_unit, strcmp(value, "none") == 0 ? "" : value);
}

void core_options_deinit(CoreOptions *options) {
        free(options->unit_path);
        free(options->runtime_directory);
        free(options->run_store);
        strv_free(options->run_resources);
        free(options->default_unit);
        free(options->config);
        strv_free(options->exit_on);
        strv_free(options->command);
        *options = (CoreOptions) {};
}
