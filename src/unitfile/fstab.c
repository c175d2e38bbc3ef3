/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading /etc/fstab, and updating the folder of its units
 *
 * libmount reads the file, as the authority on its format; it does not report
 * line numbers, so they are counted separately. A unit file that would not
 * change is not written again, because a reload finds changes by file times.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/text.h"
#include "unitfile/fstab.h"
#include "unitfile/mount_library.h"

#define BAD_LINES_MAX 64

void fstab_say(const FstabOptions *options, UnitFileSeverity severity, unsigned line, const char *format, ...) {
        cleanup_free_ char *clean = NULL, *message = NULL;
        UnitFileDiagnostic diagnostic = { .severity = severity, .file = options->path, .line = line };
        va_list arguments;

        if (!options->receiver)
                return;
        va_start(arguments, format);
        (void) text_vformat(&message, format, arguments);
        va_end(arguments);
        diagnostic.message = !message || text_escape_control(message, &clean) < 0 ? "Out of memory." : clean;
        options->receiver(options->userdata, &diagnostic);
}

static void entry_deinit(FstabEntry *entry) {
        free(entry->what);
        free(entry->where);
        free(entry->type);
        free(entry->options);
}

void fstab_entries_deinit(FstabEntries *entries) {
        for (size_t i = 0; i < entries->n; i++)
                entry_deinit(&entries->items[i]);
        vector_deinit(entries);
}

/* — reading — */

/* Lines that libmount rejected. */
typedef struct BadLines {
        const FstabOptions *options;
        unsigned lines[BAD_LINES_MAX];
        size_t n;
} BadLines;

static int note_bad_line(struct libmnt_table *table, const char *file, int line) {
        BadLines *bad = mount_library()->table_get_userdata(table);

        fstab_say(bad->options, UNIT_FILE_WARNING, (unsigned) line,
                  "The line is not of the form of fstab(5): what, where, type, options, and two numbers; it is "
                  "ignored.");
        if (bad->n < BAD_LINES_MAX)
                bad->lines[bad->n++] = (unsigned) line;
        return 1;
}

static bool is_bad(const BadLines *bad, unsigned line) {
        for (size_t i = 0; i < bad->n; i++)
                if (bad->lines[i] == line)
                        return true;
        return false;
}

/* Stores the line numbers of the entries, in order; excess entries get none. */
static void number_entries(FstabEntries *entries, const BadLines *bad, const char *path) {
        FILE *file = fopen(path, "re");
        cleanup_free_ char *text = NULL;
        size_t size = 0, n = 0;
        unsigned line = 0;

        while (file && n < entries->n && getline(&text, &size, file) >= 0) {
                const char *at = text + strspn(text, " \t");

                line++;
                if (*at != '#' && *at != '\n' && *at != '\0' && !is_bad(bad, line))
                        entries->items[n++].line = line;
        }
        if (file)
                fclose(file);
}

static int copy_text(const char *from, char **slot) {
        *slot = from ? strdup(from) : NULL;
        return from && !*slot ? -ENOMEM : 0;
}

static int add_entry(FstabEntries *entries, const MountLibrary *library, struct libmnt_fs *fs) {
        FstabEntry entry = {};
        int r = 0;

        if (copy_text(library->fs_get_source(fs), &entry.what) < 0 ||
            copy_text(library->fs_get_target(fs), &entry.where) < 0 ||
            copy_text(library->fs_get_fstype(fs), &entry.type) < 0 ||
            copy_text(library->fs_get_options(fs), &entry.options) < 0)
                r = -ENOMEM;
        if (r == 0)
                r = vector_push(entries, entry);
        if (r < 0)
                entry_deinit(&entry);
        return r;
}

static int read_table(const FstabOptions *options, const MountLibrary *library, struct libmnt_table *table,
                      FstabEntries *entries) {
        struct libmnt_iter *iterator = library->new_iter(MNT_ITER_FORWARD);
        BadLines bad = { .options = options };
        struct libmnt_fs *fs;
        int r = iterator ? 0 : -ENOMEM;

        library->table_set_userdata(table, &bad);
        library->table_set_parser_errcb(table, note_bad_line);
        if (r == 0)
                r = library->table_parse_fstab(table, options->path) == 0 ? 0 : -EIO;
        while (r == 0 && library->table_next_fs(table, iterator, &fs) == 0)
                r = add_entry(entries, library, fs);
        library->free_iter(iterator);
        if (r == 0)
                number_entries(entries, &bad, options->path);
        return r;
}

