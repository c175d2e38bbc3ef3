/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callbacks
 *
 * A callback is over when its command has ended and nothing is left of the
 * tree. One whose row is gone with core before its process was made is
 * dropped: the row is in the store, and is delivered again.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "basic/fd.h"
#include "basic/log.h"
#include "basic/random.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "exec/exec_kill.h"
#include "manager/manager_callback.h"
#include "process/process_rest.h"
#include "types/exec_context.h"
#include "types/exec_sandbox.h"
#include "types/unit_ask.h"
#include "types/unit_process.h"
#include "unitfile/flow_settings.h"

/* How often it is looked whether what was killed is gone, and how many times: what hangs in the kernel is left then. */
#define LOOK_AGAIN (100 * USEC_PER_MSEC)
#define LOOKS_MAX 50U
#define NAME_BYTES 48U

typedef struct Callback {
        ProcessOwner owner;
        ManagerCallbacks *callbacks; /* borrowed */
        uint32_t number; /* of its record */
        uint64_t id;
        uint32_t try;
        Unit *unit; /* a reference */
        char name[NAME_BYTES];
        char *node, *event; /* owned; NULL: none, or not known any more */
        ExecCommand *command; /* owned; NULL: not known any more */
        int payload; /* owned: a file in memory; -1: not needed, or not known any more */
        uint8_t invocation[16];
        pid_t pid; /* 0: none */
        uint32_t n_looks;
        bool is_wanted; /* its process was asked for */
        bool has_begun; /* a process was made */
        bool has_end; /* the following are set */
        bool ignores_failure;
        ManagerCallbackEnd end;
        char *problem; /* owned; NULL: none */
        bool is_over; /* nothing is left of it: its end is to be told */
} Callback;

struct ManagerCallbacks {
        ManagerAttemptsHost host;
        UnitTable *units; /* borrowed */
        const ManagerCallbacksOps *ops;
        void *userdata;
        VECTOR(Callback *) all; /* owned; by number; NULL: free */
        size_t n, n_over;
};

static void proceed(Callback *callback);

static Callback *of(ProcessOwner *owner) {
        return container_of(owner, Callback, owner);
}

static void mark(const Callback *callback) {
        ManagerTurn *turn = callback->callbacks->host.turn;

        turn->has_news = true;
        state_mark(turn->state, STORE_CALLBACKS, callback->number);
}

static uint32_t run_of(const Callback *callback) {
        return (uint32_t) (callback->id >> 32);
}

/* — life — */

static void release(Callback *callback) {
        ManagerCallbacks *callbacks = callback->callbacks;
        const ManagerAttemptsHost *host = &callbacks->host;

        process_timers_forget_owner(host->timers, &callback->owner);
        process_table_forget_owner(host->processes, &callback->owner);
        process_errands_forget_owner(host->errands, &callback->owner);
        process_groups_forget_owner(&callback->owner);
        exec_command_free_all(callback->command);
        fd_close(callback->payload);
        free(callback->node);
        free(callback->event);
        free(callback->problem);
        callbacks->all.items[callback->number] = NULL;
        callbacks->n--;
        callbacks->n_over -= callback->is_over;
        unit_unref(callback->unit);
        free(callback);
}

int manager_callbacks_new(ManagerCallbacks **ret_callbacks, const ManagerAttemptsHost *host, UnitTable *units,
                          const ManagerCallbacksOps *ops, void *userdata) {
        ManagerCallbacks *callbacks = calloc(1, sizeof(*callbacks));

        if (!callbacks)
                return -ENOMEM;
        callbacks->host = *host;
        callbacks->units = units;
        callbacks->ops = ops;
        callbacks->userdata = userdata;
        *ret_callbacks = callbacks;
        return 0;
}

ManagerCallbacks *manager_callbacks_free(ManagerCallbacks *callbacks) {
        if (!callbacks)
                return NULL;
        for (size_t i = 0; i < callbacks->all.n; i++)
                if (callbacks->all.items[i])
                        release(callbacks->all.items[i]);
        vector_deinit(&callbacks->all);
        free(callbacks);
        return NULL;
}

