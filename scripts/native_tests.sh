#!/bin/sh
# Builds and runs the native tests under sanitizers. Without GoogleTest they are skipped by name.
# With clang and its fuzzers they share the fuzzers' build of the engine, otherwise the default compiler makes one.
set -eu

log=build/native.log
mkdir -p build

quietly() { "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    return 1
}; }

preset=sanitize
if compiler=$(scripts/find_fuzzer.sh); then
    preset=fuzz
    CXX=$compiler
    CC=$(echo "$compiler" | sed 's/clang++/clang/')
    export CXX CC
fi

if ! cmake --preset "$preset" -DLINKWORTH_NATIVE_TESTS=ON >"$log" 2>&1; then
    if grep -q 'Could NOT find GTest\|"GTest" with any\|GTestConfig.cmake' "$log"; then
        echo "SKIPPED native tests: GoogleTest is not installed (Debian: apt-get install libgtest-dev)"
        exit 0
    fi
    cat "$log" >&2
    exit 1
fi
quietly cmake --build --preset "$preset" -j "${JOBS:-2}"
quietly ctest --preset "$preset" -j "${JOBS:-2}"
echo "native tests under sanitizers: $(grep 'tests passed' "$log")"
