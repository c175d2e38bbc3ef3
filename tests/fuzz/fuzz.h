/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What fuzz targets have in common
 *
 * A target is one file with LLVMFuzzerTestOneInput(): it gives the bytes to
 * one of our parsers, and checks what must be true of each result. libFuzzer
 * calls it with inputs that it makes; fuzz_replay.c with those of a folder.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A property of each result: what breaks it is a finding, as a crash is. */
#define fuzz_check(condition) \
        ((condition) ? (void) 0 : fuzz_found(#condition, __FILE__, __LINE__))
#define fuzz_check_string(a, b) fuzz_found_different((a), (b), __FILE__, __LINE__)

_Noreturn void fuzz_found(const char *what, const char *file, int line);
/* Ends the process unless both strings are equal. */
void fuzz_found_different(const char *a, const char *b, const char *file, int line);

/* An input is read from its beginning; after its end come zeros and empty strings. */
typedef struct FuzzInput {
        const uint8_t *at, *end;
} FuzzInput;

uint8_t fuzz_byte(FuzzInput *input);
/* Below @limit, which is at most 256. */
unsigned fuzz_choose(FuzzInput *input, unsigned limit);
uint64_t fuzz_number(FuzzInput *input, size_t n_bytes);

/*
 * Copies of exactly their size, so that a sanitizer sees each access behind them. The caller owns them. A string ends
 * before a NUL, which is taken, or at the end.
 */
char *fuzz_string(FuzzInput *input);
char *fuzz_rest(FuzzInput *input, size_t *ret_n);       /* all that is left, and a NUL behind it */

/* A folder on a tmpfs for files of this process, empty at its start and removed at its end. Exits if it can't be made. */
const char *fuzz_folder(void);
void fuzz_write_file(const char *path, const void *bytes, size_t n);
