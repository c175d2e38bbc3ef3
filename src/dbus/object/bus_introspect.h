/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The tables as introspection XML
 */

#include "dbus/object/bus_table.h"

int bus_introspect(const BusTree *tree, const BusDialect *dialect, const BusObject *object, char **ret_xml);

/* Splits off the first complete type of @signature: its length, 0 at the end. */
size_t bus_signature_first(const char *signature);
/* The word of @names at @at ("unit mode" → "unit", "mode"); its length in @ret_n, 0 if there is none. */
const char *bus_argument_name(const char *names, size_t at, size_t *ret_n);
