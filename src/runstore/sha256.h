/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * SHA-256 (FIPS 180-4)
 */

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32U

void sha256(const void *bytes, size_t n, uint8_t ret_hash[static SHA256_BYTES]);
