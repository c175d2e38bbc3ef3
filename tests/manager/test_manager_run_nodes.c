/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NodesFile= while somebody writes it
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "manager/manager_run_nodes.h"

TestSuite(manager_run_nodes, .timeout = 60);

static const char first[] = "{\"name\":\"a\"}\n{\"name\":\"b\"}\n", other[] = "{\"name\":\"x\"}\n{\"name\":\"y\"}\n";

typedef struct Fixture {
        char base[64];
        char path[128], next[128];
        ManagerNodes *nodes;
        ManagerTexts texts;
        Failure failure;
        char *text;
} Fixture;

/* In place, as a shell does it. */
static void write_file(const char *path, const char *text) {
        FILE *file = fopen(path, "w");

        cr_assert(file != NULL);
        cr_assert(fputs(text, file) >= 0);
        cr_assert(eq(int, fclose(file), 0));
}

/* The clock of the file system may not move from one write to the next: each has a time of its own. */
static void write_at(const char *path, const char *text, time_t sec) {
        const struct timespec times[2] = { { .tv_sec = sec }, { .tv_sec = sec } };

        write_file(path, text);
        cr_assert(eq(int, utimensat(AT_FDCWD, path, times, 0), 0));
}

/* A part of the file is read. */
static void read_part(Fixture *fixture) {
        cr_assert(eq(int, manager_run_nodes_go_on(fixture->nodes, 16, &fixture->texts, &fixture->text,
                                                  &fixture->failure),
                     MANAGER_NODES_MORE));
}

/* The file has been there for long, and a part of it is read. */
static void set_up(Fixture *fixture) {
        *fixture = (Fixture) { .base = "/tmp/jobd-nodes-XXXXXX" };
        cr_assert(mkdtemp(fixture->base) != NULL);
        snprintf(fixture->path, sizeof(fixture->path), "%s/nodes", fixture->base);
        snprintf(fixture->next, sizeof(fixture->next), "%s/next", fixture->base);
        write_at(fixture->path, first, 1);
        cr_assert(eq(int, manager_run_nodes_begin(fixture->path, &fixture->nodes, &fixture->failure), 0));
        read_part(fixture);
}

static int read_rest(Fixture *fixture) {
        int r;

        do
                r = manager_run_nodes_go_on(fixture->nodes, 16, &fixture->texts, &fixture->text, &fixture->failure);
        while (r == MANAGER_NODES_MORE);
        return r;
}

static void tear_down(Fixture *fixture) {
        manager_run_nodes_free(fixture->nodes);
        failure_deinit(&fixture->failure);
        free(fixture->text);
        (void) unlink(fixture->path);
        (void) rmdir(fixture->base);
}

Test(manager_run_nodes, one_that_stays_is_read) {
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, read_rest(&fixture), 0));
        cr_assert(eq(str, fixture.text, (char *) first));
        tear_down(&fixture);
}

Test(manager_run_nodes, one_that_is_written_meanwhile_is_read_again) {
        Fixture fixture;

        set_up(&fixture);
        write_at(fixture.path, other, 2);
        cr_assert(eq(int, read_rest(&fixture), MANAGER_NODES_AGAIN));
        cr_assert(fixture.text == NULL);
        cr_assert(lt(u64, 0, manager_run_nodes_pause(fixture.nodes)));
        cr_assert(eq(int, read_rest(&fixture), 0));
        cr_assert(eq(str, fixture.text, (char *) other));
        tear_down(&fixture);
}

Test(manager_run_nodes, one_that_is_no_text_yet_is_read_again) {
        Fixture fixture;

        set_up(&fixture);
        write_at(fixture.path, "{\"name\":\"x\"}    \xff\xff\xff", 2);
        cr_assert(eq(int, read_rest(&fixture), MANAGER_NODES_AGAIN));
        write_at(fixture.path, other, 3);
        cr_assert(eq(int, read_rest(&fixture), 0));
        cr_assert(eq(str, fixture.text, (char *) other));
        tear_down(&fixture);
}

Test(manager_run_nodes, one_that_is_not_there_between_two_writes_is_read_again) {
        Fixture fixture;

        set_up(&fixture);
        write_at(fixture.path, other, 2);
        cr_assert(eq(int, read_rest(&fixture), MANAGER_NODES_AGAIN));
        cr_assert(eq(int, unlink(fixture.path), 0));
        cr_assert(eq(int, read_rest(&fixture), MANAGER_NODES_AGAIN));
        write_at(fixture.path, first, 3);
        cr_assert(eq(int, read_rest(&fixture), 0));
        cr_assert(eq(str, fixture.text, (char *) first));
        tear_down(&fixture);
}

Test(manager_run_nodes, one_that_stays_away_is_refused) {
        Fixture fixture;
        int r;

        set_up(&fixture);
        write_at(fixture.path, other, 2);
        cr_assert(eq(int, unlink(fixture.path), 0));
        /* The file that was opened first has lost its name, and has changed. */
        while ((r = read_rest(&fixture)) == MANAGER_NODES_AGAIN)
                ;
        cr_assert(eq(int, r, -EINVAL));
        cr_assert(strstr(fixture.failure.message, strerror(ENOENT)) != NULL);
        tear_down(&fixture);
}

Test(manager_run_nodes, one_that_is_written_each_time_is_refused) {
        usec_t pauses = 0, pause;
        Fixture fixture;
        int r;

        set_up(&fixture);
        write_at(fixture.path, other, 2);
        for (time_t n = 3; (r = read_rest(&fixture)) == MANAGER_NODES_AGAIN; n++) {
                cr_assert(lt(i64, n, 9), "not for ever");
                pause = manager_run_nodes_pause(fixture.nodes);
                cr_assert(lt(u64, pauses, pause), "the pauses grow");
                pauses += pause;
                read_part(&fixture);
                write_at(fixture.path, n % 2 == 0 ? other : first, n);
        }
        cr_assert(eq(int, r, -EINVAL));
        cr_assert(eq(u64, pauses, 31 * 100 * USEC_PER_MSEC), "five times in all");
        cr_assert(fixture.text == NULL);
        cr_assert(strstr(fixture.failure.message, fixture.path) != NULL);
        cr_assert(strstr(fixture.failure.message, "rename") != NULL);
        tear_down(&fixture);
}

Test(manager_run_nodes, one_that_is_replaced_meanwhile_is_read_as_it_was) {
        Fixture fixture;

        set_up(&fixture);
        write_file(fixture.next, other);
        cr_assert(eq(int, rename(fixture.next, fixture.path), 0));
        cr_assert(eq(int, read_rest(&fixture), 0));
        cr_assert(eq(str, fixture.text, (char *) first));
        tear_down(&fixture);
}
