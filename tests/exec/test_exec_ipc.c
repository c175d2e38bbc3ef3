/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RemoveIPC=: what goes, and what stays
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "double/double_rights.h"
#include "exec/exec_ipc.h"

#define OURS 4711
#define GROUP 4712
#define OTHER 4713

static void make_world(void) {
        need_users();
        cr_assert(unshare(CLONE_NEWIPC) == 0);
        cr_assert(mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777") == 0);
}

TestSuite(exec_ipc, .init = make_world);

/* Makes a segment of System V shared memory that belongs to this user and group. */
static int make_segment(uid_t uid, gid_t gid) {
        int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
        struct shmid_ds settings = { .shm_perm = { .uid = uid, .gid = gid, .mode = 0600 } };

        cr_assert(id >= 0 && shmctl(id, IPC_SET, &settings) == 0);
        return id;
}

static bool has_segment(int id) {
        struct shmid_ds status;

        return shmctl(id, IPC_STAT, &status) == 0;
}

static void make_file(const char *path, uid_t uid, gid_t gid) {
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

        cr_assert(fd >= 0 && fchown(fd, uid, gid) == 0 && close(fd) == 0);
}

Test(exec_ipc, objects_of_the_user_go_and_of_others_stay) {
        int ours = make_segment(OURS, OTHER), of_group = make_segment(OTHER, GROUP), other = make_segment(OTHER, OTHER);
        int root = make_segment(0, 0);

        cr_assert(eq(u32, exec_ipc_remove(OURS, GROUP), 2));
        cr_assert(has_segment(other) && has_segment(root) && !has_segment(ours) && !has_segment(of_group));
}

Test(exec_ipc, each_kind_of_them) {
        struct semid_ds semaphores = { .sem_perm = { .uid = OURS, .gid = OTHER, .mode = 0600 } };
        struct msqid_ds queue = { .msg_perm = { .uid = OURS, .gid = OTHER, .mode = 0600 }, .msg_qbytes = 1024 };
        int semaphore_id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600), queue_id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);

        cr_assert(semctl(semaphore_id, 0, IPC_SET, &semaphores) == 0 && msgctl(queue_id, IPC_SET, &queue) == 0);
        make_file("/dev/shm/ours", OURS, OTHER);
        make_file("/dev/shm/other", OTHER, OTHER);
        cr_assert(mkdir("/dev/shm/folder", 0700) == 0 && chown("/dev/shm/folder", OURS, OTHER) == 0);
        make_file("/dev/shm/folder/other", OTHER, OTHER);
        cr_assert(eq(u32, exec_ipc_remove(OURS, GROUP), 3));
        cr_assert(access("/dev/shm/ours", F_OK) < 0 && access("/dev/shm/other", F_OK) == 0);
        cr_assert(access("/dev/shm/folder/other", F_OK) == 0);
        cr_assert(semctl(semaphore_id, 0, GETVAL) < 0 && msgctl(queue_id, IPC_STAT, &queue) < 0);
}

Test(exec_ipc, what_is_in_use_stays) {
        int id = make_segment(OURS, OTHER);
        void *place = shmat(id, NULL, 0);

        cr_assert(eq(u32, exec_ipc_remove(OURS, GROUP), 0));
        cr_assert(has_segment(id));
        shmdt(place);
        cr_assert(eq(u32, exec_ipc_remove(OURS, GROUP), 1));
}

Test(exec_ipc, of_root_or_nobody_nothing_goes) {
        int root = make_segment(0, 0);

        cr_assert(eq(u32, exec_ipc_remove(0, 0), 0));
        cr_assert(eq(u32, exec_ipc_remove((uid_t) -1, (gid_t) -1), 0));
        cr_assert(has_segment(root));
}
