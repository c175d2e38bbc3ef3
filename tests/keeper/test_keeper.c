/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keeper as a process, with a core that the test controls
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "fake_core.h"
#include "keeper/keeper_link.h"

/* A bound on hangs: every awaited event comes long before. */
#define PATIENCE_MSEC 300000

typedef struct World {
        char folder[32];
        char path[48];
        int listener;
        pid_t keeper;

        int core;                       /* for requests to core */
        int link;                       /* core's end of the keeper's socket */
        pid_t core_pid;
} World;

static void wait_readable(int fd) {
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

        cr_assert(poll(&poll_fd, 1, PATIENCE_MSEC) == 1, "nothing came");
}

/* The keeper's standard error (-1: that of the test), and its limit of descriptors (0: that of the test). */
static int keeper_errors = -1;
static rlim_t keeper_fds;

static void limit_keeper(void) {
        const struct rlimit limit = { keeper_fds, keeper_fds };

        if (keeper_errors >= 0 && dup2(keeper_errors, STDERR_FILENO) < 0)
                _exit(99);
        if (keeper_fds > 0 && setrlimit(RLIMIT_NOFILE, &limit) < 0)
                _exit(99);
}

static void world_start(World *world) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        *world = (World) { .folder = "/tmp/test-keeper-XXXXXX", .core = -1, .link = -1 };
        cr_assert(mkdtemp(world->folder) != NULL);
        snprintf(world->path, sizeof(world->path), "%s/core", world->folder);
        strcpy(address.sun_path, world->path);
        world->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        cr_assert(bind(world->listener, (struct sockaddr *) &address, sizeof(address)) == 0);
        cr_assert(listen(world->listener, 16) == 0);
        world->keeper = fork();
        if (world->keeper == 0) {
                setenv("JOBD_CORE", getenv("FAKE_CORE_PROGRAM"), 1);
                setenv("FAKE_CORE", world->path, 1);
                limit_keeper();
                execl(getenv("KEEPER_PROGRAM"), "jobd", "--an-argument", NULL);
                _exit(99);
        }
}

static void let_go_of_core(World *world) {
        if (world->core >= 0)
                close(world->core);
        if (world->link >= 0)
                close(world->link);
        world->core = world->link = -1;
}

static void world_stop(World *world) {
        let_go_of_core(world);
        close(world->listener);
        if (world->keeper > 0) {
                kill(world->keeper, SIGKILL);
                waitpid(world->keeper, NULL, 0);
        }
        unlink(world->path);
        rmdir(world->folder);
}

#define WORLD                                   \
        cleanup_(world_stop) World world;       \
        world_start(&world)

/* Accepts the next core of this keeper, and its link. */
static void meet_core(World *world) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(sizeof(int))];
        } control;
        FakeReply hello;
        struct iovec data = { .iov_base = &hello, .iov_len = sizeof(hello) };
        struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1,
                                 .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes) };

        let_go_of_core(world);
        wait_readable(world->listener);
        world->core = accept4(world->listener, NULL, NULL, SOCK_CLOEXEC);
        cr_assert(world->core >= 0);
        wait_readable(world->core);
        cr_assert(recvmsg(world->core, &packet, MSG_CMSG_CLOEXEC) == (ssize_t) sizeof(hello));
        memcpy(&world->link, CMSG_DATA(CMSG_FIRSTHDR(&packet)), sizeof(int));
        world->core_pid = hello.pid;
        cr_assert(eq(u64, hello.value, (uint64_t) world->keeper), "core must know whose descriptor it has");
}

static FakeReply order(World *world, FakeWhat what, uint64_t value) {
        FakeReply reply = {};

        cr_assert(send(world->core, &(FakeOrder) { what, value }, sizeof(FakeOrder), MSG_NOSIGNAL) > 0);
        if (what == FAKE_END || what == FAKE_EXECUTE || what == FAKE_LOOP)
                return reply;
        wait_readable(world->core);
        cr_assert(recv(world->core, &reply, sizeof(reply), 0) == sizeof(reply));
        return reply;
}

/* Core has ended on return; the keeper may not know that yet. */
static void kill_core(World *world) {
        int pidfd = (int) syscall(SYS_pidfd_open, world->core_pid, 0);

        cr_assert(pidfd >= 0);
        cr_assert(kill(world->core_pid, SIGKILL) == 0);
        wait_readable(pidfd);
        close(pidfd);
}

