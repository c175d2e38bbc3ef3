#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Processes of services of the system's manager: limits, privileges, filters, directories and credentials.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o mode=755 tmpfs /run 2>/dev/null; then
        skip "services of the system's manager" "only root can do this"
        done_testing
fi
mount -t tmpfs -o mode=755 tmpfs /var/lib
mount -t tmpfs -o mode=755 tmpfs /var/cache
mount -t tmpfs -o mode=755 tmpfs /var/log

# service NAME LINES: a oneshot that writes to a file of its name
service() {
        unit "$1.service" <<U
[Service]
Type=oneshot
StandardOutput=append:$DIR/$1.out
StandardError=inherit
$2
U
}

# lacks_users NAME: its user is one that cannot be had here
lacks_users() {
        ! has_users && grep -q '^User=' "$UNITS/$1.service"
}

# runs NAME WANTED: its commands print that
runs() {
        lacks_users "$1" && skip "$1 runs" "only root may be others" && return
        check "$1 runs" ctl start "$1.service"
        check_equal "$1 finds what it is to find" "$(cat "$DIR/$1.out")" "$2"
}

# fails NAME STATUS PATTERN: it ends with the status of the step, and it is said which
fails() {
        check_exit "$1 does not run" 1 ctl start "$1.service"
        check_equal "$1 has the step's status" "$(ctl show -P ExecMainStatus "$1.service")" "$2"
        check_prints "$1 says why" "$3" ctl show -P FailureReason "$1.service"
}

service limits 'LimitNOFILE=300:400
LimitCORE=0
LimitNICE=+5
UMask=0027
OOMScoreAdjust=500
CPUSchedulingPolicy=batch
IOSchedulingClass=idle
CoredumpFilter=0x1
TimerSlackNSec=77us
CPUAffinity=0
ExecStart=/bin/sh -c "ulimit -Sn; ulimit -Hn; ulimit -c; umask; cat /proc/self/oom_score_adj; ionice -p $$$$; cat /proc/$$$$/timerslack_ns; grep Cpus_allowed_list /proc/self/status; cat /proc/self/coredump_filter"'
service caps 'User=nobody
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE CAP_CHOWN
SecureBits=keep-caps
NoNewPrivileges=yes
ExecStart=/bin/sh -c "id -un; grep -E \"Cap(Eff|Bnd|Amb)|NoNew\" /proc/self/status"
ExecStart=+/bin/sh -c "id -un; grep -E NoNew /proc/self/status"
ExecStart=!/bin/sh -c "id -un; grep -E NoNew /proc/self/status"'
service filter 'SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
MemoryDenyWriteExecute=yes
LockPersonality=yes
ExecStart=/bin/sh -c "unshare -u true 2>/dev/null || echo no namespace; chrt -r 1 true 2>/dev/null || echo no realtime; touch f; chmod u+s f 2>/dev/null || echo no suid; setarch -R true 2>/dev/null || echo no personality; grep Seccomp: /proc/self/status"
WorkingDirectory=/run'
service killed 'SystemCallFilter=~@mount
ExecStart=/bin/mount -t tmpfs x /mnt'
service folders 'User=nobody
RuntimeDirectory=one two/three
StateDirectory=state
StateDirectoryMode=0700
CacheDirectory=cache
LogsDirectory=logs
ExecStart=/bin/sh -c "echo $RUNTIME_DIRECTORY $STATE_DIRECTORY $CACHE_DIRECTORY $LOGS_DIRECTORY; stat -c \"%U %%a\" /run/one /run/two/three /var/lib/state /var/cache/cache /var/log/logs; touch /run/one/mine /var/lib/state/mine"'
sed -i 's/"%U %%a/"%%U %%a/' "$UNITS/folders.service"
service secrets "User=nobody
LoadCredential=file:$DIR/secret
SetCredential=text:plain
ExecStartPre=/bin/sh -c 'cat \$CREDENTIALS_DIRECTORY/text'
ExecStart=/bin/sh -c 'cat \$CREDENTIALS_DIRECTORY/file; ls -ld \$CREDENTIALS_DIRECTORY | cut -c1-10; id -un'"
service protected 'ProtectClock=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectHostname=yes
PrivateDevices=yes
ProtectSystem=strict
StateDirectory=protected
ExecStart=/bin/sh -c "hostname other 2>/dev/null || echo no name; dmesg 2>/dev/null || echo no log; date -s @0 2>/dev/null >&2 || echo no clock; mknod /var/lib/protected/null c 1 3 2>/dev/null || echo no device; touch /var/lib/protected/file 2>/dev/null && echo own; touch /var/lib/other 2>/dev/null || echo not others; grep Seccomp: /proc/self/status"'
service input 'StandardInputText=first line
StandardInputText=\x41 second
ExecStart=/bin/cat'
service path "ExecSearchPath=$DIR/bin
ExecStart=my-own"
service start-only 'User=nobody
PermissionsStartOnly=yes
ExecStartPre=/usr/bin/id -un
ExecStart=/usr/bin/id -un'
service no-cpu 'CPUAffinity=8000
ExecStart=/bin/true'
service no-secret 'LoadCredential=a:/no/such/file
ExecStart=/bin/true'
service no-folder 'StateDirectory=mine/inner
User=nobody
ExecStart=/bin/true'
service refused 'RestrictRealtime=perhaps
ExecStart=/bin/touch /run/refused-has-run'
service opens 'OpenFile=/etc/hostname:host:read-only
OpenFile=/run/opened:words:append
OpenFile=/run/not-there:ghost:graceful
OpenFile=/run/opens.socket
ExecStart=/bin/sh -c "echo $$LISTEN_FDS $$LISTEN_FDNAMES; read line <&3; echo x 2>/dev/null >&3 || echo read-only; echo more >&4; echo hello >&5"'
service opens-none 'OpenFile=/run/not-there
ExecStart=/bin/true'
mount -t tmpfs tmpfs /etc/pam.d
for kind in auth account session; do echo "$kind required pam_permit.so"; done >/etc/pam.d/leaks
echo "session required $BUILD/tests/integration/libpam-leak.so" >>/etc/pam.d/leaks
service session 'Type=notify
NotifyFd=9
User=nobody
PAMName=leaks
ExecStart=/bin/sh -c "for x in 3 4 5 6 7 8 9; do [ ! -e /proc/$$$$/fd/$$x ] || echo $$x; done; echo >&9; exec sleep 1000"'
for name in leaves shares; do
        unit $name.service <<U
