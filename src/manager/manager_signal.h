/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Signals to the manager
 */

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "manager/manager_turn.h"
#include "job/job_type.h"
#include "unit/unit_settings.h"

/* Called in a turn. */
typedef struct ManagerSignalOps {
        void (*children)(void *userdata);               /* there may be children to reap */
        void (*end)(void *userdata, int signal, bool is_repeated);
        void (*reload)(void *userdata);
        void (*log_jobs)(void *userdata);               /* log the running jobs */
        void (*log_counts)(void *userdata);             /* log the numbers of objects */
        void (*start)(void *userdata, const char *unit, const char *instead /* if there is no such unit, or NULL */,
                      JobMode mode, pid_t sender);
        void (*leave)(void *userdata, UnitAction action);
} ManagerSignalOps;

typedef struct ManagerSignals {
        ManagerTurn *turn;              /* borrowed */
        const ManagerSignalOps *ops;
        void *userdata;                 /* borrowed */
        bool is_machine;                /* handles the signals of an init */
        bool is_container;              /* signals that halt a machine end it */
        bool is_kept;                   /* the keeper passes signals on */
        bool was_told_to_end;
        sd_event_source *settling;      /* owned; on while a second signal to end counts as the first */
        usec_t keys_since;              /* time of the first of .n_keys presses of Ctrl-Alt-Del */
        unsigned n_keys;
        sigset_t old_mask;              /* the signal mask before init */
        bool has_old_mask;
} ManagerSignals;

/* Blocks signals, and opens descriptors for them. 0 or -errno. */
int manager_signals_init(ManagerSignals *signals);
void manager_signals_deinit(ManagerSignals *signals);

/* manager_signal_machine.c: signals to the init of a machine. */
int manager_signals_init_machine(ManagerSignals *signals);
void manager_signals_add_machine(sigset_t *set);
