#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The image of doc/containers.md, without a container engine: a root with exactly what its Dockerfile copies, read-only,
# with a noexec /run, in pid, mount and user namespaces of its own; as root, as root of a user namespace that a user has
# made, and as another user.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
HERE=$(cd "$(dirname "$0")" && pwd)
PAGE=$HERE/../../doc/containers.md
ROOT=$DIR/root
LOG=$DIR/log
NOBODY=65534

if ! command -v dpkg-query >/dev/null || ! command -v meson >/dev/null; then
        skip "the image" "it is made of Debian's packages, by meson's list"
        done_testing
fi
if ! has_users; then
        skip "the image" "only root can be all three kinds of user"
        done_testing
fi

# The application: says what it sees, and then ends or waits.
mkdir "$DIR/context" "$ROOT"
cat >"$DIR/context/app" <<'A'
#!/bin/sh
echo "app: I am user $(id -u)"
echo "app: GREETING is $GREETING"
touch /written 2>/dev/null || echo "app: the root is read-only"
cp /bin/true /run/ 2>/dev/null || cp /usr/bin/id /run/id 2>/dev/null && { /run/id >/dev/null 2>&1 || echo "app: /run is noexec"; }
jobctl is-active app.service | while read -r line; do echo "app: jobctl says $line"; done
jobctl status | while read -r line; do echo "app: $line"; done
[ "$DOES" = wait ] && exec sleep 1000
exit "$DOES"
A
chmod 755 "$DIR/context/app" "$DIR" "$ROOT"
cat >"$DIR/context/app.service" <<'U'
[Unit]
Description=The application
[Service]
ExecStart=/usr/bin/app
U

ENTRYPOINT=$("$HERE/copy-image" "$PAGE" "$BUILD" "$DIR/context" "$ROOT" 2>&1)
report $? "the image is made" "$ENTRYPOINT"
mapfile -t WORDS <<<"$ENTRYPOINT"
[ -x "$ROOT${WORDS[0]}" ]
report $? "and has its entry point" "$ENTRYPOINT"
OUT=$(for file in "$ROOT"/usr/bin/jobd "$ROOT"/usr/bin/jobctl "$ROOT"/usr/libexec/jobd/*; do
        "$HERE"/../in-namespace chroot "$ROOT" /lib64/ld-linux-x86-64.so.2 --list "${file#"$ROOT"}"; done 2>&1)
if [ -e "$ROOT/lib64/ld-linux-x86-64.so.2" ]; then
        ! grep -q 'not found\|cannot open' <<<"$OUT"
        report $? "its programs find their libraries" "$OUT"
fi

# run_as KIND DOES: in the background; $BOX is what to wait for
run_as() {
        local before=() user=()
        case $1 in
                root) ;;
                rootless) before=(setpriv "--reuid=$NOBODY" "--regid=$NOBODY" --clear-groups); user=(--user --map-root-user) ;;
                user) ;;
        esac
        : >"$LOG"
        set -- "$2" "$1"
        "${before[@]}" unshare "${user[@]}" --fork --pid --kill-child --mount -- "$HERE/enter-root" "$ROOT" \
                ${2:+$([ "$2" = user ] && echo --user 1000)} PATH=/usr/bin:/bin GREETING=hello DOES="$1" "${WORDS[@]}" \
                </dev/null >>"$LOG" 2>&1 9>&- &
        BOX=$!
}

try_as() {
        local kind=$1 uid=$2
        run_as "$kind" 7
        wait "$BOX"
        check_equal "$kind: the status is the application's" "$?" 7
        check_prints "$kind: it runs as that user" "app: I am user $uid\$" cat "$LOG"
        check_prints "$kind: the environment is the container's" 'app: GREETING is hello' cat "$LOG"
        check_prints "$kind: the root is read-only (control)" 'app: the root is read-only' cat "$LOG"
        check_prints "$kind: jobctl finds the manager" 'app: jobctl says active' cat "$LOG"
        check_prints "$kind: status works" 'app: .*jobd .*manager of' cat "$LOG"
        check_prints "$kind: jobd speaks, too" 'app.service has failed: ending with status 7' cat "$LOG"
        if [ "$uid" = 0 ]; then
                check_prints "$kind: /run is noexec (control)" 'app: /run is noexec' cat "$LOG"
        else
                check_prints "$kind: the sockets are elsewhere, and it says so" "/run/jobd: Permission denied .trying /tmp/jobd-$uid" cat "$LOG"
        fi
        run_as "$kind" wait
        wait_for 'Startup finished' cat "$LOG"
        signal_box TERM
        wait "$BOX"
        check_equal "$kind: SIGTERM ends it with 0" "$?" 0
        check_prints "$kind: in order" 'Stopped app.service' cat "$LOG"
}

try_as root 0
try_as user 1000
if setpriv "--reuid=$NOBODY" "--regid=$NOBODY" --clear-groups unshare --user --map-root-user --fork --pid --mount \
        mount -t proc proc "$ROOT/proc" 2>/dev/null; then
        try_as rootless 0
else
        skip "rootless" "the kernel does not let users make user namespaces with a /proc"
fi

# The control: without core the same root does not work.
rm "$ROOT"/usr/libexec/jobd/jobd-core
run_as root 7
wait "$BOX"
[ "$?" != 7 ]
report $? "an image without one of the files does not work"
done_testing
