/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of [Socket]
 */

#include <ctype.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "unitfile/directive_socket.h"
#include "unitfile/directive_value.h"
#include "unitfile/socket_address.h"
#include "unitfile/unit_draft.h"

static SocketSettings *settings_of(const DirectiveLine *line) {
        return directive_base(line, DIRECTIVE_IN_TYPE);
}

static void reset_listens(SocketSettings *settings, SocketListenKind kind) {
        size_t kept = 0;

        for (size_t i = 0; i < settings->listen.n; i++) {
                SocketListen *listen = &settings->listen.items[i];

                if (listen->kind == kind)
                        free(listen->address);
                else
                        settings->listen.items[kept++] = *listen;
        }
        settings->listen.n = kept;
}

/* Checks the name of a message queue: 1, 0 if it is invalid (reported), or -ENOMEM. */
static int judge_queue(const DirectiveLine *line, const char *name) {
        if (name[0] == '/' && name[1] && !strchr(name + 1, '/') && strlen(name) < 256)
                return 1;
        return directive_complain(line, "'%s' is not the name of a message queue: a '/', and a name without '/'", name);
}

static int judge_address(const DirectiveLine *line, SocketListenKind kind, const char *text) {
        SocketAddress address;
        int r = socket_address_parse(text, &address);

        if (text_starts_with(text, "vsock:"))
                return directive_complain(line, "'%s': addresses of virtual machines (vsock) are not supported", text);
        if (r == -ENAMETOOLONG)
                return directive_complain(line, "'%s' is longer than a socket address can be (%zu bytes)", text,
                                          sizeof(address.un.sun_path) - 1);
        if (r == -ENODEV)
                return directive_complain(line, "'%s': there is no such network interface", text);
        if (r < 0)
                return directive_complain(line, "'%s' is not an address: a port (80), an IPv4 address with a port "
                                                "(127.0.0.1:80), an IPv6 one ([::1]:80), a path (/run/x) or an "
                                                "abstract "
                                                "name (@x)", text);
        if (kind == SOCKET_LISTEN_SEQUENTIAL_PACKET && address.any.sa_family != AF_UNIX)
                return directive_complain(line, "'%s': sequential packets are possible with a path or an abstract name "
                                                "only", text);
        return 1;
}

static int judge_netlink(const DirectiveLine *line, const char *text) {
        SocketAddress address;
        int protocol;
        int r = socket_address_parse_netlink(text, &address, &protocol);

        if (r == -ENOMEM)
                return r;
        return r == 0 ? 1 :
                directive_complain(line, "'%s' is not a protocol of netlink (route, audit, kobject-uevent, …) and "
                                                     "the bits of its groups, such as 'kobject-uevent 1'", text);
}

/* The address in the stored form: 1, 0 if it is invalid (reported), or -ENOMEM. */
static int expand_listen(const DirectiveLine *line, SocketListenKind kind, const char *value, char **ret_address) {
        cleanup_free_ char *text = NULL;
        int r;

        if (value[0] == '/' || kind == SOCKET_LISTEN_FIFO || kind == SOCKET_LISTEN_SPECIAL)
                r = directive_expand_path(line, value, &text);
        else
                r = directive_expand(line, value, &text);
        if (r > 0 && text[0] == '/' && !directive_simplify_path(text))
                return directive_complain(line, "The path '%s' contains '..'", text);
        if (r <= 0)
                return r;
        if (kind == SOCKET_LISTEN_MESSAGE_QUEUE)
                r = judge_queue(line, text);
        else if (kind == SOCKET_LISTEN_NETLINK)
                r = judge_netlink(line, text);
        else if (kind != SOCKET_LISTEN_FIFO && kind != SOCKET_LISTEN_SPECIAL)
                r = judge_address(line, kind, text);
        if (r > 0)
                *ret_address = take_ptr(text);
        return r;
}

int socket_parse_listen(const DirectiveLine *line, const char *value) {
        SocketListen listen = { .kind = (SocketListenKind) line->directive->argument };
        int r;

        if (!*value) {
                reset_listens(settings_of(line), listen.kind);
                return 0;
        }
        r = expand_listen(line, listen.kind, value, &listen.address);
        if (r <= 0)
                return r;
        r = vector_push(&settings_of(line)->listen, listen);
        if (r < 0)
                free(listen.address);
        return r;
}

int socket_parse_unsupported_listen(const DirectiveLine *line, const char *value) {
        if (!*value)
                return 0;
        return directive_complain(line, "jobd does not support this kind of socket; use ListenStream=, "
                                        "ListenDatagram=, ListenSequentialPacket=, ListenFIFO=, ListenSpecial=, "
                                        "ListenMessageQueue= or ListenNetlink=");
}

int socket_parse_mode(const DirectiveLine *line, const char *value) {
        size_t n = strspn(value, "01234567");

        if (n == 0 || n > 5 || value[n] || strtoul(value, NULL, 8) > 07777)
                return directive_complain(line, "'%s' is not a mode such as 0660", value);
        *(uint32_t *) directive_field(line) = (uint32_t) strtoul(value, NULL, 8);
        return 0;
}

int socket_parse_bytes(const DirectiveLine *line, const char *value) {
        static const char suffixes[] = "BKMGT";
        uint64_t *field = directive_field(line), number;
        cleanup_free_ char *digits = strdup(value);
        size_t n = strspn(value, "0123456789");
        const char *suffix = value[n] ? strchr(suffixes, toupper((unsigned char) value[n])) : suffixes;
        unsigned shift = suffix ? 10 * (unsigned) (suffix - suffixes) : 0;

        if (!digits)
                return -ENOMEM;
        digits[n] = '\0';
        if (!suffix || (value[n] && value[n + 1]) || text_parse_u64(digits, &number) < 0 ||
            number > (uint64_t) INT64_MAX >> shift)
                return directive_complain(line, "'%s' is not a number of bytes such as 8192, 64K or 1M", value);
        *field = number << shift;
        return 0;
}

