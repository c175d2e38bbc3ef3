#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Limits of runs over losses of power, after which the time since the boot is another, and the wall clock is ten years off: no
# limit is longer than it was. No clock is set: the former is that of a time namespace, the latter that of a preloaded library.
# S004-18, S004-21
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/boots.sh"

FAKE_CLOCK_LIBRARY=${5-}
REAL_START=$START_READY
START_READY=$DIR/start-ready
RECORD=$DIR/record
: >"$RECORD"
TEN_YEARS=315576000

if ! boot; then
        echo "1..0 # SKIP the boot id cannot be replaced here"
        exit 0
fi
if ! unshare --time --boottime 1000 --fork true 2>/dev/null; then
        echo "1..0 # SKIP no time namespace can be made here"
        exit 0
fi

# machine UP OFF: has been up for so many seconds more than this one, and its wall clock is off by so many
machine() {
        OFF=$2
        cat >"$START_READY" <<S
#!/bin/sh
export FAKE_CLOCK=$2
[ "$2" = 0 ] || export LD_PRELOAD=$FAKE_CLOCK_LIBRARY
exec unshare --time --monotonic $1 --boottime $1 --fork "$REAL_START" "\$@"
S
        chmod +x "$START_READY"
}

# wait_for_count WORD N: until it was written down so often
wait_for_count() {
        wait_for "^$2\$" grep -c "^$1\$" "$RECORD"
}

# left: how many seconds the run with a deadline has, by the wall clock of that machine
left() {
        local deadline
        deadline=$(ctl flow list --json limit | sed -n '1s/.*"deadline":\([0-9]*\).*/\1/p')
        echo $((deadline / 1000000 - $(date +%s) - OFF))
}

# due: in how many seconds the node that has failed runs again
due() {
        ctl flow why 2/a | sed -n 's/.*runs again in \([^,]*\),.*/\1/p' | awk '{
                for (i = 1; i <= NF; i++) n += $i ~ /[0-9]s$/ ? $i + 0 : $i ~ /min$/ ? 60 * $i : $i ~ /ms$/ ? 0 : 3600 * $i
                print int(n) }'
}

unit limit.flow <<U
[Flow]
RunTimeoutSec=10min
[Node a]
Exec=/bin/sh -c 'echo limit >>$RECORD; exec sleep infinity'
Recover=retry
Retry=10
RetryDelaySec=10ms
U
unit retry.flow <<U
[Node a]
Exec=/bin/false
Retry=1
RetryDelaySec=10min
U
unit total.flow <<U
[Node a]
Exec=/bin/sh -c 'echo total >>$RECORD; exit 1'
Retry=200
RetryDelaySec=100ms
TotalTimeoutSec=6s
U

# A span, and a time between now and ten years ahead
unit sleep.flow <<U
[Node span]
SleepSec=1d
[Node until]
SleepUntil=$(($(date +%Y) + 5))-07-01
U

# Between the last commit and the question for what is left
MOMENT=30

# trial WHAT N: the runs go on in another boot, the one of that number
trial() {
        local before=$LEFT due_before=$DUE
        wait_for_count limit "$2"
        report $? "$1: a run goes on"
        LEFT=$(left)
        check "$1: its deadline is not later than it was ($LEFT s of $before s are left)" [ "$LEFT" -le $((before + MOMENT)) ]
        check "$1: it has not passed" [ "$LEFT" -gt 0 ]
        DUE=$(due)
        check "$1: a retry is not due later than it was ($DUE s of $due_before s are left)" [ "$DUE" -le $((due_before + MOMENT)) ]
        check "$1: nor now" [ "$DUE" -gt 0 ]
}

machine 100000000 0
start_daemon
check "a run with a deadline begins" ctl flow start limit
wait_for_count limit 1
LEFT=$(left)
check "it has ten minutes" [ "$LEFT" -le 600 ]
check_prints "which is told" '^ Deadline: .*; (10min|9min.*) left$' ctl flow show 1
check "another run begins" ctl flow start retry
wait_for 'runs again in' ctl flow why 2/a
report $? "and waits for a retry"
DUE=$(due)
check "another run begins" ctl flow start total
wait_for '^[2-9]$' grep -c total "$RECORD"
cut_power

machine 0 0
start_daemon
trial "after a reboot" 2
wait_for '^a +(TIMEOUT|FAILED)' ctl flow show 3
check_prints "after a reboot: the time of all attempts of a node ends" '^a +TIMEOUT' ctl flow show 3
cut_power

if [ -z "$FAKE_CLOCK_LIBRARY" ]; then
        skip "wall clocks that are off" "sanitizers take no preloaded library"
        done_testing
fi
machine 200000000 -$TEN_YEARS
start_daemon
trial "ten years back" 3
check "it is cancelled" ctl flow cancel 1
wait_for '^ *1 .* CANCELLED' ctl flow list limit
check "another one begins there" ctl flow start limit
wait_for_count limit 4
LEFT=$(left)
check "nodes fall asleep there" ctl flow start sleep
wait_for '^until +RUNNING .*sleep' ctl flow show 5
report $? "one of them until a time to come"
cut_power
machine 0 0
start_daemon
trial "right again" 5
wait_for '^span +RUNNING .*sleep' ctl flow show 5
check_prints "right again: that time has not come" '^until +RUNNING .*sleep' ctl flow show 5
cut_power
machine 0 $TEN_YEARS
start_daemon
trial "ten years ahead" 6
wait_for '^until +SUCCEEDED' ctl flow show 5
report $? "ten years ahead: that time is over"
check_prints "and the span is not" '^span +RUNNING .*sleep' ctl flow show 5
check "the run is cancelled" ctl flow cancel 5
for run in 2 4; do
        check "run $run is cancelled" ctl flow cancel $run
done
done_testing
