/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One service among fakes
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/strv.h"
#include "double/double_sink.h"
#include "service_world.h"
#include "types/unit_types.h"

static World *world_of(UnitHost *host) {
        return container_of(host, World, host);
}

static void separate(Text *text, const char *separator) {
        if (text->n > 0)
                text_add(text, separator);
}

static usec_t host_now(UnitHost *host) {
        return world_of(host)->now;
}

static usec_t host_now_realtime(UnitHost *host) {
        return world_of(host)->now + 1000000 * USEC_PER_SEC;
}

static int host_set_timer(UnitHost *host, Unit *unit, UnitPurpose purpose, usec_t deadline) {
        World *world = world_of(host);

        if (deadline != USEC_INFINITY && world->timer_error < 0)
                return world->timer_error;
        world->timers[purpose] = deadline;
        return 0;
}

static int host_spawn(UnitHost *host, Unit *unit, UnitPurpose purpose) {
        World *world = world_of(host);
        int r = world->spawn_error;

        world->spawn_error = 0;
        if (r == 0)
                world->outbox[world->n_outbox++] = purpose;
        return r;
}

static int host_watch_process(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        World *world = world_of(host);

        separate(&world->calls, ", ");
        text_addf(&world->calls, "watch");
        return world->watch_error;
}

static void host_unwatch_process(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        World *world = world_of(host);

        separate(&world->calls, ", ");
        text_addf(&world->calls, "unwatch");
}

static const char *name_process(const World *world, pid_t pid) {
        if (pid == world->probe)
                return "probe";
        return pid == world_main(world) ? "main" : pid == world_control(world) ? "control" : "stranger";
}

static int host_kill(UnitHost *host, Unit *unit, pid_t pid, int number, bool is_group) {
        World *world = world_of(host);

        separate(&world->calls, ", ");
        text_addf(&world->calls, "%s %s%s", sigabbrev_np(number), name_process(world, pid), is_group ? " group" : "");
        return 0;
}

static int host_kill_rest(UnitHost *host, Unit *unit, int number, pid_t main_pid, pid_t control_pid) {
        World *world = world_of(host);

        if (number > 0 && world->rest > 0) {
                separate(&world->calls, ", ");
                text_addf(&world->calls, "%s rest", sigabbrev_np(number));
        }
        return world->rest;
}

static bool host_may_hide_rest(UnitHost *host, Unit *unit) {
        return world_of(host)->may_hide_rest;
}

static int host_request_job(UnitHost *host, Unit *unit, JobType type, JobMode mode, const char *reason) {
        World *world = world_of(host);

        separate(&world->calls, ", ");
        text_addf(&world->calls, "request %s %s", job_type_to_string(type), job_mode_to_string(mode));
        return 0;
}

static void host_request_action(UnitHost *host, Unit *unit, int action, int exit_status, const char *reason) {
        World *world = world_of(host);

        separate(&world->calls, ", ");
        text_addf(&world->calls, "action %s %i", unit_action_to_string((UnitAction) action), exit_status);
}

static void host_log(UnitHost *host, Unit *unit, int level, const char *message) {
}

static bool host_is_busy(UnitHost *host, const Unit *unit) {
        return world_of(host)->is_busy;
}

static bool host_will_start(UnitHost *host, const Unit *unit) {
        return world_of(host)->will_start;
}

static bool host_is_awaited(UnitHost *host, const Unit *unit) {
        return world_of(host)->is_awaited;
}

static int host_watch_name(UnitHost *host, Unit *unit, const char *name) {
        World *world = world_of(host);

        text_deinit(&world->name);
        if (name && world->name_error == 0)
                text_add(&world->name, name);
        return name ? world->name_error : 0;
}

static int host_watch_fd(UnitHost *host, Unit *unit, uint32_t index, int fd, uint32_t events) {
        world_of(host)->watched |= UINT32_C(1) << index;
        return 0;
}

static void host_unwatch_fd(UnitHost *host, Unit *unit, uint32_t index) {
        world_of(host)->watched &= ~(UINT32_C(1) << index);
}