static void tell(World *world, KeeperMessage message, int fd) {
        cr_assert(eq(int, keeper_link_send(world->link, &message, fd), 0));
}

static KeeperMessage hear_with_fd(World *world, KeeperKind kind, int *ret_fd) {
        KeeperMessage message;

        wait_readable(world->link);
        cr_assert(eq(int, keeper_link_receive(world->link, &message, ret_fd), 0));
        cr_assert(eq(int, (int) message.kind, (int) kind));
        return message;
}

static KeeperMessage hear(World *world, KeeperKind kind) {
        int fd = -1;
        KeeperMessage message = hear_with_fd(world, kind, &fd);

        cr_assert(eq(int, fd, -1));
        return message;
}

static KeeperMessage say_hello(World *world) {
        KeeperMessage welcome;

        tell(world, (KeeperMessage) { .kind = KEEPER_HELLO, .value = KEEPER_VERSION }, -1);
        welcome = hear(world, KEEPER_WELCOME);
        cr_assert(eq(u32, welcome.flags & KEEPER_FLAG_ACCEPTS, KEEPER_FLAG_ACCEPTS));
        cr_assert(eq(u32, welcome.flags & KEEPER_FLAG_WATCHES, KEEPER_FLAG_WATCHES));
        welcome.flags &= ~(uint32_t) (KEEPER_FLAG_ACCEPTS | KEEPER_FLAG_WATCHES);       /* set in every WELCOME */
        return welcome;
}

/* Sends a request and waits for the answer: the keeper has carried it out by then. */
static int ask(World *world, KeeperMessage message, int fd) {
        KeeperMessage answer;

        message.serial = 17;
        tell(world, message, fd);
        answer = hear(world, KEEPER_ANSWER);
        cr_assert(eq(u32, answer.serial, 17));
        return answer.error;
}

static void get_ready(World *world) {
        meet_core(world);
        say_hello(world);
        hear(world, KEEPER_ALL_SENT);
        cr_assert(eq(int, ask(world, (KeeperMessage) { .kind = KEEPER_READY }, -1), 0));
}

static int keeper_status(World *world) {
        int status = 0;

        cr_assert(waitpid(world->keeper, &status, 0) == world->keeper);
        world->keeper = 0;
        cr_assert(status >= 0 && WIFEXITED(status));
        return WEXITSTATUS(status);
}

Test(keeper, first_core_is_welcomed_with_nothing) {
        WORLD;
        KeeperMessage welcome;

        meet_core(&world);
        welcome = say_hello(&world);
        cr_assert(eq(u64, welcome.value, 1));
        cr_assert(eq(u32, welcome.flags, 0));
        hear(&world, KEEPER_ALL_SENT);
}

Test(keeper, another_version_is_told_so) {
        WORLD;

        meet_core(&world);
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_HELLO, .value = 99 }, -1), -EPROTO));
}

Test(keeper, descriptors_outlive_core) {
        WORLD;
        KeeperMessage message = { .kind = KEEPER_STORE, .name = "a.service/out/0" };
        int ends[2], fd = -1;
        char c;

        get_ready(&world);
        cr_assert(pipe(ends) == 0);
        cr_assert(eq(int, ask(&world, message, ends[1]), 0));
        close(ends[1]);
        kill_core(&world);

        meet_core(&world);
        message = say_hello(&world);
        cr_assert(eq(u64, message.value, 2));
        cr_assert(eq(u32, message.flags, KEEPER_FLAG_CORE_DIED | KEEPER_FLAG_AGAIN));
        message = hear_with_fd(&world, KEEPER_DESCRIPTOR, &fd);
        assert_string(message.name, "a.service/out/0");
        cr_assert(write(fd, "x", 1) == 1);
        cr_assert(read(ends[0], &c, 1) == 1);
        hear(&world, KEEPER_ALL_SENT);

        close(fd);
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_DROP, .name = "a.service/out/0" }, -1), 0));
        cr_assert(read(ends[0], &c, 1) == 0, "the last copy is closed");
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_DROP, .name = "a.service/out/0" }, -1), -ENOENT));
        close(ends[0]);
}

Test(keeper, store_wants_a_descriptor_and_a_name) {
        WORLD;

        get_ready(&world);
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_STORE, .name = "a" }, -1), -EBADF));
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_STORE }, 0), -EINVAL));
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_ENDED }, -1), -EOPNOTSUPP));
}

