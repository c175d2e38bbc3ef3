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
        char *terminal;                 /* owned: the path of a terminal made for the command; NULL: none */
        struct sigaction on_pipe;       /* the action of SIGPIPE before the connection, which ignores it */
} RunPlan;

void run_plan_deinit(RunPlan *plan);

/* Finds the program and chooses the names. 0, an exit status with the reason reported, or < 0. */
int run_plan_make(Jobctl *ctl, const RunOptions *options, char *const *command, RunPlan *ret_plan);

/*
 * The properties of the service, the scope, and the trigger, as an a(sv) for value_append(). 0, an exit status with the
 * reason reported, or < 0.
 */
int run_plan_service(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties);
int run_plan_scope(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties);
int run_plan_trigger(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties);

/* The end of a service. */
typedef struct RunEnd {
        json_t *properties;             /* owned: all properties of the unit; NULL: jobctl did not wait */
        int status;                     /* the exit status of jobctl */
} RunEnd;

/* Waits for the end of the service: 0, an exit status with the reason reported, or < 0. */
int run_wait(Jobctl *ctl, const RunPlan *plan, RunEnd *ret_end);
void run_print_end(const RunEnd *end);

/* Executes the command in place of jobctl: returns an exit status only if that fails. */
int run_become(Jobctl *ctl, const RunPlan *plan);
