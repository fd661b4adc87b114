# shellcheck shell=sh
# What the runner of a workflow is told, for the scripts of both actions.

temporary=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
# A summary may take 1 MiB, and escaping makes of a byte five at most.
longest=150000

# A word that nobody can foresee: texts from files stand between two of them.
fence() {
    printf 'ca3-%s' "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
}

# output NAME VALUE: an output of the step; the value may be any text.
output() {
    fence=$(fence)
    printf '%s<<%s\n%s\n%s\n' "$1" "$fence" "$2" "$fence" >>"${GITHUB_OUTPUT:-/dev/null}"
}

# absolute FILE: the same file for a step that runs in another folder.
absolute() {
    case $1 in
    /* | [A-Za-z]:*) printf '%s\n' "$1" ;;
    *) printf '%s/%s\n' "$PWD" "$1" ;;
    esac
}

# fresh FILE: its folder is there, and no file of an earlier run, which would pass for
# one of this run where none is written.
fresh() {
    case $1 in */*) mkdir -p -- "${1%/*}" || return ;; esac
    rm -f -- "$1"
}

# written FILE: its absolute path if it is there, else nothing.
written() {
    if [ -f "$1" ]; then absolute "$1"; fi
}

# section TITLE FILE: a text in the summary, unchanged by Markdown.
section() {
    [ -s "$2" ] || return 0
    {
        printf '\n%s\n\n<pre>\n' "$1"
        head -c "$longest" "$2" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'
        printf '\n</pre>\n'
        [ "$(wc -c <"$2")" -le "$longest" ] ||
            printf '\nCut off here; the other reports have the rest.\n'
    } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
}

# show FILE: its lines in the log. A line that looks like a command to the runner is
# not taken for one.
show() {
    [ -s "$1" ] || return 0
    fence=$(fence)
    printf '::stop-commands::%s\n' "$fence"
    cat "$1"
    printf '\n::%s::\n' "$fence"
}
