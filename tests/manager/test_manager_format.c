/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Records that an earlier version has written
 *
 * tests/data/state-5.txt is the state of a manager that had something of
 * everything, as records in hexadecimal, in format 5; so on for later ones.
 * Whatever a record has become since, it must be understood: what fails here would lose jobs, counters
 * and services at an upgrade. It is written once for each format, by
 *
 *     JOBD_WRITE_STATE=FILE tests/in-namespace test_manager_format
 *
 * and never again; see doc/decisions/0019.
 */

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "manager_world.h"
#include "types/path.h"
#include "types/service_state.h"
#include "types/socket_state.h"
#include "types/timer.h"

/* in.socket listens at the abstract name that the records have. Tests run at once, and a network has such a name once. */
static void own_network(void) {
        cr_assert(eq(int, unshare(CLONE_NEWNET), 0), "%s", strerror(errno));
}

TestSuite(manager_format, .init = own_network);

/* — the state — */

static void write_units(World *world) {
        world_write(world, "running.service", "[Service]\nExecStart=/bin/sleep 1000\n");
        world_write(world, "once.service",
                    "[Unit]\nJobTimeoutSec=infinity\n[Service]\nType=oneshot\nTimeoutStartSec=infinity\n"
                    "ExecStart=/bin/sleep 1000\n");
        world_write(world, "behind.service",
                    "[Unit]\nAfter=once.service\nRequires=once.service\n"
                    "[Service]\nExecStart=/bin/sleep 1000\n");
        world_write(world, "again.service", "[Service]\nExecStart=/bin/false\nRestart=on-failure\nRestartSec=52w\n");
        world_write(world, "failed.service", "[Service]\nExecStart=/bin/false\n");
        world_write(world, "tick.timer", "[Timer]\nOnActiveSec=52w\nUnit=idle.target\n");
        world_write(world, "in.socket", "[Socket]\nListenStream=@jobd-test-format\nService=running.service\n");
        world_write(world, "look.path", "[Path]\nPathExists=/nowhere/at/all\nUnit=idle.target\n");
        world_write(world, "on.target", "[Unit]\n");
        world_write(world, "idle.target", "[Unit]\n");
}

static bool is_restarting(World *world, const void *unit) {
        return service_of(world_load(world, unit))->state == SERVICE_STATE_AUTO_RESTART;
}

static bool is_running(World *world, const void *unit) {
        return service_of(world_load(world, unit))->main.pid > 0;
}

/* Sets values that do not occur in so short a time. */
static void set_service(World *world) {
        Unit *unit = world_load(world, "running.service");
        Service *service = service_of(unit);
        ServiceExtra *extra = service_own_extra(unit);

        service->n_restarts = 3;
        service->limit_begin = 123456;
        service->limit_count = 2;
        service->watchdog_override = 77 * USEC_PER_SEC;
        service->status_text = strdup("Serving");
        service->status_errno = 5;
        service->reload_failure = strdup("It would not");
        extra->reload_limit_begin = 654321;
        extra->reload_limit_count = 4;
        extra->bus_error = strdup("org.example.Error");
        cr_assert(eq(int, manager_pin(world->manager, unit), 0));
        manager_turn_mark(&world->manager->turn, unit);

        unit = world_load(world, "in.socket");
        socket_of(unit)->n_accepted = 9;
        socket_of(unit)->n_refused = 8;
        manager_turn_mark(&world->manager->turn, unit);
}

static void add_token(World *world) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        const JobRequest request = { .unit = "behind.service", .type = JOB_START };

        cr_assert(eq(int, manager_exec(world->manager, &request, 1, JOB_REPLACE, NULL, &plan), JOB_MANAGER_E_SUCCESS));
        cr_assert(eq(int,
                     manager_tokens_add(&world->manager->tokens, "token", 1000, 77, plan, manager_now(world->manager)),
                     0));
}

