/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A shell script as an ExecRequest, and what it wrote
 */

#include "basic/macro.h"
#include "double/double_assert.h"
#include "exec/exec.h"

typedef struct Fixture {
        char folder[32];                /* of the fixture; removed with it */
        char output[64];                /* file to which standard output is appended */
        char *argv[4];
        ExecRequest request;
        ExecResult result;
} Fixture;

/* /bin/sh -c @script, with standard output appended to a file. */
void fixture_init(Fixture *fixture, const char *script);
void fixture_deinit(Fixture *fixture);

/* For the rest of the block. */
#define FIXTURE(script)                              \
        cleanup_(fixture_deinit) Fixture fixture;    \
        fixture_init(&fixture, script)

/* Starts it, waits for its end, and returns its wait status; it must be startable. */
int fixture_run(Fixture *fixture);

/* Tries to start it, and checks that it failed at @step, with a message that contains @part. */
void fixture_fail(Fixture *fixture, ExecStep step, int error, const char *part);

/* What the last run wrote, without the last newline; static. */
const char *fixture_output(const Fixture *fixture);

/* A path in the folder; static, for one use. */
const char *fixture_path(const Fixture *fixture, const char *name);
void fixture_write(const Fixture *fixture, const char *name, const char *text, mode_t mode);
