/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Verbs of a script about runs of flows
 *
 * Functions of the table of verbs: each takes its line and returns 0,
 * SIM_E_UNEXPECTED or -EINVAL with a failure, or another errno.
 */

#include "sim/sim.h"
#include "sim/sim_script.h"

/* submit FLOW [queue|reject|skip|replace] [key=WORD] */
int sim_verb_submit(Sim *sim, const SimLine *line, Failure *ret_failure);
/* flow VERB RUN[/NODE] [--as=OUTCOME]: what a person does to a run, as jobctl does. */
int sim_verb_flow(Sim *sim, const SimLine *line, Failure *ret_failure);
/* runs [PATTERN] */
int sim_verb_runs(Sim *sim, const SimLine *line, Failure *ret_failure);
/* nodes RUN */
int sim_verb_nodes(Sim *sim, const SimLine *line, Failure *ret_failure);
/* expect-run RUN STATE [REASON], expect-node RUN/NODE STATE [REASON] */
/* answer RUN/NODE WORD: of the command that judges the node */
int sim_verb_answer(Sim *sim, const SimLine *line, Failure *ret_failure);
/* expect-items RUN done=N|failed=N|running=N|waiting=N|left=N... */
int sim_verb_expect_items(Sim *sim, const SimLine *line, Failure *ret_failure);
int sim_verb_expect_run(Sim *sim, const SimLine *line, Failure *ret_failure);
int sim_verb_expect_node(Sim *sim, const SimLine *line, Failure *ret_failure);

/* — sim_world_verb.c: what happens to core, store and attempts — */

/* attempt RUN/NODE|FLOW/NODE END [after TIME] [ignores-sigterm], END: exit N, signal NAME, never */
int sim_verb_attempt(Sim *sim, const SimLine *line, Failure *ret_failure);
/* auto-attempts END [after TIME|FILE] [ignores-sigterm] */
int sim_verb_auto_attempts(Sim *sim, const SimLine *line, Failure *ret_failure);
/* lose RUN/NODE: nobody knows what its attempt did. */
int sim_verb_lose(Sim *sim, const SimLine *line, Failure *ret_failure);
/* crash core|store|power, crash core at POINT */
int sim_verb_crash(Sim *sim, const SimLine *line, Failure *ret_failure);
/* store slow TIME|hang|full|ok */
int sim_verb_store(Sim *sim, const SimLine *line, Failure *ret_failure);
/* boot [UNIT] */
int sim_verb_boot(Sim *sim, const SimLine *line, Failure *ret_failure);

/* — words — */

/*
 * Splits "RUN/NODE": *ret_run is owned by the caller, *ret_node points into @word and is NULL without a slash. 0 or
 * -ENOMEM.
 */
int sim_split_node(const char *word, char **ret_run, const char **ret_node);
/* "7", or "nightly-7": the number. -EINVAL with @ret_failure. */
int sim_parse_run(const char *word, uint32_t *ret_id, Failure *ret_failure);
/* The run, and its node (NULL: none is asked for): -EINVAL with @ret_failure if there is none. */
int sim_find_node(const Sim *sim, uint32_t id, const char *node, SimRun **ret_run, uint32_t *ret_node,
                  Failure *ret_failure);
