/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Telling clients what has changed
 *
 * Job signals are broadcast, never sent to the caller alone: some clients call
 * on one connection and listen on another. A unit that was added and removed
 * within a turn (a client asked for its state) is not announced. Notices name
 * units by string and jobs by id, since either may be gone when the notice is
 * sent.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "dbus/broadcast/bus_signal.h"

typedef enum BusUnitMark {
        BUS_UNIT_CHANGED = 1 << 0,
        BUS_UNIT_JOB_CHANGED = 1 << 1,
        BUS_UNIT_IS_NEW = 1 << 2,
} BusUnitMark;

#define BUS_UNIT_ANY_CHANGE (BUS_UNIT_CHANGED | BUS_UNIT_JOB_CHANGED)

/* Clients would wait for that change for ever; after a lost connection they ask again. */
static void out_of_memory(BusSignals *signals) {
        log_error("Out of memory while noting a change for D-Bus clients, disconnecting them.");
        bus_broadcast_drop_all(&signals->broadcast);
}

static void note(BusSignals *signals, BusNotice notice, const Unit *unit) {
        if (!bus_broadcast_is_heard(&signals->broadcast))
                return;

        notice.index = unit ? unit->index : 0;
        notice.unit = unit ? arena_strdup(&signals->names, unit->id) : "";
        if (!notice.unit || vector_push(&signals->notices, notice) < 0)
                out_of_memory(signals);
}

/* NULL if memory ran out. */
static BusUnitNote *note_of_unit(BusSignals *signals, uint32_t index) {
        while (signals->of_units.n <= index)
                if (vector_push(&signals->of_units, (BusUnitNote) {}) < 0)
                        return NULL;
        return &signals->of_units.items[index];
}

static void note_unit_changed(BusSignals *signals, const Unit *unit, BusUnitMark mark) {
        BusUnitNote *of_unit;

        if (!bus_broadcast_is_heard(&signals->broadcast))
                return;

        of_unit = note_of_unit(signals, unit->index);
        if (!of_unit || (!(of_unit->marks & BUS_UNIT_ANY_CHANGE) &&
                         vector_push(&signals->changed_units, unit->index) < 0))
                out_of_memory(signals);
        else
                of_unit->marks |= (uint8_t) mark;
}

static void on_unit_added(void *userdata, Unit *unit) {
        BusSignals *signals = userdata;
        BusUnitNote *of_unit;

        if (!bus_broadcast_is_heard(&signals->broadcast))
                return;

        of_unit = note_of_unit(signals, unit->index);
        if (of_unit)
                *of_unit = (BusUnitNote) { .marks = BUS_UNIT_IS_NEW, .news = (uint32_t) signals->notices.n };
        note(signals, (BusNotice) { .kind = BUS_NOTICE_CAME, .of = signals->units }, unit);
}

/* True if the announcement of the unit was not sent yet, and is removed. */
static bool take_back_unit_new(BusSignals *signals, uint32_t news, const char *unit) {
        BusNotice *notice = news < signals->notices.n ? &signals->notices.items[news] : NULL;

        /* Once the announcement was sent, another one may stand in its place: of a job of the unit, for instance. */
        if (!notice || notice->kind != BUS_NOTICE_CAME || notice->of != signals->units ||
            !text_equal(notice->unit, unit))
                return false;
        notice->kind = BUS_NOTICE_NONE;
        return true;
}

static void broadcast_unit_changes(BusSignals *signals, Unit *unit, uint8_t marks) {
        const BusObject object = { .kind = signals->units, .unit = unit };

        bus_broadcast_changes(&signals->broadcast, &object,
                              marks & BUS_UNIT_CHANGED ? BUS_PROPERTY_EMITS_CHANGE : BUS_PROPERTY_OF_JOB);
}

static void send_unit_changes(BusSignals *signals, uint32_t index) {
        Unit *unit;
        uint8_t marks = index < signals->of_units.n ? signals->of_units.items[index].marks : 0;

        if (!(marks & BUS_UNIT_ANY_CHANGE))
                return;

        signals->of_units.items[index].marks &= (uint8_t) ~BUS_UNIT_ANY_CHANGE;
        if (!bus_broadcast_is_heard(&signals->broadcast))
                return;                 /* there are no listeners any more */
        unit = unit_table_at(manager_units(signals->tree->manager), index);
        if (unit)
                broadcast_unit_changes(signals, unit, marks);
}

static void forget_job(BusSignals *signals, uint32_t id) {
        bus_foreach_peer(signals->tree->peers, peer)
                bus_foreach_client(peer, client)
                        bus_client_remove_job(client, id);
}

static bool is_end_of_job(const BusSignals *signals, const BusNotice *notice) {
        return notice->kind == BUS_NOTICE_WENT && notice->of == signals->jobs;
}