static void make_state(World *world) {
        static char *const set[] = { (char *) "NAME=value", NULL };
        cleanup_(failure_deinit) Failure failure = {};

        write_units(world);
        world_exec(world, JOB_REPLACE, "start:running.service");
        world_exec(world, JOB_REPLACE, "start:again.service");
        world_exec(world, JOB_REPLACE, "start:failed.service");
        world_exec(world, JOB_REPLACE, "start:tick.timer");
        world_exec(world, JOB_REPLACE, "start:in.socket");
        world_exec(world, JOB_REPLACE, "start:look.path");
        world_exec(world, JOB_REPLACE, "start:on.target");
        world_wait(world, world_is_active, "running.service");
        world_wait(world, is_restarting, "again.service");
        world_wait(world, world_is_failed, "failed.service");
        add_token(world);
        world_wait(world, is_running, "once.service");
        world_settle(world);
        set_service(world);
        cr_assert(eq(int, manager_change_environment(world->manager, NULL, set, &failure), 0));
        cr_assert(eq(int,
                     manager_jobs_request(&world->manager->jobs, world_load(world, "idle.target"), JOB_START,
                                          JOB_REPLACE, "because"),
                     0));
        process_table_take_exit(world->manager->processes,
                                &(UnitExit) { .pid = 4194000, .code = CLD_EXITED, .status = 3, .time = 5 });
        state_mark_all(world->manager->turn.state);
        state_commit(world->manager->turn.state);
}

/* — its records, as text — */

typedef struct Dump {
        FILE *file;
        StoreSpace space;
} Dump;

static int dump_record(void *userdata, uint32_t number, RecordReader *record) {
        const Dump *dump = userdata;

        fprintf(dump->file, "%d %u ", dump->space, number);
        for (; record->at < record->end; record->at++)
                fprintf(dump->file, "%02x", *record->at);
        fputc('\n', dump->file);
        return 0;
}

Test(manager_format, write_one) {
        const char *path = getenv("JOBD_WRITE_STATE");
        cleanup_(world_freep) World *world = path ? world_new() : NULL;
        Dump dump = { .file = path ? fopen(path, "we") : NULL };

        if (!path)
                return;
        assert_not_null(dump.file);
        make_state(world);
        for (dump.space = 0; dump.space < _STORE_SPACE_MAX; dump.space++)
                cr_assert(eq(int, store_load(state_store(world->manager->turn.state), dump.space, dump_record, &dump),
                             0));
        fclose(dump.file);
}

/* The records of a file. */
typedef struct SavedRecord {
        StoreSpace space;
        uint32_t number;
        uint8_t *bytes;
        size_t n;
} SavedRecord;

typedef struct Saved {
        SavedRecord records[256];
        size_t n;
} Saved;

static void saved_read(Saved *saved, const char *path) {
        cleanup_free_ char *line = NULL;
        FILE *file = fopen(path, "re");
        size_t size = 0;

        assert_not_null(file);
        while (getline(&line, &size, file) > 0) {
                SavedRecord *record = &saved->records[saved->n++];
                int space, behind;

                cr_assert(eq(int, sscanf(line, "%d %u %n", &space, &record->number, &behind), 2));
                record->space = (StoreSpace) space;
                record->bytes = calloc(1, strlen(line));
                for (const char *hex = line + behind; sscanf(hex, "%2hhx", &record->bytes[record->n]) == 1; hex += 2)
                        record->n++;
        }
        fclose(file);
}

static void saved_deinit(Saved *saved) {
        for (size_t i = 0; i < saved->n; i++)
                free(saved->records[i].bytes);
}

static void save(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer) {
        const Saved *saved = userdata;

        for (size_t i = 0; i < saved->n; i++) {
                const SavedRecord *record = &saved->records[i];

                /* As it stands: a record is what was put into it, and a byte below 0x80 is a number of itself. */
                for (size_t k = 0; k < record->n && record->space == space && record->number == number; k++) {
                        record_put(writer, 0);
                        writer->bytes[writer->n - 1] = record->bytes[k];
                }
        }
}

static int next(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number) {
        const Saved *saved = userdata;
        bool is_there = false;

        for (size_t i = 0; i < saved->n; i++) {
                const SavedRecord *record = &saved->records[i];

                if (record->space != space || record->number < number || (is_there && record->number > *ret_number))
                        continue;
                *ret_number = record->number;
                is_there = true;
        }
        return is_there;
}

