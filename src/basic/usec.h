/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Time as a value, in microseconds
 *
 * Pure: parsing, printing and arithmetic. Reading a clock is basic/clock.h.
 */

#include <stddef.h>
#include <stdint.h>

typedef uint64_t usec_t;

#define USEC_INFINITY ((usec_t) UINT64_MAX)
#define USEC_PER_MSEC ((usec_t) 1000)
#define USEC_PER_SEC ((usec_t) 1000000)
#define USEC_PER_MINUTE (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MINUTE)
#define USEC_PER_DAY (24 * USEC_PER_HOUR)

/* Large enough for any usec_format(). */
#define USEC_FORMAT_MAX 64

/* Sum and difference, limited to USEC_INFINITY and 0. */
usec_t usec_add(usec_t a, usec_t b);
usec_t usec_sub(usec_t a, usec_t b);

/*
 * Parses a time span as systemd.time(7) has it: "5min 20s", "1.5h", "infinity";
 * a bare number counts in @default_unit µs. -EINVAL, or -ERANGE if it does not fit.
 */
int usec_parse(const char *text, usec_t default_unit, usec_t *ret_usec);

/* Prints "1min 5s", "250ms", "infinity" to at most two units; returns @buffer. */
const char *usec_format(usec_t usec, char buffer[static USEC_FORMAT_MAX]);
