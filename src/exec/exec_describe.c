/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a child did not reach its program, in words
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "exec/exec_child.h"
#include "exec/exec_extra.h"
#include "exec/sandbox.h"

static const char *group_or_user(const ExecRequest *request) {
        return request->group ? request->group : request->user ? request->user : "the wanted groups";
}

static void describe_missing(const ExecRequest *request, int error, ExecResult *result) {
        cleanup_free_ char *folders = NULL;

        if (request->terms && request->terms->search_path)
                (void) strv_join(request->terms->search_path, ":", &folders);
        exec_result_set(result, EXEC_STEP_EXEC, error, "cannot find %s in %s", request->path,
                        folders ? folders : EXEC_DEFAULT_PATH);
}

/* execve() gives the same errno for a missing file and for a script whose interpreter is missing. */
static void describe_exec(const ExecChild *child, int error, ExecResult *result) {
        const ExecRequest *request = child->request;
        const char *path = request->path;

        if (error == ENOENT && !strchr(path, '/'))
                describe_missing(request, error, result);
        else if (error == ENOENT && !request->root_directory && !child->sandbox && access(path, F_OK) == 0)
                exec_result_set(result, EXEC_STEP_EXEC, error,
                                "cannot execute %s, which is there, but not its interpreter", path);
        else
                exec_result_set(result, EXEC_STEP_EXEC, error, "cannot execute %s", path);
}

static const char *file_of(const ExecRequest *request, ExecStep step) {
        const char *path = step == EXEC_STEP_STDOUT ? request->standard_output.path
                         : step == EXEC_STEP_STDERR ? request->standard_error.path
                         : request->tty             ? request->tty
                                                    : request->standard_input_file;

        return path ? path : "/dev/null";
}

/* .what is the file that was being read if it is a path, except for the folder of all credentials. */
static void describe_credentials(const ExecChild *child, int error, ExecResult *result) {
        const char *what = child->what;
        bool is_source = what && what[0] == '/' && what != child->extra->secret_base;

        if (is_source && error == EBADF)
                exec_result_set(result, EXEC_STEP_CREDENTIALS, error, "%s is no regular file", what);
        else
                exec_result_set(result, EXEC_STEP_CREDENTIALS, error, "cannot %s %s", is_source ? "read" : "set up",
                                what ? what : "them");
}

static void describe_what(const ExecChild *child, const char *verb, ExecResult *result) {
        const ExecRequest *request = child->request;
        const char *what = child->what                                 ? child->what
                           : child->step == EXEC_STEP_STATE_DIRECTORY   ? request->common_folder
                           : child->step == EXEC_STEP_RUNTIME_DIRECTORY ? request->own_folder
                                                                        : NULL;

        if (what)
                exec_result_set(result, child->step, child->error, "cannot %s %s", verb, what);
        else
                exec_result_set(result, child->step, child->error, "cannot be set up");
}

/* Describes failures that the step alone does not explain. */
static bool describe_circumstances(const ExecChild *child, ExecResult *result) {
        if (child->error == ECANCELED) {
                exec_result_set(result, child->step, child->error,
                                "the process was stopped by a signal before its program ran");
                return true;
        }
        if (!child->sandbox || (child->step != EXEC_STEP_NETWORK && child->step != EXEC_STEP_NAMESPACE))
                return false;
        sandbox_describe(child->sandbox, child->step, child->error, result);
        return true;
}

void exec_child_describe(const ExecChild *child, ExecResult *result) {
        const ExecRequest *request = child->request;
        ExecStep step = child->step;
        int error = child->error;

        if (describe_circumstances(child, result))
                return;
        switch (step) {
        case EXEC_STEP_STDIN:
        case EXEC_STEP_STDOUT:
        case EXEC_STEP_STDERR:
                exec_result_set(result, step, error, "cannot open %s", file_of(request, step));
                break;
        case EXEC_STEP_FDS:
                describe_what(child, "open", result);
                break;
        case EXEC_STEP_CGROUP:
                exec_result_set(result, step, error, "cannot enter it");
                break;
        case EXEC_STEP_CHROOT:
                exec_result_set(result, step, error, "cannot enter %s", request->root_directory);
                break;
        case EXEC_STEP_CHDIR:
                exec_result_set(result, step, error, "cannot enter %s", child->directory);
                break;
        case EXEC_STEP_GROUP:
                exec_result_set(result, step, error, "cannot change to %s", group_or_user(request));
                break;
        case EXEC_STEP_USER:
                exec_result_set(result, step, error, "cannot change to %s", request->user ? request->user : "the user");
                break;
        case EXEC_STEP_PAM:
                exec_result_set(result, step, child->what ? 0 : error, "%s", child->what ?: "cannot be opened");
                break;
        case EXEC_STEP_EXEC:
                describe_exec(child, error, result);
                break;
        case EXEC_STEP_CREDENTIALS:
                describe_credentials(child, error, result);
                break;
        case EXEC_STEP_NICE:
                exec_result_set(result, step, error, "cannot set it to %i", request->nice);
                break;
        case EXEC_STEP_OOM_ADJUST:
                exec_result_set(result, step, error, "cannot adjust it by %s", child->oom_score_adjust);
                break;
        case EXEC_STEP_SETSCHEDULER:
        case EXEC_STEP_CPUAFFINITY:
        case EXEC_STEP_NUMA_POLICY:
        case EXEC_STEP_IOPRIO:
        case EXEC_STEP_TIMERSLACK:
        case EXEC_STEP_PERSONALITY:
        case EXEC_STEP_RUNTIME_DIRECTORY:
        case EXEC_STEP_STATE_DIRECTORY:
        case EXEC_STEP_CACHE_DIRECTORY:
        case EXEC_STEP_LOGS_DIRECTORY:
        case EXEC_STEP_CONFIGURATION_DIRECTORY:
        case EXEC_STEP_KEYRING:
        case EXEC_STEP_LIMITS:
        case EXEC_STEP_NETWORK:
        case EXEC_STEP_NAMESPACE:
        case EXEC_STEP_CAPABILITIES:
        case EXEC_STEP_SECUREBITS:
        case EXEC_STEP_NO_NEW_PRIVILEGES:
        case EXEC_STEP_SECCOMP:
        case EXEC_STEP_APPARMOR:
        case EXEC_STEP_SELINUX:
        case EXEC_STEP_SMACK:
        case EXEC_STEP_NONE:
        case EXEC_STEP_RESOURCES:
        case EXEC_STEP_ENVIRONMENT:
        case EXEC_STEP_SIGNAL_MASK:
        case EXEC_STEP_SETSID:
        case _EXEC_STEP_MAX:
                describe_what(child, "set up", result);
                break;
        }
}
