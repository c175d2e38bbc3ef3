/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nothing in a file crashes the loader: every prefix of a good one, damaged ones, and noise. GARBAGE_SEED=N damages others.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "file_world.h"

static const char good[] =
        "# A comment\n[Unit]\nDescription=x %n %i\nRequires=a.service b@.service \\\n; in between\n c.target\n"
        "ConditionPathExists=|!/x/%p\nAfter=\"quoted.service\" d\\x2de.service\nJobTimeoutSec=1min 5s\n"
        "RequiresMountsFor=/a/b /c\n[Service]\nType=oneshot\nExecStart=-@/bin/x 'a b' \"c\\td\" \\x41 ; +/bin/y $A \\;\n"
        "Environment=\"A=b c\" D='e f'\nEnvironmentFile=-/x\nSuccessExitStatus=1 SIGTERM TEMPFAIL\nUMask=0022\n"
        "StandardOutput=append:/var/%N\nPrivateTmp=yes\nPrivateTmp=no\nNice=5\n[Install]\nWantedBy=x.target\nAlias=y@%i.service\n";

static void load_bytes(FileWorld *world, const char *bytes, size_t n) {
        file_write_bytes(world, "a/x@1.service", bytes, n);
        file_world_restart(world);
        file_load(world, "x@1.service");
        text_deinit(&world->said);
}

Test(unit_file_garbage, the_file_itself_is_good) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x@1.service", good);
        cr_assert(eq(int, file_load(world, "x@1.service")->load_state, UNIT_LOADED));
        assert_string(file_said(world), "");
}

Test(unit_file_garbage, every_prefix_is_survived) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        for (size_t n = 0; n < sizeof(good); n++)
                load_bytes(world, good, n);
}

Test(unit_file_garbage, damage_and_noise_are_survived) {
        static const char tokens[][12] = { "\n", "\\", "\\\n", "'", "\"", "%", "%i", "=", "[", "]", "[Service]\n", ";", " ; ",
                                           "\xff", "\xe2\x82", "\xf0\x9f\x98\x80", "@", "ExecStart=", "\t", "/", "-", "!", "|",
                                           "\r\n", "#", "\\x", "\\u12", "$", "Alias=" };
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const char *chosen = getenv("GARBAGE_SEED");
        unsigned seed = chosen ? (unsigned) strtoul(chosen, NULL, 10) : 1;
        char bytes[sizeof(good) + 512];

        srandom(seed);
        for (unsigned round = 0; round < 1500; round++) {
                size_t n = sizeof(good) - 1;

                memcpy(bytes, good, n);
                if (round % 3 == 2)
                        for (n = 0; n < 400; n++)
                                bytes[n] = (char) random();
                for (unsigned i = 0; i < 1 + round % 8; i++) {
                        const char *token = tokens[(size_t) random() % ELEMENTSOF(tokens)];
                        size_t at = (size_t) random() % n, length = strlen(token);

                        if (random() % 4 == 0)
                                bytes[at] = (char) random();
                        else {
                                memmove(bytes + at + length, bytes + at, n - at);
                                memcpy(bytes + at, token, length);
                                n += length;
                        }
                }
                load_bytes(world, bytes, n);
        }
}
