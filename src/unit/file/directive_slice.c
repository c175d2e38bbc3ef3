/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Slice]: what only slices have
 */

#include "basic/macro.h"
#include "unit/file/directive_value.h"

const Directive slice_directives[] = {
        DIRECTIVE_IGNORE("ConcurrencyHardMax"),
        DIRECTIVE_IGNORE("ConcurrencySoftMax"),
};

const size_t slice_directives_n = ELEMENTSOF(slice_directives);
