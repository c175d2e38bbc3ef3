/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Control group directives: rows and parsers shared by several sections
 */

#include "unitfile/directive.h"
#include "unitfile/resource_settings.h"

/* argument 1: 0 is no limit to live with. */
int resource_parse_memory(const DirectiveLine *line, const char *value);
int resource_parse_tasks(const DirectiveLine *line, const char *value);
int resource_parse_weight(const DirectiveLine *line, const char *value);        /* argument 1: accepts "idle" */
int resource_parse_cpu_quota(const DirectiveLine *line, const char *value);
int resource_parse_nodes(const DirectiveLine *line, const char *value);
int resource_parse_slice(const DirectiveLine *line, const char *value);
/* Devices and network addresses: resource_filter_value.c */
int resource_parse_device_allow(const DirectiveLine *line, const char *value);
int resource_parse_ip_allow(const DirectiveLine *line, const char *value);
int resource_parse_ip_deny(const DirectiveLine *line, const char *value);
int resource_parse_delegate(const DirectiveLine *line, const char *value);

int resource_parse_device_weight(const DirectiveLine *line, const char *value);
int resource_parse_device_latency(const DirectiveLine *line, const char *value);
int resource_parse_device_limit(const DirectiveLine *line, const char *value);  /* argument: ResourceDeviceLimit */

/* Names of control groups v1, argument: ResourceOldName. resource_old_value.c */
int resource_parse_old_weight(const DirectiveLine *line, const char *value);
int resource_parse_old_limit(const DirectiveLine *line, const char *value);
int resource_parse_old_device_weight(const DirectiveLine *line, const char *value);

/* Parses "1.5G" with base 1024 or 1000: 0, -EINVAL or -ERANGE. */
int resource_read_size(const char *value, unsigned base, uint64_t *ret_size);

#define RESOURCE_OF_DEVICE(name_, which_, ...) \
        DIRECTIVE_OTHER(name_, resource_parse_device_limit, DIRECTIVE_IN_RESOURCES, .argument = which_, \
                        .is_strict = true, __VA_ARGS__)

#define RESOURCE(name_, parse_, field_, ...)                                                             \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_RESOURCES,                                \
          .offset = offsetof(ResourceSettings, field_), __VA_ARGS__ }
