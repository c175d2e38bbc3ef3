/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Trials of a stream beside its slow model; and the same with each fault of the model, which must show: more by fuzz-runs
 */

#include <criterion/criterion.h>

#include "item_trial.h"

#define TRIALS 100U
#define FAULTY_TRIALS 600U

static bool is_found(unsigned fault) {
        for (uint64_t seed = 1; seed <= FAULTY_TRIALS; seed++) {
                ItemTrial trial = { .seed = seed, .fault = fault };

                stream_subject.play(&trial);
                if (trial.difference[0] != '\0')
                        return true;
        }
        return false;
}

Test(run_stream_random, a_stream_is_as_its_model, .timeout = 240) {
        for (uint64_t seed = 1; seed <= TRIALS; seed++) {
                ItemTrial trial = { .seed = seed };

                stream_subject.play(&trial);
                cr_assert(trial.difference[0] == '\0', "seed %lu: %s", seed, trial.difference);
        }
}

Test(run_stream_random, each_fault_of_the_model_shows, .timeout = 240) {
        for (unsigned fault = 1; stream_subject.faults[fault]; fault++)
                cr_assert(is_found(fault), "%s", stream_subject.faults[fault]);
}
