# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Services that run in the box.

as_postgres() {
        in_box setpriv --reuid postgres --regid postgres --init-groups --reset-env "$@"
}

# — the requests —

ask_nginx() {
        in_box curl -sS -f http://127.0.0.1:80/jobd-test.txt
}

ask_redis() {
        in_box bash -c 'exec 3<>/dev/tcp/127.0.0.1/6379; printf "PING\r\n" >&3; head -n 1 <&3'
}

ask_memcached() {
        in_box bash -c 'exec 3<>/dev/tcp/127.0.0.1/11211; printf "set k 0 0 5\r\nhello\r\nget k\r\nquit\r\n" >&3; cat <&3'
}

ask_postgres() {
        as_postgres psql -At -c 'select 40 + 2'
}

# A login by key, with a command.
ask_ssh() {
        in_box ssh -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes \
                -i /root/.ssh/test_key root@127.0.0.1 echo 'it is me: $(id -un)'
}

# A job that runs each minute.
ask_cron() {
        in_box sh -c 'rm -f /tmp/cron-was-here; while [ ! -e /tmp/cron-was-here ]; do sleep 0.2; done; cat /tmp/cron-was-here'
}

ask_haproxy() {
        in_box curl -sS -f http://127.0.0.1:8080/jobd-test.txt
}

# — what they need —

prepare_services() {
        mkdir -p "$ROOT/root/.ssh"
        chmod 700 "$ROOT/root/.ssh"
        rm -f "$ROOT/root/.ssh/test_key"
        inside ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/test_key
        cp "$ROOT/root/.ssh/test_key.pub" "$ROOT/root/.ssh/authorized_keys"
        printf '* * * * * root echo cron was here >/tmp/cron-was-here\n' >"$ROOT/etc/cron.d/jobd-test"
        echo 'served by nginx' >"$ROOT/var/www/html/jobd-test.txt"
        cat >>"$ROOT/etc/haproxy/haproxy.cfg" <<'C'

frontend test
        bind 127.0.0.1:8080
        default_backend test
backend test
        server nginx 127.0.0.1:80
C
}

# answers NAME WANTED COMMAND: the request gets that answer, as soon as the service is up to it
answers() {
        local out end=$((SECONDS + 60))
        until out=$("$3" 2>&1) && grep -Eq -- "$2" <<<"$out"; do
                [ "$SECONDS" -lt "$end" ] || break
                sleep 0.1
        done
        grep -Eq -- "$2" <<<"$out"
        report $? "$1" "it said: $out"
}

# What its policy says comes of a service whose main process is killed.
survives_kill() {
        local service=$1 policy pid
        policy=$(jobctl_in_box show -P Restart "$service")
        pid=$(main_pid "$service")
        [ "${pid:-0}" -gt 1 ]
        report $? "$service: has a main process to kill" "it is '$pid'"
        [ "${pid:-0}" -gt 1 ] || return
        in_box kill -KILL "$pid"
        case $policy in
        always | on-failure | on-abnormal | on-abort)
                check "$service: killed, it comes back (Restart=$policy)" wait_for "^[1-9]" other_pid "$service" "$pid"
                ;;
        *)
                check "$service: killed, it is failed (Restart=$policy)" wait_for '^failed' active "$service"
                check "$service: and is started again" jobctl_in_box start "$service"
                ;;
        esac
}

other_pid() {
        local pid
        pid=$(main_pid "$1")
        [ "$pid" != "$2" ] && [ "$(active "$1")" = active ] && echo "$pid"
}

reload_as_it_can() {
        local service=$1 pid
        pid=$(main_pid "$service")
        if [ "$(jobctl_in_box show -P CanReload "$service")" = yes ]; then
                check "$service: reload" jobctl_in_box reload "$service"
                check_equal "$service: it is the same process" "$(main_pid "$service")" "$pid"
        else
                check_prints "$service: a reload says that it has none" 'reload' jobctl_in_box reload "$service"
        fi
}

# try_service SERVICE WANTED REQUEST
try_service() {
        local service=$1 wanted=$2 request=$3 pid
        check "$service: start" jobctl_in_box start "$service"
        check_equal "$service: is active" "$(active "$service")" active
        answers "$service: answers" "$wanted" "$request"
        reload_as_it_can "$service"
        answers "$service: answers after that" "$wanted" "$request"
        pid=$(main_pid "$service")
        check "$service: restart" jobctl_in_box restart "$service"
        [ "$(main_pid "$service")" != "$pid" ]
        report $? "$service: it is another process"
        answers "$service: answers after a restart" "$wanted" "$request"
        survives_kill "$service"
        answers "$service: answers after that" "$wanted" "$request"
        check "$service: stop" jobctl_in_box stop "$service"
        check_equal "$service: is inactive" "$(active "$service")" inactive
}

prepare_services
try_service redis-server.service PONG ask_redis
try_service memcached.service hello ask_memcached
try_service postgresql@15-main.service '^42$' ask_postgres
try_service ssh.service 'it is me: root' ask_ssh
try_service cron.service 'cron was here' ask_cron
try_service nginx.service 'served by nginx' ask_nginx
# It wants a log daemon, and something behind it.
check "nginx and rsyslog for haproxy" jobctl_in_box start nginx.service rsyslog.service
check "rsyslog listens" wait_for '^/dev/log$' in_box ls /dev/log
try_service haproxy.service 'served by nginx' ask_haproxy
