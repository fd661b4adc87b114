#!/bin/sh
# Prints where a program of the kit is, and builds it of this checkout if it is nowhere.
#
#     ci/program.sh PROGRAM PACKAGE-FOLDER INSTALL-FOLDER [VERSION]
#
# It is looked for on the PATH, then where an earlier call installed it. One of another
# version than VERSION is passed over. Exit code 127: there is none, and standard error
# says why.
set -u

program=$1 folder=$2 root=$3 version=${4:-}
kit=$(cd "$(dirname "$0")/.." && pwd) || exit 127

fits() {
    [ -n "$1" ] && [ -x "$1" ] || return 1
    [ -z "$version" ] || [ "$("$1" --version 2>/dev/null)" = "$program $version" ]
}

for found in "$(command -v "$program")" "$root/bin/$program"; do
    if fits "$found"; then
        printf '%s\n' "$found"
        exit 0
    fi
done

# One version for the whole workspace; better told before minutes of building.
own=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$kit/Cargo.toml" | head -n 1)
if [ -n "$version" ] && [ "$version" != "$own" ]; then
    echo "this checkout has $program $own, not $version:" \
        "please take the kit at the tag of that version" >&2
    exit 127
fi
if ! command -v cargo >/dev/null 2>&1; then
    echo "$program is not on the PATH, and neither is cargo to build it:" \
        "please install Rust, or $program" >&2
    exit 127
fi
echo "building $program, which takes minutes" >&2
# Standard output is for the path alone.
cargo install --locked --path "$kit/$folder" --root "$root" \
    --target-dir "$root/build" >&2 || exit 127
printf '%s\n' "$root/bin/$program"
