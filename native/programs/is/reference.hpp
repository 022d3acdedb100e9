// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Classes of IS: problem sizes, and the ranks that five test keys must have in every iteration.
/// Source of every figure: reference constants of the NAS Parallel Benchmarks 3.4.3 (NASA, 2023), classes as
/// in RNR-94-007 and the later class reports; taken 2026-11-21.
namespace linkworth::npb::is {

/// Rankings that are timed.
inline constexpr int kIterations = 10;
inline constexpr int kTestKeys = 5;

/// Offsets added to a test key's rank in iterations 1 to 10. The keys that change between them are very small
/// and very large, so that small test keys move up and large ones down.
using Shifts = std::array<int, kIterations>;

/// direction (iteration + offset).
constexpr Shifts steady(int direction, int offset) {
    Shifts shifts{};
    for (int iteration = 1; iteration <= kIterations; ++iteration)
        shifts[static_cast<std::size_t>(iteration - 1)] = direction * (iteration + offset);
    return shifts;
}

struct TestKey {
    std::int64_t index;  ///< of the key in the whole sequence
    std::int64_t rank;   ///< before any shift
    Shifts shifts;
};

struct Class {
    char letter;
    int log2_keys;
    int log2_largest_key;  ///< keys lie in [0, 2^this)
    int log2_buckets;
    int fewest_ranks, most_ranks;
    std::array<TestKey, kTestKeys> tests;
    double mega_operations;  ///< keys ranked in the timed region / 10^6
};

inline constexpr std::array kClasses{
    Class{'S',
          16,
          11,
          9,
          1,
          128,
          {{{48427, 0, steady(1, 0)},
            {17148, 18, steady(1, 0)},
            {23627, 346, steady(1, 0)},
            {62548, 64917, steady(-1, 0)},
            {4431, 65463, steady(-1, 0)}}},
          0.65536},
    Class{'W',
          20,
          16,
          10,
          1,
          1024,
          {{{357773, 1249, steady(1, -2)},
            {934767, 11698, steady(1, -2)},
            {875723, 1039987, steady(-1, 0)},
            {898999, 1043896, steady(-1, 0)},
            {404505, 1048018, steady(-1, 0)}}},
          10.48576},
    Class{'A',
          23,
          19,
          10,
          1,
          1024,
          {{{2112377, 104, steady(1, -1)},
            {662041, 17523, steady(1, -1)},
            {5336171, 123928, steady(1, -1)},
            {3642833, 8288932, steady(-1, -1)},
            {4250760, 8388264, steady(-1, -1)}}},
          83.88608},
    Class{'B',
          25,
          21,
          10,
          1,
          1024,
          {{{41869, 33422937, steady(-1, 0)},
            {812306, 10244, steady(1, 0)},
            {5102857, 59149, steady(1, 0)},
            {18232239, 33135281, steady(-1, 0)},
            {26860214, 99, steady(1, 0)}}},
          335.54432},
    Class{'C',
          27,
          23,
          10,
          1,
          1024,
          {{{44172927, 61147, steady(1, 0)},
            {72999161, 882988, steady(1, 0)},
            {74326391, 266290, steady(1, 0)},
            {129606274, 133997595, steady(-1, 0)},
            {21736814, 133525895, steady(-1, 0)}}},
          1342.17728},
    Class{'D',
          31,
          27,
          10,
          4,
          1024,
          {{{1317351170, 1, steady(1, 0)},
            {995930646, 36538729, steady(1, 0)},
            {1157283250, 1978098519, steady(-1, 0)},
            {1503301535, 2145192618, steady(-1, 0)},
            {1453734525, 2147425337, steady(-1, 0)}}},
          21474.83648},
    Class{'E',
          35,
          31,
          10,
          64,
          1024,
          {{{21492309536, 3, steady(1, -2)},
            {24606226181, 27580354, steady(1, -2)},
            {12608530949, 3248475153, {-1, 0, 0, 1, 1, 2, 3, 4, 5, 6}},
            {4065943607, 30048754302, steady(-1, -2)},
            {3324513396, 31485259697, steady(-1, -2)}}},
          343597.38368},
};

}  // namespace linkworth::npb::is
