/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of the rare settings of [Service]
 *
 * A probe of a port becomes a command of jobd itself, so that all probes run
 * alike.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_service.h"
#include "unitfile/directive_value.h"
#include "unitfile/service_settings.h"
#include "unitfile/unit_draft.h"

/* The minimum is above the standard streams; the maximum is the usual limit of descriptors. */
#define NOTIFY_FD_MIN 3
#define NOTIFY_FD_MAX 1023

static bool bus_name_is_valid(const char *name) {
        unsigned n_parts = 1;
        bool begins = true;

        if (strlen(name) > 255)
                return false;
        for (const char *at = name; *at; at++) {
                if (*at == '.') {
                        if (begins)
                                return false;
                        begins = true;
                        n_parts++;
                        continue;
                }
                if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-0123456789", *at) ||
                    (begins && *at >= '0' && *at <= '9'))
                        return false;
                begins = false;
        }
        return n_parts > 1 && !begins;
}

int service_parse_bus_name(const DirectiveLine *line, const char *value) {
        char **field = directive_field(line), *name = NULL;

        if (*value) {
                int r = directive_expand(line, value, &name);

                if (r <= 0)
                        return r;
                if (!bus_name_is_valid(name)) {
                        r = directive_complain(line, "'%s' is not a name on a message bus such as org.example.Thing",
                                               name);
                        free(name);
                        return r;
                }
        }
        free(*field);
        *field = name;
        return 0;
}

int service_parse_notify_fd(const DirectiveLine *line, const char *value) {
        int32_t fd = 0;

        if (*value && (text_parse_i32(value, &fd) < 0 || fd < NOTIFY_FD_MIN || fd > NOTIFY_FD_MAX))
                return directive_complain(line, "'%s' is not the number of a descriptor from %d to %d", value,
                                          NOTIFY_FD_MIN,
                                          NOTIFY_FD_MAX);
        *(int *) directive_field(line) = fd;
        return 0;
}

/* A time span, or a share of the restart delay: "20%". */
int service_parse_restart_jitter(const DirectiveLine *line, const char *value) {
        ServiceRareSettings *rare = directive_base(line, DIRECTIVE_IN_SERVICE_RARE);
        cleanup_free_ char *number = NULL;
        uint32_t percent = 0;
        int r;

        if (!text_ends_with(value, "%")) {
                r = directive_parse_seconds(line, value);
                rare->restart_jitter_percent = 0;
                return r;
        }
        number = strndup(value, strlen(value) - 1);
        if (!number)
                return -ENOMEM;
        if (text_parse_u32(number, &percent) < 0 || percent > 100)
                return directive_complain(line, "'%s' is not a share between 0%% and 100%%", value);
        rare->restart_jitter_percent = percent;
        rare->restart_jitter = 0;
        return 0;
}

int service_parse_fd_preserve(const DirectiveLine *line, const char *value) {
        int found = *value ? service_fd_preserve_from_string(value) :
                SERVICE_FDS_RESTART, is_yes = text_parse_bool(value);

        if (found < 0 && is_yes >= 0)
                found = is_yes ? SERVICE_FDS_YES : SERVICE_FDS_NO;
        if (found < 0)
                return directive_complain(line, "'%s' is none of no, yes and restart", value);
        *(ServiceFdPreserve *) directive_field(line) = (ServiceFdPreserve) found;
        return 0;
}

/* — probes — */

static ServiceProbe *probe_of(const DirectiveLine *line) {
        ServiceRareSettings *rare = directive_base(line, DIRECTIVE_IN_SERVICE_RARE);

        return &rare->probes[line->directive->argument];
}

static void reset_probe(ServiceProbe *probe) {
        probe->command = exec_command_free_all(probe->command);
        free(probe->target);
        probe->target = NULL;
}

int service_parse_probe_command(const DirectiveLine *line, const char *value) {
        if (!*value)
                reset_probe(probe_of(line));
        return directive_parse_command(line, value);
}

/* Appends a command to the probe's list: a second one is reported after everything has been read. */
static int add_command(const DirectiveLine *line, char **argv) {
        ExecCommand **end = &probe_of(line)->command;
        ExecCommand *command = calloc(1, sizeof(*command));

        while (*end)
                end = &(*end)->next;
        *end = command;
        if (!command) {
                strv_free(argv);
                return -ENOMEM;
        }
        command->argv = argv;
        command->flags = EXEC_NO_EXPANSION;
        command->line = line->line;
        command->path = strdup(SERVICE_PROBE_PATH);
        command->file = strdup(line->file);
        return command->path && command->file ? 0 : -ENOMEM;
}

