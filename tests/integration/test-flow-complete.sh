#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Nodes that others complete: Callback=, the token, CompleteNode and jobctl flow complete; before the end of the command,
# after it, after deaths, twice, and by somebody who has another token
# S004-6, S004-7, S004-20
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

last_run() {
        ctl flow list --no-legend --all | awk 'NR == 1 { print $1 }'
}

# node RUN/NODE: its state and reason
# shellcheck disable=SC2317
node() {
        ctl flow show --json "$1" | python3 -c 'import json, sys
o = json.load(sys.stdin)
o = o.get("node", o) if isinstance(o.get("node"), dict) else o
print(o["state"], o.get("reason") or "-", o.get("result"))'
}

# token RUN: which the command of a run has left
token() {
        cat "$DIR/token-$1"
}

cat >"$DIR/leave" <<W
#!/bin/sh
echo "\$JOBD_TOKEN" >$DIR/new && mv $DIR/new $DIR/token-\$JOBD_RUN
echo "\$JOBD_RUN" >>$DIR/began
W
chmod +x "$DIR/leave"
unit wait.flow <<U
[Flow]
MaxRuns=20
[Node a]
Callback=yes
Exec=$DIR/leave
[Node b]
DependsOn=a
When=a.result.n == 5
Exec=/bin/true
U
unit early.flow <<U
[Flow]
MaxRuns=20
[Node a]
Callback=yes
Outputs=n
Exec=/bin/sh -c '$DIR/leave; until test -e $DIR/early; do sleep 0.05; done'
U
unit self.flow <<U
[Flow]
[Node a]
Callback=yes
Environment=JOBD_SOCKET=$JOBD_SOCKET
Exec=$BUILD/jobctl flow complete --quiet
U
unit late.flow <<U
[Flow]
[Node a]
Callback=yes
TimeoutSec=1
Exec=$DIR/leave
U
unit nothing.flow <<U
[Flow]
[Node a]
Callback=yes
U
start_daemon

# wait_for_token FLOW: starts a run; when its node waits to be completed, $RUN and $TOKEN are set
wait_for_token() {
        ctl flow start "$1" >/dev/null
        RUN=$(last_run)
        wait_for '^RUNNING callback' node "$RUN/a" || return 1
        TOKEN=$(token "$RUN")
}

wait_for_token wait
report $? "a node waits after its command" "$(node "$RUN/a")"
check_prints "which is said" "whoever has its token has to complete it" ctl flow why "$RUN/a"
check_exit "somebody completes it" 0 ctl flow complete "$TOKEN" '{"n":5}'
check_prints "that is said" '^The node is completed as success.$' echo "$OUT"
wait_for '^SUCCEEDED' node "$RUN/b"
report $? "what is behind it runs, by the result"
check_prints "the result is that of the node" '^SUCCEEDED - \{"n":5\}$' node "$RUN/a"
check_exit "the same again changes nothing" 0 ctl flow complete "$TOKEN" '{"n":5}'
check_exit "nor does the outcome alone" 0 ctl flow complete "$TOKEN"
check_exit "another result is refused" 4 ctl flow complete "$TOKEN" '{"n":6}'
check_prints "since it is dropped" "Node a of run $RUN is SUCCEEDED: it cannot be completed in another way than before" echo "$OUT"
check_exit "not the other thing" 4 ctl flow complete --as=failed "$TOKEN"
check_prints "which is said" "Node a of run $RUN is SUCCEEDED: it cannot be completed in another way than before" echo "$OUT"

wait_for_token wait
report $? "another one waits"
check_exit "a token of another node is refused" 5 ctl flow complete "$RUN.$(token $((RUN - 1)) | cut -d. -f2-)"
check_prints "as unknown" 'No node has this token' echo "$OUT"
check_exit "no token at all, too" 5 ctl flow complete abc
check_exit "and one of a run that is not there" 5 ctl flow complete "99999.0.1.${TOKEN##*.}"
check_exit "a result has to be JSON" 2 ctl flow complete "$TOKEN" '{n'
check_prints "which is said" 'The result is not JSON: ' echo "$OUT"
check_exit "an outcome is one of two" 2 ctl flow complete --as=maybe "$TOKEN"
check_prints "which is said" "not completed as 'maybe', but as success or failed" echo "$OUT"
check_prints "it still waits" '^RUNNING callback' node "$RUN/a"
check_exit "a failure fails it" 0 ctl flow complete --as=failed "$TOKEN"
wait_for '^FAILED callback' node "$RUN/a"
report $? "with the reason"
check "it is retried" ctl flow retry "$RUN/a"
wait_for '^RUNNING callback' node "$RUN/a"
check_exit "its old token is refused" 4 ctl flow complete "$TOKEN"
check_prints "since it was begun again" 'has been begun again since it had this token' echo "$OUT"
check_exit "the new one is not" 0 ctl flow complete "$(token "$RUN")"
wait_for 'SKIPPED' node "$RUN/b"
report $? "and the run goes on"

# — deaths —

wait_for_token wait
report $? "a node waits while core dies"
kill_core KILL
check_exit "it is completed with the next" 0 ctl flow complete "$TOKEN" '{"n":5}'
kill_core KILL
wait_for '^SUCCEEDED' node "$RUN/b"
report $? "and its run goes on over another death"
check_exit "the same again is the same" 0 ctl flow complete "$TOKEN" '{"n":5}'
check_exit "and another result is another one" 4 ctl flow complete "$TOKEN" '{"n":6}'
check_equal "its command ran once" "$(grep -c "^$RUN\$" "$DIR/began")" 1

ctl flow start early >/dev/null
RUN=$(last_run)
wait_for . cat "$DIR/token-$RUN"
TOKEN=$(token "$RUN")
check_exit "a result lacks what Outputs= names" 2 ctl flow complete "$TOKEN" '{"m":1}'
check_exit "a node is completed before its command has ended" 0 ctl flow complete "$TOKEN" '{"n":7}'
check_prints "it runs on" '^RUNNING' node "$RUN/a"
STORE=$(awk '/^Name:/ { name = $2 } /^PPid:/ && name == "jobd-runstore" { split(FILENAME, part, "/"); print part[3] }' /proc/[0-9]*/status 2>/dev/null)
# shellcheck disable=SC2086
kill -9 $STORE
kill_core KILL
report $? "core and store die"
: >"$DIR/early"
wait_for '^SUCCEEDED' node "$RUN/a"
report $? "and that counts at its end"
check_prints "with the result" '^SUCCEEDED - \{"n":7\}$' node "$RUN/a"

check_exit "a command can complete its own node" 0 ctl flow start --wait self
check_exit "TimeoutSec= goes on while a node waits" 1 ctl flow start --wait late
RUN=$(last_run)
check_prints "it has timed out" '^TIMEOUT' node "$RUN/a"
check_exit "and is not completed any more" 4 ctl flow complete "$(token "$RUN")"
check_exit "without a token there is a hint" 2 env -u JOBD_TOKEN "$BUILD/jobctl" flow complete
check_prints "and a node without a command is refused" "it has neither Exec= nor Script=, so that nobody would learn its token" \
        ctl verify "$UNITS/nothing.flow"
done_testing
