/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Why: the chain from a job to the request
 *
 * The chain is read from the record of the transaction, so the jobs in between
 * may have ended. Each step was pulled in by an earlier one, so the chain
 * ends.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "basic/text.h"
#include "job/job_explain_cause.h"

#define CHAIN_END 32                    /* steps shown at each end of a longer chain */

int job_explain_requester(const JobTransactionRecord *record, char **ret_text) {
        if (record->requester && record->pid > 0)
                return text_format(ret_text, "requested by %s (pid %u, uid %u)", record->command ?: record->requester,
                                   record->pid, record->uid);
        if (record->requester)
                return text_format(ret_text, "requested by %s (uid %u)", record->requester, record->uid);
        return text_format(ret_text, "requested because %s", record->reason ? record->reason : "the manager started");
}

static void write_requester(const JobExplain *explain, const JobTransactionRecord *record) {
        cleanup_free_ char *text = NULL;

        sink_open(explain->sink, 'a', "{sv}");
        if (record->requester) {
                sink_entry_string(explain->sink, "requester", record->requester);
                if (record->command)
                        sink_entry_string(explain->sink, "command", record->command);
                sink_entry_u32(explain->sink, "uid", record->uid);
                sink_entry_u32(explain->sink, "pid", record->pid);
        }
        if (record->reason)
                sink_entry_string(explain->sink, "reason", record->reason);
        if (job_explain_requester(record, &text) == 0)
                sink_entry_string(explain->sink, "text", text);
        sink_close(explain->sink);
}

/* One link of the chain: a job of the transaction, or a dropped one. */
typedef struct Link {
        const JobName *unit, *puller;   /* borrowed; no puller: an anchor */
        JobType type, puller_type;
        UnitRelationKind relation;
        UnitOriginId origin;
        bool declared_there;
} Link;

static Link link_of_step(const JobTransactionRecord *record, const JobStep *step) {
        const JobStep *puller = step->puller == JOB_STEP_NONE ? NULL : &record->steps.items[step->puller];

        return (Link) {
                .unit = step->unit,
                .type = step->type,
                .puller = puller ? puller->unit : NULL,
                .puller_type = puller ? puller->type : _JOB_TYPE_INVALID,
                .relation = step->relation,
                .origin = step->origin,
                .declared_there = step->declared_there,
        };
}

static Link link_of_drop(const JobDrop *drop) {
        return (Link) {
                .unit = drop->unit,
                .type = drop->type,
                .puller = drop->puller,
                .puller_type = drop->puller_type,
                .relation = drop->relation,
                .origin = drop->origin,
                .declared_there = drop->declared_there,
        };
}

static int describe_link(const JobExplain *explain, const Link *link, char **ret_text) {
        char origin[512], declaration[JOB_DECLARATION_TEXT_MAX];

        if (!link->puller)
                return text_format(ret_text, "%s %s was requested", job_type_to_string(link->type),
                                   link->unit->string);
        if (link->origin == UNIT_ORIGIN_NONE)
                return text_format(ret_text, "%s %s comes with %s %s", job_type_to_string(link->type),
                                   link->unit->string, job_type_to_string(link->puller_type), link->puller->string);

        unit_origin_format(explain->units, link->origin, origin, sizeof(origin));
        job_declaration_format(link->relation, link->declared_there, link->puller->string, link->unit->string, origin,
                               declaration);
        return text_format(ret_text, "%s %s is pulled in by %s %s: %s", job_type_to_string(link->type),
                           link->unit->string, job_type_to_string(link->puller_type), link->puller->string,
                           declaration);
}

static void write_link(const JobExplain *explain, const Link *link, bool is_needed) {
        cleanup_free_ char *text = NULL;
        char origin[512];

        sink_open(explain->sink, 'a', "{sv}");
        sink_entry_string(explain->sink, "unit", link->unit->string);
        sink_entry_string(explain->sink, "type", job_type_to_string(link->type));
        sink_entry_bool(explain->sink, "needed", is_needed);
        if (link->puller && link->origin != UNIT_ORIGIN_NONE) {
                unit_origin_format(explain->units, link->origin, origin, sizeof(origin));
                sink_entry_string(explain->sink, "relation", unit_relation_to_string(link->relation));
                sink_entry_string(explain->sink, "declared", origin);
        }
        if (describe_link(explain, link, &text) == 0)
                sink_entry_string(explain->sink, "text", text);
        sink_close(explain->sink);
}

static void write_step(const JobExplain *explain, const JobTransactionRecord *record, const JobStep *step) {
        Link link = link_of_step(record, step);

        write_link(explain, &link, step->is_needed);
}

static const JobStep *puller_of(JobTransactionRecord *record, const JobStep *step) {
        return job_cause_step((JobCause) { .record = record, .step = step->puller });
}

/* Leaves out the middle of a long chain. A chain from a damaged snapshot may be circular. */
static void write_steps(const JobExplain *explain, JobCause cause) {
        JobTransactionRecord *record = cause.record;
        const JobStep *step;
        size_t n = 0, i = 0;
        char more[64];

        for (step = job_cause_step(cause); step && n < record->steps.n; step = puller_of(record, step))
                n++;
        for (step = job_cause_step(cause); i < n; step = puller_of(record, step), i++) {
                if (n <= 2 * CHAIN_END || i < CHAIN_END || i >= n - CHAIN_END) {
                        write_step(explain, record, step);
                } else if (i == CHAIN_END) {
                        snprintf(more, sizeof(more), "… and %zu more in between", n - 2 * CHAIN_END);
                        sink_open(explain->sink, 'a', "{sv}");
                        sink_entry_string(explain->sink, "text", more);
                        sink_close(explain->sink);
                }
        }
}

