/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where something was declared, for people
 */

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "unit/unit_table.h"

const char *unit_origin_format(const UnitTable *table, UnitOriginId id, char *buffer, size_t size) {
        UnitOrigin origin = unit_table_origin_at(table, id);
        const char *slash = strrchr(origin.file, '/');
        const char *base = slash ? slash + 1 : origin.file;

        assert(size > 0);

        if (origin.implied && base[0] == '\0')
                snprintf(buffer, size, "%s", origin.implied);
        else if (origin.implied && origin.line == 0)
                snprintf(buffer, size, "%s of %s", origin.implied, base);
        else if (origin.implied)
                snprintf(buffer, size, "%s by %s:%u", origin.implied, origin.file, origin.line);
        else if (origin.line > 0)
                snprintf(buffer, size, "%s:%u", origin.file, origin.line);
        else
                snprintf(buffer, size, "%s", origin.file);
        return buffer;
}
