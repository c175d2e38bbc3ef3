/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The text that "edit" passes to an editor
 *
 * The marker lines are those of systemctl, so that editors and people
 * recognize them. If somebody has removed the markers, the whole text counts.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/edit_text.h"

#define MARK_BEGIN "### Anything between here and the comment below will become the contents of the file"
#define MARK_END "### Edits below this comment will be discarded"
#define FILE_MAX_SIZE ((size_t) 4 << 20)

int edit_text_read_fd(int fd, char **ret_text) {
        cleanup_(text_deinit) Text text = {};
        char buffer[4096];
        ssize_t n;

        while ((n = read(fd, buffer, sizeof(buffer))) != 0) {
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (memchr(buffer, '\0', (size_t) n))
                        return -EILSEQ;
                text_add_n(&text, buffer, (size_t) n);
                if (text.n > FILE_MAX_SIZE)
                        return -E2BIG;
        }
        return text_finish(&text, ret_text);
}

int edit_text_open(const char *path) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        struct stat status;

        if (fd < 0)
                return -errno;
        if (fstat(fd, &status) == 0 &&
            (S_ISREG(status.st_mode) || (S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3))))
                return fd;
        close(fd);
        return -EMEDIUMTYPE;
}

int edit_text_read(const char *path, char **ret_text) {
        int fd = edit_text_open(path), r;

        if (fd < 0)
                return fd;
        r = edit_text_read_fd(fd, ret_text);
        close(fd);
        return r;
}

/* Adds each line of the file with "# " in front. */
static int add_as_comment(Text *text, const char *path) {
        cleanup_free_ char *contents = NULL;
        int r = edit_text_read(path, &contents);

        if (r < 0)
                return r == -ENOMEM ? r : 0;
        text_addf(text, "\n\n### %s\n", path);
        for (const char *line = contents; *line;) {
                size_t n = strcspn(line, "\n");

                text_add(text, n > 0 ? "# " : "#");
                text_add_n(text, line, n);
                text_add_char(text, '\n');
                line += n + (line[n] == '\n');
        }
        return 0;
}

int edit_text_compose(const char *target, const char *contents, char *const *others, char **ret_text) {
        cleanup_(text_deinit) Text text = {};
        size_t n = strlen(contents);
        int r = 0;

        text_addf(&text, "### Editing %s\n" MARK_BEGIN "\n\n%s%s\n" MARK_END "\n", target, contents,
                  n > 0 && contents[n - 1] == '\n' ? "" : "\n");
        strv_foreach(other, others)
                if (r == 0)
                        r = add_as_comment(&text, *other);
        return r < 0 ? r : text_finish(&text, ret_text);
}

int edit_text_extract(const char *text, char **ret_contents) {
        const char *begin = strstr(text, MARK_BEGIN), *end = strstr(text, MARK_END);
        size_t n;

        begin = begin ? begin + strlen(MARK_BEGIN) : text;
        if (!end || end < begin)
                end = text + strlen(text);
        begin += strspn(begin, " \t\n");
        while (end > begin && strchr(" \t\n", end[-1]))
                end--;
        n = (size_t) (begin < end ? end - begin : 0);
        return text_format(ret_contents, "%.*s%s", (int) n, begin, n > 0 ? "\n" : "");
}
