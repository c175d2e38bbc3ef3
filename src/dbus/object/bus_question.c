/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Questions to polkit
 *
 * polkit is told who asks by the unique name on the bus, or, of a client of the
 * private socket, by the number, the start and the user of its process, as they
 * were when it connected. It is told the unit and the verb as systemd tells
 * them, so that rules that look at them need not be changed.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "dbus/object/bus_access.h"
#include "dbus/object/bus_question.h"

#define POLKIT "org.freedesktop.PolicyKit1"
#define POLKIT_PATH "/org/freedesktop/PolicyKit1/Authority"
#define POLKIT_INTERFACE "org.freedesktop.PolicyKit1.Authority"
#define ALLOW_USER_INTERACTION 1U

/* A person may have to find a password. */
#define TIMEOUT (30 * USEC_PER_SEC)
#define TIMEOUT_INTERACTIVE (5 * USEC_PER_MINUTE)

#define DIALOG_MESSAGE "Authentication is required to $(verb) unit $(unit)."

/* The number and the size of open questions. */
typedef struct QuestionLoad {
        size_t n;
        size_t bytes;                   /* of messages */
        unsigned descriptors;
} QuestionLoad;

static const QuestionLoad most_of_user = { .n = 16, .bytes = (size_t) 4 << 20, .descriptors = BUS_DESCRIPTORS_MAX };
static const QuestionLoad most_of_all = { .n = 256, .bytes = (size_t) 16 << 20, .descriptors = 64 };

/* Strings of an entry are NULL for a question that names no unit. */
typedef struct ConsentEntry {
        char *unit, *word;              /* owned */
} ConsentEntry;

struct BusConsent {
        VECTOR(ConsentEntry) entries;
};

struct BusQuestion {
        BusQuestions *all;              /* borrowed */
        uint64_t number;
        BusLater later;
        DBusMessage *message;           /* a reference; the call */
        uid_t uid;                      /* of its client */
        QuestionLoad load;
        const char *method, *verb;      /* static; the method's name, and the part of the action's name */
        bool is_interactive;
        ConsentEntry asked;             /* owned */
        BusConsent consent;             /* what is consented to already */
        BusAsk *ask;                    /* owned; NULL: it is answered */
};

/* — what a call does — */

int bus_question_describe(const BusCall *call, const char *unit, const char *type, BusDetail *ret_detail) {
        bool reload_if_possible;
        JobType job;
        Unit *found;
        int r;

        r = job_type_from_request(type, &job, &reload_if_possible);
        if (r < 0)
                return r;
        r = bus_call_reach_unit(call, unit, &found);
        if (r < 0)
                return r;
        *ret_detail = (BusDetail) { found->id, type };
        return 1;
}

static int describe(const BusCall *call, size_t at, BusDetail *ret_detail) {
        const BusMethod *method = call->method;
        BusObject subject = *call->object;

        if (method->describe)
                return method->describe(call, at, ret_detail);
        if (!method->word || at > 0)
                return 0;
        if (method->find_subject && !method->find_subject(call, &subject))
                return -ENOENT;
        if (!subject.unit)
                return -ENOENT;
        *ret_detail = (BusDetail) { subject.unit->id, method->word };
        return 1;
}

static bool is_consented(const BusConsent *consent, const BusDetail *detail) {
        for (size_t i = 0; consent && i < consent->entries.n; i++)
                if (text_equal(consent->entries.items[i].unit, detail->unit) &&
                    text_equal(consent->entries.items[i].word, detail->word))
                        return true;
        return false;
}

/* 1: that is to be asked about next; 0: nothing is left; or negative. */
static int find_next(const BusCall *call, BusDetail *ret_detail) {
        size_t at = 0;
        int r;

        while ((r = describe(call, at, ret_detail)) > 0) {
                if (!is_consented(call->consent, ret_detail))
                        return 1;
                at++;
        }
        if (r < 0 || at > 0)
                return r;
        *ret_detail = (BusDetail) {};
        return !is_consented(call->consent, ret_detail);
}

/* — the message — */

