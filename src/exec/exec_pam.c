/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The PAM session of a process
 *
 * Much of a session belongs to the process that opens it (limits, keyring,
 * login uid), so the process that becomes the program opens it. A second
 * process stays behind as the session's owner, because modules keep the data
 * for closing it in their memory. It waits for the first one to end, ignores
 * the signals that the unit is sent in the meantime, and is the last process
 * that the unit waits for.
 *
 * The library is loaded here rather than linked, so that its modules, and the
 * name services that they use, get into no other process, especially not into
 * the manager.
 */

#include "exec/exec_pam.h"

#if HAVE_PAM

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_descriptor.h"
#include "exec/exec_environment.h"
#include "exec/exec_expand.h"
#include "unit/exec_terms.h"

#define LIBRARY "libpam.so.0"
#define OWNER_NAME "(jobd-pam)"

typedef struct Pam {
        int (*start)(const char *service, const char *user, const struct pam_conv *talk, pam_handle_t **ret_handle);
        int (*set_item)(pam_handle_t *handle, int item, const void *value);
        int (*put_variable)(pam_handle_t *handle, const char *assignment);
        int (*judge_account)(pam_handle_t *handle, int flags);
        int (*set_credentials)(pam_handle_t *handle, int flags);
        int (*open_session)(pam_handle_t *handle, int flags);
        int (*close_session)(pam_handle_t *handle, int flags);
        char **(*list_variables)(pam_handle_t *handle);
        const char *(*describe)(pam_handle_t *handle, int code);
        int (*end)(pam_handle_t *handle, int status);
} Pam;

/* The message is not freed, because the child is about to end. */
static int fail(ExecChild *child, const char *what, const char *why) {
        char *sentence = NULL;

        if (text_format(&sentence, "%s: %s", what, why) == 0)
                child->what = sentence;
        return -EACCES;
}

static int load(Pam *pam, ExecChild *child) {
        const struct {
                const char *name;
                void *place;
        } symbols[] = {
                { "pam_start", &pam->start },
                { "pam_set_item", &pam->set_item },
                { "pam_putenv", &pam->put_variable },
                { "pam_acct_mgmt", &pam->judge_account },
                { "pam_setcred", &pam->set_credentials },
                { "pam_open_session", &pam->open_session },
                { "pam_close_session", &pam->close_session },
                { "pam_getenvlist", &pam->list_variables },
                { "pam_strerror", &pam->describe },
                { "pam_end", &pam->end },
        };
        void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

        for (size_t i = 0; library && i < ELEMENTSOF(symbols); i++) {
                void *symbol = dlsym(library, symbols[i].name);

                if (!symbol)
                        return fail(child, LIBRARY " lacks", symbols[i].name);
                memcpy(symbols[i].place, &symbol, sizeof(symbol));
        }
        return library ? 0 : fail(child, "there is no PAM on this machine", dlerror());
}

/* No user is present to answer. */
static int refuse_to_talk(int n, const struct pam_message **messages, struct pam_response **responses, void *userdata) {
        return PAM_CONV_ERR;
}

static int start(const Pam *pam, ExecChild *child, pam_handle_t **ret_handle) {
        static const struct pam_conv talk = { .conv = refuse_to_talk };
        char terminal[64] = "";
        const char *tty = child->request->tty;
        int code;

        code = pam->start(child->request->terms->pam_name, child->credentials->user_name, &talk, ret_handle);
        if (code != PAM_SUCCESS) {
                *ret_handle = NULL;
                return code;
        }
        if (!tty && isatty(STDIN_FILENO) && ttyname_r(STDIN_FILENO, terminal, sizeof(terminal)) == 0)
                tty = terminal;
        if (tty)
                code = pam->set_item(*ret_handle, PAM_TTY, tty);
        for (char *const *variable = child->environment; *variable && code == PAM_SUCCESS; variable++)
                code = pam->put_variable(*ret_handle, *variable);
        return code;
}

static int open_session(const Pam *pam, ExecChild *child, pam_handle_t **ret_handle) {
        const char *what = "the session cannot be prepared";
        pam_handle_t *handle = NULL;
        int code = start(pam, child, &handle);

        if (code == PAM_SUCCESS) {
                what = "the account is refused";
                code = pam->judge_account(handle, PAM_SILENT);
        }
        if (code == PAM_SUCCESS) {
                /* Not all modules have credentials; a service that needs them will fail by itself. */
                (void) pam->set_credentials(handle, PAM_ESTABLISH_CRED | PAM_SILENT);
                what = "the session cannot be opened";
                code = pam->open_session(handle, PAM_SILENT);
                if (code != PAM_SUCCESS)
                        (void) pam->set_credentials(handle, PAM_DELETE_CRED | PAM_SILENT);
        }
        *ret_handle = handle;
        if (code == PAM_SUCCESS)
                return 0;
        fail(child, what, pam->describe(handle, code));
        if (handle)
                pam->end(handle, code | PAM_DATA_SILENT);
        return -EACCES;
}

