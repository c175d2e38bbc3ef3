/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of units that run commands: execution
 */

#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_score.h"
#include "types/exec_property.h"
#include "unitfile/service_settings.h"
#include "unitfile/draft_type.h"

static const ExecSettings *settings_of(const Unit *unit) {
        return draft_type_exec(unit);
}

/* The numbers of <syslog.h>. */
#define LEVEL_INFO 6
#define FACILITY_DAEMON 3

static void put_last_run(const ExecCommand *command, Sink *sink) {
        sink_u64(sink, command->start_realtime);
        sink_u64(sink, command->start_monotonic);
        sink_u64(sink, command->exit_realtime);
        sink_u64(sink, command->exit_monotonic);
        sink_u32(sink, (uint32_t) command->pid);
        sink_i32(sink, command->code);
        sink_i32(sink, command->status);
}

void exec_property_put_commands(const ExecCommand *command, Sink *sink) {
        sink_open(sink, 'a', "(sasbttttuii)");
        for (; command; command = command->next) {
                sink_open(sink, 'r', "sasbttttuii");
                sink_string(sink, command->path);
                sink_strv(sink, command->argv);
                sink_bool(sink, command->flags & EXEC_IGNORE_FAILURE);
                put_last_run(command, sink);
                sink_close(sink);
        }
        sink_close(sink);
}

static void put_prefixes(const ExecCommand *command, Sink *sink) {
        static const struct {
                ExecCommandFlags flag;
                const char *name;
        } prefixes[] = {
                { EXEC_IGNORE_FAILURE, "ignore-failure" },
                { EXEC_FULL_PRIVILEGES, "privileged" },
                { EXEC_NO_SETUID, "no-setuid" },
                { EXEC_NO_EXPANSION, "no-env-expand" },
        };

        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < ELEMENTSOF(prefixes); i++)
                if (command->flags & prefixes[i].flag)
                        sink_string(sink, prefixes[i].name);
        sink_close(sink);
}

void exec_property_put_commands_with_prefixes(const ExecCommand *command, Sink *sink) {
        sink_open(sink, 'a', "(sasasttttuii)");
        for (; command; command = command->next) {
                sink_open(sink, 'r', "sasasttttuii");
                sink_string(sink, command->path);
                sink_strv(sink, command->argv);
                put_prefixes(command, sink);
                put_last_run(command, sink);
                sink_close(sink);
        }
        sink_close(sink);
}

/* A dynamic user has a group of the same name. */
static const char *group_of(const ExecSettings *settings, const ExecRareSettings *rare) {
        return !settings->group && rare->terms && rare->terms->dynamic_user ? settings->user : settings->group;
}

/* One getter: @expression may use settings and rare. */
#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const ExecSettings *settings = settings_of(unit);                \
                const ExecRareSettings *rare = exec_settings_rare(settings);     \
                                                                                 \
                (void) rare;                                                     \
                put(sink, expression);                                           \
        }

GETTER(environment, sink_strv, settings->environment)
GETTER(pass_environment, sink_strv, rare->pass_environment)
GETTER(unset_environment, sink_strv, rare->unset_environment)
GETTER(working_directory, sink_string, settings->working_directory)
GETTER(root_directory, sink_string, rare->root_directory)
GETTER(user, sink_string, settings->user)
GETTER(group, sink_string, group_of(settings, rare))
GETTER(supplementary_groups, sink_strv, rare->supplementary_groups)
GETTER(umask, sink_u32, settings->umask)
GETTER(nice, sink_i32, settings->has_nice ? settings->nice : 0)
GETTER(oom_score_adjust, sink_i32,
       settings->has_oom_score_adjust ? settings->oom_score_adjust : exec_score_of_children())
