/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * How a unit's processes are run, as its settings say: what all types that run commands share
 */

#include "exec/exec.h"
#include "unitfile/exec_settings.h"

/* Fills in all of @request that @settings and the prefixes of @command say; the program and its environment are the caller's. */
void exec_context_fill(const ExecSettings *settings, const ExecCommand *command, ExecRequest *request);

/*
 * Nothing of the sandbox but the network, and IPC: for one with full privileges ('+'), and one of ours that looks at the
 * unit from there.
 */
void exec_context_fill_network(const ExecSettings *settings, ExecRequest *request);

/* Only whom it runs as. */
void exec_context_fill_user(const ExecSettings *settings, ExecRequest *request);
