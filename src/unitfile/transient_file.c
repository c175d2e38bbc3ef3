/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of units made by clients
 *
 * Such a unit has a file like any other, which is read, shown, reloaded, and
 * found by the next core process. But an error in it is an error reply to the
 * client, not a line in the log.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/directive.h"
#include "unitfile/file_write.h"
#include "unitfile/install_folder.h"
#include "unitfile/transient_file.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

#define DROPINS ".d"

/* The first line of each file. */
#define COMMIT_MARK "# There from commit "
#define COMMIT_MARK_LENGTH (strlen(COMMIT_MARK))

bool transient_file_is_of(const Unit *unit) {
        return folder_has_transient(unit->settings.fragment_path);
}

/* — verification — */

typedef struct TransientVerdict {
        const DirectiveSection *section;        /* of the unit's type */
        char *message;                  /* owned: the first error */
        int error;
} TransientVerdict;

/* Ignored directives are no error. */
static bool is_ignored(const TransientVerdict *verdict, const char *setting) {
        const Directive *directive = setting && verdict->section ? directive_find(verdict->section, setting) : NULL;

        if (!directive && setting)
                directive = directive_find(directive_section_find("Unit"), setting);
        return directive && directive->status == DIRECTIVE_IGNORED;
}

static void take_remark(void *userdata, const UnitFileDiagnostic *diagnostic) {
        TransientVerdict *verdict = userdata;

        if (verdict->message || verdict->error < 0 || diagnostic->severity == UNIT_FILE_NOTE ||
            (diagnostic->severity == UNIT_FILE_WARNING &&
             (diagnostic->line == 0 || is_ignored(verdict, diagnostic->setting))))
                return;
        /* The effect is another one here: the client gets an error. */
        verdict->error = text_format(&verdict->message, "%s%s%.*s.", diagnostic->setting ? diagnostic->setting : "",
                                     diagnostic->setting ? "=: " : "",
                                     (int) unit_draft_length_without_effect(diagnostic->message), diagnostic->message);
}

int transient_file_check(UnitFileLoader *loader, const char *name, const char *text, Failure *ret_failure) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        const char *section = directive_section_of_type(unit_name_type(name));
        TransientVerdict verdict = { .section = section ? directive_section_find(section) : NULL };
        UnitFileLoader listening = *loader;
        cleanup_free_ char *path = NULL;
        int r;

        listening.options.receiver = take_remark;
        listening.options.userdata = &verdict;
        /* A path without a file, so that no file is read again for line numbers. */
        r = text_format(&path, "/" TRANSIENT_FOLDER "/%s", name);
        if (r >= 0)
                r = unit_draft_read_text(&listening, name, path, text, &draft);
        if (r >= 0)
                r = verdict.error;
        if (r >= 0 && verdict.message)
                r = failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s", verdict.message);
        else if (r >= 0 && draft->load_state != UNIT_LOADED)
                r = failure_copy(ret_failure, &draft->failure) < 0 ? -ENOMEM : -EINVAL;
        free(verdict.message);
        return r;
}

/* — the file — */

int transient_file_place(const char *folder, const char *name, uint64_t commit, const char *text,
                         Failure *ret_failure) {
        cleanup_free_ char *whole = NULL;
        int fd, r = text_format(&whole, COMMIT_MARK "%" PRIu64 " of the manager's state on.\n%s", commit, text);

        if (r >= 0)
                r = folder_open("", folder, true, &fd);
        if (r >= 0) {
                r = file_write_whole(fd, name, whole);
                close(fd);
        }
        return r >= 0 || r == -ENOMEM ? r : failure_set(ret_failure, r, r == -EACCES ? "AccessDenied" : "Failed",
                                                        "Cannot write %s/%s: %s.", folder, name, strerror(-r));
}

static void remove_dropins(int folder, const char *name) {
        int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
        const struct dirent *item;

        if (!dir) {
                if (fd >= 0)
                        close(fd);
                return;
        }
        while ((item = readdir(dir)))
                (void) unlinkat(dirfd(dir), item->d_name, 0);
        closedir(dir);
        (void) unlinkat(folder, name, AT_REMOVEDIR);
}

static void remove_all(int folder, const char *name) {
        cleanup_free_ char *dropins = NULL;

        (void) unlinkat(folder, name, 0);
        if (text_format(&dropins, "%s" DROPINS, name) == 0)
                remove_dropins(folder, dropins);
}

void transient_file_remove(const char *folder, const char *name) {
        int fd;

        if (folder_open("", folder, false, &fd) < 0)
                return;
        remove_all(fd, name);
        close(fd);
}

/* The commit of a file; 0 if it names none. */
static uint64_t commit_of(int folder, const char *name) {
        int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        char line[64] = "";
        ssize_t n = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;

        if (fd >= 0)
                close(fd);
        return n > 0 && strncmp(line, COMMIT_MARK, COMMIT_MARK_LENGTH) == 0 ?
               strtoull(line + COMMIT_MARK_LENGTH, NULL, 10) : 0;
}

void transient_file_sweep_later(const char *folder, uint64_t commit) {
        DIR *dir = opendir(folder);
        const struct dirent *item;

        while (dir && (item = readdir(dir)))
                if (item->d_name[0] != '.' && commit_of(dirfd(dir), item->d_name) > commit)
                        remove_all(dirfd(dir), item->d_name);
        if (dir)
                closedir(dir);
}

uint64_t transient_file_last_commit(const char *folder) {
        DIR *dir = opendir(folder);
        const struct dirent *item;
        uint64_t last = 0;

        while (dir && (item = readdir(dir)))
                if (item->d_name[0] != '.')
                        last = MAX(last, commit_of(dirfd(dir), item->d_name));
        if (dir)
                closedir(dir);
        return last;
}

/* Removes a unit's file, or the folder of its drop-ins. */
static void sweep_item(int folder, const char *item, const UnitTable *table) {
        bool is_folder = text_ends_with(item, DROPINS);
        cleanup_free_ char *name = strndup(item, strlen(item) - (is_folder ? strlen(DROPINS) : 0));
        const Unit *unit = table && name ? unit_table_find(table, name) : NULL;

        if (!name || (unit && unit->load_state != UNIT_STUB))
                return;
        if (is_folder)
                remove_dropins(folder, item);
        else
                (void) unlinkat(folder, item, 0);
}

void transient_file_sweep(const char *folder, const UnitTable *table) {
        DIR *dir = opendir(folder);
        const struct dirent *item;

        while (dir && (item = readdir(dir)))
                if (item->d_name[0] != '.')
                        sweep_item(dirfd(dir), item->d_name, table);
        if (dir)
                closedir(dir);
}
