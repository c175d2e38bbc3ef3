/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RemoveIPC=
 *
 * System V objects are listed by the kernel, POSIX objects are files on file
 * systems of their own. All of them are in memory, so nothing here waits.
 * Objects that cannot be removed stay.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_ipc.h"

typedef struct Owner {
        uid_t uid;
        gid_t gid;
} Owner;

/* A table of /proc/sysvipc; the second column is the object's number. */
typedef struct SystemTable {
        const char *path;
        unsigned owner;                 /* column of the uid; the gid follows it */
        unsigned attached;              /* the column that must be 0; 0: none */
        bool (*remove)(int id);
} SystemTable;

static bool remove_shared_memory(int id) {
        return shmctl(id, IPC_RMID, NULL) == 0;
}

static bool remove_semaphores(int id) {
        return semctl(id, 0, IPC_RMID) == 0;
}

static bool remove_queue(int id) {
        return msgctl(id, IPC_RMID, NULL) == 0;
}

static const SystemTable tables[] = {
        { "/proc/sysvipc/shm", 7, 6, remove_shared_memory },
        { "/proc/sysvipc/sem", 4, 0, remove_semaphores },
        { "/proc/sysvipc/msg", 7, 0, remove_queue },
};

static bool is_owner(const Owner *owner, uid_t uid, gid_t gid) {
        return (owner->uid != 0 && owner->uid != (uid_t) -1 && owner->uid == uid) ||
               (owner->gid != 0 && owner->gid != (gid_t) -1 && owner->gid == gid);
}

/* The value of a column, counted from 0; -1 if it is missing. */
static long long column_of(const char *line, unsigned column) {
        char *end;

        for (;; column--) {
                long long value = strtoll(line, &end, 10);

                if (end == line)
                        return -1;
                if (column == 0)
                        return value;
                line = end;
        }
}

/* Permissions are octal, but consist of digits: a column like the others. */
static bool remove_line(const SystemTable *table, const char *line, const Owner *owner) {
        long long id = column_of(line, 1);

        return id >= 0 && (table->attached == 0 || column_of(line, table->attached) == 0) &&
               is_owner(owner, (uid_t) column_of(line, table->owner), (gid_t) column_of(line, table->owner + 1)) &&
               table->remove((int) id);
}

static unsigned remove_of_table(const SystemTable *table, const Owner *owner) {
        FILE *file = fopen(table->path, "re");
        cleanup_free_ char *line = NULL;
        size_t allocated = 0;
        unsigned n = 0;

        if (!file)
                return 0;
        while (getline(&line, &allocated, file) > 0)
                n += remove_line(table, line, owner);
        fclose(file);
        return n;
}

/* Removes files, and empty folders; POSIX functions create no folders. */
static unsigned remove_of_folder(const char *path, const Owner *owner) {
        DIR *folder = opendir(path);
        const struct dirent *entry;
        unsigned n = 0;

        if (!folder)
                return 0;
        while ((entry = readdir(folder))) {
                struct stat status;
                int flags;

                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                    fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
                    !is_owner(owner, status.st_uid, status.st_gid))
                        continue;
                flags = S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0;
                n += unlinkat(dirfd(folder), entry->d_name, flags) == 0;
        }
        closedir(folder);
        return n;
}

unsigned exec_ipc_remove(uid_t uid, gid_t gid) {
        const Owner owner = { uid, gid };
        unsigned n = 0;

        for (size_t i = 0; i < ELEMENTSOF(tables); i++)
                n += remove_of_table(&tables[i], &owner);
        return n + remove_of_folder("/dev/shm", &owner) + remove_of_folder("/dev/mqueue", &owner);
}
