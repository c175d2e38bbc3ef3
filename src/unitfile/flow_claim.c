/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The demand of a flow or a node, as words
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/flow_claim.h"

#define LOCK_MAX 255U
#define RESOURCE_MAX 64U

static const char *const flow_holds[_FLOW_HOLD_MAX] = {
        [FLOW_HOLD_NODE] = "node",
        [FLOW_HOLD_ATTEMPT] = "attempt",
};

DEFINE_STRING_TABLE(flow_hold, FlowHold, flow_holds)

void flow_claim_init(FlowClaim *claim) {
        *claim = (FlowClaim) { .lock_slots = 1, .priority = FLOW_PRIORITY_UNSET, .queue_timeout = USEC_INFINITY };
}

void flow_claim_deinit(FlowClaim *claim) {
        strv_free(claim->locks);
        flow_needs_clear(&claim->needs);
        vector_deinit(&claim->needs);
}

static bool is_name(const char *text, size_t n, size_t n_max, const char *more) {
        if (n == 0 || n > n_max)
                return false;
        for (size_t i = 0; i < n; i++)
                if (!isalnum((unsigned char) text[i]) && !strchr(more, text[i]))
                        return false;
        return true;
}

bool flow_lock_is_valid(const char *name) {
        return is_name(name, strlen(name), LOCK_MAX, "_.-:@/+");
}

static int parse_amount(const char *text, uint64_t *ret_amount) {
        static const char suffixes[] = "KMGT";
        const size_t n = strlen(text);
        const char *suffix = n > 0 ? strchr(suffixes, text[n - 1]) : NULL;
        cleanup_free_ char *digits = strndup(text, n - (suffix != NULL));
        uint64_t amount;

        if (!digits)
                return -ENOMEM;
        if (text_parse_u64(digits, &amount) < 0)
                return -EINVAL;
        for (const char *at = suffixes; suffix && at <= suffix; at++)
                if (__builtin_mul_overflow(amount, 1024, &amount))
                        return -EINVAL;
        *ret_amount = amount;
        return amount > 0 && amount <= FLOW_AMOUNT_MAX ? 0 : -EINVAL;
}

int flow_need_parse(const char *word, FlowNeed *ret_need) {
        const char *colon = strchr(word, ':');
        FlowNeed need;
        int r;

        if (!colon || !is_name(word, (size_t) (colon - word), RESOURCE_MAX, "_.-"))
                return -EINVAL;
        r = parse_amount(colon + 1, &need.amount);
        if (r < 0)
                return r;
        need.name = strndup(word, (size_t) (colon - word));
        if (!need.name)
                return -ENOMEM;
        *ret_need = need;
        return 0;
}

int flow_needs_add(FlowNeeds *needs, const char *word) {
        FlowNeed need;
        int r = flow_need_parse(word, &need);

        for (size_t i = 0; r == 0 && i < needs->n; i++)
                if (strcmp(needs->items[i].name, need.name) == 0) {
                        free(need.name);
                        return -EEXIST;
                }
        if (r < 0)
                return r;
        r = vector_push(needs, need);
        if (r < 0)
                free(need.name);
        return r;
}

void flow_needs_clear(FlowNeeds *needs) {
        while (needs->n > 0)
                free(vector_pop(needs).name);
}
