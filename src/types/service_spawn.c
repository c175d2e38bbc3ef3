/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of a service
 *
 * The request is made when the host asks for it (unit_process.h), from the
 * present settings.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_clean.h"
#include "types/exec_context.h"
#include "types/exec_sandbox.h"
#include "types/service_channel.h"
#include "types/service_fds.h"
#include "types/service_limit.h"
#include "types/service_message.h"
#include "types/service_spawn.h"
#include "types/service_streams.h"
#include "types/socket_pass.h"
#include "types/trigger_environment.h"

UnitProcess *service_process(const Unit *unit, UnitPurpose purpose) {
        Service *service = service_of(unit);

        if (purpose == UNIT_PURPOSE_PROBE)
                return service->extra ? &service->extra->probing.process : NULL;
        assert(purpose == UNIT_PURPOSE_MAIN || purpose == UNIT_PURPOSE_CONTROL);
        return purpose == UNIT_PURPOSE_MAIN ? &service->main : &service->control;
}

ExecCommand *service_process_command(const Unit *unit, const UnitProcess *process) {
        return process->has_command ? service_command(unit, (ServiceExec) process->kind, process->index) : NULL;
}

void service_record_start(Unit *unit, UnitPurpose purpose, UnitProcess *process, pid_t pid) {
        Service *service = service_of(unit);
        UnitTimestamp now = unit_timestamp(unit);

        process->since = now.monotonic;
        if (purpose == UNIT_PURPOSE_MAIN) {
                service->main_known = true;
                service->exec_main = (ServiceExitRecord) { .pid = pid, .start = now };
        }
        unit_process_started(unit, service_process_command(unit, process), pid, now.monotonic);
}

void service_note_process(Unit *unit, UnitPurpose purpose, UnitProcess *process, const ExecResult *result) {
        Service *service = service_of(unit);

        unit_process_note_user(result, &service->uid, &service->gid);
        exec_sandbox_spawned(unit, result);
        service_record_start(unit, purpose, process, process->pid);
        if (process->kind == SERVICE_EXEC_START)
                socket_pass_done(unit);
}

int service_run(Unit *unit, UnitPurpose purpose, ServiceExec kind, unsigned index) {
        const ExecCommand *command = service_command(unit, kind, index);
        UnitProcess *process = service_process(unit, purpose);
        int r;

        assert(command);
        *process = (UnitProcess) {};
        r = service_set_limit(unit, service_limit(unit, kind));
        if (r == 0)
                r = unit_process_ask(unit, purpose, process, (UnitProcess) {
                        .has_command = true,
                        .ignores_failure = command->flags & EXEC_IGNORE_FAILURE,
                        .kind = (int) kind,
                        .index = index,
                });
        if (r < 0)
                service_note_command_failure(unit, kind, "%s: cannot be started: %s", service_exec_to_string(kind),
                                             strerror(-r));
        return r;
}

static int set_invocation(const Unit *unit, char ***environment) {
        int r = unit_process_add_invocation(unit, environment);

        return r <= 0 ? r : unit_process_add_variable(environment, "JOBD_UNIT=%s", unit->id);
}

/* The result and the exit of the main process; @prefix: of the variables' names. */
static int set_result(const Service *service, const char *prefix, char ***environment) {
        const ServiceExitRecord *record = &service->exec_main;
        const char *code = record->code == CLD_EXITED ? "exited" : record->code == CLD_DUMPED ? "dumped" : "killed";
        const char *name = record->code == CLD_EXITED ? NULL : sigabbrev_np(record->status);
        int r;

        r = unit_process_add_variable(environment, "%sSERVICE_RESULT=%s", prefix,
                                      service_result_to_string(service->result));
        if (r < 0 || record->exit.monotonic == 0)
                return r;
        r = unit_process_add_variable(environment, "%sEXIT_CODE=%s", prefix, code);
        if (r < 0)
                return r;
        return name ? unit_process_add_variable(environment, "%sEXIT_STATUS=%s", prefix, name)
                    : unit_process_add_variable(environment, "%sEXIT_STATUS=%i", prefix, record->status);
}

int service_result_environment(const Unit *unit, char ***environment) {
        return set_result(service_of(unit), "", environment);
}

