#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobd without jobd-runstore, the program that keeps runs: units work as ever, flows say what is missing.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# Core looks for the other programs beside itself.
PROGRAMS=$DIR/programs
mkdir "$PROGRAMS"
cp "$BUILD/jobd-core" "$PROGRAMS/"
ln -s "$BUILD/jobd-log" "$PROGRAMS/"
export JOBD_CORE=$PROGRAMS/jobd-core

unit a.flow <<U
[Node a]
Exec=/bin/sh -c 'echo a >>$DIR/ran'
U
unit stays.service <<'U'
[Service]
ExecStart=/bin/sleep infinity
U
unit fails.service <<'U'
[Unit]
OnFailure=a.flow told.service
[Service]
Type=oneshot
ExecStart=/bin/false
U
unit told.service <<'U'
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
U
unit soon.timer <<'U'
[Timer]
OnActiveSec=10ms
AccuracySec=1ms
Unit=told.service
U
start_daemon

check "a service starts" ctl start stays.service
check_prints "and runs" '^active$' ctl is-active stays.service
check_exit "a run cannot be submitted" 15 ctl flow start a
check_prints "since the program is missing, which is named" 'jobd-runstore is not installed' ctl flow start a
check_exit "nor can runs be listed" 15 ctl flow list
check_prints "the flow itself is loaded" 'Loaded: loaded' ctl status a.flow
check "its file is checked" ctl verify "$UNITS/a.flow"
check_exit "a unit that starts it fails" 1 ctl start a.flow
check_exit "a service fails" 1 ctl start fails.service
wait_for '^active$' ctl is-active told.service
report $? "and what is to be started then is, beside the flow"
ctl stop told.service
check "a timer starts" ctl start soon.timer
wait_for '^active$' ctl is-active told.service
report $? "and elapses"
kill_core KILL
check_prints "the death of core changes nothing" '^active$' ctl is-active stays.service
check "no command of the flow has run" [ ! -e "$DIR/ran" ]

ln -s "$BUILD/jobd-runstore" "$PROGRAMS/"
check "when it is installed, the next core" ctl daemon-reexec
wait_for 'RUN|No runs' ctl flow list
report $? "has runs"
check "and flows run" ctl flow start --wait a
done_testing
