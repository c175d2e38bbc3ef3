/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Listeners: called for each event when it happens
 */

#include <stdbool.h>

#include "basic/vector.h"
#include "job/job_manager.h"
#include "manager/manager_run.h"
#include "unit/unit.h"

/* A listener may only record the event and add to the outbox. Entries may be NULL. */
typedef struct ManagerListenerOps {
        void (*unit_added)(void *userdata, Unit *unit);
        void (*unit_removed)(void *userdata, Unit *unit);
        void (*unit_changed)(void *userdata, Unit *unit);
        void (*unit_reread)(void *userdata, Unit *unit); /* its files say something else; also told as changed */
        void (*job_event)(void *userdata, const JobEvent *event);
        void (*reloading)(void *userdata, bool active);
        void (*unit_files_changed)(void *userdata);
        void (*request_stop)(void *userdata, Unit *unit); /* to the client that controls the unit */
        void (*startup_finished)(void *userdata);
        void (*run_came)(void *userdata, uint32_t run, const char *unit);
        void (*run_went)(void *userdata, uint32_t run, RunState state); /* its end is durable */
        void (*run_suspended)(void *userdata, uint32_t run, const char *unit);
        void (*run_changed)(void *userdata, uint32_t run);
        void (*run_node_changed)(void *userdata, uint32_t run, uint32_t node);
        void (*run_notified)(void *userdata, const ManagerRunNotice *notice);
        void (*run_answered)(void *userdata, const ManagerRunAnswer *answer); /* for the client that has asked */
        void (*end_of_turn)(void *userdata); /* before the outbox is flushed: add collected messages */
} ManagerListenerOps;

typedef struct ManagerListener {
        const ManagerListenerOps *ops;
        void *userdata; /* borrowed */
} ManagerListener;

typedef struct ManagerListeners {
        VECTOR(ManagerListener) all;
} ManagerListeners;

static inline void manager_listeners_remove(ManagerListeners *listeners, const void *userdata) {
        size_t kept = 0;

        for (size_t i = 0; i < listeners->all.n; i++)
                if (listeners->all.items[i].userdata != userdata)
                        listeners->all.items[kept++] = listeners->all.items[i];
        listeners->all.n = kept;
}

#define manager_listeners_tell(l, member, ...) \
        for (size_t i_ = 0; i_ < (l)->all.n; i_++) \
                if ((l)->all.items[i_].ops->member) \
        (l)->all.items[i_].ops->member((l)->all.items[i_].userdata __VA_OPT__(, ) __VA_ARGS__)
