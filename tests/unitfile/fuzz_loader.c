/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Broken unit files without end: they are loaded and verified until something gives way
 *
 *   fuzz-loader [--seed N] [--minutes M | --cases N] [--folder DIR] FOLDER...
 *
 * Each case is one to three files of the folders, changed a little or a lot. A child verifies them and loads them into a
 * table; when it crashes, leaks (in the sanitizer build) or hangs, the files of that case are kept in DIR, and another
 * child goes on. Exit status 1: something was found.
 */

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "fake_types.h"
#include "unit/unit_table.h"
#include "unitfile/directive.h"
#include "unitfile/unit_file.h"

#define SIZE_LIMIT 65536U
#define CASES_OF_A_CHILD 5000U
#define CASES_BETWEEN_LEAK_CHECKS 250U
#define HANG_SECONDS 60U
#define FILES_MAX 3U

/* There in the sanitizer build. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

typedef struct Sample {
        char *name;                     /* owned: file name */
        char *bytes;                    /* owned */
        size_t n;
} Sample;

typedef struct Fuzz {
        VECTOR(Sample) samples;
        VECTOR(const char *) names;     /* borrowed: of directives */
        uint64_t random;
        char folder[64];                /* where the files of a case are */
        const char *found;
        uint64_t n_cases;
        unsigned n_found;
} Fuzz;

static const char *const tokens[] = {
        "\n", "\r\n", "\\\n", "\\", "'", "\"", "%", "%%", "%i", "%j", "%h", "=", "[", "]", "[Unit]\n", "[Service]\n", "[Install]\n",
        "[Socket]\n", "[Timer]\n", "[Path]\n", "[Slice]\n", "[Mount]\n", ";", " ; ", "\\;", "\xff", "\xe2\x82", "\xf0\x9f\x98\x80",
        "\xef\xbb\xbf", "@", "-", "!", "!!", "+", ":", "|", "/", "//", "/../", "..", "~", "*", "*-*-* *:*:*", "infinity", "0", "-1",
        "18446744073709551615", "18446744073709551616", "9223372036854775807", "2147483648", "1e9", "0x7f", "100%", "1us", "5y",
        "1.5.5", "..", "0..", "0-4294967295", "999999", "SIGRTMIN+99", "SIGTERM", "yes", "no", "always", "AF_INET", "CAP_SYS_ADMIN",
        "@system-service", "~@privileged", "[::]:0", "127.0.0.1:65536", "10.0.0.0/33", "vsock::1", "a@b.service", "a@.service",
        "-.slice", "a-b.slice", ".service", "\t", " ", "#", "\\x", "\\x00", "\\u12", "\\777", "$", "${", "${A}", "file:", "fd:",
        "name=\"", "A=b", "Mon..Sun", "*~1", "1/0", "UTC", "#\n", "\0",
};

static uint32_t draw(Fuzz *fuzz, size_t n) {
        fuzz->random ^= fuzz->random << 13;
        fuzz->random ^= fuzz->random >> 7;
        fuzz->random ^= fuzz->random << 17;
        return n ? (uint32_t) ((fuzz->random >> 11) % n) : 0;
}

/* — changing a file — */

typedef struct Bytes {
        char *at;               /* SIZE_LIMIT of them */
        size_t n;
} Bytes;

static void bytes_insert(Bytes *bytes, size_t where, const char *what, size_t n) {
        n = MIN(n, SIZE_LIMIT - bytes->n);
        memmove(bytes->at + where + n, bytes->at + where, bytes->n - where);
        memmove(bytes->at + where, what, n);
        bytes->n += n;
}

static void bytes_remove(Bytes *bytes, size_t where, size_t n) {
        n = MIN(n, bytes->n - where);
        memmove(bytes->at + where, bytes->at + where + n, bytes->n - where - n);
        bytes->n -= n;
}

/* The line that @where is in: where it begins, and how long it is with its end. */
static size_t line_at(const char *bytes, size_t n, size_t *where) {
        size_t end = *where;

        while (*where > 0 && bytes[*where - 1] != '\n')
                --*where;
        while (end < n && bytes[end] != '\n')
                end++;
        return MIN(end + 1, n) - *where;
}

