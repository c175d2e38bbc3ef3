/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Failures as D-Bus errors
 *
 * The lower layers name a failure by the last part of its error name. Names
 * that D-Bus itself has keep their standard prefix, since clients look for it
 * there; the others have the prefix of the client's dialect.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "dbus/object/bus_error.h"

static const char *const standard_names[] = {
        "AccessDenied", "AuthFailed", "Disconnected", "Failed", "FileExists", "FileNotFound", "IOError",
        "InteractiveAuthorizationRequired", "InvalidArgs", "InvalidSignature", "LimitsExceeded", "MatchRuleInvalid",
        "MatchRuleNotFound", "NameHasNoOwner", "NoMemory", "NoReply", "NotSupported", "PropertyReadOnly",
        "ServiceUnknown", "Timeout", "UnixProcessIdUnknown", "UnknownInterface", "UnknownMethod", "UnknownObject",
        "UnknownProperty",
};

static bool is_standard(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(standard_names); i++)
                if (strcmp(standard_names[i], name) == 0)
                        return true;
        return false;
}

static const char *name_of_code(int code) {
        switch (-code) {
        case ENOMEM:
                return "NoMemory";
        case EINVAL:
                return "InvalidArgs";
        case EMSGSIZE:
                return "LimitsExceeded";
        case EACCES:
        case EPERM:
                return "AccessDenied";
        case EOPNOTSUPP:
                return "NotSupported";
        default:
                return "Failed";
        }
}

int bus_error_name(const BusDialect *dialect, const Failure *failure, char **ret_name) {
        const char *name = failure->name ?: name_of_code(failure->code);

        if (is_standard(name))
                return text_format(ret_name, "org.freedesktop.DBus.Error.%s", name);
        return text_format(ret_name, "%s.%s", dialect->name, name);
}

static DBusMessage *error_new(const char *name, const char *message) {
        DBusMessage *reply = dbus_message_new(DBUS_MESSAGE_TYPE_ERROR);

        if (reply && dbus_message_set_error_name(reply, name) &&
            dbus_message_append_args(reply, DBUS_TYPE_STRING, &message, DBUS_TYPE_INVALID)) {
                dbus_message_set_no_reply(reply, TRUE);
                return reply;
        }
        if (reply)
                dbus_message_unref(reply);
        return NULL;
}

DBusMessage *bus_error_message(const BusDialect *dialect, const Failure *failure) {
        cleanup_free_ char *name = NULL, *escaped = NULL;
        const char *message = failure_message(failure);

        if (bus_error_name(dialect, failure, &name) < 0)
                return NULL;
        if (!dbus_validate_utf8(message, NULL)) {
                if (text_escape_control(message, &escaped) < 0)
                        return NULL;
                message = escaped;
        }
        return error_new(dbus_validate_error_name(name, NULL) ? name : DBUS_ERROR_FAILED, message);
}