static int *kept_place(World *world, const char *what, uint32_t index) {
        cr_assert(lt(u32, index, ELEMENTSOF(world->kept)));
        return strcmp(what, "stored") == 0 ? &world->kept[index] : &world->channel_kept;
}

static int host_keep_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int fd) {
        int *place = kept_place(world_of(host), what, index);

        if (*place >= 0)
                close(*place);
        *place = dup(fd);
        return 0;
}

static void host_drop_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index) {
        int *place = kept_place(world_of(host), what, index);

        if (*place >= 0)
                close(*place);
        *place = -1;
}

static int host_take_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index) {
        const int *place = kept_place(world_of(host), what, index);

        return *place < 0 ? -ENOENT : dup(*place);
}

static const UnitHostOps host_ops = {
        .now = host_now,
        .now_realtime = host_now_realtime,
        .set_timer = host_set_timer,
        .spawn = host_spawn,
        .watch_process = host_watch_process,
        .unwatch_process = host_unwatch_process,
        .kill = host_kill,
        .kill_rest = host_kill_rest,
        .may_hide_rest = host_may_hide_rest,
        .is_busy = host_is_busy,
        .will_start = host_will_start,
        .is_awaited = host_is_awaited,
        .watch_name = host_watch_name,
        .watch_fd = host_watch_fd,
        .unwatch_fd = host_unwatch_fd,
        .keep_fd = host_keep_fd,
        .drop_fd = host_drop_fd,
        .take_fd = host_take_fd,
        .request_job = host_request_job,
        .request_action = host_request_action,
        .log = host_log,
};

static void free_settings(void *settings) {
        service_settings_free(settings);
}

static int load(void *userdata, Unit *unit) {
        World *world = userdata;

        cr_assert(service_settings_new(&world->settings) == 0);
        unit->type_settings = world->settings;
        unit->type_settings_free = free_settings;
        unit->load_state = UNIT_LOADED;
        return 0;
}

static bool may_exist_now(void *userdata, const Unit *unit) {
        return false;
}

static const UnitLoaderOps loader_ops = { .load = load, .may_exist_now = may_exist_now };

static void on_changed(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new, UnitChangeFlags flags) {
        World *world = userdata;
        const char *state = unit_sub_state(unit);

        world->active = new;
        world->flags |= flags;
        /* A state that is published again, because a property has changed, is noted once. */
        if (world->last_state && strcmp(world->last_state, state) == 0 && old == new && world->states.n > 0)
                return;
        world->last_state = state;
        separate(&world->states, " ");
        text_add(&world->states, state);
}

static void on_reloaded_itself(void *userdata, Unit *unit) {
        World *world = userdata;

        world->n_self_reloads++;
}

static const UnitObserverOps observer_ops = { .changed = on_changed, .reloaded_itself = on_reloaded_itself };

World *world_new(ServiceType type) {
        World *world = calloc(1, sizeof(*world));

        cr_assert(world != NULL);
        for (size_t i = 0; i < ELEMENTSOF(world->kept); i++)
                world->kept[i] = -1;
        world->channel_kept = -1;
        world->now = 1000 * USEC_PER_SEC;
        world->next_pid = FIRST_PID;
        world->uid = (uid_t) -1;
        world->host.ops = &host_ops;
        for (size_t i = 0; i < _UNIT_PURPOSE_MAX; i++)
                world->timers[i] = USEC_INFINITY;
        cr_assert(unit_table_new(&world->table) == 0);
        unit_table_set_host(world->table, &world->host);
        unit_table_set_loader(world->table, &loader_ops, world);
        unit_table_set_observer(world->table, &observer_ops, world);
        unit_table_set_type(world->table, &service_vtable);
        cr_assert(unit_table_load(world->table, "x.service", &world->unit) == 0);
        world->settings->type = type;
        return world;
}

static void forget_given(World *world) {
        for (size_t i = 0; i < world->n_given; i++)
                close(world->given[i]);
        world->n_given = 0;
        world->given_names[0] = '\0';
}

