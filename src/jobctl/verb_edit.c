/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * edit: a drop-in, or a copy of the whole file, in an editor
 *
 * The edited text is in a temporary folder with the layout of the search
 * path, so it can be verified together with the rest of the unit. A rename
 * then puts the whole file where jobd reads it.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/edit_text.h"
#include "jobctl/names.h"
#include "jobctl/offline.h"
#include "jobctl/verbs.h"
#include "unit/unit_name.h"
#include "unitfile/file_write.h"
#include "unitfile/install_folder.h"

#define DROP_IN_DEFAULT "override.conf"

typedef struct Edit {
        Jobctl *ctl;
        const char *name;               /* borrowed: of the unit */
        char **search_path;             /* owned */
        char *fragment;                 /* owned: the main file, or NULL */
        char **others;                  /* owned: further files, for reading */
        char *target;                   /* owned: the path to write */
        char *folder;                   /* owned: temporary, or NULL */
        char *file;                     /* owned: in it */
        char *hint;                     /* owned: the unit that may be meant instead; NULL: it is not known */
        size_t n_errors;
} Edit;

/* The temporary folder has one file, perhaps in a subfolder. */
static void edit_deinit(Edit *edit) {
        if (edit->file) {
                (void) unlink(edit->file);
                *strrchr(edit->file, '/') = '\0';
                if (edit->folder && strcmp(edit->file, edit->folder) != 0)
                        (void) rmdir(edit->file);
        }
        if (edit->folder)
                (void) rmdir(edit->folder);
        free(edit->fragment);
        free(edit->target);
        free(edit->folder);
        free(edit->file);
        free(edit->hint);
        strv_free(edit->search_path);
        strv_free(edit->others);
}

static int fail(Edit *edit, int code, const char *what, const char *path) {
        cleanup_(bus_error_deinit) BusError error = {};

        if (code == -ENOMEM)
                return code;
        bus_error_set(&error, "org.jobd1.Failed", "Cannot %s %s: %s", what, path, strerror(-code));
        return jobctl_fail(edit->ctl, &error, NULL);
}

static int refuse(Edit *edit, const char *name, const char *format, const char *argument) {
        cleanup_(bus_error_deinit) BusError error = {};

        bus_error_set(&error, name, format, argument);
        (void) jobctl_fail(edit->ctl, &error, NULL);
        return EXIT_FAILED;
}

/* — the present files — */

static bool is_mask(const char *path) {
        char target[16];

        return readlink(path, target, sizeof(target)) == 9 && memcmp(target, "/dev/null", 9) == 0;
}

/* The first file of that name on the search path. */
static int find_fragment(Edit *edit, const char *name) {
        strv_foreach(folder, edit->search_path) {
                cleanup_free_ char *path = NULL;
                int r = text_join_path(*folder, name, &path);

                if (r < 0)
                        return r;
                if (access(path, F_OK) == 0 || is_mask(path)) {
                        edit->fragment = take_ptr(path);
                        return 0;
                }
        }
        return 0;
}

/* With a manager all drop-ins; without, only the file to edit. */
static int find_files(Edit *edit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *unit = NULL;
        cleanup_free_ char *template = NULL;
        const char *hint;
        json_t *dropin;
        size_t i;
        int r = find_fragment(edit, edit->name), n;

        if (r == 0 && !edit->fragment && unit_name_is_instance(edit->name) &&
            (r = unit_name_template(edit->name, &template)) == 0)
                r = find_fragment(edit, template);
        if (r < 0 || !edit->ctl->bus || unit_name_is_template(edit->name) ||
            jobctl_unit_properties(edit->ctl, edit->name, BUS_UNIT, &unit, &error) < 0)
                return r;
        hint = value_hint(unit, &n);
        r = text_format(&edit->hint, "%.*s", n, hint);
        json_array_foreach(json_object_get(unit, "DropInPaths"), i, dropin)
                if (r == 0)
                        r = strv_push(&edit->others, json_string_value(dropin));
        if (r == 0 && !edit->fragment && text_starts_with(value_string(unit, "FragmentPath"), "builtin:"))
                r = text_format(&edit->fragment, "%s", value_string(unit, "FragmentPath"));
        return r;
}

