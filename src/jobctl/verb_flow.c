/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow: the verbs of two words. import needs no manager
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_import.h"
#include "jobctl/flow_run.h"
#include "jobctl/value.h"
#include "jobctl/verbs.h"
#include "unit/unit_name.h"
#include "unitfile/file_text.h"
#include "unitfile/file_write.h"

#define IMPORT_MAX (1024U * 1024U * 1024U)

/* One import. */
typedef struct Import {
        Jobctl *ctl; /* borrowed */
        const char *source; /* borrowed: the file that is read */
        const char *folder; /* borrowed */
        char *unit; /* owned: NAME.flow … */
        char *nodes; /* owned: … and NAME.jsonl */
        ImportedFlow flow;
} Import;

static void import_deinit(Import *import) {
        free(import->unit);
        free(import->nodes);
        imported_flow_deinit(&import->flow);
}

static const struct {
        const char *name;
        ImportReader read;
} formats[] = {
        { "wfcommons", import_wfcommons },
};

static ImportReader find_format(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(formats); i++)
                if (text_equal(formats[i].name, name))
                        return formats[i].read;
        return NULL;
}

static int fail(const Import *import, const char *path, unsigned line, const char *problem) {
        char place[16] = "";

        if (line > 0)
                snprintf(place, sizeof(place), ":%u", line);
        terminal_say(stderr, "%s%s: error: %s.", path, place, problem);
        return EXIT_FAILED;
}

/* "/tmp/a b.json" → "a_b": the name of the unit and its files. */
static int name_files(Import *import) {
        const char *slash = strrchr(import->source, '/');
        cleanup_free_ char *name = strdup(slash ? slash + 1 : import->source);
        int r;

        if (!name)
                return -ENOMEM;
        if (text_ends_with(name, ".json"))
                name[strlen(name) - strlen(".json")] = '\0';
        for (char *at = name; *at; at++)
                if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *at))
                        *at = '_';
        r = text_format(&import->unit, "%s.flow", name);
        return r < 0 ? r : text_format(&import->nodes, "%s.jsonl", name);
}

static int read_source(Import *import, ImportReader reader) {
        cleanup_free_ char *text = NULL, *problem = NULL;
        FileProblem file_problem;
        unsigned line = 0;
        struct stat st;
        int r = file_text_read_up_to(import->source, IMPORT_MAX, "The file is larger than 1 GiB.", &text, &st,
                                     &file_problem);

        if (r == -EBADMSG) {
                terminal_say(stderr, "%s:%u: error: %s", import->source, file_problem.line, file_problem.text);
                return EXIT_FAILED;
        }
        if (r < 0 && r != -ENOMEM)
                return fail(import, import->source, 0, strerror(-r));
        if (r == 0)
                r = reader(text, strlen(text), &import->flow, &problem, &line);
        if (r == -EBADMSG)
                return fail(import, import->source, line, problem);
        return r < 0 ? r : import_name_nodes(&import->flow);
}

static int write_file(const Import *import, int folder, const char *name, const char *text) {
        cleanup_free_ char *path = NULL;
        int r = import->ctl->options.n_force > 0 ? file_write_whole(folder, name, text)
                                                 : file_write_new(folder, name, text);

        if (r == 0)
                return 0;
        if (text_join_path(import->folder, name, &path) < 0)
                return -ENOMEM;
        return fail(import, path, 0, r == -EEXIST ? "There is such a file (--force replaces it)" : strerror(-r));
}

static int write_files(const Import *import, const char *flow, const char *nodes) {
        int folder = open(import->folder, O_PATH | O_DIRECTORY | O_CLOEXEC), r = 0;

        if (folder < 0)
                return fail(import, import->folder, 0, strerror(errno));
        if (nodes)
                r = write_file(import, folder, import->nodes, nodes);
        if (r == 0)
                r = write_file(import, folder, import->unit, flow);
        close(folder);
        return r;
}

/* — what is told — */

static int print_json(const Import *import, bool has_nodes) {
        json_t *document = json_object(), *files = json_array(), *notes = json_array();
        cleanup_free_ char *unit = NULL, *nodes = NULL;
        int r = text_join_path(import->folder, import->unit, &unit);

        if (r == 0 && has_nodes)
                r = text_join_path(import->folder, import->nodes, &nodes);
        if (r == 0)
                json_array_append_new(files, json_string(unit));
        if (r == 0 && nodes)
                json_array_append_new(files, json_string(nodes));
        for (size_t i = 0; i < import->flow.notes.n; i++) {
                const ImportNote *note = &import->flow.notes.items[i];

                json_array_append_new(notes, json_pack("{s:i, s:s, s:i, s:s}", "line", (int) note->line, "what",
                                                       note->what, "count", (int) note->n, "message", note->text));
        }
        json_object_set_new(document, "files", files);
        json_object_set_new(document, "nodes", json_integer((json_int_t) import->flow.tasks.n));
        json_object_set_new(document, "notes", notes);
        return jobctl_print_json(import->ctl, document, r < 0 ? r : EXIT_OK);
}

static int print_text(const Import *import, bool has_nodes) {
        const Options *options = &import->ctl->options;

        for (size_t i = 0; !options->quiet && i < import->flow.notes.n; i++) {
                const ImportNote *note = &import->flow.notes.items[i];
                char place[16] = "", count[32] = "";

                if (note->line > 0)
                        snprintf(place, sizeof(place), ":%u", note->line);
                if (note->n > 1)
                        snprintf(count, sizeof(count), " (%u times)", note->n);
                terminal_say(stderr, "%s%s: note: %s %s%s.", import->source, place, note->what, note->text, count);
        }
        printf("%s/%s\n", import->folder, import->unit);
        if (has_nodes)
                printf("%s/%s\n", import->folder, import->nodes);
        return EXIT_OK;
}

static int import_file(Import *import, ImportReader reader) {
        cleanup_free_ char *flow = NULL, *nodes = NULL;
        bool has_nodes;
        int r = name_files(import);

        if (r == 0)
                r = read_source(import, reader);
        if (r != 0)
                return r;
        has_nodes = import->flow.tasks.n > IMPORT_SECTIONS_MAX;
        r = import_write(&import->flow, import->source, has_nodes ? import->nodes : NULL, &flow, &nodes);
        if (r == 0)
                r = write_files(import, flow, nodes);
        if (r != 0)
                return r;
        return import->ctl->options.json ? print_json(import, has_nodes) : print_text(import, has_nodes);
}

static int flow_import(Jobctl *ctl, char *const *words) {
        cleanup_(import_deinit) Import import = {
                .ctl = ctl,
                .source = words[0],
                .folder = ctl->options.output ? ctl->options.output : ".",
        };
        ImportReader reader = find_format(ctl->options.from);

        if (!ctl->options.from)
                return jobctl_misused(ctl, "Name the format of the file, as in 'flow import --from=wfcommons %s'.",
                                      words[0] ? words[0] : "FILE");
        if (!reader)
                return jobctl_misused(ctl, "'%s' is no format that flows are imported from; this is: wfcommons.",
                                      ctl->options.from);
        if (!words[0] || words[1])
                return jobctl_misused(ctl, "'flow import' takes one file.");
        return import_file(&import, reader);
}

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
        { "delete", flow_command, true },  { "locks", flow_locks, false },
};

static const char list_of_verbs[] = "start, list, show, logs, why, retry, rerun, resolve, skip, approve, pause, "
                                    "resume, stop, cancel, delete, locks and import";

int verb_flow(Jobctl *ctl, char *const *words) {
        if (text_equal(words[0], "import"))
                return flow_import(ctl, words + 1);
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
