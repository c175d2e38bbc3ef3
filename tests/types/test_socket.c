/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sockets: real ones, among fakes of everything else
 *
 * With WORLD_RENEWS in the environment the unit is recorded and restored after each step, with its descriptors from a
 * keeper that has copies: whatever a test expects must hold then, too.
 */

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/record.h"
#include "basic/strv.h"
#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/service_state.h"
#include "types/socket_state.h"
#include "types/unit_types.h"

#define PID 5000001
#define KEPT_MAX 16
#define REQUEST "request start replace a.service"

typedef struct Kept {
        char what[16];
        uint32_t index;
        int fd;
} Kept;

typedef struct Fixture {
        DoubleWorld *world;
        Unit *socket, *service;
        SocketSettings *settings;       /* owned by the socket */
        char root[64], path[96];
        int clients[8];
        size_t n_clients;
} Fixture;

/* The keeper's copies and the watches, of the one fixture of a test. */
static Kept kept[KEPT_MAX];
static bool is_watched, has_job;

static Kept *find_kept(const char *what, uint32_t index) {
        for (size_t i = 0; i < KEPT_MAX; i++)
                if (strcmp(kept[i].what, what) == 0 && kept[i].index == index)
                        return &kept[i];
        return NULL;
}

static void drop_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index) {
        Kept *found = find_kept(what, index);

        if (!found)
                return;
        close(found->fd);
        *found = (Kept) {};
}

static int keep_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int fd) {
        Kept *found;

        drop_fd(host, unit, what, index);
        found = find_kept("", 0);
        assert_not_null(found);
        *found = (Kept) { .index = index, .fd = dup(fd) };
        snprintf(found->what, sizeof(found->what), "%s", what);
        return 0;
}

static int accept_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int listening) {
        int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

        return fd < 0 ? -errno : keep_fd(host, unit, what, index, fd) < 0 ? -ENOSPC : fd;
}

static int take_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index) {
        const Kept *found = find_kept(what, index);

        return found ? dup(found->fd) : -ENOENT;
}

static void settle_fds(UnitHost *host) {
}

static int watch_fd(UnitHost *host, Unit *unit, uint32_t index, int fd, uint32_t events) {
        is_watched = true;
        return 0;
}

static void unwatch_fd(UnitHost *host, Unit *unit, uint32_t index) {
        is_watched = false;
}

static bool host_has_job(UnitHost *host, const Unit *unit) {
        return has_job;
}

/* Every instance exists. */
static int load(void *userdata, Unit *unit) {
        unit->load_state = UNIT_LOADED;
        return 0;
}

static bool may_exist_now(void *userdata, const Unit *unit) {
        return true;
}

static void free_settings(void *settings) {
        socket_settings_deinit(settings);
        free(settings);
}

static Fixture begin_for(const char *triggered) {
        static const UnitLoaderOps loader = { .load = load, .may_exist_now = may_exist_now };
        static UnitHostOps ops;
        Fixture f = { .world = double_world_new(), .root = "/tmp/jobd-test-socket.XXXXXX" };
        SocketListen listen = { .kind = SOCKET_LISTEN_STREAM };

        assert_not_null(mkdtemp(f.root));
        snprintf(f.path, sizeof(f.path), "%s/s", f.root);
        ops = *f.world->host.ops;
        ops.keep_fd = keep_fd;
        ops.accept_fd = accept_fd;
        ops.drop_fd = drop_fd;
        ops.take_fd = take_fd;
        ops.settle_fds = settle_fds;
        ops.watch_fd = watch_fd;
        ops.unwatch_fd = unwatch_fd;
        ops.has_job = host_has_job;
        f.world->host.ops = &ops;
        unit_table_set_type(f.world->table, &socket_vtable);
        unit_table_set_type(f.world->table, &service_vtable);
        unit_table_set_loader(f.world->table, &loader, NULL);
        f.socket = double_unit(f.world, "a.socket", UNIT_INACTIVE);
        f.service = double_unit(f.world, triggered, UNIT_INACTIVE);
        double_relate(f.world, "a.socket", UNIT_TRIGGERS, triggered);
        f.settings = calloc(1, sizeof(*f.settings));
        assert_not_null(f.settings);
        socket_settings_init(f.settings);
        listen.address = strdup(f.path);
        cr_assert(eq(int, vector_push(&f.settings->listen, listen), 0));
        f.socket->type_settings = f.settings;
        f.socket->type_settings_free = free_settings;
        return f;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw) {
        return remove(path);
}

