/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings that DynamicUser= implies
 *
 * The user id is reused by other units later, so no file of the user may
 * remain: the unit can write only where files are removed with it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/hash.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "unit/sandbox_settings.h"
#include "unit/unit_name.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

#define USER_NAME_MAX 31

static bool is_name(const char *name) {
        size_t n = strlen(name);

        return n > 0 && n <= USER_NAME_MAX && strspn(name, "0123456789-") == 0 &&
               strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == n;
}

/* The unit's name without instance and type or, if that is no valid user name, a hash of it. */
static int name_user(const UnitDraft *draft, char **ret_name) {
        cleanup_free_ char *prefix = NULL;
        int r = unit_name_prefix(draft->name, &prefix);

        if (r < 0)
                return r;
        if (!is_name(prefix))
                return text_format(ret_name, "_du%016llx", (unsigned long long) hash_add(HASH_BEGIN, prefix));
        *ret_name = take_ptr(prefix);
        return 0;
}

int unit_draft_apply_dynamic_user(const UnitDraft *draft, DraftSection *section) {
        SandboxSettings *sandbox;

        if (!section->exec || !section->exec_terms.dynamic_user)
                return 0;
        if (!section->exec_rare.sandbox)
                section->exec_rare.sandbox = calloc(1, sizeof(*section->exec_rare.sandbox));
        sandbox = section->exec_rare.sandbox;
        if (!sandbox)
                return -ENOMEM;
        sandbox->is_lenient = draft->loader->options.lenient_directives;
        sandbox->private_tmp = true;
        sandbox->protect_system = PROTECT_SYSTEM_STRICT;
        if (sandbox->protect_home == PROTECT_HOME_NO)
                sandbox->protect_home = PROTECT_HOME_READ_ONLY;
        section->exec_terms.removes_ipc = true;
        section->exec_terms.no_new_privileges = true;
        section->exec_terms.filter.denies_suid_sgid = true;
        return section->exec->user ? 0 : name_user(draft, &section->exec->user);
}
