/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Socket]: addresses, what refuses it, and what comes with it
 */

#include <string.h>

#include "basic/macro.h"
#include "file_world.h"
#include "unitfile/socket_address.h"
#include "unitfile/socket_settings.h"

Test(socket_file, addresses_and_how_they_are_printed) {
        static const struct {
                const char *text, *printed;
        } cases[] = {
                { "80", "[::]:80" },
                { "127.0.0.1:80", "127.0.0.1:80" },
                { "[::1]:8080", "[::1]:8080" },
                { "[::ffff:10.0.0.1]:8080", "10.0.0.1:8080" },
                { "[fe80::1]:80%1", "[fe80::1]:80" },
                { "/run/x", "/run/x" },
                { "@x", "@x" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                char text[SOCKET_ADDRESS_TEXT_MAX];
                SocketAddress address;

                cr_assert(socket_address_parse(cases[i].text, &address) == 0, "%s", cases[i].text);
                assert_string(socket_address_format(&address, text), cases[i].printed);
        }
}

Test(socket_file, what_is_no_address) {
        static const char *const cases[] = {
                "", "0", "65536", "x", "-1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.256:1", "localhost:80", "::1:80",
                "[::1]", "[::1:80", "[::1]80", "[x]:80", "[::1]:80%", "[::1]:80%no-such-interface", "/", "@", "run/x", ":80",
        };
        char path[256];
        SocketAddress address;

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                cr_expect(socket_address_parse(cases[i], &address) < 0, "%s", cases[i]);
        memset(path, 'x', sizeof(path));
        path[0] = '/';
        path[108] = '\0';
        cr_assert(eq(int, socket_address_parse(path, &address), -ENAMETOOLONG));
        path[107] = '\0';
        cr_assert(eq(int, socket_address_parse(path, &address), 0));
        path[0] = '@';
        path[107] = 'x';
        cr_assert(eq(int, socket_address_parse(path, &address), 0));
}

Test(socket_file, port_alone_is_ipv4_where_there_is_no_ipv6) {
        char text[SOCKET_ADDRESS_TEXT_MAX];
        SocketAddress address;

        cr_assert(eq(int, socket_address_parse("80", &address), 0));
        cr_assert(socket_address_make_ipv4(&address));
        assert_string(socket_address_format(&address, text), "0.0.0.0:80");
        cr_assert(eq(int, socket_address_parse("[::1]:80", &address), 0));
        cr_assert(eq(int, socket_address_make_ipv4(&address), false));
}

/* What a line of it does: the unit's load state, and what is said. */
static const struct {
        const char *lines, *said;
} refused[] = {
        { "Accept=no", "The socket has neither ListenStream= nor another Listen" },
        { "ListenStream=localhost:80", "'localhost:80' is not an address" },
        { "ListenStream=vsock:2:80", "addresses of virtual machines (vsock) are not supported" },
        { "ListenSequentialPacket=80", "with a path or an abstract name only" },
        { "ListenUSBFunction=/x", "jobd does not support this kind of socket" },
        { "ListenNetlink=kobject 1", "'kobject 1' is not a protocol of netlink" },
        { "ListenNetlink=route many", "'route many' is not a protocol of netlink" },
        { "ListenNetlink=audit 1\nAccept=yes", "'yes' is only possible where there are connections" },
        { "ListenMessageQueue=/a/b", "is not the name of a message queue" },
        { "ListenFIFO=run/x", "'run/x' is not an absolute path" },
        { "ListenDatagram=80\nAccept=yes", "'yes' is only possible where there are connections" },
        { "ListenStream=80\nAccept=yes\nService=b.service", "Service= is not possible" },
        { "ListenStream=80\nAccept=yes\nMaxConnections=0", "A limit of 0 would allow no connections" },
        { "ListenStream=80\nService=b.target", "'b.target' is not the name of a service, a flow or a batch" },
        { "ListenStream=80\nSocketMode=999", "'999' is not a mode" },
        { "ListenStream=80\nSymlinks=/run/y", "This setting needs exactly one Listen" },
        { "ListenStream=80\nFileDescriptorName=a:b", "contains a ':'" },
        { "ListenStream=80\nBindIPv6Only=perhaps", "none of default, both and ipv6-only" },
        { "ListenStream=80\nSocketProtocol=dccp", "none of udplite, sctp and mptcp" },
        { "ListenStream=80\nIPAddressAllow=localhost\nIPAddressDeny=any", "IPAddressDeny: This setting would have no effect" },
        { "ListenStream=80\nPrivateNetwork=yes", "PrivateNetwork: This setting would have no effect" },
        { "ListenStream=80\nNetworkNamespacePath=/run/netns/x", "NetworkNamespacePath: This setting would have no effect" },
        { "ListenStream=80\nMark=-1", "not a whole number between 0 and" },
};

Test(socket_file, what_refuses_it) {
        for (size_t i = 0; i < ELEMENTSOF(refused); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *text = NULL;

                cr_assert(eq(int, text_format(&text, "[Socket]\n%s\n", refused[i].lines), 0));
                file_write(world, "a/x.socket", text);
                cr_expect(file_load(world, "x.socket")->load_state == UNIT_BAD_SETTING, "%s", refused[i].lines);
                assert_said(world, refused[i].said);
        }
}

static const SocketSettings *load(FileWorld *world, const char *lines) {
        cleanup_free_ char *text = NULL;
        Unit *unit;

        cr_assert(eq(int, text_format(&text, "[Socket]\n%s\n", lines), 0));
        file_write(world, "a/x.socket", text);
        unit = file_load(world, "x.socket");
        cr_assert(unit->load_state == UNIT_LOADED, "%s", file_said(world));
        return unit->type_settings;
}

Test(socket_file, a_path_is_in_no_network) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(eq(sz, load(world, "ListenStream=/run/x\nPrivateNetwork=yes\nIPAddressDeny=any")->listen.n, 1));
}

