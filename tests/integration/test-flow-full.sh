#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The disk of the runs becomes full at each node of a run, and takes not even what the reserve has given up; meanwhile core, the
# store or both may die. With space again each run succeeds, with each node once.
# S004-28
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

NODES=6
DISK=$DIR/disk
RECORD=$DIR/record
FILLER=
for ((i = 1; i <= NODES; i++)); do
        mkfifo "$DIR/go$i"
done
mkdir "$DISK"

# end_all: before the folder is removed, which the disk is in
end_all() {
        [ -z "$FILLER" ] || kill "$FILLER"
        umount -l "$DISK" 2>/dev/null
        cleanup
}
trap end_all EXIT
if ! mount -t tmpfs -o size=16m tmpfs "$DISK"; then
        echo "1..0 # SKIP there is no file system to fill"
        exit 0
fi
printf '[Engine]\nStore=sqlite:%s/runs.db\n' "$DISK" >"$DIR/conf"

unit six.flow <<U
$(for ((i = 1; i <= NODES; i++)); do
        printf '[Node n%d]\nExec=/bin/sh -c "echo n%d >>%s; read -r word <%s"\n' "$i" "$i" "$RECORD" "$DIR/go$i"
        [ "$i" = 1 ] || printf 'DependsOn=n%d\n' "$((i - 1))"
done)
U
unit other.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/true
U

# release FIRST LAST: nodes, one after the other
release() {
        local i
        for ((i = $1; i <= $2; i++)); do
                timeout "$PATIENCE" sh -c 'echo >"$1"' sh "$DIR/go$i"
        done
}

run_state() {
        ctl flow list --no-legend --all 2>/dev/null | awk -v id="$1" '$1 == id { print $3 }'
}

# wait_for_nodes N: until so many have begun
wait_for_nodes() {
        wait_for "^$1\$" sh -c "wc -l <'$RECORD'"
}

# fill: now, and whatever becomes free until space
fill() {
        python3 - "$DISK/fill" <<'P' &
import os, sys, time
fill = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while True:
    try:
        os.write(fill, bytes(1 << 20))
    except OSError:
        time.sleep(0.005)
P
        FILLER=$!
        wait_for '^0$' stat -f -c %a "$DISK"
}

# recorded: attempts that the store has
recorded() {
        python3 - "$DISK/runs.db" <<'P'
import sqlite3, sys
with sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True) as db:
    print(db.execute('SELECT coalesce(sum(attempts), 0) FROM node').fetchone()[0])
P
}

space() {
        kill "$FILLER"
        wait "$FILLER" 2>/dev/null
        FILLER=
        rm -f "$DISK/fill"
}

nothing() {
        :
}

kill_store() {
        pkill -KILL -x jobd-runstore
}

kill_both() {
        kill_store
        kill_core KILL
}

# point N COMMAND…: the disk becomes full while node N runs, and the command runs then; 0: before the run is submitted
point() {
        local n=$1 client='' releaser begun
        shift
        rm -rf "${DISK:?}"/*
        : >"$RECORD"
        start_daemon --config "$DIR/conf"
        wait_for 'No runs|0 runs' ctl flow list
        if [ "$n" -gt 0 ]; then
                ctl flow start --quiet six
                release 1 $((n - 1))
                wait_for_nodes "$n"
                fill
        else
                fill
                ctl flow start --quiet six >"$DIR/out" 2>&1 &
                client=$!
        fi
        release $((n > 0 ? n : 1)) "$NODES" &
        releaser=$!
        # A list would wait for the disk.
        wait_for 'nothing is recorded until there is room|^inactive$' \
                sh -c "'$BUILD/jobctl' status; [ '$n' = 0 ] || '$BUILD/jobctl' is-active six.flow"
        if ctl status | grep -q 'nothing is recorded'; then
                STUCK=$((STUCK + 1))
                begun=$(wc -l <"$RECORD")
                check "$n, $1: what has begun is recorded" [ "$begun" -le "$(recorded)" ]
                "$@"
                check "$n, $1: a unit starts" timeout 20 "$BUILD/jobctl" start other.service
                check_equal "$n, $1: nothing begins that is not recorded" "$(wc -l <"$RECORD")" "$begun"
        fi
        space
        [ -z "$client" ] || wait "$client"
        wait_for '^SUCCEEDED$' run_state 1
        report $? "$n, $1: with space the run succeeds" "$(cat "$DIR/out" 2>/dev/null)$(ctl flow show 1 2>&1)"
        check_equal "$n, $1: each node ran once" "$(sort "$RECORD" | tr '\n' ' ')" "n1 n2 n3 n4 n5 n6 "
        wait "$releaser"
        stop_daemon
}

# How often nothing was recorded any more
STUCK=0
point 0 nothing
for n in $(seq "$NODES"); do
        point "$n" nothing
done
point 2 kill_core KILL
point 3 kill_store
point 4 kill_both
check "the reserve was not enough for most of them ($STUCK)" [ "$STUCK" -ge 4 ]
done_testing
