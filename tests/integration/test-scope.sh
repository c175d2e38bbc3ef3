#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Scopes: a command that jobctl runs becomes a unit; what it survives, and how it ends, with control groups and without.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/group.sh"

FILES=$XDG_RUNTIME_DIR/jobd/transient

# scopes NAME: the same with and without control groups
scopes() {
        local name=$1
        check_equal "$name: its output comes from here, and so does its status" \
                "$(ctl run --scope --quiet sh -c 'echo said; exit 7'; echo $?)" "said
7"
        check_equal "$name: it has the signals that we have" \
                "$(trap '' INT; ctl run --scope --quiet grep -E '^Sig(Ign|Blk)' /proc/self/status)" \
                "$(trap '' INT; grep -E '^Sig(Ign|Blk)' /proc/self/status)"
        check_prints "$name: its unit is said" '^Running scope as unit: a.scope$' \
                ctl run --scope --unit=a --collect -p TimeoutStopSec=5 true
        check "$name: it is gone with its command" wait_for 'No such file' ls "$FILES/a.scope"
        "$BUILD/jobctl" run --scope --quiet --unit=b --description="A long one" --working-directory=/ -E 'X=y z' sleep 1000 &
        SCOPE_PID=$!
        check "$name: it runs" wait_for '^active$' ctl is-active b.scope
        check "$name: the command is in it" wait_for sleep ctl status b.scope
        check_equal "$name: as whoever has called it" "$(cut -d' ' -f4 "/proc/$SCOPE_PID/stat")" "$$"
        check "$name: with the variable" wait_for '^X=y z$' sh -c "tr '\\0' '\\n' <'/proc/$SCOPE_PID/environ'"
        check_equal "$name: in the folder" "$(readlink "/proc/$SCOPE_PID/cwd")" /
        check_prints "$name: it has what it was given" '^TimeoutStopUSec=1min 30s$' ctl show -p TimeoutStopUSec b.scope
        check_equal "$name: and the state" "$(ctl show -P SubState b.scope)" running
        check_prints "$name: its process is found" 'b.scope - A long one' ctl status "$SCOPE_PID"
        kill_core KILL
        check_equal "$name: it survives a core" "$(ctl show -P SubState b.scope)" running
        check_exit "$name: it is not started twice" 1 ctl restart b.scope
        wait "$SCOPE_PID"
        check_equal "$name: it was stopped by that" "$?" 143
        "$BUILD/jobctl" run --scope --quiet --unit=c sleep 1000 &
        SCOPE_PID=$!
        check "$name: another" wait_for '^active$' ctl is-active c.scope
        check_exit "$name: stop" 0 ctl stop c.scope
        wait "$SCOPE_PID"
        check_equal "$name: ends it" "$?" 143
        check "$name: and nothing is left" wait_for '^$' ls "$FILES"
        check_exit "$name: a time limit" 143 ctl run --scope --quiet --unit=d -p RuntimeMaxSec=100ms sleep 1000
        check "$name: is a failure" wait_for '^timeout$' ctl show -P Result d.scope
        ctl reset-failed d.scope
        check "$name: which is forgotten" wait_for '^$' ls "$FILES"
        "$BUILD/jobctl" run --scope --quiet --unit=e -p TimeoutStopSec=1s sh -c 'trap "" TERM; echo ready >"$0"; while :; do sleep 1000; done' \
                "$DIR/ready" &
        SCOPE_PID=$!
        check "$name: one that does not listen" wait_for '^ready$' cat "$DIR/ready"
        rm "$DIR/ready"
        check "$name: is stopped" ctl stop e.scope
        wait "$SCOPE_PID"
        check_equal "$name: by being killed" "$?" 137
        ctl reset-failed
}

start_daemon
scopes "without groups"
unit f.scope <<'U'
[Scope]
TimeoutStopSec=3
U
check_prints "a file is no scope" 'A scope cannot have a unit file' ctl verify "$UNITS/f.scope"
check_exit "and is not started" 1 ctl start f.scope

if command -v busctl >/dev/null; then
        # shellcheck disable=SC2317
        call() {
                busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 "$@"
        }
        make() {
                call /org/jobd1 org.jobd1.Manager StartTransientUnit 'ssa(sv)a(sa(sv))' "$@" 0
        }
        check_prints "a scope without processes" 'has no PIDs' make g.scope fail 0
        check_prints "of one that is not there" 'does not exist' make g.scope fail 1 PIDs au 1 4194000
        check_prints "of PID 1" 'is a manager process' make g.scope fail 1 PIDs au 1 1
        check_prints "of the manager" 'is a manager process' make g.scope fail 1 PIDs au 1 "$CORE"
        sh -c 'sleep 1000 & echo "$!" >"$0"; exec sleep 1000' "$DIR/zombie" &
        check "one that has ended" wait_for '^[0-9]+$' cat "$DIR/zombie"
        kill "$(cat "$DIR/zombie")"
        check "and is not reaped" wait_for '^State:.Z' cat "/proc/$(cat "$DIR/zombie")/status"
        check_prints "is not there any more" 'does not exist' make z.scope fail 1 PIDs au 1 "$(cat "$DIR/zombie")"
        kill $!
        sleep 1000 &
        check_prints "one that nobody may start" 'RefuseManualStart' make j.scope fail 2 PIDs au 1 $! RefuseManualStart b true
        check "is let go" wait_for '^$' ls "$FILES"
        check "of a process" make g.scope fail 2 PIDs au 1 $! Controller s :1.999
        check_equal "somebody controls it" "$(ctl show -P Controller g.scope)" :1.999
        check "who leaves it" call /org/jobd1/unit/g_2escope org.jobd1.Scope Abandon
        check_equal "then it goes on" "$(ctl show -P SubState g.scope)" abandoned
        check_equal "on its own" "$(ctl show -P Controller g.scope)" ""
        kill $!
        check "until it ends" wait_for '^(inactive|unknown)$' ctl is-active g.scope
        sleep 1000 &
        check "one that is left by its name" make g.scope fail 2 PIDs au 1 $! Controller s :1.999
        check "has no controller then" call /org/jobd1 org.jobd1.Manager AbandonScope s g.scope
        check_equal "either" "$(ctl show -P SubState g.scope)" abandoned
        kill $!
        check "and ends with its process" wait_for '^(inactive|unknown)$' ctl is-active g.scope
        sleep 1000 &
        check "one without a controller" make c.scope fail 2 PIDs au 1 $! Description s container
        check "takes settings" call /org/jobd1 org.jobd1.Manager SetUnitProperties 'sba(sv)' c.scope true 1 MemoryMax t 100000000
        check_equal "and lives as long as its process" "$(ctl show -P MemoryMax -P ActiveState c.scope | sort)" "100000000
