# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion for jobd

_jobd_options='--system --user --container --exit-on --signal-exit-status --inherit-environment --unit-path
        --systemd-units --systemd-boot --no-default-dependencies --unsupported-directives --default-unit --runtime-dir
        --shutdown-timeout --systemd-compat --no-bus --no-state --config --log-level --version --help'

# jobd does not run yet: what there is to start is in its folders.
_jobd_units() {
        local folder

        for folder in /etc/jobd/system /run/jobd/system /usr/local/lib/jobd/system /usr/lib/jobd/system \
                "${XDG_CONFIG_HOME:-$HOME/.config}/jobd/user" /etc/jobd/user /usr/lib/jobd/user; do
                [[ -d $folder ]] && (cd "$folder" && compgen -G '*.service'; compgen -G '*.target')
        done 2>/dev/null | sort -u
}

# _jobd_value OPTION CURRENT: candidates for an option's value; false if it has none.
_jobd_value() {
        case $1 in
                --exit-on | --default-unit)
                        mapfile -t COMPREPLY < <(compgen -W "$(_jobd_units)" -- "$2") ;;
                --signal-exit-status)
                        mapfile -t COMPREPLY < <(compgen -W 'zero signal' -- "$2") ;;
                --inherit-environment)
                        mapfile -t COMPREPLY < <(compgen -W 'yes no' -- "$2") ;;
                --unsupported-directives)
                        mapfile -t COMPREPLY < <(compgen -W 'warn refuse' -- "$2") ;;
                --log-level)
                        mapfile -t COMPREPLY < <(compgen -W 'err warning notice info debug' -- "$2") ;;
                --unit-path | --runtime-dir)
                        mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
                --config)
                        mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
                --shutdown-timeout) ;;
                *)
                        return 1 ;;
        esac
}

# Where the command of --exec begins, or nothing.
_jobd_command() {
        local i

        for ((i = 1; i < COMP_CWORD; i++)); do
                [[ ${COMP_WORDS[i]} == --exec ]] && printf '%d' $((i + 1)) && return
        done
}

_jobd() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} option command

        # "--option=value" arrives as three words.
        option=$prev
        if [[ $cur == = ]]; then
                cur=
        elif [[ $prev == = ]]; then
                option=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        COMPREPLY=()
        command=$(_jobd_command)
        if [[ $command == "$COMP_CWORD" ]]; then
                mapfile -t COMPREPLY < <(compgen -c -- "$cur")
        elif [[ -n $command ]]; then
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        elif _jobd_value "$option" "$cur"; then
                return
        elif [[ " ${COMP_WORDS[*]:1:COMP_CWORD-1} " == *' run '* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "--exec $_jobd_options $(_jobd_units)" -- "$cur")
        else
                mapfile -t COMPREPLY < <(compgen -W "run $_jobd_options" -- "$cur")
        fi
}

complete -F _jobd jobd
