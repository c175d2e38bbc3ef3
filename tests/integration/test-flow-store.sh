#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs of flows while their store does not answer, or its disk is full: units go on, runs wait and say why.
# S004-8
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"
unit a.flow <<U
[Node a]
Exec=/bin/sh -c 'echo a >>$RECORD'
[Node b]
DependsOn=a
Exec=/bin/sh -c 'echo b >>$RECORD'
U
unit other.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/true
U

# end_all: before the folder is removed, which the disk is in
end_all() {
        umount -l "$DIR/disk" 2>/dev/null
        cleanup
}
trap end_all EXIT
mkdir "$DIR/disk"
if ! mount -t tmpfs -o size=24m tmpfs "$DIR/disk"; then
        echo "1..0 # SKIP there is no file system to fill"
        exit 0
fi
printf '[Engine]\nStore=sqlite:%s/runs.db\n' "$DIR/disk" >"$DIR/conf"

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

# fill: the disk, and nothing is left
fill() {
        cat /dev/zero >"$DIR/disk/fill.$1" 2>/dev/null
}

start_daemon --config "$DIR/conf"
check "a run succeeds" ctl flow start --wait a

# — a store that does not answer —
STORE=$(pgrep -x jobd-runstore)
kill -STOP "$STORE"
ctl flow start a >"$DIR/out" 2>&1 &
CLIENT=$!
check "a unit starts all the same" timeout 20 "$BUILD/jobctl" start other.service
wait_for 'jobd-runstore does not answer' ctl status
report $? "the status of the manager tells"
check_equal "nothing runs that the store does not have" "$(wc -l <"$RECORD")" 2
kill -CONT "$STORE"
wait "$CLIENT"
report $? "the run is submitted when it answers again" "$(cat "$DIR/out")"
wait_for '^SUCCEEDED$' run_state 2
report $? "and goes on"
check_lacks "nothing is wrong any more" 'does not answer' ctl status
# Nobody waits for ever: the answer comes after half a minute, or at once if the store has been silent for so long.
kill -STOP "$STORE"
check_exit "who asks for runs is told that the store does not answer" 15 timeout 80 "$BUILD/jobctl" flow list
check_prints "and so is whoever asks later, at once" 'The store of runs cannot be asked: jobd-runstore does not answer' timeout 20 "$BUILD/jobctl" flow show 1
kill -CONT "$STORE"
wait_for SUCCEEDED run_state 1
report $? "who asks when it answers again gets what is there"

# — a full disk —
fill 1
check "a run on a full disk has the ballast" ctl flow start --wait a
fill 2
ctl flow start a >"$DIR/out" 2>&1 &
CLIENT=$!
wait_for '^     Runs: .*[Ff]ull|^ *Runs: .*(full|does not answer)' ctl status
report $? "a full disk is told of"
check "a unit starts all the same" timeout 20 "$BUILD/jobctl" start other.service
check_equal "nothing runs that is not durable" "$(wc -l <"$RECORD")" 6
rm "$DIR/disk/fill.1" "$DIR/disk/fill.2"
wait "$CLIENT"
report $? "with space the run is submitted" "$(cat "$DIR/out")"
wait_for '^SUCCEEDED$' run_state 4
report $? "and goes on"
check_equal "each node ran once in each run" "$(sort "$RECORD" | uniq -c | tr -s ' \n' ' ')" " 4 a 4 b "
done_testing
