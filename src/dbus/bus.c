/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager on D-Bus
 *
 * Owns the parts: the tree of objects, connections, sockets, signals, and the
 * link to a message bus. With the compatible API there is a second socket at
 * the place where systemctl looks for systemd's; that is refused on a machine
 * that systemd runs.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/text.h"
#include "dbus/broadcast/bus_signal.h"
#include "dbus/bus.h"
#include "dbus/bus_activation.h"
#include "dbus/bus_interfaces.h"
#include "dbus/bus_reexec.h"
#include "dbus/bus_run.h"
#include "dbus/object/bus_dispatch.h"
#include "dbus/peer/bus_name.h"
#include "dbus/peer/bus_server.h"

struct Bus {
        BusTree tree;
        BusPeers peers;
        BusDispatch dispatch;
        BusQuestions questions;
        BusSignals signals;
        VECTOR(BusServer *) servers; /* owned */
        char *booted_mark; /* owned; the folder that was made for sd_booted(), or NULL */
        BusLink *link; /* owned, or NULL */
        BusNames names;
        BusActivations activations;
        BusReexec reexec;
        BusRuns *runs; /* owned */
};

static const BusKind *const kinds[] = { &bus_unit_kind, &bus_job_kind, &bus_run_kind, NULL };

static const BusInterface *const common_interfaces[] = {
        &bus_properties_interface,
        &bus_introspectable_interface,
        &bus_peer_interface,
        NULL,
};

static int bus_listen(Bus *bus, const BusPlace *places, size_t n_places, Failure *ret_failure) {
        cleanup_(bus_server_freep) BusServer *server = NULL;
        int r;

        r = bus_server_new(&server, &bus->peers, places, n_places, ret_failure);
        if (r >= 0)
                r = vector_push(&bus->servers, server);
        if (r >= 0)
                take_ptr(server);
        return r;
}

static int systemd_directory(const BusOptions *options, char **ret_directory, Failure *ret_failure) {
        const char *folder = getenv("XDG_RUNTIME_DIR");

        if (options->systemd_directory)
                return text_format(ret_directory, "%s", options->systemd_directory);
        if (!options->is_user)
                return text_format(ret_directory, "/run/systemd");
        if (!folder || !*folder)
                return failure_set(ret_failure, -ENOENT, "InvalidArgs",
                                   "The compatible API needs XDG_RUNTIME_DIR to be set.");
        return text_format(ret_directory, "%s/systemd", folder);
}

/*
 * By this folder sd_booted(), and so systemctl, finds that systemd runs a machine. It is removed at the end if it was
 * made here.
 */
static int make_booted_mark(Bus *bus, const char *directory, Failure *ret_failure) {
        cleanup_free_ char *mark = NULL;
        int r;

        r = text_format(&mark, "%s/system", directory);
        if (r < 0)
                return r;
        if (mkdir(mark, 0755) >= 0)
                bus->booted_mark = take_ptr(mark);
        else if (errno != EEXIST)
                return failure_set(ret_failure, -errno, "IOError", "Cannot make %s: %s.", mark, strerror(errno));
        return 0;
}

/* A keeper holds the sockets of one server; without a keeper each socket has a server. */
static int bus_listen_everywhere(Bus *bus, const char *own, const char *systemd, Failure *ret_failure) {
        const BusPlace places[] = {
                { .path = own, .kept_name = "bus/private", .dialect = BUS_DIALECT_OWN },
                { .path = systemd, .kept_name = "bus/systemd", .dialect = BUS_DIALECT_SYSTEMD },
        };
        const size_t n = systemd ? 2 : 1;
        int r = 0;

        if (manager_is_kept(bus->tree.manager))
                return bus_listen(bus, places, n, ret_failure);
        for (size_t i = 0; i < n && r >= 0; i++)
                r = bus_listen(bus, &places[i], 1, ret_failure);
        return r;
}

static int bus_listen_privately(Bus *bus, const BusOptions *options, Failure *ret_failure) {
        cleanup_free_ char *own = NULL, *directory = NULL, *systemd = NULL;
        int r;

        r = text_format(&own, "%s/private", options->runtime_directory);
        if (r >= 0 && options->systemd_compat)
                r = systemd_directory(options, &directory, ret_failure);
        if (r >= 0 && directory)
                r = text_format(&systemd, "%s/private", directory);
        if (r >= 0)
                r = bus_listen_everywhere(bus, own, systemd, ret_failure);
        if (r >= 0 && directory && !options->is_user)
                r = make_booted_mark(bus, directory, ret_failure);
        return r;
}

