/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drop-ins written by a program
 *
 * To be verified a text must be on the search path, but must not be in the
 * real one before it is valid: so it is written into a temporary folder, which
 * is put first on the path.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/dropin_write.h"
#include "unitfile/file_write.h"
#include "unitfile/install_folder.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_file.h"

#define READ_MAX 65536

static int io_failure(Failure *ret_failure, int code, const char *what, const char *path) {
        return code == -ENOMEM ? code : failure_set(ret_failure, code, code == -EACCES ? "AccessDenied" : "Failed",
                                                    "Cannot %s %s: %s.", what, path, strerror(-code));
}

/* — verifying — */

typedef struct DropinVerdict {
        const DropinWrite *dropin;      /* borrowed */
        const char *path;               /* borrowed: messages about other files are ignored */
        char *message;                  /* owned: the first message */
} DropinVerdict;

static void dropin_receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        DropinVerdict *verdict = userdata;

        if (diagnostic->severity == UNIT_FILE_NOTE || verdict->message || !text_equal(diagnostic->file, verdict->path))
                return;
        /* The effect is another one here: the client gets an error. */
        (void) text_format(&verdict->message, "%s%s%.*s.", diagnostic->setting ? diagnostic->setting : "",
                           diagnostic->setting ? "=: " : "",
                           (int) unit_draft_length_without_effect(diagnostic->message), diagnostic->message);
}

static const struct MountEntry *dropin_find_mount(void *userdata, const char *where) {
        const DropinWrite *dropin = ((const DropinVerdict *) userdata)->dropin;

        return dropin->find_mount ? dropin->find_mount(dropin->userdata, where) : NULL;
}

/* @path: the file with the text, in @folder/unit.d. */
static int verify_at(const DropinWrite *dropin, const char *folder, const char *path, Failure *ret_failure) {
        DropinVerdict verdict = { .dropin = dropin, .path = path };
        int fd, r = folder_open("", folder, true, &fd);

        if (r < 0)
                return io_failure(ret_failure, r, "make", folder);
        r = file_write_new(fd, dropin->file, dropin->text);
        if (r == 0)
                r = unit_file_verify(path, &(UnitFileOptions) { .search_path = dropin->search_path,
                                                                .is_user = dropin->is_user,
                                                                .find_mount = dropin_find_mount,
                                                                .receiver = dropin_receive, .userdata = &verdict });
        (void) unlinkat(fd, dropin->file, 0);
        close(fd);
        if (r < 0)
                r = io_failure(ret_failure, r, "verify", path);
        else
                r = !verdict.message ? 0 : failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s", verdict.message);
        free(verdict.message);
        return r;
}

int dropin_verify(const DropinWrite *dropin, Failure *ret_failure) {
        cleanup_free_ char *scratch = NULL, *folder = NULL, *path = NULL;
        int r = text_format(&scratch, "%s/drop-in-XXXXXX", dropin->scratch);

        if (r < 0)
                return r;
        if (!mkdtemp(scratch))
                return io_failure(ret_failure, -errno, "make", scratch);
        r = text_format(&folder, "%s/%s.d", scratch, dropin->unit);
        if (r == 0)
                r = text_join_path(folder, dropin->file, &path);
        if (r == 0)
                r = verify_at(dropin, folder, path, ret_failure);
        if (folder)
                (void) rmdir(folder);
        (void) rmdir(scratch);
        return r;
}

/* — placing — */

/*
 * *ret_folder is NULL if the search path has none of that kind. A path that the administrator has set may have no
 * folders for changes by clients: those for files of the administrator are used then.
 */
static int find_folder(const DropinWrite *dropin, FolderKind wanted, char **ret_folder) {
        const char *folder = folder_choose(dropin->search_path, wanted, NULL, dropin->into_systemd);

        *ret_folder = NULL;
        if (!folder && wanted == FOLDER_CONTROL)
                folder = folder_choose(dropin->search_path, FOLDER_CONFIG, NULL, dropin->into_systemd);
        if (!folder && wanted == FOLDER_CONTROL_RUNTIME)
                folder = folder_choose(dropin->search_path, FOLDER_RUNTIME, NULL, dropin->into_systemd);
        return folder ? text_format(ret_folder, "%s/%s.d", folder, dropin->unit) : 0;
}

/* "50-X.conf" → "50-X.runtime.conf", which is applied after it. */
static int name_for_boot(const DropinWrite *dropin, char **ret_name) {
        static const char ending[] = ".conf";

        return text_format(ret_name, "%.*s.runtime%s", (int) (strlen(dropin->file) - strlen(ending)), dropin->file,
                           ending);
}