void job_explain_write_causes(const JobExplain *explain, JobCause cause) {
        if (!cause.record)
                return;

        sink_entry_open(explain->sink, "causes", "aa{sv}");
        sink_open(explain->sink, 'a', "a{sv}");
        write_steps(explain, cause);
        write_requester(explain, cause.record);
        sink_close(explain->sink);
        sink_entry_close(explain->sink);
}

static const JobDrop *find_dropped_puller(const JobTransactionRecord *record, const JobDrop *drop) {
        for (size_t i = 0; drop->puller && i < record->drops.n; i++) {
                const JobDrop *puller = &record->drops.items[i];

                if (puller->type == drop->puller_type && strcmp(puller->unit->string, drop->puller->string) == 0)
                        return puller;
        }
        return NULL;
}

static uint32_t find_puller(const JobTransactionRecord *record, const JobDrop *drop) {
        for (size_t i = 0; drop->puller && i < record->steps.n; i++)
                if (strcmp(record->steps.items[i].unit->string, drop->puller->string) == 0)
                        return (uint32_t) i;
        return JOB_STEP_NONE;
}

/* Writes the chain of dropped jobs up to one that stayed, and goes on from there. */
static void write_drop_links(const JobExplain *explain, JobTransactionRecord *record, const JobDrop *drop) {
        const JobDrop *last = drop;
        uint32_t step;

        for (size_t n = 0; drop && n < 2 * CHAIN_END; drop = find_dropped_puller(record, drop), n++) {
                Link link = link_of_drop(drop);

                write_link(explain, &link, false);
                last = drop;
        }
        step = drop ? JOB_STEP_NONE : find_puller(record, last);
        if (step != JOB_STEP_NONE)
                write_steps(explain, (JobCause) { .record = record, .step = step });
}

void job_explain_write_request(const JobExplain *explain, JobTransactionRecord *record, const JobDrop *drop) {
        sink_entry_open(explain->sink, "causes", "aa{sv}");
        sink_open(explain->sink, 'a', "a{sv}");
        if (drop)
                write_drop_links(explain, record, drop);
        write_requester(explain, record);
        sink_close(explain->sink);
        sink_entry_close(explain->sink);
}

static void write_other_cause(const JobExplain *explain, JobCause cause) {
        cleanup_free_ char *why = NULL, *requester = NULL, *text = NULL;
        const JobStep *step = job_cause_step(cause);
        Link link;

        if (!step)
                return;
        link = link_of_step(cause.record, step);
        if (describe_link(explain, &link, &why) < 0 ||
            job_explain_requester(cause.record, &requester) < 0 ||
            text_format(&text, "%s; %s (transaction %" PRIu64 ")", why, requester, cause.record->id) < 0)
                return;
        sink_string(explain->sink, text);
}

void job_explain_write_other_causes(const JobExplain *explain, const Job *job) {
        char more[64];

        if (job_rare(job)->n_more_causes == 0 && job->n_lost_causes == 0)
                return;

        sink_entry_open(explain->sink, "also", "as");
        sink_open(explain->sink, 'a', "s");
        for (size_t i = 1; i < job_count_causes(job); i++)
                write_other_cause(explain, job_cause_at(job, i));
        if (job->n_lost_causes > 0) {
                snprintf(more, sizeof(more), "and %u more", job->n_lost_causes);
                sink_string(explain->sink, more);
        }
        sink_close(explain->sink);
        sink_entry_close(explain->sink);
}

static void write_drop_puller(const JobExplain *explain, const JobDrop *drop) {
        char origin[512];

        if (!drop->puller)
                return;
        sink_entry_string(explain->sink, "puller", drop->puller->string);
        if (drop->origin == UNIT_ORIGIN_NONE)
                return;
        unit_origin_format(explain->units, drop->origin, origin, sizeof(origin));
        sink_entry_string(explain->sink, "relation", unit_relation_to_string(drop->relation));
        sink_entry_string(explain->sink, "declared", origin);
}

void job_explain_write_drops(const JobExplain *explain, const JobTransactionRecord *record) {
        sink_entry_open(explain->sink, "dropped", "aa{sv}");
        sink_open(explain->sink, 'a', "a{sv}");
        for (size_t i = 0; i < record->drops.n; i++) {
                const JobDrop *drop = &record->drops.items[i];

                sink_open(explain->sink, 'a', "{sv}");
                sink_entry_string(explain->sink, "unit", drop->unit->string);
                sink_entry_string(explain->sink, "type", job_type_to_string(drop->type));
                sink_entry_string(explain->sink, "rule", job_drop_rule_to_string(drop->rule));
                sink_entry_string(explain->sink, "why", drop->why);
                write_drop_puller(explain, drop);
                sink_close(explain->sink);
        }
        sink_close(explain->sink);
        sink_entry_close(explain->sink);
}
