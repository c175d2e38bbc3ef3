#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# enable, disable, mask and their like: by the manager, by its methods for the tools of systemd, and without one.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RUNTIME=$XDG_RUNTIME_DIR/jobd/user
unit wanted.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
[Install]
WantedBy=group.target
Alias=other.service
U
unit many@.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
[Install]
WantedBy=group.target
DefaultInstance=one
U
unit plain.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit group.target <<'U'
[Unit]
Description=A group
AllowIsolate=yes
U
start_daemon --unit-path "$UNITS:$RUNTIME"
ctl monitor --json >"$DIR/heard" 2>&1 &
MONITOR=$!
wait_for Listening cat "$DIR/heard"

check_exit "a unit that is not enabled" 1 ctl is-enabled wanted.service
check_equal "is disabled" "$OUT" disabled
check_prints "enable tells what it made" "^Created symlink $UNITS/group.target.wants/wanted.service → $UNITS/wanted.service\.$" \
        ctl enable wanted
check_equal "the link is there" "$(readlink "$UNITS/group.target.wants/wanted.service")" "$UNITS/wanted.service"
check_exit "it is enabled" 0 ctl is-enabled wanted.service
check_equal "and says so" "$OUT" enabled
check_prints "with --full by which links" "^  $UNITS/group.target.wants/wanted.service$" ctl is-enabled --full wanted.service
check_exit "an alias says that it is one" 0 ctl is-enabled other.service
check_equal "in a word" "$OUT" alias
check "clients hear of it" wait_for 'UnitFilesChanged' cat "$DIR/heard"
kill "$MONITOR"
check "the manager has read it" ctl start group.target
check_exit "so the target starts it" 0 ctl is-active wanted.service
check_exit "enabled twice changes nothing" 0 ctl enable wanted.service
check_equal "and tells nothing" "$OUT" ""
check_prints "disable tells what it removed" "^Removed \"$UNITS/group.target.wants/wanted.service\"\.$" ctl disable --now wanted
check_exit "with --now the unit is stopped" 3 ctl is-active wanted.service
check "the folder of links has gone with the last" test ! -e "$UNITS/group.target.wants"
check_prints "enable as JSON" '"carries-install-info":true,"changes":\[\{"change":"symlink","path":"[^"]*/other.service"' \
        ctl enable --json wanted.service
check "with --now it is started" ctl enable --now wanted.service
check_exit "it runs" 0 ctl is-active wanted.service
check "enable until the next boot" ctl enable --runtime many@two.service
check_equal "is made below the runtime folder" "$(readlink "$RUNTIME/group.target.wants/many@two.service")" \
        "$UNITS/many@.service"
check_exit "and says so" 0 ctl is-enabled many@two.service
check_equal "in a word" "$OUT" enabled-runtime
check "a template stands for its default instance" ctl enable many@.service
check "whose link is made" test -L "$UNITS/group.target.wants/many@one.service"
check_prints "what has no [Install] is explained" 'no \[Install\] section' ctl enable plain.service
check_exit "and is static" 0 ctl is-enabled plain.service
check_equal "in a word" "$OUT" static

check_prints "mask refuses to remove a file" 'already exists and is not a link' ctl mask plain.service
check "but until the next boot …" ctl mask --runtime group.target
rm "$RUNTIME/group.target"
check_prints "mask links to /dev/null" "^Created symlink $UNITS/ghost.service → /dev/null\.$" ctl mask ghost.service
check_exit "what is masked cannot be started" 1 ctl start ghost.service
check_prints "is-enabled calls it masked" '^masked$' ctl is-enabled ghost.service
check_prints "enable refuses it" 'ghost.service is masked' ctl enable ghost.service
check_prints "unmask takes it back" "^Removed \"$UNITS/ghost.service\"" ctl unmask ghost.service
check_exit "what does not exist cannot be enabled" 1 ctl enable ghost.service
check_prints "and is named" 'ghost.service does not exist' ctl enable ghost.service
check_exit "a pattern is refused" 2 ctl enable 'w*'
check_exit "a bad mode is refused" 2 ctl preset --preset-mode=half wanted.service
check_prints "and told which there are" 'full, enable-only or disable-only' ctl preset --preset-mode=half wanted.service
check_exit "--now goes with few verbs" 2 ctl link --now /tmp/x.service

