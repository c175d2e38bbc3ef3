/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Trials of a range beside its slow model; and the same with each fault of the model, which must show: more by fuzz-runs
 */

#include <criterion/criterion.h>

#include "item_trial.h"

#define TRIALS 400U
#define FAULTY_TRIALS 100U

static bool is_found(unsigned fault) {
        for (uint64_t seed = 1; seed <= FAULTY_TRIALS; seed++) {
                ItemTrial trial = { .seed = seed, .fault = fault };

                range_subject.play(&trial);
                if (trial.difference[0] != '\0')
                        return true;
        }
        return false;
}

Test(run_range_random, a_range_is_as_its_model, .timeout = 120) {
        for (uint64_t seed = 1; seed <= TRIALS; seed++) {
                ItemTrial trial = { .seed = seed };

                range_subject.play(&trial);
                cr_assert(trial.difference[0] == '\0', "seed %lu: %s", seed, trial.difference);
        }
}

Test(run_range_random, each_fault_of_the_model_shows, .timeout = 120) {
        for (unsigned fault = 1; range_subject.faults[fault]; fault++)
                cr_assert(is_found(fault), "%s", range_subject.faults[fault]);
}
