#!/bin/sh
# Fuzzes trace files and the programs in them, both at once: fuzz.sh [SECONDS of processor time, 20 unless told otherwise].
# FUZZ_SEED=0 takes another way each time. Without clang and its libFuzzer it is skipped by name.
set -eu

seconds=${1:-20}
found=build/fuzz-found
mkdir -p build "$found"

if ! compiler=$(scripts/find_fuzzer.sh); then
    echo "SKIPPED fuzzing: no clang++ with libFuzzer is installed (Debian: apt-get install clang libclang-rt-dev)"
    exit 0
fi

quietly() { "$@" >build/fuzz.log 2>&1 || {
    cat build/fuzz.log >&2
    return 1
}; }

c_compiler=$(echo "$compiler" | sed 's/clang++/clang/')
CXX=$compiler CC=$c_compiler quietly cmake --preset fuzz -DLINKWORTH_NATIVE_TESTS=OFF
quietly cmake --build --preset fuzz -j "${JOBS:-2}"

fuzz() {
    target=$1
    corpus=build/fuzz-corpus/$target
    mkdir -p "$corpus"
    case $target in
        program) longest=400 ;;
        *) longest=4096 ;;
    esac
    log=build/fuzz-$target.log
    if "build/fuzz/tests/native/fuzz/targets/fuzz_$target" -max_total_time=$((seconds / 2)) -seed="${FUZZ_SEED:-1}" \
        -max_len=$longest -len_control=0 -entropic=0 -timeout=60 -rss_limit_mb=2048 -artifact_prefix="$found/$target-" \
        "$corpus" >"$log" 2>&1; then
        echo "fuzzing $target: nothing found in $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") runs"
    else
        tail -n 40 "$log" >&2
        echo "fuzzing $target: a fault was found; its input is in $found. Fix it and keep the input, named by what it is," \
            "in tests/native/fuzz/found/$target" >&2
        return 1
    fi
}

# Each uses one core.
fuzz program &
other=$!
failed=0
fuzz trace_file || failed=1
wait "$other" || failed=1
exit $failed
