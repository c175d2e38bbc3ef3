/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The items of a batch: a range in a sliding window
 *
 * Items are the numbers from 0 on. None has a row, nor a struct of its own while
 * nothing of it goes on. A range knows its base (all items below are over), the
 * next item (none from there on was issued), a bit for each item between the
 * two that says whether it is over, the items that wait for another try, by
 * time, and those that are out: issued, and not answered. No item is issued
 * that is a window or more above the base. So memory and the cost of an item
 * hang on the window, and not on the number of items.
 *
 * A launch is a time in which items are issued, from a start or a resume to a
 * pause, or to the end. It owns the rate (a token bucket, from which second
 * tries take tokens, too) and the error budget, which counts the errors of the
 * launch; the errors of the whole life of the range are counted beside.
 *
 * An item is over when it has succeeded, or when it has failed and no try is
 * left: then it is an error. A loss takes no try, but an item that is lost for
 * the third time in all its tries is an error. A range that is drained issues
 * nothing.
 *
 * An error can be issued again. It is not over then, and an error until it
 * succeeds; if it fails again, that is one more error of the launch, and none
 * of the range. It does not hold up the base. Until it is over it does not
 * count in the budget of the whole life.
 *
 * What is saved makes a range again in which all that was not over is to be
 * issued: of the items that were over, none is issued twice.
 *
 * Times are µs of a clock that does not go back and goes on in suspend. Functions return 0 or a negative errno; memory
 * is taken in run_range_new(), …_from(), run_range_set(), run_range_restore() and run_range_retry(), and nowhere else.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/record.h"
#include "basic/usec.h"

#define RUN_RANGE_WINDOW_MAX (UINT32_C(1) << 20)
#define RUN_RANGE_DEATHS_MAX 3U /* an item that was lost so often is an error: poison */

typedef struct RunRange RunRange;

typedef enum RunRangeBackoff {
        RUN_RANGE_FIXED,
        RUN_RANGE_LINEAR,
        RUN_RANGE_EXPONENTIAL,
} RunRangeBackoff;

typedef struct RunRangeSettings {
        uint64_t n; /* items; of an open range those that are known */
        bool is_open; /* more may become known: run_range_extend() */
        uint32_t window; /* at least 1, at most RUN_RANGE_WINDOW_MAX */
        uint32_t slots; /* items that are out at a time, at least 1, at most the window */
        uint32_t rate; /* items in .period; 0: no limit */
        usec_t period;
        uint32_t burst; /* tokens that the bucket holds; 0: a twentieth of a second's, at least 1 */
        uint32_t retry; /* tries after the first */
        RunRangeBackoff backoff;
        usec_t delay, max_delay; /* between tries */
        uint32_t jitter; /* percent of the delay */
        uint64_t max_errors; /* of a launch: more of them, and it is spent; 0: no limit */
        uint32_t max_error_percent; /* the same, of those that are over, once these are 100; 0: no limit */
        uint64_t max_errors_total; /* of the life of the range; 0: no limit */
} RunRangeSettings;

/* 0, -ENOMEM, or -EINVAL for settings that cannot be, also a .period × .rate of 2⁶⁴ or more. No launch has begun. */
int run_range_new(const RunRangeSettings *settings, RunRange **ret_range);
/* The same, but the items below @first are over. -EINVAL also if there are not so many. */
int run_range_new_from(const RunRangeSettings *settings, uint64_t first, RunRange **ret_range);
RunRange *run_range_free(RunRange *range); /* accepts NULL, returns NULL */
DEFINE_CLEANUP(RunRange, run_range_free)

/*
 * Other settings, with no fewer items than were issued. A smaller window holds what was issued, and no new item is
 * issued before that fits in. As run_range_new(); or -EBUSY: an item is out. After an error nothing has changed.
 */
int run_range_set(RunRange *range, const RunRangeSettings *settings);

/* A launch begins: its errors are none, its bucket is empty, and it is not drained. */
void run_range_launch(RunRange *range, usec_t now);
/* From now on nothing is issued until the next launch. */
void run_range_drain(RunRange *range);

/* — issue — */

typedef enum RunRangeIssue {
        RUN_RANGE_ISSUED,
        RUN_RANGE_SLOTS, /* as many are out as may be */
        RUN_RANGE_RATE, /* there is no token before run_range_due() */
        RUN_RANGE_WINDOW, /* the window is full: its first item is out, or waits for a try */
        RUN_RANGE_WAITS, /* all that is left and not out waits for another try, until run_range_due() */
        RUN_RANGE_UNKNOWN, /* an open range: no more items are known; some may wait, until run_range_due() */
        RUN_RANGE_DRAINED, /* it is drained, or has no launch */
        RUN_RANGE_ALL_OUT, /* what is not over is out */
        RUN_RANGE_OVER, /* all items are over */
} RunRangeIssue;

