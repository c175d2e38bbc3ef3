/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Questions to polkit
 *
 * A call that its client has no right to is kept while polkit decides, and is
 * run or refused then. It asks whether the client may do what the call does, a
 * question for each unit that the call names, one after the other, and one
 * without a unit if it names none. The call is found and described anew when
 * polkit has consented: what has got another meaning meanwhile is asked about
 * again. A question ends with its client, and nothing of it outlives the
 * process: a call that is made again to the next core is asked about again.
 */

#include "dbus/object/bus_call.h"
#include "dbus/object/bus_later.h"
#include "dbus/peer/bus_link.h"

/* The most units that polkit is asked about one by one; of a call with more it is asked once, without a unit. */
#define BUS_QUESTION_DETAILS_MAX 16U

typedef struct BusQuestion BusQuestion;

/* Runs a call again. @consent is borrowed. */
typedef void (*BusResume)(BusClient *client, DBusMessage *message, BusConsent *consent, void *userdata);

struct BusQuestions {
        const BusTree *tree;            /* borrowed */
        BusLink *link;                  /* borrowed; NULL: nothing is ever asked */
        const char *prefix;             /* static; of the names of actions: "org.jobd1" */
        BusResume resume;
        void *userdata;                 /* of .resume() */
        usec_t timeout, timeout_interactive;    /* of an answer */
        uint64_t began;                 /* sets questions apart from those of another core */
        uint64_t last_number;
        VECTOR(BusQuestion *) items;    /* owned; those without an answer */
};

/* @link may be NULL. All is borrowed. */
void bus_questions_init(BusQuestions *questions, const BusTree *tree, BusLink *link, const char *prefix,
                        BusResume resume, void *userdata);
/* Before the link: gives up what is asked. */
void bus_questions_deinit(BusQuestions *questions);

/* Gives up the questions of a client that is about to be freed. */
void bus_questions_forget(BusQuestions *questions, const BusClient *client);

/* Whether there is somebody to ask about such a call. */
bool bus_question_is_possible(const BusCall *call);
/*
 * 0: polkit has consented to all that the call does. BUS_CALL_LATER: it is asked, and the call is kept. Otherwise
 * negative, with the failure of the call: LimitsExceeded if too much is asked for this user already.
 */
int bus_question_ask(BusCall *call);

/*
 * For BusDescribe: loads the unit with that name, and checks @type: 1, or negative for a name that no unit has, or a
 * type that no job has. So a dialog never shows words that the client has made up.
 */
int bus_question_describe(const BusCall *call, const char *unit, const char *type, BusDetail *ret_detail);