static bool append_string_entry(DBusMessageIter *array, const char *key, const char *value) {
        DBusMessageIter entry;

        return dbus_message_iter_open_container(array, DBUS_TYPE_DICT_ENTRY, NULL, &entry) &&
               dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key) &&
               dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &value) &&
               dbus_message_iter_close_container(array, &entry);
}

static bool append_variant_entry(DBusMessageIter *array, const char *key, int type, const void *value) {
        const char signature[] = { (char) type, '\0' };
        DBusMessageIter entry, variant;

        return dbus_message_iter_open_container(array, DBUS_TYPE_DICT_ENTRY, NULL, &entry) &&
               dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key) &&
               dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant) &&
               dbus_message_iter_append_basic(&variant, type, value) &&
               dbus_message_iter_close_container(&entry, &variant) &&
               dbus_message_iter_close_container(array, &entry);
}

static bool append_process(DBusMessageIter *details, const BusClient *client) {
        dbus_uint32_t pid = (dbus_uint32_t) client->pid;
        dbus_uint64_t started = client->started;
        dbus_int32_t uid = (dbus_int32_t) client->uid;

        return append_variant_entry(details, "pid", DBUS_TYPE_UINT32, &pid) &&
               append_variant_entry(details, "start-time", DBUS_TYPE_UINT64, &started) &&
               append_variant_entry(details, "uid", DBUS_TYPE_INT32, &uid);
}

static bool append_subject(DBusMessageIter *arguments, const BusClient *client) {
        const char *kind = client->peer->is_message_bus ? "system-bus-name" : "unix-process";
        DBusMessageIter subject, details;

        return dbus_message_iter_open_container(arguments, DBUS_TYPE_STRUCT, NULL, &subject) &&
               dbus_message_iter_append_basic(&subject, DBUS_TYPE_STRING, &kind) &&
               dbus_message_iter_open_container(&subject, DBUS_TYPE_ARRAY, "{sv}", &details) &&
               (client->peer->is_message_bus ?
                append_variant_entry(&details, "name", DBUS_TYPE_STRING, &client->name) :
                append_process(&details, client)) &&
               dbus_message_iter_close_container(&subject, &details) &&
               dbus_message_iter_close_container(arguments, &subject);
}

static bool append_details(DBusMessageIter *arguments, const ConsentEntry *asked) {
        DBusMessageIter details;

        return dbus_message_iter_open_container(arguments, DBUS_TYPE_ARRAY, "{ss}", &details) &&
               (!asked->unit ||
                (append_string_entry(&details, "unit", asked->unit) &&
                 append_string_entry(&details, "verb", asked->word) &&
                 append_string_entry(&details, "polkit.message", DIALOG_MESSAGE))) &&
               dbus_message_iter_close_container(arguments, &details);
}

static int action_name(const BusQuestion *question, char **ret_name) {
        return text_format(ret_name, "%s.%s", question->all->prefix, question->verb);
}

/* By which polkit finds the question again: it must not be that of one that a core before this has asked. */
static int cancellation_name(const BusQuestion *question, char **ret_name) {
        return text_format(ret_name, "jobd-%llx-%llu", (unsigned long long) question->all->began,
                           (unsigned long long) question->number);
}

static bool append_question(DBusMessage *message, const BusQuestion *question, const BusClient *client) {
        const dbus_uint32_t flags = question->is_interactive ? ALLOW_USER_INTERACTION : 0;
        cleanup_free_ char *action = NULL, *cancellation = NULL;
        DBusMessageIter arguments;

        if (action_name(question, &action) < 0 || cancellation_name(question, &cancellation) < 0)
                return false;
        dbus_message_iter_init_append(message, &arguments);
        return append_subject(&arguments, client) &&
               dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING, &action) &&
               append_details(&arguments, &question->asked) &&
               dbus_message_iter_append_basic(&arguments, DBUS_TYPE_UINT32, &flags) &&
               dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING, &cancellation);
}

static void on_answer(void *userdata, DBusMessage *reply);

static int send_question(BusQuestion *question, const BusClient *client) {
        DBusMessage *message = dbus_message_new_method_call(POLKIT, POLKIT_PATH, POLKIT_INTERFACE,
                                                            "CheckAuthorization");
        int r = -ENOMEM;

        if (message && append_question(message, question, client))
                r = bus_link_ask(question->all->link, message,
                                 question->is_interactive ? question->all->timeout_interactive :
                                                            question->all->timeout,
                                 on_answer, question, &question->ask);
        if (message)
                dbus_message_unref(message);
        return r;
}

