/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow result: what a node has left, of any size
 *
 * A result may have 64 MiB, more than a message has. So the manager writes it
 * into a file in memory, whose descriptor it is given.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"

/* All of the file, with the end of a line behind it. */
static int print_file(int fd) {
        char bytes[64 * 1024], last = '\n';
        off_t at = 0;
        ssize_t n;

        while ((n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
                if (fwrite(bytes, 1, (size_t) n, stdout) < (size_t) n)
                        return -errno;
                last = bytes[n - 1];
                at += n;
        }
        if (n < 0)
                return -errno;
        if (at == 0)
                fputs("null\n", stdout);
        else if (last != '\n')
                putchar('\n');
        return fflush(stdout) == 0 ? 0 : -errno;
}

static int read_result(Jobctl *ctl, uint64_t id, const char *node) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_fd_ int fd = memfd_create("result", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *path = NULL;
        int r = fd < 0 ? -errno : text_format(&path, BUS_PATH "/run/%" PRIu64, id);

        /* Descriptors are taken only when both ends have said that they can pass them. */
        if (r == 0 && ctl->bus)
                r = bus_ping(ctl->bus, 0, &error);
        if (r == 0)
                r = jobctl_send(ctl,
                                &(BusCall) { .path = path,
                                            .interface = BUS_RUN,
                                            .method = "Result",
                                            .signature = "sh",
                                            .args = json_pack("[si]", node, fd) },
                                &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "read the result of node %s of run %" PRIu64, node, id);
        if (text_equal(value_item_string(reply, 1), "dropped")) {
                fprintf(stderr, "The result of node %s of run %" PRIu64 " is kept no more: KeepResult=no.\n", node, id);
                return EXIT_NO_SUCH;
        }
        r = print_file(fd);
        if (r < 0)
                fprintf(stderr, "Cannot print the result: %s\n", strerror(-r));
        return r < 0 ? EXIT_FAILED : EXIT_OK;
}

int flow_result(Jobctl *ctl, char *const *words) {
        cleanup_free_ char *named = NULL;
        const char *node;
        uint64_t id;
        int r = flow_parse_subject(ctl, words[0], &id, &named);

        if (r != 0)
                return r;
        node = named ? named : words[1];
        if (!node || !*node)
                return jobctl_misused(ctl, "Name a node, as in 'jobctl flow result %" PRIu64 "/NODE'.", id);
        if (words[1] && (named || words[2]))
                return jobctl_misused(ctl, "'%s' is one word too many.", words[named ? 1 : 2]);
        return read_result(ctl, id, node);
}
