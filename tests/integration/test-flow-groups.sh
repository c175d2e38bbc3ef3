#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs of flows, whose attempts have control groups.
# S002-3
export WITH_GROUPS=yes
# shellcheck source=tests/integration/test-flow-runs.sh
. "$(dirname "$0")/test-flow-runs.sh"
