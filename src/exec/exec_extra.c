/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rare process settings, prepared for the child
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_directory.h"
#include "exec/exec_environment.h"
#include "exec/exec_extra.h"
#include "exec/exec_numa.h"
#include "exec/exec_secret.h"

ExecExtra *exec_extra_free(ExecExtra *extra) {
        if (!extra)
                return NULL;
        for (size_t i = 0; i < extra->n_folders; i++) {
                free(extra->folders[i].base);
                free(extra->folders[i].path);
                free(extra->folders[i].link);
                free(extra->folders[i].target);
        }
        for (size_t i = 0; i < extra->n_secrets; i++) {
                if (extra->secrets[i].data)
                        explicit_bzero(extra->secrets[i].data, extra->secrets[i].size);
                strv_free(extra->secrets[i].sources);
                free(extra->secrets[i].name);
                free(extra->secrets[i].data);
        }
        for (size_t i = 0; i < _SECURITY_MODULE_MAX; i++)
                free(extra->labels[i]);
        free(extra->folders);
        free(extra->secrets);
        free(extra->secret_base);
        free(extra->secret_folder);
        free(extra->secret_draft);
        if (extra->input_fd >= 0)
                close(extra->input_fd);
        exec_programs_give_back(extra->programs);
        free(extra);
        return NULL;
}

DEFINE_CLEANUP(ExecExtra, exec_extra_free)

/* The link's target: "../../a" for a link two folders deep. */
static int make_target(const ExecFolder *folder, char **ret_target) {
        Text target = {};

        for (const char *at = folder->link; (at = strchr(at, '/')); at++)
                text_add(&target, "../");
        text_add(&target, folder->path);
        return text_finish(&target, ret_target);
}

static int fill_folder(ExecFolder *folder, const ExecTerms *terms, ExecDirectoryKind kind, const char *entry,
                       bool is_user) {
        const char *colon = strchr(entry, ':');
        int r;

        folder->kind = kind;
        folder->mode = exec_directories_mode(&terms->directories[kind]);
        folder->is_private = exec_directory_is_private(terms, kind);
        if (folder->is_private && colon)
                return -ENOTSUP;                /* the directory's own name is a link already */
        r = text_format(&folder->path, "%s%.*s", folder->is_private ? EXEC_PRIVATE_FOLDER "/" : "",
                        (int) strcspn(entry, ":"), entry);
        if (r < 0)
                return r;
        folder->link = colon ? strdup(colon + 1) : folder->is_private ? strdup(entry) : NULL;
        if ((colon || folder->is_private) && !folder->link)
                return -ENOMEM;
        r = exec_directory_base(kind, is_user, &folder->base);
        return r < 0 || !folder->link ? r : make_target(folder, &folder->target);
}

static int add_folders(ExecExtra *extra, const ExecRequest *request, ExecResult *result) {
        size_t n = 0;

        for (size_t kind = 0; kind < _EXEC_DIRECTORY_MAX; kind++)
                n += strv_length(request->terms->directories[kind].paths);
        extra->folders = n > 0 ? calloc(n, sizeof(*extra->folders)) : NULL;
        if (n > 0 && !extra->folders)
                return -ENOMEM;
        for (ExecDirectoryKind kind = 0; kind < _EXEC_DIRECTORY_MAX; kind++)
                strv_foreach(entry, request->terms->directories[kind].paths) {
                        int r = fill_folder(&extra->folders[extra->n_folders++], request->terms, kind, *entry,
                                            request->is_user_manager);

                        if (r == -ENOTSUP)
                                exec_result_set(result, EXEC_STEP_RUNTIME_DIRECTORY + kind, r,
                                                "%s: with DynamicUser= there is "
                                                "no other link than its name", *entry);
                        else if (r < 0)
                                exec_result_set(result, EXEC_STEP_RUNTIME_DIRECTORY + kind, r,
                                                "there is no place for %s", *entry);
                        if (r < 0)
                                return r;
                }
        return 0;
}

/* Writes the text into a file in memory. */
static int make_input(const ExecTerms *terms) {
        size_t written = 0;
        int fd = memfd_create("input", MFD_CLOEXEC);

        if (fd < 0)
                return -errno;
        while (written < terms->input_size) {
                ssize_t n = write(fd, terms->input_data + written, terms->input_size - written);

                if (n <= 0) {
                        int error = n < 0 ? -errno : -EIO;

                        close(fd);
                        return error;
                }
                written += (size_t) n;
        }
        (void) lseek(fd, 0, SEEK_SET);
        return fd;
}

