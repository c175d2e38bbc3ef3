#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Targets of callbacks that are no commands: signals on D-Bus, and units that are started
# S002-4, S004-14, S004-16d, S004-35
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

last_run() {
        ctl flow list --no-legend --all "$@" | awk 'NR == 1 { print $1 }'
}

# rows: of the outbox, by state
# shellcheck disable=SC2317
rows() {
        python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT state, count(*) FROM outbox GROUP BY state"):
    print("%s %d" % row)' "$XDG_STATE_HOME/jobd/runs.db"
}

# count REGEX: records that match
# shellcheck disable=SC2317
count() {
        grep -Ec -- "$1" "$RECORD"
}

# listen NAME [USER]: in the background, until the daemon ends: a line in $DIR/NAME for each RunNotify. Says "here" first.
cat >"$DIR/listen.py" <<'P'
import json, os, struct, sys, time
sys.path.insert(0, sys.argv[1])
from bus_client import Bus
if len(sys.argv) > 3:
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[3]))

out = open(1, 'w', buffering=1)


def connect():
    bus = Bus(os.environ['JOBD_SOCKET'])
    if sys.argv[2] != 'deaf':
        bus.ask('Subscribe')
    else:
        bus.ask('ListUnits')
    print('here', file=out)
    return bus


def hear(bus):
    """The next message, also from the next core."""
    while True:
        try:
            return bus, bus.message()
        except (EOFError, ConnectionError):
            bus = None
        while bus is None:
            try:
                bus = connect()
            except (EOFError, OSError):
                time.sleep(0.02)


def values(message):
    """stsssss"""
    body, _, fields = struct.unpack_from('<III', message, 4)
    at, data, found = 0, message[16 + fields + -fields % 8:], []
    for kind in 'stsssss':
        at += -at % (8 if kind == 't' else 4)
        if kind == 't':
            found.append(struct.unpack_from('<Q', data, at)[0])
            at += 8
        else:
            n = struct.unpack_from('<I', data, at)[0]
            found.append(data[at + 4:at + 4 + n].decode())
            at += 4 + n + 1
    assert at == body, (at, body)
    return found


bus = connect()
while True:
    bus, message = hear(bus)
    if b'RunNotify' not in message:
        continue
    name, run, unit, node, event, key, text = values(message)
    o = json.loads(text)
    assert o['event'] == event and o['run']['id'] == run and o['run']['unit'] == unit and o['v'] == 1
    assert (o['node'] or {'name': ''})['name'] == node
    print(run, name or '-', event, node or '-', o['node']['state'] if node else o['run']['state'],
          json.dumps(o['node']['result'] if node else o['run']['params'], separators=(',', ':')),
          json.dumps(o['context'], separators=(',', ':')), key, file=out)
P
# shellcheck disable=SC2317
listen() {
        local name=$1
        shift
        python3 "$DIR/listen.py" "$(realpath "$(dirname "$0")")" "$name" "$@" >"$DIR/$name" 2>"$DIR/$name.error" &
        wait_for '^here$' cat "$DIR/$name" || { cat "$DIR/$name.error"; false; }
}

# heard NAME RUN: what it was told of the run, without the number
# shellcheck disable=SC2317
heard() {
        awk -v run="$2" '$1 == run { $1 = ""; print substr($0, 2) }' "$DIR/$1"
}

cat >"$DIR/gate" <<W
#!/bin/sh
echo "\$JOBD_RUN gate" >>$RECORD
until test -e $DIR/open; do sleep 0.05; done
W
chmod +x "$DIR/gate"

