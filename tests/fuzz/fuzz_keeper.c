/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Packets to the keeper
 *
 * An input is a list of what core, its children and the kernel do: packets of any bytes or of a kind, with descriptors,
 * ends of children, a core that ends and another that says hello. The keeper is compared with a model of what it holds:
 * each request with a serial has one answer, in order and with the right error; a new core is told every descriptor that
 * is held and every exit that was not acknowledged; no descriptor is left open.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/macro.h"
#include "fuzz.h"
#include "keeper/keeper.h"
#include "keeper/keeper_link.h"

#define STEPS_MAX 64U
#define NAMES_MAX 80U
#define FDS_MAX 512
#define FIRST_PID 1000
#define ANY_ERROR 1

/* The real one writes. */
void keeper_log(const char *format, ...) {
}

typedef struct Answer {
        uint32_t serial;
        int error;                      /* ANY_ERROR: it is not known here */
        char name[KEEPER_NAME_BYTES];
} Answer;

typedef struct Model {
        int link;                       /* core's end */
        int listening;                  /* a socket that connections can be accepted of */
        struct sockaddr_un address;
        socklen_t size;                 /* of .address */
        int clients[STEPS_MAX];
        unsigned n_clients, n_accepted;

        char names[NAMES_MAX][KEEPER_NAME_BYTES];       /* "": free */
        Answer answers[STEPS_MAX * 2];  /* that are to come */
        size_t n_answers, n_answered;
        /* Sequence numbers: the last one, and the last one that core has acknowledged, perhaps before there was one. */
        uint64_t exits, taken;
        uint64_t seen;                  /* the last one that core has been told since its hello */
        char told[NAMES_MAX][KEEPER_NAME_BYTES];        /* descriptors since then */
        size_t n_told;
        unsigned n_welcomes, n_ends;
        uint64_t now;
} Model;

static Keeper keeper;
static Model model;

/* — what is held — */

static char *find_name(const char *name) {
        for (size_t i = 0; i < NAMES_MAX; i++)
                if (strcmp(model.names[i], name) == 0)
                        return model.names[i];
        return NULL;
}

static int expect_store(const char *name) {
        char *slot = find_name(name);

        if (name[0] == '\0')
                return -EINVAL;
        if (!slot)
                slot = find_name("");
        fuzz_check(slot != NULL);
        strcpy(slot, name);
        return 0;
}

static int expect_drop(const char *name) {
        char *slot = name[0] ? find_name(name) : NULL;

        if (!slot)
                return -ENOENT;
        slot[0] = '\0';
        return 0;
}

static int expect_accept(const KeeperMessage *message, int fd) {
        if (fd != model.listening)
                return -EBADF;
        if (message->name[0] == '\0')
                return -EINVAL;
        if (model.n_accepted == model.n_clients)
                return -EAGAIN;
        model.n_accepted++;
        return expect_store(message->name);
}

static int expect(const KeeperMessage *message, int fd) {
        switch ((KeeperKind) message->kind) {
        case KEEPER_HELLO:
                return message->value == KEEPER_VERSION ? 0 : -EPROTO;
        case KEEPER_STORE:
                return fd < 0 ? -EBADF : expect_store(message->name);
        case KEEPER_DROP:
                return expect_drop(message->name);
        case KEEPER_ACCEPT:
                return expect_accept(message, fd);
        case KEEPER_TAKEN:
                model.taken = MAX(model.taken, message->value);
                return 0;
        case KEEPER_EXIT:
                return keeper.is_machine ? -EPERM : 0;
        case KEEPER_NOTIFY:
                return keeper.parent.size > 0 ? ANY_ERROR : 0;
        case KEEPER_READY:
        case KEEPER_REEXEC:
        case KEEPER_WATCH:
        case KEEPER_SERVES:
                return 0;
        case KEEPER_WELCOME:
        case KEEPER_DESCRIPTOR:
        case KEEPER_ENDED:
        case KEEPER_ALL_SENT:
        case KEEPER_ANSWER:
        case KEEPER_ASKED:
        case _KEEPER_KIND_MAX:
                break;
        }
        return -EOPNOTSUPP;
}

/* — core reads — */

static void take_answer(const KeeperMessage *message) {
        const Answer *answer = &model.answers[model.n_answered];

        fuzz_check(model.n_answered < model.n_answers);
        fuzz_check(message->serial == answer->serial);
        fuzz_check(answer->error == ANY_ERROR || message->error == answer->error);
        fuzz_check_string(message->name, answer->name);
        model.n_answered++;
}

