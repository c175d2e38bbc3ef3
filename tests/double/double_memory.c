/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Memory that runs out
 *
 * The linker puts the functions below before those of the C library.
 */

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "double/double_memory.h"

static size_t n_allocations;            /* since it was armed */
static size_t fail_at;                  /* 0: not armed */
static bool fail_after;                 /* and all that come later */

static bool may_allocate(void) {
        if (fail_at == 0)
                return true;
        n_allocations++;
        return n_allocations < fail_at || (n_allocations > fail_at && !fail_after);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
char *__real_strdup(const char *string);
char *__real_strndup(const char *string, size_t n);
int __real_vasprintf(char **ret_string, const char *format, va_list args);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
char *__wrap_strdup(const char *string);
char *__wrap_strndup(const char *string, size_t n);
int __wrap_vasprintf(char **ret_string, const char *format, va_list args);

void *__wrap_malloc(size_t size) {
        return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t n, size_t size) {
        return may_allocate() ? __real_calloc(n, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size) {
        return may_allocate() ? __real_realloc(old, size) : NULL;
}

void *__wrap_reallocarray(void *old, size_t n, size_t size) {
        return may_allocate() ? __real_reallocarray(old, n, size) : NULL;
}

char *__wrap_strdup(const char *string) {
        return may_allocate() ? __real_strdup(string) : NULL;
}

char *__wrap_strndup(const char *string, size_t n) {
        return may_allocate() ? __real_strndup(string, n) : NULL;
}

int __wrap_vasprintf(char **ret_string, const char *format, va_list args) {
        if (!may_allocate()) {
                *ret_string = NULL;
                return -1;
        }
        return __real_vasprintf(ret_string, format, args);
}

void double_memory_arm(size_t n, bool and_all_after) {
        n_allocations = 0;
        fail_at = n;
        fail_after = and_all_after;
}

bool double_memory_disarm(void) {
        bool has_failed = n_allocations >= fail_at;

        fail_at = 0;
        return has_failed;
}
