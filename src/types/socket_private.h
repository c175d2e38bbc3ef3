/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of a socket offer each other besides its steps
 *
 * Included by socket.h, and private like it.
 */

/* socket_traffic.c: somebody wants something */
void socket_fd_ready(Unit *unit, uint32_t index, uint32_t events);
void socket_triggered_changed(Unit *unit, Unit *triggered);
void socket_trigger_refused(Unit *unit, Unit *triggered, const Failure *failure);
Unit *socket_service(const Unit *unit);                 /* that it starts; NULL: it accepts, or there is none */

/* socket_connection.c */
void socket_accept(Unit *unit, const SocketPort *port);
void socket_pause(Unit *unit, usec_t span);              /* no traffic is looked at for so long */
bool socket_is_within_trigger_limit(Unit *unit);          /* false: it is on its way down */
int socket_relate_instance(Unit *unit, Unit *service);
SocketConnection *socket_find_connection(const Unit *unit, const Unit *service);
void socket_end_connection(Unit *unit, SocketConnection *connection);
void socket_close_connection(Unit *unit, SocketConnection *connection);         /* here; it still counts */
void socket_forget_connections(Unit *unit);             /* closes what is here; nothing is told to anybody */
void socket_resume_connections(Unit *unit);

/* socket_name.c: "N-local:port-remote:port" */
int socket_name_instance(uint32_t number, int fd, char **ret_instance);
int socket_name_source(int fd, char **ret_source);       /* NULL: no address that says who it is */
int socket_name_peer(int fd, char **ret_address, char **ret_port);      /* the same for both */

/* socket_clean.c */
unsigned socket_can_clean(const Unit *unit);
int socket_clean(Unit *unit, unsigned kinds, Failure *ret_failure);
int socket_prepare_clean(const Unit *unit, ExecRequest *request);
void socket_clean_spawned(Unit *unit, pid_t pid, const ExecResult *result);
void socket_clean_ended(Unit *unit, const UnitExit *exit);
void socket_stop_cleaning(Unit *unit, SocketResult result);
void socket_clean_timed_out(Unit *unit);

void socket_free_state(Unit *unit);                     /* socket.c: unit->state_of_type */

/* socket_record.c */
void socket_record(const Unit *unit, RecordWriter *writer);
int socket_restore(Unit *unit, RecordReader *reader);
void socket_resume(Unit *unit);

/* socket_show.c, socket_property.c */
int socket_activity(const Unit *unit, char **ret_activity, usec_t *ret_since);
usec_t socket_limit_at(const Unit *unit);
int socket_save(const Unit *unit, Sink *sink);
extern const UnitPropertyTable *const socket_properties[];