[Service]
User=nobody
RemoveIPC=yes
ExecStart=/bin/sh -c 'echo x >/dev/shm/$name; exec sleep 1000'
U
done
unit long.service <<U
[Service]
RuntimeDirectory=long
ExecStart=/bin/sleep 1000
U
unit kept.service <<U
[Service]
RuntimeDirectory=kept
RuntimeDirectoryPreserve=yes
ExecStart=/bin/sleep 1000
U

echo secret >"$DIR/secret"
mkdir "$DIR/bin"
printf '#!/bin/sh\necho mine\n' >"$DIR/bin/my-own"
chmod 755 "$DIR" "$DIR/bin" "$DIR/bin/my-own"
"$START_READY" "$DIR/pid" "$DIR/log" "$BUILD/jobd" --system --unit-path "$UNITS" --default-unit none --no-bus \
        --runtime-dir "$XDG_RUNTIME_DIR/jobd" || { echo "Bail out! jobd does not start"; exit 1; }
DAEMON=$(cat "$DIR/pid")
find_core

runs limits $'300\n400\n0\n0027\n500\nidle\n77000\nCpus_allowed_list:\t0\n00000001'
runs caps $'nobody\nCapEff:\t0000000000000400\nCapBnd:\t0000000000000401\nCapAmb:\t0000000000000400\nNoNewPrivs:\t1\nroot\nNoNewPrivs:\t0\nroot\nNoNewPrivs:\t1'
runs filter $'no namespace\nno realtime\nno suid\nno personality\nSeccomp:\t2'
check_exit "killed does not run" 1 ctl start killed.service
check_equal "the signal says why" "$(ctl show -P ExecMainStatus killed.service)" 31
runs folders $'/run/one:/run/two/three /var/lib/state /var/cache/cache /var/log/logs\nnobody 755\nnobody 755\nnobody 700\nnobody 755\nnobody 755'
check_equal "runtime directories go with the service" "$(ls /run/one /run/two/three 2>/dev/null)" ""
lacks_users folders || check_equal "others stay" "$(ls /var/lib/state)" mine
runs secrets $'plainsecret\ndr-x------\nnobody'
check_equal "credentials go with the service" "$(ls /run/credentials)" ""
runs protected $'no name\nno log\nno clock\nno device\nown\nnot others\nSeccomp:\t2'
runs input $'first line\nA second'
runs path mine
runs start-only $'root\nnobody'
mkdir /var/lib/mine /run/precious
ln -s /run/precious /var/lib/mine/inner
chown -h nobody /var/lib/mine /var/lib/mine/inner
fails no-cpu 215 'CPU affinity'
fails no-secret 243 'credentials: cannot read /no/such/file'
fails no-folder 238 'state directory: cannot set up mine/inner'
check_equal "nothing outside was changed" "$(stat -c %U /run/precious)" root
check_exit "what nobody understands is refused" 1 ctl start refused.service
check_equal "and does not run with less" "$(ls /run/refused-has-run 2>/dev/null)" ""

echo first >/run/opened
python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind("/run/opens.socket"); s.listen(); print("up", flush=True)
print(s.accept()[0].recv(100).decode(), end="", flush=True)' >/run/heard &
wait_for up cat /run/heard
if [ -e "$BUILD/tests/integration/libpam-leak.so" ]; then
        runs session 9
        lacks_users session || check "and ends" ctl stop session.service
fi
runs opens $'3 host:words:opens.socket\nread-only'
check_equal "a file is written at its end" "$(tr '\n' ' ' </run/opened)" "first more "
check "a socket is connected to" wait_for hello cat /run/heard
fails opens-none 202 'cannot open /run/not-there'
check_prints "the bus tells of them" '/run/opened.*words' ctl show -p OpenFile opens.service

if has_users; then
        check "two services of one user" ctl start leaves.service shares.service
        wait_for x cat /dev/shm/leaves && wait_for x cat /dev/shm/shares
        touch /dev/shm/root
        check "one stops" ctl stop leaves.service
        check "what it has left may be the other's" test -e /dev/shm/leaves
        check "core dies" kill_core KILL
        check "the other stops" ctl stop shares.service
        check_equal "then it goes, with RemoveIPC=, and root's stays" "$(ls /dev/shm)" root
else
        skip "two services of one user" "only root may be others"
fi

check "a service that goes on" ctl start long.service kept.service
check_equal "has its directory" "$(stat -c %a /run/long)" 755
check "core dies" kill_core KILL
check_equal "and the directory is there" "$(stat -c %a /run/long)" 755
check "it is stopped" ctl stop long.service kept.service
check_equal "and the directory is gone" "$(ls -d /run/long 2>/dev/null)" ""
check_equal "one that is kept is there" "$(ls -d /run/kept)" /run/kept
done_testing
