#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# systemctl --user as Debian ships it, unmodified, against jobd --systemd-compat: exit codes and what it prints.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

if ! command -v systemctl >/dev/null; then
        echo "1..0 # SKIP systemctl is not installed"
        exit 0
fi

unit a.service <<'U'
[Unit]
Description=The first one
Documentation=man:true(1)
[Service]
ExecStart=/bin/sleep 1000
ExecReload=/bin/true
U
unit b.service <<'U'
[Unit]
Description=The second one
Requires=a.service
After=a.service
[Service]
ExecStart=/bin/sleep 1000
U
unit slow.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sleep 987
U
unit waits.service <<'U'
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
unit short.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/true
U
unit dies.service <<'U'
[Service]
ExecStart=/bin/sh -c 'sleep 0.3; exit 4'
U
unit noreload.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit manual.service <<'U'
[Unit]
RefuseManualStart=yes
[Service]
ExecStart=/bin/sleep 1000
U
unit only.target <<'U'
[Unit]
Description=Isolated
AllowIsolate=yes
U
unit broken.service <<'U'
[Service]
Type=nonsense
ExecStart=/bin/true
U
ln -s /dev/null "$UNITS/masked.service"

# systemctl asks a manager about files only on a machine that systemd booted, which it sees by this folder.
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system

start_daemon --systemd-compat
export SYSTEMD_PAGER='' SYSTEMD_COLORS=0 SYSTEMD_LOG_LEVEL=info LC_ALL=C.UTF-8 COLUMNS=200
export SYSTEMD_BUS_TIMEOUT=${PATIENCE}s
sc() {
        systemctl --user --no-pager "$@"
}

check_exit "start" 0 sc start b.service
check_equal "prints nothing" "$OUT" ""
check_exit "is-active" 0 sc is-active b.service
check_equal "prints the state" "$OUT" active
check_exit "is-active of what it requires" 0 sc is-active a.service
check_exit "is-active of an unknown unit" 3 sc is-active nothing.service
check_equal "prints inactive" "$OUT" inactive
check_exit "is-failed" 1 sc is-failed b.service
check_exit "reload" 0 sc reload a.service
check_exit "reload of one that cannot" 3 sc reload noreload.service
check_prints "says so" 'Job type reload is not applicable for unit noreload.service' sc reload noreload.service
PID=$(sc show -p MainPID --value a.service)
check_exit "restart" 0 sc restart a.service
[ "$(sc show -p MainPID --value a.service)" != "$PID" ]
report $? "gives it a new main process"
check_exit "and restarts what requires it" 0 sc is-active b.service
check_exit "try-restart of an inactive unit" 0 sc try-restart noreload.service
check_exit "does not start it" 3 sc is-active noreload.service
check_exit "reload-or-restart" 0 sc reload-or-restart a.service
check_exit "try-reload-or-restart" 0 sc try-reload-or-restart noreload.service

check_exit "status of an active unit" 0 sc status b.service
check_prints "name and description" '● b.service - The second one' echo "$OUT"
check_prints "where it is loaded from" 'Loaded: loaded \(.*/units/b\.service; static' sc status b.service
check_prints "state and since when" 'Active: active \(running\) since .*; .* ago' sc status b.service
check_prints "main process" 'Main PID: [0-9]+ \(sleep\)' sc status b.service
check_exit "status of an inactive unit" 3 sc status noreload.service
check_prints "inactive (dead)" 'Active: inactive \(dead\)' echo "$OUT"
check_exit "status of an unknown unit" 4 sc status nothing.service
check_prints "could not be found" 'Unit nothing.service could not be found' echo "$OUT"
check_exit "status of the manager" 0 sc status
check_prints "shows its state" 'State: (running|degraded|starting)' echo "$OUT"

check_exit "show" 0 sc show b.service
check_prints "shows properties" '^ActiveState=active$' echo "$OUT"
check_prints "dependencies" '^Requires=.*a\.service' echo "$OUT"
check_prints "the command" '^ExecStart=\{ path=/bin/sleep ; argv\[\]=/bin/sleep 1000 ; ignore_errors=no ; start_time=\[.*\] ; stop_time=\[n/a\] ; pid=[0-9]+ ' echo "$OUT"
check_exit "show of the manager" 0 sc show
check_prints "its version" '^Version=' echo "$OUT"
check_exit "is-system-running" 0 sc is-system-running

