/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Control lines: what the command of a node says while it runs
 *
 * The command appends lines to the file $JOBD_CONTROL, each of a word and its
 * argument, of at most 4 KiB:
 *
 *     pending REASON     a person has to resolve the node when the command has ended
 *     again-after N      with AgainSec=: N seconds in its place
 *     progress N/M       how far it is
 *     status TEXT        what it does
 *     add-nodes FILE     nodes for the run, of a file beside the control file
 *
 * The last line of a word counts, but each add-nodes is carried out; those that
 * stand together are carried out as one. A line that says nothing known is told
 * to the log, and changes nothing.
 */

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include "basic/usec.h"

#define MANAGER_CONTROL_FILE "control"
#define MANAGER_CONTROL_LINE_BYTES 4096U /* of a line, without its end */
#define MANAGER_CONTROL_REFUSED 20U
#define MANAGER_CONTROL_BYTES (UINT64_C(1024) * 1024) /* of the file: what follows is not read */

typedef struct ManagerControl {
        char *pending; /* owned: the reason; NULL: no person is asked for */
        char *status; /* owned; NULL: none */
        uint64_t progress, progress_of; /* .progress_of 0: none */
        usec_t again; /* USEC_INFINITY: as AgainSec= says */
        uint64_t n_read, n_lines; /* bytes and lines that were looked at */
        unsigned n_refused; /* lines that were told of */
        bool is_at_limit; /* MANAGER_CONTROL_BYTES, which was told */
        bool has_more; /* lines that can be read at once */
        unsigned n_together; /* so many lines of add-nodes are taken as one, at most */
} ManagerControl;

typedef struct ManagerControlOps {
        /*
         * Nodes are to be added from @files, names without a folder, as if all of them were in one. Returns a negative
         * errno if they are refused: if there are several, they come again in parts, and only one alone is refused.
         */
        int (*add_nodes)(void *userdata, char *const *files);
        /* A line that cannot be taken, in a sentence without its point. */
        void (*refuse)(void *userdata, uint64_t line, const char *sentence);
} ManagerControlOps;

void manager_control_init(ManagerControl *control);
void manager_control_deinit(ManagerControl *control);

/*
 * Reads lines that the file in @folder has more than before, so many that a turn stays short: then .has_more.
 * @is_over: nobody writes to it any more, so that a line without its end is whole. Returns whether something was
 * read; -ENOMEM, after which the same lines are read by the next call; or -errno of a file that cannot be read. A
 * missing file is an empty one. Of lines that cannot be taken the first MANAGER_CONTROL_REFUSED are told of.
 */
int manager_control_read(ManagerControl *control, const char *folder, bool is_over, const ManagerControlOps *ops,
                         void *userdata);

/* The lines of @files, which the caller owns. -EFBIG above MANAGER_CONTROL_BYTES, -ENOENT, or -errno. */
int manager_control_read_nodes(const char *folder, char *const *files, char **ret_lines);

/* — watching — */

/* So long a folder is not watched: most commands have ended by then, and are read at their end. */
#define MANAGER_CONTROL_DELAY (100 * USEC_PER_MSEC)

/* Tells which files may have more lines, of all attempts. */
typedef struct ManagerControlWatches {
        int fd; /* owned; 0: nothing was watched yet */
        sd_event_source *source, *timer; /* owned */
        bool is_set; /* the timer */
        void (*changed)(void *userdata, int watch); /* @watch: < 0: any of them may */
        /* Watches those that are due. Returns when the next one is; USEC_INFINITY: none waits. */
        usec_t (*due)(void *userdata, usec_t now);
        void *userdata;
} ManagerControlWatches;

/* A folder is to be watched when it is @due, unless it is gone by then: .due follows. 0 or -errno. */
int manager_control_watch_later(ManagerControlWatches *watches, sd_event *event, usec_t due);

/* Watches @folder: its number ≥ 0, or -errno. .changed and .userdata are set. */
int manager_control_watch(ManagerControlWatches *watches, sd_event *event, const char *folder);
void manager_control_unwatch(const ManagerControlWatches *watches, int watch); /* accepts < 0 */
void manager_control_end(ManagerControlWatches *watches);