static void insert_directive(Fuzz *fuzz, Bytes *bytes, size_t where) {
        const char *name = fuzz->names.items[draw(fuzz, fuzz->names.n)];
        const Sample *other = &fuzz->samples.items[draw(fuzz, fuzz->samples.n)];
        const char *token = tokens[draw(fuzz, ELEMENTSOF(tokens))];
        char line[512];
        size_t from = draw(fuzz, other->n), n;

        (void) line_at(bytes->at, bytes->n, &where);
        n = line_at(other->bytes, other->n, &from);
        if (draw(fuzz, 2) && other->n > 0) {
                const char *equals = memchr(other->bytes + from, '=', n);
                int value = equals ? (int) MIN(n - (size_t) (equals + 1 - other->bytes - from), (size_t) 300) : 0;

                snprintf(line, sizeof(line), "%s=%.*s\n", name, value, equals ? equals + 1 : "");
        } else {
                snprintf(line, sizeof(line), "%s=%s\n", name, token);
        }
        bytes_insert(bytes, where, line, strlen(line));
}

static void change(Fuzz *fuzz, Bytes *bytes) {
        size_t where = draw(fuzz, bytes->n + 1), n = draw(fuzz, draw(fuzz, 2) ? 8 : 200), from;
        const Sample *other = &fuzz->samples.items[draw(fuzz, fuzz->samples.n)];
        const char *token = tokens[draw(fuzz, ELEMENTSOF(tokens))];
        char line[4096];

        switch (draw(fuzz, 9)) {
        case 0:
                if (where < bytes->n)
                        bytes->at[where] = (char) (bytes->at[where] ^ (1 << draw(fuzz, 8)));
                return;
        case 1:
                bytes_remove(bytes, where, n);
                return;
        case 2: /* a line again, elsewhere */
                from = draw(fuzz, bytes->n + 1);
                n = line_at(bytes->at, bytes->n, &from);
                (void) line_at(bytes->at, bytes->n, &where);
                n = MIN(n, sizeof(line));
                memcpy(line, bytes->at + from, n);
                bytes_insert(bytes, where, line, n);
                return;
        case 3: /* a part of another file */
                from = draw(fuzz, other->n + 1);
                bytes_insert(bytes, where, other->bytes + from, MIN(n, other->n - from));
                return;
        case 4:
                for (; n > 0; n--) {
                        char byte = (char) draw(fuzz, 256);

                        bytes_insert(bytes, where, &byte, 1);
                }
                return;
        case 5:
                bytes->n = draw(fuzz, 20) ? bytes->n : where;
                return;
        case 6:
        case 7:
                insert_directive(fuzz, bytes, where);
                return;
        default:
                bytes_insert(bytes, where, token, MAX(strlen(token), (size_t) 1));
        }
}

/* — one case — */

static int write_bytes(const char *path, const Bytes *bytes) {
        FILE *file = fopen(path, "we");
        size_t n;

        if (!file)
                return -errno;
        n = fwrite(bytes->at, 1, bytes->n, file);
        return fclose(file) == 0 && n == bytes->n ? 0 : -EIO;
}

static int make_file(Fuzz *fuzz, Bytes *bytes, unsigned i, char **ret_path) {
        const Sample *sample = &fuzz->samples.items[draw(fuzz, fuzz->samples.n)];
        cleanup_free_ char *dropin = NULL;
        int r = 0;

        bytes->n = MIN(sample->n, (size_t) SIZE_LIMIT / 2);
        memcpy(bytes->at, sample->bytes, bytes->n);
        for (unsigned n = draw(fuzz, 8); n > 0; n--)
                change(fuzz, bytes);
        if (i > 0 && draw(fuzz, 3) == 0) {
                r = text_format(&dropin, "%s/%s.d", fuzz->folder, sample->name);
                if (r == 0)
                        (void) mkdir(dropin, 0755);
                if (r == 0)
                        r = text_format(ret_path, "%s/%u.conf", dropin, i);
        } else {
                r = text_format(ret_path, "%s/%s", fuzz->folder, sample->name);
        }
        return r < 0 ? r : write_bytes(*ret_path, bytes);
}

