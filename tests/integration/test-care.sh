#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# clean, freeze and thaw with the real daemon: what is removed, what stays, what is refused, and that core may die meanwhile.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/group.sh"

export XDG_CACHE_HOME=$DIR/cache

unit keeps.service <<'U'
[Service]
RuntimeDirectory=keeps
RuntimeDirectoryPreserve=yes
StateDirectory=keeps/inner keeps-other:keeps-link
CacheDirectory=keeps
LogsDirectory=keeps
ExecStart=/bin/sh -c 'for d in "$$RUNTIME_DIRECTORY" "$$CACHE_DIRECTORY" "$$LOGS_DIRECTORY"; do mkdir -p "$$d/deep/er" && touch "$$d/deep/er/x"; done; exec sleep 1000'
U
unit none.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit slow.service <<'U'
[Unit]
SuccessAction=exit
[Service]
CacheDirectory=slow
TimeoutCleanSec=1h
ExecStart=/bin/sleep 1000
U
unit stamped.timer <<'U'
[Timer]
OnCalendar=yearly
Persistent=yes
Unit=none.service
U
unit listens.socket <<U
[Socket]
ListenStream=$DIR/listens
StateDirectory=listens
ExecStartPre=/bin/sh -c 'touch "\$\$STATE_DIRECTORY/x"'
Service=none.service
U
unit some.target </dev/null
if [ -n "$GROUP" ]; then
        start_daemon_in_group
else
        start_daemon
fi

state_of() {
        ctl show -P "$1" "$2"
}

# — clean —
check "a unit with directories starts" ctl start keeps.service
wait_for '^x$' ls "$XDG_STATE_HOME/log/keeps/deep/er"
check_equal "it says what it keeps" "$(state_of CanClean keeps.service)" "runtime state cache logs"
check_exit "one that runs is not cleaned" 1 ctl clean keeps.service
check_prints "and why" 'keeps.service cannot be cleaned: it is active, and must be inactive' ctl clean keeps.service
check "it stops" ctl stop keeps.service
check "all is still there" test -e "$XDG_RUNTIME_DIR/keeps/deep/er/x" -a -e "$XDG_CACHE_HOME/keeps/deep/er/x" -a -d "$XDG_STATE_HOME/keeps/inner"
touch "$DIR/outside"
ln -s "$DIR" "$XDG_CACHE_HOME/keeps/deep/link"
check "the usual" ctl clean keeps.service
check_equal "is what it can make anew" "$(ls -d "$XDG_RUNTIME_DIR/keeps" "$XDG_CACHE_HOME/keeps" 2>/dev/null)" ""
check "nothing outside has gone" test -e "$DIR/outside"
check "its state has stayed" test -d "$XDG_STATE_HOME/keeps/inner"
check "as have its logs" test -e "$XDG_STATE_HOME/log/keeps/deep/er/x"
check_equal "it is inactive" "$(state_of ActiveState keeps.service)" inactive
check "what is not there is clean" ctl clean keeps.service
check "its state by name" ctl clean --what=state keeps.service
check_equal "with links" "$(ls -d "$XDG_STATE_HOME/keeps/inner" "$XDG_STATE_HOME/keeps-other" "$XDG_STATE_HOME/keeps-link" 2>/dev/null)" ""
check "all" ctl clean --what=all keeps.service
check_equal "is all" "$(ls -d "$XDG_STATE_HOME/log/keeps" 2>/dev/null)" ""
if command -v busctl >/dev/null; then
        ctl start keeps.service && wait_for '^x$' ls "$XDG_STATE_HOME/log/keeps/deep/er" && ctl stop keeps.service
        check "the unit's own method" busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1/unit/keeps_2eservice \
                org.jobd1.Unit Clean as 1 logs
        check "does the same" wait_for '^gone$' sh -c "[ -d '$XDG_STATE_HOME/log/keeps' ] || echo gone"
        check "to what it is told" test -e "$XDG_CACHE_HOME/keeps/deep/er/x"
        check "and is over" wait_for '^inactive$' ctl show -P ActiveState keeps.service
else
        skip "the unit's own method" "busctl is not here"
