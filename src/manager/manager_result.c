/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results of nodes
 *
 * The file belongs to the user of the attempt, who may write, cut or replace it
 * at any time. So a short one is read once, and a large one is copied once;
 * what is judged and kept is the copy. Both go in slices, so that a large
 * result keeps nobody waiting.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/fd_write.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_result.h"

#define SLICE ((size_t) 256 * 1024)
#define BLANKS " \t\r\n"

int manager_result_new(ManagerResult **ret_result, const char *text, size_t n) {
        ManagerResult *result = malloc(sizeof(*result) + n + 1);

        if (!result)
                return -ENOMEM;
        *result = (ManagerResult) { .n_refs = 1, .n = n };
        memcpy(result->text, text, n);
        result->text[n] = '\0';
        *ret_result = result;
        return 0;
}

int manager_result_new_large(ManagerResult **ret_result, const char *path, const uint8_t *hash, size_t n) {
        cleanup_(manager_result_unrefp) ManagerResult *result = NULL;
        int r = manager_result_new(&result, "", 0);

        if (r == 0)
                r = text_copy(path, &result->path);
        if (r < 0)
                return r;
        result->n = n;
        memcpy(result->hash, hash, sizeof(result->hash));
        *ret_result = take_ptr(result);
        return 0;
}

ManagerResult *manager_result_ref(ManagerResult *result) {
        if (result)
                result->n_refs++;
        return result;
}

ManagerResult *manager_result_unref(ManagerResult *result) {
        if (!result || --result->n_refs > 0)
                return NULL;
        free(result->path);
        free(result);
        return NULL;
}

/* — taking — */

void manager_take_deinit(ManagerTake *take) {
        json_reader_deinit(&take->reader);
        if (take->is_mapped)
                munmap(take->text, take->n);
        else
                free(take->text);
        if (take->from > 0)
                close(take->from);
        if (take->copy > 0)
                close(take->copy);
        manager_result_unref(take->result);
        free(take->path);
        free(take->copy_path);
        *take = (ManagerTake) {};
}

/* MANAGER_TAKING_MORE: it is open, and not empty. */
static int open_file(ManagerTake *take) {
        struct stat stat;

        take->from = open(take->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (take->from < 0) {
                take->from = 0;
                return errno == ENOENT                                        ? MANAGER_TAKING_DONE
                       : errno == ELOOP || errno == ENXIO || errno == ENOTDIR ? MANAGER_TAKING_INVALID
                                                                              : -errno;
        }
        if (fstat(take->from, &stat) < 0)
                return -errno;
        if (!S_ISREG(stat.st_mode))
                return MANAGER_TAKING_INVALID;
        take->size = (size_t) stat.st_size;
        if (take->size > take->max)
                return MANAGER_TAKING_TOO_LARGE;
        return take->size > 0 ? MANAGER_TAKING_MORE : MANAGER_TAKING_DONE;
}

static int read_short(ManagerTake *take) {
        take->text = malloc(take->size + 1);
        if (!take->text)
                return -ENOMEM;
        while (take->n < take->size) {
                const ssize_t n = read(take->from, take->text + take->n, take->size - take->n);

                if (n < 0)
                        return -errno;
                if (n == 0)
                        break;
                take->n += (size_t) n;
        }
        while (take->n > 0 && strchr(BLANKS, take->text[take->n - 1]))
                take->n--;
        take->text[take->n] = '\0';
        return 0;
}

/* 1: all is copied. */
static int copy_slice(ManagerTake *take) {
        char buffer[64 * 1024];
        ssize_t n = 1;

        if (take->copy <= 0) {
                (void) unlink(take->copy_path);
                take->copy = open(take->copy_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
                if (take->copy < 0) {
                        take->copy = 0;
                        return -errno;
                }
        }
        for (size_t done = 0; done < SLICE && take->n < take->size && n > 0; done += (size_t) n) {
                int r;

                n = read(take->from, buffer, MIN(sizeof(buffer), take->size - take->n));
                r = n < 0 ? -errno : fd_write_all(take->copy, buffer, (size_t) n);
                if (r < 0)
                        return r;
                take->n += (size_t) n;
        }
        return n == 0 || take->n == take->size;
}

static int map_copy(ManagerTake *take) {
        void *text = take->n > 0 ? mmap(NULL, take->n, PROT_READ, MAP_PRIVATE, take->copy, 0) : MAP_FAILED;

        if (text == MAP_FAILED)
                return take->n > 0 ? -errno : MANAGER_TAKING_INVALID;
        take->text = text;
        take->is_mapped = true;
        return 0;
}

/* Judges up to a slice of the text: DONE, MORE, INVALID, LACKS. */
static int check(ManagerTake *take) {
        JsonReader *reader = &take->reader;
        JsonToken token;
        int r;

        reader->budget = SLICE;
        while ((r = json_reader_next(reader, &token)) == JSON_STEP_TOKEN)
                if (token.kind == JSON_TOKEN_KEY && reader->depth == 1)
                        strv_foreach(output, take->outputs)
                                take->n_found += strcmp(*output, token.text) == 0;
        if (r == -EBADMSG)
                return MANAGER_TAKING_INVALID;
        if (r < 0 || r == JSON_STEP_PAUSED)
                return r < 0 ? r : MANAGER_TAKING_MORE;
        return take->n_found < strv_length(take->outputs) ? MANAGER_TAKING_LACKS : MANAGER_TAKING_DONE;
}

static int begin(ManagerTake *take) {
        int r = take->from > 0 ? MANAGER_TAKING_MORE : open_file(take);

        if (r != MANAGER_TAKING_MORE)
                return r;
        if (take->size > MANAGER_RESULT_SHORT) {
                r = copy_slice(take);
                if (r <= 0)
                        return r < 0 ? r : MANAGER_TAKING_MORE;
                r = map_copy(take);
        } else
                r = read_short(take);
        if (r != 0)
                return r;
        if (take->n == 0)
                return MANAGER_TAKING_DONE;
        take->is_begun = true;
        json_reader_begin(&take->reader, take->text, take->n);
        return MANAGER_TAKING_MORE;
}

int manager_take_step(ManagerTake *take) {
        int r = take->is_begun ? MANAGER_TAKING_MORE : begin(take);

        if (r == MANAGER_TAKING_DONE)
                return take->outputs ? MANAGER_TAKING_LACKS : r;
        if (r != MANAGER_TAKING_MORE || !take->is_begun)
                return r;
        r = check(take);
        if (r != MANAGER_TAKING_DONE)
                return r;
        if (take->is_mapped)
                return MANAGER_TAKING_LARGE;
        r = manager_result_new(&take->result, take->text, take->n);
        return r < 0 ? r : MANAGER_TAKING_DONE;
}
