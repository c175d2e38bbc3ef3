/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From settings to a request for a process
 */

#include "types/exec_context.h"
#include "unit/exec_terms.h"
#include "unit/sandbox_settings.h"

static const char *terminal_of(const ExecSettings *settings) {
        const char *path = exec_settings_rare(settings)->tty_path;

        return path ? path : "/dev/console";
}

static ExecStream make_stream(const ExecSettings *settings, ExecOutput output, const char *path) {
        static const ExecStreamKind kinds[_EXEC_OUTPUT_MAX] = {
                [EXEC_OUTPUT_DEFAULT] = EXEC_STREAM_DEFAULT,
                [EXEC_OUTPUT_INHERIT] = EXEC_STREAM_INHERIT,
                [EXEC_OUTPUT_NULL] = EXEC_STREAM_NULL,
                [EXEC_OUTPUT_FILE] = EXEC_STREAM_FILE,
                [EXEC_OUTPUT_APPEND] = EXEC_STREAM_APPEND,
                [EXEC_OUTPUT_TRUNCATE] = EXEC_STREAM_TRUNCATE,
                [EXEC_OUTPUT_SOCKET] = EXEC_STREAM_NULL,        /* set by a service that has one */
                [EXEC_OUTPUT_SAME] = EXEC_STREAM_SAME,
                [EXEC_OUTPUT_JOURNAL] = EXEC_STREAM_LOG,
                [EXEC_OUTPUT_JOURNAL_CONSOLE] = EXEC_STREAM_LOG,
                [EXEC_OUTPUT_KMSG] = EXEC_STREAM_LOG,
                [EXEC_OUTPUT_KMSG_CONSOLE] = EXEC_STREAM_LOG,
                [EXEC_OUTPUT_TTY] = EXEC_STREAM_APPEND,
        };
        ExecStreamKind kind = kinds[output];
        bool is_file = kind == EXEC_STREAM_FILE || kind == EXEC_STREAM_APPEND || kind == EXEC_STREAM_TRUNCATE;

        /* Output of a process on a terminal is meant for that terminal. */
        if ((kind == EXEC_STREAM_DEFAULT || output == EXEC_OUTPUT_TTY) && settings->tty != EXEC_TTY_NONE)
                kind = EXEC_STREAM_INHERIT;
        if (output == EXEC_OUTPUT_TTY)
                path = terminal_of(settings);
        return (ExecStream) {
                .kind = kind,
                .path = is_file ? path : NULL,
                .to_console = output == EXEC_OUTPUT_JOURNAL_CONSOLE || output == EXEC_OUTPUT_KMSG_CONSOLE,
                .to_kernel = output == EXEC_OUTPUT_KMSG || output == EXEC_OUTPUT_KMSG_CONSOLE,
        };
}

static uint32_t make_flags(const ExecSettings *settings, const ExecCommand *command) {
        uint32_t flags = 0;

        if (command->flags & EXEC_NO_EXPANSION)
                flags |= EXEC_REQUEST_NO_EXPANSION;
        if (command->flags & (EXEC_FULL_PRIVILEGES | EXEC_NO_SETUID))
                flags |= EXEC_REQUEST_KEEP_PRIVILEGES;
        if (command->flags & EXEC_FULL_PRIVILEGES)
                flags |= EXEC_REQUEST_NO_RESTRICTIONS;
        if (settings->ignore_sigpipe)
                flags |= EXEC_REQUEST_IGNORE_SIGPIPE;
        if (settings->working_directory_optional)
                flags |= EXEC_REQUEST_DIRECTORY_OPTIONAL;
        if (settings->has_nice)
                flags |= EXEC_REQUEST_HAS_NICE;
        if (settings->has_oom_score_adjust)
                flags |= EXEC_REQUEST_HAS_OOM_SCORE_ADJUST;
        return flags;
}

uint32_t exec_context_denied(const SandboxSettings *sandbox) {
        uint32_t denied = 0;

        if (!sandbox)
                return 0;
        denied |= sandbox->protect_clock ? EXEC_DENIED_CLOCK : 0;
        denied |= sandbox->protect_kernel_logs ? EXEC_DENIED_KERNEL_LOGS : 0;
        denied |= sandbox->protect_kernel_modules ? EXEC_DENIED_MODULES : 0;
        denied |= sandbox->protect_hostname ? EXEC_DENIED_HOSTNAME : 0;
        denied |= sandbox->private_devices ? EXEC_DENIED_RAW_IO : 0;
        denied |= sandbox->protect_kernel_tunables ? EXEC_DENIED_TUNABLES : 0;
        return denied;
}

/* A root directory implies what programs expect to find below it, so it makes a sandbox, too. */
static const SandboxSettings *choose_sandbox(const ExecRareSettings *rare) {
        static const SandboxSettings nothing;
        const SandboxSettings *settings = rare->sandbox ? rare->sandbox : &nothing;

        return sandbox_settings_need(settings, rare->root_directory) ? settings : NULL;
}

void exec_context_fill_user(const ExecSettings *settings, ExecRequest *request) {
        const ExecTerms *terms = exec_settings_rare(settings)->terms;

        request->user = settings->user;
        request->is_dynamic_user = terms && terms->dynamic_user;
        request->group = settings->group;
}

void exec_context_fill(const ExecSettings *settings, const ExecCommand *command, ExecRequest *request) {
        const ExecRareSettings *rare = exec_settings_rare(settings);

        request->flags = make_flags(settings, command);
        request->pass_environment = rare->pass_environment;
        request->environment = settings->environment;
        request->environment_files = settings->environment_files;
        request->unset_environment = rare->unset_environment;
        request->working_directory = settings->working_directory;
        request->root_directory = rare->root_directory;
        if (command->flags & EXEC_FULL_PRIVILEGES)
                exec_context_fill_network(settings, request);
        else
                request->sandbox = choose_sandbox(rare);
        request->denied = exec_context_denied(rare->sandbox);
        exec_context_fill_user(settings, request);
        request->supplementary_groups = rare->supplementary_groups;
        request->umask = settings->umask;
        request->standard_input_file = settings->standard_input_file;
        request->inherits_standard_input = settings->inherits_standard_input;
        if (settings->tty != EXEC_TTY_NONE)
                request->tty = terminal_of(settings);
        request->takes_tty = settings->tty == EXEC_TTY_FORCE;
        request->standard_output = make_stream(settings, settings->standard_output, settings->standard_output_file);
        request->standard_error = make_stream(settings, settings->standard_error, settings->standard_error_file);
        request->nice = settings->nice;
        request->oom_score_adjust = settings->oom_score_adjust;
        request->terms = rare->terms;
}

void exec_context_fill_network(const ExecSettings *settings, ExecRequest *request) {
        const SandboxSettings *sandbox = exec_settings_rare(settings)->sandbox;

        request->sandbox = NULL;
        if (!sandbox || (!sandbox->private_network && !sandbox->network_namespace_path && !sandbox->private_ipc &&
                         !sandbox->ipc_namespace_path))
                return;
        request->sandbox = sandbox;
        request->flags |= EXEC_REQUEST_NETWORK_ONLY;
}
