/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The records of jobs, kept by what events say
 */

#include "property_world.h"

PropertyMirror *property_mirror_new(void);
PropertyMirror *property_mirror_free(PropertyMirror *mirror, uint32_t last_id);
void property_mirror_mark(PropertyMirror *mirror, uint32_t id);
void property_mirror_take_event(PropertyMirror *mirror, const JobEvent *event);
void property_mirror_mark_all(PropertyWorld *world);    /* after a restore, which does not restore everything */
void property_mirror_check(PropertyWorld *world);
