/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * How fast the items of a batch come to their ends, and how long the rest takes
 */

#include <inttypes.h>
#include <string.h>

#include "basic/text.h"
#include "jobctl/batch_progress.h"
#include "jobctl/state.h"

/* A rate over less says nothing. */
#define SPAN_MIN (100 * USEC_PER_MSEC)

static void drop_first(BatchProgress *progress) {
        progress->n--;
        memmove(progress->samples, progress->samples + 1, progress->n * sizeof(*progress->samples));
}

void batch_progress_note(BatchProgress *progress, const BatchCounts *counts, usec_t now) {
        progress->counts = *counts;
        /* Errors that are issued again are over no more. */
        if (progress->n > 0 && counts->over < progress->samples[progress->n - 1].over)
                progress->n = 0;
        while (progress->n > 1 && usec_sub(now, progress->samples[1].at) >= BATCH_RATE_SPAN)
                drop_first(progress);
        if (progress->n == BATCH_SAMPLES)
                drop_first(progress);
        progress->samples[progress->n].at = now;
        progress->samples[progress->n++].over = counts->over;
}

double batch_progress_rate(const BatchProgress *progress) {
        const size_t last = progress->n - 1;
        usec_t span;

        if (progress->n < 2)
                return -1;
        span = usec_sub(progress->samples[last].at, progress->samples[0].at);
        if (span < SPAN_MIN)
                return -1;
        return (double) (progress->samples[last].over - progress->samples[0].over) * (double) USEC_PER_SEC /
               (double) span;
}

usec_t batch_progress_left(const BatchProgress *progress) {
        const BatchCounts *counts = &progress->counts;
        const double rate = batch_progress_rate(progress);
        double left;

        if (counts->over >= counts->total)
                return 0;
        if (rate <= 0)
                return USEC_INFINITY;
        left = (double) (counts->total - counts->over) / rate * (double) USEC_PER_SEC;
        return left < (double) (USEC_INFINITY / 2) ? (usec_t) left : USEC_INFINITY;
}

int batch_progress_format(const BatchProgress *progress, char **ret_line) {
        const BatchCounts *counts = &progress->counts;
        const double rate = batch_progress_rate(progress);
        const usec_t left = batch_progress_left(progress);
        char span[USEC_FORMAT_MAX];
        Text text = {};

        text_addf(&text, "%" PRIu64 " of %" PRIu64 " are over", counts->over, counts->total);
        if (rate >= 0)
                text_addf(&text, rate >= 10 ? ", %.0f/s" : ", %.1f/s", rate);
        text_addf(&text, ", %" PRIu64 " %s, %" PRIu64 " out", counts->errors, counts->errors == 1 ? "error" : "errors",
                  counts->out);
        if (left > 0 && left != USEC_INFINITY)
                text_addf(&text, ", %s left", state_format_span(left, span));
        return text_finish(&text, ret_line);
}