fi
check_exit "a word that is none is refused" 1 ctl clean --what=stat keeps.service
check_prints "with those that there are" "'stat' is none of runtime, state" ctl clean --what=stat keeps.service
check_prints "a unit without any has nothing" 'none.service has nothing of that kind to clean' ctl clean none.service
check_prints "as has a kind that it has none of" 'nothing of that kind' ctl clean --what=configuration keeps.service
check_prints "a target keeps nothing" 'a target keeps nothing' ctl clean some.target
check_prints "JSON has the failure" '"ok": *false' ctl --json clean none.service
check "a socket starts" ctl start listens.socket
check "and stops" ctl stop listens.socket
check "its directory is there" test -e "$XDG_STATE_HOME/listens/x"
check "a socket is cleaned" ctl clean --what=state listens.socket
check_equal "its directory has gone" "$(ls -d "$XDG_STATE_HOME/listens" 2>/dev/null)" ""
check "a timer with a stamp starts" ctl start stamped.timer
STAMP=$(find "$XDG_STATE_HOME" -name 'stamp-stamped.timer')
check "the stamp is there" test -n "$STAMP"
ctl stop stamped.timer
check "it is cleaned" ctl clean --what=state stamped.timer
check_exit "the stamp has gone" 1 test -e "$STAMP"

# A folder that takes a while: a file system that does not answer before it is told to is not at hand, a large one is.
mkdir -p "$XDG_CACHE_HOME/slow"
python3 - "$XDG_CACHE_HOME/slow" <<'P'
import os, sys
for i in range(60):
    d = f'{sys.argv[1]}/{i}'
    os.mkdir(d)
    for j in range(1000):
        os.close(os.open(f'{d}/{j}', os.O_CREAT | os.O_WRONLY))
P
ctl --no-block clean --what=cache slow.service
SEEN=$(state_of ActiveState slow.service)
case $SEEN in
maintenance)
        check_exit "no second clean meanwhile" 1 ctl clean slow.service
        check "core dies meanwhile" kill_core KILL
        ;;
*)
        skip "it is in maintenance meanwhile" "it was over too soon"
        ;;
esac
wait_for '^inactive$' ctl show -P ActiveState slow.service
check_equal "it is done, or goes on behind the next core" "$(ls -d "$XDG_CACHE_HOME/slow" 2>/dev/null)" ""
check "a clean is no success of the unit" alive
check "a start after it" ctl start slow.service
check "it runs" ctl is-active slow.service

# — freeze —
if [ -z "$GROUP" ]; then
        check "a service" ctl start none.service
        check_prints "without groups nothing is frozen, and it is said why" 'cannot be frozen: there are no control groups' \
                ctl freeze none.service
        done_testing
fi
if [ ! -e "$GROUP/cgroup.freeze" ]; then
        check "a service" ctl start none.service
        check_prints "without a freezer it is said" 'the kernel has no cgroup.freeze' ctl freeze none.service
        done_testing
fi

frozen() {
        grep frozen "$GROUP/app.slice/$1/cgroup.events"
}

check_prints "what is inactive cannot be frozen" 'none.service is not active' ctl freeze none.service
check_prints "a target has no processes" 'no processes' ctl freeze some.target
check "a service runs" ctl start none.service
check_equal "it can be frozen" "$(state_of CanFreeze none.service) $(state_of FreezerState none.service)" "yes running"
check "freeze" ctl freeze none.service
check_equal "it is, when the verb returns" "$(state_of FreezerState none.service)/$(frozen none.service)" "frozen/frozen 1"
check_prints "status says so" 'active \(running\) \(frozen\)' ctl status none.service
check "again" ctl freeze none.service
check "core dies" kill_core KILL
check_equal "the next one knows" "$(state_of FreezerState none.service)" frozen
check "thaw" ctl thaw none.service
check_equal "it runs again" "$(state_of FreezerState none.service)/$(frozen none.service)" "running/frozen 0"
check "freeze once more" ctl freeze none.service
check "a stop of what is frozen does not hang" timeout "$PATIENCE" "$BUILD/jobctl" stop none.service
check_equal "SIGTERM was enough" "$(state_of Result none.service)" success
check "a start after it" ctl start none.service
check "is not frozen" grep -q 'frozen 0' "$GROUP/app.slice/none.service/cgroup.events"
check "freeze" ctl freeze none.service
check "core dies" kill_core KILL
check "a stop by a core that has not frozen it" timeout "$PATIENCE" "$BUILD/jobctl" stop none.service
check_equal "ends it as well" "$(state_of Result none.service)" success
check "a start" ctl start none.service
check "a slice" ctl freeze app.slice
check "with all that is in it" grep -q 'frozen 1' "$GROUP/app.slice/none.service/cgroup.events"
check "and back" ctl thaw app.slice
check "all of it" grep -q 'frozen 0' "$GROUP/app.slice/none.service/cgroup.events"
check_prints "but not the manager" 'cannot be frozen: the manager itself is in it' ctl freeze -- -.slice
done_testing
