/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dynamic users: users that exist while a unit runs
 *
 * Each has a file in jobd/dynamic-users of the runtime folder: the file's name
 * is the number, its content the user's name. The search for a free number
 * begins at the hash of the name, so a user mostly gets the same number again,
 * and owns the files that it left elsewhere.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/hash.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_directory.h"
#include "exec/exec_dynamic_user.h"
#include "exec/exec_user.h"

#define N_UIDS (EXEC_DYNAMIC_UID_LAST - EXEC_DYNAMIC_UID_FIRST + 1)
#define NAME_MAX_BYTES 255U

/* Opens the folder: a descriptor, or -errno. */
static int open_folder(bool make) {
        static const char *const parts[] = { "jobd", "dynamic-users" };
        cleanup_free_ char *base = NULL;
        int r = exec_directory_base(EXEC_DIRECTORY_RUNTIME, exec_directory_is_user(), &base);
        int fd = r < 0 ? r : open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (r == 0 && fd < 0)
                return -errno;
        for (size_t i = 0; i < ELEMENTSOF(parts) && fd >= 0; i++) {
                int next = make && mkdirat(fd, parts[i], 0755) < 0 && errno != EEXIST ? -errno : 0;

                if (next == 0)
                        next = openat(fd, parts[i],
                                      (i == 0 ? O_PATH : O_RDONLY) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                next = next == -1 ? -errno : next;
                close(fd);
                fd = next;
        }
        return fd;
}

/* 1 if @file contains @name, 0 if not, or -errno if it cannot be read. */
static int is_of(int folder, const char *file, const char *name) {
        char text[NAME_MAX_BYTES + 1];
        int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        ssize_t n;

        if (fd < 0)
                return errno == ENOENT || errno == ELOOP ? 0 : -errno;
        n = read(fd, text, sizeof(text));
        close(fd);
        return n >= 0 && (size_t) n == strlen(name) && memcmp(text, name, (size_t) n) == 0;
}

static bool parse_file(const char *file, uid_t *ret_uid) {
        uint32_t uid;

        if (text_parse_u32(file, &uid) < 0 || uid < EXEC_DYNAMIC_UID_FIRST || uid > EXEC_DYNAMIC_UID_LAST)
                return false;
        *ret_uid = uid;
        return true;
}

/* 1 if the user has a number, 0 if not, or -errno; the user may have one then and must not get another. */
static int find(int folder, const char *name, uid_t *ret_uid) {
        int copy = fcntl(folder, F_DUPFD_CLOEXEC, 3), r = 0;
        DIR *files = copy < 0 ? NULL : fdopendir(copy);
        const struct dirent *file;

        if (!files) {
                r = -errno;
                if (copy >= 0)
                        close(copy);
                return r;
        }
        while (r == 0 && (file = readdir(files)))
                if (parse_file(file->d_name, ret_uid))
                        r = is_of(folder, file->d_name, name);
        closedir(files);
        return r;
}

/*
 * Creates the file under a draft name and links it, so that it is complete or missing. 0, -EEXIST if the number is
 * taken, or -errno.
 */
static int claim(int folder, uid_t uid, const char *name) {
        char file[16], draft[24];
        const size_t n = strlen(name);
        int fd, r = 0;

        snprintf(file, sizeof(file), "%u", uid);
        snprintf(draft, sizeof(draft), ".%u", uid);
        /* A draft that a killed manager left may be linked as a number by now. */
        unlinkat(folder, draft, 0);
        fd = openat(folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd < 0)
                return -errno;
        if (write(fd, name, n) != (ssize_t) n)
                r = -ENOSPC;
        close(fd);
        if (r == 0 && linkat(folder, draft, folder, file, 0) < 0)
                r = -errno;
        unlinkat(folder, draft, 0);
        return r;
}

/* The administrator may have assigned a number of the range. */
static bool is_somebodys(uid_t uid) {
        char number[16];

        snprintf(number, sizeof(number), "%u", uid);
        return exec_number_is_known(number);
}

static int choose(int folder, const char *name, uid_t *ret_uid) {
        const uint64_t start = hash_add(HASH_BEGIN, name) % N_UIDS;

        for (uint64_t i = 0; i < N_UIDS; i++) {
                uid_t uid = (uid_t) (EXEC_DYNAMIC_UID_FIRST + (start + i) % N_UIDS);
                int r = is_somebodys(uid) ? -EEXIST : claim(folder, uid, name);

                if (r == -EEXIST)
                        continue;
                *ret_uid = uid;
                return r;
        }
        return -EUSERS;
}

int exec_dynamic_user_take(const char *name, uid_t *ret_uid) {
        int folder, r;

        if (strlen(name) > NAME_MAX_BYTES)
                return -ENAMETOOLONG;
        folder = open_folder(true);
        if (folder < 0)
                return folder;
        r = find(folder, name, ret_uid);
        if (r == 0)
                r = choose(folder, name, ret_uid);
        close(folder);
        return MIN(r, 0);
}

int exec_dynamic_user_find(const char *name, uid_t *ret_uid) {
        int folder = open_folder(false), r;

        if (folder < 0)
                return -ESRCH;
        r = find(folder, name, ret_uid);
        close(folder);
        return r == 0 ? -ESRCH : MIN(r, 0);
}

void exec_dynamic_user_release(uid_t uid) {
        char file[16];
        int folder;

        if (uid < EXEC_DYNAMIC_UID_FIRST || uid > EXEC_DYNAMIC_UID_LAST)
                return;
        folder = open_folder(false);
        if (folder < 0)
                return;
        snprintf(file, sizeof(file), "%u", uid);
        unlinkat(folder, file, 0);
        close(folder);
}
