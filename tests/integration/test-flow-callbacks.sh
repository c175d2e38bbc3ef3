#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Who is told what of runs: OnBegin=, OnResult=, Notify=, SummarySec=; that nothing waits for it, and no death loses it
# S002-4, S002-10, S002-19, S002-21, S002-22, S002-27, S004-14, S004-16d, S004-35
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

last_run() {
        ctl flow list --no-legend --all | awk 'NR == 1 { print $1 }'
}

# told [RUN]: the events of a run in their order, each with its node, state and context
# shellcheck disable=SC2317
told() {
        awk -v run="$1" '$1 == run { $1 = ""; print substr($0, 2) }' "$RECORD"
}

# count REGEX: records that match
# shellcheck disable=SC2317
count() {
        grep -Ec -- "$1" "$RECORD"
}

# rows: of the outbox, by state
# shellcheck disable=SC2317
rows() {
        python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT state, count(*) FROM outbox GROUP BY state"):
    print("%s %d" % row)' "$XDG_STATE_HOME/jobd/runs.db"
}

# tell WORD…: a line for what it is told, with the words
cat >"$DIR/tell" <<W
#!/usr/bin/python3
import json, os, sys
o = json.load(sys.stdin)
node, run = o["node"], o["run"]
words = [str(run["id"]), o["event"]]
if node is not None:
    words.append("%s:%s" % (node["name"], node["state"]))
    if o["event"] == "result":
        words.append(json.dumps(node["result"]))
        words.append(str(node["source"]))
        words.append("-" if node["cause"] is None else node["cause"]["node"])
else:
    words.append(run["state"])
words.append(json.dumps(o["context"], separators=(",", ":")))
assert os.environ["JOBD_EVENT"] == o["event"]
assert os.environ["JOBD_RUN"] == str(run["id"])
assert os.environ["JOBD_UNIT"] == run["unit"]
assert os.environ.get("JOBD_NODE") == (node["name"] if node else None)
key = os.environ["JOBD_CALLBACK_KEY"]
with open("$RECORD", "a") as record:
    record.write(" ".join(words + sys.argv[1:] + [key]) + "\n")
W
# fail: says so, and fails
cat >"$DIR/fail" <<W
#!/bin/sh
echo "\$JOBD_RUN failing \$JOBD_EVENT \$JOBD_CALLBACK_TRY \$JOBD_CALLBACK_KEY" >>$RECORD
exit 3
W
# gate: says that it is there, and waits until $DIR/open is
cat >"$DIR/gate" <<W
#!/bin/sh
echo "\$JOBD_RUN gate \$JOBD_EVENT \$JOBD_CALLBACK_TRY \$JOBD_CALLBACK_KEY" >>$RECORD
until test -e $DIR/open; do sleep 0.05; done
echo "\$JOBD_RUN passed \$JOBD_EVENT \$JOBD_CALLBACK_TRY" >>$RECORD
W
chmod +x "$DIR/tell" "$DIR/fail" "$DIR/gate"

unit nodes.flow <<U
[Flow]
OnBegin=exec:$DIR/tell
OnResult=exec:$DIR/tell
[Node a]
Exec=/bin/sh -c 'echo {\$1 >\$JOBD_RESULT' x '"n":5}'
[Node b]
DependsOn=a
Exec=/bin/false
Retry=1
RetryDelaySec=0
FailurePolicy=continue
[Node c]
DependsOn=b
Exec=/bin/true
Default="none"
[Node d]
DependsOn=b
Readiness=all-finished
OnResult=
OnResult=exec:$DIR/tell own
Environment=X=1
Exec=/bin/true
U
unit events.flow <<U
[Flow]
Notify="exec:$DIR/tell 'two words'" run
Notify=exec:$DIR/tell node-pending alarm
[Node a]
Exec=/bin/false
FailurePolicy=suspend
U
unit refused.flow <<U
[Flow]
Notify=exec:/bin/true sometimes
[Node a]
U
unit failing.flow <<U
[Flow]
NotifyMax=2
MaxRuns=10
OnResult=exec:$DIR/fail
[Node a]
Exec=/bin/true
[Node b]
DependsOn=a
Exec=/bin/true
U
unit gated.flow <<U
[Flow]
MaxRuns=20
Notify=exec:$DIR/gate ended
OnResult=exec:$DIR/gate
[Node a]
Exec=/bin/true
[Node b]
DependsOn=a
Exec=/bin/true
U
unit quick.flow <<U
[Flow]
Notify=exec:$DIR/tell ended
[Node a]
Exec=/bin/true
U
unit hanging.flow <<U
[Flow]
NotifyMax=1
Notify="exec:/bin/sh -c 'trap : TERM; echo \$JOBD_RUN hangs >>$RECORD; sleep 1000; sleep 1000'" succeeded
[Node a]
Exec=/bin/true
U
unit flood.flow <<U
[Flow]
MaxParallel=16
OnBegin=exec:$DIR/fail
OnResult=exec:$DIR/fail
NotifyMax=1
$(for i in $(seq 100); do printf '[Node n%d]\nExec=/bin/true\n' "$i"; done)
U
unit summary.flow <<U
[Flow]
SummarySec=1
Notify=exec:$DIR/tell summary
[Node a]
Exec=/bin/true
[Node b]
DependsOn=a
Exec=/bin/sh -c 'read line <$DIR/summary-fifo'
U
mkfifo "$DIR/summary-fifo"
start_daemon

