/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Core's end of the link to the keeper
 *
 * Packets are read into two lists, descriptors and exits, whenever anything is
 * read: also while core waits for room to send, since a keeper that cannot send
 * might not read either. Exits are passed to the manager in turns of the loop
 * only, some at a time, and are kept by the keeper until the state of that turn
 * is saved.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "core/core_keeper.h"
#include "keeper/keeper_link.h"
#include "keeper/keeper_protocol.h"

/* The keeper answers at once; this is for a machine that has no time for the keeper. */
#define PATIENCE (10 * USEC_PER_SEC)

/* Exits that are passed on in one turn, and packets that are read in one. */
#define EXITS_A_TURN 256U

typedef struct HeldFd {
        char *name;                     /* owned */
        int fd;                         /* owned */
} HeldFd;

struct CoreKeeper {
        int link;                       /* never closed: KEEPER_FD */
        pid_t pid;
        uint32_t flags;                 /* of WELCOME: KeeperFlags */
        bool has_all;                   /* all that was held at HELLO has come */
        usec_t limit;                   /* the keeper ends a core that does not answer for so long; 0: none */
        uint32_t serial;                /* of the last request … */
        uint32_t answered;              /* … and of the last one that was answered … */
        int answer;                     /* … with this result */
        int answer_fd;                  /* owned: that came with the answer; -1: none */

        VECTOR(HeldFd) held;            /* not taken yet */
        VECTOR(UnitExit) exits;         /* in the order of their sequence numbers */
        VECTOR(uint64_t) sequences;     /* of .exits */
        size_t n_told;                  /* of .exits */
        uint64_t told, taken;           /* sequence numbers */
        uint64_t expected;              /* the next one that comes; 0: not known */
        bool has_missed;                /* some did not come: the keeper had no room for them */

        Manager *manager;               /* borrowed */
        sd_event_source *link_source, *exit_source, *serve_source;
};

/* — what comes — */

static int take_descriptor(CoreKeeper *keeper, const KeeperMessage *message, int *fd) {
        HeldFd held = { .name = strdup(message->name), .fd = *fd };
        int r;

        if (*fd < 0) {
                free(held.name);
                return 0;
        }
        r = held.name ? vector_push(&keeper->held, held) : -ENOMEM;
        if (r < 0)
                free(held.name);
        else
                *fd = -1;
        return r;
}

static int take_exit(CoreKeeper *keeper, const KeeperMessage *message) {
        const UnitExit exit = {
                .pid = message->pid, .code = message->code, .status = message->status, .time = message->time };
        int r;

        keeper->has_missed |= keeper->expected > 0 && message->value > keeper->expected;
        keeper->expected = message->value + 1;
        r = vector_reserve(&keeper->sequences, 1);
        if (r == 0)
                r = vector_push(&keeper->exits, exit);
        if (r == 0)
                r = vector_push(&keeper->sequences, message->value);
        /* After any read: the link does not become readable for these packets again. */
        if (r == 0 && keeper->exit_source)
                r = sd_event_source_set_enabled(keeper->exit_source, SD_EVENT_ONESHOT);
        return r < 0 ? r : 0;
}

static int take_answer(CoreKeeper *keeper, const KeeperMessage *message, int *fd) {
        keeper->answered = message->serial;
        keeper->answer = message->error;
        if (keeper->answer_fd >= 0)
                close(keeper->answer_fd);
        keeper->answer_fd = *fd;
        *fd = -1;
        if (message->error < 0 && message->name[0] != '\0' && message->error != -ENOENT)
                log_warning("The keeper cannot hold '%s', which is lost with core: %s", message->name,
                            strerror(-message->error));
        return 0;
}

/* Also if the question came while core waited for something else: the answer says that the loop goes round. */
static int answer_in_loop(CoreKeeper *keeper) {
        int r = sd_event_source_set_enabled(keeper->serve_source, SD_EVENT_ONESHOT);

        return r < 0 ? r : 0;
}

