/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The name of the format of records: "NAME VERSION of PLACE"
 */

#include <stdio.h>
#include <string.h>

#include "basic/text.h"
#include "store/store_private.h"

int store_name_format(const Store *store, char **ret_name) {
        return text_format(ret_name, "%s %u of %s", store->name, store->version, store->place);
}

unsigned store_version_of(const Store *store, const char *text) {
        size_t n = strlen(store->name);
        unsigned version = 0;
        int behind = 0;

        if (strncmp(text, store->name, n) != 0 || sscanf(text + n, " %9u of %n", &version, &behind) != 1 ||
            behind == 0 || strcmp(text + n + behind, store->place) != 0)
                return 0;
        return version;
}