World *world_free(World *world) {
        if (!world)
                return NULL;
        unit_table_free(world->table);
        forget_given(world);
        for (size_t i = 0; i < ELEMENTSOF(world->kept); i++)
                if (world->kept[i] >= 0)
                        close(world->kept[i]);
        if (world->channel_kept >= 0)
                close(world->channel_kept);
        text_deinit(&world->name);
        text_deinit(&world->states);
        text_deinit(&world->calls);
        text_deinit(&world->environment);
        free(world);
        return NULL;
}

void world_command(World *world, ServiceExec kind, const char *line) {
        ExecCommand *command = calloc(1, sizeof(*command));
        ExecCommand **slot = kind < _SERVICE_EXEC_LIST_MAX
                                     ? &world->settings->commands[kind]
                                     : &world_rare(world)->probes[kind - SERVICE_EXEC_READINESS].command;

        cr_assert(command != NULL);
        if (line[0] == '-') {
                command->flags = EXEC_IGNORE_FAILURE;
                line++;
        }
        cr_assert(strv_split(line, " ", &command->argv) == 0);
        command->path = strdup(command->argv[0]);
        while (*slot)
                slot = &(*slot)->next;
        *slot = command;
}

static void note_given(World *world, const ExecRequest *request) {
        forget_given(world);
        for (size_t i = 0; i < request->n_descriptors; i++) {
                const ExecDescriptor *descriptor = &request->descriptors[i];
                size_t n = strlen(world->given_names);

                world->given[world->n_given++] = dup(descriptor->fd);
                snprintf(world->given_names + n, sizeof(world->given_names) - n, "%s%s=%i", i > 0 ? " " : "",
                         descriptor->name ? descriptor->name : "?", descriptor->target);
        }
}

static void start_process(World *world, UnitPurpose purpose, const ExecRequest *request) {
        ExecResult result = { .uid = world->uid, .gid = world->uid, .pid = world->next_pid++ };
        ExecStep step = world->fail_step;

        separate(&world->calls, ", ");
        text_addf(&world->calls, "run %s", request->path);
        text_deinit(&world->environment);
        strv_foreach(assignment, request->own_environment) {
                text_add(&world->environment, *assignment);
                text_add_char(&world->environment, '\n');
        }
        note_given(world, request);
        if (purpose == UNIT_PURPOSE_PROBE)
                world->probe = result.pid;
        world->fail_step = EXEC_STEP_NONE;
        if (step != EXEC_STEP_NONE)
                exec_result_set(&result, step, ENOENT, "cannot do it");
        service_vtable.spawned(world->unit, purpose, step == EXEC_STEP_NONE ? result.pid : 0, &result);
}

/* Replaces the service by one restored from its record, as a new core does. No test may notice that. */
static void renew(World *world) {
        cleanup_(record_writer_deinit) RecordWriter saved = {}, saved_again = {};
        RecordReader reader;

        service_vtable.record(world->unit, &saved);
        cr_assert(not(saved.has_failed));
        service_vtable.deinit(world->unit);
        cr_assert(service_vtable.init(world->unit) == 0);
        record_reader_init(&reader, saved.bytes, saved.n);
        cr_assert(service_vtable.restore(world->unit, &reader) == 0);
        cr_assert(record_is_at_end(&reader), "there is more in it than was read");
        service_vtable.resume(world->unit);
        service_vtable.record(world->unit, &saved_again);
        cr_assert(saved.n == saved_again.n && memcmp(saved.bytes, saved_again.bytes, saved.n) == 0);
}

void world_flush(World *world) {
        if (getenv("WORLD_RENEWS"))
                renew(world);
        for (size_t i = 0; i < world->n_outbox; i++) {
                ExecRequest request = { .notify_socket = "/run/notify" };
                int r;

                r = service_vtable.prepare_spawn(world->unit, world->outbox[i], &request);
                cr_assert(r == 0 || r == -ECANCELED);
                if (r == 0)
                        start_process(world, world->outbox[i], &request);
                exec_request_deinit(&request);
        }
        world->n_outbox = 0;
}

