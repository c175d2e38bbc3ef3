/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The simulated manager
 *
 * The loader, graph and engine are those of the daemon, connected by an
 * observer that passes states on and a host whose clock only the script
 * advances. Nothing depends on real time, hash order or the machine, so a
 * script gives the same output everywhere.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "sim/sim.h"

/* More operations within one command are a loop among the units. */
#define SIM_OPERATIONS_MAX UINT64_C(50000000)
#define SIM_RUN_CHUNK 4096U

static usec_t sim_host_now(UnitHost *host) {
        return container_of(host, Sim, host)->now;
}

/* Simulated units only use the time of the host. */
static int sim_host_set_timer(UnitHost *host, Unit *unit, UnitPurpose purpose, usec_t deadline) {
        return 0;
}

static const UnitHostOps sim_host_ops = {
        .now = sim_host_now,
        .now_realtime = sim_host_now,
        .set_timer = sim_host_set_timer,
        .start_runs = sim_runs_start_unit,
        .stop_runs = sim_runs_stop_unit,
        .get_runs = sim_runs_get,
};

static void sim_receive_diagnostic(void *userdata, const UnitFileDiagnostic *diagnostic) {
        static const char *const words[] = {
                [UNIT_FILE_NOTE] = "note",
                [UNIT_FILE_WARNING] = "warning",
                [UNIT_FILE_ERROR] = "error",
        };
        Sim *sim = userdata;

        if (sim->is_quiet || diagnostic->severity == UNIT_FILE_NOTE)
                return;
        fputs(diagnostic->file ?: diagnostic->unit ?: "jobd-sim", stderr);
        if (diagnostic->line > 0)
                fprintf(stderr, ":%u", diagnostic->line);
        fprintf(stderr, ": %s: %s%s%s\n", words[diagnostic->severity], diagnostic->setting ?: "",
                diagnostic->setting ? "=: " : "", diagnostic->message);
}

static int sim_init_loader(Sim *sim, const SimOptions *options) {
        cleanup_(strv_freep) char **path = NULL;
        int r;

        r = unit_file_search_path(false, options->with_systemd_units, options->unit_path, &path);
        if (r < 0)
                return r;
        return unit_file_loader_new(&sim->loader, &(UnitFileOptions) {
                .search_path = path,
                .no_default_dependencies = options->no_default_dependencies,
                .lenient_directives = options->with_systemd_units,
                .receiver = sim_receive_diagnostic,
                .userdata = sim,
        });
}

static int sim_init_units(Sim *sim) {
        int r;

        r = unit_table_new(&sim->units);
        if (r < 0)
                return r;
        unit_table_set_host(sim->units, &sim->host);
        unit_table_set_observer(sim->units, &sim_observer_ops, sim);
        for (int type = 0; type < _UNIT_TYPE_MAX; type++) {
                sim->vtables[type] = sim_unit_vtable(type);
                unit_table_set_type(sim->units, &sim->vtables[type]);
        }
        unit_file_loader_attach(sim->loader, sim->units);
        return 0;
}

int sim_new_jobs(Sim *sim, JobManager **ret_jobs) {
        cleanup_(job_manager_freep) JobManager *jobs = NULL;
        int r;

        r = job_manager_new(&jobs, sim->units);
        if (r == 0)
                r = job_manager_subscribe(jobs, sim_job_event, sim);
        if (r == 0)
                r = job_manager_subscribe(jobs, sim_runs_job_event, sim);
        if (r == 0)
                *ret_jobs = take_ptr(jobs);
        return r;
}

static int sim_init(Sim *sim, const SimOptions *options) {
        int r;

        r = sim_events_init(&sim->events, options->output, options->is_quiet, options->remembers_events);
        if (r < 0)
                return r;
        r = sim_init_loader(sim, options);
        if (r < 0)
                return r;
        r = sim_init_units(sim);
        if (r < 0)
                return r;
        r = sim_new_jobs(sim, &sim->jobs);
        if (r < 0)
                return r;
        sim->unit_changed = sim_runs_unit_changed;
        return sim_runs_init(sim, options->is_auto);
}

