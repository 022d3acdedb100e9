#!/bin/sh
# Prints a compiler for C++20, or one sentence that names what is missing. CXX chooses one by hand.
set -u

work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
cat >"$work/probe.cpp" <<'PROBE'
#include <bit>
#include <concepts>
#include <span>
int main() { int cells[2] = {1, 2}; return std::popcount(unsigned(std::span<int>(cells).size())) - 1; }
PROBE

tried=
for name in ${CXX:-c++ g++ clang++ g++-15 g++-14 g++-13 g++-12 g++-11 clang++-19 clang++-18 clang++-17 clang++-16 \
    /opt/rh/gcc-toolset-*/root/usr/bin/g++}; do
    path=$(command -v "$name" 2>/dev/null) || continue
    if "$path" -std=c++20 "$work/probe.cpp" -o "$work/probe" 2>/dev/null; then
        echo "$path"
        exit 0
    fi
    tried="$tried $name"
done

if [ -n "$tried" ]; then
    echo "linkworth: no compiler here compiles C++20 (tried:$tried): install GCC 11 or newer, or name one with" \
        "make CXX=/path/to/g++." >&2
else
    echo "linkworth: no C++ compiler was found: install g++ (Debian, Ubuntu) or gcc-c++ (RHEL), load its module," \
        "or name one with make CXX=/path/to/g++." >&2
fi
exit 3