static const ProcessOwnerOps callback_ops;

static int add(ManagerCallbacks *callbacks, uint64_t id, Unit *unit, uint32_t number, Callback **ret) {
        Callback *callback = calloc(1, sizeof(*callback));
        int r = callback ? 0 : -ENOMEM;

        while (r == 0 && callbacks->all.n <= number)
                r = vector_push(&callbacks->all, NULL);
        if (r < 0) {
                free(callback);
                return r;
        }
        callback->callbacks = callbacks;
        callback->id = id;
        callback->number = number;
        callback->unit = unit_ref(unit);
        callback->payload = -1;
        snprintf(callback->name, sizeof(callback->name), "callback-%" PRIu32 "-%" PRIu32, run_of(callback),
                 (uint32_t) id);
        callback->owner = (ProcessOwner) { .ops = &callback_ops, .name = callback->name };
        callbacks->all.items[number] = callback;
        callbacks->n++;
        *ret = callback;
        return 0;
}

static uint32_t find_number(const ManagerCallbacks *callbacks) {
        uint32_t number = 0;

        while (number < callbacks->all.n && callbacks->all.items[number])
                number++;
        return number;
}

/* A file in memory, which belongs to nobody's disk and goes with its last reader. */
static int make_payload(const char *text, int *ret_fd) {
        cleanup_fd_ int fd = memfd_create("callback", MFD_CLOEXEC);
        const size_t n = strlen(text);
        size_t done = 0;

        if (fd < 0)
                return -errno;
        while (done < n) {
                const ssize_t written = write(fd, text + done, n - done);

                if (written < 0)
                        return -errno;
                done += (size_t) written;
        }
        if (lseek(fd, 0, SEEK_SET) < 0)
                return -errno;
        *ret_fd = fd_take(&fd);
        return 0;
}

static int fill(Callback *callback, const ManagerCallbackTerms *terms) {
        int r = make_payload(terms->payload, &callback->payload);

        callback->command = take_ptr(*terms->command);
        if (r == 0)
                r = text_copy(terms->node, &callback->node);
        if (r == 0)
                r = text_copy(terms->event, &callback->event);
        if (r < 0)
                return r;
        callback->try = terms->try;
        callback->ignores_failure = callback->command->flags & EXEC_IGNORE_FAILURE;
        (void) random_bytes(callback->invocation, sizeof(callback->invocation));
        return 0;
}

int manager_callbacks_begin(ManagerCallbacks *callbacks, const ManagerCallbackTerms *terms, Failure *ret_failure) {
        Callback *callback;
        Unit *unit;
        int r = unit_table_load(callbacks->units, terms->unit, &unit);

        /* Without the file nobody knows whose rights the command is to have. */
        if (r == 0 && (!unit_type_has_runs(unit->type) || !unit->type_settings))
                return failure_set(ret_failure, -EINVAL, "NoSuchUnit", "%s is not loaded", terms->unit);
        if (r == 0)
                r = add(callbacks, terms->id, unit, find_number(callbacks), &callback);
        if (r < 0)
                return r == -ENOMEM ? r : failure_set(ret_failure, -EINVAL, "NoSuchUnit", "%s cannot be loaded",
                                                      terms->unit);
        r = fill(callback, terms);
        if (r == 0) {
                callback->is_wanted = true;
                mark(callback);
                r = process_errands_spawn(callbacks->host.errands, &callback->owner, UNIT_PURPOSE_MAIN);
        }
        if (r == 0)
                return 0;
        mark(callback);
        release(callback);
        return r == -ENOMEM
                       ? r
                       : failure_set(ret_failure, -EINVAL, "Failed", "it cannot be prepared: %s", strerror(-r));
}

size_t manager_callbacks_count(const ManagerCallbacks *callbacks) {
        return callbacks->n;
}

