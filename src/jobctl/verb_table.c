/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A table of verbs: looked up, and printed as the help text
 *
 * A verb that looks up another one (help, or enable --now, which starts units)
 * gets the table from its Jobctl: this file knows no verb.
 */

#include <stdlib.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/verb_table.h"

const Verb *verb_find(const VerbTable *table, const char *name) {
        for (size_t i = 0; i < table->n; i++)
                if (text_equal(table->rows[i].name, name))
                        return &table->rows[i];
        return NULL;
}

/* The verb with the most similar name, or NULL. */
static const char *find_nearest(const VerbTable *table, const char *name) {
        cleanup_free_ const char **names = calloc(table->n + 1, sizeof(*names));
        size_t n = 0;

        if (!names)
                return NULL;
        for (size_t i = 0; i < table->n; i++)
                if (table->rows[i].name)
                        names[n++] = table->rows[i].name;
        return text_nearest(name, names, n);
}

/* Words of other tools, and of systemd's that jobctl calls otherwise. */
static const char *find_meant(const char *name) {
        static const struct {
                const char *word, *meant;
        } words[] = {
                { "check", "verify" }, { "describe", "status" }, { "dot", "graph" }, { "down", "stop" },
                { "dump", "show" }, { "info", "status" }, { "inspect", "show" }, { "journal", "logs" },
                { "journalctl", "logs" }, { "lint", "verify" }, { "list", "list-units" }, { "ls", "list-units" },
                { "plot", "blame" }, { "ps", "top" }, { "remove", "disable" },
                { "services", "list-units --type=service" }, { "tail", "logs -f" }, { "timers", "list-timers" },
                { "up", "start" }, { "validate", "verify" },
        };

        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (text_equal(words[i].word, name))
                        return words[i].meant;
        return NULL;
}

int verb_complain(Jobctl *ctl, const char *name) {
        const char *nearest = find_meant(name) ?: find_nearest(ctl->verbs, name);

        if (nearest)
                return jobctl_misused(ctl, "Unknown verb '%s'. Did you mean '%s'?", name, nearest);
        return jobctl_misused(ctl, "Unknown verb '%s'. See 'jobctl help'.", name);
}

static void print_synopsis(FILE *stream, const Verb *verb, int indent, int width) {
        char left[64];

        snprintf(left, sizeof(left), "%s %s", verb->name, verb->arguments);
        fprintf(stream, "%*s%s%*s  %s\n", indent, "", left, MAX(0, width - (int) terminal_text_width(left)), "",
                verb->help);
}

void verb_print_help(FILE *stream, const VerbTable *table, const Verb *verb) {
        if (verb) {
                fprintf(stream, "jobctl [OPTION…] %s %s\n\n%s.\n\n", verb->name, verb->arguments, verb->help);
                fprintf(stream, "See 'jobctl help' for the options and jobctl(1) for details and examples.\n");
                return;
        }
        for (size_t i = 0; i < table->n; i++)
                if (table->rows[i].name)
                        print_synopsis(stream, &table->rows[i], 2, 30);
                else
                        fprintf(stream, "\n%s:\n", table->rows[i].help);
}
