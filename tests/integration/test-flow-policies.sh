#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Commands that judge whether nodes may run: what they are told and what they may say, and that a bad one asks a person.
# S000-10, S000-15, S000-16
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

mkfifo "$DIR/go" "$DIR/end"
: >"$DIR/asked"

# node_states RUN: "a=SUCCEEDED b=SKIPPED/upstream"
node_states() {
        ctl flow show "$1" --json | python3 -c '
import json, sys
run = json.load(sys.stdin)
print(" ".join("%s=%s%s" % (n["node"], n["state"], "/" + n["reason"] if n.get("reason") else "") for n in sorted(run["nodes"], key=lambda n: n["node"])))'
}

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

# asked: how many questions there were
asked() {
        wc -l <"$DIR/asked"
}

# events RUN: what policies have decided
events() {
        python3 - "$XDG_STATE_HOME/jobd/runs.db" "$1" <<'P'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(
        "SELECT node, new, reason FROM event WHERE run = ? AND kind = 'policy' ORDER BY id", (sys.argv[2],)):
    print(*row)
P
}

# is_gone N: says so if the command that was asked as the Nth has ended; it has written its pid
is_gone() {
        kill -0 "$(sed -n "$1p" "$DIR/asked")" 2>/dev/null || echo gone
}

# judge: a question is a line in "asked"; its answer is what the file of the node has, or else by the shares of its context
cat >"$DIR/judge" <<U
#!/usr/bin/env python3
import json, os, sys
question = json.load(sys.stdin)
assert question == json.load(open(os.environ["JOBD_INPUT"]))
with open("$DIR/asked", "a") as record:
    record.write(json.dumps(question) + "\n")
print("this is for the log", file=sys.stderr)
node = os.environ["JOBD_NODE"]
if os.path.exists("$DIR/" + node):
    print(open("$DIR/" + node).read(), end="")
    sys.exit(0)
states = [parent["state"] for parent in question["parents"]]
wanted = question["context"]["share"] * len(states)
if states.count("SUCCEEDED") >= wanted:
    print("READY", states.count("SUCCEEDED"), "of", len(states))
elif states.count("SUCCEEDED") + states.count("RUNNING") + states.count("READY") >= wanted:
    print("WAIT for more")
else:
    print("NEVER")
U
chmod +x "$DIR/judge"

unit share.flow <<U
[Flow]
FailurePolicy=continue
[Policy share]
Command=$DIR/judge %{param.who}
TimeoutSec=1h
[Node a]
Exec=/bin/sh -c 'echo [1,2] >\$JOBD_RESULT'
[Node b]
Exec=/bin/sh -c 'read -r x <$DIR/go; exit 3'
[Node half]
DependsOn=a b
Readiness=policy:share
ReadinessContext={"share":0.5}
Exec=/bin/true
[Node all]
DependsOn=a b
Readiness=policy:share
ReadinessContext={"share":1}
Exec=/bin/true
U
sed -i 's/^\[Flow\]$/[Flow]\nParams=who=me/' "$UNITS/share.flow"
unit say.flow <<U
[Policy say]
Command=$DIR/judge
[Node a]
Exec=/bin/true
[Node said]
DependsOn=a
Readiness=policy:say
Exec=/bin/true
U
unit bad.flow <<U
[Policy fails]
Command=/bin/sh -c 'echo READY; exit 3'
[Policy hangs]
Command=/bin/sh -c 'trap "" TERM; echo READY; while :; do sleep 1000; done'
TimeoutSec=200ms
[Policy chatters]
Command=/bin/sh -c 'while :; do echo READY || exit 0; done'
TimeoutSec=200ms
[Policy lacks]
Command=$DIR/none
[Policy garbage]
Command=/bin/echo yes, please
[Policy silent]
Command=/bin/true
[Policy waits]
Command=/bin/echo WAIT for nothing
[Policy leaves]
Command=/bin/sh -c 'echo READY left; sleep 1000 &'
[Node fails]
Readiness=policy:fails
[Node hangs]
Readiness=policy:hangs
[Node chatters]
Readiness=policy:chatters
[Node lacks]
Readiness=policy:lacks
[Node garbage]
Readiness=policy:garbage
[Node silent]
Readiness=policy:silent
[Node waits]
Readiness=policy:waits
[Node leaves]
Readiness=policy:leaves
U
unit slow.flow <<U
[Policy slow]
Command=/bin/sh -c 'echo \$\$ >>$DIR/asked; read -r x <$DIR/end; echo READY'
TimeoutSec=1h
[Node a]
Exec=/bin/true
[Node b]
DependsOn=a
Readiness=policy:slow
Exec=/bin/true
U
{
        printf '[Flow]\nMaxParallel=200\n[Policy slow]\nCommand=/bin/sh -c '
        printf "'echo x >>%s/asked; read -r x <%s/end; echo \$x'\n" "$DIR" "$DIR"
        printf 'TimeoutSec=1h\n[Node first]\nExec=/bin/true\n[Node gate]\nExec=/bin/sh -c "read -r x <%s/go"\n' "$DIR"
        for i in $(seq 998); do
                printf '[Node n%s]\nDependsOn=gate\n' "$i"
        done
        printf '[Node last]\nReadiness=policy:slow\nExec=/bin/true\nDependsOn=first gate\n'
        for i in $(seq 998); do
                printf 'DependsOn=n%s\n' "$i"
        done
} | unit many.flow

