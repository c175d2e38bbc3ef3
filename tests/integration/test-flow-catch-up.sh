#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs for times of a timer that are over: CatchUp=, and flow start --for. The stamp of a timer is set back, as if the machine
# had been off since then; no clock is set.
# S004-3, S004-21a
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"
DAY=86400
NOW=$(date +%s)
# A time of the day that does not come while the test runs; LAST is when it was.
TIME=$(((NOW / 3600 + 12) % 24))
LAST=$((NOW / DAY * DAY + TIME * 3600))
[ "$LAST" -lt "$NOW" ] || LAST=$((LAST - DAY))
STAMPS=$XDG_STATE_HOME/jobd/timers

cat >"$DIR/write" <<W
#!/bin/sh
echo "\$1 \$TRIGGER_TIMER_SCHEDULED_USEC \${TRIGGER_TIMER_CATCH_UP-alone}" >>$RECORD
W
chmod +x "$DIR/write"

# timed NAME TIMER_SETTING FLOW_SETTING…: a flow, and its timer of each day
timed() {
        {
                echo '[Flow]'
                printf '%s\n' "${@:3}"
                cat <<U
[Node a]
Exec=$DIR/write $1-%{trigger.time}
U
        } >"$UNITS/$1.flow"
        printf '[Timer]\nOnCalendar=*-*-* %s:00:00 UTC\nAccuracySec=1us\n%s\nUnit=%s.flow\n' "$TIME" "$2" "$1" >"$UNITS/$1.timer"
        ALL+=("$1")
}

ALL=()
timed all '' CatchUp=all OnBusy=queue
timed last '' CatchUp=last
timed none Persistent=yes CatchUp=none
timed persistent Persistent=yes
timed plain ''
timed many '' CatchUp=all MaxQueued=200
timed filled '' MaxQueued=200

# set_back NAME DAYS: that timer has elapsed last so many days ago
set_back() {
        touch -d "@$((NOW - $2 * DAY))" "$STAMPS/stamp-$1.timer"
}
# times NAME: of its runs by their keys, as days from the last one, in the order in which they were made
times() {
        ctl flow list --all --json "$1" | python3 -c '
import json, sys
last = int(sys.argv[1])
rows = sorted((json.loads(line) for line in sys.stdin), key=lambda row: row["id"])
for row in rows:
    trigger, time = row["key"].rsplit(" ", 1)
    assert row["trigger"] == trigger, row
    print((int(time) / 1e6 - last) / 86400, end=" ")' "$LAST" | sed 's/\.0 / /g'
}
# wait_for_runs NAME N: until so many have succeeded
wait_for_runs() {
        wait_for "^$2\$" succeeded "$1"
}
succeeded() {
        ctl flow list --all --json --state SUCCEEDED "$1" | grep -c .
}
start_daemon
for name in "${ALL[@]}"; do
        ctl start "$name.timer"
done
check_equal "a timer whose flow catches up remembers its elapse" \
        "$(cd "$STAMPS" && printf '%s ' stamp-*)" \
        'stamp-all.timer stamp-last.timer stamp-many.timer stamp-persistent.timer '
check_equal "nothing was missed" "$(times all)$(times last)$(times persistent)" ''
stop_daemon
for name in all last persistent; do
        set_back "$name" 4
done
set_back many 300
touch -d "@$((NOW - 4 * DAY))" "$STAMPS/stamp-none.timer" "$STAMPS/stamp-plain.timer"
start_daemon
for name in "${ALL[@]}"; do
        ctl start "$name.timer"
done
wait_for_runs all 4
report $? "what was missed has runs"
check_equal "one for each time, the oldest first" "$(times all)" '-3 -2 -1 0 '
wait_for_runs last 1
check_equal "the last one alone" "$(times last)" '0 '
wait_for_runs persistent 1
check_equal "which is what Persistent= has, too" "$(times persistent)" '0 '
check_equal "none, if the flow says so, or the timer does not say otherwise" "$(times none)$(times plain)" ''
wait_for_runs many 100
report $? "of very many the last hundred have runs"
check_equal "up to the last one" "$(times many | cut -d' ' -f1,100)" '-99 0'
check_prints "which is said" 'has missed more than 100 elapses' cat "$DIR/log"
check_equal "a run knows its time, and that it is one of several" \
        "$(grep -c '^all-\([0-9]*\) \1 yes$' "$RECORD") $(grep -c '^last-\([0-9]*\) \1 alone$' "$RECORD")" \
        "$(times all | wc -w) 1"

# — no second run for a time —
stop_daemon
set_back all 6
start_daemon
ctl start all.timer
wait_for_runs all 6
report $? "older ones are made up for when they are missed, too"
check_equal "and what has a run gets no second one" "$(times all)" '-3 -2 -1 0 -5 -4 '

# — flow start --for —
# at DAYS: that time, as a person writes it
at() {
        date -u -d "@$((LAST + $1 * DAY))" '+%Y-%m-%d %H:%M:%S UTC'
}
ctl start filled.timer
check "runs for a window" ctl flow start filled --wait "--for=$(at -10)..$(at -7)"
check_equal "are for each time from its begin on and before its end" "$(times filled)" '-10 -9 -8 '
check "a window that overlaps" ctl flow start filled --wait "--for=$(at -9)..$(at -5)"
check_equal "adds what is not there" "$(times filled)" '-10 -9 -8 -7 -6 '
check "a single time" ctl flow start filled --wait "--for=$(at -20)"
check_lacks "which is one of the timer" 'does not elapse' ctl flow start filled --wait "--for=$(at -20)"
check "and again" ctl flow start filled --wait "--for=$(at -20)"
check_equal "is one run" "$(times filled)" '-10 -9 -8 -7 -6 -20 '
check_equal "which knows it" "$(grep -c "^filled-\([0-9]*\) \1 yes$" "$RECORD")" 6
check_prints "a window has so many runs and no more" 'more times than 2' \
        ctl flow start filled --wait --max=2 "--for=$(at -40)..$(at -30)"
check_equal "the oldest ones" "$(times filled | tr ' ' '\n' | tail -n 2 | tr '\n' ' ')" '-40 -39 '
check "the timer may be named" ctl flow start plain --timer=filled "--for=$(at -3)"
check_prints "whose run it is then" '"key":"filled.timer ' ctl flow list --json plain
check_exit "a flow without a timer has no times" 2 ctl flow start nightly "--for=$(at -3)"
check_exit "what is no time is refused" 2 ctl flow start filled --for=soonish
check_exit "and so is a window that ends before it begins" 2 ctl flow start filled "--for=$(at -3)..$(at -5)"
check_exit "and a key beside it" 2 ctl flow start filled --key=x "--for=$(at -3)"
check_prints "where nothing is, that is said" 'does not elapse in' \
        ctl flow start filled "--for=$(at -3 | sed 's/:00 UTC/:01 UTC/')..$(at -3 | sed 's/:00 UTC/:09 UTC/')"
check_prints "a time that is none of the timer is told" 'filled.timer does not elapse at that time' \
        ctl flow start plain --timer=filled "--for=$(at -3 | sed 's/:00 UTC/:07 UTC/')"
unit fails.flow <<'U'
[Flow]
Params=fails:=false
[Node a]
Exec=/bin/sh -c 'test $1 = false' x %{param.fails}
U
check_exit "the worst end is that of all" 1 ctl flow start fails --wait --timer=filled "--for=$(at -3)..$(at -1)" fails:=true
done_testing
