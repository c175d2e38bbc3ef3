/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of IP addresses: what words mean, and what is no word.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "unitfile/ip_prefix.h"

/* "10.0.0.0/8 ::/0", or the error. */
static const char *parsed(const char *word) {
        static char text[256];
        IpPrefix prefixes[IP_PREFIXES_MAX];
        int n = ip_prefixes_parse(word, prefixes);
        char *end = text;

        *end = '\0';
        if (n < 0)
                return "bad";
        for (int i = 0; i < n; i++) {
                char address[INET6_ADDRSTRLEN];

                cr_assert(inet_ntop(prefixes[i].family, prefixes[i].address, address, sizeof(address)) != NULL);
                end += sprintf(end, "%s%s/%u", i > 0 ? " " : "", address, prefixes[i].bits);
        }
        return text;
}

Test(ip_prefix, words) {
        static const struct {
                const char *word, *wanted;
        } cases[] = {
                { "10.1.2.3", "10.1.2.3/32" },
                { "10.1.2.3/8", "10.0.0.0/8" },
                { "10.255.255.255/9", "10.128.0.0/9" },
                { "0.0.0.0/0", "0.0.0.0/0" },
                { "1.2.3.4/0", "0.0.0.0/0" },
                { "fe80::1/64", "fe80::/64" },
                { "2001:db8:ffff::/33", "2001:db8:8000::/33" },
                { "::1", "::1/128" },
                { "any", "0.0.0.0/0 ::/0" },
                { "localhost", "127.0.0.0/8 ::1/128" },
                { "link-local", "169.254.0.0/16 fe80::/64" },
                { "multicast", "224.0.0.0/4 ff00::/8" },
                { "", "bad" },
                { "10.1.2", "bad" },
                { "10.1.2.3/33", "bad" },
                { "10.1.2.3/", "bad" },
                { "10.1.2.3/-1", "bad" },
                { "::1/129", "bad" },
                { "256.1.1.1", "bad" },
                { "Any", "bad" },
                { "example.org", "bad" },
                { "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc/1", "bad" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                assert_string(parsed(cases[i].word), cases[i].wanted);
}
