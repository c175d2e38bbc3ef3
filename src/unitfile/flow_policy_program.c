/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/flow_policy_program.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_file_loader.h"

#define FOLDER "policies"

/* The path as the first word of a command line; after a colon nothing in it is a variable. */
static int quote(const char *path, char **ret_word) {
        Text text = {};

        text_add(&text, strchr(path, '$') ? "\":" : "\"");
        for (const char *c = path; *c; c++) {
                if (*c == '"' || *c == '\\')
                        text_add_char(&text, '\\');
                else if (*c == '%')
                        text_add_char(&text, *c);
                text_add_char(&text, *c);
        }
        text_add(&text, "\"");
        return text_finish(&text, ret_word);
}

static bool is_program(const char *path) {
        struct stat st;

        return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int join(const char *folder, const char *name, char **ret_path) {
        cleanup_free_ char *absolute = *folder == '/' ? strdup(folder) : realpath(folder, NULL), *policies = NULL;
        int r = absolute ? text_join_path(absolute, FOLDER, &policies) : -errno;

        return r < 0 ? r : text_join_path(policies, name, ret_path);
}

/* The first folder that has the name decides: 1, 0 if there is no program, or -ENOMEM. */
static int find(const UnitFileLoader *loader, const char *name, char **ret_path) {
        strv_foreach(folder, loader->search_path) {
                cleanup_free_ char *path = NULL;
                int r = join(*folder, name, &path);

                if (r == -ENOMEM)
                        return r;
                if (r < 0 || faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
                        continue;
                if (!is_program(path))
                        return 0;
                *ret_path = take_ptr(path);
                return 1;
        }
        return 0;
}

static int imply(UnitDraft *draft, const char *name, const char **ret_file, char **ret_text) {
        cleanup_free_ char *path = NULL, *word = NULL;
        int r = find(draft->loader, name, &path);

        if (r <= 0)
                return r;
        r = flow_settings_keep_file(draft->section.own, path, ret_file);
        if (r == 0)
                r = quote(path, &word);
        if (r == 0)
                r = text_format(ret_text, "[Policy %s]\nCommand=%s\n", name, word);
        return r < 0 ? r : 1;
}

int flow_imply_policy(UnitDraft *draft, const char **ret_file, char **ret_text) {
        const char *missing = NULL; /* the last name that was looked for: many nodes may have it */
        int r = 0;

        for (size_t i = 0; r == 0 && !draft->loader->options.is_judged && i < draft->instances.n; i++) {
                const DraftSection *instance = draft->instances.items[i];
                const FlowNodeSettings *settings = instance->own;
                const char *name = draft_section_is_node(instance) ? settings->node.policy : NULL;

                if (!name || (missing && strcmp(name, missing) == 0) ||
                    unit_draft_find_instance(draft, "Policy *", name))
                        continue;
                r = imply(draft, name, ret_file, ret_text);
                missing = name;
        }
        return r;
}

/* The section of a policy that is a program is of that file. */
static bool is_of_program(const FlowPolicy *policy) {
        cleanup_free_ char *end = NULL;

        return text_format(&end, "/" FOLDER "/%s", policy->name) == 0 && text_ends_with(policy->place.file, end);
}

bool flow_policies_are_current(const UnitFileLoader *loader, const void *settings) {
        const FlowSettings *flow = settings;

        for (size_t i = 0; i < flow->policies.n; i++) {
                const FlowPolicy *policy = &flow->policies.items[i];
                cleanup_free_ char *path = NULL;

                if (!is_of_program(policy) || find(loader, policy->name, &path) < 0)
                        continue;
                if (!path || strcmp(path, policy->place.file) != 0)
                        return false;
        }
        return true;
}
