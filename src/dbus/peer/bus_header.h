/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The header of a marshalled message, for what libdbus does not tell of it
 */

#include <stddef.h>
#include <stdint.h>

/*
 * How many descriptors come with the message of these @n bytes, by its header; 0 if that does not say. libdbus has
 * checked the bytes.
 */
unsigned bus_header_descriptors(const uint8_t *bytes, size_t n);