int sim_new(Sim **ret_sim, const SimOptions *options) {
        cleanup_(sim_freep) Sim *sim = NULL;
        int r;

        assert(ret_sim);

        sim = calloc(1, sizeof(*sim));
        if (!sim)
                return -ENOMEM;
        sim->host.ops = &sim_host_ops;
        sim->now = SIM_EPOCH;
        sim->is_auto = options->is_auto;
        sim->is_quiet = options->is_quiet;
        sim->folder = options->folder;
        r = sim_init(sim, options);
        if (r < 0)
                return r;
        *ret_sim = take_ptr(sim);
        return 0;
}

Sim *sim_free(Sim *sim) {
        if (!sim)
                return NULL;
        sim_runs_deinit(sim);
        sim->jobs = job_manager_free(sim->jobs);
        sim->units = unit_table_free(sim->units);
        sim->loader = unit_file_loader_free(sim->loader);
        id_map_deinit(&sim->job_states);
        sim_events_deinit(&sim->events);
        free(sim);
        return NULL;
}

/* Jobs alone. Returns what is left of the budget. */
static unsigned run_jobs(Sim *sim, unsigned budget, uint64_t limit) {
        bool is_more = true;

        sim->is_running = true;
        while (is_more && budget > 0 && sim->n_operations < limit) {
                unsigned chunk = MIN(budget, SIM_RUN_CHUNK);

                is_more = job_manager_run(sim->jobs, chunk, sim->now);
                if (budget != UINT_MAX)
                        budget -= chunk;
        }
        sim->is_running = false;
        return budget;
}

/* Runs may ask for jobs, and jobs may end what runs wait for. */
int sim_run(Sim *sim, unsigned budget, Failure *ret_failure) {
        uint64_t limit = sim->n_operations + SIM_OPERATIONS_MAX;
        usec_t began = clock_monotonic(), cpu = clock_processor();
        uint64_t n_changes;
        int r = 0;

        do {
                n_changes = sim->runs.n_changes;
                if (!sim->runs.is_down)
                        budget = run_jobs(sim, budget, limit);
                if (sim->n_operations < limit)
                        r = sim_runs_settle(sim, ret_failure);
        } while (r == 0 && budget > 0 && sim->n_operations < limit && sim->runs.n_changes > n_changes);
        sim->times.run += clock_monotonic() - began;
        sim->times.cpu_run += clock_processor() - cpu;
        if (sim->n_operations >= limit)
                return failure_set(ret_failure, -EINVAL, "LimitsExceeded",
                                   "the units keep starting each other: still not at rest after %" PRIu64 " operations",
                                   SIM_OPERATIONS_MAX);
        return r < 0 ? r : sim->events.error;
}

int sim_finish(Sim *sim, Failure *ret_failure) {
        return sim->is_auto ? sim_run(sim, UINT_MAX, ret_failure) : 0;
}

int sim_print_times(const Sim *sim, FILE *output) {
        const SimTimes *times = &sim->times;
        usec_t total = times->load + times->exec + times->run + times->other;

        if (fprintf(output,
                    "{\"ev\":\"time\",\"load\":%" PRIu64 ",\"exec\":%" PRIu64 ",\"run\":%" PRIu64
                    ",\"total\":%" PRIu64 ",\"cpu-load\":%" PRIu64 ",\"cpu-exec\":%" PRIu64
                    ",\"cpu-run\":%" PRIu64 ",\"cpu-total\":%" PRIu64 "}\n",
                    times->load, times->exec, times->run, total, times->cpu_load, times->cpu_exec, times->cpu_run,
                    times->cpu_load + times->cpu_exec + times->cpu_run + times->cpu_other) < 0)
                return -EIO;
        return 0;
}