static int choose_name(const DropinWrite *dropin, char **ret_name) {
        cleanup_free_ char *folder = NULL, *lasting = NULL;
        int r = 0;

        if (dropin->is_runtime && !dropin->is_transient)
                r = find_folder(dropin, FOLDER_CONTROL, &folder);
        if (r >= 0 && folder)
                r = text_join_path(folder, dropin->file, &lasting);
        if (r < 0)
                return r;
        if (lasting && access(lasting, F_OK) == 0)
                return name_for_boot(dropin, ret_name);
        return text_format(ret_name, "%s", dropin->file);
}

/* The drop-in's folder, and its name there. */
static int find_place(const DropinWrite *dropin, char **ret_folder, char **ret_name, Failure *ret_failure) {
        FolderKind wanted = dropin->is_transient ? FOLDER_TRANSIENT : dropin->is_runtime ? FOLDER_CONTROL_RUNTIME :
                FOLDER_CONTROL;
        int r = find_folder(dropin, wanted, ret_folder);

        if (r >= 0 && !*ret_folder)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                                   "The search path has no folder for files of %s.",
                                   dropin->is_runtime ? "this boot" : "the administrator");
        return r < 0 ? r : choose_name(dropin, ret_name);
}

/*
 * The setting written last takes effect: a runtime drop-in older than a permanent one of the same name is overridden
 * and removed, so that it does not take effect again when the permanent one is removed.
 */
static int replace_one_for_boot(const DropinWrite *dropin, Failure *ret_failure) {
        cleanup_free_ char *folder = NULL, *name = NULL;
        int fd, r = find_folder(dropin, FOLDER_CONTROL_RUNTIME, &folder);

        if (r < 0 || !folder)
                return r;
        r = name_for_boot(dropin, &name);
        if (r < 0 || folder_open("", folder, false, &fd) < 0)
                return r;
        if (dropin->for_boot)
                r = file_write_whole(fd, name, dropin->for_boot);
        else
                (void) unlinkat(fd, name, 0);
        if (r >= 0)
                (void) unlinkat(fd, dropin->file, 0);
        close(fd);
        return r < 0 ? io_failure(ret_failure, r, "write a drop-in in", folder) : 0;
}

int dropin_place(const DropinWrite *dropin, Failure *ret_failure) {
        cleanup_free_ char *folder = NULL, *name = NULL;
        int fd, r = find_place(dropin, &folder, &name, ret_failure);

        if (r < 0)
                return r;
        r = folder_open("", folder, true, &fd);
        if (r < 0)
                return io_failure(ret_failure, r, "make", folder);
        r = file_write_whole(fd, name, dropin->text);
        close(fd);
        if (r < 0)
                return io_failure(ret_failure, r, "write a drop-in in", folder);
        return dropin->is_runtime || dropin->is_transient ? 0 : replace_one_for_boot(dropin, ret_failure);
}

/* Reads a drop-in up to the largest size that this file writes: a larger one is from elsewhere, and is replaced. */
static int read_text(int folder, const char *name, char **ret_text) {
        int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        char *text = fd >= 0 ? calloc(1, READ_MAX + 1) : NULL;
        ssize_t n = text ? read(fd, text, READ_MAX) : -1;
        int r = fd >= 0 && !text ? -ENOMEM : 0;

        if (fd >= 0)
                close(fd);
        if (n < 0 || n == READ_MAX) {
                free(text);
                text = NULL;
        }
        *ret_text = text;
        return r;
}

static int read_from(const char *folder, const char *name, char **ret_text) {
        int fd, r = folder_open("", folder, false, &fd);

        *ret_text = NULL;
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        r = read_text(fd, name, ret_text);
        close(fd);
        return r;
}

int dropin_read(const DropinWrite *dropin, char **ret_text, Failure *ret_failure) {
        cleanup_free_ char *folder = NULL, *name = NULL;
        int r = find_place(dropin, &folder, &name, ret_failure);

        return r < 0 ? r : read_from(folder, name, ret_text);
}

int dropin_read_for_boot(const DropinWrite *dropin, char **ret_text) {
        cleanup_free_ char *folder = NULL, *name = NULL;
        DropinWrite for_boot = *dropin;
        int r = find_folder(dropin, FOLDER_CONTROL_RUNTIME, &folder);

        *ret_text = NULL;
        if (r < 0 || !folder)
                return r;
        for_boot.is_runtime = true;
        r = choose_name(&for_boot, &name);
        return r < 0 ? r : read_from(folder, name, ret_text);
}
