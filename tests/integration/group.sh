# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# A control group for a daemon of a test, in GROUP; empty where there can be none. Sourced after library.sh.

GROUP=
for mount in /sys/fs/cgroup /sys/fs/cgroup/unified; do
        if [ -e "$mount/cgroup.procs" ] && mkdir "$mount/jobd-test-$IN_NAMESPACE_PID" 2>/dev/null; then
                GROUP=$mount/jobd-test-$IN_NAMESPACE_PID
                break
        fi
done

remove_group() {
        [ -e "$GROUP/cgroup.kill" ] && echo 1 >"$GROUP/cgroup.kill"
        # Killed processes may take a moment to leave.
        until find "$GROUP" -depth -type d -exec rmdir {} + 2>/dev/null; do
                [ -d "$GROUP" ] || break
        done
}
[ -z "$GROUP" ] || trap 'remove_group; cleanup' EXIT

# As start_daemon, but the daemon is alone in a group.
start_daemon_in_group() {
        "$START_READY" "$DIR/pid" "$DIR/log" /bin/sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP" "$BUILD/jobd" --user \
                --unit-path "$UNITS" --default-unit none "$@" || {
                echo "Bail out! jobd does not start"
                exit 1
        }
        DAEMON=$(cat "$DIR/pid")
        find_core
}