/* — whether core serves — */

#define WATCH_LIMIT UINT64_C(200000)

static void get_watched(World *world) {
        get_ready(world);
        cr_assert(eq(int, ask(world, (KeeperMessage) { .kind = KEEPER_WATCH, .value = WATCH_LIMIT }, -1), 0));
}

Test(keeper, core_that_serves_when_it_is_asked_goes_on) {
        WORLD;
        pid_t pid;

        get_watched(&world);
        pid = world.core_pid;
        for (int i = 0; i < 5; i++) {
                hear(&world, KEEPER_ASKED);
                tell(&world, (KeeperMessage) { .kind = KEEPER_SERVES }, -1);
        }
        cr_assert(eq(int, order(&world, FAKE_SIGNALS, 0).pid, pid));
}

Test(keeper, core_that_does_not_answer_is_ended) {
        WORLD;
        KeeperMessage welcome;
        pid_t pid;

        get_watched(&world);
        pid = world.core_pid;
        hear(&world, KEEPER_ASKED);
        meet_core(&world);
        cr_assert(ne(int, world.core_pid, pid));
        welcome = say_hello(&world);
        cr_assert(eq(u32, welcome.flags, KEEPER_FLAG_CORE_DIED | KEEPER_FLAG_AGAIN));
}

Test(keeper, core_that_is_stopped_is_ended) {
        WORLD;
        pid_t pid;

        get_watched(&world);
        pid = world.core_pid;
        cr_assert(eq(int, kill(pid, SIGSTOP), 0));
        meet_core(&world);
        cr_assert(ne(int, world.core_pid, pid));
}

Test(keeper, core_that_loops_is_ended) {
        WORLD;
        pid_t pid;

        get_watched(&world);
        pid = world.core_pid;
        order(&world, FAKE_LOOP, 0);
        meet_core(&world);
        cr_assert(ne(int, world.core_pid, pid));
}

/* — what the keeper accepts — */

static int listen_somewhere(struct sockaddr_un *ret_address, socklen_t *ret_size, int flags) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

        *ret_address = (struct sockaddr_un) { .sun_family = AF_UNIX };
        *ret_size = sizeof(sa_family_t);        /* the kernel chooses a name */
        cr_assert(fd >= 0 && bind(fd, (struct sockaddr *) ret_address, *ret_size) == 0 && listen(fd, 4) == 0);
        *ret_size = sizeof(*ret_address);
        cr_assert(getsockname(fd, (struct sockaddr *) ret_address, ret_size) == 0);
        return fd;
}

static int knock(const struct sockaddr_un *address, socklen_t size, const char *word) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        cr_assert(fd >= 0 && connect(fd, (const struct sockaddr *) address, size) == 0);
        cr_assert(write(fd, word, 1) == 1);
        return fd;
}

static void expect_word(int fd, char word) {
        char c = 0;

        cr_assert(read(fd, &c, 1) == 1);
        cr_assert(eq(chr, c, word));
        close(fd);
}

Test(keeper, what_it_accepts_is_held_before_core_has_it) {
        WORLD;
        KeeperMessage message = { .kind = KEEPER_ACCEPT, .serial = 5, .name = "a.socket/connection/0" };
        struct sockaddr_un address;
        socklen_t size;
        int listening = listen_somewhere(&address, &size, SOCK_NONBLOCK), first, second, fd = -1;

        get_ready(&world);
        cr_assert(eq(int, ask(&world, message, listening), -EAGAIN));
        first = knock(&address, size, "1");
        second = knock(&address, size, "2");
        tell(&world, message, listening);
        cr_assert(eq(int, hear_with_fd(&world, KEEPER_ANSWER, &fd).error, 0));
        expect_word(fd, '1');

        /* The answer to the second request is not read any more. */
        strcpy(message.name, "a.socket/connection/1");
        tell(&world, message, listening);
        kill_core(&world);
        meet_core(&world);
        say_hello(&world);
        assert_string(hear_with_fd(&world, KEEPER_DESCRIPTOR, &fd).name, "a.socket/connection/0");
        cr_assert(eq(int, (int) recv(fd, &(char) { 0 }, 1, MSG_DONTWAIT), -1), "its word was read, and it is not at its end");
        close(fd);
        assert_string(hear_with_fd(&world, KEEPER_DESCRIPTOR, &fd).name, "a.socket/connection/1");
        expect_word(fd, '2');
        hear(&world, KEEPER_ALL_SENT);
        close(first);
        close(second);
        close(listening);
}

