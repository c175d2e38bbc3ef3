/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Ranges of IP addresses: 10.0.0.0/8, fe80::/64
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct IpPrefix {
        int family;                     /* AF_INET, AF_INET6 */
        uint8_t address[16];            /* network byte order; bits after the prefix are 0 */
        uint8_t bits;
} IpPrefix;

#define IP_PREFIXES_MAX 4U

/*
 * Parses a word of IPAddressAllow=: an address, with or without "/BITS", or "any", "localhost", "link-local" or
 * "multicast", which have several prefixes. Their number, or -EINVAL.
 */
int ip_prefixes_parse(const char *word, IpPrefix ret_prefixes[static IP_PREFIXES_MAX]);

bool ip_prefix_equal(const IpPrefix *a, const IpPrefix *b);
