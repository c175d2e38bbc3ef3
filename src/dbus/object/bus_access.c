/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The rights of clients
 *
 * Changes, and questions that keep the manager busy, are for root and the
 * owner of the manager. The kind of an object may grant more, such as to the
 * client whom the object belongs to. An unknown uid ((uid_t) -1) has the rights
 * of anyone, and is granted nothing. Changes polkit may allow to others, by the
 * actions that systemd has, but not the end of the manager, its own settings,
 * or to move processes.
 */

#include <assert.h>

#include "dbus/object/bus_access.h"

static const BusWho who_of_verb[_BUS_VERB_MAX] = {
        [BUS_VERB_READ] = BUS_WHO_ANYONE,
        [BUS_VERB_PLAN] = BUS_WHO_OWNER,
        [BUS_VERB_ENQUEUE] = BUS_WHO_OWNER,
        [BUS_VERB_CANCEL] = BUS_WHO_OWNER,
        [BUS_VERB_SUBMIT] = BUS_WHO_OWNER,
        [BUS_VERB_CONTROL_RUN] = BUS_WHO_OWNER,
        [BUS_VERB_KILL] = BUS_WHO_OWNER,
        [BUS_VERB_RESET] = BUS_WHO_OWNER,
        [BUS_VERB_PIN] = BUS_WHO_OWNER,
        [BUS_VERB_RELOAD] = BUS_WHO_OWNER,
        [BUS_VERB_SET] = BUS_WHO_OWNER,
        [BUS_VERB_INSTALL] = BUS_WHO_OWNER,
        [BUS_VERB_ENVIRONMENT] = BUS_WHO_OWNER,
        [BUS_VERB_EXIT] = BUS_WHO_OWNER,
        [BUS_VERB_CONTROL] = BUS_WHO_OWNER,
};

static const char *const action_of_verb[_BUS_VERB_MAX] = {
        [BUS_VERB_ENQUEUE] = "manage-units",
        [BUS_VERB_CANCEL] = "manage-units",
        [BUS_VERB_SUBMIT] = "manage-units",
        [BUS_VERB_CONTROL_RUN] = "manage-units",
        [BUS_VERB_KILL] = "manage-units",
        [BUS_VERB_RESET] = "manage-units",
        [BUS_VERB_PIN] = "manage-units",
        [BUS_VERB_SET] = "manage-units",
        [BUS_VERB_RELOAD] = "reload-daemon",
        [BUS_VERB_INSTALL] = "manage-unit-files",
        [BUS_VERB_ENVIRONMENT] = "set-environment",
};

BusWho bus_access_who(BusVerb verb) {
        assert(verb < _BUS_VERB_MAX);
        return who_of_verb[verb];
}

const char *bus_access_action(BusVerb verb) {
        assert(verb < _BUS_VERB_MAX);
        return action_of_verb[verb];
}

static bool is_allowed_with_any(BusVerb verb, uid_t uid, uid_t owner) {
        switch (bus_access_who(verb)) {
        case BUS_WHO_ANYONE:
                return true;
        case BUS_WHO_OWNER:
                return uid != (uid_t) -1 && (uid == 0 || uid == owner);
        case BUS_WHO_NOBODY:
                break;
        }
        return false;
}

bool bus_access_is_allowed(const BusTree *tree, const BusObject *object, BusVerb verb, const BusClient *client) {
        return is_allowed_with_any(verb, client->uid, tree->peers->owner) ||
               (client->uid != (uid_t) -1 && object->kind->grants && object->kind->grants(tree, object, verb, client));
}
