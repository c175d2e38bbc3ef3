/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The parts of "jobctl run"
 */

#include <signal.h>

#include "jobctl/jobctl.h"
#include "jobctl/run_options.h"
#include "jobctl/value.h"

typedef struct RunPlan {
        const RunOptions *options;      /* borrowed */
        char **command;                 /* owned: its first word is the path of the program; NULL: none */
        char *unit;                     /* owned: the service or scope */
        char *trigger;                  /* owned: the timer, path or socket; NULL: none */
        char *description;              /* owned */
        char *terminal;                 /* owned: the path of the one that was made for it; NULL: none */
        struct sigaction on_pipe;       /* what SIGPIPE did before there was a connection, for which it is ignored */
} RunPlan;

void run_plan_deinit(RunPlan *plan);

/* Finds the program, and names. 0, an exit status with the reason said, or < 0. */
int run_plan_make(Jobctl *ctl, const RunOptions *options, char *const *command, RunPlan *ret_plan);

/* The properties of each, as an a(sv) for value_append(). 0, an exit status with the reason said, or < 0. */
int run_plan_service(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties);
int run_plan_scope(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties);
int run_plan_trigger(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties);

/* How a service has ended. */
typedef struct RunEnd {
        json_t *properties;             /* owned: of the unit, all of them; NULL: it was not waited for */
        int status;                     /* for jobctl to exit with */
} RunEnd;

/* Waits for that: 0, an exit status with the reason said, or < 0. */
int run_wait(Jobctl *ctl, const RunPlan *plan, RunEnd *ret_end);
void run_print_end(const RunEnd *end);

/* Becomes the command: returns only if that did not work, with an exit status. */
int run_become(Jobctl *ctl, const RunPlan *plan);
