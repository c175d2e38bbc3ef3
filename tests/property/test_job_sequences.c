/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * All sequences of up to five operations on one unit
 *
 *      test_job_sequences [all | find]
 *
 * On the engine and on the model, compared after each operation with all that
 * random cases are compared with. From each state in which the unit can begin,
 * level by level: what has led to a state that was there before (down to the
 * last field, see sequences.h) goes on as that did, and is played no further.
 * So that this is not believed without a look, all sequences of some basic
 * operations are played whatever they lead to.
 *
 * The last operation is one of the common ones, to be done in a few seconds;
 * with "all" it is any. With "find" a difference is what it must come to: the
 * engine has a planted defect.
 */

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sequences.h"

typedef struct Sequence {
        uint8_t unit, n, operations[SEQUENCE_LENGTH_MAX];
} Sequence;

typedef enum SequenceAlphabet {
        SEQUENCE_BASIC,
        SEQUENCE_COMMON,                /* all, and in the end those that are common */
        SEQUENCE_ALL,
} SequenceAlphabet;

typedef struct Search {
        VECTOR(Sequence) sequences;     /* that lead to different states, shorter ones first */
        SequenceState *states;          /* owned set, open addressing; both hashes 0: free */
        size_t n_states, n_places;
        uint64_t n_played;
        bool has_failed;
} Search;

static FuzzPlayer player;
static FuzzOutcome outcome;

/* — states that were there — */

static SequenceState *find_place(SequenceState *states, size_t n_places, SequenceState state) {
        size_t at = state.hashes[0] & (n_places - 1);

        while ((states[at].hashes[0] | states[at].hashes[1]) && memcmp(&states[at], &state, sizeof(state)) != 0)
                at = (at + 1) & (n_places - 1);
        return &states[at];
}

static void grow(Search *search) {
        size_t n_places = MAX(search->n_places * 2, (size_t) 4096);
        SequenceState *states = calloc(n_places, sizeof(*states));

        assert(states);
        for (size_t i = 0; i < search->n_places; i++)
                *find_place(states, n_places, search->states[i]) = search->states[i];
        free(search->states);
        search->states = states;
        search->n_places = n_places;
}

static bool is_new(Search *search, SequenceState state) {
        SequenceState *place;

        if (search->n_states * 2 >= search->n_places)
                grow(search);
        place = find_place(search->states, search->n_places, state);
        if (memcmp(place, &state, sizeof(state)) == 0)
                return false;
        *place = state;
        search->n_states++;
        return true;
}

/* — playing — */

static FuzzCase *case_of(const Sequence *sequence) {
        static FuzzCase fuzz;

        fuzz.n_steps = 0;
        fuzz.units[0] = sequence_units[sequence->unit];
        for (unsigned i = 0; i < sequence->n; i++) {
                const SequenceOperation *operation = &sequence_operations[sequence->operations[i]];

                for (unsigned k = 0; k < operation->n; k++)
                        fuzz.steps[fuzz.n_steps++] = operation->steps[k];
        }
        return &fuzz;
}

static void play_operation(unsigned operation) {
        for (unsigned i = 0; i < sequence_operations[operation].n; i++)
                fuzz_player_step(&player, &sequence_operations[operation].steps[i]);
}

/* Plays a sequence. All but its last operation have been compared before, as a shorter sequence. */
static void play(const Sequence *sequence) {
        fuzz_player_begin(&player, case_of(sequence), &outcome);
        (void) fuzz_world_unit(player.world, 0);
        fuzz_world_show(player.world, &player.model);
        for (unsigned i = 0; i < sequence->n; i++) {
                player.engine_trace.n = player.model_trace.n = 0;
                player.is_known = i + 1 < sequence->n;
                play_operation(sequence->operations[i]);
        }
        fuzz_compare(&player);
        fuzz_check_answers(&player);
        fuzz_compare_rest(&player);
}

static void tell_lines(const char *title, char *text) {
        char *rest = text;

        printf("# %s\n", title);
        for (char *line; (line = strsep(&rest, "\n")) && *line != '\0';)
                printf("#   %s\n", line);
}

static void tell(Search *search, const Sequence *sequence) {
        static FuzzCase small;

        search->has_failed = true;
        fuzz_shrink(case_of(sequence), fuzz_play, &small);
        fuzz_play(&small, &outcome);
        tell_lines("difference:", outcome.text.string);
        printf("# the unit begins as %s\n", unit_active_state_to_string(small.units[0].state));
        tell_lines("script:", outcome.script.string);
}

/* Returns true if the sequence leads to a new state. */
static bool look_at(Search *search, const Sequence *sequence) {
        bool goes_on;

        play(sequence);
        search->n_played++;
        goes_on = !outcome.differs && is_new(search, sequence_state(&player));
        fuzz_player_end(&player);
        if (outcome.differs)
                tell(search, sequence);
        return goes_on;
}

static void add(Search *search, Sequence sequence) {
        int r = vector_push(&search->sequences, sequence);

        assert(r == 0);
        (void) r;
}

static bool is_of(const SequenceOperation *operation, unsigned place, SequenceAlphabet alphabet) {
        if (alphabet == SEQUENCE_BASIC)
                return operation->is_basic;
        return alphabet == SEQUENCE_ALL || place <= SEQUENCE_ANY_MAX || operation->is_common;
}

static void extend(Search *search, Sequence sequence, SequenceAlphabet alphabet) {
        sequence.n++;
        for (unsigned i = 0; i < n_sequence_operations && !search->has_failed; i++) {
                if (!is_of(&sequence_operations[i], sequence.n, alphabet))
                        continue;
                sequence.operations[sequence.n - 1] = (uint8_t) i;
                if (look_at(search, &sequence) || alphabet == SEQUENCE_BASIC)
                        add(search, sequence);
        }
}

static Search search_all(unsigned n_units, SequenceAlphabet alphabet) {
        Search search = {};

        for (unsigned i = 0; i < n_units; i++) {
                Sequence sequence = { .unit = (uint8_t) i };

                (void) look_at(&search, &sequence);
                add(&search, sequence);
        }
        for (size_t i = 0; i < search.sequences.n && !search.has_failed; i++)
                if (search.sequences.items[i].n < SEQUENCE_LENGTH_MAX)
                        extend(&search, search.sequences.items[i], alphabet);
        return search;
}

static void tell_result(unsigned number, Search *search, const char *what) {
        printf("%s %u - %s\n# %" PRIu64 " played, %zu states\n", search->has_failed ? "not ok" : "ok", number, what,
               search->n_played, search->n_states);
        fflush(stdout);
        vector_deinit(&search->sequences);
        free(search->states);
}

/* Finds the difference that a planted defect makes. */
static void find_difference(void) {
        Search search = search_all(n_sequence_units, SEQUENCE_COMMON);

        search.has_failed = !search.has_failed;
        tell_result(1, &search, "the planted defect is found");
}

int main(int argc, char **argv) {
        const char *what = argc > 1 ? argv[1] : "";
        Search search;

        sequence_fill_tables();
        if (strcmp(what, "find") == 0) {
                puts("1..1");
                find_difference();
                return 0;
        }
        puts("1..2");
        search = search_all(n_sequence_units, strcmp(what, "all") == 0 ? SEQUENCE_ALL : SEQUENCE_COMMON);
        tell_result(1, &search, "every sequence of operations, each state once");
        search = search_all(1, SEQUENCE_BASIC);
        tell_result(2, &search, "every sequence of basic operations, whatever it leads to");
        return 0;
}
