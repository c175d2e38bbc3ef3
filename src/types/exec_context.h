/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The execution context of a unit's processes, from its settings: common to
 * all types that run commands
 */

#include "exec/exec.h"
#include "unitfile/exec_settings.h"

/*
 * Fills in all of @request that @settings and the prefixes of @command determine. The caller sets the program and its
 * environment.
 */
void exec_context_fill(const ExecSettings *settings, const ExecCommand *command, ExecRequest *request);

/*
 * Fills in only the network and IPC of the sandbox: for a command with full privileges ('+'), and for a program of
 * jobd's that checks the unit from inside.
 */
void exec_context_fill_network(const ExecSettings *settings, ExecRequest *request);

/* Privileges and system calls that go with what a sandbox hides: bits of ExecDenied. @sandbox may be NULL. */
uint32_t exec_context_denied(const struct SandboxSettings *sandbox);

/* Fills in only user and groups. */
void exec_context_fill_user(const ExecSettings *settings, ExecRequest *request);
