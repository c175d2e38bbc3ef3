#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a start of a flow would do, of which nothing happens.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

mkfifo "$DIR/go" "$DIR/paced"

unit build.flow <<U
[Flow]
Params=full:=false host=db1
Lock=site
[Policy judge]
Command=/bin/echo READY
[Node fetch]
Exec=/bin/sh -c 'echo ran >>$DIR/ran' fetch %{param.host}
Lock=disk
[Node full]
DependsOn=fetch
When=param.full
Exec=/bin/true full
[Node quick]
DependsOn=fetch
Otherwise=yes
Exec=/bin/true quick
[Node changed]
DependsOn=reload
When=param.host == "db1" and fetch.result.changed == true
Exec=/bin/true
[Node reload]
DependsOn=quick full
Readiness=one-success
Unit=app.service
Operation=restart
[Node wait]
DependsOn=reload
SleepSec=1h
[Node told]
DependsOn=wait
Gate=manual
[Node judged]
DependsOn=told
Readiness=policy:judge
[Node broken]
DependsOn=fetch
Readiness=one-failed
U
unit app.service <<U
[Unit]
Requires=db.service
After=db.service
[Service]
ExecStart=/bin/sleep infinity
U
unit db.service <<U
[Service]
ExecStart=/bin/sleep infinity
U
unit self.flow <<U
[Unit]
Requires=app.service
[Node b]
Exec=/bin/sh -c 'read -r x <$DIR/go'
[Node a]
DependsOn=b
Unit=app.service
Operation=stop
U
unit one.flow <<U
[Flow]
OnBusy=reject
[Node a]
Exec=/bin/sh -c 'read -r x <$DIR/go'
U

# forecasts FLOW…: "fetch=runs:1 …"
forecasts() {
        ctl flow plan "$@" --json | python3 -c '
import json, sys
plan = json.load(sys.stdin)
print(" ".join("%s=%s%s:%d" % (n["node"], n["forecast"], "/" + n["reason"] if "reason" in n else "", n["step"]) for n in plan["nodes"]))'
}

unit script.flow <<'U'
[Node x]
Script=# what it does
Script=echo one two
Script=echo three
U
unit paced.flow <<U
[Flow]
MaxParallel=2
[Node slow]
Exec=/bin/sh -c 'read -r x <$DIR/paced'
[Node next]
DependsOn=slow
Exec=/bin/true
U
start_daemon

check_prints "of a script its first line" '^ *1 +x +runs +a script: echo one two$' ctl flow plan script
check_prints "a plan says what would become of a run" '^A run of build.flow would begin, after the start of the unit' \
        ctl flow plan build
check_prints "what it takes" 'It would take lock site' ctl flow plan build
check_prints "a node has its step and its command" '^ *1 +fetch +runs +lock disk +/bin/sh -c .* fetch %\{param.host\}' \
        ctl flow plan build
check_prints "a job has those that it brings about" 'restart app.service.*start db.service' ctl flow plan build --full
check_equal "conditions are resolved as far as they are known" "$(forecasts build)" \
        "fetch=runs:1 quick=runs:2 reload=runs:3 changed=may-run/when:4 wait=runs:4 told=runs/gate:5 judged=may-run/policy:6 full=skipped/when:0 broken=skipped/upstream:0"
check_equal "by the parameters" "$(forecasts build full:=true host=db2)" \
        "fetch=runs:1 full=runs:2 reload=runs:3 wait=runs:4 told=runs/gate:5 judged=may-run/policy:6 quick=skipped/when:0 changed=skipped/when:0 broken=skipped/upstream:0"
check_prints "a policy is named" 'judged +may run \(policy judge\)' ctl flow plan build
check_exit "a parameter that is not declared is refused" 2 ctl flow plan build x=1
check_prints "by name" "'x'" printf '%s' "$OUT"
check_exit "a flow that is not there is refused" 5 ctl flow plan none
check_exit "a unit that is no flow is refused" 4 ctl flow plan app.service
check_prints "and told how to plan it" "jobctl plan start:app.service" printf '%s' "$OUT"
check_exit "a plan is about one flow" 2 ctl flow plan build one
check_equal "nothing has happened" "$(ls "$DIR/ran" 2>/dev/null)$(ctl is-active app.service db.service build.flow | tr '\n' ' ')" "inactive inactive inactive "
ctl flow start one
wait_for RUNNING ctl flow list
check_prints "a run that would be refused is told, with the one in its way" \
        'would be refused: as many run as MaxRuns= allows \(run 1\)' ctl flow plan one
check_prints "with --json, too" '"would": ?"reject"' ctl flow plan one --json
echo go >"$DIR/go"
ctl flow start self
wait_for 'RUNNING' ctl flow show 2
check_prints "a job that would stop its own flow is refused" 'stop app.service.*refused: WouldStopItself' \
        ctl flow plan self --full
ctl flow cancel 2

# — how long it would take —
ctl flow plan paced | grep -q 'it would take [0-9]'
check_equal "a flow without a run has no spans" $? 1
ctl flow start --quiet paced
PACED=$(ctl flow list --no-legend paced | awk 'NR == 1 { print $1 }')
wait_for 'slow is RUNNING' ctl flow why "$PACED"
timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/paced"
wait_for SUCCEEDED ctl flow show "$PACED"
check_prints "one with a run is told by its nodes" "^By how long its nodes took in run $PACED it would take .+s\\.\$" \
        ctl flow plan paced
spans() {
        { ctl flow plan --json paced; ctl flow show --json "$PACED"; } | python3 -c '
import json, sys
plan, run = map(json.loads, sys.stdin.read().strip().split("\n"))
took = sum(node["ended"] - node["started"] for node in run["nodes"])
print(plan["makespan"] == took > 0, plan["basis"], plan["unknown"], plan["max_parallel"],
      [node["after"] for node in plan["nodes"]])'
}
check_equal "JSON has the sum of both" "$(spans)" "True $PACED 0 2 [[], ['slow']]"
printf '[Node more]\nExec=/bin/true\n' >>"$UNITS/paced.flow"
ctl daemon-reload
check_prints "what that run does not know is said" 'and what 1 node takes which that run does not know\.$' ctl flow plan paced
STORE=$(awk '/^Name:/ { name = $2 } /^PPid:/ && name == "jobd-runstore" { split(FILENAME, part, "/"); print part[3] }' /proc/[0-9]*/status 2>/dev/null)
kill -STOP "$STORE"
SINCE=$SECONDS
{
        ctl flow plan paced
        echo "exits with $?"
} >"$DIR/plan" 2>&1 &
PLAN=$!
wait_for '^ *2 +next +runs' cat "$DIR/plan"
check_lacks "a plan does not wait for a store that keeps silent" 'exits' cat "$DIR/plan"
wait "$PLAN"
check "but for a few seconds" [ $((SECONDS - SINCE)) -lt 15 ]
check_equal "how long a run would take is unknown then" "$(tail -n 2 "$DIR/plan")" \
        "$(printf 'makespan: unknown, the store does not answer\nexits with 0\n')"
check_prints "JSON says so, too" '"problem": ?"the store does not answer"' ctl flow plan --json paced
kill -CONT "$STORE"
done_testing