# — what is told —

check_exit "a run ends, whose nodes are told of" 10 ctl flow start --wait nodes
RUN=$(last_run)
wait_for '^result d:' told "$RUN"
wait_for '^result c:' told "$RUN"
check_equal "of the begin of each attempt, and of each end with result, source and cause" \
        "$(told "$RUN" | sed 's/ [0-9]*\/[0-9]*$//' | sort)" \
        "$(sort <<'E'
begin a:RUNNING null
result a:SUCCEEDED {"n": 5} own - {"success":true}
begin b:RUNNING null
begin b:RUNNING null
result b:FAILED null None b {"success":false}
result c:SKIPPED "none" default b {"success":false}
begin d:RUNNING null
result d:SUCCEEDED null None - {"success":true} own
E
        )"
check_prints "in their order" '^begin a result a begin b begin b result b ' \
        echo "$(told "$RUN" | awk '{ split($2, node, ":"); printf "%s %s ", $1, node[1] }')"
wait_for '^$' rows
report $? "what was delivered leaves nothing behind" "$(rows)"

check_exit "a run is suspended" 11 ctl flow start --wait events
RUN=$(last_run)
check "and resolved" ctl flow resolve "$RUN/a" --as=success
wait_for '^succeeded ' told "$RUN"
check_equal "each new state of it is told, with the state before, and alarms" \
        "$(told "$RUN" | sed 's/ [0-9]*\/[0-9]*$//' | grep -v '^\(created\|queued\|stopping\|running\) ')" \
        "$(cat <<'E'
alarm a:PENDING {"kind":"pending"}
node-pending a:PENDING {"old":"RUNNING"}
alarm SUSPENDED {"kind":"suspended"}
suspended SUSPENDED {"old":"RUNNING"} two words
succeeded SUCCEEDED {"old":"SUSPENDED"} two words
E
        )"
check_exit "a wrong event is refused" 1 ctl start refused.flow
check_prints "and named" "'sometimes' is not an event: there are run, ended" ctl verify "$UNITS/refused.flow"

# — failures —

check_exit "a run succeeds whose callbacks fail" 0 ctl flow start --wait failing
RUN=$(last_run)
wait_for '^dead 2$' rows
report $? "after NotifyMax= tries they are dead letters" "$(rows)"
check_equal "the first was tried so often, the others once" "$(told "$RUN" | awk '{ print $2, $3 }')" \
        "$(printf 'result 1\nresult 2\nresult 1\n')"
check_equal "with the same key" "$(told "$RUN" | awk '{ print $4 }' | uniq | wc -l)" 2
check_prints "one alarm says so" "^ *[0-9]+ +open +callback +$RUN .*was given up after 2 tries: it exited with status 3" \
        ctl flow alarms --full failing
check_equal "and no other" "$(ctl flow alarms --no-legend failing | wc -l)" 1

# — hanging —

for i in 1 2 3 4 5 6 7 8 9 10; do
        check_exit "run $i ends, although those who are told hang" 0 ctl flow start --wait gated
done
wait_for '^8$' count ' gate '
report $? "as many as a flow may have are told" "$(count ' gate ')"
check_exit "a run of another flow ends" 0 ctl flow start --wait quick
RUN=$(last_run)
wait_for '^succeeded SUCCEEDED' told "$RUN"
report $? "and its callback does not wait for them"
check_equal "no run has two at a time" "$(count ' gate ')" 8
check_exit "a run ends whose callback never does" 0 ctl flow start --wait hanging
RUN=$(last_run)
wait_for hangs told "$RUN"

# — death of core —