static int check_files(Edit *edit) {
        bool is_new = edit->ctl->options.n_force > 0 && edit->ctl->options.full;
        cleanup_free_ char *missing = NULL;

        if (edit->fragment && is_mask(edit->fragment))
                return refuse(edit, "org.jobd1.UnitMasked", "Unit %s is masked: unmask it first, with 'jobctl unmask'.",
                              edit->name);
        if (edit->fragment || is_new)
                return 0;
        if (text_format(&missing, "%s%s", edit->name, edit->hint ?: "") < 0)
                return -ENOMEM;
        return refuse(edit, "org.jobd1.NoSuchUnit",
                      "No files found for %s. 'jobctl edit --full --force' makes a new unit.", missing);
}

/* — the target — */

static int choose_target(Edit *edit) {
        FolderKind wanted = edit->ctl->options.runtime ? FOLDER_RUNTIME : FOLDER_CONFIG;
        const char *drop_in = edit->ctl->options.drop_in ?: DROP_IN_DEFAULT;
        const char *suffix = text_ends_with(drop_in, ".conf") ? "" : ".conf";

        if (strchr(drop_in, '/') || drop_in[0] == '.' || !*drop_in)
                return jobctl_misused(edit->ctl, "--drop-in=%s: must be the name of a file.", drop_in);
        strv_foreach(folder, edit->search_path) {
                if (folder_kind(*folder, NULL) != wanted)
                        continue;
                if (edit->ctl->options.full)
                        return text_join_path(*folder, edit->name, &edit->target);
                return text_format(&edit->target, "%s/%s.d/%s%s", *folder, edit->name, drop_in, suffix);
        }
        return refuse(edit, "org.freedesktop.DBus.Error.NotSupported",
                      "The search path has no folder for files of %s.", wanted == FOLDER_RUNTIME ? "this boot" :
                      "the administrator");
}

static int make_temporary(Edit *edit) {
        const char *base = getenv("TMPDIR"), *last = strrchr(edit->target, '/') + 1;
        cleanup_free_ char *folder = NULL, *inner = NULL;
        int r = text_format(&folder, "%s/jobctl-edit-XXXXXX", base && *base == '/' ? base : "/tmp");

        if (r < 0)
                return r;
        if (!mkdtemp(folder))
                return -errno;
        edit->folder = take_ptr(folder);
        if (edit->ctl->options.full)
                return text_join_path(edit->folder, last, &edit->file);
        r = text_format(&inner, "%s/%s.d", edit->folder, edit->name);
        if (r == 0 && mkdir(inner, 0700) < 0)
                r = -errno;
        return r < 0 ? r : text_join_path(inner, last, &edit->file);
}

static int write_file(const char *path, const char *text) {
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), r;

        if (fd < 0)
                return -errno;
        r = file_write_text(fd, text);
        if (r == 0 && fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
                r = -errno;
        close(fd);
        return r;
}

/* — the editor — */

static int editor_words(char ***ret_words) {
        static const char *const variables[] = { "SYSTEMD_EDITOR", "EDITOR", "VISUAL" };
        static const char *const programs[] = { "/usr/bin/editor", "/usr/bin/nano", "/bin/nano", "/usr/bin/vim",
                                                "/usr/bin/vi", "/bin/vi" };

        for (size_t i = 0; i < ELEMENTSOF(variables); i++) {
                const char *value = getenv(variables[i]);

                if (value && *value)
                        return strv_split(value, " \t", ret_words);
        }
        for (size_t i = 0; i < ELEMENTSOF(programs); i++)
                if (access(programs[i], X_OK) == 0)
                        return strv_push(ret_words, programs[i]);
        return -ENOENT;
}

