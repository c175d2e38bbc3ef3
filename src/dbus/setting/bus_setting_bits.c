/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Bits and numbers of D-Bus as the words of a unit file
 */

#include <errno.h>
#include <inttypes.h>
#include <linux/securebits.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>

#include "basic/macro.h"
#include "dbus/setting/bus_setting_private.h"
#include "unitfile/capability.h"

typedef struct WordOfBits {
        uint64_t bits;
        const char *word;
} WordOfBits;

/* Writes the words of @bits: 0, or -EINVAL if a bit has none. */
static int add_words(Text *lines, uint64_t bits, const WordOfBits *words, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (bits & words[i].bits) {
                        text_addf(lines, " %s", words[i].word);
                        bits &= ~words[i].bits;
                }
        return bits == 0 ? 0 : -EINVAL;
}

/* Writes the word of exactly @bits; none for 0. */
static int add_choice(Text *lines, uint64_t bits, const WordOfBits *words, size_t n) {
        size_t i = 0;

        while (bits != 0 && i < n && words[i].bits != bits)
                i++;
        if (i == n)
                return -EINVAL;
        text_add(lines, bits != 0 ? words[i].word : "");
        return 0;
}

/* Begins the line with its directive. */
static void begin(const BusSettingTarget *target) {
        text_addf(target->lines, "%s=", target->directive);
}

static int end(const BusSettingTarget *target, int r) {
        text_add_char(target->lines, '\n');
        return r;
}

/* t: a capability for each bit. A mask that has the highest one, which is none, stands for all but those that lack. */
int bus_setting_write_capabilities(const BusSettingTarget *target, DBusMessageIter *value) {
        uint64_t bits = bus_take_u64(value);
        const bool inverts = bits >> 63;

        begin(target);
        text_add(target->lines, inverts ? "~" : "");
        if (inverts)
                bits = ~bits;
        for (int i = 0; i < 63; i++) {
                const char *name = capability_name(i);

                if (!(bits >> i & 1))
                        continue;
                if (name)
                        text_addf(target->lines, " cap_%s", name);
                else
                        text_addf(target->lines, " %d", i);
        }
        return end(target, 0);
}

/* i: SECBIT_… */
int bus_setting_write_secure_bits(const BusSettingTarget *target, DBusMessageIter *value) {
        static const WordOfBits words[] = {
                { SECBIT_KEEP_CAPS, "keep-caps" },
                { SECBIT_KEEP_CAPS_LOCKED, "keep-caps-locked" },
                { SECBIT_NO_SETUID_FIXUP, "no-setuid-fixup" },
                { SECBIT_NO_SETUID_FIXUP_LOCKED, "no-setuid-fixup-locked" },
                { SECBIT_NOROOT, "noroot" },
                { SECBIT_NOROOT_LOCKED, "noroot-locked" },
        };
        int32_t bits;

        dbus_message_iter_get_basic(value, &bits);
        begin(target);
        return end(target, add_words(target->lines, (uint32_t) bits, words, ELEMENTSOF(words)));
}

/* t: CLONE_NEW… of the namespaces that may be made. */
int bus_setting_write_namespaces(const BusSettingTarget *target, DBusMessageIter *value) {
        static const WordOfBits words[] = {
                { CLONE_NEWCGROUP, "cgroup" }, { CLONE_NEWIPC, "ipc" }, { CLONE_NEWNET, "net" },
                { CLONE_NEWNS, "mnt" },        { CLONE_NEWPID, "pid" }, { CLONE_NEWUSER, "user" },
                { CLONE_NEWUTS, "uts" },
        };
        uint64_t bits = bus_take_u64(value);

        begin(target);
        if (bits == 0)
                text_add(target->lines, "yes");
        return end(target, add_words(target->lines, bits, words, ELEMENTSOF(words)));
}

/* t: MS_… */
int bus_setting_write_propagation(const BusSettingTarget *target, DBusMessageIter *value) {
        static const WordOfBits words[] = { { MS_SHARED, "shared" }, { MS_SLAVE, "slave" }, { MS_PRIVATE, "private" } };

        begin(target);
        return end(target, add_choice(target->lines, bus_take_u64(value), words, ELEMENTSOF(words)));
}

/* i: IPPROTO_… */
int bus_setting_write_protocol(const BusSettingTarget *target, DBusMessageIter *value) {
        static const WordOfBits words[] = {
                { IPPROTO_UDPLITE, "udplite" },
                { IPPROTO_SCTP, "sctp" },
                { IPPROTO_MPTCP, "mptcp" },
        };
        int32_t protocol;

        dbus_message_iter_get_basic(value, &protocol);
        begin(target);
        return end(target, add_choice(target->lines, (uint32_t) protocol, words, ELEMENTSOF(words)));
}

/* t: a mask, in hexadecimal digits. */
int bus_setting_write_hexadecimal(const BusSettingTarget *target, DBusMessageIter *value) {
        begin(target);
        text_addf(target->lines, "0x%" PRIx64, bus_take_u64(value));
        return end(target, 0);
}
