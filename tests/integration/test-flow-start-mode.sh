#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# StartMode=finished: the start of a flow lasts until its run has ended, so a service is ordered behind a workflow.
# S004-3
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"
mkfifo "$DIR/go"

ran() {
        tr '\n' ' ' <"$RECORD"
}

last_run() {
        ctl flow list --no-legend --all "$1" | awk 'NR == 1 { print $1 }'
}

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

release() {
        timeout "$PATIENCE" sh -c 'echo "$2" >"$1"' sh "$DIR/go" "$1"
}

unit migrate.flow <<U
[Flow]
StartMode=finished
[Node one]
Exec=/bin/sh -c 'read -r x <$DIR/go; echo migrate \$\$x >>$RECORD; [ \$\$x = well ]'
[Node two]
DependsOn=one
Exec=/bin/true
U
unit app.service <<U
[Unit]
Requires=migrate.flow
After=migrate.flow
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo app >>$RECORD'
U
unit loose.service <<U
[Unit]
Wants=migrate.flow
After=migrate.flow
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo loose >>$RECORD'
U
unit circle.flow <<U
[Flow]
StartMode=finished
[Node a]
Unit=after.service
U
unit after.service <<U
[Unit]
After=circle.flow
[Service]
Type=oneshot
ExecStart=/bin/true
U
unit deep.flow <<U
[Flow]
StartMode=finished
[Node a]
Unit=outer.service
U
unit outer.service <<U
[Unit]
Wants=inner.service
[Service]
Type=oneshot
ExecStart=/bin/true
U
unit inner.service <<U
[Unit]
After=deep.flow
[Service]
Type=oneshot
ExecStart=/bin/true
U
start_daemon

# — a service behind a workflow —
ctl start --no-block app.service
wait_for RUNNING run_state 1
check_equal "the flow is activating while its run runs" "$(ctl is-active migrate.flow)" activating
check_equal "the service waits" "$(ran)" ""
check_prints "why names what the start waits for" 'waits for the end of 1 run \(StartMode=finished\)' ctl why app.service
kill_core KILL
wait_for RUNNING run_state 1
check_equal "so it does when core has died" "$(ctl is-active migrate.flow) $(ran)" "activating "
release well
wait_for app ran
check_equal "the run first, then the service" "$(ran)" "migrate well app "
wait_for '^inactive$' ctl is-active migrate.flow
report $? "the flow is inactive when nothing of it is left"
check_equal "one run was made" "$(ctl flow list --no-legend --all migrate | wc -l)" 1

# — not after a failure —
ctl stop app.service
: >"$RECORD"
ctl start --no-block app.service
wait_for RUNNING run_state 2
release badly
wait_for '^failed$' ctl is-active migrate.flow
report $? "a run that fails fails the start"
check_equal "and the service that requires it is not started" "$(ran) $(ctl is-active app.service)" "migrate badly  inactive"
check_prints "the failure is named" 'a run has failed' ctl status migrate.flow

# — a cancel is no success —
: >"$RECORD"
ctl start --no-block app.service
wait_for RUNNING run_state 3
ctl flow cancel --quiet 3
wait_for '^failed$' ctl is-active migrate.flow
report $? "a run that is cancelled fails the start, too"
check_equal "and nothing follows" "$(ran) $(ctl is-active app.service)" " inactive"

# — what only wants it —
ctl start --no-block loose.service
wait_for RUNNING run_state 4
release badly
wait_for loose ran
check_equal "what only wants the flow starts behind its end, however that is" "$(ran)" "migrate badly loose "

# — the run that lives is the one that is waited for —
: >"$RECORD"
ctl flow start --quiet migrate
wait_for RUNNING run_state 5
check_equal "flow start does not wait" "$(ctl is-active migrate.flow)" activating
ctl start --no-block app.service
release well
wait_for app ran
check_equal "a start waits for the run that is there" "$(ran) $(last_run migrate)" "migrate well app  5"

# — a start that is stopped —
ctl stop app.service
ctl start --no-block migrate.flow
wait_for RUNNING run_state 6
ctl stop --no-block migrate.flow
wait_for PAUSING run_state 6
release well
wait_for '^inactive$' ctl is-active migrate.flow
report $? "a stop ends the wait"
check_equal "and holds the run" "$(run_state 6)" PAUSED

# — a node that waits for its own flow —
check_prints "verify names a node that waits for its own start" \
        'Node a starts after.service, which is ordered after circle.flow' ctl verify "$UNITS/circle.flow"
check_prints "also behind what is pulled in" \
        'Node a starts outer.service and with it inner.service, which is ordered after deep.flow' ctl verify "$UNITS/deep.flow"
check_lacks "others it does not complain about" 'ordered after' ctl verify "$UNITS/migrate.flow"
ctl flow start --quiet circle
RUN=$(last_run circle)
wait_for 'which waits for the end of this run' ctl flow why "$RUN"
report $? "so does why of the run"
ctl flow cancel --quiet "$RUN"
wait_for CANCELLED run_state "$RUN"
report $? "a cancel ends that"
done_testing