static int run_editor(Edit *edit) {
        cleanup_(strv_freep) char **words = NULL;
        int status, r = editor_words(&words);
        pid_t pid;

        if (r == -ENOENT)
                return refuse(edit, "org.jobd1.Failed", "There is no editor: set $%s or --stdin.", "EDITOR");
        if (r == 0)
                r = strv_push(&words, edit->file);
        if (r < 0)
                return r;
        fflush(stdout);
        pid = fork();
        if (pid < 0)
                return -errno;
        if (pid == 0) {
                execvp(words[0], words);
                _exit(127);
        }
        while (waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        return -errno;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
                return refuse(edit, "org.jobd1.Failed", "Cannot run the editor %s.", words[0]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                return refuse(edit, "org.jobd1.Failed", "The editor %s failed; nothing was changed.", words[0]);
        return 0;
}

/* The present text: the target itself, or for a whole file the file that it replaces. */
static int compose(Edit *edit, char **ret_text) {
        cleanup_free_ char *contents = NULL;
        cleanup_(strv_freep) char **others = NULL;
        int r = edit_text_read(edit->target, &contents);

        if (r == -ENOENT && edit->ctl->options.full && edit->fragment && edit->fragment[0] == '/')
                r = edit_text_read(edit->fragment, &contents);
        if (r == -ENOENT)
                r = text_format(&contents, "%s", "");
        if (r == 0 && !edit->ctl->options.full && edit->fragment)
                r = strv_push(&others, edit->fragment);
        strv_foreach(other, edit->others)
                if (r == 0 && strcmp(*other, edit->target) != 0)
                        r = strv_push(&others, *other);
        return r < 0 ? r : edit_text_compose(edit->target, contents, others, ret_text);
}

static int edit_by_hand(Edit *edit, char **ret_contents) {
        cleanup_free_ char *text = NULL, *edited = NULL;
        int r = compose(edit, &text);

        if (r == 0)
                r = write_file(edit->file, text);
        if (r < 0)
                return fail(edit, r, "prepare", edit->file);
        r = run_editor(edit);
        if (r != 0)
                return r;
        r = edit_text_read(edit->file, &edited);
        if (r == 0)
                r = edit_text_extract(edited, ret_contents);
        return r < 0 ? fail(edit, r, "read", edit->file) : 0;
}

/* — installing the text — */

static void receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        Edit *edit = userdata;
        const char *file = text_equal(diagnostic->file, edit->file) ? edit->target : diagnostic->file ?: edit->name;

        if (diagnostic->severity == UNIT_FILE_NOTE)
                return;
        edit->n_errors += diagnostic->severity == UNIT_FILE_ERROR;
        terminal_say(stderr, "%s:%u: %s%s%s%s", file, diagnostic->line,
                     diagnostic->severity == UNIT_FILE_ERROR ? "error: " : "warning: ", diagnostic->setting ?: "",
                     diagnostic->setting ? "=: " : "", diagnostic->message);
}

static int verify(Edit *edit) {
        int r = unit_file_verify(edit->file, &(UnitFileOptions) { .search_path = edit->search_path,
                                                                  .is_user = edit->ctl->address.is_user,
                                                                  .receiver = receive, .userdata = edit });

        if (r < 0)
                return fail(edit, r, "verify", edit->file);
        if (edit->n_errors == 0 || edit->ctl->options.n_force > 0)
                return 0;
        return refuse(edit, "org.jobd1.BadUnitSetting",
                      "The unit could not be used with these settings, so nothing was changed: %s. With --force it is.",
                      edit->name);
}

/* Writes a temporary name beside the target, then renames it. */
static int take(Edit *edit, const char *contents) {
        cleanup_free_ char *folder = strdup(edit->target), *beside = NULL;
        const char *name = strrchr(edit->target, '/') + 1;
        int fd, r;

        if (!folder)
                return -ENOMEM;
        *strrchr(folder, '/') = '\0';
        r = folder_open("", folder, true, &fd);
        if (r < 0)
                return fail(edit, r, "make the folder", folder);
        close(fd);
        r = text_format(&beside, "%s/.#%s-%d", folder, name, (int) getpid());
        if (r == 0)
                r = write_file(beside, contents);
        if (r == 0 && rename(beside, edit->target) < 0)
                r = -errno;
        if (r < 0) {
                (void) unlink(beside);
                return fail(edit, r, "write", edit->target);
        }
        if (!edit->ctl->options.quiet && !edit->ctl->options.json)
                terminal_say(stderr, "Successfully installed edited file '%s'.", edit->target);
        return 0;
}

static int edit_contents(Edit *edit, const char *text) {
        cleanup_free_ char *contents = NULL;
        int r;

        r = text ? text_format(&contents, "%s", text) : edit_by_hand(edit, &contents);
        if (r != 0)
                return r;
        if (!*contents)
                return refuse(edit, "org.jobd1.Canceled", "Editing %s was canceled: the file would be empty.",
                              edit->target);
        r = write_file(edit->file, contents);
        if (r < 0)
                return fail(edit, r, "write", edit->file);
        r = verify(edit);
        return r != 0 ? r : take(edit, contents);
}

static int edit_unit(Jobctl *ctl, const char *name, const char *text, json_t *documents) {
        cleanup_(edit_deinit) Edit edit = { .ctl = ctl, .name = name };
        int r = offline_search_path(ctl, &edit.search_path);

        if (r == 0)
                r = find_files(&edit);
        if (r == 0)
                r = check_files(&edit);
        if (r == 0)
                r = choose_target(&edit);
        if (r != 0)
                return r;
        r = make_temporary(&edit);
        if (r < 0)
                return fail(&edit, r, "make a temporary file for", name);
        r = edit_contents(&edit, text);
        if (r != 0)
                return r;
        r = json_array_append_new(documents, json_pack("{s:s, s:s}", "unit", name, "path", edit.target));
        return r < 0 ? -ENOMEM : 0;
}

static int reload(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};

        if (!ctl->bus || ctl->options.no_reload)
                return EXIT_OK;
        if (jobctl_call(ctl, "Reload", NULL, NULL, NULL, &error) >= 0)
                return EXIT_OK;
        return jobctl_fail(ctl, &error, "reload unit files");
}

