/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The extra state that few services have: reset, freed, and recorded as a whole
 */

#include "types/service_state.h"

void service_reset_extra(Service *service);             /* for another start */
ServiceExtra *service_free_extra(Unit *unit, ServiceExtra *extra);
void service_put_extra(RecordWriter *writer, const ServiceExtra *extra);
int service_get_extra(RecordReader *reader, ServiceExtra **ret_extra);  /* NULL: there is none. 0 or -ENOMEM */

void service_put_process(RecordWriter *writer, const UnitProcess *process);
UnitProcess service_get_process(RecordReader *reader);