mkdir "$DIR/elsewhere"
printf '[Service]\nExecStart=/bin/true\n' >"$DIR/elsewhere/far.service"
check "a file elsewhere is linked" sh -c "cd '$DIR/elsewhere' && '$BUILD/jobctl' link far.service"
check_prints "and is linked" '^linked$' ctl is-enabled far.service
check "it can be started" ctl start far.service
check "a dependency is added" ctl add-wants group far
check_equal "which is a link to the file" "$(readlink "$UNITS/group.target.wants/far.service")" "$DIR/elsewhere/far.service"
check "that is taken back" ctl disable far.service
check_exit "with its link" 1 test -L "$UNITS/group.target.wants/far.service" -o -L "$UNITS/far.service"
check "and made again" ctl link "$DIR/elsewhere/far.service"
check "a dependency is added" ctl add-wants group far
check_prints "the target wants it" '^Wants=.*far\.service' ctl show -p Wants group.target
check "one that is required" ctl add-requires group plain
check_prints "the target requires it" '^Requires=.*plain\.service' ctl show -p Requires group.target
check "the default is chosen" ctl set-default group.target
check "for the next time" sh -c "readlink '$UNITS/default.target' | grep -q group.target"
check_prints "and is told" '^group.target$' ctl get-default

# The methods, with systemd's signatures.
BUS=unix:path=$JOBD_SOCKET
if command -v busctl >/dev/null; then
        # shellcheck disable=SC2317
        call() {
                busctl --address="$BUS" call org.jobd1 /org/jobd1 org.jobd1.Manager "$@"
        }
        check_prints "DisableUnitFiles" '^a\(sss\) 2 "unlink" ' call DisableUnitFiles asb 1 wanted.service false
        check_prints "EnableUnitFiles" '^ba\(sss\) true 2 "symlink" ' call EnableUnitFiles asbb 1 wanted.service false false
        check_prints "GetUnitFileState" '^s "enabled"' call GetUnitFileState s wanted.service
        check_prints "PresetUnitFilesWithMode refuses other modes" "no preset mode 'half'" \
                call PresetUnitFilesWithMode assbb 1 wanted.service half false false
        check_prints "EnableUnitFilesWithFlags refuses other flags" 'not known' \
                call EnableUnitFilesWithFlags ast 1 wanted.service 64
        check_prints "DisableUnitFilesWithFlags" '^a\(sss\) 2 "unlink" ' call DisableUnitFilesWithFlags ast 1 wanted.service 0
        check_prints "EnableUnitFilesWithFlags" '^ba\(sss\) true 2 "symlink" ' call EnableUnitFilesWithFlags ast 1 wanted.service 0
        check_exit "enables" 0 ctl is-enabled wanted.service
        check "they were disabled again" ctl disable wanted.service
        check_prints "PresetUnitFiles" '^ba\(sss\) true 2 "symlink" ' call PresetUnitFiles asbb 1 wanted.service false false
        check_prints "does what the presets say, and nothing twice" '^ba\(sss\) true 0$' \
                call PresetUnitFiles asbb 1 wanted.service false false
else
        skip "methods" "busctl is not here"
fi
check "the daemon stops" stop_daemon

# Nobody there: the files are worked on directly.
unset JOBD_SOCKET
ROOT=$DIR/root
mkdir -p "$ROOT/usr/lib/jobd/system" "$ROOT/usr/lib/jobd/system-preset"
cp "$UNITS/wanted.service" "$ROOT/usr/lib/jobd/system/"
printf '[Unit]\n[Install]\nWantedBy=group.target\n' >"$ROOT/usr/lib/jobd/system/late.target"
echo 'disable late.*' >"$ROOT/usr/lib/jobd/system-preset/50.preset"
check_prints "with --root no manager is needed" \
        '^Created symlink /etc/jobd/system/other.service → /usr/lib/jobd/system/wanted.service\.$' \
        ctl --system --root "$ROOT" enable wanted.service
check_prints "a dependency of what is not there is told" 'non-existent unit group.target' \
        ctl --system --root "$ROOT" reenable wanted.service
check_exit "is-enabled with --root" 0 ctl --system --root "$ROOT" is-enabled wanted.service
check_prints "preset-all disables" 'Removed "/etc/jobd/system/late' \
        sh -c "'$BUILD/jobctl' --system --root '$ROOT' -q enable late.target
               ln -sf ../late.target '$ROOT/etc/jobd/system/group.target.wants/late.target'
               ln -s /usr/lib/jobd/system/late.target '$ROOT/etc/jobd/system/late-alias.target'
               '$BUILD/jobctl' --system --root '$ROOT' preset-all"
check_exit "and nothing was asked of a manager" 1 ctl --system --root "$ROOT" is-enabled late.target
check_prints "unit files with their presets" '^late.target +disabled +disabled$' ctl --system --root "$ROOT" list-unit-files
check_prints "as JSON" '"unit-file":"wanted.service","path":"/usr/lib/jobd/system/wanted.service","state":"enabled","preset":"enabled"' \
        ctl --system --root "$ROOT" list-unit-files --json
check_lacks "by pattern" 'wanted' ctl --system --root "$ROOT" list-unit-files 'late*'
check_exit "--now cannot be done then" 2 ctl --system --root "$ROOT" enable --now wanted.service
JOBD_UNIT_PATH=$UNITS check_prints "without a manager the files are worked on" "^Removed \"$UNITS/" \
        ctl --user disable wanted.service
done_testing
