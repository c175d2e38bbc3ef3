#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobctl against the real daemon, where the client has something of its own to get right: an interrupted wait, a daemon
# that dies in the middle, escape sequences on their way to a terminal, completion.
# shellcheck source-path=SCRIPTDIR/../integration
. "$(dirname "$0")/../integration/library.sh"

unit slow.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sleep 987
U
unit quick.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/true
U
unit brief.service <<'U'
[Service]
ExecStart=/bin/sleep 0.1
U
unit lasts.service <<'U'
[Service]
ExecStart=/bin/sleep 987
U
unit yearly.timer <<'U'
[Timer]
OnCalendar=*-01-01 03:04:05
Unit=quick.service
U
unit dies-at-once.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/false
U
unit no-program.service <<'U'
[Service]
ExecStart=/no/such/program
U
unit says-why.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo cannot open the file; exit 7'
U
for name in 'needs says-why' 'needs-needs needs'; do
        unit "${name% *}.service" <<U
[Unit]
Requires=${name#* }.service
After=${name#* }.service
[Service]
ExecStart=/bin/sleep 987
U
done
unit unmet.service <<'U'
[Unit]
ConditionPathExists=/
ConditionPathExists=/no/such
[Service]
ExecStart=/bin/sleep 987
U
unit unfit.service <<'U'
[Unit]
AssertPathExists=/no/such
[Service]
ExecStart=/bin/sleep 987
U
unit bound.service <<'U'
[Unit]
BindsTo=unmet.service
After=unmet.service
[Service]
ExecStart=/bin/sleep 987
U
printf '[Service\nExecStart=/bin/true\n' >"$UNITS/header.service"
unit dies.service <<'U'
[Service]
ExecStart=/bin/sh -c 'sleep 0.1; exit 3'
U
unit group.target <<'U'
[Unit]
Description=A group
DefaultDependencies=no
Wants=slow.service quick.service ring-a.target missing.service
AllowIsolate=yes
U
unit ring-a.target <<'U'
[Unit]
DefaultDependencies=no
Wants=ring-b.target
U
unit ring-b.target <<'U'
[Unit]
DefaultDependencies=no
Wants=ring-a.target
U
printf '[Unit]\nDescription=Evil \033]0;title\007 text\n[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n' \
        >"$UNITS/evil.service"
ln -s quick.service "$UNITS/alias.service"
ln -s /dev/null "$UNITS/masked.service"

# It is given the units by a path that means nothing to a client elsewhere.
run_daemon() {
        (cd "$DIR" && exec "$BUILD/jobd" --user --unit-path units --default-unit none --no-bus 2>>"$DIR/log") &
        DAEMON=$!
        echo "$DAEMON" >"$DIR/pid"
        wait_for 'loaded unit' ctl list-units || {
                echo "Bail out! jobd does not start"
                exit 1
        }
}

# In a terminal of its own, 60 columns wide.
on_terminal() {
        TERM=xterm script -qec "stty cols 60; $BUILD/jobctl $*" /dev/null </dev/null
}

run_daemon

check_prints "basic targets of a plan are only named" '^Targets that come with them .--all shows why.: .*sockets\.target' \
        on_terminal plan start:quick.service
check_prints "or have a line" '^ +Wants=sockets.target .builtin:' on_terminal --all plan start:quick.service

# — the wait —
(trap - INT; exec "$BUILD/jobctl" start slow.service) >"$DIR/waited" 2>&1 &
WAITER=$!
wait_for_waiter "$WAITER"
kill -TERM "$WAITER"
wait "$WAITER"
check_equal "an interrupted wait exits with 130" $? 130
check "says that the jobs go on" grep -q 'the jobs go on.*jobctl wait [0-9]' "$DIR/waited"
check_prints "and leaves them alone" 'slow\.service.*running' ctl jobs

"$BUILD/jobctl" start slow.service >"$DIR/lost" 2>&1 &
LOST=$!
"$BUILD/jobctl" wait 1 >/dev/null 2>&1 &
WAITER=$!
"$BUILD/jobctl" monitor --json >"$DIR/monitor" 2>&1 &
MONITOR=$!
wait_for_waiter "$LOST"
wait_for_waiter "$WAITER"
wait_for_waiter "$MONITOR"
find_core
kill -9 "$DAEMON"
wait "$DAEMON" 2>/dev/null
timeout "$PATIENCE" tail --pid="$CORE" -f /dev/null
rm -f "$XDG_RUNTIME_DIR/jobd/state"*
run_daemon
check "a monitor says that the daemon has gone" wait_for '"Lost"' cat "$DIR/monitor"
check "finds the new one" wait_for '^2$' grep -c '"Listening"' "$DIR/monitor"
kill -INT "$MONITOR"
wait "$MONITOR"
check_equal "and goes on until it is ended" $? 0
wait "$LOST"
check_equal "a waiter finds the new daemon and learns that its job is lost" $? 1
check "it says so" grep -q 'knows nothing of job' "$DIR/lost"
wait "$WAITER"
check_equal "one by id, too" $? 1

# — whose manager —
system_ctl() { env -u JOBD_SOCKET "$BUILD/jobctl" --system "$@"; }
if [ -e /run/jobd/private ]; then
        skip "--system never reaches a user's manager" "this machine has a system manager"
else
        check "--user reaches the user's manager" env -u JOBD_SOCKET "$BUILD/jobctl" --user start quick.service
        check_exit "--system never reaches a user's manager" 7 system_ctl status
        check_prints "and says whose manager is there" "$XDG_RUNTIME_DIR/jobd/private is a user's" system_ctl status
        check "start a service" ctl start lasts.service
        check_exit "nor does --system stop its services" 7 system_ctl stop lasts.service
        check_exit "which run on" 0 ctl is-active lasts.service
fi

check_prints "the files of a unit are found from anywhere" '^ExecStart=/bin/true' ctl cat quick.service

check "--wait ends when the unit does" ctl start --wait brief.service
check_exit "and tells if it failed" 1 ctl start --wait dies.service
check_exit "--wait does not go with stop" 2 ctl stop --wait brief.service
check_exit "a start by another name" 0 ctl start alias.service
check_exit "try-restart of what is masked" 0 ctl try-restart masked.service

# — exit statuses, as jobctl(1) has them —
ln -s loop.service "$UNITS/loop.service"
printf '[Service]\nExecStart=/bin/true\nType=nonsense\n' >"$UNITS/wrong.service"
printf '[Unit]\nRefuseManualStart=yes\n' >"$UNITS/refused.target"
for row in '0 start quick.service' '1 start dies-at-once.service' '1 start masked.service' '1 start wrong.service' \
        '3 is-active quick.service' '3 status quick.service' '3 reload ring-a.target' '4 start refused.target' \
        '4 status gone.service' '5 start gone.service' '6 start loop.service' '0 plan start:quick.service' \
        '4 exec start:wrong.service' '4 plan start:wrong.service' '4 exec start:masked.service' '5 why never.service' \
        '5 exec start:gone.service' '2 start' '2 start --nonsense' '7 --socket /nowhere status'; do
        # shellcheck disable=SC2086
        check_exit "exit status ${row%% *}: ${row#* }" "${row%% *}" ctl ${row#* }
done

# — answers that end at the cause —
check_prints "a failed start says why, and 'why' does" 'ended failed .* ago: ExecStart: program: cannot execute /no/such/program' \
        eval 'ctl start no-program.service; ctl why no-program.service'
ctl start needs-needs.service >"$DIR/said" 2>&1
check "a failed dependency: what failed, by which line" \
        grep -q "dependency on needs.service failed, Requires=needs.service ($UNITS/needs-needs.service:2), as says-why.service failed: main process exited with status 7" "$DIR/said"
check "and its own words" grep -q 'cannot open the file' "$DIR/said"
check_prints "'why' says the same" 'as says-why.service failed: main process exited with status 7' ctl why needs-needs.service
check_prints "so does status" 'Last job: .*ended dependency: dependency on needs.service failed' ctl status needs-needs.service
check_prints "and JSON" '"reason":"Job .*dependency on says-why.service failed, Requires=.*status 7' ctl --json start needs.service
check_prints "JSON of 'why' names the unit" '"dependency":"needs.service"' ctl --json why needs-needs.service
check_prints "a start that a condition skips says which" 'unmet.service was skipped, as a condition is not met: ConditionPathExists=/no/such' \
        ctl start unmet.service
check_exit "and is no failure" 0 ctl start unmet.service
check_equal "--quiet says nothing" "$(ctl --quiet start unmet.service 2>&1)" ""
wait_for 'not-loaded' sh -c "'$BUILD/jobctl' list-units --all | grep -q unmet.service || echo not-loaded"
check_prints "status names the condition when the unit was unloaded" 'ConditionPathExists=/no/such was not met' ctl status unmet.service
check_prints "and when it was" '^ConditionTimestamp=.*20' ctl show -p ConditionTimestamp unmet.service
check_prints "show has each result" 'ConditionPathExists=/ \(met\) .*ConditionPathExists=/no/such \(not met\)' \
        ctl show -p Conditions unmet.service
check_prints "logs say where there is more" 'No lines; --verbose adds what jobd says of it' ctl logs unmet.service
check_prints "and there is" 'ConditionPathExists=/no/such' ctl logs --verbose unmet.service
check_prints "why does" 'a condition is not met: ConditionPathExists=/no/such' ctl why unmet.service
check_prints "an assertion, too" 'an assertion is not met: AssertPathExists=/no/such' ctl start unfit.service
check_prints "after the unit was unloaded" 'AssertPathExists=/no/such was not met' ctl status unfit.service
check_prints "a binding names its line, and the condition" "BindsTo=unmet.service .$UNITS/bound.service:2., where ConditionPathExists=/no/such is not met" \
        ctl start bound.service
check_prints "a broken section header is named" "header.service:1: .*The section header '\[Service' has no closing" ctl start header.service

# — tables on a narrow terminal —
check_prints "a plan names the line" "^ +Requires=needs.service .$UNITS/needs-needs.service:2." \
        on_terminal plan start:needs-needs.service
check_prints "below the unit that it is about" '^  needs\.service +start' on_terminal plan start:needs-needs.service
check_prints "what there is nothing to do for is only named" '^Nothing to do for: .*shutdown\.target' on_terminal plan start:quick.service
check "start a timer" ctl start yearly.timer
check_prints "the list of timers has whole times" '-01-01 03:04:05' on_terminal list-timers
check_prints "and says how many there are" '^1 timer listed' on_terminal list-timers

# — where unit files are looked for —
check_prints "unit-paths asks the manager" "^$UNITS\$" ctl unit-paths
check_prints "as JSON" "\"$UNITS\"[],]" ctl unit-paths --json
check_equal "without a manager it tells the usual folders" "$(env -u JOBD_SOCKET "$BUILD/jobctl" --system unit-paths | head -n1)" \
        /etc/jobd/system.control

# — a terminal without UTF-8 —
check_lacks "in the C locale there are only ASCII characters" '[^ -~[:space:]]' \
        env LC_ALL=C TERM=dumb script -qec "stty cols 40; $BUILD/jobctl status says-why.service; $BUILD/jobctl list-units --all" /dev/null
check_prints "but in UTF-8 there are others" '…' on_terminal list-units --all

# — output —
check "start evil" ctl start evil.service
check_lacks "no escape sequence of a unit reaches a terminal" $'\033''\]' on_terminal status evil.service
check_prints "it is made visible" 'x1b' on_terminal status evil.service
check_lacks "nor by JSON" $'\033' on_terminal --json list-units evil.service
check_lacks "a pipe gets no colours" $'\033' ctl status evil.service
check_prints "a terminal does" $'\033''\[1;32m' on_terminal status evil.service
check_lacks "unless NO_COLOR is set" $'\033' env NO_COLOR=1 script -qec "$BUILD/jobctl status evil.service" /dev/null
check_equal "a terminal's lines are cut" \
        "$(on_terminal list-units --no-color --no-legend | tr -d '\r' | LC_ALL=C.UTF-8 wc -L | awk '{ print $1 <= 60 }')" 1
check_equal "every line of a plain list begins with the unit" \
        "$(ctl list-units --all --plain --no-legend | cut -d' ' -f1 | grep -cvE '^[a-z-]+\.[a-z]+$')" 0
check_prints "a tree with a ring in it ends" 'ring-a.target \(see above\)' ctl list-dependencies group.target
on_terminal start slow.service >"$DIR/progress" 2>&1 &
WAITER=$!
check "progress on a terminal" wait_for '\[0/[0-9]+\].*start slow' cat "$DIR/progress"
check "it leaves the cursor at the left" wait_for $'start slow.*\x1b\\[K\r\r' cat "$DIR/progress"
kill "$WAITER"
on_terminal start slow.service >"$DIR/progress" 2>&1 &
WAITER=$!
check "progress of a job that somebody else has asked for" wait_for '\[0/[0-9]+\].*start slow' cat "$DIR/progress"
kill "$WAITER"
check_exit "a closed standard output is noticed" 1 bash -c 'exec "$1" list-units >&-' bash "$BUILD/jobctl"
check_exit "unless there was nothing to say" 0 bash -c 'exec "$1" start evil.service >&-' bash "$BUILD/jobctl"
for words in 'kill evil.service' reset-failed 'reset-failed evil.service' cancel; do
        # shellcheck disable=SC2086
        check_prints "success is a document, too: $words" '"ok":true' ctl --json $words
done
check_exit "several failures are one document" 1 ctl --json kill missing.service evil.service gone.service
check_equal "that names them" "$(python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d["ok"], d["error"], *[failure["word"] for failure in d["failures"]])' <<<"$OUT")" \
        "False NoSuchUnit missing.service gone.service"
check_exit "cat tells by the status that there is nothing, also with --json" 1 ctl --json cat missing.service
check_equal "every verb's JSON is JSON" "$(
        for words in list-units list-unit-files jobs status 'status quick.service' 'show quick.service' stats \
                'plan start:group.target' 'why quick.service' 'list-dependencies group.target' 'is-active quick.service' \
                'is-enabled quick.service' 'cat quick.service' 'start quick.service' 'start missing.service' \
                daemon-reload "verify $UNITS/quick.service" version; do
                # shellcheck disable=SC2086
                ctl --json $words | python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' || echo "$words"
        done 2>&1)" ""

# — why —
ctl start --no-block slow.service
SLOW=$(ctl --json jobs slow.service | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["id"])')
check_prints "a running job says what runs" 'start slow\.service has been running for .*ExecStart: /bin/sleep 987 \(pid [0-9]+\)' \
        ctl why "$SLOW"
check_prints "and what ends it by hand" '^By hand:   jobctl stop slow\.service$' ctl why "$SLOW"
ctl start --no-block group.target
GROUP=$(ctl --json why missing.service | python3 -c 'import json, sys; print(json.load(sys.stdin)["transaction"])')
check_prints "what was left out says why" 'cannot-load' ctl why missing.service
check_lacks "and not what else was" '^Left out' ctl why missing.service
check_prints "its transaction does" '^Left out' ctl why "t$GROUP"
check_exit "of what never was there is nothing to say" 5 ctl why 987654

# — graphs: graphviz may be there or not, so here it never is, or is played —
mkdir "$DIR/bin" "$DIR/no-bin"
cat >"$DIR/bin/dot" <<'D'
#!/bin/sh
read -r first && echo "drawn $1: $first"
D
chmod +x "$DIR/bin/dot"
without_graphviz() { PATH="$DIR/no-bin" "$BUILD/jobctl" "$@" 2>"$DIR/said"; }
with_graphviz() { PATH="$DIR/bin" "$BUILD/jobctl" "$@"; }
check_prints "a plan is a graph" '^digraph plan \{' without_graphviz plan --graph=dot start:group.target
check_exit "which says by the status that it would be accepted" 0 without_graphviz plan --graph=dot start:group.target
check_exit "or refused" 4 without_graphviz plan --graph=dot start:missing.service
check_prints "graphviz draws it" '^drawn -Tsvg: digraph plan' with_graphviz plan --graph=svg start:group.target
check_exit "with the status of the plan" 4 with_graphviz plan --graph=svg start:missing.service
check_exit "without graphviz it is not drawn" 1 without_graphviz plan --graph=svg start:group.target
check "that is said" grep -q 'graphviz' "$DIR/said"
check_prints "and what it would draw is printed" 'j0 \[label="group\.target' \
        without_graphviz plan --graph=svg start:group.target

# — completion —
complete_words() {
        bash -c 'source "$1"; shift; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _jobctl
                printf "%s " "${COMPREPLY[@]}"' bash "$(dirname "$0")/../../completions/jobctl.bash" "$BUILD/jobctl" "$@"
}
check_equal "verbs are completed" "$(complete_words sto)" "stop "
check_equal "options are" "$(complete_words start --no-b)" "--no-block "
check_equal "units are" "$(complete_words start qui)" "quick.service "
# The socket that is completed is the one in the words, not the one in the environment: both are meant.
# shellcheck disable=SC2097,SC2098
check_equal "units of the manager behind a socket" \
        "$(JOBD_SOCKET=/nowhere complete_words --socket = "$JOBD_SOCKET" start qui)" "quick.service "
check_equal "modes are" "$(complete_words start --job-mode = flu)" "flush "
check_equal "requests are" "$(complete_words plan start : qui)" "quick.service "
check_equal "for stop, units that run are" "$(complete_words stop ev)" "evil.service "
check_equal "jobs are" "$(complete_words cancel '')" "$(ctl jobs --no-legend | awk '{ printf "%s ", $1 }')"

stop_daemon
done_testing
