/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd-probe
 *
 * A process of its own may look up names and wait for a connection, which the
 * manager may not. The exit status alone is the result, so the probe needs
 * nothing from the manager, and nothing of the service but its user.
 */

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/macro.h"
#include "core/probe.h"
#include "unitfile/service_rare_settings.h"

/* Only the first line of an answer counts. */
#define ANSWER_MAX 512

static int status_of_errno(int error) {
        return error > 0 && error < SERVICE_PROBE_HTTP_STATUS ? error : EIO;
}

static int connect_one(const struct addrinfo *address) {
        int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol), error;

        if (fd < 0)
                return -errno;
        if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
                return fd;
        error = errno;
        close(fd);
        return -error;
}

/* Connects to the first address that accepts: a descriptor, or the negative of an exit status. */
static int connect_to(const char *host, const char *port) {
        const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
        struct addrinfo *found = NULL;
        int r = -ENOENT;

        if (getaddrinfo(host, port, &hints, &found) != 0)
                return -SERVICE_PROBE_NO_ADDRESS;
        for (const struct addrinfo *address = found; address && r < 0; address = address->ai_next)
                r = connect_one(address);
        freeaddrinfo(found);
        return r < 0 ? -status_of_errno(-r) : r;
}

static int send_request(int fd, const char *host, const char *port, const char *path) {
        const bool is_v6 = strchr(host, ':');
        char *request = NULL;
        int n, r = 0;

        n = asprintf(&request, "GET %s HTTP/1.0\r\nHost: %s%s%s:%s\r\nUser-Agent: " SERVICE_PROBE_NAME "\r\n"
                     "Accept: */*\r\nConnection: close\r\n\r\n", path, is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
        if (n < 0)
                return ENOMEM;
        for (int sent = 0; sent < n && r == 0;) {
                ssize_t part = send(fd, request + sent, (size_t) (n - sent), MSG_NOSIGNAL);

                if (part < 0 && errno != EINTR)
                        r = status_of_errno(errno);
                else
                        sent += (int) MAX(part, 0);
        }
        free(request);
        return r;
}

/* "HTTP/1.1 204 No Content" */
static int judge_answer(const char *line) {
        unsigned status;

        if (sscanf(line, "HTTP/%*1u.%*1u %3u", &status) != 1 || status < 100 || status > 599)
                return SERVICE_PROBE_NO_HTTP;
        return status >= 200 && status < 400 ? 0 : SERVICE_PROBE_HTTP_STATUS + (int) status / 100;
}

static int read_answer(int fd) {
        char answer[ANSWER_MAX + 1];
        size_t n = 0;

        while (n < ANSWER_MAX && !memchr(answer, '\n', n)) {
                ssize_t part = recv(fd, answer + n, ANSWER_MAX - n, 0);

                if (part < 0 && errno == EINTR)
                        continue;
                if (part < 0)
                        return status_of_errno(errno);
                if (part == 0)
                        break;
                n += (size_t) part;
        }
        answer[n] = '\0';
        return judge_answer(answer);
}

bool probe_is_meant(const char *name) {
        return name && strcmp(name, SERVICE_PROBE_NAME) == 0;
}

int probe_run(int argc, char *argv[]) {
        bool is_http = argc == 5 && strcmp(argv[1], "http") == 0;
        int fd, r;

        if (!is_http && (argc != 4 || strcmp(argv[1], "tcp") != 0))
                return EINVAL;
        fd = connect_to(argv[2], argv[3]);
        if (fd < 0)
                return -fd;
        r = is_http ? send_request(fd, argv[2], argv[3], argv[4]) : 0;
        if (is_http && r == 0)
                r = read_answer(fd);
        close(fd);
        return r;
}
