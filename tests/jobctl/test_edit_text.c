/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The text that an editor gets, and the text that is taken from it.
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/edit_text.h"

static void assert_extracted(const char *text, const char *expected) {
        cleanup_free_ char *contents = NULL;

        cr_assert(eq(int, edit_text_extract(text, &contents), 0));
        assert_string(contents, expected);
}

Test(edit_text, what_was_composed_is_extracted) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, edit_text_compose("/x/a.conf", "[Unit]\nA=b", NULL, &text), 0));
        assert_extracted(text, "[Unit]\nA=b\n");
}

Test(edit_text, nothing_is_extracted_from_nothing) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, edit_text_compose("/x/a.conf", "", NULL, &text), 0));
        assert_extracted(text, "");
        assert_extracted("", "");
        assert_extracted(" \n\n\t", "");
}

Test(edit_text, without_marks_all_of_it_counts) {
        assert_extracted("\n\n[Unit]\nA=b\n\n", "[Unit]\nA=b\n");
        assert_extracted("[Unit]\n### Edits below this comment will be discarded\nrest", "[Unit]\n");
        assert_extracted("### Edits below this comment will be discarded\n"
                         "### Anything between here and the comment below will become the contents of the file\n[Unit]", "[Unit]\n");
}

/* A unit file may be a link to a FIFO or a device; reading it must not hang. */
Test(edit_text, what_might_never_end_is_not_opened) {
        char path[] = "/tmp/jobd-test-edit.XXXXXX";
        int fd = mkstemp(path);

        cr_assert(fd >= 0);
        close(fd);
        fd = edit_text_open(path);
        cr_assert(fd >= 0);
        close(fd);
        unlink(path);
        cr_assert(eq(int, mkfifo(path, 0600), 0));
        cr_assert(eq(int, edit_text_open(path), -EMEDIUMTYPE));
        unlink(path);
        cr_assert(eq(int, edit_text_open("/dev/zero"), -EMEDIUMTYPE));
        cr_assert(eq(int, edit_text_open("/tmp"), -EMEDIUMTYPE));
        cr_assert(eq(int, edit_text_open(path), -ENOENT));
        fd = edit_text_open("/dev/null");
        cr_assert(fd >= 0);
        close(fd);
}
