#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The file system of the state is full: services go on, the log says so once, and when there is room again nothing is
# missing from the state.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit a.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit b.service <<'U'
[Unit]
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
U
unit c.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U

main_pid() {
        ctl show -P MainPID "$1"
}

kill_core() {
        local old=$CORE
        kill -9 "$CORE"
        timeout "$PATIENCE" tail --pid="$old" -f /dev/null
        until find_core && [ "$CORE" != "$old" ]; do sleep 0.02; done
}

if ! mount -t tmpfs -o size=2m,mode=0700 tmpfs "$XDG_RUNTIME_DIR" 2>/dev/null; then
        skip "a full file system" "nothing can be mounted here"
        done_testing
fi
trap 'umount -l "$XDG_RUNTIME_DIR"; cleanup' EXIT
start_daemon
check "with room a service starts" ctl start a.service
PID=$(main_pid a.service)

dd if=/dev/zero of="$XDG_RUNTIME_DIR/filler" bs=4k status=none 2>/dev/null
for ((i = 0; i < 200; i++)); do
        ctl restart b.service || break
done
check_equal "without room others start and stop" "$i" 200
check_prints "it is said" 'Cannot write the state to' cat "$DIR/log"
check_equal "once" "$(grep -c 'Cannot write the state to' "$DIR/log")" 1
check "a service that nobody has written down" ctl start c.service
OTHER=$(main_pid c.service)
check_exit "who would know nothing of that is not executed" 1 ctl daemon-reexec
check_prints "the reason is said" 'cannot be written' echo "$OUT"
check_equal "the service is still known" "$(main_pid c.service)" "$OTHER"

rm "$XDG_RUNTIME_DIR/filler"
check "there is room again" ctl restart b.service
check_prints "which is said" 'can be written to .* again' cat "$DIR/log"
find_core
kill_core
check_equal "what was started before is taken over" "$(main_pid a.service)" "$PID"
check_equal "and what was started meanwhile" "$(main_pid c.service)" "$OTHER"
check "both stop" ctl stop a.service c.service
done_testing
