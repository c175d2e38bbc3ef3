/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow, batch: the verbs of two words. import and graph need no manager
 */

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_import.h"
#include "jobctl/flow_run.h"
#include "jobctl/verbs.h"

typedef struct FlowVerb {
        const char *word;
        int (*run)(Jobctl *ctl, char *const *words);
        bool keeps_word; /* the handler serves several */
} FlowVerb;

static const FlowVerb flow_verbs[] = {
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

static const FlowVerb batch_verbs[] = {
        { "start", flow_start, false },   { "list", flow_list, false },      { "show", flow_show, false },
        { "why", flow_why, false },       { "explain", flow_why, false },    { "logs", flow_logs, false },
        { "errors", batch_errors, false }, { "pause", flow_command, true },  { "resume", flow_command, true },
        { "cancel", flow_command, true }, { "proceed", flow_command, true }, { "delete", flow_command, true },
        { "retry-errors", flow_command, true },
};

static const char list_of_flow[] = "start, plan, list, show, result, logs, why, retry, rerun, resolve, skip, approve, "
                                   "pause, resume, stop, cancel, compensate, add-nodes, delete, complete, locks, "
                                   "unlock, alarms, ack, graph and import";
static const char list_of_batch[] = "start, list, show, why, logs, errors, retry-errors, pause, resume, "
                                    "cancel, proceed and delete";

static const FlowVerb *find(const FlowVerb *verbs_of_one, size_t n, const char *word) {
        for (size_t i = 0; i < n; i++)
                if (text_equal(verbs_of_one[i].word, word))
                        return &verbs_of_one[i];
        return NULL;
}

static const FlowVerb *find_flow(const char *word) {
        return find(flow_verbs, ELEMENTSOF(flow_verbs), word);
}

static const FlowVerb *find_batch(const char *word) {
        return find(batch_verbs, ELEMENTSOF(batch_verbs), word);
}

static int complain_flow(Jobctl *ctl, const char *word) {
        if (text_equal(word, "lint") || text_equal(word, "verify"))
                return jobctl_misused(ctl, "'jobctl verify FILE' checks flows, too.");
        if (find_batch(word))
                return jobctl_misused(ctl, "There is no 'flow %s', but 'jobctl batch %s', for runs of batches.", word,
                                      word);
        return jobctl_misused(ctl, "There is no 'flow %s'; 'flow' has %s.", word, list_of_flow);
}

static int complain_batch(Jobctl *ctl, char *const *words) {
        const char *run = words[1] ? words[1] : "RUN";

        if (text_equal(words[0], "stop"))
                return jobctl_misused(ctl, "Pause or cancel? 'jobctl batch pause %s' lets it go on later where it was, "
                                           "'jobctl batch cancel %s' ends it.", run, run);
        if (text_equal(words[0], "lint") || text_equal(words[0], "verify"))
                return jobctl_misused(ctl, "'jobctl verify FILE' checks batches, too.");
        if (text_equal(words[0], "alarms") || text_equal(words[0], "ack"))
                return jobctl_misused(ctl, "'jobctl flow %s' is about alarms of batches, too.", words[0]);
        return jobctl_misused(ctl, "There is no 'batch %s'; 'batch' has %s.", words[0], list_of_batch);
}

int verb_flow(Jobctl *ctl, char *const *words) {
        const bool is_batch = flow_is_batch(ctl);
        const FlowVerb *verb = is_batch ? find_batch(words[0]) : find_flow(words[0]);
        int r;

        ctl->subverb = words[0];
        if (!is_batch && text_equal(words[0], "import"))
                return flow_import(ctl, words + 1);
        if (!is_batch && text_equal(words[0], "graph"))
                return flow_draw(ctl, words + 1);
        if (!verb)
                return is_batch ? complain_batch(ctl, words) : complain_flow(ctl, words[0]);
        jobctl_choose_manager(ctl);
        r = jobctl_connect(ctl);
        return r != 0 ? r : verb->run(ctl, words + (verb->keeps_word ? 0 : 1));
}