static int add_input(ExecExtra *extra, const ExecRequest *request, ExecResult *result) {
        bool is_other = request->tty || request->standard_input_fd > 0 || request->standard_input_file ||
                        request->inherits_standard_input;

        if (!request->terms->has_input_data || is_other)
                return 0;
        extra->input_fd = make_input(request->terms);
        if (extra->input_fd >= 0)
                return 0;
        exec_result_set(result, EXEC_STEP_STDIN, extra->input_fd, "cannot keep the text for it");
        return extra->input_fd;
}

static int add_cpus(ExecExtra *extra, const ExecTerms *terms, ExecResult *result) {
        ExecSet all = {};
        int r = 0;

        if (!terms->has_cpus)
                return 0;
        for (size_t i = 0; i < MIN(terms->cpus.n, (size_t) EXEC_WORDS_MAX); i++)
                extra->cpus[i] = terms->cpus.words[i];
        extra->n_cpu_words = MIN(terms->cpus.n, (size_t) EXEC_WORDS_MAX);
        if (terms->takes_numa_cpus)
                r = exec_numa_add_cpus(&terms->numa_nodes, &all);
        for (size_t i = 0; i < MIN(all.n, (size_t) EXEC_WORDS_MAX); i++)
                extra->cpus[i] |= all.words[i];
        extra->n_cpu_words = MAX(extra->n_cpu_words, MIN(all.n, (size_t) EXEC_WORDS_MAX));
        exec_set_clear(&all);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_CPUAFFINITY, r, "cannot find the processors of the NUMA nodes");
        return r;
}

static unsigned long personality_of(const ExecTerms *terms) {
        return terms->has_personality ? terms->personality : (unsigned long) personality(0xffffffff);
}

uint64_t exec_bounding_set(const ExecTerms *terms, uint32_t denied) {
        uint64_t dropped = 0;

        if (denied & EXEC_DENIED_CLOCK)
                dropped |= 1U << CAP_SYS_TIME | UINT64_C(1) << CAP_WAKE_ALARM;
        if (denied & EXEC_DENIED_KERNEL_LOGS)
                dropped |= UINT64_C(1) << CAP_SYSLOG;
        if (denied & EXEC_DENIED_MODULES)
                dropped |= 1U << CAP_SYS_MODULE;
        if (denied & EXEC_DENIED_RAW_IO)
                dropped |= 1U << CAP_MKNOD | 1U << CAP_SYS_RAWIO;
        return (terms->has_capabilities ? terms->capabilities : UINT64_MAX) & ~dropped;
}

/* Only root has capabilities to drop. */
static void add_capabilities(ExecExtra *extra, uint32_t denied) {
        extra->capabilities = exec_bounding_set(extra->terms, denied);
        extra->has_capabilities = extra->terms->has_capabilities ||
                                  (extra->capabilities != UINT64_MAX && geteuid() == 0);
}

static bool denies_program(const ExecFilter *filter) {
        int number = filter->has_calls ? system_call_find("execve") : -1;

        return number >= 0 && system_call_set_has(&filter->calls, (size_t) number) != filter->allows_calls;
}

/*
 * Before Linux 5.16 a child that is ended by its own filter would dump the manager's memory and end the manager, too.
 */
static int add_programs(ExecExtra *extra, const ExecRequest *request, ExecResult *result) {
        const ExecTerms *terms = extra->terms;
        int r;

        if (!extra->has_restrictions)
                return 0;
        if (denies_program(&terms->filter)) {
                exec_result_set(result, EXEC_STEP_SECCOMP, EPERM,
                                "SystemCallFilter= denies execve(), by which the program is started");
                return -EPERM;
        }
        r = exec_programs_get(&terms->filter, request->denied, personality_of(terms), &extra->programs);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_SECCOMP, r, "cannot make the filter");
        return r;
}

