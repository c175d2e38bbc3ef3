#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Flows as units: they are loaded, shown, listed and checked. Their runs have a test of their own.
# S000-19
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit backup.flow <<'U'
[Unit]
Description=Nightly backup

[Flow]
MaxRuns=3
OnBusy=skip
RunTimeoutSec=2h
User=root
MemoryMax=1G
ExecStartPre=/bin/true

[Node dump]
Exec=/bin/true
Retry=3

[Node copy]
DependsOn=dump
Exec=/bin/true
U
unit broken.flow <<'U'
[Node a]
DependsOn=b
[Node b]
DependsOn=a
U
start_daemon --unit-path "$UNITS"

# of BUS-METHOD [SIGNATURE ARGUMENT…]
# shellcheck disable=SC2317
flow() {
        busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1/unit/backup_2eflow org.jobd1.Flow "$@"
}

check_prints "it is listed" '^backup.flow +static' ctl list-unit-files
check_prints "and those of the type" '^backup.flow' ctl list-unit-files --type=flow
check_prints "its file is shown" '^DependsOn=dump$' ctl cat backup.flow
check_prints "its settings are" '^MaxRuns=3$' ctl show backup.flow
check_prints "in words" '^OnBusy=skip$' ctl show backup.flow
check_prints "with times" '^RunTimeoutUSec=2h$' ctl show backup.flow
check_prints "its nodes" 'dump' ctl show -p Nodes backup.flow
check_prints "those of its processes" '^User=root$' ctl show backup.flow
check_prints "its limits" '^MemoryMax=1073741824$' ctl show backup.flow
check_prints "its state" 'Nightly backup' ctl status backup.flow
check_prints "a broken one is refused with file and line" 'broken.flow:2: DependsOn=: Nodes wait for each other in a circle' \
        ctl start broken.flow

mkdir "$UNITS/backup.flow.d"
printf '[Node copy]\nRetry=2\n[Node clean]\nDependsOn=copy\n' >"$UNITS/backup.flow.d/more.conf"
check "a drop-in is read" ctl daemon-reload
check_prints "and its nodes are there" 'clean' ctl show -p Nodes backup.flow
check "a property is set" ctl set-property backup.flow MemoryMax=2G
check_prints "and read" '^MemoryMax=2147483648$' ctl show backup.flow

if command -v busctl >/dev/null; then
        check_prints "it has no processes" '^a\(sus\) 0$' flow GetProcesses
        check_prints "and takes none" 'itself, not to one below it' flow AttachProcesses sau /sub 1 "$$"
else
        skip "it has no processes" "busctl is not installed"
fi

cat >"$DIR/made.json" <<'J'
{"name":"Made","workflow":{"tasks":[{"id":"a"},{"id":"b","parents":["a"]}]}}
J
check_prints "one is made of another program's" "^$UNITS/made.flow$" ctl flow import --from=wfcommons --output="$UNITS" "$DIR/made.json"
check_prints "and is there at once" 'Made' ctl show -p Description made.flow
check "the whole is right" ctl verify --strict "$UNITS/backup.flow"
check_exit "what is broken is not" 2 ctl verify "$UNITS/broken.flow"
done_testing
