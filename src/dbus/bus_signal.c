/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Telling clients what has changed
 *
 * Job signals are broadcast, never sent to the caller alone: some clients call
 * on one connection and listen on another. A unit that came and went within a
 * turn (somebody asked for its state) is not worth a word. What is noted names
 * units by string and jobs by id, since either may be gone when it is sent.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "dbus/bus_broadcast.h"
#include "dbus/bus_internal.h"

typedef enum BusUnitMark {
        BUS_UNIT_CHANGED = 1 << 0,
        BUS_UNIT_JOB_CHANGED = 1 << 1,
        BUS_UNIT_IS_NEW = 1 << 2,
} BusUnitMark;

#define BUS_UNIT_ANY_CHANGE (BUS_UNIT_CHANGED | BUS_UNIT_JOB_CHANGED)

static bool has_audience(const Bus *bus) {
        for (size_t i = 0; i < bus->peers.n; i++)
                bus_foreach_dialect(bus, dialect)
                        if (bus_peer_hears(bus->peers.items[i], dialect))
                                return true;
        return false;
}

/* Who waits for that change would wait for ever: with a connection that breaks he asks again. */
static void out_of_memory(Bus *bus) {
        log_error("Out of memory while noting a change for D-Bus clients, disconnecting them.");
        for (size_t i = 0; i < bus->peers.n; i++)
                if (!bus->peers.items[i]->is_message_bus)
                        bus_peer_drop(bus->peers.items[i]);
}

static void note(Bus *bus, BusNotice notice, const Unit *unit) {
        if (!has_audience(bus))
                return;

        notice.index = unit ? unit->index : 0;
        notice.unit = unit ? arena_strdup(&bus->signals.names, unit->id) : "";
        if (!notice.unit || vector_push(&bus->signals.notices, notice) < 0)
                out_of_memory(bus);
}

/* NULL if memory ran out. */
static BusUnitNote *note_of_unit(BusSignals *signals, uint32_t index) {
        while (signals->of_units.n <= index)
                if (vector_push(&signals->of_units, (BusUnitNote) {}) < 0)
                        return NULL;
        return &signals->of_units.items[index];
}

static void note_unit_changed(Bus *bus, const Unit *unit, BusUnitMark mark) {
        BusUnitNote *of_unit;

        if (!has_audience(bus))
                return;

        of_unit = note_of_unit(&bus->signals, unit->index);
        if (!of_unit || (!(of_unit->marks & BUS_UNIT_ANY_CHANGE) &&
                         vector_push(&bus->signals.changed_units, unit->index) < 0))
                out_of_memory(bus);
        else
                of_unit->marks |= (uint8_t) mark;
}

static void on_unit_added(void *userdata, Unit *unit) {
        Bus *bus = userdata;
        BusUnitNote *of_unit;

        if (!has_audience(bus))
                return;

        of_unit = note_of_unit(&bus->signals, unit->index);
        if (of_unit)
                *of_unit = (BusUnitNote) { .marks = BUS_UNIT_IS_NEW, .news = (uint32_t) bus->signals.notices.n };
        note(bus, (BusNotice) { .kind = BUS_NOTICE_UNIT_NEW }, unit);
}

/* True if the unit's announcement was still waiting, and is taken back. */
static bool take_back_unit_new(BusSignals *signals, uint32_t news, const char *unit) {
        BusNotice *notice = news < signals->notices.n ? &signals->notices.items[news] : NULL;

        if (!notice || notice->kind != BUS_NOTICE_UNIT_NEW || !text_equal(notice->unit, unit))
                return false;
        notice->kind = BUS_NOTICE_NONE;
        return true;
}

