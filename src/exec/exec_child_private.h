/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared by the files of the child
 *
 * The rules at the top of exec_child.c apply to all of them. A step returns a
 * value ≥ 0 on success, or a negative errno.
 */

#include "exec/exec_child.h"
#include "exec/exec_extra.h"
#include "exec/exec_syscall.h"

int exec_child_make_places(const ExecChild *child);           /* never fails */
int exec_child_make_common_folder(const ExecChild *child);
int exec_child_make_own_folder(const ExecChild *child);

/* Only with an ExecExtra. The terminal is standard input. */
void exec_child_set_terminal(const ExecChild *child);
int exec_child_set_coredump_filter(ExecChild *child);
int exec_child_set_scheduler(ExecChild *child);
int exec_child_set_affinity(ExecChild *child);
int exec_child_set_numa_policy(ExecChild *child);
int exec_child_set_io_priority(ExecChild *child);
int exec_child_set_timer_slack(ExecChild *child);
int exec_child_set_personality(ExecChild *child);
int exec_child_make_directories(ExecChild *child);      /* each is a step */
int exec_child_make_secrets(ExecChild *child);
int exec_child_make_session_keyring(ExecChild *child);
int exec_child_make_keyring(const ExecChild *child);
int exec_child_set_limits(ExecChild *child);
int exec_child_limit_capabilities(ExecChild *child);
int exec_child_raise_capabilities(ExecChild *child);
int exec_child_set_secure_bits(ExecChild *child);
int exec_child_forgo_privileges(ExecChild *child);
int exec_child_set_labels(ExecChild *child);            /* each is a step */
int exec_child_load_filters(ExecChild *child);
