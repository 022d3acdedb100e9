// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

namespace linkworth::netbench {

void compute(std::int64_t steps) {
    static volatile std::uint64_t state =
        1;  // read and written once a call: the steps between are not left out
    std::uint64_t value = state;
    // Knuth's MMIX generator (The Art of Computer Programming, vol. 2, 3rd ed., 3.3.4): each step waits for
    // the one before.
    for (std::int64_t i = 0; i < steps; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
    state = value;
}

}  // namespace linkworth::netbench
