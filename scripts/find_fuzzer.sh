#!/bin/sh
# Prints the C++ compiler that has libFuzzer and AddressSanitizer; fails where none is installed.
set -eu

probe=$(mktemp)
trap 'rm -f "$probe"' EXIT
for name in clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do
    if command -v "$name" >/dev/null &&
        printf 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }\n' |
        "$name" -x c++ -std=c++20 -fsanitize=fuzzer,address - -o "$probe" 2>/dev/null; then
        echo "$name"
        exit 0
    fi
done
exit 1