static void send_unit_changes(Bus *bus, uint32_t index) {
        Unit *unit;
        uint8_t marks = index < bus->signals.of_units.n ? bus->signals.of_units.items[index].marks : 0;

        if (!(marks & BUS_UNIT_ANY_CHANGE))
                return;

        bus->signals.of_units.items[index].marks &= (uint8_t) ~BUS_UNIT_ANY_CHANGE;
        if (!has_audience(bus))
                return;                 /* it has gone since */
        unit = unit_table_at(manager_units(bus->manager), index);
        if (unit)
                bus_broadcast_unit_changes(bus, unit, !(marks & BUS_UNIT_CHANGED));
}

static void forget_job(Bus *bus, uint32_t id) {
        for (size_t i = 0; i < bus->peers.n; i++)
                for (size_t j = 0; j < bus->peers.items[i]->clients.n; j++)
                        bus_client_remove_job(bus->peers.items[i]->clients.items[j], id);
}

static void send_notice(Bus *bus, const BusNotice *notice) {
        Unit *unit;

        switch (notice->kind) {
        case BUS_NOTICE_NONE:
                return;
        case BUS_NOTICE_JOB_REMOVED:
                unit = unit_table_at(manager_units(bus->manager), notice->index);
                if (unit && text_equal(unit->id, notice->unit))
                        send_unit_changes(bus, unit->index);
                bus_broadcast_notice(bus, notice);
                forget_job(bus, notice->id);
                return;
        case BUS_NOTICE_UNIT_NEW:
        case BUS_NOTICE_UNIT_REMOVED:
        case BUS_NOTICE_JOB_NEW:
        case BUS_NOTICE_RELOADING:
        case BUS_NOTICE_UNIT_FILES_CHANGED:
        case BUS_NOTICE_STARTUP_FINISHED:
        case BUS_NOTICE_REQUEST_STOP:
                bus_broadcast_notice(bus, notice);
                return;
        }
}

/* @keep_ends: the ends of jobs stay for later, so that none comes before the reply that names the job. */
static void send_notices(Bus *bus, bool keep_ends) {
        BusSignals *signals = &bus->signals;
        size_t kept = 0;

        for (size_t i = 0; i < signals->notices.n; i++) {
                BusNotice notice = signals->notices.items[i];

                if (keep_ends && notice.kind == BUS_NOTICE_JOB_REMOVED) {
                        signals->notices.items[kept++] = notice;
                        continue;
                }
                send_notice(bus, &notice);
        }
        signals->notices.n = kept;
        if (kept == 0)
                arena_reset(&signals->names);
        signals->has_new_jobs = false;
}

/* Its last change is sent while it is still there to be read. */
static void on_unit_removed(void *userdata, Unit *unit) {
        Bus *bus = userdata;
        BusUnitNote of_unit = {};

        for (size_t i = 0; i < bus->peers.n; i++)
                for (size_t j = 0; j < bus->peers.items[i]->clients.n; j++)
                        bus_client_forget_unit(bus->peers.items[i]->clients.items[j], unit);

        if (unit->index < bus->signals.of_units.n) {
                of_unit = bus->signals.of_units.items[unit->index];
                bus->signals.of_units.items[unit->index] = (BusUnitNote) {};
        }
        if ((of_unit.marks & BUS_UNIT_IS_NEW) && take_back_unit_new(&bus->signals, of_unit.news, unit->id))
                return;

        if (of_unit.marks & BUS_UNIT_ANY_CHANGE) {
                send_notices(bus, true);
                bus_broadcast_unit_changes(bus, unit, !(of_unit.marks & BUS_UNIT_CHANGED));
        }
        note(bus, (BusNotice) { .kind = BUS_NOTICE_UNIT_REMOVED, .interface = unit->vtable->interface }, unit);
}

static void on_unit_changed(void *userdata, Unit *unit) {
        note_unit_changed(userdata, unit, BUS_UNIT_CHANGED);
}

static void on_job_installed(Bus *bus, const JobInfo *job) {
        bus->signals.n_installed_jobs++;
        bus->signals.has_new_jobs = true;
        note(bus, (BusNotice) { .kind = BUS_NOTICE_JOB_NEW, .id = job->id }, job->unit);
}