static void close_session(const Pam *pam, pam_handle_t *handle) {
        int code;

        (void) pam->set_credentials(handle, PAM_DELETE_CRED | PAM_SILENT);
        code = pam->close_session(handle, PAM_SILENT);
        pam->end(handle, code);
}

/* — the session's owner — */

/*
 * Closes the program's descriptors, because a peer waits for the program to close them, not for the session's owner.
 * Descriptors of PAM modules stay open.
 */
static void forget_descriptors(const ExecChild *child) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
                if (null < 0 || dup2(null, fd) < 0)
                        close(fd);
        for (size_t i = 0; i < child->n_places; i++)
                if (child->places[i].target > STDERR_FILENO)
                        close(child->places[i].target);
        if (null > STDERR_FILENO)
                close(null);
}

_Noreturn static void own_session(const Pam *pam, pam_handle_t *handle, const ExecChild *child, int program) {
        struct pollfd ended = { .fd = program, .events = POLLIN };

        prctl(PR_SET_NAME, OWNER_NAME);
        forget_descriptors(child);
        while (poll(&ended, 1, -1) < 0 && errno == EINTR)
                continue;
        close_session(pam, handle);
        _exit(EXIT_SUCCESS);
}

static int leave_owner(const Pam *pam, pam_handle_t *handle, ExecChild *child) {
        int program = (int) syscall(SYS_pidfd_open, getpid(), 0);
        sigset_t all, old;
        pid_t pid;
        int error;

        if (program < 0)
                return fail(child, "its end cannot be waited for", strerror(errno));
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &old);
        pid = fork();
        error = errno;
        if (pid == 0)
                own_session(pam, handle, child, program);
        sigprocmask(SIG_SETMASK, &old, NULL);
        close(program);
        return pid < 0 ? fail(child, "no process can be made to own it", strerror(error)) : 0;
}

/* — the program's part of the session — */

static int take_variables(const Pam *pam, pam_handle_t *handle, ExecChild *child) {
        char **variables = pam->list_variables(handle), **environment = NULL, **argv = NULL;
        int r = variables ? strv_copy(child->environment, &environment) : -ENOMEM;

        for (char **variable = variables; r == 0 && *variable; variable++)
                r = exec_environment_set(&environment, *variable);
        if (r == 0 && !(child->request->flags & EXEC_REQUEST_NO_EXPANSION)) {
                r = exec_expand_argv(child->request->argv, environment, &argv);
                child->argv = argv;
        }
        if (r < 0)
                return fail(child, "its variables cannot be taken over", strerror(-r));
        child->environment = environment;
        exec_descriptor_find_pids(child->request, environment, child->pids);
        return 0;
}

/* Modules may have added groups to those of the process. */
static void set_groups(const ExecChild *child) {
        const ExecCredentials *credentials = child->credentials;

        if (credentials->has_groups)
                (void) setgroups(credentials->n_groups, credentials->groups);
}

static int take_groups(ExecChild *child) {
        ExecCredentials *credentials = malloc(sizeof(*credentials));
        int n = getgroups(0, NULL);
        gid_t *groups = n < 0 ? NULL : calloc((size_t) n + 1, sizeof(*groups));

        n = groups ? getgroups(n, groups) : -1;
        if (!credentials || n < 0)
                return fail(child, "its groups cannot be taken over", strerror(ENOMEM));
        *credentials = *child->credentials;
        credentials->groups = groups;
        credentials->n_groups = (size_t) n;
        child->credentials = credentials;
        return 0;
}

/* Marks descriptors that modules opened as close-on-exec, also those between the passed ones. */
static void keep_descriptors_back(const ExecChild *child) {
        unsigned first = STDERR_FILENO + 1;

        for (size_t i = 0; i < child->n_places; i++) {
                unsigned target = (unsigned) child->places[i].target;

                if (target > first)
                        (void) syscall(SYS_close_range, first, target - 1, CLOSE_RANGE_CLOEXEC);
                first = MAX(first, target + 1);
        }
        (void) syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC);
}

int exec_pam_open(ExecChild *child) {
        pam_handle_t *handle = NULL;
        Pam pam = {};
        int r;

        assert(child->clone.has_own_memory);

        r = load(&pam, child);
        if (r < 0)
                return r;
        set_groups(child);
        r = open_session(&pam, child, &handle);
        if (r < 0)
                return r;
        r = take_variables(&pam, handle, child);
        if (r == 0 && child->credentials->has_groups)
                r = take_groups(child);
        if (r == 0)
                r = leave_owner(&pam, handle, child);
        if (r < 0)
                close_session(&pam, handle);
        keep_descriptors_back(child);
        return r;
}

#else

#include <errno.h>

int exec_pam_open(ExecChild *child) {
        child->what = "jobd was built without PAM";
        return -ENOTSUP;
}

#endif
