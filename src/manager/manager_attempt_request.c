/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The request for a process of an attempt
 *
 * Whatever can fail fails before the process is made, with a sentence: the
 * attempt ends by it, and its node says why.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/fd_write.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_credentials.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_attempt_request.h"
#include "manager/manager_control.h"
#include "manager/manager_run_folder.h"
#include "run/run_page.h"
#include "types/exec_context.h"
#include "types/exec_sandbox.h"
#include "types/unit_process.h"

struct ManagerAttemptRequest {
        const ManagerAttemptBasis *basis; /* borrowed */
        char **argv; /* owned: words with values of the run; NULL: they have none */
        char *input, *run_folder; /* owned: paths; NULL: not known yet, or there is none */
        char *text; /* owned: the input, which the process writes; NULL: the manager does */
        bool makes_folder; /* the manager does, as a process has failed to */
        bool has_lost_folder; /* the process that was to make it died before that */
        int answer, answer_in; /* owned: the ends of a pipe; .answer alone: a file in memory; -1 */
        int payload; /* owned: a file in memory with the data of an element; -1: none */
};

int manager_attempt_request_new(ManagerAttemptRequest **ret_request, const ManagerAttemptBasis *basis) {
        ManagerAttemptRequest *request = calloc(1, sizeof(*request));

        if (!request)
                return -ENOMEM;
        request->basis = basis;
        request->answer = request->answer_in = request->payload = -1;
        *ret_request = request;
        return 0;
}

ManagerAttemptRequest *manager_attempt_request_free(ManagerAttemptRequest *request) {
        if (!request)
                return NULL;
        fd_close(request->answer);
        fd_close(request->answer_in);
        fd_close(request->payload);
        strv_free(request->argv);
        free(request->input);
        free(request->text);
        free(request->run_folder);
        free(request);
        return NULL;
}

/* — words — */

static bool has_values(const ExecCommand *command) {
        strv_foreach(word, command->argv)
                if (strstr(*word, "%{"))
                        return true;
        return false;
}

static int make_script_words(ManagerAttemptRequest *request, const ExecCommand *command, ExecRequest *exec) {
        char *path;
        int r = strv_copy(command->argv, &request->argv);

        if (r == 0)
                r = text_join_path(request->basis->folder, "script", &path);
        if (r == 0)
                r = strv_consume(&request->argv, path);
        exec->argv = request->argv;
        return r;
}

/* The words of @command, with the values that they name. */
static int make_words(ManagerAttemptRequest *request, const ExecCommand *command, ExecRequest *exec,
                      ExecResult *result) {
        const ManagerAttemptsHost *host = request->basis->host;
        cleanup_free_ char *problem = NULL;
        int r;

        request->argv = strv_free(request->argv);
        if (manager_attempt_command_runs_script(request->basis->command))
                return make_script_words(request, command, exec);
        exec->argv = command->argv;
        if (!has_values(command))
                return 0;
        r = host->ops->substitute(host->userdata, &request->basis->state->key, command, &request->argv, &problem);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "%s=: %s", exec->label,
                                problem ? problem : strerror(-r));
        exec->argv = request->argv;
        return r;
}

/* — environment — */

static int set_element(const ManagerAttemptRequest *request, char ***environment) {
        const ManagerAttemptState *state = request->basis->state;
        const ManagerAttemptsHost *host = request->basis->host;
        RunStreamBegin element;
        int r = unit_process_add_variable(environment, "JOBD_STREAM=%s", request->basis->unit->id);

        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_SEQUENCE=%" PRIu64, state->item);
        if (r < 0 || host->ops->element_of(host->userdata, &state->key, state->item, &element) < 0)
                return r;
        r = unit_process_add_variable(environment, "JOBD_GROUP=%s", element.group);
        if (r == 0 && element.key)
                r = unit_process_add_variable(environment, "JOBD_KEY=%s", element.key);
        return r;
}

