/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Users, files and programs that a unit names but this machine lacks
 *
 * Missing ones may be added before the unit is started, so these are warnings.
 * A unit with a root directory of its own is not checked, because its files
 * are in there.
 */

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/flow_settings.h"
#include "unitfile/socket_settings.h"
#include "unitfile/verify_private.h"

static void say(const UnitDraft *draft, const char *setting, const char *what, const char *name) {
        unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, setting,
                          "There is no %s %s on this machine.", what, name);
}

/* The message about a file, with a place for its path; NULL if the file is all right. */
static const char *program_problem(const char *path) {
        struct stat st;

        if (stat(path, &st) < 0)
                return "There is no program %s on this machine.";
        if (S_ISDIR(st.st_mode))
                return "%s is a directory, not a program.";
        return access(path, X_OK) < 0 ? "%s is not executable." : NULL;
}

static const char *command_problem(const char *path) {
        static const char *const folders[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin",
                                               "/bin" };

        if (path[0] == '/')
                return program_problem(path);
        for (size_t i = 0; i < ELEMENTSOF(folders); i++) {
                cleanup_free_ char *full = NULL;

                if (text_format(&full, "%s/%s", folders[i], path) < 0 || !program_problem(full))
                        return NULL;
        }
        return "There is no program %s on this machine.";
}

static void verify_list(const UnitDraft *draft, const ExecCommand *command, const char *setting) {
        for (; command; command = command->next) {
                bool is_elsewhere = command->path[0] != '/' && draft->section.exec_terms.search_path;
                const char *problem = is_elsewhere || strchr(command->path, '$') ? NULL :
                        command_problem(command->path);

                if (problem)
                        unit_draft_report(draft, command->flags & EXEC_IGNORE_FAILURE ? UNIT_FILE_NOTE :
                                          UNIT_FILE_WARNING,
                                          command->file, command->line, setting, problem, command->path);
        }
}

static void verify_commands(const UnitDraft *draft, const ServiceSettings *service) {
        for (ServiceExec exec = 0; exec < _SERVICE_EXEC_LIST_MAX; exec++)
                verify_list(draft, service->commands[exec], service_exec_to_string(exec));
        for (size_t kind = 0; kind < _SERVICE_PROBE_KIND_MAX; kind++)
                verify_list(draft, service_settings_rare(service)->probes[kind].command,
                            service_exec_to_string((ServiceExec) (SERVICE_EXEC_READINESS + kind)));
}

/* Commands of a flow and of its sections, but not of NodesFile=. */
static void verify_nodes(const UnitDraft *draft) {
        const FlowSettings *flow = draft->section.own;

        verify_list(draft, flow->process.commands[FLOW_EXEC_START_PRE], "ExecStartPre");
        verify_list(draft, flow->process.commands[FLOW_EXEC_STOP_POST], "ExecStopPost");
        for (size_t i = 0; i < draft->instances.n; i++) {
                const FlowNodeSettings *settings = draft->instances.items[i]->own;

                if (!draft->instances.items[i]->exec_rare.root_directory &&
                    !draft->instances.items[i]->exec_terms.search_path && settings)
                        verify_list(draft, settings->node.command, "Exec");
        }
}

static bool is_number(const char *name) {
        return name[strspn(name, "0123456789")] == '\0';
}

/* Checks a user or, if the setting says so, a group. A template's is only known with its instance. */
static void verify_account(const UnitDraft *draft, const char *setting, const char *name) {
        bool is_user = text_ends_with(setting, "User");

        if (!name || is_number(name) || strcmp(name, VERIFY_INSTANCE) == 0)
                return;
        if (is_user ? !getpwnam(name) : !getgrnam(name))
                say(draft, setting, is_user ? "user" : "group", name);
}

static void verify_socket(const UnitDraft *draft) {
        static const char *const settings[_SOCKET_EXEC_MAX] = {
                [SOCKET_EXEC_START_PRE] = "ExecStartPre",
                [SOCKET_EXEC_START_POST] = "ExecStartPost",
                [SOCKET_EXEC_STOP_PRE] = "ExecStopPre",
                [SOCKET_EXEC_STOP_POST] = "ExecStopPost",
        };
        const SocketSettings *settings_of = draft->section.own;

        for (size_t i = 0; i < _SOCKET_EXEC_MAX; i++)
                verify_list(draft, settings_of->commands[i], settings[i]);
        verify_account(draft, "SocketUser", settings_of->user);
        verify_account(draft, "SocketGroup", settings_of->group);
}

static void verify_accounts(const UnitDraft *draft) {
        const ExecSettings *exec = draft->section.exec;

        if (!draft->section.exec_terms.dynamic_user)
                verify_account(draft, "User", exec->user);
        verify_account(draft, "Group", exec->group);
        strv_foreach(group, draft->section.exec_rare.supplementary_groups)
                verify_account(draft, "SupplementaryGroups", *group);
}

/* Files below /run are made when services run, so they are not checked. */
static bool is_missing(const char *path) {
        return path[0] == '/' && !text_starts_with(path, "/run/") && !strpbrk(path, "*?[") && access(path, F_OK) < 0 &&
               errno == ENOENT;
}

static void verify_files(const UnitDraft *draft) {
        const ExecSettings *exec = draft->section.exec;

        strv_foreach(file, exec->environment_files)
                if (is_missing(*file))
                        say(draft, "EnvironmentFile", "file", *file);
        if (exec->working_directory && !exec->working_directory_optional && is_missing(exec->working_directory))
                say(draft, "WorkingDirectory", "directory", exec->working_directory);
}

void verify_machine(const UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);

        if (draft->section.exec_rare.root_directory) {
                if (is_missing(draft->section.exec_rare.root_directory))
                        say(draft, "RootDirectory", "directory", draft->section.exec_rare.root_directory);
                return;
        }
        if (draft->section.exec) {
                verify_accounts(draft);
                verify_files(draft);
        }
        if (service)
                verify_commands(draft, service);
        if (draft->type == UNIT_FLOW && draft->section.own)
                verify_nodes(draft);
        if (draft->type == UNIT_SOCKET && draft->section.own)
                verify_socket(draft);
}
