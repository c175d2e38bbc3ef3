#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Processes that take long to their programs, or never get there: core does not wait for them.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
HERE=$(cd "$(dirname "$0")" && pwd)
SILENT=$DIR/silent

# What a child does on its way: it enters its working directory, and the file system there does not answer.
hanging() {
        unit "$1.service" <<U
[Service]
${2-}
WorkingDirectory=$SILENT/$1
ExecStart=/bin/sh -c 'echo ran >>$DIR/$1.runs; exec sleep 1000'
U
}

# answers MILLISECONDS: the time that a question takes, the client included.
answers() {
        local began now
        began=$(date +%s%N)
        ctl show -p ActiveState quick.service >/dev/null || return 1
        now=$(date +%s%N)
        echo "# a question took $(((now - began) / 1000000)) ms"
        [ $(((now - began) / 1000000)) -lt "$1" ]
}

# has_asked N: of those that look into the silent file system there were so many.
has_asked() {
        wait_for "^$1\$" grep -c asked "$DIR/silent.out" || { cat "$DIR/silent.out"; false; }
}

state_of() {
        ctl show --value -p ActiveState "$1"
}

hanging limited TimeoutStartSec=1
hanging unlimited TimeoutStartSec=infinity
hanging again TimeoutStartSec=infinity
hanging once TimeoutStartSec=infinity
unit quick.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U

mkdir "$SILENT"
python3 "$HERE/silent_fs.py" "$SILENT" >"$DIR/silent.out" &
FS=$!
start_daemon
while kill -0 $FS 2>/dev/null && ! grep -q ready "$DIR/silent.out"; do
        sleep 0.05
done
if ! kill -0 $FS 2>/dev/null; then
        skip "processes that hang on their way" "needs FUSE"
else
        check "a start whose process hangs is begun" ctl start --no-block unlimited.service
        check "its unit is being started" wait_for '^activating$' state_of unlimited.service
        check "core answers meanwhile" answers 4000
        check "and starts others" ctl start quick.service

        check_exit "one that hangs for longer than its TimeoutStartSec= fails" 1 ctl start limited.service
        check_prints "by that name" '^timeout$' ctl show --value -p Result limited.service
        check_prints "its process is not there any more" '^0$' ctl show --value -p MainPID limited.service

        check "one that hangs is stopped at once" timeout 60 "$BUILD/jobctl" stop unlimited.service
        check_prints "and is inactive" '^inactive$' state_of unlimited.service
        check_prints "without a failure" '^success$' ctl show --value -p Result unlimited.service

        # The process of the start before is killed, and not taken for that of the new one.
        check "it is started again" ctl start --no-block unlimited.service
        check "and again" ctl restart --no-block unlimited.service
        check "it is being started" wait_for '^activating$' state_of unlimited.service
        check "core still answers" answers 4000
        check "it is stopped again" timeout 60 "$BUILD/jobctl" stop unlimited.service

        # What is on its way reads nothing that a reload may change.
        check "one hangs while units are reloaded" ctl start --no-block unlimited.service
        check "it is being started" wait_for '^activating$' state_of unlimited.service
        hanging unlimited "TimeoutStartSec=infinity
SyslogIdentifier=another"
        check "a reload does not wait for it" timeout 60 "$BUILD/jobctl" daemon-reload
        check_prints "and takes place" '^another$' ctl show --value -p SyslogIdentifier unlimited.service
        check "it is stopped" timeout 60 "$BUILD/jobctl" stop unlimited.service

        # Core dies while one is on its way: it is neither started twice nor forgotten, nor taken for one that runs.
        asked=$(grep -c asked "$DIR/silent.out")
        check "another one hangs" ctl start --no-block again.service once.service
        check "on its way" has_asked $((asked + 2))
        # What hangs has core's name and the keeper for a parent: find_core cannot tell the next core from it.
        kill -KILL "$CORE"
        timeout "$PATIENCE" tail --pid="$CORE" -f /dev/null
        check "who comes after core answers" wait_for '^active$' state_of quick.service
        check_equal "their processes are known to have run no program" 2 "$(grep -c 'was on its way to its program' "$DIR/log")"
        check_prints "its unit is still being started" '^activating$' state_of again.service
        check "it is stopped by the next core" timeout 60 "$BUILD/jobctl" stop again.service
        check_prints "at once, and without a failure" '^success$' ctl show --value -p Result again.service
        check_equal "nothing of it has run" "" "$(cat "$DIR"/*.runs 2>/dev/null)"
        kill -USR1 $FS
        check "one whose file system answers at last is started" wait_for '^active$' state_of once.service
        check "its program runs" wait_for '^ran$' cat "$DIR/once.runs"
        check_equal "once" 1 "$(wc -l <"$DIR/once.runs")"
        check_prints "as the process that is known" sleep cat "/proc/$(ctl show --value -p MainPID once.service)/comm"
        kill $FS
        umount -l "$SILENT" 2>/dev/null
fi

stop_daemon

# Next to no processor for core: how long a question takes is measured beside an echo that has as little. What the policy for
# the idle takes from a process that does more than an echo is far more than what core takes itself: answer-times shows that.
OUT=$("$HERE/answer-times" "$BUILD" --setting quota --check 2>&1)
status=$?
sed 's/^/# /' <<<"$OUT"
if [ $status = 77 ]; then
        skip "core answers while 50 services with sandboxes start with 5 % of a processor" "$OUT"
else
        report $status "core answers while 50 services with sandboxes start with 5 % of a processor" "$OUT"
fi
done_testing