static void end(Fixture *f) {
        while (f->n_clients > 0)
                close(f->clients[--f->n_clients]);
        double_world_free(f->world);
        for (size_t i = 0; i < KEPT_MAX; i++)
                if (kept[i].what[0] != '\0')
                        close(kept[i].fd);
        nftw(f->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define FIXTURE(f) cleanup_(end) Fixture f = begin_for("a.service")
#define FLOW_FIXTURE(f) cleanup_(end) Fixture f = begin_for("a.flow")

/* Restores the socket from its record, like the next core. */
static void renew(Fixture *f) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RecordReader reader;

        socket_vtable.record(f->socket, &writer);
        cr_assert(not(writer.has_failed));
        socket_vtable.deinit(f->socket);
        cr_assert(eq(int, socket_vtable.init(f->socket), 0));
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, socket_vtable.restore(f->socket, &reader), 0));
        cr_assert(record_is_at_end(&reader));
        is_watched = false;
        socket_vtable.resume(f->socket);
}

static void step(Fixture *f) {
        if (getenv("WORLD_RENEWS"))
                renew(f);
}

static UnitAnswer start(Fixture *f) {
        UnitAnswer answer = unit_start(f->socket);

        step(f);
        return answer;
}

static void stop(Fixture *f) {
        unit_stop(f->socket);
        step(f);
}

static void command(Fixture *f, SocketExec kind, const char *path) {
        ExecCommand *made = calloc(1, sizeof(*made));

        assert_not_null(made);
        made->path = strdup(path);
        cr_assert(eq(int, strv_push(&made->argv, path), 0));
        f->settings->commands[kind] = made;
}

/* Runs the requested command, which ends with that status. */
static void run(Fixture *f, const char *path, int code, int status) {
        cleanup_(exec_request_deinit) ExecRequest request = {};
        const ExecResult result = { .pid = PID, .uid = (uid_t) -1, .gid = (gid_t) -1 };

        cr_assert(eq(int, socket_vtable.prepare_spawn(f->socket, UNIT_PURPOSE_CONTROL, &request), 0));
        assert_string(request.path, path);
        socket_vtable.spawned(f->socket, UNIT_PURPOSE_CONTROL, PID, &result);
        step(f);
        socket_vtable.child_exited(f->socket, &(UnitExit) { .pid = PID, .code = code, .status = status });
        step(f);
}

static bool join(Fixture *f) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

        cr_assert(fd >= 0);
        f->clients[f->n_clients++] = fd;
        snprintf(address.sun_path, sizeof(address.sun_path), "%s", f->path);
        return connect(fd, (const struct sockaddr *) &address, sizeof(address)) == 0;
}

/* Connects a client, and reports the ready socket like the loop. */
static void visit(Fixture *f) {
        cr_assert(join(f) && is_watched);
        socket_vtable.fd_ready(f->socket, 0, EPOLLIN);
        step(f);
}

static bool is_dropped(const Fixture *f, size_t client) {
        char byte;

        return recv(f->clients[client], &byte, 1, 0) == 0;
}

static void service_is(Fixture *f, ServiceState state, UnitActiveState active) {
        service_of(f->service)->state = state;
        unit_publish(f->service, active, 0);
        socket_vtable.triggered_changed(f->socket, f->service);
        step(f);
}

#define assert_sub_state(f, state) assert_string(unit_sub_state((f).socket), state)

Test(socket, listens_from_start_to_stop) {
        FIXTURE(f);

        cr_assert(eq(int, (int) start(&f), UNIT_UNDER_WAY));
        assert_sub_state(f, "listening");
        cr_assert(is_watched && find_kept("listen", 0) != NULL);
        cr_assert(join(&f));
        stop(&f);
        assert_sub_state(f, "dead");
        cr_assert(find_kept("listen", 0) == NULL && !is_watched);
        cr_assert(not(join(&f)));
}

