/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control lines of attempts
 *
 * S000-43a, S004-10
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "manager/manager_control.h"

TestSuite(manager_control, .timeout = 60);

typedef struct Fixture {
        ManagerControl control;
        char folder[64];
        char path[96];
        Text heard; /* "+FILE,FILE" for nodes to be added, "-…" if they are refused, "N: SENTENCE" for refused lines */
        size_t n_refused;
} Fixture;

/* Of those that come together, too; one called "bad" is refused. */
static int hear_nodes(void *userdata, char *const *files) {
        Fixture *fixture = userdata;
        const bool is_bad = strv_contains(files, "bad");

        for (size_t i = 0; files[i]; i++)
                text_addf(&fixture->heard, "%s%s", i > 0 ? "," : is_bad ? "-" : "+", files[i]);
        text_add(&fixture->heard, " ");
        return is_bad ? -EINVAL : 0;
}

static void hear_refused(void *userdata, uint64_t line, const char *sentence) {
        Fixture *fixture = userdata;

        fixture->n_refused++;
        text_addf(&fixture->heard, "%u: %s ", (unsigned) line, sentence);
}

static const ManagerControlOps ops = { .add_nodes = hear_nodes, .refuse = hear_refused };

static void set_up(Fixture *fixture) {
        *fixture = (Fixture) { .folder = "/tmp/jobd-control-XXXXXX" };
        cr_assert(mkdtemp(fixture->folder) != NULL);
        snprintf(fixture->path, sizeof(fixture->path), "%s/" MANAGER_CONTROL_FILE, fixture->folder);
        manager_control_init(&fixture->control);
}

static void tear_down(Fixture *fixture) {
        manager_control_deinit(&fixture->control);
        text_deinit(&fixture->heard);
        (void) unlink(fixture->path);
        cr_expect(eq(int, rmdir(fixture->folder), 0));
}