/* The only service, flow or batch whose OnFailure= or OnSuccess= names @unit; NULL if there are several. */
static const Unit *find_monitored(const Unit *unit) {
        static const UnitRelationKind kinds[] = { UNIT_ON_FAILURE_OF, UNIT_ON_SUCCESS_OF };
        const Unit *found = NULL;

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                UnitRelations relations = unit_relations(unit, kinds[i]);

                for (size_t k = 0; k < relations.n; k++) {
                        const Unit *other = unit_table_at(unit->table, relations.items[k].other);

                        if (found && found != other)
                                return NULL;
                        found = other;
                }
        }
        return found && (found->type == UNIT_SERVICE || unit_type_has_runs(found->type)) ? found : NULL;
}

/* Tells a handler of OnFailure= or OnSuccess= about the service, flow or batch that has ended. */
static int set_monitored(const Unit *unit, char ***environment) {
        const Unit *other = find_monitored(unit);
        cleanup_free_ char *invocation = NULL;
        int r;

        if (!other)
                return 0;
        /* A flow or a batch may have several runs, and none of them is the service's. */
        if (unit_type_has_runs(other->type))
                return unit_process_add_variable(environment, "MONITOR_UNIT=%s", other->id);
        r = set_result(service_of(other), "MONITOR_", environment);
        if (r == 0)
                r = unit_process_add_variable(environment, "MONITOR_UNIT=%s", other->id);
        if (r == 0)
                r = unit_process_format_invocation(other, &invocation);
        return r <= 0 ? r : unit_process_add_variable(environment, "MONITOR_INVOCATION_ID=%s", invocation);
}

static bool is_told_of_notify_socket(const Unit *unit, UnitPurpose purpose) {
        switch (service_notify_access(unit)) {
        case SERVICE_NOTIFY_NONE:
        case _SERVICE_NOTIFY_ACCESS_MAX:
                return false;
        case SERVICE_NOTIFY_MAIN:
                return purpose == UNIT_PURPOSE_MAIN || service_settings(unit)->type == SERVICE_FORKING;
        case SERVICE_NOTIFY_EXEC:
        case SERVICE_NOTIFY_ALL:
                return true;
        }
        return false;
}

/* WATCHDOG_PID= keeps children of the service, which inherit the environment, from sending. */
static int set_watchdog(const ServiceSettings *settings, ExecRequest *request) {
        int r = unit_process_add_variable(&request->own_environment, "WATCHDOG_USEC=%" PRIu64, settings->watchdog);

        request->flags |= EXEC_REQUEST_TELLS_PID;
        return r < 0 ? r : unit_process_add_variable(&request->own_environment, "WATCHDOG_PID=%s", EXEC_PID_PLACE);
}

static int set_own_environment(const Unit *unit, UnitPurpose purpose, ExecRequest *request) {
        const Service *service = service_of(unit);
        const ServiceSettings *settings = service_settings(unit);
        const UnitProcess *process = service_process(unit, purpose);
        char ***environment = &request->own_environment;
        int r;

        r = set_invocation(unit, environment);
        if (r == 0 && request->is_user_manager)
                r = unit_process_add_variable(environment, "MANAGERPID=%i", (int) request->manager_pid);
        if (r == 0)
                r = trigger_environment_add(unit, environment);
        if (r == 0 && settings->pid_file)
                r = unit_process_add_variable(environment, "PIDFILE=%s", settings->pid_file);
        if (r == 0 && request->notify_socket && is_told_of_notify_socket(unit, purpose))
                r = unit_process_add_variable(environment, "NOTIFY_SOCKET=%s", request->notify_socket);
        if (r == 0 && process->kind == SERVICE_EXEC_START && settings->watchdog > 0 &&
            settings->watchdog != USEC_INFINITY)
                r = set_watchdog(settings, request);
        if (r == 0 && purpose != UNIT_PURPOSE_MAIN && service->main.pid > 0)
                r = unit_process_add_variable(environment, "MAINPID=%i", (int) service->main.pid);
        if (r == 0 && (process->kind == SERVICE_EXEC_START_PRE || process->kind == SERVICE_EXEC_START))
                r = set_monitored(unit, environment);
        if (r == 0 && (process->kind == SERVICE_EXEC_STOP || process->kind == SERVICE_EXEC_STOP_POST))
                r = set_result(service, "", environment);
        return r;
}

