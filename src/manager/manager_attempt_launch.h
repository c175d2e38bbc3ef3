/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The part of an attempt that is the launch of a batch, and its record
 *
 * What a launch does is in manager_launch.h.
 */

#include "basic/record.h"
#include "basic/vector.h"
#include "manager/manager_item_error.h"
#include "run/run_engine.h"
#include "run/run_page.h"
#include "run/run_range.h"

/* Items of a launch have a generation with this bit, and the number of the launch in the others. */
#define MANAGER_ITEM_GENERATION (UINT32_C(1) << 31)

static inline bool manager_launch_is_item(const RunAttemptKey *key) {
        return key->generation & MANAGER_ITEM_GENERATION;
}

typedef enum ManagerLaunchStage {
        MANAGER_LAUNCH_NEW,
        MANAGER_LAUNCH_PREPARE, /* ExecPrepare= runs */
        MANAGER_LAUNCH_AWAIT, /* its owner is to go on */
        MANAGER_LAUNCH_ISSUE,
        _MANAGER_LAUNCH_STAGE_MAX,
} ManagerLaunchStage;

/* Errors that the store has are issued again: those from .next on that are below .end. */
typedef struct ManagerMend {
        uint64_t next, end;
} ManagerMend;

static inline bool manager_mend_has_more(const ManagerMend *mend) {
        return mend->next < mend->end;
}

/* Of an error that is issued again, whose page is not kept, or of what was out when workers were handed over. */
typedef struct ManagerItemText {
        uint64_t item;
        char *text; /* owned */
} ManagerItemText;

/* The part of an attempt that is a launch. */
typedef struct ManagerLaunch {
        ManagerLaunchStage stage;
        uint32_t number; /* of the launch in the life of its run, from 1; 0: not begun */
        uint32_t n_issued; /* the number of its last item */
        bool is_failed; /* MaxErrorsTotal= is over */
        usec_t changed_at; /* when what is recorded has changed: times of the range are told from there */
        usec_t paused_at; /* since when it is to end; 0: it is not */
        RunRange *range; /* owned; NULL: not made yet … */
        uint8_t *saved; /* owned: … but there is this record of it */
        size_t n_saved;
        RunPages *pages; /* owned: texts of items; NULL: they are numbers */
        VECTOR(ManagerItemText) texts; /* owned */
        bool is_page_out; /* a page is being read */
        ManagerMend mend;
        uint64_t mend_query; /* of the next of these rows, under way; 0: none … */
        VECTOR(uint64_t) mended; /* … and what was mended since: it may have a row in the answer */
        struct ManagerWorkers *workers; /* owned: of a batch with a pool; NULL: none, or not made yet … */
        uint8_t *saved_workers; /* owned: … but there is this record of it */
        size_t n_saved_workers;
        struct ManagerLaunchPool *pool; /* borrowed: their own part of it */
        uint8_t *kept; /* owned: the range as it is to be recorded, for answers of workers are not one by one */
        size_t n_kept;
        uint8_t *kept_errors; /* owned: the same of .errors */
        size_t n_kept_errors;
        bool is_handed_over;
        bool has_changed; /* in a step: it is to be recorded; not recorded, as the rest */
        bool is_told_to_end; /* its items were */
        ManagerItemErrors errors; /* owned: that the store does not have yet */
        uint64_t n_over; /* when the store got the last checkpoint … */
        usec_t put_at, checkpoint_at; /* … at this time, and when it is to get the next one */
        bool has_end; /* the following is set */
        RunEndKind kind;
} ManagerLaunch;

void manager_launch_deinit(ManagerLaunch *launch);
void manager_launch_drop_range(ManagerLaunch *launch); /* .range, .pages and .texts: they can be made again */
/* To another image of the program, or not: then its workers, and the texts of what they have, are recorded, too. */
void manager_launch_hand_over(ManagerLaunch *launch, bool is_handed_over);
void manager_launch_write(const ManagerLaunch *launch, RecordWriter *writer);
/* To be called when it has changed: with workers the record is of this time until the next one. */
void manager_launch_keep(ManagerLaunch *launch);
void manager_launch_drop_kept(ManagerLaunch *launch); /* .kept and .kept_errors */
int manager_launch_read(ManagerLaunch *launch, RecordReader *reader); /* 0, -EBADMSG or -ENOMEM */

/* The cursor of a run, which the next launch goes on with: .range, .pages, .texts and .mend. */
void manager_launch_save(const ManagerLaunch *launch, usec_t now, RecordWriter *writer);
/*
 * As run_range_restore(), for a launch that has none of these. With .is_open of @settings items have texts: how many
 * are known, and whether more may become known, is in the cursor. @source: where they come from.
 */
int manager_launch_restore(const RunRangeSettings *settings, RunPageSource source, const void *bytes, size_t n,
                           usec_t now, ManagerLaunch *launch);

/* The text of an item; NULL: it has none, or its page is not there. */
const char *manager_launch_text(const ManagerLaunch *launch, uint64_t item);
int manager_launch_keep_text(ManagerLaunch *launch, uint64_t item, const char *text); /* 0 or -ENOMEM */
void manager_launch_drop_text(ManagerLaunch *launch, uint64_t item);