active"
        check_prints "which is in it" "\" $! \"sleep\"" call /org/jobd1 org.jobd1.Manager GetUnitProcesses s c.scope
        check_prints "and leads to it" '/c_2escope"$' call /org/jobd1 org.jobd1.Manager GetUnitByPID u $!
        kill $!
        check "then it ends" wait_for '^(inactive|unknown)$' ctl is-active c.scope
        sleep 1000 &
        check "one of a process that is named twice" make l.scope fail 1 PIDs au 2 $! $!
        kill $!
        check "ends, too" wait_for '^(inactive|unknown)$' ctl is-active l.scope
        unit slow.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sleep 1000
U
        sleep 1000 &
        SCOPE_PID=$!
        sleep 1000 &
        OTHER=$!
        check "one that needs another" make k.scope fail 3 PIDs au 1 "$SCOPE_PID" \
                After as 1 slow.service Requires as 1 slow.service
        check "it waits" wait_for '^activating$' ctl is-active slow.service
        check_prints "nothing comes into one that is not started" 'k.scope is not active' \
                call /org/jobd1 org.jobd1.Manager AttachProcessesToUnit ssau k.scope "" 1 "$OTHER"
        check "what it needs fails" ctl stop slow.service
        check "then it is gone" wait_for '^$' ls "$FILES"
        check "but its process is not" kill "$SCOPE_PID"
        kill "$OTHER"
        busctl --address="unix:path=$JOBD_SOCKET" monitor >"$DIR/heard" 2>&1 &
        MONITOR=$!
        sleep 1000 &
        SCOPE_PID=$!
        # The monitor may take a moment to listen: units are reloaded until it has heard a reload.
        check "somebody listens" wait_for Member=Reloading sh -c "'$BUILD/jobctl' daemon-reload; cat '$DIR/heard'"
        check "of one who controls it" make i.scope fail 3 PIDs au 1 "$SCOPE_PID" Controller s :1.999 TimeoutStopUSec t 1000000
        check "is asked to stop it" ctl stop i.scope
        check_prints "before anybody is killed" 'Member=RequestStop' cat "$DIR/heard"
        wait "$SCOPE_PID"
        check_equal "who does not hear it" "$?" 137
        check_equal "in time" "$(ctl show -P Result i.scope)" timeout
        kill "$MONITOR"
        ctl reset-failed
fi

if [ -n "$GROUP" ]; then
        stop_daemon
        start_daemon_in_group
        scopes "with groups"
        "$BUILD/jobctl" run --scope --quiet --unit=h sh -c 'sleep 1000 & sleep 1000 & echo ready >"$0"' "$DIR/ready" &
        check "what a command leaves" wait_for '^ready$' cat "$DIR/ready"
        wait $!
        check_equal "keeps its scope" "$(ctl is-active h.scope)" active
        check_prints "and is in it" 'sleep 1000.*' ctl status h.scope
        if command -v busctl >/dev/null; then
                attach() {
                        call /org/jobd1 org.jobd1.Manager AttachProcessesToUnit ssau "$@"
                }
                sleep 1000 &
                SCOPE_PID=$!
                check "another comes into it" attach h.scope "" 1 "$SCOPE_PID"
                check_prints "and is known to be in it" "$SCOPE_PID" ctl status h.scope
                check_prints "but not below it" 'not to one below it' attach h.scope /x 1 "$SCOPE_PID"
                check_prints "nor into what does not run" 'not active|not loaded' attach f.scope "" 1 "$SCOPE_PID"

                # As the login of a getty, which logind makes a session of.
                unit getty.service <<<$'[Service]\nExecStart=/bin/sleep 1000'
                check "the main process of a service" ctl start getty.service
                SCOPE_PID=$(ctl show -P MainPID getty.service)
                check "can be the session of somebody" make session-1.scope fail 1 PIDs au 1 "$SCOPE_PID"
                check "which it is then" wait_for '/session-1.scope$' cat "/proc/$SCOPE_PID/cgroup"
                check_equal "and the service goes on" "$(ctl is-active getty.service session-1.scope)" $'active\nactive'
                check_equal "with it" "$(ctl show -P MainPID getty.service)" "$SCOPE_PID"
                kill_core KILL
                check_equal "also with another core" "$(ctl is-active getty.service session-1.scope)" $'active\nactive'
                kill "$SCOPE_PID"
                check "the service ends with it" wait_for '^inactive$' ctl is-active getty.service
                check "and so does the session" wait_for '^(inactive|unknown)$' ctl is-active session-1.scope
        fi
        check "stop ends it" ctl stop h.scope
        check "for good" wait_for '^$' ls "$FILES"
fi
done_testing
