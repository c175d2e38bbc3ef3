#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobctl with the real daemon: several requests in one transaction, signals that a second client gets, waiting, why, plan,
# refusals, exit codes.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit sleeper.service <<'U'
[Unit]
Description=Sleeps
[Service]
ExecStart=/bin/sleep 1000
U
unit other.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
ExecReload=/bin/true
U
unit slow.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sleep 987
U
unit after-slow.service <<'U'
[Unit]
Wants=slow.service
After=slow.service
[Service]
ExecStart=/bin/sleep 1000
U
unit fails.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'exit 3'
U
unit needs-fails.service <<'U'
[Unit]
Requires=fails.service
After=fails.service
[Service]
ExecStart=/bin/sleep 1000
U
unit needs-missing.service <<'U'
[Unit]
Requires=missing.service
[Service]
ExecStart=/bin/sleep 1000
U
unit wants-missing.service <<'U'
[Unit]
Wants=missing.service
[Service]
Type=oneshot
ExecStart=/bin/true
U
unit broken.service <<'U'
[Service]
Type=nonsense
ExecStart=/bin/true
U
unit nobinary.service <<'U'
[Service]
ExecStart=/nonexistent/program --option
U
unit cycle-a.service <<'U'
[Unit]
Requires=cycle-b.service
After=cycle-b.service
[Service]
ExecStart=/bin/true
U
unit cycle-b.service <<'U'
[Unit]
Requires=cycle-a.service
After=cycle-a.service
[Service]
ExecStart=/bin/true
U
unit bound.service <<'U'
[Unit]
Conflicts=sleeper.service
[Service]
ExecStart=/bin/sleep 1000
U
ln -s /dev/null "$UNITS/masked.service"

start_daemon

# A second client listens all the time.
ctl monitor --json >"$DIR/heard" 2>&1 &
MONITOR=$!
wait_for Listening cat "$DIR/heard"

check "start waits and succeeds" ctl start other.service
check_exit "is-active says so" 0 ctl is-active other.service
check_equal "is-active prints the state" "$OUT" active
check_exit "start and stop in one request" 0 ctl exec start:sleeper.service stop:other.service
check_exit "the one is active" 0 ctl is-active sleeper.service
check_exit "the other is not" 3 ctl is-active other.service
check "both jobs have one transaction" grep -q '^same$' <(
        ctl why sleeper.service --json | grep -Eo '"transaction": ?[0-9]+' | head -n1 >"$DIR/t1"
        ctl why other.service --json | grep -Eo '"transaction": ?[0-9]+' | head -n1 >"$DIR/t2"
        [ -s "$DIR/t1" ] && cmp -s "$DIR/t1" "$DIR/t2" && echo same)
check "a second client hears JobNew of the first" wait_for 'JobNew.*sleeper\.service' cat "$DIR/heard"
check "and JobRemoved" wait_for 'JobRemoved.*sleeper\.service' cat "$DIR/heard"
kill "$MONITOR"

check "a start that nobody waits for" ctl start --no-block after-slow.service
wait_for 'slow\.service.*start.*running' ctl jobs
check_prints "jobs shows the one that waits" 'after-slow\.service.*start.*waiting' ctl jobs
check_prints "why names the job it waits for" 'slow\.service' ctl why after-slow.service
check_prints "why names its command" '/bin/sleep 987' ctl why after-slow.service
check_prints "why says who asked" 'requested by jobctl \(pid [0-9]+, uid [0-9]+\)' ctl why after-slow.service
check_prints "why says how long it has run" '(running|runs).* [0-9.]+ ?(us|µs|ms|s|min)' ctl why after-slow.service
JOB=$(ctl jobs --plain --no-legend | awk '/after-slow/ { print $1 }')
RUNNING=$(ctl jobs --plain --no-legend | awk '$2 == "slow.service" { print $1 }')
check_exit "cancel of a running job is refused" 4 ctl cancel "$RUNNING"
check_prints "and says what would end it" 'stop the unit' ctl cancel "$RUNNING"
check_prints "cancel --detach wants names" 'needs the names' ctl cancel --detach
check_exit "cancel of an unknown job" 1 ctl cancel 4000000
"$BUILD/jobctl" wait "$JOB" >"$DIR/waited" 2>&1 &
WAITER=$!
wait_for_waiter "$WAITER"
check "cancel of a waiting job" ctl cancel "$JOB"
wait "$WAITER"
check_equal "its waiter hears of it" $? 1
check "cancel --detach of a running job" ctl cancel --detach slow.service
check_equal "its unit goes on" "$(ctl is-active slow.service)" activating
check_lacks "without a job" slow ctl jobs
check "stop of the slow one" ctl stop slow.service

