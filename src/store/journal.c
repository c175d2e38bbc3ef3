/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The journal: events between two commits
 *
 * The disk space is allocated when the file is made, and every page is
 * touched: later writes cannot fail, not even for lack of space, and the
 * kernel finds the pages in place when it writes.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "store/journal.h"

#define MAGIC UINT64_C(0x6a6f62644a6e6c31)      /* "jobdJnl1": the last character is the version of the format */

typedef struct JournalSpawn {
        uint64_t errand;                /* 0: the entry is unused */
        pid_t pid;                      /* written by the kernel */
        uint32_t padding;
} JournalSpawn;

typedef struct JournalPages {
        uint64_t magic;
        uint64_t size;
        uint64_t commit;
        uint64_t last_sent;
        JournalSpawn spawns[JOURNAL_SPAWNS_MAX];
        siginfo_t exits[JOURNAL_EXITS_MAX + 1]; /* the last one stays empty */
} JournalPages;

struct Journal {
        JournalPages *pages;            /* shared */
        size_t n_spawns, n_exits;       /* in use */
};

/*
 * Prevents the compiler from moving writes across this: the next process relies on the order of this process's writes.
 */
static void in_this_order(void) {
        __asm__ volatile("" ::: "memory");
}

static int map(Journal *journal, int fd) {
        void *pages;

        pages = mmap(NULL, sizeof(JournalPages), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
        if (pages == MAP_FAILED)
                return -errno;
        journal->pages = pages;
        return 0;
}

static bool is_ours(int fd) {
        uint64_t start[2];
        struct stat status;

        return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == sizeof(JournalPages) &&
               pread(fd, start, sizeof(start), 0) == (ssize_t) sizeof(start) && start[0] == MAGIC &&
               start[1] == sizeof(JournalPages);
}

static int open_old(Journal *journal, const char *path) {
        cleanup_fd_ int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        int r;

        if (fd < 0)
                return -errno;
        if (!is_ours(fd))
                return -EBADMSG;
        r = map(journal, fd);
        if (r < 0)
                return r;
        while (journal->n_exits < JOURNAL_EXITS_MAX && journal->pages->exits[journal->n_exits].si_pid != 0)
                journal->n_exits++;
        while (journal->n_spawns < JOURNAL_SPAWNS_MAX && journal->pages->spawns[journal->n_spawns].errand != 0)
                journal->n_spawns++;
        return 0;
}

/* A new journal gets its magic number last: a file without it is incomplete. */
static int make_new(Journal *journal, const char *path) {
        cleanup_fd_ int fd = -1;
        int r;

        if (unlink(path) < 0 && errno != ENOENT)
                return -errno;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0)
                return -errno;
        r = -posix_fallocate(fd, 0, sizeof(JournalPages));
        if (r == 0)
                r = map(journal, fd);
        if (r < 0)
                return r;
        memset(journal->pages, 0, sizeof(JournalPages));
        journal->pages->size = sizeof(JournalPages);
        in_this_order();
        journal->pages->magic = MAGIC;
        return 0;
}

int journal_open(Journal **ret_journal, const char *path, Failure *ret_failure) {
        cleanup_(journal_closep) Journal *journal = calloc(1, sizeof(*journal));
        int r;

        if (!journal)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for the journal %s", path);
        r = open_old(journal, path);
        if (r < 0)
                r = make_new(journal, path);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot make the journal %s: %s", path, strerror(-r));
        *ret_journal = take_ptr(journal);
        return 0;
}

Journal *journal_close(Journal *journal) {
        if (!journal)
                return NULL;
        if (journal->pages)
                munmap(journal->pages, sizeof(JournalPages));
        free(journal);
        return NULL;
}

uint64_t journal_commit(const Journal *journal) {
        return journal->pages->commit;
}

/* While the old commit number is in place, readers ignore the entries, whether erased or not. */
void journal_begin(Journal *journal, uint64_t commit) {
        memset(journal->pages->spawns, 0, journal->n_spawns * sizeof(JournalSpawn));
        /* One more than counted, because an entry may have been written but not counted. */
        memset(journal->pages->exits, 0, (journal->n_exits + 1) * sizeof(siginfo_t));
        journal->pages->last_sent = 0;
        journal->n_spawns = journal->n_exits = 0;
        in_this_order();
        journal->pages->commit = commit;
        in_this_order();
}

siginfo_t *journal_next_exit(Journal *journal) {
        if (journal->n_exits < JOURNAL_EXITS_MAX && journal->pages->exits[journal->n_exits].si_pid != 0)
                journal->n_exits++;
        return journal->n_exits < JOURNAL_EXITS_MAX ? &journal->pages->exits[journal->n_exits] : NULL;
}

size_t journal_room_for_exits(const Journal *journal) {
        size_t n = journal->n_exits + (journal->pages->exits[journal->n_exits].si_pid != 0);

        return JOURNAL_EXITS_MAX - n;
}

const siginfo_t *journal_exit_at(const Journal *journal, size_t i) {
        return i < JOURNAL_EXITS_MAX && journal->pages->exits[i].si_pid != 0 ? &journal->pages->exits[i] : NULL;
}

pid_t *journal_begin_spawn(Journal *journal, uint64_t errand) {
        JournalSpawn *spawn;

        assert(errand != 0);

        if (journal->n_spawns == JOURNAL_SPAWNS_MAX)
                return NULL;
        spawn = &journal->pages->spawns[journal->n_spawns++];
        spawn->pid = 0;
        in_this_order();
        spawn->errand = errand;
        in_this_order();
        return &spawn->pid;
}

/* The last entry counts: one that died before its clone() has left one without a pid, and the next one another. */
static const JournalSpawn *find_last(const Journal *journal, uint64_t errand) {
        for (size_t i = journal->n_spawns; i-- > 0;)
                if (journal->pages->spawns[i].errand == errand)
                        return &journal->pages->spawns[i];
        return NULL;
}

bool journal_has_spawn(const Journal *journal, uint64_t errand) {
        return find_last(journal, errand);
}

pid_t journal_find_spawn(const Journal *journal, uint64_t errand) {
        const JournalSpawn *spawn = find_last(journal, errand);

        return spawn ? MAX(spawn->pid, 0) : 0;
}

void journal_note_sent(Journal *journal, uint64_t errand) {
        in_this_order();
        journal->pages->last_sent = errand;
        in_this_order();
}

uint64_t journal_last_sent(const Journal *journal) {
        return journal->pages->last_sent;
}