static int add_labels(ExecExtra *extra) {
        for (SecurityModule kind = 0; kind < _SECURITY_MODULE_MAX; kind++) {
                const char *name = extra->terms->labels[kind].name;
                int r;

                if (!name || !extra->has_restrictions || !security_module_is_enabled(kind))
                        continue;
                r = text_format(&extra->labels[kind], "%s%s", kind == SECURITY_MODULE_APPARMOR ? "exec " : "", name);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* A session belongs to a user; it is opened only if the process runs as that user. */
static int add_session(ExecExtra *extra, const ExecRequest *request, const ExecCredentials *credentials,
                       ExecResult *result) {
        if (!request->terms->pam_name || !request->user || request->flags & EXEC_REQUEST_KEEP_PRIVILEGES)
                return 0;
        extra->opens_session = credentials->user_name;
        if (!extra->opens_session)
                exec_result_set(result, EXEC_STEP_PAM, ESRCH, "a user without a name, %s, has no session",
                                request->user);
        return -result->error;
}

static int add_terms(ExecExtra *extra, const ExecRequest *request, const ExecCredentials *credentials,
                     ExecResult *result) {
        const ExecTerms *terms = request->terms;
        int r = add_session(extra, request, credentials, result);
        if (r == 0)
                r = add_folders(extra, request, result);

        if (r == 0)
                r = exec_secret_list(request, extra);
        if (r == 0)
                r = add_input(extra, request, result);
        if (r == 0)
                r = add_cpus(extra, terms, result);
        if (r == 0)
                r = add_labels(extra);
        if (terms->has_coredump_filter)
                snprintf(extra->coredump_filter, sizeof(extra->coredump_filter), "0x%llx",
                         (unsigned long long) terms->coredump_filter);
        return r;
}

int exec_extra_new(const ExecRequest *request, const ExecCredentials *credentials, ExecExtra **ret_extra,
                   ExecResult *result) {
        static const ExecTerms nothing;
        cleanup_(exec_extra_freep) ExecExtra *extra = NULL;
        int r = 0;

        *ret_extra = NULL;
        if (!request->terms && request->denied == 0)
                return 0;
        extra = calloc(1, sizeof(*extra));
        if (!extra)
                return -ENOMEM;
        extra->input_fd = -1;
        extra->terms = request->terms ? request->terms : &nothing;
        extra->has_restrictions = !(request->flags & EXEC_REQUEST_NO_RESTRICTIONS);
        extra->uid = credentials->owner;
        extra->gid = credentials->owner_group;
        if (request->terms)
                r = add_terms(extra, request, credentials, result);
        if (r == 0)
                r = add_programs(extra, request, result);
        add_capabilities(extra, request->denied);
        if (r == -ENOMEM && result->error == 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare the process");
        if (r < 0)
                return r;
        *ret_extra = take_ptr(extra);
        return 0;
}

int exec_extra_list_paths(const ExecExtra *extra, char ***ret_paths) {
        cleanup_(strv_freep) char **paths = NULL;

        for (size_t i = 0; i < extra->n_folders; i++) {
                char *path = NULL;
                int r = text_join_path(extra->folders[i].base, extra->folders[i].path, &path);

                if (r == 0)
                        r = strv_consume(&paths, path);
                if (r < 0)
                        return r;
        }
        *ret_paths = take_ptr(paths);
        return 0;
}

int exec_extra_list_hidden(const ExecExtra *extra, char ***ret_paths) {
        cleanup_(strv_freep) char **paths = NULL;

        for (size_t i = 0; i < extra->n_folders; i++) {
                cleanup_free_ char *path = NULL;
                int r = extra->folders[i].is_private
                                ? text_join_path(extra->folders[i].base, EXEC_PRIVATE_FOLDER, &path)
                                : 0;

                if (r == 0 && path && !strv_contains(paths, path))
                        r = strv_push(&paths, path);
                if (r < 0)
                        return r;
        }
        *ret_paths = take_ptr(paths);
        return 0;
}

static const char *const variables[_EXEC_DIRECTORY_MAX] = {
        [EXEC_DIRECTORY_RUNTIME] = "RUNTIME_DIRECTORY",
        [EXEC_DIRECTORY_STATE] = "STATE_DIRECTORY",
        [EXEC_DIRECTORY_CACHE] = "CACHE_DIRECTORY",
        [EXEC_DIRECTORY_LOGS] = "LOGS_DIRECTORY",
        [EXEC_DIRECTORY_CONFIGURATION] = "CONFIGURATION_DIRECTORY",
};

static int set_variable(char ***environment, const char *name, const char *value) {
        cleanup_free_ char *assignment = NULL;
        int r = text_format(&assignment, "%s=%s", name, value);

        return r < 0 ? r : exec_environment_set(environment, assignment);
}

int exec_extra_set_environment(const ExecRequest *request, char ***environment) {
        const ExecTerms *terms = request->terms;
        cleanup_free_ char *folder = NULL;
        int r = 0;

        if (!terms)
                return 0;
        for (ExecDirectoryKind kind = 0; kind < _EXEC_DIRECTORY_MAX && r == 0; kind++) {
                cleanup_free_ char *list = NULL;

                /* If the user has no such folder, the step that creates it fails. */
                r = exec_directory_list(terms, kind, request->is_user_manager, &list);
                if (r == 0 && list)
                        r = set_variable(environment, variables[kind], list);
                else if (r == -ENOENT)
                        r = 0;
        }
        if (r == 0 && terms->search_path) {
                cleanup_free_ char *path = NULL;

                r = strv_join(terms->search_path, ":", &path);
                if (r == 0)
                        r = set_variable(environment, "PATH", path);
        }
        if (r == 0)
                r = exec_secret_folder(request, &folder);
        return r < 0 || !folder ? r : set_variable(environment, "CREDENTIALS_DIRECTORY", folder);
}