bool manager_callbacks_find(const ManagerCallbacks *callbacks, uint32_t run, uint64_t *ret_id, const char **ret_unit) {
        for (size_t i = 0; i < callbacks->all.n; i++) {
                const Callback *callback = callbacks->all.items[i];

                if (!callback || run_of(callback) != run)
                        continue;
                *ret_id = callback->id;
                *ret_unit = callback->unit->id;
                return true;
        }
        return false;
}

ProcessOwner *manager_callbacks_find_owner(const ManagerCallbacks *callbacks, const char *name) {
        for (size_t i = 0; i < callbacks->all.n; i++)
                if (callbacks->all.items[i] && strcmp(callbacks->all.items[i]->name, name) == 0)
                        return &callbacks->all.items[i]->owner;
        return NULL;
}

/* — the end — */

static void note_end(Callback *callback, ManagerCallbackEnd end, const char *format, ...) printf_(3, 4);

static void note_end(Callback *callback, ManagerCallbackEnd end, const char *format, ...) {
        va_list arguments;

        if (callback->has_end)
                return;
        callback->has_end = true;
        callback->end = end;
        mark(callback);
        if (!format)
                return;
        va_start(arguments, format);
        (void) text_vformat(&callback->problem, format, arguments);
        va_end(arguments);
}

static void set_timer(Callback *callback, UnitPurpose purpose, usec_t delay) {
        const ManagerAttemptsHost *host = &callback->callbacks->host;

        if (process_timers_set(host->timers, &callback->owner, purpose,
                               delay == USEC_INFINITY ? USEC_INFINITY : usec_add(host->turn->now, delay)) < 0)
                log_write(LOG_LEVEL_WARNING, callback->unit->id, "No memory for the time limit of a callback.");
}

static void finish(Callback *callback) {
        const ManagerAttemptsHost *host = &callback->callbacks->host;

        process_timers_forget_owner(host->timers, &callback->owner);
        process_table_forget_owner(host->processes, &callback->owner);
        callback->pid = 0;
        callback->is_over = true;
        callback->callbacks->n_over++;
        if (callback->owner.group)
                process_groups_follow(host->groups, &callback->owner, false);
        mark(callback);
}

/* Kills what the command has left: it must not outlive the time of the callback. */
static void proceed(Callback *callback) {
        ProcessErrands *errands = callback->callbacks->host.errands;

        if (callback->is_over || callback->is_wanted || !callback->has_end)
                return;
        if (callback->pid == 0 && process_errands_kill_rest(errands, &callback->owner, 0, 0, 0) <= 0) {
                finish(callback);
                return;
        }
        if (callback->n_looks++ >= LOOKS_MAX) {
                log_write(LOG_LEVEL_ERROR, callback->unit->id,
                          "Run %" PRIu32 ": processes of a callback do not end, and are left.", run_of(callback));
                finish(callback);
                return;
        }
        if (callback->pid > 0)
                (void) process_errands_kill(errands, &callback->owner, callback->pid, SIGKILL, true);
        (void) process_errands_kill_rest(errands, &callback->owner, SIGKILL, callback->pid, 0);
        set_timer(callback, UNIT_PURPOSE_PIDFILE, LOOK_AGAIN);
}

/* Attempts that a stop has left use them, too; the unit releases them after the last. */
static bool has_attempts(Unit *unit) {
        UnitHost *host = unit_host(unit);
        UnitRuns runs = {};

        if (host && host->ops->get_runs)
                host->ops->get_runs(host, unit, &runs);
        return runs.n_attempts > 0;
}

/* The folders and namespaces of a flow that is not active are needed by nobody else. */
static void tidy(const Callback *callback) {
        const ManagerCallbacks *callbacks = callback->callbacks;
        ProcessOwner *owner;

        if (!unit_state_is_inactive_or_failed(callback->unit->active_state) || has_attempts(callback->unit))
                return;
        for (size_t i = 0; i < callbacks->all.n; i++)
                if (callbacks->all.items[i] && callbacks->all.items[i] != callback &&
                    callbacks->all.items[i]->unit == callback->unit)
                        return;
        exec_sandbox_release(callback->unit);
        owner = callbacks->ops->owner_of(callbacks->userdata, callback->unit);
        if (owner && owner->group)
                process_groups_follow(callbacks->host.groups, owner, false);
}

