/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Creating the unit's directories and credential files, in the child
 *
 * Descriptors lead from one folder to the next. A symlink is followed only in
 * a folder that belongs to root and that no one else may write to: an
 * administrator may have placed the real directory elsewhere, the unit's user
 * may not.
 *
 * If a directory's owner differs from the wanted one, all files in it get the
 * new owner, because an older version may have run as another user. Concurrent
 * changes there are the responsibility of the owner.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_child_private.h"
#include "exec/exec_directory.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
#define MODE_OF_PARENTS 0755
#define MODE_OF_PRIVATE 0700
#define NAME_MAX_BYTES 255
#define DEPTH_MAX 128
#define UNCHANGED ((uid_t) -1)

/* The kernel's directory entry. */
typedef struct DirectoryEntry {
        uint64_t inode;
        int64_t next;
        uint16_t size;
        uint8_t type;
        char name[];
} DirectoryEntry;

/* State of a walk down a tree. */
typedef struct TreeWalk {
        uid_t uid;
        gid_t gid;
        int fds[DEPTH_MAX];
        int64_t places[DEPTH_MAX];      /* the offset after the entry that was entered */
        size_t depth;
        _Alignas(DirectoryEntry) char entries[4096];
} TreeWalk;

child_ static int look_at(int fd, struct statx *ret_status) {
        return (int) exec_call5(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, ret_status);
}

/* Copies the next part of a path to @name: its length, 0 at the end, or -ENAMETOOLONG. */
child_ static int next_name(const char **at, char name[static NAME_MAX_BYTES + 1]) {
        int n = 0;

        while (**at == '/')
                (*at)++;
        for (; **at && **at != '/'; (*at)++) {
                if (n == NAME_MAX_BYTES)
                        return -ENAMETOOLONG;
                name[n++] = **at;
        }
        while (**at == '/')
                (*at)++;
        name[n] = '\0';
        return n;
}

child_ static bool may_follow_links_of(int folder) {
        struct statx status = {};

        return look_at(folder, &status) >= 0 && status.stx_uid == 0 && !(status.stx_mode & 022);
}

/* Opens @name in @folder, which is closed, creating it if missing. */
child_ static int enter(int folder, const char *name, unsigned mode, bool *ret_is_new) {
        int r = (int) exec_call3(SYS_mkdirat, folder, name, mode), fd;

        *ret_is_new = r >= 0;
        fd = (int) exec_call4(SYS_openat, folder, name, FOLDER_FLAGS | O_NOFOLLOW, 0);
        if ((fd == -ELOOP || fd == -ENOTDIR) && may_follow_links_of(folder))
                fd = (int) exec_call4(SYS_openat, folder, name, FOLDER_FLAGS, 0);
        exec_call1(SYS_close, folder);
        if (fd < 0)
                return r < 0 && r != -EEXIST ? r : fd;
        /* The umask has removed some bits. */
        if (*ret_is_new)
                exec_call2(SYS_fchmod, fd, mode);
        return fd;
}

/* Opens an absolute path of folders that belong to root: its descriptor. */
child_ static int enter_base(const char *path) {
        char name[NAME_MAX_BYTES + 1];
        bool is_new;
        int n = 1, fd = (int) exec_call4(SYS_openat, AT_FDCWD, path, FOLDER_FLAGS, 0);

        if (fd != -ENOENT)
                return fd;
        fd = (int) exec_call4(SYS_openat, AT_FDCWD, "/", FOLDER_FLAGS, 0);
        while (fd >= 0 && (n = next_name(&path, name)) > 0)
                fd = enter(fd, name, MODE_OF_PARENTS, &is_new);
        return n < 0 ? n : fd;
}

/*
 * Opens a path below @fd, which is closed. Missing folders are created: the last with @mode, its parents with the usual
 * mode.
 */
child_ static int enter_path(int fd, const char *path, unsigned mode, bool *ret_is_new) {
        char name[NAME_MAX_BYTES + 1];
        int n = 1;

        while (fd >= 0 && (n = next_name(&path, name)) > 0)
                fd = enter(fd, name, *path ? MODE_OF_PARENTS : mode, ret_is_new);
        return n < 0 ? n : fd;
}

child_ static int give_away(int folder, const char *name, int flags, const TreeWalk *walk) {
        int r = (int) exec_call5(SYS_fchownat, folder, name, walk->uid, walk->gid, flags);

        return r == -ENOENT ? 0 : r;
}

