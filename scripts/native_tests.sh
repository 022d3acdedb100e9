#!/bin/sh
# Builds and runs the native tests: native_tests.sh plain|sanitize. Without GoogleTest they are skipped by name.
# None of them compiles the engine for itself where another part of `make test` does: the plain ones link the package's
# library, the sanitized ones share the build of the fuzzers, where clang is there for them.
set -eu

kind=$1
log=build/$kind.log
mkdir -p build

quietly() { "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    return 1
}; }

preset=$kind
set --
case $kind in
    plain)
        # shellcheck disable=SC2012 # names without spaces: a Python tag and a platform
        library=$(ls -t build/cp*/native/engine/liblinkworth_engine.a 2>/dev/null | head -n 1)
        set -- "-DLINKWORTH_ENGINE_LIBRARY=${library:+$PWD/$library}"
        ;;
    sanitize)
        if compiler=$(scripts/find_fuzzer.sh); then
            preset=fuzz
            CXX=$compiler
            CC=$(echo "$compiler" | sed 's/clang++/clang/')
            export CXX CC
            set -- -DLINKWORTH_NATIVE_TESTS=ON
        fi
        ;;
esac

if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
    if grep -q 'Could NOT find GTest\|"GTest" with any\|GTestConfig.cmake' "$log"; then
        echo "SKIPPED native tests ($kind): GoogleTest is not installed (Debian: apt-get install libgtest-dev)"
        exit 0
    fi
    cat "$log" >&2
    exit 1
fi
quietly cmake --build --preset "$preset" -j "${JOBS:-2}"
quietly ctest --preset "$preset" -j "${JOBS:-2}"
echo "$kind: $(grep 'tests passed' "$log")"