static void append(const Fixture *fixture, const char *bytes, size_t n) {
        cleanup_fd_ int fd = open(fixture->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

        cr_assert(fd >= 0);
        cr_assert(eq(long, write(fd, bytes, n), (long) n));
}

/* Until no line is left. */
static int look(Fixture *fixture, const char *text, bool is_over) {
        int r = 0;

        append(fixture, text, strlen(text));
        do
                r |= manager_control_read(&fixture->control, fixture->folder, is_over, &ops, fixture);
        while (r >= 0 && fixture->control.has_more);
        return r;
}

static void expect_heard(const Fixture *fixture, const char *wanted) {
        const char *heard = fixture->heard.string ? fixture->heard.string : "";

        cr_expect(strcmp(heard, wanted) == 0, "heard \"%s\", wanted \"%s\"", heard, wanted);
}

Test(manager_control, a_missing_file_says_nothing) {
        Fixture fixture;

        set_up(&fixture);
        cr_expect(eq(int, manager_control_read(&fixture.control, fixture.folder, true, &ops, &fixture), 0));
        cr_expect(fixture.control.pending == NULL);
        cr_expect(fixture.control.again == USEC_INFINITY);
        tear_down(&fixture);
}

Test(manager_control, the_last_line_of_a_word_counts) {
        Fixture fixture;

        set_up(&fixture);
        cr_expect(eq(int, look(&fixture, "progress 1/10\nstatus begins\nagain-after 30\n", false), 1));
        cr_expect(eq(u64, fixture.control.progress, 1));
        cr_expect(eq(u64, fixture.control.progress_of, 10));
        cr_expect(eq(str, fixture.control.status, (char *) "begins"));
        cr_expect(eq(u64, fixture.control.again, 30 * USEC_PER_SEC));
        cr_expect(eq(int, look(&fixture, "status  goes on \nprogress 10/10\r\npending who knows?\n", false), 1));
        cr_expect(eq(u64, fixture.control.progress, 10));
        cr_expect(eq(str, fixture.control.status, (char *) "goes on "));
        cr_expect(eq(str, fixture.control.pending, (char *) "who knows?"));
        cr_expect(eq(int, look(&fixture, "pending\nagain-after 1min 5s\n", false), 1));
        cr_expect(eq(str, fixture.control.pending, (char *) ""));
        cr_expect(eq(u64, fixture.control.again, 65 * USEC_PER_SEC));
        expect_heard(&fixture, "");
        tear_down(&fixture);
}

Test(manager_control, each_add_nodes_is_heard_once) {
        Fixture fixture;

        set_up(&fixture);
        cr_expect(eq(int, look(&fixture, "add-nodes a\nadd-nodes b\nadd-no", false), 1));
        expect_heard(&fixture, "+a,b ");
        cr_expect(eq(int, look(&fixture, "des c", false), 0));
        cr_expect(eq(int, look(&fixture, "c", true), 1));
        expect_heard(&fixture, "+a,b +cc ");
        cr_expect(eq(int, manager_control_read(&fixture.control, fixture.folder, true, &ops, &fixture), 0));
        tear_down(&fixture);
}

/* Lines between them end what comes together, and their own order stays. */
Test(manager_control, additions_that_stand_together_are_one) {
        Fixture fixture;

        set_up(&fixture);
        cr_expect(eq(int, look(&fixture,
                               "add-nodes a\n add-nodes\tb\r\nstatus x\nadd-nodes c\nadd-nodes d/e\nadd-nodes f\n",
                               false), 1));
        expect_heard(&fixture, "+a,b +c 5: 'd/e' is no name of a file beside $JOBD_CONTROL +f ");
        cr_expect(eq(u64, fixture.control.n_lines, 6));
        cr_expect(eq(str, fixture.control.status, (char *) "x"));
        tear_down(&fixture);
}

/* The one that is to blame is refused alone, once, and all others are carried out once. */
Test(manager_control, one_that_is_refused_keeps_no_other_from_being_added) {
        Fixture fixture;

        set_up(&fixture);
        cr_expect(eq(int, look(&fixture, "add-nodes a\nadd-nodes b\nadd-nodes bad\nadd-nodes c\nadd-nodes d\n", false), 1));
        expect_heard(&fixture, "-a,b,bad,c,d +a,b -bad,c,d -bad +c,d ");
        cr_expect(eq(u64, fixture.control.n_lines, 5));
        cr_expect(eq(sz, fixture.n_refused, 0));
        tear_down(&fixture);
}

/* As many as there are, in turns of a bounded number. */
Test(manager_control, many_additions_are_few_calls) {
        cleanup_(text_deinit) Text lines = {};
        Fixture fixture;
        size_t n_calls = 0, n_files = 0;

        set_up(&fixture);
        for (unsigned i = 0; i < 1000; i++)
                text_addf(&lines, "add-nodes f%u\n", i);
        cr_expect(eq(int, look(&fixture, lines.string, false), 1));
        for (const char *c = fixture.heard.string; *c; c++) {
                n_calls += *c == '+';
                n_files += *c == '+' || *c == ',';
        }
        cr_expect(eq(sz, n_files, 1000));
        cr_expect(lt(sz, n_calls, 20));
        tear_down(&fixture);
}

Test(manager_control, what_cannot_be_taken_is_said_with_its_line) {
        static const char *const lines[] = {
                "progress 3",   "progress 4/3",     "progress a/b",   "progress 1/0",  "again-after soon",
                "add-nodes",    "add-nodes ../x",   "add-nodes a/b",  "add-nodes .",   "again-after infinity",
                "hello there",  "pendingx",         "Status x",       "progress -1/3", "\xff\xfe",
        };
        Fixture fixture;

        set_up(&fixture);
        cr_expect(eq(int, look(&fixture, "\n\n", false), 1));
        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                char begin[16];

                text_deinit(&fixture.heard);
                fixture.heard = (Text) {};
                append(&fixture, lines[i], strlen(lines[i]));
                cr_expect(eq(int, look(&fixture, "\n", false), 1));
                cr_expect(eq(sz, fixture.n_refused, i + 1), "%s", lines[i]);
                snprintf(begin, sizeof(begin), "%zu: ", i + 3);
                cr_expect(text_starts_with(fixture.heard.string, begin), "%s: %s", lines[i], fixture.heard.string);
        }
        append(&fixture, "status a\0b\n", 11);
        cr_expect(eq(int, look(&fixture, "status good\n", false), 1));
        cr_expect(eq(sz, fixture.n_refused, ELEMENTSOF(lines) + 1));
        cr_expect(eq(str, fixture.control.status, (char *) "good"));
        cr_expect(eq(u64, fixture.control.progress_of, 0));
        tear_down(&fixture);
}

Test(manager_control, lines_and_files_have_a_limit) {
        cleanup_free_ char *line = malloc(MANAGER_CONTROL_LINE_BYTES + 3);
        Fixture fixture;

        set_up(&fixture);
        cr_assert(line != NULL);
        memset(line, 'x', MANAGER_CONTROL_LINE_BYTES + 2);
        memcpy(line, "status ", 7);
        line[MANAGER_CONTROL_LINE_BYTES] = '\n';
        append(&fixture, line, MANAGER_CONTROL_LINE_BYTES + 1);
        cr_expect(eq(int, look(&fixture, "", false), 1));
        cr_expect(eq(sz, fixture.n_refused, 0));
        cr_expect(eq(sz, strlen(fixture.control.status), MANAGER_CONTROL_LINE_BYTES - 7));
        line[MANAGER_CONTROL_LINE_BYTES] = 'x';
        line[MANAGER_CONTROL_LINE_BYTES + 1] = '\n';
        append(&fixture, line, MANAGER_CONTROL_LINE_BYTES + 2);
        cr_expect(eq(int, look(&fixture, "progress 1/2\n", false), 1));
        expect_heard(&fixture, "2: it has more than 4096 bytes ");
        cr_expect(eq(u64, fixture.control.progress_of, 2));
        cr_assert(eq(int, truncate(fixture.path, (off_t) MANAGER_CONTROL_BYTES), 0));
        cr_expect(eq(int, look(&fixture, "\nprogress 2/2\n", true), 1));
        cr_expect(eq(u64, fixture.control.progress, 1));
        cr_expect(eq(int, manager_control_read(&fixture.control, fixture.folder, true, &ops, &fixture), 0));
        tear_down(&fixture);
}

