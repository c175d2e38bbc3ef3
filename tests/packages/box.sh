# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The box: jobd as PID 1 of the root, with namespaces of its own for processes, mounts and the network.

# in_box COMMAND…: inside, beside the services
in_box() {
        nsenter --target "$INIT" --pid --mount --net --uts --root --wd -- \
                env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}

jobctl_in_box() {
        in_box /opt/jobd/jobctl "$@"
}

active() {
        jobctl_in_box is-active "$1"
}

main_pid() {
        jobctl_in_box show -P MainPID "$1"
}

# What a machine starts of its own accord would act on the kernel that we share with others.
leave_out_what_starts_by_itself() {
        local folder
        for folder in "$ROOT"/lib/systemd/system/*.wants "$ROOT"/etc/systemd/system/*.wants; do
                [ ! -d "$folder" ] || mount -t tmpfs tmpfs "$folder"
        done
}

start_box() {
        local log=$DIR/box.log
        leave_out_what_starts_by_itself
        mkdir -p "$ROOT/etc/jobd/system"
        printf '[Unit]\nDescription=Nothing to begin with\n' >"$ROOT/etc/jobd/system/default.target"
        # No chroot: whoever is in one gets no user namespaces.
        unshare --pid --fork --kill-child --mount --net --uts -- sh -c '
                mount -t proc proc "$1/proc" && ip link set lo up && hostname box && cd "$1" || exit 1
                pivot_root . mnt && umount -l /mnt || exit 1
                exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /opt/jobd/jobd --system --container --systemd-units' \
                sh "$ROOT" >"$log" 2>&1 </dev/null &
        OUTER=$!
        wait_for '^[0-9]+$' pgrep -P "$OUTER" || return 1
        INIT=$(pgrep -P "$OUTER")
        wait_for 'default.target' jobctl_in_box list-units --plain --no-legend default.target
}

end_box() {
        kill -TERM "$INIT"
        timeout "$PATIENCE" tail --pid="$OUTER" -f /dev/null
}

# box_unit NAME <<EOF … : writes a unit file of ours; reading them anew is for the caller
box_unit() {
        cat >"$ROOT/etc/jobd/system/$1"
}

box_core() {
        in_box pgrep -P 1 -x jobd-core
}

other_core() {
        local pid
        pid=$(box_core) && [ "$pid" != "$1" ] && jobctl_in_box is-active default.target
}

# The process that does the work is killed, and there is another one that works.
kill_box_core() {
        local old
        old=$(box_core)
        in_box kill -KILL "$old" && wait_for '^active' other_core "$old"
}