/* So that a dialog that is open is closed. */
static void send_cancel(const BusQuestion *question) {
        DBusMessage *message = dbus_message_new_method_call(POLKIT, POLKIT_PATH, POLKIT_INTERFACE,
                                                            "CancelCheckAuthorization");
        cleanup_free_ char *cancellation = NULL;

        if (message && cancellation_name(question, &cancellation) >= 0 &&
            dbus_message_append_args(message, DBUS_TYPE_STRING, &cancellation, DBUS_TYPE_INVALID)) {
                dbus_message_set_no_reply(message, TRUE);
                (void) bus_link_tell(question->all->link, message);
        }
        if (message)
                dbus_message_unref(message);
}

/* — questions — */

static void entry_deinit(ConsentEntry *entry) {
        free(entry->unit);
        free(entry->word);
        *entry = (ConsentEntry) {};
}

static void consent_deinit(BusConsent *consent) {
        for (size_t i = 0; i < consent->entries.n; i++)
                entry_deinit(&consent->entries.items[i]);
        vector_deinit(&consent->entries);
}

static BusQuestion *question_free(BusQuestion *question) {
        if (!question)
                return NULL;
        bus_link_give_up(question->ask);
        if (question->message)
                dbus_message_unref(question->message);
        entry_deinit(&question->asked);
        consent_deinit(&question->consent);
        free(question);
        return NULL;
}
DEFINE_CLEANUP(BusQuestion, question_free)

static void take_out(BusQuestions *questions, const BusQuestion *question) {
        for (size_t i = 0; i < questions->items.n; i++)
                if (questions->items.items[i] == question) {
                        questions->items.items[i] = vector_last(&questions->items);
                        questions->items.n--;
                        return;
                }
}

/* A copy: libdbus reads no more from a connection while much that has come there is kept. */
static int take_message(BusQuestion *question, const BusCall *call) {
        if (call->consent) {
                question->message = dbus_message_ref(call->message);
                return 0;
        }
        question->message = dbus_message_copy(call->message);
        if (!question->message)
                return -ENOMEM;
        dbus_message_set_serial(question->message, dbus_message_get_serial(call->message));
        return 0;
}

static int question_new(BusQuestion **ret_question, const BusCall *call, const BusDetail *detail) {
        BusQuestions *questions = call->tree->questions;
        cleanup_(question_freep) BusQuestion *question = calloc(1, sizeof(*question));
        int r;

        if (!question)
                return -ENOMEM;
        *question = (BusQuestion) {
                .all = questions,
                .number = ++questions->last_number,
                .uid = call->client->uid,
                .load = { .n = 1 },
                .method = call->method->name,
                .verb = bus_access_action(call->method->verb),
                .is_interactive = call->method->verb != BUS_VERB_PIN &&
                                  dbus_message_get_allow_interactive_authorization(call->message),
        };
        r = text_copy(detail->unit, &question->asked.unit);
        if (r >= 0)
                r = text_copy(detail->word, &question->asked.word);
        if (r >= 0)
                r = take_message(question, call);
        if (r < 0)
                return r;
        question->load.bytes = bus_peer_measure(question->message, &question->load.descriptors);
        *ret_question = take_ptr(question);
        return 0;
}

static void add_load(QuestionLoad *load, const QuestionLoad *more) {
        load->n += more->n;
        load->bytes += more->bytes;
        load->descriptors += more->descriptors;
}

static bool is_too_much(const QuestionLoad *load, const QuestionLoad *most) {
        return load->n > most->n || load->bytes > most->bytes || load->descriptors > most->descriptors;
}