static int take_message(CoreKeeper *keeper, const KeeperMessage *message, int *fd) {
        switch ((KeeperKind) message->kind) {
        case KEEPER_WELCOME:
                keeper->flags = message->flags;
                return 0;
        case KEEPER_DESCRIPTOR:
                return take_descriptor(keeper, message, fd);
        case KEEPER_ENDED:
                return take_exit(keeper, message);
        case KEEPER_ALL_SENT:
                keeper->has_all = true;
                keeper->expected = message->value; /* 0 from a keeper from before an upgrade */
                return 0;
        case KEEPER_ANSWER:
                return take_answer(keeper, message, fd);
        case KEEPER_ASKED:
                return keeper->serve_source ? answer_in_loop(keeper) : 0;
        case KEEPER_HELLO:
        case KEEPER_READY:
        case KEEPER_STORE:
        case KEEPER_ACCEPT:
        case KEEPER_DROP:
        case KEEPER_TAKEN:
        case KEEPER_REEXEC:
        case KEEPER_EXIT:
        case KEEPER_NOTIFY:
        case KEEPER_WATCH:
        case KEEPER_SERVES:
        case _KEEPER_KIND_MAX:
                break;
        }
        return 0;
}

/* Reads at most @budget packets that are there: 0, or an error that core cannot survive (-EPIPE, -ENOMEM). */
static int read_messages(CoreKeeper *keeper, unsigned budget) {
        for (unsigned i = 0; i < budget; i++) {
                KeeperMessage message;
                int r, fd = -1;

                r = keeper_link_receive(keeper->link, &message, &fd);
                if (r == -EAGAIN || r == -ENOBUFS)
                        return 0;
                if (r == -EBADMSG)
                        continue;
                if (r == 0)
                        r = take_message(keeper, &message, &fd);
                if (fd >= 0)
                        close(fd);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* — what goes — */

/* Until there is something to read or, if that is wanted, room to write. */
static int wait_for_link(const CoreKeeper *keeper, bool for_room, usec_t deadline) {
        struct pollfd link = { .fd = keeper->link, .events = (short) (POLLIN | (for_room ? POLLOUT : 0)) };
        usec_t now = clock_monotonic();

        if (now >= deadline)
                return -ETIMEDOUT;
        return poll(&link, 1, (int) ((deadline - now) / USEC_PER_MSEC) + 1) < 0 && errno != EINTR ? -errno : 0;
}

static int send_message(CoreKeeper *keeper, const KeeperMessage *message, int fd) {
        usec_t deadline = USEC_INFINITY;
        int r;

        while ((r = keeper_link_send(keeper->link, message, fd)) == -EAGAIN) {
                if (deadline == USEC_INFINITY)
                        deadline = clock_monotonic() + PATIENCE;
                r = wait_for_link(keeper, true, deadline);
                if (r == 0)
                        r = read_messages(keeper, EXITS_A_TURN);
                if (r < 0)
                        break;
        }
        return r;
}

/* A request that is answered at once; @fd is sent with it, -1: none. */
static int ask_with(CoreKeeper *keeper, KeeperMessage message, int fd) {
        usec_t deadline = clock_monotonic() + PATIENCE;
        int r;

        message.serial = ++keeper->serial;
        r = send_message(keeper, &message, fd);
        while (r == 0 && keeper->answered != message.serial) {
                r = wait_for_link(keeper, false, deadline);
                if (r == 0)
                        r = read_messages(keeper, EXITS_A_TURN);
        }
        return r < 0 ? r : keeper->answer;
}

static int ask(CoreKeeper *keeper, KeeperMessage message) {
        return ask_with(keeper, message, -1);
}

static int send_name(CoreKeeper *keeper, KeeperKind kind, const char *name, int fd) {
        KeeperMessage message = { .kind = kind, .serial = ++keeper->serial };

        if (strlen(name) >= sizeof(message.name))
                return -ENAMETOOLONG;
        strcpy(message.name, name);
        return send_message(keeper, &message, fd);
}

/* — what the manager asks — */

static int store_fd(void *userdata, const char *name, int fd) {
        return send_name(userdata, KEEPER_STORE, name, fd);
}

static int accept_fd(void *userdata, const char *name, int listening) {
        CoreKeeper *keeper = userdata;
        KeeperMessage message = { .kind = KEEPER_ACCEPT };
        int r, fd;

        if (!(keeper->flags & KEEPER_FLAG_ACCEPTS))
                return -EOPNOTSUPP;
        if (strlen(name) >= sizeof(message.name))
                return -ENAMETOOLONG;
        strcpy(message.name, name);
        /* Is there room for the descriptor of the answer? The keeper could not take it back. */
        fd = fcntl(listening, F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
                return -errno;
        close(fd);
        r = ask_with(keeper, message, listening);
        fd = keeper->answer_fd;
        keeper->answer_fd = -1;
        return r < 0 ? r : fd < 0 ? -ECONNABORTED : fd;
}

static int drop_fd(void *userdata, const char *name) {
        return send_name(userdata, KEEPER_DROP, name, -1);
}

static int take_fd(void *userdata, const char *name) {
        CoreKeeper *keeper = userdata;

        for (size_t i = 0; i < keeper->held.n; i++) {
                HeldFd found = keeper->held.items[i];

                if (strcmp(found.name, name) != 0)
                        continue;
                keeper->held.items[i] = vector_last(&keeper->held);
                keeper->held.n--;
                free(found.name);
                return found.fd;
        }
        return -ENOENT;
}

/* Answers come in order. */
static void sync_keeper(void *userdata) {
        CoreKeeper *keeper = userdata;

        (void) ask(keeper, (KeeperMessage) { .kind = KEEPER_TAKEN, .value = keeper->taken });
}

static bool find_exit(const CoreKeeper *keeper, pid_t pid) {
        for (size_t i = keeper->n_told; i < keeper->exits.n; i++)
                if (keeper->exits.items[i].pid == pid)
                        return true;
        return false;
}

/* The keeper may know an exit that came after all was sent: an answer comes behind it. */
static bool has_exit(void *userdata, pid_t pid) {
        CoreKeeper *keeper = userdata;

        return find_exit(keeper, pid) ||
               (ask(keeper, (KeeperMessage) { .kind = KEEPER_TAKEN, .value = keeper->taken }) == 0 &&
                find_exit(keeper, pid));
}

static void committed(void *userdata) {
        CoreKeeper *keeper = userdata;

        if (keeper->taken == keeper->told)
                return;
        /* Exits that cannot be acknowledged now are acknowledged with the next ones. */
        if (send_message(keeper, &(KeeperMessage) { .kind = KEEPER_TAKEN, .value = keeper->told }, -1) == 0)
                keeper->taken = keeper->told;
}

static void notify(void *userdata, const char *text) {
        KeeperMessage message = { .kind = KEEPER_NOTIFY };

        strncpy(message.name, text, sizeof(message.name) - 1);
        (void) send_message(userdata, &message, -1);
}

static const ProcessKeeperOps ops = {
        .store_fd = store_fd,
        .accept_fd = accept_fd,
        .drop_fd = drop_fd,
        .take_fd = take_fd,
        .sync = sync_keeper,
        .has_exit = has_exit,
        .committed = committed,
        .notify = notify,
};

ProcessKeeper core_keeper_for_manager(CoreKeeper *keeper) {
        if (!keeper)
                return (ProcessKeeper) {};
        return (ProcessKeeper) {
                .ops = &ops, .userdata = keeper, .pid = keeper->pid, .is_again = core_keeper_is_again(keeper) };
}

bool core_keeper_is_again(const CoreKeeper *keeper) {
        return keeper && (keeper->flags & KEEPER_FLAG_AGAIN);
}

bool core_keeper_has_fallen_back(const CoreKeeper *keeper) {
        return keeper && (keeper->flags & KEEPER_FLAG_FELL_BACK);
}

/* — in the loop — */

static void say_missed(void) {
        log_warning("More processes have ended than the keeper could record: how some ended is unknown.");
}

/* Processes whose exits did not come are gone. */
static void tell_missed(CoreKeeper *keeper) {
        if (!keeper->has_missed)
                return;
        keeper->has_missed = false;
        say_missed();
        if (manager_tell_lost_exits(keeper->manager) < 0)
                log_error("Out of memory: units do not know that some of their processes have ended.");
}

static int on_exits(sd_event_source *source, void *userdata) {
        CoreKeeper *keeper = userdata;
        size_t first = keeper->n_told, n = MIN(keeper->exits.n - first, (size_t) EXITS_A_TURN);

        if (n == 0)
                return 0;
        keeper->n_told += n;
        keeper->told = keeper->sequences.items[keeper->n_told - 1];
        manager_take_kept_exits(keeper->manager, keeper->exits.items + first, n);
        if (keeper->n_told < keeper->exits.n)
                return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
        vector_clear(&keeper->exits);
        vector_clear(&keeper->sequences);
        keeper->n_told = 0;
        tell_missed(keeper);
        return 0;
}

static int on_serves(sd_event_source *source, void *userdata) {
        (void) send_message(userdata, &(KeeperMessage) { .kind = KEEPER_SERVES }, -1);
        return 0;
}

static int on_link(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        CoreKeeper *keeper = userdata;
        int r;

        r = read_messages(keeper, EXITS_A_TURN);
        if (r < 0) {
                /* Without an orderly end, which would stop the services: the next keeper takes them as they are. */
                log_error("%s", r == -EPIPE ? "The keeper has died: core ends, too. Services go on."
                                            : "Out of memory for the messages of the keeper: starting again.");
                _exit(EXIT_FAILURE);
        }
        return 0;
}

int core_keeper_attach(CoreKeeper *keeper, Manager *manager) {
        sd_event *event = manager_event(manager);
        int r;

        if (!keeper)
                return 0;
        keeper->manager = manager;
        r = sd_event_add_defer(event, &keeper->exit_source, on_exits, keeper);
        if (r >= 0)
                r = sd_event_source_set_priority(keeper->exit_source, MANAGER_PRIORITY_CHILDREN);
        if (r >= 0)
                r = sd_event_add_defer(event, &keeper->serve_source, on_serves, keeper);
        if (r >= 0)
                r = sd_event_source_set_enabled(keeper->serve_source, SD_EVENT_OFF);
        if (r >= 0)
                r = sd_event_source_set_priority(keeper->serve_source, MANAGER_PRIORITY_CHILDREN);
        if (r >= 0)
                r = sd_event_add_io(event, &keeper->link_source, keeper->link, EPOLLIN, on_link, keeper);
        if (r >= 0)
                r = sd_event_source_set_priority(keeper->link_source, MANAGER_PRIORITY_CHILDREN);
        return r < 0 ? r : 0;
}

/* — life — */

static void log_welcome(const CoreKeeper *keeper) {
        if (keeper->flags & KEEPER_FLAG_FELL_BACK)
                log_error("The new image did not become ready: this is the one before it.");
        else if (keeper->flags & KEEPER_FLAG_CORE_DIED)
                log_warning("The previous core has died.");
        if (keeper->flags & KEEPER_FLAG_EXITS_LOST)
                say_missed();
}

static int say_hello(CoreKeeper *keeper) {
        usec_t deadline;
        int r;

        r = ask(keeper, (KeeperMessage) { .kind = KEEPER_HELLO, .value = KEEPER_VERSION });
        deadline = clock_monotonic() + PATIENCE;
        while (r == 0 && !keeper->has_all) {
                r = wait_for_link(keeper, false, deadline);
                if (r == 0)
                        r = read_messages(keeper, EXITS_A_TURN);
        }
        return r;
}

pid_t core_keeper_find(void) {
        const char *value = getenv(KEEPER_VARIABLE);

        return value ? (pid_t) atoi(value) : 0;
}

int core_keeper_new(CoreKeeper **ret_keeper, Failure *ret_failure) {
        cleanup_(core_keeper_freep) CoreKeeper *keeper = NULL;
        const pid_t pid = core_keeper_find();
        int r;

        assert(ret_keeper);

        *ret_keeper = NULL;
        if (pid == 0)
                return 0;
        keeper = calloc(1, sizeof(*keeper));
        if (!keeper)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "Out of memory.");
        keeper->link = KEEPER_FD;
        keeper->answer_fd = -1;
        keeper->pid = pid;

        /*
         * Even a core that hangs dies with its keeper: the next keeper needs the lock. The keeper may be gone already,
         * and this process have another parent.
         */
        if (prctl(PR_SET_PDEATHSIG, (unsigned long) SIGKILL) < 0 || getppid() != pid ||
            fcntl(KEEPER_FD, F_SETFD, FD_CLOEXEC) < 0)
                return failure_set(ret_failure, -EPIPE, "Failed", "The keeper has ended.");
        r = say_hello(keeper);
        if (r == -EPROTO)
                return failure_set(ret_failure, r, "Failed", "The running keeper has another version.");
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "The keeper does not answer: %s", strerror(-r));
        log_welcome(keeper);
        *ret_keeper = take_ptr(keeper);
        return 0;
}

CoreKeeper *core_keeper_free(CoreKeeper *keeper) {
        if (!keeper)
                return NULL;

        sd_event_source_disable_unref(keeper->link_source);
        sd_event_source_disable_unref(keeper->exit_source);
        sd_event_source_disable_unref(keeper->serve_source);
        for (size_t i = 0; i < keeper->held.n; i++) {
                close(keeper->held.items[i].fd);
                free(keeper->held.items[i].name);
        }
        if (keeper->answer_fd >= 0)
                close(keeper->answer_fd);
        vector_deinit(&keeper->held);
        vector_deinit(&keeper->exits);
        vector_deinit(&keeper->sequences);
        free(keeper);
        return NULL;
}

int core_keeper_ready(CoreKeeper *keeper) {
        if (!keeper)
                return 0;
        for (size_t i = 0; i < keeper->held.n; i++) {
                log_debug("No unit uses '%s' any more.", keeper->held.items[i].name);
                (void) drop_fd(keeper, keeper->held.items[i].name);
                close(keeper->held.items[i].fd);
                free(keeper->held.items[i].name);
        }
        vector_deinit(&keeper->held);
        keeper->flags |= KEEPER_FLAG_AGAIN;
        return send_message(keeper, &(KeeperMessage) { .kind = KEEPER_READY }, -1);
}

/* A keeper from before an upgrade may not be able to. */
static int send_limit(CoreKeeper *keeper) {
        if (!(keeper->flags & KEEPER_FLAG_WATCHES))
                return 0;
        return send_message(keeper, &(KeeperMessage) { .kind = KEEPER_WATCH, .value = keeper->limit }, -1);
}

int core_keeper_watch(CoreKeeper *keeper, usec_t limit) {
        if (!keeper)
                return 0;
        keeper->limit = limit == USEC_INFINITY ? 0 : limit;
        return send_limit(keeper);
}

void core_keeper_exit(CoreKeeper *keeper, int status) {
        if (keeper)
                (void) send_message(keeper, &(KeeperMessage) { .kind = KEEPER_EXIT, .status = status }, -1);
}

int core_keeper_reexec(CoreKeeper *keeper) {
        int r;

        if (!keeper)
                return 0;
        r = ask(keeper, (KeeperMessage) { .kind = KEEPER_REEXEC });
        if (r == 0 && fcntl(KEEPER_FD, F_SETFD, 0) < 0)
                r = -errno;
        return r;
}

void core_keeper_stay(CoreKeeper *keeper) {
        if (!keeper)
                return;
        (void) fcntl(KEEPER_FD, F_SETFD, FD_CLOEXEC);
        (void) send_message(keeper, &(KeeperMessage) { .kind = KEEPER_READY }, -1);
        (void) send_limit(keeper);
}
