/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow: a line of help for each of its verbs
 */

#include <stdio.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"

static const struct {
        const char *word, *arguments, *help;
} lines[] = {
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

int flow_help(Jobctl *ctl, const char *word) {
        bool is_known = !word;

        for (size_t i = 0; i < ELEMENTSOF(lines); i++)
                is_known |= text_equal(word, lines[i].word);
        if (!is_known)
                return jobctl_misused(ctl, "There is no 'flow %s'; 'jobctl help flow' lists what there is.", word);
        if (!word)
                puts("jobctl [OPTION…] flow VERB …\n\nRuns of flows.\n");
        for (size_t i = 0; i < ELEMENTSOF(lines); i++)
                if (text_equal(word, lines[i].word))
                        printf("jobctl [OPTION…] flow %s %s\n\n%s.\n", word, lines[i].arguments, lines[i].help);
                else if (!word)
                        printf("  %-10s %s%*s  %s\n", lines[i].word, lines[i].arguments,
                               MAX(0, 22 - (int) terminal_text_width(lines[i].arguments)), "", lines[i].help);
        puts("\nSee 'jobctl help' for the options and jobctl(1) for details and examples.");
        return EXIT_OK;
}
