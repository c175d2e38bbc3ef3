#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The flows of units/examples do what they say, with real commands.
# S002-4, S004-1, S004-16, S004-20
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

EXAMPLES=$(dirname "$0")/../../units/examples
cp "$EXAMPLES"/{nightly*,etl*,release*} "$UNITS/"
export XDG_STATE_HOME=$DIR/state
mkdir -p "$XDG_STATE_HOME"

for FLOW in nightly etl release; do
        # The folders of their state are made when they run.
        check_equal "$FLOW has nothing to complain about" "$(ctl verify "$UNITS/$FLOW.flow" | grep -v 'There is no directory')" ""
done
start_daemon

# The run of a flow that was started last.
last() {
        ctl flow list --no-legend "$1" | awk '$1 > id { id = $1 } END { print id }'
}

state() {
        ctl flow show "$1" | sed -n 's/^ *State: \([A-Z]*\).*/\1/p'
}

# — a backup —
check "a backup is made" ctl flow start --wait nightly
check_equal "and can be read" "$(tar -tzf "$XDG_STATE_HOME/nightly/backup-1.tar.gz" 2>/dev/null)" etc/os-release
check_equal "its checksum is right" "$(sha256sum <"$XDG_STATE_HOME/nightly/backup-1.tar.gz")" "$(cat "$XDG_STATE_HOME/nightly/backup-1.sum")"
check "a second one, of which one is kept" ctl flow start --wait nightly keep:=1
check_equal "is the only one" "$(cd "$XDG_STATE_HOME/nightly" && ls backup-*.tar.gz)" backup-2.tar.gz
check_exit "without a source it fails" 1 ctl flow start --wait nightly source=/nonexistent
check_prints "after three attempts" 'pack +FAILED +3' ctl flow show "$(last nightly)"
check_prints "and nothing is stored" 'store +(SKIPPED|CANCELLED)' ctl flow show "$(last nightly)"
wait_for . cat "$XDG_STATE_HOME/nightly/alarm"
check "and the alarm is given" test -s "$XDG_STATE_HOME/nightly/alarm"

# — fan-out —
check "data is loaded" ctl flow start --wait etl
check_equal "all of it" "$(sort -n "$XDG_STATE_HOME/etl/loaded" | tr '\n' ' ')" "$(seq 1 30 | tr '\n' ' ')"
ctl flow start --wait etl broken=2 >/dev/null 2>&1
check_equal "one part may fail" "$(state "$(last etl)")" PARTIAL
check_equal "the others are loaded" "$(wc -l <"$XDG_STATE_HOME/etl/loaded")" 20
check_equal "and nothing is left" "$(cd "$XDG_STATE_HOME/etl" && ls)" "data
loaded"

# — a release —
check_prints "a release has a version" 'version' ctl flow start release
ctl flow start release version=1.0 >/dev/null 2>&1
RUN=$(last release)
wait_for 'approve +PENDING' ctl flow show "$RUN"
check "it waits for a person" test ! -e "$XDG_STATE_HOME/release/current"
check "who approves it" ctl flow approve "$RUN/approve"
wait_for 'State: SUCCEEDED' ctl flow show "$RUN"
check_equal "and it is deployed" "$(cat "$XDG_STATE_HOME/release/current")" 1.0
check_prints "and announced" 'Version 1.0 is out' ctl flow logs "$RUN/announce"
ctl flow start release version=2.0 healthy=no >/dev/null 2>&1
RUN=$(last release)
wait_for 'approve +PENDING' ctl flow show "$RUN"
ctl flow approve "$RUN/approve" >/dev/null
wait_for 'State: FAILED' ctl flow show "$RUN"
check_equal "one that is not healthy has failed" "$(state "$RUN")" FAILED
check_equal "and is rolled back" "$(cat "$XDG_STATE_HOME/release/current")" 1.0
check_prints "by what undoes the deployment" 'deploy@compensate +SUCCEEDED' ctl flow show "$RUN"
check_equal "the history has both" "$(cat "$XDG_STATE_HOME/release/history")" "1.0: SUCCEEDED
2.0: FAILED"
check_prints "and not announced" 'announce +SKIPPED' ctl flow show "$RUN"
done_testing