static void receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        if (!diagnostic->message || !*diagnostic->message || !text_is_utf8(diagnostic->message))
                abort();
        ++*(uint64_t *) userdata;
}

/* As a manager does: into a table, with what the unit refers to. */
static void load(const UnitFileOptions *options, const char *name) {
        cleanup_(unit_file_loader_freep) UnitFileLoader *loader = NULL;
        UnitTable *table = NULL;
        Unit *unit = NULL;

        if (unit_file_loader_new(&loader, options) < 0 || unit_table_new(&table) < 0)
                abort();
        fake_types_set(table);
        unit_file_loader_attach(loader, table);
        if (unit_name_is_valid(name) && !unit_name_is_template(name))
                (void) unit_table_load(table, name, &unit);
        unit_table_free(table);
}

static void play(Fuzz *fuzz, Bytes *bytes) {
        char *search_path[] = { fuzz->folder, NULL };
        uint64_t n_said = 0;
        UnitFileOptions options = { .search_path = search_path, .is_thorough = true, .is_user = draw(fuzz, 8) == 0,
                                    .lenient_directives = draw(fuzz, 4) == 0, .receiver = receive, .userdata = &n_said };
        char *paths[FILES_MAX] = {};
        unsigned n = 1 + draw(fuzz, FILES_MAX);

        alarm(HANG_SECONDS);
        for (unsigned i = 0; i < n; i++)
                if (make_file(fuzz, bytes, i, &paths[i]) < 0)
                        abort();
        (void) unit_file_verify(paths[0], &options);
        load(&options, strrchr(paths[0], '/') + 1);
        for (unsigned i = 0; i < n; i++) {
                (void) unlink(paths[i]);
                *strrchr(paths[i], '/') = '\0';
                if (text_ends_with(paths[i], ".d"))
                        (void) rmdir(paths[i]);
                free(paths[i]);
        }
        alarm(0);
}

/* — children — */

static void child_run(Fuzz *fuzz, uint64_t n, int report) {
        Bytes bytes = { .at = malloc(SIZE_LIMIT) };

        if (!bytes.at)
                abort();
        for (uint64_t i = 1; i <= n; i++) {
                play(fuzz, &bytes);
                if (write(report, "", 1) != 1)
                        _exit(2);
                if (__lsan_do_recoverable_leak_check && (i % CASES_BETWEEN_LEAK_CHECKS == 0 || i == n) &&
                    __lsan_do_recoverable_leak_check() != 0)
                        _exit(3);
        }
        free(bytes.at);
        _exit(0);
}

static void keep_files(Fuzz *fuzz, uint64_t seed, int status) {
        cleanup_free_ char *command = NULL;
        const char *what = !WIFSIGNALED(status) ? "ended" : WTERMSIG(status) == SIGALRM ? "hung" : "crashed";

        fuzz->n_found++;
        printf("found: a child of seed %" PRIu64 " %s (status %#x); its files are in %s/%" PRIu64 "\n", seed, what, (unsigned) status,
               fuzz->found, seed);
        fflush(stdout);
        if (text_format(&command, "mkdir -p '%s/%" PRIu64 "' && cp -r '%s/.' '%s/%" PRIu64 "'", fuzz->found, seed, fuzz->folder,
                        fuzz->found, seed) < 0 || system(command) != 0)
                perror("cp");
}

static void clean(const Fuzz *fuzz) {
        cleanup_free_ char *command = NULL;

        if (text_format(&command, "rm -rf '%s'/*", fuzz->folder) == 0 && system(command) != 0)
                perror("rm");
}

