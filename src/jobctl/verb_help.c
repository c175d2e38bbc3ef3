/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * help, version
 */

#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/verbs.h"

int verb_version(Jobctl *ctl, char *const *words) {
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:s}", "version", JOBD_VERSION), EXIT_OK);
        puts("jobctl " JOBD_VERSION);
        return EXIT_OK;
}

int verb_help(Jobctl *ctl, char *const *words) {
        if (words && words[0]) {
                const Verb *verb = verb_find(ctl->verbs, words[0]);

                if (!verb)
                        return verb_complain(ctl, words[0]);
                if (verb->run == verb_flow || verb->run == verb_stream)
                        return flow_help(ctl, words[0], words[1]);
                if (words[1] && !ctl->options.help)
                        return jobctl_misused(ctl, "'%s' is one word too many.", words[1]);
                verb_print_help(stdout, ctl->verbs, verb);
                return EXIT_OK;
        }
        printf("jobctl [OPTION…] [VERB] [WORD…]\n\nControl jobd, and show what it does and why.\n");
        verb_print_help(stdout, ctl->verbs, NULL);
        printf("\nOptions:\n");
        options_print_help(stdout);
        printf("\nSee jobctl(1) for details, examples and exit statuses.\n");
        return EXIT_OK;
}
