/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * From a command line to an exit status
 *
 * Looks up options and verb in their tables, connects if the verb needs it,
 * and returns the result of the verb as the exit status.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/ascii.h"
#include "jobctl/verbs.h"
#include "unitfile/install.h"

static int check_words(Jobctl *ctl, const Verb *verb, char *const *words) {
        size_t n = strv_length(words);

        if (n < verb->min)
                return jobctl_misused(ctl, "'%s' needs %s: jobctl %s %s", verb->name,
                                      verb->min == 1 ? "an argument" : "more arguments", verb->name, verb->arguments);
        if (n > verb->max)
                return jobctl_misused(ctl, "'%s' takes no '%s': jobctl %s%s%s", verb->name, words[verb->max],
                                      verb->name, *verb->arguments ? " " : "", verb->arguments);
        return 0;
}

/* A word that is not UTF-8 cannot be sent over D-Bus, and no unit has such a name. */
static const char *find_invalid(char *const *words) {
        strv_foreach(word, words)
                if (!text_is_utf8(*word))
                        return *word;
        return NULL;
}

static int run_words(Jobctl *ctl, char *const *words) {
        const char *name = words && words[0] ? words[0] : "list-units";
        char *const *rest = words && words[0] ? words + 1 : NULL;
        const Verb *verb = verb_find(ctl->verbs, name);
        int r;

        if (ctl->options.version)
                return verb_version(ctl, NULL);
        if (ctl->options.help)
                return verb_help(ctl, words);
        if (find_invalid(words))
                return jobctl_misused(ctl, "'%s' is not valid UTF-8.", find_invalid(words));
        if (!verb)
                return verb_complain(ctl, name);
        ctl->verb = verb;
        r = check_words(ctl, verb, rest);
        if (r == 0 && !verb->is_offline)
                r = jobctl_connect(ctl);
        return r != 0 ? r : verb->run(ctl, rest);
}

/* Without this, the connection could become standard output. Writing to a closed descriptor still fails. */
static void reserve_standard_descriptors(void) {
        for (int fd = 0; fd <= STDERR_FILENO; fd++)
                if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
                        return;
}

/* Without memory the streams stay as they are. A pipe gets the text as it is. */
static void use_ascii(const Terminal *terminal) {
        if (terminal->is_out_terminal)
                stdout = ascii_stream(STDOUT_FILENO, _IOLBF) ?: stdout;
        if (terminal->is_err_terminal)
                stderr = ascii_stream(STDERR_FILENO, _IONBF) ?: stderr;
}

/* A stream writes the beginning of a mark that nothing follows when it is closed. */
static void end_ascii(FILE **stream, FILE *before) {
        if (*stream == before)
                return;
        (void) fclose(*stream);
        *stream = before;
}

int jobctl_run(char *const *argv) {
        cleanup_(strv_freep) char **words = NULL;
        cleanup_free_ char *complaint = NULL;
        FILE *const out = stdout, *const err = stderr;
        Jobctl ctl = { .verbs = &verbs };
        int r;

        reserve_standard_descriptors();
        r = options_parse(&ctl.options, argv, &words, &complaint);
        terminal_init(&ctl.terminal, ctl.options.no_color);
        if (!ctl.terminal.has_utf8 && !ctl.options.json)
                use_ascii(&ctl.terminal);
        if (r == -EINVAL)
                r = jobctl_misused(&ctl, "%s", complaint);
        else if (r == 0) {
                jobctl_choose_manager(&ctl);
                r = run_words(&ctl, words);
        }
        if (r < 0) {
                terminal_say(stderr, "jobctl: %s.", strerror(-r));
                r = EXIT_FAILED;
        }
        if ((fflush(stdout) != 0 || ferror(stdout)) && r == EXIT_OK) {
                terminal_say(stderr, "jobctl: cannot write the output: %s.", strerror(errno));
                r = EXIT_FAILED;
        }
        bus_close(ctl.bus);
        installer_free(ctl.installer);
        json_decref(ctl.kept_units);
        options_deinit(&ctl.options);
        end_ascii(&stdout, out);
        end_ascii(&stderr, err);
        return r;
}