static void on_job_finished(Bus *bus, const JobInfo *job) {
        if (job->result == JOB_FAILED || job->result == JOB_TIMEOUT || job->result == JOB_INVALID)
                bus->signals.n_failed_jobs++;
        note(bus, (BusNotice) { .kind = BUS_NOTICE_JOB_REMOVED, .id = job->id, .result = job->result },
             job->unit);
}

static void on_job_event(void *userdata, const JobEvent *event) {
        Bus *bus = userdata;

        switch (event->kind) {
        case JOB_EVENT_INSTALLED:
                on_job_installed(bus, &event->job);
                break;
        case JOB_EVENT_CHANGED:
                if (has_audience(bus) && vector_push(&bus->signals.changed_jobs, event->job.id) < 0)
                        out_of_memory(bus);
                break;
        case JOB_EVENT_FINISHED:
                on_job_finished(bus, &event->job);
                break;
        case JOB_EVENT_REFUSED:
        case JOB_EVENT_CYCLE_BROKEN:
                return;
        }
        if (event->job.unit)
                note_unit_changed(bus, event->job.unit, BUS_UNIT_JOB_CHANGED);
}

static void on_reloading(void *userdata, bool active) {
        note(userdata, (BusNotice) { .kind = BUS_NOTICE_RELOADING, .is_active = active }, NULL);
}

static void on_unit_files_changed(void *userdata) {
        note(userdata, (BusNotice) { .kind = BUS_NOTICE_UNIT_FILES_CHANGED }, NULL);
}

static void on_startup_finished(void *userdata) {
        Bus *bus = userdata;

        note(bus, (BusNotice) { .kind = BUS_NOTICE_STARTUP_FINISHED }, NULL);
}

static void on_request_stop(void *userdata, Unit *unit) {
        note(userdata, (BusNotice) { .kind = BUS_NOTICE_REQUEST_STOP }, unit);
}

void bus_signals_announce_jobs(Bus *bus) {
        if (bus->signals.has_new_jobs)
                send_notices(bus, true);
}

/* A job that has ended meanwhile has had its last word already. */
static void send_job_changes(Bus *bus) {
        BusSignals *signals = &bus->signals;

        u32_sort(signals->changed_jobs.items, signals->changed_jobs.n);

        for (size_t i = 0; i < signals->changed_jobs.n; i++) {
                uint32_t id = signals->changed_jobs.items[i];
                JobInfo job;

                if (i > 0 && id == signals->changed_jobs.items[i - 1])
                        continue;
                if (job_manager_find(manager_jobs(bus->manager), id, &job))
                        bus_broadcast_job_changes(bus, &job);
        }
        vector_clear(&signals->changed_jobs);
}

static void on_end_of_turn(void *userdata) {
        Bus *bus = userdata;

        send_notices(bus, false);
        for (size_t i = 0; i < bus->signals.changed_units.n; i++)
                send_unit_changes(bus, bus->signals.changed_units.items[i]);
        vector_clear(&bus->signals.changed_units);
        send_job_changes(bus);
}

static const ManagerListenerOps listener_ops = {
        .unit_added = on_unit_added,
        .unit_removed = on_unit_removed,
        .unit_changed = on_unit_changed,
        .job_event = on_job_event,
        .reloading = on_reloading,
        .unit_files_changed = on_unit_files_changed,
        .startup_finished = on_startup_finished,
        .request_stop = on_request_stop,
        .end_of_turn = on_end_of_turn,
};

int bus_signals_attach(Bus *bus) {
        return manager_listen(bus->manager, &listener_ops, bus);
}

void bus_signals_detach(Bus *bus) {
        BusSignals *signals = &bus->signals;

        manager_unlisten(bus->manager, bus);
        vector_deinit(&signals->notices);
        arena_deinit(&signals->names);
        vector_deinit(&signals->changed_units);
        vector_deinit(&signals->of_units);
        vector_deinit(&signals->changed_jobs);
}