/* The command ExecPrepare= has no item, one that reads items a cursor; a worker has many, and reads them. */
static int set_item(const ManagerAttemptRequest *request, const char *node, char ***environment) {
        const ManagerAttemptState *state = request->basis->state;
        int r = 0;

        if (state->key.number == MANAGER_ITEM_PREPARE)
                return 0;
        if (manager_attempt_state_is_page(state))
                return unit_process_add_variable(environment, "JOBD_CURSOR=%s", state->item_text ?: "");
        if (state->is_worker)
                return unit_process_add_variable(environment, "JOBD_WORKER=%" PRIu32, state->key.number);
        if (state->is_element)
                r = set_element(request, environment);
        else if (state->item_text)
                r = unit_process_add_variable(environment, "JOBD_ITEM=%s", state->item_text);
        else
                r = unit_process_add_variable(environment, "JOBD_ITEM=%" PRIu64, state->item);
        if (r == 0 && !state->is_element)
                r = unit_process_add_variable(environment, "JOBD_INDEX=%" PRIu64, state->item);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_ATTEMPT=%" PRIu32, state->item_tries + 1);
        /* Equal for all tries of an item. */
        return r < 0 ? r
                     : unit_process_add_variable(environment, "JOBD_ATTEMPT_KEY=%" PRIu32 "/%s/%" PRIu64,
                                                 state->key.run, node, state->item);
}

static int set_key(const ManagerAttemptRequest *request, char ***environment) {
        const ManagerAttemptsHost *host = request->basis->host;
        const ManagerAttemptCommand *command = request->basis->command;
        const RunAttemptKey *key = &request->basis->state->key;
        const char *node = manager_attempt_command_node_name(command);
        const char *token = host->ops->token_of(host->userdata, key);
        int r;

        r = unit_process_add_variable(environment, "JOBD_UNIT=%s", request->basis->unit->id);
        if (r == 0 && token)
                r = unit_process_add_variable(environment, "JOBD_TOKEN=%s", token);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_RUN=%" PRIu32, key->run);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_NODE=%s", node);
        if (request->basis->state->is_question)
                return r < 0 ? r
                             : unit_process_add_variable(environment, "JOBD_POLICY=%s",
                                                         manager_attempt_command_node(command)->policy);
        if (request->basis->state->is_item)
                return r < 0 ? r : set_item(request, node, environment);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_ATTEMPT=%" PRIu32, key->number);
        /* Equal for all tries, so that a command can tell whether it has done its work before. */
        return r < 0 ? r
                     : unit_process_add_variable(environment, "JOBD_ATTEMPT_KEY=%" PRIu32 "/%s/%" PRIu32, key->run,
                                                 node, key->generation);
}

/* The variables are those that ExecStopPost= of a service has. */
static int set_end(const ManagerAttemptState *state, char ***environment) {
        const bool is_signal = state->exit_signal >= 0;
        const char *signal = is_signal ? sigabbrev_np(state->exit_signal) : NULL;
        const char *result = state->kind != RUN_END_EXITED ? "resources"
                             : is_signal                   ? "signal"
                             : state->exit > 0             ? "exit-code"
                                                           : "success";
        int r = unit_process_add_variable(environment, "SERVICE_RESULT=%s", result);

        if (r < 0 || !state->has_end || state->kind != RUN_END_EXITED)
                return r;
        r = unit_process_add_variable(environment, "EXIT_CODE=%s", is_signal ? "killed" : "exited");
        if (r < 0)
                return r;
        return signal ? unit_process_add_variable(environment, "EXIT_STATUS=%s", signal)
                      : unit_process_add_variable(environment, "EXIT_STATUS=%i",
                                                  is_signal ? state->exit_signal : state->exit);
}

static int set_trigger(const ManagerAttemptRequest *request, char ***environment) {
        const ManagerAttemptsHost *host = request->basis->host;
        int r = 0;

        strv_foreach(variable, host->ops->environment_of(host->userdata, request->basis->state->key.run))
                if (r == 0)
                        r = strv_push(environment, *variable);
        return r;
}

static int set_environment(const ManagerAttemptRequest *request, char ***environment) {
        const ManagerAttemptsHost *host = request->basis->host;
        const ManagerAttemptState *state = request->basis->state;
        char hex[2 * sizeof(state->invocation) + 1];
        int r;

        text_write_hex(hex, state->invocation, sizeof(state->invocation));
        r = unit_process_add_variable(environment, "INVOCATION_ID=%s", hex);
        if (r == 0)
                r = set_key(request, environment);
        if (r == 0)
                r = set_trigger(request, environment);
        if (r == 0 && manager_attempt_command_is_of_end(request->basis->command))
                r = unit_process_add_variable(environment, "JOBD_RUN_RESULT=%s",
                                              run_state_to_string(host->ops->result_of(host->userdata,
                                                                                       state->key.run)));
        if (r == 0 && state->step == MANAGER_ATTEMPT_POST)
                r = set_end(state, environment);
        return r;
}

/* — folders and input — */

