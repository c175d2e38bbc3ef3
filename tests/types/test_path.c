/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path units, with files in a folder of the test
 */

#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/record.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/path.h"
#include "types/unit_types.h"

#define REQUEST "request start replace a.service"
#define TRIGGER "trigger a.flow by event a.path"

typedef struct Fixture {
        DoubleWorld *world;
        Unit *path, *service;
        PathSettings *settings;         /* of the path unit, without any value */
        char root[64];
} Fixture;

static void free_settings(void *settings) {
        path_settings_free(settings);
}

static Fixture begin_for(const char *triggered) {
        Fixture f = { .world = double_world_new(), .root = "/tmp/jobd-test-path.XXXXXX" };

        assert_not_null(mkdtemp(f.root));
        unit_table_set_type(f.world->table, &path_vtable);
        f.path = double_unit(f.world, "a.path", UNIT_INACTIVE);
        f.service = double_unit(f.world, triggered, UNIT_INACTIVE);
        double_relate(f.world, "a.path", UNIT_TRIGGERS, triggered);
        cr_assert(eq(int, path_settings_new(&f.settings), 0));
        f.path->type_settings = f.settings;
        f.path->type_settings_free = free_settings;
        return f;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw) {
        return remove(path);
}

static void end(Fixture *f) {
        double_world_free(f->world);
        nftw(f->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define FIXTURE(f) cleanup_(end) Fixture f = begin_for("a.service")
#define FLOW_FIXTURE(f) cleanup_(end) Fixture f = begin_for("a.flow")

static const char *name(const Fixture *f, const char *rest) {
        static char path[256];

        snprintf(path, sizeof(path), "%s/%s", f->root, rest);
        return path;
}

static void add(Fixture *f, PathKind kind, const char *rest) {
        PathValue value = { .kind = kind, .path = strdup(name(f, rest)) };

        cr_assert(eq(int, vector_push(&f->settings->values, value), 0));
}

static void start(Fixture *f) {
        cr_assert(eq(int, unit_start(f->path), UNIT_UNDER_WAY));
}

static void make_file(const Fixture *f, const char *rest) {
        int fd = open(name(f, rest), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

        cr_assert(fd >= 0);
        close(fd);
}

static void make_folder(const Fixture *f, const char *rest) {
        cr_assert(eq(int, mkdir(name(f, rest), 0755), 0));
}

/* Informs the unit of ready descriptors, like the host, until there is none. */
static void look(Fixture *f) {
        for (bool was_ready = true; was_ready;) {
                was_ready = false;
                for (uint32_t i = 0; i < path_of(f->path)->watches.n; i++) {
                        struct pollfd of_path = { .fd = path_of(f->path)->watches.items[i].fd, .events = POLLIN };

                        if (of_path.fd < 0 || poll(&of_path, 1, 0) <= 0)
                                continue;
                        was_ready = true;
                        path_vtable.fd_ready(f->path, i, POLLIN);
                }
        }
}

static void run_service(Fixture *f) {
        double_unit_state(f->service, UNIT_ACTIVE, 0);
        path_vtable.triggered_changed(f->path, f->service);
        double_unit_state(f->service, UNIT_INACTIVE, 0);
        path_vtable.triggered_changed(f->path, f->service);
}

/* Records the unit and restores it, as another core does. */
static void renew(Fixture *f) {
        RecordWriter writer = {};
        RecordReader reader;

        path_vtable.record(f->path, &writer);
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, path_vtable.restore(f->path, &reader), 0));
        cr_assert(record_is_at_end(&reader));
        record_writer_deinit(&writer);
        path_vtable.resume(f->path);
}

#define assert_sub_state(f, state) assert_string(unit_sub_state((f).path), state)

Test(path, waits_for_what_is_missing_however_deep) {
        FIXTURE(f);

        add(&f, PATH_EXISTS, "x/y/z");
        start(&f);
        assert_sub_state(f, "waiting");
        make_file(&f, "other");
        make_folder(&f, "x");
        look(&f);
        make_folder(&f, "x/y");
        look(&f);
        assert_string(double_calls(f.world), "");
        make_file(&f, "x/y/z");
        look(&f);
        assert_string(double_calls(f.world), REQUEST);
        assert_sub_state(f, "running");
}

Test(path, what_appears_all_at_once_is_seen) {
        FIXTURE(f);

        add(&f, PATH_EXISTS, "x/y/z");
        start(&f);
        make_folder(&f, "x");
        make_folder(&f, "x/y");
        make_file(&f, "x/y/z");
        look(&f);
        assert_string(double_calls(f.world), REQUEST);
}

Test(path, what_is_there_triggers_at_once_and_after_each_run) {
        FIXTURE(f);

        make_file(&f, "x");
        add(&f, PATH_EXISTS, "x");
        start(&f);
        assert_string(double_calls(f.world), REQUEST);
        run_service(&f);
        assert_string(double_calls(f.world), REQUEST ", " REQUEST);
        unlink(name(&f, "x"));
        run_service(&f);
        assert_sub_state(f, "waiting");
}

Test(path, does_not_go_round_and_round) {
        FIXTURE(f);

        make_file(&f, "x");
        add(&f, PATH_EXISTS, "x");
        f.settings->limit_burst = 3;
        start(&f);
        run_service(&f);
        run_service(&f);
        assert_sub_state(f, "running");
        run_service(&f);
        assert_sub_state(f, "failed");
        cr_assert(eq(int, path_of(f.path)->result, PATH_FAILURE_TRIGGER_LIMIT_HIT));
        path_vtable.reset_failed(f.path);
        assert_sub_state(f, "dead");
}

Test(path, limit_is_one_of_time) {
        FIXTURE(f);

        make_file(&f, "x");
        add(&f, PATH_EXISTS, "x");
        f.settings->limit_burst = 1;
        start(&f);
        for (int i = 0; i < 5; i++) {
                double_world_advance(f.world, 2 * USEC_PER_SEC);
                run_service(&f);
        }
        assert_sub_state(f, "running");
}

Test(path, patterns_match_what_comes) {
        FIXTURE(f);

        add(&f, PATH_EXISTS_GLOB, "spool/*.job");
        start(&f);
        make_folder(&f, "spool");
        look(&f);
        make_file(&f, "spool/a.txt");
        look(&f);
        assert_string(double_calls(f.world), "");
        make_file(&f, "spool/a.job");
        look(&f);
        assert_string(double_calls(f.world), REQUEST);
}

Test(path, a_folder_that_gets_something_in_it) {
        FIXTURE(f);

        f.settings->make_directory = true;
        f.settings->directory_mode = 0700;
        add(&f, PATH_DIRECTORY_NOT_EMPTY, "x/spool");
        start(&f);
        make_file(&f, "x/spool/.hidden");
        make_file(&f, "x/spool/backup~");
        look(&f);
        assert_string(double_calls(f.world), "");
        make_file(&f, "x/spool/mail");
        look(&f);
        assert_string(double_calls(f.world), REQUEST);
}

Test(path, a_change_is_a_file_that_is_closed_after_writing) {
        FIXTURE(f);
        int fd;

        make_file(&f, "x");
        add(&f, PATH_CHANGED, "x");
        start(&f);
        look(&f);
        assert_sub_state(f, "waiting");
        fd = open(name(&f, "x"), O_WRONLY | O_CLOEXEC);
        cr_assert(eq(sz, (size_t) write(fd, "1", 1), 1));
        look(&f);
        assert_string(double_calls(f.world), "");
        close(fd);
        look(&f);
        assert_string(double_calls(f.world), REQUEST);
        run_service(&f);
        assert_sub_state(f, "waiting");
}

Test(path, a_modification_is_each_write) {
        FIXTURE(f);
        int fd;

        make_file(&f, "x");
        add(&f, PATH_MODIFIED, "x");
        start(&f);
        fd = open(name(&f, "x"), O_WRONLY | O_CLOEXEC);
        cr_assert(eq(sz, (size_t) write(fd, "1", 1), 1));
        look(&f);
        assert_string(double_calls(f.world), REQUEST);
        close(fd);
}

Test(path, a_change_is_also_that_it_comes_goes_or_is_replaced) {
        FIXTURE(f);
        char from[256];

        add(&f, PATH_CHANGED, "x");
        start(&f);
        make_file(&f, "x");
        look(&f);
        assert_string(double_calls(f.world), REQUEST);
        run_service(&f);
        make_file(&f, "y");
        snprintf(from, sizeof(from), "%s", name(&f, "y"));
        cr_assert(eq(int, rename(from, name(&f, "x")), 0));
        look(&f);
        assert_string(double_calls(f.world), REQUEST ", " REQUEST);
        run_service(&f);
        unlink(name(&f, "x"));
        look(&f);
        assert_string(double_calls(f.world), REQUEST ", " REQUEST ", " REQUEST);
}

Test(path, links_are_followed) {
        FIXTURE(f);

        make_folder(&f, "real");
        cr_assert(eq(int, symlink("real", name(&f, "link")), 0));
        add(&f, PATH_EXISTS, "link/x");
        start(&f);
        make_file(&f, "real/x");
        look(&f);
        assert_string(double_calls(f.world), REQUEST);
}

Test(path, a_busy_folder_on_the_way_wakes_nobody) {
        FIXTURE(f);
        struct pollfd of_path = { .events = POLLIN };

        make_folder(&f, "x");
        add(&f, PATH_EXISTS, "x/y");
        start(&f);
        look(&f);
        make_file(&f, "noise");
        of_path.fd = path_of(f.path)->watches.items[0].fd;
        cr_assert(eq(int, poll(&of_path, 1, 0), 0));
}

Test(path, nothing_is_watched_while_its_unit_runs) {
        FIXTURE(f);

        add(&f, PATH_EXISTS, "x");
        start(&f);
        double_unit_state(f.service, UNIT_ACTIVE, 0);
        path_vtable.triggered_changed(f.path, f.service);
        assert_sub_state(f, "running");
        cr_assert(eq(int, path_of(f.path)->watches.items[0].fd, -1));
}

Test(path, goes_on_in_another_process) {
        FIXTURE(f);

        add(&f, PATH_CHANGED, "x");
        start(&f);
        close(path_of(f.path)->watches.items[0].fd);
        make_file(&f, "x");
        renew(&f);
        assert_string(double_calls(f.world), REQUEST);
        assert_sub_state(f, "running");
}

Test(path, fails_if_its_unit_cannot_be_asked_for) {
        FIXTURE(f);
        const Failure failure = { .code = -ENOENT };

        make_file(&f, "x");
        add(&f, PATH_EXISTS, "x");
        start(&f);
        path_vtable.job_refused(f.path, &failure);
        assert_sub_state(f, "failed");
}

/* A stop of both units may end the triggered one first. */
Test(path, starts_nothing_when_it_is_about_to_stop) {
        FIXTURE(f);

        make_file(&f, "x");
        add(&f, PATH_EXISTS, "x");
        start(&f);
        double_calls_clear(f.world);
        f.world->will_stop = true;
        run_service(&f);
        double_world_advance(f.world, USEC_PER_SEC);
        assert_string(double_calls(f.world), "");
        assert_sub_state(f, "running");
        f.world->will_stop = false;
        double_world_advance(f.world, USEC_PER_SEC);
        assert_string(double_calls(f.world), REQUEST);
        unit_stop(f.path);
        cr_assert(eq(u64, double_timer(f.world, f.path, UNIT_PURPOSE_ELAPSE), USEC_INFINITY));
}

/* The event was read, so nothing else would tell of the change. */
Test(path, a_change_is_not_lost_with_a_stop_that_is_canceled) {
        FIXTURE(f);

        make_file(&f, "x");
        add(&f, PATH_CHANGED, "x");
        start(&f);
        f.world->will_stop = true;
        make_file(&f, "x");
        look(&f);
        double_world_advance(f.world, USEC_PER_SEC);
        assert_string(double_calls(f.world), "");
        renew(&f);
        f.world->will_stop = false;
        double_world_advance(f.world, USEC_PER_SEC);
        assert_string(double_calls(f.world), REQUEST);
        double_calls_clear(f.world);
        run_service(&f);
        double_world_advance(f.world, USEC_PER_SEC);
        assert_string(double_calls(f.world), "");
        assert_sub_state(f, "waiting");
}

/* The unit was started otherwise, and has seen the change. */
Test(path, a_change_that_its_unit_has_seen_is_over) {
        FIXTURE(f);

        make_file(&f, "x");
        add(&f, PATH_CHANGED, "x");
        start(&f);
        f.world->will_stop = true;
        make_file(&f, "x");
        look(&f);
        f.world->will_stop = false;
        run_service(&f);
        double_world_advance(f.world, USEC_PER_SEC);
        assert_string(double_calls(f.world), "");
        assert_sub_state(f, "waiting");
}

Test(path, stops) {
        FIXTURE(f);

        add(&f, PATH_EXISTS, "x");
        start(&f);
        cr_assert(eq(int, unit_stop(f.path), UNIT_UNDER_WAY));
        assert_sub_state(f, "dead");
        cr_assert(eq(int, path_of(f.path)->watches.items[0].fd, -1));
}

/* — flows — */

/* The runs of what has triggered are there, and the flow is active, or they are over and it is inactive. */
static void set_flow(Fixture *f, UnitActiveState state) {
        f->world->runs = (UnitRuns) { .n_live = state == UNIT_ACTIVE };
        double_unit_state(f->service, state, 0);
        path_vtable.triggered_changed(f->path, f->service);
}

static void assert_triggered_at(Fixture *f, const char *calls, int line) {
        look(f);
        cr_assert(strcmp(double_calls(f->world), calls) == 0, "line %d: %s", line, double_calls(f->world));
        double_calls_clear(f->world);
}

#define assert_triggered(f, calls) assert_triggered_at(f, calls, __LINE__)

Test(path, each_change_triggers_a_flow_though_it_is_active) {
        FLOW_FIXTURE(f);

        make_file(&f, "x");
        add(&f, PATH_CHANGED, "x");
        start(&f);
        make_file(&f, "x");
        assert_triggered(&f, TRIGGER);
        set_flow(&f, UNIT_ACTIVE);
        assert_sub_state(f, "waiting");
        make_file(&f, "x");
        assert_triggered(&f, TRIGGER);
        renew(&f);
        make_file(&f, "x");
        assert_triggered(&f, TRIGGER);
        set_flow(&f, UNIT_INACTIVE);
        assert_triggered(&f, "");
}

Test(path, a_condition_that_lasts_triggers_a_flow_when_it_begins_and_when_the_flow_has_ended) {
        FLOW_FIXTURE(f);

        add(&f, PATH_EXISTS, "x");
        add(&f, PATH_DIRECTORY_NOT_EMPTY, "y");
        start(&f);
        make_file(&f, "x");
        assert_triggered(&f, TRIGGER);
        set_flow(&f, UNIT_ACTIVE);
        path_vtable.loaded(f.path);
        renew(&f);
        make_file(&f, "x");
        assert_triggered(&f, "");
        make_folder(&f, "y");
        make_file(&f, "y/z");
        assert_triggered(&f, TRIGGER);
        cr_assert(eq(int, unlink(name(&f, "x")), 0));
        assert_triggered(&f, "");
        make_file(&f, "x");
        assert_triggered(&f, TRIGGER);
        set_flow(&f, UNIT_INACTIVE);
        assert_triggered(&f, TRIGGER);
        cr_assert(eq(int, unlink(name(&f, "x")), 0));
        cr_assert(eq(int, unlink(name(&f, "y/z")), 0));
        look(&f);
        set_flow(&f, UNIT_INACTIVE);
        assert_triggered(&f, "");
        assert_sub_state(f, "waiting");
}

Test(path, a_flow_is_triggered_too_often) {
        FLOW_FIXTURE(f);

        f.settings->limit_interval = USEC_PER_SEC;
        f.settings->limit_burst = 1;
        make_file(&f, "x");
        add(&f, PATH_CHANGED, "x");
        start(&f);
        make_file(&f, "x");
        assert_triggered(&f, TRIGGER);
        make_file(&f, "x");
        assert_triggered(&f, "");
        assert_sub_state(f, "failed");
}

Test(path, a_trigger_of_a_flow_is_not_lost_with_a_stop_that_is_canceled) {
        FLOW_FIXTURE(f);

        make_file(&f, "x");
        add(&f, PATH_CHANGED, "x");
        start(&f);
        double_unit_state(f.service, UNIT_ACTIVE, 0);
        f.world->will_stop = true;
        make_file(&f, "x");
        assert_triggered(&f, "");
        double_world_advance(f.world, USEC_PER_SEC);
        assert_triggered(&f, "");
        f.world->will_stop = false;
        double_world_advance(f.world, USEC_PER_SEC);
        assert_triggered(&f, TRIGGER);
        assert_sub_state(f, "waiting");
}
