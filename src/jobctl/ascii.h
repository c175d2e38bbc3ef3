/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Output for terminals without UTF-8
 *
 * Marks beyond ASCII that jobd and jobctl use in sentences, such as … and →,
 * are written with ASCII characters. All other text passes unchanged.
 */

#include <stdio.h>

/* A stream that writes to @fd (borrowed), with lines buffered as by @mode of setvbuf(); NULL without memory. */
FILE *ascii_stream(int fd, int mode);
