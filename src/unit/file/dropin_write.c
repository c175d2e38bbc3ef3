/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drop-ins that a program writes
 *
 * To be verified a text needs a place on the search path, and it shall not be
 * in the real one before it is known to be right: so it is written into a
 * folder of its own, which comes first on the path.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/file/dropin_write.h"
#include "unit/file/file_write.h"
#include "unit/file/install_folder.h"
#include "unit/file/unit_file.h"

static int io_failure(Failure *ret_failure, int code, const char *what, const char *path) {
        return code == -ENOMEM ? code : failure_set(ret_failure, code, code == -EACCES ? "AccessDenied" : "Failed",
                                                    "Cannot %s %s: %s.", what, path, strerror(-code));
}

/* — verifying — */

typedef struct DropinVerdict {
        const char *path;               /* borrowed: remarks about other files are not its own */
        char *message;                  /* owned: the first remark */
} DropinVerdict;

static void dropin_receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        DropinVerdict *verdict = userdata;

        if (diagnostic->severity == UNIT_FILE_NOTE || verdict->message || !text_equal(diagnostic->file, verdict->path))
                return;
        (void) text_format(&verdict->message, "%s%s%s", diagnostic->setting ? diagnostic->setting : "",
                           diagnostic->setting ? "=: " : "", diagnostic->message);
}

/* @path: where the text lies, in @folder/unit.d. */
static int verify_at(const DropinWrite *dropin, const char *folder, const char *path, Failure *ret_failure) {
        DropinVerdict verdict = { .path = path };
        int fd, r = folder_open("", folder, true, &fd);

        if (r < 0)
                return io_failure(ret_failure, r, "make", folder);
        r = file_write_new(fd, dropin->file, dropin->text);
        if (r == 0)
                r = unit_file_verify(path, &(UnitFileOptions) { .search_path = dropin->search_path,
                                                                .is_user = dropin->is_user,
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

int dropin_place(const DropinWrite *dropin, Failure *ret_failure) {
        FolderKind wanted = dropin->is_transient ? FOLDER_TRANSIENT : dropin->is_runtime ? FOLDER_RUNTIME : FOLDER_CONFIG;
        cleanup_free_ char *folder = NULL;
        int fd, r = 0;

        strv_foreach(candidate, dropin->search_path)
                if (r == 0 && !folder && folder_kind(*candidate, NULL) == wanted)
                        r = text_format(&folder, "%s/%s.d", *candidate, dropin->unit);
        if (r == 0 && !folder)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                                   "The search path has no folder for files of %s.",
                                   dropin->is_runtime ? "this boot" : "the administrator");
        if (r < 0)
                return r;
        r = folder_open("", folder, true, &fd);
        if (r < 0)
                return io_failure(ret_failure, r, "make", folder);
        r = file_write_whole(fd, dropin->file, dropin->text);
        close(fd);
        return r < 0 ? io_failure(ret_failure, r, "write a drop-in in", folder) : 0;
}
