/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Descriptors of owners, and what a keeper is asked for
 */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "process/process_kept.h"

typedef struct Keeper {
        Text calls;
        int answer;                     /* returned by each operation */
} Keeper;

static int store(void *userdata, const char *name, int fd) {
        text_addf(&((Keeper *) userdata)->calls, "store %s\n", name);
        return ((Keeper *) userdata)->answer;
}

static int accept_one(void *userdata, const char *name, int listening) {
        text_addf(&((Keeper *) userdata)->calls, "accept %s\n", name);
        return ((Keeper *) userdata)->answer;
}

static int drop(void *userdata, const char *name) {
        text_addf(&((Keeper *) userdata)->calls, "drop %s\n", name);
        return ((Keeper *) userdata)->answer;
}

static int take(void *userdata, const char *name) {
        text_addf(&((Keeper *) userdata)->calls, "take %s\n", name);
        return ((Keeper *) userdata)->answer;
}

static void sync_all(void *userdata) {
        text_addf(&((Keeper *) userdata)->calls, "sync\n");
}

static const ProcessKeeperOps keeper_ops = {
        .store_fd = store, .accept_fd = accept_one, .drop_fd = drop, .take_fd = take, .sync = sync_all };

static void assert_calls(Keeper *keeper, const char *calls) {
        assert_string(keeper->calls.string ? keeper->calls.string : "", calls);
        text_deinit(&keeper->calls);
        keeper->calls = (Text) {};
}

/* A socket that listens, with a client that is connected to it. */
static int listen_with_client(int *ret_client) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        socklen_t length = sizeof(address);

        cr_assert(fd >= 0);
        cr_assert(eq(int, bind(fd, (struct sockaddr *) &address, sizeof(sa_family_t)), 0));
        cr_assert(eq(int, listen(fd, 5), 0));
        cr_assert(eq(int, getsockname(fd, (struct sockaddr *) &address, &length), 0));
        *ret_client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        cr_assert(eq(int, connect(*ret_client, (struct sockaddr *) &address, length), 0));
        return fd;
}

Test(process_kept, is_named_by_owner_what_and_number) {
        Keeper keeper = {};
        const ProcessKeeper face = { .ops = &keeper_ops, .userdata = &keeper };
        ProcessKept kept = { .keeper = &face };

        cr_assert(eq(int, process_kept_store(&kept, "flow/1", "listen", 3, 0), 0));
        cr_assert(eq(int, process_kept_take(&kept, "flow/1", "listen", 3), 0));
        process_kept_drop(&kept, "flow/1", "listen", 3);
        assert_calls(&keeper, "store flow/1/listen/3\ntake flow/1/listen/3\ndrop flow/1/listen/3\n");
        log_set_level(LOG_LEVEL_ERROR);
        keeper.answer = -EMFILE;
        cr_assert(eq(int, process_kept_store(&kept, "flow/1", "listen", 3, 0), -EMFILE));
        assert_calls(&keeper, "store flow/1/listen/3\n");
}

Test(process_kept, settles_only_what_was_dropped) {
        Keeper keeper = {};
        const ProcessKeeper face = { .ops = &keeper_ops, .userdata = &keeper };
        ProcessKept kept = { .keeper = &face };

        process_kept_settle(&kept);
        process_kept_settle(&kept);
        assert_calls(&keeper, "sync\n");
        process_kept_drop(&kept, "a", "b", 0);
        process_kept_settle(&kept);
        process_kept_settle(&kept);
        assert_calls(&keeper, "drop a/b/0\nsync\n");
}

Test(process_kept, accepts_without_a_keeper_that_can) {
        Keeper keeper = { .answer = -ENOSPC };
        const ProcessKeeper face = { .ops = &keeper_ops, .userdata = &keeper }, none = {};
        ProcessKept kept = { .keeper = &face }, alone = { .keeper = &none };
        int client, listening = listen_with_client(&client), fd;

        fd = process_kept_accept(&kept, "a", "c", 1, listening);
        cr_assert(ge(int, fd, 0));
        close(fd);
        assert_calls(&keeper, "accept a/c/1\nstore a/c/1\n");
        cr_assert(eq(int, process_kept_accept(&kept, "a", "c", 1, listening), -EAGAIN));
        assert_calls(&keeper, "");
        close(client);
        close(listening);

        listening = listen_with_client(&client);
        fd = process_kept_accept(&alone, "a", "c", 1, listening);
        cr_assert(ge(int, fd, 0));
        close(fd);
        cr_assert(eq(int, process_kept_take(&alone, "a", "c", 1), -ENOENT));
        cr_assert(eq(int, process_kept_store(&alone, "a", "c", 1, client), 0));
        close(client);
        close(listening);
}
