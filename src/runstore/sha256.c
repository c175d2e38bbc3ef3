/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SHA-256 (FIPS 180-4)
 *
 * Names of variables are those of the standard. The eight words of a round are
 * not moved: each round names them one place further.
 */

#include <endian.h>
#include <string.h>

#include "basic/macro.h"
#include "runstore/sha256.h"

#define BLOCK_BYTES 64U

static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static const uint32_t first[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t rotate(uint32_t x, unsigned n) {
        return x >> n | x << (32 - n);
}

static void schedule(const uint8_t *block, uint32_t w[static 64]) {
        for (unsigned t = 0; t < 16; t++) {
                uint32_t word;

                memcpy(&word, block + 4 * (size_t) t, sizeof(word));
                w[t] = be32toh(word);
        }
        for (unsigned t = 16; t < 64; t++) {
                uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
                uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;

                w[t] = w[t - 16] + s0 + w[t - 7] + s1;
        }
}

/* Round @t: the words a to h are v[-t], v[1 - t], … v[7 - t], modulo 8. */
static inline void add_round(uint32_t v[static 8], unsigned t, uint32_t word) {
        const uint32_t a = v[-t % 8], b = v[(1 - t) % 8], c = v[(2 - t) % 8];
        const uint32_t e = v[(4 - t) % 8], f = v[(5 - t) % 8], g = v[(6 - t) % 8];
        const uint32_t t1 = v[(7 - t) % 8] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                            k[t] + word;

        v[(3 - t) % 8] += t1;
        v[(7 - t) % 8] = t1 + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void add_block(uint32_t h[static 8], const uint8_t *block) {
        uint32_t w[64], v[8];

        schedule(block, w);
        memcpy(v, h, sizeof(v));
        for (unsigned t = 0; t < 64; t += 8) {
                add_round(v, t, w[t]);
                add_round(v, t + 1, w[t + 1]);
                add_round(v, t + 2, w[t + 2]);
                add_round(v, t + 3, w[t + 3]);
                add_round(v, t + 4, w[t + 4]);
                add_round(v, t + 5, w[t + 5]);
                add_round(v, t + 6, w[t + 6]);
                add_round(v, t + 7, w[t + 7]);
        }
        for (unsigned i = 0; i < 8; i++)
                h[i] += v[i];
}

void sha256_begin(Sha256 *sum) {
        *sum = (Sha256) {};
        memcpy(sum->h, first, sizeof(sum->h));
}

void sha256_add(Sha256 *sum, const void *bytes, size_t n) {
        const uint8_t *at = bytes;
        const size_t n_rest = sum->n % BLOCK_BYTES, n_first = MIN(n, (BLOCK_BYTES - n_rest) % BLOCK_BYTES);

        if (n == 0)
                return;
        sum->n += n;
        if (n_first > 0) {
                memcpy(sum->rest + n_rest, at, n_first);
                if (n_rest + n_first == BLOCK_BYTES)
                        add_block(sum->h, sum->rest);
        }
        at += n_first;
        n -= n_first;
        for (; n >= BLOCK_BYTES; at += BLOCK_BYTES, n -= BLOCK_BYTES)
                add_block(sum->h, at);
        if (n > 0)
                memcpy(sum->rest, at, n);
}

void sha256_end(Sha256 *sum, uint8_t ret_hash[static SHA256_BYTES]) {
        const size_t n_rest = sum->n % BLOCK_BYTES;
        const size_t last = n_rest < BLOCK_BYTES - 8 ? BLOCK_BYTES : 2 * BLOCK_BYTES;
        const uint64_t bits = htobe64(sum->n * 8);
        uint8_t tail[2 * BLOCK_BYTES] = {};

        memcpy(tail, sum->rest, n_rest);
        tail[n_rest] = 0x80;
        memcpy(tail + last - sizeof(bits), &bits, sizeof(bits));
        for (size_t i = 0; i < last; i += BLOCK_BYTES)
                add_block(sum->h, tail + i);
        for (size_t i = 0; i < ELEMENTSOF(sum->h); i++) {
                uint32_t word = htobe32(sum->h[i]);

                memcpy(ret_hash + i * sizeof(word), &word, sizeof(word));
        }
}

void sha256(const void *bytes, size_t n, uint8_t ret_hash[static SHA256_BYTES]) {
        Sha256 sum;

        sha256_begin(&sum);
        sha256_add(&sum, bytes, n);
        sha256_end(&sum, ret_hash);
}
