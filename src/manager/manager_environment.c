/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The environment of all processes
 *
 * A user manager passes on the variables of the session. The system manager
 * passes on a fixed path and the language only, because other variables of its
 * own environment do not concern services. A container is configured by its
 * environment, so there all of it is passed on, too.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec.h"
#include "manager/manager_environment.h"
#include "manager/manager_section.h"

#define SET_SIZE_MAX 65536U     /* limit for clients: written with each record of the manager */

/* Variables about the manager, not about services. */
static const char *const own_variables[] = {
        "NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "INVOCATION_ID=", "JOURNAL_STREAM=", "MAINPID=", "MANAGERPID=",
        "SERVICE_RESULT=", "EXIT_CODE=", "EXIT_STATUS=", "SYSTEMD_EXEC_PID=", "JOBD_", "OLDPWD=", "_=",
};

static const char *const system_variables[] = { "LANG=", "LANGUAGE=", "LC_" };

static bool has_prefix_of(const char *assignment, const char *const *prefixes, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (text_starts_with(assignment, prefixes[i]))
                        return true;
        return false;
}

static bool is_passed_on(const ManagerEnvironment *environment, const char *assignment) {
        if (!strchr(assignment, '=') || has_prefix_of(assignment, own_variables, ELEMENTSOF(own_variables)))
                return false;
        return environment->hands_on_all ||
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

/* Appends the variables of @from that are not in @but (may be NULL). */
static int push_but(char ***into, char *const *from, char *const *but) {
        strv_foreach(assignment, from)
                if (!has_variable(but, *assignment) && strv_push(into, *assignment) < 0)
                        return -ENOMEM;
        return 0;
}

/* A name alone removes the variable with any value, an assignment only with that value. */
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

static int merge(ManagerEnvironment *environment) {
        cleanup_(strv_freep) char **merged = NULL;
        int r = push_but(&merged, environment->inherited, environment->set);

        if (r == 0)
                r = push_but(&merged, environment->set, NULL);
        if (r < 0)
                return r;
        strv_free(environment->all);
        environment->all = take_ptr(merged);
        return 0;
}

#define IGNORES_WATCHDOGS 16U           /* in a record, beside the log level */

static size_t size_of(char *const *strings) {
        size_t size = 0;

        strv_foreach(string, strings)
                size += strlen(*string) + 1;
        return size;
}

int manager_environment_change(ManagerEnvironment *environment, char *const *unset, char *const *set,
                               Failure *ret_failure) {
        cleanup_(strv_freep) char **kept = NULL, **changed = NULL;
        int r = check_variables(unset, false, ret_failure);

        if (r == 0)
                r = check_variables(set, true, ret_failure);
        strv_foreach(assignment, environment->set)
                if (r == 0 && !is_unset(unset, *assignment))
                        r = strv_push(&kept, *assignment);
        if (r == 0)
                r = push_but(&changed, kept, set);
        for (size_t i = 0; r == 0 && set && set[i]; i++)
                if (!has_variable(set + i + 1, set[i]))         /* the last of two counts */
                        r = strv_push(&changed, set[i]);
        if (r < 0)
                return r;
        if (size_of(changed) > SET_SIZE_MAX)
                return failure_set(ret_failure, -E2BIG, "LimitsExceeded", "At most %u KiB of environment can be set.",
                                   SET_SIZE_MAX / 1024);
        strv_free(environment->set);
        environment->set = take_ptr(changed);
        manager_mark_self(environment->state);
        return merge(environment);
}

void manager_environment_set_log_level(ManagerEnvironment *environment, int level) {
        environment->log_level = level;
        log_set_level((LogLevel) level);
        manager_mark_self(environment->state);
}

void manager_environment_heed_watchdogs(ManagerEnvironment *environment, bool heeds) {
        environment->ignores_watchdogs = !heeds;
        manager_mark_self(environment->state);
}

void manager_environment_write(const ManagerEnvironment *environment, RecordWriter *writer) {
        record_put(writer, strv_length(environment->set));
        strv_foreach(assignment, environment->set)
                record_put_string(writer, *assignment);
        record_put(writer, (uint64_t) environment->log_level |
                                   (environment->ignores_watchdogs ? IGNORES_WATCHDOGS : 0));
}

int manager_environment_read(ManagerEnvironment *environment, RecordReader *reader) {
        size_t n = record_get_below(reader, SET_SIZE_MAX);
        uint64_t bits;

        for (size_t i = 0; i < n && !reader->has_failed; i++) {
                const char *assignment = record_get_string(reader);

                if (assignment && strv_push(&environment->set, assignment) < 0)
                        return -ENOMEM;
        }
        bits = record_get_below(reader, 2 * IGNORES_WATCHDOGS);
        environment->log_level = (int) (bits & (IGNORES_WATCHDOGS - 1));
        environment->ignores_watchdogs = bits & IGNORES_WATCHDOGS;
        if (environment->log_level > LOG_LEVEL_DEBUG)
                return -EBADMSG;
        if (reader->has_failed)
                return -EBADMSG;
        if (environment->log_level > 0)
                log_set_level((LogLevel) environment->log_level);
        return merge(environment);
}

/* — the manager's own environment — */

static int compare_strings(const void *a, const void *b) {
        return strcmp(*(char *const *) a, *(char *const *) b);
}

int manager_environment_build(ManagerEnvironment *environment) {
        bool has_path = false;

        strv_foreach(assignment, environ) {
                if (!is_passed_on(environment, *assignment))
                        continue;
                has_path = has_path || text_starts_with(*assignment, "PATH=");
                if (strv_push(&environment->inherited, *assignment) < 0)
                        return -ENOMEM;
        }
        if (!has_path && strv_push(&environment->inherited, "PATH=" EXEC_DEFAULT_PATH) < 0)
                return -ENOMEM;
        qsort(environment->inherited, strv_length(environment->inherited), sizeof(char *), compare_strings);
        return merge(environment);
}

void manager_environment_deinit(ManagerEnvironment *environment) {
        strv_free(environment->all);
        strv_free(environment->inherited);
        strv_free(environment->set);
}