Test(keeper, accept_never_makes_it_wait) {
        WORLD;
        struct sockaddr_un address;
        socklen_t size;
        int listening = listen_somewhere(&address, &size, 0), ready = listen_somewhere(&address, &size, SOCK_NONBLOCK);

        get_ready(&world);
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_ACCEPT, .name = "a" }, listening), -EBADF));
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_ACCEPT, .name = "a" }, -1), -EBADF));
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_ACCEPT }, ready), -EINVAL));
        close(listening);
        close(ready);
}

Test(keeper, exit_of_an_orphan_is_told_until_it_is_taken) {
        WORLD;
        KeeperMessage ended;
        pid_t child;

        get_ready(&world);
        child = order(&world, FAKE_FORK, 0).pid;
        kill_core(&world);

        meet_core(&world);
        cr_assert(kill(child, SIGTERM) == 0);
        say_hello(&world);
        /* The exit may come before or after the list. */
        for (KeeperMessage message = {}; message.kind != KEEPER_ENDED; ended = message) {
                int fd = -1;

                wait_readable(world.link);
                cr_assert(eq(int, keeper_link_receive(world.link, &message, &fd), 0));
                cr_assert(message.kind == KEEPER_ENDED || message.kind == KEEPER_ALL_SENT);
        }
        cr_assert(eq(int, ended.pid, child));
        cr_assert(eq(int, ended.code, CLD_KILLED));
        cr_assert(eq(int, ended.status, SIGTERM));
        cr_assert(ended.time > 0);
        kill_core(&world);

        meet_core(&world);
        say_hello(&world);
        cr_assert(eq(u64, hear(&world, KEEPER_ENDED).value, ended.value), "it was not taken");
        hear(&world, KEEPER_ALL_SENT);
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_TAKEN, .value = ended.value }, -1), 0));
        kill_core(&world);

        meet_core(&world);
        say_hello(&world);
        hear(&world, KEEPER_ALL_SENT);
}

/* More than a socket holds: the keeper must continue where core has read, and reap meanwhile. */
Test(keeper, core_that_reads_slowly_misses_nothing) {
        enum { N = 2000 };
        WORLD;
        uint64_t sequence = 0;

        get_ready(&world);
        for (int i = 0; i < N / 100; i++)
                order(&world, FAKE_ORPHANS, 100);
        for (int i = 0; i < N; i++) {
                KeeperMessage ended = hear(&world, KEEPER_ENDED);

                cr_assert(eq(u64, ended.value, sequence + 1));
                cr_assert(eq(int, ended.status, 7));
                sequence = ended.value;
        }
}

Test(keeper, core_names_the_status_that_the_keeper_ends_with) {
        WORLD;

        get_ready(&world);
        tell(&world, (KeeperMessage) { .kind = KEEPER_EXIT, .status = 42 }, -1);
        order(&world, FAKE_END, 3);
        let_go_of_core(&world);
        cr_assert(eq(int, keeper_status(&world), 42));
}

/* The last messages of core follow exits and an answer that core has not read. */
Test(keeper, last_words_are_heard) {
        WORLD;

        get_ready(&world);
        for (int i = 0; i < 10; i++)
                order(&world, FAKE_ORPHANS, 100);
        for (uint32_t i = 0; i < 5; i++)
                tell(&world, (KeeperMessage) { .kind = KEEPER_TAKEN, .serial = i + 1 }, -1);
        tell(&world, (KeeperMessage) { .kind = KEEPER_EXIT, .status = 5 }, -1);
        kill_core(&world);
        let_go_of_core(&world);
        cr_assert(eq(int, keeper_status(&world), 5));
}

Test(keeper, core_that_never_gets_ready_is_given_up) {
        WORLD;

        for (int i = 0; i < 5; i++) {
                meet_core(&world);
                order(&world, FAKE_END, 9);
        }
        let_go_of_core(&world);
        cr_assert(eq(int, keeper_status(&world), 9));
}