check_exit "list-units" 0 sc list-units
check_prints "a line for each" 'b\.service +loaded +active +running +The second one' echo "$OUT"
check_lacks "no unit that nothing uses" 'noreload\.service' echo "$OUT"
check_exit "list-units of a type and state" 0 sc list-units --type=service --state=active
check_lacks "only those" '\.target' echo "$OUT"
check_prints "list-unit-files" 'a\.service +static' sc list-unit-files
check_exit "list-dependencies" 0 sc list-dependencies b.service
check_prints "as a tree" '[●├─].*a\.service' echo "$OUT"
check_prints "and back" 'b\.service' sc list-dependencies --reverse a.service
unit wants-any.service <<<$'[Unit]\nWants=dev-x.swap no-such.device\n[Service]\nExecStart=/bin/true'
check_prints "a unit of a type that jobd does not have has a state, too" '○.*no-such\.device' sc list-dependencies wants-any.service
check_lacks "without a complaint" 'has no property' sc list-dependencies wants-any.service
check_prints "the manager is in a scope" '● init\.scope - ' sc status "$DAEMON"
find_core
check_prints "with all of its processes" '● init\.scope - ' sc status "$CORE"
check_equal "which is always there" "$(sc is-active init.scope -- -.slice)" $'active\nactive'
check_prints "and cannot be stopped" 'stop is not applicable' sc stop init.scope
check_prints "cat" 'Requires=a.service' sc cat b.service

check_exit "start --no-block" 0 sc start --no-block waits.service
wait_for 'slow\.service.*running' sc list-jobs
check_exit "list-jobs" 0 sc list-jobs
check_prints "one runs" '[0-9]+ +slow\.service +start +running' echo "$OUT"
check_prints "one waits" '[0-9]+ +waits\.service +start +waiting' echo "$OUT"
check_prints "list-jobs --after" 'waits\.service' sc list-jobs --after
check_prints "--before names what must go first" 'slow\.service' sc list-jobs --before
JOB=$(sc list-jobs --no-legend | awk '/waits/ { print $1 }')
(sc start waits.service; echo "exit $?") >"$DIR/waiter" 2>&1 &
wait_for '"also"' ctl why waits.service --json          # its request has been merged into the job
check_exit "cancel" 0 sc cancel "$JOB"
check "the one that waited for it says so" wait_for 'Job for waits.service canceled' cat "$DIR/waiter"
check "and exits with 1" wait_for 'exit 1' cat "$DIR/waiter"
check_exit "cancel of an unknown job" 1 sc cancel 4000000
(sc start slow.service; echo "exit $?") >"$DIR/waiter" 2>&1 &
wait_for '"also"' ctl why slow.service --json
check_exit "cancel of a running job" 0 sc cancel "$(sc list-jobs --no-legend | awk '/slow/ { print $1 }')"
check "the one that waited for it says so" wait_for 'Job for slow.service canceled' cat "$DIR/waiter"
check "and exits with 1" wait_for 'exit 1' cat "$DIR/waiter"
check_lacks "the job is gone" 'slow' sc list-jobs
check_equal "the unit goes on" "$(sc is-active slow.service)" activating
check_exit "another start finds it activating" 0 sc start --no-block slow.service
check "as a job" wait_for 'slow.*running' sc list-jobs
check_exit "cancel of all jobs" 0 sc cancel
check_prints "leaves none" 'No jobs' sc list-jobs
check_equal "and the unit goes on" "$(sc is-active slow.service)" activating
check_exit "the job for what follows" 0 sc start --no-block slow.service
check_exit "job mode fail is destructive" 4 sc stop --job-mode=fail slow.service
check_prints "says so" 'destructive|conflicts' echo "$OUT"
check_exit "an unknown job mode" 1 sc start --job-mode=nonsense a.service
check_exit "stop" 0 sc stop slow.service
check_exit "it is stopped" 3 sc is-active slow.service

check_exit "start --show-transaction" 0 sc start --show-transaction --job-mode=replace noreload.service
check_prints "prints the anchor" 'Enqueued anchor job [0-9]+ noreload\.service/start\.' echo "$OUT"
check_exit "stop" 0 sc stop a.service
check_exit "--show-transaction with dependencies" 0 sc start --show-transaction b.service
check_prints "prints the anchor" 'Enqueued anchor job [0-9]+ b\.service/start\.' echo "$OUT"
check_prints "and what it pulled in" 'Enqueued auxiliary job [0-9]+ a\.service/start\.' echo "$OUT"
check_lacks "without a fallback" 'fall' echo "$OUT"

