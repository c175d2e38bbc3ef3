/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The spare of the store: rows in memory, while the file cannot be written
 *
 * Whoever holds a copy of its descriptor has the rows; the owner sees to that
 * somebody does who outlives the process. Like the file it is a log, whose
 * rows take effect with a commit.
 */

#include "store/store_private.h"

/* Makes a new one, which takes the place of the one in use with its first commit. 0 or -errno. */
int store_spare_begin(Store *store);
int store_spare_put(Store *store, const void *bytes, size_t n);
int store_spare_commit(Store *store);
/* The spare lacks a change: neither this process nor the next one may use it any more. */
void store_spare_give_up(Store *store);
/* The file has everything again. */
void store_spare_end(Store *store);
/* The same without telling the owner, who may still hold it. */
void store_spare_close(Store *store);

/* Is the file worth another try? Since the last one space has become free, or as much was written as there is. */
bool store_spare_is_due(const Store *store);

unsigned store_spare_version(const Store *store);       /* of the records in it */

typedef int (*StoreTakeRow)(void *userdata, const void *bytes, size_t n);
/* The rows, the latest first. 0, what @take returned, -EBADMSG, or another -errno. */
int store_spare_read(const Store *store, StoreTakeRow take, void *userdata);