int socket_parse_number(const DirectiveLine *line, const char *value) {
        int32_t number;

        if (text_parse_i32(value, &number) < 0 || number < 0 || number > line->directive->argument)
                return directive_complain(line, "'%s' is not a whole number between 0 and %d", value,
                                          line->directive->argument);
        *(int32_t *) directive_field(line) = number;
        return 0;
}

int socket_parse_tos(const DirectiveLine *line, const char *value) {
        static const struct {
                const char *name;
                int32_t tos;
        } names[] = {
                { "low-delay", IPTOS_LOWDELAY },
                { "throughput", IPTOS_THROUGHPUT },
                { "reliability", IPTOS_RELIABILITY },
                { "low-cost", IPTOS_LOWCOST },
        };
        int32_t number = -1;

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (strcmp(names[i].name, value) == 0)
                        number = names[i].tos;
        if (number < 0 && (text_parse_i32(value, &number) < 0 || number < 0 || number > 255))
                return directive_complain(line,
                                          "'%s' is none of low-delay, throughput, reliability, low-cost, and no number "
                                                "between 0 and 255", value);
        *(int32_t *) directive_field(line) = number;
        return 0;
}

int socket_parse_protocol(const DirectiveLine *line, const char *value) {
        static const struct {
                const char *name;
                int32_t protocol;
        } names[] = {
                { "", 0 },
                { "udplite", IPPROTO_UDPLITE },
                { "sctp", IPPROTO_SCTP },
                { "mptcp", IPPROTO_MPTCP },
        };

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (strcmp(names[i].name, value) == 0) {
                        settings_of(line)->protocol = names[i].protocol;
                        return 0;
                }
        return directive_complain(line, "'%s' is none of udplite, sctp and mptcp", value);
}

int socket_parse_timestamping(const DirectiveLine *line, const char *value) {
        int found = *value ? socket_timestamping_from_string(value) : SOCKET_TIMESTAMPING_OFF;

        if (strcmp(value, "usec") == 0 || strcmp(value, "µs") == 0)
                found = SOCKET_TIMESTAMPING_USEC;
        if (strcmp(value, "nsec") == 0)
                found = SOCKET_TIMESTAMPING_NSEC;
        if (found < 0)
                return directive_complain(line, "'%s' is none of off, us and ns", value);
        settings_of(line)->timestamping = (SocketTimestamping) found;
        return 0;
}

/* Also accepts a boolean, the older format. */
int socket_parse_bind_ipv6(const DirectiveLine *line, const char *value) {
        int found = *value ? socket_bind_ipv6_from_string(value) : SOCKET_BIND_IPV6_DEFAULT;
        int is_on = text_parse_bool(value);

        if (found < 0 && is_on < 0)
                return directive_complain(line, "'%s' is none of default, both and ipv6-only", value);
        settings_of(line)->bind_ipv6 = found >= 0 ? (SocketBindIpv6) found
                                       : is_on  ? SOCKET_BIND_IPV6_ONLY
                                                : SOCKET_BIND_IPV6_BOTH;
        return 0;
}

static int set_string(const DirectiveLine *line, char **text) {
        char **field = directive_field(line);

        free(*field);
        *field = take_ptr(*text);
        return 0;
}

int socket_parse_service(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *name = NULL;
        int r = *value ? directive_expand(line, value, &name) : 1;

        if (r <= 0)
                return r;
        if (name && (!unit_name_is_valid(name) || unit_name_is_template(name) ||
                     (unit_name_type(name) != UNIT_SERVICE && !unit_type_has_runs(unit_name_type(name)))))
                return directive_complain(line, "'%s' is not the name of a service, a flow or a batch", name);
        return set_string(line, &name);
}

int socket_parse_fd_name(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *name = NULL;
        int r = *value ? directive_expand(line, value, &name) : 1;

        if (r <= 0)
                return r;
        for (const char *c = name ? name : ""; *c; c++)
                if (*c == ':' || (unsigned char) *c < ' ' || *c == 127)
                        return directive_complain(line, "'%s' contains a ':' or a control character", name);
        if (name && strlen(name) > 255)
                return directive_complain(line, "The name is longer than 255 bytes");
        return set_string(line, &name);
}

int socket_parse_interface(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *name = NULL;
        int r = *value && strcmp(value, "*") != 0 ? directive_expand(line, value, &name) : 1;

        if (r <= 0)
                return r;
        if (name && (strlen(name) >= IFNAMSIZ || strpbrk(name, "/: \t")))
                return directive_complain(line, "'%s' is not the name of a network interface", name);
        return set_string(line, &name);
}

int socket_parse_sockets(const DirectiveLine *line, const char *value) {
        static const UnitRelationKind kinds[] = { UNIT_WANTS, UNIT_AFTER, UNIT_TRIGGERED_BY };
        const char *at = value;

        for (;;) {
                cleanup_free_ char *word = NULL, *name = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                if (!unit_name_is_valid(word) || unit_name_type(word) != UNIT_SOCKET)
                        return directive_complain(line, "'%s' is not the name of a socket", word);
                r = unit_draft_resolve_template(line->target->draft, word, &name);
                for (size_t i = 0; r == 0 && i < ELEMENTSOF(kinds); i++)
                        r = unit_draft_add_relation(line->target->draft, kinds[i], name, line->file, line->line, NULL);
                if (r < 0)
                        return r == -EINVAL ? directive_complain(line, "'%s' gives no valid unit name here", word) : r;
        }
}