/* A user's manager asks nobody: it can do no more than its user. */
static void bus_ask_polkit(Bus *bus, const BusOptions *options) {
        const BusDialectId dialect = options->systemd_compat ? BUS_DIALECT_SYSTEMD : BUS_DIALECT_OWN;

        bus_questions_init(&bus->questions, &bus->tree, options->is_user ? NULL : bus->link, bus_dialects[dialect].name,
                           bus_dispatch_resume, &bus->dispatch);
        bus->tree.questions = &bus->questions;
}

static int bus_start(Bus *bus, const BusOptions *options, Failure *ret_failure) {
        int r;

        r = bus_peers_init(&bus->peers, bus->tree.manager, &bus_dispatch_receiver, &bus->dispatch);
        if (r >= 0)
                r = bus_listen_privately(bus, options, ret_failure);
        if (r >= 0)
                r = bus_signals_attach(&bus->signals, &bus->tree, &bus_unit_kind, &bus_job_kind);
        if (r >= 0)
                r = bus_runs_new(&bus->runs, &bus->tree);
        bus->tree.runs = bus->runs;
        if (r >= 0 && !options->no_bus)
                r = bus_link_new(&bus->link, &bus->peers, bus->tree.dialects, options->bus_address, options->is_user,
                                 options->has_fallen_back);
        if (r < 0)
                return r;
        bus_ask_polkit(bus, options);
        bus_names_init(&bus->names, bus->tree.manager, bus->link);
        return bus_activations_init(&bus->activations, bus->tree.manager, bus->link);
}

int bus_new(Bus **ret_bus, Manager *manager, const BusOptions *options, Failure *ret_failure) {
        cleanup_(bus_freep) Bus *bus = NULL;
        int r;

        assert(ret_bus);
        assert(options->runtime_directory);

        /* libdbus shall log a wrong use of its API, not abort. */
        (void) setenv("DBUS_FATAL_WARNINGS", "0", 0);
        dbus_connection_set_change_sigpipe(FALSE);

        bus = calloc(1, sizeof(*bus));
        if (!bus)
                return -ENOMEM;

        bus->tree = (BusTree) {
                .manager = manager,
                .peers = &bus->peers,
                .dialects = BUS_DIALECT_BIT(BUS_DIALECT_OWN) |
                            (options->systemd_compat ? BUS_DIALECT_BIT(BUS_DIALECT_SYSTEMD) : 0),
                .root = &bus_manager_kind,
                .driver = &bus_driver_kind,
                .kinds = kinds,
                .beside = options->systemd_compat ? &bus_log_control_kind : NULL,
                .common = common_interfaces,
                .before_reply = bus_signals_announce_jobs,
                .userdata = &bus->signals,
                .reexec = &bus->reexec,
        };
        bus_reexec_init(&bus->reexec, &bus->tree, options->has_fallen_back);
        bus->dispatch.tree = &bus->tree;
        r = bus_start(bus, options, ret_failure);
        if (r < 0)
                return r;

        *ret_bus = take_ptr(bus);
        return 0;
}

void bus_answer_reexec(Bus *bus) {
        bus_reexec_answer(&bus->reexec);
}

void bus_hand_reexec_on(Bus *bus) {
        bus_reexec_hand_on(&bus->reexec);
}

void bus_give_up_reexec(Bus *bus, int reason) {
        bus_reexec_give_up(&bus->reexec, reason);
}

Bus *bus_free(Bus *bus) {
        if (!bus)
                return NULL;

        bus_signals_detach(&bus->signals);
        bus->runs = bus_runs_free(bus->runs);
        while (bus->servers.n > 0)
                bus_server_free(vector_pop(&bus->servers));
        vector_deinit(&bus->servers);

        bus_activations_deinit(&bus->activations);
        bus_names_deinit(&bus->names);
        bus_questions_deinit(&bus->questions);
        bus->link = bus_link_free(bus->link);
        bus_peers_deinit(&bus->peers);
        bus_dispatch_deinit(&bus->dispatch);
        bus_reexec_deinit(&bus->reexec);
        if (bus->booted_mark)
                rmdir(bus->booted_mark);
        free(bus->booted_mark);
        free(bus);
        return NULL;
}
