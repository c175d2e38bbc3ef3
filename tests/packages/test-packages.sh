#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Services as Debian's packages ship them. The packages are installed into a root of their own, without their scripts
# starting anything. Every unit file of theirs, and of systemd's, must load, with just the messages of expected-messages.
# Some of the services run, under jobd as PID 1 of that root, with a network of their own: they answer a real request, reload,
# restart, live through a kill as their restart policy says, and stop.
# shellcheck source-path=SCRIPTDIR/../integration
. "$(dirname "$0")/../integration/library.sh"
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$DIR/root
PACKAGES=(openssh-server nginx postgresql-15 postgresql-common redis-server cron rsyslog memcached haproxy apache2 mariadb-server
        tor unbound chrony dnsmasq mosquitto prometheus exim4-base exim4-config exim4-daemon-light systemd curl openssh-client
        libsqlite3-0)

if ! has_users; then
        skip "packages" "only root can install them"
        done_testing
fi
if ! command -v apt-get >/dev/null; then
        skip "packages" "this is no Debian"
        done_testing
fi

"$HERE/make-root" "$DIR" "${PACKAGES[@]}" </dev/null >"$DIR/install.log" 2>&1
STATUS=$?
if [ "$STATUS" = 77 ]; then
        skip "packages" "$(tail -n 1 "$DIR/install.log")"
        done_testing
fi
report $STATUS "the packages are installed" "$(tail -n 20 "$DIR/install.log")"
[ "$STATUS" = 0 ] || done_testing
mkdir -p "$ROOT/opt/jobd"
cp "$BUILD/jobd" "$BUILD/jobd-core" "$BUILD/jobd-runstore" "$BUILD/jobd-log" "$BUILD/jobctl" "$ROOT/opt/jobd/"

inside() {
        chroot "$ROOT" "$@"
}

. "$HERE/box.sh"
start_box
STATUS=$?
report $STATUS "jobd runs as PID 1 of the root" "$(cat "$DIR/box.log")"
[ "$STATUS" = 0 ] || done_testing
. "$HERE/load.sh"
. "$HERE/run.sh"
. "$HERE/inetd.sh"
. "$HERE/flow.sh"
. "$HERE/session.sh"
check "it ends when it is told to" end_box
[ "$FAILED" = 0 ] || sed 's/^/# /' "$DIR/box.log"
done_testing