GETTER(ignore_sigpipe, sink_bool, settings->ignore_sigpipe)
GETTER(syslog_identifier, sink_string, rare->syslog_identifier)
GETTER(syslog_level, sink_i32, rare->syslog_level > 0 ? rare->syslog_level - 1 : LEVEL_INFO)
GETTER(syslog_priority, sink_i32,
       (rare->syslog_facility > 0 ? rare->syslog_facility - 1 : FACILITY_DAEMON) * 8 +
               (rare->syslog_level > 0 ? rare->syslog_level - 1 : LEVEL_INFO))
GETTER(syslog_level_prefix, sink_bool, !rare->no_level_prefix)
GETTER(syslog_facility, sink_i32, rare->syslog_facility > 0 ? rare->syslog_facility - 1 : FACILITY_DAEMON)
GETTER(log_level_max, sink_i32, rare->log_level_max - 1)
GETTER(log_interval, sink_u64, rare->log_interval)
GETTER(log_burst, sink_u32, rare->log_burst)

/* Each field is bytes, as the fields of a journal are. */
static void get_log_extra_fields(const Unit *unit, Sink *sink) {
        char *const *field = exec_settings_rare(settings_of(unit))->log_extra_fields;

        sink_open(sink, 'a', "ay");
        for (; field && *field; field++) {
                sink_open(sink, 'a', "y");
                for (const char *c = *field; *c; c++)
                        sink_byte(sink, (uint8_t) *c);
                sink_close(sink);
        }
        sink_close(sink);
}

/* Pairs of a path and whether the file may be missing. */
static void get_environment_files(const Unit *unit, Sink *sink) {
        char *const *file = settings_of(unit)->environment_files;

        sink_open(sink, 'a', "(sb)");
        for (; file && *file; file++) {
                bool is_optional = (*file)[0] == '-';

                sink_open(sink, 'r', "sb");
                sink_string(sink, *file + is_optional);
                sink_bool(sink, is_optional);
                sink_close(sink);
        }
        sink_close(sink);
}

static void put_output(Sink *sink, const ExecSettings *settings, ExecOutput output, const char *path) {
        cleanup_free_ char *text = NULL;
        const char *name = exec_output_to_string(output);

        switch (output) {
        case EXEC_OUTPUT_FILE:
        case EXEC_OUTPUT_APPEND:
        case EXEC_OUTPUT_TRUNCATE:
                if (text_format(&text, "%s:%s", name, path ? path : "") == 0)
                        name = text;
                break;
        case EXEC_OUTPUT_SAME:
                name = exec_output_to_string(EXEC_OUTPUT_INHERIT);
                break;
        case EXEC_OUTPUT_DEFAULT:
                name = exec_output_to_string(settings->standard_input_is_socket || settings->tty != EXEC_TTY_NONE ?
                                             EXEC_OUTPUT_INHERIT : EXEC_OUTPUT_JOURNAL);
                break;
        case EXEC_OUTPUT_INHERIT:
        case EXEC_OUTPUT_NULL:
        case EXEC_OUTPUT_JOURNAL:
        case EXEC_OUTPUT_JOURNAL_CONSOLE:
        case EXEC_OUTPUT_KMSG:
        case EXEC_OUTPUT_KMSG_CONSOLE:
        case EXEC_OUTPUT_SOCKET:
        case EXEC_OUTPUT_TTY:
        case _EXEC_OUTPUT_MAX:
                break;
        }
        sink_string(sink, name);
}

static void get_standard_input(const Unit *unit, Sink *sink) {
        static const char *const terminals[_EXEC_TTY_MAX] = { NULL, "tty", "tty-force" };
        const char *path = settings_of(unit)->standard_input_file;
        const char *terminal = terminals[settings_of(unit)->tty];
        const ExecTerms *terms = exec_settings_rare(settings_of(unit))->terms;
        cleanup_free_ char *text = NULL;

        if (terminal)
                sink_string(sink, terminal);
        else if (settings_of(unit)->inherits_standard_input)
                sink_string(sink, "inherit");
        else if (settings_of(unit)->standard_input_is_socket)
                sink_string(sink, "socket");
        else if (!path && terms && terms->has_input_data)
                sink_string(sink, "data");
        else
                sink_string(sink, path && text_format(&text, "file:%s", path) == 0 ? text : "null");
}

