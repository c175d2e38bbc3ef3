/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Results of nodes: what is taken of a file that its owner may change at any time
 *
 * S004-19
 */

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/text.h"
#include "exec/exec_remove.h"
#include "manager/manager_result.h"

static char folder[64], *from, *copy;

static void set_up(void) {
        strcpy(folder, "/tmp/test-result.XXXXXX");
        cr_assert_not_null(mkdtemp(folder));
        cr_assert_eq(text_join_path(folder, "result", &from), 0);
        cr_assert_eq(text_join_path(folder, "copy", &copy), 0);
}

static void tear_down(void) {
        free(from);
        free(copy);
        (void) exec_remove_tree(folder);
}

TestSuite(manager_result, .init = set_up, .fini = tear_down, .timeout = 60);

static void write_file(const char *text, size_t n) {
        FILE *file = fopen(from, "we");

        cr_assert_not_null(file);
        cr_assert_eq(fwrite(text, 1, n, file), n);
        cr_assert_eq(fclose(file), 0);
}

/* A string of JSON that has so many bytes. */
static void write_string(size_t n) {
        char *text = malloc(n);

        memset(text, 'x', n);
        text[0] = text[n - 1] = '"';
        write_file(text, n);
        free(text);
}

static ManagerTake begin(size_t max, char *const *outputs) {
        return (ManagerTake) { .path = strdup(from), .copy_path = strdup(copy), .max = max, .outputs = outputs };
}

/* All of it; how many steps that took. */
static int take_all(ManagerTake *take, unsigned *ret_steps) {
        int r;

        *ret_steps = 0;
        do {
                r = manager_take_step(take);
                cr_assert_lt(++*ret_steps, 10000);
        } while (r == MANAGER_TAKING_MORE);
        return r;
}

static void assert_taken(const char *text, const char *expected) {
        ManagerTake take = begin(MANAGER_RESULT_SHORT, NULL);
        unsigned n;

        write_file(text, strlen(text));
        cr_assert_eq(take_all(&take, &n), MANAGER_TAKING_DONE, "%s", text);
        if (expected)
                cr_assert_str_eq(take.result->text, expected);
        else
                cr_assert_null(take.result);
        manager_take_deinit(&take);
}

static void assert_refused(const char *text, ManagerTaking how) {
        ManagerTake take = begin(MANAGER_RESULT_SHORT, NULL);
        unsigned n;

        write_file(text, strlen(text));
        cr_assert_eq(take_all(&take, &n), how, "%s", text);
        cr_assert_null(take.result);
        manager_take_deinit(&take);
}

Test(manager_result, short_one_is_one_value_of_json) {
        assert_taken("{\"a\":[1,null]}", "{\"a\":[1,null]}");
        assert_taken("  17 \n\n", "  17");
        assert_taken("null", "null");
        assert_refused("{", MANAGER_TAKING_INVALID);
        assert_refused("1 2", MANAGER_TAKING_INVALID);
        assert_refused("{\"a\":1,\"a\":2}", MANAGER_TAKING_INVALID);
        assert_refused("\xff", MANAGER_TAKING_INVALID);
}

Test(manager_result, none_is_none) {
        ManagerTake take = begin(MANAGER_RESULT_SHORT, NULL);
        unsigned n;

        cr_assert_eq(take_all(&take, &n), MANAGER_TAKING_DONE);
        cr_assert_null(take.result);
        manager_take_deinit(&take);
        assert_taken("", NULL);
        assert_taken(" \n", NULL);
}

/* A link, a folder, a pipe that nobody writes to: none of them is followed or waited for. */
Test(manager_result, what_is_no_file_is_refused) {
        ManagerTake take;
        unsigned n;

        cr_assert_eq(symlink("/etc/hostname", from), 0);
        take = begin(MANAGER_RESULT_SHORT, NULL);
        cr_assert_eq(take_all(&take, &n), MANAGER_TAKING_INVALID);
        manager_take_deinit(&take);
        cr_assert_eq(unlink(from), 0);
        cr_assert_eq(mkfifo(from, 0600), 0);
        take = begin(MANAGER_RESULT_SHORT, NULL);
        cr_assert_eq(take_all(&take, &n), MANAGER_TAKING_INVALID);
        manager_take_deinit(&take);
        cr_assert_eq(unlink(from), 0);
        cr_assert_eq(mkdir(from, 0700), 0);
        take = begin(MANAGER_RESULT_SHORT, NULL);
        cr_assert_eq(take_all(&take, &n), MANAGER_TAKING_INVALID);
        manager_take_deinit(&take);
}