/* Returns true for a probe of a port, which runs jobd-core rather than a command of the unit file. */
static bool is_own_probe(const UnitProcess *process, const ExecCommand *command) {
        return process->kind >= _SERVICE_EXEC_LIST_MAX && text_equal(command->path, SERVICE_PROBE_PATH);
}

/* A program of jobd's gets only user and network of the unit. */
static int set_context(Unit *unit, const UnitProcess *process, const ExecCommand *command,
                        ExecRequest *request) {
        const ServiceSettings *settings = service_settings(unit);
        const ServiceRareSettings *rare = service_rare(unit);

        if (is_own_probe(process, command)) {
                exec_context_fill_user(&settings->exec, request);
                request->flags |= EXEC_REQUEST_NO_EXPANSION;
                exec_context_fill_network(&settings->exec, request);
                return exec_sandbox_share(unit, request);
        }
        exec_context_fill(&settings->exec, command, request);
        request->unit = unit->id;
        if (process->kind == SERVICE_EXEC_START)
                return exec_sandbox_share(unit, request);
        if (rare->permissions_start_only) {
                request->flags |= EXEC_REQUEST_KEEP_PRIVILEGES | EXEC_REQUEST_NO_RESTRICTIONS;
                exec_context_fill_network(&settings->exec, request);
        }
        if (rare->root_directory_start_only)
                request->root_directory = NULL;
        return exec_sandbox_share(unit, request);
}

static int flags_of(const ServiceOpenFile *file) {
        return file->flags & SERVICE_OPEN_READ_ONLY ? O_RDONLY :
               file->flags & SERVICE_OPEN_APPEND ? O_RDWR | O_APPEND :
               file->flags & SERVICE_OPEN_TRUNCATE ? O_RDWR | O_TRUNC : O_RDWR;
}

/* The child opens the files; a missing one that is optional is left out here. */
static int give_files(const Unit *unit, ExecRequest *request) {
        int r = 0;

        for (const ServiceOpenFile *file = service_rare(unit)->open_files; file && r == 0; file = file->next)
                if (!(file->flags & SERVICE_OPEN_GRACEFUL) || access(file->path, F_OK) == 0)
                        r = exec_request_add_descriptor(request, (ExecDescriptor) {
                                .fd = -1, .path = file->path, .flags = flags_of(file), .name = file->name });
        return r;
}

/* Descriptors of sockets come first. If a standard stream is the socket, stored ones are not given. */
static int give_descriptors(Unit *unit, const UnitProcess *process, const ExecCommand *command,
                            ExecRequest *request) {
        bool has_streams = socket_pass_to_streams(&service_settings(unit)->exec);
        int r;

        if (process->kind != SERVICE_EXEC_START && (!has_streams || is_own_probe(process, command)))
                return 0;
        r = socket_pass_fds(unit, request);
        if (r == -ENOTCONN)
                service_note_failure(unit, "its standard input or output is to be a socket, and there is none");
        if (r == -E2BIG)
                service_note_failure(unit, "its standard input or output is to be a socket, and there are several");
        if (r < 0 || process->kind != SERVICE_EXEC_START)
                return r;
        if (!has_streams)
                r = service_give_fds(unit, request);
        if (r == 0)
                r = give_files(unit, request);
        return r < 0 || service_rare(unit)->notify_fd == 0 ? r : service_open_channel(unit, request);
}

static int prepare_clean(const Unit *unit, ExecRequest *request) {
        char *const *argv = service_extra(unit)->clean_argv;

        if (!argv)
                return -ECANCELED;
        exec_clean_fill(argv, request);
        request->unit = unit->id;
        return 0;
}

int service_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request) {
        const UnitProcess *process = service_process(unit, purpose);
        const ExecCommand *command;
        int r;

        if (!process || !process->is_wanted)
                return -ECANCELED;
        if (service_of(unit)->state == SERVICE_STATE_CLEANING)
                return prepare_clean(unit, request);
        command = service_command(unit, process->kind, process->index);
        if (!command || !command->path || !command->argv || !command->argv[0])
                return -ENOEXEC;

        request->label = service_exec_to_string(process->kind);
        request->path = command->path;
        request->argv = command->argv;
        r = set_context(unit, process, command, request);
        if (r == 0)
                r = give_descriptors(unit, process, command, request);
        if (r == 0 && !is_own_probe(process, command))
                r = service_fill_streams(unit, request);
        return r < 0 ? r : set_own_environment(unit, purpose, request);
}