/* Largest input that a process writes. */
#define OWN_INPUT_MAX 4096U

/* A process that is its manager's user, and in no sandbox yet, can make its folder itself. */
static bool may_be_left(const ManagerAttemptRequest *request, const ExecRequest *exec) {
        return !request->makes_folder && !request->basis->state->is_question && !exec->user && !exec->group &&
               !exec->sandbox && !manager_attempt_command_script(request->basis->command);
}

/*
 * Leaves the folder to the process, which costs no time of the manager: 1. 0 if the input is a large one, or has large
 * results, whose files cannot be linked to a folder that is not there yet, or that the process makes anew.
 */
static int leave_folder(ManagerAttemptRequest *request, ExecRequest *exec, char **ret_problem) {
        const ManagerAttemptsHost *host = request->basis->host;
        int r;

        free(take_ptr(request->text));
        r = host->ops->input(host->userdata, &request->basis->state->key, NULL, &request->text, ret_problem);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        if (strlen(request->text) > OWN_INPUT_MAX) {
                free(take_ptr(request->text));
                return 0;
        }
        exec->own_input = request->text;
        return 1;
}

/* Fills the folder and gives it to the user of the attempt, before its first process. */
static int make_folder(ManagerAttemptRequest *request, ExecRequest *exec, ExecResult *result, bool *ret_lacks_input) {
        const ManagerAttemptsHost *host = request->basis->host;
        const RunAttemptKey *key = &request->basis->state->key;
        const char *folder = request->basis->folder, *script = manager_attempt_command_script(request->basis->command);
        cleanup_free_ char *json = NULL, *problem = NULL;
        int r = may_be_left(request, exec) ? leave_folder(request, exec, &problem) : 0;

        if (r > 0)
                return 0;
        if (r == 0)
                r = manager_attempt_folder_make(host->folder, folder);
        if (r == 0 && request->basis->state->is_question)
                r = host->ops->question(host->userdata, key, folder, &json);
        else if (r == 0)
                r = host->ops->input(host->userdata, key, folder, &json, &problem);
        if (r == -ENODATA) {
                *ret_lacks_input = true;
                exec_result_set(result, EXEC_STEP_RESOURCES, 0, "%s", problem ? problem : strerror(-r));
                return r;
        }
        if (r == 0)
                r = manager_attempt_folder_write(folder, "input", json);
        if (r == 0 && script)
                r = manager_attempt_folder_write(folder, "script", script);
        if (r == 0)
                return manager_attempt_folder_give(folder, exec, result);
        exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare %s: %s", folder, strerror(-r));
        return r;
}

/* RunDirectory=: the user of the flow owns it, whoever this attempt runs as. */
static int set_run_folder(ManagerAttemptRequest *request, ExecRequest *exec, ExecResult *result) {
        const ManagerAttemptsHost *host = request->basis->host;
        const FlowSettings *flow = manager_attempt_command_flow(request->basis->command);
        ExecRequest owner = { .is_user_manager = exec->is_user_manager };
        ExecCredentials credentials = {};
        int r = 0;

        if (!flow->run_directory || !host->run_folders)
                return 0;
        if (!request->run_folder)
                r = manager_run_folder_path(host->run_folders, request->basis->state->key.run, &request->run_folder);
        if (r == 0)
                r = unit_process_add_variable(&exec->own_environment, "JOBD_RUN_DIR=%s", request->run_folder);
        if (r < 0)
                return r;
        exec_context_fill_user(&flow->process.exec, &owner);
        r = exec_credentials_resolve(&owner, &credentials, result);
        exec->common_folder = request->run_folder;
        exec->common_uid = credentials.owner;
        exec->common_gid = credentials.owner_group;
        exec_credentials_deinit(&credentials);
        return r;
}

static int set_input(ManagerAttemptRequest *request, ExecRequest *exec, ExecResult *result, bool *ret_lacks_input) {
        const bool is_there = request->basis->state->has_begun && !request->has_lost_folder;
        int r = is_there ? 0 : make_folder(request, exec, result, ret_lacks_input);

        if (r == 0 && !request->input)
                r = text_join_path(request->basis->folder, "input", &request->input);
        if (r == 0)
                r = unit_process_add_variable(&exec->own_environment, "JOBD_INPUT=%s", request->input);
        exec->own_folder = request->basis->folder;
        return r;
}

