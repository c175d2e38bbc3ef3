/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow: the verbs of two words. import and graph need no manager
 */

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_import.h"
#include "jobctl/flow_run.h"
#include "jobctl/verbs.h"

static const struct {
        const char *word;
        int (*run)(Jobctl *ctl, char *const *words);
        bool keeps_word; /* the handler serves several */
} flow_verbs[] = {
        { "start", flow_start, false },    { "list", flow_list, false },     { "show", flow_show, false },
        { "why", flow_why, false },        { "explain", flow_why, false },   { "logs", flow_logs, false },
        { "pause", flow_command, true },   { "resume", flow_command, true }, { "stop", flow_command, true },
        { "cancel", flow_command, true },  { "retry", flow_command, true },  { "rerun", flow_command, true },
        { "resolve", flow_command, true }, { "skip", flow_command, true },   { "approve", flow_command, true },
        { "compensate", flow_command, true },
        { "add-nodes", flow_add_nodes, false },
        { "delete", flow_command, true },  { "alarms", flow_alarms, false }, { "ack", flow_ack, false },
        { "complete", flow_complete, false },
        { "locks", flow_locks, false },    { "unlock", flow_unlock, false },
        { "result", flow_result, false },
        { "plan", flow_plan, false },
};

static const char list_of_verbs[] = "start, plan, list, show, result, logs, why, retry, rerun, resolve, skip, approve, "
                                    "pause, resume, stop, cancel, compensate, add-nodes, delete, complete, locks, "
                                    "unlock, alarms, ack, graph and import";

int verb_flow(Jobctl *ctl, char *const *words) {
        if (text_equal(words[0], "import"))
                return flow_import(ctl, words + 1);
        if (text_equal(words[0], "graph"))
                return flow_draw(ctl, words + 1);
        for (size_t i = 0; i < ELEMENTSOF(flow_verbs); i++) {
                int r;

                if (!text_equal(flow_verbs[i].word, words[0]))
                        continue;
                jobctl_choose_manager(ctl);
                r = jobctl_connect(ctl);
                return r != 0 ? r : flow_verbs[i].run(ctl, words + (flow_verbs[i].keeps_word ? 0 : 1));
        }
        if (text_equal(words[0], "lint") || text_equal(words[0], "verify"))
                return jobctl_misused(ctl, "'jobctl verify FILE' checks flows, too.");
        return jobctl_misused(ctl, "There is no 'flow %s'; 'flow' has %s.", words[0], list_of_verbs);
}