Test(socket_file, values) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const SocketSettings *settings = load(world, "ListenStream=80\nListenStream=\nListenDatagram=81\nListenStream=//run/./x\n"
                                                     "ReceiveBuffer=64K\nPipeSize=1M\nIPTOS=low-delay\nTimestamping=ns\n"
                                                     "SocketMode=0640\nBindIPv6Only=yes\nTimeoutSec=0");

        cr_assert(eq(sz, settings->listen.n, 2));
        assert_string(settings->listen.items[0].address, "81");
        assert_string(settings->listen.items[1].address, "/run/x");
        cr_assert(settings->receive_buffer == 65536 && settings->pipe_size == 1048576);
        cr_assert(settings->ip_tos == 16 && settings->timestamping == SOCKET_TIMESTAMPING_NSEC);
        cr_assert(settings->socket_mode == 0640 && settings->bind_ipv6 == SOCKET_BIND_IPV6_ONLY);
        cr_assert(settings->timeout == USEC_INFINITY);
}

Test(socket_file, limit_of_triggers_depends_on_accept) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new(), *other = file_world_new();

        cr_assert(eq(u32, socket_settings_trigger_burst(load(world, "ListenStream=80")), 20));
        cr_assert(eq(u32, socket_settings_trigger_burst(load(other, "ListenStream=80\nAccept=yes")), 200));
}

Test(socket_file, comes_before_what_it_starts) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        load(world, "ListenStream=80");
        assert_string(file_relations(unit_table_find(world->table, "x.socket"), UNIT_TRIGGERS), "x.service");
        assert_string(file_relations(unit_table_find(world->table, "x.socket"), UNIT_BEFORE),
                      "sockets.target shutdown.target x.service");
        assert_string(file_relations(unit_table_find(world->table, "x.socket"), UNIT_CONFLICTS), "shutdown.target");
}

Test(socket_file, that_accepts_starts_no_service_of_its_name) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        load(world, "ListenStream=80\nAccept=yes");
        assert_string(file_relations(unit_table_find(world->table, "x.socket"), UNIT_TRIGGERS), "");
}

Test(socket_file, service_names_its_sockets) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = file_load_service(world, "s.service", "Sockets=a.socket b.socket\nNonBlocking=yes");

        assert_string(file_relations(unit, UNIT_TRIGGERED_BY), "a.socket b.socket");
        assert_string(file_relations(unit, UNIT_WANTS), "a.socket b.socket");
        cr_assert(file_service(unit)->non_blocking);
}