/* A turn of the manager stays short, whatever a command writes. */
Test(manager_control, a_call_takes_so_many_lines) {
        static const char nodes[] = "add-nodes a\nadd-nodes b\nprogress 1/1\n";
        Fixture fixture;

        set_up(&fixture);
        append(&fixture, nodes, strlen(nodes));
        cr_expect(eq(int, manager_control_read(&fixture.control, fixture.folder, false, &ops, &fixture), 1));
        expect_heard(&fixture, "+a,b ");
        cr_expect(fixture.control.has_more);
        cr_expect(eq(int, look(&fixture, "", false), 1));
        expect_heard(&fixture, "+a,b ");
        cr_expect(eq(u64, fixture.control.progress, 1));
        for (unsigned i = 0; i < 1000; i++)
                append(&fixture, "x\n", 2);
        cr_expect(eq(int, manager_control_read(&fixture.control, fixture.folder, false, &ops, &fixture), 1));
        cr_expect(fixture.control.has_more);
        cr_expect(lt(u64, fixture.control.n_lines, 500));
        cr_expect(eq(int, look(&fixture, "status end\n", true), 1));
        cr_expect(eq(u64, fixture.control.n_lines, 1004));
        cr_expect(eq(sz, fixture.n_refused, MANAGER_CONTROL_REFUSED));
        cr_expect(eq(str, fixture.control.status, (char *) "end"));
        tear_down(&fixture);
}

/* A command may put anything there: none of it is followed or waited for. */
Test(manager_control, what_is_no_file_is_not_read) {
        char *files[] = { (char *) MANAGER_CONTROL_FILE, NULL }, *lines = NULL;
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, mkfifo(fixture.path, 0600), 0));
        cr_expect(manager_control_read(&fixture.control, fixture.folder, true, &ops, &fixture) < 0);
        cr_expect(manager_control_read_nodes(fixture.folder, files, &lines) < 0);
        cr_assert(eq(int, unlink(fixture.path), 0));
        cr_assert(eq(int, symlink("/etc/passwd", fixture.path), 0));
        cr_expect(manager_control_read(&fixture.control, fixture.folder, true, &ops, &fixture) < 0);
        cr_expect(manager_control_read_nodes(fixture.folder, files, &lines) < 0);
        cr_expect(eq(sz, fixture.n_refused, 0));
        tear_down(&fixture);
}

/* — watching — */

typedef struct Watching {
        usec_t first; /* when the first is due */
        usec_t called_at; /* 0: it was not yet */
        unsigned n_calls, n_wanted;
} Watching;

static usec_t hear_due(void *userdata, usec_t now) {
        Watching *watching = userdata;

        if (watching->n_calls == 0)
                watching->called_at = now;
        watching->n_calls++;
        return watching->n_calls < watching->n_wanted ? now : USEC_INFINITY;
}

/* Until it was told so often. */
static void run_until(sd_event *event, const Watching *watching, unsigned n) {
        while (watching->n_calls < n)
                cr_assert(sd_event_run(event, 30 * USEC_PER_SEC) > 0, "nothing has come");
}

Test(manager_control, a_folder_is_watched_later_and_the_timer_goes_on_while_one_waits) {
        Watching watching = { .n_wanted = 3 };
        ManagerControlWatches watches = { .due = hear_due, .userdata = &watching };
        sd_event *event;

        cr_assert(sd_event_new(&event) >= 0);
        watching.first = clock_monotonic() + 5 * USEC_PER_MSEC;
        cr_assert(eq(int, manager_control_watch_later(&watches, event, watching.first), 0));
        cr_assert(eq(int, manager_control_watch_later(&watches, event, watching.first + USEC_PER_HOUR), 0));
        run_until(event, &watching, 3);
        cr_assert(watching.called_at >= watching.first);
        cr_assert(not(watches.is_set), "nobody waits any more");

        watching.n_wanted = 4;
        cr_assert(eq(int, manager_control_watch_later(&watches, event, clock_monotonic()), 0));
        run_until(event, &watching, 4);
        manager_control_end(&watches);
        sd_event_unref(event);
}
