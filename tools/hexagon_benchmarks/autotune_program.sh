#!/usr/bin/env bash
# Tunes the programs of a benchmark by measuring, as the script of this name among the Hexagon benchmarks does, over
# `nestor autotune`: on this machine. Each program has samples, records and weights of its own, which the next call
# goes on from; weights to start from are read and never written.
#
# usage: autotune_program.sh <bench> [ARGUMENT of nestor autotune]...
#   bench            a folder with generator programs (*.generator), or one of corpus/, by its path or name, whose
#                    program is built here
# NESTOR_SAMPLES names another folder for the results than ./autotune: NESTOR_SAMPLES/PROGRAM/GENERATOR/samples.
# NESTOR_BUILD names another build folder than build/release.
set -euo pipefail

if [ $# -lt 1 ] || [[ "$1" == -* ]]; then
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
bench=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${NESTOR_BUILD:-$root/build/release}
results=${NESTOR_SAMPLES:-autotune}
nestor=$build/bin/nestor
if [ ! -d "$bench" ] && [ -d "$root/corpus/$bench" ]; then
    bench=$root/corpus/$bench
fi

shopt -s nullglob
generators=("$bench"/*.generator)
if [ ${#generators[@]} = 0 ]; then
    name=$(basename "$bench")
    if [ ! -f "$bench/${name}_generator.cpp" ]; then
        echo "autotune_program.sh: there are no generators (*.generator) in $bench" >&2
        exit 1
    fi
    "$root/.venv/bin/cmake" --build "$build" --target "$name.generator" nestor autoschedule_nestor >&2
    generators=("$build/corpus/$name.generator")
fi

# One Ctrl-C is enough for all of them: the program at work ends in order and with success.
trap 'exit 130' INT TERM
for generator in "${generators[@]}"; do
    names=$("$nestor" schedule "$generator" --list)
    for name in $names; do
        folder=$results/$(basename "$generator" .generator)/$name
        echo "$name: $folder/samples" >&2
        "$nestor" autotune "$generator" "$name" --bld-dir "$folder" "$@"
    done
done
