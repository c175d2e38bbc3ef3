/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A worker in C (jobd.batch(5)): says for each number whether it is a prime
 *
 * What is answered leaves when there is nothing more to be read, so that several answers are one call.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_prime(uint64_t number) {
        for (uint64_t i = 2; i * i <= number; i++)
                if (number % i == 0)
                        return 0;
        return number > 1;
}

static void answer(const char *result, uint64_t index, int status) {
        printf("%" PRIu64 "\t%d\t%zu\n%s", index, status, strlen(result), result);
}

/* Lines that are whole; returns how many bytes they have. With ItemsFile= the bytes of an item follow its line. */
static size_t work(char *bytes, size_t n) {
        char *at = bytes, *end;

        while ((end = memchr(at, '\n', n - (size_t) (at - bytes)))) {
                char *tab;
                uint64_t index = strtoull(at, &tab, 10);
                size_t length = strtoull(tab, NULL, 10);

                if (length > n - (size_t) (end + 1 - bytes))
                        break;
                answer(is_prime(index) ? "true" : "false", index, 0);
                at = end + 1 + length;
        }
        return (size_t) (at - bytes);
}

int main(void) {
        static char bytes[65536];
        size_t n = 0;
        ssize_t r;

        printf("hello\t1\t64\n");
        while (fflush(stdout) == 0 && (r = read(STDIN_FILENO, bytes + n, sizeof(bytes) - n)) > 0) {
                size_t done = work(bytes, n += (size_t) r);

                memmove(bytes, bytes + done, n -= done);
        }
        return 0; /* the end of the input */
}
