/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A shell script in a sandbox
 */

#include "exec/sandbox_shared.h"
#include "exec_fixture.h"

typedef struct Trial {
        Fixture fixture;
        SandboxSettings settings;
        SandboxShared *shared;
} Trial;

void trial_init(Trial *trial, const char *script);
void trial_deinit(Trial *trial);

/* For the rest of the block. */
#define TRIAL(script)                                \
        cleanup_(trial_deinit) Trial trial;          \
        trial_init(&trial, script)

void trial_add(Trial *trial, SandboxPathKind kind, const char *path);
void trial_add_bind(Trial *trial, SandboxPathKind kind, const char *source, const char *path);

/* Runs it; it must succeed, and have written @output since the trial began. */
void trial_expect(Trial *trial, const char *output);

/* For a suite: mounts folders of the test over /srv, /opt, /mnt, /root and /run, in a mount namespace of the test. */
void trial_make_world(void);
/* Skips the test unless it runs as the root of the machine, who owns all files and may change the user. */
void trial_need_root(void);
