#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Timers, with the real daemon: they elapse once each time, also over a death of core, and make up for a missed time.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
export XDG_STATE_HOME=$DIR/state
STAMP=$XDG_STATE_HOME/jobd/timers/stamp-missed.timer

for name in again once missed late; do
        unit "$name.service" <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo "\$TRIGGER_UNIT \$TRIGGER_TIMER_REALTIME_USEC" >>$DIR/$name.runs'
U
done
unit again.timer <<'U'
[Timer]
OnActiveSec=0
OnUnitInactiveSec=100ms
AccuracySec=1ms
U
unit once.timer <<'U'
[Timer]
OnActiveSec=2
AccuracySec=1ms
RemainAfterElapse=no
U
unit missed.timer <<'U'
[Timer]
OnCalendar=daily UTC
Persistent=yes
U
unit late.timer <<'U'
[Timer]
OnCalendar=*-*-* *:*:0/1
AccuracySec=1ms
U
unit broken.timer <<'U'
[Timer]
OnCalendar=Mon 25:00
U
unit lonely.timer <<'U'
[Timer]
OnActiveSec=0
U

runs() {
        wc -l <"$DIR/$1.runs"
}

start_daemon
check "a timer starts" ctl start again.timer
check "its unit runs again and again" wait_for '^([3-9]|[0-9]{2,})$' runs again
check_prints "it says which" 'Triggers=again\.service' ctl show again.timer
check_prints "it waits or runs" '^(waiting|running)$' ctl show --value -p SubState again.timer
check_prints "it says when it elapsed" '^LastTriggerUSec=.*[1-9]' ctl show again.timer
check "another one starts" ctl start once.timer late.timer
check "one by the calendar elapses each second" wait_for '^[2-9]$' runs late

# Core dies: nothing is lost, and nothing happens twice.
check "core dies" kill_core KILL
BEFORE=$(runs again)
check "its unit runs on" wait_for "^($((BEFORE + 2))|$((BEFORE + 3))|$((BEFORE + 4)))" runs again
check "the one that elapses once does" wait_for '^1$' runs once
check "and is gone" wait_for '^inactive$' ctl is-active once.timer
check "core dies again" kill_core KILL
BEFORE=$(runs late)
check "the one by the calendar elapses again" wait_for "^($((BEFORE + 2))|$((BEFORE + 3)))" runs late
check_prints "it is told what has triggered it" "^once\.timer [0-9]{16}$" cat "$DIR/once.runs"
check_equal "the one that elapses once has" "$(runs once)" 1
check "they stop" ctl stop again.timer late.timer
check_prints "and are inactive" '^inactive$' ctl is-active again.timer

# A missed time.
check "a persistent one starts" ctl start missed.timer
check "it writes down that it is there" test -e "$STAMP"
check "it has not elapsed" test ! -e "$DIR/missed.runs"
check "it stops" ctl stop missed.timer
touch -d '2 days ago' "$STAMP"
check "it starts again" ctl start missed.timer
check "it makes up for what was missed" wait_for '^1$' runs missed
check "and that is written down" wait_for . find "$STAMP" -newermt '1 day ago'
check "it waits for its next time" wait_for '^waiting$' ctl show --value -p SubState missed.timer

# Wrong timers.
check_prints "one that never elapses is refused" "would never elapse" ctl start broken.timer
check_prints "verify says what is wrong" 'broken\.timer:2.*OnCalendar.*hour is out of its range' ctl verify "$UNITS/broken.timer"
check_exit "one without its unit cannot be started" 1 ctl start lonely.timer
check_prints "the log says why" 'lonely\.timer: The unit that it triggers' cat "$DIR/log"
done_testing
