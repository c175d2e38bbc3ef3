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

/* About a setting of @section, of the unit itself or of an instance, which may have it from the unit's. */
static void say(const UnitDraft *draft, const DraftSection *section, const char *setting, const char *what,
                const char *name) {
        const char *file = draft->state->sources.fragment;
        unsigned line = section->name ? unit_draft_find_node_setting(draft, section->name, setting, &file) : 0;

        if (line > 0 || !section->name)
                unit_draft_report(draft, UNIT_FILE_WARNING, file, line, setting, "There is no %s %s on this machine.",
                                  what, name);
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

static void verify_list(const UnitDraft *draft, const DraftSection *section, const ExecCommand *command,
                        const char *setting) {
        for (; command; command = command->next) {
                bool is_elsewhere = command->path[0] != '/' && section->exec_terms.search_path;
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
                verify_list(draft, &draft->section, service->commands[exec], service_exec_to_string(exec));
        for (size_t kind = 0; kind < _SERVICE_PROBE_KIND_MAX; kind++)
                verify_list(draft, &draft->section, service_settings_rare(service)->probes[kind].command,
                            service_exec_to_string((ServiceExec) (SERVICE_EXEC_READINESS + kind)));
}

static bool is_number(const char *name) {
        return name[strspn(name, "0123456789")] == '\0';
}

/* Checks a user or, if the setting says so, a group. A template's is only known with its instance. */
static void verify_account(const UnitDraft *draft, const DraftSection *section, const char *setting,
                           const char *name) {
        bool is_user = text_ends_with(setting, "User");

        if (!name || is_number(name) || strcmp(name, VERIFY_INSTANCE) == 0)
                return;
        if (is_user ? !getpwnam(name) : !getgrnam(name))
                say(draft, section, setting, is_user ? "user" : "group", name);
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
                verify_list(draft, &draft->section, settings_of->commands[i], settings[i]);
        verify_account(draft, &draft->section, "SocketUser", settings_of->user);
        verify_account(draft, &draft->section, "SocketGroup", settings_of->group);
}

static void verify_accounts(const UnitDraft *draft, const DraftSection *section) {
        if (!section->exec_terms.dynamic_user)
                verify_account(draft, section, "User", section->exec->user);
        verify_account(draft, section, "Group", section->exec->group);
        strv_foreach(group, section->exec_rare.supplementary_groups)
                verify_account(draft, section, "SupplementaryGroups", *group);
}

/* Files below /run are made when services run, so they are not checked. */
static bool is_missing(const char *path) {
        return path[0] == '/' && !text_starts_with(path, "/run/") && !strpbrk(path, "*?[") && access(path, F_OK) < 0 &&
               errno == ENOENT;
}

static void verify_files(const UnitDraft *draft, const DraftSection *section) {
        const ExecSettings *exec = section->exec;

        strv_foreach(file, exec->environment_files)
                if (is_missing(*file))
                        say(draft, section, "EnvironmentFile", "file", *file);
        if (exec->working_directory && !exec->working_directory_optional && is_missing(exec->working_directory))
                say(draft, section, "WorkingDirectory", "directory", exec->working_directory);
}

/* Returns false if the files are not those of the machine. */
static bool verify_section(const UnitDraft *draft, const DraftSection *section) {
        const char *root = section->exec_rare.root_directory;

        if (root && is_missing(root))
                say(draft, section, "RootDirectory", "directory", root);
        if (root || !section->exec)
                return !root;
        verify_accounts(draft, section);
        verify_files(draft, section);
        return true;
}

static bool has_command(const FlowTargets *targets, const ExecCommand *command) {
        for (size_t i = 0; i < targets->n; i++)
                if (targets->items[i].command && targets->items[i].command->line == command->line &&
                    text_equal(targets->items[i].command->file, command->file))
                        return true;
        return false;
}

/* @known: of [Flow], which a node has, too, and which are checked there; NULL: none. */
static void verify_targets(const UnitDraft *draft, const DraftSection *section, const FlowTargets *targets,
                           const FlowTargets *known, const char *setting) {
        for (size_t i = 0; i < targets->n; i++) {
                const ExecCommand *command = targets->items[i].command;

                if (command && !(known && has_command(known, command)))
                        verify_list(draft, section, command, setting);
        }
}

/* Whom [Flow] tells. */
static void verify_told(const UnitDraft *draft, const FlowSettings *flow) {
        verify_targets(draft, &draft->section, &flow->notify, NULL, "Notify");
        verify_targets(draft, &draft->section, &flow->on_begin, NULL, "OnBegin");
        verify_targets(draft, &draft->section, &flow->on_result, NULL, "OnResult");
}

static void verify_told_by_node(const UnitDraft *draft, const DraftSection *section) {
        const FlowSettings *flow = draft->section.own;
        const FlowNode *node = &((const FlowNodeSettings *) section->own)->node;

        verify_targets(draft, section, &node->on_begin, &flow->on_begin, "OnBegin");
        verify_targets(draft, section, &node->on_result, &flow->on_result, "OnResult");
}

/* Commands of a flow and of its sections, but not of NodesFile=. */
static void verify_nodes(const UnitDraft *draft) {
        const FlowSettings *flow = draft->section.own;

        verify_told(draft, flow);
        verify_list(draft, &draft->section, flow->process.commands[FLOW_EXEC_START_PRE], "ExecStartPre");
        verify_list(draft, &draft->section, flow->process.commands[FLOW_EXEC_STOP_POST], "ExecStopPost");
        for (size_t i = 0; i < draft->instances.n; i++) {
                const DraftSection *node = draft->instances.items[i];

                if (!draft_section_is_node(node))
                        verify_list(draft, &draft->section, ((const FlowPolicy *) node->own)->command, "Command");
                else if (verify_section(draft, node)) {
                        verify_list(draft, node->lines.n > 0 ? node : &draft->section,
                                    ((const FlowNodeSettings *) node->own)->node.command, "Exec");
                        verify_told_by_node(draft, node);
                }
        }
}

/* The same of a stream, whose .exec_prepare is none. */
static void verify_batch_commands(const UnitDraft *draft) {
        const FlowSettings *batch = draft->section.own;

        verify_told(draft, batch);
        verify_list(draft, &draft->section, batch->nodes.items[0].command, "Exec");
        verify_list(draft, &draft->section, batch->range.exec_prepare, "ExecPrepare");
        verify_list(draft, &draft->section, batch->range.items_command, "ItemsCommand");
        if (batch->range.items_file && is_missing(batch->range.items_file))
                say(draft, &draft->section, "ItemsFile", "file", batch->range.items_file);
}

void verify_machine(const UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);

        if (!verify_section(draft, &draft->section))
                return;
        if (service)
                verify_commands(draft, service);
        if (draft->type == UNIT_FLOW && draft->section.own)
                verify_nodes(draft);
        if ((draft->type == UNIT_BATCH || draft->type == UNIT_STREAM) && draft->section.own)
                verify_batch_commands(draft);
        if (draft->type == UNIT_SOCKET && draft->section.own)
                verify_socket(draft);
}
