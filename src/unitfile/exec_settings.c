/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution settings as data
 *
 * The defaults are systemd's.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "unit/sandbox_settings.h"
#include "unitfile/exec_settings.h"

static const char *const exec_outputs[_EXEC_OUTPUT_MAX] = {
        [EXEC_OUTPUT_DEFAULT] = "default",
        [EXEC_OUTPUT_INHERIT] = "inherit",
        [EXEC_OUTPUT_NULL] = "null",
        [EXEC_OUTPUT_FILE] = "file",
        [EXEC_OUTPUT_APPEND] = "append",
        [EXEC_OUTPUT_TRUNCATE] = "truncate",
        [EXEC_OUTPUT_SOCKET] = "socket",
        [EXEC_OUTPUT_SAME] = "same",
        [EXEC_OUTPUT_JOURNAL] = "journal",
        [EXEC_OUTPUT_JOURNAL_CONSOLE] = "journal+console",
        [EXEC_OUTPUT_KMSG] = "kmsg",
        [EXEC_OUTPUT_KMSG_CONSOLE] = "kmsg+console",
        [EXEC_OUTPUT_TTY] = "tty",
};

DEFINE_STRING_TABLE(exec_output, ExecOutput, exec_outputs)

static const char *const syslog_levels[] = { "emerg", "alert", "crit", "err", "warning", "notice", "info", "debug" };

DEFINE_STRING_TABLE(syslog_level, int, syslog_levels)

static const char *const syslog_facilities[24] = {
        "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp",
        [16] = "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7",
};

DEFINE_STRING_TABLE(syslog_facility, int, syslog_facilities)

void exec_settings_init(ExecSettings *settings) {
        *settings = (ExecSettings) {
                .umask = 0022,
                .standard_error = EXEC_OUTPUT_SAME,
                .ignore_sigpipe = true,
        };
}

void exec_rare_settings_deinit(ExecRareSettings *rare) {
        free(rare->root_directory);
        sandbox_settings_free(rare->sandbox);
        free(rare->tty_path);
        free(rare->syslog_identifier);
        strv_free(rare->log_extra_fields);
        strv_free(rare->pass_environment);
        strv_free(rare->unset_environment);
        strv_free(rare->supplementary_groups);
        exec_terms_free(rare->terms);
        memset(rare, 0, sizeof(*rare));
}

void exec_settings_deinit(ExecSettings *settings) {
        if (settings->rare)
                exec_rare_settings_deinit(settings->rare);
        free(settings->rare);
        strv_free(settings->environment);
        strv_free(settings->environment_files);
        free(settings->working_directory);
        free(settings->user);
        free(settings->group);
        free(settings->standard_input_file);
        free(settings->standard_output_file);
        free(settings->standard_error_file);
}

const ExecRareSettings *exec_settings_rare(const ExecSettings *settings) {
        static const ExecRareSettings nothing;

        return settings->rare ? settings->rare : &nothing;
}

int exec_settings_take_rare(ExecSettings *settings, ExecRareSettings *from) {
        static const ExecRareSettings nothing;
        ExecRareSettings *rare;

        assert(!settings->rare);

        if (memcmp(from, &nothing, sizeof(nothing)) == 0)
                return 0;
        rare = malloc(sizeof(*rare));
        if (!rare)
                return -ENOMEM;
        memcpy(rare, from, sizeof(*rare));
        memset(from, 0, sizeof(*from));
        settings->rare = rare;
        return 0;
}

ExecCommand *exec_command_free_all(ExecCommand *command) {
        while (command) {
                ExecCommand *next = command->next;

                free(command->path);
                strv_free(command->argv);
                free(command->file);
                free(command);
                command = next;
        }
        return NULL;
}
