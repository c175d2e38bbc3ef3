/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow import: the files that are read and written. Needs no manager
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/flow_import.h"
#include "jobctl/value.h"
#include "unitfile/file_text.h"
#include "unitfile/file_write.h"

#define IMPORT_MAX (1024U * 1024U * 1024U)
/* Of a file that a person writes. */
#define IMPORT_SMALL_MAX (1024U * 1024U)

typedef struct ImportFormat {
        const char *name;
        ImportReader read;
        const char *suffixes[3]; /* that a file may have */
        bool has_large; /* flows of many nodes, which are written to a file of their own */
        bool is_small; /* IMPORT_SMALL_MAX is enough for a file */
} ImportFormat;

static const ImportFormat formats[] = {
        { "wfcommons", import_wfcommons, { ".json" }, true },
        { "crontab", import_crontab, { ".crontab", ".cron" }, false },
        { "dagu", import_dagu, { ".yaml", ".yml" }, .is_small = true },
};

/* A file to be written. */
typedef struct ImportedFile {
        char *name; /* owned */
        char *text; /* owned */
} ImportedFile;

/* One import. */
typedef struct Import {
        Jobctl *ctl; /* borrowed */
        const ImportFormat *format;
        const char *source; /* borrowed: the file that is read */
        const char *folder; /* borrowed */
        char *name; /* owned: of units, without suffix */
        ImportOutput output;
        VECTOR(ImportedFile) files;
} Import;

static void import_deinit(Import *import) {
        for (size_t i = 0; i < import->files.n; i++) {
                free(import->files.items[i].name);
                free(import->files.items[i].text);
        }
        vector_deinit(&import->files);
        free(import->name);
        import_output_deinit(&import->output);
}

static int fail(const Import *import, const char *path, unsigned line, const char *problem) {
        const size_t n = strlen(problem);
        cleanup_(bus_error_deinit) BusError error = {};
        char place[16] = "";

        if (line > 0)
                snprintf(place, sizeof(place), ":%u", line);
        if (!import->ctl->options.json) {
                terminal_say(stderr, "%s%s: error: %s%s", path, place, problem,
                             n > 0 && problem[n - 1] == '.' ? "" : ".");
                return EXIT_FAILED;
        }
        bus_error_set(&error, "org.jobd1.ImportFailed", "%s%s: %s%s", path, place, problem,
                      n > 0 && problem[n - 1] == '.' ? "" : ".");
        return jobctl_fail(import->ctl, &error, NULL);
}

/* "/tmp/a b.json" → "a_b". */
static int name_unit(Import *import) {
        const char *slash = strrchr(import->source, '/');
        char *name = strdup(slash ? slash + 1 : import->source);

        import->name = name;
        if (!name)
                return -ENOMEM;
        for (size_t i = 0; i < ELEMENTSOF(import->format->suffixes) && import->format->suffixes[i]; i++)
                if (text_ends_with(name, import->format->suffixes[i]) &&
                    strlen(name) > strlen(import->format->suffixes[i])) {
                        name[strlen(name) - strlen(import->format->suffixes[i])] = '\0';
                        break;
                }
        if (strlen(name) > IMPORT_NAME_MAX)
                name[IMPORT_NAME_MAX] = '\0';
        for (char *at = name; *at; at++)
                if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *at))
                        *at = '_';
        return 0;
}

/* The folder of the file, as an absolute path without links. */
static char *find_folder(const char *source) {
        char *folder = realpath(source, NULL), *slash = folder ? strrchr(folder, '/') : NULL;

        if (slash)
                slash[slash == folder] = '\0';
        return folder;
}

static int read_source(Import *import) {
        cleanup_free_ char *text = NULL, *folder = find_folder(import->source);
        ImportInput input = {
                .name = import->name,
                .folder = folder ? folder : "/",
                .has_users = import->ctl->options.user_column,
        };
        const bool is_small = import->format->is_small;
        FileProblem file_problem;
        struct stat st;
        int r = file_text_read_up_to(import->source, is_small ? IMPORT_SMALL_MAX : IMPORT_MAX,
                                     is_small ? "The file is larger than 1 MiB." : "The file is larger than 1 GiB.",
                                     &text, &st, &file_problem);

        if (r == -EBADMSG)
                return fail(import, import->source, file_problem.line, file_problem.text);
        if (r < 0 && r != -ENOMEM)
                return fail(import, import->source, 0, strerror(-r));
        input.text = text;
        if (r == 0) {
                input.n = strlen(text);
                r = import->format->read(&input, &import->output);
        }
        if (r == -EBADMSG)
                return fail(import, import->source, import->output.line, import->output.problem);
        for (size_t i = 0; r == 0 && i < import->output.flows.n; i++)
                r = import_name_nodes(import->output.flows.items[i]);
        return r;
}

/* — what is written — */

/* Takes @text, which may be NULL: then there is no such file. */
static int add_file(Import *import, const char *name, const char *suffix, char *text) {
        ImportedFile file = { .text = text };
        int r = text ? text_format(&file.name, "%s%s", name, suffix) : 0;

        if (text && (r < 0 || vector_push(&import->files, file) < 0)) {
                free(file.name);
                free(text);
                return -ENOMEM;
        }
        return 0;
}

