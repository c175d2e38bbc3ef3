/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * SHA-256 (FIPS 180-4)
 */

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32U

/* A hash of bytes that come one part after the other. */
typedef struct Sha256 {
        uint32_t h[8];
        uint64_t n; /* bytes so far */
        uint8_t rest[64]; /* of the last block, which is not whole */
} Sha256;

void sha256_begin(Sha256 *sum);
void sha256_add(Sha256 *sum, const void *bytes, size_t n);
void sha256_end(Sha256 *sum, uint8_t ret_hash[static SHA256_BYTES]);

void sha256(const void *bytes, size_t n, uint8_t ret_hash[static SHA256_BYTES]);