kill_core KILL
report $? "core is killed while they run, and another one follows"
check_equal "they go on, and are told once" "$(count ' gate ')" 8
: >"$DIR/open"
wait_for '^30$' count ' passed '
report $? "all of them are told in the end" "$(count ' passed ')"
check_equal "each at the first try" "$(count ' passed .* 1$')" 30
check_equal "each once" "$(awk '$2 == "gate" { print $5 }' "$RECORD" | sort | uniq -d | wc -l)" 0
check_equal "the end of a run after those of its nodes" \
        "$(awk '$2 == "passed" { print $3 }' "$RECORD" | sort | uniq -c | awk '{ print $1, $2 }' | tr '\n' ' ')" \
        "20 result 10 succeeded "

wait_for 'hangs|callback' ctl flow alarms --full hanging
wait_for 'it had not ended after 30 s, and was killed' ctl flow alarms --full hanging
report $? "what hangs is killed after its time, which goes on over the death of core" "$(ctl flow alarms --full hanging)"
check_lacks "with all of its processes" 'sleep 1000' ps axww -o args

# — core and store die between the end and the delivery —

rm -f "$DIR/open"
: >"$RECORD"
check_exit "a run ends" 0 ctl flow start --wait gated
RUN=$(last_run)
wait_for ' gate result' cat "$RECORD"
STORE=$(awk '/^Name:/ { name = $2 } /^PPid:/ && name == "jobd-runstore" { split(FILENAME, part, "/"); print part[3] }' /proc/[0-9]*/status 2>/dev/null)
kill -9 "$STORE"
kill_core KILL
report $? "core and its store are killed before it was told of all"
: >"$DIR/open"
wait_for ' passed succeeded' cat "$RECORD"
report $? "it is told of all by the next" "$(cat "$RECORD")"
check_equal "in order" "$(awk -v run="$RUN" '$1 == run && $2 == "passed" { printf "%s ", $3 }' "$RECORD")" "result result succeeded "

# — flood —

: >"$RECORD"
check_exit "a run ends whose nodes flood" 0 ctl flow start --wait flood
RUN=$(last_run)
wait_for '^200$' count " failing "
report $? "each callback is tried" "$(count ' failing ')"
check_equal "one alarm is open" "$(ctl flow alarms --no-legend flood | wc -l)" 1

# — summaries —

ctl flow start summary >/dev/null
RUN=$(last_run)
wait_for '^summary RUNNING \{"done":1,"failed":0,"running":1,"total":2\}' told "$RUN"
report $? "a run that goes on is summed up" "$(told "$RUN")"
echo x >"$DIR/summary-fifo"
wait_for SUCCEEDED ctl flow show "$RUN"
report $? "and ends"

# — runs that are gone, while the store is behind all the time —

unit letters.flow <<'U'
[Flow]
NotifyMax=1
KeepRuns=1
OnResult=exec:/bin/false
[Node a]
Exec=/bin/true
U
unit busy.flow <<U
[Flow]
MaxParallel=4
$(printf '[Node %s]\nExec=/bin/sh -c "exit 75"\nAgainSec=1ms\n' a b c d)
U
# letters RUN: how many dead ones it has
# shellcheck disable=SC2317
letters() {
        python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM outbox WHERE run = ? AND state = \"dead\"", sys.argv[2:]).fetchone()[0])' \
                "$XDG_STATE_HOME/jobd/runs.db" "$1"
}
if strace -e trace=none true 2>/dev/null; then
        ctl daemon-reload
        check_exit "a run has a letter that cannot be delivered" 0 ctl flow start --wait letters
        RUN=$(last_run)
        wait_for '^1$' letters "$RUN"
        STORE=$(awk '/^Name:/ { name = $2 } /^PPid:/ && name == "jobd-runstore" { split(FILENAME, part, "/"); print part[3] }' /proc/[0-9]*/status 2>/dev/null)
        strace -f -p "$STORE" -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:delay_enter=300000 2>"$DIR/strace" &
        STRACE=$!
        wait_for attached cat "$DIR/strace"
        check "a flow gives the store something all the time" ctl flow start busy
        BUSY=$(last_run)
        check_exit "a run takes its place" 0 ctl flow start --wait letters
        wait_for '^0$' letters "$RUN"
        report $? "the letter goes with its run, though the store is never idle" "$(rows)"
        check_prints "and still is not" RUNNING ctl flow show "$BUSY"
        kill "$STRACE"
        wait "$STRACE" 2>/dev/null
        check "the flow ends" ctl flow cancel "$BUSY"
else
        skip "letters go with their run, though the store is never idle" "there is no strace, or it may not trace here"
fi

done_testing