static int run_child(Fuzz *fuzz, uint64_t seed, uint64_t n) {
        char buffer[4096];
        int ends[2], status = 0;
        ssize_t got;
        pid_t child;

        if (pipe(ends) < 0)
                return -errno;
        fuzz->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
        child = fork();
        if (child < 0)
                return -errno;
        if (child == 0) {
                close(ends[0]);
                child_run(fuzz, n, ends[1]);
        }
        close(ends[1]);
        while ((got = read(ends[0], buffer, sizeof(buffer))) > 0)
                fuzz->n_cases += (uint64_t) got;
        close(ends[0]);
        if (waitpid(child, &status, 0) < 0)
                return -errno;
        if (status != 0)
                keep_files(fuzz, seed, status);
        clean(fuzz);
        return 0;
}

/* — what there is to change — */

static int read_sample(Fuzz *fuzz, const char *folder, const char *name) {
        cleanup_free_ char *path = NULL, *bytes = malloc(SIZE_LIMIT), *copy = strdup(name);
        Sample sample = {};
        struct stat st;
        FILE *file;
        int r = text_join_path(folder, name, &path);

        if (r < 0 || !bytes || !copy)
                return -ENOMEM;
        if (!unit_name_is_valid(name) || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
                return 0;
        file = fopen(path, "re");
        if (!file)
                return 0;
        sample.n = fread(bytes, 1, SIZE_LIMIT, file);
        fclose(file);
        sample.bytes = take_ptr(bytes);
        sample.name = take_ptr(copy);
        return vector_push(&fuzz->samples, sample);
}

static int read_folder(Fuzz *fuzz, const char *folder) {
        struct dirent **entries;
        int n = scandir(folder, &entries, NULL, alphasort), r = 0;

        if (n < 0)
                return -errno;
        for (int i = 0; i < n; i++) {
                if (r >= 0)
                        r = read_sample(fuzz, folder, entries[i]->d_name);
                free(entries[i]);
        }
        free(entries);
        return r;
}

static int collect_names(Fuzz *fuzz) {
        size_t n;
        const DirectiveTable *tables = directive_tables(&n);
        int r = 0;

        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < *tables[i].n && r == 0; k++)
                        r = vector_push(&fuzz->names, tables[i].directives[k].name);
        return r;
}

static void fuzz_deinit(Fuzz *fuzz) {
        for (size_t i = 0; i < fuzz->samples.n; i++) {
                free(fuzz->samples.items[i].name);
                free(fuzz->samples.items[i].bytes);
        }
        vector_deinit(&fuzz->samples);
        vector_deinit(&fuzz->names);
}

int main(int argc, char **argv) {
        cleanup_(fuzz_deinit) Fuzz fuzz = { .folder = "/tmp/jobd-fuzz-XXXXXX", .found = "fuzz-found" };
        uint64_t seed = 1, minutes = 0, cases = 20000;
        time_t end;
        int r = collect_names(&fuzz);

        for (int i = 1; i < argc && r >= 0; i++) {
                if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
                        r = text_parse_u64(argv[++i], &seed);
                else if (strcmp(argv[i], "--minutes") == 0 && i + 1 < argc)
                        r = text_parse_u64(argv[++i], &minutes);
                else if (strcmp(argv[i], "--cases") == 0 && i + 1 < argc)
                        r = text_parse_u64(argv[++i], &cases);
                else if (strcmp(argv[i], "--folder") == 0 && i + 1 < argc)
                        fuzz.found = argv[++i];
                else
                        r = read_folder(&fuzz, argv[i]);
        }
        if (r < 0 || fuzz.samples.n == 0 || !mkdtemp(fuzz.folder)) {
                fprintf(stderr, "Usage: %s [--seed N] [--minutes M | --cases N] [--folder DIR] FOLDER...\n", argv[0]);
                return 2;
        }
        end = time(NULL) + (time_t) minutes * 60;
        while (r >= 0 && (minutes > 0 ? time(NULL) < end : fuzz.n_cases < cases))
                r = run_child(&fuzz, seed++, minutes > 0 ? CASES_OF_A_CHILD : MIN(cases - fuzz.n_cases, (uint64_t) CASES_OF_A_CHILD));
        (void) rmdir(fuzz.folder);
        printf("%" PRIu64 " cases of %zu files, %u found\n", fuzz.n_cases, fuzz.samples.n, fuzz.n_found);
        return r < 0 || fuzz.n_found > 0;
}
