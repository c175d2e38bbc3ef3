/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Preloaded into jobd-core: one allocation, chosen by the test, fails
 *
 * The file $FAIL_MALLOC contains two numbers: the number of allocations so
 * far, and the number of the next one to fail, counted from now (0: none).
 */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Control {
        int64_t n_calls;
        int64_t fails_in;
} Control;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static Control *control;

__attribute__((constructor)) static void begin(void) {
        const char *path = getenv("FAIL_MALLOC");
        int fd;

        if (!path || strcmp(program_invocation_short_name, "jobd-core") != 0)
                return;
        fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0)
                return;
        control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (control == MAP_FAILED)
                control = NULL;
        close(fd);
}

static bool fails(void) {
        if (!control)
                return false;
        control->n_calls++;
        if (control->fails_in == 0 || --control->fails_in > 0)
                return false;
        errno = ENOMEM;
        return true;
}

void *malloc(size_t size) {
        return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
        return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
        return fails() ? NULL : __libc_realloc(old, size);
}