/* The unmeasurable has the size SIZE_MAX. */
static int check_load(BusCall *call, const BusQuestion *question) {
        QuestionLoad of_user = question->load, of_all = question->load;

        if (is_too_much(&question->load, &most_of_user))
                return bus_call_fail(call, -EBUSY, "LimitsExceeded", "The call is too large to wait for polkit.");
        for (size_t i = 0; i < question->all->items.n; i++) {
                const BusQuestion *other = question->all->items.items[i];

                add_load(&of_all, &other->load);
                if (other->uid == question->uid)
                        add_load(&of_user, &other->load);
        }
        if (is_too_much(&of_user, &most_of_user))
                return bus_call_fail(call, -EBUSY, "LimitsExceeded",
                                     "Too many calls of uid %u wait for polkit; at most %zu may.",
                                     (unsigned) question->uid, most_of_user.n);
        if (is_too_much(&of_all, &most_of_all))
                return bus_call_fail(call, -EBUSY, "LimitsExceeded", "Too many calls wait for polkit.");
        return 0;
}

/* Without a bus nobody is there who could be asked; that is a refusal, not a failure to ask. */
static int question_begin(BusCall *call, BusQuestion *question) {
        int r;

        r = vector_reserve(&question->all->items, 1);
        if (r >= 0)
                r = bus_call_keep(call, &question->later);
        if (r < 0)
                return r;
        r = send_question(question, call->client);
        if (r < 0)
                bus_call_unkeep(call);
        return r;
}

bool bus_question_is_possible(const BusCall *call) {
        const BusQuestions *questions = call->tree->questions;

        return questions && questions->link && bus_link_is_up(questions->link) && call->client->uid != (uid_t) -1 &&
               bus_access_action(call->method->verb) &&
               (call->client->peer->is_message_bus || call->client->started > 0);
}

int bus_question_ask(BusCall *call) {
        cleanup_(question_freep) BusQuestion *question = NULL;
        BusDetail detail;
        int r;

        r = find_next(call, &detail);
        if (r == -ENOMEM || r == 0)
                return r;
        if (r < 0)
                return bus_call_fail(call, -EACCES, "AccessDenied",
                                     "uid %u may not call %s, and polkit is not asked about arguments that are not "
                                     "valid.",
                                     (unsigned) call->client->uid, call->method->name);
        r = question_new(&question, call, &detail);
        if (r >= 0)
                r = check_load(call, question);
        if (r >= 0)
                r = question_begin(call, question);
        if (r < 0)
                return r;

        if (call->consent) {
                question->consent = *call->consent;
                *call->consent = (BusConsent) {};
        }
        (void) vector_push(&question->all->items, question);
        take_ptr(question);
        return BUS_CALL_LATER;
}

/* — answers — */

typedef enum Verdict {
        VERDICT_NO,
        VERDICT_YES,
        VERDICT_CHALLENGE,              /* yes, for somebody who authenticates */
} Verdict;

/* 0, or -EBADMSG for what is no answer. */
static int read_verdict(DBusMessage *reply, Verdict *ret_verdict) {
        dbus_bool_t is_authorized, is_challenge;
        DBusMessageIter iter, result;

        if (dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_METHOD_RETURN ||
            !text_equal(dbus_message_get_signature(reply), "(bba{ss})"))
                return -EBADMSG;

        dbus_message_iter_init(reply, &iter);
        dbus_message_iter_recurse(&iter, &result);
        dbus_message_iter_get_basic(&result, &is_authorized);
        dbus_message_iter_next(&result);
        dbus_message_iter_get_basic(&result, &is_challenge);
        *ret_verdict = is_authorized ? VERDICT_YES : is_challenge ? VERDICT_CHALLENGE : VERDICT_NO;
        return 0;
}

static void refuse(const BusQuestion *question, Failure *failure) {
        (void) bus_later_fail(question->all->tree, question->later, failure);
        failure_deinit(failure);
}

/* "start a.service (polkit action org.jobd1.manage-units)" */
static void add_deed(Text *text, const BusQuestion *question) {
        if (question->asked.unit)
                text_addf(text, "%s %s", question->asked.word, question->asked.unit);
        else
                text_addf(text, "call %s", question->method);
        text_addf(text, " (polkit action %s.%s)", question->all->prefix, question->verb);
}

