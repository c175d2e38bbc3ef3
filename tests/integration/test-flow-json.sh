#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What each verb of flow prints with --json is what the table of jobctl(1) says: that table is the schema. The control is a table
# with a key more in each row, which no output has.
# S004-19
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

TABLE=$(dirname "$0")/../../doc/jobctl.1.scd
mkdir "$DIR/printed"

cat >"$DIR/fits" <<'P'
"""fits TABLE VERB: does the standard input fit the row of that verb? Says what does not, with status 1."""
import json
import re
import sys

KEY = re.compile(r'_([a-z-]+)_')
rows = {}
for names, says in re.findall(r'^\|  (flow .*)\n:  (.*)$', open(sys.argv[1], encoding='utf-8').read(), re.M):
    for name in names.removeprefix('flow ').split(', '):
        rows[name.removeprefix('flow ')] = says
verb = {'explain': 'why'}.get(sys.argv[2], sys.argv[2])
says = rows.get(verb) or rows['...']
lines = sys.stdin.read().splitlines()
wrong = []


def keys(text):
    """Those of an object, and below the ones that are arrays of objects."""
    found = {}
    for key, below in re.findall(r'_([a-z-]+)_(?: \(array: ([^)]*)\))?', re.sub(r' \((?!array: )[^)]*\)', '', text)):
        found[key] = KEY.findall(below)
    return found


def judge(value, wanted):
    if not isinstance(value, dict):
        wrong.append(f'this is no object: {value}')
        return
    for key, below in wanted.items():
        if key not in value:
            wrong.append(f'{key} is missing: {value}')
        elif below and (not isinstance(value[key], list) or not value[key]):
            wrong.append(f'{key} is no array of objects: {value[key]}')
        for item in value.get(key) or [] if below else []:
            judge(item, {name: [] for name in below})


if not lines:
    wrong.append('nothing was printed')
kind, _, rest = says.partition(': ')
rest = rest.split(';')[0].split('. ')[0]
values = []
try:
    # An object or an array may have several lines; each of many objects has one.
    whole = kind in ('object', 'the result') or verb in ('retry', 'resolve')
    values = [json.loads('\n'.join(lines))] if whole else [json.loads(line) for line in lines]
except ValueError as error:
    wrong.append(f'this is no JSON ({error}): {" ".join(lines)[:200]}')
if kind == 'the result':
    wrong += [] if not KEY.findall(rest) else ['a result has no keys']
else:
    for value in values:
        judge(value, keys(rest))
print('\n'.join(wrong))
sys.exit(bool(wrong))
P
fits() {
        python3 "$DIR/fits" "$@"
}

# prints VERB [ARGUMENT…]: the verb is executed with --json; what it prints fits its row. Both go into a file for the control.
prints() {
        local verb=$1 out said
        shift
        out=$DIR/printed/$verb
        ctl flow "$verb" --json "$@" >"$out" 2>"$DIR/errors"
        said=$(fits "$TABLE" "$verb" <"$out")
        report $? "$verb: as its row says" "$said $(cat "$DIR/errors")"
}

last_run() {
        ctl flow list --no-legend --all | awk 'NR == 1 { print $1 }'
}

# state RUN[/NODE]: of it
# shellcheck disable=SC2317
state() {
        ctl flow show --json "${1%/*}" | python3 -c '
import json, sys

row = json.load(sys.stdin)
name = sys.argv[1].partition("/")[2]
print(next((node["state"] for node in row["nodes"] if node["node"] == name), "none") if name else row["state"])' "$1"
}

# begin FLOW: starts a run, whose number is in $RUN
begin() {
        ctl flow start --quiet "$1"
        RUN=$(last_run)
}

unit all.flow <<U
[Flow]
MaxRuns=20
[Node done]
Exec=/bin/sh -c 'echo 5 >\$\$JOBD_RESULT; echo text'
Compensate=/bin/true
[Node gate]
DependsOn=done
Gate=manual
Exec=/bin/true
[Node token]
DependsOn=gate
Callback=yes
Exec=/bin/sh -c 'echo "\$\$JOBD_TOKEN" >$DIR/new; mv $DIR/new $DIR/token'
[Node fail]
DependsOn=token
FailurePolicy=suspend
Exec=/bin/sh -c 'test -e $DIR/well'
U
unit hold.flow <<U
[Flow]
MaxRuns=20
[Node a]
Lock=disk
Exec=/bin/sleep infinity
[Node b]
DependsOn=a
Exec=/bin/true
U
unit keep.flow <<U
[Node a]
Lock=tape
Exec=/bin/false
FailurePolicy=suspend
U
start_daemon

# — one run, to its end —
prints start all
RUN=$(last_run)
wait_for '^PENDING$' state "$RUN/gate"
prints plan all
prints graph "$RUN"
prints list
prints approve "$RUN/gate"
wait_for . cat "$DIR/token"
prints complete "$(cat "$DIR/token")"
wait_for '^SUSPENDED$' state "$RUN"
prints show "$RUN"
prints why "$RUN"
prints explain "$RUN"
prints alarms
prints ack "$(ctl flow alarms --no-legend | awk 'NR == 1 { print $1 }')"
prints retry "$RUN"
wait_for '^SUSPENDED$' state "$RUN"
prints resolve "$RUN/fail" --as=success
wait_for '^SUCCEEDED$' state "$RUN"
prints result "$RUN/done"
wait_for text ctl flow logs "$RUN"
prints logs "$RUN"
: >"$DIR/well"
prints rerun "$RUN/fail"
wait_for '^SUCCEEDED$' state "$RUN/fail"
wait_for '^SUCCEEDED$' state "$RUN"
prints compensate "$RUN"
wait_for '^SUCCEEDED$' state "$RUN"
prints delete "$RUN"

# — others —
begin hold
wait_for '^RUNNING$' state "$RUN/a"
prints pause "$RUN"
prints resume "$RUN"
prints locks
echo '{"Node":"more"}' >"$DIR/more"
prints add-nodes "$RUN/a" "$DIR/more"
prints skip "$RUN/b"
prints cancel "$RUN"
wait_for '^CANCELLED$' state "$RUN"
begin hold
wait_for '^RUNNING$' state "$RUN/a"
prints stop "$RUN"
ctl flow cancel --quiet "$RUN"
begin keep
wait_for '^SUSPENDED$' state "$RUN"
prints unlock "$RUN/a"
ctl flow cancel --quiet "$RUN"
cat >"$DIR/made.json" <<J
{"name":"made","workflow":{"specification":{"tasks":[{"id":"one","name":"one","parents":[],"children":[]}]}}}
J
prints import --from=wfcommons --output="$DIR" "$DIR/made.json"

# — all of them —
HELP=$({ ctl help flow | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'; echo explain; } | sort)
check_equal "each verb was tried" "$(ls "$DIR/printed" | LC_ALL=C sort)" "$(LC_ALL=C sort <<<"$HELP")"
check_prints "a failure is a document, too" '^\{"ok":false,"error":"[A-Za-z]+","message":"' ctl flow show --json 4000

# — control —
sed '/^|  flow /{ n; s/^:  \(object\|lines, an object each\|for each [a-z]* a line\)\(: \|$\)/:  \1: _nosuch_, /; }' "$TABLE" >"$DIR/table"
MISSED=$(for file in "$DIR"/printed/*; do
        fits "$DIR/table" "${file##*/}" <"$file" >/dev/null && printf '%s ' "${file##*/}"
done)
check_equal "control: a key that no verb prints is missed in all but the result" "$MISSED" "result "
done_testing
