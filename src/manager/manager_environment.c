/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every process gets of our surroundings
 *
 * The manager of a user passes on his session's variables. That of the system
 * passes on a fixed path and the language: what happened to be set where it was
 * started is none of the services' business. To a container its environment is
 * what its configuration comes by, so there it is passed on, too.
 *
 * Each process and each client takes a descriptor here, so we allow ourselves
 * all that we may have; processes get the limit that we were started with.
 */

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec.h"
#include "manager/manager_private.h"

#define SET_SIZE_MAX 65536U     /* bytes that clients may set: it is written with each record of the manager */

/* They are about us, not about our services. */
static const char *const own_variables[] = {
        "NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "INVOCATION_ID=", "JOURNAL_STREAM=", "MAINPID=", "MANAGERPID=",
        "SERVICE_RESULT=", "EXIT_CODE=", "EXIT_STATUS=", "SYSTEMD_EXEC_PID=", "JOBD_", "OLDPWD=", "_=",
};

static const char *const system_variables[] = { "LANG=", "LANGUAGE=", "LC_" };

void manager_raise_open_files_limit(Manager *manager) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
                return;
        manager->open_files_limit = (uint32_t) MIN(limit.rlim_cur, (rlim_t) UINT32_MAX);
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
                manager->open_files_limit = 0;
}

void manager_lower_open_files_limit(Manager *manager) {
        struct rlimit limit;

        if (manager->open_files_limit == 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return;
        limit.rlim_cur = manager->open_files_limit;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
                manager->open_files_limit = 0;
}

static bool has_prefix_of(const char *assignment, const char *const *prefixes, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (text_starts_with(assignment, prefixes[i]))
                        return true;
        return false;
}

static bool is_passed_on(const Manager *manager, const char *assignment) {
        if (!strchr(assignment, '=') || has_prefix_of(assignment, own_variables, ELEMENTSOF(own_variables)))
                return false;
        return manager->options.hands_on_environment ||
               has_prefix_of(assignment, system_variables, ELEMENTSOF(system_variables));
}

/* — what clients have set — */

static size_t name_length(const char *assignment) {
        return strcspn(assignment, "=");
}

static bool is_same_variable(const char *a, const char *b) {
        size_t n = name_length(a);

        return n == name_length(b) && strncmp(a, b, n) == 0;
}

static bool has_variable(char *const *assignments, const char *wanted) {
        strv_foreach(assignment, assignments)
                if (is_same_variable(*assignment, wanted))
                        return true;
        return false;
}

/* Appends those of @from that are not in @but (may be NULL). */
static int push_but(char ***into, char *const *from, char *const *but) {
        strv_foreach(assignment, from)
                if (!has_variable(but, *assignment) && strv_push(into, *assignment) < 0)
                        return -ENOMEM;
        return 0;
}

/* A name alone takes the variable away whatever it is, an assignment only if it is that. */
static bool is_unset(char *const *unset, const char *assignment) {
        strv_foreach(word, unset)
                if (strchr(*word, '=') ? strcmp(*word, assignment) == 0 : is_same_variable(*word, assignment))
                        return true;
        return false;
}

static bool is_variable(const char *word, bool has_value) {
        size_t n = name_length(word);

        if (n == 0 || (word[0] >= '0' && word[0] <= '9') || (has_value && word[n] != '='))
                return false;
        for (size_t i = 0; i < n; i++) {
                bool is_letter = (word[i] >= 'a' && word[i] <= 'z') || (word[i] >= 'A' && word[i] <= 'Z');

                if (!is_letter && word[i] != '_' && (word[i] < '0' || word[i] > '9'))
                        return false;
        }
        for (const char *c = word + n; *c; c++)
                if ((unsigned char) *c < ' ' && *c != '\t' && *c != '\n')
                        return false;
        return true;
}

static int check_variables(char *const *words, bool has_value, Failure *ret_failure) {
        strv_foreach(word, words)
                if (!is_variable(*word, has_value))
                        return failure_set(ret_failure, -EINVAL, "InvalidArgs", has_value ?
                                           "'%s' is no assignment of an environment variable, as in NAME=value." :
                                           "'%s' is no name of an environment variable.", *word);
        return 0;
}

static int merge_environment(Manager *manager) {
        cleanup_(strv_freep) char **merged = NULL;
        int r = push_but(&merged, manager->inherited_environment, manager->set_environment);

        if (r == 0)
                r = push_but(&merged, manager->set_environment, NULL);
        if (r < 0)
                return r;
        strv_free(manager->environment);
        manager->environment = take_ptr(merged);
        return 0;
}

static size_t size_of(char *const *strings) {
        size_t size = 0;

        strv_foreach(string, strings)
                size += strlen(*string) + 1;
        return size;
}

int manager_change_environment(Manager *manager, char *const *unset, char *const *set, Failure *ret_failure) {
        cleanup_(strv_freep) char **kept = NULL, **changed = NULL;
        int r = check_variables(unset, false, ret_failure);

        if (r == 0)
                r = check_variables(set, true, ret_failure);
        strv_foreach(assignment, manager->set_environment)
                if (r == 0 && !is_unset(unset, *assignment))
                        r = strv_push(&kept, *assignment);
        if (r == 0)
                r = push_but(&changed, kept, set);
        for (size_t i = 0; r == 0 && set && set[i]; i++)
                if (!has_variable(set + i + 1, set[i]))         /* of two the last counts */
                        r = strv_push(&changed, set[i]);
        if (r < 0)
                return r;
        if (size_of(changed) > SET_SIZE_MAX)
                return failure_set(ret_failure, -E2BIG, "LimitsExceeded", "At most %u KiB of environment can be set.",
                                   SET_SIZE_MAX / 1024);
        strv_free(manager->set_environment);
        manager->set_environment = take_ptr(changed);
        manager_mark_self(manager);
        return merge_environment(manager);
}

void manager_set_log_level(Manager *manager, int level) {
        manager->log_level = level;
        log_set_level((LogLevel) level);
        manager_mark_self(manager);
}

void manager_write_set(const Manager *manager, RecordWriter *writer) {
        record_put(writer, strv_length(manager->set_environment));
        strv_foreach(assignment, manager->set_environment)
                record_put_string(writer, *assignment);
        record_put(writer, (uint64_t) manager->log_level);
}

int manager_read_set(Manager *manager, RecordReader *reader) {
        size_t n = record_get_below(reader, SET_SIZE_MAX);

        for (size_t i = 0; i < n && !reader->has_failed; i++) {
                const char *assignment = record_get_string(reader);

                if (assignment && strv_push(&manager->set_environment, assignment) < 0)
                        return -ENOMEM;
        }
        manager->log_level = (int) record_get_below(reader, LOG_LEVEL_DEBUG + 1);
        if (reader->has_failed)
                return -EBADMSG;
        if (manager->log_level > 0)
                log_set_level((LogLevel) manager->log_level);
        return merge_environment(manager);
}

/* — what we have got ourselves — */

int manager_build_environment(Manager *manager) {
        bool has_path = false;

        strv_foreach(assignment, environ) {
                if (!is_passed_on(manager, *assignment))
                        continue;
                has_path = has_path || text_starts_with(*assignment, "PATH=");
                if (strv_push(&manager->inherited_environment, *assignment) < 0)
                        return -ENOMEM;
        }
        if (!has_path && strv_push(&manager->inherited_environment, "PATH=" EXEC_DEFAULT_PATH) < 0)
                return -ENOMEM;
        return merge_environment(manager);
}
