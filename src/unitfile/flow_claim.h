/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Lock=, Needs=, Priority= and their kin, of a flow and of its nodes
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/string_table.h"
#include "basic/usec.h"
#include "basic/vector.h"

#define FLOW_AMOUNT_MAX (UINT64_C(1) << 56)

/* When a node holds its locks. */
typedef enum FlowHold {
        FLOW_HOLD_UNSET, /* of a node: as the flow says; of a flow: as FLOW_HOLD_NODE */
        FLOW_HOLD_NODE, /* until it has ended */
        FLOW_HOLD_ATTEMPT, /* while an attempt is there */
        _FLOW_HOLD_MAX,
} FlowHold;

DECLARE_STRING_TABLE(flow_hold, FlowHold);

typedef struct FlowNeed {
        char *name; /* owned */
        uint64_t amount; /* from 1 to FLOW_AMOUNT_MAX */
} FlowNeed;

typedef VECTOR(FlowNeed) FlowNeeds;

#define FLOW_PRIORITY_UNSET UINT32_MAX /* of a node: as the flow says; of a flow: FLOW_PRIORITY_MEDIUM */
#define FLOW_PRIORITY_MEDIUM 128U
#define FLOW_PRIORITY_MAX 255U

typedef struct FlowClaim {
        char **locks; /* owned */
        FlowNeeds needs;
        uint32_t lock_slots; /* of each of them */
        uint32_t priority;
        FlowHold hold_lock;
        usec_t queue_timeout; /* USEC_INFINITY: none */
} FlowClaim;

void flow_claim_init(FlowClaim *claim); /* the defaults */
void flow_claim_deinit(FlowClaim *claim);

/* Up to 255 letters, digits, and "_", ".", "-", ":", "@", "/", "+". */
bool flow_lock_is_valid(const char *name);

/*
 * Reads "cpu:4", "memory:2G": a name of letters, digits, "_", "." and "-", and a whole number above 0, of which K, M,
 * G and T make 1024 times as much each. 0, -EINVAL or -ENOMEM.
 */
int flow_need_parse(const char *word, FlowNeed *ret_need);
/* Adds @word to @needs, where its name must not stand yet: 0, -EINVAL, -EEXIST or -ENOMEM. */
int flow_needs_add(FlowNeeds *needs, const char *word);
void flow_needs_clear(FlowNeeds *needs);
