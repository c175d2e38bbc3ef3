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

/* The file has been there for long, and a part of it is read. */
static void set_up(Fixture *fixture) {
        static const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

        *fixture = (Fixture) { .base = "/tmp/jobd-nodes-XXXXXX" };
        cr_assert(mkdtemp(fixture->base) != NULL);
        snprintf(fixture->path, sizeof(fixture->path), "%s/nodes", fixture->base);
        snprintf(fixture->next, sizeof(fixture->next), "%s/next", fixture->base);
        write_file(fixture->path, first);
        cr_assert(eq(int, utimensat(AT_FDCWD, fixture->path, old, 0), 0));
        cr_assert(eq(int, manager_run_nodes_begin(fixture->path, &fixture->nodes, &fixture->failure), 0));
        cr_assert(eq(int, manager_run_nodes_go_on(fixture->nodes, 16, &fixture->texts, &fixture->text,
                                                  &fixture->failure),
                     1));
}

static int read_rest(Fixture *fixture) {
        int r;

        do
                r = manager_run_nodes_go_on(fixture->nodes, 16, &fixture->texts, &fixture->text, &fixture->failure);
        while (r > 0);
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

Test(manager_run_nodes, one_that_is_written_meanwhile_is_refused) {
        Fixture fixture;

        set_up(&fixture);
        write_file(fixture.path, other);
        cr_assert(eq(int, read_rest(&fixture), -EINVAL));
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