int verb_edit(Jobctl *ctl, char *const *words) {
        cleanup_(installer_freep) Installer *installer = NULL;
        cleanup_json_ json_t *documents = json_array();
        cleanup_(strv_freep) char **names = NULL;
        cleanup_free_ char *text = NULL;
        int r;

        if (ctl->options.root)
                return jobctl_misused(ctl, "'edit' does not go with '--root'.");
        if (ctl->options.full && ctl->options.drop_in)
                return jobctl_misused(ctl, "'--full' and '--drop-in' exclude each other.");
        if (!ctl->options.from_stdin && !isatty(STDIN_FILENO) && !getenv("SYSTEMD_EDITOR"))
                return jobctl_misused(ctl, "An editor needs a terminal. Use '--stdin' to read the text from standard "
                                           "input, or name an editor that needs none in $SYSTEMD_EDITOR.");
        r = offline_open(ctl, &installer);
        if (r == 0 && ctl->options.from_stdin)
                r = edit_text_read_fd(STDIN_FILENO, &text);
        if (r == 0)
                r = names_resolve(ctl, words, ".service", &names);
        strv_foreach(name, names)
                if (r == 0)
                        r = edit_unit(ctl, *name, text, documents);
        /* Files installed before another one failed are reported, too. */
        if (json_array_size(documents) > 0) {
                int reloaded = reload(ctl);

                r = r != 0 ? r : reloaded;
        }
        if (r != 0 || !ctl->options.json)
                return r;
        return jobctl_print_json(ctl, json_pack("{s:b, s:O}", "ok", 1, "files", documents), EXIT_OK);
}
