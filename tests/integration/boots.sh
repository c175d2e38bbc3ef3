# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Another boot, as far as boot ids tell, and losses of power. Sourced after library.sh; commands of units have $RECORD in their
# command lines.

trap 'while umount /proc/sys/kernel/random/boot_id 2>/dev/null; do :; done; cleanup' EXIT

BOOT=0
boot() {
        BOOT=$((BOOT + 1))
        printf '0000000%d-0000-4000-8000-000000000000\n' "$BOOT" >"$DIR/boot-id"
        mount --bind "$DIR/boot-id" /proc/sys/kernel/random/boot_id
}

# cut_power: ends all at once, and what is in memory is gone
cut_power() {
        kill -KILL "$DAEMON"
        pkill -KILL -x jobd-core
        pkill -KILL -x jobd-runstore
        pkill -KILL -x jobd-log
        pkill -KILL -f "$RECORD"
        pkill -KILL -x sleep
        wait_for '^$' pgrep -x jobd-runstore
        rm -rf "$XDG_RUNTIME_DIR/jobd" "$DIR/pid"
        boot
}
