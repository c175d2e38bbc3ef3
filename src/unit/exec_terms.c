/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rare process settings of a unit, as data
 *
 * The settings share one allocation, because a unit that has one of them
 * mostly has several.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "unit/exec_terms.h"

static const char *const exec_directories[_EXEC_DIRECTORY_MAX] = {
        [EXEC_DIRECTORY_RUNTIME] = "RuntimeDirectory",
        [EXEC_DIRECTORY_STATE] = "StateDirectory",
        [EXEC_DIRECTORY_CACHE] = "CacheDirectory",
        [EXEC_DIRECTORY_LOGS] = "LogsDirectory",
        [EXEC_DIRECTORY_CONFIGURATION] = "ConfigurationDirectory",
};

static const char *const exec_preserves[_EXEC_PRESERVE_MAX] = {
        [EXEC_PRESERVE_NO] = "no",
        [EXEC_PRESERVE_YES] = "yes",
        [EXEC_PRESERVE_RESTART] = "restart",
};

static const char *const exec_keyrings[_EXEC_KEYRING_MAX] = {
        [EXEC_KEYRING_INHERIT] = "inherit",
        [EXEC_KEYRING_PRIVATE] = "private",
        [EXEC_KEYRING_SHARED] = "shared",
};

/* The kernel's numbers, which are the same on all machines. */
static const char *const exec_families[EXEC_FAMILIES] = {
        [1] = "AF_UNIX", [2] = "AF_INET", [3] = "AF_AX25", [4] = "AF_IPX", [5] = "AF_APPLETALK", [6] = "AF_NETROM",
        [7] = "AF_BRIDGE", [8] = "AF_ATMPVC", [9] = "AF_X25", [10] = "AF_INET6", [11] = "AF_ROSE", [12] = "AF_DECnet",
        [13] = "AF_NETBEUI", [14] = "AF_SECURITY", [15] = "AF_KEY", [16] = "AF_NETLINK", [17] = "AF_PACKET",
        [18] = "AF_ASH", [19] = "AF_ECONET", [20] = "AF_ATMSVC", [21] = "AF_RDS", [22] = "AF_SNA", [23] = "AF_IRDA",
        [24] = "AF_PPPOX", [25] = "AF_WANPIPE", [26] = "AF_LLC", [27] = "AF_IB", [28] = "AF_MPLS", [29] = "AF_CAN",
        [30] = "AF_TIPC", [31] = "AF_BLUETOOTH", [32] = "AF_IUCV", [33] = "AF_RXRPC", [34] = "AF_ISDN",
        [35] = "AF_PHONET", [36] = "AF_IEEE802154", [37] = "AF_CAIF", [38] = "AF_ALG", [39] = "AF_NFC",
        [40] = "AF_VSOCK", [41] = "AF_KCM", [42] = "AF_QIPCRTR", [43] = "AF_SMC", [44] = "AF_XDP", [45] = "AF_MCTP",
};

DECLARE_STRING_TABLE(exec_family_main, int);
DEFINE_STRING_TABLE(exec_family_main, int, exec_families)
DEFINE_STRING_TABLE(exec_directory, ExecDirectoryKind, exec_directories)
DEFINE_STRING_TABLE(exec_preserve, ExecPreserve, exec_preserves)
DEFINE_STRING_TABLE(exec_keyring, ExecKeyring, exec_keyrings)

int exec_family_from_string(const char *name) {
        if (strcmp(name, "AF_LOCAL") == 0 || strcmp(name, "AF_FILE") == 0)
                name = "AF_UNIX";
        if (strcmp(name, "AF_ROUTE") == 0)
                name = "AF_NETLINK";
        return exec_family_main_from_string(name);
}

const char *exec_family_to_string(int family) {
        return exec_family_main_to_string(family);
}

void exec_terms_deinit(ExecTerms *terms) {
        exec_set_clear(&terms->cpus);
        exec_set_clear(&terms->numa_nodes);
        for (size_t i = 0; i < _EXEC_DIRECTORY_MAX; i++)
                strv_free(terms->directories[i].paths);
        free(terms->filter.errors);
        strv_free(terms->filter.architectures);
        strv_free(terms->load_credentials);
        strv_free(terms->set_credentials);
        strv_free(terms->search_path);
        free(terms->input_data);
        for (size_t i = 0; i < _SECURITY_MODULE_MAX; i++)
                free(terms->labels[i].name);
        free(terms->pam_name);
        memset(terms, 0, sizeof(*terms));
}

ExecTerms *exec_terms_free(ExecTerms *terms) {
        if (terms)
                exec_terms_deinit(terms);
        free(terms);
        return NULL;
}

int exec_terms_take(ExecTerms *from, ExecTerms **ret_terms) {
        static const ExecTerms nothing;

        *ret_terms = NULL;
        if (memcmp(from, &nothing, sizeof(nothing)) == 0)
                return 0;
        *ret_terms = malloc(sizeof(*from));
        if (!*ret_terms)
                return -ENOMEM;
        memcpy(*ret_terms, from, sizeof(*from));
        memset(from, 0, sizeof(*from));
        return 0;
}

int exec_set_add(ExecSet *set, size_t from, size_t to) {
        size_t n = to / 64 + 1;

        if (n > set->n) {
                uint64_t *words = realloc(set->words, n * sizeof(*words));

                if (!words)
                        return -ENOMEM;
                memset(words + set->n, 0, (n - set->n) * sizeof(*words));
                set->words = words;
                set->n = n;
        }
        for (size_t i = from; i <= to; i++)
                set->words[i / 64] |= UINT64_C(1) << (i % 64);
        return 0;
}

void exec_set_clear(ExecSet *set) {
        free(set->words);
        *set = (ExecSet) {};
}
