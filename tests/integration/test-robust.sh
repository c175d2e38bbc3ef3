#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The manager survives garbage, clients that leave in the middle, full file systems, and a second manager.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
GARBAGE=$3

mkdir -p "$DIR/full" "$DIR/small"
mount -t tmpfs -o size=64k,nr_inodes=2 tmpfs "$DIR/full"
mount -t tmpfs -o size=256k tmpfs "$XDG_RUNTIME_DIR"
trap 'umount "$DIR/full"; umount "$XDG_RUNTIME_DIR"; cleanup' EXIT

unit a.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit slow.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sleep 987
U
unit full.service <<U
[Service]
StandardOutput=append:$DIR/full/new-file
ExecStart=/bin/sleep 1000
U
unit writes.service <<U
[Service]
Type=oneshot
StandardOutput=append:$DIR/full/filled
ExecStart=/bin/sh -c 'echo some output || exit 9'
U
start_daemon
check "start" ctl start a.service

# A client is killed while it waits; the job goes on.
"$BUILD/jobctl" start slow.service >/dev/null 2>&1 &
CLIENT=$!
wait_for 'slow\.service.*running' ctl jobs
kill -9 "$CLIENT"
wait "$CLIENT" 2>/dev/null
check_prints "the job of a client that was killed goes on" 'slow\.service.*running' ctl jobs
check "stop" ctl stop slow.service

# A full file system where a service wants to write.
dd if=/dev/zero of="$DIR/full/filled" bs=1k 2>/dev/null
check_exit "a unit whose output cannot be opened fails" 1 ctl start full.service
check_prints "with the file and the reason" "$DIR/full/new-file.*No space left on device" ctl status full.service
check_prints "start says so, too" "$DIR/full/new-file.*No space left on device" ctl start full.service
check_exit "one that cannot write fails by its own exit status" 1 ctl start writes.service
check "the daemon is alive" alive

# Whoever reads the memory of a process waits while that is busy: core must not, whatever it is asked of processes.
check "start" ctl start a.service
check_prints "status has the command line" '[0-9]+ /bin/sleep 1000$' ctl status a.service
check_prints "and so it has as JSON" '"command": ?"/bin/sleep 1000"' ctl --json status a.service
if strace -e trace=none true 2>/dev/null; then
        strace -e trace=openat,open -o "$DIR/opened" -p "$CORE" 2>"$DIR/strace" &
        TRACER=$!
        wait_for attached cat "$DIR/strace"
        ctl status a.service >/dev/null
        kill -INT "$TRACER"
        wait "$TRACER"
        PID=$(ctl show -P MainPID a.service)
        check_prints "core looks at its name" "/proc/$PID/comm" cat "$DIR/opened"
        check_lacks "and not into its memory" "/proc/$PID/(cmdline|environ)" cat "$DIR/opened"
else
        skip "core does not look into the memory of processes" "there is no strace"
fi

# A full file system under the runtime directory.
dd if=/dev/zero of="$XDG_RUNTIME_DIR/filler" bs=1k 2>/dev/null
check "with a full runtime directory it serves" ctl start a.service
check "starts" ctl restart a.service
check "stops" ctl stop a.service
check "and reloads" ctl daemon-reload
check "the daemon is alive" alive

# Ten thousand messages that make no sense.
check "garbage is taken" "$GARBAGE" "$JOBD_SOCKET" 10000 1
check "the daemon is alive" alive
check_exit "and answers" 0 ctl list-units
check "starts" ctl start a.service
check_exit "with the right state" 0 ctl is-active a.service
check "and has let go of those connections" wait_for_descriptors 40

# A second manager on the same runtime directory.
check_exit "a second manager refuses" 1 "$BUILD/jobd" --user --unit-path "$UNITS" --default-unit none
check_prints "and says why" 'already|another|in use' echo "$OUT"
check_exit "a wrong option" 2 "$BUILD/jobd" --nonsense
check_exit "the first one serves" 0 ctl is-active a.service

# The manager dies while a client waits.
"$BUILD/jobctl" start slow.service >"$DIR/waiter" 2>&1 &
WAITER=$!
wait_for_waiter "$WAITER"
kill -9 "$DAEMON"
wait "$WAITER"
check_equal "a waiter whose manager dies exits with 7" $? 7
done_testing
