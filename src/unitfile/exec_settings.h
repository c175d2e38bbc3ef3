/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Execution settings as data: shared by [Service], [Socket] and [Mount]
 *
 * unitfile reads them, types makes an ExecRequest of them. Specifiers are
 * resolved; $VARIABLES are expanded when a command is about to run.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/string_table.h"
#include "basic/usec.h"
#include "unit/exec_terms.h"

typedef enum ExecOutput {
        EXEC_OUTPUT_DEFAULT,            /* not set: the manager's default, usually the log */
        EXEC_OUTPUT_INHERIT,
        EXEC_OUTPUT_NULL,
        EXEC_OUTPUT_FILE,               /* opened at the start of the file, content kept */
        EXEC_OUTPUT_APPEND,
        EXEC_OUTPUT_TRUNCATE,
        EXEC_OUTPUT_SOCKET,             /* the socket that activates the service */
        EXEC_OUTPUT_SAME,               /* StandardError=: same as standard output */
        EXEC_OUTPUT_JOURNAL,            /* the log … */
        EXEC_OUTPUT_JOURNAL_CONSOLE,    /* … and the console, too */
        EXEC_OUTPUT_KMSG,               /* the log and the kernel's log … */
        EXEC_OUTPUT_KMSG_CONSOLE,
        EXEC_OUTPUT_TTY,                /* the terminal, .tty_path */
        _EXEC_OUTPUT_MAX,
} ExecOutput;

typedef enum ExecCommandFlags {
        EXEC_IGNORE_FAILURE = 1 << 0,   /* '-' */
        EXEC_ARGV0 = 1 << 1,            /* '@' */
        EXEC_NO_EXPANSION = 1 << 2,     /* ':' */
        EXEC_FULL_PRIVILEGES = 1 << 3,  /* '+' */
        EXEC_NO_SETUID = 1 << 4,        /* '!' */
} ExecCommandFlags;

typedef struct ExecCommand {
        char *path;                     /* absolute, or a name that is looked up when it runs */
        char **argv;
        ExecCommandFlags flags;
        unsigned line;                  /* line in the file, for messages */
        char *file;
        struct ExecCommand *next;       /* owned */

        /* The last run, for the ExecStart property; times are 0 if there was none. */
        usec_t start_realtime, start_monotonic, exit_realtime, exit_monotonic;
        pid_t pid;
        int32_t code, status;
} ExecCommand;

/* Standard input is a terminal, which becomes the controlling one. */
typedef enum ExecTty {
        EXEC_TTY_NONE,
        EXEC_TTY_IF_FREE,            /* unless it belongs to another session */
        EXEC_TTY_FORCE,
        _EXEC_TTY_MAX,
} ExecTty;

/*
 * Settings that few units have, kept apart so that other units use no memory for them. A struct of zeros means no
 * settings, so zero must mean "not set" in each field.
 */
typedef struct ExecRareSettings {
        char *root_directory;
        struct SandboxSettings *sandbox; /* owned; NULL: not set (unit/sandbox_settings.h) */
        char *tty_path;                 /* NULL: /dev/console */
        char *syslog_identifier;
        char **log_extra_fields;        /* NAME=value */
        usec_t log_interval;            /* with .has_log_interval */
        uint32_t log_burst;             /* with .has_log_burst */
        bool has_log_interval, has_log_burst;
        bool no_level_prefix;           /* "<N>" at the start of a line is not a level */
        uint8_t syslog_level, log_level_max;    /* + 1; 0: not set */
        uint8_t syslog_facility;        /* 0 to 23, + 1 */
        char **pass_environment;
        char **unset_environment;
        char **supplementary_groups;
        ExecTerms *terms;               /* owned; limits, privileges, filters, …; NULL: not set */
} ExecRareSettings;

typedef struct ExecSettings {
        ExecRareSettings *rare;         /* owned; NULL: none. Read with exec_settings_rare() */
        char **environment;             /* NAME=value */
        char **environment_files;       /* '-' in front: a missing file is ignored */
        char *working_directory;        /* "~": the user's home */
        char *user;
        char *group;
        char *standard_input_file;      /* NULL: /dev/null … */
        char *standard_output_file;
        char *standard_error_file;
        uint32_t umask;
        int32_t nice;
        int32_t oom_score_adjust;
        ExecOutput standard_output;
        ExecOutput standard_error;
        ExecTty tty;                    /* … or the terminal … */
        bool inherits_standard_input;   /* … or the manager's … */
        bool standard_input_is_socket;  /* … or the activating socket, also as inherited output */
        bool working_directory_optional;
        bool ignore_sigpipe;
        bool has_nice;
        bool has_oom_score_adjust;
} ExecSettings;

DECLARE_STRING_TABLE(exec_output, ExecOutput);
DECLARE_STRING_TABLE(syslog_level, int);         /* "emerg" … "debug" */
DECLARE_STRING_TABLE(syslog_facility, int);      /* "kern" … "local7" */

void exec_settings_init(ExecSettings *settings);         /* sets the defaults */
void exec_settings_deinit(ExecSettings *settings);

/* The rare settings of @settings; never NULL. */
const ExecRareSettings *exec_settings_rare(const ExecSettings *settings);

/* Frees the members and sets them to zero: no settings. */
void exec_rare_settings_deinit(ExecRareSettings *rare);
/* Moves @from to @settings, unless it is all zero: 0 or -ENOMEM. */
int exec_settings_take_rare(ExecSettings *settings, ExecRareSettings *from);

ExecCommand *exec_command_free_all(ExecCommand *command);        /* from @command to the end of its list */
