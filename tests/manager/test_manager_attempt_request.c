/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The request for a process of an attempt: who makes its folder
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "file_world.h"
#include "exec/exec.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_attempt_request.h"

TestSuite(manager_attempt_request, .timeout = 60);

typedef struct Fixture {
        FileWorld *world;
        FlowDefinition *definition;
        char base[64], folder[128], large[128];
        bool has_large; /* a parent has left a large result */
        ManagerAttemptState state;
        ManagerAttemptsHost host;
        Unit unit;
        ManagerAttemptBasis basis;
        ManagerAttemptCommand *command;
        ManagerAttemptRequest *request;
        ExecRequest exec;
        ExecResult result;
} Fixture;

static const char *token_of(void *userdata, const RunAttemptKey *key) {
        return NULL;
}

static char *const *environment_of(void *userdata, uint32_t run) {
        return NULL;
}

/* As manager_run_input() does it. */
static int input(void *userdata, const RunAttemptKey *key, const char *folder, char **ret_json, char **ret_problem) {
        const Fixture *fixture = userdata;
        char path[256];

        if (fixture->has_large && !folder)
                return -ENOENT;
        if (fixture->has_large) {
                snprintf(path, sizeof(path), "%s/large", folder);
                if (link(fixture->large, path) < 0 && errno != EEXIST)
                        return -errno;
        }
        *ret_json = strdup("{}");
        return *ret_json ? 0 : -ENOMEM;
}

static const ManagerAttemptsOps ops = { .token_of = token_of, .environment_of = environment_of, .input = input };

static void define(Fixture *fixture, const char *text) {
        cleanup_(failure_deinit) Failure failure = {};
        int r = flow_definition_new(&fixture->definition, fixture->world->loader, "x.flow", text, NULL, &failure);

        cr_assert(eq(int, r, 0), "%s", failure_message(&failure));
        while ((r = flow_definition_read(fixture->definition, 1, &failure)) > 0)
                ;
        cr_assert(eq(int, r, 0), "%s", failure_message(&failure));
        cr_assert(eq(int, manager_attempt_command_new(&fixture->command, &fixture->state), 0));
        manager_attempt_command_define(fixture->command, fixture->definition,
                                       flow_definition_graph(fixture->definition));
        cr_assert(eq(int, manager_attempt_command_open(fixture->command), 0));
}