/* The request for its process is gone with an earlier core. */
static bool is_forgotten(const Callback *callback) {
        return callback->is_wanted && !callback->command && callback->owner.n_errands == 0;
}

void manager_callbacks_step(ManagerCallbacks *callbacks) {
        for (size_t i = 0; i < callbacks->all.n && callbacks->n > 0; i++) {
                Callback *callback = callbacks->all.items[i];

                if (callback && is_forgotten(callback)) {
                        callback->is_wanted = false;
                        note_end(callback, MANAGER_CALLBACK_DROPPED, NULL);
                        proceed(callback);
                }
                if (!callback || !callback->is_over)
                        continue;
                callbacks->ops->ended(callbacks->userdata, callback->id, callback->try, callback->end,
                                      callback->problem);
                mark(callback);
                tidy(callback);
                release(callback);
        }
}

/* — the process — */

static int set_environment(const Callback *callback, char ***environment) {
        char hex[2 * sizeof(callback->invocation) + 1];
        int r;

        text_write_hex(hex, callback->invocation, sizeof(callback->invocation));
        r = unit_process_add_variable(environment, "INVOCATION_ID=%s", hex);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_UNIT=%s", callback->unit->id);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_RUN=%" PRIu32, run_of(callback));
        if (r == 0 && callback->node)
                r = unit_process_add_variable(environment, "JOBD_NODE=%s", callback->node);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_EVENT=%s", callback->event);
        /* Equal for all tries, so that a command can tell whether it has done its work before. */
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_CALLBACK_KEY=%" PRIu32 "/%" PRIu32, run_of(callback),
                                              (uint32_t) callback->id);
        return r < 0 ? r : unit_process_add_variable(environment, "JOBD_CALLBACK_TRY=%" PRIu32, callback->try);
}

static void prepare_log(Callback *callback, const ExecSettings *exec, ExecRequest *request) {
        char run[32], node[300], *fields[] = { run, callback->node ? node : NULL, NULL };

        snprintf(run, sizeof(run), "RUN=%" PRIu32, run_of(callback));
        snprintf(node, sizeof(node), "NODE=%s", callback->node ? callback->node : "");
        manager_log_prepare_attempt(*callback->callbacks->host.log,
                                    &(ManagerLogAttempt) {
                                            .unit = callback->unit->id,
                                            .invocation = callback->invocation,
                                            .exec = exec,
                                            .fields = fields,
                                    },
                                    request);
}

static int prepare_command(Callback *callback, const FlowSettings *flow, ExecRequest *request, ExecResult *result) {
        int r;

        request->label = "Callback";
        request->path = callback->command->path;
        request->argv = callback->command->argv;
        exec_context_fill(&flow->process.exec, callback->command, request);
        request->standard_input_file = NULL;
        request->inherits_standard_input = false;
        request->tty = NULL;
        request->standard_input_fd = callback->payload;
        request->unit = callback->unit->id;
        r = exec_sandbox_share(callback->unit, request);
        if (request->shared)
                manager_turn_mark(callback->callbacks->host.turn, callback->unit);
        if (r == 0)
                r = set_environment(callback, &request->own_environment);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare the command: %s", strerror(-r));
        return r;
}

static int callback_prepare(ProcessOwner *owner, UnitPurpose purpose, ExecRequest *request, ExecResult *result) {
        Callback *callback = of(owner);
        const ManagerCallbacks *callbacks = callback->callbacks;
        const FlowSettings *flow = callback->unit->type_settings;
        int r;

        if (!callback->is_wanted || !callback->command) {
                callback->is_wanted = false;
                note_end(callback, MANAGER_CALLBACK_DROPPED, NULL);
                set_timer(callback, UNIT_PURPOSE_PIDFILE, 0);
                return -ECANCELED;
        }
        if (!flow) {
                exec_result_set(result, EXEC_STEP_RESOURCES, ENOENT, "the file of the unit is gone");
                return -ENOENT;
        }
        r = callbacks->ops->surround(callbacks->userdata, request, result);
        if (r == 0)
                r = prepare_command(callback, flow, request, result);
        if (r == 0)
                r = process_groups_enter(callbacks->host.groups, owner, purpose, &request->cgroup, result);
        if (r == 0)
                prepare_log(callback, &flow->process.exec, request);
        return r;
}

