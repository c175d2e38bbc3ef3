/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Each input of a folder, once: the main function of a target where there is no libFuzzer
 *
 *     PROGRAM FOLDER|FILE...
 *
 * The last name that it prints is that of the input that ended it. Without any input it fails.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "basic/text.h"
#include "fuzz.h"

static unsigned n_played;

static bool play(const char *path) {
        uint8_t *bytes;
        struct stat st;
        FILE *file = fopen(path, "re");
        bool is_read;

        if (!file || fstat(fileno(file), &st) < 0 || !(bytes = malloc((size_t) st.st_size + 1))) {
                perror(path);
                if (file)
                        fclose(file);
                return false;
        }
        printf("%s\n", path);
        fflush(stdout);
        is_read = fread(bytes, 1, (size_t) st.st_size, file) == (size_t) st.st_size;
        fclose(file);
        if (is_read)
                (void) LLVMFuzzerTestOneInput(bytes, (size_t) st.st_size);
        n_played += is_read;
        free(bytes);
        return is_read;
}

static bool play_folder(const char *folder) {
        struct dirent **entries;
        int n = scandir(folder, &entries, NULL, alphasort);
        bool is_good = true;

        if (n < 0)
                return play(folder);
        for (int i = 0; i < n; i++) {
                char *path = NULL;

                if (entries[i]->d_name[0] != '.' && is_good)
                        is_good = text_join_path(folder, entries[i]->d_name, &path) == 0 && play(path);
                free(path);
                free(entries[i]);
        }
        free(entries);
        return is_good;
}

int main(int argc, char **argv) {
        bool is_good = true;

        for (int i = 1; i < argc && is_good; i++)
                is_good = play_folder(argv[i]);
        printf("%u inputs\n", n_played);
        return is_good && n_played > 0 ? 0 : 1;
}
