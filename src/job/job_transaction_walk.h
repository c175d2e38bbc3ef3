/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Walks over a transaction, whose memory comes ahead
 *
 * A large transaction would wait for memory at each candidate, and for one
 * thing after the other: the candidate, its unit, the unit's relations, the
 * units at their other ends. So each walk says at each place where it is, and
 * what will be looked at some places later is fetched. A call changes nothing.
 */

#include "job/job_transaction.h"

/* Over the candidates, with a look at the unit and the relations of each. */
void job_walk_candidates(const JobTransaction *transaction, size_t at);
/* The same, with a look at what each pulls in. */
void job_walk_expansion(const JobTransaction *transaction, size_t at);
/* Over .work, along the edges to what each needs. */
void job_walk_needs(const JobTransaction *transaction, size_t at);
/* Over the steps of the commit, which are in another order than the candidates. */
void job_walk_steps(const JobTransaction *transaction, size_t at);
/* Over @n units by index, with a look at the relations of each. */
void job_walk_units(const UnitTable *units, const uint32_t *indexes, size_t at, size_t n);