unit signals.flow <<U
[Flow]
Params=x:=1
OnBegin=signal:
OnResult=signal:result-of-%N
Notify=signal:all run
[Node a]
Exec=/bin/sh -c 'echo {\$1 >\$JOBD_RESULT' x '"n":5}'
[Node b]
DependsOn=a
Exec=/bin/false
Default="none"
FailurePolicy=continue
U
unit others.flow <<U
[Flow]
AllowSubmit=65534
Notify=signal:mine ended
[Node a]
Exec=/bin/true
U
unit gated.flow <<U
[Flow]
MaxRuns=20
OnResult=exec:$DIR/gate
OnResult=signal:behind
OnResult=unit:count.service
OnResult=unit:handler.flow
Notify=signal:end ended
[Node a]
Exec=/bin/true
U
unit count.service <<U
[Service]
ExecStart=/bin/sh -c 'echo counted >>$RECORD'
U
unit handler.flow <<U
[Flow]
MaxRuns=20
[Node h]
Exec=/bin/sh -c 'echo "handled \$MONITOR_UNIT \$MONITOR_RUN \$\${MONITOR_NODE-none} \$MONITOR_EVENT" >>$RECORD'
U
unit units.flow <<U
[Flow]
Notify=unit:handler.flow failed
Notify="unit:lasting.service fail" node-failed
[Node a]
Exec=/bin/false
U
unit lasting.service <<U
[Service]
ExecStart=/bin/sh -c 'echo lasting >>$RECORD; exec sleep infinity'
U
unit nothing.flow <<U
[Flow]
NotifyMax=2
OnResult=unit:missing.service
OnResult=unit:count.service
[Node a]
Exec=/bin/true
U
unit enemy.service <<U
[Unit]
Conflicts=victim.flow
[Service]
ExecStart=/bin/sh -c 'echo enemy >>$RECORD'
U
unit victim.flow <<U
[Flow]
NotifyMax=1
OnBegin=unit:enemy.service
[Node a]
Exec=/bin/sh -c 'read line <$DIR/fifo'
U
mkfifo "$DIR/fifo"
unit late.flow <<U
[Flow]
NotifyMax=20
OnResult=unit:late.service
[Node a]
Exec=/bin/true
U
unit refused.flow <<U
[Flow]
Notify="unit:tell often" failed
[Node a]
U
start_daemon

check_exit "a wrong target is refused" 1 ctl start refused.flow
check_prints "with file and line" "refused.flow:2.*'tell' is not a unit name" ctl verify "$UNITS/refused.flow"

# — signals —

check "a client subscribes" listen one
check "another one only listens" listen deaf
check_exit "a run ends" 10 ctl flow start --wait signals
RUN=$(last_run)
wait_for '^all partial ' heard one "$RUN"
report $? "its end is heard" "$(cat "$DIR/one" "$DIR/one.error")"
check_equal "each event is, with the name of its target, and the object" \
        "$(heard one "$RUN" | grep -v '^all \(created\|queued\|stopping\|running\) ' | sed 's/ [0-9]*\/[0-9]*$//')" \
        "$(cat <<'L'
- begin a RUNNING null null
result-of-signals result a SUCCEEDED {"n":5} {"success":true}
- begin b RUNNING null null
result-of-signals result b FAILED "none" {"success":false}
all partial - PARTIAL {"x":1} {"old":"RUNNING"}
L
        )"
check_equal "each with a key of its own" "$(heard one "$RUN" | awk '{ print $NF }' | sort | uniq -d | wc -l)" 0
wait_for '^$' rows
report $? "what was told leaves nothing behind" "$(rows)"
check_equal "who has not subscribed is not told" "$(grep -c all "$DIR/deaf")" 0
if has_users; then
        chmod 755 "$DIR" "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR/jobd"
        check "a client of another user subscribes" listen other 65534
        check_exit "a run of root ends" 0 ctl flow start --wait others
        OWN=$(last_run others)
        wait_for '^mine ' heard one "$OWN"
        check "that user submits one" setpriv --reuid 65534 --regid 65534 --clear-groups "$BUILD/jobctl" flow start others
        RUN=$(last_run others)
        wait_for '^mine succeeded' heard other "$RUN"
        report $? "who has submitted a run is told of it" "$(cat "$DIR/other" "$DIR/other.error")"
        check_equal "but not of those of others" "$(heard other "$OWN")" ""
        wait_for '^mine succeeded' heard one "$RUN"
        report $? "root is told of all"