check_exit "a failing unit" 1 ctl start fails.service
check_exit "is failed" 0 ctl is-failed fails.service
check_exit "one that needs it fails as well" 1 ctl start needs-fails.service
check_prints "with the result dependency" 'dependency' ctl start needs-fails.service
check "reset-failed" ctl reset-failed fails.service
check_exit "is not failed any more" 1 ctl is-failed fails.service
check_exit "a unit that does not exist" 5 ctl start nothing.service
check_prints "is named" 'nothing\.service.*not found' ctl start nothing.service
unit meant.flow <<'U'
[Node a]
Exec=/bin/true
U
for VERB in start restart stop kill is-enabled enable status cat; do
        check_prints "$VERB without a type, where only a flow has the name" '\(did you mean meant\.flow\?\)' ctl $VERB meant
done
check_prints "so does edit" 'No files found for meant.service \(did you mean meant\.flow\?\)\.' ctl edit --stdin meant </dev/null
check_prints "show says so, too" '^LoadError=.*did you mean meant\.flow' ctl show meant -p LoadError
check_prints "as JSON" '"message": *"[^"]*did you mean meant\.flow' ctl start --json meant
check_lacks "a unit that is not loaded is the one that is meant" 'did you mean' ctl kill nobinary
check_exit "a masked unit" 1 ctl start masked.service
check_prints "is called masked" 'masked\.service is masked' ctl start masked.service
check_exit "a broken file" 1 ctl start broken.service
check_prints "is named with line and setting" 'broken\.service:2.*Type' ctl start broken.service
check_exit "Requires of a missing unit refuses" 5 ctl start needs-missing.service
check_prints "and names it and the line" 'missing\.service.*needs-missing\.service:2' ctl start needs-missing.service
check_exit "Wants of a missing unit does not" 0 ctl start wants-missing.service
check_prints "but plan notes it" 'missing\.service' ctl plan start:wants-missing.service
check_exit "a cycle that cannot be broken is refused" 1 ctl start cycle-a.service
check_prints "with its edges and their lines" 'cycle-a\.service:3' ctl start cycle-a.service
check_exit "a program that is not there" 1 ctl start nobinary.service
check_prints "is named, with the reason" 'nonexistent/program.*No such file' ctl status nobinary.service
check_exit "a bad mode" 1 ctl start --job-mode=nonsense sleeper.service
check_prints "names the valid ones" 'replace-irreversibly' ctl start --job-mode=nonsense sleeper.service
check_exit "a bad type" 2 ctl exec nonsense:sleeper.service
check_exit "a bad verb" 2 ctl strat sleeper.service
check_prints "names the nearest" 'start' ctl strat sleeper.service
check_exit "mode fail against a running start" 0 ctl start --no-block slow.service
wait_for 'slow\.service.*running' ctl jobs
BEFORE=$(ctl jobs --plain --no-legend)
check_exit "is destructive" 4 ctl stop --job-mode=fail slow.service
check_equal "and leaves the table as it was" "$(ctl jobs --plain --no-legend | awk '{ print $1, $2, $3, $4 }')" \
        "$(awk '{ print $1, $2, $3, $4 }' <<<"$BEFORE")"

check_prints "plan of isolate lists what would stop" 'sleeper\.service.*stop' ctl plan --job-mode=isolate start:rescue.target
check_prints "also as a type of request" 'sleeper\.service.*stop' ctl plan isolate:rescue.target
check_exit "and changes nothing" 0 ctl is-active sleeper.service
check_exit "a plan that would be refused" 4 ctl plan start:needs-missing.service

check_exit "stop of what conflicts" 0 ctl start bound.service
check "it is stopped" wait_for '^inactive$' ctl is-active sleeper.service
check_prints "status says whose manager it is" "^[^ ]* jobd .*, manager of a user\$" ctl status
check_exit "status of an inactive unit" 3 ctl status sleeper.service
check_exit "status of an unknown unit" 4 ctl status nothing.service
check_exit "status of an active unit" 0 ctl status bound.service
unit checks.target <<'U'
[Unit]
Wants=skipped.service asserts.service
U
unit skipped.service <<'U'
[Unit]
ConditionPathExists=/etc
ConditionPathExists=|/nonexistent
ConditionPathExists=|!/etc
[Service]
ExecStart=/bin/true
U
unit asserts.service <<'U'
[Unit]
AssertPathExists=/nonexistent
[Service]
ExecStart=/bin/true
U
check "what has conditions is started" ctl start checks.target
check_prints "status shows the conditions that were not met" 'Condition: not met at the start of .* ago$' \
        ctl status skipped.service
