#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A user without XDG_RUNTIME_DIR, as under cron, su, or ssh without a login manager: jobd and jobctl choose the same folder.
# /tmp and /run/user are this test's own.
export TMPDIR=/dev/shm
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

case $BUILD/ in /tmp/*)
        echo '1..0 # SKIP the build folder is in /tmp, which this test hides'
        exit 0 ;;
esac
mount -t tmpfs -o mode=1777 tmpfs /tmp
[ ! -d /run/user ] || mount -t tmpfs tmpfs /run/user
unset XDG_RUNTIME_DIR JOBD_SOCKET
ME=$(id -u)
unit app.service <<'U'
[Service]
RuntimeDirectory=app
ExecStart=/bin/sh -c 'echo $$XDG_RUNTIME_DIR >$RUNTIME_DIRECTORY/told; exec sleep 987'
Type=exec
U

# — no folder of the user —
start_daemon
check "jobctl finds the manager" ctl --user start app.service
wait_for "^/tmp/jobd-$ME/run$" cat "/tmp/jobd-$ME/run/app/told"
report $? "units have a runtime folder, too"
check_prints "which others cannot enter" '^drwx------' ls -ld "/tmp/jobd-$ME/run"
[ ! -d /run/user ] || mkdir -m 700 "/run/user/$ME"
kill_core KILL
check "the next core stays there when the usual folder has appeared" ctl --user is-active app.service
"$BUILD/jobd" --user --no-bus --unit-path "$UNITS" --default-unit none >"$DIR/second" 2>&1 &
SECOND=$!
if [ -d /run/user ]; then
        wait_for 'serves in' cat "$DIR/second"
        check_prints "a jobd that is started now takes the usual folder" "serves in /run/user/$ME/jobd" cat "$DIR/second"
        kill "$SECOND"
else
        skip "a jobd that is started now takes the usual folder" "there is no /run/user"
fi
wait "$SECOND"
[ ! -d /run/user ] || rm -r "/run/user/$ME"
ctl --user exit
timeout "$PATIENCE" tail --pid="$DAEMON" -f /dev/null
rm -f "$DIR/pid"

# — the folder of another one —
mkdir "/tmp/other"
rm -rf "/tmp/jobd-$ME"
ln -s /tmp/other "/tmp/jobd-$ME"
check_exit "a link in its place is not followed" 1 "$BUILD/jobd" --user --no-bus --default-unit none
check_equal "nothing is made behind it" "$(ls /tmp/other)" ""
done_testing
