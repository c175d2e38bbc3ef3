/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The current turn: its time, and whether something has happened in it
 *
 * Every object of the manager has a pointer to the turn. manager_turn_enter()
 * must be called before a unit is told of an event: it marks the unit's
 * record, and makes listeners be told.
 */

#include <stdbool.h>

#include <systemd/sd-event.h>

#include "basic/usec.h"
#include "state/state.h"
#include "unit/unit.h"

typedef struct ManagerTurn {
        sd_event *event;                /* owned */
        sd_event_source *idle_source;   /* owned: makes another turn follow */
        sd_event_source *later_source;  /* owned: a time at which nothing is put off any longer */
        State *state;                   /* owned */
        usec_t now, now_realtime;       /* constant within a turn */
        usec_t spent;                   /* processor time of the process when work on jobs began; 0: there was none */
        usec_t spent_read;              /* processor time of the process when it was read last, … */
        usec_t spent_read_in;           /* … in the turn that began then */
        bool has_news;                  /* listeners were not told of everything yet */
        usec_t begun;                   /* .now may be read anew within a turn */
        bool is_quiet;                  /* its one event has changed nothing that the rest of the turn is about */
        bool is_on;                     /* it has begun, and its length is not known yet */
        usec_t longest;                 /* the length of the longest one, by the clock */
        uint64_t n_told;                /* how often they were, and the outbox flushed */
} ManagerTurn;

/* Makes the event loop. 0 or -errno. */
int manager_turn_init(ManagerTurn *turn);
void manager_turn_deinit(ManagerTurn *turn);

void manager_turn_begin(ManagerTurn *turn);
void manager_turn_end(ManagerTurn *turn);               /* before the process sleeps */
void manager_turn_read_clock(ManagerTurn *turn);
void manager_turn_note_work(ManagerTurn *turn);         /* work on jobs begins */
void manager_turn_wake(ManagerTurn *turn);      /* makes another turn follow at once */

/* Marks that the record of a unit changes: the one way to have it written down. */
static inline void manager_turn_mark(const ManagerTurn *turn, const Unit *unit) {
        state_mark(turn->state, STORE_UNITS, unit->index);
}

/* The same of a change that may be written down later, see state_mark_later(): with the next commit, or in a second. */
void manager_turn_mark_later(const ManagerTurn *turn, StoreSpace space, uint32_t number);

static inline void manager_turn_enter(ManagerTurn *turn, const Unit *unit) {
        turn->has_news = true;
        manager_turn_mark(turn, unit);
}

/* Adds a deferred source that is off; it can be armed for one turn. */
int manager_turn_add_source(ManagerTurn *turn, sd_event_source **ret_source, sd_event_handler_t handler,
                            int64_t priority, void *userdata);
void manager_turn_arm(sd_event_source *source);