Test(socket, its_file_stays_unless_it_is_to_go) {
        FIXTURE(f);

        f.settings->remove_on_stop = true;
        start(&f);
        cr_assert(eq(int, access(f.path, F_OK), 0));
        stop(&f);
        cr_assert(eq(int, access(f.path, F_OK), -1));
}

Test(socket, the_first_visitor_starts_the_service_which_has_it_then) {
        FIXTURE(f);

        start(&f);
        double_calls_clear(f.world);
        visit(&f);
        assert_string(double_calls(f.world), REQUEST);
        assert_sub_state(f, "running");
        cr_assert(not(is_watched));
        service_is(&f, SERVICE_STATE_RUNNING, UNIT_ACTIVE);
        assert_sub_state(f, "running");
        service_is(&f, SERVICE_STATE_DEAD, UNIT_INACTIVE);
        assert_sub_state(f, "listening");
        cr_assert(is_watched);
}

Test(socket, a_service_that_is_about_to_start_is_not_asked_for_again) {
        FIXTURE(f);

        start(&f);
        double_calls_clear(f.world);
        has_job = true;
        visit(&f);
        assert_string(double_calls(f.world), "");
        assert_sub_state(f, "running");
}

Test(socket, is_not_started_beside_its_service) {
        FIXTURE(f);

        double_unit_state(f.service, UNIT_ACTIVE, 0);
        cr_assert(eq(int, (int) start(&f), UNIT_OPERATION_FAILED));
        assert_sub_state(f, "dead");
}

Test(socket, visitors_of_a_flow_ring_and_are_sent_away) {
        FLOW_FIXTURE(f);

        double_unit_state(f.service, UNIT_ACTIVE, 0);
        start(&f);
        double_calls_clear(f.world);
        visit(&f);
        assert_string(double_calls(f.world), "trigger a.flow by event a.socket");
        assert_sub_state(f, "listening");
        cr_assert(is_watched);
        cr_assert(is_dropped(&f, 0));
        visit(&f);
        assert_string(double_calls(f.world), "trigger a.flow by event a.socket, trigger a.flow by event a.socket");
}

Test(socket, too_many_visitors_end_it) {
        FIXTURE(f);

        f.settings->trigger_limit_interval = USEC_PER_SEC;
        f.settings->trigger_limit_burst = 2;
        start(&f);
        for (int i = 0; i < 3; i++) {
                visit(&f);
                if (i < 2)
                        service_is(&f, SERVICE_STATE_DEAD, UNIT_INACTIVE);
        }
        assert_sub_state(f, "failed");
        cr_assert(eq(int, (int) socket_of(f.socket)->result, SOCKET_RESULT_TRIGGER_LIMIT_HIT));
        cr_assert(not(is_watched));
}

Test(socket, a_service_that_is_started_too_often_ends_it) {
        FIXTURE(f);

        start(&f);
        visit(&f);
        service_of(f.service)->start_limit_hit = true;
        service_is(&f, SERVICE_STATE_FAILED, UNIT_FAILED);
        assert_sub_state(f, "failed");
        cr_assert(eq(int, (int) socket_of(f.socket)->result, SOCKET_RESULT_SERVICE_START_LIMIT_HIT));
}

Test(socket, a_job_that_is_refused_ends_it) {
        cleanup_(failure_deinit) Failure failure = {};
        FIXTURE(f);

        start(&f);
        visit(&f);
        failure_set(&failure, -EBUSY, "Busy", "no");
        socket_vtable.trigger_refused(f.socket, f.service, &failure);
        assert_sub_state(f, "failed");
}

Test(socket, looks_away_while_there_is_too_much) {
        FIXTURE(f);

        f.settings->poll_limit_interval = USEC_PER_SEC;
        f.settings->poll_limit_burst = 1;
        start(&f);
        visit(&f);
        service_is(&f, SERVICE_STATE_DEAD, UNIT_INACTIVE);
        visit(&f);
        assert_sub_state(f, "listening");
        cr_assert(not(is_watched));
        double_world_advance(f.world, USEC_PER_SEC);
        cr_assert(is_watched);
}

