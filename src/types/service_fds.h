/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Descriptors that a service stores with the manager
 */

#include "basic/record.h"
#include "basic/vector.h"
#include "exec/exec.h"
#include "unit/unit.h"

typedef struct ServiceFd {
        char *name;                     /* owned */
        int fd;                         /* owned, with a reference to the unit; -1: not taken over yet */
        uint32_t index;                 /* its number with the keeper */
        bool is_polled;
} ServiceFd;

typedef struct ServiceFds {
        VECTOR(ServiceFd) stored;
        uint32_t next;                  /* the number of the next one */
} ServiceFds;

void service_passed_fds(Unit *unit, pid_t sender, char *const *assignments, int *fds, size_t n);
void service_remove_fds(Unit *unit, char *const *assignments);
void service_fd_hung_up(Unit *unit, uint32_t watched_as);
/* at the end of a run: drops those that are not preserved */
void service_release_fds(Unit *unit, bool will_restart);
int service_give_fds(const Unit *unit, ExecRequest *request);
void service_resume_fds(Unit *unit);

void service_free_fds(Unit *unit, ServiceFds *fds);
void service_put_fds(RecordWriter *writer, const ServiceFds *fds);
void service_get_fds(RecordReader *reader, ServiceFds *fds);
