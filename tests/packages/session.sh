# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Sessions of PAM: opened before the program runs, part of it, and closed when it has ended, however it ends.

NOTES=$ROOT/run/session-notes
mkdir -p "$ROOT/etc/pam.d" "$ROOT/opt/session"
: >"$NOTES"
cat >"$ROOT/opt/session/note" <<'S'
#!/bin/sh
echo "$PAM_TYPE $PAM_USER" >>/run/session-notes
S
chmod 755 "$ROOT/opt/session/note"
echo 'FROM_PAM=it came from there' >"$ROOT/opt/session/variables"
echo '* - nofile 77' >"$ROOT/opt/session/limits"
cat >"$ROOT/etc/pam.d/jobd-session" <<'P'
auth     required pam_permit.so
account  required pam_permit.so
session  required pam_exec.so /opt/session/note
session  required pam_env.so envfile=/opt/session/variables
session  required pam_limits.so conf=/opt/session/limits
P
printf 'auth required pam_permit.so\naccount required pam_deny.so\nsession required pam_permit.so\n' >"$ROOT/etc/pam.d/jobd-denied"

box_unit session.service <<'U'
[Service]
User=www-data
PAMName=jobd-session
Environment=OURS=ours
ExecStart=/bin/sh -c 'echo "$OURS, $FROM_PAM, $(ulimit -n), $(id -un)" >/tmp/session-says; exec sleep 1000'
U
box_unit denied.service <<'U'
[Service]
User=www-data
PAMName=jobd-denied
ExecStart=/bin/true
U

notes() {
        tr '\n' ';' <"$NOTES"
}


check "unit files are read again" jobctl_in_box daemon-reload
in_box rm -f /tmp/session-says
check "a service with a session: start" jobctl_in_box start session.service
check "it says what it has of it" wait_for '^ours, it came from there, 77, www-data$' in_box cat /tmp/session-says
check_equal "the session is open" "$(notes)" "open_session www-data;"
check "over a kill of the core" kill_box_core
check_equal "it stays" "$(notes)" "open_session www-data;"
check_equal "as the service does" "$(active session.service)" active
check "stop" jobctl_in_box stop session.service
check "it is closed" wait_for '^open_session www-data;close_session www-data;$' notes
in_box rm -f /tmp/session-says
check "once more" jobctl_in_box start session.service
check "it runs again" wait_for '^ours' in_box cat /tmp/session-says
check_prints "and the session is open again" 'close_session www-data;open_session www-data;$' notes
check "its program is killed" in_box kill -KILL "$(main_pid session.service)"
check "it is closed as well" wait_for 'open_session www-data;close_session www-data;$' notes
jobctl_in_box start denied.service >/dev/null 2>&1
check "an account that is refused" wait_for '^failed' active denied.service
check_equal "ends as systemd has it" "$(jobctl_in_box show -P ExecMainStatus denied.service)" 224
check_prints "and it is said" 'the account is refused: ' cat "$DIR/box.log"
