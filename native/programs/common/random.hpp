// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The pseudorandom sequence of the NAS Parallel Benchmarks (NAS-95-020, section 2.3): x[k+1] = a x[k] mod
/// 2^46 with a = 5^13, and the number in (0, 1) is x 2^-46. Products modulo 2^64 keep the low 46 bits exact,
/// so integers suffice.
namespace linkworth::npb {

inline constexpr std::uint64_t kMultiplier = 1220703125;  // 5^13
inline constexpr std::uint64_t kSeed = 314159265;
inline constexpr std::uint64_t kStateMask = (std::uint64_t{1} << 46) - 1;
inline constexpr double kToUnit = 0x1p-46;

constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) { return a * b & kStateMask; }

/// a^steps mod 2^46: multiplying a state by it advances the sequence by `steps` numbers.
constexpr std::uint64_t jump(std::uint64_t steps, std::uint64_t a = kMultiplier) {
    std::uint64_t result = 1;
    for (; steps != 0; steps >>= 1, a = multiply(a, a))
        if (steps & 1) result = multiply(result, a);
    return result;
}

/// Draws the sequence number by number.
class RandomSequence {
  public:
    explicit constexpr RandomSequence(std::uint64_t seed) : state_(seed) {}
    constexpr double next() {
        state_ = multiply(state_, kMultiplier);
        return static_cast<double>(state_) * kToUnit;
    }

  private:
    std::uint64_t state_;
};

}  // namespace linkworth::npb
