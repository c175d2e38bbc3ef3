/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The unit that may be meant by the name of one that is not there
 *
 * A name without a type means a service: whoever has only backup.flow and
 * writes "start backup" asks for backup.service.
 */

#include "unitfile/unit_file.h"

/*
 * The units of other types that have the name of @name and a file: " (did you mean backup.flow?)"; "" without any, and
 * if @name has a file itself. The files are those that the last load has seen. 0 or -ENOMEM.
 */
int unit_file_hint(const UnitFileLoader *loader, const char *name, char **ret_hint);