/* A command that prints more items than a page has is refused each byte beyond. */
static int set_page(ManagerAttemptRequest *request, ExecRequest *exec) {
        if (request->answer < 0)
                request->answer = memfd_create("items", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (request->answer < 0 || ftruncate(request->answer, (off_t) RUN_PAGE_BYTES_MAX) < 0 ||
            fcntl(request->answer, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) < 0 ||
            lseek(request->answer, 0, SEEK_SET) < 0)
                return -errno;
        exec->standard_output = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = request->answer };
        if (exec->standard_error.kind == EXEC_STREAM_SAME)
                exec->standard_error.kind = EXEC_STREAM_DEFAULT;
        return 0;
}

/* The end of the manager does not wait, that of the worker does. */
static int connect_worker(ManagerAttemptRequest *request, ExecRequest *exec) {
        int ends[2];

        /* The end of the worker was let go with an earlier attempt to make its process. */
        if (request->answer_in < 0) {
                if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
                        return -errno;
                fd_close(request->answer);
                request->answer = ends[0];
                request->answer_in = ends[1];
        }
        if (fcntl(request->answer, F_SETFL, O_NONBLOCK) < 0)
                return -errno;
        exec->standard_input_fd = request->answer_in;
        exec->standard_output = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = request->answer_in };
        if (exec->standard_error.kind == EXEC_STREAM_SAME)
                exec->standard_error.kind = EXEC_STREAM_DEFAULT;
        return 0;
}

static int set_data(ManagerAttemptRequest *request, ExecRequest *exec, ExecResult *result, bool *ret_lacks_input) {
        const ManagerAttemptsHost *host = request->basis->host;
        const ManagerAttemptState *state = request->basis->state;
        const FlowInputMode mode = manager_attempt_command_data(request->basis->command)->input_mode;
        const bool has_results = mode == FLOW_INPUT_ENV;
        int r = set_input(request, exec, result, ret_lacks_input);

        if (r == 0)
                r = unit_process_add_variable(&exec->own_environment, "JOBD_RESULT=%s/result", request->basis->folder);
        if (r == 0)
                r = unit_process_add_variable(&exec->own_environment, "JOBD_CONTROL=%s/" MANAGER_CONTROL_FILE,
                                              request->basis->folder);
        if (r == 0 && (has_results || manager_attempt_command_script(request->basis->command)))
                r = host->ops->variables(host->userdata, &state->key, has_results, &exec->own_environment);
        if (r == -E2BIG)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "%s have more than 64 KiB; use InputMode=file",
                                has_results ? "InputMode=env: parameters and results" : "Script=: parameters");
        if (mode == FLOW_INPUT_STDIN && state->step == MANAGER_ATTEMPT_MAIN)
                exec->standard_input_file = request->input;
        if (r == 0 && manager_attempt_state_is_page(state))
                r = set_page(request, exec);
        else if (r == 0 && state->is_worker && state->step == MANAGER_ATTEMPT_MAIN)
                r = connect_worker(request, exec);
        return r;
}

/* The command reads the question and writes its answer, which has to fit into the pipe; its errors go to the log. */
static int set_streams(ManagerAttemptRequest *request, ExecRequest *exec) {
        int ends[2];

        if (request->answer < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
                return -errno;
        if (request->answer < 0) {
                request->answer = ends[0];
                request->answer_in = ends[1];
        }
        /* The end of the manager does not wait, that of the command does. */
        if (fcntl(request->answer_in, F_SETFL, 0) < 0)
                return -errno;
        exec->standard_input_file = request->input;
        exec->standard_output = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = request->answer_in };
        if (exec->standard_error.kind == EXEC_STREAM_SAME)
                exec->standard_error.kind = EXEC_STREAM_DEFAULT;
        return 0;
}

