#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A timer each second over a run of three seconds, with each OnBusy= and OnTrigger=: which runs there are, and for which times.
# The times decide, not how fast the machine is.
# S004-1, S004-3, S004-16, S004-21a
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

ELAPSES=9

# timed NAME SETTING…: a flow, and its timer
timed() {
        {
                echo '[Flow]'
                printf '%s\n' "${@:2}"
                printf '[Node a]\nExec=/bin/sleep 3\n'
        } >"$UNITS/$1.flow"
        printf '[Timer]\nOnCalendar=*:*:*\nAccuracySec=1us\nUnit=%s.flow\n' "$1" >"$UNITS/$1.timer"
        ALL+=("$1")
}

ALL=()
timed busy-queue OnBusy=queue
timed busy-reject OnBusy=reject
timed busy-skip OnBusy=skip
timed busy-replace OnBusy=replace
timed trigger-queue OnBusy=reject OnTrigger=queue
timed trigger-reject OnBusy=replace OnTrigger=reject
timed trigger-skip OnBusy=queue OnTrigger=skip
timed trigger-replace OnBusy=skip OnTrigger=replace

# judge NAME [OTHER]: what is wrong with the runs of a flow, or would be if it were another one
judge() {
        ctl flow list --all --json "$1" | sed "s/$1/${2-$1}/g" | python3 "$DIR/judge.py" "${2-$1}" 2>&1
}

cat >"$DIR/judge.py" <<'P'
import json, sys
SECOND = 1000000
name, policy = sys.argv[1], sys.argv[1].split('-')[1]
runs = sorted((json.loads(line) for line in sys.stdin), key=lambda run: run['id'])
times = []
for run in runs:
    trigger, time = run['key'].rsplit(' ', 1)
    times.append(int(time))
    if trigger != f'{name}.timer' or run['trigger'] != trigger or times[-1] % SECOND:
        print(f'run {run["id"]} is for {run["key"]}')
    if not -SECOND < run['created'] - times[-1] < 30 * SECOND:
        print(f'run {run["id"]} was made {run["created"] - times[-1]} µs after its time')
if len(runs) < 2 or sorted(set(times)) != times:
    print(f'the times are {times}')
begun = [run for run in runs if run.get('started')]

def count(state):
    return sum(run['state'] == state for run in runs)

def check(holds, what):
    if not holds:
        print(what, [(time, run['state'], run.get('started'), run.get('ended')) for time, run in zip(times, runs)])

# One is for each time if each is taken.
takes_all = policy == 'replace' or name == 'trigger-queue'
check(not takes_all or times[-1] - times[0] == (len(times) - 1) * SECOND, 'a time was left out')
if policy == 'replace':
    check(count('CANCELLED') == len(runs) - 1 and runs[-1]['state'] == 'SUCCEEDED', 'each is replaced by the next one')
    check(all(run['ended'] - run['created'] < 30 * SECOND for run in runs), 'one was not replaced')
else:
    check(all(run['ended'] - run['started'] >= 3 * SECOND for run in begun if run['state'] == 'SUCCEEDED'), 'one ended early')
    check(all(a['ended'] <= b['started'] for a, b in zip(begun, begun[1:])), 'two ran at a time')
if policy in ('skip', 'reject'):
    check(count('SUCCEEDED') == len(runs), 'one did not succeed')
    # A time is left out only while a run lives.
    for time in range(times[0], times[-1], SECOND):
        check(time in times or any(run['created'] <= time + SECOND and time <= run['ended'] for run in runs),
              f'nothing ran at {time}, which was left out')
    check(all(b['created'] >= a['ended'] for a, b in zip(runs, runs[1:])), 'one was made while another one ran')
if name == 'trigger-queue':
    # One may have begun between the list and its cancellation.
    check(sum(run['state'] == 'CANCELLED' and bool(run.get('started')) for run in runs) <= 1, 'what ran was cancelled')
if name == 'busy-queue':
    check(count('SUCCEEDED') == len(runs), 'one did not succeed')
    # Of runs of a trigger one waits: another one is made when that has begun.
    check(all(b['created'] >= a['started'] for a, b in zip(runs, runs[1:])), 'two of one timer waited')
    check(all(b['started'] - a['ended'] < 10 * SECOND for a, b in zip(runs, runs[1:])), 'one did not begin when it could')
