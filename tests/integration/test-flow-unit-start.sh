#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs whose unit has to wait for another one before it starts: they begin then, though nobody asks, and OnBusy= counts them.
# S002-26, S004-1
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# state RUN
state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

mkfifo "$DIR/go" "$DIR/ran"
unit before.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'read -r x <$DIR/go'
U
for busy in queue reject skip replace; do
        unit $busy.flow <<U
[Unit]
Wants=before.service
After=before.service
[Flow]
OnBusy=$busy
[Node a]
Exec=/bin/sh -c 'echo $busy >$DIR/ran'
U
done
unit never.flow <<U
[Unit]
ConditionPathExists=$DIR/nothing
[Node a]
Exec=/bin/true
U
# Nothing else that wakes jobd is there.
start_daemon --no-bus

# go FLOW: before.service ends; what the run of FLOW says is read without another word to jobd
go() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"; cat "$2"' sh "$DIR/go" "$DIR/ran"
}

ctl flow start --quiet queue
wait_for activating ctl is-active before.service
check_equal "a run begins as soon as its unit is active, though nobody asks" "$(go)" queue
check "and ends" wait_for SUCCEEDED state 1

ctl flow start --quiet reject
wait_for activating ctl is-active before.service
check_exit "OnBusy=reject counts a run that waits for its unit" 4 ctl flow start reject
check_equal "which runs once" "$(go)" reject
check "and ends, too" wait_for SUCCEEDED state 2

ctl flow start --quiet skip
wait_for activating ctl is-active before.service
check_prints "so does OnBusy=skip" 'No run' ctl flow start skip
check_equal "whose run begins" "$(go)" skip
check "and ends as well" wait_for SUCCEEDED state 3

ctl flow start --quiet replace
wait_for activating ctl is-active before.service
check "OnBusy=replace takes another one" ctl flow start replace
check "in place of that" wait_for CANCELLED state 4
check_equal "which runs" "$(go)" replace
check "and has ended" wait_for SUCCEEDED state 5

check_exit "a run whose unit has an unmet condition does not begin" 13 ctl flow start --wait never
check_equal "and asks for one start" "$(grep -c 'never.flow was skipped' "$DIR/log")" 1

stop_daemon
done_testing
