/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The rights of clients
 *
 * Changes, and questions that keep the manager busy, are for root and the
 * owner of the manager. The kind of an object may grant more, such as to the
 * user whom the object belongs to. An unknown uid ((uid_t) -1) has the rights
 * of anyone, and is granted nothing.
 */

#include <assert.h>

#include "dbus/object/bus_access.h"

static const BusWho who_of_verb[_BUS_VERB_MAX] = {
        [BUS_VERB_READ] = BUS_WHO_ANYONE,
        [BUS_VERB_PLAN] = BUS_WHO_OWNER,
        [BUS_VERB_ENQUEUE] = BUS_WHO_OWNER,
        [BUS_VERB_CANCEL] = BUS_WHO_OWNER,
        [BUS_VERB_KILL] = BUS_WHO_OWNER,
        [BUS_VERB_RESET] = BUS_WHO_OWNER,
        [BUS_VERB_PIN] = BUS_WHO_OWNER,
        [BUS_VERB_RELOAD] = BUS_WHO_OWNER,
        [BUS_VERB_INSTALL] = BUS_WHO_OWNER,
        [BUS_VERB_EXIT] = BUS_WHO_OWNER,
};

BusWho bus_access_who(BusVerb verb) {
        assert(verb < _BUS_VERB_MAX);
        return who_of_verb[verb];
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

bool bus_access_is_allowed(const BusTree *tree, const BusObject *object, BusVerb verb, uid_t uid) {
        return is_allowed_with_any(verb, uid, tree->peers->owner) ||
               (uid != (uid_t) -1 && object->kind->grants && object->kind->grants(tree, object, verb, uid));
}
