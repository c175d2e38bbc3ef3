#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Who may submit runs of a flow and control them: AllowSubmit=, AllowControl=, and who has submitted a run.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

if ! has_users || ! command -v setpriv >/dev/null; then
        skip "others may submit and control what a flow allows them" "this test needs other users, and setpriv"
        done_testing
fi

chmod 755 "$DIR"
cp "$BUILD/jobctl" "$DIR/jobctl"
chmod 755 "$DIR/jobctl"
unit closed.flow <<'U'
[Flow]
[Node a]
Exec=/bin/false
U
unit outer.flow <<'U'
[Flow]
AllowSubmit=nobody
[Node part]
Flow=inner.flow
U
unit inner.flow <<'U'
[Flow]
[Node a]
Gate=manual
Exec=/bin/true
U
unit open.flow <<'U'
[Flow]
AllowSubmit=nobody
AllowControl=@daemon
MaxRuns=9
[Node a]
Exec=/bin/false
FailurePolicy=suspend
U

# of USER ARGUMENT…: jobctl of that user
of() {
        setpriv --reuid "$1" --regid "$(id -g "$1")" --clear-groups "$DIR/jobctl" --socket "$DIR/run/private" "${@:2}" </dev/null
}

run_state() {
        of root flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

# start_system: in namespaces of its own, as all tests
start_system() {
        "$START_READY" "$DIR/pid" "$DIR/log" "$BUILD/jobd" --system --unit-path "$UNITS" --default-unit none \
                --runtime-dir "$DIR/run" --no-bus || {
                echo "Bail out! jobd does not start"
                exit 1
        }
        DAEMON=$(cat "$DIR/pid")
        find_core
}

start_system

check_exit "who is not named may not submit" 4 of nobody flow start closed
check_prints "and is told who may" 'Only root, and users whom AllowSubmit= of the flow names, may call StartRun; the caller is uid 65534' \
        printf '%s' "$OUT"
check "AllowSubmit= lets a user submit" of nobody flow start open
wait_for '^SUSPENDED$' run_state 1
report $? "the run is there"
check_exit "but not start the unit" 4 of nobody start open.flow
check_exit "others may not submit" 4 of daemon flow start open
check "AllowControl= lets a member of a group control it" of daemon flow retry 1/a
check_exit "others may not" 4 of bin flow cancel 1
check_prints "and are told who may" 'Only root, the user who has submitted the run, and users whom AllowControl= of its flow names, may call Cancel' \
        printf '%s' "$OUT"
check "who has submitted it may, without being named" of nobody flow cancel 1
wait_for '^CANCELLED$' run_state 1
report $? "it is cancelled"

# — of a run that has ended the store knows whose it is —
check_exit "others may not retry it" 4 of bin flow retry 1/a
check_prints "which is said when it has been read" 'AllowControl= of open.flow names, may control run 1' printf '%s' "$OUT"
check "who has submitted it may" of nobody flow retry 1/a
wait_for '^SUSPENDED$' run_state 1
report $? "it has a next round"
of root flow start open
wait_for '^SUSPENDED$' run_state 2
report $? "root submits one, too"
check_exit "who may submit may not control those of others" 4 of nobody flow cancel 2

# — a run that is a part of another —
check "a flow may have a part that its submitters may not start" of nobody flow start outer
wait_for 'gate' of root flow show 4
report $? "the part is there"
check_exit "who has submitted the whole may not approve within it" 4 of nobody flow approve 4/a
check_exit "nor cancel it alone" 4 of nobody flow cancel 4
check "but all of it" of nobody flow cancel 3
wait_for '^CANCELLED$' run_state 4
report $? "with its part"

# — what the unit says now —
kill_core KILL
check "also after the death of core" of daemon flow cancel 2
wait_for '^CANCELLED$' run_state 2
report $? "it is known who may"
sed -i '/^Allow/d' "$UNITS/open.flow"
of root daemon-reload
check_exit "who is named no more may no more" 4 of nobody flow start open
check_exit "and not control, either" 4 of daemon flow cancel 1
check "but who has submitted it still may" of nobody flow cancel 1
done_testing
