/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * BUS-ADDRESS: owns polkit's name on that bus, and decides by the name of the unit
 *
 *   yes…          allowed                     no…      not allowed
 *   password…     allowed interactively       alone…   needs a password, and nobody asks for it
 *   late…         as yes, after the question that comes next has its answer
 *   never…        no answer                   die…     ends instead
 *   strange…      an answer of another type   broken…  an error
 *
 * A question without a unit is allowed if its action is of unit files. Prints "ready", then a line for each question and
 * each cancellation, with " (null)" where something is missing.
 */

#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "org.freedesktop.PolicyKit1"

typedef struct Question {
        char subject[256];
        const char *action, *unit, *verb, *dialog, *cancellation;
        dbus_uint32_t flags;
} Question;

static DBusMessage *waiting;

/* Reads one entry of a dictionary: its key, and its value as text. */
static const char *read_entry(DBusMessageIter *entries, char *text, size_t size) {
        DBusMessageIter entry, variant, *value = &entry;
        const char *key;
        DBusBasicValue basic;

        dbus_message_iter_recurse(entries, &entry);
        dbus_message_iter_get_basic(&entry, &key);
        dbus_message_iter_next(&entry);
        if (dbus_message_iter_get_arg_type(&entry) == DBUS_TYPE_VARIANT) {
                dbus_message_iter_recurse(&entry, &variant);
                value = &variant;
        }
        dbus_message_iter_get_basic(value, &basic);
        switch (dbus_message_iter_get_arg_type(value)) {
        case DBUS_TYPE_STRING:
                snprintf(text, size, "%s", basic.str);
                break;
        case DBUS_TYPE_UINT32:
                snprintf(text, size, "%u", basic.u32);
                break;
        case DBUS_TYPE_INT32:
                snprintf(text, size, "%d", basic.i32);
                break;
        case DBUS_TYPE_UINT64:
                snprintf(text, size, "%llu", (unsigned long long) basic.u64);
                break;
        default:
                snprintf(text, size, "?");
        }
        return key;
}

static void read_subject(DBusMessageIter *arguments, Question *question) {
        DBusMessageIter subject, entries;
        const char *kind;
        size_t n;

        dbus_message_iter_recurse(arguments, &subject);
        dbus_message_iter_get_basic(&subject, &kind);
        n = (size_t) snprintf(question->subject, sizeof(question->subject), "%s", kind);
        dbus_message_iter_next(&subject);
        dbus_message_iter_recurse(&subject, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                char text[128];
                const char *key = read_entry(&entries, text, sizeof(text));

                n += (size_t) snprintf(question->subject + n, sizeof(question->subject) - n, " %s=%s", key, text);
        }
}

static void read_details(DBusMessageIter *arguments, Question *question) {
        static char unit[128], verb[128], dialog[128];
        DBusMessageIter entries;

        dbus_message_iter_recurse(arguments, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                char text[128];
                const char *key = read_entry(&entries, text, sizeof(text));

                if (strcmp(key, "unit") == 0)
                        question->unit = strcpy(unit, text);
                else if (strcmp(key, "verb") == 0)
                        question->verb = strcpy(verb, text);
                else if (strcmp(key, "polkit.message") == 0)
                        question->dialog = strcpy(dialog, text);
        }
}

static void read_question(DBusMessage *message, Question *question) {
        DBusMessageIter arguments;

        *question = (Question) {};
        dbus_message_iter_init(message, &arguments);
        read_subject(&arguments, question);
        dbus_message_iter_next(&arguments);
        dbus_message_iter_get_basic(&arguments, &question->action);
        dbus_message_iter_next(&arguments);
        read_details(&arguments, question);
        dbus_message_iter_next(&arguments);
        dbus_message_iter_get_basic(&arguments, &question->flags);
        dbus_message_iter_next(&arguments);
        dbus_message_iter_get_basic(&arguments, &question->cancellation);
        printf("check %s %s unit=%s verb=%s flags=%u id=%s dialog=%s\n", question->subject, question->action,
               question->unit ? question->unit : "(null)", question->verb ? question->verb : "(null)",
               question->flags, question->cancellation, question->dialog ? question->dialog : "(null)");
        fflush(stdout);
}

