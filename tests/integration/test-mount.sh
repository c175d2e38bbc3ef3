#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Mount units, with the real daemon and real mounts: of unit files, of fstab, and mounts that others make.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

mount_name() {
        systemd-escape --path --suffix=mount "$1"
}

# A name as a regular expression.
re() {
        sed 's/\\/\\\\/g; s/\./\\./g' <<<"$1"
}

# check_await NAME REGEX COMMAND…: sooner or later what the command prints matches.
check_await() {
        local name=$1
        shift
        wait_for "$@"
        report $? "$name" "$*"
}

# on PATH: what is mounted there, by the kernel's own word
on() {
        grep -c " $1 " /proc/self/mountinfo
}

unmount_all() {
        awk -v folder="$DIR/" 'index($5, folder) == 1 { print $5 }' /proc/self/mountinfo | tac | while read -r where; do
                umount -l "$(printf '%b' "$where")"
        done
}
trap 'unmount_all; cleanup' EXIT

mkdir -p "$DIR/source" "$DIR/place"
echo hello >"$DIR/source/file"
TMP=$(mount_name "$DIR/place/tmp")
BIND=$(mount_name "$DIR/place/tmp/a b/bind")
unit "$TMP" <<U
[Mount]
What=tmpfs
Where=$DIR/place/tmp
Type=tmpfs
Options=size=1m,mode=0711,nofail
DirectoryMode=0750
U
unit "$BIND" <<U
[Mount]
What=$DIR/source
Where=$DIR/place/tmp/a b/bind
Options=bind
U
unit inside.service <<U
[Unit]
RequiresMountsFor="$DIR/place/tmp/a b/bind/file"
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/cat "$DIR/place/tmp/a b/bind/file"
U
BAD=$(mount_name "$DIR/place/bad")
unit "$BAD" <<U
[Mount]
What=$DIR/source/nothing
Where=$DIR/place/bad
Type=ext4
U
unit wrong.mount <<U
[Mount]
What=tmpfs
Where=$DIR/place/tmp
U
LINKED=$(mount_name "$DIR/link/tmp")
ln -s "$DIR/place" "$DIR/link"
unit "$LINKED" <<U
[Mount]
What=tmpfs
Where=$DIR/link/tmp
Type=tmpfs
U

start_daemon --system --runtime-dir "$XDG_RUNTIME_DIR/jobd"
check "it is mounted" ctl start "$TMP"
check_prints "the kernel says so" '^1$' on "$DIR/place/tmp"
check_prints "its folder was made as it says" '^750$' bash -c "umount '$DIR/place/tmp' && stat -c %a '$DIR/place/tmp'"
check_await "and that somebody has unmounted it is seen" '^inactive$' ctl is-active "$TMP"
check "it is mounted again" ctl start "$TMP"
check_prints "and up" '^mounted$' ctl show --value -p SubState "$TMP"
check_prints "what is mounted is shown" '^tmpfs$' ctl show --value -p What "$TMP"
check_prints "with the options that it has" 'size=1024k' ctl show --value -p Options "$TMP"
check_prints "status says where" "Where: $DIR/place/tmp" ctl status "$TMP"
check_prints "and what" 'What: tmpfs' ctl status "$TMP"
check_prints "it is among the units of its type" "$(re "$TMP")" ctl list-units --type=mount

sed -i s/size=1m/size=2m/ "$UNITS/$TMP"
check "new options are read" ctl daemon-reload
check "and had by a remount" ctl reload "$TMP"
check_prints "which the kernel knows of" 'size=2048k' grep " $DIR/place/tmp " /proc/self/mountinfo
check_prints "the folder is the same one" '^1$' on "$DIR/place/tmp"

check "a service gets the mounts that its path is on" ctl start inside.service
check_prints "both of them" '^active$' ctl is-active "$BIND"
check_prints "the mounts are required" "$(re "$BIND")" ctl show --value -p Requires inside.service
check_prints "by the inner one the outer one is" "$(re "$TMP")" ctl show --value -p Requires "$BIND"
check "to stop the outer one stops the inner one and who is on it" ctl stop "$TMP"
check_prints "the inner one is gone" '^0$' bash -c "grep -c ' $DIR/place/tmp' /proc/self/mountinfo"
check_prints "and so is the service" '^inactive$' ctl is-active inside.service

