/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of IP addresses
 */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/ip_prefix.h"

static void clear_rest(IpPrefix *prefix) {
        size_t n = prefix->family == AF_INET ? 4 : 16;

        for (size_t i = 0; i < n; i++) {
                size_t kept = prefix->bits > 8 * i ? prefix->bits - 8 * i : 0;

                if (kept < 8)
                        prefix->address[i] &= (uint8_t) (0xFF00U >> kept);
        }
}

static int parse_one(const char *word, IpPrefix *ret_prefix) {
        IpPrefix prefix = { .family = strchr(word, ':') ? AF_INET6 : AF_INET };
        uint32_t most = prefix.family == AF_INET ? 32 : 128, bits = most;
        const char *slash = strchr(word, '/');
        char address[INET6_ADDRSTRLEN];
        size_t n = slash ? (size_t) (slash - word) : strlen(word);

        if (n >= sizeof(address))
                return -EINVAL;
        memcpy(address, word, n);
        address[n] = '\0';
        if (inet_pton(prefix.family, address, prefix.address) != 1)
                return -EINVAL;
        if (slash && (text_parse_u32(slash + 1, &bits) < 0 || bits > most))
                return -EINVAL;
        prefix.bits = (uint8_t) bits;
        clear_rest(&prefix);
        *ret_prefix = prefix;
        return 0;
}

int ip_prefixes_parse(const char *word, IpPrefix ret_prefixes[static IP_PREFIXES_MAX]) {
        static const struct {
                const char *name;
                const char *prefixes[IP_PREFIXES_MAX];
        } names[] = {
                { "any", { "0.0.0.0/0", "::/0" } },
                { "localhost", { "127.0.0.0/8", "::1/128" } },
                { "link-local", { "169.254.0.0/16", "fe80::/64" } },
                { "multicast", { "224.0.0.0/4", "ff00::/8" } },
        };
        int n = 0, r;

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                if (strcmp(names[i].name, word) != 0)
                        continue;
                for (; n < (int) IP_PREFIXES_MAX && names[i].prefixes[n]; n++)
                        if (parse_one(names[i].prefixes[n], &ret_prefixes[n]) < 0)
                                return -EINVAL;
                return n;
        }
        r = parse_one(word, ret_prefixes);
        return r < 0 ? r : 1;
}

bool ip_prefix_equal(const IpPrefix *a, const IpPrefix *b) {
        return a->family == b->family && a->bits == b->bits && memcmp(a->address, b->address, sizeof(a->address)) == 0;
}