static int write_flow(Import *import, const ImportedFlow *flow) {
        const char *name = flow->name ? flow->name : import->name;
        const bool has_nodes = import->format->has_large && flow->tasks.n > IMPORT_SECTIONS_MAX;
        cleanup_free_ char *nodes_name = NULL, *unit_name = NULL;
        char *unit = NULL, *nodes = NULL, *timer = NULL;
        int r = text_format(&nodes_name, "%s.jsonl", name);

        if (r == 0)
                r = text_format(&unit_name, "%s.flow", name);
        if (r == 0)
                r = import_write(flow, import->source, has_nodes ? nodes_name : NULL, &unit, &nodes);
        if (r < 0)
                return r;
        /* Each is taken, whatever becomes of the others. */
        r = add_file(import, name, ".flow", unit);
        r = MIN(r, add_file(import, name, ".jsonl", nodes));
        if (r == 0)
                r = import_write_timer(flow, import->source, unit_name, &timer);
        return r < 0 ? r : add_file(import, name, ".timer", timer);
}

static int fail_file(const Import *import, const ImportedFile *file, int error) {
        cleanup_free_ char *path = NULL;

        if (error == -ENOMEM || text_join_path(import->folder, file->name, &path) < 0)
                return -ENOMEM;
        return fail(import, path, 0,
                    error == -EEXIST ? "There is such a file (--force replaces it)" : strerror(-error));
}

/* All files, or none because one is there already. */
static int write_files(const Import *import, int folder) {
        const bool replaces = import->ctl->options.n_force > 0;
        int r = 0;

        for (size_t i = 0; !replaces && i < import->files.n; i++)
                if (faccessat(folder, import->files.items[i].name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
                        return fail_file(import, &import->files.items[i], -EEXIST);
        for (size_t i = 0; r == 0 && i < import->files.n; i++) {
                const ImportedFile *file = &import->files.items[i];

                r = replaces ? file_write_whole(folder, file->name, file->text)
                             : file_write_new(folder, file->name, file->text);
                if (r < 0)
                        return fail_file(import, file, r);
        }
        return r;
}

/* — what is told — */

static int print_json(const Import *import) {
        json_t *document = json_object(), *files = json_array(), *notes = json_array();
        size_t n_nodes = 0;
        int r = 0;

        for (size_t i = 0; r == 0 && i < import->files.n; i++) {
                cleanup_free_ char *path = NULL;

                r = text_join_path(import->folder, import->files.items[i].name, &path);
                if (r == 0)
                        json_array_append_new(files, json_string(path));
        }
        for (size_t i = 0; i < import->output.flows.n; i++)
                n_nodes += import->output.flows.items[i]->tasks.n;
        for (size_t i = 0; i < import->output.notes.n; i++) {
                const ImportNote *note = &import->output.notes.items[i];

                json_array_append_new(notes, json_pack("{s:i, s:s, s:i, s:s}", "line", (int) note->line, "what",
                                                       note->what, "count", (int) note->n, "message", note->text));
        }
        json_object_set_new(document, "files", files);
        json_object_set_new(document, "nodes", json_integer((json_int_t) n_nodes));
        json_object_set_new(document, "notes", notes);
        return jobctl_print_json(import->ctl, document, r < 0 ? r : EXIT_OK);
}

static int print_text(const Import *import) {
        const Options *options = &import->ctl->options;

        for (size_t i = 0; !options->quiet && i < import->output.notes.n; i++) {
                const ImportNote *note = &import->output.notes.items[i];
                char place[16] = "", count[32] = "";

                if (note->line > 0)
                        snprintf(place, sizeof(place), ":%u", note->line);
                if (note->n > 1)
                        snprintf(count, sizeof(count), " (%u times)", note->n);
                terminal_say(stderr, "%s%s: note: %s %s%s.", import->source, place, note->what, note->text, count);
        }
        for (size_t i = 0; i < import->files.n; i++)
                printf("%s/%s\n", import->folder, import->files.items[i].name);
        return EXIT_OK;
}

static int import_file(Import *import) {
        int folder, r = name_unit(import);

        if (r == 0)
                r = read_source(import);
        for (size_t i = 0; r == 0 && i < import->output.flows.n; i++)
                r = write_flow(import, import->output.flows.items[i]);
        if (r != 0)
                return r;
        folder = open(import->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0)
                return fail(import, import->folder, 0, strerror(errno));
        r = write_files(import, folder);
        close(folder);
        if (r != 0)
                return r;
        return import->ctl->options.json ? print_json(import) : print_text(import);
}

int flow_import(Jobctl *ctl, char *const *words) {
        cleanup_(import_deinit) Import import = {
                .ctl = ctl,
                .source = words[0],
                .folder = ctl->options.output ? ctl->options.output : ".",
        };

        for (size_t i = 0; i < ELEMENTSOF(formats); i++)
                if (text_equal(formats[i].name, ctl->options.from))
                        import.format = &formats[i];
        if (!ctl->options.from)
                return jobctl_misused(ctl, "Name the format of the file, as in 'flow import --from=wfcommons %s'.",
                                      words[0] ? words[0] : "FILE");
        if (!import.format)
                return jobctl_misused(ctl,
                                      "'%s' is no format that flows are imported from; these are: wfcommons, "
                                      "crontab, dagu.",
                                      ctl->options.from);
        if (!words[0] || words[1])
                return jobctl_misused(ctl, "'flow import' takes one file.");
        if (ctl->options.user_column && import.format->read != import_crontab)
                return jobctl_misused(ctl, "--user-column is of --from=crontab.");
        return import_file(&import);
}