static void refuse_by_verdict(const BusQuestion *question, Verdict verdict) {
        cleanup_(text_deinit) Text deed = {};
        const unsigned uid = (unsigned) question->uid;
        Failure failure = {};

        add_deed(&deed, question);
        if (verdict == VERDICT_NO)
                failure_set(&failure, -EACCES, "AccessDenied", "uid %u may not %s.", uid, deed.string ?: "");
        else
                failure_set(&failure, -EACCES, "InteractiveAuthorizationRequired",
                            "uid %u has to authenticate to %s%s.", uid, deed.string ?: "",
                            question->is_interactive ? ", and no agent is there that would ask for a password" :
                                                       ", and this call does not allow to ask for a password");
        refuse(question, &failure);
}

static bool is_absent(DBusMessage *reply) {
        return dbus_message_is_error(reply, DBUS_ERROR_SERVICE_UNKNOWN) ||
               dbus_message_is_error(reply, DBUS_ERROR_NAME_HAS_NO_OWNER);
}

/* @otherwise: why, where there is no reply. */
static void refuse_without_verdict(const BusQuestion *question, DBusMessage *reply, const char *otherwise) {
        const char *reason = otherwise;
        Failure failure = {};

        if (reply && is_absent(reply)) {
                failure_set(&failure, -EACCES, "AccessDenied",
                            "Only root may call %s; the caller is uid %u. polkit, which could allow it, is not there.",
                            question->method, (unsigned) question->uid);
        } else {
                cleanup_(text_deinit) Text deed = {};

                if (reply && !dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &reason, DBUS_TYPE_INVALID))
                        reason = "its answer cannot be understood.";
                add_deed(&deed, question);
                failure_set(&failure, -EACCES, "AccessDenied", "polkit does not say whether uid %u may %s: %s",
                            (unsigned) question->uid, deed.string ?: "", reason);
        }
        refuse(question, &failure);
}

/* The consent gets what was asked for, and the call goes on. */
static void resume(BusQuestion *question) {
        BusQuestions *questions = question->all;
        BusClient *client;

        if (vector_push(&question->consent.entries, question->asked) < 0) {
                refuse(question, &(Failure) { .code = -ENOMEM });
                return;
        }
        question->asked = (ConsentEntry) {};
        client = bus_later_take(questions->tree, question->later);
        if (client)
                questions->resume(client, question->message, &question->consent, questions->userdata);
}

static void on_answer(void *userdata, DBusMessage *reply) {
        cleanup_(question_freep) BusQuestion *question = userdata;
        Verdict verdict;

        question->ask = NULL;
        take_out(question->all, question);
        if (!reply)
                send_cancel(question);
        if (!reply || read_verdict(reply, &verdict) < 0)
                refuse_without_verdict(question, reply, "there is no answer in time.");
        else if (verdict == VERDICT_YES)
                resume(question);
        else
                refuse_by_verdict(question, verdict);
}

/* — all — */

static void on_end(void *userdata) {
        BusQuestions *questions = userdata;

        while (questions->items.n > 0) {
                BusQuestion *question = vector_pop(&questions->items);

                refuse_without_verdict(question, NULL, "the message bus is gone.");
                question_free(question);
        }
}

void bus_questions_init(BusQuestions *questions, const BusTree *tree, BusLink *link, const char *prefix,
                        BusResume run_again, void *userdata) {
        *questions = (BusQuestions) {
                .tree = tree,
                .link = link,
                .prefix = prefix,
                .resume = run_again,
                .userdata = userdata,
                .began = clock_monotonic(),
                .timeout = TIMEOUT,
                .timeout_interactive = TIMEOUT_INTERACTIVE,
        };
        if (link)
                bus_link_watch(link, on_end, questions);
}

void bus_questions_forget(BusQuestions *questions, const BusClient *client) {
        for (size_t i = questions->items.n; i > 0; i--) {
                BusQuestion *question = questions->items.items[i - 1];

                if (bus_later_is_of(question->later, client)) {
                        take_out(questions, question);
                        send_cancel(question);
                        question_free(question);
                }
        }
}

void bus_questions_deinit(BusQuestions *questions) {
        while (questions->items.n > 0)
                question_free(vector_pop(&questions->items));
        vector_deinit(&questions->items);
        if (questions->link)
                bus_link_watch(questions->link, NULL, NULL);
        questions->link = NULL;
}
