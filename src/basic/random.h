/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Random bytes of the kernel
 *
 * Taken from it in one piece for many: a start of ten thousand services would
 * else spend a tenth of its time on asking for their ids. Each byte is given
 * out once. For ids and jitter, not for secrets: what is in store lies in
 * memory. Not for several threads, nor for a process that goes on beside the
 * one that it was copied from.
 */

#include <stddef.h>

#define RANDOM_BYTES_MAX 64U

/* Fills @bytes with @n, at most RANDOM_BYTES_MAX: 0 or, with zeroes, -EAGAIN: the kernel has none yet, early at boot. Never waits. */
int random_bytes(void *bytes, size_t n);