/* Enters a folder at the end of the walk: 1, 0 if it is not a folder any more, or -errno. */
child_ static int descend(TreeWalk *walk, const DirectoryEntry *entry) {
        int fd = (int) exec_call4(SYS_openat, walk->fds[walk->depth - 1], entry->name, FOLDER_FLAGS | O_NOFOLLOW, 0);

        if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
                return 0;
        if (fd < 0 || walk->depth == DEPTH_MAX) {
                exec_call1(SYS_close, fd);
                return fd < 0 ? fd : -ELOOP;
        }
        walk->places[walk->depth - 1] = entry->next;
        walk->fds[walk->depth++] = fd;
        return 1;
}

child_ static bool is_dot(const char *name) {
        return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Handles the entries that were read: 1 if the walk has entered one, 0, or -errno. */
child_ static int walk_entries(TreeWalk *walk, size_t n) {
        int folder = walk->fds[walk->depth - 1], r = 0;

        for (size_t at = 0; at < n && r == 0;) {
                const DirectoryEntry *entry = (const void *) (walk->entries + at);

                at += entry->size;
                if (is_dot(entry->name))
                        continue;
                r = give_away(folder, entry->name, AT_SYMLINK_NOFOLLOW, walk);
                if (r == 0 && (entry->type == 4 || entry->type == 0))   /* DT_DIR, DT_UNKNOWN */
                        r = descend(walk, entry);
        }
        return r;
}

/* Changes the owner of everything in @fd, and of @fd last. */
child_ static int give_tree_away(int fd, TreeWalk *walk) {
        int r = 0;

        walk->fds[0] = fd;
        for (walk->depth = 1; walk->depth > 0 && r >= 0;) {
                int folder = walk->fds[walk->depth - 1];
                long n = exec_call3(SYS_getdents64, folder, walk->entries, sizeof(walk->entries));

                r = (int) n;
                if (n > 0)
                        r = walk_entries(walk, (size_t) n);
                if (n != 0)
                        continue;
                if (--walk->depth == 0)
                        break;
                exec_call1(SYS_close, folder);
                r = (int) MIN(exec_call3(SYS_lseek, walk->fds[walk->depth - 1], walk->places[walk->depth - 1],
                                         SEEK_SET), 0);
        }
        while (walk->depth > 1)
                exec_call1(SYS_close, walk->fds[--walk->depth]);
        return r < 0 ? r : give_away(fd, "", AT_EMPTY_PATH, walk);
}

/* Configuration is written by others, so an existing directory keeps its owner and mode. */
child_ static int own_folder(const ExecExtra *extra, const ExecFolder *folder, int fd, bool is_new) {
        TreeWalk walk = { .uid = extra->uid, .gid = extra->gid };
        struct statx status = {};
        int r;

        if (folder->kind == EXEC_DIRECTORY_CONFIGURATION && !is_new)
                return 0;
        r = look_at(fd, &status);
        if (r >= 0 && (status.stx_mode & 07777) != folder->mode)
                r = (int) exec_call2(SYS_fchmod, fd, folder->mode);
        if (r < 0 || (extra->uid == UNCHANGED && extra->gid == UNCHANGED))
                return r;
        if ((extra->uid == UNCHANGED || status.stx_uid == extra->uid) &&
            (extra->gid == UNCHANGED || status.stx_gid == extra->gid))
                return 0;
        r = give_tree_away(fd, &walk);
        /* Changing the owner may have cleared some bits. */
        return r < 0 ? r : (int) exec_call2(SYS_fchmod, fd, folder->mode);
}

/* An existing link must have the same target. */
child_ static int make_link(const ExecFolder *folder) {
        char name[NAME_MAX_BYTES + 1], target[1024];
        const char *at = folder->link;
        bool is_new;
        int n = 0, r, fd = enter_base(folder->base);

        while (fd >= 0 && (n = next_name(&at, name)) > 0 && *at)
                fd = enter(fd, name, MODE_OF_PARENTS, &is_new);
        if (fd < 0 || n < 0)
                return fd < 0 ? fd : n;
        r = (int) exec_call3(SYS_symlinkat, folder->target, fd, name);
        if (r == -EEXIST) {
                n = (int) exec_call4(SYS_readlinkat, fd, name, target, sizeof(target) - 1);
                for (int i = 0; i < n && folder->target[i] == target[i]; i++)
                        r = i + 1 == n && !folder->target[n] ? 0 : r;
        }
        exec_call1(SYS_close, fd);
        return r;
}

child_ static int enter_folder(const ExecFolder *folder, bool *ret_is_new) {
        const char *path = folder->path;
        int fd = enter_base(folder->base);

        if (folder->is_private && fd >= 0) {
                path += sizeof(EXEC_PRIVATE_FOLDER);
                fd = enter(fd, EXEC_PRIVATE_FOLDER, MODE_OF_PRIVATE, ret_is_new);
                if (fd >= 0)
                        exec_call2(SYS_fchmod, fd, MODE_OF_PRIVATE);
        }
        return enter_path(fd, path, folder->mode, ret_is_new);
}

child_ int exec_child_make_directories(ExecChild *child) {
        const ExecExtra *extra = child->extra;

        for (size_t i = 0; i < extra->n_folders; i++) {
                const ExecFolder *folder = &extra->folders[i];
                bool is_new = false;
                int r, fd;

                child->step = EXEC_STEP_RUNTIME_DIRECTORY + (ExecStep) folder->kind;
                child->what = folder->path;
                fd = enter_folder(folder, &is_new);
                r = fd < 0 ? fd : own_folder(extra, folder, fd, is_new);
                exec_call1(SYS_close, fd);
                if (r >= 0 && folder->link) {
                        child->what = folder->link;
                        r = make_link(folder);
                }
                if (r < 0)
                        return r;
        }
        return 0;
}

child_ int exec_child_make_places(const ExecChild *child) {
        const ExecRequest *request = child->request;

        for (size_t i = 0; i < ELEMENTSOF(request->places); i++) {
                bool is_new = false;
                int fd;

                if (!request->places[i])
                        continue;
                fd = (int) exec_call4(SYS_openat, AT_FDCWD, "/", FOLDER_FLAGS, 0);
                fd = enter_path(fd, request->places[i], request->place_mode, &is_new);
                if (fd >= 0)
                        exec_call1(SYS_close, fd);
        }
        return 0;
}

/* One that was made, and not given away yet, is given away. */
child_ int exec_child_make_common_folder(const ExecChild *child) {
        const ExecRequest *request = child->request;
        struct statx status = {};
        bool is_new = false;
        int fd, r;

        if (!request->common_folder)
                return 0;
        fd = (int) exec_call4(SYS_openat, AT_FDCWD, "/", FOLDER_FLAGS, 0);
        fd = enter_path(fd, request->common_folder, MODE_OF_PRIVATE, &is_new);
        if (fd < 0)
                return fd;
        r = look_at(fd, &status);
        if (r >= 0 && ((request->common_uid != UNCHANGED && status.stx_uid != request->common_uid) ||
                       (request->common_gid != (gid_t) -1 && status.stx_gid != request->common_gid)))
                r = (int) exec_call5(SYS_fchownat, fd, "", request->common_uid, request->common_gid, AT_EMPTY_PATH);
        exec_call1(SYS_close, fd);
        return r < 0 ? r : 0;
}

child_ static int write_all(int fd, const char *bytes, size_t size) {
        long n = 0;

        for (size_t written = 0; n >= 0 && written < size; written += n > 0 ? (size_t) n : 0)
                n = exec_call3(SYS_write, fd, bytes + written, size - written);
        return (int) MIN(n, 0L);
}

#define OWN_INPUT "input"

/* Makes the folder, in place of one that has nothing but its input. */
child_ static int make_own_folder(const char *path) {
        int r = (int) exec_call3(SYS_mkdirat, AT_FDCWD, path, MODE_OF_PRIVATE), fd;

        if (r != -EEXIST)
                return r;
        fd = (int) exec_call4(SYS_openat, AT_FDCWD, path, FOLDER_FLAGS | O_NOFOLLOW, 0);
        if (fd < 0)
                return fd;
        exec_call3(SYS_unlinkat, fd, OWN_INPUT, 0);
        exec_call1(SYS_close, fd);
        r = (int) exec_call3(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
        return r < 0 ? r : (int) exec_call3(SYS_mkdirat, AT_FDCWD, path, MODE_OF_PRIVATE);
}

child_ int exec_child_make_own_folder(const ExecChild *child) {
        const ExecRequest *request = child->request;
        size_t size = 0;
        int folder, fd, r;

        if (!request->own_input)
                return 0;
        r = make_own_folder(request->own_folder);
        folder = r < 0 ? r : (int) exec_call4(SYS_openat, AT_FDCWD, request->own_folder, FOLDER_FLAGS | O_NOFOLLOW, 0);
        if (folder < 0)
                return folder;
        fd = (int) exec_call4(SYS_openat, folder, OWN_INPUT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                              0444);
        exec_call1(SYS_close, folder);
        if (fd < 0)
                return fd;
        while (request->own_input[size])
                size++;
        r = write_all(fd, request->own_input, size);
        exec_call1(SYS_close, fd);
        return r;
}

/* Opens the first source that exists: its descriptor, or a negative errno. */
child_ static int open_source(ExecChild *child, const ExecSecret *secret) {
        int fd = -ENOENT;

        for (char *const *path = secret->sources; path && *path && fd == -ENOENT; path++) {
                child->what = *path;
                fd = (int) exec_call4(SYS_openat, AT_FDCWD, *path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
        }
        return fd;
}

/* Copies a regular file completely, and clears the buffer on the stack. */
child_ static int copy_source(int source, int target) {
        struct statx status = {};
        char piece[1024];
        size_t size = 0;
        long n = look_at(source, &status);

        if (n >= 0 && (status.stx_mode & S_IFMT) != S_IFREG)
                return -EBADF;
        while (n >= 0 && (n = exec_call3(SYS_read, source, piece, sizeof(piece))) > 0) {
                size += (size_t) n;
                n = size > EXEC_SECRET_MAX_BYTES ? -E2BIG : write_all(target, piece, (size_t) n);
        }
        for (size_t i = 0; i < sizeof(piece); i++)
                ((volatile char *) piece)[i] = 0;
        return (int) MIN(n, 0L);
}

child_ static int write_secret(ExecChild *child, const ExecSecret *secret, int folder) {
        const ExecExtra *extra = child->extra;
        int source = open_source(child, secret), fd, r;

        if (source == -ENOENT && !secret->data && secret->is_optional)
                return 0;
        if (source < 0 && (source != -ENOENT || !secret->data))
                return source;
        fd = (int) exec_call4(SYS_openat, folder, secret->name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                              0400);
        r = fd < 0 ? fd : source < 0 ? write_all(fd, secret->data, secret->size) : copy_source(source, fd);
        if (r >= 0)
                r = (int) exec_call2(SYS_fchmod, fd, 0400);
        if (r >= 0 && (extra->uid != UNCHANGED || extra->gid != UNCHANGED))
                r = (int) exec_call5(SYS_fchownat, fd, "", extra->uid, extra->gid, AT_EMPTY_PATH);
        exec_call1(SYS_close, source);
        exec_call1(SYS_close, fd);
        return r;
}

child_ static int fill_secret_folder(ExecChild *child, int folder) {
        const ExecExtra *extra = child->extra;
        int r = (int) exec_call2(SYS_fchmod, folder, 0700);

        for (size_t i = 0; i < extra->n_secrets && r >= 0; i++) {
                child->what = extra->secrets[i].name;
                r = write_secret(child, &extra->secrets[i], folder);
        }
        if (r >= 0)
                r = (int) exec_call2(SYS_fchmod, folder, 0500);
        if (r >= 0 && (extra->uid != UNCHANGED || extra->gid != UNCHANGED))
                r = (int) exec_call5(SYS_fchownat, folder, "", extra->uid, extra->gid, AT_EMPTY_PATH);
        return r;
}

child_ static void remove_draft(const ExecExtra *extra, int base, int folder) {
        for (size_t i = 0; i < extra->n_secrets && folder >= 0; i++)
                exec_call3(SYS_unlinkat, folder, extra->secrets[i].name, 0);
        exec_call3(SYS_unlinkat, base, extra->secret_draft, AT_REMOVEDIR);
}

/*
 * The folder has another name until it is complete, so it is never seen in part. An earlier process of the unit may
 * have made it.
 */
child_ int exec_child_make_secrets(ExecChild *child) {
        const ExecExtra *extra = child->extra;
        int base, folder, r;

        if (!extra->secret_base)
                return 0;
        child->step = EXEC_STEP_CREDENTIALS;
        child->what = extra->secret_base;
        base = enter_base(extra->secret_base);
        if (base < 0)
                return base;
        if (exec_call4(SYS_faccessat, base, extra->secret_folder, 0, 0) == 0) {
                exec_call1(SYS_close, base);
                return 0;
        }
        r = (int) exec_call3(SYS_mkdirat, base, extra->secret_draft, 0700);
        folder = r < 0 && r != -EEXIST
                         ? r
                         : (int) exec_call4(SYS_openat, base, extra->secret_draft, FOLDER_FLAGS | O_NOFOLLOW, 0);
        r = folder < 0 ? folder : fill_secret_folder(child, folder);
        if (r >= 0)
                r = (int) exec_call4(SYS_renameat, base, extra->secret_draft, base, extra->secret_folder);
        if (r < 0)
                remove_draft(extra, base, folder);
        exec_call1(SYS_close, folder);
        exec_call1(SYS_close, base);
        return r;
}
