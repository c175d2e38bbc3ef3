/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rows that the tables of [Flow], [Node …], [Batch] and [Stream] have alike
 */

#include "unitfile/directive_value.h"
#include "unitfile/flow_settings.h"

#define FLOW(name_, parse_, field_, ...)                                                                 \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(FlowSettings, field_), .own_size = sizeof(FlowSettings), __VA_ARGS__ }

/* Of the only node of a batch or a stream. */
#define ITEM(name_, parse_, field_, ...)                                                                 \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_ITEM,                                     \
          .offset = offsetof(FlowNode, field_), __VA_ARGS__ }

/* In the order of their names. */
#define REFUSE_SOCKETS(why)                                                                                \
        DIRECTIVE_REFUSE("ListenDatagram", why), DIRECTIVE_REFUSE("ListenFIFO", why),                      \
        DIRECTIVE_REFUSE("ListenMessageQueue", why), DIRECTIVE_REFUSE("ListenNetlink", why),               \
        DIRECTIVE_REFUSE("ListenSequentialPacket", why), DIRECTIVE_REFUSE("ListenSpecial", why),           \
        DIRECTIVE_REFUSE("ListenStream", why), DIRECTIVE_REFUSE("ListenUSBFunction", why)

#define REFUSE_RESTARTS(why)                                                                               \
        DIRECTIVE_REFUSE("Restart", why), DIRECTIVE_REFUSE("RestartForceExitStatus", why),                 \
        DIRECTIVE_REFUSE("RestartMaxDelaySec", why), DIRECTIVE_REFUSE("RestartMode", why),                 \
        DIRECTIVE_REFUSE("RestartPreventExitStatus", why), DIRECTIVE_REFUSE("RestartSec", why),            \
        DIRECTIVE_REFUSE("RestartSteps", why)