UnitAnswer world_start(World *world) {
        UnitAnswer answer = unit_start(world->unit);

        world_flush(world);
        return answer;
}

UnitAnswer world_stop(World *world) {
        UnitAnswer answer = unit_stop(world->unit);

        world_flush(world);
        return answer;
}

UnitAnswer world_reload(World *world) {
        UnitAnswer answer = unit_reload(world->unit);

        world_flush(world);
        return answer;
}

static void end(World *world, pid_t pid, int code, int status) {
        cr_assert(pid > 0);
        service_vtable.child_exited(world->unit,
                                    &(UnitExit) { .pid = pid, .code = code, .status = status, .time = world->now });
        world_flush(world);
}

void world_exit(World *world, pid_t pid, int status) {
        end(world, pid, CLD_EXITED, status);
}

void world_die(World *world, pid_t pid, int number, bool is_dumped) {
        end(world, pid, is_dumped ? CLD_DUMPED : CLD_KILLED, number);
}

void world_notify(World *world, pid_t sender, const char *line) {
        cleanup_(strv_freep) char **assignments = NULL;

        cr_assert(strv_split(line, "|", &assignments) == 0);
        service_vtable.notified(world->unit, sender, assignments);
        world_flush(world);
}

void world_pass(World *world, pid_t sender, const char *line, int *fds, size_t n) {
        cleanup_(strv_freep) char **assignments = NULL;

        cr_assert(strv_split(line, "|", &assignments) == 0);
        service_vtable.passed_fds(world->unit, sender, assignments, fds, n);
        for (size_t i = 0; i < n; i++)
                if (fds[i] >= 0)
                        close(fds[i]);
        service_vtable.notified(world->unit, sender, assignments);
        world_flush(world);
}

void world_own_name(World *world, bool is_owned, pid_t pid) {
        service_vtable.name_owned(world->unit, is_owned, pid);
        world_flush(world);
}

void world_fd_ready(World *world, uint32_t index) {
        cr_assert(ne(u32, world->watched & (UINT32_C(1) << index), 0), "%u is not watched", index);
        service_vtable.fd_ready(world->unit, index, 0);
        world_flush(world);
}

ServiceRareSettings *world_rare(World *world) {
        if (!world->settings->rare)
                world->settings->rare = calloc(1, sizeof(*world->settings->rare));
        cr_assert(world->settings->rare != NULL);
        return world->settings->rare;
}

void world_advance(World *world, usec_t span) {
        usec_t end_of_it = world->now + span;

        for (;;) {
                size_t next = 0;

                for (size_t i = 1; i < _UNIT_PURPOSE_MAX; i++)
                        if (world->timers[i] < world->timers[next])
                                next = i;
                if (world->timers[next] > end_of_it)
                        break;
                if (world->timers[next] > world->now)
                        world->now = world->timers[next];
                world->timers[next] = USEC_INFINITY;
                service_vtable.timer_elapsed(world->unit, (UnitPurpose) next);
                world_flush(world);
        }
        world->now = end_of_it;
}

pid_t world_main(const World *world) {
        return service_vtable.main_pid(world->unit);
}

pid_t world_control(const World *world) {
        return service_vtable.control_pid(world->unit);
}

const char *world_states(const World *world) {
        return world->states.string ? world->states.string : "";
}

const char *world_calls(const World *world) {
        return world->calls.string ? world->calls.string : "";
}

void world_clear(World *world) {
        text_deinit(&world->states);
        text_deinit(&world->calls);
        world->flags = 0;
}

const char *world_property(const World *world, const char *name) {
        static char text[8192];
        const UnitProperty *property;

        for (size_t i = 0; (property = unit_property_at(service_vtable.properties, i)); i++) {
                DoubleSink sink;

                if (strcmp(property->name, name) != 0)
                        continue;
                double_sink_init(&sink);
                unit_property_write(property, world->unit, &sink.sink);
                snprintf(text, sizeof(text), "%s", double_sink_string(&sink));
                double_sink_deinit(&sink);
                return text;
        }
        cr_fatal("no property %s", name);
        return NULL;
}