# — when it is in use —
check "it is mounted" ctl start "$TMP"
(cd "$DIR/place/tmp" && exec sleep 1000) &
HOLDER=$!
until [ "$(readlink /proc/$HOLDER/cwd)" = "$DIR/place/tmp" ]; do :; done
check_exit "what is in use stays" 1 ctl stop "$TMP"
check_prints "it is up still" '^active$' ctl is-active "$TMP"
check_prints "and says why" 'exit-code' ctl show --value -p Result "$TMP"
kill $HOLDER
wait $HOLDER 2>/dev/null
check "later it can be stopped" ctl stop "$TMP"
check_prints "and has not failed" '^inactive$' ctl is-active "$TMP"

# — several at one place —
check "it is mounted" ctl start "$TMP"
mount -t tmpfs second "$DIR/place/tmp"
mount -t tmpfs third "$DIR/place/tmp"
check "all that lie on each other go" ctl stop "$TMP"
check_prints "none is left" '^0$' on "$DIR/place/tmp"

# — what does not work —
check_exit "what cannot be mounted fails" 1 ctl start "$BAD"
check_prints "with mount's own words" 'nothing|No such file' ctl status "$BAD"
check_prints "and its result" '^exit-code$' ctl show --value -p Result "$BAD"
check_exit "a wrong name is refused" 1 ctl start wrong.mount
check_prints "with the right one" "The unit for '$DIR/place/tmp' must be named" ctl status wrong.mount
check_exit "a place behind a link is none" 1 ctl start "$LINKED"
check_prints "which is said" 'nothing is mounted at|protocol' ctl show -p FailureReason -p Result "$LINKED"
umount "$DIR/place/tmp" 2>/dev/null

# — core dies —
check "it is mounted" ctl start "$TMP" "$BIND"
umount "$DIR/place/tmp/a b/bind"
check_await "what is gone is seen" '^inactive$' ctl is-active "$BIND"
kill_core KILL
check_prints "after the death of core it is up" '^active$' ctl is-active "$TMP"
check "and can be stopped" ctl stop "$TMP"
check_prints "it is gone" '^0$' on "$DIR/place/tmp"

# — mount takes its time, or for ever —
cp "$(readlink -f /bin/mount)" "$DIR/real-mount"
mkfifo "$DIR/go"
cat >"$DIR/slow-mount" <<U
#!/bin/sh
trap '' HUP
read -r word <"$DIR/go" && exec "$DIR/real-mount" "\$@"
U
chmod +x "$DIR/slow-mount"
"$DIR/real-mount" --bind "$DIR/slow-mount" "$(readlink -f /bin/mount)"
ctl start --no-block "$TMP"
check_await "it is being mounted" '^mounting$' ctl show --value -p SubState "$TMP"
check_await "by a process" '^[1-9]' ctl show --value -p ControlPID "$TMP"
PID=$(ctl show --value -p ControlPID "$TMP")
check_prints "which is shown" "mount $DIR/place/tmp \\(pid $PID\\)" ctl status "$TMP"
kill_core KILL
check_prints "core dies, it is being mounted still" '^mounting$' ctl show --value -p SubState "$TMP"
check_prints "by the same process" "^$PID$" ctl show --value -p ControlPID "$TMP"
echo go >"$DIR/go"
check_await "and then it is" '^mounted$' ctl show --value -p SubState "$TMP"
check "what is mounted can be stopped" ctl stop "$TMP"

cat >"$UNITS/$TMP.d.conf" <<U
[Mount]
TimeoutSec=200ms
U
mkdir "$UNITS/$TMP.d" && mv "$UNITS/$TMP.d.conf" "$UNITS/$TMP.d/limit.conf"
ctl daemon-reload >"$DIR/out"
check_exit "what takes too long fails" 1 ctl start "$TMP"
check_prints "in time" '^timeout$' ctl show --value -p Result "$TMP"
ctl start --no-block "$BIND"
check_exit "a mount that hangs is no matter to others" 0 ctl start default.target
ctl stop "$BIND"
umount -l "$(readlink -f /bin/mount)"
rm -r "$UNITS/$TMP.d"
ctl daemon-reload >"$DIR/out"
ctl reset-failed

# — by somebody else —
mkdir -p "$DIR/place/other"
OTHER=$(mount_name "$DIR/place/other")
mount -t tmpfs other "$DIR/place/other"
check_prints "a mount without a file is a unit when it is asked for" '^active$' ctl is-active "$OTHER"
check_prints "it says where it is from" '^/proc/self/mountinfo$' ctl show --value -p SourcePath "$OTHER"
check_exit "it cannot be started" 3 ctl restart "$OTHER"
check "but be stopped" ctl stop "$OTHER"
check_prints "and is gone" '^0$' on "$DIR/place/other"
stop_daemon

