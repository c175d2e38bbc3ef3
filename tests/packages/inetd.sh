# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# A real server that is started for each connection: sshd -i. The socket is the same one over a kill of the core.

CALLS=60

box_unit inetd.socket <<'U'
[Socket]
ListenStream=127.0.0.1:2222
Accept=yes
MaxConnections=200
U
box_unit inetd@.service <<'U'
[Service]
ExecStart=/usr/sbin/sshd -i
StandardInput=socket
StandardError=journal
RuntimeDirectory=sshd
RuntimeDirectoryPreserve=yes
U

inetd_property() {
        jobctl_in_box show -P "$1" inetd.socket
}

# Who is there says so: this many at the same time.
inetd_banners() {
        in_box bash -c '
                for ((i = 0; i < $1; i++)); do
                        { exec 3<>/dev/tcp/127.0.0.1/2222 && read -r -t 120 line <&3 && echo "$line"; } &
                done
                wait' bash "$1" | grep -c '^SSH-2.0-OpenSSH'
}

ask_inetd() {
        in_box ssh -p 2222 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes \
                -i /root/.ssh/test_key root@127.0.0.1 echo 'one of many: $(id -un)'
}

# The kernel's number of the socket that listens on port 2222.
inetd_inode() {
        in_box awk '$2 ~ /:08AE$/ && $4 == "0A" { print $10 }' /proc/net/tcp
}

check "unit files are read again" jobctl_in_box daemon-reload
check "sshd -i for each connection: start" jobctl_in_box start inetd.socket
check_prints "a login" 'one of many: root' ask_inetd
check_equal "$CALLS callers at once get their answer" "$(inetd_banners "$CALLS")" "$CALLS"
check_equal "each counted" "$(inetd_property NAccepted)" "$((CALLS + 1))"
check "and then gone" wait_for '^0$' inetd_property NConnections
INODE=$(inetd_inode)
check "the core is killed" kill_box_core
check_equal "the socket is the same one" "$(inetd_inode)" "$INODE"
check_equal "and is listened on" "$(active inetd.socket)" active
check_prints "another login" 'one of many: root' ask_inetd
check_equal "$CALLS more callers get their answer" "$(inetd_banners "$CALLS")" "$CALLS"
check_equal "all counted" "$(inetd_property NAccepted)" "$((2 * CALLS + 2))"
check "sshd -i: stop" jobctl_in_box stop inetd.socket
check_equal "nobody listens any more" "$(inetd_inode)" ""