/* A file in memory, whose reader is never behind, and which no process can change. */
static int make_payload(const RunStreamBegin *element, int *ret_fd) {
        cleanup_fd_ int fd = memfd_create("element", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        int r = fd < 0 ? -errno : 0;

        if (r == 0 && element->size > 0)
                r = fd_write_all(fd, element->data, element->size);
        if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
                r = -errno;
        if (r == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
                r = -errno;
        if (r == 0)
                *ret_fd = fd_take(&fd);
        return r;
}

/* The command of an element reads its data from standard input. */
static int set_payload(ManagerAttemptRequest *request, ExecRequest *exec, ExecResult *result) {
        const ManagerAttemptsHost *host = request->basis->host;
        const ManagerAttemptState *state = request->basis->state;
        RunStreamBegin element;
        int r;

        if (!state->is_element || state->step != MANAGER_ATTEMPT_MAIN)
                return 0;
        request->payload = fd_close(request->payload);
        if (host->ops->element_of(host->userdata, &state->key, state->item, &element) < 0)
                return -EAGAIN;
        r = make_payload(&element, &request->payload);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "the data of the element cannot be given: %s",
                                strerror(-r));
        else
                exec->standard_input_fd = request->payload;
        return r;
}

static int set_question(ManagerAttemptRequest *request, ExecRequest *exec, ExecResult *result, bool *ret_lacks_input) {
        int r = set_input(request, exec, result, ret_lacks_input);

        return r < 0 ? r : set_streams(request, exec);
}

/* — all of it — */

int manager_attempt_request_fill(ManagerAttemptRequest *request, ExecRequest *exec, ExecResult *result,
                                 bool *ret_lacks_input) {
        const ManagerAttemptBasis *basis = request->basis;
        const ExecCommand *command = manager_attempt_command_find(basis->command);
        int r;

        *ret_lacks_input = false;
        if (!command || !command->path || !command->argv || !command->argv[0])
                return -ENOEXEC;
        exec->label = manager_attempt_command_setting(basis->command);
        exec->path = command->path;
        r = make_words(request, command, exec, result);
        if (r < 0)
                return r;
        exec_context_fill(&manager_attempt_command_process(basis->command)->exec, command, exec);
        exec->unit = basis->unit->id;
        r = exec_sandbox_share(basis->unit, exec);
        /* The sandbox that attempts share is in the record of their unit. */
        if (exec->shared)
                manager_turn_mark(basis->host->turn, basis->unit);
        if (r == 0)
                r = set_environment(request, &exec->own_environment);
        if (r < 0)
                return r;
        if (basis->state->is_question)
                return set_question(request, exec, result, ret_lacks_input);
        r = set_run_folder(request, exec, result);
        if (r == 0)
                r = set_data(request, exec, result, ret_lacks_input);
        return r < 0 ? r : set_payload(request, exec, result);
}

void manager_attempt_request_add_log(const ManagerAttemptRequest *request, ExecRequest *exec) {
        const ManagerAttemptBasis *basis = request->basis;
        char run[32], number[32], item[32], name[300], *fields[] = { run, name, number, NULL, NULL };

        snprintf(run, sizeof(run), "RUN=%" PRIu32, basis->state->key.run);
        snprintf(name, sizeof(name), "NODE=%s", manager_attempt_command_node_name(basis->command));
        snprintf(number, sizeof(number), "ATTEMPT=%" PRIu32, basis->state->key.number);
        snprintf(item, sizeof(item), basis->state->is_worker ? "WORKER=%" PRIu64 : "ITEM=%" PRIu64,
                 basis->state->is_worker ? (uint64_t) basis->state->key.number : basis->state->item);
        /* The command ExecPrepare= has no item. */
        if (basis->state->is_item && basis->state->key.number != MANAGER_ITEM_PREPARE &&
            !manager_attempt_state_is_page(basis->state))
                fields[3] = item;
        manager_log_prepare_attempt(*basis->host->log,
                                    &(ManagerLogAttempt) {
                                            .unit = basis->unit->id,
                                            .invocation = basis->state->invocation,
                                            .exec = &manager_attempt_command_process(basis->command)->exec,
                                            .fields = fields,
                                    },
                                    exec);
}

bool manager_attempt_request_has_failed(ManagerAttemptRequest *request, const ExecResult *result) {
        if (!request->text || result->step != EXEC_STEP_RUNTIME_DIRECTORY || result->error != ENOENT)
                return false;
        request->makes_folder = true;
        return true;
}

void manager_attempt_request_look_for_folder(ManagerAttemptRequest *request) {
        const char *folder = request->basis->folder;

        request->has_lost_folder = !manager_attempt_folder_has_input(folder) &&
                                   manager_attempt_folder_remove_unused(folder);
}

void manager_attempt_request_let_go(ManagerAttemptRequest *request) {
        request->has_lost_folder = false;
        request->answer_in = fd_close(request->answer_in);
        request->payload = fd_close(request->payload);
        free(take_ptr(request->text));
}

int manager_attempt_request_answer(const ManagerAttemptRequest *request) {
        return request->answer;
}

void manager_attempt_request_set_answer(ManagerAttemptRequest *request, int fd) {
        fd_close(request->answer);
        request->answer = fd;
}