/* A state of that version, of this boot. */
static void put_state(World *world, const char *data, unsigned version) {
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_(saved_deinit) Saved saved = {};
        cleanup_(store_closep) Store *store = NULL;
        char path[128], place[64] = "boot ";
        FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

        assert_not_null(file);
        cr_assert(eq(int, fscanf(file, "%36s", place + strlen(place)), 1));
        fclose(file);
        saved_read(&saved, data);
        snprintf(path, sizeof(path), "%s/state", world->runtime);
        unlink(path);
        cr_assert(eq(int,
                     store_open(&store, path, &(StoreFormat) { "jobd state", version, version, place },
                                &(StoreOwner) { &saved, save, next }, &failure),
                     STORE_E_OPENED),
                  "%s", failure_message(&failure));
        store_mark_all(store);
        cr_assert(eq(int, store_commit(store), 0));
}

/* The next manager finds this; no turn has passed yet. */
static World *world_of(const char *data, unsigned version) {
        World *world = world_new();

        write_units(world);
        world->manager = manager_free(world->manager);
        put_state(world, data, version);
        world_restart(world);
        return world;
}

/* — what became of it — */

static void expect_services(World *world) {
        const Unit *unit = world_load(world, "running.service");
        const Service *service = service_of(unit);
        const ServiceExtra *extra = service_extra(unit);

        cr_expect(world_is_active(world, "running.service"));
        cr_expect(eq(int, service->state, SERVICE_STATE_RUNNING));
        cr_expect(lt(int, 1, service->main.pid));
        cr_expect(eq(int, service->exec_main.pid, service->main.pid));
        cr_expect(eq(u32, service->n_restarts, 3));
        cr_expect(eq(u64, service->limit_begin, 123456));
        cr_expect(eq(u32, service->limit_count, 2));
        cr_expect(eq(u64, service->watchdog_override, 77 * USEC_PER_SEC));
        cr_expect(eq(str, service->status_text, (char *) "Serving"));
        cr_expect(eq(int, service->status_errno, 5));
        cr_expect(eq(str, service->reload_failure, (char *) "It would not"));
        cr_expect(eq(u64, extra->reload_limit_begin, 654321));
        cr_expect(eq(u32, extra->reload_limit_count, 4));
        cr_expect(eq(str, extra->bus_error, (char *) "org.example.Error"));
        cr_expect(lt(u64, 0, unit->active_enter.monotonic));
        cr_expect(eq(u64, manager_units_of(&world->manager->rows, unit)->n_pins, 1));

        service = service_of(world_load(world, "again.service"));
        cr_expect(eq(int, service->state, SERVICE_STATE_AUTO_RESTART));
        cr_expect(eq(int, service->result, SERVICE_RESULT_EXIT_CODE));
        cr_expect(manager_has_timer(world->manager, world_load(world, "again.service"), UNIT_PURPOSE_RESTART));
        service = service_of(world_load(world, "failed.service"));
        cr_expect(eq(int, service->result, SERVICE_RESULT_EXIT_CODE));
        cr_expect(eq(int, service->exec_main.status, 1));
        cr_expect(world_is_failed(world, "failed.service"));
        cr_expect(eq(int, service_of(world_load(world, "once.service"))->state, SERVICE_STATE_START));
}

static void expect_others(World *world) {
        const Timer *timer = timer_of(world_load(world, "tick.timer"));
        const Socket *socket = socket_of(world_load(world, "in.socket"));

        cr_expect(eq(int, timer->state, TIMER_WAITING));
        cr_expect(lt(u64, 364 * USEC_PER_DAY, timer->next_monotonic));
        cr_expect(lt(u64, timer->next_monotonic, USEC_INFINITY));
        cr_expect(manager_has_timer(world->manager, world_load(world, "tick.timer"), UNIT_PURPOSE_ELAPSE));
        cr_expect(eq(u32, socket->n_accepted, 9));
        cr_expect(eq(u32, socket->n_refused, 8));
        cr_expect(eq(sz, socket->ports.n, 1));
        cr_expect(eq(int, path_of(world_load(world, "look.path"))->state, PATH_WAITING));
        cr_expect(world_is_active(world, "on.target"));
        cr_expect(world_is_gone_or_inactive(world, "idle.target"));
}