check_exit "a failing unit" 1 sc start fails.service
check_prints "is reported as systemd does" 'Job for fails.service failed because the control process exited with error code' echo "$OUT"
check_exit "is-failed" 0 sc is-failed fails.service
check_equal "prints failed" "$OUT" failed
check_prints "list-units --failed" 'fails\.service +loaded +failed +failed' sc list-units --failed
check_prints "is-system-running: degraded" degraded sc is-system-running
check_exit "reset-failed of one" 0 sc reset-failed fails.service
check_exit "it is not failed" 1 sc is-failed fails.service
check_exit "reset-failed of all" 0 sc reset-failed
check_prints "nothing failed is left" '^0 loaded units' sc list-units --failed

check_exit "an unknown unit" 5 sc start nothing.service
check_prints "is not found" 'Unit nothing.service not found' echo "$OUT"
check_exit "a masked unit" 1 sc start masked.service
check_prints "is masked" 'Unit masked.service is masked' echo "$OUT"
check_exit "try-restart of a masked unit is silent" 0 sc try-restart masked.service
check_exit "a broken unit" 1 sc start broken.service
check_prints "has a bad setting" 'bad.*setting|broken\.service:2' echo "$OUT"
check_exit "one that may not be started by hand" 4 sc start manual.service
check_exit "isolate of what may not be" 4 sc isolate a.service
check_exit "isolate of what is not there" 4 sc isolate nothing.target
check_prints "which says so" 'Unit nothing.target not found' echo "$OUT"
check_exit "isolate" 0 sc isolate only.target
check_exit "stops the others" 3 sc is-active b.service
check_exit "and starts the target" 0 sc is-active only.target

check_exit "start again" 0 sc start a.service
check_exit "kill" 0 sc kill --signal=KILL a.service
check "it fails by the signal" wait_for 'failed' sc is-active a.service
check_prints "and shows it" '^Result=signal$' sc show -p Result a.service

cat >"$UNITS/a.service" <<'U'
[Unit]
Description=Another description
[Service]
ExecStart=/bin/sleep 1000
U
check_prints "a changed file asks for a reload" '^NeedDaemonReload=yes$' sc show -p NeedDaemonReload a.service
check_exit "daemon-reload" 0 sc daemon-reload
check_prints "reads it" '^Description=Another description$' sc show -p Description a.service

unit a.timer <<'U'
[Timer]
OnCalendar=daily
OnBootSec=20d
U
check_exit "a timer starts" 0 sc start a.timer
check_prints "list-timers shows it" 'left +- +- +a\.timer +a\.service' sc list-timers
check_prints "its times are shown" 'OnCalendar=\*-\*-\* 00:00:00 ; next_elapse=' sc show -p TimersCalendar a.timer
check_exit "it stops" 0 sc stop a.timer

check_exit "is-enabled of a static unit" 0 sc is-enabled a.service
check_equal "prints static" "$OUT" static
check "the daemon is alive" alive

# The same by a bus daemon, to which DBUS_SESSION_BUS_ADDRESS points.
if command -v dbus-daemon >/dev/null; then
        stop_daemon
        ADDRESS="unix:path=$DIR/bus"
        mkfifo "$DIR/bus-ready"
        dbus-daemon --session --nofork --address="$ADDRESS" --print-address=3 3>"$DIR/bus-ready" >/dev/null 2>&1 &
        BUS=$!
        read -r _ <"$DIR/bus-ready"
        export DBUS_SESSION_BUS_ADDRESS=$ADDRESS
        start_daemon --systemd-compat
        busctl_user() {
                busctl --address="$ADDRESS" --no-pager "$@"
        }
        check "both names are owned on the bus" wait_for 'org\.jobd1' busctl_user list
        check_prints "org.jobd1 is introspected there" '\.Exec +method' busctl_user introspect org.jobd1 /org/jobd1
        check_prints "gdbus agrees" 'Exec\(' gdbus introspect --address "$ADDRESS" --dest org.jobd1 --object-path /org/jobd1
        check_exit "systemctl over the bus" 0 env XDG_RUNTIME_DIR="$DIR/elsewhere" systemctl --user start a.service
        check_exit "and its state" 0 env XDG_RUNTIME_DIR="$DIR/elsewhere" systemctl --user is-active a.service
        # --wait is the one thing that systemctl does over a bus only.
        check_exit "start --wait of one that succeeds" 0 sc start --wait short.service
        check_exit "start --wait of one that fails later" 1 sc start --wait dies.service
        kill "$BUS"
        check_exit "without the bus the private socket goes on" 0 ctl is-active a.service
        check "the daemon is alive" alive
        check_exit "exit" 0 sc exit 7
        check "it does" timeout "$PATIENCE" tail --pid="$DAEMON" -f /dev/null
fi
done_testing
