#!/bin/sh
# Judges recordings in a step of a workflow. The inputs come from action.yml as CA3_...,
# so that no shell ever reads them as code.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 127
# shellcheck source-path=SCRIPTDIR source=../runner.sh
. "$here/../runner.sh"

work=$temporary/ca3-validate
sarif=${CA3_SARIF:-$work/ca3-validate.sarif}
json=$work/ca3-validate.json
text=$work/ca3-validate.txt
errors=$work/errors.txt
for file in "$sarif" "$json" "$text" "$errors"; do
    fresh "$file" || exit 3
done

# finish CODE: what the runner learns, and the end.
finish() {
    case $1 in
    0) said='nothing that fails the run' ;;
    1) said='findings' ;;
    2) said='wrong usage or configuration' ;;
    3) said='not everything could be read or written' ;;
    127) said='no program ca3-validate' ;;
    *) said='a fault of ca3-validate' ;;
    esac
    show "$errors"
    [ "$1" -le 1 ] ||
        printf '::error title=ca3-validate::%s: the log of this step says which and why\n' "$said"
    section "**CA3 recordings: $said** (exit code $1)" "$text"
    section "What \`ca3-validate\` says besides (exit code $1)" "$errors"
    output exit-code "$1"
    output sarif "$(written "$sarif")"
    output report "$(written "$json")"
    exit "$1"
}

validate=$("$here/../../program.sh" ca3-validate validator "$temporary/ca3" \
    "${CA3_VERSION:-}" 2>"$errors") || finish 127

set -- --format github --format "sarif=$sarif" --format "json=$json" --format "text=$text"
[ -z "${CA3_FAIL_ON:-}" ] || set -- "$@" "--fail-on=$CA3_FAIL_ON"
[ -z "${CA3_CONFIG:-}" ] || set -- "$@" "--config=$CA3_CONFIG"
[ -z "${CA3_BASELINE:-}" ] || set -- "$@" "--baseline=$CA3_BASELINE"
# A line, an argument: blanks, quotes and dollars mean nothing.
while IFS= read -r line; do
    [ -z "$line" ] || set -- "$@" "$line"
done <<END
${CA3_ARGS:-}
END
# A path is none of the options, whatever it begins with.
set -- "$@" --
[ -n "${CA3_PATHS:-}${CA3_CONFIG:-}" ] || CA3_PATHS=.
while IFS= read -r line; do
    [ -z "$line" ] || set -- "$@" "$line"
done <<END
${CA3_PATHS:-}
END

"$validate" "$@" 2>"$errors"
finish $?
