/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The tables as API text
 */

#include "dbus/object/bus_table.h"

/* The API text of one interface, in Markdown. */
int bus_document_interface(const BusInterface *interface, char **ret_text);
