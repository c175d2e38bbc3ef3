/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A hash of several strings
 *
 * 64-bit FNV-1a: distinguishes strings unless somebody chose them to collide.
 */

#include <stdint.h>

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_add_byte(uint64_t hash, char byte) {
        return (hash ^ (unsigned char) byte) * UINT64_C(0x100000001b3);
}

/* The end of @text is hashed, too: "a", "b" differs from "ab". */
static inline uint64_t hash_add(uint64_t hash, const char *text) {
        do
                hash = hash_add_byte(hash, *text);
        while (*text++);
        return hash;
}
