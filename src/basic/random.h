/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Random bytes of the kernel
 *
 * Read from the kernel in larger blocks: a start of ten thousand services
 * would otherwise spend a tenth of its time on reading ids. Each byte is used
 * once. For ids and jitter, not for secrets, as unused bytes stay in memory.
 * Neither thread-safe nor for a forked child that continues beside its
 * parent.
 */

#include <stddef.h>

#define RANDOM_BYTES_MAX 64U

/*
 * Fills @bytes with @n bytes, at most RANDOM_BYTES_MAX: 0, or -EAGAIN with zeroes while the kernel has no entropy yet,
 * early at boot. Never blocks.
 */
int random_bytes(void *bytes, size_t n);
