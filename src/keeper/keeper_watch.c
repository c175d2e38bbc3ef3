/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether core still serves
 *
 * After half of the limit without a message core is asked. If no answer has
 * come after another quarter its processor time is read, and again after each
 * further quarter. A core that has used none in between, though it was not
 * waiting for a processor, is stopped or waits in a system call; one that has
 * used much loops. Anything in between is a busy machine, which gets more
 * time, but not for ever. A step that comes late means that the keeper had no
 * processor, either, or was frozen with core: then nothing is concluded.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "keeper/keeper.h"

/* Core has used much if it had the processor for this part of the time. */
#define MUCH_PART 4U

/* A step is late if it comes this part of the limit after its time. */
#define LATE_PART 16U

/* A core that is neither idle nor busy is ended after this many limits. */
#define DOUBTS_MAX 10U

/* The time for the core dump. */
#define END_TIME (10 * KEEPER_SEC)

/* µs; 0 if it cannot be read. */
static uint64_t read_processor(pid_t pid) {
        struct timespec used;
        clockid_t clock;

        if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) < 0)
                return 0;
        return (uint64_t) used.tv_sec * KEEPER_SEC + (uint64_t) used.tv_nsec / 1000;
}

/* The letter of proc(5), or '?'. */
static char read_state(pid_t pid) {
        char path[32], text[128];
        const char *name_end;
        ssize_t n;
        int fd;

        snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return '?';
        n = read(fd, text, sizeof(text) - 1);
        close(fd);
        if (n <= 0)
                return '?';
        text[n] = '\0';
        name_end = strrchr(text, ')');
        return name_end && name_end[1] == ' ' && name_end[2] != '\0' ? name_end[2] : '?';
}

/* A process that a debugger has stopped (t) waits for people. */
bool keeper_watch_is_hung(uint64_t used, uint64_t span, char state) {
        if (used == 0)
                return state != 'R' && state != 't';
        return used >= span / MUCH_PART;
}

static bool is_watched(const Keeper *keeper) {
        return keeper->watch.limit > 0 && keeper->core > 0 && keeper->is_ready;
}

static void rest(KeeperWatch *watch, uint64_t now) {
        watch->stage = KEEPER_WATCH_RESTS;
        watch->wants_answer = false;
        watch->next = now + watch->limit / 2;
}

void keeper_watch_set(Keeper *keeper, uint64_t limit, uint64_t now) {
        keeper->watch = (KeeperWatch) { .limit = limit };
        rest(&keeper->watch, now);
}

/* A message that was on its way when core was told to end does not count. */
void keeper_watch_heard(Keeper *keeper, uint64_t now) {
        if (keeper->watch.limit > 0 && keeper->watch.stage < KEEPER_WATCH_ENDS)
                rest(&keeper->watch, now);
}

/* SIGABRT leaves a core dump, if the machine wants those; a stopped process takes it once it is continued. */
static void end_core(Keeper *keeper, uint64_t now) {
        KeeperWatch *watch = &keeper->watch;

        keeper_log("core has not answered for %u s: ending it", (unsigned) ((now - watch->asked_at) / KEEPER_SEC));
        kill(keeper->core, SIGABRT);
        kill(keeper->core, SIGCONT);
        watch->stage = KEEPER_WATCH_ENDS;
        watch->next = now + END_TIME;
}

static void doubt(Keeper *keeper, bool is_late, uint64_t now) {
        KeeperWatch *watch = &keeper->watch;
        uint64_t processor = read_processor(keeper->core);
        const uint64_t span = watch->limit / 4;

        if (watch->stage == KEEPER_WATCH_DOUBTS && !is_late &&
            (keeper_watch_is_hung(processor - watch->processor, span, read_state(keeper->core)) ||
             now - watch->asked_at > DOUBTS_MAX * watch->limit)) {
                end_core(keeper, now);
                return;
        }
        watch->stage = KEEPER_WATCH_DOUBTS;
        watch->processor = processor;
        watch->next = now + span;
}

void keeper_watch_step(Keeper *keeper, uint64_t now) {
        KeeperWatch *watch = &keeper->watch;

        if (!is_watched(keeper) || now < watch->next)
                return;
        switch (watch->stage) {
        case KEEPER_WATCH_RESTS:
                watch->stage = KEEPER_WATCH_ASKS;
                watch->wants_answer = true;
                watch->asked_at = now;
                watch->next = now + watch->limit / 4;
                break;
        case KEEPER_WATCH_ASKS:
        case KEEPER_WATCH_DOUBTS:
                doubt(keeper, now - watch->next > watch->limit / LATE_PART, now);
                break;
        case KEEPER_WATCH_ENDS:
                kill(keeper->core, SIGKILL);
                watch->stage = KEEPER_WATCH_KILLED;
                watch->next = KEEPER_NEVER;
                break;
        case KEEPER_WATCH_KILLED:
                break;
        }
}

uint64_t keeper_watch_next(const Keeper *keeper) {
        return is_watched(keeper) ? keeper->watch.next : KEEPER_NEVER;
}
