/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd-runstore [OPTION…] FILE
 */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "runstore/runstore_schema.h"
#include "runstore/runstore_server.h"

#define BALLAST_BYTES (UINT64_C(4) << 20)
#define BALLAST_MAX (UINT64_C(1) << 40)

enum {
        EXIT_USAGE = 2,
};

static const char help[] =
        "Usage: jobd-runstore [OPTION…] (--socket=PATH | --fd=NUMBER) FILE\n"
        "Keeps the runs of flows in FILE, a database of SQLite; jobd starts it.\n"
        "\n"
        "  --socket=PATH      Listen at this socket, for the user of this process and root\n"
        "  --fd=NUMBER        Listen at this descriptor\n"
        "  --sync=full        What is durable outlives a loss of power (default)\n"
        "  --sync=normal      What is durable outlives the death of every process, and is faster\n"
        "  --ballast=SIZE     Bytes to give up when the disk is full (K, M, G; 0: none; default: 4M)\n"
        "  --schema           Print the tables of FILE as SQL\n"
        "  --version          Print the version\n"
        "  --help             Print this text\n";

static int usage(const char *format, ...) printf_(1, 2);

static int usage(const char *format, ...) {
        va_list args;

        fputs("jobd-runstore: ", stderr);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fputs("\njobd-runstore --help shows the options.\n", stderr);
        return EXIT_USAGE;
}

static int print_schema(void) {
        cleanup_free_ char *string = NULL;
        Text text = {};

        runstore_schema_write(&text);
        if (text_finish(&text, &string) < 0)
                return EXIT_FAILURE;
        return fputs(string, stdout) < 0 || fflush(stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int parse_size(const char *string, uint64_t *ret_size) {
        static const char units[] = "KMG";
        const size_t n = strlen(string);
        const char *unit = n > 0 ? strchr(units, string[n - 1]) : NULL;
        cleanup_free_ char *digits = strndup(string, unit && *unit ? n - 1 : n);
        const unsigned shift = unit && *unit ? 10 * (unsigned) (unit - units + 1) : 0;
        uint64_t value;

        if (!digits || text_parse_u64(digits, &value) < 0 || value > BALLAST_MAX >> shift)
                return -EINVAL;
        *ret_size = value << shift;
        return 0;
}

/* 0, or the exit status in @ret_status with 1. */
static int parse_option(int option, RunStoreSettings *settings, int *ret_status) {
        uint32_t fd;

        *ret_status = 0;
        switch (option) {
        case 's':
                settings->socket = optarg;
                return 0;
        case 'f':
                if (text_parse_u32(optarg, &fd) < 0 || fd > INT32_MAX)
                        *ret_status = usage("--fd=%s is no number of a descriptor.", optarg);
                settings->fd = (int) fd;
                return *ret_status != 0;
        case 'y':
                settings->is_full_sync = strcmp(optarg, "full") == 0;
                if (!settings->is_full_sync && strcmp(optarg, "normal") != 0)
                        *ret_status = usage("--sync=%s: write full or normal.", optarg);
                return *ret_status != 0;
        case 'b':
                if (parse_size(optarg, &settings->n_ballast) < 0)
                        *ret_status = usage("--ballast=%s: write a number of bytes, or with K, M or G behind it.",
                                            optarg);
                return *ret_status != 0;
        case 'd':
                *ret_status = print_schema();
                return 1;
        case 'v':
                puts("jobd-runstore " JOBD_VERSION);
                return 1;
        case 'h':
                fputs(help, stdout);
                return 1;
        default:
                *ret_status = usage("The options are not understood.");
                return 1;
        }
}

/* Folders that cannot be made are named when the file is opened. */
static void make_folders(char *path) {
        for (char *at = path + 1; (at = strchr(at, '/')); *at++ = '/') {
                *at = '\0';
                (void) mkdir(path, 0755);
        }
}

static int serve(const RunStoreSettings *settings) {
        RunStoreServer *server = NULL;
        Failure failure = {};
        int r = runstore_server_new(&server, settings, &failure);

        if (r == 0)
                r = runstore_server_run(server);
        runstore_server_free(server);
        if (r == -EALREADY)
                log_notice("%s.", failure_message(&failure));
        else if (r < 0)
                log_error("jobd-runstore cannot serve %s: %s", settings->path,
                          failure.code ? failure_message(&failure) : strerror(-r));
        failure_deinit(&failure);
        return r < 0 && r != -EALREADY ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char *argv[]) {
        static const struct option options[] = {
                { "socket", required_argument, NULL, 's' }, { "fd", required_argument, NULL, 'f' },
                { "sync", required_argument, NULL, 'y' },   { "ballast", required_argument, NULL, 'b' },
                { "schema", no_argument, NULL, 'd' },       { "version", no_argument, NULL, 'v' },
                { "help", no_argument, NULL, 'h' },         {},
        };
        RunStoreSettings settings = { .fd = -1, .is_full_sync = true, .n_ballast = BALLAST_BYTES };
        int option, status;

        while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0)
                if (parse_option(option, &settings, &status) != 0)
                        return status;
        if (argc - optind != 1 || !*argv[optind])
                return usage(argc == optind ? "The file is missing."
                                            : "There must be one file, and nothing behind it.");
        if (!settings.socket == (settings.fd < 0))
                return usage("One of --socket=PATH and --fd=NUMBER is needed.");
        settings.path = argv[optind];
        make_folders(argv[optind]);
        umask(0077);
        return serve(&settings);
}