Test(socket, its_commands_run_in_order) {
        FIXTURE(f);

        command(&f, SOCKET_EXEC_START_PRE, "/bin/pre");
        command(&f, SOCKET_EXEC_START_POST, "/bin/post");
        command(&f, SOCKET_EXEC_STOP_PRE, "/bin/stop-pre");
        command(&f, SOCKET_EXEC_STOP_POST, "/bin/stop-post");
        start(&f);
        assert_sub_state(f, "start-pre");
        cr_assert(not(join(&f)));
        run(&f, "/bin/pre", CLD_EXITED, 0);
        assert_sub_state(f, "start-post");
        cr_assert(join(&f) && !is_watched);
        run(&f, "/bin/post", CLD_EXITED, 0);
        assert_sub_state(f, "listening");
        stop(&f);
        cr_assert(join(&f));
        run(&f, "/bin/stop-pre", CLD_EXITED, 0);
        assert_sub_state(f, "stop-post");
        cr_assert(not(join(&f)));
        run(&f, "/bin/stop-post", CLD_EXITED, 0);
        assert_sub_state(f, "dead");
}

Test(socket, a_command_that_fails_ends_it) {
        FIXTURE(f);

        command(&f, SOCKET_EXEC_START_PRE, "/bin/pre");
        start(&f);
        run(&f, "/bin/pre", CLD_EXITED, 1);
        assert_sub_state(f, "failed");
        cr_assert(eq(int, (int) socket_of(f.socket)->result, SOCKET_RESULT_EXIT_CODE));
        cr_assert(eq(sz, socket_of(f.socket)->ports.n, 0));
}

Test(socket, a_command_that_takes_too_long_is_killed) {
        FIXTURE(f);

        f.settings->timeout = 5 * USEC_PER_SEC;
        command(&f, SOCKET_EXEC_START_PRE, "/bin/pre");
        start(&f);
        socket_vtable.spawned(f.socket, UNIT_PURPOSE_CONTROL, PID, &(ExecResult) { .pid = PID });
        double_calls_clear(f.world);
        socket_vtable.timer_elapsed(f.socket, UNIT_PURPOSE_STATE_LIMIT);
        step(&f);
        assert_sub_state(f, "final-sigterm");
        cr_assert(strstr(double_calls(f.world), "kill group 5000001 15 a.socket") != NULL);
        socket_vtable.child_exited(f.socket, &(UnitExit) { .pid = PID, .code = CLD_KILLED, .status = SIGTERM });
        assert_sub_state(f, "failed");
        cr_assert(eq(int, (int) socket_of(f.socket)->result, SOCKET_RESULT_TIMEOUT));
}

/* — a service for each connection — */

static void accept_each(Fixture *f) {
        f->settings->accept = true;
        start(f);
        double_calls_clear(f->world);
}

static Unit *instance(const Fixture *f, size_t i) {
        return unit_table_find(f->world->table, socket_of(f->socket)->connections.items[i].service);
}

Test(socket, each_connection_has_a_service_of_its_own) {
        FIXTURE(f);

        accept_each(&f);
        visit(&f);
        visit(&f);
        assert_sub_state(f, "listening");
        cr_assert(eq(sz, socket_of(f.socket)->connections.n, 2));
        cr_assert(instance(&f, 0) != NULL && instance(&f, 0) != instance(&f, 1));
        cr_assert(unit_has_relation(instance(&f, 0), UNIT_TRIGGERED_BY, f.socket));
        cr_assert(find_kept("connection", 0) != NULL && find_kept("connection", 1) != NULL);
        unit_publish(instance(&f, 0), UNIT_ACTIVATING, 0);
        unit_publish(instance(&f, 0), UNIT_INACTIVE, 0);
        socket_vtable.triggered_changed(f.socket, instance(&f, 0));
        cr_assert(eq(sz, socket_of(f.socket)->connections.n, 1));
        cr_assert(is_dropped(&f, 0) && find_kept("connection", 0) == NULL);
}

