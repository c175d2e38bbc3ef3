/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks and implied dependencies of socket units
 *
 * The rules and the implied dependencies are systemd's.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/sandbox_settings.h"
#include "unitfile/socket_settings.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

#define SOCKET_ACTIVATION "activated by the socket"

static bool has_connectionless(const SocketSettings *settings) {
        for (size_t i = 0; i < settings->listen.n; i++)
                if (!socket_listen_is_accepting(&settings->listen.items[i]))
                        return true;
        return false;
}

static size_t count_files(const SocketSettings *settings) {
        size_t n = 0;

        for (size_t i = 0; i < settings->listen.n; i++)
                n += socket_listen_path(&settings->listen.items[i]) &&
                     settings->listen.items[i].kind != SOCKET_LISTEN_SPECIAL;
        return n;
}

/* A descriptor whose traffic jobd cannot take off it, for a flow, which gets none. */
static bool has_unreadable(const SocketSettings *settings) {
        for (size_t i = 0; i < settings->listen.n; i++)
                if (settings->listen.items[i].kind == SOCKET_LISTEN_SPECIAL ||
                    settings->listen.items[i].kind == SOCKET_LISTEN_MESSAGE_QUEUE)
                        return true;
        return false;
}

static bool is_in_network(const SocketSettings *settings) {
        for (size_t i = 0; i < settings->listen.n; i++)
                if (settings->listen.items[i].address[0] != '/')
                        return true;
        return false;
}

/*
 * A setting that would not protect the sockets, because the manager opens them in its own network, where filters of the
 * unit's control group do not apply. NULL if there is none.
 */
static const char *find_useless_protection(const UnitDraft *draft) {
        const SandboxSettings *sandbox = draft->section.exec_rare.sandbox;

        if (!is_in_network(draft->section.own))
                return NULL;
        if (draft->section.resources.n_ip_deny > 0 || draft->section.resources.n_ip_allow > 0)
                return draft->section.resources.n_ip_deny > 0 ? "IPAddressDeny" : "IPAddressAllow";
        if (sandbox && sandbox->private_network)
                return "PrivateNetwork";
        return sandbox && sandbox->network_namespace_path ? "NetworkNamespacePath" : NULL;
}

static int check(UnitDraft *draft) {
        const SocketSettings *settings = draft->section.own;
        const char *fragment = draft->state->sources.fragment;

        /* The unit was refused already, and a second message would hide the first. */
        if (draft->is_broken)
                return 0;
        if (find_useless_protection(draft))
                return unit_draft_refuse(draft, fragment, 0, find_useless_protection(draft),
                                         "This setting would have no effect on the sockets, which jobd opens itself.");
        if (settings->listen.n == 0)
                return unit_draft_refuse(draft, fragment, 0, "ListenStream",
                                         "The socket has neither ListenStream= nor another Listen…=.");
        if (settings->accept && has_connectionless(settings))
                return unit_draft_refuse(draft, fragment, 0, "Accept",
                                         "'yes' is only possible where there are connections: with ListenStream= and "
                                         "ListenSequentialPacket=.");
        if (settings->accept && settings->service)
                return unit_draft_refuse(draft, fragment, 0, "Service",
                                         "With Accept=yes the service is an instance of the template of the socket's "
                                         "own name; Service= is not possible.");
        if (settings->service && unit_type_has_runs(unit_name_type(settings->service)) &&
            has_unreadable(settings))
                return unit_draft_refuse(draft, fragment, 0, "Service",
                                         "A flow or a batch gets no descriptors, so what has come is thrown away, "
                                         "which is not possible with ListenSpecial= and ListenMessageQueue=: name a "
                                         "service.");
        if (settings->accept && settings->max_connections == 0)
                return unit_draft_refuse(draft, fragment, 0, "MaxConnections",
                                         "A limit of 0 would allow no connections.");
        if (settings->symlinks && count_files(settings) != 1)
                return unit_draft_refuse(draft, fragment, 0, "Symlinks",
                                         "This setting needs exactly one Listen…= with a path, as the target of the "
                                         "links.");
        return 0;
}

/* The service's default name: "web.socket" → "web.service", with the same instance. */
static int own_service(const UnitDraft *draft, char **ret_name) {
        size_t n = strlen(draft->name) - strlen(".socket");

        return text_format(ret_name, "%.*s.service", (int) n, draft->name);
}

static int add_service(UnitDraft *draft) {
        const SocketSettings *settings = draft->section.own;
        const char *fragment = draft->state->sources.fragment;
        cleanup_free_ char *name = NULL;
        int r = 0;

        if (settings->accept)
                return 0;
        if (!settings->service)
                r = own_service(draft, &name);
        if (r == 0)
                r = unit_draft_add_relation(draft, UNIT_TRIGGERS, settings->service ? settings->service : name,
                                            fragment, 0,
                                            SOCKET_ACTIVATION);
        if (r == 0)
                r = unit_draft_add_relation(draft, UNIT_BEFORE, settings->service ? settings->service : name, fragment,
                                            0,
                                            SOCKET_ACTIVATION);
        return r;
}

static int add_mounts(UnitDraft *draft) {
        const SocketSettings *settings = draft->section.own;

        for (size_t i = 0; i < settings->listen.n; i++) {
                const char *path = socket_listen_path(&settings->listen.items[i]);
                int r = path ? unit_draft_need_path(draft, path) : 0;

                if (r < 0)
                        return r;
        }
        return 0;
}

static int add_implied(UnitDraft *draft) {
        int r = add_service(draft);

        return r < 0 ? r : add_mounts(draft);
}

static int add_defaults(UnitDraft *draft) {
        static const ImpliedRelation of_system[] = {
                { UNIT_BEFORE, "sockets.target" },      { UNIT_REQUIRES, "sysinit.target" },
                { UNIT_AFTER, "sysinit.target" },       { UNIT_CONFLICTS, "shutdown.target" },
                { UNIT_BEFORE, "shutdown.target" },
        };
        static const ImpliedRelation of_user[] = {
                { UNIT_BEFORE, "sockets.target" },
                { UNIT_CONFLICTS, "shutdown.target" },
                { UNIT_BEFORE, "shutdown.target" },
        };

        if (draft->loader->options.is_user)
                return unit_draft_add_defaults(draft, of_user, ELEMENTSOF(of_user));
        return unit_draft_add_defaults(draft, of_system, ELEMENTSOF(of_system));
}

DEFINE_SETTINGS_INIT(SocketSettings, socket_settings)

static usec_t limit(const void *settings, bool is_stop) {
        return ((const SocketSettings *) settings)->timeout;
}

const DraftType socket_draft_type = {
        .has_settings = true,
        .settings = {
                .make = make_socket_settings,
                .size = sizeof(SocketSettings),
                .release = release_socket_settings,
                .exec = offsetof(SocketSettings, exec),
                .kill = offsetof(SocketSettings, kill),
                .resources = offsetof(SocketSettings, resources),
        },
        .limit = limit,
        .check = check,
        .add_defaults = add_defaults,
        .add_implied = add_implied,
};