start_daemon

# — what it is told, and what it says —
ctl flow start share
wait_for 'half=SUCCEEDED' node_states 1
report $? "a node runs when its policy says READY"
check_equal "another one with another context waits" "$(node_states 1)" \
        "a=SUCCEEDED all=WAITING b=RUNNING half=SUCCEEDED"
wait_for "policy 'share' has said WAIT: for more" ctl flow why 1/all
report $? "why names the policy and its last answer"
check_prints "with --json, too" '"answer": ?"WAIT"' ctl flow why 1/all --json
check_equal "it is told the event, the context, and of its parents state, exit and result" "$(python3 -c '
import json
for line in open("'"$DIR"'/asked"):
    question = json.loads(line)
    if question["node"]["name"] == "half":
        a = question["parents"][0]
        print(question["event"], question["context"], question["run"]["id"], a["name"], a["state"], a["exit"], a["result"])
        break')" "policy {'share': 0.5} 1 a SUCCEEDED 0 [1, 2]"
check_prints "its errors are in the log" 'this is for the log' ctl flow logs 1
echo go >"$DIR/go"
wait_for '^PARTIAL$' run_state 1
report $? "the run ends"
check_equal "NEVER skips the node" "$(node_states 1)" \
        "a=SUCCEEDED all=SKIPPED/upstream-failed b=FAILED half=SUCCEEDED"

echo 'FAIL it is no good' >"$DIR/said"
check_exit "FAIL fails it" 1 ctl flow start --wait say
check_equal "with the reason policy" "$(node_states 2)" "a=SUCCEEDED said=FAILED/policy"
echo 'PENDING ask the boss' >"$DIR/said"
ctl flow start say
wait_for '^SUSPENDED$' run_state 3
report $? "PENDING asks a person"
check_prints "why says what the policy has said" "policy 'say' has said PENDING: ask the boss" ctl flow why 3/said
check_prints "the alarm has it, too" 'ask the boss' ctl flow alarms
check_prints "and the events of the run" '^said PENDING ask the boss$' events 3
ctl flow resolve 3/said --as=retry
wait_for '^SUCCEEDED$' run_state 3
report $? "who lets the node run"

# — what is no answer —
ctl flow start bad
wait_for '^SUSPENDED$' run_state 4
report $? "a policy that does not answer asks a person"
check_equal "each in its way, but one that leaves a process behind" "$(node_states 4)" \
        "chatters=PENDING/policy fails=PENDING/policy garbage=PENDING/policy hangs=PENDING/policy lacks=PENDING/policy leaves=SUCCEEDED silent=PENDING/policy waits=PENDING/policy"