Test(manager_result, size_has_its_limits) {
        const struct {
                size_t size, max;
                ManagerTaking how;
        } rows[] = {
                { MANAGER_RESULT_SHORT, MANAGER_RESULT_SHORT, MANAGER_TAKING_DONE },
                { MANAGER_RESULT_SHORT + 1, MANAGER_RESULT_SHORT + 1, MANAGER_TAKING_LARGE },
                { MANAGER_RESULT_SHORT + 1, MANAGER_RESULT_SHORT, MANAGER_TAKING_TOO_LARGE },
                { 11, 10, MANAGER_TAKING_TOO_LARGE },
                { 10, 10, MANAGER_TAKING_DONE },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                ManagerTake take = begin(rows[i].max, NULL);
                unsigned n;

                write_string(rows[i].size);
                cr_assert_eq(take_all(&take, &n), rows[i].how, "%zu of %zu bytes", rows[i].size, rows[i].max);
                cr_assert_eq(take.n, rows[i].how == MANAGER_TAKING_TOO_LARGE ? 0 : rows[i].size);
                manager_take_deinit(&take);
        }
}

/* What its owner does to the file afterwards changes nothing, and a turn does no more than a slice of it. */
Test(manager_result, large_one_is_a_copy_that_is_made_in_slices) {
        const size_t size = 4 * 1024 * 1024;
        ManagerTake take = begin(size, NULL);
        struct stat status;
        unsigned n;

        write_string(size);
        cr_assert_eq(manager_take_step(&take), MANAGER_TAKING_MORE);
        cr_assert_lt(take.n, size);
        cr_assert_eq(unlink(from), 0);
        write_file("{", 1);
        cr_assert_eq(take_all(&take, &n), MANAGER_TAKING_LARGE);
        cr_assert_gt(n, 10);
        cr_assert_null(take.result);
        cr_assert_eq(fstat(take.copy, &status), 0);
        cr_assert_eq((size_t) status.st_size, size);
        cr_assert_eq(status.st_mode & 0777, 0444);
        manager_take_deinit(&take);
}

/* It was longer when it was opened. */
Test(manager_result, one_that_is_cut_meanwhile_is_judged_as_it_was_read) {
        ManagerTake take = begin(1024 * 1024, NULL);
        unsigned n;

        write_string(1024 * 1024);
        cr_assert_eq(manager_take_step(&take), MANAGER_TAKING_MORE);
        cr_assert_eq(truncate(from, 10), 0);
        cr_assert_eq(take_all(&take, &n), MANAGER_TAKING_INVALID);
        manager_take_deinit(&take);
}

Test(manager_result, outputs_are_keys_of_the_value_itself) {
        char *const outputs[] = { (char *) "a", (char *) "b", NULL };
        const struct {
                const char *text;
                ManagerTaking how;
        } rows[] = {
                { "{\"b\":null,\"a\":1,\"c\":2}", MANAGER_TAKING_DONE },
                { "{\"a\":{\"b\":1}}", MANAGER_TAKING_LACKS },
                { "[\"a\",\"b\"]", MANAGER_TAKING_LACKS },
                { "", MANAGER_TAKING_LACKS },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                ManagerTake take = begin(MANAGER_RESULT_SHORT, outputs);
                unsigned n;

                write_file(rows[i].text, strlen(rows[i].text));
                cr_assert_eq(take_all(&take, &n), rows[i].how, "%s", rows[i].text);
                manager_take_deinit(&take);
        }
}

Test(manager_result, is_freed_with_its_last_reference) {
        const uint8_t hash[RUNSTORE_HASH_BYTES] = { 1, 2 };
        ManagerResult *result, *other;

        cr_assert_eq(manager_result_new_large(&result, copy, hash, 70000), 0);
        cr_assert_str_eq(result->path, copy);
        cr_assert_eq(result->n, 70000);
        cr_assert_eq(memcmp(result->hash, hash, sizeof(hash)), 0);
        other = manager_result_ref(result);
        cr_assert_null(manager_result_unref(result));
        cr_assert_str_eq(other->path, copy);
        cr_assert_null(manager_result_unref(other));
        cr_assert_null(manager_result_unref(NULL));
        cr_assert_null(manager_result_ref(NULL));
}
