#!/usr/bin/env bash
# The positional form of the Hexagon benchmark scripts, over `nestor bench`: schedules what is in a folder with
# Nestor's tree search and compares it with the generators' own schedules.
#
# usage: run.sh <bench_dir> <beam_size> <num_passes> <max_parallelism> [ARGUMENT of nestor bench]...
#   bench_dir        a folder with generator programs (*.generator), or one of corpus/, whose program is built here
#   beam_size        32; 1 is greedy
#   num_passes       5, or 1 for greedy
#   max_parallelism  tasks that the schedule exposes
# NESTOR_BUILD names another build folder than build/release.
set -euo pipefail

if [ $# -lt 4 ] || [[ "$1" == -* ]]; then
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
bench_dir=$1 beam_size=$2 num_passes=$3 max_parallelism=$4
shift 4
for number in "$beam_size" "$num_passes" "$max_parallelism"; do
    if [[ ! "$number" =~ ^[0-9]+$ ]]; then
        echo "run.sh: $number is no number" >&2
        exit 2
    fi
done
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${NESTOR_BUILD:-$root/build/release}

shopt -s nullglob
generators=("$bench_dir"/*.generator)
if [ ${#generators[@]} = 0 ]; then
    name=$(basename "$bench_dir")
    if [ ! -f "$bench_dir/${name}_generator.cpp" ]; then
        echo "run.sh: there are no generators (*.generator) in $bench_dir" >&2
        exit 1
    fi
    "$root/.venv/bin/cmake" --build "$build" --target "$name.generator" nestor autoschedule_nestor >&2
    generators=("$build/corpus/$name.generator")
fi
exec "$build/bin/nestor" bench "${generators[@]}" --inputs "$root/corpus" --parallelism "$max_parallelism" \
    --versions "expert,Nestor:autoscheduler.beam_size=$beam_size:autoscheduler.num_passes=$num_passes" "$@"