/* jobd-probe KIND HOST PORT [PATH] */
static int add_probe(const DirectiveLine *line, const char *kind, const char *host, const char *port, const char *path,
                     const char *target) {
        ServiceProbe *probe = probe_of(line);
        cleanup_(strv_freep) char **argv = NULL;
        int r;

        r = strv_push(&argv, SERVICE_PROBE_NAME);
        if (r == 0)
                r = strv_push(&argv, kind);
        if (r == 0)
                r = strv_push(&argv, host);
        if (r == 0)
                r = strv_push(&argv, port);
        if (r == 0 && path)
                r = strv_push(&argv, path);
        if (r < 0)
                return r;
        free(probe->target);
        probe->target = strdup(target);
        return probe->target ? add_command(line, take_ptr(argv)) : -ENOMEM;
}

/* Resolves specifiers: 1; 0 if the value is empty, which removes the probe, or bad (reported); or -ENOMEM. */
static int expand_probe(const DirectiveLine *line, const char *value, char **ret_text) {
        if (*value)
                return directive_expand(line, value, ret_text);
        reset_probe(probe_of(line));
        return 0;
}

static bool is_graph(const char *text) {
        for (; *text; text++)
                if (*text <= ' ' || *text >= 127)
                        return false;
        return true;
}

/* Splits "host:port", "[v6]:port" or "port"; the default port is @usual_port: 0 or -EINVAL. Modifies @text. */
static int split_address(char *text, const char *usual_port, const char **ret_host, const char **ret_port) {
        char *colon, *end;
        uint32_t port;

        *ret_host = "127.0.0.1";
        if (text[0] == '[') {
                end = strchr(text, ']');
                if (!end || (end[1] && end[1] != ':'))
                        return -EINVAL;
                *ret_host = text + 1;
                *ret_port = end[1] ? end + 2 : usual_port;
                *end = '\0';
        } else if ((colon = strrchr(text, ':'))) {
                *colon = '\0';
                *ret_host = *text ? text : *ret_host;
                *ret_port = colon + 1;
        } else if (usual_port) {
                *ret_host = text;
                *ret_port = usual_port;
        } else
                *ret_port = text;
        if (!*ret_port || text_parse_u32(*ret_port, &port) < 0 || port == 0 || port > UINT16_MAX)
                return -EINVAL;
        return **ret_host && is_graph(*ret_host) ? 0 : -EINVAL;
}

int service_parse_probe_tcp(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *text = NULL, *target = NULL, *parts = NULL;
        const char *host, *port;
        int r = expand_probe(line, value, &text);

        if (r <= 0)
                return r;
        parts = strdup(text);
        if (!parts)
                return -ENOMEM;
        if (split_address(parts, NULL, &host, &port) < 0)
                return directive_complain(line, "'%s' is not of the form PORT or HOST:PORT", text);
        r = text_format(&target, strchr(host, ':') ? "TCP [%s]:%s" : "TCP %s:%s", host, port);
        return r < 0 ? r : add_probe(line, "tcp", host, port, NULL, target);
}

int service_parse_probe_http(const DirectiveLine *line, const char *value) {
        static const char scheme[] = "http://";
        cleanup_free_ char *text = NULL, *target = NULL, *address = NULL;
        const char *path, *host, *port;
        int r = expand_probe(line, value, &text);

        if (r <= 0)
                return r;
        if (text_starts_with(text, "https://"))
                return directive_complain(line,
                                          "'%s' is not possible, only http:// is; a program with TLS can be "
                                                "run by the Exec sister of this directive", text);
        if (!text_starts_with(text, scheme) || !is_graph(text))
                return directive_complain(line, "'%s' is not a URL such as http://127.0.0.1:8080/health", text);
        path = strchr(text + strlen(scheme), '/');
        address = strndup(text + strlen(scheme), path ? (size_t) (path - text) - strlen(scheme) : strlen(text));
        if (!address)
                return -ENOMEM;
        if (split_address(address, "80", &host, &port) < 0)
                return directive_complain(line, "'%s' is not a URL such as http://127.0.0.1:8080/health", text);
        r = text_format(&target, "HTTP %s", text);
        return r < 0 ? r : add_probe(line, "http", host, port, path ? path : "/", target);
}
