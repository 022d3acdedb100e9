// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include <algorithm>
#include <cstddef>

#include "../random.hpp"
#include "is_random_keys.hpp"

namespace linkworth::npb::is {
namespace {

constexpr std::uint64_t kNumbersPerKey = 4;
constexpr int kStateBits = 46;
/// Sequences advanced side by side, one a key.
constexpr std::size_t kStreams = 32;

}  // namespace

void generate_keys(std::int64_t first, int log2_largest_key, std::span<int> keys) {
    // The sum of four states is exact, and a power of two times it needs only a shift.
    const int shift = kStateBits + 2 - log2_largest_key;
    alignas(64) std::uint64_t states[kStreams];
    for (std::size_t s = 0; s < kStreams; ++s)
        states[s] = multiply(kSeed, jump(kNumbersPerKey * (static_cast<std::uint64_t>(first) + s) + 1));
    constexpr std::uint64_t kNextBlock = jump(kNumbersPerKey * kStreams);

    alignas(64) int block[kStreams];
    for (std::size_t done = 0; done < keys.size(); done += kStreams) {
#pragma omp simd
        for (std::size_t s = 0; s < kStreams; ++s) {
            std::uint64_t state = states[s], sum = state;
            for (std::uint64_t number = 1; number < kNumbersPerKey; ++number) {
                state = multiply(state, kMultiplier);
                sum += state;
            }
            block[s] = static_cast<int>(sum >> shift);
            states[s] = multiply(states[s], kNextBlock);
        }
        std::copy_n(block, std::min(kStreams, keys.size() - done), keys.data() + done);
    }
}

}  // namespace linkworth::npb::is