Test(socket, more_connections_than_there_may_be_are_dropped) {
        FIXTURE(f);

        f.settings->max_connections = 1;
        accept_each(&f);
        visit(&f);
        visit(&f);
        cr_assert(eq(sz, socket_of(f.socket)->connections.n, 1));
        cr_assert(eq(u32, socket_of(f.socket)->n_refused, 1));
        cr_assert(is_dropped(&f, 1));
}

/* Without the message, the reason why all are dropped would not be known. */
Test(socket, a_name_that_leaves_no_room_for_an_instance_is_a_failure) {
        char name[256];
        FIXTURE(f);

        memset(name, 'x', 240);
        strcpy(name + 240, ".socket");
        f.socket->type_settings = NULL;
        f.socket = double_unit(f.world, name, UNIT_INACTIVE);
        f.socket->type_settings = f.settings;
        f.socket->type_settings_free = free_settings;
        accept_each(&f);
        visit(&f);
        assert_sub_state(f, "failed");
        cr_assert(eq(int, (int) socket_of(f.socket)->result, SOCKET_RESULT_RESOURCES));
        cr_assert(strstr(socket_of(f.socket)->failure, "is too long") != NULL, "%s", socket_of(f.socket)->failure);
        cr_assert(is_dropped(&f, 0));
}

Test(socket, connections_outlive_a_stop) {
        FIXTURE(f);

        accept_each(&f);
        visit(&f);
        stop(&f);
        assert_sub_state(f, "dead");
        cr_assert(eq(sz, socket_of(f.socket)->connections.n, 1));
        cr_assert(not(is_dropped(&f, 0)));
}

/* — the next core — */

Test(socket, what_was_accepted_and_not_written_down_is_found) {
        cleanup_(record_writer_deinit) RecordWriter before = {};
        RecordReader reader;
        FIXTURE(f);

        accept_each(&f);
        socket_vtable.record(f.socket, &before);
        visit(&f);
        socket_vtable.deinit(f.socket);
        socket_vtable.init(f.socket);
        record_reader_init(&reader, before.bytes, before.n);
        cr_assert(eq(int, socket_vtable.restore(f.socket, &reader), 0));
        socket_vtable.resume(f.socket);
        cr_assert(eq(sz, socket_of(f.socket)->connections.n, 1));
        cr_assert(not(is_dropped(&f, 0)));
}

Test(socket, a_record_that_is_cut_off_changes_nothing) {
        cleanup_(record_writer_deinit) RecordWriter whole = {};
        FIXTURE(f);

        accept_each(&f);
        visit(&f);
        socket_vtable.record(f.socket, &whole);
        for (size_t n = 0; n < whole.n; n++) {
                RecordReader reader;

                record_reader_init(&reader, whole.bytes, n);
                cr_assert(eq(int, socket_vtable.restore(f.socket, &reader), -EBADMSG), "%zu bytes", n);
                assert_sub_state(f, "listening");
                cr_assert(eq(sz, socket_of(f.socket)->connections.n, 1));
        }
}

Test(socket, a_command_that_runs_as_we_do_does_not_change_whom_it_runs_as) {
        FIXTURE(f);

        command(&f, SOCKET_EXEC_START_PRE, "/bin/pre");
        command(&f, SOCKET_EXEC_START_POST, "/bin/post");
        start(&f);
        socket_vtable.spawned(f.socket, UNIT_PURPOSE_CONTROL, PID,
                              &(ExecResult) { .pid = PID, .uid = 4711, .gid = 4711 });
        socket_vtable.child_exited(f.socket, &(UnitExit) { .pid = PID, .code = CLD_EXITED });
        step(&f);
        run(&f, "/bin/post", CLD_EXITED, 0);
        assert_sub_state(f, "listening");
        cr_assert(eq(u32, socket_of(f.socket)->uid, 4711));
        cr_assert(eq(u32, socket_of(f.socket)->gid, 4711));
        stop(&f);
        cr_assert(eq(u32, socket_of(f.socket)->uid, (uid_t) -1), "the run is over");
}