check_prints "each of them" '^ +ConditionPathExists=[|]!/etc was not met$' cat <<<"$OUT"
check_lacks "and no others" 'PathExists=/etc ' cat <<<"$OUT"
check_prints "and the assertions" 'Assert: not met at the start of' ctl status asserts.service
check_prints "with what they are" '^ +AssertPathExists=/nonexistent was not met$' cat <<<"$OUT"
check_prints "so does the log" 'skipped.service was skipped because of an unmet condition: .*=[|]/nonexistent, .*=[|]!/etc$' \
        cat "$DIR/log"
check_prints "of assertions, too" 'Assertion failed for asserts.service: AssertPathExists=/nonexistent$' cat "$DIR/log"
check_prints "show has modes as they are written" '^RuntimeDirectoryMode=0755$' ctl show -p RuntimeDirectoryMode skipped.service
check_prints "and what came of conditions" '=[|]/nonexistent [(]not met[)]' ctl show -p Conditions skipped.service
check_prints "shows its main process" 'Main PID: [0-9]+' ctl status bound.service
check "restart" ctl restart bound.service
check "kill" ctl kill --signal=KILL bound.service
check "the unit fails by it" wait_for failed ctl is-active bound.service
check "cat" ctl cat slow.service
unit odd.service <<'U'
[Service]
ExecStart=/bin/true
U
mkdir "$UNITS/odd.service.d" && mkfifo "$UNITS/odd.service.d/a.conf"
check_exit "cat of a FIFO" 1 ctl cat odd.service
check_prints "is refused" 'odd.service.d/a.conf: It is not a regular file.' cat <<<"$OUT"
rm -r "$UNITS/odd.service.d"
check_prints "show" '^ActiveState=failed$' ctl show -p ActiveState bound.service
check_exit "a type that there is not" 2 ctl list-units --type=bogus
check_prints "list-units" 'slow\.service +loaded' ctl list-units
check_prints "list-dependencies" 'slow\.service' ctl list-dependencies after-slow.service
check_prints "stats" 'transactions-committed' ctl stats
check_prints "verify names line and setting" 'broken\.service:2.*Type' ctl verify "$UNITS/broken.service"

unit slow.service <<'U'
[Unit]
Description=Changed
[Service]
Type=oneshot
ExecStart=/bin/sleep 987
U
check "daemon-reload" ctl daemon-reload
check_prints "reads what has changed" 'Description=Changed' ctl show -p Description slow.service
check_prints "and keeps the job" 'slow\.service.*running' ctl jobs

# — verbs that are one request —
check_prints "version" '^jobctl [0-9]' ctl version
check_prints "is-system-running" '^(running|degraded)$' ctl is-system-running
check "reload-or-restart starts what does not run" ctl reload-or-restart other.service
OTHER=$(ctl show --value -p MainPID other.service)
check "reload-or-restart reloads what can" ctl reload-or-restart other.service
check "try-reload-or-restart, too" ctl try-reload-or-restart other.service
check_equal "its process stays" "$(ctl show --value -p MainPID other.service)" "$OTHER"
check "try-reload-or-restart leaves alone what does not run" ctl try-reload-or-restart sleeper.service
check_exit "which stays so" 3 ctl is-active sleeper.service
unit alone.target <<<$'[Unit]\nAllowIsolate=yes'
check "isolate" ctl isolate alone.target
check_exit "stops all else" 3 ctl is-active other.service
for verb in rescue emergency default; do
        unit "$verb.target" <<<$'[Unit]\nAllowIsolate=yes'
        ctl start other.service
done
check "rescue" ctl rescue
check "has its target" ctl is-active rescue.target
check "emergency" ctl emergency
check "has its target" ctl is-active emergency.target
check_exit "and not the other" 3 ctl is-active rescue.target
check "default" ctl default
check "has its target" ctl is-active default.target

check "the daemon is alive" alive
check "kexec" ctl kexec
check "ends a manager that is no machine's" timeout "$PATIENCE" tail --pid="$DAEMON" -f /dev/null
rm -f "$DIR/pid"
check_exit "without a daemon" 7 ctl start sleeper.service
# — where output goes that is not in the log —
unit says.service <<<$'[Service]\nType=oneshot\nExecStart=/bin/echo said'
for output in inherit null journal; do
        if [ -f "$DIR/pid" ] && alive 2>/dev/null; then
                stop_daemon
        fi
        printf '[Manager]\nDefaultStandardOutput=%s\nLogTo=files\n' "$output" >"$DIR/output.conf"
        start_daemon --config "$DIR/output.conf"
        ctl start says.service
        case $output in
        inherit) check_prints "logs says where output goes" 'No lines: .*goes where that of jobd goes' ctl logs says.service ;;
        null) check_prints "and that it is dropped" 'No lines: .* is dropped' ctl logs says.service ;;
        journal)
                wait_for said ctl logs says.service
                report $? "or has it"
                ;;
        esac
done
done_testing
