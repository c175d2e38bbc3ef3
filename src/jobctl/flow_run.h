/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * flow, batch: verbs about runs, which ask the manager
 */

#include "jobctl/jobctl.h"

int flow_start(Jobctl *ctl, char *const *words);
int flow_command(Jobctl *ctl, char *const *words); /* what people do to runs and nodes: pause, approve, … */
int flow_plan(Jobctl *ctl, char *const *words);
int flow_add_nodes(Jobctl *ctl, char *const *words);
int flow_list(Jobctl *ctl, char *const *words);
int flow_show(Jobctl *ctl, char *const *words);
int flow_why(Jobctl *ctl, char *const *words);
int flow_draw(Jobctl *ctl, char *const *words); /* graph; connects by itself, if it has to */
int flow_logs(Jobctl *ctl, char *const *words);
int flow_locks(Jobctl *ctl, char *const *words);
int flow_unlock(Jobctl *ctl, char *const *words);
int flow_result(Jobctl *ctl, char *const *words);
int flow_alarms(Jobctl *ctl, char *const *words);
int flow_ack(Jobctl *ctl, char *const *words);
int flow_complete(Jobctl *ctl, char *const *words);
int batch_errors(Jobctl *ctl, char *const *words);

/* The person who asks; NULL: not known. */
const char *flow_operator(const Jobctl *ctl);
/* Names the person and the request, for the events. */
int flow_identify(Jobctl *ctl, BusError *ret_error);

/* Submits a run, and waits for it with --wait: an exit status, or < 0. @options: as of StartRun. */
typedef int FlowStart(Jobctl *ctl, const char *unit, const json_t *options);
/* --for=: runs for times of the timer of @unit, by @start; the options of each are added to @options. */
int flow_start_for(Jobctl *ctl, const char *unit, json_t *options, FlowStart *start);
/* The rows that a method of a run or of the manager answers with, of all pages, at most @max: 0 or < 0. */
int flow_query(Jobctl *ctl, const char *path, const char *method, json_t *filters /* taken over */, size_t max,
               json_t **ret_rows, BusError *ret_error);
/* The number of a run by that or by its name: 0, or an exit status after a message. */
int flow_parse_run(Jobctl *ctl, const char *word, uint64_t *ret_id);
/* RUN or RUN/NODE; the caller owns *@ret_node, NULL: none is named. As above. */
int flow_parse_node(Jobctl *ctl, const char *word, uint64_t *ret_id, char **ret_node);
/* The same for what only reads: FLOW or FLOW/NODE stands for the flow's last run. */
int flow_parse_subject(Jobctl *ctl, const char *word, uint64_t *ret_id, char **ret_node);
/* The row of a run: 0, -ENOENT, or < 0. */
int flow_get(Jobctl *ctl, uint64_t id, json_t **ret_row, BusError *ret_error);
/*
 * Rows of nodes of a run in which @key is @value, NULL: all; and untouched nodes of a run that lives, whatever @key is.
 * 0 or < 0.
 */
int flow_query_nodes(Jobctl *ctl, uint64_t id, const char *key, const char *value, json_t **ret_rows,
                     BusError *ret_error);
/* The row of a node: 0, or < 0, with NoSuchNode too. */
int flow_get_node(Jobctl *ctl, uint64_t id, const char *name, json_t **ret_row, BusError *ret_error);
/* The colour of the state of a run or node. */
TerminalColor flow_color_of_state(const char *state);
/* Whether a run in that state has ended. */
bool flow_state_is_end(const char *state);

/* — flow_alarm.c — */

/* Alarms that are open, of a run or, with 0, of all: how many, and a line that says so. 0 or < 0. */
int flow_print_alarms(Jobctl *ctl, uint64_t run, BusError *ret_error);
/* The alarms of a run, as an array. */
int flow_get_alarms(Jobctl *ctl, uint64_t run, json_t **ret_alarms, BusError *ret_error);

/* — flow_help.c — */

/* Prints a line for each verb of "flow" or "batch", or the help of one: an exit status. @word: NULL: all. */
int flow_help(Jobctl *ctl, const char *verb, const char *word);

/* — flow_follow.c — */

/* Has the manager tell of a run and its nodes: 0 or < 0. */
int flow_watch(Jobctl *ctl, uint64_t id, BusError *ret_error);
/* Prints what happens to a run that is watched, until it has ended: an exit status, or < 0. */
int flow_follow(Jobctl *ctl, const json_t *run, BusError *ret_error);

/* — flow_word.c — */

/* The first word of the command, "flow" or "batch", and the suffix that names get by it. */
bool flow_is_batch(const Jobctl *ctl);
const char *flow_word(const Jobctl *ctl);
const char *flow_suffix(const Jobctl *ctl);
bool flow_unit_is_batch(const char *unit);
/* Says which verb is for units of the type of @unit: EXIT_USAGE. */
int flow_refuse_unit(Jobctl *ctl, const char *unit);
/* 0, or the same for a unit that the word is not for. */
int flow_judge_unit(Jobctl *ctl, const char *unit);
/* The unit of the other type with the same name, if there is one: the caller owns it, NULL: there is none. 0 or < 0. */
int flow_find_other(Jobctl *ctl, const char *unit, char **ret_other);
/* The unit of a run: the caller owns it, NULL: it is not known. 0 or -ENOMEM. */
int flow_get_unit(Jobctl *ctl, uint64_t id, char **ret_unit);

/* — batch_show.c — */

/* Puts the counts of now into the row of a run of a batch, and what it waits for. 0 or < 0. */
int batch_add_now(Jobctl *ctl, json_t *run, BusError *ret_error);
/* The lines about its items. */
void batch_print_items(const json_t *run);
/* Prints how a run that is watched goes on, until it has ended: an exit status, or < 0. */
int batch_follow(Jobctl *ctl, const json_t *run, BusError *ret_error);
