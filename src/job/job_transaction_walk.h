/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Walks over a transaction, with prefetching
 *
 * Without it a walk over a large transaction waits for memory at each
 * candidate, several times in sequence: for the candidate, its unit, the
 * unit's relations, and the units at their other ends. Each walk therefore
 * reports its place, and memory that will be read some places later is
 * prefetched. No function here changes anything.
 */

#include "job/job_transaction.h"

/* A walk over the candidates that reads the unit and relations of each. */
void job_walk_candidates(const JobTransaction *transaction, size_t at);
/* A walk over the candidates that also reads what each pulls in. */
void job_walk_expansion(const JobTransaction *transaction, size_t at);
/* A walk over .work, along the edges to needed candidates. */
void job_walk_needs(const JobTransaction *transaction, size_t at);
/* A walk over the steps of the commit, whose order differs from that of the candidates. */
void job_walk_steps(const JobTransaction *transaction, size_t at);
/* A walk over @n unit indexes that reads the relations of each. */
void job_walk_units(const UnitTable *units, const uint32_t *indexes, size_t at, size_t n);