static void callback_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        Callback *callback = of(owner);

        callback->is_wanted = false;
        callback->payload = fd_close(callback->payload);
        mark(callback);
        if (pid > 0) {
                callback->pid = pid;
                callback->has_begun = true;
                set_timer(callback, UNIT_PURPOSE_STATE_LIMIT, MANAGER_CALLBACK_TIME);
                return;
        }
        note_end(callback, MANAGER_CALLBACK_FAILED, "%s", result->message);
        proceed(callback);
}

static void callback_exited(ProcessOwner *owner, const UnitExit *exit) {
        Callback *callback = of(owner);
        char how[64];

        if (exit->pid != callback->pid)
                return;
        callback->pid = 0;
        mark(callback);
        unit_process_describe_exit(exit, how, sizeof(how));
        if (!unit_exit_is_known(exit))
                note_end(callback, MANAGER_CALLBACK_FAILED, "nobody knows how it has ended");
        else if (callback->ignores_failure || (exit->code == CLD_EXITED && exit->status == 0))
                note_end(callback, MANAGER_CALLBACK_DELIVERED, NULL);
        else
                note_end(callback, MANAGER_CALLBACK_FAILED, "it %s", how);
        proceed(callback);
}

static void callback_elapsed(ProcessOwner *owner, UnitPurpose purpose) {
        Callback *callback = of(owner);

        if (purpose == UNIT_PURPOSE_STATE_LIMIT)
                note_end(callback, MANAGER_CALLBACK_FAILED, "it had not ended after %u s, and was killed",
                         (unsigned) (MANAGER_CALLBACK_TIME / USEC_PER_SEC));
        proceed(callback);
}

static void callback_group_emptied(ProcessOwner *owner) {
        Callback *callback = of(owner);

        if (callback->pid == 0)
                proceed(callback);
}

static int callback_count_group(ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        return process_groups_count(of(owner)->callbacks->host.groups, owner, main_pid, control_pid);
}

static int callback_signal_group(ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid) {
        return process_groups_signal(of(owner)->callbacks->host.groups, owner, signal, main_pid, control_pid);
}

static void callback_describe_rest(ProcessOwner *owner, ExecRest *rest) {
        rest->invocation_id = of(owner)->invocation;
}

static ProcessOwner *owner_of_unit(const Callback *callback) {
        const ManagerCallbacks *callbacks = callback->callbacks;

        return callbacks->ops->owner_of(callbacks->userdata, callback->unit);
}

static bool callback_describe_group(ProcessOwner *owner, ProcessGroupTerms *terms) {
        const Callback *callback = of(owner);

        *terms = (ProcessGroupTerms) {
                .parent = owner_of_unit(callback),
                .is_begun = callback->has_begun,
                .is_over = callback->is_over,
        };
        return terms->parent;
}

/* The flow is as a slice to it. */
static size_t callback_list_slices(ProcessOwner *owner, ProcessSlice slices[static PROCESS_SLICES_MAX]) {
        const Callback *callback = of(owner);
        const FlowSettings *flow = callback->unit->type_settings;

        return process_slices_below(owner_of_unit(callback), callback->unit->id, flow ? flow->resources : NULL, slices);
}

static void callback_changed(ProcessOwner *owner) {
        mark(of(owner));
}

static const ProcessOwnerOps callback_ops = {
        .prepare = callback_prepare,
        .spawned = callback_spawned,
        .exited = callback_exited,
        .elapsed = callback_elapsed,
        .count_group = callback_count_group,
        .signal_group = callback_signal_group,
        .describe_rest = callback_describe_rest,
        .describe_group = callback_describe_group,
        .list_slices = callback_list_slices,
        .group_emptied = callback_group_emptied,
        .changed = callback_changed,
};