P

# count NAME: of its runs
count() {
        ctl flow list --no-legend --all "$1" | wc -l
}

start_daemon
check "timers begin" ctl start "${ALL[@]/%/.timer}"
wait_for "^([$ELAPSES-9]|[0-9]{2,})\$" count trigger-queue
report $? "runs are submitted for $ELAPSES times"
check "timers end" ctl stop "${ALL[@]/%/.timer}"
for name in "${ALL[@]}"; do
        # What waits in a queue that takes each would take long.
        if [ "$name" = trigger-queue ]; then
                for id in $(ctl flow list --no-legend "$name" | awk '$3 == "QUEUED" { print $1 }'); do
                        ctl flow cancel --quiet "$id"
                done
        fi
        wait_for '^(inactive|failed)$' ctl is-active "$name.flow"
        check_equal "$name" "$(judge "$name")" ""
done
for other in 'busy-skip busy-replace' 'busy-queue trigger-skip' 'trigger-queue busy-queue' 'trigger-replace trigger-queue' \
        'busy-skip trigger-queue'; do
        # shellcheck disable=SC2086
        check "control: runs are not those of another policy: $other" [ -n "$(judge $other)" ]
done
SOME=$(count busy-skip)
check "fewer runs are made where some are left out ($SOME)" [ "$SOME" -lt "$ELAPSES" ]
check_prints "what is rejected is told" 'MaxRuns= allows, and OnBusy=reject' cat "$DIR/log"

# — a timer with two reasons —
printf '[Timer]\nOnActiveSec=0\nOnCalendar=*:*:0/2\nAccuracySec=1us\nUnit=both.flow\n' >"$UNITS/both.timer"
printf '[Node a]\nExec=/bin/true\n' >"$UNITS/both.flow"
ctl daemon-reload
check "a timer begins that elapses at once, and by the calendar" ctl start both.timer
wait_for '^([3-9]|[0-9]{2,})$' count both
check "it ends" ctl stop both.timer
check_equal "each elapse has a run of its own" \
        "$(ctl flow list --all --json both | python3 -c '
import json, sys
runs = sorted((json.loads(line) for line in sys.stdin), key=lambda run: run["id"])
times = [int(run["key"].rsplit(" ", 1)[1]) for run in runs]
print(all(abs(run["created"] - time) < 1500000 for run, time in zip(runs, times)),
      all(b - a == 2000000 for a, b in zip(times[1:], times[2:])), times[0] <= runs[0]["created"])')" "True True True"

# — a store that is silent, and the death of core —
printf '[Timer]\nOnCalendar=*:*:*\nAccuracySec=1us\nUnit=open.flow\n' >"$UNITS/open.timer"
printf '[Flow]\nOnTrigger=queue\n[Node a]\nExec=/bin/true\n' >"$UNITS/open.flow"
ctl daemon-reload
check "a timer begins" ctl start open.timer
wait_for '^[2-9]$' count open
STORE=$(pgrep -x jobd-runstore)
kill -STOP "$STORE"

# wait_for_elapses N
wait_for_elapses() {
        local i last
        for ((i = 0; i < $1; i++)); do
                last=$(ctl show -P LastTriggerUSec open.timer)
                wait_for . sh -c "[ \"\$($BUILD/jobctl show -P LastTriggerUSec open.timer)\" != '$last' ] && echo yes"
        done
}

wait_for_elapses 4
kill_core KILL
wait_for_elapses 2
kill_core KILL
kill -CONT "$STORE"
wait_for_elapses 1
check "it ends" ctl stop open.timer
wait_for '^inactive$' ctl is-active open.flow
check_equal "no elapse is without a run, and none has two" \
        "$(ctl flow list --all --json open | python3 -c '
import json, sys
runs = [json.loads(line) for line in sys.stdin]
times = sorted(int(run["key"].rsplit(" ", 1)[1]) for run in runs)
print(len(times) >= 8, all(b - a == 1000000 for a, b in zip(times, times[1:])),
      {run["state"] for run in runs})')" "True True {'SUCCEEDED'}"
done_testing
