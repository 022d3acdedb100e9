#!/bin/sh
# Builds and runs the native tests: native_tests.sh plain|sanitize. Without GoogleTest they are skipped by name.
set -eu

preset=$1
log=build/$preset.log
mkdir -p build

quietly() { "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    return 1
}; }

if ! cmake --preset "$preset" >"$log" 2>&1; then
    if grep -q 'Could NOT find GTest\|"GTest" with any\|GTestConfig.cmake' "$log"; then
        echo "SKIPPED native tests ($preset): GoogleTest is not installed (Debian: apt-get install libgtest-dev)"
        exit 0
    fi
    cat "$log" >&2
    exit 1
fi
quietly cmake --build --preset "$preset" -j "${JOBS:-2}"
quietly ctest --preset "$preset" -j "${JOBS:-2}"
echo "$preset: $(grep 'tests passed' "$log")"