Test(keeper, working_core_may_die_as_often_as_it_likes) {
        WORLD;

        for (uint64_t i = 1; i <= 20; i++) {
                meet_core(&world);
                cr_assert(eq(u64, say_hello(&world).value, i));
                hear(&world, KEEPER_ALL_SENT);
                cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_READY }, -1), 0));
                kill_core(&world);
        }
        meet_core(&world);
}

Test(keeper, core_executes_itself_and_stays_the_same_process) {
        WORLD;
        KeeperMessage welcome;
        pid_t before;

        get_ready(&world);
        before = world.core_pid;
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_REEXEC }, -1), 0));
        order(&world, FAKE_EXECUTE, 0);
        meet_core(&world);
        cr_assert(eq(int, world.core_pid, before));
        welcome = say_hello(&world);
        cr_assert(eq(u64, welcome.value, 1));
        cr_assert(eq(u32, welcome.flags, KEEPER_FLAG_AGAIN));
        hear(&world, KEEPER_ALL_SENT);
}

/* Makes a working core execute a program that never becomes ready. */
static void execute_in_vain(World *world) {
        get_ready(world);
        cr_assert(eq(int, ask(world, (KeeperMessage) { .kind = KEEPER_REEXEC }, -1), 0));
        order(world, FAKE_EXECUTE, 0);
        meet_core(world);
}

Test(keeper, image_that_does_not_get_ready_is_replaced) {
        WORLD;

        execute_in_vain(&world);
        kill_core(&world);
        meet_core(&world);
        cr_assert(eq(u32, say_hello(&world).flags, KEEPER_FLAG_CORE_DIED | KEEPER_FLAG_AGAIN | KEEPER_FLAG_FELL_BACK));
}

Test(keeper, image_that_does_not_get_ready_in_time_is_replaced) {
        WORLD;
        int core, link;

        execute_in_vain(&world);
        core = world.core;
        link = world.link;
        world.core = world.link = -1;           /* core would exit if they were closed */
        meet_core(&world);                      /* ten seconds later */
        cr_assert(eq(u32, say_hello(&world).flags, KEEPER_FLAG_CORE_DIED | KEEPER_FLAG_AGAIN | KEEPER_FLAG_FELL_BACK));
        close(core);
        close(link);
}

Test(keeper, no_signal_ends_it) {
        WORLD;
        uint64_t wanted = 0, got;

        get_ready(&world);
        for (int signal = 1; signal <= 64; signal++)
                if (signal != SIGKILL && signal != SIGSTOP)
                        cr_assert(kill(world.keeper, signal) == 0);
        for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
                wanted |= UINT64_C(1) << (signal - 1);
        wanted |= UINT64_C(1) << (SIGHUP - 1) | UINT64_C(1) << (SIGINT - 1) | UINT64_C(1) << (SIGTERM - 1) |
                  UINT64_C(1) << (SIGUSR1 - 1) | UINT64_C(1) << (SIGUSR2 - 1) | UINT64_C(1) << (SIGPWR - 1) |
                  UINT64_C(1) << (SIGWINCH - 1);
        /* Signals of one priority are read lowest first: when the last has arrived, all have. */
        do {
                cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_TAKEN }, -1), 0));
                got = order(&world, FAKE_SIGNALS, 0).value;
        } while ((got & wanted) != wanted);
        cr_assert(eq(u64, got, wanted), "others are the keeper's own");
}

Test(keeper, signal_waits_for_the_next_core) {
        WORLD;

        get_ready(&world);
        cr_assert(kill(world.keeper, SIGSTOP) == 0);
        kill_core(&world);
        cr_assert(kill(world.keeper, SIGTERM) == 0);
        cr_assert(kill(world.keeper, SIGCONT) == 0);
        meet_core(&world);
        /* The keeper has read its signals between the two. */
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_TAKEN }, -1), 0));
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_TAKEN }, -1), 0));
        cr_assert(eq(u64, order(&world, FAKE_SIGNALS, 0).value, UINT64_C(1) << (SIGTERM - 1)));
}

Test(keeper, garbage_is_survived) {
        WORLD;

        get_ready(&world);
        for (unsigned i = 0; i < 1000; i++) {
                char bytes[sizeof(KeeperMessage) + 1];
                size_t n = i % (sizeof(bytes) + 1);

                for (size_t k = 0; k < sizeof(bytes); k++)
                        bytes[k] = (char) (i * 31 + k * 7 + 128);
                if (n == 0)
                        continue;
                while (send(world.link, bytes, n, MSG_NOSIGNAL) < 0)
                        cr_assert(eq(int, errno, EAGAIN));
        }
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_TAKEN }, -1), 0));
}

