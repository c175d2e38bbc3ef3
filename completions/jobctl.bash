# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion for jobctl

_jobctl_verbs_units='start stop restart reload try-restart reload-or-restart try-reload-or-restart isolate kill reset-failed clean freeze thaw
        status logs show cat list-dependencies is-active is-failed is-enabled list-units list-unit-files why monitor enable disable reenable
        preset mask unmask revert edit set-property blame critical-chain top graph list-timers list-sockets list-paths add-wants add-requires'
_jobctl_verbs_jobs='list-jobs jobs cancel wait'
_jobctl_verbs_other='exec run plan stats daemon-reload daemon-reexec calendar verify default rescue emergency exit poweroff reboot halt kexec
        preset-all show-environment set-environment unset-environment import-environment log-level list-automounts is-system-running link get-default set-default
        help version'
_jobctl_types='start stop restart reload try-restart reload-or-restart try-reload-or-restart reload-or-start try-reload
        verify-active nop isolate'
_jobctl_modes='replace fail lenient replace-irreversibly isolate flush ignore-dependencies ignore-requirements
        restart-dependencies triggering'
_jobctl_options='--help --version --user --system --socket --job-mode --mode --no-block --wait --dry-run
        --show-transaction --graph --type --state --failed --all --property --value --reverse --before --after --signal
        --kill-whom --force --iterations --base-time --watch --strict --unit-path --systemd-units --json --quiet --verbose --plain --no-legend --full
        --no-color --no-pager --now --runtime --root --preset-mode --what --no-reload --stdin --drop-in
        --show-types --lines --follow --since --until --invocation --priority --output'

# The manager that the line is about.
_jobctl_ask() {
        local i where=()

        for ((i = 1; i < COMP_CWORD; i++)); do
                case ${COMP_WORDS[i]} in
                        --user | --system) where=("${COMP_WORDS[i]}") ;;
                        --socket)
                                [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
                                where=(--socket "${COMP_WORDS[++i]}") ;;
                esac
        done
        "${COMP_WORDS[0]}" "${where[@]}" --quiet --plain --no-legend --full "$@" 2>/dev/null
}

_jobctl_loaded() {
        _jobctl_ask list-units --all "$@" | cut -d' ' -f1
}

_jobctl_installed() {
        _jobctl_ask list-unit-files "$@" | cut -d' ' -f1 | sed 's/^\(.*@\)\.[a-z]*$/\1/'
}

_jobctl_units() {
        case $1 in
                stop | restart | try-restart | reload | try-reload-or-restart | kill)
                        _jobctl_ask list-units | cut -d' ' -f1 ;;
                set-property | top | freeze) _jobctl_ask list-units | cut -d' ' -f1 ;;
                reset-failed)
                        _jobctl_ask list-units --failed | cut -d' ' -f1 ;;
                enable) _jobctl_installed --state=disabled,linked,indirect,enabled-runtime ;;
                list-timers) _jobctl_loaded --type=timer ;;
                list-sockets) _jobctl_loaded --type=socket ;;
                list-paths) _jobctl_loaded --type=path ;;
                disable | reenable) _jobctl_installed --state=enabled,enabled-runtime,linked,linked-runtime,alias ;;
                unmask) _jobctl_installed --state=masked,masked-runtime ;;
                is-enabled | preset | mask | revert) _jobctl_installed ;;
                isolate | set-default)
                        _jobctl_loaded --type=target
                        _jobctl_installed --type=target ;;
                *)
                        _jobctl_loaded
                        _jobctl_installed ;;
        esac
}

_jobctl_jobs() {
        _jobctl_ask list-jobs | awk '{ print $1 }'
}

# Candidates, one a line, that begin with the second argument. Unit names may hold backslashes, so compgen must not read them as shell words.
_jobctl_reply() {
        local candidate

        COMPREPLY=()
        while IFS= read -r candidate; do
                [[ $candidate && $candidate == "$2"* ]] && COMPREPLY+=("$(printf '%q' "$candidate")")
        done < <(printf '%s\n' "$1" | sort -u)
        # The name of an instance follows.
        [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *@ ]] && compopt -o nospace
        return 0
}

# The same for words that stand in one string.
_jobctl_words() {
        # shellcheck disable=SC2086
        _jobctl_reply "$(printf '%s\n' $1)" "$2"
}

# TYPE:UNIT. A colon separates words for readline, so only what is behind it is replaced.
_jobctl_requests() {
        local cur=$1 type

        if [[ $cur == *:* ]]; then
                type=${cur%%:*}
                _jobctl_reply "$(_jobctl_units "$type")" "${cur#*:}"
                [[ $COMP_WORDBREAKS == *:* ]] || COMPREPLY=("${COMPREPLY[@]/#/$type:}")
        else
                # shellcheck disable=SC2086
                _jobctl_reply "$(printf '%s:\n' $_jobctl_types)" "$cur"
                compopt -o nospace
        fi
}