static void take_message(const KeeperMessage *message, int fd) {
        switch ((KeeperKind) message->kind) {
        case KEEPER_ANSWER:
                take_answer(message);
                return;
        case KEEPER_WELCOME:
                model.n_welcomes++;
                model.seen = model.n_told = 0;
                return;
        case KEEPER_DESCRIPTOR:
                fuzz_check(fd >= 0 && model.n_told < NAMES_MAX && message->name[0] != '\0');
                strcpy(model.told[model.n_told++], message->name);
                return;
        case KEEPER_ENDED:
                fuzz_check(message->value > model.seen && message->value <= model.exits);
                fuzz_check(message->pid == (int32_t) (FIRST_PID + message->value));
                model.seen = message->value;
                return;
        case KEEPER_ALL_SENT:
                model.n_ends++;
                return;
        case KEEPER_HELLO:
        case KEEPER_READY:
        case KEEPER_STORE:
        case KEEPER_DROP:
        case KEEPER_TAKEN:
        case KEEPER_REEXEC:
        case KEEPER_EXIT:
        case KEEPER_NOTIFY:
        case KEEPER_ACCEPT:
        case KEEPER_WATCH:
        case KEEPER_ASKED:              /* by keeper_tend_core(), which is not called: it would end this process */
        case KEEPER_SERVES:
        case _KEEPER_KIND_MAX:
                break;
        }
        fuzz_found("the keeper sends its own kinds of messages", __FILE__, __LINE__);
}

static bool read_one(void) {
        KeeperMessage message;
        int fd = -1;

        if (keeper_link_receive(model.link, &message, &fd) != 0)
                return false;
        take_message(&message, fd);
        if (fd >= 0)
                close(fd);
        return true;
}

/* Turns of both until neither has anything to say. */
static void settle(void) {
        bool is_busy;

        do {
                keeper_read_requests(&keeper, model.now);
                keeper_send(&keeper, model.now);
                is_busy = false;
                while (read_one())
                        is_busy = true;
        } while (is_busy);
        fuzz_check(model.n_answered == model.n_answers);
        fuzz_check(!keeper_has_to_send(&keeper));
        if (keeper.stage == KEEPER_GOES_ALONG)
                fuzz_check(model.seen >= model.exits || model.taken >= model.exits);
}

/* — core writes — */

static void send_bytes(const void *bytes, size_t n, const int *fds, size_t n_fds) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(2 * sizeof(int))];
        } control = {};
        struct iovec data = { .iov_base = (void *) bytes, .iov_len = n };
        struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1 };
        KeeperMessage message;

        if (n_fds > 0) {
                packet.msg_control = &control;
                packet.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
                *CMSG_FIRSTHDR(&packet) = (struct cmsghdr) {
                        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(n_fds * sizeof(int)) };
                memcpy(CMSG_DATA(CMSG_FIRSTHDR(&packet)), fds, n_fds * sizeof(int));
        }
        if (sendmsg(model.link, &packet, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 || n != sizeof(message))
                return;
        memcpy(&message, bytes, n);
        if (message.kind == 0 || message.kind >= _KEEPER_KIND_MAX || !memchr(message.name, '\0', sizeof(message.name)))
                return;
        Answer answer = { .serial = message.serial, .error = expect(&message, n_fds == 1 ? fds[0] : -1) };

        if (message.kind != KEEPER_ACCEPT)
                strcpy(answer.name, message.name);
        if (message.serial != 0)
                model.answers[model.n_answers++] = answer;
}

static void fill_name(FuzzInput *input, KeeperMessage *message) {
        unsigned choice = fuzz_choose(input, 12);
        cleanup_free_ char *name = NULL;

        if (choice < 8) {
                snprintf(message->name, sizeof(message->name), "unit/%u", choice);
                return;
        }
        name = fuzz_string(input);
        memcpy(message->name, name, MIN(strlen(name), sizeof(message->name)));
}

static void send_request(FuzzInput *input) {
        KeeperMessage message = { .kind = fuzz_choose(input, _KEEPER_KIND_MAX + 1), .serial = fuzz_byte(input) };
        unsigned fds = fuzz_choose(input, 4);

        /* Core acknowledges what it was told; another number may be anything. */
        message.value = fuzz_byte(input);
        if (message.kind == KEEPER_HELLO || message.kind == KEEPER_TAKEN)
                message.value = message.value & 0x80 ? message.value : message.kind == KEEPER_HELLO ? KEEPER_VERSION : model.seen;
        message.status = fuzz_byte(input);
        fill_name(input, &message);
        send_bytes(&message, sizeof(message), (int[]) { fds == 1 ? model.listening : 0, 1 }, fds == 3 ? 2 : fds > 0);
}

