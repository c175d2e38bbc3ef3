/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What fuzz targets have in common
 */

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "fuzz.h"

void fuzz_found(const char *what, const char *file, int line) {
        fprintf(stderr, "%s:%d: this is not true: %s\n", file, line, what);
        abort();
}

void fuzz_found_different(const char *a, const char *b, const char *file, int line) {
        if (strcmp(a, b) == 0)
                return;
        fprintf(stderr, "%s:%d: these should be equal:\n%s\n-- and --\n%s\n", file, line, a, b);
        abort();
}

uint8_t fuzz_byte(FuzzInput *input) {
        return input->at < input->end ? *input->at++ : 0;
}

unsigned fuzz_choose(FuzzInput *input, unsigned limit) {
        return fuzz_byte(input) % limit;
}

uint64_t fuzz_number(FuzzInput *input, size_t n_bytes) {
        uint64_t value = 0;

        for (size_t i = 0; i < n_bytes; i++)
                value |= (uint64_t) fuzz_byte(input) << (8 * i);
        return value;
}

static char *copy(const uint8_t *bytes, size_t n) {
        char *string = malloc(n + 1);

        if (!string)
                exit(77);
        if (n > 0)
                memcpy(string, bytes, n);
        string[n] = '\0';
        return string;
}

char *fuzz_string(FuzzInput *input) {
        size_t left = (size_t) (input->end - input->at);
        const uint8_t *begin = input->at, *nul = left > 0 ? memchr(begin, '\0', left) : NULL;

        input->at = nul ? nul + 1 : input->end;
        return copy(begin, nul ? (size_t) (nul - begin) : left);
}

char *fuzz_rest(FuzzInput *input, size_t *ret_n) {
        const uint8_t *begin = input->at;

        *ret_n = (size_t) (input->end - input->at);
        input->at = input->end;
        return copy(begin, *ret_n);
}

/* — files — */

static char folder[64];

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
        return remove(path);
}

static void remove_folder(void) {
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* A crash leaves it there: tools/fuzz gives $TMPDIR, and removes what is in it. */
const char *fuzz_folder(void) {
        const char *parents[] = { getenv("TMPDIR"), "/dev/shm", "/tmp" };

        for (size_t i = 0; i < ELEMENTSOF(parents) && !folder[0]; i++) {
                if (!parents[i] || strlen(parents[i]) > sizeof(folder) / 2)
                        continue;
                snprintf(folder, sizeof(folder), "%s/jobd-fuzz-XXXXXX", parents[i]);
                if (mkdtemp(folder))
                        atexit(remove_folder);
                else
                        folder[0] = '\0';
        }
        if (!folder[0]) {
                perror("jobd-fuzz: no folder for files");
                exit(77);
        }
        return folder;
}

void fuzz_write_file(const char *path, const void *bytes, size_t n) {
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        if (fd < 0 || write(fd, bytes, n) != (ssize_t) n) {
                perror(path);
                exit(77);
        }
        close(fd);
}
