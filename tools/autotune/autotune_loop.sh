#!/bin/sh
# `nestor autotune` under the name that users of Adams2019's tuning loop know, with the same arguments.
exec "$(dirname "$(readlink -f "$0")")/nestor" autotune "$@"