static void make_large(Fixture *fixture) {
        int fd;

        snprintf(fixture->large, sizeof(fixture->large), "%s/large", fixture->base);
        fd = open(fixture->large, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        cr_assert(ge(int, fd, 0));
        close(fd);
}

/* The attempt is before its first command. */
static void set_up(Fixture *fixture, const char *text) {
        *fixture = (Fixture) { .world = file_world_new(), .base = "/tmp/jobd-attempts-XXXXXX" };
        cr_assert(mkdtemp(fixture->base) != NULL);
        cr_assert(eq(int, manager_attempt_folder_make_results(fixture->base), 0));
        snprintf(fixture->folder, sizeof(fixture->folder), "%s/attempts/run-1-0-1-1", fixture->base);
        make_large(fixture);
        manager_attempt_state_init(&fixture->state, &(RunAttemptKey) { 1, 0, 1, 1 });
        fixture->state.step = MANAGER_ATTEMPT_MAIN;
        define(fixture, text);
        fixture->host = (ManagerAttemptsHost) { .folder = fixture->base, .ops = &ops, .userdata = fixture };
        fixture->unit.id = (char *) "x.flow";
        fixture->basis = (ManagerAttemptBasis) {
                .host = &fixture->host,
                .state = &fixture->state,
                .command = fixture->command,
                .unit = &fixture->unit,
                .name = "run-1-0-1-1",
                .folder = fixture->folder,
        };
        cr_assert(eq(int, manager_attempt_request_new(&fixture->request, &fixture->basis), 0));
}

static void tear_down(Fixture *fixture) {
        char path[160];

        exec_request_deinit(&fixture->exec);
        manager_attempt_request_free(fixture->request);
        manager_attempt_command_free(fixture->command);
        flow_definition_unref(fixture->definition);
        file_world_free(fixture->world);
        manager_attempt_folder_remove(fixture->folder);
        cr_expect(eq(int, unlink(fixture->large), 0));
        snprintf(path, sizeof(path), "%s/attempts", fixture->base);
        (void) rmdir(path);
        snprintf(path, sizeof(path), "%s/results", fixture->base);
        (void) rmdir(path);
        cr_expect(eq(int, rmdir(fixture->base), 0));
}

/* Fills a request, as for each try to make the process. */
static void fill(Fixture *fixture) {
        bool lacks_input;

        exec_request_deinit(&fixture->exec);
        fixture->exec = (ExecRequest) {};
        cr_assert(eq(int, manager_attempt_request_fill(fixture->request, &fixture->exec, &fixture->result,
                                                       &lacks_input), 0), "%s", fixture->result.message);
        cr_assert(eq(str, (char *) fixture->exec.own_folder, fixture->folder));
}

static bool is_left(const Fixture *fixture) {
        return fixture->exec.own_input;
}

static bool has(const Fixture *fixture, const char *name) {
        struct stat status;
        char path[256];

        snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
        return lstat(path, &status) == 0;
}

#define FLOW "[Flow]\n[Node a]\nExec=/bin/true\n"

Test(manager_attempt_request, leaves_the_folder_to_the_first_process) {
        Fixture fixture;

        set_up(&fixture, FLOW);
        for (unsigned i = 0; i < 2; i++) {
                fill(&fixture);
                cr_expect(is_left(&fixture));
                cr_expect(not(has(&fixture, "")));
        }
        fixture.state.has_begun = true;
        fill(&fixture);
        cr_expect(not(is_left(&fixture)), "a later one finds it");
        tear_down(&fixture);
}

/* A process that has to wait is prepared again. */
Test(manager_attempt_request, makes_a_folder_with_large_results_each_time_itself) {
        Fixture fixture;

        set_up(&fixture, FLOW);
        fixture.has_large = true;
        for (unsigned i = 0; i < 3; i++) {
                fill(&fixture);
                cr_expect(not(is_left(&fixture)), "time %u", i);
                cr_expect(has(&fixture, "input"));
                cr_expect(has(&fixture, "large"));
        }
        tear_down(&fixture);
}

/* Somebody has removed what the folders of attempts are in. */
Test(manager_attempt_request, makes_the_folder_that_a_process_could_not_make) {
        ExecResult result = {};
        Fixture fixture;
        char path[160];

        set_up(&fixture, FLOW);
        fill(&fixture);
        exec_result_set(&result, EXEC_STEP_EXEC, ENOENT, "cannot execute it");
        cr_expect(not(manager_attempt_request_has_failed(fixture.request, &result)));
        exec_result_set(&result, EXEC_STEP_RUNTIME_DIRECTORY, EACCES, "cannot set it up");
        cr_expect(not(manager_attempt_request_has_failed(fixture.request, &result)));
        snprintf(path, sizeof(path), "%s/attempts", fixture.base);
        cr_assert(eq(int, rmdir(path), 0));
        exec_result_set(&result, EXEC_STEP_RUNTIME_DIRECTORY, ENOENT, "cannot set it up");
        cr_expect(manager_attempt_request_has_failed(fixture.request, &result));
        manager_attempt_request_let_go(fixture.request);
        fill(&fixture);
        cr_expect(not(is_left(&fixture)));
        cr_expect(has(&fixture, "input"));
        cr_expect(not(manager_attempt_request_has_failed(fixture.request, &result)), "once is enough");
        tear_down(&fixture);
}

/* After ExecStartPre=-… the next command runs all the same. */
Test(manager_attempt_request, gives_a_folder_to_the_process_after_one_that_died_before_it_made_it) {
        Fixture fixture;

        set_up(&fixture, FLOW);
        fill(&fixture);
        fixture.state.has_begun = true;
        manager_attempt_request_let_go(fixture.request);
        manager_attempt_request_look_for_folder(fixture.request);
        fill(&fixture);
        cr_expect(is_left(&fixture));
        manager_attempt_request_let_go(fixture.request);

        cr_assert(eq(int, manager_attempt_folder_make(fixture.base, fixture.folder), 0));
        cr_assert(eq(int, manager_attempt_folder_write(fixture.folder, "input", ""), 0));
        manager_attempt_request_look_for_folder(fixture.request);
        fill(&fixture);
        cr_expect(is_left(&fixture), "an empty input is none");
        manager_attempt_request_let_go(fixture.request);

        cr_assert(eq(int, manager_attempt_folder_make(fixture.base, fixture.folder), 0));
        cr_assert(eq(int, manager_attempt_folder_write(fixture.folder, "input", "{}"), 0));
        manager_attempt_request_look_for_folder(fixture.request);
        fill(&fixture);
        cr_expect(not(is_left(&fixture)));
        tear_down(&fixture);
}
