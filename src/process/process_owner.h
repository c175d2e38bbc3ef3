/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * An owner of processes and timers
 *
 * The tables of this folder refer to the requester of a process, a timer or a
 * signal by its ProcessOwner, which is embedded in the requesting object:
 * units are one kind of owner. A request is named by (owner, purpose) and is
 * plain data, never a closure, so it can be recorded and repeated.
 *
 * The ops of an owner report the result of a request. When .changed says that
 * the part of its record written by these tables has changed, the owner marks
 * its record.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "unit/unit_purpose.h"

typedef struct ProcessOwner ProcessOwner;
struct ExecRequest; /* exec/exec.h */
struct ExecResult;
struct ExecRest; /* exec/exec_kill.h */
struct ResourceSettings; /* unitfile/resource_settings.h */

/* How an owner wants its control group. */
typedef struct ProcessGroupTerms {
        ProcessOwner *parent; /* the group is in that of this owner; NULL: in that of its slice */
        const struct ResourceSettings *resources; /* borrowed; NULL: nothing is said */
        bool is_slice; /* others are in it; the owner has no processes itself */
        bool is_begun; /* its processes belong to this run, not to an earlier one */
        bool keeps_leftovers; /* which are not to be killed */
        bool is_over; /* the owner has ended: its group goes when it is empty */
} ProcessGroupTerms;

/* The depth of slices is limited by the length of their names. */
#define PROCESS_SLICES_MAX 128U

/* A slice that the group of an owner is in. */
typedef struct ProcessSlice {
        const char *name; /* borrowed, as all of it */
        const struct ResourceSettings *resources; /* NULL: nothing is said */
        const ProcessOwner *owner; /* NULL: it was not made with settings */
} ProcessSlice;

/* Everything but .changed may be NULL, if it does not apply to the owner. */
typedef struct ProcessOwnerOps {
        bool is_silent; /* its processes have nowhere to send messages about the owner */

        /*
         * Fills in command and context when the process is about to be made. 0; -ECANCELED if it is not wanted any
         * more; or < 0 with the result set, which is passed to .spawned.
         */
        int (*prepare)(ProcessOwner *owner, UnitPurpose purpose, struct ExecRequest *request,
                       struct ExecResult *result);
        void (*spawned)(ProcessOwner *owner, UnitPurpose purpose, pid_t pid /* 0: failed */,
                        const struct ExecResult *result);
        void (*exited)(ProcessOwner *owner, const UnitExit *exit);
        void (*elapsed)(ProcessOwner *owner, UnitPurpose purpose);
        void (*fd_ready)(ProcessOwner *owner, uint32_t index, uint32_t events);

        /*
         * Counts, or signals, all processes in the owner's control group except two. The count may include processes
         * that are about to be gone, if .exited or another call will follow. -ENOENT: there is no group, so the
         * processes must be searched for.
         */
        int (*count_group)(ProcessOwner *owner, pid_t main_pid, pid_t control_pid);
        int (*signal_group)(ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid);
        /*
         * Describes how to recognize the owner's processes outside of the group, by .invocation_id at least; the two
         * exempt ones are filled in already. NULL: there are none outside of the group.
         */
        void (*describe_rest)(ProcessOwner *owner, struct ExecRest *rest);

        /* False: the owner has no control group. */
        bool (*describe_group)(ProcessOwner *owner, ProcessGroupTerms *terms);
        /* The slices that its group is in, the innermost first: how many. */
        size_t (*list_slices)(ProcessOwner *owner, ProcessSlice slices[static PROCESS_SLICES_MAX]);
        void (*group_emptied)(ProcessOwner *owner); /* the last process has gone; its exit may be told after */
        void (*group_out_of_memory)(ProcessOwner *owner); /* the kernel has killed a process of it */
        void (*freezer_changed)(ProcessOwner *owner);

        void (*changed)(ProcessOwner *owner); /* a timer or process of it was added, removed or replaced */
        /* A timer, process or errand was removed, so the owner may be freed if nothing else needs it. */
        void (*released)(ProcessOwner *owner);
} ProcessOwnerOps;

struct ProcessOwner {
        const ProcessOwnerOps *ops;
        const char *name; /* borrowed: name in records and in the log */
        struct ProcessTimer *timers; /* of process_timer.c, at most one for each purpose */
        struct Process *processes; /* of process_table.c */
        struct ProcessWatch *watches; /* of process_watch.c */
        uint32_t n_errands; /* of process_errand.c */
        bool told_refusals; /* of process_group.c: settings of its group are without effect */
        struct ProcessGroup *group; /* … its control group in this run; NULL: it has none yet */
};

static inline bool process_owner_has_processes(const ProcessOwner *owner) {
        return owner->processes;
}

/* Returns true if there is something of it to be recorded. */
static inline bool process_owner_has_record(const ProcessOwner *owner) {
        return owner->timers || owner->processes;
}

/* Returns true if it has a control group, or waits for a timer or an errand. */
static inline bool process_owner_is_busy(const ProcessOwner *owner) {
        return owner->group || owner->timers || owner->n_errands > 0;
}

static inline void process_owner_changed(ProcessOwner *owner) {
        owner->ops->changed(owner);
}

static inline void process_owner_released(ProcessOwner *owner) {
        if (owner->ops->released)
                owner->ops->released(owner);
}
