/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Install]
 *
 * The section is for enabling the unit, which makes links; it has no effect in
 * the manager, which keeps it only to show whether the unit is enabled.
 */

#include "basic/macro.h"
#include "unit/unit_settings.h"
#include "unitfile/directive_value.h"

const Directive install_directives[] = {
        DIRECTIVE_RARE("Alias", directive_parse_unit_names, alias),
        DIRECTIVE_RARE("Also", directive_parse_unit_names, also),
        DIRECTIVE_RARE("DefaultInstance", directive_parse_string, default_instance),
        DIRECTIVE_RARE("RequiredBy", directive_parse_unit_names, required_by),
        DIRECTIVE_RARE("UpheldBy", directive_parse_unit_names, upheld_by),
        DIRECTIVE_RARE("WantedBy", directive_parse_unit_names, wanted_by),
};

const size_t install_directives_n = ELEMENTSOF(install_directives);