static void send_anything(FuzzInput *input) {
        size_t n = fuzz_choose(input, 255);
        uint8_t bytes[256] = {};

        for (size_t i = 0; i < n; i++)
                bytes[i] = fuzz_byte(input);
        send_bytes(bytes, fuzz_byte(input) & 1 ? sizeof(KeeperMessage) : MAX(n, (size_t) 1), (int[]) { 0 }, n & 1);
}

/* — others — */

static void end_child(void) {
        exit_ring_add(&keeper.exits, &(ExitRecord) { .pid = (pid_t) (FIRST_PID + ++model.exits), .time = model.now });
}

/* What the keeper was asked before finds no connection. */
static void connect_client(void) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

        settle();
        if (fd < 0 || connect(fd, (struct sockaddr *) &model.address, model.size) < 0) {
                close(fd);
                return;
        }
        model.clients[model.n_clients++] = fd;
}

static void connect_core(void) {
        int ends[2];

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
                exit(77);
        keeper.link = ends[0];
        model.link = ends[1];
        model.n_answers = model.n_answered = 0;
        model.seen = 0;
}

/* What core has written is read, also after its end; nothing is answered. */
static void replace_core(void) {
        close(model.link);
        keeper_read_last_words(&keeper, model.now);
        fuzz_check(!keeper_has_to_send(&keeper));
        keeper_close_link(&keeper);
        connect_core();
}

/* A core that says hello is told all that is held. */
static void say_hello(void) {
        const KeeperMessage message = { .kind = KEEPER_HELLO, .value = KEEPER_VERSION, .serial = 7 };
        size_t n = 0;

        settle();
        model.n_welcomes = model.n_ends = 0;
        send_bytes(&message, sizeof(message), NULL, 0);
        settle();
        fuzz_check(model.n_welcomes == 1 && model.n_ends == 1);
        for (size_t i = 0; i < NAMES_MAX; i++)
                n += model.names[i][0] != '\0';
        fuzz_check(model.n_told == n);
        for (size_t i = 0; i < n; i++)
                fuzz_check(find_name(model.told[i]));
}

static void take_step(FuzzInput *input) {
        model.now++;
        switch (fuzz_choose(input, 8)) {
        case 0:
                send_anything(input);
                return;
        case 1:
                end_child();
                return;
        case 2:
                keeper_read_requests(&keeper, model.now);
                return;
        case 3:
                settle();
                return;
        case 4:
                replace_core();
                return;
        case 5:
                say_hello();
                return;
        case 6:
                connect_client();
                return;
        default:
                send_request(input);
        }
}

static int count_fds(void) {
        int n = 0;

        for (int fd = 0; fd < FDS_MAX; fd++)
                n += fcntl(fd, F_GETFD) >= 0;
        return n;
}

static void begin(FuzzInput *input) {
        unsigned flags = fuzz_byte(input);

        memset(&keeper, 0, offsetof(Keeper, exits));
        memset(&model, 0, sizeof(model));
        keeper.fds.n = 0;
        exit_ring_init(&keeper.exits);
        keeper.core = getpid();
        keeper.image = keeper.answer_fd = -1;
        keeper.fds_below = FDS_MAX;
        keeper.ready_by = keeper.start_at = KEEPER_NEVER;
        keeper.is_machine = flags & 1;
        keeper_parent_init(&keeper.parent, flags & 2 ? "@jobd-fuzz-nobody" : NULL);

        model.listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        model.address.sun_family = AF_UNIX;
        model.size = sizeof(model.address);
        if (model.listening < 0 ||
            bind(model.listening, (struct sockaddr *) &model.address, sizeof(sa_family_t)) < 0 ||
            listen(model.listening, (int) STEPS_MAX) < 0 ||
            getsockname(model.listening, (struct sockaddr *) &model.address, &model.size) < 0)
                exit(77);
        connect_core();
}

static void end(void) {
        close(model.link);
        keeper_read_last_words(&keeper, model.now);
        keeper_close_link(&keeper);
        for (size_t i = 0; i < NAMES_MAX; i++)
                if (model.names[i][0] != '\0')
                        fuzz_check(fd_store_drop(&keeper.fds, model.names[i]) == 0);
        fuzz_check(keeper.fds.n == 0);
        for (size_t i = 0; i < model.n_clients; i++)
                close(model.clients[i]);
        close(model.listening);
        if (keeper.image >= 0)
                close(keeper.image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        FuzzInput input = { bytes, bytes + n };
        int n_fds = count_fds();

        begin(&input);
        for (unsigned i = 0; i < STEPS_MAX && input.at < input.end; i++)
                take_step(&input);
        settle();
        end();
        fuzz_check(count_fds() == n_fds);
        return 0;
}