/* — records — */

enum {
        FLAG_WANTED = 1 << 0,
        FLAG_BEGUN = 1 << 1,
        FLAG_HAS_END = 1 << 2,
        FLAG_IGNORES = 1 << 3,
        FLAG_OVER = 1 << 4,
        FLAGS_END = 1 << 5,
};

void manager_callbacks_write(const ManagerCallbacks *callbacks, uint32_t number, RecordWriter *writer) {
        const Callback *callback = number < callbacks->all.n ? callbacks->all.items[number] : NULL;

        if (!callback)
                return;
        record_put_string(writer, callback->unit->id);
        record_put(writer, callback->id);
        record_put(writer, callback->try);
        record_put_bytes(writer, callback->invocation, sizeof(callback->invocation));
        record_put(writer, (callback->is_wanted ? FLAG_WANTED : 0U) | (callback->has_begun ? FLAG_BEGUN : 0U) |
                                   (callback->has_end ? FLAG_HAS_END : 0U) |
                                   (callback->ignores_failure ? FLAG_IGNORES : 0U) |
                                   (callback->is_over ? FLAG_OVER : 0U));
        record_put(writer, (uint64_t) callback->pid);
        record_put(writer, callback->end);
        record_put_string(writer, callback->problem);
        process_timers_write(&callback->owner, writer);
        process_table_write(&callback->owner, writer);
}

int manager_callbacks_next(const ManagerCallbacks *callbacks, uint32_t number, uint32_t *ret_number) {
        for (size_t i = number; i < callbacks->all.n; i++)
                if (callbacks->all.items[i]) {
                        *ret_number = (uint32_t) i;
                        return 1;
                }
        return 0;
}

static int read_facts(Callback *callback, RecordReader *reader) {
        const void *invocation;
        uint64_t flags;
        size_t n;

        callback->try = (uint32_t) record_get_below(reader, UINT32_MAX);
        invocation = record_get_bytes(reader, &n);
        if (n == sizeof(callback->invocation))
                memcpy(callback->invocation, invocation, n);
        flags = record_get_below(reader, FLAGS_END);
        callback->is_wanted = flags & FLAG_WANTED;
        callback->has_begun = flags & FLAG_BEGUN;
        callback->has_end = flags & FLAG_HAS_END;
        callback->ignores_failure = flags & FLAG_IGNORES;
        callback->is_over = flags & FLAG_OVER;
        callback->pid = (pid_t) record_get_below(reader, INT32_MAX);
        callback->end = (ManagerCallbackEnd) record_get_below(reader, _MANAGER_CALLBACK_END_MAX);
        return text_copy(record_get_string(reader), &callback->problem);
}

int manager_callbacks_read(ManagerCallbacks *callbacks, uint32_t number, RecordReader *reader, unsigned *n_processes) {
        const char *name = record_get_string(reader);
        const uint64_t id = record_get(reader);
        Callback *callback;
        Unit *unit;
        int r;

        if (reader->has_failed || !name)
                return -EBADMSG;
        r = unit_table_load(callbacks->units, name, &unit);
        if (r == 0)
                r = add(callbacks, id, unit, number, &callback);
        if (r < 0)
                return r == -ENOMEM ? r : -EBADMSG;
        r = read_facts(callback, reader);
        callbacks->n_over += callback->is_over;
        if (r == 0)
                r = process_timers_read(callbacks->host.timers, &callback->owner, reader);
        if (r == 0)
                r = process_table_read(callbacks->host.processes, &callback->owner, reader, n_processes);
        return reader->has_failed ? -EBADMSG : r;
}

int manager_callbacks_tell_lost(ManagerCallbacks *callbacks) {
        int r = 0;

        for (size_t i = 0; i < callbacks->all.n && r == 0; i++)
                if (callbacks->all.items[i])
                        r = process_table_tell_lost(callbacks->host.processes, &callbacks->all.items[i]->owner);
        return r;
}
