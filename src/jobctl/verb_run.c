/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * run: a command as a unit without a file
 *
 * The command runs as a service of the manager; in a scope, which jobctl
 * joins before it executes the command; or as a service that a timer, a path
 * or a socket starts. The behaviour is that of systemd-run.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/run.h"
#include "jobctl/run_terminal.h"
#include "jobctl/verbs.h"
#include "jobctl/wait.h"

/* Rewords an error of the manager, which names the arguments of its method. */
static int fail_to_start(Jobctl *ctl, const RunPlan *plan, const BusError *error) {
        return jobctl_fail(ctl, error, "start transient %s unit",
                           plan->trigger ? strrchr(plan->trigger, '.') + 1 : strrchr(plan->unit, '.') + 1);
}

/* 0 also if the job has failed but the unit has run: then the end of the unit is reported. */
static int wait_for_job(Jobctl *ctl, const RunPlan *plan, JobWait *wait, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *state = NULL;
        int r = job_wait_run(ctl, wait);

        if (r != 0)
                return r;
        if (plan->options->wait && jobctl_unit_property(ctl, unit, "ActiveState", &state, &error) == 0 &&
            text_equal(json_string_value(state), "failed"))
                return 0;
        return job_wait_report(ctl, wait);
}

/* A token, so that jobd recognizes the repeated request after its restart. */
static int add_token(json_t *properties) {
        char token[JOBCTL_TOKEN_SIZE];
        int r = jobctl_make_token(token);

        if (r < 0)
                return r;
        return json_array_append_new(properties, json_pack("[s{ss}]", "RequestToken", "s", token)) < 0 ? -ENOMEM : 0;
}

static int start_unit(Jobctl *ctl, const RunPlan *plan, const char *unit, json_t *properties, json_t *others) {
        cleanup_(job_wait_deinit) JobWait wait = {};
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        const char *job;
        int r = add_token(properties);

        if (r < 0)
                return r;
        r = jobctl_subscribe(ctl, &error);
        wait.n_connections = ctl->n_connections;
        if (r == 0)
                r = jobctl_call(ctl, "StartTransientUnit", "ssa(sv)a(sa(sv))",
                                json_pack("[ssOO]", unit, "fail", properties, others), &reply, &error);
        if (r < 0)
                return fail_to_start(ctl, plan, &error);
        if (plan->options->wait && !(ctl->kept_units = json_pack("[s]", unit)))
                return -ENOMEM;
        job = strrchr(value_item_string(reply, 0), '/');
        if (plan->options->no_block || !job)
                return 0;
        r = job_wait_add(&wait, (uint32_t) strtoul(job + 1, NULL, 10), unit, "start", true);
        return r < 0 ? r : wait_for_job(ctl, plan, &wait, unit);
}

static void say(const RunPlan *plan, const char *format, const char *unit) {
        if (!plan->options->quiet && !plan->options->json)
                terminal_say(stderr, format, unit);
}

static int print_result(Jobctl *ctl, const RunPlan *plan, const RunEnd *end, int status) {
        cleanup_json_ json_t *document = NULL;

        if (!plan->options->json || status < 0)
                return status;
        document = json_pack("{s:b, s:s}", "ok", status == EXIT_OK, "unit", plan->unit);
        if (document && plan->trigger)
                json_object_set_new(document, "trigger", json_string(plan->trigger));
        if (document && end->properties) {
                json_object_set(document, "result", json_object_get(end->properties, "Result"));
                json_object_set(document, "code", json_object_get(end->properties, "ExecMainCode"));
                json_object_set(document, "status", json_object_get(end->properties, "ExecMainStatus"));
        }
        return jobctl_print_json(ctl, take_ptr(document), status);
}

/* — service, scope, trigger — */

static int run_service(Jobctl *ctl, RunPlan *plan) {
        cleanup_json_ json_t *properties = NULL, *others = json_array();
        cleanup_(run_terminal_end) RunTerminal terminal = {};
        RunEnd end = {};
        int r = 0;

        if (plan->options->pty)
                r = run_terminal_open(&terminal, &plan->terminal);
        if (r == 0)
                r = run_plan_service(ctl, plan, &properties);
        if (r == 0)
                r = start_unit(ctl, plan, plan->unit, properties, others);
        if (r != 0)
                return r;
        say(plan, "Running as unit: %s", plan->unit);
        if (plan->options->pty)
                r = run_terminal_begin(&terminal, !plan->options->quiet && !plan->options->json);
        if (r == 0 && plan->options->wait)
                r = run_wait(ctl, plan, &end);
        run_terminal_end(&terminal);
        if (r == 0) {
                if (plan->options->wait && !plan->options->quiet && !plan->options->json)
                        run_print_end(&end);
                r = print_result(ctl, plan, &end, end.status);
        }
        json_decref(end.properties);
        return r;
}

static int run_scope(Jobctl *ctl, RunPlan *plan) {
        cleanup_json_ json_t *properties = NULL, *others = json_array();
        int r;

        r = run_plan_scope(ctl, plan, &properties);
        if (r == 0)
                r = start_unit(ctl, plan, plan->unit, properties, others);
        if (r != 0)
                return r;
        say(plan, "Running scope as unit: %s", plan->unit);
        return run_become(ctl, plan);
}

static int run_triggered(Jobctl *ctl, RunPlan *plan) {
        cleanup_json_ json_t *properties = NULL, *service = NULL, *others = NULL;
        const char *type = strrchr(plan->trigger, '.') + 1;
        char format[64];
        int r;

        r = run_plan_trigger(ctl, plan, &properties);
        if (r == 0 && plan->command)
                r = run_plan_service(ctl, plan, &service);
        if (r != 0)
                return r;
        others = plan->command ? json_pack("[[sO]]", plan->unit, service) : json_array();
        r = others ? start_unit(ctl, plan, plan->trigger, properties, others) : -ENOMEM;
        if (r != 0)
                return r;
        snprintf(format, sizeof(format), "Running %s as unit: %%s", type);
        say(plan, format, plan->trigger);
        if (plan->command)
                say(plan, "Will run service as unit: %s", plan->unit);
        return print_result(ctl, plan, &(RunEnd) {}, EXIT_OK);
}

static int run_command(Jobctl *ctl, const RunOptions *options, char *const *command) {
        cleanup_(run_plan_deinit) RunPlan plan = {};
        int r = run_plan_make(ctl, options, command, &plan);

        sigaction(SIGPIPE, NULL, &plan.on_pipe);
        if (r == 0)
                r = jobctl_connect(ctl);
        if (r != 0)
                return r;
        if (options->scope)
                return run_scope(ctl, &plan);
        return plan.trigger ? run_triggered(ctl, &plan) : run_service(ctl, &plan);
}

int verb_run(Jobctl *ctl, char *const *words) {
        cleanup_(run_options_deinit) RunOptions options = {};
        cleanup_(strv_freep) char **command = NULL;
        int r = run_options_parse(ctl, &options, words, &command);

        if (r != 0)
                return r;
        if (options.help) {
                printf("jobctl run [OPTION…] COMMAND [ARGUMENT…]\n\nRun a command as a unit that has no file.\n\n"
                       "Options:\n");
                run_options_print_help(stdout);
                return EXIT_OK;
        }
        ctl->options.is_user = options.is_user;
        ctl->options.is_system = options.is_system;
        ctl->options.socket = options.socket;
        ctl->options.no_ask_password = options.no_ask_password;
        ctl->options.json = options.json;
        jobctl_choose_manager(ctl);
        return run_command(ctl, &options, command);
}