/* manager_tokens_find() is not used, as it ignores an expired token. */
static const ManagerToken *find_token(const World *world, const char *name) {
        for (size_t i = 0; i < MANAGER_TOKENS_MAX; i++) {
                const ManagerToken *token = world->manager->tokens.ring[i];

                if (token && strcmp(token->name, name) == 0)
                        return token;
        }
        return NULL;
}

static void expect_jobs(World *world) {
        JobManager *jobs = manager_jobs(world->manager);
        const ManagerToken *token = find_token(world, "token");
        JobInfo once, behind;

        cr_expect(eq(sz, job_manager_count(jobs), 2));
        cr_assert(job_manager_unit_job(jobs, world_load(world, "once.service"), &once));
        cr_expect(eq(int, once.state, JOB_RUNNING));
        cr_expect(eq(int, once.type, JOB_START));
        cr_expect(lt(u64, 0, once.triggered_at));
        cr_assert(job_manager_unit_job(jobs, world_load(world, "behind.service"), &behind));
        cr_expect(eq(int, behind.state, JOB_WAITING));
        cr_expect(eq(u64, once.transaction, behind.transaction));
        assert_not_null(token);
        cr_expect(eq(u64, token->transaction, behind.transaction));
        cr_expect(eq(u64, token->request, 77));
        cr_expect(eq(u32, token->uid, 1000));
        cr_expect(eq(u32, token->anchors.items[0].id, behind.id));
        cr_expect(job_manager_find_ended(jobs, 1, &once), "jobs that have ended are still known");
}

static void expect_manager(World *world) {
        const Manager *manager = world->manager;
        UnitExit stray = {};

        cr_expect(eq(int, manager->stages.stage, MANAGER_SERVING));
        cr_expect(lt(u64, 1, state_last_commit(manager->turn.state)));
        cr_expect(strv_contains(manager->environment.all, "NAME=value"));
        cr_assert(eq(sz, manager->jobs.requests.n, 1));
        cr_expect(eq(str, manager->jobs.requests.items[0].unit, (char *) "idle.target"));
        cr_expect(eq(str, manager->jobs.requests.items[0].reason, (char *) "because"));
        cr_assert(eq(sz, world_strays(world, &stray), 1));
        cr_expect(eq(int, stray.status, 3));
}

static void expect_all(const char *path, unsigned format) {
        cleanup_(world_freep) World *world = world_of(path, format);

        expect_services(world);
        expect_others(world);
        expect_jobs(world);
        expect_manager(world);
        /* The state is written in the present format, and read again. */
        state_commit(world->manager->turn.state);
        world_restart(world);
        expect_services(world);
        expect_others(world);
        expect_jobs(world);
        expect_manager(world);
}

Test(manager_format, five_is_read) {
        expect_all(STATE_DATA "/state-5.txt", 5);
}

/* From here on records say when a process began, where they said a time shortly before. */
Test(manager_format, six_is_read) {
        expect_all(STATE_DATA "/state-6.txt", 6);
}

/* From here on there are attempts of runs. */
Test(manager_format, seven_is_read) {
        expect_all(STATE_DATA "/state-7.txt", 7);
}

/* The control, and what becomes of a downgrade. */
Test(manager_format, a_later_one_is_set_aside) {
        cleanup_(world_freep) World *world = world_of(STATE_DATA "/state-5.txt", 1000);
        char path[128];

        cr_expect(eq(sz, job_manager_count(manager_jobs(world->manager)), 0));
        cr_expect(world_is_gone_or_inactive(world, "on.target"));
        snprintf(path, sizeof(path), "%s/state.1", world->runtime);
        cr_expect(eq(int, access(path, F_OK), 0));
}