# — fstab —
cat >"$DIR/fstab" <<U
# a comment

none		$DIR/place/required	tmpfs	size=1m,x-systemd.requires=$DIR/place/late	0 0
none		$DIR/place/late		tmpfs	noauto,x-systemd.mount-timeout=17s,x-systemd.before=some.target	0 0
none		$DIR/place/may\040fail	tmpfs	nofail,x-systemd.automount	0 0
$DIR/source	$DIR/place/net		none	bind,_netdev	0 0
none		none			swap	sw	0 0
none		relative		tmpfs	defaults	0 0
none		$DIR/place/required	tmpfs	defaults	0 0
bad
U
export JOBD_FSTAB=$DIR/fstab
start_daemon --system --runtime-dir "$XDG_RUNTIME_DIR/jobd"
REQUIRED=$(mount_name "$DIR/place/required")
LATE=$(mount_name "$DIR/place/late")
MAY=$(mount_name "$DIR/place/may fail")
NET=$(mount_name "$DIR/place/net")
check "the local file systems are mounted" ctl start local-fs.target
check_prints "what is required" '^active$' ctl is-active "$REQUIRED"
check_prints "what that requires, though noauto" '^active$' ctl is-active "$LATE"
check_await "what may fail" '^active$' ctl is-active "$MAY"
check_prints "not what is of the net" '^inactive$' ctl is-active "$NET"
check_prints "the target requires it" "$(re "$REQUIRED")" ctl show --value -p Requires local-fs.target
check_prints "or wants it" "$(re "$MAY")" ctl show --value -p Wants local-fs.target
check_prints "its time limit" '^17s$' ctl show --value -p TimeoutUSec "$LATE"
check_prints "its order" 'some.target' ctl show --value -p Before "$LATE"
check_prints "it was generated" '^generated$' ctl is-enabled "$REQUIRED"
check "the remote ones, too" ctl start remote-fs.target
check_prints "are mounted" '^hello$' cat "$DIR/place/net/file"
check_prints "a bad line is told with its number" "fstab:10: The line is not of the form of fstab" cat "$DIR/log"
check_prints "a second one for the same place" "fstab:9: An earlier line already mounts" cat "$DIR/log"
check_prints "a place that is none" "fstab:8: 'none' on 'relative' cannot be a mount" cat "$DIR/log"
check_prints "what is not supported" "fstab:5: x-systemd.automount is not supported" cat "$DIR/log"

mount -t tmpfs other "$DIR/place/other"
check_await "what somebody else mounts becomes a unit" "$(re "$OTHER")" ctl list-units --type=mount
check_prints "as does the root" '^-.mount' ctl list-units --plain --no-legend --type=mount
check_exit "which stays" 3 ctl stop -- -.mount
unit after.service <<U
[Service]
WorkingDirectory=$DIR/place/other
ExecStart=/bin/sleep 1000
U
check_prints "who needs what is there comes after it" "$(re "$OTHER")" ctl show --value -p After after.service
check_lacks "and does not require it" "$(re "$OTHER")" ctl show --value -p Requires after.service
umount "$DIR/place/other"
check_await "and goes" '^(inactive|unknown)$' ctl is-active "$OTHER"

unit later.service <<U
[Service]
WorkingDirectory=$DIR/place/new
ExecStart=/bin/sleep 1000
U
check_lacks "what is not there is not waited for" 'place-new' ctl show --value -p After later.service
mkdir "$DIR/place/new"
check "a unit stays loaded" ctl start later.service
mount -t tmpfs other "$DIR/place/new"
check_await "once it is there it is" 'place-new' ctl show --value -p After later.service
echo "none $DIR/place/new tmpfs defaults 0 0" >"$DIR/fstab"
check "another fstab is read" ctl daemon-reload
check_prints "its mount has a file now" 'generator' ctl show --value -p FragmentPath "$(mount_name "$DIR/place/new")"
check_prints "and is required" 'place-new' ctl show --value -p Requires later.service
check_lacks "what was in it has none any more" 'generator' ctl show --value -p FragmentPath "$REQUIRED"
check_prints "but is mounted" '^active$' ctl is-active "$REQUIRED"
check_exit "it cannot be restarted" 3 ctl restart "$REQUIRED"
stop_daemon
done_testing
