/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets over the socket between keeper and core
 */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "keeper/keeper_link.h"

/* Aligned for the kernel. The union has room for two descriptors, so the kernel must be told to pass only one. */
typedef union Control {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
} Control;

static int map_error(int error) {
        switch (error) {
        case EAGAIN:
                return -EAGAIN;
        case ENOMEM:
        case ENOBUFS:
        case ETOOMANYREFS:
                return -ENOBUFS;
        default:
                return -EPIPE;
        }
}

int keeper_link_send(int link, const KeeperMessage *message, int fd) {
        struct iovec data = { .iov_base = (void *) message, .iov_len = sizeof(*message) };
        struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1 };
        Control control = {};
        ssize_t n;

        if (fd >= 0) {
                packet.msg_control = control.bytes;
                packet.msg_controllen = sizeof(control.bytes);
                *CMSG_FIRSTHDR(&packet) = (struct cmsghdr) {
                        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
                memcpy(CMSG_DATA(CMSG_FIRSTHDR(&packet)), &fd, sizeof(fd));
        }
        do
                n = sendmsg(link, &packet, MSG_DONTWAIT | MSG_NOSIGNAL);
        while (n < 0 && errno == EINTR);
        return n < 0 ? map_error(errno) : 0;
}

static int descriptor_in(struct msghdr *packet) {
        int fd = -1;

        for (struct cmsghdr *header = CMSG_FIRSTHDR(packet); header; header = CMSG_NXTHDR(packet, header))
                if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
                    header->cmsg_len == CMSG_LEN(sizeof(int)))
                        memcpy(&fd, CMSG_DATA(header), sizeof(fd));
        return fd;
}

int keeper_link_receive(int link, KeeperMessage *ret_message, int *ret_fd) {
        struct iovec data = { .iov_base = ret_message, .iov_len = sizeof(*ret_message) };
        Control control = {};
        struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1,
                                 .msg_control = control.bytes, .msg_controllen = CMSG_LEN(sizeof(int)) };
        bool is_valid;
        ssize_t n;

        /* A peer that ended with unread packets causes ECONNRESET before its own last packets can be read. */
        do
                n = recvmsg(link, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        while (n < 0 && (errno == EINTR || errno == ECONNRESET));
        if (n <= 0)
                return n == 0 ? -EPIPE : map_error(errno);
        *ret_fd = descriptor_in(&packet);
        is_valid = n == sizeof(*ret_message) && !(packet.msg_flags & MSG_TRUNC) && ret_message->kind > 0 &&
                   ret_message->kind < _KEEPER_KIND_MAX && memchr(ret_message->name, '\0', sizeof(ret_message->name));
        if (*ret_fd >= 0 && (!is_valid || packet.msg_flags & MSG_CTRUNC)) {
                close(*ret_fd);
                *ret_fd = -1;
        }
        return is_valid ? 0 : -EBADMSG;
}