static void decide(DBusConnection *connection, DBusMessage *message, dbus_bool_t is_authorized,
                   dbus_bool_t is_challenge) {
        DBusMessage *reply = dbus_message_new_method_return(message);
        DBusMessageIter iter, result, details;

        dbus_message_iter_init_append(reply, &iter);
        dbus_message_iter_open_container(&iter, DBUS_TYPE_STRUCT, NULL, &result);
        dbus_message_iter_append_basic(&result, DBUS_TYPE_BOOLEAN, &is_authorized);
        dbus_message_iter_append_basic(&result, DBUS_TYPE_BOOLEAN, &is_challenge);
        dbus_message_iter_open_container(&result, DBUS_TYPE_ARRAY, "{ss}", &details);
        dbus_message_iter_close_container(&result, &details);
        dbus_message_iter_close_container(&iter, &result);
        dbus_connection_send(connection, reply, NULL);
        dbus_message_unref(reply);
}

static void send_strange(DBusConnection *connection, DBusMessage *message) {
        DBusMessage *reply = dbus_message_new_method_return(message);
        dbus_bool_t yes = TRUE;

        dbus_message_append_args(reply, DBUS_TYPE_BOOLEAN, &yes, DBUS_TYPE_INVALID);
        dbus_connection_send(connection, reply, NULL);
        dbus_message_unref(reply);
}

static void send_error(DBusConnection *connection, DBusMessage *message) {
        DBusMessage *reply = dbus_message_new_error(message, NAME ".Error.Failed", "The rules are broken");

        dbus_connection_send(connection, reply, NULL);
        dbus_message_unref(reply);
}

static int is(const Question *question, const char *prefix) {
        return question->unit && strncmp(question->unit, prefix, strlen(prefix)) == 0;
}

static void answer(DBusConnection *connection, DBusMessage *message, const Question *question) {
        if (is(question, "yes"))
                decide(connection, message, TRUE, FALSE);
        else if (is(question, "password"))
                decide(connection, message, question->flags == 1, question->flags == 0);
        else if (is(question, "alone"))
                decide(connection, message, FALSE, TRUE);
        else if (is(question, "strange"))
                send_strange(connection, message);
        else if (is(question, "broken"))
                send_error(connection, message);
        else if (is(question, "die"))
                exit(0);
        else
                decide(connection, message, !question->unit && strstr(question->action, "manage-unit-files") != NULL,
                       FALSE);
}

static void on_check(DBusConnection *connection, DBusMessage *message) {
        Question question;

        read_question(message, &question);
        if (is(&question, "never"))
                return;
        if (is(&question, "late")) {
                waiting = dbus_message_ref(message);
                return;
        }
        answer(connection, message, &question);
        if (waiting) {
                decide(connection, waiting, TRUE, FALSE);
                dbus_message_unref(waiting);
                waiting = NULL;
        }
}

static void on_message(DBusConnection *connection, DBusMessage *message) {
        const char *cancellation;

        if (dbus_message_is_method_call(message, NAME ".Authority", "CheckAuthorization"))
                on_check(connection, message);
        else if (dbus_message_is_method_call(message, NAME ".Authority", "CancelCheckAuthorization") &&
                 dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &cancellation, DBUS_TYPE_INVALID)) {
                printf("cancel id=%s\n", cancellation);
                fflush(stdout);
        }
}

int main(int argc, char **argv) {
        DBusConnection *connection = argc == 2 ? dbus_connection_open_private(argv[1], NULL) : NULL;

        if (!connection || !dbus_bus_register(connection, NULL) ||
            dbus_bus_request_name(connection, NAME, DBUS_NAME_FLAG_DO_NOT_QUEUE, NULL) !=
            DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
                return 1;
        dbus_connection_set_exit_on_disconnect(connection, FALSE);
        puts("ready");
        fflush(stdout);
        while (dbus_connection_read_write(connection, -1)) {
                DBusMessage *message;

                while ((message = dbus_connection_pop_message(connection))) {
                        on_message(connection, message);
                        dbus_message_unref(message);
                }
        }
        return 0;
}
