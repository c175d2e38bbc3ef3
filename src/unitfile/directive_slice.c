/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Slice]: directives that only slices have
 */

#include "basic/macro.h"
#include "unitfile/directive_value.h"

const Directive slice_directives[] = {
        DIRECTIVE_IGNORE("ConcurrencyHardMax", "units of a slice may run at the same time without it"),
        DIRECTIVE_IGNORE("ConcurrencySoftMax", "units of a slice may run at the same time without it"),
};

const size_t slice_directives_n = ELEMENTSOF(slice_directives);