check_prints "one that fails is named with its status" "'fails' has said PENDING: .*status 3" ctl flow why 4/fails
check_prints "one that hangs is killed in time" "not answered in time" ctl flow why 4/hangs
check_prints "one without end, too" "not answered in time" ctl flow why 4/chatters
check_prints "one that is not there is named" "cannot be executed: .*$DIR/none" ctl flow why 4/lacks
check_prints "garbage is named" "none of READY" ctl flow why 4/garbage
check_prints "silence is named" "said nothing" ctl flow why 4/silent
check_prints "one that waits for nothing is named" "has said WAIT: for nothing" ctl flow why 4/waits
wait_for '^0$' sh -c "pgrep -fxc 'sleep 1000' || true"
report $? "nothing is left of them"
ctl flow cancel 4

# — one at a time, and again if something has changed —
: >"$DIR/asked"
ctl flow start many
wait_for '^1$' asked
report $? "the first end of a parent asks"
echo go >"$DIR/go"
wait_for '"done":1000' sh -c "'$BUILD/jobctl' flow show 5 --json | tr -d ' '"
report $? "999 more have ended while the command judges"
check_equal "which is asked once at a time" "$(asked)" 1
check_prints "and why says so" "policy 'slow' is asked" ctl flow why 5/last
echo NEVER >"$DIR/end"
wait_for '^2$' asked
report $? "its answer about what was is asked for again"
echo READY >"$DIR/end"
wait_for '^SUCCEEDED$' run_state 5
report $? "and the second one counts"
check_equal "of 1,000 parents there were at most 3 questions" "$(asked)" 2
check_equal "the node has run" "$(node_states 5 | tr ' ' '\n' | grep '^last')" "last=SUCCEEDED"

# — deaths and stops —
: >"$DIR/asked"
ctl flow start slow
wait_for '^1$' asked
report $? "a question is under way"
kill_core KILL
wait_for '^2$' asked
report $? "after the death of core it is asked anew"
wait_for gone is_gone 1
report $? "and the old one is gone"
ctl flow pause 6
echo go >"$DIR/end"
wait_for 'b=READY' node_states 6
report $? "an answer counts while the run is paused"
ctl flow resume 6
wait_for '^SUCCEEDED$' run_state 6
report $? "and the node runs"
: >"$DIR/asked"
ctl flow start slow
wait_for '^1$' asked
check "a cancel does not wait for the answer" ctl flow cancel 7
wait_for '^CANCELLED$' run_state 7
report $? "the run has ended"
wait_for gone is_gone 1
report $? "and the command with it"
wait_for '^inactive$' ctl is-active slow.flow
report $? "so that the flow is inactive"

# — a policy without a section —
mkdir "$UNITS/policies"
cat >"$UNITS/policies/common" <<U
#!/bin/sh
echo "\$JOBD_POLICY" >>$DIR/common
[ -e $DIR/ready ] && echo READY || echo WAIT
U
unit common.flow <<U
[Node a]
Exec=/bin/true
[Node b]
Exec=/bin/sh -c 'read -r x <$DIR/go'
[Node c]
DependsOn=a b
Readiness=policy:common
Exec=/bin/true
U
check_prints "a program that is not executable is none" 'no section \[Policy common\], nor.* program policies/common in the unit path' \
        ctl verify "$UNITS/common.flow"
chmod +x "$UNITS/policies/common"
check_prints "else it is a policy without a section" '^$' ctl verify "$UNITS/common.flow"
ctl flow start common
COMMON=$(ctl flow list --no-legend common | awk '{ print $1 }')
wait_for '^common$' cat "$DIR/common"
report $? "which is asked"
check_prints "a relative unit path has it, too" '^$' sh -c "cd '$UNITS' && '$BUILD/jobctl' verify common.flow"
check_lacks "the unit is as on the disk" 'NeedDaemonReload=yes' ctl show common.flow
mv "$UNITS/policies" "$UNITS/away"
check_prints "and is not when the program is gone" 'NeedDaemonReload=yes' ctl show common.flow
rm -r "$UNITS/away"
kill_core KILL
touch "$DIR/ready"
echo go >"$DIR/go"
wait_for '^SUCCEEDED|^PARTIAL|^SUSPENDED' run_state "$COMMON"
check_prints "the run knows it when core has died, though it is gone from the unit path" 'policies/common' ctl flow why "$COMMON"
done_testing