else
        skip "who has submitted a run is told of it" "no other users here"
fi

# — units —

: >"$RECORD"
check_exit "a run fails" 1 ctl flow start --wait units
RUN=$(last_run units)
wait_for '^1$' count "^handled units.flow $RUN none failed$"
report $? "a flow that is told of it has a run, which knows of what" "$(cat "$RECORD")"
wait_for '^active$' ctl is-active lasting.service
report $? "a service is started"
wait_for '^$' rows
check_exit "another run fails" 1 ctl flow start --wait units
wait_for '^2$' count '^handled units.flow '
wait_for '^$' rows
report $? "what is active already was told as well" "$(rows)"
check_equal "and is not started again" "$(count '^lasting$')" 1

check_exit "a run ends whose target is missing" 0 ctl flow start --wait nothing
RUN=$(last_run nothing)
wait_for 'was given up after 2 tries: missing.service cannot be started: ' ctl flow alarms --full nothing
report $? "it is given up after NotifyMax= tries" "$(ctl flow alarms --full nothing)"
wait_for '^1$' count '^counted$'
report $? "and the next target is told" "$(cat "$RECORD")"
ctl flow start victim >/dev/null
RUN=$(last_run victim)
wait_for 'given up after 1 try: to start enemy.service would stop victim.flow\.' ctl flow alarms --full victim
report $? "a start that would stop the flow is refused" "$(ctl flow alarms --full victim)"
check_prints "and its run goes on" RUNNING ctl flow list --no-legend victim
check_equal "nothing was started" "$(count '^enemy$')" 0
echo x >"$DIR/fifo"
check_exit "a run ends whose target is not there yet" 0 ctl flow start --wait late
wait_for '^waiting 1$' rows
unit late.service <<U
[Service]
ExecStart=/bin/sh -c 'echo late >>$RECORD'
U
check "its unit comes" ctl daemon-reload
wait_for '^1$' count '^late$'
report $? "and is started by a later try" "$(cat "$RECORD")"

# — death of core —

: >"$RECORD"
check_exit "a run ends, and who is first to be told of it lets the others wait" 0 ctl flow start --wait gated
RUN=$(last_run gated)
wait_for '^1$' count ' gate$'
kill_core KILL
report $? "core is killed, and another one follows"
check "a client subscribes" listen again
: >"$DIR/open"
wait_for '^end succeeded ' heard again "$RUN"
report $? "it hears of the end" "$(cat "$DIR/again" "$DIR/again.error")"
check_equal "in order, each once" "$(heard again "$RUN" | awk '{ print $1, $2, $3 }')" \
        "$(printf 'behind result a\nend succeeded -\n')"
wait_for '^end succeeded ' heard one "$RUN"
report $? "so does who was connected before core died, and connects again" "$(cat "$DIR/one.error")"
wait_for '^1$' count "^handled gated.flow $RUN a result$"
report $? "the flow has a run" "$(cat "$RECORD")"
wait_for '^1$' count '^counted$'
report $? "the service was started" "$(cat "$RECORD")"
for _ in 1 2 3 4 5 6 7 8; do
        ctl flow start --quiet gated
done
kill_core KILL
report $? "core is killed while runs end and tell"
for id in $(ctl flow list --no-legend --all gated | awk '{ print $1 }'); do
        wait_for '^end succeeded ' heard one "$id"
        report $? "who connects again at once hears of the end of run $id" "$(cat "$DIR/one.error")"
done
wait_for '^dead 2$' rows
report $? "all is told" "$(rows)"
wait_for '^9$' count '^handled gated.flow '
report $? "each run has one of the flow, no matter how often it was told" "$(cat "$RECORD")"
check_equal "and one alone" "$(ctl flow list --no-legend --all handler | wc -l)" 11

done_testing
