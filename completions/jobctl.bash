# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion for jobctl
#
# Verbs, what they take, and options come from 'jobctl help', so a new one is completed as soon as it is there. What is
# known here is which units suit a verb.

_jobctl_types='start stop restart reload try-restart reload-or-restart try-reload-or-restart reload-or-start try-reload
        verify-active nop isolate'
_jobctl_modes='replace fail lenient replace-irreversibly isolate flush ignore-dependencies ignore-requirements
        restart-dependencies triggering'
_jobctl_unit_types='service socket target timer path mount slice scope flow batch stream'

_jobctl_help() {
        "${COMP_WORDS[0]}" help "$@" 2>/dev/null
}

_jobctl_verbs() {
        _jobctl_help | sed -n '/^Options:/q; s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# What the help text says that a verb takes: "UNIT|PATH…".
_jobctl_arguments() {
        _jobctl_help "$1" | sed -n "1s/^jobctl \[OPTION…\] $1 *//p"
}

_jobctl_options() {
        _jobctl_help | sed -n '/^Options:/,$ s/^.*\(--[a-z][a-z-]*\).*/\1/p'
}

# Options that take a value, as the help text has them, and old names of some.
_jobctl_value_options() {
        _jobctl_help | sed -n '/^Options:/,$ { h; s/^ *\(-[A-Za-z]\), --[a-z-]*=.*/\1/p; g; s/^.*\(--[a-z][a-z-]*\)=.*/\1/p }'
        printf '%s\n' --mode -P
}

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
                # Its jobs are offered; a unit without one cannot be named.
                cancel) ;;
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

# What follows the second word of "flow".
_jobctl_flow() {
        local word
        for word; do
                case $word in
                        start | plan | list | alarms | graph)
                                _jobctl_reply "$(_jobctl_ask list-unit-files --type=flow | cut -d' ' -f1)" "$cur"
                                return ;;
                        import)
                                compopt -o filenames
                                _jobctl_reply "$(compgen -f -- "$cur")" "$cur"
                                return ;;
                        ack)
                                _jobctl_reply "$(_jobctl_ask flow alarms --no-legend | awk '{ print $1 }')" "$cur"
                                return ;;
                        show | result | logs | why | retry | rerun | resolve | skip | approve | pause | resume | stop | cancel | compensate | add-nodes | delete | unlock)
                                _jobctl_reply "$(_jobctl_ask flow list | awk '{ print $1 }')" "$cur"
                                return ;;
                esac
        done
}

# What follows the second word of "batch".
_jobctl_batch() {
        local word
        for word; do
                case $word in
                        start | list)
                                _jobctl_reply "$(_jobctl_ask list-unit-files --type=batch | cut -d' ' -f1)" "$cur"
                                return ;;
                        show | why | logs | errors | retry-errors | pause | resume | cancel | proceed | delete)
                                _jobctl_reply "$(_jobctl_ask batch list | awk '{ print $1 }')" "$cur"
                                return ;;
                esac
        done
}

# What follows the second word of "stream": a stream, and for some verbs a group of it.
_jobctl_stream() {
        local i

        for ((i = 2; i < COMP_CWORD; i++)); do
                case ${COMP_WORDS[i]} in
                        show | resolve)
                                if ((COMP_CWORD == i + 2)); then
                                        _jobctl_reply "$(_jobctl_ask stream list --no-legend "${COMP_WORDS[i + 1]}" | awk '{ print $1 }')" "$cur"
                                        return
                                fi ;;
                esac
        done
        _jobctl_reply "$(_jobctl_ask list-unit-files --type=stream | cut -d' ' -f1)" "$cur"
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
                --type | -t) _jobctl_words "$_jobctl_unit_types" "$cur" ;;
                --state) _jobctl_words 'active inactive failed activating deactivating reloading loaded not-found masked
                        running exited dead waiting' "$cur" ;;
                --preset-mode) _jobctl_words 'full enable-only disable-only' "$cur" ;;
                --what) _jobctl_words 'runtime state cache logs configuration all' "$cur" ;;
                --signal | -s) _jobctl_words "$(compgen -A signal SIG)" "$cur" ;;
                --kill-whom) _jobctl_words 'all main control' "$cur" ;;
                --graph) _jobctl_words 'dot svg' "$cur" ;;
                --from) _jobctl_words 'wfcommons crontab dagu' "$cur" ;;
                --output | -o)
                        compopt -o filenames
                        mapfile -t COMPREPLY < <(compgen -W 'short iso cat json' -- "$cur"; compgen -d -- "$cur") ;;
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
        local i takes=

        for ((i = 1; i < COMP_CWORD; i++)); do
                if [[ ${COMP_WORDS[i]} != -* ]]; then
                        printf '%s' "${COMP_WORDS[i]}"
                        return
                fi
                takes=${takes:-" $(_jobctl_value_options | tr '\n' ' ')"}
                if [[ $takes == *" ${COMP_WORDS[i]} "* ]]; then
                        ((i++))
                        [[ ${COMP_WORDS[i]} == = ]] && ((i++))
                fi
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
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} option verb takes

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
                _jobctl_reply "$(_jobctl_options)" "$cur"
        elif [[ -z $verb || $verb == help ]]; then
                _jobctl_reply "$(_jobctl_verbs)" "$cur"
        elif [[ $verb == exec || $verb == plan ]]; then
                if [[ $cur == : ]]; then
                        cur=$prev:
                elif [[ $prev == : ]]; then
                        cur=${COMP_WORDS[COMP_CWORD - 2]}:$cur
                fi
                _jobctl_requests "$cur"
        elif [[ $verb == flow && $prev == flow ]]; then
                _jobctl_words 'start plan list show result logs why retry rerun resolve skip approve pause resume stop cancel compensate add-nodes delete complete locks unlock alarms ack graph import' "$cur"
        elif [[ $verb == flow ]]; then
                _jobctl_flow "${COMP_WORDS[@]}"
        elif [[ $verb == batch && $prev == batch ]]; then
                _jobctl_words 'start list show why logs errors retry-errors pause resume cancel proceed delete' "$cur"
        elif [[ $verb == batch ]]; then
                _jobctl_batch "${COMP_WORDS[@]}"
        elif [[ $verb == stream && $prev == stream ]]; then
                _jobctl_words 'push list show why resolve pause resume cancel' "$cur"
        elif [[ $verb == stream ]]; then
                _jobctl_stream
        elif [[ $verb == log-level ]]; then
                _jobctl_words 'err warning notice info debug' "$cur"
        elif [[ $verb == import-environment ]]; then
                _jobctl_words "$(compgen -e)" "$cur"
        elif [[ $verb == unset-environment ]]; then
                _jobctl_reply "$(_jobctl_ask show-environment | cut -d= -f1)" "$cur"
        else
                takes=$(_jobctl_arguments "$verb")
                [[ $takes == *@(PATH|FILE|DIRECTORY)* ]] && compopt -o filenames
                _jobctl_reply "$([[ $takes == *JOB* ]] && _jobctl_jobs
                                 [[ $takes == *@(UNIT|PATTERN|TARGET)* ]] && _jobctl_units "$verb"
                                 [[ $takes == *@(PATH|FILE|DIRECTORY)* ]] && compgen -f -- "$cur")" "$cur"
        fi
}

complete -F _jobctl jobctl