static void send_end_of_job(BusSignals *signals, const BusNotice *notice) {
        Unit *unit = unit_table_at(manager_units(signals->tree->manager), notice->index);

        if (unit && text_equal(unit->id, notice->unit))
                send_unit_changes(signals, unit->index);
        bus_broadcast_notice(&signals->broadcast, notice);
        forget_job(signals, (uint32_t) notice->id);
}

static void write_reloading(const BusView *view, const void *data, Sink *sink) {
        const BusNotice *notice = data;

        sink_bool(sink, notice->is_active);
}

/* Times of firmware, loader, kernel and initrd are not measured: 0. */
static void write_startup_finished(const BusView *view, const void *data, Sink *sink) {
        const Manager *manager = view->tree->manager;
        usec_t took = usec_sub(manager_finished_at(manager, NULL), manager_started_at(manager, NULL));

        for (unsigned i = 0; i < 4; i++)
                sink_u64(sink, 0);
        sink_u64(sink, took);
        sink_u64(sink, took);
}

static void send_request_stop(BusSignals *signals, const BusNotice *notice) {
        const BusObject object = { .kind = signals->units,
                                   .unit = manager_find_unit(signals->tree->manager, notice->unit) };

        if (object.unit)
                bus_broadcast_of_object(&signals->broadcast, &object, object.unit->vtable->interface, "RequestStop");
}

static void send_notice(BusSignals *signals, const BusNotice *notice) {
        switch (notice->kind) {
        case BUS_NOTICE_NONE:
                return;
        case BUS_NOTICE_CAME:
        case BUS_NOTICE_WENT:
                if (is_end_of_job(signals, notice))
                        send_end_of_job(signals, notice);
                else
                        bus_broadcast_notice(&signals->broadcast, notice);
                return;
        case BUS_NOTICE_REREAD:
                /* A unit that went meanwhile is announced as that, or was never announced. */
                if (manager_find_unit(signals->tree->manager, notice->unit))
                        bus_broadcast_replaced(&signals->broadcast, notice);
                return;
        case BUS_NOTICE_RELOADING:
                bus_broadcast_of_manager(&signals->broadcast, "Reloading", write_reloading, notice, 0);
                return;
        case BUS_NOTICE_UNIT_FILES_CHANGED:
                bus_broadcast_of_manager(&signals->broadcast, "UnitFilesChanged", NULL, NULL, 0);
                return;
        case BUS_NOTICE_STARTUP_FINISHED:
                bus_broadcast_of_manager(&signals->broadcast, "StartupFinished", write_startup_finished, NULL, 0);
                return;
        case BUS_NOTICE_REQUEST_STOP:
                send_request_stop(signals, notice);
                return;
        }
}

/* @keep_ends: the ends of jobs stay for later, so that none comes before the reply that names the job. */
static void send_notices(BusSignals *signals, bool keep_ends) {
        size_t kept = 0;

        for (size_t i = 0; i < signals->notices.n; i++) {
                BusNotice notice = signals->notices.items[i];

                if (keep_ends && is_end_of_job(signals, &notice)) {
                        signals->notices.items[kept++] = notice;
                        continue;
                }
                send_notice(signals, &notice);
        }
        signals->notices.n = kept;
        if (kept == 0)
                arena_reset(&signals->names);
        signals->has_new_jobs = false;
}

/* The last change of the unit is sent while its properties can still be read. */
static void on_unit_removed(void *userdata, Unit *unit) {
        BusSignals *signals = userdata;
        BusUnitNote of_unit = {};

        bus_foreach_peer(signals->tree->peers, peer)
                bus_foreach_client(peer, client)
                        bus_client_forget_unit(client, unit);

        if (unit->index < signals->of_units.n) {
                of_unit = signals->of_units.items[unit->index];
                signals->of_units.items[unit->index] = (BusUnitNote) {};
        }
        if ((of_unit.marks & BUS_UNIT_IS_NEW) && take_back_unit_new(signals, of_unit.news, unit->id))
                return;

        if (of_unit.marks & BUS_UNIT_ANY_CHANGE) {
                send_notices(signals, true);
                broadcast_unit_changes(signals, unit, of_unit.marks);
        }
        note(signals, (BusNotice) {
                .kind = BUS_NOTICE_WENT,
                .of = signals->units,
                .interface = unit->vtable->interface,
        }, unit);
}

static void on_unit_changed(void *userdata, Unit *unit) {
        note_unit_changed(userdata, unit, BUS_UNIT_CHANGED);
}

static void on_unit_reread(void *userdata, Unit *unit) {
        BusSignals *signals = userdata;

        note(signals, (BusNotice) { .kind = BUS_NOTICE_REREAD, .of = signals->units }, unit);
}

static void on_job_installed(BusSignals *signals, const JobInfo *job) {
        signals->tree->n_installed_jobs++;
        signals->has_new_jobs = true;
        note(signals, (BusNotice) { .kind = BUS_NOTICE_CAME, .of = signals->jobs, .id = job->id }, job->unit);
}