static void get_tty_path(const Unit *unit, Sink *sink) {
        sink_string(sink, exec_settings_rare(settings_of(unit))->tty_path);
}

static void get_standard_output(const Unit *unit, Sink *sink) {
        const ExecSettings *settings = settings_of(unit);

        put_output(sink, settings, settings->standard_output, settings->standard_output_file);
}

static void get_standard_error(const Unit *unit, Sink *sink) {
        const ExecSettings *settings = settings_of(unit);

        put_output(sink, settings, settings->standard_error, settings->standard_error_file);
}

#define C UNIT_PROPERTY_CONST

static const UnitProperty rows[] = {
        { "Environment", "as", C, get_environment, "Variables that its commands get." },
        { "EnvironmentFiles", "a(sb)", C, get_environment_files, "Files with variables; whether they may be missing." },
        { "PassEnvironment", "as", C, get_pass_environment, "The manager's variables that its commands get." },
        { "UnsetEnvironment", "as", C, get_unset_environment, "Variables that its commands don't get." },
        { "WorkingDirectory", "s", C, get_working_directory, "Where its commands run." },
        { "RootDirectory", "s", C, get_root_directory, "The root directory of its commands." },
        { "User", "s", C, get_user, "The user it runs as." },
        { "Group", "s", C, get_group, "The group it runs as." },
        { "SupplementaryGroups", "as", C, get_supplementary_groups, "Further groups it has." },
        { "UMask", "u", C, get_umask, "Its file mode creation mask." },
        { "Nice", "i", C, get_nice, "Its nice level." },
        { "OOMScoreAdjust", "i", C, get_oom_score_adjust, "How likely it is killed when memory runs out." },
        { "IgnoreSIGPIPE", "b", C, get_ignore_sigpipe, "Whether its commands ignore SIGPIPE." },
        { "SyslogIdentifier", "s", C, get_syslog_identifier, "The prefix of its log lines." },
        { "SyslogLevel", "i", C, get_syslog_level, "The priority of log lines without one of their own." },
        { "SyslogPriority", "i", C, get_syslog_priority, "Level and facility as one number." },
        { "SyslogLevelPrefix", "b", C, get_syslog_level_prefix,
          "Whether <N> at the beginning of a line is its priority." },
        { "SyslogFacility", "i", C, get_syslog_facility, "The facility of its log lines." },
        { "LogLevelMax", "i", C, get_log_level_max, "Lines of a higher number than this are not kept; -1: all are." },
        { "LogRateLimitIntervalUSec", "t", C, get_log_interval,
          "The interval of LogRateLimitBurst; 0: the manager's." },
        { "LogRateLimitBurst", "u", C, get_log_burst,
          "How many log lines it may write in that interval; 0: the manager's." },
        { "LogExtraFields", "aay", C, get_log_extra_fields, "Further fields of each log line." },
        { "StandardInput", "s", C, get_standard_input, "The source of its standard input." },
        { "TTYPath", "s", C, get_tty_path, "The terminal of its commands; empty: /dev/console." },
        { "StandardOutput", "s", C, get_standard_output, "Where its standard output goes." },
        { "StandardError", "s", C, get_standard_error, "Where its standard error goes." },
};

const UnitPropertyTable exec_properties = { rows, ELEMENTSOF(rows) };

void exec_property_put_statuses(Sink *sink, const ExitStatusSet *set) {
        sink_open(sink, 'r', "aiai");
        sink_open(sink, 'a', "i");
        for (int status = 0; status < 256; status++)
                if (exit_status_set_has_status(set, status))
                        sink_i32(sink, status);
        sink_close(sink);
        sink_open(sink, 'a', "i");
        for (int signal = 1; signal < 128; signal++)
                if (exit_status_set_has_signal(set, signal))
                        sink_i32(sink, signal);
        sink_close(sink);
        sink_close(sink);
}
