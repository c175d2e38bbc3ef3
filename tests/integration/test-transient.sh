#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Transient units, made over the bus: their text, what they survive, when their files are removed, and what is refused.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

if ! command -v busctl >/dev/null; then
        echo "1..0 # SKIP busctl is not installed"
        exit 0
fi
FILES=$XDG_RUNTIME_DIR/jobd/transient
mkdir -p "$FILES"
echo "[Service]" >"$FILES/stale.service"
unit there.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
start_daemon

# shellcheck disable=SC2317
make() {
        busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1 org.jobd1.Manager StartTransientUnit \
                'ssa(sv)a(sa(sv))' "$@"
}
sleeps="ExecStart a(sasb) 1 /bin/sleep 2 /bin/sleep 1000 false"

check "a file of an earlier manager is gone" test ! -e "$FILES/stale.service"
# shellcheck disable=SC2086
check "a service is made" make one.service fail 9 Description s '50% "of" it' Environment as 2 'A=b  c%d"\' B=1 \
        TimeoutStopUSec t 5000000 LimitNOFILE t 200 LimitNOFILESoft t 100 After as 2 there.service timers.target \
        UMask u 18 Restart s no $sleeps 0
check "it starts" wait_for "^active$" ctl is-active one.service
check_prints "it is said to be transient" '^Transient=yes$' ctl show -p Transient one.service
check_equal "so is its file" "$(ctl show -P UnitFileState one.service)" transient
check_equal "its description is as it was sent" "$(ctl show -P Description one.service)" '50% "of" it'
check_equal "so are the limits" "$(ctl show -P LimitNOFILESoft one.service)-$(ctl show -P LimitNOFILE one.service)" 100-200
check_prints "and the variables" '^A=b  c%d"\\$' sh -c "tr '\\0' '\\n' <'/proc/$(ctl show -P MainPID one.service)/environ'"
check_prints "and what it comes after" 'there.service' ctl show -p After one.service
check_prints "its text is shown" '^TimeoutStopSec=5000000us$' ctl cat one.service
PID=$(ctl show -P MainPID one.service)
kill_core KILL
check_equal "it survives a core" "$(ctl show -P MainPID one.service)" "$PID"
check "and a reload" ctl daemon-reload
check_equal "with its text" "$(ctl show -P Description one.service)" '50% "of" it'
# shellcheck disable=SC2086
check_prints "its name is taken" 'UnitExists|already loaded or has a fragment' make one.service fail 1 $sleeps 0
# shellcheck disable=SC2086
check_prints "so is that of a file" 'already loaded or has a fragment' make there.service fail 1 $sleeps 0
check "a setting of it is changed" ctl set-property one.service Description=other
check_equal "at once" "$(ctl show -P Description one.service)" other
check "beside its file" test -e "$FILES/one.service.d/50-Description.conf"
mkdir -p "$FILES/stale.service.d"
echo "[Unit]" >"$FILES/stale.service.d/50-Description.conf"
kill_core KILL
check_equal "that survives a core" "$(ctl show -P Description one.service)" other
check "which drops what is of no unit" test ! -e "$FILES/stale.service.d"
check "it stops" ctl stop one.service
check "its file goes with it" test ! -e "$FILES/one.service"
check "and so does what was changed" test ! -e "$FILES/one.service.d"
check_equal "nothing of it is elsewhere" "$(find "$DIR" -name '50-Description.conf')" ""

# — a call that is made again —
begun() {
        # shellcheck disable=SC2086
        make again.service fail 3 RequestToken s "$1" Description s "$2" $sleeps 0
}
FIRST=$(begun token-1 A)
check_equal "repeated with its token the call is answered again" "$(begun token-1 A)" "$FIRST"
check_prints "the token is for that call alone" 'Token token-1 stands for other requests already' begun token-1 B
check_prints "under another one the name is taken" 'already loaded or has a fragment' begun token-2 A
kill_core KILL
check_equal "the next core knows it, too" "$(begun token-1 A)" "$FIRST"
check "it stops" ctl stop again.service
check_equal "its job is known when it is gone" "$(begun token-1 A)" "$FIRST"
check_prints "and it is not begun again" '^inactive$' ctl is-active again.service
check_prints "a token is a word" 'RequestToken takes 1 to' begun "two words" A
check_prints "and a string" "RequestToken must be of type 's'" make x.service fail 1 RequestToken b true 0
check_prints "it is no property of a unit beside" 'has no property RequestToken' \
        make x.timer fail 0 1 x.service 1 RequestToken s token-3

check_prints "an unknown property is named" 'has no property Descripton. Did you mean Description' \
        make x.service fail 1 Descripton s x 0
check_prints "what cannot be set is named" 'MainPID of x.service cannot be set' make x.service fail 1 MainPID u 1 0
check_prints "a bad value is said" 'Restart=: .*sometimes' make x.service fail 2 Restart s sometimes ExecStart s /bin/true 0
check_prints "a line break is no value" 'wrong type' make x.service fail 1 Description s "$(printf 'a\n[Service]')" 0
check_prints "a service without a command is refused" 'ExecStart' make x.service fail 0 0
check_prints "a type without a section cannot be made" 'does not support transient units' make x.device fail 0 0
check_prints "nor can a template" 'Invalid unit name' make x@.service fail 0 0
check_equal "nothing is left of these" "$(ls "$FILES")" ""

# shellcheck disable=SC2086
check "one that fails" make bad.service fail 1 ExecStart 'a(sasb)' 1 /bin/false 1 /bin/false false 0
check "has failed" wait_for "^failed$" ctl is-failed bad.service
check "its file stays until that is forgotten" test -e "$FILES/bad.service"
check "then" ctl reset-failed bad.service
check "it goes" test ! -e "$FILES/bad.service"
check "one that is not kept" make gone.service fail 3 CollectMode s inactive-or-failed Type s oneshot \
        ExecStart 'a(sasb)' 1 /bin/false 2 other-name x false 0
check "is gone with its file when it has failed" wait_for "No such file" ls "$FILES/gone.service"

# shellcheck disable=SC2086
check "a timer and its service" make t.timer fail 2 TimersMonotonic 'a(st)' 1 OnActiveSec 1000000000 RemainAfterElapse b false \
        1 t.service 1 ExecStart 'a(sasb)' 1 /bin/true 1 /bin/true false
check_prints "the timer is listed" 't.timer +t.service' ctl list-timers
check "stops" ctl stop t.timer
check_equal "both files go" "$(ls "$FILES")" ""

# — mounts —
PLACE=$DIR/place/here
MOUNT=$(systemd-escape --path --suffix=mount "$PLACE")
check "a mount" make "$MOUNT" fail 4 What s tmpfs Type s tmpfs Options s size=1M Description s "A place" 0
check "is mounted" wait_for " $PLACE .* tmpfs " cat /proc/self/mountinfo
check "and active" wait_for '^active$' ctl is-active "$MOUNT"
check_equal "where its name says" "$(ctl show -P Where "$MOUNT")" "$PLACE"
kill_core KILL
check_equal "it survives a core" "$(ctl show -P Description "$MOUNT")" "A place"
check "stops" ctl stop "$MOUNT"
check_lacks "is unmounted" " $PLACE " cat /proc/self/mountinfo
check_equal "its file goes" "$(ls "$FILES")" ""
check_prints "without anything to mount it is refused" 'What=' make "$MOUNT" fail 1 Type s tmpfs 0
done_testing
