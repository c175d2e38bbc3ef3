#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# --systemd-units with folders of systemd that this test makes: a daemon starts services of packages by name, and leaves out
# what a machine boots with; the first process of a container boots.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

PACKAGES=/usr/lib/systemd/system ADMIN=/etc/systemd/system
if ! has_users || [ ! -d "$PACKAGES" ] || [ ! -d "$ADMIN" ]; then
        echo '1..0 # SKIP this needs root, and folders of systemd to mount over'
        exit 0
fi
for folder in $PACKAGES $ADMIN /lib/systemd/system /run/systemd/system /usr/local/lib/systemd/system; do
        [ ! -d $folder ] || mount -t tmpfs tmpfs $folder
done

# foreign FOLDER UNIT: the unit file is the standard input
foreign() {
        mkdir -p "$(dirname "$1/$2")"
        cat >"$1/$2"
}

# marks NAME: a service that leaves a file when it runs
marks() {
        printf '[Unit]\n%s\n[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/touch %s/%s\n' "${2-}" "$DIR" "$1"
}

marks set-up DefaultDependencies=no | foreign $PACKAGES set-up.service
marks extra | foreign $PACKAGES extra.service
marks wanted-by-app | foreign $PACKAGES wanted-by-app.service
marks app Wants=wanted-by-app.service | foreign $PACKAGES app.service
marks early DefaultDependencies=no | foreign $PACKAGES early.service
printf '[Unit]\nDescription=Set up the machine\nWants=early.service\n' | foreign $PACKAGES sysinit.target
printf '[Unit]\nDescription=Of systemd\nRequires=multi-user.target\n' | foreign $PACKAGES default.target
mkdir -p $PACKAGES/sysinit.target.wants $ADMIN/multi-user.target.wants $ADMIN/basic.target.d
ln -s ../set-up.service $PACKAGES/sysinit.target.wants/
ln -s $PACKAGES/extra.service $ADMIN/multi-user.target.wants/
printf '[Unit]\nWants=set-up.service\n' >$ADMIN/basic.target.d/more.conf
SERVES=("$START_READY" "$DIR/pid" "$DIR/log" "$BUILD/jobd" --system --runtime-dir "$XDG_RUNTIME_DIR/jobd" --no-bus --systemd-units
        --unit-path "$UNITS")

# — beside another init —
"${SERVES[@]}"
wait_for 'default\.target .*active' ctl list-units
report $? "a daemon starts its own default.target"
check_prints "which is not systemd's" 'builtin:default.target' ctl show -p FragmentPath default.target
check_prints "the log says what is left out" 'systemd-boot in jobd\(8\)' cat "$DIR/log"
check "a service of a package starts by name" ctl start app.service
check "and runs" test -e "$DIR/app"
wait_for '^wanted-by-app$' ls "$DIR"
report $? "with what it wants"
check_equal "nothing that the machine boots with has run" "$(cd "$DIR" && ls -d set-up early extra 2>/dev/null)" ""
check_prints "an enabled service is none for this jobd" '^static$|^disabled$' ctl is-enabled extra.service
check "but starts by name" ctl start extra.service
ctl exit
timeout "$PATIENCE" tail --pid="$(cat "$DIR/pid")" -f /dev/null
rm -f "$DIR"/{app,extra,wanted-by-app}

# — where somebody asks for it, and in a container —
for option in --systemd-boot --container; do
        "${SERVES[@]}" "$option"
        wait_for "$DIR/extra" eval "ls $DIR/*; ctl list-jobs"
        check_equal "$option: all has run" "$(cd "$DIR" && ls -d set-up early extra 2>/dev/null)" $'early\nextra\nset-up'
        ctl exit
        timeout "$PATIENCE" tail --pid="$(cat "$DIR/pid")" -f /dev/null
        rm -f "$DIR"/{set-up,early,extra}
done
rm "$DIR/pid"
done_testing