typedef struct RunRangeItem {
        uint64_t index;
        uint32_t tries; /* before this one, that have failed */
} RunRangeItem;

/*
 * Issues an item: one whose try is due before one that was never issued, and of the former the one that is due first,
 * or the lowest. Otherwise says why not: of the reasons why there is no item first, and then SLOTS before RATE.
 */
RunRangeIssue run_range_issue(RunRange *range, usec_t now, RunRangeItem *ret_item);
/*
 * When run_range_issue() can have something, if nothing else happens: @now, if it has something now; USEC_INFINITY:
 * never. With a rate of more than 1,000 a second and no token, not before those of a millisecond are there.
 */
usec_t run_range_due(const RunRange *range, usec_t now);

/* — answers — */

typedef enum RunRangeEnd {
        RUN_RANGE_SUCCESS,
        RUN_RANGE_FAILURE,
        RUN_RANGE_FINAL, /* a failure that is not tried again */
        RUN_RANGE_AGAIN, /* "not yet": it is issued again, and has not failed */
        RUN_RANGE_LOST, /* what worked on it has died with it: as a failure, but takes no try */
        RUN_RANGE_RETURNED, /* it was not worked on, or was ended by ourselves: due at once, and nothing is counted */
} RunRangeEnd;

typedef enum RunRangeFate {
        RUN_RANGE_DONE, /* over: it has succeeded … */
        RUN_RANGE_MENDED, /* … after it was an error: it is none any more */
        RUN_RANGE_RETRIES, /* it is issued again */
        RUN_RANGE_ERROR, /* over: no try is left */
        RUN_RANGE_POISON, /* over, an error: it was lost RUN_RANGE_DEATHS_MAX times */
        RUN_RANGE_STRANGE, /* it is not out: nothing has changed */
} RunRangeFate;

/* @again: with RUN_RANGE_AGAIN, after how long; @random: any of all values, for jitter. */
RunRangeFate run_range_end(RunRange *range, uint64_t index, RunRangeEnd end, usec_t now, usec_t again,
                           uint32_t random);

/* — items — */

/* An open range: @n more items are known; @is_last: and no more there are. -EINVAL: it is not open; -EOVERFLOW. */
int run_range_extend(RunRange *range, uint64_t n, bool is_last);
/*
 * An item that is an error is to be issued again, with no try and no loss behind it: it is due at once, for the launch
 * that is there, or for the next. 0; -EINVAL: it is not over; -ENOMEM. The caller knows which items are errors.
 */
int run_range_retry(RunRange *range, uint64_t index);
/* After a restart: the item, which waits to be issued, is out, whatever .slots is now. -ENOENT: it does not wait. */
int run_range_claim(RunRange *range, uint64_t index);
bool run_range_is_out(const RunRange *range, uint64_t index);

/* — what can be asked — */

typedef enum RunRangeBudget {
        RUN_RANGE_WITHIN,
        RUN_RANGE_SPENT, /* MaxErrors= or MaxErrorPercent= of this launch */
        RUN_RANGE_SPENT_TOTAL, /* MaxErrorsTotal=, by errors that are over */
} RunRangeBudget;

RunRangeBudget run_range_budget(const RunRange *range);
/* The same without MaxErrorsTotal=, for a caller to whom that does not matter now. */
RunRangeBudget run_range_launch_budget(const RunRange *range);

typedef struct RunRangeCounts {
        uint64_t n; /* that are known */
        uint64_t base, next;
        uint64_t over; /* with errors, but those that are issued again */
        uint64_t errors, launch_errors, launch_over;
        uint32_t seconds; /* errors that are issued again, and are not over */
        uint32_t out, waiting; /* waiting: were issued, and are to be issued again */
        uint32_t window, slots;
        uint64_t strange; /* answers that were dropped */
        bool is_open;
        bool is_drained; /* or has no launch */
        bool is_over; /* all items are */
} RunRangeCounts;

void run_range_count(const RunRange *range, RunRangeCounts *ret_counts);

/* — checkpoints — */

/*
 * Writes what a range of the same settings needs to go on: base, next, counts, the bits of the window (run lengths, or
 * raw if that is shorter), tries and the time that they still have to wait.
 */
void run_range_save(const RunRange *range, usec_t now, RecordWriter *writer);
/*
 * The range that was saved. It has the launch that it had, if it had one, with an empty bucket; what was out then is to
 * be issued. 0, -EBADMSG for what run_range_save() has not written, -ENOMEM, or -EINVAL for settings that do not fit:
 * those of run_range_set(), with as many items as were known.
 */
int run_range_restore(const RunRangeSettings *settings, RecordReader *reader, usec_t now, RunRange **ret_range);
