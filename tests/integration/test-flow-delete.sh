#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs that are deleted: they are not listed, and their names are free; their rows stay. Who has asked for what.
# S004-31, S004-41, S004-42
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

mkfifo "$DIR/held"
unit plain.flow <<'U'
[Node a]
Exec=/bin/true
U
unit held.flow <<U
[Node a]
Exec=/bin/sh -c 'read word <$DIR/held'
U
unit short.flow <<'U'
[Flow]
KeepRuns=1
[Node a]
Exec=/bin/true
U

field() {
        ctl flow show --json "${@:3}" "$1" | jq -r ".$2"
}

# events RUN: what people have done to it, by whom and by which request
events() {
        python3 - "$XDG_STATE_HOME/jobd/runs.db" "$1" <<'P'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(
        "SELECT new, operator, uid, reqid FROM event WHERE run = ? AND kind IN ('verb', 'created') ORDER BY id", (sys.argv[2],)):
    print(*row)
P
}

start_daemon
check "a run has a name" ctl flow start --quiet --wait --name=first --operator=anna --reqid=r1 plain
check "a run that has ended is deleted" ctl flow delete --operator=berta --reqid=r2 first
check_lacks "it is not listed" '^ *1 ' ctl flow list --all
check_exit "nor shown" 5 ctl flow show 1
check_exit "nor found by its name" 5 ctl flow show first
check_prints "an option lists it" '^ *1 .* deleted' ctl flow list --all --deleted
check_equal "and shows it" SUCCEEDED "$(field 1 state --deleted)"
check_prints "with the time" 'Deleted: ' ctl flow show --deleted 1
check_exit "it is not deleted twice" 5 ctl flow delete 1
check_prints "which the error says" 'Run 1 was deleted' echo "$OUT"
check_exit "nor executed again" 5 ctl flow rerun 1/a
check "its name is free at once" ctl flow start --quiet --wait --name=first plain
check_equal "for another run" 2 "$(field first id)"
check_prints "who has made it is recorded" "^CREATED anna $(id -u) r1\$" events 1
check_prints "and who has deleted it" "^delete berta $(id -u) r2\$" events 1
check_exit "a run that is not there is not deleted" 5 ctl flow delete 99
check_equal "several are listed with JSON" 2 "$(ctl flow list --json --deleted | jq -s length)"
check_equal "deleted ones only if asked for" 1 "$(ctl flow list --json | jq -s length)"
check_prints "what is deleted is told with JSON" '"id": *2' ctl flow delete --json 2

check "a run lives" ctl flow start --quiet --name=living held
check_exit "one that lives is not deleted" 4 ctl flow delete living
check_prints "which the error says" 'Run 3 is RUNNING: it is deleted when it has ended, or with --stop' echo "$OUT"
check "but with --stop it is" ctl flow delete --stop living
check_lacks "it is not listed, though its command runs" '^ *3 ' ctl flow list --all
check_equal "it stops" STOPPING "$(field 3 state --deleted)"
kill_core KILL
check_lacks "core has died, and it is still not listed" '^ *3 ' ctl flow list --all
check "its name is free, too" ctl flow start --quiet --wait --name=living plain
check_exit "it may only be ended" 5 ctl flow pause 3
check "which it is" ctl flow cancel 3
wait_for '^CANCELLED$' field 3 state --deleted
check_lacks "then it is not listed either" '^ *3 ' ctl flow list --all
check_prints "which is said" 'Run 3 was deleted; --deleted shows it' ctl flow show 3
check_exit "a node is not deleted" 2 ctl flow delete 4/a

check "rows of a deleted run stay" ctl flow start --quiet --wait --name=kept short
check "until" ctl flow delete kept
check "as many others as are kept" ctl flow start --quiet --wait short
wait_for '^0$' sh -c "$BUILD/jobctl flow list --deleted --all --json | jq -s 'map(select(.name == \"kept\")) | length'"
check_lacks "have ended" ' kept' ctl flow list --all --deleted

# — what is kept of a flow that is run no more —
unit many.flow <<'U'
[Flow]
KeepRuns=32
[Node a]
Exec=/bin/true
U
unit gone.flow <<'U'
[Node a]
Exec=/bin/true
U
unit broken.flow <<'U'
[Node a]
Exec=/bin/true
U
ctl daemon-reload
# runs_of UNIT: how many are in the store
runs_of() {
        ctl flow list --deleted --all --json | jq -s "map(select(.unit == \"$1.flow\")) | length"
}
for _ in $(seq 40); do
        ctl flow start --quiet --wait many
done
wait_for '^32$' runs_of many
report $? "a flow that keeps many has them looked at for several ends at once"
check "another one has run" ctl flow start --quiet --wait gone
check "and one more" ctl flow start --quiet --wait broken
stop_daemon
rm "$UNITS/gone.flow"
echo 'KeepRuns=5000' >>"$UNITS/broken.flow"
sed -i 's/KeepRuns=32/KeepRuns=5/' "$UNITS/many.flow"
python3 - "$XDG_STATE_HOME/jobd/runs.db" <<'P'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    store.execute("UPDATE run SET ended = ended - 10 * 86400 * 1000000 WHERE unit IN ('gone.flow', 'plain.flow', 'broken.flow')")
P
start_daemon
wait_for '^5$' runs_of many
report $? "when jobd begins, all flows are looked at, also those that are run no more"
wait_for '^0$' runs_of plain
report $? "by the age of their runs"
wait_for '^0$' runs_of gone
report $? "also those whose file is gone"
check_equal "one whose file is refused keeps all, for nobody knows how many it is to keep" "$(runs_of broken)" 1
check "runs that are not older stay" test "$(runs_of short)" = 1
done_testing
