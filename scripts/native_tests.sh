#!/bin/sh
# Builds and runs the native tests: native_tests.sh plain|sanitize. CMAKE and CTEST name the tools.
set -eu

preset=$1
cmake=${CMAKE:-cmake}
ctest=${CTEST:-ctest}

"$cmake" --preset "$preset" >"build/$preset-configure.log" 2>&1 || {
    cat "build/$preset-configure.log" >&2
    exit 1
}
"$cmake" --build --preset "$preset" -j 2 >"build/$preset-build.log" 2>&1 || {
    cat "build/$preset-build.log" >&2
    exit 1
}
"$ctest" --preset "$preset" -j 2
