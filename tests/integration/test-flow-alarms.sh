#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Alarms of runs: what raises them, that they stay until somebody has acknowledged them, and who did
# S000-6, S000-24
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# shellcheck disable=SC2317
run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

last_run() {
        ctl flow list --no-legend | awk 'NR == 1 { print $1 }'
}

# open_alarms: their numbers
open_alarms() {
        ctl flow alarms --no-legend "$@" | awk '{ printf "%s ", $1 }'
}

# shellcheck disable=SC2317
manager() {
        busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1 org.jobd1.Manager "$@"
}

unit suspended.flow <<'U'
[Flow]
MaxRuns=10
[Node a]
Exec=/bin/false
FailurePolicy=suspend
[Node b]
DependsOn=a
Exec=/bin/true
U
unit unneeded.flow <<U
[Flow]
MaxRuns=10
[Node a]
Exec=/bin/false
FailurePolicy=suspend
[Node b]
Exec=/bin/sh -c 'until test -e $DIR/b-may-end; do read line <$DIR/b; done'
[Node c]
AnyOf=a b
U
unit queue.flow <<U
[Flow]
MaxQueued=1
[Node a]
Exec=/bin/sh -c 'read line <$DIR/queued'
U
unit limited.flow <<'U'
[Flow]
RunTimeoutSec=2s
[Node a]
Exec=/bin/sh -c 'exit 3'
PendingExitStatus=3
[Node b]
DependsOn=a
Exec=/bin/true
U
mkfifo "$DIR/queued" "$DIR/b"
start_daemon

check_lacks "status says nothing of them" Alarms ctl status
check_exit "a run is suspended" 11 ctl flow start --wait suspended
RUN=$(last_run)
check_prints "its node has raised an alarm" \
        "^ *[12] +open +pending +$RUN +a .*Node a of run $RUN of suspended.flow is PENDING \(failed\)" ctl flow alarms --full
check_prints "and the run another" "^ *[12] +open +suspended +$RUN +[0-9].*Run $RUN of suspended.flow is SUSPENDED" ctl flow alarms --full
check_prints "as JSON" "\"run\":$RUN,\"node\":\"a\",\"kind\":\"pending\",.*\"unit\":\"suspended.flow\"" ctl flow alarms --json
check_equal "those of its flow" "$(open_alarms suspended)" "1 2 "
check_prints "none is of another" '^No alarms.$' ctl flow alarms queue
check_prints "the run tells" '^2 alarms of this run are open; see' ctl flow show "$RUN"
check_prints "as JSON, too" '"alarms": *\[' ctl flow show --json "$RUN"
check_prints "so does the list of runs" '^2 alarms are open; see' ctl flow list
check_prints "and status" '^ *Alarms: 2 open' ctl status
if command -v busctl >/dev/null; then
        check_prints "an event says so" '"kind" s "alarm" "new" s "pending"' \
                busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 "/org/jobd1/run/$RUN" org.jobd1.Run Events 'a{sv}us' 0 0 ''
        check_prints "they are listed on the bus" '^aa\{sv\}s 2 .*"suspended"' manager ListAlarms 'a{sv}us' 1 acknowledged t 0 0 ''
        check_prints "and counted" '^u 2$' \
                busctl --address="unix:path=$JOBD_SOCKET" get-property org.jobd1 /org/jobd1 org.jobd1.Manager NAlarms
fi
check "the node is resolved" ctl flow resolve "$RUN/a" --as=success
wait_for '^SUCCEEDED$' run_state "$RUN"
report $? "and the run ends"
check_equal "its alarms stay" "$(open_alarms)" "1 2 "
kill_core KILL
wait_for '^1 2 $' open_alarms
report $? "also when core has died"
check_exit "an alarm that is not there cannot be acknowledged" 5 ctl flow ack 77
check_exit "nor can a word" 2 ctl flow ack seven
check_exit "nor nothing" 2 ctl flow ack
check "one is acknowledged" ctl flow ack 1
check_equal "which leaves the other" "$(open_alarms)" "2 "
check_exit "it is not acknowledged twice" 5 ctl flow ack 1
kill_core KILL
wait_for '^2 $' open_alarms
report $? "also when core has died then"
check_prints "it is kept for the record" '^ *1 +acknowledged' ctl flow alarms --all
check_prints "with who it was and when" '"acknowledged":[0-9]{10}' ctl flow alarms --all --json
check "all are acknowledged" ctl flow ack --all
check_prints "and none is left" '^No alarms.$' ctl flow alarms
check_lacks "status says nothing of them" Alarms ctl status

check "a run begins whose other branch is enough" ctl flow start unneeded
RUN=$(last_run)
wait_for '^3 $' open_alarms
report $? "a node of it is PENDING"
touch "$DIR/b-may-end"
timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/b"
wait_for '^PARTIAL$' run_state "$RUN"
report $? "no goal needs it any more"
check_prints "it is CANCELLED" '^a +CANCELLED' ctl flow show "$RUN"
check_equal "its alarm stays" "$(open_alarms)" "3 "
check "until it is acknowledged" ctl flow ack 3

check "a run begins" ctl flow start queue
check "another one waits" ctl flow start queue
check_exit "MaxQueued= refuses the next one" 4 ctl flow start queue
check_prints "which raises an alarm" '^ *4 +open +queue-full .*queue.flow has 1 run that waits' ctl flow alarms --full
check_exit "the one behind it is refused, too" 4 ctl flow start queue
check_equal "without another alarm" "$(open_alarms)" "4 "
check "it is acknowledged" ctl flow ack 4
check_exit "the next one is refused" 4 ctl flow start queue
check_equal "with an alarm, since that is news" "$(open_alarms queue)" "5 "
check "it is acknowledged, too" ctl flow ack 5

check "a run begins that has little time" ctl flow start limited
RUN=$(last_run)
wait_for '^6 7 $' open_alarms
report $? "it waits for a person"
wait_for '^TIMEOUT$' run_state "$RUN"
report $? "and its time is over"
check_equal "its alarms stay" "$(open_alarms)" "6 7 "
check_prints "and say that nothing is left to decide" \
        "^ *[67] +open +pending +$RUN +a .*a person has to resolve it\. Run $RUN has ended since: TIMEOUT\.\$" ctl flow alarms --full
check_prints "as JSON, too" 'SUSPENDED[^"]*Run [0-9]* has ended since: TIMEOUT\."' ctl flow alarms --json
check_prints "why says what the limit has ended" \
        "TIMEOUT.*\(RunTimeoutSec=\);.* node a waited for a retry or a person\.\$" ctl flow why "$RUN"
check_prints "of the node, too" \
        "^Node a of run .*: the time of the run was over \(RunTimeoutSec=\) while it waited for a retry or a person; attempt 1 has ended with exit status 3" \
        ctl flow why "$RUN/a"
check_prints "as JSON" '"node": *"a"' ctl flow why --json "$RUN"
check "they are acknowledged" ctl flow ack --all
ctl flow list --no-legend queue | while read -r run _; do ctl flow cancel "$run"; done >>"$DIR/cancelled" 2>&1
done_testing