# The value of an option; 1 if $1 is none that takes one.
_jobctl_value() {
        local cur=$2

        case $1 in
                --job-mode | --mode) _jobctl_words "$_jobctl_modes" "$cur" ;;
                --type | -t) _jobctl_words 'service socket target timer path mount slice scope' "$cur" ;;
                --state) _jobctl_words 'active inactive failed activating deactivating reloading loaded not-found masked
                        running exited dead waiting' "$cur" ;;
                --preset-mode) _jobctl_words 'full enable-only disable-only' "$cur" ;;
                --what) _jobctl_words 'runtime state cache logs configuration all' "$cur" ;;
                --signal | -s) _jobctl_words "$(compgen -A signal SIG)" "$cur" ;;
                --kill-whom) _jobctl_words 'all main control' "$cur" ;;
                --graph) _jobctl_words 'dot svg' "$cur" ;;
                --property | -p | -P)
                        _jobctl_reply "$(_jobctl_ask show --all none.service | cut -d= -f1)" "$cur" ;;
                --socket | --unit-path | --root)
                        compopt -o filenames
                        mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
                *) return 1 ;;
        esac
        return 0
}

# The first word that is no option and no option's value.
_jobctl_verb() {
        local i

        for ((i = 1; i < COMP_CWORD; i++)); do
                case ${COMP_WORDS[i]} in
                        --job-mode | --mode | --type | -t | --state | --signal | -s | --kill-whom | --graph | \
                                --property | -p | -P | --socket | --unit-path | --root | --preset-mode | --what | --drop-in | --lines | -n)
                                ((i++))
                                [[ ${COMP_WORDS[i]} == = ]] && ((i++)) ;;
                        -*) ;;
                        *)
                                printf '%s' "${COMP_WORDS[i]}"
                                return ;;
                esac
        done
}

# What follows "run": its own options, then a command and files.
_jobctl_run() {
        local cur=$1

        if [[ $cur == -* ]]; then
                _jobctl_words "$("${COMP_WORDS[0]}" run --help 2>/dev/null | sed -n 's/.*\(--[a-z-]*\).*/\1/p')" "$cur"
        else
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -c -- "$cur"; compgen -f -- "$cur")
        fi
}

_jobctl() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} option verb

        # "--option=value" arrives as three words.
        option=$prev
        if [[ $cur == = ]]; then
                cur=
        elif [[ $prev == = ]]; then
                option=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        COMPREPLY=()
        verb=$(_jobctl_verb)
        if [[ $verb == run ]]; then
                _jobctl_run "$cur"
                return
        fi
        _jobctl_value "$option" "$cur" && return

        if [[ $cur == -* ]]; then
                _jobctl_words "$_jobctl_options" "$cur"
        elif [[ -z $verb || $verb == help ]]; then
                _jobctl_words "$_jobctl_verbs_units $_jobctl_verbs_jobs $_jobctl_verbs_other" "$cur"
        elif [[ $verb == exec || $verb == plan ]]; then
                if [[ $cur == : ]]; then
                        cur=$prev:
                elif [[ $prev == : ]]; then
                        cur=${COMP_WORDS[COMP_CWORD - 2]}:$cur
                fi
                _jobctl_requests "$cur"
        elif [[ $verb == log-level ]]; then
                _jobctl_words 'err warning notice info debug' "$cur"
        elif [[ $verb == import-environment ]]; then
                _jobctl_words "$(compgen -e)" "$cur"
        elif [[ $verb == unset-environment ]]; then
                _jobctl_reply "$(_jobctl_ask show-environment | cut -d= -f1)" "$cur"
        elif [[ $verb == set-default ]]; then
                _jobctl_reply "$(_jobctl_units set-default)" "$cur"
        elif [[ $verb == verify || $verb == link ]]; then
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        elif [[ " $_jobctl_verbs_jobs " == *" $verb "* ]]; then
                _jobctl_reply "$(_jobctl_jobs)" "$cur"
        elif [[ $verb == why ]]; then
                _jobctl_reply "$(_jobctl_jobs; _jobctl_units why)" "$cur"
        elif [[ $_jobctl_verbs_units =~ (^|[[:space:]])$verb($|[[:space:]]) ]]; then
                _jobctl_reply "$(_jobctl_units "$verb")" "$cur"
        fi
}

complete -F _jobctl jobctl