static void on_job_finished(BusSignals *signals, const JobInfo *job) {
        if (job->result == JOB_FAILED || job->result == JOB_TIMEOUT || job->result == JOB_INVALID)
                signals->tree->n_failed_jobs++;
        note(signals, (BusNotice) {
                .kind = BUS_NOTICE_WENT,
                .of = signals->jobs,
                .id = job->id,
                .result = job->result,
        }, job->unit);
}

static void on_job_event(void *userdata, const JobEvent *event) {
        BusSignals *signals = userdata;

        switch (event->kind) {
        case JOB_EVENT_INSTALLED:
                on_job_installed(signals, &event->job);
                break;
        case JOB_EVENT_CHANGED:
                if (bus_broadcast_is_heard(&signals->broadcast) &&
                    vector_push(&signals->changed_jobs, event->job.id) < 0)
                        out_of_memory(signals);
                break;
        case JOB_EVENT_FINISHED:
                on_job_finished(signals, &event->job);
                break;
        case JOB_EVENT_REFUSED:
        case JOB_EVENT_CYCLE_BROKEN:
                return;
        }
        if (event->job.unit)
                note_unit_changed(signals, event->job.unit, BUS_UNIT_JOB_CHANGED);
}

static void on_reloading(void *userdata, bool active) {
        note(userdata, (BusNotice) { .kind = BUS_NOTICE_RELOADING, .is_active = active }, NULL);
}

static void on_unit_files_changed(void *userdata) {
        note(userdata, (BusNotice) { .kind = BUS_NOTICE_UNIT_FILES_CHANGED }, NULL);
}

static void on_startup_finished(void *userdata) {
        BusSignals *signals = userdata;

        note(signals, (BusNotice) { .kind = BUS_NOTICE_STARTUP_FINISHED }, NULL);
}

static void on_request_stop(void *userdata, Unit *unit) {
        note(userdata, (BusNotice) { .kind = BUS_NOTICE_REQUEST_STOP }, unit);
}

void bus_signals_announce_jobs(void *userdata) {
        BusSignals *signals = userdata;

        if (signals->has_new_jobs)
                send_notices(signals, true);
}

static void write_job(const BusView *view, const void *data, Sink *sink) {
        const JobInfo *job = data;

        sink_u32(sink, job->id);
        job_manager_write_job(manager_jobs(view->tree->manager), job, sink);
}

static void broadcast_job_changes(BusSignals *signals, const JobInfo *job) {
        const BusObject object = { .kind = signals->jobs, .job = *job, .id = job->id, .unit = job->unit };

        bus_broadcast_changes(&signals->broadcast, &object, BUS_PROPERTY_EMITS_CHANGE);
        bus_broadcast_of_manager(&signals->broadcast, "JobChanged", write_job, job, BUS_PROPERTY_OWN);
}

/* For a job that has ended in the meantime JobRemoved was sent already. */
static void send_job_changes(BusSignals *signals) {
        u32_sort(signals->changed_jobs.items, signals->changed_jobs.n);

        for (size_t i = 0; i < signals->changed_jobs.n; i++) {
                uint32_t id = signals->changed_jobs.items[i];
                JobInfo job;

                if (i > 0 && id == signals->changed_jobs.items[i - 1])
                        continue;
                if (job_manager_find(manager_jobs(signals->tree->manager), id, &job))
                        broadcast_job_changes(signals, &job);
        }
        vector_clear(&signals->changed_jobs);
}

static void on_end_of_turn(void *userdata) {
        BusSignals *signals = userdata;

        send_notices(signals, false);
        for (size_t i = 0; i < signals->changed_units.n; i++)
                send_unit_changes(signals, signals->changed_units.items[i]);
        vector_clear(&signals->changed_units);
        send_job_changes(signals);
}

static const ManagerListenerOps listener_ops = {
        .unit_added = on_unit_added,
        .unit_removed = on_unit_removed,
        .unit_changed = on_unit_changed,
        .unit_reread = on_unit_reread,
        .job_event = on_job_event,
        .reloading = on_reloading,
        .unit_files_changed = on_unit_files_changed,
        .startup_finished = on_startup_finished,
        .request_stop = on_request_stop,
        .end_of_turn = on_end_of_turn,
};

int bus_signals_attach(BusSignals *signals, BusTree *tree, const BusKind *units, const BusKind *jobs) {
        *signals = (BusSignals) {
                .tree = tree,
                .units = units,
                .jobs = jobs,
                .broadcast = { .tree = tree },
        };
        return manager_listen(tree->manager, &listener_ops, signals);
}

void bus_signals_detach(BusSignals *signals) {
        if (!signals->tree)
                return;
        manager_unlisten(signals->tree->manager, signals);
        vector_deinit(&signals->notices);
        arena_deinit(&signals->names);
        vector_deinit(&signals->changed_units);
        vector_deinit(&signals->of_units);
        vector_deinit(&signals->changed_jobs);
        bus_wire_deinit(&signals->broadcast.wire);
}
