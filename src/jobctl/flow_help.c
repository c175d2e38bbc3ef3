/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow, batch, stream: a line of help for each of their verbs
 */

#include <stdio.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"

typedef struct HelpLine {
        const char *word, *arguments, *help;
} HelpLine;

static const HelpLine flow_lines[] = {
        { "start", "FLOW… [NAME=VALUE…]", "Submit a run; --wait waits for its end" },
        { "plan", "FLOW [NAME=VALUE…]", "Say what a start would do" },
        { "list", "[FLOW]", "List runs" },
        { "show", "RUN[/NODE]", "Show a run, or the last of a flow, and its nodes; --follow goes on" },
        { "why", "RUN[/NODE]|FLOW", "Say what it waits for, or why it has failed" },
        { "logs", "RUN[/NODE]", "Show the output of commands" },
        { "result", "RUN/NODE", "Print the result of a node" },
        { "graph", "FLOW|RUN|FILE", "Draw the nodes for graphviz" },
        { "pause", "RUN", "Begin nothing new, until it is resumed" },
        { "resume", "RUN", "Let a run go on" },
        { "stop", "RUN", "Begin nothing new, and end with what runs" },
        { "cancel", "RUN", "End a run and what runs" },
        { "retry", "RUN [NODE]", "Execute again what has failed" },
        { "rerun", "RUN/NODE", "Execute a node and all below it again" },
        { "resolve", "RUN/NODE --as=OUTCOME", "Decide about a node that is PENDING" },
        { "skip", "RUN/NODE", "Leave a node out" },
        { "approve", "RUN/NODE [--reject]", "Let a node begin that waits for an approval" },
        { "complete", "[TOKEN [RESULT]]", "Complete a node with Callback=" },
        { "compensate", "RUN", "Undo what has succeeded" },
        { "add-nodes", "RUN[/NODE] FILE", "Add nodes to a run that lives" },
        { "delete", "RUN", "Have a run listed no more" },
        { "locks", "[LOCK]", "List locks and resources, and who has them" },
        { "unlock", "RUN[/NODE] [LOCK]", "Have nodes give up locks that do not run" },
        { "alarms", "[FLOW]", "List what asks for a person" },
        { "ack", "ALARM…|--all", "Acknowledge alarms" },
        { "import", "--from=FORMAT FILE", "Make flows of another program's workflow" },
};

static const HelpLine batch_lines[] = {
        { "start", "BATCH… [NAME=VALUE…]|RUN", "Submit a run, or go on with one; --wait waits for its end" },
        { "list", "[BATCH]", "List runs of batches" },
        { "show", "RUN|BATCH", "Show a run, or the last of a batch; --follow goes on with its progress" },
        { "why", "RUN|BATCH", "Say what it waits for, or why it has failed" },
        { "logs", "RUN[/ITEM]|BATCH[/ITEM]", "Show the output of commands, or that for one item" },
        { "errors", "RUN|BATCH", "List the items that have failed and are not tried again" },
        { "retry-errors", "RUN", "Issue the items again that are errors" },
        { "pause", "RUN", "Issue nothing more, until it is resumed" },
        { "resume", "RUN", "Let a run go on where it was, with a whole error budget" },
        { "cancel", "RUN", "End a run and what is out" },
        { "proceed", "RUN", "Let a run go on that is AWAITING its owner (ManualStart=)" },
        { "delete", "RUN", "Have a run listed no more" },
};

static const HelpLine stream_lines[] = {
        { "push", "STREAM < DATA", "Push an element into --group=; with --each-line or --tsv many" },
        { "list", "[STREAM]", "List streams that have runs, or the groups of one" },
        { "show", "STREAM [GROUP]", "Show a stream and its groups at work, or the elements of a group" },
        { "why", "STREAM", "Say what it waits for, or why it has ended" },
        { "resolve", "STREAM GROUP [ELEMENT] --as=OUTCOME", "Decide about an element that is PENDING" },
        { "pause", "STREAM", "Begin no more elements, until it is resumed; pushes go on" },
        { "resume", "STREAM", "Let it go on" },
        { "cancel", "STREAM", "End its run; elements that have not begun are not executed" },
};

static const struct {
        const char *verb, *about;
        const HelpLine *lines;
        size_t n;
} helps[] = {
        { "flow", "Runs of flows", flow_lines, ELEMENTSOF(flow_lines) },
        { "batch", "Runs of batches", batch_lines, ELEMENTSOF(batch_lines) },
        { "stream", "Streams, their groups and elements", stream_lines, ELEMENTSOF(stream_lines) },
};

int flow_help(Jobctl *ctl, const char *verb, const char *word) {
        const HelpLine *lines;
        bool is_known = !word;
        size_t of = 0, n;

        for (size_t i = 0; i < ELEMENTSOF(helps); i++)
                if (text_equal(verb, helps[i].verb))
                        of = i;
        lines = helps[of].lines;
        n = helps[of].n;
        for (size_t i = 0; i < n; i++)
                is_known |= text_equal(word, lines[i].word);
        if (!is_known)
                return jobctl_misused(ctl, "There is no '%s %s'; 'jobctl help %s' lists what there is.", verb, word,
                                      verb);
        if (!word)
                printf("jobctl [OPTION…] %s VERB …\n\n%s.\n\n", verb, helps[of].about);
        for (size_t i = 0; i < n; i++)
                if (text_equal(word, lines[i].word))
                        printf("jobctl [OPTION…] %s %s %s\n\n%s.\n", verb, word, lines[i].arguments, lines[i].help);
                else if (!word)
                        printf("  %-10s %s%*s  %s\n", lines[i].word, lines[i].arguments,
                               MAX(0, 22 - (int) terminal_text_width(lines[i].arguments)), "", lines[i].help);
        puts("\nSee 'jobctl help' for the options and jobctl(1) for details and examples.");
        return EXIT_OK;
}
