/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts that are kept in the tree, read and written as a whole
 */

#include <errno.h>
#include <stdio.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "whole_file.h"

int whole_file_read(const char *path, char **ret_text) {
        cleanup_(text_deinit) Text text = {};
        char buffer[4096];
        size_t n;
        FILE *file = fopen(path, "re");

        if (!file)
                return -errno;
        while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
                text_add_n(&text, buffer, n);
        fclose(file);
        return text_finish(&text, ret_text);
}

int whole_file_write(const char *path, const char *text) {
        FILE *file = fopen(path, "we");
        int r;

        if (!file)
                return -errno;
        r = fputs(text, file) < 0 ? -EIO : 0;
        return fclose(file) == 0 ? r : -errno;
}