int fstab_read(const FstabOptions *options, FstabEntries *ret_entries) {
        const MountLibrary *library;
        FstabEntries entries = {};
        struct libmnt_table *table;
        int r;

        *ret_entries = (FstabEntries) {};
        if (access(options->path, R_OK) < 0)
                return errno == ENOENT ? 0 : -errno;
        library = mount_library();
        table = library ? library->new_table() : NULL;
        if (!table)
                return library ? -ENOMEM : -EOPNOTSUPP;
        r = read_table(options, library, table, &entries);
        library->unref_table(table);
        if (r < 0)
                fstab_entries_deinit(&entries);
        else
                *ret_entries = entries;
        return r;
}

/* — the folder — */

static bool has_text(const char *path, const char *text) {
        size_t wanted = strlen(text);
        bool is_equal = false;
        char buffer[4096];
        FILE *file;

        if (wanted >= sizeof(buffer))
                return false;
        file = fopen(path, "re");
        if (file) {
                is_equal = fread(buffer, 1, sizeof(buffer), file) == wanted && memcmp(buffer, text, wanted) == 0;
                fclose(file);
        }
        return is_equal;
}

static int write_text(const char *path, const char *text) {
        cleanup_free_ char *temporary = NULL;
        FILE *file;
        int r;

        if (has_text(path, text))
                return 0;
        r = text_format(&temporary, "%s.new", path);
        if (r < 0)
                return r;
        file = fopen(temporary, "we");
        if (!file)
                return -errno;
        if (fputs(text, file) < 0)
                r = -EIO;
        if (fclose(file) != 0 || r < 0 || rename(temporary, path) < 0) {
                r = errno != 0 ? -errno : -EIO;
                unlink(temporary);
        }
        return r;
}

static int write_link(const char *path, const char *target) {
        char found[512];
        ssize_t n = readlink(path, found, sizeof(found));

        if (n >= 0 && (size_t) n == strlen(target) && memcmp(found, target, (size_t) n) == 0)
                return 0;
        if (n >= 0)
                unlink(path);
        return symlink(target, path) < 0 ? -errno : 0;
}

/* Makes all folders in @path, which may end with a slash. */
static int make_folders(const char *path) {
        cleanup_free_ char *folder = strdup(path);

        for (char *slash = folder ? strchr(folder + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                if (mkdir(folder, 0755) < 0 && errno != EEXIST)
                        return -errno;
                *slash = '/';
        }
        return folder ? 0 : -ENOMEM;
}

static bool is_wanted(const FstabFiles *files, const char *path, bool is_folder) {
        size_t n = strlen(path);

        for (size_t i = 0; i < files->n; i++)
                if (is_folder ? strncmp(files->items[i].path, path, n) == 0 && files->items[i].path[n] == '/' :
                                strcmp(files->items[i].path, path) == 0)
                        return true;
        return false;
}

/* Removes the files that no line asks for any more. @inner: a folder in @folder, or NULL. */
static void drop_others(const char *folder, const char *inner, const FstabFiles *files) {
        cleanup_free_ char *path = NULL;
        const struct dirent *item;
        DIR *dir;

        if (text_format(&path, "%s%s%s", folder, inner ? "/" : "", inner ? inner : "") < 0)
                return;
        dir = opendir(path);
        while (dir && (item = readdir(dir))) {
                bool is_folder = item->d_type == DT_DIR;
                cleanup_free_ char *name = NULL;

                if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0 ||
                    text_format(&name, "%s%s%s", inner ? inner : "", inner ? "/" : "", item->d_name) < 0)
                        continue;
                if (is_folder && !inner)
                        drop_others(folder, name, files);
                if (!is_wanted(files, name, is_folder))
                        (void) unlinkat(dirfd(dir), item->d_name, is_folder ? AT_REMOVEDIR : 0);
        }
        if (dir)
                closedir(dir);
}

int fstab_fill_folder(const char *folder, const FstabFiles *files) {
        cleanup_free_ char *itself = NULL;
        int r = text_format(&itself, "%s/", folder);

        if (r == 0)
                r = make_folders(itself);
        for (size_t i = 0; r == 0 && i < files->n; i++) {
                const FstabFile *file = &files->items[i];
                cleanup_free_ char *path = NULL;

                r = text_join_path(folder, file->path, &path);
                if (r == 0)
                        r = make_folders(path);
                if (r == 0)
                        r = file->is_link ? write_link(path, file->text) : write_text(path, file->text);
        }
        if (r == 0)
                drop_others(folder, NULL, files);
        return r;
}