Test(keeper, core_without_its_link_is_replaced) {
        WORLD;
        pid_t before;

        get_ready(&world);
        before = world.core_pid;
        cr_assert(shutdown(world.link, SHUT_RDWR) == 0);
        meet_core(&world);
        cr_assert(ne(int, world.core_pid, before));
}

/* Some processes end while others are reaped. */
Test(keeper, no_orphan_is_overlooked) {
        WORLD;
        uint64_t sequence = 0;

        get_ready(&world);
        for (unsigned i = 0; i < 1000; i++) {
                order(&world, FAKE_ORPHANS, 3);
                for (unsigned k = 0; k < 3; k++)
                        cr_assert(eq(u64, hear(&world, KEEPER_ENDED).value, ++sequence));
        }
}

Test(keeper, nobody_has_to_read_its_log) {
        static const char garbage[] = "garbage";
        int ends[2];
        char page[4096] = {};

        cr_assert(pipe2(ends, O_CLOEXEC) == 0);
        cr_assert(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
        while (write(ends[1], page, sizeof(page)) > 0)
                ;
        cr_assert(fcntl(ends[1], F_SETFL, 0) == 0);
        keeper_errors = ends[1];
        WORLD;

        get_ready(&world);
        cr_assert(send(world.link, garbage, sizeof(garbage), MSG_NOSIGNAL) > 0);
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_TAKEN }, -1), 0));
}

static unsigned count_fds(pid_t pid) {
        char path[32];
        unsigned n = 0;
        DIR *folder;

        snprintf(path, sizeof(path), "/proc/%d/fd", (int) pid);
        folder = opendir(path);
        cr_assert(folder != NULL);
        while (readdir(folder))
                n++;
        closedir(folder);
        return n;
}

static void send_two_fds(World *world) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(2 * sizeof(int))];
        } control = {};
        KeeperMessage message = { .kind = KEEPER_STORE, .serial = 3, .name = "two" };
        struct iovec data = { .iov_base = &message, .iov_len = sizeof(message) };
        struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1,
                                 .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes) };

        *CMSG_FIRSTHDR(&packet) = (struct cmsghdr) {
                .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(2 * sizeof(int)) };
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&packet)), (int[]) { STDIN_FILENO, STDOUT_FILENO }, 2 * sizeof(int));
        cr_assert(sendmsg(world->link, &packet, MSG_NOSIGNAL) > 0);
}

Test(keeper, two_descriptors_at_once_are_none) {
        WORLD;
        unsigned before;

        get_ready(&world);
        before = count_fds(world.keeper);
        for (unsigned i = 0; i < 10; i++) {
                send_two_fds(&world);
                cr_assert(eq(int, hear(&world, KEEPER_ANSWER).error, -EBADF));
        }
        cr_assert(eq(uint, count_fds(world.keeper), before));
}

/* Only core could make the keeper close some. */
Test(keeper, full_of_descriptors_it_can_still_start_core) {
        struct sockaddr_un address;
        socklen_t size;
        int listening = listen_somewhere(&address, &size, SOCK_NONBLOCK), client = knock(&address, size, "x");
        unsigned n = 0;
        int r = 0;

        keeper_fds = 64;
        WORLD;

        get_ready(&world);
        for (; r == 0; n++) {
                KeeperMessage message = { .kind = KEEPER_STORE };

                snprintf(message.name, sizeof(message.name), "%u", n);
                r = ask(&world, message, STDIN_FILENO);
        }
        cr_assert(eq(int, r, -EMFILE));
        cr_assert(lt(uint, 32, n));
        cr_assert(eq(int, ask(&world, (KeeperMessage) { .kind = KEEPER_ACCEPT, .name = "more" }, listening), -EMFILE));
        expect_word(accept4(listening, NULL, NULL, SOCK_CLOEXEC), 'x');
        close(client);
        close(listening);
        kill_core(&world);

        meet_core(&world);
        say_hello(&world);
        for (unsigned i = 1; i < n; i++) {
                int fd = -1;

                hear_with_fd(&world, KEEPER_DESCRIPTOR, &fd);
                close(fd);
        }
        hear(&world, KEEPER_ALL_SENT);
}
