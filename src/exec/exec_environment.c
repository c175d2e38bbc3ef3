/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An environment: assignments, each name once
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/vector.h"
#include "exec/exec_environment.h"

bool exec_environment_name_is_valid(const char *name, size_t n) {
        if (n == 0 || (name[0] >= '0' && name[0] <= '9'))
                return false;
        for (size_t i = 0; i < n; i++) {
                char c = name[i];

                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
                        return false;
        }
        return true;
}

static char *const *find_assignment(char *const *environment, const char *name, size_t n) {
        strv_foreach(assignment, environment)
                if (strncmp(*assignment, name, n) == 0 && (*assignment)[n] == '=')
                        return assignment;
        return NULL;
}

const char *exec_environment_get(char *const *environment, const char *name, size_t n) {
        char *const *assignment = find_assignment(environment, name, n);

        return assignment ? *assignment + n + 1 : NULL;
}

int exec_environment_set(char ***environment, const char *assignment) {
        const char *equals = strchr(assignment, '=');
        char *const *old;
        char *copy;

        if (!equals || !exec_environment_name_is_valid(assignment, (size_t) (equals - assignment)))
                return 0;
        old = find_assignment(*environment, assignment, (size_t) (equals - assignment));
        if (!old)
                return strv_push(environment, assignment);

        copy = strdup(assignment);
        if (!copy)
                return -ENOMEM;
        free(*old);
        (*environment)[old - *environment] = copy;
        return 0;
}

/* Up to here, comparing each with each costs less than sorting copies of them. */
#define FEW 32U

/* An assignment in a long list. Sorted by name and place, the last of each name is the one that counts. */
typedef struct Candidate {
        const char *text;               /* borrowed */
        size_t n_name;
        size_t place;
} Candidate;

typedef VECTOR(Candidate) CandidateList;

static int add_candidates(CandidateList *list, char *const *assignments) {
        strv_foreach(assignment, assignments) {
                Candidate candidate = { *assignment, strcspn(*assignment, "="), list->n };

                if ((*assignment)[candidate.n_name] == '=' &&
                    exec_environment_name_is_valid(*assignment, candidate.n_name) && vector_push(list, candidate) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int compare_names(const Candidate *a, const Candidate *b) {
        int order = memcmp(a->text, b->text, MIN(a->n_name, b->n_name));

        return order != 0 ? order : (a->n_name > b->n_name) - (a->n_name < b->n_name);
}

static int compare_candidates(const void *a, const void *b) {
        const Candidate *first = a, *second = b;
        int order = compare_names(first, second);

        return order != 0 ? order : (first->place > second->place) - (first->place < second->place);
}

/* Chooses the last assignment of each name, at the place of the first. */
static int choose_candidates(CandidateList *list, char ***ret_chosen) {
        cleanup_free_ const char **winners = calloc(list->n + 1, sizeof(*winners));
        cleanup_(strv_freep) char **chosen = NULL;
        size_t first = 0, n = 0, room = 2;

        while (room <= list->n)
                room *= 2;
        chosen = calloc(room, sizeof(*chosen));         /* the size that strv_push() expects */
        if (!winners || !chosen)
                return -ENOMEM;
        qsort(list->items, list->n, sizeof(*list->items), compare_candidates);
        for (size_t i = 0; i < list->n; i++) {
                if (compare_names(&list->items[first], &list->items[i]) != 0)
                        first = i;
                winners[list->items[first].place] = list->items[i].text;
        }
        for (size_t i = 0; i < list->n; i++)
                if (winners[i] && !(chosen[n++] = strdup(winners[i])))
                        return -ENOMEM;
        *ret_chosen = take_ptr(chosen);
        return 0;
}

static int set_each(char ***environment, char *const *assignments) {
        int r = 0;

        strv_foreach(assignment, assignments)
                r = MIN(r, exec_environment_set(environment, *assignment));
        return r;
}

int exec_environment_merge(char ***environment, char *const *assignments) {
        CandidateList list = {};
        char **merged = NULL;
        int r;

        assert(environment);

        if (strv_length(assignments) <= FEW && strv_length(*environment) <= FEW)
                return set_each(environment, assignments);      /* without copies of what stays */
        r = add_candidates(&list, *environment);
        if (r == 0)
                r = add_candidates(&list, assignments);
        if (r == 0 && list.n > 0)
                r = choose_candidates(&list, &merged);
        vector_deinit(&list);
        if (r < 0)
                return r;
        strv_free(*environment);
        *environment = merged;
        return 0;
}
